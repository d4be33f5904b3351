/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Points that episodes have passed, and where moves lead from them. Episodes go over the same few
 * points again and again; a move that was made once costs a look into a table. */

#ifndef OPEVO_PLACES_INTERNAL_H
#define OPEVO_PLACES_INTERNAL_H

#include <opevo/hash.h>
#include <opevo/random.h>
#include <opevo/space.h>

#include "moves_internal.h"

typedef struct opevo_i_place {
    opevo_index point;
    uint64_t row;  /* the user's; 0 at first */
    bool settled;  /* the user's; false at first */
    bool featured; /* whether its features are known */
} opevo_i_place;

enum {
    OPEVO_I_PLACES_MOST = 1 << 22, /* numbers in the tables: 16 to 32 MB */
    OPEVO_I_NO_PLACE = UINT32_MAX / 2
};

/* Here for the functions below that every step of an episode calls. */
typedef struct opevo_i_places {
    const opevo_space *space;
    const opevo_i_moves *moves;
    size_t move_count;
    size_t feature_count;
    opevo_index *strides; /* of the vertices in the number of a point */
    opevo_index_map *numbers;

    size_t count;
    size_t place_capacity;
    opevo_i_place *places;
    size_t target_capacity;
    uint32_t *targets; /* move_count for each place: where a move leads, itself for nowhere;
                        * NO_PLACE: it was not made yet, or is drawn each time */
    size_t feature_capacity;
    float *features; /* feature_count for each place */

    uint32_t decoded; /* the place that `vertices` belongs to */
    opevo_index *vertices;
} opevo_i_places;

/* `space` and `moves` must outlive it. NULL without memory. */
opevo_i_places *opevo_i_places_create(const opevo_space *space, const opevo_i_moves *moves);
void opevo_i_places_destroy(opevo_i_places *places);

void opevo_i_places_forget(opevo_i_places *places);
/* Forget all places if they hold more than a fixed amount of memory; whether they are forgotten. */
static inline bool opevo_i_places_trim(opevo_i_places *places)
{
    if (places->count * (places->move_count + places->feature_count) <= OPEVO_I_PLACES_MOST)
        return false;
    opevo_i_places_forget(places);
    return true;
}

/* The number of a point's place, made if need be. Errors: NOMEM. */
opevo_status opevo_i_places_find(opevo_i_places *places, opevo_index point, uint32_t *place,
                                 opevo_error *err);
/* The place of a number; until the next place is made. */
static inline opevo_i_place *opevo_i_places_at(opevo_i_places *places, uint32_t place)
{
    return &places->places[place];
}
/* The features of its point, as opevo_i_moves_features gives them; until the next place is made. */
const float *opevo_i_places_features(opevo_i_places *places, uint32_t place);

/* The same as opevo_i_places_move, where the table does not tell. */
opevo_status opevo_i_places_make(opevo_i_places *places, uint32_t from, size_t move, opevo_rng *rng,
                                 uint32_t *to, opevo_error *err);

/* Make a move; *to is `from` where it leads nowhere. It draws from `rng` what opevo_i_moves_apply
 * does. Errors: NOMEM. */
static inline opevo_status opevo_i_places_move(opevo_i_places *places, uint32_t from, size_t move,
                                               opevo_rng *rng, uint32_t *to, opevo_error *err)
{
    *to = places->targets[from * places->move_count + move];
    return *to == OPEVO_I_NO_PLACE ? opevo_i_places_make(places, from, move, rng, to, err)
                                   : OPEVO_OK;
}

#endif
