/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The state of the parser: the word at hand, code emitted, the first mistake. */

#include "expression_parser.h"

#include <opevo/memory.h>

#include "value_text.h"

#include <stdarg.h>
#include <stdio.h>

static void stop(opevo_i_topology_parser *p, opevo_status status)
{
    p->status = status;
    p->word.kind = OPEVO_I_WORD_END;
}

void opevo_i_topology_parser_mistake(opevo_i_topology_parser *p, size_t column, const char *format,
                                     ...)
{
    char text[512];
    va_list arguments;

    if (p->status != OPEVO_OK)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    stop(p,
         OPEVO_FAIL(p->err, OPEVO_INVALID, "%s, column %zu: %s", p->source->where, column, text));
}

static void no_memory(opevo_i_topology_parser *p)
{
    if (p->status == OPEVO_OK)
        stop(p, OPEVO_FAIL(p->err, OPEVO_NOMEM, "%s: no memory for the expression.",
                           p->source->where));
}

void opevo_i_topology_parser_next(opevo_i_topology_parser *p)
{
    opevo_status status = OPEVO_OK;

    if (p->status != OPEVO_OK)
        return;
    status = opevo_i_topology_lexer_next(&p->lexer, &p->word, p->err);
    if (status != OPEVO_OK)
        stop(p, status);
}

/* What to write instead of a word that the dialect does not have, or NULL. */
const char *opevo_i_topology_parser_translation(const opevo_i_topology_parser *p)
{
    static const struct {
        opevo_dialect dialect;
        const char *wrong, *right;
    } words[] = {
        {OPEVO_DIALECT_C, "and", "&&"}, {OPEVO_DIALECT_C, "or", "||"},
        {OPEVO_DIALECT_C, "not", "!"},  {OPEVO_DIALECT_C, "//", "/"},
        {OPEVO_DIALECT_C, "=", "=="},   {OPEVO_DIALECT_PYTHON, "=", "=="},
        {OPEVO_DIALECT_C, "if", "? :"}, {OPEVO_DIALECT_PYTHON, "?", "VALUE if TEST else VALUE"},
    };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].dialect == p->source->dialect &&
            opevo_i_topology_word_is(&p->word, words[i].wrong))
            return words[i].right;
    return NULL;
}

/* The word being looked at is not what the grammar wants. */
void opevo_i_topology_parser_unexpected(opevo_i_topology_parser *p, const char *wanted)
{
    const char *instead = opevo_i_topology_parser_translation(p);
    const opevo_i_topology_word *word = &p->word;

    if (word->kind == OPEVO_I_WORD_END)
        opevo_i_topology_parser_mistake(p, word->column, "unexpected end; expected %s.", wanted);
    else if (instead)
        opevo_i_topology_parser_mistake(p, word->column, "%s is not supported here; write %s.",
                                        OPEVO_I_EXCERPT_BYTES(word->start, word->length), instead);
    else
        opevo_i_topology_parser_mistake(p, word->column, "unexpected %s; expected %s.",
                                        OPEVO_I_EXCERPT_BYTES(word->start, word->length), wanted);
}

bool opevo_i_topology_parser_accept(opevo_i_topology_parser *p, opevo_i_topology_word_kind kind)
{
    if (p->word.kind != kind || p->status != OPEVO_OK)
        return false;
    opevo_i_topology_parser_next(p);
    return p->status == OPEVO_OK;
}

void opevo_i_topology_parser_expect(opevo_i_topology_parser *p, opevo_i_topology_word_kind kind,
                                    const char *wanted)
{
    if (p->status == OPEVO_OK && p->word.kind != kind)
        opevo_i_topology_parser_unexpected(p, wanted);
    opevo_i_topology_parser_next(p);
}

static int stack_effect(unsigned opcode)
{
    if (opcode <= OPEVO_I_OP_ACTIVE)
        return 1;
    if (opcode < OPEVO_I_OP_ADD || opcode == OPEVO_I_OP_JUMP || opcode == OPEVO_I_OP_NONE)
        return 0;
    return -1;
}

/* Append an instruction; returns its place. */
size_t opevo_i_topology_parser_emit(opevo_i_topology_parser *p, unsigned opcode, size_t row,
                                    size_t argument, size_t column)
{
    opevo_i_topology_expression *out = p->out;
    void *code = out->code;

    if (p->status != OPEVO_OK)
        return 0;
    if (!opevo_reserve(&code, &p->code_capacity, out->length + 1, sizeof *out->code)) {
        no_memory(p);
        return 0;
    }
    out->code = code;
    out->code[out->length] = (opevo_i_topology_instruction){.opcode = (uint16_t)opcode,
                                                            .row = (uint16_t)row,
                                                            .argument = (uint32_t)argument,
                                                            .column = (uint32_t)column};
    p->depth += (size_t)stack_effect(opcode);
    if (p->depth > OPEVO_I_EXPRESSION_STACK)
        opevo_i_topology_parser_mistake(p, column,
                                        "the expression is nested too deeply; split it.");
    return out->length++;
}

/* Let the jump at `place` go to the next instruction. */
void opevo_i_topology_parser_land(opevo_i_topology_parser *p, size_t place)
{
    if (p->status == OPEVO_OK)
        p->out->code[place].argument = (uint32_t)p->out->length;
}

void opevo_i_topology_parser_emit_constant(opevo_i_topology_parser *p, opevo_value value,
                                           size_t column)
{
    opevo_i_topology_expression *out = p->out;
    void *constants = out->constants;

    if (!opevo_reserve(&constants, &p->constant_capacity, out->constant_count + 1,
                       sizeof *out->constants)) {
        no_memory(p);
        return;
    }
    out->constants = constants;
    out->constants[out->constant_count] = value;
    opevo_i_topology_parser_emit(p, OPEVO_I_OP_CONSTANT, 0, out->constant_count++, column);
}

/* The row of a parameter, made when it is named for the first time. */
size_t opevo_i_topology_parser_row(opevo_i_topology_parser *p, size_t parameter)
{
    opevo_i_topology_expression *out = p->out;
    void *parameters = out->parameters;
    size_t row = 0;

    while (row < out->parameter_count && out->parameters[row] != parameter)
        row++;
    if (row < out->parameter_count)
        return row;
    if (!opevo_reserve(&parameters, &p->parameter_capacity, row + 1, sizeof *out->parameters)) {
        no_memory(p);
        return 0;
    }
    out->parameters = parameters;
    out->parameters[out->parameter_count++] = parameter;
    return row;
}
