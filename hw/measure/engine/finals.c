/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The best trial of a search is best partly by luck. Measured again side by side, finalists are
 * compared round by round: what slows a round slows all of it. */

#include "live_internal.h"

#include <opevo/memory.h>
#include <opevo/random.h>
#include <opevo/sign_test.h>

#include <math.h>
#include <string.h>

#include "samples_internal.h"

typedef struct rounds {
    opevo_i_engine_live *live;
    const opevo_finalist *finalists;
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
    if (self->points[i] == OPEVO_LIVE_LIBRARY)
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
        opevo_index point = self->finalists[number].point;

        self->fitness[number * self->rounds + round] = 0;
        if (point == OPEVO_LIVE_LIBRARY && self->failed)
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

opevo_status opevo_live_finals(opevo_objective *objective, const opevo_finals_plan *plan,
                               double *fitness, opevo_text *library, opevo_error *err)
{
    size_t count = plan->count;
    rounds self = {.live = opevo_i_engine_live_of(objective),
                   .finalists = plan->finalists,
                   .count = count,
                   .rounds = (size_t)plan->rounds,
                   .fitness = fitness,
                   .interrupt = plan->interrupt,
                   .library = library};
    opevo_status status = OPEVO_OK;

    if (!self.live || count < 2 || plan->rounds < 1)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "Finals need a live objective, two finalists and a round.");
    self.order = opevo_calloc(count, sizeof *self.order);
    self.points = opevo_calloc(count, sizeof *self.points);
    if (!self.order || !self.points) {
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for %zu finalists.", count);
        goto cleanup;
    }
    opevo_i_engine_pool_choose_lead(&self.live->pool);
    for (size_t i = 0; i < self.rounds; i++)
        OPEVO_TRY(run_round_somewhere(&self, i, plan->seed, err));
cleanup:
    opevo_free(self.order);
    opevo_free(self.points);
    return status;
}

/* ---- Judging -------------------------------------------------------------------------------- */

static void summarise(opevo_finalist *finalist, const double *fitness, size_t count,
                      double *scratch)
{
    memcpy(scratch, fitness, count * sizeof *scratch);
    opevo_i_wire_sort(scratch, count);
    finalist->rounds = count;
    finalist->won = 0;
    finalist->median = scratch[0] > 0 ? opevo_i_wire_median(scratch, count) : 0;
    finalist->low = finalist->high = NAN;
    if (finalist->median > 0)
        opevo_i_wire_median_interval(scratch, count, 0.95, &finalist->low, &finalist->high);
}

/* The time of another by that of the winner: the median over rounds, and its interval. */
static double compare_times(const double *winner, const double *other, size_t count,
                            double *scratch, double *low, double *high)
{
    size_t sound = 0;

    *low = *high = NAN;
    for (size_t i = 0; i < count; i++) {
        if (winner[i] > 0 && other[i] > 0)
            scratch[sound++] = winner[i] / other[i]; /* of fitness, so the other way round */
    }
    if (!sound)
        return NAN;
    opevo_i_wire_sort(scratch, sound);
    opevo_i_wire_median_interval(scratch, sound, 0.95, low, high);
    return opevo_i_wire_median(scratch, sound);
}

/* Rounds that a won against b minus those that it lost. */
static int64_t lead_over(const double *a, const double *b, size_t count)
{
    int64_t lead = 0;

    for (size_t i = 0; i < count; i++)
        lead += (a[i] > b[i]) - (a[i] < b[i]);
    return lead;
}

/* How a point did against the others. */
typedef struct standing {
    bool whole;   /* no round of it failed */
    size_t ahead; /* of how many others it won more rounds than it lost */
    int64_t lead; /* rounds won minus lost, against all of them */
    double median;
} standing;

static standing stand(const opevo_finalist *finalists, size_t count, const double *fitness,
                      size_t round_count, size_t number)
{
    standing out = {.whole = finalists[number].median > 0, .median = finalists[number].median};

    for (size_t i = 0; i < count; i++) {
        int64_t lead = 0;

        if (i == number || finalists[i].point == OPEVO_LIVE_LIBRARY)
            continue;
        lead = lead_over(fitness + number * round_count, fitness + i * round_count, round_count);
        out.ahead += lead > 0;
        out.lead += lead;
    }
    return out;
}

static bool is_better(const standing *a, const standing *b)
{
    if (a->whole != b->whole)
        return a->whole;
    if (a->ahead != b->ahead)
        return a->ahead > b->ahead;
    if (a->lead != b->lead)
        return a->lead > b->lead;
    return a->median > b->median;
}

/* Ranks of the finalists that are points. What disturbs a round disturbs all in it, so the rounds
 * decide and not the medians over different disturbances: ahead is who wins more rounds than it
 * loses against more of the others (Copeland); the winner does so against all of them, unless they
 * win in a circle. What is left equal keeps its order. */
static void rank_points(opevo_finalist *finalists, size_t count, const double *fitness,
                        size_t round_count, standing *standings)
{
    for (size_t i = 0; i < count; i++)
        standings[i] = stand(finalists, count, fitness, round_count, i);
    for (size_t i = 0; i < count; i++) {
        finalists[i].rank = finalists[i].point != OPEVO_LIVE_LIBRARY;
        for (size_t k = 0; k < count && finalists[i].rank; k++) {
            if (finalists[k].point == OPEVO_LIVE_LIBRARY)
                continue;
            finalists[i].rank += is_better(&standings[k], &standings[i]) ||
                                 (k < i && !is_better(&standings[i], &standings[k]));
        }
    }
}

/* A round of which two are the best is won by none. */
static void count_won(opevo_finalist *finalists, size_t count, const double *fitness,
                      size_t round_count)
{
    for (size_t round = 0; round < round_count; round++) {
        double best = 0;
        size_t winner = count;

        for (size_t i = 0; i < count; i++) {
            double own = fitness[i * round_count + round];

            if (finalists[i].point == OPEVO_LIVE_LIBRARY || own < best)
                continue;
            winner = own > best ? i : count;
            best = own;
        }
        if (winner < count)
            finalists[winner].won++;
    }
}

static size_t find_rank(const opevo_finalist *finalists, size_t count, size_t rank)
{
    size_t at = 0;

    while (at < count && finalists[at].rank != rank)
        at++;
    return at;
}

/* Winner against rival, round by round. */
static void test_rival(opevo_final_verdict *verdict, const double *winner, const double *rival,
                       size_t count, size_t rivals)
{
    size_t wins = 0;
    size_t different = 0;

    for (size_t i = 0; i < count; i++) {
        wins += winner[i] > rival[i];
        different += winner[i] != rival[i];
    }
    verdict->probability = fmin(1, (double)rivals * opevo_sign_test(wins, different - wins));
    verdict->faster = 2 * wins > different && verdict->probability < 0.05;
}

opevo_status opevo_finals_judge(opevo_finalist *finalists, size_t count, uint64_t number,
                                const double *fitness, opevo_final_verdict *verdict,
                                opevo_error *err)
{
    size_t rounds_count = (size_t)number;
    double *scratch = opevo_calloc(rounds_count, sizeof *scratch);
    standing *standings = opevo_calloc(count, sizeof *standings);
    const double *winner = NULL;
    opevo_status status = OPEVO_OK;
    opevo_final_verdict out = {.library = count,
                               .probability = 1,
                               .ratio = NAN,
                               .ratio_low = NAN,
                               .ratio_high = NAN,
                               .library_ratio = NAN,
                               .library_low = NAN,
                               .library_high = NAN};

    if (!scratch || !standings) {
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for %zu rounds.", rounds_count);
        goto cleanup;
    }
    for (size_t i = 0; i < count; i++) {
        summarise(&finalists[i], fitness + i * rounds_count, rounds_count, scratch);
        if (finalists[i].point == OPEVO_LIVE_LIBRARY)
            out.library = i;
    }
    rank_points(finalists, count, fitness, rounds_count, standings);
    count_won(finalists, count, fitness, rounds_count);
    out.winner = find_rank(finalists, count, 1);
    out.rival = find_rank(finalists, count, 2);
    winner = fitness + out.winner * rounds_count;
    if (out.rival < count) {
        const double *rival = fitness + out.rival * rounds_count;

        test_rival(&out, winner, rival, rounds_count, count - 1 - (out.library < count));
        out.ratio =
            compare_times(winner, rival, rounds_count, scratch, &out.ratio_low, &out.ratio_high);
    }
    if (out.library < count)
        out.library_ratio =
            compare_times(winner, fitness + out.library * rounds_count, rounds_count, scratch,
                          &out.library_low, &out.library_high);
    *verdict = out;
cleanup:
    opevo_free(scratch);
    opevo_free(standings);
    return status;
}
