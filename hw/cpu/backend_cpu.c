/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels in C on the processors of this machine. Each is loaded and run in a process forked for
 * it, while the worker itself waits; the worker alone knows the right result. */

#include "backend_internal.h"

#include <opevo/clock.h>
#include <opevo/hash.h>
#include <opevo/memory.h>
#include <opevo/parallel.h>
#include <opevo/reference.h>

#include <cblas.h>

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cpu_internal.h"
#include "keeper_internal.h"
#include "rapl_internal.h"
#include "result_reader_internal.h"
#include "samples_internal.h"
#include "sandbox_internal.h"

#define MEMORY_LIMIT ((uint64_t)4 << 30)
#define DISTURBED 1.15 /* calibration against its usual value */
#define COUNTER_S 1e-3 /* after which the counters of energy are renewed */
enum { TURNS = 3, HISTORY = 32 };

extern const opevo_i_backend_ops opevo_i_backend_cpu;

typedef struct cpu_backend {
    opevo_i_backend super;
    opevo_i_operands operands;
    opevo_i_guarded report; /* an opevo_i_cpu_report, shared */
    opevo_i_cpu_plan plan;
    int cores[CPU_SETSIZE];
    const char *compiler;
    double history[HISTORY]; /* calibrations, the last ones */
    size_t calibrations;
    opevo_i_rapl rapl;
    double power_w; /* of all packages, mean over the last measurement; NAN: not known */
} cpu_backend;

/* ---- Opening -------------------------------------------------------------------------------- */

/* The last processors are for measuring, one for each thread, the others for building. False where
 * there are too few. */
static bool share_cores(cpu_backend *self, size_t threads)
{
    size_t count = opevo_i_cpu_share(self->cores, threads);

    self->plan.core = -1;
    if (count < threads)
        return threads == 1;
    self->plan.core = self->cores[count - 1];
    self->plan.cores = self->cores + (count - threads);
    self->super.core_count = count - threads;
    self->super.cores = count > threads ? self->cores : NULL;
    return true;
}

static opevo_status set_threads(cpu_backend *self, const json_t *threads, opevo_error *err)
{
    json_int_t count = threads ? json_integer_value(threads) : 1;

    if (count < 1 || count > CPU_SETSIZE || !share_cores(self, (size_t)count))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "A kernel of %lld threads needs as many processors, and this process may "
                          "use %u.",
                          (long long)count, opevo_processor_count());
    self->super.threads = (unsigned)count;
    /* OpenMP does not survive a fork once it has had threads, and the kernel is run in one: the
     * reference gets one. */
    if (count > 1 && openblas_get_parallel() == OPENBLAS_OPENMP)
        openblas_set_num_threads(1);
    return OPEVO_OK;
}

static opevo_status open_backend(unsigned ordinal, opevo_i_backend **out, opevo_error *err)
{
    cpu_backend *self = NULL;
    opevo_text why = {0};

    if (ordinal > 0)
        return OPEVO_FAIL(err, OPEVO_INVALID, "cpu is one device; give cpu without a number.");
    if (!opevo_i_filter_present())
        return OPEVO_FAIL(err, OPEVO_IO, "cpu: " OPEVO_I_NO_FILTER ".");
    self = opevo_calloc(1, sizeof *self);
    if (!self)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a worker.");
    self->super.ops = &opevo_i_backend_cpu;
    self->compiler = getenv("OPEVO_CC");
    if (!self->compiler)
        self->compiler = "cc";
    self->super.build_memory_bytes = OPEVO_I_BUILD_MEMORY;
    (void)share_cores(self, 1);
    opevo_i_rapl_find(OPEVO_I_POWERCAP, &self->rapl, &why);
    opevo_text_free(&why);
    opevo_i_cpu_title(self->super.device, sizeof self->super.device);
    *out = &self->super;
    return OPEVO_OK;
}

static void close_backend(opevo_i_backend *backend)
{
    cpu_backend *self = (cpu_backend *)backend;

    opevo_i_operands_free(&self->operands);
    opevo_i_guarded_free(&self->report);
    opevo_free(self);
}

static opevo_status setup(opevo_i_backend *backend, const json_t *message, opevo_error *err)
{
    cpu_backend *self = (cpu_backend *)backend;
    json_int_t seed = json_integer_value(json_object_get(message, "seed"));
    opevo_workload *work = NULL;
    opevo_status status = OPEVO_OK;

    backend->build_limit_s = json_number_value(json_object_get(message, "build_limit_s"));
    self->plan.run_limit_s = json_number_value(json_object_get(message, "run_limit_s"));
    self->plan.precision = json_number_value(json_object_get(message, "precision"));
    self->plan.repeat_s = json_number_value(json_object_get(message, "repeat_s"));
    self->plan.least_s = opevo_i_setup_least_s(message, COUNTER_S);
    self->plan.cold = json_is_true(json_object_get(message, "cold"));
    self->plan.memory_bytes = MEMORY_LIMIT;
    if (!(backend->build_limit_s > 0) || !(self->plan.run_limit_s > 0) ||
        !(self->plan.precision > 0) || !(self->plan.repeat_s > 0))
        return OPEVO_FAIL(err, OPEVO_INVALID, "The setup lacks an operator, a limit or a bound.");
    OPEVO_TRY(set_threads(self, json_object_get(message, "threads"), err));
    OPEVO_TRY(opevo_i_guarded_create(sizeof(opevo_i_cpu_report), true, &self->report, err));
    OPEVO_TRY(opevo_i_setup_workload(message, &work, err));
    OPEVO_TRY(opevo_i_operands_create(work, (uint64_t)seed, opevo_i_worker_reference,
                                      &self->operands, err));
    backend->reference_s = self->operands.reference_s;
    backend->unbounded = self->operands.unbounded;
    /* A forked process that says so itself starts a thread by it. */
    openblas_set_num_threads(1);
cleanup:
    return status;
}

static opevo_status build_command(const opevo_i_backend *backend, const opevo_i_job *job,
                                  const char *source, const char *object, opevo_i_arguments *out,
                                  opevo_error *err)
{
    const cpu_backend *self = (const cpu_backend *)backend;
    const char *const words[] = {self->compiler, OPEVO_KERNEL_C_FLAGS,
                                 "-fPIC",        "-shared",
                                 "-pipe",        "-w",
                                 "-o",           object,
                                 source,         OPEVO_KERNEL_C_PARALLEL_FLAG};
    size_t count = sizeof words / sizeof *words - !job->kernel.parallel;

    for (size_t i = 0; i < count; i++) {
        if (!opevo_i_arguments_add(out, words[i], strlen(words[i])))
            return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a command.");
    }
    return OPEVO_OK;
}

/* ---- One process ---------------------------------------------------------------------------- */

typedef struct child {
    pid_t pid;
    int from, to; /* pipes: its letters, and the worker's */
} child;

/* False, with errno, when the host has no pipes or no process. */
static bool launch(cpu_backend *self, const opevo_i_cpu_plan *plan, const opevo_i_job *job,
                   const char *object, child *out)
{
    opevo_i_cpu_report *report = (opevo_i_cpu_report *)(void *)self->report.data;
    int up[2] = {-1, -1};
    int down[2] = {-1, -1};

    memset(report, 0, sizeof *report);
    out->pid = -1;
    if (pipe2(up, O_CLOEXEC) == 0 && pipe2(down, O_CLOEXEC) == 0)
        out->pid = fork();
    if (out->pid < 0) {
        int reason = errno;

        opevo_i_close_pipe(up);
        opevo_i_close_pipe(down);
        errno = reason;
        return false;
    }
    if (out->pid == 0) {
        int safe_up = fcntl(up[1], F_DUPFD, 64); /* out of the way of 3 and 4 */
        int safe_down = fcntl(down[0], F_DUPFD, 64);

        dup2(safe_down, OPEVO_I_CPU_FROM);
        dup2(safe_up, OPEVO_I_CPU_TO);
        opevo_i_cpu_child(plan, object, job->kernel.entry, &self->operands, report);
    }
    close(up[1]);
    close(down[0]);
    out->from = up[0];
    out->to = down[1];
    return true;
}

/* Its next letter; 0 when it died, 't' when the time was over. */
static char await(const child *process, double limit_s)
{
    double deadline = opevo_clock_monotonic_s() + limit_s;
    char letter = 0;

    for (;;) {
        struct pollfd wait[2] = {{.fd = process->from, .events = POLLIN},
                                 {.fd = OPEVO_I_ENGINE_FD}};
        double left_s = deadline - opevo_clock_monotonic_s();

        if (left_s <= 0)
            return 't';
        poll(wait, 2, (int)ceil(1e3 * left_s));
        if (wait[1].revents) {
            kill(process->pid, SIGKILL);
            opevo_i_end_with_engine();
        }
        if (wait[0].revents)
            return read(process->from, &letter, 1) == 1 ? letter : 0;
    }
}

/* For how long its first execution has run at least, by the clock that says less: it may have
 * waited for others. */
static double first_so_far_s(const opevo_i_cpu_report *report, const opevo_i_cpu_plan *plan,
                             const child *process)
{
    double begun_s = report->begun_s;
    struct timespec spent;
    clockid_t clock;

    if (begun_s == 0 || clock_getcpuclockid(process->pid, &clock) != 0 ||
        clock_gettime(clock, &spent) != 0)
        return 0;
    return fmin(opevo_clock_monotonic_s() - begun_s,
                ((double)spent.tv_sec + 1e-9 * (double)spent.tv_nsec - report->begun_processor_s) /
                    (plan->threads > 1 ? plan->threads : 1));
}

/* The letter after its first execution; 's' when that is certainly slower than is worth it. What
 * does not cost more than sampling does is awaited. Half a second is for all before the
 * execution. */
static char await_first(const opevo_i_cpu_report *report, const opevo_i_cpu_plan *plan,
                        const child *process)
{
    double slow_s = fmax(plan->slow_s, plan->repeat_s);
    double deadline = opevo_clock_monotonic_s() + plan->run_limit_s + 0.5;
    double left_s = fmin(slow_s, plan->run_limit_s + 0.5);
    char letter = await(process, left_s);

    while (letter == 't' && opevo_clock_monotonic_s() < deadline) {
        left_s = slow_s - first_so_far_s(report, plan, process);
        if (left_s <= 0)
            return 's';
        letter = await(process, fmin(left_s, deadline - opevo_clock_monotonic_s()));
    }
    return letter;
}

/* Its wait status. */
static int end_child(const child *process)
{
    int status = 0;

    kill(process->pid, SIGKILL); /* does nothing to what has ended */
    while (waitpid(process->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    close(process->from);
    close(process->to);
    return status;
}

static void describe_death(opevo_i_result *result, int status)
{
    int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

    if (number == SIGXCPU)
        opevo_i_result_fail(result, OPEVO_OUTCOME_TIMEOUT, "used up its CPU time");
    else if (number == SIGSYS)
        opevo_i_result_fail(result, OPEVO_OUTCOME_CRASHED,
                            "tried to start or signal another process");
    else if (number)
        opevo_i_result_fail(result, OPEVO_OUTCOME_CRASHED, "killed by signal %d (%s)", number,
                            strsignal(number));
    else
        opevo_i_result_fail(result, OPEVO_OUTCOME_CRASHED, "exited by itself with status %d",
                            WEXITSTATUS(status));
}

/* Whether what it computed is right, and nothing beside it was written to. */
static bool check(cpu_backend *self, opevo_i_result *result)
{
    double start = opevo_clock_monotonic_s();
    opevo_text why = {0};
    const opevo_i_operands *operands = &self->operands;
    bool right = true;

    for (int i = operands->list.inputs; i < operands->list.count && right; i++) {
        right = opevo_i_operands_check(operands, i, opevo_i_floats(&operands->memory[i]), &why);
        if (right && !opevo_i_guarded_intact(&operands->memory[i])) {
            opevo_text_add(&why, "it wrote outside its output");
            right = false;
        }
    }
    if (!right)
        opevo_i_result_fail(result, OPEVO_OUTCOME_WRONG, "%s", opevo_text_string(&why));
    opevo_text_free(&why);
    result->check_s += opevo_clock_monotonic_s() - start;
    return right;
}

/* The pattern around an output is restored by making it anew. */
static void renew_outputs(opevo_i_operands *operands)
{
    for (int i = operands->list.inputs; i < operands->list.count; i++) {
        opevo_i_guarded *output = &operands->memory[i];
        opevo_i_guarded fresh;

        if (!opevo_i_guarded_intact(output) &&
            opevo_i_guarded_create(output->bytes, true, &fresh, NULL) == OPEVO_OK) {
            opevo_i_guarded_free(output);
            *output = fresh;
        }
    }
}

/* Let it take its samples, and note the power meanwhile, where that is long enough to say
 * something. */
static char await_samples(cpu_backend *self, const opevo_i_cpu_plan *plan, const child *process)
{
    double start = opevo_clock_monotonic_s();
    double elapsed_s = 0, spent_j = 0;
    char letter = 0;

    (void)opevo_i_rapl_spent_j(&self->rapl);
    if (write(process->to, "g", 1) == 1)
        letter = await(process, plan->run_limit_s + 2 * plan->repeat_s + plan->least_s + 0.5);
    spent_j = opevo_i_rapl_spent_j(&self->rapl);
    elapsed_s = opevo_clock_monotonic_s() - start;
    self->power_w = elapsed_s >= 10 * COUNTER_S ? spent_j / elapsed_s : NAN;
    return letter;
}

/* From its first letter on; true when there are samples to take. */
static bool converse(cpu_backend *self, const opevo_i_cpu_plan *plan, const opevo_i_job *job,
                     const child *process, opevo_i_result *result)
{
    const opevo_i_cpu_report *report = (const opevo_i_cpu_report *)(void *)self->report.data;
    char letter = await_first(report, plan, process);
    bool once = false;

    if (letter == 'c' && report->first_s > plan->run_limit_s)
        letter = 't';
    if (letter == 'c') {
        if (!check(self, result))
            return false;
        once = !plan->brief && report->first_s >= plan->repeat_s;
        if (!once)
            opevo_i_operands_poison(&self->operands);
        letter = await_samples(self, plan, process);
    }
    if (letter == 'd')
        return check(self, result);
    if (letter == 'l')
        opevo_i_result_fail(result, OPEVO_OUTCOME_LAUNCH_ERROR, "%s", report->failure);
    else if (letter == 'h')
        opevo_i_result_fault(result, "%s", report->failure);
    else if (letter == 's')
        opevo_i_result_fail(result, OPEVO_OUTCOME_TIMEOUT, OPEVO_I_SLOWER, job->slower,
                            job->best_s);
    else if (letter == 't')
        opevo_i_result_fail(result, OPEVO_OUTCOME_TIMEOUT, "took longer than %g s",
                            plan->run_limit_s);
    else
        result->kind = OPEVO_OUTCOME_CRASHED; /* described once it is known how it died */
    return false;
}

/* Start the process; false when the host cannot. */
static bool begin(cpu_backend *self, const opevo_i_cpu_plan *plan, const opevo_i_job *job,
                  const char *object, child *process, opevo_i_result *result)
{
    if (object && access(object, R_OK) < 0) {
        opevo_i_result_fault(result, "%s: %s", object, strerror(errno));
        return false;
    }
    if (!launch(self, plan, job, object, process)) {
        opevo_i_result_fault(result, "cannot create a process for a kernel: %s", strerror(errno));
        return false;
    }
    return true;
}

/* Measure once; true when the report holds samples. */
static bool measure_once(cpu_backend *self, const opevo_i_cpu_plan *plan, const opevo_i_job *job,
                         const char *object, opevo_i_result *result)
{
    child process;
    double start = opevo_clock_monotonic_s();
    double checked = result->check_s;
    bool good = false;
    int status = 0;

    renew_outputs(&self->operands);
    opevo_i_operands_poison(&self->operands);
    if (!begin(self, plan, job, object, &process, result))
        return false;
    result->kind = OPEVO_OUTCOME_OK;
    good = converse(self, plan, job, &process, result);
    status = end_child(&process);
    if (result->kind == OPEVO_OUTCOME_CRASHED)
        describe_death(result, status);
    result->run_s += opevo_clock_monotonic_s() - start - (result->check_s - checked);
    return good;
}

/* ---- Interference --------------------------------------------------------------------------- */

/* The usual calibration: the median of the last ones. */
static double usual_calibration(const cpu_backend *self)
{
    double sorted[HISTORY];
    size_t count = self->calibrations < HISTORY ? self->calibrations : HISTORY;

    if (!count)
        return INFINITY;
    memcpy(sorted, self->history, count * sizeof *sorted);
    opevo_i_sort(sorted, count);
    return opevo_i_median(sorted, count);
}

static void remember(cpu_backend *self, double calibration)
{
    self->history[self->calibrations++ % HISTORY] = calibration;
}

/* A report as it can be trusted: the kernel ran in the process that wrote it. */
static bool is_sound(const opevo_i_cpu_report *report)
{
    if (report->sample_count == 0 || report->sample_count > OPEVO_I_CPU_SAMPLES)
        return false;
    for (uint64_t i = 0; i < report->sample_count; i++) {
        if (!opevo_i_range_has(OPEVO_I_TIME_RANGE, report->samples_s[i]) ||
            !opevo_i_range_has(OPEVO_I_TIME_RANGE, report->processor_s[i]))
            return false;
    }
    return true;
}

/* Keep the windows of the report. */
static bool take(const cpu_backend *self, const opevo_i_job *job, opevo_i_result *result)
{
    const opevo_i_cpu_report *report = (const opevo_i_cpu_report *)(const void *)self->report.data;

    result->sample_count = 0;
    opevo_free(result->processor_s);
    result->processor_s = NULL;
    result->processor_capacity = 0;
    for (uint64_t i = 0; i < report->sample_count; i++) {
        bool added = report->other_threads ? opevo_i_result_add(result, report->samples_s[i])
                                           : opevo_i_result_add_window(result, report->samples_s[i],
                                                                       report->processor_s[i]);

        if (!added)
            return false;
    }
    opevo_text_clear(&result->message);
    if (report->slow)
        opevo_text_printf(&result->message, "sampled once, as it is " OPEVO_I_SLOWER, job->slower,
                          job->best_s);
    if (job->library)
        opevo_text_printf(&result->message, "OpenBLAS, its kernels for %s, %s",
                          opevo_reference_blas_core(),
                          opevo_reference_blas_routine(self->operands.work->library));
    if (job->library && self->super.threads > 1)
        opevo_text_printf(&result->message, ", on %u threads", self->super.threads);
    if (report->pack_s > 0)
        opevo_text_printf(&result->message, "%spacking constants took %.3g ms, not counted",
                          result->message.length ? "; " : "", 1e3 * report->pack_s);
    return true;
}

/* Of one execution: the power of the packages, with all that runs on them, for its time. */
static double energy_of(const cpu_backend *self, const opevo_i_cpu_report *report)
{
    double sum_s = 0;

    for (uint64_t i = 0; i < report->sample_count; i++)
        sum_s += report->samples_s[i];
    return isnan(self->power_w) ? 0 : self->power_w * sum_s / (double)report->sample_count;
}

static void measure(opevo_i_backend *backend, const opevo_i_job *job, const char *object,
                    opevo_i_result *result)
{
    cpu_backend *self = (cpu_backend *)backend;
    const opevo_i_cpu_report *report = (const opevo_i_cpu_report *)(void *)self->report.data;
    opevo_i_cpu_plan plan = self->plan;
    double best = INFINITY; /* calibration of the measurement that is kept */

    if (job->library && !self->operands.work->library) {
        opevo_i_result_fail(result, OPEVO_OUTCOME_LAUNCH_ERROR, "%s", OPEVO_I_NO_LIBRARY);
        return;
    }
    plan.brief = job->brief;
    plan.threads = job->kernel.parallel || job->library ? self->super.threads : 1;
    plan.slow_s = opevo_i_job_slow_s(job);
    plan.kernel = &job->kernel;
    for (int turn = 0; turn < TURNS; turn++) {
        double slower = 0;
        double limit = DISTURBED * usual_calibration(self);

        if (!measure_once(self, &plan, job, object, result))
            return;
        if (!is_sound(report)) {
            opevo_i_result_fail(result, OPEVO_OUTCOME_CRASHED, "it overwrote the measurements");
            return;
        }
        slower = fmax(report->calibration_s[0], report->calibration_s[1]);
        remember(self, report->calibration_s[0]);
        if (slower < best && !take(self, job, result)) {
            opevo_i_result_fault(result, "no memory for the samples of a kernel");
            return;
        }
        if (slower < best)
            result->energy_j = energy_of(self, report);
        best = fmin(best, slower);
        if (slower <= limit || plan.brief || report->slow)
            return;
    }
    opevo_text_printf(&result->message, "%sthe machine was disturbed in all of %d measurements",
                      result->message.length ? "; " : "", (int)TURNS);
}

const opevo_i_backend_ops opevo_i_backend_cpu = {
    .kind = "cpu",
    .dialect = OPEVO_KERNEL_C,
    .builds = true,
    .suffix = ".c",
    .list = opevo_i_cpu_list,
    .open = open_backend,
    .setup = setup,
    .build_command = build_command,
    .measure = measure,
    .close = close_backend,
};
