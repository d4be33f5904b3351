/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The vendors: what their libraries are called, and what to install. */

#include "gpu_internal.h"

#include <string.h>

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

const opevo_i_gpu_vendor opevo_i_gpu_vendor_cuda = {
    .kind = "cuda",
    .nvml = true,
    .title = "CUDA",
    .driver_libraries = cuda_driver,
    .rtc_libraries = cuda_rtc,
    .driver_missing = "install NVIDIA's driver, on Debian the package libcuda1 (non-free)",
    .rtc_missing =
        "install NVIDIA's run-time compiler, on Debian the package libnvrtc11.2 (non-free)",
};

const opevo_i_gpu_vendor opevo_i_gpu_vendor_hip = {
    .kind = "hip",
    .hip = true,
    .title = "HIP",
    .driver_libraries = hip_driver,
    .rtc_libraries = hip_rtc,
    .driver_missing = "install AMD's ROCm, on Debian the package libamdhip64-5",
    .rtc_missing = "install AMD's ROCm with hipRTC, on Debian the packages libamdhip64-5 and "
                   "libhiprtc-builtins5",
};

const opevo_i_gpu_vendor opevo_i_gpu_vendor_opencl = {
    .kind = "opencl",
    .title = "OpenCL",
    .own = &opevo_i_gpu_own_opencl,
};

const opevo_i_gpu_vendor *opevo_i_gpu_vendor_of(const char *device, const char **which)
{
    static const opevo_i_gpu_vendor *const vendors[] = {
        &opevo_i_gpu_vendor_cuda, &opevo_i_gpu_vendor_hip, &opevo_i_gpu_vendor_opencl, NULL};
    size_t length = strcspn(device, ":");

    for (size_t i = 0; device[length] && vendors[i]; i++) {
        if (strlen(vendors[i]->kind) == length && !memcmp(vendors[i]->kind, device, length)) {
            *which = device + length + 1;
            return vendors[i];
        }
    }
    return NULL;
}
