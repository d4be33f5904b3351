/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Quantisation, and convolutions and products of integers. */

#include "network_routine_internal.h"
#include "network_windows_internal.h"

enum code { QUANTIZE, DEQUANTIZE };

/* ---- To integers and back ---- */

/* The axis along which scales differ, -1 for one scale; and the block, 0 for whole slices. */
static opevo_status axis_of(const opevo_i_net_call *call, int64_t *axis, int64_t *block,
                            opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array, *scale = &call->in[1]->array;
    opevo_status status = OPEVO_OK;
    int d = 0;

    *axis = -1;
    *block = opevo_i_net_attribute_int(call, "block_size", 0);
    if (opevo_array_elements(scale) == 1 && !*block)
        return OPEVO_OK;
    OPEVO_TRY(opevo_i_net_axis(opevo_i_net_attribute_int(call, "axis", 1), in->dims, &d, err));
    *axis = d;
    if (!*block && (scale->dims != 1 || scale->extent[0] != in->extent[d]))
        return OPEVO_FAIL(err, OPEVO_INVALID, "It needs one scale, or %lld along axis %d.",
                          (long long)in->extent[d], d);
    for (int k = 0; k < in->dims && *block; k++) {
        int64_t blocks = in->extent[k] / *block + (in->extent[k] % *block != 0);

        if (*block < 0 || scale->dims != in->dims ||
            scale->extent[k] != (k == d ? blocks : in->extent[k]))
            return OPEVO_FAIL(err, OPEVO_INVALID, "Its scales are not those of blocks of %lld.",
                              (long long)*block);
    }
cleanup:
    return status;
}

/* The type of float8 that it quantises to, by its zero or name; 0: another one. */
static int float8_of(const opevo_i_net_call *call)
{
    enum { FIRST = 17, LAST = 20 };
    const opevo_network_value *zero = call->ins > 2 ? call->in[2] : NULL;
    int64_t type = zero ? zero->stored : opevo_i_net_attribute_int(call, "output_dtype", 0);

    return call->node->row->code == QUANTIZE && type >= FIRST && type <= LAST ? (int)type : 0;
}

static opevo_status infer_quantized(const opevo_i_net_call *call, opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array;
    bool back = call->node->row->code == DEQUANTIZE;
    const opevo_network_value *zero = call->ins > 2 ? call->in[2] : NULL;
    int64_t named = opevo_i_net_attribute_int(call, "output_dtype", 0), axis = 0, block = 0;
    int float8 = float8_of(call);
    opevo_network_type type = back     ? call->in[1]->array.type
                              : float8 ? OPEVO_NETWORK_FLOAT32
                              : zero   ? zero->array.type
                              : named  ? (opevo_network_type)named
                                       : OPEVO_NETWORK_UINT8;
    opevo_status status = axis_of(call, &axis, &block, err);

    if (status != OPEVO_OK)
        return status;
    if (!opevo_network_type_bytes(type) || (opevo_i_net_type_is_whole(type) == back && !float8) ||
        (back && !opevo_i_net_type_is_whole(in->type) && !routine_is_short(call->in[0]->stored)))
        return OPEVO_FAIL(err, OPEVO_INVALID, "opevo does not quantise to or from these types.");
    call->out[0]->stored = float8;
    if (zero && zero->stored && !float8 && !back)
        return OPEVO_FAIL(err, OPEVO_INVALID, "opevo does not quantise to 4 bits.");
    if (zero && opevo_array_elements(&zero->array) != opevo_array_elements(&call->in[1]->array))
        return OPEVO_FAIL(err, OPEVO_INVALID, "It has another number of zeros than of scales.");
    return opevo_i_net_shape(call->out[0], type, in->dims, in->extent, err);
}

static opevo_status take_axis(const opevo_i_net_call *call, opevo_network_routine *out,
                              opevo_error *err)
{
    int64_t axis = 0, block = 0;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(axis_of(call, &axis, &block, err));
    OPEVO_TRY(opevo_i_net_routine_whole(out, axis, err));
    OPEVO_TRY(opevo_i_net_routine_whole(out, block, err));
    OPEVO_TRY(opevo_i_net_routine_whole(out, float8_of(call), err));
    OPEVO_TRY(opevo_i_net_routine_whole(out, opevo_i_net_attribute_int(call, "saturate", 1), err));
cleanup:
    return status;
}

static opevo_status infer_dynamic(const opevo_i_net_call *call, opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array;
    enum { OUTPUTS = 3 };
    static const opevo_network_type types[OUTPUTS] = {OPEVO_NETWORK_UINT8, OPEVO_NETWORK_FLOAT32,
                                                      OPEVO_NETWORK_UINT8};
    opevo_status status = OPEVO_OK;

    if (in->type != OPEVO_NETWORK_FLOAT32)
        return OPEVO_FAIL(err, OPEVO_INVALID, "opevo quantises float32 only.");
    for (int i = 0; i < call->outs && i < OUTPUTS && status == OPEVO_OK; i++)
        status = opevo_i_net_shape(call->out[i], types[i], i ? 0 : in->dims, in->extent, err);
    return status;
}

/* ---- Convolutions ---- */

/* As a Conv sees it: image, weights, bias. */
static opevo_i_net_call as_convolution(const opevo_i_net_call *call,
                                       const opevo_network_value *(*in)[3])
{
    bool linear = call->node->row->inputs_least > 2;
    opevo_i_net_call out = *call;

    (*in)[0] = call->in[0];
    (*in)[1] = call->in[linear ? 3 : 1];
    (*in)[2] = linear && call->ins > 8 ? call->in[8] : NULL;
    out.in = *in;
    out.ins = 3;
    return out;
}

static opevo_status infer_convolution(const opevo_i_net_call *call, opevo_error *err)
{
    bool linear = call->node->row->inputs_least > 2;
    const opevo_network_value *in[3];
    opevo_i_net_call like = as_convolution(call, &in);
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_net_window_infer(&like, err));
    OPEVO_TRY(opevo_i_net_quantized_check(call, linear, in[1]->array.extent[0], err));
    call->out[0]->array.type = linear ? call->in[7]->array.type : OPEVO_NETWORK_INT32;
cleanup:
    return status;
}

static opevo_status take_convolution(const opevo_i_net_call *call, opevo_network_routine *out,
                                     opevo_error *err)
{
    const opevo_network_value *in[3];
    opevo_i_net_call like = as_convolution(call, &in);
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_net_routine_whole(out, call->node->row->inputs_least > 2, err));
    OPEVO_TRY(opevo_i_net_routine_whole(out, opevo_i_net_attribute_int(call, "group", 1), err));
    OPEVO_TRY(opevo_i_net_window_take(&like, out, err));
cleanup:
    return status;
}

static const opevo_i_net_routine quantize = {"routine_quantize", routine_quantize, take_axis, NULL},
                                 dequantize = {"routine_dequantize", routine_dequantize, take_axis,
                                               NULL},
                                 dynamic = {"routine_quantize_dynamic", routine_quantize_dynamic,
                                            opevo_i_net_routine_take_none, NULL},
                                 convolution = {"routine_whole_convolution",
                                                routine_whole_convolution, take_convolution,
                                                routine_whole_convolution_need};

const opevo_i_net_operator opevo_i_net_quantized[] = {
    {"QuantizeLinear", 10, 2, 3, 1, infer_quantized, opevo_i_net_define_none,
     opevo_i_net_move_by_routine, QUANTIZE,
     "axis=int:13- block_size=int:21- output_dtype=int:21- precision=int:23- saturate=int:19-",
     &quantize, 0},
    {"DequantizeLinear", 10, 2, 3, 1, infer_quantized, opevo_i_net_define_none,
     opevo_i_net_move_by_routine, DEQUANTIZE,
     "axis=int:13- block_size=int:21- output_dtype=int:23-", &dequantize, 0},
    {"DynamicQuantizeLinear", 11, 1, 1, 3, infer_dynamic, opevo_i_net_define_none,
     opevo_i_net_move_by_routine, 0, NULL, &dynamic, 0},
    {"ConvInteger", 10, 2, 4, 1, infer_convolution, opevo_i_net_define_none,
     opevo_i_net_move_by_routine, OPEVO_I_WINDOW_CONVOLUTION,
     "auto_pad=string dilations=ints group=int kernel_shape=ints pads=ints strides=ints",
     &convolution, 0},
    {"QLinearConv", 10, 8, 9, 1, infer_convolution, opevo_i_net_define_none,
     opevo_i_net_move_by_routine, OPEVO_I_WINDOW_CONVOLUTION,
     "auto_pad=string dilations=ints group=int kernel_shape=ints pads=ints strides=ints",
     &convolution, 0},
    {NULL, 0, 0, 0, 0, NULL, NULL, NULL, 0, NULL, NULL, 0},
};
