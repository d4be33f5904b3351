/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Programs as objectives: what their exit and output make of a point, options, and finals. */

#include "finalists.h"
#include "programs.h"
#include "sleepers.h"

#include <opevo/memory.h>

static const struct {
    opevo_outcome_class kind;
    const char *message;
} classes[POINTS] = {
    {OPEVO_OUTCOME_OK, ""},
    {OPEVO_OUTCOME_REJECTED, "exit status 3: too big"},
    {OPEVO_OUTCOME_CRASHED, "exit status 4"},
    {OPEVO_OUTCOME_CRASHED, "signal 11"},
    {OPEVO_OUTCOME_TIMEOUT, "killed after"},
    {OPEVO_OUTCOME_WRONG, "no match"},
    {OPEVO_OUTCOME_OK, ""}, /* talks a lot */
    {OPEVO_OUTCOME_OK, ""}, /* leaves a process behind in its group */
    {OPEVO_OUTCOME_OK, ""}, /* ... in a session of its own */
    {OPEVO_OUTCOME_LAUNCH_ERROR, "exit status 127"},
    {OPEVO_OUTCOME_WRONG, "not a result above 0"},
    {OPEVO_OUTCOME_OK, ""}, /* reads its input, which is empty */
};

CHECK_TEST(test_classes)
{
    const char *exits[] = {"3=rejected"};
    opevo_program_options options = opevo_program_defaults();
    opevo_objective *objective = NULL;
    opevo_outcome outcomes[POINTS];

    options.result = "ms:/took ([0-9.-]+)/";
    options.exits = exits;
    options.exit_count = 1;
    options.run_limit_s = 1;
    objective = open_program("sh -c 'case $0 in"
                             " 1) echo bad >&2; echo too big >&2; exit 3;;"
                             " 2) exit 4;;"
                             " 3) kill -SEGV $$;;"
                             " 4) sleep 71 & sleep 71;;"
                             " 5) echo hello; exit 0;;"
                             " 6) head -c 3000000 /dev/zero; head -c 3000000 /dev/zero >&2;"
                             "    echo; exec 1>&2;;"
                             " 7) sleep 72 & ;;"
                             " 8) setsid sleep 73 & sleep 0.05;;"
                             " 9) exec nothing-of-this-name;;"
                             " 10) echo took -1; exit 0;;"
                             " 11) cat;;"
                             " esac; echo took 2.5' {X}",
                             options);
    assert_string_equal(objective->unit, "ms");
    assert_int_equal(objective->wanted, 1);
    evaluate(objective, outcomes);
    for (size_t i = 0; i < POINTS; i++) {
        const opevo_outcome *outcome = &outcomes[POINTS - 1 - i];
        /* What is printed behind the first MiB is not looked at. */
        opevo_outcome_class kind = i == 6 ? OPEVO_OUTCOME_WRONG : classes[i].kind;
        const char *said = outcome->message ? outcome->message : "";

        if (outcome->kind != kind || !strstr(said, classes[i].message))
            fail_msg("%zu: %s (%s)", i, opevo_outcome_name(outcome->kind), said);
        if (kind == OPEVO_OUTCOME_OK) {
            CHECK_CLOSE(outcome->fitness, 400, 1e-9);
            assert_int_equal(outcome->sample_count, 1);
        }
    }
    assert_int_equal(sleepers("71") + sleepers("72") + sleepers("73"), 0);
    opevo_objective_destroy(objective);
}

/* Output without end does not hold up the time limit. */
CHECK_TEST(test_endless_output)
{
    opevo_program_options options = opevo_program_defaults();
    opevo_objective *objective = NULL;
    opevo_index points[3] = {0, 1, 2};
    opevo_outcome outcomes[3];

    options.run_limit_s = 2;
    objective = open_program(
        "sh -c 'case $0 in 0) exec yes;; 1) exec yes >&2;; 2) yes & ;; esac' {X}", options);
    CHECK_OK(opevo_objective_evaluate(objective, points, 3, outcomes, &err));
    assert_int_equal(outcomes[0].kind, OPEVO_OUTCOME_TIMEOUT);
    assert_int_equal(outcomes[1].kind, OPEVO_OUTCOME_TIMEOUT);
    assert_int_equal(outcomes[2].kind, OPEVO_OUTCOME_OK);
    opevo_objective_destroy(objective);
}

/* Several executions, several numbers of each: all are samples, and the median counts. */
CHECK_TEST(test_samples)
{
    opevo_program_options options = opevo_program_defaults();
    opevo_objective *objective = NULL;
    opevo_outcome outcomes[POINTS];

    options.result = "gflops:/([0-9]+)/";
    options.flop = 2e9;
    options.repeats = 3;
    objective = open_program("echo 1{X} 2 4", options);
    assert_string_equal(objective->unit, "GFLOP/s");
    evaluate(objective, outcomes);
    for (size_t i = 0; i < POINTS; i++) {
        assert_int_equal(outcomes[i].sample_count, 9);
        CHECK_CLOSE(outcomes[i].fitness, 4, 1e-12);
        CHECK_CLOSE(outcomes[i].time_s, 0.5, 1e-12);
    }
    opevo_objective_destroy(objective);
}

/* Times drift by a factor of two from round to round, the same for all of a round: a file counts
 * the executions. Finalist 1 is 3 % faster than 0, and 2 as fast as 0. */
CHECK_TEST(test_finals)
{
    opevo_program_options options = opevo_program_defaults();
    opevo_objective *objective = NULL;
    opevo_finalist finalists[3] = {{.point = 5}, {.point = 1}, {.point = 6}};
    opevo_final_verdict verdict;
    double fitness[3 * 12];

    options.result = "ms:/took ([0-9]+)/";
    objective = open_program("sh -c 'echo >>$XDG_CACHE_HOME/count;"
                             " n=$(wc -l <$XDG_CACHE_HOME/count); r=$(((n - 1) / 3));"
                             " base=$((1000 + 100 * (r * 7 % 11)));"
                             " test $0 = 1 && base=$((base * 97 / 100)); echo took $base' {X}",
                             options);
    CHECK_OK(measure_finalists(objective, finalists, 3, 12, NULL, fitness, NULL, &err));
    CHECK_OK(opevo_finals_judge(finalists, 3, 12, fitness, &verdict, &err));
    assert_int_equal(verdict.winner, 1);
    assert_true(verdict.faster);
    /* twelve wins of twelve, doubled for two sides, doubled for two rivals */
    CHECK_CLOSE(verdict.probability, 2 * 2.0 / 4096, 1e-12);
    CHECK_CLOSE(verdict.ratio, 1 / 0.97, 1e-3);
    assert_true(verdict.ratio_low <= verdict.ratio && verdict.ratio <= verdict.ratio_high);
    assert_int_equal(finalists[0].rounds, 12);
    {
        opevo_finalist equals[2] = {{.point = 5}, {.point = 6}};

        /* Within a round they are equal, or differ by the drift between executions. */
        CHECK_OK(measure_finalists(objective, equals, 2, 8, NULL, fitness, NULL, &err));
        CHECK_OK(opevo_finals_judge(equals, 2, 8, fitness, &verdict, &err));
        assert_false(verdict.faster);
    }
    {
        static const opevo_interrupt interrupt = {1};

        CHECK_FAILS(
            OPEVO_INTERRUPTED, "interrupted",
            measure_finalists(objective, finalists, 3, 12, &interrupt, fitness, NULL, &err));
        CHECK_OK(measure_finalists(objective, finalists, 3, 2, NULL, fitness, NULL, &err));
    }
    CHECK_FAILS(OPEVO_INVALID, "two finalists",
                measure_finalists(objective, finalists, 1, 12, NULL, fitness, NULL, &err));
    opevo_objective_destroy(objective);
}

CHECK_TEST(test_bad_options)
{
    static const char json[] = "{\"X\": {\"_type\": \"discrete\", \"_value\": [0, 1]}}";
    const char *exits[] = {"300=ok"};
    const char *commands[] = {"ssh 'host"};
    opevo_objective *objective = NULL;
    opevo_space *space = NULL;
    opevo_program_options options = opevo_program_defaults();

    CHECK_OK(opevo_space_parse(json, "test", NULL, &space, &err));
    options.command = "a {Y}";
    CHECK_FAILS(OPEVO_INVALID, "--on cmd: {Y} is not a parameter",
                opevo_program_open(space, &options, &objective, &err));
    options.command = "a {X}";
    options.result = "hours:wall";
    CHECK_FAILS(OPEVO_INVALID, "--result hours:wall: it must begin with",
                opevo_program_open(space, &options, &objective, &err));
    options.result = NULL;
    options.exits = exits;
    options.exit_count = 1;
    CHECK_FAILS(OPEVO_INVALID, "--exit 300=ok: give an exit status",
                opevo_program_open(space, &options, &objective, &err));
    options.exit_count = 0;
    options.workers.commands = commands;
    options.workers.count = 1;
    CHECK_FAILS(OPEVO_INVALID, "--workers \"ssh 'host\": a quote is not closed",
                opevo_program_open(space, &options, &objective, &err));
    opevo_space_destroy(space);
}

/* Whatever allocation fails, opening and evaluating say so or do without, and nothing stays
 * alive. */
CHECK_TEST(test_no_memory)
{
    static const char json[] = "{\"X\": {\"_type\": \"discrete\", \"_value\": [0, 1]}}";
    const char *commands[] = {"sh -c 'exec $OPEVO_WORKER cmd'"};
    opevo_program_options options = opevo_program_defaults();
    opevo_status status = OPEVO_NOMEM;

    options.command = "echo took 1{X}";
    options.result = "ms:/([0-9]+)/";
    options.workers.commands = commands;
    options.workers.count = 1;
    for (int64_t n = 1; status != OPEVO_OK; n++) {
        opevo_space *space = NULL;
        opevo_objective *objective = NULL;
        opevo_index points[2] = {0, 1};
        opevo_outcome outcomes[2];
        int64_t alive = opevo_memory_live();

        CHECK_OK(opevo_space_parse(json, "test", NULL, &space, &err));
        opevo_memory_fail_at(n);
        status = opevo_program_open(space, &options, &objective, NULL);
        if (status == OPEVO_OK)
            status = opevo_objective_evaluate(objective, points, 2, outcomes, NULL);
        else
            opevo_space_destroy(space);
        opevo_memory_fail_at(0);
        assert_true(status == OPEVO_OK || status == OPEVO_NOMEM || status == OPEVO_IO);
        if (status == OPEVO_OK)
            CHECK_CLOSE(outcomes[1].time_s, 0.011, 1e-15);
        opevo_objective_destroy(objective);
        assert_int_equal(opevo_memory_live(), alive);
        assert_true(n < 1000);
    }
}

int main(void)
{
    if (!cache_folder_make())
        return 1;
    return cache_folder_remove(check_tests(NULL, NULL));
}
