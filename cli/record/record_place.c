/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Whether the table is still where it was opened, with what was written to it. Rows can be appended
 * to a file that was removed or replaced, and whoever opens the path later finds none of them. */

#include "record_internal.h"

#include <opevo/file.h>
#include <opevo/memory.h>
#include <opevo/text.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where the open file is; false when it has no name any more, or none that is known here. */
static bool find_file(int file, const struct stat *own, char *path, size_t size)
{
    char link[64];
    struct stat info;
    ssize_t length = 0;

    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    length = readlink(link, path, size - 1);
    if (length <= 0)
        return false;
    path[length] = '\0';
    return stat(path, &info) == 0 && info.st_dev == own->st_dev && info.st_ino == own->st_ino;
}

/* The first free name NAME.recovered-N for the rows and their description. */
static opevo_status find_free(const char *csv, opevo_text *out, opevo_text *json, opevo_error *err)
{
    enum { COPIES_MOST = 1000 };
    int stem = (int)(strlen(csv) - strlen(".csv"));
    opevo_status status = OPEVO_OK;

    for (int i = 1; i <= COPIES_MOST; i++) {
        opevo_text_clear(out);
        opevo_text_clear(json);
        opevo_text_printf(out, "%.*s.recovered-%d.csv", stem, csv, i);
        opevo_text_printf(json, "%.*s.recovered-%d.json", stem, csv, i);
        OPEVO_TRY(opevo_text_check(out, err));
        OPEVO_TRY(opevo_text_check(json, err));
        if (access(out->data, F_OK) != 0)
            return OPEVO_OK;
    }
    status = OPEVO_FAIL(err, OPEVO_IO, "%s: it has %d recovered copies already.", csv, COPIES_MOST);
cleanup:
    return status;
}

/* The rows under a name that is free, and their description, so that they can be gone on with. */
static opevo_status save_copy(const opevo_i_cli_record *record, const struct stat *own,
                              opevo_text *out, opevo_error *err)
{
    const char *csv = opevo_text_string(&record->csv_path);
    size_t size = (size_t)own->st_size;
    char *rows = NULL;
    opevo_i_cli_record copy = *record;
    opevo_text json = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(find_free(csv, out, &json, err));
    copy.json_path = json;
    OPEVO_NEW(rows, size + 1, "the rows of a recording");
    if (pread(record->file, rows, size, 0) != (ssize_t)size) {
        status = OPEVO_FAIL(err, OPEVO_IO, "%s: %s.", csv, strerror(errno));
        goto cleanup;
    }
    OPEVO_TRY(opevo_file_write(out->data, rows, size, err));
    status = opevo_i_cli_record_describe(&copy, false, err);
cleanup:
    opevo_free(rows);
    opevo_text_free(&json);
    return status;
}

static opevo_status fail_lost(const opevo_i_cli_record *record, const struct stat *own,
                              const char *what, opevo_error *err)
{
    const char *csv = opevo_text_string(&record->csv_path);
    opevo_text copy = {0};

    if (save_copy(record, own, &copy, NULL) == OPEVO_OK)
        OPEVO_FAIL(err, OPEVO_LOST,
                   "%s was %s while it was in use; its rows were saved to %s, which --out %.*s "
                   "continues.",
                   csv, what, copy.data, (int)(copy.length - strlen(".csv")), copy.data);
    else
        OPEVO_FAIL(err, OPEVO_LOST,
                   "%s was %s while it was in use; its rows are lost: record to another name.", csv,
                   what);
    opevo_text_free(&copy);
    return OPEVO_LOST;
}

opevo_status opevo_i_cli_record_check_place(const opevo_i_cli_record *record, opevo_error *err)
{
    const char *csv = opevo_text_string(&record->csv_path);
    struct stat own;
    struct stat there;
    char path[PATH_MAX];
    bool exists = stat(csv, &there) == 0;

    if (fstat(record->file, &own) < 0)
        return OPEVO_FAIL(err, OPEVO_IO, "%s: %s.", csv, strerror(errno));
    if ((uint64_t)own.st_size != record->bytes)
        return OPEVO_FAIL(
            err, OPEVO_LOST,
            "%s was changed by another program while it was in use: it has %lld bytes "
            "instead of %llu; record to another name.",
            csv, (long long)own.st_size, (unsigned long long)record->bytes);
    if (exists && there.st_dev == own.st_dev && there.st_ino == own.st_ino)
        return OPEVO_OK;
    if (!find_file(record->file, &own, path, sizeof path))
        return fail_lost(record, &own, exists ? "replaced by another file" : "deleted", err);
    return OPEVO_FAIL(err, OPEVO_LOST, "%s was %s while it was in use; its rows are in %s.", csv,
                      exists ? "moved and replaced by another file" : "moved", path);
}
