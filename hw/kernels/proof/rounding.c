/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sizes and errors of all that is computed of inputs of at most 1 in size: by the triangle
 * inequality, so that signs do not matter. In the arithmetic of a kernel operations are exact and
 * what its instructions round is rounded behind them; in that of a definition each operation rounds
 * to single precision, but additions wait until their sum is used.
 *
 * Source: Higham, "Accuracy and Stability of Numerical Algorithms", 2002: 2.2 (the model), 3.1
 * (products of roundings), 4.2 (sums in any order). */

#include "rounding_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Bounds are rounded in double precision themselves, which this makes up for. */
#define MARGIN (1 + 64 * DBL_EPSILON)
#define SHORT_DIGITS 11
#define FUNCTION_UNITS 8 /* of functions, in half units in the last place */

typedef struct bound {
    double size;  /* of the real number, at most */
    double error; /* of what is computed */
    double terms; /* of a sum whose additions are not in `error` yet; 0: a number, of this size */
} bound;

static double unit_of(unsigned bytes)
{
    return bytes == 8 ? 0x1p-53 : bytes == 2 ? 0x1p-11 : 0x1p-24;
}

static double least_of(unsigned bytes)
{
    return bytes == 8 ? DBL_TRUE_MIN : bytes == 2 ? 0x1p-25 : (double)FLT_MIN; /* or 0 */
}

static double most_of(unsigned bytes)
{
    return bytes == 8 ? DBL_MAX : bytes == 2 ? 65504 : (double)FLT_MAX;
}

static bound get(const opevo_simt_value *value)
{
    bound out;

    memcpy(&out, value->word, sizeof out);
    return out;
}

static bound unknown(void)
{
    return (bound){HUGE_VAL, HUGE_VAL, 1};
}

static bool is_number(bound a)
{
    return a.terms == 0;
}

static opevo_simt_value put(bound value)
{
    opevo_simt_value out;

    if (!is_number(value)) {
        value.size *= MARGIN;
        value.error *= MARGIN;
        if (!(value.size < HUGE_VAL) || !(value.error < HUGE_VAL))
            value = unknown();
    }
    memcpy(out.word, &value, sizeof out);
    return out;
}

static bound rounded(bound a, unsigned bytes)
{
    if (!(a.size + a.error <= most_of(bytes)))
        return unknown();
    a.error += unit_of(bytes) * (a.size + a.error) + least_of(bytes);
    a.terms = 1;
    return a;
}

/* With the additions of its terms: each is rounded in at most n - 1 of them, whatever the order. */
static bound closed(bound a)
{
    double n = (a.terms - 1) * unit_of(sizeof(float));

    if (!(a.terms > 1))
        return a;
    if (!(n < 0.5) || !(a.size + a.error <= most_of(sizeof(float)) / 2))
        return unknown();
    a.error += n / (1 - n) * (a.size + a.error);
    a.terms = 1;
    return a;
}

/* ---- Operations ---- */

static bound sum(bound a, bound b)
{
    return (bound){a.size + b.size, a.error + b.error, 1};
}

static bound product(bound a, bound b)
{
    return (bound){a.size * b.size, a.size * b.error + b.size * a.error + a.error * b.error, 1};
}

/* Nothing is known of how small a divisor may be that is not a number. */
static bound quotient(bound a, bound b)
{
    double least = b.size - b.error;

    return is_number(b) && least > 0 && b.size < HUGE_VAL
               ? (bound){a.size / b.size, (a.error + a.size * b.error / b.size) / least, 1}
               : unknown();
}

/* Infinities that maxima begin with are never the result. */
static bound larger(bound a, bound b)
{
    if (is_number(a) && a.size == HUGE_VAL)
        return b;
    if (is_number(b) && b.size == HUGE_VAL)
        return a;
    return (bound){fmax(a.size, b.size), fmax(a.error, b.error), 1};
}

/* A function of at most `size` there whose slope is at most `slope`. */
static bound function(double size, double slope, bound a)
{
    return (bound){size, slope * a.error + FUNCTION_UNITS * unit_of(sizeof(float)) * size, 1};
}

/* The computed argument may be the larger one. */
static bound exponential(bound a)
{
    double most = exp(a.size + a.error);

    return function(most, most, a);
}

/* Those that have no row are not known; `rounds`: the result is not exact. */
#define OPERATIONS(X)                                                                              \
    X(ADD, sum(a, b), true)                                                                        \
    X(SUBTRACT, sum(a, b), true)                                                                   \
    X(MULTIPLY, product(a, b), true)                                                               \
    X(DIVIDE, quotient(a, b), true)                                                                \
    X(FMA, sum(product(a, b), c), true)                                                            \
    X(NEGATE, a, false)                                                                            \
    X(RECIPROCAL, quotient((bound){1, 0, 0}, a), true)                                             \
    X(MAX, larger(a, b), false)                                                                    \
    X(MIN, larger(a, b), false)                                                                    \
    X(ABS, a, false)                                                                               \
    X(COPYSIGN, unknown(), true)                                                                   \
    X(SQRT, unknown(), true)                                                                       \
    X(RSQRT, unknown(), true)                                                                      \
    X(EXP, exponential(a), true)                                                                   \
    X(EXP2, unknown(), true)                                                                       \
    X(LOG, unknown(), true)                                                                        \
    X(LOG2, unknown(), true)                                                                       \
    X(LOG10, unknown(), true)                                                                      \
    X(SIN, function(1, 1, a), true)                                                                \
    X(COS, function(1, 1, a), true)                                                                \
    X(TAN, unknown(), true)                                                                        \
    X(TANH, function(1, 1, a), true)                                                               \
    X(ERF, function(1, 1.13, a), true)                                                             \
    X(SIGMOID, function(1, 0.25, a), true)                                                         \
    X(POWER, unknown(), true)                                                                      \
    X(REMAINDER, unknown(), false)                                                                 \
    X(FLOOR, unknown(), false)                                                                     \
    X(CEIL, unknown(), false)                                                                      \
    X(TRUNC, unknown(), false)                                                                     \
    X(ROUND, unknown(), false)                                                                     \
    X(ROUND_EVEN, unknown(), false)

/* ---- Of a kernel ---- */

#define RUN(name, value, rounds)                                                                   \
    static void run_##name(const opevo_simt_arithmetic *self, uint32_t lanes,                      \
                           opevo_simt_value *to, const opevo_simt_value *at_a,                     \
                           const opevo_simt_value *at_b, const opevo_simt_value *at_c)             \
    {                                                                                              \
        (void)self;                                                                                \
        for (uint32_t rest = lanes; rest; rest &= rest - 1) {                                      \
            unsigned i = (unsigned)__builtin_ctz(rest);                                            \
            bound a = get(&at_a[i]), b = get(&at_b[i]), c = get(&at_c[i]);                         \
                                                                                                   \
            (void)a, (void)b, (void)c;                                                             \
            to[i] = put(value);                                                                    \
        }                                                                                          \
    }
OPERATIONS(RUN)

static bool round_values(const opevo_simt_arithmetic *self, uint32_t lanes,
                         opevo_simt_value *values, unsigned bytes)
{
    (void)self;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        opevo_simt_value *value = &values[__builtin_ctz(rest)];
        bound a = get(value);

        if (!(is_number(a) && a.size == HUGE_VAL))
            *value = put(rounded(a, bytes));
    }
    return true;
}

/* Where roundings may decide, the other one may be taken. */
static bound chosen(bound x, bound y, bound yes, bound no)
{
    bound out = {fmax(yes.size, no.size), fmax(yes.error, no.error), 1};

    if (x.error > 0 || y.error > 0)
        out.error += yes.size + no.size;
    return out;
}

static void choose(const opevo_simt_arithmetic *self, uint32_t lanes, opevo_simt_value *to,
                   opevo_simt_relation relation, const opevo_simt_value *x,
                   const opevo_simt_value *y, const opevo_simt_value *yes,
                   const opevo_simt_value *no)
{
    bool is_larger =
        relation != OPEVO_SIMT_EQUAL && ((yes == x && no == y) || (yes == y && no == x));

    (void)self;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        unsigned i = (unsigned)__builtin_ctz(rest);

        bound a = closed(get(&x[i])), b = closed(get(&y[i]));

        to[i] =
            put(is_larger ? larger(a, b) : chosen(a, b, closed(get(&yes[i])), closed(get(&no[i]))));
    }
}

/* A number with few digits is what it is; another one stands for a fraction near it. */
static opevo_simt_value number(const opevo_simt_arithmetic *self, double value, unsigned bytes)
{
    double size = fabs(value), whole;
    int exponent;
    bool is_short = modf(ldexp(frexp(size, &exponent), SHORT_DIGITS), &whole) == 0;

    (void)self;
    if (isnan(value))
        return put(unknown());
    return put((bound){size, is_short || size == HUGE_VAL ? 0 : unit_of(bytes) * size, 0});
}

#define ENTRY(name, value, rounds) [OPEVO_SIMT_VALUE_##name] = run_##name,
const opevo_simt_arithmetic opevo_i_rounding_arithmetic = {.name = "rounding",
                                                           .operation = {OPERATIONS(ENTRY)},
                                                           .choose = choose,
                                                           .number = number,
                                                           .round = round_values,
                                                           .rounded_bytes = 8};

/* ---- Of a definition ---- */

static void add_terms(const opevo_simt_arithmetic *self, uint32_t lanes, opevo_simt_value *to,
                      const opevo_simt_value *at_a, const opevo_simt_value *at_b,
                      const opevo_simt_value *at_c)
{
    (void)self, (void)at_c;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        unsigned i = (unsigned)__builtin_ctz(rest);
        bound a = get(&at_a[i]), b = get(&at_b[i]), made = sum(a, b);

        made.terms = fmax(a.terms, 1) + fmax(b.terms, 1);
        to[i] = put(made);
    }
}

#define RUN_ANY(name, value, rounds)                                                               \
    static void any_##name(const opevo_simt_arithmetic *self, uint32_t lanes,                      \
                           opevo_simt_value *to, const opevo_simt_value *at_a,                     \
                           const opevo_simt_value *at_b, const opevo_simt_value *at_c)             \
    {                                                                                              \
        (void)self;                                                                                \
        for (uint32_t rest = lanes; rest; rest &= rest - 1) {                                      \
            unsigned i = (unsigned)__builtin_ctz(rest);                                            \
            bound a = closed(get(&at_a[i])), b = closed(get(&at_b[i])), c = closed(get(&at_c[i])); \
            bound made = (value);                                                                  \
                                                                                                   \
            (void)a, (void)b, (void)c;                                                             \
            to[i] = put((rounds) ? rounded(made, sizeof(float)) : made);                           \
        }                                                                                          \
    }
OPERATIONS(RUN_ANY)

#define ANY_ENTRY(name, value, rounds)                                                             \
    [OPEVO_SIMT_VALUE_##name] = OPEVO_SIMT_VALUE_##name == OPEVO_SIMT_VALUE_ADD ||                 \
                                        OPEVO_SIMT_VALUE_##name == OPEVO_SIMT_VALUE_SUBTRACT       \
                                    ? add_terms                                                    \
                                    : any_##name,
const opevo_simt_arithmetic opevo_i_rounding_of_any_order = {.name = "rounding in any order",
                                                             .operation = {OPERATIONS(ANY_ENTRY)},
                                                             .choose = choose,
                                                             .number = number,
                                                             .round = round_values,
                                                             .rounded_bytes = 2};

opevo_simt_value opevo_i_rounding_input(void)
{
    return put((bound){1, 0, 1});
}

double opevo_i_rounding_error(const opevo_simt_value *value)
{
    return closed(get(value)).error;
}
