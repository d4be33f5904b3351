/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A store in a folder of its own, and runs of a formula in it. */

#ifndef OPEVO_TESTS_SCRATCH_STORE_H
#define OPEVO_TESTS_SCRATCH_STORE_H

#include "formula.h"
#include "scratch_folder.h"

static scratch_folder scratch;

static opevo_store *open_store(opevo_store_mode mode)
{
    opevo_store *store = NULL;

    CHECK_OK(opevo_store_open(scratch.file, mode, &store, &err));
    return store;
}

static int64_t begin(opevo_store *store, const opevo_space *space, uint64_t seed)
{
    const opevo_run_key key = {.objective = "formula",
                               .tuner = "opevo",
                               .settings = "",
                               .seed = seed,
                               .space = space,
                               .unit = "GFLOP/s"};
    int64_t run = 0;

    CHECK_OK(opevo_store_begin(store, &key, &run, &err));
    return run;
}

#endif
