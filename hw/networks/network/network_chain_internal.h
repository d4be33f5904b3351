/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Nodes with more inputs than a computation takes. */

#ifndef OPEVO_NETWORK_CHAIN_INTERNAL_H
#define OPEVO_NETWORK_CHAIN_INTERNAL_H

#include "network_internal.h"

enum { OPEVO_I_CHAIN_INPUTS = 15 }; /* a node with more becomes several steps */

/* How many steps a node takes at most; 1: it is not such a node. */
int opevo_i_net_chain_links(const opevo_network *network, int number);
/* Add the steps; there is room for them. Errors: those of definitions. */
opevo_status opevo_i_net_chain_add(opevo_network_inference *inference, int number,
                                   opevo_i_net_definitions *known, opevo_error *err);

#endif
