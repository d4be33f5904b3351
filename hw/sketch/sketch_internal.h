/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the files of sketches share. */

#ifndef OPEVO_SKETCH_INTERNAL_H
#define OPEVO_SKETCH_INTERNAL_H

#include <opevo/sketch.h>

#include "pipeline_internal.h"

enum { OPEVO_I_LONGEST_INNERMOST = 64 }; /* Ansor's max_innermost_split_factor */

/* Append a step with numbers. */
opevo_status opevo_i_sketch_step(opevo_pipeline *pipeline, opevo_pipeline_step_kind kind, int stage,
                                 int count, const int64_t *numbers, opevo_error *err);

/* ---- sketch_predicates.c: of a stage, by its number ---- */

/* The stages that read it, through inlined ones: their numbers. Returns how many. */
int opevo_i_sketch_consumers(const opevo_pipeline *pipeline, int stage, int *out);
bool opevo_i_sketch_inlines(const opevo_pipeline *pipeline, int stage);
bool opevo_i_sketch_needs_tiling(const opevo_pipeline *pipeline, int stage);
bool opevo_i_sketch_needs_rfactor(const opevo_pipeline *pipeline, int stage, unsigned cores);
/* The only consumer, if it reads each element at its own place and sums nothing; -1 otherwise. */
int opevo_i_sketch_elementwise(const opevo_pipeline *pipeline, int stage);

/* ---- sketch_slots.c ---- */

/* What the pipeline of a sketch leaves open. Errors: LIMIT. */
opevo_status opevo_i_sketch_find_slots(opevo_sketch *sketch, const opevo_sketch_target *target,
                                       opevo_error *err);

/* ---- sketch_find.c ---- */

/* The values, one for each slot, with which the sketch becomes a pipeline of the same steps; *equal
 * is false where none were found. Errors: NOMEM. Cost: a pipeline for each choice of each slot. */
opevo_status opevo_i_sketch_match(const opevo_sketch *sketch, const opevo_pipeline *wanted,
                                  opevo_slot_value *values, bool *equal, opevo_error *err);

/* ---- sketch_start.c ---- */

/* The values that analysis expects to be good, one for each slot; the space may not allow them. */
void opevo_i_sketch_wish(const opevo_sketch *sketch, const opevo_device_facts *facts,
                         unsigned threads, opevo_slot_value *values);
/* The sketch with a register tile of most multiply-adds, or the first without one; the number of
 * sketches where there is none. */
size_t opevo_i_sketch_choose(const opevo_sketches *sketches, bool registers);

#endif
