/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Who measured what, in the store's tables `workers` and `measured`: what is noted comes back for
 * the run that it is of, and only with its trials; a session adds to them what became of its
 * objective's workers while it lasted, in whatever way it ends. */

#include "store_fixture.h"
#include "store_trials.h"

#include <opevo/memory.h>
#include <opevo/run.h>
#include <opevo/store_workers.h>
#include <opevo/tuners.h>

#include "scratch_folder.h"

static scratch_folder scratch;
static opevo_space *space;

static int set_up(void **state)
{
    scratch = scratch_make();
    return opevo_space_parse(space_text, "space", NULL, &space, NULL) == OPEVO_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    opevo_space_destroy(space);
    scratch_remove(&scratch);
    return 0;
}

static const opevo_measurer one = {"ssh a opevo-worker cpu", "a", "CPU \"A\"", false};
static const opevo_measurer two = {"ssh b opevo-worker cpu", "b", "CPU \"A\"", false};
static const opevo_measurer other = {"ssh b opevo-worker cpu", "b", "CPU B", false};
static const opevo_measurer mixed = {"ssh b opevo-worker cpu", "b", "CPU B", true};

/* A worker as it is expected in the store. */
typedef struct row {
    const opevo_measurer *by;
    uint64_t trials, faults;
    const char *state, *words;
} row;

typedef struct rows {
    const row *expected;
    size_t count, seen;
} rows;

static opevo_status compare(void *context, const opevo_stored_worker *worker, opevo_error *err)
{
    rows *self = context;
    const row *expected = &self->expected[self->seen];

    assert_true(self->seen < self->count);
    assert_int_equal(worker->number, ++self->seen);
    assert_string_equal(worker->by.command, expected->by->command);
    assert_string_equal(worker->by.host, expected->by->host);
    assert_string_equal(worker->by.device, expected->by->device);
    assert_int_equal(worker->trials, expected->trials);
    assert_int_equal(worker->faults, expected->faults);
    assert_string_equal(worker->state, expected->state);
    assert_string_equal(worker->words, expected->words);
    return OPEVO_OK;
}

static void check_workers(opevo_store *store, int64_t run, const row *expected, size_t count)
{
    rows all = {.expected = expected, .count = count};

    CHECK_OK(opevo_store_workers(store, run, compare, &all, &err));
    assert_int_equal(all.seen, count);
}

static void check_measurers(opevo_store *store, int64_t run, const uint32_t *expected, size_t count)
{
    uint32_t *found = NULL;

    CHECK_OK(opevo_store_measurers(store, run, count, &found, &err));
    if (!expected) {
        assert_null(found);
        return;
    }
    for (size_t i = 0; i < count; i++)
        assert_int_equal(found[i], expected[i]);
    opevo_free(found);
}

/* What is noted is written with the next trials, for the run that it is of, and counts where the
 * trial is stored. */
CHECK_TEST(test_measured)
{
    enum { TRIALS = 5 };
    opevo_trial trials[TRIALS];
    opevo_store *store = open_store(scratch.file, OPEVO_STORE_WRITE);
    const opevo_run_key first = key_of(space, 1), second = key_of(space, 2);
    int64_t run = begin(store, &first), next = begin(store, &second);

    assert_int_equal(make_trials(trials), TRIALS);
    check_workers(store, run, NULL, 0);
    check_measurers(store, run, NULL, TRIALS);
    for (uint64_t number = 1; number <= 4; number++) /* the last ahead of its trial */
        CHECK_OK(opevo_store_note_measurer(store, run, number, number == 2 ? &two : &one, &err));
    check_workers(store, run, NULL, 0);
    CHECK_OK(opevo_store_append(store, run, trials, 3, &err));
    check_workers(store, run, (row[]){{&one, 2, 0, "", ""}, {&two, 1, 0, "", ""}}, 2);
    check_measurers(store, run, (uint32_t[]){1, 2, 1, 1, 0}, TRIALS);
    check_workers(store, next, NULL, 0);
    CHECK_OK(opevo_store_append(store, run, trials + 3, 2, &err));
    opevo_store_close(store);
    store = open_store(scratch.file, OPEVO_STORE_READ);
    check_workers(store, run, (row[]){{&one, 3, 0, "", ""}, {&two, 1, 0, "", ""}}, 2);
    check_measurers(store, run, (uint32_t[]){1, 2, 1, 1, 0}, TRIALS);
    opevo_store_close(store);
}

static opevo_status print_device(void *context, const char *objective, const char *device,
                                 uint64_t runs, opevo_error *err)
{
    opevo_text_printf(context, "%s|%s|%llu;", objective, device, (unsigned long long)runs);
    return OPEVO_OK;
}

/* A second device is refused with its trials, unless it is permitted, whatever comes afterwards. */
CHECK_TEST(test_devices)
{
    opevo_trial trials[5];
    opevo_store *store = open_store(scratch.file, OPEVO_STORE_WRITE);
    const opevo_run_key key = key_of(space, 3);
    opevo_error refused = {OPEVO_OK, ""};
    opevo_text found = {0};
    int64_t run = begin(store, &key);

    make_trials(trials);
    CHECK_OK(opevo_store_note_measurer(store, run, 1, &one, &err));
    CHECK_OK(opevo_store_append(store, run, trials, 1, &err));
    CHECK_OK(opevo_store_note_measurer(store, run, 2, &other, &err));
    assert_int_equal(opevo_store_append(store, run, trials + 1, 1, &refused), OPEVO_MISMATCH);
    assert_non_null(strstr(refused.message, one.device));
    assert_non_null(strstr(refused.message, other.device));
    check_workers(store, run, (row[]){{&one, 1, 0, "", ""}}, 1);
    CHECK_OK(opevo_store_note_measurer(store, run, 2, &mixed, &err));
    CHECK_OK(opevo_store_append(store, run, trials + 1, 1, &err));
    check_workers(store, run, (row[]){{&one, 1, 0, "", ""}, {&mixed, 1, 0, "", ""}}, 2);
    CHECK_OK(opevo_store_devices(store, print_device, &found, &err));
    /* The run of test_measured is on the first. */
    assert_string_equal(opevo_text_string(&found), "formula: \"quoted\"|CPU \"A\"|2;"
                                                   "formula: \"quoted\"|CPU B|1;");
    opevo_text_free(&found);
    opevo_store_close(store);
}

/* Faults add up, the last state stands, and so do the last words that are any. */
CHECK_TEST(test_states)
{
    opevo_store *store = open_store(scratch.file, OPEVO_STORE_WRITE);
    const opevo_run_key key = key_of(space, 4);
    int64_t run = begin(store, &key);
    const opevo_stored_worker calls[] = {
        {.by = one, .faults = 2, .state = "suspended", .words = "no such host"},
        {.by = one, .faults = 0, .state = "ready", .words = ""},
        {.by = one, .faults = 3, .state = "down", .words = "it\'s \xc3\xbc"},
    };
    const row expected[] = {{&one, 0, 2, "suspended", "no such host"},
                            {&one, 0, 2, "ready", "no such host"},
                            {&one, 0, 5, "down", "it\'s \xc3\xbc"}};

    for (size_t i = 0; i < 3; i++) {
        CHECK_OK(opevo_store_put_workers(store, run, &calls[i], 1, &err));
        check_workers(store, run, &expected[i], 1);
    }
    CHECK_OK(opevo_store_put_workers(
        store, run, (opevo_stored_worker[]){{.by = two, .state = "ready", .words = ""}}, 1, &err));
    check_workers(store, run, (row[]){expected[2], {&two, 0, 0, "ready", ""}}, 2);
    opevo_store_close(store);
}

/* ---- Sessions ------------------------------------------------------------------------------- */

enum { WORKERS = 3 };

/* A formula that three workers measure in turn, of which the third fails once in each run, and ends
 * the run when it has failed `fatal` times in all. */
typedef struct device {
    formula formula;
    opevo_measurer by;
    opevo_worker_facts workers[WORKERS];
    uint64_t given, fatal;
} device;

static opevo_status measure(opevo_objective *objective, const opevo_index *points, size_t count,
                            const opevo_interrupt *interrupt, opevo_outcome_sink sink,
                            void *context, opevo_error *err)
{
    device *self = (device *)objective;

    for (size_t i = 0; i < count; i++) {
        opevo_worker_facts *worker = &self->workers[self->given++ % 2];
        opevo_outcome outcome = formula_outcome(&self->formula, points[i]);
        opevo_status status = OPEVO_OK;

        if (self->given % 4 == 2) {
            self->workers[2].faults++;
            self->workers[2].state = "suspended";
            self->workers[2].words = "no such host";
        }
        if (self->fatal && self->workers[2].faults == self->fatal)
            return OPEVO_FAIL(err, OPEVO_FAULT, "The disk is full.");
        worker->trials++;
        self->by = (opevo_measurer){worker->command, worker->host, worker->device, false};
        status = sink(context, i, &outcome, err);
        self->by = (opevo_measurer){.command = NULL};
        if (status != OPEVO_OK)
            return status;
    }
    return OPEVO_OK;
}

static bool worker_of(const opevo_objective *objective, size_t i, opevo_worker_facts *out)
{
    if (i < WORKERS)
        *out = ((const device *)objective)->workers[i];
    return i < WORKERS;
}

static const opevo_measurer third = {"ssh c opevo-worker cpu", "", "", false};
static const opevo_objective_ops device_ops = {
    .kind = "device", .measure = measure, .worker = worker_of, .destroy = formula_destroy};

static opevo_status run_once(device *self, opevo_store *store, uint64_t seed, uint64_t trials,
                             int64_t *run)
{
    opevo_error quiet = {OPEVO_OK, ""};
    opevo_run_options options = {.seed = seed, .budget = {.trials = trials}, .store = store};
    opevo_run_result result = {0};
    opevo_status status = OPEVO_OK;

    CHECK_OK(opevo_tuner_find("random", &options.tuner, &err));
    status = opevo_run(&self->formula.super, &options, &result, &quiet);
    *run = result.run;
    return status;
}

/* Two runs one after the other, each with four trials; the first is continued, by nobody. */
CHECK_TEST(test_sessions)
{
    opevo_store *store = open_store(scratch.file, OPEVO_STORE_WRITE);
    device self = {.formula = formula_on(space, 1, 0),
                   .workers = {{one.command, one.host, one.device, "ready", "", 7, 0, 0},
                               {two.command, two.host, two.device, "ready", "", 9, 0, 0},
                               {third.command, "", "", "idle", "", 0, 0, 0}}};
    const row expected[] = {{&one, 2, 0, "ready", ""},
                            {&two, 2, 0, "ready", ""},
                            {&third, 0, 1, "suspended", "no such host"}};
    int64_t run = 0, same = 0;

    self.formula.super.ops = &device_ops;
    self.formula.super.concurrent = false;
    self.formula.super.measurer = &self.by;
    for (uint64_t seed = 100; seed < 102; seed++) {
        assert_int_equal(run_once(&self, store, seed, 4, &run), OPEVO_OK);
        check_workers(store, run, expected, WORKERS);
    }
    assert_int_equal(run_once(&self, store, 101, 4, &same), OPEVO_OK);
    assert_int_equal(same, run);
    check_workers(store, run, expected, WORKERS);
    /* Where the objective fails, the workers that are why are stored as well. */
    self.fatal = 3;
    assert_int_equal(run_once(&self, store, 102, 4, &same), OPEVO_FAULT);
    check_workers(store, run + 1,
                  (row[]){{&one, 1, 0, "ready", ""}, {&third, 0, 1, "suspended", "no such host"}},
                  2);
    opevo_store_close(store);
}

int main(void)
{
    return check_tests(set_up, tear_down);
}
