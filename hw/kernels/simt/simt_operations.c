/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Operations for any processor, and the choice between them and those for wide vectors. */

#define OPEVO_I_SIMT_TABLE opevo_i_simt_any_operations
#include "simt_operations_internal.h"

opevo_i_simt_operation *const *opevo_i_simt_operations(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return opevo_i_simt_wide_operations;
#endif
    return opevo_i_simt_any_operations;
}
