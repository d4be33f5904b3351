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

/* A zone is a package where it says so; others are parts of one, or hold several. False where it is
 * one whose counter cannot be read. */
static bool add_zone(opevo_i_rapl *self, const char *root, const char *zone)
{
    char folder[OPEVO_I_RAPL_PATH];
    char name[64];
    uint64_t energy = 0;
    uint64_t range = 0;

    if (snprintf(folder, sizeof folder, "%s/%s", root, zone) >= (int)sizeof folder ||
        !read_line(folder, "name", name, sizeof name) || strncmp(name, "package", 7) != 0 ||
        self->count == OPEVO_I_RAPL_PACKAGES)
        return true;
    if (!read_number(folder, "energy_uj", &energy) ||
        !read_number(folder, "max_energy_range_uj", &range))
        return false;
    memcpy(self->packages[self->count].path, folder, sizeof folder);
    self->packages[self->count].range = range;
    self->packages[self->count++].last = UINT64_MAX;
    return true;
}

bool opevo_i_rapl_find(const char *root, opevo_i_rapl *out, opevo_text *why)
{
    DIR *folder = opendir(root);
    const struct dirent *entry = NULL;
    bool readable = true;

    *out = (opevo_i_rapl){.count = 0};
    if (!folder) {
        opevo_text_printf(why, "%s: %s", root, strerror(errno));
        return false;
    }
    while (readable && (entry = readdir(folder)) != NULL) {
        if (entry->d_name[0] != '.')
            readable = add_zone(out, root, entry->d_name);
    }
    closedir(folder);
    if (!readable)
        opevo_text_printf(why, "the counters below %s may be read by root only", root);
    else if (out->count == 0)
        opevo_text_printf(why, "%s has no counter of a processor package", root);
    out->count = readable ? out->count : 0;
    return out->count > 0;
}

double opevo_i_rapl_spent_j(opevo_i_rapl *self)
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
