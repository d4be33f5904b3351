/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Finalists measured side by side. */

#ifndef OPEVO_TEST_FINALISTS_H
#define OPEVO_TEST_FINALISTS_H

#include <opevo/finals.h>

enum { FINALISTS_MOST = 8 };

/* By seed 1. */
static inline opevo_status measure_finalists(opevo_objective *objective,
                                             const opevo_finalist *finalists, size_t count,
                                             size_t rounds, const opevo_interrupt *interrupt,
                                             double *fitness, opevo_text *library,
                                             opevo_error *error)
{
    opevo_index points[FINALISTS_MOST] = {0};
    const opevo_rounds plan = {
        .points = points, .count = count, .rounds = rounds, .seed = 1, .interrupt = interrupt};

    for (size_t i = 0; i < count; i++)
        points[i] = finalists[i].point;
    return opevo_objective_measure_rounds(objective, &plan, fitness, library, error);
}

#endif
