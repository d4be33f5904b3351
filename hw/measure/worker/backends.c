/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The kinds of devices, in the order in which they are listed. */

#include <opevo/worker.h>

#include <string.h>

#include "backend_internal.h"

/* A row is a backend's opevo_i_backend_NAME, which its file defines. */
#define BACKENDS(ROW) ROW(cpu) ROW(cuda) ROW(hip) ROW(opencl) ROW(simt) ROW(cmd)

#define DECLARE(name) extern const opevo_i_backend_ops opevo_i_backend_##name;
#define ENTRY(name) &opevo_i_backend_##name,
BACKENDS(DECLARE)
static const opevo_i_backend_ops *const backends[] = {BACKENDS(ENTRY)};

#define PLACE(name) PLACE_OF_##name,
enum { BACKENDS(PLACE) BACKENDS_COUNT };

const opevo_i_backend_ops *opevo_i_backend_kind(const char *device)
{
    size_t length = strcspn(device, ": ");

    for (size_t i = 0; i < BACKENDS_COUNT; i++) {
        if (strlen(backends[i]->kind) == length && !memcmp(backends[i]->kind, device, length))
            return backends[i];
    }
    return NULL;
}

opevo_status opevo_i_backend_find(const char *device, const opevo_i_backend_ops **out,
                                  const char **which, opevo_error *err)
{
    const opevo_i_backend_ops *found = opevo_i_backend_kind(device);
    const char *colon = strchr(device, ':');

    if (!found || !found->is_name(colon ? colon + 1 : NULL))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "\"%.80s\" is not a device; use " OPEVO_DEVICES ", simt or cmd.", device);
    *out = found;
    *which = colon ? colon + 1 : NULL;
    return OPEVO_OK;
}

void opevo_hardware_list(void (*visit)(void *context, const opevo_hardware *device), void *context)
{
    for (size_t i = 0; i < BACKENDS_COUNT; i++)
        backends[i]->list(visit, context);
}
