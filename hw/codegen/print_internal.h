/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the printers of all dialects share. */

#ifndef OPEVO_PRINT_INTERNAL_H
#define OPEVO_PRINT_INTERNAL_H

#include "nest_internal.h"

/* Print a whole translation unit. */
void opevo_i_nest_print(const opevo_i_nest *nest, opevo_kernel_dialect dialect,
                        const opevo_limits *limits, opevo_kernel *out);

/* How a dialect spells things. */
typedef struct opevo_i_dialect {
    const char *index, *unsigned_index; /* types of loop variables and addresses */
    bool cpu, gpu;                      /* neither: emulation */
    const char *head;                   /* before everything */
    const char *sync, *shared;
} opevo_i_dialect;

enum { OPEVO_I_PLACES = 8, OPEVO_I_SHARED = 16 };

/* "const float *p7 = a + ...": where a statement that is repeated as text starts in a buffer. */
typedef struct opevo_i_place {
    int buffer;
    opevo_i_affine address;
} opevo_i_place;

typedef struct opevo_i_printer {
    const opevo_i_nest *nest;
    const opevo_i_atoms *atoms;
    const opevo_i_dialect *dialect;
    opevo_text *out;
    int depth;                  /* of indentation */
    bool *known;                /* of each loop variable: it is a number here, ... */
    int64_t *value;             /* ... this one */
    int64_t dynamic_at;         /* next free element of dynamic shared memory, -1: static */
    bool uses_rows, uses_masks; /* functions that the text must hold */
    bool copying;               /* inside a loop that is repeated as text */
    int places;                 /* in use now */
    opevo_i_place place[OPEVO_I_PLACES];
    /* Expressions that repeated statements have in common: k0, k1, ..., declared at this depth. */
    int shared_depth, shared_count;
    opevo_text shared[OPEVO_I_SHARED];
    int named[OPEVO_I_BUFFERS]; /* lanes of the variables that stand for a buffer, 0: an array */
} opevo_i_printer;

bool opevo_i_print_constant(const opevo_i_printer *self, const opevo_i_affine *a, int64_t *value);
void opevo_i_print_affine(opevo_i_printer *self, const opevo_i_affine *a);
/* 1: all hold, 0: one does not, -1: only known when it runs. */
int opevo_i_print_decided(const opevo_i_printer *self, const opevo_i_conditions *conditions);
void opevo_i_print_conditions(opevo_i_printer *self, const opevo_i_conditions *conditions);
void opevo_i_print_line(opevo_i_printer *self, const char *text);
void opevo_i_print_indent(opevo_i_printer *self);
void opevo_i_print_buffer(opevo_i_printer *self, int buffer);
void opevo_i_print_element(opevo_i_printer *self, const opevo_i_access *access);
/* The head of the kernel: `name`, and a pointer to each operand, spelled `pointer`. */
void opevo_i_print_signature(opevo_i_printer *self, const char *name, const char *pointer);
void opevo_i_print_scalar(opevo_i_printer *self, const opevo_i_leaf *leaf);
void opevo_i_print_node(opevo_i_printer *self, const opevo_i_node *node);
/* What is inside a node; a loop's first line and last. */
void opevo_i_print_list(opevo_i_printer *self, const opevo_i_node *node);
void opevo_i_print_for(opevo_i_printer *self, int atom, int64_t extent);
void opevo_i_print_end(opevo_i_printer *self);

/* print_gpu.c: whole kernels; a loop over lanes as one copy, false for others. */
void opevo_i_print_gpu(opevo_i_printer *self);
void opevo_i_print_emulation(opevo_i_printer *self);
bool opevo_i_print_short_vector(opevo_i_printer *self, const opevo_i_node *loop,
                                const opevo_i_leaf *leaf);

/* print_cpu.c: a whole kernel; the local buffers made outside or inside a parallel loop; a loop that
 * becomes vectors or a row, false for others. */
void opevo_i_print_cpu(opevo_i_printer *self);
/* Declare places for a loop that is about to be repeated as text, inside a new block. */
void opevo_i_print_cpu_places(opevo_i_printer *self, const opevo_i_node *node);
void opevo_i_print_cpu_buffers(opevo_i_printer *self, bool parallel);
bool opevo_i_print_cpu_loop(opevo_i_printer *self, const opevo_i_node *node,
                            const opevo_i_leaf *leaf);

#endif
