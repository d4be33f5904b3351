/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Networks: models made here, read and run; convolutions and pooling against loops written anew;
 * models that are refused. */

#include "network_models.h"

#include <math.h>

static void check_refused(model *self, const char *words)
{
    opevo_network *network = NULL;

    assert_int_equal(model_read(self, NULL, &network), OPEVO_INVALID);
    if (!strstr(failure.message, words))
        fail_msg("\"%s\" does not say \"%s\".", failure.message, words);
    model_finish(self);
}

/* ---- Convolutions and pooling ---- */

/* Along one dimension. */
typedef struct side {
    int64_t in, kernel, stride, dilation, before, after, out;
} side;

static side draw_side(uint64_t *state)
{
    side s = {.kernel = 1 + (int64_t)draw(state, 4),
              .stride = 1 + (int64_t)draw(state, 3),
              .dilation = 1 + (int64_t)draw(state, 2),
              .before = (int64_t)draw(state, 3),
              .after = (int64_t)draw(state, 3)};
    int64_t reach = (s.kernel - 1) * s.dilation + 1;

    s.in = reach + (int64_t)draw(state, 6);
    s.out = (s.in + s.before + s.after - reach) / s.stride + 1;
    return s;
}

static double at(const opevo_array *array, int64_t n, int64_t c, int64_t y, int64_t x)
{
    if (y < 0 || x < 0 || y >= array->extent[2] || x >= array->extent[3])
        return 0;
    return (
        double)((const float *)array
                    ->data)[((n * array->extent[1] + c) * array->extent[2] + y) * array->extent[3] +
                            x];
}

/* The definition in ONNX's words, element by element. */
static double convolve(const opevo_array *x, const opevo_array *w, const side *s, int64_t groups,
                       int64_t n, int64_t m, int64_t y, int64_t z)
{
    int64_t per_group = w->extent[0] / groups;
    double sum = 0;

    for (int64_t c = 0; c < w->extent[1]; c++) {
        for (int64_t i = 0; i < s[0].kernel; i++)
            for (int64_t j = 0; j < s[1].kernel; j++)
                sum += at(w, m, c, i, j) * at(x, n, m / per_group * w->extent[1] + c,
                                              y * s[0].stride + i * s[0].dilation - s[0].before,
                                              z * s[1].stride + j * s[1].dilation - s[1].before);
    }
    return sum;
}

static void add_window(model *self, size_t node, const side *s)
{
    add_ints(self, node, "kernel_shape", 2, (int64_t[]){s[0].kernel, s[1].kernel});
    add_ints(self, node, "strides", 2, (int64_t[]){s[0].stride, s[1].stride});
    if (strcmp(self->node[node].op_type, "AveragePool") != 0) /* which has them since opset 19 */
        add_ints(self, node, "dilations", 2, (int64_t[]){s[0].dilation, s[1].dilation});
    add_ints(self, node, "pads", 4, (int64_t[]){s[0].before, s[1].before, s[0].after, s[1].after});
}

static void check_convolution(uint64_t seed)
{
    uint64_t state = seed;
    side s[2] = {draw_side(&state), draw_side(&state)};
    int64_t groups = 1 + (int64_t)draw(&state, 3), in = groups * (1 + (int64_t)draw(&state, 3));
    int64_t out = groups * (1 + (int64_t)draw(&state, 3)), batch = 1 + (int64_t)draw(&state, 2);
    opevo_array array[2] = {
        make_array(4, (int64_t[]){batch, in, s[0].in, s[1].in}, &state),
        make_array(4, (int64_t[]){out, in / groups, s[0].kernel, s[1].kernel}, &state)};
    opevo_array result = {0};
    opevo_network *network = NULL;
    model made;

    model_start(&made);
    add_input(&made, "x", 4, array[0].extent);
    add_input(&made, "w", 4, array[1].extent);
    add_window(&made, add_node(&made, "Conv", "x w", "y"), s);
    add_int(&made, 0, "group", groups);
    set_output(&made, "y");
    CHECK_OK(model_read(&made, NULL, &network));
    CHECK_OK(opevo_network_run(network, array, &result, 1, &err));
    assert_int_equal(opevo_array_elements(&result), batch * out * s[0].out * s[1].out);
    for (int64_t i = 0; i < opevo_array_elements(&result); i++) {
        int64_t x = i % s[1].out, y = i / s[1].out % s[0].out, m = i / s[1].out / s[0].out % out;
        double wanted =
            convolve(&array[0], &array[1], s, groups, i / s[1].out / s[0].out / out, m, y, x);

        assert_true(fabs((double)((float *)result.data)[i] - wanted) <= 1e-6 * (1 + fabs(wanted)));
    }
    opevo_array_free(&result);
    opevo_array_free(&array[0]);
    opevo_array_free(&array[1]);
    opevo_network_destroy(network);
    model_finish(&made);
}

CHECK_TEST(test_convolutions)
{
    for (uint64_t seed = 0; seed < 100; seed++)
        check_convolution(seed);
}

/* The maximum of windows that lie in the input, and the mean of their elements there. */
static void check_pool(uint64_t seed, bool mean)
{
    uint64_t state = seed;
    side s[2] = {draw_side(&state), draw_side(&state)};
    opevo_array array = {0}, result = {0};
    opevo_network *network = NULL;
    model made;

    for (int d = 0; d < 2; d++) {
        s[d].dilation = 1;
        s[d].before = s[d].before < s[d].kernel ? s[d].before : s[d].kernel - 1;
        s[d].after = s[d].after < s[d].kernel ? s[d].after : s[d].kernel - 1;
        s[d].out = (s[d].in + s[d].before + s[d].after - s[d].kernel) / s[d].stride + 1;
    }
    array = make_array(4, (int64_t[]){1, 2, s[0].in, s[1].in}, &state);
    model_start(&made);
    add_input(&made, "x", 4, array.extent);
    add_window(&made, add_node(&made, mean ? "AveragePool" : "MaxPool", "x", "y"), s);
    set_output(&made, "y");
    CHECK_OK(model_read(&made, NULL, &network));
    CHECK_OK(opevo_network_run(network, &array, &result, 1, &err));
    for (int64_t i = 0; i < opevo_array_elements(&result); i++) {
        int64_t x = i % s[1].out, y = i / s[1].out % s[0].out, c = i / s[1].out / s[0].out;
        double most = -INFINITY, sum = 0, count = 0;

        for (int64_t k = 0; k < s[0].kernel * s[1].kernel; k++) {
            int64_t row = y * s[0].stride + k / s[1].kernel - s[0].before;
            int64_t column = x * s[1].stride + k % s[1].kernel - s[1].before;

            if (row < 0 || column < 0 || row >= s[0].in || column >= s[1].in)
                continue;
            most = fmax(most, at(&array, 0, c, row, column));
            sum += at(&array, 0, c, row, column);
            count++;
        }
        assert_true(fabs((double)((float *)result.data)[i] - (mean ? sum / count : most)) <= 1e-6);
    }
    opevo_array_free(&result);
    opevo_array_free(&array);
    opevo_network_destroy(network);
    model_finish(&made);
}

CHECK_TEST(test_pools)
{
    for (uint64_t seed = 0; seed < 50; seed++) {
        check_pool(seed, false);
        check_pool(seed, true);
    }
}

/* ---- Graphs ---- */

/* Nodes may stand in any order; a node runs after those that it reads. */
CHECK_TEST(test_order)
{
    opevo_array x = {0}, y = {0};
    opevo_network *network = NULL;
    uint64_t seed = 1;
    model made;

    model_start(&made);
    add_input(&made, "x", 1, (int64_t[]){5});
    add_node(&made, "Mul", "b a", "y"); /* (x + x) x x */
    add_node(&made, "Mul", "x x", "b");
    add_node(&made, "Add", "x x", "a");
    set_output(&made, "y");
    CHECK_OK(model_read(&made, NULL, &network));
    x = make_array(1, (int64_t[]){5}, &seed);
    CHECK_OK(opevo_network_run(network, &x, &y, 1, &err));
    for (int i = 0; i < 5; i++) {
        double v = (double)((float *)x.data)[i];

        assert_true(fabs((double)((float *)y.data)[i] - 2 * v * v * v) <= 1e-6);
    }
    assert_string_equal(opevo_network_node_at(network, 2)->operation, "Mul");
    opevo_array_free(&x);
    opevo_array_free(&y);
    opevo_network_destroy(network);
    model_finish(&made);
}

CHECK_TEST(test_refused)
{
    model made;

    model_start(&made); /* a cycle */
    add_input(&made, "x", 1, (int64_t[]){5});
    add_node(&made, "Add", "x b", "a");
    add_node(&made, "Add", "x a", "b");
    set_output(&made, "b");
    check_refused(&made, "reads its own result");

    model_start(&made);
    add_input(&made, "x", 1, (int64_t[]){5});
    add_node(&made, "Relu", "x", "x");
    set_output(&made, "x");
    check_refused(&made, "Two tensors are named 'x'");

    model_start(&made);
    add_input(&made, "x", 1, (int64_t[]){5});
    add_node(&made, "Unfold", "x", "y");
    set_output(&made, "y");
    check_refused(&made, "does not know 1 operator, which docs/formats/onnx.md does not list: "
                         "Unfold (1 node: 0).");

    model_start(&made);
    add_input(&made, "x", 1, (int64_t[]){5});
    add_node(&made, "Unfold", "x", "a");
    add_node(&made, "Relu", "a", "b");
    add_node(&made, "Refold", "b", "c");
    for (int i = 0; i < 4; i++)
        add_node(&made, "Unfold", "c", (const char *[]){"d", "e", "f", "y"}[i]);
    set_output(&made, "y");
    check_refused(&made, "does not know 2 operators, which docs/formats/onnx.md does not list: "
                         "Unfold (5 nodes: 0, 3, 4, ...), Refold (1 node: 2).");

    model_start(&made);
    add_input(&made, "x", 1, (int64_t[]){5});
    add_input(&made, "y", 1, (int64_t[]){4});
    add_node(&made, "Add", "x y", "z");
    set_output(&made, "z");
    check_refused(&made, "do not fit together");

    model_start(&made);
    add_input(&made, "x", 1, (int64_t[]){5});
    set_output(&made, "z");
    check_refused(&made, "not computed by any node");

    model_start(&made);
    made.opset.version = 99;
    add_input(&made, "x", 1, (int64_t[]){5});
    add_node(&made, "Relu", "x", "y");
    set_output(&made, "y");
    check_refused(&made, "opset 99");
}

/* Open dimensions are the caller's to give. */
CHECK_TEST(test_open_shapes)
{
    const opevo_network_shape shape = {.name = "x", .dims = 2, .extent = {3, 5}};
    const opevo_network_given given = {.shapes = &shape, .shape_count = 1};
    opevo_network *network = NULL;
    model made;

    model_start(&made);
    add_input(&made, "x", 2, (int64_t[]){0, 5});
    add_node(&made, "Relu", "x", "y");
    set_output(&made, "y");
    assert_int_equal(model_read(&made, NULL, &network), OPEVO_INVALID);
    assert_non_null(strstr(failure.message, "--shape x="));
    CHECK_OK(model_read(&made, &given, &network));
    assert_int_equal(
        opevo_network_value_at(network, opevo_network_output(network, 0))->array.extent[0], 3);
    opevo_network_destroy(network);
    model_finish(&made);
}

/* A file that is cut, or of which a byte is another, is refused or read; never worse. */
CHECK_TEST(test_spoilt_files)
{
    model made;
    size_t size = 0;
    uint8_t *bytes = NULL;
    uint64_t seed = 7;

    model_start(&made);
    add_input(&made, "x", 4, (int64_t[]){1, 2, 8, 8});
    add_input(&made, "w", 4, (int64_t[]){3, 2, 3, 3});
    add_ints(&made, add_node(&made, "Conv", "x w", "a"), "pads", 4, (int64_t[]){1, 1, 1, 1});
    add_node(&made, "MaxPool", "a", "b");
    add_ints(&made, 1, "kernel_shape", 2, (int64_t[]){2, 2});
    add_node(&made, "Flatten", "b", "c");
    set_output(&made, "c");
    size = onnx__model__get_packed_size(&made.super);
    bytes = malloc(size);
    for (int i = 0; i < 2000; i++) {
        size_t length = i % 2 ? size : draw(&seed, size);
        opevo_network *network = NULL;

        onnx__model__pack(&made.super, bytes);
        if (i % 2)
            bytes[draw(&seed, size)] = (uint8_t)draw(&seed, 256);
        if (opevo_network_read(write_bytes(bytes, length), NULL, &network, &failure) == OPEVO_OK)
            opevo_network_destroy(network);
    }
    free(bytes);
    model_finish(&made);
}

int main(void)
{
    return check_tests(NULL, remove_model);
}
