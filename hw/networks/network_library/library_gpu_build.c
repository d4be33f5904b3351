/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How a library for a GPU is built: for a device, and for emulation by a C compiler alone. */

#include "library_internal.h"

static bool is_hip(const opevo_network_library *self)
{
    return self->options.dialect == OPEVO_KERNEL_HIP;
}

const char *opevo_i_library_gpu_ending(const opevo_network_library *self)
{
    return self->options.dialect == OPEVO_KERNEL_C ? "c" : is_hip(self) ? "hip" : "cu";
}

/* ---- make ---- */

void opevo_i_library_gpu_makefile(const opevo_network_library *self, opevo_text *out)
{
    opevo_text_printf(out,
                      "# libnet.a, and the program net, which checks and times it on a device; "
                      "net_emulated does so on\n"
                      "# a CPU, and needs a C compiler only.\n"
                      "CFLAGS = -O2 -Wall -Wextra\n"
                      "KERNEL = %s\n"
                      "KERNELS = move",
                      opevo_i_library_gpu_ending(self));
    for (int t = 0; t < self->tasks; t++)
        opevo_text_printf(out, " \\\n    kernel_%03d", t);
    opevo_text_printf(out, "\nWEIGHT_BYTES = %lld\n", (long long)self->weight_bytes);
    opevo_text_add(out, "OBJECTS = net.o run.o weights.o $(KERNELS:=.o)\n"
                        "EMULATED = net.emulated run.emulated emulate.emulated weights.o "
                        "$(KERNELS:=.emulated)\n\n");
    opevo_text_add(out,
                   is_hip(self) ? opevo_i_library_gpu_hip_rules : opevo_i_library_gpu_cuda_rules);
    opevo_text_add(out, opevo_i_library_gpu_rules);
    opevo_text_printf(out, "\n%s", opevo_i_library_weights_rule);
}

/* ---- CMake ---- */

void opevo_i_library_gpu_cmake(const opevo_network_library *self, opevo_text *out)
{
    const char *ending = opevo_i_library_gpu_ending(self);

    opevo_text_printf(out,
                      "# The library `net`: add_subdirectory() this folder, and link net. With "
                      "NET_EMULATE it runs "
                      "on the CPU.\n"
                      "cmake_minimum_required(VERSION %s)\n"
                      "project(net C ASM)\n"
                      "option(NET_EMULATE \"run the kernels on the CPU, for tests\" OFF)\n\n"
                      "set(kernels\n  move.%s",
                      is_hip(self) ? "3.21" : "3.18", ending);
    for (int t = 0; t < self->tasks; t++)
        opevo_text_printf(out, "\n  kernel_%03d.%s", t, ending);
    opevo_text_add(out, ")\nif(NET_EMULATE)\n"
                        "  add_library(net STATIC net.c run.c emulate.c weights.S ${kernels})\n"
                        "  set_source_files_properties(${kernels} PROPERTIES LANGUAGE C "
                        "COMPILE_OPTIONS \"-xc\")\n"
                        "  target_compile_definitions(net PUBLIC NET_EMULATE)\n"
                        "else()\n");
    opevo_text_add(out, is_hip(self) ? opevo_i_library_gpu_cmake_device_hip
                                     : opevo_i_library_gpu_cmake_device_cuda);
    opevo_text_add(out, opevo_i_library_gpu_cmake_end);
    opevo_text_printf(out, opevo_i_library_weights_check_format, (long long)self->weight_bytes,
                      (long long)self->weight_bytes);
}
