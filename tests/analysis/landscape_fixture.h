/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Small landscapes, and their graphs by definition: two points are neighbours when they differ in
 * one parameter, by an edge of its topology. */

#ifndef OPEVO_TESTS_LANDSCAPE_FIXTURE_H
#define OPEVO_TESTS_LANDSCAPE_FIXTURE_H

#include "check.h"

#include <opevo/hash.h>
#include <opevo/landscape_analysis.h>
#include <opevo/memory.h>

#include <stdlib.h>

/* Fitness by a hash of the point; some points fail; `levels` makes values repeat (0: none do). */
typedef struct fake {
    opevo_objective super;
    opevo_space *space;
    unsigned levels;
    unsigned failing; /* of ten points */
    uint64_t salt;
} fake;

static inline opevo_outcome fake_outcome(const fake *self, opevo_index point)
{
    uint64_t hash = opevo_hash_mix((uint64_t)point * 2 + 1 + (self->salt << 32));
    opevo_outcome outcome = opevo_outcome_failed(OPEVO_OUTCOME_OK);

    if (hash % 10 < self->failing)
        return opevo_outcome_failed(OPEVO_OUTCOME_LAUNCH_ERROR);
    outcome.fitness = self->levels ? 1.0 + (double)((hash >> 20) % self->levels)
                                   : 1 + (double)(hash >> 12) * 0x1p-52;
    outcome.time_s = 1 / outcome.fitness;
    return outcome;
}

static inline opevo_status fake_evaluate(opevo_objective *objective, const opevo_index *points,
                                         size_t count, opevo_outcome *outcomes, opevo_error *err)
{
    fake *self = (fake *)objective;

    for (size_t i = 0; i < count; i++)
        outcomes[i] = fake_outcome(self, points[i]);
    return OPEVO_OK;
}

static const opevo_objective_ops fake_landscape_ops = {.kind = "fake", .evaluate = fake_evaluate};

static inline fake fake_landscape(const char *json, unsigned levels, unsigned failing,
                                  uint64_t salt)
{
    fake self = {.levels = levels, .failing = failing, .salt = salt};

    CHECK_OK(opevo_space_parse(json, "test", NULL, &self.space, &err));
    self.super = (opevo_objective){.ops = &fake_landscape_ops,
                                   .space = self.space,
                                   .name = "fake",
                                   .unit = "1/s",
                                   .concurrent = true};
    return self;
}

/* Paths, a cycle, complete graphs and factorisations together, with a constraint. */
static const char *const mixed_space =
    "{\"K\": {\"_type\": \"factor\", \"_value\": [12, 2]},"
    " \"u\": {\"_type\": \"discrete\", \"_value\": [1, 2, 4, 8, 16]},"
    " \"v\": {\"_type\": \"choice\", \"_value\": [\"a\", \"b\", \"c\"]},"
    " \"w\": {\"_type\": \"discrete\", \"_value\": [1, 2, 3, 4], \"_topology\": \"complete\"},"
    " \"_constraints\": [\"u * w <= 32\", \"K[0] + u != 5\"]}";
static const char *const full_space =
    "{\"K\": {\"_type\": \"factor\", \"_value\": [8, 3]},"
    " \"p\": {\"_type\": \"permutation\", \"_value\": [3]},"
    " \"w\": {\"_type\": \"discrete\", \"_value\": [1, 2, 3, 4], \"_topology\": \"complete\"}}";
static const char *const path_space =
    "{\"a\": {\"_type\": \"discrete\", \"_value\": [1, 2, 3, 4, 5, 6, 7]},"
    " \"b\": {\"_type\": \"discrete\", \"_value\": [1, 2, 3, 4, 5, 6]}}";
/* One parameter, of one value. */
static const char *const single_space = "{\"a\": {\"_type\": \"discrete\", \"_value\": [7]}}";

/* A landscape with its graph, and the adjacency of its nodes by definition. */
typedef struct small_landscape {
    fake objective;
    opevo_landscape_table *table;
    opevo_landscape_graph *graph;
    size_t count;
    bool *adjacent; /* count * count */
    double *fitness;
} small_landscape;

static inline bool by_definition(const opevo_space *space, opevo_index x, opevo_index y)
{
    opevo_index from[16], to[16];
    size_t different = 0, at = 0;

    opevo_space_decode(space, x, from);
    opevo_space_decode(space, y, to);
    for (size_t i = 0; i < opevo_space_parameter_count(space); i++) {
        if (from[i] != to[i]) {
            different++;
            at = i;
        }
    }
    if (different != 1)
        return false;
    for (opevo_index k = 0; k < opevo_parameter_degree(opevo_space_parameter(space, at), from[at]);
         k++) {
        if (opevo_parameter_neighbour(opevo_space_parameter(space, at), from[at], k) == to[at])
            return true;
    }
    return false;
}

static inline small_landscape small_landscape_of(const char *json, opevo_nodes nodes,
                                                 unsigned levels, unsigned failing, uint64_t salt)
{
    small_landscape self = {.objective = fake_landscape(json, levels, failing, salt)};

    CHECK_OK(opevo_landscape_table_create(&self.objective.super, 1, &self.table, &err));
    CHECK_OK(opevo_landscape_graph_create(self.table, self.objective.space, nodes, 0, 1,
                                          &self.graph, &err));
    self.count = opevo_landscape_graph_count(self.graph);
    self.adjacent = malloc(self.count * self.count * sizeof *self.adjacent);
    self.fitness = malloc(self.count * sizeof *self.fitness);
    assert_true(self.adjacent && self.fitness);
    for (size_t u = 0; u < self.count; u++) {
        opevo_index x = opevo_landscape_graph_point(self.graph, u);

        self.fitness[u] = opevo_space_allows(self.objective.space, x)
                              ? fake_outcome(&self.objective, x).fitness
                              : 0;
        for (size_t v = 0; v < self.count; v++)
            self.adjacent[u * self.count + v] =
                by_definition(self.objective.space, x, opevo_landscape_graph_point(self.graph, v));
    }
    return self;
}

static inline void small_landscape_free(small_landscape *self)
{
    opevo_landscape_graph_destroy(self->graph);
    opevo_landscape_table_destroy(self->table);
    opevo_space_destroy(self->objective.space);
    free(self->adjacent);
    free(self->fitness);
}

/* Every kind of landscape that the tests go through, on each of three spaces. */
static const struct {
    opevo_nodes nodes;
    unsigned levels, failing;
} small_cases[] = {
    {OPEVO_NODES_OK, 0, 0},  {OPEVO_NODES_OK, 0, 3},      {OPEVO_NODES_ALLOWED, 0, 3},
    {OPEVO_NODES_ALL, 0, 3}, {OPEVO_NODES_ALLOWED, 3, 2}, {OPEVO_NODES_ALL, 2, 5},
    {OPEVO_NODES_OK, 4, 6},
};
enum {
    SMALL_SPACES = 3,
    SMALL_LANDSCAPES = SMALL_SPACES * sizeof small_cases / sizeof *small_cases
};

static inline small_landscape small_landscape_number(size_t i)
{
    const char *const spaces[SMALL_SPACES] = {mixed_space, full_space, path_space};
    size_t c = i / SMALL_SPACES;

    return small_landscape_of(spaces[i % SMALL_SPACES], small_cases[c].nodes, small_cases[c].levels,
                              small_cases[c].failing, i);
}

#endif
