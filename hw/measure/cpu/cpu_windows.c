/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A sample is the mean over a window of at least 0.2 ms, long against the resolution of the clocks
 * and what an order costs: a window that turns out shorter is dropped, and the next has twice as
 * many executions. Every other window is kept with its elapsed and its processor time, whatever
 * else ran meanwhile; opevo_i_wire_window_times says what counts.
 *
 * How often the kernel is called in a window only its own process knows. So one execution more, on
 * inputs that it has not seen, is timed and judged by itself: kernels that keep results, and those
 * that make their process skip calls, show by it. */

#include "cpu_internal.h"

#include <opevo/clock.h>
#include <opevo/sign_test.h>

#include <math.h>
#include <string.h>

#include "job_internal.h"
#include "samples_internal.h"

#define WINDOW_S 2e-4
#define MOST_CALLS ((uint64_t)1 << 40) /* a clock that stands still must not last for ever */
/* Windows follow each other, so that fewer of them look more precise than they are. */
enum { LEAST_SAMPLES = 64, CALIBRATIONS = 3 };
/* What a single execution may take beyond those of windows: code and data that other work has
 * displaced, an interrupt; threads that sleep. */
#define STALE_FACTOR 4
#define STALE_S 1e-5
#define STALE_THREADS_S 1e-3

char opevo_i_cpu_calibrate(opevo_i_cpu_process *process, double *best_s)
{
    *best_s = INFINITY;
    for (int i = 0; i < CALIBRATIONS; i++) {
        opevo_i_cpu_cost cost;
        char letter = opevo_i_cpu_process_ask(process, OPEVO_I_CPU_CALIBRATE, 0, 0,
                                              process->plan->run_limit_s + 0.5, &cost);

        if (letter != 'd')
            return letter;
        *best_s = fmin(*best_s, cost.wall_s);
    }
    return 'd';
}

char opevo_i_cpu_prepare(opevo_i_cpu_process *process, opevo_i_cpu_windows *out)
{
    const opevo_i_cpu_plan *plan = process->plan;
    const double limit_s = plan->run_limit_s + 0.5;
    opevo_i_cpu_cost cost;
    bool packs = false;
    char letter = opevo_i_cpu_calibrate(process, &out->calibration_s[0]);

    for (int i = 0; plan->kernel && i < OPEVO_OPERANDS; i++)
        packs |= plan->kernel->packed[i] > 0;
    if (letter == 'd')
        letter = opevo_i_cpu_process_ask(process, OPEVO_I_CPU_LOAD, 0, 0, limit_s, NULL);
    for (uint32_t set = OPEVO_I_CPU_SETS; packs && set-- > 0 && letter == 'd';) {
        letter = opevo_i_cpu_process_ask(process, OPEVO_I_CPU_PACK, set, 0, limit_s, &cost);
        out->pack_s = cost.wall_s;
    }
    return letter == 'd' ? opevo_i_cpu_process_ask(process, OPEVO_I_CPU_TOUCH, 0, 0, limit_s, NULL)
                         : letter;
}

char opevo_i_cpu_await_first(const opevo_i_cpu_plan *plan, opevo_i_cpu_process *process,
                             opevo_i_cpu_cost *first)
{
    double slow_s = fmax(plan->slow_s, plan->repeat_s);
    double deadline = opevo_clock_monotonic_s() + plan->run_limit_s;
    double left_s = fmin(slow_s, plan->run_limit_s);
    char letter = 0;

    opevo_i_cpu_process_send(process, OPEVO_I_CPU_RUN, 0, 1);
    letter = opevo_i_cpu_process_await(process, left_s, first);
    while (letter == 't' && opevo_clock_monotonic_s() < deadline) {
        opevo_i_cpu_cost cost = opevo_i_cpu_process_so_far(process);

        left_s = slow_s - fmin(cost.wall_s, cost.processor_s);
        if (left_s <= 0)
            return 's';
        letter = opevo_i_cpu_process_await(
            process, fmin(left_s, deadline - opevo_clock_monotonic_s()), first);
    }
    return letter == 'd' && first->wall_s > plan->run_limit_s ? 't' : letter;
}

/* ---- Windows -------------------------------------------------------------------------------- */

typedef struct timing {
    opevo_i_cpu_process *process;
    opevo_i_cpu_windows *windows;
    double end_s; /* when all must be over */
} timing;

static double left_s(const timing *self)
{
    return self->end_s - opevo_clock_monotonic_s();
}

/* One window of `calls` executions; the cost is of one. */
static char run_window(const timing *self, uint64_t calls, opevo_i_cpu_cost *out)
{
    char letter = 'd';

    if (self->process->plan->cold)
        letter =
            opevo_i_cpu_process_ask(self->process, OPEVO_I_CPU_FLUSH, 0, 0, left_s(self), NULL);
    if (letter == 'd')
        letter =
            opevo_i_cpu_process_ask(self->process, OPEVO_I_CPU_RUN, 0, calls, left_s(self), out);
    if (letter == 'd') {
        out->wall_s /= (double)calls;
        out->processor_s /= (double)calls;
    }
    return letter;
}

double opevo_i_cpu_time_of(const opevo_i_cpu_cost *cost)
{
    return fmin(cost->wall_s, cost->processor_s);
}

/* Ascending times of the windows. */
static size_t sort_times(const opevo_i_cpu_windows *windows, double *times)
{
    size_t count = (size_t)windows->sample_count;

    opevo_i_wire_window_times(windows->samples_s, windows->processor_s, count, times);
    opevo_i_wire_sort(times, count);
    return count;
}

/* Whether the median is known well enough. */
static bool is_precise(const timing *self)
{
    static double times[OPEVO_I_CPU_SAMPLES];
    size_t count = 0;
    double low = 0;
    double high = 0;

    if (self->windows->sample_count < LEAST_SAMPLES)
        return false;
    count = sort_times(self->windows, times);
    return opevo_median_interval(times, count, 0.95, &low, &high) &&
           high - low <= 2 * self->process->plan->precision * opevo_i_wire_median(times, count);
}

void opevo_i_cpu_keep_window(opevo_i_cpu_windows *windows, opevo_i_cpu_cost cost)
{
    windows->samples_s[windows->sample_count] = cost.wall_s;
    windows->processor_s[windows->sample_count++] = cost.processor_s;
}

void opevo_i_cpu_keep_only(opevo_i_cpu_windows *windows, opevo_i_cpu_cost cost)
{
    windows->sample_count = 0;
    opevo_i_cpu_keep_window(windows, cost);
}

double opevo_i_cpu_shortest_s(const opevo_i_cpu_windows *windows)
{
    double least = INFINITY;

    for (uint64_t i = 0; i < windows->sample_count; i++)
        least = fmin(least, fmin(windows->samples_s[i], windows->processor_s[i]));
    return least;
}

/* One window; where it is too short to be a sample, the number of calls is doubled. With flushed
 * caches a window is one call, however short. */
static char take_sample(const timing *self, uint64_t *calls)
{
    const opevo_i_cpu_plan *plan = self->process->plan;
    opevo_i_cpu_cost cost;
    char letter = run_window(self, *calls, &cost);

    if (letter != 'd')
        return letter;
    if (!plan->cold && opevo_i_cpu_time_of(&cost) * (double)*calls < WINDOW_S &&
        *calls < MOST_CALLS) {
        *calls *= 2;
        return letter;
    }
    opevo_i_cpu_keep_window(self->windows, cost);
    self->windows->slow = plan->slow_s > 0 && opevo_i_cpu_time_of(&cost) > plan->slow_s;
    return letter;
}

static char take_samples(const timing *self)
{
    const opevo_i_cpu_plan *plan = self->process->plan;
    opevo_i_cpu_windows *windows = self->windows;
    opevo_i_cpu_cost warm;
    char letter = run_window(self, 1, &warm);
    uint64_t most = OPEVO_I_CPU_SAMPLES;
    uint64_t calls = 1;
    double start = opevo_clock_monotonic_s();

    if (letter == 'd' && plan->single_sample &&
        opevo_i_cpu_time_of(&warm) >= OPEVO_I_SINGLE_SAMPLE_S)
        most = 1;
    while (letter == 'd') {
        double spent_s = 0;

        letter = take_sample(self, &calls);
        spent_s = opevo_clock_monotonic_s() - start;
        if (windows->sample_count == most || windows->slow ||
            (plan->runs && windows->sample_count >= plan->runs && spent_s >= plan->least_s) ||
            (windows->sample_count % 4 == 0 && spent_s >= plan->least_s && is_precise(self)) ||
            (spent_s >= plan->repeat_s && windows->sample_count > 0))
            break;
    }
    return letter;
}

char opevo_i_cpu_take_windows(opevo_i_cpu_process *process, opevo_i_cpu_windows *out)
{
    const opevo_i_cpu_plan *plan = process->plan;
    const timing self = {process, out,
                         opevo_clock_monotonic_s() + plan->run_limit_s + 2 * plan->repeat_s +
                             plan->least_s + 0.5};
    char letter = take_samples(&self);

    return letter == 'd' ? opevo_i_cpu_calibrate(process, &out->calibration_s[1]) : letter;
}

/* ---- One execution on new inputs ------------------------------------------------------------ */

char opevo_i_cpu_run_fresh(opevo_i_cpu_process *process, opevo_i_cpu_windows *out)
{
    const double limit_s = process->plan->run_limit_s + 0.5;
    char letter = opevo_i_cpu_process_ask(process, OPEVO_I_CPU_TOUCH, 1, 0, limit_s, NULL);

    if (letter == 'd' && process->plan->cold)
        letter = opevo_i_cpu_process_ask(process, OPEVO_I_CPU_FLUSH, 1, 0, limit_s, NULL);
    if (letter == 'd')
        letter = opevo_i_cpu_process_ask(process, OPEVO_I_CPU_RUN, 1, 1, limit_s, &out->fresh);
    return letter;
}

bool opevo_i_cpu_is_stale(const opevo_i_cpu_windows *windows, unsigned threads)
{
    double times[OPEVO_I_CPU_SAMPLES];
    size_t count = sort_times(windows, times);

    return count && opevo_i_cpu_time_of(&windows->fresh) >
                        STALE_FACTOR * opevo_i_wire_time_of_windows(times, count) +
                            (threads > 1 ? STALE_THREADS_S : STALE_S);
}
