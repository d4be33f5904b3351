/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Blocked layouts: axes along channels are cut in two, and all integers are written anew. */

#include "computation_internal.h"

#include <opevo/computation_block.h>
#include <opevo/memory.h>

#include <stdio.h>
#include <string.h>

enum { CHANNELS = 1, LAST = 1 << 20 };

typedef struct blocker {
    opevo_i_comp_arena arena;
    int64_t block;
    const opevo_layout_choice *choice;
    opevo_tensor_cut *cut;
    opevo_tensor **made; /* of each tensor */
    int *reads;          /* of each tensor, in all definitions */

    /* The definition that is written. */
    const opevo_definition *old, *now;
    int place[OPEVO_COMPUTATION_AXES]; /* of its axes in the new one: of the blocks, if cut */
    int inner[OPEVO_COMPUTATION_AXES]; /* of the places inside; -1: not cut */
    const char *refused;               /* the tensor that it cannot read; NULL */
    bool limited;
} blocker;

/* ---- Axes ---- */

/* Axes that are reduced along blocked channels. */
static void find_cuts(void *context, const opevo_expression *read)
{
    blocker *self = context;
    const opevo_affine *index = read->index;

    if (self->choice[read->tensor->number] != OPEVO_LAYOUT_BLOCKED)
        return;
    for (int t = 0; t < index[CHANNELS].count; t++) {
        const opevo_term *term = &index[CHANNELS].term[t];

        if (term->atom == OPEVO_ATOM_AXIS && term->factor == 1 &&
            term->axis >= self->old->spatial &&
            self->old->axis[term->axis].extent % self->block == 0)
            self->inner[term->axis] = 0;
    }
}

static void name_axis(blocker *self, int tensor, int number, int64_t extent, opevo_axis *out)
{
    char name[OPEVO_COMPUTATION_NAME + 1];

    snprintf(name, sizeof name, "i%d_%d", tensor, number);
    *out = (opevo_axis){opevo_i_comp_arena_copy(&self->arena, name, strlen(name) + 1), extent};
}

/* Numbers the new axes: spatial ones, the places inside, reduced ones, the places inside. */
static void number_axes(blocker *self, const opevo_tensor *tensor, opevo_definition *made)
{
    const opevo_definition *old = tensor->definition;
    int count = 0;

    for (int part = 0; part < 2; part++) {
        int first = part ? old->spatial : 0, end = part ? old->axes : old->spatial;

        for (int pass = 0; pass < 2; pass++) {
            for (int a = first; a < end; a++) {
                bool is_cut = self->inner[a] >= 0;
                int64_t extent = old->axis[a].extent;

                if (pass && !is_cut)
                    continue;
                if (count == OPEVO_COMPUTATION_AXES) {
                    self->limited = true;
                    return;
                }
                *(pass ? &self->inner[a] : &self->place[a]) = count;
                name_axis(self, tensor->number, count,
                          pass     ? self->block
                          : is_cut ? extent / self->block
                                   : extent,
                          &made->axis[count]);
                count++;
            }
        }
        if (part == 0)
            made->spatial = count;
    }
    made->axes = count;
}

/* ---- Integer expressions ---- */

static bool add_atom(opevo_i_comp_whole *to, int64_t factor, int axis)
{
    opevo_i_comp_whole one = {.count = 1,
                              .term[0] = {.factor = 1, .atom = OPEVO_ATOM_AXIS, .axis = axis}};

    return opevo_i_comp_whole_add(to, factor, &one);
}

static bool add_affine(blocker *self, int64_t factor, const opevo_affine *from,
                       opevo_i_comp_whole *to);

static bool add_axis(const blocker *self, int64_t factor, int axis, opevo_i_comp_whole *to)
{
    if (self->inner[axis] < 0)
        return add_atom(to, factor, self->place[axis]);
    return add_atom(to, factor * self->block, self->place[axis]) &&
           add_atom(to, factor, self->inner[axis]);
}

/* Of an axis that is cut, where whole blocks fit the divisor: (block o + i) // (block m) = o // m,
 * and the rest is block (o % m) + i. */
static bool add_quotient(blocker *self, const opevo_term *term, int64_t factor,
                         opevo_i_comp_whole *to)
{
    opevo_i_comp_whole quotient = {0};
    bool modulo = term->atom == OPEVO_ATOM_MODULO;
    int axis = opevo_i_comp_is_axis(term->inner) ? term->inner->term[0].axis : -1;

    if (axis >= 0 && self->inner[axis] >= 0 && term->divisor % self->block == 0)
        return add_atom(&quotient, 1, self->place[axis]) &&
               opevo_i_comp_whole_divide(&quotient, term->divisor / self->block, modulo,
                                         &self->arena) &&
               opevo_i_comp_whole_add(to, modulo ? factor * self->block : factor, &quotient) &&
               (!modulo || add_atom(to, factor, self->inner[axis]));
    return add_affine(self, 1, term->inner, &quotient) &&
           opevo_i_comp_whole_divide(&quotient, term->divisor, modulo, &self->arena) &&
           opevo_i_comp_whole_add(to, factor, &quotient);
}

/* *to += factor from, over the new axes. False where a limit is reached. */
static bool add_affine(blocker *self, int64_t factor, const opevo_affine *from,
                       opevo_i_comp_whole *to)
{
    opevo_i_comp_whole constant = {.constant = from->constant};
    bool fits = opevo_i_comp_whole_add(to, factor, &constant);

    for (int t = 0; t < from->count && fits; t++) {
        const opevo_term *term = &from->term[t];

        fits = term->atom == OPEVO_ATOM_AXIS ? add_axis(self, factor * term->factor, term->axis, to)
                                             : add_quotient(self, term, factor * term->factor, to);
    }
    return fits;
}

static void store(blocker *self, const opevo_i_comp_whole *whole, opevo_affine *out)
{
    const opevo_affine *stored = NULL;

    if (opevo_i_comp_whole_size(whole) > OPEVO_COMPUTATION_TERMS) {
        self->limited = true;
        return;
    }
    stored = opevo_i_comp_whole_store(whole, &self->arena);
    if (stored)
        *out = *stored;
}

static void translate(blocker *self, const opevo_affine *from, opevo_affine *out)
{
    opevo_i_comp_whole whole = {0};

    if (!add_affine(self, 1, from, &whole))
        self->limited = true;
    else
        store(self, &whole, out);
}

static const opevo_affine *translated(void *context, const opevo_affine *from)
{
    blocker *self = context;
    opevo_affine *made = opevo_i_comp_arena_take(&self->arena, sizeof *made);

    if (made)
        translate(self, from, made);
    return made;
}

/* Channels as whole blocks and a place inside, which is one axis of that extent. */
static bool divide_channels(blocker *self, const opevo_affine *from, opevo_affine *blocks,
                            opevo_affine *inside)
{
    opevo_i_comp_whole whole = {0}, quotient = {0}, rest = {0};

    if (!add_affine(self, 1, from, &whole)) {
        self->limited = true;
        return true;
    }
    for (int t = 0; t < whole.count; t++) {
        opevo_term term = whole.term[t];

        if (term.factor % self->block == 0) {
            term.factor /= self->block;
            quotient.term[quotient.count++] = term;
        } else {
            rest.term[rest.count++] = term;
        }
    }
    if (whole.constant % self->block || rest.count != 1 || rest.term[0].factor != 1 ||
        rest.term[0].atom != OPEVO_ATOM_AXIS ||
        self->now->axis[rest.term[0].axis].extent != self->block)
        return false;
    quotient.constant = whole.constant / self->block;
    store(self, &quotient, blocks);
    store(self, &rest, inside);
    return true;
}

/* ---- Constants ---- */

/* A dimension to be, at an axis. */
typedef struct piece {
    int from, axis, key; /* axis -1: the only element */
    bool inner;
} piece;

static void add_piece(piece *pieces, int *count, piece one)
{
    int at = (*count)++;

    for (; at > 0 && pieces[at - 1].key > one.key; at--)
        pieces[at] = pieces[at - 1];
    pieces[at] = one;
}

/* The dimensions of a tensor in the order of the axes that read it; 0 if it is to stay as it is. */
static int find_pieces(const blocker *self, const opevo_expression *read, piece *pieces)
{
    const opevo_tensor *tensor = read->tensor;
    int count = 0;
    bool is_cut = false;

    for (int d = 0; d < tensor->dims; d++) {
        const opevo_affine *index = &read->index[d];
        int axis = opevo_i_comp_is_axis(index) ? index->term[0].axis : -1;

        if (axis < 0 && (index->count || tensor->extent[d] != 1))
            return 0;
        if (axis >= 0 && tensor->extent[d] != self->old->axis[axis].extent)
            return 0;
        if (count + 2 > OPEVO_COMPUTATION_DIMS)
            return 0;
        add_piece(pieces, &count,
                  (piece){.from = d, .axis = axis, .key = axis < 0 ? -1 : self->place[axis]});
        if (axis < 0 || self->inner[axis] < 0)
            continue;
        is_cut = true;
        add_piece(pieces, &count,
                  (piece){.from = d,
                          .axis = axis,
                          .key = axis < self->old->spatial ? LAST : self->inner[axis],
                          .inner = true});
    }
    return is_cut ? count : 0;
}

static void cut_constant(blocker *self, const opevo_tensor *tensor, const piece *pieces, int count)
{
    opevo_tensor_cut *cut = &self->cut[tensor->number];
    opevo_tensor *made = self->made[tensor->number];

    cut->dims = made->dims = count;
    for (int d = 0; d < count; d++) {
        const piece *one = &pieces[d];
        bool divided = one->axis >= 0 && self->inner[one->axis] >= 0;
        int64_t extent = tensor->extent[one->from];

        cut->from[d] = one->from;
        cut->inner[d] = one->inner;
        cut->extent[d] = one->inner ? self->block : divided ? extent / self->block : extent;
        made->extent[d] = cut->extent[d];
    }
}

/* ---- Expressions ---- */

static void write_read(blocker *self, const opevo_expression *from, opevo_expression *made)
{
    const opevo_tensor *tensor = from->tensor;
    opevo_layout_choice choice = self->choice[tensor->number];
    opevo_affine *index =
        opevo_i_comp_arena_take(&self->arena, (OPEVO_COMPUTATION_DIMS + 1) * sizeof *index);
    piece pieces[OPEVO_COMPUTATION_DIMS];
    int count = choice == OPEVO_LAYOUT_FREE && self->reads[tensor->number] == 1
                    ? find_pieces(self, from, pieces)
                    : 0;

    if (!index)
        return;
    made->tensor = self->made[tensor->number];
    made->index = index;
    for (int d = 0; d < count; d++) {
        opevo_i_comp_whole whole = {0};

        if (pieces[d].axis >= 0)
            add_atom(&whole, 1,
                     pieces[d].inner ? self->inner[pieces[d].axis] : self->place[pieces[d].axis]);
        store(self, &whole, &index[d]);
    }
    if (count) {
        cut_constant(self, tensor, pieces, count);
        return;
    }
    for (int d = 0; d < tensor->dims; d++) {
        if (choice != OPEVO_LAYOUT_BLOCKED || d != CHANNELS)
            translate(self, &from->index[d], &index[d]);
        else if (!divide_channels(self, &from->index[d], &index[d], &index[tensor->dims]))
            self->refused = tensor->name;
    }
}

static const opevo_expression *written_read(void *context, const opevo_expression *from)
{
    blocker *self = context;
    opevo_expression *made = opevo_i_comp_arena_copy(&self->arena, from, sizeof *made);

    if (made)
        write_read(self, from, made);
    return made;
}

/* ---- Tensors ---- */

static opevo_status make_tensor(blocker *self, const opevo_tensor *tensor, opevo_error *err)
{
    opevo_tensor *made = opevo_i_comp_arena_copy(&self->arena, tensor, sizeof *made);

    self->made[tensor->number] = made;
    if (!made)
        return OPEVO_OK; /* which the arena remembers */
    memset(made->dim_name, 0, sizeof made->dim_name);
    if (self->choice[tensor->number] != OPEVO_LAYOUT_BLOCKED)
        return OPEVO_OK;
    if (tensor->dims <= CHANNELS || tensor->extent[CHANNELS] % self->block)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s has no channels in blocks of %lld.", tensor->name,
                          (long long)self->block);
    if (tensor->dims == OPEVO_COMPUTATION_DIMS)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "%s has more than %d dimensions in blocks.",
                          tensor->name, OPEVO_COMPUTATION_DIMS);
    made->extent[CHANNELS] /= self->block;
    made->extent[made->dims++] = self->block;
    return OPEVO_OK;
}

static void find_axes(blocker *self, const opevo_tensor *tensor)
{
    self->old = tensor->definition;
    for (int a = 0; a < OPEVO_COMPUTATION_AXES; a++)
        self->inner[a] = -1;
    if (self->choice[tensor->number] == OPEVO_LAYOUT_BLOCKED)
        self->inner[CHANNELS] = 0;
    opevo_i_comp_walk_reads(tensor->definition->value, find_cuts, self);
}

static void define(blocker *self, const opevo_tensor *tensor)
{
    opevo_tensor *made = self->made[tensor->number];
    opevo_definition *now = opevo_i_comp_arena_copy(&self->arena, tensor->definition, sizeof *now);

    if (!made || !now)
        return;
    find_axes(self, tensor);
    number_axes(self, tensor, now);
    if (self->limited)
        return;
    for (int d = 0; d < made->dims; d++)
        made->dim_name[d] = now->axis[d].name;
    self->now = now;
    now->value = opevo_i_comp_map_expression(
        &(opevo_i_comp_mapping){
            .arena = &self->arena, .context = self, .read = written_read, .whole = translated},
        tensor->definition->value);
    made->definition = now;
}

static void count_read(void *context, const opevo_expression *read)
{
    int *reads = context;

    reads[read->tensor->number]++;
}

opevo_status opevo_computation_block(const opevo_computation *from, int64_t block,
                                     const opevo_layout_choice *choice, opevo_computation **out,
                                     opevo_tensor_cut *cut, opevo_error *err)
{
    blocker self = {.block = block, .choice = choice, .cut = cut};
    opevo_computation whole = *from;
    size_t tensors = (size_t)from->tensors;
    opevo_status status = OPEVO_OK;

    memset(cut, 0, tensors * sizeof *cut);
    self.made = opevo_i_comp_arena_take(&self.arena, tensors * sizeof(opevo_tensor *));
    self.reads = opevo_i_comp_arena_take(&self.arena, tensors * sizeof *self.reads);
    for (int i = 0; i < from->tensors && !self.arena.failed; i++) {
        OPEVO_TRY(make_tensor(&self, from->tensor[i], err));
        if (from->tensor[i]->definition)
            opevo_i_comp_walk_reads(from->tensor[i]->definition->value, count_read, self.reads);
    }
    for (int i = 0; i < from->tensors && !self.arena.failed && !self.limited; i++) {
        if (from->tensor[i]->definition)
            define(&self, from->tensor[i]);
    }
    if (self.arena.failed)
        OPEVO_TRY(OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a computation."));
    if (self.limited)
        OPEVO_TRY(OPEVO_FAIL(err, OPEVO_LIMIT, "A definition in blocks has too many axes."));
    if (self.refused)
        OPEVO_TRY(OPEVO_FAIL(err, OPEVO_INVALID, "%s is not read in whole blocks of %lld channels.",
                             self.refused, (long long)block));
    whole.tensor = (const opevo_tensor *const *)self.made;
    status = opevo_i_comp_rebuild(&whole, "blocks", out, err);
cleanup:
    opevo_i_comp_arena_free(&self.arena);
    return status;
}
