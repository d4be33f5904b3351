/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels of a portfolio in OpenCL C behind one function: a program on the host gives its context,
 * queue and buffers, and the sources are part of the file. */

#include "portfolio_dispatch_internal.h"

void opevo_i_cli_portfolio_literal(const char *text, opevo_text *out)
{
    while (*text) {
        const char *end = text;

        opevo_text_add(out, "\n    \"");
        for (; *end && *end != '\n'; end++) {
            if (*end == '"' || *end == '\\')
                opevo_text_add(out, "\\");
            opevo_text_add_bytes(out, end, 1);
        }
        opevo_text_add(out, "\\n\"");
        text = end + (*end == '\n');
    }
}

static void add_launch(const opevo_kernel *kernel, int number, opevo_text *out)
{
    opevo_launch one = opevo_kernel_launch(kernel, number);
    char name[OPEVO_KERNEL_NAME];

    opevo_kernel_launch_name(kernel, number, name);
    opevo_text_printf(out, "    {\"%s\", {%u, %u, %u}, {%u, %u, %u}, %u},\n", name,
                      one.grid[0] * one.block[0], one.grid[1] * one.block[1],
                      one.grid[2] * one.block[2], one.block[0], one.block[1], one.block[2],
                      one.dynamic_shared_bytes);
}

void opevo_i_cli_portfolio_opencl_add(opevo_i_cli_portfolio_opencl *self, size_t workload,
                                      const opevo_kernel *kernel, int operands)
{
    opevo_text_printf(&self->sources, "static const char source_%zu[] =", workload);
    opevo_i_cli_portfolio_literal(opevo_text_string(&kernel->source), &self->sources);
    opevo_text_add(&self->sources, ";\n\n");
    for (int i = 0; i <= kernel->more; i++)
        add_launch(kernel, i, &self->launches);
    opevo_text_printf(&self->kernels, "    {%zu, source_%zu, %d, %llu, %zu, %d},\n", workload,
                      workload, operands, (unsigned long long)kernel->scratch_bytes,
                      self->launch_count, kernel->more + 1);
    self->launch_count += (size_t)kernel->more + 1;
    self->kernel_count++;
}

void opevo_i_cli_portfolio_opencl_free(opevo_i_cli_portfolio_opencl *self)
{
    opevo_text_free(&self->sources);
    opevo_text_free(&self->launches);
    opevo_text_free(&self->kernels);
}

void opevo_i_cli_portfolio_opencl_header(bool has_shapes, opevo_text *out)
{
    opevo_text_add(
        out, "/* The kernels of a portfolio in OpenCL C, by opevo portfolio. Link with OpenCL and\n"
             " * libportfolio.a. kernel-W/kernel.h describes the arrays of workload W. */\n\n"
             "#ifndef OPEVO_PORTFOLIO_KERNELS_H\n#define OPEVO_PORTFOLIO_KERNELS_H\n\n"
             "#ifndef CL_TARGET_OPENCL_VERSION\n#define CL_TARGET_OPENCL_VERSION 120\n#endif\n"
             "#include <CL/cl.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    if (has_shapes)
        opevo_text_add(out, "/* The workload with these numbers; -1: none has them. */\n"
                            "int portfolio_workload(const double *numbers);\n");
    opevo_text_add(
        out,
        "/* Bytes of scratch memory of a kernel; -1: the workload has none. */\n"
        "long long portfolio_scratch_bytes(int workload);\n\n"
        "/* All kernels, compiled for a device. Release with portfolio_close; NULL is allowed.\n"
        " * CL_BUILD_PROGRAM_FAILURE where one does not compile. */\n"
        "typedef struct portfolio portfolio;\n"
        "cl_int portfolio_open(cl_context context, cl_device_id device, portfolio **out);\n"
        "void portfolio_close(portfolio *self);\n"
        "/* Enqueue the kernel of a workload on arrays in the order of its kernel.h; scratch may "
        "be\n * NULL where it has none. CL_INVALID_VALUE for a workload without a kernel. One "
        "thread at a\n * time may use a portfolio. */\n"
        "cl_int portfolio_run(portfolio *self, cl_command_queue queue, int workload,\n"
        "                     const cl_mem *arrays, cl_mem scratch);\n\n"
        "#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}

static const char functions[] =
    "struct portfolio {\n    cl_program programs[KERNELS];\n    cl_kernel "
    "launches[LAUNCHES];\n};\n\n"
    "/* The place of the kernel of a workload; KERNELS: it has none. */\n"
    "static int find(int workload)\n{\n    int i = 0;\n\n"
    "    while (i < KERNELS && kernels[i].workload != workload)\n        i++;\n    return i;\n}\n\n"
    "long long portfolio_scratch_bytes(int workload)\n{\n    int i = find(workload);\n\n"
    "    return i < KERNELS ? kernels[i].scratch_bytes : -1;\n}\n\n"
    "void portfolio_close(portfolio *self)\n{\n"
    "    for (int i = 0; self && i < LAUNCHES; i++)\n        if (self->launches[i])\n"
    "            clReleaseKernel(self->launches[i]);\n"
    "    for (int i = 0; self && i < KERNELS; i++)\n        if (self->programs[i])\n"
    "            clReleaseProgram(self->programs[i]);\n    free(self);\n}\n\n"
    "static cl_int build(portfolio *self, cl_context context, cl_device_id device, int i)\n{\n"
    "    const char *source = kernels[i].source;\n    cl_int code = CL_SUCCESS;\n\n"
    "    self->programs[i] = clCreateProgramWithSource(context, 1, &source, NULL, &code);\n"
    "    if (code == CL_SUCCESS)\n"
    "        code = clBuildProgram(self->programs[i], 1, &device, \"\", NULL, NULL);\n"
    "    for (int k = kernels[i].first; k < kernels[i].first + kernels[i].count; k++)\n"
    "        if (code == CL_SUCCESS)\n"
    "            self->launches[k] = clCreateKernel(self->programs[i], launches[k].name, &code);\n"
    "    return code;\n}\n\n"
    "cl_int portfolio_open(cl_context context, cl_device_id device, portfolio **out)\n{\n"
    "    portfolio *self = calloc(1, sizeof *self);\n"
    "    cl_int code = self ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;\n\n"
    "    for (int i = 0; i < KERNELS && code == CL_SUCCESS; i++)\n"
    "        code = build(self, context, device, i);\n"
    "    if (code == CL_SUCCESS)\n        *out = self;\n    else\n        portfolio_close(self);\n"
    "    return code;\n}\n\n"
    "static cl_int launch(cl_kernel kernel, cl_command_queue queue, int k, int operands,\n"
    "                     const cl_mem *arrays, const cl_mem *scratch)\n{\n"
    "    cl_int code = CL_SUCCESS;\n    cl_uint count = 0;\n\n"
    "    for (; count < (cl_uint)operands && code == CL_SUCCESS; count++)\n"
    "        code = clSetKernelArg(kernel, count, sizeof *arrays, &arrays[count]);\n"
    "    if (code == CL_SUCCESS && scratch)\n"
    "        code = clSetKernelArg(kernel, count++, sizeof *scratch, scratch);\n"
    "    if (code == CL_SUCCESS && launches[k].shared_bytes)\n"
    "        code = clSetKernelArg(kernel, count, launches[k].shared_bytes, NULL);\n"
    "    if (code == CL_SUCCESS)\n"
    "        code = clEnqueueNDRangeKernel(queue, kernel, 3, NULL, launches[k].global,\n"
    "                                      launches[k].local, 0, NULL, NULL);\n"
    "    return code;\n}\n\n"
    "cl_int portfolio_run(portfolio *self, cl_command_queue queue, int workload,\n"
    "                     const cl_mem *arrays, cl_mem scratch)\n{\n"
    "    int i = find(workload);\n    cl_int code = i < KERNELS ? CL_SUCCESS : "
    "CL_INVALID_VALUE;\n\n"
    "    for (int k = 0; code == CL_SUCCESS && k < kernels[i].count; k++)\n"
    "        code = launch(self->launches[kernels[i].first + k], queue, kernels[i].first + k,\n"
    "                      kernels[i].operands, arrays,\n"
    "                      kernels[i].scratch_bytes ? &scratch : NULL);\n"
    "    return code;\n}\n";

void opevo_i_cli_portfolio_opencl_source(const opevo_i_cli_portfolio_opencl *self,
                                         const char *shapes, opevo_text *out)
{
    opevo_text_add(out, "#include \"kernels.h\"\n\n#include <stdlib.h>\n\n");
    opevo_text_add(out, opevo_text_string(&self->sources));
    opevo_text_printf(
        out,
        "enum { KERNELS = %zu, LAUNCHES = %zu };\n\n"
        "static const struct {\n    const char *name;\n    size_t global[3], local[3], "
        "shared_bytes;\n} launches[LAUNCHES] = {\n%s};\n\n"
        "static const struct {\n    int workload;\n    const char *source;\n    int "
        "operands;\n    long long scratch_bytes;\n    int first, count;\n} "
        "kernels[KERNELS] = {\n%s};\n\n",
        self->kernel_count, self->launch_count, opevo_text_string(&self->launches),
        opevo_text_string(&self->kernels));
    opevo_text_add(out, functions);
    if (*shapes)
        opevo_text_printf(
            out, "\nint portfolio_workload(const double *numbers)\n{\n%s    return -1;\n}\n",
            shapes);
}
