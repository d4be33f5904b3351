/* SPDX-License-Identifier: GPL-3.0-or-later */

/* One shift is one number: it falls into one of the cells 0, 1, -1, 2, -2, ..., and its first byte
 * mostly says into which. A shift beyond the cells goes on as a geometric number does. */

#include "shifts.h"

#include <opevo/gsl_errors.h>
#include <opevo/memory.h>
#include <opevo/random_gsl.h>

#include <gsl/gsl_randist.h>

#include <math.h>

enum {
    FARTHEST = 8, /* shift with a cell of its own */
    CELLS = 2 * FARTHEST + 1,
    BYTES = 256,
    UNSURE = 255, /* the first byte does not tell the cell */
    FEW_WALKS = 16
};

#define FAR_Q 0.999 /* from which negative binomial numbers may exceed GSL's */

struct opevo_i_shifts {
    uint64_t last; /* vertex */
    double r;
    uint64_t go_on;       /* a number is below this with probability r */
    uint64_t ends[CELLS]; /* of the cells */
    uint8_t cells[BYTES];
};

opevo_i_shifts *opevo_i_shifts_create(double q, uint64_t size)
{
    opevo_i_shifts *self = opevo_calloc(1, sizeof *self);
    double sum = 0, cell = 0;
    unsigned first = 0;

    if (!self)
        return NULL;
    self->last = size - 1;
    self->r = q / (1 + sqrt(1 - q * q));
    self->go_on = opevo_rng_threshold(self->r);
    cell = (1 - self->r) / (1 + self->r);
    for (unsigned i = 0; i < CELLS; i++) {
        cell *= i % 2 ? self->r : 1; /* the two of a distance are equal */
        sum += cell;
        self->ends[i] = sum < 1 ? opevo_rng_threshold(sum) : UINT64_MAX;
    }
    for (unsigned byte = 0; byte < BYTES; byte++) {
        uint64_t least = (uint64_t)byte << 56, most = least | (UINT64_MAX >> 8);

        while (first < CELLS && least >= self->ends[first])
            first++;
        self->cells[byte] = first < CELLS && most < self->ends[first] ? (uint8_t)first : UNSURE;
    }
    return self;
}

static int64_t draw_one(const opevo_i_shifts *self, opevo_rng *rng)
{
    uint64_t drawn = opevo_rng_u64(rng);
    unsigned cell = self->cells[drawn >> 56];
    int64_t distance = 0;

    if (cell == UNSURE) {
        for (cell = 0; cell < CELLS && drawn >= self->ends[cell] && self->ends[cell] != UINT64_MAX;)
            cell++;
    }
    if (cell < CELLS) {
        distance = (cell + 1) / 2;
        return cell % 2 ? distance : -distance;
    }
    distance = FARTHEST + 1;
    while ((drawn = opevo_rng_u64(rng)) < self->go_on)
        distance++;
    return drawn & 1 ? distance : -distance;
}

static int64_t draw_many(const opevo_i_shifts *self, uint32_t count, opevo_rng *rng)
{
    int64_t sum = 0;

    if (count > FEW_WALKS && self->r > 0 && self->r < FAR_Q) {
        gsl_rng gsl = opevo_rng_as_gsl(rng);

        sum = gsl_ran_negative_binomial(&gsl, 1 - self->r, count);
        return sum - (int64_t)gsl_ran_negative_binomial(&gsl, 1 - self->r, count);
    }
    for (uint32_t i = 0; i < count; i++)
        sum += draw_one(self, rng);
    return sum;
}

uint64_t opevo_i_shifts_draw(const opevo_i_shifts *shifts, uint64_t start, uint32_t count,
                             opevo_rng *rng)
{
    int64_t at = (int64_t)start + draw_many(shifts, count, rng);
    int64_t last = (int64_t)shifts->last, period = 2 * last;

    if (at >= 0 && at <= last)
        return (uint64_t)at;
    if (last == 0)
        return 0;
    at %= period;
    at += at < 0 ? period : 0;
    return (uint64_t)(at > last ? period - at : at);
}
