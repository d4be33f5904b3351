/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Inside networks of dynamic sizes: readings that are compared step by step. */

#ifndef OPEVO_NETWORK_DYNAMIC_INTERNAL_H
#define OPEVO_NETWORK_DYNAMIC_INTERNAL_H

#include <opevo/network_dynamic.h>
#include <opevo/text.h>

/* Whether readings 0 to points - 1 are the same but for numbers that are forms, and the definitions
 * of reading 0 with names of their free axes. Errors: INVALID; NOMEM. */
opevo_status opevo_i_net_dynamic_compare(opevo_network_dynamic *self, opevo_error *err);

/* The same of a step of definitions (network_dynamic_axes.c); `why` receives the reason. */
opevo_status opevo_i_net_dynamic_axes(opevo_network_dynamic *self, int step, opevo_text *why,
                                      opevo_error *err);

/* The number that `at` gives for each reading; false where it is not a form. */
typedef int64_t (*opevo_i_net_dynamic_number)(const void *context, int reading);
bool opevo_i_net_dynamic_form(const opevo_network_dynamic *self, opevo_i_net_dynamic_number at,
                              const void *context, opevo_network_form *out);

/* Whether a form of an extent is at no sizes of the ranges larger than at the largest, which memory
 * and kernels are made for, nor below 0. */
bool opevo_i_net_dynamic_is_most(const opevo_network_dynamic *dynamic,
                                 const opevo_network_form *form);

#endif
