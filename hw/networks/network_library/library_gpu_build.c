/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How a library for a GPU is built: for a device, and for emulation by a C compiler alone. */

#include "library_internal.h"

static bool is_hip(const opevo_network_library *self)
{
    return self->options.dialect == OPEVO_KERNEL_HIP;
}

void opevo_i_library_gpu_makefile(const opevo_network_library *self, opevo_text *out)
{
    bool opencl = opevo_i_library_is_for_opencl(self);
    const opevo_text_slot slots[] = {
        {"ending", opevo_i_library_gpu_ending(self)},
        {"rules", is_hip(self) ? opevo_i_library_gpu_hip_rules : opevo_i_library_gpu_cuda_rules}};

    opevo_i_library_fill_build(
        self, opencl ? opevo_i_library_opencl_makefile_text : opevo_i_library_gpu_makefile_text,
        " \\\n    ", "", slots, 2, out);
}

void opevo_i_library_gpu_cmake(const opevo_network_library *self, opevo_text *out)
{
    const char *ending = opevo_i_library_gpu_ending(self);
    bool opencl = opevo_i_library_is_for_opencl(self);
    const opevo_text_slot slots[] = {{"ending", ending},
                                     {"version", is_hip(self) ? "3.21" : "3.18"},
                                     {"device", is_hip(self)
                                                    ? opevo_i_library_gpu_cmake_device_hip
                                                    : opevo_i_library_gpu_cmake_device_cuda}};

    opevo_i_library_fill_build(
        self, opencl ? opevo_i_library_opencl_cmake_text : opevo_i_library_gpu_cmake_text, "\n  ",
        opencl         ? ".c"
        : is_hip(self) ? ".hip"
                       : ".cu",
        slots, 3, out);
}
