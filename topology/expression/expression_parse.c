/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The grammar: from text to instructions in one pass, by precedence climbing. */

#include "expression_parser.h"

#include <opevo/memory.h>

#include "value_text.h"

#include <stdio.h>
#include <string.h>

/* How tightly operators bind in both dialects; the levels of C's comparisons, which lie above its
 * bit operators, and of all arithmetic follow in the table. 0: not a binary operator. */
enum { LEVEL_OR = 1, LEVEL_AND, LEVEL_PYTHON_COMPARISON, LEVEL_BIT_OR };

typedef struct binary_operator {
    opevo_i_topology_word_kind word;
    struct {
        unsigned char level, opcode;
    } in[2]; /* by dialect */
} binary_operator;

static const binary_operator binary_operators[] = {
    {OPEVO_I_SIGN_OROR, {{1, OPEVO_I_OP_OR}, {1, OPEVO_I_OP_OR}}},
    {OPEVO_I_WORD_OR, {{0, 0}, {1, OPEVO_I_OP_OR}}},
    {OPEVO_I_SIGN_ANDAND, {{2, OPEVO_I_OP_AND}, {2, OPEVO_I_OP_AND}}},
    {OPEVO_I_WORD_AND, {{0, 0}, {2, OPEVO_I_OP_AND}}},
    {OPEVO_I_SIGN_BAR, {{4, OPEVO_I_OP_BIT_OR}, {4, OPEVO_I_OP_BIT_OR}}},
    {OPEVO_I_SIGN_CARET, {{5, OPEVO_I_OP_BIT_XOR}, {5, OPEVO_I_OP_BIT_XOR}}},
    {OPEVO_I_SIGN_AMPERSAND, {{6, OPEVO_I_OP_BIT_AND}, {6, OPEVO_I_OP_BIT_AND}}},
    {OPEVO_I_SIGN_EQ, {{7, OPEVO_I_OP_EQUAL}, {3, OPEVO_I_OP_EQUAL}}},
    {OPEVO_I_SIGN_NE, {{7, OPEVO_I_OP_UNEQUAL}, {3, OPEVO_I_OP_UNEQUAL}}},
    {OPEVO_I_SIGN_LT, {{8, OPEVO_I_OP_LESS}, {3, OPEVO_I_OP_LESS}}},
    {OPEVO_I_SIGN_LE, {{8, OPEVO_I_OP_LESS_EQUAL}, {3, OPEVO_I_OP_LESS_EQUAL}}},
    {OPEVO_I_SIGN_GT, {{8, OPEVO_I_OP_GREATER}, {3, OPEVO_I_OP_GREATER}}},
    {OPEVO_I_SIGN_GE, {{8, OPEVO_I_OP_GREATER_EQUAL}, {3, OPEVO_I_OP_GREATER_EQUAL}}},
    {OPEVO_I_WORD_IN, {{0, 0}, {3, OPEVO_I_OP_MEMBER}}},
    {OPEVO_I_WORD_NOT, {{0, 0}, {3, OPEVO_I_OP_MEMBER}}}, /* of "not in" */
    {OPEVO_I_SIGN_SHL, {{9, OPEVO_I_OP_SHIFT_LEFT}, {9, OPEVO_I_OP_SHIFT_LEFT}}},
    {OPEVO_I_SIGN_SHR, {{9, OPEVO_I_OP_SHIFT_RIGHT}, {9, OPEVO_I_OP_SHIFT_RIGHT}}},
    {OPEVO_I_SIGN_PLUS, {{10, OPEVO_I_OP_ADD}, {10, OPEVO_I_OP_ADD}}},
    {OPEVO_I_SIGN_MINUS, {{10, OPEVO_I_OP_SUBTRACT}, {10, OPEVO_I_OP_SUBTRACT}}},
    {OPEVO_I_SIGN_STAR, {{11, OPEVO_I_OP_MULTIPLY}, {11, OPEVO_I_OP_MULTIPLY}}},
    {OPEVO_I_SIGN_SLASH, {{11, OPEVO_I_OP_DIVIDE}, {11, OPEVO_I_OP_QUOTIENT}}},
    {OPEVO_I_SIGN_SLASHES, {{0, 0}, {11, OPEVO_I_OP_FLOOR}}},
    {OPEVO_I_SIGN_PERCENT, {{11, OPEVO_I_OP_REMAINDER}, {11, OPEVO_I_OP_FLOOR_MOD}}},
};

static opevo_i_topology_sort whole(opevo_i_topology_parser *p);
static opevo_i_topology_sort binary(opevo_i_topology_parser *p, unsigned least);

static void need_number(opevo_i_topology_parser *p, opevo_i_topology_sort sort, size_t column)
{
    if (sort == OPEVO_I_TEXT)
        opevo_i_topology_parser_mistake(
            p, column,
            "a string is used as a number; strings can only be compared with == and !=.");
}

static bool enter(opevo_i_topology_parser *p)
{
    if (++p->nesting > OPEVO_I_EXPRESSION_NESTING)
        opevo_i_topology_parser_mistake(p, p->word.column,
                                        "the expression is nested too deeply; split it.");
    return p->status == OPEVO_OK;
}

/* "nothing is called BX; the names are K, X, Y": as many names as fit. */
static void unknown_name(opevo_i_topology_parser *p, const opevo_i_topology_word *word)
{
    char names[320] = "";
    size_t used = 0;

    for (size_t i = 0; i < p->source->symbol_count; i++) {
        const char *name = p->source->symbols[i].name;
        size_t wanted = strlen(name) + 2;

        if (used + wanted + sizeof ", ..." > sizeof names) {
            memcpy(names + used, ", ...", sizeof ", ...");
            break;
        }
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", name);
    }
    if (opevo_i_topology_parser_translation(p))
        opevo_i_topology_parser_unexpected(p, "a value");
    else if (p->source->symbol_count == 0)
        opevo_i_topology_parser_mistake(p, word->column, "unknown name %s.",
                                        OPEVO_I_EXCERPT_BYTES(word->start, word->length));
    else
        opevo_i_topology_parser_mistake(p, word->column, "unknown name %s; the names are %s.",
                                        OPEVO_I_EXCERPT_BYTES(word->start, word->length), names);
}

/* What follows the name of a parameter: nothing, or the index of a component. */
static opevo_i_topology_sort component(opevo_i_topology_parser *p,
                                       const opevo_i_topology_symbol *symbol, size_t column)
{
    int64_t index = 0;
    bool indexed = opevo_i_topology_parser_accept(p, OPEVO_I_SIGN_OPEN_SQUARE);

    if (indexed) {
        const opevo_i_topology_word word = p->word;

        if (word.kind != OPEVO_I_WORD_VALUE || word.value.kind != OPEVO_VALUE_INTEGER)
            opevo_i_topology_parser_unexpected(p, "a whole number");
        else if (word.value.as.integer >= (int64_t)symbol->arity)
            opevo_i_topology_parser_mistake(p, word.column,
                                            "%s has the components %s[0] to %s[%zu].", symbol->name,
                                            symbol->name, symbol->name, symbol->arity - 1);
        index = word.value.as.integer;
        opevo_i_topology_parser_next(p);
        opevo_i_topology_parser_expect(p, OPEVO_I_SIGN_CLOSE_SQUARE, "]");
    } else if (symbol->arity > 1) {
        opevo_i_topology_parser_mistake(p, column, "%s has %zu components; write %s[0] to %s[%zu].",
                                        symbol->name, symbol->arity, symbol->name, symbol->name,
                                        symbol->arity - 1);
    }
    if (p->status == OPEVO_OK)
        opevo_i_topology_parser_emit(p, OPEVO_I_OP_LOAD,
                                     opevo_i_topology_parser_row(p, symbol->parameter),
                                     symbol->component + (size_t)index, column);
    return symbol->sort;
}

static const opevo_i_topology_symbol *find_symbol(const opevo_i_topology_source *source,
                                                  const opevo_i_topology_word *word)
{
    size_t low = 0, high = source->symbol_count;

    for (size_t i = 0; !source->by_name && i < high; i++) {
        if (opevo_i_topology_word_is(word, source->symbols[i].name))
            return &source->symbols[i];
    }
    while (source->by_name && low < high) {
        size_t middle = low + (high - low) / 2;
        const opevo_i_topology_symbol *symbol = source->by_name[middle];
        int order = strncmp(word->start, symbol->name, word->length);

        if (order == 0 && !symbol->name[word->length])
            return symbol;
        if (order > 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* active(NAME), which loads no value; the word being looked at is the parenthesis. */
static void activity(opevo_i_topology_parser *p, const opevo_i_topology_word *name)
{
    const opevo_i_topology_symbol *symbol = NULL;

    opevo_i_topology_parser_next(p);
    if (p->word.kind == OPEVO_I_WORD_NAME)
        symbol = find_symbol(p->source, &p->word);
    if (!symbol)
        opevo_i_topology_parser_mistake(p, p->word.column,
                                        "active takes the name of a parameter, without an index.");
    opevo_i_topology_parser_next(p);
    opevo_i_topology_parser_expect(p, OPEVO_I_SIGN_CLOSE, ")");
    if (symbol && p->status == OPEVO_OK)
        opevo_i_topology_parser_emit(p, OPEVO_I_OP_ACTIVE,
                                     opevo_i_topology_parser_row(p, symbol->parameter), 0,
                                     name->column);
}

/* Values up to the closing bracket, joined by an operator. The word being looked at is the opening
 * bracket. Returns how many. */
static size_t join_values(opevo_i_topology_parser *p, unsigned opcode, size_t at)
{
    opevo_i_topology_word_kind close =
        p->word.kind == OPEVO_I_SIGN_OPEN ? OPEVO_I_SIGN_CLOSE : OPEVO_I_SIGN_CLOSE_SQUARE;
    size_t count = 0;

    do {
        size_t column = 0;

        opevo_i_topology_parser_next(p); /* the bracket or the comma */
        column = p->word.column;
        need_number(p, whole(p), column);
        if (++count > 1)
            opevo_i_topology_parser_emit(p, opcode, 0, 0, at);
    } while (p->word.kind == OPEVO_I_SIGN_COMMA);
    opevo_i_topology_parser_expect(p, close,
                                   close == OPEVO_I_SIGN_CLOSE ? "a comma or )" : "a comma or ]");
    return count;
}

/* The list of Python in min([a, b]), the word behind the parenthesis. */
static bool is_list(const opevo_i_topology_parser *p)
{
    opevo_i_topology_lexer ahead = p->lexer;
    opevo_i_topology_word word;

    return p->source->dialect == OPEVO_DIALECT_PYTHON && p->status == OPEVO_OK &&
           opevo_i_topology_lexer_next(&ahead, &word, NULL) == OPEVO_OK &&
           word.kind == OPEVO_I_SIGN_OPEN_SQUARE;
}

/* min and max of values, or of a list in Python. */
static void extreme(opevo_i_topology_parser *p, const opevo_i_topology_word *name)
{
    unsigned opcode =
        opevo_i_topology_word_is(name, "min") ? OPEVO_I_OP_MINIMUM : OPEVO_I_OP_MAXIMUM;

    if (is_list(p)) {
        opevo_i_topology_parser_next(p);
        join_values(p, opcode, name->column);
        opevo_i_topology_parser_expect(p, OPEVO_I_SIGN_CLOSE, ")");
    } else if (join_values(p, opcode, name->column) < 2) {
        opevo_i_topology_parser_mistake(p, name->column, "min and max take two values or more.");
    }
}

/* Python's len of a list. The code of its values is dropped again. */
static void length(opevo_i_topology_parser *p, const opevo_i_topology_word *name)
{
    size_t start = p->out->length, depth = p->depth, count = 0;

    opevo_i_topology_parser_next(p);
    if (p->word.kind != OPEVO_I_SIGN_OPEN_SQUARE)
        opevo_i_topology_parser_unexpected(p, "a list in brackets");
    count = join_values(p, OPEVO_I_OP_ADD, name->column);
    opevo_i_topology_parser_expect(p, OPEVO_I_SIGN_CLOSE, ")");
    if (p->status != OPEVO_OK)
        return;
    p->out->length = start;
    p->depth = depth;
    opevo_i_topology_parser_emit_constant(p, opevo_value_of_integer((int64_t)count), name->column);
}

/* A function of numbers; the word being looked at is the parenthesis. */
static opevo_i_topology_sort function(opevo_i_topology_parser *p, const opevo_i_topology_word *name)
{
    bool python = p->source->dialect == OPEVO_DIALECT_PYTHON;

    if (opevo_i_topology_word_is(name, "active")) {
        activity(p, name);
    } else if (opevo_i_topology_word_is(name, "min") || opevo_i_topology_word_is(name, "max")) {
        extreme(p, name);
    } else if (python && opevo_i_topology_word_is(name, "len")) {
        length(p, name);
    } else if (opevo_i_topology_word_is(name, "abs")) {
        if (join_values(p, OPEVO_I_OP_ADD, name->column) != 1)
            opevo_i_topology_parser_mistake(p, name->column, "abs takes one value.");
        opevo_i_topology_parser_emit(p, OPEVO_I_OP_ABSOLUTE, 0, 0, name->column);
    } else {
        opevo_i_topology_parser_mistake(
            p, name->column, "unknown function %s; the functions are abs, active, %smin and max.",
            OPEVO_I_EXCERPT_BYTES(name->start, name->length), python ? "len, " : "");
    }
    return OPEVO_I_NUMBER;
}

static opevo_i_topology_sort name(opevo_i_topology_parser *p)
{
    const opevo_i_topology_word word = p->word;
    bool python = p->source->dialect == OPEVO_DIALECT_PYTHON, on = false;
    const opevo_i_topology_symbol *symbol = NULL;

    symbol = find_symbol(p->source, &word);
    if (symbol) {
        opevo_i_topology_parser_next(p);
        return component(p, symbol, word.column);
    }
    on = opevo_i_topology_word_is(&word, python ? "True" : "true");
    if (on || opevo_i_topology_word_is(&word, python ? "False" : "false")) {
        opevo_i_topology_parser_emit_constant(
            p, (opevo_value){.kind = OPEVO_VALUE_BOOLEAN, .as = {.boolean = on}}, word.column);
        opevo_i_topology_parser_next(p);
        return OPEVO_I_NUMBER;
    }
    opevo_i_topology_parser_next(p);
    if (p->status == OPEVO_OK && p->word.kind == OPEVO_I_SIGN_OPEN)
        return function(p, &word);
    if (p->status == OPEVO_OK) {
        p->word = word;
        unknown_name(p, &word);
    }
    return OPEVO_I_NUMBER;
}

static opevo_i_topology_sort primary(opevo_i_topology_parser *p)
{
    opevo_i_topology_sort sort = OPEVO_I_NUMBER;

    switch (p->word.kind) {
    case OPEVO_I_WORD_VALUE:
        sort = p->word.value.kind == OPEVO_VALUE_TEXT ? OPEVO_I_TEXT : OPEVO_I_NUMBER;
        opevo_i_topology_parser_emit_constant(p, p->word.value, p->word.column);
        opevo_i_topology_parser_next(p);
        break;
    case OPEVO_I_WORD_NAME:
        sort = name(p);
        break;
    case OPEVO_I_SIGN_OPEN:
        opevo_i_topology_parser_next(p);
        sort = whole(p);
        opevo_i_topology_parser_expect(p, OPEVO_I_SIGN_CLOSE, ")");
        break;
    default:
        opevo_i_topology_parser_unexpected(p, "a value");
    }
    return sort;
}

static unsigned prefix_opcode(const opevo_i_topology_parser *p)
{
    switch (p->word.kind) {
    case OPEVO_I_SIGN_PLUS:
        return OPEVO_I_OP_PLUS;
    case OPEVO_I_SIGN_MINUS:
        return OPEVO_I_OP_NEGATE;
    case OPEVO_I_SIGN_TILDE:
        return OPEVO_I_OP_COMPLEMENT;
    case OPEVO_I_SIGN_BANG:
    case OPEVO_I_WORD_NOT:
        return OPEVO_I_OP_NOT;
    default:
        return 0;
    }
}

/* A primary with its prefix operators and, in Python, its power. `least` is the level of the
 * operator to the left: Python's "not" binds so loosely that it cannot stand behind most. */
static opevo_i_topology_sort operand(opevo_i_topology_parser *p, unsigned least)
{
    opevo_i_topology_sort sort = OPEVO_I_NUMBER;
    size_t column = p->word.column;
    unsigned opcode = prefix_opcode(p);

    if (!enter(p))
        return sort;
    if (p->word.kind == OPEVO_I_WORD_NOT && least > LEVEL_PYTHON_COMPARISON) {
        opevo_i_topology_parser_unexpected(p, "a value");
    } else if (opcode) {
        bool word = p->word.kind == OPEVO_I_WORD_NOT;

        opevo_i_topology_parser_next(p);
        sort = word ? binary(p, LEVEL_PYTHON_COMPARISON) : operand(p, LEVEL_BIT_OR);
        need_number(p, sort, column);
        opevo_i_topology_parser_emit(p, opcode, 0, 0, column);
        sort = OPEVO_I_NUMBER;
    } else {
        sort = primary(p);
        if (p->source->dialect == OPEVO_DIALECT_PYTHON && p->word.kind == OPEVO_I_SIGN_STARS) {
            size_t sign = p->word.column;

            need_number(p, sort, column);
            opevo_i_topology_parser_next(p);
            need_number(p, operand(p, LEVEL_BIT_OR), sign + 2);
            opevo_i_topology_parser_emit(p, OPEVO_I_OP_POWER, 0, 0, sign);
            sort = OPEVO_I_NUMBER;
        }
    }
    p->nesting--;
    return sort;
}

static const binary_operator *binary_here(const opevo_i_topology_parser *p)
{
    for (size_t i = 0; i < sizeof binary_operators / sizeof *binary_operators; i++)
        if (binary_operators[i].word == p->word.kind)
            return &binary_operators[i];
    return NULL;
}

static unsigned level_here(const opevo_i_topology_parser *p, unsigned *opcode)
{
    const binary_operator *found = p->status == OPEVO_OK ? binary_here(p) : NULL;

    if (!found)
        return 0;
    *opcode = found->in[p->source->dialect].opcode;
    return found->in[p->source->dialect].level;
}

static void check_comparison(opevo_i_topology_parser *p, unsigned opcode, opevo_i_topology_sort a,
                             opevo_i_topology_sort b, size_t column)
{
    if (opcode != OPEVO_I_OP_EQUAL && opcode != OPEVO_I_OP_UNEQUAL) {
        need_number(p, a, column);
        need_number(p, b, column);
    } else if (a != b && a != OPEVO_I_EITHER && b != OPEVO_I_EITHER) {
        opevo_i_topology_parser_mistake(p, column, "a string is compared with a number.");
    }
}

/* Jumps to one place that is not known yet are chained through their arguments, each holding the
 * one before it and the first NO_JUMP. */
enum { NO_JUMP = -1 };

static void land_all(opevo_i_topology_parser *p, size_t last)
{
    while (p->status == OPEVO_OK && (uint32_t)last != (uint32_t)NO_JUMP) {
        size_t before = p->out->code[last].argument;

        opevo_i_topology_parser_land(p, last);
        last = before;
    }
}

/* The list behind "in" and "not in". */
static void membership(opevo_i_topology_parser *p, opevo_i_topology_sort sort)
{
    bool negated = opevo_i_topology_parser_accept(p, OPEVO_I_WORD_NOT);
    size_t column = p->word.column, pending = (size_t)NO_JUMP;
    opevo_i_topology_word_kind close = OPEVO_I_SIGN_CLOSE;

    opevo_i_topology_parser_expect(p, OPEVO_I_WORD_IN, "in");
    if (p->word.kind == OPEVO_I_SIGN_OPEN_SQUARE)
        close = OPEVO_I_SIGN_CLOSE_SQUARE;
    else if (p->word.kind != OPEVO_I_SIGN_OPEN)
        opevo_i_topology_parser_unexpected(p, "a list in brackets");
    do {
        size_t at = 0;

        opevo_i_topology_parser_next(p); /* the bracket or a comma */
        if (p->word.kind == close)
            break;
        at = p->word.column;
        check_comparison(p, OPEVO_I_OP_EQUAL, sort, whole(p), at);
        pending = opevo_i_topology_parser_emit(p, OPEVO_I_OP_MEMBER, 0, pending, at);
    } while (p->status == OPEVO_OK && p->word.kind == OPEVO_I_SIGN_COMMA);
    opevo_i_topology_parser_expect(p, close, "a comma or the closing bracket");
    opevo_i_topology_parser_emit(p, OPEVO_I_OP_NONE, 0, 0, column);
    land_all(p, pending);
    if (negated)
        opevo_i_topology_parser_emit(p, OPEVO_I_OP_NOT, 0, 0, column);
}

/* Python's comparisons: a < b < c compares b with both; the first that fails ends it. */
static void comparisons(opevo_i_topology_parser *p, opevo_i_topology_sort left)
{
    size_t pending = (size_t)NO_JUMP;
    unsigned opcode = 0;

    while (level_here(p, &opcode) == LEVEL_PYTHON_COMPARISON) {
        size_t column = p->word.column;
        opevo_i_topology_sort right = OPEVO_I_NUMBER;

        if (opcode == OPEVO_I_OP_MEMBER) {
            membership(p, left);
            if (level_here(p, &opcode) == LEVEL_PYTHON_COMPARISON)
                opevo_i_topology_parser_mistake(
                    p, p->word.column, "no comparison can follow \"in\"; use parentheses.");
            break;
        }
        opevo_i_topology_parser_next(p);
        right = binary(p, LEVEL_BIT_OR);
        check_comparison(p, opcode, left, right, column);
        left = right;
        if (level_here(p, &(unsigned){0}) == LEVEL_PYTHON_COMPARISON)
            pending = opevo_i_topology_parser_emit(p, OPEVO_I_OP_CHAIN, opcode, pending, column);
        else
            opevo_i_topology_parser_emit(p, opcode, 0, 0, column);
    }
    land_all(p, pending);
}

/* Operators that bind at least as tightly as `least`, and what they bind. */
static opevo_i_topology_sort binary(opevo_i_topology_parser *p, unsigned least)
{
    size_t start = p->word.column;
    opevo_i_topology_sort left = operand(p, least);
    unsigned level = 0, opcode = 0;

    while ((level = level_here(p, &opcode)) >= least && level > 0) {
        size_t column = p->word.column, place = 0;

        if (level == LEVEL_PYTHON_COMPARISON && p->source->dialect == OPEVO_DIALECT_PYTHON) {
            comparisons(p, left);
        } else if (opcode == OPEVO_I_OP_AND || opcode == OPEVO_I_OP_OR) {
            need_number(p, left, start);
            place = opevo_i_topology_parser_emit(p, opcode, 0, 0, column);
            opevo_i_topology_parser_next(p);
            need_number(p, binary(p, level + 1), column);
            opevo_i_topology_parser_emit(p, OPEVO_I_OP_TRUTH, 0, 0, column);
            opevo_i_topology_parser_land(p, place);
        } else {
            opevo_i_topology_sort right = OPEVO_I_NUMBER;

            opevo_i_topology_parser_next(p);
            right = binary(p, level + 1);
            check_comparison(p, opcode, left, right, column);
            opevo_i_topology_parser_emit(p, opcode, 0, 0, column);
        }
        left = OPEVO_I_NUMBER;
    }
    return left;
}

/* Exchange the code of [start, middle) with that behind it; jumps stay within each. */
static void exchange(opevo_i_topology_parser *p, size_t start, size_t middle)
{
    opevo_i_topology_instruction *code = p->out->code, *moved = NULL;
    size_t first = middle - start, second = p->out->length - middle;

    for (size_t i = start; i < p->out->length; i++) {
        if (code[i].opcode >= OPEVO_I_OP_JUMP && code[i].opcode != OPEVO_I_OP_NONE)
            code[i].argument += (uint32_t)(i < middle ? second : -first);
    }
    moved = opevo_malloc(first, sizeof *moved);
    if (!moved) {
        opevo_i_topology_parser_mistake(p, p->word.column, "no memory for the expression.");
        return;
    }
    memcpy(moved, code + start, first * sizeof *moved);
    memmove(code + start, code + middle, second * sizeof *moved);
    memcpy(code + start + second, moved, first * sizeof *moved);
    opevo_free(moved);
}

/* Behind a test, of which what is not true jumps from `unless`: both values. */
static opevo_i_topology_sort otherwise(opevo_i_topology_parser *p, opevo_i_topology_sort sort,
                                       size_t unless, size_t column)
{
    size_t jump = opevo_i_topology_parser_emit(p, OPEVO_I_OP_JUMP, 0, 0, column);
    opevo_i_topology_sort other = OPEVO_I_NUMBER;

    opevo_i_topology_parser_land(p, unless);
    if (p->status == OPEVO_OK)
        p->depth--; /* the value of the other branch */
    other = whole(p);
    opevo_i_topology_parser_land(p, jump);
    return sort == other ? sort : OPEVO_I_EITHER;
}

/* VALUE if TEST else VALUE, of which the first value has been read: its code goes behind that of
 * the test. */
static opevo_i_topology_sort python_choice(opevo_i_topology_parser *p, opevo_i_topology_sort sort,
                                           size_t start)
{
    size_t middle = p->out->length, column = p->word.column, unless = 0;

    need_number(p, binary(p, LEVEL_OR), column);
    unless = opevo_i_topology_parser_emit(p, OPEVO_I_OP_JUMP_UNLESS, 0, 0, column);
    opevo_i_topology_parser_expect(p, OPEVO_I_WORD_ELSE, "else");
    if (p->status != OPEVO_OK)
        return sort;
    exchange(p, start, middle);
    return otherwise(p, sort, unless - (middle - start), column);
}

/* The conditional operators, which bind to the right. */
static opevo_i_topology_sort whole(opevo_i_topology_parser *p)
{
    bool python = p->source->dialect == OPEVO_DIALECT_PYTHON;
    size_t column = p->word.column, unless = 0, start = p->out->length;
    opevo_i_topology_sort sort = OPEVO_I_NUMBER;

    if (!enter(p))
        return sort;
    sort = binary(p, LEVEL_OR);
    if (python && opevo_i_topology_parser_accept(p, OPEVO_I_WORD_IF)) {
        sort = python_choice(p, sort, start);
    } else if (!python && opevo_i_topology_parser_accept(p, OPEVO_I_SIGN_QUESTION)) {
        need_number(p, sort, column);
        unless = opevo_i_topology_parser_emit(p, OPEVO_I_OP_JUMP_UNLESS, 0, 0, column);
        sort = whole(p);
        opevo_i_topology_parser_expect(p, OPEVO_I_SIGN_COLON, ":");
        sort = otherwise(p, sort, unless, column);
    }
    p->nesting--;
    return sort;
}

opevo_status opevo_i_topology_expression_create(const opevo_i_topology_source *source,
                                                opevo_i_topology_expression *out, opevo_error *err)
{
    opevo_i_topology_expression made = {0};
    opevo_i_topology_parser p = {.source = source, .out = &made, .err = err};

    if (source->length > OPEVO_I_EXPRESSION_LENGTH)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s has more than %d bytes.", source->where,
                          OPEVO_I_EXPRESSION_LENGTH);
    made.texts = opevo_malloc(source->length + 1, 1);
    if (!made.texts)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "%s: no memory for the expression.", source->where);
    p.lexer = (opevo_i_topology_lexer){.source = source, .texts = made.texts};
    opevo_i_topology_parser_next(&p);
    made.sort = whole(&p);
    if (p.status == OPEVO_OK && p.word.kind != OPEVO_I_WORD_END)
        opevo_i_topology_parser_unexpected(&p, "an operator or the end");
    if (p.status != OPEVO_OK) {
        opevo_i_topology_expression_release(&made);
        return p.status;
    }
    *out = made;
    return OPEVO_OK;
}
