/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Alias tables. Every column holds exactly FULL units of probability and the units of all entries
 * add to n * FULL exactly, so filling the columns is whole-number arithmetic that cannot leave a
 * remainder: what Vose's algorithm loses in floating point, a small entry stranded in a full column
 * of its own, cannot happen. */

#include <opevo/sampler.h>

#include <opevo/memory.h>

#include <math.h>

#define FULL ((opevo_index)1 << 63)

typedef struct column {
    uint64_t threshold; /* the column gives itself below this, its alias otherwise */
    uint32_t alias;
} column;

struct opevo_alias {
    uint64_t count;
    column *columns;
};

static opevo_status check_weights(const double *weights, size_t count, long double *sum,
                                  opevo_error *err)
{
    long double total = 0;

    if (count == 0 || count > UINT32_MAX)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "An alias table takes 1 to 2^32 - 1 weights, not %zu.", count);
    for (size_t i = 0; i < count; i++) {
        if (!(weights[i] >= 0.0) || isinf(weights[i]))
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "Weight %zu of an alias table is %g; it must be finite and not "
                              "negative.",
                              i, weights[i]);
        total += weights[i];
    }
    if (!(total > 0.0L) || isinf(total))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "The weights of an alias table add up to %Lg; the sum must be positive "
                          "and finite.",
                          total);
    *sum = total;
    return OPEVO_OK;
}

/* Weights in units that add to count * FULL. What rounding leaves over, below 2^-30 of a column
 * for each entry, goes to the heaviest entry, which has at least a column. */
static void count_units(const double *weights, size_t count, long double sum, opevo_index *units)
{
    opevo_index total = 0;
    size_t heaviest = 0;

    for (size_t i = 0; i < count; i++) {
        long double share = weights[i] / sum * (long double)count;

        units[i] = (opevo_index)(share * (long double)FULL);
        total += units[i];
        if (weights[i] > weights[heaviest])
            heaviest = i;
    }
    units[heaviest] += count * FULL - total; /* modulo 2^128, so it may also take away */
}

/* Pour each entry that has more than a column into the columns of those that have less. `waiting`
 * holds the entries with less at its front and those with more at its back. */
static void fill_columns(opevo_alias *self, opevo_index *units, uint32_t *waiting)
{
    size_t small = 0, large = (size_t)self->count;

    for (size_t i = 0; i < self->count; i++) {
        if (units[i] < FULL)
            waiting[small++] = (uint32_t)i;
        else
            waiting[--large] = (uint32_t)i;
    }
    while (small > 0) {
        uint32_t low = waiting[--small];
        uint32_t high = waiting[large];

        self->columns[low] = (column){(uint64_t)(units[low] << 1), high};
        units[high] -= FULL - units[low];
        if (units[high] < FULL) {
            large++;
            waiting[small++] = high;
        }
    }
    for (; large < self->count; large++) /* exactly full */
        self->columns[waiting[large]] = (column){UINT64_MAX, waiting[large]};
}

opevo_status opevo_alias_create(const double *weights, size_t count, opevo_alias **out,
                                opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_alias *self = NULL;
    opevo_index *units = NULL;
    uint32_t *waiting = NULL;
    long double sum = 0;

    OPEVO_TRY(check_weights(weights, count, &sum, err));
    self = opevo_calloc(1, sizeof *self);
    units = opevo_malloc(count, sizeof *units);
    waiting = opevo_malloc(count, sizeof *waiting);
    if (self)
        self->columns = opevo_malloc(count, sizeof *self->columns);
    if (!self || !units || !waiting || !self->columns) {
        status =
            OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for an alias table of %zu entries.", count);
        goto cleanup;
    }
    self->count = count;
    count_units(weights, count, sum, units);
    fill_columns(self, units, waiting);
    *out = self;
    self = NULL; /* handed over */
cleanup:
    opevo_free(units);
    opevo_free(waiting);
    opevo_alias_destroy(self);
    return status;
}

opevo_status opevo_alias_create_from_law(const opevo_law *law, opevo_alias **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_index size = opevo_parameter_size(opevo_law_parameter(law));
    double *weights = NULL;

    if (size > (opevo_index)1 << 26)
        return OPEVO_FAIL(err, OPEVO_LIMIT,
                          "An alias table of a law takes at most 2^26 vertices, and %s has more; "
                          "draw by walking instead.",
                          opevo_parameter_text(opevo_law_parameter(law)));
    weights = opevo_malloc((size_t)size, sizeof *weights);
    OPEVO_NEED_OR_RETURN(weights, "the weights of an alias table");
    for (size_t v = 0; v < (size_t)size; v++)
        weights[v] = opevo_law_probability(law, v);
    status = opevo_alias_create(weights, (size_t)size, out, err);
    opevo_free(weights);
    return status;
}

void opevo_alias_destroy(opevo_alias *alias)
{
    if (!alias)
        return;
    opevo_free(alias->columns);
    opevo_free(alias);
}

/* The product of a 64-bit number and the count gives the column in its upper half; its lower half
 * is then uniform in steps of `count`, and decides inside the column. */
size_t opevo_alias_draw(const opevo_alias *alias, opevo_rng *rng)
{
    opevo_index product = (opevo_index)opevo_rng_u64(rng) * alias->count;
    size_t i = (size_t)(product >> 64);
    column here = alias->columns[i];

    return (uint64_t)product < here.threshold ? i : here.alias;
}
