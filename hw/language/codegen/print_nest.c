/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Loop nests as text: loops, copies of their bodies, branches and values, in every dialect. What a
 * loop becomes that a dialect has a vector for is printed there. */

#include "print_internal.h"

void opevo_i_print_list(opevo_i_print_printer *self, const opevo_i_nest_node *node)
{
    for (const opevo_i_nest_node *one = node->first; one; one = one->next)
        opevo_i_print_node(self, one);
}

static void print_copies(opevo_i_print_printer *self, const opevo_i_nest_node *node)
{
    bool outermost = self->dialect->cpu && !self->copying && node->extent > 1;

    if (outermost) {
        self->copying = true;
        opevo_i_print_line(self, "{");
        self->depth++;
        self->shared_depth = self->depth;
        opevo_i_print_pointers(self, node);
    }
    for (int64_t i = 0; i < node->extent; i++) {
        opevo_i_print_fix(self, node->atom, i);
        opevo_i_print_list(self, node);
    }
    opevo_i_print_release(self, node->atom);
    if (outermost) {
        self->copying = false;
        self->pointers = 0;
        while (self->shared_count)
            opevo_text_free(&self->shared[--self->shared_count]);
        self->depth--;
        opevo_i_print_line(self, "}");
    }
}

static void print_loop(opevo_i_print_printer *self, const opevo_i_nest_node *node)
{
    const opevo_i_nest_leaf *leaf = opevo_i_nest_node_only_leaf(node);
    opevo_annotation what = node->annotation;
    bool parallel = self->dialect->cpu && what == OPEVO_ANNOTATION_PARALLEL;
    bool streamed = self->streams;

    if (self->dialect->cpu && opevo_i_print_cpu_sum(self, node, leaf))
        return;
    if (self->dialect->cpu && what == OPEVO_ANNOTATION_UNROLL &&
        opevo_i_print_scattered(self, node))
        return;
    if (node->extent == 1 || what == OPEVO_ANNOTATION_EXPAND ||
        (what == OPEVO_ANNOTATION_UNROLL && self->dialect->cpu)) {
        print_copies(self, node);
        return;
    }
    if (self->dialect->cpu && opevo_i_print_cpu_loop(self, node, leaf))
        return;
    if (!self->dialect->cpu && what == OPEVO_ANNOTATION_VECTORIZE && leaf &&
        opevo_i_print_short_vector(self, node, leaf))
        return;
    if (self->dialect->gpu &&
        (what == OPEVO_ANNOTATION_UNROLL || what == OPEVO_ANNOTATION_VECTORIZE))
        opevo_i_print_line(self, "#pragma unroll");
    if (parallel)
        opevo_i_print_line(self, "#pragma omp parallel for");
    opevo_i_print_for(self, node->atom,
                      what == OPEVO_ANNOTATION_SERIAL || what == OPEVO_ANNOTATION_PARALLEL
                          ? &node->count
                          : &(opevo_i_nest_count){0},
                      node->extent);
    if (parallel)
        opevo_i_print_cpu_buffers(self, node);
    self->parallel |= parallel;
    self->streams &= !parallel;
    opevo_i_print_list(self, node);
    if (parallel) {
        opevo_i_print_fence(self);
        self->streams = streamed;
    }
    opevo_i_print_end(self);
}

void opevo_i_print_if(opevo_i_print_printer *self, const opevo_i_nest_node *node,
                      opevo_i_print_inside *inside)
{
    int holds = opevo_i_print_decided(self, &node->guards);

    if (holds >= 0) {
        if (holds || node->otherwise)
            inside(self, holds ? node : node->otherwise);
        return;
    }
    opevo_i_print_indent(self);
    opevo_text_add(self->out, "if (");
    opevo_i_print_guards(self, &node->guards);
    opevo_text_add(self->out, ") {\n");
    self->depth++;
    inside(self, node);
    self->depth--;
    if (node->otherwise) {
        opevo_i_print_line(self, "} else {");
        self->depth++;
        inside(self, node->otherwise);
        self->depth--;
    }
    opevo_i_print_line(self, "}");
}

void opevo_i_print_let(opevo_i_print_printer *self, const opevo_i_nest_node *node,
                       opevo_i_print_inside *inside)
{
    int64_t value = 0;

    if (opevo_i_print_constant(self, &node->value, &value)) {
        opevo_i_print_fix(self, node->atom, value);
        inside(self, node);
        opevo_i_print_release(self, node->atom);
        return;
    }
    opevo_i_print_line(self, "{");
    self->depth++;
    opevo_i_print_indent(self);
    opevo_text_printf(self->out, "const %s v%d = ", self->dialect->index, node->atom);
    opevo_i_print_affine(self, &node->value);
    opevo_text_add(self->out, ";\n");
    inside(self, node);
    opevo_i_print_end(self);
}

void opevo_i_print_node(opevo_i_print_printer *self, const opevo_i_nest_node *node)
{
    switch (node->kind) {
    case OPEVO_I_LOOP:
        print_loop(self, node);
        break;
    case OPEVO_I_LET:
        opevo_i_print_let(self, node, opevo_i_print_list);
        break;
    case OPEVO_I_IF:
        opevo_i_print_if(self, node, opevo_i_print_list);
        break;
    case OPEVO_I_SYNC:
        opevo_i_print_line(self, self->dialect->sync);
        break;
    case OPEVO_I_LEAF:
        opevo_i_print_scalar(self, node->leaf);
        break;
    default:
        opevo_i_print_list(self, node);
        break;
    }
}
