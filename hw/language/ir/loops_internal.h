/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Loops that steps change, and what each axis is in terms of them. */

#ifndef OPEVO_LOOPS_INTERNAL_H
#define OPEVO_LOOPS_INTERNAL_H

#include <opevo/loop.h>
#include <opevo/status.h>

#include "affine_internal.h"

enum {
    OPEVO_I_DIMS = 6,
    OPEVO_I_AXES = 16,
    OPEVO_I_LOOPS = 48,
    OPEVO_I_PIECES = 8,
    OPEVO_I_NAME = 56
};

typedef struct opevo_i_nest_loop {
    char name[OPEVO_I_NAME];
    int atom;
    int64_t extent;
    bool reduces;
    bool inner; /* iterations beyond its extent would be those of another one of a loop around it */
    opevo_annotation annotation;
} opevo_i_nest_loop;

/* Loops, and what each axis is in terms of them. */
typedef struct opevo_i_nest_loops {
    int axes;
    int64_t axis_extent[OPEVO_I_AXES];
    opevo_i_affine axis[OPEVO_I_AXES];
    int loops;
    opevo_i_nest_loop loop[OPEVO_I_LOOPS];
} opevo_i_nest_loops;

/* Words of texts (loops.c), and the place of one among them, -1 for none. */
extern const char *const opevo_i_nest_annotation_names[OPEVO_ANNOTATION_COUNT];
extern const char *const opevo_i_nest_scope_names[OPEVO_SCOPE_COUNT];
int opevo_i_nest_find_word(const char *const *names, int count, const char *name);

/* Errors: INVALID and LIMIT with a sentence, for loops of the stage of that name; NOMEM; the loops
 * may then be spoilt. */
opevo_status opevo_i_nest_loops_add(opevo_i_nest_loops *self, opevo_i_affine_atoms *atoms,
                                    const char *name, int64_t extent, bool reduces,
                                    opevo_error *err);
/* The loop among the first `count` that threads divide, or NULL. */
const opevo_i_nest_loop *opevo_i_nest_loops_parallel(const opevo_i_nest_loops *self, int count);
/* That threads may divide the loop: INVALID where they divide another one already. */
opevo_status opevo_i_nest_loops_check_parallel(const opevo_i_nest_loops *self, int at,
                                               opevo_error *err);
/* Whether two iterations of loop `at`, with those inside it, may be of one element, as they are
 * where an inner loop of an axis was split unevenly; true where it does not show. */
bool opevo_i_nest_loops_meet(const opevo_i_nest_loops *self, const opevo_i_affine_atoms *atoms,
                             int at);
/* A loop becomes inner loops of `count` lengths and one around them. They may have more iterations
 * than the loop; but not where elements are sums and the loop is an inner one itself, since terms
 * would be added twice. */
opevo_status opevo_i_nest_loops_split(opevo_i_nest_loops *self, opevo_i_affine_atoms *atoms,
                                      const char *stage, int at, int count, const int64_t *lengths,
                                      opevo_error *err);
/* The loop gets `extent` iterations, those beyond its own among them. */
opevo_status opevo_i_nest_loops_extend(opevo_i_nest_loops *self, opevo_i_affine_atoms *atoms,
                                       const char *stage, int at, int64_t extent, opevo_error *err);
opevo_status opevo_i_nest_loops_fuse(opevo_i_nest_loops *self, opevo_i_affine_atoms *atoms,
                                     const char *stage, int at, int count, opevo_error *err);
opevo_status opevo_i_nest_loops_reorder(opevo_i_nest_loops *self, const char *stage, int count,
                                        const int64_t *order, opevo_error *err);

/* (index / divisor) % extent, without the remainder for the outermost piece of a dimension. */
typedef struct opevo_i_nest_piece {
    int dim;
    int64_t divisor, extent, stride;
    bool outermost;
} opevo_i_nest_piece;

static inline bool opevo_i_nest_is_block(opevo_annotation a)
{
    return a >= OPEVO_ANNOTATION_BLOCK_X && a <= OPEVO_ANNOTATION_BLOCK_Z;
}
static inline bool opevo_i_nest_is_thread(opevo_annotation a)
{
    return a >= OPEVO_ANNOTATION_THREAD_X && a <= OPEVO_ANNOTATION_THREAD_Z;
}

#endif
