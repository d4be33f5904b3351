/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Versions of the body of a loop by a guard that most iterations meet. With e = start + inner the
 * guarded value, `inner` the part of the loops inside the body,
 *
 *     if (start + most(inner) < limit)  the body without the guard,
 *     else if (start < limit)           the body for the edge,
 *     else                              nothing.
 *
 * Where start is a multiple of a tile, plus a constant, it has at most one value at the edge: what
 * remains there is a number, by which loops are shortened and guards decided. */

#include "nest_internal.h"

enum {
    WORTH = 64, /* statements that a test is repeated for, at least */
    ROOM = 1024 /* statements that all versions may add to the text */
};

typedef struct versions {
    opevo_i_nest *nest;
    double room;
    bool failed; /* without memory */
} versions;

/* A guard, and its value as seen from a body. */
typedef struct split_guard {
    opevo_i_nest_guard guard;
    opevo_i_affine start, inner;
    bool has_interior; /* start may lie where all iterations inside meet the guard, */
    bool has_edge;     /* where only some do, */
    bool is_fixed;     /* and there it has one value: */
    int64_t edge;
} split_guard;

/* ---- Guards in a body ---- */

static bool same_guard(const opevo_i_nest_guard *a, const opevo_i_nest_guard *b)
{
    return a->least == b->least && a->limit == b->limit &&
           opevo_i_affine_equal(&a->value, &b->value);
}

/* The place of an equal guard; the number of guards if none is equal. */
static int find_guard(const opevo_i_nest_guards *all, const opevo_i_nest_guard *one)
{
    int at = 0;

    while (at < all->count && !same_guard(&all->item[at], one))
        at++;
    return at;
}

/* The guards of the statements in a node that a loop variable occurs in. */
static void collect(const versions *self, const opevo_i_nest_node *node, int atom,
                    opevo_i_nest_guards *out)
{
    for (int i = 0; node->kind == OPEVO_I_LEAF && i < node->leaf->keep.count; i++) {
        const opevo_i_nest_guard *one = &node->leaf->keep.item[i];

        if (out->count < OPEVO_I_GUARDS && find_guard(out, one) == out->count &&
            opevo_i_affine_uses(&self->nest->atoms, &one->value, atom))
            out->item[out->count++] = *one;
    }
    for (const opevo_i_nest_node *child = node->first; child; child = child->next)
        collect(self, child, atom, out);
    if (node->otherwise)
        collect(self, node->otherwise, atom, out);
}

/* The values of start at the edge: limit - most(inner) <= start < limit, least(inner) being 0. */
static void find_edge(const versions *self, split_guard *out)
{
    const opevo_i_affine_atoms *atoms = &self->nest->atoms;
    int64_t step = opevo_i_affine_divisor(&out->start);
    int64_t low = out->guard.limit - opevo_i_affine_most(atoms, &out->inner);
    int64_t first = opevo_i_affine_least(atoms, &out->start);

    out->has_edge = true;
    out->has_interior = first < low;
    if (opevo_i_affine_least(atoms, &out->guard.value) < out->guard.least)
        return;
    if (first < low && step > 0)
        first += (low - first + step - 1) / step * step;
    out->edge = first;
    out->has_edge = first < out->guard.limit;
    out->is_fixed = out->has_edge && (step == 0 || first + step >= out->guard.limit);
}

/* False where the loops inside do not just add to the value. */
static bool split(const versions *self, const opevo_i_nest_node *body,
                  const opevo_i_nest_guard *guard, split_guard *out)
{
    const opevo_i_affine_atoms *atoms = &self->nest->atoms;

    *out = (split_guard){.guard = *guard, .start = opevo_i_affine_constant(guard->value.constant)};
    for (int i = 0; i < guard->value.count; i++) {
        opevo_i_affine one = opevo_i_affine_of_atom(guard->value.term[i].atom);
        bool is_inside = opevo_i_nest_node_binds_inside(atoms, body, &one);
        opevo_i_affine *part = is_inside ? &out->inner : &out->start;

        if (is_inside &&
            (!atoms->item[one.term[0].atom].is_loop || guard->value.term[i].factor < 0))
            return false;
        *part = opevo_i_affine_add(atoms, *part, guard->value.term[i].factor, &one);
    }
    find_edge(self, out);
    return true;
}

/* ---- Changes of a body ---- */

static void copy_list(versions *self, opevo_i_nest_node *parent, const opevo_i_nest_node *list);

static void copy_node(versions *self, opevo_i_nest_node *parent, const opevo_i_nest_node *node)
{
    opevo_i_nest_node *copy = NULL;

    if (self->failed)
        return;
    copy = node->kind == OPEVO_I_LEAF ? opevo_i_nest_add_leaf(self->nest, parent, node->leaf)
                                      : opevo_i_nest_add(self->nest, parent, node->kind);
    self->failed |= !copy;
    if (!copy || copy->kind == OPEVO_I_LEAF)
        return;
    copy->atom = node->atom;
    copy->extent = node->extent;
    copy->count = node->count;
    copy->annotation = node->annotation;
    copy->value = node->value;
    copy->guards = node->guards;
    copy_list(self, copy, node);
    if (!node->otherwise)
        return;
    copy->otherwise = opevo_i_nest_add(self->nest, NULL, OPEVO_I_LIST);
    self->failed |= !copy->otherwise;
    if (copy->otherwise)
        copy_list(self, copy->otherwise, node->otherwise);
}

static void copy_list(versions *self, opevo_i_nest_node *parent, const opevo_i_nest_node *list)
{
    for (const opevo_i_nest_node *child = list->first; child; child = child->next)
        copy_node(self, parent, child);
}

/* The guards of the statements in a node that hold where one of a body does in all iterations:
 * those that begin with the same value, and reach no further. */
static void collect_implied(const versions *self, const opevo_i_nest_node *body,
                            const opevo_i_nest_node *node, const split_guard *by,
                            opevo_i_nest_guards *out)
{
    for (int i = 0; node->kind == OPEVO_I_LEAF && i < node->leaf->keep.count; i++) {
        const opevo_i_nest_guard *one = &node->leaf->keep.item[i];
        split_guard at;

        if (out->count < OPEVO_I_GUARDS && find_guard(out, one) == out->count &&
            !same_guard(one, &by->guard) && split(self, body, one, &at) &&
            opevo_i_affine_equal(&at.start, &by->start) && one->limit == by->guard.limit &&
            one->least == by->guard.least &&
            opevo_i_affine_most(&self->nest->atoms, &at.inner) <=
                opevo_i_affine_most(&self->nest->atoms, &by->inner))
            out->item[out->count++] = *one;
    }
    for (const opevo_i_nest_node *child = node->first; child; child = child->next)
        collect_implied(self, body, child, by, out);
    if (node->otherwise)
        collect_implied(self, body, node->otherwise, by, out);
}

void opevo_i_nest_node_replace_guard(opevo_i_nest_node *node, const opevo_i_nest_guard *old,
                                     const opevo_i_nest_guard *now)
{
    if (node->kind == OPEVO_I_LEAF) {
        opevo_i_nest_guards *keep = &node->leaf->keep;
        int at = find_guard(keep, old);
        bool omits = at < keep->count && keep->item[at].omits;

        if (at == keep->count)
            return;
        keep->item[at] = now ? *now : keep->item[--keep->count];
        keep->item[at].omits = now ? omits : keep->item[at].omits;
        return;
    }
    for (opevo_i_nest_node *child = node->first; child; child = child->next)
        opevo_i_nest_node_replace_guard(child, old, now);
    if (node->otherwise)
        opevo_i_nest_node_replace_guard(node->otherwise, old, now);
}

/* How many statements in a node touch a buffer. */
static int count_uses(const opevo_i_nest_node *node, int buffer)
{
    int count = 0;

    if (node->kind == OPEVO_I_LEAF) {
        count = node->leaf->to.buffer == buffer;
        for (int i = 0; i < node->leaf->factors; i++)
            count |= node->leaf->factor[i].buffer == buffer;
    }
    for (const opevo_i_nest_node *child = node->first; child; child = child->next)
        count += count_uses(child, buffer);
    return count + (node->otherwise ? count_uses(node->otherwise, buffer) : 0);
}

bool opevo_i_nest_is_guarded(const opevo_i_nest *nest, const opevo_i_nest_node *body,
                             const opevo_i_nest_node *node, const opevo_i_nest_guard *guard)
{
    if (node->kind == OPEVO_I_LEAF) {
        int to = node->leaf->to.buffer;

        return find_guard(&node->leaf->keep, guard) < node->leaf->keep.count ||
               (to >= nest->operands && count_uses(body, to) == count_uses(nest->root, to));
    }
    for (const opevo_i_nest_node *child = node->first; child; child = child->next) {
        if (!opevo_i_nest_is_guarded(nest, body, child, guard))
            return false;
    }
    return !node->otherwise || opevo_i_nest_is_guarded(nest, body, node->otherwise, guard);
}

/* Shorten the loops that count towards what is left at the edge. A vector keeps its width, and a
 * parallel loop, which declares the buffers of its threads, remains a loop. */
static void shorten(opevo_i_nest_node *node, const split_guard *at)
{
    for (opevo_i_nest_node *child = node->first; child; child = child->next) {
        int64_t factor =
            child->kind == OPEVO_I_LOOP ? opevo_i_affine_factor(&at->inner, child->atom) : 0;
        int64_t left = factor ? (at->guard.limit - at->edge + factor - 1) / factor : 0;

        if (factor && child->annotation != OPEVO_ANNOTATION_VECTORIZE &&
            child->annotation != OPEVO_ANNOTATION_PARALLEL) {
            child->extent = left < child->extent ? left : child->extent;
            child->count = (opevo_i_nest_count){0};
            if (at->inner.count == 1)
                opevo_i_nest_node_replace_guard(child, &at->guard, NULL);
        }
        shorten(child, at);
    }
    if (node->otherwise)
        shorten(node->otherwise, at);
}

/* The body as it is at the edge, beyond which nothing is done. */
static opevo_i_nest_node *make_edge(versions *self, const opevo_i_nest_node *body,
                                    const split_guard *at, const opevo_i_nest_guards *implied)
{
    const opevo_i_affine_atoms *atoms = &self->nest->atoms;
    opevo_i_nest_node *edge = opevo_i_nest_add(self->nest, NULL, OPEVO_I_LIST);
    opevo_i_nest_node *into = edge;
    opevo_i_nest_guards reached = {0};
    opevo_i_nest_guard left = at->guard;

    opevo_i_nest_guards_add(atoms, &reached, &at->start, opevo_i_affine_least(atoms, &at->start),
                            at->guard.limit);
    if (edge && reached.count) {
        into = opevo_i_nest_add(self->nest, edge, OPEVO_I_IF);
        if (into)
            into->guards = reached;
    }
    self->failed |= !into;
    if (!into)
        return edge;
    copy_list(self, into, body);
    for (int i = -1; at->is_fixed && i < implied->count; i++) {
        split_guard one = *at;

        if (i >= 0 && !split(self, body, &implied->item[i], &one))
            continue;
        one.edge = at->edge;
        left = one.guard;
        shorten(into, &one);
        left.value = one.inner;
        left.value.constant += at->edge;
        opevo_i_nest_node_replace_guard(into, &one.guard, &left);
    }
    return edge;
}

/* ---- Loops ---- */

/* Statements that a node executes in one iteration, those of a vector counted once. */
static double count_executed(const opevo_i_nest_node *node)
{
    double count = node->kind == OPEVO_I_LEAF;

    for (const opevo_i_nest_node *child = node->first; child; child = child->next) {
        bool repeats =
            child->kind == OPEVO_I_LOOP && child->annotation != OPEVO_ANNOTATION_VECTORIZE;

        count += (repeats ? (double)child->extent : 1) * count_executed(child);
    }
    return count;
}

static void make_versions(versions *self, opevo_i_nest_node *loop, const opevo_i_nest_guard *guard)
{
    const opevo_i_affine_atoms *atoms = &self->nest->atoms;
    double statements = opevo_i_nest_node_statements(loop);
    opevo_i_nest_guards interior = {0};
    opevo_i_nest_guards implied = {0};
    opevo_i_nest_node *edge = NULL;
    opevo_i_nest_node *branch = NULL;
    split_guard at;

    if (!split(self, loop, guard, &at) || !opevo_i_nest_is_guarded(self->nest, loop, loop, guard) ||
        statements > self->room)
        return;
    collect_implied(self, loop, loop, &at, &implied);
    if (at.has_edge)
        edge = make_edge(self, loop, &at, &implied);
    if (!at.has_interior) {
        loop->first = edge ? edge->first : NULL;
        loop->last = edge ? edge->last : NULL;
        return;
    }
    opevo_i_nest_guards_add(atoms, &interior, &at.start,
                            guard->least - opevo_i_affine_least(atoms, &at.inner),
                            guard->limit - opevo_i_affine_most(atoms, &at.inner));
    branch = opevo_i_nest_add(self->nest, NULL, OPEVO_I_IF);
    self->failed |= !branch;
    if (!branch)
        return;
    self->room -= edge ? statements : 0;
    branch->guards = interior;
    branch->first = loop->first;
    branch->last = loop->last;
    opevo_i_nest_node_replace_guard(branch, guard, NULL);
    for (int i = 0; i < implied.count; i++)
        opevo_i_nest_node_replace_guard(branch, &implied.item[i], NULL);
    branch->otherwise = edge;
    loop->first = loop->last = branch;
}

static void visit(versions *self, opevo_i_nest_node *node)
{
    bool is_counted = node->kind == OPEVO_I_LOOP && (node->annotation == OPEVO_ANNOTATION_SERIAL ||
                                                     node->annotation == OPEVO_ANNOTATION_PARALLEL);
    opevo_i_nest_guards found = {0};

    for (opevo_i_nest_node *child = node->first; child; child = child->next)
        visit(self, child);
    if (node->otherwise)
        visit(self, node->otherwise);
    if (!is_counted || count_executed(node) < WORTH)
        return;
    collect(self, node, node->atom, &found);
    for (int i = 0; i < found.count && !self->failed; i++)
        make_versions(self, node, &found.item[i]);
}

bool opevo_i_nest_make_versions(opevo_i_nest *nest)
{
    versions self = {.nest = nest, .room = ROOM};

    if (!nest->trimmed)
        visit(&self, nest->root);
    return !self.failed && !nest->atoms.failed;
}
