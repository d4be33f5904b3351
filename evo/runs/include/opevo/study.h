/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A study: many runs, objectives x tuners x settings x topologies x budgets x seeds, from a plan
 * file to a store. docs/formats/study.md describes the file, the numbers of the runs and what a
 * store holds afterwards. */

#ifndef OPEVO_STUDY_H
#define OPEVO_STUDY_H

#include <opevo/api.h>
#include <opevo/run.h>
#include <opevo/store.h>

OPEVO_BEGIN_C

/* ---- The plan ---- */

typedef struct opevo_plan opevo_plan;

/* Read and check a plan file, all but its objectives. Errors: INVALID as "path: key path: ...", or
 * "path:line: ..." for invalid JSON; IO; NOMEM. */
OPEVO_API opevo_status opevo_plan_load(const char *path, opevo_plan **out, opevo_error *err);
/* The same of a text of `size` bytes, which a zero byte follows, as if it stood in the file `path`,
 * which need not exist. */
OPEVO_API opevo_status opevo_plan_parse(const char *text, size_t size, const char *path,
                                        opevo_plan **out, opevo_error *err);
OPEVO_API void opevo_plan_destroy(opevo_plan *plan);

/* One of the keys that say how an objective is measured, with a value of it as a text. */
typedef struct opevo_plan_option {
    char *key, *value;
} opevo_plan_option;

/* An objective as named in the plan; the caller opens it. */
typedef struct opevo_plan_objective {
    const char *on, *what, *space; /* NULL: not given */
    const char *where;             /* its key path, such as "objectives[1]" */
    bool only_recorded;            /* the rows of a recording are all points of its space */
    const opevo_plan_option *options;
    size_t option_count;
} opevo_plan_objective;
OPEVO_API size_t opevo_plan_objective_count(const opevo_plan *plan);
OPEVO_API opevo_plan_objective opevo_plan_objective_get(const opevo_plan *plan, size_t i);

/* ---- The study ---- */

/* All that a run is but its seed. */
typedef struct opevo_study_line {
    opevo_objective *objective;
    opevo_objective_note note; /* borrowed from who opened the objective */
    const opevo_tuner_ops *tuner;
    opevo_setting_value *settings; /* one for each row of the tuner's table */
    char *settings_text;           /* in the store: the settings, then what the plan adds to them */
    const char *settings_more;     /* where that begins, "" when it adds nothing */
    opevo_criteria criteria;       /* what to search by */
    opevo_requirement *requirements;
    size_t requirement_count;
    opevo_budget budget;
    const char *budget_text; /* "trials=500 seconds=30 target=95%"; of a time "target=0.5ms" */
    char *own_budget_text;   /* the same where it is not that of the plan; NULL */
    size_t place;            /* of its objective in the plan */
    bool is_twin;            /* of a plan with "null": the line before once more, on other seeds */
} opevo_study_line;

/* A twin has its seeds this much higher than its line, so that no random stream is shared, and this
 * word in its settings, so that stores tell the two apart. */
#define OPEVO_TWIN_SEEDS (UINT64_C(1) << 40)
#define OPEVO_TWIN_WORD "null=1"

/* Run number k, counted from 0, is line k % line_count with seed k / line_count: more seeds, and
 * lines added at the end of the first seeds, leave the numbers of what was there. */
typedef struct opevo_study {
    opevo_study_line *lines;
    size_t line_count;
    uint64_t *seeds;
    size_t seed_count;
    opevo_plan *plan;           /* owned */
    opevo_objective **reshaped; /* objectives with topologies of the plan; owned */
    size_t reshaped_count;
    double plan_alpha;  /* of the plan's "analysis": probability of any false verdict; 0: none */
    double until_alpha; /* of a study whose seeds are added until pairs are resolved; otherwise 0 */
} opevo_study;

/* The opened objective for the same index in the plan; the caller owns it, and it must outlive the
 * study. */
typedef struct opevo_study_objective {
    opevo_objective *objective;
    opevo_objective_note note;
} opevo_study_objective;

/* Expand the plan, which the study then owns; on failure it stays the caller's. Objectives are
 * the slowest, then tuners, settings (in the order of their keys, the last one fastest),
 * topologies, budgets; with "null" each line is followed by its twin. Each tuner is created once
 * on each space, so that no run fails for what could be known before.
 *
 * Errors: INVALID, as opevo_plan_load, for a setting that the tuner refuses on a space, a tuner,
 * topologies or start points that need one on an objective without, a topology that no parameter
 * has, a target in % of an unknown optimum, two runs that are the same;
 * LIMIT for more than 2^40 runs; NOMEM. */
OPEVO_API opevo_status opevo_study_create(opevo_plan *plan, const opevo_study_objective *objectives,
                                          opevo_study **out, opevo_error *err);
OPEVO_API void opevo_study_destroy(opevo_study *study);
OPEVO_API uint64_t opevo_study_run_count(const opevo_study *study);
/* Have `count` seeds, at least as many as there are, which count on from the last. Errors: INVALID
 * if those of the plan do not ascend by one, or would reach those of twins; LIMIT for more than
 * 2^40 runs; NOMEM. */
OPEVO_API opevo_status opevo_study_extend(opevo_study *study, size_t count, opevo_error *err);
/* The seed of run `number`, counted from 0. */
OPEVO_API uint64_t opevo_study_seed(const opevo_study *study, uint64_t number);

/* What a study registers: canonical JSON of the program with version and build, of the plan (keys
 * in order, no blanks), of each objective with its signature, the hash of its program and the
 * SHA-256 of each file that it is read from, by the last part of its path, of the seeds as ranges,
 * and of the rule by which seeds are added. Equal for equal runs wherever the files are.
 * opevo_study_run writes it with its SHA-256 into the store before the first trial. Errors: IO for
 * a file that cannot be read; NOMEM. */
OPEVO_API opevo_status opevo_study_registration(const opevo_study *study, opevo_text *out,
                                                opevo_error *err);

/* A share of the runs: with L combinations and M the least common multiple of L and `count`, those
 * numbers k for which (k + floor(k / M)) % count is `index`. So shares differ by at most one run,
 * and of the first `count` seeds, the next `count` and so on each has each combination once. */
typedef struct opevo_shard {
    uint32_t index, count; /* index from 0; count 1: all runs */
} opevo_shard;
OPEVO_API bool opevo_shard_has(opevo_shard shard, const opevo_study *study, uint64_t number);

/* ---- Running ---- */

typedef struct opevo_study_progress {
    uint64_t runs;   /* of this call: to do in all */
    uint64_t done;   /* of them, ended */
    uint64_t trials; /* of those */
} opevo_study_progress;

typedef struct opevo_study_options {
    const char *store; /* path */
    const char *known; /* path of another store: what it has is not run again; NULL: none */
    opevo_shard shard; /* {0, 0} is {0, 1} */
    unsigned threads;  /* 0: one a processor */
    /* Called before the first run and after each, by one thread at a time; may be NULL. */
    void (*progress)(void *context, const opevo_study_progress *progress);
    void *progress_context;
    /* Called for each trial of a measured run, as in opevo_run_options; may be NULL. */
    void (*observer)(void *context, const opevo_study_line *line, uint64_t seed,
                     const opevo_trial *trial, bool resumed);
    void *observer_context;
    uint64_t give_up;                 /* of measured runs, as in opevo_run_options */
    const opevo_interrupt *interrupt; /* may be NULL */
    const size_t *line_seeds; /* of each line, how many of the seeds to run; NULL: all of them */
} opevo_study_options;

typedef struct opevo_study_result {
    uint64_t runs;    /* of the shard */
    uint64_t present; /* of them, ended before */
    uint64_t ran;     /* of them, ended now */
    uint64_t trials;  /* of those that ran now, stored ones not counted */
    unsigned threads;
    uint64_t
        fruitless;    /* measured runs of the shard that ended, now or before, without a success */
    uint64_t gave_up; /* of them, those that gave up */
    double wall_s, busy_s; /* of the computed runs; busy_s is processor time of their threads */
    bool interrupted;
    uint64_t unrecorded; /* of the trials, those of computed runs that were UNRECORDED */
} opevo_study_result;

/* Do what the store does not have yet. Runs of concurrent objectives on spaces are computed on all
 * threads and committed whole by one writer, several times a second: a kill loses what was not
 * committed. The others follow one after the other, as opevo_run does them. What is in the
 * store afterwards does not depend on threads, kills or resumptions.
 *
 * Errors: those of opevo_store_open (ALONE), opevo_run, and MISMATCH for a store whose runs of the
 * same name were made otherwise. What was committed is kept. */
OPEVO_API opevo_status opevo_study_run_sized(const opevo_study *study,
                                             const opevo_study_options *options, size_t size,
                                             opevo_study_result *result, opevo_error *err);
static inline opevo_status opevo_study_run(const opevo_study *study,
                                           const opevo_study_options *options,
                                           opevo_study_result *result, opevo_error *err)
{
    return opevo_study_run_sized(study, options, sizeof *options, result, err);
}

/* The best fitness of each of these runs within the trials of its budget, 0 if all failed; NAN if
 * the store has not the whole run. Errors: those of the store; MISMATCH as opevo_study_run. */
OPEVO_API opevo_status opevo_study_best(const opevo_study *study, opevo_store *store,
                                        const uint64_t *numbers, size_t count, double *best,
                                        opevo_error *err);

/* Join stores of shards into one. After it the store has what one process would have written,
 * number for number; once more changes nothing. */
typedef struct opevo_merge_result {
    uint64_t runs;          /* of the plan */
    uint64_t added;         /* runs that came from a source now, or got longer */
    uint64_t present;       /* of the plan, ended, after the call */
    uint64_t first_missing; /* number of the first run that is not, counted from 0 */
    size_t empty; /* sources without tables: their makers have just begun, or were killed then */
} opevo_merge_result;
/* Errors: IO, INVALID and MISMATCH as opevo_store_open; MISMATCH when two stores have different
 * trials of one run. A source that is refused leaves what the sources before it gave. */
OPEVO_API opevo_status opevo_study_merge(const opevo_study *study, const char *store,
                                         const char *const *sources, size_t source_count,
                                         opevo_merge_result *result, opevo_error *err);

/* How long the runs will take that a store does not have, from a random sample of them that is run
 * for about `spend_s` seconds, with the 95 % confidence interval of the mean (Student); the same
 * sample each time. Measured objectives are not run: what they need is counted apart. */
typedef struct opevo_study_estimate {
    uint64_t runs, present; /* of the shard; of them, in the store */
    uint64_t measured;      /* to do on objectives that are measured; not in the seconds */
    uint64_t sampled;
    double seconds, low,
        high; /* of wall time on `threads` threads; exact 0 where nothing is left */
} opevo_study_estimate;
/* Writes nothing; a store that is not there yet is empty. Errors: as opevo_study_run. */
OPEVO_API opevo_status opevo_study_estimate_time_sized(const opevo_study *study,
                                                       const opevo_study_options *options,
                                                       size_t size, double spend_s,
                                                       opevo_study_estimate *out, opevo_error *err);
static inline opevo_status opevo_study_estimate_time(const opevo_study *study,
                                                     const opevo_study_options *options,
                                                     double spend_s, opevo_study_estimate *out,
                                                     opevo_error *err)
{
    return opevo_study_estimate_time_sized(study, options, sizeof *options, spend_s, out, err);
}

OPEVO_END_C

#endif
