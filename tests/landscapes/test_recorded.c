/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Recorded landscapes on a small one that is written here: outcomes and costs against the rows by
 * hand, the ways to name the files, the signature and the optimum. */

#include "toy_landscape.h"

#include <opevo/hash.h>
#include <opevo/landscape.h>

#include <pthread.h>

CHECK_TEST(replays_every_row)
{
    test_folder folder;
    opevo_objective *toy = NULL;

    folder_open(&folder);
    write_toy(&folder);
    toy = open_recorded(&folder, "toy", NULL);
    assert_string_equal(toy->name, "recorded:toy");
    assert_string_equal(toy->unit, "GFLOP/s");
    assert_string_equal(toy->ops->kind, "recorded");
    assert_true(toy->flop == 1e6 && toy->concurrent);
    assert_true(opevo_space_size(toy->space) == 18);
    assert_int_equal(opevo_recorded_ignored(toy), 0);
    check_outcome(toy, "A=1 B=x F=1,4", OPEVO_OUTCOME_OK, 0.25, 4e-3, 0.1, 0.05);
    check_outcome(toy, "A=1 B=x F=2,2", OPEVO_OUTCOME_OK, 0.5, 2e-3, 0.1, 0.03);
    check_outcome(toy, "A=1 B=x F=4,1", OPEVO_OUTCOME_OK, 1, 1e-3, 0.1, 0.02);
    check_outcome(toy, "A=1 B=y F=1,4", OPEVO_OUTCOME_BUILD_ERROR, 0, NAN, 0.08, 0);
    check_outcome(toy, "A=1 B=y F=2,2", OPEVO_OUTCOME_LAUNCH_ERROR, 0, NAN, 0.1, 0.001);
    check_outcome(toy, "A=1 B=y F=4,1", OPEVO_OUTCOME_TIMEOUT, 0, NAN, 0.1, 1);
    check_outcome(toy, "A=2 B=x F=1,4", OPEVO_OUTCOME_REJECTED, 0, NAN, 0, 0.001);
    check_outcome(toy, "A=2 B=x F=4,1", OPEVO_OUTCOME_OK, 4, 2.5e-4, 0.1, 0.015);
    check_outcome(toy, "A=2 B=x F=2,2", OPEVO_OUTCOME_OK, 4, 2.5e-4, 0.1, 0.016);
    /* Without a cost the runs are what is known to have been spent. */
    check_outcome(toy, "A=2 B=y F=1,4", OPEVO_OUTCOME_OK, 2, 5e-4, 0, 5e-4);
    check_outcome(toy, "A=2 B=y F=2,2", OPEVO_OUTCOME_OK, 2, 5e-4, 0.05, 4e-3);
    check_outcome(toy, "A=2 B=y F=4,1", OPEVO_OUTCOME_OK, 1.25, 8e-4, 0, 8e-4);
    /* A cost below the compile time leaves nothing for running. */
    check_outcome(toy, "A=4 B=x F=1,4", OPEVO_OUTCOME_OK, 0.625, 1.6e-3, 0.01, 0);
    check_outcome(toy, "A=4 B=x F=2,2", OPEVO_OUTCOME_OK, 0.125, 8e-3, 0, 8e-3);
    check_outcome(toy, "A=4 B=y F=1,4", OPEVO_OUTCOME_OK, 0.1, 1e-2, 0, 1e-2);
    check_outcome(toy, "A=4 B=y F=2,2", OPEVO_OUTCOME_OK, 0.0625, 1.6e-2, 0, 1.6e-2);
    opevo_objective_destroy(toy);
    folder_close(&folder);
}

/* The constraint excludes two points; the rows cover all others. */
CHECK_TEST(covers_the_allowed_points)
{
    test_folder folder;
    opevo_objective *toy = NULL;
    size_t allowed = 0;

    folder_open(&folder);
    write_toy(&folder);
    toy = open_recorded(&folder, "toy", NULL);
    for (opevo_index point = 0; point < 18; point++) {
        opevo_outcome outcome;

        if (!opevo_space_allows(toy->space, point))
            continue;
        allowed++;
        CHECK_OK(opevo_objective_evaluate(toy, &point, 1, &outcome, &err));
        assert_true(outcome.kind != OPEVO_OUTCOME_UNRECORDED);
    }
    assert_int_equal(allowed, TOY_ROWS);
    opevo_objective_destroy(toy);
    folder_close(&folder);
}

/* Two rows share the best fitness, and the one of the larger point stands first in the table. */
CHECK_TEST(optimum_is_the_smallest_of_the_best)
{
    test_folder folder;
    opevo_objective *toy = NULL;
    opevo_optimum best = {.known = false};
    opevo_index first = 0;
    opevo_index second = 0;

    folder_open(&folder);
    write_toy(&folder);
    toy = open_recorded(&folder, "toy", NULL);
    CHECK_OK(opevo_space_read(toy->space, "A=2 B=x F=2,2", &first, &err));
    CHECK_OK(opevo_space_read(toy->space, "A=2 B=x F=4,1", &second, &err));
    CHECK_OK(opevo_objective_optimum(toy, &best, &err));
    assert_true(best.known && best.fitness == 4);
    assert_true(best.point == (first < second ? first : second));
    opevo_objective_destroy(toy);
    folder_close(&folder);
}

/* Every way of naming the files, plain and compressed, gives the same landscape. */
CHECK_TEST(opens_by_any_name)
{
    static const char *const tables[] = {"toy.csv", "toy.csv.xz", "toy.csv.gz"};
    test_folder folder;
    uint64_t signature = 0;

    folder_open(&folder);
    folder_write(&folder, "toy.json", toy_description);
    for (int i = 0; i < 3; i++) {
        const char *names[] = {"toy", "toy.json", tables[i]};

        if (i == 0)
            folder_write(&folder, tables[i], toy_table);
        else
            folder_write_packed(&folder, tables[i], toy_table);
        for (int k = 0; k < 3; k++) {
            opevo_objective *toy = open_recorded(&folder, names[k], NULL);

            signature = signature ? signature : toy->signature;
            assert_true(toy->signature == signature);
            opevo_objective_destroy(toy);
        }
        unlink(folder_file(&folder, tables[i]));
    }
    folder_close(&folder);
}

CHECK_TEST(names_what_is_missing)
{
    test_folder folder;
    opevo_objective *toy = NULL;

    folder_open(&folder);
    CHECK_FAILS(OPEVO_IO, "no file",
                opevo_recorded_open(folder_file(&folder, "toy"), NULL, &toy, &err));
    folder_write(&folder, "toy.csv", toy_table);
    CHECK_FAILS(OPEVO_INVALID, "toy.json",
                opevo_recorded_open(folder_file(&folder, "toy.csv"), NULL, &toy, &err));
    unlink(folder_file(&folder, "toy.csv"));
    folder_write(&folder, "toy.json", toy_description);
    CHECK_FAILS(OPEVO_IO, ".csv, .csv.xz or .csv.gz",
                opevo_recorded_open(folder_file(&folder, "toy"), NULL, &toy, &err));
    folder_write(&folder, "toy.json", "{\"K\": {\"_type\": \"factor\", \"_value\": [4, 2]}}\n");
    CHECK_FAILS(OPEVO_INVALID, "is not a recorded landscape",
                opevo_recorded_open(folder_file(&folder, "toy.json"), NULL, &toy, &err));
    assert_null(toy);
    folder_close(&folder);
}

/* The signature sees every fact that decides an outcome, and not the order of the rows. */
CHECK_TEST(signature_is_of_what_decides)
{
    static const char *const edits[][2] = {
        {"1,x,1,4,4,ok,0.25,0.1,10,100,150\n", "1,x,1,4,4,ok,0.25,0.1,10,100,151\n"},
        {"1,x,1,4,4,ok,0.25,0.1,10,100,150\n", "1,x,1,4,4.000001,ok,0.25,0.1,10,100,150\n"},
        {"1,x,1,4,4,ok,0.25,0.1,10,100,150\n", "1,x,1,4,4,ok,0.250001,0.1,10,100,150\n"},
        {"4,1,,timeout,,,,100,1100", "4,1,,timeout,,,,100,1101"},
    };
    test_folder folder;
    opevo_objective *toy = NULL;
    uint64_t signature = 0;
    char *text = NULL;

    folder_open(&folder);
    write_toy(&folder);
    toy = open_recorded(&folder, "toy", NULL);
    signature = toy->signature;
    opevo_objective_destroy(toy);
    for (size_t i = 0; i < sizeof edits / sizeof edits[0]; i++) {
        text = replaced(toy_table, edits[i][0], edits[i][1]);
        folder_write(&folder, "toy.csv", text);
        toy = open_recorded(&folder, "toy", NULL);
        assert_true(toy->signature != signature);
        opevo_objective_destroy(toy);
        free(text);
    }
    text =
        replaced(toy_table, "1,x,1,4,4,ok,0.25,0.1,10,100,150\n1,x,2,2,2,ok,0.5,0.1,10,100,130\n",
                 "1,x,2,2,2,ok,0.5,0.1,10,100,130\n1,x,1,4,4,ok,0.25,0.1,10,100,150\n");
    folder_write(&folder, "toy.csv", text);
    toy = open_recorded(&folder, "toy", NULL);
    assert_true(toy->signature == signature);
    opevo_objective_destroy(toy);
    free(text);
    folder_close(&folder);
}

/* Without a gflops column fitness comes from the operation count; without that, from the time. */
CHECK_TEST(fitness_without_gflops)
{
    static const char table[] = "A,time_ms,status\n1,2,ok\n2,0.5,ok\n3,,invalid\n";
    static const char description[] =
        "{\"format\": \"tuning-landscape 1\", \"flop_per_run\": 3e6,\n"
        "\"parameters\": [{\"name\": \"A\", \"type\": \"int\", \"values\": [1, 2, 3, 4]}]}\n";
    char *without = replaced(description, "\"flop_per_run\": 3e6,", "");
    test_folder folder;
    opevo_objective *plain = NULL;

    folder_open(&folder);
    folder_write(&folder, "plain.csv", table);
    folder_write(&folder, "plain.json", description);
    plain = open_recorded(&folder, "plain", NULL);
    assert_string_equal(plain->name, "recorded:plain"); /* from the file's name */
    assert_string_equal(plain->unit, "GFLOP/s");
    check_outcome(plain, "A=1", OPEVO_OUTCOME_OK, 1.5, 2e-3, 0, 2e-3);
    check_outcome(plain, "A=2", OPEVO_OUTCOME_OK, 6, 5e-4, 0, 5e-4);
    check_outcome(plain, "A=3", OPEVO_OUTCOME_REJECTED, 0, NAN, 0, 0);
    check_outcome(plain, "A=4", OPEVO_OUTCOME_UNRECORDED, 0, NAN, 0, 0);
    opevo_objective_destroy(plain);
    folder_write(&folder, "plain.json", without);
    plain = open_recorded(&folder, "plain", NULL);
    assert_string_equal(plain->unit, "1/s");
    assert_true(plain->flop == 0);
    check_outcome(plain, "A=1", OPEVO_OUTCOME_OK, 500, 2e-3, 0, 2e-3);
    check_outcome(plain, "A=2", OPEVO_OUTCOME_OK, 2000, 5e-4, 0, 5e-4);
    opevo_objective_destroy(plain);
    free(without);
    folder_close(&folder);
}

CHECK_TEST(no_optimum_when_all_failed)
{
    test_folder folder;
    opevo_objective *plain = NULL;
    opevo_optimum best = {.known = true};

    folder_open(&folder);
    folder_write(&folder, "plain.csv", "A,time_ms,status\n1,,invalid\n2,,timeout\n");
    folder_write(&folder, "plain.json",
                 "{\"format\": \"tuning-landscape 1\", \"valid\": 0,\n\"parameters\": [{\"name\": "
                 "\"A\", \"type\": \"int\", \"values\": [1, 2]}]}\n");
    plain = open_recorded(&folder, "plain", NULL);
    CHECK_OK(opevo_objective_optimum(plain, &best, &err));
    assert_false(best.known);
    opevo_objective_destroy(plain);
    folder_close(&folder);
}

/* Above 2^24 points the rows are found by hashing: 2^40 points, 64 rows. */
CHECK_TEST(large_spaces_are_hashed)
{
    test_folder folder;
    opevo_text table = {0};
    opevo_text description = {0};
    opevo_objective *large = NULL;

    folder_open(&folder);
    opevo_text_add(&description, "{\"format\": \"tuning-landscape 1\", \"parameters\": [");
    for (int i = 0; i < 40; i++) {
        opevo_text_printf(&table, "p%d,", i);
        opevo_text_printf(&description,
                          "%s{\"name\": \"p%d\", \"type\": \"int\", \"values\": [0, 1]}",
                          i ? ", " : "", i);
    }
    opevo_text_add(&description, "]}\n");
    opevo_text_add(&table, "time_ms,status\n");
    for (unsigned row = 1; row <= 64; row++) {
        uint64_t bits = opevo_hash_mix(row);

        for (int i = 0; i < 40; i++)
            opevo_text_printf(&table, "%d,", (int)(bits >> i & 1));
        opevo_text_printf(&table, "%u,ok\n", row);
    }
    folder_write(&folder, "large.csv", table.data);
    folder_write(&folder, "large.json", description.data);
    large = open_recorded(&folder, "large", NULL);
    assert_true(opevo_space_size(large->space) == (opevo_index)1 << 40);
    for (unsigned row = 1; row <= 64; row++) {
        uint64_t bits = opevo_hash_mix(row);
        opevo_index point = 0;
        opevo_outcome outcome;

        for (int i = 0; i < 40; i++)
            point = 2 * point + (bits >> i & 1);
        CHECK_OK(opevo_objective_evaluate(large, &point, 1, &outcome, &err));
        assert_int_equal(outcome.kind, OPEVO_OUTCOME_OK);
        CHECK_CLOSE(outcome.time_s, 1e-3 * row, 1e-15);
        point ^= 1;
        CHECK_OK(opevo_objective_evaluate(large, &point, 1, &outcome, &err));
        assert_int_equal(outcome.kind, OPEVO_OUTCOME_UNRECORDED);
    }
    opevo_objective_destroy(large);
    opevo_text_free(&table);
    opevo_text_free(&description);
    folder_close(&folder);
}

typedef struct reader_thread {
    opevo_objective *objective;
    double sum;
} reader_thread;

static void *sum_all(void *context)
{
    reader_thread *self = context;

    for (int round = 0; round < 2000; round++) {
        for (opevo_index point = 0; point < 18; point++) {
            opevo_outcome outcome;

            opevo_objective_evaluate(self->objective, &point, 1, &outcome, NULL);
            self->sum += outcome.fitness;
        }
    }
    return NULL;
}

CHECK_TEST(threads_read_the_same)
{
    test_folder folder;
    opevo_objective *toy = NULL;
    reader_thread readers[2] = {{NULL, 0}, {NULL, 0}};
    pthread_t threads[2];

    folder_open(&folder);
    write_toy(&folder);
    toy = open_recorded(&folder, "toy", NULL);
    for (int i = 0; i < 2; i++) {
        readers[i].objective = toy;
        assert_int_equal(pthread_create(&threads[i], NULL, sum_all, &readers[i]), 0);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    CHECK_CLOSE(readers[0].sum, 2000 * 15.9125, 1e-6); /* the sum of the gflops column */
    assert_true(readers[0].sum == readers[1].sum);
    opevo_objective_destroy(toy);
    folder_close(&folder);
}

/* Values that only look alike: the number 1, the text "1", 1.0 and true. */
CHECK_TEST(values_of_a_table_find_their_kind)
{
    test_folder folder;
    opevo_objective *plain = NULL;

    folder_open(&folder);
    folder_write(&folder, "plain.csv",
                 "A,B,time_ms,status\n1,true,1,ok\n2.50,false,2,ok\n1.0,no,4,ok\n2.5,10,8,ok\n");
    folder_write(&folder, "plain.json",
                 "{\"format\": \"tuning-landscape 1\", \"parameters\": [{\"name\": \"A\", "
                 "\"type\": \"float\", \"values\": [1, 2.5]}, {\"name\": \"B\", \"type\": "
                 "\"mixed\", \"values\": [true, false, \"no\", \"10\"]}]}");
    plain = open_recorded(&folder, "plain", NULL);
    check_outcome(plain, "A=1 B=true", OPEVO_OUTCOME_OK, 1000, 1e-3, 0, 1e-3);
    check_outcome(plain, "A=2.5 B=false", OPEVO_OUTCOME_OK, 500, 2e-3, 0, 2e-3);
    check_outcome(plain, "A=1 B=no", OPEVO_OUTCOME_OK, 250, 4e-3, 0, 4e-3);
    opevo_objective_destroy(plain);
    folder_close(&folder);
}

CHECK_TEST(survives_failing_allocations)
{
    static const char *const spaces[] = {NULL, "space.json"};
    test_folder folder;
    char path[512];

    folder_open(&folder);
    write_toy(&folder);
    folder_write(&folder, "space.json",
                 "{\"A\": {\"_type\": \"discrete\", \"_value\": [1, 2, 4]},\n"
                 " \"B\": {\"_type\": \"choice\", \"_value\": [\"x\", \"y\"]},\n"
                 " \"F\": {\"_type\": \"factor\", \"_value\": [4, 2]}}\n");
    strcpy(path, folder_file(&folder, "toy"));
    for (int i = 0; i < 2; i++) {
        const char *space = spaces[i] ? folder_file(&folder, spaces[i]) : NULL;
        opevo_status status = OPEVO_NOMEM;
        int64_t live = opevo_memory_live();
        int64_t n = 0;

        while (status != OPEVO_OK) {
            opevo_error err = {OPEVO_OK, ""};
            opevo_objective *toy = NULL;

            opevo_memory_fail_at(++n);
            status = opevo_recorded_open(path, space, &toy, &err);
            opevo_memory_fail_at(0);
            if (status != OPEVO_OK && status != OPEVO_NOMEM)
                fail_msg("allocation %d: %s", (int)n, err.message);
            assert_true((status == OPEVO_OK) == (toy != NULL));
            opevo_objective_destroy(toy);
            assert_int_equal(opevo_memory_live(), live);
        }
        assert_true(n > 20); /* the loop did reach the allocations */
    }
    folder_close(&folder);
}
