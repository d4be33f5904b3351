/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Proofs of kernels, by the process that has LLVM. */

#ifndef OPEVO_CLI_PROVER_OF_CALL_INTERNAL_H
#define OPEVO_CLI_PROVER_OF_CALL_INTERNAL_H

#include "options_internal.h"

#include <opevo/objective.h>
#include <opevo/text.h>

typedef struct opevo_i_cli_proof_request {
    const char *kernel, *harness, *computes; /* NULL: the folder or the harness says it */
    const char *same_bits;                   /* another kernel; NULL: a computation says it */
    const char *same_function;               /* likewise */
    const char *settings;                    /* parameters NAME=VALUE, one a line; NULL: none */
    const char *words;                       /* for the compiler, one a line; NULL: none */
    const char *certificate;                 /* earlier answers, to be compared with; NULL: none */
    uint64_t seed;
    bool json, rounding;
    bool part;    /* a text without its last line */
    bool compare; /* the certificate with the source, and prove nothing */
    /* Instead of a proof: the compiler's path in a line, then the text of the source after its
     * preprocessor, as far as that does not depend on which compiler reads it. `parallel`: as with
     * OpenMP. */
    bool preprocess, parallel;
} opevo_i_cli_proof_request;

enum { OPEVO_I_CLI_PROVED, OPEVO_I_CLI_REFUTED, OPEVO_I_CLI_UNDECIDED = 3 };

/* Append what it says, and its exit status: one of the above. Errors: INVALID for what does not fit
 * together; IO without LLVM; FAULT where it ended without an answer; NOMEM. */
opevo_status opevo_i_cli_proof_ask(const opevo_i_cli_proof_request *request, opevo_text *out,
                                   int *exit_code, opevo_error *err);
/* The same of the kernel of a point, which is written to a folder of its own for as long. `on` is
 * what --on says; of the request seed, json, rounding and certificate count. Errors: also INVALID
 * for an objective without kernels. */
opevo_status opevo_i_cli_proof_ask_point(const opevo_objective *objective, const char *on,
                                         opevo_index point,
                                         const opevo_i_cli_proof_request *request, opevo_text *out,
                                         int *exit_code, opevo_error *err);
/* Whether earlier answers are about the kernel that a point has here, and with this verdict;
 * nothing is compiled or proved. Errors: as above. */
opevo_status opevo_i_cli_proof_compare_point(const opevo_objective *objective, const char *on,
                                             opevo_index point, const char *certificate,
                                             const char *verdict, bool *fits, opevo_error *err);

#endif
