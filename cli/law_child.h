/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The law of a child of given parents, for the verb `law`. */

#ifndef OPEVO_CLI_LAW_CHILD_H
#define OPEVO_CLI_LAW_CHILD_H

#include "options_internal.h"

/* Print the law of a child of the parents in --parents, on the space that the call names. */
opevo_status opevo_i_cli_law_child(const opevo_call *call, opevo_text *out, opevo_error *err);

#endif
