/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The folder of a class: its kernels, and a function that chooses one by the numbers of a shape and
 * calls it, with a grid that follows from them. */

#include "portfolio_class_internal.h"
#include "portfolio_dispatch_internal.h"

#include <opevo/file.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static bool is_opencl(const opevo_i_cli_portfolio_class *self)
{
    return self->kernel[0].dialect == OPEVO_KERNEL_OPENCL ||
           self->kernel[0].dialect == OPEVO_KERNEL_OPENCL_CPU;
}

static bool is_cpu(const opevo_i_cli_portfolio_class *self)
{
    return self->kernel[0].dialect == OPEVO_KERNEL_C;
}

static bool is_hip(const opevo_i_cli_portfolio_class *self)
{
    return self->kernel[0].dialect == OPEVO_KERNEL_HIP;
}

/* "cuda", "hip". */
static const char *prefix_of(const opevo_i_cli_portfolio_class *self)
{
    return opevo_kernel_dialect_name(self->kernel[0].dialect);
}

/* ---- The header ---- */

static const char c_functions[] =
    "/* Bytes of scratch memory that are enough for any member, on so many threads. */\n"
    "long long portfolio_class_scratch_bytes(int threads);\n"
    "/* Run the kernel of a member. 0; -1: no member has these numbers. */\n"
    "int portfolio_class_run(const long *numbers, void *const *arrays, float *scratch);\n";

static const char opencl_declarations[] =
    "/* Bytes of a scratch buffer that are enough for any member. */\n"
    "long long portfolio_class_scratch_bytes(void);\n"
    "/* All kernels, compiled for a device. Release with portfolio_class_close; NULL is allowed. "
    "*/\n"
    "typedef struct portfolio_class portfolio_class;\n"
    "cl_int portfolio_class_open(cl_context context, cl_device_id device, portfolio_class **out);\n"
    "void portfolio_class_close(portfolio_class *self);\n"
    "/* Enqueue the kernel of a member; CL_INVALID_VALUE for other numbers. One thread at a time. "
    "*/\n"
    "cl_int portfolio_class_run(portfolio_class *self, cl_command_queue queue, const long "
    "*numbers,\n"
    "                           const cl_mem *arrays, cl_mem scratch);\n";

static void print_functions(const opevo_i_cli_portfolio_class *self, opevo_text *out)
{
    const char *prefix = prefix_of(self);

    if (is_cpu(self) || is_opencl(self)) {
        opevo_text_add(out, is_cpu(self) ? c_functions : opencl_declarations);
        return;
    }
    opevo_text_printf(
        out,
        "/* Bytes of scratch memory on the device that are enough for any member. */\n"
        "long long portfolio_class_scratch_bytes(void);\n"
        "/* Launch the kernel of a member on arrays of the device; %sErrorInvalidValue for other\n"
        " * numbers. */\n%sError_t portfolio_class_run(const long *numbers, void *const *arrays,\n"
        "                                void *scratch, %sStream_t stream);\n",
        prefix, prefix, prefix);
}

static void print_header(const opevo_i_cli_portfolio_class *self, opevo_text *out)
{
    opevo_text_printf(
        out,
        "/* Kernels for all of %s,\n * by opevo portfolio. `numbers` are those of the range%s, in "
        "this order. Arrays are dense, inputs\n * first, in the order of the text; they and "
        "scratch "
        "memory are aligned to %d bytes.\n * Outputs are written in full. Link with libclass.a%s. "
        "*/\n\n"
        "#ifndef OPEVO_PORTFOLIO_CLASS_H\n#define OPEVO_PORTFOLIO_CLASS_H\n\n",
        self->of->text, self->of->numbers > 1 ? "s" : "", OPEVO_KERNEL_ALIGNMENT,
        is_opencl(self) ? " and OpenCL" : "");
    if (is_opencl(self))
        opevo_text_add(out, "#ifndef CL_TARGET_OPENCL_VERSION\n#define CL_TARGET_OPENCL_VERSION "
                            "120\n#endif\n#include <CL/cl.h>\n\n");
    else if (!is_cpu(self))
        opevo_text_printf(out, "#include <%s>\n\n",
                          is_hip(self) ? "hip/hip_runtime.h" : "cuda_runtime.h");
    opevo_text_printf(out,
                      "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
                      "#define PORTFOLIO_CLASS_NUMBERS %d\n"
                      "/* Which configuration, from 0 to %zu; -1: no member has these numbers. */\n"
                      "int portfolio_class_choose(const long *numbers);\n",
                      self->of->numbers, self->kernels - 1);
    print_functions(self, out);
    opevo_text_add(out, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}

/* ---- Choosing ---- */

static void print_choice(const opevo_i_cli_portfolio_class *self, opevo_text *out)
{
    opevo_text_add(out, "int portfolio_class_choose(const long *numbers)\n{\n");
    if (self->has_tree) {
        opevo_text_printf(out, "    %s shape[] = {", self->whole ? "long" : "double");
        for (size_t i = 0; i < self->number_count; i++) {
            opevo_text_add(out, i ? ", " : "");
            opevo_text_add_double(out, self->numbers[i]);
        }
        opevo_text_add(out, "};\n\n");
    }
    for (int i = 0; i < self->of->numbers; i++)
        opevo_text_printf(
            out, "    if (numbers[%d] < %lld || numbers[%d] > %lld)\n        return -1;\n", i,
            (long long)self->of->number[i].least, i, (long long)self->of->number[i].most);
    for (int i = 0; i < self->of->numbers && self->has_tree; i++)
        opevo_text_printf(out, "    shape[%zu] = numbers[%d];\n", self->place[i], i);
    opevo_text_add(out, self->has_tree ? "    return portfolio_choose(shape);\n}\n\n"
                                       : "    return 0;\n}\n\n");
}

/* The number whose argument this is. */
static int number_of(const opevo_i_cli_portfolio_class *self, int64_t argument)
{
    int number = 0;

    for (int64_t left = argument; left >= self->of->number[number].axes; number++)
        left -= self->of->number[number].axes;
    return number;
}

static void add_arguments(const opevo_i_cli_portfolio_class *self, const opevo_kernel *kernel,
                          opevo_text *out)
{
    for (int i = 0; i < kernel->arguments; i++)
        opevo_text_printf(out, ", (int)numbers[%d]", number_of(self, i));
}

/* Blocks of a launch in one direction. */
static void add_blocks(const opevo_i_cli_portfolio_class *self, const opevo_kernel *kernel,
                       int launch, int axis, opevo_text *out)
{
    const opevo_kernel_count *count = &kernel->count[launch][axis];

    if (count->tile)
        opevo_text_printf(out, "%lld * ((numbers[%d] + %lld) / %lld)", (long long)count->per,
                          number_of(self, count->argument), (long long)count->tile - 1,
                          (long long)count->tile);
    else
        opevo_text_printf(out, "%u", opevo_kernel_launch(kernel, launch).grid[axis]);
}

/* ---- C ---- */

static void print_c(const opevo_i_cli_portfolio_class *self, opevo_text *out)
{
    opevo_text_add(out, "#include \"class.h\"\n\n#include \"../portfolio.h\"\n\n");
    for (size_t k = 0; k < self->kernels; k++) {
        opevo_text_printf(out, "void %s(%s", self->kernel[k].entry,
                          opevo_text_string(&self->types));
        opevo_text_add(out, "float *");
        for (int i = 0; i < self->kernel[k].arguments; i++)
            opevo_text_add(out, ", int");
        opevo_text_add(out, ");\n");
    }
    opevo_text_add(out, "\n");
    print_choice(self, out);
    opevo_text_add(out, "long long portfolio_class_scratch_bytes(int threads)\n{\n"
                        "    long long bytes = 0, one;\n\n");
    for (size_t k = 0; k < self->kernels; k++)
        opevo_text_printf(out,
                          "    one = %lluLL + threads * %lluLL;\n"
                          "    bytes = one > bytes ? one : bytes;\n",
                          (unsigned long long)self->kernel[k].scratch_bytes,
                          (unsigned long long)self->kernel[k].thread_scratch_bytes);
    opevo_text_add(out, "    return bytes;\n}\n\n"
                        "int portfolio_class_run(const long *numbers, void *const *arrays, float "
                        "*scratch)\n{\n    switch (portfolio_class_choose(numbers)) {\n");
    for (size_t k = 0; k < self->kernels; k++) {
        opevo_text_printf(out, "    case %zu:\n        %s(", k, self->kernel[k].entry);
        for (int i = 0; i < self->operands; i++)
            opevo_text_printf(out, "arrays[%d], ", i);
        opevo_text_add(out, "scratch");
        add_arguments(self, &self->kernel[k], out);
        opevo_text_add(out, ");\n        return 0;\n");
    }
    opevo_text_add(out, "    default:\n        return -1;\n    }\n}\n");
}

/* ---- CUDA and HIP ---- */

static void add_scratch(const opevo_i_cli_portfolio_class *self, opevo_text *out)
{
    uint64_t most = 0;

    for (size_t k = 0; k < self->kernels; k++)
        most = self->kernel[k].scratch_bytes > most ? self->kernel[k].scratch_bytes : most;
    opevo_text_printf(out,
                      "long long portfolio_class_scratch_bytes(%s)\n{\n    return %llu;\n}\n\n",
                      is_opencl(self) ? "void" : "", (unsigned long long)most);
}

static void add_launch(const opevo_i_cli_portfolio_class *self, const opevo_kernel *kernel,
                       size_t number, int launch, opevo_text *out)
{
    opevo_launch one = opevo_kernel_launch(kernel, launch);
    char name[OPEVO_KERNEL_NAME];

    opevo_kernel_launch_name(kernel, launch, name);
    opevo_text_printf(out, "        kernel_%zu::%s<<<dim3(", number, name);
    for (int axis = 0; axis < 3; axis++) {
        opevo_text_add(out, axis ? ", (unsigned)(" : "(unsigned)(");
        add_blocks(self, kernel, launch, axis, out);
        opevo_text_add(out, ")");
    }
    opevo_text_printf(out, "), dim3(%u, %u, %u), %u, stream>>>(", one.block[0], one.block[1],
                      one.block[2], one.dynamic_shared_bytes);
    for (int i = 0; i < self->operands; i++)
        opevo_text_printf(out, "%sany{arrays[%d]}", i ? ", " : "", i);
    opevo_text_add(out, kernel->scratch_bytes ? ", any{scratch}" : "");
    add_arguments(self, kernel, out);
    opevo_text_add(out, ");\n");
}

static void print_gpu(const opevo_i_cli_portfolio_class *self, opevo_text *out)
{
    const char *prefix = prefix_of(self);

    opevo_text_add(out, "#include \"class.h\"\n\n#include \"../portfolio.h\"\n\n");
    for (size_t k = 0; k < self->kernels; k++)
        opevo_text_printf(out, "namespace kernel_%zu {\n#include \"kernel-%zu.%s\"\n}\n", k, k,
                          is_hip(self) ? "hip.cpp" : "cu");
    opevo_text_add(out,
                   "\n/* A pointer to elements of any type. */\nstruct any {\n    void *at;\n\n"
                   "    template <typename T> operator T *() const\n    {\n"
                   "        return static_cast<T *>(at);\n    }\n};\n\n");
    print_choice(self, out);
    add_scratch(self, out);
    opevo_text_printf(
        out,
        "%sError_t portfolio_class_run(const long *numbers, void *const *arrays, void "
        "*scratch,\n                                %sStream_t stream)\n{\n"
        "    (void)scratch;\n    switch (portfolio_class_choose(numbers)) {\n",
        prefix, prefix);
    for (size_t k = 0; k < self->kernels; k++) {
        opevo_text_printf(out, "    case %zu:\n", k);
        for (int i = 0; i <= self->kernel[k].more; i++)
            add_launch(self, &self->kernel[k], k, i, out);
        opevo_text_add(out, "        break;\n");
    }
    opevo_text_printf(out,
                      "    default:\n        return %sErrorInvalidValue;\n    }\n    return "
                      "%sGetLastError();\n}\n",
                      prefix, prefix);
}

/* ---- OpenCL ---- */

static const char opencl_functions[] =
    "struct portfolio_class {\n    cl_program programs[KERNELS];\n"
    "    cl_kernel launches[LAUNCHES];\n};\n\n"
    "void portfolio_class_close(portfolio_class *self)\n{\n"
    "    for (int i = 0; self && i < LAUNCHES; i++)\n        if (self->launches[i])\n"
    "            clReleaseKernel(self->launches[i]);\n"
    "    for (int i = 0; self && i < KERNELS; i++)\n        if (self->programs[i])\n"
    "            clReleaseProgram(self->programs[i]);\n    free(self);\n}\n\n"
    "cl_int portfolio_class_open(cl_context context, cl_device_id device, portfolio_class **out)\n"
    "{\n    portfolio_class *self = calloc(1, sizeof *self);\n"
    "    cl_int code = self ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;\n\n"
    "    for (int i = 0; i < KERNELS && code == CL_SUCCESS; i++) {\n"
    "        self->programs[i] = clCreateProgramWithSource(context, 1, &sources[i], NULL, &code);\n"
    "        if (code == CL_SUCCESS)\n"
    "            code = clBuildProgram(self->programs[i], 1, &device, \"\", NULL, NULL);\n    }\n"
    "    for (int i = 0; i < LAUNCHES && code == CL_SUCCESS; i++)\n"
    "        self->launches[i] = clCreateKernel(self->programs[kernel_of[i]], names[i], &code);\n"
    "    if (code == CL_SUCCESS)\n        *out = self;\n    else\n"
    "        portfolio_class_close(self);\n    return code;\n}\n\n"
    "static cl_int launch(cl_kernel kernel, cl_command_queue queue, const cl_mem *arrays,\n"
    "                     const cl_mem *scratch, const int *arguments, int count,\n"
    "                     const size_t *global, const size_t *local)\n{\n"
    "    cl_int code = CL_SUCCESS;\n    cl_uint place = 0;\n\n"
    "    for (; place < OPERANDS && code == CL_SUCCESS; place++)\n"
    "        code = clSetKernelArg(kernel, place, sizeof *arrays, &arrays[place]);\n"
    "    if (code == CL_SUCCESS && scratch)\n"
    "        code = clSetKernelArg(kernel, place++, sizeof *scratch, scratch);\n"
    "    for (int i = 0; i < count && code == CL_SUCCESS; i++)\n"
    "        code = clSetKernelArg(kernel, place++, sizeof *arguments, &arguments[i]);\n"
    "    return code == CL_SUCCESS ? clEnqueueNDRangeKernel(queue, kernel, 3, NULL, global, local, "
    "0,\n                                                       NULL, NULL)\n"
    "                              : code;\n}\n\n";

static void add_opencl_launch(const opevo_i_cli_portfolio_class *self, const opevo_kernel *kernel,
                              int launch, int place, opevo_text *out)
{
    opevo_launch one = opevo_kernel_launch(kernel, launch);

    opevo_text_add(out,
                   "        if (code == CL_SUCCESS)\n            code = launch(self->launches[");
    opevo_text_printf(out, "%d], queue, arrays, %s, (const int[]){", place,
                      kernel->scratch_bytes ? "&scratch" : "NULL");
    for (int i = 0; i < kernel->arguments; i++)
        opevo_text_printf(out, "%s(int)numbers[%d]", i ? ", " : "", number_of(self, i));
    opevo_text_printf(out, "}, %d,\n                          (const size_t[]){",
                      kernel->arguments);
    for (int axis = 0; axis < 3; axis++) {
        opevo_text_printf(out, "%s%u * (size_t)(", axis ? ", " : "", one.block[axis]);
        add_blocks(self, kernel, launch, axis, out);
        opevo_text_add(out, ")");
    }
    opevo_text_printf(out, "},\n                          (const size_t[]){%u, %u, %u});\n",
                      one.block[0], one.block[1], one.block[2]);
}

static void print_opencl_tables(const opevo_i_cli_portfolio_class *self, opevo_text *out)
{
    int launches = 0;

    opevo_text_add(out, "static const char *sources[] = {");
    for (size_t k = 0; k < self->kernels; k++) {
        opevo_i_cli_portfolio_literal(opevo_text_string(&self->kernel[k].source), out);
        opevo_text_add(out, ",\n");
        launches += self->kernel[k].more + 1;
    }
    opevo_text_add(out, "};\n\nstatic const char *const names[] = {");
    for (size_t k = 0; k < self->kernels; k++) {
        for (int i = 0; i <= self->kernel[k].more; i++) {
            char name[OPEVO_KERNEL_NAME];

            opevo_kernel_launch_name(&self->kernel[k], i, name);
            opevo_text_printf(out, "\"%s\", ", name);
        }
    }
    opevo_text_add(out, "};\nstatic const int kernel_of[] = {");
    for (size_t k = 0; k < self->kernels; k++) {
        for (int i = 0; i <= self->kernel[k].more; i++)
            opevo_text_printf(out, "%zu, ", k);
    }
    opevo_text_printf(out, "};\n\nenum { KERNELS = %zu, LAUNCHES = %d, OPERANDS = %d };\n\n",
                      self->kernels, launches, self->operands);
}

static void print_opencl(const opevo_i_cli_portfolio_class *self, opevo_text *out)
{
    int place = 0;

    opevo_text_add(out, "#include \"class.h\"\n\n#include \"../portfolio.h\"\n\n#include "
                        "<stdlib.h>\n\n");
    print_opencl_tables(self, out);
    opevo_text_add(out, opencl_functions);
    print_choice(self, out);
    add_scratch(self, out);
    opevo_text_add(out,
                   "cl_int portfolio_class_run(portfolio_class *self, cl_command_queue queue,\n"
                   "                           const long *numbers, const cl_mem *arrays, "
                   "cl_mem scratch)\n{\n    cl_int code = CL_SUCCESS;\n\n    (void)scratch;\n"
                   "    switch (portfolio_class_choose(numbers)) {\n");
    for (size_t k = 0; k < self->kernels; k++) {
        opevo_text_printf(out, "    case %zu:\n", k);
        for (int i = 0; i <= self->kernel[k].more; i++)
            add_opencl_launch(self, &self->kernel[k], i, place++, out);
        opevo_text_add(out, "        return code;\n");
    }
    opevo_text_add(out, "    default:\n        return CL_INVALID_VALUE;\n    }\n}\n");
}

/* ---- Files ---- */

static void print_makefile(const opevo_i_cli_portfolio_class *self, opevo_text *out)
{
    static const char *const flags[] = {OPEVO_KERNEL_C_FLAGS};
    bool hip = self->kernel[0].dialect == OPEVO_KERNEL_HIP, parallel = false;

    if (is_opencl(self)) {
        opevo_text_add(out, "libclass.a: class.o\n\t$(AR) rcs $@ $^\n");
    } else if (is_cpu(self)) {
        opevo_text_add(out, "CFLAGS =");
        for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
            opevo_text_printf(out, " %s", flags[i]);
        for (size_t k = 0; k < self->kernels; k++)
            parallel |= self->kernel[k].parallel;
        opevo_text_add(out, parallel ? " " OPEVO_KERNEL_C_PARALLEL_FLAG : "");
        opevo_text_add(out, "\n\nlibclass.a: class.o");
        for (size_t k = 0; k < self->kernels; k++)
            opevo_text_printf(out, " kernel-%zu.o", k);
        opevo_text_add(out, "\n\t$(AR) rcs $@ $^\n");
    } else {
        opevo_text_printf(out,
                          "%s = %s\n%sFLAGS = -O2%s\n\nlibclass.a: class.%s\n"
                          "\t$(%s) $(%sFLAGS) -c -o class.o class.%s\n\t$(AR) rcs $@ class.o\n",
                          hip ? "HIPCC" : "NVCC", hip ? "hipcc" : "nvcc", hip ? "HIPCC" : "NVCC",
                          hip ? "" : " -arch=native", hip ? "hip.cpp" : "cu",
                          hip ? "HIPCC" : "NVCC", hip ? "HIPCC" : "NVCC", hip ? "hip.cpp" : "cu");
    }
}

static opevo_status write_printed(const opevo_i_cli_portfolio_class *self, const char *folder,
                                  const char *name,
                                  void (*print)(const opevo_i_cli_portfolio_class *, opevo_text *),
                                  opevo_error *err)
{
    opevo_text text = {0};
    opevo_status status = OPEVO_OK;

    print(self, &text);
    status = opevo_file_write_in(folder, name, &text, err);
    opevo_text_free(&text);
    return status;
}

opevo_status opevo_i_cli_portfolio_class_write(const opevo_i_cli_portfolio_class *self,
                                               const char *folder, opevo_error *err)
{
    static const char *const ends[OPEVO_KERNEL_COUNT] = {[OPEVO_KERNEL_C] = "c",
                                                         [OPEVO_KERNEL_CUDA] = "cu",
                                                         [OPEVO_KERNEL_HIP] = "hip.cpp",
                                                         [OPEVO_KERNEL_OPENCL] = "cl",
                                                         [OPEVO_KERNEL_OPENCL_CPU] = "cl"};
    const char *end = ends[self->kernel[0].dialect];
    opevo_text path = {0};
    char name[32];
    opevo_status status = OPEVO_OK;

    opevo_text_printf(&path, "%s/class", folder);
    OPEVO_TRY(opevo_text_check(&path, err));
    if (mkdir(path.data, 0777) != 0)
        OPEVO_TRY(OPEVO_FAIL(err, OPEVO_IO, "%s: %s.", path.data, strerror(errno)));
    for (size_t k = 0; k < self->kernels; k++) {
        snprintf(name, sizeof name, "kernel-%zu.%s", k, end);
        OPEVO_TRY(opevo_file_write_in(path.data, name, &self->kernel[k].source, err));
    }
    OPEVO_TRY(write_printed(self, path.data, "class.h", print_header, err));
    OPEVO_TRY(write_printed(self, path.data, "Makefile", print_makefile, err));
    snprintf(name, sizeof name, "class.%s", is_opencl(self) ? "c" : end);
    status = write_printed(self, path.data, name,
                           is_cpu(self)      ? print_c
                           : is_opencl(self) ? print_opencl
                                             : print_gpu,
                           err);
cleanup:
    opevo_text_free(&path);
    return status;
}
