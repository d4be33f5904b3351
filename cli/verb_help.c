/* SPDX-License-Identifier: GPL-3.0-or-later */

/* help and man, both printed from the tables of verbs and options. */

#include "cli_internal.h"

#include <string.h>
#include <unistd.h>

/* The summary in a column of its own, where that leaves it room. */
static void print_option(const opevo_option *option, unsigned width, opevo_text *out)
{
    enum { COLUMN = 25, LEAST = 30 };
    opevo_text left = {0}, summary = {0}, lines = {0};
    const char *at = NULL;

    opevo_text_printf(&left, "  %s%s%s%s", opevo_i_option_dashes(option), option->name,
                      option->argument ? " " : "", option->argument ? option->argument : "");
    opevo_text_printf(&summary, "%s%s", option->summary,
                      option->repeatable ? " (may be repeated)" : "");
    opevo_i_text_add_wrapped(&lines, opevo_text_string(&summary),
                             width >= COLUMN + LEAST && left.length < COLUMN ? width - COLUMN : 0);
    at = opevo_text_string(&lines);
    opevo_text_printf(out, "%-*s %.*s\n", COLUMN - 1, opevo_text_string(&left),
                      (int)strcspn(at, "\n"), at);
    for (at = strchr(at, '\n'); at; at = strchr(at + 1, '\n'))
        opevo_text_printf(out, "%*s%.*s\n", COLUMN, "", (int)strcspn(at + 1, "\n"), at + 1);
    out->failed = out->failed || left.failed || summary.failed || lines.failed;
    opevo_text_free(&left);
    opevo_text_free(&summary);
    opevo_text_free(&lines);
}

static void print_usage(const opevo_verb *verb, opevo_text *out)
{
    opevo_text_printf(out, "usage: opevo %s%s%s%s\n\n%s\n", verb->name, *verb->arguments ? " " : "",
                      verb->arguments, verb->option_count ? " [OPTION]..." : "", verb->summary);
    if (verb->details)
        opevo_text_printf(out, "\n%s\n", verb->details);
    if (verb->option_count)
        opevo_text_add(out, "\noptions:\n");
    for (size_t i = 0; i < verb->option_count; i++)
        print_option(&verb->options[i], opevo_i_terminal_width(STDOUT_FILENO), out);
}

static opevo_status run_help(const opevo_call *call, opevo_text *out, int *exit_code,
                             opevo_error *err)
{
    const opevo_verb *verb = NULL;

    (void)exit_code;
    if (call->argument_count) {
        opevo_status status = opevo_i_verb_find(call->arguments[0], &verb, err);

        if (status == OPEVO_OK)
            print_usage(verb, out);
        return status;
    }
    opevo_text_add(out, "usage: opevo VERB [WHAT] [OPTION]...\n\n"
                        "A testbed for tuning tensor operators by q-random walks on graphs.\n\n");
    for (size_t i = 0; opevo_i_verbs[i]; i++)
        opevo_text_printf(out, "  %-11s %s\n", opevo_i_verbs[i]->name, opevo_i_verbs[i]->summary);
    opevo_text_add(out, "\nopevo help VERB, or opevo VERB --help, describes a verb. opevo -V "
                        "prints the version.\n");
    return OPEVO_OK;
}

const opevo_verb opevo_i_verb_help = {
    .name = "help",
    .arguments = "[VERB]",
    .arguments_max = 1,
    .summary = "Show help for opevo or for one verb.",
    .run = run_help,
};

/* Text for troff: backslashes and dashes literal, no line that looks like a request. */
static void add_roff(opevo_text *out, const char *text)
{
    for (const char *at = text; *at; at++) {
        if (*at == '\\')
            opevo_text_add(out, "\\e");
        else if (*at == '-')
            opevo_text_add(out, "\\-");
        else if ((*at == '.' || *at == '\'') && (at == text || at[-1] == '\n'))
            opevo_text_printf(out, "\\&%c", *at);
        else
            opevo_text_add_bytes(out, at, 1);
    }
}

static void add_roff_verb(opevo_text *out, const opevo_verb *verb)
{
    opevo_text_printf(out, ".SS opevo %s ", verb->name);
    add_roff(out, verb->arguments);
    opevo_text_add(out, "\n");
    add_roff(out, verb->summary);
    opevo_text_add(out, "\n");
    if (verb->details) {
        opevo_text_add(out, ".PP\n.nf\n");
        add_roff(out, verb->details);
        opevo_text_add(out, "\n.fi\n");
    }
    for (size_t i = 0; i < verb->option_count; i++) {
        const opevo_option *option = &verb->options[i];

        opevo_text_add(out, ".TP\n\\fB");
        add_roff(out, opevo_i_option_dashes(option));
        add_roff(out, option->name);
        opevo_text_add(out, "\\fR ");
        add_roff(out, option->argument ? option->argument : "");
        opevo_text_add(out, "\n");
        add_roff(out, option->summary);
        opevo_text_add(out, "\n");
    }
}

static opevo_status run_man(const opevo_call *call, opevo_text *out, int *exit_code,
                            opevo_error *err)
{
    (void)call;
    (void)exit_code;
    (void)err;
    opevo_text_add(out, ".TH OPEVO 1 \"\" \"opevo " OPEVO_VERSION "\"\n.SH NAME\n"
                        "opevo \\- tune tensor operators by q\\-random walks on graphs\n"
                        ".SH SYNOPSIS\n.B opevo\nVERB [WHAT] [OPTION]...\n.SH VERBS\n");
    for (size_t i = 0; opevo_i_verbs[i]; i++)
        add_roff_verb(out, opevo_i_verbs[i]);
    opevo_text_add(
        out, ".SH ENVIRONMENT\n.B COLUMNS\nis the width that sentences and tables are "
             "fitted to, instead of that of the terminal.\n.PP\n.B NO_COLOR\nset and not "
             "empty turns colours off.\n.PP\n.BR LC_ALL \", \" LC_CTYPE \" or \" LANG\n"
             "decides whether characters beyond ASCII are drawn.\n.SH EXIT STATUS\n"
             "0 done; 1 failed: a verification rejected, no trial succeeded, runs of a study are "
             "missing in a merge, the host failed, or the store was moved, replaced or deleted; 2 "
             "misused, or a "
             "file cannot be read or written; 130 interrupted. With 1 and 2 a sentence on standard "
             "error or the last lines of the output give the reason.\n");
    return OPEVO_OK;
}

const opevo_verb opevo_i_verb_man = {
    .name = "man",
    .arguments = "",
    .summary = "Print the man page: opevo man | man -l -",
    .prints_data = true,
    .run = run_man,
};
