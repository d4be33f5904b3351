/* SPDX-License-Identifier: GPL-3.0-or-later */

/* CUDA and HIP: what their libraries are called, and their rows among the backends. */

#include "gpu_internal.h"

static const char *const cuda_driver[] = {"libcuda.so.1", NULL};
static const char *const cuda_rtc[] = {"libnvrtc.so.13",
                                       "libnvrtc.so.12",
                                       "libnvrtc.so.11.2",
                                       "libnvrtc.so",
                                       "/usr/local/cuda/lib64/libnvrtc.so",
                                       NULL};
static const char *const hip_driver[] = {"libamdhip64.so.7",
                                         "libamdhip64.so.6",
                                         "libamdhip64.so.5",
                                         "libamdhip64.so",
                                         "/opt/rocm/lib/libamdhip64.so",
                                         NULL};
static const char *const hip_rtc[] = {"libhiprtc.so.7",
                                      "libhiprtc.so.6",
                                      "libhiprtc.so.5",
                                      "libhiprtc.so",
                                      "/opt/rocm/lib/libhiprtc.so",
                                      "libamdhip64.so.5",
                                      NULL}; /* the last has it inside */

const opevo_i_vendor opevo_i_vendor_cuda = {
    .ops = &opevo_i_backend_cuda,
    .title = "CUDA",
    .driver_libraries = cuda_driver,
    .rtc_libraries = cuda_rtc,
    .driver_missing = "install NVIDIA's driver, on Debian the package libcuda1 (non-free)",
    .rtc_missing =
        "install NVIDIA's run-time compiler, on Debian the package libnvrtc11.2 (non-free)",
};

const opevo_i_vendor opevo_i_vendor_hip = {
    .ops = &opevo_i_backend_hip,
    .hip = true,
    .title = "HIP",
    .driver_libraries = hip_driver,
    .rtc_libraries = hip_rtc,
    .driver_missing = "install AMD's ROCm, on Debian the package libamdhip64-5",
    .rtc_missing = "install AMD's ROCm with hipRTC, on Debian the packages libamdhip64-5 and "
                   "libhiprtc-builtins5",
};

#define BACKEND(vendor, name, language, ending, energy)                                            \
    static void list_##vendor(void (*add)(void *context, const opevo_hardware *row),               \
                              void *context)                                                       \
    {                                                                                              \
        opevo_i_gpu_list(&opevo_i_vendor_##vendor, add, context);                                  \
    }                                                                                              \
    static opevo_status open_##vendor(unsigned ordinal, opevo_i_backend **out, opevo_error *err)   \
    {                                                                                              \
        return opevo_i_gpu_open(&opevo_i_vendor_##vendor, ordinal, out, err);                      \
    }                                                                                              \
    const opevo_i_backend_ops opevo_i_backend_##vendor = {                                         \
        .kind = (name),                                                                            \
        .dialect = (language),                                                                     \
        .builds = true,                                                                            \
        .suffix = (ending),                                                                        \
        .list = list_##vendor,                                                                     \
        .open = open_##vendor,                                                                     \
        .setup = opevo_i_gpu_setup,                                                                \
        .build_command = opevo_i_gpu_build_command,                                                \
        .lock_name = opevo_i_gpu_turn_name,                                                        \
        .measure = opevo_i_gpu_measure,                                                            \
        .has_energy = (energy),                                                                    \
        .close = opevo_i_gpu_close,                                                                \
    };
BACKEND(cuda, "cuda", OPEVO_KERNEL_CUDA, ".cu", opevo_i_nvml_has_energy)
BACKEND(hip, "hip", OPEVO_KERNEL_HIP, ".hip", NULL)
