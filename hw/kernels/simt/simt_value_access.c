/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Loads and stores of values. Memory holds bytes and, beside them, a value for each piece of the
 * size of the least float; each byte says which of the two counts. */

#include "simt_internal.h"

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

/* Whether the bytes are one value, of this width. */
static bool is_value(const uint8_t *valid, unsigned bytes)
{
    static const uint8_t pattern[8] = {OPEVO_I_SIMT_VALUE_FIRST, OPEVO_I_SIMT_VALUE_REST,
                                       OPEVO_I_SIMT_VALUE_REST,  OPEVO_I_SIMT_VALUE_REST,
                                       OPEVO_I_SIMT_VALUE_REST,  OPEVO_I_SIMT_VALUE_REST,
                                       OPEVO_I_SIMT_VALUE_REST,  OPEVO_I_SIMT_VALUE_REST};

    return memcmp(valid, pattern, bytes) == 0;
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
    memset(region->valid + offset, OPEVO_I_SIMT_VALUE_REST, bytes);
    region->valid[offset] = OPEVO_I_SIMT_VALUE_FIRST;
}

bool opevo_i_simt_load_value(opevo_simt *self, const opevo_i_simt_warp *warp,
                             const opevo_i_simt_code *code)
{
    opevo_simt_value *to = (opevo_simt_value *)(void *)(warp->file + code->to);
    uint32_t undefined = 0, origin = code->place;
    opevo_i_simt_targets where;

    if (!opevo_i_simt_resolve(self, warp, code, &where) ||
        (self->options.check_races &&
         !opevo_i_simt_check_races(self, warp, code, &where,
                                   code->atomic ? OPEVO_I_SIMT_LOOK : OPEVO_I_SIMT_READ)))
        return false;
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

        if (self->options.check_races && where.region[lane]->cells &&
            !opevo_i_simt_check_lane(self, warp, code, lane, &where,
                                     code->atomic ? OPEVO_I_SIMT_UPDATE : OPEVO_I_SIMT_WRITE))
            return false;
        if (header->undefined >> lane & 1)
            memset(where.region[lane]->valid + where.offset[lane], undefined, code->size);
        else
            write_at(self, where.region[lane], where.offset[lane], code->size, &from[lane]);
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
