/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Computations with merged and divided dimensions: their text, what is refused, and that the
 * interpreter finds the same elements at the same places. */

#include "check.h"

#include "computations.h"
#include "draw.h"

#include <opevo/computation_reference.h>
#include <opevo/computation_reshape.h>
#include <opevo/memory.h>

enum { MOST_OPERANDS = 24 };

/* ---- Both computations by the interpreter ---- */

typedef struct results {
    int inputs, outputs;
    float *input[MOST_OPERANDS], *output[MOST_OPERANDS];
    size_t count[MOST_OPERANDS]; /* of outputs */
} results;

static void compute(const opevo_computation *computation, uint64_t seed, results *out)
{
    const void *inputs[MOST_OPERANDS];
    void *outputs[MOST_OPERANDS];

    *out = (results){0};
    for (int t = 0; t < computation->tensors; t++) {
        const opevo_tensor *tensor = computation->tensor[t];
        size_t count = (size_t)opevo_tensor_elements(tensor);
        float *memory = opevo_calloc(count, sizeof *memory);

        assert_true(out->inputs < MOST_OPERANDS && out->outputs < MOST_OPERANDS);
        if (!tensor->definition) {
            for (size_t e = 0; e < count; e++)
                memory[e] = (float)draw(&seed, 1 << 20) * 0x1p-19F - 1;
            out->input[out->inputs++] = memory;
        } else if (tensor->role == OPEVO_ROLE_OUTPUT) {
            out->count[out->outputs] = count;
            out->output[out->outputs++] = memory;
        } else {
            opevo_free(memory);
        }
    }
    for (int i = 0; i < out->inputs; i++)
        inputs[i] = out->input[i];
    for (int i = 0; i < out->outputs; i++)
        outputs[i] = out->output[i];
    CHECK_OK(opevo_computation_compute(computation, inputs, outputs, NULL, 1, &err));
}

static void release(results *self)
{
    for (int i = 0; i < self->inputs; i++)
        opevo_free(self->input[i]);
    for (int i = 0; i < self->outputs; i++)
        opevo_free(self->output[i]);
}

/* The text reads back as it is, so that no index leaves its tensor; sums have their terms in the
 * same order, so that results are equal, bit by bit. */
static void check_same(const opevo_computation *computation, const opevo_computation *made)
{
    opevo_computation *read = NULL;
    opevo_text text = {0}, again = {0};
    results one, other;

    opevo_computation_print(made, "\n", &text);
    CHECK_OK(opevo_computation_parse(opevo_text_string(&text), "made", NULL, 0, &read, &err));
    opevo_computation_print(read, "\n", &again);
    assert_string_equal(opevo_text_string(&text), opevo_text_string(&again));
    assert_int_equal(made->tensors, computation->tensors);
    for (int t = 0; t < made->tensors; t++) {
        assert_string_equal(made->tensor[t]->name, computation->tensor[t]->name);
        assert_int_equal(made->tensor[t]->role, read->tensor[t]->role);
        assert_int_equal(made->tensor[t]->readers, read->tensor[t]->readers);
        assert_int_equal(made->tensor[t]->producers, read->tensor[t]->producers);
        for (int r = 0; r < made->tensor[t]->readers; r++)
            assert_ptr_equal(made->tensor[t]->reader[r],
                             made->tensor[read->tensor[t]->reader[r]->number]);
    }
    compute(computation, 3, &one);
    compute(made, 3, &other);
    assert_int_equal(one.outputs, other.outputs);
    for (int i = 0; i < one.outputs; i++) {
        assert_int_equal(one.count[i], other.count[i]);
        assert_memory_equal(one.output[i], other.output[i], one.count[i] * sizeof(float));
    }
    release(&one);
    release(&other);
    opevo_computation_destroy(read);
    opevo_text_free(&text);
    opevo_text_free(&again);
}

/* One step, by the name of a tensor; a length of 0 merges. */
static opevo_status reshape(const opevo_computation *computation, const char *name, int dim,
                            int64_t length, opevo_computation **out, opevo_error *err)
{
    int number = opevo_computation_find(computation, name)->number;

    return length ? opevo_computation_divide(computation, number, dim, length, out, err)
                  : opevo_computation_merge(computation, number, dim, out, err);
}

static void check_text(const char *text, const char *name, int dim, int64_t length,
                       const char *wanted)
{
    opevo_computation *computation = NULL, *made = NULL;
    opevo_text found = {0};

    CHECK_OK(opevo_computation_parse(text, "text", NULL, 0, &computation, &err));
    CHECK_OK(reshape(computation, name, dim, length, &made, &err));
    opevo_computation_print(made, "\n", &found);
    assert_string_equal(opevo_text_string(&found), wanted);
    check_same(computation, made);
    opevo_computation_destroy(computation);
    opevo_computation_destroy(made);
    opevo_text_free(&found);
}

static void check_refused(const char *text, const char *name, int dim, int64_t length,
                          const char *why)
{
    opevo_computation *computation = NULL, *made = NULL;

    CHECK_OK(opevo_computation_parse(text, "text", NULL, 0, &computation, &err));
    CHECK_FAILS(OPEVO_INVALID, why, reshape(computation, name, dim, length, &made, &err));
    assert_null(made);
    opevo_computation_destroy(computation);
}

/* ---- Texts ---- */

#define GROUPED                                                                                    \
    "X[2, 6, 3, 5]; const W[8, 3, 1, 1]; const B[8]; R[2, 8, 3, 5]; "                              \
    "C[n:2, f:8, y:3, x:5] = sum(c:3, r:1, s:1) X[n, c + 3*(f//4), y + r, x + s]*W[f, c, r, s]; "  \
    "Y[n, f, y, x] = max(C[n, f, y, x] + B[f] + R[n, f, y, x], 0)"

CHECK_TEST(test_merge)
{
    check_text(GROUPED, "C", 2, 0,
               "X[2, 6, 15]\nconst W[8, 3, 1, 1]\nconst B[8]\nR[2, 8, 15]\n"
               "C[n:2, f:8, y_x:15] = sum(c:3, r:1, s:1) X[n, c + 3*(f//4), y_x]*W[f, c, r, s]\n"
               "Y[n, f, y_x] = max(C[n, f, y_x] + B[f] + R[n, f, y_x], 0)");
    /* From any definition on the way, and with the axes of a sum. */
    check_text("X[4, 3, 5]; D[i:4, j:3, k:5] = X[i, j, k]*2; S[i] = sum(j, k) D[i, j, k]", "D", 1,
               0, "X[4, 15]\nD[i:4, j_k:15] = X[i, j_k]*2\nS[i] = sum(j_k) D[i, j_k]");
    /* A name that is taken. */
    check_text("i_j[4, 3]; D[i:4, j:3] = i_j[i, j]*2", "D", 0, 0,
               "i_j[12]\nD[i_j_2:12] = i_j[i_j_2]*2");
}

CHECK_TEST(test_divide)
{
    check_text(GROUPED, "C", 1, 4,
               "X[2, 6, 3, 5]\nconst W[2, 4, 3, 1, 1]\nconst B[2, 4]\nR[2, 2, 4, 3, 5]\n"
               "C[n:2, f_0:2, f_1:4, y:3, x:5] = sum(c:3, r:1, s:1) "
               "X[n, 3*f_0 + c, y + r, x + s]*W[f_0, f_1, c, r, s]\n"
               "Y[n, f_0, f_1, y, x] = max(C[n, f_0, f_1, y, x] + B[f_0, f_1] + "
               "R[n, f_0, f_1, y, x], 0)");
    /* Inputs that are read in another way keep their dimensions. */
    check_text("X[12]; V[13]; D[i:12] = X[i] + X[11 - i] + V[i + 1]*(i%6) + select(i < 7, i//3, 0)",
               "D", 0, 6,
               "X[12]\nV[13]\nD[i_0:2, i_1:6] = X[6*i_0 + i_1] + X[11 - 6*i_0 - i_1] + "
               "V[6*i_0 + i_1 + 1]*i_1 + select(6*i_0 + i_1 < 7, 2*i_0 + i_1//3, 0)");
}

CHECK_TEST(test_refusals)
{
    /* Rows with something between them, reversed, transposed, or of a part. */
    check_refused("X[4, 6]; D[i:4, j:5] = X[i, j]", "D", 0, 0, "cannot be merged, because of X");
    check_refused("X[4, 5]; D[i:4, j:5] = X[i, 4 - j]", "D", 0, 0, "because of X");
    check_refused("X[5, 4]; D[i:4, j:5] = X[j, i]", "D", 0, 0, "because of X");
    check_refused("X[5]; D[i:4, j:5] = X[j]", "D", 0, 0, "because of X");
    check_refused("X[4, 5]; D[i:4, j:5] = X[i, j]; E[k:3] = D[1, k + 1]", "D", 0, 0,
                  "because of D");
    check_refused("X[4, 5]; D[i:4, j:5] = X[i, j]*j", "D", 0, 0, "an axis that is used by itself");
    check_refused("X[4, 5]; D[i:4, j:5] = select(i < 2, X[i, j], 0)", "D", 0, 0, "used by itself");
    check_refused("X[12]; D[i:12] = X[i]; E[k:11] = D[k + 1]", "D", 0, 4, "divided, because of D");
    check_refused("X[12]; D[i:12] = X[i]", "D", 0, 5, "5 does not divide dimension 0 of D");
    check_refused("X[12]; D[i:12] = X[i]", "D", 0, 0, "No definition has such a dimension");
    check_refused("X[12]; D[i:12] = X[i]", "X", 0, 4, "No definition has such a dimension");
}

/* ---- Random computations ---- */

/* Every dimension of every tensor, twice over. Returns how many steps were possible. */
static int check_all(const opevo_computation *computation, int depth)
{
    int count = 0;

    for (int t = 0; t < computation->tensors; t++) {
        for (int dim = 0; dim < computation->tensor[t]->dims; dim++) {
            for (int64_t length = 0; length <= 5; length++) {
                opevo_computation *made = NULL;
                opevo_error error = {OPEVO_OK, ""};
                opevo_status status =
                    length ? opevo_computation_divide(computation, t, dim, length, &made, &error)
                           : opevo_computation_merge(computation, t, dim, &made, &error);

                if (status != OPEVO_OK) {
                    assert_int_equal(status, OPEVO_INVALID);
                    continue;
                }
                check_same(computation, made);
                count += 1 + (depth ? check_all(made, depth - 1) : 0);
                opevo_computation_destroy(made);
            }
        }
    }
    return count;
}

/* Definitions that read each other element by element, in rows, in windows, and by groups. */
static void write_rows(uint64_t seed, opevo_text *out)
{
    static const char *const forms[] = {
        "T%1$d[a, b:6, c:4, d:5] = T%2$d[a, b, c, d]*K[b] + X[a, b, c, d]",
        "T%1$d[a, b:6, c:4, d:5] = sum(k%1$d:2) T%2$d[a, k%1$d + 2*(b//2), c, d]*W[b, k%1$d]",
        "T%1$d[a, b:6, c:4, d:5] = T%2$d[a, b%%3 + 3*(b//3), c, d] + X[a, 5 - b, c, d]",
        "T%1$d[a, b:6, c:4, d:5] = max(p%1$d:6) T%2$d[a, p%1$d, c, d]*W[b, p%1$d//3]",
        "T%1$d[a, b:6, c:4, d:5] = T%2$d[a, b, c, 4 - d]",
    };

    opevo_text_add(out, "X[a:2, 6, 4, 5]; const W[6, 2]; const K[6]; T0[a, b:6, c:4, d:5] = "
                        "max(X[a, b, c, d], 0)");
    for (int i = 1, count = 1 + (int)draw(&seed, 3); i <= count; i++) {
        opevo_text_add(out, "; ");
        opevo_text_printf(out, forms[draw(&seed, sizeof forms / sizeof *forms)], i, i - 1);
    }
}

CHECK_TEST(test_random)
{
    int count = 0;

    for (uint64_t seed = 0; seed < 20; seed++) {
        opevo_computation *computation = NULL;
        opevo_text text = {0};

        write_rows(seed, &text);
        CHECK_OK(
            opevo_computation_parse(opevo_text_string(&text), "rows", NULL, 0, &computation, &err));
        count += check_all(computation, 1);
        opevo_computation_destroy(computation);
        opevo_text_free(&text);
    }
    assert_true(count > 300);
    for (uint64_t seed = 0; seed < 60; seed++) {
        opevo_computation *computation = NULL;
        opevo_text text = {0};

        write_computation(seed, 4, &text);
        if (opevo_computation_parse(opevo_text_string(&text), "random", NULL, 0, &computation,
                                    NULL) == OPEVO_OK)
            check_all(computation, 0);
        opevo_computation_destroy(computation);
        opevo_text_free(&text);
    }
}

/* ---- Memory ---- */

CHECK_TEST(test_failing_allocations_leave_nothing)
{
    opevo_computation *computation = NULL;
    int64_t before = 0;

    CHECK_OK(opevo_computation_parse(GROUPED, "text", NULL, 0, &computation, &err));
    before = opevo_memory_live();
    for (int64_t length = 0; length <= 4; length += 4) {
        opevo_status status = OPEVO_NOMEM;

        for (int64_t n = 1; status != OPEVO_OK; n++) {
            opevo_computation *made = NULL;
            opevo_error error = {OPEVO_OK, ""};

            opevo_memory_fail_at(n);
            status = reshape(computation, "C", length ? 1 : 2, length, &made, &error);
            opevo_memory_fail_at(0);
            assert_true(status == OPEVO_OK || (status == OPEVO_NOMEM && !made));
            opevo_computation_destroy(made);
            assert_int_equal(opevo_memory_live(), before);
        }
    }
    opevo_computation_destroy(computation);
}
