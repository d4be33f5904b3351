/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How long a study will take, from a random sample of what is left of it. */

#include "study_parts_internal.h"

#include <opevo/clock.h>
#include <opevo/gsl_errors.h>
#include <opevo/memory.h>
#include <opevo/parallel.h>
#include <opevo/random.h>
#include <opevo/struct_size.h>

#include <gsl/gsl_cdf.h>

#include <math.h>
#include <unistd.h>

enum { SAMPLE_MIN = 3 };

typedef struct stopwatch {
    double begun_s, limit_s;
    uint64_t trials;
    double cost_s;
    opevo_interrupt stop;
} stopwatch;

static void watch(void *context, const opevo_trial *trial, bool resumed)
{
    stopwatch *self = context;

    (void)resumed;
    self->trials = trial->number;
    self->cost_s += opevo_outcome_cost_s(&trial->outcome);
    if (opevo_clock_thread_s() - self->begun_s > self->limit_s)
        opevo_interrupt_raise(&self->stop);
}

/* Processor time of the run; of one that is cut short, what the share of its budget that it came
 * through makes of it. */
static opevo_status time_run(const opevo_study_line *line, uint64_t seed, double limit_s,
                             double *spent_s, double *out, opevo_error *err)
{
    stopwatch watched = {.begun_s = opevo_clock_thread_s(), .limit_s = limit_s};
    opevo_run_result result;
    opevo_run_options options = {.tuner = line->tuner,
                                 .settings = line->settings,
                                 .criteria = &line->criteria,
                                 .requirements = line->requirements,
                                 .requirement_count = line->requirement_count,
                                 .seed = seed,
                                 .budget = line->budget,
                                 .observer = watch,
                                 .observer_context = &watched,
                                 .interrupt = &watched.stop};
    opevo_status status = opevo_run(line->objective, &options, &result, err);
    double share = 1;

    if (status != OPEVO_OK)
        return status;
    *spent_s = opevo_clock_thread_s() - watched.begun_s;
    if (result.stop == OPEVO_STOP_INTERRUPTED) {
        share = line->budget.trials ? (double)watched.trials / (double)line->budget.trials : 0;
        if (line->budget.seconds > 0)
            share = fmax(share, watched.cost_s / line->budget.seconds);
    }
    *out = share > 0 ? *spent_s / fmin(share, 1) : *spent_s;
    return OPEVO_OK;
}

/* Numbers of the computed runs that are still to do, and the counts. */
static opevo_status find_todo(const opevo_study *study, const opevo_study_options *options,
                              uint64_t *numbers, size_t *count, opevo_study_estimate *out,
                              opevo_error *err)
{
    const char *paths[2] = {options->store, options->known};
    opevo_i_study_slot *slots = opevo_calloc(*count, sizeof *slots);
    opevo_status status = OPEVO_OK;
    opevo_store *store = NULL;

    OPEVO_NEED_OR_RETURN(slots, "the runs of a study");
    out->runs = *count;
    for (size_t s = 0; s < 2; s++) {
        size_t kept = 0;

        if (!paths[s] || access(paths[s], F_OK))
            continue;
        OPEVO_TRY(opevo_store_open(paths[s], OPEVO_STORE_READ, &store, err));
        OPEVO_TRY(opevo_i_study_slots(store, study, numbers, *count, false, slots, err));
        opevo_store_close(store);
        store = NULL;
        for (size_t i = 0; i < *count; i++) {
            if (!slots[i].ended)
                numbers[kept++] = numbers[i];
        }
        *count = kept;
    }
    out->present = out->runs - *count;
    for (size_t i = *count; i-- > 0;) {
        if (opevo_i_study_is_stored_whole(study->lines[numbers[i] % study->line_count].objective))
            continue;
        out->measured++;
        numbers[i] = numbers[--*count];
    }
cleanup:
    opevo_store_close(store);
    opevo_free(slots);
    return status;
}

/* Mean and interval of the mean from n of N values, drawn without replacement. */
static void conclude(const double *values, size_t n, size_t total, unsigned threads,
                     opevo_study_estimate *out)
{
    double mean = 0;
    double square = 0;
    double half = 0;
    double scale = (double)total / (double)threads;

    for (size_t i = 0; i < n; i++)
        mean += values[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        square += (values[i] - mean) * (values[i] - mean);
    if (n > 1)
        half = gsl_cdf_tdist_Pinv(0.975, (double)n - 1) *
               sqrt(square / (double)(n - 1) / (double)n * (1 - (double)n / (double)total));
    out->sampled = n;
    out->seconds = scale * mean;
    out->low = scale * fmax(mean - half, 0);
    out->high = scale * (mean + half);
}

static opevo_status sample(const opevo_study *study, uint64_t *numbers, size_t count,
                           double spend_s, unsigned threads, opevo_study_estimate *out,
                           opevo_error *err)
{
    double *values = opevo_malloc(count, sizeof *values);
    opevo_status status = OPEVO_OK;
    double left_s = spend_s;
    opevo_rng rng;
    size_t n = 0;

    OPEVO_NEED_OR_RETURN(values, "a sample of the runs");
    opevo_rng_init(&rng, 1, "study-estimate", 0);
    for (; n < count && (n < SAMPLE_MIN || left_s > 0); n++) {
        double spent_s = 0;

        opevo_rng_choose(&rng, numbers + n, count - n, 1, sizeof *numbers);
        OPEVO_TRY(time_run(&study->lines[numbers[n] % study->line_count],
                           opevo_study_seed(study, numbers[n]), spend_s / SAMPLE_MIN, &spent_s,
                           &values[n], err));
        left_s -= spent_s;
    }
    conclude(values, n, count, threads < count ? threads : (unsigned)count, out);
cleanup:
    opevo_free(values);
    return status;
}

opevo_status opevo_study_estimate_time_sized(const opevo_study *study,
                                             const opevo_study_options *options, size_t size,
                                             double spend_s, opevo_study_estimate *out,
                                             opevo_error *err)
{
    opevo_study_options known;
    opevo_study_estimate self = {.runs = 0};
    uint64_t *numbers = NULL;
    size_t count = 0;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_struct_read(options, size, "opevo_study_options", &known, sizeof known, err));
    OPEVO_TRY(opevo_i_study_shard_numbers(study, known.shard, &numbers, &count, err));
    OPEVO_TRY(find_todo(study, &known, numbers, &count, &self, err));
    if (count)
        OPEVO_TRY(sample(study, numbers, count, spend_s,
                         known.threads ? known.threads : opevo_processor_count(), &self, err));
    *out = self;
cleanup:
    opevo_free(numbers);
    return status;
}
