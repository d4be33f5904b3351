/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a sealed landscape begins with. */

#include <opevo/sealed.h>

#include "recorded_internal.h"

#include <opevo/file.h>

#include <stdint.h>
#include <string.h>
#include <unistd.h>

static const char magic[] = OPEVO_I_SEALED_MAGIC;

bool opevo_sealed_is(const char *path)
{
    char begin[sizeof magic] = "";
    int file = -1;
    bool found = opevo_file_open(path, SIZE_MAX, &file, NULL) == OPEVO_OK &&
                 read(file, begin, sizeof magic - 1) == (ssize_t)(sizeof magic - 1) &&
                 memcmp(begin, magic, sizeof magic - 1) == 0;

    if (file >= 0)
        close(file);
    return found;
}
