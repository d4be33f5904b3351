/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Networks some of whose sizes are not known before a run: dimensions that inputs name, such as
 * batch, each from a range. The model is read, and passes are run, at several sizes. Steps that are
 * the same at all of them but for numbers that are polynomials of the sizes are steps of every
 * size. */

#ifndef OPEVO_NETWORK_DYNAMIC_H
#define OPEVO_NETWORK_DYNAMIC_H

#include <opevo/network_inference.h>

OPEVO_BEGIN_C

enum {
    OPEVO_NETWORK_SIZES = 3,    /* most of a network */
    OPEVO_NETWORK_FACTORS = 8,  /* of a form: 2^SIZES */
    OPEVO_NETWORK_READINGS = 12 /* FACTORS, three others, and the least sizes */
};

/* A dimension and its sizes. */
typedef struct opevo_network_range {
    char name[OPEVO_NETWORK_DIM_NAME + 1];
    int64_t least, most; /* 1 <= least < most */
} opevo_network_range;

typedef struct opevo_network_ranges {
    int count;
    opevo_network_range range[OPEVO_NETWORK_SIZES];
} opevo_network_ranges;
/* Read "batch=1..32,length=1..512". Errors: INVALID, as a sentence that begins with the part or the
 * name. */
opevo_status opevo_network_ranges_read(const char *text, opevo_network_ranges *out,
                                       opevo_error *err);

/* Sizes in these ranges, "8,128". Errors: INVALID, as a sentence that begins with the text or a
 * name. */
opevo_status opevo_network_ranges_sizes(const opevo_network_ranges *ranges, const char *text,
                                        int64_t *out, opevo_error *err);

/* sum_S factor[S] prod_{i in S} n_i over sets S of sizes, i in S if bit i of the number S is 1. */
typedef struct opevo_network_form {
    int64_t factor[OPEVO_NETWORK_FACTORS];
} opevo_network_form;
int64_t opevo_network_form_value(const opevo_network_form *form, const int64_t *sizes);
bool opevo_network_form_is_constant(const opevo_network_form *form);

/* An axis of the definitions of a step whose extent is a form. */
typedef struct opevo_network_free_axis {
    char name[OPEVO_COMPUTATION_NAME + 1];
    opevo_network_form extent;
} opevo_network_free_axis;

enum { OPEVO_NETWORK_FREE_AXES = 4 }; /* of a step: arguments of a kernel */
typedef struct opevo_network_free_axes {
    int count;
    bool tuned; /* the step is the same at the sizes for kernels */
    opevo_network_free_axis axis[OPEVO_NETWORK_FREE_AXES];
} opevo_network_free_axes;

typedef struct opevo_network_dynamic {
    opevo_network_ranges ranges;
    /* Reading 0 is that of the largest sizes; readings 0 to points - 1 have the same steps. Of
     * others inputs and outputs were compared: of the least sizes, where one of them is 1, and of
     * those for kernels. */
    int points, readings;
    int64_t size[OPEVO_NETWORK_READINGS][OPEVO_NETWORK_SIZES];
    opevo_network *network[OPEVO_NETWORK_READINGS];
    opevo_network_inference *at[OPEVO_NETWORK_READINGS];
    int tuned;      /* the reading whose steps kernels are made for and tuned at, where they are the
                       same; 0 where others are */
    int checked[3]; /* readings for a test: of the least, of odd and of the largest sizes */
    /* By step; the definitions of reading 0 and of that for tuning name free axes free0, free1,
     * ... */
    opevo_network_free_axes *axes;
} opevo_network_dynamic;

/* Read a model at several sizes and run passes. Reading 0 has `dynamic` set.
 *
 *   given  as of opevo_network_read, without dimensions
 *   tuned  sizes for kernels; NULL: the largest
 *   mask   passes; `attention`, which depends on the number of rows, is left out
 *
 * Errors: those of opevo_network_read; INVALID for a dimension that no input names, and for the
 * first step that is another one at another size.
 * Cost: that of some 2^sizes + 3 readings, all of which are held in memory. */
opevo_status opevo_network_dynamic_read(const char *path, const opevo_network_given *given,
                                        const opevo_network_ranges *ranges, const int64_t *tuned,
                                        uint32_t mask, opevo_network_dynamic **out,
                                        opevo_error *err);
void opevo_network_dynamic_destroy(opevo_network_dynamic *dynamic); /* NULL is allowed */

/* The form that has these values at readings 0 to points - 1; false where none has. */
bool opevo_network_dynamic_fit(const opevo_network_dynamic *dynamic, const int64_t *values,
                               opevo_network_form *out);
/* That of an extent of a value. */
opevo_network_form opevo_network_dynamic_extent(const opevo_network_dynamic *dynamic, int value,
                                                int dim);

OPEVO_END_C

#endif
