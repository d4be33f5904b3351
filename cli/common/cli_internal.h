/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the verbs share: the option tables, from which parsing, help, man page and completion are
 * made; the resolution of what a user names; tables and the progress line. */

#ifndef OPEVO_CLI_INTERNAL_H
#define OPEVO_CLI_INTERNAL_H

#include <opevo/finals.h>
#include <opevo/front.h>
#include <opevo/interrupt.h>
#include <opevo/json.h>
#include <opevo/landscape.h>
#include <opevo/law.h>
#include <opevo/live.h>
#include <opevo/live_starts.h>
#include <opevo/pipeline.h>
#include <opevo/run.h>
#include <opevo/run_curve.h>
#include <opevo/schedule.h>
#include <opevo/space.h>
#include <opevo/start_list.h>
#include <opevo/version.h>
#include <opevo/workload.h>

/* 1 is also what a verification that rejects returns. */
enum { OPEVO_EXIT_OK = 0, OPEVO_EXIT_FAILED = 1, OPEVO_EXIT_MISUSED = 2, OPEVO_EXIT_SIGINT = 130 };

/* ---- Options (options.c) --------------------------------------------------------------------- */

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
    bool prints_data; /* what it prints is not for a person, and lines are left as they are */
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

extern const opevo_verb opevo_i_cli_verb_best, opevo_i_cli_verb_resume, opevo_i_cli_verb_sketch,
    opevo_i_cli_verb_analyze, opevo_i_cli_verb_completion, opevo_i_cli_verb_computation,
    opevo_i_cli_verb_devices, opevo_i_cli_verb_edits, opevo_i_cli_verb_emit,
    opevo_i_cli_verb_evolve, opevo_i_cli_verb_help, opevo_i_cli_verb_landscape,
    opevo_i_cli_verb_law, opevo_i_cli_verb_network, opevo_i_cli_verb_man, opevo_i_cli_verb_record,
    opevo_i_cli_verb_report, opevo_i_cli_verb_runs, opevo_i_cli_verb_serve, opevo_i_cli_verb_space,
    opevo_i_cli_verb_study, opevo_i_cli_verb_tune, opevo_i_cli_verb_tuners, opevo_i_cli_verb_verify;
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

/* ---- What a user names (objective_spec.c) ---------------------------------------------------- */

/* A parameter needs a name, and sentences about it begin with that; but a user who wrote only
 * "factor(8,3)" gave none. Such a parameter is called x, and this is the sentence without it. */
const char *opevo_i_cli_unnamed(const char *message);
/* A parameter from text such as "factor(8,3)"; topology may be NULL. */
opevo_status opevo_i_cli_parameter_of(const char *text, const char *topology, opevo_parameter **out,
                                      opevo_error *err);
/* A space by a parameter ("factor(8,3)"), an operator, a space file, "recorded:[FILE]" or
 * "only-recorded:[FILE]". */
opevo_status opevo_i_cli_space_of(const char *what, opevo_space **out, opevo_error *err);
/* Whether the text is "recorded:[FILE]" or "only-recorded:[FILE]", a recording whose rows are all
 * of its space. */
bool opevo_i_cli_is_recorded(const char *on);
/* What --on says, or `on` where it is given, as "only-recorded:[FILE]" with --only-recorded; in
 * `text`, which the caller frees. NULL where nothing says it. Errors: INVALID for --only-recorded
 * with anything else than a recording. */
opevo_status opevo_i_cli_on_of_call(const opevo_call *call, const char *on, opevo_text *text,
                                    const char **out, opevo_error *err);
#define OPEVO_I_ONLY_RECORDED_OPTION                                                               \
    {                                                                                              \
        "only-recorded", NULL, "recordings: the rows are the whole space", false                   \
    }
/* An objective: `on` is recorded (above) or "cmd:PROGRAM" (then `what` is NULL), or "sim:DEVICE",
 * "cpu", "cuda:N" or "hip:N" (then it is what opevo_i_cli_workload_of takes, for sim an operator);
 * `space` is a space file for a recorded
 * landscape, a program or kernels, or NULL. */
opevo_status opevo_i_cli_objective_of(const char *what, const char *on, const char *space,
                                      opevo_objective **out, opevo_error *err);
/* The same with the options of live objectives of a call, which has OPEVO_I_LIVE_OPTIONS. */
opevo_status opevo_i_cli_objective_of_call(const opevo_call *call, const char *what, const char *on,
                                           const char *space, opevo_objective **out,
                                           opevo_error *err);
#define OPEVO_I_OBJECTIVES "recorded:[FILE], sim:DEVICE, cmd:PROGRAM, cpu, cuda:N or hip:N"

/* A computation by a file ("@FILE" or a path), a name, an operator or a text
 * (computation_spec.c). */
opevo_status opevo_i_cli_computation_of(const char *what, opevo_computation **out,
                                        opevo_error *err);
/* The same for what kernels compute: operators stay operators, also beside a file of that name. */
opevo_status opevo_i_cli_workload_of(const char *what, opevo_workload **out, opevo_error *err);
/* The path that is read for it; NULL: none. */
const char *opevo_i_cli_workload_file(const char *what);
/* An operator, for `user` ("--on sim:mi50"), who takes no other computations. */
opevo_status opevo_i_cli_operator_of(const char *what, const char *user, opevo_operator *out,
                                     opevo_error *err);

/* ---- Live objectives (live_options.c) ---- */

/* A row beside the following for a verb that has no other threads. */
#define OPEVO_I_KERNEL_THREADS_OPTION                                                              \
    {                                                                                              \
        "threads", "N",                                                                            \
            "cpu and cmd: threads of a kernel (default 1; 0: all cores), of a program", false      \
    }

/* Rows for the workers of a verb that measures. */
#define OPEVO_I_WORKERS_OPTIONS                                                                    \
    {"workers", "COMMAND",                                                                         \
     "measure through this worker, such as 'ssh host opevo-worker cpu'; 8*'ssh node%d "            \
     "opevo-worker cpu' for eight",                                                                \
     true},                                                                                        \
        {"workers-from", "COMMAND",                                                                \
         "measure through workers that this starts, such as 'srun -n16 opevo-worker cpu', and "    \
         "that connect to opevo",                                                                  \
         false},                                                                                   \
        {"workers-address", "ADDRESS",                                                             \
         "where they connect to: HOST:PORT, * for all of this host, or a path for a Unix "         \
         "socket (default: loopback, or for srun, mpirun and ssh this host's address)",            \
         false},                                                                                   \
        {"worker-timeout", "S", "time limit of a worker's start (default 300 s)", false},          \
    {                                                                                              \
        "mixed-devices", NULL, "workers may measure the trials of one run on several devices",     \
            false                                                                                  \
    }
/* Rows for the option table of a verb that measures. */
#define OPEVO_I_LIVE_OPTIONS                                                                       \
    {"result", "HOW",                                                                              \
     "cmd: how to read the result: ms:/REGEX/, gflops:json:PATH, ... (default s:wall); of a "      \
     "recording without description: ms:COLUMN",                                                   \
     false},                                                                                       \
        {"build", "COMMAND",                                                                       \
         "cmd: makes the program of a trial first, such as 'cc -DX={X} s.c -o {out}'", false},     \
        {"name", "NAME", "cmd: name of the objective in stores (default: the command)", false},    \
        {"criterion", "NAME[,UNIT][,larger]:WHERE",                                                \
         "another number: cmd: error:json:err; kernels: build_time, code_size or energy", true},   \
        {"flop", "N", "cmd: floating-point operations of one execution", false},                   \
        {"exit", "STATUS=CLASS", "cmd: what an exit status means, such as 3=rejected", true},      \
        {"repeats", "N", "cmd: executions for each trial (default 1)", false},                     \
        {"timeout", "S", "time limit of one execution (default: cmd 60 s, kernels 5 s)", false},   \
        OPEVO_I_WORKERS_OPTIONS,                                                                   \
        {"template", "NAME", "kernels: template (default: the operator's first), or sketch",       \
         false},                                                                                   \
        {"scratch", "MIB",                                                                         \
         "cpu, sketches: memory of a kernel beside its operands (default: 256, or what all "       \
         "tensors take)",                                                                          \
         false},                                                                                   \
        {"cold", NULL, "kernels: flush the caches before each execution", false},                  \
        {"precision", "P",                                                                         \
         "kernels: sample until the interval of the median is within P percent (default 2)",       \
         false},                                                                                   \
    {                                                                                              \
        "build-timeout", "S", "time limit of one build (default: cmd 120 s, kernels 30 s)", false  \
    }

/* The dialect of kernels for "cpu", "cuda:0" or such; false for anything else. */
bool opevo_i_cli_dialect_of(const char *device, opevo_kernel_dialect *out);
/* The same for exactly "cpu", "cuda:N" and "hip:N", N from 0 to 1023, which --on names. Errors:
 * INVALID. */
opevo_status opevo_i_cli_device_of(const char *device, opevo_kernel_dialect *out, opevo_error *err);
/* The row of a verb that searches. */
#define OPEVO_I_SLOWER_OPTION                                                                      \
    {                                                                                              \
        "slower", "FACTOR",                                                                        \
            "kernels: stop one that is FACTOR times slower than the best so far (default 10; 0: "  \
            "never)",                                                                              \
            false                                                                                  \
    }

/* The row of that name of both; NULL for an unknown name. */
const opevo_option *opevo_i_cli_live_option(const char *name);
opevo_status opevo_i_cli_live_program(const opevo_call *call, const char *command,
                                      const char *space, opevo_objective **out, opevo_error *err);
/* What a call, which may be NULL, says of how kernels are measured; `list` is to be freed, also on
 * failure. */
opevo_status opevo_i_cli_live_options_of(const opevo_call *call, const char *device,
                                         opevo_live_options *out, const char ***list,
                                         opevo_error *err);
/* --threads of a kernel, `fallback` without it; 0: all cores, which are known of this host only. */
opevo_status opevo_i_cli_kernel_threads(const opevo_call *call, uint64_t fallback,
                                        unsigned *threads, opevo_error *err);
/* Before live objectives are opened: a launcher of workers may wait in a queue for long. */
void opevo_i_cli_catch_while_waiting(const opevo_live_options *options);
/* Say on stderr which sketches no point of can pass. */
void opevo_i_cli_say_beyond_limit(const opevo_kernel_maker *maker);
/* `device` is "cpu", "cuda:0" or such; `space` is a space file with a part of the template's, or
 * NULL.
 */
opevo_status opevo_i_cli_live_kernels(const opevo_call *call, const char *device, const char *space,
                                      const opevo_workload *work, opevo_objective **out,
                                      opevo_error *err);

/* ---- Finals (finals_of_call.c) ---- */

/* From --finals, --rounds and --library. */
opevo_status opevo_i_cli_finals_read(const opevo_call *call, const opevo_objective *objective,
                                     opevo_finals **out, opevo_error *err);
/* Nothing where they did not run. `space` may be NULL: points are then printed as numbers. */
void opevo_i_cli_finals_print(const opevo_finals *finals, const opevo_space *space,
                              const char *unit, opevo_text *out);
/* Likewise as a member "finals" of the JSON object being written; null where they were interrupted.
 */
void opevo_i_cli_finals_print_json(const opevo_finals *finals, const opevo_space *space,
                                   const char *unit, opevo_text *out);

/* ---- Files that a verb writes (output_file.c) ---- */

/* Before the work, so that a typing mistake costs neither it nor a file: refuse a folder, and a
 * file without `mark` in its first 4 KiB, which opevo did not write. Devices, pipes and empty files
 * are taken. */
opevo_status opevo_i_cli_check_output(const char *option, const char *path, const char *mark,
                                      opevo_error *err);

/* ---- A kernel as files (emitted_files.c) ---- */

/* Refuse a folder that has files of a kernel of this dialect, named by option --OPTION, and make it
 * if `make`. */
opevo_status opevo_i_cli_kernel_folder_prepare(const char *option, const char *folder,
                                               opevo_kernel_dialect dialect, bool make,
                                               opevo_error *err);
opevo_status opevo_i_cli_kernel_folder_write(const char *folder, opevo_kernel_dialect dialect,
                                             const opevo_text *files, opevo_error *err);

/* For the folder of --emit, NULL without it: refuse an objective without kernels and a folder that
 * has such files, and make the folder unless the run is a dry one. */
opevo_status opevo_i_cli_kernel_files_prepare(const opevo_call *call, const char *folder,
                                              const opevo_objective *objective, opevo_error *err);
/* Write the kernel of a point, measured by what --on says, into the folder. */
opevo_status opevo_i_cli_kernel_files_write(const char *folder, const char *on,
                                            const opevo_objective *objective, opevo_index point,
                                            double fitness, opevo_error *err);

/* Whether a text ends as the name of a table does. */
bool opevo_i_cli_is_table(const char *text);
/* Whether a text that may name a thing or a file is meant as a file. */
bool opevo_i_cli_looks_like_path(const char *text);

/* How a store says that the objective can be opened again: `on` and `space` with their paths from
 * the root, so that it does not matter from where. Release with opevo_i_cli_note_free. */
typedef struct opevo_note_texts {
    opevo_text what, on, space;
    opevo_objective_note note; /* points into the texts, and to `what` unless that is a file */
} opevo_note_texts;
opevo_status opevo_i_cli_note_of(const char *what, const char *on, const char *space,
                                 const opevo_optimum *optimum, opevo_note_texts *out,
                                 opevo_error *err);
void opevo_i_cli_note_free(opevo_note_texts *texts);

/* Say on stderr, where every trial was one of a point without a row, that nothing was found out;
 * *exit_code is then that of a failure. */
void opevo_i_cli_judge_replay(const opevo_call *call, uint64_t trials, uint64_t unrecorded,
                              int *exit_code);

/* Say how many rows of a recording a space file left out, if any. */
void opevo_i_cli_print_ignored(const opevo_objective *objective, opevo_text *out);

/* ---- Start points (starts_of_call.c) ---- */

#define OPEVO_I_START_OPTIONS                                                                      \
    {"start", "POINT",                                                                             \
     "measure this first: a configuration, STORE:RUN, FILE of a schedule, default, or none",       \
     true},                                                                                        \
    {                                                                                              \
        "transfer", "STORE", "measure the best points of its runs with other extents first", false \
    }

/* From --start and --transfer: the points of --start in their order, that of the objective unless
 * one is `none`, and the transferred ones; nothing without these options. Release what is there
 * with opevo_live_starts_free. Errors: INVALID naming the option; those of files and stores;
 * NOMEM. */
opevo_status opevo_i_cli_starts_read(const opevo_call *call, const opevo_objective *objective,
                                     opevo_live_starts *starts, opevo_error *err);
/* The words of these options, which borrow from the call; `list` is to be freed. Errors: NOMEM. */
opevo_status opevo_i_cli_start_words(const opevo_call *call, opevo_start_words *out,
                                     const char ***list, opevo_error *err);

/* ---- The launcher of a cluster (launcher.c) ---- */

/* A number from the environment, `fallback` if it is not set. Errors: INVALID. */
opevo_status opevo_i_cli_launcher_number(const char *name, uint64_t fallback, uint64_t *out,
                                         opevo_error *err);
/* The place of this process among those that mpirun or srun started. Where both are there, mpirun
 * was started last. A batch script itself is no step, though it is told how many tasks there could
 * be. Errors: INVALID. */
opevo_status opevo_i_cli_launcher_rank(uint64_t *index, uint64_t *count, const char **by,
                                       opevo_error *err);
/* Whether it is one of several. Where one of them ends with another status than 0, mpirun, and srun
 * if asked to, kill the others. */
bool opevo_i_cli_is_one_of_several(void);

/* ---- The store that a call writes (store_of_call.c) ---- */

/* Say on stderr what is to be known of the folder of a store; nothing for a local one. */
void opevo_i_cli_tell_folder(const char *verb, const char *path);
/* The store of --store, NULL without it and in a dry run. */
opevo_status opevo_i_cli_store_of_call(const opevo_call *call, opevo_store **out, opevo_error *err);

/* ---- Trials to learn from (earlier_of_call.c) ---- */

/* Append the trials of one run, given as STORE:RUN; `named` is how the user named it: "--learn".
 * Errors: INVALID for a tuner that cannot learn, with those that can; those of the store. */
opevo_status opevo_i_cli_earlier_add(opevo_earlier *self, const char *named, const char *text,
                                     const opevo_tuner_ops *tuner, const opevo_space *space,
                                     opevo_error *err);

/* ---- A law as it is printed (law_rows.c) ---- */

/* One row: a vertex, or all vertices that a symmetry makes equal. */
typedef struct opevo_i_cli_law_row {
    opevo_law_class class;
    size_t place; /* in the order of the law, to sort ties */
} opevo_i_cli_law_row;
/* Rows by value, or by class for a set too large to list; the caller's. */
opevo_status opevo_i_cli_law_rows_make(const opevo_law *law, opevo_i_cli_law_row **out,
                                       size_t *count, bool *by_class, opevo_error *err);
/* Upper bound of the 1-norm between the exact law and the decimals in which --csv and JSON have it,
 * itself as it is printed by opevo_text_add_double. */
double opevo_i_cli_law_printed_bound(const opevo_law *law);
/* The members of the JSON object being written that say what a law is; each row in its own line
 * where `line_end` is a line feed, all in one where it is "". */
void opevo_i_cli_law_json(const opevo_law *law, const opevo_i_cli_law_row *rows, size_t count,
                          bool by_class, const char *line_end, opevo_text *out);

/* ---- Tuners ---- */

/* The tuner of --tuner, or else the usual one, and its settings after `defaults`, as
 * opevo_settings_default_on has them, and --set; the values are the caller's, also on failure
 * (tuner_of_call.c). */
opevo_status opevo_i_cli_tuner_of_call(const opevo_call *call, const char *usual,
                                       const opevo_tuner_default *defaults,
                                       const opevo_tuner_ops **tuner, opevo_setting_value **values,
                                       opevo_error *err);
/* The settings again, with the batch of so many workers among the defaults: opevo_settings_widen.
 */
opevo_status opevo_i_cli_settings_of_call(const opevo_call *call, const opevo_tuner_ops *tuner,
                                          const opevo_tuner_default *defaults, size_t workers,
                                          opevo_setting_value *values, opevo_error *err);
/* The value of --set KEY=VALUE; NULL where the key is not set. */
const char *opevo_i_cli_setting_of_call(const opevo_call *call, const char *key);
/* A sentence where the tuner leaves some of the workers idle. */
void opevo_i_cli_print_idle(const opevo_tuner_ops *tuner, const opevo_setting_value *values,
                            size_t workers, opevo_text *out);
/* Those of --require; they are the caller's, also on failure. */
opevo_status opevo_i_cli_requirements_of_call(const opevo_call *call,
                                              const opevo_objective *objective,
                                              opevo_requirement **out, size_t *count,
                                              opevo_error *err);

/* One JSON object in one line (tuner_json.c). */
void opevo_i_cli_tuner_json(const opevo_tuner_ops *tuner, opevo_text *out);

/* ---- The library and the features of a tuner (tuner_library.c); nothing where it has none */

/* " with XGBoost 3.0.0" */
void opevo_i_cli_add_library(const opevo_tuner_ops *tuner, opevo_text *out);
void opevo_i_cli_add_library_json(const opevo_tuner_ops *tuner, opevo_text *out);
/* A line where this version computes other results than those tested. */
void opevo_i_cli_print_library_note(const opevo_tuner_ops *tuner, opevo_text *out);
/* A line where a cost model of programs sees the parameters, as the objective has no features. */
void opevo_i_cli_print_features_note(const opevo_tuner_ops *tuner, const opevo_objective *objective,
                                     opevo_text *out);

/* ---- The terminal (terminal.c) --------------------------------------------------------------- */

/* What the environment says by COLUMNS, or else the columns of the terminal on this descriptor; 0,
 * which is no limit wherever a function takes a width, if it is not a terminal: what is piped is
 * searched and cut by lines. */
unsigned opevo_i_cli_terminal_width(int descriptor);

/* "opevo VERB: sentence" on stderr; what the sentence quotes cannot steer a terminal. */
void opevo_i_cli_print_error(const char *verb, const char *sentence);

/* ---- How text looks (style.c) ---- */

/* Whether the locale (LC_ALL, LC_CTYPE or LANG, the first that is set) lets characters beyond ASCII
 * be printed. */
bool opevo_i_cli_unicode(void);

/* Whether the terminal of the environment (TERM) takes escape sequences. */
bool opevo_i_cli_has_escapes(void);

typedef enum opevo_style { OPEVO_STYLE_STRONG, OPEVO_STYLE_GOOD, OPEVO_STYLE_BAD } opevo_style;
/* Append a text in a style where the descriptor is a terminal that has them and NO_COLOR is not
 * set; otherwise as it is. */
void opevo_i_cli_text_add_styled(opevo_text *out, int descriptor, opevo_style style,
                                 const char *text);

/* Length of a sequence that sets a style, as the above writes it; 0 if none exists. */
size_t opevo_i_cli_colour_length(const char *at);

/* Append a text whose lines are broken at blanks where they are wider; the rest of a line is
 * indented by two more. Lines do not end in blanks. What a verb prints is wrapped by main.c, unless
 * it is data. */
void opevo_i_cli_text_add_wrapped(opevo_text *out, const char *text, unsigned width);

/* A table of texts. Where it is wider than the terminal, the last `below` columns stand below each
 * row, broken at blanks; where the others are too wide as well, each row is printed as a list of
 * its fields. A table whose rows are compared with each other stays one as far as it can: rows with
 * the same first cell stand under it, and columns that have no room beside the others below
 * them. */
typedef struct opevo_table {
    const char *const *heads; /* a head that starts with '<' is aligned left */
    size_t columns;
    size_t below;
    bool compared;
    char **cells; /* row after row, owned */
    size_t count;
    size_t capacity;
    bool failed;
} opevo_table;

void opevo_i_cli_table_cell(opevo_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Append to `out` and release the cells. */
opevo_status opevo_i_cli_table_print(opevo_table *table, unsigned width, opevo_text *out,
                                     opevo_error *err);
/* Release the cells of a table that is not printed. */
void opevo_i_cli_table_free(opevo_table *table);
/* 1234567 as "1,234,567". */
void opevo_i_cli_text_add_grouped(opevo_text *out, opevo_index value);
/* An upper bound, at least 0, by two significant digits, rounded up: what is printed is a bound,
 * too. */
void opevo_i_cli_text_add_bound(opevo_text *out, double bound);
/* "LOW to HIGH": bounds of a number, the lower one rounded down and the upper one up, by
 * %.<digits>f where the form is 'f', by %.<digits>g where it is 'g'. */
void opevo_i_cli_text_add_interval(opevo_text *out, char form, int digits, double low, double high);
/* The end of the noun behind a count: "s", or nothing behind 1. */
static inline const char *opevo_i_cli_plural(opevo_index count)
{
    return count == 1 ? "" : "s";
}
/* The name of an objective for display: that of kernels, which may hold the whole text of a
 * computation, ends after 120 characters in "...". */
void opevo_i_cli_text_add_objective(opevo_text *out, const char *name);

/* ---- A run as a drawing (curve.c) ---- */

/* The best fitness over the trials of a run, filled from 0 to the larger of best and optimum, which
 * is 0 where it is not known; why not for a run without success or a width below 30 columns; a
 * width of 0 means 80. */
void opevo_i_cli_curve_print(const opevo_run_curve *curve, double optimum, const char *unit,
                             unsigned width, opevo_text *out);

/* ---- Criteria (criteria_of_call.c) ---- */

/* What the origins of the members of a front are: words of no interest here, labels of contenders,
 * or seeds. */
typedef enum opevo_i_cli_origin {
    OPEVO_I_ORIGIN_HIDDEN,
    OPEVO_I_ORIGIN_TUNER,
    OPEVO_I_ORIGIN_SEED
} opevo_i_cli_origin;

/* A front with the words of its criteria. */
typedef struct opevo_i_cli_shown_front {
    const opevo_front *front;        /* sorted */
    const opevo_criterion *criteria; /* of the objective after the fitness */
    const char *unit;                /* of results */
    const opevo_space *space;        /* NULL where it cannot be made here */
    opevo_i_cli_origin origins;      /* what the origins of the members are */
} opevo_i_cli_shown_front;
/* A table of the members; a list of objects in JSON. */
opevo_status opevo_i_cli_front_print(const opevo_i_cli_shown_front *self, unsigned width,
                                     opevo_text *out, opevo_error *err);
void opevo_i_cli_front_json(const opevo_i_cli_shown_front *self, opevo_text *out);
/* The chosen criteria, each with the best value and the worst, which is the reference point. */
void opevo_i_cli_front_json_criteria(const opevo_i_cli_shown_front *self,
                                     const opevo_front_box *box, opevo_text *out);

/* The criteria that a user chose, "time,energy", as "time, energy". */
void opevo_i_cli_criteria_show(const char *names, opevo_text *out);
/* A list of them in JSON: [{"name": "energy", "unit": "J", "better": "smaller"}]. */
void opevo_i_cli_json_criteria(const opevo_criterion *criteria, size_t count, opevo_text *out);

/* ---- Progress (terminal.c) ---- */

/* A line on stderr that is rewritten at most ten times a second, and only on a terminal. */
typedef struct opevo_progress {
    bool active;
    bool plain; /* the terminal takes no escape sequences */
    double started_s, drawn_s;
    double given; /* share of the work that was there already, which says nothing of the pace */
    unsigned width;
} opevo_progress;

void opevo_i_cli_progress_start(opevo_progress *progress, bool quiet);
/* Whether it is time to draw; `done` in [0, 1] is for the estimate of the time left. */
bool opevo_i_cli_progress_due(opevo_progress *progress);
void opevo_i_cli_progress_draw(opevo_progress *progress, double done, const char *text);
/* Make room in its line for another message. */
void opevo_i_cli_progress_clear(const opevo_progress *progress);
void opevo_i_cli_progress_end(opevo_progress *progress);

/* Raised by SIGINT and SIGTERM once opevo_i_cli_catch_interrupts was called. */
extern opevo_interrupt opevo_i_cli_interrupted;
void opevo_i_cli_catch_interrupts(void);

#endif
