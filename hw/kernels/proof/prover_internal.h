/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The steps of an answer. */

#ifndef OPEVO_PROVER_INTERNAL_H
#define OPEVO_PROVER_INTERNAL_H

#include <opevo/prover.h>

#include <opevo/proof.h>

/* prover_compile.c: the module of a source, by clang, or of a file of IR. `own`: opevo wrote it. */
typedef struct opevo_i_prover_module {
    struct LLVMOpaqueContext *context;
    struct LLVMOpaqueModule *module;
} opevo_i_prover_module;

opevo_status opevo_i_prover_load(const char *path, bool own, opevo_i_prover_module *out,
                                 opevo_error *err);
void opevo_i_prover_unload(opevo_i_prover_module *self);

/* prover_folder.c: the kernel, the computation and a harness of a folder of --emit, as texts. */
opevo_status opevo_i_prover_folder(const char *folder, opevo_text *kernel, opevo_text *computes,
                                   opevo_text *harness, opevo_error *err);

/* prover_print.c */
void opevo_i_prover_print(const char *label, const opevo_computation *computation,
                          const opevo_proof *proof, bool json, opevo_text *out);
/* The last line: the verdict on all cases, and what it is not about. */
void opevo_i_prover_print_all(opevo_proof_verdict verdict, size_t cases, bool json,
                              opevo_text *out);

#endif
