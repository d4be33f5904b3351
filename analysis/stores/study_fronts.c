/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Runs that are compared by several criteria: the course of a run is then that of the hypervolume
 * of its front, so that all that is said of the fitness can be said of it. The reference point is
 * the worst value of each criterion among all trials of all runs on a landscape, and volumes are
 * shares of the box from there to the best of each. */

#include <opevo/memory.h>
#include <opevo/stored_study.h>

#include <math.h>
#include <string.h>

enum { PIECE = 512, MOST_SAMPLED = 2000 };

static bool is_same(const opevo_criteria *a, const opevo_criteria *b)
{
    bool same = a->count == b->count;

    for (size_t i = 0; same && i < a->count; i++)
        same = a->chosen[i].index == b->chosen[i].index &&
               a->chosen[i].larger_is_better == b->chosen[i].larger_is_better;
    return same;
}

/* Read the criteria of the run, and which of them are chosen: the same as of the runs before it. */
static opevo_status choose(opevo_stored_study *data, size_t run, const char *names,
                           opevo_error *err)
{
    size_t landscape = data->runs[run].landscape;
    opevo_landscape_front *self = &data->fronts[landscape];
    opevo_criteria criteria = {0};
    opevo_objective objective = {.name = data->landscapes[landscape].name,
                                 .unit = data->landscapes[landscape].unit,
                                 .criteria = self->criteria};
    opevo_error inner = {OPEVO_OK, ""};
    opevo_store *store = opevo_stored_study_store(data, run);
    int64_t number = data->stored[run].run;
    opevo_status status =
        opevo_store_criteria(store, number, self->criteria, &objective.more_count, err);

    if (status != OPEVO_OK)
        return status;
    if (opevo_criteria_parse(&objective, names, &criteria, &inner) != OPEVO_OK)
        return OPEVO_FAIL(err, OPEVO_MISMATCH, "run %lld: %.600s", (long long)number,
                          inner.message);
    if (self->front.criteria.count && !is_same(&self->front.criteria, &criteria))
        return OPEVO_FAIL(err, OPEVO_MISMATCH,
                          "the runs on %.200s have different criteria: name one kind of them with "
                          "--tuner or --budget.",
                          objective.name);
    if (!self->front.criteria.count) {
        self->front.criteria = criteria;
        self->sample_every = 1;
        self->sample = opevo_malloc(MOST_SAMPLED, sizeof *self->sample);
        self->box = opevo_front_box_empty();
        self->unit = opevo_strdup(objective.unit);
        status = opevo_store_space(store, number, &self->space, err);
        if (status == OPEVO_OK && (!self->unit || !self->sample))
            status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for fronts.");
    }
    return status;
}

typedef opevo_status (*trial_visitor)(void *context, const opevo_trial *trial, opevo_error *err);

static opevo_status each_trial(opevo_store *store, int64_t run, trial_visitor visit, void *context,
                               opevo_error *err)
{
    opevo_trial *trials = opevo_malloc(PIECE, sizeof *trials);
    opevo_status status = OPEVO_OK;
    size_t count = PIECE;
    uint64_t after = 0;

    OPEVO_NEED_OR_RETURN(trials, "the trials of a run");
    while (count == PIECE) {
        OPEVO_TRY(opevo_store_read(store, run, after, trials, PIECE, &count, err));
        for (size_t i = 0; i < count; i++)
            OPEVO_TRY(visit(context, &trials[i], err));
        after += count;
    }
cleanup:
    opevo_free(trials);
    return status;
}

/* ---- All runs together ---- */

typedef struct gatherer {
    opevo_landscape_front *to;
    const char *label; /* of the contender */
} gatherer;

/* Where the sample is full, every second of it leaves. */
static void add_to_sample(opevo_landscape_front *self, const opevo_outcome *outcome)
{
    if (outcome->kind != OPEVO_OUTCOME_OK || self->successes++ % self->sample_every != 0)
        return;
    if (self->sample_count == MOST_SAMPLED) {
        self->sample_count /= 2;
        for (size_t i = 0; i < self->sample_count; i++)
            memcpy(self->sample[i], self->sample[2 * i], sizeof *self->sample);
        self->sample_every *= 2;
    }
    for (size_t k = 0; k < self->front.criteria.count; k++)
        self->sample[self->sample_count][k] =
            opevo_front_value(&self->front.criteria, k, self->unit, outcome);
    self->sample_count++;
}

static opevo_status gather(void *context, const opevo_trial *trial, opevo_error *err)
{
    const gatherer *self = context;
    opevo_trial named = *trial;

    named.proposal.origin = self->label;
    opevo_front_box_add(&self->to->box, &self->to->front.criteria, self->to->unit, &trial->outcome);
    add_to_sample(self->to, &trial->outcome);
    return opevo_front_add(&self->to->front, &named, NULL, err);
}

/* ---- One run ---- */

typedef struct follower {
    const opevo_landscape_front *on;
    opevo_front front;
    double volume;
    opevo_run_curve curve;
} follower;

/* The fitness of a trial is the volume after it. */
static opevo_status follow(void *context, const opevo_trial *trial, opevo_error *err)
{
    follower *self = context;
    opevo_outcome outcome = trial->outcome;
    bool changed = false;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_front_add(&self->front, trial, &changed, err));
    if (changed)
        OPEVO_TRY(
            opevo_front_volume(&self->front, self->on->unit, &self->on->box, &self->volume, err));
    outcome.fitness = outcome.kind == OPEVO_OUTCOME_OK ? self->volume : 0;
    OPEVO_TRY(opevo_run_curve_add(&self->curve, &outcome, err));
cleanup:
    return status;
}

static opevo_status follow_run(opevo_stored_study *data, size_t run, opevo_error *err)
{
    const opevo_landscape_front *on = &data->fronts[data->runs[run].landscape];
    follower self = {.on = on, .front = {.criteria = on->front.criteria}};
    opevo_status status =
        each_trial(opevo_stored_study_store(data, run), data->stored[run].run, follow, &self, err);

    opevo_front_free(&self.front);
    opevo_run_curve_free(&data->runs[run].curve);
    data->runs[run].curve = self.curve;
    return status;
}

/* The landscapes are now those of volumes, whose optimum nobody knows. */
static opevo_status rename_units(opevo_stored_study *data, opevo_error *err)
{
    for (size_t i = 0; i < data->landscape_count; i++) {
        opevo_stored_landscape *row = &data->landscapes[i];

        opevo_free(row->unit);
        row->unit = opevo_strdup("hypervolume");
        row->optimum = NAN;
        OPEVO_NEED_OR_RETURN(row->unit, "fronts");
    }
    return OPEVO_OK;
}

opevo_status opevo_stored_study_fronts(const char *names, opevo_stored_study *data,
                                       opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    data->criteria_words = names;
    OPEVO_NEW_OR_RETURN(data->fronts, data->landscape_count, "fronts");
    for (size_t i = 0; i < data->run_count; i++) {
        gatherer self = {.to = &data->fronts[data->runs[i].landscape],
                         .label = data->contenders[data->runs[i].contender].label};

        OPEVO_TRY(choose(data, i, names, err));
        OPEVO_TRY(
            each_trial(opevo_stored_study_store(data, i), data->stored[i].run, gather, &self, err));
    }
    for (size_t i = 0; i < data->run_count; i++)
        OPEVO_TRY(follow_run(data, i, err));
    for (size_t i = 0; i < data->landscape_count; i++)
        opevo_front_sort(&data->fronts[i].front);
    opevo_text_printf(&data->notes,
                      "runs are compared by the hypervolume of their fronts of %s, as a share of "
                      "the box from the worst to the best of all trials on a landscape\n",
                      names);
    OPEVO_TRY(rename_units(data, err));
cleanup:
    return status;
}
