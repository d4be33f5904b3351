/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Every tuner on spaces of more than 2^128 - 1 points: hundreds of parameters, free,
 * and in branches. */

#include "contract_fixture.h"
#include "points.h"

#include <opevo/clock.h>

#include <math.h>

/* `count` parameters of 8 values. */
static char *write_plain(size_t count)
{
    opevo_text json = {0};

    opevo_text_add(&json, "{");
    for (size_t i = 0; i < count; i++)
        opevo_text_printf(&json,
                          "%s\"p%zu\": {\"_type\": \"discrete\","
                          " \"_value\": [1, 2, 4, 8, 16, 32, 64, 128]}",
                          i ? ", " : "", i);
    opevo_text_add(&json, "}");
    return json.data;
}

/* Pairs of such parameters whose product must be 128: no allowed point has one beside it. */
static char *write_pairs(size_t count)
{
    char *plain = write_plain(count);
    opevo_text json = {0};

    opevo_text_add_bytes(&json, plain, strlen(plain) - 1);
    opevo_text_add(&json, ", \"_constraints\": [");
    for (size_t i = 0; i + 1 < count; i += 2)
        opevo_text_printf(&json, "%s\"p%zu * p%zu == 128\"", i ? ", " : "", i, i + 1);
    opevo_text_add(&json, "]}");
    opevo_free(plain);
    return json.data;
}

/* A choice of two branches of many parameters, and some outside of them. */
static char *write_branched(void)
{
    opevo_text json = {0};

    opevo_text_add(&json, "{\"c\": {\"_type\": \"choice\", \"_value\": [");
    for (int branch = 0; branch < 2; branch++) {
        opevo_text_printf(&json, "%s{\"_name\": \"%c\"", branch ? ", " : "", 'a' + branch);
        for (int i = 0; i < 60; i++)
            opevo_text_printf(&json,
                              ", \"%c%d\": {\"_type\": \"discrete\", \"_value\": [1, 2, 3, 4,"
                              " 5, 6]}",
                              'a' + branch, i);
        opevo_text_add(&json, "}");
    }
    opevo_text_add(&json, "]}, \"u\": {\"_type\": \"factor\", \"_value\": [64, 3]},"
                          " \"_constraints\": [\"active(a1) ? a1 + u[0] < 9 : b2 * b3 < 20\"]}");
    return json.data;
}

/* 1 / (1 + sum of distances to a place of each parameter), which only decoding can tell. */
static opevo_outcome distance_outcome(const opevo_space *space, opevo_index point)
{
    opevo_index vertices[OPEVO_SPACE_PARAMETERS_MAX];
    opevo_outcome outcome = {.kind = OPEVO_OUTCOME_OK};
    double sum = 0;

    opevo_space_decode(space, point, vertices);
    for (size_t i = 0; i < opevo_space_parameter_count(space); i++) {
        opevo_index size = opevo_parameter_size(opevo_space_parameter(space, i));

        if (vertices[i] != OPEVO_INACTIVE)
            sum += fabs((double)vertices[i] - (double)(opevo_hash_mix(i + 1) % (uint64_t)size));
    }
    outcome.fitness = 1 / (1 + sum);
    outcome.time_s = 1 + sum;
    return outcome;
}

/* Run a tuner with a space of its own; the points go to `points`. */
static void run_on(const opevo_tuner_ops *ops, const char *json, size_t piece, size_t wanted,
                   opevo_index *points)
{
    opevo_space *space = formula_space(json);
    opevo_tuner *tuner = make(ops, space, "", 7);
    opevo_index_set *met = opevo_index_set_create();
    size_t got = 0;

    while (got < wanted) {
        opevo_proposal proposals[64];
        opevo_trial trials[64];
        size_t count = 0;

        CHECK_OK(opevo_tuner_ask(tuner, proposals, piece < wanted - got ? piece : wanted - got,
                                 &count, &err));
        assert_true(count > 0);
        for (size_t i = 0; i < count; i++) {
            points[got] = proposals[i].point;
            assert_true(opevo_space_has(space, points[got]));
            assert_true(opevo_space_allows(space, points[got]));
            assert_false(opevo_index_set_has(met, points[got]));
            opevo_index_set_add(met, points[got]);
            trials[i] = (opevo_trial){.number = ++got,
                                      .proposal = proposals[i],
                                      .outcome = distance_outcome(space, proposals[i].point)};
        }
        CHECK_OK(opevo_tuner_tell(tuner, trials, count, &err));
    }
    opevo_index_set_destroy(met);
    opevo_tuner_destroy(tuner);
    opevo_space_destroy(space);
}

enum { TRIALS = 150, TRIALS_OF_CUBIC = 30 };

/* One of `every` tuners, beginning with the first, and a third of those a second time, cut in other
 * pieces; all of them twice in the long run; or the one of this name. `some`: trials of the short
 * run. */
static void check_tuners_named(char *json, size_t every, size_t some, const char *name)
{
    opevo_space *space = formula_space(json);

    assert_true(opevo_space_is_wide(space));
    for (size_t t = 0; t < opevo_tuner_count(); t++) {
        const opevo_tuner_ops *ops = opevo_tuner_get(t);
        size_t wanted = strcmp(ops->name, "qgp") == 0 ? TRIALS_OF_CUBIC : test_size(some, TRIALS);
        opevo_index points[TRIALS], again[TRIALS];

        if ((name && strcmp(ops->name, name) != 0) || !test_takes(t, 0, every) ||
            opevo_tuner_suits(ops, space, NULL) != OPEVO_OK)
            continue;
        run_on(ops, json, 64, wanted, points);
        if (!test_takes(t / every, 0, 3))
            continue;
        run_on(ops, json, 7, wanted, again);
        assert_memory_equal(points, again, wanted * sizeof *points);
    }
    opevo_space_destroy(space);
    opevo_free(json);
}

static void check_tuners(char *json, size_t every)
{
    check_tuners_named(json, every, TRIALS / 3, NULL);
}

CHECK_TEST(test_hundred_free_parameters)
{
    check_tuners(write_plain(100), 1);
}

CHECK_TEST(test_branches)
{
    check_tuners(write_branched(), 1);
}

CHECK_TEST(test_two_hundred_parameters)
{
    check_tuners(write_plain(200), 3);
}

CHECK_TEST(test_thousand_parameters)
{
    check_tuners(write_plain(1000), 8);
}

/* It asks for a neighbour of a point that has none, hundreds of times for each trial. */
CHECK_TEST(test_annealing_ends_without_neighbours)
{
    check_tuners_named(write_pairs(1000), 1, TRIALS / 10, "kt-annealing");
}

/* All in one group: each sum of two that follow each other is below a bound. */
static char *write_chain(size_t count)
{
    char *plain = write_plain(count);
    opevo_text json = {0};

    opevo_text_printf(&json, "%.*s, \"_constraints\": [", (int)strlen(plain) - 1, plain);
    for (size_t i = 0; i + 1 < count; i++)
        opevo_text_printf(&json, "%s\"p%zu + p%zu < 200\"", i ? ", " : "", i, i + 1);
    opevo_text_add(&json, "]}");
    opevo_free(plain);
    return json.data;
}

/* A trial of any tuner takes bounded time: at most a second here, where neighbours that are
 * counted one path for each parameter take four. */
CHECK_TEST(test_thousand_parameters_in_bounded_time)
{
    enum { FEW = 3 };
    char *texts[] = {write_plain(1000), write_chain(1000)};

    for (size_t s = 0; s < 2; s++) {
        for (size_t t = 0; t < opevo_tuner_count(); t++) {
            const opevo_tuner_ops *ops = opevo_tuner_get(t);
            opevo_index points[FEW];
            double start = opevo_clock_process_s();

            if (!test_takes(t, 0, 1) || strcmp(ops->name, "kt-diff-evo") == 0)
                continue; /* which begins with 16,000 points */
            run_on(ops, texts[s], 1, FEW, points);
            assert_true(opevo_clock_process_s() - start < 1 + FEW);
        }
        opevo_free(texts[s]);
    }
}
