/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Every allocation of a call failing in turn. */

#ifndef OPEVO_TESTS_CHECK_MEMORY_H
#define OPEVO_TESTS_CHECK_MEMORY_H

#include "check.h"

#include <opevo/memory.h>

/* The first, the second, ... allocation of the call fails, until it meets none that does: it
 * returns NOMEM, then OK, and leaves nothing alive. */
#define CHECK_MEMORY(call) CHECK_MEMORY_OF(call, (void)0)
/* The same, once what follows has released the results. */
#define CHECK_MEMORY_OF(call, ...)                                                                 \
    do {                                                                                           \
        opevo_status check_s = OPEVO_NOMEM;                                                        \
        int64_t check_live = opevo_memory_live();                                                  \
        for (int64_t check_n = 1; check_s == OPEVO_NOMEM; check_n++) {                             \
            assert_true(check_n < 1000000);                                                        \
            opevo_memory_fail_at(check_n);                                                         \
            check_s = (call);                                                                      \
            opevo_memory_fail_at(0);                                                               \
            __VA_ARGS__;                                                                           \
            assert_int_equal(opevo_memory_live(), check_live);                                     \
        }                                                                                          \
        assert_int_equal(check_s, OPEVO_OK);                                                       \
    } while (0)

#endif
