/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Proofs as text and as JSON. */

#include "prover_internal.h"

#include <opevo/json.h>

#include <math.h>
#include <stdio.h>

/* What no verdict here is about. */
#define NOT_COVERED                                                                                \
    "roundings of floats, the step from LLVM IR to machine code, and the functions of the C "      \
    "library and those in front of opevo's kernels, which count as exact"

#define NOT_COVERED_BITS                                                                           \
    "bits of NaNs, the step from LLVM IR to machine code, which may fuse and reorder nothing, "    \
    "and "                                                                                         \
    "functions of the C library, which count as the same everywhere"

static const char *not_covered(bool of_bits)
{
    return of_bits ? NOT_COVERED_BITS : NOT_COVERED;
}

/* "C[3, 5]" */
static void print_place(const opevo_computation *computation, const opevo_counterexample *example,
                        opevo_text *out)
{
    const opevo_tensor *tensor =
        computation ? opevo_computation_find(computation, example->tensor) : NULL;
    int64_t rest = example->element, place[OPEVO_COMPUTATION_DIMS];

    if (!tensor) {
        opevo_text_printf(out, "%s[%lld]", example->tensor, (long long)rest);
        return;
    }
    for (int d = tensor->dims - 1; d >= 0; d--) {
        place[d] = rest % tensor->extent[d];
        rest /= tensor->extent[d];
    }
    opevo_text_add(out, example->tensor);
    for (int d = 0; d < tensor->dims; d++)
        opevo_text_printf(out, "%s%lld", d ? ", " : "[", (long long)place[d]);
    opevo_text_add(out, tensor->dims ? "]" : "");
}

static void print_difference(bool of_definition, const opevo_counterexample *example,
                             opevo_text *out)
{
    if (of_definition)
        opevo_text_printf(out, " = %.9g, by the definition %.9g within %.2g", example->computed,
                          example->defined, example->bound);
    else
        opevo_text_printf(out, " = %.17g, of the other kernel %.17g", example->computed,
                          example->defined);
    opevo_text_printf(out, " (inputs of seed %llu)\n", (unsigned long long)example->seed);
}

static bool has_bounds(const opevo_proof *proof)
{
    return proof->error_in_any_order > 0;
}

static void print_bounds(const opevo_proof *proof, opevo_text *out)
{
    if (proof->error < HUGE_VAL)
        opevo_text_printf(out, "  roundings: within %.3g of the real number", proof->error);
    else
        opevo_text_add(out, "  roundings: no bound is known of this order");
    if (proof->error_in_any_order < HUGE_VAL)
        opevo_text_printf(out, ", in any order of the sums within %.3g", proof->error_in_any_order);
    opevo_text_add(out, ", for all inputs of at most 1 in size\n");
}

static void print_text(const char *label, const opevo_computation *computation,
                       const opevo_proof *proof, opevo_text *out)
{
    opevo_text_printf(out, "%s%s%s", label, *label ? ": " : "",
                      opevo_proof_verdict_name(proof->verdict));
    if (proof->verdict == OPEVO_PROOF_PROVED)
        opevo_text_printf(
            out,
            "  %llu elements, degree %llu, false with probability %s %.2g; memory: no "
            "wrong access for any input",
            (unsigned long long)proof->elements, (unsigned long long)proof->degree,
            proof->assumed ? "about" : "at most", proof->probability);
    else
        opevo_text_printf(out, "  %s", proof->reason);
    opevo_text_add(out, "\n");
    if (proof->example.found) {
        opevo_text_add(out, "  a run in floats: ");
        print_place(computation, &proof->example, out);
        print_difference(computation != NULL, &proof->example, out);
    }
    if (has_bounds(proof))
        print_bounds(proof, out);
    opevo_text_printf(
        out, "  %llu operations of %s, %.1f million a second\n",
        (unsigned long long)proof->operations,
        computation ? "the kernel in the field" : "both kernels",
        proof->kernel_time_s > 0 ? (double)proof->operations / proof->kernel_time_s / 1e6 : 0.);
}

static void add_example(const opevo_computation *computation, const opevo_counterexample *example,
                        opevo_text *out)
{
    opevo_text place = {0};

    print_place(computation, example, &place);
    opevo_json_open(out, "counterexample", "{");
    opevo_json_string(out, "element", opevo_text_string(&place));
    opevo_json_double(out, "computed", example->computed);
    opevo_json_double(out, "defined", example->defined);
    opevo_json_double(out, "bound", example->bound);
    opevo_json_index(out, "seed", example->seed);
    opevo_text_add(out, "}");
    opevo_text_free(&place);
}

static void print_json(const char *label, const opevo_computation *computation,
                       const opevo_proof *proof, opevo_text *out)
{
    opevo_text_add(out, "{");
    opevo_json_string(out, "case", label);
    opevo_json_string(out, "verdict", opevo_proof_verdict_name(proof->verdict));
    if (proof->verdict != OPEVO_PROOF_PROVED)
        opevo_json_string(out, "reason", proof->reason);
    opevo_json_bool(out, "memory", proof->memory);
    opevo_json_index(out, "elements", proof->elements);
    opevo_json_index(out, "compared", proof->compared);
    opevo_json_index(out, "degree", proof->degree);
    opevo_json_double(out, "probability", proof->probability);
    opevo_json_bool(out, "assumed", proof->assumed);
    opevo_json_index(out, "operations", proof->operations);
    opevo_json_double(out, "time_s", proof->time_s);
    opevo_json_double(out, "kernel_time_s", proof->kernel_time_s);
    if (has_bounds(proof)) {
        opevo_json_double(out, "error", proof->error);
        opevo_json_double(out, "error_in_any_order", proof->error_in_any_order);
    }
    if (proof->example.found)
        add_example(computation, &proof->example, out);
    opevo_text_add(out, "}\n");
}

void opevo_i_prover_print(const char *label, const opevo_computation *computation,
                          const opevo_proof *proof, bool json, opevo_text *out)
{
    (json ? print_json : print_text)(label, computation, proof, out);
}

void opevo_i_prover_note(const opevo_computation *computation, const opevo_proof *proof,
                         opevo_i_prover_whole *whole)
{
    if (proof->verdict == OPEVO_PROOF_REFUTED ||
        (proof->verdict == OPEVO_PROOF_UNDECIDED && whole->verdict == OPEVO_PROOF_PROVED))
        whole->verdict = proof->verdict;
    whole->cases++;
    whole->probability = fmin(1, whole->probability + proof->probability);
    whole->assumed |= proof->assumed;
    whole->error = fmax(whole->error, proof->error);
    whole->error_in_any_order = fmax(whole->error_in_any_order, proof->error_in_any_order);
    if (proof->example.found && !whole->example.length)
        add_example(computation, &proof->example, &whole->example);
}

/* What the verdict on all cases rests on. */
static void add_whole(const opevo_i_prover_whole *whole, opevo_text *out)
{
    if (whole->verdict == OPEVO_PROOF_PROVED && !whole->of_bits) {
        opevo_json_double(out, "probability", whole->probability);
        opevo_json_bool(out, "assumed", whole->assumed);
    }
    if (whole->error_in_any_order > 0) {
        opevo_json_double(out, "error", whole->error);
        opevo_json_double(out, "error_in_any_order", whole->error_in_any_order);
    }
    opevo_text_add(out, opevo_text_string(&whole->example));
    out->failed |= whole->example.failed;
}

static void add_certificate(const opevo_i_prover_certificate *earlier, uint64_t source,
                            opevo_text *out)
{
    opevo_json_open(out, "certificate", "{");
    opevo_json_string(out, "verdict", earlier->verdict);
    opevo_json_bool(out, "of_this_source", earlier->source == source);
    opevo_text_add(out, "}");
}

void opevo_i_prover_print_comparison(const opevo_i_prover_certificate *earlier, uint64_t source,
                                     opevo_text *out)
{
    opevo_text_add(out, "{");
    add_certificate(earlier, source, out);
    opevo_text_add(out, "}\n");
}

void opevo_i_prover_print_all(const opevo_i_prover_whole *whole,
                              const opevo_i_prover_certificate *earlier, bool json, bool part,
                              opevo_text *out)
{
    char hash[24];

    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)whole->source);
    if (json) {
        opevo_text_add(out, "{");
        opevo_json_string(out, "verdict", opevo_proof_verdict_name(whole->verdict));
        opevo_json_index(out, "cases", whole->cases);
        add_whole(whole, out);
        opevo_json_string(out, "source", hash);
        if (*earlier->verdict)
            add_certificate(earlier, whole->source, out);
        opevo_json_string(out, "not_covered", not_covered(whole->of_bits));
        opevo_text_add(out, "}\n");
        return;
    }
    if (*earlier->verdict) {
        opevo_text_add(out, "the certificate is of ");
        opevo_text_add(out, earlier->source == whole->source ? "this source, and says "
                                                             : "another source, of which it says ");
        opevo_text_add_visible(out, earlier->verdict);
        opevo_text_add(out, "\n");
    }
    if (part)
        return;
    opevo_text_printf(out, "%s, %zu case%s. Not covered: %s.\n",
                      opevo_proof_verdict_name(whole->verdict), whole->cases,
                      whole->cases == 1 ? "" : "s", not_covered(whole->of_bits));
}
