/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Criteria in a run store: in rows and in packed trials they come back as they went in; a store
 * that holds none stays as it was, and takes them when a run has some. */

#include "study_fixture.h"

#include "store_internal.h"

#include <opevo/tuners.h>

static const opevo_criterion listed[] = {{"error", "", false}, {"rate", "1/J", true}};

/* The formula with two criteria, of which one is not always known. */
static void add_criteria(const formula *self, opevo_index point, opevo_outcome *outcome)
{
    uint64_t hash = opevo_hash_mix(formula_hash(self, point));

    outcome->more[0] = hash % 5 ? -1e-3 * (double)(hash % 1000) : NAN;
    outcome->more[1] = (double)(hash % 7);
    outcome->more[2] = 99; /* beyond those that are listed */
}

static opevo_status evaluate(opevo_objective *objective, const opevo_index *points, size_t count,
                             opevo_outcome *outcomes, opevo_error *err)
{
    opevo_status status = formula_evaluate(objective, points, count, outcomes, err);

    for (size_t i = 0; status == OPEVO_OK && i < count; i++)
        add_criteria((formula *)objective, points[i], &outcomes[i]);
    return status;
}

static const opevo_objective_ops ops = {
    .kind = "formula", .evaluate = evaluate, .destroy = formula_destroy};

static void give_criteria(formula *self)
{
    self->super.ops = &ops;
    self->super.criteria = listed;
    self->super.more_count = 2;
}

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static opevo_run_result run(formula *self, opevo_store *store, uint64_t trials)
{
    opevo_setting_value settings[FORMULA_SETTINGS_MOST];
    const opevo_tuner_ops *tuner = NULL;
    opevo_run_result result;
    opevo_run_options options = {
        .settings = settings, .seed = 3, .budget = {.trials = trials}, .store = store};

    CHECK_OK(opevo_tuner_find("opevo", &tuner, &err));
    options.tuner = tuner;
    formula_settings(tuner, NULL, settings);
    CHECK_OK(opevo_run(&self->super, &options, &result, &err));
    return result;
}

/* Trials of the run, those up to `plain` without criteria. */
static void check_trials(const formula *self, opevo_store *store, int64_t number, size_t plain,
                         size_t total)
{
    opevo_trial trials[64];
    size_t count = 0;
    size_t known = 0;

    CHECK_OK(opevo_store_read(store, number, 0, trials, 64, &count, &err));
    assert_int_equal(count, total);
    for (size_t i = 0; i < count; i++) {
        opevo_outcome wanted = formula_outcome(self, trials[i].proposal.point);
        bool has = i >= plain && wanted.kind == OPEVO_OUTCOME_OK;

        add_criteria(self, trials[i].proposal.point, &wanted);
        assert_true(same(trials[i].outcome.more[0], has ? wanted.more[0] : NAN));
        assert_true(same(trials[i].outcome.more[1], has ? wanted.more[1] : NAN));
        assert_true(isnan(trials[i].outcome.more[2]));
        known += has;
    }
    assert_true(known > 0 || plain == total);
}

static void check_listed(opevo_store *store, int64_t number, size_t wanted)
{
    opevo_criterion criteria[OPEVO_CRITERIA_MOST - 1];
    size_t count = 99;

    CHECK_OK(opevo_store_criteria(store, number, criteria, &count, &err));
    assert_int_equal(count, wanted);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(criteria[i].name, listed[i].name);
        assert_string_equal(criteria[i].unit, listed[i].unit);
        assert_int_equal(criteria[i].larger_is_better, listed[i].larger_is_better);
    }
}

static opevo_store *open_store(const char *path, opevo_store_mode mode)
{
    opevo_store *store = NULL;

    CHECK_OK(opevo_store_open(path, mode, &store, &err));
    return store;
}

/* Rows: written, read again by another process' store, and gone on with. */
CHECK_TEST(test_rows)
{
    static fixture all;
    opevo_store *store = NULL;
    int64_t number = 0;

    fixture_make(&all);
    give_criteria(&all.formulas[0]);
    store = open_store(all.scratch.file, OPEVO_STORE_WRITE);
    number = run(&all.formulas[0], store, 20).run;
    check_trials(&all.formulas[0], store, number, 0, 20);
    opevo_store_close(store);
    for (int mode = OPEVO_STORE_READ; mode <= OPEVO_STORE_WRITE; mode++) {
        store = open_store(all.scratch.file, (opevo_store_mode)mode);
        check_trials(&all.formulas[0], store, number, 0, 20);
        check_listed(store, number, 2);
        check_listed(store, number + 1, 0);
        opevo_store_close(store);
    }
    store = open_store(all.scratch.file, OPEVO_STORE_WRITE);
    assert_int_equal(run(&all.formulas[0], store, 30).resumed, 20);
    check_trials(&all.formulas[0], store, number, 0, 30);
    opevo_store_close(store);
    fixture_free(&all);
}

/* A run that was begun without criteria has them from the trial where it is resumed with some. */
CHECK_TEST(test_gained)
{
    static fixture all;
    opevo_store *store = NULL;
    opevo_store *before = NULL;
    int64_t number = 0;

    fixture_make(&all);
    store = open_store(all.scratch.file, OPEVO_STORE_WRITE);
    before = open_store(all.scratch.file, OPEVO_STORE_WRITE);
    number = run(&all.formulas[0], store, 20).run;
    check_listed(store, number, 0);
    give_criteria(&all.formulas[0]);
    assert_int_equal(run(&all.formulas[0], store, 40).resumed, 20);
    check_trials(&all.formulas[0], store, number, 20, 40);
    check_listed(store, number, 2);
    /* A process that had it open before goes on too. */
    assert_int_equal(run(&all.formulas[2], before, 20).trials, 20);
    assert_int_equal(run(&all.formulas[0], before, 50).resumed, 40);
    check_trials(&all.formulas[0], before, number, 20, 50);
    opevo_store_close(before);
    opevo_store_close(store);
    fixture_free(&all);
}

/* The same run with other criteria is refused. */
CHECK_TEST(test_other_criteria)
{
    static const opevo_criterion others[][2] = {{{"error", "", false}, {"rate", "1/J", false}},
                                                {{"error", "%", false}, {"rate", "1/J", true}},
                                                {{"loss", "", false}, {"rate", "1/J", true}}};
    static fixture all;
    opevo_store *store = NULL;
    opevo_run_key key;
    int64_t number = 0;

    fixture_make(&all);
    give_criteria(&all.formulas[0]);
    store = open_store(all.scratch.file, OPEVO_STORE_WRITE);
    key = (opevo_run_key){.objective = "x",
                          .tuner = "y",
                          .settings = "",
                          .space = all.spaces[0],
                          .unit = "1/s",
                          .criteria = listed,
                          .more_count = 2};
    CHECK_OK(opevo_store_begin(store, &key, &number, &err));
    CHECK_OK(opevo_store_begin(store, &key, &number, &err));
    for (size_t i = 0; i < 3; i++) {
        key.criteria = others[i];
        CHECK_FAILS(OPEVO_MISMATCH, "other criteria",
                    opevo_store_begin(store, &key, &number, &err));
    }
    key.criteria = listed;
    key.more_count = 1;
    CHECK_FAILS(OPEVO_MISMATCH, "other criteria", opevo_store_begin(store, &key, &number, &err));
    opevo_store_close(store);
    fixture_free(&all);
}

/* What no store of ours holds is refused. */
CHECK_TEST(test_damage)
{
    static const char *const damage[][2] = {
        {"UPDATE criteria SET place = 7 WHERE place = 2", "criteria of run 1 are malformed"},
        {"UPDATE criteria SET name = ''", "criteria of run 1 are malformed"},
        {"UPDATE criteria SET better = 'big'", "criteria of run 1 are malformed"},
        {"INSERT INTO criteria VALUES (1, 3, 'c', '', 'larger'), (1, 4, 'd', '', 'larger')",
         "criteria of run 1 are malformed"},
        {"UPDATE trials SET criterion_2 = 'much' WHERE number = 4", "trial 4"},
        {"UPDATE trials SET criterion_1 = 9e999 WHERE number = 4", "trial 4"},
        {"UPDATE trials SET criterion_3 = x'00' WHERE number = 4", "trial 4"},
    };

    for (size_t i = 0; i < sizeof damage / sizeof *damage; i++) {
        static fixture all;
        opevo_criterion criteria[OPEVO_CRITERIA_MOST - 1];
        opevo_trial trials[8];
        opevo_store *store = NULL;
        size_t count = 0;
        sqlite3 *db = NULL;

        fixture_make(&all);
        give_criteria(&all.formulas[0]);
        store = open_store(all.scratch.file, OPEVO_STORE_WRITE);
        run(&all.formulas[0], store, 8);
        opevo_store_close(store);
        assert_int_equal(sqlite3_open(all.scratch.file, &db), SQLITE_OK);
        assert_int_equal(sqlite3_exec(db, damage[i][0], NULL, NULL, NULL), SQLITE_OK);
        sqlite3_close(db);
        store = open_store(all.scratch.file, OPEVO_STORE_READ);
        if (i < 4)
            CHECK_FAILS(OPEVO_INVALID, damage[i][1],
                        opevo_store_criteria(store, 1, criteria, &count, &err));
        else
            CHECK_FAILS(OPEVO_INVALID, damage[i][1],
                        opevo_store_read(store, 1, 0, trials, 8, &count, &err));
        opevo_store_close(store);
        fixture_free(&all);
    }
}

/* What the tuner sees is part of what identifies a run, and what it does not see is not. */
CHECK_TEST(test_identity)
{
    static fixture all;
    opevo_setting_value settings[FORMULA_SETTINGS_MOST];
    const opevo_tuner_ops *found = NULL;
    opevo_tuner_ops tuner;
    opevo_criteria criteria;
    opevo_run_options options = {
        .tuner = &tuner, .settings = settings, .seed = 3, .budget = {.trials = 5}};
    opevo_run_result result[3];

    CHECK_OK(opevo_tuner_find("random", &found, &err));
    tuner = *found;
    fixture_make(&all);
    give_criteria(&all.formulas[0]);
    formula_settings(&tuner, NULL, settings);
    options.store = open_store(all.scratch.file, OPEVO_STORE_WRITE);
    CHECK_OK(opevo_criteria_parse(&all.formulas[0].super, "rate,error", &criteria, &err));
    for (size_t i = 0; i < 3; i++) {
        options.criteria = i ? &criteria : NULL;
        tuner.by_criteria = i == 2;
        CHECK_OK(opevo_run(&all.formulas[0].super, &options, &result[i], &err));
    }
    assert_true(result[1].run == result[0].run && result[1].resumed == 5);
    assert_true(result[2].run != result[0].run && result[2].resumed == 0);
    opevo_store_close(options.store);
    fixture_free(&all);
}

/* A trial that breaks a requirement is infeasible: the tuner is told a failure, the store has what
 * was measured, and a run that requires something else is another run. */
CHECK_TEST(test_requirements)
{
    static fixture all;
    opevo_setting_value settings[FORMULA_SETTINGS_MOST];
    const opevo_tuner_ops *tuner = NULL;
    opevo_requirement requirement;
    opevo_run_result plain, bound, again;
    opevo_run_options options = {
        .settings = settings, .seed = 3, .budget = {.trials = 40}, .give_up = 5};
    opevo_trial trials[64];
    size_t count = 0;
    size_t infeasible = 0;

    CHECK_OK(opevo_tuner_find("random", &tuner, &err));
    formula_settings(tuner, NULL, settings);
    options.tuner = tuner;
    fixture_make(&all);
    give_criteria(&all.formulas[0]);
    options.store = open_store(all.scratch.file, OPEVO_STORE_WRITE);
    CHECK_OK(opevo_run(&all.formulas[0].super, &options, &plain, &err));
    CHECK_OK(opevo_requirement_parse(&all.formulas[0].super, "rate>=4", &requirement, &err));
    options.requirements = &requirement;
    options.requirement_count = 1;
    CHECK_OK(opevo_run(&all.formulas[0].super, &options, &bound, &err));
    assert_true(bound.run != plain.run && bound.trials == 40 && bound.resumed == 0);
    CHECK_OK(opevo_store_read(options.store, bound.run, 0, trials, 64, &count, &err));
    for (size_t i = 0; i < count; i++) {
        opevo_outcome wanted = formula_outcome(&all.formulas[0], trials[i].proposal.point);

        if (wanted.kind != OPEVO_OUTCOME_OK)
            continue;
        add_criteria(&all.formulas[0], trials[i].proposal.point, &wanted);
        assert_true(trials[i].outcome.more[1] == wanted.more[1]);
        assert_int_equal(trials[i].outcome.kind,
                         wanted.more[1] >= 4 ? OPEVO_OUTCOME_OK : OPEVO_OUTCOME_INFEASIBLE);
        assert_true(wanted.more[1] >= 4 || trials[i].outcome.fitness == 0);
        infeasible += wanted.more[1] < 4;
    }
    assert_true(infeasible >= 5 && bound.best.outcome.more[1] >= 4);
    assert_true(bound.failed_by_class[OPEVO_OUTCOME_INFEASIBLE] >= infeasible);
    CHECK_OK(opevo_run(&all.formulas[0].super, &options, &again, &err));
    assert_true(again.run == bound.run && again.resumed == 40);
    assert_int_equal(again.failed, bound.failed);
    opevo_store_close(options.store);
    fixture_free(&all);
}

/* A study with requirements does not share what it judged with one without. */
CHECK_TEST(test_requirements_of_a_study)
{
    static const char plan[] =
        "{\"study\": 1, \"objectives\": [{\"on\": \"small\", \"require\": \"rate>=4\"}, \"small\"],"
        " \"tuners\": [\"random\"], \"budget\": {\"trials\": 40}, \"seeds\": 3}";
    static fixture all;
    opevo_study *study = NULL;
    opevo_store *store = NULL;

    fixture_make(&all);
    give_criteria(&all.formulas[0]);
    CHECK_OK(fixture_study(&all, plan, &study, &err));
    fixture_run(study, (opevo_study_options){.store = all.scratch.file, .threads = 2});
    store = open_store(all.scratch.file, OPEVO_STORE_READ);
    for (int64_t run = 1; run <= 6; run++) {
        opevo_trial trials[64];
        size_t count = 0;

        CHECK_OK(opevo_store_read(store, run, 0, trials, 64, &count, &err));
        for (size_t i = 0; i < count; i++) {
            opevo_outcome wanted = formula_outcome(&all.formulas[0], trials[i].proposal.point);
            bool breaks = false;

            add_criteria(&all.formulas[0], trials[i].proposal.point, &wanted);
            breaks = run % 2 == 1 && wanted.kind == OPEVO_OUTCOME_OK && wanted.more[1] < 4;
            assert_int_equal(trials[i].outcome.kind,
                             breaks ? OPEVO_OUTCOME_INFEASIBLE : wanted.kind);
        }
    }
    opevo_store_close(store);
    opevo_study_destroy(study);
    CHECK_FAILS(OPEVO_INVALID, "objectives[0]: require: 'rate' is not a requirement",
                fixture_study(&all,
                              "{\"study\": 1, \"objectives\": [{\"on\": \"small\", \"require\":"
                              " [\"rate\"]}], \"tuners\": [\"random\"], \"budget\": {\"trials\":"
                              " 40}, \"seeds\": 1}",
                              &study, &err));
    CHECK_FAILS(OPEVO_INVALID, "objectives[0]: criteria: small has no criterion 'x'",
                fixture_study(&all,
                              "{\"study\": 1, \"objectives\": [{\"on\": \"small\", \"criteria\":"
                              " [\"error\", \"x\"]}], \"tuners\": [\"random\"], \"budget\":"
                              " {\"trials\": 40}, \"seeds\": 1}",
                              &study, &err));
    fixture_free(&all);
}

/* ---- Studies ---- */

static const char plan_text[] =
    "{\"study\": 1, \"objectives\": [\"small\", \"large\", \"device\"], \"tuners\": [\"random\","
    " \"opevo\"], \"budget\": {\"trials\": 40}, \"seeds\": 3}";

/* The runs of the study that this share, which came first, does not have. */
static void check_study(const opevo_study *study, const char *path, opevo_shard first)
{
    opevo_store *store = open_store(path, OPEVO_STORE_READ);
    uint64_t runs = 3 * study->line_count;
    int64_t number = 1;

    for (uint64_t i = 0; first.count && i < runs; i++)
        number += opevo_shard_has(first, study, i);
    for (uint64_t i = 0; i < runs; i++) {
        const opevo_study_line *line = &study->lines[i % study->line_count];

        check_listed(store, (int64_t)i + 1, 2);
        if (!first.count || !opevo_shard_has(first, study, i))
            check_trials((const formula *)line->objective, store, number++, 0, 40);
    }
    opevo_store_close(store);
}

/* Packed runs that share outcomes, packed runs that do not, and rows; also in shares. */
CHECK_TEST(test_studies)
{
    static fixture all;
    opevo_study *study = NULL;
    fixture_path parts[2] = {{""}};
    opevo_merge_result result;
    const char *sources[2] = {parts[1].text, parts[0].text};
    fixture_path joined;

    fixture_make(&all);
    for (size_t i = 0; i < FIXTURE_OBJECTIVES; i++)
        give_criteria(&all.formulas[i]);
    CHECK_OK(fixture_study(&all, plan_text, &study, &err));
    fixture_run(study, (opevo_study_options){.store = all.scratch.file, .threads = 2});
    check_study(study, all.scratch.file, (opevo_shard){0, 0});
    for (uint32_t i = 0; i < 2; i++) {
        parts[i] = fixture_file(&all, i ? "part1.db" : "part0.db");
        fixture_run(study, (opevo_study_options){.store = parts[i].text, .shard = {i, 2}});
    }
    joined = fixture_file(&all, "joined.db");
    CHECK_OK(opevo_study_merge(study, joined.text, sources, 2, &result, &err));
    assert_int_equal(result.present, result.runs);
    check_study(study, joined.text, (opevo_shard){0, 0});
    opevo_study_destroy(study);
    fixture_free(&all);
}

/* A study that goes on in a store of before: what its runs share is completed, the rest stays. */
CHECK_TEST(test_a_study_goes_on)
{
    static fixture all;
    opevo_study *study = NULL;
    opevo_study_result result;

    fixture_make(&all);
    CHECK_OK(fixture_study(&all, plan_text, &study, &err));
    fixture_run(study, (opevo_study_options){.store = all.scratch.file, .shard = {0, 2}});
    for (size_t i = 0; i < FIXTURE_OBJECTIVES; i++)
        give_criteria(&all.formulas[i]);
    result = fixture_run(study, (opevo_study_options){.store = all.scratch.file});
    assert_true(result.present > 0 && result.present < result.runs);
    check_study(study, all.scratch.file, (opevo_shard){0, 2});
    opevo_study_destroy(study);
    fixture_free(&all);
}
