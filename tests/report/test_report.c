/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What `opevo report` writes: one file without outside references, whose data are JSON with the
 * numbers of `opevo analyze --json` to the last digit, whatever names the user chose. */

#include "reports.h"

#include <opevo/store_workers.h>

#include <math.h>
#include <sys/stat.h>

/* In a folder "<": the whole argument is "</script>...". */
static const char store[] = "</script><b onload=\"x\">&'<!-- \xe2\x80\xa8\xe2\x80\xa9.db";

static int set_up(void **state)
{
    if (enter_folder(state) || mkdir("<", 0755))
        return -1;
    write_text(
        "plan.json",
        "{\"study\": 1, \"objectives\": [{\"on\": \"sim:mi50\", \"what\": [\"matmul(8,8,8)\", "
        "\"matmul(16,8,8)\"]}], \"tuners\": [\"random\", {\"tuner\": \"opevo\", \"settings\": "
        "{\"q\": [0.2, 0.7]}}], \"seeds\": 5, \"budget\": {\"trials\": 12}}");
    if (run("study plan.json --store runs.db") != 0)
        return -1;
    return link("runs.db", store);
}

static void check_number(const json_t *have, const json_t *want)
{
    assert_non_null(have);
    assert_non_null(want);
    if (!json_is_number(want)) {
        assert_true(json_is_null(have) && json_is_null(want));
        return;
    }
    if (json_number_value(have) != json_number_value(want))
        fail_msg("%.17g for %.17g", json_number_value(have), json_number_value(want));
}

static void check_course(const json_t *have, const json_t *want)
{
    static const char *const members[] = {"mean", "sd", "worst", "score", "ecdf"};
    json_t *points = json_object_get(want, "points");
    json_t *targets = json_object_get(want, "targets");

    assert_true(json_array_size(points) > 5);
    for (size_t i = 0; i < json_array_size(points); i++) {
        const json_t *point = json_array_get(points, i);
        const json_t *interval = json_object_get(point, "interval");

        for (size_t k = 0; k < sizeof members / sizeof *members; k++)
            check_number(json_array_get(json_object_get(have, members[k]), i),
                         json_object_get(point, members[k]));
        check_number(json_array_get(json_object_get(have, "low"), i), json_array_get(interval, 0));
        check_number(json_array_get(json_object_get(have, "high"), i), json_array_get(interval, 1));
        check_number(json_array_get(json_object_get(have, "within_5"), i),
                     json_object_get(point, "within_5_percent"));
    }
    for (size_t i = 0; i < json_array_size(targets); i++)
        check_number(json_array_get(json_object_get(json_object_get(have, "targets"), "ert"), i),
                     json_object_get(json_array_get(targets, i), "ert"));
    check_number(json_object_get(have, "area"), json_object_get(want, "ecdf_area"));
}

static void check_cells(const json_t *have, const json_t *want)
{
    const json_t *cells = json_object_get(have, "cells"), *tuners = json_object_get(want, "tuners");

    assert_int_equal(json_array_size(cells), json_array_size(tuners));
    for (size_t i = 0; i < json_array_size(cells); i++) {
        const json_t *cell = json_array_get(cells, i);
        const json_t *outcomes = json_object_get(cell, "outcomes");
        json_int_t sum = 0;

        check_course(cell, json_array_get(tuners, i));
        for (size_t k = 0; k < json_array_size(outcomes); k++)
            sum += json_integer_value(json_array_get(outcomes, k));
        assert_int_equal(sum, json_integer_value(json_object_get(cell, "trials")));
        assert_int_equal(sum - json_integer_value(json_array_get(outcomes, 0)),
                         json_integer_value(json_object_get(cell, "failed")));
        assert_string_equal(json_string_value(json_object_get(cell, "seeds")), "1-5");
    }
    check_course(json_object_get(have, "random"), json_object_get(want, "random"));
}

CHECK_TEST(numbers_are_those_of_analyze)
{
    json_t *have = NULL, *want = NULL;
    const json_t *places = NULL, *pairs = NULL;

    assert_int_equal(run("report runs.db -o page.html"), 0);
    have = read_page("page.html");
    assert_int_equal(run("analyze runs.db --json"), 0);
    want = read_json("out");
    places = json_object_get(have, "landscapes");
    assert_int_equal(json_array_size(places), 2);
    for (size_t i = 0; i < 2; i++)
        check_cells(json_array_get(places, i),
                    json_array_get(json_object_get(want, "landscapes"), i));
    pairs = json_object_get(want, "pairs");
    assert_int_equal(json_array_size(pairs), 6);
    for (size_t i = 0; i < 6; i++)
        check_number(json_array_get(json_object_get(json_object_get(have, "pairs"), "p_holm"), i),
                     json_object_get(json_array_get(pairs, i), "p_holm"));
    json_decref(have);
    json_decref(want);
}

/* The sentences in short, and the heads of the ranking, stand in the text of `opevo analyze` as in
 * the report. */
CHECK_TEST(words_are_those_of_analyze)
{
    char *text = NULL;
    const char *at = NULL;
    json_t *data = NULL;
    const json_t *lines = NULL, *heads = NULL;

    setenv("COLUMNS", "400", 1); /* sentences are compared whole */
    assert_int_equal(run("report runs.db -o page.html"), 0);
    data = read_page("page.html");
    assert_int_equal(run("analyze runs.db"), 0);
    text = read_text("out");
    lines = json_object_get(data, "short");
    assert_int_equal(json_array_size(lines), 3); /* over both landscapes, and of each */
    for (size_t i = 0; i < 3; i++) {
        const json_t *line = json_array_get(lines, i);
        opevo_text whole = {0};

        opevo_text_printf(&whole, "\n- %s: %s %s\n",
                          json_string_value(json_object_get(line, "where")),
                          json_string_value(json_object_get(line, "who")),
                          json_string_value(json_object_get(line, "rest")));
        if (!strstr(text, opevo_text_string(&whole)))
            fail_msg("analyze does not say:%s", opevo_text_string(&whole));
        opevo_text_free(&whole);
    }
    heads = json_object_get(json_object_get(data, "words"), "ranking");
    at = strstr(text, "best fraction of the optimum after 12 trials\n");
    assert_true(json_array_size(heads) > 5);
    for (size_t i = 0; i < json_array_size(heads); i++) {
        const char *head = json_string_value(json_array_get(heads, i));

        assert_non_null(at);
        at = strstr(at, *head == '<' ? head + 1 : head);
    }
    assert_non_null(at);
    json_decref(data);
    opevo_free(text);
}

/* Put finals of two points, `first` one of them, and the library; in every round the second point
 * takes half the time of the first and twice that of the library. */
static void put_finals(int64_t run, opevo_index first)
{
    enum { ROUNDS = 8 };
    opevo_store *file = NULL;
    opevo_error err = {OPEVO_OK, ""};
    opevo_index points[] = {first, 3, ~(opevo_index)0};
    double fitness[3 * ROUNDS];
    opevo_stored_finals finals = {
        .points = points, .count = 3, .rounds = ROUNDS, .fitness = fitness};

    for (size_t i = 0; i < ROUNDS; i++) {
        fitness[i] = (double)(i + 1);
        fitness[ROUNDS + i] = 2 * fitness[i];
        fitness[2 * ROUNDS + i] = 4 * fitness[i];
    }
    opevo_text_add(&finals.library, "a library </script>");
    assert_int_equal(opevo_store_open("finals.db", OPEVO_STORE_WRITE, &file, &err), OPEVO_OK);
    assert_int_equal(opevo_store_put_finals(file, run, &finals, &err), OPEVO_OK);
    opevo_store_close(file);
    opevo_text_free(&finals.library);
}

static bool is_near(const json_t *one, const char *name, double wanted)
{
    return fabs(json_number_value(json_object_get(one, name)) - wanted) <= 1e-12 * wanted;
}

/* The finalists come by rank; of 8 rounds the interval ends at the first and the last. */
static void check_finalist(const json_t *finals, size_t at, int rank, int won, double median)
{
    const json_t *one = json_array_get(json_object_get(finals, "finalists"), at);

    assert_int_equal(json_integer_value(json_object_get(one, "rank")), rank);
    assert_int_equal(json_integer_value(json_object_get(one, "won")), won);
    assert_true(is_near(one, "fitness", median));
    assert_true(is_near(one, "low", median / 4.5));
    assert_true(is_near(one, "high", 8 * median / 4.5));
}

/* The report has the finals of the runs that have some, as `opevo runs` has them, and whose they
 * are. */
CHECK_TEST(finals_are_those_of_runs)
{
    json_t *data = NULL, *runs = NULL;
    const json_t *row = NULL, *run_5 = NULL, *finals = NULL, *place = NULL;

    assert_int_equal(execute("cp runs.db ", "finals.db"), 0);
    put_finals(5, 1);
    assert_int_equal(run("report finals.db -o page.html"), 0);
    data = read_page("page.html");
    assert_int_equal(run("runs finals.db --json"), 0);
    runs = read_json("out");
    assert_int_equal(json_array_size(json_object_get(data, "finals")), 1);
    row = json_array_get(json_object_get(data, "finals"), 0);
    run_5 = json_array_get(runs, 4);
    finals = json_object_get(run_5, "finals");
    assert_null(json_object_get(json_array_get(runs, 3), "finals"));
    assert_true(json_equal(json_object_get(row, "finals"), finals));
    assert_true(json_equal(json_object_get(row, "seed"), json_object_get(run_5, "seed")));
    place = json_array_get(json_object_get(data, "landscapes"),
                           (size_t)json_integer_value(json_object_get(row, "landscape")));
    assert_true(json_equal(json_object_get(place, "name"), json_object_get(run_5, "objective")));
    row = json_array_get(json_object_get(data, "contenders"),
                         (size_t)json_integer_value(json_object_get(row, "contender")));
    assert_true(json_equal(json_object_get(row, "settings"), json_object_get(run_5, "settings")));

    assert_string_equal(json_string_value(json_object_get(finals, "verdict")), "faster");
    assert_float_equal(json_number_value(json_object_get(finals, "ratio")), 2, 0);
    assert_float_equal(json_number_value(json_object_get(finals, "library_ratio")), 0.5, 0);
    check_finalist(finals, 0, 1, 8, 9);
    check_finalist(finals, 1, 2, 0, 4.5);
    json_decref(data);
    json_decref(runs);
}

/* A run of four trials, of which one fails and the others have these results, by workers on two
 * devices. */
static void put_measured(void)
{
    static const opevo_measurer by[] = {{"worker 1", "a", "CPU A", true},
                                        {"worker 2", "b", "CPU </script>", true},
                                        {"worker 2", "b", "CPU </script>", true},
                                        {"worker 3", "c", "CPU A", true}};
    static const double fitness[] = {3, 8, 4, 0};
    opevo_run_key key = {.objective = "two devices",
                         .tuner = "random",
                         .settings = "",
                         .seed = 1,
                         .unit = "GFLOP/s"};
    opevo_trial trials[4];
    opevo_store *file = NULL;
    opevo_error err = {OPEVO_OK, ""};
    opevo_space *space = NULL;
    int64_t run = 0;

    assert_int_equal(
        opevo_space_parse("{\"x\": {\"_type\": \"discrete\", \"_value\": [1, 2, 3, 4]}}", "space",
                          NULL, &space, &err),
        OPEVO_OK);
    key.space = space;
    assert_int_equal(opevo_store_open("devices.db", OPEVO_STORE_WRITE, &file, &err), OPEVO_OK);
    assert_int_equal(opevo_store_begin(file, &key, &run, &err), OPEVO_OK);
    for (uint64_t i = 0; i < 4; i++) {
        trials[i] = (opevo_trial){.number = i + 1,
                                  .proposal = {i, "initial"},
                                  .outcome = opevo_outcome_failed(OPEVO_OUTCOME_TIMEOUT)};
        if (fitness[i] > 0)
            trials[i].outcome = opevo_outcome_of_fitness(fitness[i]);
        assert_int_equal(opevo_store_note_measurer(file, run, i + 1, &by[i], &err), OPEVO_OK);
    }
    assert_int_equal(opevo_store_append(file, run, trials, 4, &err), OPEVO_OK);
    opevo_store_close(file);
    opevo_space_destroy(space);
}

static void check_device(const json_t *one, const char *name, int trials, int succeeded,
                         double best, double median)
{
    assert_string_equal(json_string_value(json_object_get(one, "device")), name);
    assert_int_equal(json_integer_value(json_object_get(one, "trials")), trials);
    assert_int_equal(json_integer_value(json_object_get(one, "succeeded")), succeeded);
    assert_true(json_number_value(json_object_get(one, "best")) == best);
    assert_true(json_number_value(json_object_get(one, "median")) == median);
}

/* The table of devices has each once, with its own trials; a run on one device has none. */
CHECK_TEST(devices_are_compared)
{
    json_t *data = NULL;
    const json_t *devices = NULL;

    put_measured();
    assert_int_equal(run("report devices.db:1 -o page.html"), 0);
    data = read_page("page.html");
    devices = json_object_get(data, "devices");
    assert_int_equal(json_array_size(devices), 2);
    check_device(json_array_get(devices, 0), "CPU A", 2, 1, 3, 3);
    check_device(json_array_get(devices, 1), "CPU </script>", 2, 2, 8, 6);
    assert_int_equal(json_array_size(json_object_get(data, "workers")), 3);
    json_decref(data);
    assert_int_equal(run("report runs.db:1 -o page.html"), 0);
    data = read_page("page.html");
    assert_int_equal(json_array_size(json_object_get(data, "devices")), 0);
    json_decref(data);
}

CHECK_TEST(damaged_finals_are_refused)
{
    char *words = NULL;

    assert_int_equal(execute("cp runs.db ", "finals.db"), 0);
    put_finals(5, (opevo_index)1 << 100); /* no point of the space */
    assert_int_equal(run("report finals.db -o page.html"), 2);
    assert_int_equal(run("runs finals.db:5"), 2);
    words = read_text("err");
    assert_non_null(strstr(words, "finals.db is damaged: the finals of run 5"));
    opevo_free(words);
}

static size_t occurrences(const char *text, const char *piece)
{
    size_t found = 0;

    for (; (text = strstr(text, piece)); text++)
        found++;
    return found;
}

CHECK_TEST(names_stay_in_the_data)
{
    opevo_text command = {0};
    char *plain = NULL, *page = NULL;
    json_t *data = NULL;

    opevo_text_printf(
        &command,
        "report '</script><b onload=\"x\">&'\\''<!-- \xe2\x80\xa8\xe2\x80\xa9.db' -o evil.html");
    assert_int_equal(run(opevo_text_string(&command)), 0);
    assert_int_equal(run("report runs.db -o page.html"), 0);
    page = read_text("evil.html");
    plain = read_text("page.html");
    /* As many elements and comments as in the page of a store with a plain name. */
    assert_int_equal(occurrences(page, "</script"), occurrences(plain, "</script"));
    assert_int_equal(occurrences(page, "<!--"), occurrences(plain, "<!--"));
    assert_int_equal(occurrences(page, "<b "), 0);
    assert_int_equal(occurrences(page, "\xe2\x80\xa8"), 1); /* in the title */
    data = data_of(page);
    assert_string_equal(json_string_value(json_object_get(data, "title")), store);
    json_decref(data);
    opevo_text_free(&command);
    opevo_free(page);
    opevo_free(plain);
}

/* Without the chart library, which could load data from an address that it is never given. */
static void cut_library(char *page)
{
    char *from = strstr(page, "<script id=\"dygraphs\">");
    const char *to = NULL;

    assert_non_null(from);
    to = strstr(from, "</script>");
    assert_non_null(to);
    memmove(from, to, strlen(to) + 1);
}

CHECK_TEST(page_stands_alone)
{
    static const char *const outside[] = {"<link",    " src=",  "@import",
                                          "url(http", "fetch(", "XMLHttpRequest"};
    char *page = NULL;

    assert_int_equal(run("report runs.db -o page.html"), 0);
    page = read_text("page.html");
    assert_true(strlen(page) < 600000);
    cut_library(page);
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
        assert_int_equal(occurrences(page, outside[i]), 0);
    assert_int_equal(occurrences(page, "Permission is hereby granted"), 1); /* dygraphs' */
    assert_int_equal(occurrences(page, "default-src 'none'"), 1);
    opevo_free(page);
}

CHECK_TEST(landscape_is_that_of_landscape)
{
    json_t *have = NULL, *want = NULL;

    assert_int_equal(run("report 'matmul(8,8,8)' --on sim:mi50 -o page.html"), 0);
    have = read_page("page.html");
    assert_int_equal(
        run("landscape 'matmul(8,8,8)' --on sim:mi50 --topologies all --population 50 --json"), 0);
    want = read_json("out");
    {
        const json_t *a = json_object_get(json_object_get(have, "landscape"), "analysis");
        const json_t *b = json_object_get(want, "analysis");
        const json_t *first = json_object_get(a, "topologies");
        size_t with = 0;

        assert_true(json_equal(json_object_get(json_object_get(have, "landscape"), "outcomes"),
                               json_object_get(want, "outcomes")));
        assert_true(json_array_size(first) > 1);
        assert_int_equal(json_array_size(first), json_array_size(json_object_get(b, "topologies")));
        for (size_t i = 0; i < json_array_size(first); i++) {
            json_t *one = json_array_get(first, i);
            const json_t *other = json_array_get(json_object_get(b, "topologies"), i);

            with += json_object_get(one, "interaction") != NULL;
            assert_true(json_equal(json_object_get(one, "first_improvement"),
                                   json_object_get(other, "first_improvement")));
            assert_true(json_equal(json_object_get(one, "improvement"),
                                   json_object_get(other, "improvement")));
        }
        assert_int_equal(with, 1); /* it does not depend on the topology */
    }
    json_decref(have);
    json_decref(want);
}

int main(void)
{
    return check_tests(set_up, leave_folder);
}
