/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Portfolios: from a matrix with gaps to two searches without, and what follows from the choice. */

#include "portfolio_internal.h"

#include <opevo/clock.h>
#include <opevo/memory.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Regret --------------------------------------------------------------------------------- */

opevo_status opevo_portfolio_regret(const double *fitness, size_t workloads, size_t configurations,
                                    double **out, opevo_error *err)
{
    double *regret = opevo_malloc(workloads, configurations * sizeof *regret);

    OPEVO_NEED_OR_RETURN(regret, "%zu configurations", configurations);
    for (size_t w = 0; w < workloads; w++) {
        const double *own = fitness + w * configurations;
        double best = 0;

        for (size_t c = 0; c < configurations; c++) {
            if (own[c] < 0 || isinf(own[c])) {
                opevo_free(regret);
                return OPEVO_FAIL(err, OPEVO_INVALID, "A fitness is negative or infinite.");
            }
            best = fmax(best, own[c]);
        }
        for (size_t c = 0; c < configurations; c++)
            regret[w * configurations + c] = best > 0 ? 1 - own[c] / best : 0; /* NAN as well */
    }
    *out = regret;
    return OPEVO_OK;
}

double opevo_portfolio_best(const opevo_portfolio_matrix *matrix, size_t workload,
                            const size_t *chosen, size_t count, size_t *which)
{
    double best = INFINITY;

    *which = 0;
    for (size_t i = 0; i < count; i++) {
        double own = matrix->regret[workload * matrix->configurations + chosen[i]];

        if (own < best) { /* false for NAN */
            best = own;
            *which = i;
        }
    }
    return isinf(best) ? 1 : best;
}

double opevo_portfolio_sum(const opevo_portfolio_options *options, const double *regret,
                           size_t workloads)
{
    double sum = 0, weights = 0, worst = 0;

    for (size_t w = 0; w < workloads; w++) {
        double weight = options->weights ? options->weights[w] : 1;

        worst = fmax(worst, regret[w]);
        sum += weight * regret[w];
        weights += weight;
    }
    return options->worst ? worst : sum / weights;
}

/* ---- The search ----------------------------------------------------------------------------- */

static opevo_status check_options(const opevo_portfolio_matrix *matrix,
                                  const opevo_portfolio_options *options, opevo_error *err)
{
    double sum = options->weights ? 0 : 1;
    bool good = options->most > 0 && options->seconds >= 0;

    for (size_t w = 0; options->weights && w < matrix->workloads; w++) {
        good = good && options->weights[w] >= 0 && isfinite(options->weights[w]);
        sum += options->weights[w];
    }
    if (matrix->workloads == 0 || matrix->configurations == 0)
        return OPEVO_FAIL(err, OPEVO_INVALID, "A portfolio needs a workload and a configuration.");
    return good && sum > 0 ? OPEVO_OK
                           : OPEVO_FAIL(err, OPEVO_INVALID,
                                        "An option of the portfolio lies outside its domain.");
}

/* The value of what is chosen, with one column more. */
static double value_with(const opevo_i_portfolio_search *self, bool worst, const double *regret,
                         size_t column)
{
    double sum = 0, most = 0;

    for (size_t w = 0; w < self->workloads; w++) {
        double own = fmin(regret[w], self->regret[w * self->columns + column]);

        sum += self->weights[w] * own;
        most = fmax(most, own);
    }
    /* Among equal worst cases the mean decides, so that one bad workload does not hide the others.
     */
    return worst ? most + OPEVO_I_PORTFOLIO_CLOSE * sum : sum;
}

static bool is_chosen(const opevo_i_portfolio_search *self, size_t column)
{
    size_t at = 0;

    while (at < self->count && self->chosen[at] != column)
        at++;
    return at < self->count;
}

/* One column after the other, each the best to add; a place to start from. */
static void choose_greedily(opevo_i_portfolio_search *self, bool worst, double *regret)
{
    for (size_t w = 0; w < self->workloads; w++)
        regret[w] = 1;
    for (self->count = 0; self->count < self->most && self->count < self->columns; self->count++) {
        double least = INFINITY;
        size_t best = 0;

        for (size_t c = 0; c < self->columns; c++) {
            double value = value_with(self, worst, regret, c);

            if (value < least && !is_chosen(self, c)) {
                least = value;
                best = c;
            }
        }
        for (size_t w = 0; w < self->workloads; w++)
            regret[w] = fmin(regret[w], self->regret[w * self->columns + best]);
        self->chosen[self->count] = best;
    }
    self->value = 0;
    for (size_t w = 0; w < self->workloads; w++)
        self->value =
            worst ? fmax(self->value, regret[w]) : self->value + self->weights[w] * regret[w];
}

/* Search the matrix with `gap` in place of what was not measured. */
static opevo_status search(opevo_i_portfolio_search *self, const opevo_portfolio_matrix *matrix,
                           const opevo_portfolio_options *options, double gap, opevo_error *err)
{
    size_t cells = matrix->workloads * matrix->configurations;
    double *filled = opevo_malloc(cells, sizeof *filled);
    double *regret = opevo_malloc(matrix->workloads, sizeof *regret);
    opevo_status status = OPEVO_OK;

    OPEVO_NEED(filled && regret, "%zu configurations", matrix->configurations);
    for (size_t i = 0; i < cells; i++)
        filled[i] = isnan(matrix->regret[i]) ? gap : matrix->regret[i];
    self->regret = filled;
    self->is_over = false;
    self->steps = 0;
    self->until_s =
        self->seconds > 0 ? opevo_clock_monotonic_s() + self->seconds : (double)INFINITY;
    choose_greedily(self, options->worst, regret);
    status =
        options->worst ? opevo_i_portfolio_worst(self, err) : opevo_i_portfolio_mean(self, err);
    self->regret = NULL;
cleanup:
    opevo_free(filled);
    opevo_free(regret);
    return status;
}

static int ascending(const void *a, const void *b)
{
    const size_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static bool has_gap(const opevo_portfolio_matrix *matrix)
{
    for (size_t i = 0; i < matrix->workloads * matrix->configurations; i++) {
        if (isnan(matrix->regret[i]))
            return true;
    }
    return false;
}

/* What a search has chosen, ascending. */
static opevo_status copy_chosen(const opevo_i_portfolio_search *self, size_t **out, size_t *count,
                                opevo_error *err)
{
    size_t *chosen = opevo_malloc(self->count + 1, sizeof *chosen);

    OPEVO_NEED_OR_RETURN(chosen, "a portfolio");
    memcpy(chosen, self->chosen, self->count * sizeof *chosen);
    qsort(chosen, self->count, sizeof *chosen, ascending);
    *out = chosen;
    *count = self->count;
    return OPEVO_OK;
}

/* Shares of the weights. */
static double *share_weights(const opevo_portfolio_matrix *matrix,
                             const opevo_portfolio_options *options)
{
    double *weights = opevo_malloc(matrix->workloads, sizeof *weights), sum = 0;

    for (size_t w = 0; weights && w < matrix->workloads; w++)
        sum += weights[w] = options->weights ? options->weights[w] : 1;
    for (size_t w = 0; weights && w < matrix->workloads; w++)
        weights[w] /= sum;
    return weights;
}

opevo_status opevo_portfolio_find(const opevo_portfolio_matrix *matrix,
                                  const opevo_portfolio_options *options, opevo_portfolio *out,
                                  opevo_error *err)
{
    opevo_i_portfolio_search self = {.workloads = matrix->workloads,
                                     .columns = matrix->configurations,
                                     .most = options->most,
                                     .steps_most = options->steps,
                                     .interrupt = options->interrupt};
    double *weights = NULL;
    opevo_status status = check_options(matrix, options, err);

    *out = (opevo_portfolio){.chosen = NULL};
    OPEVO_TRY(status);
    self.most = self.most < self.columns ? self.most : self.columns;
    weights = share_weights(matrix, options);
    self.weights = weights;
    self.chosen = opevo_malloc(self.most, sizeof *self.chosen);
    OPEVO_NEED(weights && self.chosen, "a portfolio");
    self.seconds = has_gap(matrix) ? options->seconds / 2 : options->seconds;
    out->floor = INFINITY;
    if (has_gap(matrix)) {
        OPEVO_TRY(search(&self, matrix, options, 0, err));
        out->floor = self.bound;
        OPEVO_TRY(copy_chosen(&self, &out->hopeful, &out->hopeful_count, err));
    }
    OPEVO_TRY(search(&self, matrix, options, 1, err));
    out->floor = fmin(out->floor, self.bound);
    OPEVO_TRY(copy_chosen(&self, &out->chosen, &out->count, err));
    if (!out->hopeful)
        OPEVO_TRY(copy_chosen(&self, &out->hopeful, &out->hopeful_count, err));
    out->value = fmax(0, self.value);
    out->bound = self.bound;
    out->is_exact = self.value - self.bound <= OPEVO_I_PORTFOLIO_CLOSE;
cleanup:
    opevo_free(weights);
    opevo_free(self.chosen);
    if (status != OPEVO_OK)
        opevo_portfolio_free(out);
    return status;
}

void opevo_portfolio_free(opevo_portfolio *portfolio)
{
    opevo_free(portfolio->chosen);
    opevo_free(portfolio->hopeful);
    *portfolio = (opevo_portfolio){.chosen = NULL};
}
