/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Registering a study: what is to be run and on which data, hashed and written into the store
 * before the first trial, so that afterwards it can be told from what was chosen in view of
 * results. */

#include "study_parts_internal.h"

#include <opevo/json.h>
#include <opevo/memory.h>
#include <opevo/sha256.h>
#include <opevo/version.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The text ------------------------------------------------------------------------------- */

static void add_program(opevo_text *out)
{
    opevo_json_open(out, "program", "{");
    opevo_json_string(out, "name", "opevo");
    opevo_json_string(out, "version", OPEVO_VERSION);
    opevo_json_string(out, "build", opevo_build());
    opevo_text_add(out, "}");
}

static opevo_status add_files(const opevo_objective *objective, opevo_text *out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    opevo_json_open(out, "files", "[");
    for (size_t i = 0; objective->files && objective->files[i] && status == OPEVO_OK; i++) {
        const char *slash = strrchr(objective->files[i], '/');
        char hash[OPEVO_SHA256_SIZE] = "";

        status = opevo_sha256_file(objective->files[i], hash, err);
        opevo_json_open_next(out, "", "{");
        opevo_json_string(out, "file", slash ? slash + 1 : objective->files[i]);
        opevo_json_string(out, "sha256", hash);
        opevo_text_add(out, "}");
    }
    opevo_text_add(out, "]");
    return status;
}

static opevo_status add_objective(const opevo_objective *objective, opevo_text *out,
                                  opevo_error *err)
{
    char digits[OPEVO_I_HEX_SIZE];
    opevo_status status = OPEVO_OK;

    opevo_json_open_next(out, "", "{");
    opevo_json_string(out, "name", objective->name);
    opevo_json_string(out, "signature", opevo_i_store_signature_text(objective->signature, digits));
    if (objective->program)
        opevo_json_string(out, "program", opevo_i_store_signature_text(objective->program, digits));
    status = add_files(objective, out, err);
    opevo_text_add(out, "}");
    return status;
}

/* Each once, in the order of the lines, of which those of one objective are neighbours or come back
 * with other topologies, which are an objective of their own. */
static opevo_status add_objectives(const opevo_study *study, opevo_text *out, opevo_error *err)
{
    const opevo_objective *last = NULL;
    opevo_status status = OPEVO_OK;

    opevo_json_open(out, "objectives", "[");
    for (size_t i = 0; i < study->line_count && status == OPEVO_OK; i++) {
        if (study->lines[i].objective != last)
            status = add_objective(study->lines[i].objective, out, err);
        last = study->lines[i].objective;
    }
    opevo_text_add(out, "]");
    return status;
}

/* "1-100,205": ranges in the order of the plan. */
static void add_seeds(const opevo_study *study, opevo_text *out)
{
    opevo_text ranges = {0};
    const uint64_t *seeds = study->seeds;

    for (size_t i = 0, end = 0; i < study->seed_count; i = end) {
        for (end = i + 1; end < study->seed_count && seeds[end] == seeds[end - 1] + 1;)
            end++;
        opevo_text_printf(&ranges, "%s%llu", i ? "," : "", (unsigned long long)seeds[i]);
        if (end > i + 1)
            opevo_text_printf(&ranges, "-%llu", (unsigned long long)seeds[end - 1]);
    }
    opevo_json_string(out, "seeds", opevo_text_string(&ranges));
    out->failed = out->failed || ranges.failed;
    opevo_text_free(&ranges);
}

opevo_status opevo_study_registration(const opevo_study *study, opevo_text *out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    opevo_text_add(out, "{");
    opevo_json_index(out, "registration", 1);
    add_program(out);
    opevo_json_key(out, "plan");
    opevo_text_add(out, study->plan->canonical);
    status = add_objectives(study, out, err);
    add_seeds(study, out);
    if (study->until_alpha > 0) {
        opevo_json_open(out, "until", "{");
        opevo_json_double(out, "alpha", study->until_alpha);
        opevo_text_add(out, "}");
    }
    opevo_text_add(out, "}");
    return status == OPEVO_OK ? opevo_text_check(out, err) : status;
}

/* ---- In the store --------------------------------------------------------------------------- */

/* Whether a registration of this hash comes after results: as noted where it is known, otherwise
 * whether there is a trial. */
static opevo_status is_late(opevo_store *store, const char *hash, bool *late, opevo_error *err)
{
    sqlite3_stmt *query = NULL;
    opevo_status status =
        opevo_i_store_prepare(store,
                              "SELECT coalesce((SELECT late FROM registrations WHERE hash = ?),"
                              " EXISTS (SELECT 1 FROM trials) OR EXISTS (SELECT 1 FROM early)"
                              " OR EXISTS (SELECT 1 FROM packed))",
                              &query, err);

    if (status != OPEVO_OK)
        return status;
    sqlite3_bind_text(query, 1, hash, -1, SQLITE_STATIC);
    if (sqlite3_step(query) == SQLITE_ROW)
        *late = *late || sqlite3_column_int(query, 0);
    else
        status = opevo_i_store_fail(store, err);
    sqlite3_finalize(query);
    return status;
}

static opevo_status put_registration(opevo_store *store, const opevo_study *study, const char *hash,
                                     const char *text, bool late, opevo_error *err)
{
    sqlite3_stmt *insert = NULL;
    char *plan = realpath(study->plan->path, NULL);
    opevo_status status =
        opevo_i_store_prepare(store,
                              "INSERT INTO registrations (hash, text, plan, written, late)"
                              " VALUES (?, ?, ?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), ?)"
                              " ON CONFLICT (hash) DO UPDATE SET late = max(late, excluded.late)",
                              &insert, err);

    if (status == OPEVO_OK) {
        sqlite3_bind_text(insert, 1, hash, -1, SQLITE_STATIC);
        sqlite3_bind_text(insert, 2, text, -1, SQLITE_STATIC);
        sqlite3_bind_text(insert, 3, plan ? plan : study->plan->path, -1, SQLITE_STATIC);
        sqlite3_bind_int(insert, 4, late);
        if (sqlite3_step(insert) != SQLITE_DONE)
            status = opevo_i_store_fail(store, err);
    }
    sqlite3_finalize(insert);
    free(plan); /* of the C library */
    return status;
}

/* A run that has ended and is as long as the plan wants it keeps its registration. */
static opevo_status assign(opevo_store *store, const opevo_study *study, const uint64_t *numbers,
                           size_t count, const opevo_i_study_slot *slots, const char *hash,
                           opevo_error *err)
{
    sqlite3_stmt *update = NULL;
    opevo_status status = opevo_i_store_prepare(
        store,
        "UPDATE runs SET registration = (SELECT registration FROM registrations WHERE hash = ?1)"
        " WHERE run = ?2 AND (?3 OR (SELECT count(*) FROM trials WHERE trials.run = ?2) < ?4)",
        &update, err);

    if (status == OPEVO_OK)
        sqlite3_bind_text(update, 1, hash, -1, SQLITE_STATIC);
    for (size_t i = 0; i < count && status == OPEVO_OK; i++) {
        const opevo_study_line *line = &study->lines[numbers[i] % study->line_count];

        if (slots[i].ended && opevo_i_study_is_stored_whole(line->objective))
            continue;
        sqlite3_bind_int64(update, 2, slots[i].run);
        sqlite3_bind_int(update, 3, !slots[i].ended || line->budget.trials == 0);
        sqlite3_bind_int64(update, 4, (int64_t)line->budget.trials);
        if (sqlite3_step(update) != SQLITE_DONE)
            status = opevo_i_store_fail(store, err);
        sqlite3_reset(update);
    }
    sqlite3_finalize(update);
    return status;
}

opevo_status opevo_i_study_register(opevo_store *store, opevo_store *known,
                                    const opevo_study *study, const uint64_t *numbers, size_t count,
                                    const opevo_i_study_slot *slots, opevo_error *err)
{
    opevo_text text = {0};
    char hash[OPEVO_SHA256_SIZE];
    bool late = false, begun = false;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_study_registration(study, &text, err));
    opevo_sha256_of(text.data, text.length, hash);
    if (known)
        OPEVO_TRY(is_late(known, hash, &late, err));
    OPEVO_TRY(opevo_i_store_begin_write(store, err));
    begun = true;
    OPEVO_TRY(is_late(store, hash, &late, err));
    OPEVO_TRY(put_registration(store, study, hash, text.data, late, err));
    OPEVO_TRY(assign(store, study, numbers, count, slots, hash, err));
cleanup:
    opevo_text_free(&text);
    return begun ? opevo_i_store_commit(store, status, err) : status;
}

opevo_status opevo_store_registrations(opevo_store *store,
                                       void (*visit)(void *context,
                                                     const opevo_registration *registration),
                                       void *context, opevo_error *err)
{
    sqlite3_stmt *query = NULL;
    int code = SQLITE_DONE;
    opevo_status status = opevo_i_store_prepare(
        store,
        "SELECT hash, text, plan, written, late, count(run) FROM registrations"
        " LEFT JOIN runs USING (registration) GROUP BY registration ORDER BY registration",
        &query, err);

    while (status == OPEVO_OK && (code = sqlite3_step(query)) == SQLITE_ROW) {
        opevo_registration one = {.hash = opevo_i_store_column_text(query, 0),
                                  .text = opevo_i_store_column_text(query, 1),
                                  .plan = opevo_i_store_column_text(query, 2),
                                  .written = opevo_i_store_column_text(query, 3),
                                  .late = sqlite3_column_int(query, 4) != 0,
                                  .runs = (uint64_t)sqlite3_column_int64(query, 5)};

        visit(context, &one);
    }
    if (status == OPEVO_OK && code != SQLITE_DONE)
        status = opevo_i_store_fail(store, err);
    sqlite3_finalize(query);
    return status;
}
