/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Copies of two or four elements at once in GPU dialects and their emulation. */

#include "print_internal.h"

/* Whether the guards hold for all lanes or for none. */
static bool same_for_all(const opevo_i_print_printer *self, const opevo_i_nest_guards *guards,
                         int lanes, int64_t width)
{
    for (int i = 0; i < guards->count; i++) {
        const opevo_i_nest_guard *one = &guards->item[i];

        if (opevo_i_affine_uses(self->atoms, &one->value, lanes) &&
            (opevo_i_affine_factor(&one->value, lanes) != 1 ||
             !opevo_i_affine_is_aligned(&one->value, lanes, width) || one->least % width ||
             one->limit % width))
            return false;
    }
    return true;
}

/* Whether its lanes lie side by side, at a multiple of the width. */
static bool is_vector(const opevo_i_print_printer *self, const opevo_i_nest_access *access,
                      int lanes, int64_t width)
{
    opevo_i_affine rest = access->address;
    opevo_i_affine lane = opevo_i_affine_of_atom(lanes);

    if (opevo_i_affine_factor(&rest, lanes) != 1)
        return false;
    rest = opevo_i_affine_add(self->atoms, rest, -1, &lane);
    return !opevo_i_affine_uses(self->atoms, &rest, lanes) &&
           opevo_i_affine_is_aligned(&rest, lanes, width);
}

static void print_lanes(opevo_i_print_printer *self, const opevo_i_nest_access *access, int lanes,
                        int64_t width, bool from)
{
    static const char names[4] = {'x', 'y', 'z', 'w'};

    for (int64_t i = 0; i < width; i++) {
        opevo_i_print_fix(self, lanes, i);
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
    opevo_i_print_fix(self, lanes, 0);
}

/* "float" of float4. */
static const char *vector_text(opevo_element element)
{
    static const char *const names[] = {[OPEVO_FLOAT32] = "float",
                                        [OPEVO_FLOAT16] = "ushort",
                                        [OPEVO_BFLOAT16] = "ushort",
                                        [OPEVO_INT8] = "char",
                                        [OPEVO_INT32] = "int"};

    return names[element];
}

static void print_vector_place(opevo_i_print_printer *self, const opevo_i_nest_access *access,
                               int64_t width, bool constant)
{
    opevo_text_printf(self->out, "*(%s%s%s%lld *)&",
                      opevo_i_print_pointer_space(self, access->buffer), constant ? "const " : "",
                      vector_text(opevo_i_print_stored_type(self, access->buffer)),
                      (long long)width);
    opevo_i_print_element(self, access);
}

static void open_if(opevo_i_print_printer *self, const opevo_i_nest_guards *guards)
{
    opevo_i_print_indent(self);
    if (opevo_i_print_decided(self, guards) != 1) {
        opevo_text_add(self->out, "if (");
        opevo_i_print_guards(self, guards);
        opevo_text_add(self->out, ") ");
    }
}

/* The lanes of `t` from where they come from, and to where they go; where that is not a vector in
 * memory, one by one. */
static void print_short_copy(opevo_i_print_printer *self, const opevo_i_nest_leaf *leaf, int lanes,
                             int64_t width, bool from, bool to)
{
    opevo_element stored = opevo_i_print_stored_type(self, leaf->to.buffer);
    const char *zero = opevo_i_print_zero_text(stored);

    opevo_i_print_indent(self);
    opevo_text_printf(self->out, "%s%lld t = ", vector_text(stored), (long long)width);
    if (self->dialect->opencl)
        opevo_text_printf(self->out, "(%s%lld)(%s);\n", vector_text(stored), (long long)width,
                          zero);
    for (int64_t i = 0; i < width && !self->dialect->opencl; i++)
        opevo_text_printf(self->out, "%s%s%s", i ? ", " : "{", zero, i + 1 < width ? "" : "};\n");
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
bool opevo_i_print_short_vector(opevo_i_print_printer *self, const opevo_i_nest_node *loop,
                                const opevo_i_nest_leaf *leaf)
{
    int lanes = loop->atom;
    int64_t width = loop->extent;
    bool from = leaf->kind == OPEVO_I_COPY &&
                self->nest->buffer[leaf->factor[0].buffer].scope != OPEVO_SCOPE_LOCAL &&
                is_vector(self, &leaf->factor[0], lanes, width);
    bool to = self->nest->buffer[leaf->to.buffer].scope != OPEVO_SCOPE_LOCAL &&
              is_vector(self, &leaf->to, lanes, width);

    if (leaf->kind != OPEVO_I_COPY || (width != 2 && width != 4) || (!from && !to) ||
        opevo_i_print_stored_type(self, leaf->factor[0].buffer) !=
            opevo_i_print_stored_type(self, leaf->to.buffer) ||
        !same_for_all(self, &leaf->keep, lanes, width) ||
        !same_for_all(self, &leaf->inside, lanes, width))
        return false;
    opevo_i_print_fix(self, lanes, 0);
    open_if(self, &leaf->keep);
    opevo_text_add(self->out, "{\n");
    self->depth++;
    print_short_copy(self, leaf, lanes, width, from, to);
    self->depth--;
    opevo_i_print_line(self, "}");
    opevo_i_print_release(self, lanes);
    return true;
}
