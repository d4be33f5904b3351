/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What reductions and normalisations write of dimensions that are reduced. */

#ifndef OPEVO_NETWORK_REDUCED_INTERNAL_H
#define OPEVO_NETWORK_REDUCED_INTERNAL_H

#include "network_internal.h"

/* Which dimensions of input 0 are reduced. */
typedef struct opevo_i_net_reduced {
    bool dim[OPEVO_NETWORK_DIMS];
    bool keep; /* as dimensions of 1 */
} opevo_i_net_reduced;

/* X0 at axes a of kept dimensions and r of reduced ones. */
void opevo_i_net_reduced_read(const opevo_i_net_call *call, const opevo_i_net_reduced *which,
                              opevo_text *out);
/* "NAME[a0:3]" of the dimensions that are kept, with extents or, to read it, without. */
void opevo_i_net_reduced_kept(const opevo_i_net_call *call, const opevo_i_net_reduced *which,
                              const char *name, bool extents, opevo_text *out);
/* " = NAME(r1:5) " */
void opevo_i_net_reduced_over(const opevo_i_net_call *call, const opevo_i_net_reduced *which,
                              const char *name, opevo_text *out);
/* "TO[a0:3] = FROM[a0]/5", the mean of a sum. */
void opevo_i_net_reduced_mean(const opevo_i_net_call *call, const opevo_i_net_reduced *which,
                              const char *to, const char *from, opevo_text *out);
/* Elements of the input for each of the result. */
double opevo_i_net_reduced_count(const opevo_array *in, const opevo_i_net_reduced *which);

#endif
