/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The inside of a pipeline: what its steps have made of the computation so far. */

#ifndef OPEVO_PIPELINE_INTERNAL_H
#define OPEVO_PIPELINE_INTERNAL_H

#include <opevo/pipeline.h>

#include "loops_internal.h"

/* A change of a stage's loops, to be done again on the loops of a part. */
typedef struct opevo_i_pipeline_loop_change {
    opevo_pipeline_step_kind kind; /* SPLIT, SPLIT_OUTER, EXTEND, FUSE, REORDER, ANNOTATE */
    int at, count;
    int64_t number[OPEVO_I_LOOPS]; /* lengths; order; annotation; iterations after and before */
} opevo_i_pipeline_loop_change;

enum { OPEVO_I_REDIRECTS = 16, OPEVO_I_CHANGES = 48 };

/* Stages are known by a key that does not change; the keys of tensors are their numbers. */
typedef struct opevo_i_pipeline_stage {
    char name[OPEVO_I_NAME];
    opevo_stage_kind kind;
    int tensor;
    int source; /* COPY, GATHER: the key of the stage that it reads */
    opevo_scope scope;
    int dims; /* axes that do not reduce come first */
    opevo_i_nest_loops own;
    char axis_name[OPEVO_I_AXES][OPEVO_I_NAME];
    int axis_atom[OPEVO_I_AXES]; /* stand for the axes in `map` */
    bool axis_reduces[OPEVO_I_AXES];
    opevo_i_affine
        *map;     /* DEFINED: the definition's axes in those atoms; NULL: they are the same */
    int mapped;   /* of map */
    int factored; /* GATHER: the dimension of its source that it sums over */
    /* Reads of a tensor that go to another stage than its own. */
    int redirects;
    struct {
        int tensor, key;
    } redirect[OPEVO_I_REDIRECTS];
    opevo_stage_place place;
    int at, at_loop; /* a key */
    int64_t auto_unroll;
    bool auto_unroll_explicit;
    int accumulate, trim; /* loops, -1: none */
    bool extended;        /* sums in registers go on beyond the stage */
    bool exact;           /* COPY: of just the part */
    bool double_buffer, staged;
    bool stream;      /* stores bypass the caches */
    int64_t prefetch; /* elements; 0: none */
    int pieces;       /* of a layout of its own; 0: rows */
    opevo_i_nest_piece piece[OPEVO_I_PIECES];
    int64_t align_factor[OPEVO_I_AXES], align_offset[OPEVO_I_AXES]; /* of strides; 0: dense */
    int changes;
    opevo_i_pipeline_loop_change change[OPEVO_I_CHANGES];
} opevo_i_pipeline_stage;

struct opevo_pipeline {
    const opevo_computation *given;       /* borrowed */
    const opevo_computation *computation; /* that, or with merged and divided dimensions: */
    opevo_computation *reshaped;          /* NULL for none */
    opevo_i_affine_atoms atoms;
    int stages;
    int order[OPEVO_PIPELINE_STAGES];                     /* keys by number of the stage */
    opevo_i_pipeline_stage *stage[OPEVO_PIPELINE_STAGES]; /* by key */
    opevo_pipeline_step *steps;
    size_t step_count, step_capacity;
    /* Axes whose extents are arguments of kernels, and the dimensions of inputs with such an
     * extent: the number of the argument plus 1, or 0. */
    int frees;
    opevo_axis free[OPEVO_KERNEL_ARGUMENTS]; /* names are those of the computation */
    unsigned char free_dim[OPEVO_PIPELINE_STAGES][OPEVO_COMPUTATION_DIMS];
};

static inline opevo_i_pipeline_stage *opevo_i_pipeline_at(const opevo_pipeline *pipeline,
                                                          int number)
{
    return pipeline->stage[pipeline->order[number]];
}

/* ---- pipeline_query.c ---- */

/* The type of the tensor that a stage is of, and of its copies. */
opevo_element opevo_i_pipeline_element(const opevo_pipeline *pipeline, int key);

/* The key of the stage that a definition's read of a tensor goes to. */
int opevo_i_pipeline_target(const opevo_i_pipeline_stage *reader, const opevo_tensor *tensor);
int opevo_i_pipeline_number(const opevo_pipeline *pipeline, int key);
bool opevo_i_pipeline_is_output(const opevo_pipeline *pipeline, int key);
/* INVALID: a stage has not this loop, but those that the message names. */
opevo_status opevo_i_pipeline_no_loop(const opevo_i_pipeline_stage *stage, const char *loop,
                                      opevo_error *err);
/* The same of a number. */
opevo_status opevo_i_pipeline_no_loop_at(const opevo_i_pipeline_stage *stage, int64_t loop,
                                         opevo_error *err);

/* ---- pipeline_free.c ---- */

/* The number of the argument that is the extent of an axis of a definition, or of an axis of a
 * stage, plus 1; 0 for constants. */
int opevo_i_pipeline_free_of_axis(const opevo_pipeline *pipeline,
                                  const opevo_definition *definition, int axis);
int opevo_i_pipeline_free_of(const opevo_pipeline *pipeline, const opevo_i_pipeline_stage *stage,
                             int axis);

/* ---- pipeline_loops.c ---- */

/* One change of loops. If they shrink, no loop that a split makes has more iterations than are
 * left: the lengths are those of the whole stage. */
opevo_status opevo_i_pipeline_loop_change_apply(const opevo_i_pipeline_loop_change *change,
                                                opevo_i_nest_loops *loops, bool shrink,
                                                opevo_i_affine_atoms *atoms, const char *stage,
                                                opevo_error *err);
/* Steps on loops; the compute_at points in them follow. */
opevo_status opevo_i_pipeline_change(opevo_pipeline *self, const opevo_pipeline_step *step,
                                     opevo_error *err);

/* ---- pipeline_stages.c ---- */

opevo_status opevo_i_pipeline_place(opevo_pipeline *self, const opevo_pipeline_step *step,
                                    opevo_error *err);
opevo_status opevo_i_pipeline_add(opevo_pipeline *self, const opevo_pipeline_step *step,
                                  opevo_error *err);
/* Loops as they are before all changes: one for each axis. `like` has axes and their extents. */
opevo_status opevo_i_pipeline_set_axes(opevo_pipeline *self, opevo_i_pipeline_stage *stage,
                                       int axes, const opevo_axis *axis, const bool *reduces,
                                       opevo_error *err);

/* ---- pipeline_layout.c ---- */

opevo_status opevo_i_pipeline_layout(opevo_pipeline *self, const opevo_pipeline_step *step,
                                     opevo_error *err);
opevo_status opevo_i_pipeline_storage_align(opevo_pipeline *self, const opevo_pipeline_step *step,
                                            opevo_error *err);
/* The stride of a dimension of a stage where the dimensions inside it take so many elements: the
 * least one from there on that is storage_align's multiple plus offset. */
int64_t opevo_i_pipeline_stride(const opevo_i_pipeline_stage *stage, int dim, int64_t inside);
/* The same of a piece of a layout: padding is that of the first piece of a dimension. */
int64_t opevo_i_pipeline_piece_stride(const opevo_i_pipeline_stage *stage, int piece,
                                      int64_t inside);
/* A piece of the layout of a stage, or part of it, with these extents. */
opevo_i_nest_piece opevo_i_pipeline_piece(const opevo_i_pipeline_stage *stage, int piece,
                                          const int64_t *extent);

#endif
