/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A memory plan, run on labels: each element that a step makes has one of its own, copies and views
 * have those of what they copy, and the arena holds labels in place of elements. A plan is right if
 * all that is read has the label of what should be read. Nothing of how plans are made is used. */

#include "library_internal.h"

#include <opevo/memory.h>

#include <string.h>

enum { ELEMENT_BITS = 40 };

typedef struct checker {
    const opevo_network_inference *inference;
    const opevo_memory_plan *plan;
    const uint32_t *in_place;
    uint64_t *arena;    /* the labels of its bytes, `granule` at a time */
    int64_t granule;    /* bytes of the least element */
    int *base;          /* of a value: whose elements it has */
    uint64_t **copied;  /* labels of the results of copies; others have their number's */
    const char *reason; /* why the step is wrong */
    int64_t element;
    int value;
} checker;

static int64_t elements_of(const checker *self, int value)
{
    return opevo_array_elements(&self->inference->value[value].array);
}

static uint64_t label_of(const checker *self, int value, int64_t element)
{
    int base = self->base[value];

    return self->copied[base] ? self->copied[base][element]
                              : (uint64_t)(base + 1) << ELEMENT_BITS | (uint64_t)element;
}

/* Of a part of an element: the least element may be smaller. */
static uint64_t cell_of(uint64_t label, int64_t part)
{
    return label ^ (uint64_t)part << 61;
}

static bool fail(checker *self, const char *reason, int value, int64_t element)
{
    self->reason = reason;
    self->value = value;
    self->element = element;
    return false;
}

/* Of a number that boxes are filled with: beyond those of all values. */
static uint64_t label_of_number(float number)
{
    uint32_t bits;

    memcpy(&bits, &number, sizeof bits);
    return UINT64_C(0x1fffff) << ELEMENT_BITS | bits;
}

/* ---- The arena ---- */

static uint64_t *cells_of(const checker *self, const opevo_memory_place *place, int64_t element)
{
    return self->arena + (place->offset + element * place->element) / self->granule;
}

static void put(const checker *self, const opevo_memory_place *place, int64_t element,
                uint64_t label)
{
    uint64_t *cell = cells_of(self, place, element);

    for (int64_t part = 0; part < place->element / self->granule; part++)
        cell[part] = cell_of(label, part);
}

/* Whether the element is where the plan says. */
static bool has(checker *self, int value, int64_t element)
{
    const opevo_memory_place *place = &self->plan->place[value];
    uint64_t label = label_of(self, value, element);
    const uint64_t *cell;

    if (!label)
        return fail(self, "is not made by its step", value, element);
    if (place->kind == OPEVO_MEMORY_NONE)
        return fail(self, "has no place", value, element);
    if (place->kind != OPEVO_MEMORY_ARENA)
        return label == label_of(self, place->value, element) ||
               fail(self, "is another constant or input", value, element);
    cell = cells_of(self, place, element);
    for (int64_t part = 0; part < place->element / self->granule; part++)
        if (cell[part] != cell_of(label, part))
            return fail(self, "was not written, or has been overwritten", value, element);
    return true;
}

static bool has_all(checker *self, int value)
{
    for (int64_t e = 0; e < elements_of(self, value); e++)
        if (!has(self, value, e))
            return false;
    return true;
}

static bool overlap(const checker *self, int a, int b)
{
    const opevo_memory_place *x = &self->plan->place[a], *y = &self->plan->place[b];

    return x->kind == OPEVO_MEMORY_ARENA && y->kind == OPEVO_MEMORY_ARENA &&
           x->offset < y->offset + elements_of(self, b) * y->element &&
           y->offset < x->offset + elements_of(self, a) * x->element;
}

/* ---- Steps ---- */

/* An output may lie exactly where an input does that it may overwrite, and nowhere else. */
static bool may_write(checker *self, const opevo_network_step *step, uint32_t in_place, int o)
{
    const opevo_memory_place *to = &self->plan->place[step->output[o]];

    for (int i = 0; i < step->inputs; i++) {
        const opevo_memory_place *from =
            step->input[i] < 0 ? NULL : &self->plan->place[step->input[i]];
        bool allowed = from && o == 0 && i < 32 && (in_place >> i & 1) &&
                       from->offset == to->offset && from->element == to->element;

        if (from && !allowed && overlap(self, step->input[i], step->output[o]))
            return fail(self, "is overwritten while it is read", step->input[i], 0);
    }
    for (int k = 0; k < o; k++)
        if (step->output[k] >= 0 && overlap(self, step->output[k], step->output[o]))
            return fail(self, "lies where another output does", step->output[o], 0);
    return true;
}

static bool compute(checker *self, const opevo_network_step *step, uint32_t in_place)
{
    for (int i = 0; i < step->inputs; i++)
        if (step->input[i] >= 0 && !has_all(self, step->input[i]))
            return false;
    for (int o = 0; o < step->outputs; o++) {
        int value = step->output[o];

        if (value < 0 || self->plan->place[value].kind != OPEVO_MEMORY_ARENA)
            continue;
        if (!may_write(self, step, in_place, o))
            return false;
        for (int64_t e = 0; e < elements_of(self, value); e++)
            put(self, &self->plan->place[value], e, label_of(self, value, e));
    }
    return true;
}

/* The element of a box by its number: where it is and where it goes. */
static void find_element(const opevo_network_copy *box, int64_t number, int64_t *from, int64_t *to)
{
    *from = box->from;
    *to = box->to;
    for (int d = box->dims - 1; d >= 0; d--) {
        int64_t p = number % box->extent[d];

        number /= box->extent[d];
        *from += p * box->from_stride[d];
        *to += p * box->to_stride[d];
    }
}

static int64_t box_elements(const opevo_network_copy *box)
{
    int64_t count = 1;

    for (int d = 0; d < box->dims; d++)
        count *= box->extent[d];
    return count;
}

/* What the result should have, by the step alone. */
static bool label_box(checker *self, const opevo_network_step *step, const opevo_network_copy *box)
{
    uint64_t *labels = self->copied[step->output[0]];
    int64_t count = elements_of(self, step->output[0]), from, to;

    for (int64_t n = 0; n < box_elements(box); n++) {
        find_element(box, n, &from, &to);
        if (to < 0 || to >= count ||
            (box->input >= 0 && (from < 0 || from >= elements_of(self, step->input[box->input]))))
            return fail(self, "is copied from or to outside", step->output[0], to);
        labels[to] = box->input < 0 ? label_of_number(box->value)
                                    : label_of(self, step->input[box->input], from);
    }
    return true;
}

static bool move_box(checker *self, const opevo_network_step *step, const opevo_network_copy *box)
{
    const opevo_memory_place *place = &self->plan->place[step->output[0]];
    int64_t from, to;

    for (int64_t n = 0; n < box_elements(box); n++) {
        find_element(box, n, &from, &to);
        if (box->input >= 0 && !has(self, step->input[box->input], from))
            return false;
        put(self, place, to, self->copied[step->output[0]][to]);
    }
    return true;
}

static bool copy(checker *self, const opevo_network_step *step)
{
    for (int k = 0; k < step->copies; k++)
        if (!label_box(self, step, &step->copy[k]))
            return false;
    for (int k = 0; k < step->copies; k++)
        if (!opevo_memory_plan_is_there(self->plan, step, &step->copy[k]) &&
            !move_box(self, step, &step->copy[k]))
            return false;
    return has_all(self, step->output[0]);
}

static opevo_status run_step(checker *self, int n, opevo_error *err)
{
    const opevo_network_step *step = &self->inference->step[n];

    if (!opevo_memory_plan_needs(self->plan, step) && step->kind != OPEVO_NETWORK_STEP_VIEW)
        return OPEVO_OK;
    if (step->kind == OPEVO_NETWORK_STEP_VIEW) {
        self->base[step->output[0]] = self->base[step->input[0]];
        return OPEVO_OK;
    }
    if (step->kind == OPEVO_NETWORK_STEP_COPY) {
        uint64_t **labels = &self->copied[step->output[0]];

        *labels = opevo_calloc((size_t)elements_of(self, step->output[0]) + 1, sizeof **labels);
        OPEVO_NEED_OR_RETURN(*labels, "checking a memory plan");
    }
    if (step->kind == OPEVO_NETWORK_STEP_COPY
            ? copy(self, step)
            : compute(self, step,
                      step->kind == OPEVO_NETWORK_STEP_COMPUTE && self->in_place ? self->in_place[n]
                                                                                 : 0))
        return OPEVO_OK;
    return OPEVO_FAIL(
        err, OPEVO_FAULT, "The memory plan is wrong at step %d: element %lld of %s %s.", n,
        (long long)self->element, self->inference->value[self->value].name, self->reason);
}

/* ---- All ---- */

static opevo_status start(checker *self, opevo_error *err)
{
    const opevo_network_inference *inference = self->inference;
    size_t values = (size_t)inference->values + 1;

    self->base = opevo_calloc(values, sizeof *self->base);
    self->copied = opevo_calloc(values, sizeof *self->copied);
    self->granule = 8;
    for (int i = 0; i < inference->values; i++) {
        const opevo_memory_place *place = &self->plan->place[i];

        if (self->base)
            self->base[i] = i;
        if (place->kind != OPEVO_MEMORY_ARENA)
            continue;
        while (self->granule > 1 &&
               (place->element % self->granule || place->offset % self->granule))
            self->granule /= 2;
        if (place->offset < 0 ||
            place->offset + elements_of(self, i) * place->element > self->plan->bytes)
            return OPEVO_FAIL(err, OPEVO_FAULT, "The memory plan is wrong: %s is outside of it.",
                              inference->value[i].name);
    }
    self->arena =
        opevo_calloc((size_t)(self->plan->bytes / self->granule) + 1, sizeof *self->arena);
    return self->base && self->copied && self->arena
               ? OPEVO_OK
               : OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to check a memory plan.");
}

opevo_status opevo_memory_plan_check(const opevo_network_inference *inference,
                                     const opevo_memory_plan *plan, const uint32_t *in_place,
                                     opevo_error *err)
{
    checker self = {.inference = inference, .plan = plan, .in_place = in_place};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(start(&self, err));
    for (int n = 0; n < inference->steps; n++)
        OPEVO_TRY(run_step(&self, n, err));
    for (int i = 0; i < inference->outputs; i++)
        if (!has_all(&self, inference->output[i])) {
            status = OPEVO_FAIL(
                err, OPEVO_FAULT, "The memory plan is wrong at the end: element %lld of %s %s.",
                (long long)self.element, inference->value[self.value].name, self.reason);
            goto cleanup;
        }
cleanup:
    for (int i = 0; self.copied && i < inference->values; i++)
        opevo_free(self.copied[i]);
    opevo_free(self.copied);
    opevo_free(self.base);
    opevo_free(self.arena);
    return status;
}
