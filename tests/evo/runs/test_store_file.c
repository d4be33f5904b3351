/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The file of a run store: who reads and writes it, and that a file that is not what it should be
 * is refused with a sentence and left as it was. */

#include <opevo/file.h>
#include <opevo/memory.h>

#include "points.h"
#include "scratch_folder.h"
#include "store_fixture.h"
#include "store_trials.h"

#include <limits.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

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

CHECK_TEST(test_a_reader_leaves_the_store_alone)
{
    scratch_folder scratch = scratch_make();

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

CHECK_TEST(test_a_store_that_may_only_be_read)
{
    scratch_folder scratch = scratch_make();
    char path[PATH_MAX];
    int status = 0;
    pid_t child = 0;

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

/* Bytes 18 and 19 of a SQLite file are 2 where it has a write-ahead log. */
static bool has_log(const char *path)
{
    char *data = NULL;
    size_t size = 0;
    bool log = false;

    CHECK_OK(opevo_file_read(path, SIZE_MAX, &data, &size, &err));
    log = size > 19 && data[18] == 2 && data[19] == 2;
    opevo_free(data);
    return log;
}

/* A process that is killed as it makes a store leaves one that others can use, with the log that
 * it would have had and no other file once it is closed. Each attempt is killed a little later,
 * until one comes to its end. */
CHECK_TEST(test_killed_as_it_is_made)
{
    enum { STEP_NS = 300000, LEAST = 50 };
    bool ended = false;

    for (int attempt = 0; attempt < LEAST || !ended; attempt++) {
        scratch_folder scratch = scratch_make();
        struct timespec nap = {.tv_nsec = STEP_NS * (attempt % 3000)};
        int status = 0;
        pid_t child = fork();

        if (child == 0) {
            opevo_store_close(open_store(scratch.file, OPEVO_STORE_WRITE));
            _exit(0);
        }
        nanosleep(&nap, NULL);
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, &status, 0), child);
        ended = WIFEXITED(status);
        make_store(scratch.file);
        assert_true(has_log(scratch.file));
        assert_int_equal(files_in(scratch.path), 1);
        scratch_remove(&scratch);
    }
}

CHECK_TEST(test_not_a_store)
{
    static const char text[] = "threads,gflops\n64,3.5\n";
    scratch_folder scratch = scratch_make();
    opevo_store *store = NULL;

    CHECK_FAILS(OPEVO_IO, "No such file",
                opevo_store_open(scratch.file, OPEVO_STORE_READ, &store, &err));
    assert_int_not_equal(access(scratch.file, F_OK), 0);
    CHECK_FAILS(OPEVO_IO, "its folder is absent",
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
    tamper(scratch.file, "PRAGMA user_version = 7");
    check_refused(scratch.file, OPEVO_MISMATCH, "was written by a newer opevo (format 7 ");
    tamper(scratch.file, "PRAGMA user_version = 5");
    check_refused(scratch.file, OPEVO_MISMATCH, "has format 5 of the run store, and this program");
    tamper(scratch.file, "PRAGMA user_version = 6; DROP TABLE trials");
    check_refused(scratch.file, OPEVO_INVALID, "is damaged: ");
    tamper(scratch.file, "UPDATE format SET value = '99.1.0' WHERE key = 'version'");
    check_refused(scratch.file, OPEVO_INVALID, "was made by opevo 99.1.0, newer than this");
    tamper(scratch.file, "UPDATE format SET value = '0.0.9' WHERE key = 'version'");
    check_refused(scratch.file, OPEVO_INVALID, "is damaged: ");

    /* An empty file cannot be read as a store; opened for writing it becomes one. */
    scratch_empty(&scratch);
    write_file(scratch.file, "", 0);
    CHECK_FAILS(OPEVO_INVALID, "it is empty",
                opevo_store_open(scratch.file, OPEVO_STORE_READ, &store, &err));
    opevo_store_close(open_store(scratch.file, OPEVO_STORE_WRITE));
    opevo_store_close(open_store(scratch.file, OPEVO_STORE_READ));
    scratch_remove(&scratch);
}

/* Values that no run has written are found when they are read. */
CHECK_TEST(test_spoilt_values)
{
    static const char *const spoil[] = {
        "UPDATE trials SET point = x'00' WHERE number = 2",
        "UPDATE trials SET point = 'sixteen letters!' WHERE number = 2",
        "UPDATE trials SET origin = x'00' WHERE number = 2",
        "UPDATE trials SET outcome = 9 WHERE number = 2",
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
CHECK_TEST(test_cut_and_flipped_files)
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

    make_trials(trials);
    for (uint64_t number = 1; number <= 200; number++) {
        trials[0].number = number;
        CHECK_OK(opevo_store_append(store, run, trials, 1, &err));
    }
    opevo_store_close(store);
    CHECK_OK(opevo_file_read(scratch.file, SIZE_MAX, &data, &size, &err));
    for (size_t cut = 2; cut < size; cut += 512 + cut / test_size(4, 7)) {
        scratch_empty(&scratch);
        write_file(scratch.file, data, cut);
        assert_false(use_all(scratch.file, &key));
    }
    for (size_t at = 0; at < size; at += 1 + at / test_size(20, 40)) {
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

/* SQLite's own names mean nothing here: they are files. */
CHECK_TEST(test_odd_paths)
{
    opevo_store_close(open_store(":memory:", OPEVO_STORE_WRITE));
    assert_int_equal(access(":memory:", F_OK), 0);
    assert_int_equal(unlink(":memory:"), 0);
    opevo_store_close(open_store("a?b#c%41.db", OPEVO_STORE_WRITE));
    assert_int_equal(unlink("a?b#c%41.db"), 0);
}
