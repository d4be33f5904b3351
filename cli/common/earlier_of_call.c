/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Trials of earlier runs for a tuner to learn from. */

#include "earlier_of_call_internal.h"

#include <opevo/memory.h>
#include <opevo/start_list.h>
#include <opevo/tuners.h>

#include "objective_spec_internal.h"

/* Names the tuners that could. */
static opevo_status refuse(const char *named, const opevo_tuner_ops *tuner, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_text able = {0};

    for (size_t i = 0; i < opevo_tuner_count(); i++) {
        if (opevo_tuner_get(i)->learn)
            opevo_text_printf(&able, "%s%s", able.length ? " or " : "", opevo_tuner_get(i)->name);
    }
    status = OPEVO_FAIL(err, OPEVO_INVALID,
                        "%s: the tuner %s cannot learn from earlier trials; use %stuner %s.", named,
                        tuner->name, *named == '-' ? "--" : "", opevo_text_string(&able));
    opevo_text_free(&able);
    return status;
}

/* The objective of a run, as the store says where it is. */
typedef struct origin {
    char *what, *on, *space;
    bool failed;
} origin;

static void note_origin(void *context, const opevo_run_info *info)
{
    origin *self = context;

    self->what = opevo_strdup(info->what);
    self->on = opevo_strdup(info->on);
    self->space = opevo_strdup(info->space);
    self->failed = !self->what || !self->on || !self->space;
}

static opevo_status open_origin(const origin *self, const char *text, opevo_objective **out,
                                opevo_error *err)
{
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = OPEVO_OK;

    if (self->failed)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read %s.", text);
    if (!*self->on)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s was made on another search space, and the store does not say where "
                          "its objective is.",
                          text);
    status = opevo_i_cli_objective_of(*self->what ? self->what : NULL, self->on,
                                      *self->space ? self->space : NULL, out, &inner);
    return status == OPEVO_OK
               ? OPEVO_OK
               : OPEVO_FAIL(err, status, "%s was made on another search space: %.700s", text,
                            inner.message);
}

/* A run on another space, by the loop trees of its trials. */
static opevo_status add_trees(opevo_earlier *self, opevo_store *store, int64_t run,
                              const char *text, opevo_error *err)
{
    origin from = {.what = NULL};
    opevo_objective *objective = NULL;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_store_visit(store, run, note_origin, &from, err));
    OPEVO_TRY(open_origin(&from, text, &objective, err));
    OPEVO_TRY(opevo_earlier_add_trees(self, store, run, objective, err));
cleanup:
    opevo_objective_destroy(objective);
    opevo_free(from.what);
    opevo_free(from.on);
    opevo_free(from.space);
    return status;
}

opevo_status opevo_i_cli_earlier_add(opevo_earlier *self, const char *named, const char *text,
                                     const opevo_tuner_ops *tuner, const opevo_space *space,
                                     opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    int64_t run = 0;
    char *path = NULL;
    opevo_store *store = NULL;

    if (!tuner->learn)
        return refuse(named, tuner, err);
    path = opevo_store_split(text, &run);
    if (!path)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read %s.", named);
    if (!run) {
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "%s %s: give a store and the number of a run in it, such as "
                            "runs.db:1.",
                            named, text);
        goto cleanup;
    }
    OPEVO_TRY(opevo_store_open(path, OPEVO_STORE_READ, &store, err));
    status = opevo_earlier_add(self, store, run, space, err);
    if (status == OPEVO_MISMATCH && tuner->learn_trees)
        status = add_trees(self, store, run, text, err);
cleanup:
    opevo_store_close(store);
    opevo_free(path);
    return status;
}
