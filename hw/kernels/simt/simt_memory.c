/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Regions of memory: variables of the module, local memory and buffers, with their shadows. */

#include "simt_registers_internal.h"

#include <opevo/memory.h>

#include <string.h>

enum { MOST_BUFFERS = 1000000 };

/* Shadows of regions that were there before are kept: they are large, and cells need no reset, as
 * stamps only grow. */
opevo_i_simt_region *opevo_i_simt_region_add(opevo_simt *self)
{
    opevo_i_simt_region *region;
    opevo_i_simt_region kept = {0};

    if (!opevo_reserve((void **)&self->regions, &self->region_capacity, self->region_count + 1,
                       sizeof *self->regions))
        return NULL;
    region = &self->regions[self->region_count];
    if (self->region_count < self->allocated_regions)
        kept = *region;
    else
        self->allocated_regions = self->region_count + 1;
    *region = (opevo_i_simt_region){.shadow = kept.shadow,
                                    .shadow_capacity = kept.shadow_capacity,
                                    .cell_memory = kept.cell_memory,
                                    .cell_capacity = kept.cell_capacity,
                                    .values = kept.values,
                                    .value_capacity = kept.value_capacity};
    self->region_count++;
    return region;
}

void opevo_i_simt_region_clear(opevo_i_simt_region *region)
{
    if (region->owned)
        opevo_free(region->data);
    opevo_free(region->shadow);
    opevo_free(region->cell_memory);
    opevo_free(region->values);
    opevo_free(region->initial);
    opevo_free(region->initial_valid);
    opevo_free(region->name);
    *region = (opevo_i_simt_region){0};
}

static bool grow(void **memory, size_t *capacity, size_t count, size_t size)
{
    void *wide;

    if (count <= *capacity)
        return true;
    wide = opevo_calloc(count, size);
    if (!wide)
        return false;
    opevo_free(*memory);
    *memory = wide;
    *capacity = count;
    return true;
}

/* Memory of the machine's own, for `copies` of a region. */
static bool own_data(opevo_i_simt_region *region, size_t copies)
{
    return grow((void **)&region->data, &region->data_capacity, region->size * copies + 1, 1) &&
           (region->owned = true);
}

/* Shadows of a region of `bytes` bytes, as options and kind need them. */
static bool add_shadows(opevo_simt *self, opevo_i_simt_region *region, size_t bytes, bool valid)
{
    size_t cells = (bytes >> self->granule_shift) + 1;

    region->valid = NULL;
    region->cells = NULL;
    if (self->options.check_uninitialised && valid) {
        if (!grow((void **)&region->shadow, &region->shadow_capacity, bytes + 8, 1))
            return false;
        region->valid = region->shadow;
    }
    if (self->options.check_races && !region->read_only &&
        (region->kind == OPEVO_I_SIMT_GLOBAL || region->kind == OPEVO_I_SIMT_SHARED ||
         (region->kind == OPEVO_I_SIMT_LOCAL && self->forks))) {
        if (!grow((void **)&region->cell_memory, &region->cell_capacity, cells,
                  sizeof *region->cell_memory))
            return false;
        region->cells = region->cell_memory;
    }
    return !self->options.arithmetic ||
           grow((void **)&region->values, &region->value_capacity, (bytes >> self->value_shift) + 1,
                sizeof *region->values);
}

/* A variable in global or constant memory as it is at first. */
static bool reset_variable(opevo_simt *self, opevo_i_simt_region *region)
{
    if (!own_data(region, 1) || !add_shadows(self, region, region->size, true))
        return false;
    memcpy(region->data, region->initial, region->size);
    if (region->valid)
        memcpy(region->valid, region->initial_valid, region->size);
    return true;
}

opevo_status opevo_simt_reset(opevo_simt *self, opevo_error *err)
{
    self->region_count = self->first_buffer;
    for (size_t i = 1; i < self->first_buffer; i++) {
        opevo_i_simt_region *region = &self->regions[i];

        if ((region->kind == OPEVO_I_SIMT_GLOBAL || region->kind == OPEVO_I_SIMT_CONSTANT) &&
            !reset_variable(self, region))
            return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the variables of a kernel.");
    }
    self->steps = self->cost = 0;
    self->counts = (opevo_simt_counts){0};
    return OPEVO_OK;
}

opevo_status opevo_simt_add_buffer(opevo_simt *self, const opevo_simt_buffer *buffer,
                                   uint32_t *number, opevo_error *err)
{
    opevo_i_simt_region *region;

    if (self->region_count - self->first_buffer >= MOST_BUFFERS || buffer->size_bytes >> 38)
        return OPEVO_FAIL(err, OPEVO_LIMIT,
                          "A kernel may have up to %d buffers of less than 2^38 bytes.",
                          MOST_BUFFERS);
    region = opevo_i_simt_region_add(self);
    OPEVO_NEED_OR_RETURN(region, "a buffer of a kernel");
    region->kind = OPEVO_I_SIMT_GLOBAL;
    region->size = buffer->size_bytes;
    region->data = buffer->data;
    region->read_only = buffer->read_only;
    region->same_value = buffer->same_value_races;
    region->buffer_name = buffer->name;
    if (!add_shadows(self, region, region->size,
                     !buffer->initialised || self->options.arithmetic)) {
        self->region_count--;
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the checks of a buffer.");
    }
    if (region->valid)
        memset(region->valid, buffer->initialised, region->size);
    *number = (uint32_t)(self->region_count - 1 - self->first_buffer);
    return OPEVO_OK;
}

uint64_t opevo_simt_address(const opevo_simt *self, uint32_t buffer)
{
    return (uint64_t)(self->first_buffer + buffer) << OPEVO_I_SIMT_HANDLE_SHIFT;
}

bool opevo_simt_allow_same_value(opevo_simt *self, const char *variable)
{
    const opevo_i_simt_region *found = NULL;

    for (size_t i = 1; i < self->first_buffer && !(found && variable); i++) {
        opevo_i_simt_region *region = &self->regions[i];
        bool writable = region->kind == OPEVO_I_SIMT_SHARED ||
                        region->kind == OPEVO_I_SIMT_GLOBAL || region->dynamic;

        if (!writable || (variable && strcmp(region->name, variable) != 0))
            continue;
        region->same_value = true;
        found = region;
    }
    for (size_t i = 1; found && found->dynamic && i < self->first_buffer; i++)
        self->regions[i].same_value |= self->regions[i].dynamic; /* they are one place */
    return found != NULL;
}

bool opevo_simt_set_variable(opevo_simt *self, const char *variable, const void *data, size_t size)
{
    for (size_t i = 1; i < self->first_buffer; i++) {
        opevo_i_simt_region *region = &self->regions[i];

        if ((region->kind != OPEVO_I_SIMT_GLOBAL && region->kind != OPEVO_I_SIMT_CONSTANT) ||
            strcmp(region->name, variable) != 0 || size > region->size)
            continue;
        memcpy(region->data, data, size);
        if (region->valid)
            memset(region->valid, OPEVO_I_SIMT_WRITTEN, size);
        return true;
    }
    return false;
}

bool opevo_simt_mark_read(opevo_simt *self, uint32_t number)
{
    opevo_i_simt_region *region = &self->regions[self->first_buffer + number];

    if (!self->options.arithmetic)
        region->valid = NULL;
    for (uint64_t i = 0; region->valid && i < region->size; i++) {
        if (region->valid[i] > OPEVO_I_SIMT_WRITTEN)
            return false;
        region->valid[i] = OPEVO_I_SIMT_WRITTEN;
    }
    return true;
}

void opevo_simt_mark_written(opevo_simt *self, uint32_t number)
{
    opevo_i_simt_region *region = &self->regions[self->first_buffer + number];

    if (!self->options.arithmetic)
        region->valid = NULL;
    else if (region->valid)
        memset(region->valid, OPEVO_I_SIMT_WRITTEN, region->size);
}

size_t opevo_simt_first_uninitialised(const opevo_simt *self, uint32_t number)
{
    const opevo_i_simt_region *region = &self->regions[self->first_buffer + number];
    const uint8_t *hole = region->valid ? memchr(region->valid, 0, region->size) : NULL;

    return hole ? (size_t)(hole - region->valid) : region->size;
}

/* ---- Of a launch and of a block ---- */

static void size_locals(opevo_simt *self)
{
    for (size_t i = 0; i < self->kernel->parameter_count; i++)
        if (self->kernel->parameters[i].is_local)
            self->regions[self->kernel->parameters[i].region].size =
                self->launch->arguments[i].bits;
}

opevo_status opevo_i_simt_open_launch_memory(opevo_simt *self, size_t warps, opevo_error *err)
{
    size_locals(self);
    for (size_t i = 1; i < self->first_buffer; i++) {
        opevo_i_simt_region *region = &self->regions[i];
        size_t copies = region->kind == OPEVO_I_SIMT_LOCAL ? warps * OPEVO_I_SIMT_LANES : 1;

        if (region->dynamic)
            region->size = self->launch->dynamic_shared_bytes;
        if (region->kind != OPEVO_I_SIMT_LOCAL && region->kind != OPEVO_I_SIMT_SHARED)
            continue;
        OPEVO_NEED_OR_RETURN(own_data(region, copies) &&
                                 add_shadows(self, region, region->size * copies, true),
                             "the variables of a kernel");
    }
    return OPEVO_OK;
}

static void copy_structs(opevo_simt *self)
{
    for (size_t i = 0; i < self->kernel->parameter_count; i++) {
        opevo_i_simt_region *region = &self->regions[self->kernel->parameters[i].region];
        size_t threads = self->warp_count * OPEVO_I_SIMT_LANES;

        if (!self->kernel->parameters[i].region || self->kernel->parameters[i].is_local)
            continue;
        for (size_t t = 0; t < threads; t++)
            memcpy(region->data + t * region->size, self->launch->arguments[i].bytes, region->size);
        if (region->valid)
            memset(region->valid, 1, threads * region->size);
    }
}

void opevo_i_simt_open_block_memory(opevo_simt *self)
{
    copy_structs(self);
    for (size_t i = 1; i < self->first_buffer; i++) {
        opevo_i_simt_region *region = &self->regions[i];

        if (region->kind != OPEVO_I_SIMT_SHARED)
            continue;
        memset(region->data, 0xff, region->size); /* not a number, where nobody checks */
        if (region->valid)
            memset(region->valid, 0, region->size);
    }
}

void opevo_i_simt_allocate(opevo_simt *self, const opevo_i_simt_warp *warp,
                           const opevo_i_simt_code *code)
{
    opevo_i_simt_region *region = &self->regions[code->number];
    uint64_t *to = (uint64_t *)(void *)(warp->file + code->to);

    for (uint32_t rest = warp->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        uint64_t at = (warp->index * (uint64_t)OPEVO_I_SIMT_LANES + lane) * region->size;

        to[lane] = (uint64_t)code->number << OPEVO_I_SIMT_HANDLE_SHIFT;
        if (region->valid)
            memset(region->valid + at, 0, region->size);
        if (region->cells && self->fork.open) /* it is this thread's alone */
            memset(region->cells + (at >> self->granule_shift), 0,
                   ((region->size >> self->granule_shift) + 1) * sizeof *region->cells);
    }
    if (self->options.check_uninitialised)
        opevo_i_simt_define(warp, code->to, 0, code->place);
}
