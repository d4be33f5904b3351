/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Names of a computation's text: axes, tensors and constants, each name one of them; and how
 * parsing fails. */

#include "computation_parse_internal.h"

#include <opevo/memory.h>

#include <ctype.h>
#include <stdio.h>
#include <string.h>

bool opevo_i_comp_parser_start(opevo_i_comp_parser *self, const char *source, opevo_error *err)
{
    *self = (opevo_i_comp_parser){
        .source = source, .err = err, .status = OPEVO_OK, .by_name = opevo_index_map_create()};
    return self->by_name || opevo_i_comp_parse_no_memory(self);
}

void opevo_i_comp_parser_free(opevo_i_comp_parser *self)
{
    opevo_index_map_destroy(self->by_name);
    opevo_free(self->symbols);
    opevo_free(self->pending);
    opevo_i_comp_arena_free(&self->arena);
}

/* ---- Failing ---- */

bool opevo_i_comp_parse_fail(opevo_i_comp_parser *self, opevo_status status,
                             opevo_i_comp_place place, const char *format, ...)
{
    char sentence[OPEVO_ERROR_SIZE];
    va_list arguments;

    if (self->status != OPEVO_OK)
        return false;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    self->status = status;
    opevo_error_set(self->err, status, "%s:%u:%u: %s", self->source, place.line, place.column,
                    sentence);
    return false;
}

bool opevo_i_comp_parse_no_memory(opevo_i_comp_parser *self)
{
    if (self->status == OPEVO_OK)
        self->status = OPEVO_FAIL(self->err, OPEVO_NOMEM, "No memory for a computation.");
    return false;
}

bool opevo_i_comp_parse_expected(opevo_i_comp_parser *self, const char *what)
{
    const opevo_i_comp_tokens *ahead = &self->tokens;
    int shown = ahead->length < 40 ? (int)ahead->length : 40;

    if (ahead->kind == OPEVO_I_TOKEN_END)
        return opevo_i_comp_parse_fail(self, OPEVO_INVALID, ahead->place,
                                       "expected %s, but the text ends.", what);
    if (*ahead->start == '\n')
        return opevo_i_comp_parse_fail(self, OPEVO_INVALID, ahead->place,
                                       "expected %s, but the line ends.", what);
    if (ahead->kind == OPEVO_I_TOKEN_BAD && !isprint((unsigned char)*ahead->start))
        return opevo_i_comp_parse_fail(self, OPEVO_INVALID, ahead->place,
                                       "expected %s, found the byte 0x%02x.", what,
                                       (unsigned)(unsigned char)*ahead->start);
    return opevo_i_comp_parse_fail(self, OPEVO_INVALID, ahead->place, "expected %s, found '%.*s'.",
                                   what, shown, ahead->start);
}

bool opevo_i_comp_parse_take(opevo_i_comp_parser *self, int kind)
{
    if (self->tokens.kind != kind)
        return false;
    opevo_i_comp_tokens_next(&self->tokens);
    return true;
}

bool opevo_i_comp_parse_need(opevo_i_comp_parser *self, int kind, const char *what)
{
    return opevo_i_comp_parse_take(self, kind) || opevo_i_comp_parse_expected(self, what);
}

/* ---- Symbols ---- */

static opevo_index hash_of(const char *name, size_t length)
{
    return opevo_hash_bytes(OPEVO_HASH_START, name, length);
}

size_t opevo_i_comp_symbol_find(const opevo_i_comp_parser *self, const char *name, size_t length)
{
    uint64_t first = 0;

    if (!opevo_index_map_get(self->by_name, hash_of(name, length), &first))
        return OPEVO_I_NO_SYMBOL;
    for (size_t at = (size_t)first + 1; at; at = self->symbols[at - 1].next) {
        const char *other = self->symbols[at - 1].name;

        if (strlen(other) == length && memcmp(other, name, length) == 0)
            return at - 1;
    }
    return OPEVO_I_NO_SYMBOL;
}

bool opevo_i_comp_is_reserved(const char *name, size_t length)
{
    static const char *const words[] = {
        "and", "bfloat16", "const", "erf", "exp",    "float16", "float32", "int32", "int8", "log",
        "max", "min",      "not",   "or",  "output", "select",  "sigmoid", "sqrt",  "sum",  "tanh"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strlen(words[i]) == length && memcmp(words[i], name, length) == 0)
            return true;
    }
    return false;
}

static bool check_name(opevo_i_comp_parser *self, const char *name, size_t length,
                       opevo_i_comp_place place)
{
    if (length > OPEVO_COMPUTATION_NAME)
        return opevo_i_comp_parse_fail(self, OPEVO_LIMIT, place,
                                       "the name '%.*s%s' is too long; names have at most %d "
                                       "characters.",
                                       length < 40 ? (int)length : 40, name,
                                       length > 40 ? "..." : "", (int)OPEVO_COMPUTATION_NAME);
    if (opevo_i_comp_is_reserved(name, length))
        return opevo_i_comp_parse_fail(self, OPEVO_INVALID, place,
                                       "'%.*s' is a word of the language; choose another name.",
                                       (int)length, name);
    return true;
}

bool opevo_i_comp_symbol_add(opevo_i_comp_parser *self, const char *name, size_t length,
                             opevo_i_comp_symbol_kind kind, opevo_i_comp_place place, size_t *out)
{
    opevo_index hash = hash_of(name, length);
    uint64_t first = 0;
    bool known = opevo_index_map_get(self->by_name, hash, &first);
    opevo_i_comp_symbol made = {.kind = kind,
                                .place = place,
                                .next = known ? (size_t)first + 1 : 0,
                                .local = -1,
                                .tensor = -1};
    char text[OPEVO_COMPUTATION_NAME + 1] = "";

    if (!check_name(self, name, length, place))
        return false;
    memcpy(text, name, length);
    made.name = opevo_i_comp_arena_copy(&self->arena, text, length + 1);
    if (!made.name ||
        !opevo_reserve((void **)&self->symbols, &self->symbol_capacity, self->symbol_count + 1,
                       sizeof made) ||
        !opevo_index_map_put(self->by_name, hash, self->symbol_count))
        return opevo_i_comp_parse_no_memory(self);
    self->symbols[self->symbol_count] = made;
    *out = self->symbol_count++;
    return true;
}

const char *opevo_i_comp_symbol_kind_name(opevo_i_comp_symbol_kind kind)
{
    return kind == OPEVO_I_SYMBOL_AXIS     ? "an axis"
           : kind == OPEVO_I_SYMBOL_TENSOR ? "a tensor"
                                           : "a constant";
}

opevo_i_comp_pending *opevo_i_comp_tensor_add(opevo_i_comp_parser *self, size_t symbol)
{
    opevo_i_comp_pending made = {0};

    if (self->tensor_count == OPEVO_COMPUTATION_TENSORS) {
        opevo_i_comp_parse_fail(self, OPEVO_LIMIT, self->tokens.place,
                                "a computation has at most %d tensors.",
                                (int)OPEVO_COMPUTATION_TENSORS);
        return NULL;
    }
    for (int i = 0; i < OPEVO_COMPUTATION_AXES; i++)
        made.axis[i] = OPEVO_I_NO_SYMBOL;
    made.tensor = opevo_i_comp_arena_take(&self->arena, sizeof *made.tensor);
    if (!made.tensor || !opevo_reserve((void **)&self->pending, &self->tensor_capacity,
                                       self->tensor_count + 1, sizeof made)) {
        opevo_i_comp_parse_no_memory(self);
        return NULL;
    }
    made.tensor->name = self->symbols[symbol].name;
    made.tensor->number = (int)self->tensor_count;
    self->symbols[symbol].tensor = made.tensor->number;
    self->pending[self->tensor_count] = made;
    return &self->pending[self->tensor_count++];
}
