/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Rows of features of statements, by the names of the features. */

#ifndef OPEVO_TESTS_FEATURE_ROWS_H
#define OPEVO_TESTS_FEATURE_ROWS_H

#include "check.h"

#include <opevo/pipeline_features.h>
#include <opevo/statement_features.h>

enum { FEATURES = OPEVO_STATEMENT_FEATURES };

static float rows[OPEVO_PIPELINE_ROWS][FEATURES];

static inline size_t number_of(const char *name)
{
    char found[48];

    for (size_t i = 0; i < FEATURES; i++) {
        opevo_statement_feature_name(i, found);
        if (!strcmp(found, name))
            return i;
    }
    fail_msg("no feature %s", name);
    return 0;
}

static inline double value(size_t row, const char *name)
{
    return (double)rows[row][number_of(name)];
}

/* A feature of one of the five buffers. */
static inline double of_buffer(size_t row, size_t place, const char *name)
{
    char whole[64];

    snprintf(whole, sizeof whole, "B%zu.%s", place, name);
    return value(row, whole);
}

#endif
