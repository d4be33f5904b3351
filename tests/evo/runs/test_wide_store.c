/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Runs on a space of more than 2^128 - 1 points: the numbers of its points are hashes, and what
 * they stand for is in the store. */

#include "formula.h"
#include "scratch_folder.h"
#include "store_fixture.h"

#include <opevo/memory.h>
#include <opevo/run.h>
#include <opevo/tuners.h>

enum { TRIALS = 60, PARAMETERS = 100 };

static opevo_space *wide_space(void)
{
    opevo_space *space = NULL;
    opevo_text json = {0};

    opevo_text_add(&json, "{");
    for (int i = 0; i < PARAMETERS; i++)
        opevo_text_printf(&json, "%s\"p%d\": {\"_type\": \"discrete\", \"_value\": [1, 2, 4, 8]}",
                          i ? ", " : "", i);
    opevo_text_add(&json, "}");
    space = formula_space(opevo_text_string(&json));
    opevo_text_free(&json);
    assert_true(opevo_space_is_wide(space));
    return space;
}

/* A run as a new process would do it: its space has met nothing but the start point. */
static void run_to(const char *path, const char *tuner, uint64_t trials, bool starts)
{
    opevo_space *space = wide_space();
    formula objective = formula_on(space, 3, 5);
    opevo_setting_value values[FORMULA_SETTINGS_MOST];
    opevo_run_options options = {.settings = values, .seed = 1, .budget.trials = trials};
    opevo_index vertices[PARAMETERS] = {[7] = 2};
    opevo_proposal start = {.origin = "a test"};
    opevo_starts offered = {.points = &start, .count = 1};
    opevo_run_result result;

    CHECK_OK(opevo_tuner_find(tuner, &options.tuner, &err));
    opevo_settings_default(options.tuner, values);
    if (starts) {
        start.point = opevo_space_encode(space, vertices);
        options.starts = &offered;
    }
    options.store = open_store(path, OPEVO_STORE_WRITE);
    CHECK_OK(opevo_run(&objective.super, &options, &result, &err));
    assert_int_equal(result.trials, trials);
    opevo_store_close(options.store);
    opevo_space_destroy(space);
}

static void read_points(const char *path, opevo_index *points)
{
    opevo_store *store = open_store(path, OPEVO_STORE_READ);
    opevo_trial trials[TRIALS];
    size_t count = 0;

    CHECK_OK(opevo_store_read(store, 1, 0, trials, TRIALS, &count, &err));
    assert_int_equal(count, TRIALS);
    for (size_t i = 0; i < count; i++)
        points[i] = trials[i].proposal.point;
    opevo_store_close(store);
}

static void note_best(void *context, const opevo_run_info *info)
{
    snprintf(context, 64, "%s", info->best_text);
}

/* The space of a stored run knows the points of its trials, by texts that give their numbers. */
static void check_known(const char *path, const opevo_index *points)
{
    opevo_store *store = open_store(path, OPEVO_STORE_READ);
    opevo_space *space = NULL, *other = wide_space();
    opevo_text text = {0};
    char best[64] = "";

    CHECK_OK(opevo_store_space(store, 1, &space, &err));
    for (size_t i = 0; i < TRIALS; i++) {
        opevo_index read = 0;

        assert_true(opevo_space_has(space, points[i]));
        opevo_text_clear(&text);
        opevo_space_print(space, points[i], &text);
        CHECK_OK(opevo_space_read(other, opevo_text_string(&text), &read, &err));
        assert_true(read == points[i]);
    }
    CHECK_OK(opevo_store_list(store, note_best, best, &err));
    assert_memory_equal(best, "p0=", 3);
    opevo_text_free(&text);
    opevo_space_destroy(space);
    opevo_space_destroy(other);
    opevo_store_close(store);
}

/* A run that was cut ends as one that was not, with and without a start point. */
CHECK_TEST(test_resume)
{
    static const char *const tuners[] = {"random", "opevo", "gbfs", "tpe", "nsga2", "kt-genetic"};

    for (size_t t = 0; t < sizeof tuners / sizeof *tuners; t++) {
        scratch_folder whole = scratch_make(), cut = scratch_make();
        opevo_index points[TRIALS], again[TRIALS];
        bool starts = t % 2;

        run_to(whole.file, tuners[t], TRIALS, starts);
        run_to(cut.file, tuners[t], 23, starts);
        run_to(cut.file, tuners[t], TRIALS, false);
        read_points(whole.file, points);
        read_points(cut.file, again);
        assert_memory_equal(points, again, sizeof points);
        check_known(cut.file, points);
        scratch_remove(&whole);
        scratch_remove(&cut);
    }
}

/* A text that is not that of the point beside it is refused. */
CHECK_TEST(test_spoilt)
{
    static const char *const changes[] = {
        "UPDATE candidates SET text = replace(text, 'p0=1 ', 'p0=2 ')",
        "UPDATE candidates SET text = replace(text, 'p3=', 'q3=')",
        "UPDATE candidates SET text = ''",
        "UPDATE candidates SET point = x'01'",
    };

    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        scratch_folder scratch = scratch_make();
        opevo_store *store = NULL;
        opevo_space *space = NULL;

        run_to(scratch.file, "random", i == 3 ? 1 : TRIALS, false);
        tamper(scratch.file, changes[i]);
        store = open_store(scratch.file, OPEVO_STORE_READ);
        CHECK_FAILS(OPEVO_INVALID, "a configuration of run 1 is malformed",
                    opevo_store_space(store, 1, &space, &err));
        assert_null(space);
        opevo_store_close(store);
        scratch_remove(&scratch);
    }
}
