/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The process of a kernel as the worker has it. The time of an order is that between two readings
 * of the clocks here, less what an order costs that asks for nothing, which was found before the
 * object was loaded: some microseconds, with a spread of a tenth of one. */

#include "cpu_internal.h"

#include <opevo/clock.h>
#include <opevo/file.h>

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend_internal.h"
#include "host_fault_internal.h"
#include "keeper_internal.h"

enum { IDLE_ORDERS = 15, OUT_OF_THE_WAY = 64 };
#define CONFINE_S 10 /* for a process that can only give up rights */
#define DYING_S 1    /* between the end of its descriptors and its own */
#define RESOLUTION_S 1e-9
#define IDLE_MOST_S 2e-5 /* an order that costs more has waited for others */

/* Its processor time: with several threads it says nothing of how long they took together, and
 * elapsed time stands in its place. */
static opevo_i_cpu_cost read_clocks(const opevo_i_cpu_process *self)
{
    double wall_s = opevo_clock_monotonic_s();
    struct timespec spent;

    if (self->plan->threads > 1 || clock_gettime(self->clock, &spent) != 0)
        return (opevo_i_cpu_cost){wall_s, wall_s};
    return (opevo_i_cpu_cost){wall_s, (double)spent.tv_sec + 1e-9 * (double)spent.tv_nsec};
}

/* ---- Orders and answers --------------------------------------------------------------------- */

void opevo_i_cpu_process_send(opevo_i_cpu_process *self, opevo_i_cpu_task task, uint32_t set,
                              uint64_t count)
{
    uint64_t token = 0;

    /* Where there are no random numbers the time serves, which the process does not know either. */
    if (getrandom(&token, sizeof token, 0) < 0)
        token = (uint64_t)(1e9 * opevo_clock_monotonic_s());
    self->order =
        (opevo_i_cpu_order){.token = token, .task = (uint32_t)task, .set = set, .count = count};
    self->loaded |= task == OPEVO_I_CPU_LOAD;
    self->begun = read_clocks(self);
    /* What cannot be written shows when the answer is awaited: then the process is gone. */
    (void)opevo_write_all(self->to, &self->order, sizeof self->order);
}

/* A letter that may come at this point, 0 for anything else. */
static char accept(opevo_i_cpu_process *self, const opevo_i_cpu_answer *answer, size_t length)
{
    const size_t head = offsetof(opevo_i_cpu_answer, words);
    bool known = length >= head && answer->token == self->order.token &&
                 (answer->letter == 'd' || answer->letter == 'r'
                      ? length == head
                      : answer->letter == 'l' || (answer->letter == 'h' && !self->loaded));

    if (!known) {
        self->garbled = length > 0;
        return 0;
    }
    memcpy(self->words, answer->words, length - head);
    self->words[length - head] = '\0';
    return answer->letter == 'r' ? 'd' : answer->letter;
}

char opevo_i_cpu_process_await(opevo_i_cpu_process *self, double limit_s, opevo_i_cpu_cost *cost)
{
    double deadline = opevo_clock_monotonic_s() + limit_s;

    for (;;) {
        struct pollfd wait[2] = {{.fd = self->from, .events = POLLIN},
                                 {.fd = OPEVO_I_ENGINE_FD, .events = POLLIN}};
        double left_s = deadline - opevo_clock_monotonic_s();
        opevo_i_cpu_answer answer;

        if (left_s <= 0)
            return 't';
        poll(wait, 2, (int)ceil(1e3 * left_s));
        if (wait[1].revents & ~POLLIN)
            kill(self->pid, SIGKILL);
        if (opevo_i_backend_check_engine(wait[1].revents))
            kill(self->pid, SIGKILL); /* which shows as its end */
        if (wait[0].revents) {
            ssize_t got = read(self->from, &answer, sizeof answer);

            if (cost)
                *cost = opevo_i_cpu_process_so_far(self);
            return accept(self, &answer, got > 0 ? (size_t)got : 0);
        }
    }
}

char opevo_i_cpu_process_ask(opevo_i_cpu_process *self, opevo_i_cpu_task task, uint32_t set,
                             uint64_t count, double limit_s, opevo_i_cpu_cost *cost)
{
    opevo_i_cpu_process_send(self, task, set, count);
    return opevo_i_cpu_process_await(self, limit_s, cost);
}

/* A clock too coarse for what was done says nothing. No less time has passed than was worked. */
opevo_i_cpu_cost opevo_i_cpu_process_so_far(const opevo_i_cpu_process *self)
{
    opevo_i_cpu_cost now = read_clocks(self);
    double wall_s = fmax(now.wall_s - self->begun.wall_s - self->idle.wall_s, RESOLUTION_S);
    double processor_s = now.processor_s - self->begun.processor_s;

    if (!(processor_s > 0))
        return (opevo_i_cpu_cost){wall_s, wall_s};
    processor_s = fmax(processor_s - self->idle.processor_s, RESOLUTION_S);
    return (opevo_i_cpu_cost){fmax(wall_s, processor_s), processor_s};
}

bool opevo_i_cpu_process_has_waited(const opevo_i_cpu_process *self)
{
    struct timespec spent;

    return clock_gettime(self->clock, &spent) == 0 &&
           (double)spent.tv_sec + 1e-9 * (double)spent.tv_nsec < self->plan->run_limit_s / 2;
}

/* ---- Beginning and ending ------------------------------------------------------------------- */

/* The least of some: what is subtracted from times must be in all of them, which waiting for others
 * is not. */
static char find_idle_costs(opevo_i_cpu_process *self)
{
    opevo_i_cpu_cost least = {IDLE_MOST_S, IDLE_MOST_S};

    for (size_t i = 0; i < IDLE_ORDERS; i++) {
        opevo_i_cpu_cost cost;
        char letter = opevo_i_cpu_process_ask(self, OPEVO_I_CPU_RUN, 0, 0, CONFINE_S, &cost);

        if (letter != 'd')
            return letter;
        least.wall_s = fmin(least.wall_s, cost.wall_s);
        least.processor_s = fmin(least.processor_s, cost.processor_s);
    }
    self->idle = least;
    return 'd';
}

char opevo_i_cpu_process_start(const opevo_i_cpu_plan *plan, const char *object, const char *entry,
                               const opevo_i_reference_operands *sets, opevo_i_cpu_process *out)
{
    int up[2] = {-1, -1};
    int down[2] = {-1, -1};
    char letter = 0;

    *out = (opevo_i_cpu_process){.plan = plan, .pid = -1, .from = -1, .to = -1};
    if (pipe2(up, O_CLOEXEC) == 0 && pipe2(down, O_CLOEXEC) == 0)
        out->pid = fork();
    if (out->pid < 0) {
        out->status = errno;
        opevo_i_process_close_pipe(up);
        opevo_i_process_close_pipe(down);
        return 0;
    }
    if (out->pid == 0) {
        int safe_up = fcntl(up[1], F_DUPFD, OUT_OF_THE_WAY);
        int safe_down = fcntl(down[0], F_DUPFD, OUT_OF_THE_WAY);

        dup2(safe_down, OPEVO_I_CPU_FROM);
        dup2(safe_up, OPEVO_I_CPU_TO);
        opevo_i_cpu_child(plan, object, entry, sets);
    }
    close(up[1]);
    close(down[0]);
    out->from = up[0];
    out->to = down[1];
    clock_getcpuclockid(out->pid, &out->clock);
    letter = opevo_i_cpu_process_await(out, CONFINE_S, NULL);
    return letter == 'd' ? find_idle_costs(out) : letter;
}

void opevo_i_cpu_process_stop(opevo_i_cpu_process *self)
{
    int status = 0;

    if (self->over || self->stopped) /* it would not stop a second time */
        return;
    kill(self->pid, SIGSTOP);
    while (waitpid(self->pid, &status, WUNTRACED) < 0 && errno == EINTR)
        continue;
    self->over = !WIFSTOPPED(status);
    self->stopped = true;
    self->status = status;
}

void opevo_i_cpu_process_continue(opevo_i_cpu_process *self)
{
    self->stopped = false;
    if (!self->over)
        kill(self->pid, SIGCONT);
}

/* A process that dies closes its descriptors first. */
static void await_death(const opevo_i_cpu_process *self)
{
    double deadline = opevo_clock_monotonic_s() + DYING_S;
    const struct timespec nap = {.tv_nsec = 200000};

    while (!opevo_i_process_has_ended(self->pid) && opevo_clock_monotonic_s() < deadline)
        nanosleep(&nap, NULL);
}

void opevo_i_cpu_process_end(opevo_i_cpu_process *self)
{
    struct pollfd gone = {.fd = self->from, .events = POLLIN};

    if (!self->over) {
        poll(&gone, 1, 0);
        if (gone.revents & POLLHUP)
            await_death(self);
        self->over = opevo_i_process_has_ended(self->pid);
        kill(self->pid, SIGKILL); /* does nothing to what has ended */
        while (waitpid(self->pid, &self->status, 0) < 0 && errno == EINTR)
            continue;
    }
    close(self->from);
    close(self->to);
}

bool opevo_i_cpu_process_was_killed(const opevo_i_cpu_process *self)
{
    return self->over && !self->garbled && WIFSIGNALED(self->status) &&
           opevo_i_process_foreign_signal(WTERMSIG(self->status));
}

void opevo_i_cpu_process_describe_death(const opevo_i_cpu_process *process,
                                        opevo_i_wire_result *result)
{
    int number = WIFSIGNALED(process->status) ? WTERMSIG(process->status) : 0;

    if (process->garbled)
        opevo_i_wire_result_fail(result, OPEVO_OUTCOME_CRASHED,
                                 "wrote to descriptors that are not its own");
    else if (!process->over)
        opevo_i_wire_result_fail(result, OPEVO_OUTCOME_CRASHED,
                                 "closed descriptors that are not its own");
    else if (number == SIGXCPU)
        opevo_i_wire_result_fail(result, OPEVO_OUTCOME_TIMEOUT, "used up its CPU time");
    else if (number == SIGSYS)
        opevo_i_wire_result_fail(result, OPEVO_OUTCOME_CRASHED,
                                 "tried to start or signal another process");
    else if (number)
        opevo_i_wire_result_fail(result, OPEVO_OUTCOME_CRASHED, "killed by signal %d (%s)", number,
                                 strsignal(number));
    else
        opevo_i_wire_result_fail(result, OPEVO_OUTCOME_CRASHED, "exited by itself with status %d",
                                 WEXITSTATUS(process->status));
}

void opevo_i_cpu_describe(const opevo_i_cpu_plan *plan, const opevo_i_wire_job *job, char letter,
                          const opevo_i_cpu_process *process, opevo_i_wire_result *result)
{
    if (letter == 'l')
        opevo_i_wire_result_fail(result, OPEVO_OUTCOME_LAUNCH_ERROR, "%s", process->words);
    else if (letter == 'h')
        opevo_i_wire_result_fault(result, "%s", process->words);
    else if (letter == 's')
        opevo_i_wire_result_fail(result, OPEVO_OUTCOME_TIMEOUT, OPEVO_I_SLOWER, job->slower,
                                 job->best_s);
    else if (letter == 't')
        opevo_i_wire_result_fail(result, OPEVO_OUTCOME_TIMEOUT, "took longer than %g s",
                                 plan->run_limit_s);
    else if (letter == 0)
        opevo_i_cpu_process_describe_death(process, result);
}
