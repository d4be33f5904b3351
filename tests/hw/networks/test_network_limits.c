/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Networks whose files leave out outputs, or ask for more than a file may: shapes that no memory
 * holds, parts outside a tensor, constants that take for ever. */

#include "computation_texts.h"
#include "network_models.h"

#include <opevo/network_passes.h>

#include <float.h>
#include <math.h>

static uint64_t state = 5;

static void check_refused(model *self, const opevo_network_given *given, const char *words)
{
    opevo_network *network = NULL;

    assert_int_equal(model_read(self, given, &network), OPEVO_INVALID);
    if (!strstr(failure.message, words))
        fail_msg("\"%s\" does not say \"%s\".", failure.message, words);
    model_finish(self);
}

/* ---- Outputs that are left out ---- */

/* Of every operator, the first output has a name, unless it has any number of them. */
CHECK_TEST(test_first_outputs)
{
    for (const opevo_i_net_operator *const *family = opevo_i_net_families; *family; family++) {
        for (const opevo_i_net_operator *row = *family; row->name; row++) {
            model made;

            if (!row->outputs_most || strchr(row->name, '.')) /* of another domain */
                continue;
            model_start(&made);
            made.opset.version = OPEVO_NETWORK_OPSET;
            add_input(&made, "x", 1, (int64_t[]){4});
            add_node(&made, row->name,
                     row->inputs_least > 5   ? "x x x x x x x x"
                     : row->inputs_least > 3 ? "x x x x x"
                     : row->inputs_least > 2 ? "x x x"
                     : row->inputs_least > 1 ? "x x"
                     : row->inputs_least     ? "x"
                                             : "",
                     row->outputs_most > 1 ? "_ m" : "_");
            add_node(&made, "Relu", "x", "y");
            set_output(&made, "y");
            check_refused(&made, NULL, "first output has no name");
        }
    }
}

/* Each part is the same, whichever others are left out; of a constant and of an input. */
CHECK_TEST(test_split)
{
    static const char *const names[] = {"a _ _", "_ b _", "_ _ c", "a b c"};
    static const int64_t part[] = {1, 0, 3};

    for (int k = 0; k < 18; k++) {
        int which = k % 3, others = k / 3 % 2 ? 3 : which;
        bool constant = k / 6 == 1, split_pass = k / 6 == 2;
        int64_t first = which ? 1 : 0, extent[] = {2, 4};
        opevo_array x = make_array(2, extent, &state), y = {0};
        opevo_network_inference *inference = NULL;
        opevo_network *network = NULL;
        model made;

        model_start(&made);
        add_input(&made, "x", 2, extent);
        add_weights(&made, "w", 2, extent, 1, 2, &state);
        for (int i = 0; i < 8 && constant; i++)
            ((float *)x.data)[i] = made.weights[0].float_data[i];
        add_whole(&made, "parts", 3, part);
        add_node(&made, "Split", constant ? "w parts" : "x parts", names[others]);
        add_int(&made, 0, "axis", 1);
        set_output(&made, which == 0 ? "a" : which == 1 ? "b" : "c");
        CHECK_OK(model_read(&made, NULL, &network));
        CHECK_OK(opevo_network_inference_create(network, &inference, &err));
        if (split_pass)
            CHECK_OK(opevo_network_inference_pass(inference, OPEVO_NETWORK_ALL_PASSES, &err));
        CHECK_OK(opevo_network_inference_run(inference, &x, &y, 1, &err));
        assert_int_equal(y.extent[1], part[which]);
        for (int64_t r = 0; r < 2; r++) {
            for (int64_t i = 0; i < part[which]; i++)
                assert_true(element(&y, r * part[which] + i) == element(&x, 4 * r + first + i));
        }
        opevo_network_inference_destroy(inference);
        opevo_network_destroy(network);
        opevo_array_free(&x);
        opevo_array_free(&y);
        model_finish(&made);
    }
}

CHECK_TEST(test_parts_outside)
{
    static const int64_t parts[][2] = {{-100000000, 100000004}, {5, -1},        {1, 2},
                                       {INT64_MAX, INT64_MAX},  {INT64_MIN, 4}, {4, 1}};

    for (size_t k = 0; k < 2 * sizeof parts / sizeof *parts; k++) {
        model made;

        model_start(&made);
        add_input(&made, "x", 1, (int64_t[]){4});
        add_whole(&made, "parts", 2, parts[k / 2]);
        add_node(&made, "Split", "x parts", k % 2 ? "_ y" : "a y");
        set_output(&made, "y");
        check_refused(&made, NULL, "node 0 (Split)");
    }
}

/* What the named outputs of a batch normalisation in training are, beside the definitions:
 * (x - mean)/sqrt(variance + epsilon) scale + bias, and 0.9 running + 0.1 of the batch. */
CHECK_TEST(test_training)
{
    static const char *const names[] = {"y", "y m", "y _ v", "y m v"};

    for (int k = 0; k < 12; k++) {
        int which = k % 3;
        const char *name = which == 0 ? "y" : which == 1 ? "m" : "v";
        opevo_array x = make_array(2, (int64_t[]){7, 2}, &state), y = {0};
        float parameter[4][2];
        model made;

        if (!strstr(names[k / 3], name)) {
            opevo_array_free(&x);
            continue;
        }
        model_start(&made);
        made.opset.version = 15;
        add_input(&made, "x", 2, x.extent);
        for (int p = 0; p < 4; p++) {
            add_weights(&made, (const char *[]){"s", "b", "r", "q"}[p], 1, (int64_t[]){2}, .5, 1.5,
                        &state);
            memcpy(parameter[p], made.weights[p].float_data, sizeof parameter[p]);
        }
        add_node(&made, "BatchNormalization", "x s b r q", names[k / 3]);
        add_int(&made, 0, "training_mode", 1);
        set_output(&made, name);
        y = run_model(&made, &x);
        for (int c = 0; c < 2; c++) {
            double mean = 0, variance = 0;

            for (int i = 0; i < 7; i++)
                mean += (double)element(&x, 2 * i + c) / 7;
            for (int i = 0; i < 7; i++)
                variance += pow((double)element(&x, 2 * i + c) - mean, 2) / 7;
            for (int i = 0; i < 7; i++) {
                double wanted = which == 1 ? (double)parameter[2][c] * .9 + mean * .1
                                : which == 2
                                    ? (double)parameter[3][c] * .9 + variance * .1
                                    : ((double)element(&x, 2 * i + c) - mean) /
                                              sqrt(variance + 1e-5) * (double)parameter[0][c] +
                                          (double)parameter[1][c];

                assert_true(fabs((double)element(&y, which ? c : 2 * i + c) - wanted) < 1e-5);
            }
        }
        opevo_array_free(&x);
        opevo_array_free(&y);
    }
}

CHECK_TEST(test_outputs_of_training)
{
    for (int k = 0; k < 3; k++) {
        model made;

        model_start(&made);
        made.opset.version = 15;
        add_input(&made, "x", 2, (int64_t[]){2, 3});
        add_weights(&made, "s", 1, (int64_t[]){3}, 1, 2, &state);
        add_node(&made, "BatchNormalization", "x s s s s",
                 k == 0   ? "y a"
                 : k == 1 ? "y a b c"
                          : "y a b c d");
        add_int(&made, 0, "training_mode", k > 0);
        set_output(&made, "y");
        check_refused(&made, NULL, k ? "in training mode there are 3" : "outputs of training");
    }
}

/* Definitions name what there is, whatever made them. */
CHECK_TEST(test_data_of_definitions)
{
    static const struct {
        const char *text;
        opevo_status status;
    } row[] = {{"X0[2]\nY0[a:2] = X0[a]\n", OPEVO_OK},
               {"X1[2]\nY0[a:2] = X1[a]\n", OPEVO_INVALID},
               {"X2[2]\nY0[a:2] = X2[a]\n", OPEVO_INVALID},
               {"X0[2]\nY1[a:2] = X0[a]\n", OPEVO_INVALID},
               {"X0[2]\nY3[a:2] = X0[a]\n", OPEVO_INVALID},
               {"X[2]\nY0[a:2] = X[a]\n", OPEVO_INVALID},
               {"X0[2]\nY[a:2] = X0[a]\n", OPEVO_INVALID},
               {"X99999999999999999999[2]\nY0[a:2] = X99999999999999999999[a]\n", OPEVO_INVALID}};
    const float x[2] = {1, 2};

    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        float y[2] = {0, 0};
        const void *data[2] = {x, NULL};
        void *out[2] = {y, NULL};

        opevo_computation *computation = computation_of(row[k].text);

        assert_int_equal(opevo_i_net_compute(computation, data, 2, out, 2, 1, &failure),
                         row[k].status);
        opevo_computation_destroy(computation);
        assert_true(y[1] == (row[k].status == OPEVO_OK ? 2 : 0));
    }
}

/* ---- Shapes ---- */

/* Products that wrap around to a small number, of what a file or a caller gives. */
CHECK_TEST(test_large_inputs)
{
    static const struct {
        int dims;
        int64_t extent[4];
    } row[] = {{4, {65536, 65536, 65536, 65536}},
               {4, {65536, 65536, 65536, 65537}},
               {2, {1 << 21, 1 << 20}},
               {1, {INT64_C(1) << 31}},
               {1, {INT64_MAX}}};

    for (size_t k = 0; k < 2 * sizeof row / sizeof *row; k++) {
        opevo_network_shape shape = {.name = "x", .dims = row[k / 2].dims};
        const opevo_network_given given = {.shapes = &shape, .shape_count = 1};
        model made;

        memcpy(shape.extent, row[k / 2].extent, sizeof row[0].extent);
        model_start(&made);
        add_input(&made, "x", shape.dims, k % 2 ? (int64_t[]){0, 0, 0, 0} : shape.extent);
        add_whole(&made, "start", 1, (int64_t[]){0});
        add_whole(&made, "end", 1, (int64_t[]){1});
        add_node(&made, "Slice", "x start end", "y");
        set_output(&made, "y");
        check_refused(&made, k % 2 ? &given : NULL, "Input 'x' has");
    }
}

/* No product of some extents is too large either, where another extent is 0. */
CHECK_TEST(test_large_empty_tensors)
{
    model made;

    model_start(&made);
    made.opset.version = 14;
    add_input(&made, "x", 1, (int64_t[]){4});
    add_whole(&made, "empty", 0, (int64_t[]){0});
    add_whole(&made, "shape", 4, (int64_t[]){2147483647, 2147483647, 2147483647, 0});
    add_int(&made, add_node(&made, "Reshape", "empty shape", "a"), "allowzero", 1);
    add_node(&made, "Relu", "x", "y");
    set_output(&made, "y");
    check_refused(&made, NULL, "too many");
}

CHECK_TEST(test_large_reshapes)
{
    static const int64_t shape[][4] = {{2147483647, 2147483647, 2147483647, -1},
                                       {1099511, 2147483647, 2147483647, 2147483647},
                                       {65536, 65536, 65536, 65536}};

    for (size_t k = 0; k < sizeof shape / sizeof *shape; k++) {
        model made;

        model_start(&made);
        add_input(&made, "x", 1, (int64_t[]){4});
        add_whole(&made, "shape", 4, shape[k]);
        add_node(&made, "Reshape", "x shape", "y");
        set_output(&made, "y");
        check_refused(&made, NULL, "does not fit 4 elements");
    }
}

/* A step of a slice that is longer than the tensor. */
CHECK_TEST(test_large_steps)
{
    opevo_array x = make_array(2, (int64_t[]){3, 4}, &state), y = {0};
    model made;

    model_start(&made);
    add_input(&made, "x", 2, x.extent);
    add_whole(&made, "starts", 2, (int64_t[]){2, 3});
    add_whole(&made, "ends", 2, (int64_t[]){INT64_MIN, INT64_MAX});
    add_whole(&made, "axes", 2, (int64_t[]){0, 1});
    add_whole(&made, "steps", 2, (int64_t[]){-INT32_MAX, INT32_MAX});
    add_node(&made, "Slice", "x starts ends axes steps", "y");
    set_output(&made, "y");
    y = run_model(&made, &x);
    assert_int_equal(opevo_array_elements(&y), 1);
    assert_true(element(&y, 0) == element(&x, 2 * 4 + 3));
    opevo_array_free(&x);
    opevo_array_free(&y);
}

/* ---- Constants that are not worth their work ---- */

/* Neither reading nor the passes compute them; without a limit, this test does not end. */
CHECK_TEST(test_long_constants)
{
    static const struct {
        int64_t channels, places, size;
        bool known;
    } row[] = {{4, 1, 3, true},
               {4, 1, 2147483647, false},
               {1, 65536, (1 << 20) - 1, false}}; /* few operations at many points */

    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        opevo_network_inference *inference = NULL;
        opevo_network *network = NULL;
        int64_t extent[] = {1, row[k].channels, row[k].places};
        model made;

        model_start(&made);
        add_input(&made, "x", 3, extent);
        add_weights(&made, "c", 3, extent, 1, 2, &state);
        add_int(&made, add_node(&made, "LRN", "c", "d"), "size", row[k].size);
        add_node(&made, "Add", "x d", "y");
        set_output(&made, "y");
        CHECK_OK(model_read(&made, NULL, &network));
        CHECK_OK(opevo_network_inference_create(network, &inference, &err));
        CHECK_OK(opevo_network_inference_pass(inference, OPEVO_NETWORK_ALL_PASSES, &err));
        for (int i = 0; i < opevo_network_value_count(network); i++) {
            const opevo_network_value *value = opevo_network_value_at(network, i);

            if (strcmp(value->name, "d") == 0) {
                assert_true(value->constant);
                assert_int_equal(value->array.data != NULL, row[k].known);
            }
        }
        opevo_network_inference_destroy(inference);
        opevo_network_destroy(network);
        model_finish(&made);
    }
}

/* Joined at most 64 by 64, so that the work of joining is linear in the nodes. */
CHECK_TEST(test_long_chains)
{
    enum { NODES = 2 * 64 + 1 };
    opevo_array x = make_array(1, (int64_t[]){4}, &state), y = {0};
    opevo_network_inference *inference = NULL;
    opevo_network *network = NULL;
    static Onnx__Node node[NODES], *nodes[NODES];
    static char name[NODES + 1][8], *names[NODES + 1];
    model made;

    for (int i = 0; i <= NODES; i++) {
        snprintf(name[i], sizeof name[i], "v%d", i);
        names[i] = name[i];
    }
    for (int i = 0; i < NODES; i++) {
        node[i] = (Onnx__Node)ONNX__NODE__INIT;
        node[i].op_type = "Relu";
        node[i].n_input = node[i].n_output = 1;
        node[i].input = &names[i];
        node[i].output = &names[i + 1];
        nodes[i] = &node[i];
    }
    model_start(&made);
    add_input(&made, name[0], 1, x.extent);
    set_output(&made, name[NODES]);
    made.graph.node = nodes;
    made.graph.n_node = NODES;
    CHECK_OK(model_read(&made, NULL, &network));
    CHECK_OK(opevo_network_inference_create(network, &inference, &err));
    CHECK_OK(opevo_network_inference_pass(inference, OPEVO_NETWORK_ALL_PASSES, &err));
    assert_int_equal(inference->steps, 3);
    CHECK_OK(opevo_network_inference_run(inference, &x, &y, 1, &err));
    for (int i = 0; i < 4; i++)
        assert_true(element(&y, i) == fmaxf(element(&x, i), 0));
    opevo_network_inference_destroy(inference);
    opevo_network_destroy(network);
    opevo_array_free(&x);
    opevo_array_free(&y);
}

/* The maximum and its place, where almost all of a window is padding: only points inside are
 * visited. */
CHECK_TEST(test_wide_windows)
{
    enum { WIDE = 1 << 24 };
    opevo_array x = make_array(5, (int64_t[]){1, 2, 2, 3, 2}, &state);
    model made;

    for (int index = 0; index < 2; index++) {
        opevo_array y = {0};

        model_start(&made);
        add_input(&made, "x", 5, x.extent);
        add_node(&made, "MaxPool", "x", "y i");
        add_ints(&made, 0, "kernel_shape", 3, (int64_t[]){WIDE, WIDE, WIDE});
        add_ints(&made, 0, "strides", 3, (int64_t[]){WIDE, WIDE, WIDE});
        add_ints(&made, 0, "pads", 6, (int64_t[]){WIDE, WIDE, WIDE, WIDE, WIDE, WIDE});
        set_output(&made, index ? "i" : "y");
        y = run_model(&made, &x);
        assert_int_equal(opevo_array_elements(&y), 16);
        for (int i = 0; i < 16; i++) {
            int best = 0, plane = 12 * (i / 8);

            for (int k = 0; k < 12; k++)
                best = element(&x, plane + k) > element(&x, plane + best) ? k : best;
            if (i % 8 < 7) /* padding only */
                assert_true(index || element(&y, i) == -INFINITY);
            else if (index)
                assert_int_equal(((int64_t *)y.data)[i], plane + best);
            else
                assert_true(element(&y, i) == element(&x, plane + best));
        }
        opevo_array_free(&y);
    }
    opevo_array_free(&x);
}

/* The maximum with its place is that without, and is at its place. */
CHECK_TEST(test_places_of_maxima)
{
    for (int k = 0; k < 60; k++) {
        int64_t kernel = 1 + (int64_t)draw(&state, 4), dilation = 1 + (int64_t)draw(&state, 3),
                stride = 1 + (int64_t)draw(&state, 3);
        int64_t before = (int64_t)draw(&state, (uint64_t)kernel),
                after = (int64_t)draw(&state, (uint64_t)kernel);
        opevo_array x = make_array(3, (int64_t[]){1, 2, (kernel - 1) * dilation + 4}, &state);
        opevo_array y[3] = {{0}};

        for (int r = 0; r < 3; r++) { /* alone; with its place; the place */
            model made;

            model_start(&made);
            add_input(&made, "x", 3, x.extent);
            add_node(&made, "MaxPool", "x", r ? "y i" : "y");
            add_ints(&made, 0, "kernel_shape", 1, &kernel);
            add_ints(&made, 0, "strides", 1, &stride);
            add_ints(&made, 0, "dilations", 1, &dilation);
            add_ints(&made, 0, "pads", 2, (int64_t[]){before, after});
            set_output(&made, r == 2 ? "i" : "y");
            y[r] = run_model(&made, &x);
        }
        for (int64_t i = 0; i < opevo_array_elements(&y[0]); i++) {
            assert_true(element(&y[0], i) == element(&y[1], i));
            assert_true(element(&x, ((int64_t *)y[2].data)[i]) == element(&y[0], i));
        }
        for (int r = 0; r < 3; r++)
            opevo_array_free(&y[r]);
        opevo_array_free(&x);
    }
}

/* What docs/formats/onnx.md says of elements below all finite numbers: a window of padding and
 * -inf. */
CHECK_TEST(test_least_elements)
{
    for (int index = 0; index < 2; index++) {
        opevo_array x = make_array(3, (int64_t[]){1, 1, 3}, &state), y = {0};
        model made;

        for (int i = 0; i < 3; i++)
            ((float *)x.data)[i] = -INFINITY;
        model_start(&made);
        add_input(&made, "x", 3, x.extent);
        add_node(&made, "MaxPool", "x", index ? "y i" : "y");
        add_ints(&made, 0, "kernel_shape", 1, (int64_t[]){2});
        add_ints(&made, 0, "pads", 2, (int64_t[]){1, 0});
        set_output(&made, "y");
        y = run_model(&made, &x);
        assert_true(element(&y, 0) == (index ? -INFINITY : -FLT_MAX));
        assert_true(element(&y, 1) == -INFINITY && element(&y, 2) == -INFINITY);
        opevo_array_free(&x);
        opevo_array_free(&y);
    }
}

/* A region far larger than its image ends with a sentence, not after a year of samples. */
CHECK_TEST(test_large_regions)
{
    for (int large = 0; large < 2; large++) {
        float image[] = {1, 2, 3, 4}, far = large ? 1e30f : 2, region[] = {0, 0, far, far};
        int64_t batch[] = {0};
        opevo_array in[] = {{OPEVO_NETWORK_FLOAT32, 4, {1, 1, 2, 2}, image},
                            {OPEVO_NETWORK_FLOAT32, 2, {1, 4}, region}},
                    y = {0};
        opevo_network *network = NULL;
        model made;

        model_start(&made);
        made.opset.version = 16;
        add_input(&made, "x", 4, in[0].extent);
        add_input(&made, "regions", 2, in[1].extent);
        add_whole(&made, "batch", 1, batch);
        add_node(&made, "RoiAlign", "x regions batch", "y");
        set_output(&made, "y");
        CHECK_OK(model_read(&made, NULL, &network));
        assert_int_equal(opevo_network_run(network, in, &y, 1, &failure),
                         large ? OPEVO_INVALID : OPEVO_OK);
        if (large)
            assert_non_null(strstr(failure.message, "more than 4096 samples"));
        opevo_array_free(&y);
        opevo_network_destroy(network);
        model_finish(&made);
    }
}

/* ---- Values and shapes of the caller ---- */

CHECK_TEST(test_given)
{
    static const char *const files[] = {"a.pb", "b.pb"};
    opevo_array value[2] = {make_array(2, (int64_t[]){2, 3}, &state),
                            make_array(2, (int64_t[]){3, 3}, &state)};
    const opevo_network_shape shape = {.name = "z", .dims = 1, .extent = {4}};
    const struct {
        opevo_network_given given;
        const char *words;
    } row[] = {
        {{.values = value, .files = files, .value_count = 1}, "2 inputs, and 1 tensors are given"},
        {{.values = value, .files = files, .value_count = 2},
         "Dimension 0 of input 'b' is 2; that of b.pb is 3"},
        {{.shapes = &shape, .shape_count = 1}, "'z', which is not an input; inputs are 'a', 'b'."}};

    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        model made;

        model_start(&made);
        add_input(&made, "a", 2, (int64_t[]){2, 3});
        add_input(&made, "b", 2, (int64_t[]){2, 3});
        add_node(&made, "Add", "a b", "y");
        set_output(&made, "y");
        check_refused(&made, &row[k].given, row[k].words);
    }
    opevo_array_free(&value[0]);
    opevo_array_free(&value[1]);
}

int main(void)
{
    return check_tests(NULL, remove_model);
}
