/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Operands of an operator or of a computation by its text. */

#ifndef OPEVO_TESTS_OPERANDS_FIXTURE_H
#define OPEVO_TESTS_OPERANDS_FIXTURE_H

#include "check.h"

#include "operands_internal.h"

static inline opevo_status operands_create(const opevo_operator *op, uint64_t seed,
                                           opevo_i_reference_operands *out, opevo_error *error)
{
    opevo_workload *work = NULL;
    opevo_status status = opevo_workload_of_operator(op, &work, error);

    return status == OPEVO_OK ? opevo_i_reference_operands_create(work, seed, out, error) : status;
}

#endif
