/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Proofs of the kernels of a run: a verdict is passed on only where its certificate is of the
 * kernel that its point has here. */

#include "kernels_of_run_internal.h"

#include "prover_of_call_internal.h"

#include <opevo/json.h>

#include <jansson.h>

#include <string.h>

static bool decides(const opevo_stored_proof *proof)
{
    return strcmp(proof->verdict, "undecided") != 0;
}

/* Of the point `only`, where it is not NULL. */
static bool is_asked(const opevo_stored_proof *proof, const opevo_index *only)
{
    return decides(proof) && proof->standing == OPEVO_PROOF_NOT_CHECKED &&
           (!only || proof->point == *only);
}

opevo_status opevo_i_cli_kernels_compare(opevo_i_cli_kernels *self,
                                         const opevo_objective *objective, const char *on,
                                         const opevo_index *only, opevo_error *err)
{
    for (size_t i = 0; i < self->proofs.count; i++) {
        opevo_stored_proof *proof = &self->proofs.items[i];
        opevo_status status = OPEVO_OK;
        bool fits = false;

        if (!is_asked(proof, only))
            continue;
        if (opevo_space_has(objective->space, proof->point))
            status = opevo_i_cli_proof_compare_point(objective, on, proof->point,
                                                     opevo_text_string(&proof->certificate),
                                                     proof->verdict, &fits, err);
        if (status == OPEVO_NOMEM)
            return status;
        if (status == OPEVO_OK)
            proof->standing = fits ? OPEVO_PROOF_FITS : OPEVO_PROOF_STALE;
    }
    return OPEVO_OK;
}

bool opevo_i_cli_kernels_are_unchecked(const opevo_i_cli_kernels *self, const opevo_index *only)
{
    for (size_t i = 0; i < self->proofs.count; i++) {
        if (is_asked(&self->proofs.items[i], only))
            return true;
    }
    return false;
}

static const char *word_of(const opevo_stored_proof *proof)
{
    return proof->standing == OPEVO_PROOF_FITS    ? proof->verdict
           : proof->standing == OPEVO_PROOF_STALE ? "proof stale"
                                                  : "proof not checked";
}

const char *opevo_i_cli_kernel_word(const opevo_i_cli_kernels *self, opevo_index point)
{
    const opevo_stored_proof *proof = NULL;

    if (!self || !self->any)
        return "";
    proof = opevo_stored_proofs_find(&self->proofs, point);
    return proof && decides(proof) ? word_of(proof) : "tested";
}

void opevo_i_cli_kernel_print(const opevo_i_cli_kernels *self, opevo_index point, opevo_text *out)
{
    const char *word = opevo_i_cli_kernel_word(self, point);

    opevo_text_add(out, *word ? ", " : "");
    opevo_text_add_visible(out, word);
}

void opevo_i_cli_kernel_print_json(const opevo_i_cli_kernels *self, opevo_index point,
                                   opevo_text *out)
{
    const char *word = opevo_i_cli_kernel_word(self, point);

    if (*word)
        opevo_json_string(out, "kernel", word);
}

void opevo_i_cli_certificate_print_json(const char *certificate, opevo_text *out)
{
    for (const char *line = certificate; *line;) {
        size_t length = strcspn(line, "\n");

        opevo_json_next(out, " ");
        opevo_text_add_bytes(out, line, length);
        line += length + (line[length] == '\n');
    }
}

void opevo_i_cli_certificate_print_reason(const char *certificate, opevo_text *out)
{
    for (const char *line = certificate; *line;) {
        size_t length = strcspn(line, "\n");
        json_t *root = json_loadb(line, length, 0, NULL);
        const char *reason = json_string_value(json_object_get(root, "reason"));

        if (reason) {
            opevo_text_add(out, ": ");
            opevo_text_add_visible(out, reason);
        }
        json_decref(root);
        if (reason)
            return;
        line += length + (line[length] == '\n');
    }
}

void opevo_i_cli_kernels_print(const opevo_i_cli_kernels *self, const opevo_space *space,
                               opevo_text *out)
{
    for (size_t i = 0; i < self->proofs.count; i++) {
        const opevo_stored_proof *proof = &self->proofs.items[i];

        opevo_text_printf(out, "%-9s ", proof->verdict);
        if (decides(proof) && proof->standing != OPEVO_PROOF_FITS)
            opevo_text_printf(out, "(%s) ", word_of(proof));
        if (space)
            opevo_space_print(space, proof->point, out);
        else
            opevo_text_add_index(out, proof->point);
        opevo_i_cli_certificate_print_reason(opevo_text_string(&proof->certificate), out);
        opevo_text_add(out, "\n");
    }
}

void opevo_i_cli_kernels_free(opevo_i_cli_kernels *self)
{
    opevo_stored_proofs_free(&self->proofs);
    *self = (opevo_i_cli_kernels){0};
}
