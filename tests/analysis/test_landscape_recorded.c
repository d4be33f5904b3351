/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Exact costs and centralities of recorded landscapes against those that an independent program
 * found. There fitness was the time with all its digits, and only points that are ok were nodes.
 * And published centralities, which are what a power iteration has after its first rounds. */

#include "check.h"

#include <opevo/landscape.h>
#include <opevo/landscape_profile.h>

#include <stdlib.h>
#include <string.h>
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

/* A row of propFFG_centrality_pagerank_bounded_GEMM_*.csv in the repository GPU_benchmarking_paper
 * of R. Schoonhoven, for 0, 1, 5, 10 and 15 %. networkx 2 and 3 end the iteration where a round
 * changes the ranks of n nodes by less than n 1e-6 in the 1-norm: after so many rounds. */
enum { SLACKS = 5, POINTS = 82944 };
static const double slack[SLACKS] = {0, .01, .05, .10, .15};
static const struct {
    const char *name;
    int rounds;
    double share[SLACKS];
} published[] = {
    {"no-licence-stated/gemm_a100",
     2,
     {.03788611569608762, .221136910656071, .5403318276932235, .6536989544792035,
      .7117107989811421}},
    {"no-licence-stated/gemm_k20",
     3,
     {.03978410168940324, .06220120522664774, .10960931381249878, .32757099980445725,
      .5770802374993746}},
};

/* Of a landscape below the folder of the recorded ones; skips where it is not there. */
static opevo_objective *open_recorded(const char *name)
{
    const char *folder = getenv("OPEVO_TEST_LANDSCAPES");
    opevo_objective *out = NULL;
    char path[1024];

    snprintf(path, sizeof path, "%s/%s.csv.xz", folder ? folder : "../shared/landscapes", name);
    if (access(path, R_OK) != 0)
        CHECK_SKIP("recorded landscapes: %s is missing", path);
    CHECK_OK(opevo_recorded_open(path, NULL, &out, &err));
    return out;
}

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

CHECK_TEST(test_known_table)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        opevo_objective *objective = open_recorded(table[i].name);
        opevo_landscape_table *outcomes = by_time(objective);

        check_row(objective, outcomes, "complete", &table[i], true);
        check_row(objective, outcomes, "path", &table[i], false);
        opevo_landscape_table_destroy(outcomes);
        opevo_objective_destroy(objective);
    }
}

/* ---- Published centralities ---- */

/* Neighbours of point x that are not worse, all points being nodes and all parameters paths. */
static size_t not_worse(const opevo_space *space, const double *fitness, opevo_index x,
                        size_t *neighbours, bool *better)
{
    size_t count = 0;
    opevo_index step = 1;

    *better = false;
    for (size_t i = opevo_space_parameter_count(space); i-- > 0;) {
        opevo_index size = opevo_parameter_size(opevo_space_parameter(space, i));
        opevo_index place = x / step % size;

        for (int side = 0; side < 2; side++) {
            size_t y = (size_t)(side ? x + step : x - step);

            if ((side ? place + 1 == size : place == 0) || fitness[y] < fitness[x])
                continue;
            *better = *better || fitness[y] > fitness[x];
            neighbours[count++] = y;
        }
        step *= size;
    }
    return count;
}

/* One round of PageRank with damping .85; returns the change in the 1-norm. */
static double pagerank_round(const opevo_space *space, const opevo_landscape_table *outcomes,
                             const double *rank, double *next, bool *optimum)
{
    size_t n = outcomes->size, neighbours[64] = {0};
    double loose = 0, change = 0;

    memset(next, 0, n * sizeof *next);
    for (size_t x = 0; x < n; x++) {
        bool better = false;
        size_t count = not_worse(space, outcomes->fitness, x, neighbours, &better);

        optimum[x] = !better && outcomes->fitness[x] > 0;
        loose += count ? 0 : rank[x];
        for (size_t k = 0; k < count; k++)
            next[neighbours[k]] += .85 * rank[x] / (double)count;
    }
    for (size_t x = 0; x < n; x++) {
        next[x] += (.85 * loose + .15) / (double)n;
        change += fabs(next[x] - rank[x]);
    }
    return change;
}

static double share_within(const opevo_landscape_table *outcomes, const double *rank,
                           const bool *optimum, double within)
{
    double strong = 0, all = 0;

    for (size_t x = 0; x < outcomes->size; x++) {
        if (!optimum[x])
            continue;
        all += rank[x];
        strong += outcomes->fitness[x] * (1 + within) >= outcomes->best ? rank[x] : 0;
    }
    return strong / all;
}

/* Rounds from the uniform vector until the change is below `enough`;
 * the ranks are left in `rank`. */
static int iterate(const opevo_space *space, const opevo_landscape_table *outcomes, double enough,
                   double *rank, bool *optimum)
{
    static double next[POINTS];
    int rounds = 0;
    double change = 1;

    for (size_t x = 0; x < POINTS; x++)
        rank[x] = 1.0 / POINTS;
    while (change >= enough) {
        change = pagerank_round(space, outcomes, rank, next, optimum);
        memcpy(rank, next, sizeof next);
        rounds++;
    }
    return rounds;
}

/* The published shares are those of an iteration that ends early; one that goes on has ours. */
CHECK_TEST(test_published_centralities)
{
    static double rank[POINTS];
    static bool optimum[POINTS];

    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        opevo_objective *objective = open_recorded(published[i].name);
        opevo_landscape_table *outcomes = by_time(objective);
        opevo_profile_options options = {.nodes = OPEVO_NODES_ALL, .target = .95, .threads = 1};
        opevo_landscape_profile p;

        assert_int_equal(outcomes->size, POINTS);
        assert_int_equal(iterate(objective->space, outcomes, 1e-6 * POINTS, rank, optimum),
                         published[i].rounds);
        for (size_t k = 0; k < SLACKS; k++)
            CHECK_CLOSE(share_within(outcomes, rank, optimum, slack[k]), published[i].share[k],
                        1e-12);
        iterate(objective->space, outcomes, 1e-13, rank, optimum);
        CHECK_OK(opevo_landscape_profile_create(outcomes, objective->space, &options, &p, &err));
        for (size_t k = 0; k < OPEVO_CENTRALITIES; k++)
            CHECK_CLOSE(share_within(outcomes, rank, optimum, opevo_centrality_slack[k]),
                        p.centrality[k], 1e-9);
        opevo_landscape_profile_release(&p);
        opevo_landscape_table_destroy(outcomes);
        opevo_objective_destroy(objective);
    }
}
