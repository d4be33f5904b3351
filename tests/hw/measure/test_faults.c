/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Two hosts in trouble: a fault in about every twentieth measurement, of one kind in each row. Each
 * trial must have the outcome that is right for its point: one that failed where it works, or has a
 * time of another, would be false. OPEVO_TEST_FAULTS=N runs N trials in all (about 1000 otherwise).
 */

#include "sleepers.h"
#include "zoo.h"

#include <opevo/run.h>
#include <opevo/tuners.h>

#include <sys/stat.h>
#include <unistd.h>

#include "live_internal.h"

enum { EVERY = 20, WORKERS = 6, SHORT = 120, KERNELS = 12 };

/* Workers that a task may cost. All of so many are faults with probability EVERY^-8. */
enum { ATTEMPTS = 8 };

#define HUNG_S 2.0 /* what hangs longer is lost; all workers may hang at once */

/* Programs of points X: most take a known time, others fail, each in its way. */
static const char truth[] = "#!/bin/sh\n"
                            "case $1 in\n"
                            "*3) echo too big >&2; exit 3;;\n"
                            "*5) echo nonsense;;\n"
                            "*7) kill -SEGV $$;;\n"
                            "*) echo took 1$1 ms;;\n"
                            "esac\n";

static opevo_outcome_class true_kind(uint64_t x)
{
    return x % 10 == 3   ? OPEVO_OUTCOME_REJECTED
           : x % 10 == 5 ? OPEVO_OUTCOME_WRONG
           : x % 10 == 7 ? OPEVO_OUTCOME_CRASHED
                         : OPEVO_OUTCOME_OK;
}

static void write_file(const char *name, const char *text, mode_t mode)
{
    char path[4200];
    FILE *file = NULL;

    snprintf(path, sizeof path, "%s/%s", cache_folder, name);
    file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, mode), 0);
}

static size_t count_lines(const char *name)
{
    char path[4200];
    FILE *file = NULL;
    size_t lines = 0;

    snprintf(path, sizeof path, "%s/%s", cache_folder, name);
    file = fopen(path, "r");
    for (int letter = 0; file && (letter = fgetc(file)) != EOF;)
        lines += letter == '\n';
    if (file)
        fclose(file);
    return lines;
}

/* Trials of a row. */
static uint64_t trials_of(uint64_t share)
{
    const char *given = getenv("OPEVO_TEST_FAULTS");

    return given ? (uint64_t)strtoull(given, NULL, 10) / share : 0;
}

/* The workers of two hosts: the first half of them on one, with a cache of its own. */
typedef struct hosts {
    char text[WORKERS][24000];
    const char *commands[WORKERS];
    opevo_workers workers;
} hosts;

static void add_worker(hosts *self, const char *fault, const char *log, const char *prefix,
                       const char *device)
{
    size_t i = self->workers.count++;
    char host = i % 2 ? 'b' : 'a';

    snprintf(self->text[i], sizeof self->text[i],
             "env XDG_CACHE_HOME=%s/host-%c %s %s %s %d %s/%s %s %s", cache_folder, host,
             host == 'b' ? prefix : "", OPEVO_TEST_FAULTY_HOST, fault, (int)EVERY, cache_folder,
             log, getenv("OPEVO_WORKER"), device);
    self->commands[i] = self->text[i];
    self->workers.commands = self->commands;
}

/* ---- Programs ------------------------------------------------------------------------------- */

static void check_program(void *context, const opevo_trial *trial, bool resumed)
{
    uint64_t x = (uint64_t)trial->proposal.point;
    char digits[32];

    ++*(uint64_t *)context;
    snprintf(digits, sizeof digits, "1%llu", (unsigned long long)x);
    if (trial->outcome.kind != true_kind(x) ||
        (trial->outcome.kind == OPEVO_OUTCOME_OK &&
         fabs(trial->outcome.time_s / (strtod(digits, NULL) / 1e3) - 1) > 1e-9))
        fail_msg("trial %llu at %llu is %s of %g s, falsely: %s", (unsigned long long)trial->number,
                 (unsigned long long)x, opevo_outcome_name(trial->outcome.kind),
                 trial->outcome.time_s, trial->outcome.message ? trial->outcome.message : "");
}

static opevo_objective *open_programs(uint64_t points, const hosts *by, double limit_s)
{
    opevo_program_options options = opevo_program_defaults();
    opevo_text space_text = {0};
    opevo_objective *objective = NULL;
    opevo_space *space = NULL;
    opevo_i_engine_pool *pool = NULL;
    char command[4200];

    opevo_text_add(&space_text, "{\"X\": {\"_type\": \"discrete\", \"_value\": [0");
    for (uint64_t i = 1; i < points; i++)
        opevo_text_printf(&space_text, ", %llu", (unsigned long long)i);
    opevo_text_add(&space_text, "]}}");
    CHECK_OK(opevo_space_parse(opevo_text_string(&space_text), "test", NULL, &space, &err));
    opevo_text_free(&space_text);
    snprintf(command, sizeof command, "%s/truth {X}", cache_folder);
    options.command = command;
    options.result = "ms:/took ([0-9]+)/";
    options.exits = (const char *const[]){"3=rejected"};
    options.exit_count = 1;
    options.workers = by->workers;
    CHECK_OK(opevo_program_open(space, &options, &objective, &err));
    pool = &opevo_i_engine_live_of(objective)->pool;
    pool->attempts = ATTEMPTS;
    if (limit_s > 0)
        pool->job_limit_s = limit_s;
    return objective;
}

static uint64_t run_all(opevo_objective *objective, uint64_t trials, opevo_run_observer observer)
{
    uint64_t seen = 0;
    opevo_run_options options = {
        .seed = 1, .budget = {.trials = trials}, .observer = observer, .observer_context = &seen};
    opevo_run_result result = {0};

    CHECK_OK(opevo_tuner_find("random", &options.tuner, &err));
    CHECK_OK(opevo_run(objective, &options, &result, &err));
    opevo_objective_destroy(objective);
    return seen;
}

/* Whether a command can be run before another one. */
static bool works(const char *prefix)
{
    char command[512];

    snprintf(command, sizeof command, "%s true 2>/dev/null", prefix);
    return system(command) == 0; /* NOLINT(cert-env33-c): of the test */
}

CHECK_TEST(test_programs)
{
    static const struct {
        const char *fault;
        const char *prefix; /* of the commands on host b */
        const char *first;  /* device of the first worker; NULL: as of all */
        double limit_s;     /* of a task; 0: as usual */
    } rows[] = {
        {"kill", "", NULL, 0},
        {"hang", "", NULL, HUNG_S},
        {"garbage", "", NULL, 0},
        {"cut", "", NULL, 0},
        {"link", "", NULL, 0},
        {"kill", "unshare --time --monotonic 90000 --boottime 90000 --fork --kill-child", NULL, 0},
        {"kill", "", "cpu", 0}, /* of the wrong kind */
        {"any", "", NULL, HUNG_S},
    };
    size_t count = sizeof rows / sizeof *rows;
    uint64_t all = 0;
    size_t faults = 0;

    write_file("truth", truth, 0700);
    for (size_t i = 0; i < count; i++) {
        uint64_t trials = trials_of(count) ? trials_of(count) : SHORT;
        hosts self = {.workers = {.count = 0}};
        const char *prefix = works(rows[i].prefix) ? rows[i].prefix : "";
        char log[32];

        snprintf(log, sizeof log, "faults-%zu", i);
        for (size_t k = 0; k < WORKERS; k++)
            add_worker(&self, rows[i].fault, log, prefix,
                       k || !rows[i].first ? "cmd" : rows[i].first);
        assert_int_equal(
            run_all(open_programs(2 * trials, &self, rows[i].limit_s), trials, check_program),
            trials);
        all += trials;
        faults += count_lines(log);
    }
    print_message("%llu trials and %zu faults\n", (unsigned long long)all, faults);
    /* It was what it says. Each measurement has a fault with probability 1/20, and those of one
     * worker follow each other more evenly than independent ones. So fewer than half of those
     * expected have at most the binomial probability: 3e-5 of less than 24 in 960. */
    assert_true(faults * 2 * EVERY >= all);
}

/* ---- Kernels -------------------------------------------------------------------------------- */

static void check_kernel(void *context, const opevo_trial *trial, bool resumed)
{
    ++*(uint64_t *)context;
    if (trial->outcome.kind != OPEVO_OUTCOME_OK)
        fail_msg("trial %llu is %s, falsely: %s", (unsigned long long)trial->number,
                 opevo_outcome_name(trial->outcome.kind),
                 trial->outcome.message ? trial->outcome.message : "");
}

/* Compilers of host b, which both hosts share a cache with: each build beside the probes is
 * counted, and every fourth one does this. */
CHECK_TEST(test_kernels)
{
    static const struct {
        const char *name, *body, *flags;
    } rows[] = {
        {"disk full", "echo \"error writing to /tmp/x.s: No space left on device\" >&2; exit 1",
         ""},
        {"another compiler", ":", "-O0 -DOTHER=1"},
        {"other flags", ":", "-mno-avx -mno-fma"},
        {"no compiler", "exit 127", ""},
    };
    static long salt = 7000;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        opevo_live_options options = opevo_live_defaults();
        opevo_objective *objective = NULL;
        hosts self = {.workers = {.count = 0}};
        zoo *maker = zoo_of_products(64);
        char script[16384], prefix[9000];

        snprintf(script, sizeof script,
                 "#!/bin/sh\nfor last; do :; done\n"
                 "case \"$*\" in *-dM*) exec cc \"$@\" %s;; esac\n"
                 "grep -q opevo_probe \"$last\" && exec cc \"$@\" %s\n"
                 "echo x >>%s/builds\n[ $(($(wc -l <%s/builds) %% 4)) = 0 ] && { %s; }\n"
                 "exec cc \"$@\" %s\n",
                 rows[i].flags, rows[i].flags, cache_folder, cache_folder, rows[i].body,
                 rows[i].flags);
        write_file("compiler", script, 0700);
        snprintf(prefix, sizeof prefix, "env XDG_CACHE_HOME=%s/host-a OPEVO_CC=%s/compiler",
                 cache_folder, cache_folder);
        for (int k = 0; k < 2; k++)
            add_worker(&self, "kill", "faults", prefix, "cpu");
        maker->salt = salt++;
        options.repeat_s = 0.01;
        options.slower = 0; /* without optimisation a kernel may well be 10 times slower */
        options.workers = self.workers;
        options.workers.mixed = true; /* two compilers are two devices */
        CHECK_OK(opevo_live_open(&maker->super, &options, &objective, &err));
        if (run_all(objective, KERNELS, check_kernel) != KERNELS)
            fail_msg("not all trials with %s", rows[i].name);
    }
}

int main(void)
{
    if (!cache_folder_make())
        return 1;
    return cache_folder_remove(check_tests(NULL, NULL));
}
