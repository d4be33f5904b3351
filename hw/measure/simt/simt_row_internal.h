/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The device "simt" as a row of the table of backends, in a program without LLVM. */

#ifndef OPEVO_SIMT_ROW_INTERNAL_H
#define OPEVO_SIMT_ROW_INTERNAL_H

#include "backend_internal.h"

/* The functions of the device in a program that has them, which sets it before it serves; NULL:
 * that program takes the place of this one when the device is opened. */
extern const opevo_i_backend_ops *opevo_i_simt_whole;

/* As of a backend. */
void opevo_i_simt_list(void (*add)(void *context, const opevo_hardware *row), void *context);
#define OPEVO_I_SIMT_ROW                                                                           \
    .kind = "simt", .dialect = OPEVO_KERNEL_CUDA,                                                  \
    .also = 1 << OPEVO_KERNEL_HIP | 1 << OPEVO_KERNEL_C, .builds = true, .suffix = ".cu",          \
    .list = opevo_i_simt_list, .is_name = opevo_i_backend_is_none

#endif
