/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Real numbers as pairs of residues, for proofs that two programs compute the same function.
 *
 * p = 2^62 - 10565 and q = (p - 1) / 2 are prime. A real function of inputs is evaluated at random
 * inputs, each a uniform residue modulo p and, independently, one modulo q:
 *
 *   + - * /        in both fields
 *   numbers        a float is the rational of the least denominator that rounds to it: 0.1f is
 *                  1/10; the largest floats and infinities are infinite
 *   exp(x)         omega^(x mod q) modulo p, with omega = 4 of order q, so that
 *                  exp(a + b) = exp(a) exp(b); it has no residue modulo q, nor has what is computed
 *                  of it
 *   exp of such x, log, erf, sqrt, sin, ..., comparisons:
 *                  unknown functions of the residues modulo p, random by a keyed hash
 *   max(a, b)      of the set of all members: associative, commutative, idempotent, with -infinity
 *                  as its neutral element; min(a, b) = -max(-a, -b), |a| = max(a, -a)
 *   tanh, sigmoid  by exp; 2^x, log2, log10 by exp and log, with the float nearest to log2(e)
 *
 * Two different rational functions with numerators and denominators of degree at most d agree with
 * probability at most 2 d / p; docs/mathematics.md has the theorem and what is assumed of
 * exponentials and unknown functions.
 *
 * Sources: Schwartz, JACM 27, 1980; Zippel, EUROSAM 1979; pairs of residues: Wu et al., "Mirage",
 * OSDI 2025, section 5. */

#ifndef OPEVO_PROOF_FIELD_H
#define OPEVO_PROOF_FIELD_H

#include <opevo/simt_values.h>

OPEVO_BEGIN_C

#define OPEVO_FIELD_P UINT64_C(4611686018427377339)
#define OPEVO_FIELD_Q UINT64_C(2305843009213688669)

typedef struct opevo_field opevo_field;

/* All keys and inputs come of the seed. Errors: NOMEM. */
opevo_status opevo_field_create(uint64_t seed, opevo_field **out, opevo_error *err);
void opevo_field_destroy(opevo_field *field); /* NULL is allowed */

/* The arithmetic, borrowed. Its values are of this field only; one thread at a time. */
const opevo_simt_arithmetic *opevo_field_arithmetic(const opevo_field *field);
/* Memory failed in an operation: what was computed since is not to be used. */
bool opevo_field_failed(const opevo_field *field);

/* Input `element` of tensor `tensor`: uniform in both fields, of degree 1. */
opevo_simt_value opevo_field_input(const opevo_field *field, uint64_t tensor, uint64_t element);

/* Elements of tensors of 16 bits: values that may be rounded to such floats. Other roundings to
 * them, but of whole numbers up to 2048, are notable for opevo_simt_notable_rounding. False without
 * memory. */
bool opevo_field_store(opevo_field *field, const opevo_simt_value *values, size_t count);

typedef enum opevo_field_comparison {
    OPEVO_FIELD_EQUAL,
    OPEVO_FIELD_DIFFERENT,
    OPEVO_FIELD_OPEN /* one of the two does not exist, as 0/0 */
} opevo_field_comparison;
/* Modulo p, as results are; infinities equal themselves. */
opevo_field_comparison opevo_field_compare(const opevo_simt_value *a, const opevo_simt_value *b);
/* Degrees of numerator and denominator, at most; 2^32 - 2 stands for more. */
uint32_t opevo_field_numerator(const opevo_simt_value *value);
uint32_t opevo_field_denominator(const opevo_simt_value *value);

/* What the evaluations since the creation used beyond + - * /. */
typedef struct opevo_field_uses {
    uint64_t exponentials, unknown, maxima; /* evaluations */
    uint64_t degree; /* of their arguments, at most: the sum of those of two of them */
} opevo_field_uses;
opevo_field_uses opevo_field_used(const opevo_field *field);

OPEVO_END_C

#endif
