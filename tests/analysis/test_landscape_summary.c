/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Landscape summaries against brute force over an objective made for the purpose. */

#include "check_memory.h"

#include <opevo/hash.h>
#include <opevo/landscape_summary.h>
#include <opevo/summary.h>

#include <gsl/gsl_sort.h>

#include <stdlib.h>

/* Fitness by a hash of the point, in steps so that values repeat; some points fail. */
typedef struct fake {
    opevo_objective super;
    opevo_space *space;
    double step;
    bool all_fail;
    opevo_index broken; /* evaluating it is an error */
} fake;

static opevo_outcome outcome_of(const fake *self, opevo_index point)
{
    uint64_t hash = opevo_hash_mix((uint64_t)point + 1);
    opevo_outcome outcome = opevo_outcome_failed(OPEVO_OUTCOME_OK);

    if (self->all_fail || hash % 10 == 0)
        return opevo_outcome_failed(OPEVO_OUTCOME_LAUNCH_ERROR);
    if (hash % 10 == 1)
        return opevo_outcome_failed(OPEVO_OUTCOME_TIMEOUT);
    outcome.fitness = 1 + floor((double)(hash >> 20 & 0xffff) / self->step) * self->step;
    outcome.time_s = 1 / outcome.fitness;
    return outcome;
}

static opevo_status evaluate(opevo_objective *objective, const opevo_index *points, size_t count,
                             opevo_outcome *outcomes, opevo_error *err)
{
    fake *self = (fake *)objective;

    for (size_t i = 0; i < count; i++) {
        if (points[i] == self->broken)
            return OPEVO_FAIL(err, OPEVO_IO, "Point lost.");
        if (!opevo_space_allows(self->space, points[i]))
            return OPEVO_FAIL(err, OPEVO_INVALID, "A forbidden point.");
        outcomes[i] = outcome_of(self, points[i]);
    }
    return OPEVO_OK;
}

static opevo_status known_optimum(opevo_objective *objective, opevo_optimum *out, opevo_error *err)
{
    *out = (opevo_optimum){.known = true, .point = 4, .fitness = 60000};
    return OPEVO_OK;
}

static void destroy(opevo_objective *objective)
{
}

static const opevo_objective_ops fake_ops = {
    .kind = "fake", .evaluate = evaluate, .optimum = known_optimum, .destroy = destroy};

static fake fake_on(const char *json, double step, bool concurrent)
{
    fake self = {.step = step, .broken = OPEVO_INDEX_MAX};

    CHECK_OK(opevo_space_parse(json, "test", NULL, &self.space, &err));
    self.super = (opevo_objective){.ops = &fake_ops,
                                   .space = self.space,
                                   .name = "fake",
                                   .unit = "1/s",
                                   .concurrent = concurrent};
    return self;
}

/* 66 * 286 = 18,876 points, the first constraint leaving out many. */
static const char *const medium = "{\"K\": {\"_type\": \"factor\", \"_value\": [1024, 3]},"
                                  " \"X\": {\"_type\": \"factor\", \"_value\": [1024, 4]},"
                                  " \"_constraints\": [\"K[0] * X[1] <= 1024\"]}";

static void check_against_brute_force(fake *self, const opevo_landscape_summary *s)
{
    size_t size = (size_t)opevo_space_size(self->space), ok = 0;
    double *fitness = malloc(size * sizeof *fitness);
    uint64_t by_class[OPEVO_OUTCOME_CLASS_COUNT] = {0}, allowed = 0, near = 0;
    opevo_index best = 0;
    opevo_moments moments;

    assert_non_null(fitness);
    for (opevo_index x = 0; x < size; x++) {
        opevo_outcome outcome = outcome_of(self, x);

        if (!opevo_space_allows(self->space, x))
            continue;
        allowed++;
        by_class[outcome.kind]++;
        if (outcome.kind == OPEVO_OUTCOME_OK)
            fitness[ok++] = outcome.fitness;
        if (outcome.fitness > outcome_of(self, best).fitness)
            best = x;
    }
    for (size_t i = 0; i < ok; i++)
        near += fitness[i] >= 0.95 * outcome_of(self, best).fitness;
    gsl_sort(fitness, 1, ok);
    moments = opevo_moments_of(fitness, ok);
    assert_true(s->exact && s->points == allowed);
    assert_int_equal(s->evaluated, allowed);
    assert_memory_equal(s->by_class, by_class, sizeof by_class);
    for (size_t i = 0; i < 5; i++)
        CHECK_CLOSE(s->quantile[i],
                    opevo_quantile_sorted(fitness, ok, opevo_landscape_quantiles[i]), 0);
    CHECK_CLOSE(s->mean / moments.mean, 1, 1e-12);
    CHECK_CLOSE(s->sd, moments.sd, 1e-11 * moments.mean);
    CHECK_CLOSE(s->best, moments.max, 0);
    assert_true(s->optimum.known && s->optimum.point == best);
    CHECK_CLOSE(s->optimum.fitness, moments.max, 0);
    assert_int_equal(s->within_5_percent, near);
    free(fitness);
}

/* Fine and coarse steps (many ties), one thread and several, an objective that allows only one. */
CHECK_TEST(test_against_brute_force)
{
    static const double steps[] = {1, 16384, 70000};

    for (size_t i = 0; i < 3; i++) {
        for (int concurrent = 0; concurrent < 2; concurrent++) {
            fake self = fake_on(medium, steps[i], concurrent);
            opevo_landscape_summary one, several;

            CHECK_OK(opevo_landscape_summarise(&self.super, 100000, 1, &one, &err));
            CHECK_OK(opevo_landscape_summarise(&self.super, 100000, 3, &several, &err));
            check_against_brute_force(&self, &one);
            check_against_brute_force(&self, &several);
            assert_true(one.mean == several.mean && one.sd == several.sd);
            opevo_space_destroy(self.space);
        }
    }
}

CHECK_TEST(test_nothing_is_ok)
{
    fake self = fake_on(medium, 1, true);
    opevo_landscape_summary s;

    self.all_fail = true;
    CHECK_OK(opevo_landscape_summarise(&self.super, 100000, 0, &s, &err));
    assert_true(s.exact && !s.optimum.known && isnan(s.best) && isnan(s.mean) && isnan(s.sd));
    assert_true(isnan(s.quantile[0]) && isnan(s.quantile[4]));
    assert_int_equal(s.within_5_percent, 0);
    assert_int_equal(s.by_class[OPEVO_OUTCOME_LAUNCH_ERROR], s.evaluated);
    opevo_space_destroy(self.space);
}

CHECK_TEST(test_single_point)
{
    fake self = fake_on("{\"D\": {\"_type\": \"discrete\", \"_value\": [3]}}", 1, true);
    opevo_landscape_summary s;

    CHECK_OK(opevo_landscape_summarise(&self.super, 0, 0, &s, &err));
    assert_true(s.exact && s.points == 1 && s.optimum.known && isnan(s.sd));
    CHECK_CLOSE(s.quantile[0], s.best, 0);
    CHECK_CLOSE(s.quantile[4], s.best, 0);
    opevo_space_destroy(self.space);
}

/* 3.6e13 points; the sample has 10^6. By the hash, shares and quantiles are those of independent
 * draws: 0.1 fail either way, fitness is uniform on 1 .. 65536. Six standard errors. */
CHECK_TEST(test_sample)
{
    fake self = fake_on("{\"A\": {\"_type\": \"factor\", \"_value\": [1099511627776, 4]},"
                        " \"B\": {\"_type\": \"factor\", \"_value\": [1099511627776, 4]},"
                        " \"C\": {\"_type\": \"factor\", \"_value\": [4294967296, 4]}}",
                        1, true);
    opevo_landscape_summary s;

    CHECK_OK(opevo_landscape_summarise(&self.super, 100000, 0, &s, &err));
    assert_false(s.exact);
    assert_int_equal(s.evaluated, 1000000);
    CHECK_CLOSE((double)s.by_class[OPEVO_OUTCOME_LAUNCH_ERROR] / 1e6, 0.1, 6 * 3e-4);
    CHECK_CLOSE((double)s.by_class[OPEVO_OUTCOME_TIMEOUT] / 1e6, 0.1, 6 * 3e-4);
    for (size_t i = 0; i < 5; i++) {
        CHECK_CLOSE(s.quantile[i] / 65536, opevo_landscape_quantiles[i], 6 * 6e-4);
        assert_true(s.quantile_low[i] <= s.quantile[i] && s.quantile[i] <= s.quantile_high[i]);
        /* z sqrt(p (1 - p) / n) on both sides, the fitness being uniform. */
        CHECK_CLOSE(
            (s.quantile_high[i] - s.quantile_low[i]) / 65536,
            2 * 2.5758 *
                sqrt(opevo_landscape_quantiles[i] * (1 - opevo_landscape_quantiles[i]) / 8e5),
            2e-4);
    }
    assert_true(s.mean_low < s.mean && s.mean < s.mean_high);
    CHECK_CLOSE(s.mean_high - s.mean_low, 2 * 2.5758 * s.sd / sqrt(8e5), 0.01 * s.sd);
    assert_true(s.optimum.known && s.optimum.point == 4);
    CHECK_CLOSE((double)s.within_5_percent / 8e5, 1 - 57000.0 / 65536, 6 * 4e-4);
    opevo_space_destroy(self.space);
}

/* The sample uses each parameter's values evenly, whatever common factors sizes have: with fitness
 * the last parameter's value, 1024 equally likely values, quantiles are right to the value. */
static opevo_status evaluate_last(opevo_objective *objective, const opevo_index *points,
                                  size_t count, opevo_outcome *outcomes, opevo_error *err)
{
    for (size_t i = 0; i < count; i++) {
        outcomes[i] = opevo_outcome_failed(OPEVO_OUTCOME_OK);
        outcomes[i].fitness = (double)(points[i] % 1024) + 1;
    }
    return OPEVO_OK;
}

CHECK_TEST(test_sample_spreads_evenly)
{
    opevo_text json = {0};
    opevo_objective_ops ops = {.kind = "last", .evaluate = evaluate_last, .destroy = destroy};
    opevo_landscape_summary s;
    fake self;

    for (int i = 0; i < 3; i++) {
        opevo_text_printf(&json, "%s\"P%d\": {\"_type\": \"discrete\", \"_value\": [",
                          i ? ", " : "{", i);
        for (int v = 0; v < 1024; v++)
            opevo_text_printf(&json, "%s%d", v ? "," : "", v + 1);
        opevo_text_add(&json, "]}");
    }
    opevo_text_add(&json, "}");
    self = fake_on(opevo_text_string(&json), 1, false);
    self.super.ops = &ops;
    CHECK_OK(opevo_landscape_summarise(&self.super, 1000000, 0, &s, &err));
    assert_false(s.exact);
    assert_false(s.optimum.known);
    for (size_t i = 0; i < 5; i++)
        CHECK_CLOSE(s.quantile[i], 1 + 1023 * opevo_landscape_quantiles[i], 1.5);
    CHECK_CLOSE(s.mean, 512.5, 0.01);
    CHECK_CLOSE(s.best, 1024, 0);
    opevo_space_destroy(self.space);
    opevo_text_free(&json);
}

CHECK_TEST(test_errors)
{
    fake self = fake_on(medium, 1, true);
    opevo_landscape_summary s = {.evaluated = 3};

    while (!opevo_space_allows(self.space, ++self.broken))
        ;
    CHECK_FAILS(OPEVO_IO, "lost", opevo_landscape_summarise(&self.super, 100000, 2, &s, &err));
    CHECK_FAILS(OPEVO_LIMIT, "2^31",
                opevo_landscape_summarise(&self.super, (opevo_index)1 << 40, 2, &s, &err));
    assert_int_equal(s.evaluated, 3);
    opevo_space_destroy(self.space);
}

CHECK_TEST(test_failing_allocations)
{
    opevo_landscape_summary s;
    fake self = fake_on(medium, 1, true);

    CHECK_MEMORY(opevo_landscape_summarise(&self.super, 100000, 2, &s, NULL));
    opevo_space_destroy(self.space);
}
