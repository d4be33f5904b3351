/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Files for the tests of landscapes: a folder of their own, texts written plain or compressed, and
 * copies of a text with one place changed. */

#ifndef OPEVO_TESTS_LANDSCAPE_FILES_H
#define OPEVO_TESTS_LANDSCAPE_FILES_H

#include "check.h"

#include <opevo/file.h>
#include <opevo/memory.h>
#include <opevo/text.h>

#include <dirent.h>
#include <lzma.h>
#include <stdlib.h>
#include <unistd.h>
#define ZLIB_CONST /* zlib may be given constant input */
#include <zlib.h>

typedef struct test_folder {
    char path[64];
    char file[512]; /* of the last call of folder_file */
} test_folder;

static inline void folder_open(test_folder *folder)
{
    snprintf(folder->path, sizeof folder->path, "landscape_test_XXXXXX");
    assert_non_null(mkdtemp(folder->path));
}

static inline const char *folder_file(test_folder *folder, const char *name)
{
    /* cppcheck-suppress nullPointer; a caller that tests its name for NULL does not call */
    snprintf(folder->file, sizeof folder->file, "%s/%s", folder->path, name);
    return folder->file;
}

/* Remove the folder and the files in it. */
static inline void folder_close(test_folder *folder)
{
    DIR *dir = opendir(folder->path);
    struct dirent *entry = NULL;

    assert_non_null(dir);
    while ((entry = readdir(dir))) {
        if (entry->d_name[0] != '.')
            unlink(folder_file(folder, entry->d_name));
    }
    closedir(dir);
    assert_int_equal(rmdir(folder->path), 0);
}

static inline void folder_write_bytes(test_folder *folder, const char *name, const void *data,
                                      size_t size)
{
    FILE *file = NULL;

    /* A new file each time: some file systems flush to disk when an old one is cut to nothing. */
    unlink(folder_file(folder, name));
    file = fopen(folder_file(folder, name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static inline void folder_write(test_folder *folder, const char *name, const char *text)
{
    folder_write_bytes(folder, name, text, strlen(text));
}

/* `text` as an xz file of one stream; the result is released with free. */
static inline unsigned char *compress_xz(const void *data, size_t size, size_t *packed_size)
{
    size_t capacity = lzma_stream_buffer_bound(size);
    unsigned char *packed = malloc(capacity);

    assert_non_null(packed);
    *packed_size = 0;
    assert_int_equal(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL, data, size, packed,
                                             packed_size, capacity),
                     LZMA_OK);
    return packed;
}

/* `text` as a gzip file of one member; the result is released with free. */
static inline unsigned char *compress_gz(const void *data, size_t size, size_t *packed_size)
{
    z_stream stream = {0};
    size_t capacity = size + size / 100 + 1024;
    unsigned char *packed = malloc(capacity);

    assert_non_null(packed);
    assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_in = data;
    stream.avail_in = (unsigned)size;
    stream.next_out = packed;
    stream.avail_out = (unsigned)capacity;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    *packed_size = stream.total_out;
    deflateEnd(&stream);
    return packed;
}

/* Write the text compressed as the end of the name asks. */
static inline void folder_write_packed(test_folder *folder, const char *name, const char *text)
{
    size_t length = strlen(name);
    size_t size = 0;
    bool xz = length > 3 && strcmp(name + length - 3, ".xz") == 0;
    unsigned char *packed =
        xz ? compress_xz(text, strlen(text), &size) : compress_gz(text, strlen(text), &size);

    folder_write_bytes(folder, name, packed, size);
    free(packed);
}

/* A copy of the text in which the one place that reads `from` reads `to`; released with free. */
static inline char *replaced(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    char *copy = NULL;

    if (!at || strstr(at + 1, from)) {
        fail_msg("\"%s\" does not stand exactly once in the text", from);
        return NULL;
    }
    if (asprintf(&copy, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from)) < 0)
        fail_msg("no memory for a copy");
    return copy;
}

#endif
