/* SPDX-License-Identifier: GPL-3.0-or-later */

/* help and man, both printed from the tables of verbs and options. */

#include "options_internal.h"
#include "terminal_internal.h"

#include <opevo/text.h>
#include <opevo/version.h>

#include <string.h>
#include <unistd.h>

enum { LINE = 80 };

/* Prose is read, also from a pipe: it has lines there, too. */
static unsigned line_width(void)
{
    unsigned width = opevo_i_cli_terminal_width(STDOUT_FILENO);

    return width ? width : LINE;
}

/* The summary in a column of its own, where that leaves it room: beside what is left of it, or
 * below where that is too long. */
static void print_row(const opevo_text *left, const char *summary, int column, opevo_text *out)
{
    enum { LEAST = 30 };
    unsigned width = line_width();
    bool has_room = width >= (unsigned)column + LEAST;
    bool is_long = left->length >= (size_t)column;
    bool is_whole = is_long && left->length + 1 + strlen(summary) <= width;
    opevo_text lines = {0};
    const char *at = NULL;

    opevo_i_cli_text_add_wrapped(&lines, summary,
                                 has_room && !is_whole ? width - (unsigned)column : 0);
    at = opevo_text_string(&lines);
    if (has_room && is_long && !is_whole)
        opevo_text_printf(out, "%s\n%*s", opevo_text_string(left), column, "");
    else
        opevo_text_printf(out, "%-*s ", column - 1, opevo_text_string(left));
    opevo_text_printf(out, "%.*s\n", (int)strcspn(at, "\n"), at);
    for (at = strchr(at, '\n'); at; at = strchr(at + 1, '\n'))
        opevo_text_printf(out, "%*s%.*s\n", column, "", (int)strcspn(at + 1, "\n"), at + 1);
    out->failed = out->failed || left->failed || lines.failed;
    opevo_text_free(&lines);
}

static void print_option(const opevo_option *option, opevo_text *out)
{
    enum { COLUMN = 25 };
    opevo_text left = {0}, summary = {0};

    opevo_text_printf(&left, "  %s%s%s%s", opevo_i_cli_option_dashes(option), option->name,
                      option->argument ? " " : "", option->argument ? option->argument : "");
    opevo_text_printf(&summary, "%s%s", option->summary,
                      option->repeatable ? " (may be repeated)" : "");
    print_row(&left, opevo_text_string(&summary), COLUMN, out);
    out->failed = out->failed || summary.failed;
    opevo_text_free(&left);
    opevo_text_free(&summary);
}

static void print_verb(const opevo_verb *verb, opevo_text *out)
{
    enum { COLUMN = 14 };
    opevo_text left = {0};

    opevo_text_printf(&left, "  %s", verb->name);
    print_row(&left, verb->summary, COLUMN, out);
    opevo_text_free(&left);
}

/* A paragraph ends at an empty line, and at one that is indented: an example. */
static size_t paragraph_length(const char *text)
{
    size_t length = 0;

    do
        length += strcspn(text + length, "\n") + 1;
    while (text[length - 1] && text[length] && !strchr(" \n", text[length]));
    return length - 1;
}

/* Its words in lines that fit, and that are not longer than one reads well. */
static void print_paragraph(const char *text, size_t length, opevo_text *out)
{
    unsigned width = line_width();
    size_t column = 0;

    width = width < LINE ? width : LINE;
    for (size_t at = 0; at < length; at += strspn(text + at, " \n")) {
        size_t word = strcspn(text + at, " \n");

        if (column) {
            bool fits = column + 1 + word <= width;

            opevo_text_add(out, fits ? " " : "\n");
            column = fits ? column + 1 : 0;
        }
        opevo_text_add_bytes(out, text + at, word);
        column += word;
        at += word;
    }
    opevo_text_add(out, "\n");
}

/* Paragraphs, and examples as they stand. */
static void print_prose(const char *text, opevo_text *out)
{
    while (*text) {
        size_t length = strchr(" \n", *text) ? strcspn(text, "\n") : paragraph_length(text);

        if (strchr(" \n", *text))
            opevo_text_printf(out, "%.*s\n", (int)length, text);
        else
            print_paragraph(text, length, out);
        text += length + (text[length] == '\n');
    }
}

static void print_usage(const opevo_verb *verb, opevo_text *out)
{
    opevo_text_printf(out, "usage: opevo %s%s%s%s\n\n", verb->name, *verb->arguments ? " " : "",
                      verb->arguments, verb->option_count ? " [OPTION]..." : "");
    print_prose(verb->summary, out);
    opevo_text_add(out, verb->details ? "\n" : "");
    print_prose(verb->details ? verb->details : "", out);
    if (verb->option_count)
        opevo_text_add(out, "\noptions:\n");
    for (size_t i = 0; i < verb->option_count; i++)
        print_option(&verb->options[i], out);
}

static opevo_status run_help(const opevo_call *call, opevo_text *out, int *exit_code,
                             opevo_error *err)
{
    const opevo_verb *verb = NULL;

    (void)exit_code;
    if (call->argument_count) {
        opevo_status status = opevo_i_cli_verb_find(call->arguments[0], &verb, err);

        if (status == OPEVO_OK)
            print_usage(verb, out);
        return status;
    }
    opevo_text_add(out, "usage: opevo VERB [WHAT] [OPTION]...\n\n"
                        "A testbed for tuning tensor operators by q-random walks on graphs.\n\n");
    for (size_t i = 0; opevo_i_cli_verbs[i]; i++)
        print_verb(opevo_i_cli_verbs[i], out);
    opevo_text_add(out, "\n");
    print_prose(
        "opevo help VERB, or opevo VERB --help, describes a verb. opevo -V prints the version.",
        out);
    return OPEVO_OK;
}

const opevo_verb opevo_i_cli_verb_help = {
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
        add_roff(out, opevo_i_cli_option_dashes(option));
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
    for (size_t i = 0; opevo_i_cli_verbs[i]; i++)
        add_roff_verb(out, opevo_i_cli_verbs[i]);
    opevo_text_add(
        out, ".SH ENVIRONMENT\n.B COLUMNS\nis the width that sentences and tables are "
             "fitted to, instead of that of the terminal.\n.PP\n.B NO_COLOR\nset and not "
             "empty turns colours off.\n.PP\n.BR LC_ALL \", \" LC_CTYPE \" or \" LANG\n"
             "decides whether characters beyond ASCII are drawn.\n.SH EXIT STATUS\n"
             "0 done; 1 failed: a verification rejected, no trial succeeded, runs of a study are "
             "missing in a merge, the host failed or lacks memory or a driver, or the store was "
             "moved, replaced or deleted; 2 "
             "misused, or a "
             "file cannot be read or written; 130 interrupted. With 1 and 2 a sentence on standard "
             "error or the last lines of the output give the reason.\n");
    return OPEVO_OK;
}

const opevo_verb opevo_i_cli_verb_man = {
    .name = "man",
    .arguments = "",
    .summary = "Print the man page: opevo man | man -l -",
    .prints_data = true,
    .run = run_man,
};
