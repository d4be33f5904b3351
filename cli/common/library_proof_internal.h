/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Proofs of the kernels of a network's library in C. */

#ifndef OPEVO_CLI_LIBRARY_PROOF_INTERNAL_H
#define OPEVO_CLI_LIBRARY_PROOF_INTERNAL_H

#include "prover_of_call_internal.h"

/* What was found: kernels by the exit status of their proofs. */
typedef struct opevo_i_cli_library_proof {
    size_t kernels, proved, refuted, undecided;
    bool memory_plan; /* is proved */
} opevo_i_cli_library_proof;

/* Whether a folder has a kernel_000.c. */
bool opevo_i_cli_library_has_kernels(const char *folder);
/* Prove each kernel_NNN.c against the computation that it begins with, and append the answers; of
 * the request seed, json and rounding count. A kernels.proof of the folder is compared with. What
 * the prover does not take is undecided. Errors: those of opevo_i_cli_proof_ask but INVALID. */
opevo_status opevo_i_cli_library_prove(const char *folder, const opevo_i_cli_proof_request *request,
                                       opevo_i_cli_library_proof *proof, opevo_text *out,
                                       opevo_error *err);
/* The last line: how many are proved, and what that does not cover. */
void opevo_i_cli_library_proof_print(const opevo_i_cli_library_proof *proof, bool json,
                                     opevo_text *out);
/* The exit status: that of the worst. */
int opevo_i_cli_library_proof_code(const opevo_i_cli_library_proof *proof);

#endif
