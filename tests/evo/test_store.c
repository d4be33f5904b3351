/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The run store: what comes back is what was put in, and a file that is not what it should be is
 * refused with a sentence. */

#include "formula.h"

#include <opevo/file.h>
#include <opevo/memory.h>

#include "scratch_folder.h"
#include "store_fixture.h"

#include <limits.h>
#include <sys/stat.h>
#include <sys/wait.h>

static const char space_text[] =
    "{\"K\": {\"_type\": \"factor\", \"_value\": [64, 3]}, \"p\": {\"_type\": \"permutation\","
    " \"_value\": [30]}}";

static const double samples[] = {0.5, 1e-300, INFINITY, -0.0};

/* Trials with every kind of value at its ends. */
static size_t make_trials(opevo_trial *trials)
{
    const opevo_trial made[] = {
        {{0, "initial"}, 1, {.fitness = 1.0 / 3, .time_s = 5e-324, .build_s = 1e300}},
        {{(opevo_index)1 << 100, "child"}, 2, opevo_outcome_failed(OPEVO_OUTCOME_WRONG)},
        {{OPEVO_INDEX_MAX, "child"},
         3,
         {.fitness = 7,
          .time_s = 2,
          .build_s = 1,
          .run_s = 2,
          .check_s = 3,
          .other_s = 4,
          .samples_s = samples,
          .sample_count = 4,
          .message = "text"}},
        {{((opevo_index)0x0123456789abcdef << 64) | 0xfedcba9876543210, "odd; --'origin"},
         4,
         opevo_outcome_failed(OPEVO_OUTCOME_UNRECORDED)},
        {{5, "initial"}, 5, {.fitness = 1.7e308, .time_s = NAN}},
    };

    memcpy(trials, made, sizeof made);
    trials[1].outcome.message = "ptxas: \xc3\xbc; DROP TABLE trials; --";
    return sizeof made / sizeof *made;
}

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

static void test_round_trip(void **state)
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

    (void)state;
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

static void test_samples_and_messages(void **state)
{
    scratch_folder scratch = scratch_make();
    opevo_space *space = formula_space(space_text);
    opevo_run_key key = key_of(space, 1);
    opevo_store *store = open_store(scratch.file, OPEVO_STORE_WRITE);
    opevo_trial trials[8];
    size_t total = make_trials(trials);
    sqlite3_stmt *query = NULL;
    sqlite3 *db = NULL;

    (void)state;
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

static void note_unit(void *context, const opevo_run_info *info)
{
    snprintf(context, 32, "%s", info->unit);
}

/* A run whose unit an earlier version stored as 1/s is listed in the unit in which it goes on. */
static void test_unit_of_an_earlier_version(void **state)
{
    scratch_folder scratch = scratch_make();
    opevo_space *space = formula_space(space_text);
    opevo_run_key key = key_of(space, 1);
    opevo_store *store = open_store(scratch.file, OPEVO_STORE_WRITE);
    char unit[32] = "";
    int64_t run = 0;

    (void)state;
    key.unit = "1/s";
    run = begin(store, &key);
    CHECK_OK(opevo_store_list(store, note_unit, unit, &err));
    assert_string_equal(unit, "1/s");
    key.unit = "ms";
    assert_int_equal(begin(store, &key), run);
    CHECK_OK(opevo_store_list(store, note_unit, unit, &err));
    assert_string_equal(unit, "ms");
    opevo_store_close(store);
    opevo_space_destroy(space);
    scratch_remove(&scratch);
}

static void test_identity_of_a_run(void **state)
{
    scratch_folder scratch = scratch_make();
    opevo_space *space = formula_space(space_text);
    opevo_space *other = formula_space("{\"K\": {\"_type\": \"factor\", \"_value\": [64, 3]}}");
    opevo_run_key first = key_of(space, 1);
    opevo_store *store = open_store(scratch.file, OPEVO_STORE_WRITE);
    int64_t run = begin(store, &first);
    opevo_run_key key = first;

    (void)state;
    assert_int_equal(begin(store, &first), run);
    key.seed = 2;
    assert_int_not_equal(begin(store, &key), run);
    key = first;
    key.unit = "ms";
    CHECK_FAILS(OPEVO_MISMATCH, "fitness in GFLOP/s, and this is ms",
                opevo_store_begin(store, &key, &run, &err));
    /* A store of an earlier version knows only the unit of the fitness. */
    key.objective = "timed";
    key.unit = "1/s";
    run = begin(store, &key);
    key.unit = "ms";
    assert_int_equal(begin(store, &key), run);
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
static void test_append_is_atomic(void **state)
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

    (void)state;
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

static void test_read_only(void **state)
{
    scratch_folder scratch = scratch_make();
    opevo_space *space = formula_space(space_text);
    opevo_run_key key = key_of(space, 1);
    opevo_store *store = open_store(scratch.file, OPEVO_STORE_WRITE);
    opevo_trial trials[8];
    int64_t run = 0;

    (void)state;
    make_trials(trials);
    opevo_store_close(store);
    store = open_store(scratch.file, OPEVO_STORE_READ);
    CHECK_FAILS(OPEVO_INVALID, "read only", opevo_store_begin(store, &key, &run, &err));
    CHECK_FAILS(OPEVO_INVALID, "read only", opevo_store_append(store, 1, trials, 1, &err));
    opevo_store_close(store);
    opevo_store_close(NULL);
    opevo_space_destroy(space);
    scratch_remove(&scratch);
}

static int files_in(const char *path)
{
    DIR *folder = opendir(path);
    int count = 0;

    assert_non_null(folder);
    while (readdir(folder))
        count++;
    closedir(folder);
    return count - 2;
}

static void make_store(const char *path)
{
    opevo_space *space = formula_space(space_text);
    opevo_run_key key = key_of(space, 1);
    opevo_store *store = open_store(path, OPEVO_STORE_WRITE);
    opevo_trial trials[8];

    CHECK_OK(opevo_store_append(store, begin(store, &key), trials, make_trials(trials), &err));
    opevo_store_close(store);
    opevo_space_destroy(space);
}

static void test_a_reader_leaves_the_store_alone(void **state)
{
    scratch_folder scratch = scratch_make();

    (void)state;
    make_store(scratch.file);
    assert_int_equal(files_in(scratch.path), 1);
    opevo_store_close(open_store(scratch.file, OPEVO_STORE_READ));
    assert_int_equal(files_in(scratch.path), 1);
    scratch_remove(&scratch);
}

/* Where nothing may be written a store is read all the same, and writing is refused. Exit status 0:
 * so it was; 77: this user may write everywhere, or may not even look. */
static int read_as_nobody(const char *path)
{
    opevo_store *store = NULL;
    opevo_trial trials[8];
    size_t count = 0;

    if (geteuid() == 0 && setuid(65534))
        return 77;
    if (access(path, R_OK) || access(path, W_OK) == 0)
        return 77;
    if (opevo_store_open(path, OPEVO_STORE_WRITE, &store, NULL) != OPEVO_IO ||
        opevo_store_open(path, OPEVO_STORE_READ, &store, NULL) != OPEVO_OK ||
        opevo_store_read(store, 1, 0, trials, 8, &count, NULL) != OPEVO_OK || count == 0)
        return 1;
    opevo_store_close(store);
    return 0;
}

static void test_a_store_that_may_only_be_read(void **state)
{
    scratch_folder scratch = scratch_make();
    char path[PATH_MAX];
    int status = 0;
    pid_t child = 0;

    (void)state;
    make_store(scratch.file);
    assert_int_equal(chmod(scratch.file, 0444), 0);
    assert_int_equal(chmod(scratch.path, 0555), 0);
    assert_non_null(realpath(scratch.file, path)); /* SQLite looks from the root */
    child = fork();
    if (child == 0)
        _exit(read_as_nobody(path));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(chmod(scratch.path, 0755), 0);
    scratch_remove(&scratch);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77)
        CHECK_SKIP("this user may write everywhere, or not read in /tmp");
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void write_file(const char *path, const char *data, size_t size)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Refused with these words, in both modes, and left as it was. */
static void check_refused(const char *path, opevo_status wanted, const char *words)
{
    char *before = NULL;
    char *after = NULL;
    size_t before_size = 0;
    size_t after_size = 0;
    opevo_store *store = NULL;

    CHECK_OK(opevo_file_read(path, SIZE_MAX, &before, &before_size, &err));
    CHECK_FAILS(wanted, words, opevo_store_open(path, OPEVO_STORE_READ, &store, &err));
    CHECK_FAILS(wanted, words, opevo_store_open(path, OPEVO_STORE_WRITE, &store, &err));
    CHECK_OK(opevo_file_read(path, SIZE_MAX, &after, &after_size, &err));
    assert_int_equal(before_size, after_size);
    assert_memory_equal(before, after, before_size);
    opevo_free(before);
    opevo_free(after);
}

static void test_not_a_store(void **state)
{
    static const char text[] = "threads,gflops\n64,3.5\n";
    scratch_folder scratch = scratch_make();
    opevo_store *store = NULL;

    (void)state;
    CHECK_FAILS(OPEVO_IO, "No such file",
                opevo_store_open(scratch.file, OPEVO_STORE_READ, &store, &err));
    assert_int_not_equal(access(scratch.file, F_OK), 0);
    CHECK_FAILS(OPEVO_IO, "No such file",
                opevo_store_open("no-folder-here/runs.db", OPEVO_STORE_WRITE, &store, &err));
    CHECK_FAILS(OPEVO_IO, ":", opevo_store_open(scratch.path, OPEVO_STORE_WRITE, &store, &err));
    CHECK_FAILS(OPEVO_INVALID, "empty", opevo_store_open("", OPEVO_STORE_WRITE, &store, &err));

    write_file(scratch.file, text, sizeof text - 1);
    check_refused(scratch.file, OPEVO_INVALID, "is not a run store");
    scratch_empty(&scratch);
    tamper(scratch.file, "CREATE TABLE t (a)");
    check_refused(scratch.file, OPEVO_INVALID, "database of another program");
    scratch_empty(&scratch);
    opevo_store_close(open_store(scratch.file, OPEVO_STORE_WRITE));
    tamper(scratch.file, "PRAGMA user_version = 4");
    check_refused(scratch.file, OPEVO_MISMATCH, "format 4");
    tamper(scratch.file, "PRAGMA user_version = 2; DROP TABLE trials");
    check_refused(scratch.file, OPEVO_INVALID, "damaged");

    /* An empty file is no store to read, and becomes one to write. */
    scratch_empty(&scratch);
    write_file(scratch.file, "", 0);
    CHECK_FAILS(OPEVO_INVALID, "it is empty",
                opevo_store_open(scratch.file, OPEVO_STORE_READ, &store, &err));
    opevo_store_close(open_store(scratch.file, OPEVO_STORE_WRITE));
    opevo_store_close(open_store(scratch.file, OPEVO_STORE_READ));
    scratch_remove(&scratch);
}

/* Values that no run has written are found when they are read. */
static void test_spoilt_values(void **state)
{
    static const char *const spoil[] = {
        "UPDATE trials SET point = x'00' WHERE number = 2",
        "UPDATE trials SET point = 'sixteen letters!' WHERE number = 2",
        "UPDATE trials SET origin = x'00' WHERE number = 2",
        "UPDATE trials SET outcome = 8 WHERE number = 2",
        "UPDATE trials SET outcome = -1 WHERE number = 2",
        "UPDATE trials SET outcome = 'ok' WHERE number = 2",
        "UPDATE trials SET fitness = -1 WHERE number = 2",
        "UPDATE trials SET fitness = 9e999 WHERE number = 2",
        "UPDATE trials SET fitness = 'fast' WHERE number = 2",
        "UPDATE trials SET time_s = 'soon' WHERE number = 2",
        "UPDATE trials SET build_s = -1 WHERE number = 2",
        "UPDATE trials SET other_s = x'' WHERE number = 2",
    };
    opevo_space *space = formula_space(space_text);
    opevo_run_key key = key_of(space, 1);

    (void)state;
    for (size_t i = 0; i < sizeof spoil / sizeof *spoil; i++) {
        scratch_folder scratch = scratch_make();
        opevo_store *store = open_store(scratch.file, OPEVO_STORE_WRITE);
        int64_t run = begin(store, &key);
        opevo_trial trials[8];
        size_t total = make_trials(trials);
        size_t count = 0;

        CHECK_OK(opevo_store_append(store, run, trials, total, &err));
        tamper(scratch.file, spoil[i]);
        CHECK_FAILS(OPEVO_INVALID, "damaged: trial 2 of run 1",
                    opevo_store_read(store, run, 0, trials, 8, &count, &err));
        CHECK_OK(opevo_store_read(store, run, 2, trials, 8, &count, &err));
        opevo_store_close(store);
        scratch_remove(&scratch);
    }
    opevo_space_destroy(space);
}

static void ignore_run(void *context, const opevo_run_info *info)
{
    *(uint64_t *)context += info->trials;
}

/* Everything that a reader and a writer do; false when it was refused. */
static bool use_all(const char *path, const opevo_run_key *key)
{
    opevo_error err = {OPEVO_OK, ""};
    opevo_store *store = NULL;
    opevo_status status = opevo_store_open(path, OPEVO_STORE_WRITE, &store, &err);
    opevo_trial trials[64];
    opevo_trial more = {{1, "child"}, 1000, {.fitness = 1}};
    uint64_t listed = 0;
    size_t count = 0;
    int64_t run = 0;

    if (status == OPEVO_OK)
        status = opevo_store_begin(store, key, &run, &err);
    if (status == OPEVO_OK)
        status = opevo_store_read(store, run, 0, trials, 64, &count, &err);
    if (status == OPEVO_OK)
        status = opevo_store_list(store, ignore_run, &listed, &err);
    if (status == OPEVO_OK)
        status = opevo_store_append(store, run, &more, 1, &err);
    opevo_store_close(store);
    if (status != OPEVO_OK)
        assert_true(strncmp(err.message, path, strlen(path)) == 0);
    return status == OPEVO_OK;
}

/* A file cut anywhere is refused; one with any byte turned over is refused or read, never a crash.
 */
static void test_cut_and_flipped_files(void **state)
{
    scratch_folder scratch = scratch_make();
    opevo_space *space = formula_space(space_text);
    opevo_run_key key = key_of(space, 1);
    opevo_store *store = open_store(scratch.file, OPEVO_STORE_WRITE);
    int64_t run = begin(store, &key);
    char *data = NULL;
    size_t size = 0;
    size_t refused = 0;
    opevo_trial trials[8];

    (void)state;
    make_trials(trials);
    for (uint64_t number = 1; number <= 200; number++) {
        trials[0].number = number;
        CHECK_OK(opevo_store_append(store, run, trials, 1, &err));
    }
    opevo_store_close(store);
    CHECK_OK(opevo_file_read(scratch.file, SIZE_MAX, &data, &size, &err));
    for (size_t cut = 2; cut < size; cut += 512 + cut / 7) {
        scratch_empty(&scratch);
        write_file(scratch.file, data, cut);
        assert_false(use_all(scratch.file, &key));
    }
    for (size_t at = 0; at < size; at += 1 + at / 40) {
        scratch_empty(&scratch);
        data[at] ^= (char)(1 + 254 * (at % 2));
        write_file(scratch.file, data, size);
        refused += !use_all(scratch.file, &key);
        data[at] ^= (char)(1 + 254 * (at % 2));
    }
    assert_true(refused > 10);
    scratch_empty(&scratch);
    write_file(scratch.file, data, size);
    assert_true(use_all(scratch.file, &key));
    opevo_free(data);
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

static void test_list(void **state)
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

    (void)state;
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

/* The tables of format 1, and a run with three trials in them. */
static const char old_store[] =
    "CREATE TABLE format (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE spaces (space INTEGER PRIMARY KEY, signature TEXT NOT NULL UNIQUE,"
    "  json TEXT NOT NULL);"
    "CREATE TABLE runs (run INTEGER PRIMARY KEY, objective TEXT NOT NULL, tuner TEXT NOT NULL,"
    "  settings TEXT NOT NULL, seed TEXT NOT NULL, signature TEXT NOT NULL,"
    "  space INTEGER NOT NULL REFERENCES spaces (space), unit TEXT NOT NULL,"
    "  started TEXT NOT NULL, version TEXT NOT NULL,"
    "  UNIQUE (objective, tuner, settings, seed));"
    "CREATE TABLE trials (run INTEGER NOT NULL REFERENCES runs (run), number INTEGER NOT NULL,"
    "  point BLOB NOT NULL, origin TEXT NOT NULL, outcome INTEGER NOT NULL, fitness REAL NOT NULL,"
    "  time_s REAL, build_s REAL NOT NULL, run_s REAL NOT NULL, check_s REAL NOT NULL,"
    "  other_s REAL NOT NULL, samples_s BLOB, message TEXT, PRIMARY KEY (run, number)) WITHOUT"
    "  ROWID;"
    "INSERT INTO spaces VALUES (1, '0', '{');"
    "INSERT INTO runs VALUES (1, 'formula: \"quoted\"', 'opevo', 'lambda=8', '7', "
    "'00000000000000ff', 1,"
    "  'GFLOP/s', '2026-01-01T00:00:00Z', '0.1.0');"
    "INSERT INTO trials SELECT 1, value, CAST(zeroblob(15) || char(value) AS BLOB), 'child',"
    "  value = 2, (value <> 2) * value, NULL, 1, 0, 0, 0, NULL, NULL"
    "  FROM (SELECT 1 AS value UNION SELECT 2 UNION SELECT 3);"
    "PRAGMA user_version = 1;"
    "PRAGMA application_id = 1869636982;";

static void test_a_store_of_the_format_before(void **state)
{
    scratch_folder scratch = scratch_make();
    opevo_store *store = NULL;
    listing list = {.count = 0};
    opevo_trial trials[4];
    size_t count = 0;

    (void)state;
    tamper(scratch.file, old_store);
    CHECK_FAILS(OPEVO_MISMATCH, "format 1 of the run store, which is read-only",
                opevo_store_open(scratch.file, OPEVO_STORE_WRITE, &store, &err));
    CHECK_FAILS(OPEVO_MISMATCH, "format 1",
                opevo_store_open(scratch.file, OPEVO_STORE_ALONE, &store, &err));
    store = open_store(scratch.file, OPEVO_STORE_READ);
    CHECK_OK(opevo_store_list(store, note_run, &list, &err));
    assert_true(list.count == 1 && list.info[0].trials == 3 && list.info[0].failed == 1);
    assert_true(list.info[0].best_fitness == 3 && list.info[0].best_trial == 3);
    assert_true(isnan(list.info[0].optimum) && list.info[0].seed == 7);
    assert_true(list.info[0].signature == 255);
    assert_string_equal(list.best_text[0], "point 3");
    CHECK_OK(opevo_store_read(store, 1, 1, trials, 4, &count, &err));
    assert_true(count == 2 && trials[0].number == 2 && trials[1].proposal.point == 3);
    opevo_store_close(store);
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

static void test_notes_of_a_run(void **state)
{
    scratch_folder scratch = scratch_make();
    opevo_space *space = formula_space(space_text);
    opevo_store *store = open_store(scratch.file, OPEVO_STORE_WRITE);
    opevo_run_key key = key_of(space, 1);
    size_t count = 0;
    int64_t run = 0;

    (void)state;
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

/* SQLite's own names mean nothing here: they are files. */
static void test_odd_paths(void **state)
{
    (void)state;
    opevo_store_close(open_store(":memory:", OPEVO_STORE_WRITE));
    assert_int_equal(access(":memory:", F_OK), 0);
    assert_int_equal(unlink(":memory:"), 0);
    opevo_store_close(open_store("a?b#c%41.db", OPEVO_STORE_WRITE));
    assert_int_equal(unlink("a?b#c%41.db"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_samples_and_messages),
        cmocka_unit_test(test_identity_of_a_run),
        cmocka_unit_test(test_unit_of_an_earlier_version),
        cmocka_unit_test(test_append_is_atomic),
        cmocka_unit_test(test_read_only),
        cmocka_unit_test(test_a_reader_leaves_the_store_alone),
        cmocka_unit_test(test_a_store_that_may_only_be_read),
        cmocka_unit_test(test_not_a_store),
        cmocka_unit_test(test_spoilt_values),
        cmocka_unit_test(test_cut_and_flipped_files),
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_a_store_of_the_format_before),
        cmocka_unit_test(test_notes_of_a_run),
        cmocka_unit_test(test_odd_paths),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
