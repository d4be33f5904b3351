/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Points that episodes have passed, and where moves lead from them. Episodes go over the same few
 * points again and again; a move that was made once costs a look into a table. */

#ifndef OPEVO_VISITED_INTERNAL_H
#define OPEVO_VISITED_INTERNAL_H

#include <opevo/random.h>
#include <opevo/space.h>

#include "moves_internal.h"

typedef struct opevo_i_gbfs_visited opevo_i_gbfs_visited;

typedef struct opevo_i_gbfs_visited_point {
    opevo_index point;
    uint64_t row;  /* the user's; 0 at first */
    bool settled;  /* the user's; false at first */
    bool featured; /* whether its features are known */
} opevo_i_gbfs_visited_point;

/* `space` and `moves` must outlive it. NULL without memory. */
opevo_i_gbfs_visited *opevo_i_gbfs_visited_create(const opevo_space *space,
                                                  const opevo_i_gbfs_moves *moves);
void opevo_i_gbfs_visited_destroy(opevo_i_gbfs_visited *places);

/* Forget all places if they hold more than a fixed amount of memory; whether they are forgotten. */
bool opevo_i_gbfs_visited_trim(opevo_i_gbfs_visited *places);

/* The number of a point's place, made if need be. Errors: NOMEM. */
opevo_status opevo_i_gbfs_visited_find(opevo_i_gbfs_visited *places, opevo_index point,
                                       uint32_t *place, opevo_error *err);
/* The place of a number; until the next place is made. */
opevo_i_gbfs_visited_point *opevo_i_gbfs_visited_at(opevo_i_gbfs_visited *places, uint32_t place);
/* The features of its point, as opevo_i_gbfs_moves_features gives them; until the next place is
 * made. */
const float *opevo_i_gbfs_visited_features(opevo_i_gbfs_visited *places, uint32_t place);

/* Make a move; *to is `from` where it leads nowhere. It draws from `rng` what
 * opevo_i_gbfs_moves_apply does. Errors: NOMEM. */
opevo_status opevo_i_gbfs_visited_move(opevo_i_gbfs_visited *places, uint32_t from, size_t move,
                                       opevo_rng *rng, uint32_t *to, opevo_error *err);

#endif
