/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Nearest values by looking at all of them; nearest allowed points by breadth first search. */

#include <opevo/nearest.h>

#include <opevo/hash.h>
#include <opevo/memory.h>

#include "space_internal.h"

#include <math.h>
#include <string.h>

enum { LOOKED_AT_MOST = 1 << 20, SEARCHED_MOST = 1 << 14, ARITY_MOST = 64 };

/* ---- Values --------------------------------------------------------------------------------- */

static double factor_distance(const opevo_value *a, const opevo_value *b, size_t arity)
{
    double sum = 0;
    double inner = 0; /* log2 P_k - log2 Q_k */

    for (size_t k = arity; k-- > 1;) {
        inner += log2(opevo_value_number(a[k])) - log2(opevo_value_number(b[k]));
        sum += ldexp(inner * inner, (int)k);
    }
    return sum;
}

/* INFINITY where the values have nothing in common. */
static double number_distance(const opevo_value *a, const opevo_value *b)
{
    double x = opevo_value_number(*a);
    double y = opevo_value_number(*b);

    if (a->kind > OPEVO_VALUE_REAL || b->kind > OPEVO_VALUE_REAL || signbit(x) != signbit(y))
        return INFINITY;
    return fabs(log2(1 + fabs(x)) - log2(1 + fabs(y)));
}

bool opevo_parameter_nearest(const opevo_parameter *parameter, const opevo_value *wanted,
                             opevo_index *vertex)
{
    size_t arity = opevo_parameter_arity(parameter);
    bool factor = !strcmp(opevo_parameter_type(parameter), "factor");
    opevo_index size = opevo_parameter_size(parameter);
    double nearest = INFINITY;

    if (opevo_parameter_find(parameter, wanted, vertex))
        return true;
    if (size > LOOKED_AT_MOST || arity > ARITY_MOST || (!factor && arity > 1))
        return false;
    for (opevo_index v = 0; v < size; v++) {
        opevo_value value[ARITY_MOST];
        double distance = 0;

        opevo_parameter_value(parameter, v, value);
        distance = factor ? factor_distance(value, wanted, arity) : number_distance(value, wanted);
        if (distance < nearest) {
            nearest = distance;
            *vertex = v;
        }
    }
    return nearest < INFINITY;
}

/* A point of the space that values come from. */
typedef struct source {
    const opevo_space *space;
    opevo_index vertices[OPEVO_SPACE_PARAMETERS_MAX];
} source;

/* The active parameter of the source with the key of a parameter of `space` and as many components,
 * SIZE_MAX without one. */
static size_t find_source(const source *from, const opevo_space *space, size_t i)
{
    const char *key = opevo_i_topology_branch_key(space, i);
    size_t arity = opevo_parameter_arity(opevo_space_parameter(space, i));

    for (size_t k = 0; k < opevo_space_parameter_count(from->space) && arity <= ARITY_MOST; k++) {
        if (from->vertices[k] != OPEVO_INACTIVE &&
            strcmp(opevo_i_topology_branch_key(from->space, k), key) == 0 &&
            opevo_parameter_arity(opevo_space_parameter(from->space, k)) == arity)
            return k;
    }
    return SIZE_MAX;
}

/* How much the branch of a value has in common with the source: its own parameters found there,
 * less those that are not. */
static int64_t score_branch(const source *from, const opevo_space *space, size_t parent,
                            opevo_index value)
{
    int64_t score = 0;

    for (size_t i = parent + 1; i < opevo_space_parameter_count(space); i++) {
        opevo_activation when = opevo_space_activation(space, i);

        if (when.parent == parent && when.value == value)
            score += find_source(from, space, i) == SIZE_MAX ? -1 : 1;
    }
    return score;
}

static bool has_branches(const opevo_space *space, size_t parent)
{
    for (size_t i = parent + 1; i < opevo_space_parameter_count(space); i++) {
        if (opevo_space_activation(space, i).parent == parent)
            return true;
    }
    return false;
}

/* The branch that has most in common with the source. Branches with equally much are taken to stand
 * in the same order in both spaces. */
static opevo_index choose_branch(const source *from, const opevo_space *space, size_t parent)
{
    size_t other = find_source(from, space, parent);
    opevo_index size = opevo_parameter_size(opevo_space_parameter(space, parent));
    int64_t most = INT64_MIN;
    opevo_index best = 0;
    size_t before = 0; /* branches of the source that are like its own */

    if (other != SIZE_MAX && has_branches(from->space, other)) {
        opevo_index chosen = from->vertices[other];
        int64_t score = score_branch(from, from->space, other, chosen);

        for (opevo_index v = 0; v < chosen; v++)
            before += score_branch(from, from->space, other, v) == score;
    }
    for (opevo_index v = 0; v < size; v++) {
        int64_t score = score_branch(from, space, parent, v);

        most = score > most ? score : most;
    }
    for (opevo_index v = 0; v < size; v++) {
        if (score_branch(from, space, parent, v) != most)
            continue;
        best = v;
        if (before-- == 0)
            break;
    }
    return best;
}

size_t opevo_space_carry(const opevo_space *from, opevo_index point, const opevo_space *space,
                         opevo_index *vertices)
{
    source self = {.space = from};
    size_t found = 0;

    opevo_space_decode(from, point, self.vertices);
    for (size_t i = 0; i < opevo_space_parameter_count(space); i++) {
        const opevo_parameter *parameter = opevo_space_parameter(space, i);
        size_t other = find_source(&self, space, i);
        opevo_value value[ARITY_MOST];

        if (!opevo_space_is_active(space, i, vertices))
            continue;
        if (has_branches(space, i)) {
            vertices[i] = choose_branch(&self, space, i);
            opevo_space_settle(space, i, vertices);
        } else if (other != SIZE_MAX) {
            opevo_parameter_value(opevo_space_parameter(from, other), self.vertices[other], value);
            found += opevo_parameter_nearest(parameter, value, &vertices[i]);
        }
    }
    return found;
}

/* ---- Points --------------------------------------------------------------------------------- */

typedef struct search {
    const opevo_space *space;
    opevo_index_set *met;
    opevo_index *queue; /* SEARCHED_MOST */
    size_t count;
    bool switches; /* to other branches */
} search;

static opevo_status meet(search *self, opevo_index point, opevo_error *err)
{
    if (self->count == SEARCHED_MOST || opevo_index_set_has(self->met, point))
        return OPEVO_OK;
    OPEVO_NEED_OR_RETURN(opevo_index_set_add(self->met, point), "looking for an allowed point");
    self->queue[self->count++] = point;
    return OPEVO_OK;
}

static opevo_status meet_neighbours(search *self, opevo_index point, opevo_error *err)
{
    opevo_index vertices[OPEVO_SPACE_PARAMETERS_MAX];
    opevo_status status = OPEVO_OK;

    opevo_space_decode(self->space, point, vertices);
    for (size_t i = 0; i < opevo_space_parameter_count(self->space); i++) {
        const opevo_parameter *parameter = opevo_space_parameter(self->space, i);
        opevo_index vertex = vertices[i];
        bool moves = vertex != OPEVO_INACTIVE && (self->switches || !has_branches(self->space, i));
        opevo_index degree = moves ? opevo_parameter_degree(parameter, vertex) : 0;

        for (opevo_index k = 0; k < degree && self->count < SEARCHED_MOST; k++) {
            vertices[i] = opevo_parameter_neighbour(parameter, vertex, k);
            OPEVO_TRY(meet(self, opevo_space_encode(self->space, vertices), err));
        }
        vertices[i] = vertex;
    }
cleanup:
    return status;
}

/* Breadth first from a point, in its own branches or with moves to others. */
static opevo_status find_allowed(const opevo_space *space, bool switches,
                                 const opevo_index *vertices, bool *found, opevo_index *point,
                                 opevo_error *err)
{
    search self = {.space = space, .met = opevo_index_set_create(), .switches = switches};
    opevo_status status = OPEVO_OK;

    *found = false;
    self.queue = opevo_malloc(SEARCHED_MOST, sizeof *self.queue);
    OPEVO_NEED(self.met && self.queue, "looking for an allowed point");
    OPEVO_TRY(meet(&self, opevo_space_encode(space, vertices), err));
    for (size_t i = 0; i < self.count && !*found; i++) {
        *found = opevo_space_allows(space, self.queue[i]);
        if (*found)
            *point = self.queue[i];
        else
            OPEVO_TRY(meet_neighbours(&self, self.queue[i], err));
    }
cleanup:
    opevo_index_set_destroy(self.met);
    opevo_free(self.queue);
    return status;
}

opevo_status opevo_space_nearest_allowed(const opevo_space *space, const opevo_index *vertices,
                                         bool *found, opevo_index *point, opevo_error *err)
{
    opevo_status status = find_allowed(space, false, vertices, found, point, err);

    if (status == OPEVO_OK && !*found && opevo_space_has_branches(space))
        status = find_allowed(space, true, vertices, found, point, err);
    return status;
}
