/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The landscapes of a study, opened again by what the store or the call says of them. */

#include "analyze_internal.h"
#include "objective_spec_internal.h"
#include "options_internal.h"
#include "recording_spec_internal.h"

#include <opevo/memory.h>
#include <opevo/objective.h>
#include <opevo/sealed.h>

#include <string.h>

/* What --objective says of a landscape: "NAME=recorded:FILE" or "NAME=sim:DEVICE OPERATOR". */
typedef struct assignment {
    const char *text;
    size_t name_length;
    const char *objective; /* after the '=' */
} assignment;

static opevo_status parse_assignment(const char *text, assignment *out, opevo_error *err)
{
    const char *equals = strstr(text, "=recorded:");

    if (!equals)
        equals = strstr(text, "=only-recorded:");
    if (!equals)
        equals = strstr(text, "=sim:");
    if (!equals || equals == text)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--objective %.200s: give the name of a landscape in the store and where "
                          "it is, such as conv=recorded:conv.csv.",
                          text);
    *out = (assignment){text, (size_t)(equals - text), equals + 1};
    return OPEVO_OK;
}

static bool names(const assignment *given, const char *name)
{
    const char *colon = strchr(name, ':');

    return (strlen(name) == given->name_length &&
            !strncmp(name, given->text, given->name_length)) ||
           (colon && strlen(colon + 1) == given->name_length &&
            !strncmp(colon + 1, given->text, given->name_length));
}

/* Open "recorded:FILE", with the space file of the runs if they had one, or "sim:DEVICE OPERATOR".
 */
static opevo_status open_by_text(const char *text, const char *space, opevo_objective **out,
                                 opevo_error *err)
{
    const char *blank = strncmp(text, "sim:", 4) ? NULL : strchr(text, ' ');
    char *on = NULL;
    opevo_status status = OPEVO_OK;

    if (!blank)
        return opevo_i_cli_objective_of(NULL, text, *space ? space : NULL, out, err);
    on = opevo_strndup(text, (size_t)(blank - text));
    OPEVO_NEED_OR_RETURN(on, "opening %s", text);
    status = opevo_i_cli_objective_of(blank + 1, on, NULL, out, err);
    opevo_free(on);
    return status;
}

static bool is_landscape(const char *on)
{
    return opevo_i_cli_is_recorded(on) || !strncmp(on, "sim:", 4);
}

/* On a device, as the store says; nobody knows all of its points then. */
static bool was_measured(const opevo_stored_landscape *row)
{
    return *row->on && !is_landscape(row->on);
}

/* By what the store says of it, or else by the name of a simulated one; INVALID, with the reason,
 * where neither will do. A device is never opened: its points would all be measured. */
static opevo_status open_by_store(const opevo_stored_landscape *row, opevo_objective **out,
                                  opevo_error *err)
{
    if (opevo_i_cli_is_sealed(row->on))
        return OPEVO_FAIL(err, OPEVO_INVALID, "it is sealed, and opens for evaluation only.");
    if (was_measured(row))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "it was measured, so not all of its points are known.");
    if (*row->on)
        return opevo_i_cli_objective_of(*row->what ? row->what : NULL, row->on,
                                        *row->space ? row->space : NULL, out, err);
    if (!strncmp(row->name, "sim:", 4))
        return open_by_text(row->name, "", out, err);
    return OPEVO_FAIL(err, OPEVO_INVALID,
                      "the store does not have its location: give --objective NAME=recorded:FILE.");
}

/* How often a sealed landscape was looked at. */
static void note_looks(const opevo_stored_landscape *row, opevo_text *out)
{
    opevo_sealed_log log;

    if (!opevo_i_cli_is_sealed(row->on))
        return;
    opevo_text_add_visible(out, row->name);
    if (opevo_sealed_read_log(row->on + strlen("sealed:"), &log, NULL) != OPEVO_OK)
        opevo_text_add(out, ": its file is not here, so that its looks are not known\n");
    else if (log.altered)
        opevo_text_add(out, ": its file was altered, so that its looks are not known\n");
    else
        opevo_text_printf(
            out, ": number of looks: %llu, of them after its file was copied or moved: %llu\n",
            (unsigned long long)log.looks, (unsigned long long)log.copies);
}

/* --objective NAME may then mean the other one. */
static bool has_namesake(const opevo_stored_study *data, const opevo_stored_landscape *row)
{
    for (size_t i = 0; i < data->landscape_count; i++) {
        if (&data->landscapes[i] != row && !strcmp(data->landscapes[i].name, row->name))
            return true;
    }
    return false;
}

static const assignment *assignment_of(const assignment *given, size_t count, const char *name)
{
    const assignment *by = NULL;

    for (size_t i = 0; i < count; i++) {
        if (names(&given[i], name))
            by = &given[i];
    }
    return by;
}

static opevo_status open_one(const assignment *given, size_t given_count, unsigned threads,
                             opevo_stored_study *data, opevo_stored_landscape *row,
                             opevo_error *err)
{
    opevo_objective *objective = NULL;
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = OPEVO_OK;
    const assignment *by = assignment_of(given, given_count, row->name);

    status = by ? open_by_text(by->objective, row->space, &objective, &inner)
                : open_by_store(row, &objective, &inner);
    if (status == OPEVO_OK)
        status = opevo_stored_landscape_evaluate(row, objective, threads, &inner);
    opevo_objective_destroy(objective);
    if (status == OPEVO_OK)
        return OPEVO_OK;
    if (by && status != OPEVO_LIMIT && !(status == OPEVO_MISMATCH && has_namesake(data, row)))
        return OPEVO_FAIL(err, status, "--objective %.300s: %.600s", by->text, inner.message);
    if (status == OPEVO_NOMEM)
        return OPEVO_FAIL(err, status, "%s", inner.message);
    opevo_text_add_visible(&data->notes, row->name);
    opevo_text_add(&data->notes, ": no exact random search and no scores: ");
    opevo_text_add_visible(&data->notes, inner.message);
    opevo_text_add(&data->notes, "\n");
    note_looks(row, &data->notes);
    return OPEVO_OK;
}

/* Of several such landscapes, the tasks of a network perhaps, the same is said once. */
static bool is_only_measured(const assignment *given, size_t count,
                             const opevo_stored_landscape *row)
{
    return was_measured(row) && !assignment_of(given, count, row->name);
}

opevo_status opevo_i_cli_study_open_landscapes(const opevo_call *call, unsigned threads,
                                               opevo_stored_study *data, opevo_error *err)
{
    assignment *given = opevo_malloc(call->given_count, sizeof *given);
    size_t count = 0, measured = 0;
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(given, "--objective");
    for (size_t i = 0; i < call->given_count; i++) {
        bool known = opevo_i_cli_option(call, "landscape") != NULL; /* may be left out by it */

        if (strcmp(call->given[i].option->name, "objective") != 0)
            continue;
        OPEVO_TRY(parse_assignment(call->given[i].value, &given[count], err));
        for (size_t j = 0; j < data->landscape_count; j++)
            known = known || names(&given[count], data->landscapes[j].name);
        if (!known) {
            status = OPEVO_FAIL(err, OPEVO_INVALID,
                                "--objective %.200s: the store has no runs on a landscape of that "
                                "name; opevo runs lists them.",
                                call->given[i].value);
            goto cleanup;
        }
        count++;
    }
    for (size_t j = 0; j < data->landscape_count; j++)
        measured += is_only_measured(given, count, &data->landscapes[j]);
    for (size_t j = 0; j < data->landscape_count && !opevo_i_cli_flag(call, "no-landscapes"); j++) {
        if (measured == 1 || !is_only_measured(given, count, &data->landscapes[j]))
            OPEVO_TRY(open_one(given, count, threads, data, &data->landscapes[j], err));
    }
    if (measured > 1 && !opevo_i_cli_flag(call, "no-landscapes"))
        opevo_text_printf(&data->notes,
                          "%zu landscapes: no exact random search and no scores: they were "
                          "measured, so not all of their points are known.\n",
                          measured);
    opevo_stored_study_join(data);
cleanup:
    opevo_free(given);
    return status;
}
