/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The worker that holds a kernel: its module, its harness, what runs its variants, and what is
 * known of them. */

#ifndef OPEVO_EVOLVER_PROGRAM_INTERNAL_H
#define OPEVO_EVOLVER_PROGRAM_INTERNAL_H

#include <jansson.h>

#include <opevo/edits.h>
#include <opevo/fibers.h>
#include <opevo/gpu_launcher.h>
#include <opevo/hash.h>
#include <opevo/kernel_harness.h>
#include <opevo/simt_launcher.h>

/* What runs variants. */
typedef enum opevo_i_evolver_machine {
    OPEVO_I_SIMT,
    OPEVO_I_CPU,
    OPEVO_I_GPU
} opevo_i_evolver_machine;

/* Results by the hash of a variant's module and by that of its machine code: edit lists that give
 * the same are run once, unless they fail. */
typedef struct opevo_i_evolver_results {
    opevo_index_map *places; /* in the following */
    opevo_evaluation *items;
    size_t count, capacity;
} opevo_i_evolver_results;

typedef struct opevo_i_evolver_kernel {
    opevo_module *module;
    opevo_module *reference; /* NULL: golden results are those of the module */
    opevo_harness *harness;  /* NULL: nothing is evaluated */
    opevo_edit_settings edits;
    size_t initial; /* edits of a sample, at most */
    opevo_i_evolver_machine machine;
    opevo_simt_costs *costs;
    opevo_simt_options simt;
    opevo_fibers *fibers; /* CPU */
    opevo_gpu *gpu;       /* GPU */
    char target[64];      /* GPU: the machine that code is generated for; "": the default */
    opevo_launcher *golden_launcher;
    opevo_variant *golden_variant;
    opevo_golden *golden;
    uint64_t *base_steps[OPEVO_HARNESS_SETS]; /* of each case; NULL before the base was run */
    opevo_i_evolver_results results[OPEVO_HARNESS_SETS];
    uint64_t signature; /* of everything that determines results */
} opevo_i_evolver_kernel;

/* ---- kernel_load.c ---- */

/* What "load" asks for. Errors: INVALID, IO, LIMIT, NOMEM. */
opevo_status opevo_i_evolver_kernel_load(const json_t *request, opevo_i_evolver_kernel *out,
                                         opevo_error *err);
void opevo_i_evolver_kernel_free(opevo_i_evolver_kernel *kernel);

/* ---- kernel_evaluation.c ---- */

/* Run a variant on all cases of a set; from memory where an equal module or object was: *known is
 * then "module" or "object", else NULL. */
opevo_status opevo_i_evolver_kernel_evaluate(opevo_i_evolver_kernel *kernel, opevo_harness_set set,
                                             const opevo_edits *edits, opevo_evaluation *out,
                                             uint64_t *hash, const char **known, opevo_error *err);

/* ---- variant_launcher.c ---- */

/* The interpreter with the kernel's costs, checks and harness as a launcher. The variant must
 * outlive it. */
opevo_status opevo_i_evolver_simt_launcher_create(const opevo_variant *variant,
                                                  const opevo_i_evolver_kernel *kernel,
                                                  opevo_launcher **out, opevo_error *err);

/* ---- kernel_requests.c ---- */

/* The reply to a request, never NULL but without memory. */
json_t *opevo_i_evolver_kernel_answer(opevo_i_evolver_kernel *kernel, const json_t *request);

#endif
