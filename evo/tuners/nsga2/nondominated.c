/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The sort counts for each individual how many dominate it, and takes the fronts off one after the
 * other: as many comparisons as the paper's, without its lists of the dominated, which are of
 * quadratic size. */

#include "nondominated_internal.h"

#include <opevo/memory.h>

#include <math.h>
#include <stdlib.h>

opevo_status opevo_i_nsga2_nondominated_sort(opevo_i_nsga2_individual *individuals, size_t count,
                                             const opevo_criteria *criteria, opevo_error *err)
{
    size_t *dominating = opevo_calloc(count, sizeof *dominating); /* by what is not yet taken off */
    size_t *order = opevo_malloc(count, sizeof *order);           /* those taken off */
    size_t taken = 0;

    if (!dominating || !order) {
        opevo_free(dominating);
        opevo_free(order);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to sort %zu individuals.", count);
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < count; k++)
            dominating[i] +=
                opevo_outcome_dominates(&individuals[k].outcome, &individuals[i].outcome, criteria);
        if (dominating[i] == 0) {
            individuals[i].front = 0;
            order[taken++] = i;
        }
    }
    for (size_t at = 0; at < taken; at++) {
        const opevo_i_nsga2_individual *one = &individuals[order[at]];

        for (size_t k = 0; k < count; k++) {
            if (opevo_outcome_dominates(&one->outcome, &individuals[k].outcome, criteria) &&
                --dominating[k] == 0) {
                individuals[k].front = one->front + 1;
                order[taken++] = k;
            }
        }
    }
    opevo_free(dominating);
    opevo_free(order);
    return OPEVO_OK;
}

typedef struct ranked {
    double value;
    opevo_i_nsga2_individual *of;
} ranked;

static int compare_ranked(const void *a, const void *b)
{
    const ranked *x = a;
    const ranked *y = b;

    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return x->of->number < y->of->number ? -1 : x->of->number > y->of->number;
}

/* Larger is better in `values`; what is not known becomes the worst known. */
static void rank(opevo_i_nsga2_individual *front, size_t count, const opevo_criteria *criteria,
                 size_t c, ranked *values)
{
    double sign = criteria->chosen[c].larger_is_better ? 1 : -1;
    double worst = INFINITY;

    for (size_t i = 0; i < count; i++) {
        double value = sign * opevo_outcome_criterion(&front[i].outcome, criteria->chosen[c].index);

        values[i] = (ranked){.value = value, .of = &front[i]};
        worst = fmin(worst, value); /* passes over NAN */
    }
    for (size_t i = 0; i < count; i++)
        values[i].value = isnan(values[i].value) ? worst : values[i].value;
    qsort(values, count, sizeof *values, compare_ranked);
}

opevo_status opevo_i_nsga2_crowding(opevo_i_nsga2_individual *front, size_t count,
                                    const opevo_criteria *criteria, opevo_error *err)
{
    ranked *values = opevo_malloc(count, sizeof *values);

    OPEVO_NEED_OR_RETURN(values, "sorting %zu individuals", count);
    for (size_t i = 0; i < count; i++)
        front[i].crowding = 0;
    for (size_t c = 0; c < criteria->count; c++) {
        double range = 0;

        rank(front, count, criteria, c, values);
        range = values[count - 1].value / 2 - values[0].value / 2; /* halves do not overflow */
        if (!(range > 0 && isfinite(range)))
            continue;
        values[0].of->crowding = values[count - 1].of->crowding = INFINITY;
        for (size_t i = 1; i + 1 < count; i++)
            values[i].of->crowding += (values[i + 1].value / 2 - values[i - 1].value / 2) / range;
    }
    opevo_free(values);
    return OPEVO_OK;
}

int opevo_i_nsga2_crowded_compare(const void *a, const void *b)
{
    const opevo_i_nsga2_individual *x = a;
    const opevo_i_nsga2_individual *y = b;

    if (x->front != y->front)
        return x->front < y->front ? -1 : 1;
    if (x->crowding != y->crowding)
        return x->crowding > y->crowding ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}
