/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Failures by class with their first messages, from trials and from stores, as text and as JSON. */

#include "options_internal.h"
#include "reasons_internal.h"
#include "terminal_internal.h"

#include <opevo/json.h>
#include <opevo/live.h>
#include <opevo/memory.h>
#include <opevo/store.h>

#include <stdio.h>
#include <string.h>

enum { CHUNK = 256 };

opevo_status opevo_i_cli_give_up_read(const opevo_call *call, bool live, uint64_t *out,
                                      opevo_error *err)
{
    if (!live && opevo_i_cli_flag(call, "give-up"))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--give-up requires a device: failures of a landscape are known.");
    return opevo_i_cli_option_count(call, "give-up", live ? OPEVO_I_GIVE_UP : 0, 0, UINT64_MAX, out,
                                    err);
}

/* ---- Counting ------------------------------------------------------------------------------- */

static bool is_doubtful(const opevo_outcome *outcome)
{
    return outcome->message && strstr(outcome->message, OPEVO_LIVE_DOUBT);
}

bool opevo_i_cli_reasons_add(opevo_i_cli_reasons *reasons, const opevo_trial *trial, bool is_stored)
{
    const opevo_outcome *outcome = &trial->outcome;
    opevo_i_cli_reason *reason = &reasons->of[outcome->kind];

    if ((outcome->kind == OPEVO_OUTCOME_OK && !is_doubtful(outcome)) || reason->count++)
        return false;
    reason->trial = trial->number;
    reason->point = trial->proposal.point;
    reason->is_stored = is_stored;
    opevo_text_add(&reason->message, outcome->message ? outcome->message : "");
    return true;
}

opevo_status opevo_i_cli_reasons_complete(opevo_i_cli_reasons *reasons, opevo_store *store,
                                          int64_t run, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (int i = 0; i < OPEVO_OUTCOME_CLASS_COUNT; i++) {
        opevo_i_cli_reason *reason = &reasons->of[i];
        opevo_trial first = {.number = reason->trial, .proposal.point = reason->point};

        if (!reason->is_stored)
            continue;
        OPEVO_TRY(opevo_store_read_details(store, run, &first, err));
        opevo_text_add(&reason->message, first.outcome.message ? first.outcome.message : "");
        reason->is_stored = false;
    }
cleanup:
    return status;
}

opevo_status opevo_i_cli_reasons_of_run(opevo_store *store, int64_t run, opevo_i_cli_reasons *out,
                                        opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_trial *trials = opevo_malloc(CHUNK, sizeof *trials);
    size_t got = CHUNK;

    *out = (opevo_i_cli_reasons){.of[0] = {0}};
    OPEVO_NEED_OR_RETURN(trials, "reading %s", opevo_store_path(store));
    for (uint64_t after = 0; got == CHUNK; after += got) {
        OPEVO_TRY(opevo_store_read(store, run, after, trials, CHUNK, &got, err));
        for (size_t i = 0; i < got; i++)
            opevo_i_cli_reasons_add(out, &trials[i], true);
    }
    OPEVO_TRY(opevo_i_cli_reasons_complete(out, store, run, err));
cleanup:
    opevo_free(trials);
    return status;
}

void opevo_i_cli_reasons_free(opevo_i_cli_reasons *reasons)
{
    for (int i = 0; i < OPEVO_OUTCOME_CLASS_COUNT; i++)
        opevo_text_free(&reasons->of[i].message);
    *reasons = (opevo_i_cli_reasons){.of[0] = {0}};
}

/* ---- Printing ------------------------------------------------------------------------------- */

void opevo_i_cli_text_add_message(opevo_text *out, const char *message)
{
    for (; *message; message++) {
        unsigned char byte = (unsigned char)*message;

        if (byte < ' ' || byte == 0x7f)
            opevo_text_printf(out, byte == '\n' ? "\\n" : byte == '\t' ? " " : "\\x%02x", byte);
        else
            opevo_text_add_bytes(out, message, 1);
    }
}

void opevo_i_cli_reasons_tell(const char *verb, const char *which, const opevo_trial *trial,
                              const opevo_progress *progress)
{
    const char *message = trial->outcome.message ? trial->outcome.message : "";
    opevo_text line = {0};

    opevo_i_cli_text_add_message(&line, message);
    opevo_i_cli_progress_clear(progress);
    fprintf(stderr, "opevo %s: %strial %llu: %s%s%s\n", verb, which,
            (unsigned long long)trial->number, opevo_outcome_name(trial->outcome.kind),
            *message ? ": " : "", opevo_text_string(&line));
    opevo_text_free(&line);
}

void opevo_i_cli_reasons_print(const opevo_i_cli_reasons *reasons, opevo_text *out)
{
    for (int i = OPEVO_OUTCOME_OK; i < OPEVO_OUTCOME_CLASS_COUNT; i++) {
        const opevo_i_cli_reason *reason = &reasons->of[i];

        if (!reason->count)
            continue;
        opevo_text_printf(out, "  %llu %s%s, first at trial %llu",
                          (unsigned long long)reason->count,
                          opevo_outcome_name((opevo_outcome_class)i),
                          i == OPEVO_OUTCOME_OK ? ", but " OPEVO_LIVE_DOUBT : "",
                          (unsigned long long)reason->trial);
        opevo_text_add(out, reason->message.length ? ": " : "");
        opevo_i_cli_text_add_message(out, opevo_text_string(&reason->message));
        opevo_text_add(out, "\n");
    }
}

void opevo_i_cli_give_up_print(uint64_t give_up, opevo_text *out)
{
    opevo_text_printf(out,
                      "gave up after %llu failures of one class: fix their cause, or raise the "
                      "limit with --give-up N\n",
                      (unsigned long long)give_up);
}

void opevo_i_cli_reasons_print_json(const opevo_i_cli_reasons *reasons, opevo_text *out)
{
    opevo_json_open(out, "failures", "[");
    for (int i = OPEVO_OUTCOME_OK + 1; i < OPEVO_OUTCOME_CLASS_COUNT; i++) {
        const opevo_i_cli_reason *reason = &reasons->of[i];

        if (!reason->count)
            continue;
        opevo_json_open_next(out, " ", "{");
        opevo_json_string(out, "outcome", opevo_outcome_name((opevo_outcome_class)i));
        opevo_json_index(out, "count", reason->count);
        opevo_json_index(out, "trial", reason->trial);
        opevo_json_string(out, "message", opevo_text_string(&reason->message));
        opevo_text_add(out, "}");
    }
    opevo_text_add(out, "]");
}
