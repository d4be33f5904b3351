/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The pool with scripts in the place of workers: such as hang, and such as never stop talking. */

#include "pool_internal.h"

#include "sleepers.h"

#define HELLO "echo '{\"type\":\"hello\",\"protocol\":5}'; read x; "
#define READY HELLO "echo '{\"type\":\"ready\"}'; read x; id=${x#*job\\\":}; id=${id%%,*}; "
#define STARTED "echo '{\"type\":\"started\",\"job\":'$id'}'; "

enum { AMPLE_S = 60 };

/* One job on a worker that is this script. */
static opevo_status run_on(const char *script, double start_limit_s, double silence_s,
                           double job_limit_s, opevo_i_task *task, opevo_error *err)
{
    opevo_i_connection member = {.in = -1, .out = -1, .error = -1};
    opevo_i_pool pool = {.members = &member,
                         .count = 1,
                         .setup = "{\"type\":\"setup\"}\n",
                         .depth = 2,
                         .start_limit_s = start_limit_s,
                         .job_limit_s = job_limit_s,
                         .silence_s = silence_s};
    opevo_status status = OPEVO_OK;

    *task = (opevo_i_task){.job = {.id = 0}};
    opevo_i_arguments_add(&member.command, "sh", 2);
    opevo_i_arguments_add(&member.command, "-c", 2);
    opevo_i_arguments_add(&member.command, script, strlen(script));
    opevo_i_arguments_add(&task->job.command, "true", 4);
    status = opevo_i_pool_run(&pool, task, 1, false, err);
    opevo_i_connection_clear(&member);
    return status;
}

/* A worker that says it has started, and nothing more, is killed at the limit; one that never says
 * anything, at its own. */
static void test_hang(void **state)
{
    static const char *const silent[] = {READY "exec sleep 75", HELLO "exec sleep 75",
                                         "exec sleep 75"};
    opevo_i_task task;

    (void)state;
    CHECK_OK(run_on(READY STARTED "exec sleep 75", AMPLE_S, AMPLE_S, 0.2, &task, &err));
    assert_int_equal(task.result.kind, OPEVO_OUTCOME_TIMEOUT);
    opevo_i_task_clear(&task);
    for (size_t i = 0; i < 3; i++) {
        CHECK_FAILS(OPEVO_IO, "has been silent for too long",
                    run_on(silent[i], i ? 0.2 : AMPLE_S, 0.2, AMPLE_S, &task, &err));
        opevo_i_task_clear(&task);
    }
    assert_int_equal(sleepers("75"), 0);
}

/* What a worker says gains it neither time nor memory, unless it gets on by it. */
static void test_talks_for_ever(void **state)
{
    static const struct {
        const char *script;
        double start_limit_s, silence_s;
        const char *reason;
    } cases[] = {
        {"while :; do echo Welcome; sleep 0.01; done", 0.5, AMPLE_S, "silent for too long"},
        {"exec tr '\\0' x </dev/zero", AMPLE_S, AMPLE_S, "sends endless output"},
        {READY "while :; do printf x; sleep 0.01; done", AMPLE_S, 0.5, "silent for too long"},
        {READY "while :; do " STARTED "sleep 0.01; done", AMPLE_S, AMPLE_S,
         "speaks another protocol"},
    };
    opevo_i_task task;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_FAILS(OPEVO_IO, cases[i].reason,
                    run_on(cases[i].script, cases[i].start_limit_s, cases[i].silence_s, AMPLE_S,
                           &task, &err));
        opevo_i_task_clear(&task);
    }
    /* Here the job may be what is wrong. */
    CHECK_OK(
        run_on(READY STARTED "exec tr '\\0' x </dev/zero", AMPLE_S, AMPLE_S, AMPLE_S, &task, &err));
    assert_int_equal(task.result.kind, OPEVO_OUTCOME_CRASHED);
    opevo_i_task_clear(&task);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hang),
        cmocka_unit_test(test_talks_for_ever),
    };

    if (!cache_folder_make())
        return 1;
    return cache_folder_remove(cmocka_run_group_tests(tests, NULL, NULL));
}
