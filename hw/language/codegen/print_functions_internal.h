/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The texts of functions that stand before a kernel. */

#ifndef OPEVO_PRINT_FUNCTIONS_INTERNAL_H
#define OPEVO_PRINT_FUNCTIONS_INTERNAL_H

#include "print_internal.h"

/* An @ is the width, a $ the bit of each lane, a ` twice the number of each lane, plus 1 in the
 * second half. NaN comes out of each as NaN, except of max and min, which are x > y ? x : y and
 * x < y ? x : y, one instruction: there x must not be NaN. */
typedef struct opevo_i_print_function {
    int kind;
    const char *name, *gpu_name;
    int operands;
    uint64_t calls; /* bits of kinds */
    const char *one, *vector;
} opevo_i_print_function;

/* Of other types than float (print_typed_functions.c), which call none of the others. */
enum { OPEVO_I_TYPED_FUNCTIONS = 10 };
extern const opevo_i_print_function opevo_i_print_typed_functions[OPEVO_I_TYPED_FUNCTIONS];

/* What is not of float: result and operands of a function of one element, and the vector's
 * letter. */
typedef struct opevo_i_print_function_signature {
    int kind;
    const char *result, *operand;
    char letter;
} opevo_i_print_function_signature;
opevo_i_print_function_signature opevo_i_print_function_signature_of(int kind);

#endif
