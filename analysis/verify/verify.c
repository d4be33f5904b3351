/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Goodness-of-fit tests of a sampler against an exact law, and the verdict over a family of them.
 */

#include <opevo/verify.h>

#include <opevo/memory.h>
#include <opevo/statistics.h>

#include "verify_internal.h"

#include <math.h>

static opevo_fit unjudged(const opevo_i_verify_cells *cells)
{
    return (opevo_fit){.draws = cells->draws,
                       .cells = cells->count,
                       .pooled = cells->pooled,
                       .degrees_of_freedom = (double)(cells->count - 1),
                       .p_adjusted = NAN,
                       .detectable_q = NAN,
                       .detectable_edge = NAN};
}

/* A draw where the law is 0 refutes the sampler whatever the other counts say. */
static void evaluate(const opevo_i_verify_cells *cells, const uint64_t *counts, opevo_fit *fit)
{
    for (size_t i = 0; cells->count > 1 && i < cells->count; i++) {
        double observed = (double)counts[i];
        double expected = (double)fit->draws * cells->probability[i];

        fit->chi_square += (observed - expected) * (observed - expected) / expected;
        if (counts[i])
            fit->g += 2 * observed * log(observed / expected);
    }
    if (fit->impossible) {
        fit->chi_square = fit->g = INFINITY;
    } else if (cells->count == 1) {
        fit->p_chi_square = fit->p_g = 1;
    } else {
        fit->g = fmax(fit->g, 0);
        fit->p_chi_square = opevo_chi_square_tail(fit->chi_square, fit->degrees_of_freedom);
        fit->p_g = opevo_chi_square_tail(fit->g, fit->degrees_of_freedom);
    }
}

/* From a drawn vertex or point to the unit that it counts for. */
typedef struct target {
    opevo_draw draw;
    void *context;
    opevo_index size; /* draws from here on are outside the set */
    const opevo_law *law;
    const opevo_i_verify_units *units; /* NULL: each vertex is a unit */
} target;

static opevo_status run_test(const target *self, const double *probability, size_t count,
                             uint64_t draws, opevo_rng *rng, opevo_fit *out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_i_verify_cells cells = {0};
    uint64_t *counts = NULL;
    opevo_fit fit = {0};

    OPEVO_TRY(opevo_i_verify_cells_create(probability, count, draws, &cells, err));
    OPEVO_NEW(counts, cells.count, "the counts of a verification");
    fit = unjudged(&cells);
    for (uint64_t i = 0; i < draws; i++) {
        opevo_index drawn = self->draw(self->context, rng);
        uint32_t cell = OPEVO_I_IMPOSSIBLE;

        if (drawn < self->size)
            cell = cells.cell[self->units ? opevo_i_verify_units_find(self->units, self->law, drawn)
                                          : (size_t)drawn];
        if (cell == OPEVO_I_IMPOSSIBLE)
            fit.impossible++;
        else
            counts[cell]++;
    }
    evaluate(&cells, counts, &fit);
    *out = fit;
cleanup:
    opevo_free(counts);
    opevo_i_verify_cells_destroy(&cells);
    return status;
}

opevo_status opevo_verify_draws(const double *probability, size_t count, opevo_draw draw,
                                void *context, uint64_t draws, opevo_rng *rng, opevo_fit *out,
                                opevo_error *err)
{
    target self = {.draw = draw, .context = context, .size = count};

    return run_test(&self, probability, count, draws, rng, out, err);
}

opevo_status opevo_verify_law(const opevo_law *law, opevo_draw draw, void *context, uint64_t draws,
                              opevo_rng *rng, opevo_fit *out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_i_verify_units units = {0};
    target self = {.draw = draw, .context = context, .law = law, .units = &units};

    OPEVO_TRY(opevo_i_verify_units_create(law, &units, err));
    self.size = opevo_parameter_size(opevo_law_parameter(law));
    OPEVO_TRY(run_test(&self, units.probability, units.count, draws, rng, out, err));
cleanup:
    opevo_i_verify_units_destroy(&units);
    return status;
}

static double family_p(const opevo_fit *fit)
{
    return fmin(1, 2 * fmin(fit->p_chi_square, fit->p_g));
}

double opevo_verify_size(double alpha, size_t family)
{
    return alpha / (2 * (double)(family ? family : 1));
}

/* Selection by ascending p needs no memory that could be missing; NAN marks what is not yet done.
 */
void opevo_verify_judge(opevo_fit *fits, size_t count, double alpha)
{
    double running = 0;

    for (size_t i = 0; i < count; i++)
        fits[i].p_adjusted = NAN;
    for (size_t rank = 0; rank < count; rank++) {
        size_t next = count;

        for (size_t i = 0; i < count; i++)
            if (isnan(fits[i].p_adjusted) &&
                (next == count || family_p(&fits[i]) < family_p(&fits[next])))
                next = i;
        running = fmax(running, fmin(1, (double)(count - rank) * family_p(&fits[next])));
        fits[next].p_adjusted = running;
        fits[next].rejected = running < alpha;
    }
}
