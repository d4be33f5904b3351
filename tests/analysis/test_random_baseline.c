/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Exact random search against all orders of the points, against closed forms, against sampling. */

#include "check.h"

#include <opevo/landscape.h>
#include <opevo/memory.h>
#include <opevo/random.h>
#include <opevo/random_baseline.h>

#include <stdlib.h>

enum { MOST = 7 };

/* What follows from the average over all orders of a tiny landscape. */
typedef struct census {
    size_t points;
    double fitness[MOST], worst, wanted;
    double orders;
    double sum[MOST + 1], square[MOST + 1], inverse[MOST + 1]; /* by number of trials */
    double hits[MOST + 1], spent[MOST + 1];
} census;

static void count_order(census *self, const double *order)
{
    double best = 0;
    size_t hit = 0;

    self->orders++;
    for (size_t m = 1; m <= self->points; m++) {
        best = fmax(best, order[m - 1]);
        if (!hit && best >= self->wanted)
            hit = m;
        self->sum[m] += best;
        self->square[m] += best * best;
        self->inverse[m] += 1 / (best > 0 ? best : self->worst);
        self->hits[m] += hit > 0;
        self->spent[m] += (double)(hit ? hit : m);
    }
}

static void permute(census *self, double *order, size_t fixed)
{
    if (fixed == self->points) {
        count_order(self, order);
        return;
    }
    for (size_t i = fixed; i < self->points; i++) {
        double held = order[fixed];

        order[fixed] = order[i];
        order[i] = held;
        permute(self, order, fixed + 1);
        order[i] = order[fixed];
        order[fixed] = held;
    }
}

static void check_census(const double *fitness, size_t points, double wanted)
{
    census all = {.points = points, .worst = INFINITY, .wanted = wanted};
    opevo_fitness_table table;
    uint64_t good = 0;
    double area = 0;

    for (size_t i = 0; i < points; i++) {
        all.fitness[i] = fitness[i];
        if (fitness[i] > 0)
            all.worst = fmin(all.worst, fitness[i]);
    }
    permute(&all, all.fitness, 0);
    CHECK_OK(opevo_fitness_table_create(fitness, NULL, points, &table, &err));
    good = opevo_fitness_table_reaching(&table, wanted);
    for (uint64_t m = 1; m <= points; m++) {
        opevo_random_expectation expected;
        opevo_random_run_time time = opevo_random_run_time_of(points, good, m);
        double mean = all.sum[m] / all.orders;

        CHECK_OK(opevo_random_expect(&table, &m, 1, 1, &expected, &err));
        CHECK_CLOSE(expected.fitness, mean, 1e-12);
        CHECK_CLOSE(expected.sd, sqrt(fmax(all.square[m] / all.orders - mean * mean, 0)), 1e-7);
        CHECK_CLOSE(expected.inverse, all.inverse[m] / all.orders, 1e-12);
        CHECK_CLOSE(opevo_random_hit(points, good, m), all.hits[m] / all.orders, 1e-12);
        if (good > 0)
            CHECK_CLOSE(time.ert, all.spent[m] / all.hits[m], 1e-12);
        else
            assert_true(isinf(time.ert));
        if (m > 1)
            area += all.hits[m - 1] / all.orders * log((double)m / (double)(m - 1));
        if (m > 1)
            CHECK_CLOSE(time.area, good ? area / log((double)m) : 0, 1e-12);
    }
    opevo_fitness_table_free(&table);
}

CHECK_TEST(test_all_orders)
{
    static const double plain[] = {5, 1, 4, 2, 3, 7, 6}, ties[] = {3, 3, 1, 1, 1, 2},
                        failures[] = {0, 4, 0, 2, 0, 2}, single[] = {2}, same[] = {2, 2, 2};

    for (int wanted = 1; wanted < 9; wanted++) {
        check_census(plain, 7, wanted);
        check_census(ties, 6, wanted);
        check_census(failures, 6, wanted);
        check_census(single, 1, wanted);
        check_census(same, 3, wanted);
    }
}

/* Fitness 1 .. N: the best of M has the mean M (N + 1) / (M + 1) and the variance of the largest of
 * M numbers drawn from 1 .. N, M (N - M) (N + 1) / ((M + 1)^2 (M + 2)). */
CHECK_TEST(test_closed_form)
{
    enum { N = 300000 };
    static const uint64_t trials[] = {1, 2, 3, 10, 50, 77, 220, 500, 5000, 100000, N, N + 1};
    opevo_random_expectation expected[12];
    double *fitness = opevo_malloc(N, sizeof *fitness);
    opevo_fitness_table table;

    for (size_t i = 0; i < N; i++)
        fitness[i] = (double)(i * 7919 % N + 1);
    CHECK_OK(opevo_fitness_table_create(fitness, NULL, N, &table, &err));
    CHECK_OK(opevo_random_expect(&table, trials, 12, 2, expected, &err));
    for (size_t i = 0; i < 12; i++) {
        double n = N, m = fmin((double)trials[i], n);
        double variance = m * (n - m) * (n + 1) / ((m + 1) * (m + 1) * (m + 2));

        CHECK_CLOSE(expected[i].fitness / (m * (n + 1) / (m + 1)), 1, 1e-11);
        CHECK_CLOSE(expected[i].sd, sqrt(variance), 2e-5 * n);
    }
    opevo_fitness_table_free(&table);
    opevo_free(fitness);
}

/* A skewed landscape with failures, searched 20,000 times; every mean within 4.5 standard errors (a
 * false alarm in 10^5). */
CHECK_TEST(test_sampling)
{
    enum { N = 400, M = 37, RUNS = 20000 };
    double fitness[N], order[N], sum = 0, square = 0, times = 0, times_square = 0;
    uint64_t trials = M;
    opevo_random_expectation expected;
    opevo_fitness_table table;
    opevo_rng rng;

    opevo_rng_init(&rng, 5, "test", 0);
    for (size_t i = 0; i < N; i++)
        fitness[i] = i % 4 ? 100 * pow(opevo_rng_unit(&rng), 6) : 0;
    CHECK_OK(opevo_fitness_table_create(fitness, NULL, N, &table, &err));
    CHECK_OK(opevo_random_expect(&table, &trials, 1, 1, &expected, &err));
    memcpy(order, fitness, sizeof order);
    for (size_t r = 0; r < RUNS; r++) {
        double best = 0;

        for (size_t i = 0; i < M; i++) {
            size_t j = i + (size_t)opevo_rng_below(&rng, N - i);
            double held = order[i];

            order[i] = order[j];
            order[j] = held;
            best = fmax(best, order[i]);
        }
        sum += best;
        square += best * best;
        times += 1 / best;
        times_square += 1 / (best * best);
    }
    sum /= RUNS;
    times /= RUNS;
    CHECK_CLOSE(sum, expected.fitness, 4.5 * expected.sd / sqrt(RUNS));
    CHECK_CLOSE(times, expected.inverse, 4.5 * sqrt((times_square / RUNS - times * times) / RUNS));
    CHECK_CLOSE(sqrt(square / RUNS - sum * sum) / expected.sd, 1, 0.05);
    opevo_fitness_table_free(&table);
}

CHECK_TEST(test_hit_and_first)
{
    CHECK_CLOSE(opevo_random_hit(10, 0, 5), 0, 0);
    CHECK_CLOSE(opevo_random_hit(10, 3, 0), 0, 0);
    CHECK_CLOSE(opevo_random_hit(10, 3, 8), 1, 0);
    CHECK_CLOSE(opevo_random_hit(10, 3, 7), 1 - 1.0 / 120, 1e-15);
    CHECK_CLOSE(opevo_random_hit(10, 10, 1), 1, 0);
    CHECK_CLOSE(opevo_random_trials_to(9, 1), 5, 0);
    assert_true(isinf(opevo_random_trials_to(9, 0)));
    /* Without a cut the expected running time is (N + 1) / (K + 1). */
    for (uint64_t good = 1; good < 40; good++)
        CHECK_CLOSE(opevo_random_run_time_of(40, good, 40).ert, opevo_random_trials_to(40, good),
                    1e-12);
}

/* Times 1 .. 9, by hand. */
CHECK_TEST(test_community_by_hand)
{
    double fitness[10] = {0}, cost_s[10];
    opevo_fitness_table table;

    for (int i = 0; i < 10; i++) {
        fitness[i] = i ? 1.0 / i : 0;
        cost_s[i] = i ? i : 20;
    }
    CHECK_OK(opevo_fitness_table_create(fitness, cost_s, 10, &table, &err));
    assert_int_equal(table.points, 10);
    assert_int_equal(table.ok, 9);
    CHECK_CLOSE(opevo_community_baseline(&table, 1), 4, 1e-15); /* place 5 of 9 8 7 6 5 4 ... */
    CHECK_CLOSE(opevo_community_baseline(&table, 4), 1, 1e-15); /* place 8 */
    CHECK_CLOSE(opevo_community_baseline(&table, 3), 1, 1e-15); /* place 7.5, to even: 8 */
    CHECK_CLOSE(opevo_community_baseline(&table, 2), 2, 1e-15); /* place 6.67 */
    assert_int_equal(opevo_community_trials(&table, 0.5), 2);   /* 3 at place 6: 6 / 4 */
    assert_int_equal(opevo_community_trials(&table, 1), 4);     /* 1 at place 8: 8 / 2 */
    assert_int_equal(opevo_community_trials(&table, 0.99), 3);  /* one less: 7 / 3 */
    assert_int_equal(opevo_community_trials(&table, 0.01), 1);
    CHECK_CLOSE(table.mean_cost_s, 6.5, 1e-15);
    CHECK_CLOSE(table.mean_cost_ok_s, 5, 1e-15);
    CHECK_CLOSE(table.mean_cost_failed_s, 20, 1e-15);
    CHECK_CLOSE(table.median_cost_s, 5.5, 1e-15);
    CHECK_CLOSE(opevo_community_cost_s(&table), 5 + 0.1 * 20, 1e-15);
    opevo_fitness_table_free(&table);
}

CHECK_TEST(test_nothing_is_ok)
{
    static const double fitness[] = {0, 0}, bad[] = {1, -1}, odd[] = {1, NAN};
    uint64_t trials = 1;
    opevo_random_expectation expected;
    opevo_fitness_table table;

    CHECK_OK(opevo_fitness_table_create(fitness, NULL, 2, &table, &err));
    CHECK_OK(opevo_random_expect(&table, &trials, 1, 1, &expected, &err));
    CHECK_CLOSE(expected.fitness, 0, 0);
    assert_true(isinf(expected.inverse));
    assert_int_equal(opevo_community_trials(&table, 0.5), 0);
    assert_true(isinf(opevo_community_baseline(&table, 1)));
    opevo_fitness_table_free(&table);
    CHECK_FAILS(OPEVO_INVALID, "at least one",
                opevo_fitness_table_create(fitness, NULL, 0, &table, &err));
    CHECK_FAILS(OPEVO_INVALID, "Point 1", opevo_fitness_table_create(bad, NULL, 2, &table, &err));
    CHECK_FAILS(OPEVO_INVALID, "Point 1", opevo_fitness_table_create(odd, NULL, 2, &table, &err));
    CHECK_FAILS(OPEVO_INVALID, "Point 1",
                opevo_fitness_table_create(fitness, bad, 2, &table, &err));
    for (int i = 1; i <= 2; i++) {
        opevo_memory_fail_at(i);
        CHECK_FAILS(OPEVO_NOMEM, "memory",
                    opevo_fitness_table_create(fitness, fitness, 2, &table, &err));
        opevo_memory_fail_at(0);
    }
    assert_int_equal(opevo_memory_live(), 0);
}

/* ---- From an objective ---- */

static opevo_status evaluate(opevo_objective *self, const opevo_index *points, size_t count,
                             opevo_outcome *outcomes, opevo_error *err)
{
    for (size_t i = 0; i < count; i++) {
        outcomes[i] = opevo_outcome_failed(OPEVO_OUTCOME_REJECTED);
        if (points[i] % 3) {
            outcomes[i].kind = OPEVO_OUTCOME_OK;
            outcomes[i].fitness = (double)(points[i] * 31 % 1009);
        }
        outcomes[i].build_s = (double)(points[i] % 5);
    }
    return OPEVO_OK;
}

CHECK_TEST(test_of_objective)
{
    static const opevo_objective_ops ops = {.kind = "toy", .evaluate = evaluate};
    static const char json[] =
        "{\"a\": {\"_type\": \"discrete\", \"_value\": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]},"
        " \"b\": {\"_type\": \"factor\", \"_value\": [1024, 4]}, \"c\": {\"_type\": \"factor\","
        " \"_value\": [16, 2]}, \"_constraints\": [\"a != 4\"]}";
    opevo_objective toy = {.ops = &ops, .name = "toy", .unit = "1/s", .concurrent = true};
    opevo_space *space = NULL;
    opevo_fitness_table one = {0}, three = {0}, direct = {0};
    double *fitness = NULL, *cost_s = NULL;
    size_t count = 0;

    CHECK_OK(opevo_space_parse(json, "toy", NULL, &space, &err));
    toy.space = space;
    fitness = opevo_malloc((size_t)opevo_space_size(space), sizeof *fitness);
    cost_s = opevo_malloc((size_t)opevo_space_size(space), sizeof *cost_s);
    for (opevo_index i = 0; i < opevo_space_size(space); i++) {
        if (!opevo_space_allows(space, i))
            continue;
        fitness[count] = i % 3 ? (double)(i * 31 % 1009) : 0;
        cost_s[count++] = (double)(i % 5);
    }
    assert_true(count > 4096 && count < opevo_space_size(space));
    CHECK_OK(opevo_fitness_table_create(fitness, cost_s, count, &direct, &err));
    CHECK_OK(opevo_fitness_table_of(&toy, 1000000, 1, &one, &err));
    CHECK_OK(opevo_fitness_table_of(&toy, 1000000, 3, &three, &err));
    assert_int_equal(one.points, count);
    assert_int_equal(one.ok, direct.ok);
    assert_memory_equal(one.fitness, direct.fitness, one.ok * sizeof *one.fitness);
    assert_memory_equal(one.fitness, three.fitness, one.ok * sizeof *one.fitness);
    CHECK_CLOSE(one.mean_cost_s, direct.mean_cost_s, 1e-12);
    CHECK_CLOSE(one.median_cost_s, direct.median_cost_s, 0);
    for (uint64_t i = 1; i < one.ok; i++)
        assert_true(one.fitness[i] <= one.fitness[i - 1]);
    CHECK_FAILS(OPEVO_LIMIT, "too many points", opevo_fitness_table_of(&toy, 9, 1, &one, &err));
    opevo_fitness_table_free(&one);
    opevo_fitness_table_free(&three);
    opevo_fitness_table_free(&direct);
    opevo_free(fitness);
    opevo_free(cost_s);
    opevo_space_destroy(space);
    assert_int_equal(opevo_memory_live(), 0);
}

/* A recorded landscape whose exact random search and cut-offs are known from elsewhere. */
CHECK_TEST(test_recorded)
{
    static const uint64_t trials[] = {50, 100, 220, 500, 1000};
    static const double known[] = {0.673, 0.724, 0.788, 0.856, 0.907};
    static const double cutoffs[] = {0.5, 0.9, 0.95, 0.96, 0.98, 0.99};
    static const uint64_t needed[] = {5, 381, 1050, 1400, 1400, 1400};
    const char *folder = getenv("OPEVO_TEST_LANDSCAPES");
    opevo_random_expectation expected[5];
    opevo_objective *objective = NULL;
    opevo_fitness_table table;
    char path[4096];

    snprintf(path, sizeof path, "%s/conv_a100.csv.xz", folder ? folder : "../shared/landscapes");
    if (opevo_recorded_open(path, NULL, &objective, NULL) == OPEVO_IO)
        CHECK_SKIP("recorded landscapes: %s is missing", path);
    assert_non_null(objective);
    CHECK_OK(opevo_fitness_table_of(objective, 1000000, 2, &table, &err));
    CHECK_OK(opevo_random_expect(&table, trials, 5, 1, expected, &err));
    for (size_t i = 0; i < 5; i++)
        CHECK_CLOSE(expected[i].fitness / table.fitness[0], known[i], 0.0006);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(opevo_community_trials(&table, cutoffs[i]), needed[i]);
    opevo_fitness_table_free(&table);
    opevo_objective_destroy(objective);
}
