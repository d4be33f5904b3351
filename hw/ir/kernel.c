/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Releasing a kernel. */

#include <opevo/kernel.h>

void opevo_kernel_free(opevo_kernel *kernel)
{
    opevo_text_free(&kernel->source);
    *kernel = (opevo_kernel){0};
}
