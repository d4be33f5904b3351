/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Whether a network has the same steps at all sizes: readings are compared value by value and step
 * by step, and each number that is not the same must be a form. */

#include "network_dynamic_internal.h"

#include "network_passes_internal.h"

#include <opevo/memory.h>
#include <opevo/network_routine.h>

#include <string.h>

/* ---- Values ---- */

static int64_t elements_of(const opevo_array *array)
{
    return opevo_array_elements(array);
}

static bool extents_are_forms(const opevo_network_dynamic *self, int value, opevo_text *why)
{
    const opevo_array *array = &self->at[0]->value[value].array;
    int64_t values[OPEVO_NETWORK_READINGS];
    opevo_network_form form;

    for (int d = 0; d < array->dims && !why->length; d++) {
        for (int k = 0; k < self->points; k++)
            values[k] = self->at[k]->value[value].array.extent[d];
        if (!opevo_network_dynamic_fit(self, values, &form))
            opevo_text_printf(why, "an extent of '%.100s' is not linear in each size",
                              self->at[0]->value[value].name);
        else if (!opevo_i_net_dynamic_is_most(self, &form))
            opevo_text_printf(why, "an extent of '%.100s' is larger at smaller sizes",
                              self->at[0]->value[value].name);
    }
    return !why->length;
}

static bool is_same_value(const opevo_network_dynamic *self, int value, opevo_text *why)
{
    const opevo_array *array = &self->at[0]->value[value].array;

    for (int k = 1; k < self->points; k++) {
        const opevo_array *other = &self->at[k]->value[value].array;

        if (array->dims == other->dims && array->type == other->type &&
            !array->data == !other->data)
            continue;
        opevo_text_printf(
            why, "'%.100s' has another number of dimensions, or is constant, at other sizes",
            self->at[0]->value[value].name);
        return false;
    }
    return extents_are_forms(self, value, why);
}

/* A constant is stored as it is at the largest sizes: that of others must be the start of it. */
static bool is_start(const opevo_array *other, const opevo_array *array)
{
    return elements_of(other) <= elements_of(array) &&
           memcmp(array->data, other->data, opevo_i_net_bytes(other)) == 0;
}

static bool is_same_constant(const opevo_network_dynamic *self, int value, opevo_text *why)
{
    const opevo_array *array = &self->at[0]->value[value].array;

    for (int k = 1; k < self->points && array->data; k++) {
        const opevo_array *other = &self->at[k]->value[value].array;

        if (is_start(other, array))
            continue;
        opevo_text_printf(why, "the constant '%.100s' is another one at other sizes",
                          self->at[0]->value[value].name);
        return false;
    }
    return true;
}

/* Whether a value of the model is what its forms say at the readings behind the points, as far as
 * passes there left it as it was. */
static bool fits_others(const opevo_network_dynamic *self, int value, opevo_text *why)
{
    const opevo_array *array = &self->at[0]->value[value].array;

    for (int k = self->points; k < self->readings && value < self->network[0]->values; k++) {
        const opevo_array *other = &self->network[k]->value[value].array;
        const opevo_array *kept = &self->at[k]->value[value].array;
        bool fits = true;

        if (!opevo_i_net_same_shape(array, &self->network[0]->value[value].array))
            continue;
        fits = other->dims == array->dims;
        for (int d = 0; d < array->dims && fits; d++) {
            opevo_network_form form = opevo_network_dynamic_extent(self, value, d);

            fits = other->extent[d] == opevo_network_form_value(&form, self->size[k]);
        }
        if (fits && array->data && kept->data && kept->type == array->type)
            fits = is_start(kept, array);
        if (fits)
            continue;
        opevo_text_printf(why,
                          "at the %s sizes '%.100s' has another shape, or is another constant, "
                          "than follows from others",
                          k == self->tuned ? "tuned" : "least", self->at[0]->value[value].name);
        return false;
    }
    return true;
}

/* ---- Copies ---- */

typedef struct copies {
    const opevo_network_dynamic *dynamic;
    int step, copy, dim;
} copies;

static const opevo_network_copy *copy_at(const copies *self, int reading)
{
    return &self->dynamic->at[reading]->step[self->step].copy[self->copy];
}

static int64_t from_at(const void *context, int reading)
{
    return copy_at(context, reading)->from;
}

static int64_t to_at(const void *context, int reading)
{
    return copy_at(context, reading)->to;
}

static int64_t extent_at(const void *context, int reading)
{
    const copies *self = context;

    return copy_at(self, reading)->extent[self->dim];
}

static int64_t from_stride_at(const void *context, int reading)
{
    const copies *self = context;

    return copy_at(self, reading)->from_stride[self->dim];
}

static int64_t to_stride_at(const void *context, int reading)
{
    const copies *self = context;

    return copy_at(self, reading)->to_stride[self->dim];
}

static bool numbers_are_forms(copies *at, int dims)
{
    static const opevo_i_net_dynamic_number of_dim[] = {extent_at, from_stride_at, to_stride_at};
    opevo_network_form form;
    bool are = opevo_i_net_dynamic_form(at->dynamic, from_at, at, &form) &&
               opevo_i_net_dynamic_form(at->dynamic, to_at, at, &form);

    for (at->dim = 0; at->dim < dims && are; at->dim++) {
        for (size_t i = 0; i < sizeof of_dim / sizeof *of_dim; i++)
            are = are && opevo_i_net_dynamic_form(at->dynamic, of_dim[i], at, &form);
    }
    return are;
}

static bool are_same_copies(const opevo_network_dynamic *self, int n, opevo_text *why)
{
    const opevo_network_step *step = &self->at[0]->step[n];

    for (int i = 0; i < step->copies; i++) {
        copies at = {.dynamic = self, .step = n, .copy = i};
        const opevo_network_copy *one = &step->copy[i];
        bool same = true;

        for (int k = 1; k < self->points && same; k++) {
            const opevo_network_copy *other = copy_at(&at, k);

            same = other->input == one->input && other->dims == one->dims &&
                   (one->input >= 0 || memcmp(&other->value, &one->value, sizeof one->value) == 0);
        }
        if (!same || !numbers_are_forms(&at, one->dims)) {
            opevo_text_add(why, "it moves elements in another way at other sizes");
            return false;
        }
    }
    return true;
}

/* ---- Nodes ---- */

/* Whether the parameters of two routines are the same. */
static bool is_same_routine(const opevo_network_routine *a, const opevo_network_routine *b)
{
    return (!a->name || strcmp(a->name, b->name) == 0) && a->wholes == b->wholes &&
           a->numbers == b->numbers &&
           (!a->wholes || memcmp(a->whole, b->whole, a->wholes * sizeof *a->whole) == 0) &&
           (!a->numbers || memcmp(a->number, b->number, a->numbers * sizeof *a->number) == 0);
}

static opevo_status compare_routines(const opevo_network_dynamic *self, int n, opevo_text *why,
                                     opevo_error *err)
{
    opevo_network_routine first = {0};
    opevo_status status =
        opevo_network_step_routine(self->at[0], &self->at[0]->step[n], &first, err);

    for (int k = 1; k < self->points && status == OPEVO_OK && !why->length; k++) {
        opevo_network_routine other = {0};

        status = opevo_network_step_routine(self->at[k], &self->at[k]->step[n], &other, err);
        if (status == OPEVO_OK && (!first.name != !other.name || !is_same_routine(&first, &other)))
            opevo_text_add(why, "it has other parameters at other sizes");
        opevo_network_routine_free(&other);
    }
    opevo_network_routine_free(&first);
    return status;
}

/* ---- Steps ---- */

static bool is_same_step(const opevo_network_step *a, const opevo_network_step *b)
{
    return a->kind == b->kind && strcmp(a->name, b->name) == 0 && a->inputs == b->inputs &&
           a->outputs == b->outputs && a->copies == b->copies &&
           (!a->inputs || memcmp(a->input, b->input, (size_t)a->inputs * sizeof *a->input) == 0) &&
           (!a->outputs ||
            memcmp(a->output, b->output, (size_t)a->outputs * sizeof *a->output) == 0);
}

static opevo_status compare_step(opevo_network_dynamic *self, int n, opevo_text *why,
                                 opevo_error *err)
{
    const opevo_network_step *step = &self->at[0]->step[n];

    for (int k = 1; k < self->points; k++) {
        if (!is_same_step(step, &self->at[k]->step[n])) {
            opevo_text_add(why, "at other sizes other steps are in its place");
            return OPEVO_OK;
        }
    }
    for (int i = 0; i < step->inputs; i++) {
        if (step->input[i] >= 0 &&
            (!is_same_value(self, step->input[i], why) ||
             (opevo_network_step_reads(step, i) && (!is_same_constant(self, step->input[i], why) ||
                                                    !fits_others(self, step->input[i], why)))))
            return OPEVO_OK;
    }
    for (int i = 0; i < step->outputs; i++) {
        if (step->output[i] >= 0 && (!is_same_value(self, step->output[i], why) ||
                                     !fits_others(self, step->output[i], why)))
            return OPEVO_OK;
    }
    if (step->kind == OPEVO_NETWORK_STEP_COMPUTE)
        return opevo_i_net_dynamic_axes(self, n, why, err);
    if (step->kind == OPEVO_NETWORK_STEP_NODE)
        return compare_routines(self, n, why, err);
    if (step->kind == OPEVO_NETWORK_STEP_COPY)
        (void)are_same_copies(self, n, why);
    return OPEVO_OK;
}

/* ---- Inputs and outputs ---- */

/* Of all readings, also that of the least sizes. */
static opevo_status compare_ends(const opevo_network_dynamic *self, const char *what,
                                 const int *numbers, int count, opevo_error *err)
{
    for (int i = 0; i < count; i++) {
        const opevo_network_tensor *value = &self->at[0]->value[numbers[i]];
        opevo_text why = {0};
        bool same =
            is_same_value(self, numbers[i], &why) && is_same_constant(self, numbers[i], &why);

        opevo_text_free(&why);
        for (int k = self->points; k < self->readings && same; k++) {
            const int *own =
                numbers == self->at[0]->input ? self->at[k]->input : self->at[k]->output;
            const opevo_array *array = &self->at[k]->value[own[i]].array;

            same = array->dims == value->array.dims;
            for (int d = 0; d < array->dims && same; d++) {
                opevo_network_form form = opevo_network_dynamic_extent(self, numbers[i], d);

                same = array->extent[d] == opevo_network_form_value(&form, self->size[k]);
            }
        }
        if (!same)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "%s '%.200s': its shape is not one in which each extent is linear in "
                              "each size; leave a size out of --dynamic.",
                              what, value->name);
    }
    return OPEVO_OK;
}

static opevo_status compare_all(opevo_network_dynamic *self, opevo_error *err)
{
    const opevo_network_inference *first = self->at[0];
    opevo_status status = OPEVO_OK;

    for (int k = 1; k < self->readings; k++) {
        const opevo_network_inference *other = self->at[k];

        if (other->inputs != first->inputs || other->outputs != first->outputs ||
            (k < self->points && (other->values != first->values || other->steps != first->steps)))
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "%s: the network has %d steps at the largest sizes and %d at others; "
                              "leave a size out of --dynamic.",
                              first->network->path, first->steps, other->steps);
    }
    OPEVO_TRY(compare_ends(self, "input", first->input, first->inputs, err));
    OPEVO_TRY(compare_ends(self, "output", first->output, first->outputs, err));
    for (int n = 0; n < first->steps; n++) {
        opevo_text why = {0};

        status = compare_step(self, n, &why, err);
        if (status == OPEVO_OK && why.length)
            status = OPEVO_FAIL(err, OPEVO_INVALID,
                                "%s: step '%.200s' (%.60s) cannot serve all sizes: %.300s; leave a "
                                "size out of --dynamic.",
                                first->network->path, first->step[n].name, first->step[n].operation,
                                opevo_text_string(&why));
        opevo_text_free(&why);
        if (status != OPEVO_OK)
            return status;
    }
cleanup:
    return status;
}

opevo_status opevo_i_net_dynamic_compare(opevo_network_dynamic *self, opevo_error *err)
{
    self->axes = opevo_calloc((size_t)self->at[0]->steps + 1, sizeof *self->axes);
    OPEVO_NEED_OR_RETURN(self->axes, "the axes of steps");
    return compare_all(self, err);
}
