/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The inside of a schedule: what its steps have made of the operator so far. */

#ifndef OPEVO_SCHEDULE_INTERNAL_H
#define OPEVO_SCHEDULE_INTERNAL_H

#include <opevo/schedule.h>

#include "affine_internal.h"

enum {
    OPEVO_I_DIMS = 6,
    OPEVO_I_AXES = 16,
    OPEVO_I_LOOPS = 48,
    OPEVO_I_STAGES = 10,
    OPEVO_I_PIECES = 8,
    OPEVO_I_NAME = 56
};

/* A tensor of the operator. Its index in dimension d is offset[d] + sum over the axes of
 * factor[d][axis] times the axis; outside 0 .. extent[d] - 1 it reads as 0. */
typedef struct opevo_i_nest_tensor {
    int dims;
    int64_t extent[OPEVO_I_DIMS];
    int64_t offset[OPEVO_I_DIMS];
    int64_t factor[OPEVO_I_DIMS][OPEVO_I_AXES];
} opevo_i_nest_tensor;

/* The last tensor is the sum over the reducing axes of the product of the others. */
typedef struct opevo_i_nest_compute {
    int axes;
    char axis_name[OPEVO_I_AXES];
    int64_t axis_extent[OPEVO_I_AXES];
    bool axis_reduces[OPEVO_I_AXES];
    int output; /* number of the last tensor, and of the stage that computes it */
    opevo_i_nest_tensor tensor[OPEVO_OPERANDS];
} opevo_i_nest_compute;

/* Errors: LIMIT for shapes too large; INVALID for an operator that is not one sum of products of
 * all its inputs. */
opevo_status opevo_i_nest_compute_of(const opevo_operator *op, opevo_i_nest_compute *out,
                                     opevo_error *err);

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

/* Words of texts (schedule_text.c), and the place of one among them, -1 for none. */
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
/* Every axis with `value` in the place of a loop's atom. */
opevo_status opevo_i_nest_loops_replace(opevo_i_nest_loops *self, opevo_i_affine_atoms *atoms,
                                        const char *stage, int atom, const opevo_i_affine *value,
                                        opevo_error *err);
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

typedef enum opevo_i_nest_stage_kind {
    OPEVO_I_TENSOR,
    OPEVO_I_COMPUTE,
    OPEVO_I_CACHE_READ,
    OPEVO_I_CACHE_WRITE
} opevo_i_nest_stage_kind;

typedef struct opevo_i_nest_stage {
    opevo_i_nest_stage_kind kind;
    char name[OPEVO_I_NAME];
    int tensor; /* number of the operand */
    int source; /* CACHE_READ: the stage that is copied */
    opevo_scope scope;
    int attached; /* the compute_at point: a loop of C, -1 before */

    /* The axes of a read copy are the dimensions of its tensor; those of a written copy are the
     * non-reduction loops of C inside its compute_at point. */
    opevo_i_nest_loops own;

    /* Of a read copy: dimension d holds the indices base[d] + step[d] e for e below
     * axis_extent[d]. Of a written one: the atoms of the loops that its axes stand for. */
    opevo_i_affine base[OPEVO_I_DIMS];
    int64_t step[OPEVO_I_DIMS];
    int origin[OPEVO_I_AXES];
    int vthreads;   /* each virtual thread has its own copy in registers */
    int vthread[3]; /* atoms */
    int pieces;     /* of a tensor 0, unless it has a layout of its own */
    opevo_i_nest_piece piece[OPEVO_I_PIECES];
    int64_t pitch;    /* unused elements after the innermost ... */
    int pitch_pieces; /* ... this many pieces */
    int64_t prefetch; /* elements; 0: none */
    bool double_buffer, staged, stream;
    bool trimmed;
    int trim; /* the axis, where it is trimmed */
} opevo_i_nest_stage;

struct opevo_schedule {
    opevo_operator op;
    opevo_i_nest_compute compute;
    opevo_i_affine_atoms atoms;
    int stages;
    opevo_i_nest_stage stage[OPEVO_I_STAGES];
    int64_t auto_unroll;
    bool auto_unroll_explicit;
    opevo_step *steps;
    size_t step_count, step_capacity;
};

/* A copy without the list of steps, NULL without memory. */
opevo_schedule *opevo_i_nest_schedule_clone(const opevo_schedule *schedule);
/* Index of a tensor in one dimension in terms of the loops of C. */
opevo_i_affine opevo_i_nest_schedule_index(const opevo_schedule *schedule, int tensor, int dim);
/* Element of a tensor or of a copy that is read that has an index of the tensor, one expression for
 * each dimension; of a copy that is written, with one for each axis. */
opevo_i_affine opevo_i_nest_schedule_address(opevo_schedule *schedule,
                                             const opevo_i_nest_stage *stage,
                                             const opevo_i_affine *index);
/* Index of a tensor in one dimension for the element of a copy at `axis`. */
opevo_i_affine opevo_i_nest_schedule_copied(opevo_schedule *schedule,
                                            const opevo_i_nest_stage *stage, int dim,
                                            const opevo_i_affine *axis);
/* Work out part, axes, loops and layout of a copy attached at a loop of C. */
opevo_status opevo_i_nest_schedule_attach(opevo_schedule *schedule, opevo_i_nest_stage *stage,
                                          int loop, opevo_error *err);
/* Strides of the pieces, innermost last. */
void opevo_i_nest_schedule_strides(opevo_i_nest_stage *stage);
/* Indices of a dimension that a layout has room for. */
int64_t opevo_i_nest_stage_room(const opevo_i_nest_stage *stage, int dim);
/* Elements of one copy, virtual threads not counted. */
int64_t opevo_i_nest_stage_size(const opevo_i_nest_stage *stage);

/* One step each, on a copy of the stage that replaces it only when all went well (add_copy: makes a
 * stage). Errors: those of opevo_schedule_apply. schedule_loops.c: */
opevo_status opevo_i_nest_step_take_loop(const opevo_i_nest_stage *stage, const opevo_step *step,
                                         int *loop, opevo_error *err);
opevo_status opevo_i_nest_step_split(opevo_schedule *self, opevo_i_nest_stage *stage,
                                     const opevo_step *step, opevo_error *err);
opevo_status opevo_i_nest_step_extend(opevo_schedule *self, opevo_i_nest_stage *stage,
                                      const opevo_step *step, opevo_error *err);
opevo_status opevo_i_nest_step_fuse(opevo_schedule *self, opevo_i_nest_stage *stage,
                                    const opevo_step *step, opevo_error *err);
opevo_status opevo_i_nest_step_annotate(opevo_i_nest_stage *stage, const opevo_step *step,
                                        opevo_error *err);
/* schedule_copies.c: */
opevo_status opevo_i_nest_step_add_copy(opevo_schedule *self, const opevo_step *step,
                                        opevo_error *err);
opevo_status opevo_i_nest_step_attach(opevo_schedule *self, opevo_i_nest_stage *stage,
                                      const opevo_step *step, opevo_error *err);
opevo_status opevo_i_nest_step_lay_out(const opevo_schedule *self, opevo_i_nest_stage *stage,
                                       const opevo_step *step, opevo_error *err);
opevo_status opevo_i_nest_step_set_flag(opevo_i_nest_stage *stage, const opevo_step *step,
                                        opevo_error *err);

static inline bool opevo_i_nest_is_block(opevo_annotation a)
{
    return a >= OPEVO_ANNOTATION_BLOCK_X && a <= OPEVO_ANNOTATION_BLOCK_Z;
}
static inline bool opevo_i_nest_is_thread(opevo_annotation a)
{
    return a >= OPEVO_ANNOTATION_THREAD_X && a <= OPEVO_ANNOTATION_THREAD_Z;
}

#endif
