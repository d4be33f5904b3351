/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Parameters from texts, and on graphs that a test writes down. */

#ifndef OPEVO_TESTS_PARAMETERS_H
#define OPEVO_TESTS_PARAMETERS_H

#include "check.h"

#include <opevo/parameter.h>

#include <stdlib.h>
#include <unistd.h>

static inline opevo_parameter *parameter_of(const char *text, const char *topology)
{
    opevo_parameter *parameter = NULL;

    CHECK_OK(opevo_parameter_parse("x", text, topology, &parameter, &err));
    return parameter;
}

/* A parameter on the graph with these edges ("0 1\n1 2\n"). */
static inline opevo_parameter *parameter_of_edges(const char *edges)
{
    char path[] = "walk-XXXXXX.txt", text[64];
    int file = mkstemps(path, 4);
    opevo_parameter *parameter = NULL;

    assert_true(file >= 0);
    assert_int_equal(write(file, edges, strlen(edges)), strlen(edges));
    close(file);
    snprintf(text, sizeof text, "graph(%s)", path);
    parameter = parameter_of(text, NULL);
    unlink(path);
    return parameter;
}

#endif
