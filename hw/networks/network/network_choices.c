/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Choices of layouts and of convolutions by measured times: a table of sites, and for each step
 * what computes it, depending on its sites. network_choice_steps.c fills it in. */

#include "network_choices_internal.h"

#include <opevo/memory.h>

#include <math.h>
#include <string.h>

void opevo_network_choices_destroy(opevo_network_choices *self)
{
    if (!self)
        return;
    for (int i = 0; i < self->candidates; i++) {
        opevo_computation_destroy(self->candidate[i].computation);
        opevo_free(self->candidate[i].operation);
    }
    for (int n = 0; n < self->steps; n++) {
        for (size_t m = 0; m < OPEVO_I_CHOICE_WAYS; m++)
            opevo_free(self->step[n].way[m].candidate);
    }
    opevo_free(self->candidate);
    opevo_free(self->site);
    opevo_free(self->step);
    opevo_free(self->on);
    opevo_free(self->other);
    opevo_free(self->best);
    opevo_free(self->change);
    opevo_free(self);
}

int opevo_network_choices_sites(const opevo_network_choices *self)
{
    return self->sites;
}

const opevo_network_site *opevo_network_choices_site(const opevo_network_choices *self, int site)
{
    return &self->site[site];
}

void opevo_network_choices_turn_off(opevo_network_choices *self, int site)
{
    self->site[site].on = false;
}

int opevo_network_choices_candidates(const opevo_network_choices *self)
{
    return self->candidates;
}

const opevo_network_candidate *opevo_network_choices_candidate(const opevo_network_choices *self,
                                                               int candidate)
{
    return &self->candidate[candidate];
}

/* ---- Latency -------------------------------------------------------------------------------- */

static const opevo_i_net_choice_way *way_of(const opevo_i_net_choice_step *step, const bool *on)
{
    unsigned mask = 0;

    for (int i = 0; i < step->sites && i < OPEVO_I_CHOICE_SITES; i++)
        mask |= (unsigned)on[step->site[i]] << i;
    return &step->way[mask];
}

static void add(const opevo_i_net_choice_way *way, int by, int *change)
{
    for (int i = 0; i < way->count; i++)
        change[way->candidate[i]] += by;
}

/* How many steps more compute each candidate in `to` than in `from`; false where it is not known
 * what computes a step. */
static bool find_change(const opevo_network_choices *self, const bool *from, const bool *to)
{
    memset(self->change, 0, (size_t)self->candidates * sizeof *self->change);
    for (int n = 0; n < self->steps; n++) {
        const opevo_i_net_choice_way *before = way_of(&self->step[n], from);
        const opevo_i_net_choice_way *after = way_of(&self->step[n], to);

        if (before == after)
            continue;
        if (!before->known || !after->known)
            return false;
        add(before, -1, self->change);
        add(after, 1, self->change);
    }
    return true;
}

/* L(to) - L(from); NAN: unknown. */
static double difference(const opevo_network_choices *self, const bool *from, const bool *to,
                         const double *time_s)
{
    double sum = 0;

    if (!find_change(self, from, to))
        return NAN;
    for (int i = 0; i < self->candidates; i++) {
        if (self->change[i] && !isfinite(time_s[i]))
            return NAN;
        sum += self->change[i] ? self->change[i] * time_s[i] : 0;
    }
    return sum;
}

/* That with one site turned. */
static double turned(const opevo_network_choices *self, bool *on, int site, const double *time_s)
{
    double by = 0;

    memcpy(self->other, on, (size_t)self->sites * sizeof *on);
    self->other[site] = !on[site];
    by = difference(self, on, self->other, time_s);
    return by;
}

/* Each turn makes L smaller, so that it ends; rounding may not let it go on for ever. */
static void descend(const opevo_network_choices *self, bool *on, const double *time_s)
{
    bool improved = true;

    for (int sweep = 0; improved && sweep <= self->sites; sweep++) {
        improved = false;
        for (int s = 0; s < self->sites; s++) {
            if (turned(self, on, s, time_s) < 0) {
                on[s] = !on[s];
                improved = true;
            }
        }
    }
}

static void count_steps(opevo_network_choices *self)
{
    for (int i = 0; i < self->candidates; i++)
        self->candidate[i].count = 0;
    for (int n = 0; n < self->steps; n++) {
        const opevo_i_net_choice_way *way = way_of(&self->step[n], self->on);

        for (int i = 0; i < way->count; i++)
            self->candidate[way->candidate[i]].count++;
    }
}

opevo_status opevo_i_net_choices_finish(opevo_network_choices *self, opevo_error *err)
{
    size_t sites = (size_t)self->sites + 1;

    self->on = opevo_calloc(sites, sizeof *self->on);
    self->other = opevo_calloc(sites, sizeof *self->other);
    self->best = opevo_calloc(sites, sizeof *self->best);
    self->change = opevo_calloc((size_t)self->candidates + 1, sizeof *self->change);
    OPEVO_NEED_OR_RETURN(self->on && self->other && self->best && self->change,
                         "the choices of the network");
    memset(self->on, true, sites);
    count_steps(self);
    return OPEVO_OK;
}

void opevo_network_choices_decide(opevo_network_choices *self, const double *time_s)
{
    size_t bytes = (size_t)self->sites * sizeof *self->on;

    if (!self->sites)
        return;
    memset(self->best, true, bytes);
    memset(self->on, false, bytes);
    if (isfinite(difference(self, self->best, self->on, time_s)))
        descend(self, self->on, time_s);
    else
        memset(self->on, true, bytes);
    descend(self, self->best, time_s);
    if (!(difference(self, self->best, self->on, time_s) < 0))
        memcpy(self->on, self->best, bytes);
    for (int s = 0; s < self->sites; s++) {
        self->site[s].on = self->on[s];
        self->site[s].measured = isfinite(turned(self, self->on, s, time_s));
    }
    count_steps(self);
}

void opevo_network_choices_weigh(opevo_network_choices *self, const double *time_s, double share,
                                 double *weight)
{
    for (int i = 0; i < self->candidates; i++)
        weight[i] = self->candidate[i].count;
    for (int s = 0; s < self->sites; s++) {
        double more_s = turned(self, self->on, s, time_s), come_s = 0;

        for (int i = 0; i < self->candidates && isfinite(more_s); i++)
            come_s += self->change[i] > 0 ? self->change[i] * time_s[i] : 0;
        if (!(come_s > 0))
            continue;
        for (int i = 0; i < self->candidates; i++) {
            if (self->change[i] > 0 && self->candidate[i].count == 0)
                weight[i] += self->change[i] * fmax(0, share - more_s / come_s);
        }
    }
}

void opevo_network_choices_apply(const opevo_network_choices *self,
                                 opevo_network_inference *inference)
{
    for (int s = 0; s < self->sites; s++) {
        opevo_network_tensor *value = &inference->value[self->site[s].value];

        if (self->site[s].kind == OPEVO_NETWORK_SITE_LAYOUT)
            value->plain = !self->site[s].on;
        else
            value->direct = !self->site[s].on;
    }
}
