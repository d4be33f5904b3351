/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A builder: builds by its forks end as those by a process of their own do, with it goes none of
 * them, and a fork goes with the program that asked. */

#include "own_fixture.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include "gpu_internal.h"

/* A million statements: minutes for a compiler. */
#define EIGHT(name, of) "#define " name " " of " " of " " of " " of " " of " " of " " of " " of "\n"
#define LONG                                                                                       \
    EIGHT("A", "x++;")                                                                             \
    EIGHT("B", "A")                                                                                \
    EIGHT("C", "B")                                                                                \
    EIGHT("D", "C")                                                                                \
    EIGHT("E", "D")                                                                                \
    EIGHT("F", "E")                                                                                \
    "__kernel void one(__global int *a) { int x = 0; F F F F a[0] = x; }\n"

static char worker[4096];

/* Wait for an event, however long it takes; CTest has the limit. */
static void nap(void)
{
    poll(NULL, 0, 1);
}

static void start(const char *source, const char *object, opevo_i_process_keeper *out)
{
    char from[4200], to[4200];
    char *const argv[] = {worker, "--build", "opencl", "0", "", from, to, "4-1-1", NULL};
    const opevo_i_process_program program = {.argv = argv, .limit_s = 1e6};

    snprintf(from, sizeof from, "%s", own_path(source));
    snprintf(to, sizeof to, "%s", own_path(object));
    CHECK_OK(opevo_i_process_keeper_start(&program, out, &err));
}

static void await(opevo_i_process_keeper *keeper, opevo_i_process_program_end *end)
{
    while (!opevo_i_process_keeper_poll(keeper, end)) {
        struct pollfd wait = {.fd = keeper->report, .events = POLLIN};

        poll(&wait, 1, -1);
    }
}

/* The exit status of a build, whether it says "error", and whether a fork did it. */
static void check_build(const char *source, int code, bool helped)
{
    opevo_i_process_keeper keeper;
    opevo_i_process_program_end end;

    start(source, "made", &keeper);
    await(&keeper, &end);
    assert_true(end.kept && WIFEXITED(end.wait_status));
    assert_int_equal(WEXITSTATUS(end.wait_status), code);
    assert_int_equal(strstr(opevo_text_string(&end.error), "error") != NULL, code != 0);
    assert_int_equal(access(own_path("made"), R_OK) == 0, code == 0);
    assert_int_equal(access(own_path("made" OPEVO_I_BUILD_HELPER), R_OK) == 0, helped);
    unlink(own_path("made"));
    unlink(own_path("made" OPEVO_I_BUILD_HELPER));
    opevo_i_process_program_end_free(&end);
}

/* The fork that builds a source without end. */
static pid_t find_helper(void)
{
    int pid = 0;

    while (!pid) {
        FILE *file = fopen(own_path("stuck" OPEVO_I_BUILD_HELPER), "r");

        if (file && fscanf(file, "%d\n", &pid) != 1)
            pid = 0;
        if (file)
            fclose(file);
        nap();
    }
    unlink(own_path("stuck" OPEVO_I_BUILD_HELPER));
    return pid;
}

CHECK_TEST(builds_end_alike)
{
    opevo_i_process_keeper builder, keeper;
    opevo_i_process_program_end end;
    pid_t helper = 0;

    if (!own_has_opencl())
        CHECK_SKIP("no OpenCL device: install pocl-opencl-icd");
    own_write("good.cl", "__kernel void one(__global int *a) { a[get_global_id(0)] = 1; }\n");
    own_write("bad.cl", "__kernel void one(__global int *a) { a[0] = none; }\n");
    own_write("long.cl", LONG);
    snprintf(worker, sizeof worker, "%s", getenv("OPEVO_WORKER"));
    check_build("good.cl", 0, false);
    opevo_i_gpu_builder_start(worker, "opencl", "0", &builder);
    check_build("good.cl", 0, true);
    check_build("bad.cl", 1, true);
    /* A compiler that a signal ends. */
    start("long.cl", "stuck", &keeper);
    helper = find_helper();
    assert_int_equal(kill(helper, SIGKILL), 0);
    await(&keeper, &end);
    assert_true(WIFSIGNALED(end.wait_status) && WTERMSIG(end.wait_status) == SIGKILL);
    opevo_i_process_program_end_free(&end);
    /* A program that is stopped. */
    start("long.cl", "stuck", &keeper);
    helper = find_helper();
    opevo_i_process_keeper_stop(&keeper);
    await(&keeper, &end);
    opevo_i_process_program_end_free(&end);
    while (kill(helper, 0) == 0)
        nap();
    assert_int_equal(errno, ESRCH);
    check_build("good.cl", 0, true);
    /* A builder that is gone. */
    opevo_i_process_keeper_stop(&builder);
    await(&builder, &end);
    opevo_i_process_program_end_free(&end);
    check_build("good.cl", 0, false);
    opevo_i_process_keepers_end();
}

int main(void)
{
    if (!cache_folder_make())
        return 1;
    return cache_folder_remove(check_tests(NULL, NULL));
}
