/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A harness file as read. Expressions stay JSON values, strings or integers, and are evaluated anew
 * for each case: opevo_i_harness_parse lays all cases out once, so that they are known to have
 * values there. */

#ifndef OPEVO_KERNEL_HARNESS_INTERNAL_H
#define OPEVO_KERNEL_HARNESS_INTERNAL_H

#include <opevo/json_read.h>
#include <opevo/kernel_harness.h>

/* ---- Expressions ---- */

enum { OPEVO_I_SIZE_NAMES = 64, OPEVO_I_SIZE_NESTING = 40 };

/* Names and what they stand for: sizes, geometry, derived ones, variables of loops. */
typedef struct opevo_i_harness_size_names {
    const char *name[OPEVO_I_SIZE_NAMES];
    int64_t value[OPEVO_I_SIZE_NAMES];
    size_t count;
} opevo_i_harness_size_names;

/* Value of an integer expression: C's operators + - * / % < <= > >= == != && || ! ?: and
 * parentheses, min(a, b), max(a, b) and ceil(a, b), a / b rounded up; all else as in C on 64 bits.
 * Errors: INVALID with "where: what is wrong", for overflow and division by 0 as well. */
opevo_status opevo_i_harness_size_evaluate(const char *text,
                                           const opevo_i_harness_size_names *names,
                                           const char *where, int64_t *out, opevo_error *err);

/* ---- Buffers and outputs ---- */

typedef enum opevo_i_harness_fill {
    OPEVO_I_FILL_NONE,
    OPEVO_I_FILL_CONSTANT, /* numbers[0] */
    OPEVO_I_FILL_UNIFORM,  /* [numbers[0], numbers[1]) */
    OPEVO_I_FILL_NORMAL,   /* mean numbers[0], standard deviation numbers[1] */
    OPEVO_I_FILL_INTEGERS, /* numbers[0] .. numbers[1] */
    OPEVO_I_FILL_CHOICE,   /* numbers[0] or numbers[1] */
    OPEVO_I_FILL_BORDER,   /* a square matrix, numbers[0] times i + j in row or column 0, else 0 */
    OPEVO_I_FILL_INDEX,
    OPEVO_I_FILL_PERMUTATION,
    OPEVO_I_FILL_EXPRESSION, /* expressions[0], of the index i */
    OPEVO_I_FILL_DOMINANT,   /* a matrix of expressions[0] rows */
    OPEVO_I_FILL_OFFSETS,    /* of a graph of expressions[0] nodes, expressions[1] edges */
    OPEVO_I_FILL_TARGETS,
    OPEVO_I_FILL_FILE /* `file` */
} opevo_i_harness_fill;

typedef enum opevo_i_harness_tolerance {
    OPEVO_I_EXACT,
    OPEVO_I_RELATIVE, /* to the larger of |golden| and the floor */
    OPEVO_I_SUMMED,   /* to their sum */
    OPEVO_I_ABSOLUTE,
    OPEVO_I_ANY /* left to a verifier */
} opevo_i_harness_tolerance;

typedef struct opevo_i_harness_buffer_plan {
    const char *name;
    opevo_kernel_element element;
    json_t *count;
    opevo_i_harness_fill fill;
    double numbers[2];
    char *file; /* owned */
    json_t *expressions[2];
    json_t *places;     /* pairs [index, value] that are set after the fill; may be NULL */
    const char *symbol; /* variable of the module that gets the contents; NULL: none */
    bool output, benign_races;
    opevo_i_harness_tolerance tolerance; /* of an output */
    double bound, floor;
} opevo_i_harness_buffer_plan;

/* ---- Steps ---- */

typedef enum opevo_i_harness_step_kind {
    OPEVO_I_STEP_LAUNCH,
    OPEVO_I_STEP_REPEAT,
    OPEVO_I_STEP_WHILE,
    OPEVO_I_STEP_ZERO
} opevo_i_harness_step_kind;

enum { OPEVO_I_ARGUMENTS = 64 }; /* of a launch, at most, and members of its structs */

typedef struct opevo_i_harness_argument_plan {
    opevo_argument_kind kind;
    size_t buffer;
    opevo_kernel_element element;
    json_t *value; /* an expression; or a number, for floats; bytes of local memory */
    struct opevo_i_harness_argument_plan *members; /* of a struct; owned */
    size_t member_count;
    const char *type; /* its name in C; may be NULL */
} opevo_i_harness_argument_plan;

typedef struct opevo_i_harness_step {
    opevo_i_harness_step_kind kind;
    const char *name;           /* kernel; variable of a repeat */
    bool call;                  /* of a C function: no grid, no block */
    json_t *grid[3], *block[3]; /* expressions; NULL: 1 */
    json_t *shared;             /* expression; may be NULL */
    opevo_i_harness_argument_plan *arguments;
    size_t argument_count;
    size_t buffer; /* flag, or what is set to 0 */
    json_t *count; /* of a repeat; most rounds of a while */
    struct opevo_i_harness_step *steps;
    size_t step_count;
    char *where; /* "steps[2].steps[0]" */
} opevo_i_harness_step;

typedef struct opevo_i_harness_case_plan {
    json_t *sizes, *geometry; /* objects of integers; geometry may be NULL */
    uint64_t seed;
} opevo_i_harness_case_plan;

struct opevo_harness {
    json_t *root; /* owns all strings */
    char *path, *reference;
    uint64_t hash;
    json_t *derived; /* an object of expressions, in order; may be NULL */
    opevo_i_harness_buffer_plan *buffers;
    size_t buffer_count;
    const char **racy; /* names in "races" that are not buffers' */
    size_t racy_count;
    opevo_i_harness_step *steps;
    size_t step_count;
    opevo_i_harness_step *reference_steps; /* of a reference in C; NULL: the same */
    size_t reference_step_count;
    opevo_harness_reference_kind reference_kind;
    const char *computation;             /* of such a reference */
    opevo_i_harness_buffer_plan *golden; /* of each buffer, filled where values are said; or NULL */
    json_t *flop, *bytes;                /* expressions; may be NULL */
    json_t *compiler, *default_point;    /* likewise */
    json_t *baselines;                   /* likewise, of "judge" */
    opevo_harness_judging judging;       /* the rest of that */
    bool plain;                          /* parameters are not macros */
    unsigned runs;                       /* that are timed; 0: it is not said */
    opevo_harness_values values;         /* owned */
    opevo_i_harness_case_plan *cases[OPEVO_HARNESS_SETS];
    size_t case_count[OPEVO_HARNESS_SETS];
    struct opevo_i_harness_memory *memory; /* contents of buffers; NULL: none is kept */
};

struct opevo_case {
    const opevo_harness *harness;
    uint64_t seed;
    opevo_i_harness_size_names names;
    opevo_buffer *buffers;
    void **memory; /* of each buffer, freed when the case is closed */
    char *label;
    bool anew; /* with contents that nobody asks for again */
};

/* Contents that opevo_harness_remember has kept (case_memory.c): whether they are written to the
 * buffer; keep those of the buffer. */
bool opevo_i_harness_recall(const opevo_case *self, const opevo_i_harness_buffer_plan *plan,
                            opevo_buffer *buffer);
void opevo_i_harness_keep(const opevo_case *self, const opevo_i_harness_buffer_plan *plan,
                          const opevo_buffer *buffer);
void opevo_i_harness_forget(opevo_harness *harness);

enum { OPEVO_I_WHERE_SIZE = 512 };

/* Fail with "PATH: key: sentence". */
opevo_status opevo_i_harness_fail(const opevo_harness *harness, opevo_error *err, const char *key,
                                  const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Value of the expression at `key`, between least and most. */
opevo_status opevo_i_harness_value(const opevo_harness *harness, json_t *expression,
                                   const opevo_i_harness_size_names *names, const char *key,
                                   int64_t least, int64_t most, int64_t *out, opevo_error *err);

/* Read the members "buffers", "outputs" and "races"; "steps"; "sets". */
opevo_status opevo_i_harness_buffers(opevo_harness *harness, const opevo_json_reader *root,
                                     opevo_error *err);
opevo_status opevo_i_harness_steps(opevo_harness *harness, const opevo_json_reader *root,
                                   opevo_error *err);
void opevo_i_harness_steps_free(opevo_i_harness_step *steps, size_t count);
opevo_status opevo_i_harness_sets(opevo_harness *harness, const opevo_json_reader *root,
                                  opevo_error *err);
/* Read the members that only tuning asks for: flop, bytes, compiler, default, and a reference that
 * is not the path of a module. */
opevo_status opevo_i_harness_tuning(opevo_harness *harness, const opevo_json_reader *root,
                                    opevo_error *err);
void opevo_i_harness_tuning_free(opevo_harness *harness);
/* The path of a file that the harness names, seen from its folder; release with opevo_free. Errors:
 * NOMEM. */
opevo_status opevo_i_harness_path(const opevo_harness *harness, const char *file, char **out,
                                  opevo_error *err);
/* The fill at `at` of a buffer whose element is known; none where it is absent. */
opevo_status opevo_i_harness_read_fill(const opevo_harness *harness, const opevo_json_reader *at,
                                       opevo_i_harness_buffer_plan *buffer, opevo_error *err);
/* Steps at `at`. */
opevo_status opevo_i_harness_read_steps(const opevo_harness *harness, const opevo_json_reader *at,
                                        opevo_i_harness_step **out, size_t *count,
                                        opevo_error *err);
/* Number of the buffer of a name; harness->buffer_count if none has it. */
size_t opevo_i_harness_buffer(const opevo_harness *harness, const char *name);

/* The name of a kernel, "scale<W, float>", with values in the place of names. Errors: LIMIT. */
opevo_status opevo_i_harness_kernel_name(const opevo_case *self, const opevo_i_harness_step *step,
                                         char out[OPEVO_KERNEL_EXPRESSION], opevo_error *err);
/* Lay out a case without its memory: names, counts and sizes, label; frees nothing on failure, as
 * opevo_case_close does. */
opevo_status opevo_i_harness_case_lay_out(opevo_case *self, const opevo_i_harness_case_plan *plan,
                                          const opevo_harness_values *values, opevo_error *err);
/* Set element i, of any type, to an integer, and to a number that it holds. */
void opevo_i_harness_set_integer(opevo_buffer *buffer, size_t i, int64_t value);
void opevo_i_harness_set_number(opevo_buffer *buffer, size_t i, double value);
/* Write the initial contents of buffer i. */
opevo_status opevo_i_harness_case_fill(opevo_case *self, size_t i, opevo_error *err);
/* Check that the fill of buffer i has values for the case. */
opevo_status opevo_i_harness_case_fill_check(const opevo_case *self, size_t i, opevo_error *err);

#endif
