/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The run store: what comes back is what was put in. test_store_file.c has what the file itself may
 * be. */

#include "scratch_folder.h"
#include "store_fixture.h"
#include "store_trials.h"

static void check_same(const opevo_trial *a, const opevo_trial *b)
{
    assert_true(a->number == b->number && a->proposal.point == b->proposal.point);
    assert_string_equal(a->proposal.origin, b->proposal.origin);
    assert_int_equal(a->outcome.kind, b->outcome.kind);
    assert_true(a->outcome.fitness == b->outcome.fitness);
    assert_true(a->outcome.time_s == b->outcome.time_s ||
                (isnan(a->outcome.time_s) && isnan(b->outcome.time_s)));
    assert_true(a->outcome.build_s == b->outcome.build_s && a->outcome.run_s == b->outcome.run_s &&
                a->outcome.check_s == b->outcome.check_s &&
                a->outcome.other_s == b->outcome.other_s);
    assert_true(!b->outcome.samples_s && !b->outcome.message);
}

CHECK_TEST(test_round_trip)
{
    scratch_folder scratch = scratch_make();
    opevo_space *space = formula_space(space_text);
    opevo_run_key key = key_of(space, UINT64_MAX);
    opevo_store *store = open_store(scratch.file, OPEVO_STORE_WRITE);
    int64_t run = begin(store, &key);
    opevo_trial trials[8];
    opevo_trial read[8];
    size_t total = make_trials(trials);
    size_t count = 99;

    CHECK_OK(opevo_store_append(store, run, trials, 2, &err));
    CHECK_OK(opevo_store_append(store, run, trials + 2, total - 2, &err));
    CHECK_OK(opevo_store_append(store, run, trials, 0, &err));
    opevo_store_close(store);
    for (int mode = OPEVO_STORE_READ; mode <= OPEVO_STORE_WRITE; mode++) {
        store = open_store(scratch.file, (opevo_store_mode)mode);
        CHECK_OK(opevo_store_read(store, run, 0, read, 8, &count, &err));
        assert_int_equal(count, total);
        for (size_t i = 0; i < total; i++)
            check_same(&trials[i], &read[i]);
        assert_ptr_equal(read[1].proposal.origin, read[2].proposal.origin);
        CHECK_OK(opevo_store_read(store, run, 2, read, 2, &count, &err));
        assert_true(count == 2 && read[0].number == 3);
        CHECK_OK(opevo_store_read(store, run, total, read, 2, &count, &err));
        assert_int_equal(count, 0);
        CHECK_OK(opevo_store_read(store, run + 1, 0, read, 2, &count, &err));
        assert_int_equal(count, 0);
        opevo_store_close(store);
    }
    opevo_space_destroy(space);
    scratch_remove(&scratch);
}

/* Samples and messages are for other readers: look at the table itself. */
static void check_details(const opevo_outcome *read, const opevo_outcome *wanted)
{
    assert_int_equal(read->sample_count, wanted->sample_count);
    assert_true(!read->samples_s == !wanted->samples_s);
    if (wanted->samples_s)
        assert_memory_equal(read->samples_s, wanted->samples_s,
                            wanted->sample_count * sizeof(double));
    assert_true(!read->message == !wanted->message);
    if (wanted->message)
        assert_string_equal(read->message, wanted->message);
}

CHECK_TEST(test_samples_and_messages)
{
    scratch_folder scratch = scratch_make();
    opevo_space *space = formula_space(space_text);
    opevo_run_key key = key_of(space, 1);
    opevo_store *store = open_store(scratch.file, OPEVO_STORE_WRITE);
    opevo_trial trials[8];
    size_t total = make_trials(trials);
    sqlite3_stmt *query = NULL;
    sqlite3 *db = NULL;

    CHECK_OK(opevo_store_append(store, begin(store, &key), trials, total, &err));
    opevo_store_close(store);
    assert_int_equal(sqlite3_open(scratch.file, &db), SQLITE_OK);
    sqlite3_prepare_v2(db, "SELECT samples_s, message, hex(point) FROM trials ORDER BY number", -1,
                       &query, NULL);
    for (size_t i = 0; i < total; i++) {
        const opevo_outcome *outcome = &trials[i].outcome;
        const char *message = NULL;

        assert_int_equal(sqlite3_step(query), SQLITE_ROW);
        assert_int_equal(sqlite3_column_bytes(query, 0), 8 * outcome->sample_count);
        if (outcome->sample_count) /* this machine keeps the lowest byte first, as the file does */
            assert_memory_equal(sqlite3_column_blob(query, 0), outcome->samples_s,
                                8 * outcome->sample_count);
        message = (const char *)sqlite3_column_text(query, 1);
        assert_true(!message == !outcome->message);
        if (message)
            assert_string_equal(message, outcome->message);
        if (i == 3)
            assert_string_equal((const char *)sqlite3_column_text(query, 2),
                                "0123456789ABCDEFFEDCBA9876543210");
    }
    sqlite3_finalize(query);
    sqlite3_close(db);
    store = open_store(scratch.file, OPEVO_STORE_READ);
    for (size_t i = total; i-- > 0;) {
        opevo_trial read = {.number = trials[i].number, .proposal = trials[i].proposal};

        CHECK_OK(opevo_store_read_details(store, 1, &read, &err));
        check_details(&read.outcome, &trials[i].outcome);
    }
    trials[0].number = total + 1;
    CHECK_FAILS(OPEVO_INVALID, "trial 6 of run 1 is malformed",
                opevo_store_read_details(store, 1, &trials[0], &err));
    opevo_store_close(store);
    opevo_space_destroy(space);
    scratch_remove(&scratch);
}

/* The processor times of a trial's samples stand beside it, and come into another store with it. */
CHECK_TEST(test_windows)
{
    static const double processor_s[] = {1e-3, 2e-3, 3e-3, 4e-3};
    scratch_folder scratch = scratch_make();
    opevo_space *space = formula_space(space_text);
    opevo_run_key key = key_of(space, 1);
    opevo_store *store = open_store(scratch.file, OPEVO_STORE_WRITE);
    int64_t run = begin(store, &key);
    opevo_trial trials[8];
    size_t total = make_trials(trials);
    const double *read = processor_s;
    bool has = true;

    CHECK_OK(opevo_store_has_windows(store, run, &has, &err));
    assert_false(has);
    for (size_t i = 0; i < total; i++)
        CHECK_OK(opevo_store_append_windows(
            store, run, &trials[i], trials[i].outcome.sample_count ? processor_s : NULL, &err));
    CHECK_FAILS(OPEVO_IO, "another process",
                opevo_store_append_windows(store, run, &trials[0], NULL, &err));
    opevo_store_close(store);
    store = open_store(scratch.file, OPEVO_STORE_READ);
    CHECK_OK(opevo_store_has_windows(store, run, &has, &err));
    assert_true(has);
    for (size_t i = 0; i < total; i++) {
        CHECK_OK(opevo_store_read_windows(store, run, &trials[i], &read, &err));
        assert_true(!read == !trials[i].outcome.sample_count);
        if (read)
            assert_memory_equal(read, processor_s, trials[i].outcome.sample_count * sizeof *read);
        if (read) {
            trials[i].outcome.sample_count--;
            CHECK_FAILS(OPEVO_INVALID, "the processor times of trial",
                        opevo_store_read_windows(store, run, &trials[i], &read, &err));
        }
    }
    opevo_store_close(store);
    opevo_space_destroy(space);
    scratch_remove(&scratch);
}

CHECK_TEST(test_identity_of_a_run)
{
    scratch_folder scratch = scratch_make();
    opevo_space *space = formula_space(space_text);
    opevo_space *other = formula_space("{\"K\": {\"_type\": \"factor\", \"_value\": [64, 3]}}");
    opevo_run_key first = key_of(space, 1);
    opevo_store *store = open_store(scratch.file, OPEVO_STORE_WRITE);
    int64_t run = begin(store, &first);
    opevo_run_key key = first;

    assert_int_equal(begin(store, &first), run);
    key.seed = 2;
    assert_int_not_equal(begin(store, &key), run);
    key = first;
    key.unit = "ms";
    CHECK_FAILS(OPEVO_MISMATCH, "fitness in GFLOP/s, and this is ms",
                opevo_store_begin(store, &key, &run, &err));
    run = begin(store, &first);
    key = first;
    key.settings = "lambda=9";
    assert_int_not_equal(begin(store, &key), run);
    key = first;
    key.tuner = "random";
    assert_int_not_equal(begin(store, &key), run);
    key = first;
    key.objective = "another";
    key.space = other;
    assert_int_not_equal(begin(store, &key), run);
    key = first;
    key.objective_signature = 3;
    CHECK_FAILS(OPEVO_MISMATCH, "another version of", opevo_store_begin(store, &key, &run, &err));
    key = first;
    key.space = other;
    CHECK_FAILS(OPEVO_MISMATCH, "another search space", opevo_store_begin(store, &key, &run, &err));
    opevo_store_close(store);
    tamper(scratch.file, "UPDATE runs SET version = '0.0.1'");
    store = open_store(scratch.file, OPEVO_STORE_WRITE);
    CHECK_FAILS(OPEVO_MISMATCH, "made by opevo 0.0.1",
                opevo_store_begin(store, &first, &run, &err));
    opevo_store_close(store);
    opevo_space_destroy(space);
    opevo_space_destroy(other);
    scratch_remove(&scratch);
}

/* A transaction that fails in the middle leaves nothing; so does a second writer of one run. */
CHECK_TEST(test_append_is_atomic)
{
    scratch_folder scratch = scratch_make();
    opevo_space *space = formula_space(space_text);
    opevo_run_key key = key_of(space, 1);
    opevo_store *store = open_store(scratch.file, OPEVO_STORE_WRITE);
    opevo_store *second = open_store(scratch.file, OPEVO_STORE_WRITE);
    int64_t run = begin(store, &key);
    opevo_trial trials[8];
    opevo_trial read[8];
    size_t total = make_trials(trials);
    size_t count = 0;

    assert_int_equal(begin(second, &key), run);
    CHECK_OK(opevo_store_append(store, run, trials + 2, 1, &err));
    CHECK_FAILS(OPEVO_IO, "another process has stored trial 3",
                opevo_store_append(second, run, trials, total, &err));
    CHECK_OK(opevo_store_read(second, run, 0, read, 8, &count, &err));
    assert_true(count == 1 && read[0].number == 3);
    CHECK_OK(opevo_store_append(second, run, trials, 2, &err));
    CHECK_OK(opevo_store_append(store, run, trials + 3, 2, &err));
    CHECK_OK(opevo_store_read(store, run, 0, read, 8, &count, &err));
    assert_int_equal(count, total);
    opevo_store_close(store);
    opevo_store_close(second);
    opevo_space_destroy(space);
    scratch_remove(&scratch);
}

CHECK_TEST(test_read_only)
{
    scratch_folder scratch = scratch_make();
    opevo_space *space = formula_space(space_text);
    opevo_run_key key = key_of(space, 1);
    opevo_store *store = open_store(scratch.file, OPEVO_STORE_WRITE);
    opevo_trial trials[8];
    int64_t run = 0;

    make_trials(trials);
    opevo_store_close(store);
    store = open_store(scratch.file, OPEVO_STORE_READ);
    CHECK_FAILS(OPEVO_INVALID, "read-only", opevo_store_begin(store, &key, &run, &err));
    CHECK_FAILS(OPEVO_INVALID, "read-only", opevo_store_append(store, 1, trials, 1, &err));
    opevo_store_close(store);
    opevo_store_close(NULL);
    opevo_space_destroy(space);
    scratch_remove(&scratch);
}

typedef struct listing {
    opevo_run_info info[4];
    char best_text[4][512];
    size_t count;
} listing;

static void note_run(void *context, const opevo_run_info *info)
{
    listing *self = context;

    assert_true(self->count < 4);
    assert_string_equal(info->objective, "formula: \"quoted\"");
    assert_string_equal(info->tuner, "opevo");
    assert_string_equal(info->settings, "lambda=8");
    assert_string_equal(info->unit, "GFLOP/s");
    assert_int_equal(strlen(info->started), strlen("2026-01-01T00:00:00Z"));
    assert_true(strlen(info->version) >= 5);
    snprintf(self->best_text[self->count], 512, "%s", info->best_text);
    self->info[self->count++] = *info;
}

/* One run by its number, or none, is as in the list. */
static void check_visits(opevo_store *store, const listing *list)
{
    for (size_t i = 0; i < list->count; i++) {
        listing one = {.count = 0};

        CHECK_OK(opevo_store_visit(store, list->info[i].run, note_run, &one, &err));
        assert_int_equal(one.count, 1);
        assert_true(one.info[0].seed == list->info[i].seed);
        assert_true(one.info[0].best_trial == list->info[i].best_trial);
    }
    CHECK_FAILS(OPEVO_INVALID, "has no run 0; opevo runs lists its runs",
                opevo_store_visit(store, 0, note_run, NULL, &err));
    CHECK_FAILS(OPEVO_INVALID, "has no run 9; opevo runs lists its runs",
                opevo_store_visit(store, 9, note_run, NULL, &err));
}

CHECK_TEST(test_list)
{
    scratch_folder scratch = scratch_make();
    opevo_space *space = formula_space(space_text);
    opevo_store *store = open_store(scratch.file, OPEVO_STORE_WRITE);
    listing list = {.count = 0};
    opevo_text best = {0};
    opevo_trial trials[3] = {
        {{17, "initial"}, 1, {.fitness = 4, .build_s = 1}},
        {{18, "initial"}, 2, opevo_outcome_failed(OPEVO_OUTCOME_TIMEOUT)},
        {{19, "child"}, 3, {.fitness = 4, .run_s = 0.5}}, /* a tie: the first counts */
    };

    CHECK_OK(opevo_store_list(store, note_run, &list, &err));
    assert_int_equal(list.count, 0);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        opevo_run_key key = key_of(space, seed == 3 ? UINT64_MAX : seed);
        int64_t run = begin(store, &key);

        if (seed == 1)
            CHECK_OK(opevo_store_append(store, run, trials, 3, &err));
        else if (seed == 2)
            CHECK_OK(opevo_store_append(store, run, trials + 1, 1, &err));
    }
    opevo_store_close(store);
    store = open_store(scratch.file, OPEVO_STORE_READ);
    CHECK_OK(opevo_store_list(store, note_run, &list, &err));
    check_visits(store, &list);
    opevo_store_close(store);
    assert_int_equal(list.count, 3);
    assert_true(list.info[0].seed == 1 && list.info[0].trials == 3 && list.info[0].failed == 1);
    assert_true(list.info[0].best_fitness == 4 && list.info[0].best_trial == 1);
    assert_true(list.info[0].cost_s == 1.5);
    opevo_space_print(space, 17, &best);
    assert_string_equal(list.best_text[0], opevo_text_string(&best));
    assert_true(list.info[1].trials == 1 && list.info[1].failed == 1);
    assert_true(list.info[1].best_trial == 0 && list.info[1].best_fitness == 0);
    assert_string_equal(list.best_text[1], "");
    assert_true(list.info[2].trials == 0 && list.info[2].seed == UINT64_MAX);
    opevo_text_free(&best);

    /* A space that cannot be made again leaves the number of the point. */
    tamper(scratch.file, "UPDATE spaces SET json = '{'");
    store = open_store(scratch.file, OPEVO_STORE_READ);
    list.count = 0;
    CHECK_OK(opevo_store_list(store, note_run, &list, &err));
    assert_string_equal(list.best_text[0], "point 17");
    opevo_store_close(store);
    opevo_space_destroy(space);
    scratch_remove(&scratch);
}

/* What is noted with a run. */
static void note_notes(void *context, const opevo_run_info *info)
{
    size_t *count = context;

    assert_string_equal(info->on, *count ? "" : "recorded:/a b/c.csv");
    assert_string_equal(info->what, *count ? "" : "mm1");
    assert_string_equal(info->space, *count ? "" : "/s.json");
    assert_true(*count ? isnan(info->optimum) : info->optimum == 12.5);
    assert_string_equal(info->budget, *count ? "trials=5" : "");
    assert_string_equal(info->stop, *count ? "" : "target");
    assert_true(info->signature == UINT64_MAX - 1);
    ++*count;
}

CHECK_TEST(test_notes_of_a_run)
{
    scratch_folder scratch = scratch_make();
    opevo_space *space = formula_space(space_text);
    opevo_store *store = open_store(scratch.file, OPEVO_STORE_WRITE);
    opevo_run_key key = key_of(space, 1);
    size_t count = 0;
    int64_t run = 0;

    key.note = (opevo_objective_note){"recorded:/a b/c.csv", "mm1", "/s.json", 12.5};
    run = begin(store, &key);
    CHECK_OK(opevo_store_end(store, run, "trials", &err));
    CHECK_OK(opevo_store_end(store, run, "", &err));
    CHECK_OK(opevo_store_end(store, run, "target", &err));
    key = key_of(space, 1);
    key.budget = "trials=5";
    assert_int_not_equal(begin(store, &key), run);
    CHECK_OK(opevo_store_list(store, note_notes, &count, &err));
    assert_int_equal(count, 2);
    opevo_store_close(store);
    opevo_space_destroy(space);
    scratch_remove(&scratch);
}
