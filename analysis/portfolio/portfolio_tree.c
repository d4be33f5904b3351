/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Decision trees of a limited depth, the best by trying all: every cut of a set of workloads by one
 * of their numbers, with the best trees on either side. */

#include "portfolio_internal.h"

#include <opevo/clock.h>
#include <opevo/memory.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MOST = 8 };

typedef struct growing {
    const opevo_portfolio_matrix *matrix;
    const opevo_portfolio_options *options;
    const size_t *chosen;
    size_t count;
    const double *numbers;
    size_t features;
    double weight; /* of all workloads */
    opevo_i_portfolio_search clock;
    size_t *room; /* an order of the workloads for each depth and side */
    bool failed;
    opevo_portfolio_tree *out;
} growing;

static double weight_of(const growing *self, size_t w)
{
    return (self->options->weights ? self->options->weights[w] : 1) / self->weight;
}

static double join(const growing *self, double a, double b)
{
    return self->options->worst ? fmax(a, b) : a + b;
}

static double regret_of(const growing *self, size_t w, size_t place)
{
    double own = self->matrix->regret[w * self->matrix->configurations + self->chosen[place]];

    own = isnan(own) ? 1 : own;
    return self->options->worst ? own : weight_of(self, w) * own;
}

/* The best single place for a set of workloads. */
static double make_leaf(const growing *self, const size_t *set, size_t count, size_t *place)
{
    double best = INFINITY;

    for (size_t p = 0; p < self->count; p++) {
        double value = 0;

        for (size_t i = 0; i < count && value < best; i++)
            value = join(self, value, regret_of(self, set[i], p));
        if (value < best - OPEVO_I_PORTFOLIO_CLOSE) {
            best = value;
            *place = p;
        }
    }
    return best;
}

/* No tree has less: each workload with its best place. */
static double least_of(const growing *self, const size_t *set, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++) {
        double best = INFINITY;

        for (size_t p = 0; p < self->count; p++)
            best = fmin(best, regret_of(self, set[i], p));
        sum = join(self, sum, best);
    }
    return sum;
}

static double number_of(const growing *self, size_t w, size_t feature)
{
    return self->numbers[w * self->features + feature];
}

/* By insertion; the sets are small and stay nearly in order. */
static void sort_by(const growing *self, size_t feature, size_t *set, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        size_t held = set[i], k = i;

        for (; k > 0 && number_of(self, set[k - 1], feature) > number_of(self, held, feature); k--)
            set[k] = set[k - 1];
        set[k] = held;
    }
}

typedef struct cut {
    double value;
    bool is_leaf;
    size_t place;   /* of a leaf */
    size_t feature; /* otherwise; the threshold lies halfway */
    double threshold;
} cut;

static cut find_cut(growing *self, const size_t *set, size_t count, size_t depth);

/* Halfway, rounded so that only `below` is at most that. */
static double between(double below, double above)
{
    double half = below / 2 + above / 2;

    return half >= below && half < above ? half : below;
}

/* All cuts by one number. */
static void try_feature(growing *self, size_t feature, size_t *set, size_t count, size_t depth,
                        double least, cut *best)
{
    sort_by(self, feature, set, count);
    for (size_t i = 1; i < count && best->value > least + OPEVO_I_PORTFOLIO_CLOSE; i++) {
        double below = number_of(self, set[i - 1], feature);
        double above = number_of(self, set[i], feature);
        double value = 0;

        if (below == above || opevo_i_portfolio_is_over(&self->clock))
            continue;
        value = find_cut(self, set, i, depth - 1).value;
        if (join(self, value, least_of(self, set + i, count - i)) >= best->value)
            continue;
        value = join(self, value, find_cut(self, set + i, count - i, depth - 1).value);
        if (value < best->value - OPEVO_I_PORTFOLIO_CLOSE)
            *best = (cut){.value = value, .feature = feature, .threshold = between(below, above)};
    }
}

/* The root of the best tree of a depth. */
static cut find_cut(growing *self, const size_t *set, size_t count, size_t depth)
{
    size_t *own = self->room + depth * self->matrix->workloads;
    double least = least_of(self, set, count);
    cut best = {.is_leaf = true};

    best.value = make_leaf(self, set, count, &best.place);
    if (depth == 0 || best.value <= least + OPEVO_I_PORTFOLIO_CLOSE)
        return best;
    for (size_t f = 0; f < self->features; f++) {
        memcpy(own, set, count * sizeof *own);
        try_feature(self, f, own, count, depth, least, &best);
    }
    return best;
}

/* The workloads of a set on one side of a cut, at `to`. */
static size_t part(const growing *self, const size_t *set, size_t count, const cut *by, bool low,
                   size_t *to)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        if ((number_of(self, set[i], by->feature) <= by->threshold) == low)
            to[kept++] = set[i];
    }
    return kept;
}

/* The best tree of a set as nodes; the number of its root. */
static size_t grow(growing *self, const size_t *set, size_t count, size_t depth, double *value)
{
    opevo_portfolio_tree *out = self->out;
    cut best = find_cut(self, set, count, depth);
    size_t *side = opevo_malloc(count, sizeof *side), number = out->count;
    double values[2] = {best.value, 0};

    if (!side || self->failed) {
        self->failed = true;
        opevo_free(side);
        return 0;
    }
    out->nodes[out->count++] = (opevo_portfolio_node){.place = best.place};
    *value = best.value;
    if (!best.is_leaf) {
        size_t low =
            grow(self, side, part(self, set, count, &best, true, side), depth - 1, &values[0]);
        size_t high =
            grow(self, side, part(self, set, count, &best, false, side), depth - 1, &values[1]);

        out->nodes[number] = (opevo_portfolio_node){
            .feature = best.feature, .low = low, .high = high, .threshold = best.threshold};
        *value = join(self, values[0], values[1]);
    }
    opevo_free(side);
    return number;
}

static opevo_status check(const opevo_portfolio_matrix *matrix, const double *numbers,
                          size_t features, size_t depth, opevo_error *err)
{
    if (depth > DEPTH_MOST)
        return OPEVO_FAIL(err, OPEVO_INVALID, "A decision tree has a depth of at most %d.",
                          DEPTH_MOST);
    for (size_t i = 0; i < matrix->workloads * features; i++) {
        if (!isfinite(numbers[i]))
            return OPEVO_FAIL(err, OPEVO_INVALID, "A number of a workload is not finite.");
    }
    return OPEVO_OK;
}

opevo_status opevo_portfolio_tree_make(const opevo_portfolio_matrix *matrix,
                                       const opevo_portfolio_options *options, const size_t *chosen,
                                       size_t count, const double *numbers, size_t features,
                                       size_t depth, opevo_portfolio_tree *out, opevo_error *err)
{
    growing self = {.matrix = matrix,
                    .options = options,
                    .chosen = chosen,
                    .count = count,
                    .numbers = numbers,
                    .features = features,
                    .clock = {.interrupt = options->interrupt, .until_s = INFINITY},
                    .out = out};
    size_t *all = opevo_malloc(matrix->workloads, sizeof *all);
    opevo_status status = check(matrix, numbers, features, depth, err);

    *out = (opevo_portfolio_tree){.nodes = NULL};
    OPEVO_TRY(status);
    self.room = opevo_malloc(depth + 1, matrix->workloads * sizeof *self.room);
    out->nodes = opevo_calloc((size_t)2 << depth, sizeof *out->nodes);
    OPEVO_NEED(all && self.room && out->nodes, "a decision tree");
    for (size_t w = 0; w < matrix->workloads; w++) {
        all[w] = w;
        self.weight += options->weights ? options->weights[w] : 1;
    }
    if (options->seconds > 0)
        self.clock.until_s = opevo_clock_monotonic_s() + options->seconds;
    grow(&self, all, matrix->workloads, depth, &out->value);
    out->is_exact = !self.clock.is_over;
    if (self.failed)
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a decision tree.");
cleanup:
    opevo_free(all);
    opevo_free(self.room);
    return status;
}

void opevo_portfolio_tree_free(opevo_portfolio_tree *tree)
{
    opevo_free(tree->nodes);
    *tree = (opevo_portfolio_tree){.nodes = NULL};
}

size_t opevo_portfolio_tree_choose(const opevo_portfolio_tree *tree, const double *numbers)
{
    size_t at = 0;

    while (tree->nodes[at].low)
        at = numbers[tree->nodes[at].feature] <= tree->nodes[at].threshold ? tree->nodes[at].low
                                                                           : tree->nodes[at].high;
    return tree->nodes[at].place;
}

/* ---- Leaving out ---------------------------------------------------------------------------- */

/* The matrix, weights and numbers without one workload. */
typedef struct others {
    opevo_portfolio_matrix matrix;
    opevo_portfolio_options options;
    double *regret, *weights, *numbers;
} others;

static bool make_room(const opevo_portfolio_matrix *matrix, size_t features, others *out)
{
    out->regret = opevo_malloc(matrix->workloads, matrix->configurations * sizeof(double));
    out->weights = opevo_malloc(matrix->workloads, sizeof(double));
    out->numbers = opevo_malloc(matrix->workloads, features * sizeof(double));
    return out->regret && out->weights && out->numbers;
}

static void leave(const opevo_portfolio_matrix *matrix, const opevo_portfolio_options *options,
                  const double *numbers, size_t features, size_t left, others *out)
{
    size_t width = matrix->configurations, kept = 0;
    double weights = 0;

    for (size_t w = 0; w < matrix->workloads; w++) {
        if (w == left)
            continue;
        memcpy(out->regret + kept * width, matrix->regret + w * width, width * sizeof(double));
        if (numbers)
            memcpy(out->numbers + kept * features, numbers + w * features,
                   features * sizeof(double));
        weights += out->weights[kept++] = options->weights ? options->weights[w] : 1;
    }
    out->matrix = (opevo_portfolio_matrix){out->regret, kept, width};
    out->options = *options;
    out->options.weights = weights > 0 ? out->weights : NULL;
}

static opevo_status try_left(const opevo_portfolio_matrix *matrix, const others *rest,
                             const double *numbers, size_t features, size_t depth, size_t left,
                             double *by_best, double *by_tree, opevo_error *err)
{
    opevo_portfolio portfolio = {.chosen = NULL};
    opevo_portfolio_tree tree = {.nodes = NULL};
    opevo_status status = opevo_portfolio_find(&rest->matrix, &rest->options, &portfolio, err);
    size_t which = 0;
    const double *own = matrix->regret + left * matrix->configurations;

    OPEVO_TRY(status);
    *by_best = opevo_portfolio_best(matrix, left, portfolio.chosen, portfolio.count, &which);
    if (isnan(own[portfolio.chosen[which]]))
        *by_best = NAN;
    if (by_tree) {
        OPEVO_TRY(opevo_portfolio_tree_make(&rest->matrix, &rest->options, portfolio.chosen,
                                            portfolio.count, rest->numbers, features, depth, &tree,
                                            err));
        which = opevo_portfolio_tree_choose(&tree, numbers + left * features);
        *by_tree = own[portfolio.chosen[which]];
    }
cleanup:
    opevo_portfolio_free(&portfolio);
    opevo_portfolio_tree_free(&tree);
    return status;
}

opevo_status opevo_portfolio_leave_out(const opevo_portfolio_matrix *matrix,
                                       const opevo_portfolio_options *options,
                                       const double *numbers, size_t features, size_t depth,
                                       double *by_best, double *by_tree, opevo_error *err)
{
    others rest = {.regret = NULL};
    opevo_status status = OPEVO_OK;

    if (matrix->workloads < 2)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Nothing is left of fewer than two workloads.");
    OPEVO_NEED(make_room(matrix, features, &rest), "%zu workloads", matrix->workloads);
    for (size_t w = 0; w < matrix->workloads; w++) {
        leave(matrix, options, numbers, features, w, &rest);
        rest.options.seconds = options->seconds / (double)matrix->workloads;
        OPEVO_TRY(try_left(matrix, &rest, numbers, features, depth, w, &by_best[w],
                           by_tree && numbers ? &by_tree[w] : NULL, err));
    }
cleanup:
    opevo_free(rest.regret);
    opevo_free(rest.weights);
    opevo_free(rest.numbers);
    return status;
}
