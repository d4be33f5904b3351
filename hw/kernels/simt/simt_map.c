/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A table from pointers to numbers, at most half full. */

#include "simt_decode_internal.h"

#include <opevo/hash.h>
#include <opevo/memory.h>

static size_t find(const opevo_i_simt_map *map, const void *key)
{
    size_t at = (size_t)opevo_hash_mix((uintptr_t)key) & (map->capacity - 1);

    while (map->keys[at] && map->keys[at] != key)
        at = (at + 1) & (map->capacity - 1);
    return at;
}

bool opevo_i_simt_map_get(const opevo_i_simt_map *map, const void *key, uint32_t *value)
{
    size_t at = map->capacity ? find(map, key) : 0;

    if (!map->capacity || !map->keys[at])
        return false;
    *value = map->values[at];
    return true;
}

static bool grow(opevo_i_simt_map *map)
{
    size_t capacity = map->capacity ? 2 * map->capacity : 64;
    opevo_i_simt_map wide = {.keys = opevo_calloc(capacity, sizeof *wide.keys),
                             .values = opevo_malloc(capacity, sizeof *wide.values),
                             .count = map->count,
                             .capacity = capacity};

    if (!wide.keys || !wide.values) {
        opevo_i_simt_map_free(&wide);
        return false;
    }
    for (size_t i = 0; i < map->capacity; i++) {
        size_t at;

        if (!map->keys[i])
            continue;
        at = find(&wide, map->keys[i]);
        wide.keys[at] = map->keys[i];
        wide.values[at] = map->values[i];
    }
    opevo_i_simt_map_free(map);
    *map = wide;
    return true;
}

bool opevo_i_simt_map_put(opevo_i_simt_map *map, const void *key, uint32_t value)
{
    size_t at;

    if (2 * (map->count + 1) > map->capacity && !grow(map))
        return false;
    at = find(map, key);
    map->count += !map->keys[at];
    map->keys[at] = key;
    map->values[at] = value;
    return true;
}

void opevo_i_simt_map_free(opevo_i_simt_map *map)
{
    opevo_free(map->keys);
    opevo_free(map->values);
    *map = (opevo_i_simt_map){0};
}
