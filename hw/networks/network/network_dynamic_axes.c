/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The free axes of a step of definitions: those whose extents are not the same at all readings.
 *
 * A kernel knows an extent that is an argument by the name of an axis, in all dimensions that it is
 * of. So axes that read a dimension by themselves have one name with the axis that it is defined
 * by: names are given anew to such classes of axes and dimensions. */

#include "network_dynamic_internal.h"

#include <opevo/computation_access.h>
#include <opevo/memory.h>

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* An axis of a definition, or a dimension of an input; those of tensor t from AXES t on. */
typedef struct slot {
    bool exists, free;
    opevo_network_form extent;
    int parent; /* in its class */
    int name;   /* of the class; -1: none so far */
} slot;

typedef struct finder {
    opevo_network_dynamic *dynamic;
    int step;
    const opevo_computation *computation; /* of reading 0 */
    slot *slot;
    const opevo_tensor *reader;
    opevo_text *why;
} finder;

enum { AXES = OPEVO_COMPUTATION_AXES };

static const opevo_computation *computation_at(const finder *self, int reading)
{
    return self->dynamic->at[reading]->step[self->step].computation;
}

/* ---- The same definitions ---- */

/* Whether texts are equal but for numbers behind a colon: the extents of axes. */
static bool differ_in_extents(const char *a, const char *b)
{
    while (*a && *a == *b) {
        bool extent = *a == ':';

        a++, b++;
        while (extent && isdigit((unsigned char)*a))
            a++;
        while (extent && isdigit((unsigned char)*b))
            b++;
    }
    return *a == *b;
}

static bool is_same_tensor(const opevo_tensor *a, const opevo_tensor *b)
{
    opevo_text x = {0}, y = {0};
    bool same = strcmp(a->name, b->name) == 0 && a->element == b->element && a->role == b->role &&
                a->dims == b->dims && !a->definition == !b->definition;

    if (same && a->definition) {
        opevo_tensor_print(a, &x);
        opevo_tensor_print(b, &y);
        same = !x.failed && !y.failed &&
               differ_in_extents(opevo_text_string(&x), opevo_text_string(&y));
    }
    opevo_text_free(&x);
    opevo_text_free(&y);
    return same;
}

static bool is_same_at(const finder *self, int reading)
{
    const opevo_computation *other = computation_at(self, reading);
    bool same = other->tensors == self->computation->tensors;

    for (int t = 0; t < other->tensors && same; t++)
        same = is_same_tensor(self->computation->tensor[t], other->tensor[t]);
    return same;
}

static bool are_same(const finder *self)
{
    bool same = true;

    for (int k = 1; k < self->dynamic->points && same; k++)
        same = is_same_at(self, k);
    return same;
}

/* Whether the step of the sizes for kernels is the same, with extents that are the forms there. */
static bool is_same_tuned(const finder *self)
{
    int reading = self->dynamic->tuned;
    const opevo_network_inference *at = self->dynamic->at[reading];
    bool same = reading && at->steps == self->dynamic->at[0]->steps &&
                at->step[self->step].kind == OPEVO_NETWORK_STEP_COMPUTE &&
                is_same_at(self, reading);

    for (int i = 0; same && i < AXES * self->computation->tensors; i++) {
        const opevo_tensor *tensor = computation_at(self, reading)->tensor[i / AXES];
        int64_t extent = !self->slot[i].exists ? 0
                         : tensor->definition  ? tensor->definition->axis[i % AXES].extent
                                               : tensor->extent[i % AXES];

        same =
            !self->slot[i].exists ||
            extent == opevo_network_form_value(&self->slot[i].extent, self->dynamic->size[reading]);
    }
    return same;
}

/* ---- Extents ---- */

static bool take_extents(finder *self)
{
    int64_t values[OPEVO_NETWORK_READINGS];

    for (int t = 0; t < self->computation->tensors; t++) {
        const opevo_tensor *tensor = self->computation->tensor[t];
        int axes = tensor->definition ? tensor->definition->axes : tensor->dims;

        for (int a = 0; a < axes; a++) {
            slot *one = &self->slot[AXES * t + a];

            for (int k = 0; k < self->dynamic->points; k++) {
                const opevo_tensor *other = computation_at(self, k)->tensor[t];

                values[k] =
                    other->definition ? other->definition->axis[a].extent : other->extent[a];
            }
            if (!opevo_network_dynamic_fit(self->dynamic, values, &one->extent)) {
                opevo_text_printf(self->why, "an extent of %s is not linear in each size",
                                  tensor->name);
                return false;
            }
            if (!opevo_i_net_dynamic_is_most(self->dynamic, &one->extent)) {
                opevo_text_printf(self->why, "an extent of %s is larger at smaller sizes",
                                  tensor->name);
                return false;
            }
            one->exists = true;
            one->free = !opevo_network_form_is_constant(&one->extent);
            one->parent = AXES * t + a;
            one->name = -1;
        }
    }
    return true;
}

/* ---- Classes ---- */

static int root_of(const finder *self, int number)
{
    while (self->slot[number].parent != number)
        number = self->slot[number].parent;
    return number;
}

/* The axis that an index is; -1 for another index. */
static int plain_axis(const opevo_affine *index)
{
    return index->count == 1 && !index->constant && index->term[0].factor == 1 &&
                   index->term[0].atom == OPEVO_ATOM_AXIS
               ? index->term[0].axis
               : -1;
}

static void look_at(void *context, const opevo_expression *read)
{
    finder *self = context;

    for (int d = 0; d < read->tensor->dims; d++) {
        int dim = AXES * read->tensor->number + d, axis = plain_axis(&read->index[d]);
        int reader = axis < 0 ? -1 : AXES * self->reader->number + axis;
        bool is_free = self->slot[dim].free || (reader >= 0 && self->slot[reader].free);

        if (!is_free || self->why->length)
            continue;
        if (reader < 0 || memcmp(&self->slot[dim].extent, &self->slot[reader].extent,
                                 sizeof(opevo_network_form)) != 0)
            opevo_text_printf(self->why,
                              "dimension %d of %s, whose extent is a size, is not read by one axis "
                              "from end to end",
                              d, read->tensor->name);
        else
            self->slot[root_of(self, reader)].parent = root_of(self, dim);
    }
}

/* Whether no definition has two axes of one class, which would have one name. */
static bool are_apart(const finder *self)
{
    for (int t = 0; t < self->computation->tensors; t++) {
        for (int a = 0; a < AXES; a++) {
            for (int b = 0; b < a && self->slot[AXES * t + a].free; b++) {
                if (self->computation->tensor[t]->definition && self->slot[AXES * t + b].free &&
                    root_of(self, AXES * t + a) == root_of(self, AXES * t + b)) {
                    opevo_text_printf(self->why,
                                      "two axes of %s read the same dimension, whose extent is a "
                                      "size",
                                      self->computation->tensor[t]->name);
                    return false;
                }
            }
        }
    }
    return true;
}

static bool name_classes(finder *self)
{
    opevo_network_free_axes *axes = &self->dynamic->axes[self->step];

    for (int i = 0; i < AXES * self->computation->tensors; i++) {
        slot *root = &self->slot[root_of(self, i)];

        if (!self->slot[i].free || root->name >= 0)
            continue;
        if (axes->count == OPEVO_NETWORK_FREE_AXES) {
            opevo_text_printf(self->why, "more than %d extents of it depend on sizes",
                              OPEVO_NETWORK_FREE_AXES);
            return false;
        }
        root->name = axes->count;
        snprintf(axes->axis[axes->count].name, sizeof axes->axis[0].name, "free%d", axes->count);
        axes->axis[axes->count++].extent = root->extent;
    }
    return true;
}

/* ---- The text with these names ---- */

static int class_of(const finder *self, int t, int a)
{
    const slot *one = &self->slot[AXES * t + a];

    return one->free ? self->slot[root_of(self, AXES * t + a)].name : -1;
}

static void print_input(const finder *self, const opevo_tensor *tensor, opevo_text *out)
{
    opevo_text text = {0};

    opevo_tensor_print(tensor, &text);
    opevo_text_add_bytes(out, opevo_text_string(&text), strcspn(opevo_text_string(&text), "["));
    for (int d = 0; d < tensor->dims; d++) {
        int class = class_of(self, tensor->number, d);

        opevo_text_add(out, d ? ", " : "[");
        if (class >= 0)
            opevo_text_printf(out, "free%d:", class);
        opevo_text_printf(out, "%lld", (long long)tensor->extent[d]);
    }
    opevo_text_add(out, tensor->dims ? "]\n" : "[]\n");
    out->failed |= text.failed;
    opevo_text_free(&text);
}

static void print_definition(const finder *self, const opevo_tensor *tensor, opevo_text *out)
{
    opevo_text text = {0};

    opevo_tensor_print(tensor, &text);
    for (const char *at = opevo_text_string(&text); *at;) {
        size_t length = 0;
        int class = -1;

        while (isalnum((unsigned char)at[length]) || at[length] == '_')
            length++;
        for (int a = 0; a < tensor->definition->axes && length; a++) {
            const char *name = tensor->definition->axis[a].name;

            if (strlen(name) == length && strncmp(name, at, length) == 0)
                class = class_of(self, tensor->number, a);
        }
        if (class >= 0)
            opevo_text_printf(out, "free%d", class);
        else
            opevo_text_add_bytes(out, at, length ? length : 1);
        at += length ? length : 1;
    }
    opevo_text_add(out, "\n");
    out->failed |= text.failed;
    opevo_text_free(&text);
}

static opevo_status rename_axes(const finder *self, int reading, opevo_error *err)
{
    opevo_network_step *step = &self->dynamic->at[reading]->step[self->step];
    const opevo_computation *computation = step->computation;
    opevo_computation *renamed = NULL;
    opevo_text text = {0};
    opevo_status status = OPEVO_OK;

    for (int t = 0; t < computation->tensors; t++)
        (computation->tensor[t]->definition ? print_definition
                                            : print_input)(self, computation->tensor[t], &text);
    OPEVO_TRY(opevo_text_check(&text, err));
    OPEVO_TRY(
        opevo_computation_parse(opevo_text_string(&text), step->name, NULL, 0, &renamed, err));
    opevo_computation_destroy(step->computation);
    step->computation = renamed;
cleanup:
    opevo_text_free(&text);
    return status;
}

opevo_status opevo_i_net_dynamic_axes(opevo_network_dynamic *dynamic, int step, opevo_text *why,
                                      opevo_error *err)
{
    finder self = {.dynamic = dynamic, .step = step, .why = why};
    opevo_status status = OPEVO_OK;

    self.computation = dynamic->at[0]->step[step].computation;
    if (!are_same(&self)) {
        opevo_text_add(why, "at other sizes its definitions differ in more than extents");
        return OPEVO_OK;
    }
    self.slot = opevo_calloc((size_t)self.computation->tensors * AXES, sizeof *self.slot);
    OPEVO_NEED_OR_RETURN(self.slot, "the axes of a step");
    for (int i = 0; i < AXES * self.computation->tensors; i++)
        self.slot[i].parent = i;
    if (!take_extents(&self))
        goto cleanup;
    for (int t = 0; t < self.computation->tensors; t++) {
        self.reader = self.computation->tensor[t];
        if (self.reader->definition)
            opevo_expression_reads(self.reader->definition->value, look_at, &self);
    }
    if (why->length || !are_apart(&self) || !name_classes(&self) || !dynamic->axes[step].count)
        goto cleanup;
    dynamic->axes[step].tuned = is_same_tuned(&self);
    if (dynamic->axes[step].tuned)
        OPEVO_TRY(rename_axes(&self, dynamic->tuned, err));
    status = rename_axes(&self, 0, err);
cleanup:
    opevo_free(self.slot);
    return status;
}
