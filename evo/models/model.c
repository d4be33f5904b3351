/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "model_internal.h"

size_t opevo_i_model_row_count(const size_t *rows, size_t count)
{
    size_t sum = rows ? 0 : count;

    for (size_t i = 0; rows && i < count; i++)
        sum += rows[i];
    return sum;
}
