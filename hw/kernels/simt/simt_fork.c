/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Parallel regions: each iteration of their loops is run as a thread of its own, one after the
 * other. So what iterations have in common is found to race, whichever threads they are shared out
 * to. What stands beside the loops is run by each of these threads, of which there are at least
 * two. */

#include "simt_registers_internal.h"

#include <string.h>

enum { LEAST_THREADS = 2 };

static void order_all(opevo_simt *self)
{
    self->launch_stamp = ++self->stamp;
    self->block_stamp = self->interval_stamp = self->fence_stamp = self->stamp;
}

void opevo_i_simt_fork(opevo_simt *self)
{
    self->fork = (opevo_i_simt_fork_state){
        .threads = LEAST_THREADS, .open = true, .outer_races = self->races};
    self->races = self->options.check_races;
    order_all(self);
}

/* Memory that each thread has of its own holds nothing yet. */
static void clear_slot(const opevo_simt *self, unsigned slot)
{
    const opevo_i_simt_region *region = &self->regions[self->first_buffer + self->threads.buffer];
    uint64_t first = self->threads.from + slot * self->threads.bytes;

    if (self->threads.bytes == 0 || first + self->threads.bytes > region->size)
        return;
    if (region->valid)
        memset(region->valid + first, OPEVO_I_SIMT_UNWRITTEN, self->threads.bytes);
    if (region->cells)
        memset(region->cells + (first >> self->granule_shift), 0,
               (self->threads.bytes >> self->granule_shift) * sizeof *region->cells);
}

/* Two neighbours have different numbers, so that they are seen where their memory overlaps. */
void opevo_i_simt_thread(opevo_simt *self, const opevo_i_simt_warp *warp,
                         const opevo_i_simt_code *code)
{
    uint32_t number = self->fork.thread & 1;

    self->block_stamp = self->interval_stamp = self->fence_stamp = ++self->stamp;
    self->fork.shared_out = self->fork.stale = false;
    clear_slot(self, number);
    memcpy(warp->file + code->to, &number, sizeof number);
    opevo_i_simt_define(warp, code->to, 0, code->place);
}

bool opevo_i_simt_join(opevo_simt *self)
{
    if (++self->fork.thread < self->fork.threads)
        return false;
    self->races = self->fork.outer_races;
    self->fork.open = false;
    order_all(self);
    return true;
}

static int64_t number_at(const opevo_i_simt_warp *warp, uint32_t at, const opevo_i_simt_code *code)
{
    int64_t wide;
    int32_t narrow;

    memcpy(&wide, warp->file + at, sizeof wide);
    memcpy(&narrow, warp->file + at, sizeof narrow);
    return code->size == 8 ? wide : code->space ? (int64_t)(uint32_t)narrow : (int64_t)narrow;
}

static void set_number(const opevo_i_simt_warp *warp, uint32_t at, uint64_t number, unsigned size,
                       uint32_t place)
{
    memcpy(warp->file + at, &number, size);
    opevo_i_simt_define(warp, at, 0, place);
}

/* What nothing was written to before the iterations holds, in each of them, only what they write
 * themselves: to read anything else is found, as it is not initialised. */
void opevo_i_simt_fresh(opevo_simt *self, const opevo_i_simt_warp *warp,
                        const opevo_i_simt_code *code)
{
    uint64_t address;
    const opevo_i_simt_region *region;

    memcpy(&address, warp->file + code->a, sizeof address);
    region = &self->regions[address >> OPEVO_I_SIMT_HANDLE_SHIFT];
    self->fork.stale |= !region->valid;
    for (uint64_t i = 0; i < region->size && !self->fork.stale; i++)
        self->fork.stale = region->valid[warp->index * OPEVO_I_SIMT_LANES * region->size + i] !=
                           OPEVO_I_SIMT_UNWRITTEN;
}

bool opevo_i_simt_share(opevo_simt *self, const opevo_i_simt_warp *warp,
                        const opevo_i_simt_code *code)
{
    const opevo_i_simt_header *bounds[] = {opevo_i_simt_header_of(warp, code->a),
                                           opevo_i_simt_header_of(warp, code->b)};
    uint64_t lower = (uint64_t)number_at(warp, code->a, code);
    uint64_t upper = (uint64_t)number_at(warp, code->b, code), count;
    bool empty = code->space ? lower > upper : (int64_t)lower > (int64_t)upper;
    bool mine;

    for (unsigned i = 0; i < 2; i++)
        if (bounds[i]->undefined & warp->mask)
            return opevo_i_simt_fault_undefined(self, warp, code, bounds[i]->origin,
                                                bounds[i]->undefined & warp->mask,
                                                "shares a loop out by it");
    count = empty ? 0 : upper - lower + 1;
    if (count == 0 && !empty)
        return opevo_i_simt_fault(self, warp, code->place, 0, OPEVO_SIMT_LIMIT,
                                  "shares out 2^64 iterations");
    if ((code->to || self->fork.stale) && count > 1)
        opevo_i_simt_doubt(self, code->place,
                           "shares out a loop whose iterations may leave something in variables of "
                           "their thread");
    if (self->fork.shared_out)
        opevo_i_simt_doubt(self, code->place,
                           "shares out a second loop of its region without a barrier between");
    self->fork.shared_out = true;
    mine = self->fork.thread < count;
    if (count > self->fork.threads)
        self->fork.threads = count;
    set_number(warp, (uint32_t)code->number, mine && self->fork.thread + 1 == count, 4,
               code->place);
    set_number(warp, code->c, count ? count : 1, code->size, code->place);
    /* A thread without iterations begins behind the last one, where there is a number for it. */
    if (!mine && !empty &&
        upper == (code->size == 8 ? code->space ? UINT64_MAX : INT64_MAX
                  : code->space   ? (uint64_t)UINT32_MAX
                                  : (uint64_t)INT32_MAX)) {
        set_number(warp, code->a, lower + 1, code->size, code->place);
        set_number(warp, code->b, lower, code->size, code->place);
        return true;
    }
    lower += mine ? self->fork.thread : count;
    set_number(warp, code->a, lower, code->size, code->place);
    set_number(warp, code->b, mine ? lower : upper, code->size, code->place);
    return true;
}

bool opevo_simt_set_thread_memory(opevo_simt *self, uint32_t buffer, uint64_t from, uint64_t bytes)
{
    if (from % OPEVO_I_SIMT_THREAD_ALIGN || bytes % OPEVO_I_SIMT_THREAD_ALIGN)
        return false;
    self->threads.buffer = buffer;
    self->threads.from = from;
    self->threads.bytes = bytes;
    return true;
}
