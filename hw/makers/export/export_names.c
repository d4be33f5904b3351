/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The names of the files. */

#include "export_internal.h"

static const char *const names[OPEVO_KERNEL_COUNT][OPEVO_EXPORT_FILES] = {
    [OPEVO_KERNEL_C] = {"kernel.c", "kernel.schedule", "main.c", "Makefile", "kernel.h"},
    [OPEVO_KERNEL_CUDA] = {"kernel.cu", "kernel.schedule", "main.cu", "Makefile", "kernel.h"},
    [OPEVO_KERNEL_HIP] = {"kernel.hip.cpp", "kernel.schedule", "main.hip.cpp", "Makefile",
                          "kernel.h"},
    [OPEVO_KERNEL_OPENCL] = {"kernel.cl", "kernel.schedule", "main.c", "Makefile", "kernel.h"},
    [OPEVO_KERNEL_OPENCL_CPU] = {"kernel.cl", "kernel.schedule", "main.c", "Makefile", "kernel.h"},
};

const char *opevo_export_name(opevo_kernel_dialect dialect, size_t i)
{
    return names[dialect][i];
}
