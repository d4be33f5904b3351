/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Classes of computations: a name or a text with ranges in the place of numbers,
 *
 *     matmul(1..4096,512,512)
 *     A[m:1..4096, k:512]; B[k, n:512]; C[m, n] = sum(k) A[m, k]*B[k, n]
 *
 * stands for all computations with a number of the range there. Each range is the extent of one
 * axis or more and of nothing else, so that a pipeline of the largest member gives kernels for all
 * (opevo_pipeline_free_axis). */

#ifndef OPEVO_COMPUTATION_CLASS_H
#define OPEVO_COMPUTATION_CLASS_H

#include <opevo/computation.h>
#include <opevo/text.h>

OPEVO_BEGIN_C

enum { OPEVO_CLASS_NUMBERS = 4 };

typedef struct opevo_class_number {
    int64_t least, most;
    size_t at, length; /* in the text */
    int axes;
    char axis[OPEVO_CLASS_NUMBERS][OPEVO_COMPUTATION_NAME + 1]; /* whose extent it is */
} opevo_class_number;

typedef struct opevo_class {
    char *text;
    opevo_computation *largest; /* with the largest numbers */
    int numbers;
    opevo_class_number number[OPEVO_CLASS_NUMBERS];
} opevo_class;

/* Errors: INVALID for a text without a range, a range that is empty or not from 1 on, one that is
 * not the extent of axes alone, and what opevo_computation_read says of its largest member; LIMIT
 * for more than OPEVO_CLASS_NUMBERS ranges or axes; NOMEM. */
opevo_status opevo_class_read(const char *text, opevo_class **out, opevo_error *err);
void opevo_class_destroy(opevo_class *self); /* NULL is allowed */

/* Append the text of the member with these numbers, one a range. */
void opevo_class_print_member(const opevo_class *self, const int64_t *numbers, opevo_text *out);
/* Whether a computation is a member, and its numbers. Errors: NOMEM. */
opevo_status opevo_class_find(const opevo_class *self, const opevo_computation *computation,
                              bool *is_member, int64_t *numbers, opevo_error *err);

OPEVO_END_C

#endif
