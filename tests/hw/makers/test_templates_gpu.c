/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Every accepted point of a GPU template computes its operator when its threads are run one after
 * the other between barriers. OPEVO_TEST_POINTS raises the number of points for each shape. */

#include "kernel_fixture.h"

static void check_all(const char *name, const char *const *forms, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_true(template_check(forms[i], name, OPEVO_KERNEL_EMULATION, point_count(2), i) > 0);
}

static const char *const matmuls[] = {
    "matmul(16,24,32)",           "matmul(17,26,37)",           "matmul(64,48,96,TN)",
    "matmul(36,30,33,NT)",        "matmul(40,21,50,TT)",        "batch_matmul(6,12,16,20)",
    "batch_matmul(2,19,6,31,TN)", "batch_matmul(4,8,32,48,NT)",
};

static const char *const convolutions[] = {
    "conv2d(2,3,11,11,8,3,3,1,1)",
    "conv2d(1,4,13,13,6,5,5,4,0)",
    "conv2d(1,5,9,12,7,1,1,2,0)",
    "conv2d(2,4,8,10,9,3,2,2,3)",
};

static const char *const names[] = {"paper", "tiled"};

CHECK_TEST(test_matmul)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        check_all(names[i], matmuls, sizeof matmuls / sizeof *matmuls);
}

CHECK_TEST(test_conv2d)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        check_all(names[i], convolutions, sizeof convolutions / sizeof *convolutions);
}
