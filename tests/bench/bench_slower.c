/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the limit relative to the best does to searches: on recorded landscapes, a trial that takes
 * more than so many times as long as the best of the run before its batch is a failure and costs no
 * more than that. Of each factor: how good the best trial is in the end, and what the executions of
 * all trials cost. bench_slower [SEEDS [TRIALS]], with the folder of recordings in
 * OPEVO_TEST_LANDSCAPES. */

#include "bench.h"

#include <opevo/landscape.h>
#include <opevo/memory.h>
#include <opevo/run.h>
#include <opevo/tuners.h>

#include <math.h>
#include <stdlib.h>

enum { BATCH = 4 };

/* A recording that is measured with a limit. */
typedef struct limited {
    opevo_objective super;
    opevo_objective *inner;
    double factor; /* 0: none */
    double best;   /* fitness */
} limited;

static void note_best(opevo_objective *objective, double fitness)
{
    ((limited *)objective)->best = fitness;
}

static opevo_status measure(opevo_objective *objective, const opevo_index *points, size_t count,
                            const opevo_interrupt *interrupt, opevo_outcome_sink sink,
                            void *sink_context, opevo_error *err)
{
    const limited *self = (const limited *)objective;
    opevo_status status = OPEVO_OK;

    (void)interrupt;
    for (size_t i = 0; i < count && status == OPEVO_OK; i++) {
        opevo_outcome outcome;

        status = opevo_objective_evaluate(self->inner, &points[i], 1, &outcome, err);
        if (status != OPEVO_OK)
            return status;
        outcome.build_s = outcome.check_s = outcome.other_s = 0;
        outcome.run_s = outcome.fitness > 0 ? 1 / outcome.fitness : 0;
        if (self->factor > 0 && outcome.fitness > 0 &&
            self->best > self->factor * outcome.fitness) {
            outcome = opevo_outcome_failed(OPEVO_OUTCOME_TIMEOUT);
            outcome.run_s = self->factor / self->best;
        }
        status = sink(sink_context, i, &outcome, err);
    }
    return status;
}

static void destroy(opevo_objective *objective)
{
    (void)objective;
}

static const opevo_objective_ops ops = {
    .kind = "limited", .measure = measure, .destroy = destroy, .note_best = note_best};

static void check(opevo_status status, const opevo_error *err)
{
    if (status == OPEVO_OK)
        return;
    fprintf(stderr, "bench_slower: %s\n", err->message);
    exit(2);
}

/* Logarithms of the share of the optimum, and of the cost in executions of the optimum. */
typedef struct sums {
    double quality, cost;
    size_t runs;
} sums;

static void search(const char *tuner, opevo_objective *inner, double factor, uint64_t seed,
                   uint64_t trials, sums *out)
{
    limited self = {.super = *inner, .inner = inner, .factor = factor};
    opevo_setting_value settings[32];
    opevo_run_options options = {.settings = settings, .seed = seed, .budget = {.trials = trials}};
    opevo_run_result result = {0};
    opevo_optimum optimum;
    opevo_error err = {OPEVO_OK, ""};

    self.super.ops = &ops;
    self.super.concurrent = false;
    self.super.wanted = BATCH;
    check(opevo_objective_optimum(inner, &optimum, &err), &err);
    check(opevo_tuner_find(tuner, &options.tuner, &err), &err);
    opevo_settings_default(options.tuner, settings);
    check(opevo_run(&self.super, &options, &result, &err), &err);
    out->quality += log(result.best.outcome.fitness / optimum.fitness);
    out->cost += log(result.cost_s * optimum.fitness);
    out->runs++;
}

int main(int argc, char **argv)
{
    static const char *const tuners[] = {"opevo", "qgp", "autotvm", "tpe", "random"};
    static const char *const names[] = {"mm64", "mm128", "mm128pack", "mm256", "mmix"};
    static const double factors[] = {0, 20, 10, 5, 3, 2};
    const char *folder = getenv("OPEVO_TEST_LANDSCAPES");
    uint64_t seeds = argc > 1 ? strtoull(argv[1], NULL, 10) : 2;
    uint64_t trials = argc > 2 ? strtoull(argv[2], NULL, 10) : 150;
    bench self = {0};

    if (!folder) {
        fputs("bench_slower: OPEVO_TEST_LANDSCAPES names no folder of recordings\n", stderr);
        return 2;
    }
    bench_title("limit relative to the best: share of the optimum, executions of the optimum");
    for (size_t t = 0; t < sizeof tuners / sizeof *tuners; t++) {
        for (size_t f = 0; f < sizeof factors / sizeof *factors; f++) {
            sums all = {0};
            char label[80];

            for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
                char path[4200];
                opevo_objective *inner = NULL;
                opevo_error err = {OPEVO_OK, ""};

                snprintf(path, sizeof path, "%s/cpu-matmul/%s.csv.xz", folder, names[n]);
                check(opevo_recorded_open(path, NULL, &inner, &err), &err);
                for (uint64_t seed = 1; seed <= seeds; seed++)
                    search(tuners[t], inner, factors[f], seed, trials, &all);
                opevo_objective_destroy(inner);
            }
            snprintf(label, sizeof label, "%s, limit %g times", tuners[t], factors[f]);
            bench_note(label, 100 * exp(all.quality / (double)all.runs), "%");
            bench_note("  cost", exp(all.cost / (double)all.runs), "");
        }
    }
    return bench_end(&self);
}
