/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Devices in trouble, and the kernel without a fault by which workers find them out. */

#include "fake_gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool fake_is_probe(const char *source)
{
    return strstr(source, "opevo_probe(unsigned *out)") && !getenv("FAKE_GPU_PROBE");
}

void fake_run_probe(const char *source, const fake_launch *how)
{
    uint64_t at = 0;
    unsigned factor = 0;
    unsigned *out = NULL;

    memcpy(&at, how->arguments[0], sizeof at);
    out = fake_at(at);
    if (sscanf(strstr(source, "= "), "= %u", &factor) != 1)
        abort();
    for (unsigned i = 0; i < how->block[0]; i++)
        out[i] = factor * i + 1;
}

const char *fake_sickness(void)
{
    static char word[16];
    const char *path = getenv("FAKE_GPU_SICK");
    FILE *file = path ? fopen(path, "r") : NULL;

    if (!file || fscanf(file, "%15s", word) != 1)
        *word = '\0';
    if (file)
        fclose(file);
    return word;
}
