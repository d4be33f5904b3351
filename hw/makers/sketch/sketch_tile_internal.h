/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What start points and the choice of a sketch know of a register tile. */

#ifndef OPEVO_SKETCH_TILE_INTERNAL_H
#define OPEVO_SKETCH_TILE_INTERNAL_H

#include "sketch_internal.h"
#include "template_internal.h"

enum { OPEVO_I_SKETCH_LINE = 16 };  /* elements of a line of a cache */
enum { OPEVO_I_ACCUMULATORS = 12 }; /* that hide the latency of multiply-adds */
enum { OPEVO_I_SHORT_SUM = 64 };    /* terms below which results come and go often */

/* The splits of the stage with registers, in the order of its axes, that of the vectors last. */
typedef struct opevo_i_sketch_axes {
    int spatial[OPEVO_I_AXES], sums[OPEVO_I_AXES]; /* slots */
    int axis[OPEVO_I_AXES];                        /* of `spatial` */
    int spatials, sums_count;
} opevo_i_sketch_axes;

/* What the vectors are read from. */
typedef struct opevo_i_sketch_operand {
    const opevo_definition *definition; /* of the reader; NULL: parts of a sum */
    int lanes;                          /* its axis that they run along */
    bool broadcast;                     /* it is the other one, a number for all lanes */
    bool aligned;                       /* they begin at whole lines of a cache */
    int64_t terms, step;                /* of the longest sum, and elements from one to the next */
    bool found, adjacent, paired; /* its elements lie side by side, or every second one does */
    bool moves[OPEVO_I_AXES];     /* with these axes */
    bool computed; /* by this kernel, so that parts of it can lie where they are read */
    double elements;
} opevo_i_sketch_operand;

/* Whether each lane is a part of one sum. */
bool opevo_i_sketch_is_of_parts(const opevo_sketch *sketch);
opevo_i_sketch_axes opevo_i_sketch_find_axes(const opevo_sketch *sketch);
opevo_i_sketch_operand opevo_i_sketch_find_operand(const opevo_sketch *sketch);
opevo_i_sketch_operand opevo_i_sketch_find_broadcast(const opevo_sketch *sketch);
/* Whether so many rows of `columns` elements, each `step` elements after the one before, do not
 * stay in the first cache together, as they share few of its sets. */
bool opevo_i_sketch_clashes(int64_t step, int64_t rows, int64_t columns,
                            const opevo_device_facts *facts);
/* The factor of an axis outside divisions, 0 without. */
int64_t opevo_i_sketch_factor(const opevo_affine *index, int axis);
/* Whether the elements of a vector of sums lie side by side in the result. */
bool opevo_i_sketch_stores_adjacent(const opevo_sketch *sketch);
/* The tile, and the places in `of->spatial` of two axes, -1 for an axis that is missing.
 *
 * *rows: first of the axes that the vectors are read again for, the innermost one at which nothing
 * holds up the tile, otherwise the fastest. Where that has too few accumulators, of all others: the
 * one that gives most.
 * *blocks: where a row has no more than one vector, an axis along which the vectors' operand moves
 * and no other. The columns of the tile are those of several such vectors then. */
opevo_i_template_register_tile opevo_i_sketch_choose_rows(const opevo_sketch *sketch,
                                                          const opevo_i_sketch_axes *of,
                                                          const opevo_device_facts *facts,
                                                          int *rows, int *blocks);

/* ---- sketch_streaming.c ---- */

/* The axes with which all operands move, as with the number of a product in a batch: blocks along
 * them read nothing again. */
typedef struct opevo_i_sketch_shared_axes {
    bool has[OPEVO_I_AXES];
    int reads;
} opevo_i_sketch_shared_axes;
opevo_i_sketch_shared_axes opevo_i_sketch_find_shared(const opevo_sketch *sketch);
/* So many results along the vectors, channels of a group, read the same elements of some operand,
 * and the next ones others; 1: each reads its own; 0: all read the same ones, or nothing is
 * multiplied. */
int64_t opevo_i_sketch_group(const opevo_sketch *sketch);
/* Whether the sum is short and groups of results along the vectors, such as channels of a grouped
 * convolution, read other elements than the next group, of operands of more than twice the second
 * cache. What limits them is how early the memory is asked. */
bool opevo_i_sketch_is_grouped(const opevo_sketch *sketch, const opevo_device_facts *facts);
/* Whether each product of a batch reads operands of its own, of which that of the vectors lies as
 * they read it, takes more than half of the first cache, of which its rows share sets, and at most
 * half of the second. What limits them is how early the memory is asked for the others. */
bool opevo_i_sketch_is_batched(const opevo_sketch *sketch, const opevo_device_facts *facts);
/* The tile that such sums have in the place of `tile`, which any other keeps; *rows: the axis of
 * its rows. */
opevo_i_template_register_tile opevo_i_sketch_stream(const opevo_sketch *sketch,
                                                     const opevo_i_sketch_axes *of,
                                                     const opevo_device_facts *facts,
                                                     opevo_i_template_register_tile tile,
                                                     int *rows);

/* ---- sketch_source.c ---- */

/* Whether a stage copies elements, with padding or without, and what it copies is better read in
 * its place: `length` has the innermost lengths of the register tile by the axes that do not
 * reduce. */
bool opevo_i_sketch_reads_source(const opevo_sketch *sketch, int key, const int64_t *length,
                                 const opevo_device_facts *facts);

#endif
