/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The three clocks of POSIX that opevo reads; none of them can fail on Linux. */

#include <opevo/clock.h>

#include <time.h>

static double read_s(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double opevo_clock_monotonic_s(void)
{
    return read_s(CLOCK_MONOTONIC);
}

double opevo_clock_thread_s(void)
{
    return read_s(CLOCK_THREAD_CPUTIME_ID);
}

double opevo_clock_process_s(void)
{
    return read_s(CLOCK_PROCESS_CPUTIME_ID);
}
