/* SPDX-License-Identifier: GPL-3.0-or-later */

/* One slot, and what is asked of the loops that it stands for. */

#include "sketch_internal.h"

#include <stdio.h>
#include <string.h>

/* Names in keys are C identifiers. */
static void add_name(char *out, size_t size, const char *name)
{
    size_t length = strlen(out);

    for (; *name && length + 1 < size; name++)
        out[length++] = *name == '.' || *name == '+' ? '_' : *name;
    out[length] = '\0';
}

static bool has_name(const opevo_sketch *self, const char *name)
{
    for (int i = 0; i < self->slots; i++) {
        if (strcmp(self->slot[i].name, name) == 0)
            return true;
    }
    return false;
}

/* STAGE__WHAT, with the stage cut where that is too long, and STAGE_2__WHAT and so on where another
 * slot has that name, since different names of stages and loops can give one identifier. */
static void make_name(const opevo_sketch *self, opevo_slot *slot, const char *stage,
                      const char *what)
{
    char count[16] = "";
    char tail[OPEVO_SLOT_NAME - sizeof count] = "";

    add_name(tail, sizeof tail, what);
    for (int number = 2; slot->name[0] == '\0' || has_name(self, slot->name); number++) {
        slot->name[0] = '\0';
        add_name(slot->name, sizeof slot->name - strlen(count) - strlen("__") - strlen(tail),
                 stage);
        add_name(slot->name, sizeof slot->name, count);
        add_name(slot->name, sizeof slot->name, "__");
        add_name(slot->name, sizeof slot->name, tail);
        snprintf(count, sizeof count, "_%d", number);
    }
}

opevo_status opevo_i_sketch_add_slot(opevo_sketch *self, opevo_slot_kind kind, int key,
                                     const char *what, opevo_slot **out, opevo_error *err)
{
    opevo_slot *slot = &self->slot[self->slots];

    if (self->slots == OPEVO_SKETCH_SLOTS)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "A sketch has more than %d parameters.",
                          OPEVO_SKETCH_SLOTS);
    *slot = (opevo_slot){.kind = kind, .key = key};
    make_name(self, slot, self->pipeline->stage[key]->name, what);
    self->slots++;
    *out = slot;
    return OPEVO_OK;
}

bool opevo_i_sketch_add_choice(opevo_slot *slot, int64_t value)
{
    if (slot->choices == OPEVO_SLOT_CHOICES)
        return false;
    slot->value[slot->choices++] = value;
    return true;
}

bool opevo_i_sketch_has_point(const opevo_pipeline *self, int key, int loop)
{
    for (int i = 0; i < self->stages; i++) {
        if (self->stage[i]->place == OPEVO_PLACE_AT && self->stage[i]->at == key &&
            self->stage[i]->at_loop == loop)
            return true;
    }
    return false;
}

int opevo_i_sketch_outer_loops(const opevo_pipeline *pipeline, int key)
{
    const opevo_i_nest_loops *own = &pipeline->stage[key]->own;
    int count = 0;

    while (count < own->loops && !own->loop[count].reduces &&
           own->loop[count].annotation == OPEVO_ANNOTATION_SERIAL) {
        if (opevo_i_sketch_has_point(pipeline, key, count++))
            break;
    }
    return count;
}

/* Inner loops that can be fused to a vector, likewise. */
int opevo_i_sketch_inner_loops(const opevo_pipeline *pipeline, int key)
{
    const opevo_i_nest_loops *own = &pipeline->stage[key]->own;
    int count = 0;

    while (count < own->loops && !own->loop[own->loops - 1 - count].reduces &&
           own->loop[own->loops - 1 - count].annotation == OPEVO_ANNOTATION_SERIAL &&
           !opevo_i_sketch_has_point(pipeline, key, own->loops - 1 - count))
        count++;
    return count;
}

bool opevo_i_sketch_is_computed(const opevo_i_pipeline_stage *stage)
{
    return stage->kind != OPEVO_STAGE_INPUT && stage->place != OPEVO_PLACE_INLINED;
}

int opevo_i_sketch_lane_slot(const opevo_sketch *sketch)
{
    int axis = 0;
    int slot = 0;

    while (sketch->slot[slot].kind != OPEVO_SLOT_TILE ||
           sketch->slot[slot].key != sketch->registers || axis++ != sketch->lanes)
        slot++;
    return slot;
}
