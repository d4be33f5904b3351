/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the printers of all dialects share. */

#ifndef OPEVO_PRINT_INTERNAL_H
#define OPEVO_PRINT_INTERNAL_H

#include "nest_internal.h"

/* What the entry is called until its text is there, and decides its name. */
#define OPEVO_I_ENTRY "opevo_kernel"

/* Print a whole translation unit. */
void opevo_i_print_nest_print(const opevo_i_nest *nest, opevo_kernel_dialect dialect,
                              const opevo_limits *limits, opevo_kernel *out);

/* How a dialect spells things. */
typedef struct opevo_i_print_dialect {
    const char *index, *unsigned_index; /* types of loop variables and addresses */
    bool cpu, gpu;                      /* neither: emulation */
    const char *head;                   /* before everything */
    /* Of a GPU. */
    bool opencl;
    const char *wide, *unsigned_wide; /* types in the place of `index`, where int is too narrow */
    const char *function;             /* before other functions */
    const char *place[6];             /* of a block in x, y, z, and of a thread in it */
    const char *sync, *shared;
    /* Before the type of a pointer into global and into shared memory. */
    const char *global_pointer, *shared_pointer;
    const char *infinity;
} opevo_i_print_dialect;

enum { OPEVO_I_POINTERS = 8, OPEVO_I_SHARED = 16 };

/* Functions are those of opevo_expression_kind, and of the bits that say which lanes are meant: a
 * mask made of them, and a load of these lanes. */
enum {
    OPEVO_I_FUNCTION_MASK = OPEVO_EXPR_SIGMOID + 1,
    OPEVO_I_FUNCTION_GET,
    OPEVO_I_FUNCTION_GET_SHORT, /* of unsigned short, signed char, int */
    OPEVO_I_FUNCTION_GET_BYTE,
    OPEVO_I_FUNCTION_GET_WHOLE,
    OPEVO_I_FUNCTION_WHOLE_SELECT, /* of int */
    OPEVO_I_FUNCTION_WHOLE_MAX,
    OPEVO_I_FUNCTION_WHOLE_MIN,
    OPEVO_I_FUNCTION_FROM_HALF, /* the bits of float16 or bfloat16 as a float, */
    OPEVO_I_FUNCTION_FROM_BFLOAT,
    OPEVO_I_FUNCTION_TO_HALF, /* and the bits of the nearest one */
    OPEVO_I_FUNCTION_TO_BFLOAT,
    OPEVO_I_FUNCTION_EVEN,
    OPEVO_I_FUNCTION_EVEN_OF,
    OPEVO_I_FUNCTION_MAXIMUM, /* of float, where either may be NaN */
    OPEVO_I_FUNCTION_MINIMUM,
    OPEVO_I_FUNCTIONS
};

/* "const float *p7 = a + ...": where a statement that is repeated as text starts in a buffer. */
typedef struct opevo_i_print_pointer {
    int buffer;
    opevo_i_affine address;
} opevo_i_print_pointer;

typedef struct opevo_i_print_printer {
    const opevo_i_nest *nest;
    const opevo_i_affine_atoms *atoms;
    const opevo_i_print_dialect *dialect;
    int launch; /* that is printed */
    opevo_text *out;
    int depth;          /* of indentation */
    bool *known;        /* of each loop variable: it is a number here, ... */
    int64_t *value;     /* ... this one */
    int64_t dynamic_at; /* next free element of dynamic shared memory, -1: static */
    /* Functions that the text must hold. */
    bool uses_rows, uses_sums, uses_transposes, streams_transposes, uses_scatters;
    bool streams;  /* stores that bypass the caches are not yet fenced */
    bool parallel; /* threads divide a loop of the text */
    bool typed;    /* some buffer is not of float32 */
    /* Of the variables that stand for a leaf's target and factors where its lanes go one by one. */
    opevo_element lanes_type[OPEVO_I_FACTORS + 1];
    /* Functions that were called, the sum of the widths of each; of vectors of int for WHOLE. */
    unsigned char functions[OPEVO_I_FUNCTIONS];
    bool copying;  /* inside a loop that is repeated as text */
    size_t listed; /* characters of lists of lanes so far */
    int pointers;  /* in use now */
    opevo_i_print_pointer pointer[OPEVO_I_POINTERS];
    /* Expressions that repeated statements have in common: k0, k1, ..., declared at this depth. */
    int shared_depth, shared_count;
    opevo_text shared[OPEVO_I_SHARED];
    bool used[OPEVO_I_BUFFERS]; /* whether the text names a buffer */
    int named[OPEVO_I_BUFFERS]; /* lanes of the variables that stand for a buffer, 0: an array */
    /* Floats before a buffer in the scratch memory: that all threads share, or of one thread. */
    int64_t scratch_at[OPEVO_I_BUFFERS];
    int64_t scratch, thread_scratch; /* floats of both */
} opevo_i_print_printer;

/* The files that print, each using those before it only: print_index, print_typed_functions,
 * print_functions, print_types,
 * print_access with print_values, print_pointers, print_buffers; print_lanes, print_vector_values,
 * print_masks, print_rows, print_transposed, print_vector_c (print_cpu_internal.h);
 * print_vector_gpu; print_nest; print_pack; print_kernel_c, print_kernel_gpu,
 * print_kernel_emulation; print. */

/* ---- print_index.c ---- */

/* A loop variable is this number until it is released. */
static inline void opevo_i_print_fix(opevo_i_print_printer *self, int atom, int64_t value)
{
    self->known[atom] = true;
    self->value[atom] = value;
}

static inline void opevo_i_print_release(opevo_i_print_printer *self, int atom)
{
    self->known[atom] = false;
}

bool opevo_i_print_constant(const opevo_i_print_printer *self, const opevo_i_affine *a,
                            int64_t *value);
void opevo_i_print_affine(opevo_i_print_printer *self, const opevo_i_affine *a);
/* The least and the largest value, as far as is known here. */
void opevo_i_print_bounds(const opevo_i_print_printer *self, const opevo_i_affine *a,
                          int64_t *least, int64_t *most);
/* 1: all hold, 0: one does not, -1: only known when it runs. */
int opevo_i_print_decided(const opevo_i_print_printer *self, const opevo_i_nest_guards *guards);
void opevo_i_print_guards(opevo_i_print_printer *self, const opevo_i_nest_guards *guards);
void opevo_i_print_line(opevo_i_print_printer *self, const char *text);
void opevo_i_print_indent(opevo_i_print_printer *self);
/* How many iterations there are. */
void opevo_i_print_count(opevo_i_print_printer *self, const opevo_i_nest_count *count,
                         int64_t extent);
/* A loop's first line and last. */
void opevo_i_print_for(opevo_i_print_printer *self, int atom, const opevo_i_nest_count *count,
                       int64_t extent);
void opevo_i_print_end(opevo_i_print_printer *self);
static inline opevo_kernel_count opevo_i_print_kernel_count(const opevo_i_nest_count *count)
{
    return (opevo_kernel_count){count->argument, count->per, count->tile};
}
/* The variables of extents that are arguments, n0, n1, ... */
void opevo_i_print_arguments(opevo_i_print_printer *self);
/* Stores that bypass the caches are ordered before what follows, in the thread that made them. */
void opevo_i_print_fence(opevo_i_print_printer *self);

/* ---- print_types.c ---- */

/* 'V' of the name of a vector, "V8"; "0.0f". */
char opevo_i_print_vector_letter(opevo_element element);
const char *opevo_i_print_zero_text(opevo_element element);
bool opevo_i_print_is_typed(const opevo_i_nest *nest);
/* What is where elements of a buffer are: in memory its type; in variables that of computations. */
opevo_element opevo_i_print_stored_type(const opevo_i_print_printer *self, int buffer);
/* What the value of a statement is, before it is converted to what is stored: FLOAT32 or INT32, or
 * the type that is stored where nothing is computed. */
opevo_element opevo_i_print_statement_type(const opevo_i_print_printer *self,
                                           const opevo_i_nest_leaf *leaf);
/* An element as a value of this type, FLOAT32 or INT32 or its own. */
void opevo_i_print_load(opevo_i_print_printer *self, const opevo_i_nest_access *access,
                        opevo_element type);
/* What stands before and after a value of `type`, or so many lanes of it, that is stored as
 * another; nothing for the same. */
void opevo_i_print_store_start(opevo_i_print_printer *self, opevo_element stored,
                               opevo_element type, int width);
void opevo_i_print_store_end(opevo_i_print_printer *self, opevo_element stored, opevo_element type,
                             int width);
/* The same for lanes that are read from memory, of 2 or more. */
void opevo_i_print_vector_load_start(opevo_i_print_printer *self, opevo_element stored,
                                     opevo_element type, int width);
void opevo_i_print_vector_load_end(opevo_i_print_printer *self, opevo_element stored,
                                   opevo_element type, int width);

/* ---- print_element.c ---- */

void opevo_i_print_operand_name(opevo_text *out, int operand);
void opevo_i_print_buffer(opevo_i_print_printer *self, int buffer);
void opevo_i_print_element(opevo_i_print_printer *self, const opevo_i_nest_access *access);
/* With this number for a loop variable. */
void opevo_i_print_element_at(opevo_i_print_printer *self, const opevo_i_nest_access *access,
                              int atom, int64_t value);

/* ---- print_access.c ---- */

/* The head of the launch, after `before`: its name, and a pointer to each operand and to scratch
 * memory, spelled `pointer`. */
void opevo_i_print_signature(opevo_i_print_printer *self, const char *before, const char *pointer);
/* The first line of a body that needs no scratch memory, whose argument would give a warning. */
/* What stands before the type of a pointer into a buffer. */
const char *opevo_i_print_pointer_space(const opevo_i_print_printer *self, int buffer);
void opevo_i_print_unused_scratch(opevo_i_print_printer *self);
/* The same of operands that the body, which is printed already, does not name. */
void opevo_i_print_unused_operands(opevo_i_print_printer *self);
void opevo_i_print_scalar(opevo_i_print_printer *self, const opevo_i_nest_leaf *leaf);

static inline bool opevo_i_print_leaf_adds(const opevo_i_nest_leaf *leaf)
{
    return leaf->kind == OPEVO_I_ADD || leaf->kind == OPEVO_I_MAC || leaf->kind == OPEVO_I_SUM;
}

/* ---- print_functions.c ---- */

/* The name of a function of vectors of this width, 1: of one element, which from now on stands
 * before the kernel unless the dialect has it. */
void opevo_i_print_function_name(opevo_i_print_printer *self, int kind, int width);
/* The function for values of this type: of max, min and select there are two; and the one that
 * loads some lanes of this type. */
int opevo_i_print_function_of(opevo_expression_kind kind, opevo_element type);
/* That of an operation: of a max or min of float whose first operand is a number, the short one. */
int opevo_i_print_function_of_value(const opevo_i_nest_value *value);
int opevo_i_print_get_function_of(opevo_element stored);
/* The functions that were called. */
void opevo_i_print_functions(opevo_i_print_printer *self);
/* As if all of numbers were called, in all widths. */
void opevo_i_print_call_functions(opevo_i_print_printer *self);

/* ---- print_values.c ---- */

/* What the statement of one element assigns: its value, or the larger or smaller of that and what
 * is there. */
void opevo_i_print_leaf_value(opevo_i_print_printer *self, const opevo_i_nest_leaf *leaf);
/* A part of it as a value of this type, and a condition of one, with brackets where needed; and the
 * type in which a condition compares. */
void opevo_i_print_value(opevo_i_print_printer *self, const opevo_i_nest_leaf *leaf,
                         const opevo_i_nest_value *value, opevo_element type);
opevo_element opevo_i_print_compared_type(const opevo_i_nest_condition *condition);
void opevo_i_print_condition(opevo_i_print_printer *self, const opevo_i_nest_leaf *leaf,
                             const opevo_i_nest_condition *condition);
/* "<" and so on; "+" and so on, NULL for functions and values without operands. */
const char *opevo_i_print_relation_text(opevo_condition_kind kind);
const char *opevo_i_print_operator_text(opevo_expression_kind kind);

/* ---- print_pointers.c ---- */

/* Declare base pointers for a loop that is about to be repeated as text, inside a new block. */
void opevo_i_print_pointers(opevo_i_print_printer *self, const opevo_i_nest_node *node);

/* ---- print_buffers.c ---- */

/* Give each buffer in memory its place: packed ones of a CPU kernel, all of an emulated one. */
void opevo_i_print_place_buffers(opevo_i_print_printer *self);
/* Whether a statement inside the node writes or reads the buffer. */
bool opevo_i_print_uses(const opevo_i_nest_node *node, int buffer);
/* The buffers of a CPU kernel made inside a parallel loop (NULL: outside all of them); those of a
 * scope that the launch of a GPU has, or its global memory for PACKED. */
void opevo_i_print_cpu_buffers(opevo_i_print_printer *self, const opevo_i_nest_node *parallel);
void opevo_i_print_gpu_buffers(opevo_i_print_printer *self, opevo_scope scope);
int64_t opevo_i_print_thread_count(const opevo_i_nest_launch *launch); /* of a block */

/* ---- print_transposed.c ---- */

/* A loop to be repeated as text over vectors in registers whose lanes are rows of what they are
 * copied to; false for other loops. */
bool opevo_i_print_scattered(opevo_i_print_printer *self, const opevo_i_nest_node *node);

/* ---- print_vector_c.c, print_vector_gpu.c ---- */

/* A loop over one statement as a sum of lanes; as vectors or a row, and as one copy; false for
 * other loops. */
bool opevo_i_print_cpu_sum(opevo_i_print_printer *self, const opevo_i_nest_node *node,
                           const opevo_i_nest_leaf *leaf);
bool opevo_i_print_cpu_loop(opevo_i_print_printer *self, const opevo_i_nest_node *node,
                            const opevo_i_nest_leaf *leaf);
bool opevo_i_print_short_vector(opevo_i_print_printer *self, const opevo_i_nest_node *loop,
                                const opevo_i_nest_leaf *leaf);

/* ---- print_nest.c ---- */

void opevo_i_print_node(opevo_i_print_printer *self, const opevo_i_nest_node *node);
/* What is inside a node. */
typedef void opevo_i_print_inside(opevo_i_print_printer *self, const opevo_i_nest_node *node);
opevo_i_print_inside opevo_i_print_list;
/* An IF or a LET around what `inside` prints. */
void opevo_i_print_if(opevo_i_print_printer *self, const opevo_i_nest_node *node,
                      opevo_i_print_inside *inside);
void opevo_i_print_let(opevo_i_print_printer *self, const opevo_i_nest_node *node,
                       opevo_i_print_inside *inside);

/* ---- print_pack.c ---- */

/* The functions that pack constants, and the sizes that these have then. */
void opevo_i_print_packing(opevo_i_print_printer *self, opevo_kernel *out);

/* ---- print_kernel_c.c, print_kernel_gpu.c, print_kernel_emulation.c: whole kernels ---- */

void opevo_i_print_cpu(opevo_i_print_printer *self, opevo_kernel *kernel);
/* All functions of numbers, as they stand in front of kernels. */
void opevo_i_print_all_functions(opevo_i_print_printer *self);
/* ---- print_kernel_opencl.c: the same as kernels of OpenCL, with their launches ---- */
void opevo_i_print_opencl_cpu(opevo_i_print_printer *self, opevo_kernel *kernel);
void opevo_i_print_gpu(opevo_i_print_printer *self, const opevo_kernel *kernel);
void opevo_i_print_emulation(opevo_i_print_printer *self);

#endif
