/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels of a portfolio in CUDA or HIP behind one function, which launches them on a stream. */

#include "portfolio_dispatch_internal.h"

#include <stdlib.h>
#include <string.h>

static bool is_hip(opevo_kernel_dialect dialect)
{
    return dialect == OPEVO_KERNEL_HIP;
}

static void add_launch(const opevo_kernel *kernel, size_t workload, int number, int operands,
                       opevo_text *out)
{
    opevo_launch one = opevo_kernel_launch(kernel, number);
    char name[OPEVO_KERNEL_NAME];

    opevo_kernel_launch_name(kernel, number, name);
    opevo_text_printf(out,
                      "        kernel_%zu::%s<<<dim3(%u, %u, %u), dim3(%u, %u, %u), %u, stream>>>(",
                      workload, name, one.grid[0], one.grid[1], one.grid[2], one.block[0],
                      one.block[1], one.block[2], one.dynamic_shared_bytes);
    for (int i = 0; i < operands; i++)
        opevo_text_printf(out, "%sany{arrays[%d]}", i ? ", " : "", i);
    opevo_text_add(out, kernel->scratch_bytes ? ", any{scratch});\n" : ");\n");
}

/* The first workload with a kernel of this name: another one has the same text. */
static size_t first_with(opevo_i_cli_portfolio_gpu *self, size_t workload, const char *entry)
{
    const char *found = strstr(opevo_text_string(&self->entries), entry);

    if (found)
        return (size_t)strtoul(found + strlen(entry), NULL, 10);
    opevo_text_printf(&self->entries, "%s %zu\n", entry, workload);
    return workload;
}

void opevo_i_cli_portfolio_gpu_add(opevo_i_cli_portfolio_gpu *self, size_t workload,
                                   const opevo_kernel *kernel, int operands)
{
    size_t first = first_with(self, workload, kernel->entry);

    if (first == workload) /* with functions of its own, which may have the names of others */
        opevo_text_printf(&self->includes,
                          "namespace kernel_%zu {\n#include \"kernel-%zu/kernel.%s\"\n}\n",
                          workload, workload, is_hip(kernel->dialect) ? "hip.cpp" : "cu");
    opevo_text_printf(&self->calls, "    case %zu:\n", workload);
    for (int i = 0; i <= kernel->more; i++)
        add_launch(kernel, first, i, operands, &self->calls);
    opevo_text_add(&self->calls, "        break;\n");
    opevo_text_printf(&self->scratch, "    case %zu: return %llu;\n", workload,
                      (unsigned long long)kernel->scratch_bytes);
}

void opevo_i_cli_portfolio_gpu_free(opevo_i_cli_portfolio_gpu *self)
{
    opevo_text_free(&self->entries);
    opevo_text_free(&self->includes);
    opevo_text_free(&self->calls);
    opevo_text_free(&self->scratch);
}

void opevo_i_cli_portfolio_gpu_header(opevo_kernel_dialect dialect, bool has_shapes,
                                      opevo_text *out)
{
    opevo_text_printf(
        out,
        "/* The kernels of a portfolio, by opevo portfolio. Link with libportfolio.a. "
        "kernel-W/kernel.h\n * describes the arrays of workload W. */\n\n"
        "#ifndef OPEVO_PORTFOLIO_KERNELS_H\n#define OPEVO_PORTFOLIO_KERNELS_H\n\n"
        "#include <%s>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n",
        is_hip(dialect) ? "hip/hip_runtime.h" : "cuda_runtime.h");
    if (has_shapes)
        opevo_text_add(out, "/* The workload with these numbers; -1: none has them. */\n"
                            "int portfolio_workload(const double *numbers);\n");
    opevo_text_printf(
        out,
        "/* Bytes of scratch memory on the device; -1: the workload has no kernel. */\n"
        "long long portfolio_scratch_bytes(int workload);\n"
        "/* Launch the kernel of a workload on arrays of the device in the order of its kernel.h. "
        "What\n * the runtime says of the launch; %sErrorInvalidValue without a kernel. */\n"
        "%sError_t portfolio_run(int workload, void *const *arrays, void *scratch, %sStream_t "
        "stream);\n\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n",
        is_hip(dialect) ? "hip" : "cuda", is_hip(dialect) ? "hip" : "cuda",
        is_hip(dialect) ? "hip" : "cuda");
}

void opevo_i_cli_portfolio_gpu_source(const opevo_i_cli_portfolio_gpu *self,
                                      opevo_kernel_dialect dialect, const char *shapes,
                                      opevo_text *out)
{
    const char *prefix = is_hip(dialect) ? "hip" : "cuda";

    opevo_text_printf(out,
                      "#include \"kernels.h\"\n\n%s\n/* A pointer to elements of any type. */\n"
                      "struct any {\n    void *at;\n\n    template <typename T> operator T *() "
                      "const\n    {\n        return static_cast<T *>(at);\n    }\n};\n\n"
                      "long long portfolio_scratch_bytes(int workload)\n{\n"
                      "    switch (workload) {\n%s    default: return -1;\n    }\n}\n\n"
                      "%sError_t portfolio_run(int workload, void *const *arrays, void *scratch, "
                      "%sStream_t stream)\n{\n    (void)scratch;\n    switch (workload) {\n%s"
                      "    default:\n        return %sErrorInvalidValue;\n    }\n"
                      "    return %sGetLastError();\n}\n",
                      opevo_text_string(&self->includes), opevo_text_string(&self->scratch), prefix,
                      prefix, opevo_text_string(&self->calls), prefix, prefix);
    if (*shapes)
        opevo_text_printf(
            out, "\nint portfolio_workload(const double *numbers)\n{\n%s    return -1;\n}\n",
            shapes);
}

void opevo_i_cli_portfolio_gpu_rules(opevo_kernel_dialect dialect, opevo_text *out)
{
    if (is_hip(dialect))
        opevo_text_add(out, "HIPCC = hipcc\nHIPCCFLAGS = -O2\n\n"
                            "libportfolio.a: kernels.hip.cpp FORCE\n"
                            "\t$(HIPCC) $(HIPCCFLAGS) -c -o kernels.o kernels.hip.cpp\n");
    else
        opevo_text_add(out, "NVCC = nvcc\nNVCCFLAGS = -O2 -arch=native\n\n"
                            "libportfolio.a: kernels.cu FORCE\n"
                            "\t$(NVCC) $(NVCCFLAGS) -c -o kernels.o kernels.cu\n");
    opevo_text_add(out, "\t$(AR) rcs $@ kernels.o\n\n");
}
