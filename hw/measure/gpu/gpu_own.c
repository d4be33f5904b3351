/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels with a harness on a GPU: the launcher of harnesses runs and times their cases, within the
 * context of the worker. */

#include "gpu_backend_internal.h"

#include <opevo/clock.h>
#include <opevo/file.h>
#include <opevo/memory.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cpu_internal.h"
#include "own_launch_internal.h"

enum { WINDOWS = 31, LEAST_WINDOWS = 5 };
#define IMAGE_BYTES_MAX ((size_t)256 << 20)

opevo_status opevo_i_gpu_own_setup(opevo_i_gpu_backend *self, const json_t *message,
                                   opevo_error *err)
{
    const opevo_gpu_options options = {
        .windows = 1, .timeout_s = self->run_limit_s, .meanwhile = opevo_i_gpu_mind_engine};
    char name[32];
    opevo_status status = OPEVO_OK;

    snprintf(name, sizeof name, "%s:%u", self->vendor->kind, self->ordinal);
    OPEVO_TRY(opevo_i_own_open(message, OPEVO_I_CPU_SETS, self->own_sets, &self->own, err));
    OPEVO_TRY(opevo_i_own_reference(message, &self->super.reference, err));
    status = opevo_gpu_open(name, &options, &self->launches, err);
cleanup:
    return status;
}

void opevo_i_gpu_own_close(opevo_i_gpu_backend *self)
{
    for (int set = 0; set < OPEVO_I_CPU_SETS; set++)
        opevo_i_reference_operands_free(&self->own_sets[set]);
    opevo_i_own_close(self->own);
    opevo_i_wire_job_clear(&self->super.reference);
    opevo_gpu_close(self->launches);
}

static opevo_status load(opevo_i_gpu_backend *self, const char *object, opevo_launcher **out,
                         opevo_error *err)
{
    char *image = NULL;
    size_t size = 0;
    opevo_status status = opevo_file_read(object, IMAGE_BYTES_MAX, &image, &size, err);

    /* Every kernel has the same limit. */
    if (status == OPEVO_OK)
        status = opevo_gpu_launcher(self->launches, image, size, true, out, err);
    opevo_free(image);
    return status;
}

opevo_status opevo_i_gpu_run_reference(opevo_i_backend *backend, const opevo_kernel *kernel,
                                       const char *object, opevo_error *err)
{
    opevo_i_gpu_backend *self = (opevo_i_gpu_backend *)backend;
    opevo_launcher *launcher = NULL;
    opevo_status status = OPEVO_OK;

    if (*kernel->entry)
        return opevo_i_cpu_run_reference(NULL, kernel->entry, object, self->own, self->own_sets,
                                         err);
    status = load(self, object, &launcher, err);
    if (status == OPEVO_OK)
        status = opevo_i_own_golden_by(self->own, launcher, err);
    opevo_launcher_destroy(launcher);
    return status;
}

/* Of the blocks of its launches. */
static opevo_status note_block(void *context, const opevo_grid_launch *launch,
                               opevo_evaluation *out, opevo_error *err)
{
    (void)out, (void)err;
    opevo_i_gpu_add_block(launch->block, context);
    return OPEVO_OK;
}

opevo_status opevo_i_gpu_own_blocks(const opevo_i_gpu_backend *self, const opevo_kernel *kernel,
                                    opevo_text *out, opevo_error *err)
{
    const opevo_player player = {.context = out, .launch = note_block, .takes_local = true};
    opevo_i_own_values values = {.text = NULL};
    opevo_status status = opevo_i_own_values_read(opevo_text_string(&kernel->values), &values, err);

    if (status == OPEVO_OK)
        status =
            opevo_harness_launches(opevo_i_own_harness(self->own), &values.values, &player, err);
    opevo_i_own_values_free(&values);
    return status == OPEVO_OK ? opevo_text_check(out, err) : status;
}

/* As many as have time, and one where the first execution took all of it. */
static unsigned count_windows(const opevo_i_gpu_backend *self, bool single, double first_s)
{
    unsigned asked = opevo_harness_runs(opevo_i_own_harness(self->own));
    double most = asked ? asked : WINDOWS;

    if (single || first_s >= self->repeat_s)
        return 1;
    most = fmin(most, fmax(LEAST_WINDOWS, self->repeat_s / fmax(first_s, 1e-9)));
    return (unsigned)most;
}

/* The samples of the last run. */
static bool take_samples(opevo_launcher *launcher, opevo_i_wire_result *result)
{
    size_t count = 0;
    const double *times = opevo_gpu_launcher_times(launcher, &count);

    for (size_t i = 0; i < count; i++) {
        if (!opevo_i_wire_result_add(result, times[i] > 0 ? times[i] : 1e-9)) {
            opevo_i_wire_result_fault(result, "no memory for the samples of a kernel");
            return false;
        }
    }
    return true;
}

/* Executions until the power is known, where energy is asked for. */
static bool measure_power(opevo_i_gpu_backend *self, const opevo_i_wire_job *job,
                          opevo_launcher *launcher, opevo_i_wire_result *result)
{
    opevo_i_gpu_meter meter = opevo_i_gpu_meter_start(self);
    opevo_evaluation one = {.time_s = 0};

    while (!isnan(meter.before_j) && opevo_clock_monotonic_s() < meter.start_s + self->least_s) {
        if (!opevo_i_own_run(self->own, launcher, &job->kernel, &one, result))
            return false;
    }
    opevo_i_gpu_meter_stop(self, &meter, result);
    return true;
}

/* Right on other inputs, then timed, and right again. The first execution of all is among those
 * that are judged; where there are no other inputs, it is on the same. */
static void measure_judged(opevo_i_gpu_backend *self, const opevo_i_wire_job *job,
                           opevo_launcher *launcher, opevo_i_wire_result *result)
{
    opevo_evaluation first = {.time_s = -1};

    opevo_gpu_set_windows(self->launches, 0);
    if (!opevo_i_own_judge(self->own, launcher, &job->kernel, 1, SIZE_MAX, &first, result))
        return;
    if (first.time_s < 0 &&
        !opevo_i_own_judge(self->own, launcher, &job->kernel, 0, 1, &first, result))
        return;
    opevo_gpu_set_windows(self->launches, count_windows(self, job->single_sample, first.time_s));
    if (opevo_i_own_judge(self->own, launcher, &job->kernel, 0, 1, &first, result) &&
        take_samples(launcher, result))
        measure_power(self, job, launcher, result);
}

/* Timed, and judged where its median is below a limit. */
static void measure_first(opevo_i_gpu_backend *self, const opevo_i_wire_job *job,
                          opevo_launcher *launcher, double check_below_s,
                          opevo_i_wire_result *result)
{
    opevo_evaluation first = {.time_s = 0};

    opevo_gpu_set_windows(self->launches, 0);
    if (!opevo_i_own_run(self->own, launcher, &job->kernel, &first, result))
        return;
    opevo_gpu_set_windows(self->launches, count_windows(self, false, first.time_s));
    if (!opevo_i_own_run(self->own, launcher, &job->kernel, &first, result) ||
        !take_samples(launcher, result) || !measure_power(self, job, launcher, result))
        return;
    for (size_t i = 0; i < result->sample_count; i++)
        first.time_s = fmin(first.time_s, result->samples[i]);
    opevo_gpu_set_windows(self->launches, 0);
    if (first.time_s < check_below_s)
        opevo_i_own_judge(self->own, launcher, &job->kernel, 0, SIZE_MAX, &first, result);
    else
        opevo_text_add(&result->message, OPEVO_I_OWN_UNCHECKED);
}

/* Each execution on contents of its own, the first one without counting. */
static void measure_calls(opevo_i_gpu_backend *self, opevo_launcher *launcher, unsigned calls,
                          opevo_i_wire_result *result)
{
    opevo_evaluation one = {.time_s = 0};

    opevo_gpu_set_unwaited(self->launches);
    for (unsigned i = 0; i <= calls; i++) {
        if (!opevo_i_own_judge_anew(self->own, launcher, &one, result))
            return;
        if (i > 0 && !take_samples(launcher, result))
            return;
    }
}

static void measure_loaded(opevo_i_gpu_backend *self, const opevo_i_wire_job *job,
                           opevo_launcher *launcher, opevo_i_wire_result *result)
{
    double check_below_s = opevo_i_own_check_below_s(self->own, job);

    if (opevo_i_own_calls(self->own))
        measure_calls(self, launcher, opevo_i_own_calls(self->own), result);
    else if (isinf(check_below_s))
        measure_judged(self, job, launcher, result);
    else
        measure_first(self, job, launcher, check_below_s, result);
}

void opevo_i_gpu_own_measure(opevo_i_gpu_backend *self, const opevo_i_wire_job *job,
                             const char *object, opevo_i_wire_result *result)
{
    opevo_launcher *launcher = NULL;
    opevo_error err = {OPEVO_OK, ""};

    opevo_i_own_begin(self->own);
    if (job->library)
        opevo_i_wire_result_fail(result, OPEVO_OUTCOME_LAUNCH_ERROR, "%s", OPEVO_I_NO_LIBRARY);
    else if (load(self, object, &launcher, &err) == OPEVO_OK)
        measure_loaded(self, job, launcher, result);
    else if (err.status == OPEVO_INVALID)
        opevo_i_wire_result_fail(result, OPEVO_OUTCOME_LAUNCH_ERROR, "%s", err.message);
    else
        opevo_i_wire_result_fault(result, "%s", err.message);
    result->context_lost = opevo_gpu_context_is_lost(self->launches);
    opevo_i_own_tell_error(self->own, result);
    result->used = launcher != NULL;
    if (launcher)
        result->usage = *opevo_gpu_launcher_usage(launcher);
    opevo_launcher_destroy(launcher);
}
