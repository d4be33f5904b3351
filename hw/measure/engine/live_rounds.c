/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The best trial of a search is best partly by luck. Measured again side by side, finalists are
 * compared round by round: what slows a round slows all of it. */

#include "live_internal.h"

#include <opevo/memory.h>
#include <opevo/random.h>

typedef struct rounds {
    opevo_i_engine_live *live;
    const opevo_rounds *plan;
    size_t count, rounds;
    double *fitness; /* count * rounds, finalist after finalist; 0: that round failed */
    size_t *order;   /* count of them, and of the rest */
    opevo_index *points;
    const opevo_interrupt *interrupt;
    size_t round; /* the one at work */
    opevo_text *library;
    bool failed; /* the library */
} rounds;

static void note_library(rounds *self, const opevo_outcome *outcome)
{
    self->failed = outcome->kind != OPEVO_OUTCOME_OK;
    if (!self->library)
        return;
    opevo_text_clear(self->library);
    opevo_text_add(self->library, outcome->message ? outcome->message : "");
}

static opevo_status note(void *context, size_t i, const opevo_outcome *outcome, opevo_error *err)
{
    rounds *self = context;

    (void)err;
    self->fitness[self->order[i] * self->rounds + self->round] = outcome->fitness;
    if (self->points[i] == OPEVO_LIBRARY_POINT)
        note_library(self, outcome);
    return OPEVO_OK;
}

static opevo_status run_round(rounds *self, size_t round, uint64_t seed, opevo_error *err)
{
    opevo_rng rng;
    size_t count = 0;

    self->round = round;
    opevo_rng_init(&rng, seed, "finals", round);
    opevo_rng_order(&rng, self->order, self->count);
    for (size_t i = 0; i < self->count; i++) {
        size_t number = self->order[i];
        opevo_index point = self->plan->points[number];

        self->fitness[number * self->rounds + round] = 0;
        if (point == OPEVO_LIBRARY_POINT && self->failed)
            continue;
        self->order[count] = number; /* count <= i */
        self->points[count++] = point;
    }
    return opevo_i_engine_live_measure_round(self->live, self->points, count, self->interrupt, note,
                                             self, err);
}

/* On another worker where the one at work cannot be had: a round is measured by one alone. */
static opevo_status run_round_somewhere(rounds *self, size_t round, uint64_t seed, opevo_error *err)
{
    opevo_status status = run_round(self, round, seed, err);

    for (size_t i = 1; (status == OPEVO_IO || status == OPEVO_FAULT) && i < self->live->pool.count;
         i++) {
        opevo_i_engine_pool_pass_lead(&self->live->pool);
        status = run_round(self, round, seed, err);
    }
    return status;
}

opevo_status opevo_i_engine_live_measure_rounds(opevo_objective *objective,
                                                const opevo_rounds *plan, double *fitness,
                                                opevo_text *library, opevo_error *err)
{
    rounds self = {.live = opevo_i_engine_live_of(objective),
                   .plan = plan,
                   .count = plan->count,
                   .rounds = plan->rounds,
                   .fitness = fitness,
                   .interrupt = plan->interrupt,
                   .library = library};
    opevo_status status = OPEVO_OK;

    self.order = opevo_calloc(self.count, sizeof *self.order);
    self.points = opevo_calloc(self.count, sizeof *self.points);
    OPEVO_NEED(self.order && self.points, "%zu finalists", self.count);
    opevo_i_engine_pool_choose_lead(&self.live->pool);
    for (size_t i = 0; i < self.rounds; i++)
        OPEVO_TRY(run_round_somewhere(&self, i, plan->seed, err));
cleanup:
    opevo_free(self.order);
    opevo_free(self.points);
    return status;
}
