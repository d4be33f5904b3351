/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Whole numbers for floats: y = x / scale + zero, rounded to nearest, ties to even, and limited to
 * the type. */

#include "routines.h"

/* Which scale belongs to element i: whole[0] is the axis (-1: one), [1] the block (0: none). */
static int64_t scale_of(const routine_call *call, int64_t i)
{
    const routine_tensor *x = call->in, *scale = &call->in[1];
    int axis = (int)call->whole[0];
    int64_t block = call->whole[1], inner = 0, at = 0;

    if (axis < 0 || routine_elements(scale) == 1)
        return 0;
    inner = routine_product(x, axis + 1, x->dims);
    at = i / inner % x->extent[axis];
    if (block)
        return (i / inner / x->extent[axis] * scale->extent[axis] + at / block) * inner + i % inner;
    return at;
}

/* ---- Bytes and float32 ----------------------------------------------------------------------- */

/* Elements that share a scale lie in runs. Whether there are such runs, and their length. */
static bool has_runs(const routine_call *call, const routine_tensor *whole, int64_t *length)
{
    const routine_tensor *x = call->in;
    const bool byte = whole->type == ROUTINE_UINT8 || whole->type == ROUTINE_INT8;
    const int axis = (int)call->whole[0];

    *length = routine_elements(x);
    if (axis >= 0 && routine_elements(&call->in[1]) != 1)
        *length = routine_product(x, axis + 1, x->dims);
    return byte && *length > 0 && !call->whole[1] && !routine_is_short(call->whole[2]) &&
           call->in[1].type == ROUTINE_FLOAT32;
}

static void quantize_run(const float *x, int64_t count, float scale, float zero, float least,
                         uint8_t *y)
{
    const float most = least + 255;

    for (int64_t i = 0; i < count; i++) {
        float number = rintf(x[i] / scale);

        number = number > least ? number : least;
        number = number < most ? number : most;
        y[i] = (uint8_t)(int32_t)(number + zero);
    }
}

/* `flip` makes unsigned bytes of signed ones that are 128 more, and `zero` is as well. */
static void dequantize_run(const uint8_t *x, int64_t count, float scale, int32_t zero, uint8_t flip,
                           float *y)
{
    for (int64_t i = 0; i < count; i++)
        y[i] = (float)((x[i] ^ flip) - zero) * scale;
}

/* ---- All types ------------------------------------------------------------------------------- */

/* whole[2]: the type in the file, [3]: whether it saturates, both of float8. */
const char *routine_quantize(const routine_call *call)
{
    const routine_tensor *to = call->out;
    int64_t count = routine_elements(to), length = 0;
    const bool runs = has_runs(call, to, &length) && call->in->type == ROUTINE_FLOAT32;

    for (int64_t i = 0; i < count && runs; i += length) {
        const int64_t at = scale_of(call, i);
        const float zero = (float)routine_zero(call, 2, at);

        quantize_run((const float *)call->in->data + i, length,
                     (float)routine_number(&call->in[1], at), zero,
                     (to->type == ROUTINE_INT8 ? -128 : 0) - zero, (uint8_t *)to->data + i);
    }
    for (int64_t i = 0; i < count && !runs; i++) {
        int64_t at = scale_of(call, i);
        float x = (float)routine_number(call->in, i), s = (float)routine_number(&call->in[1], at);

        if (routine_is_short(call->whole[2])) {
            ((float *)to->data)[i] =
                routine_narrow((double)(x / s), (int)call->whole[2], call->whole[3] != 0);
            continue;
        }
        routine_set_number(
            to, i, routine_saturated((double)rintf(x / s) + routine_zero(call, 2, at), to->type));
    }
    return NULL;
}

const char *routine_dequantize(const routine_call *call)
{
    const uint8_t flip = call->in->type == ROUTINE_INT8 ? 128 : 0;
    int64_t count = routine_elements(call->out), length = 0;
    const bool runs = has_runs(call, call->in, &length) && call->out->type == ROUTINE_FLOAT32;

    for (int64_t i = 0; i < count && runs; i += length) {
        const int64_t at = scale_of(call, i);

        dequantize_run(
            (const uint8_t *)call->in->data + i, length, (float)routine_number(&call->in[1], at),
            (int32_t)routine_zero(call, 2, at) + flip, flip, (float *)call->out->data + i);
    }
    for (int64_t i = 0; i < count && !runs; i++) {
        int64_t at = scale_of(call, i);
        float x = (float)(routine_number(call->in, i) - routine_zero(call, 2, at));

        routine_set_number(call->out, i, (double)(x * (float)routine_number(&call->in[1], at)));
    }
    return NULL;
}

/* The scale takes the range of the numbers and 0 to 0 ... 255. */
const char *routine_quantize_dynamic(const routine_call *call)
{
    const float *x = call->in->data;
    int64_t count = routine_elements(call->in);
    float least = 0, most = 0, scale = 0, zero = 0;
    uint8_t *y = call->out[0].data;

    for (int64_t i = 0; i < count; i++) {
        least = x[i] < least ? x[i] : least;
        most = x[i] > most ? x[i] : most;
    }
    scale = (most - least) / 255;
    zero = scale > 0 ? (float)routine_saturated((double)rintf(-least / scale), ROUTINE_UINT8) : 0;
    for (int64_t i = 0; i < count && y; i++)
        y[i] = (uint8_t)routine_saturated(scale > 0 ? (double)(rintf(x[i] / scale) + zero) : 0,
                                          ROUTINE_UINT8);
    if (call->outs > 1 && call->out[1].data)
        *(float *)call->out[1].data = scale;
    if (call->outs > 2 && call->out[2].data)
        *(uint8_t *)call->out[2].data = (uint8_t)zero;
    return NULL;
}
