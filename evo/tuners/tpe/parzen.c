/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Observations are kept sorted, so that the distances between neighbouring means are at hand.
 * Components of equal mean and deviation are merged, which leaves at most three for each value:
 * among equal observations the first has the gap below it, the last the gap above it, and those
 * between none. */

#include "parzen_internal.h"

#include <opevo/memory.h>

#include <math.h>
#include <string.h>

enum { SIDES = 2, REJECTIONS_MOST = 1000, RATIOS_MOST = 4096 };

#define SQRT_HALF 0.70710678118654752
#define TWO_PI 6.28318530717958648
#define SIGMA_DIVISOR_MOST 100.0

typedef struct observation {
    opevo_index vertex;
    size_t age; /* number of observations before it */
} observation;

typedef struct component {
    double mean, deviation;
    double weight;
    double below; /* running sum of the weights, this one's included */
} component;

typedef struct mixture {
    component *components; /* ordered: the normal laws; unordered: one for each observation */
    size_t count;
    double inside; /* ordered: weight that falls into the domain */
} mixture;

struct opevo_i_tpe_parzen {
    bool ordered;
    opevo_index size;
    observation *observations; /* by vertex, then by age */
    size_t count;
    size_t observation_capacity;
    mixture sides[SIDES];
    size_t component_capacity[SIDES];
    double *ratios; /* by vertex, -1 where not worked out; NULL for large parameters */
};

/* One component for each observation, one more, and the prior. */
static bool reserve_components(opevo_i_tpe_parzen *self)
{
    bool has_room = true;

    for (int side = 0; side < SIDES && has_room; side++)
        has_room =
            opevo_reserve((void **)&self->sides[side].components, &self->component_capacity[side],
                          self->count + 2, sizeof(component));
    return has_room;
}

opevo_i_tpe_parzen *opevo_i_tpe_parzen_create(const opevo_parameter *parameter)
{
    opevo_i_tpe_parzen *self = opevo_calloc(1, sizeof *self);

    if (!self)
        return NULL;
    self->ordered = !strcmp(opevo_parameter_type(parameter), "discrete");
    self->size = opevo_parameter_size(parameter);
    if (self->size <= RATIOS_MOST)
        self->ratios = opevo_malloc((size_t)self->size, sizeof *self->ratios);
    if ((self->size <= RATIOS_MOST && !self->ratios) || !reserve_components(self)) {
        opevo_i_tpe_parzen_destroy(self);
        return NULL;
    }
    return self;
}

void opevo_i_tpe_parzen_destroy(opevo_i_tpe_parzen *parzen)
{
    if (!parzen)
        return;
    opevo_free(parzen->observations);
    for (int side = 0; side < SIDES; side++)
        opevo_free(parzen->sides[side].components);
    opevo_free(parzen->ratios);
    opevo_free(parzen);
}

/* Observations of a value below `vertex`. */
static size_t count_below(const opevo_i_tpe_parzen *self, opevo_index vertex)
{
    size_t low = 0;
    size_t high = self->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (self->observations[middle].vertex < vertex)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

opevo_status opevo_i_tpe_parzen_observe(opevo_i_tpe_parzen *parzen, opevo_index vertex,
                                        opevo_error *err)
{
    opevo_i_tpe_parzen *self = parzen;
    size_t at = count_below(self, vertex + 1);
    bool has_room = opevo_reserve((void **)&self->observations, &self->observation_capacity,
                                  self->count + 1, sizeof *self->observations);

    if (!has_room || !reserve_components(self))
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for another observation.");
    memmove(self->observations + at + 1, self->observations + at,
            (self->count - at) * sizeof *self->observations);
    self->observations[at] = (observation){.vertex = vertex, .age = self->count};
    self->count++;
    return OPEVO_OK;
}

size_t opevo_i_tpe_parzen_count(const opevo_i_tpe_parzen *parzen)
{
    return parzen->count;
}

void opevo_i_tpe_parzen_forget(opevo_i_tpe_parzen *parzen, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < parzen->count; i++) {
        if (parzen->observations[i].age < count)
            parzen->observations[kept++] = parzen->observations[i];
    }
    parzen->count = kept;
}

/* ---- Ordered values ---- */

/* Probability that a normal law is below x. */
static double normal_below(double x)
{
    return 0.5 * erfc(-x * SQRT_HALF);
}

/* Weight that the component puts between two places. */
static double between(const component *one, double low, double high)
{
    return one->weight * (normal_below((high - one->mean) / one->deviation) -
                          normal_below((low - one->mean) / one->deviation));
}

/* The means in ascending order, the prior among them before the observations that equal it. Returns
 * its place. */
static size_t place_means(const opevo_i_tpe_parzen *self, mixture *made, const double *weights)
{
    component prior = {.mean = ((double)self->size - 1) / 2, .weight = 1};
    bool placed = false;
    size_t place = 0;

    made->count = 0;
    for (size_t i = 0; i < self->count; i++) {
        component one = {.mean = (double)self->observations[i].vertex,
                         .weight = weights[self->observations[i].age]};

        if (!(one.weight > 0))
            continue;
        if (!placed && one.mean >= prior.mean) {
            placed = true;
            place = made->count;
            made->components[made->count++] = prior;
        }
        made->components[made->count++] = one;
    }
    if (!placed) {
        place = made->count;
        made->components[made->count++] = prior;
    }
    return place;
}

static void set_deviations(const opevo_i_tpe_parzen *self, mixture *made, size_t prior)
{
    double most = (double)self->size;
    double divisor = 1 + (double)made->count;
    double least = most / (divisor < SIGMA_DIVISOR_MOST ? divisor : SIGMA_DIVISOR_MOST);

    for (size_t i = 0; i < made->count; i++) {
        component *one = &made->components[i];
        double left = i > 0 ? one->mean - one[-1].mean : 0;
        double right = i + 1 < made->count ? one[1].mean - one->mean : 0;
        double gap = left > right ? left : right;

        if (made->count == 2)
            gap = most / 2; /* one observation */
        one->deviation = gap > most ? most : gap < least ? least : gap;
    }
    made->components[prior].deviation = most;
}

/* Merge what is equal, and sum the weights up. */
static void settle(const opevo_i_tpe_parzen *self, mixture *made)
{
    size_t kept = 0;
    double sum = 0;

    made->inside = 0;
    for (size_t i = 0; i < made->count; i++) {
        component one = made->components[i];
        component *last = kept ? &made->components[kept - 1] : NULL;

        if (last && last->mean == one.mean && last->deviation == one.deviation)
            last->weight += one.weight;
        else
            made->components[kept++] = one;
    }
    made->count = kept;
    for (size_t i = 0; i < kept; i++) {
        sum += made->components[i].weight;
        made->components[i].below = sum;
        made->inside += between(&made->components[i], -0.5, (double)self->size - 0.5);
    }
}

/* ---- Unordered values ---- */

static void sum_observations(const opevo_i_tpe_parzen *self, mixture *made, const double *weights)
{
    double sum = 0;

    for (size_t i = 0; i < self->count; i++) {
        sum += weights[self->observations[i].age];
        made->components[i] = (component){.below = sum};
    }
    made->count = self->count;
}

static double sum_at(const mixture *made, size_t count)
{
    return count > 0 ? made->components[count - 1].below : 0;
}

/* ---- Both ---- */

void opevo_i_tpe_parzen_fit(opevo_i_tpe_parzen *parzen, opevo_i_tpe_parzen_side side,
                            const double *weights)
{
    mixture *made = &parzen->sides[side];

    if (parzen->ordered) {
        size_t prior = place_means(parzen, made, weights);

        set_deviations(parzen, made, prior);
        settle(parzen, made);
    } else {
        sum_observations(parzen, made, weights);
    }
    for (size_t i = 0; parzen->ratios && i < parzen->size; i++)
        parzen->ratios[i] = -1;
}

/* The component at a place of the running sums. */
static size_t find_component(const mixture *made, double place)
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

opevo_index opevo_i_tpe_parzen_draw(const opevo_i_tpe_parzen *parzen, opevo_i_tpe_parzen_side side,
                                    opevo_rng *rng)
{
    const mixture *made = &parzen->sides[side];
    double all = sum_at(made, made->count);

    if (!parzen->ordered) {
        double place = opevo_rng_unit(rng) * (all + (double)parzen->size);

        if (place < all)
            return parzen->observations[find_component(made, place)].vertex;
        return opevo_rng_below_wide(rng, parzen->size);
    }
    for (int i = 0; i < REJECTIONS_MOST; i++) {
        const component *one = &made->components[find_component(made, opevo_rng_unit(rng) * all)];
        double drawn = floor(one->mean + one->deviation * draw_normal(rng) + 0.5);

        if (drawn >= 0 && drawn < (double)parzen->size)
            return (opevo_index)drawn;
    }
    return opevo_rng_below_wide(rng, parzen->size);
}

double opevo_i_tpe_parzen_probability(const opevo_i_tpe_parzen *parzen,
                                      opevo_i_tpe_parzen_side side, opevo_index vertex)
{
    const mixture *made = &parzen->sides[side];
    double sum = 0;

    if (!parzen->ordered) {
        double observed = sum_at(made, count_below(parzen, vertex + 1)) -
                          sum_at(made, count_below(parzen, vertex));

        return (observed + 1) / (sum_at(made, made->count) + (double)parzen->size);
    }
    for (size_t i = 0; i < made->count; i++)
        sum += between(&made->components[i], (double)vertex - 0.5, (double)vertex + 0.5);
    return sum / made->inside;
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
