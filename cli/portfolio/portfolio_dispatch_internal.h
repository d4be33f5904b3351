/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Functions that call the kernels of a portfolio (portfolio_opencl.c). */

#ifndef OPEVO_PORTFOLIO_DISPATCH_INTERNAL_H
#define OPEVO_PORTFOLIO_DISPATCH_INTERNAL_H

#include <opevo/kernel.h>
#include <opevo/text.h>

/* Parts of a file; start from {{0}}. */
typedef struct opevo_i_cli_portfolio_opencl {
    opevo_text sources, launches, kernels;
    size_t kernel_count, launch_count;
} opevo_i_cli_portfolio_opencl;

/* The kernel of a workload, whose operands are dense arrays. */
void opevo_i_cli_portfolio_opencl_add(opevo_i_cli_portfolio_opencl *self, size_t workload,
                                      const opevo_kernel *kernel, int operands);
void opevo_i_cli_portfolio_opencl_free(opevo_i_cli_portfolio_opencl *self);
/* kernels.h and kernels.c; `shapes` are the lines of portfolio_workload, "" without numbers. */
void opevo_i_cli_portfolio_opencl_header(bool has_shapes, opevo_text *out);
void opevo_i_cli_portfolio_opencl_source(const opevo_i_cli_portfolio_opencl *self,
                                         const char *shapes, opevo_text *out);

#endif
