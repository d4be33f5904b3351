/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A loop nest as a whole translation unit: what the dialects spell differently, the launch, and
 * which kernel is printed. */

#include "print_internal.h"

#include <opevo/memory.h>

#include <stdio.h>

static const opevo_i_dialect dialects[OPEVO_KERNEL_COUNT] = {
    [OPEVO_KERNEL_C] = {.index = "long",
                        .unsigned_index = "unsigned long",
                        .cpu = true,
                        .head = ""},
    [OPEVO_KERNEL_CUDA] = {.index = "int",
                           .unsigned_index = "unsigned",
                           .gpu = true,
                           .head = "",
                           .sync = "__syncthreads();",
                           .shared = "__shared__ __align__(16) float"},
    [OPEVO_KERNEL_HIP] = {.index = "int",
                          .unsigned_index = "unsigned",
                          .gpu = true,
                          .head = "",
                          .sync = "__syncthreads();",
                          .shared = "__shared__ __align__(16) float"},
    [OPEVO_KERNEL_EMULATION] =
        {
            .index = "long",
            .unsigned_index = "unsigned long",
            .head = "typedef struct {\n    float x, y, z, w;\n} "
                    "__attribute__((aligned(16), may_alias)) float4;\n"
                    "typedef struct {\n    float x, y;\n} "
                    "__attribute__((aligned(8), may_alias)) float2;\n",
        },
};

static void set_launch(const opevo_i_printer *self, const opevo_limits *limits, opevo_kernel *out)
{
    int64_t shared = 0;

    snprintf(out->entry, sizeof out->entry, OPEVO_I_ENTRY);
    for (int i = 0; i < 3; i++) {
        out->grid[i] = out->block[i] = 1;
        if (self->dialect->gpu) {
            out->grid[i] = (uint32_t)self->nest->bound_extent[OPEVO_ANNOTATION_BLOCK_X + i];
            out->block[i] = (uint32_t)self->nest->bound_extent[OPEVO_ANNOTATION_THREAD_X + i];
        }
    }
    for (int i = 0; i < OPEVO_I_BUFFERS; i++) {
        if (self->nest->buffer[i].scope == OPEVO_SCOPE_SHARED)
            shared += (self->nest->buffer[i].size + 3) / 4 * 16;
    }
    out->dynamic_shared_bytes =
        self->dialect->gpu && shared > limits->static_shared_bytes ? (uint32_t)shared : 0;
}

/* A kernel for a GPU or its emulation. */
static void print_after_functions(opevo_i_printer *self)
{
    opevo_text *out = self->out;
    opevo_text kernel = {0};

    self->out = &kernel;
    if (self->dialect->gpu)
        opevo_i_print_gpu(self);
    else
        opevo_i_print_emulation(self);
    self->out = out;
    opevo_i_print_functions(self);
    opevo_text_add(out, opevo_text_string(&kernel));
    out->failed |= kernel.failed;
    opevo_text_free(&kernel);
}

void opevo_i_nest_print(const opevo_i_nest *nest, opevo_kernel_dialect dialect,
                        const opevo_limits *limits, opevo_kernel *out)
{
    opevo_i_dialect spelling = dialects[dialect];
    opevo_i_printer self = {.nest = nest,
                            .atoms = &nest->atoms,
                            .dialect = &spelling,
                            .out = &out->source,
                            .dynamic_at = -1};

    self.known = opevo_calloc(self.atoms->count, sizeof *self.known);
    self.value = opevo_calloc(self.atoms->count, sizeof *self.value);
    if (!self.known || !self.value) {
        out->source.failed = true;
        goto cleanup;
    }
    if (spelling.gpu && nest->reach > 0x1p31) {
        spelling.index = "long long";
        spelling.unsigned_index = "unsigned long long";
    }
    out->dialect = dialect;
    set_launch(&self, limits, out);
    if (out->dynamic_shared_bytes)
        self.dynamic_at = 0;
    opevo_i_place_buffers(&self);
    out->scratch_bytes = (uint64_t)self.scratch * sizeof(float);
    out->thread_scratch_bytes = (uint64_t)self.thread_scratch * sizeof(float);
    opevo_text_add(self.out, self.dialect->head);
    if (self.dialect->cpu)
        opevo_i_print_cpu(&self);
    else
        print_after_functions(&self);
    opevo_i_print_packing(&self, out);
    out->parallel = self.parallel;
cleanup:
    opevo_free(self.known);
    opevo_free(self.value);
}
