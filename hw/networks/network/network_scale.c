/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Definitions y = s x + t.
 *
 * s and t are found by evaluating a definition in double precision on pairs (s, t) instead of
 * numbers, in which x is (1, 0) and a constant c is (0, c). */

#include "network_scale_internal.h"

#include <opevo/memory.h>

#include <math.h>

void opevo_i_net_scale_free(opevo_i_net_scale *self)
{
    opevo_free(self->s);
    opevo_free(self->t);
    *self = (opevo_i_net_scale){0};
}

opevo_status opevo_i_net_scale_allocate(opevo_i_net_scale *self, opevo_error *err)
{
    self->s = opevo_calloc((size_t)self->channels + 1, sizeof *self->s);
    self->t = opevo_calloc((size_t)self->channels + 1, sizeof *self->t);
    OPEVO_NEED_OR_RETURN(self->s && self->t, "the scale of a step");
    for (int64_t c = 0; c < self->channels; c++)
        self->s[c] = 1;
    return OPEVO_OK;
}

/* ---- Definitions on pairs ------------------------------------------------------------------- */

/* A definition y = s x + t that is to be evaluated. */
typedef struct subject {
    const opevo_network_inference *inference;
    const opevo_i_net_part *part;
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
    case OPEVO_EXPR_LOG:
        result.t = log(a.t);
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

opevo_status opevo_i_net_scale_of(const opevo_network_inference *inference,
                                  const opevo_i_net_part *part, const opevo_tensor *y,
                                  const opevo_tensor *x, opevo_i_net_scale *out, bool *is_one,
                                  opevo_error *err)
{
    subject self = {inference, part, y->definition, x, -1, 0};
    survey axes = {.subject = &self, .valid = true};
    opevo_status status = OPEVO_OK;

    *is_one = false;
    *out = (opevo_i_net_scale){.dim = -1, .channels = 1};
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
    OPEVO_TRY(opevo_i_net_scale_allocate(out, err));
    *is_one = true;
    for (self.c = 0; self.c < out->channels && *is_one; self.c++) {
        pair value = evaluate(&self, self.definition->value);

        *is_one = value.valid && value.of_x && isfinite(value.s) && isfinite(value.t);
        out->s[self.c] = value.s;
        out->t[self.c] = value.t;
        out->adds = value.known;
    }
cleanup:
    if (!*is_one || status != OPEVO_OK)
        opevo_i_net_scale_free(out);
    return status;
}

opevo_status opevo_i_net_scale_compose(opevo_i_net_scale *a, const opevo_i_net_scale *b, bool *fits,
                                       opevo_error *err)
{
    const opevo_i_net_scale *wide = a->dim >= 0 ? a : b;
    opevo_i_net_scale both = {
        .dim = wide->dim, .channels = wide->channels, .adds = a->adds || b->adds};
    opevo_status status = OPEVO_OK;

    *fits = a->dim < 0 || b->dim < 0 || a->dim == b->dim;
    if (!*fits)
        return OPEVO_OK;
    OPEVO_TRY(opevo_i_net_scale_allocate(&both, err));
    for (int64_t c = 0; c < both.channels; c++) {
        int64_t i = a->dim < 0 ? 0 : c, k = b->dim < 0 ? 0 : c;

        both.s[c] = b->s[k] * a->s[i];
        both.t[c] = b->s[k] * a->t[i] + b->t[k];
    }
    opevo_i_net_scale_free(a);
    *a = both;
    both = (opevo_i_net_scale){0};
cleanup:
    opevo_i_net_scale_free(&both);
    return status;
}
