/* SPDX-License-Identifier: GPL-3.0-or-later */

/* main.c of an exported kernel: a program that checks the kernel against plain loops and times it. */

#include "export_internal.h"

#include <opevo/reference.h>
#include <opevo/text_fill.h>

#include <ctype.h>

/* Products that plain loops sum in well below a second; beyond them a sample is checked. */
#define ALL_PRODUCTS 0x1p27
enum { SAMPLES = 10000 };

void opevo_i_export_define(opevo_text *out, const char *name, int64_t value)
{
    opevo_text_printf(out, "#define %s %lldLL\n", name, (long long)value);
}

static void add_shapes(opevo_text *out, const opevo_operator *op)
{
    if (op->kind == OPEVO_CONTRACTION)
        return;
    if (op->kind == OPEVO_CONV2D) {
        opevo_i_export_define(out, "IN_CHANNELS", op->in_channels);
        opevo_i_export_define(out, "HEIGHT", op->height);
        opevo_i_export_define(out, "WIDTH", op->width);
        opevo_i_export_define(out, "OUT_CHANNELS", op->out_channels);
        opevo_i_export_define(out, "OUT_HEIGHT", opevo_operator_out_height(op));
        opevo_i_export_define(out, "OUT_WIDTH", opevo_operator_out_width(op));
        opevo_i_export_define(out, "KERNEL_HEIGHT", op->kernel_height);
        opevo_i_export_define(out, "KERNEL_WIDTH", op->kernel_width);
        opevo_i_export_define(out, "STRIDE", op->stride);
        opevo_i_export_define(out, "PADDING", op->padding);
        return;
    }
    opevo_i_export_define(out, "N", op->n);
    opevo_i_export_define(out, "K", op->k);
    opevo_i_export_define(out, "M", op->m);
    opevo_i_export_define(out, "TRANSPOSE_X", op->transpose_x);
    opevo_i_export_define(out, "TRANSPOSE_Y", op->transpose_y);
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
        opevo_text_printf(out, "#include \"%s\"\n\n",
                          opevo_export_name(kernel->dialect, OPEVO_I_EXPORT_KERNEL));
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
