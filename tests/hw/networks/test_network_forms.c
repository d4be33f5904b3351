/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Operators that are read as several others: attention, normalisation behind sums, and quantised
 * tensors and weights, against loops in double precision on random shapes. */

#include "network_models.h"

#include <math.h>

static uint64_t state = 7;

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

static void of_runtime(model *self, size_t node)
{
    self->node[node].domain = (char *)"com.microsoft";
}

/* Run a model of several float inputs; the caller frees the result. */
static opevo_array run_on(model *made, const opevo_array *inputs)
{
    opevo_network *network = NULL;
    opevo_array y = {0};

    if (model_read(made, NULL, &network) != OPEVO_OK)
        fail_msg("%s", failure.message);
    CHECK_OK(opevo_network_run(network, inputs, &y, 1, &err));
    opevo_network_destroy(network);
    model_finish(made);
    return y;
}

/* ---- Attention ---- */

/* Of which rows of all heads lie beside each other, or each head has its rows. */
typedef struct attention {
    int64_t batch, heads, kv_heads, rows, seen, size;
    bool joined, causal;
    double scale, cap;
} attention;

static int64_t place(const attention *of, int64_t heads, int64_t rows, int64_t b, int64_t h,
                     int64_t r)
{
    return (of->joined ? (b * rows + r) * heads + h : (b * heads + h) * rows + r) * of->size;
}

static void expect_attention(const attention *of, const opevo_array *in, int64_t b, int64_t h,
                             int64_t r, double *out)
{
    const float *q = in[0].data, *k = in[1].data, *v = in[2].data, *bias = in[3].data;
    int64_t shared = h / (of->heads / of->kv_heads);
    double sum = 0;

    memset(out, 0, (size_t)of->size * sizeof *out);
    for (int64_t s = 0; s < of->seen && (!of->causal || s <= r); s++) {
        const float *row = q + place(of, of->heads, of->rows, b, h, r);
        int64_t at = place(of, of->kv_heads, of->seen, b, shared, s);
        double score = 0, weight = 0;

        for (int64_t d = 0; d < of->size; d++)
            score += (double)row[d] * (double)k[at + d];
        score *= of->scale;
        score = of->cap > 0 ? of->cap * tanh(score / of->cap) : score;
        weight = exp(score + (double)bias[r * of->seen + s]);
        sum += weight;
        for (int64_t d = 0; d < of->size; d++)
            out[d] += weight * (double)v[at + d];
    }
    for (int64_t d = 0; d < of->size; d++)
        out[d] /= sum;
}

static void check_attention(const attention *of)
{
    opevo_array in[4], y = {0};
    int64_t heads[] = {of->heads, of->kv_heads, of->kv_heads};
    double wanted[8];
    model made;

    start(&made, 23);
    for (int i = 0; i < 3; i++) {
        int64_t rows = i ? of->seen : of->rows;
        int64_t joined[] = {of->batch, rows, heads[i] * of->size};
        int64_t apart[] = {of->batch, heads[i], rows, of->size};

        in[i] = make_array(of->joined ? 3 : 4, of->joined ? joined : apart, &state);
        add_input(&made, i == 0 ? "q" : i == 1 ? "k" : "v", in[i].dims, in[i].extent);
    }
    in[3] = make_array(2, (int64_t[]){of->rows, of->seen}, &state);
    add_input(&made, "bias", 2, in[3].extent);
    add_node(&made, "Attention", "q k v bias", "y");
    if (of->joined) {
        add_int(&made, 0, "q_num_heads", of->heads);
        add_int(&made, 0, "kv_num_heads", of->kv_heads);
    }
    add_int(&made, 0, "is_causal", of->causal);
    add_float(&made, 0, "scale", (float)of->scale);
    add_float(&made, 0, "softcap", (float)of->cap);
    set_output(&made, "y");
    y = run_on(&made, in);
    for (int64_t i = 0; i < of->batch * of->heads * of->rows; i++) {
        int64_t b = i / of->rows / of->heads, h = i / of->rows % of->heads, r = i % of->rows;

        expect_attention(of, in, b, h, r, wanted);
        for (int64_t d = 0; d < of->size; d++)
            check_near((double)element(&y, place(of, of->heads, of->rows, b, h, r) + d), wanted[d],
                       "Attention");
    }
    for (int i = 0; i < 4; i++)
        opevo_array_free(&in[i]);
    opevo_array_free(&y);
}

CHECK_TEST(test_attention)
{
    for (int round = 0; round < 24; round++) {
        int64_t groups = 1 + (int64_t)draw(&state, 3), kv_heads = 1 + (int64_t)draw(&state, 3);
        attention of = {.batch = 1 + (int64_t)draw(&state, 2),
                        .heads = groups * kv_heads,
                        .kv_heads = kv_heads,
                        .rows = 1 + (int64_t)draw(&state, 5),
                        .seen = 1 + (int64_t)draw(&state, 6),
                        .size = 2 + (int64_t)draw(&state, 6),
                        .joined = round % 2,
                        .causal = round % 3 == 0,
                        .scale = 0.25 + (double)draw(&state, 4) / 4,
                        .cap = round % 4 == 1 ? 1.5 : 0};

        check_attention(&of);
    }
}

/* Pairs are halves of a head, or neighbours; each turns by an angle of its row. */
CHECK_TEST(test_rotary)
{
    enum { BATCH = 2, HEADS = 3, ROWS = 4, SIZE = 6, HALF = SIZE / 2 };
    const int64_t extent[] = {BATCH, HEADS, ROWS, SIZE}, cache[] = {BATCH, ROWS, HALF};

    for (int interleaved = 0; interleaved < 2; interleaved++) {
        opevo_array in[] = {make_array(4, extent, &state), make_array(3, cache, &state),
                            make_array(3, cache, &state)};
        opevo_array y = {0};
        model made;

        start(&made, 23);
        add_input(&made, "x", 4, extent);
        add_input(&made, "cos", 3, cache);
        add_input(&made, "sin", 3, cache);
        add_node(&made, "RotaryEmbedding", "x cos sin", "y");
        add_int(&made, 0, "interleaved", interleaved);
        set_output(&made, "y");
        y = run_on(&made, in);
        for (int64_t i = 0; i < BATCH * HEADS * ROWS * HALF; i++) {
            int64_t row = i / HALF, j = i % HALF, at = row / ROWS / HEADS * ROWS + row % ROWS;
            int64_t one = row * SIZE + (interleaved ? 2 * j : j);
            int64_t other = interleaved ? one + 1 : one + HALF;
            double a = (double)element(&in[0], one), b = (double)element(&in[0], other);
            double c = (double)element(&in[1], at * HALF + j);
            double s = (double)element(&in[2], at * HALF + j);

            check_near((double)element(&y, one), a * c - b * s, "rotary");
            check_near((double)element(&y, other), a * s + b * c, "rotary");
        }
        for (int i = 0; i < 3; i++)
            opevo_array_free(&in[i]);
        opevo_array_free(&y);
    }
}

/* ---- Sums and normalisation ---- */

CHECK_TEST(test_skip)
{
    enum { ROWS = 5, SIZE = 7 };
    const int64_t extent[] = {1, ROWS, SIZE}, channels[] = {SIZE};

    for (int simplified = 0; simplified < 2; simplified++) {
        opevo_array in[] = {make_array(3, extent, &state), make_array(3, extent, &state)};
        opevo_array y = {0};
        model made;

        start(&made, 12);
        add_input(&made, "x", 3, extent);
        add_input(&made, "skip", 3, extent);
        add_weights(&made, "scale", 1, channels, 0.5, 0.5, &state);
        add_weights(&made, "shift", 1, channels, 0.25, 0.25, &state);
        add_node(&made, simplified ? "SkipSimplifiedLayerNormalization" : "SkipLayerNormalization",
                 simplified ? "x skip scale" : "x skip scale shift", "y");
        add_float(&made, 0, "epsilon", 1e-5f);
        of_runtime(&made, 0);
        set_output(&made, "y");
        y = run_on(&made, in);
        for (int r = 0; r < ROWS; r++) {
            double sum[SIZE], mean = 0, square = 0;

            for (int i = 0; i < SIZE; i++) {
                sum[i] =
                    (double)element(&in[0], r * SIZE + i) + (double)element(&in[1], r * SIZE + i);
                mean += simplified ? 0 : sum[i] / SIZE;
            }
            for (int i = 0; i < SIZE; i++)
                square += pow(sum[i] - mean, 2) / SIZE;
            for (int i = 0; i < SIZE; i++)
                check_near((double)element(&y, r * SIZE + i),
                           (sum[i] - mean) / sqrt(square + (double)1e-5f) * 0.5 +
                               (simplified ? 0 : 0.25),
                           "normalisation");
        }
        opevo_array_free(&in[0]);
        opevo_array_free(&in[1]);
        opevo_array_free(&y);
    }
}

/* A convolution, what is added to it, and its activation. */
CHECK_TEST(test_convolution)
{
    const int64_t image[] = {1, 1, 3, 3}, weights[] = {1, 1, 1, 1};
    opevo_array in[] = {make_array(4, image, &state), make_array(4, image, &state)}, y = {0};
    Onnx__Attribute *with = NULL;
    float limits[] = {-0.25f, 0.5f};
    model made;

    start(&made, 13);
    add_input(&made, "x", 4, image);
    add_input(&made, "z", 4, image);
    add_weights(&made, "w", 4, weights, 2, 2, &state);
    add_node(&made, "FusedConv", "x w _ z", "y");
    with = add_attribute(&made, 0, "activation");
    with->has_s = 1;
    with->s = (ProtobufCBinaryData){4, (uint8_t *)"Clip"};
    with = add_attribute(&made, 0, "activation_params");
    with->n_floats = 2;
    with->floats = limits;
    of_runtime(&made, 0);
    set_output(&made, "y");
    y = run_on(&made, in);
    for (int i = 0; i < 9; i++)
        check_near(
            (double)element(&y, i),
            fmin(fmax(2 * (double)element(&in[0], i) + (double)element(&in[1], i), -0.25), 0.5),
            "FusedConv");
    opevo_array_free(&in[0]);
    opevo_array_free(&in[1]);
    opevo_array_free(&y);
}

/* ---- Weights of few bits ---- */

/* Numbers of 4 bits in rows of blocks, two in a byte, the lower one first. */
CHECK_TEST(test_few_bits)
{
    enum { ROWS = 3, K = 40, N = 5, BLOCK = 16, BLOCKS = 3, BYTES = BLOCK / 2 };
    opevo_array x = make_array(2, (int64_t[]){ROWS, K}, &state), y = {0};

    for (int zeros = 0; zeros < 2; zeros++) {
        uint8_t packed[N * BLOCKS * BYTES], zero[N * 2];
        Onnx__Tensor *scale = NULL;
        float scales[N * BLOCKS];
        model made;

        start(&made, 17);
        add_input(&made, "x", 2, x.extent);
        add_weights(&made, "scale", 1, (int64_t[]){N * BLOCKS}, 0.01, 0.02, &state);
        scale = &made.weights[0];
        memcpy(scales, scale->float_data, sizeof scales);
        for (int i = 0; i < 1 + zeros; i++) {
            Onnx__Tensor *bytes = NULL;
            size_t size = i ? sizeof zero : sizeof packed;

            add_whole(&made, i ? "zero" : "weights", 0, (int64_t[]){0});
            bytes = &made.weights[1 + i];
            bytes->data_type = OPEVO_NETWORK_UINT8;
            bytes->dims[0] = (int64_t)size;
            bytes->has_raw_data = 1;
            bytes->raw_data = (ProtobufCBinaryData){size, i ? zero : packed};
            for (size_t k = 0; k < size; k++)
                bytes->raw_data.data[k] = (uint8_t)draw(&state, 256);
        }
        add_node(&made, "MatMulNBits", zeros ? "x weights scale zero" : "x weights scale", "y");
        add_int(&made, 0, "K", K);
        add_int(&made, 0, "N", N);
        add_int(&made, 0, "bits", 4);
        add_int(&made, 0, "block_size", BLOCK);
        of_runtime(&made, 0);
        set_output(&made, "y");
        y = run_model(&made, &x);
        for (int i = 0; i < ROWS * N; i++) {
            int n = i % N;
            double sum = 0;

            for (int k = 0; k < K; k++) {
                int block = k / BLOCK, at = n * BLOCKS + block;
                int number = packed[at * BYTES + k % BLOCK / 2] >> (k % 2 * 4) & 15;
                int of = zeros ? zero[n * 2 + block / 2] >> (block % 2 * 4) & 15 : 8;

                sum += (double)element(&x, i / N * K + k) * (number - of) * (double)scales[at];
            }
            check_near((double)element(&y, i), sum, "MatMulNBits");
        }
        opevo_array_free(&y);
    }
    opevo_array_free(&x);
}

/* Constants of 4 bits, in blocks along the first dimension; the last byte has one element. */
CHECK_TEST(test_packed_constants)
{
    enum { ROWS = 5, COLUMNS = 3, BLOCK = 2, BYTES = (ROWS * COLUMNS + 1) / 2 };
    const int64_t scales[] = {3, COLUMNS};

    for (int is_signed = 0; is_signed < 2; is_signed++) {
        uint8_t bytes[BYTES];
        opevo_array x = make_array(2, (int64_t[]){ROWS, COLUMNS}, &state), y = {0};
        float scale[9];
        model made;

        for (int i = 0; i < BYTES; i++)
            bytes[i] = (uint8_t)draw(&state, 256);
        start(&made, 21);
        add_input(&made, "x", 2, x.extent);
        add_weights(&made, "scale", 2, scales, 0.5, 2, &state);
        memcpy(scale, made.weights[0].float_data, sizeof scale);
        add_whole(&made, "w", 0, (int64_t[]){0});
        free(made.weights[1].dims);
        made.weights[1].dims = calloc(2, sizeof *made.weights[1].dims);
        made.weights[1].dims[0] = ROWS;
        made.weights[1].dims[1] = COLUMNS;
        made.weights[1].n_dims = 2;
        made.weights[1].data_type = is_signed ? 22 : 21; /* int4 and uint4 of ONNX */
        made.weights[1].has_raw_data = 1;
        made.weights[1].raw_data = (ProtobufCBinaryData){BYTES, bytes};
        add_node(&made, "DequantizeLinear", "w scale", "d");
        add_int(&made, 0, "axis", 0);
        add_int(&made, 0, "block_size", BLOCK);
        add_node(&made, "Add", "d x", "y");
        set_output(&made, "y");
        y = run_model(&made, &x);
        for (int i = 0; i < ROWS * COLUMNS; i++) {
            int number = bytes[i / 2] >> (i % 2 * 4) & 15;
            double of = (double)scale[i / COLUMNS / BLOCK * COLUMNS + i % COLUMNS];

            number -= is_signed && number > 7 ? 16 : 0;
            check_near((double)element(&y, i), number * of + (double)element(&x, i), "int4");
        }
        opevo_array_free(&x);
        opevo_array_free(&y);
    }
}

/* Elements that are kept are divided by 1 - ratio, the others are 0: as many as the ratio says, up
 * to six standard deviations. Without training, and with ratio 0, all are kept. */
CHECK_TEST(test_dropout)
{
    enum { COUNT = 4000 };
    opevo_array x = make_array(1, (int64_t[]){COUNT}, &state);
    const double ratios[] = {0.3, 0.8, 0, -1}; /* -1: it does not train */

    for (int r = 0; r < 4; r++) {
        double ratio = ratios[r] > 0 ? ratios[r] : 0;
        double deviation = sqrt(COUNT * ratio * (1 - ratio));
        opevo_array y = {0};
        int dropped = 0;
        model made;

        start(&made, 13);
        add_input(&made, "x", 1, x.extent);
        add_weights(&made, "ratio", 0, NULL, ratio, ratio, &state);
        add_whole(&made, "number", 0, (int64_t[]){0});
        made.weights[1].n_dims = 0;
        made.weights[1].n_int64_data = 1;
        made.weights[1].int64_data[0] = ratios[r] >= 0;
        add_int(&made, add_node(&made, "Cast", "number", "training"), "to", OPEVO_NETWORK_BOOL);
        add_node(&made, "Dropout", "x ratio training", "z mask");
        add_int(&made, add_node(&made, "Cast", "mask", "kept"), "to", OPEVO_NETWORK_FLOAT32);
        add_int(&made, add_node(&made, "Concat", "z kept", "y"), "axis", 0);
        set_output(&made, "y");
        y = run_on(&made, &x);
        for (int i = 0; i < COUNT; i++) {
            double kept = (double)element(&y, COUNT + i);

            assert_true(kept == 0 || kept == 1);
            check_near((double)element(&y, i), kept * (double)element(&x, i) / (1 - ratio),
                       "Dropout");
            dropped += kept == 0;
        }
        assert_true(fabs(dropped - COUNT * ratio) <= 6 * deviation);
        opevo_array_free(&y);
    }
    opevo_array_free(&x);
}

int main(void)
{
    return check_tests(NULL, remove_model);
}
