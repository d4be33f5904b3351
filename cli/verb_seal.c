/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Seal: make a recording a file that opens for evaluation only, and read the log of one. */

#include "options_internal.h"
#include "terminal_internal.h"

#include <opevo/json.h>
#include <opevo/sealed.h>

static const opevo_option options[] = {
    {"out", "FILE", "the sealed file to write, such as conv.sealed", false},
    {"log", NULL, "print the entries of the log of a sealed file, a line of JSON each", false},
    {"json", NULL, "print one JSON object", false},
};

static opevo_status seal(const opevo_call *call, const char *target, opevo_text *out,
                         opevo_error *err)
{
    const char *path = call->arguments[0];
    opevo_status status = opevo_sealed_create(path, target, err);

    if (status == OPEVO_OK)
        opevo_text_printf(out, "written to %s; keep %s from those who tune on it\n", target, path);
    return status;
}

static void print_json(const opevo_sealed_log *log, opevo_text *out)
{
    opevo_text_add(out, "{");
    opevo_json_string(out, "name", log->name);
    opevo_json_bool(out, "altered", log->altered);
    opevo_json_index(out, "looks", log->looks);
    opevo_json_index(out, "looks_after_copies", log->copies);
    opevo_json_string(out, "log_head", log->head);
    opevo_text_add(out, "}\n");
}

static void print_text(const char *path, const opevo_sealed_log *log, opevo_text *out)
{
    opevo_text_add_visible(out, path);
    if (log->altered)
        opevo_text_add(out, ": its content or its log was altered\n");
    else
        opevo_text_printf(out,
                          ": %llu look%s, %llu of them after it was copied or moved\n"
                          "the log ends with %s\n",
                          (unsigned long long)log->looks, log->looks == 1 ? "" : "s",
                          (unsigned long long)log->copies, log->head);
}

static opevo_status run(const opevo_call *call, opevo_text *out, int *exit_code, opevo_error *err)
{
    const char *path = call->arguments[0], *target = opevo_i_cli_option(call, "out");
    opevo_sealed_log log;
    opevo_status status = OPEVO_OK;

    if (target)
        return opevo_i_cli_flag(call, "log") || opevo_i_cli_flag(call, "json")
                   ? OPEVO_FAIL(err, OPEVO_INVALID,
                                "--out seals a recording; --log and --json are for a sealed file.")
                   : seal(call, target, out, err);
    if (!opevo_sealed_is(path))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s is not sealed: name the file to write with --out.", path);
    if (opevo_i_cli_flag(call, "log"))
        return opevo_sealed_print_log(path, out, err);
    OPEVO_TRY(opevo_sealed_read_log(path, &log, err));
    if (opevo_i_cli_flag(call, "json"))
        print_json(&log, out);
    else
        print_text(path, &log, out);
    if (log.altered)
        *exit_code = OPEVO_EXIT_FAILED;
cleanup:
    return status;
}

const opevo_verb opevo_i_cli_verb_seal = {
    .name = "seal",
    .arguments = "FILE",
    .arguments_min = 1,
    .arguments_max = 1,
    .summary = "Seal a recording: it opens for evaluation only, and logs each look.",
    .details =
        "  opevo seal conv.csv.xz --out conv.sealed\n"
        "  opevo tune --on sealed:conv.sealed --trials 100 --store runs.db\n"
        "  opevo seal conv.sealed\n"
        "  opevo seal conv.sealed --log\n\n"
        "A sealed landscape answers the trials of a tuner, and nothing else: it is neither\n"
        "listed nor analysed, and its optimum is not told. Each opening is an entry in a log\n"
        "within the file, which opevo analyze counts. docs/claims.md says what the log can\n"
        "show and what it cannot.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
