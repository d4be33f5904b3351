/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A search of edits on several workers: candidates are drawn by a worker while others are
 * evaluated, so that one that takes long holds up none; what is found does not depend on the number
 * of workers; and who measured what is known, with the failures of hosts, which are not those of
 * candidates. */

#include "fake_evolver.h"

#include <opevo/run.h>
#include <opevo/tuners.h>

enum { TRIALS = 30 };

/* The fitness of each trial of a search. */
typedef struct searched {
    double fitness[TRIALS];
    uint64_t count, measured;
    const opevo_objective *objective;
} searched;

static void observe(void *context, const opevo_trial *trial, bool resumed)
{
    searched *self = context;

    assert_false(resumed);
    assert_int_equal(trial->number, self->count + 1);
    assert_int_equal(trial->outcome.kind, OPEVO_OUTCOME_OK);
    self->fitness[self->count++] = trial->outcome.fitness;
}

/* By a fresh fake, whose first list waits for 20 others: without `workers` above 1 it does not end,
 * and neither does it where lists are evaluated in batches of fewer. */
static void search(size_t workers, searched *out)
{
    void *state = NULL;
    opevo_evolver *evolver = NULL;
    opevo_run_options options = {
        .seed = 1, .budget = {.trials = TRIALS}, .observer = observe, .observer_context = out};
    opevo_run_result result;
    opevo_worker_facts facts;

    assert_int_equal(setup(&state), 0);
    CHECK_OK(open_fake(state, "kernel.ll", workers, 60, &evolver, &err));
    CHECK_OK(opevo_tuner_find("random", &options.tuner, &err));
    CHECK_OK(opevo_run(opevo_evolver_objective(evolver), &options, &result, &err));
    assert_int_equal(result.trials, TRIALS);
    assert_int_equal(result.failed, 0);
    for (size_t i = 0; i < workers; i++) {
        assert_true(opevo_objective_worker(opevo_evolver_objective(evolver), i, &facts));
        assert_string_equal(facts.device, "simt");
        assert_true(*facts.host != '\0');
        out->measured += facts.trials;
    }
    assert_false(opevo_objective_worker(opevo_evolver_objective(evolver), workers, &facts));
    opevo_evolver_close(evolver);
    assert_int_equal(teardown(&state), 0);
}

CHECK_TEST(test_stream)
{
    searched two = {.count = 0}, four = {.count = 0};

    search(2, &two);
    search(4, &four);
    assert_memory_equal(two.fitness, four.fitness, sizeof two.fitness);
    assert_int_equal(two.measured, TRIALS); /* what draws lists measures nothing */
    assert_int_equal(four.measured, TRIALS);
}

/* A list that kills its workers does not count as a failure of their hosts; one that lost a worker
 * once does. */
CHECK_TEST_WITHIN(test_workers, setup, teardown)
{
    static const char *const lists[] = {"dies", "dies-once", "a"};
    opevo_evolver *evolver = NULL;
    const opevo_objective *objective = NULL;
    opevo_worker_facts facts;
    opevo_evolved found[3];

    CHECK_OK(open_fake(*state, "kernel.ll", 1, 60, &evolver, &err));
    objective = opevo_evolver_objective(evolver);
    assert_true(opevo_objective_worker(objective, 0, &facts));
    assert_string_equal(facts.state, "ready");
    for (size_t i = 0; i < 3; i++) {
        CHECK_OK(opevo_evolver_evaluate(evolver, &lists[i], 1, OPEVO_CASES_SEARCH, NULL, &found[i],
                                        &err));
        opevo_evolved_free(&found[i]);
        assert_true(opevo_objective_worker(objective, 0, &facts));
        assert_int_equal(facts.faults, i > 0);
        assert_int_equal(facts.trials, i);
        assert_int_equal(*facts.words != '\0', i > 0);
    }
    opevo_evolver_close(evolver);
}
