/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The finals of a run, by the options of a call, and how they are printed. */

#ifndef OPEVO_CLI_FINALS_OF_CALL_INTERNAL_H
#define OPEVO_CLI_FINALS_OF_CALL_INTERNAL_H

#include <opevo/finals.h>

#include "kernels_of_run_internal.h"
#include "options_internal.h"

/* From --finals, --rounds and --library. */
opevo_status opevo_i_cli_finals_read(const opevo_call *call, const opevo_objective *objective,
                                     opevo_finals **out, opevo_error *err);
/* The interval of a finalist in the unit of results, of which the lower end comes first. */
void opevo_i_cli_finalist_bounds(const opevo_finalist *one, const char *unit, double *low,
                                 double *high);
/* The interval of the median of an outcome's samples, as that of a finalist of this fitness; NAN
 * without samples and below 6. */
void opevo_i_cli_finalist_of_samples(const opevo_outcome *outcome, opevo_finalist *out);
/* Nothing where they did not run. `space` may be NULL: points are then printed as numbers; and so
 * may `kernels`. */
void opevo_i_cli_finals_print(const opevo_finals *finals, const opevo_space *space,
                              const char *unit, const opevo_i_cli_kernels *kernels,
                              opevo_text *out);
/* Likewise as a member "finals" of the JSON object being written; null where they were interrupted.
 */
void opevo_i_cli_finals_print_json(const opevo_finals *finals, const opevo_space *space,
                                   const char *unit, const opevo_i_cli_kernels *kernels,
                                   opevo_text *out);

#endif
