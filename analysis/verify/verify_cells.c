/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Cells of goodness-of-fit tests: pooling, and the units of a law that are pooled. */

#include "verify_internal.h"

#include <opevo/memory.h>

#include <math.h>
#include <stdlib.h>

/* Cochran's rule: the chi-square law fits well when a cell expects at least so many draws. */
static const double least_expected = 10;
static const size_t vertex_limit = (size_t)1 << 20;
static const size_t class_limit = (size_t)1 << 24;

static opevo_status check(const double *probability, size_t count, uint64_t draws, double *sum,
                          opevo_error *err)
{
    double total = 0;

    if (draws == 0)
        return OPEVO_FAIL(err, OPEVO_INVALID, "A verification needs at least one draw.");
    if (count == 0 || count >= OPEVO_I_IMPOSSIBLE)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "A verification needs at least one cell and fewer than 2^32 - 1.");
    for (size_t i = 0; i < count; i++) {
        if (!(probability[i] >= 0) || isinf(probability[i]))
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "Probability %zu is %g; a law to verify against has finite, "
                              "non-negative probabilities.",
                              i, probability[i]);
        total += probability[i];
    }
    if (!(total > 0) || isinf(total))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "The probabilities to verify against sum to %g; give a law.", total);
    *sum = total;
    return OPEVO_OK;
}

/* Least probable unit that is possible and not pooled; `count` if none exists. */
static size_t smallest_left(const double *probability, size_t count, double limit)
{
    size_t best = count;

    for (size_t i = 0; i < count; i++)
        if (probability[i] >= limit && (best == count || probability[i] < probability[best]))
            best = i;
    return best;
}

/* Units below `limit`, and *extra where it is one, share a cell. Everything not below the limit
 * expects enough by itself, so that a single extra unit always fills the pooled cell. */
static void assign(opevo_i_verify_cells *cells, const double *probability, double sum, double limit,
                   size_t extra)
{
    uint32_t next = cells->pooled ? 1 : 0;

    for (size_t i = 0; i < cells->unit_count; i++) {
        uint32_t cell = 0;

        if (probability[i] <= 0)
            cell = OPEVO_I_IMPOSSIBLE;
        else if (probability[i] >= limit && i != extra)
            cell = next++;
        cells->cell[i] = cell;
        if (cell != OPEVO_I_IMPOSSIBLE)
            cells->probability[cell] += probability[i] / sum;
    }
    cells->count = next;
}

opevo_status opevo_i_verify_cells_create(const double *probability, size_t count, uint64_t draws,
                                         opevo_i_verify_cells *out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_i_verify_cells cells = {.draws = draws, .unit_count = count};
    double sum = 0, limit = 0, pooled_sum = 0;
    size_t extra = count;

    OPEVO_TRY(check(probability, count, draws, &sum, err));
    OPEVO_NEW(cells.cell, count, "the cells of a verification");
    OPEVO_NEW(cells.probability, count, "the cells of a verification");
    limit = least_expected / (double)draws * sum;
    for (size_t i = 0; i < count; i++) {
        if (probability[i] <= 0 || probability[i] >= limit)
            continue;
        cells.pooled++;
        pooled_sum += probability[i];
    }
    if (cells.pooled && pooled_sum < limit) {
        extra = smallest_left(probability, count, limit);
        cells.pooled += extra < count;
    }
    assign(&cells, probability, sum, limit, extra);
    *out = cells;
    cells = (opevo_i_verify_cells){0};
cleanup:
    opevo_i_verify_cells_destroy(&cells);
    return status;
}

void opevo_i_verify_cells_destroy(opevo_i_verify_cells *cells)
{
    opevo_free(cells->cell);
    opevo_free(cells->probability);
    *cells = (opevo_i_verify_cells){0};
}

static opevo_status fill_vertices(const opevo_law *law, opevo_i_verify_units *units,
                                  opevo_error *err)
{
    units->vertices = true;
    units->probability = opevo_malloc(units->count, sizeof *units->probability);
    OPEVO_NEED_OR_RETURN(units->probability, "the law of %zu vertices", units->count);
    for (size_t i = 0; i < units->count; i++)
        units->probability[i] = opevo_law_probability(law, i);
    return OPEVO_OK;
}

static int by_value(const void *a, const void *b)
{
    double x = ((const opevo_i_verify_class *)a)->law_class.probability;
    double y = ((const opevo_i_verify_class *)b)->law_class.probability;

    return (x > y) - (x < y);
}

static void merge_classes(opevo_i_verify_units *units)
{
    size_t count = 0;

    for (size_t i = 0; i < units->class_count; i++) {
        opevo_law_class c = units->classes[i].law_class;

        if (count == 0 || c.probability > units->value[count - 1] * (1 + 1e-9)) {
            units->value[count] = c.probability;
            units->probability[count] = 0;
            count++;
        }
        units->probability[count - 1] += (double)c.size * c.probability;
        units->classes[i].unit = count - 1;
    }
    units->count = count;
}

static opevo_status fill_classes(const opevo_law *law, opevo_i_verify_units *units,
                                 opevo_error *err)
{
    size_t count = opevo_law_class_count(law);

    if (count > class_limit)
        return OPEVO_FAIL(err, OPEVO_LIMIT,
                          "The law of %s has %zu symmetry classes; at most 2^24 can be verified.",
                          opevo_parameter_text(opevo_law_parameter(law)), count);
    units->class_count = count;
    units->classes = opevo_malloc(count, sizeof *units->classes);
    units->value = opevo_malloc(count, sizeof *units->value);
    units->probability = opevo_malloc(count, sizeof *units->probability);
    OPEVO_NEED_OR_RETURN(units->classes && units->value && units->probability,
                         "the %zu classes of a law", count);
    for (size_t i = 0; i < count; i++)
        units->classes[i] = (opevo_i_verify_class){.law_class = opevo_law_class_get(law, i)};
    qsort(units->classes, count, sizeof *units->classes, by_value);
    merge_classes(units);
    return OPEVO_OK;
}

opevo_status opevo_i_verify_units_create(const opevo_law *law, opevo_i_verify_units *out,
                                         opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_i_verify_units units = {0};
    opevo_index size = opevo_parameter_size(opevo_law_parameter(law));

    if (size <= vertex_limit) {
        units.count = (size_t)size;
        OPEVO_TRY(fill_vertices(law, &units, err));
    } else {
        OPEVO_TRY(fill_classes(law, &units, err));
    }
    *out = units;
    units = (opevo_i_verify_units){0};
cleanup:
    opevo_i_verify_units_destroy(&units);
    return status;
}

size_t opevo_i_verify_units_find(const opevo_i_verify_units *units, const opevo_law *law,
                                 opevo_index vertex)
{
    double value = 0;
    size_t low = 0, high = 0;

    if (units->vertices)
        return (size_t)vertex;
    value = opevo_law_probability(law, vertex);
    high = units->count;
    while (high - low > 1) { /* value[low] <= value, or low is 0 */
        size_t middle = low + (high - low) / 2;

        if (units->value[middle] <= value)
            low = middle;
        else
            high = middle;
    }
    if (low + 1 < units->count && units->value[low + 1] - value < value - units->value[low])
        low++;
    return low;
}

void opevo_i_verify_units_destroy(opevo_i_verify_units *units)
{
    opevo_free(units->probability);
    opevo_free(units->value);
    opevo_free(units->classes);
    *units = (opevo_i_verify_units){0};
}
