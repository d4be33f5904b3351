/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Programs as objectives on the numbers 0 to 11, which are {X} in their commands. */

#ifndef OPEVO_TESTS_PROGRAMS_H
#define OPEVO_TESTS_PROGRAMS_H

#include "check.h"

#include <opevo/live.h>

enum { POINTS = 12 };

static inline opevo_objective *open_program(const char *command, opevo_program_options options)
{
    static const char json[] =
        "{\"X\": {\"_type\": \"discrete\", \"_value\": [0, 1, 2, 3, 4, 5, 6, "
        "7, 8, 9, 10, 11]}}";
    opevo_objective *objective = NULL;
    opevo_space *space = NULL;

    CHECK_OK(opevo_space_parse(json, "test", NULL, &space, &err));
    options.command = command;
    CHECK_OK(opevo_program_open(space, &options, &objective, &err));
    return objective;
}

static inline void evaluate(opevo_objective *objective, opevo_outcome *outcomes)
{
    opevo_index points[POINTS];

    for (size_t i = 0; i < POINTS; i++)
        points[i] = POINTS - 1 - i;
    CHECK_OK(opevo_objective_evaluate(objective, points, POINTS, outcomes, &err));
}

#endif
