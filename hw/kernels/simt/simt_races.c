/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Races, by the model of simt.h. A cell has the accesses to a granule of memory in four traces, one
 * for each kind, as kinds differ in what they conflict with: writes and reads, plain and atomic.
 *
 * A stamp is taken by each block, by each barrier of a block, by each barrier of a whole warp, and
 * where lanes are in step by each access. As blocks run one after the other, the stamp of an access
 * tells whether it was in this launch, in this block, and behind its last barrier. An access that
 * comes before the present one may be forgotten: a later one that does not come behind it does not
 * come behind the present one either. So a trace needs, of the accesses behind the last barrier,
 * their thread, or that there were several of one warp since its last barrier, or of several warps;
 * and of earlier blocks of the launch, which nothing orders, that there were some.
 *
 * Where threads may write the same value at once, a write need not conflict with one that does not
 * come before it, and the above fails. All of those had the same value so far, which is in memory,
 * but for writes that came before one of another value, as of the same thread: `replaced` has them.
 * A write of the value that is in memory conflicts with those only. */

#include "simt_internal.h"

enum {
    SEVERAL = 0x7ff,   /* threads of several warps */
    SEVERAL_OF = 0x400 /* threads of the warp in the low bits */
};

/* An access that is checked, and what it is compared with. Passed by value, so that compilers keep
 * it in registers while cells are written. */
typedef struct present {
    unsigned thread, warp;
    uint32_t floor; /* stamp from which on accesses of others matter */
    uint32_t block, interval, sync, stamp;
    uint32_t at;
} present;

static present present_of(const opevo_simt *self, const opevo_i_simt_warp *warp, bool is_shared,
                          const opevo_i_simt_code *code)
{
    return (present){.warp = warp->index,
                     .floor = is_shared ? self->interval_stamp : self->launch_stamp,
                     .block = self->block_stamp,
                     .interval = is_shared ? self->interval_stamp : self->fence_stamp,
                     .sync = warp->sync_stamp,
                     .stamp = self->stamp,
                     .at = (uint32_t)(code - self->code)};
}

static inline bool same_warp(unsigned who, unsigned warp)
{
    return (who & SEVERAL_OF ? who - SEVERAL_OF : who / OPEVO_I_SIMT_LANES) == warp;
}

/* Whether all accesses of a trace since the last barrier of the block come before this one. */
static inline bool is_ordered(present now, opevo_i_simt_trace trace)
{
    return trace.who == now.thread || (same_warp(trace.who, now.warp) && trace.stamp < now.sync);
}

static inline opevo_i_simt_scope conflict_with(present now, opevo_i_simt_trace trace)
{
    if (trace.stamp < now.floor)
        return OPEVO_I_SIMT_NO_CONFLICT;
    if (trace.stamp < now.block || trace.other)
        return OPEVO_I_SIMT_OTHER_BLOCK;
    return trace.stamp < now.interval || is_ordered(now, trace) ? OPEVO_I_SIMT_NO_CONFLICT
                                                                : OPEVO_I_SIMT_OTHER_THREAD;
}

/* Let a trace have this access. */
static inline void extend(present now, opevo_i_simt_trace *trace)
{
    unsigned who = now.thread;
    bool other = false;

    if (trace->stamp >= now.interval) {
        if (trace->who == SEVERAL)
            return; /* and stays so until the next barrier */
        other = trace->other;
        if (!is_ordered(now, *trace))
            who = same_warp(trace->who, now.warp) ? SEVERAL_OF | now.warp : SEVERAL;
    } else if (trace->stamp >= now.floor) {
        other = trace->other || trace->stamp < now.block;
    }
    *trace = (opevo_i_simt_trace){
        .stamp = now.stamp, .at = now.at & 0xfffff, .who = who & SEVERAL, .other = other};
}

/* What an access conflicts with, as bits by kind. */
static const uint8_t rivals[OPEVO_I_SIMT_ACCESS_COUNT] = {
    [OPEVO_I_SIMT_WRITE] = 1 << OPEVO_I_SIMT_WRITE | 1 << OPEVO_I_SIMT_UPDATE |
                           1 << OPEVO_I_SIMT_READ | 1 << OPEVO_I_SIMT_LOOK,
    [OPEVO_I_SIMT_UPDATE] = 1 << OPEVO_I_SIMT_WRITE | 1 << OPEVO_I_SIMT_READ,
    [OPEVO_I_SIMT_READ] = 1 << OPEVO_I_SIMT_WRITE | 1 << OPEVO_I_SIMT_UPDATE,
    [OPEVO_I_SIMT_LOOK] = 1 << OPEVO_I_SIMT_WRITE};

opevo_i_simt_conflict opevo_i_simt_race(const opevo_simt *self, const opevo_i_simt_warp *warp,
                                        unsigned lane, bool is_shared, opevo_i_simt_cell *cell,
                                        opevo_i_simt_access access, const opevo_i_simt_code *code,
                                        opevo_i_simt_found found)
{
    present now = present_of(self, warp, is_shared, code);
    opevo_i_simt_trace *mine = &cell->trace[access];

    now.thread = warp->index * OPEVO_I_SIMT_LANES + lane;
    for (unsigned kinds = rivals[access]; kinds; kinds &= kinds - 1) {
        opevo_i_simt_access other = (opevo_i_simt_access)__builtin_ctz(kinds);
        opevo_i_simt_trace trace = other == access && found == OPEVO_I_SIMT_SAME_VALUE
                                       ? cell->replaced
                                       : cell->trace[other];
        opevo_i_simt_scope scope = conflict_with(now, trace);
        bool hidden = scope == OPEVO_I_SIMT_OTHER_BLOCK && trace.stamp >= now.block;

        if (scope != OPEVO_I_SIMT_NO_CONFLICT)
            return (opevo_i_simt_conflict){
                scope, other, hidden ? OPEVO_I_SIMT_NOWHERE : self->code[trace.at].place};
    }
    if (found == OPEVO_I_SIMT_OTHER_VALUE && mine->stamp >= now.floor)
        cell->replaced = *mine;
    extend(now, mine);
    return (opevo_i_simt_conflict){OPEVO_I_SIMT_NO_CONFLICT, access, OPEVO_I_SIMT_NOWHERE};
}

uint32_t opevo_i_simt_race_reads(const opevo_simt *self, const opevo_i_simt_warp *warp,
                                 bool is_shared, opevo_i_simt_cell *cells, const uint64_t *offset,
                                 const opevo_i_simt_code *code)
{
    present now = present_of(self, warp, is_shared, code);
    unsigned shift = self->granule_shift, past = code->size - 1u;
    uint32_t rest = warp->mask;

    for (; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        uint64_t at = offset[lane] >> shift;
        opevo_i_simt_trace *trace = cells[at].trace;

        now.thread = now.warp * OPEVO_I_SIMT_LANES + lane;
        if ((offset[lane] + past) >> shift != at || conflict_with(now, trace[OPEVO_I_SIMT_WRITE]) ||
            conflict_with(now, trace[OPEVO_I_SIMT_UPDATE]))
            break;
        extend(now, &trace[OPEVO_I_SIMT_READ]);
    }
    return rest;
}
