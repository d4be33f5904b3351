/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Runs that are compared by several criteria: the course of a run is then that of the hypervolume
 * of its front, so that all that is said of the fitness can be said of it. The reference point is
 * the worst value of each criterion among all trials of all runs on a landscape, and volumes are
 * shares of the box from there to the best of each. */

#include "analyze_internal.h"

#include <opevo/memory.h>

#include <math.h>
#include <string.h>

enum { PIECE = 512, MOST_SAMPLED = 2000 };

struct opevo_i_cli_landscape_front {
    opevo_front front; /* over all runs; the origins of its members are labels of contenders */
    opevo_front_box box;
    /* Values of every so many-th successful trial, in the order of the runs. */
    double (*sample)[OPEVO_CRITERIA_MOST];
    size_t sample_count, sample_every;
    uint64_t successes;
    opevo_criterion criteria[OPEVO_CRITERIA_MOST - 1];
    char *unit;         /* of results */
    opevo_space *space; /* NULL where it cannot be made here */
};

static bool is_same(const opevo_criteria *a, const opevo_criteria *b)
{
    bool same = a->count == b->count;

    for (size_t i = 0; same && i < a->count; i++)
        same = a->chosen[i].index == b->chosen[i].index &&
               a->chosen[i].larger_is_better == b->chosen[i].larger_is_better;
    return same;
}

/* Read the criteria of the run, and which of them are chosen: the same as of the runs before it. */
static opevo_status choose(opevo_i_cli_study_data *data, size_t run, const char *names,
                           opevo_error *err)
{
    size_t landscape = data->runs[run].landscape;
    opevo_i_cli_landscape_front *self = &data->fronts[landscape];
    opevo_criteria criteria = {0};
    opevo_objective objective = {.name = data->landscapes[landscape].name,
                                 .unit = data->landscapes[landscape].unit,
                                 .criteria = self->criteria};
    opevo_error inner = {OPEVO_OK, ""};
    opevo_store *store = opevo_i_cli_store_of_run(data, run);
    int64_t number = data->stored[run].run;
    opevo_status status =
        opevo_store_criteria(store, number, self->criteria, &objective.more_count, err);

    if (status != OPEVO_OK)
        return status;
    if (opevo_criteria_parse(&objective, names, &criteria, &inner) != OPEVO_OK)
        return OPEVO_FAIL(err, inner.status, "--criteria %.200s: run %lld: %.600s", names,
                          (long long)number, inner.message);
    if (self->front.criteria.count && !is_same(&self->front.criteria, &criteria))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--criteria %.200s: the runs on %.200s have different criteria: name one "
                          "kind of them with --tuner or --budget.",
                          names, objective.name);
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

    if (!trials)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the trials of a run.");
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
    opevo_i_cli_landscape_front *to;
    const char *label; /* of the contender */
} gatherer;

/* Where the sample is full, every second of it leaves. */
static void add_to_sample(opevo_i_cli_landscape_front *self, const opevo_outcome *outcome)
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
    const opevo_i_cli_landscape_front *on;
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

static opevo_status follow_run(opevo_i_cli_study_data *data, size_t run, opevo_error *err)
{
    const opevo_i_cli_landscape_front *on = &data->fronts[data->runs[run].landscape];
    follower self = {.on = on, .front = {.criteria = on->front.criteria}};
    opevo_status status =
        each_trial(opevo_i_cli_store_of_run(data, run), data->stored[run].run, follow, &self, err);

    opevo_front_free(&self.front);
    opevo_run_curve_free(&data->runs[run].curve);
    data->runs[run].curve = self.curve;
    return status;
}

/* The landscapes are now those of volumes, whose optimum nobody knows. */
static opevo_status rename_units(opevo_i_cli_study_data *data, opevo_error *err)
{
    for (size_t i = 0; i < data->landscape_count; i++) {
        opevo_i_cli_named_landscape *row = &data->landscapes[i];

        opevo_free(row->unit);
        row->unit = opevo_strdup("hypervolume");
        row->optimum = NAN;
        if (!row->unit)
            return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for fronts.");
    }
    return OPEVO_OK;
}

opevo_status opevo_i_cli_study_fronts(const char *names, opevo_i_cli_study_data *data,
                                      opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    data->criteria_words = names;
    data->fronts = opevo_calloc(data->landscape_count, sizeof *data->fronts);
    if (!data->fronts)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for fronts.");
    for (size_t i = 0; i < data->run_count; i++) {
        gatherer self = {.to = &data->fronts[data->runs[i].landscape],
                         .label = data->contenders[data->runs[i].contender].label};

        OPEVO_TRY(choose(data, i, names, err));
        OPEVO_TRY(
            each_trial(opevo_i_cli_store_of_run(data, i), data->stored[i].run, gather, &self, err));
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

void opevo_i_cli_study_fronts_free(opevo_i_cli_study_data *data)
{
    for (size_t i = 0; data->fronts && i < data->landscape_count; i++) {
        opevo_front_free(&data->fronts[i].front);
        opevo_free(data->fronts[i].sample);
        opevo_free(data->fronts[i].unit);
        opevo_space_destroy(data->fronts[i].space);
    }
    opevo_free(data->fronts);
}

/* ---- Print ---- */

static opevo_i_cli_shown_front shown(const opevo_i_cli_landscape_front *self)
{
    return (opevo_i_cli_shown_front){.front = &self->front,
                                     .criteria = self->criteria,
                                     .unit = self->unit,
                                     .space = self->space,
                                     .origins = OPEVO_I_ORIGIN_TUNER};
}

opevo_status opevo_i_cli_analysis_print_front(const opevo_i_cli_study_data *data, size_t landscape,
                                              unsigned width, opevo_text *out, opevo_error *err)
{
    opevo_i_cli_shown_front front;

    if (!data->fronts || data->fronts[landscape].front.count == 0)
        return OPEVO_OK;
    front = shown(&data->fronts[landscape]);
    opevo_text_add(out, "\nfront of ");
    opevo_i_cli_criteria_show(data->criteria_words, out);
    opevo_text_printf(out, " over all runs: %zu trial%s\n", front.front->count,
                      front.front->count == 1 ? "" : "s");
    return opevo_i_cli_front_print(&front, width, out, err);
}

static void add_sample(const opevo_i_cli_landscape_front *self, opevo_text *out)
{
    opevo_json_index(out, "sample_every", self->sample_every);
    opevo_json_key(out, "sample");
    opevo_text_add(out, "[");
    for (size_t i = 0; i < self->sample_count; i++) {
        opevo_json_next(out, "");
        opevo_text_add(out, "[");
        for (size_t k = 0; k < self->front.criteria.count; k++) {
            opevo_json_next(out, "");
            opevo_text_add_double(out, self->sample[i][k]);
        }
        opevo_text_add(out, "]");
    }
    opevo_text_add(out, "]");
}

void opevo_i_cli_analysis_json_fronts(const opevo_i_cli_study_data *data, bool with_sample,
                                      opevo_text *out)
{
    if (!data->fronts)
        return;
    opevo_json_key(out, "fronts");
    opevo_text_add(out, "[");
    for (size_t i = 0; i < data->landscape_count; i++) {
        const opevo_i_cli_landscape_front *self = &data->fronts[i];
        opevo_i_cli_shown_front front = shown(self);

        opevo_json_next(out, "\n  ");
        opevo_text_add(out, "{");
        opevo_json_index(out, "landscape", i);
        opevo_json_key(out, "criteria");
        opevo_i_cli_front_json_criteria(&front, &self->box, out);
        opevo_json_key(out, "front");
        opevo_i_cli_front_json(&front, out);
        if (with_sample)
            add_sample(self, out);
        opevo_text_add(out, "}");
    }
    opevo_text_add(out, "]");
}
