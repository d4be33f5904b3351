/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sketches as a search space. What is known to fail before a compiler has seen it is excluded by
 * constraints. */

#include "sketch_internal.h"

#include <opevo/memory.h>
#include <opevo/space.h>

enum { MOST_REGISTERS = 64 }; /* vectors of a register tile: more are spilled at every step */

/* ---- Constraints ---- */

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
            opevo_text_printf(out, "[%d] <= %d", slot->parts - 1, OPEVO_I_LONGEST_INNERMOST);
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
        opevo_text_add(out, " == 0");
        opevo_i_sketch_open_constraint(out, any);
        opevo_text_printf(out, "%s <= %d * ", opevo_text_string(&tile), MOST_REGISTERS);
        opevo_i_sketch_add_name(out, all, number, lanes);
    }
    out->failed |= tile.failed;
    opevo_text_free(&tile);
}

/* The same for the sums of a block of rows. */
static void constrain_gathers(opevo_text *out, const opevo_sketches *all, size_t number, int key,
                              const opevo_slot *lanes, bool *any)
{
    const opevo_sketch *sketch = all->item[number];
    const opevo_slot *row = NULL;

    opevo_i_sketch_open_constraint(out, any);
    for (int i = 0; i < sketch->slots; i++) {
        if (sketch->slot[i].kind != OPEVO_SLOT_TILE || sketch->slot[i].key != key)
            continue;
        opevo_text_add(out, row ? " * " : "");
        row = &sketch->slot[i];
        opevo_i_sketch_add_name(out, all, number, row);
        opevo_text_add(out, "[1]");
    }
    opevo_text_printf(out, " <= %d * ", MOST_REGISTERS);
    opevo_i_sketch_add_name(out, all, number, lanes);
    opevo_i_sketch_open_constraint(out, any);
    opevo_i_sketch_add_name(out, all, number, row);
    opevo_text_add(out, "[1] % ");
    opevo_i_sketch_add_name(out, all, number, lanes);
    opevo_text_add(out, " == 0");
}

static void constrain_rows(opevo_text *out, const opevo_sketches *all, size_t number, bool *any)
{
    const opevo_sketch *sketch = all->item[number];
    const opevo_slot *lanes = sketch->slot;

    while (sketch->rows && lanes->kind != OPEVO_SLOT_LANES)
        lanes++;
    for (int key = 0; key < sketch->pipeline->stages; key++)
        if (sketch->gathers[key])
            constrain_gathers(out, all, number, key, lanes, any);
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
                opevo_text_add(out, " != '");
                opevo_i_sketch_print_place(sketch, slot, c, out);
                opevo_text_add(out, "'");
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
        opevo_text_printf(out, " == %lld", (long long)slot->value[0]);
    }
}

/* All constraints, a line each; *count of them. */
static void constrain(const opevo_sketches *all, opevo_text *out, size_t *count)
{
    bool any = false;

    for (size_t i = 0; i < all->count; i++) {
        constrain_tiles(out, all, i, &any);
        constrain_rows(out, all, i, &any);
        constrain_places(out, all, i, &any);
        if (opevo_i_sketch_is_gpu(all->item[i]->dialect)) {
            opevo_limits limits = opevo_limits_default(all->item[i]->dialect);

            opevo_i_sketch_constrain_gpu(out, all, i, &limits, &any);
        }
        constrain_threads(out, all, i, &any);
    }
    *count = any;
    for (size_t i = 0; i < out->length; i++)
        *count += out->data[i] == '\n';
}

/* Divide the text into its lines; free the list. NULL without memory. */
static const char **lines_of(opevo_text *text, size_t count)
{
    const char **lines = opevo_calloc(count + 1, sizeof *lines);
    char *rest = text->data;

    for (size_t i = 0; i < count && lines; i++)
        lines[i] = strsep(&rest, "\n");
    return lines;
}

opevo_status opevo_sketches_space(const opevo_sketches *sketches, opevo_space **out,
                                  opevo_error *err)
{
    opevo_i_sketch_parameters *self = opevo_calloc(1, sizeof *self);
    opevo_space_spec spec = {.dialect = OPEVO_DIALECT_C, .origin = "sketches"};
    const char **constraints = NULL;
    opevo_text text = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(self, "the space of sketches");
    constrain(sketches, &text, &spec.constraint_count);
    OPEVO_TRY(opevo_text_check(&text, err));
    constraints = lines_of(&text, spec.constraint_count);
    OPEVO_NEED(constraints, "the space of sketches");
    status = opevo_i_sketch_add_parameters(self, sketches, err);
    if (status == OPEVO_OK) {
        spec.parameters = self->parameter;
        spec.activations = self->active;
        spec.count = self->count;
        spec.constraints = constraints;
        status = opevo_space_create_branched(&spec, out, err);
    }
    if (status == OPEVO_OK)
        self->count = 0; /* which the space owns */
    else if (status == OPEVO_LIMIT)
        status = OPEVO_FAIL(err, OPEVO_LIMIT,
                            "The sketches of the computation leave more open than a search space "
                            "can hold: divide it into computations of fewer definitions.");
cleanup:
    for (size_t i = 0; i < self->count; i++)
        opevo_parameter_destroy(self->parameter[i]);
    opevo_free(self);
    opevo_free(constraints);
    opevo_text_free(&text);
    return status;
}
