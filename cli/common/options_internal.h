/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The option tables of verbs, from which parsing, help, man page and completion are made. */

#ifndef OPEVO_CLI_OPTIONS_INTERNAL_H
#define OPEVO_CLI_OPTIONS_INTERNAL_H

#include <opevo/text.h>

/* 1 is also what a verification that rejects returns. */
enum { OPEVO_EXIT_OK = 0, OPEVO_EXIT_FAILED = 1, OPEVO_EXIT_MISUSED = 2, OPEVO_EXIT_SIGINT = 130 };

typedef struct opevo_option {
    const char *name;     /* without the two dashes; or such as "-o", with its one */
    const char *argument; /* what it takes, such as "N"; NULL for a flag */
    const char *summary;  /* one line, with the default */
    bool repeatable;
} opevo_option;

typedef struct opevo_call opevo_call;

typedef struct opevo_verb {
    const char *name;
    const char *arguments; /* usage of what stands before the options: "[WHAT]" */
    size_t arguments_min, arguments_max;
    const char *summary; /* one line */
    const char *details; /* paragraphs for `opevo help VERB` and the man page */
    const opevo_option *options;
    size_t option_count;
    bool prints_data;  /* what it prints is not for a person, and lines are left as they are */
    bool has_manifest; /* what it prints with --json can be computed again, and says how */
    /* Everything for stdout goes to `out`, which is written when the verb returns OPEVO_OK.
     * *exit_code is OPEVO_EXIT_OK on entry. */
    opevo_status (*run)(const opevo_call *call, opevo_text *out, int *exit_code, opevo_error *err);
} opevo_verb;

typedef struct opevo_given {
    const opevo_option *option;
    const char *value; /* NULL for a flag */
} opevo_given;

/* A parsed command line; strings are those of argv. */
struct opevo_call {
    const opevo_verb *verb;
    const char **arguments;
    size_t argument_count;
    opevo_given *given;
    size_t given_count;
};

extern const opevo_verb opevo_i_cli_verb_best, opevo_i_cli_verb_prove, opevo_i_cli_verb_resume,
    opevo_i_cli_verb_sketch, opevo_i_cli_verb_analyze, opevo_i_cli_verb_completion,
    opevo_i_cli_verb_computation, opevo_i_cli_verb_devices, opevo_i_cli_verb_edits,
    opevo_i_cli_verb_emit, opevo_i_cli_verb_evolve, opevo_i_cli_verb_help, opevo_i_cli_verb_judge,
    opevo_i_cli_verb_landscape, opevo_i_cli_verb_law, opevo_i_cli_verb_learn,
    opevo_i_cli_verb_network, opevo_i_cli_verb_man, opevo_i_cli_verb_record,
    opevo_i_cli_verb_report, opevo_i_cli_verb_portfolio, opevo_i_cli_verb_reproduce,
    opevo_i_cli_verb_runs, opevo_i_cli_verb_seal, opevo_i_cli_verb_serve, opevo_i_cli_verb_space,
    opevo_i_cli_verb_study, opevo_i_cli_verb_tune, opevo_i_cli_verb_tuners, opevo_i_cli_verb_verify,
    opevo_i_cli_verb_watch;
extern const opevo_verb *const opevo_i_cli_verbs[]; /* ends with NULL */
/* Errors: INVALID with the verb that was probably meant. */
opevo_status opevo_i_cli_verb_find(const char *name, const opevo_verb **out, opevo_error *err);
/* Parse argv[0 .. argc - 1], the words after the verb; release with opevo_i_cli_call_free. */
opevo_status opevo_i_cli_call_parse(const opevo_verb *verb, int argc, char **argv, opevo_call *call,
                                    opevo_error *err);
void opevo_i_cli_call_free(opevo_call *call);
/* The option that a word of a command line names, with or without its value; NULL for none. */
const opevo_option *opevo_i_cli_option_find(const opevo_verb *verb, const char *word);
/* What stands before the name on a command line: two dashes, or nothing where it has its own. */
const char *opevo_i_cli_option_dashes(const opevo_option *option);
/* Value of the last option of that name, NULL when it was not given; and whether a flag was. */
const char *opevo_i_cli_option(const opevo_call *call, const char *name);
bool opevo_i_cli_flag(const opevo_call *call, const char *name);
/* The values of a repeatable option, in the order given, borrowed from the call, which may be NULL;
 * release the array. Errors: NOMEM. */
opevo_status opevo_i_cli_option_all(const opevo_call *call, const char *name, const char ***out,
                                    size_t *count, opevo_error *err);
/* The option as a number in its domain, `fallback` when it was not given. The sentence names the
 * option and the domain. */
opevo_status opevo_i_cli_option_count(const opevo_call *call, const char *name, uint64_t fallback,
                                      uint64_t min, uint64_t max, uint64_t *out, opevo_error *err);
opevo_status opevo_i_cli_option_q(const opevo_call *call, double *out, opevo_error *err);
/* A positive real number; 0 when it was not given. */
opevo_status opevo_i_cli_option_positive(const opevo_call *call, const char *name, double *out,
                                         opevo_error *err);

#endif
