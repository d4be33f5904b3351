/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Studies of formulas for the tests: a plan from a text, its objectives by the names "small",
 * "large" and "device", and everything that a store holds as one text. */

#ifndef OPEVO_TESTS_STUDY_FIXTURE_H
#define OPEVO_TESTS_STUDY_FIXTURE_H

#include "formula.h"

#include <sqlite3.h>

#include <opevo/study.h>

#include "scratch_folder.h"

enum { FIXTURE_OBJECTIVES = 3 };

typedef struct fixture {
    scratch_folder scratch;
    opevo_space *spaces[FIXTURE_OBJECTIVES];
    formula formulas[FIXTURE_OBJECTIVES];
} fixture;

static const char *const fixture_names[FIXTURE_OBJECTIVES] = {"small", "large", "device"};

/* small: its outcomes are kept once; large: each run keeps its own; device: is measured. */
static inline void fixture_make(fixture *self)
{
    static const char *const spaces[FIXTURE_OBJECTIVES] = {
        "{\"K\": {\"_type\": \"factor\", \"_value\": [64, 3]}, \"u\": {\"_type\": \"discrete\","
        " \"_value\": [0, 125, 256, 512]}}",
        "{\"K\": {\"_type\": \"factor\", \"_value\": [1024, 4]}, \"X\": {\"_type\": \"factor\","
        " \"_value\": [4096, 4]}, \"p\": {\"_type\": \"permutation\", \"_value\": [7]}}",
        "{\"K\": {\"_type\": \"factor\", \"_value\": [256, 3]}}"};

    self->scratch = scratch_make();
    for (size_t i = 0; i < FIXTURE_OBJECTIVES; i++) {
        self->spaces[i] = formula_space(spaces[i]);
        self->formulas[i] = formula_on(self->spaces[i], 7 + i, 4);
        self->formulas[i].super.name = fixture_names[i];
    }
    self->formulas[1].keeps_samples = true;
    self->formulas[2].super.concurrent = false;
}

static inline void fixture_free(fixture *self)
{
    for (size_t i = 0; i < FIXTURE_OBJECTIVES; i++)
        opevo_space_destroy(self->spaces[i]);
    scratch_remove(&self->scratch);
}

/* A path in the test's folder. */
typedef struct fixture_path {
    char text[96];
} fixture_path;

static inline fixture_path fixture_file(const fixture *self, const char *name)
{
    fixture_path path;

    snprintf(path.text, sizeof path.text, "%s/%s", self->scratch.path, name);
    return path;
}

static inline opevo_status fixture_plan(const fixture *self, const char *text, opevo_plan **out,
                                        opevo_error *err)
{
    fixture_path path = fixture_file(self, "plan.json");
    FILE *file = fopen(path.text, "w");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    return opevo_plan_load(path.text, out, err);
}

static inline opevo_status fixture_study(fixture *self, const char *text, opevo_study **out,
                                         opevo_error *err)
{
    opevo_study_objective given[16] = {{NULL, {NULL, NULL, NULL, 0}}};
    opevo_plan *plan = NULL;
    opevo_status status = fixture_plan(self, text, &plan, err);

    if (status != OPEVO_OK)
        return status;
    assert_true(opevo_plan_objective_count(plan) <= 16);
    for (size_t i = 0; i < opevo_plan_objective_count(plan); i++) {
        opevo_plan_objective named = opevo_plan_objective_get(plan, i);

        for (size_t k = 0; k < FIXTURE_OBJECTIVES; k++) {
            if (!strcmp(named.on, fixture_names[k]))
                given[i].objective = &self->formulas[k].super;
        }
        assert_non_null(given[i].objective);
        given[i].note = (opevo_objective_note){.on = fixture_names[i % FIXTURE_OBJECTIVES],
                                               .optimum = i == 1 ? 0 : 1000};
    }
    status = opevo_study_create(plan, given, out, err);
    if (status != OPEVO_OK)
        opevo_plan_destroy(plan);
    return status;
}

static inline opevo_study_result fixture_run(const opevo_study *study, opevo_study_options options)
{
    opevo_study_result result = {.runs = 0};

    CHECK_OK(opevo_study_run(study, &options, &result, &err));
    return result;
}

/* All rows of all tables, in the order of their keys; release with opevo_text_free. */
static inline opevo_text fixture_dump(const char *path)
{
    static const char *const queries[] = {
        ("SELECT key || value FROM format ORDER BY key"),
        ("SELECT space || ' ' || signature || json FROM spaces ORDER BY space"),
        ("SELECT quote(run) || quote(objective) || quote(tuner) || quote(settings) || quote(seed) "
         "||"
         " quote(signature) || quote(space) || quote(unit) || quote(version) || quote(budget) ||"
         " quote(stop) || quote(opened_on) || quote(opened_what) || quote(opened_space) ||"
         " quote(optimum) || (CASE WHEN budget = '' THEN '' ELSE quote(started) END)"
         " FROM runs ORDER BY run"),
        ("SELECT quote(run) || quote(number) || quote(point) || quote(origin) || quote(outcome) ||"
         " quote(fitness) || quote(time_s) || quote(build_s) || quote(run_s) || quote(check_s) ||"
         " quote(other_s) || quote(samples_s) || quote(message) FROM trials ORDER BY run, number"),
        ("SELECT quote(run) || quote(trial_count) || quote(failed) || quote(cost_s) ||"
         " quote(best_trial) || quote(best_fitness) || quote(best_point) || quote(trials)"
         " FROM packed ORDER BY run"),
        ("SELECT quote(signature) || quote(point) || quote(outcome) FROM outcomes"
         " ORDER BY signature, point")};
    opevo_text out = {0};
    sqlite3 *db = NULL;

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        sqlite3_stmt *query = NULL;

        if (sqlite3_prepare_v2(db, queries[i], -1, &query, NULL) != SQLITE_OK)
            fail_msg("%s: %s", queries[i], sqlite3_errmsg(db));
        while (sqlite3_step(query) == SQLITE_ROW)
            opevo_text_printf(&out, "%s\n", (const char *)sqlite3_column_text(query, 0));
        sqlite3_finalize(query);
    }
    sqlite3_close(db);
    assert_false(out.failed);
    return out;
}

static inline void check_same_stores(const char *a, const char *b)
{
    opevo_text x = fixture_dump(a);
    opevo_text y = fixture_dump(b);

    if (strcmp(opevo_text_string(&x), opevo_text_string(&y)) != 0)
        fail_msg("%s and %s differ", a, b);
    opevo_text_free(&x);
    opevo_text_free(&y);
}

/* What most tests run. */
#define PLAN_TEXT                                                                                  \
    "{\"study\": 1, \"objectives\": [\"small\", \"large\"], \"tuners\": [\"random\", {\"tuner\":"  \
    " \"opevo\", \"settings\": {\"q\": [0.2, 0.6]}}], \"topologies\": {\"*factor\": "              \
    "[\"prime-move\","                                                                             \
    " \"any-divisor\"]}, \"budget\": [{\"trials\": 40}, {\"trials\": 60, \"seconds\": 2}],"        \
    " \"seeds\": 6}"

/* A study of the fixture, and the path of its store. */
typedef struct setup {
    fixture fixture;
    opevo_study *study;
    fixture_path store;
} setup;

static inline void set_up(setup *self, const char *text)
{
    fixture_make(&self->fixture);
    CHECK_OK(fixture_study(&self->fixture, text, &self->study, &err));
    self->store = fixture_file(&self->fixture, "study.db");
}

static inline void tear_down(setup *self)
{
    opevo_study_destroy(self->study);
    fixture_free(&self->fixture);
}

static inline opevo_merge_result merge(const setup *self, const char *store,
                                       const char *const *sources, size_t count)
{
    opevo_merge_result result = {.runs = 0};

    CHECK_OK(opevo_study_merge(self->study, store, sources, count, &result, &err));
    return result;
}

#endif
