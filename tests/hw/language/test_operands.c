/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Right results against the definition of each operator, the bound, and the guards. */

#include "operands_fixture.h"

#include <opevo/memory.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const operators[] = {
    "matmul(7,5,3)",
    "matmul(7,5,3,TN)",
    "matmul(7,5,3,NT)",
    "matmul(7,5,3,TT)",
    "batch_matmul(3,4,5,6)",
    "batch_matmul(2,4,5,6,TT)",
    "conv2d(2,3,6,7,4,3,2,1,1)",
    "conv2d(1,2,9,8,3,3,3,2,0)",
    "conv2d(1,1,5,5,1,5,5,1,2)",
};
enum { OPERATORS = sizeof operators / sizeof *operators };

/* One element by the definition, in the order of the sum that comes to mind. */
static double element_matmul(const opevo_operator *op, const float *a, const float *b, size_t at)
{
    int64_t j = (int64_t)at % op->m;
    int64_t i = (int64_t)at / op->m % op->n;
    int64_t which = (int64_t)at / op->m / op->n;
    double sum = 0;

    for (int64_t k = 0; k < op->k; k++)
        sum +=
            (double)a[which * op->n * op->k + (op->transpose_x ? k * op->n + i : i * op->k + k)] *
            b[which * op->k * op->m + (op->transpose_y ? j * op->k + k : k * op->m + j)];
    return sum;
}

static double element_conv2d(const opevo_operator *op, const float *a, const float *b, size_t at)
{
    int64_t width = opevo_operator_out_width(op);
    int64_t height = opevo_operator_out_height(op);
    int64_t x = (int64_t)at % width;
    int64_t y = (int64_t)at / width % height;
    int64_t f = (int64_t)at / width / height % op->out_channels;
    int64_t image = (int64_t)at / width / height / op->out_channels;
    double sum = 0;

    for (int64_t c = 0; c < op->in_channels; c++) {
        for (int64_t p = 0; p < op->kernel_height; p++) {
            for (int64_t q = 0; q < op->kernel_width; q++) {
                int64_t row = y * op->stride + p - op->padding;
                int64_t column = x * op->stride + q - op->padding;

                if (row < 0 || row >= op->height || column < 0 || column >= op->width)
                    continue;
                sum +=
                    (double)
                        a[((image * op->in_channels + c) * op->height + row) * op->width + column] *
                    b[((f * op->in_channels + c) * op->kernel_height + p) * op->kernel_width + q];
            }
        }
    }
    return sum;
}

CHECK_TEST(test_wanted)
{
    for (size_t i = 0; i < OPERATORS; i++) {
        opevo_operator op = {0};
        opevo_i_reference_operands self = {0};

        CHECK_OK(opevo_operator_parse(operators[i], &op, &err));
        CHECK_OK(operands_create(&op, 3, &self, &err));
        for (size_t k = 0; k < self.count[2]; k++) {
            double right = op.kind == OPEVO_CONV2D
                               ? element_conv2d(&op, opevo_i_reference_floats(&self.memory[0]),
                                                opevo_i_reference_floats(&self.memory[1]), k)
                               : element_matmul(&op, opevo_i_reference_floats(&self.memory[0]),
                                                opevo_i_reference_floats(&self.memory[1]), k);

            CHECK_CLOSE(self.wanted[2][k], right, 1e-7 * (fabs(right) + 1e-3));
        }
        opevo_i_reference_operands_free(&self);
    }
}

/* Single precision in either direction is right; a change above the bound is not, nor is a NaN or
 * an element that was not written; sizes of the bound grow as the square root of K. */
CHECK_TEST(test_check)
{
    opevo_operator op = {0};
    opevo_i_reference_operands self = {0};
    float *c = NULL;

    CHECK_OK(opevo_operator_parse("matmul(9,300,11)", &op, &err));
    CHECK_OK(operands_create(&op, 1, &self, &err));
    c = opevo_i_reference_floats(&self.memory[2]);
    for (int backwards = 0; backwards < 2; backwards++) {
        opevo_text why = {0};

        for (size_t at = 0; at < self.count[2]; at++) {
            float sum = 0;

            for (int64_t k = 0; k < op.k; k++) {
                int64_t p = backwards ? op.k - 1 - k : k;

                sum += opevo_i_reference_floats(&self.memory[0])[(int64_t)at / op.m * op.k + p] *
                       opevo_i_reference_floats(&self.memory[1])[p * op.m + (int64_t)at % op.m];
            }
            c[at] = sum;
        }
        assert_true(opevo_i_reference_operands_check(&self, 2, c, &why));
        for (size_t at = 0; at < self.count[2]; at++) {
            float kept = c[at];

            c[at] = self.wanted[2][at] + 1.01F * self.bound[2][at];
            assert_false(opevo_i_reference_operands_check(&self, 2, c, &why));
            c[at] = NAN;
            assert_false(opevo_i_reference_operands_check(&self, 2, c, &why));
            c[at] = kept;
        }
        opevo_text_free(&why);
    }
    /* 4 sqrt(300) units of (|A| |B|), which is near 300 / 4 for uniform inputs */
    CHECK_CLOSE(self.bound[2][0], 4 * sqrt(300) * 0x1p-24 * 75, 1.2e-4);
    opevo_i_reference_operands_poison(&self);
    {
        opevo_text why = {0};

        assert_false(opevo_i_reference_operands_check(&self, 2, c, &why));
        assert_non_null(strstr(why.data, "99 of 99 elements are wrong"));
        assert_non_null(strstr(why.data, "was not written"));
        opevo_text_free(&why);
    }
    opevo_i_reference_operands_free(&self);
}

/* Do something in a forked process; the signal that killed it, 0 if none did. */
static int killed_by(void (*action)(const opevo_i_reference_operands *operands),
                     const opevo_i_reference_operands *operands)
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        signal(SIGSEGV, SIG_DFL); /* not the sanitizer's */
        action(operands);
        _exit(0);
    }
    waitpid(pid, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void write_past(const opevo_i_reference_operands *operands)
{
    ((volatile char *)operands->memory[2]
         .data)[operands->memory[2].bytes + operands->memory[2].after] = 1;
}
static void write_before(const opevo_i_reference_operands *operands)
{
    ((volatile char *)operands->memory[2].data)[-(ptrdiff_t)operands->memory[2].before - 1] = 1;
}
static void write_input(const opevo_i_reference_operands *operands)
{
    ((volatile char *)operands->memory[0].data)[0] = 1;
}
static void read_reference(const opevo_i_reference_operands *operands)
{
    (void)*(volatile float *)operands->wanted[2];
}
static void write_output(const opevo_i_reference_operands *operands)
{
    ((volatile char *)operands->memory[2].data)[0] = 42;
}
static void write_beside(const opevo_i_reference_operands *operands)
{
    ((volatile char *)operands->memory[2].data)[operands->memory[2].bytes] = 42;
}

CHECK_TEST(test_guards)
{
    opevo_operator op = {0};
    opevo_i_reference_operands self = {0};

    CHECK_OK(opevo_operator_parse("matmul(7,5,3)", &op, &err));
    CHECK_OK(operands_create(&op, 3, &self, &err));
    for (int i = 0; i < 3; i++) {
        const opevo_i_reference_guarded *memory = &self.memory[i];

        assert_int_equal((uintptr_t)memory->data % 64, 0);
        assert_true(memory->after < 64);
        assert_int_equal(memory->bytes, 4 * self.count[i]);
    }
    assert_int_equal(killed_by(write_past, &self), SIGSEGV);
    assert_int_equal(killed_by(write_before, &self), SIGSEGV);
    assert_int_equal(killed_by(write_input, &self), SIGSEGV);
    assert_int_equal(killed_by(read_reference, &self), SIGSEGV);
    assert_true(opevo_i_reference_guarded_intact(&self.memory[2]));
    assert_int_equal(killed_by(write_output, &self), 0);
    assert_int_equal(self.memory[2].data[0], 42); /* C is shared */
    assert_true(opevo_i_reference_guarded_intact(&self.memory[2]));
    assert_int_equal(killed_by(write_beside, &self), 0);
    assert_false(opevo_i_reference_guarded_intact(&self.memory[2]));
    opevo_i_reference_operands_free(&self);
}

CHECK_TEST(test_too_large)
{
    opevo_operator op = {0};
    opevo_i_reference_operands self = {0};

    CHECK_OK(opevo_operator_parse("matmul(2097152,2097152,2)", &op, &err));
    CHECK_FAILS(OPEVO_LIMIT, "the limit is 2^40", operands_create(&op, 1, &self, &err));
}

/* ---- Computations ---- */

static void create_computation(const char *text, opevo_i_reference_operands *out)
{
    opevo_workload *work = NULL;

    CHECK_OK(opevo_workload_read(text, &work, &err));
    CHECK_OK(opevo_i_reference_operands_create(work, 1, out, &err));
}

/* Inputs that decide the sign of a divisor or of the argument of a root are positive, others are of
 * both signs; all elements have a bound then. */
CHECK_TEST(test_signs)
{
    static const struct {
        const char *text, *positive; /* names of inputs */
    } rows[] = {
        {"Y[i:99] = X[i]/sqrt(V[i] + 1e-5)", "V"},
        {"Y[i:99] = (X[i] - M[i])/sqrt(V[i])*S[i]", "V"},
        {"T[i:99] = A[i]*B[i] + C[i]; Y[i] = X[i]/T[i]", "ABC"},
        {"T[i:99] = sum(k:3) A[i, k]; Y[i] = X[i]/(2*T[i])", "A"},
        {"T[i:99] = sum(k:3) A[i, k]*A[i, k]; Y[i] = sqrt(T[i])", ""},
        {"Y[i:99] = A[i]/(1 + exp(B[i]))", ""},
        {"Y[i:99] = select(sqrt(A[i]) < 1, B[i], C[i])", "A"},
        {"Y[i:99] = sqrt(max(A[i], B[i]))", "AB"},
    };

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        opevo_i_reference_operands self = {0};

        create_computation(rows[r].text, &self);
        for (int i = 0; i < self.list.inputs; i++) {
            const float *values = opevo_i_reference_floats(&self.memory[i]);
            float least = 2, most = -2;

            for (size_t k = 0; k < self.count[i]; k++) {
                least = fminf(least, values[k]);
                most = fmaxf(most, values[k]);
            }
            if (strstr(rows[r].positive, self.list.item[i].name))
                assert_true(least >= 0.5F && least < 0.6F && most > 1.4F && most <= 1.5F);
            else
                assert_true(least >= -1 && least < -0.8F && most > 0.8F && most < 1);
        }
        for (int i = self.list.inputs; i < self.list.count; i++) {
            for (size_t k = 0; k < self.count[i]; k++)
                assert_true(isfinite(self.bound[i][k]) && isfinite(self.wanted[i][k]));
        }
        opevo_i_reference_operands_free(&self);
    }
}

/* An element without a bound may be anything that was written; few are let pass, many are not. */
CHECK_TEST(test_without_bound)
{
    opevo_i_reference_operands self = {0};
    opevo_workload *work = NULL;
    float *y = NULL;
    size_t without = 0;

    create_computation("Y[i:400] = sqrt(A[i] - B[i])", &self);
    y = opevo_i_reference_floats(&self.memory[2]);
    for (size_t k = 0; k < self.count[2]; k++) {
        bool bounded = isfinite(self.bound[2][k]);
        opevo_text why = {0};

        memcpy(y, self.wanted[2], self.memory[2].bytes);
        y[k] = 77;
        assert_int_equal(opevo_i_reference_operands_check(&self, 2, y, &why), !bounded);
        y[k] = NAN;
        assert_int_equal(opevo_i_reference_operands_check(&self, 2, y, &why), !bounded);
        opevo_i_reference_operands_poison(&self);
        memcpy(y, self.wanted[2], k * sizeof *y);
        memcpy(y + k + 1, self.wanted[2] + k + 1, (self.count[2] - k - 1) * sizeof *y);
        assert_false(opevo_i_reference_operands_check(&self, 2, y, &why));
        without += !bounded;
        opevo_text_free(&why);
    }
    assert_in_range(without, 1, self.count[2] / 2);
    opevo_i_reference_operands_free(&self);
    CHECK_OK(opevo_workload_read("Y[i:400] = sqrt(A[i] - B[i] - 1)", &work, &err));
    CHECK_FAILS(OPEVO_INVALID, "of 400 elements of Y have no error bound",
                opevo_i_reference_operands_create(work, 1, &self, &err));
}

/* Wherever the wrong element of a large result is, any number of threads finds it. */
CHECK_TEST(test_threads_that_check)
{
    const size_t places[] = {0, (1 << 18) - 1, 1 << 18, 2 << 18, 699 * 800, 700 * 800 - 1};
    opevo_operator op;
    opevo_i_reference_operands self;
    float *c;

    CHECK_OK(opevo_operator_parse("matmul(700,1,800)", &op, &err));
    CHECK_OK(operands_create(&op, 1, &self, &err));
    c = opevo_i_reference_floats(&self.memory[2]);
    memcpy(c, self.wanted[2], self.count[2] * sizeof *c);
    for (self.check_threads = 0; self.check_threads < 4; self.check_threads++) {
        opevo_text why = {0};

        assert_true(opevo_i_reference_operands_check(&self, 2, c, &why));
        for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
            float kept = c[places[i]];
            char said[96];

            c[places[i]] += 1;
            snprintf(said, sizeof said, "1 of 560000 elements are wrong; the first is C[%zu, %zu],",
                     places[i] / 800, places[i] % 800);
            assert_false(opevo_i_reference_operands_check(&self, 2, c, &why));
            assert_non_null(strstr(opevo_text_string(&why), said));
            c[places[i]] = kept;
        }
        opevo_text_free(&why);
    }
    opevo_i_reference_operands_free(&self);
}
