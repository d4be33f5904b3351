/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `autotvm-ga`: where children come from. */

#include "tuner_fixture.h"

#include <stdlib.h>

static const char wide_space[] = "{\"a\": {\"_type\": \"factor\", \"_value\": [1048576, 4]},"
                                 " \"b\": {\"_type\": \"factor\", \"_value\": [1048576, 4]},"
                                 " \"c\": {\"_type\": \"factor\", \"_value\": [1048576, 4]},"
                                 " \"d\": {\"_type\": \"factor\", \"_value\": [1048576, 4]}}";

enum { WIDTH = 4, POPULATION = 100, GENERATIONS = 4, ELITE = 3 };

typedef struct individual {
    opevo_index vertices[WIDTH];
    double fitness;
} individual;

/* One generation. Fitness: a hash, so that it is the same for the same point. */
static void run(opevo_tuner *tuner, individual *out)
{
    opevo_proposal proposals[POPULATION];
    size_t count = 0;

    CHECK_OK(opevo_tuner_ask(tuner, proposals, POPULATION, &count, &err));
    assert_int_equal(count, POPULATION);
    for (size_t i = 0; i < count; i++) {
        opevo_trial trial = {.proposal = proposals[i]};
        uint64_t hash = opevo_hash_mix((uint64_t)proposals[i].point);

        opevo_space_decode(tuner->space, proposals[i].point, out[i].vertices);
        out[i].fitness = hash % 3 == 0 ? 0 : (double)(hash % 1000);
        trial.outcome.fitness = out[i].fitness;
        CHECK_OK(opevo_tuner_tell(tuner, &trial, 1, &err));
    }
}

/* Parameters in which the child differs from the head of one and the tail of another parent, for
 * the closest pair. */
static size_t distance_to_parents(const individual *child, const individual *parents, size_t count)
{
    size_t best = WIDTH;

    for (size_t cut = 0; cut < WIDTH; cut++) {
        size_t head = WIDTH, tail = WIDTH;

        for (size_t p = 0; p < count; p++) {
            size_t in_head = 0, in_tail = 0;

            for (size_t i = 0; i < WIDTH; i++) {
                bool differs = child->vertices[i] != parents[p].vertices[i];

                in_head += i < cut && differs;
                in_tail += i >= cut && differs;
            }
            head = in_head < head ? in_head : head;
            tail = in_tail < tail ? in_tail : tail;
        }
        best = head + tail < best ? head + tail : best;
    }
    return best;
}

static int compare_fitness(const void *a, const void *b)
{
    double x = ((const individual *)a)->fitness, y = ((const individual *)b)->fitness;

    return (x < y) - (x > y);
}

/* Without mutation a child is the head of one parent and the tail of another. Only a copy, which
 * comes of a cut before the first parameter (one in four) or of equal parts, is re-drawn in one
 * parameter, or rarely more. Parents are the last generation and the three fittest so far; a tuner
 * that forgot those would not be caught here, but one that took parents from older generations, or
 * cut elsewhere, would. */
CHECK_TEST(test_children_have_two_parents)
{
    opevo_space *space = formula_space(wide_space);
    opevo_tuner *tuner = tuner_make("autotvm-ga", space, "mutation=0", 5);
    individual parents[POPULATION + ELITE], children[POPULATION], all[GENERATIONS * POPULATION];
    size_t known = POPULATION;
    size_t exact = 0, near = 0;

    run(tuner, parents);
    memcpy(all, parents, POPULATION * sizeof *all);
    memcpy(parents + POPULATION, all, ELITE * sizeof *all); /* no elite yet: any of them again */
    for (int generation = 1; generation < GENERATIONS; generation++) {
        run(tuner, children);
        for (size_t i = 0; i < POPULATION; i++) {
            size_t distance = distance_to_parents(&children[i], parents, POPULATION + ELITE);

            exact += distance == 0;
            near += distance == 1;
        }
        /* The next parents, with the fittest of all that came before the children. */
        qsort(all, known, sizeof *all, compare_fitness);
        memcpy(parents, children, sizeof children);
        memcpy(parents + POPULATION, all, ELITE * sizeof *all);
        memcpy(all + known, children, sizeof children);
        known += POPULATION;
    }
    assert_int_equal(exact + near, (GENERATIONS - 1) * POPULATION);
    assert_true(exact > 180 && exact < 260); /* three of four, 225 of 300, and duplicates */
    opevo_tuner_destroy(tuner);
    opevo_space_destroy(space);
}

/* Failures have no children while others succeed: their weight is 1e-8 of the rest. */
CHECK_TEST(test_failures_have_no_children)
{
    opevo_space *space = formula_space(wide_space);
    opevo_tuner *tuner = tuner_make("autotvm-ga", space, "mutation=0", 6);
    individual parents[POPULATION], children[POPULATION], fit[POPULATION];
    size_t count = 0;

    run(tuner, parents);
    for (size_t i = 0; i < POPULATION; i++) {
        if (parents[i].fitness > 0)
            fit[count++] = parents[i];
    }
    run(tuner, children);
    for (size_t i = 0; i < POPULATION; i++)
        assert_true(distance_to_parents(&children[i], fit, count) <= 1);
    opevo_tuner_destroy(tuner);
    opevo_space_destroy(space);
}

/* The share of parameters that mutation re-draws: 0.1 of 4 * 300 of the generations' parameters,
 * less the few redrawn to themselves, one in 1,771 values; seen from the parents it is at
 * most that. Four standard errors of 0.1 are 0.035. */
CHECK_TEST(test_share_of_mutations)
{
    opevo_space *space = formula_space(wide_space);
    opevo_tuner *tuner = tuner_make("autotvm-ga", space, "", 7);
    individual parents[POPULATION], children[POPULATION];
    size_t foreign = 0;

    run(tuner, parents);
    run(tuner, children);
    for (size_t i = 0; i < POPULATION; i++) {
        for (size_t k = 0; k < WIDTH; k++) {
            bool found = false;

            for (size_t p = 0; p < POPULATION; p++)
                found |= parents[p].vertices[k] == children[i].vertices[k];
            foreign += !found;
        }
    }
    /* Copies (about a quarter) are re-drawn once more: 0.1 * 400 + 0.25 * 0.66 * 100 = 56. */
    assert_true(foreign > 30 && foreign < 85);
    opevo_tuner_destroy(tuner);
    opevo_space_destroy(space);
}

CHECK_TEST(test_first_generation_is_random)
{
    opevo_space *space = formula_space(wide_space);
    opevo_tuner *tuner = tuner_make("autotvm-ga", space, "", 8);
    opevo_tuner *uniform = tuner_make("random", space, "", 8);
    individual genetic[POPULATION], drawn[POPULATION];

    run(tuner, genetic);
    run(uniform, drawn);
    for (size_t i = 0; i < POPULATION; i++)
        assert_memory_equal(genetic[i].vertices, drawn[i].vertices, sizeof genetic[i].vertices);
    opevo_tuner_destroy(tuner);
    opevo_tuner_destroy(uniform);
    opevo_space_destroy(space);
}
