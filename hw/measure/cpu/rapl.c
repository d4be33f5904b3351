/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "rapl_internal.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The first line of a file; false where it cannot be read. */
static bool read_line(const char *folder, const char *name, char *out, size_t size)
{
    char path[OPEVO_I_RAPL_PATH + 64];
    FILE *file = NULL;
    bool good = false;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "re");
    good = file && fgets(out, (int)size, file);
    if (file)
        fclose(file);
    if (good)
        out[strcspn(out, "\n")] = '\0';
    return good;
}

static bool read_number(const char *folder, const char *name, uint64_t *out)
{
    char line[64];

    return read_line(folder, name, line, sizeof line) && opevo_parse_u64(line, out);
}

/* The place of a package, a new one where it was not met before; OPEVO_I_RAPL_PACKAGES without
 * room. */
static size_t find_package(opevo_i_cpu_rapl *self, const char *name)
{
    size_t i = 0;

    while (i < self->count && strcmp(self->packages[i].name, name) != 0)
        i++;
    if (i == self->count && i < OPEVO_I_RAPL_PACKAGES) {
        snprintf(self->packages[i].name, sizeof self->packages[i].name, "%s", name);
        self->packages[i].path[0] = '\0';
        self->count++;
    }
    return i;
}

/* A zone is a package where it says so; others are parts of one, or hold several. A package may
 * have two, of its registers and of its memory (intel-rapl-mmio), with the same energy: one is
 * taken. */
static void add_zone(opevo_i_cpu_rapl *self, const char *root, const char *zone)
{
    char folder[OPEVO_I_RAPL_PATH];
    char name[OPEVO_I_RAPL_NAME];
    uint64_t energy = 0;
    uint64_t range = 0;
    size_t i = 0;

    if (snprintf(folder, sizeof folder, "%s/%s", root, zone) >= (int)sizeof folder ||
        !read_line(folder, "name", name, sizeof name) || strncmp(name, "package", 7) != 0)
        return;
    i = find_package(self, name);
    if (i == OPEVO_I_RAPL_PACKAGES || self->packages[i].path[0] ||
        !read_number(folder, "energy_uj", &energy) ||
        !read_number(folder, "max_energy_range_uj", &range))
        return;
    memcpy(self->packages[i].path, folder, sizeof folder);
    self->packages[i].range = range;
    self->packages[i].last = UINT64_MAX;
}

bool opevo_i_cpu_rapl_find(const char *root, opevo_i_cpu_rapl *out, opevo_text *why)
{
    DIR *folder = opendir(root);
    const struct dirent *entry = NULL;
    bool readable = true;

    *out = (opevo_i_cpu_rapl){.count = 0};
    if (!folder) {
        opevo_text_printf(why, "%s: %s", root, strerror(errno));
        return false;
    }
    while ((entry = readdir(folder)) != NULL) {
        if (entry->d_name[0] != '.')
            add_zone(out, root, entry->d_name);
    }
    closedir(folder);
    for (size_t i = 0; i < out->count; i++)
        readable = readable && out->packages[i].path[0];
    if (!readable)
        opevo_text_printf(why, "only root may read the counters in %s", root);
    else if (out->count == 0)
        opevo_text_printf(why, "%s has no energy counter of a processor package", root);
    out->count = readable ? out->count : 0;
    return out->count > 0;
}

double opevo_i_cpu_rapl_spent_j(opevo_i_cpu_rapl *self)
{
    double spent_uj = self->count ? 0 : NAN;

    for (size_t i = 0; i < self->count; i++) {
        uint64_t before = self->packages[i].last;
        uint64_t now = UINT64_MAX;

        if (!read_number(self->packages[i].path, "energy_uj", &now) || before == UINT64_MAX)
            spent_uj = NAN;
        else
            spent_uj +=
                (double)(now >= before ? now - before : now + (self->packages[i].range - before));
        self->packages[i].last = now;
    }
    return spent_uj / 1e6;
}
