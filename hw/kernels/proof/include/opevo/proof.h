/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Proofs that a kernel computes its definition: one run of its LLVM IR in the field of residues at
 * random inputs, compared with the definition there. Control and addresses of a kernel do not
 * depend on data, or else the run ends there: so all inputs take the same path, and the checks of
 * memory made on it hold for all of them, too. docs/prove.md says what is proved, and what not. */

#ifndef OPEVO_PROOF_H
#define OPEVO_PROOF_H

#include <opevo/computation.h>
#include <opevo/kernel_harness.h>
#include <opevo/simt.h>

OPEVO_BEGIN_C

/* One row for each verdict: enum suffix, name as printed.
 *   proved     the results are those of the definition, for all inputs
 *   refuted    they are not, for an input that was run in floats; or memory is used wrongly
 *   undecided  neither, for a reason that is said */
#define OPEVO_PROOF_VERDICT_LIST(X)                                                                \
    X(PROVED, "proved")                                                                            \
    X(REFUTED, "refuted")                                                                          \
    X(UNDECIDED, "undecided")

typedef enum opevo_proof_verdict {
#define OPEVO_PROOF_ENUM(suffix, text) OPEVO_PROOF_##suffix,
    OPEVO_PROOF_VERDICT_LIST(OPEVO_PROOF_ENUM)
#undef OPEVO_PROOF_ENUM
} opevo_proof_verdict;

const char *opevo_proof_verdict_name(opevo_proof_verdict verdict);

enum { OPEVO_PROOF_REASON_SIZE = 640, OPEVO_PROOF_INPUTS = 8 };

/* An element at which a run in floats and the definition differ, and the input of that run. */
typedef struct opevo_counterexample {
    bool found;
    char tensor[OPEVO_COMPUTATION_NAME + 1];
    int64_t element;                 /* row-major */
    double computed, defined, bound; /* bound: of the roundings of single precision */
    uint64_t seed;                   /* of the inputs */
} opevo_counterexample;

typedef struct opevo_proof {
    opevo_proof_verdict verdict;
    bool memory;                          /* it ran to its end, and no access was wrong */
    char reason[OPEVO_PROOF_REASON_SIZE]; /* a sentence unless proved */
    /* Two different functions would agree with at most this probability. `assumed`: exponentials
     * and unknown functions count as random ones. */
    double probability;
    bool assumed;
    uint64_t degree;              /* of numerators and denominators, at most */
    uint64_t elements, compared;  /* of all outputs, and those compared */
    uint64_t operations;          /* of the kernel, in the field */
    double time_s, kernel_time_s; /* processor time: of all, and of the kernel in the field */
    opevo_counterexample example;
    /* With `rounding`, of a proof: how far results may be from the real numbers, for all inputs of
     * at most 1 in size; of this kernel, and of the definition in single precision with its sums in
     * any order. Infinite: no bound is known. */
    double error, error_in_any_order;
} opevo_proof;

typedef struct opevo_proof_options {
    uint64_t seed;
    /* opevo printed the kernel: functions in front of it are what their names say, and work items
     * may write the same value to a variable of the module at once. */
    bool own;
    /* Of the buffer "scratch": where threads of OpenMP have memory of their own;
     * opevo_simt_set_thread_memory. 0 bytes: nowhere. */
    uint64_t thread_from, thread_bytes;
    /* Output `written` lies where input `read` does: the buffer of this name has both, and it is an
     * output of the harness. NULL: each tensor has its own. */
    const char *read, *written;
    bool rounding;       /* bound the roundings, too, at the cost of another run */
    uint64_t step_limit; /* of instructions of warps; 0: 2^40 */
    /* Hook of tests, that a wrong arithmetic is caught: change that of the kernel. */
    void (*spoil)(opevo_simt_arithmetic *arithmetic);
} opevo_proof_options;

/* Prove a case of a harness. Buffers of floats that have the name of an input of the computation
 * get random values; outputs of the harness are the tensors of their names; all other buffers and
 * scalars are as the harness says, and the proof is for these.
 * Errors: INVALID where buffers and tensors do not fit; those of opevo_simt_create and
 * opevo_define. */
opevo_status opevo_prove(struct LLVMOpaqueModule *module, const opevo_harness *harness,
                         opevo_case *what, const opevo_computation *computation,
                         const opevo_proof_options *options, opevo_proof *out, opevo_error *err);

/* A kernel with a case of its harness; of the options count own, seed, step_limit and where threads
 * have memory of their own. */
typedef struct opevo_bits_side {
    struct LLVMOpaqueModule *module;
    const opevo_harness *harness;
    opevo_case *what;
    opevo_proof_options options;
} opevo_bits_side;
/* Prove that two kernels give the same bits, but for those of NaNs, on every machine of IEEE 754 to
 * nearest: that each element of each output is made by the same operations in the same order
 * (opevo_simt_arithmetic.mark), for all contents of the initialised buffers of floats. Buffers of
 * one name are one; all other contents and scalars are as the harnesses say. Refuted by an input of
 * floats on which bits differ: in the example `defined` is of the second kernel. Errors: INVALID
 * where outputs do not fit; those of opevo_simt_create. */
opevo_status opevo_prove_same_bits(const opevo_bits_side sides[2], opevo_proof *out,
                                   opevo_error *err);

/* Prove that the first kernel is the same function of real numbers as the second, at the same
 * random inputs in the field, for the same contents as above. Refuted where it uses memory wrongly,
 * or by an input of floats on which results differ by more than all roundings of both; in the
 * example `defined` is of the second kernel, and seed 0 is what the harness fills. Errors: as
 * above. */
opevo_status opevo_prove_same_function(const opevo_bits_side sides[2], opevo_proof *out,
                                       opevo_error *err);

OPEVO_END_C

#endif
