/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The graphs of one landscape under one topology, and all measures of them. */

#include <opevo/landscape_profile.h>

#include <opevo/memory.h>
#include <opevo/struct_size.h>
#include <opevo/unit.h>

#include <math.h>

const double opevo_centrality_slack[OPEVO_CENTRALITIES] = {0, 0.05, 0.10, 0.15};

static const double damping = 0.85;

static opevo_status connect(const opevo_landscape_table *table, const opevo_space *space,
                            opevo_nodes nodes, unsigned threads, opevo_connectedness *out,
                            opevo_error *err)
{
    opevo_landscape_graph *graph = NULL;
    opevo_status status =
        opevo_landscape_graph_create(table, space, nodes, 0, threads, &graph, err);

    if (status == OPEVO_OK)
        status = opevo_landscape_connectedness(graph, out, err);
    opevo_landscape_graph_destroy(graph);
    return status;
}

/* Both graphs; where the sets of nodes agree the work is done once. */
static opevo_status connect_both(const opevo_landscape_table *table, const opevo_space *space,
                                 const opevo_landscape_graph *graph, opevo_nodes nodes,
                                 unsigned threads, opevo_landscape_profile *out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    if (nodes == OPEVO_NODES_OK)
        status = opevo_landscape_connectedness(graph, &out->ok, err);
    else
        status = connect(table, space, OPEVO_NODES_OK, threads, &out->ok, err);
    if (status != OPEVO_OK)
        return status;
    if (table->allowed == table->ok) {
        out->allowed = out->ok;
        return OPEVO_OK;
    }
    if (nodes == OPEVO_NODES_ALLOWED)
        return opevo_landscape_connectedness(graph, &out->allowed, err);
    return connect(table, space, OPEVO_NODES_ALLOWED, threads, &out->allowed, err);
}

static opevo_status measure(const opevo_landscape_graph *graph,
                            const opevo_profile_options *options, opevo_landscape_profile *out,
                            opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    double threshold[OPEVO_CENTRALITIES];

    for (size_t i = 0; i < OPEVO_CENTRALITIES; i++)
        threshold[i] = opevo_fitness_share(1 / (1 + opevo_centrality_slack[i]), out->best);
    OPEVO_TRY(opevo_landscape_descend(graph, out->threshold, &out->descent, err));
    OPEVO_TRY(opevo_landscape_centrality(graph, damping, threshold, OPEVO_CENTRALITIES,
                                         out->centrality, &out->centrality_bound, NULL, err));
    OPEVO_TRY(opevo_landscape_autocorrelation(graph, out->scale, 0, options->threads,
                                              &out->autocorrelation, err));
    OPEVO_TRY(opevo_landscape_fitness_distance(graph, out->scale, &out->distance, err));
    if (options->interactions)
        OPEVO_TRY(opevo_landscape_interaction(graph, out->scale, options->order_max,
                                              &out->interaction, err));
cleanup:
    return status;
}

void opevo_landscape_profile_release(opevo_landscape_profile *self)
{
    opevo_descent_release(&self->descent);
    opevo_autocorrelation_release(&self->autocorrelation);
    opevo_fitness_distance_release(&self->distance);
    opevo_interaction_release(&self->interaction);
}

opevo_status opevo_landscape_profile_create_sized(const opevo_landscape_table *table,
                                                  const opevo_space *space,
                                                  const opevo_profile_options *caller_options,
                                                  size_t size, opevo_landscape_profile *out,
                                                  opevo_error *err)
{
    opevo_profile_options options;
    opevo_landscape_graph *graph = NULL;
    opevo_landscape_profile self = {.best = table->best};
    opevo_status status = opevo_struct_read(caller_options, size, "opevo_profile_options", &options,
                                            sizeof options, err);

    if (status != OPEVO_OK)
        return status;
    self.nodes = options.nodes;
    if (!(table->best > 0))
        return OPEVO_FAIL(err, OPEVO_INVALID, "The landscape has no successful point.");
    if (!(options.target > 0 && options.target <= 1))
        return OPEVO_FAIL(
            err, OPEVO_INVALID,
            "A target must be a fraction of the best fitness, above 0 and at most 1.");
    self.threshold = opevo_fitness_share(options.target, table->best);
    OPEVO_TRY(
        opevo_landscape_graph_create(table, space, options.nodes, 0, options.threads, &graph, err));
    self.node_count = opevo_landscape_graph_count(graph);
    self.edges = opevo_landscape_graph_edges(graph);
    self.scale = OPEVO_SCALE_LOG;
    for (size_t u = 0; u < self.node_count && self.scale == OPEVO_SCALE_LOG; u++) {
        if (!(opevo_landscape_graph_fitness(graph, u) > 0))
            self.scale = OPEVO_SCALE_LINEAR;
    }
    OPEVO_TRY(connect_both(table, space, graph, options.nodes, options.threads, &self, err));
    OPEVO_TRY(measure(graph, &options, &self, err));
    *out = self;
    self = (opevo_landscape_profile){0}; /* handed over */
cleanup:
    opevo_landscape_graph_destroy(graph);
    opevo_landscape_profile_release(&self);
    return status;
}
