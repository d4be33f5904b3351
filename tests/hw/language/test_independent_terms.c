/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The bounds that kernels are checked by: sums in single precision, in any of several orders, stay
 * within them whatever the terms are, and sums without one of their terms do not where terms are
 * drawn one by one. */

#include "computations.h"

#include "draw.h"

#include <opevo/computation_named.h>
#include <opevo/computation_reference.h>

#include <math.h>

enum { TENSORS = 8, ORDERS = 6 };

typedef struct summed {
    opevo_computation *computation;
    const opevo_tensor *last; /* the output, a sum */
    float *input[TENSORS], *output;
    double *bound, *certain;
    double **value; /* of all tensors */
    float *term;
    size_t count, terms;
} summed;

static void compute(summed *self)
{
    const void *const *inputs = (const void *const *)self->input;
    void *outputs[] = {self->output};

    CHECK_OK(
        opevo_computation_compute(self->computation, inputs, outputs, &self->certain, 1, &err));
    CHECK_OK(opevo_computation_expect(self->computation, inputs, outputs, &self->bound, 1, &err));
}

/* Inputs are on [-1, 1), or on [1/2, 3/2). */
static summed start(const char *text, bool positive)
{
    summed self = {.terms = 1};
    uint64_t state = 1;
    int inputs = 0;

    CHECK_OK(opevo_computation_read(text, &self.computation, &err));
    for (int i = 0; i < self.computation->tensors; i++) {
        const opevo_tensor *tensor = self.computation->tensor[i];
        size_t count = (size_t)opevo_tensor_elements(tensor);

        self.last = tensor;
        self.count = count;
        if (tensor->definition)
            continue;
        assert_true(inputs < TENSORS);
        self.input[inputs] = calloc(count, sizeof(float));
        for (size_t e = 0; e < count; e++)
            self.input[inputs][e] =
                (float)((double)draw(&state, 1 << 24) * 0x1p-24 * (positive ? 1 : 2) +
                        (positive ? 0.5 : -1));
        inputs++;
    }
    for (int a = self.last->definition->spatial; a < self.last->definition->axes; a++)
        self.terms *= (size_t)self.last->definition->axis[a].extent;
    self.output = calloc(self.count, sizeof(float));
    self.bound = calloc(self.count, sizeof(double));
    self.certain = calloc(self.count, sizeof(double));
    self.term = calloc(self.terms, sizeof(float));
    compute(&self);
    self.value = evaluate_computation(self.computation, self.input);
    return self;
}

static void finish(summed *self)
{
    free_values(self->computation, self->value);
    for (int i = 0; i < TENSORS; i++)
        free(self->input[i]);
    free(self->output);
    free(self->bound);
    free(self->certain);
    free(self->term);
    opevo_computation_destroy(self->computation);
}

/* The terms of an element, each rounded once. */
static void take_terms(summed *self, size_t element)
{
    const opevo_definition *definition = self->last->definition;
    int64_t point[OPEVO_COMPUTATION_AXES] = {0};
    evaluator values = {self->value, 0};
    size_t n = 0;

    for (int a = definition->spatial - 1; a >= 0; a--) {
        point[a] = (int64_t)element % definition->axis[a].extent;
        element /= (size_t)definition->axis[a].extent;
    }
    do
        self->term[n++] = (float)expression_at(&values, definition->value, point);
    while (step_axes(definition, definition->spatial, point));
}

static int compare_sizes(const void *a, const void *b)
{
    float x = fabsf(*(const float *)a), y = fabsf(*(const float *)b);

    return (x > y) - (x < y);
}

static float add_pairwise(const float *term, size_t count)
{
    return count == 1
               ? term[0]
               : add_pairwise(term, count / 2) + add_pairwise(term + count / 2, count - count / 2);
}

static float add_in_lanes(const float *term, size_t count)
{
    float lane[16] = {0}, sum = 0;

    for (size_t i = 0; i < count; i++)
        lane[i % 16] += term[i];
    for (size_t i = 0; i < 16; i++)
        sum += lane[i];
    return sum;
}

/* The last two orders sort the terms. */
static float add_in_order(float *term, size_t count, int order)
{
    bool reverse = order % 2 == 1;
    float sum = 0;

    if (order == 2)
        return add_pairwise(term, count);
    if (order == 3)
        return add_in_lanes(term, count);
    if (order > 3)
        qsort(term, count, sizeof *term, compare_sizes);
    for (size_t i = 0; i < count; i++)
        sum += term[reverse ? count - 1 - i : i];
    return sum;
}

static void check_orders(const char *text, bool positive)
{
    summed self = start(text, positive);

    for (size_t e = 0; e < self.count; e++) {
        take_terms(&self, e);
        for (int order = 0; order < ORDERS; order++) {
            double sum = (double)add_in_order(self.term, self.terms, order);
            double error = fabs(sum - (double)self.output[e]);

            if (!(error <= self.bound[e]))
                fail_msg("%s: order %d is off by %g, allowed are %g, for certain %g", text, order,
                         error, self.bound[e], self.certain[e]);
        }
    }
    finish(&self);
}

/* Equal terms, and terms that are lost in a large sum, for which no statistics hold. */
CHECK_TEST(test_any_terms)
{
    static const char *const texts[] = {
        "C[i:16] = sum(k:4096) A[i]",
        "C[] = sum(k:50000) 0.1",
        "C[] = sum(k:5000) (3*k + 1)",
        "C[i:16] = sum(k:4096, l:3) A[i, l]",
        "C[] = sum(k:8192) A[k//512]",
        "C[] = sum(k:8192) A[k%16]",
        "C[] = sum(k:4096) A[64*(k//64)]",
        "C[] = sum(k:8192) A[k]*A[8191 - k]",
        "P[k:8192] = A[k//4096]; C[] = sum(k) P[k]",
        "P[k:8192] = A[k//4096]; C[i:4] = sum(k) P[k]*B[i]",
        "C[i:4] = sum(k:60000) (1003 + A[i, k])",
        "C[i:4] = sum(k:60000) (B[i] + 0.001*A[k])",
        "C[i:4] = sum(k:4096) select(k == 0, 100000000, A[i, k])",
        "C[i:4] = sum(k:4096) select(k%64 == 0, 1, 0.000001)*A[i, k]",
        "D[k:4096] = select(k%64 == 0, B[k], 0.000001*B[k]); C[i:4] = sum(k) D[k]*A[i, k]",
        "D[k:4096] = exp(20*B[k] - 20); C[i:4] = sum(k) D[k]*A[i, k]",
        "M[k:4096] = max(w:64) A[k + w]; C[] = sum(k) M[k]",
        "C[i:4] = sum(k:70000) exp(A[i, k])",
        "C[i:4] = sum(k:20000) A[i, k]/B[k]",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        check_orders(texts[i], true);
        check_orders(texts[i], false);
    }
}

/* Sums of products of elements that are drawn one by one. */
static const char *const drawn[] = {
    "C[i:16] = sum(k:4096) A[i, k]",
    "C[i:8, j:9] = sum(k:2000) A[i, k]*B[k, j]",
    "C[i:4, j:3] = sum(k:5000) 0.5*A[k, i]*B[j, k]",
    "P[c:16, h:9, w:9] = select(1 <= h and h < 8 and 1 <= w and w < 8, X[c, h - 1, w - 1], 0); "
    "C[f:3, y:7, x:7] = sum(c:16, r:3, s:3) P[c, y + r, x + s]*W[f, c, r, s]",
    "C[y:5, x:5] = sum(r:40, s:40) X[2*y + r, x + s]",
    "T[k:900, j:5] = A[j, k]; C[i:4, j] = sum(k) T[k, j]*B[i, k]",
    "H[i:4, k:700] = sum(l:20) A[i, l]*B[l, k]; R[i, k] = max(H[i, k] + b[k], 0); "
    "C[i, j:3] = sum(k) R[i, k]*D[k, j]",
    "C[i:6] = sum(k:3000) A[i, k]*A[i, k]",
};

CHECK_TEST(test_drawn_terms)
{
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++) {
        check_orders(drawn[i], true);
        check_orders(drawn[i], false);
    }
    check_orders("C[] = sum(k:100000) A[k]", true);
}

/* A term of usual size that is missing or there twice is found in each element. */
CHECK_TEST(test_missing_terms)
{
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++) {
        summed self = start(drawn[i], i % 2);

        for (size_t e = 0; e < self.count; e++) {
            double size = 0;

            take_terms(&self, e);
            for (size_t k = 0; k < self.terms; k++)
                size += fabs((double)self.term[k]) / (double)self.terms;
            if (size < 2 * self.bound[e])
                fail_msg("%s: terms of size %g may be off by %g", drawn[i], size, self.bound[e]);
            assert_true(self.bound[e] <= self.certain[e]);
        }
        finish(&self);
    }
}
