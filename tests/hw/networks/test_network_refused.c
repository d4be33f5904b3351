/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Models that say what their operators do not mean: attributes of another type, name or opset,
 * windows that contradict weights, words that are not defined. Each is refused by the name of its
 * node. */

#include <math.h>

#include "network_models.h"

enum { FLOAT_TYPE = 1, INT_TYPE = 2 };

static uint64_t state = 5;

/* Node 0, "n", is refused with these words. */
static void check_refused(model *self, const char *words)
{
    opevo_network *network = NULL;

    self->node[0].name = (char *)"n";
    set_output(self, "y");
    assert_int_equal(model_read(self, NULL, &network), OPEVO_INVALID);
    if (!strstr(failure.message, words) || !strstr(failure.message, " 'n')"))
        fail_msg("\"%s\" does not say \"%s\" of node 'n'.", failure.message, words);
    model_finish(self);
}

static void check_read(model *self)
{
    opevo_network *network = NULL;

    set_output(self, "y");
    CHECK_OK(model_read(self, NULL, &network));
    opevo_network_destroy(network);
    model_finish(self);
}

static void add_string(model *self, size_t node, const char *name, const char *text)
{
    Onnx__Attribute *attribute = add_attribute(self, node, name);

    attribute->has_s = 1;
    attribute->s = (ProtobufCBinaryData){.len = strlen(text), .data = (uint8_t *)(char *)text};
}

/* One node with inputs x of 4 x 4 x 4 x 4 and weights w of 4 x 4 x 3 x 3, results y. */
static void start(model *self, int opset, const char *operation, const char *inputs)
{
    model_start(self);
    self->opset.version = opset;
    add_input(self, "x", 4, (int64_t[]){4, 4, 4, 4});
    add_weights(self, "w", 4, (int64_t[]){4, 4, 3, 3}, -1, 1, &state);
    add_whole(self, "one", 1, (int64_t[]){1});
    add_node(self, operation, inputs, "y");
}

/* ---- Attributes ---- */

/* The type is that which is written, or that of the value. */
CHECK_TEST(test_types)
{
    model made;

    for (int typed = 0; typed < 2; typed++) {
        start(&made, 13, "LeakyRelu", "x");
        add_int(&made, 0, "alpha", 2);
        made.attribute[0][0].has_type = typed;
        made.attribute[0][0].type = INT_TYPE;
        check_refused(&made, typed ? "alpha is of type int instead of float"
                                   : "alpha has a value of another type than float");
        start(&made, 13, "Concat", "x x");
        add_float(&made, 0, "axis", 1);
        made.attribute[0][0].has_type = typed;
        made.attribute[0][0].type = FLOAT_TYPE;
        check_refused(&made, "axis ");
        start(&made, 13, "Transpose", "x");
        add_int(&made, 0, "perm", 1);
        check_refused(&made, "perm ");
        start(&made, 13, "Concat", "x x"); /* and of the right type */
        add_int(&made, 0, "axis", 1);
        made.attribute[0][0].has_type = typed;
        made.attribute[0][0].type = INT_TYPE;
        check_read(&made);
    }
    start(&made, 13, "Concat", "x x"); /* a type without its value */
    add_float(&made, 0, "axis", 1);
    made.attribute[0][0].has_type = 1;
    made.attribute[0][0].type = INT_TYPE;
    check_refused(&made, "axis has a value of another type than int");
    start(&made, 13, "Concat", "x x"); /* a 0 that is not written */
    add_attribute(&made, 0, "axis")->type = INT_TYPE;
    made.attribute[0][0].has_type = 1;
    check_read(&made);
}

/* Whatever its operator, no node has an attribute of another name. */
CHECK_TEST(test_unknown)
{
    for (const opevo_i_net_operator *const *family = opevo_i_net_families; *family; family++) {
        for (const opevo_i_net_operator *row = *family; row->name; row++) {
            static const char *const inputs[] = {
                "",          "x",           "x x",           "x x x",          "x x x x",
                "x x x x x", "x x x x x x", "x x x x x x x", "x x x x x x x x"};
            model made;

            if (strchr(row->name, '.')) /* of another domain */
                continue;
            start(&made, OPEVO_NETWORK_OPSET, row->name, inputs[row->inputs_least]);
            add_int(&made, 0, "padz", 1);
            check_refused(&made, "no attribute 'padz'");
        }
    }
}

/* What is an attribute in one opset and an input in another one. */
CHECK_TEST(test_opsets)
{
    static const struct {
        const char *operation, *attribute, *inputs;
        int since;
    } row[] = {{"ReduceSum", "axes", "x one", 13},   {"Squeeze", "axes", "x one", 13},
               {"Unsqueeze", "axes", "x one", 13},   {"Split", "split", "x one", 13},
               {"Slice", "starts", "x one one", 10}, {"Pad", "pads", "x one", 11}};
    model made;

    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        start(&made, row[k].since, row[k].operation, "x");
        add_ints(&made, 0, row[k].attribute, 1, (int64_t[]){1});
        check_refused(&made, row[k].attribute);
        start(&made, row[k].since - 1, row[k].operation, row[k].inputs);
        check_refused(&made, strcmp(row[k].operation, "Slice") ? row[k].attribute : "is missing");
    }
    start(&made, 9, "Clip", "x one");
    check_refused(&made, "of opsets from 11");
    start(&made, 13, "Reshape", "x one");
    add_int(&made, 0, "allowzero", 1);
    check_refused(&made, "allowzero is of opsets from 14, and the model is of opset 13");
}

CHECK_TEST(test_missing)
{
    static const char *const row[][2] = {{"Concat", "axis"},
                                         {"MaxPool", "kernel_shape"},
                                         {"AveragePool", "kernel_shape"},
                                         {"Cast", "to"},
                                         {"LRN", "size"},
                                         {"DepthToSpace", "blocksize"},
                                         {"Unsqueeze", "axes"}};
    model made;

    for (int opset = 12; opset < 14; opset++) {
        for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
            start(&made, opset, row[k][0], "x");
            check_refused(&made, row[k][1]);
            assert_non_null(strstr(failure.message, "is missing"));
        }
    }
}

/* ---- Values ---- */

CHECK_TEST(test_words)
{
    static const char *const windows[] = {"Conv", "ConvTranspose", "MaxPool", "AveragePool"};
    model made;

    for (size_t k = 0; k < 4; k++) {
        start(&made, 13, windows[k], k < 2 ? "x w" : "x");
        add_ints(&made, 0, "kernel_shape", 2, (int64_t[]){3, 3});
        add_string(&made, 0, "auto_pad", "SAME");
        check_refused(&made, "auto_pad");
        start(&made, 13, windows[k], k < 2 ? "x w" : "x");
        add_ints(&made, 0, "kernel_shape", 2, (int64_t[]){3, 3});
        add_string(&made, 0, "auto_pad", "NOTSET");
        check_read(&made);
    }
    start(&made, 13, "DepthToSpace", "x");
    add_int(&made, 0, "blocksize", 2);
    add_string(&made, 0, "mode", "XYZ");
    check_refused(&made, "mode is not DCR or CRD");
    start(&made, 13, "Mod", "x x");
    check_refused(&made, "fmod must be 1");
}

CHECK_TEST(test_kernels)
{
    model made;

    for (int k = 0; k < 2; k++) {
        start(&made, 13, k ? "ConvTranspose" : "Conv", "x w");
        add_ints(&made, 0, "kernel_shape", 2, (int64_t[]){3, 2});
        check_refused(&made, "kernel_shape has 2 where its weights have 3");
    }
}

/* With auto_pad VALID there is no padding, whatever `pads` says. */
CHECK_TEST(test_valid)
{
    opevo_array x = make_array(4, (int64_t[]){4, 4, 4, 4}, &state);

    for (int k = 0; k < 2; k++) {
        uint64_t same = state;
        opevo_array y[2] = {{0}};

        for (int padded = 0; padded < 2; padded++) {
            model made;

            state = same;
            start(&made, 13, k ? "ConvTranspose" : "Conv", "x w");
            if (padded) {
                add_string(&made, 0, "auto_pad", "VALID");
                add_ints(&made, 0, "pads", 4, (int64_t[]){1, 1, 1, 1});
            }
            set_output(&made, "y");
            y[padded] = run_model(&made, &x);
        }
        assert_int_equal(y[1].extent[3], k ? 6 : 2);
        assert_int_equal(opevo_array_elements(&y[0]), opevo_array_elements(&y[1]));
        for (int64_t i = 0; i < opevo_array_elements(&y[0]); i++)
            assert_true(element(&y[0], i) == element(&y[1], i));
        opevo_array_free(&y[0]);
        opevo_array_free(&y[1]);
    }
    opevo_array_free(&x);
}

/* An average over padding only is refused, exactly where a window has no element, by brute
 * force. */
CHECK_TEST(test_averages)
{
    for (int k = 0; k < 4 * 4 * 4 * 3 * 2; k++) {
        int64_t kernel = 1 + k % 4, before = k / 4 % 4, after = k / 16 % 4, stride = 1 + k / 64 % 3;
        bool with_padding = k / 192, empty = false;
        opevo_network *network = NULL;
        model made;

        for (int64_t at = -before; at + kernel <= 4 + after; at += stride)
            empty |= at + kernel <= 0 || at >= 4;
        model_start(&made);
        add_input(&made, "x", 3, (int64_t[]){1, 1, 4});
        add_node(&made, "AveragePool", "x", "y");
        add_ints(&made, 0, "kernel_shape", 1, &kernel);
        add_ints(&made, 0, "strides", 1, &stride);
        add_ints(&made, 0, "pads", 2, (int64_t[]){before, after});
        add_int(&made, 0, "count_include_pad", with_padding);
        set_output(&made, "y");
        assert_int_equal(model_read(&made, NULL, &network),
                         empty && !with_padding ? OPEVO_INVALID : OPEVO_OK);
        assert_true(network || strstr(failure.message, "wholly in the padding"));
        opevo_network_destroy(network);
        model_finish(&made);
    }
}

/* ---- Outputs ---- */

/* The declared type of an output is what its nodes compute, or open. */
CHECK_TEST(test_outputs)
{
    static const struct {
        int type, dims;
        int64_t extent[3];
        const char *words; /* NULL: it is right */
    } row[] = {{OPEVO_NETWORK_FLOAT32, 2, {2, 3}, NULL},
               {0, 2, {0, 3}, NULL},
               {OPEVO_NETWORK_INT64, 2, {2, 3}, "declared as int64, and its nodes compute float32"},
               {8, 2, {2, 3}, "declared as another type"}};

    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        opevo_network *network = NULL;
        model made;

        model_start(&made);
        add_input(&made, "x", 2, (int64_t[]){2, 3});
        add_input(&made, "y", row[k].dims, row[k].extent); /* for its shape only */
        made.graph.n_input = 1;
        add_node(&made, "Relu", "x", "y");
        set_output(&made, "y");
        made.output.type->tensor_type->has_elem_type = 1;
        made.output.type->tensor_type->elem_type = row[k].type;
        made.output.type->tensor_type->shape = &made.shape[1];
        assert_int_equal(model_read(&made, NULL, &network),
                         row[k].words ? OPEVO_INVALID : OPEVO_OK);
        assert_true(!row[k].words || (strstr(failure.message, row[k].words) &&
                                      strstr(failure.message, "utput 'y'")));
        opevo_network_destroy(network);
        model_finish(&made);
    }
}

/* A declared shape that is not what the nodes compute is said, and the model is read. */
CHECK_TEST(test_stale_outputs)
{
    static const struct {
        int dims;
        int64_t extent[3];
        const char *words; /* NULL: it is right, or open */
    } row[] = {{2, {2, 3}, NULL},
               {2, {0, 3}, NULL},
               {3, {2, 3, 1}, "declared with 3 dimensions, and its nodes compute 2"},
               {2, {2, 4}, "declared with 4 in dimension 1, and its nodes compute 3"}};

    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        opevo_network *network = NULL;
        opevo_text why = {0};
        model made;

        model_start(&made);
        add_input(&made, "x", 2, (int64_t[]){2, 3});
        add_input(&made, "y", row[k].dims, row[k].extent); /* for its shape only */
        made.graph.n_input = 1;
        add_node(&made, "Relu", "x", "y");
        set_output(&made, "y");
        made.output.type->tensor_type->shape = &made.shape[1];
        CHECK_OK(model_read(&made, NULL, &network));
        assert_int_equal(opevo_network_output_is_stale(network, 0, &why), row[k].words != NULL);
        assert_true(!row[k].words || strstr(opevo_text_string(&why), row[k].words));
        opevo_text_free(&why);
        opevo_network_destroy(network);
        model_finish(&made);
    }
}

/* With ceil_mode a pool has ceil((in + pads - kernel) / stride) + 1 windows, which may be one that
 * is larger than what is padded; its maximum is that of all elements. */
CHECK_TEST(test_large_windows)
{
    for (int64_t kernel = 1; kernel < 12; kernel++) {
        for (int64_t stride = 1; stride < 8; stride++) {
            int64_t windows = (int64_t)ceil((double)(5 - kernel) / (double)stride) + 1;
            opevo_network *network = NULL;
            model made;

            if ((windows - 1) * stride >= 5)
                windows--;
            model_start(&made);
            add_input(&made, "x", 3, (int64_t[]){1, 1, 5});
            add_node(&made, "MaxPool", "x", "y");
            add_ints(&made, 0, "kernel_shape", 1, &kernel);
            add_ints(&made, 0, "strides", 1, &stride);
            add_int(&made, 0, "ceil_mode", 1);
            set_output(&made, "y");
            if (windows < 1) {
                assert_int_equal(model_read(&made, NULL, &network), OPEVO_INVALID);
            } else {
                float x[5] = {-3, 7, -9, 2, 11}, most[5] = {0};
                opevo_array input = {OPEVO_NETWORK_FLOAT32, 3, {1, 1, 5}, x}, output = {0};

                CHECK_OK(model_read(&made, NULL, &network));
                CHECK_OK(opevo_network_run(network, &input, &output, 1, &failure));
                assert_int_equal(output.extent[2], windows);
                for (int64_t i = 0; i < windows; i++) {
                    most[i] = -INFINITY;
                    for (int64_t k = i * stride; k < i * stride + kernel && k < 5; k++)
                        most[i] = fmaxf(most[i], x[k]);
                    assert_true(((float *)output.data)[i] == most[i]);
                }
                opevo_array_free(&output);
            }
            opevo_network_destroy(network);
            model_finish(&made);
        }
    }
}

/* Scales and zeros are one or one of each column, equations name axes of the output once, and sums
 * have so many terms that they end. */
CHECK_TEST(test_counts)
{
    static const char *const equations[] = {"abcd->aa", "abcd->e", "abcd->a!", "...abcd->a...bA"};
    model made;

    start(&made, 13, "MatMulInteger", "v v one two");
    add_whole(&made, "v", 3, (int64_t[]){1, 2, 3});
    add_whole(&made, "two", 2, (int64_t[]){1, 2});
    check_refused(&made, "Input 3 must have 1 or 1 numbers");
    for (size_t i = 0; i < sizeof equations / sizeof *equations; i++) {
        start(&made, 13, "Einsum", "x");
        add_string(&made, 0, "equation", equations[i]);
        check_refused(&made, "equation");
    }
    start(&made, 13, "Einsum", "x x x x x x x x");
    add_string(&made, 0, "equation", "abcd,efgh,ijkl,mnop,qrst,uvwx,yzAB,CDEF->");
    check_refused(&made, "products");
    start(&made, 21, "DequantizeLinear", "v w");
    add_whole(&made, "v", 3, (int64_t[]){1, 2, 3});
    add_int(&made, 0, "axis", 0);
    add_int(&made, 0, "block_size", INT64_MAX);
    check_refused(&made, "blocks of 9223372036854775807");
    start(&made, 16, "GridSample", "x x");
    add_string(&made, 0, "mode", "sinc");
    check_refused(&made, "mode");
}

int main(void)
{
    return check_tests(NULL, remove_model);
}
