/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a test's programs leave behind: processes that sleep. */

#ifndef OPEVO_TESTS_SLEEPERS_H
#define OPEVO_TESTS_SLEEPERS_H

#include "cache_folder.h"
#include "check.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

static inline size_t read_whole(const char *process, const char *name, char *out, size_t size)
{
    char path[300];
    FILE *file = NULL;
    size_t length = 0;

    snprintf(path, sizeof path, "/proc/%s/%s", process, name);
    file = fopen(path, "r");
    length = file ? fread(out, 1, size - 1, file) : 0;
    if (file)
        fclose(file);
    out[length] = '\0';
    return length;
}

/* Processes of this test that run `sleep` for this number of seconds. */
static inline int sleepers(const char *seconds)
{
    DIR *all = opendir("/proc");
    struct dirent *entry = NULL;
    int found = 0;

    assert_non_null(all);
    while ((entry = readdir(all)) != NULL) {
        char line[64];
        char environment[1 << 16];
        size_t length = read_whole(entry->d_name, "cmdline", line, sizeof line);

        if (length <= 6 || strcmp(line, "sleep") != 0 || strcmp(line + 6, seconds) != 0)
            continue;
        length = read_whole(entry->d_name, "environ", environment, sizeof environment);
        found += memmem(environment, length, cache_folder, strlen(cache_folder)) != NULL;
    }
    closedir(all);
    return found;
}

#endif
