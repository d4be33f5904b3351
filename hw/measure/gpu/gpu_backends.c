/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The vendors as rows among the backends: the same functions, each for its vendor. */

#include "gpu_backend_internal.h"

#define BACKEND(vendor, name, language, more, ending, names, kernel, keeps, cores)                 \
    static void list_##vendor(void (*add)(void *context, const opevo_hardware *row),               \
                              void *context)                                                       \
    {                                                                                              \
        opevo_i_gpu_list(&opevo_i_gpu_vendor_##vendor, add, context);                              \
    }                                                                                              \
    static opevo_status open_##vendor(const char *which, opevo_i_backend **out, opevo_error *err)  \
    {                                                                                              \
        return opevo_i_gpu_open(&opevo_i_gpu_vendor_##vendor, &opevo_i_backend_##vendor, which,    \
                                out, err);                                                         \
    }                                                                                              \
    const opevo_i_backend_ops opevo_i_backend_##vendor = {                                         \
        .kind = (name),                                                                            \
        .dialect = (language),                                                                     \
        .also = (more),                                                                            \
        .cpu_cores = (cores),                                                                      \
        .builds = true,                                                                            \
        .suffix = (ending),                                                                        \
        .list = list_##vendor,                                                                     \
        .is_name = opevo_i_backend_is_##names,                                                     \
        .open = open_##vendor,                                                                     \
        .setup = opevo_i_gpu_setup,                                                                \
        .build_command = opevo_i_gpu_build_command,                                                \
        .before_build = opevo_i_gpu_before_build,                                                  \
        .probe = (kernel),                                                                         \
        .keeps_probe = (keeps),                                                                    \
        .run_probe = opevo_i_gpu_run_probe,                                                        \
        .recheck = opevo_i_gpu_recheck,                                                            \
        .run_reference = opevo_i_gpu_run_reference,                                                \
        .lock_name = opevo_i_gpu_lock_name,                                                        \
        .measure = opevo_i_gpu_measure,                                                            \
        .close = opevo_i_gpu_close,                                                                \
    };
BACKEND(cuda, "cuda", OPEVO_KERNEL_CUDA, 0, ".cu", number, opevo_i_gpu_probe, false, NULL)
BACKEND(hip, "hip", OPEVO_KERNEL_HIP, 0, ".hip", number, opevo_i_gpu_probe, false, NULL)
BACKEND(opencl, "opencl", OPEVO_KERNEL_OPENCL, 1 << OPEVO_KERNEL_OPENCL_CPU, ".cl", some,
        opevo_i_opencl_probe, true, opevo_i_opencl_cpu_cores)
