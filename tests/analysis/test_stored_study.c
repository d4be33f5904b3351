/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Stores as a study, as a program makes it that has libopevo only: which runs it has, what
 * contenders are called, and that the courses are those of the runs. */

#include "../evo/formula.h"
#include "../evo/scratch_folder.h"

#include <opevo/run.h>
#include <opevo/stored_study.h>
#include <opevo/tuners.h>

enum { TRIALS = 25, STORES = 2 };

static const char space_text[] = "{\"K\": {\"_type\": \"factor\", \"_value\": [256, 2]}, "
                                 "\"u\": {\"_type\": \"discrete\", \"_value\": [0, 1, 2, 4]}}";

typedef struct setup {
    opevo_space *space;
    scratch_folder folder;
    char paths[STORES][80];
} setup;

static opevo_store *open_store(const setup *self, size_t i)
{
    opevo_store *store = NULL;

    CHECK_OK(opevo_store_open(self->paths[i], OPEVO_STORE_WRITE, &store, &err));
    return store;
}

/* A run of a tuner with changed settings; `salt` decides the landscape. */
static void run(opevo_store *store, const opevo_space *space, const char *tuner,
                const char *changes, uint64_t salt, uint64_t seed, uint64_t trials)
{
    formula objective = formula_on(space, salt, 7);
    opevo_setting_value values[FORMULA_SETTINGS_MOST];
    opevo_run_options options = {
        .settings = values, .seed = seed, .budget.trials = trials, .store = store};
    opevo_run_result result;

    objective.super.name = salt == 1 ? "sim:one" : "sim:two";
    CHECK_OK(opevo_tuner_find(tuner, &options.tuner, &err));
    formula_settings(options.tuner, changes, values);
    CHECK_OK(opevo_run(&objective.super, &options, &result, &err));
}

/* Two landscapes; in the second store one run of the first store again, longer. */
static void set_up(setup *self)
{
    *self = (setup){.space = formula_space(space_text), .folder = scratch_make()};
    for (size_t i = 0; i < STORES; i++) {
        opevo_store *store = NULL;

        snprintf(self->paths[i], sizeof self->paths[i], "%s/%zu.db", self->folder.path, i);
        store = open_store(self, i);
        if (i == 0) {
            run(store, self->space, "random", NULL, 1, 1, TRIALS - 5);
            run(store, self->space, "opevo", "q=0.5", 1, 1, TRIALS);
            run(store, self->space, "opevo", "q=0.25", 1, 1, TRIALS);
        } else {
            run(store, self->space, "random", NULL, 1, 1, TRIALS);
            run(store, self->space, "random", NULL, 2, 1, TRIALS);
        }
        opevo_store_close(store);
    }
}

static void tear_down(setup *self)
{
    opevo_space_destroy(self->space);
    scratch_remove(&self->folder);
}

static void read_study(const setup *self, size_t stores, const char *tuner, opevo_stored_study *out)
{
    const char *const paths[STORES] = {self->paths[0], self->paths[1]};
    const opevo_stored_study_options options = {
        .stores = {paths, stores}, .tuners = {&tuner, tuner ? 1 : 0}, .threads = 2};

    *out = (opevo_stored_study){.stores = NULL};
    CHECK_OK(opevo_stored_study_read(&options, out, &err));
    CHECK_OK(opevo_stored_study_name_contenders(out, &err));
    CHECK_OK(opevo_stored_study_assemble(out, &err));
}

/* The best fitness over the trials, computed anew from the store. */
static void check_course(const opevo_stored_study *study, size_t run_number)
{
    opevo_store *store = opevo_stored_study_store(study, run_number);
    const opevo_run_curve *curve = &study->runs[run_number].curve;
    opevo_trial trials[TRIALS];
    size_t count = 0;
    double best = 0;

    CHECK_OK(
        opevo_store_read(store, study->stored[run_number].run, 0, trials, TRIALS, &count, &err));
    assert_int_equal(curve->trials, count);
    for (size_t i = 0; i < count; i++)
        best = fmax(best, trials[i].outcome.fitness);
    assert_true(opevo_run_curve_best(curve, count) == best);
}

CHECK_TEST(several_stores_are_one)
{
    static const char *const labels[] = {"random", "opevo q=0.5", "opevo q=0.25"};
    opevo_stored_study study;
    setup self;

    set_up(&self);
    read_study(&self, 2, NULL, &study);
    assert_int_equal(study.run_count, 4); /* the shorter of two equal runs goes */
    assert_int_equal(study.landscape_count, 2);
    assert_int_equal(study.contender_count, 3);
    for (size_t i = 0; i < study.run_count; i++) {
        check_course(&study, i);
        assert_int_equal(study.runs[i].curve.trials, TRIALS);
        assert_int_equal(study.runs[i].seed, 1);
    }
    for (size_t i = 0; i < 3; i++) {
        size_t found = 0;

        for (size_t k = 0; k < 3; k++)
            found += !strcmp(study.study.contenders[k], labels[i]);
        assert_int_equal(found, 1);
    }
    assert_non_null(
        strstr(opevo_text_string(&study.notes), "1 run in several of the stores counted once"));
    opevo_stored_study_free(&study);
    read_study(&self, 2, "opevo", &study);
    assert_int_equal(study.run_count, 2);
    assert_int_equal(study.landscape_count, 1);
    opevo_stored_study_free(&study);
    read_study(&self, 1, "nobody", &study);
    assert_int_equal(study.run_count, 0);
    opevo_stored_study_free(&study);
    tear_down(&self);
}

/* What is not the landscape of the runs is refused; what is has its optimum, by brute force. */
CHECK_TEST(landscapes_are_evaluated)
{
    opevo_stored_study study;
    setup self;

    set_up(&self);
    read_study(&self, 1, NULL, &study);
    {
        formula own = formula_on(self.space, 1, 7), other = formula_on(self.space, 3, 7);
        double best = 0;

        own.super.name = other.super.name = "sim:one";
        CHECK_FAILS(OPEVO_MISMATCH, "its points or outcomes differ",
                    opevo_stored_landscape_evaluate(&study.landscapes[0], &other.super, 1, &err));
        assert_false(study.landscapes[0].has_table);
        CHECK_OK(opevo_stored_landscape_evaluate(&study.landscapes[0], &own.super, 1, &err));
        for (opevo_index point = 0; point < opevo_space_size(self.space); point++)
            best = fmax(best, formula_outcome(&own, point).fitness);
        assert_true(study.landscapes[0].has_table);
        assert_true(study.landscapes[0].table.fitness[study.landscapes[0].table.ok - 1] == best ||
                    study.landscapes[0].table.fitness[0] == best);
        opevo_stored_study_join(&study);
        assert_int_equal(study.landscape_count, 1);
    }
    opevo_stored_study_free(&study);
    tear_down(&self);
}

/* The same run with other trials in another store. */
CHECK_TEST(different_trials_are_refused)
{
    opevo_stored_study study = {.stores = NULL};
    opevo_stored_study_options options;
    const char *paths[STORES];
    opevo_store *store = NULL;
    setup self;

    self = (setup){.space = formula_space(space_text), .folder = scratch_make()};
    for (size_t i = 0; i < STORES; i++) {
        formula objective = formula_on(self.space, 1 + i, 0);
        opevo_run_options one = {.seed = 1, .budget.trials = TRIALS};
        opevo_run_result result;

        snprintf(self.paths[i], sizeof self.paths[i], "%s/%zu.db", self.folder.path, i);
        paths[i] = self.paths[i];
        store = open_store(&self, i);
        one.store = store;
        objective.super.signature = 5; /* it claims to be the same landscape */
        CHECK_OK(opevo_tuner_find("random", &one.tuner, &err));
        CHECK_OK(opevo_run(&objective.super, &one, &result, &err));
        opevo_store_close(store);
    }
    options = (opevo_stored_study_options){.stores = {paths, STORES}};
    CHECK_FAILS(OPEVO_MISMATCH, "are the same run",
                opevo_stored_study_read(&options, &study, &err));
    opevo_stored_study_free(&study);
    tear_down(&self);
}

CHECK_TEST(settings_for_readers)
{
    static const char *const cases[][2] = {
        {"lambda=8 criteria=fitness,energy", "lambda=8 criteria=time,energy"},
        {"criteria=fitness,time", "criteria=fitness,time"},
        {"q=0.5", "q=0.5"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opevo_text text = {0};

        opevo_settings_show(cases[i][0], strlen(cases[i][0]), true, &text);
        assert_string_equal(opevo_text_string(&text), cases[i][1]);
        opevo_text_clear(&text);
        opevo_settings_show(cases[i][0], strlen(cases[i][0]), false, &text);
        assert_string_equal(opevo_text_string(&text), cases[i][0]);
        opevo_text_free(&text);
    }
}
