/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels whose edits are searched or applied: their options, and the evolver that a call names. */

#ifndef OPEVO_EVOLVER_OF_CALL_INTERNAL_H
#define OPEVO_EVOLVER_OF_CALL_INTERNAL_H

#include "options_internal.h"

#include <opevo/evolver.h>

#define OPEVO_I_WITH_CHECKS "of checks: races, warp-sync, uninitialised, costs; of GPUs: machine"
#define OPEVO_I_WITH_EDITS "of edits: move, const-one, order, crossover, initial; "

/* Rows of a verb; `with` says which settings it has. */
#define OPEVO_I_EVOLVER_OPTIONS(with)                                                              \
    {"harness", "FILE", "harness of the kernel (default: KERNEL.json beside KERNEL.ll)", false},   \
        {"on", "MACHINE",                                                                          \
         "what runs variants: simt, the interpreter (default), cpu, cuda:N, hip:N or opencl:N",    \
         false},                                                                                   \
        {"with", "KEY=VALUE", with, true},                                                         \
        {"jobs", "N", "worker processes (default: all cores, or 1 where times are measured)",      \
         false},                                                                                   \
    {                                                                                              \
        "timeout", "S", "time limit of one evaluation (default 60 s)", false                       \
    }

/* The row of that name; NULL for an unknown name. */
const opevo_option *opevo_i_cli_evolver_option(const char *name);

/* What the evolver is opened for. */
typedef enum opevo_i_cli_evolver_use {
    OPEVO_I_EDITS_READ,    /* given lists; without a harness nothing is evaluated */
    OPEVO_I_EDITS_TRIED,   /* given lists, on the cases of a harness */
    OPEVO_I_EDITS_SEARCHED /* edits are drawn, too */
} opevo_i_cli_evolver_use;

/* Open a kernel with the options above; one of opevo's needs no path. Errors: INVALID and IO naming
 * file or option, also for a setting that such a use does not have and a missing harness. */
opevo_status opevo_i_cli_evolver_of_call(const opevo_call *call, const char *name,
                                         opevo_i_cli_evolver_use use, opevo_evolver **out,
                                         opevo_error *err);

#endif
