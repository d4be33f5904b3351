/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Whole kernels in CUDA C and HIP C++. */

#include "print_internal.h"

void opevo_i_print_gpu(opevo_i_printer *self)
{
    static const struct {
        opevo_annotation axis;
        const char *name;
    } names[] = {
        {OPEVO_ANNOTATION_BLOCK_X, "blockIdx.x"},   {OPEVO_ANNOTATION_BLOCK_Y, "blockIdx.y"},
        {OPEVO_ANNOTATION_BLOCK_Z, "blockIdx.z"},   {OPEVO_ANNOTATION_THREAD_X, "threadIdx.x"},
        {OPEVO_ANNOTATION_THREAD_Y, "threadIdx.y"}, {OPEVO_ANNOTATION_THREAD_Z, "threadIdx.z"},
    };
    opevo_text_printf(self->out, "extern \"C\" __global__ void __launch_bounds__(%lld)\n",
                      (long long)opevo_i_thread_count(self->nest));
    opevo_i_print_signature(self, "", "*__restrict__ ");
    opevo_text_add(self->out, "\n{\n");
    self->depth = 1;
    if (self->dynamic_at >= 0)
        opevo_i_print_line(self, "extern __shared__ __align__(16) float shared_memory[];");
    opevo_i_print_gpu_buffers(self, OPEVO_SCOPE_SHARED);
    opevo_i_print_gpu_buffers(self, OPEVO_SCOPE_LOCAL);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (self->nest->bound[names[i].axis] < 0)
            continue;
        opevo_i_print_indent(self);
        opevo_text_printf(self->out, "const %s v%d = (%s)%s;\n", self->dialect->index,
                          self->nest->bound[names[i].axis], self->dialect->index, names[i].name);
    }
    opevo_i_print_list(self, self->nest->root);
    opevo_text_add(self->out, "}\n");
}
