/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The texts of candidates whose numbers do not tell what they are: those outside a space, and
 * points of a wide one. A text is committed with the trial that it belongs to. */

#include "store_internal.h"

#include <opevo/memory.h>

/* A run that was begun on such candidates. */
struct opevo_i_store_begun {
    int64_t run;
    const opevo_space *space; /* a wide one; NULL: `domain` */
    opevo_domain *domain;
};

opevo_status opevo_i_store_note_domain(opevo_store *store, int64_t run, const opevo_space *space,
                                       opevo_domain *domain, opevo_error *err)
{
    void *begun = store->begun;
    size_t i = 0;

    if (space && !opevo_space_is_wide(space))
        return OPEVO_OK;
    while (i < store->begun_count && store->begun[i].run != run)
        i++;
    if (i == store->begun_count) {
        OPEVO_NEED_OR_RETURN(
            opevo_reserve(&begun, &store->begun_capacity, i + 1, sizeof *store->begun),
            "a run in %s", store->path);
        store->begun = begun;
        store->begun_count++;
    }
    store->begun[i] = (struct opevo_i_store_begun){.run = run, .space = space, .domain = domain};
    return space ? opevo_i_store_read_points(store, run, space, err) : OPEVO_OK;
}

static const struct opevo_i_store_begun *find_begun(const opevo_store *store, int64_t run)
{
    for (size_t i = 0; i < store->begun_count; i++) {
        if (store->begun[i].run == run)
            return &store->begun[i];
    }
    return NULL;
}

/* The text of a candidate; false where it has none. */
static bool print(const struct opevo_i_store_begun *begun, opevo_index candidate, opevo_text *out)
{
    if (!begun->space)
        return opevo_domain_print(begun->domain, candidate, out);
    if (!opevo_space_has(begun->space, candidate))
        return false;
    opevo_space_print(begun->space, candidate, out);
    return true;
}

static opevo_status put(opevo_store *store, sqlite3_stmt *insert,
                        const struct opevo_i_store_begun *begun, opevo_index candidate,
                        opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    unsigned char point[OPEVO_I_POINT_BYTES];
    opevo_text text = {0};

    if (!print(begun, candidate, &text)) {
        status = OPEVO_FAIL(err, OPEVO_INVALID, "A candidate has no text in %s.",
                            begun->space ? "the space" : begun->domain->name);
        goto cleanup;
    }
    OPEVO_TRY(opevo_text_check(&text, err));
    opevo_i_store_point_to_bytes(candidate, point);
    sqlite3_bind_int64(insert, 1, begun->run);
    sqlite3_bind_blob(insert, 2, point, OPEVO_I_POINT_BYTES, SQLITE_STATIC);
    sqlite3_bind_text(insert, 3, opevo_text_string(&text), -1, SQLITE_STATIC);
    if (sqlite3_step(insert) != SQLITE_DONE)
        status = opevo_i_store_fail(store, err);
    sqlite3_reset(insert);
cleanup:
    opevo_text_free(&text);
    return status;
}

opevo_status opevo_i_store_put_candidate(opevo_store *store, int64_t run, opevo_index candidate,
                                         opevo_error *err)
{
    const opevo_trial trial = {.proposal = {.point = candidate}};

    return opevo_i_store_put_candidates(store, run, &trial, 1, err);
}

/* The text of a row is that of its point, or the file is damaged. */
static opevo_status read_point(opevo_store *store, int64_t run, sqlite3_stmt *row,
                               const opevo_space *space, opevo_error *err)
{
    opevo_index point = 0;
    opevo_error why = {OPEVO_OK, ""};
    opevo_status status = opevo_space_read(space, opevo_i_store_column_text(row, 1), &point, &why);

    if (status == OPEVO_OK &&
        (sqlite3_column_bytes(row, 0) != OPEVO_I_POINT_BYTES ||
         opevo_i_store_point_from_bytes(sqlite3_column_blob(row, 0)) != point))
        status = OPEVO_INVALID;
    if (status == OPEVO_OK || status == OPEVO_NOMEM)
        return status == OPEVO_OK ? status : OPEVO_FAIL(err, status, "%s", why.message);
    return OPEVO_FAIL(err, OPEVO_INVALID,
                      "%s %s: a configuration of run %lld is malformed; use another store.",
                      store->path, store->state, (long long)run);
}

opevo_status opevo_i_store_read_points(opevo_store *store, int64_t run, const opevo_space *space,
                                       opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    sqlite3_stmt *rows = NULL;
    int code = SQLITE_DONE;

    if (!opevo_space_is_wide(space))
        return OPEVO_OK;
    OPEVO_TRY(opevo_i_store_prepare(store,
                                    "SELECT point, text FROM candidates JOIN runs USING (space)"
                                    " WHERE run = ?1",
                                    &rows, err));
    sqlite3_bind_int64(rows, 1, run);
    while ((code = sqlite3_step(rows)) == SQLITE_ROW)
        OPEVO_TRY(read_point(store, run, rows, space, err));
    if (code != SQLITE_DONE)
        status = opevo_i_store_fail(store, err);
cleanup:
    sqlite3_finalize(rows);
    return status;
}

opevo_status opevo_i_store_put_candidates(opevo_store *store, int64_t run,
                                          const opevo_trial *trials, size_t count, opevo_error *err)
{
    const struct opevo_i_store_begun *begun = find_begun(store, run);
    opevo_status status = OPEVO_OK;
    sqlite3_stmt *insert = NULL;

    if (!begun || count == 0)
        return OPEVO_OK;
    OPEVO_TRY(opevo_i_store_prepare(store,
                                    "INSERT OR IGNORE INTO candidates (space, point, text)"
                                    " SELECT space, ?2, ?3 FROM runs WHERE run = ?1",
                                    &insert, err));
    for (size_t i = 0; i < count; i++)
        OPEVO_TRY(put(store, insert, begun, trials[i].proposal.point, err));
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
        " AND known.point IN (SELECT point FROM source.trials WHERE run = ?2"
        " UNION SELECT point FROM source.starts WHERE run = ?2)",
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
