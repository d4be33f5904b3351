/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Open addressing with linear probing, at most half full. */

#include "words.h"

#include <opevo/hash.h>
#include <opevo/memory.h>

#include <string.h>

static uint64_t hash_of(const uint32_t *sequence, size_t length)
{
    uint64_t hash = length;

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ sequence[i]) * UINT64_C(0x9e3779b97f4a7c15) + (hash >> 29);
    return opevo_hash_mix(hash);
}

static bool equals(const opevo_i_topology_words *words, uint32_t number, const uint32_t *sequence,
                   size_t length)
{
    size_t start = words->starts[number];

    return words->starts[number + 1] - start == length &&
           (length == 0 || memcmp(words->pool + start, sequence, length * sizeof *sequence) == 0);
}

/* The slot of a sequence, or the empty one where it belongs. */
static size_t find(const opevo_i_topology_words *words, const uint32_t *sequence, size_t length)
{
    size_t mask = words->slot_count - 1;
    size_t slot = (size_t)hash_of(sequence, length) & mask;

    while (words->slots[slot] && !equals(words, words->slots[slot] - 1, sequence, length))
        slot = (slot + 1) & mask;
    return slot;
}

static bool grow(opevo_i_topology_words *words)
{
    size_t count = words->slot_count ? 2 * words->slot_count : 64;
    uint32_t *slots = opevo_calloc(count, sizeof *slots);

    if (!slots)
        return false;
    opevo_free(words->slots);
    words->slots = slots;
    words->slot_count = count;
    for (size_t i = 0; i < words->count; i++) {
        size_t start = words->starts[i];

        slots[find(words, words->pool + start, words->starts[i + 1] - start)] = (uint32_t)i + 1;
    }
    return true;
}

uint32_t opevo_i_topology_words_add(opevo_i_topology_words *words, const uint32_t *sequence,
                                    size_t length)
{
    size_t slot = 0;

    if (2 * (words->count + 1) > words->slot_count && !grow(words))
        return UINT32_MAX;
    slot = find(words, sequence, length);
    if (words->slots[slot])
        return words->slots[slot] - 1;
    if (words->count >= UINT32_MAX - 2 ||
        !opevo_reserve((void **)&words->starts, &words->start_capacity, words->count + 2,
                       sizeof *words->starts) ||
        !opevo_reserve((void **)&words->pool, &words->pool_capacity, words->used + length + 1,
                       sizeof *words->pool))
        return UINT32_MAX;
    if (length > 0)
        memcpy(words->pool + words->used, sequence, length * sizeof *sequence);
    words->starts[words->count] = words->used;
    words->used += length;
    words->starts[words->count + 1] = words->used;
    words->slots[slot] = (uint32_t)words->count + 1;
    return (uint32_t)words->count++;
}

void opevo_i_topology_words_clear(opevo_i_topology_words *words)
{
    opevo_free(words->pool);
    opevo_free(words->starts);
    opevo_free(words->slots);
    *words = (opevo_i_topology_words){0};
}

size_t opevo_i_topology_words_bytes(const opevo_i_topology_words *words)
{
    return words->pool_capacity * sizeof *words->pool +
           words->start_capacity * sizeof *words->starts + words->slot_count * sizeof *words->slots;
}
