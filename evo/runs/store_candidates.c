/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The texts of candidates that are no points of a space. A text is committed with the trial that it
 * belongs to. */

#include "store_internal.h"

#include <opevo/memory.h>

/* A run that was begun on such a domain. */
struct opevo_i_store_begun {
    int64_t run;
    opevo_domain *domain;
};

opevo_status opevo_i_store_note_domain(opevo_store *store, int64_t run, opevo_domain *domain,
                                       opevo_error *err)
{
    void *begun = store->begun;
    size_t i = 0;

    while (i < store->begun_count && store->begun[i].run != run)
        i++;
    if (i == store->begun_count) {
        if (!opevo_reserve(&begun, &store->begun_capacity, i + 1, sizeof *store->begun))
            return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a run in %s.", store->path);
        store->begun = begun;
        store->begun_count++;
    }
    store->begun[i] = (struct opevo_i_store_begun){.run = run, .domain = domain};
    return OPEVO_OK;
}

static opevo_domain *domain_of(const opevo_store *store, int64_t run)
{
    for (size_t i = 0; i < store->begun_count; i++) {
        if (store->begun[i].run == run)
            return store->begun[i].domain;
    }
    return NULL;
}

static opevo_status put(opevo_store *store, sqlite3_stmt *insert, int64_t run, opevo_domain *domain,
                        opevo_index candidate, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    unsigned char point[OPEVO_I_POINT_BYTES];
    opevo_text text = {0};

    if (!opevo_domain_print(domain, candidate, &text)) {
        status = OPEVO_FAIL(err, OPEVO_INVALID, "A candidate has no text in %s.", domain->name);
        goto cleanup;
    }
    OPEVO_TRY(opevo_text_check(&text, err));
    opevo_i_store_point_to_bytes(candidate, point);
    sqlite3_bind_int64(insert, 1, run);
    sqlite3_bind_blob(insert, 2, point, OPEVO_I_POINT_BYTES, SQLITE_STATIC);
    sqlite3_bind_text(insert, 3, opevo_text_string(&text), -1, SQLITE_STATIC);
    if (sqlite3_step(insert) != SQLITE_DONE)
        status = opevo_i_store_fail(store, err);
    sqlite3_reset(insert);
cleanup:
    opevo_text_free(&text);
    return status;
}

opevo_status opevo_i_store_put_candidates(opevo_store *store, int64_t run,
                                          const opevo_trial *trials, size_t count, opevo_error *err)
{
    opevo_domain *domain = domain_of(store, run);
    opevo_status status = OPEVO_OK;
    sqlite3_stmt *insert = NULL;

    if (!domain || count == 0)
        return OPEVO_OK;
    OPEVO_TRY(opevo_i_store_prepare(store,
                                    "INSERT OR IGNORE INTO candidates (space, point, text)"
                                    " SELECT space, ?2, ?3 FROM runs WHERE run = ?1",
                                    &insert, err));
    for (size_t i = 0; i < count; i++)
        OPEVO_TRY(put(store, insert, run, domain, trials[i].proposal.point, err));
cleanup:
    sqlite3_finalize(insert);
    return status;
}

opevo_status opevo_i_store_join_candidates(opevo_store *store, int64_t here, int64_t there,
                                           opevo_error *err)
{
    return opevo_i_store_join_rows(
        store,
        "INSERT OR IGNORE INTO candidates (space, point, text)"
        " SELECT runs.space, known.point, known.text FROM runs, source.candidates AS known"
        " WHERE runs.run = ?1 AND known.space = (SELECT space FROM source.runs WHERE run = ?2)"
        " AND known.point IN (SELECT point FROM source.trials WHERE run = ?2)",
        here, there, err);
}

opevo_status opevo_store_candidate(opevo_store *store, int64_t run, opevo_index candidate,
                                   opevo_text *out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    sqlite3_stmt *query = NULL;
    unsigned char point[OPEVO_I_POINT_BYTES];
    int code = SQLITE_OK;

    OPEVO_TRY(opevo_i_store_prepare(store,
                                    "SELECT text FROM candidates JOIN runs USING (space)"
                                    " WHERE run = ?1 AND point = ?2",
                                    &query, err));
    opevo_i_store_point_to_bytes(candidate, point);
    sqlite3_bind_int64(query, 1, run);
    sqlite3_bind_blob(query, 2, point, OPEVO_I_POINT_BYTES, SQLITE_STATIC);
    code = sqlite3_step(query);
    if (code == SQLITE_ROW)
        opevo_text_add(out, opevo_i_store_column_text(query, 0));
    else if (code != SQLITE_DONE)
        status = opevo_i_store_fail(store, err);
cleanup:
    sqlite3_finalize(query);
    return status;
}
