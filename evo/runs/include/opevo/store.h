/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The run store: one SQLite file for any number of runs. A trial is committed before the tuner is
 * told of it, so measurements survive a kill at any moment. docs/formats/store.md gives the schema.
 * A store belongs to one thread at a time; any number of processes may open one file, and one
 * process at a time writes a run. */

#ifndef OPEVO_STORE_H
#define OPEVO_STORE_H

#include <opevo/api.h>
#include <opevo/text.h>
#include <opevo/tuner.h>

OPEVO_BEGIN_C

typedef struct opevo_store opevo_store;

typedef enum opevo_store_mode {
    OPEVO_STORE_READ,  /* must exist */
    OPEVO_STORE_WRITE, /* created if missing */
    OPEVO_STORE_ALONE  /* the same, refused while another process has it open in this mode */
} opevo_store_mode;

/* Errors: IO; INVALID if the file is not a run store, or is truncated or damaged in a part that was
 * read; MISMATCH if it has another version of the format (the previous one can still be read);
 * NOMEM. A refused file is left unchanged. */
OPEVO_API opevo_status opevo_store_open(const char *path, opevo_store_mode mode, opevo_store **out,
                                        opevo_error *err);
OPEVO_API void opevo_store_close(opevo_store *store);
/* Whether the path still names the file that was opened. Errors: LOST, with a sentence that says
 * where the data are now: in the moved file, in a copy next to the path that this call made of a
 * deleted or replaced file, or nowhere. */
OPEVO_API opevo_status opevo_store_check_place(opevo_store *store, opevo_error *err);
/* Add a sentence on the folder of a store's path, existing or not, if it may be on a network; adds
 * nothing otherwise. There, stores have a rollback journal instead of a write-ahead log. */
OPEVO_API void opevo_store_print_folder(const char *path, opevo_text *out);
/* The path in "STORE:RUN", to be free()d, and the number; the whole text and 0 where no run is
 * named, or where a file has that name. NULL without memory. */
OPEVO_API char *opevo_store_split(const char *text, int64_t *run);
/* Whether a file begins as stores do, as every file of SQLite. */
OPEVO_API bool opevo_store_is(const char *path);
/* As given to open. */
OPEVO_API const char *opevo_store_path(const opevo_store *store);

/* How the objective of a run can be reopened, in the notation of the program that made the run, and
 * its known properties. */
typedef struct opevo_objective_note {
    const char *on, *what; /* NULL: unknown */
    const char *space;     /* path of the space file that it was opened with; NULL: none */
    double optimum;        /* fitness; 0: unknown */
} opevo_objective_note;

/* The identity of a run in a store: the first five members. The others are stored with it. */
typedef struct opevo_run_key {
    const char *objective; /* its name */
    const char *tuner;
    const char *settings; /* opevo_settings_print */
    uint64_t seed;
    const char *budget; /* "" or NULL for a run that a larger budget continues */
    uint64_t objective_signature;
    uint64_t program; /* of the objective; 0: unknown, and not compared */
    const opevo_space *space;
    opevo_domain
        *domain; /* where `space` is NULL; used as long as trials of the run are appended */
    const char *unit;
    const opevo_criterion *criteria; /* of the objective: those after the fitness, more_count */
    size_t more_count;
    bool has_requirements; /* trials may be infeasible */
    opevo_objective_note note;
    const char *call; /* as in opevo_run_options */
} opevo_run_key;

/* Find the run, or create it. Errors: MISMATCH, naming the store and what differs, if a run of the
 * same identity was made by another version, with another space, unit or program, with other
 * criteria, or with another signature of the objective; INVALID for a store opened to read. */
OPEVO_API opevo_status opevo_store_begin_sized(opevo_store *store, const opevo_run_key *key,
                                               size_t size, int64_t *run, opevo_error *err);
static inline opevo_status opevo_store_begin(opevo_store *store, const opevo_run_key *key,
                                             int64_t *run, opevo_error *err)
{
    return opevo_store_begin_sized(store, key, sizeof *key, run, err);
}
/* Look up a run by its number, as in opevo_store_list, and return its number of trials. Errors:
 * INVALID if it does not exist; MISMATCH if it was made on another space. */
OPEVO_API opevo_status opevo_store_find(opevo_store *store, int64_t run, const opevo_space *space,
                                        uint64_t *trials, opevo_error *err);
/* The space of a run, owned by the caller; NULL if it cannot be created here, as where a graph file
 * that it names is missing. Errors: NOMEM. */
OPEVO_API opevo_status opevo_store_space(opevo_store *store, int64_t run, opevo_space **out,
                                         opevo_error *err);
/* The hash of the program that the run measured; 0 if unknown. Errors: IO, NOMEM. */
OPEVO_API opevo_status opevo_store_program(opevo_store *store, int64_t run, uint64_t *hash,
                                           opevo_error *err);
/* Append how the maker of the run was asked for it; nothing if that is unknown. Errors: IO,
 * NOMEM. */
OPEVO_API opevo_status opevo_store_call(opevo_store *store, int64_t run, opevo_text *out,
                                        opevo_error *err);
/* Append the text that is stored with a candidate of the run; nothing for a point of a space, and
 * for a candidate unknown to all runs on this domain. Errors: IO, INVALID for a damaged file. */
OPEVO_API opevo_status opevo_store_candidate(opevo_store *store, int64_t run, opevo_index candidate,
                                             opevo_text *out, opevo_error *err);
/* The criteria of a run after the fitness, at most OPEVO_CRITERIA_MOST - 1; their strings live as
 * long as the store is open. Errors: INVALID for a damaged file. */
OPEVO_API opevo_status opevo_store_criteria(opevo_store *store, int64_t run,
                                            opevo_criterion *criteria, size_t *count,
                                            opevo_error *err);
/* Trials of a run after number `after`, at most `capacity` of them, in order. Samples and messages
 * are not read; origins live as long as the store is open. Errors: INVALID for a damaged file. */
OPEVO_API opevo_status opevo_store_read(opevo_store *store, int64_t run, uint64_t after,
                                        opevo_trial *trials, size_t capacity, size_t *count,
                                        opevo_error *err);
/* The remaining details of a trial of the run: its samples and message, put into the outcome and
 * borrowed until the next use of the store. Cheap for the trial that was read last. Errors: INVALID
 * for a damaged file, NOMEM. */
OPEVO_API opevo_status opevo_store_read_details(opevo_store *store, int64_t run, opevo_trial *trial,
                                                opevo_error *err);
/* Append all trials in one transaction, or none; a run that had ended continues. Errors: IO if the
 * disk is full, or if another process has stored a trial of the same number. */
OPEVO_API opevo_status opevo_store_append(opevo_store *store, int64_t run,
                                          const opevo_trial *trials, size_t count,
                                          opevo_error *err);

/* As opevo_store_append for one measured trial, with the processor times of its samples, which are
 * then elapsed times; NULL if unknown. */
OPEVO_API opevo_status opevo_store_append_windows(opevo_store *store, int64_t run,
                                                  const opevo_trial *trial,
                                                  const double *processor_s, opevo_error *err);
/* Whether processor times are known of some trial of the run. Errors: IO, NOMEM. */
OPEVO_API opevo_status opevo_store_has_windows(opevo_store *store, int64_t run, bool *has,
                                               opevo_error *err);
/* The processor times of the samples of a trial with its details, one for each, borrowed until the
 * next call; NULL if unknown. Errors: INVALID for a damaged file, NOMEM. */
OPEVO_API opevo_status opevo_store_read_windows(opevo_store *store, int64_t run,
                                                const opevo_trial *trial,
                                                const double **processor_s, opevo_error *err);

/* Record why the run ended (opevo_stop_name); "": it continues. Errors: INVALID, IO, NOMEM. */
OPEVO_API opevo_status opevo_store_end(opevo_store *store, int64_t run, const char *stop,
                                       opevo_error *err);

/* The finals of a run: the re-evaluation of its best points side by side. */
typedef struct opevo_stored_finals {
    opevo_index *points; /* the largest index denotes the vendor's library */
    size_t count, rounds;
    double *fitness;    /* count * rounds, point after point */
    opevo_text library; /* its name, or why it was not measured */
} opevo_stored_finals;
/* Replace the finals of the run. Errors: INVALID for a store opened to read. */
OPEVO_API opevo_status opevo_store_put_finals(opevo_store *store, int64_t run,
                                              const opevo_stored_finals *finals, opevo_error *err);
/* The finals of the run, with `count` 0 if it has none; release with opevo_stored_finals_free.
 * Errors: INVALID for a damaged file. */
OPEVO_API opevo_status opevo_store_get_finals(opevo_store *store, int64_t run,
                                              opevo_stored_finals *out, opevo_error *err);
OPEVO_API void opevo_stored_finals_free(opevo_stored_finals *finals);

/* One line for each run, in order of creation. Strings are borrowed during the call of `visit`. */
typedef struct opevo_run_info {
    int64_t run;
    const char *objective, *tuner, *settings, *unit, *started, *version, *best_text;
    const char *on, *what, *space; /* as in opevo_objective_note; "" if unknown */
    uint64_t signature;            /* of the landscape, regardless of topologies that a plan sets */
    uint64_t program;              /* hash of the program that the run measured; 0 if unknown */
    double optimum;                /* NAN if unknown */
    const char *budget;            /* of a run of a study, such as "trials=500"; otherwise "" */
    const char *stop;              /* opevo_stop_name; "" if unknown or not ended */
    uint64_t seed, trials, failed;
    double best_fitness; /* 0 if every trial failed; then best_trial is 0 and best_text "" */
    uint64_t best_trial;
    double cost_s;
    const char *registration; /* hash of the registration that the run is of; "" for none */
    bool registered; /* it has one, which was written before the first trial of the store */
} opevo_run_info;
OPEVO_API opevo_status opevo_store_list(opevo_store *store,
                                        void (*visit)(void *context, const opevo_run_info *info),
                                        void *context, opevo_error *err);
/* The same for the run of that number only. Errors: INVALID if opevo_store_list omits it. */
OPEVO_API opevo_status opevo_store_visit(opevo_store *store, int64_t run,
                                         void (*visit)(void *context, const opevo_run_info *info),
                                         void *context, opevo_error *err);
/* The same for the runs that a study has planned but not started, which opevo_store_list omits. */
OPEVO_API opevo_status opevo_store_list_planned(opevo_store *store,
                                                void (*visit)(void *context,
                                                              const opevo_run_info *info),
                                                void *context, opevo_error *err);
/* What studies registered in a store before they began (opevo_study_registration). */
typedef struct opevo_registration {
    const char *hash;    /* SHA-256 of the text: 64 hexadecimal digits */
    const char *text;    /* canonical JSON */
    const char *plan;    /* absolute path of the plan, which is not part of the text */
    const char *written; /* UTC, as "2026-01-31T12:00:00Z" */
    bool late;           /* the store had a trial then, or the study knew of one elsewhere */
    uint64_t runs;       /* that are of it, begun or not */
} opevo_registration;
/* Visit them in the order in which they were written; strings are borrowed during the call. Errors:
 * those of the file. */
OPEVO_API opevo_status opevo_store_registrations(
    opevo_store *store, void (*visit)(void *context, const opevo_registration *registration),
    void *context, opevo_error *err);
/* Their number. */
OPEVO_API opevo_status opevo_store_planned(opevo_store *store, uint64_t *count, opevo_error *err);

/* ---- Looks ---- */

/* Mark, for good, that the number of seeds of a store was chosen by looking at its runs, so that
 * tests for a fixed number do not hold; and whether it is marked. Errors: IO, INVALID as for any
 * use of the store. */
OPEVO_API opevo_status opevo_store_mark_looked(opevo_store *store, opevo_error *err);
OPEVO_API opevo_status opevo_store_is_looked(opevo_store *store, bool *looked, opevo_error *err);

OPEVO_END_C

#endif
