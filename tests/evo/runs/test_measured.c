/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Runs of measured objectives: outcomes that arrive in any order, interrupts and faults in the
 * midst of a batch, and what the store holds at each moment. */

#include "formula.h"

#include <opevo/run.h>
#include <opevo/tuners.h>

#include "scratch_folder.h"

enum { TRIALS = 60, MOST = 16 };

typedef enum arrival { IN_ORDER, REVERSED, ODD_FIRST } arrival;

/* A formula that is measured: it hands over its outcomes in the order given, with samples that do
 * not outlive the call. */
typedef struct device {
    formula formula;
    arrival order;
    uint64_t fault_after; /* outcomes handed over in all; 0: never */
    opevo_interrupt *raise;
    uint64_t raise_after; /* likewise */
    uint64_t handed;
    const char *store; /* is looked into after each outcome; NULL: not */
    uint64_t begun;    /* trials in the store when the batch began */
    double best;       /* as noted last */
    double largest;    /* fitness of an outcome handed over, by then */
    uint64_t noted;
} device;

static uint64_t stored_trials(const char *path)
{
    opevo_store *store = NULL;
    opevo_trial trials[TRIALS];
    size_t count = 0;

    CHECK_OK(opevo_store_open(path, OPEVO_STORE_READ, &store, &err));
    CHECK_OK(opevo_store_read(store, 1, 0, trials, TRIALS, &count, &err));
    opevo_store_close(store);
    return count;
}

/* Place of the k-th outcome that arrives. */
static size_t place(arrival order, size_t k, size_t count)
{
    if (order == REVERSED)
        return count - 1 - k;
    if (order == ODD_FIRST)
        return k < count / 2 ? 2 * k + 1 : 2 * (k - count / 2);
    return k;
}

/* The store holds what has come without a gap, and nothing else. */
static void check_store(const device *self, const bool *come, size_t count)
{
    size_t whole = 0;

    while (whole < count && come[whole])
        whole++;
    assert_int_equal(stored_trials(self->store), self->begun + whole);
}

static opevo_status measure(opevo_objective *objective, const opevo_index *points, size_t count,
                            const opevo_interrupt *interrupt, opevo_outcome_sink sink,
                            void *sink_context, opevo_error *err)
{
    device *self = (device *)objective;
    bool come[MOST] = {false};
    opevo_status status = OPEVO_OK;

    assert_true(count <= MOST);
    if (self->store)
        self->begun = stored_trials(self->store);
    for (size_t k = 0; k < count && status == OPEVO_OK; k++) {
        size_t i = place(self->order, k, count);
        opevo_outcome outcome = formula_outcome(&self->formula, points[i]);

        if (self->raise && self->handed == self->raise_after)
            opevo_interrupt_raise(self->raise);
        if (opevo_interrupt_is_raised(interrupt))
            return OPEVO_FAIL(err, OPEVO_INTERRUPTED, "Measuring was interrupted.");
        if (self->fault_after && self->handed == self->fault_after)
            return OPEVO_FAIL(err, OPEVO_FAULT, "The disk is full.");
        self->handed++;
        self->largest = fmax(self->largest, outcome.fitness);
        self->formula.evaluated++;
        status = sink(sink_context, i, &outcome, err);
        come[i] = true;
        if (self->store && status == OPEVO_OK)
            check_store(self, come, count);
    }
    return status;
}

typedef struct setup {
    opevo_space *space;
    device device;
    opevo_objective_ops ops;
    opevo_setting_value values[FORMULA_SETTINGS_MOST];
    const opevo_tuner_ops *tuner;
    scratch_folder scratch;
} setup;

static void set_up(setup *self, size_t wanted, arrival order)
{
    *self =
        (setup){.space = formula_space("{\"a\": {\"_type\": \"factor\", \"_value\": [1024, 3]}}"),
                .ops = {.kind = "device", .measure = measure, .destroy = formula_destroy},
                .scratch = scratch_make()};
    self->device.formula = formula_on(self->space, 1, 5);
    self->device.formula.keeps_samples = true;
    self->device.formula.super.ops = &self->ops;
    self->device.formula.super.concurrent = false;
    self->device.formula.super.wanted = wanted;
    self->device.order = order;
    CHECK_OK(opevo_tuner_find("opevo", &self->tuner, &err));
    formula_settings(self->tuner, "", self->values);
}

static void tear_down(setup *self)
{
    scratch_remove(&self->scratch);
    opevo_space_destroy(self->space);
}

static opevo_status run(setup *self, const opevo_interrupt *interrupt, opevo_run_result *result,
                        opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_run_options options = {.tuner = self->tuner,
                                 .settings = self->values,
                                 .seed = 1,
                                 .budget = {.trials = TRIALS},
                                 .interrupt = interrupt};

    OPEVO_TRY(opevo_store_open(self->scratch.file, OPEVO_STORE_WRITE, &options.store, err));
    OPEVO_TRY(opevo_run(&self->device.formula.super, &options, result, err));
cleanup:
    opevo_store_close(options.store);
    return status;
}

static void read_points(const setup *self, opevo_index *points)
{
    opevo_store *store = NULL;
    opevo_trial trials[TRIALS];
    size_t count = 0;

    CHECK_OK(opevo_store_open(self->scratch.file, OPEVO_STORE_READ, &store, &err));
    CHECK_OK(opevo_store_read(store, 1, 0, trials, TRIALS, &count, &err));
    opevo_store_close(store);
    assert_int_equal(count, TRIALS);
    for (size_t i = 0; i < TRIALS; i++)
        points[i] = trials[i].proposal.point;
}

/* The points of the run by a computed objective, in one go. */
static void reference(opevo_index *points)
{
    setup self;
    opevo_run_result result = {0};

    set_up(&self, 0, IN_ORDER);
    self.device.formula.super.ops = &formula_ops;
    self.device.formula.super.concurrent = true;
    CHECK_OK(run(&self, NULL, &result, &err));
    read_points(&self, points);
    tear_down(&self);
}

/* Whatever the order of arrival and the number of points at once, each trial is in the store as
 * soon as it and all before it are known, and the trials are those of a computed run. */
CHECK_TEST(test_stored_as_they_arrive)
{
    static const size_t wanted[] = {0, 1, 3, 8, MOST};
    opevo_index right[TRIALS];
    opevo_index points[TRIALS];

    reference(right);
    for (size_t w = 0; w < sizeof wanted / sizeof *wanted; w++) {
        for (arrival order = IN_ORDER; order <= ODD_FIRST; order++) {
            setup self;
            opevo_run_result result = {0};

            set_up(&self, wanted[w], order);
            self.device.store = self.scratch.file;
            CHECK_OK(run(&self, NULL, &result, &err));
            assert_true(result.trials == TRIALS && result.stop == OPEVO_STOP_TRIALS);
            read_points(&self, points);
            assert_memory_equal(points, right, sizeof right);
            tear_down(&self);
        }
    }
}

/* Interrupted or without a host after any number of outcomes, a run has those without a gap as
 * trials, and goes on as if nothing had been: what came out of order is not measured again. */
CHECK_TEST(test_broken_off)
{
    opevo_index right[TRIALS];
    opevo_index points[TRIALS];

    reference(right);
    for (uint64_t after = 1; after < 20; after++) {
        for (int fault = 0; fault < 2; fault++) {
            opevo_interrupt interrupt = {0};
            opevo_run_result result = {0};
            uint64_t kept = 0;
            setup self;

            set_up(&self, 4, after % 2 ? ODD_FIRST : IN_ORDER);
            self.device.fault_after = fault ? after : 0;
            self.device.raise = fault ? NULL : &interrupt;
            self.device.raise_after = after;
            if (fault) {
                CHECK_FAILS(OPEVO_FAULT, "The disk is full.",
                            run(&self, &interrupt, &result, &err));
            } else {
                CHECK_OK(run(&self, &interrupt, &result, &err));
                assert_int_equal(result.stop, OPEVO_STOP_INTERRUPTED);
                assert_int_equal(result.trials, stored_trials(self.scratch.file));
            }
            kept = stored_trials(self.scratch.file);
            assert_in_range(kept, after / 4 * 4, after);
            self.device.fault_after = 0;
            self.device.raise = NULL;
            self.device.handed = 0;
            CHECK_OK(run(&self, NULL, &result, &err));
            assert_true(result.resumed == after && self.device.handed == TRIALS - after);
            read_points(&self, points);
            assert_memory_equal(points, right, sizeof right);
            tear_down(&self);
        }
    }
}

/* As many as the samples, which say whose they are. */
static const double *processor_times(const opevo_objective *objective, const opevo_outcome *outcome)
{
    static const double times[] = {3, 2, 1};
    const device *self = (const device *)objective;

    return outcome->samples_s == self->formula.samples_s ? times : NULL;
}

/* The processor times that a device knows are stored with the trial, whatever the order. */
CHECK_TEST(test_processor_times)
{
    setup self;
    opevo_run_result result = {0};
    opevo_store *store = NULL;
    size_t known = 0;
    size_t count = 0;

    set_up(&self, 4, REVERSED);
    self.ops.processor_times = processor_times;
    CHECK_OK(run(&self, NULL, &result, &err));
    CHECK_OK(opevo_store_open(self.scratch.file, OPEVO_STORE_READ, &store, &err));
    for (uint64_t i = 0; i < TRIALS; i++) {
        opevo_trial trial;
        const double *times = NULL;

        CHECK_OK(opevo_store_read(store, 1, i, &trial, 1, &count, &err));
        CHECK_OK(opevo_store_read_details(store, 1, &trial, &err));
        CHECK_OK(opevo_store_read_windows(store, 1, &trial, &times, &err));
        assert_true(!times == !trial.outcome.sample_count);
        assert_true(!times || (times[0] == 3 && times[2] == 1));
        known += times != NULL;
    }
    assert_true(known > TRIALS / 2);
    opevo_store_close(store);
    tear_down(&self);
}

static void note_best(opevo_objective *objective, double fitness)
{
    device *self = (device *)objective;

    assert_true(fitness == self->largest);
    self->noted++;
    self->best = fitness;
}

/* Before each batch the device is told the best trial of the run, also of one that goes on. */
CHECK_TEST(test_best_is_noted)
{
    setup self;
    opevo_run_result result = {0};
    opevo_interrupt interrupt = {0};

    set_up(&self, 4, ODD_FIRST);
    self.ops.note_best = note_best;
    self.device.raise = &interrupt;
    self.device.raise_after = 20;
    CHECK_OK(run(&self, &interrupt, &result, &err));
    assert_true(result.trials == 20 && self.device.noted >= 6 && self.device.best > 0);
    self.device.raise = NULL;
    CHECK_OK(run(&self, NULL, &result, &err));
    assert_true(result.trials == TRIALS && self.device.noted >= 16);
    tear_down(&self);
}

static const char *watched_store; /* by the next function */

/* An objective that knows no more than to evaluate, and is not concurrent: one point at a time. */
static opevo_status evaluate_one(opevo_objective *objective, const opevo_index *points,
                                 size_t count, opevo_outcome *outcomes, opevo_error *err)
{
    formula *self = (formula *)objective;

    assert_int_equal(count, 1);
    assert_int_equal(stored_trials(watched_store), self->evaluated);
    return formula_evaluate(objective, points, count, outcomes, err);
}

CHECK_TEST(test_one_at_a_time)
{
    setup self;
    opevo_run_result result = {0};

    set_up(&self, 0, IN_ORDER);
    self.ops = (opevo_objective_ops){.evaluate = evaluate_one, .destroy = formula_destroy};
    watched_store = self.scratch.file;
    CHECK_OK(run(&self, NULL, &result, &err));
    assert_int_equal(result.trials, TRIALS);
    tear_down(&self);
}

/* All at once is the same, cleaned; and what the taker says ends it. */
static opevo_status refuse(void *context, size_t i, const opevo_outcome *outcome, opevo_error *err)
{
    *(size_t *)context += 1;
    return i < 2 ? OPEVO_OK : OPEVO_FAIL(err, OPEVO_NOMEM, "Enough.");
}

CHECK_TEST(test_calls)
{
    opevo_index points[8] = {7, 6, 5, 4, 3, 2, 1, 0};
    opevo_outcome outcomes[8];
    size_t taken = 0;
    setup self;

    set_up(&self, 8, REVERSED);
    self.device.formula.broken_one_in = 1;
    CHECK_OK(opevo_objective_evaluate(&self.device.formula.super, points, 8, outcomes, &err));
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(outcomes[i].kind, formula_outcome(&self.device.formula, points[i]).kind);
        assert_true(outcomes[i].fitness == 0);
    }
    self.device.order = IN_ORDER;
    CHECK_FAILS(
        OPEVO_NOMEM, "Enough.",
        opevo_objective_measure(&self.device.formula.super, points, 8, NULL, refuse, &taken, &err));
    assert_int_equal(taken, 3);
    tear_down(&self);
}
