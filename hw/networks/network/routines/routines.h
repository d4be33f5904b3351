/* SPDX-License-Identifier: GPL-3.0-or-later */

/* All routines, and the numbers of operators that share one. */

#ifndef OPEVO_ROUTINES_H
#define OPEVO_ROUTINES_H

#include "routine.h"

/* Of routine_unary. */
enum {
    ROUTINE_RELU,
    ROUTINE_LEAKY_RELU,
    ROUTINE_SIGMOID,
    ROUTINE_HARD_SIGMOID,
    ROUTINE_HARD_SWISH,
    ROUTINE_TANH,
    ROUTINE_EXP,
    ROUTINE_SQRT,
    ROUTINE_ERF,
    ROUTINE_NEGATE,
    ROUTINE_ABSOLUTE,
    ROUTINE_RECIPROCAL,
    ROUTINE_ELU,
    ROUTINE_SELU,
    ROUTINE_CELU,
    ROUTINE_THRESHOLDED_RELU,
    ROUTINE_SHRINK,
    ROUTINE_SOFTSIGN,
    ROUTINE_SIGN,
    ROUTINE_SOFTPLUS,
    ROUTINE_LOG,
    ROUTINE_FLOOR,
    ROUTINE_CEIL,
    ROUTINE_ROUND,
    ROUTINE_SIN,
    ROUTINE_COS,
    ROUTINE_TAN,
    ROUTINE_ASIN,
    ROUTINE_ACOS,
    ROUTINE_ATAN,
    ROUTINE_SINH,
    ROUTINE_COSH,
    ROUTINE_ASINH,
    ROUTINE_ACOSH,
    ROUTINE_ATANH,
    ROUTINE_IS_NAN,
    ROUTINE_IS_INF,
    ROUTINE_BITWISE_NOT,
    ROUTINE_GELU,
    ROUTINE_GELU_TANH,
    ROUTINE_MISH,
    ROUTINE_SWISH
};

/* Of routine_binary. */
enum {
    ROUTINE_ADD,
    ROUTINE_SUBTRACT,
    ROUTINE_MULTIPLY,
    ROUTINE_DIVIDE,
    ROUTINE_MAXIMUM,
    ROUTINE_MINIMUM,
    ROUTINE_POWER,
    ROUTINE_PRELU,
    ROUTINE_MODULO,
    ROUTINE_BITWISE_AND,
    ROUTINE_BITWISE_OR,
    ROUTINE_BITWISE_XOR,
    ROUTINE_SHIFT_LEFT,
    ROUTINE_SHIFT_RIGHT
};

/* Of routine_logic: comparisons come first. */
enum {
    ROUTINE_EQUAL,
    ROUTINE_LESS,
    ROUTINE_LESS_EQUAL,
    ROUTINE_GREATER,
    ROUTINE_GREATER_EQUAL,
    ROUTINE_AND,
    ROUTINE_OR,
    ROUTINE_XOR,
    ROUTINE_NOT
};

/* Of routine_reduce, routine_place and routine_softmax. */
enum {
    ROUTINE_REDUCE_SUM,
    ROUTINE_REDUCE_MEAN,
    ROUTINE_REDUCE_MAX,
    ROUTINE_REDUCE_MIN,
    ROUTINE_REDUCE_L1,
    ROUTINE_REDUCE_L2,
    ROUTINE_REDUCE_SQUARES,
    ROUTINE_REDUCE_PRODUCT,
    ROUTINE_REDUCE_LOG_SUM,
    ROUTINE_REDUCE_LOG_SUM_EXP,
    ROUTINE_ARGUMENT_MAX,
    ROUTINE_ARGUMENT_MIN,
    ROUTINE_SOFTMAX,
    ROUTINE_LOG_SOFTMAX,
    ROUTINE_HARDMAX
};

/* Of routine_scatter_elements and routine_scatter_slices: how updates join what is there. */
enum { ROUTINE_PUT, ROUTINE_PUT_ADD, ROUTINE_PUT_MULTIPLY, ROUTINE_PUT_MAX, ROUTINE_PUT_MIN };

/* Of routine_grams: what counts of n-grams become. */
enum { ROUTINE_TERMS, ROUTINE_DOCUMENTS, ROUTINE_BOTH };

/* Of routine_recurrent: cells and activations. */
enum { ROUTINE_RNN, ROUTINE_GRU, ROUTINE_LSTM };
enum {
    ROUTINE_CELL_SIGMOID,
    ROUTINE_CELL_TANH,
    ROUTINE_CELL_RELU,
    ROUTINE_CELL_AFFINE,
    ROUTINE_CELL_LEAKY_RELU,
    ROUTINE_CELL_THRESHOLDED_RELU,
    ROUTINE_CELL_SCALED_TANH,
    ROUTINE_CELL_HARD_SIGMOID,
    ROUTINE_CELL_ELU,
    ROUTINE_CELL_SOFTSIGN,
    ROUTINE_CELL_SOFTPLUS
};

/* Of routine_grid_sample: what is outside of the image. */
enum { ROUTINE_ZEROS, ROUTINE_BORDER, ROUTINE_REFLECTION };

/* Of routine_resize: modes, coordinates and rounding. */
enum { ROUTINE_NEAREST, ROUTINE_LINEAR, ROUTINE_CUBIC };
enum {
    ROUTINE_HALF_PIXEL,
    ROUTINE_HALF_PIXEL_SYMMETRIC,
    ROUTINE_PYTORCH_HALF_PIXEL,
    ROUTINE_ASYMMETRIC,
    ROUTINE_ALIGN_CORNERS,
    ROUTINE_HALF_PIXEL_NEAREST,
    ROUTINE_CROP
};
enum { ROUTINE_PREFER_FLOOR, ROUTINE_PREFER_CEIL, ROUTINE_NEAREST_FLOOR, ROUTINE_NEAREST_CEIL };

routine routine_unary, routine_binary, routine_clip, routine_logic, routine_where, routine_if,
    routine_cast;
routine routine_gather, routine_gather_elements, routine_gather_slices, routine_scatter_elements,
    routine_scatter_slices, routine_one_hot, routine_cumulative, routine_top;
routine routine_reduce, routine_place, routine_softmax;
routine routine_resize, routine_max_pool, routine_grid_sample, routine_regions, routine_einsum,
    routine_determinant;
routine routine_recurrent;
routine routine_suppress, routine_nonzero, routine_compress, routine_grams;
routine routine_quantize, routine_dequantize, routine_quantize_dynamic, routine_whole_product,
    routine_whole_convolution;

/* Of those that need memory. */
routine_need routine_top_need, routine_resize_need, routine_determinant_need,
    routine_recurrent_need, routine_suppress_need, routine_grams_need, routine_whole_product_need,
    routine_whole_convolution_need;

#endif
