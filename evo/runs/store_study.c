/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a study does with a store: planning its runs, putting computed ones in, and joining stores.
 * The number of a run in the store is given when it is planned, in the order of the plan, so that
 * it does not matter which run was finished first, or where. */

#include "study_parts_internal.h"

#include <opevo/memory.h>

#include <string.h>

/* The key of a line with a seed, as it stands in the store: with its budget where runs are stored
 * whole, open to a larger one where they are stored trial by trial. */
static opevo_run_key study_key(const opevo_study_line *line, uint64_t seed)
{
    return (opevo_run_key){
        .objective = line->objective->name,
        .tuner = line->tuner->name,
        .settings = line->settings_text,
        .seed = seed,
        .budget = opevo_i_study_is_stored_whole(line->objective) ? line->budget_text : "",
        .objective_signature = line->objective->signature,
        .program = line->objective->program,
        .space = line->objective->space,
        .domain = line->objective->domain,
        .unit = line->objective->unit,
        .criteria = line->objective->criteria,
        .more_count = line->objective->more_count,
        .has_requirements = line->requirement_count > 0,
        .note = line->note,
    };
}

/* ---- Planning ------------------------------------------------------------------------------- */

typedef struct planner {
    opevo_store *store;
    sqlite3_stmt *find;
    sqlite3_stmt *insert;   /* NULL: only look */
    opevo_objective *space; /* whose space is known to be in the table */
} planner;

static opevo_status find_slot(planner *self, const opevo_run_key *key, opevo_i_study_slot *slot,
                              opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    char seed[OPEVO_INDEX_TEXT_SIZE];
    const char *stop = NULL;
    int code = SQLITE_OK;

    *slot = (opevo_i_study_slot){.run = 0};
    opevo_i_store_bind_identity(self->find, key, opevo_index_format(key->seed, seed));
    code = sqlite3_step(self->find);
    if (code == SQLITE_ROW) {
        OPEVO_TRY(opevo_i_store_check_found(self->store, key, self->find, err));
        stop = opevo_i_store_column_text(self->find, 4);
        slot->run = sqlite3_column_int64(self->find, 0);
        slot->ended = *stop && strcmp(stop, OPEVO_I_PLANNED) != 0;
    } else if (code != SQLITE_DONE) {
        status = opevo_i_store_fail(self->store, err);
    }
cleanup:
    sqlite3_reset(self->find);
    sqlite3_clear_bindings(self->find);
    return status;
}

static opevo_status fill_slots(planner *self, const opevo_study *study, const uint64_t *numbers,
                               size_t count, opevo_i_study_slot *slots, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < count; i++) {
        const opevo_study_line *line = &study->lines[numbers[i] % study->line_count];
        opevo_run_key key = study_key(line, opevo_study_seed(study, numbers[i]));

        OPEVO_TRY(find_slot(self, &key, &slots[i], err));
        if (slots[i].run && self->insert)
            OPEVO_TRY(opevo_i_store_put_criteria(self->store, &key, slots[i].run, err));
        if (slots[i].run || !self->insert)
            continue;
        if (line->objective != self->space)
            OPEVO_TRY(opevo_i_store_make_space(self->store, &key, err));
        self->space = line->objective;
        OPEVO_TRY(opevo_i_store_plan(self->store, self->insert, &key, &slots[i].run, err));
    }
cleanup:
    return status;
}

opevo_status opevo_i_study_slots(opevo_store *store, const opevo_study *study,
                                 const uint64_t *numbers, size_t count, bool make,
                                 opevo_i_study_slot *slots, opevo_error *err)
{
    planner self = {.store = store};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_store_prepare(store, OPEVO_I_FIND_RUN, &self.find, err));
    if (make)
        OPEVO_TRY(opevo_i_store_prepare_plan(store, &self.insert, err));
    /* Also to look: otherwise each run is a transaction of its own, with its locks and a look at
     * the journal. */
    OPEVO_TRY(make ? opevo_i_store_begin_write(store, err)
                   : opevo_i_store_exec(store, "BEGIN", err));
    status = fill_slots(&self, study, numbers, count, slots, err);
    sqlite3_finalize(self.find);
    self.find = NULL;
    status = opevo_i_store_commit(store, status, err);
cleanup:
    sqlite3_finalize(self.find);
    sqlite3_finalize(self.insert);
    return status;
}

/* An outcome that an earlier program kept without its criteria is replaced by the same with
 * them. */
#define LONGER_OUTCOME                                                                             \
    " ON CONFLICT (signature, point) DO UPDATE SET outcome = excluded.outcome"                     \
    " WHERE length(excluded.outcome) > length(outcomes.outcome)"

/* ---- Putting -------------------------------------------------------------------------------- */

static opevo_status put_one(opevo_store *store, sqlite3_stmt *insert, sqlite3_stmt *end,
                            const opevo_i_study_done *done, opevo_error *err)
{
    const opevo_i_store_packed *packed = &done->packed;
    opevo_status status = OPEVO_OK;
    unsigned char point[OPEVO_I_POINT_BYTES];

    sqlite3_bind_int64(insert, 1, done->run);
    sqlite3_bind_int64(insert, 2, (int64_t)packed->trials);
    sqlite3_bind_int64(insert, 3, (int64_t)packed->failed);
    sqlite3_bind_double(insert, 4, packed->cost_s);
    if (packed->best_trial) {
        opevo_i_store_point_to_bytes(packed->best_point, point);
        sqlite3_bind_int64(insert, 5, (int64_t)packed->best_trial);
        sqlite3_bind_double(insert, 6, packed->best_fitness);
        sqlite3_bind_blob(insert, 7, point, sizeof point, SQLITE_STATIC);
    }
    sqlite3_bind_blob64(insert, 8, packed->data.data, packed->data.length, SQLITE_STATIC);
    sqlite3_bind_text(end, 1, packed->stop, -1, SQLITE_STATIC);
    sqlite3_bind_int64(end, 2, done->run);
    if (sqlite3_step(insert) != SQLITE_DONE || sqlite3_step(end) != SQLITE_DONE)
        status = opevo_i_store_fail(store, err);
    sqlite3_reset(insert);
    sqlite3_clear_bindings(insert);
    sqlite3_reset(end);
    return status;
}

/* One outcome of `fresh`. */
typedef struct fresh_outcome {
    const char *point, *outcome;
    uint32_t length;
} fresh_outcome;

static bool next_fresh(const opevo_text *fresh, size_t *at, fresh_outcome *out)
{
    if (*at >= fresh->length)
        return false;
    out->point = fresh->data + *at;
    memcpy(&out->length, out->point + OPEVO_I_POINT_BYTES, sizeof out->length);
    out->outcome = out->point + OPEVO_I_POINT_BYTES + sizeof out->length;
    *at += OPEVO_I_POINT_BYTES + sizeof out->length + out->length;
    return true;
}

/* A point is known from here on: who sees that hands its run over later, so that it is committed
 * after this, or, if this fails, never. */
static opevo_status put_fresh(opevo_store *store, sqlite3_stmt *insert,
                              const opevo_i_store_packed *packed, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    char signature[OPEVO_I_HEX_SIZE];
    fresh_outcome fresh;

    if (packed->fresh.length)
        opevo_i_store_signature_text(packed->known->signature, signature);
    for (size_t at = 0; status == OPEVO_OK && next_fresh(&packed->fresh, &at, &fresh);) {
        if (!opevo_i_store_known_add(
                packed->known, opevo_i_store_point_from_bytes((const unsigned char *)fresh.point)))
            continue;
        sqlite3_bind_text(insert, 1, signature, -1, SQLITE_STATIC);
        sqlite3_bind_blob(insert, 2, fresh.point, OPEVO_I_POINT_BYTES, SQLITE_STATIC);
        sqlite3_bind_blob(insert, 3, fresh.outcome, (int)fresh.length, SQLITE_STATIC);
        if (sqlite3_step(insert) != SQLITE_DONE)
            status = opevo_i_store_fail(store, err);
        sqlite3_reset(insert);
    }
    return status;
}

opevo_status opevo_i_study_store_put(opevo_store *store, const opevo_i_study_done *done,
                                     opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    sqlite3_stmt *insert = NULL;
    sqlite3_stmt *end = NULL;
    sqlite3_stmt *outcome = NULL;
    bool begun = false;

    OPEVO_TRY(opevo_i_store_prepare(
        store,
        "INSERT INTO packed (run, trial_count, failed, cost_s, best_trial, best_fitness,"
        " best_point, trials) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        &insert, err));
    OPEVO_TRY(opevo_i_store_prepare(store, "UPDATE runs SET stop = ? WHERE run = ?", &end, err));
    OPEVO_TRY(opevo_i_store_prepare(
        store, "INSERT INTO outcomes (signature, point, outcome) VALUES (?, ?, ?)" LONGER_OUTCOME,
        &outcome, err));
    OPEVO_TRY(opevo_i_store_begin_write(store, err));
    begun = true;
    for (; done; done = done->next) {
        OPEVO_TRY(put_one(store, insert, end, done, err));
        OPEVO_TRY(put_fresh(store, outcome, &done->packed, err));
    }
cleanup:
    sqlite3_finalize(insert);
    sqlite3_finalize(end);
    sqlite3_finalize(outcome);
    return begun ? opevo_i_store_commit(store, status, err) : status;
}

/* ---- Joining -------------------------------------------------------------------------------- */

/* What a statement of a run in either store says. */
typedef struct joiner {
    opevo_store *store;
    const char *source;
    sqlite3_stmt *compare, *copy_packed, *differ, *copy_rows, *note, *copy_outcomes;
    void *copied; /* const opevo_objective *: whose outcomes are copied */
    size_t copied_count, copied_capacity;
} joiner;

#define TRIAL_COLUMNS OPEVO_I_TRIAL_COLUMNS ", samples_s, message, " OPEVO_I_CRITERIA_COLUMNS
static const char *const join_sql[] = {
    "SELECT here.trials = there.trials FROM packed AS here, source.packed AS there"
    " WHERE here.run = ?1 AND there.run = ?2",
    "INSERT INTO packed (run, trial_count, failed, cost_s, best_trial, best_fitness, best_point,"
    " trials) SELECT ?1, trial_count, failed, cost_s, best_trial, best_fitness, best_point, trials"
    " FROM source.packed WHERE run = ?2",
    "SELECT 1 FROM trials AS here JOIN source.trials AS there USING (number)"
    " WHERE here.run = ?1 AND there.run = ?2 AND (here.point <> there.point OR here.outcome <>"
    " there.outcome OR here.fitness <> there.fitness) LIMIT 1",
    "INSERT INTO trials (run, " TRIAL_COLUMNS ") SELECT ?1, " TRIAL_COLUMNS " FROM source.trials"
    " WHERE run = ?2 AND number > (SELECT coalesce(max(number), 0) FROM trials WHERE run = ?1)",
    "UPDATE runs SET (stop, started, registration) = (SELECT stop, started,"
    " (SELECT own.registration FROM main.registrations AS own WHERE own.hash ="
    "  (SELECT hash FROM source.registrations AS theirs"
    "   WHERE theirs.registration = found.registration))"
    " FROM source.runs AS found WHERE run = ?2) WHERE run = ?1",
    "INSERT INTO outcomes (signature, point, outcome) SELECT signature, point, outcome"
    " FROM source.outcomes WHERE signature = (SELECT signature FROM runs WHERE run = ?1) AND ?2 > "
    "0" LONGER_OUTCOME,
};

/* What one of the stores calls late is. */
static const char join_registrations[] =
    "INSERT INTO main.registrations (hash, text, plan, written, late)"
    " SELECT hash, text, plan, written, late FROM source.registrations WHERE true"
    " ON CONFLICT (hash) DO UPDATE SET late = max(late, excluded.late)";

static opevo_status prepare_join(joiner *self, opevo_error *err)
{
    sqlite3_stmt **statements[] = {&self->compare,   &self->copy_packed, &self->differ,
                                   &self->copy_rows, &self->note,        &self->copy_outcomes};
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; status == OPEVO_OK && i < sizeof join_sql / sizeof *join_sql; i++)
        status = opevo_i_store_prepare(self->store, join_sql[i], statements[i], err);
    return status;
}

/* Run a statement on the pair; *row says whether it gave one, *value its first column. */
static opevo_status step_pair(joiner *self, sqlite3_stmt *statement, int64_t here, int64_t there,
                              bool *row, int *value, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    int code = SQLITE_OK;

    sqlite3_bind_int64(statement, 1, here);
    sqlite3_bind_int64(statement, 2, there);
    code = sqlite3_step(statement);
    *row = code == SQLITE_ROW;
    *value = *row ? sqlite3_column_int(statement, 0) : 0;
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        status = opevo_i_store_fail(self->store, err);
    sqlite3_reset(statement);
    return status;
}

static opevo_status fail_differ(const joiner *self, int64_t here, int64_t there, opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_MISMATCH,
                      "run %lld of %s and run %lld of %s are the same run with different trials: "
                      "one of them is damaged or was made by another program.",
                      (long long)here, self->store->path, (long long)there, self->source);
}

/* Copy what the source has more of one run, and that it ended there. */
static opevo_status join_run(joiner *self, const opevo_i_study_slot *mine,
                             const opevo_i_study_slot *other, bool *added, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    int64_t here = mine->run;
    int64_t there = other->run;
    bool row = false;
    int value = 0;
    int changes = 0;

    OPEVO_TRY(step_pair(self, self->compare, here, there, &row, &value, err));
    if (row && !value)
        return fail_differ(self, here, there, err);
    if (row)
        return OPEVO_OK;
    OPEVO_TRY(step_pair(self, self->differ, here, there, &row, &value, err));
    if (row)
        return fail_differ(self, here, there, err);
    OPEVO_TRY(step_pair(self, self->copy_packed, here, there, &row, &value, err));
    changes = sqlite3_changes(self->store->db);
    OPEVO_TRY(step_pair(self, self->copy_rows, here, there, &row, &value, err));
    changes += sqlite3_changes(self->store->db);
    OPEVO_TRY(opevo_i_store_join_starts(self->store, here, there, err));
    OPEVO_TRY(opevo_i_store_join_candidates(self->store, here, there, err));
    *added = changes > 0 || (other->ended && !mine->ended);
    if (*added)
        OPEVO_TRY(step_pair(self, self->note, here, there, &row, &value, err));
    if (*added)
        OPEVO_TRY(opevo_i_store_copy_windows(self->store, here, there, err));
    if (*added)
        OPEVO_TRY(opevo_i_store_join_workers(self->store, here, there, err));
cleanup:
    return status;
}

/* Once for each objective, of which there are few. */
static opevo_status copy_outcomes(joiner *self, const opevo_objective *objective,
                                  const opevo_i_study_slot *here, const opevo_i_study_slot *there,
                                  opevo_error *err)
{
    const opevo_objective **copied = self->copied;
    bool row = false;
    int value = 0;

    for (size_t i = 0; i < self->copied_count; i++) {
        if (copied[i] == objective)
            return OPEVO_OK;
    }
    OPEVO_NEED_OR_RETURN(opevo_reserve(&self->copied, &self->copied_capacity,
                                       self->copied_count + 1, sizeof(void *)),
                         "joining %s", self->source);
    copied = self->copied;
    copied[self->copied_count++] = objective;
    return step_pair(self, self->copy_outcomes, here->run, there->run, &row, &value, err);
}

static opevo_status join_runs(joiner *self, const opevo_study *study, const uint64_t *numbers,
                              size_t count, const opevo_i_study_slot *there,
                              opevo_i_study_slot *here, uint64_t *total, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < count && status == OPEVO_OK; i++) {
        bool added = false;

        if (there[i].run)
            status = join_run(self, &here[i], &there[i], &added, err);
        *total += added;
        if (added && status == OPEVO_OK)
            status = copy_outcomes(self, study->lines[numbers[i] % study->line_count].objective,
                                   &here[i], &there[i], err);
        here[i].ended = here[i].ended || (there[i].ended && status == OPEVO_OK);
    }
    return status;
}

static opevo_status attach(opevo_store *store, const opevo_store *source, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    sqlite3_stmt *statement = NULL;
    opevo_text name = {0};

    opevo_i_store_print_uri(source, &name);
    OPEVO_TRY(opevo_text_check(&name, err));
    OPEVO_TRY(opevo_i_store_prepare(store, "ATTACH ? AS source", &statement, err));
    sqlite3_bind_text(statement, 1, name.data, -1, SQLITE_STATIC);
    if (sqlite3_step(statement) != SQLITE_DONE)
        status = OPEVO_FAIL(err, OPEVO_IO, "%s: %s.", source->path, sqlite3_errmsg(store->db));
cleanup:
    sqlite3_finalize(statement);
    opevo_text_free(&name);
    return status;
}

/* Of two files that a statement reads, SQLite does not say which is damaged. */
static opevo_status name_damaged(opevo_store *store, opevo_store *source, opevo_status status,
                                 opevo_error *err)
{
    sqlite3_stmt *statement = NULL;
    bool sound = true;

    if (status == OPEVO_OK || store->failure != SQLITE_CORRUPT)
        return status;
    if (sqlite3_prepare_v2(source->db, "PRAGMA quick_check(1)", -1, &statement, NULL) == SQLITE_OK)
        sound = sqlite3_step(statement) == SQLITE_ROW &&
                !strcmp((const char *)sqlite3_column_text(statement, 0), "ok");
    else
        sound = false;
    sqlite3_finalize(statement);
    return sound ? status
                 : OPEVO_FAIL(err, status,
                              "%s is damaged: omit it, or repeat its share into a new store.",
                              source->path);
}

opevo_status opevo_i_study_store_copy(opevo_store *store, opevo_store *source,
                                      const opevo_study *study, const uint64_t *numbers,
                                      size_t count, opevo_i_study_slot *slots, uint64_t *added,
                                      opevo_error *err)
{
    joiner self = {.store = store, .source = source->path};
    opevo_i_study_slot *there = opevo_calloc(count, sizeof *there);
    opevo_status status = OPEVO_OK;
    bool attached = false;

    OPEVO_NEED_OR_RETURN(there, "joining %s", source->path);
    OPEVO_TRY(opevo_i_study_slots(source, study, numbers, count, false, there, err));
    OPEVO_TRY(attach(store, source, err));
    attached = true;
    OPEVO_TRY(prepare_join(&self, err));
    OPEVO_TRY(opevo_i_store_exec(store, "BEGIN", err));
    status = opevo_i_store_exec(store, join_registrations, err);
    if (status == OPEVO_OK)
        status = join_runs(&self, study, numbers, count, there, slots, added, err);
    status = opevo_i_store_commit(store, status, err);
cleanup:
    sqlite3_finalize(self.compare);
    sqlite3_finalize(self.copy_packed);
    sqlite3_finalize(self.differ);
    sqlite3_finalize(self.copy_rows);
    sqlite3_finalize(self.note);
    sqlite3_finalize(self.copy_outcomes);
    opevo_free(self.copied);
    if (attached)
        sqlite3_exec(store->db, "DETACH source", NULL, NULL, NULL);
    opevo_free(there);
    return name_damaged(store, source, status, err);
}
