/* SPDX-License-Identifier: GPL-3.0-or-later */

/* NaN goes through max and min, of two values and of many: in the interpreter, and in kernels of
 * random points for CPUs and for emulated GPUs, as the definitions say it. */

#include "sketch_points.h"

#include "computations.h"

static const char *const texts[] = {
    "C[i:70] = max(A[i], 0)",
    "C[i:37] = max(0, A[i])",
    "C[i:37] = min(max(A[i], -0.5), 0.5)",
    "C[i:19] = min(A[i], i)",
    "C[i:130] = max(A[i], B[i])",
    "C[i:130] = min(B[i] + 1, A[i])",
    "C[i:13, j:18] = max(A[j, i], B[i, j])",
    "C[i:7] = max(j:70) A[i, j]",
    "C[j:37] = min(k:9) A[k, j]",
    "C[i:5, j:19] = max(r:3, s:3) A[2*i + r, j + s]",
    ("P[h:11, w:20] = select(1 <= h and h < 10 and 1 <= w and w < 19, A[h - 1, w - 1], -9); "
     "C[i:9, j:18] = max(r:3, s:3) P[i + r, j + s]"),
    "S[i:8, j:24] = sum(k:16) A[i, k]*B[k, j]; C[i, j] = max(S[i, j] + b[j], 0)",
    "C[] = max(k:300) A[k]",
};

/* Put NaN into some elements of the first input, and say what is right then. */
static void put_nan(pipeline_case *self, uint64_t seed)
{
    float *first = opevo_i_reference_floats(&self->memory[0]), *inputs[PIPELINE_OPERANDS];
    const void *given[PIPELINE_OPERANDS];
    double **values = NULL;

    for (size_t e = draw(&seed, self->count[0]); e < self->count[0]; e += 1 + draw(&seed, 60))
        first[e] = NAN;
    for (int i = 0; i < self->inputs; i++)
        given[i] = inputs[i] = opevo_i_reference_floats(&self->memory[i]);
    CHECK_OK(opevo_computation_compute(self->computation, given, &self->expected[self->inputs],
                                       &self->bound[self->inputs], 1, &err));
    values = evaluate_computation(self->computation, inputs);
    for (size_t e = 0; e < self->count[self->inputs]; e++) {
        double wanted = values[self->computation->tensors - 1][e];

        assert_int_equal(isnan(wanted),
                         isnan(case_value(self, self->inputs, self->expected[self->inputs], e)));
    }
    free_values(self->computation, values);
    self->has_nan = true;
}

static void check_text(const char *text, const opevo_sketch_target *target, uint64_t seed)
{
    pipeline_case operands = case_make(text, seed);
    opevo_computation *computation = NULL;
    opevo_kernel_maker *maker = NULL;
    drawn_counts counts = {0, 0};

    put_nan(&operands, seed);
    CHECK_OK(opevo_computation_read(text, &computation, &err));
    CHECK_OK(opevo_sketches_open(computation, target, &maker, &err));
    check_drawn_points(&operands, maker, draw_count(3), seed, &counts);
    assert_int_equal(counts.rejected, 0);
    maker->ops->destroy(maker);
    case_free(&operands);
}

CHECK_TEST(test_nan_goes_through)
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        check_text(texts[i], &drawn_targets[0], i);
        check_text(texts[i], &drawn_targets[2], i + 100);
    }
    batch_run();
}
