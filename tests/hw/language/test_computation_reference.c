/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The interpreter of computations against opevo_reference_compute, an independent evaluator, closed
 * forms and naive loops; its bounds against evaluations in single precision whose sums are in
 * random orders, and against opevo_reference_bound. */

#include "check.h"
#include "computations.h"
#include "single_evaluator.h"

#include <opevo/computation_named.h>
#include <opevo/computation_reference.h>
#include <opevo/memory.h>
#include <opevo/reference.h>

enum { MOST_OPERANDS = 8 };

/* Operands of a computation: inputs are random. */
typedef struct fixture {
    opevo_computation *computation;
    int inputs, outputs;
    float *input[MOST_OPERANDS], *output[MOST_OPERANDS];
    double *bound[MOST_OPERANDS];
    size_t count[MOST_OPERANDS]; /* elements of each output */
} fixture;

static void start(opevo_computation *computation, uint64_t seed, fixture *out)
{
    *out = (fixture){.computation = computation};
    for (int i = 0; i < computation->tensors; i++) {
        const opevo_tensor *tensor = computation->tensor[i];
        size_t count = (size_t)opevo_tensor_elements(tensor);

        if (!tensor->definition) {
            float *data = calloc(count, sizeof *data);

            for (size_t e = 0; e < count; e++)
                data[e] = (float)(2 * uniform(&seed) - 1);
            assert_true(out->inputs < MOST_OPERANDS);
            out->input[out->inputs++] = data;
        } else if (tensor->role == OPEVO_ROLE_OUTPUT) {
            assert_true(out->outputs < MOST_OPERANDS);
            out->count[out->outputs] = count;
            out->bound[out->outputs] = calloc(count, sizeof(double));
            out->output[out->outputs++] = calloc(count, sizeof(float));
        }
    }
}

static void start_text(const char *text, uint64_t seed, fixture *out)
{
    opevo_computation *computation = NULL;

    CHECK_OK(opevo_computation_read(text, &computation, &err));
    start(computation, seed, out);
}

static void compute(fixture *self, unsigned threads)
{
    CHECK_OK(opevo_computation_compute(self->computation, (const void *const *)self->input,
                                       (void *const *)self->output, self->bound, threads, &err));
}

static void finish(fixture *self)
{
    for (int i = 0; i < MOST_OPERANDS; i++) {
        free(self->input[i]);
        free(self->output[i]);
        free(self->bound[i]);
    }
    opevo_computation_destroy(self->computation);
}

/* ---- Operators ---- */

static void check_operator(const char *text)
{
    opevo_operator op;
    fixture self;
    float *expected[MOST_OPERANDS] = {0};
    double *magnitude[MOST_OPERANDS] = {0};

    CHECK_OK(opevo_operator_parse(text, &op, &err));
    start_text(text, 7, &self);
    compute(&self, 2);
    for (int o = 0; o < self.outputs; o++) {
        expected[o] = calloc(self.count[o], sizeof **expected);
        magnitude[o] = calloc(self.count[o], sizeof **magnitude);
    }
    opevo_reference_compute(&op, (const float *const *)self.input, expected, magnitude);
    for (int o = 0; o < self.outputs; o++) {
        assert_memory_equal(self.output[o], expected[o], self.count[o] * sizeof(float));
        for (size_t e = 0; e < self.count[o]; e++) {
            double known = opevo_reference_bound(&op, o, magnitude[o][e]);

            /* The rounding of the reference is known here, so that one less is counted. */
            assert_true(self.bound[o][e] <= known * 1.001 + 1e-37);
            assert_true(self.bound[o][e] >= known * 0.999 *
                                                (opevo_reference_roundings(&op, o) /
                                                 (opevo_reference_roundings(&op, o) + 1)));
        }
        free(expected[o]);
        free(magnitude[o]);
    }
    finish(&self);
}

CHECK_TEST(test_agrees_with_operators)
{
    check_operator("matmul(37,129,51)");
    check_operator("matmul(3,700,5,TT)"); /* few elements, long sums */
    check_operator("matmul(1,70000,1)");
    check_operator("batch_matmul(3,17,33,9,NT)");
    check_operator("batch_matmul(3,17,33,9,TN)");
    check_operator("conv2d(2,5,9,11,7,3,3,2,1)");
    check_operator("conv2d(1,5,9,11,7,1,1,1,0)");
    check_operator("contraction(i=12,j=9,k=32;A[ik],const B[kj],S[j];D[ij]=A*B*S)");
    check_operator("contraction(i=24,j=4,k=32;A[ik],B[kj];C[ij]=A*B,R[i]=A)");
}

/* ---- Named computations ---- */

CHECK_TEST(test_rows_of_softmax_sum_to_1)
{
    fixture self;

    start_text("softmax(13,157)", 3, &self);
    compute(&self, 0);
    for (int i = 0; i < 13; i++) {
        double sum = 0, bound = 0;

        for (int j = 0; j < 157; j++) {
            sum += (double)self.output[0][i * 157 + j];
            bound += self.bound[0][i * 157 + j];
        }
        CHECK_CLOSE(sum, 1, 157 * 0x1p-30);
        assert_true(bound > 0 && bound < 1e-4);
    }
    finish(&self);
}

CHECK_TEST(test_layer_norm_has_moments)
{
    fixture self;

    start_text("layer-norm(5,300)", 4, &self);
    for (int j = 0; j < 300; j++) {
        self.input[1][j] = 2;
        self.input[2][j] = 3;
    }
    compute(&self, 0);
    for (int i = 0; i < 5; i++) {
        double mean = 0, square = 0;

        for (int j = 0; j < 300; j++) {
            double y = (double)self.output[0][i * 300 + j];

            mean += y / 300;
            square += y * y / 300;
        }
        CHECK_CLOSE(mean, 3, 1e-6);
        CHECK_CLOSE(square - mean * mean, 4, 1e-3);
    }
    finish(&self);
}

/* One row of attention. */
static void attend(const float *q, const float *k, const float *v, int sequence, int size,
                   double *out)
{
    double weights[64], sum = 0, most = -INFINITY;

    for (int j = 0; j < sequence; j++) {
        weights[j] = 0;
        for (int d = 0; d < size; d++)
            weights[j] += (double)q[d] * (double)k[j * size + d] / sqrt(size);
        most = fmax(most, weights[j]);
    }
    for (int j = 0; j < sequence; j++) {
        weights[j] = exp(weights[j] - most);
        sum += weights[j];
    }
    for (int d = 0; d < size; d++) {
        out[d] = 0;
        for (int j = 0; j < sequence; j++)
            out[d] += weights[j] / sum * (double)v[j * size + d];
    }
}

CHECK_TEST(test_attention_is_right)
{
    enum { HEADS = 6, SEQUENCE = 21, SIZE = 8, HEAD = SEQUENCE * SIZE };
    fixture self;

    start_text("attention(2,3,21,8)", 5, &self);
    compute(&self, 0);
    for (int h = 0; h < HEADS; h++) {
        for (int i = 0; i < SEQUENCE; i++) {
            double row[SIZE];

            attend(self.input[0] + h * HEAD + i * SIZE, self.input[1] + h * HEAD,
                   self.input[2] + h * HEAD, SEQUENCE, SIZE, row);
            for (int d = 0; d < SIZE; d++)
                CHECK_CLOSE((double)self.output[0][h * HEAD + i * SIZE + d], row[d], 1e-7);
        }
    }
    finish(&self);
}

/* Scattering: O[2 i + r - 1] += I[i] W[r]. */
CHECK_TEST(test_transposed_convolution_scatters)
{
    enum { H = 3, CI = 2, CO = 3, OH = 6 };
    double expected[OH][OH][CO] = {{{0}}};
    fixture self;

    start_text("t2d(1,3,3,2,3,4,2,1)", 6, &self);
    compute(&self, 0);
    assert_int_equal(self.count[0], OH * OH * CO);
    for (int n = 0; n < H * H * 16 * CI * CO; n++) {
        int f = n % CO, c = n / CO % CI, s = n / CO / CI % 4, r = n / CO / CI / 4 % 4;
        int x = n / CO / CI / 16 % H, y = n / CO / CI / 16 / H;
        int h = 2 * y + r - 1, w = 2 * x + s - 1;

        if (h >= 0 && h < OH && w >= 0 && w < OH)
            expected[h][w][f] += (double)self.input[0][(y * H + x) * CI + c] *
                                 (double)self.input[1][((r * 4 + s) * CI + c) * CO + f];
    }
    for (int e = 0; e < OH * OH * CO; e++)
        CHECK_CLOSE((double)self.output[0][e], (&expected[0][0][0])[e], 1e-6);
    finish(&self);
}

/* A channels-last convolution is the operator's with its operands transposed. */
CHECK_TEST(test_convolution_agrees_with_operator)
{
    enum { N = 2, H = 9, W = 8, CI = 3, CO = 4, K = 3, OH = 5, OW = 4 };
    opevo_operator op;
    fixture self;
    float image[N * CI * H * W], kernel[CO * CI * K * K], out[N * CO * OH * OW];
    const float *inputs[] = {image, kernel};
    float *outputs[] = {out};

    start_text("c2d(2,9,8,3,4,3,2,1)", 8, &self);
    compute(&self, 0);
    for (int e = 0; e < N * H * W * CI; e++)
        image[(e / (H * W * CI) * CI + e % CI) * H * W + e / CI % (H * W)] = self.input[0][e];
    for (int e = 0; e < K * K * CI * CO; e++)
        kernel[(e % CO * CI + e / CO % CI) * K * K + e / CO / CI] = self.input[1][e];
    CHECK_OK(opevo_operator_parse("conv2d(2,3,9,8,4,3,3,2,1)", &op, &err));
    opevo_reference_compute(&op, inputs, outputs, NULL);
    for (int e = 0; e < N * OH * OW * CO; e++)
        CHECK_CLOSE((double)self.output[0][e],
                    (double)out[(e / (OH * OW * CO) * CO + e % CO) * OH * OW + e / CO % (OH * OW)],
                    1e-6);
    finish(&self);
}

/* ---- Random computations ---- */

static double **evaluate_all_single(const fixture *self, uint64_t seed)
{
    const opevo_computation *computation = self->computation;
    double **values = calloc((size_t)computation->tensors, sizeof *values);
    evaluator single = {values, 0};
    int input = 0;

    for (int i = 0; i < computation->tensors; i++) {
        const opevo_tensor *tensor = computation->tensor[i];
        size_t count = (size_t)opevo_tensor_elements(tensor);
        int64_t point[OPEVO_COMPUTATION_AXES] = {0};

        values[i] = calloc(count, sizeof **values);
        for (size_t e = 0; e < count; e++) {
            int64_t rest = (int64_t)e;

            for (int d = tensor->dims - 1; d >= 0; d--) {
                point[d] = rest % tensor->extent[d];
                rest /= tensor->extent[d];
            }
            values[i][e] = tensor->definition
                               ? element_single(&single, tensor->definition, point, &seed)
                               : (double)self->input[input][e];
        }
        input += !tensor->definition;
    }
    return values;
}

/* The outputs of `values` against those computed: within the bounds, or within `relative`. Returns
 * the largest share of a bound that was reached. */
static double check_values(const fixture *self, double *const *values, bool bounded)
{
    double most = 0;
    int output = 0;

    for (int i = 0; i < self->computation->tensors; i++) {
        const opevo_tensor *tensor = self->computation->tensor[i];

        if (tensor->role != OPEVO_ROLE_OUTPUT)
            continue;
        for (size_t e = 0; e < self->count[output]; e++) {
            double is = (double)self->output[output][e];
            double bound = bounded ? self->bound[output][e] : fabs(values[i][e]) * 0x1p-24 + 1e-12;

            most = fmax(most, share_of_bound(self->computation, i, e, is, values[i][e], bound));
        }
        output++;
    }
    return most;
}

CHECK_TEST(test_random_computations)
{
    int checked = 0;
    double most = 0;

    for (uint64_t seed = 0; seed < 2500; seed++) {
        opevo_text text = {0};
        opevo_computation *made = NULL;

        write_computation(seed, 5, &text);
        if (opevo_computation_parse(opevo_text_string(&text), "random", NULL, 0, &made, NULL) ==
            OPEVO_OK) {
            fixture self;
            double **values = NULL;

            start(made, seed, &self);
            compute(&self, 1 + (unsigned)(seed % 3));
            values = evaluate_computation(made, self.input);
            check_values(&self, values, false);
            free_values(made, values);
            for (uint64_t order = 0; order < 3; order++) {
                values = evaluate_all_single(&self, seed * 17 + order);
                most = fmax(most, check_values(&self, values, true));
                free_values(made, values);
            }
            finish(&self);
            checked++;
        }
        opevo_text_free(&text);
    }
    assert_true(checked > 500);
    assert_true(most > 0.3); /* bounds are not loose everywhere */
}

/* The bounds that hold in any order, or those that kernels are checked by. */
static void check_orders_within(const char *text, bool likely)
{
    fixture self;

    start_text(text, 11, &self);
    if (likely)
        CHECK_OK(opevo_computation_expect(self.computation, (const void *const *)self.input,
                                          (void *const *)self.output, self.bound, 0, &err));
    else
        compute(&self, 0);
    for (uint64_t order = 0; order < 10; order++) {
        double **values = evaluate_all_single(&self, order);

        check_values(&self, values, true);
        free_values(self.computation, values);
    }
    for (int o = 0; o < self.outputs; o++) {
        for (size_t e = 0; e < self.count[o]; e++)
            assert_true(self.bound[o][e] < 1e-2);
    }
    finish(&self);
}

static void check_orders(const char *text)
{
    check_orders_within(text, false);
    check_orders_within(text, true);
}

/* Likely bounds are 4 sqrt(n - 1) u' of the sum of sizes instead of (n - 1) u', never more. */
CHECK_TEST(test_likely_bounds)
{
    static const int terms[] = {2, 17, 18, 1000, 100000};

    for (size_t t = 0; t < sizeof terms / sizeof *terms; t++) {
        char text[64];
        fixture self;
        double size = 0, certain = 0;

        snprintf(text, sizeof text, "S[] = sum(i:%d) X[i]", terms[t]);
        start_text(text, 4, &self);
        for (int i = 0; i < terms[t]; i++)
            size += fabs((double)self.input[0][i]);
        compute(&self, 0);
        certain = self.bound[0][0];
        CHECK_OK(opevo_computation_expect(self.computation, (const void *const *)self.input,
                                          (void *const *)self.output, self.bound, 0, &err));
        assert_true(self.bound[0][0] <= certain);
        CHECK_CLOSE(self.bound[0][0] / size, fmin(terms[t] - 1, 4 * sqrt(terms[t] - 1)) * 0x1p-24,
                    0x1.1p-24);
        finish(&self);
    }
}

/* Sums of products have a way of their own: every kind of index, blocks that are not full. */
CHECK_TEST(test_products)
{
    static const char *const texts[] = {
        "A[i:67, k:9]; B[k, j:21]; C[i, j] = sum(k) A[i, k]*B[k, j]",
        "A[k:9, i:67]; B[j:21, k]; C[i, j] = sum(k) A[k, i]*B[j, k]",
        "A[i:67, k:9]; C[i, j:67] = sum(k) A[i, k]*A[j, k]",
        "C[i:67, j:3] = sum(r:3, k:11) A[2*i + k//4, r]*B[j, (3*k + r)%7]",
        "C[i:90] = sum(k:6, r:5) A[i//7 + k]*B[(i + 2*r)%13]",
        "C[i:90, j:2] = sum(k:6) A[(i + k)//3, j]*B[i%4, k]",
        "P[i:9, j:9] = select(1 <= i, X[i - 1, j], 0); C[h:7, w:7] = sum(r:3) P[h + r, w]*W[r]",
        "C[i:70] = sum(k:5) A[i]*A[i]",
        "C[i:70] = sum(k:5) 1e-30*A[i]*B[k]; D[i] = sum(q:7) C[i]*E[q]",
    };

    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        fixture self;
        double **values = NULL;

        start_text(texts[t], t, &self);
        compute(&self, 2);
        values = evaluate_computation(self.computation, self.input);
        check_values(&self, values, false);
        free_values(self.computation, values);
        for (uint64_t order = 0; order < 5; order++) {
            values = evaluate_all_single(&self, order);
            check_values(&self, values, true);
            free_values(self.computation, values);
        }
        finish(&self);
    }
}

CHECK_TEST(test_bounds_hold_in_any_order)
{
    check_orders("matmul(7,300,5)");
    check_orders("softmax(5,200)");
    check_orders("layer-norm(5,200)");
    check_orders("attention(1,2,30,8)");
    check_orders("nrm(2,30,40)");
    check_orders("conv-layer(1,6,6,8,4,3,1,1)");
    check_orders("t2d(1,4,4,8,3,4,2,1)");
    /* Far out, where functions are flat. */
    check_orders("X[i:40, j:20]; S[i] = sum(j) X[i, j]; T[i] = sigmoid(9*S[i] - 60); U[i] = "
                 "tanh(9*S[i] - 60) + 1; V[i] = erf(2*S[i])");
    check_orders(
        "X[i:40, j:20]; S[i] = sum(j) X[i, j]; T[i] = select(S[i] < 0.001, -S[i], S[i] + 0)");
}

/* ---- What else holds ---- */

CHECK_TEST(test_results_do_not_depend_on_threads)
{
    static const char *const texts[] = {"matmul(130,70,65)", "nrm(2,300,700)",
                                        "conv-layer(1,9,9,5,7,3,1,1)", "softmax(3,70000)"};

    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        fixture one, many;

        start_text(texts[t], 2, &one);
        start_text(texts[t], 2, &many);
        compute(&one, 1);
        compute(&many, 7);
        for (int o = 0; o < one.outputs; o++) {
            assert_memory_equal(one.output[o], many.output[o], one.count[o] * sizeof(float));
            assert_memory_equal(one.bound[o], many.bound[o], one.count[o] * sizeof(double));
        }
        finish(&one);
        finish(&many);
    }
}

CHECK_TEST(test_bounds_are_infinite_where_there_are_none)
{
    fixture self;

    start_text(
        "A[i:3, j:4]; S[i] = sum(j) A[i, j] - A[i, j]; C[i] = 1/S[i]; D[i] = sqrt(S[i]); E[i] = "
        "A[i, 0]/0.5; F[i] = exp(200*(A[i, 0] + 9))",
        9, &self);
    compute(&self, 1);
    for (int i = 0; i < 3; i++) {
        assert_true(isinf(self.bound[0][i]));
        assert_true(self.bound[2][i] < 1e-6);
        assert_true(isinf(self.bound[3][i]));
    }
    finish(&self);
}

/* A masked element has an error of 10^22 and more before exp, which makes it 0. */
CHECK_TEST(test_bounds_of_masks_are_finite)
{
    static const char text[] =
        "X[i:9, j:9] = select(j <= i, A[i, j], -1e30); M[i] = max(j) X[i, j]; E[i, j] = exp(X[i, "
        "j] - M[i]); S[i] = sum(j) E[i, j]; Y[i, j] = E[i, j]/S[i]";
    fixture self;

    check_orders(text);
    start_text(text, 9, &self);
    compute(&self, 1);
    for (int e = 0; e < 81; e++)
        assert_true(self.bound[0][e] < (e % 9 > e / 9 ? 0x1p-126 : 1e-5));
    finish(&self);
}

/* The two sides of a jump: where single precision may take either, the bound reaches the other. */
CHECK_TEST(test_bounds_cross_conditions_on_values)
{
    fixture self;

    start_text(
        "A[i:3, j:8]; S[i] = sum(j) A[i, j]; T[i] = sum(j) A[i, 7 - j]; C[i] = select(S[i] < "
        "T[i], 0, 1); D[i] = select(S[i] < T[i] + 100, 2, 3)",
        9, &self);
    compute(&self, 1);
    for (int i = 0; i < 3; i++) {
        assert_true(self.bound[0][i] >= 1);
        assert_true(self.bound[1][i] == 0);
    }
    finish(&self);
}

CHECK_TEST(test_copies_are_exact)
{
    fixture self;

    start_text(
        "A[i:9]; P[j:11] = select(1 <= j and j < 10, A[j - 1], 0); M[] = max(j) -P[j]; C[j] = "
        "min(P[j], M[])",
        9, &self);
    compute(&self, 1);
    for (int j = 0; j < 11; j++)
        assert_true(self.bound[0][j] == 0);
    finish(&self);
}

CHECK_TEST(test_failing_allocations_leave_nothing)
{
    fixture self;
    int64_t live = 0;
    bool done = false;

    start_text("A[i:4, j:9]; B[i, j] = exp(A[i, (i + j)%9//2]); C[i] = sum(j) B[i, j]", 1, &self);
    live = opevo_memory_live();
    for (int64_t n = 1; !done; n++) {
        opevo_error err = {OPEVO_OK, ""};
        opevo_status status;

        opevo_memory_fail_at(n);
        status = opevo_computation_compute(self.computation, (const void *const *)self.input,
                                           (void *const *)self.output, self.bound, 2, &err);
        opevo_memory_fail_at(0);
        assert_true(status == OPEVO_OK || status == OPEVO_NOMEM);
        done = status == OPEVO_OK;
        assert_int_equal(opevo_memory_live(), live);
    }
    finish(&self);
}
