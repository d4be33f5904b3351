/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A source as one text: what it includes in quotes stands in the place of the line. */

#include "own_internal.h"

#include <opevo/file.h>
#include <opevo/memory.h>

#include <string.h>
#include <unistd.h>

enum { NESTING = 32, ONCE = 256 };
#define SOURCE_BYTES ((size_t)64 << 20)

typedef struct reader {
    opevo_text *out;
    char *once[ONCE]; /* paths of files that say that they are read once */
    size_t once_count;
} reader;

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* The name in quotes behind #include, "" for any other line. */
static void read_include(const char *line, size_t length, char name[512])
{
    const char *at = line, *end = line + length, *close = NULL;

    *name = '\0';
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    if (at == end || *at++ != '#')
        return;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    if (end - at < 8 || strncmp(at, "include", 7) != 0)
        return;
    for (at += 7; at < end && (*at == ' ' || *at == '\t');)
        at++;
    if (at == end || *at++ != '"')
        return;
    close = memchr(at, '"', (size_t)(end - at));
    if (close && (size_t)(close - at) < 512) {
        memcpy(name, at, (size_t)(close - at));
        name[close - at] = '\0';
    }
}

static bool is_read(const reader *self, const char *path)
{
    for (size_t i = 0; i < self->once_count; i++) {
        if (!strcmp(self->once[i], path))
            return true;
    }
    return false;
}

static opevo_status add_file(reader *self, const char *path, unsigned depth, opevo_error *err);

/* Beside the file that includes it; *found is false for one that is not there. */
static opevo_status add_included(reader *self, const char *from, const char *name, unsigned depth,
                                 bool *found, opevo_error *err)
{
    const char *slash = strrchr(from, '/');
    opevo_text path = {0};
    opevo_status status = OPEVO_OK;

    if (slash && *name != '/')
        opevo_text_add_bytes(&path, from, (size_t)(slash + 1 - from));
    opevo_text_add(&path, name);
    status = opevo_text_check(&path, err);
    *found = status == OPEVO_OK && access(path.data, R_OK) == 0;
    if (*found && !is_read(self, path.data))
        status = add_file(self, path.data, depth + 1, err);
    opevo_text_free(&path);
    return status;
}

static opevo_status add_lines(reader *self, const char *path, const char *text, unsigned depth,
                              opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    unsigned long number = 1;

    opevo_text_printf(self->out, "#line 1 \"%s\"\n", base_name(path));
    for (const char *at = text; *at && status == OPEVO_OK; number++) {
        size_t length = strcspn(at, "\n");
        bool found = false;
        char name[512];

        read_include(at, length, name);
        if (*name)
            status = add_included(self, path, name, depth, &found, err);
        if (found)
            opevo_text_printf(self->out, "\n#line %lu \"%s\"\n", number + 1, base_name(path));
        else
            opevo_text_printf(self->out, "%.*s\n", (int)length, at);
        at += length + (at[length] != '\0');
    }
    return status;
}

static opevo_status add_file(reader *self, const char *path, unsigned depth, opevo_error *err)
{
    char *text = NULL;
    size_t size = 0;
    opevo_status status = OPEVO_OK;

    if (depth == NESTING)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "%s: Files include each other more than %d deep.", path,
                          NESTING);
    OPEVO_TRY(opevo_file_read(path, SOURCE_BYTES, &text, &size, err));
    if (strlen(text) != size) {
        status = OPEVO_FAIL(err, OPEVO_INVALID, "%s: byte %zu is zero; this is not a source.", path,
                            strlen(text) + 1);
        goto cleanup;
    }
    if (strstr(text, "#pragma once") && self->once_count < ONCE)
        self->once[self->once_count++] = opevo_strdup(path);
    OPEVO_TRY(add_lines(self, path, text, depth, err));
    if (self->out->length > SOURCE_BYTES)
        status = OPEVO_FAIL(err, OPEVO_LIMIT, "%s: The source has more than 64 MiB.", path);
cleanup:
    opevo_free(text);
    return status;
}

opevo_status opevo_i_own_source_read(const char *path, opevo_text *out, opevo_error *err)
{
    reader self = {.out = out};
    opevo_status status = add_file(&self, path, 0, err);

    for (size_t i = 0; i < self.once_count; i++)
        opevo_free(self.once[i]);
    return status == OPEVO_OK ? opevo_text_check(out, err) : status;
}
