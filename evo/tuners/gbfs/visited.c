/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The table of visited points, with the targets of moves filled in as they are made. */

#include "visited_internal.h"

#include <opevo/diagram.h>
#include <opevo/hash.h>
#include <opevo/memory.h>

enum {
    NUMBERS_MOST = 1 << 22, /* in the tables: 16 to 32 MB */
    NO_PLACE = UINT32_MAX / 2
};

struct opevo_i_gbfs_visited {
    const opevo_space *space;
    const opevo_diagram *diagram; /* that makes allowed points of moves; NULL: none */
    const opevo_i_gbfs_moves *moves;
    size_t move_count;
    size_t feature_count;
    opevo_index *strides; /* of the vertices in the number of a point */
    opevo_index_map *numbers;

    size_t count;
    size_t place_capacity;
    opevo_i_gbfs_visited_point *places;
    size_t target_capacity;
    uint32_t *targets; /* move_count for each place: where a move leads, itself for nowhere;
                        * NO_PLACE: it was not made yet, or is drawn each time */
    size_t feature_capacity;
    float *features; /* feature_count for each place */

    uint32_t decoded; /* the place that `vertices` belongs to */
    opevo_index *vertices;
};

opevo_i_gbfs_visited *opevo_i_gbfs_visited_create(const opevo_space *space,
                                                  const opevo_i_gbfs_moves *moves)
{
    opevo_i_gbfs_visited *self = opevo_calloc(1, sizeof *self);
    size_t width = opevo_space_parameter_count(space);
    opevo_index stride = 1;

    if (!self)
        return NULL;
    self->space = space;
    self->diagram = opevo_space_draws_from(space);
    self->moves = moves;
    self->move_count = opevo_i_gbfs_moves_count(moves);
    self->feature_count = opevo_i_gbfs_moves_feature_count(moves);
    self->decoded = NO_PLACE;
    self->strides = opevo_malloc(width, sizeof *self->strides);
    self->vertices = opevo_malloc(width, sizeof *self->vertices);
    self->numbers = opevo_index_map_create();
    if (!self->strides || !self->vertices || !self->numbers) {
        opevo_i_gbfs_visited_destroy(self);
        return NULL;
    }
    for (size_t i = width; i-- > 0;) {
        self->strides[i] = stride;
        stride *= opevo_parameter_size(opevo_space_parameter(space, i));
    }
    return self;
}

void opevo_i_gbfs_visited_destroy(opevo_i_gbfs_visited *places)
{
    if (!places)
        return;
    opevo_index_map_destroy(places->numbers);
    opevo_free(places->strides);
    opevo_free(places->vertices);
    opevo_free(places->places);
    opevo_free(places->targets);
    opevo_free(places->features);
    opevo_free(places);
}

bool opevo_i_gbfs_visited_trim(opevo_i_gbfs_visited *places)
{
    if (places->count * (places->move_count + places->feature_count) <= NUMBERS_MOST)
        return false;
    /* What the map says of a point counts only while the place of that number is the point's. */
    places->count = 0;
    places->decoded = NO_PLACE;
    return true;
}

opevo_status opevo_i_gbfs_visited_find(opevo_i_gbfs_visited *places, opevo_index point,
                                       uint32_t *place, opevo_error *err)
{
    opevo_i_gbfs_visited *self = places;
    uint64_t number = 0;

    if (opevo_index_map_get(self->numbers, point, &number) && number < self->count &&
        self->places[number].point == point) {
        *place = (uint32_t)number;
        return OPEVO_OK;
    }
    OPEVO_NEED_OR_RETURN(
        opevo_reserve((void **)&self->places, &self->place_capacity, self->count + 1,
                      sizeof *self->places) &&
            opevo_reserve((void **)&self->targets, &self->target_capacity, self->count + 1,
                          self->move_count * sizeof *self->targets) &&
            opevo_reserve((void **)&self->features, &self->feature_capacity, self->count + 1,
                          self->feature_count * sizeof *self->features) &&
            opevo_index_map_put(self->numbers, point, self->count),
        "another place");
    self->places[self->count] = (opevo_i_gbfs_visited_point){.point = point};
    for (size_t i = 0; i < self->move_count; i++)
        self->targets[self->count * self->move_count + i] = NO_PLACE;
    *place = (uint32_t)self->count++;
    return OPEVO_OK;
}

opevo_i_gbfs_visited_point *opevo_i_gbfs_visited_at(opevo_i_gbfs_visited *places, uint32_t place)
{
    return &places->places[place];
}

/* Have the place's vertices in `vertices`. */
static void decode(opevo_i_gbfs_visited *self, uint32_t place)
{
    if (self->decoded != place)
        opevo_space_decode(self->space, self->places[place].point, self->vertices);
    self->decoded = place;
}

const float *opevo_i_gbfs_visited_features(opevo_i_gbfs_visited *places, uint32_t place)
{
    float *features = places->features + place * places->feature_count;

    if (!places->places[place].featured) {
        decode(places, place);
        opevo_i_gbfs_moves_features(places->moves, places->vertices, features);
        places->places[place].featured = true;
    }
    return features;
}

/* Make a move that is not in the table. */
static opevo_status make_move(opevo_i_gbfs_visited *self, uint32_t from, size_t move,
                              opevo_rng *rng, uint32_t *to, opevo_error *err)
{
    size_t changed = opevo_i_gbfs_moves_parameter(self->moves, move);
    opevo_index point = self->places[from].point;
    opevo_index before = 0;
    bool drawn = false;
    opevo_status status = OPEVO_OK;

    decode(self, from);
    before = self->vertices[changed];
    drawn = opevo_i_gbfs_moves_draws(self->moves, move, self->vertices);
    *to = from;
    if (!opevo_i_gbfs_moves_apply(self->moves, move, rng, self->vertices)) {
        /* it leads nowhere */
    } else if (self->diagram || !opevo_space_has_strides(self->space)) {
        if (self->diagram)
            opevo_diagram_settle(self->diagram, self->vertices);
        point = opevo_space_encode(self->space, self->vertices);
        self->decoded = NO_PLACE; /* more than one of the vertices may have changed */
        status = opevo_i_gbfs_visited_find(self, point, to, err);
    } else {
        /* Unsigned numbers wrap, so that the difference may be negative. */
        point += (self->vertices[changed] - before) * self->strides[changed];
        self->vertices[changed] = before;
        status = opevo_i_gbfs_visited_find(self, point, to, err);
    }
    if (!drawn && status == OPEVO_OK)
        self->targets[from * self->move_count + move] = *to;
    return status;
}

opevo_status opevo_i_gbfs_visited_move(opevo_i_gbfs_visited *places, uint32_t from, size_t move,
                                       opevo_rng *rng, uint32_t *to, opevo_error *err)
{
    *to = places->targets[from * places->move_count + move];
    return *to == NO_PLACE ? make_move(places, from, move, rng, to, err) : OPEVO_OK;
}
