/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Loads and stores of values. Memory holds bytes and, beside them, a value for each piece of the
 * size of the least float; each byte says which of the two counts. */

#include "simt_registers_internal.h"

#include <string.h>

__extension__ typedef _Float16 half;

opevo_simt_value opevo_i_simt_value_of_bits(const opevo_simt *self, uint64_t bits, unsigned bytes)
{
    const opevo_simt_arithmetic *arithmetic = self->options.arithmetic;
    double number;
    float single;
    half narrow;

    if (bytes == 2) {
        memcpy(&narrow, &bits, sizeof narrow);
        number = (double)narrow;
    } else if (bytes == 4) {
        memcpy(&single, &bits, sizeof single);
        number = (double)single;
    } else {
        memcpy(&number, &bits, sizeof number);
    }
    return arithmetic->number(arithmetic, number, bytes);
}

/* The states of the bytes of a value, by its width. */
#define STATE(bytes, i) (OPEVO_I_SIMT_OF_VALUE + 8 * (bytes) + (i))
static const uint8_t states[][8] = {[2] = {STATE(2, 0), STATE(2, 1)},
                                    [4] = {STATE(4, 0), STATE(4, 1), STATE(4, 2), STATE(4, 3)},
                                    [8] = {STATE(8, 0), STATE(8, 1), STATE(8, 2), STATE(8, 3),
                                           STATE(8, 4), STATE(8, 5), STATE(8, 6), STATE(8, 7)}};

/* Whether the bytes are one value, of this width. */
static inline bool is_value(const uint8_t *valid, unsigned bytes)
{
    uint32_t four, wanted;

    if (bytes != 4)
        return memcmp(valid, states[bytes], bytes) == 0;
    memcpy(&four, valid, sizeof four);
    memcpy(&wanted, states[4], sizeof wanted);
    return four == wanted;
}

static opevo_simt_element read_at(const opevo_simt *self, const opevo_i_simt_region *region,
                                  uint64_t offset, unsigned bytes, opevo_simt_value *out)
{
    const uint8_t *valid = region->valid + offset;
    unsigned written = 0, unwritten = 0;
    uint64_t bits = 0;

    if (is_value(valid, bytes)) {
        *out = region->values[offset >> self->value_shift];
        return OPEVO_SIMT_ELEMENT_VALUE;
    }
    for (unsigned i = 0; i < bytes; i++) {
        written += valid[i] == OPEVO_I_SIMT_WRITTEN;
        unwritten += valid[i] == OPEVO_I_SIMT_UNWRITTEN;
    }
    if (written == bytes) {
        memcpy(&bits, region->data + offset, bytes);
        *out = opevo_i_simt_value_of_bits(self, bits, bytes);
        return OPEVO_SIMT_ELEMENT_VALUE;
    }
    return written + unwritten == bytes ? OPEVO_SIMT_ELEMENT_UNWRITTEN : OPEVO_SIMT_ELEMENT_DATA;
}

static void write_at(const opevo_simt *self, opevo_i_simt_region *region, uint64_t offset,
                     unsigned bytes, const opevo_simt_value *value)
{
    region->values[offset >> self->value_shift] = *value;
    memcpy(region->valid + offset, states[bytes], bytes);
}

bool opevo_i_simt_load_value(opevo_simt *self, const opevo_i_simt_warp *warp,
                             const opevo_i_simt_code *code)
{
    opevo_simt_value *to = (opevo_simt_value *)(void *)(warp->file + code->to);
    uint32_t undefined = 0, origin = code->place;
    opevo_i_simt_targets where;

    if (!opevo_i_simt_resolve(self, warp, code, &where) ||
        (self->races &&
         !opevo_i_simt_check_races(self, warp, code, &where,
                                   code->atomic ? OPEVO_I_SIMT_LOOK : OPEVO_I_SIMT_READ)))
        return false;
    if (self->races && code->atomic && opevo_i_simt_is_ordered(self))
        opevo_i_simt_doubt(self, code->place, "reads atomically, at no certain time");
    for (uint32_t rest = warp->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        opevo_simt_element read =
            read_at(self, where.region[lane], where.offset[lane], code->size, &to[lane]);

        if (read == OPEVO_SIMT_ELEMENT_VALUE)
            continue;
        undefined |= 1u << lane;
        if (read == OPEVO_SIMT_ELEMENT_DATA)
            origin = code->place | OPEVO_I_SIMT_OF_DATA;
    }
    opevo_i_simt_define(warp, code->to, undefined, origin);
    return true;
}

bool opevo_i_simt_store_value(opevo_simt *self, const opevo_i_simt_warp *warp,
                              const opevo_i_simt_code *code)
{
    const opevo_simt_value *from = (const opevo_simt_value *)(const void *)(warp->file + code->b);
    const opevo_i_simt_header *header = opevo_i_simt_header_of(warp, code->b);
    uint8_t undefined = opevo_i_simt_state_of(true, header->origin);
    opevo_i_simt_targets where;

    if (!opevo_i_simt_resolve(self, warp, code, &where) ||
        !opevo_i_simt_check_stored(self, warp, code, &where))
        return false;
    for (uint32_t rest = warp->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);

        if (self->races && where.region[lane]->cells &&
            !opevo_i_simt_check_lane(self, warp, code, lane, &where,
                                     code->atomic ? OPEVO_I_SIMT_UPDATE : OPEVO_I_SIMT_WRITE))
            return false;
        if (opevo_i_simt_is_ordered(self) && code->atomic)
            memset(where.region[lane]->valid + where.offset[lane], OPEVO_I_SIMT_UNKNOWN,
                   code->size);
        else if (header->undefined >> lane & 1)
            memset(where.region[lane]->valid + where.offset[lane], undefined, code->size);
        else
            write_at(self, where.region[lane], where.offset[lane], code->size, &from[lane]);
    }
    return true;
}

/* ---- Copies ---- */

/* Values begin at multiples of their least size, and so do their bytes in a piece that is
 * aligned to it; one that is not has no whole value. */
static unsigned values_of(const opevo_simt *self, unsigned bytes)
{
    unsigned count = bytes >> self->value_shift;

    return count > 2 ? 2 : count ? count : 1;
}

/* Only whole values are copied, as many as a lane has room for: the bytes of others are unknown. */
static void keep_whole(const opevo_simt *self, uint64_t at, uint8_t *state, unsigned size)
{
    bool aligned = (at & ((UINT64_C(1) << self->value_shift) - 1)) == 0;

    for (unsigned i = 0; i < size; i++) {
        unsigned bytes = state[i] & OPEVO_I_SIMT_OF_VALUE ? state[i] >> 3 & 15 : 0;

        if (!bytes)
            continue;
        if (aligned && i + bytes <= size && i >> self->value_shift < values_of(self, size) &&
            is_value(state + i, bytes))
            i += bytes - 1;
        else
            state[i] = OPEVO_I_SIMT_UNKNOWN;
    }
}

bool opevo_i_simt_load_raw(opevo_simt *self, const opevo_i_simt_warp *warp,
                           const opevo_i_simt_code *code)
{
    opevo_i_simt_raw *to = (opevo_i_simt_raw *)(void *)(warp->file + code->to);
    opevo_i_simt_targets where;

    if (!opevo_i_simt_resolve(self, warp, code, &where) ||
        (self->races && !opevo_i_simt_check_races(self, warp, code, &where, OPEVO_I_SIMT_READ)))
        return false;
    for (uint32_t rest = warp->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        const opevo_i_simt_region *region = where.region[lane];
        uint64_t at = where.offset[lane];

        memcpy(&to[lane].bits, region->data + at, code->size);
        memcpy(to[lane].state, region->valid + at, code->size);
        keep_whole(self, at, to[lane].state, code->size);
        memcpy(to[lane].value, region->values + (at >> self->value_shift),
               values_of(self, code->size) * sizeof *to[lane].value);
    }
    return true;
}

/* What may not leave a block. */
static bool check_raw(opevo_simt *self, const opevo_i_simt_warp *warp,
                      const opevo_i_simt_code *code, unsigned lane, const uint8_t *state)
{
    uint32_t origin = OPEVO_I_SIMT_NOWHERE;
    bool whole = true;

    for (unsigned i = 0; i < code->size; i++) {
        whole &= state[i] != OPEVO_I_SIMT_UNWRITTEN && state[i] != OPEVO_I_SIMT_UNKNOWN;
        if (state[i] == OPEVO_I_SIMT_UNKNOWN)
            origin = code->place | OPEVO_I_SIMT_OF_DATA;
    }
    return whole || opevo_i_simt_fault_undefined(self, warp, code, origin, 1u << lane,
                                                 "stores it in global memory");
}

bool opevo_i_simt_store_raw(opevo_simt *self, const opevo_i_simt_warp *warp,
                            const opevo_i_simt_code *code)
{
    const opevo_i_simt_raw *from = (const opevo_i_simt_raw *)(const void *)(warp->file + code->b);
    opevo_i_simt_targets where;

    if (!opevo_i_simt_resolve(self, warp, code, &where))
        return false;
    for (uint32_t rest = warp->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        opevo_i_simt_region *region = where.region[lane];
        uint64_t at = where.offset[lane];

        if ((region->kind == OPEVO_I_SIMT_GLOBAL &&
             !check_raw(self, warp, code, lane, from[lane].state)) ||
            (self->races && region->cells &&
             !opevo_i_simt_check_lane(self, warp, code, lane, &where, OPEVO_I_SIMT_WRITE)))
            return false;
        memcpy(region->data + at, &from[lane].bits, code->size);
        memcpy(region->valid + at, from[lane].state, code->size);
        memcpy(region->values + (at >> self->value_shift), from[lane].value,
               values_of(self, code->size) * sizeof *from[lane].value);
    }
    return true;
}

/* ---- Of the caller ---- */

opevo_simt_element opevo_simt_read(const opevo_simt *self, uint32_t buffer, size_t element,
                                   unsigned bytes, opevo_simt_value *out)
{
    return read_at(self, &self->regions[self->first_buffer + buffer], (uint64_t)element * bytes,
                   bytes, out);
}

void opevo_simt_write(opevo_simt *self, uint32_t buffer, size_t element, unsigned bytes,
                      const opevo_simt_value *value)
{
    write_at(self, &self->regions[self->first_buffer + buffer], (uint64_t)element * bytes, bytes,
             value);
}
