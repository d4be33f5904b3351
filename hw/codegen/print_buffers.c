/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Declarations of the memory of a kernel: registers, shared memory, and arrays in their place. */

#include "print_internal.h"

static bool writes(const opevo_i_node *node, int buffer)
{
    if (node->kind == OPEVO_I_LEAF)
        return node->leaf->to.buffer == buffer;
    for (const opevo_i_node *one = node->first; one; one = one->next) {
        if (writes(one, buffer))
            return true;
    }
    return node->otherwise && writes(node->otherwise, buffer);
}

void opevo_i_print_cpu_buffers(opevo_i_printer *self, const opevo_i_node *parallel)
{
    for (int i = self->nest->operands; i < OPEVO_I_BUFFERS; i++) {
        const opevo_i_buffer *buffer = &self->nest->buffer[i];
        int lanes = self->named[i];

        if (buffer->scope != OPEVO_SCOPE_LOCAL || buffer->size == 0 ||
            (parallel ? !buffer->parallel || !writes(parallel, i) : buffer->parallel))
            continue;
        /* Of a tile that never gets full some are not used. */
        for (int64_t at = 0; lanes && at < (buffer->size + lanes - 1) / lanes; at++) {
            opevo_i_print_indent(self);
            if (lanes > 1)
                opevo_text_printf(self->out, "V%d r%d_%lld __attribute__((unused));\n", lanes, i,
                                  (long long)at);
            else
                opevo_text_printf(self->out, "float r%d_%lld __attribute__((unused));\n", i,
                                  (long long)at);
        }
        if (lanes)
            continue;
        opevo_i_print_indent(self);
        opevo_text_printf(self->out, "float m%d[%lld] __attribute__((aligned(64)));\n", i,
                          (long long)buffer->size);
    }
}

int64_t opevo_i_thread_count(const opevo_i_nest *nest)
{
    int64_t threads = 1;

    for (opevo_annotation axis = OPEVO_ANNOTATION_THREAD_X; axis <= OPEVO_ANNOTATION_THREAD_Z;
         axis++)
        threads *= nest->bound_extent[axis];
    return threads;
}

void opevo_i_print_gpu_buffers(opevo_i_printer *self, opevo_scope scope)
{
    int64_t threads = opevo_i_thread_count(self->nest);

    for (int i = self->nest->operands; i < OPEVO_I_BUFFERS; i++) {
        const opevo_i_buffer *buffer = &self->nest->buffer[i];

        if (buffer->scope != scope || buffer->size == 0)
            continue;
        opevo_i_print_indent(self);
        if (scope == OPEVO_SCOPE_LOCAL && self->dialect->gpu)
            opevo_text_printf(self->out, "float m%d[%lld];\n", i, (long long)buffer->size);
        else if (scope == OPEVO_SCOPE_LOCAL)
            opevo_text_printf(self->out, "static float m%d[%lldL * %lld];\n", i, (long long)threads,
                              (long long)buffer->size);
        else if (self->dynamic_at >= 0) {
            opevo_text_printf(self->out, "float *const m%d = shared_memory + %lld;\n", i,
                              (long long)self->dynamic_at);
            self->dynamic_at += (buffer->size + 3) / 4 * 4;
        } else {
            opevo_text_printf(self->out, "%s m%d[%lld]%s;\n", self->dialect->shared, i,
                              (long long)buffer->size,
                              self->dialect->gpu ? "" : " __attribute__((aligned(64)))");
        }
    }
}
