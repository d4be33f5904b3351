/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Work spread over threads. Results must not depend on which thread did what: give each index its
 * own output and its own random stream. */

#ifndef OPEVO_PARALLEL_H
#define OPEVO_PARALLEL_H

#include <stddef.h>

#include <opevo/status.h>

OPEVO_BEGIN_C

/* Processors that this process may run on (its affinity mask), at least 1. */
unsigned opevo_processor_count(void);

/* What is called for each index; worker is below the number of threads, for scratch memory. */
typedef opevo_status (*opevo_parallel_body)(void *context, size_t index, unsigned worker,
                                            opevo_error *err);

/* Call body(context, i, worker) for i = 0 .. count - 1, each once, on at most `threads` threads (0:
 * one a processor; the caller's is one of them). Indices are handed out in ascending order. After a
 * failure no new index is started; the failure of the lowest index is returned. */
opevo_status opevo_parallel_for(size_t count, unsigned threads, opevo_parallel_body body,
                                void *context, opevo_error *err);

OPEVO_END_C

#endif
