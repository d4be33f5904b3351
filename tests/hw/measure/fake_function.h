/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A row of the table that the stand-in for a device puts behind the text of kernels:
 * `fake_functions`, which a row without a name ends. */

#ifndef OPEVO_TESTS_FAKE_FUNCTION_H
#define OPEVO_TESTS_FAKE_FUNCTION_H

#include <stddef.h>

#include "emulate.h"

typedef struct fake_function {
    const char *name;
    const void *emulated;       /* a net_emulated */
    unsigned long most_threads; /* of a block, as its launch bounds say */
    size_t shared_bytes;        /* besides dynamic shared memory */
    int waits;                  /* whether its threads wait for one another */
    emulatedError_t (*start)(const void *emulated, dim3 grid, dim3 block, void **arguments,
                             size_t shared_bytes, emulatedStream_t stream);
} fake_function;

#endif
