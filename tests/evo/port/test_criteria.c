/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Criteria: their values, dominance as a strict partial order, and lists of names. */

#include "formula.h"

#include <opevo/memory.h>
#include <opevo/random.h>
#include <opevo/tuner.h>

static const opevo_criterion more[] = {{"error", "", false}, {"energy", "J", false}};
static const opevo_objective measured = {
    .name = "thing", .unit = "ms", .criteria = more, .more_count = 2};

static opevo_outcome outcome(double fitness, double error, double energy)
{
    return (opevo_outcome){.fitness = fitness, .more = {error, energy, NAN}};
}

static opevo_criteria parsed(const char *names)
{
    opevo_criteria criteria;

    CHECK_OK(opevo_criteria_parse(&measured, names, &criteria, &err));
    return criteria;
}

static bool dominates(opevo_outcome a, opevo_outcome b, const char *names)
{
    opevo_criteria criteria = parsed(names);

    return opevo_outcome_dominates(&a, &b, &criteria);
}

CHECK_TEST(test_dominance)
{
    opevo_outcome failed = opevo_outcome_failed(OPEVO_OUTCOME_WRONG);
    opevo_outcome timeout = opevo_outcome_failed(OPEVO_OUTCOME_TIMEOUT);

    assert_true(dominates(outcome(2, 1, 1), outcome(1, 1, 1), "fitness,error"));
    assert_false(dominates(outcome(1, 1, 1), outcome(2, 1, 1), "fitness,error"));
    /* The smaller error is the better one. */
    assert_true(dominates(outcome(1, 0.5, 1), outcome(1, 1, 1), "fitness,error"));
    assert_false(dominates(outcome(2, 2, 1), outcome(1, 1, 1), "fitness,error"));
    /* What is not chosen does not count. */
    assert_true(dominates(outcome(2, 2, 9), outcome(1, 2, 1), "fitness,error"));
    assert_true(dominates(outcome(1, 2, 1), outcome(9, 2, 2), "energy,error"));
    assert_false(dominates(outcome(1, 1, 1), outcome(1, 1, 1), "fitness,error,energy"));
    /* Not known is worse than anything known. */
    assert_true(dominates(outcome(1, 1e300, 1), outcome(1, NAN, 1), "fitness,error"));
    assert_false(dominates(outcome(2, NAN, 1), outcome(1, 1, 1), "fitness,error"));
    assert_false(dominates(outcome(1, NAN, 1), outcome(1, NAN, 1), "fitness,error"));
    assert_true(dominates(outcome(2, NAN, 1), outcome(1, NAN, 1), "fitness,error"));
    /* Every success dominates every failure. */
    assert_true(dominates(outcome(0, NAN, NAN), failed, "fitness,error"));
    assert_false(dominates(failed, outcome(0, NAN, NAN), "fitness,error"));
    assert_false(dominates(failed, timeout, "fitness,error"));
}

static opevo_outcome draw(opevo_rng *rng)
{
    opevo_outcome drawn =
        outcome((double)opevo_rng_below(rng, 3), (double)opevo_rng_below(rng, 3), NAN);

    if (opevo_rng_below(rng, 3))
        drawn.more[1] = (double)opevo_rng_below(rng, 2);
    return opevo_rng_below(rng, 6) ? drawn : opevo_outcome_failed(OPEVO_OUTCOME_CRASHED);
}

/* Irreflexive, asymmetric, transitive. */
CHECK_TEST(test_partial_order)
{
    opevo_criteria all = parsed("fitness,error,energy");
    opevo_outcome drawn[40];
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "test", 0);
    for (size_t i = 0; i < 40; i++)
        drawn[i] = draw(&rng);
    for (size_t i = 0; i < 40; i++) {
        assert_false(opevo_outcome_dominates(&drawn[i], &drawn[i], &all));
        for (size_t j = 0; j < 40; j++) {
            if (!opevo_outcome_dominates(&drawn[i], &drawn[j], &all))
                continue;
            assert_false(opevo_outcome_dominates(&drawn[j], &drawn[i], &all));
            for (size_t k = 0; k < 40; k++)
                assert_true(!opevo_outcome_dominates(&drawn[j], &drawn[k], &all) ||
                            opevo_outcome_dominates(&drawn[i], &drawn[k], &all));
        }
    }
}

CHECK_TEST(test_lists)
{
    const opevo_objective plain = {.name = "plain", .unit = "score"};
    opevo_criteria criteria = parsed("energy,time");
    opevo_text printed = {0};
    opevo_criterion first = opevo_objective_criterion(&measured, 0);

    assert_int_equal(criteria.count, 2);
    opevo_criteria_print(&measured, &criteria, &printed);
    assert_string_equal(opevo_text_string(&printed), "energy,fitness");
    opevo_text_free(&printed);
    assert_int_equal(criteria.chosen[0].index, 2);
    assert_false(criteria.chosen[0].larger_is_better);
    assert_int_equal(criteria.chosen[1].index, 0);
    assert_true(criteria.chosen[1].larger_is_better);
    assert_int_equal(opevo_objective_criterion_count(&measured), 3);
    assert_int_equal(opevo_objective_criterion_count(&plain), 1);
    assert_string_equal(first.name, "fitness");
    assert_string_equal(first.unit, "1/s");
    assert_string_equal(opevo_objective_criterion(&measured, 2).unit, "J");

    CHECK_FAILS(OPEVO_INVALID, "thing has no criterion 'power'; it has: fitness, error, energy.",
                opevo_criteria_parse(&measured, "time,power", &criteria, &err));
    CHECK_FAILS(OPEVO_INVALID, "given twice",
                opevo_criteria_parse(&measured, "time,fitness", &criteria, &err));
    CHECK_FAILS(OPEVO_INVALID, "''", opevo_criteria_parse(&measured, "", &criteria, &err));
    CHECK_FAILS(OPEVO_INVALID, "''", opevo_criteria_parse(&measured, "error,", &criteria, &err));
    CHECK_FAILS(OPEVO_INVALID, "'time'", opevo_criteria_parse(&plain, "time", &criteria, &err));
}

CHECK_TEST(test_requirements)
{
    static const struct {
        const char *text;
        double fitness, error;
        bool holds;
    } cases[] = {
        {"error<=0.5", 1, 0.5, true},  {"error<=0.5", 1, 0.6, false}, {"error<0.5", 1, 0.5, false},
        {"error>=0.5", 1, 0.5, true},  {"error>0.5", 1, 0.5, false},  {"error>-1e3", 1, 0, true},
        {"error<=0.5", 1, NAN, false}, {"error>=0.5", 1, NAN, false}, {"fitness>=3", 3, 0, true},
        {"fitness>=3", 2.9, 0, false}, {"time<=2", 500, 0, true}, /* 2 ms */
        {"time<=2", 499, 0, false},
    };
    static const char *const bad[] = {"error",      "error=1",   "error<=",   "error<=x",
                                      "<=1",        "power<=1",  "error<= 1", "error <=1",
                                      "error<=inf", "error<=nan"};
    opevo_requirement requirement;
    opevo_text printed = {0};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opevo_outcome judged = outcome(cases[i].fitness, cases[i].error, 7);

        CHECK_OK(opevo_requirement_parse(&measured, cases[i].text, &requirement, &err));
        opevo_text_clear(&printed);
        opevo_requirement_print(&requirement, &printed);
        assert_string_equal(opevo_text_string(&printed), cases[i].text);
        opevo_requirements_apply(&requirement, 1, measured.unit, &judged);
        assert_int_equal(judged.kind, cases[i].holds ? OPEVO_OUTCOME_OK : OPEVO_OUTCOME_INFEASIBLE);
        assert_true(judged.fitness == (cases[i].holds ? cases[i].fitness : 0));
        assert_true(judged.more[1] == 7);
        assert_true(cases[i].holds == !judged.message);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_FAILS(OPEVO_INVALID, "",
                    opevo_requirement_parse(&measured, bad[i], &requirement, &err));
    opevo_text_free(&printed);
}

static void destroy_tuner(opevo_tuner *tuner)
{
    opevo_free(tuner);
}

static opevo_status create_tuner(const opevo_space *space, const opevo_setting_value *settings,
                                 const opevo_rng *rng, opevo_tuner **out, opevo_error *err)
{
    *out = opevo_calloc(1, sizeof **out);
    assert_non_null(*out);
    return OPEVO_OK;
}

/* A tuner sees the chosen criteria if it searches by them, and the fitness alone otherwise. */
CHECK_TEST(test_tuner)
{
    const opevo_tuner_ops ops[] = {
        {.name = "a", .create = create_tuner, .destroy = destroy_tuner},
        {.name = "b", .create = create_tuner, .destroy = destroy_tuner, .by_criteria = true},
    };
    opevo_criteria criteria = parsed("error,energy");

    for (size_t i = 0; i < 2; i++) {
        opevo_tuner *tuner = NULL;

        CHECK_OK(opevo_tuner_create(&ops[i], NULL, NULL, 1, &tuner, &err));
        assert_int_equal(tuner->criteria.count, 1);
        assert_int_equal(tuner->criteria.chosen[0].index, 0);
        CHECK_OK(opevo_tuner_use_criteria(tuner, &criteria, &err));
        assert_int_equal(tuner->criteria.count, i ? 2 : 1);
        assert_int_equal(tuner->criteria.chosen[0].index, i ? 1 : 0);
        tuner->asked = true;
        CHECK_FAILS(OPEVO_INVALID, "before", opevo_tuner_use_criteria(tuner, &criteria, &err));
        opevo_tuner_destroy(tuner);
    }
}
