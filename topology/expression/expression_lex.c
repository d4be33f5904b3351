/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Words of constraint expressions in the dialects of C and Python. */

#include "expression_lex.h"

#include <ctype.h>
#include <string.h>

#define AT(lexer, place) ((lexer)->source->where), ((lexer)->source->column + (place))

static const char no_number[] = "is not a number; suffixes are not supported";

bool opevo_i_topology_word_is(const opevo_i_topology_word *word, const char *spelling)
{
    return strlen(spelling) == word->length && memcmp(word->start, spelling, word->length) == 0;
}

/* The byte at a place, 0 behind the end. */
static unsigned char byte_at(const opevo_i_topology_lexer *lexer, size_t place)
{
    return place < lexer->source->length ? (unsigned char)lexer->source->text[place] : 0;
}

static bool in_name(unsigned char c)
{
    return isalnum(c) || c == '_';
}

static bool read_integer(const char *digits, opevo_dialect dialect, int64_t *out,
                         const char **fault)
{
    unsigned base = 10;
    int64_t value = 0;
    const char *c = digits;

    if (c[0] == '0' && (c[1] == 'x' || c[1] == 'X') && c[2]) {
        base = 16;
        c += 2;
    } else if (c[0] == '0' && c[1]) {
        base = 8;
        if (dialect == OPEVO_DIALECT_PYTHON && c[strspn(c, "0")]) {
            *fault = "begins with a 0";
            return false;
        }
    }
    for (; *c; c++) {
        unsigned digit = 99;

        if (isdigit((unsigned char)*c))
            digit = (unsigned)(*c - '0');
        else if (isxdigit((unsigned char)*c))
            digit = (unsigned)(tolower((unsigned char)*c) - 'a') + 10;
        if (digit >= base) {
            *fault =
                base == 8 ? "begins with a 0 and so is octal, but has other digits" : no_number;
            return false;
        }
        if (__builtin_mul_overflow(value, (int64_t)base, &value) ||
            __builtin_add_overflow(value, (int64_t)digit, &value)) {
            *fault = "is too large for 64 bits";
            return false;
        }
    }
    *out = value;
    return true;
}

/* A number takes all letters and digits that follow, so that 12abc is one wrong number. */
static size_t number_length(const opevo_i_topology_lexer *lexer, bool *real)
{
    size_t start = lexer->next, end = start;
    bool hexadecimal = byte_at(lexer, start) == '0' && (byte_at(lexer, start + 1) | 0x20) == 'x';

    *real = false;
    for (;; end++) {
        unsigned char c = byte_at(lexer, end), before = end > start ? byte_at(lexer, end - 1) : 0;

        if (c == '.' || (!hexadecimal && (c == 'e' || c == 'E')))
            *real = true;
        else if ((c == '+' || c == '-') && !hexadecimal && (before | 0x20) == 'e')
            continue;
        else if (!in_name(c))
            return end - start;
    }
}

static opevo_status read_number(opevo_i_topology_lexer *lexer, opevo_i_topology_word *word,
                                opevo_error *err)
{
    char digits[64];
    bool real = false;
    const char *fault = no_number;

    word->length = number_length(lexer, &real);
    if (word->length >= sizeof digits)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s, column %zu: the number is too long.",
                          AT(lexer, lexer->next));
    memcpy(digits, word->start, word->length);
    digits[word->length] = '\0';
    word->kind = OPEVO_I_WORD_VALUE;
    word->value.kind = real ? OPEVO_VALUE_REAL : OPEVO_VALUE_INTEGER;
    if (real ? !opevo_parse_double(digits, &word->value.as.real)
             : !read_integer(digits, lexer->source->dialect, &word->value.as.integer, &fault))
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s, column %zu: %s %s.", AT(lexer, lexer->next),
                          digits, fault);
    lexer->next += word->length;
    return OPEVO_OK;
}

/* The byte that a backslash and `c` stand for, or 0. */
static char unescape(unsigned char c)
{
    switch (c) {
    case 'n':
        return '\n';
    case 't':
        return '\t';
    case '\\':
    case '\'':
    case '"':
        return (char)c;
    default:
        return 0;
    }
}

static opevo_status read_text(opevo_i_topology_lexer *lexer, opevo_i_topology_word *word,
                              opevo_error *err)
{
    size_t place = lexer->next + 1;
    unsigned char quote = byte_at(lexer, lexer->next), c = 0;
    char *out = lexer->texts;

    word->kind = OPEVO_I_WORD_VALUE;
    word->value = (opevo_value){.kind = OPEVO_VALUE_TEXT, .as = {.text = out}};
    while ((c = byte_at(lexer, place)) != quote) {
        if (c == 0)
            return OPEVO_FAIL(err, OPEVO_INVALID, "%s, column %zu: the quote is never closed.",
                              AT(lexer, lexer->next));
        if (c == '\\') {
            c = (unsigned char)unescape(byte_at(lexer, ++place));
            if (c == 0)
                return OPEVO_FAIL(err, OPEVO_INVALID,
                                  "%s, column %zu: after a backslash only n, t, a quote or a "
                                  "backslash is understood.",
                                  AT(lexer, place - 1));
        }
        *out++ = (char)c;
        place++;
    }
    *out++ = '\0'; /* in the room of a quote */
    lexer->texts = out;
    word->length = place + 1 - lexer->next;
    lexer->next = place + 1;
    return OPEVO_OK;
}

/* The dot of PARENT.BRANCH.KEY. */
static bool joins_names(const opevo_i_topology_lexer *lexer)
{
    unsigned char next = byte_at(lexer, lexer->next + 1);

    return byte_at(lexer, lexer->next) == '.' && in_name(next) && !isdigit(next);
}

static void read_name(opevo_i_topology_lexer *lexer, opevo_i_topology_word *word)
{
    static const struct {
        const char *spelling;
        opevo_i_topology_word_kind kind;
    } reserved[] = {
        {"and", OPEVO_I_WORD_AND}, {"or", OPEVO_I_WORD_OR},     {"not", OPEVO_I_WORD_NOT},
        {"if", OPEVO_I_WORD_IF},   {"else", OPEVO_I_WORD_ELSE}, {"in", OPEVO_I_WORD_IN},
    };

    do {
        lexer->next++;
    } while (in_name(byte_at(lexer, lexer->next)) || joins_names(lexer));
    word->kind = OPEVO_I_WORD_NAME;
    word->length = (size_t)(lexer->source->text + lexer->next - word->start);
    if (lexer->source->dialect != OPEVO_DIALECT_PYTHON)
        return;
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (opevo_i_topology_word_is(word, reserved[i].spelling))
            word->kind = reserved[i].kind;
}

static opevo_status read_sign(opevo_i_topology_lexer *lexer, opevo_i_topology_word *word,
                              opevo_error *err)
{
    static const char *const spellings[] = {
#define OPEVO_I_SIGN_SPELLING(suffix, spelling) spelling,
        OPEVO_I_SIGN_LIST(OPEVO_I_SIGN_SPELLING)
#undef OPEVO_I_SIGN_SPELLING
    };
    size_t left = lexer->source->length - lexer->next;
    unsigned char c = byte_at(lexer, lexer->next);

    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        size_t length = strlen(spellings[i]);

        if (length <= left && memcmp(word->start, spellings[i], length) == 0) {
            word->kind = (opevo_i_topology_word_kind)(OPEVO_I_WORD_IN + 1 + i);
            word->length = length;
            lexer->next += length;
            return OPEVO_OK;
        }
    }
    if (c < 0x20 || c >= 0x7f)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s, column %zu: the byte 0x%02x does not belong in an expression.",
                          AT(lexer, lexer->next), c);
    return OPEVO_FAIL(err, OPEVO_INVALID,
                      "%s, column %zu: the character %c does not belong in an expression.",
                      AT(lexer, lexer->next), c);
}

opevo_status opevo_i_topology_lexer_next(opevo_i_topology_lexer *lexer, opevo_i_topology_word *word,
                                         opevo_error *err)
{
    unsigned char c = 0;

    while (lexer->next < lexer->source->length && strchr(" \t\r\n", byte_at(lexer, lexer->next)) &&
           byte_at(lexer, lexer->next))
        lexer->next++;
    c = byte_at(lexer, lexer->next);
    *word = (opevo_i_topology_word){.kind = OPEVO_I_WORD_END,
                                    .start = lexer->source->text + lexer->next,
                                    .column = lexer->source->column + lexer->next};
    if (lexer->next == lexer->source->length)
        return OPEVO_OK;
    if (isdigit(c) || (c == '.' && isdigit(byte_at(lexer, lexer->next + 1))))
        return read_number(lexer, word, err);
    if (c == '"' || c == '\'')
        return read_text(lexer, word, err);
    if (in_name(c)) {
        read_name(lexer, word);
        return OPEVO_OK;
    }
    return read_sign(lexer, word, err);
}
