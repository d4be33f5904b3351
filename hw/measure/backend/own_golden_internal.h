/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Golden results that a harness says itself. */

#ifndef OPEVO_OWN_GOLDEN_INTERNAL_H
#define OPEVO_OWN_GOLDEN_INTERNAL_H

#include <opevo/kernel_harness.h>

/* Where its reference is a computation or files, put the results of case i of what is tuned, whose
 * buffers hold their inputs; otherwise do nothing. Errors: those of the computation and of the
 * files; MISMATCH for tensors and files that do not fit the buffers. */
opevo_status opevo_i_own_say_golden(opevo_golden *golden, const opevo_harness *harness, size_t i,
                                    opevo_case *what, opevo_error *err);

#endif
