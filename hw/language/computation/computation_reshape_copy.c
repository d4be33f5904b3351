/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The copy of a computation whose dimensions merge or are divided: names of new axes, integers
 * of axes, tensors. */

#include <opevo/memory.h>

#include "computation_reshape_internal.h"

#include <stdio.h>
#include <string.h>

/* ---- Names ---- */

struct opevo_i_comp_kept_name {
    const char *name;
    opevo_i_comp_kept_name *before;
};

/* NULL without memory. */
static const char *keep_name(opevo_i_comp_reshaper *self, const char *name)
{
    opevo_i_comp_kept_name *one = self->kept;

    while (one && strcmp(one->name, name) != 0)
        one = one->before;
    if (one)
        return one->name;
    one = opevo_i_comp_arena_take(&self->arena, sizeof *one);
    if (!one)
        return NULL;
    one->name = opevo_i_comp_arena_copy(&self->arena, name, strlen(name) + 1);
    one->before = self->kept;
    if (one->name)
        self->kept = one;
    return one->name;
}

static bool is_named(const opevo_i_comp_reshaper *self, const char *name)
{
    for (int i = 0; i < self->from->tensors; i++) {
        const opevo_tensor *tensor = self->from->tensor[i];

        if (strcmp(tensor->name, name) == 0)
            return true;
        for (int a = 0; tensor->definition && a < tensor->definition->axes; a++) {
            if (strcmp(tensor->definition->axis[a].name, name) == 0)
                return true;
        }
    }
    for (int i = 0; i < 2 * self->names; i++) {
        if (self->name[i / 2].made[i % 2] && strcmp(self->name[i / 2].made[i % 2], name) == 0)
            return true;
    }
    return false;
}

static const char *new_name(opevo_i_comp_reshaper *self, const char *first, const char *second)
{
    char name[2 * OPEVO_COMPUTATION_NAME + 16];

    snprintf(name, sizeof name, "%.14s_%.14s", first, second);
    for (int i = 2; is_named(self, name); i++)
        snprintf(name, sizeof name, "%.11s_%.11s_%d", first, second, i);
    return keep_name(self, name);
}

/* The names of what axes become: the same ones everywhere. NULL without memory. */
static const opevo_i_comp_renamed *names_of(opevo_i_comp_reshaper *self, const char *first,
                                            const char *second)
{
    opevo_i_comp_renamed *one = NULL;

    for (int i = 0; i < self->names; i++) {
        one = &self->name[i];
        if (strcmp(one->first, first) == 0 && (!second || strcmp(one->second, second) == 0))
            return one;
    }
    one = &self->name[self->names];
    *one = (opevo_i_comp_renamed){.first = first, .second = second};
    self->names++;
    one->made[0] = new_name(self, first, second ? second : "0");
    if (!second)
        one->made[1] = new_name(self, first, "1");
    return self->arena.failed ? NULL : one;
}

/* ---- Copies ---- */

/* Whether an integer of axes is never negative and stays below a divisor; false where that
 * takes more than bounds. */
static bool is_below(const opevo_definition *made, const opevo_i_comp_whole *a, int64_t divisor)
{
    double least = (double)a->constant;
    double most = least;

    for (int i = 0; i < a->count; i++) {
        const opevo_term *term = &a->term[i];
        int64_t values =
            term->atom == OPEVO_ATOM_AXIS ? made->axis[term->axis].extent : term->divisor;

        if (term->atom == OPEVO_ATOM_FLOOR)
            return false;
        *(term->factor < 0 ? &least : &most) += (double)term->factor * (double)(values - 1);
    }
    return least >= 0 && most < (double)divisor;
}

/* floor(a / divisor) or the remainder, without a division where what is left is below the
 * divisor. */
static bool divide_whole(opevo_i_comp_reshaper *self, const opevo_definition *made,
                         opevo_i_comp_whole *a, int64_t divisor, bool modulo)
{
    opevo_i_comp_whole multiples = {0};
    opevo_i_comp_whole rest = {.constant = a->constant};

    for (int i = 0; i < a->count; i++) {
        opevo_i_comp_whole one = {.count = 1, .term = {a->term[i]}};
        bool whole = a->term[i].factor % divisor == 0;

        one.term[0].factor = whole ? a->term[i].factor / divisor : a->term[i].factor;
        if (!opevo_i_comp_whole_add(whole ? &multiples : &rest, 1, &one))
            return false;
    }
    if (!is_below(made, &rest, divisor))
        return opevo_i_comp_whole_divide(a, divisor, modulo, &self->arena);
    *a = modulo ? rest : multiples;
    return true;
}

/* The axes of the made definition in the place of one. */
static opevo_i_comp_whole axes_for(const opevo_i_comp_reshaper *self, int axis)
{
    int changes = self->tensor[self->own].axis;
    opevo_i_comp_whole one = {.count = 1,
                              .term = {{.factor = 1, .atom = OPEVO_ATOM_AXIS, .axis = axis}}};

    if (changes == OPEVO_I_UNSHAPED || axis < changes)
        return one;
    if (axis > changes) {
        one.term[0].axis += self->length ? 1 : -1;
    } else if (self->length) {
        one.count = 2;
        one.term[0].factor = self->length;
        one.term[1] = (opevo_term){.factor = 1, .atom = OPEVO_ATOM_AXIS, .axis = axis + 1};
    }
    return one;
}

static bool rewrite(opevo_i_comp_reshaper *self, const opevo_definition *made,
                    const opevo_affine *from, opevo_i_comp_whole *out)
{
    *out = (opevo_i_comp_whole){.constant = from->constant};
    for (int i = 0; i < from->count; i++) {
        const opevo_term *term = &from->term[i];
        opevo_i_comp_whole one;

        if (term->atom == OPEVO_ATOM_AXIS)
            one = axes_for(self, term->axis);
        else if (!rewrite(self, made, term->inner, &one) ||
                 !divide_whole(self, made, &one, term->divisor, term->atom == OPEVO_ATOM_MODULO))
            return false;
        if (!opevo_i_comp_whole_add(out, term->factor, &one))
            return false;
    }
    return true;
}

/* NULL without memory, or room for so many terms. */
static const opevo_affine *copy_affine(opevo_i_comp_reshaper *self, const opevo_definition *made,
                                       const opevo_affine *from)
{
    opevo_i_comp_whole whole;

    if (rewrite(self, made, from, &whole) &&
        opevo_i_comp_whole_size(&whole) <= OPEVO_COMPUTATION_TERMS)
        return opevo_i_comp_whole_store(&whole, &self->arena);
    self->alone = true;
    return NULL;
}

static opevo_affine axis_alone(opevo_i_comp_reshaper *self, int axis)
{
    opevo_i_comp_whole whole = {.count = 1,
                                .term = {{.factor = 1, .atom = OPEVO_ATOM_AXIS, .axis = axis}}};
    const opevo_affine *stored = opevo_i_comp_whole_store(&whole, &self->arena);

    return stored ? *stored : (opevo_affine){0};
}

static const opevo_affine *copy_index(opevo_i_comp_reshaper *self, const opevo_definition *made,
                                      const opevo_expression *read)
{
    const opevo_i_comp_shaped *tensor = &self->tensor[read->tensor->number];
    int own = self->tensor[self->own].axis;
    int at = 0;
    opevo_affine *index =
        opevo_i_comp_arena_take(&self->arena, ((size_t)read->tensor->dims + 1) * sizeof *index);

    for (int d = 0; d < read->tensor->dims && index; d++) {
        const opevo_affine *one = NULL;

        if (d == tensor->dim) {
            index[at++] = axis_alone(self, own);
            if (self->length)
                index[at++] = axis_alone(self, own + 1);
            else
                d++;
            continue;
        }
        one = copy_affine(self, made, &read->index[d]);
        if (!one)
            return NULL;
        index[at++] = *one;
    }
    return index;
}

/* Whether an axis that merges is asked for by itself. */
static bool asks(const opevo_i_comp_reshaper *self, const opevo_affine *whole)
{
    int axis = self->tensor[self->own].axis;

    return self->length == 0 && axis != OPEVO_I_UNSHAPED &&
           (opevo_i_comp_whole_uses(whole, axis) || opevo_i_comp_whole_uses(whole, axis + 1));
}

/* A definition that is copied, and what it becomes. */
typedef struct copier {
    opevo_i_comp_reshaper *self;
    const opevo_definition *made;
} copier;

static const opevo_affine *copy_value(void *context, const opevo_affine *from)
{
    const copier *copy = context;

    copy->self->alone |= asks(copy->self, from);
    return copy_affine(copy->self, copy->made, from);
}

static const opevo_expression *copy_read(void *context, const opevo_expression *from)
{
    const copier *copy = context;
    opevo_i_comp_reshaper *self = copy->self;
    opevo_expression *made = opevo_i_comp_arena_copy(&self->arena, from, sizeof *made);

    if (!made)
        return NULL;
    made->tensor = self->tensor[from->tensor->number].made;
    made->index = copy_index(self, copy->made, from);
    return made;
}

/* ---- Tensors ---- */

/* Put one element in the place of two, or two in the place of one, at `at` of `count`. */
static void change_list(void *list, size_t size, int at, int count, bool grows)
{
    char *byte = list;
    size_t from = ((size_t)at + (grows ? 1 : 2)) * size;
    size_t to = ((size_t)at + (grows ? 2 : 1)) * size;

    memmove(byte + to, byte + from, (size_t)count * size - from);
}

static void change_axes(opevo_i_comp_reshaper *self, opevo_definition *made, int axis)
{
    opevo_axis *at = &made->axis[axis];
    opevo_axis old = *at;
    bool grows = self->length > 0;
    const opevo_i_comp_renamed *names = names_of(self, old.name, grows ? NULL : at[1].name);
    int64_t extent = grows ? old.extent / self->length : old.extent * at[1].extent;
    bool spatial = axis < made->spatial;

    change_list(made->axis, sizeof *made->axis, axis, made->axes, grows);
    made->axes += grows ? 1 : -1;
    made->spatial += !spatial ? 0 : grows ? 1 : -1;
    at[0] = (opevo_axis){names ? names->made[0] : "", extent};
    if (grows)
        at[1] = (opevo_axis){names ? names->made[1] : "", self->length};
}

static void change_dims(opevo_i_comp_reshaper *self, opevo_tensor *made, int dim)
{
    bool grows = self->length > 0;
    int64_t extent =
        grows ? made->extent[dim] / self->length : made->extent[dim] * made->extent[dim + 1];

    change_list(made->extent, sizeof *made->extent, dim, made->dims, grows);
    change_list(made->dim_name, sizeof *made->dim_name, dim, made->dims, grows);
    made->dims += grows ? 1 : -1;
    made->extent[dim] = extent;
    made->dim_name[dim] = NULL;
    if (grows) {
        made->extent[dim + 1] = self->length;
        made->dim_name[dim + 1] = NULL;
    }
}

static const opevo_tensor *const *copy_links(opevo_i_comp_reshaper *self,
                                             const opevo_tensor *const *from, int count)
{
    const opevo_tensor **list =
        opevo_i_comp_arena_take(&self->arena, (size_t)count * sizeof(const opevo_tensor *));

    for (int i = 0; i < count && list; i++)
        list[i] = self->tensor[from[i]->number].made;
    return list;
}

static void define(opevo_i_comp_reshaper *self, int number)
{
    const opevo_tensor *from = self->from->tensor[number];
    const opevo_i_comp_shaped *own = &self->tensor[number];
    opevo_definition *definition = NULL;

    own->made->reader = copy_links(self, from->reader, from->readers);
    own->made->producer = copy_links(self, from->producer, from->producers);
    if (own->dim != OPEVO_I_UNSHAPED)
        change_dims(self, own->made, own->dim);
    if (!from->definition)
        return;
    definition = opevo_i_comp_arena_copy(&self->arena, from->definition, sizeof *definition);
    if (!definition)
        return;
    self->own = number;
    self->definition = from->definition;
    for (int a = 0; a < definition->axes; a++)
        definition->axis[a].name = keep_name(self, definition->axis[a].name);
    if (own->axis != OPEVO_I_UNSHAPED && !self->arena.failed)
        change_axes(self, definition, own->axis);
    definition->value =
        opevo_i_comp_map_expression(&(opevo_i_comp_mapping){.arena = &self->arena,
                                                            .context = &(copier){self, definition},
                                                            .read = copy_read,
                                                            .whole = copy_value},
                                    from->definition->value);
    for (int d = 0; d < own->made->dims; d++)
        own->made->dim_name[d] = definition->axis[d].name;
    own->made->definition = definition;
}

opevo_status opevo_i_comp_reshape_copy(opevo_i_comp_reshaper *self, const opevo_tensor **list,
                                       opevo_error *err)
{
    for (int i = 0; i < self->from->tensors; i++) {
        const opevo_tensor *from = self->from->tensor[i];
        opevo_tensor *made = opevo_i_comp_arena_copy(&self->arena, from, sizeof *made);

        self->tensor[i].made = made;
        OPEVO_NEED_OR_RETURN(made, "a computation");
        made->name = keep_name(self, from->name);
        for (int d = 0; d < from->dims; d++) {
            if (from->dim_name[d])
                made->dim_name[d] = keep_name(self, from->dim_name[d]);
        }
        list[i] = made;
    }
    for (int i = 0; i < self->from->tensors && !self->arena.failed && !self->alone; i++)
        define(self, i);
    if (self->arena.failed)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a computation.");
    return OPEVO_OK;
}
