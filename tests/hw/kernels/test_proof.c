/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Proofs of kernels: right ones are proved, each planted fault is refuted by a run in floats or by
 * an access, data in control is undecided, and a spoilt arithmetic proves nothing. */

#include "check.h"

#include "polynomials.h"
#include "proof_fixture.h"
#include "proof_kernels.h"

#include <opevo/proof_definition.h>
#include <opevo/simt_launcher.h>
#include <opevo/text.h>

#include <stdlib.h>
#include <unistd.h>

static void check_proved(const proof_kernel *kernel, int fault)
{
    opevo_proof proof = prove(kernel, fault, NULL);

    if (proof.verdict != OPEVO_PROOF_PROVED)
        fail_msg("%s, %d: %s: %s", kernel->name, fault, opevo_proof_verdict_name(proof.verdict),
                 proof.reason);
    assert_true(proof.memory);
    assert_int_equal(proof.compared, proof.elements);
    assert_true(proof.probability < 1e-9 && proof.degree > 0);
}

CHECK_TEST(test_proved)
{
    if (!has_clang(folder))
        CHECK_SKIP("proofs of sources need clang (Debian: clang-19)");
    for (size_t k = 0; k < sizeof proof_kernels / sizeof *proof_kernels; k++) {
        check_proved(&proof_kernels[k], 0);
        for (int fault = 1; proof_kernels[k].fault[fault - 1].kind; fault++)
            if (!proof_kernels[k].fault[fault - 1].wrong)
                check_proved(&proof_kernels[k], fault);
    }
}

CHECK_TEST(test_refuted)
{
    if (!has_clang(folder))
        CHECK_SKIP("proofs of sources need clang (Debian: clang-19)");
    for (size_t k = 0; k < sizeof proof_kernels / sizeof *proof_kernels; k++)
        for (int fault = 1; proof_kernels[k].fault[fault - 1].kind; fault++) {
            const proof_fault *planted = &proof_kernels[k].fault[fault - 1];
            opevo_proof proof;

            if (!planted->wrong)
                continue;
            proof = prove(&proof_kernels[k], fault, NULL);
            if (proof.verdict != OPEVO_PROOF_REFUTED || (proof.memory && !proof.example.found))
                fail_msg("%s, %s: %s: %s", proof_kernels[k].name, planted->kind,
                         opevo_proof_verdict_name(proof.verdict), proof.reason);
        }
}

CHECK_TEST(test_not_deceived)
{
    if (!has_clang(folder))
        CHECK_SKIP("proofs of sources need clang (Debian: clang-19)");
    for (size_t k = 0; k < sizeof proof_deceivers / sizeof *proof_deceivers; k++) {
        opevo_proof proof = prove(&proof_deceivers[k], 0, NULL);

        if (proof.verdict == OPEVO_PROOF_PROVED)
            fail_msg("%s is proved", proof_deceivers[k].name);
    }
}

/* ---- All monomials ---- */

typedef struct expansion {
    polynomials all;
    const opevo_computation *computation;
} expansion;

/* Elements of at most 256 of each of the first tensors are variables of their own. */
static opevo_simt_value expand_input(const void *context, const opevo_tensor *tensor,
                                     uint64_t element)
{
    expansion *self = (expansion *)(uintptr_t)context;

    assert_true(element < 256);
    return polynomial_variable(&self->all, (uint64_t)tensor->number * 256 + element);
}

static opevo_status expand_inputs(void *context, opevo_simt *simt, opevo_case *what,
                                  opevo_error *err)
{
    expansion *self = context;
    size_t count;
    const opevo_buffer *buffers = opevo_case_buffers(what, &count);

    for (size_t i = 0; i < count; i++) {
        const opevo_tensor *tensor = opevo_computation_find(self->computation, buffers[i].name);

        for (size_t e = 0; !tensor->definition && e < buffers[i].count; e++) {
            opevo_simt_value value = expand_input(self, tensor, e);

            opevo_simt_write(simt, (uint32_t)i, e, sizeof(float), &value);
        }
    }
    return OPEVO_OK;
}

/* Whether the outputs are the same polynomials, monomial by monomial; false for a run that ends. */
static bool same_monomials(expansion *self, const opevo_simt *simt, opevo_case *what)
{
    opevo_simt_arithmetic arithmetic = polynomial_arithmetic(&self->all);
    opevo_defined *defined = NULL;
    size_t count;
    const opevo_buffer *buffers = opevo_case_buffers(what, &count);
    bool same = true;

    CHECK_OK(opevo_define(self->computation, &arithmetic, expand_input, self, &defined, &err));
    for (size_t i = 0; i < count; i++) {
        const opevo_tensor *tensor = opevo_computation_find(self->computation, buffers[i].name);

        for (size_t e = 0; buffers[i].output && e < buffers[i].count; e++) {
            opevo_simt_value value;

            assert_int_equal(opevo_simt_read(simt, (uint32_t)i, e, sizeof(float), &value),
                             OPEVO_SIMT_ELEMENT_VALUE);
            same &= polynomial_same(&self->all, value,
                                    opevo_defined_values(defined, tensor->number)[e]);
        }
    }
    opevo_defined_destroy(defined);
    return same;
}

static bool is_expanded_equal(const proof_kernel *kernel, int fault)
{
    opevo_i_prover_module module = load(kernel, fault);
    expansion self = {{NULL, 0, 0}, NULL};
    opevo_simt_arithmetic arithmetic = polynomial_arithmetic(&self.all);
    opevo_simt_options options = opevo_simt_defaults;
    opevo_simt_costs *costs = NULL;
    opevo_harness *harness = NULL;
    opevo_case *what = NULL;
    opevo_computation *computation = NULL;
    opevo_launcher *launcher = NULL;
    opevo_evaluation run = {.verdict = OPEVO_VERDICT_OK};
    opevo_binding binding = {NULL, 0};
    bool same;

    options.arithmetic = &arithmetic;
    CHECK_OK(opevo_harness_parse("test", kernel->harness, strlen(kernel->harness), &harness, &err));
    CHECK_OK(opevo_case_open(harness, OPEVO_SET_TUNE, 0, &what, &err));
    assert_true(opevo_case_value(what, 0, &binding.name, &binding.value));
    CHECK_OK(opevo_computation_parse(kernel->computes, "test", &binding, 1, &computation, &err));
    self.computation = computation;
    CHECK_OK(opevo_simt_costs_load(NULL, &costs, &err));
    CHECK_OK(opevo_simt_launcher_create(module.module, costs, &options, harness, &launcher, &err));
    opevo_simt_launcher_prepare(launcher, expand_inputs, &self);
    CHECK_OK(launcher->ops->run(launcher, what, &run, &err));
    same = run.verdict == OPEVO_VERDICT_OK &&
           same_monomials(&self, opevo_simt_launcher_machine(launcher), what);
    opevo_launcher_destroy(launcher);
    opevo_simt_costs_destroy(costs);
    opevo_computation_destroy(computation);
    opevo_case_close(what);
    opevo_harness_destroy(harness);
    opevo_i_prover_unload(&module);
    polynomials_free(&self.all);
    return same;
}

/* The field says of each kernel of sums and products what its expansion says. */
CHECK_TEST(test_monomials)
{
    static const size_t of_products[] = {0, 1, 2};

    if (!has_clang(folder))
        CHECK_SKIP("proofs of sources need clang (Debian: clang-19)");
    for (size_t k = 0; k < sizeof of_products / sizeof *of_products; k++) {
        const proof_kernel *kernel = &proof_kernels[of_products[k]];

        for (int fault = 0; fault == 0 || kernel->fault[fault - 1].kind; fault++)
            if (is_expanded_equal(kernel, fault) !=
                (prove(kernel, fault, NULL).verdict == OPEVO_PROOF_PROVED))
                fail_msg("%s, %d: the field and the expansion differ", kernel->name, fault);
    }
}

/* ---- Undecided ---- */

static const proof_kernel by_data = {
    "by data",
    "void f(const float *X, float *Y, long n)\n"
    "{\n"
    "    for (long i = 0; i < n; i++) {\n"
    "#if CASE == 0\n"
    "        Y[i] = X[i];\n"
    "        if (X[i] > 0)\n"
    "            for (long j = 0; j < n; j++)\n"
    "                Y[i] += X[j] * (float)j;\n"
    "#elif CASE == 1\n"
    "        Y[i] = X[(long)X[i]];\n"
    "#else\n"
    "        ((int *)Y)[i] = ((const int *)X)[i] ^ 1;\n"
    "#endif\n"
    "    }\n"
    "}\n",
    ".c",
    "X[i:n]; Y[i] = X[i]",
    "{\"buffers\": {" INPUT("X", "n") ", " BUFFER(
        "Y", "n") "}, \"steps\": [{\"call\": \"f\", \"arguments\": [\"X\", \"Y\", {\"i64\": "
                  "\"n\"}]}], \"outputs\": {\"Y\": {\"absolute\": 0}}, "
                  "\"tune\": {\"sizes\": {\"n\": 4}}}",
    {{NULL, false}}};

CHECK_TEST(test_undecided)
{
    static const char *const words[] = {"(line 7)", "(line 11)", "(line 13)"};

    if (!has_clang(folder))
        CHECK_SKIP("proofs of sources need clang (Debian: clang-19)");
    for (int fault = 0; fault < 3; fault++) {
        opevo_proof proof = prove(&by_data, fault, NULL);

        if (proof.verdict != OPEVO_PROOF_UNDECIDED || !strstr(proof.reason, words[fault]) ||
            !strstr(proof.reason, "depend"))
            fail_msg("%d: %s: %s", fault, opevo_proof_verdict_name(proof.verdict), proof.reason);
    }
}

/* ---- Floats of 16 bits ---- */

#define HALF_BUFFER(name, fill) "\"" name "\": {\"type\": \"u16\", \"count\": 8" fill "}"
#define HALF_STEPS(tolerance)                                                                      \
    "\"steps\": [{\"call\": \"f\", \"arguments\": [\"A\", \"B\", \"C\"]}], \"outputs\": "          \
    "{\"C\": " tolerance "}, \"tune\": {\"sizes\": {}}}"
#define ZERO ", \"fill\": \"zero\""

static const proof_kernel halves[] = {
    {"float16 inside",
     "void f(const float *A, const float *B, float *C)\n"
     "{\n"
     "    for (int i = 0; i < 8; i++) {\n"
     "#if CASE == 0\n" /* only a law that the field lacks, and a rounding, are between them */
     "        _Float16 r = (_Float16)__builtin_sqrtf(A[i] * A[i] + 1);\n"
     "        C[i] = (float)r * (float)r - 1 + B[i];\n"
     "#elif CASE == 1\n"
     "        _Float16 a = (_Float16)A[i];\n"
     "        C[i] = (float)a * (float)a + B[i];\n"
     "#elif CASE == 2\n"
     "        _Float16 s = (_Float16)(A[i] * A[i]) + (_Float16)B[i];\n"
     "        C[i] = (float)s;\n"
     "#elif CASE == 3\n" /* a constant of 16 bits */
     "        volatile _Float16 third = (_Float16)(1 / 3.f);\n"
     "        C[i] = A[i] * A[i] * 3 * (float)third + B[i];\n"
     "#elif CASE == 4\n"
     "        _Float16 a = (_Float16)A[i];\n"
     "        C[i] = (float)a * (float)a - B[i];\n"
     "#else\n"
     "        _Float16 zero = (_Float16)(float)(i - i);\n"
     "        C[i] = A[i] * A[i] + B[i] + (float)zero;\n"
     "#endif\n"
     "    }\n"
     "}\n",
     ".c",
     "A[i:8]; B[i:8]; C[i] = A[i]*A[i] + B[i]",
     "{\"buffers\": {" INPUT("A", "8") ", " INPUT("B", "8") ", " BUFFER("C", "8") "}, " HALF_STEPS(
         "{\"absolute\": 0}"),
     {{NULL, false}}},
    {"float16 outside",
     "void f(const _Float16 *A, const _Float16 *B, _Float16 *C)\n"
     "{\n"
     "    for (int i = 0; i < 8; i++) {\n"
     "#if CASE == 0\n"
     "        C[i] = (_Float16)((float)A[i] * (float)B[i]);\n"
     "#elif CASE == 1\n"
     "        C[i] = A[i] * B[i];\n"
     "#elif CASE == 2\n"
     "        C[i] = (_Float16)(A[i] * (B[i] + A[i])) - A[i] * A[i];\n"
     "#elif CASE == 3\n"
     "        C[i] = (_Float16)((float)A[i] * (float)B[i ^ 1]);\n"
     "#else\n" /* the same words in pairs, as compilers copy them */
     "        ((int *)C)[i / 2] = ((const int *)A)[i / 2];\n"
     "#endif\n"
     "    }\n"
     "}\n",
     ".c",
     "float16 A[i:8]; float16 B[i:8]; float16 C[i] = A[i]*B[i]",
     "{\"buffers\": {" HALF_BUFFER("A", ZERO) ", " HALF_BUFFER("B", ZERO) ", " HALF_BUFFER(
         "C", "") "}, " HALF_STEPS("\"exact\""),
     {{NULL, false}}},
};

/* Where only a rounding to float16 may tell them apart nothing is refuted, and where the definition
 * does not store what is rounded, nothing is proved. */
CHECK_TEST(test_halves)
{
    static const opevo_proof_verdict inside[] = {OPEVO_PROOF_UNDECIDED, OPEVO_PROOF_UNDECIDED,
                                                 OPEVO_PROOF_UNDECIDED, OPEVO_PROOF_UNDECIDED,
                                                 OPEVO_PROOF_REFUTED,   OPEVO_PROOF_PROVED};
    static const opevo_proof_verdict outside[] = {OPEVO_PROOF_PROVED, OPEVO_PROOF_PROVED,
                                                  OPEVO_PROOF_UNDECIDED, OPEVO_PROOF_REFUTED,
                                                  OPEVO_PROOF_REFUTED};

    if (!has_clang(folder))
        CHECK_SKIP("proofs of sources need clang (Debian: clang-19)");
    for (int i = 0; i < 6 + 5; i++) {
        int fault = i < 6 ? i : i - 6;
        opevo_proof proof = prove(&halves[i >= 6], fault, NULL);

        if (proof.verdict != (i < 6 ? inside : outside)[fault])
            fail_msg("%s, %d: %s: %s", halves[i >= 6].name, fault,
                     opevo_proof_verdict_name(proof.verdict), proof.reason);
        assert_true((fault != 1 && fault != 2) || proof.verdict != OPEVO_PROOF_UNDECIDED ||
                    strstr(proof.reason, "rounds to float16"));
    }
}

/* ---- Spoilt arithmetic ---- */

static void wrong(const opevo_simt_arithmetic *self, uint32_t lanes, opevo_simt_value *to,
                  const opevo_simt_value *a, const opevo_simt_value *b, const opevo_simt_value *c)
{
    for (unsigned i = 0; i < 32; i++)
        if (lanes >> i & 1)
            to[i] = a[i];
}

static opevo_simt_value_number spoilt;

static void spoil(opevo_simt_arithmetic *arithmetic)
{
    arithmetic->operation[spoilt] = wrong;
}

static opevo_simt_value wrong_number(const opevo_simt_arithmetic *self, double value,
                                     unsigned bytes)
{
    return (opevo_simt_value){{value == 0 ? 1 : 2, 1, 0}};
}

static void spoil_numbers(opevo_simt_arithmetic *arithmetic)
{
    arithmetic->number = wrong_number;
}

CHECK_TEST(test_spoilt)
{
    static const struct {
        size_t kernel;
        opevo_simt_value_number operation;
    } table[] = {{0, OPEVO_SIMT_VALUE_ADD},    {0, OPEVO_SIMT_VALUE_MULTIPLY},
                 {1, OPEVO_SIMT_VALUE_ADD},    {1, OPEVO_SIMT_VALUE_MULTIPLY},
                 {3, OPEVO_SIMT_VALUE_DIVIDE}, {4, OPEVO_SIMT_VALUE_EXP},
                 {4, OPEVO_SIMT_VALUE_DIVIDE}};

    if (!has_clang(folder))
        CHECK_SKIP("proofs of sources need clang (Debian: clang-19)");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        opevo_proof proof;

        spoilt = table[i].operation;
        proof = prove(&proof_kernels[table[i].kernel], 0, spoil);
        if (proof.verdict != OPEVO_PROOF_UNDECIDED)
            fail_msg("%s without operation %d: %s", proof_kernels[table[i].kernel].name,
                     (int)spoilt, opevo_proof_verdict_name(proof.verdict));
    }
    assert_int_equal(prove(&proof_kernels[3], 0, spoil_numbers).verdict, OPEVO_PROOF_UNDECIDED);
}

int main(void)
{
    return proof_tests();
}
