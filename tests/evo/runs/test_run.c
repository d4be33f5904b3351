/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The run loop without a store: budgets, batches, threads, observers. What a run must give is
 * computed here by a loop of its own that asks for one point at a time. */

#include "formula.h"

#include <stdlib.h>

#include <opevo/memory.h>
#include <opevo/run.h>
#include <opevo/tuners.h>

static const char space_text[] =
    "{\"K\": {\"_type\": \"factor\", \"_value\": [1024, 3]}, \"X\": {\"_type\": \"factor\","
    " \"_value\": [512, 4]}, \"u\": {\"_type\": \"discrete\", \"_value\": [0, 125, 256]},"
    " \"_constraints\": [\"K[1] * X[2] <= 4096\"]}";

enum { MOST = 600 };

typedef struct trial_log {
    size_t count;
    size_t resumed;
    opevo_trial trials[MOST];
} trial_log;

static void observe(void *context, const opevo_trial *trial, bool resumed)
{
    trial_log *self = context;

    assert_true(self->count < MOST);
    self->trials[self->count] = *trial;
    self->trials[self->count].outcome.samples_s = NULL;
    self->trials[self->count].outcome.message = NULL;
    self->count++;
    self->resumed += resumed;
    assert_int_equal(trial->number, self->count);
}

static bool same_trial(const opevo_trial *a, const opevo_trial *b)
{
    const opevo_outcome *x = &a->outcome;
    const opevo_outcome *y = &b->outcome;

    return a->number == b->number && a->proposal.point == b->proposal.point &&
           strcmp(a->proposal.origin, b->proposal.origin) == 0 && x->kind == y->kind &&
           x->fitness == y->fitness && opevo_outcome_cost_s(x) == opevo_outcome_cost_s(y);
}

static void assert_same_log(const trial_log *a, const trial_log *b)
{
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++)
        assert_true(same_trial(&a->trials[i], &b->trials[i]));
}

typedef struct setup {
    opevo_space *space;
    formula objective;
    opevo_setting_value values[FORMULA_SETTINGS_MOST];
    opevo_run_options options;
    trial_log *seen;
} setup;

static setup set_up(const char *tuner, const char *changes, unsigned fail_one_in)
{
    setup self = {.space = formula_space(space_text)};

    self.objective = formula_on(self.space, 1, fail_one_in);
    CHECK_OK(opevo_tuner_find(tuner, &self.options.tuner, &err));
    formula_settings(self.options.tuner, changes, self.values);
    self.options.seed = 1;
    self.options.observer = observe;
    self.seen = calloc(1, sizeof *self.seen);
    return self;
}

static opevo_run_result run(setup *self, opevo_budget budget, size_t batch, unsigned threads)
{
    opevo_run_result result;

    self->options.settings = self->values;
    self->options.budget = budget;
    self->options.batch = batch;
    self->options.threads = threads;
    self->options.observer_context = self->seen;
    *self->seen = (trial_log){0};
    CHECK_OK(opevo_run(&self->objective.super, &self->options, &result, &err));
    assert_int_equal(result.trials, self->seen->count);
    return result;
}

static void tear_down(setup *self)
{
    opevo_space_destroy(self->space);
    free(self->seen);
}

/* The run, one point at a time. */
static void reference(const setup *self, size_t wanted, trial_log *out)
{
    opevo_tuner *tuner = NULL;

    *out = (trial_log){0};
    CHECK_OK(opevo_tuner_create(self->options.tuner, self->space, self->values, self->options.seed,
                                &tuner, &err));
    for (size_t i = 0; i < wanted; i++) {
        opevo_trial *trial = &out->trials[i];
        size_t count = 0;

        trial->number = i + 1;
        CHECK_OK(opevo_tuner_ask(tuner, &trial->proposal, 1, &count, &err));
        assert_int_equal(count, 1);
        CHECK_OK(opevo_objective_evaluate((opevo_objective *)&self->objective.super,
                                          &trial->proposal.point, 1, &trial->outcome, &err));
        CHECK_OK(opevo_tuner_tell(tuner, trial, 1, &err));
    }
    out->count = wanted;
    opevo_tuner_destroy(tuner);
}

static void check_same_trials(setup *self, const trial_log *wanted, size_t batch, unsigned threads)
{
    run(self, (opevo_budget){.trials = wanted->count}, batch, threads);
    assert_same_log(self->seen, wanted);
}

/* What a tuner proposes does not depend on how it is asked, which its contract shows; here the loop
 * is shown, whole with one tuner and once with each. */
CHECK_TEST(test_same_trials_however_run)
{
    enum { TRIALS = 250 }; /* three plans of the tuners that plan 64 */
    static const size_t batches[] = {0, 1, 7, 8, 1000};
    trial_log *wanted = calloc(1, sizeof *wanted);

    for (size_t t = 0; t < opevo_tuner_count(); t++) {
        setup self = set_up(opevo_tuner_get(t)->name, "", 5);

        self.objective.broken_one_in = 9;
        reference(&self, TRIALS, wanted);
        check_same_trials(&self, wanted, 0, 2);
        if (strcmp(opevo_tuner_get(t)->name, "opevo") == 0) {
            for (size_t b = 0; b < sizeof batches / sizeof *batches; b++) {
                for (unsigned threads = 1; threads <= 3; threads++)
                    check_same_trials(&self, wanted, batches[b], threads);
            }
            self.objective.super.concurrent = false;
            check_same_trials(&self, wanted, 0, 2);
        }
        tear_down(&self);
    }
    free(wanted);
}

CHECK_TEST(test_result)
{
    setup self = set_up("opevo", "", 4);
    opevo_run_result result = run(&self, (opevo_budget){.trials = 300}, 0, 1);
    uint64_t by_class[OPEVO_OUTCOME_CLASS_COUNT] = {0};
    const opevo_trial *best = NULL;
    uint64_t failed = 0;
    double cost_s = 0;

    for (size_t i = 0; i < self.seen->count; i++) {
        const opevo_trial *trial = &self.seen->trials[i];

        cost_s += opevo_outcome_cost_s(&trial->outcome);
        if (trial->outcome.kind != OPEVO_OUTCOME_OK) {
            failed++;
            by_class[trial->outcome.kind]++;
        } else if (!best || trial->outcome.fitness > best->outcome.fitness) {
            best = trial;
        }
    }
    assert_int_equal(result.stop, OPEVO_STOP_TRIALS);
    assert_string_equal(opevo_stop_name(result.stop), "trials");
    assert_null(result.reason);
    assert_true(result.trials == 300 && result.resumed == 0 && result.failed == failed);
    assert_memory_equal(result.failed_by_class, by_class, sizeof by_class);
    assert_true(failed > 30 && result.cost_s == cost_s);
    assert_true(best && same_trial(&result.best, best));
    assert_true(!result.best.outcome.samples_s && !result.best.outcome.message);
    tear_down(&self);
}

CHECK_TEST(test_all_failed_or_broken)
{
    setup self = set_up("opevo", "", 1);
    opevo_run_result result = run(&self, (opevo_budget){.trials = 50}, 0, 1);

    assert_true(result.failed == 50 && result.best.number == 0);
    self.objective.fail_one_in = 0;
    self.objective.broken_one_in = 1; /* NaN, infinite or negative: fitness 0, yet not failed */
    result = run(&self, (opevo_budget){.trials = 50}, 0, 1);
    assert_true(result.failed == 0 && result.best.number == 1);
    for (size_t i = 0; i < 50; i++)
        assert_true(self.seen->trials[i].outcome.fitness == 0);
    tear_down(&self);
}

/* The run ends exactly at the trial that reaches the limit, whatever the batch. */
CHECK_TEST(test_budget_by_seconds_and_target)
{
    static const size_t batches[] = {1, 3, 64, 500};
    static const char *const tuners[] = {"random", "opevo", "autotvm-ga"};
    trial_log *wanted = calloc(1, sizeof *wanted);

    for (size_t t = 0; t < sizeof tuners / sizeof *tuners; t++) {
        setup self = set_up(tuners[t], "", 5);
        size_t by_seconds = 0;
        size_t by_target = 0;
        double cost_s = 0;
        double target = 0;

        reference(&self, 400, wanted);
        while (cost_s < 9.5)
            cost_s += opevo_outcome_cost_s(&wanted->trials[by_seconds++].outcome);
        for (size_t i = 0; i < 300; i++)
            target = fmax(target, wanted->trials[i].outcome.fitness);
        while (wanted->trials[by_target++].outcome.fitness < target)
            ;
        for (size_t b = 0; b < sizeof batches / sizeof *batches; b++) {
            opevo_run_result result =
                run(&self, (opevo_budget){.seconds = 9.5}, batches[b], 1 + b % 2);

            assert_int_equal(result.stop, OPEVO_STOP_SECONDS);
            wanted->count = by_seconds;
            assert_same_log(self.seen, wanted);
            assert_true(result.cost_s == cost_s);
            result = run(&self, (opevo_budget){.target = target}, batches[b], 1 + b % 2);
            assert_int_equal(result.stop, OPEVO_STOP_TARGET);
            assert_int_equal(result.best.number, by_target);
            wanted->count = by_target;
            assert_same_log(self.seen, wanted);
            result =
                run(&self, (opevo_budget){.trials = by_target, .target = target}, batches[b], 1);
            assert_int_equal(result.stop, OPEVO_STOP_TARGET);
            result = run(&self, (opevo_budget){.trials = 20, .target = 1e9, .seconds = 1e9},
                         batches[b], 1);
            assert_int_equal(result.stop, OPEVO_STOP_TRIALS);
        }
        tear_down(&self);
    }
    free(wanted);
}

/* The first of these trials at which a kind of failure other than "rejected" has come so often,
 * unless one was ok before; 0: none. */
static size_t hopeless_at(const trial_log *log, uint64_t most)
{
    uint64_t seen[OPEVO_OUTCOME_CLASS_COUNT] = {0};

    for (size_t i = 0; i < log->count; i++) {
        opevo_outcome_class kind = log->trials[i].outcome.kind;

        if (kind == OPEVO_OUTCOME_OK)
            return 0;
        if (++seen[kind] == most && kind != OPEVO_OUTCOME_REJECTED)
            return i + 1;
    }
    return 0;
}

CHECK_TEST(test_giving_up)
{
    static const unsigned fail_one_in[] = {1, 2, 5};
    trial_log *wanted = calloc(1, sizeof *wanted);
    size_t gave_up = 0;

    for (size_t f = 0; f < 3; f++) {
        setup self = set_up("random", "", fail_one_in[f]);

        for (self.options.seed = 1; self.options.seed <= 8; self.options.seed++) {
            reference(&self, 60, wanted);
            for (self.options.give_up = 1; self.options.give_up <= 6; self.options.give_up++) {
                size_t at = hopeless_at(wanted, self.options.give_up);
                opevo_run_result result = run(&self, (opevo_budget){.trials = 60}, f ? 7 : 64, 1);

                assert_int_equal(result.stop, at ? OPEVO_STOP_GAVE_UP : OPEVO_STOP_TRIALS);
                assert_int_equal(result.trials, at ? at : 60);
                gave_up += at > 0;
            }
        }
        tear_down(&self);
    }
    assert_true(gave_up > 48); /* all that can only fail, and some of the others */
    assert_string_equal(opevo_stop_name(OPEVO_STOP_GAVE_UP), "gave-up");
    free(wanted);
}

CHECK_TEST(test_search_over)
{
    setup self = set_up("opevo", "", 3);
    opevo_run_result result;

    opevo_space_destroy(self.space);
    self.space = formula_space("{\"a\": {\"_type\": \"factor\", \"_value\": [12, 3]}}");
    self.objective.super.space = self.space;
    result = run(&self, (opevo_budget){.trials = 100}, 0, 1);
    assert_int_equal(result.stop, OPEVO_STOP_SEARCH_OVER);
    assert_string_equal(result.reason, "every allowed point has been proposed");
    assert_int_equal(result.trials, opevo_space_size(self.space));
    /* A budget of just that many trials is spent first. */
    result = run(&self, (opevo_budget){.trials = result.trials}, 0, 1);
    assert_int_equal(result.stop, OPEVO_STOP_TRIALS);
    tear_down(&self);
}

static opevo_interrupt interrupt;

static void interrupt_at_20(void *context, const opevo_trial *trial, bool resumed)
{
    if (trial->number == 20)
        opevo_interrupt_raise(&interrupt);
}

CHECK_TEST(test_interrupt)
{
    setup self = set_up("opevo", "", 0);
    opevo_run_result result;

    self.options.observer = interrupt_at_20;
    self.options.interrupt = &interrupt;
    self.options.settings = self.values;
    self.options.budget.trials = 100;
    opevo_interrupt_lower(&interrupt);
    CHECK_OK(opevo_run(&self.objective.super, &self.options, &result, &err));
    assert_int_equal(result.stop, OPEVO_STOP_INTERRUPTED);
    assert_int_equal(result.trials, 24); /* the generation of trial 20 ends with 24 */
    CHECK_OK(opevo_run(&self.objective.super, &self.options, &result, &err));
    assert_int_equal(result.trials, 0);
    tear_down(&self);
}

CHECK_TEST(test_bad_budgets)
{
    static const opevo_budget bad[] = {{0},
                                       {.seconds = NAN},
                                       {.trials = 1, .seconds = -1},
                                       {.seconds = INFINITY},
                                       {.trials = 1, .target = NAN},
                                       {.target = -1},
                                       {.target = INFINITY}};
    setup self = set_up("random", "", 0);
    opevo_run_result result = {.trials = 99};

    self.options.settings = self.values;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        self.options.budget = bad[i];
        CHECK_FAILS(OPEVO_INVALID, ".",
                    opevo_run(&self.objective.super, &self.options, &result, &err));
    }
    assert_int_equal(result.trials, 99);
    tear_down(&self);
}

CHECK_TEST(test_objective_breaks)
{
    for (unsigned threads = 1; threads <= 2; threads++) {
        setup self = set_up("random", "", 0);
        opevo_run_result result = {.trials = 99};
        int64_t live = opevo_memory_live();

        self.objective.error_after = 30;
        self.options.settings = self.values;
        self.options.budget.trials = 100;
        self.options.threads = threads;
        self.options.observer = NULL;
        CHECK_FAILS(OPEVO_IO, "The formula broke",
                    opevo_run(&self.objective.super, &self.options, &result, &err));
        assert_int_equal(result.trials, 99);
        assert_int_equal(opevo_memory_live(), live);
        tear_down(&self);
    }
}
