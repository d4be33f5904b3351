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
#include <malloc.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cpu_internal.h"
#include "own_operands_internal.h"
#include "protocol_internal.h"
#include "rapl_internal.h"
#include "samples_internal.h"
#include "sandbox_internal.h"

#define MEMORY_LIMIT ((uint64_t)4 << 30)
#define DISTURBED 1.15 /* calibration against its usual value */
#define PROBE_S 10     /* for a kernel of some microseconds */
#define COUNTER_S 1e-3 /* after which the counters of energy are renewed */
#define OTHER_SEED UINT64_C(0x9e3779b97f4a7c15)
enum { TURNS = 3, HISTORY = 32, ERASE = 0x5a };

extern const opevo_i_backend_ops opevo_i_backend_cpu;

typedef struct cpu_backend {
    opevo_i_backend super;
    opevo_i_own *own; /* what the operands are of, with a harness; else NULL */
    opevo_i_reference_operands sets[OPEVO_I_CPU_SETS];
    opevo_i_cpu_plan plan;
    opevo_i_cpu_windows windows; /* the last ones */
    int cores[CPU_SETSIZE];
    const char *compiler;
    double history[HISTORY]; /* calibrations, the last ones */
    size_t calibrations;
    opevo_i_cpu_rapl rapl;
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

static opevo_status open_backend(const char *which, opevo_i_backend **out, opevo_error *err)
{
    cpu_backend *self = NULL;
    opevo_text why = {0};

    (void)which;
    if (!opevo_i_process_filter_present())
        return OPEVO_FAIL(err, OPEVO_IO, "cpu: " OPEVO_I_NO_FILTER ".");
    OPEVO_NEW_OR_RETURN(self, 1, "a worker");
    self->super.ops = &opevo_i_backend_cpu;
    self->compiler = opevo_i_cpu_compiler();
    self->super.build_memory_bytes = OPEVO_I_BUILD_MEMORY;
    (void)share_cores(self, 1);
    opevo_i_cpu_rapl_find(OPEVO_I_POWERCAP, &self->rapl, &why);
    opevo_text_free(&why);
    opevo_i_cpu_identity(self->super.device, sizeof self->super.device);
    *out = &self->super;
    return OPEVO_OK;
}

static void close_backend(opevo_i_backend *backend)
{
    cpu_backend *self = (cpu_backend *)backend;

    for (int set = 0; set < OPEVO_I_CPU_SETS; set++)
        opevo_i_reference_operands_free(&self->sets[set]);
    opevo_i_own_close(self->own);
    opevo_i_wire_job_clear(&backend->reference);
    opevo_free(self);
}

/* Inputs and right results, which no memory that was given back may still show to the processes
 * that are forked later. */
static opevo_status create_operands(cpu_backend *self, const json_t *message, opevo_error *err)
{
    json_int_t seed = json_integer_value(json_object_get(message, "seed"));
    opevo_status status = OPEVO_OK;

    mallopt(M_PERTURB, ERASE);
    if (json_object_get(message, "harness")) {
        status = opevo_i_own_open(message, OPEVO_I_CPU_SETS, self->sets, &self->own, err);
        goto cleanup;
    }
    for (int set = 0; set < OPEVO_I_CPU_SETS; set++) {
        opevo_workload *work = NULL;

        OPEVO_TRY(opevo_i_wire_setup_workload(message, &work, err));
        OPEVO_TRY(opevo_i_reference_operands_create(work, (uint64_t)seed + (set ? OTHER_SEED : 0),
                                                    &self->sets[set], err));
        self->super.reference_s += self->sets[set].reference_s;
    }
    self->super.unbounded = self->sets[0].unbounded;
cleanup:
    mallopt(M_PERTURB, 0);
    return status;
}

static opevo_status setup(opevo_i_backend *backend, const json_t *message, opevo_error *err)
{
    cpu_backend *self = (cpu_backend *)backend;
    opevo_status status = OPEVO_OK;

    backend->build_limit_s = json_number_value(json_object_get(message, "build_limit_s"));
    self->plan.run_limit_s = json_number_value(json_object_get(message, "run_limit_s"));
    self->plan.precision = json_number_value(json_object_get(message, "precision"));
    self->plan.repeat_s = json_number_value(json_object_get(message, "repeat_s"));
    self->plan.least_s = opevo_i_wire_setup_least_s(message, COUNTER_S);
    self->plan.cold = json_is_true(json_object_get(message, "cold"));
    self->plan.memory_bytes = MEMORY_LIMIT;
    if (!(backend->build_limit_s > 0) || !(self->plan.run_limit_s > 0) ||
        !(self->plan.precision > 0) || !(self->plan.repeat_s > 0))
        return OPEVO_FAIL(err, OPEVO_INVALID, "The setup lacks a limit or a bound.");
    OPEVO_TRY(set_threads(self, json_object_get(message, "threads"), err));
    OPEVO_TRY(create_operands(self, message, err));
    OPEVO_TRY(opevo_i_own_reference(message, &backend->reference, err));
    /* A forked process that says so itself starts a thread by it. */
    openblas_set_num_threads(1);
cleanup:
    return status;
}

static opevo_status build_command(const opevo_i_backend *backend, const opevo_i_wire_job *job,
                                  const char *source, const char *object,
                                  opevo_i_process_arguments *out, opevo_error *err)
{
    const cpu_backend *self = (const cpu_backend *)backend;

    return opevo_i_cpu_build_command(self->compiler, &job->kernel, source, object, out, err);
}

/* ---- One process ---------------------------------------------------------------------------- */

static bool check(cpu_backend *self, int set, opevo_i_cpu_process *process,
                  opevo_i_wire_result *result)
{
    return opevo_i_cpu_check(process, self->own, &self->sets[set], set ? "on other inputs, " : "",
                             result);
}

/* Let it take its samples, and note the power meanwhile, where that is long enough to say
 * something. */
static char take_windows(cpu_backend *self, opevo_i_cpu_process *process)
{
    double start = opevo_clock_monotonic_s();
    double elapsed_s = 0, spent_j = 0;
    char letter = 0;

    (void)opevo_i_cpu_rapl_spent_j(&self->rapl);
    letter = opevo_i_cpu_take_windows(process, &self->windows);
    spent_j = opevo_i_cpu_rapl_spent_j(&self->rapl);
    elapsed_s = opevo_clock_monotonic_s() - start;
    self->power_w = elapsed_s >= 10 * COUNTER_S ? spent_j / elapsed_s : NAN;
    return letter;
}

/* A kernel with buffers that it reads and writes ran many times on them: what it computes from them
 * as they were is judged. */
static char run_anew(cpu_backend *self, opevo_i_cpu_process *process)
{
    opevo_i_cpu_process_stop(process);
    opevo_i_reference_operands_poison(&self->sets[0]);
    opevo_i_cpu_process_continue(process);
    return opevo_i_cpu_process_ask(process, OPEVO_I_CPU_RUN, 0, 1, self->plan.run_limit_s, NULL);
}

/* Judge one execution on other inputs; the last letter. */
static char judge_other(cpu_backend *self, opevo_i_cpu_process *process,
                        opevo_i_wire_result *result)
{
    char letter = 0;

    opevo_i_cpu_process_continue(process);
    letter = opevo_i_cpu_run_fresh(process, &self->windows);
    return letter == 'd' && !check(self, 1, process, result) ? 'w' : letter;
}

/* After what it computed last. */
static char judge(cpu_backend *self, opevo_i_cpu_process *process, opevo_i_wire_result *result)
{
    return check(self, 0, process, result) ? judge_other(self, process, result) : 'w';
}

static char run_unchecked(cpu_backend *self, opevo_i_cpu_process *process)
{
    self->windows.unchecked = true;
    return opevo_i_cpu_run_fresh(process, &self->windows);
}

/* Repeat what was right the first time, then judge it where it is worth that; the letter of the
 * last order. */
static char repeat(cpu_backend *self, opevo_i_cpu_process *process, opevo_i_wire_result *result)
{
    char letter = 0;

    opevo_i_reference_operands_poison(&self->sets[0]);
    opevo_i_cpu_process_continue(process);
    letter = take_windows(self, process);
    if (letter == 'd' && opevo_i_cpu_shortest_s(&self->windows) >= process->plan->check_below_s)
        return run_unchecked(self, process);
    if (letter == 'd' && self->own)
        letter = run_anew(self, process);
    return letter == 'd' ? judge(self, process, result) : letter;
}

/* A kernel of a user that is executed once is judged on other inputs as well; generated ones are
 * not, as their arithmetic is that of a definition. */
static char conclude_once(cpu_backend *self, opevo_i_cpu_process *process,
                          opevo_i_wire_result *result)
{
    opevo_i_cpu_windows *windows = &self->windows;
    char letter = 'd';

    opevo_i_cpu_keep_only(windows, windows->first);
    if (opevo_i_cpu_shortest_s(windows) >= process->plan->check_below_s)
        windows->unchecked = true;
    else if (self->own)
        letter = isinf(process->plan->check_below_s) ? judge_other(self, process, result)
                                                     : judge(self, process, result);
    if (letter != 'd')
        return letter;
    opevo_i_cpu_process_continue(process);
    return opevo_i_cpu_calibrate(process, &windows->calibration_s[1]);
}

/* So slow that its first execution cost what all repeats may, and warming up is nothing. A wait
 * for a processor does not count. */
static bool is_once(const opevo_i_cpu_plan *plan, opevo_i_cpu_cost first)
{
    return !plan->single_sample && opevo_i_cpu_time_of(&first) >= plan->repeat_s;
}

/* From its first letter on; the last one, or 'w' for a wrong result. */
static char converse(cpu_backend *self, const opevo_i_cpu_plan *plan, opevo_i_cpu_process *process,
                     char letter, opevo_i_wire_result *result)
{
    opevo_i_cpu_windows *windows = &self->windows;

    if (letter == 'd' && plan->calls)
        letter = opevo_i_cpu_find_idle_call(process);
    if (letter == 'd')
        letter = opevo_i_cpu_prepare(process, windows);
    if (letter == 'd' && plan->calls)
        return opevo_i_cpu_judge_calls(process, self->own, &self->sets[0], windows, result);
    if (letter == 'd')
        letter = opevo_i_cpu_await_first(plan, process, &windows->first);
    if (letter == 'd' && isinf(plan->check_below_s) && !check(self, 0, process, result))
        return 'w';
    if (letter != 'd')
        return letter;
    return is_once(plan, windows->first) ? conclude_once(self, process, result)
                                         : repeat(self, process, result);
}

/* Measure once; the last letter, 'd' when there are samples; 'a' to try again: out of time as it
 * waited, or killed by others, which has no outcome unless this is the last attempt. */
static char measure_once(cpu_backend *self, const opevo_i_cpu_plan *plan,
                         const opevo_i_wire_job *job, const char *object, bool last,
                         opevo_i_wire_result *result)
{
    opevo_i_cpu_process process;
    double start = opevo_clock_monotonic_s();
    double checked = result->check_s;
    bool again = false;
    char letter = 0;

    for (int set = 0; set < OPEVO_I_CPU_SETS; set++)
        opevo_i_cpu_renew_outputs(&self->sets[set]);
    memset(&self->windows, 0, sizeof self->windows);
    if (object && access(object, R_OK) < 0) {
        opevo_i_wire_result_fault(result, "%s: %s", object, strerror(errno));
        return 'h';
    }
    result->kind = OPEVO_OUTCOME_OK;
    letter = opevo_i_cpu_process_start(plan, object, job->kernel.entry, self->sets, &process);
    if (process.pid < 0) {
        opevo_i_wire_result_fault(result, "cannot create a process for a kernel: %s",
                                  strerror(process.status));
        return 'h';
    }
    letter = converse(self, plan, &process, letter, result);
    again = letter == 't' && opevo_i_cpu_process_has_waited(&process);
    opevo_i_cpu_process_end(&process);
    again = again || (letter == 0 && opevo_i_cpu_process_was_killed(&process));
    again = again && !last;
    if (!again)
        opevo_i_cpu_describe(plan, job, letter, &process, result);
    result->run_s += opevo_clock_monotonic_s() - start - (result->check_s - checked);
    return again ? 'a' : letter;
}

/* A kernel that waited until its time was over sleeps, or the machine had no processor for it; one
 * that was killed killed itself, or a batch system or the lack of memory did. The latter are no
 * properties of the kernel, so that it is measured again before it counts. */
static bool measure_fairly(cpu_backend *self, const opevo_i_cpu_plan *plan,
                           const opevo_i_wire_job *job, const char *object,
                           opevo_i_wire_result *result)
{
    char letter = measure_once(self, plan, job, object, false, result);

    if (letter == 'a')
        letter = measure_once(self, plan, job, object, true, result);
    return letter == 'd';
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
    opevo_i_wire_sort(sorted, count);
    return opevo_i_wire_median(sorted, count);
}

static void remember(cpu_backend *self, double calibration)
{
    self->history[self->calibrations++ % HISTORY] = calibration;
}

/* Keep the windows. */
static bool take(const cpu_backend *self, const opevo_i_wire_job *job, opevo_i_wire_result *result)
{
    const opevo_i_cpu_windows *windows = &self->windows;

    result->sample_count = 0;
    opevo_free(result->processor_s);
    result->processor_s = NULL;
    result->processor_capacity = 0;
    for (uint64_t i = 0; i < windows->sample_count; i++) {
        if (!opevo_i_wire_result_add_window(result, windows->samples_s[i], windows->processor_s[i]))
            return false;
    }
    opevo_text_clear(&result->message);
    if (windows->slow)
        opevo_text_printf(&result->message, "sampled once, as it is " OPEVO_I_SLOWER, job->slower,
                          job->best_s);
    if (windows->unchecked)
        opevo_text_printf(&result->message, "%s" OPEVO_I_OWN_UNCHECKED,
                          result->message.length ? "; " : "");
    if (job->library)
        opevo_text_printf(&result->message, "OpenBLAS, its kernels for %s, %s",
                          opevo_reference_blas_core(),
                          opevo_reference_blas_routine(opevo_i_reference_library(&self->sets[0])));
    if (job->library && self->super.threads > 1)
        opevo_text_printf(&result->message, ", on %u threads", self->super.threads);
    if (windows->pack_s > 0)
        opevo_text_printf(&result->message, "%spacking constants took %.3g ms, not counted",
                          result->message.length ? "; " : "", 1e3 * windows->pack_s);
    return true;
}

/* Of one execution: the power of the packages, with all that runs on them, for its time. */
static double energy_of(const cpu_backend *self)
{
    const opevo_i_cpu_windows *windows = &self->windows;
    double sum_s = 0;

    for (uint64_t i = 0; i < windows->sample_count; i++)
        sum_s += windows->samples_s[i];
    return isnan(self->power_w) ? 0 : self->power_w * sum_s / (double)windows->sample_count;
}

/* Its time is that of executions that compute something: the one on other inputs. */
static bool take_fresh(cpu_backend *self, const opevo_i_wire_job *job, opevo_i_wire_result *result)
{
    opevo_i_cpu_keep_only(&self->windows, self->windows.fresh);
    if (!take(self, job, result))
        return false;
    opevo_text_printf(&result->message,
                      "%sthe time is that of one execution on new inputs, as repeated ones took "
                      "less than a quarter of it",
                      result->message.length ? "; " : "");
    return true;
}

static void measure(opevo_i_backend *backend, const opevo_i_wire_job *job, const char *object,
                    opevo_i_wire_result *result)
{
    cpu_backend *self = (cpu_backend *)backend;
    opevo_i_cpu_plan plan = self->plan;
    double best = INFINITY; /* calibration of the measurement that is kept */
    bool kept = true;
    bool stale = true;

    if (self->own)
        opevo_i_own_begin(self->own);
    if (self->own && !opevo_i_own_fit(self->own, self->sets, &job->kernel, result))
        return;
    if (job->library && !opevo_i_reference_library(&self->sets[0])) {
        opevo_i_wire_result_fail(result, OPEVO_OUTCOME_LAUNCH_ERROR, "%s", OPEVO_I_NO_LIBRARY);
        return;
    }
    plan.calls = self->own ? opevo_i_own_calls(self->own) : 0;
    plan.single_sample = job->single_sample || plan.calls;
    plan.threads = job->kernel.parallel || job->library ? self->super.threads : 1;
    plan.slow_s = opevo_i_wire_job_slow_s(job);
    plan.check_below_s = self->own ? opevo_i_own_check_below_s(self->own, job) : INFINITY;
    plan.runs = self->own ? opevo_harness_runs(opevo_i_own_harness(self->own)) : 0;
    plan.kernel = &job->kernel;
    for (int turn = 0; turn < TURNS && kept; turn++) {
        const opevo_i_cpu_windows *windows = &self->windows;
        double slower = 0;
        double limit = DISTURBED * usual_calibration(self);

        if (!measure_fairly(self, &plan, job, object, result))
            return;
        slower = fmax(windows->calibration_s[0], windows->calibration_s[1]);
        remember(self, windows->calibration_s[0]);
        if (opevo_i_cpu_is_stale(windows, plan.threads))
            continue;
        if (stale || slower < best) {
            kept = take(self, job, result);
            result->energy_j = energy_of(self);
            best = slower;
        }
        stale = false;
        if (self->own)
            opevo_i_own_tell_error(self->own, result);
        if (slower <= limit || plan.single_sample || windows->slow)
            return;
    }
    if (kept && stale)
        kept = take_fresh(self, job, result);
    else if (kept)
        opevo_text_printf(&result->message, "%sthe machine was disturbed in all of %d measurements",
                          result->message.length ? "; " : "", (int)TURNS);
    if (!kept)
        opevo_i_wire_result_fault(result, "no memory for the samples of a kernel");
}

/* ---- A kernel without a fault --------------------------------------------------------------- */

static void probe(opevo_kernel *out)
{
    out->dialect = OPEVO_KERNEL_C;
    snprintf(out->entry, sizeof out->entry, "opevo_probe");
    opevo_text_add(&out->source,
                   "void opevo_probe(void) { for (volatile int i = 0; i < 1000; i++) {} }\n");
}

static opevo_status run_probe(opevo_i_backend *backend, const opevo_kernel *kernel,
                              const char *object, opevo_error *err)
{
    cpu_backend *self = (cpu_backend *)backend;
    opevo_i_cpu_plan plan = self->plan;
    opevo_i_cpu_process process;
    opevo_i_cpu_cost cost;
    char letter = opevo_i_cpu_process_start(&plan, object, kernel->entry, self->sets, &process);
    opevo_status status = OPEVO_OK;

    if (process.pid < 0)
        return OPEVO_FAIL(err, OPEVO_FAULT, "A process for kernels cannot be created: %s.",
                          strerror(process.status));
    if (letter == 'd')
        letter = opevo_i_cpu_prepare(&process, &self->windows);
    if (letter == 'd')
        letter = opevo_i_cpu_process_ask(&process, OPEVO_I_CPU_RUN, 0, 1, PROBE_S, &cost);
    opevo_i_cpu_process_end(&process);
    if (letter == 'h' || letter == 'l')
        status = OPEVO_FAIL(err, OPEVO_FAULT, "%s%s",
                            letter == 'l' ? "A kernel without a fault cannot be loaded: " : "",
                            process.words);
    else if (letter != 'd')
        status = OPEVO_FAIL(err, OPEVO_FAULT, "A kernel without a fault %s.",
                            letter == 't' ? "does not end" : "crashes");
    return status;
}

/* ---- Golden results ------------------------------------------------------------------------- */

static opevo_status run_reference(opevo_i_backend *backend, const opevo_kernel *kernel,
                                  const char *object, opevo_error *err)
{
    cpu_backend *self = (cpu_backend *)backend;

    return opevo_i_cpu_run_reference(&self->plan, kernel->entry, object, self->own, self->sets,
                                     err);
}

const opevo_i_backend_ops opevo_i_backend_cpu = {
    .kind = "cpu",
    .dialect = OPEVO_KERNEL_C,
    .also = 1 << OPEVO_KERNEL_EMULATION,
    .builds = true,
    .suffix = ".c",
    .list = opevo_i_cpu_list,
    .is_name = opevo_i_backend_is_none,
    .open = open_backend,
    .setup = setup,
    .build_command = build_command,
    .probe = probe,
    .run_probe = run_probe,
    .run_reference = run_reference,
    .measure = measure,
    .close = close_backend,
};
