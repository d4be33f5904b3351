/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What templates and sketches make of a member of a class, as kernels of the whole class. */

#include "class_fixture.h"

#include <opevo/sketch.h>
#include <opevo/template.h>

/* A class, and a member whose schedules it gets. */
typedef struct tuned_class {
    const char *text, *member;
} tuned_class;

static const tuned_class classes[] = {
    {"matmul(1..70,24,16)", "matmul(32,24,16)"},
    {"matmul(16,24,1..70)", "matmul(16,24,30)"},
    {"matmul(1..70,24,16)", "matmul(13,24,16)"},
    {"conv2d(1..20,2,5,6,3,3,3,1,1)", "conv2d(4,2,5,6,3,3,3,1,1)"},
    {"softmax(1..70,13)", "softmax(12,13)"},
    {"gmm(2,1..70,16,12)", "gmm(2,24,16,12)"},
};
enum { CLASSES = sizeof classes / sizeof *classes };

/* The start point if there is one, or a random one; whether its kernel serves the class. */
static bool take_point(const tuned_class *one, const opevo_kernel_maker *maker, opevo_rng *rng,
                       bool start)
{
    static const opevo_device_facts facts = {
        .vector_bits = 512, .l1_bytes = 48 << 10, .l2_bytes = 1 << 20};
    opevo_pipeline *member = NULL, *whole = NULL;
    opevo_class *of = NULL;
    opevo_text why = {0};
    opevo_error error = {OPEVO_OK, ""};
    opevo_index point = 0;
    bool found = false, taken = false;

    if (start && maker->ops->start)
        CHECK_OK(maker->ops->start(maker, &facts, &found, &point, &err));
    while (!found) {
        point = opevo_rng_below_wide(rng, opevo_space_size(maker->space));
        found = opevo_space_allows(maker->space, point);
    }
    CHECK_OK(opevo_class_read(one->text, &of, &err));
    CHECK_OK(maker->ops->pipeline(maker, point, &member, &why, &err));
    if (member && opevo_pipeline_for_class(member, of, &whole, &error) == OPEVO_OK)
        taken = class_take(one->text, whole, maker->dialect, &why);
    else if (member)
        print_message("%s: %s\n", one->text, error.message);
    opevo_pipeline_destroy(member);
    opevo_pipeline_destroy(whole);
    opevo_class_destroy(of);
    opevo_text_free(&why);
    return taken;
}

static int take_points(const tuned_class *one, const opevo_kernel_maker *maker, int count,
                       uint64_t seed)
{
    int taken = 0;
    opevo_rng rng;

    opevo_rng_init(&rng, seed, "points", 0);
    for (int i = 0; i < count; i++)
        taken += take_point(one, maker, &rng, i == 0);
    return taken;
}

static void check_sketches(opevo_kernel_dialect dialect)
{
    const opevo_sketch_target target = {.dialect = dialect, .cores = 2, .threads = 1};
    int count = draw_count(24), taken = 0;

    for (int i = 0; i < CLASSES; i++) {
        opevo_computation *computation = NULL;
        opevo_kernel_maker *maker = NULL;

        CHECK_OK(opevo_computation_read(classes[i].member, &computation, &err));
        CHECK_OK(opevo_sketches_open(computation, &target, &maker, &err));
        taken += take_points(&classes[i], maker, count, (uint64_t)i);
        maker->ops->destroy(maker);
    }
    class_run();
    print_message("%d of %d points serve their class\n", taken, count * CLASSES);
    assert_true(2 * taken > count * CLASSES);
}

CHECK_TEST(test_sketches)
{
    check_sketches(OPEVO_KERNEL_C);
}

CHECK_TEST(test_gpu_sketches)
{
    check_sketches(OPEVO_KERNEL_EMULATION);
}

CHECK_TEST(test_templates)
{
    static const opevo_kernel_dialect dialects[] = {OPEVO_KERNEL_C, OPEVO_KERNEL_EMULATION};
    int count = draw_count(24), taken = 0, asked = 0;

    for (int i = 0; i < 2 * CLASSES; i++) {
        const tuned_class *one = &classes[i / 2];
        opevo_kernel_maker *maker = NULL;
        opevo_operator op;

        if (opevo_operator_parse(one->member, &op, NULL) != OPEVO_OK)
            continue;
        CHECK_OK(opevo_template_open(&op, NULL, dialects[i % 2], &maker, &err));
        taken += take_points(one, maker, count, (uint64_t)i);
        asked += count;
        maker->ops->destroy(maker);
    }
    class_run();
    print_message("%d of %d points serve their class\n", taken, asked);
    assert_true(2 * taken > asked);
}

/* Whether a random point gives kernels, of the member and of the class; their blocks are of the
 * same threads. */
static bool same_blocks(const opevo_class *of, const opevo_kernel_maker *maker,
                        const opevo_limits *limits, opevo_rng *rng)
{
    opevo_kernel kernel[2] = {{0}, {0}};
    opevo_pipeline *pipeline[2] = {NULL, NULL};
    opevo_text why = {0};
    opevo_index point = 0;
    bool fits = false;

    do
        point = opevo_rng_below_wide(rng, opevo_space_size(maker->space));
    while (!opevo_space_allows(maker->space, point));
    CHECK_OK(maker->ops->pipeline(maker, point, &pipeline[0], &why, &err));
    if (pipeline[0])
        CHECK_OK(opevo_pipeline_emit(pipeline[0], OPEVO_KERNEL_CUDA, limits, &kernel[0], &fits,
                                     &why, &err));
    if (fits) {
        CHECK_OK(opevo_pipeline_for_class(pipeline[0], of, &pipeline[1], &err));
        CHECK_OK(opevo_pipeline_emit(pipeline[1], OPEVO_KERNEL_CUDA, limits, &kernel[1], &fits,
                                     &why, &err));
        if (!fits)
            fail_msg("%s: %s", of->text, opevo_text_string(&why));
        assert_int_equal(kernel[0].more, kernel[1].more);
        for (int i = 0; i <= kernel[0].more; i++)
            assert_memory_equal(opevo_kernel_launch(&kernel[0], i).block,
                                opevo_kernel_launch(&kernel[1], i).block, sizeof kernel[0].block);
    }
    for (int i = 0; i < 2; i++) {
        opevo_pipeline_destroy(pipeline[i]);
        opevo_kernel_free(&kernel[i]);
    }
    opevo_text_free(&why);
    return fits;
}

/* A class keeps the threads of a block that its member has, for any number of iterations. */
CHECK_TEST(test_threads)
{
    static const char *const texts[][2] = {{"softmax(1..4096,30)", "softmax(64,30)"},
                                           {"matmul(1..4096,1..4096,24)", "matmul(30,20,24)"}};
    const opevo_sketch_target target = {.dialect = OPEVO_KERNEL_CUDA, .cores = 1, .threads = 1};
    opevo_limits limits = opevo_limits_default(OPEVO_KERNEL_CUDA);
    int compared = 0;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        opevo_computation *computation = NULL;
        opevo_kernel_maker *maker = NULL;
        opevo_class *of = NULL;
        opevo_rng rng;

        opevo_rng_init(&rng, i, "threads", 0);
        CHECK_OK(opevo_class_read(texts[i][0], &of, &err));
        CHECK_OK(opevo_computation_read(texts[i][1], &computation, &err));
        CHECK_OK(opevo_sketches_open(computation, &target, &maker, &err));
        for (int n = 0; n < 40; n++)
            compared += same_blocks(of, maker, &limits, &rng);
        maker->ops->destroy(maker);
        opevo_class_destroy(of);
    }
    assert_true(compared > 40);
}
