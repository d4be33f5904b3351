/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A network: a graph of operators on tensors, read from an ONNX file. All shapes are known once it
 * is read; operators on numbers become definitions of a computation (opevo/computation.h), the
 * others move elements.
 *
 * Source: ONNX, "Open Neural Network Exchange Intermediate Representation Specification" and
 * "Operator Schemas", opsets 7 to 26. */

#ifndef OPEVO_NETWORK_H
#define OPEVO_NETWORK_H

#include <opevo/computation.h>

OPEVO_BEGIN_C

enum {
    OPEVO_NETWORK_DIMS = OPEVO_COMPUTATION_DIMS,
    OPEVO_NETWORK_OPSET = 26 /* newest that is read */
};
#define OPEVO_NETWORK_FILE ((size_t)2 << 30) /* most bytes of a file: the limit of protobuf */

/* Types of elements, by ONNX's numbers: enum suffix, number, name, bytes. */
#define OPEVO_NETWORK_TYPE_LIST(X)                                                                 \
    X(FLOAT32, 1, "float32", 4)                                                                    \
    X(UINT8, 2, "uint8", 1)                                                                        \
    X(INT8, 3, "int8", 1)                                                                          \
    X(UINT16, 4, "uint16", 2)                                                                      \
    X(INT16, 5, "int16", 2)                                                                        \
    X(INT32, 6, "int32", 4)                                                                        \
    X(INT64, 7, "int64", 8)                                                                        \
    X(BOOL, 9, "bool", 1)                                                                          \
    X(FLOAT64, 11, "float64", 8)                                                                   \
    X(UINT32, 12, "uint32", 4)                                                                     \
    X(UINT64, 13, "uint64", 8)

typedef enum opevo_network_type {
    OPEVO_NETWORK_NO_TYPE,
#define OPEVO_NETWORK_TYPE_ENUM(suffix, number, name, bytes) OPEVO_NETWORK_##suffix = (number),
    OPEVO_NETWORK_TYPE_LIST(OPEVO_NETWORK_TYPE_ENUM)
#undef OPEVO_NETWORK_TYPE_ENUM
} opevo_network_type;

const char *opevo_network_type_name(opevo_network_type type); /* NULL for an unknown one */
size_t opevo_network_type_bytes(opevo_network_type type);     /* 0 for an unknown one */

/* A tensor of elements in row-major order. */
typedef struct opevo_array {
    opevo_network_type type;
    int dims;
    int64_t extent[OPEVO_NETWORK_DIMS];
    void *data; /* opevo_network_type_bytes() of each element; NULL while unknown */
} opevo_array;

int64_t opevo_array_elements(const opevo_array *array);
double opevo_array_number(const opevo_array *array, int64_t i); /* element i of the data */
/* Room for the elements, all 0. Errors: NOMEM. */
opevo_status opevo_array_allocate(opevo_array *array, opevo_error *err);
void opevo_array_free(opevo_array *array); /* the data */
/* Read a file with one TensorProto (.pb). Errors: IO, INVALID, NOMEM. */
opevo_status opevo_array_read(const char *path, opevo_array *out, opevo_error *err);

/* The lengths of what is not a sequence of so many tensors: a tensor, an optional without one. */
enum { OPEVO_NETWORK_TENSOR = -1, OPEVO_NETWORK_EMPTY = -2 };
/* Read a file with one TensorProto, SequenceProto or OptionalProto: its length, and its tensors.
 * opevo_array_free() each, and opevo_free() the list. Errors: IO, INVALID, NOMEM. */
opevo_status opevo_arrays_read(const char *path, opevo_array **out, int *count, int *length,
                               opevo_error *err);

typedef struct opevo_network opevo_network;

/* A tensor of the network. */
typedef struct opevo_network_value {
    const char *name;
    opevo_array array; /* `data` of constants whose value is known */
    bool constant;     /* the same in every run: weights, and what is computed from them alone */
    bool input, output;
    /* Where data decide how many slices there are along a dimension: its number from 1 (0: none),
     * and the value that says how many, at most the extent. Those behind are of no meaning. */
    int counted, count;
    int stored; /* ONNX's type in the file where it is another one: 4 bits, and short floats */
    /* Of a model that runs while it is read: released after the last node that reads it; in a
     * sequence, and so not released. */
    bool gone, listed;
    int producer; /* the node that makes it; -1 for inputs and stored tensors */
} opevo_network_value;

typedef struct opevo_network_node {
    const char *name;      /* "" without one */
    const char *operation; /* "Conv" */
    int inputs, outputs;
    const int *input, *output; /* numbers of values; -1: omitted */
    bool computed; /* on float32 by definitions of a computation; otherwise it moves elements */
} opevo_network_node;

/* A dimension that inputs or shapes name, and its size. */
enum { OPEVO_NETWORK_DIM_NAME = 63 };
typedef struct opevo_network_dimension {
    const char *name;
    int64_t extent;
} opevo_network_dimension;

/* The shape of an input, given by the caller. */
typedef struct opevo_network_shape {
    const char *name;
    int dims;
    int64_t extent[OPEVO_NETWORK_DIMS];
    const char *dimension[OPEVO_NETWORK_DIMS]; /* whose extent it has; NULL: that above */
} opevo_network_shape;

/* Shapes as texts, "data=1,3,224,224", or with names of dimensions, "data=batch,3,224,224"; "x=" is
 * one number without dimensions. A plain value: start from {0}. */
typedef struct opevo_network_shapes {
    opevo_network_shape *shape;
    char **text; /* which their names are in */
    size_t count;
} opevo_network_shapes;
/* Errors: INVALID, as a sentence that begins with the text or the name; NOMEM. */
opevo_status opevo_network_shapes_read(const char *const *texts, size_t count,
                                       opevo_network_shapes *out, opevo_error *err);
void opevo_network_shapes_free(opevo_network_shapes *shapes);

/* What the caller knows of the inputs. A plain value: start from {0}. */
typedef struct opevo_network_given {
    const opevo_network_shape *shapes; /* of inputs whose dimensions the file leaves open */
    size_t shape_count;
    const opevo_network_dimension *dimensions; /* each is one that an input or a shape names */
    size_t dimension_count;
    /* Inputs that become constants: "sr=16000", "axes=0,1", or "mask=mask.pb", a file with a
     * TensorProto. Numbers take the shape of the input, or are one dimension where that is open. */
    const char *const *bindings;
    size_t binding_count;
    /* Values of all inputs in the order of the file; those of whole numbers, such as the new shape
     * of a Reshape, and those of one element become constants of the network. */
    const opevo_array *values;
    const char *const *files; /* of the values, for messages; NULL: none */
    size_t value_count;       /* 0: unknown */
    /* The lengths of the inputs, where some are sequences or optionals, whose tensors are values
     * one after another; NULL: all are tensors. */
    const int *lengths;
    size_t length_count;
    bool shapes_only; /* of the values: they give types and shapes, and how long sequences are */
    /* All values become constants, and everything is computed while the model is read: so nothing
     * needs to be known before, neither sizes nor how often a loop runs. */
    bool eager;
    /* Sizes may depend on data: tensors have the most that they may need, and for each output of
     * such a size the network has one more, NAME.count. Otherwise they are refused. */
    bool counts;
} opevo_network_given;

/* Read a model. Nodes are in an order in which each comes after those that it reads.
 *
 *   given  NULL for nothing
 *
 * Errors: IO; INVALID, as "path: sentence." or "path: node N (Conv 'name'): sentence."; LIMIT;
 * NOMEM.
 * External data are read from regular files in the folder of the model and below, by way of no
 * symbolic link.
 *
 * Cost: linear in the file, which is held in memory once. */
opevo_status opevo_network_read(const char *path, const opevo_network_given *given,
                                opevo_network **out, opevo_error *err);
void opevo_network_destroy(opevo_network *network); /* NULL is allowed */

int opevo_network_opset(const opevo_network *network);
const char *opevo_network_producer(const opevo_network *network); /* "" if unknown */
int opevo_network_value_count(const opevo_network *network);
const opevo_network_value *opevo_network_value_at(const opevo_network *network, int number);
int opevo_network_node_count(const opevo_network *network);
const opevo_network_node *opevo_network_node_at(const opevo_network *network, int number);
/* The inputs that are not constant, and the outputs, in the order of the file. */
int opevo_network_input_count(const opevo_network *network);
int opevo_network_input(const opevo_network *network, int i);
int opevo_network_output_count(const opevo_network *network);
int opevo_network_output(const opevo_network *network, int i);
/* The outputs of the file: a sequence is `length` outputs of the network, one after another, and an
 * optional is what is in it. */
int opevo_network_declared_count(const opevo_network *network);
const char *opevo_network_declared_name(const opevo_network *network, int i);
int opevo_network_declared_length(const opevo_network *network, int i);
/* Whether the file declares output i with another shape than its nodes compute, as models do whose
 * batch was changed afterwards; what is computed holds. Appends "is declared with ..., and its
 * nodes compute ..." then. */
bool opevo_network_output_is_stale(const opevo_network *network, int i, opevo_text *out);

/* Append the definitions of a computed node. Its inputs are named X0, X1, ... (`const` before those
 * that are constant in the network), its outputs Y0, ...; two nodes that compute the same on the
 * same shapes give the same text. Errors: INVALID for a node that is not computed; NOMEM. */
opevo_status opevo_network_define(const opevo_network *network, int node, opevo_text *out,
                                  opevo_error *err);

/* Operations of a node by the count of its definitions; 0 for a node that moves elements.
 * Errors: those of opevo_network_define. Hook of tests. */
opevo_status opevo_network_flop(const opevo_network *network, int node, opevo_flop *out,
                                opevo_error *err);

/* Run the network node by node: definitions in double precision, each result rounded to float32.
 *
 *   inputs   one array for each input, of its type and shape
 *   outputs  receive the results, in the order of the file; opevo_array_free() each
 *   threads  at most; 0: one a processor. Results do not depend on it
 *
 * Errors: INVALID for an input of another type or shape, as "input 'name': sentence."; NOMEM.
 * Cost: as opevo_computation_compute; intermediate tensors are released after their last reader.
 * Hook of tests. */
opevo_status opevo_network_run(const opevo_network *network, const opevo_array *inputs,
                               opevo_array *outputs, unsigned threads, opevo_error *err);

OPEVO_END_C

#endif
