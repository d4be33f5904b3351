/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Which steps are convolutions that Winograd's transforms can replace. */

#ifndef OPEVO_NETWORK_WINOGRAD_MATCH_INTERNAL_H
#define OPEVO_NETWORK_WINOGRAD_MATCH_INTERNAL_H

#include "network_passes_internal.h"
#include "network_winograd_internal.h"

/* The roles of the axes of a convolution: of results, then of what is summed over. PLACE is inside
 * a block of results, IN_PLACE inside a block of the image; what is not in blocks has no such
 * axis. */
enum {
    OPEVO_I_CONVOLUTION_IMAGE,
    OPEVO_I_CONVOLUTION_OUT,
    OPEVO_I_CONVOLUTION_ROW,
    OPEVO_I_CONVOLUTION_COLUMN,
    OPEVO_I_CONVOLUTION_PLACE,
    OPEVO_I_CONVOLUTION_IN,
    OPEVO_I_CONVOLUTION_TAP_ROW,
    OPEVO_I_CONVOLUTION_TAP_COLUMN,
    OPEVO_I_CONVOLUTION_IN_PLACE,
    OPEVO_I_CONVOLUTION_ROLES
};

/* A step with such a convolution. */
typedef struct opevo_i_net_convolution {
    opevo_i_net_part part;
    const opevo_tensor *sum, *image, *weights;
    opevo_i_net_winograd_shape shape;
    int axis[OPEVO_I_CONVOLUTION_ROLES];       /* of the sum; -1: none */
    int64_t stride[OPEVO_I_CONVOLUTION_ROLES]; /* of the weights along each */
} opevo_i_net_convolution;

/* *found: the step has one convolution of 3 x 3 with stride 1, constant weights, and whole blocks
 * of channels in each group, and nothing else that reduces. Free its part also after a failure.
 * Errors: those of parsing; NOMEM. */
opevo_status opevo_i_net_convolution_find(const opevo_network_inference *inference,
                                          const opevo_network_step *step,
                                          opevo_i_net_convolution *self, bool *found,
                                          opevo_error *err);

/* The weights as opevo_i_net_winograd_weights takes them; free them. Errors: NOMEM. */
opevo_status opevo_i_net_convolution_weights(const opevo_network_inference *inference,
                                             const opevo_i_net_convolution *self, float **out,
                                             opevo_error *err);

#endif
