/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The text of a CPU in OpenCL C, for devices that compute on a CPU: kernels of work groups of one
 * work item. A parallel loop that nothing is around becomes a kernel with a work group for each
 * iteration; what is before it, behind it and between two of them are kernels of one work group.
 * The memory of such a device has one address space, so pointers are made plain ones and the rest
 * is as in C. */

#include "print_cpu_internal.h"

#include <string.h>

enum { NODES = 256 };

/* What the kernel does, one after the other. */
typedef struct parts {
    const opevo_i_nest_node *node[NODES];
    int count;
    bool divided; /* parallel loops are divided among work groups */
} parts;

static bool is_parallel(const opevo_i_nest_node *node)
{
    return node->kind == OPEVO_I_LOOP && node->annotation == OPEVO_ANNOTATION_PARALLEL &&
           node->extent > 1;
}

/* False where there are too many. */
static bool collect(parts *self, const opevo_i_nest_node *node)
{
    bool fits = true;

    if (node->kind != OPEVO_I_LIST) {
        if (self->count == NODES)
            return false;
        self->node[self->count++] = node;
        return true;
    }
    for (const opevo_i_nest_node *one = node->first; one && fits; one = one->next)
        fits = collect(self, one);
    return fits;
}

/* Whether node i begins a kernel. */
static bool begins(const parts *self, int i)
{
    return i == 0 ||
           (self->divided && (is_parallel(self->node[i]) || is_parallel(self->node[i - 1])));
}

static int kernel_count(const parts *self)
{
    int count = 0;

    for (int i = 0; i < self->count; i++)
        count += begins(self, i);
    return count;
}

/* A buffer of registers or of the stack that two kernels would have in common. */
static bool shares_local(const opevo_i_print_printer *self, const parts *all)
{
    for (int b = self->nest->operands; b < OPEVO_I_BUFFERS; b++) {
        const opevo_i_nest_buffer *buffer = &self->nest->buffer[b];
        int kernel = -1, owner = -1;

        for (int i = 0; i < all->count && buffer->size && buffer->scope == OPEVO_SCOPE_LOCAL; i++) {
            kernel += begins(all, i);
            if (!opevo_i_print_uses(all->node[i], b))
                continue;
            if (owner >= 0 && owner != kernel)
                return true;
            owner = kernel;
        }
    }
    return false;
}

static void print_entry(opevo_i_print_printer *self)
{
    const opevo_i_nest *nest = self->nest;
    bool scratch = self->scratch || self->thread_scratch;

    opevo_text_add(self->out,
                   "__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void " OPEVO_I_ENTRY);
    if (self->launch)
        opevo_text_printf(self->out, "_%d", self->launch + 1);
    for (int i = 0; i < nest->operands; i++) {
        opevo_text_printf(self->out, "%s__global %s%s *restrict ", i ? ", " : "(",
                          i < nest->inputs ? "const " : "",
                          opevo_kernel_type_text(nest->buffer[i].element));
        opevo_i_print_operand_name(self->out, i);
        opevo_text_add(self->out, "_global");
    }
    opevo_text_add(self->out, scratch ? ", __global float *restrict scratch_global" : "");
    for (int i = 0; i < nest->arguments; i++)
        opevo_text_printf(self->out, ", int n%d", i);
    opevo_text_add(self->out, ")\n{\n");
    for (int i = 0; i < nest->operands; i++) {
        const char *constant = i < nest->inputs ? "const " : "";
        const char *type = opevo_kernel_type_text(nest->buffer[i].element);

        opevo_text_printf(self->out, "    %s%s *restrict ", constant, type);
        opevo_i_print_operand_name(self->out, i);
        opevo_text_printf(self->out, " = (%s%s *)(unsigned long)", constant, type);
        opevo_i_print_operand_name(self->out, i);
        opevo_text_add(self->out, "_global;\n");
    }
    if (scratch)
        opevo_text_add(self->out,
                       "    float *restrict scratch = (float *)(unsigned long)scratch_global;\n");
    opevo_i_print_arguments(self);
}

/* The iteration of a parallel loop. */
static void print_iteration(opevo_i_print_printer *self, const opevo_i_nest_node *loop)
{
    opevo_i_print_indent(self);
    opevo_text_printf(self->out, "const long v%d = (long)get_group_id(0);\n", loop->atom);
    opevo_i_print_cpu_buffers(self, loop);
    opevo_i_print_list(self, loop);
}

static void set_grid(opevo_kernel *kernel, int launch, int64_t groups)
{
    const opevo_launch one = {{(uint32_t)groups, 1, 1}, {1, 1, 1}, 0};

    if (launch) {
        kernel->then[launch - 1] = one;
        return;
    }
    memcpy(kernel->grid, one.grid, sizeof one.grid);
    memcpy(kernel->block, one.block, sizeof one.block);
}

void opevo_i_print_opencl_cpu(opevo_i_print_printer *self, opevo_kernel *kernel)
{
    parts all = {.divided = true};
    int64_t most = 1;

    if (!collect(&all, self->nest->root))
        all = (parts){.node = {self->nest->root}, .count = 1};
    if (kernel_count(&all) > OPEVO_KERNEL_LAUNCHES || shares_local(self, &all))
        all.divided = false;
    self->launch = -1;
    for (int i = 0; i < all.count; i++) {
        bool divided = all.divided && is_parallel(all.node[i]);

        if (begins(&all, i)) {
            opevo_text_add(self->out, i ? "}\n" : "");
            self->launch++;
            set_grid(kernel, self->launch, divided ? all.node[i]->extent : 1);
            if (divided)
                kernel->count[self->launch][0] = opevo_i_print_kernel_count(&all.node[i]->count);
            print_entry(self);
            opevo_i_print_cpu_buffers(self, NULL);
        }
        most = divided && all.node[i]->extent > most ? all.node[i]->extent : most;
        if (divided)
            print_iteration(self, all.node[i]);
        else
            opevo_i_print_node(self, all.node[i]);
        if (i + 1 == all.count || begins(&all, i + 1))
            opevo_i_print_fence(self);
    }
    opevo_text_add(self->out, "}\n");
    kernel->more = self->launch > 0 ? self->launch : 0;
    kernel->scratch_bytes = sizeof(float) * (uint64_t)(self->scratch + self->thread_scratch * most);
    kernel->thread_scratch_bytes = 0;
    self->launch = 0;
}
