/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How sure the kernels of a run are: proved, or tested. */

#ifndef OPEVO_CLI_KERNELS_OF_RUN_INTERNAL_H
#define OPEVO_CLI_KERNELS_OF_RUN_INTERNAL_H

#include <opevo/objective.h>
#include <opevo/store_proofs.h>

/* Start from {0}. */
typedef struct opevo_i_cli_kernels {
    bool any; /* the run has kernels */
    opevo_stored_proofs proofs;
} opevo_i_cli_kernels;

/* Compare proofs with the kernels that the points have here, of the point `only`, or of all where
 * it is NULL; `on` is what --on says. Errors: NOMEM. Cost: a process for each that is compared. */
opevo_status opevo_i_cli_kernels_compare(opevo_i_cli_kernels *self,
                                         const opevo_objective *objective, const char *on,
                                         const opevo_index *only, opevo_error *err);
/* Whether compare has anything to do. */
bool opevo_i_cli_kernels_are_unchecked(const opevo_i_cli_kernels *self, const opevo_index *only);
/* "proved", "refuted", "proof stale" or "proof not checked" for proofs of another kernel and for
 * those that could not be compared, or "tested" for a kernel that was compared with a reference
 * only; "" where the run has no kernels. `self` may be NULL: it has none. */
const char *opevo_i_cli_kernel_word(const opevo_i_cli_kernels *self, opevo_index point);
/* ", proved", and nothing where the run has no kernels. */
void opevo_i_cli_kernel_print(const opevo_i_cli_kernels *self, opevo_index point, opevo_text *out);
/* As a member "kernel" of the JSON object being written. */
void opevo_i_cli_kernel_print_json(const opevo_i_cli_kernels *self, opevo_index point,
                                   opevo_text *out);
/* A line for each kernel that the prover was asked about. `space` may be NULL: points are then
 * printed as numbers. */
void opevo_i_cli_kernels_print(const opevo_i_cli_kernels *self, const opevo_space *space,
                               opevo_text *out);
/* ": " and why the first case that is not proved is not; nothing where all are. */
void opevo_i_cli_certificate_print_reason(const char *certificate, opevo_text *out);
/* The answers of the prover as elements of the JSON array being written. */
void opevo_i_cli_certificate_print_json(const char *certificate, opevo_text *out);
void opevo_i_cli_kernels_free(opevo_i_cli_kernels *self);

#endif
