/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A flag raised in a signal handler is seen by every thread,
 * whichever of them the signal went to. */

#include "check.h"

#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include <opevo/interrupt.h>
#include <opevo/parallel.h>

enum { THREADS = 4, DEADLINE_S = 60 };

static opevo_interrupt flag;
static atomic_uint waiting;

static void note(int number)
{
    opevo_interrupt_raise(&flag);
}

/* The last of them to come sends the signal; all wait for the flag. */
static opevo_status wait_for_it(void *context, size_t index, unsigned worker, opevo_error *err)
{
    const opevo_interrupt *watched = context;
    time_t deadline = time(NULL) + DEADLINE_S;

    if (atomic_fetch_add(&waiting, 1) == THREADS - 1)
        raise(SIGUSR1);
    while (!opevo_interrupt_is_raised(watched)) {
        if (time(NULL) > deadline)
            return OPEVO_FAIL(err, OPEVO_IO, "The flag was not seen.");
    }
    return OPEVO_OK;
}

CHECK_TEST(test_seen_by_all)
{
    struct sigaction action = {.sa_handler = note};

    assert_false(opevo_interrupt_is_raised(NULL));
    assert_false(opevo_interrupt_is_raised(&flag));
    assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
    CHECK_OK(opevo_parallel_for(THREADS, THREADS, wait_for_it, &flag, &err));
    assert_true(opevo_interrupt_is_raised(&flag));
    opevo_interrupt_lower(&flag);
    assert_false(opevo_interrupt_is_raised(&flag));
}
