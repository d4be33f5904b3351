/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Measuring on the CPU: a zoo of hostile kernels, each of which must end in its class, with the
 * worker alive after it and nothing left behind. */

#include "cache_folder.h"
#include "zoo.h"

#include <opevo/worker.h>

#include <dirent.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend_internal.h"
#include "sandbox_internal.h"

/* Its text, at most size - 1 bytes, and their number; none where the process is gone. */
static size_t read_of_process(long id, const char *name, char *text, size_t size)
{
    char path[64];
    FILE *file = NULL;
    size_t length = 0;

    snprintf(path, sizeof path, "/proc/%ld/%s", id, name);
    file = id > 0 ? fopen(path, "r") : NULL;
    length = file ? fread(text, 1, size - 1, file) : 0;
    if (file)
        fclose(file);
    text[length] = '\0';
    return length;
}

/* Whether it was started with this test's cache folder: a worker, or what one started. */
static bool is_ours(long id)
{
    static char text[1 << 16];

    return memmem(text, read_of_process(id, "environ", text, sizeof text), cache_folder,
                  strlen(cache_folder)) != NULL;
}

/* The number of processes of which `is` is true. */
static int count_processes(bool (*is)(long id))
{
    DIR *all = opendir("/proc");
    struct dirent *entry = NULL;
    int found = 0;

    assert_non_null(all);
    while ((entry = readdir(all)) != NULL)
        found += is(strtol(entry->d_name, NULL, 10));
    closedir(all);
    return found;
}

static int processes_left(void)
{
    return count_processes(is_ours);
}

/* All files below the cache folder that are not finished entries. */
static int scratch_files(void)
{
    char path[4200];
    DIR *kernels = NULL;
    struct dirent *entry = NULL;
    int found = 0;

    snprintf(path, sizeof path, "%s/opevo/kernels", cache_folder);
    kernels = opendir(path);
    assert_non_null(kernels);
    while ((entry = readdir(kernels)) != NULL) {
        const char *dot = strrchr(entry->d_name, '.');

        found += entry->d_name[0] != '.' && strcmp(dot, ".obj") != 0 && strcmp(dot, ".recipe") != 0;
    }
    closedir(kernels);
    return found;
}

CHECK_TEST(test_zoo)
{
    opevo_objective *objective = zoo_open(zoo_of_animals(), 3); /* sanitizers take their time */
    opevo_index points[ZOO_COUNT];
    opevo_outcome outcomes[ZOO_COUNT];
    int failures = 0;

    for (size_t i = 0; i < ZOO_COUNT; i++)
        points[i] = i;
    CHECK_OK(opevo_objective_evaluate(objective, points, ZOO_COUNT, outcomes, &err));
    for (size_t i = 0; i < ZOO_COUNT; i++) {
        bool ok = outcomes[i].kind == OPEVO_OUTCOME_OK;

        if (!opevo_i_process_landlock_present() && !strcmp(zoo_animals[i].name, "early_reader")) {
            print_message("early_reader: skipped, because this system has no Landlock\n");
            continue;
        }
        if (outcomes[i].kind != zoo_animals[i].kind ||
            ok != (outcomes[i].fitness > 0 && outcomes[i].sample_count > 0) ||
            (!ok && !outcomes[i].message)) {
            print_error("%s: %s (%s), expected %s\n", zoo_animals[i].name,
                        opevo_outcome_name(outcomes[i].kind),
                        outcomes[i].message ? outcomes[i].message : "",
                        opevo_outcome_name(zoo_animals[i].kind));
            failures++;
        }
    }
    opevo_objective_destroy(objective);
    assert_int_equal(failures, 0);
    assert_int_equal(access("zoo-was-here", F_OK), -1);
    assert_int_equal(processes_left(), 0);
    assert_int_equal(scratch_files(), 0);
}

/* Place of an animal in the zoo. */
static opevo_index animal(const char *name)
{
    opevo_index i = 0;

    while (strcmp(zoo_animals[(size_t)i].name, name) != 0)
        i++;
    return i;
}

/* The outcome of one animal, when the best so far took so long; 0: none. */
static opevo_outcome measure_beside(opevo_objective *objective, const char *name, double best_s)
{
    opevo_index point = animal(name);
    opevo_outcome outcome;

    opevo_objective_note_best(objective, best_s > 0 ? objective->flop / best_s / 1e9 : 0);
    CHECK_OK(opevo_objective_evaluate(objective, &point, 1, &outcome, &err));
    return outcome;
}

/* A kernel that computes for far longer than the best did is stopped in its first execution, one
 * that waits is not, as that may be for others; one that is not worth stopping is sampled once, and
 * the next run has its own best. */
CHECK_TEST(test_slower)
{
    opevo_objective *objective = zoo_open(zoo_of_animals(), 600);
    opevo_outcome outcome = measure_beside(objective, "endless", 1e-3);

    assert_int_equal(outcome.kind, OPEVO_OUTCOME_TIMEOUT);
    assert_true(outcome.fitness == 0 && outcome.run_s < 100);
    assert_string_equal(outcome.message, "slower than 10 times the best so far, 0.001 s");
    outcome = measure_beside(objective, "right", 1e-9);
    assert_int_equal(outcome.kind, OPEVO_OUTCOME_OK);
    assert_int_equal(outcome.sample_count, 1);
    assert_non_null(
        strstr(outcome.message, "sampled once, as it is slower than 10 times the best"));
    outcome = measure_beside(objective, "right", 0);
    assert_true(outcome.kind == OPEVO_OUTCOME_OK && outcome.sample_count > 1);
    assert_true(!outcome.message || !strstr(outcome.message, "slower"));
    opevo_objective_destroy(objective);
    objective = zoo_open(zoo_of_animals(), 0.5);
    outcome = measure_beside(objective, "sleeper", 1e-3);
    assert_int_equal(outcome.kind, OPEVO_OUTCOME_TIMEOUT);
    assert_string_equal(outcome.message, "took longer than 0.5 s");
    opevo_objective_destroy(objective);
}

static int sent; /* the signal that the next kernel gets */

/* Send it if this is a kernel's process that has computed for .1 s. */
static bool signal_kernel(long id)
{
    char stat[1024];
    char name[64];
    long parent = 0;
    unsigned long ticks = 0;

    read_of_process(id, "stat", stat, sizeof stat);
    if (sscanf(stat, "%*d (opevo-worker) %*c %ld %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu", &parent,
               &ticks) != 2)
        return false;
    read_of_process(parent, "comm", name, sizeof name);
    return !strcmp(name, "opevo-worker\n") && is_ours(parent) &&
           ticks >= (unsigned long)sysconf(_SC_CLK_TCK) / 10 && kill((pid_t)id, sent) == 0;
}

/* A product that takes a second. */
static opevo_status make_slow(const opevo_kernel_maker *self, opevo_index point, opevo_kernel *out,
                              opevo_outcome_class *refused, opevo_text *why, opevo_error *error)
{
    (void)point;
    CHECK_OK(zoo_make(self, animal("right"), out, refused, why, error));
    opevo_text_add(&out->source, "long clock(void);\n"
                                 "void slow(const float *a, const float *b, float *c) {\n"
                                 "  for (long end = clock() + 1000000; clock() < end;) {}\n"
                                 "  kernel(a, b, c); }\n");
    strcpy(out->entry, "slow");
    return opevo_text_check(&out->source, error);
}

/* The outcome of a kernel whose first process gets this signal. */
static opevo_outcome measure_signalled(int signal, double limit_s)
{
    static const opevo_kernel_maker_ops slow = {.make = make_slow, .destroy = zoo_destroy};
    zoo *maker = zoo_of_animals();
    opevo_objective *objective = NULL;
    opevo_outcome outcome;
    pid_t sender = -1;

    sent = signal;
    sender = fork();
    while (sender == 0)
        if (count_processes(signal_kernel))
            _exit(0);
    maker->super.ops = &slow;
    objective = zoo_open(maker, limit_s);
    outcome = measure_beside(objective, "right", 0);
    kill(sender, SIGKILL);
    assert_int_equal(waitpid(sender, NULL, 0), sender);
    opevo_objective_destroy(objective);
    return outcome;
}

/* A stopped kernel waits until its time is over, as it would on a machine without a processor for
 * it, which does not count. */
CHECK_TEST(test_starved)
{
    enum { LIMIT_S = 12 };
    opevo_outcome outcome = measure_signalled(SIGSTOP, LIMIT_S);

    assert_string_equal(opevo_outcome_name(outcome.kind), "ok");
    assert_true(outcome.run_s > LIMIT_S && outcome.sample_count > 0);
}

/* One that a batch system or the system short of memory kills did nothing wrong; one that
 * does it to itself does it again. */
CHECK_TEST(test_killed_by_others)
{
    static const int signals[] = {SIGTERM, SIGKILL};

    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        opevo_outcome outcome = measure_signalled(signals[i], 600);

        assert_string_equal(opevo_outcome_name(outcome.kind), "ok");
        assert_true(outcome.sample_count > 0);
    }
}

/* A worker whose files may not grow says so, and goes on. */
CHECK_TEST(test_file_limit)
{
    opevo_live_options options = opevo_live_defaults();
    opevo_objective *objective = NULL;
    opevo_index point = 0;
    opevo_outcome outcome = opevo_outcome_failed(OPEVO_OUTCOME_OK);
    const char *command = "sh -c 'ulimit -f 0; exec $OPEVO_WORKER cpu'";
    zoo *maker = zoo_of_products(48);
    opevo_error why = {OPEVO_OK, ""};
    const char *said = why.message;

    maker->salt = 2;
    options.workers.commands = &command;
    options.workers.count = 1;
    CHECK_OK(opevo_live_open(&maker->super, &options, &objective, &err));
    if (opevo_objective_evaluate(objective, &point, 1, &outcome, &why) == OPEVO_OK) {
        assert_int_equal(outcome.kind, OPEVO_OUTCOME_BUILD_ERROR);
        said = outcome.message;
    }
    if (!strstr(said, "File too large"))
        fail_msg("%s", said);
    opevo_objective_destroy(objective);
}

/* Descriptors of this process. */
static int descriptors(void)
{
    DIR *all = opendir("/proc/self/fd");
    int count = 0;

    assert_non_null(all);
    while (readdir(all))
        count++;
    closedir(all);
    return count;
}

/* Where the first pipe to a kernel's process can be made and the second cannot, none is left. */
CHECK_TEST(test_no_descriptors)
{
    opevo_i_backend *backend = NULL;
    opevo_i_wire_job job = {.library = true};
    json_t *setup = json_pack("{s:s, s:s, s:i, s:f, s:f, s:f, s:f}", "computation",
                              "A[i:8, k:8]; B[k, j:8]; C[i, j] = sum(k) A[i, k]*B[k, j]", "library",
                              "matmul(8,8,8)", "seed", 1, "build_limit_s", 1.0, "run_limit_s", 5.0,
                              "precision", 0.5, "repeat_s", 0.01);
    struct rlimit before;
    const opevo_i_backend_ops *cpu = NULL;
    const char *which = NULL;
    int count = 0;
    int next = dup(0);

    CHECK_OK(opevo_i_backend_find("cpu", &cpu, &which, &err));
    CHECK_OK(cpu->open(which, &backend, &err));
    CHECK_OK(cpu->setup(backend, setup, &err));
    getrlimit(RLIMIT_NOFILE, &before);
    count = descriptors();
    close(next);
    for (int more = 1; more < 4; more++) {
        opevo_i_wire_result result = {0};
        struct rlimit now = {(rlim_t)(next + more), before.rlim_max};

        setrlimit(RLIMIT_NOFILE, &now);
        cpu->measure(backend, &job, NULL, &result);
        setrlimit(RLIMIT_NOFILE, &before);
        assert_int_not_equal(result.kind, OPEVO_OUTCOME_OK);
        assert_int_equal(descriptors(), count - 1);
        opevo_i_wire_result_clear(&result);
    }
    cpu->close(backend);
    json_decref(setup);
}

/* Become a worker that cannot install filters. */
static int run_without_filters(void)
{
    static struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_SECCOMP, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof code / sizeof *code, .filter = code};
    const char *worker = getenv("OPEVO_WORKER");

    if (worker && !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
        !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        execl(worker, worker, "cpu", (char *)NULL);
    return 1;
}

/* Where kernels cannot be confined none is run, and they have no outcome. */
CHECK_TEST(test_unconfined)
{
    opevo_live_options options = opevo_live_defaults();
    opevo_objective *objective = NULL;
    opevo_index points[2] = {0, 1};
    opevo_outcome outcomes[2];
    const char *command = NULL;
    char path[4096];
    opevo_text own = {0};
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);

    assert_true(length > 0);
    path[length] = '\0';
    opevo_text_printf(&own, "'%s' --without-filters", path);
    command = own.data;
    options.workers.commands = &command;
    options.workers.count = 1;
    CHECK_OK(opevo_live_open(&zoo_of_products(48)->super, &options, &objective, &err));
    CHECK_FAILS(OPEVO_FAULT, "Cannot install the system call filter: Invalid argument.",
                opevo_objective_evaluate(objective, points, 2, outcomes, &err));
    opevo_objective_destroy(objective);
    opevo_text_free(&own);
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "--without-filters"))
        return run_without_filters();

    if (!cache_folder_make())
        return 1;
    return cache_folder_remove(check_tests(NULL, NULL));
}
