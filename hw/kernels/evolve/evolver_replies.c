/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What workers answer. */

#include "evolver_internal.h"

#include <opevo/memory.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *opevo_i_evolve_reply_text(const json_t *reply, const char *key)
{
    const char *text = json_string_value(json_object_get(reply, key));

    return text ? text : "";
}

double opevo_i_evolve_reply_number(const json_t *reply, const char *key)
{
    const json_t *value = json_object_get(reply, key);

    return json_is_number(value) ? json_number_value(value) : NAN;
}

static opevo_status status_of(const char *name)
{
#define SAME(suffix, text)                                                                         \
    if (!strcmp(name, text))                                                                       \
        return OPEVO_##suffix;
    OPEVO_STATUS_LIST(SAME)
#undef SAME
    return OPEVO_FAULT;
}

opevo_status opevo_i_evolve_reply_check(const json_t *reply, opevo_error *err)
{
    const char *error = json_string_value(json_object_get(reply, "error"));
    opevo_status status = error ? status_of(error) : OPEVO_OK;

    if (!error)
        return OPEVO_OK;
    return OPEVO_FAIL(err, status == OPEVO_OK ? OPEVO_FAULT : status, "%s",
                      opevo_i_evolve_reply_text(reply, "message"));
}

void opevo_evolved_free(opevo_evolved *evaluation)
{
    opevo_free(evaluation->status);
    opevo_free(evaluation->message);
    *evaluation = (opevo_evolved){.status = NULL};
}

static opevo_known known_of(const char *word)
{
    return !strcmp(word, "module")   ? OPEVO_KNOWN_MODULE
           : !strcmp(word, "object") ? OPEVO_KNOWN_OBJECT
                                     : OPEVO_KNOWN_NOT;
}

opevo_status opevo_i_evolve_reply_evaluation(const opevo_i_evolve_request *request,
                                             opevo_evolved *out, opevo_error *err)
{
    static const char *const lost[] = {[OPEVO_I_DIED] = "signal", [OPEVO_I_OVERDUE] = "timeout"};
    static const char *const reasons[] = {[OPEVO_I_DIED] = "the worker died twice",
                                          [OPEVO_I_OVERDUE] = "the worker was killed at the limit "
                                                              "of time"};
    bool answered = request->answer == OPEVO_I_ANSWERED;
    opevo_status status = answered ? opevo_i_evolve_reply_check(request->reply, err) : OPEVO_OK;
    const char *message =
        answered ? opevo_i_evolve_reply_text(request->reply, "message") : reasons[request->answer];
    opevo_evolved said = {.kind = OPEVO_OUTCOME_CRASHED, .cost = NAN, .error = NAN};

    if (status != OPEVO_OK)
        return status;
    if (request->answer == OPEVO_I_OVERDUE)
        said.kind = OPEVO_OUTCOME_TIMEOUT;
    if (answered &&
        !opevo_outcome_parse(opevo_i_evolve_reply_text(request->reply, "class"), &said.kind))
        return OPEVO_FAIL(err, OPEVO_FAULT, "A worker's answer to \"evaluate\" has no class.");
    said.status = opevo_strdup(answered ? opevo_i_evolve_reply_text(request->reply, "status")
                                        : lost[request->answer]);
    said.message = *message ? opevo_strdup(message) : NULL;
    if (!said.status || (*message && !said.message)) {
        opevo_evolved_free(&said);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for an evaluation.");
    }
    if (answered) {
        snprintf(said.hash, sizeof said.hash, "%s",
                 opevo_i_evolve_reply_text(request->reply, "hash"));
        said.known = known_of(opevo_i_evolve_reply_text(request->reply, "known"));
        said.cost = opevo_i_evolve_reply_number(request->reply, "cost");
        said.error = opevo_i_evolve_reply_number(request->reply, "error");
    }
    *out = said;
    return OPEVO_OK;
}
