/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The tuner opevo against Algorithm 1 of the paper: what a generation is made of, and the law of
 * the first child against one computed here, from the paper's equations alone. */

#include "tuner_fixture.h"

#include <gsl/gsl_cdf.h>

enum { POINTS_MOST = 16, SIZE_MOST = 10 };

static size_t ask(opevo_tuner *tuner, opevo_proposal *proposals, size_t capacity)
{
    size_t count = 0;

    CHECK_OK(opevo_tuner_ask(tuner, proposals, capacity, &count, &err));
    return count;
}

static void tell(opevo_tuner *tuner, const opevo_proposal *proposals, const double *fitness,
                 size_t count)
{
    for (size_t i = 0; i < count; i++) {
        opevo_trial trial = {.proposal = proposals[i]};

        trial.outcome.fitness = fitness[i];
        CHECK_OK(opevo_tuner_tell(tuner, &trial, 1, &err));
    }
}

/* Law of the q-random walk from `start`, by its series: (1 - q) sum of q^k W^k p0. */
static void walk_law(const opevo_parameter *parameter, double q, size_t start, double *law)
{
    size_t size = (size_t)opevo_parameter_size(parameter);
    double now[SIZE_MOST] = {0};

    assert_true(size <= SIZE_MOST);
    for (size_t v = 0; v < size; v++)
        law[v] = 0;
    now[start] = 1;
    for (int step = 0; step < 400; step++) { /* 0.9^400 < 1e-18 */
        double going = pow(q, step);
        double next[SIZE_MOST] = {0};

        for (size_t u = 0; u < size; u++) {
            size_t degree = (size_t)opevo_parameter_degree(parameter, u);

            law[u] += (1 - q) * going * now[u];
            for (size_t k = 0; k < degree; k++)
                next[opevo_parameter_neighbour(parameter, u, k)] += now[u] / (double)degree;
            next[u] += degree == 0 ? now[u] : 0;
        }
        memcpy(now, next, sizeof now);
    }
}

/* kernel[x][y]: probability that one mutation of point x ends at y. */
static void mutation_kernel(const opevo_space *space, double q, double kernel[][POINTS_MOST])
{
    size_t size = (size_t)opevo_space_size(space);
    size_t width = opevo_space_parameter_count(space);

    for (size_t x = 0; x < size; x++) {
        opevo_index from[4];

        opevo_space_decode(space, x, from);
        for (size_t y = 0; y < size; y++)
            kernel[x][y] = 1;
        for (size_t i = 0; i < width; i++) {
            double law[SIZE_MOST];

            walk_law(opevo_space_parameter(space, i), q, (size_t)from[i], law);
            for (size_t y = 0; y < size; y++) {
                opevo_index to[4];

                opevo_space_decode(space, y, to);
                kernel[x][y] *= law[to[i]];
            }
        }
    }
}

/* Law of the recombined child: equation 2, independently for each parameter. */
static void recombined_law(const opevo_space *space, const opevo_proposal *parents,
                           const double *fitness, size_t count, double *law)
{
    size_t size = (size_t)opevo_space_size(space);
    size_t width = opevo_space_parameter_count(space);
    double sum = 0;

    for (size_t j = 0; j < count; j++)
        sum += fitness[j];
    for (size_t x = 0; x < size; x++) {
        opevo_index child[4];

        opevo_space_decode(space, x, child);
        law[x] = 1;
        for (size_t i = 0; i < width; i++) {
            double share = 0;

            for (size_t j = 0; j < count; j++) {
                opevo_index parent[4];

                opevo_space_decode(space, parents[j].point, parent);
                share += parent[i] == child[i] ? fitness[j] / sum : 0;
            }
            law[x] *= share;
        }
    }
}

/* Law of the child that is proposed: mutated until it is new, from where it landed (continue) or
 * from the recombined child (redraw). */
static void child_law(const opevo_space *space, double kernel[][POINTS_MOST], const double *start,
                      const bool *taken, bool redraw, double *law)
{
    size_t size = (size_t)opevo_space_size(space);
    double now[POINTS_MOST];

    memcpy(now, start, sizeof now);
    for (size_t y = 0; y < size; y++)
        law[y] = 0;
    for (int round = 0; round < 5000; round++) {
        double next[POINTS_MOST] = {0};

        for (size_t x = 0; x < size; x++) {
            double lands_on_taken = 0;

            for (size_t y = 0; y < size; y++) {
                law[y] += taken[y] ? 0 : now[x] * kernel[x][y];
                lands_on_taken += taken[y] ? kernel[x][y] : 0;
                next[y] += taken[y] && !redraw ? now[x] * kernel[x][y] : 0;
            }
            next[x] += redraw ? now[x] * lands_on_taken : 0;
        }
        memcpy(now, next, sizeof now);
    }
}

/* Run the tuner from many seeds up to its first child. The initial points are an ordered pair, each
 * equally likely; given the pair the child has the law above. Chi-square over pairs and children.
 *
 * With 100,000 seeds a q off by 0.05 raises the statistic by more than 8 of its standard
 * deviations, and the other rule for duplicates by more than 40; the test rejects at about 5. */
static void check_first_child(const char *json, const char *changes, double q, bool redraw,
                              uint64_t seeds)
{
    static const double fitness[2] = {3, 1};
    static uint64_t counts[POINTS_MOST][POINTS_MOST][POINTS_MOST];
    opevo_space *space = formula_space(json);
    size_t size = (size_t)opevo_space_size(space);
    double kernel[POINTS_MOST][POINTS_MOST];
    double statistic = 0;
    double pairs = 0;
    int cells = 0;

    assert_true(size <= POINTS_MOST);
    memset(counts, 0, sizeof counts);
    for (uint64_t seed = 0; seed < seeds; seed++) {
        opevo_tuner *tuner = tuner_make("opevo", space, changes, seed);
        opevo_proposal first[2];
        opevo_proposal child;

        assert_int_equal(ask(tuner, first, 2), 2);
        assert_string_equal(first[0].origin, "initial");
        tell(tuner, first, fitness, 2);
        assert_int_equal(ask(tuner, &child, 1), 1);
        assert_string_equal(child.origin, "child");
        counts[first[0].point][first[1].point][child.point]++;
        opevo_tuner_destroy(tuner);
    }
    mutation_kernel(space, q, kernel);
    for (size_t a = 0; a < size; a++)
        for (size_t b = 0; b < size; b++)
            pairs += a != b && opevo_space_allows(space, a) && opevo_space_allows(space, b);
    for (size_t a = 0; a < size; a++) {
        for (size_t b = 0; b < size; b++) {
            opevo_proposal parents[2] = {{.point = a}, {.point = b}};
            double start[POINTS_MOST] = {0};
            double law[POINTS_MOST];
            bool taken[POINTS_MOST];

            if (a == b || !opevo_space_allows(space, a) || !opevo_space_allows(space, b))
                continue;
            for (size_t x = 0; x < size; x++)
                taken[x] = x == a || x == b || !opevo_space_allows(space, x);
            recombined_law(space, parents, fitness, 2, start);
            child_law(space, kernel, start, taken, redraw, law);
            for (size_t x = 0; x < size; x++) {
                double expected = (double)seeds / pairs * law[x];

                assert_true(!taken[x] || counts[a][b][x] == 0);
                if (taken[x])
                    continue;
                assert_true(expected > 10);
                statistic += pow((double)counts[a][b][x] - expected, 2) / expected;
                cells++;
            }
        }
    }
    if (gsl_cdf_chisq_Q(statistic, cells - 1) < 1e-6)
        fail_msg("%s: chi-square %g on %d cells", changes, statistic, cells);
    opevo_space_destroy(space);
}

static const char six[] = "{\"f\": {\"_type\": \"factor\", \"_value\": [4, 2]},"
                          " \"c\": {\"_type\": \"choice\", \"_value\": [0, 1]}}";
/* A path of 4 times 2, the middle of it partly forbidden. */
static const char forbidden[] = "{\"d\": {\"_type\": \"discrete\", \"_value\": [1, 2, 3, 4]},"
                                " \"c\": {\"_type\": \"choice\", \"_value\": [0, 1]},"
                                " \"_constraints\": [\"d != 2 || c == 0\"]}";

CHECK_TEST(test_law_of_first_child)
{
    check_first_child(six, "lambda=2 rho=1 q=0.5", 0.5, false, 100000);
    check_first_child(six, "lambda=2 rho=1 q=0.5 duplicates=redraw", 0.5, true, 100000);
    check_first_child(six, "lambda=2 rho=1 q=0.8", 0.8, false, 100000);
    check_first_child(forbidden, "lambda=2 rho=1 q=0.5", 0.5, false, 100000);
    check_first_child(forbidden, "lambda=2 rho=1 q=0.5 duplicates=redraw", 0.5, true, 100000);
}

/* The law above is not blind: the other rule, or a wrong q, is far off. */
CHECK_TEST(test_rules_differ)
{
    opevo_space *space = formula_space(forbidden);
    opevo_proposal parents[2] = {{.point = 0}, {.point = 7}};
    const double fitness[2] = {3, 1};
    double kernel[POINTS_MOST][POINTS_MOST];
    double start[POINTS_MOST] = {0};
    double law[2][POINTS_MOST];
    bool taken[POINTS_MOST] = {0};
    double distance = 0;

    taken[0] = taken[7] = true;
    for (size_t x = 0; x < 8; x++)
        taken[x] = taken[x] || !opevo_space_allows(space, x);
    mutation_kernel(space, 0.5, kernel);
    recombined_law(space, parents, fitness, 2, start);
    child_law(space, kernel, start, taken, false, law[0]);
    child_law(space, kernel, start, taken, true, law[1]);
    for (size_t x = 0; x < 8; x++)
        distance += fabs(law[0][x] - law[1][x]);
    assert_true(distance > 0.05);
    opevo_space_destroy(space);
}

/* The example of the paper's figure 2: factor(8,3) at q = 0.5 from (8,1,1), where the walk ends at
 * (8,1,1) with probability .540780 and at its two neighbours with .163121 each. One parent, so the
 * child, which is new, is a neighbour with probability 2 * .163121 / (1 - .540780). */
CHECK_TEST(test_paper_example)
{
    opevo_space *space = formula_space("{\"f\": {\"_type\": \"factor\", \"_value\": [8, 3]}}");
    const double fitness = 1;
    double wanted = 2 * .163121 / (1 - .540780);
    double law[SIZE_MOST];
    opevo_index start = 0;
    opevo_index near[2];
    double runs = 0;
    double hits = 0;

    CHECK_OK(opevo_space_read(space, "f=8,1,1", &start, &err));
    CHECK_OK(opevo_space_read(space, "f=4,2,1", &near[0], &err));
    CHECK_OK(opevo_space_read(space, "f=4,1,2", &near[1], &err));
    walk_law(opevo_space_parameter(space, 0), 0.5, (size_t)start, law);
    CHECK_CLOSE(law[start], .540780, 5e-7);
    CHECK_CLOSE(law[near[0]], .163121, 5e-7);
    for (uint64_t seed = 0; seed < 100000; seed++) {
        opevo_tuner *tuner = tuner_make("opevo", space, "lambda=1 rho=1 q=0.5", seed);
        opevo_proposal proposal;

        assert_int_equal(ask(tuner, &proposal, 1), 1);
        if (proposal.point == start) {
            tell(tuner, &proposal, &fitness, 1);
            assert_int_equal(ask(tuner, &proposal, 1), 1);
            hits += proposal.point == near[0] || proposal.point == near[1];
            runs++;
        }
        opevo_tuner_destroy(tuner);
    }
    /* 10,000 of them: five standard deviations are 0.023. */
    CHECK_CLOSE(hits / runs, wanted, 5 * sqrt(wanted * (1 - wanted) / runs));
    CHECK_CLOSE(runs, 10000, 500);
    opevo_space_destroy(space);
}

static const char wide[] = "{\"a\": {\"_type\": \"permutation\", \"_value\": [6]},"
                           " \"b\": {\"_type\": \"permutation\", \"_value\": [6]},"
                           " \"c\": {\"_type\": \"permutation\", \"_value\": [6]}}";

/* lambda random points, then generations of rho children, each only when all before is told. */
CHECK_TEST(test_generations)
{
    opevo_space *space = formula_space(wide);
    opevo_tuner *tuner = tuner_make("opevo", space, "lambda=5 rho=3", 1);
    const double fitness[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    opevo_proposal got[8];

    assert_int_equal(ask(tuner, got, 8), 5);
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(got[i].origin, "initial");
    for (int generation = 0; generation < 4; generation++) {
        tell(tuner, got, fitness, generation ? 2 : 4);
        assert_int_equal(ask(tuner, got + 6, 1), 0);
        tell(tuner, got + (generation ? 2 : 4), fitness, 1);
        assert_int_equal(ask(tuner, got, 8), 3);
        for (size_t i = 0; i < 3; i++)
            assert_string_equal(got[i].origin, "child");
        assert_int_equal(ask(tuner, got + 3, 5), 0);
    }
    opevo_tuner_destroy(tuner);
    opevo_space_destroy(space);
}

CHECK_TEST(test_wrong_order_is_refused)
{
    opevo_space *space = formula_space(wide);
    opevo_tuner *tuner = tuner_make("opevo", space, "", 1);
    opevo_proposal got[8];
    opevo_trial trial = {.number = 1};

    assert_int_equal(ask(tuner, got, 8), 8);
    trial.proposal = got[1];
    CHECK_FAILS(OPEVO_INVALID, "order", opevo_tuner_tell(tuner, &trial, 1, &err));
    trial.proposal = got[0];
    CHECK_OK(opevo_tuner_tell(tuner, &trial, 1, &err));
    opevo_tuner_destroy(tuner);
    opevo_space_destroy(space);
}

/* q = 0 leaves recombination alone: every vertex of a child is one of a parent that works. */
CHECK_TEST(test_failures_are_not_inherited)
{
    opevo_space *space = formula_space(wide);
    const double fitness[8] = {0, 5, 0, 0, 9, 0, 0, 0};
    opevo_proposal initial[8];
    opevo_index parent[2][3];

    for (uint64_t seed = 0; seed < 200; seed++) {
        opevo_tuner *tuner = tuner_make("opevo", space, "q=0 rho=6", seed);
        opevo_proposal got[6];
        opevo_index child[3];

        assert_int_equal(ask(tuner, initial, 8), 8);
        tell(tuner, initial, fitness, 8);
        opevo_space_decode(space, initial[1].point, parent[0]);
        opevo_space_decode(space, initial[4].point, parent[1]);
        /* Two parents that differ everywhere have 2^3 - 2 new combinations. */
        assert_int_equal(ask(tuner, got, 6), 6);
        for (size_t i = 0; i < 6; i++) {
            if (strcmp(got[i].origin, "child") != 0)
                continue;
            opevo_space_decode(space, got[i].point, child);
            for (size_t k = 0; k < 3; k++)
                assert_true(child[k] == parent[0][k] || child[k] == parent[1][k]);
        }
        opevo_tuner_destroy(tuner);
    }
    opevo_space_destroy(space);
}

/* q = 0 and one parent: no child can be new, so uniform points take their place. */
CHECK_TEST(test_nothing_to_mutate)
{
    opevo_space *space = formula_space(wide);
    opevo_tuner *tuner = tuner_make("opevo", space, "q=0 lambda=1 rho=2", 1);
    const double fitness[2] = {3, 2};
    opevo_proposal got[2];

    assert_int_equal(ask(tuner, got, 2), 1);
    tell(tuner, got, fitness, 1);
    for (int generation = 0; generation < 5; generation++) {
        assert_int_equal(ask(tuner, got, 2), 2);
        assert_string_equal(got[0].origin, "uniform");
        assert_string_equal(got[1].origin, "uniform");
        tell(tuner, got, fitness, 2);
    }
    opevo_tuner_destroy(tuner);
    opevo_space_destroy(space);
}

/* While nothing works, generations of rho random points; children as soon as one does. */
CHECK_TEST(test_starts_over_while_all_fails)
{
    opevo_space *space = formula_space(wide);
    opevo_tuner *tuner = tuner_make("opevo", space, "lambda=4 rho=3", 1);
    const double fitness[4] = {0, 0, 0, 0};
    const double works[3] = {0, 1e-9, 0};
    opevo_proposal got[8];

    assert_int_equal(ask(tuner, got, 8), 4);
    tell(tuner, got, fitness, 4);
    for (int generation = 0; generation < 3; generation++) {
        assert_int_equal(ask(tuner, got, 8), 3);
        assert_string_equal(got[0].origin, "restart");
        tell(tuner, got, generation == 2 ? works : fitness, 3);
    }
    assert_int_equal(ask(tuner, got, 8), 3);
    assert_string_equal(got[0].origin, "child");
    opevo_tuner_destroy(tuner);
    opevo_space_destroy(space);
}
