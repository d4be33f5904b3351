/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Random points of an objective on a device, each of which must be measured or rejected. */

#ifndef OPEVO_TESTS_MEASURED_POINTS_H
#define OPEVO_TESTS_MEASURED_POINTS_H

#include "check.h"
#include "points.h"

#include <opevo/objective.h>
#include <opevo/random.h>

enum { POINTS_MOST = 1000, POINTS_TRIES = 20 };

static inline void draw_points(opevo_rng *rng, const opevo_space *space, opevo_index *points,
                               int count)
{
    for (int i = 0; i < count;) {
        points[i] = opevo_rng_below_wide(rng, opevo_space_size(space));
        i += opevo_space_allows(space, points[i]);
    }
}

/* `usual` of them, or what OPEVO_TEST_POINTS says. */
static inline int points_wanted(int usual)
{
    size_t count = test_points((size_t)usual);

    return count <= POINTS_MOST ? (int)count : POINTS_MOST;
}

/* Batches of random points until as many were measured as are wanted; how many were. */
static inline int measure_points(opevo_objective *objective, int wanted, const char *name)
{
    static opevo_index points[POINTS_MOST];
    static opevo_outcome outcomes[POINTS_MOST];
    int measured = 0;
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "points", 0);
    for (int try = 0; try < POINTS_TRIES && measured < wanted; try++) {
        draw_points(&rng, objective->space, points, wanted);
        CHECK_OK(opevo_objective_evaluate(objective, points, (size_t)wanted, outcomes, &err));
        for (int i = 0; i < wanted; i++) {
            opevo_text what = {0};

            if (outcomes[i].kind == OPEVO_OUTCOME_REJECTED)
                continue;
            measured++;
            opevo_space_print(objective->space, points[i], &what);
            if (outcomes[i].kind != OPEVO_OUTCOME_OK)
                fail_msg("%s, %s: %s (%s)", name, opevo_text_string(&what),
                         opevo_outcome_name(outcomes[i].kind),
                         outcomes[i].message ? outcomes[i].message : "");
            opevo_text_free(&what);
        }
    }
    return measured;
}

#endif
