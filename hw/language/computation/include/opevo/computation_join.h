/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Computations joined to one: what one defines, another reads. */

#ifndef OPEVO_COMPUTATION_JOIN_H
#define OPEVO_COMPUTATION_JOIN_H

#include <opevo/computation.h>

OPEVO_BEGIN_C

enum { OPEVO_JOIN_INPUTS = 15 }; /* most inputs of the whole, and most outputs */

/* A computation as a part of the whole. */
typedef struct opevo_part {
    const opevo_computation *computation;
    /* A number for each of its tensors, by their own: tensors of the same number are one in the
     * whole. -1: of this part alone, which inputs cannot be. */
    const int *identity;
} opevo_part;

/* The computation of some tensors of the parts.
 *
 *   part     `parts` of them; each reads inputs of the whole and what parts before it define
 *   output   the `outputs` numbers of the tensors that are wanted
 *   out      the whole, with names as below
 *   input    receives the numbers of the inputs in the order of their names; *inputs of them
 *
 * Definitions on which no output depends are left out. A definition that does not reduce, and whose
 * only read is by another that does not reduce, at the same place, is written there. Inputs are
 * named X0, X1, ... in the order in which they are read, outputs Y0, Y1, ...; other tensors keep
 * the name of their part, with a number where that is taken; one that was an output of its part is
 * C if it reduces, P if it is select(...), such as padding, and D otherwise. Axes are named by
 * place: a0, a1, ..., those of a reduction k0, k1, ...; definitions of other shapes have other
 * letters. An index of a dimension of one element is its axis where the reader has one of one value
 * there. Of + * max min, the operand that depends on definitions is first, then those on inputs,
 * then constants. So wholes that compute the same from the same definitions are the same,
 * whatever the names in their parts.
 *
 * Errors: LIMIT for more inputs, shapes or operations than a computation has; INVALID where a part
 * does not fit, as for a tensor of two shapes; NOMEM. */
opevo_status opevo_computation_join(const opevo_part *part, int parts, const int *output,
                                    int outputs, opevo_computation **out, int *input, int *inputs,
                                    opevo_error *err);

/* What a computation computes after one of its definitions: `given` is an input of *out, which has
 * the tensors that outputs need then, under their names. Errors: NOMEM. */
opevo_status opevo_computation_after(const opevo_computation *from, const opevo_tensor *given,
                                     opevo_computation **out, opevo_error *err);

OPEVO_END_C

#endif
