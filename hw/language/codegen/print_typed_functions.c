/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Functions of int, and of float16 and bfloat16: some lanes of a vector in memory, selections, and
 * conversions. These round to nearest, of two numbers to the even one, and keep subnormal numbers;
 * NaN stays NaN. Instructions of processors and devices that do so are used where compilers have
 * them. */

#include "print_functions_internal.h"

const opevo_i_print_function opevo_i_print_typed_functions[OPEVO_I_TYPED_FUNCTIONS] = {
    {OPEVO_I_FUNCTION_GET_SHORT, "get_short", NULL, 0, 0, NULL, opevo_i_print_vector_get_short},
    {OPEVO_I_FUNCTION_GET_BYTE, "get_byte", NULL, 0, 0, NULL, opevo_i_print_vector_get_byte},
    {OPEVO_I_FUNCTION_GET_WHOLE, "get_whole", NULL, 0, 0, NULL, opevo_i_print_vector_get_whole},
    {OPEVO_I_FUNCTION_WHOLE_SELECT, "select_whole", NULL, 0, 0, NULL,
     opevo_i_print_vector_select_whole},
    {OPEVO_I_FUNCTION_WHOLE_MAX, "max_whole", NULL, 2, 0, opevo_i_print_one_max_whole,
     opevo_i_print_vector_max_whole},
    {OPEVO_I_FUNCTION_WHOLE_MIN, "min_whole", NULL, 2, 0, opevo_i_print_one_min_whole,
     opevo_i_print_vector_min_whole},
    /* The exponent of float16 gets to its place in a float by a product with 2^112, which also
     * makes subnormal numbers normal; infinities and NaN keep the largest exponent. */
    {OPEVO_I_FUNCTION_FROM_HALF, "from_half", NULL, 1, 0, opevo_i_print_one_from_half,
     opevo_i_print_vector_from_half},
    {OPEVO_I_FUNCTION_FROM_BFLOAT, "from_bfloat", NULL, 1, 0, opevo_i_print_one_from_bfloat,
     opevo_i_print_vector_from_bfloat},
    /* To nearest, of two the even one: half of the last place, less one where the last bit is 0, is
     * added before the rest is cut off. Numbers below 2^-14 are rounded by the addition of 1/2,
     * whose last place is that of subnormal numbers. */
    {OPEVO_I_FUNCTION_TO_HALF, "to_half", NULL, 1, 0, opevo_i_print_one_to_half,
     opevo_i_print_vector_to_half},
    {OPEVO_I_FUNCTION_TO_BFLOAT, "to_bfloat", NULL, 1, 0, opevo_i_print_one_to_bfloat,
     opevo_i_print_vector_to_bfloat},
};

static const opevo_i_print_function_signature signatures[] = {
    {OPEVO_I_FUNCTION_MASK, NULL, NULL, 'I'},
    {OPEVO_I_FUNCTION_GET_SHORT, NULL, NULL, 'H'},
    {OPEVO_I_FUNCTION_GET_BYTE, NULL, NULL, 'B'},
    {OPEVO_I_FUNCTION_GET_WHOLE, NULL, NULL, 'I'},
    {OPEVO_I_FUNCTION_WHOLE_SELECT, NULL, NULL, 'I'},
    {OPEVO_I_FUNCTION_WHOLE_MAX, "int", "int", 'I'},
    {OPEVO_I_FUNCTION_WHOLE_MIN, "int", "int", 'I'},
    {OPEVO_I_FUNCTION_FROM_HALF, "float", "unsigned short", 'V'},
    {OPEVO_I_FUNCTION_FROM_BFLOAT, "float", "unsigned short", 'V'},
    {OPEVO_I_FUNCTION_TO_HALF, "unsigned short", "float", 'H'},
    {OPEVO_I_FUNCTION_TO_BFLOAT, "unsigned short", "float", 'H'},
};

opevo_i_print_function_signature opevo_i_print_function_signature_of(int kind)
{
    for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++) {
        if (signatures[i].kind == kind)
            return signatures[i];
    }
    return (opevo_i_print_function_signature){kind, "float", "float", 'V'};
}
