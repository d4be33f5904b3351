/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Runs with a store: killed, continued, refused, out of disk and out of memory. The trials must
 * always be those of a run that nothing happened to. */

#include "formula.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <opevo/memory.h>
#include <opevo/run.h>
#include <opevo/tuners.h>

#include "scratch_folder.h"

static const char space_text[] =
    "{\"K\": {\"_type\": \"factor\", \"_value\": [1024, 3]}, \"X\": {\"_type\": \"factor\","
    " \"_value\": [512, 4]}, \"u\": {\"_type\": \"discrete\", \"_value\": [0, 125, 256]},"
    " \"_constraints\": [\"K[1] * X[2] <= 4096\"]}";

enum { TRIALS = 400 };

typedef struct setup {
    opevo_space *space;
    formula objective;
    const opevo_tuner_ops *tuner;
    opevo_setting_value values[FORMULA_SETTINGS_MOST];
    scratch_folder scratch;
} setup;

static setup set_up(const char *tuner)
{
    setup self = {.space = formula_space(space_text), .scratch = scratch_make()};

    self.objective = formula_on(self.space, 1, 5);
    CHECK_OK(opevo_tuner_find(tuner, &self.tuner, &err));
    formula_settings(self.tuner, "", self.values);
    return self;
}

static void tear_down(setup *self)
{
    scratch_remove(&self->scratch);
    opevo_space_destroy(self->space);
}

/* One run on the store at `path` (NULL: without one). */
static opevo_status run(setup *self, const char *path, uint64_t seed, uint64_t trials, size_t batch,
                        opevo_run_result *result, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_run_options options = {.tuner = self->tuner,
                                 .settings = self->values,
                                 .seed = seed,
                                 .budget = {.trials = trials},
                                 .batch = batch};

    if (path)
        OPEVO_TRY(opevo_store_open(path, OPEVO_STORE_WRITE, &options.store, err));
    OPEVO_TRY(opevo_run(&self->objective.super, &options, result, err));
cleanup:
    opevo_store_close(options.store);
    return status;
}

/* The trials of run 1 in the store; returns their count. */
static size_t read_all(const char *path, opevo_trial *trials, size_t most)
{
    opevo_store *store = NULL;
    size_t count = 0;

    CHECK_OK(opevo_store_open(path, OPEVO_STORE_READ, &store, &err));
    CHECK_OK(opevo_store_read(store, 1, 0, trials, most, &count, &err));
    opevo_store_close(store);
    for (size_t i = 0; i < count; i++)
        trials[i].proposal.origin = NULL; /* went with the store */
    return count;
}

static void check_same(const opevo_trial *a, const opevo_trial *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_true(a[i].number == b[i].number && a[i].proposal.point == b[i].proposal.point);
        assert_true(a[i].outcome.kind == b[i].outcome.kind &&
                    a[i].outcome.fitness == b[i].outcome.fitness);
        assert_true(opevo_outcome_cost_s(&a[i].outcome) == opevo_outcome_cost_s(&b[i].outcome));
    }
}

/* In a process of its own; killed after `after_us`. True when the run ended before that. */
static bool run_and_kill(setup *self, uint64_t seed, size_t batch, long after_us)
{
    struct timespec wait = {after_us / 1000000, after_us % 1000000 * 1000};
    int status = 0;
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        opevo_run_result result;

        _exit(run(self, self->scratch.file, seed, TRIALS, batch, &result, NULL) == OPEVO_OK ? 0
                                                                                            : 3);
    }
    nanosleep(&wait, NULL);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status))
        return false;
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    return true;
}

/* 50 kills at random moments, from before the file exists to the last trial. */
CHECK_TEST(test_killed_at_random_moments)
{
    static opevo_trial wanted[TRIALS];
    static opevo_trial got[TRIALS];
    int kills = 0;
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "test", 0);
    for (uint64_t seed = 1; kills < 50; seed++) {
        setup self = set_up(seed % 2 ? "opevo" : "random");
        size_t batch = (size_t)opevo_rng_below(&rng, 9);
        opevo_run_result result;
        char whole[96];

        snprintf(whole, sizeof whole, "%s/whole.db", self.scratch.path);
        CHECK_OK(run(&self, whole, seed, TRIALS, 0, &result, &err));
        assert_int_equal(read_all(whole, wanted, TRIALS), TRIALS);
        self.objective.delay_ns = 20000;
        /* Later and later, or a busy machine never gets beyond the first trial. */
        for (uint64_t most_us = 25000;
             !run_and_kill(&self, seed, batch, (long)opevo_rng_below(&rng, most_us)); kills++)
            most_us += most_us / 8;
        assert_int_equal(read_all(self.scratch.file, got, TRIALS), TRIALS);
        check_same(wanted, got, TRIALS);
        tear_down(&self);
    }
}

/* A shorter budget takes what is there, a longer one goes on, and nothing is evaluated twice. */
CHECK_TEST(test_budgets_on_one_store)
{
    static const uint64_t budgets[] = {50, 20, 50, 51, 200, 130};
    static opevo_trial wanted[TRIALS];
    static opevo_trial got[TRIALS];
    setup self = set_up("opevo");
    uint64_t stored = 0;
    char whole[96];
    opevo_run_result result = {.trials = 0};
    opevo_run_result alone = {.trials = 0};

    snprintf(whole, sizeof whole, "%s/whole.db", self.scratch.path);
    CHECK_OK(run(&self, whole, 1, 200, 0, &result, &err));
    read_all(whole, wanted, TRIALS);
    for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++) {
        uint64_t resumed = stored < budgets[i] ? stored : budgets[i];

        self.objective.evaluated = 0;
        CHECK_OK(run(&self, self.scratch.file, 1, budgets[i], i % 3 ? 13 : 0, &result, &err));
        assert_int_equal(self.objective.evaluated, budgets[i] - resumed);
        assert_true(result.trials == budgets[i] && result.resumed == resumed);
        stored = stored > budgets[i] ? stored : budgets[i];
        assert_int_equal(read_all(self.scratch.file, got, TRIALS), stored);
        check_same(wanted, got, stored);
        CHECK_OK(run(&self, NULL, 1, budgets[i], 0, &alone, &err));
        assert_true(alone.best.number == result.best.number && alone.cost_s == result.cost_s &&
                    alone.failed == result.failed);
    }
    tear_down(&self);
}

static opevo_status run_for_seconds(setup *self, size_t batch, opevo_run_result *result)
{
    opevo_store *store = NULL;
    opevo_status status = OPEVO_OK;
    opevo_run_options options = {.tuner = self->tuner,
                                 .settings = self->values,
                                 .seed = 1,
                                 .budget = {.seconds = 5},
                                 .batch = batch};

    CHECK_OK(opevo_store_open(self->scratch.file, OPEVO_STORE_WRITE, &store, &err));
    options.store = store;
    status = opevo_run(&self->objective.super, &options, result, NULL);
    opevo_store_close(store);
    return status;
}

/* The store of a run that ends in the middle of a batch holds the same trials for every batch. */
CHECK_TEST(test_store_ends_where_the_run_ends)
{
    static opevo_trial got[TRIALS];
    size_t first = 0;

    for (size_t batch = 1; batch <= 64; batch *= 4) {
        setup self = set_up("random");
        opevo_run_result result;

        assert_int_equal(run_for_seconds(&self, batch, &result), OPEVO_OK);
        assert_int_equal(result.stop, OPEVO_STOP_SECONDS);
        assert_int_equal(read_all(self.scratch.file, got, TRIALS), result.trials);
        first = first ? first : result.trials;
        assert_int_equal(result.trials, first);
        tear_down(&self);
    }
}

CHECK_TEST(test_other_trials_are_refused)
{
    setup self = set_up("opevo");
    opevo_space *other = formula_space("{\"K\": {\"_type\": \"factor\", \"_value\": [1024, 3]}}");
    opevo_run_result result = {.trials = 0};
    opevo_store *store = NULL;
    opevo_trial trial = {{12345, "child"}, 1, {.fitness = 1}};
    int64_t id = 0;
    uint64_t signature = self.objective.super.signature;

    CHECK_OK(run(&self, self.scratch.file, 1, 30, 0, &result, &err));
    self.objective.super.signature++;
    CHECK_FAILS(OPEVO_MISMATCH, "runs.db: run 1 was made",
                run(&self, self.scratch.file, 1, 30, 0, &result, &err));
    self.objective.super.space = other;
    CHECK_FAILS(OPEVO_MISMATCH, "search space",
                run(&self, self.scratch.file, 1, 30, 0, &result, &err));
    self.objective.super.space = self.space;
    self.objective.super.signature = signature;

    /* The same identity, yet trials that this tuner does not propose. */
    CHECK_OK(opevo_store_open(self.scratch.file, OPEVO_STORE_WRITE, &store, &err));
    CHECK_OK(
        opevo_store_begin(store,
                          &(opevo_run_key){.objective = "formula",
                                           .tuner = "opevo",
                                           .settings = "lambda=8 rho=8 q=0.5 duplicates=continue",
                                           .seed = 2,
                                           .objective_signature = signature,
                                           .space = self.space,
                                           .unit = "1/s"},
                          &id, &err));
    CHECK_OK(opevo_store_append(store, id, &trial, 1, &err));
    opevo_store_close(store);
    CHECK_FAILS(OPEVO_MISMATCH, "but the tuner proposes",
                run(&self, self.scratch.file, 2, 30, 0, &result, &err));
    opevo_space_destroy(other);
    tear_down(&self);
}

/* Trial 5 is missing in the middle. */
CHECK_TEST(test_a_gap_is_refused)
{
    setup self = set_up("random");
    opevo_run_result result = {.trials = 0};
    opevo_store *store = NULL;
    opevo_trial trials[20] = {{.number = 0}};
    size_t count = 0;
    int64_t id = 0;

    CHECK_OK(run(&self, self.scratch.file, 1, 20, 0, &result, &err));
    CHECK_OK(opevo_store_open(self.scratch.file, OPEVO_STORE_WRITE, &store, &err));
    CHECK_OK(opevo_store_read(store, 1, 0, trials, 20, &count, &err));
    CHECK_OK(
        opevo_store_begin(store,
                          &(opevo_run_key){.objective = "formula",
                                           .tuner = "random",
                                           .settings = "",
                                           .seed = 2,
                                           .objective_signature = self.objective.super.signature,
                                           .space = self.space,
                                           .unit = "1/s"},
                          &id, &err));
    CHECK_OK(opevo_store_append(store, id, trials, 4, &err));
    CHECK_OK(opevo_store_append(store, id, trials + 5, 15, &err));
    opevo_store_close(store);
    CHECK_FAILS(OPEVO_MISMATCH, "trial 1 of run 2",
                run(&self, self.scratch.file, 2, 30, 0, &result, &err));
    tear_down(&self);
}

/* Bytes of a store without runs. */
static rlim_t empty_store(void)
{
    setup self = set_up("opevo");
    opevo_store *store = NULL;
    struct stat of = {.st_size = 0};

    CHECK_OK(opevo_store_open(self.scratch.file, OPEVO_STORE_WRITE, &store, &err));
    opevo_store_close(store);
    assert_int_equal(stat(self.scratch.file, &of), 0);
    tear_down(&self);
    return (rlim_t)of.st_size;
}

/* A disk that is full, for a limit on the size of files: the run fails with a sentence, and goes on
 * from what was committed as soon as there is room. */
CHECK_TEST(test_full_disk)
{
    static opevo_trial wanted[TRIALS];
    static opevo_trial got[TRIALS];
    struct rlimit before;
    rlim_t empty = empty_store();

    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    for (rlim_t limit = 0; limit <= 4 * empty; limit = limit * 3 / 2 + 1000) {
        struct rlimit now = {limit, before.rlim_max};
        setup self = set_up("opevo");
        opevo_run_result result;
        opevo_status status = OPEVO_OK;
        opevo_error failure = {OPEVO_OK, ""};
        size_t kept = 0;

        setrlimit(RLIMIT_FSIZE, &now);
        status = run(&self, self.scratch.file, 1, TRIALS, 4, &result, &failure);
        setrlimit(RLIMIT_FSIZE, &before);
        assert_int_equal(status, OPEVO_IO);
        assert_non_null(strstr(failure.message, "runs.db: "));
        CHECK_OK(run(&self, NULL, 1, TRIALS, 0, &result, &err));
        CHECK_OK(run(&self, self.scratch.file, 1, TRIALS, 0, &result, &err));
        kept = result.resumed;
        assert_true(kept < TRIALS && (limit < 2 * empty || kept > 0));
        assert_int_equal(read_all(self.scratch.file, got, TRIALS), TRIALS);
        scratch_empty(&self.scratch);
        CHECK_OK(run(&self, self.scratch.file, 1, TRIALS, 0, &result, &err));
        read_all(self.scratch.file, wanted, TRIALS);
        check_same(wanted, got, TRIALS);
        tear_down(&self);
    }
}

/* Every allocation of opening, running and closing fails in turn; what a failed run has stored, the
 * next one takes up. */
CHECK_TEST(test_every_allocation_fails)
{
    setup self = set_up("opevo");
    int64_t live = opevo_memory_live();
    opevo_status status = OPEVO_NOMEM;
    opevo_run_result result = {.trials = 0};

    self.objective.keeps_samples = true;
    for (int64_t n = 1; status != OPEVO_OK; n++) {
        assert_true(n < 2000);
        if (n % 2)
            scratch_empty(&self.scratch);
        opevo_memory_fail_at(n);
        status = run(&self, self.scratch.file, 1, 40, 0, &result, NULL);
        opevo_memory_fail_at(0);
        assert_true(status == OPEVO_OK || status == OPEVO_NOMEM);
        assert_int_equal(opevo_memory_live(), live);
    }
    assert_int_equal(result.trials, 40);
    tear_down(&self);
}

static void ignore_run(void *context, const opevo_run_info *info)
{
    *(uint64_t *)context += info->trials;
}

static opevo_status list(const char *path, uint64_t *trials)
{
    opevo_store *store = NULL;
    opevo_status status = opevo_store_open(path, OPEVO_STORE_READ, &store, NULL);

    if (status == OPEVO_OK)
        status = opevo_store_list(store, ignore_run, trials, NULL);
    opevo_store_close(store);
    return status;
}

CHECK_TEST(test_every_allocation_of_listing_fails)
{
    setup self = set_up("opevo");
    int64_t live = opevo_memory_live();
    opevo_status status = OPEVO_NOMEM;
    opevo_run_result result = {.trials = 0};
    uint64_t trials = 0;

    CHECK_OK(run(&self, self.scratch.file, 1, 20, 0, &result, &err));
    for (int64_t n = 1; status != OPEVO_OK; n++) {
        assert_true(n < 2000);
        trials = 0;
        opevo_memory_fail_at(n);
        status = list(self.scratch.file, &trials);
        opevo_memory_fail_at(0);
        assert_true(status == OPEVO_OK || status == OPEVO_NOMEM);
        assert_int_equal(opevo_memory_live(), live);
    }
    assert_int_equal(trials, 20);
    tear_down(&self);
}
