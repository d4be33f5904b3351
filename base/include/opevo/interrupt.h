/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A flag that a signal handler, an observer or another thread raises, and that all threads at work
 * look at. Raising and looking are lock-free, hence safe in a signal handler. */

#ifndef OPEVO_INTERRUPT_H
#define OPEVO_INTERRUPT_H

#include <opevo/api.h>

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

OPEVO_BEGIN_C

/* A plain value; zeroed it is not raised. By the compiler's atomics,
 * since C++ has other types for them than C. */
typedef struct opevo_interrupt {
    int raised;
} opevo_interrupt;

static_assert(__GCC_ATOMIC_INT_LOCK_FREE == 2, "a signal handler may use lock-free atomics only");

static inline void opevo_interrupt_raise(opevo_interrupt *interrupt)
{
    __atomic_store_n(&interrupt->raised, 1, __ATOMIC_SEQ_CST);
}

static inline void opevo_interrupt_lower(opevo_interrupt *interrupt)
{
    __atomic_store_n(&interrupt->raised, 0, __ATOMIC_SEQ_CST);
}

/* NULL is never raised. */
static inline bool opevo_interrupt_is_raised(const opevo_interrupt *interrupt)
{
    return interrupt && __atomic_load_n(&interrupt->raised, __ATOMIC_SEQ_CST) != 0;
}

OPEVO_END_C

#endif
