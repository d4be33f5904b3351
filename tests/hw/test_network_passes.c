/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Passes over the steps of networks: before and after give the same results, on random networks with
 * random weights and on the light models of ONNX; what each removes, by hand; spoilt steps. */

#include "network_models.h"

#include <math.h>

#include <opevo/network_passes.h>
#include <opevo/network_tasks.h>

/* ---- Random networks ------------------------------------------------------------------------ */

/* A model that grows at tensor `at`. */
typedef struct grown {
    model model;
    uint64_t state;
    int named;   /* tensors and weights */
    char at[16]; /* the last tensor */
    int64_t channels, side;
    char old[16]; /* a tensor before, of which shape */
    int64_t old_channels, old_side;
} grown;

static const char *fresh(grown *self, char *out)
{
    snprintf(out, 16, "t%d", self->named++);
    return out;
}

/* Per-channel constants, in the shape of a bias or of a factor of images. */
static const char *add_channels(grown *self, int64_t channels, bool image, double least,
                                double most, char *name)
{
    const int64_t shape[] = {channels, 1, 1};

    add_weights(&self->model, fresh(self, name), image ? 3 : 1, shape, least, most, &self->state);
    return name;
}

static size_t grow(grown *self, const char *operation, const char *more)
{
    char inputs[128], made[16];
    size_t node = 0;

    snprintf(inputs, sizeof inputs, "%s %s", self->at, more);
    node = add_node(&self->model, operation, inputs, fresh(self, made));
    strcpy(self->at, made);
    return node;
}

static void grow_convolution(grown *self, bool transposed)
{
    int64_t groups = !transposed && self->channels % 2 == 0 && draw(&self->state, 3) == 0 ? 2 : 1;
    int64_t out = 2 * (1 + (int64_t)draw(&self->state, 4)), kernel = draw(&self->state, 2) ? 3 : 1;
    int64_t pad = kernel == 3 && draw(&self->state, 2), in = self->channels / groups;
    char weights[16], bias[16] = "", inputs[48];
    size_t node = 0;

    if (!transposed && self->side + 2 * pad < kernel)
        pad = 1;
    add_weights(&self->model, fresh(self, weights), 4,
                transposed ? (int64_t[]){in, out, kernel, kernel}
                           : (int64_t[]){out, in, kernel, kernel},
                -.5, .5, &self->state);
    if (draw(&self->state, 2))
        add_channels(self, out, false, -1, 1, bias);
    snprintf(inputs, sizeof inputs, "%s %s", weights, bias);
    node = grow(self, transposed ? "ConvTranspose" : "Conv", inputs);
    add_int(&self->model, node, "group", groups);
    add_ints(&self->model, node, "pads", 4, (int64_t[]){pad, pad, pad, pad});
    self->channels = out;
    self->side += transposed ? kernel - 1 - 2 * pad : 2 * pad + 1 - kernel;
}

static void grow_normalisation(grown *self)
{
    char name[4][16], inputs[80];

    for (int i = 0; i < 4; i++)
        add_channels(self, self->channels, false, i == 3 ? .5 : -1, 1.5, name[i]);
    snprintf(inputs, sizeof inputs, "%s %s %s %s", name[0], name[1], name[2], name[3]);
    grow(self, "BatchNormalization", inputs);
}

/* Both halves of the channels, put together the other way round, with more beside. */
static void grow_split(grown *self)
{
    char a[16], b[16], c[16], names[64], operand[64];
    size_t node = 0;

    snprintf(names, sizeof names, "%s %s", fresh(self, a), fresh(self, b));
    node = add_node(&self->model, "Split", self->at, names);
    add_int(&self->model, node, "axis", 1);
    add_node(&self->model, "Relu", a, fresh(self, c));
    snprintf(operand, sizeof operand, "%s %s %s", b, c, self->at);
    node = add_node(&self->model, "Concat", operand, fresh(self, self->at));
    add_int(&self->model, node, "axis", 1);
    self->channels *= 2;
}

static void grow_pool(grown *self)
{
    size_t node = grow(self, draw(&self->state, 2) ? "MaxPool" : "AveragePool", "");

    add_ints(&self->model, node, "kernel_shape", 2, (int64_t[]){2, 2});
    add_ints(&self->model, node, "pads", 4, (int64_t[]){1, 0, 0, 1});
}

/* Sum or concatenation with the tensor that is kept. */
static void grow_join(grown *self)
{
    if (self->old_side != self->side)
        return;
    if (self->old_channels == self->channels && draw(&self->state, 3)) {
        grow(self, draw(&self->state, 2) ? "Add" : "Mul", self->old);
        return;
    }
    add_int(&self->model, grow(self, "Concat", self->old), "axis", 1);
    self->channels += self->old_channels;
}

static void grow_dropout(grown *self)
{
    char inputs[16], outputs[64], mask[16];

    strcpy(inputs, self->at);
    fresh(self, self->at);
    snprintf(outputs, sizeof outputs, "%s %s", self->at, fresh(self, mask));
    add_node(&self->model, "Dropout", inputs, outputs);
}

static void grow_any(grown *self)
{
    char name[16];

    switch (draw(&self->state, 13)) {
    case 0:
    case 1:
        grow_convolution(self, false);
        break;
    case 2:
        grow_convolution(self, true);
        break;
    case 3:
    case 4:
        grow_normalisation(self);
        break;
    case 5:
        grow(self, "Mul", add_channels(self, self->channels, true, .5, 1.5, name));
        break;
    case 6:
        grow(self, draw(&self->state, 2) ? "Add" : "Sub",
             add_channels(self, self->channels, true, -1, 1, name));
        break;
    case 7:
        grow(self, (const char *[]){"Relu", "Sigmoid", "HardSigmoid"}[draw(&self->state, 3)], "");
        break;
    case 8:
        grow_pool(self);
        break;
    case 9:
        grow_join(self);
        break;
    case 10:
        if (self->channels % 2 == 0 && self->channels <= 8)
            grow_split(self);
        break;
    case 11:
        grow_dropout(self);
        break;
    default:
        grow(self, "Identity", "");
    }
    if (draw(&self->state, 3) == 0) {
        strcpy(self->old, self->at);
        self->old_channels = self->channels;
        self->old_side = self->side;
    }
}

/* Flatten and a product of matrices with a bias, scaled. */
static void grow_end(grown *self)
{
    int64_t columns = self->channels * self->side * self->side;
    char weights[16], bias[16], inputs[48];

    grow(self, "Flatten", "");
    add_weights(&self->model, fresh(self, weights), 2, (int64_t[]){5, columns}, -.5, .5,
                &self->state);
    add_channels(self, 5, false, -1, 1, bias);
    snprintf(inputs, sizeof inputs, "%s %s", weights, bias);
    add_int(&self->model, grow(self, "Gemm", inputs), "transB", 1);
    grow(self, "Mul", add_channels(self, 5, false, .5, 1.5, bias));
}

static void grow_network(grown *self, uint64_t seed, opevo_network **out)
{
    *self = (grown){.state = seed,
                    .at = "x",
                    .old = "x",
                    .channels = 4,
                    .side = 5,
                    .old_channels = 4,
                    .old_side = 5};
    model_start(&self->model);
    add_input(&self->model, "x", 4, (int64_t[]){1, 4, 5, 5});
    for (int i = 0; i < 12; i++)
        grow_any(self);
    if (draw(&self->state, 2))
        grow_end(self);
    set_output(&self->model, self->at);
    CHECK_OK(model_read(&self->model, NULL, out));
}

/* ---- Before and after ----------------------------------------------------------------------- */

static opevo_array run_it(const opevo_inference *inference, const opevo_array *input)
{
    opevo_array result = {0};

    CHECK_OK(opevo_inference_run(inference, input, &result, 0, &err));
    return result;
}

/* Largest difference as a part of the largest element. */
static double difference(const opevo_array *a, const opevo_array *b)
{
    double most = 0, largest = 0;

    assert_int_equal(opevo_array_elements(a), opevo_array_elements(b));
    for (int64_t i = 0; i < opevo_array_elements(a); i++) {
        double x = (double)((float *)a->data)[i], y = (double)((float *)b->data)[i];

        assert_true(isfinite(x) && isfinite(y));
        most = fmax(most, fabs(x - y));
        largest = fmax(largest, fabs(x));
    }
    return largest > 0 ? most / largest : most;
}

static uint32_t mask_of(const char *names)
{
    uint32_t mask = 0;

    CHECK_OK(opevo_network_passes_named(names, &mask, &err));
    return mask;
}

static double change_by(const opevo_network *network, const opevo_array *input,
                        const opevo_array *expected, const char *passes, int times)
{
    opevo_inference *inference = NULL;
    opevo_array result = {0};
    double change = 0;

    CHECK_OK(opevo_inference_create(network, &inference, &err));
    for (int i = 0; i < times; i++)
        CHECK_OK(opevo_inference_pass(inference, mask_of(passes), &err));
    result = run_it(inference, input);
    change = difference(expected, &result);
    opevo_array_free(&result);
    opevo_inference_destroy(inference);
    return change;
}

/* Moving and folding change no bit. Scaling rounds each weight once more, and joining leaves
 * roundings out: at most some units of the last place of the largest intermediate, for each of the
 * at most 15 steps in a row. */
static void test_results(void **state)
{
    static const char *const exact[] = {"fold", "split", "drop", "place", "fold,split,drop,place"};
    static const char *const rounded[] = {"scale", "fuse", "scale,fuse",
                                          "fold,split,drop,scale,fuse,place"};

    (void)state;
    for (uint64_t seed = 0; seed < 400; seed++) {
        opevo_network *network = NULL;
        opevo_array input = {0}, expected = {0};
        uint64_t numbers = seed;
        static grown made;

        grow_network(&made, seed, &network);
        input = make_array(4, (int64_t[]){1, 4, 5, 5}, &numbers);
        CHECK_OK(opevo_network_run(network, &input, &expected, 1, &err));
        for (size_t i = 0; i < sizeof exact / sizeof *exact; i++) {
            if (change_by(network, &input, &expected, exact[i], 2) != 0)
                fail_msg("seed %d: %s changes results.", (int)seed, exact[i]);
        }
        for (size_t i = 0; i < sizeof rounded / sizeof *rounded; i++) {
            double change = change_by(network, &input, &expected, rounded[i], 1 + (int)(seed % 2));

            if (!(change <= 3e-6))
                fail_msg("seed %d: %s changes results by %g.", (int)seed, rounded[i], change);
        }
        opevo_array_free(&input);
        opevo_array_free(&expected);
        opevo_network_destroy(network);
        model_finish(&made.model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_results),
    };

    return cmocka_run_group_tests(tests, NULL, remove_model);
}
