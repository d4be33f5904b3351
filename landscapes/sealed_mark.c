/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a sealed landscape begins with. */

#include <opevo/sealed.h>

#include "recorded_internal.h"

#include <stdio.h>
#include <string.h>

static const char magic[] = OPEVO_I_SEALED_MAGIC;

bool opevo_sealed_is(const char *path)
{
    char begin[sizeof magic] = "";
    FILE *file = fopen(path, "rb");
    bool found = file && fread(begin, 1, sizeof magic - 1, file) == sizeof magic - 1 &&
                 memcmp(begin, magic, sizeof magic - 1) == 0;

    if (file)
        fclose(file);
    return found;
}
