/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels of the user, as a call names them. */

#ifndef OPEVO_CLI_OWN_OF_CALL_INTERNAL_H
#define OPEVO_CLI_OWN_OF_CALL_INTERNAL_H

#include <opevo/kernel.h>

#include "options_internal.h"

/* Whether what is tuned is a source with a harness: by its name, or as the call says so. */
bool opevo_i_cli_is_own(const opevo_call *call, const char *what);
/* Whether it is a tuning problem of Kernel Tuner with its kernel, FILE.json. */
bool opevo_i_cli_is_t1(const char *what);
/* Where they are to run. */
typedef struct opevo_i_cli_own_device {
    const char *name; /* as --on names it */
    opevo_kernel_dialect dialect;
    bool any;   /* sources in any language */
    bool calls; /* C functions are called; else kernels are launched */
    unsigned threads;
} opevo_i_cli_own_device;

/* The maker of its kernels. Errors: those of opevo_own_kernels_open; INVALID for a language that
 * the device does not take. */
opevo_status opevo_i_cli_own_of_call(const opevo_call *call, const char *what,
                                     const opevo_i_cli_own_device *device, const char *space,
                                     opevo_kernel_maker **out, opevo_error *err);

#endif
