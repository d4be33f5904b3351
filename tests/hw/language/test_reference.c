/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The plain loops against closed forms and against OpenBLAS; the bound holds, and a result with one
 * term missing breaks it. */

#include "kernel_fixture.h"

CHECK_TEST(test_closed_forms)
{
    opevo_operator op;
    float a[2 * 3];
    float b[3 * 2];
    float c[4];
    float image[9];
    float kernel[4] = {1, 1, 1, 1};
    static const float sums[4] = {1 + 2 + 4 + 5, 2 + 3 + 5 + 6, 4 + 5 + 7 + 8, 5 + 6 + 8 + 9};
    static const float padded[4] = {1, 2 + 3, 4 + 7, 5 + 6 + 8 + 9}; /* stride 2, padding 1 */

    CHECK_OK(opevo_operator_parse("matmul(2,3,2)", &op, &err));
    for (int i = 0; i < 6; i++) { /* a[i][k] = 10 i + k, b[k][j] = k - j */
        int row = i / 3;
        int k = i / 2;

        a[i] = (float)(10 * row + i % 3);
        b[i] = (float)(k - i % 2);
    }
    opevo_reference_compute(&op, (const float *const[]){a, b}, (float *const[]){c}, NULL);
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) /* sum of (10 i + k)(k - j) over k < 3 */
            CHECK_CLOSE(c[2 * i + j], 10 * i * (3 - 3 * j) + (5 - 3 * j), 0);
    }
    for (int i = 0; i < 9; i++)
        image[i] = (float)(i + 1);
    CHECK_OK(opevo_operator_parse("conv2d(1,1,3,3,1,2,2,1,0)", &op, &err));
    opevo_reference_compute(&op, (const float *const[]){image, kernel}, (float *const[]){c}, NULL);
    for (int i = 0; i < 4; i++)
        CHECK_CLOSE(c[i], sums[i], 0);
    CHECK_OK(opevo_operator_parse("conv2d(1,1,3,3,1,2,2,2,1)", &op, &err));
    opevo_reference_compute(&op, (const float *const[]){image, kernel}, (float *const[]){c}, NULL);
    for (int i = 0; i < 4; i++)
        CHECK_CLOSE(c[i], padded[i], 0);
}

CHECK_TEST(test_blas)
{
    static const char *const forms[] = {
        "matmul(17,31,9)",           "matmul(8,5,12,TN)",
        "matmul(8,5,12,NT)",         "matmul(6,7,5,TT)",
        "batch_matmul(3,4,5,6)",     "batch_matmul(2,7,3,4,TN)",
        "batch_matmul(2,7,3,4,NT)",  "conv2d(2,3,9,8,5,3,3,1,1)",
        "conv2d(1,4,7,7,6,1,1,1,0)", "conv2d(2,2,10,11,3,5,2,3,2)",
        "conv2d(1,3,6,6,2,1,1,2,1)", "matmul(1,31,9)",
        "matmul(1,31,9,TN)",         "matmul(1,31,9,NT)",
        "matmul(1,31,9,TT)",         "matmul(17,31,1)",
        "matmul(17,31,1,TN)",        "matmul(17,31,1,NT)",
        "matmul(17,31,1,TT)",        "matmul(1,31,1)",
        "batch_matmul(3,1,5,6)",     "batch_matmul(3,4,5,1,TN)",
        "conv2d(2,3,9,8,1,3,3,1,1)", "conv2d(2,3,3,3,7,3,3,1,0)",
    };

    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
        operands self = operands_make(forms[f], f);

        memset(self.c, 0xff, (size_t)opevo_operand_elements(&self.op, 2) * sizeof *self.c);
        CHECK_OK(
            opevo_reference_blas(&self.op, (const float *const[]){self.a, self.b}, &self.c, &err));
        for (int64_t i = 0; i < opevo_operand_elements(&self.op, 2); i++) {
            CHECK_CLOSE(self.c[i], self.expected[i],
                        opevo_reference_bound(&self.op, 0, self.magnitude[i]));
            /* Half of an average term more would be seen. */
            assert_true(opevo_reference_bound(&self.op, 0, self.magnitude[i]) <=
                        0.5 * self.magnitude[i] / (double)opevo_operator_terms(&self.op, 0));
        }
        operands_free(&self);
    }
    assert_non_null(opevo_reference_blas_core());
}

/* A product with a vector is one of sgemv, which is what such a shape is compared with. */
CHECK_TEST(test_routine)
{
    static const struct {
        const char *form, *routine;
    } rows[] = {
        {"matmul(17,31,9)", "sgemm"},           {"matmul(1,31,9)", "sgemv"},
        {"matmul(17,31,1,NT)", "sgemv"},        {"batch_matmul(3,1,5,6)", "sgemv"},
        {"conv2d(2,3,9,8,5,3,3,1,1)", "sgemm"}, {"conv2d(2,3,3,3,7,3,3,1,0)", "sgemv"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        opevo_operator op;

        CHECK_OK(opevo_operator_parse(rows[i].form, &op, &err));
        assert_string_equal(opevo_reference_blas_routine(&op), rows[i].routine);
    }
}

CHECK_TEST(test_bound)
{
    opevo_operator op;

    CHECK_OK(opevo_operator_parse("matmul(1,1023,1)", &op, &err));
    CHECK_CLOSE(opevo_reference_bound(&op, 0, 1), 0x1p-14 / (1 - 0x1p-14), 1e-18);
    CHECK_OK(opevo_operator_parse("matmul(1,16777216,1)", &op, &err));
    assert_true(isinf(opevo_reference_bound(&op, 0, 1)));
    CHECK_OK(opevo_operator_parse("matmul(1,2147483647,2)", &op, &err));
    CHECK_FAILS(OPEVO_LIMIT, "too many", opevo_reference_blas(&op, NULL, NULL, &err));
}
