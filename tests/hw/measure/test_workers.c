/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Workers that are lost, foreign or many, and turns at a device. */

#include "programs.h"
#include "sleepers.h"
#include "zoo.h"

#include <opevo/clock.h>
#include <opevo/live.h>
#include <opevo/version.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "device_lock_internal.h"
#include "live_internal.h"

/* Until the worker says a line with these words. */
static void await_words(opevo_i_engine_connection *worker, const char *words)
{
    double deadline = opevo_clock_monotonic_s() + 60;

    while (opevo_clock_monotonic_s() < deadline) {
        struct pollfd wait = {.fd = worker->out, .events = POLLIN};
        const char *line = NULL;

        assert_true(opevo_i_engine_connection_flush(worker));
        poll(&wait, 1, 100);
        assert_true(opevo_i_engine_connection_read(worker));
        while ((line = opevo_i_wire_line_reader_next(&worker->lines)) != NULL) {
            if (strstr(line, words))
                return;
        }
    }
    fail_msg("The worker does not say %s.", words);
}

static void give_kernel(opevo_i_engine_connection *worker, zoo *maker, opevo_index point,
                        int64_t id)
{
    opevo_i_wire_job job = {.id = id};
    opevo_outcome_class refused = OPEVO_OUTCOME_OK;
    opevo_text why = {0};
    char *line = NULL;

    CHECK_OK(maker->super.ops->make(&maker->super, point, &job.kernel, &refused, &why, &err));
    line = opevo_i_wire_message_line(opevo_i_wire_job_to_json(&job));
    opevo_i_engine_connection_say(worker, line);
    free(line);
    opevo_i_wire_job_clear(&job);
}

/* A job that comes while another is measured is built and measured without a further message; one
 * that is dropped then is not. */
CHECK_TEST(test_comes_during_a_measurement)
{
    opevo_live_options options = opevo_live_defaults();
    opevo_objective *objective = NULL;
    opevo_i_engine_connection worker = {.in = -1, .out = -1, .error = -1};
    const char *program = getenv("OPEVO_WORKER");
    zoo *maker = zoo_of_products(64);

    maker->salt = 900;
    options.precision = 1e-6;
    options.repeat_s = 0.5;
    CHECK_OK(opevo_live_open(&maker->super, &options, &objective, &err));
    assert_true(opevo_i_process_arguments_add(&worker.command, program, strlen(program)));
    assert_true(opevo_i_process_arguments_add(&worker.command, "cpu", 3));
    CHECK_OK(opevo_i_engine_connection_start(&worker, &err));
    opevo_i_engine_connection_say(&worker, opevo_i_engine_live_of(objective)->pool.setup);
    await_words(&worker, "\"ready\"");
    give_kernel(&worker, maker, 0, 1);
    await_words(&worker, "\"started\"");
    give_kernel(&worker, maker, 1, 2);
    await_words(&worker, "\"job\":2,");
    give_kernel(&worker, maker, 2, 3);
    await_words(&worker, "\"started\",\"job\":3");
    opevo_i_engine_connection_say(&worker, "{\"type\":\"drop\",\"job\":3}\n");
    await_words(&worker, "\"dropped\",\"job\":3");
    opevo_i_engine_connection_clear(&worker);
    opevo_objective_destroy(objective);
}

/* A time that no clock can have measured does not count as success, whoever sends it. */
CHECK_TEST(test_senseless)
{
    const char *foreign =
        "sh -c 'echo \"{\\\"type\\\":\\\"hello\\\",\\\"protocol\\\":6,\\\"kind\\\":\\\"cmd\\\"}\"; "
        "read x;"
        " echo \"{\\\"type\\\":\\\"ready\\\"}\"; n=1; while read x; do"
        " echo \"{\\\"type\\\":\\\"result\\\",\\\"job\\\":$n,\\\"outcome\\\":\\\"ok\\\","
        "\\\"samples\\\":[1e-310]}\"; n=$((n + 1)); done'";
    opevo_program_options options = opevo_program_defaults();
    opevo_index point = 0;

    options.result = "ms:/took (.*)/";
    for (int i = 0; i < 2; i++) {
        opevo_objective *objective = NULL;
        opevo_outcome outcome;

        options.workers.commands = &foreign;
        options.workers.count = i ? 1 : 0;
        objective = open_program("echo took 1e-31{X}", options);
        CHECK_OK(opevo_objective_evaluate(objective, &point, 1, &outcome, &err));
        assert_int_equal(outcome.kind, OPEVO_OUTCOME_WRONG);
        assert_true(outcome.fitness == 0 && isnan(outcome.time_s) && !outcome.sample_count);
        assert_non_null(strstr(outcome.message, i ? "out of range" : "it printed 1e-310, which"));
        opevo_objective_destroy(objective);
    }
    options.flop = 0.5;
    {
        static const char json[] = "{\"X\": {\"_type\": \"discrete\", \"_value\": [0, 1]}}";
        opevo_objective *objective = NULL;
        opevo_space *space = NULL;

        CHECK_OK(opevo_space_parse(json, "test", NULL, &space, &err));
        options.command = "echo {X}";
        CHECK_FAILS(OPEVO_INVALID, "--flop must be a number from 1 to 1e+30",
                    opevo_program_open(space, &options, &objective, &err));
        opevo_space_destroy(space);
    }
}

/* The order of results is that of the points, whichever of the workers came first; one that cannot
 * be reached is done without. */
CHECK_TEST(test_several)
{
    const char *commands[] = {"sh -c 'echo Welcome to this host; echo; exec $OPEVO_WORKER cmd'",
                              "sh -c 'exec $OPEVO_WORKER cmd'", "nothing-of-this-name"};
    opevo_program_options options = opevo_program_defaults();
    opevo_objective *objective = NULL;
    opevo_outcome outcomes[POINTS];

    options.result = "score:/([0-9]+)/";
    options.workers.commands = commands;
    options.workers.count = 3;
    objective = open_program("sh -c 'test $(($0 % 3)) = 0 && sleep 0.1; echo 1$0' {X}", options);
    evaluate(objective, outcomes);
    for (size_t i = 0; i < POINTS; i++) {
        char text[16];

        snprintf(text, sizeof text, "1%zu", POINTS - 1 - i);
        CHECK_CLOSE(outcomes[i].fitness, strtod(text, NULL), 0);
        assert_true(isnan(outcomes[i].time_s));
    }
    opevo_objective_destroy(objective);
}

#define KILL_WORKER "{{ kill -9 $(cut -d \" \" -f 4 /proc/$PPID/stat); sleep 5; }}"

/* A worker killed in the middle of a job costs nothing but time; a job that kills every worker is
 * the one to blame, and no process survives its worker. */
CHECK_TEST(test_lost)
{
    opevo_program_options options = opevo_program_defaults();
    opevo_objective *objective = NULL;
    opevo_outcome outcomes[POINTS];

    options.result = "ms:/took ([0-9]+)/";
    objective = open_program("sh -c 'case $0 in"
                             " 3) mkdir $XDG_CACHE_HOME/once 2>/dev/null && " KILL_WORKER ";;"
                             " 6) " KILL_WORKER ";; 7) sleep 74 & " KILL_WORKER
                             ";; esac; echo took 1$0' {X}",
                             options);
    evaluate(objective, outcomes);
    for (size_t i = 0; i < POINTS; i++)
        assert_int_equal(outcomes[POINTS - 1 - i].kind,
                         i == 6 || i == 7 ? OPEVO_OUTCOME_CRASHED : OPEVO_OUTCOME_OK);
    assert_string_equal(outcomes[POINTS - 1 - 7].message, "4 workers died while they measured it");
    CHECK_CLOSE(outcomes[POINTS - 1 - 3].time_s, 0.013, 1e-15);
    opevo_objective_destroy(objective);
    for (int i = 0; i < 30000 && sleepers("74"); i++) /* the keeper needs a moment */
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    assert_int_equal(sleepers("74"), 0);
}

/* A keeper that is killed leaves its program's processes to the worker, also one in a session of
 * its own; the job is measured again. */
CHECK_TEST(test_lost_keeper)
{
    opevo_program_options options = opevo_program_defaults();
    opevo_objective *objective = NULL;
    opevo_index points[2] = {0, 1};
    opevo_outcome outcomes[2];

    objective = open_program("sh -c 'mkdir $XDG_CACHE_HOME/keeper 2>/dev/null && {{"
                             " setsid sleep 78 &"
                             " until grep -qx sleep /proc/$!/comm; do :; done;"
                             " kill -9 $PPID; sleep 5; }}; :' {X}",
                             options);
    CHECK_OK(opevo_objective_evaluate(objective, points, 2, outcomes, &err));
    assert_int_equal(outcomes[0].kind, OPEVO_OUTCOME_OK);
    assert_int_equal(outcomes[1].kind, OPEVO_OUTCOME_OK);
    assert_int_equal(sleepers("78"), 0);
    opevo_objective_destroy(objective);
}

/* But when every job kills its workers, the workers are at fault. */
CHECK_TEST(test_all_lost)
{
    opevo_objective *objective =
        open_program("sh -c '" KILL_WORKER "' {X}", opevo_program_defaults());
    opevo_index points[4] = {0, 1, 2, 3};
    opevo_outcome outcomes[4];

    CHECK_FAILS(OPEVO_IO, "3 jobs in a row killed all their workers",
                opevo_objective_evaluate(objective, points, 4, outcomes, &err));
    opevo_objective_destroy(objective);
}

/* When no worker can be had, the reason is what the last one said. */
CHECK_TEST(test_none)
{
    static const char *const cases[][2] = {
        {"false", "the worker false ended"},
        {"sh -c 'echo no route to host >&2; exit 3'", "the worker sh ended: no route to host"},
        {"nothing-of-this-name", "nothing-of-this-name cannot be started"},
        {"sh -c 'echo \"{\\\"type\\\":\\\"hello\\\",\\\"protocol\\\":99}\"; sleep 9'",
         "speaks protocol 99 instead of 6; use opevo-worker " OPEVO_VERSION},
        {"sh -c 'exec $OPEVO_WORKER abacus'", "\"abacus\" is not a device"},
        {"sh -c 'exec $OPEVO_WORKER cpu'",
         "measures on cpu, not on cmd; give its device as its argument"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opevo_program_options options = opevo_program_defaults();
        opevo_objective *objective = NULL;
        opevo_outcome outcome;
        opevo_index point = 0;

        options.workers.commands = &cases[i][0];
        options.workers.count = 1;
        objective = open_program("echo {X}", options);
        CHECK_FAILS(OPEVO_IO, cases[i][1],
                    opevo_objective_evaluate(objective, &point, 1, &outcome, &err));
        opevo_objective_destroy(objective);
    }
}

/* A worker of another kind is refused, whatever it is asked to measure. */
CHECK_TEST(test_other_kind)
{
    static const struct {
        const char *device, *command, *words;
    } cases[] = {
        {"cpu", "sh -c 'exec $OPEVO_WORKER cmd'", "measures on cmd, not on cpu"},
        {"cuda:0", "sh -c 'exec $OPEVO_WORKER cpu'", "measures on cpu, not on cuda"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opevo_live_options options = opevo_live_defaults();
        opevo_objective *objective = NULL;
        opevo_index points[8] = {0, 1, 2, 3, 4, 5, 6, 7};
        opevo_outcome outcomes[8];
        zoo *maker = zoo_of_products(16);

        options.device = cases[i].device;
        options.workers.commands = &cases[i].command;
        options.workers.count = 1;
        maker->super.dialect = i ? OPEVO_KERNEL_CUDA : OPEVO_KERNEL_C;
        CHECK_OK(opevo_live_open(&maker->super, &options, &objective, &err));
        CHECK_FAILS(OPEVO_IO, cases[i].words,
                    opevo_objective_evaluate(objective, points, 8, outcomes, &err));
        opevo_objective_destroy(objective);
    }
}

/* A worker that a launcher starts in the home folder finds the program of the engine's folder; one
 * without the program measures nothing. */
CHECK_TEST(test_folder)
{
    static const char *const commands[] = {
        "sh -c 'cd && exec $OPEVO_WORKER cmd'",
        "sh -c 'cd /usr && exec $OPEVO_WORKER cmd'",
        "sh -c 'mv program moved; exec $OPEVO_WORKER cmd'",
    };
    char folder[4096];
    FILE *file = NULL;

    assert_non_null(getcwd(folder, sizeof folder));
    assert_int_equal(chdir(cache_folder), 0);
    file = fopen("program", "w");
    assert_non_null(file);
    fputs("#!/bin/sh\necho took 2\n", file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod("program", 0700), 0);
    for (size_t i = 0; i < 3; i++) {
        opevo_program_options options = opevo_program_defaults();
        opevo_objective *objective = NULL;
        opevo_outcome outcome;
        opevo_index point = 0;

        options.result = "ms:/took ([0-9]+)/";
        options.workers.commands = &commands[i];
        options.workers.count = 1;
        objective = open_program("./program {X}", options);
        if (i == 0) {
            CHECK_OK(opevo_objective_evaluate(objective, &point, 1, &outcome, &err));
            assert_int_equal(outcome.kind, OPEVO_OUTCOME_OK);
        } else {
            CHECK_FAILS(OPEVO_FAULT,
                        "./program is not an executable file on this host, in the "
                        "folder /",
                        opevo_objective_evaluate(objective, &point, 1, &outcome, &err));
        }
        opevo_objective_destroy(objective);
    }
    assert_int_equal(chdir(folder), 0);
}

/* What its host lacks is not misuse; workers of several commands are named. */
CHECK_TEST(test_refusal)
{
    static const char *const one = "sh -c 'echo \"{\\\"type\\\":\\\"error\\\",\\\"fault\\\":true,"
                                   "\\\"message\\\":\\\"No driver.\\\"}\"; sleep 9'";
    const char *const commands[] = {one, "false"};
    opevo_index point = 0;
    opevo_outcome outcome;

    for (size_t count = 1; count <= 2; count++) {
        opevo_program_options options = opevo_program_defaults();
        opevo_objective *objective = NULL;
        opevo_error err = {OPEVO_OK, ""};

        options.workers.commands = commands;
        options.workers.count = count;
        objective = open_program("echo {X}", options);
        assert_int_not_equal(opevo_objective_evaluate(objective, &point, 1, &outcome, &err),
                             OPEVO_OK);
        if (count == 1) {
            assert_int_equal(err.status, OPEVO_FAULT);
            assert_string_equal(err.message, "No driver.");
        } else {
            assert_non_null(strstr(err.message, "the worker"));
        }
        opevo_objective_destroy(objective);
    }
}

/* Who asks for a turn that another process has waits until that gives it back, or dies; another
 * device's turn is free meanwhile. The child speaks a second time before it dies: who has not
 * waited does not hear it. */
CHECK_TEST(test_turns)
{
    const opevo_i_backend_lock_wait wait = {.watch_engine = true};
    int said[2], told[2];
    char letter = 0;
    pid_t child = 0;
    int turn = -1;
    int other = -1;

    assert_non_null(freopen("/dev/null", "r", stdin)); /* where a worker watches its engine */
    assert_int_equal(pipe(said), 0);
    assert_int_equal(pipe(told), 0);
    child = fork();
    if (child == 0) {
        opevo_i_backend_device_lock_take(cache_folder, "gpu", &wait);
        if (write(said[1], "t", 1) == 1 && read(told[0], &letter, 1) == 1) {
            usleep(300000); /* time for a parent that does not wait */
            _exit(write(said[1], "e", 1) != 1);
        }
        _exit(1);
    }
    assert_int_equal(read(said[0], &letter, 1), 1);
    other = opevo_i_backend_device_lock_take(cache_folder, "other", &wait);
    assert_int_equal(write(told[1], "g", 1), 1);
    turn = opevo_i_backend_device_lock_take(cache_folder, "gpu", &wait);
    assert_true(other >= 0 && turn >= 0);
    assert_int_equal(fcntl(said[0], F_SETFL, O_NONBLOCK), 0);
    assert_int_equal(read(said[0], &letter, 1), 1);
    assert_int_equal(letter, 'e');
    assert_int_equal(waitpid(child, NULL, 0), child);
    opevo_i_backend_device_lock_release(other);
    opevo_i_backend_device_lock_release(turn);
    for (int i = 0; i < 2; i++) {
        close(said[i]);
        close(told[i]);
    }
}

int main(void)
{
    if (!cache_folder_make())
        return 1;
    return cache_folder_remove(check_tests(NULL, NULL));
}
