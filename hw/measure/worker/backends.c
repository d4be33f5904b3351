/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The kinds of devices, in the order in which they are listed. */

#include <opevo/worker.h>

#include <string.h>

#include "backend_internal.h"

/* A row is a backend's opevo_i_backend_NAME, which its file defines. */
#define BACKENDS(ROW) ROW(cpu) ROW(cuda) ROW(hip) ROW(simt) ROW(cmd)

#define DECLARE(name) extern const opevo_i_backend_ops opevo_i_backend_##name;
#define ENTRY(name) &opevo_i_backend_##name,
BACKENDS(DECLARE)
static const opevo_i_backend_ops *const backends[] = {BACKENDS(ENTRY)};

#define PLACE(name) PLACE_OF_##name,
enum { BACKENDS(PLACE) BACKENDS_COUNT };

opevo_status opevo_i_backend_find(const char *device, const opevo_i_backend_ops **out,
                                  unsigned *ordinal, opevo_error *err)
{
    size_t length = strcspn(device, ":");
    uint64_t number = 0;

    if (device[length] && (!opevo_parse_u64(device + length + 1, &number) || number > 1023))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "\"%.80s\": expected a device number from 0 after the colon.", device);
    for (size_t i = 0; i < BACKENDS_COUNT; i++) {
        if (strlen(backends[i]->kind) == length && !memcmp(backends[i]->kind, device, length)) {
            *out = backends[i];
            *ordinal = (unsigned)number;
            return OPEVO_OK;
        }
    }
    return OPEVO_FAIL(err, OPEVO_INVALID,
                      "\"%.80s\" is not a device; use cpu, cuda:N, hip:N, simt or cmd.", device);
}

void opevo_hardware_list(void (*visit)(void *context, const opevo_hardware *device), void *context)
{
    for (size_t i = 0; i < BACKENDS_COUNT; i++)
        backends[i]->list(visit, context);
}
