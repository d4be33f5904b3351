/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a definition y = s x + t multiplies by and adds, in double precision. */

#ifndef OPEVO_NETWORK_SCALE_INTERNAL_H
#define OPEVO_NETWORK_SCALE_INTERNAL_H

#include "network_passes_internal.h"

/* y = s x + t along one dimension of y. */
typedef struct opevo_i_net_scale {
    int dim; /* -1: one number for all */
    int64_t channels;
    double *s, *t; /* of each channel; of all where dim is -1 */
    bool adds;     /* whether constants are in t, whatever their values */
} opevo_i_net_scale;

/* s = 1, t = 0 for its channels. Errors: NOMEM. */
opevo_status opevo_i_net_scale_allocate(opevo_i_net_scale *self, opevo_error *err);
void opevo_i_net_scale_free(opevo_i_net_scale *self);

/* The scale that `y` makes of x. *is_one: it is one, and *out is filled in. Errors: NOMEM. */
opevo_status opevo_i_net_scale_of(const opevo_network_inference *inference,
                                  const opevo_i_net_part *part, const opevo_tensor *y,
                                  const opevo_tensor *x, opevo_i_net_scale *out, bool *is_one,
                                  opevo_error *err);

/* a := b after a; *fits: their channels are not of two dimensions. Errors: NOMEM. */
opevo_status opevo_i_net_scale_compose(opevo_i_net_scale *a, const opevo_i_net_scale *b, bool *fits,
                                       opevo_error *err);

#endif
