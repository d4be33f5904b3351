/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a child and a generation of siblings gain, from the law of a child. */

#include "generation_internal.h"

#include <opevo/memory.h>

#include <math.h>
#include <stdlib.h>

typedef struct better {
    double fitness, law;
} better;

static int by_fitness(const void *a, const void *b)
{
    const better *x = a;
    const better *y = b;

    if (x->fitness != y->fitness)
        return x->fitness < y->fitness ? 1 : -1;
    return (x->law < y->law) - (x->law > y->law);
}

/* sums[k] = sum of the k largest numbers of the law, k < children, by insertion into a short
 * descending list. */
static void sum_largest(const double *law, size_t size, size_t children, double *sums)
{
    size_t room = children - 1, held = 0;
    double *list = sums + 1;

    for (size_t x = 0; x < size && room > 0; x++) {
        double value = law[x];
        size_t at = held < room ? held : room - 1;

        if (value == 0 || (held == room && value <= list[room - 1]))
            continue;
        held += held < room;
        for (; at > 0 && list[at - 1] < value; at--)
            list[at] = list[at - 1];
        list[at] = value;
    }
    sums[0] = 0;
    for (size_t k = 1; k <= room; k++)
        sums[k] = sums[k - 1] + (k <= held ? list[k - 1] : 0);
}

/* P(some child is better) at least: each is with probability p or more, as it avoids the siblings
 * before it that are not. */
static double some_low(double p, size_t children)
{
    return -expm1((double)children * log1p(-fmin(p, 1)));
}

/* And at most: beside k siblings with probability S, a child is better with p / (1 - S) or less,
 * which is at most p + S, and S is at most the sum of the k largest numbers of the law. */
static double some_high(double p, const double *sums, size_t children)
{
    double none = 0; /* logarithm of the probability that none is better */

    for (size_t k = 0; k < children; k++)
        none += log1p(-fmin(1, p + sums[k]));
    return -expm1(none);
}

opevo_status opevo_i_analysis_generation_gain(const opevo_landscape_table *table, const double *law,
                                              double best, size_t children, opevo_improvement *out,
                                              opevo_error *err)
{
    size_t count = 0;
    better *list = NULL;
    double *sums = opevo_malloc(children, sizeof *sums);
    double reached = 0;

    for (size_t x = 0; x < table->size; x++)
        count += law[x] > 0 && table->fitness[x] > best;
    list = opevo_malloc(count, sizeof *list);
    if (!list || !sums) {
        opevo_free(list);
        opevo_free(sums);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the gain of a generation.");
    }
    count = 0;
    for (size_t x = 0; x < table->size; x++) {
        if (law[x] > 0 && table->fitness[x] > best)
            list[count++] = (better){table->fitness[x], law[x]};
    }
    qsort(list, count, sizeof *list, by_fitness);
    sum_largest(law, table->size, children, sums);
    for (size_t i = 0; i < count; i++) {
        double drop = list[i].fitness - (i + 1 < count ? list[i + 1].fitness : best);

        reached += list[i].law;
        out->gain += drop * reached;
        if (drop > 0) {
            out->best_low += drop * some_low(reached, children);
            out->best_high += drop * some_high(reached, sums, children);
        }
    }
    out->probability = reached;
    out->some_low = some_low(reached, children);
    out->some_high = reached > 0 ? some_high(reached, sums, children) : 0;
    opevo_free(list);
    opevo_free(sums);
    return OPEVO_OK;
}
