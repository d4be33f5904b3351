/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Inside the proof of a network. */

#ifndef OPEVO_NETWORK_PROOF_INTERNAL_H
#define OPEVO_NETWORK_PROOF_INTERNAL_H

#include <opevo/network_proof.h>
#include <opevo/proof_field.h>

/* ---- Steps in the field (network_field.c) ---- */

/* A constant of float32 that stands for any number, in the place of element `label` of all
 * constants. */
enum { OPEVO_I_NETPROOF_LABELS = 0x1f000000, OPEVO_I_NETPROOF_FIRST_LABEL = 0x60000000 };
/* The number of the label, or -1 for another float. */
int64_t opevo_i_netproof_label_of(float number);

/* Run the steps. Inputs of the network and labels are random values, other constants are
 * rationals, and a step that is a node is an unknown function of its inputs. `outputs` receives the
 * elements of each output; opevo_free() each, also after a failure. *degree becomes at least that
 * of the difference of any two values that nodes read. */
opevo_status opevo_i_netproof_in_field(const opevo_network_inference *steps,
                                       const opevo_field *field, opevo_simt_value **outputs,
                                       uint64_t *degree, opevo_error *err);

/* ---- Steps on labels and steps on weights (network_proof_same.c) ---- */

/* The weights of a model, and the first label of each of its values; -1: none. */
typedef struct opevo_i_netproof_weights {
    const opevo_network_inference *model;
    const int64_t *first_label;
} opevo_i_netproof_weights;

/* Whether `steps` are `labelled`, with the weight that each label names. */
bool opevo_i_netproof_is_same(const opevo_network_inference *steps,
                              const opevo_network_inference *labelled,
                              const opevo_i_netproof_weights *weights);

#endif
