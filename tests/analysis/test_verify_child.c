/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Verification of the whole child step, with the library's own step and with spoilt ones. */

#include "parameters.h"
#include "points.h"
#include "random_systems.h"

#include <opevo/child_sampler.h>
#include <opevo/memory.h>
#include <opevo/verify.h>

#include <stdlib.h>

/* 10 * 4 * 3 = 120 points, three kinds of graph. */
static const char *const space_json =
    "{\"K\": {\"_type\": \"factor\", \"_value\": [8, 3]},"
    " \"D\": {\"_type\": \"discrete\", \"_value\": [1, 2, 3, 4]},"
    " \"C\": {\"_type\": \"choice\", \"_value\": [\"a\", \"b\", \"c\"]}}";
enum { POINTS = 120, PARAMETERS = 3, PARENTS = 4 };

static const opevo_index parents[PARENTS] = {0, 17, 55, 119};
static const double weights[PARENTS] = {1, 2.5, 0, 4};

static const opevo_child_limits limits = {OPEVO_CHILD_PATIENCE, OPEVO_CHILD_TRIES};

typedef struct fixture {
    opevo_space *space;
    opevo_parents parents;
    bool taken[POINTS];
    opevo_index_set *seen;
    opevo_child_sampler *sampler;
} fixture;

/* Every third point and the parents are taken, so that most children need the rule. */
static void set_up(fixture *f, double q, opevo_duplicate_rule rule)
{
    opevo_index vertices[PARENTS][PARAMETERS];
    const opevo_index *rows[PARENTS];

    *f = (fixture){.parents = {.points = parents, .weights = weights, .count = PARENTS}};
    CHECK_OK(opevo_space_parse(space_json, "test", NULL, &f->space, &err));
    assert_true(opevo_space_size(f->space) == POINTS);
    CHECK_OK(opevo_child_sampler_create(f->space, q, rule, &f->sampler, &err));
    f->seen = opevo_index_set_create();
    for (size_t x = 0; x < POINTS; x++)
        f->taken[x] = x % 3 == 1;
    for (size_t j = 0; j < PARENTS; j++) {
        f->taken[(size_t)parents[j]] = true;
        opevo_space_decode(f->space, parents[j], vertices[j]);
        rows[j] = vertices[j];
    }
    for (size_t x = 0; x < POINTS; x++)
        if (f->taken[x])
            assert_true(opevo_index_set_add(f->seen, x));
    CHECK_OK(opevo_child_sampler_set_parents(f->sampler, rows, weights, PARENTS, &err));
}

static void tear_down(fixture *f)
{
    opevo_child_sampler_destroy(f->sampler);
    opevo_index_set_destroy(f->seen);
    opevo_space_destroy(f->space);
}

static opevo_index draw_child(void *context, opevo_rng *rng)
{
    fixture *f = context;
    opevo_index vertices[PARAMETERS], point = OPEVO_INDEX_MAX;

    if (!opevo_child_sampler_draw(f->sampler, f->seen, rng, vertices, &point))
        return OPEVO_INDEX_MAX;
    return point;
}

/* The library's step draws from the exact law of either rule (p above 1e-4 at a fixed seed). */
CHECK_TEST(test_child_step_is_accepted)
{
    for (opevo_duplicate_rule rule = 0; rule < 2; rule++) {
        for (int i = 0; i < 2; i++) {
            double q = i ? 0.7 : 0.3;
            fixture f;
            opevo_fit fit = {0};
            opevo_rng rng;
            double bound = 1;

            set_up(&f, q, rule);
            opevo_rng_init(&rng, 6, "child", rule);
            CHECK_OK(opevo_verify_child(
                &(opevo_child_step){f.space, &f.parents, q, rule, f.taken, limits}, draw_child, &f,
                100000, &rng, &fit, &bound, &err));
            assert_true(fit.cells > 40);
            assert_int_equal(fit.impossible, 0);
            assert_true(bound < 1e-9);
            if (!(fit.p_chi_square > 1e-4 && fit.p_g > 1e-4))
                fail_msg("rule %d, q %g: p = %g, %g", (int)rule, q, fit.p_chi_square, fit.p_g);
            tear_down(&f);
        }
    }
}

/* One rule's sampler against the other rule's law, and a wrong q. Their exact laws differ enough
 * that theory puts the power of 100,000 draws above 0.999 at alpha = 1e-6. */
CHECK_TEST(test_wrong_steps_are_rejected)
{
    static const struct {
        double q_drawn, q_law;
        opevo_duplicate_rule rule_drawn, rule_law;
    } rows[] = {
        {0.5, 0.5, OPEVO_DUPLICATE_CONTINUE, OPEVO_DUPLICATE_REDRAW},
        {0.5, 0.5, OPEVO_DUPLICATE_REDRAW, OPEVO_DUPLICATE_CONTINUE},
        {0.52, 0.5, OPEVO_DUPLICATE_CONTINUE, OPEVO_DUPLICATE_CONTINUE},
        {0.48, 0.5, OPEVO_DUPLICATE_REDRAW, OPEVO_DUPLICATE_REDRAW},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fixture f;
        opevo_fit fit = {0};
        opevo_rng rng;

        set_up(&f, rows[i].q_drawn, rows[i].rule_drawn);
        opevo_rng_init(&rng, 7, "child", i);
        CHECK_OK(opevo_verify_child(&(opevo_child_step){f.space, &f.parents, rows[i].q_law,
                                                        rows[i].rule_law, f.taken, limits},
                                    draw_child, &f, 100000, &rng, &fit, NULL, &err));
        assert_int_equal(fit.impossible, 0);
        if (!(fit.p_chi_square < 1e-6))
            fail_msg("row %zu passed: p = %g", i, fit.p_chi_square);
        tear_down(&f);
    }
}

/* A step that forgets which points are taken is refuted by its first duplicate. */
CHECK_TEST(test_duplicates_are_impossible)
{
    fixture f;
    opevo_fit fit = {0};
    opevo_index_set *none = opevo_index_set_create();
    opevo_index_set *seen = NULL;
    opevo_rng rng;

    set_up(&f, 0.5, OPEVO_DUPLICATE_REDRAW);
    seen = f.seen;
    f.seen = none;
    opevo_rng_init(&rng, 8, "child", 0);
    CHECK_OK(opevo_verify_child(
        &(opevo_child_step){f.space, &f.parents, 0.5, OPEVO_DUPLICATE_REDRAW, f.taken, limits},
        draw_child, &f, 1000, &rng, &fit, NULL, &err));
    assert_true(fit.impossible > 100);
    assert_true(fit.p_chi_square == 0);
    f.seen = seen;
    opevo_index_set_destroy(none);
    tear_down(&f);
}

/* The paths 0 - 1 - 2 and 3 - 4 - 5. */
static opevo_space *space_in_two_parts(void)
{
    opevo_parameter *parameter = parameter_of_edges("0 1\n1 2\n3 4\n4 5\n");
    opevo_space *space = NULL;

    CHECK_OK(opevo_space_create(&parameter, 1, NULL, 0, OPEVO_DIALECT_C, "test", &space, &err));
    return space;
}

/* A quarter of the children start in the second part. Without a free point there they are
 * recombined anew, and 1/16 of all steps find no child. */
CHECK_TEST(test_parts)
{
    static const opevo_index points[] = {0, 5};
    static const double shares[] = {3, 1};
    const opevo_index *rows[] = {&points[0], &points[1]};
    fixture f = {.space = space_in_two_parts(), .parents = {points, shares, 2}};

    for (int i = 0; i < 4; i++) {
        opevo_duplicate_rule rule = i % 2 ? OPEVO_DUPLICATE_REDRAW : OPEVO_DUPLICATE_CONTINUE;
        bool taken[] = {true, false, false, i < 2, true, true};
        opevo_fit fit = {0};
        double bound = 7;
        opevo_rng rng;

        f.seen = opevo_index_set_create();
        CHECK_OK(opevo_child_sampler_create(f.space, 0.5, rule, &f.sampler, &err));
        CHECK_OK(opevo_child_sampler_set_parents(f.sampler, rows, shares, 2, &err));
        for (size_t x = 0; x < 6; x++)
            if (taken[x])
                assert_true(opevo_index_set_add(f.seen, x));
        opevo_rng_init(&rng, 10, "child", (uint64_t)i);
        CHECK_OK(
            opevo_verify_child(&(opevo_child_step){f.space, &f.parents, 0.5, rule, taken, limits},
                               draw_child, &f, 4000, &rng, &fit, &bound, &err));
        assert_int_equal(fit.cells, 3);
        assert_true(bound < 1e-9);
        if (!(fit.p_chi_square > 1e-4 && fit.p_g > 1e-4))
            fail_msg("case %d: p = %g, %g", i, fit.p_chi_square, fit.p_g);
        opevo_index_set_destroy(f.seen);
        opevo_child_sampler_destroy(f.sampler);
    }
    opevo_space_destroy(f.space);
}

/* ---- Limits ---- */

/* Six points are allowed. A child that is recombined outside them finds the last of them with one
 * mutation in hundreds, so that limits show. */
static const char *const rare_json = "{\"a\": {\"_type\": \"randint\", \"_value\": [1, 5]},"
                                     " \"b\": {\"_type\": \"randint\", \"_value\": [1, 5]},"
                                     " \"_constraints\": [\"a*b % 3 != 0\", \"a <= b\"]}";

typedef struct impatient {
    const opevo_space *space;
    opevo_child_sampler *sampler;
    opevo_index_set *seen;
    opevo_child_limits limits;
} impatient;

static opevo_index draw_impatient(void *context, opevo_rng *rng)
{
    impatient *self = context;
    opevo_index vertices[16], point = 0;

    return opevo_child_sampler_try(self->sampler, self->seen, self->limits, rng, vertices, &point)
               ? point
               : OPEVO_INDEX_MAX;
}

/* The points that are allowed and seen are the parents, of equal weight. */
static opevo_fit fit_seen(const opevo_space *space, opevo_duplicate_rule rule, const bool *taken,
                          uint64_t draws, opevo_child_limits drawn, opevo_child_limits of_law)
{
    size_t size = (size_t)opevo_space_size(space), width = opevo_space_parameter_count(space);
    impatient self = {.limits = drawn, .seen = opevo_index_set_create()};
    opevo_index *points = opevo_calloc(size, sizeof *points);
    opevo_index *vertices = opevo_calloc(size * width, sizeof *vertices);
    const opevo_index **rows = opevo_calloc(size, sizeof *rows);
    double *equal = opevo_calloc(size, sizeof *equal);
    opevo_parents of = {points, equal, 0};
    opevo_fit fit = {0};
    opevo_rng rng;

    for (size_t x = 0; x < size; x++) {
        if (!taken[x] || !opevo_space_allows(space, x))
            continue;
        rows[of.count] = vertices + of.count * width;
        opevo_space_decode(space, x, vertices + of.count * width);
        equal[of.count] = 1;
        points[of.count++] = x;
        assert_true(opevo_index_set_add(self.seen, x));
    }
    CHECK_OK(opevo_child_sampler_create(space, 0.3, rule, &self.sampler, &err));
    CHECK_OK(opevo_child_sampler_set_parents(self.sampler, rows, equal, of.count, &err));
    opevo_rng_init(&rng, 11, "child", rule);
    CHECK_OK(opevo_verify_child(&(opevo_child_step){space, &of, 0.3, rule, taken, of_law},
                                draw_impatient, &self, draws, &rng, &fit, NULL, &err));
    opevo_child_sampler_destroy(self.sampler);
    opevo_index_set_destroy(self.seen);
    opevo_free(points);
    opevo_free(vertices);
    opevo_free(rows);
    opevo_free(equal);
    return fit;
}

/* All that is allowed is seen but the last `left` points. */
static opevo_fit fit_rare(opevo_duplicate_rule rule, size_t left, uint64_t draws,
                          opevo_child_limits drawn, opevo_child_limits of_law)
{
    opevo_space *space = NULL;
    bool taken[16];
    opevo_fit fit = {0};

    CHECK_OK(opevo_space_parse(rare_json, "test", NULL, &space, &err));
    for (size_t x = 16; x-- > 0;) {
        taken[x] = left == 0 || !opevo_space_allows(space, x);
        left -= !taken[x];
    }
    fit = fit_seen(space, rule, taken, draws, drawn, of_law);
    opevo_space_destroy(space);
    return fit;
}

/* A sampler with limits against the rule without, with half the patience, with half the tries. */
CHECK_TEST(test_limits_of_the_sampler)
{
    static const opevo_child_limits none = {0, 0}, few = {64, 128};
    static const opevo_child_limits spoilt[] = {{32, 128}, {64, 64}};

    for (opevo_duplicate_rule rule = 0; rule < 3; rule++) {
        opevo_fit right = fit_rare(rule, 2, 20000, few, few);
        opevo_fit full = fit_rare(rule, 1, 1000, limits, limits);

        assert_int_equal(right.impossible + full.impossible, 0);
        if (!(right.p_chi_square > 1e-4 && right.p_g > 1e-4 && full.p_chi_square > 1e-4))
            fail_msg("rule %d: p = %g, %g, %g", (int)rule, right.p_chi_square, right.p_g,
                     full.p_chi_square);
        if (rule == OPEVO_DUPLICATE_GIVEN)
            continue;
        assert_true(fit_rare(rule, 2, 20000, few, none).p_chi_square < 1e-6);
        for (size_t i = 0; i < sizeof spoilt / sizeof *spoilt; i++)
            if (!(fit_rare(rule, 2, 20000, spoilt[i], few).p_chi_square < 1e-6))
                fail_msg("rule %d, spoilt limits %zu passed", (int)rule, i);
    }
}

/* A third of the allowed points of a random system is seen, one at least, and one is left; false
 * where there are not two. */
static bool take_third(const opevo_space *space, uint64_t n, bool *taken)
{
    size_t seen = 0, left = 0;

    for (size_t x = 0; x < (size_t)opevo_space_size(space); x++) {
        bool allowed = opevo_space_allows(space, x);

        taken[x] = !allowed || (left > 0 && (seen == 0 || opevo_hash_mix(n * 1000 + x) % 3 == 0));
        seen += allowed && taken[x];
        left += !taken[x];
    }
    return seen > 0 && left > 0;
}

/* All rules on random systems of constraints, with branches and lists of points among them. */
CHECK_TEST(test_random_systems)
{
    enum { SYSTEMS = 150, LARGEST = 1024 };
    size_t systems = test_size(SYSTEMS / 3, SYSTEMS);
    static const opevo_child_limits few = {64, 128};
    opevo_fit fits[3 * SYSTEMS];
    size_t count = 0;

    for (uint64_t n = 0; n < systems; n++) {
        opevo_text text = {0};
        opevo_space *space = random_system(n, &text);
        bool taken[LARGEST];

        opevo_text_free(&text);
        if (space && opevo_space_size(space) <= LARGEST && take_third(space, n, taken)) {
            for (opevo_duplicate_rule rule = 0; rule < 3; rule++, count++) {
                fits[count] = fit_seen(space, rule, taken, 2000, few, few);
                assert_int_equal(fits[count].impossible, 0);
            }
        }
        opevo_space_destroy(space);
    }
    assert_true(count > test_size(30, SYSTEMS));
    opevo_verify_judge(fits, count, 1e-6);
    for (size_t i = 0; i < count; i++)
        if (fits[i].rejected)
            fail_msg("fit %zu of %zu, rule %zu: adjusted p = %g", i, count, i % 3,
                     fits[i].p_adjusted);
}

CHECK_TEST(test_bad_spaces)
{
    fixture f;
    opevo_fit fit = {0};
    opevo_space *large = NULL;
    bool *taken = opevo_calloc(5000, sizeof *taken);
    opevo_rng rng;

    set_up(&f, 0.5, OPEVO_DUPLICATE_CONTINUE);
    opevo_rng_init(&rng, 9, "child", 0);
    CHECK_OK(opevo_space_parse("{\"K\": {\"_type\": \"factor\", \"_value\": [2147483648, 4]}}",
                               "test", NULL, &large, &err));
    CHECK_FAILS(OPEVO_LIMIT, "4096",
                opevo_verify_child(&(opevo_child_step){large, &f.parents, 0.5,
                                                       OPEVO_DUPLICATE_CONTINUE, taken, limits},
                                   draw_child, &f, 10, &rng, &fit, NULL, &err));
    opevo_free(taken);
    opevo_space_destroy(large);
    tear_down(&f);
}

CHECK_TEST(test_failing_allocations)
{
    fixture f;
    opevo_status status = OPEVO_NOMEM;
    int64_t alive = 0;

    set_up(&f, 0.5, OPEVO_DUPLICATE_CONTINUE);
    alive = opevo_memory_live();
    for (int64_t n = 1; status != OPEVO_OK; n++) {
        opevo_fit fit = {0};
        opevo_rng rng;

        opevo_rng_init(&rng, 9, "child", 0);
        opevo_memory_fail_at(n);
        status = opevo_verify_child(&(opevo_child_step){f.space, &f.parents, 0.5,
                                                        OPEVO_DUPLICATE_CONTINUE, f.taken, limits},
                                    draw_child, &f, 10, &rng, &fit, NULL, NULL);
        opevo_memory_fail_at(0);
        assert_true(status == OPEVO_OK || status == OPEVO_NOMEM);
        assert_int_equal(opevo_memory_live(), alive);
    }
    tear_down(&f);
}
