/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Races. A cell has the last write and the last read of a piece of memory, each with its thread and
 * a stamp. A new stamp is taken by each block, by each barrier of a block and by each barrier of a
 * whole warp. As blocks run one after the other, a stamp tells whether an access was in this
 * launch, in this block, and behind its last barrier. An access that is ordered before the present
 * one may be forgotten, so that one writer and one reader, or the fact that there were several, are
 * all that is needed. */

#include "simt_internal.h"

enum {
    SEVERAL = 0x7ff,    /* threads of several warps */
    SEVERAL_OF = 0x400, /* threads of the warp in the low bits */
    ATOMIC = 0x8000
};

static bool same_warp(uint16_t code, uint32_t warp)
{
    unsigned who = code & SEVERAL;

    if (who == SEVERAL)
        return false;
    return (who & SEVERAL_OF ? who & (OPEVO_I_SIMT_WARPS - 1) : who / OPEVO_I_SIMT_LANES) == warp;
}

/* Whether an access since the last barrier of the block comes before one of this thread for
 * sure. */
static bool is_ordered(const opevo_simt *self, const opevo_i_simt_warp *warp, uint16_t thread,
                       uint16_t code, uint32_t stamp)
{
    if ((code & SEVERAL) == thread)
        return true;
    return same_warp(code, warp->index) && (self->options.warp_sync || stamp < warp->sync_stamp);
}

/* Who of two accessed: one of them if the other is ordered before it. */
static uint16_t merge(const opevo_simt *self, const opevo_i_simt_warp *warp, uint16_t thread,
                      uint16_t code, uint32_t stamp)
{
    if (stamp < self->interval_stamp || (code & SEVERAL) == thread ||
        (same_warp(code, warp->index) && stamp < warp->sync_stamp))
        return thread;
    return same_warp(code, warp->index) ? (uint16_t)(SEVERAL_OF | warp->index) : (uint16_t)SEVERAL;
}

static opevo_i_simt_conflict against_write(const opevo_simt *self, const opevo_i_simt_warp *warp,
                                           uint16_t thread, bool is_shared,
                                           const opevo_i_simt_cell *cell,
                                           opevo_i_simt_access access, bool twice, bool same)
{
    uint32_t stamp = cell->write_stamp;
    bool atomics = access == OPEVO_I_SIMT_UPDATE && cell->writer & ATOMIC;

    if (stamp < self->launch_stamp || atomics || (access == OPEVO_I_SIMT_WRITE && same))
        return OPEVO_I_SIMT_NO_CONFLICT;
    if (stamp < self->block_stamp)
        return is_shared ? OPEVO_I_SIMT_NO_CONFLICT : OPEVO_I_SIMT_WRITTEN_BY_BLOCK;
    if (stamp < self->interval_stamp)
        return OPEVO_I_SIMT_NO_CONFLICT;
    if (access == OPEVO_I_SIMT_WRITE && twice && (cell->writer & SEVERAL) != thread)
        return OPEVO_I_SIMT_WRITTEN;
    return is_ordered(self, warp, thread, cell->writer, stamp) ? OPEVO_I_SIMT_NO_CONFLICT
                                                               : OPEVO_I_SIMT_WRITTEN;
}

static opevo_i_simt_conflict against_read(const opevo_simt *self, const opevo_i_simt_warp *warp,
                                          uint16_t thread, bool is_shared,
                                          const opevo_i_simt_cell *cell)
{
    uint32_t stamp = cell->read_stamp;

    if (!is_shared && cell->other_launch == self->launch_number)
        return OPEVO_I_SIMT_READ_BY_BLOCK;
    if (stamp < self->launch_stamp)
        return OPEVO_I_SIMT_NO_CONFLICT;
    if (stamp < self->block_stamp)
        return is_shared ? OPEVO_I_SIMT_NO_CONFLICT : OPEVO_I_SIMT_READ_BY_BLOCK;
    if (stamp < self->interval_stamp || is_ordered(self, warp, thread, cell->reader, stamp))
        return OPEVO_I_SIMT_NO_CONFLICT;
    return OPEVO_I_SIMT_READ_BEFORE;
}

static void record_read(const opevo_simt *self, const opevo_i_simt_warp *warp, uint16_t thread,
                        opevo_i_simt_cell *cell, uint32_t place)
{
    if (cell->read_stamp >= self->launch_stamp && cell->read_stamp < self->block_stamp)
        cell->other_launch = self->launch_number;
    cell->reader = merge(self, warp, thread, cell->reader, cell->read_stamp);
    cell->read_stamp = self->stamp;
    cell->read_place = place;
}

/* A plain write stays one, in an interval, where an atomic of the same thread follows. */
static void record_write(const opevo_simt *self, const opevo_i_simt_warp *warp, uint16_t thread,
                         opevo_i_simt_cell *cell, uint32_t place, bool is_atomic)
{
    bool fresh = cell->write_stamp < self->interval_stamp;
    uint16_t flag = is_atomic && (fresh || cell->writer & ATOMIC) ? ATOMIC : 0;

    cell->writer = (uint16_t)(merge(self, warp, thread, cell->writer, cell->write_stamp) | flag);
    cell->write_stamp = self->stamp;
    cell->write_place = place;
}

opevo_i_simt_conflict opevo_i_simt_race(const opevo_simt *self, const opevo_i_simt_warp *warp,
                                        unsigned lane, bool is_shared, opevo_i_simt_cell *cell,
                                        opevo_i_simt_access access, uint32_t place, bool twice,
                                        bool same)
{
    uint16_t thread = (uint16_t)(warp->index * OPEVO_I_SIMT_LANES + lane);
    opevo_i_simt_conflict conflict =
        against_write(self, warp, thread, is_shared, cell, access, twice, same);

    if (conflict == OPEVO_I_SIMT_NO_CONFLICT && access != OPEVO_I_SIMT_READ)
        conflict = against_read(self, warp, thread, is_shared, cell);
    if (conflict != OPEVO_I_SIMT_NO_CONFLICT)
        return conflict;
    if (access == OPEVO_I_SIMT_READ)
        record_read(self, warp, thread, cell, place);
    else
        record_write(self, warp, thread, cell, place, access == OPEVO_I_SIMT_UPDATE);
    return OPEVO_I_SIMT_NO_CONFLICT;
}

uint32_t opevo_i_simt_race_reads(const opevo_simt *self, const opevo_i_simt_warp *warp,
                                 bool is_shared, opevo_i_simt_cell *cells, const uint64_t *offset,
                                 unsigned size, uint32_t place)
{
    uint32_t rest = warp->mask;

    for (; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        uint16_t thread = (uint16_t)(warp->index * OPEVO_I_SIMT_LANES + lane);
        uint64_t at = offset[lane] >> self->granule_shift;
        opevo_i_simt_cell *cell = &cells[at];

        if ((offset[lane] + size - 1) >> self->granule_shift != at ||
            against_write(self, warp, thread, is_shared, cell, OPEVO_I_SIMT_READ, false, false) !=
                OPEVO_I_SIMT_NO_CONFLICT)
            break;
        record_read(self, warp, thread, cell, place);
    }
    return rest;
}
