/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Which accesses to a piece of memory race, by what each piece keeps of those before. */

#ifndef OPEVO_SIMT_RACES_INTERNAL_H
#define OPEVO_SIMT_RACES_INTERNAL_H

#include "simt_warp_internal.h"

/* What an access does to a piece of memory. */
typedef enum opevo_i_simt_access {
    OPEVO_I_SIMT_WRITE,
    OPEVO_I_SIMT_UPDATE, /* an atomic that may write */
    OPEVO_I_SIMT_READ,
    OPEVO_I_SIMT_LOOK, /* an atomic read */
    OPEVO_I_SIMT_ACCESS_COUNT
} opevo_i_simt_access;

/* The accesses of one kind to a piece of memory, as simt_races.c has them. */
typedef struct opevo_i_simt_trace {
    uint32_t stamp;   /* of the last one */
    uint32_t at : 20; /* its instruction in the code */
    uint32_t who : 11;
    uint32_t other : 1; /* an earlier block of the launch accessed, too */
} opevo_i_simt_trace;

typedef struct opevo_i_simt_cell {
    opevo_i_simt_trace trace[OPEVO_I_SIMT_ACCESS_COUNT];
    opevo_i_simt_trace replaced; /* writes of another value than the last one */
} opevo_i_simt_cell;

/* What an access of a thread races with. */
typedef enum opevo_i_simt_scope {
    OPEVO_I_SIMT_NO_CONFLICT,
    OPEVO_I_SIMT_OTHER_THREAD, /* of the block */
    OPEVO_I_SIMT_OTHER_BLOCK
} opevo_i_simt_scope;

typedef struct opevo_i_simt_conflict {
    opevo_i_simt_scope scope;
    opevo_i_simt_access access; /* what the other did */
    uint32_t place;             /* where; NOWHERE: an access since then hides it */
} opevo_i_simt_conflict;

/* What a write finds in memory, where writes of the same value are allowed. */
typedef enum opevo_i_simt_found {
    OPEVO_I_SIMT_ANY_VALUE, /* they are not */
    OPEVO_I_SIMT_SAME_VALUE,
    OPEVO_I_SIMT_OTHER_VALUE
} opevo_i_simt_found;

/* The first conflict of an access by a lane to the granule of a cell; without one, the cell is
 * updated. */
opevo_i_simt_conflict opevo_i_simt_race(const opevo_simt *self, const opevo_i_simt_warp *warp,
                                        unsigned lane, bool is_shared, opevo_i_simt_cell *cell,
                                        opevo_i_simt_access access, const opevo_i_simt_code *code,
                                        opevo_i_simt_found found);
/* The same of reads by the running lanes, of code->size bytes at `offset` of one region, in order
 * up to the first that may conflict or needs several cells. The lanes from that one on; 0: none. */
uint32_t opevo_i_simt_race_reads(const opevo_simt *self, const opevo_i_simt_warp *warp,
                                 bool is_shared, opevo_i_simt_cell *cells, const uint64_t *offset,
                                 const opevo_i_simt_code *code);

#endif
