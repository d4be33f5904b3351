/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The passes of a network, and those of them that measured times may undo. */

#include "network_tuning_internal.h"

#include <opevo/memory.h>
#include <opevo/network_passes.h>
#include <opevo/sketch.h>

/* The steps of the network after the passes of a mask. */
static opevo_status pass(const opevo_network *network, uint32_t mask, double error,
                         opevo_network_inference **out, opevo_error *err)
{
    opevo_status status = opevo_network_inference_create(network, out, err);

    if (status != OPEVO_OK)
        return status;
    (*out)->winograd.error = error;
    return opevo_network_inference_pass(*out, mask, err);
}

static opevo_status find_choices(opevo_i_tuning_plan *self, const opevo_network *network,
                                 const opevo_network_plan_options *options, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    uint32_t with_choice = 0;

    OPEVO_TRY(opevo_network_passes_named("block,winograd", &with_choice, err));
    self->late = options->passes & with_choice;
    OPEVO_TRY(pass(network, options->passes & ~with_choice, options->error, &self->fused, err));
    OPEVO_TRY(opevo_network_choices_create(self->fused, self->late, &self->super.choices, err));
cleanup:
    return status;
}

opevo_status opevo_network_plan_passes(opevo_kernel_dialect dialect, bool freestanding,
                                       const char *only, const char *without, uint32_t *mask,
                                       opevo_error *err)
{
    uint32_t passes = OPEVO_NETWORK_ALL_PASSES, left_out = 0;
    opevo_status status = OPEVO_OK;

    /* Vectors of channels are for the registers of CPUs; blocks of rows pack constants. */
    if (dialect != OPEVO_KERNEL_C || freestanding) {
        OPEVO_TRY(opevo_network_passes_named(freestanding ? "attention,block,winograd"
                                             : opevo_kernel_is_for_cpu(dialect) ? "attention"
                                                                                : "attention,block",
                                             &left_out, err));
        passes &= ~left_out;
        left_out = 0;
    }
    if (only)
        OPEVO_TRY(opevo_network_passes_named(only, &passes, err));
    if (without)
        OPEVO_TRY(opevo_network_passes_named(without, &left_out, err));
    *mask = passes & ~left_out;
cleanup:
    return status;
}

opevo_status opevo_network_plan_check_error(uint32_t mask, opevo_error *err)
{
    uint32_t needed = 0;
    opevo_status status = opevo_network_passes_named("block,winograd", &needed, err);

    if (status == OPEVO_OK && (mask & needed) != needed)
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "error is for the pass winograd, which needs block before it: leave "
                            "both among the passes; those for a GPU have no block.");
    return status;
}

opevo_status opevo_network_plan_create(const opevo_network *network,
                                       const opevo_network_plan_options *options,
                                       opevo_network_plan **out, opevo_error *err)
{
    opevo_i_tuning_plan *self = opevo_calloc(1, sizeof *self);
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(self, "the passes of a network");
    if (options->chooses)
        OPEVO_TRY(opevo_sketch_store_create(&self->super.sketches, err));
    OPEVO_TRY(pass(network, options->passes, options->error, &self->passed, err));
    self->super.inference = self->passed;
    if (self->passed->winograd.layers)
        OPEVO_TRY(pass(network, options->passes, 0, &self->super.reference, err));
    if (options->chooses)
        OPEVO_TRY(find_choices(self, network, options, err));
    *out = &self->super;
    self = NULL;
cleanup:
    if (self)
        opevo_network_plan_destroy(&self->super);
    return status;
}

opevo_status opevo_i_tuning_turn(opevo_i_tuning_plan *self, opevo_error *err)
{
    opevo_status status;

    opevo_network_choices_apply(self->super.choices, self->fused);
    status = opevo_network_inference_pass(self->fused, self->late, err);
    self->super.inference = self->fused;
    return status;
}

opevo_status opevo_network_plan_of(opevo_network_inference *inference, bool tunes,
                                   opevo_network_plan **out, opevo_error *err)
{
    opevo_i_tuning_plan *self = opevo_calloc(1, sizeof *self);
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(self, "the passes of a network");
    self->super.inference = inference;
    if (tunes)
        status = opevo_sketch_store_create(&self->super.sketches, err);
    if (status == OPEVO_OK)
        *out = &self->super;
    else
        opevo_network_plan_destroy(&self->super);
    return status;
}

void opevo_network_plan_destroy(opevo_network_plan *plan)
{
    opevo_i_tuning_plan *self = (opevo_i_tuning_plan *)plan;

    if (!self)
        return;
    opevo_network_choices_destroy(plan->choices);
    opevo_sketch_store_destroy(plan->sketches);
    opevo_network_inference_destroy(plan->reference);
    opevo_network_inference_destroy(self->passed);
    opevo_network_inference_destroy(self->fused);
    opevo_free(self);
}

opevo_status opevo_network_plan_library(const opevo_network_plan *plan,
                                        const opevo_network_library_options *options,
                                        opevo_network_library **out, opevo_error *err)
{
    opevo_network_library_options own = *options;

    own.reference = plan->reference;
    own.sketches = plan->sketches;
    return opevo_network_library_create(plan->inference, &own, out, err);
}
