/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A module as OpenCL C 1.2: what its files share. The text of a function is its control flow graph,
 * blocks as labels, and a variable for each value. Pointers count bytes, and name their address
 * space, as OpenCL C 1.2 has no pointers to any. */

#ifndef OPEVO_VARIANT_OPENCL_INTERNAL_H
#define OPEVO_VARIANT_OPENCL_INTERNAL_H

#include "edits_internal.h"

#include <llvm-c/Target.h>

/* Address spaces by LLVM's numbers for NVPTX. */
enum {
    OPEVO_I_CL_GENERIC = 0, /* nothing says what it points to */
    OPEVO_I_CL_GLOBAL = 1,
    OPEVO_I_CL_LOCAL = 3,
    OPEVO_I_CL_CONSTANT = 4,
    OPEVO_I_CL_PRIVATE = 5,
    OPEVO_I_CL_SEVERAL = 99 /* memory of two kinds */
};

typedef struct opevo_i_edit_cl {
    const opevo_module *base;
    LLVMModuleRef llvm; /* a clone */
    LLVMTargetDataRef layout;
    opevo_text *out;
    opevo_index_map *numbers; /* of variables, arguments, values and blocks, from 1 */
    opevo_index_map *spaces;  /* of pointers whose type is generic */
    opevo_error *err;
    opevo_status status; /* of the first failure */
} opevo_i_edit_cl;

/* ---- variant_opencl_spaces.c ---- */

/* The first failure counts: INVALID with the sentence, or NOMEM. */
void opevo_i_edit_cl_fail(opevo_i_edit_cl *self, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void opevo_i_edit_cl_no_memory(opevo_i_edit_cl *self);

/* Find what generic pointers point to: arguments of kernels are in global memory, and the rest
 * follows. */
void opevo_i_edit_cl_find_spaces(opevo_i_edit_cl *self);
/* Of a pointer; fails where that is of two kinds. */
unsigned opevo_i_edit_cl_space(opevo_i_edit_cl *self, LLVMValueRef pointer);
bool opevo_i_edit_cl_is_kernel(const opevo_i_edit_cl *self, LLVMValueRef function);
/* The type of a struct that is passed by value; NULL: it is not. */
LLVMTypeRef opevo_i_edit_cl_struct(LLVMValueRef function, unsigned argument);

/* ---- variant_opencl_values.c ---- */

unsigned opevo_i_edit_cl_number(opevo_i_edit_cl *self, const void *what);
/* "uint", "float"; fails for what has no counterpart, such as half and vectors. */
const char *opevo_i_edit_cl_type(opevo_i_edit_cl *self, LLVMTypeRef type);
/* "int" of a type of integers. */
const char *opevo_i_edit_cl_signed(LLVMTypeRef type);
bool opevo_i_edit_cl_is_pointer(LLVMTypeRef type);
bool opevo_i_edit_cl_is_bit(LLVMTypeRef type);
/* "__global uchar *" of the space. */
const char *opevo_i_edit_cl_pointer(unsigned space);
/* Append the type of a value with a blank, or a pointer's with its star. */
void opevo_i_edit_cl_declare(opevo_i_edit_cl *self, LLVMValueRef value);
/* Append an operand: a variable or a constant. A null pointer is one of `space`. */
void opevo_i_edit_cl_operand(opevo_i_edit_cl *self, LLVMValueRef value, unsigned space);
/* Append the address that a getelementptr, or an expression of one, computes. */
void opevo_i_edit_cl_address(opevo_i_edit_cl *self, LLVMValueRef value);
/* Append the words by which `pointer` is read or written as `type`, such as "*(__global uint_m *)".
 */
void opevo_i_edit_cl_access(opevo_i_edit_cl *self, LLVMTypeRef type, LLVMValueRef pointer,
                            unsigned alignment, bool is_volatile);

/* ---- variant_opencl_calls.c ---- */

/* Append the statement of a call. */
void opevo_i_edit_cl_call(opevo_i_edit_cl *self, LLVMValueRef call);

/* ---- variant_opencl_code.c ---- */

/* Append the variables of a function, then its blocks. */
void opevo_i_edit_cl_body(opevo_i_edit_cl *self, LLVMValueRef function);

#endif
