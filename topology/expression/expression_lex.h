/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The words of an expression. */

#ifndef OPEVO_EXPRESSION_LEX_H
#define OPEVO_EXPRESSION_LEX_H

#include "expression_internal.h"

/* Operators and brackets, longer spellings before their beginnings: enum suffix, spelling. */
#define OPEVO_I_SIGN_LIST(X)                                                                       \
    X(SHL, "<<")                                                                                   \
    X(SHR, ">>")                                                                                   \
    X(LE, "<=")                                                                                    \
    X(GE, ">=")                                                                                    \
    X(EQ, "==")                                                                                    \
    X(NE, "!=")                                                                                    \
    X(ANDAND, "&&")                                                                                \
    X(OROR, "||")                                                                                  \
    X(SLASHES, "//")                                                                               \
    X(STARS, "**")                                                                                 \
    X(LT, "<")                                                                                     \
    X(GT, ">")                                                                                     \
    X(ASSIGN, "=")                                                                                 \
    X(BANG, "!")                                                                                   \
    X(AMPERSAND, "&")                                                                              \
    X(BAR, "|")                                                                                    \
    X(CARET, "^")                                                                                  \
    X(TILDE, "~")                                                                                  \
    X(PLUS, "+")                                                                                   \
    X(MINUS, "-")                                                                                  \
    X(STAR, "*")                                                                                   \
    X(SLASH, "/")                                                                                  \
    X(PERCENT, "%")                                                                                \
    X(QUESTION, "?")                                                                               \
    X(COLON, ":")                                                                                  \
    X(COMMA, ",")                                                                                  \
    X(OPEN, "(")                                                                                   \
    X(CLOSE, ")")                                                                                  \
    X(OPEN_SQUARE, "[")                                                                            \
    X(CLOSE_SQUARE, "]")

typedef enum opevo_i_topology_word_kind {
    OPEVO_I_WORD_END,
    OPEVO_I_WORD_VALUE, /* a number or a text */
    OPEVO_I_WORD_NAME,
    OPEVO_I_WORD_AND, /* the words of the Python dialect; in C they are names */
    OPEVO_I_WORD_OR,
    OPEVO_I_WORD_NOT,
    OPEVO_I_WORD_IF,
    OPEVO_I_WORD_ELSE,
    OPEVO_I_WORD_IN,
#define OPEVO_I_SIGN_ENUM(suffix, spelling) OPEVO_I_SIGN_##suffix,
    OPEVO_I_SIGN_LIST(OPEVO_I_SIGN_ENUM) OPEVO_I_WORD_COUNT
#undef OPEVO_I_SIGN_ENUM
} opevo_i_topology_word_kind;

typedef struct opevo_i_topology_word {
    opevo_i_topology_word_kind kind;
    const char *start; /* `length` bytes of the source */
    size_t length;
    size_t column;     /* from 1 */
    opevo_value value; /* of OPEVO_I_WORD_VALUE */
} opevo_i_topology_word;

typedef struct opevo_i_topology_lexer {
    const opevo_i_topology_source *source;
    size_t next; /* first byte not yet read */
    char *texts; /* where the bytes of texts go, as many as the source has */
} opevo_i_topology_lexer;

/* Read the next word. Errors: INVALID as opevo_i_topology_expression_create. */
opevo_status opevo_i_topology_lexer_next(opevo_i_topology_lexer *lexer, opevo_i_topology_word *word,
                                         opevo_error *err);

bool opevo_i_topology_word_is(const opevo_i_topology_word *word, const char *spelling);

#endif
