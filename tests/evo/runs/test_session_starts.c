/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Start points of runs: they are trials 1 and following, the tuner is asked after it was told their
 * outcomes, and a stored run keeps those that it was begun with however it is cut. */

#include "formula.h"

#include <opevo/run.h>
#include <opevo/tuners.h>

#include "scratch_folder.h"

static const char space_text[] =
    "{\"K\": {\"_type\": \"factor\", \"_value\": [1024, 3]}, \"X\": {\"_type\": \"factor\","
    " \"_value\": [512, 4]}, \"_constraints\": [\"K[1] * X[2] <= 4096\"]}";

enum { TRIALS = 40, STARTS = 3 };

typedef struct setup {
    opevo_space *space;
    formula objective;
    opevo_setting_value values[FORMULA_SETTINGS_MOST];
    opevo_run_options options;
    opevo_proposal points[STARTS];
    opevo_starts starts;
    scratch_folder scratch;
    opevo_trial trials[TRIALS]; /* as observed */
    size_t count;
    bool checks_origins;
} setup;

static void observe(void *context, const opevo_trial *trial, bool resumed)
{
    setup *self = context;
    const char *origin = trial->proposal.origin; /* of the store as long as that is open */

    assert_int_equal(trial->number, self->count + 1);
    if (self->checks_origins && trial->number <= STARTS)
        assert_string_equal(origin, trial->number == 1 ? "default" : "transfer");
    self->trials[self->count++] = *trial;
}

/* What the options are of stays where it is. The start points are allowed ones. */
static void set_up(setup *self, const char *tuner)
{
    *self = (setup){.space = formula_space(space_text), .scratch = scratch_make()};
    self->objective = formula_on(self->space, 1, 5);
    CHECK_OK(opevo_tuner_find(tuner, &self->options.tuner, &err));
    formula_settings(self->options.tuner, "", self->values);
    self->options.settings = self->values;
    self->options.seed = 1;
    self->options.budget.trials = TRIALS;
    self->options.observer = observe;
    self->options.observer_context = self;
    for (size_t i = 0; i < STARTS; i++) {
        opevo_index point = 100 + 1000 * i;

        while (!opevo_space_allows(self->space, point))
            point++;
        self->points[i] = (opevo_proposal){.point = point, .origin = i ? "transfer" : "default"};
    }
    self->starts = (opevo_starts){self->points, STARTS};
    self->options.starts = &self->starts;
}

static void tear_down(setup *self)
{
    scratch_remove(&self->scratch);
    opevo_space_destroy(self->space);
}

static void run_on(setup *self)
{
    opevo_run_result result;

    self->count = 0;
    CHECK_OK(opevo_run(&self->objective.super, &self->options, &result, &err));
    assert_int_equal(self->count, self->options.budget.trials);
    assert_int_equal(result.trials, self->count);
}

static void run_stored(setup *self, uint64_t trials)
{
    self->options.budget.trials = trials;
    CHECK_OK(opevo_store_open(self->scratch.file, OPEVO_STORE_WRITE, &self->options.store, &err));
    run_on(self);
    opevo_store_close(self->options.store);
    self->options.store = NULL;
}

static void check_same(const opevo_trial *a, const opevo_trial *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_true(a[i].proposal.point == b[i].proposal.point);
        assert_true(a[i].outcome.fitness == b[i].outcome.fitness);
    }
}

CHECK_TEST(test_starts_come_first)
{
    static const size_t batches[] = {1, 2, 64};

    for (size_t t = 0; t < opevo_tuner_count(); t++) {
        opevo_trial first[TRIALS];

        for (size_t b = 0; b < sizeof batches / sizeof *batches; b++) {
            setup self;

            set_up(&self, opevo_tuner_get(t)->name);
            self.options.batch = batches[b];
            run_on(&self);
            for (size_t i = 0; i < STARTS; i++) {
                assert_true(self.trials[i].proposal.point == self.points[i].point);
                assert_string_equal(self.trials[i].proposal.origin, self.points[i].origin);
            }
            for (size_t i = 0; i < TRIALS; i++) {
                for (size_t k = 0; k < i; k++)
                    assert_true(self.trials[i].proposal.point != self.trials[k].proposal.point);
            }
            if (b == 0)
                memcpy(first, self.trials, sizeof first);
            check_same(first, self.trials, TRIALS);
            tear_down(&self);
        }
    }
}

/* A stored run goes on with its own start points: killed among them or later, offered others or
 * none. */
CHECK_TEST(test_a_stored_run_keeps_its_starts)
{
    opevo_trial whole[TRIALS];
    const opevo_starts none = {NULL, 0};
    setup self;

    set_up(&self, "opevo");
    self.checks_origins = true;
    run_on(&self);
    memcpy(whole, self.trials, sizeof whole);
    run_stored(&self, 2);
    self.points[0].point = self.points[2].point;
    run_stored(&self, 5);
    self.options.starts = &none;
    run_stored(&self, TRIALS);
    check_same(whole, self.trials, TRIALS);
    tear_down(&self);
}

/* A run that was begun without goes on without. */
CHECK_TEST(test_an_earlier_run_goes_on_unchanged)
{
    opevo_trial whole[TRIALS];
    const opevo_starts none = {NULL, 0};
    setup self;

    set_up(&self, "opevo");
    self.options.starts = &none;
    run_on(&self);
    memcpy(whole, self.trials, sizeof whole);
    run_stored(&self, 7);
    self.options.starts = &self.starts;
    run_stored(&self, TRIALS);
    check_same(whole, self.trials, TRIALS);
    tear_down(&self);
}

/* Those of the objective are taken unless the options say others; a point counts once. */
CHECK_TEST(test_starts_of_the_objective)
{
    setup self;

    set_up(&self, "random");
    self.points[1].point = self.points[0].point;
    self.objective.super.starts = &self.starts;
    self.options.starts = NULL;
    run_on(&self);
    assert_true(self.trials[0].proposal.point == self.points[0].point);
    assert_true(self.trials[1].proposal.point == self.points[2].point);
    assert_string_equal(self.trials[2].proposal.origin, "uniform");
    tear_down(&self);
}

CHECK_TEST(test_a_forbidden_start)
{
    opevo_session *session = NULL;
    setup self;

    set_up(&self, "random");
    self.points[1].point = opevo_space_size(self.space);
    CHECK_FAILS(OPEVO_INVALID, "A start point of formula is not an allowed point of its space.",
                opevo_session_create(&self.objective.super, &self.options, &session, &err));
    tear_down(&self);
}

/* Who evaluates himself is given the start points, and no more before he tells them. */
CHECK_TEST(test_starts_are_asked_for)
{
    opevo_session *session = NULL;
    opevo_external_options options = {.name = "external", .unit = "1/s"};
    opevo_objective *external = NULL;
    opevo_trial asked[8];
    size_t count = 0;
    setup self;

    set_up(&self, "tpe");
    options.space = formula_space(space_text);
    CHECK_OK(opevo_external_create(&options, &external, &err));
    CHECK_OK(opevo_session_create(external, &self.options, &session, &err));
    CHECK_OK(opevo_session_ask(session, asked, 8, &count, &err));
    assert_int_equal(count, STARTS);
    for (size_t i = 0; i < STARTS; i++) {
        assert_true(asked[i].proposal.point == self.points[i].point);
        asked[i].outcome = formula_outcome(&self.objective, asked[i].proposal.point);
    }
    CHECK_OK(opevo_session_ask(session, asked + STARTS, 1, &count, &err));
    assert_int_equal(count, 0);
    assert_false(opevo_session_is_over(session));
    CHECK_OK(opevo_session_tell(session, asked + 1, 2, &err));
    CHECK_OK(opevo_session_tell(session, asked, 1, &err));
    CHECK_OK(opevo_session_ask(session, asked, 8, &count, &err));
    assert_int_equal(count, 8);
    assert_int_equal(asked[0].number, STARTS + 1);
    CHECK_OK(opevo_session_end(session, NULL, &err));
    opevo_objective_destroy(external);
    tear_down(&self);
}
