/* SPDX-License-Identifier: GPL-3.0-or-later */

/* permutation(n): the permutations of 0 .. n-1, numbered lexicographically through the Lehmer code,
 *
 *     vertex = sum_i code[i] (n-1-i)!,   code[i] = #{j > i : value[j] < value[i]}.
 *
 * Every topology here is a Cayley graph, the same seen from each vertex: a neighbour comes from one
 * rearrangement of places, whatever the values in them. */

#include <opevo/hash.h>
#include <opevo/memory.h>

#include "parameter_internal.h"

#include <string.h>

enum { LENGTH_MAX = 34 }; /* 34! = 2.95e38 < 2^128 = 3.40e38 < 35! */

typedef struct permutation {
    opevo_parameter super;
    opevo_index factorial[LENGTH_MAX + 1];
} permutation;

static void destroy(opevo_parameter *self)
{
    opevo_free(self);
}

static opevo_status create(const opevo_parameter_spec *spec, opevo_parameter **out,
                           opevo_error *err)
{
    int64_t length = 0;
    opevo_status status =
        opevo_i_topology_positive_arguments(spec, "permutation(n)", &length, 1, err);
    permutation *self = NULL;

    if (status != OPEVO_OK)
        return status;
    if (length > LENGTH_MAX)
        return OPEVO_FAIL(err, OPEVO_LIMIT,
                          "Parameter %s: permutation(%lld) has more than 2^128 values; "
                          "n may be at most %d.",
                          spec->name, (long long)length, LENGTH_MAX);
    self = opevo_calloc(1, sizeof *self);
    if (!self)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "Parameter %s: no memory.", spec->name);
    self->super.arity = (size_t)length;
    self->factorial[0] = 1;
    for (unsigned i = 1; i <= self->super.arity; i++)
        self->factorial[i] = self->factorial[i - 1] * i;
    self->super.size = self->factorial[self->super.arity];
    *out = &self->super;
    return OPEVO_OK;
}

/* Take the `digit`-th smallest element out of a set of bits. */
static uint8_t take_element(uint64_t *set, unsigned digit)
{
    uint64_t rest = *set;

    for (; digit; digit--)
        rest &= rest - 1;
    *set &= ~(rest & -rest);
    return (uint8_t)__builtin_ctzll(rest);
}

/* A vertex taken apart: its values, the set of the values in places i .. n-1, and what the places
 * before i contribute to its number. */
typedef struct layout {
    uint8_t places[LENGTH_MAX];
    uint64_t set[LENGTH_MAX + 1];
    opevo_index before[LENGTH_MAX + 1];
} layout;

/* The code in mixed radix 1, 2, ..., n from the right. 20! is the last factorial below 2^64, so
 * that one wide division leaves the last 20 digits to narrow ones. */
static void read_code(const permutation *self, opevo_index vertex, uint8_t *code)
{
    unsigned n = (unsigned)self->super.arity, narrow = n < 20 ? n : 20;
    opevo_index wide = vertex / self->factorial[narrow];
    uint64_t low = (uint64_t)(vertex - wide * self->factorial[narrow]);

    for (unsigned radix = 1; radix <= narrow; radix++) {
        code[n - radix] = (uint8_t)(low % radix);
        low /= radix;
    }
    for (unsigned radix = narrow + 1; radix <= n; radix++) {
        code[n - radix] = (uint8_t)(wide % radix);
        wide /= radix;
    }
}

static void unrank(const permutation *self, opevo_index vertex, layout *out)
{
    uint8_t code[LENGTH_MAX];
    size_t n = self->super.arity;

    read_code(self, vertex, code);
    out->set[0] = (UINT64_C(1) << n) - 1;
    out->before[0] = 0;
    for (unsigned i = 0; i < n; i++) {
        out->set[i + 1] = out->set[i];
        out->places[i] = take_element(&out->set[i + 1], code[i]);
        out->before[i + 1] = out->before[i] + code[i] * self->factorial[n - 1 - i];
    }
}

/* What the places first .. last contribute, `set` being the values in first .. n-1. */
static opevo_index rank(const permutation *self, const uint8_t *places, uint64_t set,
                        unsigned first, unsigned last)
{
    opevo_index sum = 0;

    for (unsigned i = first; i <= last; i++) {
        uint64_t bit = UINT64_C(1) << places[i];

        sum += (opevo_index)(unsigned)__builtin_popcountll(set & (bit - 1)) *
               self->factorial[self->super.arity - 1 - i];
        set &= ~bit;
    }
    return sum;
}

static void value(const opevo_parameter *self, opevo_index vertex, opevo_value *components)
{
    layout parts;

    unrank((const permutation *)self, vertex, &parts);
    for (size_t i = 0; i < self->arity; i++)
        components[i] = opevo_value_of_integer(parts.places[i]);
}

static bool find(const opevo_parameter *self, const opevo_value *components, opevo_index *vertex)
{
    uint8_t places[LENGTH_MAX];
    uint64_t seen = 0;

    for (size_t i = 0; i < self->arity; i++) {
        int64_t place = 0;

        if (!opevo_i_topology_value_integer(components[i], &place) || place < 0 ||
            place >= (int64_t)self->arity || (seen >> place & 1))
            return false;
        seen |= UINT64_C(1) << place;
        places[i] = (uint8_t)place;
    }
    *vertex = rank((const permutation *)self, places, seen, 0, (unsigned)self->arity - 1);
    return true;
}

static void explain(const opevo_parameter *self, const opevo_value *components, opevo_text *out)
{
    (void)components;
    opevo_text_printf(out, "it must hold each of 0 .. %zu once", self->arity - 1);
}

static uint64_t hash(const opevo_parameter *self, uint64_t start)
{
    return opevo_hash_u64(start, self->arity);
}

/* A rearrangement of the places by two numbers. */
typedef void (*rearrange)(uint8_t *places, unsigned i, unsigned j);

static void swap_places(uint8_t *places, unsigned i, unsigned j)
{
    uint8_t kept = places[i];

    places[i] = places[j];
    places[j] = kept;
}

/* Take the element at i out and put it in so that it ends at j. */
static void insert_place(uint8_t *places, unsigned i, unsigned j)
{
    uint8_t moved = places[i]; /* NOLINT: unrank sets all n places, which the analyzer misses */

    if (i < j)
        memmove(places + i, places + i + 1, j - i);
    else
        memmove(places + j + 1, places + j, i - j);
    places[j] = moved;
}

/* The neighbour after a rearrangement of the places between i and j: those outside keep their
 * values, and so their digits of the code. */
static opevo_index apply(const opevo_parameter *parameter, opevo_index vertex, const layout *parts,
                         rearrange change, unsigned i, unsigned j)
{
    const permutation *self = (const permutation *)parameter;
    unsigned first = i < j ? i : j, last = i < j ? j : i;
    uint8_t places[LENGTH_MAX];

    memcpy(places, parts->places, self->super.arity);
    change(places, i, j);
    /* NOLINTNEXTLINE: likewise for `before` */
    return vertex + parts->before[first] - parts->before[last + 1] +
           rank(self, places, parts->set[first], first, last);
}

static opevo_index apply_once(const opevo_parameter *self, opevo_index vertex, rearrange change,
                              unsigned i, unsigned j)
{
    layout parts;

    unrank((const permutation *)self, vertex, &parts);
    return apply(self, vertex, &parts, change, i, j);
}

/* Transposition: the values in places i < j change places; k runs over (0,1), (0,2), ...,
 * (n-2,n-1).
 */
static opevo_family transposition_family(const opevo_parameter *self)
{
    (void)self;
    return OPEVO_FAMILY_TRANSPOSITIONS;
}

static opevo_index transposition_degree(const opevo_parameter *self, opevo_index vertex)
{
    (void)vertex;
    return self->arity * (self->arity - 1) / 2;
}

static opevo_index transposition_neighbour(const opevo_parameter *self, opevo_index vertex,
                                           opevo_index k)
{
    unsigned rest = (unsigned)k, i = 0, row = (unsigned)self->arity - 1;

    for (; rest >= row; i++)
        rest -= row--;
    return apply_once(self, vertex, swap_places, i, i + 1 + rest);
}

static void transposition_neighbours(const opevo_parameter *self, opevo_index vertex,
                                     opevo_index *out)
{
    layout parts;

    unrank((const permutation *)self, vertex, &parts);
    for (unsigned i = 0; i < self->arity; i++) {
        for (unsigned j = i + 1; j < self->arity; j++)
            *out++ = apply(self, vertex, &parts, swap_places, i, j);
    }
}

static void transposition_measure(const opevo_parameter *self, opevo_parameter_metrics *metrics)
{
    opevo_i_topology_regular_measure(self, transposition_degree(self, 0), self->arity - 1, metrics);
}

/* Adjacent swap: places k and k + 1 change. */
static opevo_family adjacent_family(const opevo_parameter *self)
{
    return self->size <= 2 ? OPEVO_FAMILY_PATH : OPEVO_FAMILY_GENERAL;
}

static opevo_index adjacent_degree(const opevo_parameter *self, opevo_index vertex)
{
    (void)vertex;
    return self->arity - 1;
}

static opevo_index adjacent_neighbour(const opevo_parameter *self, opevo_index vertex,
                                      opevo_index k)
{
    return apply_once(self, vertex, swap_places, (unsigned)k, (unsigned)k + 1);
}

static void adjacent_neighbours(const opevo_parameter *self, opevo_index vertex, opevo_index *out)
{
    layout parts;

    unrank((const permutation *)self, vertex, &parts);
    for (unsigned i = 0; i + 1 < self->arity; i++)
        *out++ = apply(self, vertex, &parts, swap_places, i, i + 1);
}

static void adjacent_measure(const opevo_parameter *self, opevo_parameter_metrics *metrics)
{
    opevo_i_topology_regular_measure(self, self->arity - 1, self->arity * (self->arity - 1) / 2,
                                     metrics);
}

/* Insertion: the element at i moves to j != i. Moving i to i-1 is moving i-1 to i, so the pairs
 * with j = i-1 are left out: n - 1 of them for i = 0, n - 2 for each other i, (n-1)^2 in all. */
static opevo_index insertion_degree(const opevo_parameter *self, opevo_index vertex)
{
    (void)vertex;
    return (self->arity - 1) * (self->arity - 1);
}

static opevo_index insertion_neighbour(const opevo_parameter *self, opevo_index vertex,
                                       opevo_index k)
{
    unsigned rest = (unsigned)k, n = (unsigned)self->arity, i = 0;

    if (rest < n - 1)
        return apply_once(self, vertex, insert_place, 0, rest + 1);
    rest -= n - 1;
    i = 1 + rest / (n - 2);
    rest %= n - 2;
    return apply_once(self, vertex, insert_place, i, rest < i - 1 ? rest : rest + 2);
}

static void insertion_neighbours(const opevo_parameter *self, opevo_index vertex, opevo_index *out)
{
    layout parts;

    unrank((const permutation *)self, vertex, &parts);
    for (unsigned i = 0; i < self->arity; i++) {
        for (unsigned j = 0; j < self->arity; j++) {
            if (j != i && j + 1 != i)
                *out++ = apply(self, vertex, &parts, insert_place, i, j);
        }
    }
}

static void insertion_measure(const opevo_parameter *self, opevo_parameter_metrics *metrics)
{
    opevo_i_topology_regular_measure(self, insertion_degree(self, 0), self->arity - 1, metrics);
}

static const opevo_i_topology topologies[] = {
    {.name = "transposition",
     .family = transposition_family,
     .degree = transposition_degree,
     .neighbour = transposition_neighbour,
     .neighbours = transposition_neighbours,
     .measure = transposition_measure},
    {.name = "adjacent-swap",
     .family = adjacent_family,
     .degree = adjacent_degree,
     .neighbour = adjacent_neighbour,
     .neighbours = adjacent_neighbours,
     .measure = adjacent_measure},
    {.name = "insertion",
     .degree = insertion_degree,
     .neighbour = insertion_neighbour,
     .neighbours = insertion_neighbours,
     .measure = insertion_measure},
    OPEVO_I_COMPLETE_TOPOLOGY,
};

const opevo_i_topology_type opevo_i_topology_permutation_type = {
    .info = {"permutation", "permutation(n)", "permutations of 0 .. n-1",
             "transposition adjacent-swap insertion complete"},
    .topologies = topologies,
    .topology_count = sizeof topologies / sizeof topologies[0],
    .is_tuple = true,
    .create = create,
    .destroy = destroy,
    .value = value,
    .find = find,
    .explain = explain,
    .hash = hash,
};
