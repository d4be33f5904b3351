/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `kt-vndx`: from a pool of neighbours, a crossover of elites and random points, the one with the
 * best prediction is evaluated and accepted as in annealing. The prediction is the mean cost of the
 * nearest points known, by the number of parameters that differ. Which kind of neighbour is used is
 * learned from acceptances.
 *
 * Source: Kernel Tuner 1.4.0, strategies/hybrid_vndx.py. Kept from the source: the elite set drops
 * its best when it is full, so that it holds the worst points met; failures enter predictions at
 * full cost; an absolute difference of milliseconds is compared with the temperature; repeats are
 * learned from again. Deviations: those of kt_search.c (it begins anew, with nothing learned, when
 * the schedule is over). */

#include "kt_internal.h"
#include "kt_known_internal.h"

#include <opevo/memory.h>

#include <math.h>

enum { KINDS = 3 };
static const opevo_i_kt_kind kinds[KINDS] = {OPEVO_I_KT_STRICTLY_ADJACENT, OPEVO_I_KT_ADJACENT,
                                             OPEVO_I_KT_HAMMING};

typedef struct elite {
    double cost;
    opevo_index point;
} elite;

typedef struct vndx {
    opevo_i_kt base;
    size_t k, pool_most, patience, tabu_most, elite_most, schedule;
    double t_start, cooling;

    enum { BEGIN, MOVE, RESTART } phase; /* what the point of the round is */
    size_t kind;                         /* of neighbours in this round */
    double weights[KINDS];
    double cost; /* of where it is */
    double temperature;
    size_t refused; /* in a row */
    opevo_index *here;
    opevo_index *chosen;
    opevo_index *pool; /* rows */
    opevo_index *pair; /* two elites */

    opevo_i_kt_known known;

    size_t elite_count;
    elite *elites; /* one more than are kept */
    opevo_i_kt_tabu tabu;
} vndx;

static const opevo_setting settings_table[] = {
    OPEVO_ROW_COUNT("k", vndx, k, 5, 1, OPEVO_I_KT_NEAREST_MOST,
                    "nearest known points whose mean is the prediction"),
    OPEVO_ROW_COUNT("pool", vndx, pool_most, 8, 2, 1000,
                    "candidates to choose from; half of them neighbours"),
    OPEVO_ROW_COUNT("patience", vndx, patience, 100, 1, 1000000,
                    "consecutive rejections before a random restart"),
    OPEVO_ROW_COUNT("tabu", vndx, tabu_most, 300, 0, 1000000, "points of the tabu list"),
    OPEVO_ROW_COUNT("elite", vndx, elite_most, 5, 1, 1000, "points that are crossed over"),
    OPEVO_ROW_REAL("t", vndx, t_start, 1, 1e-8, 1e6, "initial temperature, in milliseconds"),
    OPEVO_ROW_REAL("cooling", vndx, cooling, 0.995, 0.001, 1,
                   "factor of the temperature after each evaluation"),
    OPEVO_ROW_COUNT("evaluations", vndx, schedule, 5000, 1, 1000000,
                    "evaluations, repeats included, before a restart"),
};

static void clear(opevo_i_kt *base)
{
    vndx *self = (vndx *)base;

    opevo_i_kt_known_clear(&self->known);
    opevo_free(self->here);
    opevo_free(self->chosen);
    opevo_free(self->pool);
    opevo_free(self->pair);
    opevo_free(self->elites);
    opevo_i_kt_tabu_clear(&self->tabu);
}

static void restart(opevo_i_kt *base)
{
    ((vndx *)base)->phase = BEGIN;
}

/* ---- What is learned ---- */

/* Add to the elites; when they are too many, the best leaves, as in the source. */
static void add_elite(vndx *self, double cost)
{
    size_t best = 0;

    self->elites[self->elite_count++] =
        (elite){cost, opevo_i_kt_encode(&self->base.space, self->chosen)};
    if (self->elite_count <= self->elite_most)
        return;
    for (size_t n = 1; n < self->elite_count; n++) {
        const elite *one = &self->elites[n];
        const elite *other = &self->elites[best];

        if (one->cost < other->cost || (one->cost == other->cost && one->point < other->point))
            best = n;
    }
    self->elites[best] = self->elites[--self->elite_count];
}

/* ---- The pool ---- */

static size_t pick_kind(vndx *self)
{
    double left = 0;

    for (size_t kind = 0; kind < KINDS; kind++)
        left += self->weights[kind];
    left *= opevo_rng_unit(&self->base.rng);
    for (size_t kind = 0; kind < KINDS - 1; kind++) {
        left -= self->weights[kind];
        if (left <= 0)
            return kind;
    }
    return KINDS - 1;
}

/* Each parameter from one of two different elites. */
static void cross_elites(vndx *self, opevo_index *child)
{
    opevo_i_kt_space *space = &self->base.space;
    opevo_rng *rng = &self->base.rng;
    size_t first = (size_t)opevo_rng_below(rng, self->elite_count);
    size_t second = (size_t)opevo_rng_below(rng, self->elite_count - 1);

    second += second >= first;
    opevo_i_kt_decode(space, self->elites[first].point, self->pair);
    opevo_i_kt_decode(space, self->elites[second].point, self->pair + space->width);
    for (size_t i = 0; i < space->width; i++)
        child[i] = self->pair[opevo_rng_below(rng, 2) * space->width + i];
}

/* Fill the pool; its size, which is less than wanted only when no point can be drawn. */
static size_t fill_pool(vndx *self)
{
    opevo_i_kt *base = &self->base;
    size_t width = base->space.width;
    size_t count = opevo_i_kt_neighbours(&base->space, kinds[self->kind], self->here, &base->rng,
                                         self->pool_most / 2, self->pool);

    if (self->elite_count >= 2) {
        opevo_index *child = self->pool + count * width;

        cross_elites(self, child);
        if (opevo_i_kt_allows(&base->space, child) || opevo_i_kt_start(base, child))
            count++;
    }
    while (count < self->pool_most && opevo_i_kt_start(base, self->pool + count * width))
        count++;
    return count;
}

/* The candidate with the best prediction into `chosen`; false without candidates. */
static bool choose(vndx *self)
{
    opevo_i_kt *base = &self->base;
    size_t count = fill_pool(self);
    double best = INFINITY;

    for (size_t n = 0; n < count; n++) {
        const opevo_index *candidate = self->pool + n * base->space.width;
        double score = opevo_i_kt_known_predict(&self->known, candidate, self->k);

        if (opevo_i_kt_tabu_has(&self->tabu, opevo_i_kt_encode(&base->space, candidate)))
            score += fabs(score) * 0.1 + 1e3;
        if (n == 0 || score < best) {
            best = score;
            opevo_i_kt_copy(&base->space, self->chosen, candidate);
        }
    }
    return count > 0;
}

/* ---- The search ---- */

static opevo_status propose(opevo_i_kt *base, opevo_error *err)
{
    vndx *self = (vndx *)base;

    if (self->known.count >= self->schedule)
        self->phase = BEGIN;
    if (self->phase == MOVE) {
        base->origin = "candidate";
        self->kind = pick_kind(self);
        return choose(self) ? opevo_i_kt_want(base, self->chosen, err) : OPEVO_OK;
    }
    base->origin = self->phase == BEGIN ? "initial" : "restart";
    if (!opevo_i_kt_start(base, self->chosen))
        return OPEVO_OK;
    return opevo_i_kt_want(base, self->chosen, err);
}

/* Stand at the point that was chosen; it becomes tabu. */
static opevo_status go(vndx *self, double cost, opevo_error *err)
{
    opevo_i_kt_space *space = &self->base.space;

    opevo_i_kt_copy(space, self->here, self->chosen);
    self->cost = cost;
    self->refused = 0;
    OPEVO_NEED_OR_RETURN(opevo_i_kt_tabu_add(&self->tabu, opevo_i_kt_encode(space, self->chosen)),
                         "the tabu list");
    return OPEVO_OK;
}

/* The round was a random point to go on from; all is forgotten at the beginning. */
static opevo_status take_start(vndx *self, double cost, opevo_error *err)
{
    if (self->phase == BEGIN) {
        self->known.count = 0;
        self->elite_count = 0;
        add_elite(self, cost);
        for (size_t kind = 0; kind < KINDS; kind++)
            self->weights[kind] = 1;
    }
    self->phase = MOVE;
    self->temperature = self->t_start;
    self->tabu.cleared = self->tabu.count;
    return go(self, cost, err);
}

/* The weights sum to at most 10^6, as in the source. */
static void weigh(vndx *self, double factor)
{
    double sum = 0;

    self->weights[self->kind] *= factor;
    for (size_t kind = 0; kind < KINDS; kind++)
        sum += self->weights[kind];
    for (size_t kind = 0; sum > 1e6 && kind < KINDS; kind++)
        self->weights[kind] *= 1e-6;
}

static opevo_status take(opevo_i_kt *base, opevo_error *err)
{
    vndx *self = (vndx *)base;
    double cost = base->costs[0];
    opevo_status status = OPEVO_OK;

    if (self->phase != MOVE)
        OPEVO_TRY(take_start(self, cost, err));
    else {
        bool accepted =
            opevo_i_kt_accepts(&base->rng, cost - self->cost, fmax(self->temperature, 1e-8));

        add_elite(self, cost);
        weigh(self, accepted ? 1.1 : 0.9);
        self->temperature *= self->cooling;
        self->refused++;
        if (accepted)
            OPEVO_TRY(go(self, cost, err));
        if (self->refused >= self->patience)
            self->phase = RESTART;
    }
    status = opevo_i_kt_known_add(&self->known, self->chosen, cost, err);
cleanup:
    return status;
}

static bool prepare(opevo_i_kt *base)
{
    vndx *self = (vndx *)base;
    size_t width = base->space.width;

    self->here = opevo_malloc(width, sizeof *self->here);
    self->chosen = opevo_malloc(width, sizeof *self->chosen);
    self->pool = opevo_malloc(self->pool_most + 1, width * sizeof *self->pool);
    self->pair = opevo_malloc(2, width * sizeof *self->pair);
    self->elites = opevo_malloc(self->elite_most + 1, sizeof *self->elites);
    return opevo_i_kt_known_init(&self->known, &base->space) && self->here && self->chosen &&
           self->pool && self->pair && self->elites &&
           opevo_i_kt_tabu_init(&self->tabu, self->tabu_most);
}

static const opevo_i_kt_strategy strategy = {sizeof(vndx), prepare, propose, take, restart, clear};

static opevo_status create(const opevo_space *space, const opevo_setting_value *settings,
                           const opevo_rng *rng, opevo_tuner **out, opevo_error *err)
{
    return opevo_i_kt_create(&opevo_i_kt_vndx_ops, &strategy, settings, space, rng, out, err);
}

const opevo_tuner_ops opevo_i_kt_vndx_ops = {
    .name = "kt-vndx",
    .summary = "Kernel Tuner's VND-X hybrid: neighbours chosen by nearest known points, annealing",
    .source = "Kernel Tuner 1.4.0, strategies/hybrid_vndx.py",
    .settings = settings_table,
    .setting_count = sizeof settings_table / sizeof *settings_table,
    OPEVO_I_KT_FUNCTIONS,
};
