/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a search on sketches costs on one core before anything is compiled: states (sketches with
 * their values, as pipelines) from rules, samples and mutations, and the features of programs. */

#include "bench.h"

#include "genome_internal.h"

#include <opevo/computation_named.h>
#include <opevo/sketch.h>

#include <stdlib.h>

static const double budget_s = 0.5;

enum { DIMENSIONS = 1024, INNERMOST = 64, FEATURES = 164, POINTS = 200 };

static void need(opevo_status status, const opevo_error *err)
{
    if (status == OPEVO_OK)
        return;
    fprintf(stderr, "bench_sketch: %s\n", err->message);
    exit(1);
}

static opevo_computation *read_it(const char *name)
{
    opevo_error err = {OPEVO_OK, ""};
    opevo_computation *made = NULL;

    need(opevo_computation_read(name, &made, &err), &err);
    return made;
}

/* Sketches of a computation by the rules, a second. */
static double generate(const opevo_computation *computation, const opevo_sketch_target *target)
{
    opevo_error err = {OPEVO_OK, ""};
    double start = opevo_clock_process_s(), passed = 0;
    size_t count = 0;

    while (passed < budget_s) {
        opevo_sketches *all = NULL;

        need(opevo_sketches_create(computation, target, &all, &err), &err);
        count += all->count;
        opevo_sketches_destroy(all);
        passed = opevo_clock_process_s() - start;
    }
    return (double)count / passed;
}

/* A sample, or a mutation of what is in `vertices`, with its pipeline; whether it is legal. */
static bool make_state(const opevo_kernel_maker *maker, opevo_i_tvm_genome *genome, bool mutate,
                       opevo_rng *rng, opevo_index *vertices)
{
    opevo_error err = {OPEVO_OK, ""};
    opevo_pipeline *pipeline = NULL;
    opevo_text why = {0};
    opevo_index point = 0;

    if (mutate)
        opevo_i_tvm_genome_mutate(genome, rng, vertices);
    else
        opevo_i_tvm_genome_sample(genome, 0, rng, vertices);
    point = opevo_space_encode(maker->space, vertices);
    if (opevo_space_allows(maker->space, point))
        need(opevo_sketches_pipeline(maker, point, &pipeline, &why, &err), &err);
    opevo_pipeline_destroy(pipeline);
    opevo_text_free(&why);
    return pipeline != NULL;
}

static double make_states(const opevo_kernel_maker *maker, opevo_i_tvm_genome *genome, bool mutate)
{
    opevo_index vertices[DIMENSIONS];
    double start = 0, passed = 0;
    size_t count = 0;
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "bench", 0);
    opevo_i_tvm_genome_sample(genome, 0, &rng, vertices);
    start = opevo_clock_process_s();
    while (passed < budget_s) {
        count += make_state(maker, genome, mutate, &rng, vertices);
        passed = opevo_clock_process_s() - start;
    }
    return (double)count / passed;
}

/* Programs that a source describes, a second. */
static double describe(const opevo_kernel_maker *maker, const opevo_feature_source *source,
                       opevo_i_tvm_genome *genome)
{
    float *rows = malloc(source->rows_most * source->count * sizeof *rows);
    opevo_index vertices[DIMENSIONS], point[POINTS];
    double start = 0, passed = 0;
    size_t count = 0;
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "bench", 1);
    while (count < POINTS) {
        opevo_i_tvm_genome_sample(genome, 0, &rng, vertices);
        point[count] = opevo_space_encode(maker->space, vertices);
        count += opevo_space_allows(maker->space, point[count]);
    }
    start = opevo_clock_process_s();
    for (count = 0; passed < budget_s; count++) {
        source->features(source->context, point[count % POINTS], rows);
        passed = opevo_clock_process_s() - start;
    }
    free(rows);
    return (double)count / passed;
}

static void run(bench *self, const char *name)
{
    opevo_sketch_target target = {OPEVO_KERNEL_C, 4, 1, false};
    opevo_computation *computation = read_it(name);
    opevo_error err = {OPEVO_OK, ""};
    opevo_kernel_maker *maker = NULL;
    opevo_i_tvm_genome *genome = NULL;

    bench_title(name);
    bench_at_least(self, "sketches from the rules", generate(computation, &target), 10000, "/s");
    need(opevo_sketches_open(computation, &target, &maker, &err), &err);
    genome = opevo_i_tvm_genome_create(maker->space, OPEVO_I_GENE_WEIGHTS_AUTO, INNERMOST);
    bench_at_least(self, "samples", make_states(maker, genome, false), 10000, "/s");
    bench_at_least(self, "mutations", make_states(maker, genome, true), 10000, "/s");
    bench_at_least(self, "programs described by features", describe(maker, maker->features, genome),
                   5000, "/s");
    bench_at_least(self, "programs described by loop trees", describe(maker, maker->trees, genome),
                   5000, "/s");
    opevo_i_tvm_genome_destroy(genome);
    maker->ops->destroy(maker);
}

int main(void)
{
    static const char *const all[] = {"ansor-gmm-3",      "ansor-c2d-3", "ansor-conv-layer-3",
                                      "ansor-t2d-3",      "ansor-cap-3", "ansor-tbg-3",
                                      "softmax(512,1024)"};
    bench self = {0};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        run(&self, all[i]);
    return bench_end(&self);
}
