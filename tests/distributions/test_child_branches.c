/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The law of a child where the space has branches, against its definition spelled out point by
 * point: how parents are recombined, what one mutation does, and what becomes of duplicates. */

#include "check.h"

#include "branched_spaces.h"

#include <opevo/child.h>
#include <opevo/memory.h>

#include <stdlib.h>

enum { WIDTH = 8, POINTS = 80, PARENTS = 4 };

typedef struct family {
    opevo_space *space;
    size_t width, points;
    opevo_index vertices[POINTS][WIDTH]; /* of each point */
    opevo_index parents[PARENTS];
    double weights[PARENTS];
    double q;
    double kernel[POINTS][POINTS];
    double origin[POINTS];
} family;

static double step(const family *f, size_t i, opevo_index from, opevo_index to)
{
    opevo_law *law = NULL;
    double p = 0;

    CHECK_OK(opevo_law_create(opevo_space_parameter(f->space, i), f->q, from, NULL, &law, &err));
    p = opevo_law_probability(law, to);
    opevo_law_destroy(law);
    return p;
}

static double active_weight(const family *f, size_t i)
{
    double sum = 0;

    for (size_t j = 0; j < PARENTS; j++)
        sum += f->vertices[f->parents[j]][i] == OPEVO_INACTIVE ? 0 : f->weights[j];
    return sum;
}

/* What a parameter that becomes active has; `walks`: after the walk, otherwise before. */
static double fresh(const family *f, size_t i, opevo_index vertex, bool walks)
{
    double sum = active_weight(f, i), p = 0;

    if (sum == 0)
        return 1 / (double)opevo_parameter_size(opevo_space_parameter(f->space, i));
    for (size_t j = 0; j < PARENTS; j++) {
        opevo_index from = f->vertices[f->parents[j]][i];

        if (from != OPEVO_INACTIVE && f->weights[j] > 0)
            p += f->weights[j] / sum * (walks ? step(f, i, from, vertex) : from == vertex);
    }
    return p;
}

static void set_up(family *f, const char *members, double q, const opevo_index *parents,
                   const double *weights)
{
    opevo_text json = {0};

    *f = (family){.q = q};
    opevo_text_printf(&json, "{%s}", members);
    CHECK_OK(opevo_space_parse(opevo_text_string(&json), "test", NULL, &f->space, &err));
    opevo_text_free(&json);
    f->width = opevo_space_parameter_count(f->space);
    f->points = (size_t)opevo_space_size(f->space);
    assert_true(f->width <= WIDTH && f->points <= POINTS);
    for (size_t x = 0; x < f->points; x++)
        opevo_space_decode(f->space, x, f->vertices[x]);
    memcpy(f->parents, parents, sizeof f->parents);
    memcpy(f->weights, weights, sizeof f->weights);
    for (size_t x = 0; x < f->points; x++) {
        f->origin[x] = 1;
        for (size_t i = 0; i < f->width; i++)
            f->origin[x] *=
                f->vertices[x][i] == OPEVO_INACTIVE ? 1 : fresh(f, i, f->vertices[x][i], false);
        for (size_t y = 0; y < f->points; y++) {
            f->kernel[x][y] = 1;
            for (size_t i = 0; i < f->width; i++) {
                opevo_index from = f->vertices[x][i], to = f->vertices[y][i];

                if (to == OPEVO_INACTIVE)
                    continue;
                f->kernel[x][y] *=
                    from == OPEVO_INACTIVE ? fresh(f, i, to, true) : step(f, i, from, to);
            }
        }
    }
}

static const struct {
    const char *members;
    opevo_index parents[PARENTS];
    double weights[PARENTS];
} cases[] = {
    {FLAT_CHOICE, {0, 13, 30, 53}, {1, 2.5, 0.5, 4}},
    {FLAT_CHOICE, {12, 17, 30, 53}, {1, 2, 3, 4}}, /* no parent in conv */
    {FLAT_CHOICE, {0, 14, 30, 53}, {0, 2, 0, 4}},
    {TWO_LEVELS, {0, 5, 40, 70}, {1, 2, 3, 1}},
    {TWO_LEVELS, {71, 70, 67, 66}, {1, 2, 3, 1}}, /* none in conv, so that its branches are free */
    {TWO_LEVELS, {18, 19, 20, 71}, {1, 2, 0, 1}},
};
enum { CASES = sizeof cases / sizeof *cases };

static void set_case(family *f, size_t i, double q)
{
    set_up(f, cases[i].members, q, cases[i].parents, cases[i].weights);
}

/* The rows of the kernel sum to 1, and origin K is the product law that the library computes. */
CHECK_TEST(test_product_law)
{
    static const double qs[] = {0, 0.3, 0.8};
    static family f;

    for (size_t c = 0; c < CASES; c++) {
        for (size_t k = 0; k < 3; k++) {
            opevo_child_law *law = NULL;
            opevo_parents parents = {f.parents, f.weights, PARENTS};
            double total = 0;

            set_case(&f, c, qs[k]);
            CHECK_OK(opevo_child_law_create(f.space, &parents, f.q, NULL, &law, &err));
            assert_true(opevo_child_law_bound(law) < 1e-10);
            for (size_t y = 0; y < f.points; y++) {
                double expected = 0, row = 0;

                for (size_t x = 0; x < f.points; x++) {
                    expected += f.origin[x] * f.kernel[x][y];
                    row += f.kernel[y][x];
                }
                CHECK_CLOSE(row, 1, 1e-12);
                CHECK_CLOSE(opevo_child_law_probability(law, y), expected, 1e-12);
                total += opevo_child_law_probability(law, y);
            }
            CHECK_CLOSE(total, 1, 1e-12);
            opevo_child_law_destroy(law);
            opevo_space_destroy(f.space);
        }
    }
}

/* Both rules by following the probability mass until next to none is left in what is taken. */
static void follow(const family *f, opevo_duplicate_rule rule, const bool *taken, double *law)
{
    double mass[POINTS];

    memset(law, 0, f->points * sizeof *law);
    for (size_t x = 0; x < f->points; x++) {
        double free = 0;

        for (size_t y = 0; y < f->points; y++)
            free += taken[y] ? 0 : f->kernel[x][y];
        for (size_t y = 0; y < f->points && f->origin[x] > 0; y++)
            law[y] += rule == OPEVO_DUPLICATE_REDRAW && !taken[y]
                          ? f->origin[x] * f->kernel[x][y] / free
                          : 0;
        mass[x] = f->origin[x];
    }
    for (int round = 0; rule == OPEVO_DUPLICATE_CONTINUE && round < 3000; round++) {
        double next[POINTS] = {0};

        for (size_t x = 0; x < f->points; x++) {
            for (size_t y = 0; y < f->points; y++)
                next[y] += mass[x] * f->kernel[x][y];
        }
        for (size_t y = 0; y < f->points; y++) {
            law[y] += taken[y] ? 0 : next[y];
            mass[y] = taken[y] ? next[y] : 0;
        }
    }
}

CHECK_TEST(test_duplicates)
{
    static family f;
    bool taken[POINTS];
    double law[POINTS], expected[POINTS];

    for (size_t c = 0; c < CASES; c++) {
        for (opevo_duplicate_rule rule = 0; rule < 2; rule++) {
            for (size_t every = 2; every < 5; every++) {
                opevo_parents parents = {f.parents, f.weights, PARENTS};
                double lost = 1, bound = 1;

                set_case(&f, c, 0.6);
                for (size_t x = 0; x < f.points; x++)
                    taken[x] = x % every != 1;
                CHECK_OK(opevo_child_law_without_duplicates(
                    &(opevo_child_step){f.space, &parents, f.q, rule, taken, {0, 0}}, law, &lost,
                    &bound, &err));
                follow(&f, rule, taken, expected);
                assert_true(lost == 0 && bound < 1e-9);
                for (size_t y = 0; y < f.points; y++)
                    CHECK_CLOSE(law[y], expected[y], 1e-11);
                opevo_space_destroy(f.space);
            }
        }
    }
}

/* g has two parts. A child in one part can only reach the other through another branch: by several
 * mutations, not by one; and no child at all where no parent has it. */
#define PARTS                                                                                      \
    "\"op\": {\"_type\": \"choice\", \"_value\": [{\"_name\": \"a\", \"g\": {\"_type\": "          \
    "\"graph\","                                                                                   \
    "\"_value\": [0, 1, 2, 3], \"_edges\": [[0, 1], [2, 3]]}}, \"b\"]}"

CHECK_TEST(test_what_is_out_of_reach)
{
    static const struct {
        opevo_index parents[PARENTS];
        double lost[2]; /* continue, redraw */
        size_t left;    /* the points that are free: 0 and 1, or 2 and 3 */
    } rows[] = {
        {{0, 0, 2, 2}, {0, 0.5}, 2}, {{0, 1, 0, 1}, {1, 1}, 2}, {{0, 1, 4, 4}, {1, 1}, 2},
        {{4, 4, 4, 4}, {0, 0}, 2}, /* no parent in a, so that g is uniform */
        {{2, 3, 4, 4}, {0, 0}, 2},
    };
    static const double weights[PARENTS] = {1, 1, 1, 1};
    static family f;

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        for (opevo_duplicate_rule rule = 0; rule < 2; rule++) {
            bool taken[5] = {true, true, true, true, true};
            double law[5], lost = -1, bound = 1;
            opevo_parents parents = {rows[r].parents, weights, PARENTS};

            set_up(&f, PARTS, 0.5, rows[r].parents, weights);
            taken[rows[r].left] = taken[rows[r].left + 1] = false;
            CHECK_OK(opevo_child_law_without_duplicates(
                &(opevo_child_step){f.space, &parents, f.q, rule, taken, {0, 0}}, law, &lost,
                &bound, &err));
            CHECK_CLOSE(lost, rows[r].lost[rule], 1e-12);
            CHECK_CLOSE(law[rows[r].left] + law[rows[r].left + 1], 1 - lost, 1e-9);
            opevo_space_destroy(f.space);
        }
    }
}

CHECK_TEST(test_every_allocation_fails)
{
    static const double weights[2] = {1, 2};
    static const opevo_index points[2] = {0, 40};
    opevo_parents parents = {points, weights, 2};
    opevo_space *space = NULL;
    bool taken[54] = {true};
    double law[54];

    CHECK_OK(opevo_space_parse("{" FLAT_CHOICE "}", "test", NULL, &space, &err));
    for (int which = 0; which < 2; which++) {
        opevo_status status = OPEVO_NOMEM;

        for (int64_t n = 1; status != OPEVO_OK; n++) {
            opevo_child_law *product = NULL;
            int64_t live = opevo_memory_live();

            opevo_memory_fail_at(n);
            status = which ? opevo_child_law_create(space, &parents, 0.5, NULL, &product, NULL)
                           : opevo_child_law_without_duplicates(
                                 &(opevo_child_step){
                                     space, &parents, 0.5, OPEVO_DUPLICATE_CONTINUE, taken, {0, 0}},
                                 law, NULL, NULL, NULL);
            opevo_memory_fail_at(0);
            assert_true(status == OPEVO_OK || status == OPEVO_NOMEM);
            opevo_child_law_destroy(product);
            assert_int_equal(opevo_memory_live(), live);
        }
    }
    opevo_space_destroy(space);
}
