/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Making spaces from short texts. */

#ifndef OPEVO_TESTS_SPACE_CHECKS_H
#define OPEVO_TESTS_SPACE_CHECKS_H

#include "check.h"

#include <opevo/space.h>

enum { ROOM = 16 };

/* A space from texts such as "K: factor(8,3)". Ends with NULL. */
static inline opevo_status build(const char *const *parameters, const char *const *constraints,
                                 opevo_dialect dialect, opevo_space **out, opevo_error *err)
{
    opevo_parameter *made[ROOM] = {NULL};
    size_t count = 0, constraint_count = 0;
    opevo_status status = OPEVO_OK;

    for (; parameters[count]; count++) {
        const char *colon = strchr(parameters[count], ':');
        char name[32] = "";

        assert_true(count < ROOM);
        memcpy(name, parameters[count], (size_t)(colon - parameters[count]));
        status = opevo_parameter_parse(name, colon + 2, NULL, &made[count], err);
        if (status != OPEVO_OK)
            break;
    }
    while (constraints && constraints[constraint_count])
        constraint_count++;
    if (status == OPEVO_OK)
        status = opevo_space_create(made, count, constraints, constraint_count, dialect, "here",
                                    out, err);
    for (size_t i = 0; i < count && status != OPEVO_OK; i++)
        opevo_parameter_destroy(made[i]);
    return status;
}

#define LIST(...)                                                                                  \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

static inline opevo_space *make(const char *const *parameters, const char *const *constraints)
{
    opevo_space *space = NULL;

    CHECK_OK(build(parameters, constraints, OPEVO_DIALECT_C, &space, &err));
    return space;
}

static inline void check_index(opevo_index actual, opevo_index expected)
{
    char a[OPEVO_INDEX_TEXT_SIZE], b[OPEVO_INDEX_TEXT_SIZE];

    if (actual != expected)
        fail_msg("%s, expected %s", opevo_index_format(actual, a), opevo_index_format(expected, b));
}

#endif
