/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Every accepted point of a CPU template computes its operator, also on odd and prime shapes, with
 * the result poisoned before. OPEVO_TEST_POINTS raises the number of points for each shape. */

#include "kernel_fixture.h"

CHECK_TEST(test_matmul)
{
    static const char *const forms[] = {
        "matmul(16,24,32)",         "matmul(17,13,37)",           "matmul(1,1,1)",
        "matmul(64,48,96,TN)",      "matmul(37,29,33,NT)",        "matmul(40,21,50,TT)",
        "batch_matmul(3,12,16,20)", "batch_matmul(2,19,7,31,TN)", "batch_matmul(2,8,32,48,NT)",
    };

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        assert_true(template_check(forms[i], "cpu", OPEVO_KERNEL_C, point_count(2), i) > 0);
}

CHECK_TEST(test_conv2d)
{
    static const char *const forms[] = {
        "conv2d(2,3,11,11,8,3,3,1,1)",   "conv2d(1,4,13,13,6,5,5,4,0)",
        "conv2d(1,5,9,12,7,1,1,2,0)",    "conv2d(2,4,8,10,9,3,2,2,3)",
        "conv2d(1,8,14,14,16,1,1,1,0)",  "conv2d(1,3,23,21,8,7,7,2,3)",
        "conv2d(1,2,6,5,3,1,1,1,2)",     "conv2d(1,1,5,5,1,5,5,1,0)",
        "conv2d(1,16,30,30,16,3,3,1,1)", "conv2d(1,4,16,18,8,2,3,5,1)",
        "conv2d(2,3,12,16,8,1,1,1,0)",   "conv2d(1,2,17,19,31,3,3,1,1)",
    };

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        assert_true(template_check(forms[i], "cpu", OPEVO_KERNEL_C, point_count(2), i) > 0);
        assert_true(template_check(forms[i], "weights", OPEVO_KERNEL_C, point_count(3), i) > 0);
    }
}

/* Sums over parts of the channels are added to the result, here 7 of 8 lanes at its very end. */
CHECK_TEST(test_partial_sums_stay_inside)
{
    static const char point[] =
        "F=1,1,16 Q=2,4,8 C=2,1 order=0,2,1 inner=1,0 pack=0 vector=8 unroll=256";
    operands self = operands_make("conv2d(1,2,14,14,16,3,3,2,1)", 1);
    opevo_kernel_maker *maker = NULL;
    opevo_kernel kernel = {0};
    opevo_outcome_class refused = OPEVO_OUTCOME_OK;
    opevo_text why = {0};
    opevo_index at = 0;

    assert_int_equal(self.memory[2].after, 0);
    CHECK_OK(opevo_template_open(&self.op, "cpu", OPEVO_KERNEL_C, &maker, &err));
    CHECK_OK(opevo_space_read(maker->space, point, &at, &err));
    CHECK_OK(maker->ops->make(maker, at, &kernel, &refused, &why, &err));
    assert_int_equal(refused, OPEVO_OUTCOME_OK);
    kernel_check(&self, &kernel, point);
    opevo_text_free(&why);
    opevo_kernel_free(&kernel);
    maker->ops->destroy(maker);
    operands_free(&self);
}
