/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A loop nest as a whole translation unit: what the dialects spell differently, the launch, and
 * which kernel is printed. */

#include <opevo/emit.h>

#include "print_internal.h"
#include "print_texts_internal.h"

#include <opevo/memory.h>

#include <stdio.h>
#include <string.h>

#define CUDA_AND_HIP                                                                               \
    {                                                                                              \
        .index = "int", .unsigned_index = "unsigned", .gpu = true, .head = "",                     \
        .wide = "long long", .unsigned_wide = "unsigned long long", .function = "__device__ ",     \
        .place = {"blockIdx.x",  "blockIdx.y",  "blockIdx.z",                                      \
                  "threadIdx.x", "threadIdx.y", "threadIdx.z"},                                    \
        .sync = "__syncthreads();", .shared = "__shared__ __align__(16)", .global_pointer = "",    \
        .shared_pointer = "", .infinity = "__int_as_float(0x7f800000)"                             \
    }

static const opevo_i_print_dialect dialects[OPEVO_KERNEL_COUNT] = {
    [OPEVO_KERNEL_C] = {.index = "long",
                        .unsigned_index = "unsigned long",
                        .cpu = true,
                        .head = "",
                        .infinity = "__builtin_inff()"},
    [OPEVO_KERNEL_CUDA] = CUDA_AND_HIP,
    [OPEVO_KERNEL_HIP] = CUDA_AND_HIP,
    [OPEVO_KERNEL_OPENCL] = {.index = "int",
                             .unsigned_index = "unsigned",
                             .gpu = true,
                             .opencl = true,
                             .head = "",
                             .wide = "long",
                             .unsigned_wide = "unsigned long",
                             .function = "",
                             .place = {"get_group_id(0)", "get_group_id(1)", "get_group_id(2)",
                                       "get_local_id(0)", "get_local_id(1)", "get_local_id(2)"},
                             .sync = "barrier(CLK_LOCAL_MEM_FENCE);",
                             .shared = "__local __attribute__((aligned(16)))",
                             .global_pointer = "__global ",
                             .shared_pointer = "__local ",
                             .infinity = "INFINITY"},
    [OPEVO_KERNEL_OPENCL_CPU] = {.index = "long",
                                 .unsigned_index = "unsigned long",
                                 .cpu = true,
                                 .opencl = true,
                                 .head = "",
                                 .infinity = "INFINITY"},
    [OPEVO_KERNEL_EMULATION] = {.index = "int",
                                .unsigned_index = "unsigned",
                                .head = opevo_i_print_emulation_head,
                                .wide = "long long",
                                .unsigned_wide = "unsigned long long",
                                .infinity = "__builtin_inff()"},
};

static opevo_launch launch_of(const opevo_i_print_printer *self, const opevo_limits *limits,
                              int number)
{
    const int64_t *extent = self->nest->launch[number].bound_extent;
    opevo_launch launch = {.dynamic_shared_bytes = 0};
    int64_t shared = 0;

    for (int i = 0; i < 3; i++) {
        launch.grid[i] = (uint32_t)extent[OPEVO_ANNOTATION_BLOCK_X + i];
        launch.block[i] = (uint32_t)extent[OPEVO_ANNOTATION_THREAD_X + i];
    }
    for (int i = 0; i < OPEVO_I_BUFFERS; i++) {
        const opevo_i_nest_buffer *buffer = &self->nest->buffer[i];

        if (buffer->scope == OPEVO_SCOPE_SHARED && buffer->launch == number)
            shared += (buffer->size * opevo_element_bytes(buffer->element) + 15) / 16 * 16;
    }
    if (shared > limits->static_shared_bytes)
        launch.dynamic_shared_bytes = (uint32_t)shared;
    return launch;
}

/* The arguments, and the blocks that follow from them. */
static void set_arguments(const opevo_i_print_printer *self, opevo_kernel *out)
{
    const opevo_i_nest *nest = self->nest;

    out->arguments = nest->arguments;
    for (int i = 0; i < nest->arguments; i++) {
        snprintf(out->argument[i].name, sizeof out->argument[i].name, "%s", nest->argument[i].name);
        out->argument[i].most = nest->argument[i].most;
    }
    for (int i = 0; i < nest->launches && self->dialect->gpu; i++) {
        for (int axis = 0; axis < 3; axis++)
            out->count[i][axis] =
                opevo_i_print_kernel_count(&nest->launch[i].count[OPEVO_ANNOTATION_BLOCK_X + axis]);
    }
}

static void set_launches(const opevo_i_print_printer *self, const opevo_limits *limits,
                         opevo_kernel *out)
{
    opevo_launch first = {{1, 1, 1}, {1, 1, 1}, 0};

    snprintf(out->entry, sizeof out->entry, OPEVO_I_ENTRY);
    if (self->dialect->gpu) {
        first = launch_of(self, limits, 0);
        out->more = self->nest->launches - 1;
        for (int i = 0; i < out->more; i++)
            out->then[i] = launch_of(self, limits, i + 1);
    }
    memcpy(out->grid, first.grid, sizeof out->grid);
    memcpy(out->block, first.block, sizeof out->block);
    out->dynamic_shared_bytes = first.dynamic_shared_bytes;
}

/* A kernel for a GPU or its emulation. */
static void print_after_functions(opevo_i_print_printer *self, const opevo_kernel *kernel)
{
    opevo_text *out = self->out;
    opevo_text text = {0};

    self->out = &text;
    if (self->dialect->gpu)
        opevo_i_print_gpu(self, kernel);
    else
        opevo_i_print_emulation(self);
    self->out = out;
    opevo_i_print_functions(self);
    opevo_text_add(out, opevo_text_string(&text));
    out->failed |= text.failed;
    opevo_text_free(&text);
}

/* Whether int is too narrow for what a kernel for a GPU counts with. */
static bool needs_wide(const opevo_i_nest *nest)
{
    return nest->reach > 0x1p31 || opevo_i_nest_largest_number(nest) > INT32_MAX;
}

void opevo_i_print_nest_print(const opevo_i_nest *nest, opevo_kernel_dialect dialect,
                              const opevo_limits *limits, opevo_kernel *out)
{
    opevo_i_print_dialect spelling = dialects[dialect];
    opevo_i_print_printer self = {.nest = nest,
                                  .atoms = &nest->atoms,
                                  .dialect = &spelling,
                                  .out = &out->source,
                                  .dynamic_at = -1,
                                  .typed = opevo_i_print_is_typed(nest)};

    self.known = opevo_calloc(self.atoms->count, sizeof *self.known);
    self.value = opevo_calloc(self.atoms->count, sizeof *self.value);
    if (!self.known || !self.value) {
        out->source.failed = true;
        goto cleanup;
    }
    if (!spelling.cpu && needs_wide(nest)) {
        spelling.index = spelling.wide;
        spelling.unsigned_index = spelling.unsigned_wide;
    }
    out->dialect = dialect;
    set_launches(&self, limits, out);
    set_arguments(&self, out);
    opevo_i_print_place_buffers(&self);
    out->scratch_bytes = (uint64_t)self.scratch * sizeof(float);
    out->thread_scratch_bytes = (uint64_t)self.thread_scratch * sizeof(float);
    opevo_text_add(self.out, self.dialect->head);
    if (self.typed && !spelling.cpu && !spelling.gpu)
        opevo_text_add(self.out, opevo_i_print_emulation_types);
    if (self.dialect->cpu)
        opevo_i_print_cpu(&self, out);
    else
        print_after_functions(&self, out);
    opevo_i_print_packing(&self, out);
    out->parallel = self.parallel && !spelling.opencl;
cleanup:
    opevo_free(self.known);
    opevo_free(self.value);
}

void opevo_kernel_functions(opevo_kernel_dialect dialect, opevo_text *out)
{
    opevo_i_print_printer self = {.dialect = &dialects[dialect], .out = out, .dynamic_at = -1};

    opevo_i_print_all_functions(&self);
}
