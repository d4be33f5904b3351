/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Memory of a computation: what is taken from an arena is released with it. */

#include "computation_internal.h"

#include <opevo/memory.h>

#include <stddef.h>
#include <string.h>

enum { CHUNK_BYTES = 1 << 14 };

struct opevo_i_comp_chunk {
    opevo_i_comp_chunk *before;
    size_t used, size;
    max_align_t data[];
};

void *opevo_i_comp_arena_take(opevo_i_comp_arena *arena, size_t bytes)
{
    opevo_i_comp_chunk *chunk = arena->last;
    size_t rounded = (bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    void *taken = NULL;

    if (!chunk || chunk->size - chunk->used < rounded) {
        size_t size = rounded > CHUNK_BYTES ? rounded : CHUNK_BYTES;

        chunk = opevo_calloc(1, sizeof *chunk + size);
        if (!chunk) {
            arena->failed = true;
            return NULL;
        }
        chunk->before = arena->last;
        chunk->size = size;
        arena->last = chunk;
    }
    taken = (char *)chunk->data + chunk->used;
    chunk->used += rounded;
    return taken;
}

void *opevo_i_comp_arena_copy(opevo_i_comp_arena *arena, const void *data, size_t bytes)
{
    void *copy = opevo_i_comp_arena_take(arena, bytes);

    if (copy && bytes)
        memcpy(copy, data, bytes);
    return copy;
}

void opevo_i_comp_arena_free(opevo_i_comp_arena *arena)
{
    while (arena->last) {
        opevo_i_comp_chunk *before = arena->last->before;

        opevo_free(arena->last);
        arena->last = before;
    }
}
