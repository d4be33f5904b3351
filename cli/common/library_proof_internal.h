/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Proofs of a network's library in C: of its kernels, of its memory plan, and that its steps are
 * the model's function. */

#ifndef OPEVO_CLI_LIBRARY_PROOF_INTERNAL_H
#define OPEVO_CLI_LIBRARY_PROOF_INTERNAL_H

#include "prover_of_call_internal.h"

#include <opevo/network_proof.h>

/* What was found. */
typedef struct opevo_i_cli_library_proof {
    size_t kernels, proved, refuted, undecided; /* kernels by the exit status of their proofs */
    /* That some proof of a kernel is false, by the sum of all; where answers are in JSON. */
    double probability;
    opevo_text example; /* of the first kernel that has one, as a member of JSON; likewise */
    bool memory_plan;   /* is proved */
    opevo_network_proof network; /* against the model */
} opevo_i_cli_library_proof;
void opevo_i_cli_library_proof_free(opevo_i_cli_library_proof *proof);

/* Whether a folder has a kernel_000.c. */
bool opevo_i_cli_library_has_kernels(const char *folder);
/* Prove each kernel_NNN.c against the computation that it begins with, and append the answers; of
 * the request seed, json and rounding count. A kernels.proof of the folder is compared with. What
 * the prover does not take is undecided. Errors: those of opevo_i_cli_proof_ask but INVALID. */
opevo_status opevo_i_cli_library_prove(const char *folder, const opevo_i_cli_proof_request *request,
                                       opevo_i_cli_library_proof *proof, opevo_text *out,
                                       opevo_error *err);
/* Make the library of a folder once more of its model, and see that the folder has it: then prove
 * the memory plan, and the steps against the model. `model` NULL: a file of that name in the
 * folder. Undecided with a reason where the model is missing or another one, or a file differs.
 * (library_whole.c) Errors: INVALID for a model that cannot be read; IO; NOMEM. */
opevo_status opevo_i_cli_library_prove_whole(const char *folder, const char *model, uint64_t seed,
                                             opevo_i_cli_library_proof *proof, opevo_error *err);
/* The certificate of that: a line of JSON that ends kernels.proof. */
opevo_status opevo_i_cli_library_certify(const char *folder, const opevo_i_cli_library_proof *proof,
                                         opevo_text *out, opevo_error *err);
/* What that of a folder says, if there is one, and whether it is of the files that are there. */
typedef struct opevo_i_cli_library_certificate {
    char verdict[16]; /* "": none */
    bool of_these_files;
} opevo_i_cli_library_certificate;
opevo_status opevo_i_cli_library_read_certificate(const char *folder,
                                                  opevo_i_cli_library_certificate *out,
                                                  opevo_error *err);

/* The lines about memory plan and network; the members "memory_plan_proved" and "network". */
void opevo_i_cli_network_print_proof(const opevo_i_cli_library_proof *proof, opevo_text *out);
void opevo_i_cli_network_add_json_proof(const opevo_i_cli_library_proof *proof, opevo_text *out);
const char *opevo_i_cli_network_verdict(const opevo_i_cli_library_proof *proof);
/* The last line: how many are proved, and what that does not cover. */
void opevo_i_cli_library_proof_print(const opevo_i_cli_library_proof *proof, bool json,
                                     opevo_text *out);
/* The same of all, in a line of JSON. */
void opevo_i_cli_library_proof_print_json(const opevo_i_cli_library_proof *proof,
                                          const opevo_i_cli_library_certificate *certificate,
                                          opevo_text *out);
/* The exit status: that of the worst kernel; and with what the whole adds. */
int opevo_i_cli_library_proof_code(const opevo_i_cli_library_proof *proof);
int opevo_i_cli_library_whole_code(const opevo_i_cli_library_proof *proof);

#endif
