/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "objective_of_run_internal.h"

#include "objective_spec_internal.h"
#include "recording_spec_internal.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* What the store notes of it. */
typedef struct note {
    opevo_text name, on, what, space;
} note;

static void copy(void *context, const opevo_run_info *info)
{
    note *self = context;

    opevo_text_add(&self->name, info->objective);
    opevo_text_add(&self->on, info->on);
    opevo_text_add(&self->what, info->what);
    opevo_text_add(&self->space, info->space);
}

static void free_note(note *self)
{
    opevo_text_free(&self->name);
    opevo_text_free(&self->on);
    opevo_text_free(&self->what);
    opevo_text_free(&self->space);
}

static opevo_status open_by_call(opevo_i_cli_objective_of_run *self, const char *origin,
                                 opevo_error *err)
{
    const opevo_call *call = &self->file.call;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_cli_call_file_parse(self->call.data, self->call.length, origin,
                                          &opevo_i_cli_verb_tune, &self->file, err));
    if (call->argument_count != 1)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s: it is not a run of one operator or kernel.",
                          origin);
    OPEVO_TRY(opevo_i_cli_call_file_enter(&self->file, origin, err));
    OPEVO_TRY(opevo_i_cli_on_of_call(call, NULL, &self->on_text, &self->on, err));
    status =
        opevo_i_cli_objective_of_call(call, call->arguments[0], self->on,
                                      opevo_i_cli_option(call, "space"), &self->objective, err);
cleanup:
    return status;
}

static opevo_status open_by_note(opevo_i_cli_objective_of_run *self, const note *from,
                                 const char *origin, opevo_error *err)
{
    const char *space = opevo_text_string(&from->space);
    opevo_status status = OPEVO_OK;

    if (!from->what.length)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s: it is not a run of opevo tune.", origin);
    opevo_text_add(&self->on_text, opevo_text_string(&from->on));
    OPEVO_TRY(opevo_text_check(&self->on_text, err));
    self->on = opevo_text_string(&self->on_text);
    status = opevo_i_cli_objective_of(opevo_text_string(&from->what), self->on,
                                      *space ? space : NULL, &self->objective, err);
cleanup:
    return status;
}

opevo_status opevo_i_cli_objective_of_run_open(opevo_store *store, int64_t run,
                                               opevo_i_cli_objective_of_run *out, opevo_error *err)
{
    opevo_text origin = {0};
    note from = {.name = {0}};
    opevo_status status = OPEVO_OK;

    opevo_text_printf(&origin, "%s:%lld", opevo_store_path(store), (long long)run);
    OPEVO_TRY(opevo_store_visit(store, run, copy, &from, err));
    OPEVO_TRY(opevo_store_call(store, run, &out->call, err));
    if (origin.failed || from.name.failed || from.on.failed || from.what.failed ||
        from.space.failed) {
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to open an objective.");
        goto cleanup;
    }
    out->left = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) + 1;
    OPEVO_TRY(out->call.length ? open_by_call(out, origin.data, err)
                               : open_by_note(out, &from, origin.data, err));
    if (strcmp(out->objective->name, from.name.data) != 0)
        status = OPEVO_FAIL(err, OPEVO_MISMATCH, "%s: its objective is called %.200s here.",
                            origin.data, out->objective->name);
cleanup:
    opevo_text_free(&origin);
    free_note(&from);
    return status;
}

void opevo_i_cli_objective_of_run_close(opevo_i_cli_objective_of_run *self)
{
    opevo_objective_destroy(self->objective);
    opevo_i_cli_call_file_free(&self->file);
    opevo_text_free(&self->call);
    opevo_text_free(&self->on_text);
    if (self->left > 0) {
        /* Without the way back, paths of later messages and files would be seen from elsewhere;
         * a folder that was open is entered unless its rights have changed meanwhile. */
        (void)!fchdir(self->left - 1);
        (void)close(self->left - 1);
    }
    *self = (opevo_i_cli_objective_of_run){.objective = NULL};
}
