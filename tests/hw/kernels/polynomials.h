/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Polynomials with all their monomials as an arithmetic of the interpreter: what random evaluation
 * is compared with. A value is the number of a polynomial. */

#ifndef OPEVO_POLYNOMIALS_H
#define OPEVO_POLYNOMIALS_H

#include "check.h"

#include <opevo/memory.h>
#include <opevo/simt_values.h>

#include <stdlib.h>

/* A coefficient times up to four variables, whose numbers from 1 on are in ascending order from the
 * low 16 bits on. */
typedef struct monomial {
    uint64_t variables;
    double coefficient;
} monomial;

typedef struct polynomial {
    monomial *term; /* by ascending variables, without coefficients of 0 */
    size_t count;
} polynomial;

typedef struct polynomials {
    polynomial *item;
    size_t count, capacity;
} polynomials;

static inline opevo_simt_value polynomial_add(polynomials *self, monomial *term, size_t count)
{
    assert_true(
        opevo_reserve((void **)&self->item, &self->capacity, self->count + 1, sizeof *self->item));
    self->item[self->count] = (polynomial){term, count};
    return (opevo_simt_value){{self->count++, 0, 0}};
}

static inline int polynomial_order(const void *a, const void *b)
{
    uint64_t x = ((const monomial *)a)->variables, y = ((const monomial *)b)->variables;

    return (x > y) - (x < y);
}

/* A polynomial of terms in any order, which it takes over. */
static inline opevo_simt_value polynomial_of(polynomials *self, monomial *term, size_t count)
{
    size_t kept = 0;

    qsort(term, count, sizeof *term, polynomial_order);
    for (size_t i = 0; i < count; i++) {
        monomial one = term[i];

        while (i + 1 < count && term[i + 1].variables == one.variables)
            one.coefficient += term[++i].coefficient;
        if (one.coefficient != 0)
            term[kept++] = one;
    }
    return polynomial_add(self, term, kept);
}

static inline opevo_simt_value polynomial_number(polynomials *self, double value)
{
    monomial *term = opevo_calloc(1, sizeof *term);

    assert_non_null(term);
    term->coefficient = value;
    return polynomial_of(self, term, 1);
}

static inline opevo_simt_value polynomial_variable(polynomials *self, uint64_t number)
{
    opevo_simt_value one = polynomial_number(self, 1);

    self->item[one.word[0]].term->variables = number + 1;
    return one;
}

static inline uint64_t polynomial_merge(uint64_t a, uint64_t b)
{
    uint64_t out = 0;

    for (unsigned place = 0; a || b; place++) {
        uint64_t *from = b == 0 || (a && (a & 0xffff) < (b & 0xffff)) ? &a : &b;

        assert_true(place < 4);
        out |= (*from & 0xffff) << 16 * place;
        *from >>= 16;
    }
    return out;
}

static inline opevo_simt_value polynomial_sum(polynomials *self, opevo_simt_value a,
                                              opevo_simt_value b, double sign)
{
    polynomial x = self->item[a.word[0]], y = self->item[b.word[0]];
    monomial *term = opevo_calloc(x.count + y.count + 1, sizeof *term);

    assert_non_null(term);
    for (size_t i = 0; i < x.count; i++)
        term[i] = x.term[i];
    for (size_t i = 0; i < y.count; i++)
        term[x.count + i] = (monomial){y.term[i].variables, sign * y.term[i].coefficient};
    return polynomial_of(self, term, x.count + y.count);
}

static inline opevo_simt_value polynomial_product(polynomials *self, opevo_simt_value a,
                                                  opevo_simt_value b)
{
    polynomial x = self->item[a.word[0]], y = self->item[b.word[0]];
    monomial *term = opevo_calloc(x.count * y.count + 1, sizeof *term);

    assert_non_null(term);
    for (size_t i = 0; i < x.count; i++)
        for (size_t j = 0; j < y.count; j++)
            term[i * y.count + j] =
                (monomial){polynomial_merge(x.term[i].variables, y.term[j].variables),
                           x.term[i].coefficient * y.term[j].coefficient};
    return polynomial_of(self, term, x.count * y.count);
}

static inline bool polynomial_same(const polynomials *self, opevo_simt_value a, opevo_simt_value b)
{
    polynomial x = self->item[a.word[0]], y = self->item[b.word[0]];

    return x.count == y.count && memcmp(x.term, y.term, x.count * sizeof *x.term) == 0;
}

#define POLYNOMIAL_RUN(name, value)                                                                \
    static void polynomial_run_##name(const opevo_simt_arithmetic *arithmetic, uint32_t lanes,     \
                                      opevo_simt_value *to, const opevo_simt_value *a,             \
                                      const opevo_simt_value *b, const opevo_simt_value *c)        \
    {                                                                                              \
        polynomials *self = arithmetic->context;                                                   \
                                                                                                   \
        for (unsigned i = 0; i < 32; i++)                                                          \
            if (lanes >> i & 1)                                                                    \
                to[i] = (value);                                                                   \
    }
POLYNOMIAL_RUN(add, polynomial_sum(self, a[i], b[i], 1))
POLYNOMIAL_RUN(subtract, polynomial_sum(self, a[i], b[i], -1))
POLYNOMIAL_RUN(multiply, polynomial_product(self, a[i], b[i]))
POLYNOMIAL_RUN(negate, polynomial_sum(self, polynomial_number(self, 0), a[i], -1))
POLYNOMIAL_RUN(fma, polynomial_sum(self, polynomial_product(self, a[i], b[i]), c[i], 1))

static opevo_simt_value polynomial_float(const opevo_simt_arithmetic *arithmetic, double value,
                                         unsigned bytes)
{
    return polynomial_number(arithmetic->context, value);
}

static inline opevo_simt_arithmetic polynomial_arithmetic(polynomials *self)
{
    opevo_simt_arithmetic out = {
        .name = "polynomials", .context = self, .number = polynomial_float};

    out.operation[OPEVO_SIMT_VALUE_ADD] = polynomial_run_add;
    out.operation[OPEVO_SIMT_VALUE_SUBTRACT] = polynomial_run_subtract;
    out.operation[OPEVO_SIMT_VALUE_MULTIPLY] = polynomial_run_multiply;
    out.operation[OPEVO_SIMT_VALUE_NEGATE] = polynomial_run_negate;
    out.operation[OPEVO_SIMT_VALUE_FMA] = polynomial_run_fma;
    return out;
}

static inline void polynomials_free(polynomials *self)
{
    for (size_t i = 0; i < self->count; i++)
        opevo_free(self->item[i].term);
    opevo_free(self->item);
}

#endif
