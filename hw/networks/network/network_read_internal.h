/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Inside of the reader of models. */

#ifndef OPEVO_NETWORK_READ_INTERNAL_H
#define OPEVO_NETWORK_READ_INTERNAL_H

#include "network_internal.h"

/* While reading: values by name. */
typedef struct opevo_i_net_reader {
    opevo_network *network;
    int *sorted; /* numbers of the first `known` values, by name */
    int known;
    opevo_network_given given;
    double folded_work; /* of the constants that were computed */
} opevo_i_net_reader;

/* A sentence behind the path of the model; returns `status`. */
opevo_status opevo_i_net_reader_fail(const opevo_i_net_reader *self, opevo_status status,
                                     opevo_error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Sort the values that there are by name, each of which must be the only one. Errors: INVALID. */
opevo_status opevo_i_net_reader_sort(opevo_i_net_reader *self, opevo_error *err);
/* The number of a value that was there when names were sorted, -1 for an unknown name. */
int opevo_i_net_reader_find(const opevo_i_net_reader *self, const char *name);

/* The nodes, in an order in which each reads what is there, and the shapes of what they compute;
 * all values are there. Errors: INVALID; NOMEM. */
opevo_status opevo_i_net_read_nodes(opevo_i_net_reader *self, opevo_error *err);

#endif
