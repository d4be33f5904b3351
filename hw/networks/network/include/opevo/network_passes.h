/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Passes over the steps of a network: each replaces steps by fewer or cheaper ones that compute the
 * same. Each may be run on its own, and more than once. docs/networks.md describes them. */

#ifndef OPEVO_NETWORK_PASSES_H
#define OPEVO_NETWORK_PASSES_H

#include <opevo/network_inference.h>

#include <stdint.h>

OPEVO_BEGIN_C

typedef struct opevo_network_pass {
    const char *name;
    const char *summary; /* what it does, in one line */
    /* Change the steps. After an error they may be destroyed only. Errors: INVALID for definitions
     * that are spoilt; NOMEM. */
    opevo_status (*run)(opevo_network_inference *inference, opevo_error *err);
} opevo_network_pass;

/* All, in the order in which they are run. */
const opevo_network_pass *opevo_network_passes(size_t *count);

#define OPEVO_NETWORK_ALL_PASSES UINT32_MAX

/* Bit i stands for pass i of the table; `names` have commas between. Errors: INVALID for another
 * name; NOMEM. */
opevo_status opevo_network_passes_named(const char *names, uint32_t *mask, opevo_error *err);

/* Run the passes of the mask, in the order of the table. Errors: those of a pass. */
opevo_status opevo_network_inference_pass(opevo_network_inference *inference, uint32_t mask,
                                          opevo_error *err);

/* Bytes of what steps make and others read, without the outputs of the network, constants and
 * views. Errors: NOMEM. */
opevo_status opevo_network_inference_intermediate_bytes(const opevo_network_inference *inference,
                                                        double *out, opevo_error *err);

OPEVO_END_C

#endif
