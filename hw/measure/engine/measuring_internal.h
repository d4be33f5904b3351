/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Jobs of opevo-worker as tasks of a pool, in the language of docs/formats/worker.md. */

#ifndef OPEVO_MEASURING_INTERNAL_H
#define OPEVO_MEASURING_INTERNAL_H

#include "pool_internal.h"
#include "protocol_internal.h"

typedef struct opevo_i_engine_measuring {
    opevo_i_engine_task super;
    opevo_i_wire_job job;
    opevo_i_wire_result result; /* once done */
} opevo_i_engine_measuring;

extern const opevo_i_engine_language opevo_i_engine_measuring_language;

void opevo_i_engine_measuring_clear(opevo_i_engine_measuring *measuring);

#endif
