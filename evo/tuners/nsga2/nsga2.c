/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `nsga2`: the elitist genetic algorithm of Deb et al. for up to four criteria, on any domain. A
 * generation is made in rounds, of which the later ones replace what failed. A round is made whole,
 * then handed out as asked. Always true: told <= asked <= made; the first `kept` individuals are
 * the population, best first by the crowded comparison, and `children` of the generation stand
 * behind them. */

#include <opevo/memory.h>
#include <opevo/tuner.h>

#include "nsga2_pool_internal.h"
#include "untried_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    POPULATION_MOST = 10000,
    TRIES_MOST = 256 /* variations of one child until it is new */
};

typedef struct nsga2 {
    opevo_tuner super;
    opevo_domain *domain;
    size_t population;
    double crossover, mutation, q, elite_share;
    opevo_rng rng;
    opevo_index_set *seen;
    opevo_i_untried *fresh;
    const char *exhausted; /* why there are no more new candidates; NULL before */
    uint64_t generations;  /* begun */
    unsigned tournament;   /* 0: of uniform pairs; 1: of shuffled ones */
    size_t retries;
    opevo_i_nsga2_pool pool;    /* the population; behind it those told of the generation */
    opevo_proposal *generation; /* population; of one round of the generation */
    size_t made, asked, told;
    size_t round, failed; /* of the generation; told of the round, and to be replaced */
    size_t *pairs;        /* the population in the order of its tournaments */
    size_t pair;          /* of those, the first that had none */
} nsga2;

static const opevo_setting settings_table[] = {
    OPEVO_ROW_COUNT("population", nsga2, population, 100, 2, POPULATION_MOST,
                    "individuals that survive, and children in a generation",
                    .batch = OPEVO_BATCH_FIXED),
    OPEVO_ROW_REAL("crossover", nsga2, crossover, 0.9, 0, 1,
                   "probability that a child is a crossover of two parents"),
    OPEVO_ROW_REAL("mutation", nsga2, mutation, 1, 0, 1, "probability that a child is mutated"),
    OPEVO_ROW_REAL("q", nsga2, q, 0.5, 0, 1, "mutation: probability of one more step of a walk",
                   .below_max = true),
    OPEVO_ROW_CHOICE("tournament", nsga2, tournament, "uniform dcd",
                     "parents: two drawn uniformly, or shuffled pairs by dominance"),
    OPEVO_ROW_REAL("elite", nsga2, elite_share, 1, 0, 1,
                   "fraction of the population that competes with its children"),
    OPEVO_ROW_COUNT("retries", nsga2, retries, 0, 0, 1000,
                    "rounds in which failed candidates of a generation are replaced"),
};

static void destroy(opevo_tuner *tuner)
{
    nsga2 *self = (nsga2 *)tuner;

    opevo_index_set_destroy(self->seen);
    opevo_i_untried_destroy(self->fresh);
    opevo_i_nsga2_pool_free(&self->pool);
    opevo_free(self->generation);
    opevo_free(self->pairs);
    opevo_free(self);
}

static opevo_status create_on(opevo_domain *domain, const opevo_setting_value *settings,
                              const opevo_rng *rng, opevo_tuner **out, opevo_error *err)
{
    nsga2 *self = opevo_calloc(1, sizeof *self);

    OPEVO_NEED_OR_RETURN(self, "the tuner nsga2");
    self->domain = domain;
    OPEVO_SETTINGS_READ(settings_table, settings, self);
    self->rng = *rng;
    self->seen = opevo_index_set_create();
    self->fresh = opevo_i_untried_create_on(domain);
    opevo_i_nsga2_pool_create(self->population, self->elite_share, &self->pool);
    self->generation = opevo_malloc(self->population, sizeof *self->generation);
    self->pairs = opevo_malloc(self->population, sizeof *self->pairs);
    if (!self->seen || !self->fresh || !self->pool.individuals || !self->generation ||
        !self->pairs) {
        destroy(&self->super);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the tuner nsga2.");
    }
    *out = &self->super;
    return OPEVO_OK;
}

/* ---- Making a generation -------------------------------------------------------------------- */

static opevo_status add(nsga2 *self, opevo_index candidate, const char *origin, opevo_error *err)
{
    OPEVO_NEED_OR_RETURN(opevo_index_set_add(self->seen, candidate),
                         "remembering another candidate");
    self->generation[self->made++] = (opevo_proposal){.point = candidate, .origin = origin};
    return OPEVO_OK;
}

/* Add a new sample; when the space has no more, say why in `exhausted`. */
static opevo_status add_uniform(nsga2 *self, const char *origin, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_index candidate = 0;

    if (!self->exhausted)
        status = opevo_i_untried_draw(self->fresh, self->seen, &self->rng, &candidate,
                                      &self->exhausted, err);
    if (status != OPEVO_OK || self->exhausted)
        return status;
    return add(self, candidate, origin, err);
}

/* The winner of the next pair: by dominance, then by crowding, then by a coin. All fight once
 * before the pairs are shuffled again. */
static opevo_index select_by_dominance(nsga2 *self)
{
    const opevo_criteria *criteria = &self->super.criteria;
    const opevo_i_nsga2_individual *a = NULL;
    const opevo_i_nsga2_individual *b = NULL;

    if (self->pool.kept == 1)
        return self->pool.individuals[0].candidate;
    if (self->pair + 2 > self->pool.kept) {
        opevo_rng_order(&self->rng, self->pairs, self->pool.kept);
        self->pair = 0;
    }
    a = &self->pool.individuals[self->pairs[self->pair++]];
    b = &self->pool.individuals[self->pairs[self->pair++]];
    if (opevo_outcome_dominates(&a->outcome, &b->outcome, criteria))
        return a->candidate;
    if (opevo_outcome_dominates(&b->outcome, &a->outcome, criteria))
        return b->candidate;
    if (a->crowding != b->crowding)
        return a->crowding > b->crowding ? a->candidate : b->candidate;
    return opevo_rng_below(&self->rng, 2) ? a->candidate : b->candidate;
}

/* The better of two that are drawn uniformly. The population stands in order, so that is the one
 * that comes first. */
static opevo_index select_parent(nsga2 *self)
{
    uint64_t a = 0;
    uint64_t b = 0;

    if (self->tournament)
        return select_by_dominance(self);
    a = opevo_rng_below(&self->rng, self->pool.kept);
    b = opevo_rng_below(&self->rng, self->pool.kept);
    return self->pool.individuals[a < b ? a : b].candidate;
}

/* A child that may not be new. Errors: LIMIT where the domain finds none that is allowed. */
static opevo_status breed(nsga2 *self, opevo_index *child, opevo_error *err)
{
    opevo_index first = select_parent(self);
    opevo_index second = select_parent(self);
    opevo_status status = OPEVO_OK;

    *child = first;
    if (opevo_rng_unit(&self->rng) < self->crossover)
        status = opevo_domain_cross(self->domain, first, second, &self->rng, child, err);
    if (status == OPEVO_OK && opevo_rng_unit(&self->rng) < self->mutation)
        status = opevo_domain_mutate(self->domain, *child, self->q, &self->rng, child, err);
    return status;
}

/* Add a child, or a uniform candidate where no variation finds anything new and allowed. */
static opevo_status add_child(nsga2 *self, opevo_error *err)
{
    for (int tries = 0; tries < TRIES_MOST; tries++) {
        opevo_index child = 0;
        opevo_status status = breed(self, &child, err);

        if (status == OPEVO_LIMIT) /* after many tries of its own */
            break;
        if (status != OPEVO_OK)
            return status;
        if (!opevo_index_set_has(self->seen, child))
            return add(self, child, "child", err);
    }
    return add_uniform(self, "uniform", err);
}

/* Make so many proposals, fewer where nothing new is found. */
static opevo_status make_round(nsga2 *self, size_t wanted, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    self->made = self->asked = self->told = self->failed = 0;
    if (self->generations > 1 && self->pool.kept == 0) /* and no first individual is left to draw */
        return OPEVO_OK;
    for (size_t i = 0; i < wanted && status == OPEVO_OK && self->made == i; i++)
        status = self->generations > 1 ? add_child(self, err) : add_uniform(self, "initial", err);
    return status;
}

/* Make the next round of the generation, where some of it failed, or else the first round of the
 * next. An empty one says that the search is over. */
static opevo_status proceed(nsga2 *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    if (self->failed > 0) {
        self->round++;
        OPEVO_TRY(make_round(self, self->failed, err));
        if (self->made > 0)
            return OPEVO_OK;
    }
    if (self->pool.children > 0) {
        OPEVO_TRY(opevo_i_nsga2_pool_survive(&self->pool, &self->super.criteria, err));
        self->pair = self->pool.kept;
    }
    self->round = 0;
    self->generations++;
    OPEVO_TRY(make_round(
        self, self->generations == 1 ? self->population - self->pool.kept : self->population, err));
cleanup:
    return status;
}

/* ---- Asking and telling --------------------------------------------------------------------- */

static opevo_status ask(opevo_tuner *tuner, opevo_proposal *proposals, size_t capacity,
                        size_t *count, opevo_error *err)
{
    nsga2 *self = (nsga2 *)tuner;
    opevo_status status = OPEVO_OK;
    size_t given = 0;

    if (self->told == self->made && !tuner->reason) {
        status = proceed(self, err);
        if (status != OPEVO_OK)
            return status;
        if (self->made == 0)
            tuner->reason = self->exhausted;
    }
    while (given < capacity && self->asked < self->made)
        proposals[given++] = self->generation[self->asked++];
    *count = given;
    return OPEVO_OK;
}

static opevo_status tell(opevo_tuner *tuner, const opevo_trial *trials, size_t count,
                         opevo_error *err)
{
    nsga2 *self = (nsga2 *)tuner;

    for (size_t i = 0; i < count; i++) {
        bool replaced = self->round < self->retries && trials[i].outcome.kind != OPEVO_OUTCOME_OK;

        if (trials[i].proposal.point != self->generation[self->told].point)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "Tuner nsga2 must be told outcomes in the order of its proposals.");
        self->told++;
        self->failed += replaced;
        if (!replaced)
            opevo_i_nsga2_pool_add_child(&self->pool, &trials[i]);
    }
    return OPEVO_OK;
}

/* They are of the first population, in which at least one place is left. */
static opevo_status observe(opevo_tuner *tuner, const opevo_trial *trials, size_t count,
                            opevo_error *err)
{
    nsga2 *self = (nsga2 *)tuner;

    for (size_t i = 0; i < count; i++) {
        OPEVO_NEED_OR_RETURN(opevo_index_set_add(self->seen, trials[i].proposal.point),
                             "remembering another candidate");
        opevo_i_nsga2_pool_add_given(&self->pool, &trials[i]);
    }
    return OPEVO_OK;
}

const opevo_tuner_ops opevo_i_nsga2_ops = {
    .name = "nsga2",
    .summary = "elitist genetic algorithm for several criteria, on any domain",
    .source = "Deb et al., \"NSGA-II\", IEEE Trans. Evolutionary Computation 6(2), 2002",
    .settings = settings_table,
    .setting_count = sizeof settings_table / sizeof *settings_table,
    .create_on = create_on,
    .ask = ask,
    .tell = tell,
    .destroy = destroy,
    .observe = observe,
    .by_criteria = true,
    .works_on_branches = true,
};
