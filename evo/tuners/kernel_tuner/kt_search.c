/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The loop that Kernel Tuner's strategies share. A round is what a strategy wants evaluated next:
 * one point for a local search, a whole population for an evolutionary one. The next round is made
 * when every outcome of the one before is known, so neither the cutting of asks nor the budget
 * changes what is proposed.
 *
 * Always true: told <= asked <= made <= wanted; a point is `tried` once it stands in a round.
 *
 * Deviation from the source, for all strategies: there a search that has come to the end of its
 * iterations stops, and one that has converged evaluates known points until then. Here it begins
 * anew, because a budget is to be used; and when OPEVO_I_KT_IDLE_MOST evaluations in a row brought
 * nothing new, one uniform point that is new is proposed (origin "uniform") before it does. So
 * every allowed point of a small space is found, and the search ends when none is left. */

#include "kt_internal.h"

#include <opevo/memory.h>

#include <math.h>

static const char too_rare[] = "10000000 uniform draws in a row found no allowed point";

opevo_status opevo_i_kt_create(const opevo_tuner_ops *ops, const opevo_i_kt_strategy *strategy,
                               const opevo_setting_value *settings, const opevo_space *space,
                               const opevo_rng *rng, opevo_tuner **out, opevo_error *err)
{
    opevo_i_kt *self = opevo_calloc(1, strategy->size);
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(self, "the tuner %s", ops->name);
    self->strategy = strategy;
    self->rng = *rng;
    self->origin = "initial";
    OPEVO_TRY(opevo_i_kt_space_init(&self->space, space, err));
    opevo_settings_read(ops->settings, ops->setting_count, settings, self);
    self->tried = opevo_i_tried_create(space);
    OPEVO_NEED(self->tried && strategy->prepare(self), "the tuner %s", ops->name);
    *out = &self->super;
    self = NULL;
cleanup:
    if (self)
        opevo_i_kt_destroy(&self->super);
    return status;
}

void opevo_i_kt_destroy(opevo_tuner *tuner)
{
    opevo_i_kt *self = (opevo_i_kt *)tuner;

    self->strategy->clear(self);
    opevo_i_kt_space_clear(&self->space);
    opevo_i_tried_destroy(self->tried);
    opevo_free(self->starts);
    opevo_free(self->points);
    opevo_free(self->costs);
    opevo_free(self->news);
    opevo_free(self);
}

/* ---- A round ---- */

/* Room for `needed` points in the round; the three arrays grow together. */
static opevo_status reserve(opevo_i_kt *self, size_t needed, opevo_error *err)
{
    size_t capacity = 2 * needed;
    void *points = NULL;
    void *costs = NULL;
    void *news = NULL;

    if (needed <= self->wanted_capacity)
        return OPEVO_OK;
    points = opevo_realloc(self->points, capacity, sizeof *self->points);
    self->points = points ? points : self->points;
    costs = opevo_realloc(self->costs, capacity, sizeof *self->costs);
    self->costs = costs ? costs : self->costs;
    news = opevo_realloc(self->news, capacity, sizeof *self->news);
    self->news = news ? news : self->news;
    OPEVO_NEED_OR_RETURN(points && costs && news, "another point");
    self->wanted_capacity = capacity;
    return OPEVO_OK;
}

static opevo_status want_point(opevo_i_kt *self, opevo_index point, opevo_error *err)
{
    opevo_status status = reserve(self, self->wanted + 1, err);

    if (status != OPEVO_OK)
        return status;
    self->points[self->wanted] = point;
    if (opevo_space_allows(self->space.space, point) &&
        !opevo_i_tried_get(self->tried, point, NULL)) {
        status = opevo_i_tried_propose(self->tried, point, err);
        if (status != OPEVO_OK)
            return status;
        self->news[self->made++] = self->wanted;
    }
    self->wanted++;
    return OPEVO_OK;
}

opevo_status opevo_i_kt_want(opevo_i_kt *self, const opevo_index *vertices, opevo_error *err)
{
    const opevo_i_kt_space *space = &self->space;

    if (!space->sparse || opevo_i_kt_allows(space, vertices))
        return want_point(self, opevo_i_kt_encode(space, vertices), err);
    opevo_i_kt_copy(space, space->row, vertices);
    opevo_i_kt_become_listed(space, NULL, space->row);
    return want_point(self, opevo_i_kt_encode(space, space->row), err);
}

bool opevo_i_kt_next_start(opevo_i_kt *self, opevo_index *vertices)
{
    if (self->next_start == self->start_count)
        return false;
    opevo_i_kt_decode(&self->space, self->starts[self->next_start++], vertices);
    return true;
}

bool opevo_i_kt_start(opevo_i_kt *self, opevo_index *vertices)
{
    if (opevo_i_kt_next_start(self, vertices))
        return true;
    if (opevo_i_kt_sample(&self->space, &self->rng, vertices))
        return true;
    self->exhausted_reason = too_rare;
    return false;
}

size_t opevo_i_kt_start_many(opevo_i_kt *self, size_t count, opevo_index *rows)
{
    size_t first = 0;

    while (first < count && opevo_i_kt_next_start(self, rows + first * self->space.width))
        first++;
    return opevo_i_kt_sample_others(&self->space, &self->rng, count, first, rows);
}

static double cost_of(const opevo_i_kt *self, opevo_index point)
{
    double fitness = 0;
    double cost = OPEVO_I_KT_FAILED;

    if (opevo_i_tried_get(self->tried, point, &fitness) && fitness > 0)
        cost = self->scale / fitness;
    return cost < OPEVO_I_KT_FAILED ? cost : OPEVO_I_KT_FAILED;
}

/* All outcomes of the round are known: hand the costs to the strategy. */
static opevo_status finish_round(opevo_i_kt *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    if (self->stray) {
        self->stray = false;
        self->strategy->restart(self);
    } else if (self->wanted) {
        for (size_t i = 0; i < self->wanted; i++)
            self->costs[i] = cost_of(self, self->points[i]);
        status = self->strategy->take(self, err);
    }
    self->wanted = self->made = self->asked = self->told = 0;
    return status;
}

/* One uniform point that is new, or the reason why there is none. */
static opevo_status make_stray(opevo_i_kt *self, opevo_error *err)
{
    opevo_index point = 0;
    const char *reason = self->exhausted_reason;
    opevo_status status = OPEVO_OK;

    if (!reason)
        status = opevo_i_tried_draw(self->tried, &self->rng, &point, &reason, err);
    if (status != OPEVO_OK)
        return status;
    self->super.reason = reason;
    if (reason)
        return OPEVO_OK;
    self->idle = 0;
    self->stray = true;
    self->origin = "uniform";
    return want_point(self, point, err);
}

/* Make rounds until one has a new point or the search is over. */
static opevo_status make_round(opevo_i_kt *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    while (status == OPEVO_OK && self->made == 0 && !self->super.reason) {
        status = finish_round(self, err);
        if (status != OPEVO_OK)
            break;
        if (self->idle >= OPEVO_I_KT_IDLE_MOST || self->exhausted_reason) {
            status = make_stray(self, err);
            continue;
        }
        status = self->strategy->propose(self, err);
        self->idle = self->made ? 0 : self->idle + self->wanted + 1;
    }
    return status;
}

/* ---- The table's functions ---- */

opevo_status opevo_i_kt_ask(opevo_tuner *tuner, opevo_proposal *proposals, size_t capacity,
                            size_t *count, opevo_error *err)
{
    opevo_i_kt *self = (opevo_i_kt *)tuner;
    size_t given = 0;

    if (self->told == self->made && !tuner->reason) {
        opevo_status status = finish_round(self, err);

        if (status == OPEVO_OK)
            status = make_round(self, err);
        if (status != OPEVO_OK)
            return status;
    }
    while (given < capacity && self->asked < self->made) {
        proposals[given].point = self->points[self->news[self->asked++]];
        proposals[given].origin = self->origin;
        given++;
    }
    *count = given;
    return OPEVO_OK;
}

/* The factor between 1 / fitness and milliseconds, from the first success. */
static double scale_from(const opevo_outcome *outcome)
{
    double scale = outcome->fitness * outcome->time_s * 1000;

    return isnormal(scale) && scale > 0 ? scale : 1;
}

static opevo_status take_outcome(opevo_i_kt *self, opevo_index point, const opevo_outcome *outcome,
                                 opevo_error *err)
{
    opevo_status status = opevo_i_tried_tell(self->tried, point, outcome->fitness, err);

    if (status != OPEVO_OK)
        return status;
    if (self->scale == 0 && outcome->fitness > 0 && isfinite(outcome->fitness))
        self->scale = scale_from(outcome);
    self->known++;
    return OPEVO_OK;
}

opevo_status opevo_i_kt_tell(opevo_tuner *tuner, const opevo_trial *trials, size_t count,
                             opevo_error *err)
{
    opevo_i_kt *self = (opevo_i_kt *)tuner;

    for (size_t i = 0; i < count; i++) {
        opevo_status status = OPEVO_OK;
        const opevo_outcome *outcome = &trials[i].outcome;
        opevo_index point = self->points[self->news[self->told]];

        if (trials[i].proposal.point != point)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "Tuner %s must be told outcomes in the order of its proposals.",
                              tuner->ops->name);
        status = take_outcome(self, point, outcome, err);
        if (status != OPEVO_OK)
            return status;
        self->told++;
    }
    return OPEVO_OK;
}

static double fitness_at(const opevo_i_kt *self, opevo_index point)
{
    double fitness = 0;

    opevo_i_tried_get(self->tried, point, &fitness);
    return fitness;
}

opevo_status opevo_i_kt_observe(opevo_tuner *tuner, const opevo_trial *trials, size_t count,
                                opevo_error *err)
{
    opevo_i_kt *self = (opevo_i_kt *)tuner;
    opevo_index *grown =
        opevo_realloc(self->starts, self->start_count + count, sizeof *self->starts);

    OPEVO_NEED_OR_RETURN(grown, "%zu trials", count);
    self->starts = grown;
    for (size_t i = 0; i < count; i++) {
        const opevo_outcome *outcome = &trials[i].outcome;
        opevo_index point = trials[i].proposal.point;
        size_t at = self->start_count++;
        opevo_status status = take_outcome(self, point, outcome, err);

        if (status != OPEVO_OK)
            return status;
        for (; at > 0 && fitness_at(self, grown[at - 1]) < fitness_at(self, point); at--)
            grown[at] = grown[at - 1];
        grown[at] = point;
    }
    return OPEVO_OK;
}

/* ---- What strategies share ---- */

void opevo_i_kt_rank(const double *costs, size_t *order, size_t count)
{
    /* Insertion: stable, and populations are small or nearly in order. */
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    for (size_t i = 1; i < count; i++) {
        size_t at = i;

        while (at > 0 && costs[order[at - 1]] > costs[i]) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = i;
    }
}

bool opevo_i_kt_accepts(opevo_rng *rng, double change, double temperature)
{
    return change <= 0 || opevo_rng_unit(rng) < exp(-change / temperature);
}

bool opevo_i_kt_tabu_init(opevo_i_kt_tabu *self, size_t capacity)
{
    *self = (opevo_i_kt_tabu){.last = opevo_index_map_create(), .capacity = capacity};
    return self->last;
}

void opevo_i_kt_tabu_clear(opevo_i_kt_tabu *self)
{
    opevo_index_map_destroy(self->last);
}

bool opevo_i_kt_tabu_add(opevo_i_kt_tabu *self, opevo_index point)
{
    return opevo_index_map_put(self->last, point, ++self->count);
}

bool opevo_i_kt_tabu_has(const opevo_i_kt_tabu *self, opevo_index point)
{
    uint64_t place = 0;

    return opevo_index_map_get(self->last, point, &place) && place > self->cleared &&
           place + self->capacity > self->count;
}
