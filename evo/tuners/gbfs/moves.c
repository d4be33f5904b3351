/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The list of moves of a space, their application, and the features of a point. */

#include "moves_internal.h"

#include <opevo/memory.h>

#include <string.h>

enum {
    MOVES_MOST = 16384,         /* of all parameters together, or one a parameter */
    PARAMETER_MOVES_MOST = 256, /* of one parameter */
    COMPONENTS_MOST = 1024,     /* of one value: parameter.h */
    DEGREES_PROBED = 4096
};

typedef enum kind { FACTOR, PATH, COMPLETE, LISTED } kind;

typedef struct group {
    const opevo_parameter *parameter;
    opevo_index size;
    double span; /* size - 1, or 1 */
    kind kind;
    size_t first; /* its moves are first .. first + count - 1 */
    size_t count;
    size_t places;     /* FACTOR */
    int64_t product;   /* FACTOR, whatever its topology; 0 for other types */
    int64_t *divisors; /* FACTOR: what the topology moves */
    size_t divisor_count;
} group;

struct opevo_i_gbfs_moves {
    const opevo_space *space;
    size_t group_count; /* one a parameter */
    group *groups;
    size_t count;
    uint32_t *owners; /* of each move the number of its group */
    size_t feature_count;
};

void opevo_i_gbfs_moves_destroy(opevo_i_gbfs_moves *moves)
{
    if (!moves)
        return;
    for (size_t i = 0; moves->groups && i < moves->group_count; i++)
        opevo_free(moves->groups[i].divisors);
    opevo_free(moves->groups);
    opevo_free(moves->owners);
    opevo_free(moves);
}

/* ---- Making the list ---- */

/* Add a divisor unless it is known; keeps the order in which they are met. */
static bool add_divisor(group *self, size_t *capacity, int64_t divisor)
{
    for (size_t i = 0; i < self->divisor_count; i++) {
        if (self->divisors[i] == divisor)
            return true;
    }
    if (!opevo_reserve((void **)&self->divisors, capacity, self->divisor_count + 1,
                       sizeof *self->divisors))
        return false;
    self->divisors[self->divisor_count++] = divisor;
    return true;
}

/* What the topology moves, seen at the configuration without tiling: the neighbours of (C, 1, ...)
 * have a moved divisor in the second place, or a 1. */
static bool find_divisors(group *self, size_t most)
{
    opevo_value components[COMPONENTS_MOST];
    opevo_index degree = opevo_parameter_degree(self->parameter, 0);
    size_t capacity = 0;

    for (opevo_index k = 0; k < degree && self->divisor_count <= most; k++) {
        opevo_parameter_value(self->parameter, opevo_parameter_neighbour(self->parameter, 0, k),
                              components);
        if (components[1].as.integer > 1 && !add_divisor(self, &capacity, components[1].as.integer))
            return false;
    }
    return true;
}

/* The largest degree, as far as up to DEGREES_PROBED evenly spread vertices show it. */
static opevo_index largest_degree(const opevo_parameter *parameter, opevo_index size)
{
    opevo_index stride = 1 + (size - 1) / DEGREES_PROBED;
    opevo_index most = 0;

    for (opevo_index vertex = 0; vertex < size; vertex += stride) {
        opevo_index degree = opevo_parameter_degree(parameter, vertex);

        most = degree > most ? degree : most;
        if (size - vertex <= stride)
            break;
    }
    return most;
}

/* Whether the parameter is a factorisation by moves of divisors, few enough to be listed. */
static bool make_factor(group *self, size_t most, bool *ok)
{
    size_t pairs = self->places * (self->places - 1);

    if (self->places < 2 || self->size < 2 ||
        !strcmp(opevo_parameter_topology(self->parameter), "complete"))
        return false;
    *ok = find_divisors(self, most);
    if (!*ok || self->divisor_count > most / pairs)
        return false;
    self->kind = FACTOR;
    self->count = pairs * self->divisor_count;
    return true;
}

static bool make_group(group *self, const opevo_parameter *parameter, size_t most)
{
    opevo_value components[COMPONENTS_MOST];
    opevo_family family = opevo_parameter_family(parameter);
    opevo_index degree = 0;
    bool ok = true;

    self->parameter = parameter;
    self->size = opevo_parameter_size(parameter);
    self->span = self->size > 1 ? (double)(self->size - 1) : 1;
    self->places = 1;
    if (!strcmp(opevo_parameter_type(parameter), "factor")) {
        self->places = opevo_parameter_arity(parameter);
        opevo_parameter_value(parameter, 0, components);
        self->product = components[0].as.integer;
        if (make_factor(self, most, &ok) || !ok)
            return ok;
    }
    self->kind = LISTED;
    if (self->size == 1)
        return true;
    if (family == OPEVO_FAMILY_PATH && most >= 2) {
        self->kind = PATH;
        self->count = 2;
    } else if (family == OPEVO_FAMILY_COMPLETE && self->size <= most) {
        self->kind = COMPLETE;
        self->count = (size_t)self->size;
    } else {
        degree = largest_degree(parameter, self->size);
        self->count = degree < most ? (size_t)degree : most;
    }
    return true;
}

/* Write down which group each move belongs to. */
static bool list_owners(opevo_i_gbfs_moves *self)
{
    self->owners = opevo_calloc(self->count + 1, sizeof *self->owners);
    if (!self->owners)
        return false;
    for (size_t i = 0; i < self->group_count; i++) {
        const group *one = &self->groups[i];

        for (size_t k = 0; k < one->count; k++)
            self->owners[one->first + k] = (uint32_t)i;
    }
    return true;
}

opevo_status opevo_i_gbfs_moves_create(const opevo_space *space, opevo_i_gbfs_moves **out,
                                       opevo_error *err)
{
    opevo_i_gbfs_moves *self = opevo_calloc(1, sizeof *self);
    size_t width = opevo_space_parameter_count(space);
    size_t most =
        MOVES_MOST / width < PARAMETER_MOVES_MOST ? MOVES_MOST / width : PARAMETER_MOVES_MOST;
    bool ok = self != NULL;

    if (ok) {
        self->space = space;
        self->group_count = width;
        self->groups = opevo_calloc(width, sizeof *self->groups);
        ok = self->groups != NULL;
    }
    for (size_t i = 0; i < width && ok; i++) {
        group *one = &self->groups[i];

        ok = make_group(one, opevo_space_parameter(space, i), most);
        one->first = self->count;
        self->count += one->count;
        self->feature_count += one->places;
    }
    if (!ok || !list_owners(self)) {
        opevo_i_gbfs_moves_destroy(self);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the moves of a policy.");
    }
    *out = self;
    return OPEVO_OK;
}

size_t opevo_i_gbfs_moves_count(const opevo_i_gbfs_moves *moves)
{
    return moves->count;
}

size_t opevo_i_gbfs_moves_feature_count(const opevo_i_gbfs_moves *moves)
{
    return moves->feature_count;
}

/* ---- Making a move ---- */

static bool move_divisor(const group *self, size_t move, opevo_index *vertex)
{
    opevo_value components[COMPONENTS_MOST];
    int64_t divisor = self->divisors[move % self->divisor_count];
    size_t pair = move / self->divisor_count;
    size_t from = pair / (self->places - 1);
    size_t to = pair % (self->places - 1);

    to += to >= from;
    opevo_parameter_value(self->parameter, *vertex, components);
    if (components[from].as.integer % divisor != 0)
        return false;
    components[from].as.integer /= divisor;
    components[to].as.integer *= divisor;
    return opevo_parameter_find(self->parameter, components, vertex);
}

/* The part `move` of the neighbours of the vertex: how many, and from which on. */
static opevo_index find_part(const group *self, size_t move, opevo_index vertex, opevo_index *first)
{
    opevo_index degree = opevo_parameter_degree(self->parameter, vertex);
    opevo_index part = degree / self->count;
    opevo_index larger = degree % self->count; /* parts with one more, the first ones */

    *first = part * move + (move < larger ? move : larger);
    return part + (move < larger);
}

/* Go to a neighbour of the part `move`, one drawn where it has several. */
static bool move_listed(const group *self, size_t move, opevo_rng *rng, opevo_index *vertex)
{
    opevo_index first = 0;
    opevo_index size = find_part(self, move, *vertex, &first);

    if (size == 0)
        return false;
    if (size > 1)
        first += opevo_rng_below_wide(rng, size);
    *vertex = opevo_parameter_neighbour(self->parameter, *vertex, first);
    return true;
}

size_t opevo_i_gbfs_moves_parameter(const opevo_i_gbfs_moves *moves, size_t move)
{
    return moves->owners[move];
}

bool opevo_i_gbfs_moves_draws(const opevo_i_gbfs_moves *moves, size_t move,
                              const opevo_index *vertices)
{
    const group *self = &moves->groups[moves->owners[move]];
    opevo_index first = 0;

    return self->kind == LISTED && vertices[moves->owners[move]] != OPEVO_INACTIVE &&
           find_part(self, move - self->first, vertices[moves->owners[move]], &first) > 1;
}

/* Move the vertex of one parameter, which is active. */
static bool move_vertex(const group *self, size_t move, opevo_rng *rng, opevo_index *vertex)
{
    opevo_index from = *vertex;

    switch (self->kind) {
    case FACTOR:
        return move_divisor(self, move, vertex);
    case PATH:
        if (move == 0 ? from == 0 : from + 1 == self->size)
            return false;
        *vertex = move == 0 ? from - 1 : from + 1;
        return true;
    case COMPLETE:
        *vertex = move;
        return move != from;
    case LISTED:
        break;
    }
    return move_listed(self, move, rng, vertex);
}

bool opevo_i_gbfs_moves_apply(const opevo_i_gbfs_moves *moves, size_t move, opevo_rng *rng,
                              opevo_index *vertices)
{
    size_t i = moves->owners[move];
    const group *self = &moves->groups[i];

    if (vertices[i] == OPEVO_INACTIVE || !move_vertex(self, move - self->first, rng, &vertices[i]))
        return false;
    opevo_space_settle(moves->space, i, vertices);
    return true;
}

/* The conversion of 128 bits is slow, and hardly ever needed. */
static double as_double(opevo_index vertex)
{
    return vertex <= UINT64_MAX ? (double)(uint64_t)vertex : (double)vertex;
}

void opevo_i_gbfs_moves_features(const opevo_i_gbfs_moves *moves, const opevo_index *vertices,
                                 float *features)
{
    for (size_t i = 0; i < moves->group_count; i++) {
        const group *one = &moves->groups[i];
        opevo_value components[COMPONENTS_MOST];

        if (vertices[i] == OPEVO_INACTIVE) {
            for (size_t k = 0; k < one->places; k++)
                *features++ = 0;
        } else if (one->product) {
            opevo_parameter_value(one->parameter, vertices[i], components);
            for (size_t k = 0; k < one->places; k++)
                *features++ =
                    (float)((double)components[k].as.integer / (double)one->product - 0.5);
        } else {
            *features++ = one->size > 1 ? (float)(as_double(vertices[i]) / one->span - 0.5) : 0;
        }
    }
}
