/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Vectors that are written under a mask, where not all lanes lie inside their tensor. */

#include "print_cpu_internal.h"

#include <string.h>

/* The remainder that a guard is about, NULL for any other guard. */
static const opevo_i_affine_atom *remainder_of(const opevo_i_print_printer *self,
                                               const opevo_i_nest_guard *one)
{
    const opevo_i_affine_atom *atom = NULL;

    if (one->value.count != 1 || one->value.constant || one->value.term[0].factor != 1)
        return NULL;
    atom = &self->atoms->item[one->value.term[0].atom];
    return atom->modulus ? atom : NULL;
}

static bool advances(const opevo_i_print_printer *self, const opevo_i_affine *a, int lane)
{
    int64_t factor = 0;

    return opevo_i_print_plain_factor(self, a, lane, &factor) && factor == 1;
}

/* Whether a mask can say in which lanes the guard holds. */
static bool can_mask(const opevo_i_print_printer *self, const opevo_i_nest_guard *one, int lane)
{
    const opevo_i_affine_atom *remainder = remainder_of(self, one);

    if (!opevo_i_affine_uses(self->atoms, &one->value, lane) || advances(self, &one->value, lane))
        return true;
    return remainder && one->least <= 0 && advances(self, &remainder->inner, lane);
}

static bool can_mask_all(const opevo_i_print_printer *self, const opevo_i_nest_guards *keep,
                         int lane)
{
    for (int i = 0; i < keep->count; i++) {
        if (!can_mask(self, &keep->item[i], lane))
            return false;
    }
    return true;
}

static void print_one_mask(opevo_i_print_printer *self, const opevo_i_nest_guard *one, int lane)
{
    const opevo_i_affine_atom *remainder = remainder_of(self, one);

    if (!opevo_i_affine_uses(self->atoms, &one->value, lane)) {
        opevo_i_nest_guards alone = {.count = 1};

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
        int64_t least = 0;
        int64_t most = 0;

        opevo_i_print_bounds(self, &one->value, &least, &most);
        opevo_text_add(self->out, "opevo_lanes(");
        if (least < one->least) {
            opevo_text_printf(self->out, "%lld - (", (long long)one->least);
            opevo_i_print_at_first(self, &one->value, lane);
            opevo_text_add(self->out, ")");
        } else {
            opevo_text_add(self->out, "0");
        }
        if (most < one->limit) {
            opevo_text_add(self->out, ", 16)");
            return;
        }
        opevo_text_printf(self->out, ", %lld - (", (long long)one->limit);
        opevo_i_print_at_first(self, &one->value, lane);
        opevo_text_add(self->out, "))");
    }
}

static void print_mask(opevo_i_print_printer *self, const opevo_i_nest_guards *keep, int lane)
{
    bool any = false;

    for (int i = 0; i < keep->count; i++) {
        opevo_i_nest_guards alone = {.count = 1, .item = {keep->item[i]}};

        if (opevo_i_print_decided(self, &alone) == 1)
            continue;
        opevo_text_add(self->out, any ? " & " : "");
        print_one_mask(self, &keep->item[i], lane);
        any = true;
    }
    if (!any)
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
static bool cuts_end(const opevo_i_print_printer *self, const opevo_i_nest_guard *one, int lane)
{
    return !opevo_i_affine_uses(self->atoms, &one->value, lane) ||
           (advances(self, &one->value, lane) &&
            opevo_i_affine_least(self->atoms, &one->value) >= one->least);
}

static bool find_kept_rows(const opevo_i_print_printer *self, const opevo_i_nest_leaf *leaf,
                           int lane, kept_rows *rows)
{
    const opevo_i_affine *address = &leaf->to.address;
    int others = 0;

    for (int i = 0; i < leaf->keep.count; i++)
        others += !cuts_end(self, &leaf->keep.item[i], lane);
    for (int i = 0; i < leaf->keep.count && others == 1; i++) {
        const opevo_i_affine_atom *remainder = remainder_of(self, &leaf->keep.item[i]);
        opevo_i_affine row = {.overflow = true};

        if (!remainder || !advances(self, &remainder->inner, lane))
            continue;
        for (int j = 0; j < address->count; j++) {
            const opevo_i_affine_atom *atom = &self->atoms->item[address->term[j].atom];

            if (!atom->is_loop && !atom->modulus && atom->divisor == remainder->modulus &&
                address->term[j].factor == leaf->keep.item[i].limit &&
                opevo_i_affine_equal(&atom->inner, &remainder->inner))
                row = opevo_i_affine_of_atom(address->term[j].atom);
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
static void share(opevo_i_print_printer *self, opevo_text *expression)
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
        opevo_text_add(&self->shared[found], opevo_text_string(expression));
        self->out->failed |= self->shared[found].failed;
        self->shared_count++;
    }
    opevo_text_clear(expression);
    opevo_text_printf(expression, "k%d", found);
}

/* The lanes for which guards hold, and, unless `rows` is NULL, where the first of them goes after
 * `rest`. */
static void work_out(opevo_i_print_printer *self, const opevo_i_print_vector_loop *loop,
                     const opevo_i_nest_guards *guards, const kept_rows *rows, opevo_text *lanes,
                     opevo_text *start)
{
    opevo_text *out = self->out;

    self->out = lanes;
    print_mask(self, guards, loop->lane);
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

/* ---- Values ---- */

static void print_lanes_of(opevo_i_print_printer *self, const opevo_i_print_vector_loop *loop,
                           const opevo_i_nest_access *access, const char *lanes);

/* Whether the elements that a value reads can be read under a mask: no quotient or remainder may
 * wrap around among those that are taken to lie side by side. */
static bool can_read_masked(const opevo_i_print_printer *self, const opevo_i_nest_leaf *leaf,
                            int lane)
{
    for (int i = 0; i < leaf->factors; i++) {
        const opevo_i_affine *address = &leaf->factor[i].address;
        int64_t factor = 0;

        if (!opevo_i_print_plain_factor(self, address, lane, &factor) &&
            opevo_i_print_lane_factor(self, address, lane, &factor) && factor >= 0 && factor <= 2)
            return false;
    }
    return true;
}

/* What is there, in the lanes that are meant. */
static void print_old(opevo_i_print_printer *self, const opevo_i_print_vector_loop *loop)
{
    const opevo_i_nest_access *to = &loop->leaf->to;
    bool named = self->named[to->buffer] == (int)loop->width;

    if (!named) {
        opevo_i_print_function_name(self, OPEVO_I_FUNCTION_GET, (int)loop->width);
        opevo_text_add(self->out, "(&");
    }
    opevo_i_print_element_at(self, to, loop->lane, 0);
    if (!named)
        opevo_text_printf(self->out, ", %s)", loop->lanes);
}

/* With what was there, unless that is added to it on the way to memory. */
static void print_new(opevo_i_print_printer *self, const opevo_i_print_vector_loop *loop, bool adds)
{
    opevo_i_nest_leaf_kind kind = loop->leaf->kind;
    bool extreme = kind == OPEVO_I_MAX || kind == OPEVO_I_MIN;

    if (extreme) {
        opevo_i_print_function_name(
            self, kind == OPEVO_I_MAX ? OPEVO_I_FUNCTION_MAXIMUM : OPEVO_I_FUNCTION_MINIMUM,
            (int)loop->width);
        opevo_text_add(self->out, "(");
    }
    if (extreme || adds) {
        print_old(self, loop);
        opevo_text_add(self->out, adds ? " + " : ", ");
    }
    opevo_i_print_vector_value(self, loop);
    opevo_text_add(self->out, extreme ? ")" : "");
}

static void print_masked_statement(opevo_i_print_printer *self,
                                   const opevo_i_print_vector_loop *loop)
{
    const opevo_i_nest_leaf *leaf = loop->leaf;
    int width = (int)loop->width;

    if (self->named[leaf->to.buffer] == width) {
        opevo_i_print_element_at(self, &leaf->to, loop->lane, 0);
        opevo_text_add(self->out, " = ");
        opevo_i_print_function_name(self, OPEVO_EXPR_SELECT, width);
        opevo_text_add(self->out, "(");
        opevo_i_print_function_name(self, OPEVO_I_FUNCTION_MASK, width);
        opevo_text_printf(self->out, "(%s), ", loop->lanes);
        print_new(self, loop, leaf->kind == OPEVO_I_SUM);
        opevo_text_add(self->out, ", ");
        opevo_i_print_element_at(self, &leaf->to, loop->lane, 0);
    } else {
        opevo_text_printf(self->out, "opevo_%s%d(&", leaf->kind == OPEVO_I_SUM ? "add" : "put",
                          width);
        opevo_i_print_element_at(self, &leaf->to, loop->lane, 0);
        opevo_text_add(self->out, ", ");
        print_new(self, loop, false);
        opevo_text_printf(self->out, ", %s, 0", loop->lanes);
    }
    opevo_text_add(self->out, ");\n");
}

/* A value that is an element where a condition on integers holds, and the same for all lanes
 * elsewhere: padding. The lanes that lie inside are read under a mask. */
static bool print_masked_choice(opevo_i_print_printer *self, const opevo_i_print_vector_loop *loop)
{
    const opevo_i_nest_leaf *leaf = loop->leaf;
    const opevo_i_nest_value *value = leaf->value;
    int width = (int)loop->width;
    opevo_text lanes = {0}, inside = {0};
    opevo_text *out = self->out;

    if (loop->assumed_count != 1 || value != loop->assumed[0] || leaf->kind != OPEVO_I_STORE ||
        value->left->kind != OPEVO_EXPR_READ || value->right->kind != OPEVO_EXPR_NUMBER ||
        self->named[leaf->to.buffer] || !can_mask_all(self, &loop->assumed_guards, loop->lane) ||
        !can_mask_all(self, &leaf->keep, loop->lane) ||
        !advances(self, &leaf->to.address, loop->lane) ||
        !advances(self, &leaf->factor[value->left->read].address, loop->lane) ||
        self->named[leaf->factor[value->left->read].buffer])
        return false;
    self->out = &inside;
    print_mask(self, &loop->assumed_guards, loop->lane);
    opevo_text_add(self->out, " & (");
    opevo_i_print_common(self, loop, value->condition);
    opevo_text_add(self->out, " ? 65535 : 0)");
    self->out = &lanes;
    print_mask(self, &leaf->keep, loop->lane);
    self->out = out;
    opevo_text_printf(&inside, " & %s", opevo_text_string(&lanes));
    opevo_i_print_line(self, "{");
    self->depth++;
    opevo_i_print_indent(self);
    opevo_text_printf(self->out, "const long inside = %s;\n", opevo_text_string(&inside));
    opevo_i_print_indent(self);
    opevo_text_printf(self->out, "opevo_put%d(&", width);
    opevo_i_print_element_at(self, &leaf->to, loop->lane, 0);
    opevo_text_add(self->out, ", ");
    opevo_i_print_function_name(self, OPEVO_EXPR_SELECT, width);
    opevo_text_add(self->out, "(");
    opevo_i_print_function_name(self, OPEVO_I_FUNCTION_MASK, width);
    opevo_text_add(self->out, "(inside), ");
    print_lanes_of(self, loop, &leaf->factor[value->left->read], "inside");
    opevo_text_printf(self->out, ", (V%d){0} + ", width);
    opevo_i_print_value(self, leaf, value->right, OPEVO_FLOAT32);
    opevo_text_printf(self->out, "), %s, 0);\n", opevo_text_string(&lanes));
    self->depth--;
    opevo_i_print_line(self, "}");
    out->failed |= inside.failed || lanes.failed;
    opevo_text_free(&inside);
    opevo_text_free(&lanes);
    return true;
}

static bool print_masked_value(opevo_i_print_printer *self, opevo_i_print_vector_loop loop)
{
    const opevo_i_nest_leaf *leaf = loop.leaf;
    opevo_text lanes = {0};

    if (loop.assumed_count)
        return print_masked_choice(self, &loop);
    if (!can_mask_all(self, &leaf->keep, loop.lane) ||
        !advances(self, &leaf->to.address, loop.lane) || !can_read_masked(self, leaf, loop.lane))
        return false;
    work_out(self, &loop, &leaf->keep, NULL, &lanes, &(opevo_text){0});
    opevo_i_print_line(self, "{");
    self->depth++;
    opevo_i_print_indent(self);
    opevo_text_printf(self->out, "const long lanes = %s;\n", opevo_text_string(&lanes));
    opevo_i_print_line(self, "if (lanes)");
    loop.lanes = "lanes";
    self->depth++;
    opevo_i_print_indent(self);
    print_masked_statement(self, &loop);
    self->depth -= 2;
    opevo_i_print_line(self, "}");
    opevo_text_free(&lanes);
    return true;
}

/* ---- Sums in registers ---- */

/* Whether the lanes of a factor that are meant can be read alone. */
static bool can_read_lanes(const opevo_i_print_printer *self, const opevo_i_print_vector_loop *loop,
                           const opevo_i_nest_access *access)
{
    int64_t most = opevo_i_print_stored_type(self, access->buffer) == OPEVO_FLOAT32 ? 2 : 1;
    int64_t factor = 0;

    return !self->named[access->buffer] &&
           opevo_i_print_plain_factor(self, &access->address, loop->lane, &factor) && factor >= 0 &&
           factor <= most;
}

static void print_lanes_of(opevo_i_print_printer *self, const opevo_i_print_vector_loop *loop,
                           const opevo_i_nest_access *access, const char *lanes)
{
    opevo_element stored = opevo_i_print_stored_type(self, access->buffer);
    opevo_element type = opevo_i_print_statement_type(self, loop->leaf);
    int64_t factor = opevo_i_affine_factor(&access->address, loop->lane);
    int width = (int)loop->width;

    if (!factor) {
        opevo_i_print_operand(self, loop, access, type, false);
        return;
    }
    opevo_i_print_vector_load_start(self, stored, type, width);
    opevo_i_print_function_name(
        self, factor == 1 ? opevo_i_print_get_function_of(stored) : OPEVO_I_FUNCTION_EVEN_OF,
        width);
    opevo_text_add(self->out, "(&");
    opevo_i_print_element_at(self, access, loop->lane, 0);
    opevo_text_printf(self->out, ", %s)", lanes);
    opevo_i_print_vector_load_end(self, stored, type, width);
}

/* Whether lanes are stored that a term is left out of, and a product with 0 is no 0 in all of them:
 * factors that are the same for all lanes may be infinite. */
static bool masks_product(const opevo_i_print_printer *self, const opevo_i_print_vector_loop *loop)
{
    const opevo_i_nest_leaf *leaf = loop->leaf;
    bool omits = false, stays = false;

    for (int i = 0; i < leaf->keep.count; i++)
        omits |= leaf->keep.item[i].omits &&
                 opevo_i_affine_uses(self->atoms, &leaf->keep.item[i].value, loop->lane);
    for (int i = 0; i < leaf->factors; i++)
        stays |= !opevo_i_affine_uses(self->atoms, &leaf->factor[i].address, loop->lane);
    return omits && stays && opevo_i_print_statement_type(self, leaf) == OPEVO_FLOAT32;
}

static void print_lane_product(opevo_i_print_printer *self, const opevo_i_print_vector_loop *loop,
                               const char *lanes)
{
    int width = (int)loop->width;
    bool masks = masks_product(self, loop);

    if (masks) {
        opevo_i_print_function_name(self, OPEVO_EXPR_SELECT, width);
        opevo_text_add(self->out, "(");
        opevo_i_print_function_name(self, OPEVO_I_FUNCTION_MASK, width);
        opevo_text_printf(self->out, "(%s), ", lanes);
    }
    for (int i = 0; i < loop->leaf->factors; i++) {
        opevo_text_add(self->out, i ? " * " : "");
        print_lanes_of(self, loop, &loop->leaf->factor[i], lanes);
    }
    if (masks)
        opevo_text_printf(self->out, ", (V%d){0})", width);
}

/* A product or an element added to a register. The other lanes are never stored, or get what is 0,
 * such as products with it. Where no factor moves with the lane, all lanes are the same and need no
 * mask. */
static bool print_masked_sum(opevo_i_print_printer *self, const opevo_i_print_vector_loop *loop)
{
    const opevo_i_nest_leaf *leaf = loop->leaf;
    opevo_text lanes = {0};
    bool moves = false;

    if (self->named[leaf->to.buffer] != (int)loop->width || leaf->inside.count ||
        !can_mask_all(self, &leaf->keep, loop->lane))
        return false;
    for (int i = 0; i < leaf->factors; i++) {
        if (!can_read_lanes(self, loop, &leaf->factor[i]))
            return false;
        moves |= opevo_i_affine_uses(self->atoms, &leaf->factor[i].address, loop->lane);
    }
    if (!moves)
        return false;
    work_out(self, loop, &leaf->keep, NULL, &lanes, &(opevo_text){0});
    opevo_i_print_indent(self);
    opevo_text_printf(self->out, "if ((%s) != 0) ", opevo_text_string(&lanes));
    opevo_i_print_element_at(self, &leaf->to, loop->lane, 0);
    opevo_text_add(self->out, " += ");
    print_lane_product(self, loop, opevo_text_string(&lanes));
    opevo_text_add(self->out, ";\n");
    opevo_text_free(&lanes);
    return true;
}

static bool is_float32(const opevo_i_print_printer *self, const opevo_i_nest_leaf *leaf)
{
    bool all = opevo_i_print_stored_type(self, leaf->to.buffer) == OPEVO_FLOAT32;

    for (int i = 0; i < leaf->factors; i++)
        all &= opevo_i_print_stored_type(self, leaf->factor[i].buffer) == OPEVO_FLOAT32;
    return all;
}

/* ---- Copies ---- */

/* A copy with 0 in the lanes that lie outside of what is copied. */
static bool print_masked_copy(opevo_i_print_printer *self, const opevo_i_print_vector_loop *loop)
{
    const opevo_i_nest_leaf *leaf = loop->leaf;
    int width = (int)loop->width;
    opevo_text inside = {0}, lanes = {0};

    if (self->named[leaf->to.buffer] || !advances(self, &leaf->to.address, loop->lane) ||
        !opevo_i_affine_factor(&leaf->factor[0].address, loop->lane) ||
        !can_read_lanes(self, loop, &leaf->factor[0]) ||
        !can_mask_all(self, &leaf->inside, loop->lane) ||
        !can_mask_all(self, &leaf->keep, loop->lane))
        return false;
    work_out(self, loop, &leaf->inside, NULL, &inside, &(opevo_text){0});
    if (leaf->keep.count)
        work_out(self, loop, &leaf->keep, NULL, &lanes, &(opevo_text){0});
    opevo_i_print_indent(self);
    opevo_text_printf(self->out, leaf->keep.count ? "opevo_put%d(&" : "*(V%d *)&", width);
    opevo_i_print_element_at(self, &leaf->to, loop->lane, 0);
    opevo_text_add(self->out, leaf->keep.count ? ", " : " = ");
    opevo_text_printf(&inside, "%s%s", leaf->keep.count ? " & " : "", opevo_text_string(&lanes));
    print_lanes_of(self, loop, &leaf->factor[0], opevo_text_string(&inside));
    if (leaf->keep.count)
        opevo_text_printf(self->out, ", %s, 0)", opevo_text_string(&lanes));
    opevo_text_add(self->out, ";\n");
    opevo_text_free(&inside);
    opevo_text_free(&lanes);
    return true;
}

bool opevo_i_print_masked(opevo_i_print_printer *self, const opevo_i_print_vector_loop *loop)
{
    const opevo_i_nest_leaf *leaf = loop->leaf;
    opevo_i_nest_access to = leaf->to;
    bool plain = advances(self, &to.address, loop->lane);
    kept_rows rows;
    opevo_text lanes = {0};
    opevo_text start = {0};

    if (leaf->kind == OPEVO_I_MAC)
        return print_masked_sum(self, loop);
    if (!is_float32(self, leaf))
        return false;
    if (leaf->kind >= OPEVO_I_STORE)
        return print_masked_value(self, *loop);
    if (leaf->kind == OPEVO_I_ADD && self->named[to.buffer] == (int)loop->width)
        return print_masked_sum(self, loop);
    if (leaf->kind == OPEVO_I_COPY && leaf->inside.count)
        return print_masked_copy(self, loop);
    if ((leaf->kind != OPEVO_I_COPY && leaf->kind != OPEVO_I_ADD) || leaf->inside.count ||
        self->named[leaf->factor[0].buffer] != (int)loop->width || self->named[to.buffer] ||
        !can_mask_all(self, &leaf->keep, loop->lane) ||
        (!plain && !find_kept_rows(self, leaf, loop->lane, &rows)))
        return false;
    work_out(self, loop, &leaf->keep, plain ? NULL : &rows, &lanes, &start);
    if (!plain)
        to.address = rows.rest;
    opevo_i_print_indent(self);
    opevo_text_printf(self->out, "opevo_%s%d(&", leaf->kind == OPEVO_I_ADD ? "add" : "put",
                      (int)loop->width);
    opevo_i_print_element_at(self, &to, loop->lane, 0);
    opevo_text_printf(self->out, "%s%s, ", plain ? "" : " + ", opevo_text_string(&start));
    opevo_i_print_operand(self, loop, &leaf->factor[0], OPEVO_FLOAT32, true);
    opevo_text_printf(self->out, ", %s, %d);\n", opevo_text_string(&lanes), !plain);
    opevo_text_free(&lanes);
    opevo_text_free(&start);
    return true;
}
