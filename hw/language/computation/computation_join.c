/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Joining computations: their tensors are copied under names of the whole. */

#include "computation_internal.h"

#include <opevo/computation_access.h>
#include <opevo/computation_join.h>
#include <opevo/memory.h>

#include <stdio.h>
#include <string.h>

enum {
    LETTERS = 10, /* of axes that do not reduce: a to j; k to t are those of reductions */
    NOBODY = -1
};

/* A tensor of a part. */
typedef struct entry {
    const opevo_tensor *source;
    int part, identity;
    int same;        /* the entry that stands for all of this identity, the first */
    int output;      /* number; NOBODY */
    bool live;       /* an output depends on it */
    int reads;       /* in live definitions */
    bool in_place;   /* the last of them is at its own place in a definition that does not reduce */
    bool written_in; /* to the definition that reads it */
    opevo_tensor *made;
    opevo_definition *definition; /* of `made` */
} entry;

/* Extents that the axes of a letter have. */
typedef struct letter {
    int dims;
    int64_t extent[OPEVO_COMPUTATION_AXES];
    const char *name[OPEVO_COMPUTATION_AXES];
} letter;

typedef struct joiner {
    opevo_i_comp_arena arena;
    const opevo_part *part;
    entry *entry;
    int *first; /* entry of each part's first tensor */
    int entries, parts;
    opevo_tensor *input[OPEVO_JOIN_INPUTS];
    int identity[OPEVO_JOIN_INPUTS], inputs;
    letter spatial[LETTERS], reduced[LETTERS];
    bool limited;
} joiner;

/* ---- What stays ---- */

static entry *entry_of(joiner *self, int part, const opevo_tensor *tensor)
{
    return &self->entry[self->entry[self->first[part] + tensor->number].same];
}

static bool same_shape(const opevo_tensor *a, const opevo_tensor *b)
{
    bool same = a->dims == b->dims && a->element == b->element;

    for (int d = 0; d < a->dims && same; d++)
        same = a->extent[d] == b->extent[d];
    return same;
}

static opevo_status add_entry(joiner *self, int part, const opevo_tensor *tensor, opevo_error *err)
{
    int number = self->entries++;
    entry *one = &self->entry[number];

    *one = (entry){.source = tensor,
                   .part = part,
                   .identity = self->part[part].identity[tensor->number],
                   .same = number,
                   .output = NOBODY};
    if (one->identity < 0 && !tensor->definition)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Input %s has no number in the whole.", tensor->name);
    for (int i = 0; i < number && one->identity >= 0; i++) {
        if (self->entry[i].identity != one->identity)
            continue;
        one->same = self->entry[i].same;
        if (tensor->definition || !same_shape(tensor, self->entry[i].source))
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "%s is defined twice, before it is read, or in two shapes.",
                              tensor->name);
        break;
    }
    return OPEVO_OK;
}

static opevo_status start(joiner *self, const int *output, int outputs, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t entries = 0;

    for (int p = 0; p < self->parts; p++)
        entries += (size_t)self->part[p].computation->tensors;
    self->entry = opevo_calloc(entries + 1, sizeof *self->entry);
    self->first = opevo_calloc((size_t)self->parts + 1, sizeof *self->first);
    OPEVO_NEED_OR_RETURN(self->entry && self->first, "a computation");
    for (int p = 0; p < self->parts; p++) {
        self->first[p] = self->entries;
        for (int i = 0; i < self->part[p].computation->tensors; i++)
            OPEVO_TRY(add_entry(self, p, self->part[p].computation->tensor[i], err));
    }
    for (int i = 0; i < outputs; i++) {
        int found = 0;

        while (found < self->entries && self->entry[found].identity != output[i])
            found++;
        if (found == self->entries || !self->entry[found].source->definition ||
            i >= OPEVO_JOIN_INPUTS)
            OPEVO_TRY(OPEVO_FAIL(err, OPEVO_INVALID, "Output %d is not defined by a part.", i));
        self->entry[found].output = i;
        self->entry[found].live = true;
    }
    for (int i = self->entries - 1; i >= 0; i--) {
        const opevo_tensor *tensor = self->entry[i].source;

        for (int k = 0; k < tensor->producers && self->entry[i].live; k++)
            entry_of(self, self->entry[i].part, tensor->producer[k])->live = true;
    }
cleanup:
    return status;
}

typedef struct counter {
    joiner *self;
    int part;
    const opevo_definition *reader;
} counter;

static void count_read(void *context, const opevo_expression *read)
{
    const counter *count = context;
    entry *one = entry_of(count->self, count->part, read->tensor);

    one->reads++;
    one->in_place =
        count->reader->reducer == OPEVO_REDUCER_NONE && opevo_reads_own_place(count->reader, read);
}

static void find_written_in(joiner *self)
{
    for (int i = 0; i < self->entries; i++) {
        const entry *one = &self->entry[i];

        if (one->live && one->source->definition)
            opevo_i_comp_walk_reads(one->source->definition->value, count_read,
                                    &(counter){self, one->part, one->source->definition});
    }
    for (int i = 0; i < self->entries; i++) {
        entry *one = &self->entry[i];

        one->written_in = one->live && one->source->definition && one->output == NOBODY &&
                          one->reads == 1 && one->in_place &&
                          one->source->definition->reducer == OPEVO_REDUCER_NONE;
    }
}

/* ---- Names ---- */

static const char *keep_name(joiner *self, const char *name)
{
    return opevo_i_comp_arena_copy(&self->arena, name, strlen(name) + 1);
}

static bool is_taken(const joiner *self, const char *name)
{
    for (int i = 0; i < self->entries; i++) {
        if (self->entry[i].made && !strcmp(self->entry[i].made->name, name))
            return true;
    }
    return false;
}

/* X, Y and axes of the whole are not names of its other tensors. */
static const char *name_definition(joiner *self, const entry *one)
{
    const opevo_tensor *source = one->source;
    const char *own = source->role == OPEVO_ROLE_INTERMEDIATE                ? source->name
                      : source->definition->reducer                          ? "C"
                      : source->definition->value->kind == OPEVO_EXPR_SELECT ? "P"
                                                                             : "D";
    char name[OPEVO_COMPUTATION_NAME + 16];

    snprintf(name, sizeof name, "%.20s", own);
    if (one->output != NOBODY)
        snprintf(name, sizeof name, "Y%d", one->output);
    for (int i = 1; is_taken(self, name); i++)
        snprintf(name, sizeof name, "%.20s_%d", own, i);
    return keep_name(self, name);
}

/* The names of axes of these extents: of the first letter whose axes have no others. */
static void name_axes(joiner *self, letter *letters, char base, opevo_axis *axis, int axes)
{
    for (int l = 0; l < LETTERS; l++) {
        letter *at = &letters[l];
        bool fits = true;

        for (int d = 0; d < axes && d < at->dims; d++)
            fits &= at->extent[d] == axis[d].extent;
        if (!fits)
            continue;
        for (int d = 0; d < axes; d++) {
            char name[16];

            snprintf(name, sizeof name, "%c%d", base + l, d);
            if (d >= at->dims) {
                at->name[d] = keep_name(self, name);
                at->extent[d] = axis[d].extent;
                at->dims = d + 1;
            }
            axis[d].name = at->name[d];
        }
        return;
    }
    self->limited = true;
}

/* ---- Copies ---- */

/* Whose definition is copied, for which reader. */
typedef struct copier {
    joiner *self;
    const entry *whose;
    const opevo_definition *reader;
} copier;

static const opevo_expression *copy_value(joiner *self, const entry *whose,
                                          const opevo_definition *reader);

static opevo_tensor *make_input(joiner *self, entry *one)
{
    opevo_tensor *tensor = opevo_i_comp_arena_copy(&self->arena, one->source, sizeof *tensor);
    char name[16];

    if (self->inputs == OPEVO_JOIN_INPUTS)
        self->limited = true;
    if (!tensor || self->limited)
        return NULL;
    snprintf(name, sizeof name, "X%d", self->inputs);
    tensor->name = keep_name(self, name);
    memset(tensor->dim_name, 0, sizeof tensor->dim_name);
    self->identity[self->inputs] = one->identity;
    self->input[self->inputs++] = tensor;
    return tensor;
}

/* The only index of a dimension is the axis of that dimension where that has one value too. */
static const opevo_affine *copy_index(joiner *self, const opevo_definition *reader,
                                      const opevo_expression *read)
{
    int dims = read->tensor->dims;
    opevo_affine *index =
        opevo_i_comp_arena_copy(&self->arena, read->index, (size_t)dims * sizeof *index);

    for (int d = 0; d < dims && dims == reader->spatial && index; d++) {
        opevo_term *term = NULL;

        if (read->tensor->extent[d] != 1 || reader->axis[d].extent != 1 || index[d].count)
            continue;
        term = opevo_i_comp_arena_take(&self->arena, sizeof *term);
        if (!term)
            return NULL;
        *term = (opevo_term){.factor = 1, .atom = OPEVO_ATOM_AXIS, .axis = d};
        index[d] = (opevo_affine){.count = 1, .term = term};
    }
    return index;
}

static const opevo_expression *copy_read(void *context, const opevo_expression *from)
{
    const copier *copy = context;
    joiner *self = copy->self;
    entry *one = entry_of(self, copy->whose->part, from->tensor);
    opevo_expression *made = NULL;

    if (one->written_in)
        return copy_value(self, one, copy->reader);
    made = opevo_i_comp_arena_copy(&self->arena, from, sizeof *made);
    if (!one->made)
        one->made = make_input(self, one);
    if (!made || !one->made)
        return NULL;
    made->tensor = one->made;
    made->index = copy_index(self, copy->reader, from);
    return made;
}

/* What a value depends on most: 0 definitions, 1 inputs, 2 nothing that a run changes. */
static void lower_rank(void *context, const opevo_expression *read)
{
    int *rank = context;
    int own = read->tensor->definition ? 0 : read->tensor->role == OPEVO_ROLE_CONSTANT ? 2 : 1;

    *rank = own < *rank ? own : *rank;
}

static void order_operands(void *context, opevo_expression *made)
{
    int left = 2, right = 2;
    const opevo_expression *first = made->left;
    bool commutes = made->kind == OPEVO_EXPR_ADD || made->kind == OPEVO_EXPR_MULTIPLY ||
                    made->kind == OPEVO_EXPR_MAX || made->kind == OPEVO_EXPR_MIN;

    if (!commutes || ((const copier *)context)->self->limited)
        return;
    /* The left operand may be a long chain, which is not walked for each number that follows it. */
    opevo_i_comp_walk_reads(made->right, lower_rank, &right);
    if (right == 2)
        return;
    opevo_i_comp_walk_reads(made->left, lower_rank, &left);
    if (left <= right)
        return;
    made->left = made->right;
    made->right = first;
}

static const opevo_expression *copy_value(joiner *self, const entry *whose,
                                          const opevo_definition *reader)
{
    return opevo_i_comp_map_expression(
        &(opevo_i_comp_mapping){.arena = &self->arena,
                                .context = &(copier){self, whose, reader},
                                .read = copy_read,
                                .finish = order_operands},
        whose->source->definition->value);
}

/* Axes are named from the outputs up, so that these have the first letters. */
static void make_tensors(joiner *self)
{
    for (int i = self->entries - 1; i >= 0; i--) {
        entry *one = &self->entry[i];
        opevo_definition *made = NULL;

        if (!one->live || one->written_in || !one->source->definition)
            continue;
        one->made = opevo_i_comp_arena_copy(&self->arena, one->source, sizeof *one->made);
        made = opevo_i_comp_arena_copy(&self->arena, one->source->definition, sizeof *made);
        if (!one->made || !made)
            return;
        one->made->name = ""; /* until all have one */
        one->made->definition = one->definition = made;
        one->made->role = one->output == NOBODY ? OPEVO_ROLE_INTERMEDIATE : OPEVO_ROLE_OUTPUT;
        one->made->readers = one->reads;
        name_axes(self, self->spatial, 'a', made->axis, made->spatial);
        name_axes(self, self->reduced, 'k', made->axis + made->spatial, made->axes - made->spatial);
        for (int d = 0; d < one->made->dims; d++)
            one->made->dim_name[d] = made->axis[d].name;
    }
}

static opevo_status define(joiner *self, opevo_error *err)
{
    make_tensors(self);
    for (int i = 0; i < self->entries && !self->arena.failed && !self->limited; i++) {
        entry *one = &self->entry[i];

        if (!one->made || !one->source->definition)
            continue;
        one->made->name = name_definition(self, one);
        one->definition->value = copy_value(self, one, one->source->definition);
    }
    if (self->limited)
        return OPEVO_FAIL(err, OPEVO_LIMIT,
                          "The whole has more than %d inputs, or axes of more than %d shapes.",
                          OPEVO_JOIN_INPUTS, LETTERS);
    return self->arena.failed ? OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a computation.")
                              : OPEVO_OK;
}

/* The list is in the order of a text: inputs first, and every definition after what it reads. */
static opevo_status make_whole(joiner *self, opevo_computation **out, opevo_error *err)
{
    opevo_tensor **list =
        opevo_calloc((size_t)self->entries + OPEVO_JOIN_INPUTS, sizeof(opevo_tensor *));
    opevo_computation whole = {.tensor = (const opevo_tensor *const *)list};
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(list, "a computation");
    for (int i = 0; i < self->inputs; i++)
        list[whole.tensors++] = self->input[i];
    for (int i = 0; i < self->entries; i++) {
        if (self->entry[i].made && self->entry[i].source->definition)
            list[whole.tensors++] = self->entry[i].made;
    }
    for (int i = 0; i < whole.tensors; i++)
        list[i]->number = i;
    status = opevo_i_comp_rebuild(&whole, "whole", out, err);
    opevo_free(list);
    return status;
}

opevo_status opevo_computation_join(const opevo_part *part, int parts, const int *output,
                                    int outputs, opevo_computation **out, int *input, int *inputs,
                                    opevo_error *err)
{
    joiner self = {.part = part, .parts = parts};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(start(&self, output, outputs, err));
    find_written_in(&self);
    OPEVO_TRY(define(&self, err));
    OPEVO_TRY(make_whole(&self, out, err));
    memcpy(input, self.identity, (size_t)self.inputs * sizeof *input);
    *inputs = self.inputs;
cleanup:
    opevo_i_comp_arena_free(&self.arena);
    opevo_free(self.entry);
    opevo_free(self.first);
    return status;
}

/* ---- What comes after a definition ---- */

opevo_status opevo_computation_after(const opevo_computation *from, const opevo_tensor *given,
                                     opevo_computation **out, opevo_error *err)
{
    size_t tensors = (size_t)from->tensors;
    const opevo_tensor **list = opevo_calloc(tensors, sizeof(const opevo_tensor *));
    bool *needed = opevo_calloc(tensors, sizeof *needed);
    opevo_tensor input = *given;
    opevo_computation rest = {.tensor = list};
    opevo_status status = OPEVO_OK;

    OPEVO_NEED(list && needed, "a computation");
    for (int i = from->tensors - 1; i >= 0; i--) {
        const opevo_tensor *tensor = from->tensor[i];

        needed[i] |= tensor->role == OPEVO_ROLE_OUTPUT;
        for (int p = 0; p < tensor->producers && needed[i] && tensor != given; p++)
            needed[tensor->producer[p]->number] = true;
    }
    input.role = OPEVO_ROLE_INPUT;
    input.definition = NULL;
    memset(input.dim_name, 0, sizeof input.dim_name);
    for (int i = 0; i < from->tensors; i++) {
        if (needed[i])
            list[rest.tensors++] = from->tensor[i] == given ? &input : from->tensor[i];
    }
    status = opevo_i_comp_rebuild(&rest, "definitions", out, err);
cleanup:
    opevo_free(list);
    opevo_free(needed);
    return status;
}
