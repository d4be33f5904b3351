/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "real_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define UNIT ((double)FLT_EPSILON)
#define HALF_UNIT 0x1p-11 /* half of one in the last place */
#define HALF_LEAST 0x1p-25
#define HALF_MOST 65504.
#define FUNCTION_UNITS 16 /* of exp and others in single precision, generously */

typedef struct real {
    double number, bound, size;
} real;

static real get(const opevo_simt_value *value)
{
    real out;

    memcpy(&out, value->word, sizeof out);
    return out;
}

static opevo_simt_value put(real value)
{
    opevo_simt_value out;

    if (!(value.bound < HUGE_VAL) || !(fabs(value.number) < (double)FLT_MAX))
        value.bound = HUGE_VAL; /* nothing is known of what overflows */
    memcpy(out.word, &value, sizeof value);
    return out;
}

static real make(double number, double bound)
{
    return (real){number, bound, fabs(number) + bound};
}

opevo_simt_value opevo_i_real_of(double number)
{
    return put(make(number, 0));
}

double opevo_i_real_number(const opevo_simt_value *value)
{
    return get(value).number;
}

double opevo_i_real_bound(const opevo_simt_value *value)
{
    return get(value).bound;
}

/* A sum in another order has no partial sum above the sizes of its terms. */
static real sum(real a, real b)
{
    double size = a.size + b.size;

    return (real){a.number + b.number, a.bound + b.bound + 2 * UNIT * size, size};
}

static real negative(real a)
{
    return (real){-a.number, a.bound, a.size};
}

static real product(real a, real b)
{
    double number = a.number * b.number;

    return make(number, fabs(a.number) * b.bound + fabs(b.number) * a.bound + a.bound * b.bound +
                            UNIT * fabs(number) + (double)FLT_MIN * (number != 0));
}

static real inverse(real a)
{
    double least = fabs(a.number) - a.bound;

    return make(1 / a.number, least > 0
                                  ? a.bound / (least * fabs(a.number)) + UNIT * fabs(1 / a.number)
                                  : HUGE_VAL);
}

/* Of a function whose slope is at most `slope` on the way. */
static real function(double number, real a, double slope)
{
    return make(number, (a.bound > 0 ? a.bound * slope : 0) + FUNCTION_UNITS * UNIT * fabs(number));
}

/* Nothing is below what maxima begin with. */
static real larger(real a, real b)
{
    if (a.number <= -(double)FLT_MAX)
        return b;
    if (b.number <= -(double)FLT_MAX)
        return a;
    return make(fmax(a.number, b.number), fmax(a.bound, b.bound));
}

static real exponential(real a)
{
    if (a.number <= -(double)FLT_MAX)
        return make(0, 0);
    return function(exp(a.number), a, exp(a.number + a.bound));
}

static real logarithm(real a)
{
    double least = a.number - a.bound;

    return least > 0 ? function(log(a.number), a, 1 / least) : make(0, HUGE_VAL);
}

static real root(real a)
{
    double least = a.number - a.bound;

    return least > 0 ? function(sqrt(a.number), a, 0.5 / sqrt(least))
                     : make(0, a.number == 0 && a.bound == 0 ? 0 : HUGE_VAL);
}

static real sigmoid(real a)
{
    return function(1 / (1 + exp(-a.number)), a, 0.25);
}

static real nothing(void)
{
    return make(0, HUGE_VAL); /* of functions that no definition has */
}

#define OPERATIONS(X)                                                                              \
    X(ADD, sum(a, b))                                                                              \
    X(SUBTRACT, sum(a, negative(b)))                                                               \
    X(MULTIPLY, product(a, b))                                                                     \
    X(DIVIDE, product(a, inverse(b)))                                                              \
    X(FMA, sum(product(a, b), c))                                                                  \
    X(NEGATE, negative(a))                                                                         \
    X(RECIPROCAL, inverse(a))                                                                      \
    X(MAX, larger(a, b))                                                                           \
    X(MIN, negative(larger(negative(a), negative(b))))                                             \
    X(ABS, make(fabs(a.number), a.bound))                                                          \
    X(COPYSIGN, nothing())                                                                         \
    X(SQRT, root(a))                                                                               \
    X(RSQRT, inverse(root(a)))                                                                     \
    X(EXP, exponential(a))                                                                         \
    X(EXP2, nothing())                                                                             \
    X(LOG, logarithm(a))                                                                           \
    X(LOG2, nothing())                                                                             \
    X(LOG10, nothing())                                                                            \
    X(SIN, nothing())                                                                              \
    X(COS, nothing())                                                                              \
    X(TAN, nothing())                                                                              \
    X(TANH, function(tanh(a.number), a, 1))                                                        \
    X(ERF, function(erf(a.number), a, 1.13))                                                       \
    X(SIGMOID, sigmoid(a))                                                                         \
    X(POWER, nothing())                                                                            \
    X(REMAINDER, nothing())                                                                        \
    X(FLOOR, nothing())                                                                            \
    X(CEIL, nothing())                                                                             \
    X(TRUNC, nothing())                                                                            \
    X(ROUND, nothing())                                                                            \
    X(ROUND_EVEN, nothing())

#define RUN(name, value)                                                                           \
    static void run_##name(const opevo_simt_arithmetic *self, uint32_t lanes,                      \
                           opevo_simt_value *to, const opevo_simt_value *at_a,                     \
                           const opevo_simt_value *at_b, const opevo_simt_value *at_c)             \
    {                                                                                              \
        (void)self;                                                                                \
        for (uint32_t rest = lanes; rest; rest &= rest - 1) {                                      \
            unsigned i = (unsigned)__builtin_ctz(rest);                                            \
            real a = get(&at_a[i]), b = get(&at_b[i]), c = get(&at_c[i]);                          \
                                                                                                   \
            (void)a, (void)b, (void)c;                                                             \
            to[i] = put(value);                                                                    \
        }                                                                                          \
    }
OPERATIONS(RUN)

/* An infinity is where it is, whatever its bound says. */
static double doubt_of(real a)
{
    return fabs(a.number) < (double)FLT_MAX ? a.bound : 0;
}

/* Where roundings may decide the comparison, nothing is known. */
static void choose(const opevo_simt_arithmetic *self, uint32_t lanes, opevo_simt_value *to,
                   opevo_simt_relation relation, const opevo_simt_value *x,
                   const opevo_simt_value *y, const opevo_simt_value *yes,
                   const opevo_simt_value *no)
{
    (void)self;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        unsigned i = (unsigned)__builtin_ctz(rest);
        real a = get(&x[i]), b = get(&y[i]);
        bool holds = relation == OPEVO_SIMT_LESS         ? a.number < b.number
                     : relation == OPEVO_SIMT_LESS_EQUAL ? a.number <= b.number
                                                         : a.number == b.number;
        real chosen = get(holds ? &yes[i] : &no[i]);

        if (doubt_of(a) + doubt_of(b) > 0 && fabs(a.number - b.number) <= doubt_of(a) + doubt_of(b))
            chosen.bound = HUGE_VAL;
        to[i] = put(chosen);
    }
}

/* A constant of 16 bits stands for what rounds to it. */
static opevo_simt_value number(const opevo_simt_arithmetic *self, double value, unsigned bytes)
{
    (void)self;
    return put(make(value, bytes == 8   ? UNIT * fabs(value)
                           : bytes == 2 ? HALF_UNIT * fabs(value)
                                        : 0));
}

/* To 16 bits; what may overflow there is not known. */
static bool round_half(const opevo_simt_arithmetic *self, uint32_t lanes, opevo_simt_value *values,
                       unsigned bytes)
{
    (void)self, (void)bytes;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        opevo_simt_value *value = &values[__builtin_ctz(rest)];
        real a = get(value);
        double size = fabs(a.number) + a.bound;

        *value = put(size < HALF_MOST ? make(a.number, a.bound + HALF_UNIT * size + HALF_LEAST)
                                      : make(a.number, HUGE_VAL));
    }
    return true;
}

#define ENTRY(name, value) [OPEVO_SIMT_VALUE_##name] = run_##name,
const opevo_simt_arithmetic opevo_i_real_arithmetic = {.name = "real",
                                                       .operation = {OPERATIONS(ENTRY)},
                                                       .choose = choose,
                                                       .number = number,
                                                       .round = round_half,
                                                       .rounded_bytes = 2};
