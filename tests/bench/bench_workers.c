/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How busy an engine keeps its workers, and what a slow one among them costs: runs of programs that
 * sleep, equally long or for exponential times, on real workers. The start of the workers counts. A
 * run ends with a last trial, which others wait for: of exponential times by 64 workers that are
 * 3.7 means, whoever hands them out. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <opevo/live.h>
#include <opevo/run.h>
#include <opevo/tuners.h>

#include "bench.h"

enum { TIMES = 128, WORKERS_MOST = 65 };

/* A run, and what it took. */
typedef struct load {
    const char *tuner;
    size_t fast, slow; /* workers */
    bool equal;        /* times; else exponential */
    double mean_s;
    uint64_t trials, seed;
    double asleep_s; /* sum of the times of all trials on fast workers */
    double took_s;
} load;

static const opevo_error *fail(const opevo_error *err)
{
    fprintf(stderr, "%s\n", err->message);
    exit(1);
}

/* The (k + 1/2) / TIMES quantiles, scaled to the mean. */
static double time_of(const load *self, size_t k)
{
    double sum = 0;

    for (size_t i = 0; i < TIMES; i++)
        sum -= log1p(-((double)i + .5) / TIMES);
    return self->equal ? self->mean_s
                       : -self->mean_s * log1p(-((double)k + .5) / TIMES) * TIMES / sum;
}

static opevo_space *make_space(const load *self)
{
    opevo_text text = {0};
    opevo_space *space = NULL;
    opevo_error err = {OPEVO_OK, ""};

    opevo_text_add(&text, "{\"t\": {\"_type\": \"choice\", \"_value\": [");
    for (size_t k = 0; k < (self->equal ? 1 : TIMES); k++)
        opevo_text_printf(&text, "%s%.6f", k ? ", " : "", time_of(self, k));
    opevo_text_add(&text, "]}, \"i\": {\"_type\": \"discrete\", \"_value\": [0");
    for (int i = 1; i < (self->equal ? 16384 : 128); i++)
        opevo_text_printf(&text, ", %d", i);
    opevo_text_add(&text, "]}}");
    if (opevo_space_parse(opevo_text_string(&text), "the bench", ".", &space, &err))
        fail(&err);
    opevo_text_free(&text);
    return space;
}

static void note(void *context, const opevo_trial *trial, bool resumed)
{
    load *self = context;
    opevo_index k = self->equal ? 0 : trial->proposal.point / 128;

    (void)resumed;
    if (trial->outcome.kind != OPEVO_OUTCOME_OK) {
        fprintf(stderr, "trial %llu: %s\n", (unsigned long long)trial->number,
                trial->outcome.message ? trial->outcome.message : "failed");
        exit(1);
    }
    self->asleep_s += time_of(self, (size_t)k);
}

static void run(load *self)
{
    static const char fast[] = OPEVO_WORKER_PATH " cmd";
    static const char slow[] = "env OPEVO_SLEEPER_FACTOR=10 " OPEVO_WORKER_PATH " cmd";
    const char *commands[WORKERS_MOST];
    opevo_program_options program = opevo_program_defaults();
    opevo_run_options options = {.seed = self->seed,
                                 .budget = {.trials = self->trials},
                                 .observer = note,
                                 .observer_context = self};
    opevo_objective *objective = NULL;
    opevo_run_result result;
    opevo_error err = {OPEVO_OK, ""};

    program.command = OPEVO_SLEEPER_PATH " {t} {i}";
    program.result = "s:/([0-9.]+)/"; /* the same on all workers: so are the trials */
    program.workers = (opevo_workers){.commands = commands, .count = self->fast + self->slow};
    for (size_t i = 0; i < program.workers.count; i++)
        commands[i] = i < self->slow ? slow : fast;
    if (opevo_program_open(make_space(self), &program, &objective, &err) ||
        opevo_tuner_find(self->tuner, &options.tuner, &err))
        fail(&err);
    self->asleep_s = 0;
    self->took_s = opevo_clock_monotonic_s();
    if (opevo_run(objective, &options, &result, &err))
        fail(&err);
    self->took_s = opevo_clock_monotonic_s() - self->took_s;
    opevo_objective_destroy(objective);
}

/* The share of the time of fast workers in which trials slept. */
static void busy(bench *self, load of, double goal)
{
    char name[128];

    run(&of);
    snprintf(name, sizeof name, "%s, %zu workers%s, %s times of %g s, %llu trials", of.tuner,
             of.fast, of.slow ? " and a slow one" : "", of.equal ? "equal" : "exponential",
             of.mean_s, (unsigned long long)of.trials);
    if (goal > 0)
        bench_at_least(self, name, of.asleep_s / (of.took_s * (double)of.fast), goal, "busy");
    else
        bench_note(name, of.asleep_s / (of.took_s * (double)of.fast), "busy");
}

/* The time of a run with a slow worker by that without. */
static void slowed(bench *self, load of)
{
    load with = of;
    char name[128];

    with.slow = 1;
    run(&of);
    run(&with);
    snprintf(name, sizeof name, "%s, %zu workers, %s times of %g s, %llu trials", of.tuner, of.fast,
             of.equal ? "equal" : "exponential", of.mean_s, (unsigned long long)of.trials);
    bench_note(name, of.took_s, "s");
    bench_at_most(self, "  with one more that is ten times slower, by that",
                  with.took_s / of.took_s, 1.05, "ratio");
}

int main(void)
{
    bench self = {0};

    bench_title("Share of the workers' time in which programs run");
    for (size_t workers = 4; workers <= 64; workers *= 4) {
        double mean_s = workers > 16 ? .7 : workers > 4 ? .4 : .2;
        uint64_t trials = 150 * workers;

        busy(&self, (load){"random", workers, 0, true, mean_s, trials / 3, 1, 0, 0}, .95);
        busy(&self, (load){"random", workers, 0, false, mean_s, trials, 1, 0, 0}, .95);
    }
    busy(&self, (load){"opevo", 4, 0, true, .2, 200, 1, 0, 0}, 0);
    busy(&self, (load){"opevo", 4, 0, false, .2, 200, 1, 0, 0}, 0);
    bench_title("What a slow worker costs");
    for (int equal = 0; equal < 2; equal++) {
        slowed(&self, (load){"random", 3, 0, equal, .25, 40, 1, 0, 0});
        slowed(&self, (load){"random", 16, 0, equal, .25, 400, 1, 0, 0});
        slowed(&self, (load){"opevo", 3, 0, equal, .25, 120, 1, 0, 0});
        slowed(&self, (load){"opevo", 8, 0, equal, .25, 320, 1, 0, 0});
    }
    return bench_end(&self);
}
