/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A kernel as a folder of files that stands alone: its source, its schedule, a program that checks
 * and times it, a Makefile, and a header for other programs. */

#include <opevo/export.h>

#include <opevo/reference.h>
#include <opevo/text_fill.h>

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "export_internal.h"

/* Products that plain loops sum in well below a second; beyond them a sample is checked. */
#define ALL_PRODUCTS 0x1p27
enum { SAMPLES = 10000 };

/* The order of the files, and of their texts. */
enum { KERNEL, SCHEDULE, MAIN, MAKEFILE, HEADER };

static const char *const names[OPEVO_KERNEL_COUNT][OPEVO_EXPORT_FILES] = {
    [OPEVO_KERNEL_C] = {"kernel.c", "kernel.schedule", "main.c", "Makefile", "kernel.h"},
    [OPEVO_KERNEL_CUDA] = {"kernel.cu", "kernel.schedule", "main.cu", "Makefile", "kernel.h"},
    [OPEVO_KERNEL_HIP] = {"kernel.hip.cpp", "kernel.schedule", "main.hip.cpp", "Makefile",
                          "kernel.h"},
};

const char *opevo_export_name(opevo_kernel_dialect dialect, size_t i)
{
    return names[dialect][i];
}

/* ---- Comments ------------------------------------------------------------------------------- */

/* One line behind `mark`: neither a line's end nor a backslash before it leaves the comment. */
static void add_comment(opevo_text *out, const char *mark, const char *what, const char *text)
{
    opevo_text_printf(out, "%s %s: ", mark, what);
    for (; *text; text++) {
        bool plain = isalnum((unsigned char)*text) || strchr(" .,:;=+-*_/()[]{}\"@%<>!", *text);

        opevo_text_add_bytes(out, plain ? text : " ", 1);
    }
    opevo_text_add(out, "\n");
}

static void add_label(opevo_text *out, const char *mark, const opevo_workload *work,
                      const opevo_export_label *label)
{
    opevo_text form = {0};
    char fitness[64];
    char threads[16];

    opevo_workload_print(work, &form);
    add_comment(out, mark, work->library ? "operator" : "computation", opevo_text_string(&form));
    if (label->name)
        add_comment(out, mark, "template", label->name);
    if (label->threads > 1) {
        snprintf(threads, sizeof threads, "%u", label->threads);
        add_comment(out, mark, "threads", threads);
    }
    if (label->configuration)
        add_comment(out, mark, "configuration", label->configuration);
    if (label->device) {
        if (work->flop > 0)
            snprintf(fitness, sizeof fitness, "%.6g GFLOP/s", label->fitness);
        else
            snprintf(fitness, sizeof fitness, "%.6g ms", 1e3 / label->fitness);
        add_comment(out, mark, "device", label->device);
        add_comment(out, mark, "measured there, estimated", fitness);
    }
    add_comment(out, mark, "opevo", label->version);
    out->failed = out->failed || form.failed;
    opevo_text_free(&form);
}

/* ---- The program ---------------------------------------------------------------------------- */

static void define(opevo_text *out, const char *name, int64_t value)
{
    opevo_text_printf(out, "#define %s %lldLL\n", name, (long long)value);
}

static void add_shapes(opevo_text *out, const opevo_operator *op)
{
    if (op->kind == OPEVO_CONTRACTION)
        return;
    if (op->kind == OPEVO_CONV2D) {
        define(out, "IN_CHANNELS", op->in_channels);
        define(out, "HEIGHT", op->height);
        define(out, "WIDTH", op->width);
        define(out, "OUT_CHANNELS", op->out_channels);
        define(out, "OUT_HEIGHT", opevo_operator_out_height(op));
        define(out, "OUT_WIDTH", opevo_operator_out_width(op));
        define(out, "KERNEL_HEIGHT", op->kernel_height);
        define(out, "KERNEL_WIDTH", op->kernel_width);
        define(out, "STRIDE", op->stride);
        define(out, "PADDING", op->padding);
        return;
    }
    define(out, "N", op->n);
    define(out, "K", op->k);
    define(out, "M", op->m);
    define(out, "TRANSPOSE_X", op->transpose_x);
    define(out, "TRANSPOSE_Y", op->transpose_y);
}

static bool has_one_output(const opevo_operand_list *list)
{
    return list->count == list->inputs + 1;
}

/* A text for one operand: @c@ and @C@ are its letter, @s@ and @S@ the same as the end and the
 * beginning of a name, "_c" and "C_", or nothing where it is the only output. */
static void add_for(opevo_text *out, const opevo_operand_list *list, int operand, const char *text)
{
    char lower = OPEVO_I_OPERAND_LETTERS[operand], upper = (char)toupper(lower);
    const opevo_text_slot slots[] = {{"c", (char[]){lower, '\0'}},
                                     {"C", (char[]){upper, '\0'}},
                                     {"s", has_one_output(list) ? "" : (char[]){'_', lower, '\0'}},
                                     {"S", has_one_output(list) ? "" : (char[]){upper, '_', '\0'}}};

    opevo_text_fill(out, text, slots, sizeof slots / sizeof *slots);
}

/* The same for operands `first` and so on, with `between` between them. */
static void add_each(opevo_text *out, const opevo_operand_list *list, int first,
                     const char *between, const char *text)
{
    for (int i = first; i < list->count; i++) {
        opevo_text_add(out, i > first ? between : "");
        add_for(out, list, i, text);
    }
}

/* Of one output: how many terms its check allows for, and how many elements it looks at. */
static void add_output_numbers(opevo_text *out, const opevo_operator *op,
                               const opevo_operand_list *list, int operand)
{
    int64_t elements = opevo_operand_elements(op, operand);
    int64_t terms = opevo_operator_terms(op, operand - list->inputs);
    bool all = elements <= SAMPLES || (double)elements * (double)terms <= ALL_PRODUCTS;

    add_for(out, list, operand, "#define @S@TERMS");
    opevo_text_printf(out, " %.0fLL\n", opevo_reference_roundings(op, operand - list->inputs));
    add_for(out, list, operand, "#define @S@CHECKED");
    opevo_text_printf(out, " %lldLL\n", (long long)(all ? elements : SAMPLES));
}

void opevo_i_export_launch(opevo_text *out, const opevo_kernel *kernel, double flop)
{
    opevo_text_printf(out, "#define ENTRY %s\n", kernel->entry);
    opevo_text_printf(out, "#define FLOP %.1f\n", flop);
    opevo_text_printf(out, "#define WINDOW_S %s\n",
                      kernel->dialect == OPEVO_KERNEL_C ? "0.2e-3" : "1e-3");
    if (kernel->dialect == OPEVO_KERNEL_C) {
        opevo_text_printf(out, "#define SCRATCH_BYTES (%lluLL + %s * %lluLL)\n",
                          (unsigned long long)kernel->scratch_bytes,
                          kernel->parallel ? "THREADS" : "1",
                          (unsigned long long)kernel->thread_scratch_bytes);
        return;
    }
    opevo_text_printf(out,
                      "#define GRID %u, %u, %u\n#define BLOCK %u, %u, %u\n"
                      "#define DYNAMIC_SHARED_BYTES %u\n#define GPU(name) %s##name\n",
                      kernel->grid[0], kernel->grid[1], kernel->grid[2], kernel->block[0],
                      kernel->block[1], kernel->block[2], kernel->dynamic_shared_bytes,
                      kernel->dialect == OPEVO_KERNEL_CUDA ? "cuda" : "hip");
    opevo_i_export_more(out, kernel);
}

static void add_numbers(opevo_text *out, const opevo_kernel *kernel, const opevo_operator *op,
                        const opevo_operand_list *list)
{
    opevo_i_export_launch(out, kernel, opevo_operator_flop(op));
    for (int i = 0; i < list->count; i++) {
        add_for(out, list, i, "#define @C@_SIZE");
        opevo_text_printf(out, " %lldLL\n", (long long)opevo_operand_elements(op, i));
    }
    for (int i = list->inputs; i < list->count; i++)
        add_output_numbers(out, op, list, i);
    add_shapes(out, op);
}

/* The operands, memory for them, and what is right. */
static void add_data(opevo_text *out, const opevo_operator *op, const opevo_operand_list *list)
{
    opevo_text_add(out, "static float ");
    add_each(out, list, 0, ", ", "*@c@");
    opevo_text_add(out, "; /* the operands; ");
    add_each(out, list, list->inputs, ", ", "@c@");
    opevo_text_add(out, has_one_output(list) ? " is the result */\n\n" : " are the results */\n\n");
    opevo_text_add(out, opevo_i_export_head);
    add_each(out, list, list->inputs, "", "    memset(@c@, 0xff, @C@_SIZE * sizeof(float));\n");
    opevo_text_add(out, "}\n\n");
    if (op->kind != OPEVO_CONTRACTION) {
        opevo_text_add(out,
                       op->kind == OPEVO_CONV2D ? opevo_i_export_conv2d : opevo_i_export_matmul);
        return;
    }
    for (int i = list->inputs; i < list->count; i++) {
        add_for(out, list, i,
                "/* Element `at` of @c@ in plain loops, and the same sum of absolute values. */\n"
                "static void reference@s@(long long at, double *sum, double *magnitude)\n{\n");
        opevo_i_export_contraction(out, &op->contraction, i);
    }
}

/* A text for each operand that has a layout of its own. */
static void add_each_packed(opevo_text *out, const opevo_kernel *kernel,
                            const opevo_operand_list *list, const char *text)
{
    for (int i = 0; i < list->inputs; i++) {
        if (kernel->packed[i])
            add_for(out, list, i, text);
    }
}

/* The kernel, the functions that pack its constants, and memory for these. */
static void add_declarations(opevo_text *out, const opevo_kernel *kernel,
                             const opevo_operand_list *list)
{
    opevo_text_add(out, "void ENTRY(");
    for (int i = 0; i < list->count; i++)
        opevo_text_printf(out, "%sfloat *, ", i < list->inputs ? "const " : "");
    opevo_text_add(out, "float *);\n");
    for (int i = 0; i < list->inputs; i++) {
        char name[OPEVO_KERNEL_NAME];

        if (!kernel->packed[i])
            continue;
        opevo_kernel_pack_name(kernel, i, name);
        add_for(out, list, i, "#define PACK_@C@ ");
        opevo_text_printf(out, "%s\n", name);
        add_for(out, list, i, "#define @C@_PACKED_SIZE ");
        opevo_text_printf(out, "%lluLL\n", (unsigned long long)kernel->packed[i]);
        add_for(
            out, list, i,
            "void PACK_@C@(const float *, float *);\nstatic float *@c@_packed; /* as the kernel "
            "reads @c@ */\n");
    }
    opevo_text_add(out, "\n");
}

static void add_cpu(opevo_text *out, const opevo_kernel *kernel, const opevo_operand_list *list)
{
    add_declarations(out, kernel, list);
    opevo_text_add(out, opevo_i_export_cpu);
    for (int i = 0; i < list->count; i++) {
        opevo_text_add(out, i ? ", " : "");
        add_for(out, list, i, kernel->packed[i] ? "@c@_packed" : "@c@");
    }
    opevo_text_add(out, opevo_i_export_cpu_end);
}

static void add_gpu(opevo_text *out, const opevo_operand_list *list)
{
    opevo_text_add(out, "static float ");
    add_each(out, list, 0, ", ", "*device_@c@");
    opevo_text_add(out, ";\n");
    opevo_text_add(out, opevo_i_export_gpu);
    add_each(out, list, 0, "", "    copy(&device_@c@, @c@, @C@_SIZE);\n");
    opevo_text_add(out, opevo_i_export_gpu_sent);
    add_each(out, list, list->inputs, "", opevo_i_export_gpu_fetch);
    opevo_text_add(out, opevo_i_export_gpu_execute);
    opevo_text_add(out, opevo_i_export_gpu_call);
    add_each(out, list, 0, ", ", "device_@c@");
    opevo_text_add(out, opevo_i_export_gpu_end);
}

static void add_main(opevo_text *out, const opevo_kernel *kernel, const opevo_operand_list *list)
{
    opevo_text_add(out, opevo_i_export_main);
    if (kernel->parallel)
        opevo_text_add(out, "    omp_set_num_threads(THREADS);\n");
    add_each(out, list, 0, "", "    @c@ = allocate(@C@_SIZE);\n");
    for (int i = 0; i < list->inputs; i++)
        add_for(out, list, i, "    fill(@c@, @C@_SIZE);\n");
    if (kernel->dialect == OPEVO_KERNEL_C)
        opevo_text_add(out, "    scratch = allocate(SCRATCH_BYTES / 4 + 1);\n");
    add_each_packed(out, kernel, list, opevo_i_export_pack);
    opevo_text_add(out, "    poison();\n    send();\n    execute(1, &spent);\n    right = ");
    add_each(out, list, list->inputs, " & ", "check@s@()");
    opevo_text_add(out, ";\n    if (right) {\n        measure();\n        right = ");
    add_each(out, list, list->inputs, " & ", "check@s@()");
    opevo_text_add(out, "; /* also after the last execution */\n    }\n");
    opevo_text_add(out, opevo_i_export_main_end);
}

/* A GPU kernel is compiled with the program, whose launch must know it. */
void opevo_i_export_start(opevo_text *out, const opevo_kernel *kernel)
{
    opevo_text_add(out, "\n/* Checks the kernel against plain loops, and times it. */\n\n");
    if (kernel->dialect == OPEVO_KERNEL_HIP)
        opevo_text_add(out, "#include <hip/hip_runtime.h>\n");
    opevo_text_printf(out,
                      "#include <math.h>\n%s#include <stdio.h>\n#include <stdlib.h>\n"
                      "#include <string.h>\n#include <time.h>\n\n",
                      kernel->parallel ? "#include <omp.h>\n" : "");
    if (kernel->dialect != OPEVO_KERNEL_C)
        opevo_text_printf(out, "#include \"%s\"\n\n", names[kernel->dialect][KERNEL]);
}

void opevo_i_export_program(opevo_text *out, const opevo_kernel *kernel, const opevo_operator *op)
{
    bool cpu = kernel->dialect == OPEVO_KERNEL_C;
    opevo_operand_list list;

    opevo_operator_operands(op, &list);
    opevo_i_export_start(out, kernel);
    add_numbers(out, kernel, op, &list);
    opevo_text_add(out, "\n");
    add_data(out, op, &list);
    if (cpu)
        add_cpu(out, kernel, &list);
    else
        add_gpu(out, &list);
    add_each(out, &list, list.inputs, "", opevo_i_export_check);
    add_main(out, kernel, &list);
}

static void add_makefile(opevo_text *out, const opevo_kernel *kernel)
{
    static const char *const flags[] = {OPEVO_KERNEL_C_FLAGS, OPEVO_KERNEL_C_PARALLEL_FLAG};

    if (kernel->dialect == OPEVO_KERNEL_C) {
        opevo_text_add(out, "CFLAGS =");
        for (size_t i = 0; i < sizeof flags / sizeof *flags - !kernel->parallel; i++)
            opevo_text_printf(out, " %s", flags[i]);
        opevo_text_add(out, "\n\nkernel: main.c kernel.c\n"
                            "\t$(CC) $(CFLAGS) -o $@ main.c kernel.c -lm\n");
    } else if (kernel->dialect == OPEVO_KERNEL_CUDA) {
        opevo_text_add(out, "NVCC = nvcc\nNVCCFLAGS = -O2 -arch=native\n\n"
                            "kernel: main.cu kernel.cu\n"
                            "\t$(NVCC) $(NVCCFLAGS) -o $@ main.cu\n");
    } else {
        opevo_text_add(out, "HIPCC = hipcc\nHIPCCFLAGS = -O2\n\n"
                            "kernel: main.hip.cpp kernel.hip.cpp\n"
                            "\t$(HIPCC) $(HIPCCFLAGS) -o $@ main.hip.cpp\n");
    }
}

/* ---- The header -------------------------------------------------------------------------------
 */

/* "a: 512 x 1024" for each operand. */
/* What an operand is called: by its letter, or by the name that the computation gives it. */
static void add_operand(opevo_text *out, const opevo_workload *work, int i)
{
    if (work->library)
        opevo_text_printf(out, "%c", OPEVO_I_OPERAND_LETTERS[i]);
    else
        opevo_text_printf(out, "x_%s", work->list.item[i].name);
}

static const char *type_of(const opevo_workload *work, int i)
{
    return opevo_kernel_type_text(work->list.item[i].element);
}

static bool is_typed(const opevo_workload *work)
{
    return !work->library && opevo_i_export_is_typed(work->computation);
}

static void add_operands(opevo_text *out, const opevo_workload *work)
{
    for (int i = 0; i < work->list.count; i++) {
        const opevo_workload_operand *one = &work->list.item[i];

        opevo_text_add(out, " *   ");
        add_operand(out, work, i);
        for (int d = 0; d < one->dims; d++)
            opevo_text_printf(out, "%s%lld", d ? " x " : "  ", (long long)one->extent[d]);
        opevo_text_add(out, one->dims ? "" : "  1");
        if (is_typed(work))
            opevo_text_printf(out, ", %s", opevo_element_name(one->element));
        opevo_text_add(out, "\n");
    }
}

/* Macros of the kernel called NAME: its scratch memory, or its launch. */
static void add_launch_macros(opevo_text *out, const opevo_kernel *kernel, const char *name)
{
    opevo_text_printf(out, "/* %s: <<<dim3(GRID), dim3(BLOCK), SHARED_BYTES>>>. */\n",
                      kernel->more ? "The launches of one execution, in this order" : "The launch");
    for (int i = 0; i <= kernel->more; i++) {
        opevo_launch one = opevo_kernel_launch(kernel, i);
        char prefix[OPEVO_KERNEL_NAME];

        snprintf(prefix, sizeof prefix, "%s", name);
        if (i)
            snprintf(prefix, sizeof prefix, "%s_%d", name, i + 1);
        opevo_text_printf(out,
                          "#define %s_GRID %u, %u, %u\n#define %s_BLOCK %u, %u, %u\n"
                          "#define %s_SHARED_BYTES %u\n",
                          prefix, one.grid[0], one.grid[1], one.grid[2], prefix, one.block[0],
                          one.block[1], one.block[2], prefix, one.dynamic_shared_bytes);
    }
    if (kernel->scratch_bytes)
        opevo_text_printf(out, "#define %s_SCRATCH_BYTES %lluLL\n", name,
                          (unsigned long long)kernel->scratch_bytes);
    opevo_text_add(out, "\n");
}

static void add_macros(opevo_text *out, const opevo_kernel *kernel, const char *name)
{
    if (kernel->dialect == OPEVO_KERNEL_C)
        opevo_text_printf(out,
                          "/* Bytes of scratch memory of a call on at most so many threads: 1, or "
                          "those of OpenMP. */\n"
                          "#define %s_SCRATCH_BYTES(threads) (%lluLL + (threads) * %lluLL)\n\n",
                          name, (unsigned long long)kernel->scratch_bytes,
                          (unsigned long long)kernel->thread_scratch_bytes);
    else
        add_launch_macros(out, kernel, name);
}

/* The functions that pack constants, and the memory that these then take. */
static void add_packers(opevo_text *out, const opevo_kernel *kernel, const char *name,
                        const opevo_workload *work)
{
    for (int i = 0; i < work->list.inputs && i < OPEVO_OPERANDS; i++) {
        char pack[OPEVO_KERNEL_NAME];
        opevo_text operand = {0};
        const char *of = NULL;

        if (!kernel->packed[i])
            continue;
        opevo_kernel_pack_name(kernel, i, pack);
        add_operand(&operand, work, i);
        of = opevo_text_string(&operand);
        opevo_text_printf(
            out,
            "\n/* The kernel reads %s in a layout of its own: bring it there once for "
            "all calls. */\n#define %s_PACKED_",
            of, name);
        for (const char *letter = of; *letter; letter++)
            opevo_text_printf(out, "%c", toupper((unsigned char)*letter));
        opevo_text_printf(out, "_BYTES %lluLL\nvoid %s(const %s *%s, %s *%s_packed);\n",
                          (unsigned long long)kernel->packed[i] *
                              (unsigned long long)opevo_element_bytes(work->list.item[i].element),
                          pack, type_of(work, i), of, type_of(work, i), of);
        out->failed |= operand.failed;
        opevo_text_free(&operand);
    }
}

/* The function of a launch. */
static void add_prototype(opevo_text *out, const opevo_kernel *kernel, const opevo_workload *work,
                          int launch)
{
    char name[OPEVO_KERNEL_NAME];

    opevo_kernel_launch_name(kernel, launch, name);
    opevo_text_printf(out, "%svoid %s(", kernel->dialect == OPEVO_KERNEL_C ? "" : "__global__ ",
                      name);
    for (int i = 0; i < work->list.count; i++) {
        opevo_text_printf(out, "%s%s%s *", i ? ", " : "", i < work->list.inputs ? "const " : "",
                          type_of(work, i));
        add_operand(out, work, i);
        opevo_text_add(out, i < OPEVO_OPERANDS && kernel->packed[i] ? "_packed" : "");
    }
    opevo_text_add(out, kernel->dialect == OPEVO_KERNEL_C || kernel->scratch_bytes
                            ? ", float *scratch);\n"
                            : ");\n");
}

/* What a program needs to call the kernel, in C and in C++. */
static void add_header(opevo_text *out, const opevo_kernel *kernel, const opevo_workload *work)
{
    bool cpu = kernel->dialect == OPEVO_KERNEL_C;
    char name[sizeof kernel->entry];

    for (size_t i = 0; i < sizeof name; i++)
        name[i] = (char)toupper((unsigned char)kernel->entry[i]);
    opevo_text_printf(out, "\n#ifndef %s_H\n#define %s_H\n\n", name, name);
    add_macros(out, kernel, name);
    opevo_text_add(out, "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
                        "/* Dense arrays");
    opevo_text_add(out, is_typed(work) ? " (those of float16 and bfloat16 hold their bits)"
                                       : " of float");
    opevo_text_add(out, ", aligned to 64 bytes; outputs are written in full:\n");
    add_operands(out, work);
    opevo_text_add(out, cpu ? " * Scratch memory is aligned likewise and may hold anything. Calls "
                              "with different outputs and\n"
                              " * scratch memory may overlap in time. */\n"
                            : " */\n");
    for (int i = 0; i <= kernel->more; i++)
        add_prototype(out, kernel, work, i);
    add_packers(out, kernel, name, work);
    opevo_text_add(out, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}

/* ---- All files ------------------------------------------------------------------------------ */

opevo_status opevo_i_export_files(const opevo_kernel *kernel, const opevo_workload *work,
                                  const opevo_text *steps, const opevo_export_label *label,
                                  opevo_text files[OPEVO_EXPORT_FILES], opevo_error *err)
{
    static const char *const marks[OPEVO_EXPORT_FILES] = {
        [SCHEDULE] = "#", [MAIN] = "//", [MAKEFILE] = "#", [HEADER] = "//"};
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < OPEVO_EXPORT_FILES; i++) {
        if (marks[i])
            add_label(&files[i], marks[i], work, label);
    }
    opevo_text_add_bytes(&files[KERNEL], opevo_text_string(&kernel->source), kernel->source.length);
    add_comment(&files[SCHEDULE], "#", "dialect", opevo_kernel_dialect_name(kernel->dialect));
    opevo_text_add_bytes(&files[SCHEDULE], opevo_text_string(steps), steps->length);
    if (kernel->parallel && label->threads)
        opevo_text_printf(&files[MAIN], "\n#define THREADS %u\n", label->threads);
    else if (kernel->parallel)
        opevo_text_add(&files[MAIN], "\n#define THREADS omp_get_max_threads()\n");
    if (work->library)
        opevo_i_export_program(&files[MAIN], kernel, work->library);
    else
        OPEVO_TRY(opevo_i_export_graph_program(&files[MAIN], kernel, work, err));
    add_makefile(&files[MAKEFILE], kernel);
    add_header(&files[HEADER], kernel, work);
    for (size_t i = 0; i < OPEVO_EXPORT_FILES; i++)
        OPEVO_TRY(opevo_text_check(&files[i], err));
cleanup:
    return status;
}
