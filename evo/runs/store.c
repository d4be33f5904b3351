/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The file of a run store: opening, making and closing it. The write-ahead log with
 * synchronous=NORMAL keeps every committed trial when the process dies at any moment, and costs no
 * flush to the disk for each; when the machine itself dies, the last commits may be missing, never
 * half there. Without a log (store_journal.c) a rollback journal keeps the same promises.
 * texts/schema.in has the tables, and docs/formats/store.md describes them. */

#include "store_internal.h"

#include <opevo/memory.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOCK_AT ((off_t)1 << 60)

static opevo_status prepare_to_read(opevo_store *store, opevo_store_mode mode, bool *empty,
                                    opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_store_identify(store, empty, err));
    if (*empty)
        return OPEVO_OK;
    if (mode == OPEVO_STORE_READ)
        OPEVO_TRY(opevo_i_store_exec(store, "PRAGMA query_only = ON", err));
    OPEVO_TRY(opevo_i_store_prepare(
        store,
        "SELECT trial_count, trials, signature FROM packed JOIN runs USING (run) WHERE run = ?",
        &store->unpack, err));
    OPEVO_TRY(opevo_i_store_prepare_trials(store, mode != OPEVO_STORE_READ, err));
cleanup:
    return status;
}

/* What the operating system has against the path; SQLite's own words are often of the wrong file.
 */
static opevo_status check_path(const char *path, opevo_store_mode mode, opevo_error *err)
{
    const char *slash = strrchr(path, '/');
    char *folder = NULL;
    struct stat info;
    int cause = 0;

    if (!*path)
        return OPEVO_FAIL(err, OPEVO_INVALID, "The path of a run store is empty: name a file.");
    if (stat(path, &info) == 0) {
        if (S_ISDIR(info.st_mode))
            return OPEVO_FAIL(err, OPEVO_IO, "%s is a folder: name a file.", path);
        if (!S_ISREG(info.st_mode))
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "%s is not a run store: it is not a regular file.", path);
        if (access(path, mode == OPEVO_STORE_READ ? R_OK : R_OK | W_OK))
            cause = errno;
    } else if (mode == OPEVO_STORE_READ || errno != ENOENT) {
        cause = errno;
    } else {
        folder = slash ? opevo_strndup(path, (size_t)(slash - path) + 1) : opevo_strdup(".");
        OPEVO_NEED_OR_RETURN(folder, "opening %s", path);
        cause = access(folder, W_OK | X_OK) ? errno : 0;
        opevo_free(folder);
        if (cause == ENOENT)
            return OPEVO_FAIL(err, OPEVO_IO,
                              "%s: its folder is absent: make it, or name another file.", path);
    }
    return cause ? OPEVO_FAIL(err, OPEVO_IO, "%s: %s.", path, strerror(cause)) : OPEVO_OK;
}

void opevo_i_store_print_uri(const opevo_store *store, opevo_text *out)
{
    const char *path = store->path;

    opevo_text_add(out, *path == '/' ? "file:" : "file:./");
    for (; *path; path++) {
        if (strchr("?#%", *path))
            opevo_text_printf(out, "%%%02X", (unsigned)*path);
        else
            opevo_text_add_bytes(out, path, 1);
    }
    opevo_text_add(out, store->immutable ? "?immutable=1" : "");
}

/* A reader opens for writing too, where it may, so that as the last one it can remove the log; it
 * is kept from writing by query_only. A store belongs to one thread at a time, so that SQLite need
 * not guard it. */
static opevo_status connect(opevo_store *store, opevo_store_mode mode, opevo_error *err)
{
    int flags = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX |
                (store->immutable ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE) |
                (mode == OPEVO_STORE_READ ? 0 : SQLITE_OPEN_CREATE);
    opevo_text name = {0};
    opevo_status status = OPEVO_OK;

    opevo_i_store_print_uri(store, &name);
    OPEVO_TRY(opevo_text_check(&name, err));
    if (sqlite3_open_v2(name.data, &store->db, flags, NULL) != SQLITE_OK) {
        status = opevo_i_store_fail(store, err);
        goto cleanup;
    }
    if (!store->shares_memory)
        opevo_i_store_forbid_log(store);
    sqlite3_extended_result_codes(store->db, 1);
    sqlite3_busy_timeout(store->db, OPEVO_I_BUSY_MS);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL); /* temporary ones stay */
    OPEVO_TRY(
        opevo_i_store_exec(store, "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON", err));
cleanup:
    opevo_text_free(&name);
    return status;
}

/* The connection afresh, with what it holds given back. */
static opevo_status reconnect(opevo_store *store, opevo_store_mode mode, opevo_error *err)
{
    sqlite3_close(store->db);
    store->db = NULL;
    return connect(store, mode, err);
}

static opevo_status prepare_to_write(opevo_store *store, opevo_store_mode mode, opevo_error *err)
{
    enum { ATTEMPTS = 3 }; /* one, unless another host chooses a log in that moment */
    opevo_status status = OPEVO_OK;
    bool empty = false;

    OPEVO_TRY(opevo_i_store_settle_to_write(store, &empty, err));
    for (int i = 0; i < ATTEMPTS && empty; i++) {
        status = opevo_i_store_make_tables(store, err);
        if (status != OPEVO_OK && store->failure != SQLITE_CANTOPEN)
            goto cleanup;
        OPEVO_TRY(reconnect(store, mode, err));
        OPEVO_TRY(opevo_i_store_settle_to_write(store, &empty, err));
    }
cleanup:
    return status;
}

/* Have the store alone, until the process ends in whatever way. The byte that is locked is far from
 * those that SQLite locks in the same file, and the lock belongs to the open file, so that neither
 * notices the other; it is taken before SQLite opens the file and given back after it was closed,
 * for closing any descriptor of a file takes SQLite's own locks away. */
static opevo_status lock(opevo_store *store, opevo_error *err)
{
    struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = LOCK_AT, .l_len = 1};
    int file = open(store->path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);

    if (file < 0)
        return OPEVO_FAIL(err, OPEVO_IO, "%s: %s.", store->path, strerror(errno));
    store->locked = file + 1;
    if (fcntl(file, F_OFD_SETLK, &range) == 0)
        return OPEVO_OK;
    if (errno == EAGAIN || errno == EACCES)
        return OPEVO_FAIL(err, OPEVO_IO,
                          "%s: another study is writing this store: wait for it, or name another "
                          "store.",
                          store->path);
    return opevo_i_store_fail_locks(store, errno, err);
}

/* *out stays NULL where the file has no tables yet. */
static opevo_status open_unless_empty(const char *path, opevo_store_mode mode, opevo_store **out,
                                      opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_store *store = NULL;
    bool empty = false;

    OPEVO_TRY(check_path(path, mode, err));
    OPEVO_NEW(store, 1, "%s", path);
    store->path = opevo_strdup(path);
    snprintf(store->state, sizeof store->state, "is damaged");
    OPEVO_NEED(store->path, "opening %s", path);
    if (mode == OPEVO_STORE_ALONE)
        OPEVO_TRY(lock(store, err));
    store->shares_memory = opevo_i_store_can_share_memory(path);
    OPEVO_TRY(connect(store, mode, err));
    if (mode == OPEVO_STORE_READ)
        OPEVO_TRY(opevo_i_store_settle_to_read(store, err));
    if (store->immutable)
        OPEVO_TRY(reconnect(store, mode, err));
    if (mode != OPEVO_STORE_READ)
        OPEVO_TRY(prepare_to_write(store, mode, err));
    OPEVO_TRY(prepare_to_read(store, mode, &empty, err));
    if (empty)
        goto cleanup;
    OPEVO_TRY(opevo_i_store_note_place(store, err));
    *out = store;
    store = NULL;
cleanup:
    opevo_store_close(store);
    return status;
}

opevo_status opevo_store_open(const char *path, opevo_store_mode mode, opevo_store **out,
                              opevo_error *err)
{
    opevo_store *store = NULL;
    opevo_status status = open_unless_empty(path, mode, &store, err);

    if (status != OPEVO_OK)
        return status;
    if (!store)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s is not a run store: it is empty.", path);
    *out = store;
    return OPEVO_OK;
}

opevo_status opevo_i_store_open_begun(const char *path, opevo_store **out, opevo_error *err)
{
    *out = NULL;
    return open_unless_empty(path, OPEVO_STORE_READ, out, err);
}

char *opevo_store_split(const char *text, int64_t *run)
{
    const char *colon = strrchr(text, ':');

    if (colon && access(text, F_OK) != 0 && opevo_parse_i64(colon + 1, run))
        return opevo_strndup(text, (size_t)(colon - text));
    *run = 0;
    return opevo_strdup(text);
}

bool opevo_store_is(const char *path)
{
    static const char magic[] = "SQLite format 3";
    char begin[sizeof magic] = "";
    FILE *file = fopen(path, "rb");
    bool found = file && fread(begin, 1, sizeof begin, file) == sizeof begin &&
                 memcmp(begin, magic, sizeof magic) == 0;

    if (file)
        fclose(file);
    return found;
}

const char *opevo_store_path(const opevo_store *store)
{
    return store->path;
}

void opevo_store_close(opevo_store *store)
{
    if (!store)
        return;
    sqlite3_finalize(store->insert);
    sqlite3_finalize(store->read);
    sqlite3_finalize(store->unpack);
    sqlite3_close(store->db);
    if (store->locked > 0)
        close(store->locked - 1);
    opevo_i_store_unpack_forget(store);
    opevo_free(store->samples);
    opevo_free(store->processor);
    opevo_text_free(&store->message);
    for (size_t i = 0; i < store->origin_count; i++)
        opevo_free(store->origins[i]);
    opevo_free(store->origins);
    opevo_index_map_destroy(store->origin_places);
    opevo_free(store->begun);
    opevo_i_store_forget_measurers(store);
    opevo_free(store->noted);
    opevo_free(store->path);
    opevo_free(store);
}
