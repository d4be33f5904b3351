/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A table of different sequences of 32-bit words, numbered in the order in which they came:
 * hash-consing. */

#ifndef OPEVO_WORDS_H
#define OPEVO_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct opevo_i_topology_words {
    uint32_t *pool;
    size_t used, pool_capacity;
    size_t *starts; /* of each sequence in the pool; `count` + 1 */
    size_t count, start_capacity;
    uint32_t *slots; /* numbers + 1; 0: empty */
    size_t slot_count;
} opevo_i_topology_words;

/* The number of a sequence, which is `count` before the call where it is new; UINT32_MAX without
 * memory. Expected cost: O(length). */
uint32_t opevo_i_topology_words_add(opevo_i_topology_words *words, const uint32_t *sequence,
                                    size_t length);
void opevo_i_topology_words_clear(opevo_i_topology_words *words);
size_t opevo_i_topology_words_bytes(const opevo_i_topology_words *words);

static inline const uint32_t *opevo_i_topology_words_get(const opevo_i_topology_words *words,
                                                         uint32_t number)
{
    return words->pool + words->starts[number];
}

#endif
