/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "gpu_internal.h"

static const char *const driver_libraries[] = {"libamdhip64.so.7",
                                               "libamdhip64.so.6",
                                               "libamdhip64.so.5",
                                               "libamdhip64.so",
                                               "/opt/rocm/lib/libamdhip64.so",
                                               NULL};
static const char *const rtc_libraries[] = {"libhiprtc.so.7",
                                            "libhiprtc.so.6",
                                            "libhiprtc.so.5",
                                            "libhiprtc.so",
                                            "/opt/rocm/lib/libhiprtc.so",
                                            "libamdhip64.so.5",
                                            NULL}; /* the last has it inside */

const opevo_i_vendor opevo_i_vendor_hip = {
    .ops = &opevo_i_backend_hip,
    .hip = true,
    .title = "HIP",
    .driver_libraries = driver_libraries,
    .rtc_libraries = rtc_libraries,
    .driver_missing = "install AMD's ROCm, on Debian the package libamdhip64-5",
    .rtc_missing = "install AMD's ROCm with hipRTC, on Debian the packages libamdhip64-5 and "
                   "libhiprtc-builtins5",
};

static void list(void (*add)(void *context, const opevo_hardware *row), void *context)
{
    opevo_i_gpu_list(&opevo_i_vendor_hip, add, context);
}

static opevo_status open_backend(unsigned ordinal, opevo_i_backend **out, opevo_error *err)
{
    return opevo_i_gpu_open(&opevo_i_vendor_hip, ordinal, out, err);
}

const opevo_i_backend_ops opevo_i_backend_hip = {
    .kind = "hip",
    .dialect = OPEVO_KERNEL_HIP,
    .builds = true,
    .suffix = ".hip",
    .list = list,
    .open = open_backend,
    .setup = opevo_i_gpu_setup,
    .build_command = opevo_i_gpu_build_command,
    .measure = opevo_i_gpu_measure,
    .close = opevo_i_gpu_close,
};
