/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Constraints of tiled stages on a GPU, from Ansor's limits and those of the devices: threads of a
 * block, at least a warp of them, virtual threads, accumulators of a thread, and shared memory as
 * far as the indices of what is read are sums of axes. */

#include "sketch_internal.h"

#include <opevo/computation_access.h>

#include <stdlib.h>

/* More than the registers of a thread: sums would be in memory. */
enum { ACCUMULATORS = 256 };

typedef struct writer {
    opevo_text *out;
    const opevo_sketches *all;
    size_t number;
    const opevo_sketch *sketch;
    int warp;
    int key; /* of the tiled stage */
} writer;

/* ---- Products of lengths ---- */

static void add_length(const writer *self, opevo_text *out, const opevo_slot *slot, int level)
{
    opevo_i_sketch_add_name(out, self->all, self->number, slot);
    opevo_text_printf(out, "[%d]", level);
}

/* The lengths of some levels of all axes that do not reduce. */
static void add_levels(const writer *self, int from, int to)
{
    bool any = false;

    for (int i = 0; i < self->sketch->slots; i++) {
        const opevo_slot *slot = &self->sketch->slot[i];

        for (int level = from; level <= to && opevo_i_sketch_is_spatial(slot, self->key); level++) {
            opevo_text_add(self->out, any ? " * " : "");
            add_length(self, self->out, slot, level);
            any = true;
        }
    }
}

/* Whether tiles can give a block at least a warp of threads, and its limit at most; small results
 * need not, in Ansor. */
static bool fills_warp(const writer *self)
{
    bool reached[OPEVO_I_BLOCK_THREADS + 1] = {false};
    double points = 1;

    reached[1] = true;
    for (int i = 0; i < self->sketch->slots; i++) {
        const opevo_slot *slot = &self->sketch->slot[i];

        if (!opevo_i_sketch_is_spatial(slot, self->key))
            continue;
        points *= (double)slot->extent;
        for (int n = OPEVO_I_BLOCK_THREADS; n > 0; n--) {
            for (int d = 2; reached[n] && d * n <= OPEVO_I_BLOCK_THREADS; d++)
                reached[d * n] |= slot->extent % d == 0;
        }
    }
    for (int n = self->warp; n <= OPEVO_I_BLOCK_THREADS; n++) {
        if (reached[n])
            return points > 2.0 * self->warp;
    }
    return false;
}

/* ---- Shared memory ---- */

static bool is_sum_of_axes(const opevo_expression *read)
{
    for (int d = 0; d < read->tensor->dims; d++) {
        for (int t = 0; t < read->index[d].count; t++) {
            if (read->index[d].term[t].atom != OPEVO_ATOM_AXIS)
                return false;
        }
    }
    return true;
}

/* The tile of an axis inside the loop at which copies are made. */
static void add_tile(const writer *self, opevo_text *out, int axis)
{
    for (int i = 0; i < self->sketch->slots; i++) {
        const opevo_slot *slot = &self->sketch->slot[i];

        if (slot->kind != OPEVO_SLOT_TILE || slot->key != self->key || axis--)
            continue;
        for (int level = 1; level < slot->parts; level++) {
            opevo_text_add(out, level > 1 ? " * " : "");
            add_length(self, out, slot, level);
        }
        return;
    }
}

/* Indices of a dimension: 1 + sum |factor| (tile - 1). */
static void add_part(const writer *self, opevo_text *out, const opevo_affine *index)
{
    opevo_text_add(out, "(1");
    for (int t = 0; t < index->count; t++) {
        opevo_text_printf(out, " + %lld * (", llabs((long long)index->term[t].factor));
        add_tile(self, out, index->term[t].axis);
        opevo_text_add(out, " - 1)");
    }
    opevo_text_add(out, ")");
}

/* What a copy that is made for the stage holds. NULL if this stage is not such a copy, or if its
 * size is not known. */
static const opevo_expression *copied(const writer *self, int key)
{
    const opevo_i_pipeline_stage *stage = self->sketch->pipeline->stage[key];
    const opevo_expression *read = NULL;

    if (stage->scope != OPEVO_SCOPE_SHARED || stage->place != OPEVO_PLACE_AT ||
        stage->at != self->key)
        return NULL;
    read = opevo_i_sketch_only_read(self->sketch, self->key, key);
    return read && is_sum_of_axes(read) ? read : NULL;
}

/* The bytes of all copies that are made for the stage: those of its smallest elements times a sum.
 * False where tiles do not decide the size of any, as far as it is known. */
static bool add_copies(const writer *self, opevo_text *out)
{
    int stages = self->sketch->pipeline->stages;
    int least = (int)sizeof(float); /* no element is larger */
    bool any = false, decided = false;

    for (int key = 0; key < stages; key++) {
        const opevo_expression *read = copied(self, key);

        if (read && opevo_element_bytes(read->tensor->element) < least)
            least = opevo_element_bytes(read->tensor->element);
    }
    opevo_text_printf(out, "%d * (", least);
    for (int key = 0; key < stages; key++) {
        const opevo_expression *read = copied(self, key);

        if (!read)
            continue;
        opevo_text_add(out, any ? " + " : "");
        if (opevo_element_bytes(read->tensor->element) != least)
            opevo_text_printf(out, "%d * ", opevo_element_bytes(read->tensor->element) / least);
        for (int d = 0; d < read->tensor->dims; d++) {
            opevo_text_add(out, d ? " * " : "");
            add_part(self, out, &read->index[d]);
            decided |= read->index[d].count > 0;
        }
        opevo_text_add(out, read->tensor->dims ? "" : "1");
        any = true;
    }
    opevo_text_add(out, ")");
    return decided;
}

/* ---- All ---- */

static void constrain_stage(const writer *self, const opevo_limits *limits, bool *any)
{
    opevo_text copies = {0};

    opevo_i_sketch_open_constraint(self->out, any);
    add_levels(self, 2, 2);
    opevo_text_printf(self->out, " <= %d", OPEVO_I_BLOCK_THREADS);
    if (fills_warp(self)) {
        opevo_i_sketch_open_constraint(self->out, any);
        add_levels(self, 2, 2);
        opevo_text_printf(self->out, " >= %d", self->warp);
    }
    opevo_i_sketch_open_constraint(self->out, any);
    add_levels(self, 1, 1);
    opevo_text_printf(self->out, " <= %d", self->warp / 4);
    opevo_i_sketch_open_constraint(self->out, any);
    add_levels(self, 1, 1);
    opevo_text_add(self->out, " * ");
    add_levels(self, 3, 4);
    opevo_text_printf(self->out, " <= %d", ACCUMULATORS);
    if (add_copies(self, &copies)) {
        opevo_i_sketch_open_constraint(self->out, any);
        opevo_text_printf(self->out, "%s <= %lld", opevo_text_string(&copies),
                          (long long)limits->shared_bytes);
    }
    self->out->failed |= copies.failed;
    opevo_text_free(&copies);
}

void opevo_i_sketch_constrain_gpu(opevo_text *out, const opevo_sketches *all, size_t number,
                                  const opevo_limits *limits, bool *any)
{
    const opevo_sketch *sketch = all->item[number];
    writer self = {.out = out,
                   .all = all,
                   .number = number,
                   .sketch = sketch,
                   .warp = opevo_i_sketch_warp(sketch->dialect)};

    for (self.key = 0; self.key < sketch->pipeline->stages; self.key++) {
        for (int i = 0; i < sketch->slots; i++) {
            if (!opevo_i_sketch_is_spatial(&sketch->slot[i], self.key))
                continue;
            constrain_stage(&self, limits, any);
            break;
        }
    }
}
