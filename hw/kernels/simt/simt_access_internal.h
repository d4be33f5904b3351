/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Accesses of the running lanes of a warp to memory. */

#ifndef OPEVO_SIMT_ACCESS_INTERNAL_H
#define OPEVO_SIMT_ACCESS_INTERNAL_H

#include "simt_memory_internal.h"

/* simt_access.c: loads, stores and atomics of the running lanes of a warp; false on a fault. */
bool opevo_i_simt_load(opevo_simt *self, const opevo_i_simt_warp *warp,
                       const opevo_i_simt_code *code);
bool opevo_i_simt_store(opevo_simt *self, const opevo_i_simt_warp *warp,
                        const opevo_i_simt_code *code);
/* What an atomic operation, of OPEVO_I_SIMT_UPDATE, makes of `size` bytes (simt_update.c). */
uint64_t opevo_i_simt_updated(int64_t update, uint64_t old, uint64_t value, unsigned size);
bool opevo_i_simt_atomic(opevo_simt *self, const opevo_i_simt_warp *warp,
                         const opevo_i_simt_code *code);

/* Where the lanes of an access go. */
typedef struct opevo_i_simt_targets {
    opevo_i_simt_region *region[OPEVO_I_SIMT_LANES];
    uint64_t
        offset[OPEVO_I_SIMT_LANES]; /* into the region's data, of a lane's own for local memory */
    opevo_i_simt_region_kind kind;  /* of the first lane */
    const opevo_i_simt_region *one; /* that of all lanes; NULL where it was not looked for */
    bool plain; /* there is one, which needs no check of races and of initial values */
} opevo_i_simt_targets;

/* False on a fault. */
bool opevo_i_simt_resolve(opevo_simt *self, const opevo_i_simt_warp *warp,
                          const opevo_i_simt_code *code, opevo_i_simt_targets *out);
/* An access of a lane that races, which `conflict` says, ends the launch. */
bool opevo_i_simt_check_lane(opevo_simt *self, const opevo_i_simt_warp *warp,
                             const opevo_i_simt_code *code, unsigned lane,
                             const opevo_i_simt_targets *where, opevo_i_simt_access access);
bool opevo_i_simt_check_races(opevo_simt *self, const opevo_i_simt_warp *warp,
                              const opevo_i_simt_code *code, const opevo_i_simt_targets *where,
                              opevo_i_simt_access access);
/* An undefined value may lie in memory of a block, but not leave it. */
bool opevo_i_simt_check_stored(opevo_simt *self, const opevo_i_simt_warp *warp,
                               const opevo_i_simt_code *code, const opevo_i_simt_targets *where);

/* simt_value_access.c: loads and stores of values. */
bool opevo_i_simt_load_value(opevo_simt *self, const opevo_i_simt_warp *warp,
                             const opevo_i_simt_code *code);
bool opevo_i_simt_store_value(opevo_simt *self, const opevo_i_simt_warp *warp,
                              const opevo_i_simt_code *code);
/* The same of bytes that are only copied, some of which may be values. */
bool opevo_i_simt_load_raw(opevo_simt *self, const opevo_i_simt_warp *warp,
                           const opevo_i_simt_code *code);
bool opevo_i_simt_store_raw(opevo_simt *self, const opevo_i_simt_warp *warp,
                            const opevo_i_simt_code *code);
/* A float of so many bytes as it lies in memory or in an argument. */
opevo_simt_value opevo_i_simt_value_of_bits(const opevo_simt *self, uint64_t bits, unsigned bytes);

/* simt_traffic.c: count and charge an access of the running lanes. */
void opevo_i_simt_traffic(opevo_simt *self, const opevo_i_simt_warp *warp,
                          const opevo_i_simt_code *code, opevo_i_simt_region_kind kind,
                          bool is_atomic);

#endif
