/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reading spaces with branches from their members. */

#ifndef OPEVO_TESTS_BRANCH_CHECKS_H
#define OPEVO_TESTS_BRANCH_CHECKS_H

#include "space_checks.h"

#include "branched_spaces.h"

static inline opevo_space *parse(const char *members)
{
    opevo_text json = {0};
    opevo_space *space = NULL;

    opevo_text_printf(&json, "{%s}", members);
    CHECK_OK(opevo_space_parse(opevo_text_string(&json), "space.json", NULL, &space, &err));
    opevo_text_free(&json);
    return space;
}

#endif
