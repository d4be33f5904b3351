/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Operators of networks that compute, against C functions, loops and identities: functions of one
 * element, broadcasting, whole numbers that shapes are made of, reductions, normalisations. */

#include "network_models.h"

#include <math.h>

#include <opevo/network_passes.h>

static uint64_t state = 5;

static void check_near(double found, double wanted, const char *what)
{
    if (!(fabs(found - wanted) <= 1e-5 * (1 + fabs(wanted))))
        fail_msg("%s: %.9g instead of %.9g", what, found, wanted);
}

/* ---- Functions ---- */

static double relu(double x)
{
    return fmax(x, 0);
}

static double leaky(double x)
{
    return x < 0 ? 0.01 * x : x;
}

static double logistic(double x)
{
    return 1 / (1 + exp(-x));
}

static double hard_sigmoid(double x)
{
    return fmax(0, fmin(1, 0.2 * x + 0.5));
}

static double hard_swish(double x)
{
    return x * fmax(0, fmin(1, x / 6 + 0.5));
}

static double elu(double x)
{
    return x < 0 ? expm1(x) : x;
}

static double selu(double x)
{
    return 1.0507009873554805 * (x > 0 ? x : 1.6732632423543772 * expm1(x));
}

static double thresholded(double x)
{
    return x > 1 ? x : 0;
}

static double shrink(double x)
{
    return x < -0.5 || x > 0.5 ? x : 0;
}

static double softsign(double x)
{
    return x / (1 + fabs(x));
}

static double softplus(double x)
{
    return log(1 + exp(x));
}

static double negative(double x)
{
    return -x;
}

static double reciprocal(double x)
{
    return 1 / x;
}

static double sign_of(double x)
{
    return x > 0 ? 1 : x < 0 ? -1 : 0;
}

static const struct {
    const char *name;
    double (*function)(double);
    double least, most;
} functions[] = {{"Relu", relu, -2, 2},
                 {"LeakyRelu", leaky, -2, 2},
                 {"Sigmoid", logistic, -9, 9},
                 {"HardSigmoid", hard_sigmoid, -5, 5},
                 {"HardSwish", hard_swish, -5, 5},
                 {"Tanh", tanh, -5, 5},
                 {"Exp", exp, -5, 5},
                 {"Sqrt", sqrt, 0, 9},
                 {"Erf", erf, -3, 3},
                 {"Neg", negative, -2, 2},
                 {"Abs", fabs, -2, 2},
                 {"Reciprocal", reciprocal, 0.5, 4},
                 {"Elu", elu, -3, 3},
                 {"Selu", selu, -3, 3},
                 {"Celu", elu, -3, 3},
                 {"ThresholdedRelu", thresholded, -3, 3},
                 {"Shrink", shrink, -2, 2},
                 {"Softsign", softsign, -3, 3},
                 {"Sign", sign_of, -2, 2},
                 {"Softplus", softplus, -9, 9},
                 {"Log", log, 0.1, 9},
                 {"Floor", floor, -3, 3},
                 {"Ceil", ceil, -3, 3},
                 {"Round", rint, -3, 3},
                 {"Sin", sin, -4, 4},
                 {"Cos", cos, -4, 4},
                 {"Tan", tan, -1, 1},
                 {"Asin", asin, -1, 1},
                 {"Acos", acos, -1, 1},
                 {"Atan", atan, -4, 4},
                 {"Sinh", sinh, -3, 3},
                 {"Cosh", cosh, -3, 3},
                 {"Asinh", asinh, -4, 4},
                 {"Acosh", acosh, 1, 4},
                 {"Atanh", atanh, -0.9, 0.9}};

/* Elements from `least` on. */
CHECK_TEST(test_functions)
{
    for (size_t r = 0; r < sizeof functions / sizeof *functions; r++) {
        opevo_array x = make_array(2, (int64_t[]){7, 9}, &state), y = {0};
        model made;

        for (int i = 0; i < 63; i++)
            ((float *)x.data)[i] =
                (float)(functions[r].least + (functions[r].most - functions[r].least) * i / 62);
        model_start(&made);
        made.opset.version = 17;
        add_input(&made, "x", 2, (int64_t[]){7, 9});
        add_node(&made, functions[r].name, "x", "y");
        set_output(&made, "y");
        y = run_model(&made, &x);
        for (int i = 0; i < 63; i++)
            check_near((double)element(&y, i), functions[r].function((double)element(&x, i)),
                       functions[r].name);
        opevo_array_free(&x);
        opevo_array_free(&y);
    }
}

/* A power of whole and half exponents is products and roots, others are those of C. */
CHECK_TEST(test_powers)
{
    static const double exponents[] = {-2, -1, -.5, .5, 1, 2, 3, 4, 0, 2.5, 7};

    for (size_t k = 0; k < sizeof exponents / sizeof *exponents; k++) {
        opevo_array x = make_array(1, (int64_t[]){20}, &state), y = {0};
        model made;

        for (int i = 0; i < 20; i++)
            ((float *)x.data)[i] = 0.25f + (float)i / 8;
        model_start(&made);
        add_input(&made, "x", 1, (int64_t[]){20});
        add_weights(&made, "p", 0, NULL, exponents[k], exponents[k], &state);
        add_node(&made, "Pow", "x p", "y");
        set_output(&made, "y");
        y = run_model(&made, &x);
        for (int i = 0; i < 20; i++)
            check_near((double)element(&y, i), pow((double)element(&x, i), exponents[k]), "Pow");
        opevo_array_free(&x);
        opevo_array_free(&y);
    }
}

/* ---- Broadcasting ---- */

/* The smaller tensor may come first, as a bias does in products of exported layers. */
CHECK_TEST(test_broadcast)
{
    for (int first = 0; first < 2; first++) {
        opevo_array x = make_array(3, (int64_t[]){2, 3, 4}, &state), y = {0};
        model made;

        model_start(&made);
        add_input(&made, "x", 3, (int64_t[]){2, 3, 4});
        add_weights(&made, "b", 2, (int64_t[]){3, 1}, -1, 1, &state);
        add_node(&made, "Sub", first ? "b x" : "x b", "y");
        set_output(&made, "y");
        float b[3] = {0};

        memcpy(b, made.weights[0].float_data, sizeof b);
        y = run_model(&made, &x);
        assert_int_equal(y.dims, 3);
        for (int i = 0; i < 24; i++) {
            double d = (double)element(&x, i) - (double)b[i / 4 % 3];

            check_near((double)element(&y, i), first ? -d : d, "Sub");
        }
        opevo_array_free(&x);
        opevo_array_free(&y);
    }
}

/* ---- Many inputs ---- */

enum { MANY = 300 };

/* What the node makes of x and b, which are its inputs in turn, by a loop. */
static double fold(const char *name, double x, double b, int inputs)
{
    double all = x;

    for (int i = 1; i < inputs; i++) {
        double next = i % 2 ? b : x;

        all = strcmp(name, "Max") == 0   ? fmax(all, next)
              : strcmp(name, "Min") == 0 ? fmin(all, next)
                                         : all + next;
    }
    return strcmp(name, "Mean") == 0 ? all / inputs : all;
}

/* The largest number of inputs of a step. */
static int most_inputs(const opevo_network_inference *inference)
{
    int most = 0;

    for (int n = 0; n < inference->steps; n++)
        most = inference->step[n].inputs > most ? inference->step[n].inputs : most;
    return most;
}

/* Before and after the passes: a kernel takes at most 15 inputs, a node any number. */
static void check_many(const char *name, size_t inputs)
{
    static char *names[MANY];
    opevo_array x = make_array(3, (int64_t[]){2, 3, 4}, &state);
    opevo_network *network = NULL;
    opevo_network_inference *inference = NULL;
    float b[3] = {0};
    model made;

    model_start(&made);
    add_input(&made, "x", 3, (int64_t[]){2, 3, 4});
    add_weights(&made, "b", 2, (int64_t[]){3, 1}, -1, 1, &state);
    memcpy(b, made.weights[0].float_data, sizeof b);
    add_node(&made, name, "x", "y");
    for (size_t i = 0; i < inputs; i++)
        names[i] = i % 2 ? made.weights[0].name : made.node_input[0][0];
    made.node[0].input = names;
    made.node[0].n_input = inputs;
    set_output(&made, "y");
    CHECK_OK(model_read(&made, NULL, &network));
    CHECK_OK(opevo_network_inference_create(network, &inference, &err));
    assert_int_equal(inference->steps > 1, inputs > 15);
    for (int passed = 0; passed < 2; passed++) {
        opevo_array y = {0};

        if (passed)
            CHECK_OK(opevo_network_inference_pass(inference, OPEVO_NETWORK_ALL_PASSES, &err));
        assert_true(most_inputs(inference) <= 15);
        CHECK_OK(opevo_network_inference_run(inference, &x, &y, 1, &err));
        for (int i = 0; i < 24; i++)
            check_near((double)element(&y, i),
                       fold(name, (double)element(&x, i), (double)b[i / 4 % 3], (int)inputs), name);
        opevo_array_free(&y);
    }
    opevo_network_inference_destroy(inference);
    opevo_network_destroy(network);
    made.node[0].n_input = 1;
    model_finish(&made);
    opevo_array_free(&x);
}

CHECK_TEST(test_many_inputs)
{
    static const char *const names[] = {"Sum", "Mean", "Max", "Min"};
    static const size_t inputs[] = {1, 2, 15, 16, 17, 50, MANY};

    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
            check_many(names[n], inputs[i]);
}

/* ---- Whole numbers that shapes are made of ---- */

/* What exporters write for x.view(x.shape[0], -1): the shape is known though x is not. */
CHECK_TEST(test_shape_arithmetic)
{
    opevo_array x = make_array(4, (int64_t[]){2, 3, 4, 5}, &state), y = {0};
    model made;

    model_start(&made);
    made.opset.version = 11;
    add_input(&made, "x", 4, (int64_t[]){2, 3, 4, 5});
    add_whole(&made, "zero", 1, (int64_t[]){0});
    add_whole(&made, "three", 1, (int64_t[]){3});
    add_whole(&made, "two", 1, (int64_t[]){2});
    add_whole(&made, "open", 1, (int64_t[]){-1});
    add_node(&made, "Shape", "x", "shape");
    add_node(&made, "Gather", "shape zero", "batch");
    add_node(&made, "Gather", "shape three", "wide");
    add_node(&made, "Mul", "wide two", "wider");
    add_node(&made, "Sub", "wider two", "less");
    add_node(&made, "Div", "less two", "four"); /* (5 * 2 - 2) / 2 */
    add_node(&made, "Concat", "batch four open", "list");
    add_int(&made, 6, "axis", 0);
    add_node(&made, "Reshape", "x list", "y");
    set_output(&made, "y");
    y = run_model(&made, &x);
    assert_int_equal(y.dims, 3);
    assert_int_equal(y.extent[0], 2);
    assert_int_equal(y.extent[1], 4);
    assert_int_equal(y.extent[2], 15);
    assert_memory_equal(x.data, y.data, 120 * sizeof(float));
    opevo_array_free(&x);
    opevo_array_free(&y);
}

/* A node on constants of whole numbers; the result is folded. */
static int64_t whole_result(const char *operation, int64_t a, int64_t b)
{
    opevo_network *network = NULL;
    int64_t result = 0;
    model made;

    model_start(&made);
    add_whole(&made, "a", 1, &a);
    add_whole(&made, "b", 1, &b);
    add_node(&made, operation, "a b", "y");
    set_output(&made, "y");
    CHECK_OK(model_read(&made, NULL, &network));
    result = *(const int64_t *)opevo_network_value_at(network, opevo_network_output(network, 0))
                  ->array.data;
    opevo_network_destroy(network);
    model_finish(&made);
    return result;
}

CHECK_TEST(test_whole_numbers)
{
    assert_int_equal(whole_result("Div", -7, 2), -3); /* towards 0, as C's */
    assert_int_equal(whole_result("Mod", -7, 3), 2);  /* the sign of the divisor */
    assert_int_equal(whole_result("Mod", 7, -3), -2);
    assert_int_equal(whole_result("Pow", 3, 39), 4052555153018976267); /* beyond 2^53 */
    assert_int_equal(whole_result("Div", INT64_MIN, -1), INT64_MIN);
    assert_int_equal(whole_result("Mod", INT64_MIN, -1), 0);
    assert_int_equal(whole_result("Mul", INT64_MAX, 2), -2);
    assert_int_equal(whole_result("Sub", 9007199254740993, 1), 9007199254740992);
}

/* What has no result is refused. */
CHECK_TEST(test_division_by_zero)
{
    static const struct {
        const char *operation;
        int64_t a, b;
        const char *message;
    } cases[] = {{"Div", 7, 0, "divided by the whole number 0"},
                 {"Mod", 7, 0, "divided by the whole number 0"},
                 {"Pow", 0, -2, "the whole number 0 to the power of -2"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opevo_network *network = NULL;
        model made;

        model_start(&made);
        add_whole(&made, "a", 1, &cases[i].a);
        add_whole(&made, "b", 1, &cases[i].b);
        add_node(&made, cases[i].operation, "a b", "y");
        set_output(&made, "y");
        assert_int_equal(model_read(&made, NULL, &network), OPEVO_INVALID);
        assert_non_null(strstr(failure.message, cases[i].message));
        model_finish(&made);
    }
}

/* ---- Reductions and normalisations ---- */

static double reduce(const char *name, const float *x, int count)
{
    double sum = 0, squares = 0, sizes = 0, product = 1, most = -INFINITY, least = INFINITY,
           exps = 0;

    for (int i = 0; i < count; i++) {
        double v = (double)x[i];

        sum += v;
        squares += v * v;
        sizes += fabs(v);
        product *= v;
        most = fmax(most, v);
        least = fmin(least, v);
        exps += exp(v);
    }
    return strcmp(name, "ReduceSum") == 0         ? sum
           : strcmp(name, "ReduceMean") == 0      ? sum / count
           : strcmp(name, "ReduceMax") == 0       ? most
           : strcmp(name, "ReduceMin") == 0       ? least
           : strcmp(name, "ReduceL1") == 0        ? sizes
           : strcmp(name, "ReduceL2") == 0        ? sqrt(squares)
           : strcmp(name, "ReduceSumSquare") == 0 ? squares
           : strcmp(name, "ReduceProd") == 0      ? product
           : strcmp(name, "ReduceLogSum") == 0    ? log(sum)
                                                  : log(exps);
}

/* Over the last dimension, and of a tensor without dimensions. */
CHECK_TEST(test_reductions)
{
    static const char *const names[] = {
        "ReduceSum", "ReduceMean",      "ReduceMax",  "ReduceMin",    "ReduceL1",
        "ReduceL2",  "ReduceSumSquare", "ReduceProd", "ReduceLogSum", "ReduceLogSumExp"};

    for (size_t k = 0; k < 2 * sizeof names / sizeof *names; k++) {
        const char *name = names[k / 2];
        int dims = k % 2 ? 0 : 2, count = dims ? 4 : 1;
        opevo_array x = make_array(dims, (int64_t[]){3, 4}, &state), y = {0};
        model made;

        for (int i = 0; i < 3 * count && i < opevo_array_elements(&x); i++)
            ((float *)x.data)[i] += 1.5f;
        model_start(&made);
        made.opset.version = 12;
        add_input(&made, "x", dims, (int64_t[]){3, 4});
        add_node(&made, name, "x", "y");
        if (dims)
            add_ints(&made, 0, "axes", 1, (int64_t[]){-1});
        set_output(&made, "y");
        y = run_model(&made, &x);
        for (int i = 0; i < opevo_array_elements(&y); i++)
            check_near((double)element(&y, i), reduce(name, (float *)x.data + i * count, count),
                       name);
        opevo_array_free(&x);
        opevo_array_free(&y);
    }
}

/* Rows of a layer normalisation have mean 0 and variance 1 before scale and bias. */
CHECK_TEST(test_layer_normalization)
{
    opevo_array x = make_array(2, (int64_t[]){5, 16}, &state), y = {0};
    model made;
    float scale[16], bias[16];

    model_start(&made);
    made.opset.version = 17;
    add_input(&made, "x", 2, (int64_t[]){5, 16});
    add_weights(&made, "s", 1, (int64_t[]){16}, 0.5, 1.5, &state);
    add_weights(&made, "b", 1, (int64_t[]){16}, -1, 1, &state);
    add_node(&made, "LayerNormalization", "x s b", "y");
    set_output(&made, "y");
    memcpy(scale, made.weights[0].float_data, sizeof scale);
    memcpy(bias, made.weights[1].float_data, sizeof bias);
    y = run_model(&made, &x);
    for (int r = 0; r < 5; r++) {
        double mean = 0, variance = 0;

        for (int i = 0; i < 16; i++)
            mean += ((double)element(&y, 16 * r + i) - (double)bias[i]) / (double)scale[i] / 16;
        for (int i = 0; i < 16; i++)
            variance +=
                pow(((double)element(&y, 16 * r + i) - (double)bias[i]) / (double)scale[i], 2) / 16;
        assert_true(fabs(mean) < 1e-5 && fabs(variance - 1) < 1e-3);
    }
    opevo_array_free(&x);
    opevo_array_free(&y);
}

/* exp of the logarithm of softmax is softmax, before and after the opset that changed its axis. */
CHECK_TEST(test_log_softmax)
{
    for (int k = 0; k < 4; k++) {
        opevo_array x = make_array(3, (int64_t[]){2, 3, 4}, &state), y = {0}, z = {0};

        for (int logarithm = 0; logarithm < 2; logarithm++) {
            model made;

            model_start(&made);
            made.opset.version = k % 2 ? 13 : 11;
            add_input(&made, "x", 3, (int64_t[]){2, 3, 4});
            add_node(&made, logarithm ? "LogSoftmax" : "Softmax", "x", "y");
            add_int(&made, 0, "axis", k / 2 + 1);
            set_output(&made, "y");
            *(logarithm ? &z : &y) = run_model(&made, &x);
        }
        for (int i = 0; i < 24; i++)
            check_near(exp((double)element(&z, i)), (double)element(&y, i), "LogSoftmax");
        opevo_array_free(&x);
        opevo_array_free(&y);
        opevo_array_free(&z);
    }
}

/* ---- What is refused ---- */

/* Definitions are of float32: other inputs beside it are refused, not read as if they were. */
CHECK_TEST(test_mixed_types)
{
    opevo_network *network = NULL;
    model made;

    model_start(&made);
    add_input(&made, "x", 2, (int64_t[]){4, 1});
    add_input(&made, "w", 2, (int64_t[]){1, 4});
    made.tensor[1].elem_type = OPEVO_NETWORK_INT8;
    add_node(&made, "MatMul", "x w", "y");
    set_output(&made, "y");
    assert_int_equal(model_read(&made, NULL, &network), OPEVO_INVALID);
    assert_non_null(strstr(failure.message, "node 0 (MatMul)"));
    model_finish(&made);
}

/* A value of another type than the input's. */
CHECK_TEST(test_values_of_another_type)
{
    const int64_t four = 4;
    opevo_array x = make_array(1, &four, &state);
    const opevo_network_given given = {.values = &x, .value_count = 1};
    opevo_network *network = NULL;
    model made;

    model_start(&made);
    add_input(&made, "x", 1, &four);
    made.tensor[0].elem_type = 8; /* string */
    add_node(&made, "Relu", "x", "y");
    set_output(&made, "y");
    assert_int_equal(model_read(&made, &given, &network), OPEVO_INVALID);
    assert_non_null(strstr(failure.message, "ONNX type 8"));
    model_finish(&made);
    opevo_array_free(&x);
}

int main(void)
{
    return check_tests(NULL, remove_model);
}
