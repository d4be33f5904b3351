/* SPDX-License-Identifier: GPL-3.0-or-later */

/* factor(C,v): the ordered v-tuples of positive integers with product C. How they are numbered
 * stands in factor_internal.h. */

#include <opevo/hash.h>
#include <opevo/memory.h>

#include "factor_internal.h"

enum { LISTED_BYTES_MAX = 1 << 16 }; /* for the sums of one prime */

static void destroy(opevo_parameter *parameter)
{
    opevo_i_topology_factor *self = (opevo_i_topology_factor *)parameter;

    opevo_free(self->table);
    opevo_free(self->sums);
    opevo_free(self);
}

/* T[m][s] = T[m][s-1] + T[m-1][s] is Pascal's rule. The largest entry, T[v-1][e+1], is the count of
 * the prime with the largest exponent, so nothing overflows once that count fits. */
static bool fill_table(opevo_i_topology_factor *self)
{
    size_t columns = self->columns;

    self->table = opevo_calloc(self->places, columns * sizeof *self->table);
    if (!self->table)
        return false;
    for (size_t s = 1; s < columns; s++)
        self->table[s] = 1;
    for (size_t m = 1; m < self->places; m++) {
        opevo_index *row = self->table + m * columns;
        const opevo_index *above = row - columns;

        for (size_t s = 1; s < columns; s++)
            row[s] = row[s - 1] + above[s];
    }
    return true;
}

/* Primes with their powers, counts and strides; false when there are 2^128 tuples or more. */
static bool set_primes(opevo_i_topology_factor *self)
{
    opevo_i_topology_prime_power found[OPEVO_I_PRIMES_MAX];
    int64_t *powers = self->powers;

    self->prime_count = opevo_i_topology_factorise((uint64_t)self->product, found);
    self->super.size = 1;
    self->columns = 2;
    for (size_t i = self->prime_count; i-- > 0;) {
        opevo_i_topology_factor_prime *prime = &self->primes[i];

        prime->exponent = found[i].exponent;
        prime->powers = powers;
        powers[0] = 1;
        for (unsigned e = 1; e <= prime->exponent; e++)
            powers[e] = powers[e - 1] * (int64_t)found[i].prime;
        powers += prime->exponent + 1;
        prime->stride = self->super.size;
        if (!opevo_index_binomial(prime->exponent + self->places - 1, self->places - 1,
                                  &prime->count) ||
            !opevo_index_mul(prime->stride, prime->count, &self->super.size))
            return false;
        if (self->columns < prime->exponent + 2)
            self->columns = prime->exponent + 2;
    }
    return true;
}

/* List the sums of the primes that have few compositions, so that walks need not work them out. */
static bool list_sums(opevo_i_topology_factor *self)
{
    size_t width = self->places + 1, bytes = 0;
    uint8_t *at = NULL;

    for (size_t p = 0; p < self->prime_count; p++) {
        if (self->primes[p].count <= LISTED_BYTES_MAX / width)
            bytes += (size_t)self->primes[p].count * width;
    }
    at = self->sums = opevo_malloc(bytes, 1);
    if (!at)
        return false;
    for (size_t p = 0; p < self->prime_count; p++) {
        opevo_i_topology_factor_prime *prime = &self->primes[p];

        if (prime->count > LISTED_BYTES_MAX / width)
            continue;
        prime->sums = at;
        for (opevo_index rank = 0; rank < prime->count; rank++, at += width)
            opevo_i_topology_factor_unrank(self, prime, rank, at);
    }
    return true;
}

static opevo_status create(const opevo_parameter_spec *spec, opevo_parameter **out,
                           opevo_error *err)
{
    int64_t arguments[2] = {0, 0};
    opevo_status status =
        opevo_i_topology_positive_arguments(spec, "factor(C,v)", arguments, 2, err);
    opevo_i_topology_factor *self = NULL;

    if (status != OPEVO_OK)
        return status;
    if (arguments[1] > OPEVO_I_PLACES_MAX)
        return OPEVO_FAIL(
            err, OPEVO_LIMIT, "Parameter %s: factor(%lld,%lld) has more than %d components.",
            spec->name, (long long)arguments[0], (long long)arguments[1], OPEVO_I_PLACES_MAX);
    self = opevo_calloc(1, sizeof *self);
    if (!self)
        goto no_memory;
    self->product = arguments[0];
    self->places = (size_t)arguments[1];
    self->super.arity = self->places;
    if (!set_primes(self)) {
        status = OPEVO_FAIL(
            err, OPEVO_LIMIT,
            "Parameter %s: factor(%lld,%lld) has more than 2^128 - 1 values; use fewer components.",
            spec->name, (long long)arguments[0], (long long)arguments[1]);
        destroy(&self->super);
        return status;
    }
    if (!fill_table(self) || !list_sums(self))
        goto no_memory;
    *out = &self->super;
    return OPEVO_OK;
no_memory:
    if (self)
        destroy(&self->super);
    return OPEVO_FAIL(err, OPEVO_NOMEM, "Parameter %s: no memory.", spec->name);
}

static void value(const opevo_parameter *parameter, opevo_index vertex, opevo_value *components)
{
    const opevo_i_topology_factor *self = (const opevo_i_topology_factor *)parameter;
    uint8_t scratch[OPEVO_I_PLACES_MAX + 1];

    for (size_t i = 0; i < self->places; i++)
        components[i] = opevo_value_of_integer(1);
    for (size_t p = 0; p < self->prime_count; p++) {
        const opevo_i_topology_factor_prime *prime = &self->primes[p];
        const uint8_t *sums = opevo_i_topology_factor_sums(self, prime, vertex, scratch);

        for (size_t i = 0; i < self->places; i++)
            components[i].as.integer *= prime->powers[sums[i] - sums[i + 1]];
    }
}

/* Exponent of the prime in `number`, which is positive. */
static unsigned exponent_in(const opevo_i_topology_factor_prime *prime, int64_t number)
{
    unsigned exponent = 0;

    while (exponent < prime->exponent && number % prime->powers[exponent + 1] == 0)
        exponent++;
    return exponent;
}

/* Whether the components are positive integers; their product, or 0 once it exceeds 2^63 - 1. */
static bool multiply_components(const opevo_i_topology_factor *self, const opevo_value *components,
                                int64_t *product)
{
    *product = 1;
    for (size_t i = 0; i < self->places; i++) {
        int64_t component = 0;

        if (!opevo_i_topology_value_integer(components[i], &component) || component < 1)
            return false;
        if (__builtin_mul_overflow(*product, component, product))
            *product = 0;
    }
    return true;
}

/* With the right product, the exponents of each prime sum to its exponent in C. */
static bool find(const opevo_parameter *parameter, const opevo_value *components,
                 opevo_index *vertex)
{
    const opevo_i_topology_factor *self = (const opevo_i_topology_factor *)parameter;
    opevo_index found = 0;
    int64_t product = 0;

    if (!multiply_components(self, components, &product) || product != self->product)
        return false;
    for (size_t p = 0; p < self->prime_count; p++) {
        const opevo_i_topology_factor_prime *prime = &self->primes[p];
        opevo_index rank = 0;
        unsigned sum = 0;

        for (size_t i = self->places - 1; i > 0; i--) {
            int64_t component = 0;

            opevo_i_topology_value_integer(components[i], &component);
            sum += exponent_in(prime, component);
            rank += opevo_i_topology_factor_row(self, self->places - i)[sum];
        }
        found += rank * prime->stride;
    }
    *vertex = found;
    return true;
}

static void explain(const opevo_parameter *parameter, const opevo_value *components,
                    opevo_text *out)
{
    int64_t product = 0;

    if (!multiply_components((const opevo_i_topology_factor *)parameter, components, &product))
        opevo_text_add(out, "it must consist of positive integers");
    else if (product)
        opevo_text_printf(out, "its product is %lld", (long long)product);
    else
        opevo_text_add(out, "its product exceeds 2^63 - 1");
}

static uint64_t hash(const opevo_parameter *parameter, uint64_t start)
{
    const opevo_i_topology_factor *self = (const opevo_i_topology_factor *)parameter;

    return opevo_hash_u64(opevo_hash_u64(start, (uint64_t)self->product), self->places);
}

const opevo_i_topology_type opevo_i_topology_factor_type = {
    .info = {"factor", "factor(C,v)", "ordered v-tuples of positive integers with product C",
             "prime-move any-divisor complete"},
    .topologies = opevo_i_topology_factor_topologies,
    .topology_count = OPEVO_I_FACTOR_TOPOLOGY_COUNT,
    .is_tuple = true,
    .create = create,
    .destroy = destroy,
    .value = value,
    .find = find,
    .explain = explain,
    .hash = hash,
};
