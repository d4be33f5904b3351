/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Whole kernels in C that run a GPU schedule on a CPU: the loops over threads are opened again
 * after each barrier, and launches follow one another. Threads and blocks run in order, or from the
 * last to the first where the variable ENTRY_reversed is not 0: where a barrier is missing between
 * two threads, one of both orders lets the reader run first. */

#include "print_internal.h"

static const opevo_annotation thread_axes[3] = {
    OPEVO_ANNOTATION_THREAD_Z, OPEVO_ANNOTATION_THREAD_Y, OPEVO_ANNOTATION_THREAD_X};

static const opevo_i_nest_launch *launch_of(const opevo_i_print_printer *self)
{
    return &self->nest->launch[self->launch];
}

static void open_axis(opevo_i_print_printer *self, opevo_annotation axis)
{
    const opevo_i_nest_launch *launch = launch_of(self);
    const char *index = self->dialect->index;
    int atom = launch->bound[axis];

    opevo_i_print_indent(self);
    opevo_text_printf(self->out, "for (%s t%d = 0; t%d < ", index, atom, atom);
    opevo_i_print_count(self, &launch->count[axis], launch->bound_extent[axis]);
    opevo_text_printf(self->out, "; t%d++) {\n", atom);
    self->depth++;
    opevo_i_print_indent(self);
    opevo_text_printf(self->out, "const %s v%d = " OPEVO_I_ENTRY "_reversed ? ", index, atom);
    opevo_i_print_count(self, &launch->count[axis], launch->bound_extent[axis]);
    opevo_text_printf(self->out, " - 1 - t%d : t%d;\n", atom, atom);
    opevo_i_print_indent(self);
    opevo_text_printf(self->out, "(void)v%d;\n", atom);
}

static void open_threads(opevo_i_print_printer *self)
{
    const opevo_i_nest_launch *launch = launch_of(self);

    opevo_i_print_line(self, "{");
    self->depth++;
    for (int i = 0; i < 3; i++) {
        if (launch->bound[thread_axes[i]] >= 0)
            open_axis(self, thread_axes[i]);
    }
    opevo_i_print_indent(self);
    opevo_text_add(self->out, "const long thread = 0");
    for (int i = 0, stride = 1; i < 3; i++) {
        opevo_annotation axis = thread_axes[2 - i];

        if (launch->bound[axis] < 0)
            continue;
        opevo_text_printf(self->out, " + %d * v%d", stride, launch->bound[axis]);
        stride *= (int)launch->bound_extent[axis];
    }
    opevo_text_add(self->out, ";\n");
    opevo_i_print_line(self, "(void)thread;");
}

static void close_threads(opevo_i_print_printer *self)
{
    for (int i = 0; i < 3; i++) {
        if (launch_of(self)->bound[thread_axes[i]] >= 0)
            opevo_i_print_end(self);
    }
    opevo_i_print_end(self);
}

static void print_uniform(opevo_i_print_printer *self, const opevo_i_nest_node *node);

static void print_uniform_list(opevo_i_print_printer *self, const opevo_i_nest_node *node)
{
    bool open = false;

    for (const opevo_i_nest_node *one = node->first; one; one = one->next) {
        bool barrier = opevo_i_nest_node_has_sync(one);

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

/* A statement with a barrier in it. What it depends on is the same for all threads: their variables
 * are not known here. */
static void print_uniform(opevo_i_print_printer *self, const opevo_i_nest_node *node)
{
    switch (node->kind) {
    case OPEVO_I_SYNC:
        break;
    case OPEVO_I_LOOP:
        opevo_i_print_for(self, node->atom, &node->count, node->extent);
        print_uniform_list(self, node);
        opevo_i_print_end(self);
        break;
    case OPEVO_I_IF:
        opevo_i_print_if(self, node, print_uniform_list);
        break;
    case OPEVO_I_LET:
        opevo_i_print_let(self, node, print_uniform_list);
        break;
    default:
        print_uniform_list(self, node);
        break;
    }
}

static void print_launch(opevo_i_print_printer *self)
{
    static const opevo_annotation block_axes[3] = {
        OPEVO_ANNOTATION_BLOCK_Z, OPEVO_ANNOTATION_BLOCK_Y, OPEVO_ANNOTATION_BLOCK_X};
    const opevo_i_nest_launch *launch = launch_of(self);

    opevo_i_print_line(self, "{");
    self->depth++;
    opevo_i_print_gpu_buffers(self, OPEVO_SCOPE_PACKED);
    opevo_i_print_gpu_buffers(self, OPEVO_SCOPE_SHARED);
    opevo_i_print_gpu_buffers(self, OPEVO_SCOPE_LOCAL);
    for (int i = 0; i < 3; i++) {
        if (launch->bound[block_axes[i]] >= 0)
            open_axis(self, block_axes[i]);
    }
    print_uniform_list(self, launch->body);
    for (int i = 0; i < 3; i++) {
        if (launch->bound[block_axes[i]] >= 0)
            opevo_i_print_end(self);
    }
    opevo_i_print_end(self);
}

void opevo_i_print_emulation(opevo_i_print_printer *self)
{
    opevo_text_add(self->out, "int " OPEVO_I_ENTRY "_reversed;\n");
    opevo_i_print_signature(self, "void ", "*");
    opevo_text_add(self->out, ";\n");
    opevo_i_print_signature(self, "void ", "*");
    opevo_text_add(self->out, "\n{\n");
    self->depth = 1;
    opevo_i_print_unused_scratch(self);
    opevo_i_print_arguments(self);
    for (; self->launch < self->nest->launches; self->launch++)
        print_launch(self);
    self->launch = 0;
    opevo_text_add(self->out, "}\n");
}
