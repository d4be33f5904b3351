/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The pass `scale`: steps y = s x + t, with s and t constants of each channel, are multiplied into
 * the weights of the sum before them, or become one.
 *
 * s and t are found by evaluating a definition in double precision on pairs (s, t) instead of
 * numbers, in which x is (1, 0) and a constant c is (0, c). Weights and the new t are rounded once. */

#include "network_passes_internal.h"

#include <opevo/memory.h>

#include <math.h>
#include <stdio.h>

/* y = s x + t along one dimension of y. */
typedef struct scale {
    int dim; /* -1: one number for all */
    int64_t channels;
    double *s, *t;     /* of each channel; of all where dim is -1 */
    bool scales, adds; /* whether constants are in it, whatever their values */
} scale;

static void release(scale *self)
{
    opevo_free(self->s);
    opevo_free(self->t);
    *self = (scale){0};
}

static opevo_status allocate(scale *self, opevo_error *err)
{
    self->s = opevo_calloc((size_t)self->channels + 1, sizeof *self->s);
    self->t = opevo_calloc((size_t)self->channels + 1, sizeof *self->t);
    if (!self->s || !self->t)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the scale of a step.");
    for (int64_t c = 0; c < self->channels; c++)
        self->s[c] = 1;
    return OPEVO_OK;
}

/* ---- Definitions on pairs ------------------------------------------------------------------- */

/* A definition y = s x + t that is to be evaluated. */
typedef struct subject {
    const opevo_inference *inference;
    const opevo_i_part *part;
    const opevo_definition *definition;
    const opevo_tensor *x;
    int dim;   /* of the channels */
    int64_t c; /* the channel at which it is evaluated */
} subject;

typedef struct pair {
    double s, t;
    bool of_x, known; /* x is in it; a constant is in t */
    bool valid;
} pair;

static int64_t place_in(const opevo_affine *index, int dim, int64_t c)
{
    int64_t value = index->constant;

    for (int i = 0; i < index->count; i++) {
        const opevo_term *term = &index->term[i];
        int64_t atom = 0;

        if (term->atom == OPEVO_ATOM_AXIS) {
            atom = term->axis == dim ? c : 0;
        } else {
            int64_t inner = place_in(term->inner, dim, c);
            int64_t rest = inner % term->divisor;

            rest += rest < 0 ? term->divisor : 0;
            atom = term->atom == OPEVO_ATOM_MODULO ? rest : (inner - rest) / term->divisor;
        }
        value += term->factor * atom;
    }
    return value;
}

static pair constant_of(const subject *self, const opevo_expression *read)
{
    const opevo_array *array =
        &self->inference->value[self->part->identity[read->tensor->number]].array;
    int64_t at = 0;

    for (int d = 0; d < read->tensor->dims; d++)
        at = at * read->tensor->extent[d] + place_in(&read->index[d], self->dim, self->c);
    return (pair){.t = (double)((const float *)array->data)[at], .known = true, .valid = true};
}

static pair product(pair a, pair b)
{
    double factor = a.of_x ? b.t : a.t;
    pair other = a.of_x ? a : b;

    return (pair){.s = other.s * factor,
                  .t = other.t * factor,
                  .of_x = other.of_x,
                  .known = other.of_x ? other.known : true,
                  .valid = a.valid && b.valid && !(a.of_x && b.of_x)};
}

/* A function of what is not of x. */
static pair apply(opevo_expression_kind kind, pair a, pair b)
{
    pair result = {.known = true, .valid = a.valid && b.valid && !a.of_x && !b.of_x};

    switch (kind) {
    case OPEVO_EXPR_MAX:
        result.t = fmax(a.t, b.t);
        break;
    case OPEVO_EXPR_MIN:
        result.t = fmin(a.t, b.t);
        break;
    case OPEVO_EXPR_EXP:
        result.t = exp(a.t);
        break;
    case OPEVO_EXPR_SQRT:
        result.t = sqrt(a.t);
        break;
    case OPEVO_EXPR_TANH:
        result.t = tanh(a.t);
        break;
    case OPEVO_EXPR_ERF:
        result.t = erf(a.t);
        break;
    case OPEVO_EXPR_SIGMOID:
        result.t = 1 / (1 + exp(-a.t));
        break;
    default:
        result.valid = false;
    }
    return result;
}

static pair evaluate(const subject *self, const opevo_expression *e)
{
    pair a = {.valid = true}, b = {.valid = true};
    double sign = 1;

    if (e->kind == OPEVO_EXPR_NUMBER)
        return (pair){.t = e->number, .known = true, .valid = true};
    if (e->kind == OPEVO_EXPR_READ)
        return e->tensor == self->x ? (pair){.s = 1, .of_x = true, .valid = true}
                                    : constant_of(self, e);
    if (e->kind == OPEVO_EXPR_WHOLE || e->kind == OPEVO_EXPR_SELECT)
        return (pair){.valid = false};
    a = evaluate(self, e->left);
    if (e->right)
        b = evaluate(self, e->right);
    switch (e->kind) {
    case OPEVO_EXPR_SUBTRACT:
    case OPEVO_EXPR_NEGATE:
    case OPEVO_EXPR_ADD:
        sign = e->kind == OPEVO_EXPR_ADD ? 1 : -1;
        if (e->kind == OPEVO_EXPR_NEGATE)
            return (pair){-a.s, -a.t, a.of_x, a.known, a.valid};
        return (pair){a.s + sign * b.s, a.t + sign * b.t, a.of_x || b.of_x, a.known || b.known,
                      a.valid && b.valid};
    case OPEVO_EXPR_MULTIPLY:
        return product(a, b);
    case OPEVO_EXPR_DIVIDE:
        return (pair){a.s / b.t, a.t / b.t, a.of_x, a.known, a.valid && b.valid && !b.of_x};
    default:
        return apply(e->kind, a, b);
    }
}

/* ---- Which definitions are scales ----------------------------------------------------------- */

static void add_axes(const opevo_definition *definition, const opevo_affine *index, unsigned *axes)
{
    for (int i = 0; i < index->count; i++) {
        const opevo_term *term = &index->term[i];

        if (term->atom != OPEVO_ATOM_AXIS)
            add_axes(definition, term->inner, axes);
        else if (definition->axis[term->axis].extent > 1)
            *axes |= 1U << term->axis;
    }
}

typedef struct survey {
    const subject *subject;
    unsigned axes; /* of constants */
    bool valid;
} survey;

static void look_at_read(void *context, const opevo_expression *read)
{
    survey *self = context;
    const subject *of = self->subject;
    int value = of->part->identity[read->tensor->number];

    if (read->tensor == of->x) {
        self->valid &= opevo_reads_own_place(of->definition, read);
        return;
    }
    self->valid &= value >= 0 && of->inference->value[value].array.data &&
                   of->inference->value[value].array.type == OPEVO_NETWORK_FLOAT32;
    for (int d = 0; d < read->tensor->dims; d++)
        add_axes(of->definition, &read->index[d], &self->axes);
}

/* The scale that `y` makes of x. *is_one: it is one, and *out is filled in. Errors: NOMEM. */
static opevo_status scale_of(const opevo_inference *inference, const opevo_i_part *part,
                             const opevo_tensor *y, const opevo_tensor *x, scale *out, bool *is_one,
                             opevo_error *err)
{
    subject self = {inference, part, y->definition, x, -1, 0};
    survey axes = {.subject = &self, .valid = true};
    opevo_status status = OPEVO_OK;

    *is_one = false;
    *out = (scale){.dim = -1, .channels = 1};
    if (self.definition->reducer != OPEVO_REDUCER_NONE)
        return OPEVO_OK;
    opevo_expression_reads(self.definition->value, look_at_read, &axes);
    if (!axes.valid || (axes.axes & (axes.axes - 1)))
        return OPEVO_OK;
    for (int d = 0; d < self.definition->spatial; d++) {
        if (axes.axes == 1U << d)
            self.dim = out->dim = d;
    }
    if (out->dim >= 0)
        out->channels = self.definition->axis[out->dim].extent;
    OPEVO_TRY(allocate(out, err));
    *is_one = true;
    for (self.c = 0; self.c < out->channels && *is_one; self.c++) {
        pair value = evaluate(&self, self.definition->value);

        *is_one = value.valid && value.of_x && isfinite(value.s) && isfinite(value.t);
        out->s[self.c] = value.s;
        out->t[self.c] = value.t;
        out->adds = value.known;
        out->scales = self.definition->value->kind != OPEVO_EXPR_READ;
    }
cleanup:
    if (!*is_one || status != OPEVO_OK)
        release(out);
    return status;
}

/* a := b after a. False where their channels are of two dimensions. */
static opevo_status compose(scale *a, const scale *b, bool *fits, opevo_error *err)
{
    const scale *wide = a->dim >= 0 ? a : b;
    scale both = {
        .dim = wide->dim, .channels = wide->channels, .scales = true, .adds = a->adds || b->adds};
    opevo_status status = OPEVO_OK;

    *fits = a->dim < 0 || b->dim < 0 || a->dim == b->dim;
    if (!*fits)
        return OPEVO_OK;
    OPEVO_TRY(allocate(&both, err));
    for (int64_t c = 0; c < both.channels; c++) {
        int64_t i = a->dim < 0 ? 0 : c, k = b->dim < 0 ? 0 : c;

        both.s[c] = b->s[k] * a->s[i];
        both.t[c] = b->s[k] * a->t[i] + b->t[k];
    }
    release(a);
    *a = both;
    both = (scale){0};
cleanup:
    release(&both);
    return status;
}

/* ---- Sums with weights ---------------------------------------------------------------------- */

/* A step whose value is a scale of a sum of products with weights, or of an input. */
typedef struct base {
    opevo_i_part part;
    const opevo_tensor *from;                /* x: the sum or the input */
    const opevo_tensor *weights;             /* NULL where x is an input */
    int weights_dim[OPEVO_COMPUTATION_DIMS]; /* of each dimension of x: that of weights; -1 */
    scale scale;
    bool found;
} base;

static void finish(base *self)
{
    opevo_i_part_free(&self->part);
    release(&self->scale);
}

/* The only definition that the output reads, or its only input without data. */
static const opevo_tensor *subject_of(const opevo_inference *inference, const opevo_i_part *part,
                                      const opevo_tensor *y)
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
static bool find_weights(const opevo_inference *inference, base *self)
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
static opevo_status base_of(const opevo_inference *inference, const opevo_net_step *step, base *out,
                            opevo_error *err)
{
    const opevo_tensor *y = NULL;
    opevo_status status = OPEVO_OK;

    if (step->kind != OPEVO_NET_STEP_COMPUTE || step->outputs != 1)
        return OPEVO_OK;
    OPEVO_TRY(opevo_i_part_create(step, &out->part, err));
    y = opevo_computation_find(out->part.computation, "Y0");
    if (!y)
        return OPEVO_OK;
    out->from = y;
    if (y->definition->reducer == OPEVO_REDUCER_NONE) {
        out->from = subject_of(inference, &out->part, y);
        if (out->from)
            OPEVO_TRY(scale_of(inference, &out->part, y, out->from, &out->scale, &out->found, err));
    } else {
        out->scale = (scale){.dim = -1, .channels = 1};
        out->found = true;
        OPEVO_TRY(allocate(&out->scale, err));
    }
    if (out->found && out->from && out->from->definition)
        out->found = find_weights(inference, out);
cleanup:
    return status;
}

/* ---- Steps made anew ------------------------------------------------------------------------ */

static opevo_status add_floats(opevo_inference *inference, const char *name, const double *from,
                               int64_t count, int *number, opevo_error *err)
{
    opevo_array array = {.type = OPEVO_NETWORK_FLOAT32, .dims = 1, .extent = {count}};

    if (opevo_array_allocate(&array, err) != OPEVO_OK)
        return OPEVO_NOMEM;
    for (int64_t i = 0; i < count; i++)
        ((float *)array.data)[i] = (float)from[i];
    return opevo_i_value_add(inference, name, &array, number, err);
}

/* The weights times s of their channel. */
static opevo_status scale_weights(opevo_inference *inference, const base *self, int *number,
                                  opevo_error *err)
{
    const opevo_net_tensor *old = &inference->value[self->part.identity[self->weights->number]];
    opevo_array array = old->array;
    int dim = self->scale.dim < 0 ? -1 : self->weights_dim[self->scale.dim];
    int64_t inner = 1, count = opevo_array_elements(&array);

    for (int d = array.dims - 1; d > dim; d--)
        inner *= array.extent[d];
    if (opevo_array_allocate(&array, err) != OPEVO_OK)
        return OPEVO_NOMEM;
    for (int64_t i = 0; i < count; i += inner) {
        double s = self->scale.s[dim < 0 ? 0 : i / inner % self->scale.channels];
        const float *from = (const float *)old->array.data + i;
        float *to = (float *)array.data + i;

        for (int64_t k = 0; k < inner; k++)
            to[k] = (float)(s * (double)from[k]);
    }
    return opevo_i_value_add(inference, old->name, &array, number, err);
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
static opevo_status scale_part(opevo_inference *inference, const base *self, int input, int output,
                               opevo_i_part *out, opevo_error *err)
{
    const scale *s = &self->scale;
    bool scales = !self->weights, adds = s->adds;
    char *name = inference->value[output].name;
    int numbers[3] = {input}, count = 1;
    opevo_net_step step = {.name = name, .input = numbers, .output = &output, .outputs = 1};
    opevo_text text = {0};
    opevo_status status = OPEVO_OK;

    if (scales)
        OPEVO_TRY(add_floats(inference, name, s->s, s->channels, &numbers[count++], err));
    if (adds)
        OPEVO_TRY(add_floats(inference, name, s->t, s->channels, &numbers[count++], err));
    write_scale(self->from, s->dim, scales, adds, &text);
    OPEVO_TRY(opevo_text_check(&text, err));
    step.inputs = count;
    step.text = text.data;
    OPEVO_TRY(opevo_i_part_create(&step, out, err));
cleanup:
    opevo_text_free(&text);
    return status;
}

/* Give the step the value `output`, its scale applied. */
static opevo_status rewrite(opevo_inference *inference, base *self, opevo_net_step *step,
                            int output, opevo_error *err)
{
    opevo_i_part parts[2] = {self->part, {0}};
    opevo_i_part *epilogue = &parts[1];
    int x = self->part.identity[self->from->number];
    opevo_status status = OPEVO_OK;
    bool plain = self->weights && !self->scale.adds;

    if (self->weights) {
        /* The sum is a tensor of its own in the whole, unless it is the output itself. */
        x = plain ? output : inference->values + 3;
        self->part.identity[self->from->number] = x;
        OPEVO_TRY(scale_weights(inference, self, &self->part.identity[self->weights->number], err));
    }
    if (!plain)
        OPEVO_TRY(scale_part(inference, self, x, output, epilogue, err));
    if (self->weights)
        OPEVO_TRY(opevo_i_step_define(step, parts, plain ? 1 : 2, output, err));
    else
        OPEVO_TRY(opevo_i_step_define(step, epilogue, 1, output, err));
cleanup:
    opevo_i_part_free(epilogue);
    return status;
}

/* ---- The pass ------------------------------------------------------------------------------- */

/* The step that alone reads a value; -1. */
static int only_reader(const opevo_inference *inference, const opevo_i_links *links, int value)
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
static opevo_status take(const opevo_inference *inference, base *self, const opevo_net_step *next,
                         bool *taken, opevo_error *err)
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
    OPEVO_TRY(compose(&self->scale, &other.scale, taken, err));
cleanup:
    finish(&other);
    return status;
}

/* Take into step n the scales that follow it. */
static opevo_status scale_step(opevo_inference *inference, opevo_i_links *links, int n,
                               opevo_error *err)
{
    opevo_net_step *step = &inference->step[n];
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
        OPEVO_TRY(opevo_i_step_name(step, step, &inference->step[next], err));
    }
    /* One step of many operations, such as a batch normalisation, becomes one of two. */
    if (any || (!self.weights && step->inputs > 3))
        OPEVO_TRY(rewrite(inference, &self, step, value, err));
cleanup:
    finish(&self);
    return status;
}

opevo_status opevo_i_pass_scale(opevo_inference *inference, opevo_error *err)
{
    opevo_i_links links = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_links_create(inference, &links, err));
    for (int n = 0, steps = inference->steps; n < steps; n++) {
        if (!links.dead[n])
            OPEVO_TRY(scale_step(inference, &links, n, err));
    }
cleanup:
    if (status == OPEVO_OK)
        opevo_i_steps_remove(inference, links.dead);
    opevo_i_links_free(&links);
    return status;
}
