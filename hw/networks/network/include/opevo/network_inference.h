/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A network at inference: steps in order, which passes join and replace before kernels are made.
 *
 * It is a plain structure that passes change in place. What a value or a step points to belongs to
 * it, except for data that the network holds. */

#ifndef OPEVO_NETWORK_INFERENCE_H
#define OPEVO_NETWORK_INFERENCE_H

#include <opevo/network.h>

OPEVO_BEGIN_C

typedef enum opevo_network_step_kind {
    OPEVO_NETWORK_STEP_COMPUTE, /* definitions of a computation */
    OPEVO_NETWORK_STEP_COPY,    /* elements of inputs at other places */
    OPEVO_NETWORK_STEP_VIEW,    /* the elements of the input in their order, in another shape */
    OPEVO_NETWORK_STEP_NODE     /* none of these: a node of the network, which must be there */
} opevo_network_step_kind;

/* A box of elements of one input and their places in the output, both row-major:
 * output[to + sum_d to_stride[d] p_d] = input[from + sum_d from_stride[d] p_d], 0 <= p_d <
 * extent[d]. */
typedef struct opevo_network_copy {
    int input; /* of the step; -1: the box is filled with `value` */
    float value;
    int dims;
    int64_t extent[OPEVO_NETWORK_DIMS];
    int64_t from, from_stride[OPEVO_NETWORK_DIMS];
    int64_t to, to_stride[OPEVO_NETWORK_DIMS];
} opevo_network_copy;

typedef struct opevo_network_step {
    opevo_network_step_kind kind;
    char *name;      /* of the nodes that it stands for, joined by +; "node N" of one without */
    char *operation; /* their operators, joined by + */
    int inputs, outputs;
    int *input, *output;            /* numbers of values; -1: unused */
    opevo_computation *computation; /* COMPUTE: input[i] is X<i>, output[i] is Y<i>; i < 16 */
    opevo_network_copy *copy;
    int copies; /* COPY: every element of the one output is written once */
    int node;   /* NODE: it; otherwise the first that the step stands for */
} opevo_network_step;

/* Whether input i is read when the network runs: places of copies and views are known. */
bool opevo_network_step_reads(const opevo_network_step *step, int i);

typedef struct opevo_network_tensor {
    char *name;
    opevo_array
        array;  /* `data` of constants; those computed from constants have none before a fold */
    bool owned; /* the data */
    bool input, output;
    bool plain;  /* the pass `block` leaves its layout, and that of all that is blocked with it */
    bool direct; /* the pass `winograd` leaves the convolution that makes it */
} opevo_network_tensor;

/* A convolution that the pass `winograd` has replaced. */
typedef struct opevo_winograd_layer {
    char *name; /* of its step */
    int tile;   /* m of F(m x m, 3 x 3) */
    /* Each result differs from the exact one by at most `bound` times the largest element of the
     * image times the sum of the absolute weights of its channel; directly computed by
     * `direct_bound` times that. */
    double bound, direct_bound;
} opevo_winograd_layer;

/* What the pass `winograd` may do and has done. */
typedef struct opevo_winograd {
    double error; /* largest `bound` that is allowed; 0: no convolution is replaced */
    int tile; /* 2, 4: where it is allowed; 0: the form that is expected to be fastest, if any */
    opevo_winograd_layer *layer;
    int layers;
} opevo_winograd;

typedef struct opevo_network_inference {
    const opevo_network *network;
    opevo_network_tensor *value;
    int values;
    opevo_network_step *step;
    int steps;
    int *input, *output; /* values, in the order of the file */
    int inputs, outputs;
    int64_t block;   /* channels of a block for the pass `block`; 0: none, or it has run */
    int64_t blocked; /* channels of a block once it has run; 0 before */
    opevo_winograd winograd;
    /* Sizes that are not known before a run (opevo/network_dynamic.h), of which these steps are
     * those of the largest; NULL: all are known. */
    const struct opevo_network_dynamic *dynamic;
} opevo_network_inference;

/* The steps of a network, one a node, and several of a node with more than 15 inputs; nodes whose
 * outputs are known are left out. Blocks have 16 channels. The network must live as long. Errors:
 * INVALID, LIMIT for definitions that are not a computation; NOMEM.
 * Cost: linear in the elements that are moved. */
opevo_status opevo_network_inference_create(const opevo_network *network,
                                            opevo_network_inference **out, opevo_error *err);
void opevo_network_inference_destroy(opevo_network_inference *inference); /* NULL is allowed */

/* Run the steps: definitions in double precision, each result rounded to float32.
 *
 *   inputs   one array for each input, of its type and shape
 *   outputs  receive the results, in the order of the file; opevo_array_free() each
 *   threads  at most; 0: one a processor. Results do not depend on it
 *
 * Errors: INVALID for an input of another type or shape, as "input 'name': sentence."; NOMEM.
 * Cost: as opevo_computation_compute; intermediate values are released after their last reader. */
opevo_status opevo_network_inference_run(const opevo_network_inference *inference,
                                         const opevo_array *inputs, opevo_array *outputs,
                                         unsigned threads, opevo_error *err);

OPEVO_END_C

#endif
