/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The states that rules make, and the rules of register tiles and of GPUs. */

#ifndef OPEVO_SKETCH_RULES_INTERNAL_H
#define OPEVO_SKETCH_RULES_INTERNAL_H

#include "sketch_internal.h"

typedef struct opevo_i_sketch_state {
    opevo_sketch sketch;                 /* without slots */
    bool written[OPEVO_PIPELINE_STAGES]; /* by key: there is a cache_write of it */
    bool reshaped
        [OPEVO_PIPELINE_STAGES]; /* by key: dimensions were merged or divided for its sake */
    /* By key: one more than the step that splits a loop of it among threads; 0: none. */
    size_t threads[OPEVO_PIPELINE_STAGES];
    int stage;
} opevo_i_sketch_state;

typedef struct opevo_i_sketch_generator {
    const opevo_computation *computation;
    const opevo_sketch_target *target;
    opevo_i_sketch_state **open;
    size_t open_count, open_capacity;
    uint64_t looked_at; /* states that might have been dropped */
    size_t finished;    /* sketches that were closed */
    bool closing;       /* sketches leave open what one space can hold */
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

/* ---- sketch_state.c ---- */

/* A copy to change, with the stage to look at next. Errors: NOMEM. */
opevo_status opevo_i_sketch_copy_state(const opevo_i_sketch_state *from, opevo_i_sketch_state **out,
                                       opevo_error *err);
void opevo_i_sketch_free_state(opevo_i_sketch_state *self); /* NULL is allowed */
/* Takes over the state, also when it fails. */
opevo_status opevo_i_sketch_push(opevo_i_sketch_generator *self, opevo_i_sketch_state *one);
/* The same, for the rules of the stage before; *one is NULL afterwards. */
opevo_status opevo_i_sketch_pass_on(opevo_i_sketch_generator *self, opevo_i_sketch_state **one);

/* ---- sketch_steps.c ---- */

/* Split each loop of a stage in as many parts as `structure` has letters of its kind, S for loops
 * that do not reduce and R for those that do, and order the parts by the letters, in the last level
 * with that of axis `lanes` innermost (-1: as they are). `steps` become the numbers of the splits
 * of the former. */
opevo_status opevo_i_sketch_tile(opevo_pipeline *pipeline, int stage, const char *structure,
                                 int lanes, int64_t *steps, opevo_error *err);
/* Tile a consumer like the first `level` levels of a tiled stage, which is computed inside of
 * them. */
opevo_status opevo_i_sketch_follow(opevo_pipeline *pipeline, int stage, int target, int level,
                                   const int64_t *steps, opevo_error *err);

/* ---- sketch_rules.c ---- */

/* All rules on the stage that a state looks at; the state may be moved. */
opevo_status opevo_i_sketch_try_rules(opevo_i_sketch_generator *self, opevo_i_sketch_state *from);

/* ---- sketch_close.c ---- */

/* Choose the tiles of stages until what is left open fits a space; `number` rotates the stages that
 * keep their parameters. Errors: those of steps. */
opevo_status opevo_i_sketch_close(opevo_sketch *sketch, size_t number, opevo_error *err);
/* Whether there are sketches, and one space can hold their points. */
bool opevo_i_sketch_fit(const opevo_sketches *sketches);

/* ---- sketch_rules_registers.c ---- */

/* The innermost tile of the sums gathers in vector registers. */
opevo_i_sketch_verdict opevo_i_sketch_should_gather(const opevo_i_sketch_generator *self,
                                                    const opevo_i_sketch_state *from);
opevo_status opevo_i_sketch_do_gather(opevo_i_sketch_generator *self,
                                      const opevo_i_sketch_state *from);

/* Vectors run along a long sum, of which each lane is a part. */
opevo_i_sketch_verdict opevo_i_sketch_should_gather_parts(const opevo_i_sketch_generator *self,
                                                          const opevo_i_sketch_state *from);
opevo_status opevo_i_sketch_do_gather_parts(opevo_i_sketch_generator *self,
                                            const opevo_i_sketch_state *from);

/* ---- sketch_rules_cases.c ---- */

/* The cases of a definition become copies of its text around a vector. */
opevo_i_sketch_verdict opevo_i_sketch_should_expand(const opevo_i_sketch_generator *self,
                                                    const opevo_i_sketch_state *from);
opevo_status opevo_i_sketch_do_expand(opevo_i_sketch_generator *self,
                                      const opevo_i_sketch_state *from);

/* ---- sketch_rules_permuted.c ---- */

/* A definition that reads an array across has blocks of its last axis and the one along which that
 * array lies. */
opevo_i_sketch_verdict opevo_i_sketch_should_block(const opevo_i_sketch_generator *self,
                                                   const opevo_i_sketch_state *from);
opevo_status opevo_i_sketch_do_block(opevo_i_sketch_generator *self,
                                     const opevo_i_sketch_state *from);

/* The axis along which an array lies that a definition as it stands reads across; -1: none. */
int opevo_i_sketch_permuted_axis(const opevo_pipeline *pipeline, int number);
/* Blocks of that axis and the last one. Errors: those of steps. */
opevo_status opevo_i_sketch_block(opevo_pipeline *pipeline, int number, int along,
                                  opevo_error *err);

/* ---- sketch_rules_rows.c ---- */

/* Whether a computation is computed by blocks of rows. */
bool opevo_i_sketch_has_blocks(const opevo_computation *computation,
                               const opevo_sketch_target *target);
opevo_i_sketch_verdict opevo_i_sketch_should_take_rows(const opevo_i_sketch_generator *self,
                                                       const opevo_i_sketch_state *from);
opevo_status opevo_i_sketch_do_take_rows(opevo_i_sketch_generator *self,
                                         const opevo_i_sketch_state *from);

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
