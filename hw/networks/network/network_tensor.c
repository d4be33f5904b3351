/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Tensors of ONNX files. */

#include "network_internal.h"
#include "routines/routine.h"

#include <opevo/element.h>
#include <opevo/file.h>
#include <opevo/memory.h>

#include <math.h>
#include <string.h>

/* ONNX's floats of 16 and 8 bits, whose elements become float32, and types of 4, which become those
 * of 8. */
enum { FLOAT16 = 10, BFLOAT16 = 16, E4M3FN = 17, E4M3FNUZ, E5M2, E5M2FNUZ, UINT4, INT4 };

/* Whether two elements lie in a byte, the first in its lower bits: those of 4 bits. */
static bool is_packed(const Onnx__Tensor *tensor)
{
    return tensor->data_type == UINT4 || tensor->data_type == INT4;
}

int opevo_i_net_stored(int64_t type)
{
    return routine_is_short(type) || type == UINT4 || type == INT4 ? (int)type : 0;
}

static bool is_float8(int64_t type)
{
    return type >= E4M3FN && type <= E5M2FNUZ;
}

/* Source: ONNX, "Float stored in 8 bits". */
static float number_of(int64_t type, unsigned byte)
{
    bool wide = type == E4M3FN || type == E4M3FNUZ; /* the fraction */
    bool only_nan = type == E4M3FNUZ || type == E5M2FNUZ;
    int bits = wide ? 3 : 2, bias = (wide ? 7 : 15) + only_nan;
    int exponent = (int)(byte & 127) >> bits, fraction = (int)byte & ((1 << bits) - 1);
    double number = ldexp(exponent ? fraction + (1 << bits) : fraction,
                          (exponent ? exponent : 1) - bias - bits);

    if (only_nan ? byte == 128 : type == E4M3FN ? (byte & 127) == 127 : exponent == 31 && fraction)
        return NAN;
    if (type == E5M2 && exponent == 31)
        number = INFINITY;
    return (float)(byte & 128 ? -number : number);
}

/* Sets type and shape; the data are still to come. */
static opevo_status take_shape(const Onnx__Tensor *tensor, const char *what, opevo_array *out,
                               opevo_error *err)
{
    bool is_short = tensor->data_type == FLOAT16 || tensor->data_type == BFLOAT16;

    out->type = is_float8(tensor->data_type) ? OPEVO_NETWORK_UINT8
                : is_short                   ? OPEVO_NETWORK_UINT16
                : tensor->data_type == UINT4 ? OPEVO_NETWORK_UINT8
                : tensor->data_type == INT4  ? OPEVO_NETWORK_INT8
                                             : (opevo_network_type)tensor->data_type;
    if (!opevo_network_type_bytes(out->type))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s has elements of ONNX type %d; opevo reads float8, float16, bfloat16, "
                          "float32, float64, bool, int8 to int64 and uint8 to uint64.",
                          what, tensor->data_type);
    if (tensor->n_dims > OPEVO_NETWORK_DIMS)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s has %zu dimensions; opevo takes up to %d.", what,
                          tensor->n_dims, OPEVO_NETWORK_DIMS);
    out->dims = (int)tensor->n_dims;
    for (size_t d = 0; d < tensor->n_dims; d++)
        out->extent[d] = tensor->dims[d];
    return opevo_i_net_check_extents(what, out->dims, out->extent, err);
}

/* How many elements the fields of the message hold, and where they are, by the type. */
static size_t stored_elements(const Onnx__Tensor *tensor, opevo_network_type type)
{
    size_t bytes = opevo_network_type_bytes(type);

    if (tensor->has_raw_data)
        return bytes ? tensor->raw_data.len / bytes : 0;
    switch (type) {
    case OPEVO_NETWORK_UINT32:
    case OPEVO_NETWORK_UINT64:
        return tensor->n_uint64_data;
    case OPEVO_NETWORK_FLOAT32:
        return tensor->n_float_data;
    case OPEVO_NETWORK_FLOAT64:
        return tensor->n_double_data;
    case OPEVO_NETWORK_INT64:
        return tensor->n_int64_data;
    default:
        return tensor->n_int32_data;
    }
}

static void copy_elements(const Onnx__Tensor *tensor, size_t count, opevo_array *out)
{
    if (tensor->has_raw_data)
        memcpy(out->data, tensor->raw_data.data, count * opevo_network_type_bytes(out->type));
    else if (out->type == OPEVO_NETWORK_FLOAT32)
        memcpy(out->data, tensor->float_data, count * sizeof(float));
    else if (out->type == OPEVO_NETWORK_FLOAT64)
        memcpy(out->data, tensor->double_data, count * sizeof(double));
    else if (out->type == OPEVO_NETWORK_INT64)
        memcpy(out->data, tensor->int64_data, count * sizeof(int64_t));
    else
        for (size_t i = 0; i < count; i++)
            opevo_i_net_set_whole(out->type, out->data, (int64_t)i,
                                  out->type == OPEVO_NETWORK_UINT32 ||
                                          out->type == OPEVO_NETWORK_UINT64
                                      ? (int64_t)tensor->uint64_data[i]
                                      : tensor->int32_data[i]);
}

/* Elements of 4 bits, each as one of 8. */
static opevo_status unpack(const Onnx__Tensor *tensor, const char *what, opevo_array *out,
                           opevo_error *err)
{
    int64_t count = opevo_array_elements(out), bytes = (count + 1) / 2;
    size_t stored = tensor->has_raw_data ? tensor->raw_data.len : tensor->n_int32_data;
    opevo_status status = OPEVO_OK;

    if (stored != (size_t)bytes || opevo_i_net_is_external(tensor))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s has data of %zu bytes in the model; its shape needs %lld.", what,
                          stored, (long long)bytes);
    status = opevo_array_allocate(out, err);
    for (int64_t i = 0; i < count && status == OPEVO_OK; i++) {
        unsigned byte = tensor->has_raw_data ? tensor->raw_data.data[i / 2]
                                             : (unsigned)tensor->int32_data[i / 2];
        int number = (int)(byte >> (i % 2 * 4) & 15);

        opevo_i_net_set_whole(out->type, out->data, i,
                              tensor->data_type == INT4 && number > 7 ? number - 16 : number);
    }
    return status;
}

/* Elements of 16 and 8 bits as float32. */
static opevo_status widen(const Onnx__Tensor *tensor, opevo_array *array, opevo_error *err)
{
    opevo_element element = tensor->data_type == FLOAT16 ? OPEVO_FLOAT16 : OPEVO_BFLOAT16;
    opevo_array wide = *array;
    opevo_status status = OPEVO_OK;

    if (!routine_is_short(tensor->data_type))
        return OPEVO_OK;
    wide.type = OPEVO_NETWORK_FLOAT32;
    OPEVO_TRY(opevo_array_allocate(&wide, err));
    for (int64_t i = 0; i < opevo_array_elements(array); i++)
        ((float *)wide.data)[i] =
            is_float8(tensor->data_type)
                ? number_of(tensor->data_type, ((const uint8_t *)array->data)[i])
                : (float)opevo_element_get(element, array->data, (size_t)i);
    opevo_array_free(array);
    *array = wide;
cleanup:
    return status;
}

opevo_status opevo_i_net_array_of(const Onnx__Tensor *tensor, const char *what, const char *model,
                                  opevo_array *out, opevo_error *err)
{
    opevo_array array = {0};
    opevo_status status = OPEVO_OK;
    size_t expected = 0, stored = 0;

    OPEVO_TRY(take_shape(tensor, what, &array, err));
    if (is_packed(tensor)) {
        OPEVO_TRY(unpack(tensor, what, &array, err));
        *out = array;
        return OPEVO_OK;
    }
    if (opevo_i_net_is_external(tensor)) {
        OPEVO_TRY(opevo_i_net_external_read(tensor, what, model, &array, err));
        OPEVO_TRY(widen(tensor, &array, err));
        *out = array;
        return OPEVO_OK;
    }
    expected = (size_t)opevo_array_elements(&array);
    stored = stored_elements(tensor, array.type);
    if (stored != expected ||
        (tensor->has_raw_data &&
         tensor->raw_data.len != expected * opevo_network_type_bytes(array.type)))
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s has data of %zu elements; its shape has %zu.",
                          what, stored, expected);
    OPEVO_TRY(opevo_array_allocate(&array, err));
    if (expected)
        copy_elements(tensor, expected, &array);
    OPEVO_TRY(widen(tensor, &array, err));
    *out = array;
cleanup:
    if (status != OPEVO_OK)
        opevo_array_free(&array);
    return status;
}

opevo_status opevo_array_read(const char *path, opevo_array *out, opevo_error *err)
{
    Onnx__Tensor *tensor = NULL;
    opevo_status status = OPEVO_OK;
    opevo_text what = {0};
    char *bytes = NULL;
    size_t size = 0;

    OPEVO_TRY(opevo_file_read(path, OPEVO_NETWORK_FILE, &bytes, &size, err));
    tensor = onnx__tensor__unpack(NULL, size, (const uint8_t *)bytes);
    opevo_text_printf(&what, "%s: the tensor", path);
    OPEVO_TRY(opevo_text_check(&what, err));
    status = tensor
                 ? opevo_i_net_array_of(tensor, opevo_text_string(&what), NULL, out, err)
                 : OPEVO_FAIL(err, OPEVO_INVALID, "%s is not an ONNX tensor (TensorProto).", path);
cleanup:
    if (tensor)
        onnx__tensor__free_unpacked(tensor, NULL);
    opevo_text_free(&what);
    opevo_free(bytes);
    return status;
}

/* ---- Sequences and optionals ---- */

/* The tensors of a list; what is not one has a tensor without elements that are there. */
static opevo_status take_list(const Onnx__List *list, const char *what, opevo_array **out,
                              int *count, int *length, opevo_error *err)
{
    const Onnx__Items *inner = list->sequence_value;
    Onnx__Tensor *const *item = inner ? inner->tensor_values : list->tensor_values;
    size_t items = inner ? inner->n_tensor_values : list->n_tensor_values;
    opevo_array *array = opevo_calloc(items + 1, sizeof *array);
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(array, "a sequence");
    for (size_t i = 0; i < items; i++)
        OPEVO_TRY(opevo_i_net_array_of(item[i], what, NULL, &array[i], err));
    *length = !inner && !items && !list->elem_type ? OPEVO_NETWORK_EMPTY : (int)items;
    *count = (int)items;
    *out = array;
    array = NULL;
cleanup:
    for (size_t i = 0; array && i < items; i++)
        opevo_array_free(&array[i]);
    opevo_free(array);
    return status;
}

/* Messages do not say what they are: a list has no data for the shape that its name would be, and a
 * tensor has fields that lists do not have. */
opevo_status opevo_arrays_read(const char *path, opevo_array **out, int *count, int *length,
                               opevo_error *err)
{
    opevo_error reason = {OPEVO_OK, ""};
    Onnx__List *list = NULL;
    opevo_status status = OPEVO_OK;
    opevo_text what = {0};
    char *bytes = NULL;
    size_t size = 0;

    *count = 1;
    *length = OPEVO_NETWORK_TENSOR;
    OPEVO_NEW_OR_RETURN(*out, 1, "a tensor");
    status = opevo_array_read(path, *out, &reason);
    if (status == OPEVO_OK)
        return OPEVO_OK;
    opevo_free(*out);
    *out = NULL;
    *count = 0;
    if (status != OPEVO_INVALID)
        return OPEVO_FAIL(err, status, "%s", reason.message);
    OPEVO_TRY(opevo_file_read(path, OPEVO_NETWORK_FILE, &bytes, &size, err));
    list = onnx__list__unpack(NULL, size, (const uint8_t *)bytes);
    opevo_text_printf(&what, "%s: a tensor of the sequence", path);
    OPEVO_TRY(opevo_text_check(&what, err));
    if (list && !list->base.n_unknown_fields)
        status = take_list(list, opevo_text_string(&what), out, count, length, err);
    else
        status = OPEVO_FAIL(err, OPEVO_INVALID, "%s", reason.message);
cleanup:
    if (list)
        onnx__list__free_unpacked(list, NULL);
    opevo_text_free(&what);
    opevo_free(bytes);
    return status;
}
