/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Operators that ONNX's node cases of opset 17 do not have, or not in all forms, against loops:
 * functions and normalisations of opsets 18 to 24, padding, parts and resampling of opset 18, cells
 * with lengths and both directions, Booleans, branches, and inputs that are bound. */

#include "network_models.h"

#include <math.h>

static uint64_t state = 11;

static void check_near(double found, double wanted, const char *what)
{
    if (!(fabs(found - wanted) <= 2e-5 * (1 + fabs(wanted))))
        fail_msg("%s: %.9g instead of %.9g", what, found, wanted);
}

static void start(model *self, int opset)
{
    model_start(self);
    self->opset.version = opset;
}

static void add_text(model *self, size_t node, const char *name, const char *text)
{
    Onnx__Attribute *attribute = add_attribute(self, node, name);

    attribute->has_s = 1;
    attribute->s = (ProtobufCBinaryData){strlen(text), (uint8_t *)text};
}

/* ---- Functions ---- */

static double mish(double x)
{
    return x * tanh(log1p(exp(x)));
}

static double swish(double x)
{
    return x / (1 + exp(-x));
}

static double gelu(double x)
{
    return x / 2 * erfc(-x / sqrt(2));
}

static double gelu_tanh(double x)
{
    return x / (1 + exp(-2 * sqrt(2 / acos(-1)) * (x + 0.044715 * pow(x, 3))));
}

CHECK_TEST(test_functions)
{
    static const struct {
        const char *name, *approximate;
        int opset;
        double (*function)(double);
    } row[] = {{"Mish", NULL, 18, mish},
               {"Gelu", NULL, 20, gelu},
               {"Gelu", "tanh", 20, gelu_tanh},
               {"Swish", NULL, 24, swish}};

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        opevo_array x = make_array(1, (int64_t[]){50}, &state), y = {0};
        model made;

        for (int64_t k = 0; k < 50; k++)
            ((float *)x.data)[k] *= 6;
        start(&made, row[i].opset);
        add_input(&made, "x", 1, (int64_t[]){50});
        add_node(&made, row[i].name, "x", "y");
        if (row[i].approximate)
            add_text(&made, 0, "approximate", row[i].approximate);
        set_output(&made, "y");
        y = run_model(&made, &x);
        for (int64_t k = 0; k < 50; k++)
            check_near((double)element(&y, k), row[i].function((double)element(&x, k)),
                       row[i].name);
        opevo_array_free(&x);
        opevo_array_free(&y);
    }
}

/* ---- Normalisations ---- */

/* Opset 18 has a scale for each group, 21 for each channel. */
CHECK_TEST(test_groups)
{
    enum { BATCH = 2, GROUPS = 3, EACH = 2, SIZE = 5, CHANNELS = GROUPS * EACH };

    for (int opset = 18; opset <= 21; opset += 3) {
        int64_t scales = opset < 21 ? GROUPS : CHANNELS;
        opevo_array x = make_array(3, (int64_t[]){BATCH, CHANNELS, SIZE}, &state), y = {0};
        double scale[CHANNELS], shift[CHANNELS];
        model made;

        start(&made, opset);
        add_input(&made, "x", 3, (int64_t[]){BATCH, CHANNELS, SIZE});
        add_weights(&made, "s", 1, &scales, -2, 2, &state);
        add_weights(&made, "b", 1, &scales, -2, 2, &state);
        for (int64_t c = 0; c < scales; c++) {
            scale[c] = (double)made.weights[0].float_data[c];
            shift[c] = (double)made.weights[1].float_data[c];
        }
        add_node(&made, "GroupNormalization", "x s b", "y");
        add_int(&made, 0, "num_groups", GROUPS);
        add_float(&made, 0, "epsilon", 0.01f);
        set_output(&made, "y");
        y = run_model(&made, &x);
        for (int64_t g = 0; g < (int64_t)BATCH * GROUPS; g++) {
            double mean = 0, variance = 0;

            for (int64_t k = 0; k < (int64_t)EACH * SIZE; k++)
                mean += (double)element(&x, g * EACH * SIZE + k) / (EACH * SIZE);
            for (int64_t k = 0; k < (int64_t)EACH * SIZE; k++)
                variance += pow((double)element(&x, g * EACH * SIZE + k) - mean, 2) / (EACH * SIZE);
            for (int64_t k = 0; k < (int64_t)EACH * SIZE; k++) {
                int64_t at = g * EACH * SIZE + k, c = at / SIZE % CHANNELS;
                int64_t of = opset < 21 ? c / EACH : c;

                check_near((double)element(&y, at),
                           ((double)element(&x, at) - mean) / sqrt(variance + 0.01f) * scale[of] +
                               shift[of],
                           "GroupNormalization");
            }
        }
        opevo_array_free(&x);
        opevo_array_free(&y);
    }
}

CHECK_TEST(test_root_mean_square)
{
    enum { ROWS = 6, COLUMNS = 7 };
    opevo_array x = make_array(3, (int64_t[]){2, 3, COLUMNS}, &state), y = {0};
    double scale[COLUMNS];
    model made;

    start(&made, 23);
    add_input(&made, "x", 3, (int64_t[]){2, 3, COLUMNS});
    add_weights(&made, "s", 1, (int64_t[]){COLUMNS}, -2, 2, &state);
    for (int k = 0; k < COLUMNS; k++)
        scale[k] = (double)made.weights[0].float_data[k];
    add_node(&made, "RMSNormalization", "x s", "y");
    set_output(&made, "y");
    y = run_model(&made, &x);
    for (int64_t r = 0; r < ROWS; r++) {
        double squares = 0;

        for (int64_t k = 0; k < COLUMNS; k++)
            squares += pow((double)element(&x, r * COLUMNS + k), 2);
        for (int64_t k = 0; k < COLUMNS; k++)
            check_near((double)element(&y, r * COLUMNS + k),
                       (double)element(&x, r * COLUMNS + k) / sqrt(squares / COLUMNS + 1e-5) *
                           scale[k],
                       "RMSNormalization");
    }
    opevo_array_free(&x);
    opevo_array_free(&y);
}

/* ---- Places ---- */

/* Of the last dimension only, in a circle. */
CHECK_TEST(test_wrapped)
{
    opevo_array x = make_array(2, (int64_t[]){2, 3}, &state), y = {0};
    model made;

    start(&made, 19);
    add_input(&made, "x", 2, (int64_t[]){2, 3});
    add_whole(&made, "pads", 2, (int64_t[]){5, 4});
    add_whole(&made, "axes", 1, (int64_t[]){-1});
    add_node(&made, "Pad", "x pads _ axes", "y");
    add_text(&made, 0, "mode", "wrap");
    set_output(&made, "y");
    y = run_model(&made, &x);
    assert_int_equal(y.extent[0], 2);
    assert_int_equal(y.extent[1], 12);
    for (int64_t i = 0; i < 24; i++)
        check_near((double)element(&y, i), (double)element(&x, i / 12 * 3 + (i % 12 + 1) % 3),
                   "Pad");
    opevo_array_free(&x);
    opevo_array_free(&y);
}

/* Seven elements in three parts: 3, 3 and 1. */
CHECK_TEST(test_unequal_parts)
{
    opevo_array x = make_array(1, (int64_t[]){7}, &state), y = {0};
    model made;

    start(&made, 18);
    add_input(&made, "x", 1, (int64_t[]){7});
    add_node(&made, "Split", "x", "a b c");
    add_int(&made, 0, "num_outputs", 3);
    add_node(&made, "Concat", "c b a", "y");
    add_int(&made, 1, "axis", 0);
    set_output(&made, "y");
    y = run_model(&made, &x);
    for (int64_t i = 0; i < 7; i++)
        check_near((double)element(&y, i),
                   (double)element(&x, i == 0  ? 6
                                       : i < 4 ? i + 2
                                               : i - 4),
                   "Split");
    opevo_array_free(&x);
    opevo_array_free(&y);
}

/* Nine elements to three with antialias: triangles of three elements on each side of the middle. */
CHECK_TEST(test_antialias)
{
    opevo_array x = make_array(2, (int64_t[]){1, 9}, &state), y = {0};
    model made;

    start(&made, 18);
    add_input(&made, "x", 2, (int64_t[]){1, 9});
    add_whole(&made, "sizes", 1, (int64_t[]){3});
    add_node(&made, "Resize", "x _ _ sizes", "y");
    add_text(&made, 0, "mode", "linear");
    add_int(&made, 0, "antialias", 1);
    add_ints(&made, 0, "axes", 1, (int64_t[]){1});
    set_output(&made, "y");
    y = run_model(&made, &x);
    assert_int_equal(y.extent[1], 3);
    for (int64_t i = 0; i < 3; i++) {
        double sum = 0, weights = 0;

        for (int64_t k = -9; k < 18; k++) {
            double weight = fmax(0, 1 - fabs((double)(k - (3 * i + 1))) / 3);

            sum += weight * (double)element(&x, k < 0 ? 0 : k > 8 ? 8 : k);
            weights += weight;
        }
        check_near((double)element(&y, i), sum / weights, "Resize");
    }
    opevo_array_free(&x);
    opevo_array_free(&y);
}

/* ---- Truth ---- */

/* y = not (x > b) xor (x > b and not (x > b)) as numbers: Booleans of a run are computed, and no
 * copies of elements, as small numbers of Booleans might seem to be. */
CHECK_TEST(test_truth)
{
    opevo_array x = make_array(1, (int64_t[]){40}, &state), y = {0};
    model made;

    start(&made, 13);
    add_input(&made, "x", 1, (int64_t[]){40});
    add_weights(&made, "b", 0, NULL, 0.1, 0.1, &state);
    add_node(&made, "Greater", "x b", "g");
    add_node(&made, "Not", "g", "n");
    add_node(&made, "And", "g n", "a");
    add_node(&made, "Xor", "n a", "z");
    add_node(&made, "Cast", "z", "y");
    add_int(&made, 4, "to", OPEVO_NETWORK_FLOAT32);
    set_output(&made, "y");
    y = run_model(&made, &x);
    for (int64_t i = 0; i < 40; i++)
        assert_true(element(&y, i) == (element(&x, i) > 0.1f ? 0 : 1));
    opevo_array_free(&x);
    opevo_array_free(&y);
}

/* ---- Cells ---- */

enum { STEPS = 5, BATCH = 3, IN = 4, HIDDEN = 3, GATES = 4, DIRECTIONS = 2 };

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

/* One direction of an LSTM on one sequence, in double precision. */
static void expect_lstm(const float *x, const model *made, int direction, int b, int length,
                        double y[STEPS][HIDDEN])
{
    const float *w = made->weights[0].float_data + direction * GATES * HIDDEN * IN;
    const float *r = made->weights[1].float_data + direction * GATES * HIDDEN * HIDDEN;
    const float *bias = made->weights[2].float_data + direction * 2 * GATES * HIDDEN;
    const float *first = made->weights[3].float_data + (direction * BATCH + b) * HIDDEN;
    double h[HIDDEN], c[HIDDEN] = {0};

    for (int j = 0; j < HIDDEN; j++)
        h[j] = (double)first[j];
    for (int k = 0; k < length; k++) {
        int t = direction ? length - 1 - k : k;
        double gate[GATES * HIDDEN];

        for (int g = 0; g < GATES * HIDDEN; g++) {
            gate[g] = (double)bias[g] + (double)bias[GATES * HIDDEN + g];
            for (int i = 0; i < IN; i++)
                gate[g] += (double)x[(t * BATCH + b) * IN + i] * (double)w[g * IN + i];
            for (int i = 0; i < HIDDEN; i++)
                gate[g] += h[i] * (double)r[g * HIDDEN + i];
        }
        for (int j = 0; j < HIDDEN; j++) {
            c[j] = sigmoid(gate[2 * HIDDEN + j]) * c[j] +
                   sigmoid(gate[j]) * tanh(gate[3 * HIDDEN + j]);
            h[j] = sigmoid(gate[HIDDEN + j]) * tanh(c[j]);
            y[t][j] = h[j];
        }
    }
}

CHECK_TEST(test_cells)
{
    const int64_t lengths[BATCH] = {5, 0, 3};
    opevo_array x = make_array(3, (int64_t[]){STEPS, BATCH, IN}, &state), y = {0};
    opevo_network *network = NULL;
    model made;

    start(&made, 14);
    add_input(&made, "x", 3, x.extent);
    add_weights(&made, "w", 3, (int64_t[]){DIRECTIONS, GATES * HIDDEN, IN}, -1, 1, &state);
    add_weights(&made, "r", 3, (int64_t[]){DIRECTIONS, GATES * HIDDEN, HIDDEN}, -1, 1, &state);
    add_weights(&made, "b", 2, (int64_t[]){DIRECTIONS, 2 * GATES * HIDDEN}, -1, 1, &state);
    add_weights(&made, "h", 3, (int64_t[]){DIRECTIONS, BATCH, HIDDEN}, -1, 1, &state);
    add_whole(&made, "lengths", BATCH, lengths);
    add_node(&made, "LSTM", "x w r b lengths h", "y");
    add_text(&made, 0, "direction", "bidirectional");
    add_int(&made, 0, "hidden_size", HIDDEN);
    set_output(&made, "y");
    CHECK_OK(model_read(&made, NULL, &network));
    CHECK_OK(opevo_network_run(network, &x, &y, 1, &err));
    for (int b = 0; b < BATCH; b++) {
        for (int direction = 0; direction < DIRECTIONS; direction++) {
            double wanted[STEPS][HIDDEN] = {{0}};

            expect_lstm(x.data, &made, direction, b, (int)lengths[b], wanted);
            for (int i = 0; i < STEPS * HIDDEN; i++)
                check_near((double)element(&y, ((i / HIDDEN * DIRECTIONS + direction) * BATCH + b) *
                                                       HIDDEN +
                                                   i % HIDDEN),
                           wanted[i / HIDDEN][i % HIDDEN], "LSTM");
        }
    }
    opevo_network_destroy(network);
    model_finish(&made);
    opevo_array_free(&x);
    opevo_array_free(&y);
}

/* ---- Branches ---- */

/* A graph of one node that reads `x` of the graph around it. */
typedef struct branch {
    Onnx__Graph graph;
    Onnx__Node node, *nodes[1];
    Onnx__ValueInfo output, *outputs[1];
    char *in[2], *out[1];
} branch;

static void branch_start(branch *self, const char *operation, const char *second)
{
    *self = (branch){
        .graph = ONNX__GRAPH__INIT, .node = ONNX__NODE__INIT, .output = ONNX__VALUE_INFO__INIT};
    self->in[0] = (char *)"x";
    self->in[1] = (char *)second;
    self->out[0] = (char *)"same"; /* both branches have this name */
    self->node.op_type = (char *)operation;
    self->node.input = self->in;
    self->node.n_input = second ? 2 : 1;
    self->node.output = self->out;
    self->node.n_output = 1;
    self->nodes[0] = &self->node;
    self->output.name = (char *)"same";
    self->outputs[0] = &self->output;
    self->graph.node = self->nodes;
    self->graph.n_node = 1;
    self->graph.output = self->outputs;
    self->graph.n_output = 1;
}

/* y = x > bound in all its elements ? -x : no(x), by the sum of x. */
static opevo_status read_branches(model *made, branch *yes, branch *no, float bound,
                                  opevo_network **out)
{
    static const char *const names[] = {"then_branch", "else_branch"};
    branch *graphs[] = {yes, no};

    start(made, 13);
    add_input(made, "x", 2, (int64_t[]){1, 3});
    add_weights(made, "bound", 0, NULL, (double)bound, (double)bound, &state);
    add_node(made, "ReduceMax", "x", "most");
    add_int(made, 0, "keepdims", 0);
    add_node(made, "Greater", "most bound", "condition");
    add_node(made, "If", "condition", "y");
    for (int i = 0; i < 2; i++)
        add_attribute(made, 2, names[i])->g = &graphs[i]->graph;
    set_output(made, "y");
    return model_read(made, NULL, out);
}

CHECK_TEST(test_branches)
{
    float numbers[] = {1, -2, 3};
    opevo_array x = {OPEVO_NETWORK_FLOAT32, 2, {1, 3}, numbers};
    opevo_network *network = NULL;
    branch yes, no;
    model made;

    for (int k = 0; k < 2; k++) {
        opevo_array y = {0};

        branch_start(&yes, "Neg", NULL);
        branch_start(&no, "Abs", NULL);
        CHECK_OK(read_branches(&made, &yes, &no, k ? 5 : 0, &network));
        CHECK_OK(opevo_network_run(network, &x, &y, 1, &err));
        for (int i = 0; i < 3; i++)
            assert_true(element(&y, i) == (k ? fabsf(numbers[i]) : -numbers[i]));
        opevo_array_free(&y);
        opevo_network_destroy(network);
        network = NULL;
        model_finish(&made);
    }
    /* Branches of two shapes need a condition that is known. */
    branch_start(&yes, "Neg", NULL);
    branch_start(&no, "Flatten", NULL);
    no.node.op_type = (char *)"ReduceSum";
    assert_int_equal(read_branches(&made, &yes, &no, 0, &network), OPEVO_INVALID);
    assert_non_null(strstr(failure.message, "different types or shapes"));
    model_finish(&made);
}

/* A condition that is bound decides, whatever is wrong with the other branch. */
CHECK_TEST(test_bound)
{
    static const char *const bound[] = {"c=1", "c=0"};
    float numbers[] = {1, -2, 3};
    opevo_array x = {OPEVO_NETWORK_FLOAT32, 2, {1, 3}, numbers}, y = {0};

    for (int k = 0; k < 2; k++) {
        const opevo_network_given given = {.bindings = &bound[k], .binding_count = 1};
        opevo_network *network = NULL;
        opevo_status status = OPEVO_OK;
        branch yes, no;
        model made;

        branch_start(&yes, "Neg", NULL);
        branch_start(&no, "Add", "z"); /* 1 x 3 and 2 x 2 do not fit */
        start(&made, 13);
        add_input(&made, "x", 2, (int64_t[]){1, 3});
        add_input(&made, "c", 0, NULL);
        made.tensor[1].elem_type = OPEVO_NETWORK_BOOL;
        add_weights(&made, "z", 2, (int64_t[]){2, 2}, 0, 1, &state);
        add_node(&made, "If", "c", "y");
        add_attribute(&made, 0, "then_branch")->g = &yes.graph;
        add_attribute(&made, 0, "else_branch")->g = &no.graph;
        set_output(&made, "y");
        status = model_read(&made, &given, &network);
        assert_int_equal(status, k ? OPEVO_INVALID : OPEVO_OK);
        if (k) {
            assert_non_null(strstr(failure.message, "do not fit together"));
        } else {
            assert_int_equal(opevo_network_input_count(network), 1);
            CHECK_OK(opevo_network_run(network, &x, &y, 1, &err));
            for (int i = 0; i < 3; i++)
                assert_true(element(&y, i) == -numbers[i]);
            opevo_array_free(&y);
        }
        opevo_network_destroy(network);
        model_finish(&made);
    }
}

int main(void)
{
    return check_tests(NULL, remove_model);
}
