/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Studies on candidates that are not points of a space: whole, in shares and one by one, their runs
 * have the same trials with the same texts; what needs parameters is refused. */

#include "edit_domain.h"
#include "study_fixture.h"

#include <opevo/tuners.h>

#define OBJECTIVE "{\"study\": 1, \"objectives\": ["
#define REST "], \"seeds\": 3, \"budget\": {\"trials\": 40}"
#define TUNERS                                                                                     \
    REST ", \"tuners\": [\"random\", {\"tuner\": \"nsga2\", \"settings\": {\"q\": [0.2, 0.6]}}]}"

static const opevo_tuner_default own_settings[] = {
    {"nsga2", "population=6"}, {"absent", "x=1"}, {NULL, NULL}};
static const opevo_search_defaults own_defaults = {"time,edits", own_settings};

/* Trials by objective, tuner, settings and seed, as far as they have a text. */
static opevo_text dump(const char *path)
{
    static const char query[] =
        "SELECT tuner || ' ' || settings || ' ' || seed || ' ' || number || ' ' || text || ' ' ||"
        " outcome || ' ' || fitness || quote(criterion_1) FROM trials JOIN runs USING (run)"
        " JOIN candidates USING (space, point) ORDER BY tuner, settings, seed, number";
    sqlite3_stmt *statement = NULL;
    opevo_text out = {0};
    sqlite3 *db = NULL;

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_prepare_v2(db, query, -1, &statement, NULL) != SQLITE_OK)
        fail_msg("%s", sqlite3_errmsg(db));
    while (sqlite3_step(statement) == SQLITE_ROW)
        opevo_text_printf(&out, "%s\n", (const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    sqlite3_close(db);
    assert_false(out.failed);
    return out;
}

static void check_same_trials(const char *a, const char *b)
{
    opevo_text x = dump(a);
    opevo_text y = dump(b);
    size_t lines = 0;

    for (size_t i = 0; i < x.length; i++)
        lines += x.data[i] == '\n';
    assert_int_equal(lines, 3 * 3 * 40); /* none without its text */
    assert_string_equal(x.data, y.data);
    opevo_text_free(&x);
    opevo_text_free(&y);
}

/* The runs of the study by opevo_run, each from the start. */
static void run_alone(const opevo_study *study, const char *path)
{
    opevo_store *store = NULL;

    CHECK_OK(opevo_store_open(path, OPEVO_STORE_WRITE, &store, &err));
    for (uint64_t k = 0; k < opevo_study_run_count(study); k++) {
        const opevo_study_line *line = &study->lines[k % study->line_count];
        opevo_run_options options = {.tuner = line->tuner,
                                     .settings = line->settings,
                                     .criteria = &line->criteria,
                                     .seed = study->seeds[k / study->line_count],
                                     .budget = line->budget,
                                     .store = store};
        opevo_run_result result;

        CHECK_OK(opevo_run(line->objective, &options, &result, &err));
    }
    opevo_store_close(store);
}

static opevo_study *study_on(const fixture *self, edit_objective *edits, const char *text)
{
    opevo_study_objective given = {.objective = &edits->super};
    opevo_plan *plan = NULL;
    opevo_study *study = NULL;

    CHECK_OK(fixture_plan(self, text, &plan, &err));
    CHECK_OK(opevo_study_create(plan, &given, &study, &err));
    return study;
}

/* Each process has texts of its own, as it draws its own candidates. */
static void run_share(const fixture *self, const char *text, bool concurrent, opevo_shard shard,
                      const char *store)
{
    edit_domain domain = edit_domain_make();
    edit_objective edits = edit_objective_on(&domain, concurrent);
    opevo_study *study = study_on(self, &edits, text);
    opevo_study_result result = {.runs = 0};

    CHECK_OK(opevo_study_run(study, &(opevo_study_options){.store = store, .shard = shard}, &result,
                             &err));
    assert_int_equal(result.ran, result.runs);
    CHECK_OK(opevo_study_run(study, &(opevo_study_options){.store = store, .shard = shard}, &result,
                             &err));
    assert_int_equal(result.ran, 0);
    opevo_study_destroy(study);
    opevo_domain_destroy(&domain.super);
}

static void check_runs(bool concurrent)
{
    static const char text[] = OBJECTIVE "\"edits\"" TUNERS;
    fixture self;
    edit_domain domain = edit_domain_make();
    edit_objective edits = edit_objective_on(&domain, concurrent);
    opevo_study *study = NULL;
    opevo_merge_result merged;
    fixture_path whole, shares[2], joined, alone;

    fixture_make(&self);
    whole = fixture_file(&self, "whole.db");
    joined = fixture_file(&self, "joined.db");
    alone = fixture_file(&self, "alone.db");
    study = study_on(&self, &edits, text);
    assert_int_equal(opevo_study_run_count(study), 9);
    run_share(&self, text, concurrent, (opevo_shard){0, 1}, whole.text);
    for (uint32_t i = 0; i < 2; i++) {
        const char *source = shares[i].text;

        shares[i] = fixture_file(&self, i ? "b.db" : "a.db");
        run_share(&self, text, concurrent, (opevo_shard){i, 2}, shares[i].text);
        CHECK_OK(opevo_study_merge(study, joined.text, &source, 1, &merged, &err));
    }
    assert_int_equal(merged.present, 9);
    run_alone(study, alone.text);
    check_same_trials(whole.text, joined.text);
    check_same_trials(whole.text, alone.text);
    opevo_study_destroy(study);
    opevo_domain_destroy(&domain.super);
    fixture_free(&self);
}

CHECK_TEST(test_runs)
{
    check_runs(false);
    check_runs(true);
}

/* The objective's defaults stand behind the plan's settings and criteria. */
CHECK_TEST(test_defaults)
{
    static const char text[] = OBJECTIVE
        "\"edits\", {\"on\": \"edits\", \"criteria\": \"edits\", \"with\": [\"a=1\", \"b\"]}" REST
        ", \"tuners\": [\"random\", \"nsga2\", {\"tuner\": \"nsga2\", \"settings\": "
        "{\"population\": 9}}]}";
    static const char *const wanted[] = {"",      "population=6", "population=9",
                                         "a=1 b", "population=6", "population=9"};
    fixture self;
    edit_domain domain = edit_domain_make();
    edit_objective edits = edit_objective_on(&domain, false);
    opevo_study_objective given[] = {{.objective = &edits.super}, {.objective = &edits.super}};
    opevo_plan *plan = NULL;
    opevo_study *study = NULL;

    fixture_make(&self);
    edits.super.defaults = &own_defaults;
    CHECK_OK(fixture_plan(&self, text, &plan, &err));
    CHECK_OK(opevo_study_create(plan, given, &study, &err));
    assert_int_equal(study->line_count, 6);
    for (size_t i = 0; i < 6; i++) {
        const opevo_study_line *line = &study->lines[i];
        bool by_criteria = line->tuner->by_criteria;
        const char *more = i < 3 ? (by_criteria ? " criteria=fitness,edits" : "")
                                 : (by_criteria ? " criteria=edits a=1 b" : "a=1 b");
        size_t length = strlen(line->settings_text);

        assert_int_equal(strncmp(line->settings_text, wanted[i], strlen(wanted[i])), 0);
        assert_true(length >= strlen(more));
        assert_string_equal(line->settings_text + length - strlen(more), more);
        assert_int_equal(line->criteria.count, i < 3 ? 2 : 1);
    }
    opevo_study_destroy(study);
    opevo_domain_destroy(&domain.super);
    fixture_free(&self);
}

CHECK_TEST(test_refused)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {OBJECTIVE "\"edits\"" REST ", \"tuners\": [\"random\", \"opevo\"]}",
         "plan.json: tuners[1]: opevo on edits: The tuner opevo needs a search space and does not "
         "support the edits of abcdefghabcd"},
        {OBJECTIVE "{\"on\": \"edits\", \"topologies\": {\"K\": \"complete\"}}" TUNERS,
         "plan.json: objectives[0]: topologies requires a search space, which edits does not "
         "have."},
        {OBJECTIVE "\"edits\"" REST
                   ", \"tuners\": [\"random\"], \"topologies\": {\"K\": \"complete\"}}",
         "which edits does not have; give the other objectives their own."},
        {OBJECTIVE "{\"on\": \"edits\", \"start\": \"[2c]\"}" TUNERS,
         "objectives[0]: start requires a search space, which edits does not have."},
        {OBJECTIVE "{\"on\": \"edits\", \"space\": \"space.json\"}" TUNERS,
         "objectives[0]: space requires a search space, which edits does not have."},
    };
    fixture self;
    edit_domain domain = edit_domain_make();
    edit_objective edits = edit_objective_on(&domain, true);
    opevo_study_objective given = {.objective = &edits.super};

    fixture_make(&self);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opevo_plan *plan = NULL;
        opevo_study *study = NULL;

        CHECK_OK(fixture_plan(&self, cases[i].text, &plan, &err));
        CHECK_FAILS(OPEVO_INVALID, cases[i].words, opevo_study_create(plan, &given, &study, &err));
        opevo_plan_destroy(plan);
    }
    opevo_domain_destroy(&domain.super);
    fixture_free(&self);
}
