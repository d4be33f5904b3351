/* SPDX-License-Identifier: GPL-3.0-or-later */

/* NSGA-II: its order against the definitions, computed by brute force, and its search on a problem
 * of two criteria whose front is known. */

#include "edit_domain.h"
#include "formula.h"

#include <math.h>
#include <stdlib.h>

#include <opevo/memory.h>
#include <opevo/random.h>
#include <opevo/tuners.h>

#include "nondominated_internal.h"

enum { MOST = 40 };

/* Values from a few, so that many are equal; some failures, some values that are not known. */
static size_t draw_individuals(opevo_rng *rng, opevo_i_nsga2_individual *out)
{
    size_t count = 1 + opevo_rng_below(rng, MOST);

    for (size_t i = 0; i < count; i++) {
        bool ok = opevo_rng_below(rng, 6) > 0;

        out[i] = (opevo_i_nsga2_individual){.candidate = i, .number = i, .front = 99};
        out[i].outcome = opevo_outcome_failed(ok ? OPEVO_OUTCOME_OK : OPEVO_OUTCOME_WRONG);
        out[i].outcome.fitness = ok ? (double)opevo_rng_below(rng, 8) : 0;
        for (size_t c = 0; ok && c < OPEVO_CRITERIA_MOST - 1; c++)
            out[i].outcome.more[c] =
                opevo_rng_below(rng, 9) ? (double)opevo_rng_below(rng, 8) - 3 : NAN;
    }
    return count;
}

static opevo_criteria draw_criteria(opevo_rng *rng)
{
    opevo_criteria criteria = {.count = 1 + opevo_rng_below(rng, OPEVO_CRITERIA_MOST)};

    for (size_t c = 0; c < criteria.count; c++) {
        criteria.chosen[c].index = c;
        criteria.chosen[c].larger_is_better = opevo_rng_below(rng, 2);
    }
    return criteria;
}

/* The front of an individual is the length of the longest chain of individuals of which each
 * dominates the next, the last one the individual. */
static size_t chain(const opevo_i_nsga2_individual *all, size_t count, size_t i,
                    const opevo_criteria *criteria)
{
    size_t longest = 0;

    for (size_t k = 0; k < count; k++) {
        if (opevo_outcome_dominates(&all[k].outcome, &all[i].outcome, criteria)) {
            size_t length = 1 + all[k].front; /* of k, which is known before */

            longest = length > longest ? length : longest;
        }
    }
    return longest;
}

CHECK_TEST(test_fronts)
{
    opevo_i_nsga2_individual all[MOST];
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "test", 0);
    for (int round = 0; round < 500; round++) {
        size_t count = draw_individuals(&rng, all);
        opevo_criteria criteria = draw_criteria(&rng);

        CHECK_OK(opevo_i_nsga2_nondominated_sort(all, count, &criteria, &err));
        /* Each front satisfies the defining equation, which has one solution. */
        for (size_t i = 0; i < count; i++)
            assert_int_equal(all[i].front, chain(all, count, i, &criteria));
    }
}

/* Value of a criterion, larger better; what is not known counts as the worst that is. */
static double value_of(const opevo_i_nsga2_individual *all, size_t count, size_t i,
                       const opevo_criteria *criteria, size_t c)
{
    double sign = criteria->chosen[c].larger_is_better ? 1 : -1;
    size_t index = criteria->chosen[c].index;
    double value = sign * opevo_outcome_criterion(&all[i].outcome, index);
    bool known = !isnan(value);

    for (size_t k = 0; !known && k < count; k++)
        value = fmin(value, sign * opevo_outcome_criterion(&all[k].outcome, index));
    return value;
}

/* By definition: next and previous are found by counting who comes before. */
static double crowding(const opevo_i_nsga2_individual *all, size_t count, size_t i,
                       const opevo_criteria *criteria)
{
    double sum = 0;

    for (size_t c = 0; c < criteria->count; c++) {
        double own = value_of(all, count, i, criteria, c);
        double least = own, most = own, previous = NAN, next = NAN;
        size_t before = 0;

        for (size_t k = 0; k < count; k++) {
            double other = value_of(all, count, k, criteria, c);
            bool comes_before = other < own || (other == own && k < i);

            least = fmin(least, other);
            most = fmax(most, other);
            before += comes_before;
            if (k != i && comes_before)
                previous = fmax(previous, other);
            else if (k != i)
                next = fmin(next, other);
        }
        if (!(most > least))
            continue;
        if (before == 0 || before == count - 1)
            return INFINITY;
        sum += (next - previous) / (most - least);
    }
    return sum;
}

CHECK_TEST(test_crowding)
{
    opevo_i_nsga2_individual all[MOST];
    opevo_rng rng;

    opevo_rng_init(&rng, 2, "test", 0);
    for (int round = 0; round < 500; round++) {
        size_t count = draw_individuals(&rng, all);
        opevo_criteria criteria = draw_criteria(&rng);

        CHECK_OK(opevo_i_nsga2_crowding(all, count, &criteria, &err));
        for (size_t i = 0; i < count; i++) {
            double right = crowding(all, count, i, &criteria);

            if (isinf(right))
                assert_true(all[i].crowding == right);
            else
                CHECK_CLOSE(all[i].crowding, right, 1e-12);
        }
    }
}

/* The comparison is the paper's operator, made total by age. */
CHECK_TEST(test_crowded_comparison)
{
    const opevo_i_nsga2_individual order[] = {
        {.front = 0, .crowding = INFINITY, .number = 7}, {.front = 0, .crowding = 2, .number = 3},
        {.front = 0, .crowding = 2, .number = 4},        {.front = 1, .crowding = 9, .number = 1},
        {.front = 2, .crowding = 0, .number = 0},
    };

    for (size_t a = 0; a < 5; a++) {
        for (size_t b = 0; b < 5; b++) {
            int sign = opevo_i_nsga2_crowded_compare(&order[a], &order[b]);

            assert_int_equal((sign > 0) - (sign < 0), (a > b) - (a < b));
        }
    }
}

/* ---- A problem with a known front ----------------------------------------------------------- */

/* After ZDT1 on a grid: x of 31 values and six more of 6, all in [0, 1]; both f to be minimised,
 *
 *     f1 = x, f2 = g (1 - sqrt(x / g)), g = 1 + mean of the others * 9.
 *
 * The front is g = 1: f2 = 1 - sqrt(f1), for each of the 31 values of x. */
static const char zdt_space[] =
    "{\"x\": {\"_type\": \"discrete\", \"_value\": [0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,"
    "19,20,21,22,23,24,25,26,27,28,29,30]},"
    " \"a\": {\"_type\": \"discrete\", \"_value\": [0, 1, 2, 3, 4, 5]},"
    " \"b\": {\"_type\": \"discrete\", \"_value\": [0, 1, 2, 3, 4, 5]},"
    " \"c\": {\"_type\": \"discrete\", \"_value\": [0, 1, 2, 3, 4, 5]},"
    " \"d\": {\"_type\": \"discrete\", \"_value\": [0, 1, 2, 3, 4, 5]},"
    " \"e\": {\"_type\": \"discrete\", \"_value\": [0, 1, 2, 3, 4, 5]},"
    " \"f\": {\"_type\": \"discrete\", \"_value\": [0, 1, 2, 3, 4, 5]}}";
enum { PARAMETERS = 7, X_VALUES = 31 };

static opevo_outcome zdt(const opevo_space *space, opevo_index point)
{
    opevo_index vertices[PARAMETERS];
    opevo_outcome outcome = opevo_outcome_failed(OPEVO_OUTCOME_OK);
    double sum = 0;
    double g = 0;

    opevo_space_decode(space, point, vertices);
    for (size_t i = 1; i < PARAMETERS; i++)
        sum += (double)vertices[i] / 5;
    g = 1 + 9 * sum / (PARAMETERS - 1);
    outcome.fitness = 1;
    outcome.more[0] = (double)vertices[0] / (X_VALUES - 1);
    outcome.more[1] = g * (1 - sqrt(outcome.more[0] / g));
    return outcome;
}

static int compare_points(const void *a, const void *b)
{
    const double *x = a;
    const double *y = b;

    return (x[0] > y[0]) - (x[0] < y[0]);
}

/* The area that the points dominate below (1.1, 1.1). */
static double hypervolume(double (*points)[2], size_t count)
{
    double area = 0;
    double height = 1.1;

    qsort(points, count, sizeof *points, compare_points);
    for (size_t i = 0; i < count; i++) {
        if (points[i][0] < 1.1 && points[i][1] < height) {
            area += (1.1 - points[i][0]) * (height - points[i][1]);
            height = points[i][1];
        }
    }
    return area;
}

static double search(const char *tuner_name, const char *settings, uint64_t seed, size_t trials)
{
    static double points[4000][2];
    const opevo_criteria criteria = {.count = 2, .chosen = {{.index = 1}, {.index = 2}}};
    opevo_space *space = formula_space(zdt_space);
    opevo_setting_value values[FORMULA_SETTINGS_MOST];
    const opevo_tuner_ops *ops = NULL;
    opevo_tuner *tuner = NULL;
    double area = 0;

    CHECK_OK(opevo_tuner_find(tuner_name, &ops, &err));
    formula_settings(ops, settings, values);
    CHECK_OK(opevo_tuner_create(ops, space, values, seed, &tuner, &err));
    CHECK_OK(opevo_tuner_use_criteria(tuner, &criteria, &err));
    for (size_t i = 0; i < trials; i++) {
        opevo_trial trial = {.number = i + 1};
        size_t count = 0;

        CHECK_OK(opevo_tuner_ask(tuner, &trial.proposal, 1, &count, &err));
        assert_int_equal(count, 1);
        trial.outcome = zdt(space, trial.proposal.point);
        points[i][0] = trial.outcome.more[0];
        points[i][1] = trial.outcome.more[1];
        CHECK_OK(opevo_tuner_tell(tuner, &trial, 1, &err));
    }
    area = hypervolume(points, trials);
    opevo_tuner_destroy(tuner);
    opevo_space_destroy(space);
    return area;
}

/* Of 1.4 million points 31 are the front. */
CHECK_TEST(test_known_front)
{
    double front[X_VALUES][2];
    double right = 0;
    double of_random = 0;

    for (size_t i = 0; i < X_VALUES; i++) {
        front[i][0] = (double)i / (X_VALUES - 1);
        front[i][1] = 1 - sqrt(front[i][0]);
    }
    right = hypervolume(front, X_VALUES);
    for (uint64_t seed = 1; seed <= 5; seed++) {
        double found = search("nsga2", "population=40 q=0.2", seed, 3000);
        double random = search("random", "", seed, 3000);

        assert_true(found <= right * (1 + 1e-12));
        assert_true(found > 0.99 * right);
        of_random += random / 5;
    }
    assert_true(of_random < 0.5 * right);
}

/* With the fitness alone it is a genetic algorithm; a third of the points fail. */
CHECK_TEST(test_one_criterion)
{
    opevo_space *space = formula_space(zdt_space);
    opevo_setting_value values[FORMULA_SETTINGS_MOST];
    const opevo_tuner_ops *ops = NULL;
    opevo_tuner *tuner = NULL;
    double best = INFINITY;

    CHECK_OK(opevo_tuner_find("nsga2", &ops, &err));
    formula_settings(ops, "population=20 q=0.2", values);
    CHECK_OK(opevo_tuner_create(ops, space, values, 1, &tuner, &err));
    for (size_t i = 0; i < 1500; i++) {
        opevo_trial trial = {.number = i + 1};
        size_t count = 0;

        CHECK_OK(opevo_tuner_ask(tuner, &trial.proposal, 1, &count, &err));
        trial.outcome = zdt(space, trial.proposal.point);
        trial.outcome.fitness = 1 / (1 + trial.outcome.more[0] + trial.outcome.more[1]);
        best = fmin(best, trial.outcome.more[0] + trial.outcome.more[1]);
        if (trial.proposal.point % 3 == 0)
            trial.outcome = opevo_outcome_failed(OPEVO_OUTCOME_WRONG);
        CHECK_OK(opevo_tuner_tell(tuner, &trial, 1, &err));
    }
    assert_true(best < 0.78); /* the least sum on the front is 3 / 4 */
    opevo_tuner_destroy(tuner);
    opevo_space_destroy(space);
}

/* ---- Where the domain finds nothing allowed -------------------------------------------------- */

static opevo_status no_mutant(opevo_domain *domain, opevo_index parent, double q, opevo_rng *rng,
                              opevo_index *out, opevo_error *err)
{
    (void)domain, (void)parent, (void)q, (void)rng, (void)out;
    return OPEVO_FAIL(err, OPEVO_LIMIT, "No mutation is allowed.");
}

static opevo_status no_sample(opevo_domain *domain, opevo_rng *rng, opevo_index *out,
                              opevo_error *err)
{
    (void)domain, (void)rng, (void)out;
    return OPEVO_FAIL(err, OPEVO_LIMIT, "No sample is allowed.");
}

/* 30 candidates, or fewer where the search is over before; how many have this origin. */
static size_t count_origins(opevo_domain *domain, const char *origin, const char **reason)
{
    opevo_setting_value values[FORMULA_SETTINGS_MOST];
    const opevo_tuner_ops *ops = NULL;
    opevo_tuner *tuner = NULL;
    size_t met = 0, count = 1;

    CHECK_OK(opevo_tuner_find("nsga2", &ops, &err));
    formula_settings(ops, "population=10", values);
    CHECK_OK(opevo_tuner_create_on(ops, domain, values, 1, &tuner, &err));
    for (size_t i = 0; i < 30 && count; i++) {
        opevo_trial trial = {.number = i + 1, .outcome = opevo_outcome_failed(OPEVO_OUTCOME_WRONG)};

        CHECK_OK(opevo_tuner_ask(tuner, &trial.proposal, 1, &count, &err));
        met += count && !strcmp(trial.proposal.origin, origin);
        CHECK_OK(opevo_tuner_tell(tuner, &trial, count, &err));
    }
    *reason = tuner->reason;
    opevo_tuner_destroy(tuner);
    return met;
}

/* Uniform candidates take the place of children that cannot be had. */
CHECK_TEST(test_no_allowed_child)
{
    edit_domain domain = edit_domain_make();
    opevo_domain_ops ops = edit_domain_ops;
    const char *reason = NULL;

    ops.mutate = no_mutant;
    domain.super.ops = &ops;
    assert_int_equal(count_origins(&domain.super, "uniform", &reason), 20);
    assert_null(reason);
    opevo_domain_destroy(&domain.super);
}

/* Without even these the search is over. */
CHECK_TEST(test_no_allowed_candidate)
{
    edit_domain domain = edit_domain_make();
    opevo_domain_ops ops = edit_domain_ops;
    const char *reason = NULL;

    ops.sample = no_sample;
    domain.super.ops = &ops;
    assert_int_equal(count_origins(&domain.super, "initial", &reason), 0);
    assert_string_equal(reason, "no allowed candidate was found");
    opevo_domain_destroy(&domain.super);
}
