/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels that opevo printed, as the prover takes them: their text in a folder, and how they are
 * called. */

#ifndef OPEVO_TESTS_PROOF_MADE_H
#define OPEVO_TESTS_PROOF_MADE_H

#include "prover_internal.h"

#include <stdio.h>
#include <string.h>

static inline const char *made_ending(opevo_kernel_dialect dialect)
{
    bool is_opencl = dialect == OPEVO_KERNEL_OPENCL || dialect == OPEVO_KERNEL_OPENCL_CPU;

    return dialect == OPEVO_KERNEL_C ? "c" : is_opencl ? "cl" : "cu";
}

/* With values of its arguments, if it has any. */
static inline opevo_i_prover_call
made_call(const opevo_kernel *kernel, const opevo_workload_list *list, const int64_t *arguments)
{
    opevo_i_prover_call call = {.launches = 1 + (size_t)kernel->more,
                                .has_scratch =
                                    kernel->dialect == OPEVO_KERNEL_C || kernel->scratch_bytes > 0,
                                .scratch_bytes = (int64_t)kernel->scratch_bytes,
                                .thread_bytes = (int64_t)kernel->thread_scratch_bytes,
                                .extents = kernel->arguments};

    for (int i = 0; i <= kernel->more; i++) {
        opevo_launch one = opevo_kernel_launch_for(kernel, i, arguments);

        opevo_kernel_launch_name(kernel, i, call.launch[i].kernel);
        memcpy(call.launch[i].grid, one.grid, sizeof one.grid);
        memcpy(call.launch[i].block, one.block, sizeof one.block);
        call.launch[i].shared_bytes = one.dynamic_shared_bytes;
    }
    for (int i = 0; i < kernel->arguments; i++)
        call.extent[i] = arguments[i];
    for (int i = 0; i < list->inputs; i++)
        if (kernel->packed[i]) {
            opevo_kernel_pack_name(kernel, i, call.pack[call.packs].function);
            snprintf(call.pack[call.packs].operand, sizeof call.pack->operand, "%s",
                     list->item[i].name);
            call.pack[call.packs++].bytes = (int64_t)kernel->packed[i] * (int64_t)sizeof(float);
        }
    return call;
}

static inline opevo_status made_harness(const opevo_computation *computation,
                                        const opevo_kernel *kernel, const int64_t *arguments,
                                        opevo_text *out, opevo_error *err)
{
    opevo_workload *work = NULL;
    opevo_i_prover_call call;
    opevo_status status = opevo_workload_create(computation, &work, err);

    if (status != OPEVO_OK)
        return status;
    call = made_call(kernel, &work->list, arguments);
    opevo_workload_destroy(work);
    return opevo_i_prover_harness(computation, &call, out, err);
}

/* Prove a kernel whose text is in a file already, for these values of its arguments. */
static inline opevo_status made_prove_for(const opevo_computation *computation,
                                          const opevo_kernel *kernel, const int64_t *arguments,
                                          const char *path, opevo_proof *out, opevo_error *err)
{
    const opevo_proof_options options = {.seed = 1,
                                         .own = true,
                                         .thread_from = kernel->scratch_bytes,
                                         .thread_bytes = kernel->thread_scratch_bytes};
    opevo_i_prover_module module = {NULL};
    opevo_harness *harness = NULL;
    opevo_case *what = NULL;
    opevo_text text = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_prover_load(path, true, "", &module, err));
    OPEVO_TRY(made_harness(computation, kernel, arguments, &text, err));
    OPEVO_TRY(opevo_harness_parse("made", text.data, text.length, &harness, err));
    OPEVO_TRY(opevo_case_open(harness, OPEVO_SET_TUNE, 0, &what, err));
    OPEVO_TRY(opevo_prove(module.module, harness, what, computation, &options, out, err));
cleanup:
    opevo_case_close(what);
    opevo_harness_destroy(harness);
    opevo_i_prover_unload(&module);
    opevo_text_free(&text);
    return status;
}

/* The same of one without arguments. */
static inline opevo_status made_prove(const opevo_computation *computation,
                                      const opevo_kernel *kernel, const char *path,
                                      opevo_proof *out, opevo_error *err)
{
    return made_prove_for(computation, kernel, NULL, path, out, err);
}

#endif
