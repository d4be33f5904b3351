/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a parameter type gives to the parameters of that type: one constant table of functions, and
 * one row for each of its topologies. docs/how-to/add-a-parameter-type.md walks through a new
 * one. */

#ifndef OPEVO_PARAMETER_INTERNAL_H
#define OPEVO_PARAMETER_INTERNAL_H

#include <opevo/parameter.h>

typedef struct opevo_i_topology {
    const char *name;
    bool has_step; /* written name(k) with an integer k >= 1, kept in opevo_parameter.step */
    /* Shape of the graph; NULL: general. */
    opevo_family (*family)(const opevo_parameter *self);
    opevo_index (*degree)(const opevo_parameter *self, opevo_index vertex);
    opevo_index (*neighbour)(const opevo_parameter *self, opevo_index vertex, opevo_index k);
    /* All neighbours in the order of k; NULL: one call of `neighbour` for each. */
    void (*neighbours)(const opevo_parameter *self, opevo_index vertex, opevo_index *out);
    /* Set the metrics that have a formula and their bits in `known`; NULL: none has. */
    void (*measure)(const opevo_parameter *self, opevo_parameter_metrics *metrics);
} opevo_i_topology;

typedef struct opevo_i_topology_type {
    opevo_type_info info;
    const char *alias; /* another accepted name, or NULL */
    const opevo_i_topology *topologies;
    size_t topology_count;
    bool is_tuple; /* a value is a tuple, even of one component; in JSON it is an array */
    bool is_list;  /* the values stand in the specification; described by the vertices in order */
    bool is_path;  /* in text the parentheses hold one path, commas included */
    /* Make an object of the type's own struct, which starts with an opevo_parameter; set its size
     * and arity. The caller fills in the rest. On failure nothing is left. */
    opevo_status (*create)(const opevo_parameter_spec *spec, opevo_parameter **out,
                           opevo_error *err);
    void (*destroy)(opevo_parameter *self); /* what `create` made, the object included */
    void (*value)(const opevo_parameter *self, opevo_index vertex, opevo_value *components);
    bool (*find)(const opevo_parameter *self, const opevo_value *components, opevo_index *vertex);
    /* Why the components are not a value, as the end of a sentence ("its product is 4"); may be
     * NULL. */
    void (*explain)(const opevo_parameter *self, const opevo_value *components, opevo_text *out);
    uint64_t (*hash)(const opevo_parameter *self, uint64_t hash);
} opevo_i_topology_type;

struct opevo_parameter {
    const opevo_i_topology_type *type;
    const opevo_i_topology *topology;
    opevo_index size;
    size_t arity;
    int64_t step; /* k of name(k), or 0 */
    opevo_family family;
    char *name, *text, *topology_text;
    char **component_names; /* NULL, or arity of them */
};

/* By name or alias; NULL if none exists. */
const opevo_i_topology_type *opevo_i_topology_type_find(const char *name);

extern const opevo_i_topology_type opevo_i_topology_categorical_type;
extern const opevo_i_topology_type opevo_i_topology_discrete_type;
extern const opevo_i_topology_type opevo_i_topology_factor_type;
extern const opevo_i_topology_type opevo_i_topology_graph_file_type;
extern const opevo_i_topology_type opevo_i_topology_permutation_type;

/* The row of the complete graph, the same for every type. */
opevo_family opevo_i_topology_complete_family(const opevo_parameter *self);
opevo_index opevo_i_topology_complete_degree(const opevo_parameter *self, opevo_index vertex);
opevo_index opevo_i_topology_complete_neighbour(const opevo_parameter *self, opevo_index vertex,
                                                opevo_index k);
void opevo_i_topology_complete_measure(const opevo_parameter *self,
                                       opevo_parameter_metrics *metrics);
#define OPEVO_I_COMPLETE_TOPOLOGY                                                                  \
    {                                                                                              \
        .name = "complete", .family = opevo_i_topology_complete_family,                            \
        .degree = opevo_i_topology_complete_degree,                                                \
        .neighbour = opevo_i_topology_complete_neighbour,                                          \
        .measure = opevo_i_topology_complete_measure                                               \
    }

/* Metrics of a connected graph in which every vertex has the same degree; edges = size * degree / 2
 * is left unknown when it exceeds 128 bits. */
void opevo_i_topology_regular_measure(const opevo_parameter *self, opevo_index degree,
                                      opevo_index diameter, opevo_parameter_metrics *metrics);

/* As opevo_parameter_print, quoted as a point needs it: see value_text.h. */
void opevo_i_topology_parameter_print_in_point(const opevo_parameter *parameter, opevo_index vertex,
                                               opevo_text *out);

/* The integer that a value is: an integer, or a real number equal to one. */
bool opevo_i_topology_value_integer(opevo_value value, int64_t *out);

/* The `count` positive integers that the specification must hold, each a number or a text such as
 * "2^40"; `usage` names them in the sentence: "factor(C,v) takes 2 positive integers". */
opevo_status opevo_i_topology_positive_arguments(const opevo_parameter_spec *spec,
                                                 const char *usage, int64_t *out, size_t count,
                                                 opevo_error *err);

/* Continue a hash by a text; NULL differs from "". */
uint64_t opevo_i_topology_hash_text(uint64_t hash, const char *text);

#endif
