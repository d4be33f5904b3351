/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A computation evaluated in an arithmetic of values, element by element as its text says: without
 * schedule, lowering or reference. */

#ifndef OPEVO_PROOF_DEFINITION_H
#define OPEVO_PROOF_DEFINITION_H

#include <opevo/computation.h>
#include <opevo/simt_values.h>

OPEVO_BEGIN_C

typedef struct opevo_defined opevo_defined;

/* The values of all tensors of a computation.
 *
 *   input    writes the value of an input's element, by tensor and place in row-major order
 *   context  its first argument
 *
 * Numbers of the text count as floats of single precision. An element that a definition reads
 * outside of its tensor, in a select that does not choose it, is not looked at.
 * Elements of float16 are rounded as the arithmetic has it.
 * Errors: INVALID for a tensor that is of neither float32 nor float16; LIMIT above 2^31 elements of
 * a tensor; NOMEM.
 * Cost: an operation of the arithmetic for each of a definition's at each point; 24 bytes an
 * element. */
typedef opevo_simt_value opevo_defined_input(const void *context, const opevo_tensor *tensor,
                                             uint64_t element);
opevo_status opevo_define(const opevo_computation *computation,
                          const opevo_simt_arithmetic *arithmetic, opevo_defined_input *input,
                          const void *context, opevo_defined **out, opevo_error *err);
void opevo_defined_destroy(opevo_defined *defined); /* NULL is allowed */

/* The elements of a tensor by its number, row-major; borrowed. */
const opevo_simt_value *opevo_defined_values(const opevo_defined *defined, int tensor);

OPEVO_END_C

#endif
