/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A batch that would be empty is filled with uniform points; Ansor stops. So the search goes on
 * until every allowed point was proposed. */

#include "evolution_internal.h"

#include <opevo/memory.h>
#include <opevo/space_listed.h>

#include <math.h>
#include <string.h>

enum {
    FAILURES_MOST = 1 << 20, /* mutations that failed, of one generation */
    SPARE = 2,               /* best points kept for each that a batch has room for */
    HALF_LIFE = 64           /* trials that halve the weight of a stored model, as in autotvm */
};

void opevo_i_tvm_evolution_release(opevo_i_tvm_evolution *self)
{
    opevo_i_rounds_destroy(self->rounds);
    opevo_i_tvm_surrogate_destroy(self->surrogate);
    opevo_i_tvm_surrogate_destroy(self->guide);
    opevo_free(self->points);
    opevo_free(self->vertices);
    opevo_free(self->scores);
    opevo_free(self->below);
    opevo_free(self->next_points);
    opevo_free(self->next_vertices);
    opevo_free(self->best);
    opevo_free(self->random);
    opevo_free(self->measured);
    opevo_free(self->earlier);
}

/* Points of a batch that are to be random. */
static size_t random_wanted(const opevo_i_tvm_evolution *self)
{
    return (size_t)(self->plan.random * (double)self->plan.batch);
}

bool opevo_i_tvm_evolution_init(opevo_i_tvm_evolution *self, const opevo_i_tvm_evolution_ways *ways,
                                const opevo_i_tvm_evolution_plan *plan, const opevo_space *space,
                                const opevo_rng *rng)
{
    size_t row = opevo_space_parameter_count(space) * sizeof(opevo_index);

    self->ways = ways;
    self->plan = *plan;
    self->space = space;
    self->diagram = opevo_space_draws_from(space);
    self->width = opevo_space_parameter_count(space);
    self->rng = *rng;
    opevo_i_tvm_model_stream(rng, &self->of_model);
    self->room = plan->population + (size_t)(plan->measured * (double)plan->population);
    self->best_most = SPARE * plan->batch;
    self->rounds = opevo_i_rounds_create(space);
    self->points = opevo_malloc(self->room, sizeof *self->points);
    self->vertices = opevo_malloc(self->room, row);
    self->scores = opevo_malloc(self->room, sizeof *self->scores);
    self->below = opevo_malloc(self->room, sizeof *self->below);
    self->next_points = opevo_malloc(self->room, sizeof *self->next_points);
    self->next_vertices = opevo_malloc(self->room, row);
    self->best = opevo_malloc(self->best_most, sizeof *self->best);
    self->random_most = (SPARE + 1) * plan->batch;
    self->random = opevo_malloc(self->random_most, sizeof *self->random);
    return self->rounds && self->points && self->vertices && self->scores && self->below &&
           self->next_points && self->next_vertices && self->best && self->random;
}

/* ---- Scores ---- */

void opevo_i_tvm_scored_insert(opevo_i_tvm_scored *list, size_t *count, size_t most,
                               opevo_i_tvm_scored added)
{
    size_t low = 0;
    size_t high = *count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (list[middle].score >= added.score)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == most)
        return;
    if (*count < most)
        ++*count;
    memmove(list + low + 1, list + low, (*count - 1 - low) * sizeof *list);
    list[low] = added;
}

/* Whether the model is to be asked; before that, scores are uniform. */
static bool is_warm(const opevo_i_tvm_evolution *self)
{
    return self->taught || (opevo_i_tvm_surrogate_count(self->surrogate) > self->plan.warmup &&
                            opevo_i_tvm_surrogate_can_fit(self->surrogate));
}

opevo_status opevo_i_tvm_evolution_score(opevo_i_tvm_evolution *self, const opevo_index *points,
                                         const opevo_index *vertices, size_t count, float *scores,
                                         opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    if (is_warm(self))
        return opevo_i_tvm_surrogate_predict(self->surrogate, points, vertices, count, scores, err);
    if (self->guide)
        return opevo_i_tvm_surrogate_predict(self->guide, points, vertices, count, scores, err);
    for (size_t i = 0; i < count; i++) {
        bool known = true;

        if (self->plan.of_programs)
            status = opevo_i_tvm_surrogate_knows(self->surrogate, points[i],
                                                 vertices + i * self->width, &known, err);
        if (status != OPEVO_OK)
            return status;
        scores[i] = known ? (float)opevo_rng_unit(&self->rng) : -INFINITY;
    }
    return OPEVO_OK;
}

static bool is_listed(const opevo_i_tvm_evolution *self, opevo_index point)
{
    for (size_t i = 0; i < self->best_count; i++) {
        if (self->best[i].point == point)
            return true;
    }
    return false;
}

void opevo_i_tvm_evolution_list(opevo_i_tvm_evolution *self)
{
    for (size_t i = 0; i < self->now_count; i++) {
        opevo_i_tvm_scored one = {.score = (double)self->scores[i], .point = self->points[i]};

        if (isinf(one.score) || (self->best_count == self->best_most &&
                                 !(one.score > self->best[self->best_most - 1].score)))
            continue;
        if (one.point == OPEVO_INDEX_MAX) /* of a wide space */
            one.point = opevo_space_encode(self->space, self->vertices + i * self->width);
        if (one.point != OPEVO_INDEX_MAX && !is_listed(self, one.point) &&
            !opevo_i_rounds_has(self->rounds, one.point))
            opevo_i_tvm_scored_insert(self->best, &self->best_count, self->best_most, one);
    }
}

/* ---- Breeding ---- */

/* The best points of this run and of those learned from, by fitness over the best of their run. */
static void add_measured(opevo_i_tvm_evolution *self)
{
    size_t most = self->room - self->plan.population;
    size_t own = 0, earlier = 0;

    while (own + earlier < most && (own < self->measured_count || earlier < self->earlier_count)) {
        bool takes_own =
            own < self->measured_count &&
            (earlier == self->earlier_count ||
             self->measured[own].score >= self->earlier[earlier].score * self->best_fitness);

        self->points[self->now_count++] =
            takes_own ? self->measured[own++].point : self->earlier[earlier++].point;
    }
}

/* The first generation: the samples, and then the best measured points. */
static opevo_status start_generation(opevo_i_tvm_evolution *self, opevo_error *err)
{
    opevo_status status = self->ways->sample(self, err);
    size_t sampled = self->now_count;

    if (status != OPEVO_OK)
        return status;
    add_measured(self);
    for (size_t i = sampled; i < self->now_count; i++)
        opevo_space_decode(self->space, self->points[i], self->vertices + i * self->width);
    return OPEVO_OK;
}

void opevo_i_tvm_evolution_choose_random(opevo_i_tvm_evolution *self)
{
    self->random_count = self->now_count ? (SPARE + 1) * random_wanted(self) : 0;
    for (size_t i = 0; i < self->random_count; i++)
        self->random[i] = self->points[opevo_rng_below(&self->rng, self->now_count)];
}

void opevo_i_tvm_evolution_weigh(opevo_i_tvm_evolution *self)
{
    double sum = 0;

    for (size_t i = 0; i < self->now_count; i++) {
        sum += self->scores[i] > 0 ? (double)self->scores[i] : 0;
        self->below[i] = sum;
    }
    for (size_t i = 0; i < self->now_count && !(sum > 0); i++)
        self->below[i] = (double)(i + 1);
}

size_t opevo_i_tvm_evolution_parent(opevo_i_tvm_evolution *self)
{
    return opevo_rng_weighted(&self->rng, self->below, self->now_count);
}

/* The next generation: children of parents drawn by score. */
static opevo_status breed(opevo_i_tvm_evolution *self, opevo_error *err)
{
    opevo_index *points = self->points;
    opevo_index *vertices = self->vertices;
    size_t failures = 0;
    size_t made = 0;

    opevo_i_tvm_evolution_weigh(self);
    if (self->ways->cross) {
        opevo_status status = self->ways->cross(self, &made, err);

        if (status != OPEVO_OK)
            return status;
    }
    while (made < self->plan.population) {
        size_t parent = opevo_i_tvm_evolution_parent(self);
        opevo_index *child = self->next_vertices + made * self->width;
        bool copied =
            failures >= FAILURES_MOST || opevo_rng_unit(&self->rng) >= self->plan.mutation;

        memcpy(child, vertices + parent * self->width, self->width * sizeof *child);
        self->next_points[made] = points[parent];
        if (copied || self->ways->mutate(self, child, &self->next_points[made]))
            made++;
        else
            failures++;
    }
    self->points = self->next_points;
    self->vertices = self->next_vertices;
    self->next_points = points;
    self->next_vertices = vertices;
    self->now_count = self->plan.population;
    return OPEVO_OK;
}

static opevo_status evolve(opevo_i_tvm_evolution *self, opevo_error *err)
{
    size_t generations = self->guide && !is_warm(self) ? 0 : self->plan.generations;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(start_generation(self, err));
    opevo_i_tvm_evolution_choose_random(self);
    for (size_t k = 0; self->now_count > 0; k++) {
        OPEVO_TRY(opevo_i_tvm_evolution_score(self, self->points, self->vertices, self->now_count,
                                              self->scores, err));
        opevo_i_tvm_evolution_list(self);
        if (k == generations)
            break;
        OPEVO_TRY(breed(self, err));
    }
cleanup:
    return status;
}

/* ---- Batches ---- */

static opevo_status ensure_surrogate(opevo_i_tvm_evolution *self, opevo_error *err)
{
    const opevo_i_tvm_boosting boosting = {
        .loss = OPEVO_I_LOSS_SQUARED,
        .depth = 10,
        .gamma = 0.001,
        .child_weight = 0,
        .eta = 0.2,
        .rounds = (unsigned)self->plan.trees,
        .patience = 50,
        .stride = 2,
        .recall_size = 0,
        .by_rows = self->plan.of_programs,
        .histograms = opevo_space_is_wide(self->space),
    };

    const opevo_i_tvm_surrogate_plan plan = {
        .choice = self->plan.model,
        .features = self->super.features,
        .trees = self->super.trees,
        .how = {.loss = boosting.loss,
                .rng = &self->of_model,
                .updates = self->plan.model.updates,
                .boosting = &boosting},
        .batch_most = self->room,
    };
    opevo_status status = OPEVO_OK;

    if (!self->surrogate)
        status = opevo_i_tvm_surrogate_create(self->space, &plan, &self->surrogate, err);
    if (status != OPEVO_OK)
        return status;
    if (self->plan.of_programs)
        opevo_i_tvm_surrogate_refuse_missing(self->surrogate);
    return OPEVO_OK;
}

static opevo_status observe_one(opevo_i_tvm_evolution *self, opevo_index point, double fitness,
                                opevo_error *err)
{
    OPEVO_NEED_OR_RETURN(opevo_reserve((void **)&self->measured, &self->measured_capacity,
                                       self->measured_count + 1, sizeof *self->measured),
                         "remembering a trial");
    opevo_i_tvm_scored_insert(self->measured, &self->measured_count, self->measured_capacity,
                              (opevo_i_tvm_scored){.score = fitness, .point = point});
    self->since_best++;
    if (fitness > self->best_fitness) {
        self->best_fitness = fitness;
        self->since_best = 0;
    }
    return opevo_i_tvm_surrogate_observe(self->surrogate, point, fitness, err);
}

bool opevo_i_tvm_evolution_allows(const opevo_i_tvm_evolution *self, opevo_index *vertices,
                                  opevo_index *point)
{
    if (!opevo_space_is_wide(self->space) || opevo_i_tvm_surrogate_needs_numbers(self->surrogate))
        return opevo_i_tvm_evolution_settle(self, vertices, point);
    *point = OPEVO_INDEX_MAX;
    if (!self->diagram)
        return opevo_space_allows_vertices(self->space, vertices);
    opevo_diagram_settle(self->diagram, vertices);
    return true;
}

bool opevo_i_tvm_evolution_settle(const opevo_i_tvm_evolution *self, opevo_index *vertices,
                                  opevo_index *point)
{
    if (self->diagram)
        opevo_diagram_settle(self->diagram, vertices);
    *point = opevo_space_encode(self->space, vertices);
    return self->diagram || opevo_space_allows(self->space, *point);
}

bool opevo_i_tvm_evolution_step(opevo_i_tvm_evolution *self, opevo_index *vertices,
                                opevo_index *point)
{
    *point = opevo_space_listed_step(self->space, opevo_space_encode(self->space, vertices),
                                     opevo_rng_u64(&self->rng));
    opevo_space_decode(self->space, *point, vertices);
    return true;
}

static opevo_status observe_round(opevo_i_tvm_evolution *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < opevo_i_rounds_count(self->rounds) && status == OPEVO_OK; i++)
        status = observe_one(self, opevo_i_rounds_point(self->rounds, i),
                             opevo_i_rounds_fitness(self->rounds, i), err);
    return status;
}

/* Train where there is enough new to learn from. */
static opevo_status train(opevo_i_tvm_evolution *self, opevo_error *err)
{
    static const opevo_i_tvm_fit fit = {.weighted = true, .half_life = HALF_LIFE};
    size_t count = opevo_i_tvm_surrogate_count(self->surrogate);
    opevo_status status = OPEVO_OK;

    if (self->plan.trees == 0 || !is_warm(self) ||
        !opevo_i_tvm_surrogate_can_fit(self->surrogate) ||
        (opevo_i_tvm_surrogate_is_ready(self->surrogate) &&
         (double)(count - self->trained_on) < self->plan.retrain * (double)self->trained_on))
        return OPEVO_OK;
    status = opevo_i_tvm_surrogate_fit(self->surrogate, &fit, err);
    self->trained_on = count;
    return status;
}

/* Fill the round from the best points and then the random ones; each list stands in for the other
 * where that has no more, and uniform points for both. */
static opevo_status make_round(opevo_i_tvm_evolution *self, opevo_error *err)
{
    size_t good = self->plan.batch - random_wanted(self);
    size_t best = 0, random = 0;
    const char *exhausted = NULL;
    opevo_status status = OPEVO_OK;

    opevo_i_rounds_begin(self->rounds);
    while (opevo_i_rounds_count(self->rounds) < self->plan.batch && status == OPEVO_OK &&
           (best < self->best_count || random < self->random_count)) {
        bool wants_best = opevo_i_rounds_count(self->rounds) < good;
        bool takes_best = best < self->best_count && (wants_best || random == self->random_count);
        opevo_index point = takes_best ? self->best[best++].point : self->random[random++];

        if (!opevo_i_rounds_has(self->rounds, point))
            status = opevo_i_rounds_add(self->rounds, point, takes_best ? "model" : "random", err);
    }
    if (opevo_i_rounds_count(self->rounds) > 0)
        return status;
    while (opevo_i_rounds_count(self->rounds) < self->plan.batch && status == OPEVO_OK &&
           !exhausted)
        status = opevo_i_rounds_add_uniform(self->rounds, &self->rng, "uniform", &exhausted, err);
    if (status == OPEVO_OK && opevo_i_rounds_count(self->rounds) == 0)
        self->super.reason = exhausted;
    return status;
}

opevo_status opevo_i_tvm_evolution_ask(opevo_tuner *tuner, opevo_proposal *proposals,
                                       size_t capacity, size_t *count, opevo_error *err)
{
    opevo_i_tvm_evolution *self = (opevo_i_tvm_evolution *)tuner;
    opevo_status status = OPEVO_OK;

    if (opevo_i_rounds_complete(self->rounds) && !tuner->reason) {
        OPEVO_TRY(ensure_surrogate(self, err));
        OPEVO_TRY(observe_round(self, err));
        if (self->plan.patience > 0 && self->since_best > self->plan.patience) {
            tuner->reason = "no trial of the last `patience` ones was the best";
            *count = 0;
            return OPEVO_OK;
        }
        OPEVO_TRY(train(self, err));
        self->best_count = self->random_count = 0;
        OPEVO_TRY((self->ways->choose ? self->ways->choose : evolve)(self, err));
        OPEVO_TRY(make_round(self, err));
    }
    *count = opevo_i_rounds_ask(self->rounds, proposals, capacity);
cleanup:
    return status;
}

opevo_status opevo_i_tvm_evolution_tell(opevo_tuner *tuner, const opevo_trial *trials, size_t count,
                                        opevo_error *err)
{
    return opevo_i_rounds_tell(((opevo_i_tvm_evolution *)tuner)->rounds, trials, count, err);
}

opevo_status opevo_i_tvm_evolution_observe(opevo_tuner *tuner, const opevo_trial *trials,
                                           size_t count, opevo_error *err)
{
    opevo_i_tvm_evolution *self = (opevo_i_tvm_evolution *)tuner;
    opevo_status status = ensure_surrogate(self, err);

    if (status == OPEVO_OK)
        status = opevo_i_rounds_know(self->rounds, trials, count, err);
    for (size_t i = 0; i < count && status == OPEVO_OK; i++)
        status = observe_one(self, trials[i].proposal.point, trials[i].outcome.fitness, err);
    return status;
}

/* The best fitness of the run that trial `first` begins, and the number of the trial after it. */
static double best_of_run(const opevo_trial *trials, size_t count, size_t first, size_t *end)
{
    double best = 0;

    for (*end = first; *end < count; ++*end) {
        if (*end > first && trials[*end].number <= trials[*end - 1].number)
            break;
        if (trials[*end].outcome.fitness > best)
            best = trials[*end].outcome.fitness;
    }
    return best;
}

opevo_status opevo_i_tvm_evolution_learn(opevo_tuner *tuner, const opevo_trial *trials,
                                         size_t count, opevo_error *err)
{
    opevo_i_tvm_evolution *self = (opevo_i_tvm_evolution *)tuner;
    opevo_status status = ensure_surrogate(self, err);

    if (status != OPEVO_OK)
        return status;
    self->earlier = opevo_malloc(count, sizeof *self->earlier);
    OPEVO_NEED_OR_RETURN(self->earlier, "learning from %zu trials", count);
    for (size_t first = 0, end = 0; first < count; first = end) {
        double best = best_of_run(trials, count, first, &end);

        for (size_t i = first; i < end && best > 0 && status == OPEVO_OK; i++) {
            opevo_i_tvm_scored one = {.score = trials[i].outcome.fitness / best,
                                      .point = trials[i].proposal.point};

            opevo_i_tvm_scored_insert(self->earlier, &self->earlier_count, count, one);
            status = opevo_i_tvm_surrogate_teach(self->surrogate, one.point, one.score, err);
        }
    }
    return status;
}

opevo_status opevo_i_tvm_evolution_learn_trees(opevo_tuner *tuner, const opevo_earlier_tree *trees,
                                               size_t count, opevo_error *err)
{
    opevo_i_tvm_evolution *self = (opevo_i_tvm_evolution *)tuner;
    opevo_status status = opevo_i_tvm_model_check_transfer(&self->plan.model, err);

    if (status == OPEVO_OK)
        status = ensure_surrogate(self, err);
    return status == OPEVO_OK
               ? opevo_i_tvm_surrogate_teach_trees(self->surrogate, trees, count, err)
               : status;
}

opevo_status opevo_i_tvm_evolution_learn_model(opevo_tuner *tuner, const opevo_cost_model *stored,
                                               opevo_error *err)
{
    opevo_i_tvm_evolution *self = (opevo_i_tvm_evolution *)tuner;
    const opevo_i_model_plan how = {
        .loss = OPEVO_I_LOSS_SQUARED, .rng = &self->of_model, .updates = self->plan.model.updates};
    bool guides = !opevo_i_tvm_model_of(&self->plan.model)->reads_trees;
    opevo_i_tvm_surrogate_plan plan = {.trees = tuner->trees, .how = how, .batch_most = self->room};
    opevo_status status = OPEVO_OK;

    if (self->plan.trees == 0)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "A search without a model has no use for a stored one: leave out "
                          "search=random.");
    if (!tuner->trees)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "A stored model reads loop trees, and the objective has none: leave it "
                          "out.");
    if (guides) {
        OPEVO_TRY(opevo_i_tvm_model_find(stored->kind, &plan.choice.model, err));
        OPEVO_TRY(opevo_i_tvm_surrogate_create(self->space, &plan, &self->guide, err));
    }
    OPEVO_TRY(ensure_surrogate(self, err));
    OPEVO_TRY(
        opevo_i_tvm_surrogate_take(guides ? self->guide : self->surrogate, &how, stored, err));
    self->taught = !guides;
cleanup:
    return status;
}
