/* SPDX-License-Identifier: GPL-3.0-or-later */

/* From what a user names on the command line to spaces and objectives. */

#include "computation_spec_internal.h"
#include "live_options_internal.h"
#include "objective_spec_internal.h"
#include "options_internal.h"
#include "terminal_internal.h"

#include <opevo/landscape.h>
#include <opevo/memory.h>
#include <opevo/store.h>
#include <opevo/workload.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_type_call(const char *text)
{
    size_t length = strcspn(text, "(");

    if (!text[length])
        return false;
    if (length == strlen("choice") && !strncmp(text, "choice", length))
        return true;
    for (size_t i = 0; i < opevo_type_count(); i++) {
        const char *name = opevo_type_get(i)->name;

        if (strlen(name) == length && !strncmp(text, name, length))
            return true;
    }
    return false;
}

const char *opevo_i_cli_unnamed(const char *message)
{
    static const char prefix[] = "Parameter x: ";

    return message + (strncmp(message, prefix, sizeof prefix - 1) ? 0 : sizeof prefix - 1);
}

opevo_status opevo_i_cli_parameter_of(const char *text, const char *topology, opevo_parameter **out,
                                      opevo_error *err)
{
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = opevo_parameter_parse("x", text, topology, out, &inner);

    return status == OPEVO_OK ? OPEVO_OK
                              : OPEVO_FAIL(err, status, "%s", opevo_i_cli_unnamed(inner.message));
}

static opevo_status space_of_parameter(const char *text, opevo_space **out, opevo_error *err)
{
    opevo_parameter *parameter = NULL;
    opevo_status status = opevo_i_cli_parameter_of(text, NULL, &parameter, err);

    if (status != OPEVO_OK)
        return status;
    status = opevo_space_create(&parameter, 1, NULL, 0, OPEVO_DIALECT_C, text, out, err);
    if (status != OPEVO_OK)
        opevo_parameter_destroy(parameter);
    return status;
}

/* ---- Recordings ---- */

static const char only_recorded[] = "only-recorded:";

bool opevo_i_cli_is_recorded(const char *on)
{
    return !strncmp(on, "recorded:", 9) || !strncmp(on, only_recorded, sizeof only_recorded - 1);
}

opevo_status opevo_i_cli_on_of_call(const opevo_call *call, const char *on, opevo_text *text,
                                    const char **out, opevo_error *err)
{
    bool only = opevo_i_cli_flag(call, "only-recorded");
    const char *result = opevo_i_cli_option(call, "result");

    on = on ? on : opevo_i_cli_option(call, "on");
    if (only && (!on || !opevo_i_cli_is_recorded(on)))
        return OPEVO_FAIL(err, OPEVO_INVALID, "--only-recorded requires recorded:[FILE].");
    opevo_text_printf(text, "%s%s", only && *on == 'r' ? "only-" : "", on ? on : "");
    if (on && result && opevo_i_cli_is_recorded(on))
        opevo_text_printf(text, "#%s", result);
    *out = on ? opevo_text_string(text) : NULL;
    return opevo_text_check(text, err);
}

/* Spaces up to this many points are counted one by one, in less than a second. */
#define MOST_COUNTED ((opevo_index)1 << 22)

/* Say on stderr what share of the points has no row. An estimated number of points is not better
 * than to a hundredth of a percent. */
static opevo_status say_unrecorded(const opevo_objective *objective, opevo_error *err)
{
    const opevo_space *space = objective->space;
    const char *allowed = opevo_space_is_restricted(space) ? "allowed " : "";
    opevo_index rows = opevo_recorded_rows(objective);
    opevo_space_share share = {.exact = false};
    opevo_status status = opevo_space_count_allowed(space, MOST_COUNTED, 0, &share, err);
    double missing = 1 - (double)rows / (share.share * (double)opevo_space_size(space));
    opevo_text text = {0};

    if (status != OPEVO_OK || !(missing > (share.exact ? 0 : 1e-4)))
        return status;
    opevo_text_printf(&text, "%s: ", objective->name);
    if (share.exact) {
        opevo_i_cli_text_add_grouped(&text, share.allowed - rows);
        opevo_text_add(&text, " of ");
        opevo_i_cli_text_add_grouped(&text, share.allowed);
        opevo_text_printf(&text, " %spoints (%.2f %%)", allowed, 100 * missing);
    } else {
        opevo_text_printf(&text, "about %.2f %% of the %spoints (estimated)", 100 * missing,
                          allowed);
    }
    fprintf(stderr,
            "%s have no row, and their trials are unrecorded; with --only-recorded the rows are "
            "the space\n",
            opevo_text_string(&text));
    opevo_text_free(&text);
    return OPEVO_OK;
}

/* Every recording is opened here. */
static opevo_status open_recording(const char *path, const char *space, bool only,
                                   opevo_objective **out, opevo_error *err)
{
    opevo_objective *objective = NULL;
    opevo_status status = opevo_recorded_open(path, space, &objective, err);

    if (status != OPEVO_OK)
        return status;
    status = only ? opevo_recorded_keep_rows(objective, err) : say_unrecorded(objective, err);
    if (status == OPEVO_OK)
        *out = objective;
    else
        opevo_objective_destroy(objective);
    return status;
}

void opevo_i_cli_judge_replay(const opevo_call *call, uint64_t trials, uint64_t unrecorded,
                              int *exit_code)
{
    if (trials == 0 || unrecorded < trials)
        return;
    fprintf(
        stderr,
        "opevo %s: No trial has a row in the recording, so the run has no result; take the rows "
        "as the space with --only-recorded (in a plan \"only-recorded\": true), or give a "
        "recording with more rows.\n",
        call->verb->name);
    *exit_code = OPEVO_EXIT_FAILED;
}

/* A landscape's space outlives it only as a copy, made through its JSON form. */
static opevo_status space_of_recorded(const char *what, opevo_space **out, opevo_error *err)
{
    opevo_objective *objective = NULL;
    opevo_text json = {0};
    const char *path = strchr(what, ':') + 1;
    opevo_status status = open_recording(path, NULL, *what == 'o', &objective, err);

    if (status != OPEVO_OK)
        return status;
    opevo_space_write_json(objective->space, &json);
    status = opevo_text_check(&json, err);
    if (status == OPEVO_OK)
        status = opevo_space_parse(opevo_text_string(&json), path, NULL, out, err);
    opevo_text_free(&json);
    opevo_objective_destroy(objective);
    return status;
}

bool opevo_i_cli_is_table(const char *text)
{
    static const char *const endings[] = {".csv", ".csv.xz", ".csv.gz"};
    size_t length = strlen(text);

    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t ending = strlen(endings[i]);

        if (length > ending && !strcmp(text + length - ending, endings[i]))
            return true;
    }
    return false;
}

bool opevo_i_cli_looks_like_path(const char *text)
{
    size_t length = strlen(text);

    return strchr(text, '/') || (length > 5 && !strcmp(text + length - 5, ".json"));
}

static bool is_path(const char *what)
{
    return opevo_i_cli_looks_like_path(what) || access(what, F_OK) == 0;
}

/* The paper's space of an operator. */
static opevo_status space_of_operator(const char *what, opevo_space **out, opevo_error *err)
{
    opevo_operator op;
    opevo_error inner = {OPEVO_OK, ""};
    opevo_workload *work = NULL;
    opevo_status status = opevo_i_cli_operator_of(what, "The paper's space", &op, &inner);

    if (status == OPEVO_OK)
        return opevo_operator_space(&op, out, err);
    OPEVO_FAIL(err, status, "%s%s", inner.message,
               opevo_i_cli_workload_of(what, &work, NULL) == OPEVO_OK
                   ? " `opevo sketch --space` prints that of its sketches."
                   : "");
    opevo_workload_destroy(work);
    return status;
}

opevo_status opevo_i_cli_space_of(const char *what, opevo_space **out, opevo_error *err)
{
    if (opevo_i_cli_is_recorded(what))
        return space_of_recorded(what, out, err);
    if (is_type_call(what))
        return space_of_parameter(what, out, err);
    if (*what != '@' && !strchr(what, '[') && is_path(what))
        return opevo_space_load(what, out, err);
    return space_of_operator(what, out, err);
}

/* ---- Runs ---- */

/* ---- Objectives ---- */

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
    return open_recording(given->detail, given->space, *given->on == 'o', out, err);
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
    opevo_workload *work = NULL;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(require_what(given, err));
    OPEVO_TRY(opevo_i_cli_workload_of(given->what, &work, err));
    OPEVO_TRY(opevo_i_cli_live_kernels(given->call, given->on, given->space, work, out, err));
cleanup:
    opevo_workload_destroy(work);
    return status;
}

typedef enum sort { COMPUTED, PROGRAM, KERNELS } sort;

/* One row for each kind of objective; the name is followed by ':', if that is a must, and what is
 * behind it. */
static const struct {
    const char *name;
    opevo_status (*open)(const wanted *given, opevo_objective **out, opevo_error *err);
    sort is;
    bool detailed;
} kinds[] = {
    {"recorded", open_recorded, COMPUTED, true}, {"only-recorded", open_recorded, COMPUTED, true},
    {"sim", open_simulated, COMPUTED, true},     {"cmd", open_program, PROGRAM, true},
    {"cpu", open_kernels, KERNELS, false},       {"cuda", open_kernels, KERNELS, false},
    {"hip", open_kernels, KERNELS, false},
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
        return is == KERNELS ? NULL : "kernels (cpu, cuda:N or hip:N)";
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
        return kinds[i].open(&given, out, err);
    }
    return OPEVO_FAIL(err, OPEVO_INVALID, "--on %s: give " OPEVO_I_OBJECTIVES ".", on);
}

opevo_status opevo_i_cli_objective_of(const char *what, const char *on, const char *space,
                                      opevo_objective **out, opevo_error *err)
{
    return opevo_i_cli_objective_of_call(NULL, what, on, space, out, err);
}

/* The path from the root, for a file that may be named without its ending; as it is where its
 * folder is not there. */
static void add_path(const char *path, opevo_text *out)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    char *folder = opevo_strndup(path, (size_t)(name - path));
    char *full = folder ? realpath(*folder ? folder : ".", NULL) : NULL;

    if (full && *name)
        opevo_text_printf(out, "%s%s%s", strcmp(full, "/") ? full : "", "/", name);
    else
        opevo_text_add(out, path);
    out->failed = out->failed || !folder;
    opevo_free(folder);
    free(full);
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
    if (opevo_i_cli_is_recorded(on) || opevo_i_cli_looks_like_path(on + length))
        add_path(on + length, &out->on);
    else
        opevo_text_add(&out->on, on + length);
    if (space)
        add_path(space, &out->space);
    if (file) {
        opevo_text_add(&out->what, "@");
        add_path(file, &out->what);
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

void opevo_i_cli_print_ignored(const opevo_objective *objective, opevo_text *out)
{
    size_t ignored = opevo_recorded_ignored(objective);

    if (ignored)
        opevo_text_printf(out, "%zu row%s of the recording %s outside the space and ignored\n",
                          ignored, ignored == 1 ? "" : "s", ignored == 1 ? "is" : "are");
}
