/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The power that a verification claims: against known figures, against brute force, and against how
 * often spoilt samplers are in fact rejected. */

#include "check.h"
#include "spoilt_walk.h"

#include <opevo/memory.h>
#include <opevo/statistics.h>
#include <opevo/verify.h>

static opevo_graph *path_of_8(void)
{
    static const uint32_t edges[] = {0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7};
    opevo_graph *graph = NULL;

    CHECK_OK(opevo_graph_from_edges(8, edges, 7, &graph, &err));
    return graph;
}

/* Draws needed on the path of 8 against q = 0.5, computed independently beforehand. */
CHECK_TEST(test_known_figures)
{
    static const struct {
        spoilt_walk walk;
        double draws;
    } rows[] = {
        {{.start = 3, .q = 0.5, .at_least_once = true}, 112},
        {{.start = 1, .q = 0.5, .slots = 2}, 6.2e3},
        {{.start = 3, .q = 0.51}, 2.4e5},
        {{.start = 3, .q = 0.505}, 9.8e5},
        {{.start = 3, .q = 0.5, .is_cut = true, .cut = 10}, 4.5e7},
    };
    opevo_graph *graph = path_of_8();
    double uniform[1000], modulo[1000];

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        spoilt_walk walk = rows[i].walk;
        double law[8], defect[8];

        walk.graph = graph;
        spoilt_law(&walk, defect);
        walk = (spoilt_walk){.graph = graph, .start = walk.start, .q = 0.5};
        spoilt_law(&walk, law);
        CHECK_CLOSE(opevo_draws_to_detect(law, defect, 8, 1e-6, 0.999) / rows[i].draws, 1, 0.02);
    }
    for (unsigned i = 0; i < 1000; i++) { /* a 15-bit number modulo 1000 */
        uniform[i] = 1e-3;
        modulo[i] = (32 + (i < 768)) / 32768.0;
    }
    CHECK_CLOSE(opevo_draws_to_detect(uniform, modulo, 1000, 1e-6, 0.999), 2.45e6, 1e4);
    assert_true(isinf(opevo_draws_to_detect(uniform, uniform, 1000, 1e-6, 0.999)));
    opevo_graph_destroy(graph);
}

/* Of 2000 tests with a predicted power of one half, at most 4 standard errors more or fewer reject;
 * so the prediction is right within 0.045, about 3 % of the number of draws. */
static void check_realised_power(spoilt_walk walk, double q, uint64_t stream)
{
    spoilt_walk good = {.graph = walk.graph, .start = walk.start, .q = q};
    double law[SPOILT_MAX], defect[SPOILT_MAX];
    size_t n = walk.graph->vertex_count, rejected = 0;
    uint64_t draws = 0;

    spoilt_law(&good, law);
    spoilt_law(&walk, defect);
    draws = (uint64_t)opevo_draws_to_detect(law, defect, n, 1e-2, 0.5);
    for (uint64_t seed = 0; seed < 2000; seed++) {
        opevo_fit fit = {0};
        opevo_rng rng;

        opevo_rng_init(&rng, 11, "power", 10000 * stream + seed);
        CHECK_OK(opevo_verify_draws(law, n, spoilt_draw, &walk, draws, &rng, &fit, &err));
        assert_int_equal(fit.cells, n); /* nothing pooled: the prediction is for single vertices */
        rejected += fit.p_chi_square < 1e-2;
    }
    CHECK_CLOSE((double)rejected / 2000, 0.5, 4 * sqrt(0.25 / 2000));
}

CHECK_TEST(test_power_is_realised)
{
    static const uint32_t ring[] = {0, 1, 1, 2, 2, 3, 3, 4, 4, 0};
    opevo_graph *path = path_of_8(), *cycle = NULL;

    CHECK_OK(opevo_graph_from_edges(5, ring, 5, &cycle, &err));
    check_realised_power((spoilt_walk){.graph = cycle, .start = 1, .q = 0.53}, 0.5, 0);
    check_realised_power((spoilt_walk){.graph = cycle, .start = 3, .q = 0.67}, 0.7, 1);
    check_realised_power((spoilt_walk){.graph = path, .start = 3, .q = 0.5, .slots = 2}, 0.5, 2);
    opevo_graph_destroy(path);
    opevo_graph_destroy(cycle);
}

enum { FAMILY = 14, RULE_DRAWS = 8000 };

static opevo_index draw_first(void *context, opevo_rng *rng)
{
    return opevo_walker_draw(context, 0, rng);
}

/* How many of 1,000 samplers the rule rejects, whose family has FAMILY tests; the others have
 * nothing to object to. */
static size_t count_rejected(const opevo_law *law, const opevo_walker *walker, double alpha)
{
    size_t rejected = 0;

    for (uint64_t seed = 0; seed < 1000; seed++) {
        opevo_fit fits[FAMILY];
        opevo_rng rng;

        for (size_t i = 0; i < FAMILY; i++)
            fits[i] = (opevo_fit){.p_chi_square = 1, .p_g = 1};
        opevo_rng_init(&rng, 12, "power", seed);
        CHECK_OK(
            opevo_verify_law(law, draw_first, (void *)walker, RULE_DRAWS, &rng, &fits[0], &err));
        opevo_verify_judge(fits, FAMILY, alpha);
        rejected += fits[0].rejected;
    }
    return rejected;
}

/* The stated defect of q is found by the rule as a whole, twice the smaller p with Holm over the
 * family, in .999 of the samplers at least, at whatever alpha: 4 standard errors below are 995 of
 * 1,000. One whose noncentrality is half as large is missed more often; so the statement is not
 * merely safe. */
CHECK_TEST(test_power_of_the_rule)
{
    static const double alphas[] = {1e-2, 1e-6, 1e-12};

    for (size_t i = 0; i < 3; i++) {
        opevo_parameter *parameter = NULL;
        opevo_law *law = NULL;
        opevo_fit fit = {0};

        CHECK_OK(opevo_parameter_parse("P", "factor(8,3)", NULL, &parameter, &err));
        CHECK_OK(opevo_law_create(parameter, 0.5, 0, NULL, &law, &err));
        CHECK_OK(opevo_verify_power_at(parameter, 0.5, 0, RULE_DRAWS,
                                       opevo_verify_size(alphas[i], FAMILY), &fit, &err));
        for (int k = 0; k < 4; k++) {
            double delta = fit.detectable_q * (k < 2 ? 1 : sqrt(0.5)) * (k % 2 ? -1 : 1);
            opevo_walker *walker = NULL;
            size_t rejected = 0;

            CHECK_OK(opevo_walker_create(parameter, 0.5 + delta, &walker, &err));
            rejected = count_rejected(law, walker, alphas[i]);
            assert_true(k < 2 ? rejected >= 995 : rejected < 990);
            opevo_walker_destroy(walker);
        }
        opevo_law_destroy(law);
        opevo_parameter_destroy(parameter);
    }
}

static opevo_fit power_of(const char *text, const char *topology, double q, opevo_index start,
                          uint64_t draws)
{
    opevo_parameter *parameter = NULL;
    opevo_fit fit = {0};

    CHECK_OK(opevo_parameter_parse("P", text, topology, &parameter, &err));
    CHECK_OK(opevo_verify_power(parameter, q, start, draws, &fit, &err));
    opevo_parameter_destroy(parameter);
    return fit;
}

/* Noncentrality of `walk` against the q-walk on the same graph; every cell expects 10 draws here,
 * so nothing is pooled. */
static bool is_caught(const spoilt_walk *walk, double q, double draws)
{
    spoilt_walk good = {.graph = walk->graph, .start = walk->start, .q = q};
    double law[SPOILT_MAX], defect[SPOILT_MAX];

    spoilt_law(&good, law);
    spoilt_law(walk, defect);
    return opevo_draws_to_detect(law, defect, walk->graph->vertex_count, 1e-6, 0.999) <= draws;
}

/* Caught at delta either way; one way at least not caught below it. */
static void check_q_field(spoilt_walk walk, double q, double draws, double delta)
{
    bool up = false, down = false;

    walk.q = q + delta;
    assert_true(is_caught(&walk, q, draws * 1.0001));
    walk.q = q - delta;
    assert_true(is_caught(&walk, q, draws * 1.0001));
    walk.q = q + 0.985 * delta;
    up = is_caught(&walk, q, draws);
    walk.q = q - 0.985 * delta;
    down = is_caught(&walk, q, draws);
    assert_false(up && down);
}

static void check_cut_field(spoilt_walk walk, double q, double draws, uint64_t detectable)
{
    uint64_t largest = 0;

    walk.is_cut = true;
    for (walk.cut = 0; walk.cut < 60; walk.cut++)
        if (is_caught(&walk, q, draws))
            largest = walk.cut;
    assert_int_equal(detectable, largest);
}

/* Of more than 64 edges a sample is tried; 0.2 is more than 3 standard errors of its share. */
static void check_edge_field(spoilt_walk walk, double q, double draws, const opevo_fit *fit)
{
    const opevo_graph *graph = walk.graph;
    uint64_t edges = 0, caught = 0;

    walk.misses_edge = true;
    for (walk.from = 0; walk.from < graph->vertex_count; walk.from++) {
        for (uint64_t e = graph->offset[walk.from]; e < graph->offset[walk.from + 1]; e++) {
            walk.to = graph->target[e];
            edges += walk.to > walk.from;
            caught += walk.to > walk.from && is_caught(&walk, q, draws);
        }
    }
    assert_int_equal(fit->edges_tried, edges <= 64 ? edges : 64);
    CHECK_CLOSE(fit->detectable_edge, (double)caught / (double)edges, edges <= 64 ? 1e-15 : 0.2);
}

/* All three fields against brute force on small graphs. */
CHECK_TEST(test_fields_by_brute_force)
{
    static const struct {
        opevo_index start;
        const char *parameter;
        double q;
    } rows[] = {
        {3, "discrete(1,2,3,4,5,6,7,8)", 0.5},
        {0, "discrete(1,2,3,4,5,6,7,8)", 0.6},
        {0, "factor(8,3)", 0.5},
        {5, "factor(8,3)", 0.4},
        {1, "categorical(a,b,c,d,e,f)", 0.5},
        {2, "permutation(3)", 0.8},
        {7, "factor(24,3)", 0.5},
    };
    const double draws = 2e5;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        opevo_parameter *parameter = NULL;
        opevo_graph *graph = NULL;
        opevo_fit fit = power_of(rows[i].parameter, NULL, rows[i].q, rows[i].start, 200000);
        spoilt_walk walk = {.start = (size_t)rows[i].start, .q = rows[i].q};

        CHECK_OK(opevo_parameter_parse("P", rows[i].parameter, NULL, &parameter, &err));
        CHECK_OK(opevo_graph_create(parameter, 0, &graph, &err));
        walk.graph = graph;
        check_q_field(walk, rows[i].q, draws, fit.detectable_q);
        check_cut_field(walk, rows[i].q, draws, fit.detectable_cut);
        check_edge_field(walk, rows[i].q, draws, &fit);
        opevo_graph_destroy(graph);
        opevo_parameter_destroy(parameter);
    }
}

/* Pooling counts: with few draws most vertices share a cell, and less is caught than without. */
CHECK_TEST(test_pooling_costs_power)
{
    opevo_fit few = power_of("factor(1024,3)", NULL, 0.5, 0, 2000);
    opevo_fit many = power_of("factor(1024,3)", NULL, 0.5, 0, 2000000);

    assert_true(few.detectable_q > many.detectable_q);
    assert_true(few.detectable_q > 0.02 && few.detectable_q < 0.3);
    assert_true(many.detectable_q > 0.001 && many.detectable_q < 0.01);
    assert_true(few.detectable_cut < many.detectable_cut);
    assert_true(few.detectable_edge <= many.detectable_edge);
}

/* From q = 0 every draw that moves is impossible: 1 - (1 - delta)^N >= 0.999. */
CHECK_TEST(test_walk_that_stays)
{
    opevo_fit fit = power_of("factor(8,3)", NULL, 0, 0, 1000);

    CHECK_CLOSE(fit.detectable_q / (1 - pow(0.001, 0.001)), 1, 0.011);
    assert_int_equal(fit.detectable_cut, 0);
    CHECK_CLOSE(fit.detectable_edge, 0, 0);
}

/* A single vertex: nothing can go wrong, nothing is caught. */
CHECK_TEST(test_single_vertex)
{
    opevo_fit fit = power_of("factor(1,3)", NULL, 0.5, 0, 1000);

    assert_true(isnan(fit.detectable_q) && isnan(fit.detectable_edge));
    assert_int_equal(fit.detectable_cut, 0);
    assert_int_equal(fit.edges_tried, 0);
}

CHECK_TEST(test_bad_arguments)
{
    opevo_parameter *parameter = NULL;
    opevo_fit fit = {.draws = 5};

    CHECK_OK(opevo_parameter_parse("P", "factor(8,3)", NULL, &parameter, &err));
    CHECK_FAILS(OPEVO_INVALID, "draw", opevo_verify_power(parameter, 0.5, 0, 0, &fit, &err));
    CHECK_FAILS(OPEVO_INVALID, "q", opevo_verify_power(parameter, 1, 0, 9, &fit, &err));
    CHECK_FAILS(OPEVO_INVALID, "start", opevo_verify_power(parameter, 0.5, 10, 9, &fit, &err));
    CHECK_FAILS(OPEVO_INVALID, "size", opevo_verify_power_at(parameter, 0.5, 0, 9, 0, &fit, &err));
    CHECK_FAILS(OPEVO_INVALID, "size",
                opevo_verify_power_at(parameter, 0.5, 0, 9, 0.999, &fit, &err));
    assert_int_equal(fit.draws, 5);
    opevo_parameter_destroy(parameter);
}

CHECK_TEST(test_failing_allocations)
{
    opevo_parameter *parameter = NULL;
    opevo_status status = OPEVO_NOMEM;
    int64_t alive = 0;

    CHECK_OK(opevo_parameter_parse("P", "factor(8,3)", NULL, &parameter, &err));
    alive = opevo_memory_live();
    for (int64_t n = 1; status != OPEVO_OK; n += n < 60 ? 1 : 7) {
        opevo_fit fit = {.detectable_q = 7};

        opevo_memory_fail_at(n);
        status = opevo_verify_power(parameter, 0.5, 0, 1000, &fit, NULL);
        opevo_memory_fail_at(0);
        assert_true(status == OPEVO_OK || status == OPEVO_NOMEM);
        assert_int_equal(opevo_memory_live(), alive);
        assert_true(status == OPEVO_OK || fit.detectable_q == 7);
    }
    opevo_parameter_destroy(parameter);
}
