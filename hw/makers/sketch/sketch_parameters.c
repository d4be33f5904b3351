/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The parameters of a search space of sketches: a choice of the sketch, and its open slots. */

#include "sketch_internal.h"

#include <opevo/memory.h>
#include <opevo/space.h>

#include <string.h>

static opevo_status add_parameter(opevo_i_sketch_parameters *self, const opevo_parameter_spec *spec,
                                  opevo_activation when, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    if (self->count == OPEVO_SPACE_PARAMETERS_MAX)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "More than %d parameters.", OPEVO_SPACE_PARAMETERS_MAX);
    status = opevo_parameter_create(spec, &self->parameter[self->count], err);
    if (status == OPEVO_OK)
        self->active[self->count++] = when;
    return status;
}

void opevo_i_sketch_print_place(const opevo_sketch *sketch, const opevo_slot *slot, int choice,
                                opevo_text *out)
{
    int key = slot->place[choice].key;

    if (key < 0)
        opevo_text_add(out, key == OPEVO_I_AT_ROOT ? "root" : "inline");
    else
        opevo_text_printf(out, "%s:%s", sketch->pipeline->stage[key]->name,
                          sketch->pipeline->stage[key]->own.loop[slot->place[choice].loop].name);
}

/* Texts, each with its end, as values. */
static void take_texts(const opevo_text *texts, opevo_value *values)
{
    const char *at = opevo_text_string(texts), *end = at + texts->length;

    for (; at < end; at += strlen(at) + 1)
        *values++ = (opevo_value){.kind = OPEVO_VALUE_TEXT, .as = {.text = at}};
}

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

static opevo_status add_location(opevo_i_sketch_parameters *self, const opevo_sketch *sketch,
                                 const opevo_slot *slot, opevo_parameter_spec *spec,
                                 opevo_activation when, opevo_error *err)
{
    opevo_value values[OPEVO_SLOT_CHOICES];
    opevo_text places = {0};
    opevo_status status = OPEVO_OK;

    for (int i = 0; i < slot->choices; i++) {
        opevo_i_sketch_print_place(sketch, slot, i, &places);
        opevo_text_add_bytes(&places, "", 1);
    }
    OPEVO_TRY(opevo_text_check(&places, err));
    take_texts(&places, values);
    spec->type = "choice";
    spec->values = values;
    spec->value_count = (size_t)slot->choices;
    status = add_parameter(self, spec, when, err);
cleanup:
    opevo_text_free(&places);
    return status;
}

static opevo_status add_slot(opevo_i_sketch_parameters *self, const opevo_sketches *all,
                             size_t number, const opevo_slot *slot, opevo_activation when,
                             opevo_error *err)
{
    opevo_value values[OPEVO_SLOT_CHOICES];
    opevo_parameter_spec spec = {.values = values};
    opevo_text name = {0};
    opevo_status status = OPEVO_OK;

    opevo_i_sketch_add_name(&name, all, number, slot);
    OPEVO_TRY(opevo_text_check(&name, err));
    spec.name = opevo_text_string(&name);
    spec.dotted_name = strchr(spec.name, '.') != NULL;
    if (slot->kind == OPEVO_SLOT_LOCATION) {
        status = add_location(self, all->item[number], slot, &spec, when, err);
        goto cleanup;
    }
    spec.type = slot->kind == OPEVO_SLOT_TILE ? "factor" : "discrete";
    if (slot->kind == OPEVO_SLOT_TILE) {
        values[spec.value_count++] = opevo_value_of_integer(slot->extent);
        values[spec.value_count++] = opevo_value_of_integer(slot->parts);
    }
    for (int i = 0; i < slot->choices && slot->kind != OPEVO_SLOT_TILE; i++)
        values[spec.value_count++] = opevo_value_of_integer(slot->value[i]);
    status = add_parameter(self, &spec, when, err);
cleanup:
    opevo_text_free(&name);
    return status;
}

/* The parameter `sketch`, whose values are s1, s2, .... */
static opevo_status add_choice(opevo_i_sketch_parameters *self, size_t sketches, opevo_error *err)
{
    opevo_value *values = opevo_calloc(sketches, sizeof *values);
    opevo_text names = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(values, "the space of sketches");
    for (size_t i = 0; i < sketches; i++) {
        opevo_text_printf(&names, "s%zu", i + 1);
        opevo_text_add_bytes(&names, "", 1);
    }
    OPEVO_TRY(opevo_text_check(&names, err));
    take_texts(&names, values);
    status = add_parameter(
        self,
        &(opevo_parameter_spec){
            .name = "sketch", .type = "choice", .values = values, .value_count = sketches},
        (opevo_activation){.parent = OPEVO_NO_PARENT}, err);
cleanup:
    opevo_free(values);
    opevo_text_free(&names);
    return status;
}

/* Several sketches are the branches of `sketch`; one alone has its parameters without that, unless
 * it has none. */
opevo_status opevo_i_sketch_add_parameters(opevo_i_sketch_parameters *self,
                                           const opevo_sketches *all, opevo_error *err)
{
    bool branches = all->count > 1;
    opevo_status status = OPEVO_OK;

    if (branches || !all->item[0]->slots)
        OPEVO_TRY(add_choice(self, all->count, err));
    for (size_t i = 0; i < all->count; i++) {
        opevo_activation when = {.parent = branches ? 0 : OPEVO_NO_PARENT,
                                 .value = branches ? i : 0};

        for (int k = 0; k < all->item[i]->slots; k++)
            OPEVO_TRY(add_slot(self, all, i, &all->item[i]->slot[k], when, err));
    }
cleanup:
    return status;
}
