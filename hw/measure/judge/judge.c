/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What slows a round slows all of it, so kernels are compared round by round: by a sign test and by
 * the median of the ratios of their times. One of them takes part twice: what the comparison says
 * of it and itself is what it says of nothing. */

#include <opevo/judge.h>

#include <opevo/memory.h>
#include <opevo/random.h>
#include <opevo/sign_test.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEVEL 0.05

typedef struct judging {
    const opevo_judge_kernel *kernels;
    const opevo_judge_options *options;
    opevo_judge_verdict *verdict;
    double *twin_s; /* of the rounds */
    size_t *order;
} judging;

double opevo_judge_floor_s(double operations, double bytes, double peak)
{
    return peak > 0 ? fmax(operations, bytes / 4) / peak / 2 : 0;
}

/* ---- Measuring ---- */

typedef struct last {
    opevo_judge_result *result;
    double time_s; /* NAN: it failed */
} last;

static opevo_status note(void *context, size_t i, const opevo_outcome *outcome, opevo_error *err)
{
    last *self = context;

    (void)i, (void)err;
    self->time_s = outcome->kind == OPEVO_OUTCOME_OK ? outcome->time_s : NAN;
    if (outcome->kind == OPEVO_OUTCOME_OK)
        return OPEVO_OK;
    self->result->kind = outcome->kind;
    opevo_text_clear(&self->result->why);
    opevo_text_add(&self->result->why, outcome->message ? outcome->message : "");
    return OPEVO_OK;
}

static opevo_status measure(const judging *self, size_t number, double *time_s, opevo_error *err)
{
    const opevo_index point = 0;
    last one = {&self->verdict->results[number], NAN};
    opevo_status status = opevo_objective_measure(self->kernels[number].objective, &point, 1,
                                                  self->options->interrupt, note, &one, err);

    *time_s = one.time_s;
    return status;
}

static bool takes_part(const judging *self, size_t number)
{
    return self->kernels[number].objective &&
           self->verdict->results[number].kind == OPEVO_OUTCOME_OK;
}

/* Once each, which builds them as well. */
static opevo_status try_all(judging *self, opevo_error *err)
{
    opevo_judge_verdict *verdict = self->verdict;
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < verdict->count && status == OPEVO_OK; i++) {
        double time_s = 0;

        verdict->results[i].measured = self->kernels[i].objective != NULL;
        if (verdict->results[i].measured)
            status = measure(self, i, &time_s, err);
        if (status != OPEVO_OK || !takes_part(self, i))
            continue;
        if (verdict->twin == verdict->count ||
            (self->kernels[i].baseline && !self->kernels[verdict->twin].baseline))
            verdict->twin = i;
    }
    return status;
}

static opevo_status run_round(judging *self, uint64_t round, opevo_error *err)
{
    opevo_judge_verdict *verdict = self->verdict;
    size_t count = verdict->count + (verdict->twin < verdict->count);
    opevo_rng rng;
    opevo_status status = OPEVO_OK;

    opevo_rng_init(&rng, self->options->seed, "judge", round);
    opevo_rng_order(&rng, self->order, count);
    for (size_t i = 0; i < count && status == OPEVO_OK; i++) {
        bool is_twin = self->order[i] == verdict->count;
        size_t number = is_twin ? verdict->twin : self->order[i];
        double time_s = 0;

        if (!takes_part(self, number))
            continue;
        status = measure(self, number, &time_s, err);
        if (is_twin)
            self->twin_s[round] = time_s;
        else
            verdict->results[number].times_s[round] = time_s;
        if (!is_twin && takes_part(self, number))
            verdict->results[number].count = (size_t)round + 1;
    }
    return status;
}

/* ---- Judging ---- */

static int ascending(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

/* Of `count` values, which are put in order. */
static void summarise(double *values, size_t count, double *median, double *low, double *high)
{
    qsort(values, count, sizeof *values, ascending);
    *median = (values[(count - 1) / 2] + values[count / 2]) / 2;
    *low = *high = NAN;
    (void)opevo_median_interval(values, count, 1 - LEVEL, low, high);
}

typedef struct comparison {
    double ratio, low, high; /* of other / own */
    double probability;
} comparison;

static opevo_status compare(const double *own, const double *other, size_t count, comparison *out,
                            opevo_error *err)
{
    double *ratios = opevo_malloc(count, sizeof *ratios);
    uint64_t wins = 0, losses = 0;

    OPEVO_NEED_OR_RETURN(ratios, "%zu rounds", count);
    for (size_t i = 0; i < count; i++) {
        ratios[i] = other[i] / own[i];
        wins += own[i] < other[i];
        losses += own[i] > other[i];
    }
    summarise(ratios, count, &out->ratio, &out->low, &out->high);
    out->probability = opevo_sign_test(wins, losses);
    opevo_free(ratios);
    return OPEVO_OK;
}

static bool is_right(const judging *self, size_t i)
{
    return takes_part(self, i) && !self->verdict->results[i].impossible;
}

static opevo_status judge_times(judging *self, opevo_error *err)
{
    opevo_judge_verdict *verdict = self->verdict;
    double *times = opevo_malloc(self->options->rounds, sizeof *times);

    OPEVO_NEED_OR_RETURN(times, "the times of a kernel");
    for (size_t i = 0; i < verdict->count; i++) {
        opevo_judge_result *one = &verdict->results[i];

        if (!takes_part(self, i))
            continue;
        memcpy(times, one->times_s, one->count * sizeof *times);
        summarise(times, one->count, &one->median_s, &one->low_s, &one->high_s);
        one->impossible = one->median_s < self->kernels[i].floor_s;
        if (one->impossible)
            continue;
        if (verdict->winner == verdict->count ||
            one->median_s < verdict->results[verdict->winner].median_s)
            verdict->winner = i;
        if (self->kernels[i].baseline &&
            (verdict->baseline == verdict->count ||
             one->median_s < verdict->results[verdict->baseline].median_s))
            verdict->baseline = i;
    }
    opevo_free(times);
    return OPEVO_OK;
}

static opevo_status judge_twin(judging *self, opevo_error *err)
{
    opevo_judge_verdict *verdict = self->verdict;
    comparison found = {NAN, NAN, NAN, 1};
    opevo_status status = OPEVO_OK;

    if (verdict->twin < verdict->count && takes_part(self, verdict->twin))
        status = compare(verdict->results[verdict->twin].times_s, self->twin_s,
                         (size_t)self->options->rounds, &found, err);
    else
        verdict->twin = verdict->count;
    verdict->twin_ratio = found.ratio;
    verdict->twin_low = found.low;
    verdict->twin_high = found.high;
    verdict->twin_probability = found.probability;
    verdict->biased = found.probability < LEVEL;
    return status;
}

static opevo_status judge_speedups(judging *self, opevo_error *err)
{
    opevo_judge_verdict *verdict = self->verdict;
    size_t rivals = 0;

    if (verdict->baseline == verdict->count)
        return OPEVO_OK;
    for (size_t i = 0; i < verdict->count; i++)
        rivals += is_right(self, i) && i != verdict->baseline;
    for (size_t i = 0; i < verdict->count; i++) {
        opevo_judge_result *one = &verdict->results[i];
        comparison found;
        opevo_status status;

        if (!is_right(self, i) || i == verdict->baseline)
            continue;
        status = compare(one->times_s, verdict->results[verdict->baseline].times_s, one->count,
                         &found, err);
        if (status != OPEVO_OK)
            return status;
        one->speedup = found.ratio;
        one->speedup_low = found.low;
        one->speedup_high = found.high;
        one->probability = found.probability;
        one->faster =
            found.ratio > 1 && found.probability < LEVEL / (double)rivals && !verdict->biased;
    }
    return OPEVO_OK;
}

/* ---- All of it ---- */

static opevo_status make(judging *self, opevo_error *err)
{
    opevo_judge_verdict *verdict = self->verdict;
    bool complete = false;

    verdict->results = opevo_calloc(verdict->count + 1, sizeof *verdict->results);
    self->order = opevo_calloc(verdict->count + 1, sizeof *self->order);
    self->twin_s = opevo_calloc(self->options->rounds, sizeof *self->twin_s);
    complete = verdict->results && self->order && self->twin_s;
    for (size_t i = 0; complete && i < verdict->count; i++) {
        opevo_judge_result *one = &verdict->results[i];

        one->times_s = opevo_calloc(self->options->rounds, sizeof *one->times_s);
        one->median_s = one->low_s = one->high_s = NAN;
        one->speedup = one->speedup_low = one->speedup_high = one->probability = NAN;
        complete = one->times_s != NULL;
    }
    return complete ? OPEVO_OK
                    : OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for %zu kernels.", verdict->count);
}

opevo_status opevo_judge(const opevo_judge_kernel *kernels, size_t count,
                         const opevo_judge_options *options, opevo_judge_verdict *out,
                         opevo_error *err)
{
    judging self = {.kernels = kernels, .options = options, .verdict = out};
    opevo_status status = OPEVO_OK;

    *out = (opevo_judge_verdict){.count = count, .baseline = count, .winner = count, .twin = count};
    if (options->rounds == 0)
        return OPEVO_FAIL(err, OPEVO_INVALID, "A judge needs at least one round.");
    OPEVO_TRY(make(&self, err));
    OPEVO_TRY(try_all(&self, err));
    for (uint64_t round = 0; round < options->rounds; round++)
        OPEVO_TRY(run_round(&self, round, err));
    OPEVO_TRY(judge_times(&self, err));
    OPEVO_TRY(judge_twin(&self, err));
    status = judge_speedups(&self, err);
cleanup:
    opevo_free(self.order);
    opevo_free(self.twin_s);
    return status;
}

void opevo_judge_verdict_free(opevo_judge_verdict *verdict)
{
    for (size_t i = 0; verdict->results && i < verdict->count; i++) {
        opevo_text_free(&verdict->results[i].why);
        opevo_free(verdict->results[i].times_s);
    }
    opevo_free(verdict->results);
    verdict->results = NULL;
    verdict->count = 0;
}
