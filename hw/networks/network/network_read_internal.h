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
    size_t main_nodes;  /* of the file; those behind them are of branches */
    char *unknown;      /* why a tensor of a branch is not known */
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

/* What an input is bound to, "16000"; NULL: it is not (network_bindings.c). */
const char *opevo_i_net_binding_of(const opevo_i_net_reader *self, const char *name);
/* Make it a constant of that value. Errors: INVALID; IO; NOMEM. */
opevo_status opevo_i_net_bind(const opevo_i_net_reader *self, const Onnx__ValueInfo *info,
                              const char *text, opevo_network_value *value, opevo_error *err);

/* Whether graphs in attributes of graphs lie at most so deep that a model can be unpacked
 * (network_branches.c). */
bool opevo_i_net_is_shallow(const void *bytes, size_t size);
/* Branches of If as nodes behind those of the file, and a node If with three inputs for each of
 * their outputs. Errors: INVALID; NOMEM. */
opevo_status opevo_i_net_expand_branches(opevo_i_net_reader *self, opevo_error *err);

#endif
