/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Types and expressions of T1 problems. */

#ifndef OPEVO_OWN_T1_INTERNAL_H
#define OPEVO_OWN_T1_INTERNAL_H

#include <opevo/space.h>
#include <opevo/text.h>

#include <jansson.h>

/* Of {"X": ...}, [...] or one alone; NULL without. */
const json_t *opevo_i_own_t1_axis(const json_t *sizes, int axis);

/* Print an expression in Python, or a number, as an expression of a harness: words and signs as C
 * has them, ProblemSize[k] by its value, and max(NAME) and min(NAME), which are over all values of
 * a parameter.
 *   problem  ProblemSize; NULL: none
 *   space    the parameters */
void opevo_i_own_t1_print(const json_t *problem, const opevo_space *space, const json_t *given,
                          opevo_text *out);

/* Whether an argument has a type of the user's, of TypeSize bytes. */
bool opevo_i_own_t1_is_custom(const json_t *argument);
/* The type of an argument's elements, as harnesses name it, and how many make a vector such as
 * float4, or bytes one of the user's types. NULL: an unknown type. */
const char *opevo_i_own_t1_element(const json_t *argument, unsigned *lanes);

#endif
