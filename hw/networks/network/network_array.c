/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Arrays of elements: their types, and how elements are stored. */

#include "network_internal.h"
#include "routines/routine.h"

#include <opevo/memory.h>

#include <math.h>
#include <string.h>

const char *opevo_network_type_name(opevo_network_type type)
{
    switch (type) {
#define TYPE_NAME(suffix, number, name, bytes)                                                     \
    case OPEVO_NETWORK_##suffix:                                                                   \
        return (name);
        OPEVO_NETWORK_TYPE_LIST(TYPE_NAME)
#undef TYPE_NAME
    default:
        return NULL;
    }
}

size_t opevo_network_type_bytes(opevo_network_type type)
{
    static const size_t table[] = {
#define TYPE_BYTES(suffix, number, name, bytes) [number] = (bytes),
        OPEVO_NETWORK_TYPE_LIST(TYPE_BYTES)
#undef TYPE_BYTES
    };

    return (size_t)type < sizeof table / sizeof *table ? table[type] : 0;
}

opevo_network_type opevo_i_net_type_of(int64_t type)
{
    if (routine_is_short(type))
        return OPEVO_NETWORK_FLOAT32;
    return type > 0 && type < INT32_MAX && opevo_network_type_bytes((opevo_network_type)type)
               ? (opevo_network_type)type
               : OPEVO_NETWORK_NO_TYPE;
}

int64_t opevo_array_elements(const opevo_array *array)
{
    int64_t elements = 1;

    for (int d = 0; d < array->dims; d++)
        elements *= array->extent[d];
    return elements;
}

static opevo_status allocate(opevo_array *array, void *(*take)(size_t, size_t), opevo_error *err)
{
    size_t elements = (size_t)opevo_array_elements(array);

    /* An array without elements has memory too: NULL says that the value is unknown. */
    array->data = take(elements ? elements : 1, opevo_network_type_bytes(array->type));
    return array->data
               ? OPEVO_OK
               : OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a tensor of %zu elements.", elements);
}

opevo_status opevo_array_allocate(opevo_array *array, opevo_error *err)
{
    return allocate(array, opevo_calloc, err);
}

opevo_status opevo_i_net_array_reserve(opevo_array *array, opevo_error *err)
{
    return allocate(array, opevo_malloc, err);
}

void opevo_array_free(opevo_array *array)
{
    opevo_free(array->data);
    array->data = NULL;
}

bool opevo_i_net_type_is_whole(opevo_network_type type)
{
    return type != OPEVO_NETWORK_FLOAT32 && type != OPEVO_NETWORK_FLOAT64;
}

/* What whole types hold; NaN becomes 0. */
static int64_t nearest_whole(opevo_network_type type, double value)
{
    static const double least[] = {[OPEVO_NETWORK_INT8] = -0x1p7,
                                   [OPEVO_NETWORK_INT16] = -0x1p15,
                                   [OPEVO_NETWORK_INT32] = -0x1p31,
                                   [OPEVO_NETWORK_INT64] = -0x1p63};
    static const double most[] = {
        [OPEVO_NETWORK_UINT8] = 0xff,         [OPEVO_NETWORK_INT8] = 0x7f,
        [OPEVO_NETWORK_UINT16] = 0xffff,      [OPEVO_NETWORK_INT16] = 0x7fff,
        [OPEVO_NETWORK_UINT32] = 0xffffffff,  [OPEVO_NETWORK_INT32] = 0x7fffffff,
        [OPEVO_NETWORK_INT64] = 0x1p63 - 1024};

    return isnan(value)
               ? 0
               : (int64_t)fmin(fmax(value, type < sizeof least / sizeof *least ? least[type] : 0),
                               most[type]);
}

double opevo_array_number(const opevo_array *array, int64_t i)
{
    return opevo_i_net_number(array, array->data, i);
}

double opevo_i_net_number(const opevo_array *array, const void *data, int64_t i)
{
    switch (array->type) {
    case OPEVO_NETWORK_FLOAT32:
        return ((const float *)data)[i];
    case OPEVO_NETWORK_FLOAT64:
        return ((const double *)data)[i];
    case OPEVO_NETWORK_UINT64:
        return (double)((const uint64_t *)data)[i];
    default:
        return (double)opevo_i_net_whole(array, data, i);
    }
}

int64_t opevo_i_net_whole(const opevo_array *array, const void *data, int64_t i)
{
    switch (array->type) {
    case OPEVO_NETWORK_UINT8:
    case OPEVO_NETWORK_BOOL:
        return ((const uint8_t *)data)[i];
    case OPEVO_NETWORK_INT8:
        return ((const int8_t *)data)[i];
    case OPEVO_NETWORK_INT16:
        return ((const int16_t *)data)[i];
    case OPEVO_NETWORK_UINT16:
        return ((const uint16_t *)data)[i];
    case OPEVO_NETWORK_INT32:
        return ((const int32_t *)data)[i];
    case OPEVO_NETWORK_UINT32:
        return ((const uint32_t *)data)[i];
    case OPEVO_NETWORK_INT64:
    case OPEVO_NETWORK_UINT64:
        return ((const int64_t *)data)[i];
    default:
        return nearest_whole(OPEVO_NETWORK_INT64, opevo_i_net_number(array, data, i));
    }
}

void opevo_i_net_set_whole(opevo_network_type type, void *data, int64_t i, int64_t value)
{
    switch (type) {
    case OPEVO_NETWORK_FLOAT32:
        ((float *)data)[i] = (float)value;
        break;
    case OPEVO_NETWORK_FLOAT64:
        ((double *)data)[i] = (double)value;
        break;
    case OPEVO_NETWORK_BOOL:
        ((uint8_t *)data)[i] = value != 0;
        break;
    case OPEVO_NETWORK_INT64:
    case OPEVO_NETWORK_UINT64:
        ((int64_t *)data)[i] = value;
        break;
    case OPEVO_NETWORK_INT32:
    case OPEVO_NETWORK_UINT32:
        ((uint32_t *)data)[i] = (uint32_t)value;
        break;
    case OPEVO_NETWORK_INT16:
    case OPEVO_NETWORK_UINT16:
        ((uint16_t *)data)[i] = (uint16_t)value;
        break;
    default:
        ((uint8_t *)data)[i] = (uint8_t)value;
        break;
    }
}

void opevo_i_net_set_number(opevo_network_type type, void *data, int64_t i, double value)
{
    if (type == OPEVO_NETWORK_FLOAT32)
        ((float *)data)[i] = (float)value;
    else if (type == OPEVO_NETWORK_FLOAT64)
        ((double *)data)[i] = value;
    else if (type == OPEVO_NETWORK_BOOL)
        ((uint8_t *)data)[i] = value != 0;
    else if (type == OPEVO_NETWORK_UINT64)
        ((uint64_t *)data)[i] = value > 0 ? (uint64_t)fmin(value, 0x1p64 - 2048) : 0;
    else
        opevo_i_net_set_whole(type, data, i, nearest_whole(type, value));
}

size_t opevo_i_net_bytes(const opevo_array *array)
{
    return (size_t)opevo_array_elements(array) * opevo_network_type_bytes(array->type);
}

void opevo_i_net_copy_element(opevo_network_type type, const void *in, int64_t from, void *out,
                              int64_t to)
{
    size_t bytes = opevo_network_type_bytes(type);

    memcpy((char *)out + (size_t)to * bytes, (const char *)in + (size_t)from * bytes, bytes);
}

/* ---- Extents ---- */

opevo_status opevo_i_net_check_extents(const char *what, int dims, const int64_t *extent,
                                       opevo_error *err)
{
    double elements = 1, most = 1;

    for (int d = 0; d < dims; d++) {
        if (extent[d] < 0 || extent[d] > OPEVO_COMPUTATION_EXTENT)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "%s has an extent of %lld in dimension %d; it must be 0 to %lld.",
                              what, (long long)extent[d], d, (long long)OPEVO_COMPUTATION_EXTENT);
        elements *= (double)extent[d];
        most *= extent[d] ? (double)extent[d] : 1;
    }
    if (most > (double)OPEVO_COMPUTATION_ELEMENTS)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s has %g elements, which is too many: the limit is 2^40%s.", what, most,
                          elements == 0 ? " without the extents of 0" : "");
    return OPEVO_OK;
}

/* ---- Shapes ---- */

opevo_status opevo_i_net_shape(opevo_network_value *out, opevo_network_type type, int dims,
                               const int64_t *extent, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    if (dims > OPEVO_NETWORK_DIMS)
        return OPEVO_FAIL(err, OPEVO_INVALID, "The result has %d dimensions; opevo takes up to %d.",
                          dims, OPEVO_NETWORK_DIMS);
    status = opevo_i_net_check_extents("The result", dims, extent, err);
    if (status != OPEVO_OK || !out)
        return status;
    out->array.type = type;
    out->array.dims = dims;
    for (int d = 0; d < dims; d++)
        out->array.extent[d] = extent[d];
    return OPEVO_OK;
}

opevo_status opevo_i_net_axis(int64_t axis, int dims, int *out, opevo_error *err)
{
    if (axis < -dims || axis >= dims)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Axis %lld is outside a tensor of %d dimensions.",
                          (long long)axis, dims);
    *out = (int)(axis < 0 ? axis + dims : axis);
    return OPEVO_OK;
}

opevo_status opevo_i_net_broadcast(const opevo_array *a, const opevo_array *b, int *dims,
                                   int64_t *extent, opevo_error *err)
{
    int64_t both[OPEVO_NETWORK_DIMS] = {0}; /* `extent` may be that of an operand */
    int most = a->dims > b->dims ? a->dims : b->dims;

    for (int d = 0; d < most; d++) {
        int from_a = d - (most - a->dims), from_b = d - (most - b->dims);
        int64_t x = from_a < 0 ? 1 : a->extent[from_a], y = from_b < 0 ? 1 : b->extent[from_b];

        if (x != y && x != 1 && y != 1)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "Extents %lld and %lld of dimension %d do not fit together.",
                              (long long)x, (long long)y, d);
        both[d] = x == 1 ? y : x;
    }
    memcpy(extent, both, (size_t)most * sizeof *both);
    *dims = most;
    return OPEVO_OK;
}

opevo_status opevo_i_net_broadcast_inputs(const opevo_i_net_call *call, int first, opevo_array *out,
                                          opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    *out = (opevo_array){0};
    for (int i = first; i < call->ins && status == OPEVO_OK; i++) {
        if (!call->in[i])
            return OPEVO_FAIL(err, OPEVO_INVALID, "Input %d is missing.", i);
        status = opevo_i_net_broadcast(out, &call->in[i]->array, &out->dims, out->extent, err);
    }
    return status;
}
