/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What tests of edits share. */

#ifndef OPEVO_EDITS_FIXTURE_H
#define OPEVO_EDITS_FIXTURE_H

#include "check.h"

#include <opevo/edits.h>
#include <opevo/memory.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline opevo_module *load_path(const char *path)
{
    opevo_module *module = NULL;
    opevo_error err = {0};

    if (opevo_module_load(path, &module, &err))
        fail_msg("%s", err.message);
    return module;
}

/* A module of tests/hw/kernels/edits. */
static inline opevo_module *load_module(const char *name)
{
    char path[1024];

    snprintf(path, sizeof path, "%s/%s", OPEVO_TEST_EDITS, name);
    return load_path(path);
}

static inline opevo_variant *variant_of(const opevo_module *module, const opevo_edits *edits)
{
    opevo_variant *variant = NULL;
    opevo_error err = {0};

    if (opevo_variant_create(module, edits, &variant, &err))
        fail_msg("%s", err.message);
    return variant;
}

static inline opevo_edits *parsed(const opevo_module *module, const char *text)
{
    opevo_edits *edits = NULL;
    opevo_error err = {0};

    if (opevo_edits_parse(module, text, &edits, &err))
        fail_msg("%s: %s", text, err.message);
    return edits;
}

/* Release with opevo_free. */
static inline char *printed(const opevo_edits *edits)
{
    opevo_text text = {0};

    opevo_edits_print(edits, &text);
    return text.data;
}

#endif
