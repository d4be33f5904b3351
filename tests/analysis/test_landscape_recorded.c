/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Exact costs and centralities of recorded landscapes against those that an independent program
 * found. There fitness was the time with all its digits, and only points that are ok were nodes. */

#include "check.h"

#include <opevo/landscape.h>
#include <opevo/landscape_profile.h>

#include <stdlib.h>
#include <unistd.h>

/* A row of the independent table: to 1.05 times the smallest time, by complete graphs and by
 * paths; r(1) is of the logarithm. */
typedef struct known {
    const char *name;
    size_t nodes, targets;
    double random;
    struct {
        size_t optima;
        double r1, centrality, cost;
    } complete, path;
} known;

static const known table[] = {
    {"conv_a100", 4201, 1, 2101, {22, .766, .066, 826.8}, {98, .685, .019, 1122.9}},
    {"conv_a4000", 4201, 11, 350.2, {10, .669, .365, 112.2}, {54, .656, .171, 132.9}},
    {"conv_w6600", 4362, 4, 872.6, {9, .589, .196, 311.6}, {87, .650, .093, 221.4}},
    {"conv_w7800", 4246, 8, 471.9, {11, .566, .490, 85.0}, {78, .655, .034, 698.4}},
};

/* The outcomes with the fitness 1 / time. */
static opevo_landscape_table *by_time(opevo_objective *objective)
{
    opevo_landscape_table *out = NULL;

    CHECK_OK(opevo_landscape_table_create(objective, 1, &out, &err));
    out->best = 0;
    for (size_t x = 0; x < out->size; x++) {
        opevo_index point = x;
        opevo_outcome outcome;

        if (out->state[x] != OPEVO_POINT_OK)
            continue;
        CHECK_OK(opevo_objective_evaluate(objective, &point, 1, &outcome, &err));
        out->fitness[x] = 1 / outcome.time_s;
        out->best = fmax(out->best, out->fitness[x]);
    }
    return out;
}

static void check_row(const opevo_objective *objective, const opevo_landscape_table *outcomes,
                      const char *topology, const known *row, bool complete)
{
    opevo_profile_options options = {.nodes = OPEVO_NODES_OK, .target = 1 / 1.05, .threads = 1};
    opevo_topology_choice *choice = NULL;
    opevo_landscape_profile p;

    CHECK_OK(opevo_topology_choice_named(objective->space, topology, &choice, &err));
    CHECK_OK(opevo_landscape_profile_create(outcomes, choice->space, &options, &p, &err));
    assert_int_equal(p.node_count, row->nodes);
    assert_int_equal(p.descent.targets, row->targets);
    CHECK_CLOSE(p.descent.random_cost, row->random, 0.05 + 1e-9);
    assert_int_equal(p.descent.optimum_count, complete ? row->complete.optima : row->path.optima);
    CHECK_CLOSE(p.autocorrelation.r[1], complete ? row->complete.r1 : row->path.r1, 0.0005001);
    CHECK_CLOSE(p.centrality[1], complete ? row->complete.centrality : row->path.centrality,
                0.0005001);
    CHECK_CLOSE(p.descent.cost, complete ? row->complete.cost : row->path.cost, 0.05001);
    opevo_landscape_profile_release(&p);
    opevo_topology_choices_destroy(choice, 1);
}

static void test_known_table(void **state)
{
    const char *folder = getenv("OPEVO_TEST_LANDSCAPES");

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char path[1024];
        opevo_objective *objective = NULL;
        opevo_landscape_table *outcomes = NULL;

        snprintf(path, sizeof path, "%s/%s.csv.xz", folder ? folder : "../shared/landscapes",
                 table[i].name);
        if (access(path, R_OK) != 0) {
            print_message("%s is not there; skipped\n", path);
            skip();
        }
        CHECK_OK(opevo_recorded_open(path, NULL, &objective, &err));
        outcomes = by_time(objective);
        check_row(objective, outcomes, "complete", &table[i], true);
        check_row(objective, outcomes, "path", &table[i], false);
        opevo_landscape_table_destroy(outcomes);
        opevo_objective_destroy(objective);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_known_table)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
