/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The analysis of a landscape as a page for a person. */

#include "landscape_internal.h"
#include "terminal_internal.h"

#include <opevo/space.h>
#include <opevo/unit.h>

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { SHOWN_OPTIMA = 10, SHOWN_SHELLS = 12 };

static const char *node_meaning(opevo_nodes nodes)
{
    static const char *const meanings[] = {
        "successful points", "allowed points, failures with fitness 0",
        "all points, failures and forbidden ones with fitness 0"};

    return meanings[nodes];
}

static void add_count(opevo_text *out, const char *before, opevo_index count, const char *after)
{
    opevo_text_add(out, before);
    opevo_i_cli_text_add_grouped(out, count);
    opevo_text_add(out, after);
}

static void print_graph(const opevo_i_cli_landscape_analysis *self,
                        const opevo_i_cli_landscape_entry *entry, opevo_text *out)
{
    const opevo_landscape_profile *p = &entry->profile;

    opevo_text_add(out, "\ntopology: ");
    opevo_i_cli_landscape_topology(self, entry, out);
    opevo_text_add(out, "\n");
    opevo_text_printf(out, "nodes: %s (--nodes %s)\n", node_meaning(p->nodes),
                      opevo_nodes_name(p->nodes));
    add_count(out, "  ", p->node_count, " nodes, ");
    add_count(out, "", (opevo_index)p->edges, " edges (exact)\n");
    add_count(out, "  allowed points:    ", p->allowed.components, " component");
    opevo_text_printf(
        out, "%s, the largest with %.4g %%, %s (exact)\n", p->allowed.components == 1 ? "" : "s",
        100 * (double)p->allowed.largest / (double)self->table->allowed,
        p->allowed.optimum == p->allowed.largest ? "the optimum in it" : "the optimum not in it");
    add_count(out, "  without failures:  ", p->ok.components, " component");
    opevo_text_printf(
        out, "%s, the largest with %.4g %%, %s (exact)\n", p->ok.components == 1 ? "" : "s",
        100 * (double)p->ok.largest / (double)self->table->ok,
        p->ok.optimum == p->ok.largest ? "the optimum in it" : "the optimum not in it");
}

static void print_search(const opevo_i_cli_landscape_analysis *self,
                         const opevo_landscape_profile *p, opevo_text *out)
{
    const opevo_descent *d = &p->descent;

    opevo_text_printf(
        out, "\nfirst improvement, restarted, to %.8g %s, %.5g %% of the optimum (exact)\n",
        opevo_unit_result(self->objective->unit, p->threshold),
        opevo_unit_name(self->objective->unit), 100 * self->options.target);
    add_count(out, "  targets            ", d->targets, "\n");
    opevo_text_printf(out, "  expected trials    %.6g, standard deviation %.4g\n", d->cost,
                      d->cost_sd);
    opevo_text_printf(out, "  random search      %.6g, without repetition\n", d->random_cost);
    opevo_text_printf(out, "  a search succeeds  with probability %.6g\n", d->reach);
    opevo_text_printf(out, "  moves to an optimum  %.4g on average\n", d->length);
    opevo_text_printf(out, "  neutral edges      %.4g %% of those between successful points\n",
                      100 * d->neutral);
}

static opevo_status print_optima(const opevo_i_cli_landscape_analysis *self,
                                 const opevo_landscape_profile *p, opevo_text *out,
                                 opevo_error *err)
{
    static const char *const heads[] = {"basin", "fitness", "of the optimum", "<at"};
    const opevo_descent *d = &p->descent;
    size_t shown = d->optimum_count < SHOWN_OPTIMA ? d->optimum_count : SHOWN_OPTIMA;
    opevo_table table = {.heads = heads, .columns = 4, .below = 1};
    opevo_status status = OPEVO_OK;
    double rest = 0;

    add_count(out, "\nlocal optima (exact): ", d->optimum_count, ", of them ");
    add_count(out, "", d->strict_count, " without equal neighbours, ");
    add_count(out, "", d->failed_count, " failures\n");
    opevo_text_printf(out,
                      "  centrality of those within 0, 5, 10, 15 %%: %.5f  %.5f  %.5f  %.5f "
                      "(bounded: within ",
                      p->centrality[0], p->centrality[1], p->centrality[2], p->centrality[3]);
    opevo_i_cli_text_add_bound(out, p->centrality_bound);
    opevo_text_add(out, ")\n");
    for (size_t i = 0; i < d->optimum_count; i++) {
        const opevo_local_optimum *o = &d->optima[i];
        opevo_text point = {0};

        rest += i < shown ? 0 : o->basin;
        if (i >= shown)
            continue;
        opevo_space_print(self->objective->space, o->point, &point);
        opevo_i_cli_table_cell(&table, "%.5f", o->basin);
        opevo_i_cli_table_cell(&table, "%.6g", o->fitness);
        opevo_i_cli_table_cell(&table, "%.2f %%", 100 * o->fitness / p->best);
        opevo_i_cli_table_cell(&table, "%s", opevo_text_string(&point));
        opevo_text_free(&point);
    }
    status = opevo_i_cli_table_print(&table, opevo_i_cli_terminal_width(STDOUT_FILENO), out, err);
    if (shown < d->optimum_count) {
        add_count(out, "... and ", d->optimum_count - shown, " more");
        opevo_text_printf(out, ", with basins of %.5f together\n", rest);
    }
    return status;
}

static void print_smoothness(const opevo_landscape_profile *p, opevo_text *out)
{
    const opevo_autocorrelation *a = &p->autocorrelation;
    const char *what = p->scale == OPEVO_SCALE_LOG ? "ln fitness" : "fitness";

    if (!a->defined) {
        opevo_text_add(out, "\nautocorrelation: undefined, the fitness is constant along edges\n");
        return;
    }
    opevo_text_printf(out, "\nautocorrelation of %s along the walk (exact)\n  steps 1 to 6:", what);
    for (int s = 1; s <= 6; s++)
        opevo_text_printf(out, "  %.4f", a->r[s]);
    opevo_text_printf(out, "; length %.4g\n", a->length);
    opevo_text_printf(out, "  share of the variance at eigenvalues of at least (%s):\n   ",
                      a->complete ? "exact" : "bounded");
    for (int i = 8; i >= -8; i -= 4) {
        double low = 0, high = 0;

        opevo_autocorrelation_above(a, i / 10.0, &low, &high);
        opevo_text_printf(out, " %.1f: ", i / 10.0);
        if (a->complete)
            opevo_text_printf(out, "%.4f", low);
        else
            opevo_i_cli_text_add_interval(out, 'f', 4, low, high);
        opevo_text_add(out, " ");
    }
    out->length--; /* the last blank */
    opevo_text_add(out, "\n");
}

static opevo_status print_distance(const opevo_landscape_profile *p, opevo_text *out,
                                   opevo_error *err)
{
    static const char *const heads[] = {"distance", "nodes", "mean fitness", "sd"};
    const opevo_fitness_distance *d = &p->distance;
    opevo_table table = {.heads = heads, .columns = 4};

    opevo_text_printf(out,
                      "\nfitness and distance to the optimum (exact): correlation of %s %.4f, "
                      "of ranks %.4f",
                      p->scale == OPEVO_SCALE_LOG ? "ln fitness" : "fitness", d->pearson,
                      d->spearman);
    if (d->unreachable)
        add_count(out, "; ", d->unreachable, " nodes without a path left out");
    opevo_text_add(out, "\n");
    for (size_t i = 0; i < d->shell_count && i < SHOWN_SHELLS; i++) {
        opevo_i_cli_table_cell(&table, "%zu", i);
        opevo_i_cli_table_cell(&table, "%zu", d->shell[i].nodes);
        opevo_i_cli_table_cell(&table, "%.6g", d->shell[i].mean);
        if (isfinite(d->shell[i].sd))
            opevo_i_cli_table_cell(&table, "%.4g", d->shell[i].sd);
        else
            opevo_i_cli_table_cell(&table, "-");
    }
    return opevo_i_cli_table_print(&table, opevo_i_cli_terminal_width(STDOUT_FILENO), out, err);
}

static opevo_status print_interaction(const opevo_i_cli_landscape_analysis *self,
                                      const opevo_landscape_profile *p, opevo_text *out,
                                      opevo_error *err)
{
    static const char *const heads[] = {"<parameter", "alone", "with interactions"};
    const opevo_interaction *v = &p->interaction;
    opevo_table table = {.heads = heads, .columns = 3};

    if (!v->defined)
        return OPEVO_OK;
    opevo_text_printf(out, "\nvariance of %s by order of interaction ",
                      p->scale == OPEVO_SCALE_LOG ? "ln fitness" : "fitness");
    if (v->exact)
        opevo_text_add(out, "(exact)\n ");
    else
        opevo_text_printf(out,
                          "(least squares, because points are missing; bounded from below, the "
                          "last rounds gained %.1g)\n ",
                          v->bound);
    for (size_t k = 1; k < v->order_count; k++)
        opevo_text_printf(out, " %zu: %.4f ", k, v->order[k]);
    if (v->rest > 0)
        opevo_text_printf(out, " higher: %.4f ", v->rest);
    out->length--;
    opevo_text_add(out, "\nimportance of the parameters, as shares of the variance (exact)\n");
    for (size_t i = 0; i < v->parameter_count; i++) {
        opevo_i_cli_table_cell(
            &table, "%s", opevo_parameter_name(opevo_space_parameter(self->objective->space, i)));
        opevo_i_cli_table_cell(&table, "%.4f", v->first[i]);
        opevo_i_cli_table_cell(&table, "%.4f", v->total[i]);
    }
    return opevo_i_cli_table_print(&table, opevo_i_cli_terminal_width(STDOUT_FILENO), out, err);
}

static void print_generation(const opevo_i_cli_landscape_analysis *self, opevo_text *out)
{
    const opevo_generation *g = &self->generation;

    add_count(out, "\none generation of opevo after ", self->seen_count, " trials");
    if (strspn(self->population, "0123456789") == strlen(self->population))
        opevo_text_printf(out, " at random (seed %llu)", (unsigned long long)self->seed);
    opevo_text_printf(out, ", the best %.8g: %zu parents, %zu children, duplicates: %s\n",
                      self->weights[0], g->parents.count, g->children,
                      g->rule == OPEVO_DUPLICATE_REDRAW ? "redraw" : "continue");
}

static void interval_cell(opevo_table *table, char form, int digits, double low, double high)
{
    opevo_text text = {0};

    opevo_i_cli_text_add_interval(&text, form, digits, low, high);
    opevo_i_cli_table_cell(table, "%s", opevo_text_string(&text));
    table->failed = table->failed || text.failed;
    opevo_text_free(&text);
}

static opevo_status print_curve(const opevo_i_cli_landscape_analysis *self,
                                const opevo_i_cli_landscape_entry *entry, opevo_text *out,
                                opevo_error *err)
{
    static const char *const heads[] = {
        "q",        "child better", "gain of a child", "some child better", "gain of the best",
        "mutations"};
    opevo_table table = {.heads = heads, .columns = 6, .compared = true};
    opevo_status status = OPEVO_OK;
    double bound = 0;

    if (!entry->curve)
        return OPEVO_OK;
    print_generation(self, out);
    for (size_t i = 0; i < self->q_count; i++) {
        const opevo_improvement *c = &entry->curve[i];

        bound = fmax(bound, c->bound);
        opevo_i_cli_table_cell(&table, "%g", c->q);
        opevo_i_cli_table_cell(&table, "%.6f", c->probability);
        opevo_i_cli_table_cell(&table, "%.6g", c->gain);
        interval_cell(&table, 'f', 4, c->some_low, c->some_high);
        interval_cell(&table, 'g', 5, c->best_low, c->best_high);
        opevo_i_cli_table_cell(&table, "%.4g", c->mutations);
    }
    status = opevo_i_cli_table_print(&table, opevo_i_cli_terminal_width(STDOUT_FILENO), out, err);
    opevo_text_add(out, "a child and its gain: exact, the law within ");
    opevo_i_cli_text_add_bound(out, bound);
    opevo_text_add(out, " in the 1-norm; the best of all children: bounded\n");
    for (size_t i = 0; i < self->q_count; i++) {
        if (entry->curve[i].lost > 0)
            opevo_text_printf(
                out, "at q = %g a child is lost (cannot find a new point) with probability %.6g\n",
                self->q[i], entry->curve[i].lost);
    }
    opevo_text_printf(out, "most probable improvement at q = %g\n",
                      self->q[opevo_i_cli_landscape_best_q(self, entry)]);
    return status;
}

static opevo_status print_entry(const opevo_i_cli_landscape_analysis *self,
                                const opevo_i_cli_landscape_entry *entry, opevo_text *out,
                                opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    print_graph(self, entry, out);
    print_search(self, &entry->profile, out);
    OPEVO_TRY(print_optima(self, &entry->profile, out, err));
    print_smoothness(&entry->profile, out);
    OPEVO_TRY(print_distance(&entry->profile, out, err));
    OPEVO_TRY(print_interaction(self, &entry->profile, out, err));
    OPEVO_TRY(print_curve(self, entry, out, err));
cleanup:
    return status;
}

/* All topologies side by side. */
static opevo_status print_ranking(const opevo_i_cli_landscape_analysis *self, opevo_text *out,
                                  opevo_error *err)
{
    static const char *const heads[] = {"<topology",    "expected trials", "sd",   "success",
                                        "local optima", "centrality 5 %",  "r(1)", "fdc",
                                        "best q",       "child better"};
    opevo_table table = {.heads = heads, .columns = self->seen_count ? 10 : 8, .compared = true};

    opevo_text_printf(out,
                      "\ntopologies by the exact cost of restarted first improvement to %.5g %% of "
                      "the optimum; nodes: %s\nrandom search without repetition: %.6g\n",
                      100 * self->options.target, node_meaning(self->options.nodes),
                      self->entries[0].profile.descent.random_cost);
    for (size_t i = 0; i < self->entry_count; i++) {
        const opevo_i_cli_landscape_entry *entry = &self->entries[i];
        const opevo_landscape_profile *p = &entry->profile;

        opevo_i_cli_table_cell(&table, "%s", entry->choice->name);
        opevo_i_cli_table_cell(&table, "%.6g", p->descent.cost);
        opevo_i_cli_table_cell(&table, "%.4g", p->descent.cost_sd);
        opevo_i_cli_table_cell(&table, "%.4f", p->descent.reach);
        opevo_i_cli_table_cell(&table, "%zu", p->descent.optimum_count);
        opevo_i_cli_table_cell(&table, "%.4f", p->centrality[1]);
        opevo_i_cli_table_cell(&table, "%.4f",
                               p->autocorrelation.defined ? p->autocorrelation.r[1] : NAN);
        opevo_i_cli_table_cell(&table, "%.4f", p->distance.pearson);
        if (!entry->curve)
            continue;
        opevo_i_cli_table_cell(&table, "%g", self->q[opevo_i_cli_landscape_best_q(self, entry)]);
        opevo_i_cli_table_cell(&table, "%.6f",
                               entry->curve[opevo_i_cli_landscape_best_q(self, entry)].probability);
    }
    if (self->seen_count)
        print_generation(self, out);
    return opevo_i_cli_table_print(&table, opevo_i_cli_terminal_width(STDOUT_FILENO), out, err);
}

opevo_status opevo_i_cli_landscape_analysis_print(const opevo_i_cli_landscape_analysis *self,
                                                  opevo_text *out, opevo_error *err)
{
    return self->entry_count > 1 ? print_ranking(self, out, err)
                                 : print_entry(self, &self->entries[0], out, err);
}
