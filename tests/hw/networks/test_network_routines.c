/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Routines where numbers are large, infinite, none, or at ties, against what ONNX's schemas say. */

#include "network_models.h"
#include "routines/routines.h"

#include <math.h>

static uint64_t state = 5;

static void add_text(model *self, size_t node, const char *name, const char *text)
{
    Onnx__Attribute *attribute = add_attribute(self, node, name);

    attribute->has_s = 1;
    attribute->s = (ProtobufCBinaryData){strlen(text), (uint8_t *)text};
}

/* Result y of a model of constants, whose input is not read; the caller frees it. */
static opevo_array constant_of(model *self)
{
    opevo_array x = make_array(1, (int64_t[]){1}, &state), y;

    add_input(self, "x", 1, x.extent);
    set_output(self, "y");
    y = run_model(self, &x);
    opevo_array_free(&x);
    return y;
}

/* ---- Whole numbers ---- */

/* Neighbours beyond 2^53, which are the same as doubles. */
CHECK_TEST(large_ones_differ)
{
    enum { COUNT = 3 };
    const int64_t large = INT64_C(1) << 53, numbers[COUNT] = {large, large + 1, large - 3};
    opevo_array y = {0};
    model made;

    for (int least = 0; least < 2; least++) {
        const int64_t turned[COUNT] = {-numbers[0], -numbers[1], -numbers[2]};

        model_start(&made);
        add_whole(&made, "a", COUNT, least ? turned : numbers);
        add_node(&made, least ? "ArgMin" : "ArgMax", "a", "y");
        y = constant_of(&made);
        assert_int_equal(((int64_t *)y.data)[0], 1);
        opevo_array_free(&y);
    }
    model_start(&made);
    add_whole(&made, "a", COUNT, numbers);
    add_whole(&made, "low", 1, (int64_t[]){large - 1});
    add_whole(&made, "high", 1, (int64_t[]){large});
    add_node(&made, "Clip", "a low high", "y");
    y = constant_of(&made);
    assert_int_equal(((int64_t *)y.data)[0], large);
    assert_int_equal(((int64_t *)y.data)[1], large);
    assert_int_equal(((int64_t *)y.data)[2], large - 1);
    opevo_array_free(&y);
}

/* The maximum of no element is the least number of the type, and the minimum the largest. */
CHECK_TEST(extremes_of_nothing)
{
    static const struct {
        int type;
        int64_t least, most;
    } types[] = {{OPEVO_NETWORK_INT8, INT8_MIN, INT8_MAX},
                 {OPEVO_NETWORK_INT16, INT16_MIN, INT16_MAX},
                 {OPEVO_NETWORK_INT32, INT32_MIN, INT32_MAX},
                 {OPEVO_NETWORK_INT64, INT64_MIN, INT64_MAX},
                 {OPEVO_NETWORK_UINT8, 0, UINT8_MAX},
                 {OPEVO_NETWORK_UINT16, 0, UINT16_MAX},
                 {OPEVO_NETWORK_UINT32, 0, UINT32_MAX},
                 {OPEVO_NETWORK_UINT64, 0, -1},
                 {OPEVO_NETWORK_BOOL, 0, 1}};

    for (size_t i = 0; i < 2 * sizeof types / sizeof *types; i++) {
        opevo_array y = {0};
        model made;

        model_start(&made);
        add_whole(&made, "a", 0, (int64_t[]){0});
        add_int(&made, add_node(&made, "Cast", "a", "b"), "to", types[i / 2].type);
        add_node(&made, i % 2 ? "ReduceMax" : "ReduceMin", "b", "c");
        add_int(&made, add_node(&made, "Cast", "c", "y"), "to", OPEVO_NETWORK_INT64);
        y = constant_of(&made);
        assert_int_equal(((int64_t *)y.data)[0], i % 2 ? types[i / 2].least : types[i / 2].most);
        opevo_array_free(&y);
    }
}

/* Numbers of uint64 on both sides of 2^63, by the arithmetic of C. */
CHECK_TEST(numbers_of_uint64)
{
    static const struct {
        const char *operation;
        int type; /* of the result; 0: uint64 */
    } rows[] = {{"Max", 0},
                {"Min", 0},
                {"Div", 0},
                {"Mod", 0},
                {"Less", OPEVO_NETWORK_BOOL},
                {"Add", 0},
                {"ReduceMax", 0},
                {"ReduceMean", 0},
                {"Abs", 0},
                {"Relu", 0},
                {"Cast", OPEVO_NETWORK_FLOAT32}};
    enum { COUNT = sizeof rows / sizeof *rows };

    for (int round = 0; round < 20 * COUNT; round++) {
        int which = round % COUNT;
        uint64_t a = draw(&state, UINT64_MAX) | (uint64_t)(round % 2) << 63,
                 b = draw(&state, UINT64_MAX) >> (round % 7 * 9) | 1;
        const uint64_t wanted[] = {
            a > b ? a : b, a < b ? a : b, a / b, a % b, a < b, a + b, a, a, a, a};
        opevo_array y = {0};
        bool two = which < 6;
        model made;

        model_start(&made);
        made.opset.version = 14;
        add_whole(&made, "a0", 1, (int64_t[]){(int64_t)a});
        add_whole(&made, "b0", 1, (int64_t[]){(int64_t)b});
        add_int(&made, add_node(&made, "Cast", "a0", "a"), "to", OPEVO_NETWORK_UINT64);
        add_int(&made, add_node(&made, "Cast", "b0", "b"), "to", OPEVO_NETWORK_UINT64);
        add_node(&made, rows[which].operation, two ? "a b" : "a", "y");
        if (which == COUNT - 1)
            add_int(&made, 2, "to", OPEVO_NETWORK_FLOAT32);
        y = constant_of(&made);
        assert_int_equal(y.type, rows[which].type ? rows[which].type : OPEVO_NETWORK_UINT64);
        if (which == COUNT - 1)
            assert_true(element(&y, 0) == (float)a);
        else if (rows[which].type)
            assert_int_equal(*(unsigned char *)y.data, wanted[which]);
        else
            assert_true(*(uint64_t *)y.data == wanted[which]);
        opevo_array_free(&y);
    }
}

/* ---- Numbers ---- */

/* 1 + 2^-11 + 2^-40 is nearer to 1 + 2^-10 than to 1; as a float32 it would be a tie. */
CHECK_TEST(half_floats_are_rounded_once)
{
    opevo_array y = {0};
    model made;

    model_start(&made);
    add_weights(&made, "a", 1, (int64_t[]){1}, 1 + 0x1p-11, 1 + 0x1p-11, &state);
    add_weights(&made, "b", 1, (int64_t[]){1}, 0x1p-40, 0x1p-40, &state);
    add_int(&made, add_node(&made, "Cast", "a", "c"), "to", OPEVO_NETWORK_FLOAT64);
    add_int(&made, add_node(&made, "Cast", "b", "d"), "to", OPEVO_NETWORK_FLOAT64);
    add_node(&made, "Add", "c d", "e");
    add_int(&made, add_node(&made, "Cast", "e", "y"), "to", 10);
    y = constant_of(&made);
    assert_true(element(&y, 0) == 1 + 0x1p-10f);
    opevo_array_free(&y);
}

/* log(1 + exp(x)) of -inf and of a number whose exponential overflows. */
CHECK_TEST(softplus_is_finite)
{
    opevo_array x = make_array(3, (int64_t[]){1, 1, 1}, &state), y = {0};
    ProtobufCBinaryData word = {strlen("Softplus"), (uint8_t *)"Softplus"};
    Onnx__Attribute *attribute = NULL;
    model made;

    ((float *)x.data)[0] = -INFINITY;
    model_start(&made);
    add_input(&made, "x", 3, x.extent);
    add_int(&made, add_node(&made, "Cast", "x", "a"), "to", OPEVO_NETWORK_FLOAT64);
    add_node(&made, "Softplus", "a", "y");
    set_output(&made, "y");
    y = run_model(&made, &x);
    assert_true(*(double *)y.data == 0);
    opevo_array_free(&y);
    ((float *)x.data)[0] = 100;
    model_start(&made);
    add_input(&made, "x", 3, x.extent);
    add_weights(&made, "w", 3, x.extent, 1, 1, &state);
    add_node(&made, "RNN", "x w w", "y");
    attribute = add_attribute(&made, 0, "activations");
    attribute->n_strings = 1;
    attribute->strings = &word;
    set_output(&made, "y");
    y = run_model(&made, &x);
    assert_true(element(&y, 0) == 100);
    opevo_array_free(&y);
    opevo_array_free(&x);
}

/* NaN goes through, as through other maxima. */
CHECK_TEST(nan_is_a_maximum)
{
    opevo_array x = make_array(3, (int64_t[]){1, 1, 3}, &state), y = {0};
    model made;

    ((float *)x.data)[1] = NAN;
    model_start(&made);
    add_input(&made, "x", 3, x.extent);
    add_ints(&made, add_node(&made, "MaxPool", "x", "y i"), "kernel_shape", 1, (int64_t[]){3});
    set_output(&made, "y");
    y = run_model(&made, &x);
    assert_true(isnan(element(&y, 0)));
    opevo_array_free(&x);
    opevo_array_free(&y);
}

/* ---- Places ---- */

/* A region of half the length, of the same size as all of it. */
CHECK_TEST(crops_of_the_same_size)
{
    opevo_array x = make_array(1, (int64_t[]){8}, &state), y = {0};
    model made;

    model_start(&made);
    add_input(&made, "x", 1, x.extent);
    add_weights(&made, "roi", 1, (int64_t[]){2}, .25, .25, &state);
    made.weights[0].float_data[1] = .75F;
    add_whole(&made, "n", 1, x.extent);
    add_node(&made, "Resize", "x roi _ n", "y");
    add_text(&made, 0, "coordinate_transformation_mode", "tf_crop_and_resize");
    set_output(&made, "y");
    y = run_model(&made, &x);
    for (int i = 0; i < 8; i++)
        assert_true(element(&y, i) == element(&x, (int64_t)ceil(1.75 + .5 * i - .5)));
    opevo_array_free(&x);
    opevo_array_free(&y);
}

/* A scale so small that nothing is left, however many elements each result would be of. */
CHECK_TEST(nothing_is_left)
{
    opevo_array x = make_array(1, (int64_t[]){8}, &state), y = {0};
    model made;

    model_start(&made);
    made.opset.version = 18;
    add_input(&made, "x", 1, x.extent);
    add_weights(&made, "scale", 1, (int64_t[]){1}, 1e-30, 1e-30, &state);
    add_node(&made, "Resize", "x _ scale", "y");
    add_text(&made, 0, "mode", "cubic");
    add_int(&made, 0, "antialias", 1);
    set_output(&made, "y");
    y = run_model(&made, &x);
    assert_int_equal(y.extent[0], 0);
    opevo_array_free(&x);
    opevo_array_free(&y);
}

/* The place of element `at` of 4, on the only row, as a grid says it. */
static opevo_array sample_at(const opevo_array *x, double at, const char *mode, const char *padding)
{
    model made;

    model_start(&made);
    made.opset.version = 16;
    add_input(&made, "x", 4, x->extent);
    add_weights(&made, "grid", 4, (int64_t[]){1, 1, 1, 2}, 0, 0, &state);
    made.weights[0].float_data[0] = (float)((2 * at + 1) / 4 - 1);
    add_node(&made, "GridSample", "x grid", "y");
    add_text(&made, 0, "mode", mode);
    add_text(&made, 0, "padding_mode", padding);
    set_output(&made, "y");
    return run_model(&made, x);
}

/* A tie is rounded, then reflected; and half an element beyond the border is not yet outside. */
CHECK_TEST(samples_at_edges)
{
    opevo_array x = make_array(4, (int64_t[]){1, 1, 1, 4}, &state);
    opevo_array tie = sample_at(&x, -1.5, "nearest", "reflection");
    opevo_array edge = sample_at(&x, -.25, "bicubic", "border");
    double d = 1.25, second = ((d - 5) * d + 8) * d * -.75 + 3;
    double wanted = (double)element(&x, 0) * (1 - second) + (double)element(&x, 1) * second;

    assert_true(element(&tie, 0) == element(&x, 1));
    assert_true(fabs((double)element(&edge, 0) - wanted) < 1e-6);
    opevo_array_free(&x);
    opevo_array_free(&tie);
    opevo_array_free(&edge);
}

/* ---- Memory of routines ---- */

/* Cells with a copy of their weights in memory that is as large as they need it, and with those
 * where they are, compute the same but for the order of sums. */
CHECK_TEST(cells_with_little_memory)
{
    enum { STEPS = 8, BATCH = 2, IN = 19, HIDDEN = 4, ROWS = 4 * HIDDEN };
    static float x[STEPS * BATCH * IN], w[2 * ROWS * IN], r[2 * ROWS * HIDDEN], b[4 * ROWS];
    float *const drawn[] = {x, w, r, b};
    const size_t counts[] = {STEPS * BATCH * IN, 2 * ROWS * IN, 2 * ROWS * HIDDEN, 4 * ROWS};

    for (size_t k = 0; k < sizeof drawn / sizeof *drawn; k++) {
        for (size_t i = 0; i < counts[k]; i++)
            drawn[k][i] = (float)((double)draw(&state, 2001) / 1000 - 1);
    }
    for (int64_t kind = ROUTINE_RNN; kind <= ROUTINE_LSTM; kind++) {
        int64_t rows = (kind == ROUTINE_RNN ? 1 : kind == ROUTINE_GRU ? 3 : 4) * HIDDEN;
        const int64_t whole[] = {kind, 2, 0, 0, 0, kind == ROUTINE_RNN, 1, 1, kind == ROUTINE_RNN,
                                 1,    1};
        const double number[13] = {0};
        const routine_tensor in[] = {{ROUTINE_FLOAT32, 3, {STEPS, BATCH, IN}, x},
                                     {ROUTINE_FLOAT32, 3, {2, rows, IN}, w},
                                     {ROUTINE_FLOAT32, 3, {2, rows, HIDDEN}, r},
                                     {ROUTINE_FLOAT32, 2, {2, 2 * rows}, b}};
        float y[2][STEPS * 2 * BATCH * HIDDEN];
        double bytes[2];

        for (int scarce = 0; scarce < 2; scarce++) {
            const routine_tensor out = {ROUTINE_FLOAT32, 4, {STEPS, 2, BATCH, HIDDEN}, y[scarce]};
            routine_call call = {.in = in,
                                 .out = &out,
                                 .ins = 4,
                                 .outs = 1,
                                 .whole = whole,
                                 .number = number,
                                 .scarce = scarce != 0};

            bytes[scarce] = routine_recurrent_need(&call);
            call.memory = malloc((size_t)bytes[scarce]);
            assert_non_null(call.memory);
            memset(call.memory, 0xff, (size_t)bytes[scarce]); /* NaN */
            assert_null(routine_recurrent(&call));
            free(call.memory);
        }
        for (size_t i = 0; i < sizeof y[0] / sizeof *y[0]; i++)
            assert_true(fabsf(y[0][i] - y[1][i]) < 1e-5F);
        assert_true(isfinite(y[0][0]) && y[0][0] != y[0][1]);
        /* The copy is of the weights of one direction. */
        assert_true(bytes[0] - bytes[1] == (double)(rows * (IN + HIDDEN)) * sizeof(float));
    }
}

/* Rows that are kept while others read them are the same as elements one by one, bit for bit. */
CHECK_TEST(resized_rows_with_little_memory)
{
    enum { MOST_ELEMENTS = 3 * 20 * 20 };
    static float x[MOST_ELEMENTS], y[2][MOST_ELEMENTS];

    for (size_t i = 0; i < MOST_ELEMENTS; i++)
        x[i] = (float)((double)draw(&state, 2001) / 1000 - 1);
    for (int i = 0; i < 200; i++) {
        const int64_t whole[] = {(int64_t)draw(&state, 3), (int64_t)draw(&state, 6),
                                 (int64_t)draw(&state, 4), (int64_t)draw(&state, 2),
                                 (int64_t)draw(&state, 2)};
        const int64_t extent[2][2] = {
            {1 + (int64_t)draw(&state, 20), 1 + (int64_t)draw(&state, 20)},
            {1 + (int64_t)draw(&state, 20), 1 + (int64_t)draw(&state, 20)}};
        const double number[] = {-.75, 0, 1,
                                 0,    1, (double)extent[1][0] / (double)extent[0][0],
                                 0,    1, (double)extent[1][1] / (double)extent[0][1],
                                 0,    1};
        const routine_tensor in = {ROUTINE_FLOAT32, 3, {3, extent[0][0], extent[0][1]}, x};

        for (int scarce = 0; scarce < 2; scarce++) {
            const routine_tensor out = {
                ROUTINE_FLOAT32, 3, {3, extent[1][0], extent[1][1]}, y[scarce]};
            routine_call call = {.in = &in,
                                 .out = &out,
                                 .ins = 1,
                                 .outs = 1,
                                 .whole = whole,
                                 .number = number,
                                 .scarce = scarce != 0};
            const size_t bytes = (size_t)routine_resize_need(&call);

            call.memory = malloc(bytes);
            assert_non_null(call.memory);
            memset(call.memory, 0xff, bytes);
            assert_null(routine_resize(&call));
            free(call.memory);
        }
        assert_memory_equal(y[0], y[1], (size_t)(3 * extent[1][0] * extent[1][1]) * sizeof **y);
    }
}

int main(void)
{
    return check_tests(NULL, remove_model);
}
