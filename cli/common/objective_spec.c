/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Objectives by what a user writes, and how a store notes them. */

#include "computation_spec_internal.h"
#include "live_options_internal.h"
#include "manifest_of_call_internal.h"
#include "named_path_internal.h"
#include "objective_spec_internal.h"
#include "options_internal.h"
#include "own_of_call_internal.h"
#include "recording_spec_internal.h"

#include <opevo/landscape.h>
#include <opevo/live.h>
#include <opevo/memory.h>
#include <opevo/sealed.h>
#include <opevo/store.h>
#include <opevo/workload.h>

#include <stdio.h>
#include <string.h>

/* What a row of the table below is given: the text behind its prefix, and the rest of the call. */
typedef struct wanted {
    const char *what, *on, *detail, *space;
    const opevo_call *call; /* for the options of live objectives; NULL: their defaults */
} wanted;

static opevo_status open_recorded(const wanted *given, opevo_objective **out, opevo_error *err)
{
    if (given->what)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "\"%s\": a recorded landscape already has its operator; omit it.",
                          given->what);
    return opevo_i_cli_recording_open(given->detail, given->space, *given->on == 'o', out, err);
}

/* An entry in its log for each opening, by verbs that evaluate what a tuner asks for and no
 * more. */
static opevo_status open_sealed(const wanted *given, opevo_objective **out, opevo_error *err)
{
    static const char *const verbs[] = {"tune", "resume", "study", "reproduce"};
    const char *verb = opevo_i_cli_manifest_verb();
    opevo_text command = {0};
    uint64_t look = 0;
    size_t at = 0;
    opevo_status status = OPEVO_OK;

    while (at < sizeof verbs / sizeof *verbs && strcmp(verbs[at], verb) != 0)
        at++;
    if (at == sizeof verbs / sizeof *verbs)
        return OPEVO_FAIL(
            err, OPEVO_INVALID,
            "%s is sealed, and opens for evaluation only: by opevo tune and opevo study.",
            given->detail);
    if (given->what || given->space)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--on %s: a sealed landscape has its operator and its space; omit %s.",
                          given->on, given->what ? given->what : "--space");
    opevo_i_cli_manifest_print_command(&command);
    OPEVO_TRY(opevo_text_check(&command, err));
    OPEVO_TRY(opevo_sealed_open(given->detail, command.data, &look, out, err));
    fprintf(stderr, "opevo %s: look %llu at %s\n", verb, (unsigned long long)look, given->detail);
cleanup:
    opevo_text_free(&command);
    return status;
}

/* What is computed, for those who compute something. */
static opevo_status require_what(const wanted *given, opevo_error *err)
{
    return given->what ? OPEVO_OK
                       : OPEVO_FAIL(err, OPEVO_INVALID, "--on %s needs an operator, such as mm1.",
                                    given->on);
}

static opevo_status open_simulated(const wanted *given, opevo_objective **out, opevo_error *err)
{
    opevo_operator op;
    opevo_status status = OPEVO_OK;
    opevo_text user = {0};

    if (given->what && given->space)
        return OPEVO_FAIL(err, OPEVO_INVALID, "--space cannot be combined with --on sim:.");
    opevo_text_printf(&user, "--on %s", given->on);
    OPEVO_TRY(require_what(given, err));
    OPEVO_TRY(opevo_i_cli_operator_of(given->what, opevo_text_string(&user), &op, err));
    OPEVO_TRY(opevo_simulated_open(&op, given->detail, out, err));
cleanup:
    opevo_text_free(&user);
    return status;
}

static opevo_status open_program(const wanted *given, opevo_objective **out, opevo_error *err)
{
    if (given->what)
        return OPEVO_FAIL(
            err, OPEVO_INVALID,
            "\"%s\": a program needs no operator; omit it, and give the space with --space FILE.",
            given->what);
    if (!given->space)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--on cmd: needs --space FILE, the space file with its parameters.");
    return opevo_i_cli_live_program(given->call, given->detail, given->space, out, err);
}

static opevo_status open_kernels(const wanted *given, opevo_objective **out, opevo_error *err)
{
    opevo_status status = require_what(given, err);

    return status == OPEVO_OK ? opevo_i_cli_live_kernels(given->call, given->on, given->space,
                                                         given->what, out, err)
                              : status;
}

typedef enum sort { COMPUTED, PROGRAM, KERNELS } sort;

/* One row for each kind of objective beside the devices; the name is followed by ':', if that is a
 * must, and what is behind it. */
static const struct {
    const char *name;
    opevo_status (*open)(const wanted *given, opevo_objective **out, opevo_error *err);
    sort is;
    bool detailed;
} kinds[] = {
    {"recorded", open_recorded, COMPUTED, true}, {"only-recorded", open_recorded, COMPUTED, true},
    {"sealed", open_sealed, COMPUTED, true},     {"sim", open_simulated, COMPUTED, true},
    {"cmd", open_program, PROGRAM, true},        {"simt", open_kernels, KERNELS, false},
};

/* What an option of measuring applies to; NULL where it applies to the objective. Summaries begin
 * with what options go with. */
static const char *other_sort(const opevo_option *option, const char *on, sort is)
{
    if (!strncmp(option->summary, "cmd:", 4))
        return is == PROGRAM ? NULL : "programs (cmd:)";
    if (!strncmp(option->summary, "cpu:", 4))
        return is == KERNELS && !strncmp(on, "cpu", 3) ? NULL : "kernels (cpu)";
    if (!strncmp(option->summary, "cpu and cmd:", 12))
        return is == PROGRAM || (is == KERNELS && !strncmp(on, "cpu", 3))
                   ? NULL
                   : "programs (cmd:) and kernels (cpu)";
    if (!strncmp(option->summary, "kernels:", 8))
        return is == KERNELS ? NULL : "kernels (" OPEVO_DEVICES_OR ")";
    return is == COMPUTED ? "programs and kernels" : NULL;
}

/* Refuse an option of measuring that says nothing of such an objective. An option of the verb
 * itself by the same name also says something of computed ones. */
static opevo_status check_options(const opevo_call *call, const char *on, sort is, opevo_error *err)
{
    for (size_t i = 0; call && i < call->given_count; i++) {
        const opevo_option *given = call->given[i].option;
        const opevo_option *option = opevo_i_cli_live_option(given->name);
        bool own = option && strcmp(option->summary, given->summary) != 0;
        const char *other = option ? other_sort(option, on, is) : NULL;

        if (opevo_i_cli_is_recorded(on) && !strcmp(given->name, "result"))
            continue; /* of a bare table */
        if (other && !(own && is == COMPUTED))
            return OPEVO_FAIL(err, OPEVO_INVALID, "--%s applies to %s%s, not to %s.", option->name,
                              own ? "recordings, simulations, " : "", other, on);
    }
    return OPEVO_OK;
}

/* Have manifests name the files of an objective that was opened. */
static opevo_status note(opevo_status status, opevo_objective *const *opened)
{
    if (status == OPEVO_OK)
        opevo_i_cli_manifest_note(*opened);
    return status;
}

opevo_status opevo_i_cli_objective_of_call(const opevo_call *call, const char *what, const char *on,
                                           const char *space, opevo_objective **out,
                                           opevo_error *err)
{
    wanted given = {.what = what, .on = on, .space = space, .call = call};

    if (!on)
        return OPEVO_FAIL(err, OPEVO_INVALID, "--on is missing: give --on " OPEVO_I_OBJECTIVES ".");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t length = strlen(kinds[i].name);

        if (strncmp(on, kinds[i].name, length) != 0 ||
            (on[length] != ':' && (on[length] || kinds[i].detailed)))
            continue;
        given.detail = on[length] ? on + length + 1 : "";
        if (check_options(call, on, kinds[i].is, err) != OPEVO_OK)
            return OPEVO_INVALID;
        return note(kinds[i].open(&given, out, err), out);
    }
    if (opevo_live_is_device(on))
        return check_options(call, on, KERNELS, err) ? OPEVO_INVALID
                                                     : note(open_kernels(&given, out, err), out);
    return OPEVO_FAIL(err, OPEVO_INVALID, "--on %s: give " OPEVO_I_OBJECTIVES ".", on);
}

opevo_status opevo_i_cli_objective_of(const char *what, const char *on, const char *space,
                                      opevo_objective **out, opevo_error *err)
{
    return opevo_i_cli_objective_of_call(NULL, what, on, space, out, err);
}

opevo_status opevo_i_cli_note_of(const char *what, const char *on, const char *space,
                                 const opevo_optimum *optimum, opevo_note_texts *out,
                                 opevo_error *err)
{
    const char *colon = strchr(on, ':');
    size_t length = colon ? (size_t)(colon + 1 - on) : 0;
    const char *file = what ? opevo_i_cli_workload_file(what) : NULL;
    opevo_status status = OPEVO_OK;

    *out = (opevo_note_texts){.note = {.what = what}};
    opevo_text_add_bytes(&out->on, on, length);
    if (opevo_i_cli_is_recorded(on) || opevo_i_cli_is_sealed(on) ||
        opevo_i_cli_looks_like_path(on + length))
        opevo_i_cli_add_path(on + length, &out->on);
    else
        opevo_text_add(&out->on, on + length);
    if (space)
        opevo_i_cli_add_path(space, &out->space);
    if (file) {
        opevo_text_add(&out->what, "@");
        opevo_i_cli_add_path(file, &out->what);
        out->note.what = opevo_text_string(&out->what);
    }
    OPEVO_TRY(opevo_text_check(&out->what, err));
    OPEVO_TRY(opevo_text_check(&out->on, err));
    OPEVO_TRY(opevo_text_check(&out->space, err));
    out->note.on = opevo_text_string(&out->on);
    out->note.space = space ? opevo_text_string(&out->space) : NULL;
    out->note.optimum = optimum->known ? optimum->fitness : 0;
cleanup:
    if (status != OPEVO_OK)
        opevo_i_cli_note_free(out);
    return status;
}

void opevo_i_cli_note_free(opevo_note_texts *texts)
{
    opevo_text_free(&texts->what);
    opevo_text_free(&texts->on);
    opevo_text_free(&texts->space);
    texts->note = (opevo_objective_note){.on = NULL};
}
