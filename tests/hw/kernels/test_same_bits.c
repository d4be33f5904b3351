/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels in pairs: those that do the same operations in the same order have the same bits,
 * whatever their loops; those that do not are refuted by floats, or undecided where none was
 * found. */

#include "proof_fixture.h"

#define HEAD "void f(const float *restrict A, const float *restrict B, float *restrict C, long n)\n"
#define EACH "for (long i = 0; i < n; i++) "
#define PRODUCT(sum)                                                                               \
    HEAD "{\n    for (long i = 0; i < 4; i++)\n        for (long j = 0; j < 4; j++) {\n"           \
         "            float s = 0;\n" sum "\n            C[i * 4 + j] = s;\n        }\n}\n"

static const char harness_text[] =
    "{\"buffers\": {" INPUT("A", "n") ", " INPUT("B", "n") ", " BUFFER(
        "C", "n") "}, \"steps\": [{\"call\": \"f\", \"arguments\": [\"A\", \"B\", \"C\", {\"i64\": "
                  "\"n\"}]}], \"outputs\": {\"C\": {\"absolute\": 0}}, \"tune\": {\"sizes\": "
                  "{\"n\": 16}}}";

typedef struct bits_pair {
    const char *what, *one, *other;
    opevo_proof_verdict verdict;
} bits_pair;

#define IN_ORDER PRODUCT("for (long k = 0; k < 4; k++) s += A[i * 4 + k] * B[k * 4 + j];")
#define OF_EACH(value) HEAD "{ " EACH "{ C[i] = " value "; } }\n"
#define MATH "#include <math.h>\n"

static const bits_pair pairs[] = {
    {"itself", IN_ORDER, IN_ORDER, OPEVO_PROOF_PROVED},
    {"other loops", IN_ORDER,
     HEAD "{\n    for (long i = 0; i < 16; i++) C[i] = 0;\n    for (long k = 0; k < 4; k++)\n"
          "        for (long j = 3; j >= 0; j--)\n            for (long i = 0; i < 4; i++)\n"
          "                C[i * 4 + j] += B[k * 4 + j] * A[i * 4 + k];\n}\n",
     OPEVO_PROOF_PROVED},
    {"signs through products and sums", IN_ORDER,
     PRODUCT("for (long k = 0; k < 4; k++) s -= -B[k * 4 + j] * A[i * 4 + k];"),
     OPEVO_PROOF_PROVED},
    {"backwards", IN_ORDER,
     PRODUCT("for (long k = 3; k >= 0; k--) s += A[i * 4 + k] * B[k * 4 + j];"),
     OPEVO_PROOF_REFUTED},
    {"two sums", IN_ORDER,
     PRODUCT("float t = 0; for (long k = 0; k < 4; k += 2) { s += A[i * 4 + k] * B[k * 4 + j]; t "
             "+= A[i * 4 + k + 1] * B[k * 4 + 4 + j]; } s += t;"),
     OPEVO_PROOF_REFUTED},
    {"fused", IN_ORDER,
     PRODUCT("for (long k = 0; k < 4; k++) s = __builtin_fmaf(A[i * 4 + k], B[k * 4 + j], s);"),
     OPEVO_PROOF_REFUTED},
    {"in double precision", IN_ORDER,
     PRODUCT("double d = 0; for (long k = 0; k < 4; k++) d += (double)A[i * 4 + k] * B[k * 4 + j]; "
             "s = (float)d;"),
     OPEVO_PROOF_REFUTED},
    {"a lost term", IN_ORDER,
     PRODUCT("for (long k = 0; k < 3; k++) s += A[i * 4 + k] * B[k * 4 + j];"),
     OPEVO_PROOF_REFUTED},
    {"a sum of a sum", OF_EACH("A[i] + B[i] + 1"), OF_EACH("A[i] + (B[i] + 1)"),
     OPEVO_PROOF_REFUTED},
    {"a quotient and a reciprocal", OF_EACH("A[i] / B[i]"), OF_EACH("A[i] * (1 / B[i])"),
     OPEVO_PROOF_REFUTED},
    {"halves, by a law that is not known", OF_EACH("A[i] / 2"), OF_EACH("A[i] * 0.5f"),
     OPEVO_PROOF_PROVED}, /* clang writes the one as the other */
    {"doubles are exact here, which is not known", OF_EACH("(float)((double)A[i] + (double)B[i])"),
     OF_EACH("A[i] + B[i]"), OPEVO_PROOF_PROVED}, /* likewise */
    {"one maximum and another", OF_EACH("A[i] > B[i] ? A[i] : B[i]"),
     OF_EACH("A[i] < B[i] ? B[i] : A[i]"), OPEVO_PROOF_REFUTED},
    {"one maximum, written twice", OF_EACH("A[i] > B[i] ? A[i] : B[i]"),
     OF_EACH("B[i] < A[i] ? A[i] : B[i]"), OPEVO_PROOF_PROVED},
    {"one maximum, the other way round", OF_EACH("A[i] > B[i] ? A[i] : B[i]"),
     OF_EACH("!(A[i] > B[i]) ? B[i] : A[i]"), OPEVO_PROOF_PROVED},
    {"at most and not more", OF_EACH("A[i] <= B[i] ? A[i] : B[i]"),
     OF_EACH("A[i] > B[i] ? B[i] : A[i]"), OPEVO_PROOF_REFUTED},
    {"a maximum of the library", MATH OF_EACH("A[i] > B[i] ? A[i] : B[i]"),
     MATH OF_EACH("fmaxf(A[i], B[i])"), OPEVO_PROOF_REFUTED},
    {"the same function", MATH OF_EACH("expf(A[i])"), MATH OF_EACH("expf(A[i])"),
     OPEVO_PROOF_PROVED},
    {"the function in double precision", MATH OF_EACH("expf(A[i])"),
     MATH OF_EACH("(float)exp((double)A[i])"), OPEVO_PROOF_UNDECIDED},
    {"products that a compiler may fuse",
     "#pragma clang fp contract(fast)\n" OF_EACH("A[i] * B[i] + 1"),
     "#pragma clang fp contract(fast)\n" OF_EACH("A[i] * B[i] + 1"), OPEVO_PROOF_UNDECIDED},
    {"sums in any order", "#pragma clang fp reassociate(on)\n" OF_EACH("A[i] + B[i] + A[i]"),
     "#pragma clang fp reassociate(on)\n" OF_EACH("A[i] + B[i] + A[i]"), OPEVO_PROOF_UNDECIDED},
    {"data that decides a loop", OF_EACH("A[i]; while (C[i] < 4) C[i] += B[i] * B[i] + 1"),
     OF_EACH("A[i]; while (C[i] < 4) C[i] += B[i] * B[i] + 1"), OPEVO_PROOF_UNDECIDED},
};

typedef struct loaded {
    opevo_i_prover_module module;
    opevo_harness *harness;
    opevo_bits_side side;
} loaded;

static void open_side(const char *text, loaded *out)
{
    const proof_kernel kernel = {.source = text, .ending = ".c"};

    out->module = load(&kernel, -1);
    CHECK_OK(opevo_harness_parse("bits", harness_text, strlen(harness_text), &out->harness, &err));
    out->side = (opevo_bits_side){.module = out->module.module, .harness = out->harness};
    CHECK_OK(opevo_case_open(out->harness, OPEVO_SET_TUNE, 0, &out->side.what, &err));
}

static opevo_proof compare(const char *one, const char *other)
{
    loaded sides[2];
    opevo_proof proof;

    open_side(one, &sides[0]);
    open_side(other, &sides[1]);
    CHECK_OK(
        opevo_prove_same_bits((opevo_bits_side[]){sides[0].side, sides[1].side}, &proof, &err));
    for (int s = 0; s < 2; s++) {
        opevo_case_close(sides[s].side.what);
        opevo_harness_destroy(sides[s].harness);
        opevo_i_prover_unload(&sides[s].module);
    }
    return proof;
}

CHECK_TEST(test_pairs)
{
    int failures = 0;

    if (!has_clang(folder))
        skip();
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        opevo_proof proof = compare(pairs[i].one, pairs[i].other);

        if (proof.verdict == pairs[i].verdict &&
            (proof.verdict == OPEVO_PROOF_REFUTED) == proof.example.found)
            continue;
        print_error("%s: %s (%s), expected %s\n", pairs[i].what,
                    opevo_proof_verdict_name(proof.verdict), proof.reason,
                    opevo_proof_verdict_name(pairs[i].verdict));
        failures++;
    }
    assert_int_equal(failures, 0);
}

/* The verdict is the same the other way round. */
CHECK_TEST(test_symmetry)
{
    if (!has_clang(folder))
        skip();
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        assert_int_equal(compare(pairs[i].other, pairs[i].one).verdict, pairs[i].verdict);
}

int main(void)
{
    return proof_tests();
}
