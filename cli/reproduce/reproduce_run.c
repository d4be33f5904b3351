/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Verbs run again in this process. */

#include "reproduce_internal.h"

#include "manifest_of_call_internal.h"

#include <stdarg.h>
#include <string.h>

/* Verbs that write nothing but their output, and where they write it is replaced. */
static bool is_repeatable(const opevo_verb *verb)
{
    return verb->has_manifest || verb == &opevo_i_cli_verb_report ||
           verb == &opevo_i_cli_verb_record || verb == &opevo_i_cli_verb_space;
}

opevo_status opevo_i_cli_reproduce_run(const char *const *words, size_t count, opevo_text *out,
                                       opevo_error *err)
{
    const opevo_verb *verb = NULL;
    const opevo_call *own = NULL;
    opevo_call call;
    int exit_code = OPEVO_EXIT_OK;
    opevo_status status = OPEVO_OK;

    if (count == 0)
        return OPEVO_FAIL(err, OPEVO_INVALID, "A command without a verb cannot be repeated.");
    OPEVO_TRY(opevo_i_cli_verb_find(words[0], &verb, err));
    if (!is_repeatable(verb))
        return OPEVO_FAIL(err, OPEVO_INVALID, "opevo %s is not repeated.", verb->name);
    OPEVO_TRY(opevo_i_cli_call_parse(verb, (int)count - 1, (char **)(words + 1), &call, err));
    own = opevo_i_cli_manifest_begin(&call);
    status = verb->run(&call, out, &exit_code, err);
    opevo_i_cli_manifest_begin(own);
    opevo_i_cli_call_free(&call);
    if (status == OPEVO_OK)
        status = opevo_text_check(out, err);
cleanup:
    return status;
}

bool opevo_i_cli_reproduce_is_computed(const char *on)
{
    return !strncmp(on, "recorded:", 9) || !strncmp(on, "only-recorded:", 14) ||
           !strncmp(on, "sim:", 4) || !strncmp(on, "sealed:", 7);
}

void opevo_i_cli_reproduce_leave(opevo_i_cli_reproduced *self, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    opevo_text_vprintf(&self->left, format, arguments);
    va_end(arguments);
    opevo_text_add(&self->left, "\n");
}
