/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Open addressing with linear probing over a power of two of slots. An empty slot holds the key
 * OPEVO_INDEX_MAX; that key itself is kept aside. A set is a map without its values array. */

#include <opevo/hash.h>

#include <opevo/memory.h>

typedef struct table {
    opevo_index *keys;
    uint64_t *values; /* NULL in a set */
    size_t slots;     /* a power of two, or 0 before the first key */
    size_t count;     /* keys in the slots, the one kept aside not counted */
    bool with_values;
    bool has_max;
    uint64_t max_value;
} table;

struct opevo_index_map {
    table table;
};

struct opevo_index_set {
    table table;
};

uint64_t opevo_hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;

    for (size_t i = 0; i < size; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

uint64_t opevo_hash_u64(uint64_t hash, uint64_t number)
{
    unsigned char bytes[8];

    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(number >> (8 * i));
    return opevo_hash_bytes(hash, bytes, sizeof bytes);
}

opevo_index opevo_hash_wide(const void *bytes, size_t size)
{
    const opevo_index prime = (opevo_index)1 << 88 | 0x13b;
    opevo_index hash =
        (opevo_index)UINT64_C(0x6c62272e07bb0142) << 64 | UINT64_C(0x62b821756295c58d);
    const unsigned char *at = bytes;

    for (size_t i = 0; i < size; i++)
        hash = (hash ^ at[i]) * prime;
    return hash;
}

/* Slot of the key, or the empty slot where it belongs. */
static size_t find(const table *self, opevo_index key)
{
    uint64_t low = (uint64_t)key;
    uint64_t high = (uint64_t)(key >> 64);
    size_t mask = self->slots - 1;
    size_t slot = (size_t)opevo_hash_mix(low ^ opevo_hash_mix(high)) & mask;

    while (self->keys[slot] != key && self->keys[slot] != OPEVO_INDEX_MAX)
        slot = (slot + 1) & mask;
    return slot;
}

static bool grow(table *self)
{
    table next = *self;

    next.slots = self->slots ? 2 * self->slots : 16;
    next.keys = opevo_malloc(next.slots, sizeof *next.keys);
    next.values = self->with_values ? opevo_malloc(next.slots, sizeof *next.values) : NULL;
    if (!next.keys || (self->with_values && !next.values)) {
        opevo_free(next.keys);
        opevo_free(next.values);
        return false;
    }
    for (size_t i = 0; i < next.slots; i++)
        next.keys[i] = OPEVO_INDEX_MAX;
    for (size_t i = 0; i < self->slots; i++) {
        if (self->keys[i] != OPEVO_INDEX_MAX) {
            size_t slot = find(&next, self->keys[i]);

            next.keys[slot] = self->keys[i];
            if (self->with_values)
                next.values[slot] = self->values[i];
        }
    }
    opevo_free(self->keys);
    opevo_free(self->values);
    *self = next;
    return true;
}

static bool get(const table *self, opevo_index key, uint64_t *value)
{
    size_t slot = 0;

    if (key == OPEVO_INDEX_MAX) {
        if (self->has_max && value)
            *value = self->max_value;
        return self->has_max;
    }
    if (!self->slots)
        return false;
    slot = find(self, key);
    if (self->keys[slot] != key)
        return false;
    if (value)
        *value = self->values[slot];
    return true;
}

static bool put(table *self, opevo_index key, uint64_t value)
{
    size_t slot = 0;

    if (key == OPEVO_INDEX_MAX) {
        self->has_max = true;
        self->max_value = value;
        return true;
    }
    if (4 * (self->count + 1) > 3 * self->slots && !grow(self))
        return false;
    slot = find(self, key);
    if (self->keys[slot] != key) {
        self->keys[slot] = key;
        self->count++;
    }
    if (self->with_values)
        self->values[slot] = value;
    return true;
}

static void release(table *self)
{
    opevo_free(self->keys);
    opevo_free(self->values);
}

opevo_index_map *opevo_index_map_create(void)
{
    opevo_index_map *map = opevo_calloc(1, sizeof *map);

    if (map)
        map->table.with_values = true;
    return map;
}

void opevo_index_map_destroy(opevo_index_map *map)
{
    if (map)
        release(&map->table);
    opevo_free(map);
}

size_t opevo_index_map_count(const opevo_index_map *map)
{
    return map->table.count + map->table.has_max;
}

bool opevo_index_map_get(const opevo_index_map *map, opevo_index key, uint64_t *value)
{
    return get(&map->table, key, value);
}

bool opevo_index_map_put(opevo_index_map *map, opevo_index key, uint64_t value)
{
    return put(&map->table, key, value);
}

opevo_index_set *opevo_index_set_create(void)
{
    return opevo_calloc(1, sizeof(opevo_index_set));
}

void opevo_index_set_destroy(opevo_index_set *set)
{
    if (set)
        release(&set->table);
    opevo_free(set);
}

size_t opevo_index_set_count(const opevo_index_set *set)
{
    return set->table.count + set->table.has_max;
}

bool opevo_index_set_has(const opevo_index_set *set, opevo_index key)
{
    return get(&set->table, key, NULL);
}

bool opevo_index_set_add(opevo_index_set *set, opevo_index key)
{
    return put(&set->table, key, 0);
}
