/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Blocked layouts: each element is where the layout says, with the value that it had, for
 * convolutions of all kinds; what cannot be blocked is refused. Inputs are small whole numbers, so
 * that sums are exact in any order. */

#include "check.h"
#include "draw.h"

#include <opevo/computation_block.h>
#include <opevo/computation_reference.h>
#include <opevo/memory.h>

enum { OPERANDS_MOST = 8 };

/* ---- Operands ------------------------------------------------------------------------------- */

typedef struct operands {
    float *data[OPERANDS_MOST];
    int count;
} operands;

static size_t elements_of(const opevo_tensor *tensor)
{
    return (size_t)opevo_tensor_elements(tensor);
}

static void compute(const opevo_computation *computation, const operands *inputs, operands *out)
{
    const void *in[OPERANDS_MOST];
    void *results[OPERANDS_MOST];

    *out = (operands){.count = 0};
    for (int i = 0; i < inputs->count; i++)
        in[i] = inputs->data[i];
    for (int t = 0; t < computation->tensors; t++) {
        const opevo_tensor *tensor = computation->tensor[t];

        if (tensor->role != OPEVO_ROLE_OUTPUT)
            continue;
        out->data[out->count] = opevo_calloc(elements_of(tensor), sizeof(float));
        results[out->count] = out->data[out->count];
        out->count++;
    }
    CHECK_OK(opevo_computation_compute(computation, in, results, NULL, 1, &err));
}

static void release(operands *self)
{
    for (int i = 0; i < self->count; i++)
        opevo_free(self->data[i]);
}

/* ---- Where an element goes ------------------------------------------------------------------ */

/* The place of the element of a row-major number in the blocked layout, by its definition. */
static size_t blocked_place(const opevo_tensor *tensor, size_t number, int64_t block)
{
    int64_t at[OPEVO_COMPUTATION_DIMS] = {0};
    size_t place = 0;

    for (int d = tensor->dims - 1; d >= 0; d--) {
        at[d] = (int64_t)(number % (size_t)tensor->extent[d]);
        number /= (size_t)tensor->extent[d];
    }
    for (int d = 0; d < tensor->dims; d++)
        place = d == 1 ? place * (size_t)(tensor->extent[1] / block) + (size_t)(at[1] / block)
                       : place * (size_t)tensor->extent[d] + (size_t)at[d];
    return place * (size_t)block + (size_t)(at[1] % block);
}

/* That of an element in a cut constant. */
static size_t cut_place(const opevo_tensor *tensor, size_t number, int64_t block,
                        const opevo_tensor_cut *cut)
{
    int64_t at[OPEVO_COMPUTATION_DIMS] = {0};
    size_t place = 0;

    for (int d = tensor->dims - 1; d >= 0; d--) {
        at[d] = (int64_t)(number % (size_t)tensor->extent[d]);
        number /= (size_t)tensor->extent[d];
    }
    for (int d = 0; d < cut->dims; d++) {
        int64_t whole = at[cut->from[d]];
        bool divided = cut->extent[d] != tensor->extent[cut->from[d]];

        assert_in_range(cut->from[d], 0, (uintmax_t)tensor->dims - 1);
        place = place * (size_t)cut->extent[d] + (size_t)(cut->inner[d] ? whole % block
                                                          : divided     ? whole / block
                                                                        : whole);
    }
    return place;
}

static size_t place_of(const opevo_tensor *tensor, size_t number, int64_t block,
                       opevo_layout_choice choice, const opevo_tensor_cut *cut)
{
    if (choice == OPEVO_LAYOUT_BLOCKED)
        return blocked_place(tensor, number, block);
    return cut->dims ? cut_place(tensor, number, block, cut) : number;
}

/* ---- The same values ------------------------------------------------------------------------ */

static void check_same(const opevo_computation *computation, int64_t block,
                       const opevo_layout_choice *choice, uint64_t seed)
{
    opevo_computation *made = NULL;
    opevo_tensor_cut cut[16] = {{0}};
    operands plain = {.count = 0}, moved = {.count = 0}, expected = {.count = 0},
             results = {.count = 0};
    int output = 0;

    CHECK_OK(opevo_computation_block(computation, block, choice, &made, cut, &err));
    assert_int_equal(made->tensors, computation->tensors);
    for (int t = 0; t < made->tensors; t++) {
        const opevo_tensor *tensor = computation->tensor[t];
        float *data = NULL;

        assert_string_equal(made->tensor[t]->name, tensor->name);
        assert_int_equal(made->tensor[t]->role, tensor->role);
        assert_int_equal(elements_of(made->tensor[t]), elements_of(tensor));
        if (tensor->definition)
            continue;
        data = plain.data[plain.count++] = opevo_calloc(elements_of(tensor), sizeof *data);
        moved.data[moved.count++] = opevo_calloc(elements_of(tensor), sizeof *data);
        for (size_t i = 0; i < elements_of(tensor); i++) {
            data[i] = (float)draw(&seed, 9) - 4;
            /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): a choice for each tensor */
            moved.data[moved.count - 1][place_of(tensor, i, block, choice[t], &cut[t])] = data[i];
        }
    }
    compute(computation, &plain, &expected);
    compute(made, &moved, &results);
    for (int t = 0; t < made->tensors; t++) {
        const opevo_tensor *tensor = computation->tensor[t];

        if (tensor->role != OPEVO_ROLE_OUTPUT)
            continue;
        if (!results.data[output] || !expected.data[output])
            fail_msg("%s has no elements", tensor->name);
        for (size_t i = 0; i < elements_of(tensor); i++)
            assert_true(results.data[output][place_of(tensor, i, block, choice[t], &cut[t])] ==
                        expected.data[output][i]);
        output++;
    }
    release(&plain);
    release(&moved);
    release(&expected);
    release(&results);
    opevo_computation_destroy(made);
}

static const struct {
    const char *text;
    const char *plain; /* tensors that cannot be blocked, by first letter */
    int64_t block;
} layers[] = {
    /* Convolutions: plain, padded with stride and dilation, of 3 channels, of a batch. */
    {"X[1,8,5,5]; const W[8,8,1,1]; Y[n:1,f:8,y:5,x:5] = sum(c:8,r:1,s:1) "
     "X[n,c,y + r,x + s]*W[f,c,r,s]",
     "", 4},
    {"X[2,8,7,6]; const W[12,8,3,3]; const B[12]; P[n:2,c:8,y:11,x:10] = "
     "select(2 <= y and y < 9 and 2 <= x and x < 8, X[n,c,y - 2,x - 2], 0); "
     "C[n:2,f:12,i:4,j:3] = sum(d:8,r:3,s:3) P[n,d,2*i + 2*r,2*j + 2*s]*W[f,d,r,s]; "
     "Y[n,f,i,j] = max(C[n,f,i,j] + B[f], 0)",
     "", 4},
    {"X[1,3,6,6]; const W[8,3,3,3]; Y[n:1,f:8,y:4,x:4] = sum(c:3,r:3,s:3) "
     "X[n,c,y + r,x + s]*W[f,c,r,s]",
     "X", 8},
    {"X[2,6,9]; const W[4,6,3]; Y[n:2,f:4,x:7] = sum(c:6,s:3) X[n,c,x + s]*W[f,c,s]", "", 2},
    /* Groups whose channels are whole blocks, and depthwise ones. */
    {"X[1,16,4,4]; const W[16,8,1,1]; Y[n:1,f:16,y:4,x:4] = sum(c:8,r:1,s:1) "
     "X[n,c + 8*(f//8),y + r,x + s]*W[f,c,r,s]",
     "", 4},
    {"X[1,8,6,6]; const W[8,1,3,3]; Y[n:1,c:8,y:4,x:4] = sum(z:1,r:3,s:3) "
     "X[n,c,y + r,x + s]*W[c,z,r,s]",
     "", 4},
    /* Pools, sums of two, and reductions to one element of a channel. */
    {"X[1,8,7,7]; Y[n:1,c:8,y:3,x:3] = max(r:3,s:3) X[n,c,2*y + r,2*x + s]", "", 8},
    {"X[1,8,5,5]; Z[1,8,5,5]; Y[n:1,c:8,y:5,x:5] = max(X[n,c,y,x] + Z[n,c,y,x], 0)", "", 2},
    {"X[1,8,5,5]; Y[n:1,c:8,y:1,x:1] = sum(r:5,s:5) X[n,c,y + r,x + s]", "", 4},
    /* What depends on the number of a channel. */
    {"X[1,8,3,3]; Y[n:1,c:8,y:3,x:3] = select(c%4 < 2, X[n,c,y,x], c//4 - X[n,c,y,x])", "", 4},
    {"X[1,8,3,3]; Y[n:1,c:8,y:3,x:3] = select(c%3 < 2, X[n,c,y,x], 3*c)", "", 4},
    /* A constant that is read twice stays as it is. */
    {"X[1,8,3,3]; const W[8,8,1,1]; Y[n:1,f:8,y:3,x:3] = sum(c:8,r:1,s:1) "
     "X[n,c,y + r,x + s]*W[f,c,r,s]*W[f,c,r,s]",
     "", 4},
};

CHECK_TEST(test_values)
{
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
        opevo_computation *computation = NULL;
        opevo_layout_choice choice[16];

        CHECK_OK(opevo_computation_parse(layers[i].text, "layer", NULL, 0, &computation, &err));
        for (uint64_t seed = 0; seed < 3; seed++) {
            for (int t = 0; t < computation->tensors; t++) {
                const opevo_tensor *tensor = computation->tensor[t];
                bool fixed = strchr(layers[i].plain, *tensor->name) != NULL;

                choice[t] = tensor->role == OPEVO_ROLE_CONSTANT
                                ? (seed == 1 ? OPEVO_LAYOUT_PLAIN : OPEVO_LAYOUT_FREE)
                            : fixed ? OPEVO_LAYOUT_PLAIN
                                    : OPEVO_LAYOUT_BLOCKED;
            }
            check_same(computation, layers[i].block, choice, seed);
        }
        opevo_computation_destroy(computation);
    }
}

/* A sum over channels reads blocks and writes none, and the other way round. */
CHECK_TEST(test_conversions)
{
    opevo_computation *computation = NULL;

    CHECK_OK(opevo_computation_parse(layers[0].text, "layer", NULL, 0, &computation, &err));
    check_same(computation, 2,
               (opevo_layout_choice[]){OPEVO_LAYOUT_BLOCKED, OPEVO_LAYOUT_FREE, OPEVO_LAYOUT_PLAIN},
               7);
    check_same(computation, 2,
               (opevo_layout_choice[]){OPEVO_LAYOUT_PLAIN, OPEVO_LAYOUT_FREE, OPEVO_LAYOUT_BLOCKED},
               8);
    opevo_computation_destroy(computation);
}

/* The weights of a convolution come in the order of its loops, output channels last. */
CHECK_TEST(test_weights)
{
    opevo_computation *computation = NULL, *made = NULL;
    opevo_tensor_cut cut[3];
    opevo_text text = {0};

    CHECK_OK(opevo_computation_parse("X[1,32,9,9]; const W[64,32,3,3]; Y[n:1,f:64,y:7,x:7] = "
                                     "sum(c:32,r:3,s:3) X[n,c,y + r,x + s]*W[f,c,r,s]",
                                     "layer", NULL, 0, &computation, &err));
    CHECK_OK(opevo_computation_block(
        computation, 16,
        (opevo_layout_choice[]){OPEVO_LAYOUT_BLOCKED, OPEVO_LAYOUT_FREE, OPEVO_LAYOUT_BLOCKED},
        &made, cut, &err));
    opevo_computation_print(made, "; ", &text);
    assert_string_equal(
        opevo_text_string(&text),
        "X[1, 2, 9, 9, 16]; const W[4, 2, 3, 3, 16, 16]; Y[i2_0:1, i2_1:4, i2_2:7, i2_3:7, "
        "i2_4:16] = sum(i2_5:2, i2_6:3, i2_7:3, i2_8:16) X[i2_0, i2_5, i2_2 + i2_6, i2_3 + i2_7, "
        "i2_8]*W[i2_1, i2_5, i2_6, i2_7, i2_8, i2_4]");
    assert_int_equal(cut[0].dims, 0);
    assert_int_equal(cut[1].dims, 6);
    opevo_text_free(&text);
    opevo_computation_destroy(made);
    opevo_computation_destroy(computation);
}

CHECK_TEST(test_refused)
{
    static const struct {
        const char *text;
        int64_t block;
    } broken[] = {
        {"X[1,6,3,3]; Y[n:1,c:6,y:3,x:3] = X[n,c,y,x]", 4},              /* no whole blocks */
        {"X[6]; Y[c:6] = X[c]", 2},                                      /* no channels */
        {"X[1,8,3,3]; Y[n:1,c:4,y:3,x:3] = X[n,c + 2,y,x]", 4},          /* across blocks */
        {"X[1,8,3,3]; Y[n:1,c:8,y:3,x:3] = X[n,7 - c,y,x]", 4},          /* backwards */
        {"X[1,8,3,3]; Y[n:1,c:8,y:3,x:3] = X[n,4*(c%2) + c//2,y,x]", 4}, /* shuffled */
        {"X[1,8,8,3]; Y[n:1,c:8,y:8,x:3] = X[n,y,c,x]", 4},              /* along other axes */
        {"X[1,8,3,3]; Y[n:1,c:4,y:3,x:3] = sum(k:5) X[n,c + k,y,x]", 4},
        {"X[1,8,2,1,1,1,1,1]; Y[a:1,b:8,c:2,d:1,e:1,f:1,g:1,h:1] = X[a,b,c,d,e,f,g,h]", 4},
    };

    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        opevo_computation *computation = NULL, *made = NULL;
        opevo_tensor_cut cut[2];
        opevo_error failure = {0};

        CHECK_OK(opevo_computation_parse(broken[i].text, "layer", NULL, 0, &computation, &err));
        assert_int_not_equal(opevo_computation_block(computation, broken[i].block,
                                                     (opevo_layout_choice[]){OPEVO_LAYOUT_BLOCKED,
                                                                             OPEVO_LAYOUT_BLOCKED},
                                                     &made, cut, &failure),
                             OPEVO_OK);
        assert_null(made);
        assert_int_not_equal(failure.message[0], 0);
        opevo_computation_destroy(computation);
    }
}
