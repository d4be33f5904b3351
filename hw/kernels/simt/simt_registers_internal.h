/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Which lanes of a register are undefined, and why. */

#ifndef OPEVO_SIMT_REGISTERS_INTERNAL_H
#define OPEVO_SIMT_REGISTERS_INTERNAL_H

#include "simt_internal.h"

static inline opevo_i_simt_header *opevo_i_simt_header_of(const opevo_i_simt_warp *warp,
                                                          uint32_t at)
{
    return (opevo_i_simt_header *)(void *)(warp->file + at) - 1;
}

/* Lanes whose old value still matters are not written: those that wait elsewhere. */
static inline uint32_t opevo_i_simt_written(const opevo_i_simt_warp *warp)
{
    return warp->mask == warp->live ? UINT32_MAX : warp->mask;
}

/* Whether a register is undefined because it comes of values. */
static inline bool opevo_i_simt_is_data(uint32_t origin)
{
    return origin != OPEVO_I_SIMT_NOWHERE && origin & OPEVO_I_SIMT_OF_DATA;
}

/* The origin of what comes of a register in one lane or another. */
static inline uint32_t opevo_i_simt_origin_of(const opevo_i_simt_warp *warp, uint32_t at,
                                              uint32_t place)
{
    uint32_t origin = opevo_i_simt_header_of(warp, at)->origin;

    return opevo_i_simt_is_data(origin) ? origin : place;
}

/* What memory is that such a register is stored in. */
static inline uint8_t opevo_i_simt_state_of(bool undefined, uint32_t origin)
{
    return !undefined                     ? OPEVO_I_SIMT_WRITTEN
           : opevo_i_simt_is_data(origin) ? OPEVO_I_SIMT_UNKNOWN
                                          : OPEVO_I_SIMT_UNWRITTEN;
}

/* Say which lanes of a register are undefined now. Where several reasons meet, values are it. */
static inline void opevo_i_simt_define(const opevo_i_simt_warp *warp, uint32_t to,
                                       uint32_t undefined, uint32_t origin)
{
    opevo_i_simt_header *header = opevo_i_simt_header_of(warp, to);

    if (!(header->undefined | undefined))
        return;
    if (undefined & warp->mask) {
        bool kept = (header->undefined & ~opevo_i_simt_written(warp)) &&
                    opevo_i_simt_is_data(header->origin);

        header->origin = kept ? header->origin : origin;
    }
    header->undefined =
        (header->undefined & ~opevo_i_simt_written(warp)) | (undefined & warp->mask);
}

#endif
