/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The power of a child step's verification: a wrong q, the other duplicate rule, and a step that
 * proposes duplicates. */

#include <opevo/verify.h>

#include <opevo/memory.h>

#include "verify_internal.h"

#include <math.h>

/* Larger spaces and sets take a second for one law of the many. */
static const opevo_index q_point_limit = 1024;
static const size_t continue_limit = 2048;

typedef struct child_power {
    const opevo_child_step *step;
    size_t size; /* of its space; the cell behind its points is that of no child */
    opevo_i_verify_detector detector;
    double *law; /* scratch: of a defect */
} child_power;

static opevo_status catches(child_power *self, double q, opevo_duplicate_rule rule, bool *caught,
                            opevo_error *err)
{
    opevo_child_step defect = *self->step;
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = OPEVO_OK;

    defect.q = q;
    defect.rule = rule;
    status = opevo_child_law_without_duplicates(&defect, self->law, &self->law[self->size], NULL,
                                                &inner);
    *caught = status == OPEVO_OK && opevo_i_verify_detector_catches(&self->detector, self->law);
    if (status == OPEVO_TOLERANCE)
        return OPEVO_OK;
    if (status != OPEVO_OK && err)
        *err = inner;
    return status;
}

static opevo_status catches_q(void *context, double q, bool *caught, opevo_error *err)
{
    child_power *self = context;

    return catches(self, q, self->step->rule, caught, err);
}

static opevo_status detect_other_rule(child_power *self, opevo_caught *out, opevo_error *err)
{
    opevo_duplicate_rule other = self->step->rule == OPEVO_DUPLICATE_CONTINUE
                                     ? OPEVO_DUPLICATE_REDRAW
                                     : OPEVO_DUPLICATE_CONTINUE;
    opevo_status status = OPEVO_OK;
    size_t taken = 0;
    bool caught = false;

    for (size_t x = 0; x < self->size; x++)
        taken += self->step->taken[x];
    if (other == OPEVO_DUPLICATE_CONTINUE && taken > continue_limit)
        return OPEVO_OK;
    status = catches(self, self->step->q, other, &caught, err);
    if (status == OPEVO_OK)
        *out = caught ? OPEVO_CAUGHT_YES : OPEVO_CAUGHT_NO;
    return status;
}

/* Without the handling of duplicates, the law is that of one mutation. */
static opevo_status detect_duplicates(child_power *self, opevo_caught *out, opevo_error *err)
{
    const opevo_child_step *step = self->step;
    opevo_child_law *law = NULL;
    opevo_status status =
        opevo_child_law_create(step->space, step->parents, step->q, NULL, &law, err);

    if (status != OPEVO_OK)
        return status;
    for (size_t x = 0; x < self->size; x++)
        self->law[x] = opevo_child_law_probability(law, x);
    self->law[self->size] = 0;
    opevo_child_law_destroy(law);
    *out = opevo_i_verify_detector_catches(&self->detector, self->law) ? OPEVO_CAUGHT_YES
                                                                       : OPEVO_CAUGHT_NO;
    return OPEVO_OK;
}

opevo_status opevo_verify_child_power(const opevo_child_step *step, uint64_t draws, opevo_fit *out,
                                      opevo_error *err)
{
    return opevo_verify_child_power_at(step, draws, OPEVO_VERIFY_ALPHA, out, err);
}

opevo_status opevo_verify_child_power_at(const opevo_child_step *step, uint64_t draws, double alpha,
                                         opevo_fit *out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    child_power self = {.step = step};
    opevo_fit fit = *out;

    fit.detectable_q = fit.detectable_edge = NAN;
    fit.detectable_cut = fit.edges_tried = 0;
    fit.detects_other_rule = fit.detects_duplicates = OPEVO_CAUGHT_UNKNOWN;
    OPEVO_TRY(opevo_i_verify_child_law(step, &self.law, NULL, err));
    self.size = (size_t)opevo_space_size(step->space);
    OPEVO_TRY(
        opevo_i_verify_detector_init(self.law, self.size + 1, draws, alpha, &self.detector, err));
    if (self.size <= q_point_limit)
        OPEVO_TRY(opevo_i_verify_detect_q(step->q, catches_q, &self, &fit.detectable_q, err));
    OPEVO_TRY(detect_other_rule(&self, &fit.detects_other_rule, err));
    OPEVO_TRY(detect_duplicates(&self, &fit.detects_duplicates, err));
    *out = fit;
cleanup:
    opevo_i_verify_detector_release(&self.detector);
    opevo_free(self.law);
    return status;
}
