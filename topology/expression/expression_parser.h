/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The state of compiling one expression: the word being looked at, the code so far, and the first
 * mistake. After a mistake the word reads as the end of the text and nothing more is written, so
 * that the grammar need not ask after each step and every loop in it ends. */

#ifndef OPEVO_EXPRESSION_PARSER_H
#define OPEVO_EXPRESSION_PARSER_H

#include "expression_internal.h"
#include "expression_lex.h"

typedef struct opevo_i_topology_parser {
    const opevo_i_topology_source *source;
    opevo_i_topology_lexer lexer;
    opevo_i_topology_word word; /* the one being looked at */
    opevo_i_topology_expression *out;
    size_t code_capacity, constant_capacity, parameter_capacity;
    size_t depth;   /* values on the stack after the code so far */
    size_t nesting; /* of the grammar's recursive functions */
    opevo_status status;
    opevo_error *err;
} opevo_i_topology_parser;

/* Keep a mistake, if it is the first; the sentence goes behind "where, column n: ". */
void opevo_i_topology_parser_mistake(opevo_i_topology_parser *p, size_t column, const char *format,
                                     ...) __attribute__((format(printf, 3, 4)));
/* The word being looked at is a mistake, where `wanted` should stand. */
void opevo_i_topology_parser_unexpected(opevo_i_topology_parser *p, const char *wanted);
/* What to write instead of a word that the dialect does not have, or NULL. */
const char *opevo_i_topology_parser_translation(const opevo_i_topology_parser *p);

void opevo_i_topology_parser_next(opevo_i_topology_parser *p);
/* Pass the word if it is of this kind. */
bool opevo_i_topology_parser_accept(opevo_i_topology_parser *p, opevo_i_topology_word_kind kind);
void opevo_i_topology_parser_expect(opevo_i_topology_parser *p, opevo_i_topology_word_kind kind,
                                    const char *wanted);

/* Append an instruction; returns its place. */
size_t opevo_i_topology_parser_emit(opevo_i_topology_parser *p, unsigned opcode, size_t row,
                                    size_t argument, size_t column);
void opevo_i_topology_parser_emit_constant(opevo_i_topology_parser *p, opevo_value value,
                                           size_t column);
/* Let the jump at `place` go to the next instruction. */
void opevo_i_topology_parser_land(opevo_i_topology_parser *p, size_t place);
/* The row of a parameter, made when it is named for the first time. */
size_t opevo_i_topology_parser_row(opevo_i_topology_parser *p, size_t parameter);

#endif
