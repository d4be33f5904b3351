/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `climb`: hill climbing with random restarts, on any domain. A step is a number of new neighbours
 * of the current candidate; the best of them takes its place unless it is worse. After too many
 * neighbours without an improvement the climb starts again at samples, until one succeeds. Always
 * true: told <= asked <= made; the step is made whole, so that it does not depend on how asks are
 * divided. */

#include <opevo/memory.h>
#include <opevo/tuner.h>

#include "untried_internal.h"

enum {
    NEIGHBOURS_MOST = 10000,
    TRIES_MOST = 256 /* mutations until one is new */
};

typedef struct climb {
    opevo_tuner super;
    opevo_domain *domain;
    size_t neighbours, patience;
    double q;
    opevo_rng rng;
    opevo_index_set *seen;
    opevo_i_untried *fresh;
    opevo_index current;
    double fitness;  /* of the current candidate; 0 while samples are tried */
    uint64_t waited; /* neighbours since it got better */
    opevo_proposal *step;
    size_t made, asked, told;
    opevo_index best; /* of the step so far, with its fitness; 0: nothing succeeded */
    double best_fitness;
} climb;

static const opevo_setting settings_table[] = {
    OPEVO_ROW_COUNT("neighbours", climb, neighbours, 1, 1, NEIGHBOURS_MOST,
                    "neighbours of a step, of which the best is taken",
                    .batch = OPEVO_BATCH_OF_WORKERS),
    OPEVO_ROW_COUNT("patience", climb, patience, 500, 1, 1000000,
                    "neighbours without an improvement before a restart"),
    OPEVO_ROW_REAL("q", climb, q, 0.5, 0, 1, "neighbour: probability of one more step of a walk",
                   .below_max = true),
};

static void destroy(opevo_tuner *tuner)
{
    climb *self = (climb *)tuner;

    opevo_index_set_destroy(self->seen);
    opevo_i_untried_destroy(self->fresh);
    opevo_free(self->step);
    opevo_free(self);
}

static opevo_status create_on(opevo_domain *domain, const opevo_setting_value *settings,
                              const opevo_rng *rng, opevo_tuner **out, opevo_error *err)
{
    climb *self = opevo_calloc(1, sizeof *self);

    OPEVO_NEED_OR_RETURN(self, "the tuner climb");
    self->domain = domain;
    OPEVO_SETTINGS_READ(settings_table, settings, self);
    self->rng = *rng;
    self->seen = opevo_index_set_create();
    self->fresh = opevo_i_untried_create_on(domain);
    self->step = opevo_malloc(self->neighbours, sizeof *self->step);
    if (!self->seen || !self->fresh || !self->step) {
        destroy(&self->super);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the tuner climb.");
    }
    *out = &self->super;
    return OPEVO_OK;
}

static opevo_status add(climb *self, opevo_index candidate, const char *origin, opevo_error *err)
{
    OPEVO_NEED_OR_RETURN(opevo_index_set_add(self->seen, candidate),
                         "remembering another candidate");
    self->step[self->made++] = (opevo_proposal){.point = candidate, .origin = origin};
    return OPEVO_OK;
}

/* Add a new neighbour, or none where mutations find none that is new and allowed. */
static opevo_status add_neighbour(climb *self, opevo_error *err)
{
    for (int tries = 0; tries < TRIES_MOST; tries++) {
        opevo_index found = 0;
        opevo_status status =
            opevo_domain_mutate(self->domain, self->current, self->q, &self->rng, &found, err);

        if (status == OPEVO_LIMIT)
            return OPEVO_OK;
        if (status != OPEVO_OK)
            return status;
        if (!opevo_index_set_has(self->seen, found))
            return add(self, found, "neighbour", err);
    }
    return OPEVO_OK;
}

/* Take the best of the last step, unless it is worse. */
static void take_step(climb *self)
{
    self->waited = self->best_fitness > self->fitness ? 0 : self->waited + self->made;
    if (self->best_fitness > 0 && self->best_fitness >= self->fitness) {
        self->current = self->best;
        self->fitness = self->best_fitness;
    }
    if (self->waited >= self->patience)
        self->fitness = 0;
}

/* Make the next step; an empty one says that the search is over. */
static opevo_status make_step(climb *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    self->made = self->asked = self->told = 0;
    self->best_fitness = 0;
    for (size_t i = 0; self->fitness > 0 && i < self->neighbours && self->made == i; i++)
        OPEVO_TRY(add_neighbour(self, err));
    if (self->made == 0) {
        opevo_index candidate = 0;

        self->fitness = 0;
        self->waited = 0;
        OPEVO_TRY(opevo_i_untried_draw(self->fresh, self->seen, &self->rng, &candidate,
                                       &self->super.reason, err));
        if (!self->super.reason)
            OPEVO_TRY(add(self, candidate, "uniform", err));
    }
cleanup:
    return status;
}

static opevo_status ask(opevo_tuner *tuner, opevo_proposal *proposals, size_t capacity,
                        size_t *count, opevo_error *err)
{
    climb *self = (climb *)tuner;
    size_t given = 0;

    if (self->told == self->made && !tuner->reason) {
        opevo_status status = OPEVO_OK;

        if (self->made > 0)
            take_step(self);
        status = make_step(self, err);
        if (status != OPEVO_OK)
            return status;
    }
    while (given < capacity && self->asked < self->made)
        proposals[given++] = self->step[self->asked++];
    *count = given;
    return OPEVO_OK;
}

static opevo_status tell(opevo_tuner *tuner, const opevo_trial *trials, size_t count,
                         opevo_error *err)
{
    climb *self = (climb *)tuner;

    for (size_t i = 0; i < count; i++) {
        if (trials[i].proposal.point != self->step[self->told].point)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "Tuner climb must be told outcomes in the order of its proposals.");
        self->told++;
        if (trials[i].outcome.fitness > self->best_fitness) {
            self->best = trials[i].proposal.point;
            self->best_fitness = trials[i].outcome.fitness;
        }
    }
    return OPEVO_OK;
}

/* The climb begins at the best of them. */
static opevo_status observe(opevo_tuner *tuner, const opevo_trial *trials, size_t count,
                            opevo_error *err)
{
    climb *self = (climb *)tuner;

    for (size_t i = 0; i < count; i++) {
        OPEVO_NEED_OR_RETURN(opevo_index_set_add(self->seen, trials[i].proposal.point),
                             "remembering another candidate");
        if (trials[i].outcome.fitness > self->fitness) {
            self->current = trials[i].proposal.point;
            self->fitness = trials[i].outcome.fitness;
        }
    }
    return OPEVO_OK;
}

const opevo_tuner_ops opevo_i_climb_ops = {
    .name = "climb",
    .summary = "hill climbing with random restarts, on any domain",
    .source = "Russell and Norvig, \"Artificial Intelligence\", 4th edition, section 4.1.1",
    .settings = settings_table,
    .setting_count = sizeof settings_table / sizeof *settings_table,
    .works_on_branches = true,
    .create_on = create_on,
    .ask = ask,
    .tell = tell,
    .destroy = destroy,
    .observe = observe,
};
