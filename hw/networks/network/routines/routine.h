/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Tensors of any type, as routines see them.
 *
 * A routine computes a node that is not a computation on float32. `opevo network --run` calls it,
 * and a library has its text: so this folder includes nothing but the C library and itself. */

#ifndef OPEVO_ROUTINE_H
#define OPEVO_ROUTINE_H

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Sentences without their numbers, as there is nothing that prints. */
#ifndef ROUTINE_FREESTANDING
#include <stdio.h>
#endif

/* Types by ONNX's numbers. */
enum {
    ROUTINE_FLOAT32 = 1,
    ROUTINE_UINT8 = 2,
    ROUTINE_INT8 = 3,
    ROUTINE_UINT16 = 4,
    ROUTINE_INT16 = 5,
    ROUTINE_INT32 = 6,
    ROUTINE_INT64 = 7,
    ROUTINE_BOOL = 9,
    ROUTINE_FLOAT64 = 11,
    ROUTINE_UINT32 = 12,
    ROUTINE_UINT64 = 13,
    ROUTINE_DIMS = 8,
    ROUTINE_ERROR = 128 /* bytes of a sentence */
};

typedef struct routine_tensor {
    int type; /* 0: omitted */
    int dims;
    int64_t extent[ROUTINE_DIMS];
    void *data; /* row-major; NULL: omitted */
} routine_tensor;

/* Parameters are in the order in which the routine says it. */
typedef struct routine_call {
    const routine_tensor *in, *out;
    int ins, outs;
    const int64_t *whole;
    const double *number;
    char *error;  /* room for a sentence */
    void *memory; /* what the routine needs, aligned to 8 bytes; undefined before and after */
    bool scarce;  /* little memory counts more than time */
} routine_call;

/* Bytes that `memory` must have. They follow from parameters, extents and `scarce`, never from
 * data, which are not there. */
typedef double routine_need(const routine_call *call);

/* NULL, or what is wrong with the inputs as a sentence; the outputs are undefined then. */
typedef const char *routine(const routine_call *call);

static inline const char *routine_fail(const routine_call *call, const char *format, ...)
{
#ifdef ROUTINE_FREESTANDING
    (void)call;
    return format;
#else
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(call->error, ROUTINE_ERROR, format, arguments);
    va_end(arguments);
    return call->error;
#endif
}

static inline int64_t routine_elements(const routine_tensor *t)
{
    int64_t elements = 1;

    for (int d = 0; d < t->dims; d++)
        elements *= t->extent[d];
    return elements;
}

static inline bool routine_is_whole(const routine_tensor *t)
{
    return t->type != ROUTINE_FLOAT32 && t->type != ROUTINE_FLOAT64;
}

static inline size_t routine_bytes(const routine_tensor *t)
{
    static const unsigned char bytes[] = {0, 4, 1, 1, 2, 2, 4, 8, 0, 1, 0, 8, 4, 8};

    return bytes[t->type];
}

static inline bool routine_has(const routine_call *call, int in)
{
    return in >= 0 && in < call->ins && call->in[in].data;
}

/* Element i as a whole number, of uint64 modulo 2^64; floats are cut off, and clamped to what int64
 * holds. */
static inline int64_t routine_whole(const routine_tensor *t, int64_t i)
{
    double x = 0;

    switch (t->type) {
    case ROUTINE_UINT8:
    case ROUTINE_BOOL:
        return ((const uint8_t *)t->data)[i];
    case ROUTINE_INT8:
        return ((const int8_t *)t->data)[i];
    case ROUTINE_UINT16:
        return ((const uint16_t *)t->data)[i];
    case ROUTINE_INT16:
        return ((const int16_t *)t->data)[i];
    case ROUTINE_INT32:
        return ((const int32_t *)t->data)[i];
    case ROUTINE_UINT32:
        return ((const uint32_t *)t->data)[i];
    case ROUTINE_INT64:
    case ROUTINE_UINT64:
        return ((const int64_t *)t->data)[i];
    default:
        x = t->type == ROUTINE_FLOAT32 ? (double)((const float *)t->data)[i]
                                       : ((const double *)t->data)[i];
        return isnan(x) ? 0 : (int64_t)fmin(fmax(x, -0x1p63), 0x1p63 - 1024);
    }
}

static inline double routine_number(const routine_tensor *t, int64_t i)
{
    return t->type == ROUTINE_FLOAT32   ? (double)((const float *)t->data)[i]
           : t->type == ROUTINE_FLOAT64 ? ((const double *)t->data)[i]
           : t->type == ROUTINE_UINT64  ? (double)((const uint64_t *)t->data)[i]
                                        : (double)routine_whole(t, i);
}

/* The sign of m - n, whole numbers of this type. */
static inline int routine_order(const routine_tensor *t, int64_t m, int64_t n)
{
    uint64_t big = t->type == ROUTINE_UINT64 ? UINT64_C(1) << 63 : 0;

    m = (int64_t)((uint64_t)m ^ big);
    n = (int64_t)((uint64_t)n ^ big);
    return (m > n) - (m < n);
}

/* Modulo the range of the type. */
static inline void routine_set_whole(const routine_tensor *t, int64_t i, int64_t value)
{
    switch (t->type) {
    case ROUTINE_FLOAT32:
        ((float *)t->data)[i] = (float)value;
        break;
    case ROUTINE_FLOAT64:
        ((double *)t->data)[i] = (double)value;
        break;
    case ROUTINE_BOOL:
        ((uint8_t *)t->data)[i] = value != 0;
        break;
    case ROUTINE_INT64:
    case ROUTINE_UINT64:
        ((int64_t *)t->data)[i] = value;
        break;
    case ROUTINE_INT32:
    case ROUTINE_UINT32:
        ((uint32_t *)t->data)[i] = (uint32_t)value;
        break;
    case ROUTINE_INT16:
    case ROUTINE_UINT16:
        ((uint16_t *)t->data)[i] = (uint16_t)value;
        break;
    default:
        ((uint8_t *)t->data)[i] = (uint8_t)value;
        break;
    }
}

/* Whole types: cut off, and the nearest number that the type holds; NaN is 0 there. */
static inline void routine_set_number(const routine_tensor *t, int64_t i, double value)
{
    static const double least[] = {0, 0, 0, -0x1p7, 0, -0x1p15, -0x1p31, -0x1p63, 0, 0, 0, 0, 0};
    static const double most[] = {0, 0, 0xff, 0x7f, 0xffff,    0x7fff, 0x7fffffff, 0x1p63 - 1024,
                                  0, 1, 0,    0,    0xffffffff};

    if (t->type == ROUTINE_FLOAT32)
        ((float *)t->data)[i] = (float)value;
    else if (t->type == ROUTINE_FLOAT64)
        ((double *)t->data)[i] = value;
    else if (t->type == ROUTINE_BOOL)
        ((uint8_t *)t->data)[i] = value != 0;
    else if (t->type == ROUTINE_UINT64)
        ((uint64_t *)t->data)[i] = value > 0 ? (uint64_t)fmin(value, 0x1p64 - 2048) : 0;
    else
        routine_set_whole(
            t, i, isnan(value) ? 0 : (int64_t)fmin(fmax(value, least[t->type]), most[t->type]));
}

/* The nearest number of a whole type of up to 32 bits; NaN is the least. */
static inline double routine_saturated(double x, int type)
{
    double least = type == ROUTINE_INT8    ? -0x1p7
                   : type == ROUTINE_INT16 ? -0x1p15
                   : type == ROUTINE_INT32 ? -0x1p31
                                           : 0;
    double most = type == ROUTINE_INT8     ? 0x7f
                  : type == ROUTINE_UINT8  ? 0xff
                  : type == ROUTINE_INT16  ? 0x7fff
                  : type == ROUTINE_UINT16 ? 0xffff
                                           : 0x7fffffff;

    return fmin(fmax(x, least), most);
}

/* Element i of an input with zero points, or its only one; 0 without it. */
static inline double routine_zero(const routine_call *call, int in, int64_t i)
{
    if (!routine_has(call, in))
        return 0;
    return routine_number(&call->in[in], routine_elements(&call->in[in]) == 1 ? 0 : i);
}

/* Types in files whose elements are float32 here, by ONNX's numbers: float16, bfloat16, and four of
 * float8, from E4M3FN to E5M2FNUZ. */
static inline bool routine_is_short(int64_t type)
{
    return type == 10 || (type >= 16 && type <= 20);
}

/* The nearest number of such a type, ties to even. Beyond the largest one: that if it is of float8
 * and `saturates`; otherwise infinite, or NaN where the type has no infinity. */
static inline float routine_narrow(double x, int type, bool saturates)
{
    static const struct {
        double bits, unit, most; /* of a fraction; the least number; the largest */
        bool is_infinite, has_minus_zero;
    } rows[] = {{11, 0x1p-24, 65504, true, true}, {8, 0x1p-133, 0x1.fep127, true, true},
                {4, 0x1p-9, 448, false, true},    {4, 0x1p-10, 240, false, false},
                {3, 0x1p-16, 57344, true, true},  {3, 0x1p-17, 57344, false, false}};
    int row = type == 10 ? 0 : type - 15, exponent = 0;
    double step = 0, y = x;

    if (isfinite(x) && x != 0) {
        (void)frexp(x, &exponent);
        step = ldexp(1, exponent - (int)rows[row].bits);
        step = step < rows[row].unit ? rows[row].unit : step;
        y = rint(x / step) * step;
    }
    if (fabs(y) > rows[row].most)
        y = copysign(saturates && row > 1    ? rows[row].most
                     : rows[row].is_infinite ? INFINITY
                                             : NAN,
                     y);
    return y == 0 && !rows[row].has_minus_zero ? 0 : (float)y;
}

static inline void routine_copy(const routine_tensor *from, int64_t i, const routine_tensor *to,
                                int64_t k)
{
    size_t bytes = routine_bytes(to);

    memcpy((char *)to->data + (size_t)k * bytes, (const char *)from->data + (size_t)i * bytes,
           bytes);
}

/* The product of extents from dimension `first` up to `end`. */
static inline int64_t routine_product(const routine_tensor *t, int first, int end)
{
    int64_t product = 1;

    for (int d = first; d < end; d++)
        product *= t->extent[d];
    return product;
}

/* Walks through all places of a shape in order, and through those of tensors that are broadcast to
 * it. Start from {0}, with `all`. */
enum { ROUTINE_WALKED = 4 };
typedef struct routine_walk {
    const routine_tensor *all;
    int64_t index[ROUTINE_DIMS], step[ROUTINE_WALKED][ROUTINE_DIMS];
    int64_t at[ROUTINE_WALKED]; /* element of each tensor */
    int tensors;
} routine_walk;

static inline void routine_walk_add(routine_walk *self, const routine_tensor *t)
{
    int64_t stride = 1;

    for (int d = t->dims - 1; d >= 0; d--) {
        self->step[self->tensors][d + self->all->dims - t->dims] = t->extent[d] == 1 ? 0 : stride;
        stride *= t->extent[d];
    }
    self->tensors++;
}

static inline void routine_walk_next(routine_walk *self)
{
    for (int d = self->all->dims - 1; d >= 0; d--) {
        bool more = ++self->index[d] < self->all->extent[d];

        for (int i = 0; i < self->tensors; i++)
            self->at[i] += more ? self->step[i][d] : -(self->index[d] - 1) * self->step[i][d];
        if (more)
            return;
        self->index[d] = 0;
    }
}

#endif
