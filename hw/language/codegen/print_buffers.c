/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Declarations of the memory of a kernel: registers, shared memory, and parts of the scratch memory
 * in their place. */

#include "print_internal.h"

static bool writes(const opevo_i_nest_node *node, int buffer)
{
    if (node->kind == OPEVO_I_LEAF)
        return node->leaf->to.buffer == buffer;
    for (const opevo_i_nest_node *one = node->first; one; one = one->next) {
        if (writes(one, buffer))
            return true;
    }
    return node->otherwise && writes(node->otherwise, buffer);
}

bool opevo_i_print_uses(const opevo_i_nest_node *node, int buffer)
{
    bool found = node->kind == OPEVO_I_LEAF && node->leaf->to.buffer == buffer;

    for (int i = 0; node->kind == OPEVO_I_LEAF && i < node->leaf->factors; i++)
        found |= node->leaf->factor[i].buffer == buffer;
    for (const opevo_i_nest_node *one = node->first; one && !found; one = one->next)
        found = opevo_i_print_uses(one, buffer);
    return found || (node->otherwise && opevo_i_print_uses(node->otherwise, buffer));
}

/* Whether all statements that write a buffer set it, or with `update` join a value with what is
 * there.
 */
static bool all_write(const opevo_i_nest_node *node, int buffer, bool update)
{
    if (node->kind == OPEVO_I_LEAF && node->leaf->to.buffer == buffer) {
        opevo_i_nest_leaf_kind kind = node->leaf->kind;

        return update != (kind == OPEVO_I_ZERO || kind == OPEVO_I_COPY || kind == OPEVO_I_STORE);
    }
    for (const opevo_i_nest_node *one = node->first; one; one = one->next) {
        if (!all_write(one, buffer, update))
            return false;
    }
    return !node->otherwise || all_write(node->otherwise, buffer, update);
}

/* Whether the first turn of a loop sets a buffer, and the others add to it. */
static bool is_set_in_first_turn(const opevo_i_nest_node *node, int buffer)
{
    if (node->otherwise && writes(node->otherwise, buffer) &&
        all_write(node->otherwise, buffer, true)) {
        for (const opevo_i_nest_node *one = node->first; one; one = one->next) {
            if (writes(one, buffer) && all_write(one, buffer, false))
                return true;
        }
    }
    for (const opevo_i_nest_node *one = node->first; one; one = one->next) {
        if (is_set_in_first_turn(one, buffer))
            return true;
    }
    return node->otherwise && is_set_in_first_turn(node->otherwise, buffer);
}

int64_t opevo_i_print_thread_count(const opevo_i_nest_launch *launch)
{
    int64_t threads = 1;

    for (opevo_annotation axis = OPEVO_ANNOTATION_THREAD_X; axis <= OPEVO_ANNOTATION_THREAD_Z;
         axis++)
        threads *= launch->bound_extent[axis];
    return threads;
}

/* ---- Scratch memory ---- */

enum { ALIGNED = OPEVO_KERNEL_ALIGNMENT / sizeof(float) };

/* Floats that take the place of so many elements. */
static int64_t floats_of(const opevo_i_nest_buffer *buffer, int64_t elements)
{
    return (elements * opevo_element_bytes(buffer->element) + (int64_t)sizeof(float) - 1) /
           (int64_t)sizeof(float);
}

/* Floats of a buffer that lives in scratch memory; 0 for the others. Vectors may reach past the end
 * of a packed one. */
static int64_t scratch_size(const opevo_i_print_printer *self, const opevo_i_nest_buffer *buffer)
{
    int64_t threads = 1;

    if (!buffer->size)
        return 0;
    if (self->dialect->cpu || self->dialect->gpu)
        return buffer->scope == OPEVO_SCOPE_PACKED ? floats_of(buffer, buffer->size) + ALIGNED : 0;
    if (buffer->scope == OPEVO_SCOPE_LOCAL)
        threads = opevo_i_print_thread_count(&self->nest->launch[buffer->launch]);
    return floats_of(buffer, threads * buffer->size);
}

void opevo_i_print_place_buffers(opevo_i_print_printer *self)
{
    for (int i = self->nest->operands; i < OPEVO_I_BUFFERS; i++) {
        const opevo_i_nest_buffer *buffer = &self->nest->buffer[i];
        int64_t *total = buffer->parallel ? &self->thread_scratch : &self->scratch;

        self->scratch_at[i] = *total;
        *total += (scratch_size(self, buffer) + ALIGNED - 1) / ALIGNED * ALIGNED;
    }
}

/* What only a branch that is never taken reads of a copy leaves it unused. */
static void print_scratch(opevo_i_print_printer *self, int buffer)
{
    opevo_element element = self->nest->buffer[buffer].element;
    const char *type = opevo_kernel_type_text(element);
    const char *space = opevo_i_print_pointer_space(self, buffer);
    bool cast = element != OPEVO_FLOAT32, emulated = !self->dialect->cpu && !self->dialect->gpu;

    opevo_i_print_indent(self);
    opevo_text_printf(self->out, "%s%s *%sconst m%d%s = ", space, type,
                      self->dialect->cpu ? "restrict " : "", buffer,
                      emulated ? " __attribute__((unused))" : "");
    if (cast)
        opevo_text_printf(self->out, "(%s%s *)(%svoid *)(", space, type, space);
    opevo_text_add(self->out, "scratch + ");
    if (self->nest->buffer[buffer].parallel)
        opevo_text_printf(self->out, "%lldL + THREAD * %lldL + ", (long long)self->scratch,
                          (long long)self->thread_scratch);
    opevo_text_printf(self->out, "%lldL%s;\n", (long long)self->scratch_at[buffer],
                      cast ? ")" : "");
}

/* ---- Buffers ---- */

/* Sums that live in registers, or an array in their place. Compilers do not see that the turn of a
 * loop that sets a buffer is the first, and warn unless it has a value. */
static void print_local(opevo_i_print_printer *self, int i)
{
    const opevo_i_nest_buffer *buffer = &self->nest->buffer[i];
    const char *value = is_set_in_first_turn(self->nest->root, i) ? " = {0}" : "";
    opevo_element stored = opevo_i_print_stored_type(self, i);
    int lanes = self->named[i];

    /* Of a tile that never gets full some are not used. */
    for (int64_t at = 0; lanes && at < (buffer->size + lanes - 1) / lanes; at++) {
        opevo_i_print_indent(self);
        if (lanes > 1)
            opevo_text_printf(self->out, "%c%d r%d_%lld __attribute__((unused))%s;\n",
                              opevo_i_print_vector_letter(stored), lanes, i, (long long)at, value);
        else
            opevo_text_printf(self->out, "%s r%d_%lld __attribute__((unused))%s;\n",
                              opevo_kernel_type_text(stored), i, (long long)at, value);
    }
    if (lanes)
        return;
    opevo_i_print_indent(self);
    opevo_text_printf(self->out, "%s m%d[%lld] __attribute__((aligned(64)))%s;\n",
                      opevo_kernel_type_text(stored), i, (long long)buffer->size, value);
}

void opevo_i_print_cpu_buffers(opevo_i_print_printer *self, const opevo_i_nest_node *parallel)
{
    for (int i = self->nest->operands; i < OPEVO_I_BUFFERS; i++) {
        const opevo_i_nest_buffer *buffer = &self->nest->buffer[i];

        if (buffer->size == 0 ||
            (parallel ? !buffer->parallel || !writes(parallel, i) : buffer->parallel))
            continue;
        if (buffer->scope == OPEVO_SCOPE_LOCAL)
            print_local(self, i);
        else if (buffer->scope == OPEVO_SCOPE_PACKED)
            print_scratch(self, i);
    }
}

void opevo_i_print_gpu_buffers(opevo_i_print_printer *self, opevo_scope scope)
{
    for (int i = self->nest->operands; i < OPEVO_I_BUFFERS; i++) {
        const opevo_i_nest_buffer *buffer = &self->nest->buffer[i];
        const char *type = opevo_kernel_type_text(buffer->element);

        if (buffer->scope != scope || buffer->size == 0 ||
            (scope == OPEVO_SCOPE_PACKED
                 ? !opevo_i_print_uses(self->nest->launch[self->launch].body, i)
                 : buffer->launch != self->launch))
            continue;
        if (!self->dialect->gpu || scope == OPEVO_SCOPE_PACKED) {
            print_scratch(self, i);
            continue;
        }
        opevo_i_print_indent(self);
        if (scope == OPEVO_SCOPE_LOCAL) {
            opevo_text_printf(self->out, "%s m%d[%lld];\n", type, i, (long long)buffer->size);
        } else if (self->dynamic_at >= 0) {
            bool cast = buffer->element != OPEVO_FLOAT32;

            opevo_text_printf(self->out, "%s *const m%d = ", type, i);
            if (cast)
                opevo_text_printf(self->out, "(%s *)(", type);
            opevo_text_printf(self->out, "shared_memory + %lld%s;\n", (long long)self->dynamic_at,
                              cast ? ")" : "");
            self->dynamic_at += (floats_of(buffer, buffer->size) + 3) / 4 * 4;
        } else {
            opevo_text_printf(self->out, "%s %s m%d[%lld];\n", self->dialect->shared, type, i,
                              (long long)buffer->size);
        }
    }
}
