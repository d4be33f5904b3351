/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The topologies of factor(C,v): u and w are neighbours when w comes from u by taking a divisor
 * d > 1 out of place i and putting it into place j != i; d is a prime for prime-move. A triple
 * (i, j, d) can be read off u and w, so different triples give different neighbours, and moving d
 * back makes the relation symmetric. */

#include "factor_internal.h"

/* Number of places that the prime divides. */
static size_t divided_places(const opevo_i_topology_factor *self, const uint8_t *sums)
{
    size_t count = 0;

    for (size_t i = 0; i < self->places; i++)
        count += sums[i] > sums[i + 1];
    return count;
}

/* What moving t of a prime's exponent from place `from` to place `to` (from 0) adds to the vertex,
 * modulo 2^128. */
static opevo_index move_exponent(const opevo_i_topology_factor *self,
                                 const opevo_i_topology_factor_prime *prime, const uint8_t *sums,
                                 size_t from, size_t to, unsigned t)
{
    opevo_index change = 0;
    size_t first = from < to ? from : to, last = from < to ? to : from;

    for (size_t i = first + 1; i <= last; i++) {
        const opevo_index *row = opevo_i_topology_factor_row(self, self->places - i);

        change += row[from < to ? sums[i] + t : sums[i] - t] - row[sums[i]];
    }
    return change * prime->stride;
}

/* The same for every other place, in increasing order. */
static void list_changes(const opevo_i_topology_factor *self,
                         const opevo_i_topology_factor_prime *prime, const uint8_t *sums,
                         size_t from, unsigned t, opevo_index *changes)
{
    opevo_index change = 0;

    for (size_t i = from; i > 0; i--) {
        const opevo_index *row = opevo_i_topology_factor_row(self, self->places - i);

        change += (row[sums[i] - t] - row[sums[i]]) * prime->stride;
        changes[i - 1] = change;
    }
    change = 0;
    for (size_t i = from + 1; i < self->places; i++) {
        const opevo_index *row = opevo_i_topology_factor_row(self, self->places - i);

        change += (row[sums[i] + t] - row[sums[i]]) * prime->stride;
        changes[i - 1] = change;
    }
}

static opevo_index prime_move_degree(const opevo_parameter *parameter, opevo_index vertex)
{
    const opevo_i_topology_factor *self = (const opevo_i_topology_factor *)parameter;
    uint8_t scratch[OPEVO_I_PLACES_MAX + 1];
    size_t count = 0;

    for (size_t p = 0; p < self->prime_count; p++)
        count += divided_places(
            self, opevo_i_topology_factor_sums(self, &self->primes[p], vertex, scratch));
    return (opevo_index)count * (self->places - 1);
}

/* k runs over the primes, for each over the places that it divides, for each over the others. */
static opevo_index prime_move_neighbour(const opevo_parameter *parameter, opevo_index vertex,
                                        opevo_index k)
{
    const opevo_i_topology_factor *self = (const opevo_i_topology_factor *)parameter;
    const opevo_i_topology_factor_prime *prime = self->primes;
    const uint8_t *sums = NULL;
    uint8_t scratch[OPEVO_I_PLACES_MAX + 1];
    size_t others = self->places - 1, rest = (size_t)k, block = 0, from = 0, to = 0;

    for (;; prime++) {
        sums = opevo_i_topology_factor_sums(self, prime, vertex, scratch);
        block = divided_places(self, sums) * others;
        if (rest < block)
            break;
        rest -= block;
    }
    for (;; from++) {
        if (sums[from] == sums[from + 1])
            continue;
        if (rest < others)
            break;
        rest -= others;
    }
    to = rest < from ? rest : rest + 1;
    return vertex + move_exponent(self, prime, sums, from, to, 1);
}

static void prime_move_neighbours(const opevo_parameter *parameter, opevo_index vertex,
                                  opevo_index *out)
{
    const opevo_i_topology_factor *self = (const opevo_i_topology_factor *)parameter;
    uint8_t scratch[OPEVO_I_PLACES_MAX + 1];
    size_t others = self->places - 1;

    for (size_t p = 0; p < self->prime_count; p++) {
        const opevo_i_topology_factor_prime *prime = &self->primes[p];
        const uint8_t *sums = opevo_i_topology_factor_sums(self, prime, vertex, scratch);

        for (size_t from = 0; from < self->places; from++) {
            if (sums[from] == sums[from + 1])
                continue;
            list_changes(self, prime, sums, from, 1, out);
            for (size_t i = 0; i < others; i++)
                out[i] += vertex;
            out += others;
        }
    }
}

/* One prime in two places is the path (C,1), (C/p,p), ..., (1,C); a prime C is the complete graph
 * on its v places. */
static opevo_family prime_move_family(const opevo_parameter *parameter)
{
    const opevo_i_topology_factor *self = (const opevo_i_topology_factor *)parameter;

    if (self->super.size == 1 || (self->prime_count == 1 && self->primes[0].exponent == 1))
        return OPEVO_FAMILY_COMPLETE;
    return self->prime_count == 1 && self->places == 2 ? OPEVO_FAMILY_PATH : OPEVO_FAMILY_GENERAL;
}

static unsigned exponent_sum(const opevo_i_topology_factor *self)
{
    unsigned sum = 0;

    for (size_t p = 0; p < self->prime_count; p++)
        sum += self->primes[p].exponent;
    return sum;
}

/* edges = v (v-1) / 2 * sum, when the sum fits, and degree_mean = v (v-1) * mean. */
static void set_edges(const opevo_i_topology_factor *self, bool fits, opevo_index sum, double mean,
                      opevo_parameter_metrics *metrics)
{
    opevo_index pairs = (opevo_index)self->places * (self->places - 1) / 2;

    metrics->degree_mean = (double)(2 * pairs) * mean;
    if (!fits || !opevo_index_mul(sum, pairs, &metrics->edges))
        return;
    metrics->known |= OPEVO_METRIC_EDGES;
    metrics->degree_mean = 2 * (double)metrics->edges / (double)self->super.size;
}

/* Edges: place i holds p in C(e-1+v-1, v-1) of the compositions of p, whatever the other primes:
 * the share e / (e+v-1) of all tuples. Degrees: each prime divides between 1 and min(e, v) places.
 * Distance: a move carries one prime factor, and from (C,1,...) to (...,1,C) all must be carried.
 */
static void prime_move_measure(const opevo_parameter *parameter, opevo_parameter_metrics *metrics)
{
    const opevo_i_topology_factor *self = (const opevo_i_topology_factor *)parameter;
    opevo_index sum = 0, most = 0;
    double mean = 0;
    size_t v = self->places;
    bool fits = true;

    for (size_t p = 0; p < self->prime_count; p++) {
        const opevo_i_topology_factor_prime *prime = &self->primes[p];
        opevo_index holding = opevo_i_topology_factor_row(self, v - 1)[prime->exponent];

        fits = fits && opevo_index_add(sum, self->super.size / prime->count * holding, &sum);
        mean += (double)prime->exponent / (double)(prime->exponent + v - 1);
        most += prime->exponent < v ? prime->exponent : v;
    }
    metrics->degree_min = (v - 1) * (opevo_index)self->prime_count;
    metrics->degree_max = (v - 1) * most;
    metrics->diameter = v > 1 ? exponent_sum(self) : 0;
    metrics->components = 1;
    metrics->known = OPEVO_METRIC_DEGREES | OPEVO_METRIC_DIAMETER | OPEVO_METRIC_COMPONENTS;
    set_edges(self, fits, sum, mean, metrics);
}

/* The sums of every prime at one vertex. */
typedef struct place_sums {
    const uint8_t *of[OPEVO_I_PRIMES_MAX];
    uint8_t scratch[OPEVO_I_PRIMES_MAX][OPEVO_I_PLACES_MAX + 1];
} place_sums;

static void find_sums(const opevo_i_topology_factor *self, opevo_index vertex, place_sums *sums)
{
    for (size_t p = 0; p < self->prime_count; p++)
        sums->of[p] =
            opevo_i_topology_factor_sums(self, &self->primes[p], vertex, sums->scratch[p]);
}

static unsigned exponent_at(const uint8_t *sums, size_t place)
{
    return (unsigned)(sums[place] - sums[place + 1]);
}

/* Divisors of the component in a place. */
static uint64_t divisor_count(const opevo_i_topology_factor *self, const place_sums *sums,
                              size_t place)
{
    uint64_t count = 1;

    for (size_t p = 0; p < self->prime_count; p++)
        count *= exponent_at(sums->of[p], place) + 1;
    return count;
}

static opevo_index any_divisor_degree(const opevo_parameter *parameter, opevo_index vertex)
{
    const opevo_i_topology_factor *self = (const opevo_i_topology_factor *)parameter;
    place_sums sums;
    uint64_t count = 0;

    find_sums(self, vertex, &sums);
    for (size_t i = 0; i < self->places; i++)
        count += divisor_count(self, &sums, i) - 1;
    return (opevo_index)count * (self->places - 1);
}

/* k runs over the places that give, for each over its divisors d > 1, for each over the places that
 * take. Divisors are numbered in mixed radix by the exponents of the primes, the first fastest. */
static opevo_index any_divisor_neighbour(const opevo_parameter *parameter, opevo_index vertex,
                                         opevo_index k)
{
    const opevo_i_topology_factor *self = (const opevo_i_topology_factor *)parameter;
    place_sums sums;
    uint64_t others = self->places - 1, rest = (uint64_t)k, divisor = 0;
    size_t from = 0, to = 0;

    find_sums(self, vertex, &sums);
    for (;; from++) {
        uint64_t block = (divisor_count(self, &sums, from) - 1) * others;

        if (rest < block)
            break;
        rest -= block;
    }
    to = (size_t)(rest % others);
    to += to >= from;
    divisor = rest / others + 1;
    for (size_t p = 0; p < self->prime_count; p++) {
        unsigned radix = exponent_at(sums.of[p], from) + 1;
        unsigned t = (unsigned)(divisor % radix);

        divisor /= radix;
        if (t)
            vertex += move_exponent(self, &self->primes[p], sums.of[p], from, to, t);
    }
    return vertex;
}

/* All neighbours that take from one place; returns how many. `rows` divisors of the primes so far
 * have a row of neighbours each, all but the divisor 1, whose row would hold the vertex itself; a
 * further prime adds its changes to copies of them. */
static size_t list_divisor_moves(const opevo_i_topology_factor *self, const place_sums *sums,
                                 opevo_index vertex, size_t from, opevo_index *out)
{
    opevo_index changes[OPEVO_I_PLACES_MAX];
    size_t others = self->places - 1, rows = 1;

    for (size_t p = 0; p < self->prime_count; p++) {
        unsigned most = exponent_at(sums->of[p], from);
        opevo_index *row = out + (rows - 1) * others;

        for (unsigned t = 1; t <= most; t++) {
            list_changes(self, &self->primes[p], sums->of[p], from, t, changes);
            for (size_t i = 0; i < others; i++)
                *row++ = vertex + changes[i];
            for (size_t r = 0; r < (rows - 1) * others; r += others) {
                for (size_t i = 0; i < others; i++)
                    *row++ = out[r + i] + changes[i];
            }
        }
        rows *= most + 1;
    }
    return (rows - 1) * others;
}

static void any_divisor_neighbours(const opevo_parameter *parameter, opevo_index vertex,
                                   opevo_index *out)
{
    const opevo_i_topology_factor *self = (const opevo_i_topology_factor *)parameter;
    place_sums sums;

    find_sums(self, vertex, &sums);
    for (size_t from = 0; from < self->places; from++)
        out += list_divisor_moves(self, &sums, vertex, from, out);
}

/* One prime in two places: every tuple is reached by one move. */
static opevo_family any_divisor_family(const opevo_parameter *parameter)
{
    const opevo_i_topology_factor *self = (const opevo_i_topology_factor *)parameter;
    bool complete = self->super.size == 1 || (self->prime_count == 1 &&
                                              (self->places == 2 || self->primes[0].exponent == 1));

    return complete ? OPEVO_FAMILY_COMPLETE : OPEVO_FAMILY_GENERAL;
}

/* Diameter for one prime: min(e, v-1); for two places and several primes 2, since each prime's
 * surplus goes one way and two moves carry all. docs/topologies.md has the proofs. */
static bool any_divisor_diameter(const opevo_i_topology_factor *self, opevo_index *diameter)
{
    if (self->super.size == 1)
        *diameter = 0;
    else if (self->prime_count == 1)
        *diameter = self->primes[0].exponent < self->places - 1 ? self->primes[0].exponent
                                                                : self->places - 1;
    else if (self->places == 2)
        *diameter = 2;
    else
        return false;
    return true;
}

/* Edges: sum over tuples of tau(u_1) counts the tuples of one place more with the same product,
 * prod C(e+v, v) = size * prod (e+v)/v of them. Degrees: (v-1) (sum_i tau(u_i) - v) is largest with
 * everything in one place, since tau(ab) >= tau(a) + tau(b) - 1; the smallest has a formula for one
 * prime, and when each prime factor can have a place of its own. */
static void any_divisor_measure(const opevo_parameter *parameter, opevo_parameter_metrics *metrics)
{
    const opevo_i_topology_factor *self = (const opevo_i_topology_factor *)parameter;
    opevo_index splits = 1, divisors = 1;
    double mean = 1;
    size_t v = self->places;
    bool fits = true;

    for (size_t p = 0; p < self->prime_count; p++) {
        opevo_index count = 0;
        unsigned e = self->primes[p].exponent;

        fits = fits && opevo_index_binomial(e + v, v, &count) &&
               opevo_index_mul(splits, count, &splits);
        divisors *= e + 1;
        mean *= (double)(e + v) / (double)v;
    }
    metrics->components = 1;
    metrics->known = OPEVO_METRIC_COMPONENTS;
    if (any_divisor_diameter(self, &metrics->diameter))
        metrics->known |= OPEVO_METRIC_DIAMETER;
    if (self->prime_count <= 1 || exponent_sum(self) <= v || v == 1) {
        metrics->degree_min = (v - 1) * (opevo_index)exponent_sum(self);
        metrics->degree_max = (v - 1) * (divisors - 1);
        metrics->known |= OPEVO_METRIC_DEGREES;
    }
    set_edges(self, fits, splits - self->super.size, mean - 1, metrics);
}

const opevo_i_topology opevo_i_topology_factor_topologies[OPEVO_I_FACTOR_TOPOLOGY_COUNT] = {
    {.name = "prime-move",
     .family = prime_move_family,
     .degree = prime_move_degree,
     .neighbour = prime_move_neighbour,
     .neighbours = prime_move_neighbours,
     .measure = prime_move_measure},
    {.name = "any-divisor",
     .family = any_divisor_family,
     .degree = any_divisor_degree,
     .neighbour = any_divisor_neighbour,
     .neighbours = any_divisor_neighbours,
     .measure = any_divisor_measure},
    OPEVO_I_COMPLETE_TOPOLOGY,
};
