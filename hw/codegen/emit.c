/* SPDX-License-Identifier: GPL-3.0-or-later */

/* From a schedule to a kernel: lower, check, print. */

#include <opevo/emit.h>

#include "print_internal.h"

opevo_status opevo_schedule_emit(const opevo_schedule *schedule, opevo_kernel_dialect dialect,
                                 const opevo_limits *limits, opevo_kernel *out, bool *fits,
                                 opevo_text *why, opevo_error *err)
{
    opevo_i_nest *nest = NULL;
    opevo_error inner = {OPEVO_OK, ""};
    opevo_kernel kernel = {0};
    opevo_status status = opevo_i_nest_create(schedule, &nest, &inner);

    *fits = false;
    if (status == OPEVO_INVALID || status == OPEVO_LIMIT) {
        opevo_text_add(why, inner.message);
        return OPEVO_OK;
    }
    if (status != OPEVO_OK)
        return OPEVO_FAIL(err, status, "%s", inner.message);
    if (opevo_i_nest_check(nest, dialect, limits, why)) {
        opevo_i_nest_print(nest, dialect, limits, &kernel);
        OPEVO_TRY(opevo_text_check(&kernel.source, err));
        *out = kernel;
        kernel = (opevo_kernel){0};
        *fits = true;
    }
cleanup:
    opevo_kernel_free(&kernel);
    opevo_i_nest_destroy(nest);
    return status;
}
