/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Attention by blocks of rows: the form in which it is computed so, beside the definitions that it
 * is made of, and its kernels against the interpreter. */

#include "sketch_points.h"

#include <opevo/computation_reference.h>
#include <opevo/computation_rows.h>

/* ---- Forms ---------------------------------------------------------------------------------- */

/* What of an attention is drawn. */
typedef struct form {
    int64_t batch, heads, groups, rows, keys, size, width;
    int mask;     /* 0: none; of keys, of rows and keys, of heads too; a constant one; a choice */
    int scale;    /* 0: none; a divisor, a factor before or after, an own constant */
    bool crossed; /* heads behind rows, as they lie before they are transposed */
    bool divides; /* weights are divided, rather than sums */
} form;

static int64_t draw_number(opevo_rng *rng, int64_t least, int64_t most)
{
    return least + (int64_t)opevo_rng_below(rng, (uint64_t)(most - least + 1));
}

static form draw_form(opevo_rng *rng)
{
    return (form){.batch = draw_number(rng, 1, 2),
                  .heads = draw_number(rng, 1, 2),
                  .groups = draw_number(rng, 1, 2),
                  .rows = draw_number(rng, 16, 41),
                  .keys = draw_number(rng, 1, 37),
                  .size = draw_number(rng, 1, 19),
                  .width = draw_number(rng, 2, 35),
                  .mask = (int)draw_number(rng, 0, 5),
                  .scale = (int)draw_number(rng, 0, 3),
                  .crossed = opevo_rng_below(rng, 2),
                  .divides = opevo_rng_below(rng, 2)};
}

/* b, h, g: batch, heads, heads of a group; i, j: rows and keys; k, d: of their elements. */
static void write_form(const form *of, opevo_text *out)
{
    static const char *const masks[] = {
        "", " + N[b, j]", " + N[0, i, j]", " + N[b, h, i, j]", " + N[i, j]", ", 0 - 30)"};
    static const char *const scales[] = {"", "/7.5", "*0.125", "*c[]"};
    const char *choice = of->mask == 5 ? "select(N[i, j] > 0, " : "";

    if (of->mask == 2)
        opevo_text_printf(out, "N[1, %d, %d]; ", (int)of->rows, (int)of->keys);
    if (of->mask == 4)
        opevo_text_printf(out, "const N[%d, %d]; ", (int)of->rows, (int)of->keys);
    if (of->scale == 3)
        opevo_text_add(out, "const c[]; ");
    if (of->crossed)
        opevo_text_add(out, "Q[b, h, g, i, k] = A[b, i, h, g, k]; V[b, h, d, j] = C[b, j, h, d]; ");
    opevo_text_printf(out,
                      "S[b:%d, h:%d, g:%d, i:%d, j:%d] = sum(k:%d) Q[b, h, g, i, k]*K[b, h, j, k]; "
                      "T[b, h, g, i, j] = %sS[b, h, g, i, j]%s%s; "
                      "M[b, h, g, i] = max(j) T[b, h, g, i, j]; "
                      "E[b, h, g, i, j] = exp(T[b, h, g, i, j] - M[b, h, g, i]); "
                      "R[b, h, g, i] = sum(j) E[b, h, g, i, j]; ",
                      (int)of->batch, (int)of->heads, (int)of->groups, (int)of->rows, (int)of->keys,
                      (int)of->size, choice, scales[of->scale], masks[of->mask]);
    if (of->divides)
        opevo_text_printf(out, "P[b, h, g, i, j] = E[b, h, g, i, j]/R[b, h, g, i]; ");
    opevo_text_printf(out, "O[b, h, g, i, d:%d] = sum(j) %s[b, h, g, i, j]*V[b, h, d, j]",
                      (int)of->width, of->divides ? "P" : "E");
    if (!of->divides)
        opevo_text_add(out, "; Z[b, i, h, g, d] = O[b, h, g, i, d]/R[b, h, g, i]");
}

static opevo_computation *parse(const char *text)
{
    opevo_computation *made = NULL;

    CHECK_OK(opevo_computation_parse(text, "form", NULL, 0, &made, &err));
    return made;
}

/* ---- The form by rows ------------------------------------------------------------------------ */

/* Both give the same up to roundings of the interpreter. */
static void compare(const opevo_computation *a, const opevo_computation *b)
{
    float *inputs[8] = {NULL}, *result[2] = {NULL};
    int64_t elements = opevo_tensor_elements(a->tensor[a->tensors - 1]);
    const opevo_computation *each[] = {a, b};
    opevo_rng rng;
    int count = 0;

    opevo_rng_init(&rng, 1, "inputs", 0);
    for (int t = 0; t < a->tensors; t++) {
        int64_t size = opevo_tensor_elements(a->tensor[t]);

        if (a->tensor[t]->definition)
            continue;
        inputs[count] = calloc((size_t)size, sizeof(float));
        for (int64_t i = 0; i < size; i++)
            inputs[count][i] = (float)(2 * opevo_rng_unit(&rng) - 1);
        count++;
    }
    for (int c = 0; c < 2; c++) {
        result[c] = calloc((size_t)elements, sizeof(float));
        CHECK_OK(opevo_computation_compute(each[c], (const void *const *)inputs,
                                           (void *[]){result[c]}, NULL, 1, &err));
    }
    for (int64_t i = 0; i < elements; i++)
        assert_true(fabs((double)result[0][i] - (double)result[1][i]) < 1e-6);
    for (int i = 0; i < count; i++)
        free(inputs[i]);
    free(result[0]);
    free(result[1]);
}

CHECK_TEST(test_forms)
{
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "forms", 0);
    for (int i = 0; i < draw_count(40); i++) {
        form of = draw_form(&rng);
        opevo_text text = {0};
        opevo_computation *from = NULL, *rows = NULL, *again = NULL;
        opevo_row_blocks blocks;

        write_form(&of, &text);
        from = parse(opevo_text_string(&text));
        CHECK_OK(opevo_computation_rows(from, &rows, &err));
        assert_false(opevo_computation_row_blocks(from, &blocks));
        assert_true(opevo_computation_row_blocks(rows, &blocks));
        compare(from, rows);
        /* It is of its own form. */
        CHECK_OK(opevo_computation_rows(rows, &again, &err));
        assert_true(opevo_computation_row_blocks(again, &blocks));
        compare(from, again);
        opevo_computation_destroy(from);
        opevo_computation_destroy(rows);
        opevo_computation_destroy(again);
        opevo_text_free(&text);
    }
}

/* Others: few rows; nothing summed between the products; constant keys; scores that are an output;
 * rows that are read at another place; one product, and three; sums over rows, and over heads;
 * results of one column. */
CHECK_TEST(test_other_forms)
{
    static const char *const texts[] = {
        "S[i:15, j:9] = sum(k:8) Q[i, k]*K[j, k]; M[i] = max(j) S[i, j]; "
        "T[i, j] = S[i, j] - M[i]; O[i, d:8] = sum(j) T[i, j]*V[j, d]",
        "S[i:32, j:9] = sum(k:8) Q[i, k]*K[j, k]; T[i, j] = exp(S[i, j]); "
        "O[i, d:8] = sum(j) T[i, j]*V[j, d]",
        "const K[9, 8]; S[i:32, j:9] = sum(k:8) Q[i, k]*K[j, k]; M[i] = max(j) S[i, j]; "
        "T[i, j] = S[i, j] - M[i]; O[i, d:8] = sum(j) T[i, j]*V[j, d]",
        "output S[i:32, j:9] = sum(k:8) Q[i, k]*K[j, k]; M[i] = max(j) S[i, j]; "
        "T[i, j] = S[i, j] - M[i]; O[i, d:8] = sum(j) T[i, j]*V[j, d]",
        "S[i:33, j:9] = sum(k:8) Q[i, k]*K[j, k]; M[i] = max(j) S[i, j]; "
        "T[r:32, j] = S[r + 1, j] - M[r]; O[r, d:8] = sum(j) T[r, j]*V[j, d]",
        "S[i:32, j:9] = sum(k:8) Q[i, k]*K[j, k]; M[i] = max(j) S[i, j]; "
        "T[i, j] = S[i, j] - M[i]",
        "S[i:32, j:9] = sum(k:8) Q[i, k]*K[j, k]; M[i] = max(j) S[i, j]; "
        "T[i, j] = S[i, j] - M[i]; O[i, d:8] = sum(j) T[i, j]*V[j, d]; "
        "U[i, e:8] = sum(d) O[i, d]*W[d, e]",
        "S[i:32, j:9] = sum(k:8) Q[i, k]*K[j, k]; M[j] = max(i) S[i, j]; "
        "T[i, j] = S[i, j] - M[j]; O[i, d:8] = sum(j) T[i, j]*V[j, d]",
        "S[h:2, i:32, j:9] = sum(k:8) Q[h, i, k]*K[h, j, k]; M[i, j] = max(h) S[h, i, j]; "
        "T[h, i, j] = S[h, i, j] - M[i, j]; O[h, i, d:8] = sum(j) T[h, i, j]*V[h, j, d]",
        "S[i:32, j:9] = sum(k:8) Q[i, k]*K[j, k]; M[i] = max(j) S[i, j]; "
        "T[i, j] = S[i, j] - M[i]; O[i, d:1] = sum(j) T[i, j]*V[j, d]",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        opevo_computation *from = parse(texts[i]), *rows = NULL;

        CHECK_FAILS(OPEVO_INVALID, "two products", opevo_computation_rows(from, &rows, &err));
        opevo_computation_destroy(from);
    }
}

/* ---- Kernels --------------------------------------------------------------------------------- */

/* The start and random points, with one thread and two: all have kernels, which are right. */
CHECK_TEST(test_kernels)
{
    drawn_counts counts = {0};
    opevo_rng rng;

    opevo_rng_init(&rng, 2, "forms", 0);
    for (int i = 0; i < draw_count(12); i++) {
        form of = draw_form(&rng);
        opevo_computation *from = NULL, *rows = NULL;
        opevo_text text = {0};

        write_form(&of, &text);
        from = parse(opevo_text_string(&text));
        CHECK_OK(opevo_computation_rows(from, &rows, &err));
        opevo_text_free(&text);
        opevo_computation_print(rows, "; ", &text);
        check_drawn(opevo_text_string(&text), &drawn_targets[i % 2], (uint64_t)i, &counts);
        opevo_text_free(&text);
        opevo_computation_destroy(from);
        opevo_computation_destroy(rows);
    }
    assert_true(counts.points > 0 && 20 * counts.rejected <= counts.points);
    batch_run();
}
