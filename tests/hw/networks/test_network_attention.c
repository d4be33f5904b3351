/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Attention in networks: which steps the pass `attention` joins, and that what comes of them is
 * the formula, row by row, also where a mask leaves nothing of a row; for steps and for a library.
 */

#include "library_place.h"
#include "passed_networks.h"

#include "network_models.h"

#include <opevo/network_library.h>

#include <math.h>
#include <sys/stat.h>

enum { BATCH = 2, HEADS = 2, ROWS = 18, KEYS = 21, SIZE = 4, INPUTS = 6 };

#define PASSES "fold,split,drop,fuse,attention"
#define SCALE .5

static const int64_t of_rows[] = {BATCH, HEADS, ROWS, SIZE};
static const int64_t of_keys[] = {BATCH, HEADS, KEYS, SIZE};

/* ---- The formula ---- */

/* What is looked at: scale, mask and softmax of scores. */
typedef struct attention {
    int64_t rows, keys, heads, groups; /* groups: heads of queries for each of keys */
    const float *q, *k, *v;
    const float *added;  /* [batch, rows, keys]; NULL: none */
    const uint8_t *seen; /* [rows, keys]; NULL: all */
    double hidden;       /* in the place of a score that is not seen */
    double scale;
} attention;

static double score(const attention *of, int64_t head, int64_t i, int64_t j)
{
    int64_t keys = head / of->groups;
    double sum = 0;

    for (int64_t d = 0; d < SIZE; d++)
        sum += (double)of->q[(head * of->rows + i) * SIZE + d] *
               (double)of->k[(keys * of->keys + j) * SIZE + d];
    sum *= of->scale;
    if (of->added)
        sum += (double)of->added[(head / of->heads * of->rows + i) * of->keys + j];
    return of->seen && !of->seen[i * of->keys + j] ? of->hidden : sum;
}

/* A row of one head; head: of all batches. */
static void attend(const attention *of, int64_t head, int64_t i, double *out)
{
    double most = -INFINITY, all = 0;

    memset(out, 0, SIZE * sizeof *out);
    for (int64_t j = 0; j < of->keys; j++)
        most = fmax(most, score(of, head, i, j));
    for (int64_t j = 0; j < of->keys; j++) {
        double weight = exp(score(of, head, i, j) - most);

        all += weight;
        for (int64_t d = 0; d < SIZE; d++)
            out[d] += weight * (double)of->v[(head / of->groups * of->keys + j) * SIZE + d];
    }
    for (int64_t d = 0; d < SIZE; d++)
        out[d] /= all;
}

static void compare(const attention *of, const float *found)
{
    double row[SIZE];

    for (int64_t head = 0; head < BATCH * of->heads; head++) {
        for (int64_t i = 0; i < of->rows; i++) {
            attend(of, head, i, row);
            for (int64_t d = 0; d < SIZE; d++) {
                double x = (double)found[(head * of->rows + i) * SIZE + d];

                if (isnan(x) != isnan(row[d]) || fabs(x - row[d]) > 1e-6)
                    fail_msg("Head %d, row %d: %g in place of %g.", (int)head, (int)i, x, row[d]);
            }
        }
    }
}

/* ---- Models ---- */

static model made;
static opevo_array inputs[INPUTS];
static uint64_t state = 1;

static void add_tensor(const char *name, int dims, const int64_t *extent)
{
    inputs[made.graph.n_input] = make_array(dims, extent, &state);
    add_input(&made, name, dims, extent);
}

static void start(void)
{
    model_start(&made);
    add_tensor("q", 4, of_rows);
    add_tensor("k", 4, of_keys);
    add_tensor("v", 4, of_keys);
}

/* An input of truth values, `seen` of rows and keys. */
static void add_seen(const uint8_t *seen)
{
    size_t i = made.graph.n_input;

    inputs[i] = (opevo_array){.type = OPEVO_NETWORK_BOOL, .dims = 2, .extent = {ROWS, KEYS}};
    CHECK_OK(opevo_array_allocate(&inputs[i], &err));
    memcpy(inputs[i].data, seen, (size_t)ROWS * KEYS);
    add_input(&made, "seen", 2, (int64_t[]){ROWS, KEYS});
    made.tensor[i].elem_type = OPEVO_NETWORK_BOOL;
}

/* "s": scores of q and `keys`, scaled. */
static void add_scores(const char *keys)
{
    char names[32];
    size_t node = add_node(&made, "Transpose", keys, "t");

    add_ints(&made, node, "perm", 4, (int64_t[]){0, 1, 3, 2});
    add_node(&made, "MatMul", "q t", "c");
    add_weights(&made, "half", 0, NULL, SCALE, SCALE, &state);
    snprintf(names, sizeof names, "c half");
    add_node(&made, "Mul", names, "s");
}

static void add_rest(const char *scores, const char *product, const char *out, int64_t axis)
{
    add_int(&made, add_node(&made, "Softmax", scores, out), "axis", axis);
    add_node(&made, "MatMul", product, "y");
    set_output(&made, "y");
}

static attention formula(void)
{
    return (attention){.rows = ROWS,
                       .keys = KEYS,
                       .heads = HEADS,
                       .groups = 1,
                       .q = inputs[0].data,
                       .k = inputs[1].data,
                       .v = inputs[2].data,
                       .scale = SCALE};
}

/* Read it, and run its passes; the steps that are left. */
static opevo_network_inference *pass(opevo_network **network)
{
    opevo_network_inference *inference = NULL;

    if (model_read(&made, NULL, network) != OPEVO_OK)
        fail_msg("%s", failure.message);
    CHECK_OK(opevo_network_inference_create(*network, &inference, &err));
    CHECK_OK(opevo_network_inference_pass(inference, mask_of(PASSES), &err));
    check_texts(inference);
    return inference;
}

/* Steps but views, which are free. */
static void check_count(const opevo_network_inference *inference, int steps)
{
    int count = 0;

    for (int n = 0; n < inference->steps; n++)
        count += inference->step[n].kind != OPEVO_NETWORK_STEP_VIEW;
    if (count != steps)
        fail_msg("%d steps in place of %d.", count, steps);
}

/* It has so many steps, `of` as its result, and the network as such too. */
static void check_steps(int steps, const attention *of)
{
    opevo_network *network = NULL;
    opevo_network_inference *inference = pass(&network);
    opevo_array result = run_it(inference, inputs), plain = {0};

    check_count(inference, steps);
    CHECK_OK(opevo_network_run(network, inputs, &plain, 1, &err));
    compare(of, result.data);
    compare(of, plain.data);
    opevo_array_free(&result);
    opevo_array_free(&plain);
    for (int i = 0; i < INPUTS; i++)
        opevo_array_free(&inputs[i]);
    opevo_network_inference_destroy(inference);
    opevo_network_destroy(network);
    model_finish(&made);
}

/* Row i sees keys up to i + 3; rows 5 and 11 see nothing. */
static void draw_seen(uint8_t *seen)
{
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < KEYS; j++)
            seen[i * KEYS + j] = j <= i + 3 && i % 6 != 5;
}

/* ---- What is joined ---- */

/* -infinity everywhere in a row is NaN, as 0/0, and nothing in the rows beside it. */
CHECK_TEST(hidden_rows_are_nan)
{
    attention of;
    float *added = NULL;

    start();
    add_tensor("m", 4, (int64_t[]){BATCH, 1, ROWS, KEYS});
    added = inputs[3].data;
    for (int64_t i = 0; i < (int64_t)BATCH * ROWS * KEYS; i++)
        added[i] = i / KEYS % 5 == 2 || i % 7 == 3 ? -INFINITY : added[i];
    add_scores("k");
    add_node(&made, "Add", "s m", "a");
    add_rest("a", "p v", "p", -1);
    of = formula();
    of.added = added;
    check_steps(1, &of);
}

/* A Where on data: its mask as floats is a step of its own. */
CHECK_TEST(masks_at_run_time_are_joined)
{
    attention of;
    uint8_t seen[ROWS * KEYS];

    draw_seen(seen);
    start();
    add_seen(seen);
    add_scores("k");
    add_weights(&made, "least", 0, NULL, -3, -3, &state);
    add_node(&made, "Where", "seen s least", "a");
    add_rest("a", "p v", "p", -1);
    of = formula();
    of.seen = seen;
    of.hidden = -3;
    check_steps(2, &of);
}

/* A Where on a constant, which is a copy of boxes. */
CHECK_TEST(constant_masks_are_joined)
{
    int64_t wholes[ROWS * KEYS];
    uint8_t seen[ROWS * KEYS];
    attention of;

    draw_seen(seen);
    for (int i = 0; i < ROWS * KEYS; i++)
        wholes[i] = seen[i];
    start();
    add_whole(&made, "whole", (size_t)ROWS * KEYS, wholes);
    add_whole(&made, "shape", 2, (int64_t[]){ROWS, KEYS});
    add_node(&made, "Reshape", "whole shape", "r");
    add_int(&made, add_node(&made, "Cast", "r", "seen"), "to", OPEVO_NETWORK_BOOL);
    add_scores("k");
    add_weights(&made, "least", 0, NULL, -INFINITY, -INFINITY, &state);
    made.weights[made.graph.n_initializer - 1].float_data[0] = -INFINITY;
    add_node(&made, "Where", "seen s least", "a");
    add_rest("a", "p v", "p", -1);
    of = formula();
    of.seen = seen;
    of.hidden = -INFINITY;
    check_steps(1, &of);
}

/* A decoder that has keys from before and adds those of so many rows. */
static void check_decoder(int64_t rows, int64_t before, int steps)
{
    const int64_t now[] = {BATCH, HEADS, rows, SIZE}, past[] = {BATCH, HEADS, before, SIZE};
    float *keys = calloc(2 * (size_t)(rows + before) * BATCH * HEADS * SIZE, sizeof *keys);
    float *values = keys + (rows + before) * BATCH * HEADS * SIZE;
    attention of;

    model_start(&made);
    for (int i = 0; i < 5; i++)
        add_tensor((const char *[]){"q", "new", "newv", "past", "pastv"}[i], 4, i < 3 ? now : past);
    add_int(&made, add_node(&made, "Concat", "past new", "k"), "axis", 2);
    add_int(&made, add_node(&made, "Concat", "pastv newv", "v"), "axis", 2);
    add_scores("k");
    add_rest("s", "p v", "p", -1);
    for (int64_t head = 0; head < BATCH * HEADS; head++) {
        for (int part = 0; part < 2; part++) {
            size_t size = (size_t)((part ? rows : before) * SIZE);
            int64_t to = (head * (rows + before) + (part ? before : 0)) * SIZE;

            memcpy(keys + to, (float *)inputs[part ? 1 : 3].data + (size_t)head * size,
                   size * sizeof *keys);
            memcpy(values + to, (float *)inputs[part ? 2 : 4].data + (size_t)head * size,
                   size * sizeof *keys);
        }
    }
    of = formula();
    of.rows = rows;
    of.keys = rows + before;
    of.k = keys;
    of.v = values;
    check_steps(steps, &of);
    free(keys);
}

/* One word at a time is too little for blocks of rows; a text that is read is not. */
CHECK_TEST(decoders_with_past_keys)
{
    check_decoder(1, 20, 5);
    check_decoder(16, 1, 3);
}

/* The node of opset 23, with two heads of queries for each of keys. */
CHECK_TEST(nodes_with_groups_are_joined)
{
    attention of;

    model_start(&made);
    made.opset.version = 23;
    add_tensor("q", 4, (int64_t[]){BATCH, 2 * HEADS, ROWS, SIZE});
    add_tensor("k", 4, of_keys);
    add_tensor("v", 4, of_keys);
    add_tensor("m", 4, (int64_t[]){BATCH, 1, ROWS, KEYS});
    add_float(&made, add_node(&made, "Attention", "q k v m", "y"), "scale", (float)SCALE);
    set_output(&made, "y");
    of = formula();
    of.heads = 2 * HEADS;
    of.groups = 2;
    of.added = inputs[3].data;
    check_steps(1, &of);
}

/* ---- What is not ---- */

static void check_apart(int steps)
{
    opevo_network *network = NULL;
    opevo_network_inference *inference = pass(&network);

    check_count(inference, steps);
    opevo_network_inference_destroy(inference);
    opevo_network_destroy(network);
    for (int i = 0; i < INPUTS; i++)
        opevo_array_free(&inputs[i]);
    model_finish(&made);
}

CHECK_TEST(others_stay_apart)
{
    Onnx__ValueInfo kept = ONNX__VALUE_INFO__INIT, *both[2] = {NULL};

    for (int64_t axis = 0; axis < 3; axis++) { /* sums over batches, heads and rows */
        start();
        add_scores("k");
        add_rest("s", "p v", "p", axis);
        check_apart(3);
    }
    start();
    add_scores("k");
    add_rest("s", "p v", "p", -1);
    kept.name = (char *)"s"; /* scores are an output too */
    both[0] = &made.output;
    both[1] = &kept;
    made.graph.output = both;
    made.graph.n_output = 2;
    check_apart(3);
    start();
    add_scores("k");
    add_int(&made, add_node(&made, "Softmax", "s", "p"), "axis", -1);
    add_node(&made, "MatMul", "p v", "o");
    add_node(&made, "ReduceMax", "p", "z"); /* weights are read twice */
    add_node(&made, "Add", "o z", "y");
    set_output(&made, "y");
    check_apart(4);
}

/* ---- A library ---- */

/* All three masks, side by side, against the network node by node. */
static void make_masks(void)
{
    uint8_t seen[ROWS * KEYS];
    float *added = NULL;

    draw_seen(seen);
    start();
    add_tensor("m", 2, (int64_t[]){ROWS, KEYS});
    added = inputs[3].data;
    for (int i = 0; i < ROWS * KEYS; i++)
        added[i] = i / KEYS % 5 == 2 ? -INFINITY : added[i];
    add_seen(seen);
    add_weights(&made, "least", 0, NULL, -9, -9, &state);
    add_weights(&made, "half", 0, NULL, SCALE, SCALE, &state);
    add_ints(&made, add_node(&made, "Transpose", "k", "t"), "perm", 4, (int64_t[]){0, 1, 3, 2});
    for (int i = 0; i < 2; i++) {
        static const char *const names[][8] = {
            {"c0", "c0 half", "s0", "s0 m", "a0", "p0", "p0 v", "y0"},
            {"c1", "c1 half", "s1", "seen s1 least", "a1", "p1", "p1 v", "y1"}};
        const char *const *n = names[i];

        add_node(&made, "MatMul", "q t", n[0]);
        add_node(&made, "Mul", n[1], n[2]);
        add_node(&made, i ? "Where" : "Add", n[3], n[4]);
        add_int(&made, add_node(&made, "Softmax", n[4], n[5]), "axis", -1);
        add_node(&made, "MatMul", n[6], n[7]);
    }
    add_int(&made, add_node(&made, "Concat", "y0 y1", "y"), "axis", 0);
    set_output(&made, "y");
}

CHECK_TEST(libraries_are_right)
{
    static const char folder[] = "network_attention_test";
    static const char *const make[] = {
        "make", "-s", "-C", folder, "check", "CFLAGS=-O1 -march=native -Wall -Wextra -Werror",
        NULL};
    opevo_network_library_options options = {.threads = 2,
                                             .facts = {.vector_bits = 256},
                                             .model = "attention.onnx",
                                             .version = "0",
                                             .inputs = inputs,
                                             .input_count = 5};
    opevo_network_library_sizes sizes = {0};
    opevo_network_library *library = NULL;
    opevo_network_inference *inference = NULL, *reference = NULL;
    opevo_network *network = NULL;

    make_masks();
    inference = pass(&network);
    CHECK_OK(opevo_network_inference_create(network, &reference, &err));
    options.reference = reference;
    remove_tree(folder);
    assert_int_equal(mkdir(folder, 0777), 0);
    CHECK_OK(opevo_network_library_create(inference, &options, &library, &err));
    CHECK_OK(opevo_network_library_write(library, folder, &sizes, &err));
    assert_int_equal(opevo_network_library_tasks(library), 2);
    CHECK_OK(opevo_network_library_check_memory(library, &err));
    CHECK_PROGRAM(make);
    remove_tree(folder);
    opevo_network_library_destroy(library);
    opevo_network_inference_destroy(reference);
    opevo_network_inference_destroy(inference);
    opevo_network_destroy(network);
    for (int i = 0; i < INPUTS; i++)
        opevo_array_free(&inputs[i]);
    model_finish(&made);
}

int main(void)
{
    return enter_folder() ? leave_folder(check_tests(NULL, remove_model)) : 1;
}
