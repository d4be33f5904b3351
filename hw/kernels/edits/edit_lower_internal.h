/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Lowering of NVIDIA's IR to other machines: each call of an intrinsic of NVVM is rewritten to what
 * the machine has for it. */

#ifndef OPEVO_EDIT_LOWER_INTERNAL_H
#define OPEVO_EDIT_LOWER_INTERNAL_H

#include "edits_internal.h"

typedef enum opevo_i_edit_register { /* special registers, with an axis */
                                     OPEVO_I_THREAD,
                                     OPEVO_I_BLOCK,
                                     OPEVO_I_BLOCK_SIZE,
                                     OPEVO_I_GRID_SIZE
} opevo_i_edit_register;

/* What a machine has. Each builds code before the builder's place; `self` is the lowering. */
typedef struct opevo_i_edit_lowering {
    LLVMModuleRef llvm;
    LLVMContextRef context;
    LLVMBuilderRef builder;
    LLVMValueRef (*read)(struct opevo_i_edit_lowering *self, opevo_i_edit_register which,
                         unsigned axis);
    void (*barrier)(struct opevo_i_edit_lowering *self);
    bool libm; /* functions of libdevice are those of the C library */
    void *machine;
} opevo_i_edit_lowering;

/* Rewrite all calls. Errors: INVALID with the name of what has no counterpart. */
opevo_status opevo_i_edit_lower_calls(opevo_i_edit_lowering *self, opevo_error *err);
/* Remove the attributes that name NVIDIA's machines and set the calling convention. */
void opevo_i_edit_lower_function(LLVMValueRef function, unsigned convention);
/* The function of this name and type, declared if it is not. */
LLVMValueRef opevo_i_edit_declare(LLVMModuleRef llvm, const char *name, LLVMTypeRef type);

#endif
