/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What operators with windows share, and those of whole numbers with products. */

#ifndef OPEVO_NETWORK_WINDOWS_INTERNAL_H
#define OPEVO_NETWORK_WINDOWS_INTERNAL_H

#include "network_routine_internal.h"

enum { OPEVO_I_WINDOW_CONVOLUTION }; /* the code of a row */

/* Shape of the output of a convolution or a pool; its type is that of the input. Errors: INVALID. */
opevo_status opevo_i_net_window_infer(const opevo_i_net_call *call, opevo_error *err);
/* Append strides, dilations and padding before, of three dimensions each. Errors: INVALID; NOMEM. */
opevo_status opevo_i_net_window_take(const opevo_i_net_call *call, opevo_network_routine *out,
                                     opevo_error *err);
/* The types of a product of whole numbers, with scales for a QLinear operator; zeros and scales are
 * one number, those of weights may be one a channel. Errors: INVALID. */
opevo_status opevo_i_net_quantized_check(const opevo_i_net_call *call, bool linear,
                                         opevo_error *err);

#endif
