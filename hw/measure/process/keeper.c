/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The keeper holds the reading end of a pipe whose only writing end is in the process that started
 * it, so the kernel itself tells it of that process's death. It is a subreaper: a process of the
 * program that becomes an orphan becomes the keeper's child, and is found by asking for children
 * until there are none. Its own parent is one as well, for what a keeper leaves that is killed. */

#include "keeper_internal.h"

#include <opevo/clock.h>
#include <opevo/file.h>
#include <opevo/memory.h>

#include "pipe_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ERROR_LIMIT = 4096, MOST_READS = 256, MOST_PROCESSES = 64, MOST_DEPTH = 8 };
#define LOOK_MS 250 /* how often what waits for a processor is looked for */

/* What a keeper reports ahead of the two texts. */
typedef struct report_head {
    int start_errno, wait_status;
    int timed_out, starved;
    double elapsed_s;
    uint64_t peak_bytes, out_length, error_length;
} report_head;

static int life[2] = {-1, -1}; /* nobody writes to it; its end is the message */

void opevo_i_process_close_pipe(int ends[2])
{
    for (int i = 0; i < 2; i++) {
        if (ends[i] >= 0)
            close(ends[i]);
        ends[i] = -1;
    }
}

bool opevo_i_process_has_ended(pid_t pid)
{
    siginfo_t info = {.si_pid = 0};

    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

/* ---- Orphans -------------------------------------------------------------------------------- */

/* The keepers of this process; all other children have come to it as orphans. */
static struct {
    pid_t *pids;
    size_t count, capacity;
} keepers;

static bool is_keeper(pid_t pid)
{
    for (size_t i = 0; i < keepers.count; i++) {
        if (keepers.pids[i] == pid)
            return true;
    }
    return false;
}

static bool reserve_keeper(void)
{
    void *pids = keepers.pids;
    bool good = opevo_reserve(&pids, &keepers.capacity, keepers.count + 1, sizeof *keepers.pids);

    keepers.pids = pids;
    return good;
}

static void forget_keeper(pid_t pid)
{
    for (size_t i = 0; i < keepers.count; i++) {
        if (keepers.pids[i] == pid)
            keepers.pids[i] = keepers.pids[--keepers.count];
    }
    if (keepers.count)
        return;
    opevo_free(keepers.pids);
    keepers.pids = NULL;
    keepers.capacity = 0;
}

/* Kill the orphans that this process has now; whether there were any. */
static bool kill_some(void)
{
    char path[64];
    FILE *children = NULL;
    char *line = NULL;
    size_t size = 0;
    bool found = false;

    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    children = fopen(path, "re");
    if (!children)
        return false;
    while (getdelim(&line, &size, ' ', children) > 0) {
        pid_t child = (pid_t)strtol(line, NULL, 10);

        if (child <= 0 || is_keeper(child))
            continue;
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        found = true;
    }
    free(line);
    fclose(children);
    return found;
}

/* In a process that is a subreaper: kill the children that are not its keepers, and theirs; such
 * are left by a keeper that was killed. */
static void kill_orphans(void)
{
    while (kill_some())
        continue;
}

void opevo_i_process_keepers_end(void)
{
    opevo_i_process_close_pipe(life);
    for (size_t i = 0; i < keepers.count; i++) {
        while (waitpid(keepers.pids[i], NULL, 0) < 0 && errno == EINTR)
            continue;
    }
    keepers.count = 0;
    forget_keeper(0);
    kill_orphans();
}

void opevo_i_process_program_end_free(opevo_i_process_program_end *end)
{
    opevo_text_free(&end->out);
    opevo_text_free(&end->error);
}

const char *opevo_i_process_program_tail(const opevo_i_process_program_end *end, char *buffer,
                                         size_t size)
{
    const char *text = opevo_text_string(&end->error);
    size_t length = end->error.length;
    size_t start = 0;

    while (length && strchr("\n\r \t", text[length - 1]))
        length--;
    for (start = length; start && text[start - 1] != '\n';)
        start--;
    snprintf(buffer, size, "%s%.*s", length > start ? ": " : "", (int)(length - start),
             text + start);
    return buffer;
}

/* ---- In the program's process, between fork and exec ---------------------------------------- */

static void limit(int resource, uint64_t value)
{
    struct rlimit rule = {.rlim_cur = value, .rlim_max = value};

    setrlimit((__rlimit_resource_t)resource, &rule);
}

static void restore_signals(void)
{
    sigset_t none;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (int i = 1; i < 32; i++)
        signal(i, SIG_DFL);
}

static void become_program(const opevo_i_process_program *program, int out, int error, int failed)
{
    int null = open("/dev/null", O_RDONLY);
    int reason = 0;

    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    restore_signals();
    limit(RLIMIT_CORE, 0);
    if (program->memory_bytes)
        limit(RLIMIT_AS, program->memory_bytes);
    if (program->processor_limit)
        limit(RLIMIT_CPU, (uint64_t)ceil(program->limit_s) + 1);
    dup2(null, 0);
    dup2(out, 1);
    dup2(error, 2);
    execvp(program->argv[0], program->argv);
    reason = errno;
    if (write(failed, &reason, sizeof reason) < 0)
        _exit(126);
    _exit(127);
}

/* ---- In the keeper -------------------------------------------------------------------------- */

typedef struct keeping {
    pid_t pid;
    int out, error; /* what the program prints; -1 when closed */
    int watch;      /* becomes readable when the program ends; -1: not supported */
    double started_s;
    const opevo_i_process_program *program;
    opevo_i_process_program_end end;
    struct {
        pid_t pid;
        double waited_s;    /* for a processor */
    } seen[MOST_PROCESSES]; /* of those that were started, as far as they were looked at */
    size_t seen_count;
} keeping;

/* ---- Waiting for a processor ---- */

/* Where the system does not count it, 0. */
static double waited_s(pid_t pid)
{
    char path[64];
    unsigned long long waited_ns = 0;
    FILE *file = NULL;

    snprintf(path, sizeof path, "/proc/%d/schedstat", (int)pid);
    file = fopen(path, "re");
    if (!file)
        return 0;
    if (fscanf(file, "%*u %llu", &waited_ns) != 1) /* NOLINT(cert-err34-c): of the system */
        waited_ns = 0;
    fclose(file);
    return 1e-9 * (double)waited_ns;
}

static void note_wait(keeping *self, pid_t pid)
{
    size_t i = 0;

    while (i < self->seen_count && self->seen[i].pid != pid)
        i++;
    if (i == MOST_PROCESSES)
        return;
    self->seen[i].pid = pid;
    self->seen[i].waited_s = waited_s(pid);
    self->seen_count += i == self->seen_count;
}

/* The process and those that it started, which wait for each other more than side by side. */
static void note_waits(keeping *self, pid_t pid, int depth)
{
    char path[64];
    FILE *children = NULL;
    int child = 0;

    note_wait(self, pid);
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
    children = depth < MOST_DEPTH ? fopen(path, "re") : NULL;
    while (children && fscanf(children, "%d", &child) == 1) /* NOLINT(cert-err34-c): likewise */
        note_waits(self, child, depth + 1);
    if (children)
        fclose(children);
}

static void note_helper(keeping *self)
{
    FILE *file = self->program->helper ? fopen(self->program->helper, "re") : NULL;
    int helper = 0;

    if (file && fscanf(file, "%d", &helper) == 1) /* NOLINT(cert-err34-c): ours */
        note_waits(self, helper, 0);
    if (file)
        fclose(file);
}

/* Seconds until the time limit, which moves on with what was waited. */
static double left_s(keeping *self)
{
    double elapsed_s = opevo_clock_monotonic_s() - self->started_s;
    double limit_s = self->program->limit_s;
    double waited = 0;

    if (!self->program->waits_apart)
        return limit_s - elapsed_s;
    note_waits(self, self->pid, 0);
    note_helper(self);
    for (size_t i = 0; i < self->seen_count; i++)
        waited += self->seen[i].waited_s;
    self->end.starved = waited > 0.5 * elapsed_s;
    return fmin(limit_s + waited, (double)OPEVO_I_STARVED * limit_s) - elapsed_s;
}

/* Kill the group, whose number stays taken until its leader is reaped; then the leader, and
 * whatever comes to this process as an orphan, until nothing is left. */
static void kill_all(keeping *self)
{
    kill(-self->pid, SIGKILL);
    kill(self->pid, SIGKILL); /* it may have left its group */
    while (waitpid(self->pid, &self->end.wait_status, 0) < 0 && errno == EINTR)
        continue;
    kill_orphans();
}

/* A pipe whose reading end does not block, both ends closed on exec. */
static bool make_pipe(int ends[2])
{
    if (pipe2(ends, O_CLOEXEC) < 0)
        return false;
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    return true;
}

/* Read what is there, but not for ever: who writes without end must not keep the time limit
 * waiting. */
static void drain(int *descriptor, opevo_text *text, size_t most)
{
    opevo_i_process_read got = OPEVO_I_READ_SOME;

    for (int i = 0; i < MOST_READS && *descriptor >= 0 && got == OPEVO_I_READ_SOME; i++)
        got = opevo_i_process_text_read_from(text, *descriptor, most);
    if (*descriptor >= 0 && got == OPEVO_I_READ_END) {
        close(*descriptor);
        *descriptor = -1;
    }
}

/* Start the program; false when that failed, with the reason in `end`. */
static bool launch(keeping *self)
{
    int out[2] = {-1, -1};
    int error[2] = {-1, -1};
    int failed[2] = {-1, -1};
    int reason = 0;

    if (!make_pipe(out) || !make_pipe(error) || pipe2(failed, O_CLOEXEC) < 0) {
        self->end.start_errno = errno;
        opevo_i_process_close_pipe(out);
        opevo_i_process_close_pipe(error);
        return false;
    }
    self->started_s = opevo_clock_monotonic_s();
    self->pid = fork();
    if (self->pid == 0)
        become_program(self->program, out[1], error[1], failed[1]);
    close(out[1]);
    close(error[1]);
    close(failed[1]);
    self->out = out[0];
    self->error = error[0];
    if (self->pid < 0)
        self->end.start_errno = errno;
    else if (read(failed[0], &reason, sizeof reason) == (ssize_t)sizeof reason)
        self->end.start_errno = reason;
    close(failed[0]);
    if (self->pid > 0)
        self->watch = (int)syscall(SYS_pidfd_open, self->pid, 0);
    return self->end.start_errno == 0;
}

/* Wait for output, the program's end, the time limit or the death of who started this. */
static void keep(keeping *self)
{
    bool ended = false;

    while (!ended) {
        struct pollfd wait[4] = {{.fd = self->out, .events = POLLIN},
                                 {.fd = self->error, .events = POLLIN},
                                 {.fd = self->watch, .events = POLLIN},
                                 {.fd = life[0]}};
        double left_ms = 1e3 * left_s(self);
        /* Without a watch: look again and again. */
        double most_ms = self->watch < 0 ? 2 : self->program->waits_apart ? LOOK_MS : 1e6;

        if (left_ms <= 0) {
            self->end.timed_out = true;
            break;
        }
        poll(wait, 4, (int)ceil(fmin(left_ms, most_ms)));
        if (wait[3].revents) {
            kill_all(self);
            _exit(1);
        }
        drain(&self->out, &self->end.out, self->program->output_limit);
        drain(&self->error, &self->end.error, ERROR_LIMIT);
        ended = opevo_i_process_has_ended(self->pid);
    }
    self->end.elapsed_s = opevo_clock_monotonic_s() - self->started_s;
    drain(&self->out, &self->end.out, self->program->output_limit);
    drain(&self->error, &self->end.error, ERROR_LIMIT);
}

/* Threads use up the limit of processor time before that of elapsed time. */
static bool used_up(const opevo_i_process_program *program, const opevo_i_process_program_end *end,
                    const struct rusage *used)
{
    double processor_s = (double)(used->ru_utime.tv_sec + used->ru_stime.tv_sec) +
                         1e-6 * (double)(used->ru_utime.tv_usec + used->ru_stime.tv_usec);

    return program->processor_limit && WIFSIGNALED(end->wait_status) &&
           WTERMSIG(end->wait_status) == SIGKILL && processor_s >= ceil(program->limit_s);
}

static void send_report(const opevo_i_process_program *program,
                        const opevo_i_process_program_end *end, int descriptor)
{
    struct rusage used = {0};
    report_head head = {.start_errno = end->start_errno,
                        .wait_status = end->wait_status,
                        .timed_out = end->timed_out,
                        .starved = end->starved,
                        .elapsed_s = end->elapsed_s,
                        .out_length = end->out.length,
                        .error_length = end->error.length};

    if (getrusage(RUSAGE_CHILDREN, &used) == 0)
        head.peak_bytes = (uint64_t)used.ru_maxrss << 10;
    head.timed_out |= used_up(program, end, &used);
    if (opevo_write_all(descriptor, &head, sizeof head) &&
        opevo_write_all(descriptor, opevo_text_string(&end->out), end->out.length))
        opevo_write_all(descriptor, opevo_text_string(&end->error), end->error.length);
}

static void become_keeper(const opevo_i_process_program *program, int report)
{
    keeping self = {.out = -1, .error = -1, .watch = -1, .program = program};

    signal(SIGPIPE, SIG_IGN);
    setpgid(0, 0); /* who kills the group of the worker leaves the cleaning up to this process */
    close(life[1]);
    keepers.count = 0; /* they are not of this process */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (program->cores) {
        cpu_set_t set;

        CPU_ZERO(&set);
        for (size_t i = 0; i < program->core_count; i++)
            CPU_SET((size_t)program->cores[i], &set);
        sched_setaffinity(0, sizeof set, &set);
    }
    if (launch(&self))
        keep(&self);
    if (self.pid > 0)
        kill_all(&self);
    send_report(program, &self.end, report);
    _exit(0);
}

/* ---- In the process that wants the program run ---------------------------------------------- */

opevo_status opevo_i_process_keeper_start(const opevo_i_process_program *program,
                                          opevo_i_process_keeper *out, opevo_error *err)
{
    int report[2] = {-1, -1};
    pid_t pid = 0;

    OPEVO_NEED_OR_RETURN(reserve_keeper(), "running %s", program->argv[0]);
    if ((life[0] < 0 && pipe2(life, O_CLOEXEC) < 0) || !make_pipe(report))
        return OPEVO_FAIL(err, OPEVO_IO, "Cannot create a pipe to run %s: %s.", program->argv[0],
                          strerror(errno));
    fflush(NULL);
    pid = fork();
    if (pid == 0)
        become_keeper(program, report[1]);
    close(report[1]);
    if (pid < 0) {
        close(report[0]);
        return OPEVO_FAIL(err, OPEVO_IO, "Cannot create a process to run %s: %s.", program->argv[0],
                          strerror(errno));
    }
    keepers.pids[keepers.count++] = pid;
    *out = (opevo_i_process_keeper){.pid = pid, .report = report[0]};
    return OPEVO_OK;
}

static void take_report(const opevo_text *received, opevo_i_process_program_end *end)
{
    report_head head;

    *end = (opevo_i_process_program_end){0};
    if (received->length < sizeof head)
        return;
    memcpy(&head, received->data, sizeof head);
    if (received->length != sizeof head + head.out_length + head.error_length)
        return;
    end->kept = true;
    end->start_errno = head.start_errno;
    end->wait_status = head.wait_status;
    end->timed_out = head.timed_out;
    end->starved = head.starved;
    end->elapsed_s = head.elapsed_s;
    end->peak_bytes = head.peak_bytes;
    opevo_text_add_bytes(&end->out, received->data + sizeof head, head.out_length);
    opevo_text_add_bytes(&end->error, received->data + sizeof head + head.out_length,
                         head.error_length);
}

static void reap(opevo_i_process_keeper *keeper)
{
    while (waitpid(keeper->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    forget_keeper(keeper->pid);
    close(keeper->report);
    opevo_text_free(&keeper->received);
    *keeper = (opevo_i_process_keeper){.report = -1};
}

bool opevo_i_process_keeper_poll(opevo_i_process_keeper *keeper, opevo_i_process_program_end *end)
{
    opevo_i_process_read got = OPEVO_I_READ_SOME;

    while (got == OPEVO_I_READ_SOME)
        got = opevo_i_process_text_read_from(&keeper->received, keeper->report, SIZE_MAX);
    if (got == OPEVO_I_READ_NOTHING)
        return false;
    take_report(&keeper->received, end);
    reap(keeper);
    if (!end->kept)
        kill_orphans();
    return true;
}

void opevo_i_process_keeper_stop(const opevo_i_process_keeper *keeper)
{
    kill(keeper->pid, SIGKILL);
}
