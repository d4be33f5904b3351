/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The child given that it is allowed, against sums over all points of small random systems. */

#include "random_systems.h"

#include <opevo/child_given.h>
#include <opevo/child_sampler.h>
#include <opevo/diagram.h>

#include "fit.h"

enum { SYSTEMS = 150, PARENTS = 3, WIDTH_MOST = 32, SIZE_MOST = 128 };

typedef struct family {
    opevo_space *space;
    size_t size;
    opevo_index points[PARENTS];
    double weights[PARENTS];
    opevo_parents parents;
    double q;
    double *product; /* the law before constraints, by enumeration */
    double allowed;  /* its sum over the allowed points */
} family;

/* Parents are allowed points, with equal ones among them in small spaces. */
static bool family_init(family *self, uint64_t n, opevo_text *text)
{
    uint64_t state = n;
    opevo_child_law *law = NULL;

    *self = (family){.space = random_system(n, text), .q = 0.1 + 0.2 * (double)(n % 4)};
    if (!self->space)
        return false;
    self->size = (size_t)opevo_space_size(self->space);
    for (size_t j = 0; j < PARENTS; j++) {
        do {
            self->points[j] = random_bits(&state) % self->size;
        } while (!opevo_space_allows(self->space, self->points[j]));
        self->weights[j] = (double)(j + n % 2); /* the first may count for nothing */
    }
    self->parents = (opevo_parents){self->points, self->weights, PARENTS};
    self->product = opevo_calloc(self->size, sizeof *self->product);
    assert_non_null(self->product);
    CHECK_OK(opevo_child_law_create(self->space, &self->parents, self->q, NULL, &law, &err));
    for (size_t x = 0; x < self->size; x++) {
        self->product[x] = opevo_child_law_probability(law, x);
        self->allowed += opevo_space_allows(self->space, x) ? self->product[x] : 0;
    }
    opevo_child_law_destroy(law);
    return true;
}

static void family_clear(family *self)
{
    opevo_free(self->product);
    opevo_space_destroy(self->space);
}

/* The law of each parameter is the sum of the conditional law over the points that have its value.
 */
static void check_laws(const family *self, const opevo_child_given *given)
{
    for (size_t i = 0; i < opevo_space_parameter_count(self->space); i++) {
        size_t size = (size_t)opevo_parameter_size(opevo_space_parameter(self->space, i));
        double law[SIZE_MOST], expected[SIZE_MOST] = {0};

        assert_true(size < SIZE_MOST);
        for (size_t x = 0; x < self->size; x++) {
            opevo_index at[WIDTH_MOST];

            opevo_space_decode(self->space, x, at);
            if (opevo_space_allows(self->space, x))
                expected[at[i] == OPEVO_INACTIVE ? size : (size_t)at[i]] +=
                    self->product[x] / self->allowed;
        }
        CHECK_OK(opevo_child_given_law(given, i, law, &err));
        for (size_t v = 0; v <= size; v++)
            CHECK_CLOSE(law[v], expected[v], 1e-11);
    }
}

/* 20000 draws; a child that is drawn 1.3 times as often as it should, where that is a quarter of
 * all, adds 450 to the statistic. */
static double fit_draws(const family *self, const opevo_child_given *given, uint64_t seed)
{
    enum { DRAWS = 20000 };
    uint64_t *drawn = opevo_calloc(self->size, sizeof *drawn);
    double *expected = opevo_calloc(self->size, sizeof *expected), p = 0;
    opevo_rng rng;

    assert_true(drawn && expected);
    opevo_rng_init(&rng, seed, "test", 0);
    for (size_t x = 0; x < self->size; x++)
        expected[x] = opevo_space_allows(self->space, x) ? self->product[x] / self->allowed : 0;
    for (int i = 0; i < DRAWS; i++) {
        opevo_index vertices[WIDTH_MOST];

        assert_true(opevo_child_given_draw(given, &rng, vertices));
        drawn[(size_t)opevo_space_encode(self->space, vertices)]++;
    }
    for (size_t x = 0; x < self->size; x++)
        assert_true(drawn[x] == 0 || expected[x] > 0);
    p = fit_p(drawn, expected, self->size, DRAWS);
    opevo_free(drawn);
    opevo_free(expected);
    return p;
}

CHECK_TEST(test_random_systems)
{
    size_t systems = 0, restricted = 0;
    double least = 1;

    for (uint64_t n = 9000; systems < SYSTEMS; n++) {
        opevo_text text = {0};
        opevo_child_given *given = NULL;
        double bound = 0;
        family self;

        if (family_init(&self, n, &text)) {
            double p = 0;

            CHECK_OK(opevo_child_given_create(self.space, &self.parents, self.q, &given, &err));
            p = opevo_child_given_probability(given, &bound);
            assert_true(bound < 1e-10);
            CHECK_CLOSE(p, self.allowed, bound + 1e-13);
            check_laws(&self, given);
            least = fmin(least, systems % 5 ? 1 : fit_draws(&self, given, n));
            restricted += p < 0.9;
            systems++;
            opevo_child_given_destroy(given);
            family_clear(&self);
        }
        opevo_text_free(&text);
    }
    assert_true(restricted > SYSTEMS / 2);
    assert_true(least > 1e-6);
}

/* Draw children of the family that no parent and no set has; their p value against the law, 2 where
 * there may be nothing to draw. */
static double fit_rule(family *self, uint64_t stream)
{
    enum { DRAWS = 20000 };
    bool *taken = opevo_calloc(self->size, sizeof *taken);
    double *law = opevo_calloc(self->size, sizeof *law), rest = 0, lost = 1, bound = 1, p = 2;
    uint64_t *drawn = opevo_calloc(self->size, sizeof *drawn);
    opevo_index_set *seen = opevo_index_set_create();
    opevo_child_sampler *sampler = NULL;
    opevo_index rows[PARENTS][WIDTH_MOST];
    const opevo_index *vertices[PARENTS] = {rows[0], rows[1], rows[2]};
    opevo_rng rng;

    assert_true(taken && law && drawn && seen);
    for (size_t j = 0; j < PARENTS; j++) {
        opevo_space_decode(self->space, self->points[j], rows[j]);
        assert_true(opevo_index_set_add(seen, self->points[j]));
    }
    for (size_t x = 0; x < self->size; x++) {
        taken[x] = !opevo_space_allows(self->space, x) || opevo_index_set_has(seen, x);
        rest += taken[x] ? 0 : self->product[x];
    }
    CHECK_OK(
        opevo_child_sampler_create(self->space, self->q, OPEVO_DUPLICATE_GIVEN, &sampler, &err));
    CHECK_OK(opevo_child_sampler_set_parents(sampler, vertices, self->weights, PARENTS, &err));
    if (rest > 0.01) {
        CHECK_OK(opevo_child_law_without_duplicates(
            &(opevo_child_step){
                self->space, &self->parents, self->q, OPEVO_DUPLICATE_GIVEN, taken, {0, 0}},
            law, &lost, &bound, &err));
        assert_true(lost == 0 && bound < 1e-10);
        for (size_t x = 0; x < self->size; x++)
            CHECK_CLOSE(law[x], taken[x] ? 0 : self->product[x] / rest, bound + 1e-12);
        opevo_rng_init(&rng, stream, "test", 0);
        for (int i = 0; i < DRAWS; i++) {
            opevo_index child[WIDTH_MOST], point = 0;

            assert_true(opevo_child_sampler_draw(sampler, seen, &rng, child, &point));
            assert_false(taken[(size_t)point]);
            drawn[(size_t)point]++;
        }
        p = fit_p(drawn, law, self->size, DRAWS);
    }
    opevo_child_sampler_destroy(sampler);
    opevo_index_set_destroy(seen);
    opevo_free(taken);
    opevo_free(law);
    opevo_free(drawn);
    return p;
}

/* The rule's law is the product law on the free points, divided by their sum; and the sampler's
 * draws fit it. */
CHECK_TEST(test_rule)
{
    double least = 1;

    for (uint64_t n = 300, systems = 0; systems < 12; n++) {
        opevo_text text = {0};
        family self;

        if (family_init(&self, n, &text) && self.size > 20 && self.size < 400) {
            double p = fit_rule(&self, n);

            least = fmin(least, p);
            systems += p <= 1;
        }
        family_clear(&self);
        opevo_text_free(&text);
    }
    assert_true(least > 1e-5);
}

CHECK_TEST(test_every_allocation_fails)
{
    opevo_text text = {0};
    opevo_status status = OPEVO_NOMEM;
    family self = {0};
    int64_t live = 0;

    for (uint64_t n = 40; !family_init(&self, n, &text); n++)
        opevo_text_clear(&text);
    CHECK_OK(opevo_space_diagram(self.space, &(const opevo_diagram *){NULL}, &err));
    live = opevo_memory_live();
    for (int64_t n = 1; status != OPEVO_OK; n++) {
        opevo_child_given *given = NULL;

        opevo_memory_fail_at(n);
        status = opevo_child_given_create(self.space, &self.parents, self.q, &given, NULL);
        opevo_memory_fail_at(0);
        assert_true(status == OPEVO_OK || (status == OPEVO_NOMEM && !given));
        opevo_child_given_destroy(given);
        assert_int_equal(opevo_memory_live(), live);
    }
    family_clear(&self);
    opevo_text_free(&text);
}
