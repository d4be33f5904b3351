/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The best trial of a search is best partly by luck. Measured again side by side, finalists are
 * compared round by round: what slows a round slows all of it. */

#include "live_internal.h"

#include <opevo/memory.h>
#include <opevo/random.h>

#include <math.h>
#include <string.h>

#include "samples_internal.h"

typedef struct finals {
    opevo_i_live *live;
    opevo_finalist *finalists;
    size_t count, rounds;
    double *fitness; /* count * rounds, finalist after finalist; 0: that round failed */
    double *scratch; /* rounds of them */
    size_t *order;   /* count */
    opevo_index *points;
    opevo_outcome *outcomes;
} finals;

static void shuffle(size_t *order, size_t count, opevo_rng *rng)
{
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    for (size_t i = count; i > 1; i--) {
        size_t k = (size_t)opevo_rng_below(rng, i);
        size_t swapped = order[i - 1];

        order[i - 1] = order[k];
        order[k] = swapped;
    }
}

static opevo_status run_round(finals *self, size_t round, uint64_t seed, opevo_error *err)
{
    opevo_rng rng;
    opevo_status status = OPEVO_OK;

    opevo_rng_init(&rng, seed, "finals", round);
    shuffle(self->order, self->count, &rng);
    for (size_t i = 0; i < self->count; i++)
        self->points[i] = self->finalists[self->order[i]].point;
    status = opevo_i_live_measure(self->live, self->points, self->count, true, self->outcomes, err);
    for (size_t i = 0; status == OPEVO_OK && i < self->count; i++)
        self->fitness[self->order[i] * self->rounds + round] = self->outcomes[i].fitness;
    return status;
}

static void summarise(finals *self, size_t number)
{
    opevo_finalist *finalist = &self->finalists[number];
    double *sorted = self->scratch;

    memcpy(sorted, self->fitness + number * self->rounds, self->rounds * sizeof *sorted);
    opevo_i_sort(sorted, self->rounds);
    finalist->rounds = self->rounds;
    finalist->median = sorted[0] > 0 ? opevo_i_median(sorted, self->rounds) : 0;
    finalist->low = finalist->high = NAN;
    opevo_i_median_interval(sorted, self->rounds, 0.95, &finalist->low, &finalist->high);
}

/* Winner against rival, round by round. */
static void compare(finals *self, opevo_final_verdict *verdict)
{
    const double *winner = self->fitness + verdict->winner * self->rounds;
    const double *rival = self->fitness + verdict->rival * self->rounds;
    size_t wins = 0;
    size_t different = 0;
    size_t sound = 0;

    for (size_t i = 0; i < self->rounds; i++) {
        wins += winner[i] > rival[i];
        different += winner[i] != rival[i];
        if (winner[i] > 0 && rival[i] > 0)
            self->scratch[sound++] = winner[i] / rival[i]; /* of times: rival's by winner's */
    }
    verdict->probability = fmin(1, (double)(self->count - 1) * opevo_i_sign_test(wins, different));
    verdict->faster = 2 * wins > different && verdict->probability < 0.05;
    verdict->ratio = verdict->ratio_low = verdict->ratio_high = NAN;
    if (!sound)
        return;
    opevo_i_sort(self->scratch, sound);
    verdict->ratio = opevo_i_median(self->scratch, sound);
    opevo_i_median_interval(self->scratch, sound, 0.95, &verdict->ratio_low, &verdict->ratio_high);
}

static void judge(finals *self, opevo_final_verdict *verdict)
{
    const opevo_finalist *all = self->finalists;

    *verdict = (opevo_final_verdict){.winner = 0};
    for (size_t i = 0; i < self->count; i++)
        summarise(self, i);
    for (size_t i = 1; i < self->count; i++)
        verdict->winner = all[i].median > all[verdict->winner].median ? i : verdict->winner;
    verdict->rival = verdict->winner == 0;
    for (size_t i = 0; i < self->count; i++) {
        if (i != verdict->winner && all[i].median > all[verdict->rival].median)
            verdict->rival = i;
    }
    compare(self, verdict);
}

opevo_status opevo_live_finals(opevo_objective *objective, opevo_finalist *finalists, size_t count,
                               uint64_t rounds, uint64_t seed, opevo_final_verdict *verdict,
                               opevo_error *err)
{
    finals self = {.live = opevo_i_live_of(objective),
                   .finalists = finalists,
                   .count = count,
                   .rounds = (size_t)rounds};
    opevo_status status = OPEVO_OK;

    if (!self.live || count < 2 || rounds < 1)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "Finals need a live objective, two finalists and a round.");
    self.fitness = opevo_calloc(count * self.rounds, sizeof *self.fitness);
    self.scratch = opevo_calloc(self.rounds, sizeof *self.scratch);
    self.order = opevo_calloc(count, sizeof *self.order);
    self.points = opevo_calloc(count, sizeof *self.points);
    self.outcomes = opevo_calloc(count, sizeof *self.outcomes);
    if (!self.fitness || !self.scratch || !self.order || !self.points || !self.outcomes) {
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for %zu finalists.", count);
        goto cleanup;
    }
    for (size_t i = 0; i < self.rounds; i++)
        OPEVO_TRY(run_round(&self, i, seed, err));
    judge(&self, verdict);
cleanup:
    opevo_free(self.fitness);
    opevo_free(self.scratch);
    opevo_free(self.order);
    opevo_free(self.points);
    opevo_free(self.outcomes);
    return status;
}
