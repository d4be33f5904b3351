/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Machines: creation, options and counts. */

#include "simt_internal.h"

#include <opevo/memory.h>

#include <stdio.h>
#include <string.h>

#define STEP_LIMIT (UINT64_C(1) << 40)

const opevo_simt_options opevo_simt_defaults = {.check_races = true, .check_uninitialised = true};

opevo_status opevo_simt_create(struct LLVMOpaqueModule *module, const opevo_simt_costs *costs,
                               const opevo_simt_options *options, opevo_simt **out,
                               opevo_error *err)
{
    opevo_simt *self = opevo_calloc(1, sizeof *self);
    opevo_status status;

    if (!self || !opevo_i_simt_region_add(self)) { /* region 0 means none */
        opevo_free(self);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to decode a kernel.");
    }
    self->costs = costs;
    self->options = options ? *options : opevo_simt_defaults;
    self->notable_rounding = self->doubtful = OPEVO_I_SIMT_NOWHERE;
    self->options.check_uninitialised |= self->options.arithmetic != NULL;
    opevo_simt_set_step_limit(self, self->options.step_limit);
    self->operations =
        self->options.one_lane ? opevo_i_simt_lane_operations : opevo_i_simt_operations();
    status = opevo_i_simt_decode(self, module, err);
    if (status == OPEVO_OK)
        status = opevo_simt_reset(self, err);
    if (status != OPEVO_OK) {
        opevo_simt_destroy(self);
        return status;
    }
    *out = self;
    return OPEVO_OK;
}

static void clear_kernel(opevo_i_simt_kernel *kernel)
{
    opevo_free(kernel->name);
    opevo_free(kernel->unsupported);
    opevo_free(kernel->parameters);
    opevo_free(kernel->constants);
}

void opevo_simt_destroy(opevo_simt *self)
{
    if (!self)
        return;
    for (size_t i = 0; i < self->kernel_count; i++)
        clear_kernel(&self->kernels[i]);
    for (size_t i = 0; i < self->allocated_regions; i++)
        opevo_i_simt_region_clear(&self->regions[i]);
    for (size_t i = 0; i < self->word_count; i++)
        opevo_free(self->words[i]);
    opevo_free(self->code);
    opevo_free(self->cases);
    opevo_free(self->places);
    opevo_free(self->words);
    opevo_free(self->kernels);
    opevo_free(self->regions);
    opevo_free(self->warps);
    opevo_free(self->files);
    opevo_free(self->pendings);
    opevo_free(self->block_order);
    opevo_free(self);
}

void opevo_simt_set_order(opevo_simt *self, opevo_simt_order order, uint64_t seed)
{
    self->options.order = order;
    self->options.order_seed = seed;
}

void opevo_simt_set_step_limit(opevo_simt *self, uint64_t step_limit)
{
    self->options.step_limit = step_limit ? step_limit : STEP_LIMIT;
}

void opevo_simt_count(const opevo_simt *self, opevo_simt_counts *counts)
{
    *counts = self->counts;
    counts->cost = (double)self->cost / (double)OPEVO_I_SIMT_COST_UNIT;
    counts->warp_instructions = self->steps;
}

static void name_place(const opevo_simt *self, uint32_t number, char *out, size_t size)
{
    const opevo_i_simt_place *at = &self->places[number];

    (void)snprintf(out, size, at->line ? "%s (line %u)" : "%s", at->name, at->line);
}

bool opevo_simt_notable_rounding(const opevo_simt *self, char *place, size_t size)
{
    if (self->notable_rounding == OPEVO_I_SIMT_NOWHERE)
        return false;
    name_place(self, self->notable_rounding, place, size);
    return true;
}

const char *opevo_simt_doubt(const opevo_simt *self, char *place, size_t size)
{
    if (self->doubtful == OPEVO_I_SIMT_NOWHERE)
        return NULL;
    name_place(self, self->doubtful, place, size);
    return self->doubt;
}

size_t opevo_simt_kernel_count(const opevo_simt *self)
{
    return self->kernel_count;
}

const char *opevo_simt_kernel_name(const opevo_simt *self, size_t kernel)
{
    return self->kernels[kernel].name;
}
