/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The pass `scale`: steps y = s x + t, with s and t constants of each channel, are multiplied into
 * the weights of the sum before them, or become one. Weights and the new t are rounded once. */

#include "network_scale_internal.h"

#include <opevo/memory.h>

#include <stdio.h>
#include <string.h>

/* ---- Sums with weights ---------------------------------------------------------------------- */

/* A step whose value is a scale of a sum of products with weights, or of an input. */
typedef struct base {
    opevo_i_net_part part;
    const opevo_tensor *from;                /* x: the sum or the input */
    const opevo_tensor *weights;             /* NULL where x is an input */
    int weights_dim[OPEVO_COMPUTATION_DIMS]; /* of each dimension of x: that of weights; -1 */
    opevo_i_net_scale scale;
    bool found;
} base;

static void finish(base *self)
{
    opevo_i_net_part_free(&self->part);
    opevo_i_net_scale_free(&self->scale);
}

/* The only definition that the output reads, or its only input without data. */
static const opevo_tensor *subject_of(const opevo_network_inference *inference,
                                      const opevo_i_net_part *part, const opevo_tensor *y)
{
    const opevo_tensor *found = NULL;

    for (int i = 0; i < y->producers; i++) {
        const opevo_tensor *one = y->producer[i];
        int value = part->identity[one->number];

        if (value >= 0 && inference->value[value].array.data)
            continue;
        if (found)
            return NULL;
        found = one;
    }
    return found;
}

typedef struct weighing {
    const opevo_tensor *weights;
    int reads;
} weighing;

static void count_weights(void *context, const opevo_expression *read)
{
    weighing *self = context;

    self->reads += read->tensor == self->weights;
}

static bool is_axis(const opevo_affine *index, int axis)
{
    return index->count == 1 && index->constant == 0 && index->term[0].factor == 1 &&
           index->term[0].atom == OPEVO_ATOM_AXIS && index->term[0].axis == axis;
}

/* Whether x = sum of products with one constant, also select(..., product, 0). */
static bool find_weights(const opevo_network_inference *inference, base *self)
{
    const opevo_definition *sum = self->from->definition;
    const opevo_expression *e = sum->value, *weights = NULL;
    weighing count = {0};

    if (e->kind == OPEVO_EXPR_SELECT && e->right->kind == OPEVO_EXPR_NUMBER &&
        e->right->number == 0)
        e = e->left;
    if (sum->reducer != OPEVO_REDUCER_SUM || e->kind != OPEVO_EXPR_MULTIPLY)
        return false;
    for (int i = 0; i < 2; i++) {
        const opevo_expression *one = i ? e->right : e->left;
        int value = one->kind == OPEVO_EXPR_READ ? self->part.identity[one->tensor->number] : -1;

        if (value < 0 || one->tensor->definition || !inference->value[value].array.data)
            continue;
        if (weights)
            return false;
        weights = one;
    }
    if (!weights || weights->tensor->readers != 1)
        return false;
    count.weights = self->weights = weights->tensor;
    opevo_expression_reads(sum->value, count_weights, &count);
    for (int d = 0; d < self->from->dims; d++) {
        self->weights_dim[d] = -1;
        for (int w = 0; w < weights->tensor->dims; w++)
            if (is_axis(&weights->index[w], d) &&
                weights->tensor->extent[w] == self->from->extent[d])
                self->weights_dim[d] = w;
    }
    return count.reads == 1;
}

/* What a step may take scales into. */
static opevo_status base_of(const opevo_network_inference *inference,
                            const opevo_network_step *step, base *out, opevo_error *err)
{
    const opevo_tensor *y = NULL;
    opevo_status status = OPEVO_OK;

    if (step->kind != OPEVO_NETWORK_STEP_COMPUTE || step->outputs != 1)
        return OPEVO_OK;
    OPEVO_TRY(opevo_i_net_part_create(step, &out->part, err));
    y = opevo_computation_find(out->part.computation, "Y0");
    if (!y)
        return OPEVO_OK;
    out->from = y;
    if (y->definition->reducer == OPEVO_REDUCER_NONE) {
        out->from = subject_of(inference, &out->part, y);
        if (out->from)
            OPEVO_TRY(opevo_i_net_scale_of(inference, &out->part, y, out->from, &out->scale,
                                           &out->found, err));
    } else {
        out->scale = (opevo_i_net_scale){.dim = -1, .channels = 1};
        out->found = true;
        OPEVO_TRY(opevo_i_net_scale_allocate(&out->scale, err));
    }
    if (out->found && out->from && out->from->definition)
        out->found = find_weights(inference, out);
cleanup:
    return status;
}

/* ---- Steps made anew ------------------------------------------------------------------------ */

static opevo_status add_floats(opevo_network_inference *inference, const char *name,
                               const double *from, int64_t count, int *number, opevo_error *err)
{
    opevo_array array = {.type = OPEVO_NETWORK_FLOAT32, .dims = 1, .extent = {count}};

    if (opevo_array_allocate(&array, err) != OPEVO_OK)
        return OPEVO_NOMEM;
    for (int64_t i = 0; i < count; i++)
        ((float *)array.data)[i] = (float)from[i];
    return opevo_i_net_value_add(inference, name, &array, number, err);
}

/* to[k] = s from[k]; the arrays are one or have nothing in common. */
static void scale_run(const float *from, double s, float *to, int64_t count)
{
    enum { AT_ONCE = 8 };
    int64_t k = 0;

    for (; k + AT_ONCE <= count; k += AT_ONCE) {
        float some[AT_ONCE];

        for (int i = 0; i < AT_ONCE; i++)
            some[i] = (float)(s * (double)from[k + i]);
        memcpy(to + k, some, sizeof some);
    }
    for (; k < count; k++)
        to[k] = (float)(s * (double)from[k]);
}

/* The weights times s of their channel, in the memory of the old ones where nobody needs these. */
static opevo_status scale_weights(opevo_network_inference *inference,
                                  const opevo_i_net_links *links, const base *self, int *number,
                                  opevo_error *err)
{
    int value = self->part.identity[self->weights->number];
    opevo_network_tensor *old = &inference->value[value];
    opevo_array array = old->array;
    const float *from = array.data;
    int dim = self->scale.dim < 0 ? -1 : self->weights_dim[self->scale.dim];
    int64_t inner = 1, count = opevo_array_elements(&array);

    for (int d = array.dims - 1; d > dim; d--)
        inner *= array.extent[d];
    if (opevo_i_net_is_last_reader(inference, links, value)) {
        old->array.data = NULL;
        old->owned = false;
    } else if (opevo_i_net_array_reserve(&array, err) != OPEVO_OK) {
        return OPEVO_NOMEM;
    }
    for (int64_t i = 0; i < count; i += inner)
        scale_run(from + i, self->scale.s[dim < 0 ? 0 : i / inner % self->scale.channels],
                  (float *)array.data + i, inner);
    return opevo_i_net_value_add(inference, old->name, &array, number, err);
}

/* "Y0[a0:1, a1:3] = X0[a0, a1]*X1[a1] + X2[a1]", with what is there of *X1 and + X2. */
static void write_scale(const opevo_tensor *y, int dim, bool scales, bool adds, opevo_text *out)
{
    char at[16] = "0";

    if (dim >= 0)
        snprintf(at, sizeof at, "a%d", dim);
    for (int i = 0; i < 1 + scales + adds; i++) {
        opevo_text_printf(out, i ? "const X%d[" : "X%d[", i);
        for (int d = 0; d < y->dims && i == 0; d++)
            opevo_text_printf(out, "%s%lld", d ? ", " : "", (long long)y->extent[d]);
        opevo_text_printf(out, i ? "%lld]\n" : "]\n", dim < 0 ? 1LL : (long long)y->extent[dim]);
    }
    for (int i = 0; i < 2; i++) {
        opevo_text_add(out, i ? "] = X0[" : "Y0[");
        for (int d = 0; d < y->dims; d++) {
            opevo_text_printf(out, "%sa%d", d ? ", " : "", d);
            if (i == 0)
                opevo_text_printf(out, ":%lld", (long long)y->extent[d]);
        }
    }
    opevo_text_printf(out, "]");
    if (scales)
        opevo_text_printf(out, "*X1[%s]", at);
    if (adds)
        opevo_text_printf(out, " + X%d[%s]", 1 + scales, at);
    opevo_text_add(out, "\n");
}

/* The definitions of y = s x + t as a part: x is value `input`, the output value `output`. */
static opevo_status scale_part(opevo_network_inference *inference, const base *self, int input,
                               int output, opevo_i_net_part *out, opevo_error *err)
{
    const opevo_i_net_scale *s = &self->scale;
    bool scales = !self->weights, adds = s->adds;
    char *name = inference->value[output].name;
    int numbers[3] = {input}, count = 1;
    opevo_network_step step = {.name = name, .input = numbers, .output = &output, .outputs = 1};
    opevo_text text = {0};
    opevo_status status = OPEVO_OK;

    if (scales)
        OPEVO_TRY(add_floats(inference, name, s->s, s->channels, &numbers[count++], err));
    if (adds)
        OPEVO_TRY(add_floats(inference, name, s->t, s->channels, &numbers[count++], err));
    write_scale(self->from, s->dim, scales, adds, &text);
    OPEVO_TRY(opevo_text_check(&text, err));
    step.inputs = count;
    OPEVO_TRY(opevo_computation_parse(text.data, "definitions", NULL, 0, &step.computation, err));
    OPEVO_TRY(opevo_i_net_part_create(&step, out, err));
cleanup:
    opevo_computation_destroy(step.computation);
    opevo_text_free(&text);
    return status;
}

/* Give the step the value `output`, its scale applied. */
static opevo_status rewrite(opevo_network_inference *inference, const opevo_i_net_links *links,
                            base *self, opevo_network_step *step, int output, opevo_error *err)
{
    opevo_i_net_part parts[2] = {self->part, {0}};
    opevo_i_net_part *epilogue = &parts[1];
    int x = self->part.identity[self->from->number];
    opevo_status status = OPEVO_OK;
    bool plain = self->weights && !self->scale.adds;

    if (self->weights) {
        /* The sum is a tensor of its own in the whole, unless it is the output itself. */
        x = plain ? output : inference->values + 3;
        self->part.identity[self->from->number] = x;
        OPEVO_TRY(scale_weights(inference, links, self, &self->part.identity[self->weights->number],
                                err));
    }
    if (!plain)
        OPEVO_TRY(scale_part(inference, self, x, output, epilogue, err));
    if (self->weights)
        OPEVO_TRY(opevo_i_net_step_define(step, parts, plain ? 1 : 2, output, err));
    else
        OPEVO_TRY(opevo_i_net_step_define(step, epilogue, 1, output, err));
cleanup:
    opevo_i_net_part_free(epilogue);
    return status;
}

/* ---- The pass ------------------------------------------------------------------------------- */

/* The step that alone reads a value; -1. */
static int only_reader(const opevo_network_inference *inference, const opevo_i_net_links *links,
                       int value)
{
    if (links->readers[value] != 1 || inference->value[value].output)
        return -1;
    for (int n = links->producer[value] + 1; n < inference->steps; n++) {
        for (int i = 0; i < inference->step[n].inputs && !links->dead[n]; i++)
            if (inference->step[n].input[i] == value)
                return n;
    }
    return -1;
}

/* Whether the channels of the whole are a dimension of the weights. */
static bool can_weigh(const base *self)
{
    return !self->weights || self->scale.dim < 0 || self->weights_dim[self->scale.dim] >= 0;
}

/* Compose a scale with the one that step `next` is. *taken: it is one. */
static opevo_status take(const opevo_network_inference *inference, base *self,
                         const opevo_network_step *next, bool *taken, opevo_error *err)
{
    base other = {0};
    opevo_status status = OPEVO_OK;
    int dim = self->scale.dim;

    *taken = false;
    OPEVO_TRY(base_of(inference, next, &other, err));
    if (!other.found || other.weights)
        goto cleanup;
    dim = dim < 0 ? other.scale.dim : dim;
    if (self->weights && dim >= 0 && self->weights_dim[dim] < 0)
        goto cleanup;
    OPEVO_TRY(opevo_i_net_scale_compose(&self->scale, &other.scale, taken, err));
cleanup:
    finish(&other);
    return status;
}

/* Take into step n the scales that follow it. */
static opevo_status scale_step(opevo_network_inference *inference, opevo_i_net_links *links, int n,
                               opevo_error *err)
{
    opevo_network_step *step = &inference->step[n];
    base self = {0};
    opevo_status status = OPEVO_OK;
    bool taken = true, any = false;
    int value = 0;

    OPEVO_TRY(base_of(inference, step, &self, err));
    if (!self.found || !can_weigh(&self))
        goto cleanup;
    value = step->output[0];
    while (taken) {
        int next = only_reader(inference, links, value);

        taken = next >= 0;
        if (taken)
            OPEVO_TRY(take(inference, &self, &inference->step[next], &taken, err));
        if (!taken)
            break;
        any = links->dead[next] = true;
        value = inference->step[next].output[0];
        OPEVO_TRY(opevo_i_net_step_name(step, step, &inference->step[next], err));
    }
    /* One step of many operations, such as a batch normalisation, becomes one of two. */
    if (any || (!self.weights && step->inputs > 3))
        OPEVO_TRY(rewrite(inference, links, &self, step, value, err));
cleanup:
    finish(&self);
    return status;
}

opevo_status opevo_i_net_pass_scale(opevo_network_inference *inference, opevo_error *err)
{
    opevo_i_net_links links = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_net_links_create(inference, &links, err));
    for (int n = 0, steps = inference->steps; n < steps; n++) {
        if (!links.dead[n])
            OPEVO_TRY(scale_step(inference, &links, n, err));
    }
cleanup:
    if (status == OPEVO_OK)
        opevo_i_net_steps_remove(inference, links.dead);
    opevo_i_net_links_free(&links);
    return status;
}
