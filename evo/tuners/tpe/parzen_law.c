/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Components of equal mean and deviation are merged, which leaves at most three for each value:
 * among equal observations the first has the gap below it, the last the gap above it, and those
 * between none. Nearly all have one of three deviations; what these put on a value depends on its
 * distance alone, and is kept, as what the prior puts on it. */

#include "parzen_struct_internal.h"

#include <math.h>
#include <string.h>

enum { REJECTIONS_MOST = 1000 };

#define SQRT_HALF 0.70710678118654752
#define TWO_PI 6.28318530717958648
#define SIGMA_DIVISOR_MOST 100.0
#define FAR 9.0 /* deviations beyond which a normal law has less than 2^-62 */

/* ---- Weights ---- */

/* 1 for the newest, and for the others rising from 1 / members to 1 in equal steps. */
typedef struct ramp {
    size_t old;
    double first, step;
} ramp;

static ramp ramp_of(const opevo_i_tpe_mixture *made)
{
    size_t count = made->member_count;
    size_t old = count > OPEVO_I_PARZEN_NEWEST ? count - OPEVO_I_PARZEN_NEWEST : 0;
    double first = count ? 1 / (double)count : 1;

    return (ramp){
        .old = old, .first = first, .step = old > 1 ? (1 - first) / (double)(old - 1) : 0};
}

static double weight_of_rank(const ramp *self, size_t rank)
{
    return rank < self->old ? self->first + self->step * (double)rank : 1;
}

static double weight_of_tally(const ramp *self, const opevo_i_tpe_tally *one)
{
    return (double)(one->count - one->old) + self->first * (double)one->old +
           self->step * (double)one->old_ranks;
}

/* ---- Ordered values ---- */

/* Probability that a normal law is below x. */
static double normal_below(double x)
{
    return 0.5 * erfc(-x * SQRT_HALF);
}

/* What the law of a component puts between two places. */
static double between(const opevo_i_tpe_component *one, double low, double high)
{
    return normal_below((high - one->mean) / one->deviation) -
           normal_below((low - one->mean) / one->deviation);
}

/* The table of a component's deviation; NULL: none is kept. */
static const opevo_i_tpe_kept *table_of(const opevo_i_tpe_mixture *made,
                                        const opevo_i_tpe_component *one)
{
    for (int k = 0; k < OPEVO_I_PARZEN_KEPT && !one->is_prior; k++) {
        if (made->kept[k].near && made->kept[k].deviation == one->deviation)
            return &made->kept[k];
    }
    return NULL;
}

/* What a component puts between two places, which is kept in a place; NULL: it is not. */
static double worked_out(double *kept, const opevo_i_tpe_component *one, double low, double high)
{
    double share = kept ? *kept : -1;

    if (share < 0)
        share = between(one, low, high);
    if (kept)
        *kept = share;
    return share;
}

static double put_on_domain(const opevo_i_tpe_parzen *self, const opevo_i_tpe_mixture *made,
                            const opevo_i_tpe_component *one)
{
    const opevo_i_tpe_kept *table = table_of(made, one);
    double *kept = table ? &table->whole[(size_t)one->mean] : NULL;

    if (one->is_prior && self->prior)
        kept = &self->prior[(size_t)self->size];
    return worked_out(kept, one, -0.5, (double)self->size - 0.5);
}

static double put_on_vertex(const opevo_i_tpe_parzen *self, const opevo_i_tpe_mixture *made,
                            const opevo_i_tpe_component *one, opevo_index vertex)
{
    double at = (double)vertex, away = at - one->mean;
    const opevo_i_tpe_kept *table = table_of(made, one);
    double *kept = NULL;

    if (table != &made->kept[OPEVO_I_PARZEN_LEAST] && fabs(away) - 1 > FAR * one->deviation)
        return 0;
    if (table)
        kept = &table->near[(size_t)(away + (double)self->size - 1)];
    else if (one->is_prior && self->prior)
        kept = &self->prior[(size_t)vertex];
    return worked_out(kept, one, at - 0.5, at + 0.5);
}

/* Add a component, merged with the last if that is equal. */
static void add_component(opevo_i_tpe_mixture *made, opevo_i_tpe_component one)
{
    opevo_i_tpe_component *last = made->count ? &made->components[made->count - 1] : NULL;

    if (!(one.weight > 0))
        return;
    if (last && last->mean == one.mean && last->deviation == one.deviation)
        last->weight += one.weight;
    else
        made->components[made->count++] = one;
}

static double clipped(const opevo_i_tpe_parzen *self, const opevo_i_tpe_mixture *made, double gap)
{
    double most = (double)self->size, least = made->kept[OPEVO_I_PARZEN_LEAST].deviation;

    if (made->member_count == 1)
        gap = most / 2;
    return gap > most ? most : gap < least ? least : gap;
}

/* The components of equal observations, with the distances to the means beside them. */
static void add_equals(const opevo_i_tpe_parzen *self, opevo_i_tpe_mixture *made,
                       const ramp *weights, const opevo_i_tpe_tally *one, double mean, double left,
                       double right)
{
    double oldest = weight_of_rank(weights, one->oldest);
    double newest = weight_of_rank(weights, one->newest);

    if (one->count == 1) {
        add_component(made,
                      (opevo_i_tpe_component){.mean = mean,
                                              .deviation = clipped(self, made, fmax(left, right)),
                                              .weight = oldest});
        return;
    }
    add_component(made, (opevo_i_tpe_component){.mean = mean,
                                                .deviation = clipped(self, made, left),
                                                .weight = oldest});
    if (one->count > 2)
        add_component(made, (opevo_i_tpe_component){.mean = mean,
                                                    .deviation = clipped(self, made, 0),
                                                    .weight = weight_of_tally(weights, one) -
                                                              oldest - newest});
    add_component(made, (opevo_i_tpe_component){.mean = mean,
                                                .deviation = clipped(self, made, right),
                                                .weight = newest});
}

/* The mean of the next group that a side has; that of the prior, if it is not placed, comes before
 * it where it is not larger. INFINITY behind the last. */
static double next_mean(const opevo_i_tpe_parzen *self, opevo_i_tpe_parzen_side side, size_t from,
                        bool placed)
{
    double prior = placed ? INFINITY : ((double)self->size - 1) / 2;

    while (from < self->group_count && self->groups[self->order[from]].sides[side].count == 0)
        from++;
    if (from == self->group_count)
        return prior;
    return fmin(prior, (double)self->groups[self->order[from]].vertex);
}

/* The smallest deviation; where it is another, nothing that is kept holds. */
static void set_least(const opevo_i_tpe_parzen *self, opevo_i_tpe_mixture *made)
{
    opevo_i_tpe_kept *kept = &made->kept[OPEVO_I_PARZEN_LEAST];
    size_t size = (size_t)self->size;
    double divisor = 2 + (double)made->member_count;
    double least =
        (double)self->size / (divisor < SIGMA_DIVISOR_MOST ? divisor : SIGMA_DIVISOR_MOST);

    if (least == kept->deviation)
        return;
    kept->deviation = least;
    for (size_t i = 0; kept->near && i < 2 * size; i++)
        kept->near[i] = -1;
    for (size_t i = 0; kept->whole && i < size; i++)
        kept->whole[i] = -1;
}

static void place_components(opevo_i_tpe_parzen *self, opevo_i_tpe_parzen_side side)
{
    opevo_i_tpe_mixture *made = &self->sides[side];
    opevo_i_tpe_component prior = {.mean = ((double)self->size - 1) / 2,
                                   .deviation = (double)self->size,
                                   .weight = 1,
                                   .is_prior = true};
    ramp weights = ramp_of(made);
    double before = NAN; /* the last mean */
    bool placed = false;

    made->count = 0;
    for (size_t i = 0; i < self->group_count; i++) {
        const opevo_i_tpe_group *one = &self->groups[self->order[i]];
        double mean = (double)one->vertex, after = 0;

        if (one->sides[side].count == 0)
            continue;
        if (!placed && mean >= prior.mean) {
            placed = true;
            add_component(made, prior);
            before = prior.mean;
        }
        after = next_mean(self, side, i + 1, placed);
        add_equals(self, made, &weights, &one->sides[side], mean, isnan(before) ? 0 : mean - before,
                   isinf(after) ? 0 : after - mean);
        before = mean;
    }
    if (!placed)
        add_component(made, prior);
}

static void fit_ordered(opevo_i_tpe_parzen *self, opevo_i_tpe_parzen_side side)
{
    opevo_i_tpe_mixture *made = &self->sides[side];
    double sum = 0;

    set_least(self, made);
    place_components(self, side);
    made->inside = 0;
    for (size_t i = 0; i < made->count; i++) {
        opevo_i_tpe_component *one = &made->components[i];

        sum += one->weight;
        one->below = sum;
        made->inside += one->weight * put_on_domain(self, made, one);
    }
}

/* ---- Unordered values ---- */

static void fit_unordered(opevo_i_tpe_parzen *self, opevo_i_tpe_parzen_side side)
{
    opevo_i_tpe_mixture *made = &self->sides[side];
    ramp weights = ramp_of(made);
    double old = (double)weights.old;

    made->all = (double)(made->member_count - weights.old) + weights.first * old +
                weights.step * old * (old - 1) / 2;
    made->count = 0;
    if (side == OPEVO_I_PARZEN_ABOVE)
        return; /* nothing is drawn from it */
    made->all = 0;
    for (size_t i = 0; i < self->group_count; i++) {
        const opevo_i_tpe_group *one = &self->groups[self->order[i]];

        if (one->sides[side].count == 0)
            continue;
        made->all += weight_of_tally(&weights, &one->sides[side]);
        made->components[made->count++] =
            (opevo_i_tpe_component){.group = self->order[i], .below = made->all};
    }
}

/* ---- Both ---- */

bool opevo_i_tpe_parzen_fit(opevo_i_tpe_parzen *parzen)
{
    bool changed = false;

    for (int side = 0; side < OPEVO_I_PARZEN_SIDES; side++) {
        opevo_i_tpe_mixture *made = &parzen->sides[side];

        if (made->stale)
            opevo_i_tpe_parzen_tally(parzen, (opevo_i_tpe_parzen_side)side);
        if (made->fitted)
            continue;
        if (parzen->ordered)
            fit_ordered(parzen, (opevo_i_tpe_parzen_side)side);
        else
            fit_unordered(parzen, (opevo_i_tpe_parzen_side)side);
        made->fitted = true;
        changed = changed || side == OPEVO_I_PARZEN_BELOW;
        for (size_t i = 0; parzen->ratios && i < parzen->size; i++)
            parzen->ratios[i] = -1;
    }
    return changed;
}

/* The component at a place of the running sums. */
static size_t find_component(const opevo_i_tpe_mixture *made, double place)
{
    size_t low = 0;
    size_t high = made->count - 1;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (made->components[middle].below > place)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static double draw_normal(opevo_rng *rng)
{
    double radius = sqrt(-2 * log(1 - opevo_rng_unit(rng)));

    return radius * cos(TWO_PI * opevo_rng_unit(rng));
}

opevo_index opevo_i_tpe_parzen_draw(const opevo_i_tpe_parzen *parzen, opevo_rng *rng)
{
    const opevo_i_tpe_mixture *made = &parzen->sides[OPEVO_I_PARZEN_BELOW];

    if (!parzen->ordered) {
        double place = opevo_rng_unit(rng) * (made->all + (double)parzen->size);

        if (place < made->all)
            return parzen->groups[made->components[find_component(made, place)].group].vertex;
        return opevo_rng_below_wide(rng, parzen->size);
    }
    for (int i = 0; i < REJECTIONS_MOST; i++) {
        double all = made->components[made->count - 1].below;
        const opevo_i_tpe_component *one =
            &made->components[find_component(made, opevo_rng_unit(rng) * all)];
        double drawn = floor(one->mean + one->deviation * draw_normal(rng) + 0.5);

        if (drawn >= 0 && drawn < (double)parzen->size)
            return (uint64_t)drawn;
    }
    return opevo_rng_below_wide(rng, parzen->size);
}

double opevo_i_tpe_parzen_probability(opevo_i_tpe_parzen *parzen, opevo_i_tpe_parzen_side side,
                                      opevo_index vertex)
{
    opevo_i_tpe_mixture *made = &parzen->sides[side];
    double sum = 0;

    if (!parzen->ordered) {
        const opevo_i_tpe_group *one = opevo_i_tpe_parzen_find(parzen, vertex);
        ramp weights = ramp_of(made);

        if (one)
            sum = weight_of_tally(&weights, &one->sides[side]);
        return (sum + 1) / (made->all + (double)parzen->size);
    }
    for (size_t i = 0; i < made->count; i++)
        sum +=
            made->components[i].weight * put_on_vertex(parzen, made, &made->components[i], vertex);
    return sum / made->inside;
}

void opevo_i_tpe_parzen_law(opevo_i_tpe_parzen *parzen, double *law)
{
    opevo_i_tpe_mixture *made = &parzen->sides[OPEVO_I_PARZEN_BELOW];

    if (!parzen->ordered) {
        for (size_t v = 0; v < parzen->size; v++)
            law[v] = opevo_i_tpe_parzen_probability(parzen, OPEVO_I_PARZEN_BELOW, v);
        return;
    }
    memset(law, 0, (size_t)parzen->size * sizeof *law);
    for (size_t i = 0; i < made->count; i++) {
        const opevo_i_tpe_component *one = &made->components[i];
        double below = normal_below((-0.5 - one->mean) / one->deviation);

        for (size_t v = 0; v < parzen->size; v++) {
            double above = normal_below(((double)v + 0.5 - one->mean) / one->deviation);

            law[v] += one->weight * (above - below) / made->inside;
            below = above;
        }
    }
}

double opevo_i_tpe_parzen_ratio(opevo_i_tpe_parzen *parzen, opevo_index vertex)
{
    double ratio = parzen->ratios ? parzen->ratios[(size_t)vertex] : -1;

    if (ratio < 0)
        ratio = opevo_i_tpe_parzen_probability(parzen, OPEVO_I_PARZEN_BELOW, vertex) /
                opevo_i_tpe_parzen_probability(parzen, OPEVO_I_PARZEN_ABOVE, vertex);
    if (parzen->ratios)
        parzen->ratios[(size_t)vertex] = ratio;
    return ratio;
}
