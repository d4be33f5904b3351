/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How far roundings may take results, for all inputs of at most 1 in size. */

#include "proof_internal.h"
#include "rounding_internal.h"

#include <math.h>

static opevo_simt_value input(const void *context, const opevo_tensor *tensor, uint64_t element)
{
    (void)context, (void)tensor, (void)element;
    return opevo_i_rounding_input();
}

static opevo_status fill(void *context, opevo_simt *simt, opevo_case *what, opevo_error *err)
{
    const opevo_i_proving *self = context;
    const opevo_simt_value value = opevo_i_rounding_input();

    (void)what;
    for (size_t i = 0; i < self->count; i++)
        for (size_t e = 0;
             self->tensor[i] && !self->tensor[i]->definition && e < self->buffers[i].count; e++)
            opevo_simt_write(simt, (uint32_t)i, e, opevo_i_proof_bytes(self, i), &value);
    return opevo_i_proof_allow(self, simt, err);
}

static double largest(const opevo_i_proving *self, const opevo_simt *simt,
                      const opevo_defined *defined)
{
    double most = 0;

    for (size_t i = 0; i < self->count; i++)
        for (size_t e = 0; self->result[i] && e < self->buffers[i].count; e++) {
            opevo_simt_value value;
            bool known = true;

            if (defined)
                value = opevo_defined_values(defined, self->result[i]->number)[e];
            else
                known = opevo_simt_read(simt, (uint32_t)i, e, opevo_i_proof_bytes(self, i),
                                        &value) == OPEVO_SIMT_ELEMENT_VALUE;
            most = fmax(most, known ? opevo_i_rounding_error(&value) : HUGE_VAL);
        }
    return most;
}

opevo_status opevo_i_proof_bound_roundings(opevo_i_proving *self, opevo_error *err)
{
    opevo_evaluation run;
    opevo_launcher *launcher = NULL;
    opevo_defined *defined = NULL;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_proof_run(self, &opevo_i_rounding_arithmetic, fill, &launcher, &run, err));
    self->out->error = run.verdict == OPEVO_VERDICT_OK
                           ? largest(self, opevo_simt_launcher_machine(launcher), NULL)
                           : HUGE_VAL;
    OPEVO_TRY(opevo_define(self->computation, &opevo_i_rounding_of_any_order, input, NULL, &defined,
                           err));
    self->out->error_in_any_order = largest(self, NULL, defined);
cleanup:
    opevo_defined_destroy(defined);
    opevo_launcher_destroy(launcher);
    return status;
}
