/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the diagram of a space says, for the verb `space`. */

#ifndef OPEVO_CLI_SPACE_FACTS_H
#define OPEVO_CLI_SPACE_FACTS_H

#include <opevo/space.h>

/* Nodes and bytes of the diagram, values that no allowed point has, constraints that exclude
 * nothing; or why there is no diagram. For a restricted space. Errors: NOMEM. */
opevo_status opevo_i_cli_space_facts_print(const opevo_space *space, opevo_text *out,
                                           opevo_error *err);
opevo_status opevo_i_cli_space_facts_print_json(const opevo_space *space, opevo_text *out,
                                                opevo_error *err);
/* The share of the allowed points for each value of a parameter, or each pair of values of two,
 * "A" or "A,B", that any has. Errors: INVALID for an unknown name; LIMIT; NOMEM. */
opevo_status opevo_i_cli_space_shares_print(const opevo_space *space, const char *names,
                                            opevo_text *out, opevo_error *err);

#endif
