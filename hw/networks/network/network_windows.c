/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Operators that slide a window: convolutions and pooling, over 1 to 3 dimensions behind batch and
 * channels. */

#include "network_windows_internal.h"

#include <math.h>
#include <stdio.h>

enum code {
    CONVOLUTION = OPEVO_I_WINDOW_CONVOLUTION,
    TRANSPOSED = OPEVO_I_WINDOW_TRANSPOSED,
    MAX_POOL,
    AVERAGE_POOL,
    GLOBAL_AVERAGE,
    GLOBAL_MAX
};

enum {
    WINDOW_DIMS = OPEVO_I_WINDOW_DIMS,
    ATTRIBUTE_MOST = 1 << 24 /* of a kernel, stride, dilation, padding: products stay in range */
};

typedef opevo_i_net_window window;

/* ---- Shapes --------------------------------------------------------------------------------- */

/* Extent of the window with its gaps. */
static int64_t reach(const window *w, int d)
{
    return (w->kernel[d] - 1) * w->dilation[d] + 1;
}

static opevo_status check_range(const char *name, const int64_t *numbers, int count, int64_t least,
                                opevo_error *err)
{
    for (int i = 0; i < count; i++) {
        if (numbers[i] < least || numbers[i] > ATTRIBUTE_MOST)
            return OPEVO_FAIL(err, OPEVO_INVALID, "Attribute %s has %lld; it must be %lld to %d.",
                              name, (long long)numbers[i], (long long)least, ATTRIBUTE_MOST);
    }
    return OPEVO_OK;
}

/* Whether auto_pad is one of its four words; without it, and in some files with no word, it is
 * NOTSET. */
static opevo_status check_auto_pad(const opevo_i_net_call *call, opevo_error *err)
{
    static const char *const words[] = {"", "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!opevo_i_net_attribute(call, "auto_pad") ||
            opevo_i_net_attribute_is(call, "auto_pad", words[i]))
            return OPEVO_OK;
    }
    return OPEVO_FAIL(err, OPEVO_INVALID,
                      "Attribute auto_pad is not NOTSET, VALID, SAME_UPPER or SAME_LOWER.");
}

/* The kernel: that of the weights, which a kernel_shape may repeat; the whole input of a global
 * operator. */
static opevo_status take_kernel(const opevo_i_net_call *call, window *w, opevo_error *err)
{
    int code = call->node->row->code;
    bool convolves = code == CONVOLUTION || code == TRANSPOSED;
    bool given = opevo_i_net_attribute(call, "kernel_shape") != NULL;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_net_attribute_ints(call, "kernel_shape", w->dims, 0, w->kernel, err));
    for (int d = 0; d < w->dims; d++) {
        int64_t extent = convolves ? call->in[1]->array.extent[2 + d] : w->in[d];

        if (convolves && given && w->kernel[d] != extent)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "Attribute kernel_shape has %lld where its weights have %lld.",
                              (long long)w->kernel[d], (long long)extent);
        if (convolves || code == GLOBAL_AVERAGE || code == GLOBAL_MAX)
            w->kernel[d] = extent;
    }
    OPEVO_TRY(check_range("kernel_shape", w->kernel, w->dims, 1, err));
cleanup:
    return status;
}

/* Kernel, strides, dilations and explicit padding. */
static opevo_status take_window(const opevo_i_net_call *call, window *w, opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array;
    int code = call->node->row->code;
    bool convolves = code == CONVOLUTION || code == TRANSPOSED;
    int64_t pads[2 * WINDOW_DIMS];
    opevo_status status = OPEVO_OK;

    if (in->dims < 3 || in->dims > 2 + WINDOW_DIMS)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Its input has %d dimensions; opevo takes 3 to %d.",
                          in->dims, 2 + WINDOW_DIMS);
    w->dims = in->dims - 2;
    for (int d = 0; d < w->dims; d++)
        w->in[d] = in->extent[2 + d];
    if (convolves && call->in[1]->array.dims != in->dims)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Its weights have %d dimensions instead of %d.",
                          call->in[1]->array.dims, in->dims);
    OPEVO_TRY(check_auto_pad(call, err));
    OPEVO_TRY(take_kernel(call, w, err));
    OPEVO_TRY(opevo_i_net_attribute_ints(call, "strides", w->dims, 1, w->stride, err));
    OPEVO_TRY(check_range("strides", w->stride, w->dims, 1, err));
    OPEVO_TRY(opevo_i_net_attribute_ints(call, "dilations", w->dims, 1, w->dilation, err));
    OPEVO_TRY(check_range("dilations", w->dilation, w->dims, 1, err));
    OPEVO_TRY(opevo_i_net_attribute_ints(call, "pads", 2 * w->dims, 0, pads, err));
    OPEVO_TRY(check_range("pads", pads, 2 * w->dims, 0, err));
    for (int d = 0; d < w->dims; d++) {
        w->before[d] = pads[d];
        w->after[d] = pads[w->dims + d];
    }
cleanup:
    return status;
}

/* Padding that auto_pad asks for, and the extents of the output. */
static opevo_status take_outputs(const opevo_i_net_call *call, window *w, opevo_error *err)
{
    bool upper = opevo_i_net_attribute_is(call, "auto_pad", "SAME_UPPER");
    bool lower = opevo_i_net_attribute_is(call, "auto_pad", "SAME_LOWER");
    bool up = opevo_i_net_attribute_int(call, "ceil_mode", 0) != 0;

    for (int d = 0; d < w->dims; d++) {
        int64_t span = 0;

        if (opevo_i_net_attribute_is(call, "auto_pad", "VALID"))
            w->before[d] = w->after[d] = 0;
        if (upper || lower) {
            int64_t padding = ((w->in[d] + w->stride[d] - 1) / w->stride[d] - 1) * w->stride[d] +
                              reach(w, d) - w->in[d];

            padding = padding < 0 ? 0 : padding;
            w->before[d] = upper ? padding / 2 : (padding + 1) / 2;
            w->after[d] = padding - w->before[d];
        }
        span = w->in[d] + w->before[d] + w->after[d] - reach(w, d);
        /* With ceil_mode a last window may stand out of what is padded. */
        if (span < 0 && !(up && span > -w->stride[d]))
            return OPEVO_FAIL(
                err, OPEVO_INVALID, "Its window of %lld is larger than its padded input of %lld.",
                (long long)reach(w, d), (long long)(w->in[d] + w->before[d] + w->after[d]));
        w->out[d] = span < 0 ? 1 : (span + (up ? w->stride[d] - 1 : 0)) / w->stride[d] + 1;
        /* A window that would begin in the padding behind the input is left out. */
        if (up && (w->out[d] - 1) * w->stride[d] >= w->in[d] + w->before[d])
            w->out[d]--;
    }
    return OPEVO_OK;
}

/* The output of a transposed convolution, and the padding that a given output_shape implies.
 * Source: ONNX operator schemas, ConvTranspose-11. */
static opevo_status take_transposed_outputs(const opevo_i_net_call *call, window *w,
                                            opevo_error *err)
{
    int64_t more[WINDOW_DIMS], shape[WINDOW_DIMS];
    bool upper = opevo_i_net_attribute_is(call, "auto_pad", "SAME_UPPER");
    bool lower = opevo_i_net_attribute_is(call, "auto_pad", "SAME_LOWER");
    bool given = opevo_i_net_attribute(call, "output_shape") != NULL;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_net_attribute_ints(call, "output_padding", w->dims, 0, more, err));
    OPEVO_TRY(check_range("output_padding", more, w->dims, 0, err));
    OPEVO_TRY(opevo_i_net_attribute_ints(call, "output_shape", w->dims, 1, shape, err));
    OPEVO_TRY(check_range("output_shape", shape, w->dims, 1, err));
    for (int d = 0; d < w->dims; d++) {
        int64_t full = 0;

        if (opevo_i_net_attribute_is(call, "auto_pad", "VALID"))
            w->before[d] = w->after[d] = 0;
        full = w->stride[d] * (w->in[d] - 1) + more[d] + reach(w, d);

        if (!given && (upper || lower))
            shape[d] = w->in[d] * w->stride[d];
        if (given || upper || lower) {
            int64_t padding = full - shape[d];

            padding = padding < 0 ? 0 : padding;
            w->before[d] = upper ? padding / 2 : padding - padding / 2;
            w->after[d] = padding - w->before[d];
            w->out[d] = shape[d];
        } else {
            w->out[d] = full - w->before[d] - w->after[d];
        }
        if (w->out[d] < 1)
            OPEVO_TRY(OPEVO_FAIL(err, OPEVO_INVALID, "Its padding leaves nothing of the result."));
    }
cleanup:
    return status;
}

opevo_status opevo_i_net_window_of(const opevo_i_net_call *call, window *w, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    *w = (window){0};
    if (!call->in[0] || (call->node->row->code <= TRANSPOSED && !call->in[1]))
        return OPEVO_FAIL(err, OPEVO_INVALID, "An input is missing.");
    OPEVO_TRY(take_window(call, w, err));
    OPEVO_TRY(call->node->row->code == TRANSPOSED ? take_transposed_outputs(call, w, err)
                                                  : take_outputs(call, w, err));
cleanup:
    return status;
}

static opevo_status check_channels(const opevo_i_net_call *call, int64_t *channels,
                                   opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array, *weights = &call->in[1]->array;
    bool transposed = call->node->row->code == TRANSPOSED;
    int64_t groups = opevo_i_net_attribute_int(call, "group", 1);
    int64_t read = 0;

    if (groups < 1 || groups > in->extent[1])
        return OPEVO_FAIL(err, OPEVO_INVALID, "Attribute group is %lld for %lld channels.",
                          (long long)groups, (long long)in->extent[1]);
    read = transposed ? weights->extent[0] : weights->extent[1] * groups;
    *channels = transposed ? weights->extent[1] * groups : weights->extent[0];
    if (read != in->extent[1] || read % groups || *channels % groups)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "Its weights are for %lld channels in %lld groups; its input has %lld.",
                          (long long)read, (long long)groups, (long long)in->extent[1]);
    if (call->ins > 2 && call->in[2] &&
        (call->in[2]->array.dims != 1 || call->in[2]->array.extent[0] != *channels))
        return OPEVO_FAIL(err, OPEVO_INVALID, "Its bias must have %lld elements.",
                          (long long)*channels);
    return OPEVO_OK;
}

opevo_status opevo_i_net_window_infer(const opevo_i_net_call *call, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    window w;
    int64_t shape[2 + WINDOW_DIMS] = {0};

    OPEVO_TRY(opevo_i_net_window_of(call, &w, err));
    shape[0] = call->in[0]->array.extent[0];
    shape[1] = call->in[0]->array.extent[1];
    if (call->node->row->code == CONVOLUTION || call->node->row->code == TRANSPOSED)
        OPEVO_TRY(check_channels(call, &shape[1], err));
    for (int d = 0; d < w.dims; d++)
        shape[2 + d] = w.out[d];
    OPEVO_TRY(opevo_i_net_shape(call->out[0], call->in[0]->array.type, 2 + w.dims, shape, err));
    if (call->outs > 1)
        OPEVO_TRY(opevo_i_net_shape(call->out[1], OPEVO_NETWORK_INT64, 2 + w.dims, shape, err));
cleanup:
    return status;
}

/* ---- Definitions ---------------------------------------------------------------------------- */

/* How far the windows reach along d, from the beginning of the padding. */
static int64_t padded_extent(const window *w, int d)
{
    int64_t used = (w->out[d] - 1) * w->stride[d] + reach(w, d);

    return used > w->before[d] + w->in[d] ? used : w->before[d] + w->in[d];
}

static bool is_padded(const window *w)
{
    for (int d = 0; d < w->dims; d++) {
        if (w->before[d] || padded_extent(w, d) > w->in[d])
            return true;
    }
    return false;
}

/* P[n, c, p0, ...]: the input with `value` around it. */
static void define_padded(const opevo_i_net_call *call, const window *w, double value,
                          opevo_text *out)
{
    const opevo_array *in = &call->in[0]->array;

    opevo_text_printf(out, "P[pn:%lld, pc:%lld", (long long)in->extent[0],
                      (long long)in->extent[1]);
    for (int d = 0; d < w->dims; d++)
        opevo_text_printf(out, ", p%d:%lld", d, (long long)padded_extent(w, d));
    opevo_text_add(out, "] = select(");
    for (int d = 0; d < w->dims; d++) {
        int64_t end = w->before[d] + w->in[d];

        opevo_text_printf(out, "%s%lld <= p%d and p%d < %lld", d ? " and " : "",
                          (long long)w->before[d], d, d, (long long)end);
    }
    opevo_text_add(out, ", X0[pn, pc");
    for (int d = 0; d < w->dims; d++)
        opevo_text_printf(out, ", p%d - %lld", d, (long long)w->before[d]);
    opevo_text_add(out, "], ");
    opevo_text_add_double(out, value);
    opevo_text_add(out, ")\n");
}

/* "TENSOR[n, channel, a2*stride + k0*dilation, ...]" */
static void read_window(const window *w, const char *tensor, const char *channel, opevo_text *out)
{
    opevo_text_printf(out, "%s[a0, %s", tensor, channel);
    for (int d = 0; d < w->dims; d++)
        opevo_text_printf(out, ", a%d*%lld + k%d*%lld", 2 + d, (long long)w->stride[d], d,
                          (long long)w->dilation[d]);
    opevo_text_add(out, "]");
}

void opevo_i_net_window_over(const window *w, const char *reducer, int64_t channels,
                             opevo_text *out)
{
    opevo_text_printf(out, "%s(", reducer);
    if (channels)
        opevo_text_printf(out, "c:%lld, ", (long long)channels);
    for (int d = 0; d < w->dims; d++)
        opevo_text_printf(out, "%sk%d:%lld", d ? ", " : "", d, (long long)w->kernel[d]);
    opevo_text_add(out, ") ");
}

void opevo_i_net_window_result(const opevo_i_net_call *call, const char *name, opevo_text *out)
{
    opevo_text_printf(out, "%s[", name);
    opevo_i_net_axes("a", &call->out[0]->array, out);
    opevo_text_add(out, "] = ");
}

/* Y0 = C + bias. */
void opevo_i_net_window_bias(const opevo_i_net_call *call, opevo_text *out)
{
    opevo_i_net_window_result(call, "Y0", out);
    for (int d = 0; d < call->out[0]->array.dims; d++)
        opevo_text_printf(out, "%sa%d", d ? ", " : "C[", d);
    opevo_text_add(out, "] + X2[a1]\n");
}

/* The input channel of the sum's index c, for output channel a1: c + first channel of its group. */
void opevo_i_net_window_channel(const opevo_i_net_call *call, int64_t groups, char *out,
                                size_t size)
{
    int64_t channels = call->in[0]->array.extent[1] / groups;
    int64_t results = call->out[0]->array.extent[1] / groups;

    if (groups == 1)
        snprintf(out, size, "c");
    else if (channels == 1 && results == 1)
        snprintf(out, size, "a1"); /* depthwise: the pass `block` sees that channels stay */
    else
        snprintf(out, size, "a1//%lld*%lld + c", (long long)results, (long long)channels);
}

static opevo_status define_convolution(const opevo_i_net_call *call, opevo_text *out,
                                       opevo_error *err)
{
    int64_t groups = opevo_i_net_attribute_int(call, "group", 1);
    bool bias = call->ins > 2 && call->in[2];
    opevo_status status = OPEVO_OK;
    char channel[64];
    window w;

    OPEVO_TRY(opevo_i_net_window_of(call, &w, err));
    for (int i = 0; i < 2 + bias; i++)
        opevo_i_net_declare(call, i, out);
    if (is_padded(&w))
        define_padded(call, &w, 0, out);
    opevo_i_net_window_result(call, bias ? "C" : "Y0", out);
    opevo_i_net_window_over(&w, "sum", call->in[0]->array.extent[1] / groups, out);
    opevo_i_net_window_channel(call, groups, channel, sizeof channel);
    read_window(&w, is_padded(&w) ? "P" : "X0", channel, out);
    opevo_text_add(out, "*X1[a1, c");
    for (int d = 0; d < w.dims; d++)
        opevo_text_printf(out, ", k%d", d);
    opevo_text_add(out, "]\n");
    if (bias)
        opevo_i_net_window_bias(call, out);
    status = opevo_text_check(out, err);
cleanup:
    return status;
}

static opevo_status define_max(const opevo_i_net_call *call, opevo_text *out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    window w;

    OPEVO_TRY(opevo_i_net_window_of(call, &w, err));
    opevo_i_net_declare(call, 0, out);
    if (is_padded(&w))
        define_padded(call, &w, -3.4028234663852886e38, out);
    opevo_i_net_window_result(call, "Y0", out);
    opevo_i_net_window_over(&w, "max", 0, out);
    read_window(&w, is_padded(&w) ? "P" : "X0", "a1", out);
    opevo_text_add(out, "\n");
    status = opevo_text_check(out, err);
cleanup:
    return status;
}

/* How many elements the window averages: with count_include_pad those inside the padding too. */
static void add_count(const opevo_i_net_call *call, const window *w, opevo_text *out)
{
    bool with_padding = opevo_i_net_attribute_int(call, "count_include_pad", 0) != 0;

    for (int d = 0; d < w->dims; d++) {
        int64_t before = with_padding ? 0 : w->before[d]; /* that does not count */
        int64_t end = w->before[d] + w->in[d] + (with_padding ? w->after[d] : 0);
        bool whole = before == 0 && padded_extent(w, d) <= end;

        opevo_text_add(out, d ? "*" : "");
        if (whole)
            opevo_text_printf(out, "%lld", (long long)w->kernel[d]);
        else if (w->dilation[d] == 1)
            opevo_text_printf(out, "(min(a%d*%lld + %lld, %lld) - max(a%d*%lld, %lld))", 2 + d,
                              (long long)w->stride[d], (long long)w->kernel[d], (long long)end,
                              2 + d, (long long)w->stride[d], (long long)before);
        else /* taps before the end, less those before what counts */
            opevo_text_printf(
                out, "(min((%lld - a%d*%lld)//%lld, %lld) - max((%lld - a%d*%lld)//%lld, 0))",
                (long long)(end + w->dilation[d] - 1), 2 + d, (long long)w->stride[d],
                (long long)w->dilation[d], (long long)w->kernel[d],
                (long long)(before + w->dilation[d] - 1), 2 + d, (long long)w->stride[d],
                (long long)w->dilation[d]);
    }
}

/* Whether a window along a dimension has no tap on the image. */
static bool misses(const window *w, int d)
{
    const int64_t first = w->before[d], end = first + w->in[d], step = w->dilation[d];

    for (int64_t at = 0; at < w->out[d] * w->stride[d]; at += w->stride[d]) {
        int64_t skipped = at < first ? (first - at + step - 1) / step : 0;

        if (skipped >= w->kernel[d] || at + skipped * step >= end)
            return true;
    }
    return false;
}

static opevo_status define_average(const opevo_i_net_call *call, opevo_text *out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    window w;

    OPEVO_TRY(opevo_i_net_window_of(call, &w, err));
    opevo_i_net_declare(call, 0, out);
    if (is_padded(&w))
        define_padded(call, &w, 0, out);
    opevo_i_net_window_result(call, "C", out);
    opevo_i_net_window_over(&w, "sum", 0, out);
    read_window(&w, is_padded(&w) ? "P" : "X0", "a1", out);
    opevo_text_add(out, "\n");
    opevo_i_net_window_result(call, "Y0", out);
    for (int d = 0; d < call->out[0]->array.dims; d++)
        opevo_text_printf(out, "%sa%d", d ? ", " : "C[", d);
    opevo_text_add(out, "]/(");
    add_count(call, &w, out);
    opevo_text_add(out, ")\n");
    status = opevo_text_check(out, err);
cleanup:
    return status;
}

/* Whether each window has an element to average. */
static opevo_status infer_average(const opevo_i_net_call *call, opevo_error *err)
{
    bool with_padding = opevo_i_net_attribute_int(call, "count_include_pad", 0) != 0;
    opevo_status status = OPEVO_OK;
    window w;

    OPEVO_TRY(opevo_i_net_window_infer(call, err));
    OPEVO_TRY(opevo_i_net_window_of(call, &w, err));
    for (int d = 0; d < w.dims; d++) {
        if (!with_padding && misses(&w, d))
            OPEVO_TRY(OPEVO_FAIL(err, OPEVO_INVALID,
                                 "A window of %lld is wholly in the padding, so that it averages "
                                 "nothing; make the padding smaller.",
                                 (long long)w.kernel[d]));
    }
cleanup:
    return status;
}

/* ---- Routines ------------------------------------------------------------------------------- */

opevo_status opevo_i_net_window_take(const opevo_i_net_call *call, opevo_network_routine *out,
                                     opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    window w;

    OPEVO_TRY(opevo_i_net_window_of(call, &w, err));
    for (int d = 0; d < WINDOW_DIMS; d++)
        OPEVO_TRY(opevo_i_net_routine_whole(out, w.stride[d], err));
    for (int d = 0; d < WINDOW_DIMS; d++)
        OPEVO_TRY(opevo_i_net_routine_whole(out, w.dilation[d], err));
    for (int d = 0; d < WINDOW_DIMS; d++)
        OPEVO_TRY(opevo_i_net_routine_whole(out, w.before[d], err));
cleanup:
    return status;
}

static opevo_status take_max(const opevo_i_net_call *call, opevo_network_routine *out,
                             opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    window w;

    OPEVO_TRY(opevo_i_net_window_of(call, &w, err));
    OPEVO_TRY(
        opevo_i_net_routine_whole(out, opevo_i_net_attribute_int(call, "storage_order", 0), err));
    OPEVO_TRY(opevo_i_net_window_take(call, out, err));
    for (int d = 0; d < WINDOW_DIMS; d++)
        OPEVO_TRY(opevo_i_net_routine_whole(out, w.kernel[d], err));
cleanup:
    return status;
}

static const opevo_i_net_routine max_pool = {"routine_max_pool", routine_max_pool, take_max, NULL};

const opevo_i_net_operator opevo_i_net_windows[] = {
    {"Conv", 1, 2, 3, 1, opevo_i_net_window_infer, define_convolution, NULL, CONVOLUTION,
     "auto_pad=string dilations=ints group=int kernel_shape=ints pads=ints strides=ints", NULL, 0},
    {"MaxPool", 1, 1, 1, 2, opevo_i_net_window_infer, define_max, opevo_i_net_move_by_routine,
     MAX_POOL,
     "auto_pad=string ceil_mode=int:10- dilations=ints:10- kernel_shape=ints! pads=ints "
     "storage_order=int:8- strides=ints",
     &max_pool, 0},
    {"AveragePool", 7, 1, 1, 1, infer_average, define_average, NULL, AVERAGE_POOL,
     "auto_pad=string ceil_mode=int:10- count_include_pad=int dilations=ints:19- "
     "kernel_shape=ints! "
     "pads=ints "
     "strides=ints",
     NULL, 0},
    {"GlobalAveragePool", 1, 1, 1, 1, opevo_i_net_window_infer, define_average, NULL,
     GLOBAL_AVERAGE, NULL, NULL, 0},
    {"GlobalMaxPool", 1, 1, 1, 1, opevo_i_net_window_infer, define_max, NULL, GLOBAL_MAX, NULL,
     NULL, 0},
    {NULL, 0, 0, 0, 0, NULL, NULL, NULL, 0, NULL, NULL, 0},
};
