/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Whole kernels in C that run a GPU schedule on a CPU: the loops over threads are opened again
 * after each barrier. */

#include "print_internal.h"

static const opevo_annotation thread_axes[3] = {
    OPEVO_ANNOTATION_THREAD_Z, OPEVO_ANNOTATION_THREAD_Y, OPEVO_ANNOTATION_THREAD_X};

static void open_threads(opevo_i_printer *self)
{
    for (int i = 0; i < 3; i++) {
        if (self->nest->bound[thread_axes[i]] >= 0)
            opevo_i_print_for(self, self->nest->bound[thread_axes[i]],
                              self->nest->bound_extent[thread_axes[i]]);
    }
    opevo_i_print_indent(self);
    opevo_text_add(self->out, "const long thread = 0");
    for (int i = 0, stride = 1; i < 3; i++) {
        opevo_annotation axis = thread_axes[2 - i];

        if (self->nest->bound[axis] < 0)
            continue;
        opevo_text_printf(self->out, " + %d * v%d", stride, self->nest->bound[axis]);
        stride *= (int)self->nest->bound_extent[axis];
    }
    opevo_text_add(self->out, ";\n");
    opevo_i_print_line(self, "(void)thread;");
}

static void close_threads(opevo_i_printer *self)
{
    for (int i = 0; i < 3; i++) {
        if (self->nest->bound[thread_axes[i]] >= 0)
            opevo_i_print_end(self);
    }
}

static void print_uniform(opevo_i_printer *self, const opevo_i_node *node);

static void print_uniform_list(opevo_i_printer *self, const opevo_i_node *node)
{
    bool open = false;

    for (const opevo_i_node *one = node->first; one; one = one->next) {
        bool barrier = opevo_i_node_has_sync(one);

        if (barrier == open) {
            if (open)
                close_threads(self);
            else
                open_threads(self);
            open = !barrier;
        }
        if (barrier)
            print_uniform(self, one);
        else
            opevo_i_print_node(self, one);
    }
    if (open)
        close_threads(self);
}

/* A statement with a barrier in it. */
static void print_uniform(opevo_i_printer *self, const opevo_i_node *node)
{
    if (node->kind == OPEVO_I_SYNC)
        return;
    if (node->kind == OPEVO_I_LOOP) {
        opevo_i_print_for(self, node->atom, node->extent);
        print_uniform_list(self, node);
        opevo_i_print_end(self);
        return;
    }
    print_uniform_list(self, node); /* lists; guards and values never hold a barrier */
}

void opevo_i_print_emulation(opevo_i_printer *self)
{
    static const opevo_annotation block_axes[3] = {
        OPEVO_ANNOTATION_BLOCK_Z, OPEVO_ANNOTATION_BLOCK_Y, OPEVO_ANNOTATION_BLOCK_X};

    opevo_i_print_signature(self, "void ", "*");
    opevo_text_add(self->out, ";\n");
    opevo_i_print_signature(self, "void ", "*");
    opevo_text_add(self->out, "\n{\n");
    self->depth = 1;
    opevo_i_print_gpu_buffers(self, OPEVO_SCOPE_SHARED);
    opevo_i_print_gpu_buffers(self, OPEVO_SCOPE_LOCAL);
    for (int i = 0; i < 3; i++) {
        if (self->nest->bound[block_axes[i]] >= 0)
            opevo_i_print_for(self, self->nest->bound[block_axes[i]],
                              self->nest->bound_extent[block_axes[i]]);
    }
    print_uniform_list(self, self->nest->root);
    for (int i = 0; i < 3; i++) {
        if (self->nest->bound[block_axes[i]] >= 0)
            opevo_i_print_end(self);
    }
    opevo_text_add(self->out, "}\n");
}
