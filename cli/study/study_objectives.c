/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The objectives that a plan names, opened. */

#include "study_cli_internal.h"

#include <opevo/memory.h>

#include <string.h>

/* A path of the plan, seen from the folder of the plan. */
static void add_from_folder(const char *plan, const char *path, opevo_text *out)
{
    const char *slash = strrchr(plan, '/');

    if (slash && *path != '/')
        opevo_text_add_bytes(out, plan, (size_t)(slash + 1 - plan));
    opevo_text_add(out, path);
}

/* "recorded:FILE" holds a path; "sim:DEVICE" may. */
static void add_on(const char *plan, const char *on, bool only_recorded, opevo_text *out)
{
    const char *colon = strchr(on, ':');
    size_t length = colon ? (size_t)(colon + 1 - on) : 0;
    const char *rest = on + length;

    opevo_text_add(out, only_recorded && *on == 'r' ? "only-" : "");
    opevo_text_add_bytes(out, on, length);
    if (*rest && (opevo_i_is_recorded(on) || opevo_i_looks_like_path(rest)))
        add_from_folder(plan, rest, out);
    else
        opevo_text_add(out, rest);
}

/* What the plan says of measuring, as the options that `opevo tune` has for it;
 * release the given. */
static opevo_status call_of(const opevo_plan_objective *named, opevo_call *out, opevo_error *err)
{
    *out = (opevo_call){.given = opevo_calloc(named->option_count, sizeof *out->given)};
    if (!out->given)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for an objective.");
    for (size_t i = 0; i < named->option_count; i++) {
        const opevo_option *option = opevo_i_live_option(named->options[i].key);

        if (option)
            out->given[out->given_count++] = (opevo_given){option, named->options[i].value};
    }
    return OPEVO_OK;
}

bool opevo_i_opened_is_program(const opevo_i_opened *opened)
{
    return !strncmp(opened->named.on, "cmd:", 4);
}

bool opevo_i_opened_has(const opevo_i_opened *opened, const char *option)
{
    for (size_t i = 0; i < opened->named.option_count; i++) {
        if (!strcmp(opened->named.options[i].key, option))
            return true;
    }
    return false;
}

static opevo_status open_one(const char *plan, const opevo_plan_objective *named,
                             opevo_i_opened *out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_error inner = {OPEVO_OK, ""};
    opevo_optimum optimum = {.known = false};
    opevo_text on = {0};
    opevo_text space = {0};
    opevo_call call = {.given = NULL};

    out->named = *named;
    if (named->only_recorded && !opevo_i_is_recorded(named->on)) {
        status = OPEVO_FAIL(&inner, OPEVO_INVALID, "only-recorded requires recorded:FILE.");
        goto cleanup;
    }
    add_on(plan, named->on, named->only_recorded, &on);
    if (named->space)
        add_from_folder(plan, named->space, &space);
    OPEVO_TRY(opevo_text_check(&on, &inner));
    OPEVO_TRY(opevo_text_check(&space, &inner));
    OPEVO_TRY(call_of(named, &call, &inner));
    OPEVO_TRY(opevo_i_objective_of_call(&call, named->what, on.data,
                                        named->space ? space.data : NULL, &out->given.objective,
                                        &inner));
    OPEVO_TRY(opevo_objective_optimum(out->given.objective, &optimum, &inner));
    optimum.known = optimum.known && optimum.fitness > 0;
    OPEVO_TRY(opevo_i_note_of(named->what, on.data, named->space ? space.data : NULL, &optimum,
                              &out->texts, &inner));
    out->given.note = out->texts.note;
cleanup:
    if (status != OPEVO_OK) /* a sentence about an option is here one about a key */
        opevo_error_set(err, status, "%s: %s: %s", plan, named->where,
                        inner.message + (strncmp(inner.message, "--", 2) ? 0 : 2));
    opevo_free(call.given);
    opevo_text_free(&on);
    opevo_text_free(&space);
    return status;
}

opevo_status opevo_i_open_objectives(const char *path, const opevo_plan *plan, opevo_i_opened **out,
                                     opevo_error *err)
{
    size_t count = opevo_plan_objective_count(plan);
    opevo_i_opened *opened = opevo_calloc(count, sizeof *opened);
    opevo_status status = OPEVO_OK;

    if (!opened)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the objectives of %s.", path);
    for (size_t i = 0; i < count && status == OPEVO_OK; i++) {
        opevo_plan_objective named = opevo_plan_objective_get(plan, i);

        status = open_one(path, &named, &opened[i], err);
    }
    if (status == OPEVO_OK)
        *out = opened;
    else
        opevo_i_close_objectives(opened, count);
    return status;
}

void opevo_i_close_objectives(opevo_i_opened *opened, size_t count)
{
    for (size_t i = 0; opened && i < count; i++) {
        opevo_objective_destroy(opened[i].given.objective);
        opevo_i_note_free(&opened[i].texts);
    }
    opevo_free(opened);
}
