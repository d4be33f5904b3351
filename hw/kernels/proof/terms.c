/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The hash of a tree is that of its operation and of the hashes below it. Two different trees have
 * the same hash by chance alone, with a probability of about n^2 / 2^129 for n of them.
 *
 * word[0] and word[1] are the hash of the value without its sign, word[2] has the sign and the
 * bytes of the least format that is known to hold it. */

#include "terms_internal.h"

#include <opevo/hash.h>

#include <math.h>
#include <string.h>

enum { SIGN = 1, WIDTH = 1 /* shift */, WIDEST = 8 };
/* What a hash begins with, beside the operations. */
enum { INPUT = 1000, NUMBER, ROUNDED, CHOSEN, MADE };

__extension__ typedef _Float16 half;

typedef struct term {
    uint64_t hash[2];
    bool negative;
    unsigned bytes;
} term;

static term get(const opevo_simt_value *value)
{
    return (term){{value->word[0], value->word[1]},
                  value->word[2] & SIGN,
                  (unsigned)(value->word[2] >> WIDTH)};
}

static opevo_simt_value put(term value)
{
    return (opevo_simt_value){{value.hash[0], value.hash[1],
                               (uint64_t)value.bytes << WIDTH | (value.negative ? SIGN : 0)}};
}

static term negated(term a)
{
    a.negative = !a.negative;
    return a;
}

/* ---- Hashes ---- */

static void add_word(term *out, uint64_t word)
{
    out->hash[0] = opevo_hash_mix(out->hash[0] ^ word);
    out->hash[1] = opevo_hash_mix(out->hash[1] + word * UINT64_C(0x9e3779b97f4a7c15) + 1);
}

static void add_term(term *out, term a)
{
    add_word(out, a.hash[0]);
    add_word(out, a.hash[1]);
    add_word(out, a.negative);
}

static term begin(uint64_t what)
{
    term out = {{UINT64_C(0x6a09e667f3bcc908), UINT64_C(0xbb67ae8584caa73b)}, false, WIDEST};

    add_word(&out, what);
    return out;
}

static bool is_before(term a, term b)
{
    if (a.hash[0] != b.hash[0])
        return a.hash[0] < b.hash[0];
    if (a.hash[1] != b.hash[1])
        return a.hash[1] < b.hash[1];
    return a.negative < b.negative;
}

static term apply(uint64_t what, term a, term b, term c)
{
    term out = begin(what);

    add_term(&out, a);
    add_term(&out, b);
    add_term(&out, c);
    return out;
}

/* In any order of both. */
static term commute(uint64_t what, term a, term b, term c)
{
    return is_before(a, b) ? apply(what, a, b, c) : apply(what, b, a, c);
}

/* ---- Numbers ---- */

static unsigned width_of(double value)
{
    if (value != value || (double)(half)value == value)
        return 2;
    return (double)(float)value == value ? 4 : 8;
}

static term number_of(double value)
{
    term out = begin(NUMBER);
    double size = fabs(value);
    uint64_t bits;

    memcpy(&bits, &size, sizeof bits);
    add_word(&out, value != value ? 1 : bits); /* NaNs are one */
    out.negative = signbit(value) && value == value;
    out.bytes = width_of(value);
    return out;
}

static opevo_simt_value number(const opevo_simt_arithmetic *self, double value, unsigned bytes)
{
    (void)self, (void)bytes;
    return put(number_of(value));
}

/* ---- Operations ---- */

static const term none = {{0, 0}, false, 0};

static term sum(term a, term b)
{
    return commute(OPEVO_SIMT_VALUE_ADD, a, b, none);
}

/* Of both without their signs; that of the product is apart. */
static term product(uint64_t what, term a, term b, term c)
{
    bool negative = a.negative != b.negative;
    term out;

    a.negative = b.negative = false;
    if (what == OPEVO_SIMT_VALUE_DIVIDE) {
        out = apply(what, a, b, c);
        out.negative = negative;
        return out;
    }
    if (what == OPEVO_SIMT_VALUE_FMA) {
        a.negative = negative;
        if (is_before(b, a)) {
            term kept = a;

            a = b;
            b = kept;
            a.negative = negative;
            b.negative = false;
        }
        return apply(what, a, b, c);
    }
    out = commute(what, a, b, c);
    out.negative = negative;
    return out;
}

static term without_sign(term a)
{
    a.negative = false;
    return a;
}

/* Whole numbers of a format are in it, and what is one of the operands is as wide as these. */
static term widened(term out, unsigned bytes)
{
    out.bytes = bytes;
    return out;
}

static unsigned wider(term a, term b)
{
    return a.bytes > b.bytes ? a.bytes : b.bytes;
}

#define UNARY(X)                                                                                   \
    X(SQRT)                                                                                        \
    X(RSQRT)                                                                                       \
    X(EXP)                                                                                         \
    X(EXP2)                                                                                        \
    X(LOG)                                                                                         \
    X(LOG2)                                                                                        \
    X(LOG10)                                                                                       \
    X(SIN)                                                                                         \
    X(COS)                                                                                         \
    X(TAN)                                                                                         \
    X(TANH)                                                                                        \
    X(ERF)                                                                                         \
    X(SIGMOID)
#define WHOLE(X)                                                                                   \
    X(FLOOR)                                                                                       \
    X(CEIL)                                                                                        \
    X(TRUNC)                                                                                       \
    X(ROUND)                                                                                       \
    X(ROUND_EVEN)

#define RUN(name, value)                                                                           \
    static void run_##name(const opevo_simt_arithmetic *self, uint32_t lanes,                      \
                           opevo_simt_value *to, const opevo_simt_value *at_a,                     \
                           const opevo_simt_value *at_b, const opevo_simt_value *at_c)             \
    {                                                                                              \
        (void)self, (void)at_b, (void)at_c;                                                        \
        for (uint32_t rest = lanes; rest; rest &= rest - 1) {                                      \
            unsigned i = (unsigned)__builtin_ctz(rest);                                            \
            term a = get(&at_a[i]);                                                                \
                                                                                                   \
            to[i] = put(value);                                                                    \
        }                                                                                          \
    }
#define B get(&at_b[i])
#define C get(&at_c[i])
RUN(ADD, sum(a, B))
RUN(SUBTRACT, sum(a, negated(B)))
RUN(MULTIPLY, product(OPEVO_SIMT_VALUE_MULTIPLY, a, B, none))
RUN(DIVIDE, product(OPEVO_SIMT_VALUE_DIVIDE, a, B, none))
RUN(FMA, product(OPEVO_SIMT_VALUE_FMA, a, B, C))
RUN(NEGATE, negated(a))
RUN(RECIPROCAL, product(OPEVO_SIMT_VALUE_DIVIDE, number_of(1), a, none))
RUN(MAX, widened(apply(OPEVO_SIMT_VALUE_MAX, a, B, none), wider(a, B)))
RUN(MIN, widened(apply(OPEVO_SIMT_VALUE_MIN, a, B, none), wider(a, B)))
RUN(ABS, widened(apply(OPEVO_SIMT_VALUE_ABS, without_sign(a), none, none), a.bytes))
RUN(COPYSIGN, widened(apply(OPEVO_SIMT_VALUE_COPYSIGN, without_sign(a), B, none), a.bytes))
RUN(POWER, apply(OPEVO_SIMT_VALUE_POWER, a, B, none))
RUN(REMAINDER, widened(apply(OPEVO_SIMT_VALUE_REMAINDER, a, B, none), wider(a, B)))
#define RUN_UNARY(name) RUN(name, apply(OPEVO_SIMT_VALUE_##name, a, none, none))
UNARY(RUN_UNARY)
#define RUN_WHOLE(name) RUN(name, widened(apply(OPEVO_SIMT_VALUE_##name, a, none, none), a.bytes))
WHOLE(RUN_WHOLE)

/* ---- The rest ---- */

/* To nearest, which does not depend on the sign. */
static bool round_values(const opevo_simt_arithmetic *self, uint32_t lanes,
                         opevo_simt_value *values, unsigned bytes)
{
    (void)self;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        opevo_simt_value *value = &values[__builtin_ctz(rest)];
        term a = get(value), out = begin(ROUNDED);

        if (a.bytes <= bytes && a.bytes < WIDEST)
            continue;
        add_word(&out, bytes);
        add_term(&out, without_sign(a));
        out.negative = a.negative;
        out.bytes = bytes < WIDEST ? bytes : WIDEST;
        *value = put(out);
    }
    return true;
}

static void choose(const opevo_simt_arithmetic *self, uint32_t lanes, opevo_simt_value *to,
                   opevo_simt_relation relation, const opevo_simt_value *x,
                   const opevo_simt_value *y, const opevo_simt_value *yes,
                   const opevo_simt_value *no)
{
    (void)self;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        unsigned i = (unsigned)__builtin_ctz(rest);
        term out = begin(CHOSEN), a = get(&yes[i]), b = get(&no[i]);

        add_word(&out, relation);
        add_term(&out, get(&x[i]));
        add_term(&out, get(&y[i]));
        add_term(&out, a);
        add_term(&out, b);
        to[i] = put(widened(out, wider(a, b)));
    }
}

static void mark(const opevo_simt_arithmetic *self, uint32_t lanes, opevo_simt_value *values,
                 opevo_simt_make make)
{
    (void)self;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        opevo_simt_value *value = &values[__builtin_ctz(rest)];
        term a = get(value), out = begin(MADE);

        add_word(&out, make);
        add_term(&out, a);
        *value = put(widened(out, a.bytes));
    }
}

#define ENTRY(name) [OPEVO_SIMT_VALUE_##name] = run_##name,
const opevo_simt_arithmetic opevo_i_terms_arithmetic = {
    .name = "terms",
    .operation = {ENTRY(ADD) ENTRY(SUBTRACT) ENTRY(MULTIPLY) ENTRY(DIVIDE) ENTRY(FMA) ENTRY(NEGATE)
                      ENTRY(RECIPROCAL) ENTRY(MAX) ENTRY(MIN) ENTRY(ABS) ENTRY(COPYSIGN)
                          ENTRY(POWER) ENTRY(REMAINDER) UNARY(ENTRY) WHOLE(ENTRY)},
    .choose = choose,
    .number = number,
    .round = round_values,
    .rounded_bytes = WIDEST,
    .mark = mark};

opevo_simt_value opevo_i_terms_input(const char *buffer, uint64_t element, unsigned bytes)
{
    term out = begin(INPUT);

    add_word(&out, opevo_hash_bytes(OPEVO_HASH_START, buffer, strlen(buffer)));
    add_word(&out, element);
    return put(widened(out, bytes));
}

bool opevo_i_terms_equal(const opevo_simt_value *a, const opevo_simt_value *b)
{
    return a->word[0] == b->word[0] && a->word[1] == b->word[1] &&
           ((a->word[2] ^ b->word[2]) & SIGN) == 0;
}
