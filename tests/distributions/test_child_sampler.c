/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The child sampler against closed forms of its law; the whole step against the exact law of
 * child.h is tests/analysis/test_verify_child.c. */

#include "check.h"

#include <opevo/child_sampler.h>
#include <opevo/memory.h>

enum { DRAWS = 100000 };

/* Two parameters of complete graphs, 3 x 2 points. */
static opevo_space *open_space(void)
{
    static const char json[] = "{\"a\": {\"_type\": \"choice\", \"_value\": [1, 2, 3]},"
                               " \"b\": {\"_type\": \"choice\", \"_value\": [1, 2]}}";
    opevo_space *space = NULL;

    CHECK_OK(opevo_space_parse(json, "test", NULL, &space, &err));
    return space;
}

/* At q = 0 a child is its recombination: each parameter from parent j with probability w_j / sum w.
 * 5 standard deviations at this many draws are 0.008, so that a weight off by 2 % is seen. */
CHECK_TEST(test_recombination_frequencies)
{
    static const opevo_index rows[3][2] = {{0, 0}, {1, 1}, {2, 0}};
    const opevo_index *parents[3] = {rows[0], rows[1], rows[2]};
    static const double weights[3] = {1e300, 0, 3e300};
    opevo_space *space = open_space();
    opevo_index_set *seen = opevo_index_set_create();
    opevo_child_sampler *sampler = NULL;
    int count[6] = {0};
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "test-child-sampler", 0);
    CHECK_OK(opevo_child_sampler_create(space, 0, OPEVO_DUPLICATE_CONTINUE, &sampler, &err));
    CHECK_OK(opevo_child_sampler_set_parents(sampler, parents, weights, 3, &err));
    for (int i = 0; i < DRAWS; i++) {
        opevo_index vertices[2];
        opevo_index point = 0;

        assert_true(opevo_child_sampler_draw(sampler, seen, &rng, vertices, &point));
        assert_true(point == opevo_space_encode(space, vertices));
        count[point]++;
    }
    CHECK_CLOSE(count[0] / (double)DRAWS, 0.25, 0.008);
    CHECK_CLOSE(count[4] / (double)DRAWS, 0.75, 0.008);
    assert_int_equal(count[0] + count[4], DRAWS);
    opevo_child_sampler_destroy(sampler);
    opevo_index_set_destroy(seen);
    opevo_space_destroy(space);
}

/* With one point left, every child is that point; with none, the draw gives up. */
CHECK_TEST(test_exhaustion)
{
    static const opevo_index row[2] = {0, 0};
    const opevo_index *parents[1] = {row};
    static const double weight = 1;

    for (int rule = 0; rule < 2; rule++) {
        opevo_space *space = open_space();
        opevo_index_set *seen = opevo_index_set_create();
        opevo_child_sampler *sampler = NULL;
        opevo_index vertices[2];
        opevo_index point = 0;
        opevo_rng rng;

        opevo_rng_init(&rng, 1, "test-child-sampler", 1);
        CHECK_OK(
            opevo_child_sampler_create(space, 0.5, (opevo_duplicate_rule)rule, &sampler, &err));
        CHECK_OK(opevo_child_sampler_set_parents(sampler, parents, &weight, 1, &err));
        for (opevo_index x = 0; x < 5; x++)
            assert_true(opevo_index_set_add(seen, x));
        for (int i = 0; i < 100; i++) {
            assert_true(opevo_child_sampler_draw(sampler, seen, &rng, vertices, &point));
            assert_true(point == 5 && vertices[0] == 2 && vertices[1] == 1);
        }
        assert_true(opevo_index_set_add(seen, 5));
        assert_false(opevo_child_sampler_draw(sampler, seen, &rng, vertices, &point));
        opevo_child_sampler_destroy(sampler);
        opevo_index_set_destroy(seen);
        opevo_space_destroy(space);
    }
    assert_int_equal(opevo_memory_live(), 0);
}

CHECK_TEST(test_bad_weights_are_refused)
{
    static const opevo_index row[2] = {0, 0};
    const opevo_index *parents[2] = {row, row};
    static const double bad[][2] = {{0, 0}, {1, -1}, {1, NAN}, {INFINITY, 1}};
    opevo_space *space = open_space();
    opevo_child_sampler *sampler = NULL;

    CHECK_OK(opevo_child_sampler_create(space, 0.5, OPEVO_DUPLICATE_REDRAW, &sampler, &err));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_FAILS(OPEVO_INVALID, "weight",
                    opevo_child_sampler_set_parents(sampler, parents, bad[i], 2, &err));
    opevo_child_sampler_destroy(sampler);
    CHECK_FAILS(OPEVO_INVALID, "q",
                opevo_child_sampler_create(space, 1, OPEVO_DUPLICATE_REDRAW, &sampler, &err));
    opevo_space_destroy(space);
}

CHECK_TEST(test_every_allocation_failing)
{
    static const opevo_index row[2] = {0, 0};
    const opevo_index *parents[1] = {row};
    static const double weight = 1;
    opevo_space *space = open_space();
    int64_t live = opevo_memory_live();
    bool done = false;

    for (int64_t n = 1; !done; n++) {
        opevo_child_sampler *sampler = NULL;
        opevo_status status = OPEVO_OK;

        opevo_memory_fail_at(n);
        status = opevo_child_sampler_create(space, 0.5, OPEVO_DUPLICATE_REDRAW, &sampler, NULL);
        if (status == OPEVO_OK)
            status = opevo_child_sampler_set_parents(sampler, parents, &weight, 1, NULL);
        opevo_memory_fail_at(0);
        assert_true(status == OPEVO_OK || status == OPEVO_NOMEM);
        done = status == OPEVO_OK;
        opevo_child_sampler_destroy(sampler);
        assert_int_equal(opevo_memory_live(), live);
    }
    opevo_space_destroy(space);
}
