/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The plan of a library for a GPU, net.c: which kernels a run launches, on what, and where its
 * arguments are. */

#include "library_internal.h"

enum { FLOAT = sizeof(float), MOVED = 256 /* elements of a block */ };

static int64_t aligned_floats(int64_t floats)
{
    return opevo_i_library_aligned(floats * FLOAT) / FLOAT;
}

/* Where things are in the memory of the device, in floats: behind the values of the plan scratch
 * memory of kernels, then the inputs of a run on memory of the host. */
static int64_t scratch_at(const opevo_network_library *self)
{
    return aligned_floats(self->plan->bytes / FLOAT);
}

static int64_t scratch_floats(const opevo_network_library *self)
{
    int64_t most = 0;

    for (int t = 0; t < self->tasks; t++) {
        int64_t floats = (int64_t)self->task[t].kernel.scratch_bytes / FLOAT;

        most = floats > most ? floats : most;
    }
    return aligned_floats(most);
}

/* ---- Places ---- */

/* Of a value, or of what lies so many floats behind its first. */
static void add_place(const opevo_network_library *self, int number, int64_t behind,
                      opevo_text *out)
{
    const opevo_memory_place *place = &self->plan->place[number];
    int input = 0;

    if (place->kind == OPEVO_MEMORY_CONSTANT) {
        opevo_text_printf(out, "{%s_WEIGHTS, %lld, 0}", self->upper,
                          (long long)self->weight[place->value] / FLOAT + behind);
    } else if (place->kind == OPEVO_MEMORY_ARENA) {
        opevo_text_printf(out, "{%s_ARENA, %lld, 0}", self->upper,
                          (long long)place->offset / FLOAT + behind);
    } else {
        while (self->inference->input[input] != place->value)
            input++;
        opevo_text_printf(out, "{%s_INPUT, %lld, %d}", self->upper, (long long)behind, input);
    }
}

/* ---- Launches ---- */

static void add_computation(const opevo_network_library *self, int n, int row, opevo_text *out)
{
    const opevo_network_step *step = &self->inference->step[n];
    const opevo_i_library_task *task = &self->task[self->task_of[n]];
    int arguments = task->work->list.count + (task->kernel.scratch_bytes > 0);

    for (int i = 0; i <= task->kernel.more; i++) {
        const opevo_launch launch = opevo_kernel_launch(&task->kernel, i);

        opevo_text_printf(out,
                          "    {%d, &%s_kernel_%03d[%d], {%u, %u, %u}, {%u, %u, %u}, %u, NULL, "
                          "%d,\n     {",
                          row, self->name, self->task_of[n], i, launch.grid[0], launch.grid[1],
                          launch.grid[2], launch.block[0], launch.block[1], launch.block[2],
                          launch.dynamic_shared_bytes, arguments);
        for (int k = 0; k < task->work->list.count; k++) {
            opevo_text_add(out, k ? ", " : "");
            add_place(self, opevo_i_library_operand(task, step, k), 0, out);
        }
        if (task->kernel.scratch_bytes)
            opevo_text_printf(out, ", {%s_ARENA, %lld, 0}", self->upper,
                              (long long)scratch_at(self));
        opevo_text_add(out, "}},\n");
    }
}

static void add_copy(const opevo_network_library *self, const opevo_network_step *step, int row,
                     const opevo_network_copy *given, opevo_text *out)
{
    opevo_network_copy copy = *given;
    int source = copy.input < 0 ? step->output[0] : step->input[copy.input];
    int64_t elements = 1;

    if (opevo_memory_plan_is_there(self->plan, step, given))
        return;
    opevo_i_library_simplify(&copy);
    for (int d = 0; d < copy.dims; d++)
        elements *= copy.extent[d];
    if (elements == 0)
        return;
    opevo_text_printf(
        out, "    {%d, %s_kernel_move, {%lld, 1, 1}, {%d, 1, 1}, 0,\n     &(const %s_box){%lld, ",
        row, self->name, (long long)(elements + MOVED - 1) / MOVED, MOVED, self->name,
        (long long)elements);
    opevo_text_printf(out, "%d, %d, ", copy.dims, copy.input < 0);
    opevo_i_library_number(copy.input < 0 ? copy.value : 0, out);
    opevo_i_library_numbers("extent", copy.extent, copy.dims, out);
    opevo_i_library_numbers("from", copy.from_stride, copy.input < 0 ? 0 : copy.dims, out);
    opevo_i_library_numbers("to", copy.to_stride, copy.dims, out);
    opevo_text_add(out, "},\n     2, {");
    add_place(self, source, copy.input < 0 ? 0 : copy.from, out);
    opevo_text_add(out, ", ");
    add_place(self, step->output[0], copy.to, out);
    opevo_text_add(out, "}},\n");
}

static void add_launches(const opevo_network_library *self, opevo_text *out)
{
    for (int n = 0, row = 0; n < self->inference->steps; n++) {
        const opevo_network_step *step = &self->inference->step[n];

        if (opevo_i_library_is_empty(self, step))
            continue;
        opevo_text_add(out, "    /* ");
        opevo_i_library_plain(step->operation, out);
        opevo_text_add(out, " ");
        opevo_i_library_plain(step->name, out);
        opevo_text_add(out, " */\n");
        if (step->kind == OPEVO_NETWORK_STEP_COMPUTE)
            add_computation(self, n, row, out);
        for (int i = 0; i < step->copies && step->kind == OPEVO_NETWORK_STEP_COPY; i++)
            add_copy(self, step, row, &step->copy[i], out);
        row++;
    }
}

/* ---- The file ---- */

static void add_kernels(const opevo_network_library *self, opevo_text *out)
{
    for (int t = 0; t < self->tasks; t++)
        opevo_text_printf(out, "extern const %s_kernel %s_kernel_%03d[];\n", self->name, self->name,
                          t);
}

static void add_outputs(const opevo_network_library *self, opevo_text *out)
{
    for (int i = 0; i < self->inference->outputs; i++) {
        opevo_text_add(out, "    ");
        add_place(self, self->inference->output[i], 0, out);
        opevo_text_add(out, ",\n");
    }
}

/* Where each input is staged; nothing is printed to NULL. Returns how many floats the device has in
 * all. */
static int64_t stage(const opevo_network_library *self, opevo_text *out)
{
    const opevo_network_inference *inference = self->inference;
    int64_t at = scratch_at(self) + scratch_floats(self);

    for (int i = 0; i < inference->inputs; i++) {
        if (out)
            opevo_text_printf(out, "%s%lld", i ? ", " : "", (long long)at);
        at += aligned_floats(opevo_array_elements(&inference->value[inference->input[i]].array));
    }
    return at;
}

static void add_staging(const opevo_network_library *self, opevo_text *out)
{
    stage(self, out);
    if (self->inference->inputs == 0)
        opevo_text_add(out, "0");
}

static void add_floats(const opevo_network_library *self, opevo_text *out)
{
    opevo_text_printf(out, "%lld", (long long)stage(self, NULL));
}

static void add_weights(const opevo_network_library *self, opevo_text *out)
{
    opevo_text_printf(out, "%lld", (long long)self->weight_bytes / FLOAT);
}

void opevo_i_library_gpu_source(const opevo_network_library *self, opevo_text *out)
{
    static const opevo_i_library_place places[] = {
        {"kernels", add_kernels},       {"step_rows", opevo_i_library_step_rows},
        {"launches", add_launches},     {"inputs", opevo_i_library_inputs},
        {"output_places", add_outputs}, {"outputs", opevo_i_library_outputs},
        {"staging", add_staging},       {"floats", add_floats},
        {"weights", add_weights}};

    opevo_i_library_print(self, opevo_i_library_gpu_net_c, places, sizeof places / sizeof *places,
                          out);
}
