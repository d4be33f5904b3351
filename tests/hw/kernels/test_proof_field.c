/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The field of proofs: its laws, its numbers, exponentials, maxima; and definitions in it, compared
 * with closed forms and with the expansion of polynomials into all their monomials. */

#include "check.h"

#include "field_internal.h"

#include <opevo/proof_definition.h>
#include <opevo/random.h>

#include <float.h>

/* One operation on one lane. */
static opevo_simt_value op(const opevo_field *field, opevo_simt_value_number number,
                           opevo_simt_value a, opevo_simt_value b, opevo_simt_value c)
{
    const opevo_simt_arithmetic *arithmetic = opevo_field_arithmetic(field);
    opevo_simt_value to = {{0}};

    arithmetic->operation[number](arithmetic, 1, &to, &a, &b, &c);
    return to;
}
#define OP1(name, a) op(field, OPEVO_SIMT_VALUE_##name, a, a, a)
#define OP2(name, a, b) op(field, OPEVO_SIMT_VALUE_##name, a, b, a)
#define CHECK_SAME(a, b)                                                                           \
    do {                                                                                           \
        opevo_simt_value same_a = (a), same_b = (b);                                               \
        assert_int_equal(opevo_field_compare(&same_a, &same_b), OPEVO_FIELD_EQUAL);                \
    } while (0)
#define CHECK_APART(a, b)                                                                          \
    do {                                                                                           \
        opevo_simt_value same_a = (a), same_b = (b);                                               \
        assert_int_equal(opevo_field_compare(&same_a, &same_b), OPEVO_FIELD_DIFFERENT);            \
    } while (0)

static opevo_field *open_field(uint64_t seed)
{
    opevo_field *field = NULL;

    CHECK_OK(opevo_field_create(seed, &field, &err));
    return field;
}

/* ---- Primes and products ---- */

static uint64_t slow_product(uint64_t a, uint64_t b, uint64_t m)
{
    uint64_t r = 0;

    for (; b; b >>= 1) {
        r = b & 1 ? (r >= m - a ? r - (m - a) : r + a) : r;
        a = a >= m - a ? a - (m - a) : a + a;
    }
    return r;
}

static uint64_t slow_power(uint64_t a, uint64_t n, uint64_t m)
{
    uint64_t r = 1;

    for (; n; n >>= 1) {
        r = n & 1 ? slow_product(r, a, m) : r;
        a = slow_product(a, a, m);
    }
    return r;
}

/* Miller and Rabin's test with the bases that decide all numbers below 2^64. Source: Sorenson,
 * Webster, "Strong pseudoprimes to twelve prime bases", Math. Comp. 86, 2017. */
static bool is_prime(uint64_t n)
{
    static const uint64_t bases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
    uint64_t odd = n - 1;
    unsigned twos = 0;

    for (; odd % 2 == 0; odd /= 2)
        twos++;
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
        uint64_t x = slow_power(bases[i], odd, n);
        bool witness = x != 1 && x != n - 1;

        for (unsigned s = 1; s < twos && witness; s++) {
            x = slow_product(x, x, n);
            witness = x != n - 1;
        }
        if (witness)
            return false;
    }
    return true;
}

CHECK_TEST(test_primes)
{
    assert_true(is_prime(OPEVO_FIELD_P));
    assert_true(is_prime(OPEVO_FIELD_Q));
    assert_true(OPEVO_FIELD_P == 2 * OPEVO_FIELD_Q + 1);
    assert_true(slow_power(4, OPEVO_FIELD_Q, OPEVO_FIELD_P) == 1);
    assert_false(is_prime(OPEVO_FIELD_P - 2)); /* the test itself */
}

CHECK_TEST(test_products)
{
    static const uint64_t edges[] = {0, 1, 2, 10564, 10565, 10566};
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "products", 0);
    for (int i = 0; i < 20000; i++) {
        uint64_t a = opevo_rng_u64(&rng) % OPEVO_FIELD_P, b = opevo_rng_u64(&rng) % OPEVO_FIELD_P;

        if (i < 36) {
            a = OPEVO_FIELD_P - 1 - edges[i / 6];
            b = OPEVO_FIELD_P - 1 - edges[i % 6];
        }
        assert_true(opevo_i_field_mul_p(a, b) == slow_product(a, b, OPEVO_FIELD_P));
        assert_true(a == 0 || opevo_i_field_mul_p(a, opevo_i_field_inverse_p(a)) == 1);
        a %= OPEVO_FIELD_Q;
        b %= OPEVO_FIELD_Q;
        assert_true(opevo_i_field_mul_q(a, b) == slow_product(a, b, OPEVO_FIELD_Q));
        assert_true(a == 0 || opevo_i_field_mul_q(a, opevo_i_field_inverse_q(a)) == 1);
    }
}

/* ---- Laws ---- */

CHECK_TEST(test_laws)
{
    opevo_field *field = open_field(3);
    opevo_simt_value one = opevo_i_field_whole(1);

    for (uint64_t i = 0; i < 300; i++) {
        opevo_simt_value a = opevo_field_input(field, 0, i), b = opevo_field_input(field, 1, i);
        opevo_simt_value c = opevo_field_input(field, 2, i);

        CHECK_SAME(OP2(MULTIPLY, a, OP2(ADD, b, c)),
                   OP2(ADD, OP2(MULTIPLY, a, b), OP2(MULTIPLY, a, c)));
        CHECK_SAME(op(field, OPEVO_SIMT_VALUE_FMA, a, b, c), OP2(ADD, OP2(MULTIPLY, a, b), c));
        CHECK_SAME(OP2(MULTIPLY, OP2(DIVIDE, a, b), b), a);
        CHECK_SAME(OP2(SUBTRACT, a, b), OP2(ADD, a, OP1(NEGATE, b)));
        CHECK_SAME(OP1(EXP, OP2(ADD, a, b)), OP2(MULTIPLY, OP1(EXP, a), OP1(EXP, b)));
        CHECK_SAME(OP1(EXP, OP1(NEGATE, a)), OP1(RECIPROCAL, OP1(EXP, a)));
        CHECK_SAME(OP1(SIGMOID, a), OP1(RECIPROCAL, OP2(ADD, one, OP1(EXP, OP1(NEGATE, a)))));
        CHECK_SAME(OP1(TANH, OP1(NEGATE, a)), OP1(NEGATE, OP1(TANH, a)));
        CHECK_SAME(OP1(ERF, OP1(NEGATE, a)), OP1(NEGATE, OP1(ERF, a)));
        CHECK_SAME(OP1(LOG, OP1(EXP, a)), OP1(LOG, OP1(EXP, a)));
        CHECK_APART(OP1(LOG, a), OP1(LOG, b));
        CHECK_APART(OP1(EXP, OP1(EXP, a)), OP1(EXP, a));
        CHECK_SAME(OP1(EXP2, OP2(MULTIPLY, a, opevo_i_field_number((double)1.44269504f, 4))),
                   OP1(EXP, a));
    }
    opevo_field_destroy(field);
}

/* Every association, order and repetition of a maximum is one value; every other set another. */
CHECK_TEST(test_maxima)
{
    opevo_field *field = open_field(4);
    opevo_simt_value low = opevo_i_field_number(-INFINITY, 4), all = low, back = low, tree[64];
    opevo_simt_value lacks = low;

    for (uint64_t i = 0; i < 64; i++) {
        opevo_simt_value x = opevo_field_input(field, 0, i),
                         y = opevo_field_input(field, 0, 63 - i);

        all = OP2(MAX, all, x);
        all = OP2(MAX, x, all);
        back = OP2(MAX, y, back);
        lacks = i == 40 ? lacks : OP2(MAX, lacks, x);
        tree[i] = x;
        CHECK_SAME(OP1(NEGATE, OP2(MIN, OP1(NEGATE, x), OP1(NEGATE, y))), OP2(MAX, x, y));
    }
    for (unsigned step = 32; step; step /= 2)
        for (unsigned i = 0; i < step; i++)
            tree[i] = OP2(MAX, tree[i], tree[i + step]);
    CHECK_SAME(all, back);
    CHECK_SAME(all, tree[0]);
    CHECK_SAME(OP2(MAX, lacks, all), all);
    CHECK_APART(lacks, all);
    CHECK_APART(OP2(MAX, lacks, opevo_field_input(field, 1, 0)), all);
    assert_false(opevo_field_failed(field));
    opevo_field_destroy(field);
}

CHECK_TEST(test_selects)
{
    opevo_field *field = open_field(5);
    const opevo_simt_arithmetic *arithmetic = opevo_field_arithmetic(field);
    opevo_simt_value x = opevo_field_input(field, 0, 0), y = opevo_field_input(field, 0, 1), to;
    opevo_simt_value low = opevo_i_field_number(-INFINITY, 4), turned;

    arithmetic->choose(arithmetic, 1, &to, OPEVO_SIMT_LESS, &x, &y, &x, &y);
    CHECK_SAME(to, OP2(MIN, x, y));
    arithmetic->choose(arithmetic, 1, &to, OPEVO_SIMT_LESS_EQUAL, &x, &y, &y, &x);
    CHECK_SAME(to, OP2(MAX, x, y));
    arithmetic->choose(arithmetic, 1, &to, OPEVO_SIMT_EQUAL, &x, &low, &x, &y);
    CHECK_SAME(to, y);
    arithmetic->choose(arithmetic, 1, &to, OPEVO_SIMT_LESS, &low, &y, &x, &y);
    CHECK_SAME(to, x);
    arithmetic->choose(arithmetic, 1, &to, OPEVO_SIMT_LESS_EQUAL, &x, &y, &low, &x);
    arithmetic->choose(arithmetic, 1, &turned, OPEVO_SIMT_LESS, &y, &x, &x, &low);
    CHECK_SAME(to, turned);
    opevo_field_destroy(field);
}

/* ---- Numbers ---- */

CHECK_TEST(test_numbers)
{
    opevo_field *field = open_field(6);

    for (int above = 1; above < 60; above++)
        for (int below = 1; below < 60; below++) {
            opevo_simt_value a = opevo_i_field_whole((uint64_t)above);
            opevo_simt_value b = opevo_i_field_whole((uint64_t)below);
            double value = (double)above / below;

            CHECK_SAME(opevo_i_field_number((double)(float)value, 4), OP2(DIVIDE, a, b));
            CHECK_SAME(opevo_i_field_number(-value, 8), OP1(NEGATE, OP2(DIVIDE, a, b)));
        }
    CHECK_SAME(opevo_i_field_number(0x1p-140, 4),
               OP1(RECIPROCAL, opevo_i_field_number(0x1p140, 8)));
    CHECK_SAME(opevo_i_field_number((double)-FLT_MAX, 4), opevo_i_field_number(-INFINITY, 4));
    CHECK_SAME(OP1(EXP, opevo_i_field_number(-INFINITY, 4)), opevo_i_field_whole(0));
    opevo_field_destroy(field);
}

/* ---- Definitions ---- */

static opevo_simt_value input(const void *context, const opevo_tensor *tensor, uint64_t element)
{
    return opevo_field_input(context, (uint64_t)tensor->number, element);
}

/* Two computations of the same inputs: the values of their last tensors. */
static bool agree(const char *left, const char *right, uint64_t seed)
{
    const char *const text[2] = {left, right};
    opevo_field *field = open_field(seed);
    opevo_computation *computation[2] = {NULL, NULL};
    opevo_defined *defined[2] = {NULL, NULL};
    bool same = true;

    for (int i = 0; i < 2; i++) {
        CHECK_OK(opevo_computation_parse(text[i], "test", NULL, 0, &computation[i], &err));
        CHECK_OK(opevo_define(computation[i], opevo_field_arithmetic(field), input, field,
                              &defined[i], &err));
    }
    for (int64_t e = 0;
         e < opevo_tensor_elements(computation[0]->tensor[computation[0]->tensors - 1]); e++)
        same &= opevo_field_compare(
                    &opevo_defined_values(defined[0], computation[0]->tensors - 1)[e],
                    &opevo_defined_values(defined[1], computation[1]->tensors - 1)[e]) ==
                OPEVO_FIELD_EQUAL;
    for (int i = 0; i < 2; i++) {
        opevo_defined_destroy(defined[i]);
        opevo_computation_destroy(computation[i]);
    }
    opevo_field_destroy(field);
    return same;
}

static const char *const equal_pairs[][2] = {
    /* Associativity of a product of three matrices. */
    {"A[i:5, k:4]; B[k, j:6]; C[j, l:3]; D[i, j]=sum(k) A[i, k]*B[k, j]; E[i, l]=sum(j) D[i, "
     "j]*C[j, l]",
     "A[i:5, k:4]; B[k, j:6]; C[j, l:3]; D[k, l]=sum(j) B[k, j]*C[j, l]; E[i, l]=sum(k) A[i, "
     "k]*D[k, l]"},
    /* Softmax with and without the maximum. */
    {"X[i:3, j:50]; M[i]=max(j) X[i, j]; E[i, j]=exp(X[i, j]-M[i]); S[i]=sum(j) E[i, j]; Y[i, "
     "j]=E[i, j]/S[i]",
     "X[i:3, j:50]; E[i, j]=exp(X[i, j]); S[i]=sum(j) E[i, j]; Y[i, j]=E[i, j]/S[i]"},
    /* The variance in its two forms. */
    {"X[i:4, j:10]; M[i]=sum(j) X[i, j]/10; V[i]=sum(j) (X[i, j]-M[i])*(X[i, j]-M[i])/10",
     "X[i:4, j:10]; M[i]=sum(j) X[i, j]; Q[i]=sum(j) X[i, j]*X[i, j]; V[i]=Q[i]/10-M[i]*M[i]/100"},
    {"X[i:9]; Y[i]=max(X[i], 0)", "X[i:9]; Y[i]=select(X[i] > 0, X[i], 0)"},
    {"X[i:9]; Y[i]=max(max(X[i], 0), 0)", "X[i:9]; Y[i]=select(X[i] <= 0, 0, X[i])"},
    {"X[i:9]; Y[i]=tanh(X[i])", "X[i:9]; Y[i]=1-2/(exp(2*X[i])+1)"},
    /* Padding by a select, and by the other. */
    {"X[i:9]; P[j:11]=select(1<=j and j<10, X[j-1], 0); Y[i]=P[i]+P[i+1]+P[i+2]",
     "X[i:9]; P[j:11]=select(j<1 or j>=10, 0, X[j-1]); Y[i]=sum(r:3) P[i+r]"},
};

static const char *const different_pairs[][2] = {
    {"A[i:5, k:4]; B[k, j:6]; C[i, j]=sum(k) A[i, k]*B[k, j]",
     "A[i:5, k:4]; B[k, j:6]; C[i, j]=sum(l:3) A[i, l]*B[l, j]"},
    {"X[i:3, j:50]; M[i]=max(j) X[i, j]", "X[i:3, j:50]; M[i]=max(l:49) X[i, l]"},
    {"X[i:3, j:50]; M[i]=max(j) X[i, j]; E[i, j]=exp(X[i, j]-M[i])",
     "X[i:3, j:50]; M[i]=max(j) X[i, j]; E[i, j]=exp(X[i, j])"},
    {"X[i:9]; Y[i]=max(X[i], 0)", "X[i:9]; Y[i]=min(X[i], 0)"},
    {"X[i:9]; Y[i]=X[i]/3", "X[i:9]; Y[i]=X[i]*0.3333"},
};

CHECK_TEST(test_equal_definitions)
{
    for (size_t i = 0; i < sizeof equal_pairs / sizeof *equal_pairs; i++)
        for (uint64_t seed = 0; seed < 3; seed++)
            if (!agree(equal_pairs[i][0], equal_pairs[i][1], seed))
                fail_msg("%s differs from %s", equal_pairs[i][0], equal_pairs[i][1]);
}

CHECK_TEST(test_different_definitions)
{
    for (size_t i = 0; i < sizeof different_pairs / sizeof *different_pairs; i++)
        for (uint64_t seed = 0; seed < 3; seed++)
            if (agree(different_pairs[i][0], different_pairs[i][1], seed))
                fail_msg("%s equals %s", different_pairs[i][0], different_pairs[i][1]);
}
