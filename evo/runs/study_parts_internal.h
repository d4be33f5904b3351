/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the files of the study share. */

#ifndef OPEVO_STUDY_PARTS_INTERNAL_H
#define OPEVO_STUDY_PARTS_INTERNAL_H

#include <opevo/study.h>

#include "store_internal.h"

/* ---- Plans (study_plan.c, study_axes.c) ---- */

/* A key with the values that it takes in turn, as texts. */
typedef struct opevo_i_study_axis {
    char *key;
    char **values;
    size_t count;
    char *where; /* key path */
} opevo_i_study_axis;

typedef struct opevo_i_study_axes {
    opevo_i_study_axis *items;
    size_t count;
} opevo_i_study_axes;

typedef struct opevo_i_study_plan_objective {
    char *on, *what, *space, *where;
    opevo_plan_option *options;
    size_t option_count;
    opevo_i_study_axes topologies;
    opevo_text criteria; /* "time,energy"; empty: the fitness */
    char **requirements;
    size_t requirement_count;
    char **start_texts; /* as in the plan */
    size_t start_count;
    opevo_proposal *start_points;
    opevo_starts starts; /* of them, once the objective is open */
    bool only_recorded;
    bool own_topologies; /* otherwise those of the plan */
} opevo_i_study_plan_objective;

typedef struct opevo_i_study_plan_tuner {
    const opevo_tuner_ops *ops;
    opevo_i_study_axes settings;
    char *where;
} opevo_i_study_plan_tuner;

typedef struct opevo_i_study_plan_budget {
    uint64_t trials; /* as in opevo_budget */
    double seconds, target;
    bool target_is_share; /* of the optimum, in (0, 1] */
    char *text, *where;
} opevo_i_study_plan_budget;

struct opevo_plan {
    char *path;
    char *canonical; /* its JSON with the keys in order and without blanks */
    opevo_i_study_plan_objective *objectives;
    size_t objective_count;
    opevo_i_study_plan_tuner *tuners;
    size_t tuner_count;
    opevo_i_study_axes topologies;
    opevo_i_study_plan_budget *budgets;
    size_t budget_count;
    uint64_t *seeds;
    size_t seed_count;
    double alpha;                     /* of "analysis"; 0: none */
    bool twins;                       /* "null": each line once more on other seeds */
    const opevo_starts **line_starts; /* of each line of the study; NULL: those of its objective */
};

/* "trials=500 seconds=30 target=95%"; `unit` follows a target that is not a share.
 * The caller frees it. */
opevo_status opevo_i_study_plan_print_budget(const opevo_plan *plan,
                                             const opevo_i_study_plan_budget *budget,
                                             const char *unit, char **out, opevo_error *err);

/* Fail with "path: where: sentence". */
opevo_status opevo_i_study_plan_fail(opevo_error *err, const char *path, const char *where,
                                     const char *format, ...) __attribute__((format(printf, 4, 5)));

void opevo_i_study_axes_free(opevo_i_study_axes *axes);
/* Product of the counts; 1 for no axes, 0 where it exceeds 2^40. */
uint64_t opevo_i_study_axes_combinations(const opevo_i_study_axes *axes);
/* The value of axis i in combination `number`, the last axis running fastest. */
const char *opevo_i_study_axes_value(const opevo_i_study_axes *axes, uint64_t number, size_t i);

/* ---- Start points (study_starts.c) ---- */

/* The points of "start" on the opened objective. Errors: INVALID; NOMEM. */
opevo_status opevo_i_study_plan_set_starts(const opevo_plan *plan,
                                           opevo_i_study_plan_objective *self,
                                           const opevo_objective *objective, opevo_error *err);
void opevo_i_study_plan_free_starts(opevo_i_study_plan_objective *self);
/* What they add to the settings of a run; nothing for the objective's own. */
void opevo_i_study_plan_print_starts(const opevo_i_study_plan_objective *self, opevo_text *out);

/* ---- Options (study_options.c) ---- */

/* The values of "with", each as a word behind the settings of a run. */
void opevo_i_study_plan_print_with(const opevo_i_study_plan_objective *self, opevo_text *out);

/* ---- Topologies (study_space.c) ---- */

/* `inner` on a space whose parameters have the topologies of this combination. */
opevo_status opevo_i_study_reshape(opevo_objective *inner, const opevo_i_study_axes *axes,
                                   uint64_t number, const char *path, opevo_objective **out,
                                   opevo_error *err);

/* ---- The store of a study (store_study.c) ---- */

/* Whether a run is computed by one thread and stored in one piece. Candidates that are not points
 * need their texts in the store, so such a run is stored trial by trial, like a measured one. */
static inline bool opevo_i_study_is_stored_whole(const opevo_objective *objective)
{
    return objective->concurrent && objective->space && !opevo_space_is_wide(objective->space);
}

/* What a store knows of a run of the plan. */
typedef struct opevo_i_study_slot {
    int64_t run; /* 0: not there */
    bool ended;
} opevo_i_study_slot;

/* Look up the runs of these numbers, in `slots`. With `make`, those that are not there are made as
 * planned ones in the order of `numbers`, all in one transaction. Errors: as opevo_store_begin. */
opevo_status opevo_i_study_slots(opevo_store *store, const opevo_study *study,
                                 const uint64_t *numbers, size_t count, bool make,
                                 opevo_i_study_slot *slots, opevo_error *err);

/* Register the study before its first trial: its runs that this call may begin or continue, which
 * are those of `slots`, become runs of the registration. `known`, which may be NULL: another store
 * that the study knows of. Errors: those of opevo_study_registration and of the stores. */
opevo_status opevo_i_study_register(opevo_store *store, opevo_store *known,
                                    const opevo_study *study, const uint64_t *numbers, size_t count,
                                    const opevo_i_study_slot *slots, opevo_error *err);

/* A run that was computed and is not yet in the store. */
typedef struct opevo_i_study_done {
    struct opevo_i_study_done *next;
    int64_t run;
    opevo_i_store_packed packed;
} opevo_i_study_done;

/* Put whole runs into the store, in one transaction. */
opevo_status opevo_i_study_store_put(opevo_store *store, const opevo_i_study_done *done,
                                     opevo_error *err);

/* Copy what `source` has of the runs. slots[i] is of numbers[i] in `store`, which is the only one
 * written; `ended` is brought up to date and *added counted up. */
opevo_status opevo_i_study_store_copy(opevo_store *store, opevo_store *source,
                                      const opevo_study *study, const uint64_t *numbers,
                                      size_t count, opevo_i_study_slot *slots, uint64_t *added,
                                      opevo_error *err);

/* ---- The writer (study_writer.c) ---- */

/* One thread that commits what the others hand it. */
typedef struct opevo_i_study_writer opevo_i_study_writer;

opevo_status opevo_i_study_writer_create(opevo_store *store, opevo_i_study_writer **out,
                                         opevo_error *err);
/* Take the run over; waits while too much is queued. False when the writer has failed; the run is
 * then released. */
bool opevo_i_study_writer_put(opevo_i_study_writer *writer, opevo_i_study_done *done);
/* Commit everything, end the thread and release it. The first failure of the store, if any. */
opevo_status opevo_i_study_writer_finish(opevo_i_study_writer *writer, opevo_error *err);
void opevo_i_study_done_free(opevo_i_study_done *done);

/* The numbers of a shard's runs, ascending; release with opevo_free. */
opevo_status opevo_i_study_shard_numbers(const opevo_study *study, opevo_shard shard,
                                         uint64_t **out, size_t *count, opevo_error *err);

#endif
