/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The proofs of a run's kernels. */

#include <opevo/store_proofs.h>

#include "store_internal.h"

#include <opevo/memory.h>

#include <string.h>

/* ---- Lists ---- */

static opevo_stored_proof *find(const opevo_stored_proofs *self, opevo_index point)
{
    for (size_t i = 0; i < self->count; i++)
        if (self->items[i].point == point)
            return &self->items[i];
    return NULL;
}

const opevo_stored_proof *opevo_stored_proofs_find(const opevo_stored_proofs *self,
                                                   opevo_index point)
{
    return find(self, point);
}

opevo_status opevo_stored_proofs_add(opevo_stored_proofs *self, opevo_stored_proof *proof,
                                     opevo_error *err)
{
    opevo_stored_proof *place = find(self, proof->point);

    if (place) {
        opevo_text_free(&place->certificate);
    } else if (opevo_reserve((void **)&self->items, &self->capacity, self->count + 1,
                             sizeof *self->items)) {
        place = &self->items[self->count++];
    } else {
        opevo_text_free(&proof->certificate);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for proofs.");
    }
    *place = *proof;
    proof->certificate = (opevo_text){0};
    return OPEVO_OK;
}

void opevo_stored_proofs_free(opevo_stored_proofs *self)
{
    for (size_t i = 0; i < self->count; i++)
        opevo_text_free(&self->items[i].certificate);
    opevo_free(self->items);
    *self = (opevo_stored_proofs){0};
}

/* ---- Rows ---- */

static opevo_status insert(opevo_store *store, int64_t run, const opevo_stored_proof *proof,
                           opevo_error *err)
{
    unsigned char point[OPEVO_I_POINT_BYTES];
    sqlite3_stmt *statement = NULL;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_store_prepare(
        store, "INSERT OR REPLACE INTO proofs (run, point, verdict, certificate) VALUES (?,?,?,?)",
        &statement, err));
    opevo_i_store_point_to_bytes(proof->point, point);
    sqlite3_bind_int64(statement, 1, run);
    sqlite3_bind_blob(statement, 2, point, OPEVO_I_POINT_BYTES, SQLITE_STATIC);
    sqlite3_bind_text(statement, 3, proof->verdict, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 4, opevo_text_string(&proof->certificate), -1, SQLITE_STATIC);
    if (sqlite3_step(statement) != SQLITE_DONE)
        status = opevo_i_store_fail(store, err);
cleanup:
    sqlite3_finalize(statement);
    return status;
}

opevo_status opevo_store_put_proof(opevo_store *store, int64_t run, const opevo_stored_proof *proof,
                                   opevo_error *err)
{
    opevo_status status;

    if (!store->insert)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s is open read-only.", store->path);
    status = opevo_i_store_begin_write(store, err);
    if (status != OPEVO_OK)
        return status;
    return opevo_i_store_commit(store, insert(store, run, proof, err), err);
}

/* False for a row that nobody put. */
static bool take_row(sqlite3_stmt *row, opevo_stored_proof *out)
{
    const unsigned char *point = sqlite3_column_blob(row, 0);
    const char *verdict = opevo_i_store_column_text(row, 1);

    if (!point || sqlite3_column_bytes(row, 0) != OPEVO_I_POINT_BYTES ||
        strlen(verdict) >= sizeof out->verdict)
        return false;
    out->point = opevo_i_store_point_from_bytes(point);
    memcpy(out->verdict, verdict, strlen(verdict) + 1);
    opevo_text_add(&out->certificate, opevo_i_store_column_text(row, 2));
    return true;
}

static opevo_status read_rows(opevo_store *store, int64_t run, opevo_stored_proofs *out,
                              opevo_error *err)
{
    sqlite3_stmt *query = NULL;
    opevo_status status = OPEVO_OK;
    int code = SQLITE_DONE;

    OPEVO_TRY(opevo_i_store_prepare(
        store, "SELECT point, verdict, certificate FROM proofs WHERE run = ? ORDER BY point",
        &query, err));
    sqlite3_bind_int64(query, 1, run);
    while ((code = sqlite3_step(query)) == SQLITE_ROW) {
        opevo_stored_proof proof = {.point = 0};

        if (!take_row(query, &proof)) {
            status = OPEVO_FAIL(err, OPEVO_INVALID,
                                "%s %s: the proofs of run %lld are malformed; use another store.",
                                store->path, store->state, (long long)run);
            goto cleanup;
        }
        OPEVO_TRY(opevo_stored_proofs_add(out, &proof, err));
    }
    if (code != SQLITE_DONE)
        status = opevo_i_store_fail(store, err);
cleanup:
    sqlite3_finalize(query);
    return status;
}

opevo_status opevo_store_get_proofs(opevo_store *store, int64_t run, opevo_stored_proofs *out,
                                    opevo_error *err)
{
    opevo_stored_proofs proofs = {0};
    opevo_status status = read_rows(store, run, &proofs, err);

    for (size_t i = 0; i < proofs.count && status == OPEVO_OK; i++)
        status = opevo_text_check(&proofs.items[i].certificate, err);
    if (status == OPEVO_OK)
        *out = proofs;
    else
        opevo_stored_proofs_free(&proofs);
    return status;
}
