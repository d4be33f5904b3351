/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the files of the run store share. */

#ifndef OPEVO_STORE_INTERNAL_H
#define OPEVO_STORE_INTERNAL_H

#include <sqlite3.h>

#include <opevo/store.h>

enum {
    OPEVO_I_POINT_BYTES = 16,
    OPEVO_I_HEX_SIZE = 17 /* 16 digits and the terminator */
};

struct opevo_store {
    sqlite3 *db;
    char *path;           /* for messages */
    sqlite3_stmt *insert; /* one trial; NULL in a store opened to read */
    sqlite3_stmt *read;   /* trials of a run after a number */
    char **origins; /* one copy of each origin that was read, so that trials can point to it */
    size_t origin_count;
    size_t origin_capacity;
};

/* The last failure of SQLite as a status and a sentence that begins with the path. */
opevo_status opevo_i_store_fail(opevo_store *store, opevo_error *err);
/* Run statements that give no rows. */
opevo_status opevo_i_store_exec(opevo_store *store, const char *sql, opevo_error *err);
opevo_status opevo_i_store_prepare(opevo_store *store, const char *sql, sqlite3_stmt **out,
                                   opevo_error *err);
/* Take the write lock. `commit` gives it back with everything kept when `status` is OK, otherwise
 * with nothing kept; it returns the first failure. */
opevo_status opevo_i_store_begin_write(opevo_store *store, opevo_error *err);
opevo_status opevo_i_store_commit(opevo_store *store, opevo_status status, opevo_error *err);

/* A point as it stands in the file: 16 bytes, the highest first, so that blobs sort as numbers. */
void opevo_i_point_to_bytes(opevo_index point, unsigned char *bytes);
opevo_index opevo_i_point_from_bytes(const unsigned char *bytes);
/* A signature as it stands in the file: 16 hexadecimal digits. Returns `text`. */
char *opevo_i_signature_text(uint64_t signature, char *text);

#endif
