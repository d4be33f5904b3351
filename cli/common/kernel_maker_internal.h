/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What makes kernels, by the names of devices, templates and objectives. */

#ifndef OPEVO_CLI_KERNEL_MAKER_INTERNAL_H
#define OPEVO_CLI_KERNEL_MAKER_INTERNAL_H

#include <opevo/kernel.h>

/* opevo_live_dialect of what --on names. Errors: INVALID. */
opevo_status opevo_i_cli_device_of(const char *device, opevo_kernel_dialect *out, opevo_error *err);

/* The template that makes kernels of an operator or computation; what none makes has one sentence
 * here. Errors: INVALID, LIMIT, NOMEM. */
opevo_status opevo_i_cli_find_maker(const opevo_workload *work, const char *name, bool sketches,
                                    opevo_kernel_dialect dialect, unsigned threads,
                                    opevo_kernel_maker **out, opevo_error *err);

/* By the name of an objective, such as "cpu:sketch gmm(1,512,512,512) threads=4", with its device.
 * Errors: MISMATCH for the name of something else than generated kernels; those of makers. */
enum { OPEVO_I_DEVICE_NAME = 64 };
opevo_status opevo_i_cli_maker_named(const char *name, char device[OPEVO_I_DEVICE_NAME],
                                     opevo_kernel_maker **out, opevo_error *err);

#endif
