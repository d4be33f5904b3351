/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What of a study was registered before its first trial, and what is exploratory. */

#include "stored_study_internal.h"

#include <opevo/memory.h>

#include <jansson.h>
#include <string.h>

/* ---- Registrations --------------------------------------------------------------------------- */

static opevo_stored_registration *find(const opevo_stored_study *data, const char *hash)
{
    for (size_t i = 0; i < data->registration_count; i++) {
        if (!strcmp(data->registrations[i].hash, hash))
            return &data->registrations[i];
    }
    return NULL;
}

size_t opevo_i_stored_registration(opevo_stored_study *data, const opevo_run_info *info)
{
    opevo_stored_registration *known = *info->registration ? find(data, info->registration) : NULL;
    void *rows = data->registrations;

    if (known)
        return (size_t)(known - data->registrations) + 1;
    if (!*info->registration || !opevo_reserve(&rows, &data->registration_capacity,
                                               data->registration_count + 1, sizeof *known))
        return 0;
    data->registrations = rows;
    known = &data->registrations[data->registration_count];
    *known = (opevo_stored_registration){.hash = opevo_strdup(info->registration)};
    return known->hash ? ++data->registration_count : 0;
}

/* Of several stores that have it, one that calls it late is believed. */
static void note(void *context, const opevo_registration *registration)
{
    opevo_stored_registration *known = find(context, registration->hash);

    if (!known)
        return;
    known->late = known->late || registration->late;
    if (known->text)
        return;
    known->text = opevo_strdup(registration->text);
    known->plan = opevo_strdup(registration->plan);
    known->written = opevo_strdup(registration->written);
}

opevo_status opevo_i_stored_registrations(opevo_stored_study *data, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < data->store_count && status == OPEVO_OK; i++)
        status = opevo_store_registrations(data->stores[i], note, data, err);
    for (size_t i = 0; i < data->registration_count && status == OPEVO_OK; i++) {
        const opevo_stored_registration *known = &data->registrations[i];

        if (!known->text || !known->plan || !known->written)
            status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for registrations.");
    }
    for (size_t i = 0; i < data->run_count && status == OPEVO_OK; i++) {
        opevo_stored_run *run = &data->stored[i];

        if (!run->registration)
            continue;
        data->registrations[run->registration - 1].runs++;
        run->registered = !data->registrations[run->registration - 1].late;
    }
    return status;
}

void opevo_i_stored_registrations_free(opevo_stored_study *data)
{
    for (size_t i = 0; i < data->registration_count; i++) {
        opevo_free(data->registrations[i].hash);
        opevo_free(data->registrations[i].text);
        opevo_free(data->registrations[i].plan);
        opevo_free(data->registrations[i].written);
    }
    opevo_free(data->registrations);
    opevo_free(data->standing);
    opevo_text_free(&data->chosen);
}

/* ---- Options --------------------------------------------------------------------------------- */

static bool names_option(const opevo_stored_registration *registration, const char *option,
                         const char *value)
{
    json_t *root = json_loads(registration->text, 0, NULL);
    const json_t *analysis = json_object_get(json_object_get(root, "plan"), "analysis");
    const char *planned = json_string_value(json_object_get(analysis, option));
    bool names = planned && !strcmp(planned, value);

    json_decref(root);
    return names;
}

opevo_status opevo_stored_study_choose(opevo_stored_study *study, const char *option,
                                       const char *value, opevo_error *err)
{
    size_t named = 0;

    for (size_t i = 0; i < study->registration_count; i++)
        named += names_option(&study->registrations[i], option, value);
    if (study->registration_count && named == study->registration_count)
        return OPEVO_OK;
    if (!study->chosen.length)
        opevo_text_printf(&study->chosen, "--%s is not in the registered plan", option);
    return opevo_text_check(&study->chosen, err);
}

/* ---- Standing -------------------------------------------------------------------------------- */

static const char unregistered[] = "runs were not registered before the first trial";
static const char several[] = "the runs are of several registrations";
static const char unfinished[] = "the study is not finished";

/* Of some runs of the study. */
typedef struct opevo_i_standing {
    size_t runs, registered, open;
    size_t registration; /* of those that are registered; 0: of none, SIZE_MAX: of several */
} standing;

static size_t join(size_t a, size_t b)
{
    return !a || a == b ? b : !b ? a : SIZE_MAX;
}

static void add(standing *self, const standing *more)
{
    self->runs += more->runs;
    self->registered += more->registered;
    self->open += more->open;
    self->registration = join(self->registration, more->registration);
}

opevo_status opevo_i_stored_stand(opevo_stored_study *data, opevo_error *err)
{
    data->standing =
        opevo_calloc(data->landscape_count * data->contender_count + 1, sizeof *data->standing);
    OPEVO_NEED_OR_RETURN(data->standing, "a study");
    for (size_t i = 0; i < data->run_count; i++) {
        const opevo_analysed_run *run = &data->runs[i];
        const opevo_stored_run *stored = &data->stored[i];
        standing one = {.runs = 1,
                        .registered = stored->registered,
                        .open = run->end == OPEVO_RUN_OPEN,
                        .registration = stored->registered ? stored->registration : 0};

        add(&data->standing[run->landscape * data->contender_count + run->contender], &one);
    }
    return OPEVO_OK;
}

static const char *reason(const standing *self, const opevo_stored_study *study)
{
    if (self->registered < self->runs)
        return unregistered;
    if (self->registration == SIZE_MAX)
        return several;
    if (self->open || study->planned)
        return unfinished;
    return study->chosen.length ? opevo_text_string(&study->chosen) : NULL;
}

const char *opevo_stored_study_exploratory(const opevo_stored_study *study, size_t landscape,
                                           size_t a, size_t b)
{
    const standing *row = &study->standing[landscape * study->contender_count];
    standing pair = row[a];

    add(&pair, &row[b]);
    return reason(&pair, study);
}

void opevo_stored_study_print_standing(const opevo_stored_study *study, opevo_text *out)
{
    standing all = {.runs = 0};
    const char *why = NULL;

    for (size_t i = 0; i < study->landscape_count * study->contender_count; i++)
        add(&all, &study->standing[i]);
    why = reason(&all, study);
    if (!why)
        opevo_text_printf(out, "registered before the first trial: all %zu runs\n", all.runs);
    else if (why == unregistered && all.registered)
        opevo_text_printf(out,
                          "exploratory in part: %zu of %zu runs were registered before the first "
                          "trial\n",
                          all.registered, all.runs);
    else if (why == unregistered)
        opevo_text_add(out, "exploratory: no run was registered before the first trial\n");
    else
        opevo_text_printf(out, "exploratory: %s\n", why);
}
