/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the files of computations share: memory, index expressions, and what parsing leaves to
 * be checked. */

#ifndef OPEVO_COMPUTATION_INTERNAL_H
#define OPEVO_COMPUTATION_INTERNAL_H

#include <opevo/computation.h>

/* ---- Memory of one computation, freed at once (computation_arena.c) ---- */

typedef struct opevo_i_comp_chunk opevo_i_comp_chunk;

typedef struct opevo_i_comp_arena {
    opevo_i_comp_chunk *last;
    bool failed; /* once without memory */
} opevo_i_comp_arena;

/* Zeroed memory; NULL without, which `failed` remembers. */
void *opevo_i_comp_arena_take(opevo_i_comp_arena *arena, size_t bytes);
void *opevo_i_comp_arena_copy(opevo_i_comp_arena *arena, const void *data, size_t bytes);
void opevo_i_comp_arena_free(opevo_i_comp_arena *arena);

/* A computation in its arena, which it takes over; NULL without memory. */
opevo_computation *opevo_i_comp_create(opevo_i_comp_arena *arena,
                                       const opevo_tensor *const *tensors, int count);
/* Keep a copy of its name. Errors: NOMEM. */
opevo_status opevo_i_comp_name(opevo_computation *computation, const opevo_text *name,
                               opevo_error *err);

/* ---- integer index expressions (computation_affine.c) ---- */

/* One being computed. */
typedef struct opevo_i_comp_whole {
    int64_t constant;
    int count;
    opevo_term term[2 * OPEVO_COMPUTATION_TERMS];
} opevo_i_comp_whole;

/* Coefficients and divisors are at most this. */
#define OPEVO_I_LARGEST_WHOLE (INT64_C(1) << 40)

/* Whether it is an axis alone. */
bool opevo_i_comp_is_axis(const opevo_affine *affine);
void opevo_i_comp_whole_of(const opevo_affine *affine, opevo_i_comp_whole *out);
/* *a += factor *b. False where a coefficient overflows or terms are too many;
 * *a is then spoiled. */
bool opevo_i_comp_whole_add(opevo_i_comp_whole *a, int64_t factor, const opevo_i_comp_whole *b);
/* *a //= divisor, or %= with `modulo`; divisor >= 1. False as above or without memory. Multiples of
 * the divisor come out of the division: (4*i + j)//4 is i + j//4. */
bool opevo_i_comp_whole_divide(opevo_i_comp_whole *a, int64_t divisor, bool modulo,
                               opevo_i_comp_arena *arena);
/* Terms with those inside divisions. */
int opevo_i_comp_whole_size(const opevo_i_comp_whole *a);
/* Whether an axis occurs in it. */
bool opevo_i_comp_whole_uses(const opevo_affine *a, int axis);
/* In the arena; NULL without memory. */
opevo_affine *opevo_i_comp_whole_store(const opevo_i_comp_whole *a, opevo_i_comp_arena *arena);

/* -1, 0 or 1 in the order of terms. */
int opevo_i_comp_atom_compare(const opevo_term *a, const opevo_term *b);
int64_t opevo_i_comp_floor_divide(int64_t a, int64_t divisor);

/* ---- Checks after parsing (computation_bounds.c) ---- */

/* Whether all reads of a definition are inside their tensors wherever they are evaluated, and no
 * integer is beyond 2^60. Extents of the tensors that `implicit` names, by number, grow to
 * what is read. Errors: INVALID, LIMIT, NOMEM. */
opevo_status opevo_i_comp_check_reads(const opevo_definition *definition, const char *source,
                                      opevo_tensor *const *implicit, opevo_error *err);
/* Bounds of an integer over all axes of a definition, by interval arithmetic; nearest
 * doubles. */
void opevo_i_comp_affine_range(const opevo_definition *definition, const opevo_affine *affine,
                               double *least, double *most);

/* ---- Walks (computation.c) ---- */

/* Call `each` with every read below an expression, conditions included,
 * in the order of the text. */
typedef void (*opevo_i_comp_read_function)(void *context, const opevo_expression *read);
void opevo_i_comp_walk_reads(const opevo_expression *expression, opevo_i_comp_read_function each,
                             void *context);

/* ---- Copies (computation_map.c) ---- */

/* What a copy of an expression becomes in its leaves. */
typedef struct opevo_i_comp_mapping {
    opevo_i_comp_arena *arena;
    void *context;
    /* Instead of a read. */
    const opevo_expression *(*read)(void *context, const opevo_expression *read);
    /* Instead of an integer of axes, as a value or in a condition; NULL: it stays. */
    const opevo_affine *(*whole)(void *context, const opevo_affine *from);
    /* Called with each copy once its operands are made; NULL: nothing. */
    void (*finish)(void *context, opevo_expression *made);
} opevo_i_comp_mapping;

/* A copy in the arena; leaves are made in the order of the text, those of a condition before the
 * values that it selects. What functions that return NULL leave open, as without memory, is NULL in
 * the copy, which is then of no use. */
const opevo_expression *opevo_i_comp_map_expression(const opevo_i_comp_mapping *mapping,
                                                    const opevo_expression *from);

/* ---- Computations put together in memory (computation_rebuild.c) ---- */

/* What the text of `from` reads as, with everything that is checked then; of `from` only what is
 * printed need be set, and `number` of each tensor, which tells it from the others. `source` begins
 * messages. Errors: those of reading. Cost: linear. */
opevo_status opevo_i_comp_rebuild(const opevo_computation *from, const char *source,
                                  opevo_computation **out, opevo_error *err);

/* ---- Printing (computation_print.c) ---- */

/* An integer with the names of a definition's axes: "2*h + r - 1". */
void opevo_i_comp_affine_print(const opevo_affine *affine, const opevo_definition *definition,
                               opevo_text *out);

/* Words of the language, which are not names (computation_names.c). */
bool opevo_i_comp_is_reserved(const char *name, size_t length);

#endif
