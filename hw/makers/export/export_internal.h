/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the files of a kernel are made of. */

#ifndef OPEVO_EXPORT_INTERNAL_H
#define OPEVO_EXPORT_INTERNAL_H

#include <opevo/export.h>
#include <opevo/workload.h>

/* Texts of the folder texts/, C that is also C++, in the order of the program. */

/* What is included; numbers of a kernel on a CPU, of a launch on a GPU. */
extern const char opevo_i_export_start[], opevo_i_export_cpu_numbers[],
    opevo_i_export_launch_numbers[];
/* Memory and random numbers; `poison` begins at the end. */
extern const char opevo_i_export_head[];
/* Values with bounds of their errors, which opevo_i_export_graph computes with. A comparison of
 * values that may come out either way leaves the element without a bound. */
extern const char opevo_i_export_values[];
/* Values of float16 and bfloat16, and the bits of the nearest to a number in [-2, 2]; `digits` bits
 * are behind the point, and numbers from 2^least are normal. Then what values lack: results as they
 * are stored. */
extern const char opevo_i_export_typed_short_floats[], opevo_i_export_typed_values[];
/* A definition, and what becomes of a term of its sum. */
extern const char opevo_i_export_definition[], opevo_i_export_sum[];
/* `send` on a processor up to the constants that are packed; one of them declared and packed; from
 * there to the arguments of the call; and behind them. */
extern const char opevo_i_export_cpu[], opevo_i_export_pack_declare[], opevo_i_export_pack[],
    opevo_i_export_cpu_execute[], opevo_i_export_cpu_end[];
/* On a GPU: up to what is sent; shared memory of a launch; from there to what is fetched; a launch;
 * executions. */
extern const char opevo_i_export_gpu[], opevo_i_export_shared[], opevo_i_export_gpu_sent[],
    opevo_i_export_call_launch[], opevo_i_export_gpu_execute[];
/* Random inputs of a type, and the check of an output. */
extern const char opevo_i_export_fill[], opevo_i_export_check[];
/* Timing, and main up to the operands, and behind them. */
extern const char opevo_i_export_main[], opevo_i_export_main_end[];

/* Of the header: scratch memory and launches, a constant that is packed, what is said of calls on a
 * processor. */
extern const char opevo_i_export_header_text[], opevo_i_export_header_scratch[],
    opevo_i_export_header_launch[], opevo_i_export_header_pack[], opevo_i_export_header_calls[];

extern const char opevo_i_export_makefile_c[], opevo_i_export_makefile_cuda[],
    opevo_i_export_makefile_hip[], opevo_i_export_makefile_opencl[];
/* By OpenCL, behind its device (export.h): a launch, and executions. */
extern const char opevo_i_export_opencl_launch[], opevo_i_export_opencl_execute[];

/* For each definition a function element_NAME of its indices, for each output a function right_NAME
 * of the number of an element, and `prepare`, which comes first. Inputs are x_NAME; needs
 * opevo_i_export_values and `allocate`. */
void opevo_i_export_graph(opevo_text *out, const opevo_computation *computation);

/* Types (export_types.c): whether a computation has others than float32; then what
 * opevo_i_export_graph needs beside opevo_i_export_values, behind these; and the functions
 * fill_TYPE and check_TYPE of operands. */
bool opevo_i_export_is_typed(const opevo_computation *computation);
void opevo_i_export_types(opevo_text *out, const opevo_computation *computation);
void opevo_i_export_operands(opevo_text *out, const opevo_workload *work);
/* What stands before and after an element of an input as a value, and a value that is stored. */
const char *opevo_i_export_value_start(opevo_element element);
const char *opevo_i_export_value_end(opevo_element element);
const char *opevo_i_export_store_start(opevo_element element);
const char *opevo_i_export_store_end(opevo_element element);

/* How a kernel is started (export_launch.c): its numbers; on a GPU, in `send`, its memory, and a
 * function that executes it once. */
void opevo_i_export_launch(opevo_text *out, const opevo_kernel *kernel, double flop);
void opevo_i_export_reserve(opevo_text *out, const opevo_kernel *kernel);
void opevo_i_export_call(opevo_text *out, const opevo_kernel *kernel, const char *arguments);

static inline bool opevo_i_export_is_opencl(const opevo_kernel *kernel)
{
    return kernel->dialect == OPEVO_KERNEL_OPENCL || kernel->dialect == OPEVO_KERNEL_OPENCL_CPU;
}

/* Whether a kernel reads an operand in a layout of its own. */
static inline bool opevo_i_export_is_packed(const opevo_kernel *kernel, int operand)
{
    return operand < OPEVO_OPERANDS && kernel->packed[operand];
}

/* The whole program, and the header, without their labels. Errors: NOMEM. */
opevo_status opevo_i_export_program(opevo_text *out, const opevo_kernel *kernel,
                                    const opevo_workload *work, opevo_error *err);
void opevo_i_export_header(opevo_text *out, const opevo_kernel *kernel, const opevo_workload *work);

/* The texts of all files (export.c); `steps` are those of the schedule. Errors: INVALID, NOMEM. */
opevo_status opevo_i_export_files(const opevo_kernel *kernel, const opevo_workload *work,
                                  const opevo_text *steps, const opevo_export_label *label,
                                  opevo_text files[OPEVO_EXPORT_FILES], opevo_error *err);

#endif
