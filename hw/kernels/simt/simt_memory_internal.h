/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The memory of launches: regions, and what is known of each byte. */

#ifndef OPEVO_SIMT_MEMORY_INTERNAL_H
#define OPEVO_SIMT_MEMORY_INTERNAL_H

#include "simt_races_internal.h"

enum { OPEVO_I_SIMT_HANDLE_SHIFT = 40 }; /* of an address: the region above, the offset below */

typedef enum opevo_i_simt_region_kind {
    OPEVO_I_SIMT_NONE,
    OPEVO_I_SIMT_GLOBAL,
    OPEVO_I_SIMT_CONSTANT,
    OPEVO_I_SIMT_SHARED,
    OPEVO_I_SIMT_LOCAL /* of each thread of a block its own */
} opevo_i_simt_region_kind;

/* What a byte of memory holds. */
typedef enum opevo_i_simt_state {
    OPEVO_I_SIMT_UNWRITTEN,
    OPEVO_I_SIMT_WRITTEN,
    OPEVO_I_SIMT_UNKNOWN,        /* bits that come of values */
    OPEVO_I_SIMT_OF_VALUE = 0x80 /* byte i of a value of n bytes: with 8 n + i added */
} opevo_i_simt_state;

typedef struct opevo_i_simt_region {
    opevo_i_simt_region_kind kind;
    bool read_only, same_value, dynamic, owned;
    uint64_t size;
    uint8_t *data;
    size_t data_capacity;     /* if it is owned */
    uint8_t *valid;           /* an opevo_i_simt_state for each byte; NULL: all are initialised */
    opevo_i_simt_cell *cells; /* one for each granule; NULL: races are not looked for */
    opevo_simt_value *values; /* with an arithmetic: one for each piece of the least float */
    size_t value_capacity;
    uint8_t *shadow; /* memory for `valid` and `cells`, kept for the next case */
    opevo_i_simt_cell *cell_memory;
    size_t shadow_capacity, cell_capacity;
    uint8_t *initial; /* of a variable in global or constant memory */
    uint8_t *initial_valid;
    char *name;
    const char *buffer_name; /* the caller's */
} opevo_i_simt_region;

/* A new last region; NULL without memory. */
opevo_i_simt_region *opevo_i_simt_region_add(opevo_simt *self);
void opevo_i_simt_region_clear(opevo_i_simt_region *region);
/* Local and shared memory for the blocks of a launch, and as it is when a block begins. */
opevo_status opevo_i_simt_open_launch_memory(opevo_simt *self, size_t warps, opevo_error *err);
void opevo_i_simt_open_block_memory(opevo_simt *self);
/* Local memory of the running lanes, where a variable is declared. */
void opevo_i_simt_allocate(opevo_simt *self, const opevo_i_simt_warp *warp,
                           const opevo_i_simt_code *code);

#endif
