/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Inside the network: its storage, and the contract of an operator. */

#ifndef OPEVO_NETWORK_INTERNAL_H
#define OPEVO_NETWORK_INTERNAL_H

#include <opevo/hash.h>
#include <opevo/network.h>
#include <opevo/network_inference.h>

#include "onnx.pb-c.h"

struct routine_call;
struct opevo_network_routine;

typedef struct opevo_i_net_operator opevo_i_net_operator;

typedef struct opevo_i_net_node {
    opevo_network_node super;
    const Onnx__Node *source;
    const opevo_i_net_operator *row;
    int64_t opset;
    int *edges;     /* the numbers of inputs and outputs */
    bool is_branch; /* it is of a branch: while reading it may be one that cannot be computed */
    bool is_unknown;
} opevo_i_net_node;

struct opevo_network {
    char *path; /* messages begin with it */
    Onnx__Model *model;
    int64_t opset;
    opevo_network_value *value;
    int values;
    opevo_i_net_node *node;
    int nodes;
    int *input, *output;
    int *declared; /* of each output the one of the file that it belongs to */
    int *length;   /* of each output of the file its tensors */
    int inputs, outputs;
    int spread;  /* outputs that belong to one of the file; counts are behind them */
    char **text; /* names that are not in the model */
    size_t texts;
    Onnx__Node **made; /* nodes that are not */
    size_t mades;
};

/* ---- Operators ---- */

/* A node as its operator sees it; `out` is filled in by `infer`. An input that is omitted is NULL,
 * and so is an output. The first output is there, unless outputs_most is 0. */
typedef struct opevo_i_net_call {
    const opevo_i_net_node *node;
    int64_t opset;
    const opevo_network_value *const *in;
    opevo_network_value *const *out;
    int ins, outs;
} opevo_i_net_call;

/* A routine of the folder routines. `take` appends its parameters for a node. */
typedef struct opevo_i_net_routine {
    const char *name;
    const char *(*run)(const struct routine_call *call);
    opevo_status (*take)(const opevo_i_net_call *call, struct opevo_network_routine *out,
                         opevo_error *err);
    double (*need)(const struct routine_call *call); /* see routine.h; NULL: no memory */
} opevo_i_net_routine;

struct opevo_i_net_operator {
    const char *name;
    int since; /* oldest opset whose meaning is this one */
    /* A most of 0 is any number; of inputs with definitions f(f(a, b), c), or a Mean of them; of
     * outputs, the first of which may be omitted then. */
    int inputs_least, inputs_most, outputs_most;
    /* Types and shapes of the outputs; data too, where they are that of an attribute. Messages
     * are sentences without the node, which the caller puts in front. */
    opevo_status (*infer)(const opevo_i_net_call *call, opevo_error *err);
    /* The definitions of float32 outputs. NULL: elements of float32 are moved only, whatever bits
     * they have. Errors: MISMATCH if this node has none; NOMEM. */
    opevo_status (*define)(const opevo_i_net_call *call, opevo_text *out, opevo_error *err);
    /* Fill in the outputs, whose memory is there. NULL: defined only. */
    opevo_status (*move)(const opevo_i_net_call *call, const void *const *in, void *const *out,
                         opevo_error *err);
    int code; /* which of the operators that share the functions */
    /* Attributes up to opset OPEVO_NETWORK_OPSET, with blanks between: "NAME=TYPE", with ":FIRST-"
     * or ":-LAST" if only some opsets have it, and with "!" if a node must have it. NULL: none. */
    const char *attributes;
    /* What computes nodes that have no definitions, also in libraries, where `move` is
     * opevo_i_net_move_by_routine. NULL: none. */
    const opevo_i_net_routine *routine;
    uint32_t places; /* inputs (bit i: input i) that decide where elements move, and do not move */
};

/* The `move` of operators with a routine. */
opevo_status opevo_i_net_move_by_routine(const opevo_i_net_call *call, const void *const *in,
                                         void *const *out, opevo_error *err);
/* No parameters; the code of the row. */
opevo_status opevo_i_net_routine_take_none(const opevo_i_net_call *call,
                                           struct opevo_network_routine *out, opevo_error *err);
opevo_status opevo_i_net_routine_take_code(const opevo_i_net_call *call,
                                           struct opevo_network_routine *out, opevo_error *err);

/* A node with its values, as its operator sees it. Release it, also after a failure. Errors:
 * NOMEM. */
opevo_status opevo_i_net_call_of(const opevo_network *network, int number, opevo_i_net_call *out,
                                 opevo_error *err);
void opevo_i_net_call_release(opevo_i_net_call *call);

/* Rows by family, each ended by a row without a name. */
extern const opevo_i_net_operator opevo_i_net_elementwise[], opevo_i_net_unary[],
    opevo_i_net_logic[], opevo_i_net_windows[], opevo_i_net_padding[], opevo_i_net_cumulative[],
    opevo_i_net_rearrange[], opevo_i_net_indices[], opevo_i_net_normal[], opevo_i_net_products[],
    opevo_i_net_reductions[], opevo_i_net_moves[], opevo_i_net_constants[], opevo_i_net_resize[],
    opevo_i_net_recurrent[], opevo_i_net_quantized[], opevo_i_net_groups[], opevo_i_net_einsum[],
    opevo_i_net_transposed[], opevo_i_net_selected[], opevo_i_net_grams[];
/* All of them, and NULL. Hook of tests. */
extern const opevo_i_net_operator *const opevo_i_net_families[];

/* Whether a second output can say how large the result is. */
bool opevo_i_net_is_counted(const opevo_i_net_operator *row);
/* Which dimension of the outputs is counted, as one of an input is; that of the row has no rule, or
 * elements behind the count would be seen. Errors: INVALID. */
opevo_status opevo_i_net_count(const opevo_i_net_call *call, opevo_error *err);

const opevo_i_net_operator *
opevo_i_net_operator_find(const char *name);           /* NULL for an unknown one */
const char *opevo_i_net_domain_of(const char *domain); /* "" is that of the standard */
/* "Conv", or "domain.Operator" of other domains; empty for one that no table can have. */
enum { OPEVO_I_NET_NAME = 64 };
void opevo_i_net_name_of(const Onnx__Node *source, char *out, size_t size);
/* The row of a node's operator; NULL: none. */
const opevo_i_net_operator *opevo_i_net_row_of(const Onnx__Node *source);
/* Whether the node is computed by definitions: it has some, and its outputs are of float32. */
bool opevo_i_net_is_computed(const opevo_i_net_call *call);

/* What a node is called, "node N" without a name. NULL without memory. */
char *opevo_i_net_node_name(const opevo_network *network, int number);

/* Output 0 has type and shape of input 0, which must be there. */
opevo_status opevo_i_net_infer_same(const opevo_i_net_call *call, opevo_error *err);

/* The `define` of an operator that computes what the language of computations has no words for:
 * MISMATCH. */
opevo_status opevo_i_net_define_none(const opevo_i_net_call *call, opevo_text *out,
                                     opevo_error *err);

/* ---- Attributes ---- */

/* Whether the attributes of a node are those of its operator in this opset. Messages are sentences
 * without the node. Errors: INVALID for an unknown one, one of another opset or type, and one that
 * is missing. */
opevo_status opevo_i_net_check_attributes(const Onnx__Node *node, const opevo_i_net_operator *row,
                                          int64_t opset, opevo_error *err);

int64_t opevo_i_net_attribute_int(const opevo_i_net_call *call, const char *name, int64_t absent);
double opevo_i_net_attribute_float(const opevo_i_net_call *call, const char *name, double absent);
/* NULL if absent. */
const Onnx__Attribute *opevo_i_net_attribute(const opevo_i_net_call *call, const char *name);
/* Whether the text of an attribute is this; false if absent. */
bool opevo_i_net_attribute_is(const opevo_i_net_call *call, const char *name, const char *text);
/* The failure of an input that must be known: "Input 1 (axes) must be WHAT, so that shapes are
 * known", and how to bind it if it is one of the model. `name` may be NULL. Returns INVALID. */
opevo_status opevo_i_net_fail_open(const opevo_i_net_call *call, int in, const char *name,
                                   const char *what, opevo_error *err);
/* Exactly `count` numbers, each `absent` without the attribute. Errors: INVALID. */
opevo_status opevo_i_net_attribute_ints(const opevo_i_net_call *call, const char *name, int count,
                                        int64_t absent, int64_t *out, opevo_error *err);
/* At most `most` numbers from input `in`, or from the attribute if that is omitted; count -1:
 * neither exists. Errors: INVALID for an input that is not constant or not of whole numbers, or too
 * many, or one before opset `since`, in which it was an attribute. */
opevo_status opevo_i_net_list(const opevo_i_net_call *call, int in, int since, const char *name,
                              int most, int64_t *out, int *count, opevo_error *err);

/* ---- Tensors of files ---- */

/* An array of a TensorProto; `what` begins messages.
 *
 *   model  path of the model, beside which external data are; NULL: they are refused
 *
 * Errors: INVALID, IO, NOMEM. */
opevo_status opevo_i_net_array_of(const Onnx__Tensor *tensor, const char *what, const char *model,
                                  opevo_array *out, opevo_error *err);

/* ---- Arrays ---- */

/* The type of a file if its elements have another one here; 0: it is the same. */
int opevo_i_net_stored(int64_t type);
/* Whether the data of a TensorProto are not in it, but in a file that it names. */
bool opevo_i_net_is_external(const Onnx__Tensor *tensor);
/* Allocate and read them; type and shape are set. Nothing is opened but regular files in the folder
 * of the model and those below it, by way of no symbolic link. Errors: INVALID for a file of
 * another place or kind, one that does not have these bytes, or data in the message as well; IO;
 * NOMEM. */
opevo_status opevo_i_net_external_read(const Onnx__Tensor *tensor, const char *what,
                                       const char *model, opevo_array *array, opevo_error *err);
/* Element i as a number: exact for whole ones up to 2^53, and as an integer, of uint64 modulo
 * 2^64. */
double opevo_i_net_number(const opevo_array *array, const void *data, int64_t i);
int64_t opevo_i_net_whole(const opevo_array *array, const void *data, int64_t i);
bool opevo_i_net_type_is_whole(opevo_network_type type);
/* The type that opevo has for one of a file: float32 for float16 and bfloat16; NO_TYPE for one that
 * it does not read. */
opevo_network_type opevo_i_net_type_of(int64_t type);
/* Set an element: the nearest number of whole types, fractions cut off; or modulo their range. */
void opevo_i_net_set_number(opevo_network_type type, void *data, int64_t i, double value);
void opevo_i_net_set_whole(opevo_network_type type, void *data, int64_t i, int64_t value);
/* As opevo_array_allocate, but the elements are undefined. */
opevo_status opevo_i_net_array_reserve(opevo_array *array, opevo_error *err);
/* Bytes of all elements. */
size_t opevo_i_net_bytes(const opevo_array *array);
/* Copy element `from` of `in` to element `to` of `out`. */
void opevo_i_net_copy_element(opevo_network_type type, const void *in, int64_t from, void *out,
                              int64_t to);
/* Whether a tensor may have these extents: each is from 0 to OPEVO_COMPUTATION_EXTENT, and the
 * product of those that are not 0 is at most OPEVO_COMPUTATION_ELEMENTS, so that no product of some
 * of them overflows. `what` begins the message. Errors: INVALID. */
opevo_status opevo_i_net_check_extents(const char *what, int dims, const int64_t *extent,
                                       opevo_error *err);
/* Give an output its type and shape; those of an omitted one (NULL) are checked. Errors: INVALID
 * for too many dimensions or elements. */
opevo_status opevo_i_net_shape(opevo_network_value *out, opevo_network_type type, int dims,
                               const int64_t *extent, opevo_error *err);
/* An axis counted from the end if negative. Errors: INVALID. */
opevo_status opevo_i_net_axis(int64_t axis, int dims, int *out, opevo_error *err);
/* The shape of both, extents of 1 repeated; `extent` may be that of an operand. Errors: INVALID if
 * they do not fit. */
opevo_status opevo_i_net_broadcast(const opevo_array *a, const opevo_array *b, int *dims,
                                   int64_t *extent, opevo_error *err);
/* The shape of all inputs from `first` on. Errors: INVALID if they do not fit or one is missing. */
opevo_status opevo_i_net_broadcast_inputs(const opevo_i_net_call *call, int first, opevo_array *out,
                                          opevo_error *err);

/* ---- Text ---- */

/* "X0[n:1, c:3]": name and number, with the extents; const for constants. */
void opevo_i_net_declare(const opevo_i_net_call *call, int in, opevo_text *out);
/* "prefix0:4, prefix1:7" for the spatial axes of an array. */
void opevo_i_net_axes(const char *prefix, const opevo_array *array, opevo_text *out);
/* The read of input `in` at the axes prefix0 ... of an array of `dims` dimensions, broadcast. */
void opevo_i_net_read(const opevo_i_net_call *call, int in, const char *prefix, int dims,
                      opevo_text *out);

/* ---- Definitions of steps (network_definitions.c) ---- */

/* Texts that were read, so that nodes with the same one share the computation. Zeroed at first. */
typedef struct opevo_i_net_definition opevo_i_net_definition;
typedef struct opevo_i_net_definitions {
    opevo_i_net_definition *item;
    size_t count, capacity;
    opevo_index_map *by_hash;
} opevo_i_net_definitions;

/* Errors: those of opevo_computation_parse. */
opevo_status opevo_i_net_definitions_read(opevo_i_net_definitions *known, const opevo_text *text,
                                          opevo_computation **out, opevo_error *err);
void opevo_i_net_definitions_free(opevo_i_net_definitions *known);

/* Run one node on arrays that are there; `computed` as above. Errors: INVALID; NOMEM. */
opevo_status opevo_i_net_execute(const opevo_network *network, int node, const void *const *data,
                                 void *const *out, unsigned threads, opevo_error *err);

/* What evaluating definitions takes: operations, and points, which take time also where they count
 * no operation, such as those of a sum where a condition does not hold. */
double opevo_i_net_work(const opevo_computation *computation);
/* An estimate of the work of running a node: that of its definitions, also where the operator
 * computes other types; without any, a pass over inputs and outputs. Nodes that move elements count
 * 0; INFINITY if definitions are larger than computations may be. Errors: INVALID for definitions
 * that are not valid; NOMEM. */
opevo_status opevo_i_net_cost(const opevo_network *network, int node, double *out,
                              opevo_error *err);

/* The same for a step that is one; the message is "path: node N (Gather 'name'): sentence.". */
opevo_status opevo_i_net_execute_step(const opevo_network *network, const opevo_network_step *step,
                                      const void *const *data, void *const *out, unsigned threads,
                                      opevo_error *err);

/* Run the node of a step that moves elements on float32 in the place of the type of its output
 * `which`, whatever that is. Errors: INVALID; NOMEM. */
opevo_status opevo_i_net_execute_moved(const opevo_network *network, const opevo_network_step *step,
                                       const void *const *data, void *const *out, int which,
                                       opevo_error *err);

/* Evaluate definitions whose tensors X0, X1, ... are `data` and Y0, ... are `out`, by these
 * numbers. Errors: INVALID if there is no such number, or its data are NULL; LIMIT; NOMEM. */
opevo_status opevo_i_net_compute(const opevo_computation *computation, const void *const *data,
                                 int data_count, void *const *out, int out_count, unsigned threads,
                                 opevo_error *err);

/* Which values are the same in every run: those with data, and what steps make of them alone. Free
 * the list, one for each value. Errors: NOMEM. */
opevo_status opevo_i_net_find_constants(const opevo_network_inference *inference, bool **out,
                                        opevo_error *err);
bool opevo_i_net_step_is_constant(const opevo_network_step *step, const bool *constant);

/* Make the step of a node that moves elements a view or copies of output `which` if it is one: what
 * decides the places is constant. The step has all outputs of the
 * node. Errors: NOMEM. */
opevo_status opevo_i_net_find_copies(const opevo_network_inference *inference,
                                     opevo_network_step *step, int which, opevo_error *err);

/* Run one step on arrays that are there. Errors: INVALID; LIMIT; NOMEM. */
opevo_status opevo_i_net_step_run(const opevo_network_inference *inference,
                                  const opevo_network_step *step, const void *const *in,
                                  void *const *out, unsigned threads, opevo_error *err);

#endif
