/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Maxima as sets: the value of a set of two or more members is an unknown function of the sum over
 * its members of a random value for each. It depends on the set alone, neither on order nor on
 * repetitions, and two sets have the same value with probability 1 / p. The sum itself would be no
 * value: that of {a, b} and {c, d} would be that of {a, c} and {b, d}.
 *
 * A set is the first `length` members of a chain, so that a maximum that grows member by member
 * costs O(1) each; where two sets begin alike and go on differently, the beginning is copied. */

#include "field_internal.h"

#include <opevo/hash.h>
#include <opevo/memory.h>

#include <string.h>

enum { FIRST_TABLE = 64, SHORT_CHAIN = 24 };
#define MEMBER UINT64_C(0x5851f42d4c957f2d) /* the function of a member's random value */
#define SET UINT64_C(0x14057b7ef767814f)    /* that of their sum */

/* From a key to a number, by open addressing; the key is never 2^64 - 1. */
typedef struct table {
    uint64_t *key;
    uint64_t *number;
    size_t count, capacity; /* a power of 2 */
} table;

typedef struct chain {
    opevo_simt_value *member;
    size_t count, capacity;
    table places; /* of members by their residues; only of long chains */
} chain;

struct opevo_i_maxima {
    chain *chains;
    size_t chain_count, chain_capacity;
    table sets; /* from a set's value: chain << 32 | length */
    table sums; /* from a set's value: the sum of its members' random values */
};

typedef struct set {
    uint64_t chain;
    size_t length;
    uint64_t sum; /* of the members' random values; of one member, not yet */
    opevo_simt_value value;
} set;

/* ---- Tables ---- */

static size_t slot_of(const table *self, uint64_t key)
{
    size_t at = (size_t)opevo_hash_mix(key) & (self->capacity - 1);

    while (self->key[at] != UINT64_MAX && self->key[at] != key)
        at = (at + 1) & (self->capacity - 1);
    return at;
}

static bool table_get(const table *self, uint64_t key, uint64_t *number)
{
    size_t at;

    if (self->capacity == 0)
        return false;
    at = slot_of(self, key);
    *number = self->number[at];
    return self->key[at] == key;
}

static bool table_grow(table *self)
{
    table wide = {.capacity = self->capacity ? 2 * self->capacity : FIRST_TABLE};

    wide.key = opevo_malloc(wide.capacity, sizeof *wide.key);
    wide.number = opevo_malloc(wide.capacity, sizeof *wide.number);
    if (!wide.key || !wide.number) {
        opevo_free(wide.key);
        opevo_free(wide.number);
        return false;
    }
    memset(wide.key, 0xff, wide.capacity * sizeof *wide.key);
    for (size_t i = 0; i < self->capacity; i++) {
        size_t at;

        if (self->key[i] == UINT64_MAX)
            continue;
        at = slot_of(&wide, self->key[i]);
        wide.key[at] = self->key[i];
        wide.number[at] = self->number[i];
    }
    wide.count = self->count;
    opevo_free(self->key);
    opevo_free(self->number);
    *self = wide;
    return true;
}

static bool table_put(table *self, uint64_t key, uint64_t number)
{
    size_t at;

    if (2 * (self->count + 1) > self->capacity && !table_grow(self))
        return false;
    at = slot_of(self, key);
    self->count += self->key[at] == UINT64_MAX;
    self->key[at] = key;
    self->number[at] = number;
    return true;
}

static void table_free(table *self)
{
    opevo_free(self->key);
    opevo_free(self->number);
}

/* ---- Chains ---- */

/* Place of a member, or the length of the chain. */
static size_t find_member(const chain *self, uint64_t residue)
{
    uint64_t place;

    if (self->count > SHORT_CHAIN)
        return table_get(&self->places, residue, &place) ? (size_t)place : self->count;
    for (size_t i = 0; i < self->count; i++)
        if (self->member[i].word[0] == residue)
            return i;
    return self->count;
}

static bool append(chain *self, const opevo_simt_value *member)
{
    if (!opevo_reserve((void **)&self->member, &self->capacity, self->count + 1,
                       sizeof *self->member))
        return false;
    self->member[self->count++] = *member;
    if (self->count <= SHORT_CHAIN)
        return true;
    for (size_t i = self->count == SHORT_CHAIN + 1 ? 0 : self->count - 1; i < self->count; i++)
        if (!table_put(&self->places, self->member[i].word[0], i))
            return false;
    return true;
}

/* A new chain with the first members of another one. */
static bool copy_chain(opevo_i_maxima *self, uint64_t from, size_t length, uint64_t *out)
{
    if (!opevo_reserve((void **)&self->chains, &self->chain_capacity, self->chain_count + 1,
                       sizeof *self->chains))
        return false;
    *out = self->chain_count++;
    self->chains[*out] = (chain){0};
    for (size_t i = 0; i < length; i++)
        if (!append(&self->chains[*out], &self->chains[from].member[i]))
            return false;
    return true;
}

/* ---- Sets ---- */

static uint64_t weight(opevo_field *field, const opevo_simt_value *member)
{
    return opevo_i_field_unknown(field, MEMBER, &member->word[0], 1).word[0];
}

/* The set that a value stands for; of one that is not a maximum, itself. */
static bool open_set(opevo_i_maxima *self, const opevo_simt_value *value, set *out)
{
    uint64_t known;

    if (table_get(&self->sets, value->word[0], &known)) {
        *out = (set){.chain = known >> 32, .length = (size_t)(uint32_t)known, .value = *value};
        (void)table_get(&self->sums, value->word[0], &out->sum);
        return true;
    }
    *out = (set){.length = 1, .value = *value};
    if (!copy_chain(self, 0, 0, &out->chain) || !append(&self->chains[out->chain], value))
        return false;
    return table_put(&self->sets, value->word[0], out->chain << 32 | 1);
}

/* Add a member; false without memory. */
static bool add_member(opevo_field *field, set *to, const opevo_simt_value *member)
{
    opevo_i_maxima *self = field->maxima;
    size_t place = find_member(&self->chains[to->chain], member->word[0]);
    uint64_t known;

    if (place < to->length)
        return true;
    if (to->length == 1)
        to->sum = weight(field, &self->chains[to->chain].member[0]);
    to->sum = opevo_i_field_add(to->sum, weight(field, member), OPEVO_FIELD_P);
    to->value = opevo_i_field_unknown(field, SET, &to->sum, 1);
    if (table_get(&self->sets, to->value.word[0], &known)) {
        to->chain = known >> 32;
        to->length = (size_t)(uint32_t)known;
        return true;
    }
    if (to->length < self->chains[to->chain].count &&
        !copy_chain(self, to->chain, to->length, &to->chain))
        return false;
    to->length++;
    return append(&self->chains[to->chain], member) &&
           table_put(&self->sets, to->value.word[0], to->chain << 32 | to->length) &&
           table_put(&self->sums, to->value.word[0], to->sum);
}

bool opevo_i_maxima_join(opevo_field *field, const opevo_simt_value *a, const opevo_simt_value *b,
                         opevo_simt_value *out)
{
    opevo_i_maxima *self = field->maxima;
    set large, small;

    if (!open_set(self, a, &large) || !open_set(self, b, &small))
        return false;
    if (large.length < small.length) {
        set other = large;

        large = small;
        small = other;
    }
    for (size_t i = 0; i < small.length; i++) {
        opevo_simt_value member = self->chains[small.chain].member[i];

        if (!add_member(field, &large, &member))
            return false;
    }
    *out = large.value;
    return true;
}

opevo_i_maxima *opevo_i_maxima_create(void)
{
    return opevo_calloc(1, sizeof(opevo_i_maxima));
}

void opevo_i_maxima_destroy(opevo_i_maxima *self)
{
    if (!self)
        return;
    for (size_t i = 0; i < self->chain_count; i++) {
        opevo_free(self->chains[i].member);
        table_free(&self->chains[i].places);
    }
    opevo_free(self->chains);
    table_free(&self->sets);
    table_free(&self->sums);
    opevo_free(self);
}
