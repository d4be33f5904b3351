/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The kinds of devices. A new one is a file with its row of functions, and its name here. */

#include "backend_internal.h"

#include <string.h>

static const opevo_i_backend_ops *const backends[] = {
    &opevo_i_backend_cpu, &opevo_i_backend_cuda, &opevo_i_backend_hip, &opevo_i_backend_cmd, NULL,
};

size_t opevo_i_backend_count(void)
{
    size_t count = 0;

    while (backends[count])
        count++;
    return count;
}

const opevo_i_backend_ops *opevo_i_backend_get(size_t i)
{
    return backends[i];
}

opevo_status opevo_i_backend_find(const char *device, const opevo_i_backend_ops **out,
                                  unsigned *ordinal, opevo_error *err)
{
    size_t length = strcspn(device, ":");
    uint64_t number = 0;

    if (device[length] && (!opevo_parse_u64(device + length + 1, &number) || number > 1023))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "\"%.80s\": behind the colon stands the number of a device, from 0.",
                          device);
    for (size_t i = 0; i < opevo_i_backend_count(); i++) {
        if (strlen(backends[i]->kind) == length && !memcmp(backends[i]->kind, device, length)) {
            *out = backends[i];
            *ordinal = (unsigned)number;
            return OPEVO_OK;
        }
    }
    return OPEVO_FAIL(err, OPEVO_INVALID, "\"%.80s\" is no device: give cpu, cuda:N, hip:N or cmd.",
                      device);
}

void opevo_hardware_list(void (*visit)(void *context, const opevo_hardware *device), void *context)
{
    for (size_t i = 0; i < opevo_i_backend_count(); i++)
        backends[i]->list(visit, context);
}
