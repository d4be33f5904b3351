/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A permutation of a long list is a Feistel network of four rounds on the smallest even number of
 * bits that holds the list; a number beyond the list is permuted again, so that it stays one to
 * one. Source: Black and Rogaway, "Ciphers with arbitrary finite domains", CT-RSA 2002, section 4.
 */

#include "kt_climb_internal.h"

#include <opevo/hash.h>
#include <opevo/memory.h>

enum { ROUNDS = 4 };

bool opevo_i_kt_climb_init(opevo_i_kt_climb *self, const opevo_i_kt_space *space, opevo_rng *rng)
{
    self->space = space;
    self->rng = rng;
    self->here = opevo_malloc(space->width, sizeof *self->here);
    self->there = opevo_malloc(space->width, sizeof *self->there);
    self->order = opevo_malloc(space->width, sizeof *self->order);
    return self->here && self->there && self->order;
}

void opevo_i_kt_climb_clear(opevo_i_kt_climb *self)
{
    opevo_free(self->here);
    opevo_free(self->there);
    opevo_free(self->order);
}

void opevo_i_kt_climb_begin(opevo_i_kt_climb *self, double cost)
{
    self->cost = cost;
    opevo_i_kt_order(self->rng, self->order, (uint32_t)self->space->width);
    self->parameter = 0;
    self->opened = false;
}

opevo_index opevo_i_kt_permuted(opevo_index i, opevo_index size, uint64_t key)
{
    unsigned half = 1;
    uint64_t mask = 0;

    while (half < 64 && (opevo_index)1 << 2 * half < size)
        half++;
    mask = half < 64 ? ((uint64_t)1 << half) - 1 : UINT64_MAX;
    do {
        uint64_t left = (uint64_t)(i >> half);
        uint64_t right = (uint64_t)i & mask;

        for (unsigned round = 0; round < ROUNDS; round++) {
            uint64_t mixed = opevo_hash_mix(opevo_hash_mix(key + round) ^ right) & mask;
            uint64_t next = left ^ mixed;

            left = right;
            right = next;
        }
        i = (opevo_index)left << half | right;
    } while (i >= size);
    return i;
}

/* Put those other values of a parameter that the diagram allows in a random order; false where it
 * says of none or too many. */
static bool open_allowed(opevo_i_kt_climb *self, size_t i)
{
    const opevo_i_kt_space *space = self->space;
    opevo_index values[OPEVO_I_KT_SHUFFLED_MOST];
    size_t count = SIZE_MAX;

    if (space->boxes)
        count = opevo_diagram_alternatives(space->diagram, self->here, i, values,
                                           OPEVO_I_KT_SHUFFLED_MOST);
    if (count > OPEVO_I_KT_SHUFFLED_MOST)
        return false;
    self->others = count;
    opevo_i_kt_order(self->rng, self->shuffled, (uint32_t)count);
    for (size_t k = 0; k < count; k++)
        self->shuffled[k] = (uint32_t)values[self->shuffled[k]];
    return true;
}

/* Put the other values of the parameter in a random order. */
static void open_parameter(opevo_i_kt_climb *self, size_t i)
{
    self->opened = true;
    self->value = 0;
    self->allowed = open_allowed(self, i);
    if (self->allowed)
        return;
    self->others = self->space->sizes[i] - 1;
    if (self->others > OPEVO_I_KT_SHUFFLED_MOST)
        self->key = opevo_rng_u64(self->rng);
    else
        opevo_i_kt_order(self->rng, self->shuffled, (uint32_t)self->others);
}

/* The value of a parameter that is tried at a place of the order. */
static opevo_index value_at(const opevo_i_kt_climb *self, size_t i, opevo_index at)
{
    opevo_index value = self->others > OPEVO_I_KT_SHUFFLED_MOST
                            ? opevo_i_kt_permuted(at, self->others, self->key)
                            : self->shuffled[(size_t)at];

    return self->allowed ? value : value + (value >= self->here[i]);
}

bool opevo_i_kt_climb_next(opevo_i_kt_climb *self)
{
    const opevo_i_kt_space *space = self->space;

    opevo_i_kt_copy(space, self->there, self->here);
    for (; self->parameter < space->width; self->parameter++) {
        size_t i = self->order[self->parameter];

        if (opevo_i_kt_is_silent(space, i, self->here))
            continue;
        if (!self->opened)
            open_parameter(self, i);
        while (self->value < self->others) {
            self->there[i] = value_at(self, i, self->value++);
            if (self->allowed || opevo_i_kt_allows(space, self->there))
                return true;
            if (space->sparse && opevo_i_kt_become_listed(space, self->here, self->there))
                return true;
        }
        self->there[i] = self->here[i];
        self->opened = false;
    }
    return false;
}

void opevo_i_kt_climb_take(opevo_i_kt_climb *self, double cost)
{
    if (cost < self->cost) {
        opevo_i_kt_copy(self->space, self->here, self->there);
        opevo_i_kt_climb_begin(self, cost);
    }
}
