/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a user names: parameters and spaces. */

#ifndef OPEVO_CLI_SPACE_SPEC_INTERNAL_H
#define OPEVO_CLI_SPACE_SPEC_INTERNAL_H

#include <opevo/space.h>

/* A parameter needs a name, and sentences about it begin with that; but a user who wrote only
 * "factor(8,3)" gave none. Such a parameter is called x, and this is the sentence without it. */
const char *opevo_i_cli_unnamed(const char *message);
/* A parameter from text such as "factor(8,3)"; topology may be NULL. */
opevo_status opevo_i_cli_parameter_of(const char *text, const char *topology, opevo_parameter **out,
                                      opevo_error *err);
/* A space by a parameter ("factor(8,3)"), an operator, a space file, "recorded:[FILE]" or
 * "only-recorded:[FILE]". */
opevo_status opevo_i_cli_space_of(const char *what, opevo_space **out, opevo_error *err);

#endif
