/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `tpe`: the tree-structured Parzen estimator of Bergstra et al. (NIPS 2011) with the estimators
 * and defaults of hyperopt 0.2: 20 uniform points, then each point on its own: the best ceil(gamma
 * sqrt(N)) of the N observations, at most 25, estimate for each parameter the law l of good values,
 * the others the law g of the rest, observations older than the last 25 weighing less; of 24
 * candidates drawn from l the one with the largest l / g is taken. In a space with branches a
 * candidate's parameters are drawn from the root down, a parameter of a branch where it is active,
 * and its l and g are estimated from the observations in which it was, as in the paper's tree.
 *
 * As in the paper, a candidate is a whole point, and l / g is the product over its parameters;
 * hyperopt takes the best of 24 values for each parameter on its own, which on parameters of few
 * values is nearly always the same point and ignores constraints.
 *
 * A failure is the worst observation, as in hyperopt, where a trial that is reported as failed has
 * infinite loss (one that ended with an exception is left out there).
 *
 * Deliberate deviations: only allowed points that were not proposed before are candidates, and
 * where 2400 draws give none the point is uniform over the new ones; where allowed points are rare,
 * candidates are drawn from l given that they are allowed; the first points are distinct.
 * Factorisations and permutations are unordered values, for hyperopt knows nothing closer to
 * them. In a batch, points chosen before count as the worst observations until they are told, a
 * constant liar: Ginsbourger, Le Riche, Carraro, "Kriging is well-suited to parallelize
 * optimization", 2010. */

#include <opevo/diagram_weights.h>
#include <opevo/memory.h>
#include <opevo/space_listed.h>

#include <math.h>
#include <string.h>

#include "parzen_internal.h"
#include "rounds_internal.h"

enum {
    GOOD_MOST = 25,
    DRAWS_MOST = 100,     /* for each candidate */
    LISTED_MOST = 1 << 16 /* values of a parameter whose law is listed */
};

/* An observation among the best. */
typedef struct ranked {
    double fitness;
    size_t age;
} ranked;

typedef struct tpe {
    opevo_tuner super;
    const opevo_space *space;
    size_t width;
    size_t startup, candidates, batch;
    double gamma;
    opevo_rng rng;
    opevo_i_rounds *rounds;
    opevo_i_tpe_parzen **parzens; /* one for each parameter */
    opevo_index *vertices;
    size_t *known; /* scratch: observations of each parameter without the lies */

    /* Where allowed points are rare, candidates are drawn given that they are allowed: */
    opevo_diagram_weights *weights; /* NULL: they are not */
    double **laws;                  /* of each parameter */

    size_t count;               /* observations, lies included */
    size_t lies;                /* the newest of them */
    ranked best[GOOD_MOST + 1]; /* by falling fitness, the older of equals first */
    size_t best_count;
    size_t good[GOOD_MOST]; /* ages of those on the good side */
    size_t good_count;
    size_t *places; /* by age, `width` each: which observation of a parameter, or INACTIVE; NULL
                       without branches: its age */
    size_t place_capacity;
} tpe;

#define INACTIVE SIZE_MAX

static const opevo_setting settings_table[] = {
    OPEVO_ROW_COUNT("startup", tpe, startup, 20, 1, 100000, "initial uniform points"),
    OPEVO_ROW_COUNT("candidates", tpe, candidates, 24, 1, 10000,
                    "new points drawn from the law of good values, of which the best is taken"),
    OPEVO_ROW_REAL("gamma", tpe, gamma, 0.25, 0, 1,
                   "good observations, as a multiple of the square root of all"),
    OPEVO_ROW_COUNT("batch", tpe, batch, 1, 1, 1024,
                    "points chosen before the outcome of any of them is known",
                    .batch = OPEVO_BATCH_OF_WORKERS),
};

static void destroy(opevo_tuner *tuner)
{
    tpe *self = (tpe *)tuner;

    opevo_i_rounds_destroy(self->rounds);
    for (size_t i = 0; self->parzens && i < self->width; i++)
        opevo_i_tpe_parzen_destroy(self->parzens[i]);
    for (size_t i = 0; self->laws && i < self->width; i++)
        opevo_free(self->laws[i]);
    opevo_diagram_weights_destroy(self->weights);
    opevo_free(self->laws);
    opevo_free(self->parzens);
    opevo_free(self->vertices);
    opevo_free(self->known);
    opevo_free(self->places);
    opevo_free(self);
}

/* Room for the laws of all parameters, where candidates are drawn from the diagram. */
static bool allocate_laws(tpe *self)
{
    const opevo_diagram *diagram = opevo_space_draws_from(self->space);

    for (size_t i = 0; i < self->width; i++) {
        if (opevo_parameter_size(opevo_space_parameter(self->space, i)) > LISTED_MOST)
            diagram = NULL;
    }
    if (!diagram)
        return true;
    self->laws = opevo_calloc(self->width, sizeof(double *));
    for (size_t i = 0; self->laws && i < self->width; i++) {
        size_t size = (size_t)opevo_parameter_size(opevo_space_parameter(self->space, i));

        self->laws[i] = opevo_malloc(size, sizeof(double));
        if (!self->laws[i])
            return false;
    }
    return self->laws && opevo_diagram_weights_create(diagram, &self->weights, NULL) == OPEVO_OK;
}

static bool allocate(tpe *self)
{
    self->rounds = opevo_i_rounds_create(self->space);
    self->vertices = opevo_malloc(self->width, sizeof *self->vertices);
    self->known = opevo_malloc(self->width, sizeof *self->known);
    self->parzens = opevo_calloc(self->width, sizeof(opevo_i_tpe_parzen *));
    if (!self->rounds || !self->vertices || !self->known || !self->parzens)
        return false;
    for (size_t i = 0; i < self->width; i++) {
        self->parzens[i] = opevo_i_tpe_parzen_create(opevo_space_parameter(self->space, i));
        if (!self->parzens[i])
            return false;
    }
    return allocate_laws(self);
}

static opevo_status create(const opevo_space *space, const opevo_setting_value *settings,
                           const opevo_rng *rng, opevo_tuner **out, opevo_error *err)
{
    tpe *self = opevo_calloc(1, sizeof *self);

    OPEVO_NEED_OR_RETURN(self, "the tuner tpe");
    OPEVO_SETTINGS_READ(settings_table, settings, self);
    self->space = space;
    self->width = opevo_space_parameter_count(space);
    self->rng = *rng;
    if (!allocate(self)) {
        destroy(&self->super);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the tuner tpe.");
    }
    *out = &self->super;
    return OPEVO_OK;
}

/* ---- Observations ---- */

static bool reserve(tpe *self)
{
    return !opevo_space_has_branches(self->space) ||
           opevo_reserve((void **)&self->places, &self->place_capacity,
                         (self->count + 1) * self->width, sizeof *self->places);
}

/* Put what was observed last among the best, if it is. */
static void rank(tpe *self, double fitness)
{
    size_t at = self->best_count;

    for (; at > 0 && self->best[at - 1].fitness < fitness; at--)
        self->best[at] = self->best[at - 1];
    self->best[at] = (ranked){.fitness = fitness, .age = self->count};
    self->best_count += self->best_count < GOOD_MOST;
}

/* Add what both outcomes and lies are to the estimators. */
static opevo_status add(tpe *self, opevo_index point, opevo_error *err)
{
    OPEVO_NEED_OR_RETURN(reserve(self), "another observation");
    opevo_space_decode(self->space, point, self->vertices);
    for (size_t i = 0; i < self->width; i++) {
        bool active = self->vertices[i] != OPEVO_INACTIVE;
        opevo_status status = OPEVO_OK;

        if (self->places)
            self->places[self->count * self->width + i] =
                active ? opevo_i_tpe_parzen_count(self->parzens[i]) : INACTIVE;
        if (active)
            status = opevo_i_tpe_parzen_observe(self->parzens[i], self->vertices[i], err);
        if (status != OPEVO_OK)
            return status;
    }
    self->count++;
    return OPEVO_OK;
}

static opevo_status observe_one(tpe *self, opevo_index point, double fitness, opevo_error *err)
{
    rank(self, fitness);
    return add(self, point, err);
}

static opevo_status observe_round(tpe *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < opevo_i_rounds_count(self->rounds) && status == OPEVO_OK; i++)
        status = observe_one(self, opevo_i_rounds_point(self->rounds, i),
                             opevo_i_rounds_fitness(self->rounds, i), err);
    return status;
}

static opevo_status lie(tpe *self, opevo_index point, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; self->lies == 0 && i < self->width; i++)
        self->known[i] = opevo_i_tpe_parzen_count(self->parzens[i]);
    status = add(self, point, err);
    self->lies += status == OPEVO_OK;
    return status;
}

static void forget_lies(tpe *self)
{
    for (size_t i = 0; self->lies > 0 && i < self->width; i++)
        opevo_i_tpe_parzen_forget(self->parzens[i], self->known[i]);
    self->count -= self->lies;
    self->lies = 0;
}

/* ---- Suggestions ---- */

static bool is_among(const size_t *ages, size_t count, size_t age)
{
    for (size_t i = 0; i < count; i++) {
        if (ages[i] == age)
            return true;
    }
    return false;
}

static void move(tpe *self, size_t age, opevo_i_tpe_parzen_side side)
{
    for (size_t i = 0; i < self->width; i++) {
        size_t place = self->places ? self->places[age * self->width + i] : age;

        if (place != INACTIVE)
            opevo_i_tpe_parzen_move(self->parzens[i], place, side);
    }
}

/* Move observations where they belong: what is pending is never good. */
static void choose_good(tpe *self)
{
    double known = (double)(self->count - self->lies);
    double wanted = ceil(self->gamma * sqrt(known));
    size_t count = wanted < GOOD_MOST ? (size_t)wanted : GOOD_MOST;
    size_t good[GOOD_MOST];

    for (size_t k = 0; k < count; k++) {
        good[k] = self->best[k].age;
        if (!is_among(self->good, self->good_count, good[k]))
            move(self, good[k], OPEVO_I_PARZEN_BELOW);
    }
    for (size_t k = 0; k < self->good_count; k++) {
        if (!is_among(good, count, self->good[k]))
            move(self, self->good[k], OPEVO_I_PARZEN_ABOVE);
    }
    memcpy(self->good, good, count * sizeof *good);
    self->good_count = count;
}

static void fit(tpe *self)
{
    bool changed = false;

    choose_good(self);
    for (size_t i = 0; i < self->width; i++) {
        if (!opevo_i_tpe_parzen_fit(self->parzens[i]))
            continue;
        changed = true;
        if (self->weights)
            opevo_i_tpe_parzen_law(self->parzens[i], self->laws[i]);
    }
    if (self->weights && changed)
        opevo_diagram_weights_set(self->weights, (const double *const *)self->laws);
}

static uint64_t random_bits(void *rng)
{
    return opevo_rng_u64(rng);
}

/* Draw a point from l; false if none was found. */
static bool draw(tpe *self, opevo_index *point)
{
    if (self->weights &&
        !opevo_diagram_weights_draw(self->weights, random_bits, &self->rng, self->vertices))
        return false;
    for (size_t i = 0; i < self->width && !self->weights; i++)
        self->vertices[i] = opevo_space_is_active(self->space, i, self->vertices)
                                ? opevo_i_tpe_parzen_draw(self->parzens[i], &self->rng)
                                : OPEVO_INACTIVE;
    *point = opevo_space_encode(self->space, self->vertices);
    if (!opevo_space_is_sparse(self->space))
        return true;
    if (!opevo_i_rounds_nearest(self->rounds, self->vertices, point))
        return false;
    opevo_space_decode(self->space, *point, self->vertices);
    return true;
}

/* Of new points drawn from l, the one of the largest l / g, the first of equals; false when there
 * was none in many draws. */
static bool suggest(tpe *self, opevo_index *point)
{
    size_t candidates = self->candidates;
    size_t met = 0;
    double best = -INFINITY;

    for (size_t draws = 0; draws < DRAWS_MOST * candidates && met < candidates; draws++) {
        opevo_index drawn = 0;
        double score = 0;

        if (!draw(self, &drawn))
            break;
        if ((!self->weights && !opevo_space_allows(self->space, drawn)) ||
            opevo_i_rounds_has(self->rounds, drawn))
            continue;
        met++;
        for (size_t i = 0; i < self->width; i++) {
            if (self->vertices[i] != OPEVO_INACTIVE)
                score += log(opevo_i_tpe_parzen_ratio(self->parzens[i], self->vertices[i]));
        }
        if (score > best) {
            best = score;
            *point = drawn;
        }
    }
    return met > 0;
}

static opevo_status start(tpe *self, opevo_error *err)
{
    size_t wanted = self->startup;
    opevo_status status = OPEVO_OK;
    const char *exhausted = NULL;

    opevo_i_rounds_begin(self->rounds);
    while (opevo_i_rounds_count(self->rounds) < wanted && status == OPEVO_OK && !exhausted)
        status = opevo_i_rounds_add_uniform(self->rounds, &self->rng, "initial", &exhausted, err);
    if (status == OPEVO_OK && opevo_i_rounds_count(self->rounds) == 0)
        self->super.reason = exhausted;
    return status;
}

static opevo_status add_next(tpe *self, const char **exhausted, opevo_error *err)
{
    opevo_index point = 0;

    fit(self);
    if (suggest(self, &point))
        return opevo_i_rounds_add(self->rounds, point, "model", err);
    return opevo_i_rounds_add_uniform(self->rounds, &self->rng, "uniform", exhausted, err);
}

static opevo_status follow(tpe *self, opevo_error *err)
{
    size_t batch = self->batch;
    opevo_status status = OPEVO_OK;
    const char *exhausted = NULL;

    opevo_i_rounds_begin(self->rounds);
    for (size_t i = 0; i < batch; i++) {
        if (i > 0)
            OPEVO_TRY(lie(self, opevo_i_rounds_point(self->rounds, i - 1), err));
        OPEVO_TRY(add_next(self, &exhausted, err));
        if (exhausted)
            break;
    }
    if (opevo_i_rounds_count(self->rounds) == 0)
        self->super.reason = exhausted;
cleanup:
    forget_lies(self);
    return status;
}

static opevo_status ask(opevo_tuner *tuner, opevo_proposal *proposals, size_t capacity,
                        size_t *count, opevo_error *err)
{
    tpe *self = (tpe *)tuner;
    opevo_status status = OPEVO_OK;

    while (opevo_i_rounds_complete(self->rounds) && !tuner->reason) {
        OPEVO_TRY(observe_round(self, err));
        OPEVO_TRY(self->count == 0 ? start(self, err) : follow(self, err));
    }
    *count = opevo_i_rounds_ask(self->rounds, proposals, capacity);
cleanup:
    return status;
}

static opevo_status tell(opevo_tuner *tuner, const opevo_trial *trials, size_t count,
                         opevo_error *err)
{
    return opevo_i_rounds_tell(((tpe *)tuner)->rounds, trials, count, err);
}

/* They are among the first uniform points. */
static opevo_status observe(opevo_tuner *tuner, const opevo_trial *trials, size_t count,
                            opevo_error *err)
{
    return opevo_i_rounds_begin_with(((tpe *)tuner)->rounds, trials, count, err);
}

const opevo_tuner_ops opevo_i_tpe_ops = {
    .name = "tpe",
    .summary = "tree-structured Parzen estimator",
    .source = "Bergstra et al., \"Algorithms for Hyper-Parameter Optimization\", NIPS 2011; "
              "hyperopt 0.2, tpe.py",
    .settings = settings_table,
    .setting_count = sizeof settings_table / sizeof *settings_table,
    .works_on_branches = true,
    .create = create,
    .ask = ask,
    .tell = tell,
    .destroy = destroy,
    .observe = observe,
};
