/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The parts of a harness: texts that are the same for every kernel,
 * and what depends on the operator. */

#ifndef OPEVO_EXPORT_INTERNAL_H
#define OPEVO_EXPORT_INTERNAL_H

#include <opevo/export.h>
#include <opevo/workload.h>

/* Texts of the folder texts/, C that is also C++. N, K, TERMS and the like are defined before them
 * by export_program.c. In texts for one operand, $c and $C stand for its letter; $s and $S are what tells
 * an output's function and numbers from those of others, nothing where there is one output. */

/* Functions that the others need: memory, inputs, clock; `poison` begins at the end. */
extern const char opevo_i_export_head[];
/* `reference` for matrix products and for convolutions, from the numbers defined before. */
extern const char opevo_i_export_matmul[], opevo_i_export_conv2d[];
/* One constant brought into its layout. */
extern const char opevo_i_export_pack[];
/* `send`, `fetch` and `execute` on a processor, up to the arguments of the call,
 * and behind them. */
extern const char opevo_i_export_cpu[], opevo_i_export_cpu_end[];
/* The same on a GPU: up to what is sent, from there to what is fetched, one output fetched, and so
 * on. */
extern const char opevo_i_export_gpu[], opevo_i_export_gpu_sent[], opevo_i_export_gpu_fetch[],
    opevo_i_export_gpu_execute[], opevo_i_export_gpu_call[], opevo_i_export_gpu_end[];
/* Check of one output; timing, and main up to its statements, and behind them. */
extern const char opevo_i_export_check[], opevo_i_export_main[], opevo_i_export_main_end[];

/* What operands are called in the text, in their order. */
#define OPEVO_I_OPERAND_LETTERS "abcdefgh"

/* The body of the function `reference` of an output, given its place in the list of operands. */
void opevo_i_export_contraction(opevo_text *out, const opevo_contraction *what, int operand);

/* Values with bounds of their errors, which opevo_i_export_graph computes with. A comparison of
 * values that may come out either way leaves the element without a bound. */
extern const char opevo_i_export_values[];
/* Of a program for a graph: positive inputs, and the check of an output. */
extern const char opevo_i_export_graph_fill_positive[], opevo_i_export_graph_check[];
/* Values of float16 and bfloat16, and the bits of the nearest to a number in [-2, 2]; `digits` bits
 * are behind the point, and numbers from 2^least are normal. */
extern const char opevo_i_export_typed_short_floats[];
/* What opevo_i_export_values lacks: results as they are stored; the inputs and the check of a
 * type. */
extern const char opevo_i_export_typed_values[], opevo_i_export_typed_fill[],
    opevo_i_export_typed_check[];
/* The function `reference` of a computation, which fills an array `v_NAME` for each definition from
 * the inputs, `x_NAME`; needs opevo_i_export_values and `allocate`. */
void opevo_i_export_graph(opevo_text *out, const opevo_computation *computation);

/* Types (export_types.c): whether a computation has others than float32; then what
 * opevo_i_export_graph needs beside opevo_i_export_values, behind these; and the functions
 * fill_TYPE and check_TYPE of operands of other types. */
bool opevo_i_export_is_typed(const opevo_computation *computation);
void opevo_i_export_types(opevo_text *out, const opevo_computation *computation);
void opevo_i_export_typed_operands(opevo_text *out, const opevo_workload *work);
/* What stands before and after an element of an input as a value, and a value that is stored. */
const char *opevo_i_export_value_start(opevo_element element);
const char *opevo_i_export_value_end(opevo_element element);
const char *opevo_i_export_store_start(opevo_element element);
const char *opevo_i_export_store_end(opevo_element element);

/* Kernels on a GPU (export_launch.c): whether one is a single launch without scratch memory. For
 * the others: numbers of the launches behind the first; in `send`, memory; and before `execute`, a
 * function that launches all. */
bool opevo_i_export_is_simple(const opevo_kernel *kernel);
void opevo_i_export_more(opevo_text *out, const opevo_kernel *kernel);
void opevo_i_export_reserve(opevo_text *out, const opevo_kernel *kernel);
void opevo_i_export_call(opevo_text *out, const opevo_kernel *kernel, const opevo_text *arguments);

/* "#define NAME value" in 64 bits (export_program.c). */
void opevo_i_export_define(opevo_text *out, const char *name, int64_t value);
/* The beginning of a program: what it includes; and its numbers: how the kernel is started. */
void opevo_i_export_start(opevo_text *out, const opevo_kernel *kernel);
void opevo_i_export_launch(opevo_text *out, const opevo_kernel *kernel, double flop);

/* The whole program for a kernel of a computation, without its label. Errors: NOMEM. */
opevo_status opevo_i_export_graph_program(opevo_text *out, const opevo_kernel *kernel,
                                          const opevo_workload *work, opevo_error *err);
/* The whole program for a kernel of an operator, without its label. */
void opevo_i_export_program(opevo_text *out, const opevo_kernel *kernel, const opevo_operator *op);

/* The order of the files, of their names (export_names.c) and of their texts. */
enum {
    OPEVO_I_EXPORT_KERNEL,
    OPEVO_I_EXPORT_SCHEDULE,
    OPEVO_I_EXPORT_MAIN,
    OPEVO_I_EXPORT_MAKEFILE,
    OPEVO_I_EXPORT_HEADER
};

/* The texts of all files (export.c); `steps` are those of the schedule. Errors: INVALID, NOMEM. */
opevo_status opevo_i_export_files(const opevo_kernel *kernel, const opevo_workload *work,
                                  const opevo_text *steps, const opevo_export_label *label,
                                  opevo_text files[OPEVO_EXPORT_FILES], opevo_error *err);

#endif
