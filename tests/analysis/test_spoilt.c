/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Verification accepts the true walk and rejects spoilt ones. Each defect is given the number of
 * draws at which theory catches it with probability 0.999 at alpha = 1e-6 (and a tenth more, since
 * pooling blurs a little), so that a test that were weaker than it claims would fail here. */

#include "check.h"
#include "spoilt_walk.h"

#include <opevo/statistics.h>
#include <opevo/verify.h>

typedef struct defect {
    const char *name;
    const char *parameter;
    size_t start;
    double q; /* of the law verified */
    spoilt_walk walk;
} defect;

static const defect defects[] = {
    {"q too small", "factor(8,3)", 0, 0.5, {.q = 0.48}},
    {"q too large", "factor(8,3)", 4, 0.5, {.q = 0.52}},
    {"q means stopping", "categorical(a,b,c,d,e,f)", 2, 0.4, {.q = 0.6}},
    {"lazy boundary", "discrete(1,2,3,4,5,6,7,8)", 1, 0.5, {.q = 0.5, .slots = 2}},
    {"lazy boundary", "factor(8,3)", 0, 0.5, {.q = 0.5, .slots = 6}},
    {"missing edge", "factor(8,3)", 0, 0.5, {.q = 0.5, .misses_edge = true, .from = 0, .to = 1}},
    {"missing edge",
     "categorical(a,b,c,d,e,f)",
     0,
     0.5,
     {.q = 0.5, .misses_edge = true, .from = 2, .to = 5}},
    {"at least one step", "discrete(1,2,3,4,5,6,7,8)", 3, 0.5, {.q = 0.5, .at_least_once = true}},
    {"at least one step", "permutation(3)", 0, 0.5, {.q = 0.5, .at_least_once = true}},
    {"cut at 4 steps", "discrete(1,2,3,4,5,6,7,8)", 0, 0.5, {.q = 0.5, .is_cut = true, .cut = 4}},
    {"modulo bias", "factor(8,3)", 4, 0.5, {.q = 0.5, .bits = 5}},
    {"modulo bias", "categorical(a,b,c,d,e,f)", 0, 0.5, {.q = 0.5, .bits = 7}},
};

/* What one defect is tested with. */
typedef struct fixture {
    opevo_parameter *parameter;
    opevo_graph *graph;
    opevo_law *law;
    spoilt_walk walk;
    double exact[SPOILT_MAX], spoilt[SPOILT_MAX];
} fixture;

static void set_up(const defect *d, fixture *f)
{
    CHECK_OK(opevo_parameter_parse("P", d->parameter, NULL, &f->parameter, &err));
    CHECK_OK(opevo_graph_create(f->parameter, 0, &f->graph, &err));
    CHECK_OK(opevo_law_create(f->parameter, d->q, d->start, NULL, &f->law, &err));
    assert_true(f->graph->vertex_count <= SPOILT_MAX);
    f->walk = d->walk;
    f->walk.graph = f->graph;
    f->walk.start = d->start;
    for (size_t v = 0; v < f->graph->vertex_count; v++)
        f->exact[v] = opevo_law_probability(f->law, v);
    spoilt_law(&f->walk, f->spoilt);
}

static void tear_down(fixture *f)
{
    opevo_law_destroy(f->law);
    opevo_graph_destroy(f->graph);
    opevo_parameter_destroy(f->parameter);
}

static uint64_t draws_for(const fixture *f)
{
    double draws = opevo_draws_to_detect(f->exact, f->spoilt, f->graph->vertex_count, 1e-6, 0.999);

    assert_true(draws < 5e6);
    return (uint64_t)(1.1 * draws) + 50;
}

CHECK_TEST(test_spoilt_walks_are_rejected)
{
    for (size_t i = 0; i < sizeof defects / sizeof defects[0]; i++) {
        fixture f = {0};
        opevo_fit fit = {0};
        opevo_rng rng;

        set_up(&defects[i], &f);
        opevo_rng_init(&rng, 1, "spoilt", i);
        CHECK_OK(opevo_verify_law(f.law, spoilt_draw, &f.walk, draws_for(&f), &rng, &fit, &err));
        if (!(fit.p_chi_square < 1e-6))
            fail_msg("%s on %s passed: p = %g after %g draws", defects[i].name,
                     defects[i].parameter, fit.p_chi_square, (double)fit.draws);
        tear_down(&f);
    }
}

/* The spoilt sampler is itself sound: it draws from the law computed for it. So what is rejected
 * above is the defect and not something else. Bonferroni at 1e-4 over the family. */
CHECK_TEST(test_spoilt_walks_follow_their_own_law)
{
    enum { COUNT = sizeof defects / sizeof defects[0] };
    opevo_fit fits[COUNT];

    for (size_t i = 0; i < COUNT; i++) {
        fixture f = {0};
        opevo_rng rng;

        set_up(&defects[i], &f);
        opevo_rng_init(&rng, 2, "spoilt", i);
        CHECK_OK(opevo_verify_draws(f.spoilt, f.graph->vertex_count, spoilt_draw, &f.walk, 200000,
                                    &rng, &fits[i], &err));
        tear_down(&f);
    }
    opevo_verify_judge(fits, COUNT, 1e-4);
    for (size_t i = 0; i < COUNT; i++)
        assert_false(fits[i].rejected);
}

/* A walk of the library from one vertex. */
typedef struct true_walk {
    const opevo_walker *walker;
    opevo_index start;
} true_walk;

static opevo_index draw_true(void *context, opevo_rng *rng)
{
    const true_walk *self = context;

    return opevo_walker_draw(self->walker, self->start, rng);
}

/* With as many draws, the library's own sampler passes: it would fail by chance in one of 10^4
 * choices of the seed. */
CHECK_TEST(test_true_walks_are_accepted)
{
    enum { COUNT = sizeof defects / sizeof defects[0] };
    opevo_fit fits[COUNT];

    for (size_t i = 0; i < COUNT; i++) {
        fixture f = {0};
        opevo_walker *walker = NULL;
        true_walk walk = {.start = defects[i].start};
        opevo_rng rng;

        set_up(&defects[i], &f);
        CHECK_OK(opevo_walker_create(f.parameter, defects[i].q, &walker, &err));
        walk.walker = walker;
        opevo_rng_init(&rng, 3, "spoilt", i);
        CHECK_OK(opevo_verify_law(f.law, draw_true, &walk, draws_for(&f), &rng, &fits[i], &err));
        opevo_walker_destroy(walker);
        tear_down(&f);
    }
    opevo_verify_judge(fits, COUNT, 1e-4);
    for (size_t i = 0; i < COUNT; i++)
        assert_false(fits[i].rejected);
}

/* permutation(20) has 2.4e18 vertices: cells are the values that the law takes on cycle types. The
 * true walk passes; q off by 0.02 does not. The chance of moving at all changes from .5 to .52,
 * which alone is noncentrality 40000 * .0016 = 64 of the 110 or so needed; the rest comes from the
 * longer cycle types. */
CHECK_TEST(test_vertices_beyond_counting)
{
    opevo_parameter *parameter = NULL;
    opevo_law *law = NULL;
    opevo_walker *good = NULL, *bad = NULL;
    opevo_fit fit = {0};
    opevo_rng rng;

    CHECK_OK(opevo_parameter_parse("P", "permutation(20)", NULL, &parameter, &err));
    CHECK_OK(opevo_law_create(parameter, 0.5, 12345, NULL, &law, &err));
    CHECK_OK(opevo_walker_create(parameter, 0.5, &good, &err));
    CHECK_OK(opevo_walker_create(parameter, 0.52, &bad, &err));
    opevo_rng_init(&rng, 4, "spoilt", 0);
    CHECK_OK(opevo_verify_law(law, draw_true, &(true_walk){good, 12345}, 40000, &rng, &fit, &err));
    assert_true(fit.cells >= 8);
    assert_int_equal(fit.impossible, 0);
    assert_true(fit.p_chi_square > 1e-4 && fit.p_g > 1e-4);
    CHECK_OK(opevo_verify_power(parameter, 0.5, 12345, 40000, &fit, &err));
    assert_true(fit.detectable_q > 0.005 && fit.detectable_q < 0.05);
    assert_int_equal(fit.detectable_cut, 0);
    assert_true(isnan(fit.detectable_edge));
    CHECK_OK(opevo_verify_law(law, draw_true, &(true_walk){bad, 12345}, 80000, &rng, &fit, &err));
    assert_true(fit.p_chi_square < 1e-6);
    opevo_walker_destroy(good);
    opevo_walker_destroy(bad);
    opevo_law_destroy(law);
    opevo_parameter_destroy(parameter);
}
