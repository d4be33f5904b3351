/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Stores that somebody else made or moved: what is lost is noticed, and nothing that stands in one
 * is executed, opened or printed as it is. */

#include "formula.h"

#include <opevo/file.h>
#include <opevo/memory.h>

#include "scratch_folder.h"
#include "store_fixture.h"

#include <sys/stat.h>

static const char space_text[] = "{\"K\": {\"_type\": \"factor\", \"_value\": [64, 3]}}";

/* A store with one run of one trial. */
static void make_store(const scratch_folder *scratch, const opevo_space *space)
{
    const opevo_trial trial = {{3, "initial"}, 1, {.fitness = 1}};
    opevo_run_key key = key_of(space, 1);
    opevo_store *store = NULL;

    scratch_empty(scratch);
    store = open_store(scratch->file, OPEVO_STORE_WRITE);
    CHECK_OK(opevo_store_append(store, begin(store, &key), &trial, 1, &err));
    opevo_store_close(store);
}

static void note_best(void *context, const opevo_run_info *info)
{
    opevo_text_add(context, info->best_text);
}

static void check_absent(const char *store, const char *suffix)
{
    opevo_text path = {0};

    opevo_text_printf(&path, "%s%s", store, suffix);
    assert_int_equal(access(opevo_text_string(&path), F_OK), -1);
    opevo_text_free(&path);
}

/* Trials that are committed after the file has lost its name are in the copy, also where there is
 * one already, or where it was moved to. */
CHECK_TEST(test_a_store_that_loses_its_place)
{
    scratch_folder scratch = scratch_make();
    opevo_space *space = formula_space(space_text);
    opevo_run_key key = key_of(space, 1);
    const opevo_trial trials[2] = {{{3, "initial"}, 1, {.fitness = 1}},
                                   {{4, "child"}, 2, {.fitness = 2}}};
    opevo_trial read[8];
    static const char *const suffixes[] = {".recovered", ".old", ".recovered-2"};
    char elsewhere[80];

    for (int way = 0; way < 3; way++) {
        bool moved = way == 1;
        opevo_store *store = open_store(scratch.file, OPEVO_STORE_WRITE);
        int64_t run = begin(store, &key);
        size_t count = 0;

        if (way == 2) {
            snprintf(elsewhere, sizeof elsewhere, "%s.recovered", scratch.file);
            CHECK_OK(opevo_file_write(elsewhere, "", 0, &err));
        }
        snprintf(elsewhere, sizeof elsewhere, "%s%s", scratch.file, suffixes[way]);
        CHECK_OK(opevo_store_append(store, run, trials, 1, &err));
        CHECK_OK(opevo_store_check_place(store, &err));
        assert_int_equal(moved ? rename(scratch.file, elsewhere) : unlink(scratch.file), 0);
        CHECK_OK(opevo_store_append(store, run, trials + 1, 1, &err));
        CHECK_FAILS(OPEVO_LOST, elsewhere, opevo_store_check_place(store, &err));
        opevo_store_close(store);
        for (size_t i = 0; i < 2; i++) {
            check_absent(scratch.file, i ? "-wal" : "-shm");
            check_absent(elsewhere, i ? "-wal" : "-shm");
        }
        store = open_store(elsewhere, OPEVO_STORE_READ);
        CHECK_OK(opevo_store_read(store, run, 0, read, 8, &count, &err));
        assert_int_equal(count, 2);
        opevo_store_close(store);
        scratch_empty(&scratch);
    }
    opevo_space_destroy(space);
    scratch_remove(&scratch);
}

/* The best configuration of the only run, and what its space is. */
static void check_best(const char *path, const char *best)
{
    opevo_store *store = open_store(path, OPEVO_STORE_READ);
    opevo_space *space = NULL;
    opevo_text seen = {0};

    CHECK_OK(opevo_store_list(store, note_best, &seen, &err));
    assert_string_equal(opevo_text_string(&seen), best);
    CHECK_OK(opevo_store_space(store, 1, &space, &err));
    assert_int_equal(space != NULL, strncmp(best, "point", 5) != 0);
    opevo_space_destroy(space);
    opevo_text_free(&seen);
    opevo_store_close(store);
}

/* A graph is in the store. Where a space names a file instead, nothing is opened. */
CHECK_TEST(test_graphs)
{
    static const char json[] = "{\"g\": {\"_type\": \"graph\", \"_value\": \"g.el\"}}";
    scratch_folder scratch = scratch_make();
    opevo_space *space = NULL;
    opevo_store *store = NULL;
    opevo_trial trial = {{2, "initial"}, 1, {.fitness = 1}};
    char graph[80], file[80];

    snprintf(graph, sizeof graph, "%s/g.el", scratch.path);
    snprintf(file, sizeof file, "%s/space.json", scratch.path);
    CHECK_OK(opevo_file_write(graph, "0 2\n", 4, &err));
    CHECK_OK(opevo_file_write(file, json, sizeof json - 1, &err));
    CHECK_OK(opevo_space_load(file, &space, &err));
    store = open_store(scratch.file, OPEVO_STORE_WRITE);
    opevo_run_key key = key_of(space, 1);
    key.note.space = file;
    CHECK_OK(opevo_store_append(store, begin(store, &key), &trial, 1, &err));
    opevo_store_close(store);
    unlink(graph);
    check_best(scratch.file, "g=2");
    tamper(scratch.file, "UPDATE spaces SET json = '{\"g\": {\"_type\": \"graph\", \"_value\":"
                         " \"g.el\"}}'");
    check_best(scratch.file, "point 2");
    assert_int_equal(mkfifo(graph, 0600), 0);
    check_best(scratch.file, "point 2");
    unlink(graph);
    CHECK_OK(opevo_file_write(graph, "0 2\n", 4, &err));
    check_best(scratch.file, "point 2");
    opevo_space_destroy(space);
    scratch_remove(&scratch);
}

/* Views and virtual tables under our names are refused; triggers do not run. */
CHECK_TEST(test_tables_are_tables)
{
    static const char *const spoilt[] = {
        "ALTER TABLE runs RENAME TO r; CREATE VIEW runs AS SELECT * FROM r",
        "DROP TABLE packed; CREATE VIRTUAL TABLE packed USING fts5(run, trial_count, trials)",
        ("DROP TABLE finals; CREATE VIEW Finals AS SELECT 1 AS run, 1 AS place, NULL AS point, x'' "
         "AS fitness, '' AS"
         " message"),
        "DROP TABLE candidates; CREATE VIEW candidates AS SELECT 1 AS space, x'' AS point, '' AS "
        "text",
        "DROP TABLE windows; CREATE VIEW windows AS SELECT 1 AS run, 1 AS number, x'' AS "
        "processor_s",
        "DROP TABLE task_groups; CREATE VIEW task_groups AS SELECT 1 AS task_group",
        "DROP TABLE group_tasks; CREATE VIEW group_tasks AS SELECT 1 AS task_group",
        "DROP TABLE group_rounds; CREATE VIEW group_rounds AS SELECT 1 AS task_group",
        "DROP TABLE group_kernels; CREATE VIEW group_kernels AS SELECT 1 AS task_group",
    };
    scratch_folder scratch = scratch_make();
    opevo_space *space = formula_space(space_text);
    opevo_run_key key = key_of(space, 2);
    opevo_trial read[2];
    opevo_store *store = NULL;
    size_t count = 0;

    for (size_t i = 0; i < sizeof spoilt / sizeof *spoilt; i++) {
        for (int mode = OPEVO_STORE_READ; mode <= OPEVO_STORE_ALONE; mode++) {
            make_store(&scratch, space);
            tamper(scratch.file, spoilt[i]);
            CHECK_FAILS(OPEVO_INVALID, "other objects under the names of its tables",
                        opevo_store_open(scratch.file, (opevo_store_mode)mode, &store, &err));
        }
    }
    make_store(&scratch, space);
    tamper(scratch.file, "CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM trials; END");
    store = open_store(scratch.file, OPEVO_STORE_WRITE);
    begin(store, &key);
    CHECK_OK(opevo_store_read(store, 1, 0, read, 2, &count, &err));
    assert_int_equal(count, 1);
    opevo_store_close(store);
    opevo_space_destroy(space);
    scratch_remove(&scratch);
}

/* A run cannot have more packed trials than its bytes hold. */
CHECK_TEST(test_packed_trials_that_are_not_there)
{
    scratch_folder scratch = scratch_make();
    opevo_space *space = formula_space(space_text);
    opevo_store *store = NULL;
    opevo_trial read[2];
    size_t count = 0;

    make_store(&scratch, space);
    tamper(scratch.file, "INSERT INTO packed (run, trial_count, failed, cost_s, trials)"
                         " VALUES (1, 4611686018427387904, 0, 0, x'0100')");
    store = open_store(scratch.file, OPEVO_STORE_READ);
    CHECK_FAILS(OPEVO_INVALID, "is damaged", opevo_store_read(store, 1, 0, read, 2, &count, &err));
    opevo_store_close(store);
    opevo_space_destroy(space);
    scratch_remove(&scratch);
}
