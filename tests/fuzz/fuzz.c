/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the fuzz targets share: input as text or file, and the check that a refusal has a sentence.
 * */

#include "fuzz.h"

#include <opevo/memory.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];
static char path[128];

void fuzz_fail(const char *what)
{
    fprintf(stderr, "%s\n", what);
    abort();
}

char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);

    FUZZ_CHECK(text != NULL);
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

char *fuzz_line(const uint8_t **data, size_t *size)
{
    const uint8_t *end = *size ? memchr(*data, '\n', *size) : NULL;
    size_t length = end ? (size_t)(end - *data) : *size;
    char *line = fuzz_text(*data, length);

    *size -= length + (end != NULL);
    *data += length + (end != NULL);
    return line;
}

static void remove_folder(void)
{
    DIR *list = opendir(folder);

    for (struct dirent *entry; list && (entry = readdir(list)) != NULL;)
        unlinkat(dirfd(list), entry->d_name, 0);
    if (list)
        closedir(list);
    rmdir(folder);
}

const char *fuzz_path(const char *name)
{
    if (!folder[0]) {
        strcpy(folder, access("/dev/shm", W_OK) == 0 ? "/dev/shm/opevo-fuzz-XXXXXX"
                                                     : "/tmp/opevo-fuzz-XXXXXX");
        FUZZ_CHECK(mkdtemp(folder) != NULL);
        atexit(remove_folder);
    }
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

const char *fuzz_file(const char *name, const void *data, size_t size)
{
    FILE *file = fopen(fuzz_path(name), "wb");

    FUZZ_CHECK(file != NULL);
    FUZZ_CHECK(fwrite(data, 1, size, file) == size);
    FUZZ_CHECK(fclose(file) == 0);
    return path;
}

bool fuzz_accepts(opevo_status status, const opevo_error *err)
{
    size_t length = strlen(err->message);

    if (status == OPEVO_OK)
        return true;
    FUZZ_CHECK(length > 0 &&
               (strchr(".?", err->message[length - 1]) || length + 1 >= OPEVO_ERROR_SIZE));
    FUZZ_CHECK(status == OPEVO_INVALID || status == OPEVO_LIMIT || status == OPEVO_MISMATCH ||
               status == OPEVO_IO || status == OPEVO_TOLERANCE || status == OPEVO_NOMEM);
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int64_t live = opevo_memory_live();

    fuzz_one(data, size);
    FUZZ_CHECK(opevo_memory_live() == live);
    return 0;
}
