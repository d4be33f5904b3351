/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a user names: computations. */

#ifndef OPEVO_CLI_COMPUTATION_SPEC_INTERNAL_H
#define OPEVO_CLI_COMPUTATION_SPEC_INTERNAL_H

#include <opevo/workload.h>

/* A computation by a file ("@FILE" or a path), a name, an operator or a text
 * (computation_spec.c). */
opevo_status opevo_i_cli_computation_of(const char *what, opevo_computation **out,
                                        opevo_error *err);
/* The same for what kernels compute: operators stay operators, also beside a file of that name. */
opevo_status opevo_i_cli_workload_of(const char *what, opevo_workload **out, opevo_error *err);
/* The path that is read for it; NULL: none. */
const char *opevo_i_cli_workload_file(const char *what);
/* An operator, for `user` ("--on sim:mi50"), who takes no other computations. */
opevo_status opevo_i_cli_operator_of(const char *what, const char *user, opevo_operator *out,
                                     opevo_error *err);

#endif
