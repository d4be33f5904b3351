/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The states that rules make, and the rules of GPUs. */

#ifndef OPEVO_SKETCH_RULES_INTERNAL_H
#define OPEVO_SKETCH_RULES_INTERNAL_H

#include "sketch_internal.h"

typedef struct opevo_i_sketch_state {
    opevo_sketch sketch;                 /* without slots */
    bool written[OPEVO_PIPELINE_STAGES]; /* by key: there is a cache_write of it */
    /* By key: one more than the step that splits a loop of it among threads; 0: none. */
    size_t threads[OPEVO_PIPELINE_STAGES];
    int stage;
} opevo_i_sketch_state;

typedef struct opevo_i_sketch_generator {
    const opevo_computation *computation;
    const opevo_sketch_target *target;
    opevo_i_sketch_state **open;
    size_t open_count, open_capacity;
    opevo_sketches *out;
    size_t capacity;
    opevo_error *err;
} opevo_i_sketch_generator;

typedef enum opevo_i_sketch_verdict {
    OPEVO_I_SKIP,
    OPEVO_I_APPLY,
    OPEVO_I_APPLY_ALONE
} opevo_i_sketch_verdict;

typedef struct opevo_i_sketch_rule {
    opevo_i_sketch_verdict (*should)(const opevo_i_sketch_generator *self,
                                     const opevo_i_sketch_state *from);
    opevo_status (*apply)(opevo_i_sketch_generator *self, const opevo_i_sketch_state *from);
} opevo_i_sketch_rule;

static inline const opevo_i_pipeline_stage *opevo_i_sketch_stage(const opevo_i_sketch_state *self)
{
    return opevo_i_pipeline_at(self->sketch.pipeline, self->stage);
}

static inline bool opevo_i_sketch_is_written(const opevo_i_sketch_state *self)
{
    return self->written[self->sketch.pipeline->order[self->stage]];
}

/* ---- sketch_rules.c ---- */

/* A copy to change, with the stage to look at next. Errors: NOMEM. */
opevo_status opevo_i_sketch_copy_state(const opevo_i_sketch_state *from, opevo_i_sketch_state **out,
                                       opevo_error *err);
void opevo_i_sketch_free_state(opevo_i_sketch_state *self); /* NULL is allowed */
/* Takes over the state, also when it fails. */
opevo_status opevo_i_sketch_push(opevo_i_sketch_generator *self, opevo_i_sketch_state *one);

/* ---- sketch_rules_gpu.c ---- */

/* What a tiled sum reads goes through shared memory. */
opevo_i_sketch_verdict opevo_i_sketch_should_read(const opevo_i_sketch_generator *self,
                                                  const opevo_i_sketch_state *from);
opevo_status opevo_i_sketch_do_read(opevo_i_sketch_generator *self,
                                    const opevo_i_sketch_state *from);
/* The threads of a block share a sum. */
opevo_i_sketch_verdict opevo_i_sketch_should_cross(const opevo_i_sketch_generator *self,
                                                   const opevo_i_sketch_state *from);
opevo_status opevo_i_sketch_do_cross(opevo_i_sketch_generator *self,
                                     const opevo_i_sketch_state *from);

#endif
