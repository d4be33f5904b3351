/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a driver says of kernels: registers and local memory of a work item, and how many of them a
 * multiprocessor holds. */

#include "gpu_internal.h"

#include <math.h>

/* Of both vendors. */
enum { LOCAL_BYTES = 3, REGISTERS = 4 };

void opevo_i_gpu_note_usage(const opevo_i_gpu_driver *driver, void *function, uint64_t threads,
                            size_t shared_bytes, opevo_i_wire_usage *usage)
{
    int value = 0;
    double resident = 0;

    if (driver->function_attribute && !driver->function_attribute(&value, REGISTERS, function))
        usage->registers = fmax(usage->registers, value);
    if (driver->function_attribute && !driver->function_attribute(&value, LOCAL_BYTES, function))
        usage->local_bytes = fmax(usage->local_bytes, value);
    if (!driver->resident_blocks ||
        driver->resident_blocks(&value, function, (int)threads, shared_bytes) != 0)
        return;
    resident = (double)value * (double)threads;
    usage->resident = usage->resident < 0 ? resident : fmin(usage->resident, resident);
}
