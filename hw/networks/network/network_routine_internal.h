/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Which routine computes an operator, and its parameters. */

#ifndef OPEVO_NETWORK_ROUTINE_INTERNAL_H
#define OPEVO_NETWORK_ROUTINE_INTERNAL_H

#include <opevo/network_routine.h>

#include "network_internal.h"
#include "routines/routines.h"

/* Append a parameter. Errors: NOMEM. */
opevo_status opevo_i_net_routine_whole(opevo_network_routine *to, int64_t number, opevo_error *err);
opevo_status opevo_i_net_routine_number(opevo_network_routine *to, double number, opevo_error *err);

/* The texts of the folder routines, as they are embedded. */
extern const char opevo_i_net_routine_text_routine_h[], opevo_i_net_routine_text_routines_h[],
    opevo_i_net_routine_text_elements_c[], opevo_i_net_routine_text_places_c[],
    opevo_i_net_routine_text_reduce_c[], opevo_i_net_routine_text_resize_c[],
    opevo_i_net_routine_text_recurrent_c[], opevo_i_net_routine_text_quantized_c[],
    opevo_i_net_routine_text_tiles_h[], opevo_i_net_routine_text_byte_products_c[],
    opevo_i_net_routine_text_byte_windows_c[], opevo_i_net_routine_text_windows_c[],
    opevo_i_net_routine_text_sample_c[], opevo_i_net_routine_text_einsum_c[],
    opevo_i_net_routine_text_select_c[];

#endif
