/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Vectors that are written under a mask, where not all lanes lie inside their tensor. */

#include "print_cpu_internal.h"

#include <string.h>

/* The remainder that a guard is about, NULL for any other guard. */
static const opevo_i_atom *remainder_of(const opevo_i_printer *self, const opevo_i_guard *one)
{
    const opevo_i_atom *atom = NULL;

    if (one->value.count != 1 || one->value.constant || one->value.term[0].factor != 1)
        return NULL;
    atom = &self->atoms->item[one->value.term[0].atom];
    return atom->modulus ? atom : NULL;
}

static bool advances(const opevo_i_printer *self, const opevo_i_affine *a, int lane)
{
    int64_t factor = 0;

    return opevo_i_plain_factor(self, a, lane, &factor) && factor == 1;
}

/* Whether a mask can say in which lanes the guard holds. */
static bool can_mask(const opevo_i_printer *self, const opevo_i_guard *one, int lane)
{
    const opevo_i_atom *remainder = remainder_of(self, one);

    if (!opevo_i_affine_uses(self->atoms, &one->value, lane) || advances(self, &one->value, lane))
        return true;
    return remainder && one->least <= 0 && advances(self, &remainder->inner, lane);
}

static bool can_mask_all(const opevo_i_printer *self, const opevo_i_guards *keep, int lane)
{
    for (int i = 0; i < keep->count; i++) {
        if (!can_mask(self, &keep->item[i], lane))
            return false;
    }
    return true;
}

static void print_one_mask(opevo_i_printer *self, const opevo_i_guard *one, int lane)
{
    const opevo_i_atom *remainder = remainder_of(self, one);

    if (!opevo_i_affine_uses(self->atoms, &one->value, lane)) {
        opevo_i_guards alone = {.count = 1};

        alone.item[0] = *one;
        opevo_text_add(self->out, "(");
        opevo_i_print_guards(self, &alone);
        opevo_text_add(self->out, " ? 65535 : 0)");
    } else if (remainder) {
        opevo_text_add(self->out, "opevo_turns(");
        opevo_i_print_at_first(self, &remainder->inner, lane);
        opevo_text_printf(self->out, ", %lld, %lld)", (long long)remainder->modulus,
                          (long long)one->limit);
    } else {
        opevo_text_add(self->out, "opevo_lanes(");
        if (opevo_i_affine_least(self->atoms, &one->value) < one->least) {
            opevo_text_printf(self->out, "%lld - (", (long long)one->least);
            opevo_i_print_at_first(self, &one->value, lane);
            opevo_text_add(self->out, ")");
        } else {
            opevo_text_add(self->out, "0");
        }
        opevo_text_printf(self->out, ", %lld - (", (long long)one->limit);
        opevo_i_print_at_first(self, &one->value, lane);
        opevo_text_add(self->out, "))");
    }
}

static void print_mask(opevo_i_printer *self, const opevo_i_guards *keep, int lane)
{
    for (int i = 0; i < keep->count; i++) {
        opevo_text_add(self->out, i ? " & " : "");
        print_one_mask(self, &keep->item[i], lane);
    }
    if (!keep->count)
        opevo_text_add(self->out, "65535");
}

/* Where lanes lie in rows of which only a first part is kept,
 * and these parts side by side in memory:
 *
 *     address = rest + kept * (e / turn) + e % turn    for   e % turn < kept,
 *
 * the lanes that are kept go to neighbouring places. */
typedef struct kept_rows {
    const opevo_i_affine *e;
    int64_t turn, kept;
    opevo_i_affine rest;
} kept_rows;

/* Whether a guard cuts lanes off at the end only. */
static bool cuts_end(const opevo_i_printer *self, const opevo_i_guard *one, int lane)
{
    return !opevo_i_affine_uses(self->atoms, &one->value, lane) ||
           (advances(self, &one->value, lane) &&
            opevo_i_affine_least(self->atoms, &one->value) >= one->least);
}

static bool find_kept_rows(const opevo_i_printer *self, const opevo_i_leaf *leaf, int lane,
                           kept_rows *rows)
{
    const opevo_i_affine *address = &leaf->to.address;
    int others = 0;

    for (int i = 0; i < leaf->keep.count; i++)
        others += !cuts_end(self, &leaf->keep.item[i], lane);
    for (int i = 0; i < leaf->keep.count && others == 1; i++) {
        const opevo_i_atom *remainder = remainder_of(self, &leaf->keep.item[i]);
        opevo_i_affine row = {.overflow = true};

        if (!remainder || !advances(self, &remainder->inner, lane))
            continue;
        for (int j = 0; j < address->count; j++) {
            const opevo_i_atom *atom = &self->atoms->item[address->term[j].atom];

            if (!atom->is_loop && !atom->modulus && atom->divisor == remainder->modulus &&
                address->term[j].factor == leaf->keep.item[i].limit &&
                opevo_i_affine_equal(&atom->inner, &remainder->inner))
                row = opevo_i_affine_atom(address->term[j].atom);
        }
        *rows = (kept_rows){&remainder->inner, remainder->modulus, leaf->keep.item[i].limit, {0}};
        rows->rest = opevo_i_affine_add(self->atoms, *address, -rows->kept, &row);
        rows->rest = opevo_i_affine_add(self->atoms, rows->rest, -1, &leaf->keep.item[i].value);
        if (!rows->rest.overflow && !opevo_i_affine_uses(self->atoms, &rows->rest, lane))
            return true;
    }
    return false;
}

/* What statements that are repeated as text have in common is worked out once, in a variable that
 * takes the place of the expression. */
static void share(opevo_i_printer *self, opevo_text *expression)
{
    int found = 0;

    if (!self->copying || self->depth != self->shared_depth || expression->failed)
        return;
    while (found < self->shared_count &&
           strcmp(opevo_text_string(&self->shared[found]), opevo_text_string(expression)) != 0)
        found++;
    if (found == OPEVO_I_SHARED)
        return;
    if (found == self->shared_count) {
        opevo_i_print_indent(self);
        opevo_text_printf(self->out, "const long k%d = %s;\n", found,
                          opevo_text_string(expression));
        opevo_text_add(&self->shared[self->shared_count++], opevo_text_string(expression));
    }
    opevo_text_clear(expression);
    opevo_text_printf(expression, "k%d", found);
}

/* Which lanes are written, and, unless `rows` is NULL, where the first of them goes after
 * `rest`. */
static void work_out(opevo_i_printer *self, const opevo_i_vector_loop *loop, const kept_rows *rows,
                     opevo_text *lanes, opevo_text *start)
{
    opevo_text *out = self->out;

    self->out = lanes;
    print_mask(self, &loop->leaf->keep, loop->lane);
    if (rows) {
        self->out = start;
        opevo_text_add(start, "opevo_start(");
        opevo_i_print_at_first(self, rows->e, loop->lane);
        opevo_text_printf(start, ", %lld, %lld)", (long long)rows->turn, (long long)rows->kept);
    }
    self->out = out;
    share(self, lanes);
    if (rows)
        share(self, start);
    out->failed |= lanes->failed || start->failed;
}

bool opevo_i_print_masked(opevo_i_printer *self, const opevo_i_vector_loop *loop)
{
    const opevo_i_leaf *leaf = loop->leaf;
    opevo_i_access to = leaf->to;
    bool plain = advances(self, &to.address, loop->lane);
    kept_rows rows;
    opevo_text lanes = {0};
    opevo_text start = {0};

    if ((leaf->kind != OPEVO_I_COPY && leaf->kind != OPEVO_I_ADD) || leaf->inside.count ||
        self->named[leaf->factor[0].buffer] != (int)loop->width || self->named[to.buffer] ||
        !can_mask_all(self, &leaf->keep, loop->lane) ||
        (!plain && !find_kept_rows(self, leaf, loop->lane, &rows)))
        return false;
    work_out(self, loop, plain ? NULL : &rows, &lanes, &start);
    if (!plain)
        to.address = rows.rest;
    opevo_i_print_indent(self);
    opevo_text_printf(self->out, "opevo_%s%d(&", leaf->kind == OPEVO_I_ADD ? "add" : "put",
                      (int)loop->width);
    self->known[loop->lane] = true;
    self->value[loop->lane] = 0;
    opevo_i_print_element(self, &to);
    self->known[loop->lane] = false;
    opevo_text_printf(self->out, "%s%s, ", plain ? "" : " + ", opevo_text_string(&start));
    opevo_i_print_operand(self, loop, &leaf->factor[0], true);
    opevo_text_printf(self->out, ", %s, %d);\n", opevo_text_string(&lanes), !plain);
    self->uses_masks = true;
    opevo_text_free(&lanes);
    opevo_text_free(&start);
    return true;
}
