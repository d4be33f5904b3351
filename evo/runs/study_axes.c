/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Keys that take several values in a plan, and the combinations of them. */

#include "study_parts_internal.h"

#include <opevo/memory.h>

#define COMBINATIONS_MAX (UINT64_C(1) << 40)

void opevo_i_study_axes_free(opevo_i_study_axes *axes)
{
    for (size_t i = 0; i < axes->count; i++) {
        for (size_t k = 0; k < axes->items[i].count; k++)
            opevo_free(axes->items[i].values[k]);
        opevo_free(axes->items[i].values);
        opevo_free(axes->items[i].key);
        opevo_free(axes->items[i].where);
    }
    opevo_free(axes->items);
    *axes = (opevo_i_study_axes){.items = NULL};
}

uint64_t opevo_i_study_axes_combinations(const opevo_i_study_axes *axes)
{
    opevo_index product = 1;

    for (size_t i = 0; i < axes->count && product <= COMBINATIONS_MAX; i++)
        product *= axes->items[i].count;
    return product <= COMBINATIONS_MAX ? (uint64_t)product : 0;
}

const char *opevo_i_study_axes_value(const opevo_i_study_axes *axes, uint64_t number, size_t i)
{
    for (size_t k = axes->count - 1; k > i; k--)
        number /= axes->items[k].count;
    return axes->items[i].values[number % axes->items[i].count];
}
