/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The analysis of a landscape as JSON. */

#include "landscape_internal.h"

#include <opevo/json.h>
#include <opevo/space.h>

#include <math.h>

static void add_numbers(opevo_text *out, const char *key, const double *values, size_t count)
{
    opevo_json_open(out, key, "[");
    for (size_t i = 0; i < count; i++) {
        opevo_json_next(out, " ");
        opevo_text_add_double(out, values[i]);
    }
    opevo_text_add(out, "]");
}

static void add_connectedness(opevo_text *out, const char *key, const opevo_connectedness *c)
{
    opevo_json_open(out, key, "{");
    opevo_json_index(out, "components", c->components);
    opevo_json_index(out, "isolated", c->isolated);
    opevo_json_index(out, "largest", c->largest);
    opevo_json_index(out, "of_the_optimum", c->optimum);
    opevo_text_add(out, "}");
}

static void add_search(const opevo_i_cli_landscape_analysis *self, const opevo_landscape_profile *p,
                       opevo_text *out)
{
    const opevo_descent *d = &p->descent;

    opevo_json_open(out, "first_improvement", "{");
    opevo_json_string(out, "sure", "exact");
    opevo_json_double(out, "threshold", p->threshold);
    opevo_json_double(out, "target", self->options.target);
    opevo_json_index(out, "targets", d->targets);
    opevo_json_double(out, "expected_trials", d->cost);
    opevo_json_double(out, "sd", d->cost_sd);
    opevo_json_double(out, "random_search", d->random_cost);
    opevo_json_double(out, "success", d->reach);
    opevo_json_double(out, "moves", d->length);
    opevo_json_double(out, "neutral_edges", d->neutral);
    opevo_text_add(out, "}");
}

static void add_optima(const opevo_i_cli_landscape_analysis *self, const opevo_landscape_profile *p,
                       size_t listed, opevo_text *out)
{
    const opevo_descent *d = &p->descent;

    opevo_json_open(out, "local_optima", "{");
    opevo_json_string(out, "sure", "exact");
    opevo_json_index(out, "count", d->optimum_count);
    opevo_json_index(out, "strict", d->strict_count);
    opevo_json_index(out, "failures", d->failed_count);
    opevo_json_open(out, "largest_basins", "[");
    for (size_t i = 0; i < d->optimum_count && i < listed; i++) {
        opevo_json_open_next(out, "\n  ", "{");
        opevo_json_key(out, "configuration");
        opevo_space_print_json(self->objective->space, d->optima[i].point, out);
        opevo_json_double(out, "fitness", d->optima[i].fitness);
        opevo_json_double(out, "basin", d->optima[i].basin);
        opevo_text_add(out, "}");
    }
    opevo_text_add(out, "]");
    opevo_text_add(out, "}");
    opevo_json_open(out, "centrality", "{");
    opevo_json_string(out, "sure", "bounded");
    opevo_json_double(out, "bound", p->centrality_bound);
    add_numbers(out, "slack", opevo_centrality_slack, OPEVO_CENTRALITIES);
    add_numbers(out, "share", p->centrality, OPEVO_CENTRALITIES);
    opevo_text_add(out, "}");
}

static void add_smoothness(const opevo_landscape_profile *p, opevo_text *out)
{
    const opevo_autocorrelation *a = &p->autocorrelation;
    const opevo_fitness_distance *d = &p->distance;

    opevo_json_string(out, "scale", p->scale == OPEVO_SCALE_LOG ? "log" : "linear");
    if (a->defined) {
        opevo_json_open(out, "autocorrelation", "{");
        opevo_json_string(out, "sure", "exact");
        add_numbers(out, "r", a->r, OPEVO_LAGS + 1);
        opevo_json_double(out, "length", a->length);
        opevo_json_string(out, "spectrum_sure", a->complete ? "exact" : "bounded");
        add_numbers(out, "eigenvalue", a->eigenvalue, a->node_count);
        add_numbers(out, "share", a->share, a->node_count);
        opevo_text_add(out, "}");
    }
    opevo_json_open(out, "fitness_distance", "{");
    opevo_json_string(out, "sure", "exact");
    opevo_json_double(out, "pearson", d->pearson);
    opevo_json_double(out, "spearman", d->spearman);
    opevo_json_index(out, "unreachable", d->unreachable);
    opevo_json_open(out, "shells", "[");
    for (size_t i = 0; i < d->shell_count; i++) {
        opevo_json_open_next(out, " ", "{");
        opevo_json_index(out, "nodes", d->shell[i].nodes);
        opevo_json_double(out, "mean", d->shell[i].mean);
        opevo_json_double(out, "sd", d->shell[i].sd);
        opevo_text_add(out, "}");
    }
    opevo_text_add(out, "]");
    opevo_text_add(out, "}");
}

static void add_interaction(const opevo_landscape_profile *p, opevo_text *out)
{
    const opevo_interaction *v = &p->interaction;

    if (!v->defined)
        return;
    opevo_json_open(out, "interaction", "{");
    opevo_json_string(out, "sure", v->exact ? "exact" : "bounded");
    opevo_json_double(out, "last_rounds", v->bound);
    add_numbers(out, "order", v->order, v->order_count);
    opevo_json_double(out, "higher", v->rest);
    add_numbers(out, "first", v->first, v->parameter_count);
    add_numbers(out, "total", v->total, v->parameter_count);
    opevo_text_add(out, "}");
}

static void add_curve(const opevo_i_cli_landscape_analysis *self,
                      const opevo_i_cli_landscape_entry *entry, opevo_text *out)
{
    opevo_json_open(out, "improvement", "[");
    for (size_t i = 0; i < self->q_count; i++) {
        const opevo_improvement *c = &entry->curve[i];

        opevo_json_open_next(out, "\n  ", "{");
        opevo_json_double(out, "q", c->q);
        opevo_json_double(out, "probability", c->probability);
        opevo_json_double(out, "gain", c->gain);
        opevo_json_double(out, "mutations", c->mutations);
        opevo_json_double(out, "lost", c->lost);
        opevo_json_double(out, "bound", c->bound);
        opevo_json_string(out, "sure", "exact");
        opevo_json_string(out, "siblings_sure", "bounded");
        opevo_json_double(out, "some_low", c->some_low);
        opevo_json_double(out, "some_high", c->some_high);
        opevo_json_double(out, "best_low", c->best_low);
        opevo_json_double(out, "best_high", c->best_high);
        opevo_text_add(out, "}");
    }
    opevo_text_add(out, "]");
}

static void add_population(const opevo_i_cli_landscape_analysis *self, opevo_text *out)
{
    opevo_json_open(out, "population", "{");
    opevo_json_string(out, "given", self->population);
    opevo_json_index(out, "seed", self->seed);
    opevo_json_index(out, "seen", self->seen_count);
    opevo_json_index(out, "parents", self->generation.parents.count);
    opevo_json_index(out, "children", self->generation.children);
    opevo_json_string(out, "duplicates",
                      self->generation.rule == OPEVO_DUPLICATE_REDRAW ? "redraw" : "continue");
    opevo_json_double(out, "best", self->weights[0]);
    opevo_text_add(out, "}");
}

void opevo_i_cli_landscape_analysis_json(const opevo_i_cli_landscape_analysis *self, size_t listed,
                                         opevo_text *out)
{
    opevo_json_open(out, "analysis", "{");
    opevo_json_string(out, "nodes", opevo_nodes_name(self->options.nodes));
    if (self->seen_count)
        add_population(self, out);
    opevo_json_open(out, "topologies", "[");
    for (size_t i = 0; i < self->entry_count; i++) {
        const opevo_i_cli_landscape_entry *entry = &self->entries[i];
        opevo_text topology = {0};

        opevo_json_open_next(out, "\n ", "{");
        opevo_i_cli_landscape_topology(self, entry, &topology);
        opevo_json_string(out, "topology", opevo_text_string(&topology));
        out->failed = out->failed || topology.failed;
        opevo_text_free(&topology);
        opevo_json_index(out, "node_count", entry->profile.node_count);
        opevo_json_double(out, "edges", entry->profile.edges);
        add_connectedness(out, "connected_allowed", &entry->profile.allowed);
        add_connectedness(out, "connected_ok", &entry->profile.ok);
        add_search(self, &entry->profile, out);
        add_optima(self, &entry->profile, listed, out);
        add_smoothness(&entry->profile, out);
        add_interaction(&entry->profile, out);
        if (entry->curve)
            add_curve(self, entry, out);
        opevo_text_add(out, "}");
    }
    opevo_text_add(out, "]");
    opevo_text_add(out, "}");
}
