/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Computations joined: their text, which does not depend on the names of the parts, what is left
 * out, and what is refused. That the whole computes the same is tested with networks. */

#include "check.h"

#include <opevo/computation_join.h>

enum { TENSORS = 16, PARTS = 4 };

/* Parts that are given as text; `numbers` are those of their tensors, in the order of the text. */
typedef struct fixture {
    opevo_part part[PARTS];
    opevo_computation *computation[PARTS];
    int numbers[PARTS][TENSORS], parts;
    opevo_text text; /* of the whole */
    int input[OPEVO_JOIN_INPUTS], inputs;
} fixture;

static void add_part(fixture *self, const char *text, const int *numbers)
{
    int i = self->parts++;

    CHECK_OK(opevo_computation_parse(text, "part", NULL, 0, &self->computation[i], &err));
    for (int t = 0; t < self->computation[i]->tensors; t++)
        self->numbers[i][t] = numbers[t]; /* NOLINT: one for each tensor of the text */
    self->part[i] = (opevo_part){self->computation[i], self->numbers[i]};
}

static opevo_status join(fixture *self, int output, opevo_error *err)
{
    opevo_computation *whole = NULL;
    opevo_status status = opevo_computation_join(self->part, self->parts, &output, 1, &whole,
                                                 self->input, &self->inputs, err);

    if (whole)
        opevo_computation_print(whole, "\n", &self->text);
    opevo_computation_destroy(whole);
    return status;
}

static void finish(fixture *self)
{
    for (int i = 0; i < self->parts; i++)
        opevo_computation_destroy(self->computation[i]);
    opevo_text_free(&self->text);
}

/* A product, a bias and a maximum: one definition behind the sum. */
CHECK_TEST(test_chain)
{
    fixture self = {0};

    add_part(&self, "A[4, 8]; const B[8, 5]; R[i:4, j:5] = sum(k:8) A[i, k]*B[k, j]",
             (const int[]){10, 11, 20});
    add_part(&self, "const c[5]; V[4, 5]; D[p:4, q:5] = c[q] + V[p, q]", (const int[]){12, 20, 21});
    add_part(&self, "V[4, 5]; E[x:4, y:5] = max(0, V[x, y])", (const int[]){21, 22});
    CHECK_OK(join(&self, 22, &err));
    assert_string_equal(opevo_text_string(&self.text),
                        "X0[4, 8]\nconst X1[8, 5]\nconst X2[5]\n"
                        "C[a0:4, a1:5] = sum(k0:8) X0[a0, k0]*X1[k0, a1]\n"
                        "Y0[a0, a1] = max(C[a0, a1] + X2[a1], 0)");
    assert_int_equal(self.inputs, 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(self.input[i], 10 + i);
    finish(&self);
}

/* What is read twice, or in a sum, keeps a definition; what is not read is left out. Names that
 * both parts have become two. */
CHECK_TEST(test_definitions)
{
    fixture self = {0};

    add_part(&self,
             "I[6]; T[a:6] = exp(I[a]); S[u:1] = sum(a) T[a]; output O[a] = T[a]/S[0]; "
             "output U[a] = I[a]*2",
             (const int[]){1, -1, -1, 2, 3});
    add_part(&self, "I[6]; T[a:6] = I[a] + 1; O[a] = T[a]*T[a]", (const int[]){2, -1, 4});
    CHECK_OK(join(&self, 4, &err));
    assert_string_equal(opevo_text_string(&self.text),
                        "X0[6]\nT[a0:6] = exp(X0[a0])\nS[b0:1] = sum(k0:6) T[k0]\n"
                        "T_1[a0] = T[a0]/S[0] + 1\nY0[a0] = T_1[a0]*T_1[a0]");
    finish(&self);
}

/* An axis of one value is named, and one shape has the same letters wherever it stands. */
CHECK_TEST(test_places)
{
    fixture self = {0};

    add_part(&self, "I[1, 6]; O[a:1, b:6] = I[0, b]*2", (const int[]){1, 2});
    add_part(&self, "I[1, 6]; P[c:1, d:8] = select(1 <= d and d < 7, I[0, d - 1], 0)",
             (const int[]){2, 3});
    CHECK_OK(join(&self, 3, &err));
    assert_string_equal(opevo_text_string(&self.text),
                        "X0[1, 6]\nD[b0:1, b1:6] = X0[b0, b1]*2\n"
                        "Y0[a0:1, a1:8] = select(1 <= a1 and a1 < 7, D[a0, a1 - 1], 0)");
    finish(&self);
}

/* The whole is a part again, and stays as it is. */
CHECK_TEST(test_again)
{
    fixture self = {0}, again = {0};

    add_part(&self, "I[6, 6]; O[i:6, j:6] = sum(k:6) I[i, k]*I[k, j]", (const int[]){1, 2});
    add_part(&self, "I[6, 6]; O[i:6, j:6] = I[j, i] - I[i, j]", (const int[]){2, 3});
    CHECK_OK(join(&self, 3, &err));
    add_part(&again, opevo_text_string(&self.text), (const int[]){1, -1, 3});
    CHECK_OK(join(&again, 3, &err));
    assert_string_equal(opevo_text_string(&again.text), opevo_text_string(&self.text));
    finish(&self);
    finish(&again);
}

static void check_refused(fixture *self, int output, opevo_status wanted)
{
    opevo_error failure = {0};

    assert_int_equal(join(self, output, &failure), wanted);
    assert_int_equal(self->text.length, 0);
    assert_true(*failure.message != '\0');
    finish(self);
}

CHECK_TEST(test_refused)
{
    fixture shapes = {0}, order = {0}, missing = {0}, unnamed = {0}, many = {0};
    opevo_text text = {0};
    int numbers[32];

    add_part(&shapes, "I[6]; O[i:6] = I[i]", (const int[]){1, 2});
    add_part(&shapes, "I[5]; O[i:5] = I[i]", (const int[]){2, 3});
    check_refused(&shapes, 3, OPEVO_INVALID);
    add_part(&order, "I[6]; O[i:6] = I[i]", (const int[]){2, 3});
    add_part(&order, "I[6]; O[i:6] = I[i]", (const int[]){1, 2});
    check_refused(&order, 3, OPEVO_INVALID);
    add_part(&missing, "I[6]; O[i:6] = I[i]", (const int[]){1, 2});
    check_refused(&missing, 1, OPEVO_INVALID);
    add_part(&unnamed, "I[6]; O[i:6] = I[i]", (const int[]){-1, 2});
    check_refused(&unnamed, 2, OPEVO_INVALID);
    opevo_text_add(&text, "O[i:6] = I0[i]");
    for (int i = 0; i < 17; i++)
        opevo_text_printf(&text, " + I%d[i]", i);
    CHECK_OK(opevo_computation_parse(opevo_text_string(&text), "part", NULL, 0,
                                     &many.computation[0], &err));
    for (int i = 0; i < 18; i++)
        numbers[i] = i;
    many.part[0] = (opevo_part){many.computation[0], numbers};
    many.parts = 1;
    check_refused(&many, opevo_computation_find(many.computation[0], "O")->number, OPEVO_LIMIT);
    opevo_text_free(&text);
}
