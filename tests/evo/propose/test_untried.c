/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Uniform draws without replacement: every order equally likely, nothing twice, nothing forgotten,
 * also where points were seen elsewhere or are forbidden. */

#include "formula.h"
#include "points.h"

#include <gsl/gsl_cdf.h>

#include <opevo/memory.h>

#include "untried_internal.h"

static const char four[] = "{\"a\": {\"_type\": \"choice\", \"_value\": [0, 1, 2, 3]}}";

/* Probability of a chi-square as large as this under equal probabilities. */
static double uniform_p(const uint64_t *counts, size_t cells)
{
    double total = 0;
    double statistic = 0;

    for (size_t i = 0; i < cells; i++)
        total += (double)counts[i];
    for (size_t i = 0; i < cells; i++) {
        double expected = total / (double)cells;

        statistic += pow((double)counts[i] - expected, 2) / expected;
    }
    return gsl_cdf_chisq_Q(statistic, (double)(cells - 1));
}

/* Draw everything; the places of the points in the order drawn. */
static size_t draw_all(opevo_i_untried *fresh, const opevo_index_set *seen, opevo_rng *rng,
                       opevo_index *order, size_t most)
{
    const char *reason = NULL;

    for (size_t count = 0;; count++) {
        opevo_index point = 0;

        CHECK_OK(opevo_i_untried_draw(fresh, seen, rng, &point, &reason, &err));
        if (reason) {
            assert_string_equal(reason, "every allowed point has been proposed");
            return count;
        }
        assert_true(count < most);
        order[count] = point;
    }
}

/* 240,000 orders of 4 points in the long run: a probability of one order off by 5 % of itself gives
 * a chi-square about 25 above its mean of 23, one off by 15 % is caught for certain; the fifth of
 * them otherwise catches one off by 30 %. */
CHECK_TEST(test_every_order_alike)
{
    opevo_space *space = formula_space(four);
    uint64_t counts[256] = {0};
    uint64_t orders[24] = {0};
    size_t found = 0;
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "test", 0);
    for (size_t i = 0; i < test_size(48000, 240000); i++) {
        opevo_i_untried *fresh = opevo_i_untried_create(space);
        opevo_index order[4];
        size_t key = 0;

        assert_int_equal(draw_all(fresh, NULL, &rng, order, 4), 4);
        for (size_t k = 0; k < 4; k++)
            key = key * 4 + (size_t)order[k];
        counts[key]++;
        opevo_i_untried_destroy(fresh);
    }
    for (size_t key = 0; key < 256; key++) {
        if (counts[key]) {
            assert_true(found < 24);
            orders[found++] = counts[key];
        }
    }
    assert_int_equal(found, 24);
    assert_true(uniform_p(orders, 24) > 1e-6);
    opevo_space_destroy(space);
}

/* Point 0 is drawn, 9 is seen elsewhere and 3 is forbidden: each of the other seven comes next
 * equally often. */
CHECK_TEST(test_uniform_over_the_rest)
{
    opevo_space *space =
        formula_space("{\"a\": {\"_type\": \"choice\", \"_value\": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]},"
                      " \"_constraints\": [\"a != 3\"]}");
    uint64_t counts[10] = {0};
    uint64_t cells[7] = {0};
    size_t cell = 0;
    opevo_rng rng;

    opevo_rng_init(&rng, 2, "test", 0);
    for (size_t i = 0; i < test_size(80000, 400000); i++) {
        opevo_i_untried *fresh = opevo_i_untried_create(space);
        opevo_index_set *seen = opevo_index_set_create();
        opevo_index first = 0;
        opevo_index next = 0;
        const char *reason = NULL;

        CHECK_OK(opevo_i_untried_draw(fresh, seen, &rng, &first, &reason, &err));
        opevo_index_set_add(seen, first);
        opevo_index_set_add(seen, 9);
        CHECK_OK(opevo_i_untried_draw(fresh, seen, &rng, &next, &reason, &err));
        assert_true(next != first && next != 9 && next != 3);
        if (first == 0)
            counts[next]++;
        opevo_i_untried_destroy(fresh);
        opevo_index_set_destroy(seen);
    }
    for (size_t i = 1; i < 9; i++) {
        if (i != 3)
            cells[cell++] = counts[i];
    }
    assert_true(uniform_p(cells, 7) > 1e-6);
    opevo_space_destroy(space);
}

/* Two constraints that leave few points of 1,800. */
CHECK_TEST(test_exhausts_what_is_allowed)
{
    opevo_space *space = formula_space("{\"a\": {\"_type\": \"factor\", \"_value\": [16, 3]},"
                                       " \"b\": {\"_type\": \"permutation\", \"_value\": [5]},"
                                       " \"_constraints\": [\"a[0] == 4\", \"b[0] == 0\"]}");
    opevo_i_untried *fresh = opevo_i_untried_create(space);
    opevo_index order[512];
    size_t allowed = 0;
    size_t count = 0;
    opevo_rng rng;

    opevo_rng_init(&rng, 3, "test", 0);
    count = draw_all(fresh, NULL, &rng, order, 512);
    for (opevo_index point = 0; point < opevo_space_size(space); point++) {
        size_t times = 0;

        for (size_t i = 0; i < count; i++)
            times += order[i] == point;
        assert_int_equal(times, opevo_space_allows(space, point));
        allowed += times;
    }
    assert_true(allowed == count && allowed > 0);
    opevo_i_untried_destroy(fresh);
    opevo_space_destroy(space);
}

/* More points than 64 bits hold: the high bits vary, nothing comes twice. */
CHECK_TEST(test_huge_space)
{
    opevo_space *space = formula_space("{\"a\": {\"_type\": \"permutation\", \"_value\": [30]}}");
    opevo_i_untried *fresh = opevo_i_untried_create(space);
    opevo_index_set *met = opevo_index_set_create();
    double mean = 0;
    opevo_rng rng;

    opevo_rng_init(&rng, 4, "test", 0);
    for (size_t i = 0; i < 20000; i++) {
        const char *reason = NULL;
        opevo_index point = 0;

        CHECK_OK(opevo_i_untried_draw(fresh, NULL, &rng, &point, &reason, &err));
        assert_null(reason);
        opevo_index_set_add(met, point);
        assert_int_equal(opevo_index_set_count(met), i + 1);
        mean += (double)point / (double)opevo_space_size(space) / 20000;
    }
    CHECK_CLOSE(mean, 0.5, 0.012); /* 6 standard deviations */
    opevo_index_set_destroy(met);
    opevo_i_untried_destroy(fresh);
    opevo_space_destroy(space);
}

/* A huge space that allows nothing ends with a reason, and with bounded memory. */
CHECK_TEST(test_nothing_allowed)
{
    opevo_space *space = formula_space("{\"a\": {\"_type\": \"permutation\", \"_value\": [12]},"
                                       " \"_constraints\": [\"a[0] + a[11] > 40\"]}");
    opevo_i_untried *fresh = opevo_i_untried_create(space);
    const char *reason = NULL;
    opevo_index point = 77;
    opevo_rng rng;

    opevo_rng_init(&rng, 5, "test", 0);
    CHECK_OK(opevo_i_untried_draw(fresh, NULL, &rng, &point, &reason, &err));
    assert_non_null(strstr(reason, "no new allowed point"));
    assert_true(point == 77);
    opevo_i_untried_destroy(fresh);
    opevo_space_destroy(space);
}

CHECK_TEST(test_without_memory)
{
    opevo_space *space = formula_space(four);
    int64_t live = opevo_memory_live();

    for (int64_t n = 1; n <= 5; n++) {
        opevo_i_untried *fresh = NULL;
        opevo_index point = 0;
        const char *reason = NULL;
        opevo_status status = OPEVO_OK;
        opevo_rng rng;

        opevo_rng_init(&rng, 6, "test", 0);
        opevo_memory_fail_at(n);
        fresh = opevo_i_untried_create(space);
        while (fresh && status == OPEVO_OK && !reason)
            status = opevo_i_untried_draw(fresh, NULL, &rng, &point, &reason, NULL);
        assert_true(!fresh || status == OPEVO_NOMEM || n > 2);
        opevo_i_untried_destroy(fresh);
        assert_int_equal(opevo_memory_live(), live);
    }
    opevo_memory_fail_at(0);
    opevo_i_untried_destroy(NULL);
    opevo_space_destroy(space);
}
