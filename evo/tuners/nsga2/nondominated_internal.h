/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What NSGA-II orders individuals by: the front that each belongs to, and how crowded it is there.
 *
 * Source: Deb, Pratap, Agarwal and Meyarivan, "A Fast and Elitist Multiobjective Genetic Algorithm:
 *         NSGA-II", IEEE Transactions on Evolutionary Computation 6(2), 2002,
 *         sections III and VI. */

#ifndef OPEVO_NONDOMINATED_INTERNAL_H
#define OPEVO_NONDOMINATED_INTERNAL_H

#include <opevo/objective.h>

typedef struct opevo_i_nsga2_individual {
    opevo_index candidate;
    opevo_outcome outcome; /* without samples and message */
    uint64_t number;       /* in the order told: the older of what is otherwise equal comes first */
    size_t front;          /* 0: nothing dominates it */
    double crowding;       /* distance to its neighbours on its front; INFINITY at an end */
} opevo_i_nsga2_individual;

/* Set `front` of each: 0 where no other dominates it, k + 1 where some of front k does and none of
 * a later one. Errors: NOMEM. Cost: count^2 comparisons. */
opevo_status opevo_i_nsga2_nondominated_sort(opevo_i_nsga2_individual *individuals, size_t count,
                                             const opevo_criteria *criteria, opevo_error *err);

/* Set `crowding` of the individuals of one front:
 *
 *     crowding[i] = sum over criteria of (value[next of i] - value[previous of i]) / (max - min),
 *
 * where next and previous are taken in the order of the criterion's values, equal ones by number.
 * The first and the last of a criterion have INFINITY. A criterion that has one value on the whole
 * front says nothing and adds nothing; a value that is not known counts as the worst known one.
 * Errors: NOMEM. Cost: count log count for each criterion. */
opevo_status opevo_i_nsga2_crowding(opevo_i_nsga2_individual *front, size_t count,
                                    const opevo_criteria *criteria, opevo_error *err);

/* Negative where a is preferred by the crowded comparison: the lower front, then the larger
 * distance, and then the older. For qsort. */
int opevo_i_nsga2_crowded_compare(const void *a, const void *b);

#endif
