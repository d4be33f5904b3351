/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Clocks, in seconds. Each starts anywhere, so only differences mean something. */

#ifndef OPEVO_CLOCK_H
#define OPEVO_CLOCK_H

#include <opevo/api.h>

OPEVO_BEGIN_C

/* Time that passes, whoever runs; it never goes back (CLOCK_MONOTONIC). */
double opevo_clock_monotonic_s(void);

/* Processor time of this thread. */
double opevo_clock_thread_s(void);
/* The same of all threads of this process together. */
double opevo_clock_process_s(void);

OPEVO_END_C

#endif
