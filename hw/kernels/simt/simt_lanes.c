/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Shuffles and votes, as PTX defines shfl.sync and vote.sync, among the lanes that run. */

#include "simt_registers_internal.h"

#include <string.h>

/* The lane that `lane` reads from; its own where the distance leaves the segment. */
static unsigned source_lane(unsigned lane, uint32_t operand, uint32_t clamp, int64_t kind)
{
    unsigned segment = clamp >> 8 & 31, most = (lane & segment) | (clamp & 31 & ~segment);
    unsigned distance = operand & 31, from = lane;
    bool inside = true;

    switch (kind) {
    case OPEVO_I_SIMT_SHUFFLE_UP:
        from = lane - distance;
        inside = (int)from >= (int)most;
        break;
    case OPEVO_I_SIMT_SHUFFLE_DOWN:
        from = lane + distance;
        inside = from <= most;
        break;
    case OPEVO_I_SIMT_SHUFFLE_XOR:
        from = lane ^ distance;
        inside = from <= most;
        break;
    default:
        from = (lane & segment) | (distance & ~segment);
        inside = from <= most;
        break;
    }
    return inside ? from : lane;
}

/* That a mask names the lanes that run and no other, but for those that have ended, and that a
 * segment has a power of two of lanes. */
static void check_lanes(opevo_simt *self, const opevo_i_simt_warp *warp,
                        const opevo_i_simt_code *code, uint32_t mask_at, const uint32_t *clamp)
{
    const uint32_t *mask = (const uint32_t *)(const void *)(warp->file + mask_at);

    for (uint32_t rest = warp->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        unsigned width = clamp ? 32 - (clamp[lane] >> 8 & 31) : 1;

        if ((mask[lane] & warp->live) != warp->mask)
            opevo_i_simt_doubt(self, code->place, "runs for other lanes than its mask names");
        if (width & (width - 1))
            opevo_i_simt_doubt(self, code->place, "has a width that is not a power of two");
    }
}

void opevo_i_simt_shuffle_run(opevo_simt *self, const opevo_i_simt_warp *warp,
                              const opevo_i_simt_code *code)
{
    const uint32_t *operand = (const uint32_t *)(const void *)(warp->file + code->b);
    const uint32_t *clamp = (const uint32_t *)(const void *)(warp->file + code->c);
    const uint8_t *value = warp->file + code->a;
    uint8_t *to = warp->file + code->to;
    size_t size = code->size;
    uint32_t from_undefined = opevo_i_simt_header_of(warp, code->a)->undefined;
    uint32_t undefined = opevo_i_simt_header_of(warp, code->b)->undefined |
                         opevo_i_simt_header_of(warp, code->c)->undefined;
    uint8_t result[OPEVO_I_SIMT_LANES * OPEVO_I_SIMT_VALUE_SIZE];

    check_lanes(self, warp, code, (uint32_t)(code->number >> OPEVO_I_SIMT_SHUFFLE_BITS), clamp);
    for (uint32_t rest = warp->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        unsigned from = source_lane(lane, operand[lane], clamp[lane],
                                    code->number & ((1 << OPEVO_I_SIMT_SHUFFLE_BITS) - 1));

        memcpy(result + lane * size, value + from * size, size);
        if (!(warp->mask >> from & 1) || from_undefined >> from & 1)
            undefined |= 1u << lane;
    }
    for (uint32_t rest = warp->mask; rest; rest &= rest - 1) {
        size_t at = (size_t)__builtin_ctz(rest) * size;

        memcpy(to + at, result + at, size);
    }
    if (self->options.check_uninitialised)
        opevo_i_simt_define(warp, code->to, undefined,
                            opevo_i_simt_origin_of(warp, code->a, code->place));
}

/* As x86's VCOMPRESS has it; elements behind the last are as they were. Where a bit of the mask is
 * not known, no element of its lane is. */
void opevo_i_simt_compress_run(const opevo_simt *self, const opevo_i_simt_warp *warp,
                               const opevo_i_simt_code *code)
{
    uint32_t stride = opevo_i_simt_stride(code->size), next[OPEVO_I_SIMT_LANES] = {0};
    uint32_t unknown = 0, origin = code->place;

    for (uint32_t p = 0; p < code->number; p++) {
        const uint8_t *from = warp->file + code->a + p * stride;
        const opevo_i_simt_header *header = opevo_i_simt_header_of(warp, code->a + p * stride);
        uint32_t at = code->b + p * opevo_i_simt_stride(0), bits;

        memcpy(&bits, warp->file + at, sizeof bits);
        if (opevo_i_simt_header_of(warp, at)->undefined & warp->mask) {
            unknown |= opevo_i_simt_header_of(warp, at)->undefined & warp->mask;
            origin = opevo_i_simt_origin_of(warp, at, code->place);
        }
        for (uint32_t rest = bits & warp->mask; rest; rest &= rest - 1) {
            unsigned lane = (unsigned)__builtin_ctz(rest);
            uint32_t to = code->to + next[lane]++ * stride;

            memcpy(warp->file + to + (size_t)lane * code->size, from + (size_t)lane * code->size,
                   code->size);
            if (self->options.check_uninitialised && header->undefined >> lane & 1)
                opevo_i_simt_define(warp, to,
                                    opevo_i_simt_header_of(warp, to)->undefined | 1u << lane,
                                    header->origin);
        }
    }
    for (uint32_t p = 0; unknown && self->options.check_uninitialised && p < code->number; p++) {
        uint32_t to = code->to + p * stride;

        opevo_i_simt_define(warp, to, opevo_i_simt_header_of(warp, to)->undefined | unknown,
                            origin);
    }
}

void opevo_i_simt_vote_run(opevo_simt *self, const opevo_i_simt_warp *warp,
                           const opevo_i_simt_code *code)
{
    uint32_t votes, bits, undefined = 0;
    uint8_t *to = warp->file + code->to;

    memcpy(&votes, warp->file + code->a, sizeof votes);
    votes &= warp->mask;
    if (code->number != OPEVO_I_SIMT_VOTE_ACTIVE)
        check_lanes(self, warp, code, code->b, NULL);
    else
        opevo_i_simt_doubt(self, code->place, "depends on which lanes run together");
    if (code->number == OPEVO_I_SIMT_VOTE_ACTIVE)
        votes = warp->mask;
    else if (opevo_i_simt_header_of(warp, code->a)->undefined & warp->mask)
        undefined = warp->mask;
    if (code->size == 4) {
        for (uint32_t rest = warp->mask; rest; rest &= rest - 1)
            memcpy(to + sizeof votes * (size_t)__builtin_ctz(rest), &votes, sizeof votes);
    } else {
        bool result = code->number == OPEVO_I_SIMT_VOTE_ANY   ? votes != 0
                      : code->number == OPEVO_I_SIMT_VOTE_ALL ? votes == warp->mask
                                                              : votes == 0 || votes == warp->mask;

        memcpy(&bits, to, sizeof bits);
        bits = (bits & ~warp->mask) | (result ? warp->mask : 0);
        memcpy(to, &bits, sizeof bits);
    }
    if (self->options.check_uninitialised)
        opevo_i_simt_define(warp, code->to, undefined,
                            undefined ? opevo_i_simt_origin_of(warp, code->a, code->place)
                                      : code->place);
}
