/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Loops over lanes as vectors of GCC. Where the lanes of a vector do not all lie inside a tensor,
 * or not in one row of it, they go under a mask or one by one. */

#include "print_cpu_internal.h"

#include <string.h>

/* A growing list of guards joined by "&&". */
typedef struct joined {
    opevo_i_print_printer *self;
    int lane;
    int64_t last; /* the number of the last lane */
    bool any;
} joined;

static void join(joined *all)
{
    opevo_text_add(all->self->out, all->any ? " && " : "");
    all->any = true;
}

/* That no quotient or remainder wraps around among the lanes. */
static void print_no_wrap(joined *all, const opevo_i_affine *a)
{
    opevo_i_print_printer *self = all->self;

    for (int i = 0; i < a->count; i++) {
        const opevo_i_affine_atom *atom = &self->atoms->item[a->term[i].atom];
        int64_t inner = 0;
        int64_t reach = 0;
        int64_t turn = atom->modulus ? atom->modulus : atom->divisor;

        if (atom->is_loop || !opevo_i_affine_uses(self->atoms, &atom->inner, all->lane))
            continue;
        print_no_wrap(all, &atom->inner);
        if (opevo_i_affine_is_product(atom))
            continue;
        opevo_i_print_lane_factor(self, &atom->inner, all->lane, &inner);
        if (inner == 0)
            continue;
        join(all);
        opevo_text_printf(self->out, "(%s)(", self->dialect->unsigned_index);
        opevo_i_print_at_first(self, &atom->inner, all->lane);
        reach = inner * all->last;
        opevo_text_printf(self->out, ") %% %lldu + %lld < %lldu", (long long)turn, (long long)reach,
                          (long long)turn);
    }
}

/* That guards hold for all lanes, given that nothing wraps around. */
static void print_for_all(joined *all, const opevo_i_nest_guards *guards, bool lanes_only)
{
    opevo_i_print_printer *self = all->self;

    for (int i = 0; i < guards->count; i++) {
        const opevo_i_nest_guard *one = &guards->item[i];
        int64_t factor = 0;
        int64_t least = 0;
        int64_t most = 0;

        if (!opevo_i_affine_uses(self->atoms, &one->value, all->lane) && lanes_only)
            continue;
        print_no_wrap(all, &one->value);
        opevo_i_print_lane_factor(self, &one->value, all->lane, &factor);
        opevo_i_print_bounds(self, &one->value, &least, &most);
        if (least < one->least) {
            join(all);
            opevo_i_print_at_first(self, &one->value, all->lane);
            opevo_text_printf(self->out, " >= %lld", (long long)one->least);
        }
        if (most >= one->limit) {
            join(all);
            opevo_i_print_at_first(self, &one->value, all->lane);
            factor *= all->last;
            opevo_text_printf(self->out, " + %lld < %lld", (long long)factor,
                              (long long)one->limit);
        }
    }
}

static bool factors_known(const opevo_i_print_printer *self, const opevo_i_nest_guards *guards,
                          int lane)
{
    int64_t factor = 0;

    for (int i = 0; i < guards->count; i++) {
        if (!opevo_i_print_lane_factor(self, &guards->item[i].value, lane, &factor) || factor < 0)
            return false;
    }
    return true;
}

/* ---- A statement over all lanes ---- */

static bool moves(const opevo_i_print_printer *self, const opevo_i_nest_access *access, int lane)
{
    return opevo_i_affine_uses(self->atoms, &access->address, lane);
}

static void print_value(opevo_i_print_printer *self, const opevo_i_print_vector_loop *loop)
{
    const opevo_i_nest_leaf *leaf = loop->leaf;
    opevo_element type = opevo_i_print_statement_type(self, leaf);
    bool others_move = false;

    if (leaf->kind >= OPEVO_I_STORE) {
        opevo_i_print_vector_value(self, loop);
        return;
    }
    if (leaf->kind == OPEVO_I_ZERO) {
        opevo_text_printf(self->out, "(%c%d){0}", opevo_i_print_vector_letter(type),
                          (int)loop->width);
        return;
    }
    for (int i = 1; i < leaf->factors; i++)
        others_move |= moves(self, &leaf->factor[i], loop->lane);
    for (int i = 0; i < leaf->factors; i++) {
        opevo_text_add(self->out, i ? " * " : "");
        opevo_i_print_operand(self, loop, &leaf->factor[i], type, i == 0 && !others_move);
    }
}

static void print_to(opevo_i_print_printer *self, const opevo_i_print_vector_loop *loop)
{
    if (self->named[loop->leaf->to.buffer] != (int)loop->width)
        opevo_text_printf(
            self->out, "*(%c%d *)&",
            opevo_i_print_vector_letter(opevo_i_print_stored_type(self, loop->leaf->to.buffer)),
            (int)loop->width);
    opevo_i_print_element_at(self, &loop->leaf->to, loop->lane, 0);
}

/* Lists of lanes have commas, which would part the arguments of a macro. */
static bool has_lists(const opevo_i_print_printer *self, const opevo_i_print_vector_loop *loop)
{
    int64_t factor = 0;

    if (loop->leaf->kind != OPEVO_I_COPY)
        return loop->leaf->kind >= OPEVO_I_STORE;
    return !opevo_i_print_lane_factor(self, &loop->leaf->factor[0].address, loop->lane, &factor) ||
           (factor != 0 && factor != 1);
}

static void print_stream(opevo_i_print_printer *self, const opevo_i_print_vector_loop *loop)
{
    bool brackets = has_lists(self, loop);

    self->streams = true;
    opevo_text_printf(self->out, "STREAM%d(&", (int)loop->width);
    opevo_i_print_element_at(self, &loop->leaf->to, loop->lane, 0);
    opevo_text_add(self->out, brackets ? ", (" : ", ");
    print_value(self, loop);
    opevo_text_add(self->out, brackets ? "));\n" : ");\n");
}

/* What is there, as it is computed with. */
static void print_old(opevo_i_print_printer *self, const opevo_i_print_vector_loop *loop,
                      opevo_element type)
{
    opevo_element stored = opevo_i_print_stored_type(self, loop->leaf->to.buffer);

    opevo_i_print_vector_load_start(self, stored, type, (int)loop->width);
    print_to(self, loop);
    opevo_i_print_vector_load_end(self, stored, type, (int)loop->width);
}

/* The larger or smaller of what is there and the value. */
static void print_extreme(opevo_i_print_printer *self, const opevo_i_print_vector_loop *loop)
{
    bool most = loop->leaf->kind == OPEVO_I_MAX;
    opevo_element type = opevo_i_print_statement_type(self, loop->leaf);

    opevo_i_print_function_name(
        self, opevo_i_print_function_of(most ? OPEVO_EXPR_MAX : OPEVO_EXPR_MIN, type),
        (int)loop->width);
    opevo_text_add(self->out, "(");
    print_old(self, loop, type);
    opevo_text_add(self->out, ", ");
    print_value(self, loop);
    opevo_text_add(self->out, ")");
}

static void print_whole(opevo_i_print_printer *self, const opevo_i_print_vector_loop *loop)
{
    const opevo_i_nest_leaf *leaf = loop->leaf;
    bool adds = opevo_i_print_leaf_adds(leaf);
    bool extreme = leaf->kind == OPEVO_I_MAX || leaf->kind == OPEVO_I_MIN;
    opevo_element stored = opevo_i_print_stored_type(self, leaf->to.buffer);
    opevo_element type = opevo_i_print_statement_type(self, leaf);

    opevo_i_print_indent(self);
    if (leaf->stream && !adds && !extreme && self->named[leaf->to.buffer] != (int)loop->width &&
        stored == OPEVO_FLOAT32 &&
        opevo_i_affine_is_aligned(&leaf->to.address, loop->lane, loop->width)) {
        print_stream(self, loop);
        return;
    }
    print_to(self, loop);
    opevo_text_add(self->out, adds ? " += " : " = ");
    opevo_i_print_store_start(self, stored, type, (int)loop->width);
    if (extreme)
        print_extreme(self, loop);
    else
        print_value(self, loop);
    opevo_i_print_store_end(self, stored, type, (int)loop->width);
    opevo_text_add(self->out, ";\n");
    if (leaf->prefetch) {
        opevo_i_nest_access further = leaf->factor[0];

        further.address.constant += leaf->prefetch;
        opevo_i_print_indent(self);
        opevo_text_add(self->out, "__builtin_prefetch(&");
        opevo_i_print_element_at(self, &further, loop->lane, 0);
        opevo_text_add(self->out, ", 0, 2);\n");
    }
}

/* The lanes one by one. A named variable goes by way of an array, since it must never be indexed by
 * a variable itself: it would move to memory for good. */
static void print_lane_loop(opevo_i_print_printer *self, const opevo_i_print_vector_loop *loop)
{
    opevo_i_nest_leaf leaf = *loop->leaf;

    opevo_i_print_line(self, "{");
    self->depth++;
    for (int i = 0; i <= leaf.factors; i++) {
        const opevo_i_nest_access *access = i ? &loop->leaf->factor[i - 1] : &loop->leaf->to;
        opevo_i_nest_access *own = i ? &leaf.factor[i - 1] : &leaf.to;

        if (self->named[access->buffer] != (int)loop->width)
            continue;
        self->lanes_type[i] = opevo_i_print_stored_type(self, access->buffer);
        opevo_i_print_indent(self);
        opevo_text_printf(self->out,
                          "%c%d t%d = ", opevo_i_print_vector_letter(self->lanes_type[i]),
                          (int)loop->width, i);
        if (i == 0 && leaf.kind == OPEVO_I_STORE && !leaf.keep.count)
            opevo_text_add(self->out, "{0}"); /* all of it is written */
        else
            opevo_i_print_element_at(self, access, loop->lane, 0);
        opevo_text_add(self->out, ";\n");
        own->buffer = -1 - i; /* printed as t0, t1 and so on */
        own->address = opevo_i_affine_of_atom(loop->lane);
    }
    opevo_i_print_indent(self);
    opevo_text_printf(self->out, "for (long v%d = 0; v%d < %d; v%d++)\n", loop->lane, loop->lane,
                      (int)loop->width, loop->lane);
    self->depth++;
    opevo_i_print_scalar(self, &leaf);
    self->depth--;
    if (leaf.to.buffer < 0) {
        opevo_i_print_indent(self);
        opevo_i_print_element_at(self, &loop->leaf->to, loop->lane, 0);
        opevo_text_add(self->out, " = t0;\n");
    }
    self->depth--;
    opevo_i_print_line(self, "}");
}

/* ---- A loop ---- */

enum { MASKED_WIDTH = 16 }; /* AVX-512 */

/* Of lists in one statement that is repeated as text, in characters. Those of plain elements are
 * not as long; conditions in each lane leave nothing to gain from vectors, and take compilers
 * seconds. */
enum { LONG_LISTS = 2048 };

static bool lists_too_much(opevo_i_print_printer *self, const opevo_i_print_vector_loop *loop)
{
    opevo_text *out = self->out;
    opevo_text text = {0};
    size_t listed = self->listed;
    unsigned char functions[OPEVO_I_FUNCTIONS];

    if (!self->copying || loop->leaf->kind < OPEVO_I_STORE)
        return false;
    memcpy(functions, self->functions, sizeof functions);
    self->out = &text;
    opevo_i_print_vector_value(self, loop);
    self->out = out;
    memcpy(self->functions, functions, sizeof functions);
    listed = self->listed - listed;
    out->failed |= text.failed;
    opevo_text_free(&text);
    return listed > LONG_LISTS;
}

/* The elements that a value reads are listed where they do not lie side by side. */
static void print_no_wrap_of(joined *all, const opevo_i_nest_leaf *leaf,
                             const opevo_i_affine *address)
{
    int64_t factor = 0;

    if (leaf->kind < OPEVO_I_STORE ||
        (opevo_i_print_lane_factor(all->self, address, all->lane, &factor) && factor >= 0 &&
         factor <= 2))
        print_no_wrap(all, address);
}

/* What must hold for a statement to be one for all lanes; false when nothing must. */
static bool print_lane_guard(opevo_i_print_printer *self, const opevo_i_print_vector_loop *loop)
{
    joined all = {self, loop->lane, loop->width - 1, false};
    const opevo_i_nest_leaf *leaf = loop->leaf;
    size_t start = self->out->length;

    opevo_i_print_indent(self);
    opevo_text_add(self->out, "if (");
    if (self->named[leaf->to.buffer] != (int)loop->width)
        print_no_wrap(&all, &leaf->to.address);
    for (int i = 0; i < leaf->factors; i++) {
        if (i || self->named[leaf->factor[i].buffer] != (int)loop->width)
            print_no_wrap_of(&all, leaf, &leaf->factor[i].address);
    }
    print_for_all(&all, &leaf->keep, false);
    print_for_all(&all, &leaf->inside, false);
    print_for_all(&all, &loop->assumed_guards, true);
    if (!all.any)
        opevo_i_print_take_back(self->out, start);
    else
        opevo_text_add(self->out, ") {\n");
    return all.any;
}

/* Whether the lanes of what is written lie side by side. */
static bool is_vector(const opevo_i_print_printer *self, const opevo_i_nest_leaf *leaf, int lane)
{
    int64_t factor = 0;

    return opevo_i_print_lane_factor(self, &leaf->to.address, lane, &factor) && factor == 1 &&
           factors_known(self, &leaf->keep, lane) && factors_known(self, &leaf->inside, lane);
}

static bool uses_named(const opevo_i_print_printer *self, const opevo_i_nest_leaf *leaf,
                       int64_t width)
{
    for (int i = 0; i < leaf->factors; i++) {
        if (self->named[leaf->factor[i].buffer] == (int)width)
            return true;
    }
    return self->named[leaf->to.buffer] == (int)width;
}

static void print_vector(opevo_i_print_printer *self, opevo_i_print_vector_loop loop)
{
    size_t start = self->out->length;

    if (loop.leaf->kind >= OPEVO_I_STORE)
        opevo_i_print_find_assumed(self, &loop);
    if (lists_too_much(self, &loop)) {
        print_lane_loop(self, &loop);
        return;
    }
    if (!print_lane_guard(self, &loop)) {
        print_whole(self, &loop);
        return;
    }
    /* There a mask costs nothing, and the text gets half as long; but most vectors of a copy need
     * none. */
    opevo_i_print_take_back(self->out, start);
    if (loop.width == MASKED_WIDTH && !loop.leaf->inside.count && !loop.assumed_count &&
        opevo_i_print_masked(self, &loop))
        return;
    print_lane_guard(self, &loop);
    self->depth++;
    print_whole(self, &loop);
    self->depth--;
    opevo_i_print_line(self, "} else {");
    self->depth++;
    if (!opevo_i_print_masked(self, &loop))
        print_lane_loop(self, &loop);
    self->depth--;
    opevo_i_print_line(self, "}");
}

/* With a value: what holds for all lanes or none is asked around everything. */
static void print_value_vector(opevo_i_print_printer *self, opevo_i_print_vector_loop loop)
{
    opevo_i_nest_leaf leaf = *loop.leaf;
    opevo_i_nest_guards common = {0};

    leaf.keep.count = 0;
    for (int i = 0; i < loop.leaf->keep.count; i++) {
        const opevo_i_nest_guard *one = &loop.leaf->keep.item[i];
        opevo_i_nest_guards *to =
            opevo_i_affine_uses(self->atoms, &one->value, loop.lane) ? &leaf.keep : &common;

        to->item[to->count++] = *one;
    }
    loop.leaf = &leaf;
    if (opevo_i_print_decided(self, &common) == 1) {
        print_vector(self, loop);
        return;
    }
    opevo_i_print_indent(self);
    opevo_text_add(self->out, "if (");
    opevo_i_print_guards(self, &common);
    opevo_text_add(self->out, ") {\n");
    self->depth++;
    print_vector(self, loop);
    opevo_i_print_end(self);
}

bool opevo_i_print_cpu_sum(opevo_i_print_printer *self, const opevo_i_nest_node *node,
                           const opevo_i_nest_leaf *leaf)
{
    return leaf && node->annotation != OPEVO_ANNOTATION_VECTORIZE &&
           node->annotation != OPEVO_ANNOTATION_PARALLEL &&
           opevo_i_print_lane_sum(self, node, leaf);
}

bool opevo_i_print_cpu_loop(opevo_i_print_printer *self, const opevo_i_nest_node *node,
                            const opevo_i_nest_leaf *leaf)
{
    opevo_i_print_vector_loop loop = {.leaf = leaf, .lane = node->atom, .width = node->extent};

    if (!leaf)
        return opevo_i_print_transposed(self, node);
    if (!opevo_i_print_is_vector_loop(node))
        return node->annotation == OPEVO_ANNOTATION_SERIAL && opevo_i_print_row(self, node, leaf);
    if (opevo_i_print_decided(self, &leaf->keep) == 0)
        return true;
    if (!is_vector(self, leaf, node->atom)) {
        if (!uses_named(self, leaf, node->extent))
            return false;
        print_lane_loop(self, &loop);
    } else if (leaf->kind >= OPEVO_I_STORE) {
        print_value_vector(self, loop);
    } else {
        print_vector(self, loop);
    }
    return true;
}
