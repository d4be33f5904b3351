/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Winograd's convolutions: the matrices as identities of whole numbers, whole convolutions whose
 * results are exact, rounding errors in single precision against their bound, and what the pass
 * replaces. */

#include "network_models.h"
#include "passed_networks.h"

#include <math.h>

#include <opevo/memory.h>

#include "network_winograd_internal.h"

/* ---- The matrices --------------------------------------------------------------------------- */

/* sum_p A^T[i][p] G[p][k] B^T[p][j] = 1 where j = i + k, otherwise 0: then y_i = sum_k g_k d_{i+k}
 * for all g and d. In whole numbers: both sides times 24, which all divisors divide. */
static bool is_identity(const opevo_i_net_winograd *form)
{
    for (int i = 0; i < form->tile; i++) {
        for (int k = 0; k < 3; k++) {
            for (int j = 0; j < form->points; j++) {
                int sum = 0;

                for (int p = 0; p < form->points; p++)
                    sum += form->output[i][p] * form->weights[p][k] * (24 / form->divisor[p]) *
                           form->input[p][j];
                if (sum != (j == i + k ? 24 : 0))
                    return false;
            }
        }
    }
    return true;
}

CHECK_TEST(test_matrices)
{
    size_t count = 0;
    const opevo_i_net_winograd *forms = opevo_i_net_winograds(&count);

    assert_int_equal(count, 2);
    for (size_t f = 0; f < count; f++) {
        opevo_i_net_winograd spoilt = forms[f];

        assert_int_equal(spoilt.points, spoilt.tile + 2);
        assert_true(is_identity(&spoilt));
        for (int p = 0; p < spoilt.points; p++) {
            for (int q = 0; q < spoilt.points; q++) {
                spoilt.input[p][q]++;
                assert_false(is_identity(&spoilt));
                spoilt.input[p][q]--;
            }
            for (int k = 0; k < 3; k++) {
                spoilt.weights[p][k]++;
                assert_false(is_identity(&spoilt));
                spoilt.weights[p][k]--;
            }
            for (int i = 0; i < spoilt.tile; i++) {
                spoilt.output[i][p]--;
                assert_false(is_identity(&spoilt));
                spoilt.output[i][p]++;
            }
        }
    }
}

/* ---- Whole convolutions --------------------------------------------------------------------- */

/* x, a convolution of 1 x 1 into blocks, the convolution, and one out of blocks. Without the first
 * its image is plain, without the last its result. */
typedef struct layer {
    int64_t images, ins, outs, height, width, pad, stride, groups;
    bool bias, residual; /* and a ReLU */
    bool plain_image, plain_result;
} layer;

static void fill(model *made, const char *name, const int64_t *extent, int64_t least, int64_t most,
                 double unit, uint64_t *state)
{
    Onnx__Tensor *tensor = &made->weights[made->graph.n_initializer];

    add_weights(made, name, 4, extent, 0, 1, state);
    for (size_t i = 0; i < tensor->n_float_data; i++)
        tensor->float_data[i] =
            (float)(unit * (double)(least + (int64_t)draw(state, (uint64_t)(most - least + 1))));
}

static void add_equal(model *made, const char *name, int64_t channels)
{
    Onnx__Tensor *tensor = &made->weights[made->graph.n_initializer];
    uint64_t state = 0;

    add_weights(made, name, 4, (int64_t[]){channels, channels, 1, 1}, 0, 0, &state);
    for (int64_t i = 0; i < channels; i++)
        tensor->float_data[i * channels + i] = 1;
}

/* Weights are whole multiples of `unit` up to `most`. */
static void build(model *made, const layer *of, int64_t most, double unit, uint64_t seed,
                  opevo_network **network)
{
    size_t node = 0;

    model_start(made);
    add_input(made, "x", 4, (int64_t[]){of->images, of->ins, of->height, of->width});
    add_equal(made, "into", of->ins);
    add_equal(made, "out", of->outs);
    fill(made, "w", (int64_t[]){of->outs, of->ins / of->groups, 3, 3}, -most, most, unit, &seed);
    add_weights(made, "b", 1, (int64_t[]){of->outs}, -5, 5, &seed);
    add_node(made, of->plain_image ? "Relu" : "Conv", of->plain_image ? "x" : "x into", "a");
    node = add_node(made, "Conv", of->bias ? "a w b" : "a w", "c");
    add_ints(made, node, "pads", 4, (int64_t[]){of->pad, of->pad, of->pad, of->pad});
    add_ints(made, node, "strides", 2, (int64_t[]){of->stride, of->stride});
    add_int(made, node, "group", of->groups);
    if (of->residual) {
        add_node(made, "Add", "c a", "d");
        add_node(made, "Relu", "d", "e");
    }
    if (of->plain_result) {
        set_output(made, of->residual ? "e" : "c");
    } else {
        add_node(made, "Conv", of->residual ? "e out" : "c out", "y");
        set_output(made, "y");
    }
    CHECK_OK(model_read(made, NULL, network));
}

static opevo_network_inference *pass(const opevo_network *network, int64_t block, double error,
                                     int tile)
{
    opevo_network_inference *inference = NULL;

    CHECK_OK(opevo_network_inference_create(network, &inference, &err));
    inference->block = block;
    inference->winograd.error = error;
    inference->winograd.tile = tile;
    CHECK_OK(opevo_network_inference_pass(inference, OPEVO_NETWORK_ALL_PASSES, &err));
    return inference;
}

static const layer layers[] = {
    {1, 4, 4, 7, 7, 1, 1, 1, true, true, false, false},
    {2, 4, 6, 5, 9, 0, 1, 1, true, false, false, false},
    {1, 2, 2, 1, 1, 1, 1, 1, false, false, false, false},
    {3, 2, 4, 14, 14, 1, 1, 1, false, false, false, false},
    {1, 4, 4, 4, 4, 1, 1, 1, false, true, false, false},
    {1, 2, 2, 3, 8, 0, 1, 1, true, false, false, false},
    {2, 6, 6, 13, 6, 1, 1, 1, true, true, false, false},
    {1, 2, 8, 2, 2, 1, 1, 1, true, false, false, false},
    {1, 2, 2, 5, 3, 2, 1, 1, false, false, false, false},
    /* Plain images and results. */
    {1, 4, 6, 7, 7, 1, 1, 1, true, false, true, false},
    {2, 4, 6, 6, 8, 1, 1, 1, false, false, true, false},
    {2, 6, 4, 5, 9, 0, 1, 1, true, false, false, true},
    {1, 4, 4, 6, 6, 1, 1, 1, true, true, true, true},
    {1, 2, 2, 3, 4, 1, 1, 1, false, false, true, true},
    /* Groups. */
    {2, 8, 4, 7, 6, 1, 1, 2, true, false, false, false},
    {1, 6, 6, 5, 5, 1, 1, 3, true, true, false, false},
    {1, 8, 12, 5, 5, 0, 1, 2, false, false, true, false},
    {1, 4, 8, 6, 6, 1, 1, 2, true, false, false, true},
    {2, 8, 8, 4, 7, 1, 1, 4, true, true, true, true},
};

static void layer_finish(model *made, opevo_network *network, opevo_array *input,
                         opevo_array *expected)
{
    opevo_array_free(input);
    opevo_array_free(expected);
    opevo_network_destroy(network);
    model_finish(made);
}

/* Whole numbers below 2^24 in all steps: weights are multiples of 24^2, by which G g G^T
 * divides. */
CHECK_TEST(test_exact)
{
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
        const layer *of = &layers[i];
        opevo_network *network = NULL;
        opevo_array input = {0}, expected = {0};
        uint64_t seed = i;
        model made;

        build(&made, of, 2, 576, i, &network);
        input = make_array(4, (int64_t[]){of->images, of->ins, of->height, of->width}, &seed);
        for (int64_t k = 0; k < opevo_array_elements(&input); k++)
            ((float *)input.data)[k] = (float)draw(&seed, 7) - 3;
        CHECK_OK(opevo_network_run(network, &input, &expected, 1, &err));
        for (int tile = 2; tile <= 4; tile += 2) {
            opevo_network_inference *inference = pass(network, 2, INFINITY, tile);
            opevo_array result = {0};

            if (inference->winograd.layers != 1)
                fail_msg("layer %d is not replaced.", (int)i);
            assert_int_equal(inference->winograd.layer[0].tile, tile);
            assert_int_equal(inference->steps, 7 - of->plain_result);
            CHECK_OK(opevo_network_inference_run(inference, &input, &result, 0, &err));
            if (memcmp(result.data, expected.data,
                       (size_t)opevo_array_elements(&result) * sizeof(float)) != 0)
                fail_msg("layer %d: F(%d x %d, 3 x 3) gives other results.", (int)i, tile, tile);
            opevo_array_free(&result);
            opevo_network_inference_destroy(inference);
        }
        layer_finish(&made, network, &input, &expected);
    }
}

/* Whether each result is within the bound of that without the pass, whose own error is one
 * rounding. */
static bool is_within(const opevo_winograd_layer *of, const model *made, const opevo_array *input,
                      const opevo_array *expected, const opevo_array *result)
{
    const Onnx__Tensor *w = &made->weights[2];
    size_t taps = w->n_float_data / (size_t)expected->extent[1];
    int64_t pixels = expected->extent[2] * expected->extent[3];
    double largest = 0;

    for (int64_t i = 0; i < opevo_array_elements(input); i++)
        largest = fmax(largest, fabs((double)((float *)input->data)[i]));
    for (int64_t i = 0; i < opevo_array_elements(expected); i++) {
        int64_t channel = i / pixels % expected->extent[1];
        double all = 0, x = (double)((float *)result->data)[i];

        for (size_t k = 0; k < taps; k++)
            all += fabs((double)w->float_data[(size_t)channel * taps + k]);
        if (!(fabs(x - (double)((float *)expected->data)[i]) <=
              (of->bound + 0x1p-24) * largest * all))
            return false;
    }
    return true;
}

/* Weights that the pass has transformed: of the first place of a tile they are a hundredth too
 * large. */
static void spoil(opevo_network_inference *inference)
{
    for (int i = 0; i < inference->values; i++) {
        opevo_array *u = &inference->value[i].array;

        if (!u->data || u->dims != 5)
            continue;
        for (int64_t k = 0; k < opevo_array_elements(u) / u->extent[0]; k++)
            ((float *)u->data)[k] *= 1.01f;
    }
}

/* Random weights, whose sums are rounded, in all layouts: results are within the stated bound, and
 * those of spoilt weights are not. */
CHECK_TEST(test_random)
{
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
        layer of = layers[i];
        opevo_network *network = NULL;
        opevo_array input = {0}, expected = {0};
        uint64_t seed = i;
        model made;

        of.bias = of.residual = false;
        build(&made, &of, 1000000, 1e-6, i, &network);
        input = make_array(4, (int64_t[]){of.images, of.ins, of.height, of.width}, &seed);
        CHECK_OK(opevo_network_run(network, &input, &expected, 1, &err));
        for (int tile = 2; tile <= 4; tile += 2) {
            opevo_network_inference *inference = pass(network, 2, INFINITY, tile);

            for (int spoilt = 0; spoilt < 2; spoilt++) {
                opevo_array result = {0};

                if (spoilt)
                    spoil(inference);
                CHECK_OK(opevo_network_inference_run(inference, &input, &result, 0, &err));
                if (is_within(inference->winograd.layer, &made, &input, &expected, &result) ==
                    (bool)spoilt)
                    fail_msg("layer %d, F(%d x %d, 3 x 3): %s", (int)i, tile, tile,
                             spoilt ? "a fault is not found." : "beyond its bound.");
                opevo_array_free(&result);
            }
            opevo_network_inference_destroy(inference);
        }
        layer_finish(&made, network, &input, &expected);
    }
}

/* ---- Rounding errors ------------------------------------------------------------------------ */

/* One tile of one output channel in single precision, with transforms row by row. */
static void compute_tile(const opevo_i_net_winograd *form, int channels, const float *d,
                         const float *u, float *y)
{
    enum { P = OPEVO_I_WINOGRAD_POINTS };
    float m[P][P] = {{0}}, half[P][P], v[P][P];

    for (int c = 0; c < channels; c++) {
        for (int i = 0; i < form->points; i++)
            for (int l = 0; l < form->points; l++) {
                half[i][l] = 0;
                for (int k = 0; k < form->points; k++)
                    half[i][l] += (float)form->input[i][k] * d[(c * P + k) * P + l];
            }
        for (int i = 0; i < form->points; i++)
            for (int j = 0; j < form->points; j++) {
                v[i][j] = 0;
                for (int l = 0; l < form->points; l++)
                    v[i][j] += (float)form->input[j][l] * half[i][l];
                m[i][j] += v[i][j] * u[(i * form->points + j) * channels + c];
            }
    }
    for (int i = 0; i < form->tile; i++)
        for (int l = 0; l < form->points; l++) {
            half[i][l] = 0;
            for (int k = 0; k < form->points; k++)
                half[i][l] += (float)form->output[i][k] * m[k][l];
        }
    for (int i = 0; i < form->tile; i++)
        for (int j = 0; j < form->tile; j++) {
            y[i * form->tile + j] = 0;
            for (int l = 0; l < form->points; l++)
                y[i * form->tile + j] += (float)form->output[j][l] * half[i][l];
        }
}

/* The largest error of a tile as a part of largest element times sum of weights. `kind` of numbers:
 * 0 of random signs, 1 positive, 2 with the signs of the row of B^T with the largest sum. */
static double measure(const opevo_i_net_winograd *form, int channels, int kind, uint64_t *state,
                      double *bound)
{
    enum { P = OPEVO_I_WINOGRAD_POINTS, MOST_CHANNELS = 256 };
    static float d[MOST_CHANNELS * P * P], g[MOST_CHANNELS * 9];
    const opevo_i_net_winograd_shape shape = {.images = 1,
                                              .height = form->points,
                                              .width = form->points,
                                              .ins = channels,
                                              .outs = 1,
                                              .block = 1,
                                              .groups = 1};
    opevo_array u = {0};
    float y[16];
    double largest = 0, all = 0, error = 0;

    for (int i = 0; i < channels * P * P; i++) {
        double x = (double)draw(state, 2000001) / 1000000 - 1;

        d[i] = (float)(kind == 1   ? fabs(x)
                       : kind == 2 ? (1 + x / 1000) * (form->input[1][i / P % P] < 0 ? -1 : 1) *
                                         (form->input[1][i % P] < 0 ? -1 : 1)
                                   : x);
        largest = fmax(largest, fabs((double)d[i]));
    }
    for (int i = 0; i < channels * 9; i++) {
        double x = (double)draw(state, 2000001) / 1000000 - 1;

        g[i] = (float)(kind ? fabs(x) : x);
        all += fabs((double)g[i]);
    }
    CHECK_OK(opevo_i_net_winograd_weights(form, &shape, g, &u, bound, &err));
    compute_tile(form, channels, d, u.data, y);
    for (int i = 0; i < form->tile; i++)
        for (int j = 0; j < form->tile; j++) {
            double exact = 0;

            for (int c = 0; c < channels; c++)
                for (int k = 0; k < 9; k++)
                    exact += (double)g[c * 9 + k] * (double)d[(c * P + i + k / 3) * P + j + k % 3];
            error = fmax(error, fabs((double)y[i * form->tile + j] - exact));
        }
    opevo_array_free(&u);
    return error / (largest * all);
}

/* Errors are within the bound, and a bound that is proved for all orders of summation is not far
 * from errors that occur: they grow like the root of the number of roundings, the bound like that
 * number. */
CHECK_TEST(test_bound)
{
    static const int channels[] = {1, 4, 16, 64, 256};
    size_t count = 0;
    const opevo_i_net_winograd *forms = opevo_i_net_winograds(&count);
    uint64_t numbers = 7;

    for (size_t f = 0; f < count; f++) {
        for (size_t c = 0; c < sizeof channels / sizeof *channels; c++) {
            double closest = 0;

            for (int n = 0; n < 300; n++) {
                double bound = 0;
                double error = measure(&forms[f], channels[c], n % 3, &numbers, &bound);

                assert_true(error <= bound);
                closest = fmax(closest, error / bound);
            }
            print_message("F(%d x %d, 3 x 3), %d channels: largest error %.3g of the bound\n",
                          forms[f].tile, forms[f].tile, channels[c], closest);
            assert_true(closest >= 1e-3);
        }
    }
}

/* With g = 1 at all places U = u u^T with |u| = |G 1| = (1, 3/2, 1/2, 1), and b = (2, 2, 2, 2).
 * Both rows of |A^T| give 2 (1 + 3/2 + 1/2) = 6, so that the bound is 6^2/9 gamma_n with n = 1 + 1
 * + 2 (1 + 2). */
CHECK_TEST(test_closed_form)
{
    size_t count = 0;
    const opevo_i_net_winograd *form = opevo_i_net_winograds(&count);
    const opevo_i_net_winograd_shape shape = {
        .images = 1, .height = 4, .width = 4, .ins = 1, .outs = 1, .block = 1, .groups = 1};
    float g[9];
    opevo_array u = {0};
    double bound = 0, n = 8 * 0x1p-24;

    for (int i = 0; i < 9; i++)
        g[i] = 1;
    CHECK_OK(opevo_i_net_winograd_weights(form, &shape, g, &u, &bound, &err));
    assert_true(fabs(bound / (36 / 9.0 * n / (1 - n)) - 1) < 1e-6);
    opevo_array_free(&u);
    for (int i = 0; i < 9; i++)
        g[i] = 0;
    CHECK_OK(opevo_i_net_winograd_weights(form, &shape, g, &u, &bound, &err));
    assert_true(bound == 0);
    opevo_array_free(&u);
}

/* ---- What is replaced ----------------------------------------------------------------------- */

static bool has_equal_steps(const opevo_network_inference *a, const opevo_network_inference *b)
{
    bool equal = a->steps == b->steps;

    for (int n = 0; n < a->steps && equal; n++) {
        const opevo_computation *one = a->step[n].computation, *other = b->step[n].computation;

        equal = one && other ? opevo_computation_same(one, other) : one == other;
    }
    return equal;
}

/* Nothing without an error that is allowed, up to the bound itself; where it does not pay only if
 * it is asked for; and nothing with strides, or with groups that are not whole blocks. */
CHECK_TEST(test_choice)
{
    for (int64_t i = 0; i < 3; i++) {
        const layer of = {1,    8,     8,     6,    6, 1, 1 + (i == 1), i == 2 ? 8 : 1,
                          true, false, false, false};
        opevo_network *network = NULL;
        opevo_network_inference *without = NULL, *with = NULL;
        double bound = 0;
        model made;

        build(&made, &of, 3, 1, 5, &network);
        without = pass(network, 2, 0, 4);
        assert_int_equal(without->winograd.layers, 0);
        with = pass(network, 2, INFINITY, 4);
        assert_int_equal(with->winograd.layers, i == 0);
        assert_int_equal(has_equal_steps(without, with), i != 0);
        bound = i == 0 ? with->winograd.layer[0].bound : 1;
        opevo_network_inference_destroy(with);
        for (int more = 0; more < 2; more++) {
            with = pass(network, 2, more ? bound : nextafter(bound, 0), 4);
            assert_int_equal(with->winograd.layers, i == 0 && more);
            opevo_network_inference_destroy(with);
        }
        with = pass(network, 2, INFINITY, 0);
        assert_int_equal(with->winograd.layers, 0);
        assert_true(has_equal_steps(without, with));
        opevo_network_inference_destroy(with);
        opevo_network_inference_destroy(without);
        opevo_network_destroy(network);
        model_finish(&made);
    }
}

/* A second pass finds nothing that is left, and one without `block` before it nothing at all. */
CHECK_TEST(test_again)
{
    opevo_network *network = NULL;
    opevo_network_inference *inference = NULL;
    model made;

    build(&made, &layers[0], 3, 1, 5, &network);
    inference = pass(network, 2, INFINITY, 2);
    CHECK_OK(opevo_network_inference_pass(inference, mask_of("winograd"), &err));
    assert_int_equal(inference->winograd.layers, 1);
    assert_int_equal(inference->steps, 7);
    opevo_network_inference_destroy(inference);
    CHECK_OK(opevo_network_inference_create(network, &inference, &err));
    inference->winograd.error = INFINITY;
    inference->winograd.tile = 2;
    CHECK_OK(opevo_network_inference_pass(inference, OPEVO_NETWORK_ALL_PASSES & ~mask_of("block"),
                                          &err));
    assert_int_equal(inference->winograd.layers, 0);
    opevo_network_inference_destroy(inference);
    opevo_network_destroy(network);
    model_finish(&made);
}

/* Of layers as they are in networks the large tile pays on large images, none on one pixel. */
CHECK_TEST(test_costs)
{
    size_t count = 0;
    const opevo_i_net_winograd *forms = opevo_i_net_winograds(&count);
    const opevo_i_net_winograd_shape large = {
        .images = 1, .height = 58, .width = 58, .ins = 16, .outs = 16, .block = 16, .groups = 1};
    opevo_i_net_winograd_shape pixel = large, plain = large;

    pixel.height = pixel.width = 3;
    plain.plain_image = plain.plain_result = true;
    assert_true(opevo_i_net_winograd_cost(&forms[0], &plain) >
                opevo_i_net_winograd_cost(&forms[0], &large));
    assert_true(1.5 * opevo_i_net_winograd_cost(&forms[0], &large) <
                opevo_i_net_direct_cost(&large));
    assert_true(opevo_i_net_winograd_cost(&forms[1], &large) <
                opevo_i_net_winograd_cost(&forms[0], &large));
    for (size_t f = 0; f < count; f++)
        assert_true(opevo_i_net_winograd_cost(&forms[f], &pixel) > opevo_i_net_direct_cost(&pixel));
}

/* Wherever memory ends, the pass says so and leaves steps that can be destroyed, and nothing
 * else. */
CHECK_TEST(test_memory)
{
    opevo_network *network = NULL;
    opevo_status status = OPEVO_NOMEM;
    uint32_t winograd = mask_of("winograd");
    int64_t live = 0, n = 0;
    model made;

    build(&made, &layers[0], 3, 1, 5, &network);
    live = opevo_memory_live();
    while (status == OPEVO_NOMEM) {
        opevo_network_inference *inference = NULL;

        n++;
        inference = pass(network, 2, 0, 4);
        inference->winograd.error = INFINITY;
        opevo_memory_fail_at(n);
        status = opevo_network_inference_pass(inference, winograd, &failure);
        opevo_memory_fail_at(0);
        assert_true(status == OPEVO_OK || status == OPEVO_NOMEM);
        opevo_network_inference_destroy(inference);
        assert_int_equal(opevo_memory_live(), live);
    }
    assert_true(n > 50);
    opevo_network_destroy(network);
    model_finish(&made);
}

int main(void)
{
    return check_tests(NULL, remove_model);
}
