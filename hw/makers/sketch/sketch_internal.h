/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the files of sketches share. */

#ifndef OPEVO_SKETCH_INTERNAL_H
#define OPEVO_SKETCH_INTERNAL_H

#include <opevo/sketch.h>
#include <opevo/space.h>

#include "pipeline_internal.h"

enum { OPEVO_I_AT_ROOT = -1, OPEVO_I_INLINED = -2 }; /* not compute_at points */
enum { OPEVO_I_LONGEST_INNERMOST = 64 };             /* Ansor's max_innermost_split_factor */
enum { OPEVO_I_WIDEST_VECTOR = 16 };                 /* elements */

static inline bool opevo_i_sketch_is_gpu(opevo_kernel_dialect dialect)
{
    return !opevo_kernel_is_for_cpu(dialect);
}

/* Threads that run in step: of NVIDIA's devices, and of AMD's with matrix units. */
static inline int opevo_i_sketch_warp(opevo_kernel_dialect dialect)
{
    return dialect == OPEVO_KERNEL_HIP ? 64 : 32;
}

enum { OPEVO_I_BLOCK_THREADS = 1024 };

/* ---- sketch_steps.c ---- */

/* Append a step with numbers. */
opevo_status opevo_i_sketch_step(opevo_pipeline *pipeline, opevo_pipeline_step_kind kind, int stage,
                                 int count, const int64_t *numbers, opevo_error *err);
/* Steps on a stage by its key. */
opevo_status opevo_i_sketch_step_on(opevo_pipeline *pipeline, int key,
                                    opevo_pipeline_step_kind kind, int count,
                                    const int64_t *numbers, opevo_error *err);
opevo_status opevo_i_sketch_annotate(opevo_pipeline *pipeline, int key, int loop,
                                     opevo_annotation what, opevo_error *err);
opevo_status opevo_i_sketch_fuse(opevo_pipeline *pipeline, int key, int first, int count,
                                 opevo_error *err);

/* ---- sketch_predicates.c: of a stage, by its number ---- */

/* The stages that read it, through inlined ones: their numbers. Returns how many. */
int opevo_i_sketch_consumers(const opevo_pipeline *pipeline, int stage, int *out);
bool opevo_i_sketch_inlines(const opevo_pipeline *pipeline, int stage,
                            const opevo_sketch_target *target);
/* Whether it reuses what it reads (opevo_tensor_needs_tiling). Ansor also tiles element-wise stages
 * that read two smaller tensors, such as a scale and a shift, and never computes them on the tiles
 * of the sum before them. Without `ansor` a stage needs no tiles that sums nothing and reads a
 * whole tensor at its own place. */
bool opevo_i_sketch_needs_tiling(const opevo_pipeline *pipeline, int stage,
                                 const opevo_sketch_target *target);
bool opevo_i_sketch_needs_rfactor(const opevo_pipeline *pipeline, int stage, unsigned cores);
/* Whether a block of so many threads, in warps of `warp`, should share a sum. */
bool opevo_i_sketch_needs_threads(const opevo_pipeline *pipeline, int stage, int threads, int warp);
/* The only consumer, if it reads each element at its own place and sums nothing, so that its tiles
 * can hold those of the stage; -1 otherwise, also for outputs, which are computed as a whole. */
int opevo_i_sketch_elementwise(const opevo_pipeline *pipeline, int stage);

/* Whether statements can read what they would with this stage inlined. */
bool opevo_i_sketch_leaves_room(const opevo_pipeline *pipeline, int stage);

/* Whether some definition of the whole computation reduces. */
bool opevo_i_sketch_reduces_anywhere(const opevo_pipeline *pipeline);

/* ---- sketch_reads.c ---- */

/* Whether a statement of a definition can read what it does, if also the stage with this key is
 * inlined. */
bool opevo_i_sketch_has_room(const opevo_pipeline *pipeline, const opevo_tensor *reader, int key);
/* Whether kernels can read what each definition reads by itself. Errors: LIMIT. */
opevo_status opevo_i_sketch_check_reads(const opevo_computation *computation, opevo_error *err);

/* ---- sketch_reshape.c ---- */

/* Merge and divide dimensions of a pipeline without steps, where that helps register tiles, or
 * vectors where no definition reduces; a dimension stays that threads can divide. `reshaped`
 * becomes true for the stages, by number, for whose sake it is; *any says whether there are such.
 * Errors: NOMEM. */
opevo_status opevo_i_sketch_reshape(opevo_pipeline *pipeline, const opevo_sketch_target *target,
                                    bool *reshaped, bool *any, opevo_error *err);

/* ---- sketch_panels.c ---- */

enum { OPEVO_I_PANELS = 8 };

/* An operand of a stage that may lie in panels along a dimension, an axis of the stage. */
typedef struct opevo_i_sketch_panel {
    int key, dim, axis;
    bool constant; /* packed before the kernel is called */
} opevo_i_sketch_panel;

/* Whether a stage is an argument that can be packed before the kernel is called. */
bool opevo_i_sketch_can_be_packed(const opevo_pipeline *pipeline, int key);
/* Returns how many there are, at most OPEVO_I_PANELS. */
int opevo_i_sketch_panels(const opevo_pipeline *pipeline, int stage, bool layouts,
                          opevo_i_sketch_panel *out);
/* Whether all that a definition reads lies along its last axis, side by side or every second
 * element: the windows of a pool. */
bool opevo_i_sketch_has_rows(const opevo_pipeline *pipeline, int stage);
/* The axis of a long sum that vectors can run along, as an operand that is hardly read again lies
 * along it; -1: none. `panel`: an operand that does not, to be packed; its key is -1 for none. */
int opevo_i_sketch_long_sum(const opevo_pipeline *pipeline, int stage, bool layouts,
                            opevo_i_sketch_panel *panel);
/* Pack one for its reader, whose number grows if that adds a stage. The first piece of the layout
 * has the width of the panels, 1 until a sketch is built. */
opevo_status opevo_i_sketch_pack(opevo_pipeline *pipeline, int *reader,
                                 const opevo_i_sketch_panel *panel, opevo_error *err);

/* ---- sketch_slot.c ---- */

/* A slot named after a stage and `what`. Errors: LIMIT. */
opevo_status opevo_i_sketch_add_slot(opevo_sketch *self, opevo_slot_kind kind, int key,
                                     const char *what, opevo_slot **out, opevo_error *err);
/* False where there is no room for it. */
bool opevo_i_sketch_add_choice(opevo_slot *slot, int64_t value);
/* The slot of the axis that the vectors of the register tile run along. */
int opevo_i_sketch_lane_slot(const opevo_sketch *sketch);
bool opevo_i_sketch_is_computed(const opevo_i_pipeline_stage *stage);
/* Outer loops of a stage that can be fused: neither sums nor beyond a compute_at point. */
int opevo_i_sketch_outer_loops(const opevo_pipeline *pipeline, int key);
/* Whether a stage is computed at this loop. */
bool opevo_i_sketch_has_point(const opevo_pipeline *pipeline, int key, int loop);
/* Inner loops of a stage that can be fused to a vector. */
int opevo_i_sketch_inner_loops(const opevo_pipeline *pipeline, int key);

/* ---- sketch_slots.c ---- */

/* What the pipeline of a sketch leaves open. Errors: LIMIT. */
opevo_status opevo_i_sketch_find_slots(opevo_sketch *sketch, const opevo_sketch_target *target,
                                       opevo_error *err);
/* Slots of splits come first, in the order of their steps: whether this one is of this step. */
static inline bool opevo_i_sketch_is_open(const opevo_sketch *sketch, int slot, size_t step)
{
    return slot < sketch->slots && sketch->slot[slot].step == step &&
           (sketch->slot[slot].kind == OPEVO_SLOT_TILE ||
            sketch->slot[slot].kind == OPEVO_SLOT_SUM_THREADS);
}

/* ---- sketch_slots_gpu.c ---- */

/* Whether a slot is the tiles of an axis of a stage that does not reduce: blocks, virtual threads,
 * threads, and two loops of each thread. Reduction loops have three parts. */
static inline bool opevo_i_sketch_is_spatial(const opevo_slot *slot, int key)
{
    return slot->kind == OPEVO_SLOT_TILE && slot->key == key && slot->parts == 5;
}

/* A slot for a number of threads that divide so many iterations. Errors: LIMIT. */
opevo_status opevo_i_sketch_add_threads(opevo_sketch *self, opevo_slot_kind kind, int key,
                                        int64_t extent, opevo_slot **out, opevo_error *err);
/* What the pipeline of a sketch for a GPU leaves open beside its tiles, and what becomes of it: all
 * but unrolling. Errors: LIMIT; those of steps. */
opevo_status opevo_i_sketch_find_gpu(opevo_sketch *self, opevo_error *err);
opevo_status opevo_i_sketch_build_gpu(const opevo_sketch *sketch, const opevo_slot_value *values,
                                      opevo_pipeline *pipeline, opevo_error *err);

/* ---- sketch_parameters.c ---- */

/* The parameters of a space so far. */
typedef struct opevo_i_sketch_parameters {
    opevo_parameter *parameter[OPEVO_SPACE_PARAMETERS_MAX];
    opevo_activation active[OPEVO_SPACE_PARAMETERS_MAX];
    size_t count;
} opevo_i_sketch_parameters;

/* Those of all sketches, behind a choice where there are several. Errors: LIMIT; NOMEM. */
opevo_status opevo_i_sketch_add_parameters(opevo_i_sketch_parameters *self,
                                           const opevo_sketches *all, opevo_error *err);
/* The name of a parameter as the space gives it. */
void opevo_i_sketch_add_name(opevo_text *out, const opevo_sketches *all, size_t number,
                             const opevo_slot *slot);
/* "root", "inline" or "STAGE:LOOP". */
void opevo_i_sketch_print_place(const opevo_sketch *sketch, const opevo_slot *slot, int choice,
                                opevo_text *out);

/* ---- Constraints (sketch_space.c, sketch_space_gpu.c) ---- */

/* What comes before a constraint and between two. */
static inline void opevo_i_sketch_open_constraint(opevo_text *out, bool *any)
{
    opevo_text_add(out, *any ? "\n" : "");
    *any = true;
}

/* The limits of a block and of a thread, for the tiles of a sketch. */
void opevo_i_sketch_constrain_gpu(opevo_text *out, const opevo_sketches *all, size_t number,
                                  const opevo_limits *limits, bool *any);

/* ---- sketch_source.c ---- */

/* The only read of stage `key` in the definition of stage `reader`; NULL if it is not read once. */
const opevo_expression *opevo_i_sketch_only_read(const opevo_sketch *sketch, int reader, int key);

/* ---- sketch_find.c ---- */

/* The values, one for each slot, with which the sketch becomes a pipeline of the same steps; *equal
 * is false where none were found. Errors: NOMEM. Cost: a pipeline for each choice of each slot. */
opevo_status opevo_i_sketch_match(const opevo_sketch *sketch, const opevo_pipeline *wanted,
                                  opevo_slot_value *values, bool *equal, opevo_error *err);

/* ---- sketch_start.c ---- */

/* The values that analysis expects to be good, one for each slot; the space may not allow them. */
void opevo_i_sketch_prefer(const opevo_sketch *sketch, const opevo_device_facts *facts,
                           unsigned threads, opevo_slot_value *values);
/* The same for blocks of rows (sketch_start_rows.c), after the middle. */
void opevo_i_sketch_prefer_rows(const opevo_sketch *sketch, const opevo_device_facts *facts,
                                opevo_slot_value *values);
/* The same for sketches of GPUs (sketch_start_gpu.c). */
void opevo_i_sketch_prefer_gpu(const opevo_sketch *sketch, opevo_slot_value *values);

/* ---- sketch_operands.c ---- */

/* Along which axes of a definition that operand moves whose vectors run along axis `lanes`;
 * OPEVO_I_AXES of them. */
void opevo_i_sketch_vector_axes(const opevo_definition *definition, int lanes, bool *moves);

/* ---- sketch_cost.c ---- */

/* Of the sketches that are not `refused` (one for each; NULL: take all): the one with a register
 * tile of most multiply-adds that is expected to be fastest; or the first without one. Returns its
 * number, or the number of sketches if none is left. */
size_t opevo_i_sketch_choose(const opevo_sketches *sketches, const opevo_device_facts *facts,
                             bool registers, const bool *refused);

#endif
