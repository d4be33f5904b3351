/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The program that checks and times the kernel of a computation: operands by their names, the
 * reference of export_graph.c, a check of all elements. */

#include <opevo/memory.h>

#include "export_internal.h"
#include "operands_internal.h"

typedef struct program {
    opevo_text *out;
    const opevo_kernel *kernel;
    const opevo_workload *work;
    bool *positive; /* by tensor number: which inputs are drawn positive */
} program;

/* ---- The operands --------------------------------------------------------------------------- */

static bool is_output(const program *self, int operand)
{
    return operand >= self->work->list.inputs;
}

static const char *name_of(const program *self, int operand)
{
    return self->work->list.item[operand].name;
}

static long long size_of(const program *self, int operand)
{
    return (long long)self->work->list.item[operand].elements;
}

static opevo_element element_of(const program *self, int operand)
{
    return self->work->list.item[operand].element;
}

static const char *type_of(const program *self, int operand)
{
    return opevo_kernel_type_text(element_of(self, operand));
}

/* "_int8" of the functions for an operand, nothing for float32. */
static void add_suffix(const program *self, int operand)
{
    if (element_of(self, operand) != OPEVO_FLOAT32)
        opevo_text_printf(self->out, "_%s", opevo_element_name(element_of(self, operand)));
}

/* Floats that take the place of so many elements of an operand. */
static long long floats_of(const program *self, int operand, long long elements)
{
    return (elements * opevo_element_bytes(element_of(self, operand)) + 3) / 4;
}

/* "(int *)" before what `allocate` returns. */
static void add_cast(const program *self, int operand)
{
    if (element_of(self, operand) != OPEVO_FLOAT32)
        opevo_text_printf(self->out, "(%s *)", type_of(self, operand));
}

static bool is_packed(const program *self, int operand)
{
    return !is_output(self, operand) && operand < OPEVO_OPERANDS && self->kernel->packed[operand];
}

/* `before`, the operand, and so on, with commas between. */
static void add_names(const program *self, const char *before)
{
    for (int i = 0; i < self->work->list.count; i++)
        opevo_text_printf(self->out, "%s%s%s", i ? ", " : "", before, name_of(self, i));
}

/* A pointer for each operand. */
static void add_variables(const program *self, const char *before)
{
    if (!opevo_i_export_is_typed(self->work->computation)) {
        opevo_text_printf(self->out, "static float *%s%s", before, name_of(self, 0));
        for (int i = 1; i < self->work->list.count; i++)
            opevo_text_printf(self->out, ", *%s%s", before, name_of(self, i));
        opevo_text_add(self->out, ";\n");
        return;
    }
    for (int i = 0; i < self->work->list.count; i++)
        opevo_text_printf(self->out, "static %s *%s%s;\n", type_of(self, i), before,
                          name_of(self, i));
}

static void add_data(const program *self)
{
    add_variables(self, "x_");
    opevo_text_add(self->out, "\n");
    opevo_text_add(self->out, opevo_i_export_head);
    for (int i = self->work->list.inputs; i < self->work->list.count; i++)
        opevo_text_printf(self->out, "    memset(x_%s, 0xff, %lldLL * sizeof(%s));\n",
                          name_of(self, i), size_of(self, i), type_of(self, i));
    opevo_text_add(self->out, "}\n\n");
    opevo_text_add(self->out, opevo_i_export_graph_fill_positive);
    opevo_text_add(self->out, opevo_i_export_values);
    opevo_i_export_types(self->out, self->work->computation);
    opevo_i_export_graph(self->out, self->work->computation);
}

/* ---- Executions ----------------------------------------------------------------------------- */

static void add_cpu(const program *self)
{
    opevo_text_add(self->out, "void ENTRY(");
    for (int i = 0; i < self->work->list.count; i++)
        opevo_text_printf(self->out, "%s%s *, ", is_output(self, i) ? "" : "const ",
                          type_of(self, i));
    opevo_text_add(self->out, "float *);\n");
    for (int i = 0; i < self->work->list.inputs; i++) {
        char name[OPEVO_KERNEL_NAME];

        if (!is_packed(self, i))
            continue;
        opevo_kernel_pack_name(self->kernel, i, name);
        opevo_text_printf(self->out,
                          "void %s(const %s *, %s *);\n"
                          "static %s *packed_%s; /* as the kernel reads %s */\n",
                          name, type_of(self, i), type_of(self, i), type_of(self, i),
                          name_of(self, i), name_of(self, i));
    }
    opevo_text_add(self->out, "\n");
    opevo_text_add(self->out, opevo_i_export_cpu);
    for (int i = 0; i < self->work->list.count; i++)
        opevo_text_printf(self->out, "%s%s_%s", i ? ", " : "", is_packed(self, i) ? "packed" : "x",
                          name_of(self, i));
    opevo_text_add(self->out, opevo_i_export_cpu_end);
}

static void add_gpu_call(const program *self)
{
    program arguments = *self;
    opevo_text names = {0};

    arguments.out = &names;
    add_names(&arguments, "device_");
    if (opevo_i_export_is_simple(self->kernel)) {
        opevo_text_add(self->out, opevo_i_export_gpu_execute);
        opevo_text_printf(self->out, "%s%s", opevo_i_export_gpu_call, opevo_text_string(&names));
    } else {
        opevo_i_export_call(self->out, self->kernel, &names);
        opevo_text_printf(self->out, "%s        call(", opevo_i_export_gpu_execute);
    }
    opevo_text_add(self->out, opevo_i_export_gpu_end);
    self->out->failed |= names.failed;
    opevo_text_free(&names);
}

static void add_gpu(const program *self)
{
    add_variables(self, "device_");
    if (self->kernel->scratch_bytes)
        opevo_text_add(self->out, "static float *scratch;\n");
    opevo_text_add(self->out, opevo_i_export_gpu);
    for (int i = 0; i < self->work->list.count; i++) {
        bool other = element_of(self, i) != OPEVO_FLOAT32;

        opevo_text_printf(self->out, "    copy(%s&device_%s, %sx_%s, %lldLL);\n",
                          other ? "(float **)" : "", name_of(self, i),
                          other ? "(const float *)" : "", name_of(self, i),
                          floats_of(self, i, size_of(self, i)));
    }
    opevo_i_export_reserve(self->out, self->kernel);
    opevo_text_add(self->out, opevo_i_export_gpu_sent);
    for (int i = self->work->list.inputs; i < self->work->list.count; i++)
        opevo_text_printf(self->out,
                          "    must(GPU(Memcpy)(x_%s, device_%s, %lldLL * sizeof(%s), "
                          "GPU(MemcpyDeviceToHost)), \"copying\");\n",
                          name_of(self, i), name_of(self, i), size_of(self, i), type_of(self, i));
    add_gpu_call(self);
}

/* ---- main ----------------------------------------------------------------------------------- */

static void add_checks(const program *self)
{
    for (int i = self->work->list.inputs; i < self->work->list.count; i++) {
        opevo_text_add(self->out, i > self->work->list.inputs ? " & check" : "check");
        add_suffix(self, i);
        opevo_text_printf(self->out, "(\"%s\", x_%s, v_%s, %lldLL)", name_of(self, i),
                          name_of(self, i), name_of(self, i), size_of(self, i));
    }
}

/* Constants in the layouts that the kernel reads them in. */
static void add_packing(const program *self)
{
    for (int i = 0; i < self->work->list.inputs; i++) {
        char name[OPEVO_KERNEL_NAME];
        const char *of = name_of(self, i);

        if (!is_packed(self, i))
            continue;
        opevo_kernel_pack_name(self->kernel, i, name);
        opevo_text_printf(self->out, "    packed_%s = ", of);
        add_cast(self, i);
        opevo_text_printf(self->out,
                          "allocate(%lldLL);\n"
                          "    spent = now(CLOCK_MONOTONIC);\n"
                          "    %s(x_%s, packed_%s);\n"
                          "    printf(\"packing %s, once: %%.6g ms\\n\", "
                          "1e3 * (now(CLOCK_MONOTONIC) - spent));\n",
                          floats_of(self, i, (long long)self->kernel->packed[i]), name, of, of, of);
    }
}

static void add_main(const program *self)
{
    const opevo_computation *computation = self->work->computation;

    opevo_text_add(self->out, opevo_i_export_main);
    if (self->kernel->parallel)
        opevo_text_add(self->out, "    omp_set_num_threads(THREADS);\n");
    for (int i = 0; i < self->work->list.count; i++) {
        const opevo_tensor *tensor = opevo_computation_find(computation, name_of(self, i));

        opevo_text_printf(self->out, "    x_%s = ", name_of(self, i));
        add_cast(self, i);
        opevo_text_printf(self->out, "allocate(%lldLL);\n", floats_of(self, i, size_of(self, i)));
        if (is_output(self, i))
            continue;
        opevo_text_add(self->out, "    fill");
        add_suffix(self, i);
        if (element_of(self, i) != OPEVO_FLOAT32)
            opevo_text_printf(self->out, "(x_%s, %lldLL, %d);\n", name_of(self, i),
                              size_of(self, i), self->positive[tensor->number]);
        else
            opevo_text_printf(self->out, "%s(x_%s, %lldLL);\n",
                              self->positive[tensor->number] ? "_positive" : "", name_of(self, i),
                              size_of(self, i));
    }
    add_packing(self);
    if (self->kernel->dialect == OPEVO_KERNEL_C)
        opevo_text_add(self->out, "    scratch = allocate(SCRATCH_BYTES / 4 + 1);\n");
    opevo_text_add(self->out,
                   "    reference();\n    poison();\n    send();\n    execute(1, &spent);\n"
                   "    fetch();\n    right = ");
    add_checks(self);
    opevo_text_add(self->out, ";\n    if (right) {\n        measure();\n        fetch();\n"
                              "        right = ");
    add_checks(self);
    opevo_text_add(self->out, "; /* also after the last execution */\n    }\n");
    opevo_text_add(self->out, opevo_i_export_main_end);
}

opevo_status opevo_i_export_graph_program(opevo_text *out, const opevo_kernel *kernel,
                                          const opevo_workload *work, opevo_error *err)
{
    program self = {.out = out, .kernel = kernel, .work = work};
    bool cpu = kernel->dialect == OPEVO_KERNEL_C;
    opevo_status status =
        opevo_i_reference_positive_tensors(work->computation, &self.positive, err);

    if (status != OPEVO_OK)
        return status;
    opevo_i_export_start(out, kernel);
    opevo_text_add(out, "#include <float.h>\n\n");
    opevo_i_export_launch(out, kernel, work->flop);
    opevo_text_add(out, "\n");
    add_data(&self);
    if (cpu)
        add_cpu(&self);
    else
        add_gpu(&self);
    opevo_i_export_typed_operands(out, work);
    opevo_text_add(out, opevo_i_export_graph_check);
    add_main(&self);
    opevo_free(self.positive);
    return opevo_text_check(out, err);
}
