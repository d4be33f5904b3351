/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The tokens of a computation's text. */

#include "computation_parse_internal.h"

#include <ctype.h>
#include <string.h>

void opevo_i_comp_tokens_start(opevo_i_comp_tokens *self, const char *text)
{
    *self = (opevo_i_comp_tokens){.at = text, .line_start = text, .line = 1};
    opevo_i_comp_tokens_next(self);
}

static bool is_name_character(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Over blanks, comments and, inside brackets, line ends. */
static void skip(opevo_i_comp_tokens *self)
{
    for (;; self->at++) {
        if (*self->at == '#')
            self->at += strcspn(self->at, "\n");
        if (*self->at == '\n' && self->brackets > 0) {
            self->line++;
            self->line_start = self->at + 1;
        } else if (!strchr(" \t\r", *self->at) || !*self->at) {
            return;
        }
    }
}

/* Digits, a point and digits, an exponent: the length, 0 where none begins. */
static size_t number_length(const char *at)
{
    size_t length = strspn(at, "0123456789");
    size_t digits = length;

    if (at[length] == '.') {
        size_t behind = strspn(at + length + 1, "0123456789");

        digits += behind;
        length += 1 + behind;
    }
    if (digits == 0)
        return 0;
    if (at[length] == 'e' || at[length] == 'E') {
        size_t sign = at[length + 1] == '+' || at[length + 1] == '-';
        size_t exponent = strspn(at + length + 1 + sign, "0123456789");

        length += exponent ? 1 + sign + exponent : 0;
    }
    return length;
}

/* The number at `start`, in the C locale's form; false for one that is too long, or that is
 * infinite or becomes 0 in double precision. */
static bool read_number(opevo_i_comp_tokens *self, size_t length)
{
    char text[64];

    if (length >= sizeof text)
        return false;
    memcpy(text, self->start, length);
    text[length] = '\0';
    return opevo_parse_double(text, &self->number) &&
           (self->number != 0 || strcspn(text, "123456789") >= strcspn(text, "eE"));
}

static int two_characters(const char *at)
{
    static const struct {
        const char *text;
        int kind;
    } known[] = {{"//", OPEVO_I_TOKEN_FLOOR},
                 {"<=", OPEVO_I_TOKEN_LESS_EQUAL},
                 {">=", OPEVO_I_TOKEN_GREATER_EQUAL},
                 {"==", OPEVO_I_TOKEN_EQUAL},
                 {"!=", OPEVO_I_TOKEN_NOT_EQUAL}};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strncmp(at, known[i].text, 2) == 0)
            return known[i].kind;
    }
    return 0;
}

static int read_punctuation(opevo_i_comp_tokens *self)
{
    int kind = two_characters(self->at);

    self->length = kind ? 2 : 1;
    if (kind)
        return kind;
    kind = (unsigned char)*self->at;
    if (!strchr("[](),:=+-*/%<>;\n", kind))
        return OPEVO_I_TOKEN_BAD;
    if (kind == '(' || kind == '[')
        self->brackets++;
    if (kind == ')' || kind == ']')
        self->brackets--;
    return kind == ';' || kind == '\n' ? OPEVO_I_TOKEN_BREAK : kind;
}

void opevo_i_comp_tokens_next(opevo_i_comp_tokens *self)
{
    size_t number = 0;

    skip(self);
    self->start = self->at;
    self->place = (opevo_i_comp_place){self->line, (unsigned)(self->at - self->line_start) + 1};
    self->length = 0;
    number = number_length(self->at);
    if (!*self->at) {
        self->kind = OPEVO_I_TOKEN_END;
    } else if (number) {
        self->length = number;
        self->kind = read_number(self, number) ? OPEVO_I_TOKEN_NUMBER : OPEVO_I_TOKEN_BAD;
    } else if (is_name_character(*self->at)) {
        while (is_name_character(self->at[self->length]))
            self->length++;
        self->kind = OPEVO_I_TOKEN_NAME;
    } else {
        self->kind = read_punctuation(self);
    }
    self->at += self->length;
    if (*self->start == '\n') {
        self->line++;
        self->line_start = self->at;
    }
}

bool opevo_i_comp_token_is(const opevo_i_comp_tokens *self, const char *word)
{
    return self->kind == OPEVO_I_TOKEN_NAME && strlen(word) == self->length &&
           memcmp(self->start, word, self->length) == 0;
}
