/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Constants, shapes as numbers, and conversions: what shapes are computed with. */

#include "network_routine_internal.h"

#include <math.h>
#include <string.h>

/* ---- Constants ---- */

static opevo_status infer_constant(const opevo_i_net_call *call, opevo_error *err)
{
    const Onnx__Attribute *tensor = opevo_i_net_attribute(call, "value");
    const Onnx__Attribute *number = opevo_i_net_attribute(call, "value_float");
    const Onnx__Attribute *whole = opevo_i_net_attribute(call, "value_int");
    const Onnx__Attribute *numbers = opevo_i_net_attribute(call, "value_floats");
    const Onnx__Attribute *wholes = opevo_i_net_attribute(call, "value_ints");
    opevo_array *out = &call->out[0]->array;
    size_t count = numbers ? numbers->n_floats : wholes ? wholes->n_ints : 1;
    opevo_status status = OPEVO_OK;

    call->out[0]->stored = tensor && tensor->t ? opevo_i_net_stored(tensor->t->data_type) : 0;
    if (tensor && tensor->t)
        return opevo_i_net_array_of(tensor->t, "Attribute value", NULL, out, err);
    if (!number && !whole && !numbers && !wholes)
        return OPEVO_FAIL(err, OPEVO_INVALID, "It has no value of numbers.");
    out->type = number || numbers ? OPEVO_NETWORK_FLOAT32 : OPEVO_NETWORK_INT64;
    out->dims = numbers || wholes ? 1 : 0;
    out->extent[0] = (int64_t)count;
    status = opevo_array_allocate(out, err);
    for (size_t i = 0; i < count && status == OPEVO_OK; i++) {
        if (number || numbers)
            ((float *)out->data)[i] = number ? number->f : numbers->floats[i];
        else
            ((int64_t *)out->data)[i] = whole ? whole->i : wholes->ints[i];
    }
    return status;
}

static opevo_status infer_constant_of_shape(const opevo_i_net_call *call, opevo_error *err)
{
    const Onnx__Attribute *value = opevo_i_net_attribute(call, "value");
    opevo_network_type type = OPEVO_NETWORK_FLOAT32;
    int64_t extent[OPEVO_NETWORK_DIMS];
    opevo_status status = OPEVO_OK;
    int dims = 0;

    OPEVO_TRY(opevo_i_net_list(call, 0, 1, "shape", OPEVO_NETWORK_DIMS, extent, &dims, err));
    if (value && value->t) {
        opevo_array one = {0};

        OPEVO_TRY(opevo_i_net_array_of(value->t, "Attribute value", NULL, &one, err));
        type = one.type;
        if (opevo_array_elements(&one) != 1)
            status = OPEVO_FAIL(err, OPEVO_INVALID, "Its value must be one number.");
        opevo_array_free(&one);
        OPEVO_TRY(status);
    }
    OPEVO_TRY(opevo_i_net_shape(call->out[0], type, dims, extent, err));
cleanup:
    return status;
}

enum { FILLED_AT_ONCE = 1 << 14 }; /* bytes */

static opevo_status fill(const opevo_i_net_call *call, const void *const *in, void *const *out,
                         opevo_error *err)
{
    const Onnx__Attribute *value = opevo_i_net_attribute(call, "value");
    const opevo_array *all = &call->out[0]->array;
    size_t bytes = opevo_network_type_bytes(all->type), size = opevo_i_net_bytes(all);
    opevo_array one = {0};
    opevo_status status = OPEVO_OK;

    (void)in;
    if (!value || !value->t || size == 0)
        return OPEVO_OK; /* 0 */
    status = opevo_i_net_array_of(value->t, "Attribute value", NULL, &one, err);
    if (status == OPEVO_OK)
        memcpy(out[0], one.data, bytes);
    /* What is filled is copied behind itself, as long as a cache holds it. */
    for (size_t done = bytes, more = 0; done < size && status == OPEVO_OK; done += more) {
        more = done < FILLED_AT_ONCE ? done : FILLED_AT_ONCE;
        more = more < size - done ? more : size - done;
        memcpy((char *)out[0] + done, out[0], more);
    }
    opevo_array_free(&one);
    return status;
}

/* ---- Shapes ---- */

/* Dimensions from start to end, known as soon as shapes are. */
static opevo_status infer_shape(const opevo_i_net_call *call, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_array *out = &call->out[0]->array;
    int dims = call->in[0]->array.dims;
    int64_t start = opevo_i_net_attribute_int(call, "start", 0);
    int64_t end = opevo_i_net_attribute_int(call, "end", dims), count = 0;

    start = start < -dims ? 0 : start < 0 ? start + dims : start > dims ? dims : start;
    end = end < -dims ? 0 : end < 0 ? end + dims : end > dims ? dims : end;
    count = end > start ? end - start : 0;
    status = opevo_i_net_shape(call->out[0], OPEVO_NETWORK_INT64, 1, &count, err);
    if (status == OPEVO_OK)
        status = opevo_array_allocate(out, err);
    for (int64_t i = 0; i < count && status == OPEVO_OK; i++)
        ((int64_t *)out->data)[i] = call->in[0]->array.extent[start + i];
    return status;
}

/* What was computed with the shape. */
static opevo_status copy_known(const opevo_i_net_call *call, const void *const *in,
                               void *const *out, opevo_error *err)
{
    (void)in;
    (void)err;
    memcpy(out[0], call->out[0]->array.data, opevo_i_net_bytes(&call->out[0]->array));
    return OPEVO_OK;
}

static opevo_status infer_size(const opevo_i_net_call *call, opevo_error *err)
{
    opevo_array *out = &call->out[0]->array;
    opevo_status status = opevo_i_net_shape(call->out[0], OPEVO_NETWORK_INT64, 0, NULL, err);

    if (status == OPEVO_OK)
        status = opevo_array_allocate(out, err);
    if (status == OPEVO_OK)
        *(int64_t *)out->data = opevo_array_elements(&call->in[0]->array);
    return status;
}

/* ---- Numbers at equal distances ---- */

static opevo_status infer_range(const opevo_i_net_call *call, opevo_error *err)
{
    double number[3] = {0};
    int64_t count = 0;

    for (int i = 0; i < 3; i++) {
        const opevo_array *array = &call->in[i]->array;

        if (array->type != call->in[0]->array.type)
            return OPEVO_FAIL(err, OPEVO_INVALID, "Its inputs are of types %s and %s.",
                              opevo_network_type_name(call->in[0]->array.type),
                              opevo_network_type_name(array->type));
        if (!array->data || opevo_array_elements(array) != 1)
            return opevo_i_net_fail_open(call, i, NULL, "one constant number", err);
        number[i] = opevo_i_net_number(array, array->data, 0);
    }
    number[0] = ceil((number[1] - number[0]) / number[2]);
    if (!(number[0] <= (double)OPEVO_COMPUTATION_EXTENT))
        return OPEVO_FAIL(err, OPEVO_INVALID, "It has %g numbers.", number[0]);
    count = number[0] > 0 ? (int64_t)number[0] : 0;
    return opevo_i_net_shape(call->out[0], call->in[0]->array.type, 1, &count, err);
}

static opevo_status range(const opevo_i_net_call *call, const void *const *in, void *const *out,
                          opevo_error *err)
{
    const opevo_array *all = &call->out[0]->array, *from = &call->in[0]->array;

    (void)err;
    for (int64_t i = 0; i < all->extent[0]; i++) {
        if (opevo_i_net_type_is_whole(all->type))
            opevo_i_net_set_whole(
                all->type, out[0], i,
                (int64_t)((uint64_t)opevo_i_net_whole(from, in[0], 0) +
                          (uint64_t)i * (uint64_t)opevo_i_net_whole(from, in[2], 0)));
        else
            opevo_i_net_set_number(all->type, out[0], i,
                                   opevo_i_net_number(from, in[0], 0) +
                                       (double)i * opevo_i_net_number(from, in[2], 0));
    }
    return OPEVO_OK;
}

/* ---- Conversions ---- */

enum code { CAST, CAST_LIKE };

/* By ONNX's number. */
static int64_t cast_type(const opevo_i_net_call *call)
{
    if (call->node->row->code != CAST_LIKE)
        return opevo_i_net_attribute_int(call, "to", 0);
    return call->in[1]->stored ? call->in[1]->stored : (int64_t)call->in[1]->array.type;
}

static opevo_status infer_cast(const opevo_i_net_call *call, opevo_error *err)
{
    int64_t type = cast_type(call);

    if (opevo_i_net_type_of(type) == OPEVO_NETWORK_NO_TYPE)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "It casts to ONNX type %lld, which opevo does not read.",
                          (long long)type);
    call->out[0]->stored = routine_is_short(type) ? (int)type : 0;
    return opevo_i_net_shape(call->out[0], opevo_i_net_type_of(type), call->in[0]->array.dims,
                             call->in[0]->array.extent, err);
}

static opevo_status take_cast(const opevo_i_net_call *call, opevo_network_routine *out,
                              opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_net_routine_whole(out, cast_type(call), err));
    status = opevo_i_net_routine_whole(out, opevo_i_net_attribute_int(call, "saturate", 1), err);
cleanup:
    return status;
}

static const opevo_i_net_routine conversion = {"routine_cast", routine_cast, take_cast, NULL};

const opevo_i_net_operator opevo_i_net_constants[] = {
    {"Constant", 1, 0, 0, 1, infer_constant, NULL, copy_known, 0,
     "value=tensor sparse_value=sparse:11- value_float=float:12- value_floats=floats:12- "
     "value_int=int:12- value_ints=ints:12- value_string=string:12- value_strings=strings:12-",
     NULL, 0},
    {"ConstantOfShape", 9, 1, 1, 1, infer_constant_of_shape, NULL, fill, 0, "value=tensor", NULL,
     0},
    {"Shape", 1, 1, 1, 1, infer_shape, NULL, copy_known, 0, "end=int:15- start=int:15-", NULL, 0},
    {"Cast", 6, 1, 1, 1, infer_cast, opevo_i_net_define_none, opevo_i_net_move_by_routine, CAST,
     "to=int! round_mode=string:24- saturate=int:19-", &conversion, 0},
    {"CastLike", 15, 2, 2, 1, infer_cast, opevo_i_net_define_none, opevo_i_net_move_by_routine,
     CAST_LIKE, "round_mode=string:24- saturate=int:19-", &conversion, 0},
    {"Size", 1, 1, 1, 1, infer_size, NULL, copy_known, 0, NULL, NULL, 0},
    {"Range", 11, 3, 3, 1, infer_range, NULL, range, 0, NULL, NULL, 0},
    {NULL, 0, 0, 0, 0, NULL, NULL, NULL, 0, NULL, NULL, 0},
};
