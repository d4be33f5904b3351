/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Loops that copy a row: which part of it lies inside its tensor is found once. */

#include "print_cpu_internal.h"

static bool plain_guards(const opevo_i_print_printer *self, const opevo_i_nest_guards *guards,
                         int atom, bool from_zero)
{
    for (int i = 0; i < guards->count; i++) {
        const opevo_i_nest_guard *one = &guards->item[i];
        int64_t factor = 0;

        if (!opevo_i_print_plain_factor(self, &one->value, atom, &factor) || factor < 0 ||
            (from_zero && factor && opevo_i_affine_least(self->atoms, &one->value) < one->least))
            return false;
    }
    return true;
}

/* "if (limit - e < factor * count) count = ...": where a growing value passes a limit. */
static void print_passing(opevo_i_print_printer *self, const opevo_i_nest_guard *one, int atom,
                          int64_t bound, const char *name, const char *relation)
{
    int64_t factor = opevo_i_affine_factor(&one->value, atom);

    opevo_i_print_indent(self);
    opevo_text_printf(self->out, "%s = %s(%s, ", name, relation, name);
    opevo_text_printf(self->out, "%lld - (", (long long)bound);
    opevo_i_print_at_first(self, &one->value, atom);
    opevo_text_printf(self->out, "), %lld);\n", (long long)factor);
}

static void print_bounds(opevo_i_print_printer *self, const opevo_i_nest_leaf *leaf, int atom)
{
    for (int i = 0; i < leaf->keep.count; i++) {
        const opevo_i_nest_guard *one = &leaf->keep.item[i];

        if (opevo_i_affine_factor(&one->value, atom))
            print_passing(self, one, atom, one->limit, "count", "opevo_upto");
    }
    for (int i = 0; i < leaf->inside.count; i++) {
        const opevo_i_nest_guard *one = &leaf->inside.item[i];

        if (!opevo_i_affine_factor(&one->value, atom)) {
            opevo_i_nest_guards alone = {.count = 1};

            alone.item[0] = *one;
            opevo_i_print_indent(self);
            opevo_text_add(self->out, "if (!(");
            opevo_i_print_guards(self, &alone);
            opevo_text_add(self->out, ")) high = 0;\n");
            continue;
        }
        print_passing(self, one, atom, one->least, "low", "opevo_from");
        print_passing(self, one, atom, one->limit, "high", "opevo_upto");
    }
}

/* A row has conditions at both ends, which cost more than the elements of a shorter one. */
enum { SHORTEST_ROW = 4 };

bool opevo_i_print_row(opevo_i_print_printer *self, const opevo_i_nest_node *node,
                       const opevo_i_nest_leaf *leaf)
{
    int64_t to = 0;
    int64_t from = 0;
    int atom = node->atom;
    opevo_i_nest_guards around = {0};

    if (leaf->kind != OPEVO_I_COPY || node->extent < SHORTEST_ROW ||
        self->nest->buffer[leaf->to.buffer].element != OPEVO_FLOAT32 ||
        self->nest->buffer[leaf->factor[0].buffer].element != OPEVO_FLOAT32 ||
        leaf->factor[0].buffer >= self->nest->inputs ||
        self->nest->buffer[leaf->to.buffer].scope != OPEVO_SCOPE_PACKED ||
        !opevo_i_print_plain_factor(self, &leaf->to.address, atom, &to) || to != 1 ||
        !opevo_i_print_plain_factor(self, &leaf->factor[0].address, atom, &from) || from < 1 ||
        !plain_guards(self, &leaf->keep, atom, true) ||
        !plain_guards(self, &leaf->inside, atom, false))
        return false;
    for (int i = 0; i < leaf->keep.count; i++) {
        if (!opevo_i_affine_factor(&leaf->keep.item[i].value, atom))
            around.item[around.count++] = leaf->keep.item[i];
    }
    if (around.count) {
        opevo_i_print_indent(self);
        opevo_text_add(self->out, "if (");
        opevo_i_print_guards(self, &around);
        opevo_text_add(self->out, ")\n");
    }
    opevo_i_print_line(self, "{");
    self->depth++;
    opevo_i_print_indent(self);
    opevo_text_printf(self->out, "long low = 0, high = %lld, count = %lld;\n",
                      (long long)node->extent, (long long)node->extent);
    print_bounds(self, leaf, atom);
    opevo_i_print_indent(self);
    opevo_text_add(self->out, "opevo_row(&");
    opevo_i_print_fix(self, atom, 0);
    opevo_i_print_element(self, &leaf->to);
    opevo_text_add(self->out, ", ");
    opevo_i_print_buffer(self, leaf->factor[0].buffer);
    opevo_text_add(self->out, ", ");
    opevo_i_print_affine(self, &leaf->factor[0].address);
    opevo_i_print_release(self, atom);
    opevo_text_printf(self->out, ", %lld, low, high, count);\n", (long long)from);
    self->depth--;
    opevo_i_print_line(self, "}");
    self->uses_rows = true;
    return true;
}

/* ---- Sums of lanes ---- */

/* A vector of AVX-512, and no more of them in one expression than take a compiler no time. */
enum { SUMMED_LANES = 16, SUMMED_VECTORS = 16 };

bool opevo_i_print_lane_sum(opevo_i_print_printer *self, const opevo_i_nest_node *node,
                            const opevo_i_nest_leaf *leaf)
{
    int64_t factor = 0;
    int atom = node->atom;

    if (leaf->kind != OPEVO_I_ADD || leaf->keep.count || leaf->inside.count ||
        node->extent % SUMMED_LANES || node->extent > SUMMED_LANES * SUMMED_VECTORS ||
        opevo_i_print_stored_type(self, leaf->to.buffer) != OPEVO_FLOAT32 ||
        opevo_i_print_stored_type(self, leaf->factor[0].buffer) != OPEVO_FLOAT32 ||
        self->named[leaf->to.buffer] > 1 || self->named[leaf->factor[0].buffer] ||
        opevo_i_affine_uses(self->atoms, &leaf->to.address, atom) ||
        !opevo_i_print_plain_factor(self, &leaf->factor[0].address, atom, &factor) || factor != 1)
        return false;
    opevo_i_print_indent(self);
    opevo_i_print_element(self, &leaf->to);
    opevo_text_printf(self->out, " += opevo_sum%d(", SUMMED_LANES);
    for (int64_t i = 0; i < node->extent; i += SUMMED_LANES) {
        opevo_i_print_fix(self, atom, i);
        opevo_text_printf(self->out, "%s*(const V%d *)&", i ? " + " : "", SUMMED_LANES);
        opevo_i_print_element(self, &leaf->factor[0]);
    }
    opevo_i_print_release(self, atom);
    opevo_text_add(self->out, ");\n");
    self->uses_sums = true;
    return true;
}
