/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The prediction of kt-vndx against a plain search for the nearest points. */

#include "formula.h"

#include "kt_known_internal.h"

#include <opevo/random.h>

enum { POINTS_MOST = 700, WIDTH_MOST = 300 };

static opevo_index points[POINTS_MOST][WIDTH_MOST];
static double costs[POINTS_MOST];

static unsigned distance(const opevo_index *a, const opevo_index *b, size_t width)
{
    unsigned sum = 0;

    for (size_t i = 0; i < width; i++)
        sum += a[i] != b[i];
    return sum < 255 ? sum : 255;
}

/* The k nearest one after the other, the first of equals. */
static double expected(size_t count, const opevo_index *vertices, size_t width, size_t k)
{
    bool taken[POINTS_MOST] = {false};
    size_t wanted = k < count ? k : count;
    double sum = 0;

    for (size_t i = 0; i < wanted; i++) {
        size_t best = 0;

        while (taken[best])
            best++;
        for (size_t n = best + 1; n < count; n++) {
            if (!taken[n] &&
                distance(points[n], vertices, width) < distance(points[best], vertices, width))
                best = n;
        }
        taken[best] = true;
        sum += costs[best];
    }
    return sum / (double)wanted;
}

/* Learn points one after the other and predict in between. Few different values make many equal
 * distances. */
static void check(size_t width, opevo_index *sizes, size_t count, size_t stride)
{
    opevo_i_kt_space space = {.width = width, .sizes = sizes};
    opevo_i_kt_known known;
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "test", width);
    assert_true(opevo_i_kt_known_init(&known, &space));
    for (size_t n = 0; n < count; n++) {
        for (size_t i = 0; i < width; i++)
            points[n][i] = sizes[i] < 3 ? opevo_rng_below(&rng, (uint64_t)sizes[i])
                                        : sizes[i] / 3 * opevo_rng_below(&rng, 3);
        costs[n] = opevo_rng_unit(&rng);
        if (n > 0 && n % stride == 0) {
            for (size_t k = 1; k <= OPEVO_I_KT_NEAREST_MOST; k += 5)
                assert_true(opevo_i_kt_known_predict(&known, points[n], k) ==
                            expected(n, points[n], width, k));
        }
        CHECK_OK(opevo_i_kt_known_add(&known, points[n], costs[n], &err));
    }
    opevo_i_kt_known_clear(&known);
}

CHECK_TEST(test_small_lists)
{
    opevo_index sizes[] = {3, 1, 8, 2, 256, 1, 4, 100};

    check(8, sizes, POINTS_MOST, 13);
}

/* Values whose names differ in the low byte only, in the high byte only, in both. */
CHECK_TEST(test_long_lists)
{
    opevo_index sizes[] = {257, 768, 3, 65536, 300, 1, 9};

    check(7, sizes, POINTS_MOST, 13);
}

/* Distances beyond 255 count as equal. */
CHECK_TEST(test_many_parameters)
{
    opevo_index sizes[WIDTH_MOST];

    for (size_t i = 0; i < WIDTH_MOST; i++)
        sizes[i] = i % 7 ? 3 : 900;
    check(WIDTH_MOST, sizes, 130, 9);
    for (size_t i = 0; i < WIDTH_MOST; i++)
        sizes[i] = 100000000;
    check(WIDTH_MOST, sizes, 70, 9);
}

CHECK_TEST(test_one_point)
{
    opevo_index sizes[] = {1};

    check(1, sizes, 70, 1);
}
