/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What stands before a kernel in C: the texts of the folder texts/. */

#ifndef OPEVO_PRINT_TEXTS_INTERNAL_H
#define OPEVO_PRINT_TEXTS_INTERNAL_H

/* GCC would keep what one step reads for the next, as windows overlap, and then broadcasts it from
 * registers, on the port of a multiply-add. */
extern const char opevo_i_print_c_head[];
/* Non-temporal stores are not ordered with others: threads that are told by those that a result is
 * there could miss it. */
extern const char opevo_i_print_c_stream_head[];
/* Bit i of a mask is for lane i. opevo_lanes: those from low to below high; opevo_turns: those i
 * with (at + i) % turn < kept. opevo_start: how many numbers e below `at` have e % turn < kept. A
 * vector that is packed leaves no gaps for the lanes that are left out. */
extern const char opevo_i_print_c_lanes_head[], opevo_i_print_c_turns_head[],
    opevo_i_print_c_start_head[];
/* Vectors that go to memory under a mask, lane by lane or by the instructions of AVX-512. Where gcc
 * 12 knows the lanes of a masked load, it may load the whole vector and blend, which reads past the
 * end of an array: the empty statement keeps them from it. */
extern const char opevo_i_print_c_mask_head[];
/* Rows that are copied as a whole: from where and up to where; and the sum of a vector. */
extern const char opevo_i_print_c_row_head[], opevo_i_print_c_from_head[],
    opevo_i_print_c_upto_head[], opevo_i_print_c_sum_head[];
/* The thread of a parallel loop that its part of the scratch memory belongs to. */
extern const char opevo_i_print_c_thread_head[];
/* Of kernels for GPUs that C executes: the short vectors of float, and of other types. */
extern const char opevo_i_print_emulation_head[], opevo_i_print_emulation_types[];

#endif
