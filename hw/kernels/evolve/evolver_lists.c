/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What workers say of lists beside their evaluation: canonical texts, forms of the variant,
 * descriptions. */

#include "evolver_internal.h"

#include <opevo/memory.h>

#include <string.h>

/* The same for a request that must be answered; release the reply's request. */
static opevo_status ask_surely(opevo_evolver *self, json_t *message, opevo_i_evolve_request *out,
                               opevo_error *err)
{
    opevo_status status = opevo_i_evolve_evolver_ask(self, message, out, err);

    if (status == OPEVO_OK && out->answer != OPEVO_I_ANSWERED)
        status = OPEVO_FAIL(err, OPEVO_FAULT, "The worker %s.",
                            out->answer == OPEVO_I_DIED
                                ? "died twice of this request: LLVM ends it where it meets what "
                                  "it cannot translate"
                                : "was killed at its limit of time");
    return status == OPEVO_OK ? opevo_i_evolve_reply_check(out->reply, err) : status;
}

opevo_status opevo_evolver_canonical(opevo_evolver *evolver, const char *edits, opevo_text *out,
                                     opevo_error *err)
{
    opevo_i_evolve_request request = {.answer = OPEVO_I_DIED};
    opevo_status status = opevo_i_evolve_evolver_check_text("The list", edits, err);

    if (status == OPEVO_OK)
        status = ask_surely(evolver, json_pack("{s:s, s:s}", "do", "canonical", "edits", edits),
                            &request, err);
    if (status == OPEVO_OK)
        opevo_text_add(out, opevo_i_evolve_reply_text(request.reply, "edits"));
    opevo_i_evolve_request_clear(&request);
    return status == OPEVO_OK ? opevo_text_check(out, err) : status;
}

size_t opevo_edit_count(const char *edits)
{
    size_t count = strcmp(edits, "none") != 0;

    for (const char *at = edits; *at; at++)
        count += *at == ';';
    return count;
}

void opevo_edit_select(const char *edits, const bool *chosen, opevo_text *out)
{
    size_t length = 0;
    bool any = false;

    for (size_t i = 0; strcmp(edits, "none") != 0; i++) {
        edits += strspn(edits, " ");
        length = strcspn(edits, ";");
        if (chosen[i]) {
            opevo_text_add(out, any ? "; " : "");
            opevo_text_add_bytes(out, edits, length);
            any = true;
        }
        if (!edits[length])
            break;
        edits += length + 1;
    }
    opevo_text_add(out, any ? "" : "none");
}

/* ---- Forms ----------------------------------------------------------------------------------- */

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static opevo_status add_hex(const char *hex, opevo_text *out, opevo_error *err)
{
    for (; *hex; hex += 2) {
        char byte = 0;

        if (digit(hex[0]) < 0 || digit(hex[1]) < 0)
            return OPEVO_FAIL(err, OPEVO_FAULT, "A worker's answer is not hexadecimal.");
        byte = (char)(16 * digit(hex[0]) + digit(hex[1]));
        opevo_text_add_bytes(out, &byte, 1);
    }
    return opevo_text_check(out, err);
}

opevo_status opevo_evolver_emit(opevo_evolver *evolver, const char *edits, const char *form,
                                const char *machine, opevo_text *out, opevo_error *err)
{
    opevo_i_evolve_request request = {.answer = OPEVO_I_DIED};
    opevo_status status = opevo_i_evolve_evolver_check_text("The form", form, err);

    if (status == OPEVO_OK)
        status = opevo_i_evolve_evolver_check_text("The machine", machine, err);
    if (status == OPEVO_OK)
        status = ask_surely(evolver,
                            json_pack("{s:s, s:s, s:s, s:s}", "do", "emit", "edits", edits, "form",
                                      form, "machine", machine ? machine : ""),
                            &request, err);
    if (status == OPEVO_OK)
        status = add_hex(opevo_i_evolve_reply_text(request.reply, "hex"), out, err);
    opevo_i_evolve_request_clear(&request);
    return status;
}

opevo_status opevo_evolver_describe(opevo_evolver *evolver, const char *edits, char ***lines,
                                    size_t *count, opevo_error *err)
{
    opevo_i_evolve_request request = {.answer = OPEVO_I_DIED};
    opevo_status status = ask_surely(
        evolver, json_pack("{s:s, s:s}", "do", "describe", "edits", edits), &request, err);
    const json_t *said = NULL;
    char **made = NULL;
    size_t length = 0;

    if (status != OPEVO_OK)
        goto cleanup;
    said = json_object_get(request.reply, "lines");
    length = json_array_size(said);
    made = opevo_calloc(length + 1, sizeof *made);
    for (size_t i = 0; made && i < length; i++) {
        const char *line = json_string_value(json_array_get(said, i));

        made[i] = opevo_strdup(line ? line : "");
        if (!made[i])
            goto cleanup;
    }
    *count = length;
cleanup:
    if (status == OPEVO_OK && !made)
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for %zu lines.", length);
    if (status == OPEVO_OK)
        *lines = made;
    opevo_i_evolve_request_clear(&request);
    return status;
}
