/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The best point of an objective, kept between runs: one short text file for each signature,
 * written whole or not at all. The fitness is written exactly, so that the reader can compare it
 * with what the point evaluates to. */

#include "simulated_internal.h"

#include <opevo/file.h>
#include <opevo/memory.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define OPTIMUM_BYTES_MAX ((size_t)4096)
enum { NAME_SIZE = 64, WORD_SIZE = 48 };

static const char form[] = "opevo-optimum 1";

static char *cache_path(uint64_t signature)
{
    char name[NAME_SIZE];
    char *path = NULL;

    snprintf(name, sizeof name, "optimum-%016" PRIx64 ".txt", signature);
    return opevo_cache_path(name, &path, NULL) == OPEVO_OK ? path : NULL;
}

static void print(uint64_t signature, const opevo_optimum *optimum, opevo_text *out)
{
    opevo_text_printf(out, "%s\nsignature %016" PRIx64 "\npoint ", form, signature);
    opevo_text_add_index(out, optimum->point);
    opevo_text_add(out, "\nfitness ");
    opevo_text_add_double(out, optimum->fitness);
    opevo_text_add(out, "\n");
}

/* Whatever differs by a byte from what `print` writes is damaged. */
static bool parse(const char *data, size_t size, uint64_t signature, opevo_optimum *out)
{
    opevo_optimum found = {.known = true};
    opevo_text again = {0};
    char point[WORD_SIZE];
    char fitness[WORD_SIZE];
    bool same = false;

    if (sscanf(data, "%*[^\n] signature %*s point %47s fitness %47s", point, fitness) != 2 ||
        !opevo_index_parse(point, &found.point) || !opevo_parse_double(fitness, &found.fitness))
        return false;
    print(signature, &found, &again);
    same = !again.failed && again.length == size && memcmp(again.data, data, size) == 0;
    opevo_text_free(&again);
    if (same)
        *out = found;
    return same;
}

bool opevo_i_landscape_optimum_read(uint64_t signature, opevo_optimum *out)
{
    char *path = cache_path(signature);
    char *data = NULL;
    size_t size = 0;
    bool good = false;

    if (path && opevo_file_read(path, OPTIMUM_BYTES_MAX, &data, &size, NULL) == OPEVO_OK)
        good = parse(data, size, signature, out);
    opevo_free(data);
    opevo_free(path);
    return good;
}

void opevo_i_landscape_optimum_write(uint64_t signature, const opevo_optimum *optimum)
{
    char *path = cache_path(signature);
    opevo_text text = {0};

    print(signature, optimum, &text);
    if (path && !text.failed)
        (void)opevo_file_write(path, text.data, text.length, NULL);
    opevo_text_free(&text);
    opevo_free(path);
}
