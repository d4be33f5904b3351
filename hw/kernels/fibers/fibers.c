/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Cases in child processes. Parent and child share the buffers and a report; the inputs are the
 * case's own memory, of which the child has a copy, so that it can run several times. The end of a
 * pipe tells the parent that the child has ended. */

#include <opevo/clock.h>
#include <opevo/memory.h>

#include "fiber_link_internal.h"
#include "host_fault_internal.h"
#include "samples_internal.h"
#include "sandbox_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* A child that others killed is run again; one that kills itself does so at each attempt. */
enum { MOST_WINDOWS = 256, PIPE_FILE = 3, GUARD_BYTES = 1 << 20, ATTEMPTS = 2 };

const opevo_fibers_options opevo_fibers_defaults = {
    .windows = 15, .timeout_s = 10, .memory_bytes = (uint64_t)1 << 30};

struct opevo_fibers {
    opevo_fibers_options options;
    opevo_i_fiber_stacks stacks;
    opevo_case_times *times; /* of the base */
};

typedef struct launcher {
    opevo_launcher super;
    opevo_fibers *fibers;
    struct LLVMOrcOpaqueLLJIT *jit;
    bool base;
    unsigned char *memory; /* of the last case: report, then buffers between guards */
    size_t size;
} launcher;

/* What the child says. */
typedef struct report {
    bool complete; /* the child came to its end */
    opevo_status status;
    opevo_error err;
    opevo_evaluation evaluation;
    double elapsed_s[MOST_WINDOWS], processor_s[MOST_WINDOWS];
} report;

opevo_status opevo_fibers_create(const opevo_fibers_options *options, opevo_fibers **out,
                                 opevo_error *err)
{
    opevo_fibers *fibers = opevo_calloc(1, sizeof *fibers);
    opevo_status status = OPEVO_NOMEM;

    if (fibers)
        fibers->times = opevo_case_times_create();
    if (fibers && fibers->times) {
        fibers->options = *options;
        if (fibers->options.windows > MOST_WINDOWS)
            fibers->options.windows = MOST_WINDOWS;
        status = opevo_i_fiber_stacks_create(&fibers->stacks, err);
    } else {
        OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for native kernels.");
    }
    if (status == OPEVO_OK)
        *out = fibers;
    else
        opevo_fibers_destroy(fibers);
    return status;
}

void opevo_fibers_destroy(opevo_fibers *fibers)
{
    if (!fibers)
        return;
    opevo_i_fiber_stacks_release(&fibers->stacks);
    opevo_case_times_destroy(fibers->times);
    opevo_free(fibers);
}

/* ---- Memory ---- */

static size_t pages(size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    return (size + page - 1) / page * page;
}

/* Map the report, and each buffer so that it ends where no access is allowed; tell the case. */
static opevo_status map(launcher *self, opevo_buffer *buffers, size_t count, void **inputs,
                        opevo_error *err)
{
    size_t at = pages(sizeof(report)) + GUARD_BYTES;

    if (self->memory)
        munmap(self->memory, self->size);
    self->size = at;
    for (size_t i = 0; i < count; i++)
        self->size += pages(buffers[i].size_bytes) + GUARD_BYTES;
    self->memory = mmap(NULL, self->size, PROT_NONE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (self->memory == MAP_FAILED) {
        self->memory = NULL;
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the buffers of a case.");
    }
    if (mprotect(self->memory, pages(sizeof(report)), PROT_READ | PROT_WRITE) != 0)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the buffers of a case.");
    for (size_t i = 0; i < count; i++) {
        size_t size = pages(buffers[i].size_bytes);

        if (mprotect(self->memory + at, size, PROT_READ | PROT_WRITE) != 0)
            return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the buffers of a case.");
        inputs[i] = buffers[i].data;
        buffers[i].data = self->memory + at + size - buffers[i].size_bytes;
        at += size + GUARD_BYTES;
    }
    return OPEVO_OK;
}

/* ---- The child ---- */

/* What its signal handler and its launches need; one case runs in a process. */
static struct {
    const launcher *self;
    report *report;
    const opevo_buffer *buffers;
    size_t count;
    const char *kernel;
} child;

/* The buffer whose guards the address is next to; NULL if none. */
static const opevo_buffer *buffer_at(const unsigned char *address)
{
    const unsigned char *memory = child.self->memory;
    const opevo_buffer *nearest = NULL;
    size_t least = SIZE_MAX;

    if (address < memory || address >= memory + child.self->size)
        return NULL;
    for (size_t i = 0; i < child.count; i++) {
        const unsigned char *start = child.buffers[i].data;
        const unsigned char *end = start + child.buffers[i].size_bytes;
        size_t distance = address < start ? (size_t)(start - address) : (size_t)(address - end);

        if (distance < least) {
            least = distance;
            nearest = &child.buffers[i];
        }
    }
    return nearest;
}

static void handle_fault(int number, siginfo_t *info, void *context)
{
    const opevo_buffer *buffer = buffer_at(info->si_addr);
    opevo_evaluation *out = &child.report->evaluation;

    (void)context, (void)number;
    if (!buffer && !opevo_i_fiber_stacks_guard(&child.self->fibers->stacks, info->si_addr)) {
        signal(SIGSEGV, SIG_DFL); /* and it happens again */
        return;
    }
    out->verdict = OPEVO_VERDICT_OUT_OF_BOUNDS;
    /* The process ends here, and this thread is at an access of the kernel: snprintf is safe. */
    snprintf(out->message, sizeof out->message, "%.60s accesses memory outside of %.60s.",
             child.kernel ? child.kernel : "The kernel", buffer ? buffer->name : "its stack");
    child.report->complete = true;
    _exit(0);
}

static void catch_faults(void)
{
    static unsigned char stack[1 << 16];
    struct sigaction action = {.sa_sigaction = handle_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};

    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    sigaction(SIGSEGV, &action, NULL);
}

static opevo_status launch_kernel(void *context, const opevo_grid_launch *launch,
                                  opevo_evaluation *out, opevo_error *err)
{
    const launcher *self = context;
    const uint64_t *size = opevo_i_fiber_symbol(self->jit, "gk_shared_size");
    void *function = opevo_i_fiber_symbol(self->jit, launch->kernel);
    opevo_i_fiber_kernel kernel = {.shared =
                                       size ? opevo_i_fiber_symbol(self->jit, "gk_shared") : NULL,
                                   .shared_bytes = size ? (size_t)*size : 0};

    /* POSIX says that a function's address fits; C has no conversion. */
    memcpy(&kernel.function, &function, sizeof function);
    (void)err;
    child.kernel = launch->kernel;
    if (!kernel.function) {
        out->verdict = OPEVO_VERDICT_UNSUPPORTED;
        snprintf(out->message, sizeof out->message,
                 "The object has no kernel %.60s, or imports an unknown function.", launch->kernel);
        return OPEVO_OK;
    }
    opevo_i_fiber_launch(&self->fibers->stacks, &kernel, launch, child.buffers,
                         &self->fibers->options, out);
    return OPEVO_OK;
}

static void run_windows(launcher *self, opevo_case *what, void *const *inputs)
{
    const opevo_player player = {.context = self, .launch = launch_kernel};
    report *out = child.report;

    for (size_t window = 0; window < self->fibers->options.windows; window++) {
        double wall_s, thread_s;

        for (size_t i = 0; i < child.count; i++) {
            const opevo_buffer *buffer = &child.buffers[i];

            if (buffer->initialised)
                memcpy(buffer->data, inputs[i], buffer->size_bytes);
            else
                memset(buffer->data, 0xff, buffer->size_bytes);
        }
        wall_s = opevo_clock_monotonic_s();
        thread_s = opevo_clock_thread_s();
        out->status = opevo_case_play(what, &player, &out->evaluation, &out->err);
        out->processor_s[window] = opevo_clock_thread_s() - thread_s;
        out->elapsed_s[window] = opevo_clock_monotonic_s() - wall_s;
        if (out->status != OPEVO_OK || out->evaluation.verdict != OPEVO_VERDICT_OK)
            return;
    }
}

static _Noreturn void live(launcher *self, opevo_case *what, void *const *inputs, int end,
                           double timeout_s)
{
    opevo_i_process_limits limits = {.memory_bytes = self->fibers->options.memory_bytes,
                                     .processor_s = 2 * timeout_s + 1,
                                     .threads = 1,
                                     .kept = PIPE_FILE + 1};

    child.self = self;
    child.report = (report *)(void *)self->memory;
    child.buffers = opevo_case_buffers(what, &child.count);
    child.report->status = OPEVO_FAULT;
    if (end != PIPE_FILE && dup2(end, PIPE_FILE) < 0)
        _exit(1);
    child.report->status = opevo_i_process_sandbox_enter(&limits, &child.report->err);
    if (child.report->status == OPEVO_OK)
        child.report->status = opevo_i_process_sandbox_seal(&child.report->err);
    if (child.report->status == OPEVO_OK) {
        catch_faults();
        run_windows(self, what, inputs);
    }
    child.report->complete = true;
    _exit(0);
}

/* ---- The parent ---- */

/* Until the other end of the pipe is closed; false if the time is over. */
static bool wait_end(int pipe, double timeout_s)
{
    double end_s = opevo_clock_monotonic_s() + timeout_s;
    struct pollfd file = {.fd = pipe, .events = POLLIN};

    for (;;) {
        double left_s = end_s - opevo_clock_monotonic_s();
        int count = poll(&file, 1, left_s > 0 ? (int)ceil(left_s * 1e3) : 0);

        if (count != 0 && !(count < 0 && errno == EINTR))
            return true;
        if (left_s <= 0)
            return false;
    }
}

static void set_times(const launcher *self, const report *said, opevo_evaluation *out)
{
    double times[MOST_WINDOWS];
    size_t count = self->fibers->options.windows;

    opevo_i_wire_window_times(said->elapsed_s, said->processor_s, count, times);
    opevo_i_wire_sort(times, count);
    out->time_s = opevo_i_wire_time_of_windows(times, count);
}

/* What the child says, as it may have been overwritten by its kernel: texts end, and what is no
 * status or verdict makes it incomplete. */
static void take_report(const launcher *self, report *out)
{
    memcpy(out, self->memory, sizeof *out);
    out->err.message[sizeof out->err.message - 1] = '\0';
    out->evaluation.message[sizeof out->evaluation.message - 1] = '\0';
    if ((unsigned)out->status > OPEVO_FAULT ||
        (unsigned)out->evaluation.verdict > OPEVO_VERDICT_WRONG)
        out->complete = false;
}

/* What became of the child. */
static opevo_status conclude(const launcher *self, bool in_time, double limit_s, int how,
                             opevo_evaluation *out, opevo_error *err)
{
    report said;

    take_report(self, &said);
    if (said.complete && said.status != OPEVO_OK)
        return OPEVO_FAIL(err, said.status, "%s", said.err.message);
    if (said.complete) {
        *out = said.evaluation;
        if (out->verdict == OPEVO_VERDICT_OK)
            set_times(self, &said, out);
    } else if (!in_time || (WIFSIGNALED(how) && WTERMSIG(how) == SIGXCPU)) {
        out->verdict = OPEVO_VERDICT_TIMEOUT;
        snprintf(out->message, sizeof out->message, "The kernel did not end within %.3g s.",
                 limit_s);
    } else {
        out->verdict = OPEVO_VERDICT_SIGNAL;
        snprintf(out->message, sizeof out->message, "The kernel was ended by signal %d (%s).",
                 WIFSIGNALED(how) ? WTERMSIG(how) : 0,
                 WIFSIGNALED(how) ? strsignal(WTERMSIG(how)) : "it left by itself");
    }
    return OPEVO_OK;
}

/* *killed: whether a signal of others ended it. */
static opevo_status run_child(launcher *self, opevo_case *what, void *const *inputs, bool *killed,
                              opevo_evaluation *out, opevo_error *err)
{
    double most_s = self->fibers->options.timeout_s;
    double limit_s =
        self->base ? most_s : opevo_case_times_limit(self->fibers->times, what, most_s);
    double start_s = opevo_clock_monotonic_s();
    int ends[2], how = 0;
    bool in_time;
    pid_t process;
    opevo_status status;

    *killed = false;
    memset(self->memory, 0, sizeof(report));
    if (pipe2(ends, O_CLOEXEC) < 0)
        return OPEVO_FAIL(err, OPEVO_IO, "No pipe: %s.", strerror(errno));
    process = fork();
    if (process == 0)
        live(self, what, inputs, ends[1], limit_s);
    close(ends[1]);
    if (process < 0) {
        close(ends[0]);
        return OPEVO_FAIL(err, OPEVO_IO, "No process for a kernel: %s.", strerror(errno));
    }
    in_time = wait_end(ends[0], limit_s);
    close(ends[0]);
    if (!in_time)
        kill(process, SIGKILL);
    while (waitpid(process, &how, 0) < 0 && errno == EINTR)
        ;
    *killed = in_time && WIFSIGNALED(how) && opevo_i_process_foreign_signal(WTERMSIG(how));
    status = conclude(self, in_time, limit_s, how, out, err);
    if (status == OPEVO_OK && out->verdict == OPEVO_VERDICT_OK && self->base)
        opevo_case_times_note(self->fibers->times, what, opevo_clock_monotonic_s() - start_s);
    return status;
}

static opevo_status run(opevo_launcher *super, opevo_case *what, opevo_evaluation *out,
                        opevo_error *err)
{
    launcher *self = (launcher *)super;
    size_t count = 0;
    opevo_buffer *buffers = opevo_case_buffers(what, &count);
    void **inputs = opevo_calloc(count, sizeof *inputs);
    bool killed = true;
    opevo_status status;

    OPEVO_NEED_OR_RETURN(inputs, "the buffers of a case");
    for (size_t i = 0; i < count && out->verdict == OPEVO_VERDICT_OK; i++) {
        if (!buffers[i].symbol)
            continue;
        out->verdict = OPEVO_VERDICT_UNSUPPORTED;
        snprintf(out->message, sizeof out->message,
                 "Variables of the module, such as %.60s, are not filled in native code; use --on "
                 "simt.",
                 buffers[i].symbol);
        killed = false;
    }
    status = map(self, buffers, count, inputs, err);
    for (int attempt = 0; status == OPEVO_OK && killed && attempt < ATTEMPTS; attempt++)
        status = run_child(self, what, inputs, &killed, out, err);
    opevo_free(inputs);
    return status;
}

static void destroy(opevo_launcher *super)
{
    launcher *self = (launcher *)super;

    if (self->memory)
        munmap(self->memory, self->size);
    opevo_i_fiber_unlink(self->jit);
    opevo_free(self);
}

opevo_status opevo_fibers_launcher(opevo_fibers *fibers, const void *object, size_t size, bool base,
                                   opevo_launcher **out, opevo_error *err)
{
    static const opevo_launcher_ops ops = {.name = "cpu", .run = run, .destroy = destroy};
    launcher *self = opevo_calloc(1, sizeof *self);
    opevo_status status;

    OPEVO_NEED_OR_RETURN(self, "a native kernel");
    *self = (launcher){.super.ops = &ops, .fibers = fibers, .base = base};
    status = opevo_i_fiber_link(object, size, &self->jit, err);
    if (status != OPEVO_OK) {
        opevo_free(self);
        return status;
    }
    (void)opevo_i_fiber_symbol(self->jit, "gk_shared"); /* links it here, not in each child */
    *out = &self->super;
    return OPEVO_OK;
}
