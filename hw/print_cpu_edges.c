/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Where rows end: vectors stored in pieces, and copies that find out once which part of a row lies inside
 * its tensor. */

#include "print_cpu_internal.h"

/* ---- Pieces of a vector ---- */

/* Whether every quotient and remainder that the lane occurs in advances one by one. */
static bool advances_by_one(const opevo_i_printer *self, const opevo_i_affine *a, int lane)
{
    for (int i = 0; i < a->count; i++) {
        const opevo_i_atom *atom = &self->atoms->item[a->term[i].atom];

        if (atom->is_loop || !opevo_i_affine_uses(self->atoms, &atom->inner, lane))
            continue;
        for (int j = 0; j < atom->inner.count; j++) {
            if (!self->atoms->item[atom->inner.term[j].atom].is_loop)
                return false;
        }
        if (opevo_i_affine_factor(&atom->inner, lane) != 1)
            return false;
    }
    return true;
}

/* "if (end > lane + what is left of the row) end = ...": no piece goes on over the end of a row. */
static void print_row_ends(opevo_i_printer *self, const opevo_i_affine *a, int lane)
{
    for (int i = 0; i < a->count; i++) {
        const opevo_i_atom *atom = &self->atoms->item[a->term[i].atom];
        int64_t turn = atom->modulus ? atom->modulus : atom->divisor;

        if (atom->is_loop || !opevo_i_affine_uses(self->atoms, &atom->inner, lane))
            continue;
        opevo_i_print_indent(self);
        opevo_text_printf(self->out, "end = opevo_least(end, v%d + %lld - (long)((unsigned long)(",
                          lane, (long long)turn);
        opevo_i_print_affine(self, &atom->inner);
        opevo_text_printf(self->out, ") %% %lldu));\n", (long long)turn);
    }
}

/* From which lane to which the conditions hold in a piece. */
static void print_piece_bounds(opevo_i_printer *self, const opevo_i_conditions *conditions,
                               int lane)
{
    for (int i = 0; i < conditions->count; i++) {
        const opevo_i_condition *one = &conditions->item[i];
        int64_t factor = 0;

        opevo_i_lane_factor(self, &one->value, lane, &factor);
        if (opevo_i_affine_least(self->atoms, &one->value) < one->least) {
            opevo_i_print_indent(self);
            opevo_text_printf(self->out,
                              factor ? "low = -opevo_least(-low, -(v%d + %lld - ("
                                     : "high = v%d + %lld > (",
                              lane, (long long)one->least);
            opevo_i_print_affine(self, &one->value);
            opevo_text_printf(self->out, factor ? ")));\n" : ") + v%d ? low : high;\n", lane);
        }
        if (opevo_i_affine_most(self->atoms, &one->value) >= one->limit) {
            opevo_i_print_indent(self);
            opevo_text_printf(self->out,
                              factor ? "high = opevo_least(high, v%d + %lld - ("
                                     : "high = v%d + %lld <= (",
                              lane, (long long)one->limit);
            opevo_i_print_affine(self, &one->value);
            opevo_text_printf(self->out, factor ? "));\n" : ") + v%d ? low : high;\n", lane);
        }
    }
}

static bool unit_factors(const opevo_i_printer *self, const opevo_i_conditions *conditions,
                         int lane)
{
    for (int i = 0; i < conditions->count; i++) {
        int64_t factor = 0;

        if (!advances_by_one(self, &conditions->item[i].value, lane) ||
            !opevo_i_lane_factor(self, &conditions->item[i].value, lane, &factor) || factor < 0 ||
            factor > 1)
            return false;
    }
    return true;
}

/* A vector to memory in as few pieces as rows are touched; false where its lanes go one by one. */
bool opevo_i_print_pieces(opevo_i_printer *self, const opevo_i_vector_loop *loop)
{
    const opevo_i_leaf *leaf = loop->leaf;
    int lane = loop->lane;

    if ((leaf->kind != OPEVO_I_COPY && leaf->kind != OPEVO_I_ADD) || leaf->inside.count ||
        self->named[leaf->a.buffer] != (int)loop->width || self->named[leaf->to.buffer] ||
        !advances_by_one(self, &leaf->to.address, lane) || !unit_factors(self, &leaf->keep, lane))
        return false;
    opevo_i_print_indent(self);
    opevo_text_printf(self->out, "for (long v%d = 0, end; v%d < %d; v%d = end) {\n", lane, lane,
                      (int)loop->width, lane);
    self->depth++;
    opevo_i_print_indent(self);
    opevo_text_printf(self->out, "long low = v%d, high;\n", lane);
    opevo_i_print_indent(self);
    opevo_text_printf(self->out, "end = %d;\n", (int)loop->width);
    print_row_ends(self, &leaf->to.address, lane);
    for (int i = 0; i < leaf->keep.count; i++)
        print_row_ends(self, &leaf->keep.item[i].value, lane);
    opevo_i_print_line(self, "high = end;");
    print_piece_bounds(self, &leaf->keep, lane);
    opevo_i_print_indent(self);
    opevo_text_printf(self->out, "opevo_%s%d(", leaf->kind == OPEVO_I_ADD ? "add" : "put",
                      (int)loop->width);
    opevo_i_print_buffer(self, leaf->to.buffer);
    opevo_text_add(self->out, " + (");
    opevo_i_print_affine(self, &leaf->to.address);
    opevo_text_printf(self->out, " - v%d), ", lane);
    opevo_i_print_operand(self, loop, &leaf->a, true);
    opevo_text_add(self->out, ", low, high);\n");
    self->depth--;
    opevo_i_print_line(self, "}");
    self->uses_pieces = true;
    return true;
}

/* ---- Rows ---- */

/* A factor that is the same everywhere, outside quotients and remainders. */
static bool plain_factor(const opevo_i_printer *self, const opevo_i_affine *a, int atom,
                         int64_t *factor)
{
    opevo_i_affine rest = *a;
    opevo_i_affine one = opevo_i_affine_atom(atom);

    *factor = opevo_i_affine_factor(a, atom);
    rest = opevo_i_affine_add(self->atoms, rest, -*factor, &one);
    return !opevo_i_affine_uses(self->atoms, &rest, atom);
}

static bool plain_conditions(const opevo_i_printer *self, const opevo_i_conditions *conditions,
                             int atom, bool from_zero)
{
    for (int i = 0; i < conditions->count; i++) {
        const opevo_i_condition *one = &conditions->item[i];
        int64_t factor = 0;

        if (!plain_factor(self, &one->value, atom, &factor) || factor < 0 ||
            (from_zero && factor && opevo_i_affine_least(self->atoms, &one->value) < one->least))
            return false;
    }
    return true;
}

/* "if (limit - e < factor * count) count = ...": where a growing value passes a limit. */
static void print_passing(opevo_i_printer *self, const opevo_i_condition *one, int atom,
                          int64_t bound, const char *name, const char *relation)
{
    int64_t factor = opevo_i_affine_factor(&one->value, atom);

    opevo_i_print_indent(self);
    opevo_text_printf(self->out, "%s = %s(%s, ", name, relation, name);
    opevo_text_printf(self->out, "%lld - (", (long long)bound);
    opevo_i_print_at_first(self, &one->value, atom);
    opevo_text_printf(self->out, "), %lld);\n", (long long)factor);
}

static void print_bounds(opevo_i_printer *self, const opevo_i_leaf *leaf, int atom)
{
    for (int i = 0; i < leaf->keep.count; i++) {
        const opevo_i_condition *one = &leaf->keep.item[i];

        if (opevo_i_affine_factor(&one->value, atom))
            print_passing(self, one, atom, one->limit, "count", "opevo_upto");
    }
    for (int i = 0; i < leaf->inside.count; i++) {
        const opevo_i_condition *one = &leaf->inside.item[i];

        if (!opevo_i_affine_factor(&one->value, atom)) {
            opevo_i_conditions alone = {.count = 1};

            alone.item[0] = *one;
            opevo_i_print_indent(self);
            opevo_text_add(self->out, "if (!(");
            opevo_i_print_conditions(self, &alone);
            opevo_text_add(self->out, ")) high = 0;\n");
            continue;
        }
        print_passing(self, one, atom, one->least, "low", "opevo_from");
        print_passing(self, one, atom, one->limit, "high", "opevo_upto");
    }
}

enum { SHORTEST_ROW = 8 };

bool opevo_i_print_row(opevo_i_printer *self, const opevo_i_node *node, const opevo_i_leaf *leaf)
{
    int64_t to = 0;
    int64_t from = 0;
    int atom = node->atom;
    opevo_i_conditions around = {0};

    if (leaf->kind != OPEVO_I_COPY || node->extent < SHORTEST_ROW ||
        leaf->a.buffer > OPEVO_STAGE_B ||
        self->nest->buffer[leaf->to.buffer].scope != OPEVO_SCOPE_PACKED ||
        !plain_factor(self, &leaf->to.address, atom, &to) || to != 1 ||
        !plain_factor(self, &leaf->a.address, atom, &from) ||
        !plain_conditions(self, &leaf->keep, atom, true) ||
        !plain_conditions(self, &leaf->inside, atom, false))
        return false;
    for (int i = 0; i < leaf->keep.count; i++) {
        if (!opevo_i_affine_factor(&leaf->keep.item[i].value, atom))
            around.item[around.count++] = leaf->keep.item[i];
    }
    if (around.count) {
        opevo_i_print_indent(self);
        opevo_text_add(self->out, "if (");
        opevo_i_print_conditions(self, &around);
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
    self->known[atom] = true;
    self->value[atom] = 0;
    opevo_i_print_element(self, &leaf->to);
    opevo_text_add(self->out, ", ");
    opevo_i_print_buffer(self, leaf->a.buffer);
    opevo_text_add(self->out, ", ");
    opevo_i_print_affine(self, &leaf->a.address);
    self->known[atom] = false;
    opevo_text_printf(self->out, ", %lld, low, high, count);\n", (long long)from);
    self->depth--;
    opevo_i_print_line(self, "}");
    self->uses_rows = true;
    return true;
}
