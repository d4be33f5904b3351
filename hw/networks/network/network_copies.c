/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Nodes that move elements as boxes of copies.
 *
 * Such a node moves whatever bits an element has. It is run once on elements that hold their own
 * number, which shows where each output element comes from; that map is divided into boxes on which
 * it is affine. */

#include "network_internal.h"

#include <opevo/memory.h>
#include <opevo/network_inference.h>

#include <stdint.h>
#include <string.h>

enum {
    COPIES_MOST = 256,    /* of a step; a node with more stays a node */
    PROBED_MOST = 1 << 27 /* elements of a node, so that a file that claims more takes no memory */
};

/* Numbers of elements are 32 bits wide, from 1 on over all inputs; the bits of a filled element
 * come from the node, and differ from a number in a second run, in which numbers are shifted. */
typedef struct probe {
    const opevo_network_inference *inference;
    opevo_network_step *step;
    int which;       /* output */
    void **out;      /* room for each output; that one is the map */
    const void **in; /* data of each input */
    uint32_t **made; /* of those that hold numbers */
    int64_t *first;  /* number of the first element, ascending; of all inputs, and the end */
    uint32_t *map, *other;
    bool is_float; /* the output: of other types only zeros can be filled in */
    int dims;
    int64_t extent[OPEVO_NETWORK_DIMS], stride[OPEVO_NETWORK_DIMS];
    int capacity;
} probe;

/* ---- The map ---- */

/* Inputs whose elements the output may have: those of its type that do not decide places. */
static bool is_moved(const opevo_network_inference *inference, const opevo_network_step *step,
                     int i, int which)
{
    const opevo_i_net_operator *row = inference->network->node[step->node].row;

    return step->input[i] >= 0 && !(i < 32 && row->places >> i & 1) &&
           inference->value[step->input[i]].array.type ==
               inference->value[step->output[which]].array.type;
}

/* Whether it computes with elements that meet in one place. A product of numbers of elements may be
 * 0, which would look as if it were filled in. */
static bool joins(const opevo_network_inference *inference, const opevo_network_step *step)
{
    const opevo_i_net_call call = {.node = &inference->network->node[step->node]};

    return opevo_i_net_attribute(&call, "reduction") &&
           !opevo_i_net_attribute_is(&call, "reduction", "none");
}

/* Whether all that decides places is constant, and not too large. */
static bool can_probe(const opevo_network_inference *inference, const opevo_network_step *step,
                      int which)
{
    double elements = 0;

    if (step->output[which] < 0 || step->inputs < 1 || joins(inference, step))
        return false;
    elements = (double)opevo_array_elements(&inference->value[step->output[which]].array);
    for (int i = 0; i < step->inputs; i++) {
        const opevo_network_tensor *value =
            step->input[i] < 0 ? NULL : &inference->value[step->input[i]];

        if (value && !is_moved(inference, step, i, which) && !value->array.data)
            return false;
        elements += value ? (double)opevo_array_elements(&value->array) : 0;
    }
    return elements <= PROBED_MOST;
}

static opevo_status start(probe *self, opevo_error *err)
{
    const opevo_network_step *step = self->step;
    size_t inputs = (size_t)step->inputs;
    int64_t next = 0;

    self->in = opevo_calloc(inputs + 1, sizeof *self->in);
    self->out = opevo_calloc((size_t)step->outputs + 1, sizeof *self->out);
    self->made = opevo_calloc(inputs + 1, sizeof *self->made);
    self->first = opevo_calloc(inputs + 1, sizeof *self->first);
    OPEVO_NEED_OR_RETURN(self->in && self->out && self->made && self->first,
                         "the places of elements");
    for (size_t i = 0; i < inputs; i++) {
        const opevo_array *array =
            step->input[i] < 0 ? NULL : &self->inference->value[step->input[i]].array;

        self->first[i] = next;
        if (!array)
            continue;
        self->in[i] = array->data;
        if (!is_moved(self->inference, step, (int)i, self->which))
            continue;
        next += opevo_array_elements(array);
        self->made[i] = opevo_calloc((size_t)opevo_array_elements(array) + 1, sizeof **self->made);
        OPEVO_NEED_OR_RETURN(self->made[i], "the places of elements");
        self->in[i] = self->made[i];
    }
    self->first[inputs] = next;
    for (int i = 0; i < step->outputs; i++) {
        opevo_array array = {0};

        if (i == self->which || step->output[i] < 0)
            continue;
        array = self->inference->value[step->output[i]].array;
        if (opevo_network_type_bytes(array.type) < sizeof(float))
            array.type = OPEVO_NETWORK_FLOAT32;
        if (opevo_array_allocate(&array, err) != OPEVO_OK)
            return OPEVO_NOMEM;
        self->out[i] = array.data;
    }
    return OPEVO_OK;
}

static void finish(probe *self)
{
    for (int i = 0; i < self->step->inputs && self->made; i++)
        opevo_free(self->made[i]);
    for (int i = 0; i < self->step->outputs && self->out; i++) {
        if (i != self->which)
            opevo_free(self->out[i]);
    }
    opevo_free(self->out);
    opevo_free(self->in);
    opevo_free(self->made);
    opevo_free(self->first);
    opevo_free(self->map);
    opevo_free(self->other);
}

/* Run the node on elements that hold shift + their number. */
static opevo_status move(const probe *self, uint32_t shift, uint32_t *map, opevo_error *err)
{
    for (int i = 0; i < self->step->inputs; i++) {
        for (int64_t k = 0; self->made[i] && k < self->first[i + 1] - self->first[i]; k++)
            self->made[i][k] = shift + (uint32_t)(self->first[i] + k);
    }
    self->out[self->which] = map;
    return opevo_i_net_execute_moved(self->inference->network, self->step, self->in, self->out,
                                     self->which, err);
}

/* ---- Boxes ---- */

enum { FILLED = -1 };

/* The input of an output element, and the number of its element there. `near` is the input that it
 * most likely has. */
static inline int source_of(const probe *self, int64_t place, int near, int64_t *element)
{
    int64_t number = (int64_t)self->map[place] - 1;

    *element = 0;
    if (self->map[place] == self->other[place])
        return FILLED;
    if (near >= 0 && self->first[near] <= number && number < self->first[near + 1]) {
        *element = number - self->first[near];
        return near;
    }
    for (int i = 0; i < self->step->inputs; i++) {
        *element = number - self->first[i];
        if (number < self->first[i + 1])
            return i;
    }
    return FILLED;
}

/* Whether `count` places after one another from `to` on have the elements of a copy from `from` on
 * with that stride. */
static bool is_run(const probe *self, const opevo_network_copy *copy, int64_t from, int64_t to,
                   int64_t stride, int64_t count)
{
    int64_t element = 0;
    bool same = true;

    for (int64_t k = 0; k < count && same; k++) {
        same = source_of(self, to + k, copy->input, &element) == copy->input &&
               (copy->input == FILLED ? self->map[to + k] == self->map[copy->to]
                                      : element == from + k * stride);
    }
    return same;
}

/* Whether the box at `at` is one copy, which is filled in. */
static bool is_copy(const probe *self, const int64_t *at, const int64_t *extent,
                    opevo_network_copy *copy)
{
    int64_t p[OPEVO_NETWORK_DIMS] = {0}, element = 0;
    int last = self->dims - 1;

    *copy = (opevo_network_copy){.dims = self->dims};
    for (int d = 0; d < self->dims; d++)
        copy->to += at[d] * self->stride[d];
    copy->input = source_of(self, copy->to, 0, &copy->from);
    memcpy(&copy->value, &self->map[copy->to], sizeof copy->value);
    for (int d = 0; d < self->dims; d++) {
        copy->extent[d] = extent[d];
        copy->to_stride[d] = self->stride[d];
        if (extent[d] > 1 && copy->input != FILLED) {
            if (source_of(self, copy->to + self->stride[d], copy->input, &element) != copy->input)
                return false;
            copy->from_stride[d] = element - copy->from;
        }
    }
    for (int d = 0; d >= 0;) {
        int64_t from = copy->from, to = copy->to;

        for (int k = 0; k < last; k++) {
            from += p[k] * copy->from_stride[k];
            to += p[k] * copy->to_stride[k];
        }
        if (!is_run(self, copy, from, to, last < 0 ? 0 : copy->from_stride[last],
                    last < 0 ? 1 : extent[last]))
            return false;
        for (d = last - 1; d >= 0 && ++p[d] == extent[d]; d--)
            p[d] = 0;
    }
    return true;
}

static opevo_status add_copy(probe *self, const opevo_network_copy *copy, opevo_error *err)
{
    opevo_network_step *step = self->step;

    if (step->copies == self->capacity) {
        int capacity = self->capacity ? 2 * self->capacity : 4;
        opevo_network_copy *grown = opevo_realloc(step->copy, (size_t)capacity, sizeof *grown);

        OPEVO_NEED_OR_RETURN(grown, "the copies of a step");
        step->copy = grown;
        self->capacity = capacity;
    }
    step->copy[step->copies++] = *copy;
    return OPEVO_OK;
}

/* Whether a box has to end along a dimension before place number c: the input changes there, or the
 * step from element to element, unless a box ends before the last one anyway. */
static bool is_start(const probe *self, int64_t place, int64_t stride, bool follows)
{
    int64_t here = 0, before = 0, first = 0;
    int input = source_of(self, place, 0, &here);

    if (source_of(self, place - stride, input, &before) != input)
        return true;
    if (input == FILLED)
        return self->map[place] != self->map[place - stride];
    return follows && source_of(self, place - 2 * stride, input, &first) == input &&
           here - before != before - first;
}

/* Places along dimension d at which a box has to end. starts[c] says whether one starts at c. */
static void find_starts(const probe *self, int d, int64_t elements, bool *starts)
{
    int64_t stride = self->stride[d], extent = self->extent[d];

    starts[0] = true;
    for (int64_t plane = 0; plane < elements; plane += extent * stride) {
        for (int64_t c = 1; c < extent; c++) {
            int64_t row = plane + c * stride;
            bool follows = c > 1 && !starts[c - 1];

            for (int64_t i = 0; i < stride && !starts[c]; i++)
                starts[c] = is_start(self, row + i, stride, follows);
        }
    }
}

/* The boxes between the places of all dimensions. `whole`: each is a copy. */
static opevo_status take_boxes(probe *self, bool *const *starts, bool *whole, opevo_error *err)
{
    int64_t at[OPEVO_NETWORK_DIMS] = {0}, extent[OPEVO_NETWORK_DIMS] = {0};
    opevo_network_copy copy;
    opevo_status status = OPEVO_OK;

    *whole = true;
    for (int d = 0; d >= 0;) {
        for (int k = 0; k < self->dims; k++) {
            for (extent[k] = 1; at[k] + extent[k] < self->extent[k];) {
                if (starts[k][at[k] + extent[k]])
                    break;
                extent[k]++;
            }
        }
        *whole = self->step->copies < COPIES_MOST && is_copy(self, at, extent, &copy) &&
                 (copy.input >= 0 || self->is_float || !self->map[copy.to]);
        if (!*whole)
            goto cleanup;
        OPEVO_TRY(add_copy(self, &copy, err));
        for (d = self->dims - 1; d >= 0 && (at[d] += extent[d]) == self->extent[d]; d--)
            at[d] = 0;
    }
cleanup:
    return status;
}

static opevo_status divide(probe *self, int64_t elements, bool *whole, opevo_error *err)
{
    bool *starts[OPEVO_NETWORK_DIMS] = {NULL};
    opevo_status status = OPEVO_OK;

    for (int d = 0; d < self->dims; d++) {
        OPEVO_NEW(starts[d], (size_t)self->extent[d] + 1, "the places of elements");
        find_starts(self, d, elements, starts[d]);
    }
    OPEVO_TRY(take_boxes(self, starts, whole, err));
cleanup:
    for (int d = 0; d < self->dims; d++)
        opevo_free(starts[d]);
    return status;
}

/* ---- The step ---- */

/* Whether the output has the elements of the first input in their order. */
static bool is_view(const probe *self, int64_t elements)
{
    if (self->first[1] != elements)
        return false;
    for (int64_t i = 0; i < elements; i++) {
        if (self->map[i] != (uint32_t)i + 1)
            return false;
    }
    return true;
}

/* Whether every element is that of an input, or filled in: not computed, such as sums of what is
 * scattered. */
static bool is_move(const probe *self, int64_t elements)
{
    bool moved = true;

    for (int64_t i = 0; i < elements && moved; i++)
        moved = self->other[i] == self->map[i] ||
                self->other[i] - self->map[i] == (uint32_t)INT32_MAX - 1;
    return moved;
}

opevo_status opevo_i_net_find_copies(const opevo_network_inference *inference,
                                     opevo_network_step *step, int which, opevo_error *err)
{
    const opevo_array *array = NULL;
    probe self = {.inference = inference, .step = step, .which = which};
    int64_t elements = 0;
    bool whole = false;
    opevo_status status = OPEVO_OK;

    if (!can_probe(inference, step, which))
        return OPEVO_OK;
    array = &inference->value[step->output[which]].array;
    elements = opevo_array_elements(array);
    self.is_float = array->type == OPEVO_NETWORK_FLOAT32;
    OPEVO_TRY(start(&self, err));
    if (elements == 0) { /* nothing moves */
        step->kind = OPEVO_NETWORK_STEP_COPY;
        goto cleanup;
    }
    self.map = opevo_calloc((size_t)elements, sizeof *self.map);
    self.other = opevo_calloc((size_t)elements, sizeof *self.other);
    OPEVO_NEED(self.map && self.other, "the places of elements");
    OPEVO_TRY(move(&self, INT32_MAX, self.other, err));
    OPEVO_TRY(move(&self, 1, self.map, err));
    if (!is_move(&self, elements))
        goto cleanup;
    if (is_view(&self, elements)) {
        step->kind = OPEVO_NETWORK_STEP_VIEW;
        goto cleanup;
    }
    self.dims = array->dims;
    for (int d = array->dims - 1; d >= 0; d--) {
        self.extent[d] = array->extent[d];
        self.stride[d] = d == array->dims - 1 ? 1 : self.stride[d + 1] * self.extent[d + 1];
    }
    OPEVO_TRY(divide(&self, elements, &whole, err));
    if (whole)
        step->kind = OPEVO_NETWORK_STEP_COPY;
    else
        step->copies = 0;
cleanup:
    finish(&self);
    return status;
}
