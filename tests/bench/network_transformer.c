/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Transformers with random weights, from their layers, in the nodes that PyTorch exports:
 *
 *     network_transformer KIND ROWS SEED OUT.onnx
 *
 * KIND is minilm (6 layers of 384, 12 heads), bert (12 of 768, 12 heads), vit (12 of 192, 3 heads,
 * patches of 16 x 16, for ROWS patches and a class) or decoder (6 of 512, 8 heads, with a cache of
 * 128 rows before the ROWS). The encoders have a mask of the rows that count, and the decoder is
 * causal. Sources: Devlin et al., "BERT", NAACL 2019; Wang et al., "MiniLM", NeurIPS 2020;
 * Dosovitskiy et al., "An image is worth 16 x 16 words", ICLR 2021; Radford et al., "Language
 * models are unsupervised multitask learners", 2019. Of opset 14: layer normalisations, GELU and
 * attention are in their parts. */

#include "network_nodes.h"

enum { OPSET = 14, WORDS = 4096, MOST_ROWS = 1024, PATCH = 16, PAST = 128 };

static int64_t rows, past, width, heads, layers;

/* ---- Parts ---------------------------------------------------------------------------------- */

static const char *add_linear(const char *in, int64_t from, int64_t to)
{
    const char *weight = add_weight(2, (int64_t[]){from, to});
    const char *product = add_binary("MatMul", in, weight);

    return add_binary("Add", add_weight(1, &to), product);
}

static const char *add_normal(const char *in)
{
    const char *mean = add_unary("ReduceMean", in), *apart = NULL, *square = NULL;

    add_ints("axes", 1, -1);
    apart = add_binary("Sub", in, mean);
    square = add_unary("ReduceMean", add_binary("Pow", apart, add_number(2)));
    add_ints("axes", 1, -1);
    square = add_unary("Sqrt", add_binary("Add", square, add_number(1e-12)));
    apart = add_binary("Mul", add_binary("Div", apart, square), add_weight(1, &width));
    return add_binary("Add", apart, add_weight(1, &width));
}

static const char *add_gelu(const char *in)
{
    const char *error = add_unary("Erf", add_binary("Div", in, add_number(sqrt(2))));
    const char *sum = add_binary("Add", error, add_number(1));

    return add_binary("Mul", add_binary("Mul", in, sum), add_number(0.5));
}

/* The form with tanh, of GPT-2. */
static const char *add_gelu_tanh(const char *in)
{
    const char *cube = add_binary("Pow", in, add_number(3)), *inner = NULL;

    inner = add_binary("Add", in, add_binary("Mul", cube, add_number(0.044715)));
    inner = add_unary("Tanh", add_binary("Mul", inner, add_number(sqrt(2 / 3.14159265358979))));
    inner = add_binary("Add", inner, add_number(1));
    return add_binary("Mul", add_binary("Mul", in, add_number(0.5)), inner);
}

/* [1, rows, width] as [1, heads, rows, size], or with the last two dimensions changed. */
static const char *add_heads(const char *in, bool turned)
{
    in = add_binary("Reshape", in, add_wholes(4, (int64_t[]){1, rows, heads, width / heads}));
    in = add_unary("Transpose", in);
    add_list("perm", 4, turned ? (int64_t[]){0, 2, 3, 1} : (int64_t[]){0, 2, 1, 3});
    return in;
}

/* Behind what came before, and what a decoder gives to be kept. */
static const char *add_cached(const char *in, const char *name, int64_t layer)
{
    const int64_t before[] = {1, heads, past, width / heads};
    const int64_t after[] = {1, heads, past + rows, width / heads};
    char *input = NULL;
    const char *made = NULL;

    if (!past)
        return in;
    if (asprintf(&input, "past.%d.%s", (int)layer, name) < 0)
        stop("No memory.");
    made = add_binary("Concat", add_input(input, OPEVO_NETWORK_FLOAT32, 4, before), in);
    add_int("axis", 2);
    add_output(made, 4, after);
    return made;
}

/* Softmax(Q K^T / sqrt(size) + mask) V of rows. */
static const char *add_attention(const char *in, const char *mask, int64_t layer)
{
    const char *q = add_heads(add_linear(in, width, width), false);
    const char *k = add_heads(add_linear(in, width, width), !past);
    const char *v = add_cached(add_heads(add_linear(in, width, width), false), "value", layer);
    const char *scores = NULL;

    if (past) {
        k = add_unary("Transpose", add_cached(k, "key", layer));
        add_list("perm", 4, (int64_t[]){0, 1, 3, 2});
    }
    scores = add_binary("MatMul", q, k);
    scores = add_binary("Div", scores, add_number(sqrt((double)(width / heads))));
    if (mask)
        scores = add_binary("Add", scores, mask);
    scores = add_unary("Softmax", scores);
    add_int("axis", -1);
    v = add_unary("Transpose", add_binary("MatMul", scores, v));
    add_list("perm", 4, (int64_t[]){0, 2, 1, 3});
    v = add_binary("Reshape", v, add_wholes(3, (int64_t[]){1, rows, width}));
    return add_linear(v, width, width);
}

/* ---- Models --------------------------------------------------------------------------------- */

/* Normalised after each sum: the encoders of text. */
static const char *add_layer_after(const char *x, const char *mask, int64_t layer)
{
    x = add_normal(add_binary("Add", add_attention(x, mask, layer), x));
    return add_normal(add_binary(
        "Add", add_linear(add_gelu(add_linear(x, width, 4 * width)), 4 * width, width), x));
}

/* Normalised before each part: images and decoders. */
static const char *add_layer_before(const char *x, const char *mask, int64_t layer)
{
    const char *part = add_attention(add_normal(x), mask, layer);

    x = add_binary("Add", part, x);
    part = add_linear(add_normal(x), width, 4 * width);
    part = past ? add_gelu_tanh(part) : add_gelu(part);
    return add_binary("Add", add_linear(part, 4 * width, width), x);
}

/* 0 for rows that count, the least number for the others: mask[1, 1, 1, rows]. */
static const char *add_mask(const char *in)
{
    const char *mask = add_binary("Unsqueeze", in, add_wholes(2, (int64_t[]){1, 2}));

    mask = add_unary("Cast", mask);
    add_int("to", OPEVO_NETWORK_FLOAT32);
    mask = add_binary("Sub", add_number(1), mask);
    return add_binary("Mul", mask, add_number(-3.4028234663852886e38));
}

/* Row i sees the cache and rows up to i: [1, 1, rows, past + rows]. */
static const char *add_causal_mask(void)
{
    int64_t seen = past + rows;
    float *at = need(calloc((size_t)(rows * seen), sizeof *at));
    const char *made = NULL;

    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = past + i + 1; j < seen; j++)
            at[i * seen + j] = -3.4028234663852886e38f;
    made = add_stored(OPEVO_NETWORK_FLOAT32, 4, (int64_t[]){1, 1, rows, seen}, at,
                      (size_t)(rows * seen) * sizeof *at);
    free(at);
    return made;
}

static const char *add_words(const char *in)
{
    const char *words = add_weight(2, (int64_t[]){WORDS, width});
    const char *places = add_weight(2, (int64_t[]){MOST_ROWS, width});
    int64_t *place = need(calloc((size_t)rows, sizeof *place));

    for (int64_t i = 0; i < rows; i++)
        place[i] = past + i;
    words = add_binary("Gather", words, in);
    words = add_binary("Add", words, add_binary("Gather", places, add_wholes((size_t)rows, place)));
    free(place);
    return words;
}

static void add_encoder(void)
{
    const int64_t shape[] = {1, rows};
    const char *ids = add_input("input_ids", OPEVO_NETWORK_INT64, 2, shape);
    const char *mask = add_mask(add_input("attention_mask", OPEVO_NETWORK_INT64, 2, shape));
    const char *x = add_normal(add_words(ids));

    for (int64_t i = 0; i < layers; i++)
        x = add_layer_after(x, mask, i);
    add_output(x, 3, (int64_t[]){1, rows, width});
}

static void add_decoder(void)
{
    const char *ids = add_input("input_ids", OPEVO_NETWORK_INT64, 2, (int64_t[]){1, rows});
    const char *mask = add_causal_mask(), *x = add_words(ids);

    for (int64_t i = 0; i < layers; i++)
        x = add_layer_before(x, mask, i);
    x = add_binary("MatMul", add_normal(x), add_weight(2, (int64_t[]){width, WORDS}));
    add_output(x, 3, (int64_t[]){1, rows, WORDS});
}

static void add_images(void)
{
    const int64_t side = (int64_t)sqrt((double)rows) * PATCH;
    const char *weight = add_weight(4, (int64_t[]){width, 3, PATCH, PATCH}), *x = NULL;

    add_input("image", OPEVO_NETWORK_FLOAT32, 4, (int64_t[]){1, 3, side, side});
    x = add_node("Conv", (const char *const[]){"image", weight, add_weight(1, &width), NULL});
    add_ints("kernel_shape", 2, PATCH);
    add_ints("strides", 2, PATCH);
    rows = side / PATCH * (side / PATCH);
    x = add_unary("Transpose",
                  add_binary("Reshape", x, add_wholes(3, (int64_t[]){1, width, rows})));
    add_list("perm", 3, (int64_t[]){0, 2, 1});
    x = add_binary("Concat", add_weight(3, (int64_t[]){1, 1, width}), x);
    add_int("axis", 1);
    rows++;
    x = add_binary("Add", x, add_weight(3, (int64_t[]){1, rows, width}));
    for (int64_t i = 0; i < layers; i++)
        x = add_layer_before(x, NULL, i);
    x = add_binary(
        "Gather", add_normal(x),
        add_stored(OPEVO_NETWORK_INT64, 0, (int64_t[]){0}, (int64_t[]){0}, sizeof(int64_t)));
    add_int("axis", 1);
    add_output(add_linear(x, width, 1000), 2, (int64_t[]){1, 1000});
}

static void set(int64_t to_layers, int64_t to_width, int64_t to_heads)
{
    layers = to_layers;
    width = to_width;
    heads = to_heads;
}

int main(int count, char **argument)
{
    Onnx__Model *model = NULL;

    if (count != 5)
        stop("Give KIND ROWS SEED OUT.onnx.");
    rows = strtoll(argument[2], NULL, 10);
    state = strtoull(argument[3], NULL, 10);
    if (rows < 1 || rows > MOST_ROWS - PAST)
        stop("ROWS is from 1 to 896.");
    model = make_model(argument[1], OPSET);
    if (strcmp(argument[1], "minilm") == 0) {
        set(6, 384, 12);
        add_encoder();
    } else if (strcmp(argument[1], "bert") == 0) {
        set(12, 768, 12);
        add_encoder();
    } else if (strcmp(argument[1], "vit") == 0) {
        set(12, 192, 3);
        add_images();
    } else if (strcmp(argument[1], "decoder") == 0) {
        past = PAST;
        set(6, 512, 8);
        add_decoder();
    } else {
        stop("KIND is minilm, bert, vit or decoder.");
    }
    write_model(model, argument[4]);
    return 0;
}
