/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The proofs of a stored run. */

#ifndef OPEVO_CLI_KERNELS_READ_INTERNAL_H
#define OPEVO_CLI_KERNELS_READ_INTERNAL_H

#include "kernels_of_run_internal.h"

/* They are compared where the objective of the run can be opened here, of the point `only`, or of
 * all where it is NULL. Errors: those of opevo_store_get_proofs; NOMEM. */
opevo_status opevo_i_cli_kernels_read(opevo_store *store, const opevo_run_info *info,
                                      const opevo_index *only, opevo_i_cli_kernels *out,
                                      opevo_error *err);

#endif
