/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Every accepted point of a CPU template computes its operator, also on odd and prime shapes, with
 * the result poisoned before. OPEVO_TEST_POINTS raises the number of points for each shape. */

#include "kernel_fixture.h"

static void test_matmul(void **state)
{
    static const char *const forms[] = {
        "matmul(16,24,32)",         "matmul(17,13,37)",           "matmul(1,1,1)",
        "matmul(64,48,96,TN)",      "matmul(37,29,33,NT)",        "matmul(40,21,50,TT)",
        "batch_matmul(3,12,16,20)", "batch_matmul(2,19,7,31,TN)", "batch_matmul(2,8,32,48,NT)",
    };

    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        assert_true(template_check(forms[i], "cpu", OPEVO_KERNEL_C, point_count(2), i) > 0);
}

static void test_conv2d(void **state)
{
    static const char *const forms[] = {
        "conv2d(2,3,11,11,8,3,3,1,1)",   "conv2d(1,4,13,13,6,5,5,4,0)",
        "conv2d(1,5,9,12,7,1,1,2,0)",    "conv2d(2,4,8,10,9,3,2,2,3)",
        "conv2d(1,8,14,14,16,1,1,1,0)",  "conv2d(1,3,23,21,8,7,7,2,3)",
        "conv2d(1,2,6,5,3,1,1,1,2)",     "conv2d(1,1,5,5,1,5,5,1,0)",
        "conv2d(1,16,30,30,16,3,3,1,1)", "conv2d(1,4,16,18,8,2,3,5,1)",
        "conv2d(2,3,12,16,8,1,1,1,0)",
    };

    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        assert_true(template_check(forms[i], "cpu", OPEVO_KERNEL_C, point_count(2), i) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matmul),
        cmocka_unit_test(test_conv2d),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
