/* SPDX-License-Identifier: GPL-3.0-or-later */

/* From an approximate solver to a certified law: solve, form the residual of what would be returned
 * in extended precision, and solve again for the correction while that helps. The bound is right
 * whatever the solver did, so a wrong solver ends in TOLERANCE and never in a wrong law. */

#include "law_internal.h"

#include <opevo/memory.h>

#include <float.h>
#include <math.h>

enum { ROUNDS_MAX = 8 };

double opevo_i_law_bound(const opevo_i_law_residual *residual, size_t count, double q)
{
    const long double unit = LDBL_EPSILON / 2;
    long double roundings = ((long double)residual->longest + 8) * unit;
    long double norm = residual->norm * (1 + ((long double)count + 8) * unit);
    long double bound =
        (norm + roundings / (1 - roundings) * residual->terms) / (1 - (long double)q);

    return nextafter((double)(bound * (1 + 8 * unit)), INFINITY);
}

/* Without the difference, which would lose what lies below 2^-53. */
double opevo_i_law_bound_join(double bound, double more)
{
    double product = nextafter(bound * more, INFINITY);

    return nextafter(nextafter(bound + more, INFINITY) + product, INFINITY);
}

opevo_status opevo_i_law_judge(double bound, double tolerance, opevo_error *err)
{
    if (bound <= tolerance)
        return OPEVO_OK;
    return OPEVO_FAIL(err, OPEVO_TOLERANCE,
                      "The law could be certified only within %.3g, not within %.3g; use a larger "
                      "tolerance or a smaller q.",
                      bound, tolerance);
}

/* law += x, of which a class of a quotient holds the mass of all its vertices. */
static void correct(const opevo_i_law_system *system, const double *x, double *law)
{
    for (size_t i = 0; i < system->count; i++) {
        double next = law[i] + (system->size ? x[i] / system->size[i] : x[i]);

        law[i] = next > 0 ? next : 0;
    }
}

static opevo_status refine(const opevo_i_law_system *system, double tolerance, double *r, double *x,
                           double *law, double *bound, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    double last = INFINITY, now = INFINITY;
    double goal = 0.5 * tolerance * (1 - system->q);

    for (size_t i = 0; i < system->count; i++)
        r[i] = (1 - system->q) * system->p0[i];
    for (int round = 0; round < ROUNDS_MAX && now > tolerance; round++) {
        opevo_i_law_residual residual = {0};

        OPEVO_TRY(system->solve(system, r, goal, x, err));
        correct(system, x, law);
        OPEVO_TRY(system->residual(system, law, r, &residual, err));
        last = now;
        now = opevo_i_law_bound(&residual, system->count, system->q);
        if (!(now < 0.5 * last))
            break;
    }
    OPEVO_TRY(opevo_i_law_judge(now, tolerance, err));
    *bound = now;
cleanup:
    return status;
}

/* Without a step the law is the start itself. */
static opevo_status stay(const opevo_i_law_system *system, double tolerance, double *r, double *law,
                         double *bound, opevo_error *err)
{
    opevo_i_law_residual residual = {0};
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < system->count; i++)
        law[i] = system->size ? system->p0[i] / system->size[i] : system->p0[i];
    status = system->residual(system, law, r, &residual, err);
    if (status != OPEVO_OK)
        return status;
    *bound = opevo_i_law_bound(&residual, system->count, system->q);
    return opevo_i_law_judge(*bound, tolerance, err);
}

opevo_status opevo_i_law_refine(const opevo_i_law_system *system, double tolerance, double *law,
                                double *bound, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    double *r = opevo_malloc(system->count, sizeof *r);
    double *x = opevo_malloc(system->count, sizeof *x);

    OPEVO_NEED(r && x, "solving for the law of %zu vertices", system->count);
    for (size_t i = 0; i < system->count; i++)
        law[i] = 0;
    if (system->q == 0)
        status = stay(system, tolerance, r, law, bound, err);
    else
        status = refine(system, tolerance, r, x, law, bound, err);
cleanup:
    opevo_free(r);
    opevo_free(x);
    return status;
}
