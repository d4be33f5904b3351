/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels in C compile without a warning, for several processors: nothing stands in them that is
 * not used, and no conversion is silent. OPEVO_TEST_POINTS raises the number of points of each
 * computation. */

#include "pipeline_draw.h"
#include "sketch_fixture.h"

/* Vectors that are wider than those of a processor are passed between functions of one file
 * only. */
static const char *const flags[] = {"-c",      "-o",       "/dev/null",    "-std=gnu11",
                                    "-Wall",   "-Wextra",  "-Wconversion", "-Wno-psabi",
                                    "-Werror", "-fopenmp", "-O1"};

/* What is compiled for where, as far as the compiler knows it. */
static const char *const processors[] = {"-march=native", "-march=x86-64", "-march=haswell",
                                         "-march=skylake-avx512"};

static bool compiles(const char *compiler, const char *processor, const char *source)
{
    const char *arguments[BUILD_ARGUMENTS] = {compiler};
    size_t count = 1;

    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        arguments[count++] = flags[i];
    arguments[count++] = processor;
    return source_build(arguments, source, NULL);
}

/* Kernels that are compiled together, outside the long run for one of the processors; their texts
 * are kept to name the one at fault. */
enum { TOGETHER = 40 };

typedef struct sources {
    opevo_kernel kernel[TOGETHER];
    int count;
} sources;

static void check_all(sources *self)
{
    static const char *const compilers[] = {"gcc", "clang"};
    static size_t place;
    opevo_text all = {0};

    for (int i = 0; i < self->count; i++)
        batch_add(&all, &self->kernel[i], i);
    for (size_t c = 0; c < sizeof compilers / sizeof *compilers; c++) {
        for (size_t p = 0; p < sizeof processors / sizeof *processors; p++) {
            if (test_takes(place, p, sizeof processors / sizeof *processors) &&
                compiles(compilers[c], processors[p], "int opevo;\n") &&
                !compiles(compilers[c], processors[p], opevo_text_string(&all)))
                fail_msg("%s %s:\n%s", compilers[c], processors[p], program_output);
        }
    }
    for (int i = 0; i < self->count; i++)
        opevo_kernel_free(&self->kernel[i]);
    self->count = 0;
    place++;
    opevo_text_free(&all);
}

static void add(sources *self, const opevo_kernel *kernel)
{
    if (self->count == TOGETHER)
        check_all(self);
    self->kernel[self->count++] = *kernel;
}

/* ---- Points of sketches ---- */

static void add_points(sources *self, const char *text, int points)
{
    const opevo_sketch_target target = {.dialect = OPEVO_KERNEL_C, .cores = 2, .threads = 2};
    opevo_computation *computation = NULL;
    opevo_kernel_maker *maker = NULL;
    opevo_rng rng;

    CHECK_OK(opevo_computation_read(text, &computation, &err));
    CHECK_OK(opevo_sketches_open(computation, &target, &maker, &err));
    opevo_rng_init(&rng, 1, text, 0);
    for (int tries = 0; points && tries < 1000; tries++) {
        opevo_index point = opevo_rng_below_wide(&rng, opevo_space_size(maker->space));
        opevo_kernel kernel = {0};
        opevo_outcome_class refused = OPEVO_OUTCOME_OK;
        opevo_text why = {0};

        if (!opevo_space_allows(maker->space, point))
            continue;
        CHECK_OK(maker->ops->make(maker, point, &kernel, &refused, &why, &err));
        if (refused == OPEVO_OUTCOME_OK) {
            add(self, &kernel);
            points--;
        }
        opevo_text_free(&why);
    }
    maker->ops->destroy(maker);
}

CHECK_TEST(test_sketches)
{
    sources all = {.count = 0};

    for (size_t i = 0; i < sizeof small / sizeof *small; i += test_size(2, 1))
        add_points(&all, small[i], draw_count(1));
    for (size_t i = 0; i < TYPED_COMPUTATIONS; i += test_size(2, 1))
        add_points(&all, typed_computations[i], draw_count(1));
    check_all(&all);
}

/* ---- Given and random steps ---- */

CHECK_TEST(test_given)
{
    static const struct {
        const char *computation, *steps;
    } given[] = {
        /* Masks of each width, and sums under one. */
        {"A[i:5, j:3]; C[i, j] = A[i, j] + 1", "split C j 2\nannotate C j.1 vectorize\n"},
        {"A[i:5, j:7]; C[i, j] = A[i, j] + 1", "split C j 4\nannotate C j.1 vectorize\n"},
        {"A[i:5, j:13]; C[i, j] = A[i, j] + 1", "split C j 8\nannotate C j.1 vectorize\n"},
        {"A[i:5, j:37]; C[i, j] = A[i, j] + 1", "split C j 16\nannotate C j.1 vectorize\n"},
        {"A[i:5, j:37]; C[j] = sum(i) 2*A[i, j]",
         "split C j 16\nreorder C j.0 i j.1\nannotate C j.1 vectorize\n"},
        /* A loop that ends elsewhere than its tiles. */
        {"A[i:50, j:70]; C[i, j] = A[j%50, i]*2", "split C i 8\nsplit C j 16\n"},
    };
    sources all = {.count = 0};

    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        opevo_kernel kernel = emit_kernel(given[i].computation, given[i].steps);

        add(&all, &kernel);
    }
    check_all(&all);
}

static sources random_sources;

static void add_random(const char *text, uint64_t seed, int *lowered)
{
    opevo_limits limits = opevo_limits_default(OPEVO_KERNEL_C);
    opevo_computation *computation = NULL;
    opevo_pipeline *pipeline = NULL;
    opevo_kernel kernel = {0};
    opevo_text why = {0};
    bool fits = false;

    CHECK_OK(opevo_computation_read(text, &computation, &err));
    pipeline = draw_pipeline(computation, &cpu_choices, seed);
    CHECK_OK(opevo_pipeline_emit(pipeline, OPEVO_KERNEL_C, &limits, &kernel, &fits, &why, &err));
    if (fits)
        add(&random_sources, &kernel);
    *lowered += fits;
    opevo_pipeline_destroy(pipeline);
    opevo_computation_destroy(computation);
    opevo_text_free(&why);
}

CHECK_TEST(test_random)
{
    int lowered = 0;

    assert_true(check_written(draw_count(40), add_random, &lowered) > 0);
    assert_true(lowered > 0);
    check_all(&random_sources);
}
