/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The clocks measure what they are named after: a thread that waits uses no processor time, one
 * that works uses it in its own clock and in that of its process,
 * and time passes in either case. */

#include "check.h"

#include <opevo/clock.h>

#include <pthread.h>
#include <time.h>

enum { WORK_MS = 20 };
#define ROUNDING_S 1e-3 /* between two clocks */

static void *work(void *own_s)
{
    double begun_s = opevo_clock_thread_s();

    while (opevo_clock_thread_s() - begun_s < 1e-3 * WORK_MS)
        ;
    *(double *)own_s = opevo_clock_thread_s() - begun_s;
    return NULL;
}

/* Another thread's work is in the clock of the process and not in this thread's. */
CHECK_TEST(test_working)
{
    double monotonic_s = opevo_clock_monotonic_s();
    double thread_s = opevo_clock_thread_s();
    double process_s = opevo_clock_process_s();
    double other_s = 0;
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, work, &other_s), 0);
    pthread_join(thread, NULL);
    thread_s = opevo_clock_thread_s() - thread_s;
    process_s = opevo_clock_process_s() - process_s;
    monotonic_s = opevo_clock_monotonic_s() - monotonic_s;
    assert_true(other_s >= 1e-3 * WORK_MS);
    assert_true(thread_s < other_s);
    assert_true(process_s >= other_s - ROUNDING_S && monotonic_s >= other_s - ROUNDING_S);
}

CHECK_TEST(test_waiting)
{
    struct timespec nap = {.tv_nsec = WORK_MS * 1000000};
    double monotonic_s = opevo_clock_monotonic_s();
    double thread_s = opevo_clock_thread_s();

    while (nanosleep(&nap, &nap) != 0)
        ;
    thread_s = opevo_clock_thread_s() - thread_s;
    monotonic_s = opevo_clock_monotonic_s() - monotonic_s;
    assert_true(monotonic_s >= 1e-3 * WORK_MS);
    assert_true(thread_s < monotonic_s);
}

CHECK_TEST(test_never_back)
{
    double before[3] = {0};

    for (int i = 0; i < 10000; i++) {
        double now[3] = {opevo_clock_monotonic_s(), opevo_clock_thread_s(),
                         opevo_clock_process_s()};

        for (int k = 0; k < 3; k++) {
            assert_true(now[k] >= before[k]);
            before[k] = now[k];
        }
    }
}
