/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Verbs run again in this process. */

#include "reproduce_internal.h"

#include "manifest_of_call_internal.h"

#include <stdarg.h>
#include <string.h>

/* ---- What a file may ask for ---------------------------------------------------------------- */

/* Verbs that write nothing but their output, or where they are told to. */
static bool is_repeatable(const opevo_verb *verb)
{
    return verb->has_manifest || verb == &opevo_i_cli_verb_report ||
           verb == &opevo_i_cli_verb_record || verb == &opevo_i_cli_verb_space ||
           verb == &opevo_i_cli_verb_portfolio;
}

static bool is_one_of(const char *name, const char *const *names)
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

/* A file in the scratch folder, whose name nobody knew before. */
static bool is_scratch(const opevo_i_cli_reproduced *self, const char *path)
{
    size_t length = strlen(self->scratch);

    return path && !strncmp(path, self->scratch, length) && path[length] == '/';
}

opevo_status opevo_i_cli_reproduce_allow(const opevo_i_cli_reproduced *self, const opevo_call *call,
                                         opevo_error *err)
{
    static const char *const writing[] = {"-o", "out", "svg", "emit", "store", NULL};
    static const char *const executing[] = {"workers", "workers-from", "workers-address", "build",
                                            NULL};
    bool written = false;

    for (size_t i = 0; i < call->given_count; i++) {
        const opevo_given *given = &call->given[i];
        const char *name = given->option->name, *dashes = opevo_i_cli_option_dashes(given->option);
        bool executes = is_one_of(name, executing) ||
                        (!strcmp(name, "on") && !opevo_i_cli_reproduce_is_computed(given->value));

        if (is_one_of(name, writing) && !is_scratch(self, given->value))
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "%s: its opevo %s would write %s; a file that opevo wrote does not "
                              "ask for %s%s.",
                              self->path, call->verb->name, given->value, dashes, name);
        if (executes && !self->measures)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "%s: its opevo %s would execute %s%s %s; --measure allows that.",
                              self->path, call->verb->name, dashes, name, given->value);
        written = written || is_one_of(name, writing);
    }
    if (!written &&
        (call->verb == &opevo_i_cli_verb_report || call->verb == &opevo_i_cli_verb_record))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s: its opevo %s does not say what this kind of file holds.", self->path,
                          call->verb->name);
    return OPEVO_OK;
}

/* ---- Running -------------------------------------------------------------------------------- */

opevo_status opevo_i_cli_reproduce_run(const opevo_i_cli_reproduced *self, const char *const *words,
                                       size_t count, opevo_text *out, opevo_error *err)
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
    status = opevo_i_cli_reproduce_allow(self, &call, err);
    if (status == OPEVO_OK) {
        own = opevo_i_cli_manifest_begin(&call);
        status = verb->run(&call, out, &exit_code, err);
        opevo_i_cli_manifest_begin(own);
    }
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
