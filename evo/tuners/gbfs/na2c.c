/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `na2c`: Neighborhood Actor Advantage Critic. Short episodes from the best point so far; a policy,
 * learned from what they meet, chooses the moves.
 *
 * Source: Zhang, Cheng, Zang, Park, "Compiler-Level Matrix Multiplication Optimization for Deep
 * Learning", 2019 (arXiv 1909.10616), N-A2C; Gao et al., "OpEvo", section 2 and appendix B (at most
 * 3 steps, start at the configuration without tiling). What these leave open follows the authors of
 * OpEvo (NNI, na2c.py), without its defects (na2c_reference.c):
 * - An episode makes `steps` moves. Each is uniform with probability epsilon, else drawn from the
 *   policy. A move that leads nowhere costs its step. Every new allowed point that is met is
 *   collected; a forbidden or known one is only passed through. Where allowed points are rare, a
 *   move and the start are made allowed by the space's diagram.
 * - Episodes follow one another until at least `states` points are collected. These are proposed;
 *   once all are known there is one step of Adam on the advantage r - V(s), and the best point so
 *   far becomes the start.
 *
 * Deliberate deviations:
 * - The reward is the fitness as a share of the best one so far, so that its unit does not matter.
 * - The memory of earlier transitions that the publication trains with is left out, as in NNI: its
 *   size is not given there, and a policy gradient wants samples of the policy as it is.
 * - Any parameter takes part (moves_internal.h); the originals know factorisations only. A move to
 *   another branch leads to its first point.
 * - After 1024 episodes in a row that met nothing new, the search starts over at a uniform new
 *   point; the sources do not say what happens then, and NNI's program does not come back. */

#include "na2c_internal.h"

#include <opevo/diagram.h>
#include <opevo/memory.h>
#include <opevo/space_listed.h>

#include "moves_internal.h"
#include "rounds_internal.h"
#include "visited_internal.h"

#include <math.h>
#include <string.h>

enum {
    EPISODES_MOST = 1024,
    COUNT_MOST = 1000,
    ROWS_MOST = 1 << 22, /* numbers: 16 MB */
    WINDOW = 16          /* bounds that a draw compares at once */
};

typedef struct na2c {
    opevo_tuner super;
    const opevo_space *space;
    opevo_i_gbfs_na2c_kind kind;
    size_t states;
    size_t steps;
    size_t concurrency;
    double epsilon;
    opevo_rng rng;
    opevo_i_rounds *rounds;
    opevo_i_gbfs_moves *moves;
    opevo_i_gbfs_actor_critic *network; /* NULL for the uniform policy */
    bool restarts;                      /* the round is a new start, not collected */

    opevo_i_gbfs_visited *places;
    opevo_index start;    /* from which episodes go */
    uint32_t start_place; /* where `start_known` */
    bool start_known;
    double start_fitness;
    double best_fitness;

    /* One for each point of the round: from which state it was met, by which move, to what reward.
     */
    size_t sample_capacity;
    float *features;
    size_t *actions;
    double *fitness;
    double *rewards;
    size_t *order; /* scratch: samples in the order in which their trials complete */

    /* The policy where it was asked for since the network last learned, as rows of bounds
     * (find_policy). The row of a place is its `row` less `row_base`, which is at least 1. */
    uint64_t row_base;
    size_t row_count;
    size_t row_capacity;
    float *rows;
} na2c;

const opevo_setting opevo_i_gbfs_na2c_settings[OPEVO_I_NA2C_SETTING_COUNT] = {
    [OPEVO_I_NA2C_STATES] = OPEVO_ROW_COUNT("states", na2c, states, 6, 1, COUNT_MOST,
                                            "new points to collect before they are evaluated",
                                            .batch = OPEVO_BATCH_FIXED),
    [OPEVO_I_NA2C_STEPS] =
        OPEVO_ROW_COUNT("steps", na2c, steps, 3, 1, COUNT_MOST, "moves of an episode"),
    [OPEVO_I_NA2C_EPSILON] =
        OPEVO_ROW_REAL("epsilon", na2c, epsilon, 0.1, 0, 1,
                       "probability that a move is uniform instead of the policy's"),
    [OPEVO_I_NA2C_CONCURRENCY] =
        OPEVO_ROW_COUNT("concurrency", na2c, concurrency, 6, 1, COUNT_MOST,
                        "trials in flight; if not 1, rewards are assigned to the wrong moves"),
};

void opevo_i_gbfs_na2c_destroy(opevo_tuner *tuner)
{
    na2c *self = (na2c *)tuner;

    opevo_i_rounds_destroy(self->rounds);
    opevo_i_gbfs_moves_destroy(self->moves);
    opevo_i_gbfs_actor_critic_destroy(self->network);
    opevo_i_gbfs_visited_destroy(self->places);
    opevo_free(self->features);
    opevo_free(self->actions);
    opevo_free(self->fitness);
    opevo_free(self->rewards);
    opevo_free(self->order);
    opevo_free(self->rows);
    opevo_free(self);
}

static opevo_status allocate(na2c *self, opevo_error *err)
{
    size_t features = opevo_i_gbfs_moves_feature_count(self->moves);

    /* An episode begins while fewer than `states` are collected, and adds up to `steps`. */
    self->sample_capacity = self->states - 1 + self->steps;
    self->rounds = opevo_i_rounds_create(self->space);
    self->places = opevo_i_gbfs_visited_create(self->space, self->moves);
    self->features = opevo_malloc(self->sample_capacity, features * sizeof *self->features);
    self->actions = opevo_malloc(self->sample_capacity, sizeof *self->actions);
    self->fitness = opevo_malloc(self->sample_capacity, sizeof *self->fitness);
    self->rewards = opevo_malloc(self->sample_capacity, sizeof *self->rewards);
    self->order = opevo_malloc(self->sample_capacity, sizeof *self->order);
    OPEVO_NEED_OR_RETURN(self->rounds && self->places && self->features && self->actions &&
                             self->fitness && self->rewards && self->order,
                         "an actor and a critic");
    return OPEVO_OK;
}

/* The uniform one has no policy, and only the reference has trials in flight. */
static const size_t setting_counts[] = {
    [OPEVO_I_NA2C_PUBLISHED] = OPEVO_I_NA2C_CONCURRENCY,
    [OPEVO_I_NA2C_REFERENCE] = OPEVO_I_NA2C_SETTING_COUNT,
    [OPEVO_I_NA2C_UNIFORM] = OPEVO_I_NA2C_EPSILON,
};

opevo_status opevo_i_gbfs_na2c_create(const opevo_space *space, const opevo_setting_value *settings,
                                      const opevo_rng *rng, opevo_i_gbfs_na2c_kind kind,
                                      opevo_tuner **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    na2c *self = opevo_calloc(1, sizeof *self);

    OPEVO_NEED_OR_RETURN(self, "an actor and a critic");
    self->space = space;
    self->kind = kind;
    self->epsilon = 1;
    self->concurrency = 1;
    opevo_settings_read(opevo_i_gbfs_na2c_settings, setting_counts[kind], settings, self);
    self->rng = *rng;
    self->row_base = 1;
    self->start = opevo_space_start(space);
    OPEVO_TRY(opevo_i_gbfs_moves_create(space, &self->moves, err));
    OPEVO_TRY(allocate(self, err));
    if (kind != OPEVO_I_NA2C_UNIFORM && opevo_i_gbfs_moves_count(self->moves) > 0)
        OPEVO_TRY(opevo_i_gbfs_actor_critic_create(opevo_i_gbfs_moves_feature_count(self->moves),
                                                   opevo_i_gbfs_moves_count(self->moves),
                                                   &self->rng, &self->network, err));
    *out = &self->super;
    self = NULL;
cleanup:
    if (self)
        opevo_i_gbfs_na2c_destroy(&self->super);
    return status;
}

/* ---- Episodes ---- */

static void forget_policy(na2c *self)
{
    self->row_base += self->row_count;
    self->row_count = 0;
}

/* The row of a place: looked up, or computed and kept; NULL without memory. Episodes meet the same
 * few places many times before the network changes.
 *
 * With x uniform in [0, 1) a move is uniform if x < epsilon. Otherwise x is uniform in [epsilon,
 * 1), and the row says for each action but the last below which x it is chosen. Single precision,
 * as the probabilities have it, puts these bounds off by at most the number of actions times
 * 2^-23. */
static const float *find_policy(na2c *self, uint32_t at)
{
    size_t actions = opevo_i_gbfs_moves_count(self->moves);
    size_t size = actions + WINDOW;
    float sum = (float)self->epsilon;
    opevo_i_gbfs_visited_point *place = opevo_i_gbfs_visited_at(self->places, at);
    float *row = NULL;

    if (place->row >= self->row_base)
        return self->rows + (place->row - self->row_base) * size;
    if (self->row_count * size > ROWS_MOST)
        forget_policy(self);
    if (!opevo_reserve((void **)&self->rows, &self->row_capacity, self->row_count + 1,
                       size * sizeof *self->rows))
        return NULL;
    place->row = self->row_base + self->row_count;
    row = self->rows + self->row_count++ * size;
    opevo_i_gbfs_actor_critic_policy(self->network, opevo_i_gbfs_visited_features(self->places, at),
                                     row);
    for (size_t i = 0; i < actions - 1; i++)
        row[i] = sum += (float)(1 - self->epsilon) * row[i];
    for (size_t i = actions - 1; i < size; i++)
        row[i] = INFINITY;
    return row;
}

/* The first of `count` actions whose bound in the row exceeds x. Steps of an episode wait for each
 * other, so the last few bounds are compared all at once instead of one after the other. */
static size_t draw(const float *row, size_t count, float x)
{
    size_t first = 0;
    int past = 0;

    while (count > WINDOW) {
        size_t half = count / 2;

        first += row[first + half - 1] <= x ? half : 0;
        count -= half;
    }
    for (size_t i = 0; i < WINDOW; i++)
        past += row[first + i] <= x;
    return first + (size_t)past;
}

static opevo_status choose_action(na2c *self, uint32_t at, size_t *action, opevo_error *err)
{
    size_t actions = opevo_i_gbfs_moves_count(self->moves);
    const float *row = NULL;
    double x = self->network ? opevo_rng_unit(&self->rng) : 0; /* without one epsilon is 1 */

    if (x < self->epsilon) {
        *action = (size_t)opevo_rng_below(&self->rng, actions);
        return OPEVO_OK;
    }
    row = find_policy(self, at);
    OPEVO_NEED_OR_RETURN(row, "the policy at another point");
    *action = draw(row, actions, (float)x);
    return OPEVO_OK;
}

/* Collect the point of a place that was reached by `action` from the place `from`, if it is new and
 * allowed. */
static opevo_status arrive(na2c *self, uint32_t at, uint32_t from, size_t action, opevo_error *err)
{
    size_t sample = opevo_i_rounds_count(self->rounds);
    size_t features = opevo_i_gbfs_moves_feature_count(self->moves);
    opevo_i_gbfs_visited_point *place = opevo_i_gbfs_visited_at(self->places, at);
    opevo_index point = place->point;
    opevo_index vertices[OPEVO_SPACE_PARAMETERS_MAX];

    place->settled = true;
    if (opevo_space_is_sparse(self->space)) {
        opevo_space_decode(self->space, point, vertices);
        if (!opevo_i_rounds_nearest(self->rounds, vertices, &point))
            return OPEVO_OK;
    }
    if (!opevo_space_allows(self->space, point) || opevo_i_rounds_has(self->rounds, point))
        return OPEVO_OK;
    if (self->network) {
        memcpy(self->features + sample * features,
               opevo_i_gbfs_visited_features(self->places, from),
               features * sizeof *self->features);
        self->actions[sample] = action;
    }
    return opevo_i_rounds_add(self->rounds, point, "episode", err);
}

static opevo_status run_episode(na2c *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    uint32_t at = 0;

    if (!self->start_known || opevo_i_gbfs_visited_trim(self->places))
        OPEVO_TRY(opevo_i_gbfs_visited_find(self->places, self->start, &self->start_place, err));
    self->start_known = true;
    at = self->start_place;
    for (size_t step = 0; step < self->steps; step++) {
        size_t action = 0;
        uint32_t from = at;

        OPEVO_TRY(choose_action(self, at, &action, err));
        OPEVO_TRY(opevo_i_gbfs_visited_move(self->places, from, action, &self->rng, &at, err));
        /* In this order: nearly all places are settled, but many moves lead nowhere. */
        if (!opevo_i_gbfs_visited_at(self->places, at)->settled && at != from)
            OPEVO_TRY(arrive(self, at, from, action, err));
    }
cleanup:
    return status;
}

/* Collect the next round. */
static opevo_status collect(na2c *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t in_vain = opevo_i_gbfs_moves_count(self->moves) > 0 ? 0 : EPISODES_MOST;

    opevo_i_rounds_begin(self->rounds);
    while (opevo_i_rounds_count(self->rounds) < self->states && in_vain < EPISODES_MOST) {
        size_t before = opevo_i_rounds_count(self->rounds);

        OPEVO_TRY(run_episode(self, err));
        in_vain = opevo_i_rounds_count(self->rounds) > before ? 0 : in_vain + 1;
    }
    if (self->kind == OPEVO_I_NA2C_REFERENCE)
        opevo_i_rounds_reverse(self->rounds);
    self->restarts = opevo_i_rounds_count(self->rounds) == 0;
    if (self->restarts)
        OPEVO_TRY(opevo_i_rounds_add_uniform(self->rounds, &self->rng, "restart",
                                             &self->super.reason, err));
cleanup:
    return status;
}

/* ---- Learning ---- */

/* Where in the round the sample is, and which sample is there: the reference turns rounds round. */
static size_t place_of(const na2c *self, size_t sample)
{
    if (self->kind == OPEVO_I_NA2C_REFERENCE)
        return opevo_i_rounds_count(self->rounds) - 1 - sample;
    return sample;
}

static double fitness_of(const na2c *self, size_t sample)
{
    return opevo_i_rounds_fitness(self->rounds, place_of(self, sample));
}

/* The order in which trials complete where `concurrency` of them run at a time: any in flight may
 * be the next. */
static void order_completions(na2c *self)
{
    size_t count = opevo_i_rounds_count(self->rounds);
    size_t *order = self->order;

    for (size_t i = 0; i < count; i++)
        order[i] = place_of(self, i);
    for (size_t i = 0; i < count && self->concurrency > 1; i++) {
        size_t flying = count - i < self->concurrency ? count - i : self->concurrency;
        size_t chosen = i + (size_t)opevo_rng_below(&self->rng, flying);
        size_t completed = order[chosen];

        memmove(order + i + 1, order + i, (chosen - i) * sizeof *order);
        order[i] = completed;
    }
}

void opevo_i_gbfs_na2c_misplace_rewards(const size_t *order, const double *fitness, size_t count,
                                        double *rewards)
{
    for (size_t i = 0; i < count; i++)
        rewards[i] = 0;
    for (size_t i = 0; i < count; i++) {
        size_t place = order[i];

        for (size_t k = 0; k < i; k++)
            place -= order[k] < order[i];
        rewards[place] = fitness[order[i]];
    }
}

/* A point that is better than the start becomes the start; among equals the first to complete. */
static void move_start(na2c *self)
{
    for (size_t i = 0; i < opevo_i_rounds_count(self->rounds); i++) {
        size_t place = place_of(self, self->order[i]);
        double fitness = opevo_i_rounds_fitness(self->rounds, place);

        if (fitness > self->best_fitness)
            self->best_fitness = fitness;
        if (fitness > self->start_fitness || self->restarts) {
            self->start_fitness = fitness;
            self->start = opevo_i_rounds_point(self->rounds, place);
            self->start_known = false;
        }
    }
}

static void set_rewards(na2c *self)
{
    size_t count = opevo_i_rounds_count(self->rounds);

    for (size_t i = 0; i < count; i++)
        self->fitness[i] = fitness_of(self, i);
    if (self->kind == OPEVO_I_NA2C_REFERENCE) {
        opevo_i_gbfs_na2c_misplace_rewards(self->order, self->fitness, count, self->rewards);
        return;
    }
    for (size_t i = 0; i < count; i++)
        self->rewards[i] = self->best_fitness > 0 ? self->fitness[i] / self->best_fitness : 0;
}

/* What follows from a complete round. */
static opevo_status learn(na2c *self, opevo_error *err)
{
    size_t count = opevo_i_rounds_count(self->rounds);

    order_completions(self);
    move_start(self);
    if (!self->network || count == 0 || self->restarts)
        return OPEVO_OK;
    set_rewards(self);
    forget_policy(self);
    return opevo_i_gbfs_actor_critic_learn(
        self->network, self->features, self->actions, self->rewards, count,
        self->kind == OPEVO_I_NA2C_REFERENCE ? OPEVO_I_LOSS_REFERENCE : OPEVO_I_LOSS_PUBLISHED,
        err);
}

opevo_status opevo_i_gbfs_na2c_ask(opevo_tuner *tuner, opevo_proposal *proposals, size_t capacity,
                                   size_t *count, opevo_error *err)
{
    na2c *self = (na2c *)tuner;
    opevo_status status = OPEVO_OK;

    if (opevo_i_rounds_complete(self->rounds) && !tuner->reason) {
        OPEVO_TRY(learn(self, err));
        OPEVO_TRY(collect(self, err));
    }
    *count = opevo_i_rounds_ask(self->rounds, proposals, capacity);
cleanup:
    return status;
}

opevo_status opevo_i_gbfs_na2c_tell(opevo_tuner *tuner, const opevo_trial *trials, size_t count,
                                    opevo_error *err)
{
    return opevo_i_rounds_tell(((na2c *)tuner)->rounds, trials, count, err);
}

/* Episodes go from the best of them. */
opevo_status opevo_i_gbfs_na2c_observe(opevo_tuner *tuner, const opevo_trial *trials, size_t count,
                                       opevo_error *err)
{
    na2c *self = (na2c *)tuner;

    for (size_t i = 0; i < count; i++) {
        double fitness = trials[i].outcome.fitness;

        if (fitness > self->start_fitness) {
            self->start_fitness = self->best_fitness = fitness;
            self->start = trials[i].proposal.point;
            self->start_known = false;
        }
    }
    return opevo_i_rounds_know(self->rounds, trials, count, err);
}

static opevo_status create(const opevo_space *space, const opevo_setting_value *settings,
                           const opevo_rng *rng, opevo_tuner **out, opevo_error *err)
{
    return opevo_i_gbfs_na2c_create(space, settings, rng, OPEVO_I_NA2C_PUBLISHED, out, err);
}

const opevo_tuner_ops opevo_i_na2c_ops = {
    .name = "na2c",
    .summary = "short episodes from the best point, by a policy network that learns",
    .source = "Zhang et al., arXiv 1909.10616, N-A2C; \"OpEvo\", section 2 and appendix B",
    .settings = opevo_i_gbfs_na2c_settings,
    .setting_count = OPEVO_I_NA2C_CONCURRENCY,
    .works_on_branches = true,
    .create = create,
    .ask = opevo_i_gbfs_na2c_ask,
    .tell = opevo_i_gbfs_na2c_tell,
    .destroy = opevo_i_gbfs_na2c_destroy,
    .observe = opevo_i_gbfs_na2c_observe,
};
