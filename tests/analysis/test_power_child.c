/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The power that a child step's verification claims: against brute force, and against how often
 * wrong steps are in fact rejected. */

#include "check.h"
#include "spoilt_walk.h"

#include <opevo/child_sampler.h>
#include <opevo/memory.h>
#include <opevo/statistics.h>
#include <opevo/verify.h>

/* 4 * 3 points, numbered with C last. */
static const char *const space_json = "{\"D\": {\"_type\": \"discrete\", \"_value\": [1, 2, 3, 4]},"
                                      " \"C\": {\"_type\": \"choice\", \"_value\": [1, 2, 3]}}";
enum { DS = 4, CS = 3, POINTS = DS * CS, PARENTS = 2 };

static const opevo_index parents[PARENTS] = {0, 10};
static const double weights[PARENTS] = {3, 1};
static const double shares[PARENTS] = {0.75, 0.25};

typedef struct fixture {
    opevo_space *space;
    opevo_parents parents;
    bool taken[POINTS];
    opevo_graph *path, *complete;
    opevo_index_set *seen;
    opevo_child_sampler *sampler;
} fixture;

/* Bit x of `taken`: point x is taken. */
static void set_up(fixture *f, unsigned taken)
{
    *f = (fixture){.parents = {.points = parents, .weights = weights, .count = PARENTS}};
    CHECK_OK(opevo_space_parse(space_json, "test", NULL, &f->space, &err));
    CHECK_OK(opevo_graph_create(opevo_space_parameter(f->space, 0), 0, &f->path, &err));
    CHECK_OK(opevo_graph_create(opevo_space_parameter(f->space, 1), 0, &f->complete, &err));
    f->seen = opevo_index_set_create();
    for (size_t x = 0; x < POINTS; x++) {
        f->taken[x] = taken >> x & 1;
        if (f->taken[x])
            assert_true(opevo_index_set_add(f->seen, x));
    }
}

static void set_sampler(fixture *f, double q, opevo_duplicate_rule rule)
{
    opevo_index vertices[PARENTS][2];
    const opevo_index *rows[PARENTS] = {vertices[0], vertices[1]};

    for (size_t j = 0; j < PARENTS; j++)
        opevo_space_decode(f->space, parents[j], vertices[j]);
    opevo_child_sampler_destroy(f->sampler);
    CHECK_OK(opevo_child_sampler_create(f->space, q, rule, &f->sampler, &err));
    CHECK_OK(opevo_child_sampler_set_parents(f->sampler, rows, weights, PARENTS, &err));
}

static void tear_down(fixture *f)
{
    opevo_child_sampler_destroy(f->sampler);
    opevo_index_set_destroy(f->seen);
    opevo_graph_destroy(f->path);
    opevo_graph_destroy(f->complete);
    opevo_space_destroy(f->space);
}

/* ---- Laws by brute force ---- */

/* The law of what a child step proposes, and the probability that it proposes nothing. */
typedef struct proposal {
    double law[POINTS];
    double nothing;
} proposal;

static void kernel_of(const fixture *f, double q, double kernel[POINTS][POINTS])
{
    for (size_t x = 0; x < POINTS; x++) {
        spoilt_walk d = {.graph = f->path, .start = x / CS, .q = q};
        spoilt_walk c = {.graph = f->complete, .start = x % CS, .q = q};
        double d_law[DS], c_law[CS];

        spoilt_law(&d, d_law);
        spoilt_law(&c, c_law);
        for (size_t y = 0; y < POINTS; y++)
            kernel[x][y] = d_law[y / CS] * c_law[y % CS];
    }
}

static void recombine(double origin[POINTS])
{
    memset(origin, 0, POINTS * sizeof *origin);
    for (size_t a = 0; a < PARENTS; a++)
        for (size_t b = 0; b < PARENTS; b++)
            origin[parents[a] / CS * CS + parents[b] % CS] += shares[a] * shares[b];
}

static proposal continue_law(const fixture *f, double q)
{
    proposal out = {.nothing = 1};
    double kernel[POINTS][POINTS], now[POINTS], next[POINTS];

    kernel_of(f, q, kernel);
    recombine(now);
    for (size_t round = 0; round < 100000 && out.nothing > 1e-17; round++) {
        memset(next, 0, sizeof next);
        for (size_t x = 0; x < POINTS; x++)
            for (size_t y = 0; y < POINTS; y++)
                next[y] += now[x] * kernel[x][y];
        out.nothing = 0;
        for (size_t y = 0; y < POINTS; y++) {
            out.law[y] += f->taken[y] ? 0 : next[y];
            now[y] = f->taken[y] ? next[y] : 0;
            out.nothing += now[y];
        }
    }
    return out;
}

static proposal redraw_law(const fixture *f, double q)
{
    proposal out = {.nothing = 0};
    double kernel[POINTS][POINTS], origin[POINTS];

    kernel_of(f, q, kernel);
    recombine(origin);
    for (size_t x = 0; x < POINTS; x++) {
        double free = 0;

        for (size_t y = 0; y < POINTS; y++)
            free += f->taken[y] ? 0 : kernel[x][y];
        for (size_t y = 0; y < POINTS && free > 0; y++)
            out.law[y] += f->taken[y] ? 0 : origin[x] * kernel[x][y] / free;
        out.nothing += free > 0 ? 0 : origin[x];
    }
    return out;
}

static proposal law_of_rule(const fixture *f, double q, opevo_duplicate_rule rule)
{
    return rule == OPEVO_DUPLICATE_REDRAW ? redraw_law(f, q) : continue_law(f, q);
}

static proposal law_with_duplicates(const fixture *f, double q)
{
    proposal out = {.nothing = 0};
    double kernel[POINTS][POINTS], origin[POINTS];

    kernel_of(f, q, kernel);
    recombine(origin);
    for (size_t x = 0; x < POINTS; x++)
        for (size_t y = 0; y < POINTS; y++)
            out.law[y] += origin[x] * kernel[x][y];
    return out;
}

/* ---- What is caught, by brute force ---- */

/* The points that are possible, by ascending probability; returns their number. */
static size_t sort_points(const double *law, size_t *order)
{
    size_t count = 0;

    for (size_t x = 0; x < POINTS; x++) {
        size_t i = count;

        if (law[x] <= 0)
            continue;
        for (; i > 0 && law[order[i - 1]] > law[x]; i--)
            order[i] = order[i - 1];
        order[i] = x;
        count++;
    }
    return count;
}

/* Cells of at least 10 expected draws: points in ascending order share the first cell until it and
 * each of the rest expect that many. Returns the number of cells. */
static size_t pool(const double *law, const double *defect, double draws, double *p, double *p2)
{
    size_t order[POINTS], count = sort_points(law, order), cells = 0;

    for (size_t i = 0; i < count; i++) {
        size_t x = order[i];

        if (i == 0 || (draws * law[x] >= 10 && draws * p[cells - 1] >= 10)) {
            p[cells] = p2[cells] = 0;
            cells++;
        }
        p[cells - 1] += law[x];
        p2[cells - 1] += defect[x];
    }
    return cells;
}

static bool is_caught(const fixture *f, const proposal *law, const proposal *defect, double draws)
{
    double p[POINTS], p2[POINTS], outside = defect->nothing;
    size_t cells = pool(law->law, defect->law, draws, p, p2);

    for (size_t x = 0; x < POINTS; x++)
        outside += f->taken[x] ? defect->law[x] : 0;
    if (1 - pow(1 - outside, draws) >= 0.999)
        return true;
    return opevo_draws_to_detect(p, p2, cells, 1e-6, 0.999) <= draws;
}

static bool catches_q(const fixture *f, double q, double wrong, opevo_duplicate_rule rule,
                      double draws)
{
    proposal law = law_of_rule(f, q, rule);
    proposal defect = law_of_rule(f, wrong, rule);

    return is_caught(f, &law, &defect, draws);
}

/* Caught at delta either way, as far as there is such a q; one way at least not caught below it.
 * Where the field is NAN, the largest change up is not caught. */
static void check_q_field(const fixture *f, double q, opevo_duplicate_rule rule, double draws,
                          double delta)
{
    double up = q + delta, down = q - delta;
    bool both = true;

    if (isnan(delta)) {
        assert_false(catches_q(f, q, q + 0.9 * (1 - q), rule, draws));
        return;
    }
    assert_true(delta > 0 && (up < 1 || down >= 0));
    assert_true(up >= 1 || catches_q(f, q, up, rule, draws * 1.0001));
    assert_true(down < 0 || catches_q(f, q, down, rule, draws * 1.0001));
    up = q + 0.985 * delta;
    down = q - 0.985 * delta;
    both = up >= 1 || catches_q(f, q, up, rule, draws);
    both = both && (down < 0 || catches_q(f, q, down, rule, draws));
    assert_false(both);
}

/* Some of the figures below differ, so that no constant answer could pass. */
CHECK_TEST(test_fields_by_brute_force)
{
    static const struct {
        double q;
        unsigned taken;
    } rows[] = {{0.5, 0x401}, {0.3, 0x59b}, {0.7, 0xd77}, {0.5, 0x010}};
    size_t yes = 0, no = 0;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fixture f;

        set_up(&f, rows[i].taken);
        for (opevo_duplicate_rule rule = 0; rule < 2; rule++) {
            proposal law = law_of_rule(&f, rows[i].q, rule);
            proposal other = law_of_rule(&f, rows[i].q, !rule);
            proposal duplicates = law_with_duplicates(&f, rows[i].q);

            for (uint64_t draws = 10; draws <= 10000000; draws *= 10) {
                opevo_fit fit = {.detectable_cut = 5, .edges_tried = 5};
                bool caught = is_caught(&f, &law, &other, (double)draws);

                CHECK_OK(opevo_verify_child_power(
                    &(opevo_child_step){f.space, &f.parents, rows[i].q, rule, f.taken, {0, 0}},
                    draws, &fit, &err));
                assert_int_equal(fit.detects_other_rule,
                                 caught ? OPEVO_CAUGHT_YES : OPEVO_CAUGHT_NO);
                yes += caught;
                no += !caught;
                caught = is_caught(&f, &law, &duplicates, (double)draws);
                assert_int_equal(fit.detects_duplicates,
                                 caught ? OPEVO_CAUGHT_YES : OPEVO_CAUGHT_NO);
                check_q_field(&f, rows[i].q, rule, (double)draws, fit.detectable_q);
                assert_true(isnan(fit.detectable_edge));
                assert_true(fit.detectable_cut == 0 && fit.edges_tried == 0);
            }
        }
        tear_down(&f);
    }
    assert_true(yes > 10 && no > 10);
}

/* ---- What is rejected in fact ---- */

static opevo_index draw_child(void *context, opevo_rng *rng)
{
    fixture *f = context;
    opevo_index vertices[2], point = OPEVO_INDEX_MAX;

    return opevo_child_sampler_draw(f->sampler, f->seen, rng, vertices, &point) ? point
                                                                                : OPEVO_INDEX_MAX;
}

/* Tests of `draws` draws of the fixture's sampler that reject the law at p < alpha. */
static size_t rejections(fixture *f, const proposal *law, uint64_t draws, double alpha,
                         size_t repetitions, uint64_t stream)
{
    size_t rejected = 0;

    for (size_t i = 0; i < repetitions; i++) {
        opevo_fit fit = {0};
        opevo_rng rng;

        opevo_rng_init(&rng, 12, "power-child", 10000 * stream + i);
        CHECK_OK(opevo_verify_draws(law->law, POINTS, draw_child, f, draws, &rng, &fit, &err));
        rejected += fit.p_chi_square < alpha;
    }
    return rejected;
}

/* Of 2000 tests with a predicted power of one half, at most 4 standard errors more or fewer reject;
 * so the prediction is right within 0.045. */
CHECK_TEST(test_power_is_realised)
{
    static const struct {
        double q_law, q_drawn;
        opevo_duplicate_rule rule_law, rule_drawn;
    } rows[] = {
        {0.5, 0.5, OPEVO_DUPLICATE_CONTINUE, OPEVO_DUPLICATE_REDRAW},
        {0.5, 0.5, OPEVO_DUPLICATE_REDRAW, OPEVO_DUPLICATE_CONTINUE},
        {0.5, 0.56, OPEVO_DUPLICATE_CONTINUE, OPEVO_DUPLICATE_CONTINUE},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fixture f;
        proposal law, defect;
        double p[POINTS], p2[POINTS], draws = 0;

        set_up(&f, 0x451);
        set_sampler(&f, rows[i].q_drawn, rows[i].rule_drawn);
        law = law_of_rule(&f, rows[i].q_law, rows[i].rule_law);
        defect = law_of_rule(&f, rows[i].q_drawn, rows[i].rule_drawn);
        draws = opevo_draws_to_detect(p, p2, pool(law.law, defect.law, INFINITY, p, p2), 1e-2, 0.5);
        assert_int_equal(pool(law.law, defect.law, draws, p, p2), 8); /* nothing is pooled */
        CHECK_CLOSE((double)rejections(&f, &law, (uint64_t)draws, 1e-2, 2000, i) / 2000, 0.5,
                    4 * sqrt(0.25 / 2000));
        tear_down(&f);
    }
}

static opevo_fit power_at(const fixture *f, opevo_duplicate_rule rule, uint64_t draws)
{
    opevo_fit fit = {0};

    CHECK_OK(opevo_verify_child_power(
        &(opevo_child_step){f->space, &f->parents, 0.5, rule, f->taken, {0, 0}}, draws, &fit,
        &err));
    return fit;
}

/* At the number of draws where the claim begins, the other rule's sampler is rejected in at least
 * 995 of 1000 tests: a power of 0.999 comes out below that with probability 6e-4, one of 0.99 above
 * it with 0.07. */
CHECK_TEST(test_other_rule_is_rejected_when_claimed)
{
    for (opevo_duplicate_rule rule = 0; rule < 2; rule++) {
        fixture f;
        proposal law;
        uint64_t low = 1, high = 1000000;

        set_up(&f, 0x451);
        while (high - low > 1) {
            uint64_t draws = low + (high - low) / 2;
            bool caught = power_at(&f, rule, draws).detects_other_rule == OPEVO_CAUGHT_YES;

            *(caught ? &high : &low) = draws;
        }
        assert_true(high > 100 && high < 10000);
        law = law_of_rule(&f, 0.5, rule);
        set_sampler(&f, 0.5, !rule);
        assert_true(rejections(&f, &law, high, 1e-6, 1000, 3 + rule) >= 995);
        set_sampler(&f, 0.5, rule);
        assert_int_equal(rejections(&f, &law, high, 1e-6, 100, 5 + rule), 0);
        tear_down(&f);
    }
}

/* The same for a sampler that knows of no taken point. */
CHECK_TEST(test_duplicates_are_rejected_when_claimed)
{
    fixture f;
    opevo_index_set *seen = NULL;
    proposal law;
    uint64_t draws = 1;

    set_up(&f, 0x010);
    while (power_at(&f, OPEVO_DUPLICATE_REDRAW, draws).detects_duplicates != OPEVO_CAUGHT_YES)
        draws++;
    assert_true(draws > 5 && draws < 1000);
    law = redraw_law(&f, 0.5);
    set_sampler(&f, 0.5, OPEVO_DUPLICATE_REDRAW);
    seen = f.seen;
    f.seen = opevo_index_set_create();
    assert_true(rejections(&f, &law, draws, 1e-6, 1000, 7) >= 995);
    opevo_index_set_destroy(f.seen);
    f.seen = seen;
    tear_down(&f);
}

/* ---- Edges of the domain ---- */

/* One free point: every child is that one, whatever the rule and q; only duplicates betray. */
CHECK_TEST(test_one_free_point)
{
    fixture f;

    set_up(&f, 0xfff & ~0x020U);
    for (opevo_duplicate_rule rule = 0; rule < 2; rule++) {
        opevo_fit fit = power_at(&f, rule, 1000);

        assert_true(isnan(fit.detectable_q));
        assert_int_equal(fit.detects_other_rule, OPEVO_CAUGHT_NO);
        assert_int_equal(fit.detects_duplicates, OPEVO_CAUGHT_YES);
    }
    tear_down(&f);
}

/* Nothing taken: the rules are one, and there are no duplicates. */
CHECK_TEST(test_nothing_taken)
{
    fixture f;
    opevo_fit fit = {0};

    set_up(&f, 0);
    fit = power_at(&f, OPEVO_DUPLICATE_CONTINUE, 1000000000);
    assert_int_equal(fit.detects_other_rule, OPEVO_CAUGHT_NO);
    assert_int_equal(fit.detects_duplicates, OPEVO_CAUGHT_NO);
    tear_down(&f);
}

/* From q = 0 the first child that moves is impossible: 1 - (1 - delta)^(2 N) >= 0.999 but for what
 * comes back, a share of delta. */
CHECK_TEST(test_walk_that_stays)
{
    fixture f;
    opevo_fit fit = {0};
    opevo_parents one = {.points = parents, .weights = weights, .count = 1};

    set_up(&f, 0x800);
    CHECK_OK(opevo_verify_child_power(
        &(opevo_child_step){f.space, &one, 0, OPEVO_DUPLICATE_REDRAW, f.taken, {0, 0}}, 10000, &fit,
        &err));
    CHECK_CLOSE(fit.detectable_q / (1 - pow(0.001, 1.0 / 20000)), 1, 0.011);
    assert_int_equal(fit.detects_other_rule, OPEVO_CAUGHT_NO);
    tear_down(&f);
}

/* 2048 and 4096 points, one in `step` of them free. */
static opevo_fit power_of_large(const char *json, opevo_duplicate_rule rule, size_t step)
{
    static const opevo_index start = 0;
    static const double one = 1;
    opevo_parents parent = {&start, &one, 1};
    opevo_space *space = NULL;
    opevo_fit fit = {.detectable_q = 7};
    bool taken[4096] = {false};

    CHECK_OK(opevo_space_parse(json, "test", NULL, &space, &err));
    for (size_t x = 0; x < opevo_space_size(space); x++)
        taken[x] = x % step != 1;
    CHECK_OK(opevo_verify_child_power(&(opevo_child_step){space, &parent, 0.5, rule, taken, {0, 0}},
                                      100000, &fit, &err));
    opevo_space_destroy(space);
    return fit;
}

CHECK_TEST(test_large_spaces)
{
    static const char values[] =
        "{\"A\": {\"_type\": \"choice\", \"_value\": [1, 2, 3, 4, 5, 6, 7, 8]},"
        " \"B\": {\"_type\": \"choice\", \"_value\": [1, 2, 3, 4, 5, 6, 7, 8]},"
        " \"C\": {\"_type\": \"choice\", \"_value\": [1, 2, 3, 4, 5, 6, 7, 8]},"
        " \"D\": {\"_type\": \"discrete\", \"_value\": [1, 2, 3, 4%s]}}";
    char small[512], large[512];
    opevo_fit fit = {0};

    snprintf(small, sizeof small, values, "");
    snprintf(large, sizeof large, values, ", 5, 6, 7, 8");
    fit = power_of_large(small, OPEVO_DUPLICATE_REDRAW, 2);
    assert_true(isnan(fit.detectable_q));
    assert_int_equal(fit.detects_other_rule, OPEVO_CAUGHT_YES);
    assert_int_equal(fit.detects_duplicates, OPEVO_CAUGHT_YES);
    fit = power_of_large(large, OPEVO_DUPLICATE_REDRAW, 4);
    assert_true(isnan(fit.detectable_q));
    assert_int_equal(fit.detects_other_rule, OPEVO_CAUGHT_UNKNOWN);
    assert_int_equal(fit.detects_duplicates, OPEVO_CAUGHT_YES);
}

CHECK_TEST(test_bad_arguments)
{
    fixture f;
    opevo_fit fit = {.draws = 5};
    opevo_space *large = NULL;
    bool *taken = opevo_calloc(5000, sizeof *taken);

    set_up(&f, 0x401);
    CHECK_FAILS(
        OPEVO_INVALID, "draw",
        opevo_verify_child_power(
            &(opevo_child_step){f.space, &f.parents, 0.5, OPEVO_DUPLICATE_REDRAW, f.taken, {0, 0}},
            0, &fit, &err));
    CHECK_FAILS(
        OPEVO_INVALID, "q",
        opevo_verify_child_power(
            &(opevo_child_step){f.space, &f.parents, 1, OPEVO_DUPLICATE_REDRAW, f.taken, {0, 0}}, 9,
            &fit, &err));
    CHECK_OK(opevo_space_parse("{\"K\": {\"_type\": \"factor\", \"_value\": [2147483648, 4]}}",
                               "test", NULL, &large, &err));
    CHECK_FAILS(
        OPEVO_LIMIT, "4096",
        opevo_verify_child_power(
            &(opevo_child_step){large, &f.parents, 0.5, OPEVO_DUPLICATE_REDRAW, taken, {0, 0}}, 9,
            &fit, &err));
    assert_int_equal(fit.draws, 5);
    opevo_free(taken);
    opevo_space_destroy(large);
    tear_down(&f);
}

CHECK_TEST(test_failing_allocations)
{
    fixture f;
    opevo_status status = OPEVO_NOMEM;
    int64_t alive = 0;

    set_up(&f, 0x401);
    alive = opevo_memory_live();
    for (int64_t n = 1; status != OPEVO_OK; n += n < 100 ? 1 : 7) {
        opevo_fit fit = {.detectable_q = 7};

        opevo_memory_fail_at(n);
        status = opevo_verify_child_power(
            &(opevo_child_step){
                f.space, &f.parents, 0.5, OPEVO_DUPLICATE_CONTINUE, f.taken, {0, 0}},
            1000, &fit, NULL);
        opevo_memory_fail_at(0);
        assert_true(status == OPEVO_OK || status == OPEVO_NOMEM);
        assert_int_equal(opevo_memory_live(), alive);
        assert_true(status == OPEVO_OK || fit.detectable_q == 7);
    }
    tear_down(&f);
}
