/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Contents of buffers that cases of the same seed share. Drawing them takes longer than a small
 * kernel, and a tuner opens the same case at each of its points. Kept is what depends on nothing
 * but the seed, the buffer and its number of elements. */

#include "kernel_harness_internal.h"

#include <opevo/memory.h>

#include <string.h>

typedef struct contents {
    const opevo_i_harness_buffer_plan *plan;
    uint64_t seed;
    size_t bytes;
    void *data;
} contents;

typedef struct opevo_i_harness_memory {
    contents *items;
    size_t count, capacity;
    size_t left; /* bytes that may still be kept */
} opevo_i_harness_memory;

static bool is_kept(const opevo_case *self, const opevo_i_harness_buffer_plan *plan)
{
    static const opevo_i_harness_fill fills[] = {OPEVO_I_FILL_UNIFORM,     OPEVO_I_FILL_NORMAL,
                                                 OPEVO_I_FILL_INTEGERS,    OPEVO_I_FILL_CHOICE,
                                                 OPEVO_I_FILL_PERMUTATION, OPEVO_I_FILL_FILE};
    bool kept = false;

    for (size_t i = 0; i < sizeof fills / sizeof *fills; i++)
        kept |= plan->fill == fills[i];
    return kept && self->harness->memory && !self->anew;
}

opevo_status opevo_harness_remember(opevo_harness *harness, size_t bytes, opevo_error *err)
{
    if (!harness->memory)
        harness->memory = opevo_calloc(1, sizeof *harness->memory);
    OPEVO_NEED_OR_RETURN(harness->memory, "the contents of buffers");
    harness->memory->left = bytes;
    return OPEVO_OK;
}

bool opevo_i_harness_recall(const opevo_case *self, const opevo_i_harness_buffer_plan *plan,
                            opevo_buffer *buffer)
{
    const opevo_i_harness_memory *memory = self->harness->memory;

    for (size_t i = 0; is_kept(self, plan) && i < memory->count; i++) {
        const contents *item = &memory->items[i];

        if (item->plan != plan || item->seed != self->seed || item->bytes != buffer->size_bytes)
            continue;
        memcpy(buffer->data, item->data, item->bytes);
        return true;
    }
    return false;
}

void opevo_i_harness_keep(const opevo_case *self, const opevo_i_harness_buffer_plan *plan,
                          const opevo_buffer *buffer)
{
    opevo_i_harness_memory *memory = self->harness->memory;
    void *items = memory ? memory->items : NULL;
    void *data = NULL;

    if (!is_kept(self, plan) || buffer->size_bytes > memory->left ||
        !opevo_reserve(&items, &memory->capacity, memory->count + 1, sizeof *memory->items))
        return;
    memory->items = items;
    data = opevo_malloc(buffer->size_bytes, 1);
    if (!data)
        return;
    memcpy(data, buffer->data, buffer->size_bytes);
    memory->left -= buffer->size_bytes;
    memory->items[memory->count++] = (contents){plan, self->seed, buffer->size_bytes, data};
}

void opevo_i_harness_forget(opevo_harness *harness)
{
    opevo_i_harness_memory *memory = harness->memory;

    for (size_t i = 0; memory && i < memory->count; i++)
        opevo_free(memory->items[i].data);
    if (memory)
        opevo_free(memory->items);
    opevo_free(memory);
    harness->memory = NULL;
}
