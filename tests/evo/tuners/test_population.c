/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The list of the best individuals, against a sort of all of them. */

#include "check.h"

#include <stdlib.h>

#include <opevo/memory.h>
#include <opevo/random.h>

#include "population_internal.h"

typedef struct one {
    double fitness;
    uint64_t born;
} one;

/* Falling fitness; among equals the newest first. */
static int compare(const void *left, const void *right)
{
    const one *a = left;
    const one *b = right;

    if (a->fitness != b->fitness)
        return a->fitness < b->fitness ? 1 : -1;
    return a->born < b->born ? 1 : -1;
}

enum { BORN = 300, WIDTH = 3 };

static void check_against_sort(size_t capacity, uint64_t levels, uint64_t seed)
{
    opevo_i_opevo_population *population = opevo_i_opevo_population_create(capacity, WIDTH);
    one all[BORN] = {{0, 0}};
    size_t kept = 0;
    opevo_rng rng;

    assert_non_null(population);
    opevo_rng_init(&rng, seed, "test", 0);
    for (uint64_t born = 0; born < BORN; born++) {
        double fitness = (double)opevo_rng_below(&rng, levels);
        opevo_index vertices[WIDTH] = {born, born + 1, (opevo_index)born << 100};
        size_t wanted = 0;

        opevo_i_opevo_population_add(population, fitness, vertices);
        if (fitness > 0)
            all[kept++] = (one){fitness, born};
        qsort(all, kept, sizeof *all, compare);
        wanted = kept < capacity ? kept : capacity;
        assert_int_equal(opevo_i_opevo_population_count(population), wanted);
        for (size_t rank = 0; rank < wanted; rank++) {
            double got = 0;
            const opevo_index *row = opevo_i_opevo_population_get(population, rank, &got);

            assert_true(got == all[rank].fitness && row[0] == all[rank].born &&
                        row[1] == all[rank].born + 1 &&
                        row[2] == (opevo_index)all[rank].born << 100);
        }
    }
    opevo_i_opevo_population_destroy(population);
}

CHECK_TEST(test_against_sort)
{
    for (size_t capacity = 1; capacity <= 17; capacity += 4) {
        check_against_sort(capacity, 4, capacity); /* many ties */
        check_against_sort(capacity, 1000000, capacity);
    }
    check_against_sort(BORN, 50, 1);
}

CHECK_TEST(test_not_kept)
{
    opevo_i_opevo_population *population = opevo_i_opevo_population_create(4, 1);
    const double bad[] = {0, -0.0, -1, NAN, INFINITY};
    opevo_index vertex = 7;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        opevo_i_opevo_population_add(population, bad[i], &vertex);
    assert_int_equal(opevo_i_opevo_population_count(population), 0);
    opevo_i_opevo_population_destroy(population);
    opevo_i_opevo_population_destroy(NULL);
}

CHECK_TEST(test_without_memory)
{
    int64_t live = opevo_memory_live();

    for (int64_t n = 1; n <= 4; n++) {
        opevo_memory_fail_at(n);
        assert_null(opevo_i_opevo_population_create(4, 2));
        assert_int_equal(opevo_memory_live(), live);
    }
    opevo_memory_fail_at(0);
}
