/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Jobs of opevo-worker as tasks of a pool, in the language of docs/formats/worker.md. */

#ifndef OPEVO_MEASURING_INTERNAL_H
#define OPEVO_MEASURING_INTERNAL_H

#include "pool_internal.h"
#include "protocol_internal.h"

typedef struct opevo_i_measuring {
    opevo_i_task super;
    opevo_i_job job;
    opevo_i_result result; /* once done */
} opevo_i_measuring;

extern const opevo_i_language opevo_i_measuring_language;

void opevo_i_measuring_clear(opevo_i_measuring *measuring);

#endif
