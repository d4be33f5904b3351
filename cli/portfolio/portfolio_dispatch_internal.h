/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Functions that call the kernels of a portfolio (portfolio_opencl.c, portfolio_gpu.c). */

#ifndef OPEVO_PORTFOLIO_DISPATCH_INTERNAL_H
#define OPEVO_PORTFOLIO_DISPATCH_INTERNAL_H

#include <opevo/kernel.h>
#include <opevo/text.h>

/* A text as literals of C, a line each. */
void opevo_i_cli_portfolio_literal(const char *text, opevo_text *out);

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

/* The same in CUDA and HIP: kernels.h, kernels.cu or kernels.hip.cpp, and their rules of make. */
typedef struct opevo_i_cli_portfolio_gpu {
    opevo_text entries; /* names of kernels, each with its first workload */
    opevo_text includes, calls, scratch;
} opevo_i_cli_portfolio_gpu;

void opevo_i_cli_portfolio_gpu_add(opevo_i_cli_portfolio_gpu *self, size_t workload,
                                   const opevo_kernel *kernel, int operands);
void opevo_i_cli_portfolio_gpu_free(opevo_i_cli_portfolio_gpu *self);
void opevo_i_cli_portfolio_gpu_header(opevo_kernel_dialect dialect, bool has_shapes,
                                      opevo_text *out);
void opevo_i_cli_portfolio_gpu_source(const opevo_i_cli_portfolio_gpu *self,
                                      opevo_kernel_dialect dialect, const char *shapes,
                                      opevo_text *out);
void opevo_i_cli_portfolio_gpu_rules(opevo_kernel_dialect dialect, opevo_text *out);

#endif
