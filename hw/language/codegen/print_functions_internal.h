/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The texts of functions that stand before a kernel. */

#ifndef OPEVO_PRINT_FUNCTIONS_INTERNAL_H
#define OPEVO_PRINT_FUNCTIONS_INTERNAL_H

#include "print_internal.h"

/* The texts stand in the folder functions/: one_NAME.in is the body for one element, vector_NAME.in
 * the function of vectors behind its opening parenthesis. There @w@ is the width, @bits@ the bit of
 * each lane, @evens@ twice the number of each lane, plus 1 in the second half. NaN comes out of
 * each as NaN, except of max and min, which are x > y ? x : y and x < y ? x : y, one instruction:
 * there x must not be NaN. */
typedef struct opevo_i_print_function {
    int kind;
    const char *name, *gpu_name;
    int operands;
    uint64_t calls; /* bits of kinds */
    const char *one, *vector;
} opevo_i_print_function;

extern const char opevo_i_print_one_from_bfloat[], opevo_i_print_one_from_half[],
    opevo_i_print_one_max[], opevo_i_print_one_max_whole[], opevo_i_print_one_maximum[],
    opevo_i_print_one_min[], opevo_i_print_one_min_whole[], opevo_i_print_one_minimum[],
    opevo_i_print_one_sqrt[], opevo_i_print_one_to_bfloat[], opevo_i_print_one_to_half[],
    opevo_i_print_vector_erf[], opevo_i_print_vector_even[], opevo_i_print_vector_even_of[],
    opevo_i_print_vector_exp[], opevo_i_print_vector_from_bfloat[],
    opevo_i_print_vector_from_half[], opevo_i_print_vector_get[], opevo_i_print_vector_get_byte[],
    opevo_i_print_vector_get_short[], opevo_i_print_vector_get_whole[], opevo_i_print_vector_log[],
    opevo_i_print_vector_mask[], opevo_i_print_vector_max[], opevo_i_print_vector_max_whole[],
    opevo_i_print_vector_maximum[], opevo_i_print_vector_min[], opevo_i_print_vector_min_whole[],
    opevo_i_print_vector_minimum[], opevo_i_print_vector_select[],
    opevo_i_print_vector_select_whole[], opevo_i_print_vector_sigmoid[],
    opevo_i_print_vector_sqrt[], opevo_i_print_vector_tanh[], opevo_i_print_vector_to_bfloat[],
    opevo_i_print_vector_to_half[];

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
