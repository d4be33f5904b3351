/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the engine costs beside the objective: proposals, duplicates, the run loop. The landscapes
 * are tables in memory, so that their share is one look-up.
 *
 * A long run has proposed all points near its best ones, so a child is mutated more often until it
 * is new: that is the law of the algorithm, and its cost a trial rises with it. What must not rise
 * is the cost of one mutation, but for the cache: the set of seen points outgrows it. Mutations are
 * counted where each of them asks whether its point was seen (the linker's --wrap). */

#include <opevo/hash.h>
#include <opevo/landscape.h>
#include <opevo/memory.h>
#include <opevo/parallel.h>
#include <opevo/run.h>
#include <opevo/tuners.h>

#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "bench.h"

/* The space of a matrix product of 512 x 1024 x 1024: 4,152,720 points. */
static const char big_space[] =
    "{\"K\": {\"_type\": \"factor\", \"_value\": [1024, 3]}, \"X\": {\"_type\": \"factor\","
    " \"_value\": [512, 4]}, \"Y\": {\"_type\": \"factor\", \"_value\": [1024, 4]}}";

/* 17,920 points in seven parameters, of which the constraints allow 10,624: the size of a recorded
 * landscape of a convolution. */
static const char small_space[] =
    "{\"bx\": {\"_type\": \"discrete\", \"_value\": [1, 2, 4, 8, 16, 32, 64]},"
    " \"by\": {\"_type\": \"discrete\", \"_value\": [1, 2, 4, 8, 16]},"
    " \"tx\": {\"_type\": \"discrete\", \"_value\": [1, 2, 4, 8]},"
    " \"ty\": {\"_type\": \"discrete\", \"_value\": [1, 2, 4, 8]},"
    " \"pad\": {\"_type\": \"choice\", \"_value\": [0, 1]},"
    " \"cache\": {\"_type\": \"choice\", \"_value\": [0, 1]},"
    " \"unroll\": {\"_type\": \"discrete\", \"_value\": [0, 1, 2, 4, 8, 16, 32, 64]},"
    " \"_constraints\": [\"bx * by >= 16\", \"bx * by * tx * ty <= 2048\"]}";

static _Thread_local uint64_t mutations;

bool real_has(const opevo_index_set *set, opevo_index key) __asm__("__real_opevo_index_set_has");
bool counting_has(const opevo_index_set *set,
                  opevo_index key) __asm__("__wrap_opevo_index_set_has");

bool counting_has(const opevo_index_set *set, opevo_index key)
{
    mutations++;
    return real_has(set, key);
}

/* Fitness of every point in a table; 0 stands for a failure. */
typedef struct table {
    opevo_objective super;
    opevo_space *space;
    float *fitness;
} table;

static opevo_status evaluate(opevo_objective *objective, const opevo_index *points, size_t count,
                             opevo_outcome *outcomes, opevo_error *err)
{
    const table *self = (const table *)objective;

    (void)err;
    for (size_t i = 0; i < count; i++) {
        float fitness = self->fitness[points[i]];

        if (fitness > 0)
            outcomes[i] = (opevo_outcome){
                .kind = OPEVO_OUTCOME_OK, .fitness = fitness, .time_s = 1 / fitness, .run_s = 0.1};
        else
            outcomes[i] = opevo_outcome_failed(OPEVO_OUTCOME_LAUNCH_ERROR);
    }
    return OPEVO_OK;
}

static void destroy(opevo_objective *objective)
{
    table *self = (table *)objective;

    opevo_space_destroy(self->space);
    opevo_free(self->fitness);
    opevo_free(self);
}

static const opevo_objective_ops table_ops = {
    .kind = "table", .evaluate = evaluate, .destroy = destroy};

/* A smooth hill over each parameter, one in five of the points failing. */
static void fill(table *self)
{
    size_t size = (size_t)opevo_space_size(self->space);
    size_t width = opevo_space_parameter_count(self->space);

    for (size_t point = 0; point < size; point++) {
        uint64_t noise = opevo_hash_mix(point);
        opevo_index vertices[16];
        double distance = 0;

        opevo_space_decode(self->space, point, vertices);
        for (size_t i = 0; i < width; i++) {
            double top = (double)opevo_parameter_size(opevo_space_parameter(self->space, i)) / 3;

            distance += fabs((double)vertices[i] - top) / (1 + top);
        }
        if (noise % 5)
            self->fitness[point] =
                (float)(1000 * exp(-distance) * (1 + 0.05 * (double)(noise >> 60)));
    }
}

static opevo_objective *make_table(const char *space)
{
    table *self = opevo_calloc(1, sizeof *self);

    if (!self || opevo_space_parse(space, "bench", NULL, &self->space, NULL) != OPEVO_OK)
        return NULL;
    self->fitness = opevo_calloc((size_t)opevo_space_size(self->space), sizeof *self->fitness);
    if (!self->fitness)
        return NULL;
    fill(self);
    self->super = (opevo_objective){.ops = &table_ops,
                                    .space = self->space,
                                    .name = "table",
                                    .unit = "GFLOP/s",
                                    .concurrent = true};
    return &self->super;
}

static opevo_status run_once(opevo_objective *objective, uint64_t seed, uint64_t trials,
                             opevo_error *err)
{
    opevo_setting_value settings[32];
    opevo_run_result result;
    opevo_run_options options = {.seed = seed, .budget = {.trials = trials}, .settings = settings};
    opevo_status status = opevo_tuner_find("opevo", &options.tuner, err);

    if (status != OPEVO_OK)
        return status;
    opevo_settings_default(options.tuner, settings);
    return opevo_run(objective, &options, &result, err);
}

/* Processor time a trial, the best of some repeats, and mutations a trial. */
typedef struct cost {
    double time_us;
    double mutations;
} cost;

static cost measure(opevo_objective *objective, uint64_t trials, int repeats)
{
    cost best = {.time_us = INFINITY};

    for (int i = 0; i < repeats; i++) {
        double start = opevo_clock_process_s();

        mutations = 0;
        if (run_once(objective, (uint64_t)i + 1, trials, NULL) != OPEVO_OK)
            return best;
        best.time_us = fmin(best.time_us, (opevo_clock_process_s() - start) * 1e6 / (double)trials);
        best.mutations = (double)mutations / (double)trials;
    }
    return best;
}

static double peak_mb(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

static opevo_status one_of_many(void *context, size_t index, unsigned worker, opevo_error *err)
{
    (void)worker;
    return run_once(context, index + 1, 500, err);
}

/* Seconds for 10,000 runs of 500 trials on all processors. */
static double many_runs_s(opevo_objective *objective)
{
    double start = opevo_clock_monotonic_s();
    opevo_status status = opevo_parallel_for(10000, 0, one_of_many, objective, NULL);

    return status == OPEVO_OK ? opevo_clock_monotonic_s() - start : INFINITY;
}

static void bench_length(bench *rows, opevo_objective *objective)
{
    cost few;
    cost many;

    bench_title("Engine: opevo, lambda = rho = 8, q = 0.5, on a table of 4,152,720 points");
    few = measure(objective, 10000, 10);
    many = measure(objective, 1000000, 1);
    bench_at_most(rows, "one trial of 10^4", few.time_us, 2, "us");
    bench_at_most(rows, "one trial of 10^6", many.time_us, 2, "us");
    bench_note("mutations a trial of 10^4", few.mutations, "");
    bench_note("mutations a trial of 10^6", many.mutations, "");
    bench_at_most(rows, "one mutation of 10^6 trials against one of 10^4",
                  many.time_us / many.mutations / (few.time_us / few.mutations), 2, "times");
    bench_at_most(rows, "peak memory of the process after 10^6 trials", peak_mb(), 200, "MB");
}

/* Where the recorded landscapes are at hand. */
static void bench_recorded(bench *rows)
{
    const char *folder = getenv("OPEVO_TEST_LANDSCAPES");
    opevo_objective *recorded = NULL;
    char path[4096];

    if (!folder)
        return;
    snprintf(path, sizeof path, "%s/conv_a100", folder);
    if (opevo_recorded_open(path, NULL, &recorded, NULL) != OPEVO_OK)
        return;
    bench_at_most(rows, "the recorded landscape conv_a100", many_runs_s(recorded), 20, "s");
    opevo_objective_destroy(recorded);
}

int main(void)
{
    bench rows = {0};
    opevo_objective *big = make_table(big_space);
    opevo_objective *small = make_table(small_space);

    if (!big || !small) {
        fprintf(stderr, "The landscapes cannot be made.\n");
        return 1;
    }
    bench_length(&rows, big);
    bench_title("Engine: 10,000 runs of 500 trials on all processors");
    bench_at_most(&rows, "a table of 10,624 allowed points", many_runs_s(small), 20, "s");
    bench_recorded(&rows);
    opevo_objective_destroy(big);
    opevo_objective_destroy(small);
    return bench_end(&rows);
}
