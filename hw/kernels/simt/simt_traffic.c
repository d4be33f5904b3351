/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What accesses of a warp cost: sectors of global memory, bank conflicts of shared memory, words of
 * constant memory. */

#include "simt_internal.h"

enum { BANKS = 32 };

/* Distinct values of a short list; addresses of lanes mostly ascend, so that the last few are
 * looked at first. */
typedef struct distinct {
    uint64_t value[4 * OPEVO_I_SIMT_LANES];
    unsigned count;
} distinct;

static void add(distinct *self, uint64_t value)
{
    for (unsigned i = self->count; i-- > 0;)
        if (self->value[i] == value)
            return;
    if (self->count < sizeof self->value / sizeof *self->value)
        self->value[self->count++] = value;
}

static const uint64_t *addresses(const opevo_i_simt_warp *warp, const opevo_i_simt_code *code)
{
    return (const uint64_t *)(const void *)(warp->file + code->a);
}

/* Pieces of 2^shift bytes that the lanes touch. Lanes in ascending order need no search. */
static unsigned pieces(const opevo_i_simt_warp *warp, const opevo_i_simt_code *code, unsigned bytes,
                       unsigned shift)
{
    const uint64_t *address = addresses(warp, code);
    uint64_t last = 0;
    unsigned count = 0;
    distinct all;

    for (uint32_t rest = warp->mask; rest; rest &= rest - 1) {
        uint64_t first = address[__builtin_ctz(rest)];
        uint64_t from = first >> shift, to = (first + bytes - 1) >> shift;

        if (count && from < last)
            goto search;
        count += (unsigned)(to - from) + (count == 0 || from > last);
        last = to;
    }
    return count;
search:
    all.count = 0;
    for (uint32_t rest = warp->mask; rest; rest &= rest - 1) {
        uint64_t first = address[__builtin_ctz(rest)];

        for (uint64_t p = first >> shift; p <= (first + bytes - 1) >> shift; p++)
            add(&all, p);
    }
    return all.count;
}

/* Whether the words that these lanes touch are within a row of all banks, and so in a bank each. */
static bool in_one_row(const uint64_t *address, uint32_t lanes, unsigned words)
{
    uint64_t low = UINT64_MAX, high = 0;

    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint64_t word = address[__builtin_ctz(rest)] / 4;

        low = word < low ? word : low;
        high = word > high ? word : high;
    }
    return lanes && high + words - low <= BANKS;
}

/* Passes that lanes need whose words are in the same banks: 128 bytes a pass at most, so that wide
 * accesses go by groups of lanes. */
static unsigned passes(const opevo_i_simt_warp *warp, const opevo_i_simt_code *code, unsigned bytes)
{
    const uint64_t *address = addresses(warp, code);
    unsigned words = bytes < 4 ? 1 : bytes / 4;
    unsigned group = OPEVO_I_SIMT_LANES / (words > OPEVO_I_SIMT_LANES ? OPEVO_I_SIMT_LANES : words);
    unsigned total = 0;

    for (unsigned begin = 0; begin < OPEVO_I_SIMT_LANES; begin += group) {
        uint32_t lanes = warp->mask >> begin & (uint32_t)((UINT64_C(1) << group) - 1);
        uint8_t load[BANKS] = {0};
        unsigned most = 0;
        distinct all;

        if (in_one_row(address + begin, lanes, words)) {
            total++;
            continue;
        }
        all.count = 0;
        for (uint32_t rest = lanes; rest; rest &= rest - 1)
            for (unsigned w = 0; w < words; w++)
                add(&all, address[begin + (unsigned)__builtin_ctz(rest)] / 4 + w);
        for (unsigned i = 0; i < all.count; i++) {
            unsigned bank = all.value[i] % BANKS;

            most = ++load[bank] > most ? load[bank] : most;
        }
        total += most;
    }
    return total;
}

/* Consecutive words or one word of all: a single pass. */
static bool is_simple(const opevo_i_simt_warp *warp, const opevo_i_simt_code *code)
{
    const uint64_t *address = addresses(warp, code);
    unsigned first = (unsigned)__builtin_ctz(warp->mask);
    uint64_t step = 0, same = 0;

    for (unsigned i = first; i < OPEVO_I_SIMT_LANES; i++) {
        uint64_t off = warp->mask >> i & 1 ? address[i] - address[first] : 4 * (i - first);

        step |= off ^ 4 * (i - first);
        same |= warp->mask >> i & 1 ? off : 0;
    }
    return step == 0 || same == 0;
}

void opevo_i_simt_traffic(opevo_simt *self, const opevo_i_simt_warp *warp,
                          const opevo_i_simt_code *code, opevo_i_simt_region_kind kind,
                          bool is_atomic)
{
    const uint64_t *cost = self->costs->cost;
    unsigned bytes = is_atomic ? code->size : code->c, count;

    if (is_atomic) {
        self->counts.atomics++;
        self->cost += (uint64_t)__builtin_popcount(warp->mask) *
                      cost[kind == OPEVO_I_SIMT_SHARED ? OPEVO_I_SIMT_COST_ATOMIC_SHARED
                                                       : OPEVO_I_SIMT_COST_ATOMIC_GLOBAL];
    }
    if (bytes == 0)
        return; /* a part of an access that was counted */
    switch (kind) {
    case OPEVO_I_SIMT_GLOBAL:
        count = pieces(warp, code, bytes, 5);
        self->counts.global_accesses++;
        self->counts.global_sectors += count;
        self->cost +=
            cost[OPEVO_I_SIMT_COST_GLOBAL_ACCESS] + count * cost[OPEVO_I_SIMT_COST_GLOBAL_SECTOR];
        break;
    case OPEVO_I_SIMT_CONSTANT:
        count = pieces(warp, code, bytes, 2);
        self->cost += cost[OPEVO_I_SIMT_COST_CONSTANT_ACCESS] +
                      (count - 1) * cost[OPEVO_I_SIMT_COST_CONSTANT_WORD];
        break;
    case OPEVO_I_SIMT_SHARED:
        count = (bytes == 4 && is_simple(warp, code) ? 1 : passes(warp, code, bytes)) - 1;
        self->counts.shared_accesses++;
        self->counts.shared_bank_conflicts += count;
        self->cost +=
            cost[OPEVO_I_SIMT_COST_SHARED_ACCESS] + count * cost[OPEVO_I_SIMT_COST_SHARED_CONFLICT];
        break;
    case OPEVO_I_SIMT_LOCAL:
        self->cost += cost[OPEVO_I_SIMT_COST_LOCAL_ACCESS];
        break;
    case OPEVO_I_SIMT_NONE:
        break;
    }
}
