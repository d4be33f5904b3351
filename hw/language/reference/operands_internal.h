/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The operands of a kernel in a worker: random inputs, the result that is right, and the bound
 * within which a kernel's result counts as right. */

#ifndef OPEVO_OPERANDS_INTERNAL_H
#define OPEVO_OPERANDS_INTERNAL_H

#include <opevo/workload.h>

/* Memory between two pages that nobody may touch. `data` is aligned to 64 bytes and ends as close
 * to the second of them as that allows, but for a margin; what is between holds a pattern. */
typedef struct opevo_i_reference_guarded {
    unsigned char *map;
    size_t map_bytes;
    unsigned char *data;
    size_t bytes;
    size_t before, after; /* bytes of the pattern */
    uint32_t pattern;     /* from `data` on, in both directions */
} opevo_i_reference_guarded;

/* Shared with forked processes when `shared`. Errors: NOMEM. */
opevo_status opevo_i_reference_guarded_create(size_t bytes, bool shared,
                                              opevo_i_reference_guarded *out, opevo_error *err);
/* The same with so many bytes of a pattern on both sides at least. What writes a little beside it,
 * or reads there, does not crash but shows. */
opevo_status opevo_i_reference_guarded_create_wide(size_t bytes, size_t margin, uint32_t pattern,
                                                   bool shared, opevo_i_reference_guarded *out,
                                                   opevo_error *err);
/* Let the memory itself hold the pattern. */
void opevo_i_reference_guarded_fill(const opevo_i_reference_guarded *memory);
void opevo_i_reference_guarded_free(opevo_i_reference_guarded *memory);
/* Whether the pattern is as it was. */
bool opevo_i_reference_guarded_intact(const opevo_i_reference_guarded *memory);

typedef struct opevo_i_reference_operands opevo_i_reference_operands;

/* What says which results are right, where no workload does. */
typedef struct opevo_i_reference_judge {
    /* Give all operands what they hold before an execution. */
    void (*renew)(const opevo_i_reference_operands *operands);
    /* As opevo_i_reference_operands_check. */
    bool (*check)(const opevo_i_reference_operands *operands, int operand, opevo_text *why);
    void (*free)(opevo_i_reference_operands *operands);
} opevo_i_reference_judge;

struct opevo_i_reference_operands {
    /* NULL: `judge` makes and checks them. None is then an input: kernels may change any. */
    opevo_workload *work;
    const opevo_i_reference_judge *judge;
    void *context;
    opevo_workload_list list; /* its */
    /* Of each operand. Inputs can only be read; outputs are shared with forked processes. */
    size_t count[OPEVO_WORKLOAD_OPERANDS]; /* elements */
    opevo_i_reference_guarded memory[OPEVO_WORKLOAD_OPERANDS];
    float
        *wanted[OPEVO_WORKLOAD_OPERANDS]; /* an array of the operand's type, whatever the pointer's;
                                               NULL for inputs, and so is: */
    float *bound[OPEVO_WORKLOAD_OPERANDS]; /* INFINITY: unbounded */
    unsigned char *secret;                 /* where these are; not there in forked processes */
    size_t secret_bytes;                   /* of its mapping */
    double reference_s;                    /* that the right results took */
    size_t unbounded;                      /* elements of outputs that have no bound */
    unsigned
        check_threads; /* that compare a result: 1, or what the owner sets; 0: all processors */
};

/* Inputs are uniform on [-1, 1), or on [1/2, 3/2) where they decide the sign of a divisor or of the
 * argument of a root (operand_ranges.c), and rounded to their type; whole ones on all numbers of
 * int8, and of -2^20 to 2^20 - 1 for int32, or on those of them that are positive; from the stream
 * (seed, "operand", number of the input).
 * Takes `work`, also on failure. Right results are those of opevo_computation_expect, on all
 * processors. Errors: INVALID for a computation of which more than half of the elements of an
 * output have no bound; NOMEM. */
opevo_status opevo_i_reference_operands_create(opevo_workload *work, uint64_t seed,
                                               opevo_i_reference_operands *out, opevo_error *err);
void opevo_i_reference_operands_free(opevo_i_reference_operands *operands);

/* Fill the outputs with a NaN that no computation makes; those of whole types, which have none,
 * with numbers of a pattern, of which an element is the one at its place only by chance. */
void opevo_i_reference_operands_poison(const opevo_i_reference_operands *operands);

/* Whether every element of one output, `values` of its type, was written and is right; where it has
 * no bound, whether it was written (computation_reference.h has the bounds). False, with a clause
 * in `why`, otherwise. */
bool opevo_i_reference_operands_check(const opevo_i_reference_operands *operands, int operand,
                                      const void *values, opevo_text *why);

/* By tensor number, whether an input is drawn positive, and a definition should be; released with
 * opevo_free. Errors: NOMEM. */
opevo_status opevo_i_reference_positive_tensors(const opevo_computation *computation, bool **out,
                                                opevo_error *err);

/* By tensor number, how many of the terms of a sum may be alike (computation_reference.h): from 1,
 * where a number was drawn for each alone, to all of them; released with opevo_free. Errors:
 * NOMEM. */
opevo_status opevo_i_reference_find_alike(const opevo_computation *computation, double **out,
                                          opevo_error *err);

/* What a vendor's library may compute in the place of a kernel; NULL: nothing. */
static inline const opevo_operator *
opevo_i_reference_library(const opevo_i_reference_operands *operands)
{
    return operands->work ? operands->work->library : NULL;
}

/* Bytes of an element of an operand. */
static inline size_t opevo_i_reference_operand_bytes(const opevo_i_reference_operands *operands,
                                                     int operand)
{
    return (size_t)opevo_element_bytes(operands->list.item[operand].element);
}

static inline float *opevo_i_reference_floats(const opevo_i_reference_guarded *memory)
{
    return (float *)(void *)memory->data;
}

#endif
