/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The objectives that a plan names, opened. */

#include "live_options_internal.h"
#include "named_path_internal.h"
#include "objective_spec_internal.h"
#include "options_internal.h"
#include "recording_spec_internal.h"
#include "study_cli_internal.h"

#include <opevo/live.h>
#include <opevo/memory.h>
#include <opevo/store.h>

#include <string.h>
#include <unistd.h>

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
    if (*rest && (opevo_i_cli_is_recorded(on) || opevo_i_cli_is_sealed(on) ||
                  opevo_i_cli_looks_like_path(rest)))
        add_from_folder(plan, rest, out);
    else
        opevo_text_add(out, rest);
}

/* What the plan says of measuring, as the options that the verb has which opens such an objective;
 * room for one more, release the given. `others` is what the remaining options are for. */
static opevo_status call_of(const opevo_plan_objective *named,
                            const opevo_option *(*option_of)(const char *name), const char *others,
                            opevo_call *out, opevo_error *err)
{
    *out = (opevo_call){.given = opevo_calloc(named->option_count + 1, sizeof *out->given)};
    OPEVO_NEED_OR_RETURN(out->given, "an objective");
    for (size_t i = 0; i < named->option_count; i++) {
        const opevo_option *option = option_of(named->options[i].key);

        if (!option)
            return OPEVO_FAIL(err, OPEVO_INVALID, "%s applies to %s, not to %s.",
                              named->options[i].key, others, named->on);
        out->given[out->given_count++] = (opevo_given){option, named->options[i].value};
    }
    return OPEVO_OK;
}

/* ---- Edits of a kernel ----------------------------------------------------------------------- */

static bool is_evolve(const char *on)
{
    return !strcmp(on, "evolve") || !strncmp(on, "evolve:", 7);
}

/* Paths in the values of options, seen from the folder of the plan: borrowed from `texts`, one for
 * each option. */
static opevo_status resolve(const char *plan, opevo_call *call, opevo_text *texts, opevo_error *err)
{
    static const char costs[] = "costs=";
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < call->given_count && status == OPEVO_OK; i++) {
        opevo_given *given = &call->given[i];
        bool is_costs =
            !strcmp(given->option->name, "with") && !strncmp(given->value, costs, sizeof costs - 1);
        size_t length = is_costs ? sizeof costs - 1 : 0;

        if (!is_costs && strcmp(given->option->name, "harness") != 0)
            continue;
        opevo_text_add_bytes(&texts[i], given->value, length);
        add_from_folder(plan, given->value + length, &texts[i]);
        given->value = opevo_text_string(&texts[i]);
        status = opevo_text_check(&texts[i], err);
    }
    return status;
}

/* A kernel beside the plan, or else one of opevo. */
static void add_kernel(const char *plan, const char *what, opevo_text *out)
{
    add_from_folder(plan, what, out);
    if (!strchr(what, '/') && access(opevo_text_string(out), F_OK) != 0) {
        opevo_text_clear(out);
        opevo_text_add(out, what);
    }
}

/* "evolve:MACHINE" on a kernel, as `opevo evolve` opens it. */
static opevo_status open_edits(const char *plan, opevo_i_cli_opened *out, opevo_error *err)
{
    const opevo_plan_objective *named = &out->named;
    opevo_status status = OPEVO_OK;
    opevo_text *texts = opevo_calloc(named->option_count + 1, sizeof *texts);
    opevo_call call = {.given = NULL};

    OPEVO_NEED_OR_RETURN(texts, "an objective");
    if (!named->what || named->only_recorded) {
        status =
            named->what
                ? OPEVO_FAIL(err, OPEVO_INVALID, "only-recorded requires recorded:FILE.")
                : OPEVO_FAIL(err, OPEVO_INVALID,
                             "on %s needs a kernel, such as \"what\": \"saxpy.ll\".", named->on);
        goto cleanup;
    }
    OPEVO_TRY(call_of(named, opevo_i_cli_evolver_option, "programs and kernels that are tuned",
                      &call, err));
    OPEVO_TRY(resolve(plan, &call, texts, err));
    if (named->on[6])
        call.given[call.given_count++] =
            (opevo_given){opevo_i_cli_evolver_option("on"), named->on + 7};
    add_kernel(plan, named->what, &out->texts.what);
    opevo_text_printf(&out->texts.on, "evolve:%s", named->on[6] ? named->on + 7 : "simt");
    OPEVO_TRY(opevo_text_check(&out->texts.what, err));
    OPEVO_TRY(opevo_text_check(&out->texts.on, err));
    OPEVO_TRY(opevo_i_cli_evolver_of_call(&call, opevo_text_string(&out->texts.what),
                                          OPEVO_I_EDITS_SEARCHED, &out->evolver, err));
    out->given.objective = opevo_evolver_objective(out->evolver);
    out->given.note = (opevo_objective_note){.on = opevo_text_string(&out->texts.on),
                                             .what = opevo_text_string(&out->texts.what)};
cleanup:
    opevo_free(call.given);
    for (size_t i = 0; i < named->option_count; i++)
        opevo_text_free(&texts[i]);
    opevo_free(texts);
    return status;
}

/* ---- All objectives -------------------------------------------------------------------------- */

bool opevo_i_cli_opened_is_program(const opevo_i_cli_opened *opened)
{
    return !strncmp(opened->named.on, "cmd:", 4);
}

bool opevo_i_cli_opened_has(const opevo_i_cli_opened *opened, const char *option)
{
    for (size_t i = 0; i < opened->named.option_count; i++) {
        if (!strcmp(opened->named.options[i].key, option))
            return true;
    }
    return false;
}

/* What is opened as `opevo tune` does. */
static opevo_status open_tunable(const char *plan, const opevo_verb *verb, opevo_i_cli_opened *out,
                                 opevo_error *err)
{
    const opevo_plan_objective *named = &out->named;
    opevo_status status = OPEVO_OK;
    opevo_optimum optimum = {.known = false};
    opevo_text on = {0};
    opevo_text space = {0};
    opevo_call call = {.given = NULL};

    if (named->only_recorded && !opevo_i_cli_is_recorded(named->on))
        return OPEVO_FAIL(err, OPEVO_INVALID, "only-recorded requires recorded:FILE.");
    add_on(plan, named->on, named->only_recorded, &on);
    if (named->space)
        add_from_folder(plan, named->space, &space);
    OPEVO_TRY(opevo_text_check(&on, err));
    OPEVO_TRY(opevo_text_check(&space, err));
    OPEVO_TRY(call_of(named, opevo_i_cli_live_option, "edits (evolve)", &call, err));
    call.verb = verb;
    OPEVO_TRY(opevo_i_cli_objective_of_call(
        &call, named->what, on.data, named->space ? space.data : NULL, &out->given.objective, err));
    opevo_live_rest(out->given.objective);
    OPEVO_TRY(opevo_objective_optimum(out->given.objective, &optimum, err));
    optimum.known = optimum.known && optimum.fitness > 0;
    OPEVO_TRY(opevo_i_cli_note_of(named->what, on.data, named->space ? space.data : NULL, &optimum,
                                  &out->texts, err));
    out->given.note = out->texts.note;
cleanup:
    opevo_free(call.given);
    opevo_text_free(&on);
    opevo_text_free(&space);
    return status;
}

static opevo_status open_one(const char *plan, const opevo_plan_objective *named,
                             const opevo_verb *verb, opevo_i_cli_opened *out, opevo_error *err)
{
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = OPEVO_OK;

    out->named = *named;
    status = is_evolve(named->on) ? open_edits(plan, out, &inner)
                                  : open_tunable(plan, verb, out, &inner);
    if (status != OPEVO_OK) /* a sentence about an option is here one about a key */
        opevo_error_set(err, status, "%s: %s: %s", plan, named->where,
                        inner.message + (strncmp(inner.message, "--", 2) ? 0 : 2));
    return status;
}

/* Open those of the plan in its order; paths are seen from the folder of the plan file. */
static opevo_status open_objectives(const char *path, const opevo_plan *plan,
                                    const opevo_verb *verb, opevo_i_cli_opened **out,
                                    opevo_error *err)
{
    size_t count = opevo_plan_objective_count(plan);
    opevo_i_cli_opened *opened = opevo_calloc(count, sizeof *opened);
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(opened, "the objectives of %s", path);
    for (size_t i = 0; i < count && status == OPEVO_OK; i++) {
        opevo_plan_objective named = opevo_plan_objective_get(plan, i);

        status = open_one(path, &named, verb, &opened[i], err);
    }
    if (status == OPEVO_OK)
        *out = opened;
    else
        opevo_i_cli_close_objectives(opened, count);
    return status;
}

void opevo_i_cli_close_objectives(opevo_i_cli_opened *opened, size_t count)
{
    for (size_t i = 0; opened && i < count; i++) {
        if (!opened[i].evolver)
            opevo_objective_destroy(opened[i].given.objective);
        opevo_evolver_close(opened[i].evolver);
        opevo_i_cli_note_free(&opened[i].texts);
    }
    opevo_free(opened);
}

opevo_status opevo_i_cli_open_study(const char *path, opevo_plan **plan, const opevo_verb *verb,
                                    opevo_i_cli_opened **opened, size_t *count, opevo_study **out,
                                    opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_study_objective *given = NULL;

    OPEVO_TRY(open_objectives(path, *plan, verb, opened, err));
    *count = opevo_plan_objective_count(*plan);
    given = opevo_malloc(*count, sizeof *given);
    OPEVO_NEED(given, "the objectives of %s", path);
    for (size_t i = 0; i < *count; i++)
        given[i] = (*opened)[i].given;
    OPEVO_TRY(opevo_study_create(*plan, given, out, err));
    *plan = NULL; /* the study has it */
cleanup:
    opevo_free(given);
    return status;
}
