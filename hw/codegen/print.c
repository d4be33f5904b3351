/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The one printer of loop nests. What the dialects spell differently stands in a table; what a CPU
 * does differently (vectors, named registers, rows) in print_cpu.c. Variables are named by numbers, so no
 * name from outside reaches the text. */

#include "print_internal.h"

#include <opevo/memory.h>

#include <stdio.h>
#include <string.h>

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
    [OPEVO_KERNEL_EMULATION] = {.index = "long",
                                .unsigned_index = "unsigned long",
                                .head = "typedef struct {\n    float x, y, z, w;\n} "
                                        "__attribute__((aligned(16), may_alias)) float4;\n"
                                        "typedef struct {\n    float x, y;\n} "
                                        "__attribute__((aligned(8), may_alias)) float2;\n",
                                .shared = "static float"},
};

/* ---- Expressions ---- */

/* Whether it is a number here, and which. */
bool opevo_i_print_constant(const opevo_i_printer *self, const opevo_i_affine *a, int64_t *value)
{
    int64_t sum = a->constant;

    for (int i = 0; i < a->count; i++) {
        const opevo_i_atom *atom = &self->atoms->item[a->term[i].atom];
        int64_t one = 0;

        if (atom->is_loop) {
            if (!self->known[a->term[i].atom])
                return false;
            one = self->value[a->term[i].atom];
        } else {
            if (!opevo_i_print_constant(self, &atom->inner, &one))
                return false;
            one = atom->modulus ? one % atom->modulus : one / atom->divisor;
        }
        sum += a->term[i].factor * one;
    }
    *value = sum;
    return true;
}

void opevo_i_print_affine(opevo_i_printer *self, const opevo_i_affine *a)
{
    int64_t constant = a->constant;
    bool any = false;

    for (int i = 0; i < a->count; i++) {
        const opevo_i_atom *atom = &self->atoms->item[a->term[i].atom];
        opevo_i_affine one = opevo_i_affine_atom(a->term[i].atom);
        int64_t known = 0;
        int64_t factor = a->term[i].factor;

        if (opevo_i_print_constant(self, &one, &known)) {
            constant += factor * known;
            continue;
        }
        opevo_text_add(self->out, any ? " + " : "");
        any = true;
        if (factor != 1)
            opevo_text_printf(self->out, "%lld * ", (long long)factor);
        if (atom->is_loop) {
            opevo_text_printf(self->out, "v%d", a->term[i].atom);
            continue;
        }
        opevo_text_printf(self->out, "(%s)((%s)(", self->dialect->index,
                          self->dialect->unsigned_index);
        opevo_i_print_affine(self, &atom->inner);
        opevo_text_printf(self->out, ") %c %lldu)", atom->modulus ? '%' : '/',
                          (long long)(atom->modulus ? atom->modulus : atom->divisor));
    }
    if (constant || !any)
        opevo_text_printf(self->out, any ? (constant < 0 ? " - %lld" : " + %lld") : "%lld",
                          (long long)(any && constant < 0 ? -constant : constant));
}

/* 1 where a condition always holds here, 0 where it never does, -1 where it must be asked. */
static int decided(const opevo_i_printer *self, const opevo_i_condition *condition)
{
    int64_t value = 0;

    if (!opevo_i_print_constant(self, &condition->value, &value))
        return -1;
    return value >= condition->least && value < condition->limit;
}

int opevo_i_print_decided(const opevo_i_printer *self, const opevo_i_conditions *conditions)
{
    int all = 1;

    for (int i = 0; i < conditions->count; i++) {
        int one = decided(self, &conditions->item[i]);

        if (one == 0)
            return 0;
        if (one < 0)
            all = -1;
    }
    return all;
}

void opevo_i_print_conditions(opevo_i_printer *self, const opevo_i_conditions *conditions)
{
    bool any = false;

    for (int i = 0; i < conditions->count; i++) {
        const opevo_i_condition *one = &conditions->item[i];

        if (decided(self, one) == 1)
            continue;
        if (opevo_i_affine_least(self->atoms, &one->value) < one->least) {
            opevo_text_add(self->out, any ? " && " : "");
            opevo_i_print_affine(self, &one->value);
            opevo_text_printf(self->out, " >= %lld", (long long)one->least);
            any = true;
        }
        if (opevo_i_affine_most(self->atoms, &one->value) >= one->limit) {
            opevo_text_add(self->out, any ? " && " : "");
            opevo_i_print_affine(self, &one->value);
            opevo_text_printf(self->out, " < %lld", (long long)one->limit);
            any = true;
        }
    }
    if (!any)
        opevo_text_add(self->out, "1");
}

void opevo_i_print_line(opevo_i_printer *self, const char *text)
{
    opevo_text_printf(self->out, "%*s%s\n", 4 * self->depth, "", text);
}

void opevo_i_print_indent(opevo_i_printer *self)
{
    opevo_text_printf(self->out, "%*s", 4 * self->depth, "");
}

/* ---- Accesses ---- */

static const char letters[] = "abcdefgh"; /* of the operands */

void opevo_i_print_signature(opevo_i_printer *self, const char *name, const char *pointer)
{
    opevo_operand_list list;

    opevo_operator_operands(&self->nest->schedule->op, &list);
    opevo_text_printf(self->out, "%s(", name);
    for (int i = 0; i < list.count; i++)
        opevo_text_printf(self->out, "%s%sfloat %s%c", i ? ", " : "",
                          i < list.inputs ? "const " : "", pointer, letters[i]);
    opevo_text_add(self->out, ")");
}

void opevo_i_print_buffer(opevo_i_printer *self, int buffer)
{
    if (buffer < 0)
        opevo_text_printf(self->out, "t%d", -1 - buffer);
    else if (buffer <= self->nest->schedule->compute.output)
        opevo_text_printf(self->out, "%c", letters[buffer]);
    else
        opevo_text_printf(self->out, "m%d", buffer);
}

void opevo_i_print_element(opevo_i_printer *self, const opevo_i_access *access)
{
    int64_t place = 0;

    if (access->buffer >= 0 && self->named[access->buffer] &&
        opevo_i_print_constant(self, &access->address, &place)) {
        opevo_text_printf(self->out, "r%d_%lld", access->buffer,
                          (long long)(place / self->named[access->buffer]));
        return;
    }
    for (int i = 0; i < self->places; i++) {
        opevo_i_affine rest =
            opevo_i_affine_add(self->atoms, access->address, -1, &self->place[i].address);

        if (self->place[i].buffer == access->buffer &&
            opevo_i_print_constant(self, &rest, &place)) {
            opevo_text_printf(self->out, "p%d[%lld]", i, (long long)place);
            return;
        }
    }
    opevo_i_print_buffer(self, access->buffer);
    opevo_text_add(self->out, "[");
    if (!self->dialect->gpu && !self->dialect->cpu &&
        self->nest->buffer[access->buffer].scope == OPEVO_SCOPE_LOCAL)
        opevo_text_printf(self->out, "thread * %lld + ",
                          (long long)self->nest->buffer[access->buffer].size);
    opevo_i_print_affine(self, &access->address);
    opevo_text_add(self->out, "]");
}

/* One element, whatever the dialect. */
void opevo_i_print_scalar(opevo_i_printer *self, const opevo_i_leaf *leaf)
{
    int keep = opevo_i_print_decided(self, &leaf->keep);
    int inside = opevo_i_print_decided(self, &leaf->inside);

    if (keep == 0)
        return;
    opevo_i_print_indent(self);
    if (keep < 0) {
        opevo_text_add(self->out, "if (");
        opevo_i_print_conditions(self, &leaf->keep);
        opevo_text_add(self->out, ") ");
    }
    opevo_i_print_element(self, &leaf->to);
    opevo_text_add(self->out,
                   leaf->kind == OPEVO_I_ADD || leaf->kind == OPEVO_I_MAC ? " += " : " = ");
    if (leaf->kind == OPEVO_I_ZERO || inside == 0) {
        opevo_text_add(self->out, "0.0f;\n");
        return;
    }
    if (inside < 0) {
        opevo_i_print_conditions(self, &leaf->inside);
        opevo_text_add(self->out, " ? ");
    }
    for (int i = 0; i < leaf->factors; i++) {
        opevo_text_add(self->out, i ? " * " : "");
        opevo_i_print_element(self, &leaf->factor[i]);
    }
    opevo_text_add(self->out, inside < 0 ? " : 0.0f;\n" : ";\n");
}

/* ---- Statements ---- */

void opevo_i_print_list(opevo_i_printer *self, const opevo_i_node *node)
{
    for (const opevo_i_node *one = node->first; one; one = one->next)
        opevo_i_print_node(self, one);
}

static void print_copies(opevo_i_printer *self, const opevo_i_node *node)
{
    bool outermost = self->dialect->cpu && !self->copying && node->extent > 1;

    if (outermost) {
        self->copying = true;
        opevo_i_print_line(self, "{");
        self->depth++;
        self->shared_depth = self->depth;
        opevo_i_print_cpu_places(self, node);
    }
    self->known[node->atom] = true;
    for (int64_t i = 0; i < node->extent; i++) {
        self->value[node->atom] = i;
        opevo_i_print_list(self, node);
    }
    self->known[node->atom] = false;
    if (outermost) {
        self->copying = false;
        self->places = 0;
        while (self->shared_count)
            opevo_text_free(&self->shared[--self->shared_count]);
        self->depth--;
        opevo_i_print_line(self, "}");
    }
}

void opevo_i_print_for(opevo_i_printer *self, int atom, int64_t extent)
{
    opevo_i_print_indent(self);
    opevo_text_printf(self->out, "for (%s v%d = 0; v%d < %lld; v%d++) {\n", self->dialect->index,
                      atom, atom, (long long)extent, atom);
    self->depth++;
}

void opevo_i_print_end(opevo_i_printer *self)
{
    self->depth--;
    opevo_i_print_line(self, "}");
}

static void print_loop(opevo_i_printer *self, const opevo_i_node *node)
{
    const opevo_i_leaf *leaf = opevo_i_node_only_leaf(node);
    opevo_annotation what = node->annotation;

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
    if (self->dialect->cpu && what == OPEVO_ANNOTATION_PARALLEL)
        opevo_i_print_line(self, "#pragma omp parallel for");
    opevo_i_print_for(self, node->atom, node->extent);
    if (self->dialect->cpu && what == OPEVO_ANNOTATION_PARALLEL)
        opevo_i_print_cpu_buffers(self, true);
    opevo_i_print_list(self, node);
    opevo_i_print_end(self);
}

static void print_if(opevo_i_printer *self, const opevo_i_node *node)
{
    int holds = opevo_i_print_decided(self, &node->conditions);

    if (holds >= 0) {
        if (holds || node->otherwise)
            opevo_i_print_list(self, holds ? node : node->otherwise);
        return;
    }
    opevo_i_print_indent(self);
    opevo_text_add(self->out, "if (");
    opevo_i_print_conditions(self, &node->conditions);
    opevo_text_add(self->out, ") {\n");
    self->depth++;
    opevo_i_print_list(self, node);
    self->depth--;
    if (node->otherwise) {
        opevo_i_print_line(self, "} else {");
        self->depth++;
        opevo_i_print_list(self, node->otherwise);
        self->depth--;
    }
    opevo_i_print_line(self, "}");
}

static void print_let(opevo_i_printer *self, const opevo_i_node *node)
{
    int64_t value = 0;

    if (opevo_i_print_constant(self, &node->value, &value)) {
        self->known[node->atom] = true;
        self->value[node->atom] = value;
        opevo_i_print_list(self, node);
        self->known[node->atom] = false;
        return;
    }
    opevo_i_print_line(self, "{");
    self->depth++;
    opevo_i_print_indent(self);
    opevo_text_printf(self->out, "const %s v%d = ", self->dialect->index, node->atom);
    opevo_i_print_affine(self, &node->value);
    opevo_text_add(self->out, ";\n");
    opevo_i_print_list(self, node);
    opevo_i_print_end(self);
}

void opevo_i_print_node(opevo_i_printer *self, const opevo_i_node *node)
{
    switch (node->kind) {
    case OPEVO_I_LOOP:
        print_loop(self, node);
        break;
    case OPEVO_I_LET:
        print_let(self, node);
        break;
    case OPEVO_I_IF:
        print_if(self, node);
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

/* ---- A whole kernel ---- */

static void set_launch(const opevo_i_printer *self, const opevo_limits *limits, opevo_kernel *out)
{
    int64_t shared = 0;

    snprintf(out->entry, sizeof out->entry, "opevo_kernel");
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

/* Whether 32 bits can count the elements of every tensor. */
static bool is_small(const opevo_i_nest *nest)
{
    for (int t = 0; t <= nest->schedule->compute.output; t++) {
        const opevo_i_tensor *tensor = &nest->schedule->compute.tensor[t];
        double size = 1;

        for (int d = 0; d < tensor->dims; d++)
            size *= (double)tensor->extent[d] + 4096;
        if (size > 0x1p31)
            return false;
    }
    return true;
}

void opevo_i_nest_print(const opevo_i_nest *nest, opevo_kernel_dialect dialect,
                        const opevo_limits *limits, opevo_kernel *out)
{
    opevo_i_dialect spelling = dialects[dialect];
    opevo_i_printer self = {.nest = nest,
                            .atoms = &nest->schedule->atoms,
                            .dialect = &spelling,
                            .out = &out->source,
                            .dynamic_at = -1};

    self.known = opevo_calloc(self.atoms->count, sizeof *self.known);
    self.value = opevo_calloc(self.atoms->count, sizeof *self.value);
    if (!self.known || !self.value) {
        out->source.failed = true;
        goto cleanup;
    }
    if (spelling.gpu && !is_small(nest)) {
        spelling.index = "long long";
        spelling.unsigned_index = "unsigned long long";
    }
    out->dialect = dialect;
    set_launch(&self, limits, out);
    if (out->dynamic_shared_bytes)
        self.dynamic_at = 0;
    opevo_text_add(self.out, self.dialect->head);
    if (self.dialect->cpu)
        opevo_i_print_cpu(&self);
    else if (self.dialect->gpu)
        opevo_i_print_gpu(&self);
    else
        opevo_i_print_emulation(&self);
cleanup:
    opevo_free(self.known);
    opevo_free(self.value);
}
