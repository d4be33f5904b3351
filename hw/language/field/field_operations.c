/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The operations of the field, on the running lanes of a warp. */

#include "field_internal.h"

/* ---- Sums and products ---- */

static opevo_simt_value quotient(const opevo_simt_value *a, const opevo_simt_value *b)
{
    opevo_simt_value inverse = opevo_i_field_inverse(b);

    return opevo_i_field_times(a, &inverse);
}

static opevo_simt_value difference(const opevo_simt_value *a, const opevo_simt_value *b)
{
    opevo_simt_value minus = opevo_i_field_negative(b);

    return opevo_i_field_sum(a, &minus);
}

static bool same(const opevo_simt_value *a, const opevo_simt_value *b)
{
    return a->word[0] == b->word[0];
}

/* ---- Functions ---- */

static opevo_simt_value max_of(opevo_field *self, const opevo_simt_value *a,
                               const opevo_simt_value *b)
{
    opevo_simt_value out = *a;

    if (same(a, b) || a->word[0] == OPEVO_I_FIELD_INFINITE ||
        b->word[0] == OPEVO_I_FIELD_MINUS_INFINITE || a->word[0] == OPEVO_I_FIELD_NOTHING)
        return *a;
    if (opevo_i_field_special(a) || opevo_i_field_special(b))
        return *b;
    self->uses.maxima++;
    opevo_i_field_note(self, a);
    opevo_i_field_note(self, b);
    if (!opevo_i_maxima_join(self, a, b, &out))
        self->failed = true;
    return out;
}

static opevo_simt_value min_of(opevo_field *self, const opevo_simt_value *a,
                               const opevo_simt_value *b)
{
    opevo_simt_value x = opevo_i_field_negative(a), y = opevo_i_field_negative(b);
    opevo_simt_value most = max_of(self, &x, &y);

    return opevo_i_field_negative(&most);
}

static opevo_simt_value unknown_of(opevo_field *self, unsigned function, const opevo_simt_value *x)
{
    opevo_i_field_note(self, x);
    return opevo_i_field_special(x) ? opevo_i_field_special_of(OPEVO_I_FIELD_NOTHING)
                                    : opevo_i_field_unknown(self, function, &x->word[0], 1);
}

/* f(-x) = sign f(x): of x and -x the one with the smaller residue is looked up. */
static opevo_simt_value symmetric(opevo_field *self, unsigned function, const opevo_simt_value *x,
                                  bool is_odd)
{
    bool turned = !opevo_i_field_special(x) && x->word[0] > OPEVO_FIELD_P / 2;
    opevo_simt_value minus = opevo_i_field_negative(x), found;

    if (is_odd && x->word[0] == 0)
        return *x;
    found = unknown_of(self, function, turned ? &minus : x);
    return turned && is_odd ? opevo_i_field_negative(&found) : found;
}

static opevo_simt_value log_of(opevo_field *self, const opevo_simt_value *x)
{
    if (x->word[0] == 0)
        return opevo_i_field_special_of(OPEVO_I_FIELD_MINUS_INFINITE);
    return x->word[0] == 1 ? opevo_i_field_whole(0) : unknown_of(self, OPEVO_SIMT_VALUE_LOG, x);
}

static opevo_simt_value root(opevo_field *self, const opevo_simt_value *x)
{
    return x->word[0] <= 1 ? *x : unknown_of(self, OPEVO_SIMT_VALUE_SQRT, x);
}

/* 1 / (1 + e^-x). */
static opevo_simt_value sigmoid(opevo_field *self, const opevo_simt_value *x)
{
    opevo_simt_value minus = opevo_i_field_negative(x), one = opevo_i_field_whole(1);
    opevo_simt_value power = opevo_i_field_exp(self, &minus),
                     below = opevo_i_field_sum(&one, &power);

    return opevo_i_field_inverse(&below);
}

/* 2 sigmoid(2 x) - 1; where x has no residue modulo q, an unknown odd function. */
static opevo_simt_value tanh_of(opevo_field *self, const opevo_simt_value *x)
{
    opevo_simt_value twice = opevo_i_field_sum(x, x), half, one = opevo_i_field_whole(1);

    if (x->word[1] == OPEVO_I_FIELD_NO_Q)
        return symmetric(self, OPEVO_SIMT_VALUE_TANH, x, true);
    half = sigmoid(self, &twice);
    half = opevo_i_field_sum(&half, &half);
    return difference(&half, &one);
}

enum { MOST_POWER = 64 };

/* Whole powers are products. */
static opevo_simt_value power(opevo_field *self, const opevo_simt_value *a,
                              const opevo_simt_value *b)
{
    const uint64_t words[2] = {a->word[0], b->word[0]};
    opevo_simt_value made = opevo_i_field_whole(1);

    if (opevo_i_field_special(a) || opevo_i_field_special(b))
        return opevo_i_field_special_of(OPEVO_I_FIELD_NOTHING);
    if (b->word[0] > MOST_POWER)
        return opevo_i_field_unknown(self, OPEVO_SIMT_VALUE_POWER, words, 2);
    for (uint64_t i = 0; i < b->word[0]; i++)
        made = opevo_i_field_times(&made, a);
    return made;
}

static opevo_simt_value unknown_pair(opevo_field *self, unsigned function,
                                     const opevo_simt_value *a, const opevo_simt_value *b)
{
    const uint64_t words[2] = {a->word[0], b->word[0]};

    opevo_i_field_note(self, a);
    opevo_i_field_note(self, b);
    return opevo_i_field_special(a) || opevo_i_field_special(b)
               ? opevo_i_field_special_of(OPEVO_I_FIELD_NOTHING)
               : opevo_i_field_unknown(self, function, words, 2);
}

static opevo_simt_value scaled_exp(opevo_field *self, const opevo_simt_value *x)
{
    opevo_simt_value of_e = opevo_i_field_special(x) ? *x : quotient(x, &self->log2_e);

    return opevo_i_field_exp(self, &of_e);
}

static opevo_simt_value log2_of(opevo_field *self, const opevo_simt_value *x)
{
    opevo_simt_value natural = log_of(self, x);

    return opevo_i_field_special(&natural) ? natural : opevo_i_field_times(&natural, &self->log2_e);
}

static opevo_simt_value size_of(opevo_field *self, const opevo_simt_value *x)
{
    opevo_simt_value minus = opevo_i_field_negative(x);

    return max_of(self, x, &minus);
}

static opevo_simt_value root_inverse(opevo_field *self, const opevo_simt_value *x)
{
    opevo_simt_value found = root(self, x);

    return opevo_i_field_inverse(&found);
}

static opevo_simt_value fused(const opevo_simt_value *a, const opevo_simt_value *b,
                              const opevo_simt_value *c)
{
    opevo_simt_value product = opevo_i_field_times(a, b);

    return opevo_i_field_sum(&product, c);
}

/* ---- Selects ---- */

/* A constant that is a small whole number: as residues of both fields, a rational of less than 120
 * bits is no other. */
static bool is_small(const opevo_simt_value *x)
{
    return !x->word[2] && x->word[0] == x->word[1] && x->word[0] < 1024;
}

/* What infinities and small numbers decide: -1 x < y, 1 x > y, 0 x = y; 2: nothing. */
static int order_of(const opevo_simt_value *x, const opevo_simt_value *y)
{
    uint64_t a = x->word[0], b = y->word[0];

    if (a == OPEVO_I_FIELD_NOTHING || b == OPEVO_I_FIELD_NOTHING)
        return 2;
    if (a == b)
        return 0;
    if (a == OPEVO_I_FIELD_INFINITE || b == OPEVO_I_FIELD_MINUS_INFINITE)
        return 1;
    if (a == OPEVO_I_FIELD_MINUS_INFINITE || b == OPEVO_I_FIELD_INFINITE)
        return -1;
    return !is_small(x) || !is_small(y) ? 2 : a < b ? -1 : 1;
}

static opevo_simt_value unknown_choice(opevo_field *self, opevo_simt_relation relation,
                                       const opevo_simt_value *x, const opevo_simt_value *y,
                                       const opevo_simt_value *yes, const opevo_simt_value *no)
{
    opevo_simt_value apart = difference(y, x);
    uint64_t words[3] = {apart.word[0], yes->word[0], no->word[0]};

    opevo_i_field_note(self, &apart);
    opevo_i_field_note(self, yes);
    opevo_i_field_note(self, no);
    if (relation == OPEVO_SIMT_EQUAL && apart.word[0] > OPEVO_FIELD_P / 2)
        words[0] = OPEVO_FIELD_P - apart.word[0];
    return opevo_i_field_unknown(self, OPEVO_SIMT_VALUE_COUNT + (uint64_t)relation, words, 3);
}

/* x <= y ? yes : no is y < x ? no : yes. */
static opevo_simt_value choice(opevo_field *self, opevo_simt_relation relation,
                               const opevo_simt_value *x, const opevo_simt_value *y,
                               const opevo_simt_value *yes, const opevo_simt_value *no)
{
    int order = order_of(x, y);

    if (relation == OPEVO_SIMT_LESS_EQUAL)
        return choice(self, OPEVO_SIMT_LESS, y, x, no, yes);
    if (same(yes, no))
        return *yes;
    if (order != 2)
        return (relation == OPEVO_SIMT_LESS ? order < 0 : order == 0) ? *yes : *no;
    if (opevo_i_field_special(x) || opevo_i_field_special(y) ||
        yes->word[0] == OPEVO_I_FIELD_NOTHING || no->word[0] == OPEVO_I_FIELD_NOTHING)
        return opevo_i_field_special_of(OPEVO_I_FIELD_NOTHING);
    if (relation == OPEVO_SIMT_LESS && same(yes, x) && same(no, y))
        return min_of(self, x, y);
    if (relation == OPEVO_SIMT_LESS && same(yes, y) && same(no, x))
        return max_of(self, x, y);
    return unknown_choice(self, relation, x, y, yes, no);
}

static void choose(const opevo_simt_arithmetic *arithmetic, uint32_t lanes, opevo_simt_value *to,
                   opevo_simt_relation relation, const opevo_simt_value *x,
                   const opevo_simt_value *y, const opevo_simt_value *yes,
                   const opevo_simt_value *no)
{
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        unsigned i = (unsigned)__builtin_ctz(rest);

        to[i] = choice(arithmetic->context, relation, &x[i], &y[i], &yes[i], &no[i]);
    }
}

/* ---- The table ---- */

/* Each operation as a row: its name and its value of a, b and c in the field `self`. */
#define OPERATIONS(X)                                                                              \
    X(ADD, opevo_i_field_sum(a, b))                                                                \
    X(SUBTRACT, difference(a, b))                                                                  \
    X(MULTIPLY, opevo_i_field_times(a, b))                                                         \
    X(DIVIDE, quotient(a, b))                                                                      \
    X(FMA, fused(a, b, c))                                                                         \
    X(NEGATE, opevo_i_field_negative(a))                                                           \
    X(RECIPROCAL, opevo_i_field_inverse(a))                                                        \
    X(MAX, max_of(self, a, b))                                                                     \
    X(MIN, min_of(self, a, b))                                                                     \
    X(ABS, size_of(self, a))                                                                       \
    X(COPYSIGN, unknown_pair(self, OPEVO_SIMT_VALUE_COPYSIGN, a, b))                               \
    X(SQRT, root(self, a))                                                                         \
    X(RSQRT, root_inverse(self, a))                                                                \
    X(EXP, opevo_i_field_exp(self, a))                                                             \
    X(EXP2, scaled_exp(self, a))                                                                   \
    X(LOG, log_of(self, a))                                                                        \
    X(LOG2, log2_of(self, a))                                                                      \
    X(LOG10, unknown_of(self, OPEVO_SIMT_VALUE_LOG10, a))                                          \
    X(SIN, symmetric(self, OPEVO_SIMT_VALUE_SIN, a, true))                                         \
    X(COS, symmetric(self, OPEVO_SIMT_VALUE_COS, a, false))                                        \
    X(TAN, symmetric(self, OPEVO_SIMT_VALUE_TAN, a, true))                                         \
    X(TANH, tanh_of(self, a))                                                                      \
    X(ERF, symmetric(self, OPEVO_SIMT_VALUE_ERF, a, true))                                         \
    X(SIGMOID, sigmoid(self, a))                                                                   \
    X(POWER, power(self, a, b))                                                                    \
    X(REMAINDER, unknown_pair(self, OPEVO_SIMT_VALUE_REMAINDER, a, b))                             \
    X(FLOOR, unknown_of(self, OPEVO_SIMT_VALUE_FLOOR, a))                                          \
    X(CEIL, unknown_of(self, OPEVO_SIMT_VALUE_CEIL, a))                                            \
    X(TRUNC, unknown_of(self, OPEVO_SIMT_VALUE_TRUNC, a))                                          \
    X(ROUND, unknown_of(self, OPEVO_SIMT_VALUE_ROUND, a))                                          \
    X(ROUND_EVEN, unknown_of(self, OPEVO_SIMT_VALUE_ROUND_EVEN, a))

#define RUN(name, value)                                                                           \
    static void run_##name(const opevo_simt_arithmetic *arithmetic, uint32_t lanes,                \
                           opevo_simt_value *to, const opevo_simt_value *at_a,                     \
                           const opevo_simt_value *at_b, const opevo_simt_value *at_c)             \
    {                                                                                              \
        opevo_field *self = arithmetic->context;                                                   \
                                                                                                   \
        (void)self;                                                                                \
        for (uint32_t rest = lanes; rest; rest &= rest - 1) {                                      \
            unsigned i = (unsigned)__builtin_ctz(rest);                                            \
            const opevo_simt_value *a = &at_a[i], *b = &at_b[i], *c = &at_c[i];                    \
                                                                                                   \
            (void)b, (void)c;                                                                      \
            to[i] = (value);                                                                       \
        }                                                                                          \
    }
OPERATIONS(RUN)

void opevo_i_field_operations(opevo_simt_arithmetic *out)
{
#define ENTRY(name, value) out->operation[OPEVO_SIMT_VALUE_##name] = run_##name;
    OPERATIONS(ENTRY)
    out->choose = choose;
}
