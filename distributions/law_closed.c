/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Closed forms of the law: the complete graph and the cycle. docs/mathematics.md derives them. They
 * are evaluated in extended precision, so that rounding them to double is the only error. */

#include "law_internal.h"

#include <opevo/memory.h>

#include <math.h>

/* ---- Complete graph: the start, and all others alike ---- */

static size_t complete_class_of(const opevo_law *law, opevo_index vertex)
{
    return vertex != law->start;
}

static opevo_law_class complete_class_get(const opevo_law *law, size_t i)
{
    opevo_index others = opevo_parameter_size(law->parameter) - 1;

    return (opevo_law_class){
        .representative = i == 0 ? law->start : law->start == 0,
        .size = i == 0 ? 1 : others,
        .probability = law->probability[i],
    };
}

static const opevo_i_law_symmetry complete_symmetry = {complete_class_of, complete_class_get};

static void complete_formula(opevo_index n, double q, double *start, double *other)
{
    const long double others = (long double)(n - 1), go_on = q;

    *start = (double)(n == 1 ? 1 : ((1 - go_on) * others + go_on) / (others + go_on));
    *other = (double)(n == 1 ? 0 : go_on / (others + go_on));
}

/* Residual of start mass T0 and mass T1 on each of the others. */
static opevo_i_law_residual complete_residual(opevo_index n, double q_double, double t0, double t1)
{
    const long double q = q_double, others = (long double)(n - 1);
    long double at_start = n == 1 ? t0 : t1; /* others * t1 / others */
    long double at_other = n == 1 ? 0 : (t0 + (others - 1) * (long double)t1) / others;

    return (opevo_i_law_residual){
        .norm = fabsl(1 - q - t0 + q * at_start) + others * fabsl(q * at_other - t1),
        .terms = 1 - q + t0 + q * at_start + others * (q * at_other + t1),
        .longest = 4,
    };
}

opevo_status opevo_i_law_complete(opevo_law *law, double tolerance, opevo_error *err)
{
    opevo_index n = opevo_parameter_size(law->parameter);
    double start = 0, other = 0;
    opevo_i_law_residual residual = {0};
    opevo_status status = opevo_i_law_allocate(law, n == 1 ? 1 : 2, err);

    if (status != OPEVO_OK)
        return status;
    law->symmetry = &complete_symmetry;
    complete_formula(n, law->q, &start, &other);
    law->probability[0] = start;
    if (n > 1)
        law->probability[1] = other;
    residual = complete_residual(n, law->q, start, other);
    law->bound = opevo_i_law_bound(&residual, 2, law->q);
    return opevo_i_law_judge(law->bound, tolerance, err);
}

/* ---- Cycle: classes by distance from the start ---- */

static size_t cycle_class_of(const opevo_law *law, opevo_index vertex)
{
    opevo_index n = opevo_parameter_size(law->parameter);
    opevo_index around = vertex >= law->start ? vertex - law->start : law->start - vertex;

    return (size_t)(around <= n - around ? around : n - around);
}

static size_t cycle_class_size(size_t n, size_t distance)
{
    return distance == 0 || 2 * distance == n ? 1 : 2;
}

static opevo_law_class cycle_class_get(const opevo_law *law, size_t i)
{
    size_t n = (size_t)opevo_parameter_size(law->parameter);

    return (opevo_law_class){
        .representative = (law->start + i) % n,
        .size = cycle_class_size(n, i),
        .probability = law->probability[i],
    };
}

static const opevo_i_law_symmetry cycle_symmetry = {cycle_class_of, cycle_class_get};

/* sqrt((1-q)/(1+q)) (a^d + a^(n-d)) / (1 - a^n) with a = q / (1 + sqrt(1-q^2)). Logarithms keep
 * 1 - a^n exact to the last digits when a is close to 1. */
static void cycle_formula(size_t n, long double q, double *law)
{
    long double root = sqrtl((1 - q) * (1 + q));
    long double log_a = logl(q) - log1pl(root);
    long double scale = sqrtl((1 - q) / (1 + q)) / -expm1l((long double)n * log_a);

    for (size_t d = 0; d <= n / 2; d++)
        law[d] =
            (double)(scale * (expl((long double)d * log_a) + expl((long double)(n - d) * log_a)));
}

static opevo_i_law_residual cycle_residual(size_t n, long double q, const double *law)
{
    opevo_i_law_residual residual = {.longest = 4};

    for (size_t d = 0; d <= n / 2; d++) {
        size_t before = d == 0 ? 1 : d - 1;
        size_t after = d + 1 <= n - d - 1 ? d + 1 : n - d - 1;
        long double start = d == 0 ? 1 - q : 0;
        long double arriving = q * ((long double)law[before] + law[after]) / 2;
        long double size = (long double)cycle_class_size(n, d);

        residual.norm += size * fabsl(start - law[d] + arriving);
        residual.terms += size * (start + law[d] + arriving);
    }
    return residual;
}

opevo_status opevo_i_law_cycle(opevo_law *law, double tolerance, opevo_error *err)
{
    opevo_index n = opevo_parameter_size(law->parameter);
    opevo_i_law_residual residual = {0};
    opevo_status status = OPEVO_OK;

    if (n > SIZE_MAX / 16)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "The law of the cycle %s does not fit in memory.",
                          opevo_parameter_text(law->parameter));
    status = opevo_i_law_allocate(law, (size_t)n / 2 + 1, err);
    if (status != OPEVO_OK)
        return status;
    law->symmetry = &cycle_symmetry;
    if (law->q > 0)
        cycle_formula((size_t)n, law->q, law->probability);
    else
        law->probability[0] = 1;
    residual = cycle_residual((size_t)n, law->q, law->probability);
    law->bound = opevo_i_law_bound(&residual, law->class_count, law->q);
    return opevo_i_law_judge(law->bound, tolerance, err);
}
