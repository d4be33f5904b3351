/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The run store. A small store with everything in it is made once; the input is a list of changes
 * to the values in its tables, and to the bytes of its file:
 *
 *     change = cell (1 byte), what (1), offset (2, lowest first), length (1), that many bytes
 *
 * Whatever is then in the file, it is read, or refused with a sentence. */

#include "fuzz.h"

#include <opevo/file.h>
#include <opevo/memory.h>
#include <opevo/run.h>
#include <opevo/study.h>
#include <opevo/tuners.h>

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    CELLS_MAX = 250,
    ROWS_OF_A_TABLE = 2,
    FILE_CELL = 255, /* the bytes of the file */
    HEAD = 5
};

typedef struct cell {
    char *get; /* SQL that reads it, and that sets it to ?1 */
    char *set;
} cell;

static struct {
    char *data; /* of the unchanged file */
    size_t size;
    cell cells[CELLS_MAX];
    size_t cell_count;
} made;

/* ---- The store ---- */

static const char space_text[] =
    "{\"K\": {\"_type\": \"factor\", \"_value\": [16, 2]}, \"u\": {\"_type\": \"choice\","
    " \"_value\": [\"a\", \"b c\", true, 2.5]}}";
static const char plan_text[] =
    "{\"study\": 1, \"objectives\": [\"x\"], \"tuners\": [\"random\", \"opevo\"], \"seeds\": 1,"
    " \"budget\": {\"trials\": 10}}";
static const double samples[] = {0.5, 0.25};
static const opevo_criterion criteria[] = {{"error", "", false}, {"rate", "1/J", true}};

static opevo_status evaluate(opevo_objective *self, const opevo_index *points, size_t count,
                             opevo_outcome *outcomes, opevo_error *err)
{
    (void)self;
    (void)err;
    for (size_t i = 0; i < count; i++) {
        outcomes[i] = opevo_outcome_failed(OPEVO_OUTCOME_WRONG);
        outcomes[i].message = "it is wrong";
        if (points[i] % 3)
            outcomes[i] = (opevo_outcome){.fitness = 1 + (double)points[i],
                                          .time_s = 0.5,
                                          .run_s = 2,
                                          .more = {0.25, points[i] % 2 ? NAN : 8, NAN},
                                          .samples_s = samples,
                                          .sample_count = 2};
    }
    return OPEVO_OK;
}

static opevo_objective make_objective(const opevo_space *space, bool concurrent)
{
    static const opevo_objective_ops ops = {.kind = "formula", .evaluate = evaluate};

    return (opevo_objective){.ops = &ops,
                             .space = space,
                             .name = "formula",
                             .unit = "GFLOP/s",
                             .signature = 12345,
                             .criteria = criteria,
                             .more_count = 2,
                             .concurrent = concurrent};
}

static void make_packed_runs(const char *path, const opevo_space *space)
{
    opevo_objective objective = make_objective(space, true);
    opevo_study_objective given = {&objective, {.on = "x", .what = "y", .optimum = 20}};
    opevo_study_options options = {.store = path, .threads = 1};
    opevo_study_result result = {0};
    opevo_plan *plan = NULL;
    opevo_study *study = NULL;
    opevo_error err = {OPEVO_OK, ""};
    char plan_path[128];

    strcpy(plan_path, fuzz_file("plan.json", plan_text, strlen(plan_text)));
    FUZZ_CHECK(opevo_plan_load(plan_path, &plan, &err) == OPEVO_OK);
    FUZZ_CHECK(opevo_study_create(plan, &given, &study, &err) == OPEVO_OK);
    FUZZ_CHECK(opevo_study_run(study, &options, &result, &err) == OPEVO_OK);
    opevo_study_destroy(study);
}

static opevo_run_key key_of(const opevo_space *space)
{
    return (opevo_run_key){.objective = "formula",
                           .tuner = "random",
                           .settings = "",
                           .seed = 77,
                           .objective_signature = 12345,
                           .criteria = criteria,
                           .more_count = 2,
                           .space = space,
                           .unit = "GFLOP/s"};
}

static bool print_candidate(opevo_domain *domain, opevo_index candidate, opevo_text *out)
{
    (void)domain;
    opevo_text_printf(out, "[%llua]", (unsigned long long)candidate);
    return true;
}

/* A run on a domain that is not a space, whose candidates have texts. */
static void make_run_on_domain(opevo_store *store)
{
    static const opevo_domain_ops ops = {.kind = "edits", .print = print_candidate};
    opevo_domain domain = {.ops = &ops, .name = "edits of a word", .signature = 99};
    opevo_run_key key = key_of(NULL);
    opevo_trial trial = {.number = 1, .proposal = {1, "child"}, .outcome = {.fitness = 1}};
    opevo_error err = {OPEVO_OK, ""};
    int64_t run = 0;

    key.domain = &domain;
    key.seed = 78;
    FUZZ_CHECK(opevo_store_begin(store, &key, &run, &err) == OPEVO_OK);
    FUZZ_CHECK(opevo_store_append(store, run, &trial, 1, &err) == OPEVO_OK);
}

static void make_run(const char *path, const opevo_space *space)
{
    opevo_run_key key = key_of(space);
    opevo_store *store = NULL;
    opevo_error err = {OPEVO_OK, ""};
    opevo_index points[] = {1, 2};
    double fitness[] = {1, 2, 3, 4};
    opevo_stored_finals finals = {points, 2, 2, fitness, {0}};
    int64_t run = 0;

    FUZZ_CHECK(opevo_store_open(path, OPEVO_STORE_WRITE, &store, &err) == OPEVO_OK);
    FUZZ_CHECK(opevo_store_begin(store, &key, &run, &err) == OPEVO_OK);
    for (uint64_t number = 1; number <= 3; number++) {
        opevo_objective objective = make_objective(space, false);
        opevo_trial trial = {.number = number, .proposal = {number, "child"}};

        evaluate(&objective, &trial.proposal.point, 1, &trial.outcome, &err);
        FUZZ_CHECK(opevo_store_append(store, run, &trial, 1, &err) == OPEVO_OK);
    }
    FUZZ_CHECK(opevo_store_put_finals(store, run, &finals, &err) == OPEVO_OK);
    make_run_on_domain(store);
    opevo_store_close(store);
}

/* A run whose outcomes come from the caller: ask for some, and tell those in the mask. Whatever the
 * store has of it, it goes on or is refused. */
static void tell(const char *path, unsigned mask)
{
    opevo_external_options told = {.name = "told", .unit = "GFLOP/s"};
    opevo_run_options options = {.seed = 1};
    opevo_objective *objective = NULL;
    opevo_session *session = NULL;
    opevo_trial trials[4];
    opevo_error err = {OPEVO_OK, ""};
    size_t count = 0;

    FUZZ_CHECK(opevo_tuner_find("random", &options.tuner, &err) == OPEVO_OK);
    FUZZ_CHECK(opevo_space_parse(space_text, "space", NULL, &told.space, &err) == OPEVO_OK);
    FUZZ_CHECK(opevo_external_create(&told, &objective, &err) == OPEVO_OK);
    if (fuzz_accepts(opevo_store_open(path, OPEVO_STORE_WRITE, &options.store, &err), &err) &&
        fuzz_accepts(opevo_session_create(objective, &options, &session, &err), &err) &&
        fuzz_accepts(opevo_session_ask(session, trials, 4, &count, &err), &err)) {
        for (size_t i = 0; i < count; i++) {
            trials[i].outcome = opevo_outcome_failed(OPEVO_OUTCOME_WRONG);
            trials[i].outcome.message = "it is wrong";
            if (mask >> i & 1)
                fuzz_accepts(opevo_session_tell(session, &trials[i], 1, &err), &err);
        }
    }
    fuzz_accepts(opevo_session_end(session, NULL, &err), &err);
    opevo_store_close(options.store);
    opevo_objective_destroy(objective);
}

/* ---- Its cells ---- */

static sqlite3 *open_file(const char *path)
{
    sqlite3 *db = NULL;

    FUZZ_CHECK(sqlite3_open(path, &db) == SQLITE_OK);
    FUZZ_CHECK(sqlite3_exec(db, "PRAGMA synchronous = OFF; PRAGMA journal_mode = DELETE;", NULL,
                            NULL, NULL) == SQLITE_OK);
    return db;
}

/* " WHERE key IS value AND ..." of a row, by the columns of the primary key. */
static void print_where(sqlite3_stmt *columns, sqlite3_stmt *row, opevo_text *out)
{
    const char *word = " WHERE ";

    sqlite3_reset(columns);
    for (int i = 0; sqlite3_step(columns) == SQLITE_ROW; i++) {
        char *value = NULL;

        if (sqlite3_column_int(columns, 5) == 0)
            continue;
        value = sqlite3_column_type(row, i) == SQLITE_BLOB
                    ? NULL
                    : sqlite3_mprintf("%Q", sqlite3_column_text(row, i));
        opevo_text_printf(out, "%s\"%s\" = ", word, sqlite3_column_text(columns, 1));
        if (value) {
            opevo_text_add(out, value);
        } else {
            opevo_text_add(out, "x'");
            for (int k = 0; k < sqlite3_column_bytes(row, i); k++)
                opevo_text_printf(out, "%02x", ((const uint8_t *)sqlite3_column_blob(row, i))[k]);
            opevo_text_add(out, "'");
        }
        sqlite3_free(value);
        word = " AND ";
    }
}

static void add_row(const char *table, sqlite3_stmt *columns, sqlite3_stmt *row)
{
    opevo_text where = {0};

    print_where(columns, row, &where);
    sqlite3_reset(columns);
    while (sqlite3_step(columns) == SQLITE_ROW && made.cell_count < CELLS_MAX) {
        const char *column = (const char *)sqlite3_column_text(columns, 1);
        cell *self = &made.cells[made.cell_count++];

        self->get = sqlite3_mprintf("SELECT \"%s\" FROM \"%s\"%s", column, table,
                                    opevo_text_string(&where));
        self->set = sqlite3_mprintf("UPDATE \"%s\" SET \"%s\" = ?1%s", table, column,
                                    opevo_text_string(&where));
        FUZZ_CHECK(self->get && self->set);
    }
    opevo_text_free(&where);
}

static sqlite3_stmt *prepare(sqlite3 *db, char *sql)
{
    sqlite3_stmt *statement = NULL;

    FUZZ_CHECK(sql && sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK);
    sqlite3_free(sql);
    return statement;
}

static void find_cells(sqlite3 *db)
{
    /* the table that was added last has the last numbers, so that the others keep theirs */
    sqlite3_stmt *tables =
        prepare(db, sqlite3_mprintf("SELECT name FROM sqlite_master WHERE type = 'table'"
                                    " ORDER BY name = 'early', name"));

    while (sqlite3_step(tables) == SQLITE_ROW) {
        const char *table = (const char *)sqlite3_column_text(tables, 0);
        sqlite3_stmt *columns = prepare(db, sqlite3_mprintf("PRAGMA table_info(\"%w\")", table));
        sqlite3_stmt *rows = prepare(
            db, sqlite3_mprintf("SELECT * FROM \"%w\" LIMIT %d", table, (int)ROWS_OF_A_TABLE));

        while (sqlite3_step(rows) == SQLITE_ROW)
            add_row(table, columns, rows);
        sqlite3_finalize(rows);
        sqlite3_finalize(columns);
    }
    sqlite3_finalize(tables);
}

static void make(void)
{
    opevo_error err = {OPEVO_OK, ""};
    opevo_space *space = NULL;
    char path[128];
    sqlite3 *db = NULL;

    strcpy(path, fuzz_path("made.store"));
    FUZZ_CHECK(opevo_space_parse(space_text, "space", NULL, &space, &err) == OPEVO_OK);
    make_packed_runs(path, space);
    make_run(path, space);
    opevo_space_destroy(space);
    tell(path, 5); /* the first, and one out of order */
    db = open_file(path);
    find_cells(db);
    FUZZ_CHECK(sqlite3_close(db) == SQLITE_OK);
    FUZZ_CHECK(opevo_file_read(path, SIZE_MAX, &made.data, &made.size, &err) == OPEVO_OK);
}

/* ---- Changing it ---- */

typedef struct change {
    uint8_t cell, what;
    size_t offset, length;
    const uint8_t *bytes;
} change;

static void bind_number(sqlite3_stmt *set, const change *self)
{
    uint64_t bits = 0;
    double real = 0;

    memcpy(&bits, self->bytes, self->length < 8 ? self->length : 8);
    memcpy(&real, &bits, sizeof real);
    if (self->what & 1)
        sqlite3_bind_double(set, 1, real);
    else
        sqlite3_bind_int64(set, 1, (sqlite3_int64)bits);
}

/* The value with the bytes over or before those at the offset, or cut there. */
static void bind_edited(sqlite3_stmt *set, const change *self, sqlite3_stmt *get)
{
    const char *old = sqlite3_column_blob(get, 0);
    size_t size = (size_t)sqlite3_column_bytes(get, 0);
    size_t at = size ? self->offset % (size + 1) : 0;
    size_t skipped = self->what == 0 ? self->length : 0;
    opevo_text value = {0};

    opevo_text_add_bytes(&value, old ? old : "", at);
    opevo_text_add_bytes(&value, (const char *)self->bytes, self->length);
    if (self->what < 2 && at + skipped < size)
        opevo_text_add_bytes(&value, old + at + skipped, size - at - skipped);
    if (sqlite3_column_type(get, 0) == SQLITE_TEXT)
        sqlite3_bind_text(set, 1, opevo_text_string(&value), (int)value.length, SQLITE_TRANSIENT);
    else
        sqlite3_bind_blob(set, 1, opevo_text_string(&value), (int)value.length, SQLITE_TRANSIENT);
    opevo_text_free(&value);
}

static void change_cell(sqlite3 *db, const change *self)
{
    const cell *at = &made.cells[self->cell % made.cell_count];
    sqlite3_stmt *get = NULL;
    sqlite3_stmt *set = NULL;

    FUZZ_CHECK(sqlite3_prepare_v2(db, at->get, -1, &get, NULL) == SQLITE_OK);
    FUZZ_CHECK(sqlite3_prepare_v2(db, at->set, -1, &set, NULL) == SQLITE_OK);
    if (sqlite3_step(get) == SQLITE_ROW) { /* unless a change before this one renamed it */
        if (self->what < 3)
            bind_edited(set, self, get);
        else if (self->what < 5)
            bind_number(set, self);
        else if (self->what == 5)
            sqlite3_bind_text(set, 1, (const char *)self->bytes, (int)self->length, NULL);
        else if (self->what == 6)
            sqlite3_bind_blob(set, 1, self->bytes, (int)self->length, NULL);
        sqlite3_reset(get);
        (void)sqlite3_step(set); /* a constraint may refuse it */
    }
    sqlite3_finalize(get);
    sqlite3_finalize(set);
}

static void change_bytes(const char *path, const change *self)
{
    FILE *file = fopen(path, "r+b");

    FUZZ_CHECK(file != NULL);
    fseek(file, (long)(self->offset % made.size), SEEK_SET);
    fwrite(self->bytes, 1, self->length, file);
    fclose(file);
}

static bool next_change(const uint8_t **data, size_t *size, change *out)
{
    if (*size < HEAD)
        return false;
    *out = (change){.cell = (*data)[0],
                    .what = (*data)[1] % 8,
                    .offset = (size_t)((*data)[2] | (*data)[3] << 8),
                    .length = (*data)[4],
                    .bytes = *data + HEAD};
    out->length = out->length < *size - HEAD ? out->length : *size - HEAD;
    *data += HEAD + out->length;
    *size -= HEAD + out->length;
    return true;
}

static void apply(const char *path, const uint8_t *data, size_t size, bool bytes)
{
    sqlite3 *db = bytes ? NULL : open_file(path);
    change one;

    while (next_change(&data, &size, &one)) {
        if (bytes && one.cell == FILE_CELL)
            change_bytes(path, &one);
        else if (!bytes && one.cell != FILE_CELL)
            change_cell(db, &one);
    }
    sqlite3_close(db);
}

/* ---- Reading it ---- */

typedef struct listing {
    int64_t runs[16];
    size_t count;
} listing;

static void visit(void *context, const opevo_run_info *info)
{
    listing *self = context;

    FUZZ_CHECK(strlen(info->objective) + strlen(info->tuner) + strlen(info->settings) +
                   strlen(info->unit) + strlen(info->started) + strlen(info->version) +
                   strlen(info->best_text) + strlen(info->on) + strlen(info->what) +
                   strlen(info->space) + strlen(info->budget) + strlen(info->stop) <
               SIZE_MAX);
    if (self->count < 16)
        self->runs[self->count++] = info->run;
}

static void read_trials(opevo_store *store, int64_t run, const opevo_space *space)
{
    opevo_trial trials[4];
    uint64_t after = 0;
    size_t count = 0;
    opevo_error err = {OPEVO_OK, ""};

    while (fuzz_accepts(opevo_store_read(store, run, after, trials, 4, &count, &err), &err) &&
           count > 0) {
        for (size_t i = 0; i < count; i++) {
            FUZZ_CHECK(trials[i].number > after);
            FUZZ_CHECK(trials[i].outcome.kind < OPEVO_OUTCOME_CLASS_COUNT);
            FUZZ_CHECK(strlen(trials[i].proposal.origin) < SIZE_MAX);
            for (size_t k = 0; k < OPEVO_CRITERIA_MOST - 1; k++)
                FUZZ_CHECK(!isinf(trials[i].outcome.more[k]));
            after = trials[i].number;
            if (space && trials[i].proposal.point < opevo_space_size(space))
                (void)opevo_space_allows(space, trials[i].proposal.point);
        }
    }
}

static void read_run(opevo_store *store, int64_t run)
{
    opevo_error err = {OPEVO_OK, ""};
    opevo_space *space = NULL;
    opevo_stored_finals finals = {0};
    opevo_criterion found[OPEVO_CRITERIA_MOST - 1];
    size_t found_count = 0;
    uint64_t trials = 0;
    opevo_text text = {0};

    if (fuzz_accepts(opevo_store_space(store, run, &space, &err), &err) && space)
        fuzz_accepts(opevo_store_find(store, run, space, &trials, &err), &err);
    read_trials(store, run, space);
    fuzz_accepts(opevo_store_candidate(store, run, 1, &text, &err), &err);
    opevo_text_free(&text);
    if (fuzz_accepts(opevo_store_criteria(store, run, found, &found_count, &err), &err)) {
        FUZZ_CHECK(found_count < OPEVO_CRITERIA_MOST);
        for (size_t i = 0; i < found_count; i++)
            FUZZ_CHECK(strlen(found[i].name) > 0 && strlen(found[i].unit) < SIZE_MAX);
    }
    if (fuzz_accepts(opevo_store_get_finals(store, run, &finals, &err), &err))
        opevo_stored_finals_free(&finals);
    opevo_space_destroy(space);
}

static void read_store(const char *path)
{
    opevo_store *store = NULL;
    opevo_error err = {OPEVO_OK, ""};
    listing list = {.count = 0};
    uint64_t planned = 0;

    if (!fuzz_accepts(opevo_store_open(path, OPEVO_STORE_READ, &store, &err), &err))
        return;
    fuzz_accepts(opevo_store_list(store, visit, &list, &err), &err);
    fuzz_accepts(opevo_store_planned(store, &planned, &err), &err);
    for (size_t i = 0; i < list.count; i++)
        read_run(store, list.runs[i]);
    opevo_store_close(store);
}

/* Go on with a run, as a program that resumes does. */
static void write_store(const char *path)
{
    opevo_store *store = NULL;
    opevo_error err = {OPEVO_OK, ""};
    opevo_space *space = NULL;
    opevo_trial trial = {.number = 4, .proposal = {5, "child"}};
    int64_t run = 0;

    FUZZ_CHECK(opevo_space_parse(space_text, "space", NULL, &space, &err) == OPEVO_OK);
    if (fuzz_accepts(opevo_store_open(path, OPEVO_STORE_WRITE, &store, &err), &err)) {
        opevo_run_key key = key_of(space);

        trial.outcome = opevo_outcome_failed(OPEVO_OUTCOME_TIMEOUT);
        if (fuzz_accepts(opevo_store_begin(store, &key, &run, &err), &err))
            fuzz_accepts(opevo_store_append(store, run, &trial, 1, &err), &err);
        opevo_store_close(store);
    }
    opevo_space_destroy(space);
}

/* Made before the first input, so that it is not taken for what that input left alive. */
__attribute__((constructor)) static void make_once(void)
{
    make();
}

void fuzz_one(const uint8_t *data, size_t size)
{
    char path[128];

    strcpy(path, fuzz_path("fuzz.store-wal"));
    unlink(path);
    strcpy(path, fuzz_path("fuzz.store-shm"));
    unlink(path);
    strcpy(path, fuzz_path("fuzz.store-journal"));
    unlink(path);
    strcpy(path, fuzz_file("fuzz.store", made.data, made.size));
    apply(path, data, size, false);
    apply(path, data, size, true);
    read_store(path);
    write_store(path);
    tell(path, 2);
}
