/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "graph_metrics.h"

#include <opevo/memory.h>

#define UNSEEN UINT32_MAX

/* Scratch for searches: distance[v] is valid for the queue's vertices and UNSEEN elsewhere. */
typedef struct search {
    const opevo_graph *graph;
    uint32_t *distance;
    uint32_t *queue;
    size_t reached;
    double look_ups; /* of vertices and neighbours so far */
} search;

static opevo_status search_init(search *self, const opevo_graph *graph, opevo_error *err)
{
    size_t n = graph->vertex_count;

    *self = (search){.graph = graph};
    self->distance = opevo_malloc(n, sizeof *self->distance);
    self->queue = opevo_malloc(n, sizeof *self->queue);
    OPEVO_NEED_OR_RETURN(self->distance && self->queue, "searching a graph of %zu vertices", n);
    for (size_t v = 0; v < n; v++)
        self->distance[v] = UNSEEN;
    return OPEVO_OK;
}

static void search_release(search *self)
{
    opevo_free(self->distance);
    opevo_free(self->queue);
}

/* Distances from `start` within its component; returns the largest. */
static uint32_t search_run(search *self, uint32_t start)
{
    const opevo_graph *graph = self->graph;
    size_t end = 1;

    self->queue[0] = start;
    self->distance[start] = 0;
    for (size_t at = 0; at < end; at++) {
        uint32_t v = self->queue[at];

        for (uint64_t i = graph->offset[v]; i < graph->offset[v + 1]; i++) {
            uint32_t w = graph->target[i];

            if (self->distance[w] != UNSEEN)
                continue;
            self->distance[w] = self->distance[v] + 1;
            self->queue[end++] = w;
        }
        self->look_ups += (double)opevo_graph_degree(graph, v) + 1;
    }
    self->reached = end;
    return self->distance[self->queue[end - 1]];
}

static void search_forget(search *self)
{
    for (size_t i = 0; i < self->reached; i++)
        self->distance[self->queue[i]] = UNSEEN;
    self->reached = 0;
}

/* Bounds on the eccentricity of each vertex; a vertex whose upper bound is at most the largest
 * eccentricity found is out of the race. */
typedef struct bounds {
    uint32_t *lower, *upper;
    uint32_t best;
} bounds;

/* Of the vertices in the race, the one with the largest upper bound or, every other time, the
 * smallest lower bound: the first finds the ends of the graph, the second its middle, whose search
 * lowers all upper bounds. UNSEEN when the race is over. */
static uint32_t choose(const bounds *self, size_t count, bool middle)
{
    uint32_t chosen = UNSEEN;

    for (uint32_t v = 0; v < count; v++) {
        if (self->upper[v] <= self->best)
            continue;
        if (chosen == UNSEEN ||
            (middle ? self->lower[v] < self->lower[chosen] : self->upper[v] > self->upper[chosen]))
            chosen = v;
    }
    return chosen;
}

/* From the triangle inequality, at distance d of a vertex of eccentricity e:
 * max(d, e - d) <= eccentricity <= e + d. */
static void tighten(bounds *self, const search *searcher, uint32_t eccentricity)
{
    for (size_t i = 0; i < searcher->reached; i++) {
        uint32_t v = searcher->queue[i], d = searcher->distance[v];
        uint32_t low = d > eccentricity - d ? d : eccentricity - d;

        if (self->lower[v] < low)
            self->lower[v] = low;
        if (self->upper[v] > eccentricity + d)
            self->upper[v] = eccentricity + d;
        if (self->best < self->lower[v])
            self->best = self->lower[v];
    }
}

/* One search in each component: counts them, and bounds every vertex. */
static size_t search_components(bounds *race, search *searcher)
{
    size_t n = searcher->graph->vertex_count, components = 0;

    for (uint32_t v = 0; v < n; v++) {
        uint32_t eccentricity = 0;

        if (searcher->distance[v] != UNSEEN)
            continue;
        components++;
        eccentricity = search_run(searcher, v);
        for (size_t i = 0; i < searcher->reached; i++)
            race->upper[searcher->queue[i]] = (uint32_t)searcher->reached - 1;
        tighten(race, searcher, eccentricity);
    }
    for (size_t v = 0; v < n; v++)
        searcher->distance[v] = UNSEEN;
    return components;
}

/* True when the race is over within `work`. */
static bool finish(bounds *race, search *searcher, double work)
{
    size_t n = searcher->graph->vertex_count;

    for (bool middle = false; searcher->look_ups <= work; middle = !middle) {
        uint32_t vertex = choose(race, n, middle);
        uint32_t eccentricity = 0;

        if (vertex == UNSEEN)
            return true;
        eccentricity = search_run(searcher, vertex);
        tighten(race, searcher, eccentricity);
        search_forget(searcher);
        searcher->look_ups += (double)n;
    }
    return false;
}

opevo_status opevo_i_topology_graph_distances(const opevo_graph *graph, double work,
                                              opevo_i_topology_distances *out, opevo_error *err)
{
    size_t n = graph->vertex_count;
    bounds race = {.lower = opevo_calloc(n, sizeof *race.lower),
                   .upper = opevo_malloc(n, sizeof *race.upper)};
    search searcher = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_NEED(race.lower && race.upper, "measuring %zu vertices", n);
    OPEVO_TRY(search_init(&searcher, graph, err));
    out->components = search_components(&race, &searcher);
    out->diameter_known = finish(&race, &searcher, work);
    out->diameter = out->diameter_known ? race.best : 0;
cleanup:
    search_release(&searcher);
    opevo_free(race.lower);
    opevo_free(race.upper);
    return status;
}
