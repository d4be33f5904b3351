/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A pipeline: the stages that compute a computation, as a list of transform steps. The list is the
 * only way to make one, so that it can be printed, read back, changed and replayed.
 *
 * Stages are first the tensors of the computation, each by its name and in the order of its text:
 * inputs and constants have no loops, a definition has one loop for each of its axes. Steps give
 * stages by their number at the time of the step; those that add a stage put it before or after
 * another, and the numbers behind it grow.
 *
 * A stage is computed as a whole (`root`), in one iteration of a loop of a later stage
 * (`compute_at`), or wherever it is read (`inline`). The part that is computed at a loop is
 * inferred from all stages that read it there: for each dimension the smallest interval that holds
 * all indices. Loops of a stage are those of its part then: what is longer than is left of the part
 * shrinks.
 *
 * Steps, numbers of stages and of loops are those of Ansor's state, so that its records can be
 * replayed.
 *
 * Source: Zheng et al., "Ansor: Generating High-Performance Tensor Programs for Deep Learning",
 * OSDI 2020, section 4; TVM 0.8, src/auto_scheduler/transform_step.cc. */

#ifndef OPEVO_PIPELINE_H
#define OPEVO_PIPELINE_H

#include <opevo/computation.h>
#include <opevo/kernel.h>
#include <opevo/loop.h>

OPEVO_BEGIN_C

/* One row each: enum suffix, name in text, operands: S a stage, L a loop of the step's stage, M a
 * loop of the stage named before it, n an integer, s a scope, a an annotation, + one or more of
 * what comes before; and their meaning. */
#define OPEVO_PIPELINE_STEP_LIST(X)                                                                \
    X(SPLIT, "split", "Ln+", "inner loops of these lengths and an outer loop over them")           \
    X(SPLIT_OUTER, "split_outer", "Ln+", "outer loops of these lengths and an inner loop")         \
    X(FOLLOW_SPLIT, "follow_split", "Lnn",                                                         \
      "split by the lengths of an earlier step, given by its number, into so many inner loops")    \
    X(FOLLOW_FUSED_SPLIT, "follow_fused_split", "Lnnn+",                                           \
      "split by the product of the lengths at a level of earlier steps; 1: inner length, 0: "      \
      "outer")                                                                                     \
    X(FUSE, "fuse", "L+", "fuses adjacent loops, outer first")                                     \
    X(REORDER, "reorder", "L+", "all loops in this order, outer first")                            \
    X(ANNOTATE, "annotate", "La", "see opevo_annotation")                                          \
    X(EXTEND, "extend", "Ln", "pads the loop to n iterations; drops results beyond the axis")      \
    X(AUTO_UNROLL, "auto_unroll", "nn", "unrolls loops of up to n statements, as text if 1")       \
    X(COMPUTE_AT, "compute_at", "SM", "computes the stage in each iteration of a loop of another") \
    X(COMPUTE_INLINE, "inline", "", "computes each element where it is read")                      \
    X(COMPUTE_ROOT, "root", "", "computes the stage as a whole")                                   \
    X(CACHE_READ, "cache_read", "sS+", "a new stage, a copy that these stages read")               \
    X(CACHE_WRITE, "cache_write", "s", "a new stage computes it, and this one becomes a copy")     \
    X(RFACTOR, "rfactor", "Ln", "a new stage sums all but this loop, its axis of this number")     \
    X(ACCUMULATE, "accumulate", "L", "the sums of the loops inside gather in registers")           \
    X(LAYOUT, "layout", "n+",                                                                      \
      "of a copy or constant: pieces (dimension divisor), outer first, index / divisor each")      \
    X(STREAM, "stream", "", "vector stores bypass the caches: of an output that no stage reads")   \
    X(MERGE, "merge", "L",                                                                         \
      "ahead of all others: this dimension and the next one become one, in all tensors")           \
    X(DIVIDE, "divide", "Ln",                                                                      \
      "ahead of all others: this dimension becomes two, the inner one of this extent")             \
    X(STORAGE_ALIGN, "storage_align", "Lnn",                                                       \
      "pads the rows inside this dimension, so that its stride is a multiple of n plus n")         \
    X(EXACT, "exact", "",                                                                          \
      "of a copy at a loop: just what is read, and 0 where its source has nothing")                \
    X(DOUBLE_BUFFER, "double_buffer", "", "fills a shared copy one iteration ahead")               \
    X(STAGED, "staged", "", "the same by way of registers")                                        \
    X(PREFETCH, "prefetch", "n", "of a copy: fetches what lies n elements further on to caches")   \
    X(TRIM, "trim", "L", "of sums in registers: skips iterations whose results are all dropped")

typedef enum opevo_pipeline_step_kind {
#define OPEVO_PIPELINE_STEP_ENUM(suffix, name, operands, meaning) OPEVO_PIPELINE_##suffix,
    OPEVO_PIPELINE_STEP_LIST(OPEVO_PIPELINE_STEP_ENUM) OPEVO_PIPELINE_STEP_KINDS
#undef OPEVO_PIPELINE_STEP_ENUM
} opevo_pipeline_step_kind;

enum { OPEVO_PIPELINE_STAGES = 64, OPEVO_PIPELINE_NUMBERS = 48 };

/* A plain value. Stages and loops are given by their numbers at the time of the step. */
typedef struct opevo_pipeline_step {
    opevo_pipeline_step_kind kind;
    int stage;
    int count; /* of numbers */
    int64_t number[OPEVO_PIPELINE_NUMBERS];
} opevo_pipeline_step;

/* All definitions as they stand, one after the other. The computation is borrowed. Errors: LIMIT
 * for more than OPEVO_PIPELINE_STAGES tensors; NOMEM. */
opevo_status opevo_pipeline_create(const opevo_computation *computation, opevo_pipeline **out,
                                   opevo_error *err);
opevo_status opevo_pipeline_copy(const opevo_pipeline *pipeline, opevo_pipeline **out,
                                 opevo_error *err);
void opevo_pipeline_destroy(opevo_pipeline *pipeline); /* NULL is allowed */

/* Append one step. Errors, with the pipeline as before: INVALID with a sentence that says which
 * rule the step breaks; LIMIT for more loops or stages than there may be; NOMEM. */
opevo_status opevo_pipeline_apply(opevo_pipeline *pipeline, const opevo_pipeline_step *step,
                                  opevo_error *err);
size_t opevo_pipeline_step_count(const opevo_pipeline *pipeline);
/* Step `number`, from 0. Hook of tests. */
const opevo_pipeline_step *opevo_pipeline_step_get(const opevo_pipeline *pipeline, size_t number);

/* Let the kernels of a pipeline take an extent as an argument, from 1 to what the computation says:
 * that of all axes and of all dimensions of inputs with this name. Loops, tails, grids and the
 * strides of dense arrays follow from it; tile sizes, buffers and scratch memory stay those of the
 * largest value. The kernel computes what the text of the computation says with another extent of
 * the axis (opevo/computation_class.h).
 *
 * After the last merge and divide step, and before the pipeline is emitted (opevo/emit.h); several
 * axes, one by one, are the arguments in that order. Errors, with the pipeline as before: INVALID
 * for a name that no axis has or that is free already, and where a dimension of this extent is also
 * read by something else than the axis; LIMIT for more than OPEVO_KERNEL_ARGUMENTS. */
opevo_status opevo_pipeline_free_axis(opevo_pipeline *pipeline, const char *axis, opevo_error *err);

/* One line a step: "split C i 4 8 16". */
void opevo_pipeline_print(const opevo_pipeline *pipeline, opevo_text *out);
/* Read what opevo_pipeline_print wrote; empty lines and what follows a '#' count for nothing.
 * Errors: INVALID as "origin:line: sentence"; those of apply. */
opevo_status opevo_pipeline_parse(const opevo_computation *computation, const char *text,
                                  const char *origin, opevo_pipeline **out, opevo_error *err);

/* ---- Records of TVM's auto-scheduler ---- */

typedef struct opevo_record {
    opevo_pipeline *pipeline;
    double cost_s; /* mean of what was measured; NAN if nothing was, or in vain */
    int error;     /* TVM's number, 0 for none */
} opevo_record;

/* Read one line of a log, {"i": ..., "r": ..., "v": ...}, or its list of steps alone. Stages are
 * those of TVM where the text of the computation has its tensors in TVM's order: each after all
 * that it reads. The caller destroys the pipeline. Errors: INVALID, LIMIT as "origin: Step n:
 * sentence", where steps count from 0; NOMEM. Source: TVM 0.8, src/auto_scheduler/measure_record.cc
 * and transform_step.cc. */
opevo_status opevo_record_read(const opevo_computation *computation, const char *text,
                               const char *origin, opevo_record *out, opevo_error *err);
/* Append the list of steps in that format. Errors, with `out` as before: INVALID for the steps that
 * TVM does not have, such as accumulate, layout, stream and the annotation expand; NOMEM.
 * Hook of tests. */
opevo_status opevo_record_write(const opevo_pipeline *pipeline, opevo_text *out, opevo_error *err);
/* The same as a line of a log, {"i": ..., "r": ..., "v": "v0.6"}, with a line feed: of a task with
 * this key and this target of TVM, and without costs. */
opevo_status opevo_record_write_line(const opevo_pipeline *pipeline, const char *key,
                                     const char *target, opevo_text *out, opevo_error *err);

/* ---- What a pipeline looks like now ---- */

typedef enum opevo_stage_kind {
    OPEVO_STAGE_INPUT,   /* an input or constant */
    OPEVO_STAGE_DEFINED, /* its definition, all or a part of its sums */
    OPEVO_STAGE_COPY,    /* of one stage */
    OPEVO_STAGE_GATHER   /* the sum of the parts of one stage, after rfactor */
} opevo_stage_kind;

typedef enum opevo_stage_place {
    OPEVO_PLACE_ROOT,
    OPEVO_PLACE_INLINED,
    OPEVO_PLACE_AT
} opevo_stage_place;

typedef struct opevo_stage_info {
    const char *name; /* borrowed until the next step */
    opevo_stage_kind kind;
    const opevo_tensor
        *tensor; /* whose elements, or parts of sums, it holds, as merged or divided */
    opevo_scope scope;
    opevo_stage_place place;
    int at, at_loop; /* the compute_at point: a stage and its loop */
    int dims, loops; /* its axes that do not reduce; its loops */
    bool reduces;    /* whether any axis does */
    bool split;      /* whether its loops are not its axes any more */
    bool output;     /* of the computation */
} opevo_stage_info;

int opevo_pipeline_stage_count(const opevo_pipeline *pipeline);
opevo_stage_info opevo_pipeline_stage(const opevo_pipeline *pipeline, int stage);
/* Number of a stage by name, -1 if none has it. */
int opevo_pipeline_find(const opevo_pipeline *pipeline, const char *name);
opevo_loop opevo_pipeline_loop(const opevo_pipeline *pipeline, int stage, int loop);
int opevo_pipeline_find_loop(const opevo_pipeline *pipeline, int stage, const char *name);
/* The iterations of each loop of a stage as it is lowered, for the part of it that is computed at
 * its compute_at point; `out` has room for all its loops. Errors: INVALID for inputs, inlined
 * stages, and pipelines that cannot be lowered; LIMIT; NOMEM. */
opevo_status opevo_pipeline_part_extents(const opevo_pipeline *pipeline, int stage, int64_t *out,
                                         opevo_error *err);
/* Whether a stage reads another itself, not through others. */
bool opevo_pipeline_reads(const opevo_pipeline *pipeline, int reader, int stage);
/* The one that it was created for. */
const opevo_computation *opevo_pipeline_computation(const opevo_pipeline *pipeline);

OPEVO_END_C

#endif
