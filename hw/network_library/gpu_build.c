/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How a library for a GPU is built: for a device, and for emulation by a C compiler alone. */

#include "library_internal.h"

const char opevo_i_gpu_calls[] =
    "/* A network on the current device of the calling thread, as cudaSetDevice or hipSetDevice "
    "chose it.\n"
    " * `threads` counts for nothing: programs for the library of a CPU need no change. NULL: "
    "net_error()\n"
    " * says why. */\n"
    "net *net_create(int threads);\n"
    "void net_destroy(net *self); /* NULL is allowed */\n"
    "\n"
    "/* One run on tensors in memory of the host; it waits for the outputs. 0, or -1: net_error() "
    "says\n"
    " * why. Several nets may run at the same time; one net runs once at a time. */\n"
    "int net_run(net *self, const float *const *inputs, float *const *outputs);\n"
    "/* The same on tensors in memory of the device, inputs aligned to 64 bytes, in the order of a "
    "stream\n"
    " * (cudaStream_t or hipStream_t; NULL: the default stream). It does not wait: synchronise the "
    "stream "
    "before\n"
    " * the next run of this net. */\n"
    "int net_run_device(net *self, const float *const *inputs, float *const *outputs, void "
    "*stream);\n"
    "/* As net_run, with the time of each step. */\n"
    "int net_profile(net *self, const float *const *inputs, float *const *outputs, double "
    "*seconds);\n"
    "\n"
    "/* What failed last in the calling thread. */\n"
    "const char *net_error(void);\n"
    "\n";

static bool is_hip(const opevo_network_library *self)
{
    return self->options.dialect == OPEVO_KERNEL_HIP;
}

const char *opevo_i_gpu_ending(const opevo_network_library *self)
{
    return self->options.dialect == OPEVO_KERNEL_C ? "c" : is_hip(self) ? "hip" : "cu";
}

/* ---- make ---- */

static const char cuda_rules[] = "CUDA = /usr/local/cuda\n"
                                 "NVCC = $(CUDA)/bin/nvcc\n"
                                 "NVCCFLAGS = -O2 -arch=native\n"
                                 "RUNTIME = -I$(CUDA)/include\n"
                                 "\n"
                                 "net: main.o libnet.a\n"
                                 "\t$(NVCC) $(NVCCFLAGS) -o $@ main.o libnet.a -lm\n"
                                 "\n"
                                 "%.o: %.cu kernel.h\n"
                                 "\t$(NVCC) $(NVCCFLAGS) -c -o $@ $<\n";

static const char hip_rules[] =
    "ROCM = /opt/rocm\n"
    "HIPCC = $(ROCM)/bin/hipcc\n"
    "HIPCCFLAGS = -O2\n"
    "RUNTIME = -DNET_HIP -D__HIP_PLATFORM_AMD__ -I$(ROCM)/include\n"
    "\n"
    "net: main.o libnet.a\n"
    "\t$(HIPCC) $(HIPCCFLAGS) -o $@ main.o libnet.a -lm\n"
    "\n"
    "%.o: %.hip kernel.h\n"
    "\t$(HIPCC) $(HIPCCFLAGS) -x hip -include hip/hip_runtime.h -c -o $@ $<\n";

static const char rules[] =
    "\n"
    "libnet.a: $(OBJECTS)\n"
    "\trm -f $@\n"
    "\t$(AR) rcs $@ $(OBJECTS)\n"
    "\n"
    "%.o: %.c net.h plan.h kernel.h device.h\n"
    "\t$(CC) $(CFLAGS) $(RUNTIME) -c -o $@ $<\n"
    "\n"
    "check: net\n"
    "\t./net\n"
    "\n"
    "# The same plan and kernels on the CPU, threads in their order and in the other one.\n"
    "emulate: net_emulated\n"
    "\t./net_emulated\n"
    "\tNET_REVERSED=1 ./net_emulated\n"
    "\n"
    "net_emulated: main.emulated libnet_emulated.a\n"
    "\t$(CC) $(CFLAGS) -o $@ -x none main.emulated libnet_emulated.a -lm\n"
    "\n"
    "libnet_emulated.a: $(EMULATED)\n"
    "\trm -f $@\n"
    "\t$(AR) rcs $@ $(EMULATED)\n"
    "\n"
    "%.emulated: %.c net.h plan.h kernel.h device.h emulate.h\n"
    "\t$(CC) $(CFLAGS) -DNET_EMULATE -c -o $@ $<\n"
    "\n"
    "%.emulated: %.$(KERNEL) kernel.h\n"
    "\t$(CC) $(CFLAGS) -DNET_EMULATE -x c -c -o $@ $<\n"
    "\n"
    "clean:\n"
    "\trm -f net libnet.a main.o $(OBJECTS) net_emulated libnet_emulated.a main.emulated "
    "$(EMULATED)\n"
    "\n"
    ".PHONY: check emulate clean\n";

void opevo_i_gpu_makefile(const opevo_network_library *self, opevo_text *out)
{
    opevo_text_printf(out,
                      "# libnet.a, and the program net, which checks and times it on a device; "
                      "net_emulated does so on\n"
                      "# a CPU, and needs a C compiler only.\n"
                      "CFLAGS = -O2 -Wall -Wextra\n"
                      "KERNEL = %s\n"
                      "KERNELS = move",
                      opevo_i_gpu_ending(self));
    for (int t = 0; t < self->tasks; t++)
        opevo_text_printf(out, " \\\n    kernel_%03d", t);
    opevo_text_printf(out, "\nWEIGHT_BYTES = %lld\n", (long long)self->weight_bytes);
    opevo_text_add(out, "OBJECTS = net.o run.o weights.o $(KERNELS:=.o)\n"
                        "EMULATED = net.emulated run.emulated emulate.emulated weights.o "
                        "$(KERNELS:=.emulated)\n\n");
    opevo_text_add(out, is_hip(self) ? hip_rules : cuda_rules);
    opevo_text_add(out, rules);
    opevo_text_printf(out, "\n%s", opevo_i_library_weights_rule);
}

/* ---- CMake ---- */

static const char cmake_device_cuda[] =
    "  enable_language(CUDA)\n"
    "  find_package(CUDAToolkit REQUIRED)\n"
    "  add_library(net STATIC net.c run.c weights.S ${kernels})\n"
    "  target_link_libraries(net PUBLIC CUDA::cudart)\n";

static const char cmake_device_hip[] =
    "  enable_language(HIP)\n"
    "  find_package(hip REQUIRED)\n"
    "  add_library(net STATIC net.c run.c weights.S ${kernels})\n"
    "  set_source_files_properties(${kernels} PROPERTIES LANGUAGE HIP COMPILE_OPTIONS\n"
    "    \"SHELL:-include hip/hip_runtime.h\")\n"
    "  target_compile_definitions(net PUBLIC NET_HIP)\n"
    "  target_link_libraries(net PUBLIC hip::host)\n";

static const char cmake_end[] =
    "endif()\n"
    "set_target_properties(net PROPERTIES POSITION_INDEPENDENT_CODE ON)\n"
    "set_property(SOURCE weights.S PROPERTY OBJECT_DEPENDS "
    "${CMAKE_CURRENT_SOURCE_DIR}/weights.bin)\n"
    "target_include_directories(net PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})\n"
    "target_compile_options(net PRIVATE\n"
    "  \"$<$<COMPILE_LANGUAGE:ASM>:-Wa,-I${CMAKE_CURRENT_SOURCE_DIR}>\")\n"
    "target_link_libraries(net PUBLIC m)\n"
    "\n"
    "add_executable(net_program main.c)\n"
    "target_link_libraries(net_program PRIVATE net)\n"
    "set_target_properties(net_program PROPERTIES OUTPUT_NAME net)\n"
    "enable_testing()\n"
    "add_test(NAME net COMMAND net_program --data ${CMAKE_CURRENT_SOURCE_DIR})\n";

void opevo_i_gpu_cmake(const opevo_network_library *self, opevo_text *out)
{
    const char *ending = opevo_i_gpu_ending(self);

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
    opevo_text_add(out, is_hip(self) ? cmake_device_hip : cmake_device_cuda);
    opevo_text_add(out, cmake_end);
    opevo_text_printf(out, opevo_i_library_weights_check_format, (long long)self->weight_bytes,
                      (long long)self->weight_bytes);
}
