/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Features of statements: the values that TVM's own tests state for three programs, others worked
 * out by hand, and regions against enumeration. */

#include "feature_rows.h"

#include <stdlib.h>

#include <opevo/memory.h>
#include <opevo/random.h>
#include <opevo/statement_features.h>

#include "statement_internal.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define TERM(number, step)                                                                         \
    {                                                                                              \
        .loop = (number), .stride = (step), .divisor = 1                                           \
    }
#define INDEX(...)                                                                                 \
    {                                                                                              \
        .terms = (const opevo_statement_term[]){__VA_ARGS__},                                      \
        .term_count = COUNT(((const opevo_statement_term[]){__VA_ARGS__}))                         \
    }
#define ACCESS(number, ...)                                                                        \
    {                                                                                              \
        .buffer = (number), .indices = (const opevo_statement_index[])                             \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

/* The first of the five buffers with this type of access, and with a stride or without. */
static size_t buffer_with(size_t row, const char *type, bool has_stride)
{
    for (size_t k = 0; k < OPEVO_I_STATEMENT_BUFFERS; k++) {
        if (of_buffer(row, k, type) > 0.5 && (of_buffer(row, k, "stride") > 0) == has_stride)
            return k;
    }
    fail_msg("no buffer with %s", type);
    return 0;
}

static size_t describe(const opevo_statement_program *program)
{
    size_t count = 0;

    assert_true(program->store_count <= OPEVO_PIPELINE_ROWS);
    CHECK_OK(opevo_statement_features(program, rows[0], &count, &err));
    return count;
}

CHECK_TEST(test_names)
{
    char name[48], other[48];

    assert_int_equal(FEATURES, 164);
    for (size_t i = 0; i < FEATURES; i++) {
        opevo_statement_feature_name(i, name);
        for (size_t k = 0; k < i; k++) {
            opevo_statement_feature_name(k, other);
            assert_string_not_equal(name, other);
        }
    }
    assert_int_equal(number_of("vec_num"), 16);
    assert_int_equal(number_of("is_gpu"), 49);
    assert_int_equal(number_of("B0.acc_type.kRead"), 57);
    assert_int_equal(number_of("B4.stride"), 146);
    assert_int_equal(number_of("arith_intensity_curve_0"), 147);
    assert_int_equal(number_of("alloc_size"), 157);
    assert_int_equal(number_of("auto_unroll_max_step"), 163);
}

/* ---- The matrix product of TVM's tests ---- */

/* parallel i.0 (32), parallel j.0 (64), unroll k (512), vectorize j.1 (8), i.1 (16):
 * C[i, j] += A[i, k] * B[k, j], of 512 cubed. */
static const int64_t square[] = {512, 512};
static const opevo_statement_buffer square_buffers[] = {
    {.shape = square, .dimension_count = 2, .element_bytes = 4},
    {.shape = square, .dimension_count = 2, .element_bytes = 4},
    {.shape = square, .dimension_count = 2, .element_bytes = 4},
};

static void describe_product(void)
{
    static const opevo_statement_loop loops[] = {
        {32, OPEVO_ANNOTATION_PARALLEL}, {64, OPEVO_ANNOTATION_PARALLEL},
        {512, OPEVO_ANNOTATION_UNROLL},  {8, OPEVO_ANNOTATION_VECTORIZE},
        {16, OPEVO_ANNOTATION_SERIAL},
    };
    static const size_t around[] = {0, 1, 2, 3, 4};
    const opevo_statement_index i = INDEX(TERM(0, 16), TERM(4, 1));
    const opevo_statement_index j = INDEX(TERM(1, 8), TERM(3, 1));
    const opevo_statement_index k = INDEX(TERM(2, 1));
    const opevo_statement_access reads[] = {ACCESS(2, i, j), ACCESS(0, i, k), ACCESS(1, k, j)};
    const opevo_statement_store store = {
        .loops = around,
        .loop_count = 5,
        .target = ACCESS(2, i, j),
        .reads = reads,
        .read_count = 3,
        .ops = {[OPEVO_STATEMENT_FLOAT_ADD] = 1, [OPEVO_STATEMENT_FLOAT_MULTIPLY] = 1},
        .auto_unroll = 64,
    };
    const opevo_statement_program program = {loops, 5, square_buffers, 3, &store, 1};

    assert_int_equal(describe(&program), 1);
}

/* Those that TVM's test_cpu_matmul states, and more of the same program by hand. */
CHECK_TEST(test_matrix_product)
{
    const double cube = 512.0 * 512 * 512;
    size_t a = 0, b = 0, c = 0;

    describe_product();
    c = buffer_with(0, "acc_type.kReadWrite", true);
    a = buffer_with(0, "acc_type.kRead", true);
    b = buffer_with(0, "acc_type.kRead", false);
    CHECK_CLOSE(of_buffer(0, c, "bytes"), log2(cube * 4 + 1), 1e-5);
    CHECK_CLOSE(of_buffer(0, b, "unique_bytes"), log2(512 * 512 * 4 + 1), 1e-5);
    CHECK_CLOSE(of_buffer(0, c, "reuse_dis_iter"), log2(8 * 16 + 1), 1e-5);
    CHECK_CLOSE(of_buffer(0, c, "reuse_dis_bytes"), log2((8 * 16 + 8 + 16) * 4 + 1), 1e-5);
    CHECK_CLOSE(of_buffer(0, c, "reuse_ct"), log2(512 + 1), 1e-5);
    CHECK_CLOSE(value(0, "unroll_num"), 1, 0);
    CHECK_CLOSE(value(0, "vec_num"), 1, 0);
    CHECK_CLOSE(value(0, "parallel_num"), log2(3), 1e-6);
    CHECK_CLOSE(value(0, "parallel_prod"), log2(32 * 64 + 1), 1e-5);
    /* By hand. */
    CHECK_CLOSE(value(0, "float_addsub"), log2(cube + 1), 1e-5);
    CHECK_CLOSE(value(0, "float_mad"), 0, 0);
    CHECK_CLOSE(value(0, "parallel_len"), log2(64 + 1), 1e-5);
    CHECK_CLOSE(value(0, "vec_type.kPosMixed"), 1, 0);
    CHECK_CLOSE(value(0, "vec_type.kPosNone"), 0, 0);
    CHECK_CLOSE(value(0, "is_gpu"), 0, 0);
    CHECK_CLOSE(value(0, "threadIdx_x_len"), 1, 0);
    CHECK_CLOSE(value(0, "outer_prod"), log2(cube + 1), 1e-5);
    CHECK_CLOSE(value(0, "num_loops"), log2(6), 1e-6);
    CHECK_CLOSE(value(0, "auto_unroll_max_step"), log2(65), 1e-5);
    CHECK_CLOSE(value(0, "alloc_size"), 0, 0);
    /* A and C step by rows of 2048 bytes in i.1: a line each time. B does not move in i.1 and steps
     * by 4 of 64 bytes in j.1: a 16th of the iterations without i.1. */
    CHECK_CLOSE(of_buffer(0, a, "stride"), log2(512 + 1), 1e-5);
    CHECK_CLOSE(of_buffer(0, a, "lines"), log2(cube + 1), 1e-5);
    CHECK_CLOSE(of_buffer(0, b, "lines"), log2(cube / 16 / 16 + 1), 1e-5);
    /* A is reused by j.1: one row of i.1 in between, 16 of A, 16 of C and 1 of B. */
    CHECK_CLOSE(of_buffer(0, a, "reuse_dis_iter"), log2(17), 1e-5);
    CHECK_CLOSE(of_buffer(0, a, "reuse_dis_bytes"), log2((16 + 16 + 1) * 4 + 1), 1e-5);
    CHECK_CLOSE(of_buffer(0, a, "reuse_ct"), log2(9), 1e-5);
    CHECK_CLOSE(of_buffer(0, a, "bytes_d_reuse_ct"), log2(cube * 4 / 8 + 1), 1e-5);
    /* B is reused by the innermost loop: an element of each in between. */
    CHECK_CLOSE(of_buffer(0, b, "reuse_dis_iter"), 1, 0);
    CHECK_CLOSE(of_buffer(0, b, "reuse_dis_bytes"), log2(3 * 4 + 1), 1e-5);
    CHECK_CLOSE(of_buffer(0, b, "reuse_ct"), log2(17), 1e-5);
    /* B comes last: it has fewest lines; places 3 and 4 are empty. */
    assert_int_equal(b, 2);
    for (size_t i = number_of("B3.acc_type.kRead"); i <= number_of("B4.stride"); i++)
        assert_true(rows[0][i] == 0);
    /* The curve ends at all operations over all bytes. */
    CHECK_CLOSE(value(0, "arith_intensity_curve_9"), log2(2 * cube) / log2(3 * 512 * 512 * 4),
                1e-5);
    /* Its first point is below the first loop's operations, 32: that of the first loop. */
    CHECK_CLOSE(value(0, "arith_intensity_curve_0"), log2(32) / log2((16 + 16 + 1) * 4), 1e-5);
}

/* ---- Two statements in one loop ---- */

/* TVM's test_cpu_fusion: B[i, j] = A[i, j] at (i, j) before C[i, j] = B[i, j], of 64 x 32. */
CHECK_TEST(test_fusion)
{
    static const int64_t shape[] = {64, 32}, one[] = {1, 1};
    static const opevo_statement_loop loops[] = {{64, OPEVO_ANNOTATION_SERIAL},
                                                 {32, OPEVO_ANNOTATION_SERIAL},
                                                 {1, OPEVO_ANNOTATION_SERIAL},
                                                 {1, OPEVO_ANNOTATION_SERIAL}};
    static const size_t inner[] = {0, 1, 2, 3}, outer[] = {0, 1};
    const opevo_statement_buffer buffers[] = {
        {.shape = shape, .dimension_count = 2, .element_bytes = 4},
        {.shape = one,
         .dimension_count = 2,
         .element_bytes = 4,
         .allocated = true,
         .allocated_elements = 1,
         .allocated_inside = 2},
        {.shape = shape, .dimension_count = 2, .element_bytes = 4},
    };
    const opevo_statement_index i = INDEX(TERM(0, 1), TERM(2, 1));
    const opevo_statement_index j = INDEX(TERM(1, 1), TERM(3, 1));
    const opevo_statement_index i_out = INDEX(TERM(0, 1));
    const opevo_statement_index j_out = INDEX(TERM(1, 1));
    const opevo_statement_access read_a = ACCESS(0, i, j), read_b = ACCESS(1, i_out, j_out);
    const opevo_statement_store stores[] = {
        {.loops = inner,
         .loop_count = 4,
         .target = ACCESS(1, i, j),
         .reads = &read_a,
         .read_count = 1},
        {.loops = outer,
         .loop_count = 2,
         .target = ACCESS(2, i_out, j_out),
         .reads = &read_b,
         .read_count = 1},
    };
    const opevo_statement_program program = {loops, 4, buffers, 3, stores, 2};
    size_t found = 0;

    assert_int_equal(describe(&program), 2);
    for (size_t row = 0; row < 2; row++) {
        for (size_t k = 0; k < OPEVO_I_STATEMENT_BUFFERS; k++) {
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
    CHECK_CLOSE(value(0, "alloc_prod"), log2(64 * 32 + 1), 1e-5);
    CHECK_CLOSE(value(0, "alloc_outer_prod"), log2(64 * 32 + 1), 1e-5);
    CHECK_CLOSE(value(0, "alloc_inner_prod"), 1, 0);
    CHECK_CLOSE(value(0, "arith_intensity_curve_9"), 0, 0); /* nothing is computed */
}

/* ---- A GPU program ---- */

/* A tiled product on a GPU: its loops, and those around each of its statements. */
static const int64_t thread_local_shape[] = {32, 4};
static const opevo_statement_loop thread_loops[] = {
    {8, OPEVO_ANNOTATION_BLOCK_X},  {4, OPEVO_ANNOTATION_VTHREAD}, {16, OPEVO_ANNOTATION_THREAD_X},
    {256, OPEVO_ANNOTATION_SERIAL}, {2, OPEVO_ANNOTATION_SERIAL},  {32, OPEVO_ANNOTATION_SERIAL},
    {4, OPEVO_ANNOTATION_SERIAL},   {32, OPEVO_ANNOTATION_SERIAL}, {4, OPEVO_ANNOTATION_SERIAL},
    {4, OPEVO_ANNOTATION_VTHREAD},
};
static const size_t thread_initial[] = {0, 1, 2, 7, 8}, thread_update[] = {0, 1, 2, 3, 4, 5, 6};
static const size_t thread_output[] = {0, 1, 9, 2, 7, 8};

static void check_lengths(size_t statement)
{
    CHECK_CLOSE(value(statement, "is_gpu"), 1, 0);
    CHECK_CLOSE(value(statement, "blockIdx_x_len"), log2(8 + 1), 1e-6);
    CHECK_CLOSE(value(statement, "threadIdx_x_len"), log2(16 + 1), 1e-6);
    CHECK_CLOSE(value(statement, "threadIdx_y_len"), 1, 0);
    CHECK_CLOSE(value(statement, "blockIdx_z_len"), 1, 0);
}

/* The part of TVM's test_gpu_feature that its values are of: C.local of a product of 512 cubed in
 * blockIdx.x (8), vthread (4), threadIdx.x (16), k (256, 2), i (32), j (4), its initial value, and
 * C, which has no loops of its own but the threads. */
CHECK_TEST(test_threads)
{
    const opevo_statement_buffer buffers[] = {
        square_buffers[0],
        square_buffers[1],
        {.shape = thread_local_shape,
         .dimension_count = 2,
         .element_bytes = 4,
         .allocated = true,
         .allocated_elements = 128,
         .allocated_inside = 3},
        square_buffers[2],
    };
    const opevo_statement_index i = INDEX(TERM(5, 1)), j = INDEX(TERM(6, 1));
    const opevo_statement_index i0 = INDEX(TERM(7, 1)), j0 = INDEX(TERM(8, 1));
    const opevo_statement_index row = INDEX(TERM(0, 64), TERM(5, 1));
    const opevo_statement_index column = INDEX(TERM(1, 128), TERM(2, 4), TERM(6, 1));
    const opevo_statement_index k = INDEX(TERM(3, 2), TERM(4, 1));
    const opevo_statement_access reads[] = {ACCESS(2, i, j), ACCESS(0, row, k),
                                            ACCESS(1, k, column)};
    const opevo_statement_access read = ACCESS(2, i0, j0);
    const opevo_statement_store stores[] = {
        {.loops = thread_initial,
         .loop_count = 5,
         .target = ACCESS(2, i0, j0),
         .auto_unroll = 1024},
        {.loops = thread_update,
         .loop_count = 7,
         .target = ACCESS(2, i, j),
         .reads = reads,
         .read_count = 3,
         .ops = {[OPEVO_STATEMENT_FLOAT_ADD] = 1, [OPEVO_STATEMENT_FLOAT_MULTIPLY] = 1},
         .auto_unroll = 1024},
        {.loops = thread_output,
         .loop_count = 6,
         .target = ACCESS(3, i0, j0),
         .reads = &read,
         .read_count = 1},
    };
    const opevo_statement_program program = {
        thread_loops, COUNT(thread_loops), buffers, 4, stores, 3};
    size_t c = 0;

    /* The update overwrites the row of the initial value. */
    assert_int_equal(describe(&program), 2);
    check_lengths(0);
    check_lengths(1);
    CHECK_CLOSE(value(0, "vthread_len"), log2(4 + 1), 1e-6);
    CHECK_CLOSE(value(1, "vthread_len"), log2(4 * 4 + 1), 1e-6); /* of two */
    CHECK_CLOSE(value(0, "auto_unroll_max_step"), log2(1024 + 1), 1e-5);
    CHECK_CLOSE(value(0, "float_mul"), log2(8 * 4 * 16 * 512.0 * 128 + 1), 1e-4);
    CHECK_CLOSE(value(0, "alloc_size"), log2(512 + 1), 1e-5);
    CHECK_CLOSE(value(0, "alloc_outer_prod"), log2(512 + 1), 1e-5);
    CHECK_CLOSE(value(0, "alloc_inner_prod"), log2(512.0 * 128 + 1), 1e-4);
    /* k is inside the loops that the initial value shares, and repeats C.local twice. */
    c = buffer_with(0, "acc_type.kReadWrite", true);
    CHECK_CLOSE(of_buffer(0, c, "reuse_type.kLoopMultipleRead"), 1, 0);
    CHECK_CLOSE(of_buffer(0, c, "reuse_ct"), log2(2 + 1), 1e-6);
    CHECK_CLOSE(of_buffer(0, c, "reuse_dis_iter"), log2(128 + 1), 1e-5);
}

/* ---- Regions ---- */

enum { TRIED_LOOPS = 4, TRIED_DIMENSIONS = 3, TRIED_TERMS = 3, TRIED_READS = 2 };

typedef struct random_program {
    opevo_statement_loop loops[TRIED_LOOPS];
    int64_t shape[TRIED_DIMENSIONS];
    opevo_statement_buffer buffer;
    opevo_statement_term terms[TRIED_READS][TRIED_DIMENSIONS][TRIED_TERMS];
    opevo_statement_index indices[TRIED_READS][TRIED_DIMENSIONS];
    opevo_statement_access reads[TRIED_READS];
    opevo_statement_program program;
} random_program;

static void draw(random_program *made, opevo_rng *rng)
{
    for (size_t i = 0; i < TRIED_LOOPS; i++)
        made->loops[i] = (opevo_statement_loop){.extent = 1 + (int64_t)opevo_rng_below(rng, 5)};
    for (size_t a = 0; a < TRIED_READS; a++) {
        for (size_t d = 0; d < TRIED_DIMENSIONS; d++) {
            size_t count = (size_t)opevo_rng_below(rng, TRIED_TERMS + 1);
            size_t order[TRIED_LOOPS];

            opevo_rng_order(rng, order, TRIED_LOOPS);
            for (size_t t = 0; t < count; t++)
                made->terms[a][d][t] =
                    (opevo_statement_term){.loop = order[t],
                                           .stride = (int64_t)opevo_rng_below(rng, 7) - 3,
                                           .divisor = 1 + (int64_t)opevo_rng_below(rng, 3),
                                           .modulus = (int64_t)opevo_rng_below(rng, 4)};
            made->indices[a][d] =
                (opevo_statement_index){.offset = (int64_t)opevo_rng_below(rng, 5) - 2,
                                        .terms = made->terms[a][d],
                                        .term_count = count};
        }
        made->reads[a] = (opevo_statement_access){.indices = made->indices[a]};
    }
    made->buffer = (opevo_statement_buffer){
        .shape = made->shape, .dimension_count = TRIED_DIMENSIONS, .element_bytes = 4};
    made->program = (opevo_statement_program){.loops = made->loops,
                                              .loop_count = TRIED_LOOPS,
                                              .buffers = &made->buffer,
                                              .buffer_count = 1};
}

static int64_t index_at(const opevo_statement_index *index, const int64_t *at)
{
    int64_t sum = index->offset;

    for (size_t t = 0; t < index->term_count; t++) {
        const opevo_statement_term *term = &index->terms[t];
        int64_t part = at[term->loop] / term->divisor;

        sum += term->stride * (term->modulus ? part % term->modulus : part);
    }
    return sum;
}

/* Smallest and largest index over all iterations of the loops from `outermost` on, others at 0. */
static double enumerate(const random_program *of, size_t outermost, size_t dimension)
{
    int64_t at[TRIED_LOOPS] = {0};
    int64_t low = INT64_MAX, high = INT64_MIN;
    bool more = true;

    while (more) {
        for (size_t a = 0; a < TRIED_READS; a++) {
            int64_t index = index_at(&of->indices[a][dimension], at);

            low = index < low ? index : low;
            high = index > high ? index : high;
        }
        more = false;
        for (size_t i = TRIED_LOOPS; i-- > outermost && !more;) {
            more = ++at[i] < of->loops[i].extent;
            if (!more)
                at[i] = 0;
        }
    }
    return (double)(high - low + 1);
}

CHECK_TEST(test_regions_are_those_of_enumeration)
{
    static const size_t around[] = {0, 1, 2, 3};
    const opevo_statement_store store = {.loops = around, .loop_count = TRIED_LOOPS};
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "test", 0);
    for (int trial = 0; trial < 3000; trial++) {
        double extents[OPEVO_I_STATEMENT_DIMENSIONS];
        opevo_i_feature_touched_buffer touched = {.access_count = TRIED_READS};
        random_program of;

        draw(&of, &rng);
        for (size_t a = 0; a < TRIED_READS; a++)
            touched.accesses[a] = &of.reads[a];
        for (size_t outermost = 0; outermost < TRIED_LOOPS; outermost++) {
            double product =
                opevo_i_feature_statement_region(&of.program, &store, &touched, outermost, extents);

            for (size_t d = 0; d < TRIED_DIMENSIONS; d++) {
                CHECK_CLOSE(extents[d], enumerate(&of, outermost, d), 0);
                product /= extents[d];
            }
            CHECK_CLOSE(product, 1, 1e-12);
        }
    }
}

/* ---- Limits ---- */

CHECK_TEST(test_refused)
{
    static const size_t around[65] = {0};
    static const opevo_statement_loop loop = {1, OPEVO_ANNOTATION_SERIAL};
    opevo_statement_store store = {
        .loops = around, .loop_count = 65, .target = ACCESS(0, {0}, {0})};
    opevo_statement_buffer buffer = square_buffers[0];
    const opevo_statement_program program = {&loop, 1, &buffer, 1, &store, 1};
    size_t count = 7;

    CHECK_FAILS(OPEVO_INVALID, "more than 64 loops",
                opevo_statement_features(&program, rows[0], &count, &err));
    store.loop_count = 1;
    buffer.dimension_count = 17;
    CHECK_FAILS(OPEVO_INVALID, "more than 16 dimensions",
                opevo_statement_features(&program, rows[0], &count, &err));
    buffer.dimension_count = 2;
    for (int64_t n = 1; n <= 4; n++) {
        int64_t live = opevo_memory_live();

        opevo_memory_fail_at(n);
        CHECK_FAILS(OPEVO_NOMEM, "No memory",
                    opevo_statement_features(&program, rows[0], &count, &err));
        opevo_memory_fail_at(0);
        assert_int_equal(opevo_memory_live(), live);
    }
    assert_int_equal(count, 7);
    /* A store without loops. */
    store.loop_count = 0;
    assert_int_equal(describe(&program), 1);
    CHECK_CLOSE(of_buffer(0, 0, "unique_bytes"), log2(5), 1e-6);
    CHECK_CLOSE(of_buffer(0, 0, "lines"), 1, 0);
    CHECK_CLOSE(of_buffer(0, 0, "reuse_type.kNoReuse"), 1, 0);
}
