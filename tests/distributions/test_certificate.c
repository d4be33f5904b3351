/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The certificate: for laws that are spoilt in any way it is above the true error and above every
 * tolerance that could be asked for, and it includes the rounding of its own residual. */

#include "law_fixture.h"

#include "law_internal.h"

/* The certificate of an arbitrary vector. */
static double certify(const opevo_graph *graph, double q, const double *p0, const double *law)
{
    opevo_i_law_graph_system system = {0};
    opevo_i_law_residual residual = {0};
    double *r = calloc(graph->vertex_count, sizeof *r), bound = 0;

    CHECK_OK(opevo_i_law_graph_system_init(graph, q, false, &system, &err));
    system.super.p0 = p0;
    CHECK_OK(system.super.residual(&system.super, law, r, &residual, &err));
    bound = opevo_i_law_bound(&residual, graph->vertex_count, q);
    opevo_i_law_graph_system_release(&system);
    free(r);
    return bound;
}

static double distance(const double *law, const long double *exact, size_t n)
{
    long double sum = 0;

    for (size_t v = 0; v < n; v++)
        sum += fabsl(law[v] - exact[v]);
    return (double)sum;
}

typedef struct example {
    opevo_parameter *parameter;
    opevo_graph *graph;
    size_t n;
    double *p0, *law;
    long double *exact;
} example;

static example example_of(const char *text, double q, size_t start)
{
    example self = {.parameter = parameter_of(text, NULL)};

    CHECK_OK(opevo_graph_create(self.parameter, 0, &self.graph, &err));
    self.n = self.graph->vertex_count;
    self.p0 = calloc(self.n, sizeof *self.p0);
    self.law = calloc(self.n, sizeof *self.law);
    self.exact = calloc(self.n, sizeof *self.exact);
    self.p0[start] = 1;
    law_by_series(self.graph, q, self.p0, self.exact);
    CHECK_OK(opevo_law_solve(self.graph, q, self.p0, NULL, self.law, NULL, &err));
    return self;
}

static void release(example *self)
{
    opevo_graph_destroy(self->graph);
    opevo_parameter_destroy(self->parameter);
    free(self->p0);
    free(self->law);
    free(self->exact);
}

static void check_spoilt(const example *self, double q)
{
    double bound = certify(self->graph, q, self->p0, self->law);

    assert_true(bound >= distance(self->law, self->exact, self->n));
    assert_true(bound > 1e-12);
}

/* One probability changed by as little as 1e-11, up or down, anywhere. */
CHECK_TEST(one_entry_changed)
{
    static const double qs[] = {0.1, 0.5, 0.9};
    static const double changes[] = {1e-11, -1e-11, 1e-6, 0.1, -0.1};

    for (size_t i = 0; i < 3; i++) {
        example self = example_of("factor(64,3)", qs[i], 0);

        for (size_t v = 0; v < self.n; v++) {
            for (size_t c = 0; c < 5; c++) {
                double kept = self.law[v];

                self.law[v] += changes[c];
                check_spoilt(&self, qs[i]);
                self.law[v] = kept;
            }
        }
        release(&self);
    }
}

CHECK_TEST(law_of_another_walk)
{
    example self = example_of("factor(64,3)", 0.5, 0);
    static const uint32_t first = 0;

    /* another q */
    CHECK_OK(opevo_law_solve(self.graph, 0.5 + 1e-9, self.p0, NULL, self.law, NULL, &err));
    check_spoilt(&self, 0.5);
    /* another start */
    self.p0[first] = 0;
    self.p0[1] = 1;
    CHECK_OK(opevo_law_solve(self.graph, 0.5, self.p0, NULL, self.law, NULL, &err));
    self.p0[1] = 0;
    self.p0[first] = 1;
    check_spoilt(&self, 0.5);
    release(&self);
}

/* Without the edge 0 - 1, and with a lazy step at every border: both are plausible mistakes. */
CHECK_TEST(law_of_another_graph)
{
    static const uint32_t square[] = {0, 1, 1, 2, 2, 3, 3, 0, 0, 2};
    static const double p0[4] = {1, 0, 0, 0};
    opevo_graph *whole = NULL, *less = NULL;
    double law[4] = {0};
    long double exact[4] = {0};

    CHECK_OK(opevo_graph_from_edges(4, square, 5, &whole, &err));
    CHECK_OK(opevo_graph_from_edges(4, square + 2, 4, &less, &err));
    law_by_series(whole, 0.5, p0, exact);
    CHECK_OK(opevo_law_solve(less, 0.5, p0, NULL, law, NULL, &err));
    assert_true(certify(whole, 0.5, p0, law) >= distance(law, exact, 4));
    assert_true(certify(whole, 0.5, p0, law) > 0.01);
    opevo_graph_destroy(whole);
    opevo_graph_destroy(less);
}

/* The bound is never optimistic about correctly rounded laws, and never more than the rounding of
 * n numbers explains: |r|_1 <= (1 + q) 2^-53, divided by 1 - q. */
CHECK_TEST(rounded_laws)
{
    static const double qs[] = {0.1, 0.5, 0.9, 0.99};

    for (size_t i = 0; i < 4; i++) {
        example self = example_of("factor(1024,3)", qs[i], 5);
        double bound = 0, least = 0;

        for (size_t v = 0; v < self.n; v++)
            self.law[v] = (double)self.exact[v];
        bound = certify(self.graph, qs[i], self.p0, self.law);
        least = distance(self.law, self.exact, self.n);
        assert_true(bound >= least);
        assert_true(bound <= 1.01 * (1 + qs[i]) / (1 - qs[i]) * 0x1p-53);
        release(&self);
    }
}

/* Not a number anywhere must not pass for a small bound. */
CHECK_TEST(not_a_number)
{
    example self = example_of("factor(8,3)", 0.5, 0);
    double bound = 0;

    self.law[3] = NAN;
    bound = certify(self.graph, 0.5, self.p0, self.law);
    assert_int_equal(opevo_i_law_judge(bound, 1e-12, NULL), OPEVO_TOLERANCE);
    release(&self);
}
