/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What GPU dialects and their emulation have of their own: copies of two or four elements at once,
 * shared memory, blocks and threads. */

#include "print_internal.h"

/* ---- Vectors of a GPU ---- */

/* Whether the conditions hold for all lanes or for none. */
static bool same_for_all(const opevo_i_printer *self, const opevo_i_conditions *conditions,
                         int lanes, int64_t width)
{
    for (int i = 0; i < conditions->count; i++) {
        const opevo_i_condition *one = &conditions->item[i];

        if (opevo_i_affine_uses(self->atoms, &one->value, lanes) &&
            (opevo_i_affine_factor(&one->value, lanes) != 1 ||
             !opevo_i_affine_is_aligned(&one->value, lanes, width) || one->least % width ||
             one->limit % width))
            return false;
    }
    return true;
}

/* Whether its lanes lie side by side, at a multiple of the width. */
static bool is_vector(const opevo_i_printer *self, const opevo_i_access *access, int lanes,
                      int64_t width)
{
    opevo_i_affine rest = access->address;
    opevo_i_affine lane = opevo_i_affine_atom(lanes);

    if (opevo_i_affine_factor(&rest, lanes) != 1)
        return false;
    rest = opevo_i_affine_add(self->atoms, rest, -1, &lane);
    return !opevo_i_affine_uses(self->atoms, &rest, lanes) &&
           opevo_i_affine_is_aligned(&rest, lanes, width);
}

static void print_lanes(opevo_i_printer *self, const opevo_i_access *access, int lanes,
                        int64_t width, bool from)
{
    static const char names[4] = {'x', 'y', 'z', 'w'};

    for (int64_t i = 0; i < width; i++) {
        self->value[lanes] = i;
        opevo_i_print_indent(self);
        if (from) {
            opevo_text_printf(self->out, "t.%c = ", names[i]);
            opevo_i_print_element(self, access);
        } else {
            opevo_i_print_element(self, access);
            opevo_text_printf(self->out, " = t.%c", names[i]);
        }
        opevo_text_add(self->out, ";\n");
    }
    self->value[lanes] = 0;
}

static void print_vector_place(opevo_i_printer *self, const opevo_i_access *access, int64_t width,
                               bool constant)
{
    opevo_text_printf(self->out, "*(%sfloat%lld *)&", constant ? "const " : "", (long long)width);
    opevo_i_print_element(self, access);
}

static void open_if(opevo_i_printer *self, const opevo_i_conditions *conditions)
{
    opevo_i_print_indent(self);
    if (opevo_i_print_decided(self, conditions) != 1) {
        opevo_text_add(self->out, "if (");
        opevo_i_print_conditions(self, conditions);
        opevo_text_add(self->out, ") ");
    }
}

/* The lanes of `t` from where they come from, and to where they go; where that is no vector in memory,
 * one by one. */
static void print_short_copy(opevo_i_printer *self, const opevo_i_leaf *leaf, int lanes,
                             int64_t width, bool from, bool to)
{
    opevo_i_print_indent(self);
    opevo_text_printf(self->out, "float%lld t = %s;\n", (long long)width,
                      width == 2 ? "{0.0f, 0.0f}" : "{0.0f, 0.0f, 0.0f, 0.0f}");
    open_if(self, &leaf->inside);
    if (from) {
        opevo_text_add(self->out, "t = ");
        print_vector_place(self, &leaf->factor[0], width, true);
        opevo_text_add(self->out, ";\n");
    } else {
        opevo_text_add(self->out, "{\n");
        self->depth++;
        print_lanes(self, &leaf->factor[0], lanes, width, true);
        self->depth--;
        opevo_i_print_line(self, "}");
    }
    if (!to) {
        print_lanes(self, &leaf->to, lanes, width, false);
        return;
    }
    opevo_i_print_indent(self);
    print_vector_place(self, &leaf->to, width, false);
    opevo_text_add(self->out, " = t;\n");
}

/* A copy of two or four elements at once; false where it must go one by one. */
bool opevo_i_print_short_vector(opevo_i_printer *self, const opevo_i_node *loop,
                                const opevo_i_leaf *leaf)
{
    int lanes = loop->atom;
    int64_t width = loop->extent;
    bool from = leaf->kind == OPEVO_I_COPY &&
                self->nest->buffer[leaf->factor[0].buffer].scope != OPEVO_SCOPE_LOCAL &&
                is_vector(self, &leaf->factor[0], lanes, width);
    bool to = self->nest->buffer[leaf->to.buffer].scope != OPEVO_SCOPE_LOCAL &&
              is_vector(self, &leaf->to, lanes, width);

    if (leaf->kind != OPEVO_I_COPY || (width != 2 && width != 4) || (!from && !to) ||
        !same_for_all(self, &leaf->keep, lanes, width) ||
        !same_for_all(self, &leaf->inside, lanes, width))
        return false;
    self->known[lanes] = true;
    self->value[lanes] = 0;
    open_if(self, &leaf->keep);
    opevo_text_add(self->out, "{\n");
    self->depth++;
    print_short_copy(self, leaf, lanes, width, from, to);
    self->depth--;
    opevo_i_print_line(self, "}");
    self->known[lanes] = false;
    return true;
}

/* ---- Emulation: the loops over threads are opened again after each barrier ---- */

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
    print_uniform_list(self, node); /* lists; conditions and values never hold a barrier */
}

/* ---- A whole kernel ---- */

static void declare_buffers(opevo_i_printer *self, opevo_scope scope)
{
    int64_t threads = 1;

    for (int i = 0; i < 3; i++)
        threads *= self->nest->bound_extent[thread_axes[i]];
    for (int i = self->nest->schedule->compute.output + 1; i < OPEVO_I_BUFFERS; i++) {
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
    int64_t threads = 1;

    for (int i = 0; i < 3; i++)
        threads *= self->nest->bound_extent[thread_axes[i]];
    opevo_text_printf(self->out, "extern \"C\" __global__ void __launch_bounds__(%lld)\n",
                      (long long)threads);
    opevo_i_print_signature(self, "opevo_kernel", "*__restrict__ ");
    opevo_text_add(self->out, "\n{\n");
    self->depth = 1;
    if (self->dynamic_at >= 0)
        opevo_i_print_line(self, "extern __shared__ __align__(16) float shared_memory[];");
    declare_buffers(self, OPEVO_SCOPE_SHARED);
    declare_buffers(self, OPEVO_SCOPE_LOCAL);
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

void opevo_i_print_emulation(opevo_i_printer *self)
{
    static const opevo_annotation block_axes[3] = {
        OPEVO_ANNOTATION_BLOCK_Z, OPEVO_ANNOTATION_BLOCK_Y, OPEVO_ANNOTATION_BLOCK_X};

    opevo_i_print_signature(self, "void opevo_kernel", "*");
    opevo_text_add(self->out, ";\n");
    opevo_i_print_signature(self, "void opevo_kernel", "*");
    opevo_text_add(self->out, "\n{\n");
    self->depth = 1;
    declare_buffers(self, OPEVO_SCOPE_SHARED);
    declare_buffers(self, OPEVO_SCOPE_LOCAL);
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
