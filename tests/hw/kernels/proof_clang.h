/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Whether the prover can compile sources here. */

#ifndef OPEVO_TESTS_PROOF_CLANG_H
#define OPEVO_TESTS_PROOF_CLANG_H

#include "check.h"

#include "prover_internal.h"

#include <stdio.h>

/* By a source of its own in the folder. */
static inline bool has_clang(const char *folder)
{
    opevo_i_prover_module module;
    opevo_error error = {OPEVO_OK, ""};
    char path[256];
    FILE *file = NULL;

    snprintf(path, sizeof path, "%s/empty.c", folder);
    file = fopen(path, "w");
    assert_non_null(file);
    fputs("void f(void) {}\n", file);
    fclose(file);
    if (opevo_i_prover_load(path, false, "", &module, &error) != OPEVO_OK)
        return false;
    opevo_i_prover_unload(&module);
    return true;
}

#endif
