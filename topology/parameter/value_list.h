/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A list of different values with fast look-up: what discrete, categorical and graph hold. */

#ifndef OPEVO_VALUE_LIST_H
#define OPEVO_VALUE_LIST_H

#include "parameter_internal.h"

typedef struct opevo_i_topology_value_list {
    opevo_value *values;
    size_t count;
    uint32_t *order; /* positions in increasing order of value; NULL: the values increase */
    char *texts;     /* what the texts among the values borrow */
} opevo_i_topology_value_list;

/* Copy values and their texts; `sort` puts them in increasing order. Start from {0}; after a
 * failure the list is to be released all the same. Errors: INVALID for two equal values, LIMIT
 * above 2^32 - 1 of them, NOMEM; `name` is the parameter's, for the sentence. */
opevo_status opevo_i_topology_value_list_init(opevo_i_topology_value_list *list,
                                              const opevo_value *values, size_t count, bool sort,
                                              const char *name, opevo_error *err);
void opevo_i_topology_value_list_release(opevo_i_topology_value_list *list);

/* A parameter of one component whose values are such a list: the base of discrete, categorical and
 * graph. The functions are those of a type's table. */
typedef struct opevo_i_topology_listed {
    opevo_parameter super;
    opevo_i_topology_value_list list;
} opevo_i_topology_listed;

/* Errors: INVALID for no values; as opevo_i_topology_value_list_init. */
opevo_status opevo_i_topology_listed_create(const opevo_parameter_spec *spec, bool sort,
                                            opevo_parameter **out, opevo_error *err);
void opevo_i_topology_listed_destroy(opevo_parameter *self);
void opevo_i_topology_listed_value(const opevo_parameter *self, opevo_index vertex,
                                   opevo_value *components);
bool opevo_i_topology_listed_find(const opevo_parameter *self, const opevo_value *components,
                                  opevo_index *vertex);
uint64_t opevo_i_topology_listed_hash(const opevo_parameter *self, uint64_t start);

#endif
