/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What atomic operations store. */

#include "simt_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

static uint64_t update_integer(int64_t update, uint64_t old, uint64_t value, unsigned size)
{
    unsigned unused = 64 - 8 * size;
    int64_t signed_old = (int64_t)(old << unused), signed_value = (int64_t)(value << unused);

    switch (update) {
    case OPEVO_I_SIMT_UPDATE_ADD:
        return old + value;
    case OPEVO_I_SIMT_UPDATE_SUB:
        return old - value;
    case OPEVO_I_SIMT_UPDATE_AND:
        return old & value;
    case OPEVO_I_SIMT_UPDATE_OR:
        return old | value;
    case OPEVO_I_SIMT_UPDATE_XOR:
        return old ^ value;
    case OPEVO_I_SIMT_UPDATE_MAX:
        return signed_old > signed_value ? old : value;
    case OPEVO_I_SIMT_UPDATE_MIN:
        return signed_old < signed_value ? old : value;
    case OPEVO_I_SIMT_UPDATE_UMAX:
        return old > value ? old : value;
    case OPEVO_I_SIMT_UPDATE_UMIN:
        return old < value ? old : value;
    case OPEVO_I_SIMT_UPDATE_UINC_WRAP:
        return old >= value ? 0 : old + 1;
    case OPEVO_I_SIMT_UPDATE_UDEC_WRAP:
        return old == 0 || old > value ? value : old - 1;
    default:
        return value;
    }
}

static double flushed(double value)
{
    return fabs(value) < (double)FLT_MIN ? copysign(0, value) : value;
}

/* Of a float or double, by its representation. */
static uint64_t update_float(int64_t update, uint64_t old, uint64_t value, unsigned size)
{
    double a, b, result;
    float narrow[2];
    uint64_t bits = 0;

    if (size == 8) {
        memcpy(&a, &old, sizeof a);
        memcpy(&b, &value, sizeof b);
    } else {
        memcpy(&narrow[0], &old, sizeof *narrow);
        memcpy(&narrow[1], &value, sizeof *narrow);
        a = (double)narrow[0];
        b = (double)narrow[1];
    }
    result = update == OPEVO_I_SIMT_UPDATE_FADD ? a + b
             : update == OPEVO_I_SIMT_UPDATE_FADD_FLUSHED
                 ? flushed((double)(float)(flushed(a) + flushed(b)))
             : update == OPEVO_I_SIMT_UPDATE_FSUB ? a - b
             : update == OPEVO_I_SIMT_UPDATE_FMAX ? fmax(a, b)
                                                  : fmin(a, b);
    if (size == 8) {
        memcpy(&bits, &result, sizeof result);
    } else {
        narrow[0] = (float)result; /* a sum in double precision rounds to that of floats */
        memcpy(&bits, &narrow[0], sizeof *narrow);
    }
    return bits;
}

uint64_t opevo_i_simt_updated(int64_t update, uint64_t old, uint64_t value, unsigned size)
{
    return update >= OPEVO_I_SIMT_UPDATE_FADD && update <= OPEVO_I_SIMT_UPDATE_FMIN
               ? update_float(update, old, value, size)
               : update_integer(update, old, value, size);
}
