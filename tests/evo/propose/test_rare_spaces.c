/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Uniform draws where allowed points are too rare for rejection: from the diagram. */

#include "check.h"

#include <opevo/diagram.h>
#include <opevo/domain.h>
#include <opevo/random.h>
#include <opevo/space.h>

#include "fit.h"
#include "kt_space_internal.h"
#include "untried_internal.h"

/* 7 * 7 of 2^24 points: products of two of 1..64 that are 64. */
enum { ALLOWED = 49 };

static opevo_space *make_rare(void)
{
    opevo_text json = {0};
    opevo_space *space = NULL;

    opevo_text_add(&json, "{");
    for (int i = 0; i < 4; i++) {
        opevo_text_printf(&json, "\"p%d\": {\"_type\": \"discrete\", \"_value\": [1", i);
        for (int value = 2; value <= 64; value++)
            opevo_text_printf(&json, ", %d", value);
        opevo_text_add(&json, "]}, ");
    }
    opevo_text_add(&json, "\"_constraints\": [\"p0 * p1 == 64\", \"p2 * p3 == 64\"]}");
    CHECK_OK(opevo_space_parse(opevo_text_string(&json), "rare.json", NULL, &space, &err));
    assert_non_null(opevo_space_draws_from(space));
    opevo_text_free(&json);
    return space;
}

static size_t cell_of(const opevo_space *space, opevo_index point)
{
    opevo_index vertices[4], rank = 0;

    assert_true(opevo_space_allows(space, point));
    opevo_space_decode(space, point, vertices);
    assert_true(opevo_diagram_rank(opevo_space_draws_from(space), vertices, &rank));
    return (size_t)rank;
}

/* Each once, in an order that depends on the seed alone, and then none. */
CHECK_TEST(test_exhausted)
{
    opevo_space *space = make_rare();
    opevo_i_untried *untried = opevo_i_untried_create(space);
    bool met[ALLOWED] = {false};
    const char *reason = NULL;
    opevo_index point = 0;
    opevo_rng rng;

    assert_non_null(untried);
    opevo_rng_init(&rng, 1, "test", 0);
    for (int i = 0; i < ALLOWED; i++) {
        CHECK_OK(opevo_i_untried_draw(untried, NULL, &rng, &point, &reason, &err));
        assert_null(reason);
        assert_false(met[cell_of(space, point)]);
        met[cell_of(space, point)] = true;
    }
    CHECK_OK(opevo_i_untried_draw(untried, NULL, &rng, &point, &reason, &err));
    assert_string_equal(reason, "every allowed point has been proposed");
    opevo_i_untried_destroy(untried);
    opevo_space_destroy(space);
}

/* 4900 draws find a point that is drawn half as often as it should with probability .99 at a level
 * of 1e-4: its cell adds 25 to a statistic of 48 degrees of freedom, and those that it gives way to
 * as much again. */
CHECK_TEST(test_uniform)
{
    opevo_space *space = make_rare();
    opevo_domain *domain = NULL;
    opevo_i_kt_space kt;
    uint64_t sampled[ALLOWED] = {0}, drawn[ALLOWED] = {0};
    double expected[ALLOWED];
    opevo_rng rng;

    opevo_rng_init(&rng, 2, "test", 0);
    CHECK_OK(opevo_domain_of_space(space, &domain, &err));
    CHECK_OK(opevo_i_kt_space_init(&kt, space, &err));
    for (int i = 0; i < 100 * ALLOWED; i++) {
        opevo_index point = 0, vertices[4];

        CHECK_OK(opevo_domain_sample(domain, &rng, &point, &err));
        sampled[cell_of(space, point)]++;
        assert_true(opevo_i_kt_sample(&kt, &rng, vertices));
        drawn[cell_of(space, opevo_space_encode(space, vertices))]++;
    }
    for (int i = 0; i < ALLOWED; i++)
        expected[i] = 1.0 / ALLOWED;
    assert_true(fit_p(sampled, expected, ALLOWED, 100 * ALLOWED) > 1e-4);
    assert_true(fit_p(drawn, expected, ALLOWED, 100 * ALLOWED) > 1e-4);
    opevo_i_kt_space_clear(&kt);
    opevo_domain_destroy(domain);
    opevo_space_destroy(space);
}

/* A point with p0 changed has no allowed Hamming neighbour but those that mend p0 or p1. */
CHECK_TEST(test_hamming_neighbours)
{
    opevo_space *space = make_rare();
    opevo_i_kt_space kt;
    opevo_index from[4] = {1, 63, 7, 7}, rows[4 * 8]; /* 2 * 64, 8 * 8 */
    size_t counts[2] = {0};
    opevo_rng rng;

    opevo_rng_init(&rng, 3, "test", 0);
    CHECK_OK(opevo_i_kt_space_init(&kt, space, &err));
    assert_int_equal(opevo_i_kt_neighbours(&kt, OPEVO_I_KT_HAMMING, from, &rng, 8, rows), 2);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(opevo_i_kt_neighbours(&kt, OPEVO_I_KT_HAMMING, from, &rng, 1, rows), 1);
        assert_true(opevo_space_allows(space, opevo_space_encode(space, rows)));
        counts[rows[0] == 0]++; /* 1 * 64, otherwise 2 * 32 */
    }
    assert_in_range(counts[0], 420, 580); /* five standard deviations */
    assert_int_equal(counts[0] + counts[1], 1000);
    opevo_i_kt_space_clear(&kt);
    opevo_space_destroy(space);
}

/* Steps from two points in turn, which differ in two groups: each is uniform over the neighbours,
 * whatever was counted for the point before. A sampler that kept the counts of the other point
 * would give 99 parameters 3 of 300 neighbours where they have 3 of 297, and p0 and p1 others than
 * they have. */
CHECK_TEST(test_single_hamming_neighbours)
{
    enum { WIDTH = 100, DRAWS = 20000 };
    opevo_text json = {0};
    opevo_space *space = NULL;
    opevo_i_kt_space kt;
    opevo_index from[2][WIDTH] = {{0}}, row[WIDTH];
    uint64_t drawn[2][WIDTH] = {{0}};
    double expected[2][WIDTH];
    opevo_rng rng;

    for (int i = 0; i < WIDTH; i++)
        opevo_text_printf(&json, "%s\"p%d\": {\"_type\": \"discrete\", \"_value\": [0, 1, 2, 3]}",
                          i ? ", " : "{", i);
    opevo_text_add(&json, ", \"_constraints\": [\"p0 + p1 < 4\"]}");
    CHECK_OK(opevo_space_parse(opevo_text_string(&json), "wide.json", NULL, &space, &err));
    opevo_text_free(&json);
    CHECK_OK(opevo_i_kt_space_init(&kt, space, &err));
    from[1][1] = from[1][7] = 3; /* p0 can only be 0 there */
    for (int at = 0; at < 2; at++) {
        for (int i = 0; i < WIDTH; i++)
            expected[at][i] = 3.0 / (at ? 3 * WIDTH - 3 : 3 * WIDTH);
        expected[at][0] = at ? 0 : expected[at][0];
    }
    opevo_rng_init(&rng, 4, "test", 0);
    for (int k = 0; k < 2 * DRAWS; k++) {
        int differ = -1;

        assert_int_equal(opevo_i_kt_neighbours(&kt, OPEVO_I_KT_HAMMING, from[k % 2], &rng, 1, row),
                         1);
        assert_true(opevo_space_allows_vertices(space, row));
        for (int i = 0; i < WIDTH; i++) {
            assert_true(row[i] == from[k % 2][i] || differ < 0);
            differ = row[i] == from[k % 2][i] ? differ : i;
        }
        drawn[k % 2][differ]++;
    }
    for (int at = 0; at < 2; at++)
        assert_true(fit_p(drawn[at], expected[at], WIDTH, DRAWS) > 1e-4);
    assert_int_equal(drawn[1][0], 0);
    opevo_i_kt_space_clear(&kt);
    opevo_space_destroy(space);
}
