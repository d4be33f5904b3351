/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "kernels_of_run_internal.h"

#include <opevo/json.h>
#include <opevo/live.h>

#include <jansson.h>

#include <string.h>

opevo_status opevo_i_cli_kernels_read(opevo_store *store, const opevo_run_info *info,
                                      opevo_i_cli_kernels *out, opevo_error *err)
{
    out->any = opevo_live_is_device(info->on);
    return out->any ? opevo_store_get_proofs(store, info->run, &out->proofs, err) : OPEVO_OK;
}

const char *opevo_i_cli_kernel_word(const opevo_i_cli_kernels *self, opevo_index point)
{
    const opevo_stored_proof *proof = NULL;

    if (!self || !self->any)
        return "";
    proof = opevo_stored_proofs_find(&self->proofs, point);
    return proof && strcmp(proof->verdict, "undecided") != 0 ? proof->verdict : "tested";
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
