/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sessions: runs that go on step by step. However a run is cut, into steps of one session or into
 * several sessions on one store, it has the trials of the run that was never cut, and its store the
 * same content to the byte. */

#include "formula.h"

#include <opevo/memory.h>
#include <opevo/run.h>
#include <opevo/tuners.h>

#include "scratch_folder.h"
#include "store_content.h"

static const char space_text[] =
    "{\"K\": {\"_type\": \"factor\", \"_value\": [1024, 3]}, \"X\": {\"_type\": \"factor\","
    " \"_value\": [512, 4]}, \"_constraints\": [\"K[1] * X[2] <= 4096\"]}";

enum { TRIALS = 70 };

typedef enum objective_kind { COMPUTED, THREADED, MEASURED, KIND_COUNT } objective_kind;

typedef struct setup {
    opevo_space *space;
    formula objective;
    opevo_setting_value values[FORMULA_SETTINGS_MOST];
    opevo_run_options options;
    scratch_folder scratch;
} setup;

/* What the session is of stays where it is. */
static void set_up(setup *self, const char *tuner, objective_kind kind)
{
    *self = (setup){.space = formula_space(space_text), .scratch = scratch_make()};
    self->objective = formula_on(self->space, 1, 5);
    self->objective.keeps_samples = true;
    self->objective.super.concurrent = kind != MEASURED;
    self->objective.super.wanted = kind == MEASURED ? 5 : 0;
    CHECK_OK(opevo_tuner_find(tuner, &self->options.tuner, &err));
    formula_settings(self->options.tuner, "", self->values);
    self->options.settings = self->values;
    self->options.threads = kind == THREADED ? 3 : 1;
    self->options.seed = 1;
    self->options.budget.trials = TRIALS;
}

static void tear_down(setup *self)
{
    scratch_remove(&self->scratch);
    opevo_space_destroy(self->space);
}

static opevo_session *begin(setup *self)
{
    opevo_session *session = NULL;

    if (!self->options.store)
        CHECK_OK(
            opevo_store_open(self->scratch.file, OPEVO_STORE_WRITE, &self->options.store, &err));
    CHECK_OK(opevo_session_create(&self->objective.super, &self->options, &session, &err));
    return session;
}

static opevo_run_result end(setup *self, opevo_session *session)
{
    opevo_run_result result = {.trials = 0};

    CHECK_OK(opevo_session_end(session, &result, &err));
    opevo_store_close(self->options.store);
    self->options.store = NULL;
    return result;
}

/* Step to the end by random numbers of trials; the session is ended and made anew now and then. */
static opevo_run_result run_in_steps(setup *self, uint64_t largest, bool resumes, opevo_rng *rng)
{
    opevo_session *session = begin(self);
    bool over = false;

    while (!over) {
        uint64_t before = opevo_session_result(session)->trials;
        uint64_t trials = opevo_rng_below(rng, largest + 1);

        CHECK_OK(opevo_session_step(session, trials, &over, &err));
        trials = trials < TRIALS - before ? trials : TRIALS - before;
        assert_int_equal(opevo_session_result(session)->trials, before + trials);
        assert_int_equal(over, before + trials == TRIALS);
        if (resumes && !over && opevo_rng_below(rng, 2 + 32 / largest) == 0) {
            assert_int_equal(end(self, session).stop, OPEVO_STOP_INTERRUPTED);
            session = begin(self);
        }
    }
    CHECK_OK(opevo_session_step(session, 10, &over, &err)); /* nothing is left to do */
    assert_true(over);
    return end(self, session);
}

CHECK_TEST(test_any_cutting_gives_the_same_store)
{
    static const char *const tuners[] = {"opevo", "random", "tpe"};
    static const uint64_t largest[] = {1, 9, 30};
    opevo_text whole = {0};
    opevo_text cut = {0};
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "test", 0);
    for (size_t t = 0; t < sizeof tuners / sizeof *tuners; t++) {
        for (objective_kind kind = 0; kind < KIND_COUNT; kind++) {
            opevo_run_result right = {.trials = 0};
            setup uncut;

            set_up(&uncut, tuners[t], kind);
            CHECK_OK(opevo_store_open(uncut.scratch.file, OPEVO_STORE_WRITE, &uncut.options.store,
                                      &err));
            CHECK_OK(opevo_run(&uncut.objective.super, &uncut.options, &right, &err));
            opevo_store_close(uncut.options.store);
            uncut.options.store = NULL;
            store_content(uncut.scratch.file, &whole);
            tear_down(&uncut);
            for (size_t i = 0; i < 2 * sizeof largest / sizeof *largest; i++) {
                opevo_run_result result;
                setup self;

                set_up(&self, tuners[t], kind);
                result = run_in_steps(&self, largest[i / 2], i % 2, &rng);
                store_content(self.scratch.file, &cut);
                assert_string_equal(opevo_text_string(&whole), opevo_text_string(&cut));
                assert_int_equal(self.objective.evaluated, TRIALS); /* nothing twice */
                assert_true(result.stop == right.stop && result.trials == right.trials &&
                            result.best.number == right.best.number &&
                            result.cost_s == right.cost_s && result.failed == right.failed);
                tear_down(&self);
            }
        }
    }
    opevo_text_free(&whole);
    opevo_text_free(&cut);
}

/* Runs that take turns on one store have the trials of runs that follow each other. */
CHECK_TEST(test_turns_of_several)
{
    enum { RUNS = 3 };
    opevo_session *sessions[RUNS];
    bool over[RUNS] = {false};
    opevo_text one_by_one = {0};
    opevo_text in_turns = {0};
    size_t done = 0;
    setup self;

    set_up(&self, "opevo", COMPUTED);
    for (uint64_t seed = 1; seed <= RUNS; seed++) {
        bool whole = false;
        opevo_session *session = NULL;

        self.options.seed = seed;
        session = begin(&self);
        CHECK_OK(opevo_session_step(session, UINT64_MAX, &whole, &err));
        assert_true(whole);
        assert_int_equal(end(&self, session).stop, OPEVO_STOP_TRIALS);
    }
    store_content(self.scratch.file, &one_by_one);
    scratch_empty(&self.scratch);
    for (uint64_t seed = 1; seed <= RUNS; seed++) {
        self.options.seed = seed;
        sessions[seed - 1] = begin(&self);
    }
    for (uint64_t turn = 0; done < RUNS; turn++) {
        size_t i = turn % RUNS;

        if (over[i])
            continue;
        CHECK_OK(opevo_session_step(sessions[i], 1 + turn % 7, &over[i], &err));
        done += over[i];
    }
    for (size_t i = 0; i < RUNS; i++)
        CHECK_OK(opevo_session_end(sessions[i], NULL, &err));
    opevo_store_close(self.options.store);
    store_content(self.scratch.file, &in_turns);
    assert_string_equal(opevo_text_string(&one_by_one), opevo_text_string(&in_turns));
    opevo_text_free(&one_by_one);
    opevo_text_free(&in_turns);
    tear_down(&self);
}

/* Limits other than trials, and a search that ends by itself, end the run inside a step. */
CHECK_TEST(test_over_inside_a_step)
{
    opevo_session *session = NULL;
    opevo_run_result result;
    bool over = false;
    setup self;

    set_up(&self, "opevo", COMPUTED);
    self.options.budget = (opevo_budget){.seconds = 3};
    session = begin(&self);
    for (int steps = 0; !over; steps++) {
        assert_true(steps < 1000);
        CHECK_OK(opevo_session_step(session, 4, &over, &err));
    }
    result = end(&self, session);
    assert_int_equal(result.stop, OPEVO_STOP_SECONDS);
    assert_true(result.cost_s >= 3);

    opevo_space_destroy(self.space);
    self.space = formula_space("{\"a\": {\"_type\": \"factor\", \"_value\": [12, 3]}}");
    self.objective = formula_on(self.space, 1, 5);
    self.options.budget = (opevo_budget){.trials = 100};
    scratch_empty(&self.scratch);
    session = begin(&self);
    CHECK_OK(opevo_session_step(session, 18, &over, &err));
    assert_false(over); /* it has not been asked for more */
    CHECK_OK(opevo_session_step(session, 18, &over, &err));
    assert_true(over);
    result = end(&self, session);
    assert_true(result.stop == OPEVO_STOP_SEARCH_OVER && result.trials == 18);
    tear_down(&self);
}

CHECK_TEST(test_interrupt)
{
    opevo_interrupt interrupt = {0};
    opevo_session *session = NULL;
    opevo_run_result result;
    bool over = false;
    setup self;

    set_up(&self, "opevo", MEASURED);
    self.options.interrupt = &interrupt;
    session = begin(&self);
    CHECK_OK(opevo_session_step(session, 33, &over, &err));
    opevo_interrupt_raise(&interrupt);
    CHECK_OK(opevo_session_step(session, 33, &over, &err));
    assert_true(over);
    result = end(&self, session);
    assert_true(result.stop == OPEVO_STOP_INTERRUPTED && result.trials == 33);
    opevo_interrupt_lower(&interrupt);
    session = begin(&self);
    CHECK_OK(opevo_session_step(session, UINT64_MAX, &over, &err));
    result = end(&self, session);
    assert_true(over && result.trials == TRIALS && result.resumed == 33);
    tear_down(&self);
}

/* Whatever was stored before stays, and the session can only be ended. */
CHECK_TEST(test_a_step_fails)
{
    opevo_session *session = NULL;
    bool over = false;
    int64_t live = 0;
    setup self;

    set_up(&self, "random", MEASURED);
    live = opevo_memory_live();
    self.objective.error_after = 30;
    session = begin(&self);
    CHECK_OK(opevo_session_step(session, 28, &over, &err));
    CHECK_FAILS(OPEVO_IO, "The formula broke", opevo_session_step(session, 28, &over, &err));
    assert_false(over);
    CHECK_FAILS(OPEVO_INVALID, "can only be ended", opevo_session_step(session, 28, &over, &err));
    assert_int_equal(end(&self, session).trials, 30);
    assert_int_equal(opevo_memory_live(), live);
    self.objective.error_after = 0;
    session = begin(&self);
    CHECK_OK(opevo_session_step(session, UINT64_MAX, &over, &err));
    assert_int_equal(end(&self, session).resumed, 30);
    CHECK_OK(opevo_session_end(NULL, NULL, &err));
    tear_down(&self);
}
