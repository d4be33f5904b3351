/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `kt-annealing`: simulated annealing on relative differences of cost.
 *
 * Source: Kernel Tuner 1.4.0, strategies/simulated_annealing.py. The temperature falls with the
 * number of different points tried, at a pace set by the budget. A tuner does not know its budget,
 * so the setting `evaluations` stands for it. Kept from the source: the pace is that of a schedule
 * which begins at temperature 1, so that this one, which begins at 0.1, is over after three
 * quarters of `evaluations`; and a search that is stuck goes on at a random point with the cost of
 * the old one. Deviations: those of kt_search.c (it anneals anew from a random point when the
 * schedule is over). */

#include "kt_internal.h"

#include <opevo/memory.h>

#include <math.h>

enum {
    MOVES = 2, /* at each temperature */
    STUCK_MOST = 100
};

typedef struct annealing {
    opevo_i_kt base;
    double t_start, t_min, alpha;
    size_t evaluations;
    double log_pace; /* of the temperature, for each different point */

    bool begun;
    double cost; /* of where it is */
    double t;
    size_t begun_at; /* different points when it began */
    size_t known;    /* and at the last change of temperature */
    unsigned moves;  /* since then */
    unsigned stuck;  /* temperatures without a new point */
    opevo_index *here;
    opevo_index *there;
} annealing;

static const opevo_setting settings_table[] = {
    OPEVO_ROW_REAL("t", annealing, t_start, 0.1, 1e-6, 100,
                   "initial temperature: a relative difference of cost"),
    OPEVO_ROW_REAL("t-min", annealing, t_min, 1e-4, 1e-9, 1,
                   "temperature at which the annealing ends", .below_max = true),
    OPEVO_ROW_REAL("alpha", annealing, alpha, 0.9975, 0.001, 1,
                   "factor of the temperature, before the pace is set", .below_max = true),
    OPEVO_ROW_COUNT("evaluations", annealing, evaluations, 500, 1, 1000000000,
                    "trials for which the schedule is made"),
};

static void clear(opevo_i_kt *base)
{
    annealing *self = (annealing *)base;

    opevo_free(self->here);
    opevo_free(self->there);
}

static void restart(opevo_i_kt *base)
{
    ((annealing *)base)->begun = false;
}

/* Each parameter in turn gives a chance of 1/5 for a Hamming step; then one parameter moves to the
 * nearest value. */
static void move(annealing *self)
{
    opevo_i_kt *base = &self->base;

    opevo_i_kt_copy(&base->space, self->there, self->here);
    for (size_t i = 0; i < base->space.width; i++) {
        if (opevo_rng_unit(&base->rng) < 0.2)
            opevo_i_kt_step(&base->space, OPEVO_I_KT_HAMMING, &base->rng, self->there);
    }
    opevo_i_kt_step(&base->space, OPEVO_I_KT_HAMMING_ADJACENT, &base->rng, self->there);
}

static opevo_status propose(opevo_i_kt *base, opevo_error *err)
{
    annealing *self = (annealing *)base;

    if (self->begun) {
        move(self);
        base->origin = "move";
    } else {
        if (!opevo_i_kt_start(base, self->there))
            return OPEVO_OK;
        base->origin = "initial";
    }
    return opevo_i_kt_want(base, self->there, err);
}

static bool accepts(annealing *self, double cost)
{
    if (self->cost == OPEVO_I_KT_FAILED)
        return true;
    if (cost == OPEVO_I_KT_FAILED)
        return false;
    return cost < self->cost ||
           opevo_rng_unit(&self->base.rng) < exp((self->cost - cost) / self->cost / self->t);
}

/* After the moves of one temperature: the next one. */
static void cool(annealing *self)
{
    size_t known = self->base.known;

    self->t = self->t_start * exp(self->log_pace * (double)(known - self->begun_at));
    self->stuck = known == self->known ? self->stuck + 1 : 0;
    self->known = known;
    self->moves = 0;
    if (self->stuck > STUCK_MOST) {
        self->stuck = 0;
        opevo_i_kt_start(&self->base, self->here);
    }
    self->begun = self->t > self->t_min;
}

static opevo_status take(opevo_i_kt *base, opevo_error *err)
{
    annealing *self = (annealing *)base;
    double cost = base->costs[0];
    bool first = !self->begun;

    (void)err;
    if (first) {
        self->begun = true;
        self->t = self->t_start;
        self->known = base->known;
        self->begun_at = self->known - base->made;
        self->moves = self->stuck = 0;
    }
    if (first || accepts(self, cost)) {
        opevo_i_kt_copy(&base->space, self->here, self->there);
        self->cost = cost;
    }
    if (!first && ++self->moves == MOVES)
        cool(self);
    return OPEVO_OK;
}

static bool prepare(opevo_i_kt *base)
{
    annealing *self = (annealing *)base;
    double log_alpha = log(self->alpha);
    double evaluations = fmin((double)self->evaluations, (double)base->space.count);

    self->log_pace = log_alpha * ceil(log(self->t_min) / log_alpha) / evaluations;
    self->here = opevo_malloc(base->space.width, sizeof *self->here);
    self->there = opevo_malloc(base->space.width, sizeof *self->there);
    return self->here && self->there;
}

static const opevo_i_kt_strategy strategy = {sizeof(annealing), prepare, propose, take,
                                             restart,           clear};

static opevo_status create(const opevo_space *space, const opevo_setting_value *settings,
                           const opevo_rng *rng, opevo_tuner **out, opevo_error *err)
{
    return opevo_i_kt_create(&opevo_i_kt_annealing_ops, &strategy, settings, space, rng, out, err);
}

const opevo_tuner_ops opevo_i_kt_annealing_ops = {
    .name = "kt-annealing",
    .summary = "Kernel Tuner's simulated annealing on relative differences of time",
    .source = "Kernel Tuner 1.4.0, strategies/simulated_annealing.py",
    .settings = settings_table,
    .setting_count = sizeof settings_table / sizeof *settings_table,
    OPEVO_I_KT_FUNCTIONS,
};
