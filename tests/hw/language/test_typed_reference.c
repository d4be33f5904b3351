/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Computations of all types: results by definitions that the test walks by itself, checks of
 * kernels' results, and random operands. */

#include "operands_fixture.h"
#include "single_evaluator.h"

#include <opevo/computation_reference.h>
#include <opevo/memory.h>

enum { MOST_OPERANDS = 16 };

typedef struct fixture {
    opevo_computation *computation;
    int inputs, outputs;
    void *input[MOST_OPERANDS], *output[MOST_OPERANDS];
    double *bound[MOST_OPERANDS];
} fixture;

static double draw_value(opevo_element element, uint64_t *seed)
{
    double value = 2 * uniform(seed) - 1;

    return element == OPEVO_INT8 ? floor(value * 128)
           : element == OPEVO_INT32
               ? floor(uniform(seed) < 0.5 ? value * 1000 : value * OPEVO_INT32_INPUT)
               : value;
}

static fixture start(opevo_computation *computation, uint64_t seed)
{
    fixture self = {.computation = computation};

    for (int i = 0; i < computation->tensors; i++) {
        const opevo_tensor *tensor = computation->tensor[i];
        size_t count = (size_t)opevo_tensor_elements(tensor);
        void *data = NULL;

        if (tensor->role == OPEVO_ROLE_INTERMEDIATE)
            continue;
        data = calloc(count, (size_t)opevo_element_bytes(tensor->element));
        if (tensor->definition) {
            self.bound[self.outputs] = calloc(count, sizeof(double));
            self.output[self.outputs++] = data;
            continue;
        }
        for (size_t e = 0; e < count; e++)
            opevo_element_put(tensor->element, data, e, draw_value(tensor->element, &seed));
        self.input[self.inputs++] = data;
    }
    return self;
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

/* All values in double precision; or, where `single`, as a kernel may compute them, values of
 * narrow types rounded at random where they are stored or not, those of outputs always. */
static double **evaluate(const fixture *self, bool single, uint64_t seed)
{
    const opevo_computation *computation = self->computation;
    double **values = calloc((size_t)computation->tensors, sizeof *values);
    evaluator of = {values, 0};
    int input = 0;

    for (int i = 0; i < computation->tensors; i++) {
        const opevo_tensor *tensor = computation->tensor[i];
        opevo_element element = tensor->element;
        size_t count = (size_t)opevo_tensor_elements(tensor);
        int64_t point[OPEVO_COMPUTATION_AXES] = {0};
        bool rounds = tensor->role == OPEVO_ROLE_OUTPUT || uniform(&seed) < 0.5;

        values[i] = calloc(count, sizeof **values);
        for (size_t e = 0; e < count; e++) {
            int64_t rest = (int64_t)e;

            for (int d = tensor->dims - 1; d >= 0; d--) {
                point[d] = rest % tensor->extent[d];
                rest /= tensor->extent[d];
            }
            if (!tensor->definition)
                values[i][e] = opevo_element_get(element, self->input[input], e);
            else if (single && !opevo_element_is_whole(element))
                values[i][e] = element_single(&of, tensor->definition, point, &seed);
            else
                values[i][e] = element_at(&of, tensor->definition, point);
            if (single && rounds)
                values[i][e] = opevo_element_nearest(element, values[i][e]);
        }
        input += !tensor->definition;
    }
    return values;
}

/* The largest share of a bound that was reached. */
static double check_values(const fixture *self, double *const *values, bool bounded)
{
    double most = 0;
    int output = 0;

    for (int i = 0; i < self->computation->tensors; i++) {
        const opevo_tensor *tensor = self->computation->tensor[i];

        if (tensor->role != OPEVO_ROLE_OUTPUT)
            continue;
        for (size_t e = 0; e < (size_t)opevo_tensor_elements(tensor); e++) {
            double is = opevo_element_get(tensor->element, self->output[output], e);
            double right = values[i][e];
            double bound = bounded ? self->bound[output][e]
                                   : opevo_element_rounding(tensor->element, fabs(right)) +
                                         1e-12 * (1 + fabs(right));

            if (opevo_element_is_whole(tensor->element))
                assert_true(is == right && self->bound[output][e] == 0);
            most = fmax(most, share_of_bound(self->computation, i, e, is, right, bound));
        }
        output++;
    }
    return most;
}

static void free_all(const fixture *self, double **values)
{
    for (int i = 0; i < self->computation->tensors; i++)
        free(values[i]);
    free(values);
}

static void compute(fixture *self, unsigned threads)
{
    CHECK_OK(opevo_computation_compute(self->computation, (const void *const *)self->input,
                                       self->output, self->bound, threads, &err));
}

CHECK_TEST(test_random_computations)
{
    int checked[OPEVO_INT32 + 1] = {0};
    double most = 0;

    for (uint64_t seed = 0; seed < 4000; seed++) {
        opevo_text text = {0};
        opevo_computation *made = NULL;

        write_typed_computation(seed, 5, &text);
        if (opevo_computation_parse(opevo_text_string(&text), "random", NULL, 0, &made, NULL) ==
            OPEVO_OK) {
            fixture self = start(made, seed);
            double **values = NULL;

            compute(&self, 1 + (unsigned)(seed % 3));
            values = evaluate(&self, false, 0);
            check_values(&self, values, false);
            free_all(&self, values);
            for (uint64_t order = 0; order < 3; order++) {
                values = evaluate(&self, true, seed * 17 + order);
                most = fmax(most, check_values(&self, values, true));
                free_all(&self, values);
            }
            for (int i = 0; i < made->tensors; i++)
                checked[made->tensor[i]->element] += made->tensor[i]->definition != NULL;
            finish(&self);
        }
        opevo_text_free(&text);
    }
    for (int e = 0; e <= OPEVO_INT32; e++)
        assert_true(checked[e] > 200);
    assert_true(most > 0.9); /* half a unit in the last place is reached */
}

/* A product of matrices, whose terms the test adds up: exact in int32, and rounded once to the
 * others. */
static void check_product(const char *a, const char *b, const char *c)
{
    enum { M = 5, N = 70, K = 33 };
    opevo_text text = {0};
    opevo_computation *made = NULL;
    const opevo_tensor *left = NULL, *right = NULL, *out = NULL;
    fixture self;

    opevo_text_printf(&text, "%s A[i:5, k:33]; %s B[k, j:70]; %s C[i, j] = sum(k) A[i, k]*B[k, j]",
                      a, b, c);
    CHECK_OK(opevo_computation_parse(opevo_text_string(&text), "test", NULL, 0, &made, &err));
    opevo_text_free(&text);
    left = opevo_computation_find(made, "A");
    right = opevo_computation_find(made, "B");
    out = opevo_computation_find(made, "C");
    self = start(made, 3);
    compute(&self, 0);
    for (int e = 0; e < M * N; e++) {
        double sum = 0, size = 0;

        for (int k = 0; k < K; k++) {
            double term =
                opevo_element_get(left->element, self.input[0], (size_t)e / N * K + (size_t)k) *
                opevo_element_get(right->element, self.input[1], (size_t)k * N + (size_t)e % N);

            sum += term;
            size += fabs(term);
        }
        assert_true(opevo_element_get(out->element, self.output[0], (size_t)e) ==
                    opevo_element_nearest(out->element, sum));
        /* A value that is summed right and rounded up or down in the wrong way is beyond the
         * bound. */
        if (out->element == OPEVO_FLOAT16)
            assert_true(self.bound[0][e] <
                        2 * opevo_element_rounding(out->element, fabs(sum)) + 32 * 0x1p-23 * size);
    }
    finish(&self);
}

CHECK_TEST(test_products)
{
    check_product("int8", "int8", "int32");
    check_product("int8", "int8", "float32");
    check_product("float16", "float16", "float16");
    check_product("float16", "float16", "float32");
    check_product("bfloat16", "bfloat16", "bfloat16");
    check_product("bfloat16", "int8", "float16");
}

/* Copies between types that hold each other are exact, so that nothing but themselves is right. */
CHECK_TEST(test_copies_are_exact)
{
    opevo_computation *made = NULL;
    fixture self;

    CHECK_OK(
        opevo_computation_parse("int8 A[i:64]; float16 B[i]; bfloat16 C[i] = A[i]; output float16 "
                                "D[i] = max(-B[i], 0.25); E[i] = D[i]; int32 F[i] = A[i]; "
                                "bfloat16 G[i] = B[i]",
                                "test", NULL, 0, &made, &err));
    self = start(made, 5);
    compute(&self, 1);
    for (int o = 0; o < 5; o++) {
        for (int e = 0; e < 64; e++)
            assert_true(o == 4 ? self.bound[o][e] > 0 : self.bound[o][e] == 0);
    }
    for (size_t e = 0; e < 64; e++)
        assert_true(opevo_element_get(OPEVO_BFLOAT16, self.output[0], e) ==
                    opevo_element_get(OPEVO_INT8, self.input[0], e));
    finish(&self);
}

/* ---- Operands ---- */

static void create(const char *text, uint64_t seed, opevo_i_reference_operands *out)
{
    opevo_workload *work = NULL;

    CHECK_OK(opevo_workload_read(text, &work, &err));
    CHECK_OK(opevo_i_reference_operands_create(work, seed, out, &err));
}

/* Inputs take all of the ranges that they are drawn from, and are of their types. */
CHECK_TEST(test_inputs)
{
    static const double least[] = {-1, -1, -1, -128, -0x1p20}, most[] = {1, 1, 1, 127, 0x1p20 - 1};
    opevo_i_reference_operands self;

    create(
        "A[i:4001]; float16 B[i]; bfloat16 C[i]; int8 D[i]; int32 E[i]; Y[i] = A[i] + B[i] + C[i] "
        "+ D[i] + E[i]",
        1, &self);
    for (int i = 0; i < self.list.inputs; i++) {
        opevo_element element = self.list.item[i].element;
        double low = INFINITY, high = -INFINITY;

        assert_int_equal(element, i);
        assert_int_equal(self.memory[i].bytes, 4001 * opevo_element_bytes(element));
        for (size_t e = 0; e < self.count[i]; e++) {
            double value = opevo_element_get(element, self.memory[i].data, e);

            low = fmin(low, value);
            high = fmax(high, value);
        }
        assert_true(low >= least[i] && low < 0.99 * least[i]);
        assert_true(high <= most[i] && high > 0.99 * most[i]);
    }
    opevo_i_reference_operands_free(&self);
    create("int8 A[i:999]; int32 B[i]; float16 C[i]; Y[i] = 1/A[i] + sqrt(B[i]) + 1/C[i]", 1,
           &self);
    for (int i = 0; i < self.list.inputs; i++) {
        for (size_t e = 0; e < self.count[i]; e++)
            assert_true(opevo_element_get(self.list.item[i].element, self.memory[i].data, e) >=
                        (i == 2 ? 0.5 : 1));
    }
    assert_int_equal(self.unbounded, 0);
    opevo_i_reference_operands_free(&self);
}

/* Right results pass; those with one element to the next value of the type do not, nor those that
 * lack one. */
static void check_spoilt(const char *text)
{
    opevo_i_reference_operands self;
    opevo_element element;
    size_t bytes = 0;
    unsigned char *copy = NULL;
    opevo_text why = {0};

    create(text, 7, &self);
    element = self.list.item[self.list.inputs].element;
    bytes = (size_t)opevo_element_bytes(element);
    assert_int_equal(self.memory[self.list.inputs].bytes, self.count[self.list.inputs] * bytes);
    copy = malloc(self.memory[self.list.inputs].bytes);
    memcpy(copy, self.wanted[self.list.inputs], self.memory[self.list.inputs].bytes);
    assert_true(opevo_i_reference_operands_check(&self, self.list.inputs, copy, &why));
    for (size_t e = 0; e < self.count[self.list.inputs]; e++) {
        unsigned char kept[4];
        double value = opevo_element_get(element, copy, e);
        double unit =
            opevo_element_is_whole(element) ? 1 : 2 * opevo_element_rounding(element, fabs(value));

        memcpy(kept, copy + e * bytes, bytes);
        opevo_element_put(element, copy, e, value + (value > 0 ? -unit : unit));
        assert_false(opevo_i_reference_operands_check(&self, self.list.inputs, copy, &why));
        memcpy(copy + e * bytes, kept, bytes);
    }
    opevo_i_reference_operands_poison(&self);
    memcpy(copy, self.memory[self.list.inputs].data, bytes);
    opevo_text_clear(&why);
    assert_false(opevo_i_reference_operands_check(&self, self.list.inputs, copy, &why));
    assert_non_null(strstr(opevo_text_string(&why), "1 of 300 elements are wrong; the first is "));
    assert_non_null(strstr(opevo_text_string(&why), "was not written"));
    opevo_text_free(&why);
    free(copy);
    opevo_i_reference_operands_free(&self);
}

CHECK_TEST(test_spoilt_results_are_rejected)
{
    check_spoilt("int8 A[i:300, k:9]; int32 C[i] = sum(k) A[i, k]*A[i, k]");
    check_spoilt("int8 A[i:300, k:9]; int8 C[i] = max(k) A[i, k]");
    check_spoilt("float16 A[i:300, k:9]; float16 C[i] = max(k) A[i, k]");
    check_spoilt("bfloat16 A[i:300]; bfloat16 C[i] = -A[i]");
    /* A sum that single precision rounds by far less than the type does. */
    check_spoilt("bfloat16 A[i:300, k:9]; bfloat16 C[i] = sum(k) A[i, k]*A[i, k]");
}

CHECK_TEST(test_failing_allocations_leave_nothing)
{
    opevo_computation *made = NULL;
    fixture self;
    int64_t live = 0;
    bool done = false;

    CHECK_OK(
        opevo_computation_parse("int8 A[i:4, j:9]; int32 Q[i]; float16 B[i, j] = exp(A[i, j]/127); "
                                "bfloat16 C[i] = sum(j) B[i, j] + Q[i]",
                                "test", NULL, 0, &made, &err));
    self = start(made, 1);
    live = opevo_memory_live();
    for (int64_t n = 1; !done; n++) {
        opevo_error err = {OPEVO_OK, ""};
        opevo_status status;

        opevo_memory_fail_at(n);
        status = opevo_computation_compute(made, (const void *const *)self.input, self.output,
                                           self.bound, 2, &err);
        opevo_memory_fail_at(0);
        assert_true(status == OPEVO_OK || status == OPEVO_NOMEM);
        done = status == OPEVO_OK;
        assert_int_equal(opevo_memory_live(), live);
    }
    finish(&self);
}
