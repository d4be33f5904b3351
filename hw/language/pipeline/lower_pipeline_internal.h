/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the files that lower pipelines share. */

#ifndef OPEVO_LOWER_PIPELINE_INTERNAL_H
#define OPEVO_LOWER_PIPELINE_INTERNAL_H

#include "nest_internal.h"
#include "pipeline_internal.h"

/* A stage as it is computed: its part, the loops over it, and where it lies. */
typedef struct opevo_i_pipeline_part {
    opevo_i_nest_loops own;
    /* The indices of the part are base[d] + step[d] own.axis[d]; `value` is that of every axis. */
    opevo_i_affine base[OPEVO_I_AXES], value[OPEVO_I_AXES];
    int64_t step[OPEVO_I_AXES];
    opevo_i_affine
        turn; /* of the loop that it is computed at; decides the half of a double buffer */
    opevo_i_nest_guards bound; /* threads beyond those that the stage needs do nothing */
    opevo_scope scope;
    int launch; /* of the stages that are computed as a whole, the one that it is computed with */
    int buffer;
    int64_t extent[OPEVO_I_AXES]; /* of the buffer */
    /* Numbers of the arguments that are extents of its axes, plus 1; 0 for constants. */
    int free[OPEVO_I_AXES];
    int staging;    /* buffer of a staged copy in registers; 0: none yet */
    int vthreads;   /* each virtual thread has its own copy in registers */
    int vthread[3]; /* atoms */

    /* While readers are looked at: the smallest interval around `fixed` of all indices, which are
     * `spacing` apart or a multiple of it; and how many indices readers need that do not go on
     * beyond what they define. */
    bool seen, whole[OPEVO_I_AXES];
    opevo_i_affine fixed[OPEVO_I_AXES];
    int64_t least[OPEVO_I_AXES], most[OPEVO_I_AXES], spacing[OPEVO_I_AXES], needed[OPEVO_I_AXES];
} opevo_i_pipeline_part;

/* The loop that an atom is: of a stage, by its key. */
typedef struct opevo_i_pipeline_owner {
    int key, loop;
} opevo_i_pipeline_owner;

/* Failures are remembered here and looked at once, in the end. */
typedef struct opevo_i_pipeline_lowering {
    const opevo_pipeline *pipeline;
    opevo_i_nest *nest;
    opevo_i_pipeline_part *part[OPEVO_PIPELINE_STAGES]; /* by key; NULL where inlined */
    opevo_i_pipeline_owner *owner; /* by atom; -1 for what is not a loop any more */
    size_t owners, owner_capacity;
    bool exact; /* whether copies may be of just their part */
    int buffers;
    int vthreads; /* of the stages around */
    struct {
        int atom;
        int64_t extent;
    } vthread[3];
    opevo_status status;
    opevo_error *err;
} opevo_i_pipeline_lowering;

#define OPEVO_I_PIPELINE_REFUSE(self, kind, ...)                                                   \
    do {                                                                                           \
        if ((self)->status == OPEVO_OK)                                                            \
            (self)->status = OPEVO_FAIL((self)->err, OPEVO_##kind, __VA_ARGS__);                   \
    } while (0)

/* The files that lower, each using those before it only: lower_indices, lower_values,
 * lower_arguments, lower_masks, lower_statements, lower_threads, lower_parts, lower_prepare,
 * lower_leaves,
 * lower_sums, lower_trim, lower_ahead, lower_pipeline. */

/* ---- lower_indices.c ---- */

/* An integer of a definition's axes, and how much one is above another. */
void opevo_i_pipeline_whole(opevo_i_pipeline_lowering *self, const opevo_affine *a,
                            const opevo_i_affine *axis, opevo_i_affine *out);
void opevo_i_pipeline_difference(opevo_i_pipeline_lowering *self, const opevo_affine *a,
                                 const opevo_affine *b, const opevo_i_affine *axis,
                                 opevo_i_affine *out);
/* The axes of the definition of a stage, where those of the stage have these values. */
const opevo_definition *opevo_i_pipeline_axes(opevo_i_pipeline_lowering *self, int key,
                                              const opevo_i_affine *value, opevo_i_affine *axis);
/* The element of its source that a copy or the sum of parts reads. */
void opevo_i_pipeline_source_index(const opevo_i_pipeline_stage *stage, const opevo_i_affine *value,
                                   opevo_i_affine *index);
/* The index of an element in one dimension of the part that holds it. */
opevo_i_affine opevo_i_pipeline_held(opevo_i_pipeline_lowering *self, int key, int dim,
                                     const opevo_i_affine *index);
/* Where an element of a stage lies: in the array of its part; and in its buffer, which has such an
 * array for each virtual thread and half of a double buffer. */
opevo_i_affine opevo_i_pipeline_address(opevo_i_pipeline_lowering *self, int key,
                                        const opevo_i_affine *index);
opevo_i_nest_access opevo_i_pipeline_access(opevo_i_pipeline_lowering *self, int key,
                                            const opevo_i_affine *index);
/* The number of the factor of a statement that is this element, added if it is new; -1 where it
 * would be one too many. */
int opevo_i_pipeline_add_read(opevo_i_pipeline_lowering *self, opevo_i_nest_leaf *leaf, int key,
                              const opevo_i_affine *index);

/* ---- lower_values.c ---- */

/* Call `each` with every element that a stage reads where its axes have these values; elements of
 * inlined stages are replaced by those that they read. */
typedef void (*opevo_i_pipeline_element_function)(opevo_i_pipeline_lowering *self, void *context,
                                                  int key, const opevo_i_affine *index);
void opevo_i_pipeline_walk(opevo_i_pipeline_lowering *self, int key, const opevo_i_affine *value,
                           opevo_i_pipeline_element_function each, void *context);

opevo_reducer opevo_i_pipeline_reducer(const opevo_i_pipeline_lowering *self, int key);
/* In which a stage is computed, and what its registers hold: FLOAT32 or INT32. */
opevo_element opevo_i_pipeline_type(const opevo_i_pipeline_lowering *self, int key);
/* What an element of a stage is, in terms of what the statement then reads; NULL after a
 * failure. */
const opevo_i_nest_value *opevo_i_pipeline_value(opevo_i_pipeline_lowering *self,
                                                 opevo_i_nest_leaf *leaf, int key,
                                                 const opevo_i_affine *value);

/* ---- lower_arguments.c ---- */

/* Make the arguments of the kernel, ahead of all statements. */
void opevo_i_pipeline_take_arguments(opevo_i_pipeline_lowering *self);
/* 0 <= value < extent, or below the argument of number `free` - 1, whose largest value that is;
 * false where there are too many conditions. `omits` as in a guard. */
bool opevo_i_pipeline_add_extent(const opevo_i_pipeline_lowering *self, opevo_i_nest_guards *guards,
                                 const opevo_i_affine *value, int64_t extent, int free, bool omits);
/* Below the argument alone. */
bool opevo_i_pipeline_add_below(const opevo_i_pipeline_lowering *self, opevo_i_nest_guards *guards,
                                const opevo_i_affine *value, int free, bool omits);
/* How many iterations of a loop of a stage are not all beyond an argument. */
opevo_i_nest_count opevo_i_pipeline_count(const opevo_i_pipeline_lowering *self, int key,
                                          const opevo_i_nest_loop *loop);

/* ---- lower_masks.c ---- */

/* Which axes of a sum of products, in registers and with extended loops, are masked beyond the
 * stage all the same: what is read there is not there, or not 0 where it would be added. The part
 * of a copy that is read beyond its end grows. */
void opevo_i_pipeline_find_masked(opevo_i_pipeline_lowering *self, int key, bool *masked);

/* ---- lower_statements.c ---- */

/* The statement that computes an element of a stage, with all that it must not do; its target is
 * left to the caller. */
void opevo_i_pipeline_leaf(opevo_i_pipeline_lowering *self, int key, opevo_i_nest_leaf *out);

/* ---- lower_threads.c ---- */

/* Where the elements of a stage lie: as it says, or else as the loops around it decide. */
opevo_scope opevo_i_pipeline_scope(const opevo_pipeline *pipeline, int key);
/* Give the launches their blocks and threads, and replace the loops that are bound to threads. */
void opevo_i_pipeline_bind(opevo_i_pipeline_lowering *self);

/* ---- lower_parts.c ---- */

/* The parts of all stages, readers first. */
void opevo_i_pipeline_infer(opevo_i_pipeline_lowering *self);

/* ---- lower_prepare.c ---- */

/* The parallel loop that the loops of a stage from `at` on are in, or NULL. */
const opevo_i_nest_loop *opevo_i_pipeline_parallel_around(const opevo_i_pipeline_lowering *self,
                                                          int key, int at);
/* Parts and buffers of all stages, in a nest that has no statements yet; begin with {.pipeline,
 * .err} and look at the status. End in any case: the nest remains. */
void opevo_i_pipeline_begin(opevo_i_pipeline_lowering *self);
void opevo_i_pipeline_end(opevo_i_pipeline_lowering *self);

/* ---- lower_leaves.c ---- */

static inline bool opevo_i_pipeline_has_node(opevo_annotation what)
{
    return what < OPEVO_ANNOTATION_VTHREAD;
}
/* The node; NULL, with the failure remembered, without memory. */
opevo_i_nest_node *opevo_i_pipeline_checked(opevo_i_pipeline_lowering *self,
                                            opevo_i_nest_node *node);
/* The number of one more buffer; 0 after a failure. */
int opevo_i_pipeline_add_buffer(opevo_i_pipeline_lowering *self, opevo_i_nest_buffer buffer);
void opevo_i_pipeline_add_sync(opevo_i_pipeline_lowering *self, opevo_i_nest_node *parent);
/* A node for a loop of a stage. */
opevo_i_nest_node *opevo_i_pipeline_add_loop(opevo_i_pipeline_lowering *self,
                                             opevo_i_nest_node *parent, int key,
                                             const opevo_i_nest_loop *loop);
/* A leaf, in loops over the virtual threads that it depends on. */
void opevo_i_pipeline_add_leaf(opevo_i_pipeline_lowering *self, opevo_i_nest_node *parent,
                               const opevo_i_nest_leaf *leaf);
/* The loops of a stage from `at` on that do not reduce, around one leaf. */
void opevo_i_pipeline_add_kept(opevo_i_pipeline_lowering *self, opevo_i_nest_node *parent, int key,
                               int at, const opevo_i_nest_leaf *leaf);
/* The leaf sets its target to the neutral element of the stage's reducer; it copies, and joins its
 * factor with what is there instead. */
void opevo_i_pipeline_set_neutral(opevo_i_pipeline_lowering *self, int key,
                                  opevo_i_nest_leaf *leaf);
void opevo_i_pipeline_set_update(opevo_i_pipeline_lowering *self, int key, opevo_i_nest_leaf *leaf);
/* The guards of a stage's own element: those of the axes that do not reduce. */
opevo_i_nest_guards opevo_i_pipeline_element_guards(opevo_i_pipeline_lowering *self, int key);

/* ---- lower_sums.c ---- */

/* An element for each virtual thread and iteration of the loops from `inside` on that do not
 * reduce. */
opevo_i_nest_access opevo_i_pipeline_registers(opevo_i_pipeline_lowering *self, int key,
                                               int inside);
/* Registers to the stage: as they are in the first iteration of the reduction loops outside, joined
 * with what is there in the others. Where threads have parts of the sums, the first of them gathers
 * these before. */
void opevo_i_pipeline_write_back(opevo_i_pipeline_lowering *self, opevo_i_nest_node *parent,
                                 int key, const opevo_i_nest_access *from);
bool opevo_i_pipeline_crosses_threads(const opevo_i_nest_loops *own);
/* Each thread's part of the sums goes from its registers to shared memory, where all are added, and
 * to the stage: by the first thread, or by each where each has its own. */
void opevo_i_pipeline_join_threads(opevo_i_pipeline_lowering *self, opevo_i_nest_node *parent,
                                   int key, int at, const opevo_i_nest_access *registers,
                                   const opevo_i_nest_access *to);

/* ---- lower_trim.c ---- */

/* What is inside the point of accumulate: sums that gather in these registers. */
typedef void (*opevo_i_pipeline_sums_function)(opevo_i_pipeline_lowering *self,
                                               opevo_i_nest_node *into, int key,
                                               const opevo_i_nest_access *registers);
/* The same, once with all iterations of the trimmed loop and once without those that bring nothing,
 * for where the loops around it are near their end. */
void opevo_i_pipeline_trimmed(opevo_i_pipeline_lowering *self, opevo_i_nest_node *parent, int key,
                              opevo_i_pipeline_sums_function sums,
                              const opevo_i_nest_access *registers);

/* ---- lower_ahead.c ---- */

/* The copies at a loop that are filled one iteration ahead, if there are any, and the variable of
 * the next iteration. */
typedef struct opevo_i_pipeline_ahead {
    int key, at;
    bool any;
    int next; /* an atom */
} opevo_i_pipeline_ahead;

bool opevo_i_pipeline_is_ahead(const opevo_i_pipeline_lowering *self, int child, int key, int at);
/* Before the loop, at the start and at the end of its body. */
opevo_i_pipeline_ahead opevo_i_pipeline_begin_ahead(opevo_i_pipeline_lowering *self,
                                                    opevo_i_nest_node *parent, int key, int at);
void opevo_i_pipeline_fill_ahead(opevo_i_pipeline_lowering *self, opevo_i_nest_node *into,
                                 const opevo_i_pipeline_ahead *of);
void opevo_i_pipeline_end_ahead(opevo_i_pipeline_lowering *self, opevo_i_nest_node *into,
                                const opevo_i_pipeline_ahead *of);

/* ---- lower_pipeline.c ---- */

/* The pipeline as a nest. Errors: INVALID where it cannot be lowered, with a sentence that says
 * why; LIMIT; NOMEM. */
opevo_status opevo_i_pipeline_lower(const opevo_pipeline *pipeline, opevo_i_nest **out,
                                    opevo_error *err);

#endif
