/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the verb tune is asked to do and has done, and how it is said. */

#ifndef OPEVO_CLI_TUNE_INTERNAL_H
#define OPEVO_CLI_TUNE_INTERNAL_H

#include "kernels_of_run_internal.h"
#include "objective_spec_internal.h"
#include "options_internal.h"
#include "portfolio_cli_internal.h"
#include "reasons_internal.h"
#include "terminal_internal.h"

#include <opevo/finals.h>
#include <opevo/front.h>
#include <opevo/live_starts.h>
#include <opevo/portfolio_crossing.h>
#include <opevo/run_curve.h>
#include <opevo/scheduler.h>
#include <opevo/store_groups.h>

/* Of one run with --criteria. */
typedef struct opevo_i_cli_run_front {
    opevo_front front; /* the origins of its members are the seed */
    opevo_front_box box;
    double volume; /* in the box of all runs */
    bool failed;   /* no memory */
    char seed[24];
} opevo_i_cli_run_front;

/* What the prover says of a finalist: its exit status, and its answers in JSON, one a line. */
typedef struct opevo_i_cli_tune_proof {
    opevo_index point;
    uint64_t trial;
    int code;
    opevo_text text;
} opevo_i_cli_tune_proof;

typedef struct opevo_i_cli_tuning {
    const char *verb; /* that messages begin with */
    opevo_objective *objective;
    opevo_optimum optimum;
    opevo_run_options run;
    opevo_setting_value *settings;
    opevo_text settings_text;
    opevo_text batch_text; /* "batch=4": decided by their number; empty: by the call, or none */
    bool widened;          /* beyond the default of the tuner */
    uint64_t runs;
    unsigned threads;
    bool live;
    bool draws_curve; /* and has `curve` whole: false once there was no memory for it */
    const char *on;
    opevo_text on_text;
    opevo_note_texts note;
    const opevo_call *call; /* whose specification the store keeps */
    opevo_text call_text;   /* that */
    opevo_earlier earlier;  /* to learn from */
    opevo_live_starts starts;
    opevo_run_result *results; /* one for each run */
    opevo_progress progress;
    opevo_finals *finals;
    opevo_i_cli_tune_proof *proofs; /* NULL without --prove */
    size_t proof_count;
    opevo_i_cli_kernels kernels; /* of the run, also those that its store has proofs of */
    opevo_i_cli_reasons
        *reasons;    /* one for each run where it is observed: it is alone, or measured */
    uint64_t failed; /* what the progress line of a single run shows */
    double best, cost_s;
    opevo_finalist best_samples; /* of a program: the best trial so far by its samples */
    opevo_trial start;           /* the analytic default, without samples; number 0: none */
    opevo_run_curve curve;
    opevo_requirement *requirements;
    const char *criteria_words;    /* of --criteria; NULL without it */
    opevo_i_cli_run_front *fronts; /* one for each run; NULL without --criteria */
    opevo_front front;             /* of all runs, and its volume in the box of their trials */
    double volume;
    double roof; /* of the device, for a kernel of the user; 0: none is known */
} opevo_i_cli_tuning;

/* Read what concerns one objective, but no budget; `what` and `space` may be NULL, and so may `on`
 * for that of the call. Release with opevo_i_cli_tune_free, also on failure. */
opevo_status opevo_i_cli_tune_read(const opevo_call *call, const char *what, const char *on,
                                   const char *space, opevo_i_cli_tuning *self, opevo_error *err);
/* The same with budget, earlier trials and store, of a call of one task. */
opevo_status opevo_i_cli_tune_read_run(const opevo_call *call, opevo_i_cli_tuning *self,
                                       opevo_error *err);
/* What the store is told of how a run was asked for: also the batch, so that it is continued as the
 * same search on any number of workers. */
void opevo_i_cli_tune_print_call(const opevo_i_cli_tuning *self, uint64_t seed, opevo_text *out);
void opevo_i_cli_tune_free(opevo_i_cli_tuning *self); /* but not the store */
/* Take the batch of the workers among the default settings (tune_workers.c). */
opevo_status opevo_i_cli_tune_widen(const opevo_call *call, opevo_i_cli_tuning *self,
                                    opevo_error *err);
/* "batch=4" where the number of workers decides it; nothing where the call does, or for a tuner
 * without such a setting. */
void opevo_i_cli_print_batch(const opevo_call *call, const opevo_tuner_ops *tuner,
                             const opevo_setting_value *settings, opevo_text *out);
/* Say on stderr what the workers change of a run, whose batch is as printed above, and how many of
 * them will be idle. */
void opevo_i_cli_tell_batch(const char *verb, const opevo_objective *objective,
                            const opevo_run_options *run, const char *batch);
/* Say on stderr that the first measurement, of the task that is named if one is, waits for a
 * reference result that takes a minute or more. */
void opevo_i_cli_tell_reference(const char *verb, const char *task,
                                const opevo_objective *objective);
/* Say on stderr where workers were not what was asked for, and, of runs that have ended, where
 * others measured them before. */
void opevo_i_cli_tell_run_workers(const char *verb, const opevo_objective *objective,
                                  opevo_store *store, const opevo_run_result *results,
                                  uint64_t count);
/* --target: a number, or a share of the optimum in percent; 0 where it was not given. */
opevo_status opevo_i_cli_tune_parse_target(const opevo_call *call, double *value, bool *share,
                                           opevo_error *err);

void opevo_i_cli_tune_print_settings(const opevo_i_cli_tuning *self, opevo_text *out);
void opevo_i_cli_tune_print_json(const opevo_i_cli_tuning *self, opevo_text *out);
/* The settings as one object. */
void opevo_i_cli_tune_print_json_settings(const opevo_i_cli_tuning *self, opevo_text *out);
/* Its members. */
void opevo_i_cli_tune_add_json_settings(const opevo_i_cli_tuning *self, opevo_text *out);
/* The members of a single run of the JSON object being written. */
void opevo_i_cli_tune_add_json(const opevo_i_cli_tuning *self, opevo_text *out);
/* ", 3 failed = 1.5 % (2 timeout, 1 wrong)" */
void opevo_i_cli_tune_print_failures(const opevo_run_result *result, opevo_text *out);
/* Of a single run; `store` may be NULL. */
void opevo_i_cli_tune_print_result(const opevo_i_cli_tuning *self, const char *store,
                                   opevo_text *out);
/* Of several. Errors: NOMEM. */
opevo_status opevo_i_cli_tune_print_results(const opevo_i_cli_tuning *self, opevo_text *out,
                                            opevo_error *err);

/* ---- What comes of it (tune_result.c) ---- */

/* Count a failure of a run; of a device it is said at once how a trial is the first to fail.
 * `which` as in opevo_i_cli_reasons_tell. */
void opevo_i_cli_tune_note_failure(opevo_i_cli_tuning *self, size_t run, const char *which,
                                   const opevo_trial *trial, bool resumed);
/* That into a folder. What was measured is printed also when that fails. */
void opevo_i_cli_tune_emit(const opevo_i_cli_tuning *self, const char *folder, int *exit_code);
/* What was measured is printed also when it is not in the store. */
void opevo_i_cli_tune_check_store(const char *verb, opevo_store *store, int *exit_code);

/* ---- The interval of the best of a program (tune_best.c); nothing of other objectives ---- */

/* Note a trial with its samples. */
void opevo_i_cli_tune_note_samples(opevo_i_cli_tuning *self, const opevo_trial *trial);
/* The same for the best trial as the store has it, with a store. */
opevo_status opevo_i_cli_tune_read_samples(opevo_i_cli_tuning *self, opevo_error *err);
/* " (1.2 to 1.4, 95 % of the median of 20 samples, estimated)"; nothing below 6 samples. */
void opevo_i_cli_tune_print_interval(const opevo_i_cli_tuning *self, opevo_text *out);
/* Note a trial if it is the analytic default, and say how much faster the best is. */
void opevo_i_cli_tune_note_start(opevo_i_cli_tuning *self, const opevo_trial *trial);
void opevo_i_cli_tune_print_gain(const opevo_i_cli_tuning *self, opevo_text *out);
/* A line that offers finals where there were none. */
void opevo_i_cli_tune_print_offer(const opevo_i_cli_tuning *self, opevo_text *out);
/* "low", "high" and "samples" of the JSON object being written. */
void opevo_i_cli_tune_add_json_interval(const opevo_i_cli_tuning *self, opevo_text *out);

/* ---- Several operators (tasks_read.c, tune_tasks.c) ---- */

#define OPEVO_I_TASK_OPTIONS                                                                       \
    {"weights", "W,W,...",                                                                         \
     "several operators: weights of their times in the sum (default 1 for each)", false},          \
        {"allocate", "HOW",                                                                        \
         "several operators: gradient (default) or round-robin, then ,KEY=VALUE: round, epsilon, " \
         "patience, alpha, beta, window",                                                          \
         false},                                                                                   \
        {"aim", "AIM", "several operators: sum (default) or geometric-mean of their times",        \
         false},                                                                                   \
    {                                                                                              \
        "portfolio", "K",                                                                          \
            "several operators: end with K configurations for all, then ,KEY=VALUE: by, share",    \
            false                                                                                  \
    }

/* How many operators or objectives the call names. */
size_t opevo_i_cli_tasks_count(const opevo_call *call);
/* Refuse what a call of one says as if of several. */
opevo_status opevo_i_cli_tasks_refuse(const opevo_call *call, opevo_error *err);
/* Tune them within one budget. */
opevo_status opevo_i_cli_tune_tasks(const opevo_call *call, opevo_text *out, int *exit_code,
                                    opevo_error *err);

/* What trials of tasks have cost, and what of that came from the store. */
typedef struct opevo_i_cli_spent {
    double trials, cost_s, resumed, resumed_cost_s;
} opevo_i_cli_spent;

/* Count a trial (tasks_progress.c). */
void opevo_i_cli_spent_note(opevo_i_cli_spent *self, const opevo_trial *trial, bool resumed);
/* A trial of task `number` of `count`, as the line of progress says it; `aim` is the value of the
 * whole, `best` the fitness of its best trial so far. */
typedef struct opevo_i_cli_task_trial {
    size_t number, count;
    const char *name, *aim;
    const opevo_objective *objective;
    double best;
    uint64_t trial, failed;
} opevo_i_cli_task_trial;
/* Draw it, with the share of the limit that is nearer: of trials or of seconds; 0: no limit. */
void opevo_i_cli_tasks_draw(opevo_progress *progress, const opevo_i_cli_spent *spent,
                            uint64_t trials, double seconds, const opevo_i_cli_task_trial *what);
/* That the finals of a task are held, which may take as long as many trials. */
void opevo_i_cli_tasks_draw_finals(opevo_progress *progress, size_t number, size_t count,
                                   const char *name, const opevo_finals *finals);

/* What --portfolio asks for, and what comes of it (tune_portfolio.c). */
typedef struct opevo_i_cli_tasks_portfolio {
    size_t most;             /* configurations; 0: no portfolio */
    bool by_mean;            /* of regrets; otherwise by the worst */
    double share;            /* of the budget, for measuring configurations on other operators */
    uint64_t trials;         /* the whole budget; 0: no limit */
    double seconds;          /* likewise */
    opevo_trial **trials_of; /* of the search of each task, without samples */
    size_t *trial_counts, *trial_capacities, *noted;
    bool failed; /* no memory for a trial */
    opevo_crossing *crossing;
    opevo_i_cli_portfolio found;
} opevo_i_cli_tasks_portfolio;

/* What is tuned together. */
typedef struct opevo_i_cli_tasks {
    opevo_i_cli_tuning *tunings; /* `count` of them, each with one run */
    const char **names;          /* operators, or names of objectives */
    double *weights;
    size_t count;
    opevo_scheduler_options options;
    opevo_scheduler *scheduler; /* until it has ended */
    opevo_task *tasks;          /* as the scheduler left them, with results of their tunings */
    opevo_scheduler_result result;
    double *times_s;  /* scratch, one for each task */
    double sum_s;     /* of weight x time, whatever the aim */
    double optimum_s; /* value of the aim; NAN where an optimum is unknown */
    double finals_s;  /* with the winners of the finals; NAN where a task had none */
    opevo_store *store;
    opevo_i_cli_spent spent;
    opevo_progress progress;
    opevo_i_cli_tasks_portfolio portfolio;
} opevo_i_cli_tasks;

/* ---- A portfolio (tune_portfolio.c) ---- */

/* Read --portfolio, and leave the search its share of the budget, which was read before. Errors:
 * INVALID; NOMEM. */
opevo_status opevo_i_cli_tasks_portfolio_read(const opevo_call *call, opevo_i_cli_tasks *self,
                                              opevo_error *err);
/* Keep a trial of a search. */
void opevo_i_cli_tasks_portfolio_note(opevo_i_cli_tasks *self, size_t task,
                                      const opevo_trial *trial);
/* Once the searches have ended with their share: measure configurations on other operators, and let
 * the searches go on with their share of what is left; in the end, find the portfolio. Errors:
 * those of opevo_crossing_step and opevo_scheduler_step. */
opevo_status opevo_i_cli_tasks_portfolio_run(opevo_i_cli_tasks *self, opevo_error *err);
opevo_status opevo_i_cli_tasks_portfolio_find(opevo_i_cli_tasks *self, opevo_error *err);
/* Nothing without --portfolio. */
void opevo_i_cli_tasks_portfolio_print_settings(const opevo_i_cli_tasks *self, opevo_text *out);
void opevo_i_cli_tasks_portfolio_print_json_settings(const opevo_i_cli_tasks *self,
                                                     opevo_text *out);
opevo_status opevo_i_cli_tasks_portfolio_print(const opevo_i_cli_tasks *self, opevo_text *out,
                                               opevo_error *err);
/* As a member "portfolio" of the JSON object being written. */
void opevo_i_cli_tasks_portfolio_print_json(const opevo_i_cli_tasks *self, opevo_text *out);
void opevo_i_cli_tasks_portfolio_free(opevo_i_cli_tasks *self);

/* ---- Tasks (tasks.c) ---- */

/* The value of an aim with these times of the tasks. */
double opevo_i_cli_tasks_value(opevo_i_cli_tasks *self, opevo_aim aim,
                               double (*time_s)(const opevo_i_cli_tuning *tuning));
/* DIR/1-mm1: the folder of a task inside that of --emit; nothing without it. */
void opevo_i_cli_tasks_folder(const opevo_call *call, const opevo_i_cli_tasks *self, size_t number,
                              opevo_text *out);
void opevo_i_cli_tasks_free(opevo_i_cli_tasks *self); /* and the store */

/* ---- What the call says of them (tasks_read.c) ---- */

/* Into zeros; what is there is to be released, also on failure. */
opevo_status opevo_i_cli_tasks_read(const opevo_call *call, opevo_i_cli_tasks *self,
                                    opevo_error *err);

/* ---- What is printed of them (tasks_print.c) ---- */

void opevo_i_cli_tasks_print_settings(const opevo_i_cli_tasks *self, opevo_text *out);
opevo_status opevo_i_cli_tasks_print(const opevo_i_cli_tasks *self, const char *store,
                                     opevo_text *out, opevo_error *err);
void opevo_i_cli_tasks_print_json(const opevo_i_cli_tasks *self, opevo_text *out);
void opevo_i_cli_tasks_print_json_settings(const opevo_i_cli_tasks *self, opevo_text *out);
/* 0.00123 as "1.23 ms". */
const char *opevo_i_cli_tasks_time(double seconds, char *out, size_t size);

/* ---- Fronts (tune_front.c) ---- */

/* Empty fronts for --criteria, with the criteria of `front`. Errors: NOMEM. */
opevo_status opevo_i_cli_tune_fronts_create(opevo_i_cli_tuning *self, opevo_error *err);
void opevo_i_cli_tune_fronts_free(opevo_i_cli_tuning *self);
/* Different runs may be noted at the same time. */
void opevo_i_cli_tune_fronts_note(opevo_i_cli_tuning *self, size_t run, const opevo_trial *trial);
/* Join the fronts and compute the volumes. Nothing without --criteria. Errors: NOMEM. */
opevo_status opevo_i_cli_tune_fronts_finish(opevo_i_cli_tuning *self, opevo_error *err);
/* The front of all runs. Errors: NOMEM. */
opevo_status opevo_i_cli_tune_print_front(const opevo_i_cli_tuning *self, opevo_text *out,
                                          opevo_error *err);
void opevo_i_cli_tune_print_json_front(const opevo_i_cli_tuning *self, opevo_text *out);

/* tune_prove.c */
/* Refuse --prove where there are no finals of kernels. */
opevo_status opevo_i_cli_tune_prove_check(const opevo_call *call, const opevo_i_cli_tuning *self,
                                          opevo_error *err);
/* What the store has on the kernels of the run. Errors: those of the store. */
opevo_status opevo_i_cli_tune_read_proofs(opevo_i_cli_tuning *self, opevo_error *err);
/* Prove the finalists; one that is refuted leaves them, and another trial may be the best. Errors:
 * those of opevo_i_cli_proof_ask but INVALID. */
opevo_status opevo_i_cli_tune_prove(opevo_i_cli_tuning *self, opevo_error *err);
void opevo_i_cli_tune_print_proofs(const opevo_i_cli_tuning *self, opevo_text *out);
void opevo_i_cli_tune_add_json_proofs(const opevo_i_cli_tuning *self, opevo_text *out);
/* kernel.proof of a point, where it was proved or tried to. */
opevo_status opevo_i_cli_tune_write_proof(const opevo_i_cli_tuning *self, const char *folder,
                                          opevo_index point, opevo_error *err);
void opevo_i_cli_tune_free_proofs(opevo_i_cli_tuning *self);

#endif
