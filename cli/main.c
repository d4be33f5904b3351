/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The program opevo. A verb parses and checks everything, then acts; what it has for stdout is
 * written at the end, so that bad input leaves nothing half written. Exit status: 0 done,
 * 1 it was tried and failed, 2 misused, or a file cannot be read or written, 130 interrupted. */

#include "manifest_of_call_internal.h"
#include "options_internal.h"
#include "style_internal.h"
#include "terminal_internal.h"

#include <opevo/closest.h>
#include <opevo/text.h>
#include <opevo/version.h>

#include <cblas.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const opevo_verb *const opevo_i_cli_verbs[] = {
    &opevo_i_cli_verb_law,        &opevo_i_cli_verb_verify,
    &opevo_i_cli_verb_space,      &opevo_i_cli_verb_computation,
    &opevo_i_cli_verb_sketch,     &opevo_i_cli_verb_tune,
    &opevo_i_cli_verb_resume,     &opevo_i_cli_verb_best,
    &opevo_i_cli_verb_evolve,     &opevo_i_cli_verb_edits,
    &opevo_i_cli_verb_network,    &opevo_i_cli_verb_study,
    &opevo_i_cli_verb_runs,       &opevo_i_cli_verb_analyze,
    &opevo_i_cli_verb_report,     &opevo_i_cli_verb_watch,
    &opevo_i_cli_verb_reproduce,  &opevo_i_cli_verb_portfolio,
    &opevo_i_cli_verb_tuners,     &opevo_i_cli_verb_learn,
    &opevo_i_cli_verb_landscape,  &opevo_i_cli_verb_seal,
    &opevo_i_cli_verb_record,     &opevo_i_cli_verb_emit,
    &opevo_i_cli_verb_prove,      &opevo_i_cli_verb_judge,
    &opevo_i_cli_verb_devices,    &opevo_i_cli_verb_serve,
    &opevo_i_cli_verb_help,       &opevo_i_cli_verb_man,
    &opevo_i_cli_verb_completion, NULL,
};

opevo_status opevo_i_cli_verb_find(const char *name, const opevo_verb **out, opevo_error *err)
{
    opevo_closest closest = {.word = name};

    for (size_t i = 0; opevo_i_cli_verbs[i]; i++) {
        if (!strcmp(opevo_i_cli_verbs[i]->name, name)) {
            *out = opevo_i_cli_verbs[i];
            return OPEVO_OK;
        }
        opevo_closest_offer(&closest, opevo_i_cli_verbs[i]->name);
    }
    if (closest.found)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Unknown verb \"%.60s\"; did you mean %s?", name,
                          closest.found);
    return OPEVO_FAIL(err, OPEVO_INVALID, "Unknown verb \"%.60s\"; see opevo help.", name);
}

/* What a verb printed, with everything escaped that could steer a terminal: names, messages and
 * notes may come from anywhere. Colours are the program's own, on a terminal only. */
static void make_safe(const opevo_text *out, bool terminal, opevo_text *safe)
{
    const char *at = opevo_text_string(out), *end = at + out->length;

    while (at < end) {
        bool visible = true;
        size_t length = opevo_text_character(at, &visible);
        size_t colour = terminal ? opevo_i_cli_colour_length(at) : 0;
        char one[8] = "";

        length = colour ? colour : length;
        if (visible || colour || *at == '\n' || *at == '\t') {
            opevo_text_add_bytes(safe, at, length);
        } else {
            memcpy(one, at, length);
            opevo_text_add_visible(safe, one);
        }
        at += length;
    }
}

/* Whether the call prints what a program reads; otherwise it is for a person. --space is a flag of
 * what prints a space, and has a value where one is read. */
static bool prints_data(const opevo_call *call)
{
    return call->verb->prints_data || opevo_i_cli_flag(call, "json") ||
           opevo_i_cli_flag(call, "csv") || opevo_i_cli_flag(call, "latex") ||
           opevo_i_cli_flag(call, "print") ||
           (opevo_i_cli_flag(call, "space") && !opevo_i_cli_option(call, "space"));
}

/* All that is not data keeps to the width of the terminal here. */
static bool write_out(const opevo_call *call, const opevo_text *out, opevo_error *err)
{
    opevo_text safe = {0};
    opevo_text wrapped = {0};
    const opevo_text *shown = prints_data(call) ? &safe : &wrapped;
    bool written = false;

    make_safe(out, isatty(STDOUT_FILENO), &safe);
    if (shown == &wrapped)
        opevo_i_cli_text_add_wrapped(&wrapped, opevo_text_string(&safe),
                                     opevo_i_cli_terminal_width(STDOUT_FILENO));
    if (safe.failed || wrapped.failed)
        opevo_error_set(err, OPEVO_NOMEM, "No memory for the output.");
    else if (fwrite(opevo_text_string(shown), 1, shown->length, stdout) == shown->length &&
             fflush(stdout) == 0)
        written = true;
    else
        opevo_error_set(err, OPEVO_IO, "Standard output: %s.", strerror(errno));
    opevo_text_free(&safe);
    opevo_text_free(&wrapped);
    return written;
}

static int run_verb(const opevo_verb *verb, int argc, char **argv)
{
    opevo_error err = {OPEVO_OK, ""};
    opevo_call call;
    opevo_text out = {0};
    int exit_code = OPEVO_EXIT_OK;
    opevo_status status = opevo_i_cli_call_parse(verb, argc, argv, &call, &err);

    if (status == OPEVO_OK) {
        opevo_i_cli_manifest_begin(&call);
        status = verb->run(&call, &out, &exit_code, &err);
        if (status == OPEVO_OK)
            status = opevo_text_check(&out, &err);
        if (status == OPEVO_OK && verb->has_manifest && opevo_i_cli_flag(&call, "json"))
            status = opevo_i_cli_manifest_add(&out, &err);
        if (status == OPEVO_OK && !write_out(&call, &out, &err))
            status = err.status;
        opevo_i_cli_manifest_begin(NULL);
        opevo_i_cli_call_free(&call);
    }
    opevo_text_free(&out);
    if (status == OPEVO_OK)
        return exit_code;
    opevo_i_cli_print_error(verb->name, err.message);
    if (status == OPEVO_INTERRUPTED)
        return OPEVO_EXIT_SIGINT;
    return status == OPEVO_LOST || status == OPEVO_FAULT || status == OPEVO_NOMEM
               ? OPEVO_EXIT_FAILED
               : OPEVO_EXIT_MISUSED;
}

int main(int argc, char **argv)
{
    const opevo_verb *verb = NULL;
    opevo_error err = {OPEVO_OK, ""};

    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error, as a full disk is */
    /* Threads are ours to hand out; a spinning second BLAS thread only costs. */
    openblas_set_num_threads(1);
    if (argc < 2) {
        fputs("opevo: A verb is missing; opevo help lists the verbs.\n", stderr);
        return OPEVO_EXIT_MISUSED;
    }
    if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
        puts("opevo " OPEVO_VERSION);
        if (fflush(stdout) == 0)
            return OPEVO_EXIT_OK;
        fprintf(stderr, "opevo: Standard output: %s.\n", strerror(errno));
        return OPEVO_EXIT_MISUSED;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
        return run_verb(&opevo_i_cli_verb_help, 0, argv);
    if (opevo_i_cli_verb_find(argv[1], &verb, &err)) {
        opevo_i_cli_print_error("", err.message);
        return OPEVO_EXIT_MISUSED;
    }
    for (int i = 2; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
            return run_verb(&opevo_i_cli_verb_help, 1, argv + 1);
    }
    return run_verb(verb, argc - 2, argv + 2);
}
