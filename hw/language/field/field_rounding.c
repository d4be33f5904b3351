/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Roundings to 16 bits, which residues do not have: only those of values that the definition stores
 * in 16 bits itself are expected. */

#include "field_internal.h"

#include <opevo/memory.h>

#include <stdlib.h>

#define WHOLE UINT64_C(2048) /* whole numbers up to here have 11 binary digits */

static int compare(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

bool opevo_field_store(opevo_field *self, const opevo_simt_value *values, size_t count)
{
    if (!opevo_reserve((void **)&self->stored, &self->stored_capacity, self->stored_count + count,
                       sizeof *self->stored))
        return false;
    for (size_t i = 0; i < count; i++)
        self->stored[self->stored_count++] = values[i].word[0];
    qsort(self->stored, self->stored_count, sizeof *self->stored, compare);
    return true;
}

static bool is_stored(const opevo_field *self, uint64_t residue)
{
    return residue <= WHOLE || residue >= OPEVO_FIELD_P - WHOLE ||
           (self->stored_count &&
            bsearch(&residue, self->stored, self->stored_count, sizeof residue, compare) != NULL);
}

bool opevo_i_field_round(const opevo_simt_arithmetic *arithmetic, uint32_t lanes,
                         opevo_simt_value *values, unsigned bytes)
{
    const opevo_field *self = arithmetic->context;
    bool all = true;

    (void)bytes;
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        all &= is_stored(self, values[__builtin_ctz(rest)].word[0]);
    return all;
}
