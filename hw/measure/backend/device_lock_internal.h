/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Processes that share a device, workers of one engine or of several and evolvers, measure in turn:
 * kernels side by side would slow each other down. Building goes on meanwhile. */

#ifndef OPEVO_DEVICE_LOCK_INTERNAL_H
#define OPEVO_DEVICE_LOCK_INTERNAL_H

#include <stdbool.h>

/* The folder of built kernels and of locks, below the user's cache folder. */
#define OPEVO_I_KERNEL_CACHE "kernels"

/* What a process does while it waits. */
typedef struct opevo_i_backend_lock_wait {
    bool watch_engine;                      /* end when the engine goes away */
    void (*note)(void *context, bool over); /* called before and after a wait; NULL: nothing */
    void *context;
} opevo_i_backend_lock_wait;

/* Wait for the lock called `name`, among those who name the same folder. Returns what
 * is to be released; -1 where no lock can be had, and nobody waits. */
int opevo_i_backend_device_lock_take(const char *folder, const char *name,
                                     const opevo_i_backend_lock_wait *wait);
void opevo_i_backend_device_lock_release(int lock);

#endif
