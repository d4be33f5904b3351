/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Studies that something happens to: kills, a second writer, errors, damage. The store holds in the
 * end what a quiet process would have written, or is refused. */

#include "points.h"
#include "study_fixture.h"

#include <signal.h>
#include <sys/wait.h>

#include <opevo/file.h>
#include <opevo/memory.h>

#include "store_fixture.h"

/* ---- Kills ---- */

/* True when the child came to its end before. */
static bool run_and_kill(setup *self, opevo_study_options options, long after_us)
{
    struct timespec wait = {after_us / 1000000, after_us % 1000000 * 1000};
    int status = 0;
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        opevo_study_result result;

        _exit(opevo_study_run(self->study, &options, &result, NULL) == OPEVO_OK ? 0 : 3);
    }
    nanosleep(&wait, NULL);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status))
        return false;
    assert_int_equal(WEXITSTATUS(status), 0);
    return true;
}

/* From before the file exists to the last commit, alone and as shares. */
CHECK_TEST(test_killed_at_random_moments)
{
    static setup self;
    fixture_path parts[2];
    fixture_path joined;
    /* cppcheck-suppress uninitvar ; addresses */
    const char *sources[2] = {parts[0].text, parts[1].text};
    int kills = 0;
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "test", 0);
    set_up(&self, PLAN_TEXT);
    fixture_run(self.study, (opevo_study_options){.store = self.store.text, .threads = 2});
    for (int round = 0; kills < 12 || round < 2; round++) {
        char name[32];

        /* A commit comes each quarter of a second: the runs must take longer. */
        for (size_t i = 0; i < 2; i++)
            self.fixture.formulas[i].delay_ns = 60000;
        for (uint32_t i = 0; i < 2; i++) {
            snprintf(name, sizeof name, "part%u-%d.db", i, round);
            parts[i] = fixture_file(&self.fixture, name);
            while (!run_and_kill(
                &self, (opevo_study_options){.store = parts[i].text, .shard = {i, 2}, .threads = 2},
                (long)opevo_rng_below(&rng, 500000)))
                kills++;
        }
        snprintf(name, sizeof name, "joined%d.db", round);
        joined = fixture_file(&self.fixture, name);
        assert_int_equal(merge(&self, joined.text, sources, 2).present,
                         opevo_study_run_count(self.study));
        check_same_stores(self.store.text, joined.text);
    }
    tear_down(&self);
}

/* ---- Two writers ---- */

CHECK_TEST(test_a_second_writer_is_refused)
{
    static setup self;
    opevo_store *store = NULL;
    opevo_study_result result;
    opevo_merge_result merged;
    opevo_study_options options;

    set_up(&self, PLAN_TEXT);
    options = (opevo_study_options){.store = self.store.text};
    CHECK_OK(opevo_store_open(self.store.text, OPEVO_STORE_ALONE, &store, &err));
    CHECK_FAILS(OPEVO_IO, "another study is writing this store",
                opevo_study_run(self.study, &options, &result, &err));
    CHECK_FAILS(OPEVO_IO, "another study is writing this store",
                opevo_study_merge(self.study, self.store.text, NULL, 0, &merged, &err));
    opevo_store_close(store);
    assert_int_equal(fixture_run(self.study, options).ran, opevo_study_run_count(self.study));
    tear_down(&self);
}

/* ---- Errors ---- */

CHECK_TEST(test_an_objective_that_breaks)
{
    static setup self;
    fixture_path whole;
    opevo_study_result result;
    opevo_study_options options;

    set_up(&self, PLAN_TEXT);
    whole = fixture_file(&self.fixture, "whole.db");
    fixture_run(self.study, (opevo_study_options){.store = whole.text});
    options = (opevo_study_options){.store = self.store.text, .threads = 2};
    for (uint64_t after = 100; after < 900; after += 300) {
        self.fixture.formulas[0].evaluated = 0;
        self.fixture.formulas[0].error_after = after;
        CHECK_FAILS(OPEVO_IO, "The formula broke.",
                    opevo_study_run(self.study, &options, &result, &err));
    }
    self.fixture.formulas[0].error_after = 0;
    fixture_run(self.study, options);
    check_same_stores(whole.text, self.store.text);
    tear_down(&self);
}

CHECK_TEST(test_interrupted)
{
    static const opevo_interrupt yes = {1};
    static setup self;
    opevo_study_result result;

    set_up(&self, PLAN_TEXT);
    result =
        fixture_run(self.study, (opevo_study_options){.store = self.store.text, .interrupt = &yes});
    assert_true(result.interrupted && result.ran == 0);
    tear_down(&self);
}

CHECK_TEST(test_out_of_memory)
{
    static const char text[] =
        "{\"study\": 1, \"objectives\": [\"small\", \"large\", \"device\"], \"tuners\":"
        " [\"random\"], \"budget\": {\"trials\": 3}, \"seeds\": 2}";
    static setup self;
    opevo_status status = OPEVO_NOMEM;
    int64_t alive = 0;
    fixture_path joined;
    const char *source = self.store.text;

    set_up(&self, text);
    joined = fixture_file(&self.fixture, "joined.db");
    alive = opevo_memory_live();
    for (int64_t n = 1; status != OPEVO_OK; n += n < 80 ? 1 : (int64_t)test_size(9, 3)) {
        opevo_study_options options = {.store = self.store.text, .threads = 1};
        opevo_study_result result;

        opevo_memory_fail_at(n);
        status = opevo_study_run(self.study, &options, &result, NULL);
        opevo_memory_fail_at(0);
        assert_true(status == OPEVO_OK || status == OPEVO_NOMEM);
        assert_int_equal(opevo_memory_live(), alive);
        if (status != OPEVO_OK)
            unlink(self.store.text);
    }
    status = OPEVO_NOMEM;
    for (int64_t n = 1; status != OPEVO_OK; n += n < 80 ? 1 : (int64_t)test_size(9, 3)) {
        opevo_merge_result result;

        opevo_memory_fail_at(n);
        status = opevo_study_merge(self.study, joined.text, &source, 1, &result, NULL);
        opevo_memory_fail_at(0);
        assert_true(status == OPEVO_OK || status == OPEVO_NOMEM);
        assert_int_equal(opevo_memory_live(), alive);
    }
    tear_down(&self);
}

/* ---- Damage ---- */

/* Whether all trials of the first two runs can be read. */
static bool can_read(const char *path)
{
    opevo_store *store = NULL;
    opevo_trial trials[64];
    opevo_status status = OPEVO_OK;

    CHECK_OK(opevo_store_open(path, OPEVO_STORE_READ, &store, &err));
    for (int64_t run = 1; run <= 2 && status == OPEVO_OK; run++) {
        opevo_error err = {OPEVO_OK, ""};
        size_t count = 0;

        status = opevo_store_read(store, run, 0, trials, 64, &count, &err);
        if (status != OPEVO_OK)
            assert_true(status == OPEVO_INVALID && strstr(err.message, "damaged"));
    }
    opevo_store_close(store);
    return status == OPEVO_OK;
}

/* One byte of the column turned over, or the column cut there. */
static bool survives(const char *path, const char *table, const char *column, size_t at, bool cut)
{
    char sql[512];
    bool ok = false;

    tamper(path, "BEGIN; CREATE TABLE kept AS SELECT * FROM packed; CREATE TABLE kept2 AS SELECT *"
                 " FROM outcomes; COMMIT");
    if (cut)
        snprintf(sql, sizeof sql, "UPDATE %s SET %s = substr(%s, 1, %zu)", table, column, column,
                 at);
    else
        snprintf(sql, sizeof sql,
                 "UPDATE %s SET %s = CAST(substr(%s, 1, %zu) || x'ff' || substr(%s, %zu) AS BLOB)",
                 table, column, column, at, column, at + 2);
    tamper(path, sql);
    ok = can_read(path);
    tamper(path, "BEGIN; DELETE FROM packed; INSERT INTO packed SELECT * FROM kept; DELETE FROM"
                 " outcomes; INSERT INTO outcomes SELECT * FROM kept2; DROP TABLE kept; DROP TABLE"
                 " kept2; COMMIT");
    return ok;
}

CHECK_TEST(test_damaged_trials)
{
    static const char text[] =
        "{\"study\": 1, \"objectives\": [\"small\", \"large\"], \"tuners\": [\"random\"],"
        " \"budget\": {\"trials\": 8}, \"seeds\": 1}";
    static setup self;
    size_t refused = 0;

    set_up(&self, text);
    fixture_run(self.study, (opevo_study_options){.store = self.store.text});
    assert_true(can_read(self.store.text));
    for (size_t at = 0; at < 40; at += 1 + at / 8) {
        assert_false(survives(self.store.text, "packed", "trials", at, true));
        refused += !survives(self.store.text, "packed", "trials", at, false);
        refused += !survives(self.store.text, "outcomes", "outcome", at, false);
    }
    assert_true(refused > 5);
    assert_false(survives(self.store.text, "outcomes", "outcome", 3, true));
    assert_true(can_read(self.store.text));
    tamper(self.store.text, "DELETE FROM outcomes");
    assert_false(can_read(self.store.text));
    tear_down(&self);
}

/* A store is seen empty between the moments in which its maker creates the file and the tables. */
CHECK_TEST(test_stores_that_begin)
{
    static setup self;
    fixture_path created;
    fixture_path formatted;
    fixture_path share;
    const char *sources[] = {created.text, formatted.text, share.text};
    opevo_merge_result merged;
    opevo_study_result ran;
    opevo_store *store = NULL;

    set_up(&self, PLAN_TEXT);
    created = fixture_file(&self.fixture, "created.db");
    formatted = fixture_file(&self.fixture, "formatted.db");
    share = fixture_file(&self.fixture, "share.db");
    CHECK_OK(opevo_file_write(created.text, "", 0, &err));
    tamper(formatted.text, "PRAGMA journal_mode = WAL");
    ran = fixture_run(
        self.study,
        (opevo_study_options){.store = share.text, .shard = {0, 2}, .known = formatted.text});
    assert_int_equal(ran.ran, ran.runs);
    merged = merge(&self, self.store.text, sources, 3);
    assert_int_equal(merged.empty, 2);
    assert_int_equal(merged.added, ran.runs);
    assert_int_equal(merged.present, ran.runs);
    CHECK_FAILS(OPEVO_INVALID, "formatted.db is not a run store: it is empty",
                opevo_store_open(formatted.text, OPEVO_STORE_READ, &store, &err));
    tear_down(&self);
}

CHECK_TEST(test_stores_that_contradict)
{
    static setup self;
    fixture_path other;
    fixture_path absent;
    const char *source = other.text;
    opevo_merge_result result;

    set_up(&self, PLAN_TEXT);
    other = fixture_file(&self.fixture, "other.db");
    absent = fixture_file(&self.fixture, "absent.db");
    fixture_run(self.study, (opevo_study_options){.store = self.store.text});
    fixture_run(self.study, (opevo_study_options){.store = other.text});
    tamper(other.text, "UPDATE packed SET trials = (SELECT trials FROM packed WHERE run = 1)"
                       " WHERE run = 9");
    CHECK_FAILS(OPEVO_MISMATCH, "are the same run with different trials",
                opevo_study_merge(self.study, self.store.text, &source, 1, &result, &err));
    source = absent.text;
    CHECK_FAILS(OPEVO_IO, "absent.db",
                opevo_study_merge(self.study, self.store.text, &source, 1, &result, &err));
    tear_down(&self);
}
