/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Time limits of programs: what waits for a processor does not use up the limit of a build. */

#include "check.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host_fault_internal.h"
#include "keeper_internal.h"

enum { RIVALS = 9 };

static int first_core(void)
{
    cpu_set_t set;
    int core = 0;

    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    while (!CPU_ISSET((size_t)core, &set))
        core++;
    return core;
}

static void start_rivals(int core, pid_t *rivals)
{
    for (int i = 0; i < RIVALS; i++) {
        rivals[i] = fork();
        if (rivals[i] == 0) {
            cpu_set_t set;

            prctl(PR_SET_PDEATHSIG, SIGKILL);
            CPU_ZERO(&set);
            CPU_SET((size_t)core, &set);
            sched_setaffinity(0, sizeof set, &set);
            for (;;)
                __asm__ volatile("");
        }
    }
}

static void end_rivals(const pid_t *rivals)
{
    for (int i = 0; i < RIVALS; i++) {
        kill(rivals[i], SIGKILL);
        waitpid(rivals[i], NULL, 0);
    }
}

/* The processor time of all programs that have ended. */
static double children_s(void)
{
    struct rusage used = {0};

    assert_int_equal(getrusage(RUSAGE_CHILDREN, &used), 0);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/* Run a script of sh on one processor. */
static opevo_i_process_program_end run(const char *script, int core, double limit_s,
                                       bool waits_apart)
{
    char *const argv[] = {"sh", "-c", (char *)script, NULL};
    const opevo_i_process_program program = {.argv = argv,
                                             .limit_s = limit_s,
                                             .output_limit = 100,
                                             .processor_limit = true,
                                             .waits_apart = waits_apart,
                                             .cores = &core,
                                             .core_count = 1};
    opevo_i_process_program_end end;
    opevo_i_process_keeper keeper;

    CHECK_OK(opevo_i_process_keeper_start(&program, &keeper, &err));
    while (!opevo_i_process_keeper_poll(&keeper, &end)) {
        struct pollfd wait = {.fd = keeper.report, .events = POLLIN};

        poll(&wait, 1, -1);
    }
    assert_true(end.kept && end.start_errno == 0);
    return end;
}

/* Some tenths of a second of work in a process of its own, as compilers do it, beside nine others
 * on one processor: elapsed, ten times as much. */
CHECK_TEST(test_waiting)
{
    static const char work[] =
        "sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done'; echo made";
    int core = first_core();
    pid_t rivals[RIVALS];
    opevo_i_process_program_end ends[2];
    double before_s = children_s();
    double work_s = 0;

    ends[0] = run(work, core, 60, true);
    opevo_i_process_program_end_free(&ends[0]);
    work_s = children_s() - before_s;
    start_rivals(core, rivals);
    for (int apart = 0; apart < 2; apart++)
        ends[apart] = run(work, core, 6 * work_s, apart);
    end_rivals(rivals);
    assert_true(ends[0].timed_out && !ends[1].timed_out);
    assert_string_equal(opevo_text_string(&ends[1].out), "made\n");
    for (int apart = 0; apart < 2; apart++)
        opevo_i_process_program_end_free(&ends[apart]);
}

/* Without an end a limit holds, whether the program works or sleeps; what waited for most of the
 * time is the host's. */
CHECK_TEST(test_endless)
{
    int core = first_core();
    pid_t rivals[RIVALS];
    opevo_text why = {0};
    opevo_i_process_program_end end = run("sleep 1000", core, 0.3, true);

    assert_true(end.timed_out && !end.starved && end.elapsed_s < 10);
    assert_false(opevo_i_process_build_fault(&end, "cc", 0, &why));
    opevo_i_process_program_end_free(&end);
    start_rivals(core, rivals);
    end = run("while :; do :; done", core, 0.3, true);
    end_rivals(rivals);
    assert_true(end.timed_out && end.starved && end.elapsed_s < OPEVO_I_STARVED * 0.3 + 10);
    assert_true(opevo_i_process_build_fault(&end, "cc", 0, &why));
    assert_non_null(strstr(opevo_text_string(&why), "the compiler cc waited for a processor"));
    opevo_i_process_program_end_free(&end);
    opevo_text_free(&why);
}

/* Threads that use up the processor time of a limit before it is over have no host to blame. */
CHECK_TEST(test_threads)
{
    char *const argv[] = {"sh", "-c", "exec xz -T4 -c </dev/zero >/dev/null", NULL};
    const opevo_i_process_program program = {
        .argv = argv, .limit_s = 2, .output_limit = 100, .processor_limit = true};
    opevo_i_process_program_end end;
    opevo_i_process_keeper keeper;
    opevo_text why = {0};

    if (system("command -v xz >/dev/null") != 0)
        CHECK_SKIP("no xz whose threads work (Debian: xz-utils)");
    CHECK_OK(opevo_i_process_keeper_start(&program, &keeper, &err));
    while (!opevo_i_process_keeper_poll(&keeper, &end)) {
        struct pollfd wait = {.fd = keeper.report, .events = POLLIN};

        poll(&wait, 1, -1);
    }
    assert_true(end.kept && end.timed_out);
    assert_false(opevo_i_process_build_fault(&end, "cc", 0, &why));
    opevo_i_process_program_end_free(&end);
    opevo_text_free(&why);
}
