/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Warps: where their lanes are, and what these do with each other. */

#ifndef OPEVO_SIMT_WARP_INTERNAL_H
#define OPEVO_SIMT_WARP_INTERNAL_H

#include "simt_code_internal.h"

/* Lanes that wait for others. */
typedef struct opevo_i_simt_pending {
    uint32_t at, meet, mask;
} opevo_i_simt_pending;

typedef struct opevo_i_simt_warp {
    uint8_t *file; /* registers */
    uint32_t at, meet, mask;
    uint32_t live, all;
    uint32_t barrier;    /* where it waits */
    uint32_t sync_stamp; /* of its last barrier of all lanes */
    uint32_t index;
    bool done;
    size_t pending_count;
    opevo_i_simt_pending *pending;
} opevo_i_simt_warp;

/* simt_warp.c: run a warp until a barrier, its end or a fault; false on a fault. */
bool opevo_i_simt_warp_run(opevo_simt *self, opevo_i_simt_warp *warp);

/* simt_lanes.c: exchange between the lanes of a warp. */
void opevo_i_simt_shuffle_run(opevo_simt *self, const opevo_i_simt_warp *warp,
                              const opevo_i_simt_code *code);
void opevo_i_simt_compress_run(const opevo_simt *self, const opevo_i_simt_warp *warp,
                               const opevo_i_simt_code *code);
void opevo_i_simt_vote_run(opevo_simt *self, const opevo_i_simt_warp *warp,
                           const opevo_i_simt_code *code);

/* simt_value_run.c: an operation on values by the running lanes. */
void opevo_i_simt_value_run(opevo_simt *self, const opevo_i_simt_warp *warp,
                            const opevo_i_simt_code *code);

#endif
