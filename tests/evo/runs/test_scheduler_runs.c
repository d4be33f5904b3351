/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The runs of the task scheduler: when a task is given up, limits of all tasks together, a kill at
 * any moment, mistakes and failures. */

#include "courses.h"

#include <sys/wait.h>

#include "scratch_folder.h"

/* ---- Tasks that get no more rounds ---------------------------------------------------------- */

CHECK_TEST(test_dead_tasks)
{
    setup *self = set_up(4, 900);
    const opevo_task *tasks[4];
    opevo_scheduler_result result;

    course_release(&self->courses[1]);
    self->courses[1] = course_of(1, 40); /* its space is exhausted */
    self->courses[0].fail_one_in = 1;    /* nothing succeeds */
    self->courses[2].succeeds_from = 60; /* in time */
    self->courses[3].gain = 1;           /* improves with each trial */
    self->courses[3].power = 1;
    self->options = (opevo_scheduler_options){.trials = 3000, .round = 10, .patience = 100};
    run_open(self);
    for (size_t i = 0; i < 4; i++)
        tasks[i] = opevo_scheduler_task(self->scheduler, i);
    assert_int_equal(tasks[0]->state, OPEVO_TASK_FAILING);
    assert_int_equal(tasks[0]->result->trials, 70);
    assert_int_equal(tasks[1]->state, OPEVO_TASK_OVER);
    assert_int_equal(tasks[1]->result->stop, OPEVO_STOP_SEARCH_OVER);
    assert_int_equal(tasks[1]->result->trials, 40);
    assert_int_equal(tasks[2]->state, OPEVO_TASK_STALLED);
    assert_int_equal(tasks[2]->result->trials, 170); /* the first round that ends beyond 160 */
    assert_int_equal(tasks[3]->state, OPEVO_TASK_OVER);
    assert_int_equal(tasks[3]->result->trials, 900);
    result = end(self);
    assert_int_equal(result.stop, OPEVO_STOP_SEARCH_OVER);
    assert_int_equal(result.trials, 70 + 40 + 170 + 900);
    assert_true(result.aim_s == INFINITY);
    tear_down(self);
}

/* ---- Limits --------------------------------------------------------------------------------- */

/* The first trial with which a limit is reached is the last, whatever the round. */
CHECK_TEST(test_limits)
{
    setup *self = set_up(3, 900);

    for (size_t i = 0; i < 3; i++) {
        self->courses[i].gain = 3;
        self->courses[i].power = 0.5;
        self->courses[i].weight = 1 + (double)i;
        self->courses[i].noise = 0.5;
    }
    for (int row = 0; row < 12; row++) {
        double cost = 0, best[3] = {INFINITY, INFINITY, INFINITY}, aim = INFINITY;
        opevo_scheduler_result result;
        bool of_cost = row % 2;

        self->options =
            (opevo_scheduler_options){.seconds = of_cost ? 0.4 + row : 0,
                                      .target_s = of_cost ? 0 : 9e-3 + 3e-4 * row,
                                      .aim = row % 4 ? OPEVO_AIM_SUM : OPEVO_AIM_GEOMETRIC_MEAN,
                                      .round = 1 + 9 * (uint64_t)(row % 3)};
        if (row % 4 == 0)
            self->options.target_s /= 6;
        result = run(self);
        assert_int_equal(result.stop, of_cost ? OPEVO_STOP_SECONDS : OPEVO_STOP_TARGET);
        for (size_t i = 0; i < self->log.count; i++) {
            const opevo_trial *trial = &self->log.trial[i];
            size_t task = self->log.task[i];

            cost += opevo_outcome_cost_s(&trial->outcome);
            best[task] = fmin(best[task], course_time_s(&self->courses[task], trial->number));
            aim = row % 4 ? best[0] + 2 * best[1] + 3 * best[2]
                          : cbrt(sqrt(best[0] * pow(best[1], 2) * pow(best[2], 3)));
            assert_int_equal(of_cost ? cost >= self->options.seconds - 1e-9
                                     : aim <= self->options.target_s * (1 + 1e-9),
                             i + 1 == self->log.count);
        }
        CHECK_CLOSE(result.aim_s, aim, 1e-12);
        CHECK_CLOSE(result.cost_s, cost, 1e-9);
        assert_int_equal(result.trials, self->log.count);
    }
    tear_down(self);
}

/* A limit that grows: where rounds divide it, all is as under the last one from the beginning. A
 * task that has ended by itself stays so. */
CHECK_TEST(test_extended)
{
    setup *self = set_up(3, 40);
    opevo_trial trials[90];
    bool over = false;

    self->courses[1].gain = 2;
    self->courses[1].power = 0.5;
    self->options = (opevo_scheduler_options){.trials = 90, .round = 10};
    run(self);
    assert_int_equal(self->log.count, 90);
    memcpy(trials, self->log.trial, sizeof trials);
    self->options.trials = 30;
    run_open(self);
    CHECK_FAILS(OPEVO_INVALID, "its limit of 30",
                opevo_scheduler_extend(self->scheduler, 20, &err));
    for (uint64_t most = 60; most <= 180; most += 30) {
        CHECK_OK(opevo_scheduler_extend(self->scheduler, most, &err));
        for (over = false; !over;)
            CHECK_OK(opevo_scheduler_step(self->scheduler, &over, &err));
        assert_int_equal(self->log.count, most < 120 ? most : 120); /* all points of the three */
        for (size_t i = 0; i < self->log.count && i < 90; i++)
            assert_true(self->log.trial[i].number == trials[i].number &&
                        self->log.trial[i].proposal.point == trials[i].proposal.point);
    }
    assert_int_equal(end(self).stop, OPEVO_STOP_SEARCH_OVER);
    tear_down(self);
}

/* A target that is the sum of the best times is reached. */
CHECK_TEST(test_target_of_optima)
{
    setup *self = set_up(3, 200);

    for (size_t i = 0; i < 3; i++) {
        self->courses[i].noise = 1;
        self->courses[i].weight = 1.0 / (double)(3 + i);
        self->options.target_s += self->courses[i].weight * course_best_s(&self->courses[i], 200);
    }
    self->options.round = 3;
    assert_int_equal(run(self).stop, OPEVO_STOP_TARGET);
    tear_down(self);
}

/* ---- The runs of the tasks ------------------------------------------------------------------ */

/* The trials of a task are the first of a run alone. */
CHECK_TEST(test_trials_are_those_of_a_run)
{
    static const char *const tuners[] = {"opevo", "random", "tpe"};
    static course_log shared, alone;

    for (size_t t = 0; t < 3; t++) {
        setup *self = set_up(3, 900);

        CHECK_OK(opevo_tuner_find(tuners[t], &self->run.tuner, &err));
        self->courses[0].weight = 5;
        for (size_t i = 0; i < 3; i++)
            self->courses[i].noise = 3;
        self->options = (opevo_scheduler_options){.trials = 200, .round = 7};
        run(self);
        shared = self->log;
        for (size_t i = 0; i < 3; i++) {
            watched watcher = {&alone, i};
            opevo_run_options options = self->run;
            opevo_run_result result;

            alone.count = 0;
            options.budget.trials = 200;
            options.observer_context = &watcher;
            CHECK_OK(opevo_run(&self->courses[i].super, &options, &result, &err));
            for (size_t k = 0, n = 0; k < shared.count; k++) {
                if (shared.task[k] != i)
                    continue;
                assert_true(shared.trial[k].proposal.point == alone.trial[n].proposal.point);
                assert_true(shared.trial[k].outcome.fitness == alone.trial[n].outcome.fitness);
                n++;
            }
        }
        tear_down(self);
    }
}

/* ---- A kill at any moment ------------------------------------------------------------------- */

/* Tasks that fail now and then, of which one is given up, on a store. */
static setup *set_up_stored(const char *tuner, bool measured)
{
    setup *self = set_up(4, 900);

    CHECK_OK(opevo_tuner_find(tuner, &self->run.tuner, &err));
    for (size_t i = 0; i < 4; i++) {
        self->courses[i].gain = 5;
        self->courses[i].power = 0.3;
        self->courses[i].noise = 0.5;
        self->courses[i].fail_one_in = i == 3 ? 1 : 4;
        self->courses[i].weight = 1 + (double)(i * i);
        self->courses[i].super.concurrent = !measured;
        self->courses[i].super.wanted = measured ? 3 : 0;
    }
    self->options = (opevo_scheduler_options){
        .trials = 300, .seed = 5, .round = 6, .epsilon = 0.2, .patience = 60};
    return self;
}

static opevo_scheduler_result run_stored(setup *self, const char *path)
{
    opevo_scheduler_result result;

    CHECK_OK(opevo_store_open(path, OPEVO_STORE_WRITE, &self->run.store, &err));
    result = run(self);
    opevo_store_close(self->run.store);
    self->run.store = NULL;
    return result;
}

/* True where the child came to the end. */
static bool run_and_kill(setup *self, const char *path, int64_t dies_in)
{
    pid_t child = fork();
    int status = 0;

    assert_true(child >= 0);
    if (child == 0) {
        course_dies_in = dies_in;
        run_stored(self, path);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL : WEXITSTATUS(status) == 0);
    return WIFEXITED(status);
}

/* The trials in the store, and why each run ended. */
static void describe(void *context, const opevo_run_info *info)
{
    opevo_text_printf(context, "%s %s: %llu trials, %llu failed, best %a at %llu, %a s, %s\n",
                      info->objective, info->tuner, (unsigned long long)info->trials,
                      (unsigned long long)info->failed, info->best_fitness,
                      (unsigned long long)info->best_trial, info->cost_s, info->stop);
}

static void read_store(const char *path, opevo_text *out)
{
    opevo_store *store = NULL;
    opevo_trial trials[300];
    size_t count = 0;

    opevo_text_clear(out);
    CHECK_OK(opevo_store_open(path, OPEVO_STORE_READ, &store, &err));
    CHECK_OK(opevo_store_list(store, describe, out, &err));
    for (int64_t run = 1; run <= 4; run++) {
        CHECK_OK(opevo_store_read(store, run, 0, trials, 300, &count, &err));
        for (size_t i = 0; i < count; i++)
            opevo_text_printf(out, "%llu %llu %d %a\n", (unsigned long long)trials[i].number,
                              (unsigned long long)trials[i].proposal.point,
                              (int)trials[i].outcome.kind, trials[i].outcome.fitness);
    }
    opevo_store_close(store);
}

/* Killed again and again, the tasks get the trials of a scheduler that was never killed, and
 * nothing that was stored is evaluated again. */
CHECK_TEST(test_killed)
{
    static const char *const tuners[] = {"opevo", "random", "tpe"};
    static course_log whole;
    opevo_text wanted = {0}, got = {0};
    opevo_rng rng;

    opevo_rng_init(&rng, 3, "test", 0);
    for (size_t i = 0; i < 6; i++) {
        scratch_folder scratch = scratch_make();
        setup *self = set_up_stored(tuners[i / 2], i % 2);
        opevo_scheduler_result right = run_stored(self, scratch.file), result;

        assert_int_equal(right.stop, OPEVO_STOP_TRIALS);
        whole = self->log;
        read_store(scratch.file, &wanted);
        scratch_empty(&scratch);
        while (!run_and_kill(self, scratch.file, 20 + (int64_t)opevo_rng_below(&rng, 450))) {
        }
        read_store(scratch.file, &got);
        assert_string_equal(opevo_text_string(&wanted), opevo_text_string(&got));
        result = run_stored(self, scratch.file); /* all of it from the store */
        assert_true(result.resumed == 300 && result.trials == 300);
        assert_true(result.aim_s == right.aim_s && result.cost_s == right.cost_s);
        assert_int_equal(result.rounds, right.rounds);
        assert_memory_equal(self->log.task, whole.task, 300 * sizeof *whole.task);
        scratch_remove(&scratch);
        tear_down(self);
    }
    opevo_text_free(&wanted);
    opevo_text_free(&got);
}

/* More trials, in rounds of the same length, continue; fewer take what is there. */
CHECK_TEST(test_larger_budget)
{
    scratch_folder scratch = scratch_make();
    setup *self = set_up_stored("opevo", false);
    static course_log shorter;

    self->options.trials = 200;
    run_stored(self, scratch.file);
    shorter = self->log;
    self->options.trials = 300;
    assert_int_equal(run_stored(self, scratch.file).resumed, 200);
    assert_memory_equal(self->log.task, shorter.task,
                        198 * sizeof *shorter.task); /* whole rounds */
    self->options.trials = 100;
    assert_int_equal(run_stored(self, scratch.file).resumed, 100);
    scratch_remove(&scratch);
    tear_down(self);
}

static opevo_interrupt interrupt;

static void interrupt_later(void *context, const opevo_trial *trial, bool resumed)
{
    if (trial->number == 10)
        opevo_interrupt_raise(&interrupt);
}

/* An interrupted scheduler is over, its runs are not. */
CHECK_TEST(test_interrupted)
{
    scratch_folder scratch = scratch_make();
    setup *self = set_up_stored("random", true);
    opevo_scheduler_result result;
    opevo_text text = {0};
    bool over = false;

    CHECK_OK(opevo_store_open(scratch.file, OPEVO_STORE_WRITE, &self->run.store, &err));
    CHECK_OK(opevo_scheduler_create(&self->options, &self->scheduler, &err));
    self->run.interrupt = &interrupt;
    self->run.observer = interrupt_later;
    for (size_t i = 0; i < 4; i++) {
        self->courses[i].super.name = self->courses[i].name;
        CHECK_OK(opevo_scheduler_add(self->scheduler, &self->courses[i].super, &self->run, 1, NULL,
                                     &err));
    }
    while (!over)
        CHECK_OK(opevo_scheduler_step(self->scheduler, &over, &err));
    result = end(self);
    assert_int_equal(result.stop, OPEVO_STOP_INTERRUPTED);
    opevo_store_close(self->run.store);
    read_store(scratch.file, &text);
    assert_null(strstr(opevo_text_string(&text), "interrupted"));
    assert_null(strstr(opevo_text_string(&text), "s, trials"));
    opevo_text_free(&text);
    scratch_remove(&scratch);
    tear_down(self);
}

/* ---- Mistakes ------------------------------------------------------------------------------- */

CHECK_TEST(test_mistakes)
{
    setup *self = set_up(2, 10);
    opevo_scheduler_options good = {.trials = 10};
    opevo_scheduler_options bad[] = {good, good, good, good, good, good, {.trials = 0}};
    static const char *const words[] = {"limit",   "limit", "alpha", "beta",
                                        "epsilon", "aim",   "limit"};
    opevo_run_options limited = self->run;
    bool over = false;

    bad[0].seconds = -1;
    bad[1].target_s = NAN;
    bad[2].alpha = 1.5;
    bad[3].beta = -2;
    bad[4].epsilon = NAN;
    bad[5].aim = (opevo_aim)7;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_FAILS(OPEVO_INVALID, words[i],
                    opevo_scheduler_create(&bad[i], &self->scheduler, &err));
    CHECK_OK(opevo_scheduler_create(&good, &self->scheduler, &err));
    self->courses[0].super.name = self->courses[0].name;
    self->courses[1].super.name = self->courses[1].name;
    limited.budget.trials = 4;
    CHECK_FAILS(
        OPEVO_INVALID, "leave it 0",
        opevo_scheduler_add(self->scheduler, &self->courses[0].super, &limited, 1, NULL, &err));
    CHECK_FAILS(
        OPEVO_INVALID, "weight",
        opevo_scheduler_add(self->scheduler, &self->courses[0].super, &self->run, NAN, NULL, &err));
    CHECK_FAILS(
        OPEVO_INVALID, "weight",
        opevo_scheduler_add(self->scheduler, &self->courses[0].super, &self->run, -1, NULL, &err));
    self->courses[0].super.unit = "GFLOP/s";
    CHECK_FAILS(
        OPEVO_INVALID, "FLOP are unknown",
        opevo_scheduler_add(self->scheduler, &self->courses[0].super, &self->run, 1, NULL, &err));
    self->courses[0].super.unit = "score";
    CHECK_FAILS(
        OPEVO_INVALID, "measured in score",
        opevo_scheduler_add(self->scheduler, &self->courses[0].super, &self->run, 1, NULL, &err));
    CHECK_OK(
        opevo_scheduler_add(self->scheduler, &self->courses[1].super, &self->run, 0, NULL, &err));
    CHECK_FAILS(OPEVO_INVALID, "positive weight",
                opevo_scheduler_step(self->scheduler, &over, &err));
    CHECK_FAILS(OPEVO_INVALID, "only be ended", opevo_scheduler_step(self->scheduler, &over, &err));
    CHECK_OK(opevo_scheduler_end(self->scheduler, &err));
    CHECK_OK(opevo_scheduler_end(NULL, &err));
    self->options.trials = 1;
    self->courses[0].super.unit = "ms";
    begin(self);
    CHECK_FAILS(OPEVO_INVALID, "at least one for each",
                opevo_scheduler_step(self->scheduler, &over, &err));
    end(self);
    tear_down(self);
}

/* Nothing leaks, and nothing breaks, whichever allocation fails. */
CHECK_TEST(test_no_memory)
{
    setup *self = set_up(3, 50);
    int64_t alive = 0;
    bool whole = false;

    self->courses[0].super.name = self->courses[0].name;
    alive = opevo_memory_live();
    for (int64_t n = 1; !whole; n++) {
        opevo_scheduler_options options = {.trials = 60, .round = 5};
        opevo_scheduler *scheduler = NULL;
        opevo_error said = {OPEVO_OK, ""};
        opevo_status status = OPEVO_OK;
        bool over = false;

        opevo_memory_fail_at(n);
        status = opevo_scheduler_create(&options, &scheduler, &said);
        for (size_t i = 0; i < 3 && status == OPEVO_OK; i++) {
            self->courses[i].super.name = self->courses[i].name;
            status = opevo_scheduler_add(scheduler, &self->courses[i].super, &self->run, 1, "kind",
                                         &said);
        }
        while (status == OPEVO_OK && !over)
            status = opevo_scheduler_step(scheduler, &over, &said);
        opevo_memory_fail_at(0);
        assert_true(status == OPEVO_OK || status == OPEVO_NOMEM);
        whole = status == OPEVO_OK;
        CHECK_OK(opevo_scheduler_end(scheduler, &err));
        assert_int_equal(opevo_memory_live(), alive);
    }
    tear_down(self);
}
