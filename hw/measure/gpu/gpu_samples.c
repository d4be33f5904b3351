/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Samples of a kernel's time on a GPU, until their median is known well enough. */

#include "gpu_backend_internal.h"

#include <opevo/clock.h>
#include <opevo/sign_test.h>

#include <math.h>
#include <string.h>

#include "samples_internal.h"

#define WINDOW_S 1e-3 /* the gap before the first launch, a few microseconds, must not count */
enum { LEAST_SAMPLES = 6, MOST_SAMPLES = 1000, MOST_CALLS = 1 << 14 };

static bool is_precise(const opevo_i_gpu_backend *self, const opevo_i_wire_result *result)
{
    double sorted[MOST_SAMPLES];
    size_t count = result->sample_count;
    double low = 0;
    double high = 0;

    if (count < LEAST_SAMPLES)
        return false;
    memcpy(sorted, result->samples, count * sizeof *sorted);
    opevo_i_wire_sort(sorted, count);
    return opevo_median_interval(sorted, count, 0.95, &low, &high) &&
           high - low <= 2 * self->precision * opevo_i_wire_median(sorted, count);
}

static bool take_samples(const opevo_i_gpu_running *run)
{
    const opevo_i_gpu_backend *self = run->self;
    double warm_s = opevo_i_gpu_window(run, 1);
    size_t most = run->job->single_sample && warm_s >= OPEVO_I_SINGLE_SAMPLE_S ? 1 : MOST_SAMPLES;
    unsigned calls = 1;
    double least = opevo_clock_monotonic_s() + self->least_s;
    double deadline = 0;

    if (warm_s == 0)
        return false;
    deadline = opevo_clock_monotonic_s() + self->repeat_s;
    do {
        double sample = opevo_i_gpu_window(run, calls);

        if (sample == 0)
            return false;
        if (!self->cold && sample * calls < WINDOW_S && calls < MOST_CALLS) {
            calls *= 2;
            continue;
        }
        if (!opevo_i_wire_result_add(run->result, sample))
            return false;
        if (run->result->sample_count == most || sample > opevo_i_wire_job_slow_s(run->job) ||
            (opevo_clock_monotonic_s() >= least && is_precise(self, run->result)))
            return true;
    } while (opevo_clock_monotonic_s() < fmax(deadline, least) || run->result->sample_count == 0);
    return true;
}

opevo_i_gpu_meter opevo_i_gpu_meter_start(const opevo_i_gpu_backend *self)
{
    bool asked = self->least_s > 0 && self->vendor->nvml;

    return (opevo_i_gpu_meter){.before_j = asked ? opevo_i_gpu_nvml_energy_j(self->facts.bus) : NAN,
                               .start_s = opevo_clock_monotonic_s()};
}

void opevo_i_gpu_meter_stop(const opevo_i_gpu_backend *self, const opevo_i_gpu_meter *meter,
                            opevo_i_wire_result *result)
{
    double elapsed_s = opevo_clock_monotonic_s() - meter->start_s;
    double spent_j =
        isnan(meter->before_j) ? NAN : opevo_i_gpu_nvml_energy_j(self->facts.bus) - meter->before_j;
    double sum_s = 0;

    for (size_t i = 0; i < result->sample_count; i++)
        sum_s += result->samples[i];
    if (spent_j > 0 && elapsed_s >= 10 * OPEVO_I_GPU_COUNTER_S)
        result->energy_j = spent_j / elapsed_s * sum_s / (double)result->sample_count;
}

bool opevo_i_gpu_sample(const opevo_i_gpu_running *run)
{
    opevo_i_gpu_meter meter = opevo_i_gpu_meter_start(run->self);

    if (!take_samples(run))
        return false;
    opevo_i_gpu_meter_stop(run->self, &meter, run->result);
    return true;
}
