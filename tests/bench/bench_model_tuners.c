/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the tuners with a learned cost model cost beside the library that learns it. Every call of
 * XGBoost is timed on its way (in the table of its functions), by the clock that passes, since
 * reading that of the processor would cost as much as what is looked for; the rest is features,
 * annealing or evolution, the stopping rule, and the run loop. The objective is a table that the
 * points index, so that its share is nothing. */

#include <opevo/hash.h>
#include <opevo/memory.h>
#include <opevo/run.h>
#include <opevo/tuners.h>

#include <math.h>
#include <stdlib.h>

#include "bench.h"
#include "xgboost_internal.h"

/* The space of a matrix product of 512 x 1024 x 1024: 4,152,720 points. */
static const char factor_space[] =
    "{\"K\": {\"_type\": \"factor\", \"_value\": [1024, 3]}, \"X\": {\"_type\": \"factor\","
    " \"_value\": [512, 4]}, \"Y\": {\"_type\": \"factor\", \"_value\": [1024, 4]}}";

/* 17,920 points in seven parameters, of which the constraints allow 10,624. */
static const char list_space[] =
    "{\"bx\": {\"_type\": \"discrete\", \"_value\": [1, 2, 4, 8, 16, 32, 64]},"
    " \"by\": {\"_type\": \"discrete\", \"_value\": [1, 2, 4, 8, 16]},"
    " \"tx\": {\"_type\": \"discrete\", \"_value\": [1, 2, 4, 8]},"
    " \"ty\": {\"_type\": \"discrete\", \"_value\": [1, 2, 4, 8]},"
    " \"pad\": {\"_type\": \"choice\", \"_value\": [0, 1]},"
    " \"cache\": {\"_type\": \"choice\", \"_value\": [0, 1]},"
    " \"unroll\": {\"_type\": \"discrete\", \"_value\": [0, 1, 2, 4, 8, 16, 32, 64]},"
    " \"_constraints\": [\"bx * by >= 16\", \"bx * by * tx * ty <= 2048\"]}";

static double library_s;
static opevo_i_tvm_xgboost functions; /* those of the library */

/* Define a function that times one of the library, with its parameters and its arguments. */
#define TIMED(function, parameters, arguments)                                                     \
    static int timed_##function parameters                                                         \
    {                                                                                              \
        double start = opevo_clock_monotonic_s();                                                  \
        int code = functions.function arguments;                                                   \
                                                                                                   \
        library_s += opevo_clock_monotonic_s() - start;                                            \
        return code;                                                                               \
    }

TIMED(XGDMatrixCreateFromMat_omp,
      (const float *data, bst_ulong rows, bst_ulong columns, float missing, DMatrixHandle *out,
       int threads),
      (data, rows, columns, missing, out, threads))
TIMED(XGBoosterCreate, (const DMatrixHandle matrices[], bst_ulong count, BoosterHandle *out),
      (matrices, count, out))
TIMED(XGBoosterUpdateOneIter, (BoosterHandle booster, int round, DMatrixHandle matrix),
      (booster, round, matrix))
#if XGBOOST_VER_MAJOR >= 2
TIMED(grow,
      (BoosterHandle booster, DMatrixHandle matrix, int round, const char *first,
       const char *second),
      (booster, matrix, round, first, second))
#else
TIMED(grow,
      (BoosterHandle booster, DMatrixHandle matrix, float *first, float *second, bst_ulong count),
      (booster, matrix, first, second, count))
#endif
TIMED(XGBoosterPredictFromDMatrix,
      (BoosterHandle booster, DMatrixHandle matrix, const char *config, const bst_ulong **shape,
       bst_ulong *dimensions, const float **result),
      (booster, matrix, config, shape, dimensions, result))
TIMED(XGBoosterPredictFromDense,
      (BoosterHandle booster, const char *values, const char *config, DMatrixHandle matrix,
       const bst_ulong **shape, bst_ulong *dimensions, const float **result),
      (booster, values, config, matrix, shape, dimensions, result))
TIMED(XGBoosterFree, (BoosterHandle booster), (booster))
TIMED(XGDMatrixFree, (DMatrixHandle matrix), (matrix))

static void time_library(opevo_i_tvm_xgboost *table)
{
    functions = *table;
    table->XGDMatrixCreateFromMat_omp = timed_XGDMatrixCreateFromMat_omp;
    table->XGBoosterCreate = timed_XGBoosterCreate;
    table->XGBoosterUpdateOneIter = timed_XGBoosterUpdateOneIter;
    table->grow = timed_grow;
    table->XGBoosterPredictFromDMatrix = timed_XGBoosterPredictFromDMatrix;
    table->XGBoosterPredictFromDense = timed_XGBoosterPredictFromDense;
    table->XGBoosterFree = timed_XGBoosterFree;
    table->XGDMatrixFree = timed_XGDMatrixFree;
}

/* Smooth in every parameter, with noise: what a cost model can learn, but not wholly. */
typedef struct bowl {
    opevo_objective super;
    bool noise_only;
} bowl;

static opevo_status evaluate(opevo_objective *objective, const opevo_index *points, size_t count,
                             opevo_outcome *outcomes, opevo_error *err)
{
    const opevo_space *space = objective->space;
    const bowl *self = (const bowl *)objective;

    (void)err;
    for (size_t i = 0; i < count; i++) {
        opevo_index vertices[16];
        double sum = 0;
        double noise = (double)(opevo_hash_mix((uint64_t)points[i]) >> 11) * 0x1p-53;

        opevo_space_decode(space, points[i], vertices);
        for (size_t k = 0; k < opevo_space_parameter_count(space); k++) {
            double size = (double)opevo_parameter_size(opevo_space_parameter(space, k));
            double away = (double)vertices[k] / size - 0.6;

            sum += away * away;
        }
        outcomes[i] = (opevo_outcome){.kind = OPEVO_OUTCOME_OK, .time_s = 1};
        outcomes[i].fitness =
            self->noise_only ? 1 + noise : 100 * exp(-4 * sum) * (0.8 + 0.4 * noise);
    }
    return OPEVO_OK;
}

static void destroy(opevo_objective *objective)
{
    (void)objective;
}

static const opevo_objective_ops bowl_ops = {
    .kind = "bowl", .evaluate = evaluate, .destroy = destroy};

enum { TRIALS = 500 };

static void check(opevo_status status, const opevo_error *err)
{
    if (status == OPEVO_OK)
        return;
    fprintf(stderr, "bench_model_tuners: %s\n", err->message);
    exit(1);
}

static void measure(bench *self, const char *tuner, const char *space_text, bool noise_only,
                    uint64_t seeds, double most)
{
    opevo_setting_value settings[32];
    opevo_space *space = NULL;
    opevo_error err;
    opevo_run_options options = {.settings = settings, .budget = {.trials = TRIALS}};
    char name[128];
    double start_cpu = 0, start_wall = 0, cpu = 0, wall = 0;
    bowl objective;

    check(opevo_space_parse(space_text, "bench", NULL, &space, &err), &err);
    check(opevo_tuner_find(tuner, &options.tuner, &err), &err);
    opevo_settings_default(options.tuner, settings);
    objective = (bowl){.super = {.ops = &bowl_ops, .space = space, .name = "bowl", .unit = "1/s"},
                       .noise_only = noise_only};
    library_s = 0;
    start_cpu = opevo_clock_process_s();
    start_wall = opevo_clock_monotonic_s();
    for (options.seed = 1; options.seed <= seeds; options.seed++) {
        opevo_run_result result;

        check(opevo_run(&objective.super, &options, &result, &err), &err);
    }
    cpu = opevo_clock_process_s() - start_cpu;
    wall = opevo_clock_monotonic_s() - start_wall;
    snprintf(name, sizeof name, "%s on %s%s", tuner,
             space_text == factor_space ? "factorisations" : "constrained lists",
             noise_only ? ", noise only" : "");
    bench_note(name, 1e3 * cpu / (double)(seeds * TRIALS), "ms/trial");
    if (library_s > 0 && most > 0)
        bench_at_most(self, "  all over what XGBoost takes", wall / library_s, most, "");
    else if (library_s > 0)
        bench_note("  all over what XGBoost takes", wall / library_s, "");
    opevo_space_destroy(space);
}

int main(void)
{
    static const struct {
        const char *name;
        uint64_t seeds;
        double most; /* of the time over that of XGBoost; 0: no goal */
    } rows[] = {{"autotvm", 5, 1.1},
                {"autotvm-ga", 20, 0},
                {"droplet", 20, 0},
                {"ansor-knobs", 1, 0},
                {"tpe", 5, 0}};
    bench self = {0};
    opevo_i_tvm_xgboost *table = NULL;
    opevo_error err;

    check(opevo_i_tvm_xgboost_open(&table, &err), &err);
    time_library(table);
    bench_title("Tuners after AutoTVM and Ansor, and TPE: 500 trials");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        measure(&self, rows[i].name, factor_space, false, rows[i].seeds, rows[i].most);
        measure(&self, rows[i].name, factor_space, true, rows[i].seeds, rows[i].most);
        measure(&self, rows[i].name, list_space, false, rows[i].seeds, rows[i].most);
    }
    return bench_end(&self);
}
