/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Bounds of the errors of operations in single precision, as computation_reference.h has them. */

#include "interpreter_internal.h"

#include <opevo/computation_reference.h>

#include <float.h>
#include <math.h>

#define SMALLEST 0x1p-126 /* normal; a smaller result may become 0 */
#define EACH for (int i = 0; i < OPEVO_I_LANES; i++)

double opevo_i_reference_rounded(double value, double error, double units)
{
    double size = fabs(value) + error;

    if (!(size <= FLT_MAX))
        return INFINITY;
    return error + units * OPEVO_I_ROUNDING * size +
           (size > 0 && size < 2 * SMALLEST ? SMALLEST : 0);
}

/* |a| eb; without a bound where b has none, which may be an infinity or NaN. */
static double product(double a, double error)
{
    return error == 0 ? 0 : isinf(error) ? INFINITY : fabs(a) * error;
}

static double of_division(double a, double ea, double b, double eb)
{
    double least = fabs(b) - eb;

    return least > 0 ? (ea + product(a / b, eb)) / least : INFINITY;
}

static double of_larger(double a, double ea, double b, double eb)
{
    if (a - ea > b + eb)
        return ea;
    if (b - eb > a + ea)
        return eb;
    return ea > eb ? ea : eb;
}

static double of_root(double a, double ea)
{
    if (ea == 0)
        return a < 0 ? INFINITY : 0;
    return a > ea ? ea / (sqrt(a) + sqrt(a - ea)) : INFINITY;
}

static double of_logarithm(double a, double ea)
{
    if (ea == 0)
        return a > 0 ? 0 : INFINITY;
    return a > ea ? ea / (a - ea) : INFINITY;
}

/* The larger difference, exp(a + ea) - exp(a). Where exp(ea) overflows, exp(a + ea) need not, and
 * bounds it. */
static double of_exponential(double a, double ea)
{
    double growth = expm1(ea);

    return isfinite(growth) ? product(exp(a), growth) : exp(nextafter(a + ea, INFINITY));
}

/* The error times the largest slope near a, which is where it is nearest to 0. The slopes of
 * sigmoid and tanh, s (1 - s) and 1 - t^2, are written without differences, which would cancel. */
static double of_slope(opevo_expression_kind operation, double a, double ea)
{
    double x = fabs(a) > ea ? fabs(a) - ea : 0;
    double tail = exp(operation == OPEVO_EXPR_TANH ? -2 * x : -x);
    double slope = tail / ((1 + tail) * (1 + tail));

    if (ea == 0)
        return 0;
    if (operation == OPEVO_EXPR_ERF)
        slope = 1.1283791670955126 * exp(-x * x); /* 2 / sqrt(pi) */
    else if (operation == OPEVO_EXPR_TANH)
        slope *= 4;
    return fmin(2, ea * slope);
}

void opevo_i_reference_error_before(const opevo_i_reference_code *code,
                                    opevo_i_reference_lanes *registers)
{
    const double *a = registers[code->a].value, *b = registers[code->b].value;
    double *ea = registers[code->a].error; /* replaced by the result's */
    const double *eb = registers[code->b].error;

    switch (code->operation) {
    case OPEVO_EXPR_ADD:
    case OPEVO_EXPR_SUBTRACT:
        EACH ea[i] += eb[i];
        break;
    case OPEVO_EXPR_MULTIPLY:
        EACH ea[i] = product(a[i], eb[i]) + product(b[i], ea[i]) + product(ea[i], eb[i]);
        break;
    case OPEVO_EXPR_DIVIDE:
        EACH ea[i] = of_division(a[i], ea[i], b[i], eb[i]);
        break;
    case OPEVO_EXPR_MAX:
        EACH ea[i] = of_larger(a[i], ea[i], b[i], eb[i]);
        break;
    case OPEVO_EXPR_MIN:
        EACH ea[i] = of_larger(-a[i], ea[i], -b[i], eb[i]);
        break;
    case OPEVO_EXPR_SQRT:
        EACH ea[i] = of_root(a[i], ea[i]);
        break;
    case OPEVO_EXPR_LOG:
        EACH ea[i] = of_logarithm(a[i], ea[i]);
        break;
    case OPEVO_EXPR_EXP:
        EACH ea[i] = of_exponential(a[i], ea[i]);
        break;
    case OPEVO_EXPR_TANH:
    case OPEVO_EXPR_ERF:
    case OPEVO_EXPR_SIGMOID:
        EACH ea[i] = of_slope(code->operation, a[i], ea[i]);
        break;
    default: /* negation keeps it */
        break;
    }
}

void opevo_i_reference_error_after(const opevo_i_reference_code *code, opevo_i_reference_lanes *to)
{
    double units = 1;

    switch (code->operation) {
    case OPEVO_EXPR_MAX:
    case OPEVO_EXPR_MIN:
    case OPEVO_EXPR_NEGATE:
        return;
    case OPEVO_EXPR_EXP:
    case OPEVO_EXPR_TANH:
    case OPEVO_EXPR_ERF:
    case OPEVO_EXPR_LOG:
        units = 2 * OPEVO_REFERENCE_ULPS;
        break;
    case OPEVO_EXPR_SIGMOID: /* exp, and the roundings of a sum and a quotient */
        units = 2 * OPEVO_REFERENCE_ULPS + 3;
        break;
    default:
        break;
    }
    EACH to->error[i] = opevo_i_reference_rounded(to->value[i], to->error[i], units);
}
