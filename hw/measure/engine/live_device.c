/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Devices by their names: the dialect of their kernels, and what is known of the CPU. */

#include <opevo/live.h>

#include <opevo/worker.h>

#include <string.h>

#include "backend_internal.h"

opevo_status opevo_live_dialect(const char *device, opevo_kernel_dialect *out, opevo_error *err)
{
    const opevo_i_backend_ops *backend = NULL;
    const char *which = NULL;

    /* Of kinds that have several devices, one is named. */
    if (opevo_i_backend_find(device, &backend, &which, NULL) != OPEVO_OK || !backend->builds ||
        (!which && backend->is_name != opevo_i_backend_is_none))
        return OPEVO_FAIL(err, OPEVO_INVALID, "%.100s: give " OPEVO_DEVICES_OR ".", device);
    *out = backend->dialect;
    return OPEVO_OK;
}

opevo_status opevo_live_sketch_dialect(const char *device, opevo_kernel_dialect *out,
                                       unsigned *threads, opevo_error *err)
{
    const opevo_i_backend_ops *backend = NULL;
    const char *which = NULL;
    unsigned cores = 0;
    opevo_status status = opevo_live_dialect(device, out, err);

    *threads = 1;
    if (status != OPEVO_OK || opevo_i_backend_find(device, &backend, &which, NULL) != OPEVO_OK)
        return status;
    cores = backend->cpu_cores ? backend->cpu_cores(which) : 0;
    if (cores) {
        *out = OPEVO_KERNEL_OPENCL_CPU;
        *threads = cores;
    }
    return OPEVO_OK;
}

bool opevo_live_is_device(const char *name)
{
    const opevo_i_backend_ops *kind = opevo_i_backend_kind(name);

    return kind && kind->builds;
}

static void note_cpu(void *context, const opevo_hardware *device)
{
    opevo_device_facts *facts = context;

    if (device->present && strcmp(device->name, "cpu") == 0)
        *facts = (opevo_device_facts){.vector_bits = device->vector_bits,
                                      .l1_bytes = device->l1_bytes,
                                      .l2_bytes = device->l2_bytes};
}

opevo_device_facts opevo_live_cpu_facts(void)
{
    opevo_device_facts facts = {0};

    opevo_hardware_list(note_cpu, &facts);
    return facts;
}
