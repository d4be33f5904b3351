/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The law of a child that is mutated on within the limits of the sampler, where what stays among
 * the forbidden points does not keep its shape for long: against the loop followed mutation by
 * mutation in extended precision, against a closed form, and without memory. */

#include "child_fixture.h"

#include <opevo/child_sampler.h>
#include <opevo/memory.h>

enum { PATIENCE = OPEVO_CHILD_PATIENCE };

/* One round of `continue` from a point, mutation by mutation; returns what is left. */
static long double follow(const long double *kernel, size_t n, size_t start, const bool *taken,
                          long double *law)
{
    long double *now = calloc(n, sizeof *now), *next = calloc(n, sizeof *next), left = 0;

    now[start] = 1;
    for (unsigned m = 0; m < PATIENCE; m++) {
        memset(next, 0, n * sizeof *next);
        for (size_t x = 0; x < n; x++) {
            for (size_t y = 0; now[x] > 0 && y < n; y++)
                next[y] += now[x] * kernel[x * n + y];
        }
        for (size_t y = 0; y < n; y++) {
            law[y] += taken[y] ? 0 : next[y];
            now[y] = taken[y] ? next[y] : 0;
        }
    }
    for (size_t y = 0; y < n; y++)
        left += now[y];
    free(now);
    free(next);
    return left;
}

static void check(opevo_space *space, double q, opevo_index start, const bool *taken)
{
    static const double one = 1;
    size_t n = (size_t)opevo_space_size(space);
    opevo_parents parents = {&start, &one, 1};
    opevo_child_step step = {
        space, &parents, q, OPEVO_DUPLICATE_CONTINUE, taken, {PATIENCE, PATIENCE}};
    long double *kernel = kernel_by_series(space, q), *exact = calloc(n, sizeof *exact);
    long double off = 0;
    double *law = malloc(n * sizeof *law), lost = -1, bound = -1;

    off = -follow(kernel, n, (size_t)start, taken, exact);
    CHECK_OK(opevo_child_law_without_duplicates(&step, law, &lost, &bound, &err));
    off = fabsl(off + lost);
    for (size_t y = 0; y < n; y++) {
        assert_true(law[y] >= 0 && !(taken[y] && law[y] != 0));
        off += fabsl(law[y] - exact[y]);
    }
    assert_true(lost >= 0 && bound <= 1e-10);
    if (!(off <= bound + 1e-15L))
        fail_msg("q %g: off by %Lg, bound %g", q, off, bound);
    free(kernel);
    free(exact);
    free(law);
    opevo_space_destroy(space);
}

/* Only the ends of a path are free. */
CHECK_TEST(paths)
{
    static const double qs[] = {0.05, 0.5};
    enum { LENGTH = 120 };

    for (size_t i = 0; i < 2; i++) {
        bool taken[LENGTH];

        memset(taken, true, sizeof taken);
        taken[LENGTH - 1] = taken[LENGTH - 2] = taken[0] = false;
        check(path_of(LENGTH), qs[i], 40, taken);
    }
}

/* Two parameters, each of them slow, and few free points. */
CHECK_TEST(products)
{
    static const char *const texts[] = {"discrete(0,1,2,3,4,5,6,7,8,9,10,11)", "factor(128,2)"};
    bool taken[96];

    memset(taken, true, sizeof taken);
    taken[95] = taken[88] = false;
    check(space_of(texts, 2), 0.05, 3, taken);
}

/* Degrees from 1 to 30: a path that ends in a star, on whose far leaf a free point is; and a part
 * that is cut off. */
CHECK_TEST(uneven_degrees)
{
    enum { TAIL = 40, LEAVES = 30, COUNT = TAIL + LEAVES + 3 };
    opevo_text text = {0};
    opevo_parameter *parameter = NULL;
    opevo_space *space = NULL;
    bool taken[COUNT];

    for (int i = 0; i < TAIL; i++)
        opevo_text_printf(&text, "%d %d\n", i, i + 1);
    for (int i = 0; i < LEAVES; i++)
        opevo_text_printf(&text, "%d %d\n", TAIL, TAIL + 1 + i);
    opevo_text_printf(&text, "%d %d\n", COUNT - 2, COUNT - 1);
    parameter = parameter_of_edges(text.data);
    opevo_text_free(&text);
    CHECK_OK(opevo_space_create(&parameter, 1, NULL, 0, OPEVO_DIALECT_C, "test", &space, &err));
    assert_true(opevo_space_size(space) == COUNT);
    memset(taken, true, sizeof taken);
    taken[0] = taken[COUNT - 1] = false;
    check(space, 0.2, TAIL + 5, taken);
}

/* One value of a complete graph is free, whatever the vertex of a path. Each mutation finds it with
 * the same probability e, and the path's walk knows nothing of it. After j mutations that is at v
 * with probability deg(v) / (n - 1) sum_k a_k cos(k t u) cos(k t v) l_k^j, t = pi / (n - 1), with
 * l_k = (1 - q) / (1 - q cos(k t)), and a_k = 1/2 for the first and the last k, otherwise 1. */
CHECK_TEST(closed_form)
{
    enum { VALUES = 32, LENGTH = 40, START = 7 };
    static const char *const texts[] = {
        "categorical(0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,"
        "29,30,31)",
        "discrete(0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,"
        "30,31,32,33,34,35,36,37,38,39)"};
    const double q = 0.5, one = 1;
    const long double t = acosl(-1) / (LENGTH - 1);
    opevo_space *space = space_of(texts, 2);
    opevo_index start = START;
    opevo_parents parents = {&start, &one, 1};
    bool taken[VALUES * LENGTH];
    double law[VALUES * LENGTH], lost = -1, bound = -1;
    long double off = 0, e = 0;
    opevo_law *walk = NULL;

    CHECK_OK(opevo_law_create(opevo_space_parameter(space, 0), q, 0, NULL, &walk, &err));
    e = opevo_law_probability(walk, VALUES - 1);
    opevo_law_destroy(walk);
    for (size_t x = 0; x < VALUES * LENGTH; x++)
        taken[x] = x / LENGTH != VALUES - 1;
    CHECK_OK(opevo_child_law_without_duplicates(
        &(opevo_child_step){
            space, &parents, q, OPEVO_DUPLICATE_CONTINUE, taken, {PATIENCE, PATIENCE}},
        law, &lost, &bound, &err));
    for (size_t v = 0; v < LENGTH; v++) {
        long double sum = 0;

        for (size_t k = 0; k < LENGTH; k++) {
            long double l = (1 - q) / (1 - q * cosl((long double)k * t));
            long double a = k == 0 || k == LENGTH - 1 ? 0.5L : 1;

            sum += a * cosl((long double)k * t * START) *
                   cosl((long double)k * t * (long double)v) * e * l *
                   (1 - powl(l * (1 - e), PATIENCE)) / (1 - l * (1 - e));
        }
        sum *= (v == 0 || v == LENGTH - 1 ? 1.0L : 2.0L) / (LENGTH - 1);
        off += fabsl(law[(VALUES - 1) * LENGTH + v] - sum);
    }
    off += fabsl(lost - powl(1 - e, PATIENCE));
    assert_true(bound <= 1e-10);
    if (!(off <= bound + 1e-15L))
        fail_msg("off by %Lg, bound %g", off, bound);
    opevo_space_destroy(space);
}

CHECK_TEST(every_allocation_failing)
{
    opevo_space *space = path_of(60);
    static const opevo_index start = 20;
    static const double one = 1;
    opevo_parents parents = {&start, &one, 1};
    bool taken[60];
    int64_t live = opevo_memory_live();
    opevo_status status = OPEVO_NOMEM;

    memset(taken, true, sizeof taken);
    taken[59] = false;
    for (int64_t n = 1; status == OPEVO_NOMEM; n++) {
        double law[60];

        opevo_memory_fail_at(n);
        status = opevo_child_law_without_duplicates(
            &(opevo_child_step){
                space, &parents, 0.1, OPEVO_DUPLICATE_CONTINUE, taken, {PATIENCE, 2 * PATIENCE}},
            law, NULL, NULL, NULL);
        opevo_memory_fail_at(0);
        assert_int_equal(opevo_memory_live(), live);
    }
    assert_int_equal(status, OPEVO_OK);
    opevo_space_destroy(space);
}
