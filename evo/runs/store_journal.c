/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Which journal a store has. Processes that share a write-ahead log do so through memory, which
 * only a folder of this host's own disks gives them. Elsewhere a rollback journal is used, which
 * relies on file locks alone. The header of the file says which of the two, so whoever meets a
 * store with a rollback journal, on the file server as well, keeps it. */

#include "store_internal.h"

#include <opevo/clock.h>
#include <opevo/memory.h>

#include <errno.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/statfs.h>
#include <time.h>

/* ---- The folder ----------------------------------------------------------------------------- */

/* File systems on this host's disks and in its memory. What is not here may be of a network. */
static const uint32_t local_types[] = {
    EXT4_SUPER_MAGIC,  XFS_SUPER_MAGIC,       BTRFS_SUPER_MAGIC, TMPFS_MAGIC,
    RAMFS_MAGIC,       OVERLAYFS_SUPER_MAGIC, F2FS_SUPER_MAGIC,  REISERFS_SUPER_MAGIC,
    NILFS_SUPER_MAGIC, ECRYPTFS_SUPER_MAGIC,  MSDOS_SUPER_MAGIC, EXFAT_SUPER_MAGIC,
    0x2fc12fc1, /* ZFS */
    0x3153464a, /* JFS */
    0xca451a4e, /* bcachefs */
    0x7366746e, /* NTFS in the kernel */
    0x61756673, /* aufs */
};

static const struct {
    uint32_t type;
    const char *name;
} network_types[] = {
    {NFS_SUPER_MAGIC, "NFS"},     {SMB_SUPER_MAGIC, "SMB"},     {CIFS_SUPER_MAGIC, "SMB"},
    {SMB2_SUPER_MAGIC, "SMB"},    {FUSE_SUPER_MAGIC, "FUSE"},   {0x0bd00bd0, "Lustre"},
    {0x47504653, "GPFS"},         {CEPH_SUPER_MAGIC, "CephFS"}, {V9FS_MAGIC, "9P"},
    {0x19830326, "BeeGFS"},       {AFS_SUPER_MAGIC, "AFS"},     {AFS_FS_MAGIC, "AFS"},
    {OCFS2_SUPER_MAGIC, "OCFS2"}, {0x01161970, "GFS2"},
};

/* The folder's, where the file is not there yet. False when neither can be asked. */
static bool find_type(const char *path, uint32_t *type)
{
    struct statfs info;
    const char *slash = strrchr(path, '/');
    char *folder = NULL;
    bool found = statfs(path, &info) == 0;

    if (!found) {
        folder = slash ? opevo_strndup(path, (size_t)(slash - path) + 1) : opevo_strdup(".");
        found = folder && statfs(folder, &info) == 0;
        opevo_free(folder);
    }
    *type = found ? (uint32_t)info.f_type : 0;
    return found;
}

bool opevo_i_store_can_share_memory(const char *path)
{
    uint32_t type = 0;

    if (!find_type(path, &type))
        return true; /* opening it says why */
    for (size_t i = 0; i < sizeof local_types / sizeof *local_types; i++) {
        if (local_types[i] == type)
            return true;
    }
    return false;
}

void opevo_store_print_folder(const char *path, opevo_text *out)
{
    uint32_t type = 0;
    const char *name = NULL;

    if (opevo_i_store_can_share_memory(path) || !find_type(path, &type))
        return;
    opevo_text_printf(out, "%s is in a folder of ", path);
    for (size_t i = 0; i < sizeof network_types / sizeof *network_types; i++)
        name = network_types[i].type == type ? network_types[i].name : name;
    if (name)
        opevo_text_printf(out, "a network (%s)", name);
    else
        opevo_text_printf(out, "an unknown file system (type %#x)", (unsigned)type);
    opevo_text_add(out, ": it gets a rollback journal, which is slower than the log of a local "
                        "disk; hosts may share it only if the file locks of one hold for all.");
}

/* ---- The journal ---------------------------------------------------------------------------- */

/* SQLite has no log in a file whose methods have no shared memory, and fails to open one that
 * another process gave it: so the choice holds as long as the store is open. */
void opevo_i_store_forbid_log(opevo_store *store)
{
    sqlite3_file *file = NULL;

    if (sqlite3_file_control(store->db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK ||
        !file || !file->pMethods)
        return;
    store->methods = *file->pMethods;
    store->methods.iVersion = 1;
    file->pMethods = &store->methods;
}

/* Look at the tables: the first thing for which SQLite reads the file and takes a lock. */
static int look(opevo_store *store)
{
    sqlite3_stmt *query = NULL;
    int result =
        sqlite3_prepare_v2(store->db, "SELECT count(*) FROM sqlite_schema", -1, &query, NULL);

    if (result == SQLITE_OK)
        result = sqlite3_step(query);
    sqlite3_finalize(query);
    return result & 0xff;
}

/* Ask for a journal; *is_log: the store then has a write-ahead log. */
static opevo_status ask_journal(opevo_store *store, const char *sql, bool *is_log, opevo_error *err)
{
    sqlite3_stmt *query = NULL;
    opevo_status status = opevo_i_store_prepare(store, sql, &query, err);

    if (status == OPEVO_OK && sqlite3_step(query) != SQLITE_ROW)
        status = opevo_i_store_fail(store, err);
    if (status == OPEVO_OK)
        *is_log = !strcmp(opevo_i_store_column_text(query, 0), "wal");
    sqlite3_finalize(query);
    return status;
}

/* Having the file alone, SQLite needs no shared memory to bring the log into it and to go over to a
 * journal. */
static opevo_status try_to_end_log(opevo_store *store, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    bool is_log = false;
    bool empty = false;

    OPEVO_TRY(opevo_i_store_exec(store, "PRAGMA locking_mode = EXCLUSIVE", err));
    OPEVO_TRY(opevo_i_store_identify(store, &empty, err));
    OPEVO_TRY(ask_journal(store, "PRAGMA journal_mode = PERSIST", &is_log, err));
    if (is_log)
        status = OPEVO_FAIL(err, OPEVO_IO,
                            "%s has a write-ahead log, which cannot be used in its folder, and may "
                            "not be changed: copy it to a local disk.",
                            store->path);
cleanup:
    return status;
}

/* Give back what an attempt holds. */
static void release(opevo_store *store)
{
    sqlite3_exec(store->db, "PRAGMA locking_mode = NORMAL", NULL, NULL, NULL);
    look(store);
}

/* A store that was made on a disk has a log, which is ended once nobody has it open. An attempt
 * that fails keeps others from theirs, so each gives way at once, and tries again after a time that
 * differs between them. */
static opevo_status end_log(opevo_store *store, opevo_error *err)
{
    double deadline = opevo_clock_monotonic_s() + OPEVO_I_BUSY_MS / 1e3;
    opevo_status status = OPEVO_OK;
    bool again = true;

    sqlite3_busy_timeout(store->db, 0);
    while (again) {
        double now = opevo_clock_monotonic_s();
        struct timespec nap = {.tv_nsec = (long)(now * 1e9) % 100 * 1000000L};

        status = try_to_end_log(store, err);
        again = status != OPEVO_OK && store->failure == SQLITE_BUSY && now < deadline;
        release(store);
        if (again)
            nanosleep(&nap, NULL);
    }
    sqlite3_busy_timeout(store->db, OPEVO_I_BUSY_MS);
    return status;
}

/* Whether a file beside the store has something that belongs into it. */
static bool is_waiting(const opevo_store *store, const char *suffix)
{
    static const unsigned char none[8] = {0};
    unsigned char head[8] = {0};
    opevo_text path = {0};
    FILE *file = NULL;
    bool waiting = false;

    opevo_text_printf(&path, "%s%s", store->path, suffix);
    file = path.failed ? NULL : fopen(path.data, "rb");
    if (file) {
        waiting = fread(head, 1, sizeof head, file) == sizeof head &&
                  memcmp(head, none, sizeof head) != 0;
        fclose(file);
    } else {
        waiting = errno != ENOENT;
    }
    opevo_text_free(&path);
    return waiting;
}

opevo_status opevo_i_store_settle_to_read(opevo_store *store, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    int result = look(store);

    if (result == SQLITE_CANTOPEN && !store->shares_memory &&
        sqlite3_db_readonly(store->db, "main") == 0) {
        status = end_log(store, err);
        result = SQLITE_OK;
    }
    if (result != SQLITE_READONLY && result != SQLITE_CANTOPEN)
        return status; /* any other failure shows again */
    if (is_waiting(store, "-wal") || is_waiting(store, "-journal"))
        return OPEVO_FAIL(err, OPEVO_IO,
                          "%s: a program that was killed left a journal beside it, which cannot be "
                          "applied where nothing may be written: copy all files of the store to "
                          "another folder.",
                          store->path);
    store->immutable = true;
    return OPEVO_OK;
}

opevo_status opevo_i_store_settle_to_write(opevo_store *store, bool *empty, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    bool is_log = false;

    if (!store->shares_memory) {
        OPEVO_TRY(opevo_i_store_check_locks(store, err));
        if (look(store) == SQLITE_CANTOPEN)
            OPEVO_TRY(end_log(store, err));
    }
    OPEVO_TRY(opevo_i_store_identify(store, empty, err));
    OPEVO_TRY(ask_journal(store, "PRAGMA journal_mode", &is_log, err));
    /* Outcomes are put in the order of their points: in SQLite's 2 MiB pages would go and come back
     * for each. */
    OPEVO_TRY(opevo_i_store_exec(store, "PRAGMA cache_size = -65536", err)); /* KiB */
    /* A journal that stays, emptied, is seen by all hosts; one that comes and goes may not be,
     * where they remember which names a folder has. */
    if (is_log)
        status = opevo_i_store_exec(store, "PRAGMA synchronous = NORMAL", err);
    else if (!*empty || !store->shares_memory)
        status = ask_journal(store, "PRAGMA journal_mode = PERSIST", &is_log, err);
cleanup:
    return status;
}
