/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sums of products of two tensors that have no errors, which are nearly all the work of matrix
 * products and convolutions: without instructions, ten times as fast. The sums are those that the
 * instructions make, in the same order. */

#include "interpreter_internal.h"

#include <float.h>
#include <math.h>

enum { BLOCK = 8 }; /* lanes whose sums stay in registers */

/* A factor over the lanes and the innermost reduction axis. */
typedef struct factor {
    const float *data;
    const int64_t *base; /* of each lane */
    int64_t shift, step; /* from the outer axes; of one more of the innermost */
    bool uniform, dense; /* lanes at one place; at places one after the other */
} factor;

static bool is_plain_read(const opevo_i_reference_code *code, const bool *exact)
{
    return code->kind == OPEVO_I_CODE_READ && code->guard < 0 && exact[code->tensor];
}

bool opevo_i_reference_program_is_product(const opevo_i_reference_program *program,
                                          const bool *exact)
{
    const opevo_i_reference_code *codes = program->codes;

    return program->definition->reducer == OPEVO_REDUCER_SUM && program->code_count == 3 &&
           is_plain_read(&codes[0], exact) && is_plain_read(&codes[1], exact) &&
           codes[2].kind == OPEVO_I_CODE_VALUE && codes[2].operation == OPEVO_EXPR_MULTIPLY &&
           codes[0].to == codes[2].a && codes[1].to == codes[2].b;
}

/* Whether a division, of which it is made, changes with an axis. */
static bool divides(const opevo_i_reference_program *program,
                    const opevo_i_reference_linear *linear, int axis)
{
    for (int d = 0; d < linear->divisions; d++) {
        int inner = program->divisions[linear->first + d].inner;

        if (program->linears[inner].axes >> axis & 1)
            return true;
    }
    return false;
}

static factor factor_of(const opevo_i_reference_machine *self, const opevo_i_reference_code *read,
                        int count)
{
    const int64_t *base = self->base[read->linear];
    factor out = {.data = self->sources[read->tensor].single,
                  .base = base,
                  .step = (int64_t)self->program->linears[read->linear]
                              .factor[self->program->definition->axes - 1],
                  .uniform = true,
                  .dense = true};

    for (int i = 1; i < count; i++) {
        out.uniform &= base[i] == base[0];
        out.dense &= base[i] == base[0] + i;
    }
    return out;
}

/* One block of lanes over the innermost axis, a at one place and b dense: as add_any. */
static void add_dense(const factor *a, const factor *b, int64_t terms, int at, double *sums,
                      double *sizes)
{
    const float *x = a->data + a->base[0] + a->shift;
    const float *y = b->data + b->base[at] + b->shift;
    double sum[BLOCK], size[BLOCK];

    for (int i = 0; i < BLOCK; i++) {
        sum[i] = sums[at + i];
        size[i] = sizes[at + i];
    }
    for (int64_t k = 0; k < terms; k++, x += a->step, y += b->step) {
        for (int i = 0; i < BLOCK; i++) {
            double product = (double)*x * (double)y[i];

            sum[i] += product;
            size[i] += fabs(product);
        }
    }
    for (int i = 0; i < BLOCK; i++) {
        sums[at + i] = sum[i];
        sizes[at + i] = size[i];
    }
}

/* One lane over the innermost axis. */
static void add_any(const factor *a, const factor *b, int64_t terms, int at, double *sums,
                    double *sizes)
{
    const float *x = a->data + a->base[at] + a->shift;
    const float *y = b->data + b->base[at] + b->shift;
    double sum = sums[at], size = sizes[at];

    for (int64_t k = 0; k < terms; k++, x += a->step, y += b->step) {
        double product = (double)*x * (double)*y;

        sum += product;
        size += fabs(product);
    }
    sums[at] = sum;
    sizes[at] = size;
}

static bool step(const opevo_definition *definition, int64_t *axes, int end)
{
    for (int a = end - 1; a >= definition->spatial; a--) {
        if (++axes[a] < definition->axis[a].extent)
            return true;
        axes[a] = 0;
    }
    return false;
}

bool opevo_i_reference_machine_products(opevo_i_reference_machine *self, int count, double *sums,
                                        double *sizes)
{
    const opevo_i_reference_program *program = self->program;
    const opevo_definition *definition = program->definition;
    const opevo_i_reference_code *reads = program->codes;
    const opevo_i_reference_linear *linears = program->linears;
    int last = definition->axes - 1;
    bool divided = divides(program, &linears[reads[0].linear], last) ||
                   divides(program, &linears[reads[1].linear], last);
    int64_t terms = divided ? 1 : definition->axis[last].extent;
    factor a = factor_of(self, &reads[0], count), b = factor_of(self, &reads[1], count);

    if (self->is_mixed[reads[0].linear] || self->is_mixed[reads[1].linear])
        return false;
    for (int i = 0; i < count; i++)
        sums[i] = sizes[i] = 0;
    do {
        const factor *one = a.uniform ? &a : &b, *other = a.uniform ? &b : &a;
        int at = 0;

        opevo_i_reference_machine_set_shift(self);
        a.shift = self->shift[reads[0].linear];
        b.shift = self->shift[reads[1].linear];
        for (; one->uniform && other->dense && at + BLOCK <= count; at += BLOCK)
            add_dense(one, other, terms, at, sums, sizes);
        for (; at < count; at++)
            add_any(&a, &b, terms, at, sums, sizes);
    } while (step(definition, self->outer, divided ? last + 1 : last));
    return true;
}

double opevo_i_reference_products_error(double size, int64_t terms)
{
    double flushed = size < (double)terms * 0x1p-40 ? (double)terms * 0x1p-126 : 0;

    return size <= (double)FLT_MAX ? OPEVO_I_ROUNDING * size + flushed : INFINITY;
}
