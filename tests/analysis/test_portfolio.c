/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Portfolios against all subsets, decision trees against all trees, on small matrices with and
 * without gaps; the bounds of searches that are cut off; what is left out. */

#include "check.h"

#include <opevo/memory.h>
#include <opevo/portfolio.h>
#include <opevo/random.h>

#include <float.h>
#include <math.h>
#include <string.h>

enum { MATRICES = 200, WORKLOADS = 7, COLUMNS = 10, FEATURES = 2 };

typedef struct problem {
    double fitness[WORKLOADS * COLUMNS], weights[WORKLOADS], numbers[WORKLOADS * FEATURES];
    double *regret;
    opevo_portfolio_matrix matrix;
    opevo_portfolio_options options;
    bool has_gaps;
} problem;

/* Every third matrix has gaps, every fourth few values, so that many are equal. */
static void make_problem(problem *self, uint64_t number)
{
    size_t workloads = 2 + number % (WORKLOADS - 1), columns = 2 + number / 3 % (COLUMNS - 1);
    opevo_rng rng;

    opevo_rng_init(&rng, 17, "portfolio", number);
    *self = (problem){.has_gaps = number % 3 == 0};
    for (size_t i = 0; i < workloads * columns; i++) {
        double u = opevo_rng_unit(&rng);

        self->fitness[i] = number % 4 ? 100 * u : floor(4 * u);
        if (opevo_rng_below(&rng, 8) == 0)
            self->fitness[i] = 0;
        if (self->has_gaps && opevo_rng_below(&rng, 4) == 0)
            self->fitness[i] = NAN;
    }
    for (size_t w = 0; w < workloads; w++) {
        self->weights[w] = (double)opevo_rng_below(&rng, 4) + (w == 0);
        for (size_t f = 0; f < FEATURES; f++)
            self->numbers[w * FEATURES + f] = (double)opevo_rng_below(&rng, 5);
    }
    CHECK_OK(opevo_portfolio_regret(self->fitness, workloads, columns, &self->regret, &err));
    self->matrix = (opevo_portfolio_matrix){self->regret, workloads, columns};
    self->options = (opevo_portfolio_options){
        .most = 1 + number % 4, .worst = number % 2, .weights = number % 5 ? NULL : self->weights};
}

/* The regret of a set of columns, given as bits, with `gap` for what was not measured. */
static double value_of(const problem *self, unsigned columns, double gap)
{
    double regret[WORKLOADS];

    for (size_t w = 0; w < self->matrix.workloads; w++) {
        regret[w] = 1;
        for (size_t c = 0; c < self->matrix.configurations; c++) {
            double own = self->regret[w * self->matrix.configurations + c];

            if (columns >> c & 1)
                regret[w] = fmin(regret[w], isnan(own) ? gap : own);
        }
    }
    return opevo_portfolio_sum(&self->options, regret, self->matrix.workloads);
}

/* Over all sets of at most so many columns. */
static double best_by_force(const problem *self, double gap)
{
    double best = 1;

    for (unsigned columns = 1; columns < 1u << self->matrix.configurations; columns++) {
        if ((size_t)__builtin_popcount(columns) <= self->options.most)
            best = fmin(best, value_of(self, columns, gap));
    }
    return best;
}

CHECK_TEST(test_regret_of_fitness)
{
    static const double fitness[] = {1, 4, 0, NAN, 0, 0, NAN, 0};
    static const double wanted[] = {0.75, 0, 1, NAN, 0, 0, 0, 0}, bad[] = {1, -1};
    double *regret = NULL;

    CHECK_OK(opevo_portfolio_regret(fitness, 2, 4, &regret, &err));
    for (size_t i = 0; i < 8; i++)
        assert_true(isnan(wanted[i]) ? isnan(regret[i]) : regret[i] == wanted[i]);
    opevo_free(regret);
    CHECK_FAILS(OPEVO_INVALID, "negative", opevo_portfolio_regret(bad, 1, 2, &regret, &err));
}

/* The value is that of the chosen ones and the least of all sets; so is the floor if what was not
 * measured were as good as can be. Without gaps both are one. */
CHECK_TEST(test_all_subsets)
{
    for (uint64_t number = 0; number < 2 * MATRICES; number++) {
        problem self;
        opevo_portfolio portfolio;
        unsigned columns = 0;

        make_problem(&self, number);
        CHECK_OK(opevo_portfolio_find(&self.matrix, &self.options, &portfolio, &err));
        assert_true(portfolio.is_exact && portfolio.count <= self.options.most);
        for (size_t i = 0; i < portfolio.count; i++) {
            assert_true(i == 0 || portfolio.chosen[i] > portfolio.chosen[i - 1]);
            columns |= 1u << portfolio.chosen[i];
        }
        CHECK_CLOSE(portfolio.value, best_by_force(&self, 1), 1e-11);
        CHECK_CLOSE(value_of(&self, columns, 1), portfolio.value, 1e-11);
        CHECK_CLOSE(portfolio.bound, portfolio.value, 1e-11);
        CHECK_CLOSE(portfolio.floor, fmin(best_by_force(&self, 0), portfolio.bound), 1e-11);
        columns = 0;
        for (size_t i = 0; i < portfolio.hopeful_count; i++)
            columns |= 1u << portfolio.hopeful[i];
        assert_true(portfolio.hopeful_count <= self.options.most);
        CHECK_CLOSE(value_of(&self, columns, 0), portfolio.floor, 1e-11);
        assert_true(self.has_gaps || portfolio.floor == portfolio.bound);
        opevo_portfolio_free(&portfolio);
        opevo_free(self.regret);
    }
}

/* The mean of more workloads than have their subsets counted: the same by branch and bound, and
 * bounds where it is cut off. */
CHECK_TEST(test_many_workloads)
{
    enum { MANY = 24 };
    opevo_interrupt interrupt = {0};
    double sum = 0, sum_of_bounds = 0;

    opevo_interrupt_raise(&interrupt);
    for (uint64_t number = 0; number < 60; number++) {
        double regret[MANY * COLUMNS], best = 1;
        size_t workloads = 14 + number % (MANY - 13), most = 1 + number % 5;
        opevo_portfolio_matrix matrix = {regret, workloads, COLUMNS};
        opevo_portfolio_options options = {.most = most};
        opevo_portfolio portfolio;
        opevo_rng rng;

        opevo_rng_init(&rng, 19, "portfolio", number);
        for (size_t i = 0; i < workloads * COLUMNS; i++)
            regret[i] = number % 3 ? opevo_rng_unit(&rng) : floor(4 * opevo_rng_unit(&rng)) / 4;
        for (unsigned columns = 1; columns < 1u << COLUMNS; columns++) {
            double mean = 0;

            for (size_t w = 0; w < workloads; w++) {
                double least = 1;

                for (size_t c = 0; c < COLUMNS; c++)
                    least = columns >> c & 1 ? fmin(least, regret[w * COLUMNS + c]) : least;
                mean += least / (double)workloads;
            }
            if ((size_t)__builtin_popcount(columns) <= most)
                best = fmin(best, mean);
        }
        CHECK_OK(opevo_portfolio_find(&matrix, &options, &portfolio, &err));
        assert_true(portfolio.is_exact);
        CHECK_CLOSE(portfolio.value, best, 1e-11);
        opevo_portfolio_free(&portfolio);
        options.steps = 500; /* prices, and few branches */
        CHECK_OK(opevo_portfolio_find(&matrix, &options, &portfolio, &err));
        assert_true(portfolio.bound <= best + 1e-11 && portfolio.value >= best - 1e-11);
        sum += best;
        sum_of_bounds += portfolio.bound;
        opevo_portfolio_free(&portfolio);
        options.interrupt = &interrupt;
        CHECK_OK(opevo_portfolio_find(&matrix, &options, &portfolio, &err));
        assert_true(portfolio.bound <= best + 1e-11);
        opevo_portfolio_free(&portfolio);
    }
    assert_true(sum_of_bounds > 0.97 * sum);
}

/* Whatever gaps turn out to be, no choice is better than the floor. */
CHECK_TEST(test_gaps_are_bounds)
{
    for (uint64_t number = 0; number < 120; number += 3) {
        problem self;
        opevo_portfolio portfolio;
        opevo_rng rng;

        make_problem(&self, number);
        opevo_rng_init(&rng, 18, "portfolio", number);
        CHECK_OK(opevo_portfolio_find(&self.matrix, &self.options, &portfolio, &err));
        for (size_t i = 0; i < self.matrix.workloads * self.matrix.configurations; i++) {
            if (isnan(self.regret[i]))
                self.regret[i] = opevo_rng_unit(&rng);
        }
        assert_true(best_by_force(&self, 1) >= portfolio.floor - 1e-11);
        assert_true(best_by_force(&self, 1) <= portfolio.value + 1e-11);
        opevo_portfolio_free(&portfolio);
        opevo_free(self.regret);
    }
}

/* Cut off at once, by an interrupt or after a step, the bounds are still bounds, and the value that
 * of the chosen ones. */
CHECK_TEST(test_cut_off)
{
    opevo_interrupt interrupt = {0};
    size_t open = 0;

    opevo_interrupt_raise(&interrupt);
    for (uint64_t number = 0; number < MATRICES; number++) {
        problem self;
        opevo_portfolio portfolio;
        unsigned columns = 0;
        double best = 0;

        make_problem(&self, number);
        if (number % 2)
            self.options.interrupt = &interrupt;
        else
            self.options.steps = 1;
        best = best_by_force(&self, 1);
        CHECK_OK(opevo_portfolio_find(&self.matrix, &self.options, &portfolio, &err));
        for (size_t i = 0; i < portfolio.count; i++)
            columns |= 1u << portfolio.chosen[i];
        CHECK_CLOSE(value_of(&self, columns, 1), portfolio.value, 1e-11);
        assert_true(portfolio.bound <= best + 1e-11 && portfolio.value >= best - 1e-11);
        assert_true(portfolio.floor <= portfolio.bound);
        open += !portfolio.is_exact;
        opevo_portfolio_free(&portfolio);
        opevo_free(self.regret);
    }
    assert_true(open > MATRICES / 4);
}

/* ---- Trees ---- */

static double join(const problem *self, double a, double b)
{
    return self->options.worst ? fmax(a, b) : a + b;
}

/* The least regret, not yet divided by the weights, of trees on the workloads of `set`. */
static double tree_by_force(const problem *self, const size_t *chosen, size_t count, unsigned set,
                            size_t depth)
{
    size_t workloads = self->matrix.workloads;
    double best = INFINITY;

    for (size_t p = 0; p < count; p++) {
        double value = 0;

        for (size_t w = 0; w < workloads; w++) {
            double own = self->regret[w * self->matrix.configurations + chosen[p]];
            double weight = self->options.weights ? self->options.weights[w] : 1;

            own = isnan(own) ? 1 : own;
            if (set >> w & 1)
                value = join(self, value, self->options.worst ? own : weight * own);
        }
        best = fmin(best, value);
    }
    for (size_t f = 0; f < FEATURES && depth; f++) {
        for (int t = 0; t < 5; t++) {
            unsigned low = 0;

            for (size_t w = 0; w < workloads; w++)
                low |= (unsigned)(self->numbers[w * FEATURES + f] <= t) << w;
            if ((set & low) && (set & ~low))
                best =
                    fmin(best, join(self, tree_by_force(self, chosen, count, set & low, depth - 1),
                                    tree_by_force(self, chosen, count, set & ~low, depth - 1)));
        }
    }
    return best;
}

CHECK_TEST(test_all_trees)
{
    for (uint64_t number = 0; number < MATRICES; number++) {
        problem self;
        opevo_portfolio portfolio;
        opevo_portfolio_tree tree;
        double regret[WORKLOADS], weights = 0, wanted = 0;
        size_t depth = number % 3;

        make_problem(&self, number);
        CHECK_OK(opevo_portfolio_find(&self.matrix, &self.options, &portfolio, &err));
        CHECK_OK(opevo_portfolio_tree_make(&self.matrix, &self.options, portfolio.chosen,
                                           portfolio.count, self.numbers, FEATURES, depth, &tree,
                                           &err));
        for (size_t w = 0; w < self.matrix.workloads; w++) {
            size_t place = opevo_portfolio_tree_choose(&tree, self.numbers + w * FEATURES);
            double own = self.regret[w * self.matrix.configurations + portfolio.chosen[place]];

            regret[w] = isnan(own) ? 1 : own;
            weights += self.options.weights ? self.options.weights[w] : 1;
        }
        wanted = tree_by_force(&self, portfolio.chosen, portfolio.count,
                               (1u << self.matrix.workloads) - 1, depth) /
                 (self.options.worst ? 1 : weights);
        assert_true(tree.is_exact && tree.count < (size_t)2 << depth);
        CHECK_CLOSE(tree.value, wanted, 1e-11);
        CHECK_CLOSE(opevo_portfolio_sum(&self.options, regret, self.matrix.workloads), wanted,
                    1e-11);
        assert_true(tree.value >= portfolio.value - 1e-11);
        opevo_portfolio_tree_free(&tree);
        opevo_portfolio_free(&portfolio);
        opevo_free(self.regret);
    }
}

/* Numbers between which no other lies, and numbers whose difference overflows, are told apart as
 * well. */
CHECK_TEST(test_close_and_far_numbers)
{
    static const double regret[] = {0, 1, 1, 0};
    static const size_t chosen[] = {0, 1};
    const double pairs[][2] = {{1 + DBL_EPSILON, 1 + 2 * DBL_EPSILON},
                               {-DBL_MAX, DBL_MAX},
                               {0, DBL_TRUE_MIN},
                               {DBL_MAX / 2, DBL_MAX}};
    opevo_portfolio_matrix matrix = {regret, 2, 2};
    opevo_portfolio_options options = {.most = 2, .worst = true};

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        opevo_portfolio_tree tree;

        CHECK_OK(
            opevo_portfolio_tree_make(&matrix, &options, chosen, 2, pairs[i], 1, 1, &tree, &err));
        assert_true(tree.value == 0);
        assert_true(opevo_portfolio_tree_choose(&tree, &pairs[i][0]) == 0);
        assert_true(opevo_portfolio_tree_choose(&tree, &pairs[i][1]) == 1);
        opevo_portfolio_tree_free(&tree);
    }
}

/* ---- Leaving out ---- */

/* By making portfolio and tree of the others by hand: columns and rows of the matrix, shortened. */
CHECK_TEST(test_leave_out)
{
    for (uint64_t number = 0; number < 60; number++) {
        problem self;
        double by_best[WORKLOADS], by_tree[WORKLOADS];

        make_problem(&self, number);
        self.options.weights = NULL;
        CHECK_OK(opevo_portfolio_leave_out(&self.matrix, &self.options, self.numbers, FEATURES, 1,
                                           by_best, by_tree, &err));
        for (size_t left = 0; left < self.matrix.workloads; left++) {
            size_t width = self.matrix.configurations, rows = self.matrix.workloads - 1, which = 0;
            double regret[WORKLOADS * COLUMNS], numbers[WORKLOADS * FEATURES], own = 0;
            opevo_portfolio_matrix others = {regret, rows, width};
            opevo_portfolio portfolio;
            opevo_portfolio_tree tree;

            for (size_t w = 0; w < rows; w++) {
                size_t from = w + (w >= left);

                memcpy(regret + w * width, self.regret + from * width, width * sizeof *regret);
                memcpy(numbers + w * FEATURES, self.numbers + from * FEATURES, sizeof(double[2]));
            }
            CHECK_OK(opevo_portfolio_find(&others, &self.options, &portfolio, &err));
            CHECK_OK(opevo_portfolio_tree_make(&others, &self.options, portfolio.chosen,
                                               portfolio.count, numbers, FEATURES, 1, &tree, &err));
            own =
                opevo_portfolio_best(&self.matrix, left, portfolio.chosen, portfolio.count, &which);
            assert_true(by_best[left] == own ||
                        isnan(self.regret[left * width + portfolio.chosen[which]]));
            own = self.regret[left * width + portfolio.chosen[opevo_portfolio_tree_choose(
                                                 &tree, self.numbers + left * FEATURES)]];
            assert_true(isnan(own) ? isnan(by_tree[left]) : by_tree[left] == own);
            opevo_portfolio_free(&portfolio);
            opevo_portfolio_tree_free(&tree);
        }
        opevo_free(self.regret);
    }
}

CHECK_TEST(test_bad_input)
{
    static const double regret[] = {0, 0.5}, zero[] = {0}, infinite[] = {INFINITY};
    static const size_t chosen[] = {0};
    opevo_portfolio_matrix matrix = {regret, 1, 2}, none = {regret, 0, 2};
    opevo_portfolio_options options = {.most = 0};
    opevo_portfolio portfolio;
    opevo_portfolio_tree tree;
    double by_best[1];

    CHECK_FAILS(OPEVO_INVALID, "outside its domain",
                opevo_portfolio_find(&matrix, &options, &portfolio, &err));
    options = (opevo_portfolio_options){.most = 1, .weights = zero};
    CHECK_FAILS(OPEVO_INVALID, "outside its domain",
                opevo_portfolio_find(&matrix, &options, &portfolio, &err));
    options.weights = NULL;
    CHECK_FAILS(OPEVO_INVALID, "needs a workload",
                opevo_portfolio_find(&none, &options, &portfolio, &err));
    CHECK_FAILS(OPEVO_INVALID, "at most 8",
                opevo_portfolio_tree_make(&matrix, &options, chosen, 1, zero, 1, 9, &tree, &err));
    CHECK_FAILS(
        OPEVO_INVALID, "not finite",
        opevo_portfolio_tree_make(&matrix, &options, chosen, 1, infinite, 1, 1, &tree, &err));
    CHECK_FAILS(OPEVO_INVALID, "Nothing is left",
                opevo_portfolio_leave_out(&matrix, &options, NULL, 0, 0, by_best, NULL, &err));
}
