/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Trials of earlier runs for a tuner to learn from. */

#include "earlier_of_call_internal.h"

#include <opevo/memory.h>
#include <opevo/start_list.h>
#include <opevo/tuners.h>

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
    OPEVO_TRY(opevo_earlier_add(self, store, run, space, err));
cleanup:
    opevo_store_close(store);
    opevo_free(path);
    return status;
}
