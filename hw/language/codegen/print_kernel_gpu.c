/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Whole kernels in CUDA C, HIP C++ and OpenCL C. */

#include "print_internal.h"

static const opevo_annotation axes[] = {
    OPEVO_ANNOTATION_BLOCK_X,  OPEVO_ANNOTATION_BLOCK_Y,  OPEVO_ANNOTATION_BLOCK_Z,
    OPEVO_ANNOTATION_THREAD_X, OPEVO_ANNOTATION_THREAD_Y, OPEVO_ANNOTATION_THREAD_Z,
};

static void print_entry(opevo_i_print_printer *self, const opevo_i_nest_launch *launch)
{
    if (self->dialect->opencl)
        opevo_text_printf(self->out,
                          "__kernel __attribute__((reqd_work_group_size(%lld, %lld, %lld))) void\n",
                          (long long)launch->bound_extent[OPEVO_ANNOTATION_THREAD_X],
                          (long long)launch->bound_extent[OPEVO_ANNOTATION_THREAD_Y],
                          (long long)launch->bound_extent[OPEVO_ANNOTATION_THREAD_Z]);
    else
        opevo_text_printf(self->out, "extern \"C\" __global__ void __launch_bounds__(%lld)\n",
                          (long long)opevo_i_print_thread_count(launch));
    opevo_i_print_signature(self, "", self->dialect->opencl ? "*restrict " : "*__restrict__ ");
}

static void print_launch(opevo_i_print_printer *self)
{
    const opevo_i_nest_launch *launch = &self->nest->launch[self->launch];
    const opevo_i_print_dialect *dialect = self->dialect;

    print_entry(self, launch);
    opevo_text_add(self->out, "\n{\n");
    self->depth = 1;
    if (self->dynamic_at >= 0)
        opevo_i_print_line(self, "extern __shared__ __align__(16) float shared_memory[];");
    opevo_i_print_gpu_buffers(self, OPEVO_SCOPE_PACKED);
    opevo_i_print_gpu_buffers(self, OPEVO_SCOPE_SHARED);
    opevo_i_print_gpu_buffers(self, OPEVO_SCOPE_LOCAL);
    opevo_i_print_arguments(self);
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++) {
        if (launch->bound[axes[i]] < 0)
            continue;
        opevo_i_print_indent(self);
        opevo_text_printf(self->out, "const %s v%d = (%s)%s;\n", dialect->index,
                          launch->bound[axes[i]], dialect->index, dialect->place[i]);
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
