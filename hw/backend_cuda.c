/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "gpu_internal.h"

static const char *const driver_libraries[] = {"libcuda.so.1", NULL};
static const char *const rtc_libraries[] = {"libnvrtc.so.13",
                                            "libnvrtc.so.12",
                                            "libnvrtc.so.11.2",
                                            "libnvrtc.so",
                                            "/usr/local/cuda/lib64/libnvrtc.so",
                                            NULL};

const opevo_i_vendor opevo_i_vendor_cuda = {
    .ops = &opevo_i_backend_cuda,
    .title = "CUDA",
    .driver_libraries = driver_libraries,
    .rtc_libraries = rtc_libraries,
    .driver_missing = "install NVIDIA's driver, on Debian the package libcuda1 (non-free)",
    .rtc_missing =
        "install NVIDIA's run-time compiler, on Debian the package libnvrtc11.2 (non-free)",
};

static void list(void (*add)(void *context, const opevo_hardware *row), void *context)
{
    opevo_i_gpu_list(&opevo_i_vendor_cuda, add, context);
}

static opevo_status open_backend(unsigned ordinal, opevo_i_backend **out, opevo_error *err)
{
    return opevo_i_gpu_open(&opevo_i_vendor_cuda, ordinal, out, err);
}

const opevo_i_backend_ops opevo_i_backend_cuda = {
    .kind = "cuda",
    .dialect = OPEVO_KERNEL_CUDA,
    .builds = true,
    .suffix = ".cu",
    .list = list,
    .open = open_backend,
    .setup = opevo_i_gpu_setup,
    .build_command = opevo_i_gpu_build_command,
    .measure = opevo_i_gpu_measure,
    .close = opevo_i_gpu_close,
};
