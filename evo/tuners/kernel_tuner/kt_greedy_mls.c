/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `kt-greedy-mls`: multi-start local search. From a random point it climbs to a local optimum, then
 * begins at another random point.
 *
 * Source: Kernel Tuner 1.3.3, strategies/greedy_mls.py and hillclimbers.py. Release 1.4.0 rewrote
 * the climbing such that it ends at the first improvement; that defect is not repeated. Deviations:
 * those of kt_search.c. */

#include "kt_climb_internal.h"
#include "kt_internal.h"

typedef struct greedy_mls {
    opevo_i_kt base;
    bool climbing;
    opevo_i_kt_climb climb;
} greedy_mls;

static void clear(opevo_i_kt *base)
{
    opevo_i_kt_climb_clear(&((greedy_mls *)base)->climb);
}

static void restart(opevo_i_kt *base)
{
    ((greedy_mls *)base)->climbing = false;
}

static opevo_status propose(opevo_i_kt *base, opevo_error *err)
{
    greedy_mls *self = (greedy_mls *)base;

    base->origin = "neighbour";
    self->climbing = self->climbing && opevo_i_kt_climb_next(&self->climb);
    if (self->climbing)
        return opevo_i_kt_want(base, self->climb.there, err);
    base->origin = "start";
    if (!opevo_i_kt_start(base, self->climb.here))
        return OPEVO_OK;
    return opevo_i_kt_want(base, self->climb.here, err);
}

static opevo_status take(opevo_i_kt *base, opevo_error *err)
{
    greedy_mls *self = (greedy_mls *)base;

    (void)err;
    if (self->climbing)
        opevo_i_kt_climb_take(&self->climb, base->costs[0]);
    else
        opevo_i_kt_climb_begin(&self->climb, base->costs[0]);
    self->climbing = true;
    return OPEVO_OK;
}

static bool prepare(opevo_i_kt *base)
{
    return opevo_i_kt_climb_init(&((greedy_mls *)base)->climb, &base->space, &base->rng);
}

static const opevo_i_kt_strategy strategy = {
    sizeof(greedy_mls), prepare, propose, take, restart, clear};

static opevo_status create(const opevo_space *space, const opevo_setting_value *settings,
                           const opevo_rng *rng, opevo_tuner **out, opevo_error *err)
{
    return opevo_i_kt_create(&opevo_i_kt_greedy_mls_ops, &strategy, settings, space, rng, out, err);
}

const opevo_tuner_ops opevo_i_kt_greedy_mls_ops = {
    .name = "kt-greedy-mls",
    .summary = "Kernel Tuner's greedy local search from random points, before its 1.4.0 defect",
    .source = "Kernel Tuner 1.3.3, strategies/greedy_mls.py and hillclimbers.py",
    OPEVO_I_KT_FUNCTIONS,
};
