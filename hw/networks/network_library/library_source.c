/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The sources net.c and net.h: a function for each step, with the places of the memory plan. */

#include "library_internal.h"

#include <math.h>
#include <string.h>

/* ---- Steps ---- */

static const opevo_i_library_packed *find_packed(const opevo_network_library *self, int task,
                                                 int operand, int value)
{
    for (int i = 0; i < self->packed_count; i++) {
        const opevo_i_library_packed *one = &self->packed[i];

        if (one->task == task && one->operand == operand && one->value == value)
            return one;
    }
    return NULL;
}

static void add_call(const opevo_network_library *self, int n, opevo_text *out)
{
    const opevo_network_step *step = &self->inference->step[n];
    int number = self->task_of[n];
    const opevo_i_library_task *task = &self->task[number];

    opevo_text_printf(out, "    %s(", task->kernel.entry);
    for (int i = 0; i < task->work->list.count; i++) {
        int value = opevo_i_library_operand(task, step, i);
        const opevo_i_library_packed *packed =
            find_packed(self, number, i, self->plan->place[value].value);

        if (packed)
            opevo_text_printf(out, "self->packed + %lld",
                              (long long)packed->offset / (long long)sizeof(float));
        else
            opevo_i_library_address(self, value, out);
        opevo_text_add(out, ",\n        ");
    }
    opevo_text_add(out, "self->scratch");
    opevo_i_library_add_arguments(self, n, out);
    opevo_text_add(out, ");\n");
}

static bool moves_float(const opevo_network_library *self, const opevo_network_step *step)
{
    return self->inference->value[step->output[0]].array.type == OPEVO_NETWORK_FLOAT32;
}

/* Behind the box: what is moved of a type that is not float32; filled with 0. */
static void add_moved_bytes(const opevo_network_library *self, const opevo_network_step *step,
                            const opevo_network_copy *copy, opevo_text *out)
{
    int64_t bytes =
        (int64_t)opevo_network_type_bytes(self->inference->value[step->output[0]].array.type);

    opevo_text_printf(out, "%lld, ", (long long)bytes);
    if (copy->input < 0) {
        opevo_text_add(out, "NULL");
    } else {
        opevo_text_add(out, "(const char *)(");
        opevo_i_library_address(self, step->input[copy->input], out);
        opevo_text_printf(out, ") + %lld", (long long)copy->from * bytes);
    }
    opevo_text_add(out, ", (char *)(");
    opevo_i_library_address(self, step->output[0], out);
    opevo_text_printf(out, ") + %lld);\n", (long long)copy->to * bytes);
}

static void add_copy(const opevo_network_library *self, const opevo_network_step *step,
                     const opevo_network_copy *given, opevo_text *out)
{
    opevo_network_copy copy = *given;
    bool is_float = moves_float(self, step);

    if (opevo_memory_plan_is_there(self->plan, step, given))
        return;
    opevo_i_library_simplify(&copy);
    opevo_text_printf(out, "    move%s(&(const %s_box){.dims = %d", is_float ? "" : "_bytes",
                      self->name, copy.dims);
    opevo_i_library_numbers("extent", copy.extent, copy.dims, out);
    opevo_i_library_numbers("from", copy.from_stride, copy.input < 0 ? 0 : copy.dims, out);
    opevo_i_library_numbers("to", copy.to_stride, copy.dims, out);
    opevo_text_add(out, "},\n        ");
    if (!is_float) {
        add_moved_bytes(self, step, &copy, out);
        return;
    }
    if (copy.input < 0) {
        opevo_i_library_number(copy.value, out);
        opevo_text_add(out, ", NULL");
    } else {
        opevo_text_add(out, "0, ");
        /* Pointers to inputs are to void where not all are of float. */
        if (self->plan->place[step->input[copy.input]].kind == OPEVO_MEMORY_INPUT &&
            !opevo_i_library_is_float(self->inference))
            opevo_text_add(out, "(const float *)");
        opevo_i_library_address(self, step->input[copy.input], out);
        opevo_text_printf(out, " + %lld", (long long)copy.from);
    }
    opevo_text_add(out, ", ");
    opevo_i_library_address(self, step->output[0], out);
    opevo_text_printf(out, " + %lld);\n", (long long)copy.to);
}

static void add_step(const opevo_network_library *self, int n, opevo_text *out)
{
    const opevo_network_step *step = &self->inference->step[n];

    opevo_text_printf(out, "/* ");
    opevo_i_library_plain(step->operation, out);
    opevo_text_add(out, " ");
    opevo_i_library_plain(step->name, out);
    opevo_text_printf(out, " */\nstatic void step_%d(%s *self)\n{\n", n, self->name);
    if (step->kind == OPEVO_NETWORK_STEP_COMPUTE)
        add_call(self, n, out);
    if (step->kind == OPEVO_NETWORK_STEP_NODE)
        out->failed |= opevo_i_library_node(self, n, out, NULL) != OPEVO_OK;
    for (int i = 0; i < step->copies && step->kind == OPEVO_NETWORK_STEP_COPY; i++) {
        if (self->inference->dynamic)
            opevo_i_library_dynamic_copy(self, n, i, out);
        else
            add_copy(self, step, &step->copy[i], out);
    }
    opevo_text_add(out, "}\n\n");
}

void opevo_i_library_step_rows(const opevo_network_library *self, opevo_text *out)
{
    const opevo_network_inference *inference = self->inference;

    for (int n = 0; n < inference->steps; n++) {
        const opevo_network_step *step = &inference->step[n];
        double time_s = self->task_of[n] < 0 ? NAN : self->task[self->task_of[n]].super.time_s;

        if (opevo_i_library_is_empty(self, step))
            continue;
        opevo_text_add(out, "    {\"");
        opevo_i_library_plain(step->name, out);
        opevo_text_add(out, "\", \"");
        opevo_i_library_plain(step->operation, out);
        opevo_text_printf(out, "\", %.6g},\n", isnan(time_s) ? 0 : time_s);
    }
}

static void add_steps(const opevo_network_library *self, opevo_text *out)
{
    for (int n = 0; n < self->inference->steps; n++) {
        if (!opevo_i_library_is_empty(self, &self->inference->step[n]))
            add_step(self, n, out);
    }
}

/* Their functions in order. */
static void add_code(const opevo_network_library *self, opevo_text *out)
{
    for (int n = 0; n < self->inference->steps; n++) {
        if (!opevo_i_library_is_empty(self, &self->inference->step[n]))
            opevo_text_printf(out, "    step_%d,\n", n);
    }
}

/* The functions that move elements, if a step needs them. */
static void add_movers(const opevo_network_library *self, opevo_text *out)
{
    bool floats = false, others = false;

    for (int n = 0; n < self->inference->steps; n++) {
        const opevo_network_step *step = &self->inference->step[n];
        bool moves = step->kind == OPEVO_NETWORK_STEP_COPY && !opevo_i_library_is_empty(self, step);

        floats |= moves && moves_float(self, step);
        others |= moves && !moves_float(self, step);
    }
    opevo_i_library_add(self, floats || others ? opevo_i_library_box : "", out);
    opevo_i_library_add(self, floats ? opevo_i_library_copies : "", out);
    opevo_i_library_add(self, others ? opevo_i_library_copies_bytes : "", out);
}

/* ---- Kernels ---- */

static void add_prototypes(const opevo_network_library *self, opevo_text *out)
{
    for (int t = 0; t < self->tasks; t++) {
        const opevo_i_library_task *task = &self->task[t];

        opevo_text_printf(out, "void %s(", task->kernel.entry);
        for (int i = 0; i < task->work->list.count; i++)
            opevo_text_printf(out, "%sfloat *, ", i < task->work->list.inputs ? "const " : "");
        opevo_text_add(out, "float *");
        for (int i = 0; i < task->kernel.arguments; i++)
            opevo_text_add(out, ", int");
        opevo_text_add(out, ");\n");
        for (int i = 0; i < task->work->list.inputs && i < OPEVO_OPERANDS; i++) {
            char name[OPEVO_KERNEL_NAME];

            if (!task->kernel.packed[i])
                continue;
            opevo_kernel_pack_name(&task->kernel, i, name);
            opevo_text_printf(out, "void %s(const float *, float *);\n", name);
        }
    }
}

static void add_packing(const opevo_network_library *self, opevo_text *out)
{
    for (int i = 0; i < self->packed_count; i++) {
        const opevo_i_library_packed *one = &self->packed[i];
        char name[OPEVO_KERNEL_NAME];

        opevo_kernel_pack_name(&self->task[one->task].kernel, one->operand, name);
        opevo_text_printf(out, "    %s(%s_weights + %lld, self->packed + %lld);\n", name,
                          self->owner,
                          (long long)self->weight[one->value] / (long long)sizeof(float),
                          (long long)one->offset / (long long)sizeof(float));
    }
    if (self->packed_count == 0)
        opevo_text_add(out, "    (void)self;\n");
}

/* Bytes of scratch memory that kernels need: shared, and of each thread. */
static void add_scratch(const opevo_network_library *self, opevo_text *out)
{
    for (int t = 0; t < self->tasks; t++) {
        const opevo_kernel *kernel = &self->task[t].kernel;

        if (kernel->scratch_bytes == 0 && kernel->thread_scratch_bytes == 0)
            continue;
        opevo_text_printf(
            out, "        {%llu, %llu},\n",
            (unsigned long long)kernel->scratch_bytes +
                (kernel->parallel ? 0 : kernel->thread_scratch_bytes),
            (unsigned long long)(kernel->parallel ? kernel->thread_scratch_bytes : 0));
    }
    if (self->routine_bytes)
        opevo_text_printf(out, "        {%lld, 0},\n", (long long)self->routine_bytes);
}

/* ---- Inputs and outputs ---- */

static void add_tensors(const opevo_network_library *self, const int *numbers, int count,
                        opevo_text *out)
{
    for (int i = 0; i < count; i++) {
        const opevo_network_tensor *value = &self->inference->value[numbers[i]];

        opevo_text_add(out, "    {\"");
        opevo_i_library_plain(value->name, out);
        opevo_text_printf(out, "\", %lld, %d, {", (long long)opevo_array_elements(&value->array),
                          value->array.dims);
        for (int d = 0; d < value->array.dims; d++)
            opevo_text_printf(out, "%s%lld", d ? ", " : "", (long long)value->array.extent[d]);
        opevo_text_printf(out, "%s}, \"%s\", %zu},\n", value->array.dims ? "" : "0",
                          opevo_network_type_name(value->array.type),
                          opevo_network_type_bytes(value->array.type));
    }
}

void opevo_i_library_inputs(const opevo_network_library *self, opevo_text *out)
{
    add_tensors(self, self->inference->input, self->inference->inputs, out);
}

void opevo_i_library_outputs(const opevo_network_library *self, opevo_text *out)
{
    add_tensors(self, self->inference->output, self->inference->outputs, out);
}

static void add_results(const opevo_network_library *self, opevo_text *out)
{
    const opevo_network_inference *inference = self->inference;

    for (int i = 0; i < inference->outputs; i++) {
        opevo_text_printf(out, "    memcpy(outputs[%d], ", i);
        opevo_i_library_address(self, inference->output[i], out);
        if (inference->dynamic) {
            const opevo_array *array = &inference->value[inference->output[i]].array;

            opevo_text_printf(out, ", (size_t)%zu", opevo_network_type_bytes(array->type));
            for (int d = 0; d < array->dims; d++) {
                opevo_text_add(out, " * (size_t)(");
                opevo_i_library_extent(self, inference->output[i], d, out);
                opevo_text_add(out, ")");
            }
            opevo_text_add(out, ");\n");
            continue;
        }
        opevo_text_printf(out, ", %s_outputs[%d].elements * %s_outputs[%d].bytes);\n", self->name,
                          i, self->name, i);
    }
}

/* ---- The files ---- */

static void add_arena_bytes(const opevo_network_library *self, opevo_text *out)
{
    opevo_text_printf(out, "%lld", (long long)self->plan->bytes);
}

/* Where the scratch memory of a freestanding library begins, in floats, and what both need. */
static void add_scratch_at(const opevo_network_library *self, opevo_text *out)
{
    opevo_text_printf(out, "%lld", (long long)(opevo_i_library_aligned(self->plan->bytes) / 4));
}

static void add_all_bytes(const opevo_network_library *self, opevo_text *out)
{
    int64_t most = self->routine_bytes > 8 ? self->routine_bytes : 8;

    for (int t = 0; t < self->tasks; t++) {
        int64_t bytes = (int64_t)opevo_kernel_scratch_bytes(&self->task[t].kernel, 1);

        most = bytes > most ? bytes : most;
    }
    opevo_text_printf(out, "%lld", (long long)(opevo_i_library_aligned(self->plan->bytes) + most));
}

static void add_weight_bytes(const opevo_network_library *self, opevo_text *out)
{
    opevo_text_printf(out, "%lld", (long long)self->weight_bytes);
}

static void add_packed_bytes(const opevo_network_library *self, opevo_text *out)
{
    opevo_text_printf(out, "%lld", (long long)self->packed_bytes);
}

static void add_size_member(const opevo_network_library *self, opevo_text *out)
{
    if (self->inference->dynamic)
        opevo_i_library_add(self, "    long long size[@NET@_SIZES]; /* of the run */\n", out);
}

static void add_set_largest(const opevo_network_library *self, opevo_text *out)
{
    opevo_text_add(out, self->inference->dynamic ? "    set_largest(self);\n" : "");
}

void opevo_i_library_source(const opevo_network_library *self, opevo_text *out)
{
    static const opevo_i_library_place places[] = {{"arena_bytes", add_arena_bytes},
                                                   {"packed_bytes", add_packed_bytes},
                                                   {"scratch_at", add_scratch_at},
                                                   {"prototypes", add_prototypes},
                                                   {"copies", add_movers},
                                                   {"routines", opevo_i_library_node_texts},
                                                   {"steps", add_steps},
                                                   {"code", add_code},
                                                   {"step_rows", opevo_i_library_step_rows},
                                                   {"packing", add_packing},
                                                   {"scratch", add_scratch},
                                                   {"inputs", opevo_i_library_inputs},
                                                   {"outputs", opevo_i_library_outputs},
                                                   {"results", add_results},
                                                   {"size", add_size_member},
                                                   {"largest", add_set_largest},
                                                   {"sizes", opevo_i_library_sizes_code}};

    opevo_i_library_print(
        self, self->options.freestanding ? opevo_i_library_free_net_c : opevo_i_library_net_c,
        places, sizeof places / sizeof *places, out);
}

static void add_input_count(const opevo_network_library *self, opevo_text *out)
{
    opevo_text_printf(out, "%d", self->inference->inputs);
}

static void add_output_count(const opevo_network_library *self, opevo_text *out)
{
    opevo_text_printf(out, "%d", self->inference->outputs);
}

static void add_step_count(const opevo_network_library *self, opevo_text *out)
{
    int steps = 0;

    for (int n = 0; n < self->inference->steps; n++)
        steps += !opevo_i_library_is_empty(self, &self->inference->step[n]);
    opevo_text_printf(out, "%d", steps);
}

static void add_calls(const opevo_network_library *self, opevo_text *out)
{
    opevo_i_library_add(self,
                        opevo_i_library_is_for_opencl(self) ? opevo_i_library_opencl_calls
                        : opevo_i_library_is_for_gpu(self)  ? opevo_i_library_gpu_calls
                                                            : opevo_i_library_calls,
                        out);
}

static void add_real(const opevo_network_library *self, opevo_text *out)
{
    opevo_text_add(out, opevo_i_library_is_float(self->inference) ? "float" : "void");
}

void opevo_i_library_header(const opevo_network_library *self, opevo_text *out)
{
    static const opevo_i_library_place places[] = {{"inputs", add_input_count},
                                                   {"outputs", add_output_count},
                                                   {"steps", add_step_count},
                                                   {"calls", add_calls},
                                                   {"arena_bytes", add_all_bytes},
                                                   {"weight_bytes", add_weight_bytes},
                                                   {"sizes", opevo_i_library_sizes_header},
                                                   {"targets", opevo_i_library_targets_header},
                                                   {"real", add_real}};

    opevo_i_library_print(
        self, self->options.freestanding ? opevo_i_library_free_net_h : opevo_i_library_net_h,
        places, sizeof places / sizeof *places, out);
}
