/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the search of `ansor` costs: samples and mutations on a space like that of a convolution's
 * sketches, and trainings and predictions over a run with features of programs, 8 statements of 164
 * numbers each. The features themselves are numbers from a hash, so that their share is small. */

#include <opevo/hash.h>
#include <opevo/run.h>
#include <opevo/tuners.h>

#include <math.h>
#include <stdlib.h>

#include "bench.h"
#include "cost_model_internal.h"
#include "genome_internal.h"

#define TILE(name, extent, parts)                                                                  \
    "\"" name "\": {\"_type\": \"factor\", \"_value\": [" #extent ", " #parts "]},"
#define TILES                                                                                      \
    TILE("C__n", 16, 4)                                                                            \
    TILE("C__h", 56, 4)                                                                            \
    TILE("C__w", 56, 4)                                                                            \
    TILE("C__f", 256, 4) TILE("C__c", 64, 2) TILE("C__y", 3, 2) TILE("C__x", 3, 2)
#define ANNOTATIONS                                                                                \
    "\"C__parallel\": {\"_type\": \"discrete\", \"_value\": [1, 2, 3, 4]},"                        \
    "\"C__unroll\": {\"_type\": \"discrete\", \"_value\": [0, 16, 64, 512]},"                      \
    "\"pad__location\": {\"_type\": \"discrete\", \"_value\": [0, 1, 2, 3, 4, 5, 6, 7]},"          \
    "\"relu__unroll\": {\"_type\": \"discrete\", \"_value\": [0, 16, 64, 512]},"                   \
    "\"C__vectorize\": {\"_type\": \"discrete\", \"_value\": [1, 2]}"

static const char sketches[] =
    "{\"sketch\": {\"_type\": \"choice\", \"_value\": [{\"_name\": \"a\"," TILES ANNOTATIONS "},"
    "{\"_name\": \"b\"," TILES ANNOTATIONS "}, {\"_name\": \"c\"," TILES ANNOTATIONS "}]},"
    "\"_constraints\": [\"sketch.a.C__f[3] <= 64\", \"sketch.b.C__f[3] <= 64\"]}";

enum { STATES = 200000, ROWS = 8, FEATURES = 164, TRIALS = 1000, WIDTH = 64 };

static double training_s;

opevo_status real_train(opevo_i_tvm_cost_model *model, const opevo_i_model_samples *samples,
                        opevo_error *err) __asm__("__real_opevo_i_tvm_cost_model_train");
opevo_status timed_train(opevo_i_tvm_cost_model *model, const opevo_i_model_samples *samples,
                         opevo_error *err) __asm__("__wrap_opevo_i_tvm_cost_model_train");
opevo_status timed_train(opevo_i_tvm_cost_model *model, const opevo_i_model_samples *samples,
                         opevo_error *err)
{
    double start = opevo_clock_monotonic_s();
    opevo_status status = real_train(model, samples, err);

    training_s += opevo_clock_monotonic_s() - start;
    bench_note("  a training, rounds", opevo_i_tvm_cost_model_rounds(model), "");
    return status;
}

static void check(opevo_status status, const opevo_error *err)
{
    if (status == OPEVO_OK)
        return;
    fprintf(stderr, "bench_ansor: %s\n", err->message);
    exit(1);
}

static void measure_states(bench *self, const opevo_space *space)
{
    opevo_i_tvm_genome *genome = opevo_i_tvm_genome_create(space, OPEVO_I_GENE_WEIGHTS_AUTO, 64);
    opevo_index vertices[WIDTH];
    uint64_t allowed = 0;
    double start = 0;
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "bench", 0);
    start = opevo_clock_process_s();
    for (int i = 0; i < STATES; i++) {
        opevo_i_tvm_genome_sample(genome, 0, &rng, vertices);
        allowed += opevo_space_allows(space, opevo_space_encode(space, vertices));
    }
    bench_at_least(self, "samples", STATES / (opevo_clock_process_s() - start), 10000, "/s");
    start = opevo_clock_process_s();
    for (int i = 0; i < STATES; i++) {
        opevo_i_tvm_genome_mutate(genome, &rng, vertices);
        allowed += opevo_space_allows(space, opevo_space_encode(space, vertices));
    }
    bench_at_least(self, "mutations", STATES / (opevo_clock_process_s() - start), 10000, "/s");
    bench_note("share allowed", (double)allowed / (2.0 * STATES), "");
    opevo_i_tvm_genome_destroy(genome);
}

/* ---- A run ---- */

/* Each row sees some of the parameters. */
static size_t features(void *context, opevo_index point, float *rows)
{
    const opevo_space *space = context;
    size_t width = opevo_space_parameter_count(space);
    opevo_index vertices[WIDTH];

    opevo_space_decode(space, point, vertices);
    for (size_t r = 0; r < ROWS; r++) {
        for (size_t k = 0; k < FEATURES; k++) {
            size_t i = (r * 5 + k) % width;
            uint64_t vertex = vertices[i] == OPEVO_INACTIVE ? 0 : (uint64_t)vertices[i];

            rows[r * FEATURES + k] = log2f((float)(1 + (vertex * (k + 1) + r) % 97));
        }
    }
    return ROWS;
}

static opevo_status evaluate(opevo_objective *objective, const opevo_index *points, size_t count,
                             opevo_outcome *outcomes, opevo_error *err)
{
    const opevo_space *space = objective->space;

    (void)err;
    for (size_t i = 0; i < count; i++) {
        opevo_index vertices[WIDTH];
        double badness = (double)(opevo_hash_mix((uint64_t)points[i]) >> 11) * 0x1p-53 / 4;

        opevo_space_decode(space, points[i], vertices);
        for (size_t k = 1; k < opevo_space_parameter_count(space); k++) {
            double size = (double)opevo_parameter_size(opevo_space_parameter(space, k));

            if (vertices[k] != OPEVO_INACTIVE)
                badness += fabs((double)vertices[k] / size - 0.6);
        }
        outcomes[i] = opevo_outcome_of_fitness(100 * exp(-badness));
    }
    return OPEVO_OK;
}

static void destroy(opevo_objective *objective)
{
    (void)objective;
}

/* Trials of 0.3 s, the shortest time that TVM measures a program for. */
static void measure_run(bench *self, const opevo_space *space)
{
    static const opevo_objective_ops ops = {
        .kind = "bench", .evaluate = evaluate, .destroy = destroy};
    opevo_feature_source source = {
        .count = FEATURES, .rows_most = ROWS, .features = features, .context = (void *)space};
    opevo_objective objective = {
        .ops = &ops, .space = space, .name = "bench", .unit = "1/s", .features = &source};
    opevo_run_options options = {.seed = 1, .budget = {.trials = TRIALS}};
    opevo_run_result result;
    opevo_error err;
    double start = opevo_clock_monotonic_s();

    check(opevo_tuner_find("ansor", &options.tuner, &err), &err);
    check(opevo_run(&objective, &options, &result, &err), &err);
    bench_note("whole search", opevo_clock_monotonic_s() - start, "s");
    bench_at_most(self, "trainings, share of 1000 trials of 0.3 s",
                  training_s / (training_s + 0.3 * TRIALS), 0.1, "");
}

int main(void)
{
    bench self = {0};
    opevo_space *space = NULL;
    opevo_error err;

    bench_title("The tuner ansor");
    check(opevo_space_parse(sketches, "bench", NULL, &space, &err), &err);
    measure_states(&self, space);
    measure_run(&self, space);
    opevo_space_destroy(space);
    return bench_end(&self);
}
