/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Which defects a test of so many draws catches. A defect changes the law p of the cells into p'.
 * Pearson's statistic of N draws is then close to a non-central chi-square variable with
 * noncentrality N sum (p' - p)^2 / p, and the noncentrality that reaches the wanted power is
 * computed once; each defect costs one law. */

#include "verify_internal.h"

#include <opevo/memory.h>
#include <opevo/statistics.h>
#include <opevo/verify.h>

#include <math.h>
#include <string.h>

static const double delta_accuracy = 1.01;

opevo_status opevo_i_verify_detector_init(const double *probability, size_t count, uint64_t draws,
                                          double size, opevo_i_verify_detector *out,
                                          opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_i_verify_detector self = {.sum = NULL};

    if (!(size > 0 && size < OPEVO_VERIFY_POWER))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "The size of a test must be above 0 and below its power, %g.",
                          OPEVO_VERIFY_POWER);
    OPEVO_TRY(opevo_i_verify_cells_create(probability, count, draws, &self.cells, err));
    self.noncentrality =
        opevo_noncentrality_for_power((double)(self.cells.count - 1), size, OPEVO_VERIFY_POWER);
    OPEVO_NEW(self.sum, self.cells.count, "the power of a verification");
    *out = self;
    self = (opevo_i_verify_detector){.sum = NULL};
cleanup:
    opevo_i_verify_detector_release(&self);
    return status;
}

void opevo_i_verify_detector_release(opevo_i_verify_detector *self)
{
    opevo_i_verify_cells_destroy(&self->cells);
    opevo_free(self->sum);
    self->sum = NULL;
}

/* What a law puts where nothing may be, a single draw betrays: the probability of none in N draws
 * counts for itself. */
bool opevo_i_verify_detector_catches(opevo_i_verify_detector *self, const double *law)
{
    const opevo_i_verify_cells *cells = &self->cells;
    double effect = 0, outside = 0, draws = (double)cells->draws;

    memset(self->sum, 0, cells->count * sizeof *self->sum);
    for (size_t i = 0; i < cells->unit_count; i++) {
        if (cells->cell[i] == OPEVO_I_IMPOSSIBLE)
            outside += law[i];
        else
            self->sum[cells->cell[i]] += law[i];
    }
    if (outside > 0 && draws * log1p(-fmin(outside, 1)) <= log(1 - OPEVO_VERIFY_POWER))
        return true;
    for (size_t i = 0; i < cells->count; i++) {
        double change = self->sum[i] - cells->probability[i];

        effect += change * change / cells->probability[i];
    }
    return draws * effect >= self->noncentrality;
}

/* A wrong q: *delta is the smallest one <= most such that q + delta, or q - delta when `down`, is
 * caught, NAN when `most` is not; by bisection of log(delta), since a small delta is as likely as a
 * large one. */
static opevo_status smallest_delta(double q, bool down, double most,
                                   opevo_i_verify_catches_q catches, void *context, double *delta,
                                   opevo_error *err)
{
    double low = most * 1e-8, high = most, next = most;

    *delta = NAN;
    if (!(most > 0))
        return OPEVO_OK;
    while (high > low * delta_accuracy) {
        bool caught = false;
        opevo_status status = catches(context, down ? q - next : q + next, &caught, err);

        if (status != OPEVO_OK)
            return status;
        if (!caught && next >= most)
            return OPEVO_OK;
        if (caught)
            high = next;
        else
            low = next;
        next = sqrt(low * high);
    }
    *delta = high;
    return OPEVO_OK;
}

/* A change down is at most q: where not even that is caught, each larger change is a change up. */
opevo_status opevo_i_verify_detect_q(double q, opevo_i_verify_catches_q catches, void *context,
                                     double *detectable, opevo_error *err)
{
    double up = NAN, down = NAN;
    opevo_status status = smallest_delta(q, false, 0.9 * (1 - q), catches, context, &up, err);

    if (status == OPEVO_OK)
        status = smallest_delta(q, true, q, catches, context, &down, err);
    if (status != OPEVO_OK)
        return status;
    *detectable = isnan(up) ? NAN : fmax(up, isnan(down) ? q : down);
    return OPEVO_OK;
}
