/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Parsing of computations: tokens, names, and the statement being read. A function that returns
 * false has failed, and the sentence stands in the parser's error. */

#ifndef OPEVO_COMPUTATION_PARSE_INTERNAL_H
#define OPEVO_COMPUTATION_PARSE_INTERNAL_H

#include "computation_internal.h"

#include <opevo/hash.h>

/* ---- Tokens (computation_token.c) ---- */

typedef enum opevo_i_comp_token_kind {
    OPEVO_I_TOKEN_END = 256, /* other punctuation is its character */
    OPEVO_I_TOKEN_BREAK,     /* a line end outside brackets, or ';' */
    OPEVO_I_TOKEN_NAME,
    OPEVO_I_TOKEN_NUMBER,
    OPEVO_I_TOKEN_FLOOR, /* "//" */
    OPEVO_I_TOKEN_LESS_EQUAL,
    OPEVO_I_TOKEN_GREATER_EQUAL,
    OPEVO_I_TOKEN_EQUAL,
    OPEVO_I_TOKEN_NOT_EQUAL,
    OPEVO_I_TOKEN_BAD /* nothing of the language */
} opevo_i_comp_token_kind;

typedef struct opevo_i_comp_place {
    unsigned line, column; /* from 1 */
} opevo_i_comp_place;

/* Reads ahead by one token. A plain value: a copy goes back to where it was made. */
typedef struct opevo_i_comp_tokens {
    const char *at, *line_start;
    unsigned line;
    int brackets; /* open ones, in which lines do not end */
    int kind;     /* of the token ahead */
    const char *start;
    size_t length;
    opevo_i_comp_place place;
    double number;
} opevo_i_comp_tokens;

void opevo_i_comp_tokens_start(opevo_i_comp_tokens *self, const char *text);
void opevo_i_comp_tokens_next(opevo_i_comp_tokens *self);
bool opevo_i_comp_token_is(const opevo_i_comp_tokens *self, const char *word);

/* ---- Names (computation_names.c) ---- */

typedef enum opevo_i_comp_symbol_kind {
    OPEVO_I_SYMBOL_AXIS,
    OPEVO_I_SYMBOL_TENSOR,
    OPEVO_I_SYMBOL_CONSTANT
} opevo_i_comp_symbol_kind;

typedef struct opevo_i_comp_symbol {
    const char *name;
    opevo_i_comp_symbol_kind kind;
    opevo_i_comp_place place; /* where it first stands */
    size_t next;              /* with the same hash, plus 1; 0 for none */
    int64_t value;            /* of a constant; the extent of an axis, 0 while unknown */
    int local;                /* of an axis: its number in the definition being read, or -1 */
    int tensor;               /* of a tensor: its number, -1 while it is being defined */
} opevo_i_comp_symbol;

/* What is known of a tensor beyond itself until the end of the text. */
typedef struct opevo_i_comp_pending {
    opevo_tensor *tensor;
    opevo_definition *definition; /* NULL for inputs */
    bool implicit, read;
    size_t axis[OPEVO_COMPUTATION_AXES]; /* symbol of each dimension or axis, OPEVO_I_NO_SYMBOL */
} opevo_i_comp_pending;

#define OPEVO_I_NO_SYMBOL SIZE_MAX

typedef struct opevo_i_comp_parser {
    opevo_i_comp_tokens tokens;
    const char *source;
    opevo_i_comp_arena arena;
    opevo_error *err;
    opevo_status status;
    int depth, nodes;

    opevo_i_comp_symbol *symbols;
    size_t symbol_count, symbol_capacity;
    opevo_index_map *by_name; /* from a hash to a symbol */

    opevo_i_comp_pending *pending; /* one for each tensor */
    size_t tensor_count, tensor_capacity;

    size_t axes[OPEVO_COMPUTATION_AXES]; /* symbols, of the definition being read */
    int axis_count;
    const char *defined; /* its name */
} opevo_i_comp_parser;

/* Free it also after a failure; `status` stays. */
bool opevo_i_comp_parser_start(opevo_i_comp_parser *self, const char *source, opevo_error *err);
void opevo_i_comp_parser_free(opevo_i_comp_parser *self);

/* Fail at a place, or without memory; both return false. The first failure stays. */
bool opevo_i_comp_parse_fail(opevo_i_comp_parser *self, opevo_status status,
                             opevo_i_comp_place place, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool opevo_i_comp_parse_no_memory(opevo_i_comp_parser *self);
/* "Expected WHAT, found 'x'." at the token ahead. */
bool opevo_i_comp_parse_expected(opevo_i_comp_parser *self, const char *what);
/* Take the token ahead where it is of that kind. */
bool opevo_i_comp_parse_take(opevo_i_comp_parser *self, int kind);
/* Take it, or fail. */
bool opevo_i_comp_parse_need(opevo_i_comp_parser *self, int kind, const char *what);

/* The symbol of a name, OPEVO_I_NO_SYMBOL for none. */
size_t opevo_i_comp_symbol_find(const opevo_i_comp_parser *self, const char *name, size_t length);
/* A new one; `length` is checked, and that it is not a word of the language. */
bool opevo_i_comp_symbol_add(opevo_i_comp_parser *self, const char *name, size_t length,
                             opevo_i_comp_symbol_kind kind, opevo_i_comp_place place, size_t *out);
const char *opevo_i_comp_symbol_kind_name(opevo_i_comp_symbol_kind kind);
/* A new tensor of a symbol; NULL where it fails. Valid until the next. */
opevo_i_comp_pending *opevo_i_comp_tensor_add(opevo_i_comp_parser *self, size_t symbol);

/* ---- Statements (computation_statement.c) ---- */

/* "m", "m:512" or "512" between brackets. */
typedef struct opevo_i_comp_dimension {
    size_t symbol; /* OPEVO_I_NO_SYMBOL for an extent without a name */
    int64_t extent;
    opevo_i_comp_place place;
} opevo_i_comp_dimension;

/* What may stand before a tensor's name. */
typedef struct opevo_i_comp_prefix {
    bool constant, output, typed;
    opevo_element element;
    opevo_i_comp_place place; /* of the first word, line 0 for none */
} opevo_i_comp_prefix;

/* The symbol of an axis, new where the name is. */
bool opevo_i_comp_axis_begin(opevo_i_comp_parser *self, const char *name, size_t length,
                             opevo_i_comp_place place, size_t *out);
/* Note the extent of an axis; it must not have another. */
bool opevo_i_comp_axis_extent(opevo_i_comp_parser *self, size_t symbol, int64_t extent,
                              opevo_i_comp_place place);
/* Take an axis into the definition being read. */
bool opevo_i_comp_axis_use(opevo_i_comp_parser *self, const opevo_i_comp_dimension *axis);
/* The symbol of a tensor that a statement begins. */
bool opevo_i_comp_tensor_begin(opevo_i_comp_parser *self, const char *name, size_t length,
                               opevo_i_comp_place place, size_t *out);
bool opevo_i_comp_declare(opevo_i_comp_parser *self, size_t symbol,
                          const opevo_i_comp_prefix *before,
                          const opevo_i_comp_dimension *dimensions, int count);
/* A definition of these spatial axes; NULL where it fails. Its reducer, the axes of that and its
 * value are set between the two. */
opevo_definition *opevo_i_comp_define_begin(opevo_i_comp_parser *self, size_t symbol,
                                            const opevo_i_comp_prefix *before,
                                            const opevo_i_comp_dimension *dimensions, int count);
bool opevo_i_comp_define_end(opevo_i_comp_parser *self, size_t symbol,
                             const opevo_i_comp_prefix *before, opevo_definition *definition);

/* ---- The end of the text (computation_finish.c) ---- */

/* The computation of all statements. */
bool opevo_i_comp_parse_finish(opevo_i_comp_parser *self, opevo_computation **out);

/* ---- Expressions (computation_expression.c) ---- */

/* What an expression is worth: one of the three is set. */
typedef struct opevo_i_comp_value {
    const opevo_affine *whole;
    const opevo_expression *real;
    const opevo_condition *condition;
    int depth;
    opevo_i_comp_place place;
} opevo_i_comp_value;

/* An expression that is a value, not a condition. */
bool opevo_i_comp_parse_real(opevo_i_comp_parser *self, const opevo_expression **out);
/* One that is an integer without axes. */
bool opevo_i_comp_parse_constant(opevo_i_comp_parser *self, int64_t *out);

/* ---- Making values (computation_value.c) ---- */

/* At the place of *out. */
bool opevo_i_comp_value_number(opevo_i_comp_parser *self, double number, opevo_i_comp_value *out);
/* Fails beyond the limits of terms and factors; NULL is beyond them. */
bool opevo_i_comp_value_whole(opevo_i_comp_parser *self, const opevo_i_comp_whole *whole,
                              opevo_i_comp_place place, opevo_i_comp_value *out);
/* `op` is a token: + - * / // % */
bool opevo_i_comp_value_binary(opevo_i_comp_parser *self, int op, const opevo_i_comp_value *a,
                               const opevo_i_comp_value *b, opevo_i_comp_value *out);
/* A function of one or two values, a negation of one. */
bool opevo_i_comp_value_call(opevo_i_comp_parser *self, opevo_expression_kind kind,
                             const opevo_i_comp_value *a, const opevo_i_comp_value *b,
                             opevo_i_comp_value *out);
bool opevo_i_comp_value_select(opevo_i_comp_parser *self, const opevo_i_comp_value *condition,
                               const opevo_i_comp_value *a, const opevo_i_comp_value *b,
                               opevo_i_comp_value *out);
/* `op` is a token of a comparison. */
bool opevo_i_comp_value_compare(opevo_i_comp_parser *self, int op, const opevo_i_comp_value *a,
                                const opevo_i_comp_value *b, opevo_i_comp_value *out);
bool opevo_i_comp_value_join(opevo_i_comp_parser *self, opevo_condition_kind kind,
                             const opevo_i_comp_value *a, const opevo_i_comp_value *b,
                             opevo_i_comp_value *out);
/* A value as an expression; a condition fails. */
bool opevo_i_comp_value_real(opevo_i_comp_parser *self, const opevo_i_comp_value *value,
                             const opevo_expression **out);
/* A node in the arena, counted against the limit. */
opevo_expression *opevo_i_comp_node(opevo_i_comp_parser *self, opevo_expression_kind kind,
                                    opevo_i_comp_place place);

/* ---- Types (computation_types.c) ---- */

/* Fail where the value of the definition being read has operations, elements or numbers that int32
 * has not. */
bool opevo_i_comp_check_whole(opevo_i_comp_parser *self, const opevo_expression *value);

/* ---- Ranges of whole values (computation_ranges.c) ---- */

/* Fail where a definition of a whole type may have a value, on the way or in the end, that its type
 * does not hold. All extents are known. */
bool opevo_i_comp_check_ranges(opevo_i_comp_parser *self);

#endif
