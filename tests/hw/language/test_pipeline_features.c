/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Features of pipelines: TVM's matrix product and fusion, with the values that its tests state, and
 * points of sketches for CPUs and GPUs, whose rows are finite and the same however often they are
 * asked for. */

#include "feature_rows.h"
#include "gpu_steps.h"

#include <stdlib.h>

#include <opevo/computation_named.h>
#include <opevo/pipeline_features.h>
#include <opevo/random.h>
#include <opevo/sketch.h>

/* Rows of the pipeline that these steps make. */
static size_t describe(const char *text, const char *steps)
{
    opevo_computation *computation = NULL;
    opevo_pipeline *pipeline = NULL;
    size_t count = 0;

    CHECK_OK(opevo_computation_read(text, &computation, &err));
    CHECK_OK(opevo_pipeline_parse(computation, steps, "steps", &pipeline, &err));
    CHECK_OK(opevo_pipeline_features(pipeline, rows[0], &count, &err));
    opevo_pipeline_destroy(pipeline);
    opevo_computation_destroy(computation);
    return count;
}

/* What TVM's test_cpu_matmul states, and more of the same program. */
static void check_product(void)
{
    size_t c = 0;

    while (of_buffer(0, c, "acc_type.kReadWrite") < 0.5)
        assert_true(++c < 5);
    CHECK_CLOSE(of_buffer(0, c, "bytes"), log2(512.0 * 512 * 512 * 4 + 1), 1e-5);
    CHECK_CLOSE(of_buffer(0, c, "unique_bytes"), log2(512.0 * 512 * 4 + 1), 1e-5);
    CHECK_CLOSE(of_buffer(0, c, "reuse_dis_iter"), log2(8 * 16 + 1), 1e-5);
    CHECK_CLOSE(of_buffer(0, c, "reuse_dis_bytes"), log2((8 * 16 + 8 + 16) * 4 + 1), 1e-5);
    CHECK_CLOSE(of_buffer(0, c, "reuse_ct"), log2(512 + 1), 1e-5);
    CHECK_CLOSE(value(0, "unroll_num"), 1, 0);
    CHECK_CLOSE(value(0, "vec_num"), 1, 0);
    CHECK_CLOSE(value(0, "parallel_prod"), log2(32 * 64 + 1), 1e-5);
    CHECK_CLOSE(value(0, "float_mul"), log2(512.0 * 512 * 512 + 1), 1e-5);
    CHECK_CLOSE(value(0, "float_addsub"), log2(512.0 * 512 * 512 + 1), 1e-5);
    for (size_t k = 0; k < 3; k++)
        CHECK_CLOSE(of_buffer(0, k, "unique_bytes"), log2(512.0 * 512 * 4 + 1), 1e-5);
}

/* One parallel loop, as parallel loops are not nested here; then the product of both, whose indices
 * are a quotient and a remainder of one loop. */
CHECK_TEST(test_matrix_product)
{
    assert_int_equal(describe("matmul(512,512,512)", "split C i 16\nsplit C j 8\n"
                                                     "reorder C i.0 j.0 k j.1 i.1\n"
                                                     "annotate C j.1 vectorize\n"
                                                     "annotate C i.0 parallel\n"
                                                     "annotate C k unroll\n"),
                     1);
    CHECK_CLOSE(value(0, "parallel_num"), 1, 0);
    CHECK_CLOSE(value(0, "parallel_prod"), log2(32 + 1), 1e-5);
    CHECK_CLOSE(value(0, "num_loops"), log2(6), 1e-6);
    assert_int_equal(describe("matmul(512,512,512)", "split C i 16\nsplit C j 8\n"
                                                     "reorder C i.0 j.0 k j.1 i.1\n"
                                                     "fuse C i.0 j.0\n"
                                                     "annotate C j.1 vectorize\n"
                                                     "annotate C i.0+j.0 parallel\n"
                                                     "annotate C k unroll\n"),
                     1);
    check_product();
    CHECK_CLOSE(value(0, "num_loops"), log2(5), 1e-6);
}

/* TVM's test_cpu_fusion. */
CHECK_TEST(test_fusion)
{
    size_t found = 0;

    assert_int_equal(
        describe("A[i:64, j:32]; B[i, j] = A[i, j]; C[i, j] = B[i, j]", "compute_at B C j\n"), 2);
    for (size_t row = 0; row < 2; row++) {
        for (size_t k = 0; k < 5; k++) {
            if (of_buffer(row, k, "reuse_type.kSerialMultipleReadWrite") < 0.5)
                continue;
            CHECK_CLOSE(of_buffer(row, k, "reuse_dis_iter"), 1, 0);
            CHECK_CLOSE(of_buffer(row, k, "reuse_dis_bytes"), log2(16 + 1), 1e-6);
            CHECK_CLOSE(of_buffer(row, k, "reuse_ct"), 1, 0);
            found++;
        }
    }
    assert_int_equal(found, 1);
    CHECK_CLOSE(value(0, "alloc_size"), log2(5), 1e-6);
    CHECK_CLOSE(value(0, "alloc_outer_prod"), log2(64 * 32 + 1), 1e-5);
}

/* ---- Loop trees ---- */

static float tree[OPEVO_LOOP_TREE_ROWS][OPEVO_LOOP_COLUMNS];

/* Rows of the loop tree of the pipeline that these steps make. */
static size_t describe_tree(const char *text, const char *steps)
{
    opevo_computation *computation = NULL;
    opevo_pipeline *pipeline = NULL;
    size_t count = 0;

    CHECK_OK(opevo_computation_read(text, &computation, &err));
    CHECK_OK(opevo_pipeline_parse(computation, steps, "steps", &pipeline, &err));
    CHECK_OK(opevo_pipeline_tree(pipeline, tree[0], &count, &err));
    opevo_pipeline_destroy(pipeline);
    opevo_computation_destroy(computation);
    return count;
}

static void check_row(size_t row, float parent, opevo_loop_kind kind, double extent,
                      double top_down, double bottom_up)
{
    CHECK_CLOSE(tree[row][OPEVO_LOOP_PARENT], parent, 0);
    CHECK_CLOSE(tree[row][OPEVO_LOOP_KIND], kind, 0);
    CHECK_CLOSE(tree[row][OPEVO_LOOP_EXTENT], log2(extent), 1e-6);
    CHECK_CLOSE(tree[row][OPEVO_LOOP_TOP_DOWN], log2(top_down), 1e-6);
    CHECK_CLOSE(tree[row][OPEVO_LOOP_BOTTOM_UP], log2(bottom_up), 1e-6);
}

static void check_touch(size_t row, size_t buffer, double elements, double reuse, double stride)
{
    const float *touch = tree[row] + OPEVO_LOOP_TOUCHES + 3 * buffer;

    CHECK_CLOSE(touch[0], log2(1 + elements), 1e-6);
    CHECK_CLOSE(touch[1], log2(1 + reuse), 1e-6);
    CHECK_CLOSE(touch[2], log2(1 + stride), 1e-6);
}

/* The numbers of TVM's test_iter_feature_gemm; a loop of one iteration is not there. */
CHECK_TEST(test_tree_of_product)
{
    assert_int_equal(describe_tree("matmul(128,128,128)", "split C i 1\n"), 3);
    check_row(0, 0, OPEVO_LOOP_SERIAL, 128, 128, 2097152);
    check_row(1, 1, OPEVO_LOOP_SERIAL, 128, 16384, 16384);
    check_row(2, 1, OPEVO_LOOP_SERIAL, 128, 2097152, 128);
    check_touch(0, 0, 16384, 128, 128); /* C, A, B */
    check_touch(0, 1, 16384, 128, 128);
    check_touch(0, 2, 16384, 128, 0);
    check_touch(1, 0, 128, 128, 1);
    check_touch(1, 1, 128, 128, 0);
    check_touch(1, 2, 16384, 1, 1);
    check_touch(2, 0, 1, 128, 0);
    check_touch(2, 1, 128, 1, 1);
    check_touch(2, 2, 128, 1, 128);
    for (size_t row = 0; row < 3; row++) {
        for (size_t column = OPEVO_LOOP_TOUCHES + 9; column < OPEVO_LOOP_COLUMNS; column++)
            CHECK_CLOSE(tree[row][column], 0, 0);
    }
}

/* Two statements in one loop are two children, with names of their own. */
CHECK_TEST(test_tree_of_two)
{
    size_t count =
        describe_tree("A[i:64, j:32]; B[i, j] = A[i, j]; C[i, j] = B[i, j]",
                      "split B j 8\nsplit C j 4\ncompute_at B C i\nannotate B j.1 vectorize\n");

    assert_int_equal(count, 5);
    check_row(0, 0, OPEVO_LOOP_SERIAL, 64, 64, 64 * 32);
    check_row(1, 1, OPEVO_LOOP_SERIAL, 4, 64 * 4, 32);
    check_row(2, 1, OPEVO_LOOP_VECTORIZE, 8, 64 * 32, 8);
    check_row(3, 3, OPEVO_LOOP_SERIAL, 8, 64 * 8, 32);
    check_row(4, 1, OPEVO_LOOP_SERIAL, 4, 64 * 32, 4);
    for (size_t i = 1; i < count; i++) {
        for (size_t j = 0; j < i; j++)
            assert_true(tree[i][OPEVO_LOOP_NAME] != tree[j][OPEVO_LOOP_NAME]);
    }
}

/* A program without loops of several iterations is one row. */
CHECK_TEST(test_tree_of_nothing)
{
    assert_int_equal(describe_tree("A[i:1]; B[i] = A[i]", ""), 1);
    check_row(0, 0, OPEVO_LOOP_SERIAL, 1, 1, 1);
}

/* ---- A GPU ---- */

/* What TVM's test_gpu_feature states, and what follows from the program: sums in registers, two
 * copies in shared memory, which the threads of a block bring together, and the result. */
CHECK_TEST(test_threads)
{
    const double around = 8.0 * 4 * 16; /* blocks, virtual threads, threads */
    const double products[] = {around * 512 * 32 * 16, around * 256 * 1024, around * 256 * 128,
                               around * 32 * 16};
    opevo_computation *computation = NULL;
    opevo_record record = {0};
    size_t count = 0;

    CHECK_OK(opevo_computation_read("matmul(512,512,512)", &computation, &err));
    CHECK_OK(opevo_record_read(computation, GPU_STEPS, "steps", &record, &err));
    CHECK_OK(opevo_pipeline_features(record.pipeline, rows[0], &count, &err));
    assert_int_equal(count, 4);
    for (size_t row = 0; row < count; row++) {
        CHECK_CLOSE(value(row, "is_gpu"), 1, 0);
        CHECK_CLOSE(value(row, "blockIdx_x_len"), log2(8 + 1), 1e-6);
        CHECK_CLOSE(value(row, "vthread_len"), log2(4 + 1), 1e-6);
        CHECK_CLOSE(value(row, "threadIdx_x_len"), log2(16 + 1), 1e-6);
        CHECK_CLOSE(value(row, "threadIdx_y_len"), 1, 0);
        CHECK_CLOSE(value(row, "blockIdx_z_len"), 1, 0);
        CHECK_CLOSE(value(row, "outer_prod"), log2(products[row] + 1), 1e-5);
        CHECK_CLOSE(value(row, "parallel_num"), 0, 0);
    }
    CHECK_CLOSE(value(0, "float_mul"), log2(512.0 * 512 * 512 + 1), 1e-5);
    CHECK_CLOSE(value(0, "auto_unroll_max_step"), log2(1024 + 1), 1e-5);
    CHECK_CLOSE(value(0, "alloc_size"), log2(32 * 16 * 4 + 1), 1e-5);
    CHECK_CLOSE(value(0, "alloc_outer_prod"), log2(around + 1), 1e-5);
    CHECK_CLOSE(value(1, "alloc_size"), log2(512 * 2 * 4 + 1), 1e-5);
    CHECK_CLOSE(value(1, "alloc_outer_prod"), log2(around * 256 + 1), 1e-5);
    CHECK_CLOSE(value(2, "alloc_size"), log2(64 * 2 * 4 + 1), 1e-5);
    CHECK_CLOSE(value(3, "alloc_size"), 0, 0);
    opevo_pipeline_destroy(record.pipeline);
    opevo_computation_destroy(computation);
}

/* ---- Sketches ---- */

static const char *const computations[] = {
    "matmul(12,30,32)", "c2d(2,9,9,3,8,3,2,1)", "conv-layer(1,8,8,4,16,3,1,1)",
    "softmax(6,40)",    "t2d(1,4,4,8,8,4,2,1)", "nrm(2,16,12)",
};

/* That of the maker; loops lie in those around, and the product of all lengths is the longest. */
static void check_tree(const opevo_kernel_maker *maker, opevo_index point, size_t count)
{
    static float again[OPEVO_LOOP_TREE_ROWS][OPEVO_LOOP_COLUMNS];

    assert_int_equal(maker->trees->features(maker->trees->context, point, again[0]), count);
    assert_memory_equal(tree, again, count * sizeof tree[0]);
    for (size_t r = 0; r < count; r++) {
        size_t up = (size_t)tree[r][OPEVO_LOOP_PARENT];
        double most = up ? tree[r - up][OPEVO_LOOP_BOTTOM_UP] : INFINITY;

        assert_true(up <= r);
        assert_true(tree[r][OPEVO_LOOP_BOTTOM_UP] >= tree[r][OPEVO_LOOP_EXTENT] - 1e-5F);
        assert_true(tree[r][OPEVO_LOOP_BOTTOM_UP] <= most);
        for (size_t i = 0; i < OPEVO_LOOP_COLUMNS; i++)
            assert_true(isfinite(tree[r][i]) && tree[r][i] >= 0);
    }
}

static void check_point(const opevo_kernel_maker *maker, opevo_index point)
{
    static float again[OPEVO_PIPELINE_ROWS][FEATURES];
    opevo_pipeline *pipeline = NULL;
    opevo_text why = {0};
    size_t count = 0, second = 0;

    CHECK_OK(opevo_sketches_pipeline(maker, point, &pipeline, &why, &err));
    opevo_text_free(&why);
    if (!pipeline)
        return;
    CHECK_OK(opevo_pipeline_features(pipeline, rows[0], &count, &err));
    assert_true(count > 0 && count <= OPEVO_PIPELINE_ROWS);
    for (size_t r = 0; r < count; r++) {
        for (size_t i = 0; i < FEATURES; i++)
            assert_true(isfinite(rows[r][i]) && rows[r][i] >= 0);
        assert_true(value(r, "outer_prod") > 0);
    }
    CHECK_OK(opevo_pipeline_features(pipeline, again[0], &second, &err));
    assert_int_equal(count, second);
    assert_memory_equal(rows, again, count * sizeof rows[0]);
    /* The maker offers the same rows. */
    assert_true(count <= maker->features->rows_most);
    assert_int_equal(maker->features->features(maker->features->context, point, again[0]), count);
    assert_memory_equal(rows, again, count * sizeof rows[0]);
    CHECK_OK(opevo_pipeline_tree(pipeline, tree[0], &count, &err));
    check_tree(maker, point, count);
    opevo_pipeline_destroy(pipeline);
}

/* The longest blocks and threads of the rows are those of the launches; only a first stage may be
 * without. */
static void check_launches(const opevo_kernel_maker *maker, opevo_index point)
{
    opevo_kernel kernel = {0};
    opevo_outcome_class refused = OPEVO_OUTCOME_OK;
    opevo_text why = {0};
    double blocks = 1, threads = 1, seen_blocks = 0, seen_threads = 0;
    size_t count = maker->features->features(maker->features->context, point, rows[0]);

    CHECK_OK(maker->ops->make(maker, point, &kernel, &refused, &why, &err));
    for (int i = 0; refused == OPEVO_OUTCOME_OK && i <= kernel.more; i++) {
        opevo_launch launch = opevo_kernel_launch(&kernel, i);

        blocks = fmax(blocks, (double)launch.grid[0]);
        threads = fmax(threads, (double)launch.block[0]);
    }
    for (size_t row = 0; row < count; row++) {
        assert_true(row == 0 || value(row, "is_gpu") == 1);
        seen_blocks = fmax(seen_blocks, value(row, "blockIdx_x_len"));
        seen_threads = fmax(seen_threads, value(row, "threadIdx_x_len"));
    }
    if (refused == OPEVO_OUTCOME_OK) {
        CHECK_CLOSE(seen_blocks, log2(blocks + 1), 1e-5);
        CHECK_CLOSE(seen_threads, log2(threads + 1), 1e-5);
    }
    opevo_kernel_free(&kernel);
    opevo_text_free(&why);
}

static void check_sketches(opevo_kernel_dialect dialect)
{
    enum { POINTS = 100 };
    const opevo_sketch_target target = {.dialect = dialect, .cores = 4, .threads = 1};

    for (size_t i = 0; i < sizeof computations / sizeof *computations; i++) {
        opevo_computation *computation = NULL;
        opevo_kernel_maker *maker = NULL;
        opevo_rng rng;

        CHECK_OK(opevo_computation_read(computations[i], &computation, &err));
        CHECK_OK(opevo_sketches_open(computation, &target, &maker, &err));
        opevo_rng_init(&rng, 1, "test", 0);
        for (int k = 0; k < POINTS;) {
            opevo_index point = opevo_rng_below_wide(&rng, opevo_space_size(maker->space));

            if (!opevo_space_allows(maker->space, point))
                continue;
            check_point(maker, point);
            if (dialect != OPEVO_KERNEL_C)
                check_launches(maker, point);
            k++;
        }
        maker->ops->destroy(maker);
    }
}

CHECK_TEST(test_points_of_sketches)
{
    check_sketches(OPEVO_KERNEL_C);
    check_sketches(OPEVO_KERNEL_CUDA);
    check_sketches(OPEVO_KERNEL_HIP);
}

/* The sum of a feature over all buffers of a statement. */
static double sum_of(size_t row, const char *name)
{
    double sum = 0;

    for (size_t b = 0; b < 5; b++)
        sum += exp2(of_buffer(row, b, name)) - 1;
    return sum;
}

/* Bytes are those of the types, and operations on whole numbers are counted apart. */
CHECK_TEST(test_types)
{
    static const struct {
        const char *type, *sum, *result;
        double factors, total, stored;
    } kinds[] = {{"float32", "float32", "float32", 4, 4, 0},
                 {"int8", "int32", "int32", 1, 4, 0},
                 {"bfloat16", "float32", "bfloat16", 2, 4, 2}};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        opevo_text text = {0};
        size_t count = 0;
        bool whole = i == 1;

        opevo_text_printf(&text,
                          "%s A[i:16, k:32]; %s B[k, j:64]; %s C[i, j] = sum(k) A[i, k]*B[k, j]",
                          kinds[i].type, kinds[i].type, kinds[i].result);
        count = describe(opevo_text_string(&text), "");
        assert_int_equal(count, kinds[i].stored > 0 ? 2 : 1);
        CHECK_CLOSE(sum_of(0, "unique_bytes"),
                    (16 * 32 + 32 * 64) * kinds[i].factors + 16 * 64 * kinds[i].total, 1);
        CHECK_CLOSE(value(0, whole ? "float_mul" : "float_addsub"),
                    whole ? 0 : log2(16 * 32 * 64 + 1), 1e-5);
        if (kinds[i].stored > 0)
            CHECK_CLOSE(sum_of(1, "unique_bytes"), 16 * 64 * (kinds[i].total + kinds[i].stored), 1);
        opevo_text_free(&text);
    }
}
