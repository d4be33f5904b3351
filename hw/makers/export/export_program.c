/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The program that checks and times a kernel: operands by their names, the reference of
 * export_graph.c, a check of all elements or of a sample. */

#include <opevo/memory.h>
#include <opevo/text_fill.h>

#include <stdio.h>

#include "export_internal.h"
#include "operands_internal.h"

/* Operations that plain loops do in well below a second; beyond them a sample is checked. */
#define ALL_FLOP 0x1p28
enum { SAMPLES = 10000, NUMBER = 24 };

typedef struct program {
    opevo_text *out;
    const opevo_kernel *kernel;
    const opevo_workload *work;
    bool *positive; /* by tensor number: which inputs are drawn positive */
} program;

/* ---- Texts for operands --------------------------------------------------------------------- */

static long long checked_elements(const program *self, long long elements)
{
    return elements > SAMPLES && self->work->flop > ALL_FLOP ? SAMPLES : elements;
}

static const char *draw_sign(const program *self, const char *name)
{
    const opevo_tensor *tensor = opevo_computation_find(self->work->computation, name);

    return self->positive[tensor->number] ? "1" : "0";
}

/* A text for one operand: @element@ is its type, @type@ what C calls it, @pack@ the function that
 * brings it into its layout. */
static void add_for(const program *self, int operand, const char *text)
{
    const opevo_workload_operand *item = &self->work->list.item[operand];
    const bool packed = opevo_i_export_is_packed(self->kernel, operand);
    char size[NUMBER], checked[NUMBER], packed_size[NUMBER], pack[OPEVO_KERNEL_NAME];

    snprintf(size, sizeof size, "%lld", (long long)item->elements);
    snprintf(checked, sizeof checked, "%lld", checked_elements(self, (long long)item->elements));
    snprintf(packed_size, sizeof packed_size, "%llu",
             packed ? (unsigned long long)self->kernel->packed[operand] : 0);
    opevo_kernel_pack_name(self->kernel, operand, pack);
    opevo_text_fill(self->out, text,
                    (opevo_text_slot[]){{"name", item->name},
                                        {"element", opevo_element_name(item->element)},
                                        {"type", opevo_kernel_type_text(item->element)},
                                        {"size", size},
                                        {"checked", checked},
                                        {"positive", draw_sign(self, item->name)},
                                        {"packed", packed_size},
                                        {"pack", pack}},
                    8);
}

/* The same for operands from `first` to before `end`, with `between` between them. */
static void add_each(const program *self, int first, int end, const char *between, const char *text)
{
    for (int i = first; i < end; i++) {
        opevo_text_add(self->out, i > first ? between : "");
        add_for(self, i, text);
    }
}

static void add_inputs(const program *self, const char *text)
{
    add_each(self, 0, self->work->list.inputs, "", text);
}

static void add_outputs(const program *self, const char *text)
{
    add_each(self, self->work->list.inputs, self->work->list.count, "", text);
}

static void add_all(const program *self, const char *text)
{
    add_each(self, 0, self->work->list.count, "", text);
}

static void add_packed(const program *self, const char *text)
{
    for (int i = 0; i < self->work->list.inputs; i++) {
        if (opevo_i_export_is_packed(self->kernel, i))
            add_for(self, i, text);
    }
}

/* ---- Executions ----------------------------------------------------------------------------- */

static void add_cpu(const program *self)
{
    opevo_text_add(self->out, "void ENTRY(");
    add_inputs(self, "const @type@ *, ");
    add_outputs(self, "@type@ *, ");
    opevo_text_add(self->out, "float *);\n");
    add_packed(self, opevo_i_export_pack_declare);
    opevo_text_add(self->out, opevo_i_export_cpu);
    add_packed(self, opevo_i_export_pack);
    opevo_text_add(self->out, opevo_i_export_cpu_execute);
    for (int i = 0; i < self->work->list.count; i++)
        add_for(self, i,
                opevo_i_export_is_packed(self->kernel, i) ? "packed_@name@, " : "x_@name@, ");
    opevo_text_add(self->out, opevo_i_export_cpu_end);
}

static void add_gpu(const program *self)
{
    opevo_text names = {0};
    program arguments = *self;

    arguments.out = &names;
    add_each(&arguments, 0, self->work->list.count, ", ", "device_@name@");
    opevo_text_add(&names, self->kernel->scratch_bytes ? ", scratch" : "");
    add_all(self, "static @type@ *device_@name@;\n");
    if (self->kernel->scratch_bytes)
        opevo_text_add(self->out, "static float *scratch;\n");
    opevo_text_add(self->out, opevo_i_export_gpu);
    add_all(self, "    copy((void **)&device_@name@, x_@name@, @size@LL * (long long)sizeof "
                  "*x_@name@);\n");
    opevo_i_export_reserve(self->out, self->kernel);
    opevo_text_add(self->out, opevo_i_export_gpu_sent);
    add_outputs(self, "    must(GPU(Memcpy)(x_@name@, device_@name@, @size@LL * sizeof *x_@name@, "
                      "GPU(MemcpyDeviceToHost)), \"copying\");\n");
    opevo_i_export_call(self->out, self->kernel, opevo_text_string(&names));
    opevo_text_add(self->out, opevo_i_export_gpu_execute);
    self->out->failed |= names.failed;
    opevo_text_free(&names);
}

/* Buffers of the device, and the arguments of launches in OpenCL's form. */
static void add_opencl(const program *self)
{
    opevo_text arguments = {0};
    program listed = *self;

    listed.out = &arguments;
    add_each(&listed, 0, self->work->list.count, ", ", "{&device_@name@, sizeof device_@name@}");
    opevo_text_add(&arguments, self->kernel->scratch_bytes ? ", {&scratch, sizeof scratch}" : "");
    opevo_text_add(self->out, opevo_i_export_opencl);
    opevo_text_add(self->out, "\n");
    add_all(self, "static device_memory device_@name@;\n");
    if (self->kernel->scratch_bytes)
        opevo_text_add(self->out, "static device_memory scratch;\n");
    opevo_text_add(self->out, "\nstatic void send(void)\n{\n    open_device();\n"
                              "    use_program(\"kernel.cl\", \"-cl-std=CL1.2\");\n");
    add_all(self, "    device_@name@ = allocate_on_device(@size@LL * sizeof *x_@name@);\n"
                  "    copy_in(device_@name@, x_@name@, @size@LL * sizeof *x_@name@);\n");
    if (self->kernel->scratch_bytes)
        opevo_text_printf(self->out, "    scratch = allocate_on_device(%lluLL);\n",
                          (unsigned long long)self->kernel->scratch_bytes);
    opevo_text_add(self->out, "}\n\nstatic void fetch(void)\n{\n");
    add_outputs(self, "    copy_out(x_@name@, device_@name@, @size@LL * sizeof *x_@name@);\n");
    opevo_i_export_call(self->out, self->kernel, opevo_text_string(&arguments));
    opevo_text_add(self->out, opevo_i_export_opencl_execute);
    self->out->failed |= arguments.failed;
    opevo_text_free(&arguments);
}

/* ---- The program ---------------------------------------------------------------------------- */

/* A GPU kernel is compiled with the program, whose launch must know it. */
static void add_start(const program *self)
{
    const char *runtime =
        self->kernel->dialect == OPEVO_KERNEL_HIP ? "#include <hip/hip_runtime.h>\n" : "";
    char kernel[NUMBER + 16] = "";

    if (self->kernel->dialect != OPEVO_KERNEL_C && !opevo_i_export_is_opencl(self->kernel))
        snprintf(kernel, sizeof kernel, "#include \"%s\"\n\n",
                 opevo_export_name(self->kernel->dialect, 0));
    opevo_text_fill(
        self->out, opevo_i_export_start,
        (opevo_text_slot[]){{"runtime", runtime},
                            {"threads", self->kernel->parallel ? "#include <omp.h>\n" : ""},
                            {"kernel", kernel}},
        3);
}

static void add_data(const program *self)
{
    opevo_text_add(self->out, "\n");
    add_all(self, "static @type@ *x_@name@;\n");
    opevo_text_add(self->out, opevo_i_export_head);
    add_outputs(self, "    memset(x_@name@, 0xff, @size@LL * sizeof *x_@name@);\n");
    opevo_text_add(self->out, "}\n\n");
    opevo_text_add(self->out, opevo_i_export_values);
    opevo_i_export_types(self->out, self->work->computation);
    opevo_i_export_graph(self->out, self->work->computation);
}

static void add_check(const program *self)
{
    opevo_i_export_operands(self->out, self->work);
    opevo_text_add(self->out, "static int check(void)\n{\n    int right = 1;\n\n    fetch();\n");
    add_outputs(self, "    right &= check_@element@(\"@name@\", x_@name@, right_@name@, @size@LL, "
                      "@checked@LL);\n");
    opevo_text_add(self->out, "    return right;\n}\n\n");
}

static void add_main(const program *self)
{
    opevo_text_add(self->out, opevo_i_export_main);
    if (self->kernel->parallel)
        opevo_text_add(self->out, "    omp_set_num_threads(THREADS);\n");
    add_all(self, "    x_@name@ = (@type@ *)allocate(@size@LL * (long long)sizeof *x_@name@);\n");
    add_inputs(self, "    fill_@element@(x_@name@, @size@LL, @positive@);\n");
    opevo_text_add(self->out, opevo_i_export_main_end);
}

opevo_status opevo_i_export_program(opevo_text *out, const opevo_kernel *kernel,
                                    const opevo_workload *work, opevo_error *err)
{
    program self = {.out = out, .kernel = kernel, .work = work};
    opevo_status status =
        opevo_i_reference_positive_tensors(work->computation, &self.positive, err);

    if (status != OPEVO_OK)
        return status;
    add_start(&self);
    opevo_i_export_launch(out, kernel, work->flop);
    add_data(&self);
    if (kernel->dialect == OPEVO_KERNEL_C)
        add_cpu(&self);
    else if (opevo_i_export_is_opencl(kernel))
        add_opencl(&self);
    else
        add_gpu(&self);
    add_check(&self);
    add_main(&self);
    opevo_free(self.positive);
    return opevo_text_check(out, err);
}
