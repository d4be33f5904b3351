/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A portfolio with its proof, as text and as JSON. */

#include "portfolio_cli_internal.h"
#include "terminal_internal.h"

#include <opevo/json.h>
#include <opevo/memory.h>

#include <math.h>
#include <stdio.h>
#include <unistd.h>

static const char *aim_of(const opevo_i_cli_portfolio *self)
{
    return self->options.worst ? "worst" : self->options.weights ? "weighted mean" : "mean";
}

/* The regret of a workload by the tree; NAN where that was not measured. */
static double regret_by_tree(const opevo_i_cli_portfolio *self, size_t w, size_t *place)
{
    *place = opevo_portfolio_tree_choose(&self->tree, self->numbers + w * self->features);
    return self->regret[w * self->matrix.configurations + self->portfolio.chosen[*place]];
}

/* The mean over the workloads that were measured, its interval, the largest, and how many were not.
 */
typedef struct left_out {
    double mean, worst;
    opevo_interval interval;
    size_t unknown;
} left_out;

static opevo_status sum_up(const double *regret, size_t count, left_out *out, opevo_error *err)
{
    static const opevo_interval range = {0, 1};
    const opevo_bootstrap bootstrap = {2000, 1, 0};
    double *known = opevo_malloc(count, sizeof *known), sum = 0;
    size_t kept = 0;
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(known, "%zu workloads", count);
    *out = (left_out){.worst = NAN};
    for (size_t w = 0; w < count; w++) {
        if (isnan(regret[w]))
            continue;
        known[kept++] = regret[w];
        sum += regret[w];
        out->worst = fmax(out->worst, regret[w]);
    }
    out->unknown = count - kept;
    out->mean = kept ? sum / (double)kept : (double)NAN;
    status = opevo_mean_interval(known, kept, range, &bootstrap, 0.95, true, &out->interval, err);
    opevo_free(known);
    return status;
}

/* ---- Text ----------------------------------------------------------------------------------- */

static bool is_measured(const opevo_i_cli_portfolio *self, size_t w)
{
    bool measured = false;

    for (size_t i = 0; i < self->portfolio.count; i++)
        measured |=
            !isnan(self->regret[w * self->matrix.configurations + self->portfolio.chosen[i]]);
    return measured;
}

static void print_unmeasured(const opevo_i_cli_portfolio *self, opevo_text *out)
{
    const char *before = "none of them was measured for these workloads, which count 1: ";

    for (size_t w = 0; w < self->matrix.workloads; w++) {
        if (is_measured(self, w))
            continue;
        opevo_text_add(out, before);
        opevo_text_add_visible(out, self->names[w]);
        before = ", ";
    }
    opevo_text_add(out, *before == ',' ? "\n" : "");
}

static void print_proof(const opevo_i_cli_portfolio *self, opevo_text *out)
{
    const opevo_portfolio *found = &self->portfolio;
    size_t cells = self->matrix.workloads * self->matrix.configurations;
    size_t most = self->options.most < self->matrix.configurations ? self->options.most
                                                                   : self->matrix.configurations;

    opevo_text_printf(out, "the best %zu by the %s regret: %.6f ", found->count, aim_of(self),
                      found->value);
    if (found->is_exact)
        opevo_text_printf(out, "(exact: no other %zu have less by what was measured)\n", most);
    else
        opevo_text_printf(out,
                          "(no other %zu have less than %.6f by what was measured; --seconds gives "
                          "more time to close the gap)\n",
                          most, found->bound);
    print_unmeasured(self, out);
    if (self->measured < cells)
        opevo_text_printf(out, "whatever the rest is, no %zu configurations have less than %.6f\n",
                          most, found->floor);
}

static void print_head(const opevo_i_cli_portfolio *self, opevo_text *out)
{
    size_t cells = self->matrix.workloads * self->matrix.configurations;

    opevo_text_printf(out, "%zu workload%s, ", self->matrix.workloads,
                      self->matrix.workloads == 1 ? "" : "s");
    opevo_i_cli_text_add_grouped(out, self->matrix.configurations);
    opevo_text_printf(out, " configurations, %.3g %% of their pairs measured\n",
                      100 * (double)self->measured / (double)cells);
    if (self->dropped.length) {
        opevo_text_add(out, "not counted, because nothing succeeded there: ");
        opevo_text_add_visible(out, opevo_text_string(&self->dropped));
        opevo_text_add(out, "\n");
    }
    print_proof(self, out);
}

static void regret_cell(opevo_table *table, double regret)
{
    if (isnan(regret))
        opevo_i_cli_table_cell(table, "not measured");
    else
        opevo_i_cli_table_cell(table, "%.4f", regret);
}

static opevo_status print_workloads(const opevo_i_cli_portfolio *self, opevo_text *out,
                                    opevo_error *err)
{
    static const char *const heads[] = {"<workload",   "regret",   "<configuration", "by the tree",
                                        "<its choice", "left out", "left out, tree"};
    opevo_table table = {.heads = heads, .columns = sizeof heads / sizeof *heads, .compared = true};

    for (size_t w = 0; w < self->matrix.workloads; w++) {
        size_t place = 0;
        double regret = opevo_portfolio_best(&self->matrix, w, self->portfolio.chosen,
                                             self->portfolio.count, &place);

        opevo_i_cli_table_cell(&table, "%s", self->names[w]);
        regret_cell(&table, is_measured(self, w) ? regret : (double)NAN);
        if (is_measured(self, w))
            opevo_i_cli_table_cell(&table, "%zu", place);
        else
            opevo_i_cli_table_cell(&table, "-");
        if (self->has_tree) {
            regret_cell(&table, regret_by_tree(self, w, &place));
            opevo_i_cli_table_cell(&table, "%zu", place);
        } else {
            opevo_i_cli_table_cell(&table, "-");
            opevo_i_cli_table_cell(&table, "-");
        }
        if (self->by_best)
            regret_cell(&table, self->by_best[w]);
        else
            opevo_i_cli_table_cell(&table, "-");
        if (self->by_tree)
            regret_cell(&table, self->by_tree[w]);
        else
            opevo_i_cli_table_cell(&table, "-");
    }
    opevo_text_add(out,
                   "\nregret of each workload (exact), and of each when portfolio and tree are "
                   "made from the others\n");
    return opevo_i_cli_table_print(&table, opevo_i_cli_terminal_width(STDOUT_FILENO), out, err);
}

static opevo_status print_left_out(const opevo_i_cli_portfolio *self, const char *what,
                                   const double *regret, opevo_text *out, opevo_error *err)
{
    left_out sum;
    opevo_status status = sum_up(regret, self->matrix.workloads, &sum, err);

    if (status != OPEVO_OK || isnan(sum.mean))
        return status;
    opevo_text_printf(out, "%s: mean %.4f", what, sum.mean);
    if (isfinite(sum.interval.low))
        opevo_text_printf(out, " (%.4f to %.4f, 95 %%)", sum.interval.low, sum.interval.high);
    opevo_text_printf(out, ", worst %.4f", sum.worst);
    if (sum.unknown)
        opevo_text_printf(out, "; not measured for %zu", sum.unknown);
    opevo_text_add(out, "\n");
    return OPEVO_OK;
}

static void print_node(const opevo_portfolio_tree *tree, size_t number, size_t depth,
                       opevo_text *out)
{
    const opevo_portfolio_node *node = &tree->nodes[number];

    opevo_text_printf(out, "%*s", (int)(2 * depth), "");
    if (!node->low) {
        opevo_text_printf(out, "configuration %zu\n", node->place);
        return;
    }
    opevo_text_printf(out, "number %zu <= %.10g:\n", node->feature + 1, node->threshold);
    print_node(tree, node->low, depth + 1, out);
    opevo_text_printf(out, "%*sotherwise:\n", (int)(2 * depth), "");
    print_node(tree, node->high, depth + 1, out);
}

opevo_status opevo_i_cli_portfolio_print(const opevo_i_cli_portfolio *self, opevo_text *out,
                                         opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    print_head(self, out);
    opevo_text_add(out, "\nconfigurations\n");
    for (size_t i = 0; i < self->portfolio.count; i++) {
        opevo_text_printf(out, "%zu  ", i);
        opevo_text_add_visible(out, self->configurations[self->portfolio.chosen[i]]);
        opevo_text_add(out, "\n");
    }
    OPEVO_TRY(print_workloads(self, out, err));
    opevo_text_add(out, "\n");
    if (self->has_tree) {
        opevo_text_printf(out, "decision tree, %s regret %.6f (%s)\n", aim_of(self),
                          self->tree.value,
                          self->tree.is_exact ? "exact: no tree of its depth has less"
                                              : "given up; others may have less");
        print_node(&self->tree, 0, 0, out);
    } else {
        opevo_text_add(out, "no decision tree: --numbers NAME=N,N,... gives the numbers of a "
                            "workload, as many for each\n");
    }
    if (self->by_best)
        OPEVO_TRY(print_left_out(self, "left out one at a time (estimated), best of the portfolio",
                                 self->by_best, out, err));
    if (self->by_tree)
        OPEVO_TRY(print_left_out(self, "left out one at a time (estimated), choice of the tree",
                                 self->by_tree, out, err));
cleanup:
    return status;
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void add_tree_json(const opevo_portfolio_tree *tree, opevo_text *out)
{
    opevo_json_open(out, "tree", "{");
    opevo_json_double(out, "value", tree->value);
    opevo_json_bool(out, "exact", tree->is_exact);
    opevo_json_open(out, "nodes", "[");
    for (size_t i = 0; i < tree->count; i++) {
        const opevo_portfolio_node *node = &tree->nodes[i];

        opevo_json_open_next(out, " ", "{");
        if (node->low) {
            opevo_json_index(out, "number", node->feature);
            opevo_json_double(out, "threshold", node->threshold);
            opevo_json_index(out, "low", node->low);
            opevo_json_index(out, "high", node->high);
        } else {
            opevo_json_index(out, "configuration", node->place);
        }
        opevo_text_add(out, "}");
    }
    opevo_text_add(out, "]}");
}

static void add_workload_json(const opevo_i_cli_portfolio *self, size_t w, opevo_text *out)
{
    size_t place = 0;
    double regret = opevo_portfolio_best(&self->matrix, w, self->portfolio.chosen,
                                         self->portfolio.count, &place);

    opevo_json_open_next(out, "\n ", "{");
    opevo_json_string(out, "name", self->names[w]);
    opevo_json_double(out, "weight", self->weights[w]);
    opevo_json_double(out, "regret", is_measured(self, w) ? regret : (double)NAN);
    if (is_measured(self, w))
        opevo_json_index(out, "configuration", place);
    if (self->has_tree) {
        opevo_json_double(out, "tree_regret", regret_by_tree(self, w, &place));
        opevo_json_index(out, "tree_configuration", place);
        opevo_json_open(out, "numbers", "[");
        for (size_t f = 0; f < self->features; f++) {
            opevo_json_next(out, " ");
            opevo_text_add_double(out, self->numbers[w * self->features + f]);
        }
        opevo_text_add(out, "]");
    }
    if (self->by_best)
        opevo_json_double(out, "left_out_regret", self->by_best[w]);
    if (self->by_tree)
        opevo_json_double(out, "left_out_tree_regret", self->by_tree[w]);
    opevo_text_add(out, "}");
}

void opevo_i_cli_portfolio_print_json(const opevo_i_cli_portfolio *self, opevo_text *out)
{
    const opevo_portfolio *found = &self->portfolio;

    opevo_text_add(out, "{");
    opevo_json_string(out, "by", aim_of(self));
    opevo_json_index(out, "configurations_measured", self->matrix.configurations);
    opevo_json_open(out, "without_success", "[");
    opevo_text_add(out, opevo_text_string(&self->dropped_json));
    opevo_text_add(out, "]");
    opevo_json_index(out, "cells", self->matrix.workloads * self->matrix.configurations);
    opevo_json_index(out, "cells_measured", self->measured);
    opevo_json_index(out, "most", self->options.most);
    opevo_json_double(out, "value", found->value);
    opevo_json_double(out, "bound", found->bound);
    opevo_json_bool(out, "exact", found->is_exact);
    opevo_json_double(out, "floor", found->floor);
    opevo_json_open(out, "configurations", "[");
    for (size_t i = 0; i < found->count; i++) {
        opevo_json_next(out, "\n ");
        opevo_text_add_json(out, self->configurations[found->chosen[i]]);
    }
    opevo_text_add(out, "]");
    opevo_json_open(out, "workloads", "[");
    for (size_t w = 0; w < self->matrix.workloads; w++)
        add_workload_json(self, w, out);
    opevo_text_add(out, "]");
    if (self->has_tree)
        add_tree_json(&self->tree, out);
    opevo_text_add(out, "}\n");
}
