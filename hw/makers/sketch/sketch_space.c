/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sketches as a search space. It is written in opevo's own format and read back, so what `opevo
 * space` prints is what tuners see. What is known to fail before a compiler has seen it is excluded
 * by constraints. */

#include "sketch_internal.h"

#include <opevo/space.h>

#include <string.h>

enum { MOST_REGISTERS = 64 }; /* vectors of a register tile: more are spilled at every step */

/* ---- Parameters ---- */

static void add_place(opevo_text *out, const opevo_sketch *sketch, const opevo_slot *slot,
                      int choice)
{
    int key = slot->place[choice].key;

    if (key < 0)
        opevo_text_add(out, key == OPEVO_I_AT_ROOT ? "\"root\"" : "\"inline\"");
    else
        opevo_text_printf(out, "\"%s:%s\"", sketch->pipeline->stage[key]->name,
                          sketch->pipeline->stage[key]->own.loop[slot->place[choice].loop].name);
}

static void add_parameter(opevo_text *out, const opevo_sketch *sketch, const opevo_slot *slot)
{
    opevo_text_printf(out, "\"%s\": {\"_type\": ", slot->name);
    if (slot->kind == OPEVO_SLOT_TILE) {
        opevo_text_printf(out, "\"factor\", \"_value\": [%lld, %d]}", (long long)slot->extent,
                          slot->parts);
        return;
    }
    opevo_text_add(out, slot->kind == OPEVO_SLOT_LOCATION ? "\"choice\", \"_value\": ["
                                                          : "\"discrete\", \"_value\": [");
    for (int i = 0; i < slot->choices; i++) {
        opevo_text_add(out, i ? ", " : "");
        if (slot->kind == OPEVO_SLOT_LOCATION)
            add_place(out, sketch, slot, i);
        else
            opevo_text_printf(out, "%lld", (long long)slot->value[i]);
    }
    opevo_text_add(out, "]}");
}

/* ---- Constraints ---- */

/* Its key, after the sketch's name if sketches share the key. */
void opevo_i_sketch_add_name(opevo_text *out, const opevo_sketches *all, size_t number,
                             const opevo_slot *slot)
{
    int found = 0;

    for (size_t i = 0; i < all->count; i++) {
        for (int k = 0; k < all->item[i]->slots; k++)
            found += strcmp(all->item[i]->slot[k].name, slot->name) == 0;
    }
    if (found > 1)
        opevo_text_printf(out, "sketch.s%zu.", number + 1);
    opevo_text_add(out, slot->name);
}

void opevo_i_sketch_open_constraint(opevo_text *out, bool *any)
{
    opevo_text_add(out, *any ? ",\n \"" : "\n \"");
    *any = true;
}

/* Ansor's limit, but for register tiles: their lanes fill rows, and they fit into the registers. */
static void constrain_tiles(opevo_text *out, const opevo_sketches *all, size_t number, bool *any)
{
    const opevo_sketch *sketch = all->item[number];
    const opevo_slot *lanes = NULL;
    const opevo_slot *row =
        sketch->registers >= 0 ? &sketch->slot[opevo_i_sketch_lane_slot(sketch)] : NULL;
    bool tiles = false;
    opevo_text tile = {0};

    for (int i = 0; i < sketch->slots; i++) {
        const opevo_slot *slot = &sketch->slot[i];

        if (slot->kind == OPEVO_SLOT_LANES)
            lanes = slot;
        if (slot->kind != OPEVO_SLOT_TILE)
            continue;
        if (slot->extent > OPEVO_I_LONGEST_INNERMOST && slot->key != sketch->registers) {
            opevo_i_sketch_open_constraint(out, any);
            opevo_i_sketch_add_name(out, all, number, slot);
            opevo_text_printf(out, "[%d] <= %d\"", slot->parts - 1, OPEVO_I_LONGEST_INNERMOST);
        }
        if (slot->key != sketch->registers || slot->parts != 3)
            continue;
        opevo_text_add(&tile, tiles ? " * " : "");
        opevo_i_sketch_add_name(&tile, all, number, slot);
        opevo_text_add(&tile, "[2]");
        tiles = true;
    }
    if (lanes && row) {
        opevo_i_sketch_open_constraint(out, any);
        opevo_i_sketch_add_name(out, all, number, row);
        opevo_text_add(out, "[2] % ");
        opevo_i_sketch_add_name(out, all, number, lanes);
        opevo_text_add(out, " == 0\"");
        opevo_i_sketch_open_constraint(out, any);
        opevo_text_printf(out, "%s <= %d * ", opevo_text_string(&tile), MOST_REGISTERS);
        opevo_i_sketch_add_name(out, all, number, lanes);
        opevo_text_add(out, "\"");
    }
    out->failed |= tile.failed;
    opevo_text_free(&tile);
}

/* A stage is not computed at the loops of one that is inlined. */
static void constrain_places(opevo_text *out, const opevo_sketches *all, size_t number, bool *any)
{
    const opevo_sketch *sketch = all->item[number];

    for (int i = 0; i < sketch->slots; i++) {
        for (int k = 0; k < sketch->slots; k++) {
            const opevo_slot *slot = &sketch->slot[i];
            const opevo_slot *other = &sketch->slot[k];

            if (slot->kind != OPEVO_SLOT_LOCATION || other->kind != OPEVO_SLOT_LOCATION)
                continue;
            for (int c = 0; c < slot->choices; c++) {
                if (slot->place[c].key != other->key || other->choices < 2 ||
                    other->place[1].key != OPEVO_I_INLINED)
                    continue;
                opevo_i_sketch_open_constraint(out, any);
                opevo_i_sketch_add_name(out, all, number, other);
                opevo_text_add(out, " != 'inline' || ");
                opevo_i_sketch_add_name(out, all, number, slot);
                opevo_text_printf(
                    out, " != '%s:%s'\"", sketch->pipeline->stage[other->key]->name,
                    sketch->pipeline->stage[other->key]->own.loop[slot->place[c].loop].name);
            }
        }
    }
}

static const opevo_slot *find_slot(const opevo_sketch *sketch, opevo_slot_kind kind, int key)
{
    for (int i = 0; i < sketch->slots; i++) {
        if (sketch->slot[i].kind == kind && sketch->slot[i].key == key)
            return &sketch->slot[i];
    }
    return NULL;
}

/* Threads divide a stage only at the root: elsewhere the parameter has one value. */
static void constrain_threads(opevo_text *out, const opevo_sketches *all, size_t number, bool *any)
{
    const opevo_sketch *sketch = all->item[number];

    for (int i = 0; i < sketch->slots; i++) {
        const opevo_slot *slot = &sketch->slot[i];
        const opevo_slot *place = find_slot(sketch, OPEVO_SLOT_LOCATION, slot->key);

        if (slot->kind != OPEVO_SLOT_PARALLEL || !place || slot->choices < 2)
            continue;
        opevo_i_sketch_open_constraint(out, any);
        opevo_i_sketch_add_name(out, all, number, place);
        opevo_text_add(out, " == 'root' || ");
        opevo_i_sketch_add_name(out, all, number, slot);
        opevo_text_printf(out, " == %lld\"", (long long)slot->value[0]);
    }
}

opevo_status opevo_sketches_space(const opevo_sketches *sketches, opevo_space **out,
                                  opevo_error *err)
{
    opevo_text text = {0};
    bool branches = sketches->count > 1;
    bool any = false;
    opevo_status status = OPEVO_OK;

    opevo_text_add(&text, branches ? "{\"sketch\": {\"_type\": \"choice\", \"_value\": [\n" : "{");
    for (size_t i = 0; i < sketches->count; i++) {
        const opevo_sketch *sketch = sketches->item[i];

        if (branches)
            opevo_text_printf(&text, "%s {\"_name\": \"s%zu\"", i ? ",\n" : "", i + 1);
        for (int k = 0; k < sketch->slots; k++) {
            opevo_text_add(&text, k || branches ? ",\n  " : "\n  ");
            add_parameter(&text, sketch, &sketch->slot[k]);
        }
        if (branches)
            opevo_text_add(&text, "}");
    }
    if (branches)
        opevo_text_add(&text, "]},\n");
    else
        opevo_text_add(&text, sketches->item[0]->slots ? ",\n"
                                                       : "\"sketch\": {\"_type\": \"choice\", "
                                                         "\"_value\": [\"s1\"]},\n");
    opevo_text_add(&text, " \"_constraints\": [");
    for (size_t i = 0; i < sketches->count; i++) {
        constrain_tiles(&text, sketches, i, &any);
        constrain_places(&text, sketches, i, &any);
        if (opevo_i_sketch_is_gpu(sketches->item[i]->dialect)) {
            opevo_limits limits = opevo_limits_default(sketches->item[i]->dialect);

            opevo_i_sketch_constrain_gpu(&text, sketches, i, &limits, &any);
        }
        constrain_threads(&text, sketches, i, &any);
    }
    opevo_text_add(&text, "]}\n");
    OPEVO_TRY(opevo_text_check(&text, err));
    status = opevo_space_parse(opevo_text_string(&text), "sketches", NULL, out, err);
    if (status == OPEVO_LIMIT)
        status = OPEVO_FAIL(err, OPEVO_LIMIT,
                            "The sketches of the computation leave more open than a search space "
                            "can hold: divide it into computations of fewer definitions.");
cleanup:
    opevo_text_free(&text);
    return status;
}
