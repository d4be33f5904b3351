/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `kt-greedy-ils`: iterated local search. It climbs to a local optimum, walks some random steps
 * away from it, and climbs again.
 *
 * Source: Kernel Tuner 1.3.3, strategies/greedy_ils.py and hillclimbers.py. Release 1.4.0 rewrote
 * the climbing such that it ends at the first improvement; that defect is not repeated. Kept from
 * the source: a climb counts as an improvement when it ends below the very first point, which
 * nearly every one does, so that the rule to begin anew after `patience` climbs hardly ever acts.
 * Deviations: those of kt_search.c. */

#include "kt_climb_internal.h"
#include "kt_internal.h"

typedef struct greedy_ils {
    opevo_i_kt base;
    double walk;
    size_t steps, patience;
    enum { FIRST, START, CLIMBING } phase; /* what the point of the round is */
    double first;                          /* cost of the first point */
    size_t misses;                         /* climbs in a row that ended no better than that */
    opevo_i_kt_climb climb;
} greedy_ils;

static const opevo_setting settings_table[] = {
    OPEVO_ROW_REAL("walk", greedy_ils, walk, 0.3, 0, 10,
                   "random steps after a climb, for each parameter; at least one"),
    OPEVO_ROW_COUNT("patience", greedy_ils, patience, 50, 1, 1000000,
                    "climbs no better than the first point before a restart"),
};

static void clear(opevo_i_kt *base)
{
    opevo_i_kt_climb_clear(&((greedy_ils *)base)->climb);
}

static void restart(opevo_i_kt *base)
{
    ((greedy_ils *)base)->phase = FIRST;
}

/* The climb has ended at `here`: go where the next one starts. False when there is no such point.
 */
static bool leave(greedy_ils *self)
{
    opevo_i_kt *base = &self->base;

    self->misses = self->climb.cost < self->first ? 0 : self->misses + 1;
    if (self->misses >= self->patience)
        return opevo_i_kt_start(base, self->climb.here);
    for (size_t i = 0; i < self->steps; i++)
        opevo_i_kt_step(&base->space, OPEVO_I_KT_HAMMING, &base->rng, self->climb.here);
    return true;
}

static opevo_status propose(opevo_i_kt *base, opevo_error *err)
{
    greedy_ils *self = (greedy_ils *)base;

    if (self->phase == CLIMBING) {
        base->origin = "neighbour";
        if (opevo_i_kt_climb_next(&self->climb))
            return opevo_i_kt_want(base, self->climb.there, err);
        base->origin = "walk";
        self->phase = START;
        if (!leave(self))
            return OPEVO_OK;
    } else {
        base->origin = "start";
        self->phase = FIRST;
        if (!opevo_i_kt_start(base, self->climb.here))
            return OPEVO_OK;
    }
    return opevo_i_kt_want(base, self->climb.here, err);
}

static opevo_status take(opevo_i_kt *base, opevo_error *err)
{
    greedy_ils *self = (greedy_ils *)base;

    (void)err;
    if (self->phase == FIRST) {
        self->first = base->costs[0];
        self->misses = 0;
    }
    if (self->phase == CLIMBING)
        opevo_i_kt_climb_take(&self->climb, base->costs[0]);
    else
        opevo_i_kt_climb_begin(&self->climb, base->costs[0]);
    self->phase = CLIMBING;
    return OPEVO_OK;
}

static bool prepare(opevo_i_kt *base)
{
    greedy_ils *self = (greedy_ils *)base;

    self->steps = (size_t)(self->walk * (double)base->space.width);
    self->steps += self->steps == 0;
    return opevo_i_kt_climb_init(&self->climb, &base->space, &base->rng);
}

static const opevo_i_kt_strategy strategy = {
    sizeof(greedy_ils), prepare, propose, take, restart, clear};

static opevo_status create(const opevo_space *space, const opevo_setting_value *settings,
                           const opevo_rng *rng, opevo_tuner **out, opevo_error *err)
{
    return opevo_i_kt_create(&opevo_i_kt_greedy_ils_ops, &strategy, settings, space, rng, out, err);
}

const opevo_tuner_ops opevo_i_kt_greedy_ils_ops = {
    .name = "kt-greedy-ils",
    .summary = "Kernel Tuner's greedy iterated local search, before its 1.4.0 defect",
    .source = "Kernel Tuner 1.3.3, strategies/greedy_ils.py and hillclimbers.py",
    .settings = settings_table,
    .setting_count = sizeof settings_table / sizeof *settings_table,
    OPEVO_I_KT_FUNCTIONS,
};
