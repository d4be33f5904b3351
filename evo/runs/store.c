/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The file of a run store: opening, making and closing it. The write-ahead log with
 * synchronous=NORMAL keeps every committed trial when the process dies at any moment, and costs no
 * flush to the disk for each; when the machine itself dies, the last commits may be missing, never
 * half there. docs/formats/store.md describes the tables. */

#include "store_internal.h"

#include <opevo/memory.h>
#include <opevo/version.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    APPLICATION_ID = 1869636982, /* "opev" in ASCII */
    OLD_VERSION = 1,             /* read, not written */
    FORMAT_VERSION = 2,
    CRITERIA_VERSION = 3, /* made of the one before when a run needs it: store_criteria.c */
    BUSY_MS = 10000
};

#define LOCK_AT ((off_t)1 << 60)

static const char schema[] =
    "CREATE TABLE format (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
    "INSERT INTO format VALUES ('format', 'opevo run store'), ('version', '" OPEVO_VERSION "');"
    "CREATE TABLE spaces ("
    "  space INTEGER PRIMARY KEY,"
    "  signature TEXT NOT NULL UNIQUE,"
    "  json TEXT NOT NULL);"
    "CREATE TABLE runs ("
    "  run INTEGER PRIMARY KEY,"
    "  objective TEXT NOT NULL,"
    "  tuner TEXT NOT NULL,"
    "  settings TEXT NOT NULL,"
    "  seed TEXT NOT NULL,"
    "  signature TEXT NOT NULL,"
    "  space INTEGER NOT NULL REFERENCES spaces (space),"
    "  unit TEXT NOT NULL,"
    "  started TEXT NOT NULL,"
    "  version TEXT NOT NULL,"
    "  budget TEXT NOT NULL,"
    "  stop TEXT NOT NULL,"
    "  opened_on TEXT,"
    "  opened_what TEXT,"
    "  opened_space TEXT,"
    "  optimum REAL,"
    "  UNIQUE (objective, tuner, settings, seed, budget));"
    "CREATE TABLE trials (" OPEVO_I_TRIAL_TABLE "  PRIMARY KEY (run, number)) WITHOUT ROWID;"
    "CREATE TABLE packed ("
    "  run INTEGER PRIMARY KEY REFERENCES runs (run),"
    "  trial_count INTEGER NOT NULL,"
    "  failed INTEGER NOT NULL,"
    "  cost_s REAL NOT NULL,"
    "  best_trial INTEGER,"
    "  best_fitness REAL,"
    "  best_point BLOB,"
    "  trials BLOB NOT NULL);"
    "CREATE TABLE outcomes ("
    "  signature TEXT NOT NULL,"
    "  point BLOB NOT NULL,"
    "  outcome BLOB NOT NULL,"
    "  PRIMARY KEY (signature, point)) WITHOUT ROWID;"
    "PRAGMA user_version = 2;"
    "PRAGMA application_id = 1869636982;";

/* A file of the format before this, seen in the tables of this one. */
static const char old_views[] =
    "CREATE TEMP VIEW runs AS SELECT *, '' AS budget, '' AS stop, NULL AS opened_on,"
    "  NULL AS opened_what, NULL AS opened_space, NULL AS optimum FROM main.runs;"
    "CREATE TEMP VIEW packed AS SELECT 0 AS run, 0 AS trial_count, 0 AS failed, 0.0 AS cost_s,"
    "  NULL AS best_trial, NULL AS best_fitness, NULL AS best_point, x'' AS trials WHERE 0;";

/* The whole number that a query gives. */
static opevo_status get_number(opevo_store *store, const char *sql, int64_t *out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    sqlite3_stmt *query = NULL;

    OPEVO_TRY(opevo_i_store_prepare(store, sql, &query, err));
    if (sqlite3_step(query) != SQLITE_ROW) {
        status = opevo_i_store_fail(store, err);
        goto cleanup;
    }
    *out = sqlite3_column_int64(query, 0);
cleanup:
    sqlite3_finalize(query);
    return status;
}

/* A name of ours that is a view, a virtual table or an index would run what its maker wrote. */
static opevo_status check_tables(opevo_store *store, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    int64_t foreign = 0;

    OPEVO_TRY(get_number(store,
                         "SELECT count(*) FROM main.sqlite_schema WHERE lower(name) IN ('format',"
                         " 'spaces', 'runs', 'trials', 'packed', 'outcomes', 'finals', 'programs',"
                         " 'calls',"
                         " 'criteria', 'candidates', 'early', 'starts', 'windows', 'task_groups',"
                         " 'group_tasks', 'group_rounds', 'group_kernels')"
                         " AND (type <> 'table' OR coalesce(rootpage, 0) = 0)",
                         &foreign, err));
    if (foreign)
        return OPEVO_FAIL(
            err, OPEVO_INVALID,
            "%s is not a run store: it has other objects under the names of its tables.",
            store->path);
cleanup:
    return status;
}

/* Whether the file has no tables yet; an error if it is anything but a run store of this format. */
static opevo_status identify(opevo_store *store, opevo_store_mode mode, bool *empty,
                             opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    int64_t application = 0;
    int64_t version = 0;
    int64_t tables = 0;

    OPEVO_TRY(get_number(store, "SELECT count(*) FROM sqlite_schema", &tables, err));
    OPEVO_TRY(get_number(store, "PRAGMA application_id", &application, err));
    OPEVO_TRY(get_number(store, "PRAGMA user_version", &version, err));
    *empty = tables == 0 && application == 0 && version == 0;
    if (*empty)
        return OPEVO_OK;
    if (application != APPLICATION_ID)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s is not a run store: it is the database of another program.",
                          store->path);
    store->old = version == OLD_VERSION;
    store->has_criteria = version == CRITERIA_VERSION;
    if (store->old && mode != OPEVO_STORE_READ)
        return OPEVO_FAIL(
            err, OPEVO_MISMATCH,
            "%s has format %d of the run store, which is read-only: use another store.",
            store->path, OLD_VERSION);
    if (version < OLD_VERSION || version > CRITERIA_VERSION)
        return OPEVO_FAIL(err, OPEVO_MISMATCH,
                          "%s has format %lld of the run store, and this program reads formats %d "
                          "to %d: use another store.",
                          store->path, (long long)version, OLD_VERSION, CRITERIA_VERSION);
    OPEVO_TRY(check_tables(store, err));
cleanup:
    return status;
}

/* Make the tables, unless another process was quicker. */
static opevo_status make_tables(opevo_store *store, opevo_error *err)
{
    bool empty = false;
    opevo_status status = opevo_i_store_begin_write(store, err);

    if (status != OPEVO_OK)
        return status;
    status = identify(store, OPEVO_STORE_WRITE, &empty, err);
    if (status == OPEVO_OK && empty)
        status = opevo_i_store_exec(store, schema, err);
    return opevo_i_store_commit(store, status, err);
}

static opevo_status prepare_to_write(opevo_store *store, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    bool empty = false;

    OPEVO_TRY(identify(store, OPEVO_STORE_WRITE, &empty, err));
    if (empty)
        OPEVO_TRY(make_tables(store, err));
    /* Where the log cannot be had (some network folders, a reader at work) the slower rollback
     * journal keeps the same promises. */
    sqlite3_exec(store->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
    OPEVO_TRY(opevo_i_store_exec(store, "PRAGMA synchronous = NORMAL", err));
cleanup:
    return status;
}

static opevo_status prepare_to_read(opevo_store *store, opevo_store_mode mode, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    bool empty = false;

    OPEVO_TRY(identify(store, mode, &empty, err));
    if (empty)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s is not a run store: it is empty.", store->path);
    if (store->old)
        OPEVO_TRY(opevo_i_store_exec(store, old_views, err));
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
        if (!folder)
            return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to open %s.", path);
        cause = access(folder, W_OK | X_OK) ? errno : 0;
        opevo_free(folder);
        if (cause == ENOENT)
            return OPEVO_FAIL(err, OPEVO_IO,
                              "%s: its folder is absent: make it, or name another file.", path);
    }
    return cause ? OPEVO_FAIL(err, OPEVO_IO, "%s: %s.", path, strerror(cause)) : OPEVO_OK;
}

void opevo_i_store_print_uri(const char *path, bool immutable, opevo_text *out)
{
    opevo_text_add(out, *path == '/' ? "file:" : "file:./");
    for (; *path; path++) {
        if (strchr("?#%", *path))
            opevo_text_printf(out, "%%%02X", (unsigned)*path);
        else
            opevo_text_add_bytes(out, path, 1);
    }
    opevo_text_add(out, immutable ? "?immutable=1" : "");
}

/* A reader opens for writing too, where it may, so that as the last one it can remove the log; it
 * is kept from writing by query_only. A store belongs to one thread at a time, so that SQLite need
 * not guard it. */
static opevo_status connect(opevo_store *store, opevo_store_mode mode, bool immutable,
                            opevo_error *err)
{
    int flags = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX |
                (immutable ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE) |
                (mode == OPEVO_STORE_READ ? 0 : SQLITE_OPEN_CREATE);
    opevo_text name = {0};
    opevo_status status = OPEVO_OK;

    opevo_i_store_print_uri(store->path, immutable, &name);
    OPEVO_TRY(opevo_text_check(&name, err));
    if (sqlite3_open_v2(name.data, &store->db, flags, NULL) != SQLITE_OK) {
        status = opevo_i_store_fail(store, err);
        goto cleanup;
    }
    sqlite3_extended_result_codes(store->db, 1);
    sqlite3_busy_timeout(store->db, BUSY_MS);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL); /* temporary ones stay */
    OPEVO_TRY(
        opevo_i_store_exec(store, "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON", err));
cleanup:
    opevo_text_free(&name);
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
    return OPEVO_FAIL(err, OPEVO_IO, "%s: cannot be locked: %s.", store->path, strerror(errno));
}

/* Whether the log that readers share can be there. In a folder that may not be written it cannot be
 * made; the file is then whole without it, unless a log that a writer left is waiting. */
static bool can_have_log(opevo_store *store)
{
    sqlite3_stmt *query = NULL;
    int result =
        sqlite3_prepare_v2(store->db, "SELECT count(*) FROM sqlite_schema", -1, &query, NULL);

    if (result == SQLITE_OK)
        result = sqlite3_step(query);
    sqlite3_finalize(query);
    result &= 0xff;
    return result != SQLITE_READONLY && result != SQLITE_CANTOPEN;
}

opevo_status opevo_store_open(const char *path, opevo_store_mode mode, opevo_store **out,
                              opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_store *store = NULL;

    OPEVO_TRY(check_path(path, mode, err));
    store = opevo_calloc(1, sizeof *store);
    if (!store)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to open %s.", path);
    store->path = opevo_strdup(path);
    if (!store->path) {
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to open %s.", path);
        goto cleanup;
    }
    if (mode == OPEVO_STORE_ALONE)
        OPEVO_TRY(lock(store, err));
    OPEVO_TRY(connect(store, mode, false, err));
    if (mode == OPEVO_STORE_READ && !can_have_log(store)) {
        sqlite3_close(store->db);
        store->db = NULL;
        OPEVO_TRY(connect(store, mode, true, err));
    }
    if (mode != OPEVO_STORE_READ)
        OPEVO_TRY(prepare_to_write(store, err));
    OPEVO_TRY(prepare_to_read(store, mode, err));
    OPEVO_TRY(opevo_i_store_note_place(store, err));
    *out = store;
    store = NULL;
cleanup:
    opevo_store_close(store);
    return status;
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
    opevo_i_unpack_forget(store);
    opevo_free(store->samples);
    opevo_free(store->processor);
    opevo_text_free(&store->message);
    for (size_t i = 0; i < store->origin_count; i++)
        opevo_free(store->origins[i]);
    opevo_free(store->origins);
    opevo_index_map_destroy(store->origin_places);
    opevo_free(store->begun);
    opevo_free(store->path);
    opevo_free(store);
}
