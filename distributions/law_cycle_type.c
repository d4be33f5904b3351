/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Transpositions: the law depends only on the cycle type of start^-1 v, so the walk of n! vertices
 * lumps to the partitions of n (5604 for n = 30). A transposition merges two cycles or splits one;
 * how many do what follows from the lengths alone.
 *
 * Partitions are numbered so that those with smaller largest part come first, and recursively for
 * the rest: the number of (l1 >= l2 >= ...) is the sum over i of p(n - l1 - ... - l(i-1), li - 1).
 * Number 0 is 1 + 1 + ... + 1, the type of the start itself. */

#include "law_internal.h"

#include <opevo/memory.h>

enum { N_MAX = OPEVO_I_PERMUTATION_MAX };

/* cycles[l] cycles of length l. */
typedef struct cycle_type {
    uint8_t cycles[N_MAX + 1];
} cycle_type;

/* ---- Numbers of partitions ---- */

static void fill_table(opevo_i_law_partition_table *table)
{
    for (unsigned k = 0; k <= N_MAX; k++)
        table->number[0][k] = 1;
    for (unsigned n = 1; n <= N_MAX; n++) {
        table->number[n][0] = 0;
        for (unsigned k = 1; k <= N_MAX; k++)
            table->number[n][k] = table->number[n][k - 1] + (k <= n ? table->number[n - k][k] : 0);
    }
}

static uint32_t rank_of(const opevo_i_law_partition_table *table, unsigned n,
                        const cycle_type *type)
{
    uint32_t rank = 0;

    for (unsigned length = n; length >= 1; length--) {
        for (unsigned i = 0; i < type->cycles[length]; i++) {
            rank += table->number[n][length - 1];
            n -= length;
        }
    }
    return rank;
}

static cycle_type type_at(const opevo_i_law_partition_table *table, unsigned n, uint32_t rank)
{
    cycle_type type = {{0}};
    unsigned left = n;

    while (left > 0) {
        const uint32_t *number = table->number[left];
        unsigned length = 1;

        while (number[length] <= rank)
            length++;
        rank -= number[length - 1];
        type.cycles[length]++;
        left -= length;
    }
    return type;
}

/* n! / prod l^c c!: permutations of this cycle type. */
static opevo_index class_size(unsigned n, const cycle_type *type)
{
    opevo_index factorial = 1, divisor = 1;

    for (unsigned i = 2; i <= n; i++)
        factorial *= i;
    for (unsigned length = 1; length <= n; length++) {
        for (unsigned i = 1; i <= type->cycles[length]; i++)
            divisor *= (opevo_index)length * i;
    }
    return factorial / divisor;
}

/* ---- Transpositions between types ---- */

typedef struct lattice {
    opevo_i_law_quotient quotient;
    opevo_index *size;
    double *degree;
    size_t *offset;
    uint32_t *target;
    uint64_t *count;
    size_t target_capacity, count_capacity;
} lattice;

static void lattice_release(lattice *self)
{
    opevo_free(self->size);
    opevo_free(self->degree);
    opevo_free(self->offset);
    opevo_free(self->target);
    opevo_free(self->count);
}

static bool add(lattice *self, size_t *length, uint32_t target, uint64_t count)
{
    void *targets = self->target, *counts = self->count;
    bool room = opevo_reserve(&targets, &self->target_capacity, *length + 1, sizeof *self->target);

    self->target = targets;
    room = room && opevo_reserve(&counts, &self->count_capacity, *length + 1, sizeof *self->count);
    self->count = counts;
    if (!room)
        return false;
    self->target[*length] = target;
    self->count[*length] = count;
    ++*length;
    return true;
}

/* Merge a cycle of length a with one of length b >= a: a b transpositions for each such pair. */
static bool add_merges(lattice *self, size_t *length, const opevo_i_law_partition_table *table,
                       unsigned n, const cycle_type *type)
{
    for (unsigned a = 1; a <= n; a++) {
        for (unsigned b = a; a + b <= n; b++) {
            uint64_t pairs = a == b ? (uint64_t)type->cycles[a] * (type->cycles[a] - 1u) / 2
                                    : (uint64_t)type->cycles[a] * type->cycles[b];
            cycle_type merged = *type;

            if (type->cycles[a] == 0 || pairs == 0)
                continue;
            merged.cycles[a]--;
            merged.cycles[b]--;
            merged.cycles[a + b]++;
            if (!add(self, length, rank_of(table, n, &merged), pairs * a * b))
                return false;
        }
    }
    return true;
}

/* Split a cycle of length l into a <= l - a: l transpositions, half as many when both are equal. */
static bool add_splits(lattice *self, size_t *length, const opevo_i_law_partition_table *table,
                       unsigned n, const cycle_type *type)
{
    for (unsigned whole = 2; whole <= n; whole++) {
        for (unsigned a = 1; type->cycles[whole] > 0 && 2 * a <= whole; a++) {
            uint64_t ways = 2 * a == whole ? whole / 2 : whole;
            cycle_type split = *type;

            split.cycles[whole]--;
            split.cycles[a]++;
            split.cycles[whole - a]++;
            if (!add(self, length, rank_of(table, n, &split), ways * type->cycles[whole]))
                return false;
        }
    }
    return true;
}

static opevo_status lattice_init(lattice *self, const opevo_i_law_partition_table *table,
                                 unsigned n, opevo_error *err)
{
    size_t class_count = table->number[n][n], length = 0;
    unsigned degree = n * (n - 1) / 2;

    self->size = opevo_malloc(class_count, sizeof *self->size);
    self->degree = opevo_malloc(class_count, sizeof *self->degree);
    self->offset = opevo_malloc(class_count + 1, sizeof *self->offset);
    OPEVO_NEED_OR_RETURN(self->size && self->degree && self->offset, "the %zu cycle types",
                         class_count);
    for (size_t i = 0; i < class_count; i++) {
        cycle_type type = type_at(table, n, (uint32_t)i);

        self->size[i] = class_size(n, &type);
        self->degree[i] = degree;
        self->offset[i] = length;
        OPEVO_NEED_OR_RETURN(add_merges(self, &length, table, n, &type) &&
                                 add_splits(self, &length, table, n, &type),
                             "the %zu cycle types", class_count);
    }
    self->offset[class_count] = length;
    self->quotient = (opevo_i_law_quotient){class_count,  self->size,   self->degree,
                                            self->offset, self->target, self->count};
    return OPEVO_OK;
}

/* ---- The law ---- */

static size_t class_of(const opevo_law *law, opevo_index vertex)
{
    opevo_value order[N_MAX];
    uint8_t image[N_MAX];
    bool seen[N_MAX] = {false};
    cycle_type type = {{0}};

    opevo_parameter_value(law->parameter, vertex, order);
    for (unsigned i = 0; i < law->order; i++)
        image[law->start_order[i]] = (uint8_t)order[i].as.integer;
    for (unsigned i = 0; i < law->order; i++) {
        unsigned length = 0;

        for (unsigned at = i; !seen[at]; at = image[at]) {
            seen[at] = true;
            length++;
        }
        if (length)
            type.cycles[length]++;
    }
    return rank_of(law->partitions, law->order, &type);
}

/* The representative rotates consecutive stretches of the start, one for each cycle. */
static opevo_law_class class_get(const opevo_law *law, size_t i)
{
    cycle_type type = type_at(law->partitions, law->order, (uint32_t)i);
    opevo_law_class found = {0, class_size(law->order, &type), law->probability[i]};
    opevo_value order[N_MAX];
    unsigned first = 0;

    for (unsigned length = 1; length <= law->order; length++) {
        for (unsigned c = 0; c < type.cycles[length]; c++) {
            for (unsigned j = 0; j < length; j++)
                order[first + j] =
                    opevo_value_of_integer(law->start_order[first + (j + 1) % length]);
            first += length;
        }
    }
    opevo_parameter_find(law->parameter, order, &found.representative);
    return found;
}

static const opevo_i_law_symmetry symmetry = {class_of, class_get};

opevo_status opevo_i_law_transpositions(opevo_law *law, double tolerance, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_value order[N_MAX];
    lattice types = {.size = NULL};

    law->order = (unsigned)opevo_parameter_arity(law->parameter);
    if (law->order > N_MAX)
        return OPEVO_FAIL(err, OPEVO_LIMIT,
                          "The law by cycle types is for permutations of up to %d, not of %u.",
                          N_MAX, law->order);
    law->symmetry = &symmetry;
    OPEVO_NEW(law->partitions, 1, "the numbers of partitions");
    fill_table(law->partitions);
    opevo_parameter_value(law->parameter, law->start, order);
    for (unsigned i = 0; i < law->order; i++)
        law->start_order[i] = (uint8_t)order[i].as.integer;
    OPEVO_TRY(lattice_init(&types, law->partitions, law->order, err));
    OPEVO_TRY(opevo_i_law_allocate(law, types.quotient.class_count, err));
    OPEVO_TRY(opevo_i_law_quotient_solve(&types.quotient, law->q, 0, tolerance, law->probability,
                                         &law->bound, err));
cleanup:
    lattice_release(&types);
    return status;
}
