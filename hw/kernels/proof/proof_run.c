/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A case in the interpreter, in floats or in another arithmetic. */

#include "proof_internal.h"

#include <string.h>

opevo_status opevo_i_proof_allow(const opevo_i_proving *self, opevo_simt *simt, opevo_error *err)
{
    const opevo_proof_options *options = &self->options;

    if (options->own)
        (void)opevo_simt_allow_same_value(simt, NULL);
    for (size_t i = 0; options->thread_bytes && i < self->count; i++)
        if (strcmp(self->buffers[i].name, "scratch") == 0 &&
            !opevo_simt_set_thread_memory(simt, (uint32_t)i, options->thread_from,
                                          options->thread_bytes))
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "The scratch memory of a thread is not a multiple of 64 bytes.");
    return OPEVO_OK;
}

opevo_status opevo_i_proof_run(opevo_i_proving *self, const opevo_simt_arithmetic *arithmetic,
                               opevo_simt_prepare *prepare, opevo_launcher **launcher,
                               opevo_evaluation *out, opevo_error *err)
{
    opevo_simt_options options = opevo_simt_defaults;
    opevo_status status;

    options.arithmetic = arithmetic;
    options.one_lane = self->one_lane;
    options.value_bytes = self->has_half ? 2 : 4;
    options.own_functions = self->options.own;
    options.step_limit = self->options.step_limit;
    *out = (opevo_evaluation){.verdict = OPEVO_VERDICT_OK};
    status = opevo_simt_launcher_create(self->module, self->costs, &options, self->harness,
                                        launcher, err);
    if (status != OPEVO_OK)
        return status;
    opevo_simt_launcher_prepare(*launcher, prepare, self);
    return (*launcher)->ops->run(*launcher, self->what, out, err);
}
