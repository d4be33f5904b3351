/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `ansor-knobs`: the evolutionary search of Ansor (TVM v0.8, auto_scheduler's sketch policy) with
 * its constants, over the parameters of a fixed space. It is not Ansor: that searches programs,
 * which it generates, and scores each of their statements; here the genome is a point and its row
 * of knob features. Every `batch` trials the cost model is trained; then a population of random and
 * of measured points is bred for some generations by the model's scores alone, and the best points
 * met are measured, with a few random ones.
 *
 * Deliberate deviations: moving a factor between two places of a factorisation stands for Ansor's
 * mutation of tile sizes, without its bound of 64 on the innermost, and re-drawing another
 * parameter for its mutation of the unrolling; where a space has only one of the two kinds, that
 * one has all the weight. As released, and unlike the paper, there is no crossover. A batch that
 * would be empty is filled with uniform points; Ansor stops. */

#include <opevo/memory.h>

#include <string.h>

#include "knobs_internal.h"
#include "rounds_internal.h"
#include "surrogate_internal.h"
#include "untried_internal.h"

enum {
    SETTING_POPULATION,
    SETTING_GENERATIONS,
    SETTING_MUTATION,
    SETTING_RANDOM,
    SETTING_MEASURED,
    SETTING_BATCH,
    SETTING_WARMUP,
    SETTING_TREES,
    SETTING_COUNT
};

enum {
    ARITY_MOST = 1024,
    FAILURES_MOST = 1 << 20, /* mutations that failed, of one generation */
    SPARE = 2                /* best points kept for each that a batch has room for */
};

#define TILE_WEIGHT 0.9 /* share of mutations that move a factor */

static const opevo_setting settings_table[SETTING_COUNT] = {
    [SETTING_POPULATION] = {.key = "population",
                            .kind = OPEVO_SETTING_COUNT,
                            .default_value = 2048,
                            .min = 1,
                            .max = 16384,
                            .summary = "points of a generation"},
    [SETTING_GENERATIONS] = {.key = "generations",
                             .kind = OPEVO_SETTING_COUNT,
                             .default_value = 4,
                             .min = 0,
                             .max = 20,
                             .summary = "generations between two batches"},
    [SETTING_MUTATION] = {.key = "mutation",
                          .kind = OPEVO_SETTING_REAL,
                          .default_value = 0.85,
                          .min = 0,
                          .max = 1,
                          .summary = "probability that a child is mutated rather than copied"},
    [SETTING_RANDOM] = {.key = "random",
                        .kind = OPEVO_SETTING_REAL,
                        .default_value = 0.05,
                        .min = 0,
                        .max = 1,
                        .summary = "share of a batch that is random, rounded down"},
    [SETTING_MEASURED] = {.key = "measured",
                          .kind = OPEVO_SETTING_REAL,
                          .default_value = 0.2,
                          .min = 0,
                          .max = 1,
                          .summary = "best measured points in the first generation, at most, as a "
                                     "share of the population"},
    [SETTING_BATCH] = {.key = "batch",
                       .kind = OPEVO_SETTING_COUNT,
                       .default_value = 64,
                       .min = 1,
                       .max = 1024,
                       .summary = "trials between two trainings of the cost model"},
    [SETTING_WARMUP] = {.key = "warmup",
                        .kind = OPEVO_SETTING_COUNT,
                        .default_value = 100,
                        .min = 0,
                        .max = 1000000,
                        .summary = "initial trials in which scores are uniform random numbers"},
    [SETTING_TREES] = {.key = "trees",
                       .kind = OPEVO_SETTING_COUNT,
                       .default_value = 10000,
                       .min = 1,
                       .max = 10000,
                       .summary = "maximum number of trees of the cost model"},
};

/* A factorisation that can be mutated. */
typedef struct tiling {
    size_t place; /* among the parameters */
    size_t prime_count;
    uint64_t primes[OPEVO_I_EXTENT_PRIMES_MOST];
} tiling;

typedef struct scored {
    double score;
    opevo_index point;
} scored;

typedef struct evolution {
    opevo_tuner super;
    const opevo_space *space;
    size_t width;
    opevo_setting_value settings[SETTING_COUNT];
    size_t population;
    size_t batch;
    opevo_rng rng;
    opevo_i_rounds *rounds;
    opevo_i_surrogate *surrogate; /* made once the source of the features is known */

    tiling *tilings;
    size_t tiling_count;
    size_t *others; /* parameters of several values that are no factorisation */
    size_t other_count;

    /* The generation at hand and the next; room for the population and the measured points. */
    size_t room;
    size_t now_count;
    opevo_index *points;
    opevo_index *vertices;
    float *scores;
    double *below; /* running sums of the positive scores */
    opevo_index *next_points;
    opevo_index *next_vertices;

    scored *best; /* unmeasured points by falling score; room for SPARE * batch */
    size_t best_count;
    opevo_index *random; /* SPARE + 1 for each random one of a batch */
    size_t random_count;

    scored *measured; /* by falling fitness */
    size_t measured_count;
    size_t measured_capacity;
} evolution;

static void destroy(opevo_tuner *tuner)
{
    evolution *self = (evolution *)tuner;

    opevo_i_rounds_destroy(self->rounds);
    opevo_i_surrogate_destroy(self->surrogate);
    opevo_free(self->tilings);
    opevo_free(self->others);
    opevo_free(self->points);
    opevo_free(self->vertices);
    opevo_free(self->scores);
    opevo_free(self->below);
    opevo_free(self->next_points);
    opevo_free(self->next_vertices);
    opevo_free(self->best);
    opevo_free(self->random);
    opevo_free(self->measured);
    opevo_free(self);
}

static size_t random_wanted(const evolution *self)
{
    return (size_t)(self->settings[SETTING_RANDOM].number * (double)self->batch);
}

static bool allocate(evolution *self)
{
    size_t row = self->width * sizeof(opevo_index);

    self->rounds = opevo_i_rounds_create(self->space);
    self->tilings = opevo_calloc(self->width, sizeof *self->tilings);
    self->others = opevo_calloc(self->width, sizeof *self->others);
    self->points = opevo_malloc(self->room, sizeof *self->points);
    self->vertices = opevo_malloc(self->room, row);
    self->scores = opevo_malloc(self->room, sizeof *self->scores);
    self->below = opevo_malloc(self->room, sizeof *self->below);
    self->next_points = opevo_malloc(self->room, sizeof *self->next_points);
    self->next_vertices = opevo_malloc(self->room, row);
    self->best = opevo_malloc(SPARE * self->batch, sizeof *self->best);
    self->random = opevo_malloc((SPARE + 1) * random_wanted(self), sizeof *self->random);
    return self->rounds && self->tilings && self->others && self->points && self->vertices &&
           self->scores && self->below && self->next_points && self->next_vertices && self->best &&
           self->random;
}

static void sort_parameters(evolution *self)
{
    for (size_t i = 0; i < self->width; i++) {
        const opevo_parameter *parameter = opevo_space_parameter(self->space, i);
        tiling *one = &self->tilings[self->tiling_count];

        if (opevo_parameter_size(parameter) == 1)
            continue;
        one->prime_count = opevo_i_extent_primes(parameter, one->primes);
        one->place = i;
        if (one->prime_count > 0)
            self->tiling_count++;
        else
            self->others[self->other_count++] = i;
    }
}

static opevo_status create(const opevo_space *space, const opevo_setting_value *settings,
                           const opevo_rng *rng, opevo_tuner **out, opevo_error *err)
{
    evolution *self = opevo_calloc(1, sizeof *self);

    if (!self)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the tuner ansor-knobs.");
    memcpy(self->settings, settings, sizeof self->settings);
    self->space = space;
    self->width = opevo_space_parameter_count(space);
    self->population = (size_t)settings[SETTING_POPULATION].number;
    self->batch = (size_t)settings[SETTING_BATCH].number;
    self->room =
        self->population + (size_t)(settings[SETTING_MEASURED].number * (double)self->population);
    self->rng = *rng;
    if (!allocate(self)) {
        destroy(&self->super);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the tuner ansor-knobs.");
    }
    sort_parameters(self);
    *out = &self->super;
    return OPEVO_OK;
}

/* ---- Scores ---- */

/* Insert by falling score, after equals; what falls beyond `most` is dropped. */
static void insert(scored *list, size_t *count, size_t most, scored added)
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
static bool is_warm(const evolution *self)
{
    return (double)opevo_i_surrogate_count(self->surrogate) >
               self->settings[SETTING_WARMUP].number &&
           opevo_i_surrogate_best(self->surrogate) > 0;
}

static opevo_status score(evolution *self, opevo_error *err)
{
    if (is_warm(self))
        return opevo_i_surrogate_predict(self->surrogate, self->points, self->vertices,
                                         self->now_count, self->scores, err);
    for (size_t i = 0; i < self->now_count; i++)
        self->scores[i] = (float)opevo_rng_unit(&self->rng);
    return OPEVO_OK;
}

static bool is_listed(const evolution *self, opevo_index point)
{
    for (size_t i = 0; i < self->best_count; i++) {
        if (self->best[i].point == point)
            return true;
    }
    return false;
}

/* The unmeasured points of the generation compete for the list of the best. */
static void list_best(evolution *self)
{
    size_t most = SPARE * self->batch;

    for (size_t i = 0; i < self->now_count; i++) {
        scored one = {.score = (double)self->scores[i], .point = self->points[i]};

        if (self->best_count == most && !(one.score > self->best[most - 1].score))
            continue;
        if (!is_listed(self, one.point) && !opevo_i_rounds_has(self->rounds, one.point))
            insert(self->best, &self->best_count, most, one);
    }
}

/* ---- Breeding ---- */

/* Random points, none twice, then the best measured ones. */
static opevo_status start_population(evolution *self, opevo_error *err)
{
    opevo_i_untried *fresh = opevo_i_untried_create(self->space);
    opevo_status status = OPEVO_OK;
    const char *dry = NULL;

    if (!fresh)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a population.");
    for (self->now_count = 0; self->now_count < self->population && !dry;) {
        OPEVO_TRY(opevo_i_untried_draw(fresh, NULL, &self->rng, &self->points[self->now_count],
                                       &dry, err));
        self->now_count += !dry;
    }
    for (size_t i = 0; i < self->measured_count && i < self->room - self->population; i++)
        self->points[self->now_count++] = self->measured[i].point;
    for (size_t i = 0; i < self->now_count; i++)
        opevo_space_decode(self->space, self->points[i], self->vertices + i * self->width);
cleanup:
    opevo_i_untried_destroy(fresh);
    return status;
}

/* Some points of the population for the random share of a batch, with repetition. */
static void choose_random(evolution *self)
{
    self->random_count = self->now_count ? (SPARE + 1) * random_wanted(self) : 0;
    for (size_t i = 0; i < self->random_count; i++)
        self->random[i] = self->points[opevo_rng_below(&self->rng, self->now_count)];
}

/* A divisor of `number`, uniform over those above 1. */
static uint64_t draw_divisor(const tiling *one, uint64_t number, opevo_rng *rng)
{
    uint64_t divisor = 1;

    while (divisor == 1) {
        uint64_t left = number;

        for (size_t i = 0; i < one->prime_count; i++) {
            uint64_t exponent = 0;

            for (; left % one->primes[i] == 0; left /= one->primes[i])
                exponent++;
            for (exponent = opevo_rng_below(rng, exponent + 1); exponent > 0; exponent--)
                divisor *= one->primes[i];
        }
    }
    return divisor;
}

/* Move a divisor from one place of a factorisation to another. Places are looked at in random
 * order; the first that has something to give gives to the one after it. */
static void move_factor(evolution *self, opevo_index *vertices)
{
    const tiling *one = &self->tilings[opevo_rng_below(&self->rng, self->tiling_count)];
    const opevo_parameter *parameter = opevo_space_parameter(self->space, one->place);
    size_t arity = opevo_parameter_arity(parameter);
    size_t order[ARITY_MOST];
    opevo_value value[ARITY_MOST];
    size_t giver = 0;
    uint64_t divisor = 0;

    opevo_parameter_value(parameter, vertices[one->place], value);
    opevo_rng_order(&self->rng, order, arity);
    while (giver + 1 < arity && value[order[giver]].as.integer == 1)
        giver++;
    divisor = draw_divisor(one, (uint64_t)value[order[giver]].as.integer, &self->rng);
    value[order[giver]].as.integer /= (int64_t)divisor;
    value[order[(giver + 1) % arity]].as.integer *= (int64_t)divisor;
    opevo_parameter_find(parameter, value, &vertices[one->place]);
}

/* Whether the mutated point is allowed. */
static bool mutate(evolution *self, opevo_index *vertices, opevo_index *point)
{
    bool tile = self->tiling_count > 0;

    if (tile && self->other_count > 0)
        tile = opevo_rng_unit(&self->rng) < TILE_WEIGHT;
    if (tile) {
        move_factor(self, vertices);
    } else if (self->other_count > 0) {
        size_t i = self->others[opevo_rng_below(&self->rng, self->other_count)];

        vertices[i] = opevo_rng_below_wide(
            &self->rng, opevo_parameter_size(opevo_space_parameter(self->space, i)));
    }
    *point = opevo_space_encode(self->space, vertices);
    return opevo_space_allows(self->space, *point);
}

static void weigh_parents(evolution *self)
{
    double sum = 0;

    for (size_t i = 0; i < self->now_count; i++) {
        sum += self->scores[i] > 0 ? (double)self->scores[i] : 0;
        self->below[i] = sum;
    }
    for (size_t i = 0; i < self->now_count && !(sum > 0); i++)
        self->below[i] = (double)(i + 1);
}

/* The next generation: children of parents drawn by score. */
static void breed(evolution *self)
{
    opevo_index *points = self->points;
    opevo_index *vertices = self->vertices;
    size_t failures = 0;

    weigh_parents(self);
    for (size_t made = 0; made < self->population;) {
        size_t parent = opevo_rng_weighted(&self->rng, self->below, self->now_count);
        opevo_index *child = self->next_vertices + made * self->width;
        bool copied = failures >= FAILURES_MOST ||
                      opevo_rng_unit(&self->rng) >= self->settings[SETTING_MUTATION].number;

        memcpy(child, vertices + parent * self->width, self->width * sizeof *child);
        self->next_points[made] = points[parent];
        if (copied || mutate(self, child, &self->next_points[made]))
            made++;
        else
            failures++;
    }
    self->points = self->next_points;
    self->vertices = self->next_vertices;
    self->next_points = points;
    self->next_vertices = vertices;
    self->now_count = self->population;
}

static opevo_status evolve(evolution *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t generations = (size_t)self->settings[SETTING_GENERATIONS].number;

    self->best_count = 0;
    OPEVO_TRY(start_population(self, err));
    choose_random(self);
    for (size_t k = 0; self->now_count > 0; k++) {
        OPEVO_TRY(score(self, err));
        list_best(self);
        if (k == generations)
            break;
        breed(self);
    }
cleanup:
    return status;
}

/* ---- Batches ---- */

static opevo_status have_surrogate(evolution *self, opevo_error *err)
{
    const opevo_i_boosting boosting = {
        .loss = OPEVO_I_LOSS_SQUARED,
        .depth = 10,
        .gamma = 0.001,
        .child_weight = 0,
        .eta = 0.2,
        .rounds = (unsigned)self->settings[SETTING_TREES].number,
        .patience = 50,
        .stride = 2,
        .recall_size = 0,
    };

    if (!self->surrogate)
        self->surrogate =
            opevo_i_surrogate_create(self->space, self->super.features, &boosting, self->room);
    if (!self->surrogate)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a cost model.");
    return OPEVO_OK;
}

static opevo_status observe_one(evolution *self, opevo_index point, double fitness,
                                opevo_error *err)
{
    scored one = {.score = fitness, .point = point};

    if (!opevo_reserve((void **)&self->measured, &self->measured_capacity, self->measured_count + 1,
                       sizeof *self->measured))
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to remember a trial.");
    insert(self->measured, &self->measured_count, self->measured_capacity, one);
    return opevo_i_surrogate_observe(self->surrogate, point, fitness, err);
}

static opevo_status observe_round(evolution *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < opevo_i_rounds_count(self->rounds) && status == OPEVO_OK; i++)
        status = observe_one(self, opevo_i_rounds_point(self->rounds, i),
                             opevo_i_rounds_fitness(self->rounds, i), err);
    return status;
}

/* Fill the round from the best points and then the random ones; each list stands in for the other
 * where that has no more, and uniform points for both. */
static opevo_status make_round(evolution *self, opevo_error *err)
{
    size_t good = self->batch - random_wanted(self);
    size_t best = 0, random = 0;
    const char *dry = NULL;
    opevo_status status = OPEVO_OK;

    opevo_i_rounds_begin(self->rounds);
    while (opevo_i_rounds_count(self->rounds) < self->batch && status == OPEVO_OK &&
           (best < self->best_count || random < self->random_count)) {
        bool wants_best = opevo_i_rounds_count(self->rounds) < good;
        bool takes_best = best < self->best_count && (wants_best || random == self->random_count);
        opevo_index point = takes_best ? self->best[best++].point : self->random[random++];

        if (!opevo_i_rounds_has(self->rounds, point))
            status = opevo_i_rounds_add(self->rounds, point, takes_best ? "model" : "random", err);
    }
    if (opevo_i_rounds_count(self->rounds) > 0)
        return status;
    while (opevo_i_rounds_count(self->rounds) < self->batch && status == OPEVO_OK && !dry)
        status = opevo_i_rounds_add_uniform(self->rounds, &self->rng, "uniform", &dry, err);
    if (status == OPEVO_OK && opevo_i_rounds_count(self->rounds) == 0)
        self->super.reason = dry;
    return status;
}

static opevo_status ask(opevo_tuner *tuner, opevo_proposal *proposals, size_t capacity,
                        size_t *count, opevo_error *err)
{
    static const opevo_i_fit fit = {.weighted = true, .half_life = 1};
    evolution *self = (evolution *)tuner;
    opevo_status status = OPEVO_OK;

    if (opevo_i_rounds_complete(self->rounds) && !tuner->reason) {
        OPEVO_TRY(have_surrogate(self, err));
        OPEVO_TRY(observe_round(self, err));
        if (is_warm(self))
            OPEVO_TRY(opevo_i_surrogate_fit(self->surrogate, &fit, err));
        OPEVO_TRY(evolve(self, err));
        OPEVO_TRY(make_round(self, err));
    }
    *count = opevo_i_rounds_ask(self->rounds, proposals, capacity);
cleanup:
    return status;
}

static opevo_status tell(opevo_tuner *tuner, const opevo_trial *trials, size_t count,
                         opevo_error *err)
{
    return opevo_i_rounds_tell(((evolution *)tuner)->rounds, trials, count, err);
}

static opevo_status observe(opevo_tuner *tuner, const opevo_trial *trials, size_t count,
                            opevo_error *err)
{
    evolution *self = (evolution *)tuner;
    opevo_status status = have_surrogate(self, err);

    if (status == OPEVO_OK)
        status = opevo_i_rounds_know(self->rounds, trials, count, err);
    for (size_t i = 0; i < count && status == OPEVO_OK; i++)
        status = observe_one(self, trials[i].proposal.point, trials[i].outcome.fitness, err);
    return status;
}

const opevo_tuner_ops opevo_i_ansor_knobs_ops = {
    .name = "ansor-knobs",
    .summary = "evolution by the scores of boosted trees, in the style of Ansor, over parameters",
    .source = "after Zheng et al., \"Ansor\", OSDI 2020, section 5; TVM v0.8, SketchPolicy",
    .settings = settings_table,
    .setting_count = SETTING_COUNT,
    .create = create,
    .ask = ask,
    .tell = tell,
    .destroy = destroy,
    .observe = observe,
    .library = opevo_i_cost_model_library,
};
