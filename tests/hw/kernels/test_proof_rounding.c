/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Bounds of roundings: none is below an error that a search for bad inputs finds, against sums in
 * extended precision; shorter chains of additions have lower ones. */

#include "proof_fixture.h"

#include <opevo/random.h>

#include <math.h>

enum { N = 32, TRIES = 60000 };

typedef void dot(const float *A, const float *B, float *C);

/* A function, and the same as a text. */
#define BOTH(name, ...)                                                                            \
    static const char name##_text[] =                                                              \
        "void f(const float *A, const float *B, float *C)" #__VA_ARGS__;                           \
    static void name(const float *A, const float *B, float *C) __VA_ARGS__

BOTH(in_order, {
    float s = 0;
    for (int i = 0; i < 32; i++)
        s += A[i] * B[i];
    C[0] = s;
})

BOTH(in_four, {
    float s[4] = {0};
    for (int i = 0; i < 32; i += 4)
        for (int l = 0; l < 4; l++)
            s[l] += A[i + l] * B[i + l];
    C[0] = (s[0] + s[1]) + (s[2] + s[3]);
})

BOTH(in_pairs, {
    float s[32];
    for (int i = 0; i < 32; i++)
        s[i] = A[i] * B[i];
    for (int half = 16; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            s[i] += s[i + half];
    C[0] = s[0];
})

BOTH(fused, {
    float s = 0;
    for (int i = 31; i >= 0; i--)
        s = __builtin_fmaf(A[i], B[i], s);
    C[0] = s;
})

BOTH(in_double, {
    double s = 0;
    for (int i = 0; i < 32; i++)
        s += (double)A[i] * (double)B[i];
    C[0] = (float)s;
})

#define DOT                                                                                        \
    "{\"buffers\": {" INPUT("A", "32") ", " INPUT("B", "32") ", " BUFFER(                          \
        "C", "1") "}, \"steps\": [{\"call\": \"f\", \"arguments\": [\"A\", \"B\", \"C\"]}], "      \
                  "\"outputs\": {\"C\": {\"absolute\": 0}}, \"tune\": {\"sizes\": {}}}"

static opevo_proof bound_of(const char *text, const char *computes)
{
    const proof_kernel kernel = {
        .name = "dot", .source = text, .ending = ".c", .computes = computes, .harness = DOT};

    return prove(&kernel, 0, NULL);
}

static double error_of(dot *kernel, const float *a, const float *b)
{
    long double exact = 0;
    float computed = 0;

    for (int i = 0; i < N; i++)
        exact += (long double)a[i] * (long double)b[i];
    kernel(a, b, &computed);
    return (double)fabsl((long double)computed - exact);
}

static float bad_number(opevo_rng *rng)
{
    float size = 1 - (float)opevo_rng_below(rng, 4) / 16777216;

    if (opevo_rng_below(rng, 2))
        size = (float)(1 + opevo_rng_below(rng, 16777216)) / 16777216;
    return opevo_rng_below(rng, 8) ? size : -size;
}

/* One number after the other is changed where that makes the error larger. */
static double worst_error(dot *kernel)
{
    float a[N], b[N];
    double most = 0;
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "bad inputs", 0);
    for (int i = 0; i < N; i++) {
        a[i] = bad_number(&rng);
        b[i] = bad_number(&rng);
    }
    for (int t = 0; t < TRIES; t++) {
        float *at = (opevo_rng_below(&rng, 2) ? a : b) + opevo_rng_below(&rng, N), old = *at;
        double error;

        *at = bad_number(&rng);
        error = error_of(kernel, a, b);
        if (error < most)
            *at = old;
        else
            most = error;
    }
    return most;
}

CHECK_TEST(test_never_below_an_error)
{
    static const struct {
        dot *kernel;
        const char *text;
    } table[] = {{in_order, in_order_text},
                 {in_four, in_four_text},
                 {in_pairs, in_pairs_text},
                 {fused, fused_text},
                 {in_double, in_double_text}};
    double last = HUGE_VAL;

    if (!has_clang(folder))
        CHECK_SKIP("proofs of sources need clang (Debian: clang-19)");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        opevo_proof proof = bound_of(table[i].text, "A[i:32]; B[i]; C[j:1] = sum(i) A[i]*B[i]");
        double found = worst_error(table[i].kernel);

        assert_int_equal(proof.verdict, OPEVO_PROOF_PROVED);
        assert_true(found <= proof.error);
        assert_true(found > proof.error / 100); /* nor far above one */
        assert_true(proof.error < 1.1 * proof.error_in_any_order);
        assert_true(proof.error < last || i == 3);
        last = i < 3 ? proof.error : last;
    }
}

/* The closed forms: u (n + 1) S at most for sums of n products whose sizes are together S, of which
 * these have 32, and half an ulp of 32 for a double that is rounded once. */
CHECK_TEST(test_closed_forms)
{
    const double u = 0x1p-24;
    opevo_proof proof;

    if (!has_clang(folder))
        CHECK_SKIP("proofs of sources need clang (Debian: clang-19)");
    proof = bound_of(in_pairs_text, "A[i:32]; B[i]; C[j:1] = sum(i) A[i]*B[i]");
    assert_true(proof.error >= 6 * u * 32 && proof.error < 6.001 * u * 32); /* 1 product, 5 sums */
    assert_true(proof.error_in_any_order >= 32 * u * 32 &&
                proof.error_in_any_order < 32.001 * u * 32);
    proof = bound_of(in_double_text, "A[i:32]; B[i]; C[j:1] = sum(i) A[i]*B[i]");
    assert_true(proof.error >= u * 32 && proof.error < 1.001 * u * 32);
}

/* Where the size of a divisor or of a root is not known, no bound is. */
CHECK_TEST(test_unbounded)
{
    opevo_proof proof;

    if (!has_clang(folder))
        CHECK_SKIP("proofs of sources need clang (Debian: clang-19)");
    proof = bound_of("void f(const float *A, const float *B, float *C) { C[0] = A[0] / B[0]; }",
                     "A[i:32]; B[i:32]; C[j:1] = A[j]/B[j]");
    assert_int_equal(proof.verdict, OPEVO_PROOF_PROVED);
    assert_true(isinf(proof.error));
    proof = bound_of("void f(const float *A, const float *B, float *C) { C[0] = A[0] / 3; }",
                     "A[i:32]; B[i:32]; C[j:1] = A[j]/3");
    assert_true(proof.error >= 0x1p-24 / 3 && proof.error < 1.01 * 0x1p-24 / 3);
}

int main(void)
{
    with_rounding = true;
    return proof_tests();
}
