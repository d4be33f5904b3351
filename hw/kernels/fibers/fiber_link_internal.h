/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Objects linked into this process. */

#ifndef OPEVO_FIBER_LINK_INTERNAL_H
#define OPEVO_FIBER_LINK_INTERNAL_H

#include "fiber_internal.h"

struct LLVMOrcOpaqueLLJIT;

/* Link a relocatable object of `size` bytes, when its first symbol is looked up. Errors: INVALID
 * with LLVM's reason. */
opevo_status opevo_i_fiber_link(const void *object, size_t size, struct LLVMOrcOpaqueLLJIT **out,
                                opevo_error *err);
void opevo_i_fiber_unlink(struct LLVMOrcOpaqueLLJIT *jit);
/* Address of a symbol; NULL if it is not there or imports what is not. */
void *opevo_i_fiber_symbol(struct LLVMOrcOpaqueLLJIT *jit, const char *name);

#endif
