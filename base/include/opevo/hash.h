/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Hashing: signatures of spaces and objectives, and a table from opevo_index to a 64-bit value. */

#ifndef OPEVO_HASH_H
#define OPEVO_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <opevo/api.h>
#include <opevo/index.h>

OPEVO_BEGIN_C

/* Bijective mixing of 64 bits. Source: Steele, Lea, Flood, "Fast splittable pseudorandom number
 * generators", OOPSLA 2014, the finaliser of SplitMix64. */
static inline uint64_t opevo_hash_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* FNV-1a of `size` bytes, continued from `hash` (start with OPEVO_HASH_START). The same on every
 * machine; signatures in files depend on it. */
#define OPEVO_HASH_START UINT64_C(0xcbf29ce484222325)
OPEVO_API uint64_t opevo_hash_bytes(uint64_t hash, const void *bytes, size_t size);
/* Of the eight bytes of a number, the lowest first. */
OPEVO_API uint64_t opevo_hash_u64(uint64_t hash, uint64_t number);
/* 128-bit FNV-1a of `size` bytes: numbers that stand for texts, also in files. Source: Fowler,
 * Noll, Vo, Eastlake, "The FNV Non-Cryptographic Hash Algorithm", IETF draft. */
OPEVO_API opevo_index opevo_hash_wide(const void *bytes, size_t size);

/* A table from indices to 64-bit values. 24 bytes a slot, at most three quarters full; expected
 * O(1). */
typedef struct opevo_index_map opevo_index_map;

OPEVO_API opevo_index_map *opevo_index_map_create(void); /* NULL without memory */
OPEVO_API void opevo_index_map_destroy(opevo_index_map *map);
OPEVO_API size_t opevo_index_map_count(const opevo_index_map *map);
/* False when the key is absent; *value (when not NULL) is then untouched. */
OPEVO_API bool opevo_index_map_get(const opevo_index_map *map, opevo_index key, uint64_t *value);
/* Insert, or replace the value. False without memory; the map is then as before. */
OPEVO_API bool opevo_index_map_put(opevo_index_map *map, opevo_index key, uint64_t value);

/* A set of indices: 16 bytes a slot, at most three quarters full. */
typedef struct opevo_index_set opevo_index_set;

OPEVO_API opevo_index_set *opevo_index_set_create(void);
OPEVO_API void opevo_index_set_destroy(opevo_index_set *set);
OPEVO_API size_t opevo_index_set_count(const opevo_index_set *set);
OPEVO_API bool opevo_index_set_has(const opevo_index_set *set, opevo_index key);
OPEVO_API bool opevo_index_set_add(opevo_index_set *set,
                                   opevo_index key); /* false without memory */

OPEVO_END_C

#endif
