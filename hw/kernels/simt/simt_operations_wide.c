/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Operations for x86-64 with AVX2 and FMA; the flags are in CMakeLists.txt. Results are the same,
 * as each operation is rounded as it stands. */

#define OPEVO_I_SIMT_TABLE opevo_i_simt_wide_operations
#include "simt_operations_internal.h"
