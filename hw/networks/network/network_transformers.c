/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Attention and rotary embeddings, of ONNX and of ONNX Runtime (com.microsoft), as products,
 * softmax and what else the standard has. */

#include "network_read_internal.h"

#include <math.h>
#include <stdio.h>

enum { DIMS = 5 };
#define NONE OPEVO_I_NET_OMITTED

/* Extent d of a tensor; 1 after a failure. */
static int64_t extent_of(opevo_i_net_builder *self, int binding, int d)
{
    const opevo_array *array = opevo_i_net_build_array(self, binding);

    if (self->status == OPEVO_OK && array && d < array->dims)
        return array->extent[d];
    opevo_i_net_build_fail(self, "One of its inputs has too few dimensions.");
    return 1;
}

static int dims_of(const opevo_i_net_builder *self, int binding)
{
    const opevo_array *array = opevo_i_net_build_array(self, binding);

    return array ? array->dims : 0;
}

/* ---- Heads ---------------------------------------------------------------------------------- */

/* Rows of all heads, [batch, rows, heads size], as [batch, heads, rows, size]. */
static int split_heads(opevo_i_net_builder *self, int in, int64_t heads)
{
    int64_t extent[] = {extent_of(self, in, 0), extent_of(self, in, 1), heads, 1};
    int64_t width = extent_of(self, in, 2);

    if (heads < 1 || width % heads) {
        opevo_i_net_build_fail(self, "Its heads do not divide its rows.");
        return NONE;
    }
    extent[3] = width / heads;
    in = opevo_i_net_build_reshape(self, in, 4, extent);
    return opevo_i_net_build_one(self, "Transpose", "perm=0,2,1,3", in);
}

static int join_heads(opevo_i_net_builder *self, int in)
{
    int64_t extent[] = {extent_of(self, in, 0), extent_of(self, in, 2),
                        extent_of(self, in, 1) * extent_of(self, in, 3)};
    int made = opevo_i_net_build_one(self, "Transpose", "perm=0,2,1,3", in);

    opevo_i_net_build_next(self, 0);
    return opevo_i_net_build_reshape(self, made, 3, extent);
}

/* What came before, and these; rows are dimension 2. */
static int append(opevo_i_net_builder *self, int past, int in, int output)
{
    int made = past == NONE ? in : opevo_i_net_build_two(self, "Concat", "axis=2", past, in);

    if (output >= 0)
        opevo_i_net_build_output(self, output, made);
    return made;
}

/* ---- Attention ------------------------------------------------------------------------------ */

typedef struct attention {
    int q, k, v; /* [batch, heads, rows, size]; k and v may have fewer heads */
    double scale, softcap;
    int bias;           /* added to scores, broadcast; NONE */
    bool causal;        /* row i sees up to `past` + i */
    int64_t past, near; /* near: how many of the last rows are seen; < 0: all */
    int scores, mode;   /* output with scores and which they are; < 0: none */
} attention;

/* 0 where a row may see another one, the least number elsewhere. */
static int mask_of(opevo_i_net_builder *self, const attention *of, int64_t rows, int64_t seen)
{
    float *at = NULL;
    int made = opevo_i_net_build_floats(self, 2, (int64_t[]){rows, seen}, &at);

    for (int64_t i = 0; i < rows && at; i++) {
        for (int64_t j = 0; j < seen; j++) {
            int64_t last = i + of->past;
            bool sees = (!of->causal || j <= last) && (of->near < 0 || j > last - of->near);

            at[i * seen + j] = sees ? 0.f : -3.40282347e38f;
        }
    }
    return made;
}

static void keep_scores(opevo_i_net_builder *self, const attention *of, int mode, int scores,
                        const int64_t *extent)
{
    if (of->scores < 0 || of->mode != mode)
        return;
    scores = opevo_i_net_build_reshape(self, scores, 4, extent);
    opevo_i_net_build_output(self, of->scores, scores);
}

static int capped(opevo_i_net_builder *self, const attention *of, int scores)
{
    int cap = 0;

    if (!(of->softcap > 0))
        return scores;
    cap = opevo_i_net_build_number(self, of->softcap);
    scores = opevo_i_net_build_two(self, "Div", NULL, scores, cap);
    scores = opevo_i_net_build_one(self, "Tanh", NULL, scores);
    return opevo_i_net_build_two(self, "Mul", NULL, scores, cap);
}

/* The bias with heads of queries as heads and groups. */
static int grouped_bias(opevo_i_net_builder *self, int bias, int64_t heads, int64_t groups)
{
    int dims = bias == NONE ? 0 : dims_of(self, bias);
    bool one = dims < 3 || extent_of(self, bias, dims - 3) == 1;

    return dims < 3
               ? bias
               : opevo_i_net_build_reshape(
                     self, bias, DIMS,
                     (int64_t[]){dims > 3 ? extent_of(self, bias, dims - 4) : 1, one ? 1 : heads,
                                 one ? 1 : groups, extent_of(self, bias, dims - 2),
                                 extent_of(self, bias, dims - 1)});
}

/* Scores with cap, bias and mask, of `extent`; with groups, these are a dimension of their own
 * behind heads of keys, so that nothing lies between the products but what is made of scores. */
static int scores_of(opevo_i_net_builder *self, const attention *of, int64_t groups, int k,
                     const int64_t *extent)
{
    int64_t rows = extent[2], seen = extent[3], heads = extent[1] / groups;
    int q = of->q, scores = 0, bias = of->bias;

    if (groups > 1) {
        q = opevo_i_net_build_reshape(
            self, q, DIMS, (int64_t[]){extent[0], heads, groups, rows, extent_of(self, of->q, 3)});
        bias = grouped_bias(self, bias, heads, groups);
    }
    q = opevo_i_net_build_two(self, "Mul", NULL, q, opevo_i_net_build_number(self, of->scale));
    scores = opevo_i_net_build_two(
        self, "MatMul", NULL, q,
        opevo_i_net_build_one(self, "Transpose", groups > 1 ? "perm=0,1,2,4,3" : "perm=0,1,3,2",
                              k));
    keep_scores(self, of, 0, scores, extent);
    scores = capped(self, of, scores);
    keep_scores(self, of, 1, scores, extent);
    if (bias != NONE)
        scores = opevo_i_net_build_two(self, "Add", NULL, scores, bias);
    if (of->causal || of->near >= 0)
        scores = opevo_i_net_build_two(self, "Add", NULL, scores, mask_of(self, of, rows, seen));
    return scores;
}

/* [batch, heads, rows, size of v]. */
static int attend(opevo_i_net_builder *self, const attention *of)
{
    int64_t extent[] = {extent_of(self, of->q, 0), extent_of(self, of->q, 1),
                        extent_of(self, of->q, 2), extent_of(self, of->k, 2)};
    int64_t heads = extent_of(self, of->k, 1), groups = heads ? extent[1] / heads : 0;
    int64_t width = extent_of(self, of->v, 3);
    int k = of->k, v = of->v, scores = 0;

    if (groups < 1 || groups * heads != extent[1]) {
        opevo_i_net_build_fail(self, "Heads of keys do not divide those of queries.");
        return NONE;
    }
    if (groups > 1) {
        int place = opevo_i_net_build_wholes(self, 1, (int64_t[]){2});

        k = opevo_i_net_build_two(self, "Unsqueeze", NULL, k, place);
        v = opevo_i_net_build_two(self, "Unsqueeze", NULL, v, place);
    }
    scores = scores_of(self, of, groups, k, extent);
    keep_scores(self, of, 2, scores, extent);
    scores = opevo_i_net_build_one(self, "Softmax", "axis=-1", scores);
    keep_scores(self, of, 3, scores, extent);
    v = opevo_i_net_build_two(self, "MatMul", NULL, scores, v);
    return groups > 1 ? opevo_i_net_build_reshape(
                            self, v, 4, (int64_t[]){extent[0], extent[1], extent[2], width})
                      : v;
}

static double default_scale(opevo_i_net_builder *self, int q)
{
    double scale = opevo_i_net_build_float(self, "scale", 0);

    return scale != 0 ? scale : 1 / sqrt((double)extent_of(self, q, 3));
}

/* A mask of Booleans, or of whole numbers where 0 hides, as a bias. */
static int bias_of(opevo_i_net_builder *self, int mask, double hidden)
{
    int least = opevo_i_net_build_number(self, hidden), zero = opevo_i_net_build_number(self, 0);

    mask = opevo_i_net_build_one(self, "Cast", "to=9", mask);
    return opevo_i_net_build(self, "Where", NULL, 3, (int[]){mask, zero, least});
}

/* Numbers 0 to count - 1, with a dimension in front for each row of `limit`, below it. */
static int below(opevo_i_net_builder *self, int limit, int64_t count)
{
    int64_t batch = extent_of(self, limit, 0);
    int places = opevo_i_net_build(self, "Range", NULL, 3,
                                   (int[]){opevo_i_net_build_whole(self, 0),
                                           opevo_i_net_build_whole(self, count),
                                           opevo_i_net_build_whole(self, 1)});

    limit = opevo_i_net_build_one(self, "Cast", "to=7", limit);
    limit = opevo_i_net_build_reshape(self, limit, 4, (int64_t[]){batch, 1, 1, 1});
    return opevo_i_net_build_two(self, "Less", NULL, places, limit);
}

/* ---- ONNX's, opsets 23 and 24 --------------------------------------------------------------- */

/* Booleans, or numbers to add; of fewer columns than are seen, those behind are hidden. */
static int standard_mask(opevo_i_net_builder *self, int mask, int64_t seen)
{
    const opevo_array *array = opevo_i_net_build_array(self, mask);
    int64_t columns = 0;

    if (mask == NONE)
        return NONE;
    columns = extent_of(self, mask, dims_of(self, mask) - 1);
    if (self->status == OPEVO_OK && array->type == OPEVO_NETWORK_BOOL)
        mask = bias_of(self, mask, -INFINITY);
    if (columns < seen && columns != 1)
        mask = opevo_i_net_build(
            self, "Pad", NULL, 4,
            (int[]){mask, opevo_i_net_build_wholes(self, 2, (int64_t[]){0, seen - columns}),
                    opevo_i_net_build_number(self, -INFINITY),
                    opevo_i_net_build_wholes(self, 1, (int64_t[]){-1})});
    return mask;
}

static void build_attention(opevo_i_net_builder *self)
{
    int64_t heads = opevo_i_net_build_int(self, "q_num_heads", 0);
    int64_t kv_heads = opevo_i_net_build_int(self, "kv_num_heads", 0);
    bool joined = dims_of(self, self->in[0]) == 3;
    int past = opevo_i_net_build_input(self, 4), limit = opevo_i_net_build_input(self, 6), made = 0;
    attention of = {.q = self->in[0],
                    .k = self->in[1],
                    .v = self->in[2],
                    .softcap = opevo_i_net_build_float(self, "softcap", 0),
                    .causal = opevo_i_net_build_int(self, "is_causal", 0) != 0,
                    .near = -1,
                    .scores = self->outs > 3 ? 3 : -1,
                    .mode = (int)opevo_i_net_build_int(self, "qk_matmul_output_mode", 0)};

    if (joined) {
        of.q = split_heads(self, of.q, heads);
        of.k = split_heads(self, of.k, kv_heads);
        of.v = split_heads(self, of.v, kv_heads);
    }
    of.past = past == NONE ? 0 : extent_of(self, past, 2);
    of.k = append(self, past, of.k, 1);
    of.v = append(self, opevo_i_net_build_input(self, 5), of.v, 2);
    of.scale = default_scale(self, of.q);
    of.bias = standard_mask(self, opevo_i_net_build_input(self, 3), extent_of(self, of.k, 2));
    if (limit != NONE) {
        int hidden = bias_of(self, below(self, limit, extent_of(self, of.k, 2)), -INFINITY);

        of.bias =
            of.bias == NONE ? hidden : opevo_i_net_build_two(self, "Add", NULL, of.bias, hidden);
    }
    made = attend(self, &of);
    if (joined)
        join_heads(self, made);
    else
        opevo_i_net_build_output(self, 0, made);
}

/* ---- Rotary embeddings ---------------------------------------------------------------------- */

/* Elements `from` up to `end` of the last dimension, in steps. */
static int part(opevo_i_net_builder *self, int in, int64_t from, int64_t end, int64_t step)
{
    return opevo_i_net_build(self, "Slice", NULL, DIMS,
                             (int[]){in, opevo_i_net_build_wholes(self, 1, &from),
                                     opevo_i_net_build_wholes(self, 1, &end),
                                     opevo_i_net_build_wholes(self, 1, (int64_t[]){-1}),
                                     opevo_i_net_build_wholes(self, 1, &step)});
}

/* (a cos - b sin, a sin + b cos) of pairs (a, b): halves of the first `size` elements, or
 * neighbours. in[batch, heads, rows, width]; cos and sin[batch, 1, rows, size / 2]. */
static int rotate(opevo_i_net_builder *self, int in, int cos, int sin, int64_t size,
                  bool interleaved)
{
    int64_t width = extent_of(self, in, 3), half = size / 2;
    int64_t extent[] = {extent_of(self, in, 0), extent_of(self, in, 1), extent_of(self, in, 2),
                        half};
    int a = part(self, in, 0, interleaved ? size : half, interleaved ? 2 : 1);
    int b = part(self, in, interleaved ? 1 : half, size, interleaved ? 2 : 1);
    int x =
        opevo_i_net_build_two(self, "Sub", NULL, opevo_i_net_build_two(self, "Mul", NULL, a, cos),
                              opevo_i_net_build_two(self, "Mul", NULL, b, sin));
    int y =
        opevo_i_net_build_two(self, "Add", NULL, opevo_i_net_build_two(self, "Mul", NULL, a, sin),
                              opevo_i_net_build_two(self, "Mul", NULL, b, cos));
    int made = 0;

    if (interleaved) {
        int64_t pair[] = {extent[0], extent[1], extent[2], half, 1};

        made = opevo_i_net_build_two(self, "Concat", "axis=4",
                                     opevo_i_net_build_reshape(self, x, DIMS, pair),
                                     opevo_i_net_build_reshape(self, y, DIMS, pair));
        extent[3] = size;
        made = opevo_i_net_build_reshape(self, made, 4, extent);
    } else {
        made = opevo_i_net_build_two(self, "Concat", "axis=3", x, y);
    }
    return size < width ? opevo_i_net_build_two(self, "Concat", "axis=3", made,
                                                part(self, in, size, width, 1))
                        : made;
}

/* Rows of a cache at positions[batch, rows], as [batch, 1, rows, size / 2]. */
static int cached(opevo_i_net_builder *self, int cache, int positions)
{
    if (positions != NONE)
        cache = opevo_i_net_build_two(self, "Gather", "axis=0", cache, positions);
    return opevo_i_net_build_two(self, "Unsqueeze", NULL, cache,
                                 opevo_i_net_build_wholes(self, 1, (int64_t[]){1}));
}

/* Positions of one number are where the first row is. */
static int positions_of(opevo_i_net_builder *self, int in, int64_t batch, int64_t rows)
{
    const opevo_array *array = opevo_i_net_build_array(self, in);
    int places = 0;

    if (!array || opevo_array_elements(array) != 1 || batch * rows == 1)
        return array && opevo_array_elements(array) == batch * rows
                   ? opevo_i_net_build_reshape(self, in, 2, (int64_t[]){batch, rows})
                   : in;
    places = opevo_i_net_build(self, "Range", NULL, 3,
                               (int[]){opevo_i_net_build_whole(self, 0),
                                       opevo_i_net_build_whole(self, rows),
                                       opevo_i_net_build_whole(self, 1)});
    places = opevo_i_net_build_two(self, "Add", NULL, places,
                                   opevo_i_net_build_reshape(self, in, 1, (int64_t[]){1}));
    places = opevo_i_net_build_reshape(self, places, 2, (int64_t[]){1, rows});
    return opevo_i_net_build_two(self, "Expand", NULL, places,
                                 opevo_i_net_build_wholes(self, 2, (int64_t[]){batch, rows}));
}

static void build_rotary(opevo_i_net_builder *self, int cos, int sin, int positions)
{
    int in = self->in[0], dims = dims_of(self, in);
    int64_t heads = opevo_i_net_build_int(self, "num_heads", 0);
    int64_t size = opevo_i_net_build_int(self, "rotary_embedding_dim", 0), rows = 0;
    int64_t width = 2 * extent_of(self, cos, dims_of(self, cos) - 1);
    bool interleaved = opevo_i_net_build_int(self, "interleaved", 0) != 0;

    if (dims == 3) {
        heads = heads ? heads : extent_of(self, in, 2) / (width ? width : 1);
        in = split_heads(self, in, heads);
    }
    rows = extent_of(self, in, 2);
    size = size ? size : extent_of(self, in, 3);
    if (size != width) {
        opevo_i_net_build_fail(self, "Its caches are not those of its width.");
        return;
    }
    if (positions != NONE)
        positions = positions_of(self, positions, extent_of(self, in, 0), rows);
    in = rotate(self, in, cached(self, cos, positions), cached(self, sin, positions), size,
                interleaved);
    if (dims == 3)
        join_heads(self, in);
    else
        opevo_i_net_build_output(self, 0, in);
}

static void build_standard_rotary(opevo_i_net_builder *self)
{
    build_rotary(self, self->in[1], self->in[2], opevo_i_net_build_input(self, 3));
}

static void build_runtime_rotary(opevo_i_net_builder *self)
{
    if (opevo_i_net_build_int(self, "is_packed_batching", 0))
        opevo_i_net_build_fail(self, "Packed batches are not read.");
    build_rotary(self, self->in[2], self->in[3], self->in[1]);
}

/* ---- ONNX Runtime's ------------------------------------------------------------------------- */

/* A mask of keys: [batch, seen], one of more dimensions, or how many of each batch are seen. */
static int key_bias(opevo_i_net_builder *self, int mask, int64_t batch, int64_t seen)
{
    double hidden = opevo_i_net_build_float(self, "mask_filter_value", -10000);
    int dims = dims_of(self, mask);

    if (mask == NONE)
        return NONE;
    if (dims == 1 && extent_of(self, mask, 0) == batch)
        return bias_of(self, below(self, mask, seen), hidden);
    if (dims == 2)
        mask = opevo_i_net_build_reshape(self, mask, 4, (int64_t[]){batch, 1, 1, seen});
    else if (dims == 3)
        mask = opevo_i_net_build_two(self, "Unsqueeze", NULL, mask,
                                     opevo_i_net_build_wholes(self, 1, (int64_t[]){1}));
    else if (dims != 4)
        opevo_i_net_build_fail(self, "Its mask is of a kind that opevo does not read.");
    return bias_of(self, mask, hidden);
}

static int sum_of(opevo_i_net_builder *self, int a, int b)
{
    return a == NONE ? b : b == NONE ? a : opevo_i_net_build_two(self, "Add", NULL, a, b);
}

/* One projection to queries, keys and values; past and present are both in one tensor. */
static void attend_projected(opevo_i_net_builder *self, int in, int weights, int bias, int mask,
                             int past, int added)
{
    const Onnx__Attribute *sizes = opevo_i_net_build_attribute(self, "qkv_hidden_sizes");
    int64_t heads = opevo_i_net_build_int(self, "num_heads", 1), all = extent_of(self, weights, 1);
    int64_t size[3] = {all / 3, all / 3, all / 3}, at = 0, batch = extent_of(self, in, 0);
    int made = opevo_i_net_build_two(self, "MatMul", NULL, in, weights), parts[3] = {0};
    attention of = {
        .causal = opevo_i_net_build_int(self, "unidirectional", 0) != 0, .near = -1, .scores = -1};

    if (opevo_i_net_build_int(self, "do_rotary", 0))
        opevo_i_net_build_fail(self, "Rotary embeddings in it are not read.");
    made = sum_of(self, made, bias);
    for (int i = 0; i < 3; i++) {
        size[i] = sizes && sizes->n_ints == 3 ? sizes->ints[i] : size[i];
        parts[i] = split_heads(self, part(self, made, at, at + size[i], 1), heads);
        at += size[i];
    }
    of.q = parts[0];
    of.k = parts[1];
    of.v = parts[2];
    if (past != NONE) {
        int first =
            opevo_i_net_build_two(self, "Gather", "axis=0", past, opevo_i_net_build_whole(self, 0));
        int second =
            opevo_i_net_build_two(self, "Gather", "axis=0", past, opevo_i_net_build_whole(self, 1));

        of.past = extent_of(self, past, 3);
        of.k = append(self, first, of.k, -1);
        of.v = append(self, second, of.v, -1);
    }
    if (self->outs > 1) {
        int place = opevo_i_net_build_wholes(self, 1, (int64_t[]){0});
        int k = opevo_i_net_build_two(self, "Unsqueeze", NULL, of.k, place);
        int v = opevo_i_net_build_two(self, "Unsqueeze", NULL, of.v, place);

        if (opevo_i_net_build_next(self, 1))
            opevo_i_net_build_two(self, "Concat", "axis=0", k, v);
        self->target = NONE;
    }
    of.scale = default_scale(self, of.q);
    of.bias = sum_of(self, key_bias(self, mask, batch, extent_of(self, of.k, 2)), added);
    join_heads(self, attend(self, &of));
}

static void build_projected(opevo_i_net_builder *self)
{
    attend_projected(self, self->in[0], self->in[1], opevo_i_net_build_input(self, 2),
                     opevo_i_net_build_input(self, 3), opevo_i_net_build_input(self, 4),
                     opevo_i_net_build_input(self, 5));
}

static int dequantized(opevo_i_net_builder *self, int in, int scale, int zero, const char *axis)
{
    return opevo_i_net_build(self, "DequantizeLinear", axis, zero == NONE ? 2 : 3,
                             (int[]){in, scale, zero});
}

static void build_quantized(opevo_i_net_builder *self)
{
    int in = dequantized(self, self->in[0], self->in[3], opevo_i_net_build_input(self, 6), NULL);
    int weights =
        dequantized(self, self->in[1], self->in[4], opevo_i_net_build_input(self, 7), "axis=1");

    attend_projected(self, in, weights, self->in[2], opevo_i_net_build_input(self, 5),
                     opevo_i_net_build_input(self, 8), NONE);
}

/* Part i of three of a bias, added to rows. */
static int with_bias(opevo_i_net_builder *self, int in, int bias, int64_t from, int64_t size)
{
    return bias == NONE ? in
                        : opevo_i_net_build_two(self, "Add", NULL, in,
                                                part(self, bias, from, from + size, 1));
}

static void build_many_heads(opevo_i_net_builder *self)
{
    int64_t heads = opevo_i_net_build_int(self, "num_heads", 1), batch = 0, width = 0;
    int bias = opevo_i_net_build_input(self, 3), k = opevo_i_net_build_input(self, 1);
    int v = opevo_i_net_build_input(self, 2), past = opevo_i_net_build_input(self, 6);
    attention of = {
        .causal = opevo_i_net_build_int(self, "unidirectional", 0) != 0, .near = -1, .scores = -1};

    if (dims_of(self, self->in[0]) != 3 || k == NONE || v == NONE) {
        opevo_i_net_build_fail(self, "Packed queries, keys and values are not read.");
        return;
    }
    batch = extent_of(self, self->in[0], 0);
    width = extent_of(self, self->in[0], 2);
    of.q = split_heads(self, with_bias(self, self->in[0], bias, 0, width), heads);
    of.k = dims_of(self, k) == 4 ? k
                                 : split_heads(self, with_bias(self, k, bias, width, width), heads);
    of.v =
        dims_of(self, v) == 4
            ? v
            : split_heads(self, with_bias(self, v, bias, 2 * width, extent_of(self, v, 2)), heads);
    of.past = past == NONE ? 0 : extent_of(self, past, 2);
    of.k = append(self, past, of.k, 1);
    of.v = append(self, opevo_i_net_build_input(self, 7), of.v, 2);
    of.scale = default_scale(self, of.q);
    of.bias = sum_of(
        self, key_bias(self, opevo_i_net_build_input(self, 4), batch, extent_of(self, of.k, 2)),
        opevo_i_net_build_input(self, 5));
    join_heads(self, attend(self, &of));
}

/* Of decoders: keys of what came before are in a cache that is full, as exported models have it. */
static void build_grouped(opevo_i_net_builder *self)
{
    int64_t heads = opevo_i_net_build_int(self, "num_heads", 1), rows = 0, batch = 0;
    int64_t kv_heads = opevo_i_net_build_int(self, "kv_num_heads", heads), size = 0;
    int past = opevo_i_net_build_input(self, 3), cos = opevo_i_net_build_input(self, 7);
    int sin = opevo_i_net_build_input(self, 8), k = opevo_i_net_build_input(self, 1);
    int v = opevo_i_net_build_input(self, 2), q = self->in[0], places = 0;
    bool interleaved = opevo_i_net_build_int(self, "rotary_interleaved", 0) != 0;
    attention of = {.causal = true,
                    .near = opevo_i_net_build_int(self, "local_window_size", -1),
                    .softcap = opevo_i_net_build_float(self, "softcap", 0),
                    .bias = opevo_i_net_build_input(self, 10),
                    .scores = -1};

    batch = extent_of(self, q, 0);
    rows = extent_of(self, q, 1);
    if (k == NONE) {
        size = extent_of(self, q, 2) / (heads + 2 * kv_heads);
        k = part(self, q, heads * size, (heads + kv_heads) * size, 1);
        v = part(self, q, (heads + kv_heads) * size, (heads + 2 * kv_heads) * size, 1);
        q = part(self, q, 0, heads * size, 1);
    }
    of.q = split_heads(self, q, heads);
    of.k = split_heads(self, k, kv_heads);
    of.v = split_heads(self, v, kv_heads);
    of.past = past == NONE ? 0 : extent_of(self, past, 2);
    if (opevo_i_net_build_int(self, "do_rotary", 0)) {
        if (opevo_i_net_build_input(self, 9) != NONE)
            places = positions_of(self, self->in[9], batch, rows);
        else
            places = positions_of(self, opevo_i_net_build_wholes(self, 1, (int64_t[]){of.past}),
                                  batch, rows);
        cos = cached(self, cos, places);
        sin = cached(self, sin, places);
        size = 2 * extent_of(self, cos, 3);
        of.q = rotate(self, of.q, cos, sin, size, interleaved);
        of.k = rotate(self, of.k, cos, sin, size, interleaved);
    }
    of.k = append(self, past, of.k, 1);
    of.v = append(self, opevo_i_net_build_input(self, 4), of.v, 2);
    of.scale = default_scale(self, of.q);
    join_heads(self, attend(self, &of));
}

const opevo_i_net_form opevo_i_net_transformers[] = {
    {"Attention", 3, 7, 4, build_attention},
    {"RotaryEmbedding", 3, 4, 1, build_standard_rotary},
    {"com.microsoft.RotaryEmbedding", 4, 4, 1, build_runtime_rotary},
    {"com.microsoft.Attention", 2, 7, 2, build_projected},
    {"com.microsoft.QAttention", 5, 9, 2, build_quantized},
    {"com.microsoft.MultiHeadAttention", 1, 10, 3, build_many_heads},
    {"com.microsoft.GroupQueryAttention", 1, 12, 3, build_grouped},
    {NULL, 0, 0, 0, NULL},
};
