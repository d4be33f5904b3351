/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Stores as a study: their runs, the landscapes and contenders that they are of, and their courses,
 * as opevo_study_analyse takes them. Several stores count as one; a run that more than one of them
 * has counts once. */

#ifndef OPEVO_STORED_STUDY_H
#define OPEVO_STORED_STUDY_H

#include <opevo/front.h>
#include <opevo/store.h>
#include <opevo/study_analysis.h>

OPEVO_BEGIN_C

/* How a landscape can be opened again; "" where not known. */
typedef struct opevo_stored_landscape {
    char *name, *unit, *on, *what, *space;
    char *label;        /* the name, and what tells it from others of that name */
    uint64_t signature; /* the same for all topologies of a plan */
    uint64_t program;   /* hash of the program that was measured; 0 where not known */
    double optimum;     /* NAN where not known */
    opevo_fitness_table table;
    bool has_table;
} opevo_stored_landscape;

typedef struct opevo_stored_contender {
    char *tuner, *settings, *budget;
    char *label;  /* the tuner, and what tells it from others of that name */
    bool in_time; /* users may call the fitness of all of its runs the time */
} opevo_stored_contender;

/* What was found of the criteria of the runs on a landscape. */
typedef struct opevo_landscape_front {
    opevo_front front; /* over all runs; the origins of its members are labels of contenders */
    opevo_front_box box;
    /* Values of every so many-th successful trial, in the order of the runs. */
    double (*sample)[OPEVO_CRITERIA_MOST];
    size_t sample_count, sample_every;
    uint64_t successes;
    opevo_criterion criteria[OPEVO_CRITERIA_MOST - 1];
    char *unit;         /* of results */
    opevo_space *space; /* NULL where it cannot be made here */
} opevo_landscape_front;

/* Where a run stands among the stores. */
typedef struct opevo_stored_run {
    size_t store;        /* place in `stores` */
    int64_t run;         /* its number there */
    uint64_t key;        /* hash of objective, tuner, settings, seed and budget */
    uint64_t trials;     /* how many that store has of it */
    size_t registration; /* place in `registrations`, plus 1; 0: none */
    bool registered;     /* it was registered before the first trial of its store */
    bool is_twin;        /* of a plan with "null" */
} opevo_stored_run;

/* What studies registered before they began (opevo_study_registration). */
typedef struct opevo_stored_registration {
    char *hash, *text, *plan, *written; /* as in opevo_registration */
    bool late;
    uint64_t runs; /* of the study that are of it */
} opevo_stored_registration;

/* Most stores of one study, each of which takes up to three open files. */
enum { OPEVO_STORED_STUDY_MOST = 256 };

/* A plain value: start from {0}, and free it. What is there is to be read. */
typedef struct opevo_stored_study {
    opevo_store **stores; /* opened to read, in the order of the call's arguments */
    size_t store_count;
    opevo_stored_landscape *landscapes;
    opevo_stored_contender *contenders;
    opevo_stored_run *stored; /* of each run */
    opevo_analysed_run *runs;
    uint64_t (*outcomes)[OPEVO_OUTCOME_CLASS_COUNT]; /* of each run: trials by class */
    opevo_text versions; /* of the program that made runs, a line each */
    size_t landscape_count, contender_count, run_count;
    size_t twin_count; /* runs of twins: once assembled, these are the last, behind run_count */
    size_t landscape_capacity, contender_capacity, run_capacity, stored_capacity;
    opevo_stored_registration *registrations;
    size_t registration_count, registration_capacity;
    struct opevo_i_standing *standing; /* of each contender on each landscape */
    opevo_text chosen;                 /* options that were not registered; empty: none */
    size_t empty;                      /* runs without a trial, left out */
    uint64_t planned;                  /* runs that a study has not begun */
    opevo_landscape_front *fronts;     /* of each landscape; NULL: none */
    const char *criteria_words;        /* as given, with fronts */
    opevo_text notes;                  /* lines for the reader: what is left out, and why */
    /* What `study` points to. */
    opevo_study_landscape *shown;
    const char **labels;
    opevo_analysed_study study;
} opevo_stored_study;

typedef struct opevo_names {
    const char *const *names;
    size_t count;
} opevo_names;

typedef struct opevo_stored_study_options {
    opevo_names stores; /* paths, at most OPEVO_STORED_STUDY_MOST */
    /* The runs that are wanted, those of all where nothing is named: by the name of the landscape,
     * or what stands in it after a colon, by tuner, and by budget ("trials=500"). */
    opevo_names landscapes, tuners, budgets;
    unsigned threads; /* 0: all processors */
    /* Called now and then while runs are read, from one thread; may be NULL. */
    void (*progress)(void *context, size_t done, size_t of);
    void *progress_context;
} opevo_stored_study_options;

/* Read the runs that are wanted; none may be left, and then `planned` says how many a study has not
 * begun. Runs without a trial are left out. What is there is to be freed, also on failure. Errors:
 * MISMATCH if the same run has different trials in two stores; those of the stores; NOMEM. Cost:
 * every trial is read once. */
OPEVO_API opevo_status opevo_stored_study_read(const opevo_stored_study_options *options,
                                               opevo_stored_study *out, opevo_error *err);
OPEVO_API void opevo_stored_study_free(opevo_stored_study *study);
/* The store that has a run of the study. */
OPEVO_API opevo_store *opevo_stored_study_store(const opevo_stored_study *study, size_t run);

/* Evaluate a landscape whole, for its optimum, for exact random search and for scores. Errors:
 * MISMATCH, with a sentence that begins in lower case, where the objective is not what the runs
 * were made on; LIMIT for more than 2^25 points; what the objective reports. */
OPEVO_API opevo_status opevo_stored_landscape_evaluate(opevo_stored_landscape *landscape,
                                                       opevo_objective *objective, unsigned threads,
                                                       opevo_error *err);
/* Have landscapes of one name whose points are the same, so that only neighbours differ, become
 * one. */
OPEVO_API void opevo_stored_study_join(opevo_stored_study *study);
/* Label the contenders by the settings that not all of their tuner share. Contenders that differ in
 * their space files alone, and of which no landscape has runs of two, become one before. Errors:
 * NOMEM. */
OPEVO_API opevo_status opevo_stored_study_name_contenders(opevo_stored_study *study,
                                                          opevo_error *err);
/* Make the course of each run that of the hypervolume of the front of these criteria, such as
 * "time,energy", after the contenders have labels: as a share of the box from the worst to the best
 * value of each among all trials on a landscape. `names` must outlive the study. Errors: MISMATCH
 * for runs that lack one, or have different ones on one landscape; those of the stores. */
OPEVO_API opevo_status opevo_stored_study_fronts(const char *names, opevo_stored_study *study,
                                                 opevo_error *err);
/* Fill `study`, at the end. Errors: NOMEM. */
OPEVO_API opevo_status opevo_stored_study_assemble(opevo_stored_study *study, opevo_error *err);

/* Note an option of the analysis that decides what is compared, such as "at" with "50,100". Where a
 * registration does not name it with the same value under "analysis" of its plan, all comparisons
 * are exploratory. After opevo_stored_study_read. Errors: NOMEM. */
OPEVO_API opevo_status opevo_stored_study_choose(opevo_stored_study *study, const char *option,
                                                 const char *value, opevo_error *err);
/* Why a comparison of two contenders on a landscape is exploratory, as the end of a sentence; NULL
 * for one that was registered: all its runs are of one registration, which was written before the
 * first trial, all runs of the study have ended, and no option was chosen. After
 * opevo_stored_study_assemble. */
OPEVO_API const char *opevo_stored_study_exploratory(const opevo_stored_study *study,
                                                     size_t landscape, size_t a, size_t b);
/* The same of all runs, as a line for the reader. */
OPEVO_API void opevo_stored_study_print_standing(const opevo_stored_study *study, opevo_text *out);

/* `length` bytes of the settings of a run as they are shown: its store calls criterion 0 the
 * fitness, and users the time if results follow from one: `in_time`. */
OPEVO_API void opevo_settings_show(const char *settings, size_t length, bool in_time,
                                   opevo_text *out);

OPEVO_END_C

#endif
