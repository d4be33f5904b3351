/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A flag that a signal handler, an observer or another thread raises, and that all threads at work
 * look at. Raising and looking are lock-free, hence safe in a signal handler. */

#ifndef OPEVO_INTERRUPT_H
#define OPEVO_INTERRUPT_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* A plain value; zeroed it is not raised. */
typedef struct opevo_interrupt {
    atomic_int raised;
} opevo_interrupt;

static_assert(ATOMIC_INT_LOCK_FREE == 2, "a signal handler may use lock-free atomics only");

static inline void opevo_interrupt_raise(opevo_interrupt *interrupt)
{
    atomic_store(&interrupt->raised, 1);
}

static inline void opevo_interrupt_lower(opevo_interrupt *interrupt)
{
    atomic_store(&interrupt->raised, 0);
}

/* NULL is never raised. */
static inline bool opevo_interrupt_is_raised(const opevo_interrupt *interrupt)
{
    return interrupt && atomic_load(&interrupt->raised) != 0;
}

#endif
