/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Intervals of what terms can be. Bounds are doubles; a bound of integers beyond 2^53, which a
 * double may have rounded, counts as unknown. Rounding is monotone, so the bounds of a sum or
 * product of reals are sums and products of bounds. */

#include "term.h"

#include <math.h>

#define EXACT 9007199254740992.0 /* 2^53 */

static opevo_i_topology_interval unknown(bool number, bool whole)
{
    return (opevo_i_topology_interval){-INFINITY, INFINITY, number, whole};
}

static opevo_i_topology_interval interval(double low, double high, bool whole)
{
    if (isnan(low) || isnan(high) || (whole && (fabs(low) > EXACT || fabs(high) > EXACT)))
        return unknown(true, whole);
    return (opevo_i_topology_interval){low, high, true, whole};
}

opevo_i_topology_interval opevo_i_topology_interval_of_value(const opevo_value *value)
{
    double number = 0;

    if (value->kind == OPEVO_VALUE_TEXT)
        return unknown(false, false);
    number = opevo_value_number(*value);
    return interval(number, number, value->kind != OPEVO_VALUE_REAL);
}

opevo_i_topology_interval opevo_i_topology_interval_join(const opevo_i_topology_interval *a,
                                                         const opevo_i_topology_interval *b)
{
    return (opevo_i_topology_interval){fmin(a->low, b->low), fmax(a->high, b->high),
                                       a->number && b->number, a->whole && b->whole};
}

opevo_i_topology_interval opevo_i_topology_interval_one(unsigned opcode,
                                                        const opevo_i_topology_interval *a)
{
    bool whole = a->whole;

    switch (opcode) {
    case OPEVO_I_OP_NOT:
    case OPEVO_I_OP_TRUTH: {
        bool never = a->low > 0 || a->high < 0, always = a->low == 0 && a->high == 0;
        bool negated = opcode == OPEVO_I_OP_NOT;

        if (never || always)
            return interval(always == negated, always == negated, true);
        return interval(0, 1, true);
    }
    case OPEVO_I_OP_NEGATE:
        return interval(-a->high, -a->low, whole);
    case OPEVO_I_OP_ABSOLUTE:
        return interval(a->low > 0    ? a->low
                        : a->high < 0 ? -a->high
                                      : 0,
                        fmax(fabs(a->low), fabs(a->high)), whole);
    case OPEVO_I_OP_PLUS:
        return *a;
    default:
        return unknown(true, whole);
    }
}

static opevo_i_topology_interval product(const opevo_i_topology_interval *a,
                                         const opevo_i_topology_interval *b, bool whole)
{
    double corners[] = {a->low * b->low, a->low * b->high, a->high * b->low, a->high * b->high};
    double low = corners[0], high = corners[0];

    for (int i = 0; i < 4; i++) {
        if (isnan(corners[i]))
            return unknown(true, whole);
        low = fmin(low, corners[i]);
        high = fmax(high, corners[i]);
    }
    return interval(low, high, whole);
}

/* Integers of which the first is not negative; the second is positive in a division. */
static opevo_i_topology_interval natural_two(unsigned opcode, const opevo_i_topology_interval *a,
                                             const opevo_i_topology_interval *b)
{
    switch (opcode) {
    case OPEVO_I_OP_DIVIDE:
    case OPEVO_I_OP_FLOOR:
        return b->low > 0 ? interval(floor(a->low / b->high), floor(a->high / b->low), true)
                          : unknown(true, true);
    case OPEVO_I_OP_REMAINDER:
    case OPEVO_I_OP_FLOOR_MOD:
        if (b->low <= 0)
            return unknown(true, true);
        if (a->high < b->low)
            return *a;
        return interval(0, fmin(a->high, b->high - 1), true);
    case OPEVO_I_OP_SHIFT_RIGHT:
        return b->low >= 0 && b->high <= 63 ? interval(floor(ldexp(a->low, -(int)b->high)),
                                                       floor(ldexp(a->high, -(int)b->low)), true)
                                            : unknown(true, true);
    case OPEVO_I_OP_SHIFT_LEFT:
        return b->low >= 0 && b->high <= 63
                   ? interval(ldexp(a->low, (int)b->low), ldexp(a->high, (int)b->high), true)
                   : unknown(true, true);
    case OPEVO_I_OP_BIT_AND:
        return b->low >= 0 ? interval(0, fmin(a->high, b->high), true) : unknown(true, true);
    case OPEVO_I_OP_BIT_OR:
    case OPEVO_I_OP_BIT_XOR:
        return b->low >= 0 ? interval(0, a->high + b->high, true) : unknown(true, true);
    default:
        return unknown(true, true);
    }
}

static opevo_i_topology_interval comparison(unsigned opcode, const opevo_i_topology_interval *a,
                                            const opevo_i_topology_interval *b)
{
    bool less = a->high < b->low, not_more = a->high <= b->low;
    bool more = a->low > b->high, not_less = a->low >= b->high;
    bool equal = a->low == a->high && b->low == b->high && a->low == b->low;
    int known = -1;

    if (!a->number || !b->number)
        return interval(0, 1, true);
    switch (opcode) {
    case OPEVO_I_OP_EQUAL:
        known = less || more ? 0 : equal ? 1 : -1;
        break;
    case OPEVO_I_OP_UNEQUAL:
        known = less || more ? 1 : equal ? 0 : -1;
        break;
    case OPEVO_I_OP_LESS:
        known = less ? 1 : not_less ? 0 : -1;
        break;
    case OPEVO_I_OP_LESS_EQUAL:
        known = not_more ? 1 : more ? 0 : -1;
        break;
    case OPEVO_I_OP_GREATER:
        known = more ? 1 : not_more ? 0 : -1;
        break;
    default:
        known = not_less ? 1 : less ? 0 : -1;
    }
    return known < 0 ? interval(0, 1, true) : interval(known, known, true);
}

opevo_i_topology_interval opevo_i_topology_interval_two(unsigned opcode,
                                                        const opevo_i_topology_interval *a,
                                                        const opevo_i_topology_interval *b)
{
    bool whole = a->whole && b->whole;

    if (opcode >= OPEVO_I_OP_EQUAL)
        return comparison(opcode, a, b);
    switch (opcode) {
    case OPEVO_I_OP_ADD:
        return interval(a->low + b->low, a->high + b->high, whole);
    case OPEVO_I_OP_SUBTRACT:
        return interval(a->low - b->high, a->high - b->low, whole);
    case OPEVO_I_OP_MULTIPLY:
        return product(a, b, whole);
    case OPEVO_I_OP_MINIMUM:
        return interval(fmin(a->low, b->low), fmin(a->high, b->high), whole);
    case OPEVO_I_OP_MAXIMUM:
        return interval(fmax(a->low, b->low), fmax(a->high, b->high), whole);
    case OPEVO_I_OP_QUOTIENT:
    case OPEVO_I_OP_POWER:
        return unknown(true, false);
    default:
        return whole && a->low >= 0 ? natural_two(opcode, a, b) : unknown(true, whole);
    }
}
