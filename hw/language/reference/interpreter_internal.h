/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A definition as a list of instructions, each of which works on OPEVO_I_LANES points at once: so
 * the cost of interpreting is shared by many points. Points lie in the *lane* axes, flattened; the
 * other axes, the *outer* ones, have one value for all lanes. */

#ifndef OPEVO_INTERPRETER_INTERNAL_H
#define OPEVO_INTERPRETER_INTERNAL_H

#include <opevo/computation.h>

#include <math.h>

enum { OPEVO_I_LANES = 64 };

/* ---- Integer index expressions ---- */

typedef struct opevo_i_reference_division {
    uint64_t factor;
    bool modulo;
    int inner; /* a linear of lower number */
    int64_t divisor;
} opevo_i_reference_division;

/* constant + sum_a factor[a] axis[a] + sum_d factor division, modulo 2^64: offsets of reads that
 * are not evaluated may be anything. */
typedef struct opevo_i_reference_linear {
    uint64_t constant;
    uint64_t factor[OPEVO_COMPUTATION_AXES];
    unsigned axes; /* that it depends on, those inside divisions included */
    int first, divisions;
} opevo_i_reference_linear;

/* ---- Instructions ---- */

typedef enum opevo_i_reference_code_kind {
    OPEVO_I_CODE_VALUE,   /* to = an operation of the expression `kind` on registers a and b */
    OPEVO_I_CODE_READ,    /* to = tensor[linear], 0 where the guard is false */
    OPEVO_I_CODE_NUMBER,  /* to = number */
    OPEVO_I_CODE_WHOLE,   /* to = linear */
    OPEVO_I_CODE_SELECT,  /* to = mask ? a : b */
    OPEVO_I_CODE_COMPARE, /* mask to = a `condition` b */
    OPEVO_I_CODE_SIGN,    /* mask to = 0 `condition` linear */
    OPEVO_I_CODE_JOIN,    /* mask to = a `condition` b of masks */
    OPEVO_I_CODE_GUARD    /* mask to = guard and mask a has the bit `bit` */
} opevo_i_reference_code_kind;

/* Bits of a mask: what a comparison may come out as in single precision, and as what it does
 * here. */
enum { OPEVO_I_MAY_HOLD = 1, OPEVO_I_MAY_FAIL = 2, OPEVO_I_HOLDS = 4 };

typedef struct opevo_i_reference_code {
    opevo_i_reference_code_kind kind;
    opevo_expression_kind operation;
    opevo_condition_kind condition;
    int to, a, b;
    int mask, guard; /* SELECT: its mask; guard: -1 for none */
    int linear, tensor, bit;
    double number, error; /* of NUMBER */
} opevo_i_reference_code;

typedef struct opevo_i_reference_program {
    const opevo_definition *definition;
    opevo_i_reference_linear *linears;
    opevo_i_reference_division *divisions;
    opevo_i_reference_code *codes;
    size_t linear_count, linear_capacity, division_count, division_capacity, code_count,
        code_capacity;
    int registers, masks;
    bool whole; /* computed in int32, where nothing rounds */
    bool exact; /* nothing is rounded, also in what it reads, and all are of its type */
} opevo_i_reference_program;

/* Of a tensor that is defined. `exact[number]`: whether a tensor's values are single precision
 * without error. Errors: NOMEM. */
opevo_status opevo_i_reference_program_create(const opevo_tensor *tensor, const bool *exact,
                                              opevo_i_reference_program *out, opevo_error *err);
void opevo_i_reference_program_free(opevo_i_reference_program *program);

/* ---- Running (interpreter_run.c) ---- */

/* Elements of a tensor: float or double, and their errors, NULL where they are exact. */
typedef struct opevo_i_reference_source {
    const float *single;
    const double *value, *error;
    bool wide; /* int32: single precision may round them */
} opevo_i_reference_source;

typedef struct opevo_i_reference_lanes {
    double value[OPEVO_I_LANES], error[OPEVO_I_LANES];
} opevo_i_reference_lanes;

/* What one thread needs to run a program. */
typedef struct opevo_i_reference_machine {
    const opevo_i_reference_program *program;
    const opevo_i_reference_source *sources;
    bool bounds;
    unsigned lane_axes;                                        /* a bit each */
    int64_t coordinate[OPEVO_COMPUTATION_AXES][OPEVO_I_LANES]; /* of lane axes */
    int64_t outer[OPEVO_COMPUTATION_AXES];                     /* of outer axes */
    /* Of each linear: what depends on lane axes only, with the constant; what depends on outer axes
     * only; and its value where a division in it depends on both, for which `is_mixed` is set. */
    int64_t (*base)[OPEVO_I_LANES];
    int64_t *shift;
    int64_t (*mixed)[OPEVO_I_LANES];
    bool *is_mixed;
    opevo_i_reference_lanes *registers;
    unsigned char (*masks)[OPEVO_I_LANES];
} opevo_i_reference_machine;

opevo_status opevo_i_reference_machine_create(const opevo_i_reference_program *program,
                                              const opevo_i_reference_source *sources,
                                              unsigned lane_axes, bool bounds,
                                              opevo_i_reference_machine **out, opevo_error *err);
void opevo_i_reference_machine_destroy(opevo_i_reference_machine *self);
/* Take `count` points of the flattened lane axes from `first` on; lanes behind them repeat the
 * last. */
void opevo_i_reference_machine_place(opevo_i_reference_machine *self, int64_t first, int count);
/* The expression at these points and the outer axes of `outer`: in register 0. */
void opevo_i_reference_machine_run(opevo_i_reference_machine *self);

/* ---- Indices (interpreter_index.c) ---- */

/* Which linears are mixed; base of each, after the coordinates changed; shift and mixed, after
 * `outer` did. */
void opevo_i_reference_machine_set_mixed(opevo_i_reference_machine *self);
void opevo_i_reference_machine_set_base(opevo_i_reference_machine *self);
void opevo_i_reference_machine_set_shift(opevo_i_reference_machine *self);
/* The value of a linear at a lane. */
static inline int64_t opevo_i_reference_machine_value(const opevo_i_reference_machine *self,
                                                      int linear, int lane)
{
    return self->is_mixed[linear]
               ? self->mixed[linear][lane]
               : (int64_t)((uint64_t)self->base[linear][lane] + (uint64_t)self->shift[linear]);
}

/* ---- Products (interpreter_product.c) ---- */

/* Whether a program is a sum of products of two tensors, each with `exact[number]`. */
bool opevo_i_reference_program_is_product(const opevo_i_reference_program *program,
                                          const bool *exact);
/* For the `count` lanes where the machine is placed, the sums of such a program over all its
 * reduction axes, which are outer axes, and the sums of the sizes of the products. False, with
 * nothing done, where an index is a division of lane axes and outer ones together. */
bool opevo_i_reference_machine_products(opevo_i_reference_machine *self, int count, double *sums,
                                        double *sizes);
/* The errors of so many products together, whose sizes add up to `size`. Products below 2^-126 may
 * be flushed to 0; where the sum is far above that, u' covers it. */
double opevo_i_reference_products_error(double size, int64_t terms);

/* ---- Extremes ---- */

/* NaN where either is. */
static inline double opevo_i_reference_larger(double a, double b)
{
    return a > b || isnan(a) ? a : b;
}

static inline double opevo_i_reference_smaller(double a, double b)
{
    return a < b || isnan(a) ? a : b;
}

/* ---- Errors (interpreter_error.c) ---- */

/* u' of computation_reference.h. */
#define OPEVO_I_ROUNDING 0x1.000002p-24
/* The rounding of a result v with error e, which is included: e + units u' (|v| + e). */
double opevo_i_reference_rounded(double value, double error, double units);
/* Of an operation on registers: before the values are replaced, and after. */
void opevo_i_reference_error_before(const opevo_i_reference_code *code,
                                    opevo_i_reference_lanes *registers);
void opevo_i_reference_error_after(const opevo_i_reference_code *code, opevo_i_reference_lanes *to);

#endif
