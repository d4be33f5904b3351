/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Whether the engine is still there while a worker computes for minutes and reads nothing, as the
 * reference results of large operands do. */

#ifndef OPEVO_ENGINE_WATCH_INTERNAL_H
#define OPEVO_ENGINE_WATCH_INTERNAL_H

#include <pthread.h>
#include <stdbool.h>

typedef struct opevo_i_engine_watch {
    pthread_t thread;
    int wake[2]; /* a pipe: a byte in it ends the thread */
    bool started;
} opevo_i_engine_watch;

/* From here on this process ends when nobody can read what it says any more. Without a thread for
 * it the worker notices only when it next reads. */
void opevo_i_engine_watch_start(opevo_i_engine_watch *out);
void opevo_i_engine_watch_stop(opevo_i_engine_watch *self);

#endif
