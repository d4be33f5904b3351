/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Whole kernels in CUDA C and HIP C++. */

#include "print_internal.h"

static void print_launch(opevo_i_print_printer *self)
{
    const opevo_i_nest_launch *launch = &self->nest->launch[self->launch];
    static const struct {
        opevo_annotation axis;
        const char *name;
    } names[] = {
        {OPEVO_ANNOTATION_BLOCK_X, "blockIdx.x"},   {OPEVO_ANNOTATION_BLOCK_Y, "blockIdx.y"},
        {OPEVO_ANNOTATION_BLOCK_Z, "blockIdx.z"},   {OPEVO_ANNOTATION_THREAD_X, "threadIdx.x"},
        {OPEVO_ANNOTATION_THREAD_Y, "threadIdx.y"}, {OPEVO_ANNOTATION_THREAD_Z, "threadIdx.z"},
    };

    opevo_text_printf(self->out, "extern \"C\" __global__ void __launch_bounds__(%lld)\n",
                      (long long)opevo_i_print_thread_count(launch));
    opevo_i_print_signature(self, "", "*__restrict__ ");
    opevo_text_add(self->out, "\n{\n");
    self->depth = 1;
    if (self->dynamic_at >= 0)
        opevo_i_print_line(self, "extern __shared__ __align__(16) float shared_memory[];");
    opevo_i_print_gpu_buffers(self, OPEVO_SCOPE_PACKED);
    opevo_i_print_gpu_buffers(self, OPEVO_SCOPE_SHARED);
    opevo_i_print_gpu_buffers(self, OPEVO_SCOPE_LOCAL);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (launch->bound[names[i].axis] < 0)
            continue;
        opevo_i_print_indent(self);
        opevo_text_printf(self->out, "const %s v%d = (%s)%s;\n", self->dialect->index,
                          launch->bound[names[i].axis], self->dialect->index, names[i].name);
    }
    opevo_i_print_list(self, launch->body);
    opevo_text_add(self->out, "}\n");
}

void opevo_i_print_gpu(opevo_i_print_printer *self, const opevo_kernel *kernel)
{
    for (self->launch = 0; self->launch < self->nest->launches; self->launch++) {
        self->dynamic_at = opevo_kernel_launch(kernel, self->launch).dynamic_shared_bytes ? 0 : -1;
        opevo_text_add(self->out, self->launch ? "\n" : "");
        print_launch(self);
    }
    self->launch = 0;
}
