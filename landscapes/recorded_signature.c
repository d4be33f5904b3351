/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The signature of recorded outcomes. */

#include "recorded_internal.h"

#include <opevo/unit.h>

#include <math.h>
#include <string.h>

static uint64_t hash_double(uint64_t hash, double value)
{
    uint64_t bits = 0;

    if (isnan(value)) /* all NANs alike */
        return opevo_hash_u64(hash, UINT64_MAX);
    memcpy(&bits, &value, sizeof bits);
    return opevo_hash_u64(hash, bits);
}

static uint64_t hash_row(opevo_index point, const opevo_i_landscape_row *row, size_t criteria)
{
    uint64_t hash =
        opevo_hash_u64(opevo_hash_u64(OPEVO_HASH_START, (uint64_t)point), (uint64_t)(point >> 64));

    hash = opevo_hash_u64(hash, row->kind);
    hash = hash_double(hash, row->fitness);
    hash = hash_double(hash, row->time_s);
    hash = hash_double(hash, row->build_s);
    hash = hash_double(hash, row->run_s);
    hash = hash_double(hash, row->check_s);
    hash = hash_double(hash, row->other_s);
    for (size_t i = 0; i < criteria; i++)
        hash = hash_double(hash, row->more[i]);
    return hash;
}

/* The rows enter as a sum, so that their order, which decides no outcome, does not count. The
 * criteria of a cache do not enter: it had its signature before they were read. */
uint64_t opevo_i_landscape_rows_signature(const opevo_space *space, const char *unit,
                                          const opevo_i_row_store *rows,
                                          const opevo_i_landscape_criteria *described)
{
    uint64_t sum = 0;
    uint64_t hash = opevo_hash_u64(OPEVO_HASH_START, opevo_space_signature(space));
    const char *fitness = opevo_unit_of_fitness(unit);
    size_t criteria = described->described ? described->count : 0;

    for (size_t i = 0; i < opevo_i_row_store_count(rows); i++) {
        opevo_i_landscape_row row = opevo_i_row_store_get(rows, i);

        sum += opevo_hash_mix(hash_row(opevo_i_row_store_point(rows, i), &row, criteria));
    }
    for (size_t i = 0; i < criteria; i++) {
        const opevo_criterion *one = &described->items[i];

        hash = opevo_hash_bytes(hash, one->name, strlen(one->name) + 1);
        hash = opevo_hash_bytes(hash, one->unit, strlen(one->unit) + 1);
        hash = opevo_hash_u64(hash, one->larger_is_better);
    }
    hash = opevo_hash_bytes(hash, fitness, strlen(fitness));
    return opevo_hash_u64(hash, sum);
}
