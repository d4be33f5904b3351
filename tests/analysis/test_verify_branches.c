/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Verification of the child step in spaces with branches: the library's own step is accepted, and
 * so is another that is written down here; each way of spoiling that one is rejected. */

#include "check.h"

#include "branched_spaces.h"

#include <opevo/child_sampler.h>
#include <opevo/verify.h>

enum { WIDTH = 8, PARENTS = 4, MOST_POINTS = 80, DRAWS = 40000 };

static const struct {
    const char *json;
    opevo_index parents[PARENTS];
} spaces[] = {
    {"{" FLAT_CHOICE "}", {0, 13, 30, 53}},
    {"{" FLAT_CHOICE "}", {12, 17, 30, 53}}, /* no parent in conv */
    {"{" TWO_LEVELS TWO_LEVELS_CONSTRAINT "}", {2, 5, 40, 70}},
    {"{" TWO_LEVELS TWO_LEVELS_CONSTRAINT "}", {71, 70, 67, 66}},
};
enum { SPACES = sizeof spaces / sizeof *spaces };
static const double weights[PARENTS] = {1, 2.5, 0.5, 4};

/* What a step does wrong. */
typedef enum defect {
    NONE,
    FRESH_UNIFORM,    /* what becomes active is uniform, whatever the parents have */
    FRESH_STAYS,      /* and does not walk */
    FRESH_UNWEIGHTED, /* each parent in which it is active counts alike */
    FRESH_FIRST,      /* where no parent has it, it is the first value */
    FRESH_WALKS,      /* and where it is uniform, the walk comes from the first value */
    BRANCH_STAYS,     /* the branch does not walk */
    BRANCH_BY_SIZE,   /* the branch is as probable as it has points */
    ACTIVE_IS_FRESH,  /* what stays active is drawn again instead of walking */
    DEFECTS
} defect;

static const opevo_child_limits limits = {OPEVO_CHILD_PATIENCE, OPEVO_CHILD_TRIES};

typedef struct fixture {
    opevo_space *space;
    size_t width, size;
    opevo_parents parents;
    opevo_index rows[PARENTS][WIDTH];
    bool taken[MOST_POINTS];
    opevo_index_set *seen;
    opevo_child_sampler *sampler;
    opevo_walker *walkers[WIDTH];
    defect defect;
} fixture;

static void set_up(fixture *f, size_t number, double q, opevo_duplicate_rule rule)
{
    const opevo_index *rows[PARENTS];

    *f = (fixture){.parents = {spaces[number].parents, weights, PARENTS}};
    CHECK_OK(opevo_space_parse(spaces[number].json, "test", NULL, &f->space, &err));
    f->width = opevo_space_parameter_count(f->space);
    f->size = (size_t)opevo_space_size(f->space);
    assert_true(f->size <= MOST_POINTS && f->width <= WIDTH);
    CHECK_OK(opevo_child_sampler_create(f->space, q, rule, &f->sampler, &err));
    f->seen = opevo_index_set_create();
    for (size_t j = 0; j < PARENTS; j++) {
        assert_true(opevo_space_allows(f->space, spaces[number].parents[j]));
        f->taken[(size_t)spaces[number].parents[j]] = true;
        opevo_space_decode(f->space, spaces[number].parents[j], f->rows[j]);
        rows[j] = f->rows[j];
    }
    for (size_t x = 0; x < f->size; x++) {
        f->taken[x] |= x % 5 == 1;
        if (f->taken[x])
            assert_true(opevo_index_set_add(f->seen, x));
        f->taken[x] |= !opevo_space_allows(f->space, x);
    }
    CHECK_OK(opevo_child_sampler_set_parents(f->sampler, rows, weights, PARENTS, &err));
    for (size_t i = 0; i < f->width; i++)
        CHECK_OK(opevo_walker_create(opevo_space_parameter(f->space, i), q, &f->walkers[i], &err));
}

static void tear_down(fixture *f)
{
    for (size_t i = 0; i < f->width; i++)
        opevo_walker_destroy(f->walkers[i]);
    opevo_child_sampler_destroy(f->sampler);
    opevo_index_set_destroy(f->seen);
    opevo_space_destroy(f->space);
}

static opevo_index draw_child(void *context, opevo_rng *rng)
{
    fixture *f = context;
    opevo_index vertices[WIDTH], point = OPEVO_INDEX_MAX;

    if (!opevo_child_sampler_draw(f->sampler, f->seen, rng, vertices, &point))
        return OPEVO_INDEX_MAX;
    return point;
}

/* ---- Another step ---- */

static opevo_index walk(const fixture *f, size_t i, opevo_index from, opevo_rng *rng)
{
    return opevo_walker_draw(f->walkers[i], from, rng);
}

/* From a parent, by tries: a parent by weight until the parameter is active in it. */
static opevo_index parent_of(const fixture *f, size_t i, bool weighted, opevo_rng *rng)
{
    for (;;) {
        double x = opevo_rng_unit(rng) * (weighted ? 8 : PARENTS);
        size_t j = 0;

        while (j + 1 < PARENTS && x >= (weighted ? weights[j] : 1))
            x -= weighted ? weights[j++] : (j++, 1);
        if (f->rows[j][i] != OPEVO_INACTIVE)
            return f->rows[j][i];
    }
}

static opevo_index fresh(const fixture *f, size_t i, opevo_rng *rng)
{
    opevo_index size = opevo_parameter_size(opevo_space_parameter(f->space, i)), vertex = 0;
    bool any = false;

    for (size_t j = 0; j < PARENTS; j++)
        any |= f->rows[j][i] != OPEVO_INACTIVE;
    if (!any && f->defect == FRESH_WALKS)
        return walk(f, i, 0, rng);
    if (!any && f->defect == FRESH_FIRST)
        return 0;
    if (!any || f->defect == FRESH_UNIFORM)
        return opevo_rng_below_wide(rng, size);
    vertex = parent_of(f, i, f->defect != FRESH_UNWEIGHTED, rng);
    return f->defect == FRESH_STAYS ? vertex : walk(f, i, vertex, rng);
}

static bool is_branching(const fixture *f, size_t i)
{
    return i + 1 < f->width && opevo_space_activation(f->space, i + 1).parent == i;
}

/* The branch of a point drawn from all of them. */
static opevo_index branch_by_size(const fixture *f, size_t i, opevo_rng *rng)
{
    opevo_index vertices[WIDTH];

    do
        opevo_space_decode(f->space, opevo_rng_below_wide(rng, f->size), vertices);
    while (vertices[i] == OPEVO_INACTIVE);
    return vertices[i];
}

static opevo_index mutate_one(const fixture *f, size_t i, opevo_index from, opevo_rng *rng)
{
    if (is_branching(f, i) && f->defect == BRANCH_STAYS)
        return from;
    if (is_branching(f, i) && f->defect == BRANCH_BY_SIZE)
        return branch_by_size(f, i, rng);
    if (f->defect == ACTIVE_IS_FRESH &&
        opevo_space_activation(f->space, i).parent != OPEVO_NO_PARENT)
        return fresh(f, i, rng);
    return walk(f, i, from, rng);
}

static opevo_index draw_other(void *context, opevo_rng *rng)
{
    fixture *f = context;
    opevo_index before[WIDTH], after[WIDTH], point = 0;

    for (size_t i = 0; i < f->width; i++)
        before[i] = opevo_space_is_active(f->space, i, before) ? parent_of(f, i, true, rng)
                                                               : OPEVO_INACTIVE;
    for (int tries = 0; tries < 10000; tries++) {
        for (size_t i = 0; i < f->width; i++) {
            if (!opevo_space_is_active(f->space, i, after))
                after[i] = OPEVO_INACTIVE;
            else
                after[i] = before[i] == OPEVO_INACTIVE ? fresh(f, i, rng)
                                                       : mutate_one(f, i, before[i], rng);
        }
        point = opevo_space_encode(f->space, after);
        if (!f->taken[point])
            return point;
        memcpy(before, after, sizeof before);
    }
    return f->size;
}

/* ---- Verdicts ---- */

static opevo_fit verify(fixture *f, size_t number, double q, opevo_duplicate_rule rule,
                        opevo_draw draw)
{
    opevo_fit fit = {0};
    opevo_rng rng;
    double bound = 1;

    opevo_rng_init(&rng, 11, "branches", number);
    CHECK_OK(
        opevo_verify_child(&(opevo_child_step){f->space, &f->parents, q, rule, f->taken, limits},
                           draw, f, DRAWS, &rng, &fit, &bound, &err));
    assert_true(bound < 1e-9);
    return fit;
}

/* p above 1e-4 at a fixed seed. */
CHECK_TEST(test_the_step_is_accepted)
{
    static const double qs[] = {0.2, 0.7};

    for (size_t s = 0; s < SPACES; s++) {
        for (opevo_duplicate_rule rule = 0; rule < 2; rule++) {
            for (size_t k = 0; k < 2; k++) {
                fixture f;
                opevo_fit fit;

                set_up(&f, s, qs[k], rule);
                fit = verify(&f, s, qs[k], rule, draw_child);
                assert_true(fit.cells > 20);
                assert_int_equal(fit.impossible, 0);
                if (!(fit.p_chi_square > 1e-4 && fit.p_g > 1e-4))
                    fail_msg("space %zu, rule %d, q %g: p = %g, %g", s, (int)rule, qs[k],
                             fit.p_chi_square, fit.p_g);
                tear_down(&f);
            }
        }
    }
}

/* Every defect is rejected in one of the spaces at least (p below 1e-6), and none in all. */
CHECK_TEST(test_spoilt_steps_are_rejected)
{
    for (defect d = NONE; d < DEFECTS; d++) {
        size_t rejected = 0;

        for (size_t s = 0; s < SPACES && rejected == 0; s++) {
            fixture f;
            opevo_fit fit;

            set_up(&f, s, 0.5, OPEVO_DUPLICATE_CONTINUE);
            f.defect = d;
            fit = verify(&f, s, 0.5, OPEVO_DUPLICATE_CONTINUE, draw_other);
            rejected += fit.p_chi_square < 1e-6;
            if (d == NONE && !(fit.p_chi_square > 1e-4))
                fail_msg("space %zu: p = %g without a defect", s, fit.p_chi_square);
            tear_down(&f);
        }
        if (d != NONE && rejected == 0)
            fail_msg("defect %d is not rejected", (int)d);
    }
}

/* The power that is stated can be computed here, too. */
CHECK_TEST(test_power)
{
    fixture f;
    opevo_fit fit;

    set_up(&f, 0, 0.5, OPEVO_DUPLICATE_CONTINUE);
    fit = verify(&f, 0, 0.5, OPEVO_DUPLICATE_CONTINUE, draw_child);
    CHECK_OK(opevo_verify_child_power(
        &(opevo_child_step){f.space, &f.parents, 0.5, OPEVO_DUPLICATE_CONTINUE, f.taken, limits},
        DRAWS, &fit, &err));
    assert_true(fit.detectable_q > 0 && fit.detectable_q < 0.1);
    assert_int_equal(fit.detects_duplicates, OPEVO_CAUGHT_YES);
    tear_down(&f);
}
