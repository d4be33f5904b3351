/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sketches for GPUs: how many the rules give, emulated kernels of random points of each of them
 * against the interpreter, and the same in CUDA and HIP as far as there are compilers.
 * OPEVO_TEST_POINTS raises the number of points of each sketch, OPEVO_TEST_GRAPHS that of random
 * computations. */

#include "sketch_fixture.h"

#include "computations.h"
#include "cxx_fixture.h"
#include "device_fixture.h"

#include "gpu_internal.h"
#include "sketch_draw.h"

/* ---- Counts ---- */

/* As tests/python/unittest/test_auto_scheduler_sketch_generation.py of TVM 0.8 states them. */
static const sketch_count counts[] = {
    {"matmul(512,512,512)", 1},
    {"matmul(8,1024,8)", 2},
    {TWO_PRODUCTS, 1},
    {CONV_BN_RELU, 1},
    {MAX_POOL, 1},
    {"A[i:10, j:1024]; M[i] = min(j) A[i, j]", 2},
    {"softmax(1,1024)", 4},
};

CHECK_TEST(test_counts)
{
    const opevo_kernel_dialect dialects[] = {OPEVO_KERNEL_CUDA, OPEVO_KERNEL_HIP,
                                             OPEVO_KERNEL_EMULATION};

    for (size_t i = 0; i < sizeof dialects / sizeof *dialects; i++) {
        const opevo_sketch_target target = {.dialect = dialects[i], .cores = 1, .threads = 1};

        check_counts(counts, sizeof counts / sizeof *counts, &target);
    }
}

/* ---- Kernels ---- */

typedef struct counter {
    int checked, rejected;
} counter;

static void check_point(pipeline_case *operands, const opevo_kernel_maker *maker, opevo_index point,
                        counter *count)
{
    opevo_pipeline *pipeline = NULL;
    opevo_text why = {0};

    count->checked++;
    CHECK_OK(opevo_sketches_pipeline(maker, point, &pipeline, &why, &err));
    if (!pipeline || !case_check(operands, pipeline, OPEVO_KERNEL_EMULATION, &why)) {
        print_message("rejected: %s\n", opevo_text_string(&why));
        count->rejected++;
    }
    opevo_pipeline_destroy(pipeline);
    opevo_text_free(&why);
}

/* Of every sketch so many points; in the short run of those whose number is `part`, modulo 2. */
static void check_sketches(const char *text, int points, size_t part, counter *count)
{
    const opevo_sketch_target target = {
        .dialect = OPEVO_KERNEL_EMULATION, .cores = 1, .threads = 1};
    pipeline_case operands = case_make(text, 1);
    opevo_computation *own = NULL;
    opevo_sketches *sketches = NULL;
    opevo_kernel_maker *maker = NULL;
    opevo_rng rng;

    CHECK_OK(opevo_sketches_create(operands.computation, &target, &sketches, &err));
    CHECK_OK(opevo_computation_read(text, &own, &err));
    CHECK_OK(opevo_sketches_open(own, &target, &maker, &err));
    opevo_rng_init(&rng, 1, text, 0);
    for (size_t s = 0; s < sketches->count; s++) {
        for (int i = 0; i < points && test_takes(s, part % 2, 2); i++) {
            opevo_index point = 0;

            if (!draw_in(&rng, maker->space, sketches, s, &point))
                fail_msg("%s: sketch %zu has no point", text, s + 1);
            check_point(&operands, maker, point, count);
        }
    }
    maker->ops->destroy(maker);
    opevo_sketches_destroy(sketches);
    case_free(&operands);
}

CHECK_TEST(test_kernels_of_points)
{
    counter count = {0, 0};
    int points = draw_count(2);

    for (size_t i = 0; i < sizeof small / sizeof *small; i++)
        check_sketches(small[i], points, i, &count);
    for (size_t i = 0; i < GPU_COMPUTATIONS; i++)
        check_sketches(gpu_computations[i], points, i, &count);
    print_message("%d points, %d rejected\n", count.checked, count.rejected);
    assert_true(50 * count.rejected <= count.checked);
    batch_run();
}

/* Tiles of all axes would be more loops than a stage may have; the other rules remain. */
CHECK_TEST(test_many_axes)
{
    counter count = {0, 0};

    check_sketches("A[a:2, b:2, c:3, d:2, e:2, f:2, g:2]; W[z:3, y:2, x:4, o:5]; "
                   "C[a, b, c, d, e, f, g, o] = sum(x, y, z) A[a, b, c, d, e, f, g]*W[z, y, x, o]",
                   draw_count(4), 0, &count);
    assert_true(count.checked > 0);
    assert_int_equal(count.rejected, 0);
    batch_run();
}

/* ---- Random computations ---- */

CHECK_TEST(test_random_computations)
{
    counter count = {0, 0};
    int graphs = (int)test_graphs(20);
    int points = draw_count(2);

    for (int i = 0; i < graphs; i++) {
        opevo_computation *made = NULL;
        opevo_text text = {0};

        write_computation((uint64_t)i, 8, &text);
        if (opevo_computation_parse(opevo_text_string(&text), "random", NULL, 0, &made, NULL) ==
            OPEVO_OK)
            check_sketches(opevo_text_string(&text), points, 0, &count);
        opevo_computation_destroy(made);
        opevo_text_free(&text);
    }
    print_message("%d points, %d rejected\n", count.checked, count.rejected);
    assert_true(count.checked > 0 && 20 * count.rejected <= count.checked);
    batch_run();
}

/* ---- Text ---- */

/* Compilers of the vendors, as far as they are here; they need no device. */
static const struct {
    opevo_kernel_dialect dialect;
    const opevo_i_gpu_vendor *vendor;
    const char *arch;
} vendors[] = {{OPEVO_KERNEL_CUDA, &opevo_i_gpu_vendor_cuda, "sm_80"},
               {OPEVO_KERNEL_HIP, &opevo_i_gpu_vendor_hip, "gfx90a"}};

/* Which compilers there are for the texts of a vendor. */
typedef struct compilers {
    bool cxx, device, runtime;
} compilers;

static compilers find_compilers(size_t vendor)
{
    opevo_i_gpu_rtc rtc;
    opevo_error why = {OPEVO_OK, ""};
    compilers found = {.cxx = has_cxx(),
                       .device = has_device_compiler(vendors[vendor].dialect),
                       .runtime =
                           opevo_i_gpu_rtc_open(vendors[vendor].vendor, &rtc, &why) == OPEVO_OK};

    if (!found.cxx)
        print_message("No c++: no text is compiled as C++.\n");
    if (!found.device)
        print_message("No clang for %s: no text is compiled for it.\n", vendors[vendor].arch);
    if (!found.runtime)
        print_message("No text is compiled by the vendor's library: %s\n", why.message);
    return found;
}

static void check_text(const opevo_kernel_maker *maker, opevo_index point, size_t vendor,
                       const compilers *with, const char *what)
{
    opevo_kernel kernel = {0};
    opevo_outcome_class refused = OPEVO_OUTCOME_OK;
    opevo_text why = {0};
    char *code = NULL;
    size_t size = 0;

    CHECK_OK(maker->ops->make(maker, point, &kernel, &refused, &why, &err));
    if (refused != OPEVO_OUTCOME_OK)
        fail_msg("%s: %s", what, opevo_text_string(&why));
    if (with->cxx && (!with->device || test_size(0, 1))) /* clang for a device reads C++ as well */
        cxx_check(&kernel.source, what);
    if (with->device)
        device_check(vendors[vendor].dialect, &kernel.source, what);
    for (int i = 0; i <= kernel.more; i++) {
        opevo_launch launch = opevo_kernel_launch(&kernel, i);
        char name[OPEVO_KERNEL_NAME];

        opevo_kernel_launch_name(&kernel, i, name);
        assert_non_null(strstr(opevo_text_string(&kernel.source), name));
        assert_in_range(launch.block[0], 1, OPEVO_I_BLOCK_THREADS);
        assert_true(launch.grid[0] >= 1 && launch.block[1] == 1 && launch.grid[1] == 1);
    }
    if (with->runtime)
        CHECK_OK(opevo_i_gpu_compile(vendors[vendor].vendor, vendors[vendor].arch,
                                     opevo_text_string(&kernel.source), NULL, 0, &code, &size,
                                     &err));
    opevo_free(code);
    opevo_kernel_free(&kernel);
    opevo_text_free(&why);
}

static void check_texts(const char *what, size_t vendor, const compilers *with)
{
    const opevo_sketch_target target = {
        .dialect = vendors[vendor].dialect, .cores = 1, .threads = 1};
    opevo_computation *computation = NULL;
    opevo_sketches *sketches = NULL;
    opevo_kernel_maker *maker = NULL;
    opevo_rng rng;
    int points = draw_count(1);

    CHECK_OK(opevo_computation_read(what, &computation, &err));
    CHECK_OK(opevo_sketches_create(computation, &target, &sketches, &err));
    CHECK_OK(opevo_sketches_open(computation, &target, &maker, &err));
    opevo_rng_init(&rng, 2, what, 0);
    for (size_t s = 0; s < sketches->count; s++) {
        for (int i = 0; i < points && test_takes(s, vendor, 2); i++) {
            opevo_index point = 0;

            assert_true(draw_in(&rng, maker->space, sketches, s, &point));
            check_text(maker, point, vendor, with, what);
        }
    }
    opevo_sketches_destroy(sketches);
    maker->ops->destroy(maker);
}

CHECK_TEST(test_texts)
{
    bool any = false;

    for (size_t vendor = 0; vendor < sizeof vendors / sizeof *vendors; vendor++) {
        compilers with = find_compilers(vendor);

        any |= with.cxx || with.device || with.runtime;
        for (size_t i = 0; i < GPU_COMPUTATIONS; i++) {
            if (test_takes(i, vendor, 2))
                check_texts(gpu_computations[i], vendor, &with);
        }
        for (size_t i = 0; i < TYPED_COMPUTATIONS; i++) {
            if (test_takes(i, vendor, 2))
                check_texts(typed_computations[i], vendor, &with);
        }
    }
    if (!any)
        CHECK_SKIP("no compiler takes the words of a GPU");
}

/* ---- Warps ---- */

/* A tiled stage whose extents have the divisors fills at least a warp of the device, and has at
 * most a quarter of it of virtual threads. */
static void check_warps(opevo_kernel_dialect dialect, int warp)
{
    enum { POINTS = 300 };
    const opevo_sketch_target target = {.dialect = dialect, .cores = 1, .threads = 1};
    opevo_computation *computation = NULL;
    opevo_sketches *sketches = NULL;
    opevo_kernel_maker *maker = NULL;
    int64_t least = INT64_MAX, most_virtual = 1;
    opevo_rng rng;

    CHECK_OK(opevo_computation_read("matmul(64,64,64)", &computation, &err));
    CHECK_OK(opevo_sketches_create(computation, &target, &sketches, &err));
    CHECK_OK(opevo_sketches_open(computation, &target, &maker, &err));
    opevo_rng_init(&rng, 3, "warps", 0);
    for (int i = 0; i < POINTS; i++) {
        opevo_kernel kernel = {0};
        opevo_pipeline *pipeline = NULL;
        opevo_outcome_class refused = OPEVO_OUTCOME_OK;
        opevo_text why = {0};
        opevo_index point = 0;
        int64_t threads = 0;

        assert_true(draw_in(&rng, maker->space, sketches, 0, &point));
        CHECK_OK(maker->ops->make(maker, point, &kernel, &refused, &why, &err));
        CHECK_OK(opevo_sketches_pipeline(maker, point, &pipeline, &why, &err));
        assert_true(refused == OPEVO_OUTCOME_OK && pipeline);
        threads = opevo_kernel_launch(&kernel, 0).block[0];
        least = threads < least ? threads : least;
        for (int s = 0; s < pipeline->stages; s++) {
            const opevo_i_nest_loops *own = &pipeline->stage[s]->own;

            for (int l = 0; l < own->loops; l++) {
                if (own->loop[l].annotation == OPEVO_ANNOTATION_VTHREAD &&
                    own->loop[l].extent > most_virtual)
                    most_virtual = own->loop[l].extent;
            }
        }
        opevo_pipeline_destroy(pipeline);
        opevo_kernel_free(&kernel);
        opevo_text_free(&why);
    }
    assert_int_equal(least, warp);
    assert_int_equal(most_virtual, warp / 4);
    opevo_sketches_destroy(sketches);
    maker->ops->destroy(maker);
}

CHECK_TEST(test_warps)
{
    check_warps(OPEVO_KERNEL_CUDA, 32);
    check_warps(OPEVO_KERNEL_HIP, 64);
}

/* ---- Shared memory ---- */

/* Of points that all other constraints allow, the space has exactly those whose kernels do not
 * exceed the shared memory. */
static void check_shared(const char *text)
{
    enum { POINTS = 200 };
    const opevo_sketch_target target = {.dialect = OPEVO_KERNEL_CUDA, .cores = 1, .threads = 1};
    opevo_limits limits = opevo_limits_default(OPEVO_KERNEL_CUDA);
    opevo_computation *computation = NULL;
    opevo_sketches *sketches = NULL;
    opevo_kernel_maker *maker = NULL;
    opevo_space *wider = NULL;
    int too_large = 0;
    opevo_rng rng;

    CHECK_OK(opevo_computation_read(text, &computation, &err));
    CHECK_OK(opevo_sketches_create(computation, &target, &sketches, &err));
    CHECK_OK(opevo_sketches_open(computation, &target, &maker, &err));
    wider = changed_space(maker->space, "<= 49152", "<= 1000000000");
    opevo_rng_init(&rng, 4, text, 0);
    for (int i = 0; i < POINTS; i++) {
        opevo_pipeline *pipeline = NULL;
        opevo_kernel kernel = {0};
        opevo_text why = {0};
        opevo_index point = 0;
        bool fits = false, exceeds = false;

        assert_true(draw_in(&rng, wider, sketches, 0, &point));
        CHECK_OK(opevo_sketches_pipeline(maker, point, &pipeline, &why, &err));
        assert_non_null(pipeline);
        CHECK_OK(
            opevo_pipeline_emit(pipeline, OPEVO_KERNEL_CUDA, &limits, &kernel, &fits, &why, &err));
        exceeds = strstr(opevo_text_string(&why), "The bytes of shared memory are") != NULL;
        too_large += exceeds;
        if (opevo_space_allows(maker->space, point) == exceeds)
            fail_msg("%s: a point is %s: %s", text, exceeds ? "allowed" : "not allowed",
                     opevo_text_string(&why));
        opevo_pipeline_destroy(pipeline);
        opevo_kernel_free(&kernel);
        opevo_text_free(&why);
    }
    assert_true(too_large > 0 && too_large < POINTS);
    opevo_space_destroy(wider);
    opevo_sketches_destroy(sketches);
    maker->ops->destroy(maker);
}

CHECK_TEST(test_shared_memory)
{
    static const char *const types[][2] = {{"", ""},
                                           {"float16 ", "float16 "},
                                           {"bfloat16 ", ""},
                                           {"int8 ", "int8 "},
                                           {"", "float16 "}};

    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        opevo_text text = {0};

        opevo_text_printf(&text,
                          "%sA[i:256, k:256]; %sB[k:256, j:256]; C[i, j] = sum(k) A[i, k]*B[k, j]",
                          types[i][0], types[i][1]);
        check_shared(opevo_text_string(&text));
        opevo_text_free(&text);
    }
}

/* ---- Start points ---- */

CHECK_TEST(test_starts)
{
    const opevo_sketch_target target = {.dialect = OPEVO_KERNEL_CUDA, .cores = 1, .threads = 1};
    const opevo_device_facts facts = {0};

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        opevo_computation *computation = NULL;
        opevo_kernel_maker *maker = NULL;
        opevo_kernel kernel = {0};
        opevo_outcome_class refused = OPEVO_OUTCOME_OK;
        opevo_text why = {0};
        opevo_index point = 0;
        float *rows = NULL;
        bool found = false;

        CHECK_OK(opevo_computation_read(counts[i].computation, &computation, &err));
        CHECK_OK(opevo_sketches_open(computation, &target, &maker, &err));
        CHECK_OK(maker->ops->start(maker, &facts, &found, &point, &err));
        assert_true(found);
        CHECK_OK(maker->ops->make(maker, point, &kernel, &refused, &why, &err));
        assert_int_equal(refused, OPEVO_OUTCOME_OK);
        rows = opevo_calloc(maker->features->rows_most * maker->features->count, sizeof *rows);
        assert_true(maker->features->features(maker->features->context, point, rows) > 0);
        opevo_free(rows);
        opevo_kernel_free(&kernel);
        opevo_text_free(&why);
        maker->ops->destroy(maker);
    }
}
