/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a run store holds, as one text to compare: every value of every table except the time of day
 * at which a run began. */

#ifndef OPEVO_TESTS_STORE_CONTENT_H
#define OPEVO_TESTS_STORE_CONTENT_H

#include <sqlite3.h>

#include <opevo/text.h>

#include "check.h"

static inline void store_content_table(sqlite3 *db, const char *table, opevo_text *out)
{
    sqlite3_stmt *rows = NULL;
    char sql[128];

    snprintf(sql, sizeof sql, "SELECT * FROM \"%s\"", table);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &rows, NULL), SQLITE_OK);
    while (sqlite3_step(rows) == SQLITE_ROW) {
        opevo_text_printf(out, "%s:", table);
        for (int i = 0; i < sqlite3_column_count(rows); i++) {
            const unsigned char *bytes = sqlite3_column_blob(rows, i);

            if (!strcmp(sqlite3_column_name(rows, i), "started"))
                continue;
            opevo_text_printf(out, " %d:", sqlite3_column_type(rows, i));
            for (int k = 0; k < sqlite3_column_bytes(rows, i); k++)
                opevo_text_printf(out, "%02x", bytes[k]);
        }
        opevo_text_add(out, "\n");
    }
    sqlite3_finalize(rows);
}

/* Replaces what `out` holds. */
static inline void store_content(const char *path, opevo_text *out)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *tables = NULL;

    opevo_text_clear(out);
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db,
                                        "SELECT name FROM sqlite_schema WHERE type = 'table'"
                                        " ORDER BY name",
                                        -1, &tables, NULL),
                     SQLITE_OK);
    while (sqlite3_step(tables) == SQLITE_ROW)
        store_content_table(db, (const char *)sqlite3_column_text(tables, 0), out);
    sqlite3_finalize(tables);
    sqlite3_close(db);
    CHECK_OK(opevo_text_check(out, &err));
}

#endif
