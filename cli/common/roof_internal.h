/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The measured roof of a device: what multiply-adds of floats in registers, and a copy of 64 MiB in
 * memory, reach on it. Source: Williams, Waterman, Patterson, "Roofline: an insightful visual
 * performance model for multicore architectures", 2009. */

#ifndef OPEVO_CLI_ROOF_INTERNAL_H
#define OPEVO_CLI_ROOF_INTERNAL_H

#include <opevo/objective.h>
#include <opevo/text.h>

#include "measured_internal.h"

/* What was measured before on a device, as its worker describes it, in "GFLOP/s" or "GB/s"; 0 where
 * nothing was, and for other units. Hook of tests. */
double opevo_i_cli_roof_known(const char *device, unsigned threads, const char *unit);
/* The roof for kernels of the user that have been measured, 0 for those without "flop" and
 * "bytes", in the interpreter, or on several devices. It is measured once for each device, of
 * this host alone (`here`), and kept in the user's cache folder; again where a kernel of this
 * fitness exceeds one of multiply-adds. Cost: then seconds. */
double opevo_i_cli_roof_of(opevo_objective *objective, const char *on, double fitness, bool here);
/* Operations a second that multiply-adds reach on a device of this host: the most of all that were
 * measured there, now or earlier; 0 where they cannot be. Cost: seconds. */
double opevo_i_cli_roof_peak(const char *on, unsigned threads);
/* That of a stored run of such kernels, where it was measured here before: on the device of all its
 * workers. */
double opevo_i_cli_roof_of_run(const opevo_run_info *info, const opevo_i_cli_measured *measured);
/* "43.2 % of the 88.1 GFLOP/s that ... reach on the device (estimated)", a line; nothing
 * without a roof. */
void opevo_i_cli_roof_print(double roof, double fitness, const char *unit, opevo_text *out);
/* "roof" and "share_of_roof" of the JSON object being written; nothing without a roof. */
void opevo_i_cli_roof_print_json(double roof, double fitness, opevo_text *out);

/* The harness and the source of the kernels for a device; release both. Errors: NOMEM. */
typedef struct opevo_i_cli_roof_kernel {
    const char *unit, *ending; /* ".c", ".cl" or ".cu" */
    uint64_t cores;            /* of the device */
    uint64_t work, bytes;      /* multiply-adds of a work item, a multiple of 192 below 2^24; of the
                                  copy */
} opevo_i_cli_roof_kernel;
/* Hook of tests. */
opevo_status opevo_i_cli_roof_texts(const opevo_i_cli_roof_kernel *what, opevo_text *harness,
                                    opevo_text *source, opevo_error *err);

/* Embedded. */
extern const char opevo_i_cli_roof_harness[], opevo_i_cli_roof_kernels_c[],
    opevo_i_cli_roof_kernels_cl[], opevo_i_cli_roof_kernels_cu[];

#endif
