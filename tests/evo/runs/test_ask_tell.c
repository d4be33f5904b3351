/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sessions whose outcomes come from the caller. However asks and tells are cut and ordered, and
 * however often the session is dropped and made again, the run has the trials of one that evaluates
 * its points itself, and the store the same rows to the byte. */

#include "formula.h"

#include <opevo/memory.h>
#include <opevo/run.h>
#include <opevo/tuners.h>

#include "scratch_folder.h"
#include "store_content.h"

static const char space_text[] =
    "{\"K\": {\"_type\": \"factor\", \"_value\": [1024, 3]}, \"X\": {\"_type\": \"factor\","
    " \"_value\": [512, 4]}, \"_constraints\": [\"K[1] * X[2] <= 4096\"]}";
static const char tiny_space[] = "{\"a\": {\"_type\": \"choice\", \"_value\": [1, 2, 3]}}";

enum { TRIALS = 70, ASK_MOST = 12 };

typedef struct setup {
    opevo_space *space;
    formula objective; /* evaluates; tells the caller what to tell */
    opevo_objective *external;
    opevo_setting_value values[FORMULA_SETTINGS_MOST];
    opevo_run_options options;
    opevo_session *session;
    scratch_folder scratch;
} setup;

static opevo_objective *make_external(const char *json)
{
    opevo_external_options options = {.space = formula_space(json), .name = "told", .unit = "1/s"};
    opevo_objective *objective = NULL;

    CHECK_OK(opevo_external_create(&options, &objective, &err));
    assert_true(opevo_objective_is_external(objective));
    return objective;
}

static void set_up(setup *self, const char *json, const char *tuner, const char *changes)
{
    *self = (setup){.external = make_external(json), .scratch = scratch_make()};
    self->space = formula_space(json);
    self->objective = formula_on(self->space, 1, 5);
    self->objective.keeps_samples = true;
    CHECK_OK(opevo_tuner_find(tuner, &self->options.tuner, &err));
    formula_settings(self->options.tuner, changes, self->values);
    self->options.settings = self->values;
    self->options.seed = 1;
}

static void begin(setup *self, bool stored)
{
    if (stored)
        CHECK_OK(
            opevo_store_open(self->scratch.file, OPEVO_STORE_WRITE, &self->options.store, &err));
    CHECK_OK(opevo_session_create(self->external, &self->options, &self->session, &err));
}

static opevo_run_result end(setup *self)
{
    opevo_run_result result = {.trials = 0};

    CHECK_OK(opevo_session_end(self->session, &result, &err));
    opevo_store_close(self->options.store);
    self->options.store = NULL;
    return result;
}

static void tear_down(setup *self)
{
    scratch_remove(&self->scratch);
    opevo_objective_destroy(self->external);
    opevo_space_destroy(self->space);
}

static uint64_t trials_of(const setup *self)
{
    return opevo_session_result(self->session)->trials;
}

/* All rows of a table. */
static void read_table(const char *path, const char *table, opevo_text *out)
{
    sqlite3 *db = NULL;

    opevo_text_clear(out);
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    store_content_table(db, table, out);
    sqlite3_close(db);
    CHECK_OK(opevo_text_check(out, &err));
}

/* The trials of a run that evaluates its points itself, in a store of its own. */
static void reference(setup *self, opevo_text *out)
{
    opevo_run_options options = self->options;
    opevo_run_result result;

    options.budget.trials = TRIALS;
    CHECK_OK(opevo_store_open(self->scratch.file, OPEVO_STORE_WRITE, &options.store, &err));
    CHECK_OK(opevo_run(&self->objective.super, &options, &result, &err));
    opevo_store_close(options.store);
    read_table(self->scratch.file, "trials", out);
    scratch_empty(&self->scratch);
}

/* ---- Cuts and kills ------------------------------------------------------------------------- */

static void shuffle(opevo_trial *trials, size_t count, opevo_rng *rng)
{
    for (size_t i = count; i > 1; i--) {
        size_t k = (size_t)opevo_rng_below(rng, i);
        opevo_trial swapped = trials[k];

        trials[k] = trials[i - 1];
        trials[i - 1] = swapped;
    }
}

/* Ask for some, tell some of those pending in any order. */
static void turn(setup *self, size_t *pending_count, opevo_trial *pending, opevo_rng *rng)
{
    opevo_trial asked[ASK_MOST];
    uint64_t left = TRIALS - trials_of(self) - *pending_count;
    size_t capacity = (size_t)opevo_rng_below(rng, ASK_MOST + 1);
    size_t told = 0;
    size_t count = 0;

    /* early outcomes that a session before this one took are not pending, but will be trials */
    capacity = capacity > left ? (size_t)left : capacity;
    if (capacity > 0)
        CHECK_OK(opevo_session_ask(self->session, asked, capacity, &count, &err));
    assert_true(count <= capacity);
    for (size_t i = 0; i < count; i++)
        pending[(*pending_count)++] = asked[i];
    assert_int_equal(opevo_session_pending(self->session, NULL, 0), *pending_count);
    shuffle(pending, *pending_count, rng);
    told = (size_t)opevo_rng_below(rng, *pending_count + 1);
    for (size_t i = 0; i < told; i++)
        pending[i].outcome = formula_outcome(&self->objective, pending[i].proposal.point);
    CHECK_OK(opevo_session_tell(self->session, pending, told, &err));
    *pending_count -= told;
    memmove(pending, pending + told, *pending_count * sizeof *pending);
}

/* Tell what is pending, in descending order and one by one, so that much comes ahead of its
 * turn. */
static void tell_the_rest(setup *self, opevo_trial *pending, size_t count)
{
    assert_int_equal(opevo_session_pending(self->session, pending, count), count);
    for (size_t i = count; i-- > 0;) {
        pending[i].outcome = formula_outcome(&self->objective, pending[i].proposal.point);
        CHECK_OK(opevo_session_tell(self->session, &pending[i], 1, &err));
    }
}

/* `kill_one_in`: how often the session is dropped and made again; 0: never. */
static void check_cuts(setup *self, bool stored, unsigned kill_one_in, uint64_t cut,
                       const opevo_text *wanted)
{
    opevo_trial pending[TRIALS] = {{.number = 0}};
    opevo_text got = {0};
    size_t count = 0;
    opevo_rng rng;

    opevo_rng_init(&rng, cut, "cuts", 0);
    self->options.budget.trials = TRIALS;
    begin(self, stored);
    while (!opevo_session_is_over(self->session)) {
        turn(self, &count, pending, &rng);
        if (kill_one_in && opevo_rng_below(&rng, kill_one_in) == 0) {
            uint64_t before = trials_of(self);

            end(self);
            begin(self, stored);
            assert_int_equal(trials_of(self), before);
            count = 0; /* asked for again */
        }
        if (trials_of(self) + count == TRIALS)
            tell_the_rest(self, pending, count);
    }
    assert_int_equal(end(self).trials, TRIALS);
    if (stored) {
        read_table(self->scratch.file, "trials", &got);
        assert_string_equal(opevo_text_string(&got), opevo_text_string(wanted));
    }
    if (kill_one_in) { /* some came ahead of their turn, and none of them is left */
        read_table(self->scratch.file, "early", &got);
        assert_string_equal(opevo_text_string(&got), "");
    }
    opevo_text_free(&got);
    scratch_empty(&self->scratch);
}

CHECK_TEST(test_any_cutting_gives_the_same_store)
{
    static const char *const tuners[][2] = {
        {"random", ""},
        {"opevo", ""},
        {"nsga2", "population=9"},
        {"tpe", "startup=10 candidates=3"},
        {"gbfs", ""},
        {"autotvm", "plan=16 chains=16 steps=30 trees=10"},
    };

    for (size_t t = 0; t < sizeof tuners / sizeof *tuners; t++) {
        opevo_text wanted = {0};
        setup self;

        set_up(&self, space_text, tuners[t][0], tuners[t][1]);
        reference(&self, &wanted);
        check_cuts(&self, false, 0, 1, &wanted);
        check_cuts(&self, true, 0, 2, &wanted);
        check_cuts(&self, true, 5, 3, &wanted);
        check_cuts(&self, true, 2, 4, &wanted);
        opevo_text_free(&wanted);
        tear_down(&self);
    }
}

/* ---- What is refused ------------------------------------------------------------------------ */

static opevo_trial told(uint64_t number, double time_s)
{
    return (opevo_trial){.number = number, .outcome = opevo_outcome_of_time(time_s)};
}

CHECK_TEST(test_refused_outcomes_change_nothing)
{
    opevo_trial asked[4], list[3];
    size_t count = 0;
    setup self;

    set_up(&self, space_text, "random", "");
    begin(&self, true);
    CHECK_OK(opevo_session_ask(self.session, asked, 4, &count, &err));
    assert_int_equal(count, 4);
    for (size_t i = 0; i < 3; i++)
        list[i] = told(i + 1, 0.5);
    CHECK_OK(opevo_session_tell(self.session, &list[0], 1, &err));
    CHECK_OK(opevo_session_tell(self.session, &list[2], 1, &err));
    assert_int_equal(trials_of(&self), 1);

    CHECK_FAILS(OPEVO_INVALID, "Trial 1 was told before.",
                opevo_session_tell(self.session, &list[0], 1, &err));
    CHECK_FAILS(OPEVO_INVALID, "Trial 3 was told before.", /* and 2 is not taken */
                opevo_session_tell(self.session, &list[1], 2, &err));
    list[0] = list[2] = told(4, 1);
    CHECK_FAILS(OPEVO_INVALID, "Trial 4 was told before.",
                opevo_session_tell(self.session, list, 3, &err));
    list[2] = told(5, 1);
    CHECK_FAILS(OPEVO_INVALID, "Trial 5 was never asked for.",
                opevo_session_tell(self.session, list, 3, &err));
    list[2] = told(0, 1);
    CHECK_FAILS(OPEVO_INVALID, "Trial 0 was never asked for.",
                opevo_session_tell(self.session, list, 3, &err));
    list[0] = told(4, 0); /* fitness is infinite */
    CHECK_FAILS(OPEVO_INVALID, "Trial 4: its fitness must be finite",
                opevo_session_tell(self.session, list, 1, &err));
    list[0].outcome = opevo_outcome_of_fitness(-1);
    CHECK_FAILS(OPEVO_INVALID, "fitness", opevo_session_tell(self.session, list, 1, &err));
    list[0].outcome = opevo_outcome_of_fitness(1);
    list[0].outcome.other_s = NAN;
    CHECK_FAILS(OPEVO_INVALID, "costs", opevo_session_tell(self.session, list, 1, &err));
    list[0].outcome = opevo_outcome_failed((opevo_outcome_class)99);
    CHECK_FAILS(OPEVO_INVALID, "class", opevo_session_tell(self.session, list, 1, &err));

    assert_int_equal(trials_of(&self), 1);
    assert_int_equal(opevo_session_pending(self.session, asked, 4), 2);
    assert_true(asked[0].number == 2 && asked[1].number == 4);
    CHECK_OK(opevo_session_tell(self.session, &list[1], 1, &err));
    assert_int_equal(trials_of(&self), 3);
    end(&self);
    tear_down(&self);
}

CHECK_TEST(test_calls_of_the_other_kind_are_refused)
{
    opevo_index point = 0;
    opevo_session *other = NULL;
    opevo_outcome outcome;
    opevo_trial trial;
    size_t count = 0;
    bool over = false;
    setup self;

    set_up(&self, tiny_space, "random", "");
    begin(&self, false);
    CHECK_FAILS(OPEVO_INVALID, "come from the caller",
                opevo_session_step(self.session, 1, &over, &err));
    CHECK_FAILS(OPEVO_INVALID, "come from the caller",
                opevo_objective_evaluate(self.external, &point, 1, &outcome, &err));
    end(&self);
    self.options.budget.trials = 1;
    CHECK_OK(opevo_session_create(&self.objective.super, &self.options, &other, &err));
    CHECK_FAILS(OPEVO_INVALID, "step the session",
                opevo_session_ask(other, &trial, 1, &count, &err));
    CHECK_FAILS(OPEVO_INVALID, "step the session", opevo_session_tell(other, &trial, 1, &err));
    CHECK_OK(opevo_session_end(other, NULL, &err));
    self.options.tuner = NULL;
    CHECK_FAILS(OPEVO_INVALID, "needs a tuner",
                opevo_session_create(self.external, &self.options, &other, &err));
    tear_down(&self);
}

CHECK_TEST(test_names_and_criteria_are_checked)
{
    const opevo_criterion twice[] = {{"error", "", false}, {"error", "", false}};
    const opevo_criterion fitness = {"fitness", "", false};
    const opevo_criterion nameless = {.unit = "J"};
    const opevo_criterion unitless = {.name = "error"};
    opevo_external_options options = {.name = "told", .unit = "score"};
    opevo_objective *out = NULL;

    CHECK_FAILS(OPEVO_INVALID, "a space or a domain", opevo_external_create(&options, &out, &err));
    options.space = formula_space(tiny_space);
    options.criteria = twice;
    options.criterion_count = 2;
    CHECK_FAILS(OPEVO_INVALID, "is given twice", opevo_external_create(&options, &out, &err));
    options.criterion_count = 4;
    CHECK_FAILS(OPEVO_INVALID, "at most 3", opevo_external_create(&options, &out, &err));
    options.criteria = &fitness;
    options.criterion_count = 1;
    CHECK_FAILS(OPEVO_INVALID, "needs a name", opevo_external_create(&options, &out, &err));
    options.criteria = &nameless;
    CHECK_FAILS(OPEVO_INVALID, "name and a unit", opevo_external_create(&options, &out, &err));
    options.criteria = &unitless;
    CHECK_FAILS(OPEVO_INVALID, "name and a unit", opevo_external_create(&options, &out, &err));
    options.criterion_count = 0;
    options.name = "";
    CHECK_FAILS(OPEVO_INVALID, "a name and a unit", opevo_external_create(&options, &out, &err));
    opevo_space_destroy(options.space);
}

/* ---- How a run ends ------------------------------------------------------------------------- */

CHECK_TEST(test_waiting_and_over)
{
    opevo_trial trials[8], more[8];
    size_t count = 0;
    setup self;

    set_up(&self, tiny_space, "random", "");
    begin(&self, false);
    CHECK_OK(opevo_session_ask(self.session, trials, 8, &count, &err));
    assert_int_equal(count, 3);
    assert_false(opevo_session_is_over(self.session));
    CHECK_OK(opevo_session_ask(self.session, more, 8, &count, &err));
    assert_int_equal(count, 0);
    for (size_t i = 0; i < 3; i++)
        trials[i].outcome = opevo_outcome_of_fitness(1);
    CHECK_OK(opevo_session_tell(self.session, trials, 3, &err));
    assert_false(opevo_session_is_over(self.session)); /* nobody has asked */
    CHECK_OK(opevo_session_ask(self.session, more, 8, &count, &err));
    assert_int_equal(count, 0);
    assert_true(opevo_session_is_over(self.session));
    assert_int_equal(opevo_session_result(self.session)->stop, OPEVO_STOP_SEARCH_OVER);
    assert_non_null(opevo_session_result(self.session)->reason);
    end(&self);
    tear_down(&self);
}

/* The run ends at the trial that reaches a limit; what was told beyond it serves a larger
 * budget. */
CHECK_TEST(test_budgets_and_requirements)
{
    opevo_requirement requirement;
    opevo_trial trials[8], again[8];
    size_t count = 0;
    setup self;

    set_up(&self, space_text, "random", "");
    CHECK_OK(opevo_requirement_parse(self.external, "time<=1", &requirement, &err));
    self.options.requirements = &requirement;
    self.options.requirement_count = 1;
    self.options.budget.seconds = 3;
    begin(&self, true);
    CHECK_OK(opevo_session_ask(self.session, trials, 8, &count, &err));
    for (size_t i = 0; i < 8; i++) {
        trials[i].outcome = opevo_outcome_of_time(i == 0 ? 2 : 0.5);
        trials[i].outcome.other_s = 1;
    }
    CHECK_OK(opevo_session_tell(self.session, trials + 1, 7, &err));
    assert_int_equal(trials_of(&self), 0);
    CHECK_OK(opevo_session_tell(self.session, trials, 1, &err));
    assert_true(opevo_session_is_over(self.session));
    assert_int_equal(opevo_session_result(self.session)->stop, OPEVO_STOP_SECONDS);
    assert_int_equal(opevo_session_result(self.session)->failed_by_class[OPEVO_OUTCOME_INFEASIBLE],
                     1);
    CHECK_OK(opevo_session_ask(self.session, again, 8, &count, &err));
    assert_int_equal(count, 0);
    assert_int_equal(end(&self).trials, 3);

    self.options.budget.seconds = 100;
    begin(&self, true);
    assert_int_equal(trials_of(&self), 8);
    CHECK_OK(opevo_session_ask(self.session, again, 1, &count, &err));
    assert_true(count == 1 && again[0].number == 9);
    end(&self);
    tear_down(&self);
}

/* ---- Faults --------------------------------------------------------------------------------- */

static void execute(const char *path, const char *sql)
{
    sqlite3 *db = NULL;

    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

/* A store that does not take an outcome leaves the session as it was. */
CHECK_TEST(test_a_store_that_fails)
{
    opevo_trial trials[3];
    size_t count = 0;
    setup self;

    set_up(&self, space_text, "opevo", "");
    begin(&self, true);
    CHECK_OK(opevo_session_ask(self.session, trials, 3, &count, &err));
    for (size_t i = 0; i < 3; i++)
        trials[i].outcome = opevo_outcome_of_time(0.5);
    CHECK_OK(opevo_session_tell(self.session, trials + 1, 1, &err));
    execute(self.scratch.file, "ALTER TABLE trials RENAME TO hidden");
    CHECK_FAILS(OPEVO_INVALID, "runs.db", opevo_session_tell(self.session, trials, 1, &err));
    assert_int_equal(trials_of(&self), 0);
    assert_int_equal(opevo_session_pending(self.session, NULL, 0), 2);
    execute(self.scratch.file, "ALTER TABLE hidden RENAME TO trials");
    CHECK_OK(opevo_session_tell(self.session, trials, 1, &err));
    assert_int_equal(trials_of(&self), 2);
    end(&self);

    /* an early outcome of a trial that the tuner does not propose */
    begin(&self, true);
    CHECK_OK(opevo_session_ask(self.session, trials, 3, &count, &err));
    CHECK_OK(opevo_session_tell(self.session, trials + 1, 1, &err));
    end(&self);
    execute(self.scratch.file, "UPDATE early SET point = zeroblob(16)");
    begin(&self, true);
    CHECK_FAILS(OPEVO_MISMATCH, "the tuner proposes",
                opevo_session_ask(self.session, trials, 3, &count, &err));
    CHECK_FAILS(OPEVO_INVALID, "create it again",
                opevo_session_ask(self.session, trials, 3, &count, &err));
    end(&self);
    execute(self.scratch.file, "UPDATE early SET outcome = 77");
    CHECK_OK(opevo_store_open(self.scratch.file, OPEVO_STORE_WRITE, &self.options.store, &err));
    CHECK_FAILS(OPEVO_INVALID, "is damaged",
                opevo_session_create(self.external, &self.options, &self.session, &err));
    opevo_store_close(self.options.store);
    tear_down(&self);
}

/* What was told out of order is complete as soon as all before it are told, whether anybody
 * asked for it again or not. */
CHECK_TEST(test_outcomes_of_a_session_before)
{
    opevo_trial trials[4];
    size_t count = 0;
    setup self;

    set_up(&self, space_text, "random", "");
    begin(&self, true);
    CHECK_OK(opevo_session_ask(self.session, trials, 4, &count, &err));
    for (size_t i = 0; i < 4; i++)
        trials[i].outcome = opevo_outcome_of_time(0.5);
    CHECK_OK(opevo_session_tell(self.session, trials + 2, 2, &err));
    end(&self);
    begin(&self, true);
    assert_int_equal(trials_of(&self), 0);
    CHECK_OK(opevo_session_ask(self.session, trials, 2, &count, &err));
    assert_true(count == 2 && trials[1].number == 2);
    trials[0].outcome = trials[1].outcome = opevo_outcome_of_time(0.5);
    CHECK_OK(opevo_session_tell(self.session, trials, 2, &err));
    assert_int_equal(trials_of(&self), 4);
    end(&self);
    tear_down(&self);
}

/* A caller may know that a point is infeasible without any requirement of the run: the store can
 * hold that, in order and out of it. */
CHECK_TEST(test_every_class_is_stored)
{
    opevo_trial trials[OPEVO_OUTCOME_CLASS_COUNT];
    size_t count = 0;

    for (int first = 0; first < 2; first++) { /* all but the last are told, or all but the first */
        setup self;

        set_up(&self, space_text, "random", "");
        begin(&self, true);
        CHECK_OK(opevo_session_ask(self.session, trials, OPEVO_OUTCOME_CLASS_COUNT, &count, &err));
        for (int i = 0; i < OPEVO_OUTCOME_CLASS_COUNT; i++)
            trials[i].outcome = i == OPEVO_OUTCOME_OK
                                    ? opevo_outcome_of_time(0.5)
                                    : opevo_outcome_failed((opevo_outcome_class)i);
        CHECK_OK(opevo_session_tell(self.session, trials + !first, count - 1, &err));
        end(&self);
        begin(&self, true);
        CHECK_OK(opevo_session_ask(self.session, trials, 1, &count, &err));
        assert_int_equal(trials[0].number, first ? OPEVO_OUTCOME_CLASS_COUNT : 1);
        trials[0].outcome = opevo_outcome_of_time(0.5);
        CHECK_OK(opevo_session_tell(self.session, trials, 1, &err));
        end(&self);
        begin(&self, true);
        assert_int_equal(trials_of(&self), OPEVO_OUTCOME_CLASS_COUNT);
        end(&self);
        tear_down(&self);
    }
}

/* Two asks and two tells, one of them out of order. */
static opevo_status use(setup *self)
{
    opevo_trial trials[4];
    opevo_session *session = NULL;
    size_t count = 0;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_store_open(self->scratch.file, OPEVO_STORE_WRITE, &self->options.store, NULL));
    OPEVO_TRY(opevo_session_create(self->external, &self->options, &session, NULL));
    OPEVO_TRY(opevo_session_ask(session, trials, 4, &count, NULL));
    for (size_t i = 0; i < count; i++) {
        trials[i].outcome = opevo_outcome_failed(OPEVO_OUTCOME_CRASHED);
        trials[i].outcome.message = "it crashed";
    }
    OPEVO_TRY(opevo_session_tell(session, trials + 1, 1, NULL));
    OPEVO_TRY(opevo_session_tell(session, trials, 1, NULL));
    OPEVO_TRY(opevo_session_tell(session, trials + 3, 1, NULL));
cleanup:
    opevo_session_end(session, NULL, NULL);
    opevo_store_close(self->options.store);
    self->options.store = NULL;
    return status;
}

CHECK_TEST(test_every_allocation_fails)
{
    opevo_status status = OPEVO_NOMEM;
    setup self;
    int64_t live = 0;

    set_up(&self, space_text, "opevo", "");
    live = opevo_memory_live();
    for (int64_t n = 1; status != OPEVO_OK; n++) {
        scratch_empty(&self.scratch);
        opevo_memory_fail_at(n);
        status = use(&self);
        opevo_memory_fail_at(0);
        assert_true(status == OPEVO_OK || status == OPEVO_NOMEM);
        assert_int_equal(opevo_memory_live(), live);
    }
    status = OPEVO_NOMEM;
    for (int64_t n = 1; status != OPEVO_OK; n++) { /* resuming, with an outcome out of order */
        scratch_empty(&self.scratch);
        CHECK_OK(use(&self));
        opevo_memory_fail_at(n);
        status = use(&self);
        opevo_memory_fail_at(0);
        assert_true(status == OPEVO_OK || status == OPEVO_NOMEM);
        assert_int_equal(opevo_memory_live(), live);
    }
    tear_down(&self);
}
