/* SPDX-License-Identifier: GPL-3.0-or-later */

/* AutoTVM's features: the numbers of TVM's own tests for a product of matrices of 128, and, for
 * random points, elements touched that are counted one by one. */

#include "check.h"

#include <opevo/computation_named.h>
#include <opevo/loop_features.h>
#include <opevo/memory.h>
#include <opevo/random.h>
#include <opevo/template.h>

typedef struct steps {
    opevo_computation *computation;
    opevo_pipeline *pipeline;
} steps;

static steps steps_of(const char *form, const char *text)
{
    steps self = {NULL, NULL};

    CHECK_OK(opevo_computation_read(form, &self.computation, &err));
    CHECK_OK(opevo_pipeline_parse(self.computation, text, "test", &self.pipeline, &err));
    return self;
}

static void steps_free(steps *self)
{
    opevo_pipeline_destroy(self->pipeline);
    opevo_computation_destroy(self->computation);
}

enum { HEAD = 18, ACCESS = 6 }; /* numbers before the accesses of a loop, and of each */

/* TVM, tests/python/unittest/test_autotvm_feature.py, test_iter_feature_gemm. */
CHECK_TEST(test_itervar_gemm)
{
    /* For y, x, k: length, depth, topdown, bottomup, additions; then for A_0, B_0, C_0, C_1:
     * stride, elements, repetitions. */
    static const double expected[3][5 + 12] = {
        {128, 1, 128, 2097152, 0, 128, 16384, 128, 0, 16384, 128, 128, 16384, 128, 128, 16384, 128},
        {128, 2, 16384, 16384, 0, 0, 128, 128, 1, 16384, 1, 1, 128, 128, 1, 128, 128},
        {128, 3, 2097152, 128, 1, 1, 128, 1, 128, 128, 1, 0, 1, 128, 0, 1, 128},
    };
    steps made = steps_of("matmul(128,128,128)", "");
    opevo_feature_row row = {0};
    opevo_feature_row logs = {0};

    CHECK_OK(opevo_features_itervar(made.pipeline, false, &row, &err));
    CHECK_OK(opevo_features_itervar(made.pipeline, true, &logs, &err));
    assert_int_equal(row.count, 126);
    assert_int_equal(logs.count, 126);
    for (int v = 0; v < 3; v++) {
        const float *one = row.number + (ptrdiff_t)v * (HEAD + 4 * ACCESS);

        for (int i = 0; i < 4; i++)
            CHECK_CLOSE(one[i], expected[v][i], 0);
        for (int i = 0; i < 11; i++)
            CHECK_CLOSE(one[4 + i], i == 9, 0); /* serial */
        CHECK_CLOSE(one[15], expected[v][4], 0);
        CHECK_CLOSE(one[16], expected[v][4], 0);
        CHECK_CLOSE(one[17], 0, 0);
        for (int a = 0; a < 4; a++) {
            const float *access = one + HEAD + (ptrdiff_t)a * ACCESS;

            CHECK_CLOSE(access[0], expected[v][5 + 3 * a], 0);
            CHECK_CLOSE(access[1], -1, 0);
            CHECK_CLOSE(access[2], expected[v][6 + 3 * a], 0);
            CHECK_CLOSE(access[3], expected[v][7 + 3 * a], 0);
            CHECK_CLOSE(access[4], 0, 0);
            CHECK_CLOSE(access[5], 0, 0);
        }
    }
    for (size_t i = 0; i < row.count; i++) {
        size_t place = i % (HEAD + 4 * ACCESS);
        double x = row.number[i];

        if (place != 1 && (place < 4 || place > 14)) /* neither depth nor kind */
            CHECK_CLOSE(logs.number[i], x < 0 ? -log2(1 - x) : log2(x + 1), 1e-6);
        else
            CHECK_CLOSE(logs.number[i], x, 0);
    }
    opevo_free(row.number);
    opevo_free(logs.number);
    steps_free(&made);
}

/* The same file, test_curve_feature_gemm: the sums of the three curves' numbers. */
CHECK_TEST(test_curve_gemm)
{
    static const double sums[3] = {907, 900, 907};
    steps made = steps_of("matmul(128,128,128)", "");
    opevo_feature_row row = {0};

    CHECK_OK(opevo_features_curve(made.pipeline, 20, &row, &err));
    assert_int_equal(row.count, 3 * 160);
    for (size_t c = 0; c < 3; c++) {
        double sum = 0;

        for (size_t i = 0; i < 160; i++)
            sum += row.number[c * 160 + i];
        CHECK_CLOSE(sum, sums[c], 1e-3);
    }
    opevo_free(row.number);
    steps_free(&made);
}

/* Elements of A, B and C that the loops from `depth` on touch, counted one by one, for loops of a
 * product i = 4 v0 + v2 (3 x 4), j = 5 v1 + v4 (2 x 5), k = v3 (7) in this order. */
static void count_touched(int depth, int *distinct)
{
    static const int extent[5] = {3, 2, 4, 7, 5};
    bool seen[3][12 * 10] = {{false}};

    memset(distinct, 0, 3 * sizeof *distinct);
    for (int turn = 0; turn < 3 * 2 * 4 * 7 * 5; turn++) {
        int v[5];
        int rest = turn;
        bool inside = true;
        int at[3];

        for (int d = 4; d >= 0; d--) {
            v[d] = rest % extent[d];
            rest /= extent[d];
        }
        for (int d = 0; d < depth; d++)
            inside &= v[d] == 0;
        if (!inside)
            continue;
        at[0] = (4 * v[0] + v[2]) * 7 + v[3];
        at[1] = v[3] * 10 + 5 * v[1] + v[4];
        at[2] = (4 * v[0] + v[2]) * 10 + 5 * v[1] + v[4];
        for (int t = 0; t < 3; t++) {
            distinct[t] += !seen[t][at[t]];
            seen[t][at[t]] = true;
        }
    }
}

CHECK_TEST(test_counted)
{
    steps made =
        steps_of("matmul(12,7,10)", "split C i 4\nsplit C j 5\nreorder C i.0 j.0 i.1 k j.1\n");
    opevo_feature_row row = {0};
    static const int access_of[4] = {0, 1, 2, 2};

    CHECK_OK(opevo_features_itervar(made.pipeline, false, &row, &err));
    assert_int_equal(row.count, 5 * (HEAD + 4 * ACCESS));
    for (int d = 0; d < 5; d++) {
        int distinct[3];

        count_touched(d, distinct);
        for (int a = 0; a < 4; a++)
            CHECK_CLOSE(row.number[d * (HEAD + 4 * ACCESS) + HEAD + a * ACCESS + 2],
                        distinct[access_of[a]], 0);
    }
    opevo_free(row.number);
    steps_free(&made);
}

/* What is more than one statement and its copies has no features of loops. */
CHECK_TEST(test_refused)
{
    steps made = steps_of("softmax(4,8)", "");
    opevo_feature_row row = {0};

    CHECK_FAILS(OPEVO_INVALID, "one stage",
                opevo_features_itervar(made.pipeline, false, &row, &err));
    opevo_free(row.number);
    steps_free(&made);
}

/* Every accepted point of every template has as many numbers as the source says, all finite, and
 * two points with different loops differ. */
CHECK_TEST(test_sources)
{
    static const char *const forms[] = {"matmul(32,48,64)", "batch_matmul(4,16,12,24,TN)",
                                        "conv2d(2,4,10,12,8,3,3,1,1)"};
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "features", 0);
    for (size_t i = 0; i < opevo_template_count() * 3 * OPEVO_KERNEL_COUNT; i++) {
        const opevo_template_info *info = opevo_template_get(i / (3 * OPEVO_KERNEL_COUNT));
        opevo_kernel_dialect dialect = (opevo_kernel_dialect)(i % OPEVO_KERNEL_COUNT);
        opevo_operator op;
        opevo_kernel_maker *maker = NULL;

        CHECK_OK(opevo_operator_parse(forms[i / OPEVO_KERNEL_COUNT % 3], &op, &err));
        if (!(info->kinds >> op.kind & 1) || !(info->dialects >> dialect & 1))
            continue;
        CHECK_OK(opevo_template_open(&op, info->name, dialect, &maker, &err));
        assert_non_null(maker->features);
        for (int p = 0; p < 20; p++) {
            opevo_index point = opevo_rng_below_wide(&rng, opevo_space_size(maker->space));
            float *number = opevo_malloc(maker->features->count, sizeof *number);
            float sum = 0;

            for (size_t f = 0; f < maker->features->count; f++)
                number[f] = NAN;
            if (maker->features->features(maker->features->context, point, number)) {
                for (size_t f = 0; f < maker->features->count; f++) {
                    assert_true(isfinite(number[f]));
                    sum += fabsf(number[f]);
                }
                assert_true(sum > 0);
            }
            opevo_free(number);
        }
        maker->ops->destroy(maker);
    }
}
