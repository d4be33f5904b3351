/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A fault of the host, not of a kernel or a program, has no outcome: the trial is repeated, and
 * when it persists the evaluation ends with a sentence, and what was measured before has been
 * handed over. Failures are injected by stand-ins for the compiler, by limits, and by signals. */

#include "cache_folder.h"
#include "points.h"
#include "zoo.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "host_fault_internal.h"

enum { POINTS = 8 };

/* ---- Programs ------------------------------------------------------------------------------- */

static opevo_objective *open_program(const char *command)
{
    opevo_program_options options = opevo_program_defaults();
    opevo_objective *objective = NULL;
    opevo_space *space = NULL;

    CHECK_OK(opevo_space_parse(
        "{\"X\": {\"_type\": \"discrete\", \"_value\": [0, 1, 2, 3, 4, 5, 6, 7]}}", "test", NULL,
        &space, &err));
    options.command = command;
    options.result = "ms:/took ([0-9]+)/";
    CHECK_OK(opevo_program_open(space, &options, &objective, &err));
    return objective;
}

typedef struct taken {
    size_t count;
    opevo_outcome_class kinds[POINTS];
} taken;

static opevo_status take(void *context, size_t i, const opevo_outcome *outcome, opevo_error *err)
{
    taken *self = context;

    self->count++;
    self->kinds[i] = outcome->kind;
    return OPEVO_OK;
}

static opevo_status measure(opevo_objective *objective, taken *out, opevo_error *err)
{
    opevo_index points[POINTS];

    *out = (taken){0};
    for (size_t i = 0; i < POINTS; i++)
        points[i] = i;
    return opevo_objective_measure(objective, points, POINTS, NULL, take, out, err);
}

/* A program whose keeper is killed is measured again. */
CHECK_TEST(test_keeper_killed_once)
{
    opevo_objective *objective =
        open_program("sh -c 'mkdir $XDG_CACHE_HOME/once.$0 2>/dev/null && test $0 -gt 5 && "
                     "{{ kill -9 $PPID; sleep 5; }}; echo took 1$0' {X}");
    taken got;

    CHECK_OK(measure(objective, &got, &err));
    assert_int_equal(got.count, POINTS);
    for (size_t i = 0; i < POINTS; i++)
        assert_int_equal(got.kinds[i], OPEVO_OUTCOME_OK);
    opevo_objective_destroy(objective);
}

/* Where that goes on, the evaluation fails; the objective is as good as new afterwards. */
CHECK_TEST(test_keeper_killed_always)
{
    opevo_objective *objective =
        open_program("sh -c 'test $0 = 5 && test ! -e $XDG_CACHE_HOME/mended && "
                     "{{ kill -9 $PPID; sleep 5; }}; echo took 1$0' {X}");
    char mended[4200];
    taken got;

    CHECK_FAILS(OPEVO_FAULT, "cannot measure, in 4 attempts: the process that keeps sh was killed",
                measure(objective, &got, &err));
    assert_in_range(got.count, 5, 7); /* those after it may be there, too */
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(got.kinds[i], OPEVO_OUTCOME_OK);
    snprintf(mended, sizeof mended, "%s/mended", cache_folder);
    assert_int_equal(mkdir(mended, 0700), 0);
    CHECK_OK(measure(objective, &got, &err));
    assert_int_equal(got.count, POINTS);
    opevo_objective_destroy(objective);
}

/* Without descriptors for a worker's pipes none is started, which is tried again, too. */
CHECK_TEST(test_no_descriptors)
{
    opevo_objective *objective = open_program("echo took 1{X}");
    struct rlimit few;
    struct rlimit usual;
    taken got;

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &usual), 0);
    few = usual;
    few.rlim_cur = 3;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    CHECK_FAILS(OPEVO_FAULT, "Cannot create pipes to a worker: Too many open files; fix that",
                measure(objective, &got, &err));
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &usual), 0);
    opevo_objective_destroy(objective);
}

/* ---- Compilers ------------------------------------------------------------------------------ */

/* To macros, and to the source of a worker's probe, such a script is a compiler like any. */
#define BUT_FOR_PROBES                                                                             \
    "for last; do :; done\n"                                                                       \
    "case \"$*\" in *-dM*) exec cc \"$@\";; esac\n"                                                \
    "grep -q opevo_probe \"$last\" && exec cc \"$@\"\n"

/* A stand-in for the compiler: a script that does `head` and `body`, then becomes cc. */
static void write_compiler(const char *head, const char *body)
{
    char path[4200];
    FILE *file = NULL;

    snprintf(path, sizeof path, "%s/compiler", cache_folder);
    file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n%s%s\nexec cc \"$@\"\n", head, body);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0700), 0);
    setenv("OPEVO_CC", path, 1);
}

static void use_compiler(const char *body)
{
    write_compiler(BUT_FOR_PROBES, body);
}

static opevo_objective *open_products(opevo_workers workers)
{
    static long salt = 100; /* nothing is in the cache */
    opevo_live_options options = opevo_live_defaults();
    opevo_objective *objective = NULL;
    zoo *maker = zoo_of_products(16);

    unsetenv("OPEVO_CC"); /* the stand-in comes after the run is opened */
    maker->salt = salt++;
    options.repeat_s = 0.01;
    options.workers = workers;
    CHECK_OK(opevo_live_open(&maker->super, &options, &objective, &err));
    return objective;
}

#define SAYS(TEXT, STATUS) "echo \"" TEXT "\" >&2; exit " STATUS

/* Each goes away by itself: the source is built in the end. Every other one in the short run. */
CHECK_TEST(test_compiler_recovers)
{
    static const char *const bodies[] = {
        SAYS("cc: fatal error: error writing to /tmp/x.s: No space left on device", "1"),
        SAYS("cc: fatal error: Killed signal terminated program cc1", "1"),
        SAYS("collect2: fatal error: ld terminated with signal 9 [Killed]", "1"),
        SAYS("clang: error: unable to execute command: Terminated", "254"),
        SAYS("cc: error: vfork: Resource temporarily unavailable", "1"),
        SAYS("cc1: out of memory allocating 65536 bytes after a total of 1 bytes", "1"),
        SAYS("error: the device is gone", "71"),
        "kill -9 $$",
        "kill -TERM $$",
        "kill -9 $PPID; sleep 5",
    };

    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        opevo_objective *objective = NULL;
        opevo_index point = 0;
        opevo_outcome outcome;
        char body[512];

        if (!test_takes(i, 0, 2))
            continue;
        objective = open_products((opevo_workers){0});
        snprintf(body, sizeof body, "mkdir $XDG_CACHE_HOME/fail.%zu 2>/dev/null && { %s; }", i,
                 bodies[i]);
        use_compiler(body);
        CHECK_OK(opevo_objective_evaluate(objective, &point, 1, &outcome, &err));
        if (outcome.kind != OPEVO_OUTCOME_OK)
            fail_msg("%s: %s (%s)", bodies[i], opevo_outcome_name(outcome.kind), outcome.message);
        opevo_objective_destroy(objective);
    }
}

CHECK_TEST(test_compiler_does_not_recover)
{
    static const struct {
        const char *body, *words;
    } cases[] = {
        {SAYS("cc: fatal error: error writing to /tmp/x.s: No space left on device", "1"),
         "error writing to /tmp/x.s: No space left on device; fix that"},
        {"kill -9 $$", "was killed by signal 9 (Killed); fix that"},
        {NULL, "the compiler nothing-of-this-name cannot be started: No such file or directory"},
        {"exit 0", "No such file or directory"}, /* and made no object */
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opevo_objective *objective = open_products((opevo_workers){0});
        opevo_index point = 0;
        opevo_outcome outcome;

        if (cases[i].body)
            use_compiler(cases[i].body);
        else
            setenv("OPEVO_CC", "nothing-of-this-name", 1);
        CHECK_FAILS(OPEVO_FAULT, cases[i].words,
                    opevo_objective_evaluate(objective, &point, 1, &outcome, &err));
        opevo_objective_destroy(objective);
    }
}

/* A compiler that compiles nothing more, whatever it says, is not a fault of kernels: neither at
 * the start nor after some. */
CHECK_TEST(test_compiler_compiles_nothing)
{
    static const struct {
        const char *body, *words;
    } cases[] = {
        {"exit 127",
         "This host cannot build kernels: a kernel without a fault is not compiled: exit "
         "status 127 of the compiler; fix that"},
        {SAYS("licence expired", "1"), "exit status 1 of the compiler: licence expired"},
        {"kill -SEGV $$",
         "a kernel without a fault is not compiled: the compiler was killed by signal 11"},
        {"mkdir $XDG_CACHE_HOME/built.1 || mkdir $XDG_CACHE_HOME/built.2 || exit 127",
         "a kernel without a fault is not compiled: exit status 127 of the compiler"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opevo_objective *objective = open_products((opevo_workers){0});
        opevo_index points[4] = {0, 1, 2, 3};
        opevo_outcome outcomes[4];

        write_compiler("case \"$*\" in *-dM*) exec cc \"$@\";; esac\n", cases[i].body);
        CHECK_FAILS(OPEVO_FAULT, cases[i].words,
                    opevo_objective_evaluate(objective, points, 4, outcomes, &err));
        opevo_objective_destroy(objective);
    }
}

/* What a source has earned stays an outcome. */
CHECK_TEST(test_earned)
{
    static const char *const bodies[] = {
        SAYS("kernel.c:1:1: error: expected identifier", "1"),
        SAYS("cc: internal compiler error: Segmentation fault signal terminated program cc1", "4"),
        "kill -SEGV $$",
        "kill -ABRT $$",
        "kill -XCPU $$",
        "exec sleep 1000",
    };

    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        opevo_live_options options = opevo_live_defaults();
        opevo_objective *objective = NULL;
        zoo *maker = zoo_of_products(16);
        opevo_index point = 0;
        opevo_outcome outcome;

        maker->salt = 1000 + (long)i;
        options.build_limit_s = i == 5 ? 0.5 : 30;
        unsetenv("OPEVO_CC");
        CHECK_OK(opevo_live_open(&maker->super, &options, &objective, &err));
        use_compiler(bodies[i]);
        CHECK_OK(opevo_objective_evaluate(objective, &point, 1, &outcome, &err));
        if (outcome.kind != OPEVO_OUTCOME_BUILD_ERROR)
            fail_msg("%s: %s", bodies[i], opevo_outcome_name(outcome.kind));
        opevo_objective_destroy(objective);
    }
}

/* The real compiler where no file may be as large as an object:
 * 8 KiB hold a source and a recipe. */
CHECK_TEST(test_file_size_limit)
{
    const char *commands[] = {"sh -c 'ulimit -f 16; exec $OPEVO_WORKER cpu'"};
    opevo_objective *objective = open_products((opevo_workers){.commands = commands, .count = 1});
    opevo_index point = 0;
    opevo_outcome outcome;

    setenv("OPEVO_CC", "cc", 1);
    CHECK_FAILS(OPEVO_FAULT, "fix that",
                opevo_objective_evaluate(objective, &point, 1, &outcome, &err));
    opevo_objective_destroy(objective);
}

/* ---- Judging -------------------------------------------------------------------------------- */

/* A compiler that had taken half of its limit is out of memory by its source's doing. */
CHECK_TEST(test_memory_is_earned)
{
    const uint64_t limit = (uint64_t)1 << 30;
    opevo_i_process_program_end end = {.kept = true, .wait_status = 1 << 8};

    opevo_text_add(&end.error, "cc1: out of memory allocating 4096 bytes\n");
    for (int much = 0; much < 2; much++) {
        opevo_text why = {0};

        end.peak_bytes = much ? limit / 2 : limit / 4;
        assert_int_equal(opevo_i_process_build_fault(&end, "cc", limit, &why), !much);
        assert_true(opevo_i_process_build_fault(&end, "cc", 0, &why));
        opevo_text_free(&why);
    }
    opevo_i_process_program_end_free(&end);
    assert_true(opevo_i_process_host_errno(ENOSPC) && opevo_i_process_host_errno(EMFILE));
    assert_false(opevo_i_process_host_errno(ENOENT) || opevo_i_process_host_errno(EACCES) ||
                 opevo_i_process_host_errno(0));
}

int main(void)
{
    if (!cache_folder_make())
        return 1;
    return cache_folder_remove(check_tests(NULL, NULL));
}
