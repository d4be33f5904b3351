/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Fronts against brute force; the hypervolume against inclusion and exclusion over all subsets, and
 * against closed forms. */

#include <opevo/front.h>
#include <opevo/random.h>

#include "check.h"

/* ---- Hypervolume ---- */

/* sum over subsets S of (-1)^(|S| + 1) times the volume of the intersection of its boxes. */
static double by_inclusion_and_exclusion(const double *points, size_t count, size_t dimensions,
                                         const double *reference)
{
    double sum = 0;

    for (unsigned subset = 1; subset < 1U << count; subset++) {
        double volume = 1;

        for (size_t k = 0; k < dimensions; k++) {
            double corner = -INFINITY;

            for (size_t i = 0; i < count; i++) {
                if (subset >> i & 1)
                    corner = fmax(corner, points[i * dimensions + k]);
            }
            volume *= fmax(0, reference[k] - corner);
        }
        sum += __builtin_popcount(subset) % 2 ? volume : -volume;
    }
    return sum;
}

/* Points with ties, dominated ones, and some beyond the reference point. */
CHECK_TEST(test_hypervolume)
{
    static const double reference[] = {8, 9, 7, 10};
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "test", 0);
    for (size_t dimensions = 1; dimensions <= 4; dimensions++) {
        for (int round = 0; round < 400; round++) {
            size_t count = opevo_rng_below(&rng, 10);
            double points[40];
            double volume = -1;

            for (size_t i = 0; i < count * dimensions; i++)
                points[i] =
                    round % 2 ? (double)opevo_rng_below(&rng, 11) : 11 * opevo_rng_unit(&rng);
            CHECK_OK(opevo_hypervolume(points, count, dimensions, reference, &volume, &err));
            CHECK_CLOSE(volume, by_inclusion_and_exclusion(points, count, dimensions, reference),
                        1e-8);
        }
    }
}

/* n steps of a regular staircase: area 1 - (n - 1) / (2 n) ... by counting squares. */
CHECK_TEST(test_large_fronts)
{
    enum { N = 500 };
    static double points[3 * N];
    const double reference[] = {N, N, 1};
    double volume = 0;

    for (size_t i = 0; i < N; i++) {
        points[3 * i] = (double)i;
        points[3 * i + 1] = (double)(N - 1 - i);
        points[3 * i + 2] = 0;
    }
    CHECK_OK(opevo_hypervolume(points, N, 3, reference, &volume, &err));
    CHECK_CLOSE(volume, N * (N + 1) / 2.0, 1e-6);
    for (size_t i = 0; i < N; i++)
        points[3 * i + 2] = INFINITY; /* not known */
    CHECK_OK(opevo_hypervolume(points, N, 3, reference, &volume, &err));
    assert_true(volume == 0);
}

/* A large front in four dimensions: turning the dimensions changes nothing. */
CHECK_TEST(test_four_dimensions)
{
    enum { N = 2000 };
    static double points[4 * N], turned[4 * N];
    const double reference[] = {1, 1, 1, 1};
    double volume = 0, again = 0;
    opevo_rng rng;

    opevo_rng_init(&rng, 5, "test", 0);
    for (size_t i = 0; i < N; i++) {
        double sum = 0;

        for (size_t k = 0; k < 4; k++)
            sum += points[4 * i + k] = -log(1 - opevo_rng_unit(&rng));
        for (size_t k = 0; k < 4; k++)
            turned[4 * i + (k + 1) % 4] = points[4 * i + k] /= sum;
    }
    CHECK_OK(opevo_hypervolume(points, N, 4, reference, &volume, &err));
    CHECK_OK(opevo_hypervolume(turned, N, 4, reference, &again, &err));
    CHECK_CLOSE(volume, again, 1e-12);
    assert_true(volume > 0.9 && volume < 1 - 1 / 24.0); /* all lie on x + y + z + w = 1 */
}

/* ---- Fronts ---- */

static opevo_trial draw(opevo_rng *rng, uint64_t number)
{
    opevo_trial trial = {.number = number, .proposal = {number, "x"}};

    if (opevo_rng_below(rng, 5) == 0) {
        trial.outcome = opevo_outcome_failed(OPEVO_OUTCOME_INFEASIBLE);
        return trial;
    }
    trial.outcome.fitness = 1 + (double)opevo_rng_below(rng, 8);
    for (size_t i = 0; i < 3; i++)
        trial.outcome.more[i] = opevo_rng_below(rng, 6) ? (double)opevo_rng_below(rng, 8) : NAN;
    return trial;
}

static bool is_equal(const opevo_outcome *a, const opevo_outcome *b)
{
    return a->fitness == b->fitness &&
           (a->more[0] == b->more[0] || (isnan(a->more[0]) && isnan(b->more[0]))) &&
           (a->more[1] == b->more[1] || (isnan(a->more[1]) && isnan(b->more[1])));
}

/* Fitness, a criterion of which the smaller is better, and one of which the larger is. */
static const opevo_criteria three = {
    .count = 3, .chosen = {{0, true, false}, {1, false, false}, {2, true, false}}};

CHECK_TEST(test_members)
{
    enum { N = 80 };
    static opevo_trial trials[N];
    opevo_rng rng;

    opevo_rng_init(&rng, 2, "test", 0);
    for (int round = 0; round < 20; round++) {
        opevo_front front = {.criteria = three};
        size_t wanted = 0;

        for (size_t i = 0; i < N; i++) {
            bool changed = false;
            bool free = true;

            trials[i] = draw(&rng, i + 1);
            for (size_t k = 0; k < i; k++)
                free = free &&
                       !opevo_outcome_dominates(&trials[k].outcome, &trials[i].outcome, &three) &&
                       !(trials[k].outcome.kind == OPEVO_OUTCOME_OK &&
                         is_equal(&trials[k].outcome, &trials[i].outcome));
            CHECK_OK(opevo_front_add(&front, &trials[i], &changed, &err));
            assert_int_equal(changed, free && trials[i].outcome.kind == OPEVO_OUTCOME_OK);
        }
        for (size_t i = 0; i < N; i++) {
            bool member = trials[i].outcome.kind == OPEVO_OUTCOME_OK;

            for (size_t k = 0; k < N; k++)
                member = member &&
                         !opevo_outcome_dominates(&trials[k].outcome, &trials[i].outcome, &three) &&
                         !(k < i && trials[k].outcome.kind == OPEVO_OUTCOME_OK &&
                           is_equal(&trials[k].outcome, &trials[i].outcome));
            wanted += member;
        }
        assert_int_equal(front.count, wanted);
        opevo_front_sort(&front);
        for (size_t i = 1; i < front.count; i++)
            assert_true(front.members[i - 1].outcome.fitness >= front.members[i].outcome.fitness);
        opevo_front_free(&front);
    }
}

/* The share of the box, with a time as criterion 0: (2 ms, 3 J) and (4 ms, 1 J) in
 * [2, 6] x [1, 5]. */
CHECK_TEST(test_volume)
{
    const opevo_criteria two = {.count = 2, .chosen = {{0, true, false}, {1, false, false}}};
    opevo_front front = {.criteria = two};
    opevo_front_box box = opevo_front_box_empty();
    double values[][2] = {{2, 3}, {4, 1}, {6, 5}, {6, NAN}};
    double volume = 0;

    CHECK_OK(opevo_front_volume(&front, "ms", &box, &volume, &err));
    assert_true(volume == 0);
    for (size_t i = 0; i < 4; i++) {
        opevo_trial trial = {.number = i + 1};

        trial.outcome.fitness = 1e3 / values[i][0];
        trial.outcome.more[0] = values[i][1];
        opevo_front_box_add(&box, &two, "ms", &trial.outcome);
        CHECK_OK(opevo_front_add(&front, &trial, NULL, &err));
    }
    assert_int_equal(front.count, 2);
    CHECK_CLOSE(opevo_front_value(&two, 0, "ms", &front.members[0].outcome), 2, 1e-12);
    CHECK_OK(opevo_front_volume(&front, "ms", &box, &volume, &err));
    CHECK_CLOSE(volume, (4 * 2 + 2 * 4 - 2 * 2) / 16.0, 1e-12);
    opevo_front_free(&front);
}

/* A rate chosen as the time is weighed as one: 1, 1 / 2 and 1 / 4 GFLOP/s take 1, 2 and 4 s, so the
 * middle one dominates 2 / 3 of the range of times and 1 / 3 of that of rates. Without the times of
 * outcomes, and for speedups, the inverse stands for them. */
CHECK_TEST(test_volume_of_rate)
{
    static const char *const units[] = {"GFLOP/s", "GFLOP/s", "TFLOP/s", "x"};
    const opevo_criterion error = {"error", "", false};
    opevo_objective objective = {.name = "rates", .criteria = &error, .more_count = 1};

    for (size_t i = 0; i < 4; i++) {
        for (int as_time = 0; as_time < 2; as_time++) {
            opevo_criteria criteria;
            opevo_front front = {.count = 0};
            opevo_front_box box = opevo_front_box_empty();
            double volume = 0;

            objective.unit = units[i];
            CHECK_OK(opevo_criteria_parse(&objective, as_time ? "error,time" : "error,fitness",
                                          &criteria, &err));
            front.criteria = criteria;
            for (int k = 0; k < 3; k++) { /* the best is not on the front: its error is unknown */
                opevo_trial trial = {.number = (uint64_t)k + 1};

                trial.outcome.fitness = pow(2, -k);
                trial.outcome.time_s = i == 0 ? pow(2, k) : (double)NAN;
                trial.outcome.more[0] = k ? 3 - k : (double)NAN;
                opevo_front_box_add(&box, &criteria, units[i], &trial.outcome);
                CHECK_OK(opevo_front_add(&front, &trial, NULL, &err));
                if (as_time)
                    CHECK_CLOSE(opevo_front_value(&criteria, 1, units[i], &trial.outcome),
                                pow(2, k), 1e-15);
            }
            assert_int_equal(opevo_front_is_time(&criteria, 1, units[i]), as_time);
            CHECK_OK(opevo_front_volume(&front, units[i], &box, &volume, &err));
            CHECK_CLOSE(volume, 0,
                        0); /* errors 2 and 1: the first has the worst, the last the best */
            box.worst[0] = 3;
            CHECK_OK(opevo_front_volume(&front, units[i], &box, &volume, &err));
            CHECK_CLOSE(volume, (as_time ? 2 / 3.0 : 1 / 3.0) / 2, 1e-12);
            opevo_front_free(&front);
        }
    }
}

/* A box may be wider than the largest number: (-1e308, 1e308), (0, 0) and (1e308, -1e308). */
CHECK_TEST(test_volume_of_large_values)
{
    const opevo_criteria two = {.count = 2, .chosen = {{1, false, false}, {2, false, false}}};
    opevo_front front = {.criteria = two};
    opevo_front_box box = opevo_front_box_empty();
    double volume = 0;

    for (int i = -1; i <= 1; i++) {
        opevo_trial trial = {.number = (uint64_t)(i + 2)};

        trial.outcome.fitness = 1;
        trial.outcome.more[0] = i * 1e308;
        trial.outcome.more[1] = -i * 1e308;
        opevo_front_box_add(&box, &two, "ms", &trial.outcome);
        CHECK_OK(opevo_front_add(&front, &trial, NULL, &err));
    }
    CHECK_OK(opevo_front_volume(&front, "ms", &box, &volume, &err));
    CHECK_CLOSE(volume, 0.25, 1e-12);
    opevo_front_free(&front);
}
