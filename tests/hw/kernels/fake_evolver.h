/* SPDX-License-Identifier: GPL-3.0-or-later */

/* An evolver whose workers are fake_evolver.sh, with a folder for what they remember. */

#ifndef OPEVO_TESTS_FAKE_EVOLVER_H
#define OPEVO_TESTS_FAKE_EVOLVER_H

#include "check.h"
#include "remove_tree.h"

#include <opevo/evolver.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct fixture {
    char folder[64];
    char command[1024];
} fixture;

static inline int setup(void **state)
{
    fixture *self = calloc(1, sizeof *self);

    if (!self)
        return -1;
    strcpy(self->folder, "/tmp/opevo-evolver-XXXXXX");
    if (!mkdtemp(self->folder))
        return -1;
    snprintf(self->command, sizeof self->command, "sh %s %s", OPEVO_TEST_FAKE_EVOLVER,
             self->folder);
    *state = self;
    return 0;
}

static inline int teardown(void **state)
{
    fixture *self = *state;
    int result = remove_tree(self->folder);

    free(self);
    return result;
}

static inline opevo_status open_fake(const fixture *self, const char *kernel, size_t workers,
                                     double timeout_s, opevo_evolver **out, opevo_error *err)
{
    const opevo_evolver_options options = {.command = self->command,
                                           .kernel = kernel,
                                           .harness = "harness.json",
                                           .on = "simt",
                                           .worker_count = workers,
                                           .timeout_s = timeout_s};

    return opevo_evolver_open(&options, out, err);
}

#endif
