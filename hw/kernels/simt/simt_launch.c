/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Launches: registers that all threads begin with, the order of blocks and warps, barriers. */

#include "simt_registers_internal.h"

#include <opevo/memory.h>
#include <opevo/random.h>
#include <opevo/text.h>

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* ---- Checks ---- */

static uint64_t volume(const uint32_t size[3])
{
    return (uint64_t)size[0] * size[1] * size[2];
}

static bool sizes_fit(const opevo_simt_launch *launch)
{
    const uint32_t *block = launch->block, *grid = launch->grid;

    return block[0] >= 1 && block[1] >= 1 && block[2] >= 1 && block[0] <= OPEVO_I_SIMT_THREADS &&
           block[1] <= OPEVO_I_SIMT_THREADS && block[2] <= 64 &&
           volume(block) <= OPEVO_I_SIMT_THREADS && grid[0] >= 1 && grid[1] >= 1 && grid[2] >= 1 &&
           grid[0] <= INT32_MAX && grid[1] <= UINT16_MAX && grid[2] <= UINT16_MAX &&
           volume(grid) <= INT32_MAX;
}

/* What an argument is and needs to be: by value, a buffer, or a scalar. */
static opevo_status check_argument(const opevo_simt *self, const opevo_i_simt_kernel *kernel,
                                   const opevo_simt_argument *argument, size_t i, opevo_error *err)
{
    const opevo_i_simt_parameter *parameter = &kernel->parameters[i];
    size_t bytes = parameter->region ? self->regions[parameter->region].size : 0;

    if (parameter->is_local != argument->is_local)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "Kernel %s: argument %zu %s local memory, in a harness {\"local\": "
                          "BYTES}.",
                          kernel->name, i + 1, parameter->is_local ? "needs to be" : "cannot be");
    if (parameter->is_local)
        return OPEVO_OK;
    if (parameter->region && (!argument->bytes || argument->size_bytes != bytes))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "Kernel %s: argument %zu is a struct of %zu bytes by value; give all its "
                          "members, in a harness by {\"struct\": [...]}.",
                          kernel->name, i + 1, bytes);
    if (parameter->region)
        return OPEVO_OK;
    if (argument->bytes || argument->is_buffer != parameter->is_pointer)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Kernel %s: argument %zu needs to be %s.",
                          kernel->name, i + 1, parameter->is_pointer ? "a buffer" : "a scalar");
    if (argument->is_buffer && argument->buffer >= self->region_count - self->first_buffer)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Kernel %s: argument %zu: buffer %u is missing.",
                          kernel->name, i + 1, argument->buffer);
    return OPEVO_OK;
}

static opevo_status check_launch(const opevo_simt *self, const opevo_simt_launch *launch,
                                 const opevo_i_simt_kernel *kernel, opevo_error *err)
{
    if (self->options.one_lane && volume(launch->block) != 1)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "Kernel %s: a function of this processor is launched in blocks of one "
                          "work item.",
                          kernel->name);
    if (!sizes_fit(launch))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "Kernel %s: the grid (%u, %u, %u) of blocks (%u, %u, %u) is outside of "
                          "what GPUs allow: 1 to 1024 threads a block and less than 2^31 blocks.",
                          kernel->name, launch->grid[0], launch->grid[1], launch->grid[2],
                          launch->block[0], launch->block[1], launch->block[2]);
    if (kernel->unsupported)
        return OPEVO_OK; /* an outcome */
    if (launch->argument_count != kernel->parameter_count)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Kernel %s takes %zu arguments; %zu were given.",
                          kernel->name, kernel->parameter_count, launch->argument_count);
    for (size_t i = 0; i < launch->argument_count; i++) {
        opevo_status status = check_argument(self, kernel, &launch->arguments[i], i, err);

        if (status != OPEVO_OK)
            return status;
    }
    return OPEVO_OK;
}

/* ---- Registers ---- */

static void set_lanes(const opevo_i_simt_warp *warp, uint32_t at, uint8_t size, uint64_t bits,
                      bool undefined)
{
    opevo_i_simt_header *header = opevo_i_simt_header_of(warp, at);
    uint32_t mask = bits & 1 ? UINT32_MAX : 0;

    header->undefined = undefined ? UINT32_MAX : 0;
    header->origin = OPEVO_I_SIMT_NOWHERE;
    if (size == 0)
        memcpy(warp->file + at, &mask, sizeof mask);
    assert(size <= sizeof bits);
    for (unsigned i = 0; size && i < OPEVO_I_SIMT_LANES; i++)
        memcpy(warp->file + at + (size_t)i * size, &bits, size);
}

/* The same of a float of `width` bytes, which may be a value. */
static void set_number(const opevo_simt *self, const opevo_i_simt_warp *warp, uint32_t at,
                       uint8_t size, uint8_t width, uint64_t bits, bool undefined)
{
    opevo_simt_value *lanes = (opevo_simt_value *)(void *)(warp->file + at), value;

    if (size != OPEVO_I_SIMT_VALUE_SIZE) {
        set_lanes(warp, at, size, bits, undefined);
        return;
    }
    set_lanes(warp, at, 0, 0, undefined);
    value = opevo_i_simt_value_of_bits(self, bits, width);
    for (unsigned i = 0; i < OPEVO_I_SIMT_LANES; i++)
        lanes[i] = value;
}

static void set_special(const opevo_i_simt_warp *warp, unsigned which, uint32_t value)
{
    set_lanes(warp, opevo_i_simt_special_register(which), 4, value, false);
}

static void set_threads(const opevo_simt *self, const opevo_i_simt_warp *warp)
{
    const uint32_t *block = self->launch->block;
    uint32_t thread = warp->index * OPEVO_I_SIMT_LANES;

    for (unsigned i = 0; i < OPEVO_I_SIMT_LANES; i++, thread++) {
        const uint32_t place[] = {thread % block[0], thread / block[0] % block[1],
                                  thread / block[0] / block[1]};

        for (unsigned axis = 0; axis < 3; axis++)
            memcpy(warp->file + opevo_i_simt_special_register(OPEVO_I_SIMT_TID + axis) + 4 * i,
                   &place[axis], 4);
        memcpy(warp->file + opevo_i_simt_special_register(OPEVO_I_SIMT_LANEID) + 4 * i, &i, 4);
    }
}

/* What stays the same in all blocks: nothing writes to these registers. */
static void set_constants(const opevo_simt *self, const opevo_i_simt_warp *warp)
{
    const opevo_i_simt_kernel *kernel = self->kernel;
    const opevo_simt_launch *launch = self->launch;

    set_lanes(warp, OPEVO_I_SIMT_NO_REGISTER, 8, 0, false);
    for (unsigned which = 0; which < OPEVO_I_SIMT_SPECIAL_COUNT; which++)
        set_special(warp, which, 0);
    for (unsigned axis = 0; axis < 3; axis++) {
        set_special(warp, OPEVO_I_SIMT_NTID + axis, launch->block[axis]);
        set_special(warp, OPEVO_I_SIMT_NCTAID + axis, launch->grid[axis]);
    }
    set_special(warp, OPEVO_I_SIMT_WARPID, warp->index);
    set_threads(self, warp);
    for (size_t i = 0; i < kernel->constant_count; i++) {
        const opevo_i_simt_constant *constant = &kernel->constants[i];

        set_number(self, warp, constant->at, constant->size, constant->width, constant->bits,
                   constant->undefined && self->options.check_uninitialised);
    }
    for (size_t i = 0; i < kernel->parameter_count; i++) {
        const opevo_simt_argument *argument = &launch->arguments[i];
        uint64_t region = kernel->parameters[i].region;

        set_number(self, warp, kernel->parameters[i].at, kernel->parameters[i].size,
                   kernel->parameters[i].width,
                   region ? region << OPEVO_I_SIMT_HANDLE_SHIFT
                   : argument->is_buffer
                       ? opevo_simt_address(self, argument->buffer) + argument->offset_bytes
                       : argument->bits,
                   false);
    }
}

/* ---- Warps ---- */

static opevo_status open_warps(opevo_simt *self, opevo_error *err)
{
    size_t threads = (size_t)volume(self->launch->block);
    size_t warps = (threads + OPEVO_I_SIMT_LANES - 1) / OPEVO_I_SIMT_LANES;
    size_t depth = self->kernel->depth, bytes = self->kernel->file_bytes;

    self->warp_count = warps;
    OPEVO_NEED_OR_RETURN(
        opevo_reserve((void **)&self->warps, &self->warp_capacity, warps, sizeof *self->warps) &&
            opevo_reserve((void **)&self->files, &self->files_capacity,
                          warps * bytes + OPEVO_I_SIMT_ALIGN, 1) &&
            opevo_reserve((void **)&self->pendings, &self->pendings_capacity, warps * depth,
                          sizeof *self->pendings),
        "the registers of a kernel");
    memset(self->files, 0, warps * bytes + OPEVO_I_SIMT_ALIGN);
    for (size_t w = 0; w < warps; w++) {
        size_t left = threads - w * OPEVO_I_SIMT_LANES;
        uint8_t *start = self->files + (-(uintptr_t)self->files & (OPEVO_I_SIMT_ALIGN - 1));

        self->warps[w] = (opevo_i_simt_warp){
            .file = start + w * bytes,
            .pending = self->pendings + w * depth,
            .index = (uint32_t)w,
            .all = left >= OPEVO_I_SIMT_LANES ? UINT32_MAX : (UINT32_C(1) << left) - 1};
        set_constants(self, &self->warps[w]);
    }
    return OPEVO_OK;
}

static void open_block(opevo_simt *self)
{
    opevo_i_simt_open_block_memory(self);
    self->block_stamp = self->interval_stamp = self->fence_stamp = ++self->stamp;
    for (size_t w = 0; w < self->warp_count; w++) {
        opevo_i_simt_warp *warp = &self->warps[w];

        warp->at = self->kernel->entry;
        warp->meet = OPEVO_I_SIMT_NOWHERE;
        warp->mask = warp->live = warp->all;
        warp->done = false;
        warp->pending_count = 0;
        warp->sync_stamp = 0;
        for (unsigned axis = 0; axis < 3; axis++)
            set_special(warp, OPEVO_I_SIMT_CTAID + axis, self->block[axis]);
    }
}

/* All warps must be at the same barrier; *over: they have all ended instead. False on a fault. */
static bool pass_barrier(opevo_simt *self, bool *over)
{
    const opevo_i_simt_warp *waits = NULL, *done = NULL;
    opevo_i_simt_fence fence;

    for (size_t w = 0; w < self->warp_count; w++) {
        const opevo_i_simt_warp *warp = &self->warps[w];

        if (warp->done) {
            done = warp;
            continue;
        }
        if (waits && waits->barrier != warp->barrier)
            return opevo_i_simt_fault(self, warp, self->code[warp->barrier].place, 0,
                                      OPEVO_SIMT_DIVERGENT_BARRIER,
                                      "waits at a barrier while other warps wait at another");
        waits = warp;
    }
    *over = waits == NULL;
    if (waits && done)
        return opevo_i_simt_fault(self, waits, self->code[waits->barrier].place, 0,
                                  OPEVO_SIMT_DIVERGENT_BARRIER,
                                  "waits at a barrier while other warps have ended");
    fence = waits ? (opevo_i_simt_fence)self->code[waits->barrier].number : OPEVO_I_SIMT_FENCE_ALL;
    self->stamp++;
    if (fence == OPEVO_I_SIMT_FENCE_ALL || fence == OPEVO_I_SIMT_FENCE_SHARED)
        self->interval_stamp = self->stamp;
    if (fence == OPEVO_I_SIMT_FENCE_ALL || fence == OPEVO_I_SIMT_FENCE_GLOBAL)
        self->fence_stamp = self->stamp;
    return true;
}

static bool run_block(opevo_simt *self)
{
    bool backwards = self->options.order == OPEVO_SIMT_REVERSE, over = false;

    open_block(self);
    while (!over) {
        for (size_t i = 0; i < self->warp_count; i++) {
            size_t w = backwards ? self->warp_count - 1 - i : i;

            if (!self->warps[w].done && !opevo_i_simt_warp_run(self, &self->warps[w]))
                return false;
        }
        if (!pass_barrier(self, &over))
            return false;
    }
    return true;
}

/* ---- Blocks ---- */

static opevo_status shuffle_blocks(opevo_simt *self, uint32_t count, opevo_error *err)
{
    opevo_rng rng;

    OPEVO_NEED_OR_RETURN(opevo_reserve((void **)&self->block_order, &self->block_order_capacity,
                                       count, sizeof *self->block_order),
                         "the order of blocks");
    opevo_rng_init(&rng, self->options.order_seed, "simt blocks", self->launch_number);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t j = (uint32_t)opevo_rng_below(&rng, i + 1);

        self->block_order[i] = self->block_order[j];
        self->block_order[j] = i;
    }
    return OPEVO_OK;
}

static opevo_status run_blocks(opevo_simt *self, opevo_error *err)
{
    const uint32_t *grid = self->launch->grid;
    uint32_t count = (uint32_t)volume(grid);
    bool shuffled = self->options.order == OPEVO_SIMT_SHUFFLED;
    opevo_status status = shuffled ? shuffle_blocks(self, count, err) : OPEVO_OK;

    for (uint32_t i = 0; status == OPEVO_OK && i < count; i++) {
        uint32_t b = shuffled                                    ? self->block_order[i]
                     : self->options.order == OPEVO_SIMT_REVERSE ? count - 1 - i
                                                                 : i;

        self->block[0] = b % grid[0];
        self->block[1] = b / grid[0] % grid[1];
        self->block[2] = b / grid[0] / grid[1];
        if (!run_block(self))
            break;
    }
    return status;
}

/* ---- Launches ---- */

static const opevo_i_simt_kernel *find_kernel(const opevo_simt *self, const char *name)
{
    for (size_t i = 0; i < self->kernel_count; i++)
        if (strcmp(self->kernels[i].name, name) == 0)
            return &self->kernels[i];
    return NULL;
}

static opevo_status fail_kernel(const opevo_simt *self, const char *name, opevo_error *err)
{
    opevo_text known = {0};

    for (size_t i = 0; i < self->kernel_count; i++)
        opevo_text_printf(&known, "%s%.100s", i ? ", " : "", self->kernels[i].name);
    OPEVO_FAIL(err, OPEVO_INVALID, "The module has no kernel %.100s, which is launched; it has %s.",
               name, opevo_text_string(&known));
    opevo_text_free(&known);
    return OPEVO_INVALID;
}

static void forget_accesses(opevo_simt *self)
{
    for (size_t i = 0; i < self->allocated_regions; i++)
        if (self->regions[i].cell_memory)
            memset(self->regions[i].cell_memory, 0,
                   self->regions[i].cell_capacity * sizeof *self->regions[i].cell_memory);
    self->stamp = self->launch_number = 0;
}

opevo_status opevo_simt_run(opevo_simt *self, const opevo_simt_launch *launch,
                            opevo_simt_result *result, opevo_error *err)
{
    const opevo_i_simt_kernel *kernel = find_kernel(self, launch->kernel);
    opevo_status status;

    if (!kernel)
        return fail_kernel(self, launch->kernel, err);
    status = check_launch(self, launch, kernel, err);
    if (status != OPEVO_OK)
        return status;
    *result = (opevo_simt_result){.outcome = OPEVO_SIMT_OK};
    if (kernel->unsupported) {
        result->outcome = OPEVO_SIMT_UNSUPPORTED;
        (void)snprintf(result->message, sizeof result->message,
                       "Kernel %s has a parameter of type %s, which is not supported.",
                       kernel->name, kernel->unsupported);
        return OPEVO_OK;
    }
    self->launch = launch;
    self->kernel = kernel;
    self->result = result;
    if (self->stamp > OPEVO_I_SIMT_LATE_STAMP)
        forget_accesses(self);
    self->launch_number++;
    self->fork = (opevo_i_simt_fork_state){0};
    self->races = self->options.check_races && volume(launch->grid) * volume(launch->block) > 1;
    self->launch_stamp = self->stamp + 1;
    status = open_warps(self, err);
    if (status == OPEVO_OK)
        status = opevo_i_simt_open_launch_memory(self, self->warp_count, err);
    if (status == OPEVO_OK)
        status = run_blocks(self, err);
    self->launch = NULL;
    self->result = NULL;
    return status;
}
