/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Operations on values, by the running lanes alone: what an arithmetic counts is what was
 * computed. */

#include "simt_registers_internal.h"

#include <string.h>

static const opevo_simt_value *at(const opevo_i_simt_warp *warp, uint32_t from)
{
    return (const opevo_simt_value *)(const void *)(warp->file + from);
}

static void move(const opevo_i_simt_warp *warp, opevo_simt_value *to, const opevo_simt_value *from)
{
    for (uint32_t rest = warp->mask; rest; rest &= rest - 1)
        to[__builtin_ctz(rest)] = from[__builtin_ctz(rest)];
}

static void pick(const opevo_i_simt_warp *warp, const opevo_i_simt_code *code, opevo_simt_value *to)
{
    uint32_t bits;

    memcpy(&bits, warp->file + code->a, sizeof bits);
    for (uint32_t rest = warp->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);

        to[lane] = at(warp, bits >> lane & 1 ? code->b : code->c)[lane];
    }
}

static void carry(const opevo_i_simt_warp *warp, const opevo_i_simt_code *code)
{
    opevo_i_simt_raw *to = (opevo_i_simt_raw *)(void *)(warp->file + code->to);
    const opevo_i_simt_header *header = opevo_i_simt_header_of(warp, code->a);
    size_t size = (size_t)code->number;

    for (uint32_t rest = warp->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        const uint8_t *from = warp->file + code->a + lane * size;

        if (size == OPEVO_I_SIMT_RAW_SIZE) {
            memcpy(&to[lane], from, size);
            continue;
        }
        memset(&to[lane], 0, sizeof to[lane]);
        memcpy(&to[lane].bits, from, size);
        memset(to[lane].state, opevo_i_simt_state_of(header->undefined >> lane & 1, header->origin),
               sizeof to[lane].state);
    }
}

static void whole(const opevo_simt *self, const opevo_i_simt_warp *warp,
                  const opevo_i_simt_code *code, opevo_simt_value *to)
{
    bool is_signed = code->number < 0;
    unsigned bytes = (unsigned)(is_signed ? -code->number : code->number);

    for (uint32_t rest = warp->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest), unused = 64 - 8 * bytes;
        uint64_t bits = 0;
        double number;

        memcpy(&bits, warp->file + code->a + (size_t)lane * bytes, bytes);
        number = is_signed ? (double)((int64_t)(bits << unused) >> unused) : (double)bits;
        to[lane] = self->options.arithmetic->number(self->options.arithmetic, number, 8);
    }
}

/* Undefined where any of the four is. */
static void choose(const opevo_simt *self, const opevo_i_simt_warp *warp,
                   const opevo_i_simt_code *code, opevo_simt_value *to)
{
    const uint32_t from[4] = {code->a, code->b, code->c, (uint32_t)code->number};
    uint32_t undefined = 0, origin = OPEVO_I_SIMT_NOWHERE;

    self->options.arithmetic->choose(self->options.arithmetic, warp->mask, to,
                                     (opevo_simt_relation)code->space, at(warp, from[0]),
                                     at(warp, from[1]), at(warp, from[2]), at(warp, from[3]));
    for (unsigned i = 0; i < 4; i++) {
        const opevo_i_simt_header *header = opevo_i_simt_header_of(warp, from[i]);

        undefined |= header->undefined;
        if (header->undefined & warp->mask && !opevo_i_simt_is_data(origin))
            origin = header->origin;
    }
    opevo_i_simt_define(warp, code->to, undefined, origin);
}

/* Bits are 0, so that all that follows is the same in every run. Those of an undefined value are
 * undefined for its reason. */
static void bits_of_value(const opevo_i_simt_warp *warp, const opevo_i_simt_code *code)
{
    const opevo_i_simt_header *a = opevo_i_simt_header_of(warp, code->a);
    const opevo_i_simt_header *b = opevo_i_simt_header_of(warp, code->b);
    uint32_t undefined = (a->undefined | b->undefined) & warp->mask, bits;
    uint32_t origin = a->undefined & warp->mask ? a->origin : b->origin;

    if (code->size == 0) {
        memcpy(&bits, warp->file + code->to, sizeof bits);
        bits &= ~warp->mask;
        memcpy(warp->file + code->to, &bits, sizeof bits);
    }
    for (uint32_t rest = code->size ? warp->mask : 0; rest; rest &= rest - 1)
        memset(warp->file + code->to + (size_t)__builtin_ctz(rest) * code->size, 0, code->size);
    opevo_i_simt_define(warp, code->to, warp->mask,
                        undefined ? origin : code->place | OPEVO_I_SIMT_OF_DATA);
}

static void round_values(opevo_simt *self, const opevo_i_simt_warp *warp,
                         const opevo_i_simt_code *code, opevo_simt_value *to)
{
    const opevo_simt_arithmetic *arithmetic = self->options.arithmetic;
    uint32_t lanes = warp->mask & ~opevo_i_simt_header_of(warp, code->to)->undefined;

    if (!arithmetic->round(arithmetic, lanes, to, code->rounded) &&
        self->notable_rounding == OPEVO_I_SIMT_NOWHERE)
        self->notable_rounding = code->place;
}

void opevo_i_simt_value_run(opevo_simt *self, const opevo_i_simt_warp *warp,
                            const opevo_i_simt_code *code)
{
    const opevo_simt_arithmetic *arithmetic = self->options.arithmetic;
    opevo_simt_value *to = (opevo_simt_value *)(void *)(warp->file + code->to);

    switch (code->kind) {
    case OPEVO_I_SIMT_PICK:
        pick(warp, code, to);
        break;
    case OPEVO_I_SIMT_RAW:
        carry(warp, code);
        break;
    case OPEVO_I_SIMT_WHOLE:
        whole(self, warp, code, to);
        break;
    case OPEVO_I_SIMT_CHOOSE_VALUE:
        choose(self, warp, code, to);
        break;
    case OPEVO_I_SIMT_BITS_OF_VALUE:
        bits_of_value(warp, code);
        break;
    default:
        if (code->number == OPEVO_SIMT_VALUE_COUNT) {
            move(warp, to, at(warp, code->a));
            break;
        }
        arithmetic->operation[code->number % OPEVO_I_SIMT_MAKES](
            arithmetic, warp->mask, to, at(warp, code->a), at(warp, code->b), at(warp, code->c));
        if (code->number >= OPEVO_I_SIMT_MAKES)
            arithmetic->mark(arithmetic, warp->mask, to,
                             (opevo_simt_make)(code->number / OPEVO_I_SIMT_MAKES));
        self->counts.value_operations +=
            warp->mask & (warp->mask - 1) ? (unsigned)__builtin_popcount(warp->mask) : 1;
        break;
    }
    if (code->rounded)
        round_values(self, warp, code, to);
}
