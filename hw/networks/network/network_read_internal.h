/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Inside of the reader of models.
 *
 * Nodes are read in order. Each is bound to the values that it reads, shapes are inferred, and what
 * depends on constants is computed at once. So graphs in attributes, functions of the model and
 * operators that stand for several others become nodes as they are met: the branch of an If whose
 * condition is known, the body of a Loop as often as it runs. */

#ifndef OPEVO_NETWORK_READ_INTERNAL_H
#define OPEVO_NETWORK_READ_INTERNAL_H

#include "network_internal.h"

#include <limits.h>

/* What a name stands for: the number of a value, or one of a sequence. */
enum {
    OPEVO_I_NET_OMITTED = -1,
    OPEVO_I_NET_SEQUENCE = -2,    /* and below: that of sequence -2 - binding */
    OPEVO_I_NET_UNNAMED = INT_MIN /* unknown */
};

/* Bindings by name. Names are borrowed. */
typedef struct opevo_i_net_names {
    struct opevo_i_net_name {
        const char *name; /* NULL: a free slot */
        int binding;
    } * slot;
    size_t slots, count;
} opevo_i_net_names;

int opevo_i_net_names_get(const opevo_i_net_names *self, const char *name); /* UNNAMED: unknown */
/* Insert, or replace the binding. Errors: NOMEM. */
opevo_status opevo_i_net_names_put(opevo_i_net_names *self, const char *name, int binding,
                                   opevo_error *err);
void opevo_i_net_names_free(opevo_i_net_names *self);

/* A graph while it is read. */
typedef struct opevo_i_net_scope {
    const struct opevo_i_net_scope *outer; /* whose names are seen as well; NULL: none */
    opevo_i_net_names names;
    const char *prefix; /* of the names of its values; "" for the graph of the model */
    const char *called; /* of the names of its nodes; a branch has that of the graph around it */
    /* Of a function: what attributes of its nodes may refer to; NULL otherwise. */
    const Onnx__Node *call;
    const Onnx__Function *function;
    int64_t opset;
    int depth;      /* of calls and graphs in each other */
    bool is_branch; /* of an If whose condition is not known: what cannot be computed is unknown */
} opevo_i_net_scope;

/* Tensors that a name stands for together; none for an empty optional. */
typedef struct opevo_i_net_sequence {
    int *item; /* bindings */
    int count;
    bool is_optional; /* an optional without an element */
} opevo_i_net_sequence;

typedef struct opevo_i_net_reader {
    opevo_network *network;
    opevo_i_net_scope main;
    opevo_network_given given;
    double folded_work;                                 /* of the constants that were computed */
    char *unknown;                                      /* why a tensor of a branch is not known */
    size_t value_room, node_room, text_room, made_room; /* in the network */
    size_t text_bytes;                                  /* of the names in the network */
    opevo_i_net_sequence *sequence;
    int sequences;
    int graphs;            /* how many have been read, for names */
    unsigned char *called; /* functions whose operators are checked */
    /* Read the nodes of a graph in their order (network_read_nodes.c). */
    opevo_status (*read_all)(struct opevo_i_net_reader *self, opevo_i_net_scope *scope,
                             Onnx__Node *const *node, size_t count, opevo_error *err);
} opevo_i_net_reader;

/* A sentence behind the path of the model; returns `status`. */
opevo_status opevo_i_net_reader_fail(const opevo_i_net_reader *self, opevo_status status,
                                     opevo_error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* A sentence about a node that is not yet in the network. */
opevo_status opevo_i_net_reader_fail_node(const opevo_i_net_reader *self, const Onnx__Node *source,
                                          opevo_status status, const char *sentence,
                                          opevo_error *err);
/* The number of a value of the graph of the model, -1 for an unknown name. */
int opevo_i_net_reader_find(const opevo_i_net_reader *self, const char *name);
/* A new value; the name is borrowed. Errors: NOMEM. */
opevo_status opevo_i_net_reader_add(opevo_i_net_reader *self, const char *name, int *out,
                                    opevo_error *err);
/* A text that lives as long as the network. Errors: INVALID where all are too long; NOMEM. */
opevo_status opevo_i_net_reader_keep(opevo_i_net_reader *self, opevo_text *text, const char **out,
                                     opevo_error *err);
/* Before nodes of a graph or function are read: what names of theirs begin with. Errors: INVALID
 * where too many have been read; NOMEM. */
opevo_status opevo_i_net_reader_start(opevo_i_net_reader *self, const char *outer, const char *word,
                                      const char **prefix, opevo_error *err);
/* Take a node, which the network releases, also after a failure. */
opevo_status opevo_i_net_reader_own(opevo_i_net_reader *self, Onnx__Node *node, opevo_error *err);
/* A sequence of `count` bindings with room for them, to be filled in. Errors: NOMEM. */
opevo_status opevo_i_net_reader_sequence(opevo_i_net_reader *self, int count, int *binding,
                                         int **item, opevo_error *err);
void opevo_i_net_reader_free(opevo_i_net_reader *self); /* not the network */

/* All nodes, and the shapes of what they compute. Errors: INVALID; NOMEM. */
opevo_status opevo_i_net_read_nodes(opevo_i_net_reader *self, opevo_error *err);

/* ---- Inputs and outputs (network_inputs.c, network_outputs.c) ---- */

/* Whether an input or output is a sequence or an optional. */
bool opevo_i_net_is_list(const Onnx__ValueInfo *info);
/* The type of its tensors; NULL: it has none that opevo reads. */
const Onnx__TensorType *opevo_i_net_tensor_type(const Onnx__ValueInfo *info);
opevo_status opevo_i_net_take_inputs(opevo_i_net_reader *self, opevo_error *err);
opevo_status opevo_i_net_take_outputs(opevo_i_net_reader *self, opevo_error *err);
/* Whether the declared types are those that nodes compute. Errors: INVALID. */
opevo_status opevo_i_net_check_outputs(const opevo_i_net_reader *self, opevo_error *err);
/* How large the outputs are whose size depends on data, as outputs of their own. */
opevo_status opevo_i_net_add_counts(opevo_i_net_reader *self, opevo_error *err);
/* Make each tensor of an output that is a sequence an output of the network. Errors: NOMEM. */
opevo_status opevo_i_net_spread_outputs(opevo_i_net_reader *self, opevo_error *err);

/* ---- Memory of models that run while they are read (network_release.c) ---- */

/* Free the data of a value, unless it is an output or in a sequence; negative: nothing. */
void opevo_i_net_release(const opevo_i_net_reader *self, int number);
/* The same of all values from number `first` on that are not in a list. */
void opevo_i_net_release_since(const opevo_i_net_reader *self, int first, const int *kept,
                               size_t count);
/* The place, in the order of `place`, of the last node that reads each name. Errors: NOMEM. */
opevo_status opevo_i_net_find_last(const opevo_i_net_reader *self, Onnx__Node *const *node,
                                   const int *place, size_t count, opevo_i_net_names *last,
                                   opevo_error *err);
/* After the node at that place has been read, what it reads for the last time, and those of its
 * results that nobody reads. */
void opevo_i_net_release_read(opevo_i_net_reader *self, const opevo_i_net_scope *scope,
                              const Onnx__Node *node, int at, const opevo_i_net_names *last);

/* ---- Graphs (network_graph.c) ---- */

/* An order in which each node comes after those that make what it, or a graph in it, reads. Errors:
 * INVALID; NOMEM. */
opevo_status opevo_i_net_graph_order(const opevo_i_net_reader *self, Onnx__Node *const *node,
                                     size_t count, int *place, opevo_error *err);
/* Name all operators that opevo does not know at once, as far as a message goes. */
opevo_status opevo_i_net_check_operators(opevo_i_net_reader *self, opevo_error *err);
/* The number of the model's function of this operator; -1: none. */
int opevo_i_net_function_of(const opevo_i_net_reader *self, const Onnx__Node *source);

/* ---- Nodes in scopes (network_append.c) ---- */

/* What a name stands for; UNNAMED if it is unknown. */
int opevo_i_net_scope_find(const opevo_i_net_scope *scope, const char *name);
/* Append a node with these values to the network; all of `out` are new, and computed as far as they
 * are constant. */
opevo_status opevo_i_net_append(opevo_i_net_reader *self, const opevo_i_net_scope *scope,
                                const Onnx__Node *source, const int *in, int ins, const int *out,
                                int outs, opevo_error *err);

/* ---- What stands for other nodes ---- */

/* A node that is being replaced by others: its bindings, and where its results go. Functions below
 * do nothing after a failure. */
typedef struct opevo_i_net_builder {
    opevo_i_net_reader *reader;
    opevo_i_net_scope *scope;
    const Onnx__Node *source;
    const int *in; /* bindings; OMITTED if absent */
    int ins, outs;
    int target; /* the value that the next node makes; OMITTED: a new one */
    opevo_status status;
    opevo_error *err;
} opevo_i_net_builder;

/* Fail with a sentence about the node that is replaced. */
void opevo_i_net_build_fail(opevo_i_net_builder *self, const char *sentence);
/* A node of the standard, opset 24, with one output; returns its binding.
 *
 *   attributes  "axis=-1 axes=0,1, epsilon=1e-5 mode='edge'": a comma makes a list, a point or an
 *               exponent a float; NULL: none */
int opevo_i_net_build(opevo_i_net_builder *self, const char *operation, const char *attributes,
                      int ins, const int *in);
int opevo_i_net_build_one(opevo_i_net_builder *self, const char *operation, const char *attributes,
                          int in);
int opevo_i_net_build_two(opevo_i_net_builder *self, const char *operation, const char *attributes,
                          int a, int b);
/* With the attributes of the node that is replaced, but those whose names begin with `without`, or
 * the one of "NAME=" (NULL: all). */
int opevo_i_net_build_like(opevo_i_net_builder *self, const char *operation, const char *without,
                           int ins, const int *in);
int opevo_i_net_build_reshape(opevo_i_net_builder *self, int in, int dims, const int64_t *extent);
int opevo_i_net_build_floats(opevo_i_net_builder *self, int dims, const int64_t *extent,
                             float **out); /* to be filled in; *out is NULL after a failure */
int opevo_i_net_build_whole(opevo_i_net_builder *self, int64_t number); /* int64, no dimensions */
int opevo_i_net_build_wholes(opevo_i_net_builder *self, int count, const int64_t *numbers);
int opevo_i_net_build_number(opevo_i_net_builder *self, double number); /* float32 */
int opevo_i_net_build_bool(opevo_i_net_builder *self, bool yes);
/* The array behind a binding of a tensor; NULL otherwise. */
const opevo_array *opevo_i_net_build_array(const opevo_i_net_builder *self, int binding);
/* One constant whole number; fails without. */
int64_t opevo_i_net_build_known(opevo_i_net_builder *self, int binding, const char *what);
/* The next node makes output `i`; false if nobody reads it. */
bool opevo_i_net_build_next(opevo_i_net_builder *self, int i);
/* Let output `i` of the node be what is bound. */
void opevo_i_net_build_output(opevo_i_net_builder *self, int i, int binding);
/* A sequence of `count` bindings, to be filled in; *item is NULL after a failure. */
int opevo_i_net_build_sequence(opevo_i_net_builder *self, int count, int **item);
/* What a binding of one stands for; NULL, and a failure, otherwise. */
const opevo_i_net_sequence *opevo_i_net_build_items(opevo_i_net_builder *self, int binding);
/* The value that output `i` is, to be the target; OMITTED if nobody reads it. */
int opevo_i_net_build_target(opevo_i_net_builder *self, int i);
int opevo_i_net_build_input(const opevo_i_net_builder *self, int i); /* OMITTED if absent */
const Onnx__Attribute *opevo_i_net_build_attribute(const opevo_i_net_builder *self,
                                                   const char *name);
bool opevo_i_net_build_is(const opevo_i_net_builder *self, const char *name, const char *text);
int64_t opevo_i_net_build_int(const opevo_i_net_builder *self, const char *name, int64_t absent);
double opevo_i_net_build_float(const opevo_i_net_builder *self, const char *name, double absent);

/* Operators that are replaced, by family, each ended by a row without a name. */
typedef struct opevo_i_net_form {
    const char *name;                            /* "domain.Operator" of other domains */
    int inputs_least, inputs_most, outputs_most; /* a most of 0: any number */
    void (*build)(opevo_i_net_builder *self);
} opevo_i_net_form;
extern const opevo_i_net_form opevo_i_net_control[], opevo_i_net_sequences[],
    opevo_i_net_transformers[], opevo_i_net_fused[], opevo_i_net_scaled[], opevo_i_net_losses[],
    opevo_i_net_signal[], opevo_i_net_composed[];
/* All of them, and NULL. Hook of tests. */
extern const opevo_i_net_form *const opevo_i_net_forms[];
/* That of a node; NULL: none. */
const opevo_i_net_form *opevo_i_net_form_of(const Onnx__Node *source);
/* Read a node that one of these, or a function, stands for. */
opevo_status opevo_i_net_expand(opevo_i_net_reader *self, opevo_i_net_scope *scope,
                                const Onnx__Node *source, const opevo_i_net_form *form,
                                opevo_error *err);
/* Read a call of a function of the model. */
opevo_status opevo_i_net_read_call(opevo_i_net_reader *self, opevo_i_net_scope *scope,
                                   const Onnx__Node *source, opevo_error *err);
/* A copy, to be released by protobuf-c. NULL without memory. */
Onnx__Node *opevo_i_net_copy_node(const Onnx__Node *from);
/* The node of a function with the attributes that it refers to, those of the call. */
opevo_status opevo_i_net_resolve(opevo_i_net_reader *self, const opevo_i_net_scope *scope,
                                 const Onnx__Node *source, const Onnx__Node **out,
                                 opevo_error *err);

/* ---- Inputs that are bound ---- */

/* What an input is bound to, "16000"; NULL: it is not (network_bindings.c). */
const char *opevo_i_net_binding_of(const opevo_i_net_reader *self, const char *name);
/* Make it a constant of that value. Errors: INVALID; IO; NOMEM. */
opevo_status opevo_i_net_bind(const opevo_i_net_reader *self, const Onnx__ValueInfo *info,
                              const char *text, opevo_network_value *value, opevo_error *err);

/* Whether graphs in attributes of graphs lie at most so deep that a model can be unpacked
 * (network_depth.c). */
bool opevo_i_net_is_shallow(const void *bytes, size_t size);

#endif
