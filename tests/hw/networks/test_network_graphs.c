/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Graphs in nodes: loops, scans, functions of a model and sequences, against closed forms; and
 * results whose size depends on data, against loops. */

#include "network_bodies.h"

#include <math.h>

static uint64_t state = 5;

/* ---- Loops ---- */

/* acc += x; row = acc times the number of the run. */
static void body_sum(body *self)
{
    body_start(self);
    body_input(self, "i");
    body_input(self, "goes");
    body_input(self, "acc");
    add_node(&self->super, "Add", "acc x", "sum");
    add_node(&self->super, "Cast", "i", "number");
    add_int(&self->super, 1, "to", OPEVO_NETWORK_FLOAT32);
    add_node(&self->super, "Mul", "sum number", "row");
    body_outputs(self, 3, (const char *const[]){"goes", "sum", "row"});
}

CHECK_TEST(test_loop)
{
    enum { RUNS = 4, SIZE = 3 };
    opevo_array x = make_array(1, (int64_t[]){SIZE}, &state), y = {0};

    for (int stacked = 0; stacked < 2; stacked++) {
        opevo_network *network = NULL;
        model made;
        body loop;

        body_sum(&loop);
        start(&made, 18);
        add_input(&made, "x", 1, x.extent);
        add_whole(&made, "runs", 1, (int64_t[]){RUNS});
        add_node(&made, "Loop", "runs _ x", "last rows");
        add_attribute(&made, 0, "body")->g = &loop.super.graph;
        set_output(&made, stacked ? "rows" : "last");
        CHECK_OK(model_read(&made, NULL, &network));
        CHECK_OK(opevo_network_run(network, &x, &y, 1, &err));
        assert_int_equal(y.dims, 1 + stacked);
        assert_int_equal(opevo_array_elements(&y), stacked ? RUNS * SIZE : SIZE);
        for (int i = 0; i < (stacked ? RUNS : 1) * SIZE; i++) {
            double of = (double)element(&x, i % SIZE);
            int run = i / SIZE;

            check_near((double)element(&y, i), stacked ? run * (run + 2) * of : (RUNS + 1) * of,
                       "Loop");
        }
        opevo_array_free(&y);
        opevo_network_destroy(network);
        model_finish(&made);
        model_finish(&loop.super);
    }
    opevo_array_free(&x);
}

/* Doubled until the largest element is at least 10: a model that runs while it is read. */
CHECK_TEST(test_loop_until)
{
    float numbers[] = {0.3f, -1, 1.5f};
    opevo_array x = {OPEVO_NETWORK_FLOAT32, 1, {3}, numbers}, y = {0};
    opevo_network_given given = {.values = &x, .value_count = 1};
    opevo_network *network = NULL;
    model made;
    body loop;

    body_start_loop(&loop);
    add_node(&loop.super, "Add", "acc acc", "sum");
    add_node(&loop.super, "ReduceMax", "sum", "most");
    add_int(&loop.super, 1, "keepdims", 0);
    add_node(&loop.super, "Less", "most ten", "more");
    body_outputs(&loop, 2, (const char *const[]){"more", "sum"});
    start(&made, 18);
    add_input(&made, "x", 1, x.extent);
    add_weights(&made, "ten", 0, NULL, 10, 10, &state);
    add_node(&made, "Loop", "_ _ x", "y");
    add_attribute(&made, 0, "body")->g = &loop.super.graph;
    set_output(&made, "y");
    assert_int_equal(model_read(&made, &given, &network), OPEVO_INVALID);
    assert_non_null(strstr(failure.message, "condition must be one constant number"));
    given.eager = true;
    CHECK_OK(model_read(&made, &given, &network));
    CHECK_OK(opevo_network_run(network, &x, &y, 1, &err));
    for (int i = 0; i < 3; i++)
        assert_true(element(&y, i) == 8 * numbers[i]); /* 3, 6, 12 */
    opevo_array_free(&y);
    opevo_network_destroy(network);
    model_finish(&made);
    model_finish(&loop.super);
}

/* A loop in a branch that may not be taken has no number of runs; the other branch is not asked. */
CHECK_TEST(test_loop_in_branch)
{
    float numbers[] = {1, -2, 3};
    opevo_array x = {OPEVO_NETWORK_FLOAT32, 1, {3}, numbers}, y = {0};

    for (int bound = 0; bound < 2; bound++) {
        const char *const bindings[] = {"c=0"};
        opevo_network_given given = {.bindings = bindings, .binding_count = (size_t)bound};
        opevo_network *network = NULL;
        body loop, yes, no;
        model made;

        body_sum(&loop);
        body_start(&yes);
        add_node(&yes.super, "Loop", "k _ x", "last rows");
        add_attribute(&yes.super, 0, "body")->g = &loop.super.graph;
        add_node(&yes.super, "Neg", "last", "z");
        body_outputs(&yes, 1, (const char *const[]){"z"});
        body_start(&no);
        add_node(&no.super, "Neg", "x", "z");
        body_outputs(&no, 1, (const char *const[]){"z"});
        start(&made, 18);
        add_input(&made, "x", 1, x.extent);
        add_input(&made, "c", 0, NULL);
        made.tensor[1].elem_type = OPEVO_NETWORK_BOOL;
        add_input(&made, "k", 0, NULL);
        made.tensor[2].elem_type = OPEVO_NETWORK_INT64;
        add_node(&made, "If", "c", "y");
        add_attribute(&made, 0, "then_branch")->g = &yes.super.graph;
        add_attribute(&made, 0, "else_branch")->g = &no.super.graph;
        set_output(&made, "y");
        if (bound) {
            int64_t k = 2;
            opevo_array in[] = {x, {OPEVO_NETWORK_INT64, 0, {0}, &k}};

            CHECK_OK(model_read(&made, &given, &network));
            CHECK_OK(opevo_network_run(network, in, &y, 1, &err));
            for (int i = 0; i < 3; i++)
                assert_true(element(&y, i) == -numbers[i]);
            opevo_array_free(&y);
        } else {
            assert_int_equal(model_read(&made, NULL, &network), OPEVO_INVALID);
            assert_non_null(strstr(failure.message, "number of runs must be one constant number"));
        }
        opevo_network_destroy(network);
        model_finish(&made);
        model_finish(&yes.super);
        model_finish(&no.super);
        model_finish(&loop.super);
    }
}

/* Sums of columns from the last one on. */
CHECK_TEST(test_scan)
{
    enum { ROWS = 3, COLUMNS = 5 };
    opevo_array x = make_array(2, (int64_t[]){ROWS, COLUMNS}, &state), y = {0};
    model made;
    body scan;

    body_start(&scan);
    body_input(&scan, "x"); /* hides the one around it */
    body_input(&scan, "part");
    add_node(&scan.super, "Add", "x part", "sum");
    add_node(&scan.super, "Identity", "sum", "row");
    body_outputs(&scan, 2, (const char *const[]){"sum", "row"});
    start(&made, 18);
    add_input(&made, "x", 2, x.extent);
    add_weights(&made, "zero", 1, (int64_t[]){ROWS}, 0, 0, &state);
    add_node(&made, "Scan", "zero x", "last sums");
    add_attribute(&made, 0, "body")->g = &scan.super.graph;
    add_int(&made, 0, "num_scan_inputs", 1);
    add_ints(&made, 0, "scan_input_axes", 1, (int64_t[]){1});
    add_ints(&made, 0, "scan_input_directions", 1, (int64_t[]){1});
    add_ints(&made, 0, "scan_output_axes", 1, (int64_t[]){-1});
    add_ints(&made, 0, "scan_output_directions", 1, (int64_t[]){1});
    set_output(&made, "sums");
    y = run_model(&made, &x);
    for (int r = 0; r < ROWS; r++) {
        double sum = 0;

        for (int c = COLUMNS - 1; c >= 0; c--) {
            sum += (double)element(&x, r * COLUMNS + c);
            check_near((double)element(&y, r * COLUMNS + c), sum, "Scan");
        }
    }
    opevo_array_free(&x);
    opevo_array_free(&y);
    model_finish(&scan.super);
}

/* Parts of lengths 1, 2 and 3, of which the second comes once more at the end. */
CHECK_TEST(test_sequence)
{
    static const int rows[] = {0, 1, 2, 3, 4, 5, 1, 2};
    opevo_array x = make_array(2, (int64_t[]){6, 2}, &state), y = {0};
    model made;

    start(&made, 18);
    add_input(&made, "x", 2, x.extent);
    add_whole(&made, "lengths", 3, (int64_t[]){1, 2, 3});
    add_whole(&made, "place", 1, (int64_t[]){-2});
    add_node(&made, "SplitToSequence", "x lengths", "parts");
    add_node(&made, "SequenceAt", "parts place", "part");
    add_node(&made, "SequenceInsert", "parts part", "more");
    add_node(&made, "ConcatFromSequence", "more", "y");
    add_int(&made, 3, "axis", 0);
    set_output(&made, "y");
    y = run_model(&made, &x);
    assert_int_equal(y.extent[0], 8);
    for (int i = 0; i < 16; i++)
        assert_true(element(&y, i) == element(&x, 2 * rows[i / 2] + i % 2));
    opevo_array_free(&x);
    opevo_array_free(&y);
}

/* ---- Functions ---- */

/* A function "own.NAME" of nodes. */
typedef struct function {
    model nodes;
    Onnx__Function super;
    char *input[1], *output[1];
} function;

static void function_start(function *self, const char *name)
{
    start(&self->nodes, 18);
    self->super = (Onnx__Function)ONNX__FUNCTION__INIT;
    self->super.name = (char *)name;
    self->super.domain = (char *)"own";
    self->input[0] = (char *)"a";
    self->output[0] = (char *)"b";
    self->super.input = self->input;
    self->super.output = self->output;
    self->super.n_input = self->super.n_output = 1;
}

static void function_call(model *self, const char *name, const char *in, const char *out)
{
    size_t i = add_node(self, name, in, out);

    self->node[i].domain = (char *)"own";
}

static opevo_status read_functions(model *made, function *functions, size_t count,
                                   opevo_network **out)
{
    Onnx__Function *list[2];

    for (size_t i = 0; i < count; i++) {
        functions[i].super.node = functions[i].nodes.nodes;
        functions[i].super.n_node = functions[i].nodes.graph.n_node;
        list[i] = &functions[i].super;
    }
    made->super.functions = list;
    made->super.n_functions = count;
    return model_read(made, NULL, out);
}

/* Leak(a) is a LeakyRelu by attribute `slope`, of which 0.5 is the default; Twice is it twice. */
CHECK_TEST(test_calls)
{
    float numbers[] = {-1, 2, -3};
    opevo_array x = {OPEVO_NETWORK_FLOAT32, 1, {3}, numbers}, y = {0};
    opevo_network *network = NULL;
    Onnx__Attribute slope = ONNX__ATTRIBUTE__INIT, *defaults[] = {&slope};
    function functions[2];
    model made;

    function_start(&functions[0], "Leak");
    add_node(&functions[0].nodes, "LeakyRelu", "a", "b");
    add_attribute(&functions[0].nodes, 0, "alpha")->ref_attr_name = (char *)"slope";
    slope.name = (char *)"slope";
    slope.has_f = 1;
    slope.f = 0.5f;
    functions[0].super.attribute_proto = defaults;
    functions[0].super.n_attribute_proto = 1;
    function_start(&functions[1], "Twice");
    function_call(&functions[1].nodes, "Leak", "a", "t");
    function_call(&functions[1].nodes, "Leak", "t", "b");
    start(&made, 18);
    add_input(&made, "x", 1, x.extent);
    function_call(&made, "Leak", "x", "t");
    add_float(&made, 0, "slope", 0.25f);
    function_call(&made, "Twice", "t", "y");
    set_output(&made, "y");
    CHECK_OK(read_functions(&made, functions, 2, &network));
    CHECK_OK(opevo_network_run(network, &x, &y, 1, &err));
    for (int i = 0; i < 3; i++)
        assert_true(element(&y, i) == (numbers[i] < 0 ? numbers[i] / 16 : numbers[i]));
    opevo_array_free(&y);
    opevo_network_destroy(network);
    model_finish(&made);
    model_finish(&functions[0].nodes);
    model_finish(&functions[1].nodes);
}

/* Functions that call each other are refused, and an operator in one is named. */
CHECK_TEST(test_calls_refused)
{
    opevo_network *network = NULL;

    for (int unknown = 0; unknown < 2; unknown++) {
        function functions[2];
        model made;

        function_start(&functions[0], "Even");
        function_start(&functions[1], "Odd");
        function_call(&functions[0].nodes, "Odd", "a", "b");
        function_call(&functions[1].nodes, unknown ? "Missing" : "Even", "a", "b");
        start(&made, 18);
        add_input(&made, "x", 1, (int64_t[]){3});
        function_call(&made, "Even", "x", "y");
        set_output(&made, "y");
        assert_int_equal(read_functions(&made, functions, 2, &network), OPEVO_INVALID);
        assert_non_null(
            strstr(failure.message, unknown ? "Missing of own (1 node: 0)" : "more than 64 deep"));
        model_finish(&made);
        model_finish(&functions[0].nodes);
        model_finish(&functions[1].nodes);
    }
}

/* A loop without nodes ends by the number of its runs. */
CHECK_TEST(test_runs_refused)
{
    opevo_network *network = NULL;
    model made;
    body loop;

    body_start_loop(&loop);
    body_outputs(&loop, 2, (const char *const[]){"goes", "acc"});
    start(&made, 18);
    add_input(&made, "x", 1, (int64_t[]){3});
    add_whole(&made, "runs", 1, (int64_t[]){INT64_MAX});
    add_node(&made, "Loop", "runs _ x", "y");
    add_attribute(&made, 0, "body")->g = &loop.super.graph;
    set_output(&made, "y");
    assert_int_equal(model_read(&made, NULL, &network), OPEVO_INVALID);
    assert_non_null(strstr(failure.message, "more than 65536 times"));
    model_finish(&made);
    model_finish(&loop.super);
}

/* ---- Sizes that depend on data ---- */

static double overlap(const float *a, const float *b)
{
    double common = 1, one = 1, other = 1;

    for (int d = 0; d < 2; d++) {
        double low =
            fmax(fmin((double)a[d], (double)a[d + 2]), fmin((double)b[d], (double)b[d + 2]));
        double high =
            fmin(fmax((double)a[d], (double)a[d + 2]), fmax((double)b[d], (double)b[d + 2]));

        common *= fmax(high - low, 0);
        one *= fabs((double)a[d + 2] - (double)a[d]);
        other *= fabs((double)b[d + 2] - (double)b[d]);
    }
    return common / (one + other - common);
}

enum { BOXES = 24, KEPT = 7 };

/* The best box is taken, and those that overlap it leave, until none is left. */
static int expect_boxes(const float *box, const float *score, int64_t *out)
{
    bool left[BOXES];
    int kept = 0;

    for (int i = 0; i < BOXES; i++)
        left[i] = score[i] > 0.2f;
    while (kept < KEPT) {
        int best = -1;

        for (int i = 0; i < BOXES; i++)
            best = left[i] && (best < 0 || score[i] > score[best]) ? i : best;
        if (best < 0)
            break;
        out[kept++] = best;
        for (int i = 0; i < BOXES; i++)
            left[i] &= overlap(box + 4 * best, box + 4 * i) <= 0.4;
        left[best] = false;
    }
    return kept;
}

/* Boxes and scores of two classes as inputs, and the rows of those that are left. */
static void add_boxes(model *made, const opevo_array in[2], const char *rows)
{
    add_input(made, "boxes", 3, in[0].extent);
    add_input(made, "scores", 3, in[1].extent);
    add_whole(made, "most", 1, (int64_t[]){KEPT});
    add_weights(made, "overlap", 1, (int64_t[]){1}, 0.4, 0.4, &state);
    add_weights(made, "score", 1, (int64_t[]){1}, 0.2, 0.2, &state);
    add_node(made, "NonMaxSuppression", "boxes scores most overlap score", rows);
}

CHECK_TEST(test_boxes)
{
    for (int round = 0; round < 20; round++) {
        opevo_array in[] = {make_array(3, (int64_t[]){1, BOXES, 4}, &state),
                            make_array(3, (int64_t[]){1, 2, BOXES}, &state)},
                    y = {0};
        opevo_network_given given = {.values = in, .value_count = 2, .eager = true};
        opevo_network *network = NULL;
        int64_t wanted[KEPT] = {0};
        int count = 0;
        model made;

        start(&made, 11);
        add_boxes(&made, in, "y");
        set_output(&made, "y");
        CHECK_OK(model_read(&made, &given, &network));
        CHECK_OK(opevo_network_run(network, in, &y, 1, &err));
        for (int class = 0; class < 2; class ++) {
            int kept = expect_boxes(in[0].data, (float *)in[1].data + class * BOXES, wanted);

            assert_true(count + kept <= y.extent[0]);
            for (int i = 0; i < kept; i++) {
                const int64_t *row = (int64_t *)y.data + 3 * (count + i);

                assert_true(row[0] == 0 && row[1] == class && row[2] == wanted[i]);
            }
            count += kept;
        }
        assert_int_equal(y.extent[0], count);
        opevo_network_destroy(network);
        opevo_array_free(&in[0]);
        opevo_array_free(&in[1]);
        opevo_array_free(&y);
        model_finish(&made);
    }
}

/* Corners of the boxes that are left, by a network of known sizes: rows up to its count are those
 * of the model that runs while it is read. */
CHECK_TEST(test_counted)
{
    for (int round = 0; round < 10; round++) {
        opevo_array in[] = {make_array(3, (int64_t[]){1, BOXES, 4}, &state),
                            make_array(3, (int64_t[]){1, 2, BOXES}, &state)},
                    y[2] = {{0}}, wanted = {0};
        opevo_network_given given = {.values = in, .value_count = 2, .eager = true};
        opevo_network *network = NULL;
        int64_t count = 0;
        model made;

        start(&made, 13);
        add_boxes(&made, in, "rows");
        add_whole(&made, "two", 1, (int64_t[]){2});
        add_whole(&made, "three", 1, (int64_t[]){3});
        add_whole(&made, "one", 1, (int64_t[]){1});
        add_whole(&made, "zero", 1, (int64_t[]){0});
        add_whole(&made, "first", 1, (int64_t[]){9});
        add_node(&made, "Slice", "rows two three one", "column");
        add_node(&made, "Squeeze", "column one", "places");
        add_node(&made, "Squeeze", "boxes zero", "all");
        add_node(&made, "Gather", "all places", "taken");
        add_node(&made, "Slice", "taken zero first zero", "few");
        add_node(&made, "Neg", "few", "y");
        set_output(&made, "y");
        CHECK_OK(model_read(&made, &given, &network));
        CHECK_OK(opevo_network_run(network, in, &wanted, 1, &err));
        opevo_network_destroy(network);
        network = NULL;
        assert_int_equal(model_read(&made, NULL, &network), OPEVO_INVALID);
        given = (opevo_network_given){.counts = true};
        CHECK_OK(model_read(&made, &given, &network));
        assert_int_equal(opevo_network_output_count(network), 2);
        CHECK_OK(opevo_network_run(network, in, y, 1, &err));
        count = *(int64_t *)y[1].data;
        assert_true(count == wanted.extent[0] && count > 0 && y[0].extent[0] == 9);
        assert_memory_equal(y[0].data, wanted.data, (size_t)count * 4 * sizeof(float));
        opevo_network_destroy(network);
        for (int i = 0; i < 2; i++) {
            opevo_array_free(&in[i]);
            opevo_array_free(&y[i]);
        }
        opevo_array_free(&wanted);
        model_finish(&made);
    }
}

/* Which output of Unique, sorted or in the order of what is found: y[inverse] is x, counts are
 * those of equal elements, and no two of y are equal. */
CHECK_TEST(test_unique)
{
    enum { COUNT = 15 };
    int64_t numbers[COUNT];
    opevo_array x = {OPEVO_NETWORK_INT64, 1, {COUNT}, numbers};

    for (int round = 0; round < 8; round++) {
        opevo_array y[4] = {{0}};
        int64_t *value = NULL, *first = NULL, *group = NULL, *counts = NULL;

        for (int i = 0; i < COUNT; i++)
            numbers[i] = (int64_t)draw(&state, 6) - 3;
        for (int k = 0; k < 4; k++) {
            opevo_network_given given = {.values = &x, .value_count = 1, .eager = true};
            opevo_network *network = NULL;
            model made;

            start(&made, 11);
            add_input(&made, "x", 1, x.extent);
            made.tensor[0].elem_type = OPEVO_NETWORK_INT64;
            add_node(&made, "Unique", "x", "o0 o1 o2 o3");
            add_int(&made, 0, "sorted", round % 2);
            set_output(&made, k == 0 ? "o0" : k == 1 ? "o1" : k == 2 ? "o2" : "o3");
            CHECK_OK(model_read(&made, &given, &network));
            CHECK_OK(opevo_network_run(network, &x, &y[k], 1, &err));
            opevo_network_destroy(network);
            model_finish(&made);
        }
        value = y[0].data;
        first = y[1].data;
        group = y[2].data;
        counts = y[3].data;
        for (int i = 0; i < COUNT; i++)
            assert_true(value[group[i]] == numbers[i]);
        for (int g = 0; g < y[0].extent[0]; g++) {
            int64_t found = 0, least = -1;

            for (int i = 0; i < COUNT; i++) {
                found += numbers[i] == value[g];
                least = least < 0 && numbers[i] == value[g] ? i : least;
            }
            assert_true(counts[g] == found && first[g] == least);
            assert_true(g == 0 || (round % 2 ? value[g] > value[g - 1] : first[g] > first[g - 1]));
        }
        for (int k = 0; k < 4; k++)
            opevo_array_free(&y[k]);
    }
}

int main(void)
{
    return check_tests(NULL, remove_model);
}
