/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What operators with windows share, and those of integers with products. */

#ifndef OPEVO_NETWORK_WINDOWS_INTERNAL_H
#define OPEVO_NETWORK_WINDOWS_INTERNAL_H

#include "network_routine_internal.h"

enum { OPEVO_I_WINDOW_CONVOLUTION, OPEVO_I_WINDOW_TRANSPOSED }; /* codes of rows */
enum { OPEVO_I_WINDOW_DIMS = 3 };

/* Along each dimension. Extents are those of the input and the output. */
typedef struct opevo_i_net_window {
    int dims;
    int64_t kernel[OPEVO_I_WINDOW_DIMS], stride[OPEVO_I_WINDOW_DIMS], dilation[OPEVO_I_WINDOW_DIMS];
    int64_t before[OPEVO_I_WINDOW_DIMS], after[OPEVO_I_WINDOW_DIMS]; /* padding */
    int64_t in[OPEVO_I_WINDOW_DIMS], out[OPEVO_I_WINDOW_DIMS];
} opevo_i_net_window;

/* The window of a node. Errors: INVALID. */
opevo_status opevo_i_net_window_of(const opevo_i_net_call *call, opevo_i_net_window *w,
                                   opevo_error *err);
/* The input channel of the sum's index c, for output channel a1: c + first channel of its group. */
void opevo_i_net_window_channel(const opevo_i_net_call *call, int64_t groups, char *out,
                                size_t size);
/* "NAME[a0:1, a1:4, ...] = ", of the axes of the output. */
void opevo_i_net_window_result(const opevo_i_net_call *call, const char *name, opevo_text *out);
/* "REDUCER(c:4, k0:3, ...) "; without c for 0 channels. */
void opevo_i_net_window_over(const opevo_i_net_window *w, const char *reducer, int64_t channels,
                             opevo_text *out);
/* "Y0[...] = C[...] + X2[a1]" */
void opevo_i_net_window_bias(const opevo_i_net_call *call, opevo_text *out);
/* Shape of the output of a convolution or a pool, whose type is that of the input. Errors:
 * INVALID. */
opevo_status opevo_i_net_window_infer(const opevo_i_net_call *call, opevo_error *err);
/* Append strides, dilations and padding before, of three dimensions each. Errors: INVALID;
 * NOMEM. */
opevo_status opevo_i_net_window_take(const opevo_i_net_call *call, opevo_network_routine *out,
                                     opevo_error *err);
/* The types of a product of integers, with scales for a QLinear operator; zeros and scales are
 * one number, those of weights may be one a channel. Errors: INVALID. */
opevo_status opevo_i_net_quantized_check(const opevo_i_net_call *call, bool linear, int64_t columns,
                                         opevo_error *err);

#endif
