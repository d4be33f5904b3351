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
 * where 2400 draws give none the point is uniform over the new ones; the first points are distinct.
 * Factorisations and permutations are unordered values, for hyperopt knows nothing closer to
 * them. In a batch, points chosen before count as the worst observations until they are told, a
 * constant liar: Ginsbourger, Le Riche, Carraro, "Kriging is well-suited to parallelize
 * optimization", 2010. */

#include <opevo/memory.h>
#include <opevo/space_listed.h>

#include <math.h>
#include <string.h>

#include "parzen_internal.h"
#include "rounds_internal.h"

enum {
    FLAT_WEIGHTS = 25, /* the newest observations, which weigh 1; also the most good ones */
    DRAWS_MOST = 100   /* for each candidate */
};

#define LIE (-1.0) /* fitness of what is pending: below that of any outcome */

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

    size_t count;    /* observations, lies included */
    size_t lies;     /* the newest of them */
    double *fitness; /* by age */
    size_t *order;   /* by falling fitness, the older of equals first */
    double *weights; /* by age, scratch; 0 for those of the other side */
    bool *good;      /* by age, scratch */
    bool *active;    /* by age, `width` each: which parameters were; NULL without branches */
    size_t fitness_capacity, order_capacity, weight_capacity, good_capacity, active_capacity;
} tpe;

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
    opevo_free(self->parzens);
    opevo_free(self->vertices);
    opevo_free(self->known);
    opevo_free(self->fitness);
    opevo_free(self->order);
    opevo_free(self->weights);
    opevo_free(self->good);
    opevo_free(self->active);
    opevo_free(self);
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
    return true;
}

static opevo_status create(const opevo_space *space, const opevo_setting_value *settings,
                           const opevo_rng *rng, opevo_tuner **out, opevo_error *err)
{
    tpe *self = opevo_calloc(1, sizeof *self);

    if (!self)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the tuner tpe.");
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
    size_t needed = self->count + 1;

    return opevo_reserve((void **)&self->fitness, &self->fitness_capacity, needed,
                         sizeof *self->fitness) &&
           opevo_reserve((void **)&self->order, &self->order_capacity, needed,
                         sizeof *self->order) &&
           opevo_reserve((void **)&self->weights, &self->weight_capacity, needed,
                         sizeof *self->weights) &&
           opevo_reserve((void **)&self->good, &self->good_capacity, needed, sizeof *self->good) &&
           (!opevo_space_has_branches(self->space) ||
            opevo_reserve((void **)&self->active, &self->active_capacity, needed * self->width,
                          sizeof *self->active));
}

static opevo_status observe_one(tpe *self, opevo_index point, double fitness, opevo_error *err)
{
    size_t at = self->count;

    if (!reserve(self))
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for another observation.");
    opevo_space_decode(self->space, point, self->vertices);
    for (size_t i = 0; i < self->width; i++) {
        bool active = self->vertices[i] != OPEVO_INACTIVE;
        opevo_status status = OPEVO_OK;

        if (active)
            status = opevo_i_tpe_parzen_observe(self->parzens[i], self->vertices[i], err);
        if (self->active)
            self->active[self->count * self->width + i] = active;
        if (status != OPEVO_OK)
            return status;
    }
    self->fitness[self->count] = fitness;
    for (; at > 0 && self->fitness[self->order[at - 1]] < fitness; at--)
        self->order[at] = self->order[at - 1];
    self->order[at] = self->count++;
    return OPEVO_OK;
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
    status = observe_one(self, point, LIE, err);
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

/* Weight of the k-th oldest of `count` observations: 1 for the newest, and for the others rising
 * from 1 / count to 1 in equal steps. */
static double forgetting_weight(size_t k, size_t count)
{
    size_t ramp = count > FLAT_WEIGHTS ? count - FLAT_WEIGHTS : 0;
    double first = 1 / (double)count;

    if (k >= ramp)
        return 1;
    return ramp == 1 ? first : first + (1 - first) * (double)k / (double)(ramp - 1);
}

static void fit_side(tpe *self, opevo_i_tpe_parzen_side side, size_t members)
{
    bool good = side == OPEVO_I_PARZEN_BELOW;
    size_t k = 0;

    for (size_t age = 0; age < self->count; age++)
        self->weights[age] = self->good[age] == good ? forgetting_weight(k++, members) : 0;
    for (size_t i = 0; i < self->width; i++)
        opevo_i_tpe_parzen_fit(self->parzens[i], side, self->weights);
}

/* The same where a parameter counts only the observations in which it was active. */
static void fit_side_of_branches(tpe *self, opevo_i_tpe_parzen_side side)
{
    bool good = side == OPEVO_I_PARZEN_BELOW;

    for (size_t i = 0; i < self->width; i++) {
        size_t members = 0, k = 0, own = 0;

        for (size_t age = 0; age < self->count; age++)
            members += self->active[age * self->width + i] && self->good[age] == good;
        for (size_t age = 0; age < self->count; age++) {
            if (self->active[age * self->width + i])
                self->weights[own++] =
                    self->good[age] == good ? forgetting_weight(k++, members) : 0;
        }
        opevo_i_tpe_parzen_fit(self->parzens[i], side, self->weights);
    }
}

static void fit(tpe *self)
{
    double known = (double)(self->count - self->lies);
    double wanted = ceil(self->gamma * sqrt(known));
    size_t good = wanted < FLAT_WEIGHTS ? (size_t)wanted : FLAT_WEIGHTS;

    memset(self->good, 0, self->count * sizeof *self->good);
    for (size_t rank = 0; rank < good; rank++)
        self->good[self->order[rank]] = true;
    if (self->active) {
        fit_side_of_branches(self, OPEVO_I_PARZEN_BELOW);
        fit_side_of_branches(self, OPEVO_I_PARZEN_ABOVE);
        return;
    }
    fit_side(self, OPEVO_I_PARZEN_BELOW, good);
    fit_side(self, OPEVO_I_PARZEN_ABOVE, self->count - good);
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

        for (size_t i = 0; i < self->width; i++)
            self->vertices[i] =
                opevo_space_is_active(self->space, i, self->vertices)
                    ? opevo_i_tpe_parzen_draw(self->parzens[i], OPEVO_I_PARZEN_BELOW, &self->rng)
                    : OPEVO_INACTIVE;
        drawn = opevo_space_encode(self->space, self->vertices);
        if (opevo_space_is_sparse(self->space)) {
            if (!opevo_i_rounds_nearest(self->rounds, self->vertices, &drawn))
                break;
            opevo_space_decode(self->space, drawn, self->vertices);
        }
        if (!opevo_space_allows(self->space, drawn) || opevo_i_rounds_has(self->rounds, drawn))
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
    const char *dry = NULL;

    opevo_i_rounds_begin(self->rounds);
    while (opevo_i_rounds_count(self->rounds) < wanted && status == OPEVO_OK && !dry)
        status = opevo_i_rounds_add_uniform(self->rounds, &self->rng, "initial", &dry, err);
    if (status == OPEVO_OK && opevo_i_rounds_count(self->rounds) == 0)
        self->super.reason = dry;
    return status;
}

static opevo_status add_next(tpe *self, const char **dry, opevo_error *err)
{
    opevo_index point = 0;

    fit(self);
    if (suggest(self, &point))
        return opevo_i_rounds_add(self->rounds, point, "model", err);
    return opevo_i_rounds_add_uniform(self->rounds, &self->rng, "uniform", dry, err);
}

static opevo_status follow(tpe *self, opevo_error *err)
{
    size_t batch = self->batch;
    opevo_status status = OPEVO_OK;
    const char *dry = NULL;

    opevo_i_rounds_begin(self->rounds);
    for (size_t i = 0; i < batch; i++) {
        if (i > 0)
            OPEVO_TRY(lie(self, opevo_i_rounds_point(self->rounds, i - 1), err));
        OPEVO_TRY(add_next(self, &dry, err));
        if (dry)
            break;
    }
    if (opevo_i_rounds_count(self->rounds) == 0)
        self->super.reason = dry;
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
