/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The runs of stores, their landscapes and contenders, listed once. */

#include "stored_study_internal.h"

#include <opevo/memory.h>
#include <opevo/run.h>
#include <opevo/study.h>
#include <opevo/unit.h>

#include <math.h>
#include <string.h>

/* ---- Listing ---- */

typedef struct listing {
    opevo_stored_study *data;
    const opevo_stored_study_options *options;
    size_t store; /* that is being listed */
    opevo_i_stored_keys keys;
    bool failed; /* no memory */
} listing;

/* Whether a filter has `name` or the part of it behind a colon; one without names has all. */
static bool wanted(const opevo_names *filter, const char *name)
{
    const char *colon = strchr(name, ':');

    for (size_t i = 0; i < filter->count; i++) {
        if (!strcmp(filter->names[i], name) || (colon && !strcmp(filter->names[i], colon + 1)))
            return true;
    }
    return filter->count == 0;
}

static bool copy(const char *text, char **out)
{
    *out = opevo_strdup(text);
    return *out != NULL;
}

/* Replaces a copy; keeps it if there is no memory for another. */
static bool recopy(const char *text, char **out)
{
    char *fresh = opevo_strdup(text);

    if (!fresh)
        return false;
    opevo_free(*out);
    *out = fresh;
    return true;
}

static size_t find_landscape(listing *self, const opevo_run_info *info)
{
    opevo_stored_study *data = self->data;
    void *rows = data->landscapes;
    opevo_stored_landscape row = {
        .signature = info->signature, .program = info->program, .optimum = info->optimum};

    for (size_t i = 0; i < data->landscape_count; i++) {
        opevo_stored_landscape *known = &data->landscapes[i];

        if (known->signature != info->signature || strcmp(known->name, info->objective) != 0 ||
            !opevo_unit_agree(known->unit, info->unit) ||
            (known->program && info->program && known->program != info->program))
            continue;
        if (isnan(known->optimum)) /* an older run did not say */
            known->optimum = info->optimum;
        if (!known->program)
            known->program = info->program;
        if (!*known->on && *info->on)
            self->failed = !recopy(info->on, &known->on) || !recopy(info->what, &known->what) ||
                           !recopy(info->space, &known->space);
        if (!strcmp(known->unit, "1/s") && strcmp(info->unit, "1/s") != 0)
            self->failed = self->failed || !recopy(info->unit, &known->unit);
        return i;
    }
    if (!opevo_reserve(&rows, &data->landscape_capacity, data->landscape_count + 1, sizeof row)) {
        self->failed = true;
        return 0;
    }
    data->landscapes = rows;
    self->failed = !copy(info->objective, &row.name) || !copy(info->unit, &row.unit) ||
                   !copy(info->on, &row.on) || !copy(info->what, &row.what) ||
                   !copy(info->space, &row.space);
    data->landscapes[data->landscape_count++] = row;
    return data->landscape_count - 1;
}

/* A twin is one of the runs of its contender on another stream. */
static size_t find_contender(listing *self, const opevo_run_info *info, bool is_twin)
{
    opevo_stored_study *data = self->data;
    void *rows = data->contenders;
    opevo_stored_contender row = {.in_time = opevo_unit_follows_time(info->unit)};
    size_t length = strlen(info->settings) - (is_twin ? strlen(OPEVO_TWIN_WORD) : 0);

    length -= is_twin && length > 0; /* the blank before the word */
    for (size_t i = 0; i < data->contender_count; i++) {
        opevo_stored_contender *known = &data->contenders[i];

        if (!strcmp(known->tuner, info->tuner) && strlen(known->settings) == length &&
            !strncmp(known->settings, info->settings, length) &&
            !strcmp(known->budget, info->budget)) {
            known->in_time = known->in_time && opevo_unit_follows_time(info->unit);
            return i;
        }
    }
    if (!opevo_reserve(&rows, &data->contender_capacity, data->contender_count + 1, sizeof row)) {
        self->failed = true;
        return 0;
    }
    data->contenders = rows;
    self->failed = !copy(info->tuner, &row.tuner) || !copy(info->settings, &row.settings) ||
                   !copy(info->budget, &row.budget);
    if (row.settings)
        row.settings[length] = '\0';
    data->contenders[data->contender_count++] = row;
    return data->contender_count - 1;
}

static opevo_run_end end_of(const char *stop)
{
    if (!strcmp(stop, opevo_stop_name(OPEVO_STOP_TRIALS)))
        return OPEVO_RUN_TRIALS;
    if (!strcmp(stop, opevo_stop_name(OPEVO_STOP_SECONDS)))
        return OPEVO_RUN_SECONDS;
    if (!strcmp(stop, opevo_stop_name(OPEVO_STOP_TARGET)) ||
        !strcmp(stop, opevo_stop_name(OPEVO_STOP_SEARCH_OVER)) ||
        !strcmp(stop, opevo_stop_name(OPEVO_STOP_GAVE_UP)))
        return OPEVO_RUN_OVER;
    return OPEVO_RUN_OPEN;
}

static void note_version(opevo_text *versions, const char *version)
{
    size_t length = strlen(version);

    for (const char *at = opevo_text_string(versions); *at;) {
        size_t here = strcspn(at, "\n");

        if (here == length && !strncmp(at, version, length))
            return;
        at += here + (at[here] == '\n');
    }
    opevo_text_printf(versions, "%s\n", version);
}

/* The word of a twin is the last of its settings. */
static bool is_of_twin(const opevo_run_info *info)
{
    size_t length = strlen(info->settings), word = strlen(OPEVO_TWIN_WORD);
    const char *end = info->settings + length - (length < word ? length : word);

    return info->seed >= OPEVO_TWIN_SEEDS && !strcmp(end, OPEVO_TWIN_WORD) &&
           (end == info->settings || end[-1] == ' ');
}

/* A run without a trial is listed as well: another store may have more of it. */
static void visit(void *context, const opevo_run_info *info)
{
    listing *self = context;
    opevo_stored_study *data = self->data;
    void *runs = data->runs, *stored = data->stored;
    bool is_twin = is_of_twin(info);
    opevo_analysed_run run = {.seed = info->seed - (is_twin ? OPEVO_TWIN_SEEDS : 0),
                              .end = end_of(info->stop)};
    bool room = false;

    opevo_i_stored_keys_add(&self->keys, info);
    if (self->failed || !wanted(&self->options->landscapes, info->objective) ||
        !wanted(&self->options->tuners, info->tuner) ||
        !wanted(&self->options->budgets, info->budget))
        return;
    if (info->trials)
        note_version(&data->versions, info->version);
    run.landscape = find_landscape(self, info);
    if (!self->failed)
        run.contender = find_contender(self, info, is_twin);
    room =
        !self->failed && opevo_reserve(&runs, &data->run_capacity, data->run_count + 1, sizeof run);
    data->runs = runs;
    room = room && opevo_reserve(&stored, &data->stored_capacity, data->run_count + 1,
                                 sizeof *data->stored);
    data->stored = stored;
    if (!room) {
        self->failed = true;
        return;
    }
    data->stored[data->run_count] =
        (opevo_stored_run){.store = self->store,
                           .run = info->run,
                           .key = opevo_i_stored_key(info),
                           .trials = info->trials,
                           .registration = opevo_i_stored_registration(data, info),
                           .registered = info->registered,
                           .is_twin = is_twin};
    data->runs[data->run_count++] = run;
}

opevo_status opevo_i_stored_list(const opevo_stored_study_options *options, opevo_stored_study *out,
                                 opevo_error *err)
{
    listing list = {.data = out, .options = options};
    opevo_status status = OPEVO_OK;

    for (; list.store < out->store_count; list.store++)
        OPEVO_TRY(opevo_store_list(out->stores[list.store], visit, &list, err));
    if (list.failed) {
        status =
            OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the runs of %s.", options->stores.names[0]);
        goto cleanup;
    }
    OPEVO_TRY(opevo_i_stored_plan(out, &list.keys, err));
    OPEVO_TRY(opevo_i_stored_settle(out, err));
    OPEVO_TRY(opevo_i_stored_registrations(out, err));
cleanup:
    opevo_free(list.keys.keys);
    return status;
}
