/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `droplet`: whole sequences of proposals, worked out by hand from the published program. */

#include "tuner_fixture.h"

#include <stdlib.h>

static const char square[] = "{\"a\": {\"_type\": \"discrete\", \"_value\": [0, 1, 2, 3, 4]},"
                             " \"b\": {\"_type\": \"discrete\", \"_value\": [0, 1, 2, 3, 4]}}";

/* Ask for all there is and expect "ab ab ...", two digits for a point; tell the fitness
 * 100 - 10 |a - best_a| - |b - best_b|, or failures where best_a is negative. */
static void expect(opevo_tuner *tuner, const char *points, int best_a, int best_b)
{
    opevo_proposal proposals[64];
    opevo_trial trials[64] = {0};
    char text[256] = "";
    size_t count = 0;

    CHECK_OK(opevo_tuner_ask(tuner, proposals, 64, &count, &err));
    for (size_t i = 0; i < count; i++) {
        opevo_index vertices[2];

        opevo_space_decode(tuner->space, proposals[i].point, vertices);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%d%d", i ? " " : "",
                 (int)vertices[0], (int)vertices[1]);
        trials[i].proposal = proposals[i];
        trials[i].outcome.fitness =
            100 - 10 * abs((int)vertices[0] - best_a) - abs((int)vertices[1] - best_b);
        if (best_a < 0)
            trials[i].outcome = opevo_outcome_failed(OPEVO_OUTCOME_REJECTED);
    }
    assert_string_equal(text, points);
    CHECK_OK(opevo_tuner_tell(tuner, trials, count, &err));
}

/* Neighbours of the start are (1,1), (1,0), (0,1), for steps below 0 stay; speculation fills up
 * with steps of 2, 3 and 4, and steps of 5 come back to the start. */
CHECK_TEST(test_speculation)
{
    opevo_space *space = formula_space(square);
    opevo_tuner *tuner = tuner_make("droplet", space, "exhausted=stop", 1);

    expect(tuner, "00", 4, 4);
    expect(tuner, "11 10 01 22 20 02 33 30 03 44 40 04", 4, 4);
    /* From (4,4), up comes in again at 0: (0,0) is known, (3,3) too; (0,4) and (4,0) are; (3,4) and
     * (4,3) are new. Steps of 2: (1,1), (2,2), then (1,4), (2,4), (4,1), (4,2); of 3: up leads to
     * 2, down to 1; of 4: up to 3, down to 0. */
    expect(tuner, "34 43 14 24 41 42", 4, 4);
    expect(tuner, "", 4, 4);
    assert_string_equal(tuner->reason, "no step from the best point is left");
    opevo_tuner_destroy(tuner);
    opevo_space_destroy(space);
}

/* With batches of 4 the queue holds (2,0), (0,2) when the second batch is told, and drops (0,2).
 * The best is then (1,1): (2,1) and (1,2) are new among its neighbours, and speculation by 2 adds
 * (3,3), (3,1), (1,3). */
CHECK_TEST(test_batches_drop_the_last)
{
    opevo_space *space = formula_space(square);
    opevo_tuner *tuner = tuner_make("droplet", space, "batch=4 exhausted=stop", 1);

    expect(tuner, "00", 1, 1);
    expect(tuner, "11 10 01 22", 1, 1);
    expect(tuner, "20 21 12 33", 1, 1);
    /* Left were (3,1), (1,3); the last is dropped. Steps of 3 from (1,1) add (4,4), (4,1), (1,4);
     * of 4 nothing. */
    expect(tuner, "31 44 41 14", 1, 1);
    expect(tuner, "", 1, 1);
    opevo_tuner_destroy(tuner);
    opevo_space_destroy(space);
}

/* When the start fails, steps of 1 are never tried: speculation begins with 2. */
CHECK_TEST(test_failed_start)
{
    opevo_space *space = formula_space(square);
    opevo_tuner *tuner = tuner_make("droplet", space, "batch=4 exhausted=stop", 1);

    expect(tuner, "00", -1, 0);
    expect(tuner, "22 20 02 33", -1, 0);
    opevo_tuner_destroy(tuner);
    opevo_space_destroy(space);
}

/* With batches of 1 an expansion ends after two new points: from (0,0) it is (1,1), (1,0), of which
 * the last is dropped; from (1,1) likewise (2,2), (2,1), and so on. From (4,4) up leads to the
 * start and down to (3,3), both known; then it is (0,4) and, one down, (3,4). */
CHECK_TEST(test_expansions_end_early)
{
    opevo_space *space = formula_space(square);
    opevo_tuner *tuner = tuner_make("droplet", space, "batch=1 exhausted=stop", 1);

    expect(tuner, "00", 4, 4);
    expect(tuner, "11", 4, 4);
    expect(tuner, "22", 4, 4);
    expect(tuner, "33", 4, 4);
    expect(tuner, "44", 4, 4);
    expect(tuner, "04", 4, 4);
    opevo_tuner_destroy(tuner);
    opevo_space_destroy(space);
}

/* 29 batches of forbidden points only do not end the descent. */
CHECK_TEST(test_forbidden_batches)
{
    opevo_text json = {0};
    opevo_space *space = NULL;
    opevo_tuner *tuner = NULL;

    opevo_text_add(&json, "{\"a\": {\"_type\": \"discrete\", \"_value\": [0");
    for (int i = 1; i < 40; i++)
        opevo_text_printf(&json, ", %d", i);
    opevo_text_add(&json, "]}, \"b\": {\"_type\": \"choice\", \"_value\": [0]},"
                          " \"_constraints\": [\"a == 0 || a >= 30\"]}");
    space = formula_space(opevo_text_string(&json));
    tuner = tuner_make("droplet", space, "batch=1 exhausted=stop", 1);
    expect(tuner, "00", 30, 0);
    expect(tuner, "300", 30, 0);
    opevo_tuner_destroy(tuner);
    opevo_space_destroy(space);
    opevo_text_free(&json);
}

/* Forbidden points are skipped. */
CHECK_TEST(test_constraints)
{
    opevo_space *space =
        formula_space("{\"a\": {\"_type\": \"discrete\", \"_value\": [0, 1, 2, 3, 4]},"
                      " \"b\": {\"_type\": \"discrete\", \"_value\": [0, 1, 2, 3, 4]},"
                      " \"_constraints\": [\"a != 1\"]}");
    opevo_tuner *tuner = tuner_make("droplet", space, "exhausted=stop", 1);

    expect(tuner, "00", 4, 4);
    expect(tuner, "01 22 20 02 33 30 03 44 40 04", 4, 4);
    expect(tuner, "34 43 24 41 42", 4, 4);
    opevo_tuner_destroy(tuner);
    opevo_space_destroy(space);
}

/* A factor's values are stepped through in AutoTVM's order, from no tiling on: the last component
 * ascends slowest. */
CHECK_TEST(test_factors_in_the_order_of_autotvm)
{
    static const char *const expected[] = {"4,1,1", "2,2,1", "1,4,1", "2,1,2", "1,2,2", "1,1,4"};
    opevo_space *space = formula_space("{\"t\": {\"_type\": \"factor\", \"_value\": [4, 3]}}");
    opevo_tuner *tuner = tuner_make("droplet", space, "batch=1", 1);
    opevo_text text = {0};

    for (int i = 0; i < 6; i++) {
        opevo_trial trial = {0};
        size_t count = 0;

        CHECK_OK(opevo_tuner_ask(tuner, &trial.proposal, 1, &count, &err));
        assert_int_equal(count, 1);
        opevo_text_clear(&text);
        opevo_parameter_print(opevo_space_parameter(space, 0), trial.proposal.point, &text);
        assert_string_equal(opevo_text_string(&text), expected[i]);
        trial.outcome.fitness = 1 + i;
        CHECK_OK(opevo_tuner_tell(tuner, &trial, 1, &err));
    }
    opevo_text_free(&text);
    opevo_tuner_destroy(tuner);
    opevo_space_destroy(space);
}

/* More parameters than can be chosen from freely: all at once first, then pairs with the last ones,
 * and no end of the search while steps are left. */
CHECK_TEST(test_many_parameters)
{
    opevo_text json = {0};
    opevo_space *space = NULL;
    opevo_tuner *tuner = NULL;
    opevo_proposal proposals[16];
    opevo_trial trial = {0};
    size_t count = 0;

    for (int i = 0; i < 40; i++)
        opevo_text_printf(&json, "%s\"p%d\": {\"_type\": \"discrete\", \"_value\": [1, 2, 3]}",
                          i ? ", " : "{", i);
    opevo_text_add(&json, "}");
    space = formula_space(opevo_text_string(&json));
    tuner = tuner_make("droplet", space, "", 1);
    CHECK_OK(opevo_tuner_ask(tuner, &trial.proposal, 1, &count, &err));
    trial.outcome.fitness = 1;
    CHECK_OK(opevo_tuner_tell(tuner, &trial, 1, &err));
    CHECK_OK(opevo_tuner_ask(tuner, proposals, 16, &count, &err));
    assert_int_equal(count, 16);
    assert_true(proposals[0].point == (opevo_space_size(space) - 1) / 2); /* all ones */
    opevo_tuner_destroy(tuner);
    opevo_space_destroy(space);
    opevo_text_free(&json);
}
