/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Statements of a computation's text. */

#include "computation_parse_internal.h"

#include <string.h>

/* ---- Dimensions ---- */

static bool parse_extent(opevo_i_comp_parser *self, int64_t *out)
{
    opevo_i_comp_place place = self->tokens.place;

    if (!opevo_i_comp_parse_constant(self, out))
        return false;
    if (*out < 1 || *out > OPEVO_COMPUTATION_EXTENT)
        return opevo_i_comp_parse_fail(self, *out < 1 ? OPEVO_INVALID : OPEVO_LIMIT, place,
                                       "an extent is from 1 to %lld, not %lld.",
                                       (long long)OPEVO_COMPUTATION_EXTENT, (long long)*out);
    return true;
}

/* An axis with or without its extent. */
static bool parse_axis(opevo_i_comp_parser *self, opevo_i_comp_dimension *out)
{
    opevo_i_comp_tokens name = self->tokens;

    *out = (opevo_i_comp_dimension){.place = name.place};
    if (name.kind != OPEVO_I_TOKEN_NAME)
        return opevo_i_comp_parse_expected(self, "the name of an axis");
    if (!opevo_i_comp_axis_begin(self, name.start, name.length, name.place, &out->symbol))
        return false;
    opevo_i_comp_tokens_next(&self->tokens);
    if (!opevo_i_comp_parse_take(self, ':'))
        return true;
    return parse_extent(self, &out->extent) &&
           opevo_i_comp_axis_extent(self, out->symbol, out->extent, name.place);
}

/* Whether the token ahead is a name that is not that of a number. */
static bool is_axis_ahead(const opevo_i_comp_parser *self)
{
    size_t symbol = opevo_i_comp_symbol_find(self, self->tokens.start, self->tokens.length);

    return self->tokens.kind == OPEVO_I_TOKEN_NAME &&
           (symbol == OPEVO_I_NO_SYMBOL || self->symbols[symbol].kind != OPEVO_I_SYMBOL_CONSTANT);
}

/* What stands in brackets, behind the first. */
static bool parse_dimensions(opevo_i_comp_parser *self, opevo_i_comp_dimension *out, int *count)
{
    *count = 0;
    if (opevo_i_comp_parse_take(self, ']'))
        return true;
    do {
        opevo_i_comp_dimension *one = &out[*count];

        if (*count == OPEVO_COMPUTATION_DIMS)
            return opevo_i_comp_parse_fail(self, OPEVO_LIMIT, self->tokens.place,
                                           "a tensor has at most %d dimensions.",
                                           (int)OPEVO_COMPUTATION_DIMS);
        ++*count;
        if (is_axis_ahead(self)) {
            if (!parse_axis(self, one))
                return false;
            continue;
        }
        *one = (opevo_i_comp_dimension){.symbol = OPEVO_I_NO_SYMBOL, .place = self->tokens.place};
        if (!parse_extent(self, &one->extent))
            return false;
    } while (opevo_i_comp_parse_take(self, ','));
    return opevo_i_comp_parse_need(self, ']', "',' or ']'");
}

/* ---- Declarations and definitions ---- */

static bool find_element(const opevo_i_comp_tokens *ahead, opevo_element *out)
{
    for (int e = OPEVO_FLOAT32; e <= OPEVO_INT32; e++) {
        if (opevo_i_comp_token_is(ahead, opevo_element_name((opevo_element)e))) {
            *out = (opevo_element)e;
            return true;
        }
    }
    return false;
}

static void parse_prefix(opevo_i_comp_parser *self, opevo_i_comp_prefix *out)
{
    *out = (opevo_i_comp_prefix){.element = OPEVO_FLOAT32};
    for (;; opevo_i_comp_tokens_next(&self->tokens)) {
        opevo_i_comp_place place = self->tokens.place;

        if (!out->constant && opevo_i_comp_token_is(&self->tokens, "const"))
            out->constant = true;
        else if (!out->output && opevo_i_comp_token_is(&self->tokens, "output"))
            out->output = true;
        else if (!out->typed && find_element(&self->tokens, &out->element))
            out->typed = true;
        else
            return;
        if (!out->place.line)
            out->place = place;
    }
}

static opevo_reducer reducer_ahead(const opevo_i_comp_tokens *ahead)
{
    return opevo_i_comp_token_is(ahead, "sum")   ? OPEVO_REDUCER_SUM
           : opevo_i_comp_token_is(ahead, "max") ? OPEVO_REDUCER_MAX
           : opevo_i_comp_token_is(ahead, "min") ? OPEVO_REDUCER_MIN
                                                 : OPEVO_REDUCER_NONE;
}

/* Whether max or min ahead reduces: "max(k) -A[k]", "max(k:4, l) ..." and "max(k, l) A[k, l]" do,
 * but "max(i, j) + 1" does not. */
static bool is_reduction_ahead(const opevo_i_comp_tokens *ahead)
{
    opevo_i_comp_tokens look = *ahead;
    int names = 0;

    if (opevo_i_comp_token_is(&look, "sum"))
        return true;
    opevo_i_comp_tokens_next(&look);
    if (look.kind != '(')
        return false;
    do {
        opevo_i_comp_tokens_next(&look);
        if (look.kind != OPEVO_I_TOKEN_NAME)
            return false;
        names++;
        opevo_i_comp_tokens_next(&look);
        if (look.kind == ':')
            return true;
    } while (look.kind == ',');
    if (look.kind != ')' || names != 2)
        return look.kind == ')';
    opevo_i_comp_tokens_next(&look);
    return (look.kind == OPEVO_I_TOKEN_NAME && !opevo_i_comp_token_is(&look, "and") &&
            !opevo_i_comp_token_is(&look, "or")) ||
           look.kind == OPEVO_I_TOKEN_NUMBER || look.kind == '(';
}

static bool parse_reducer(opevo_i_comp_parser *self, opevo_definition *definition)
{
    opevo_reducer reducer = reducer_ahead(&self->tokens);

    if (reducer == OPEVO_REDUCER_NONE || !is_reduction_ahead(&self->tokens))
        return true;
    definition->reducer = reducer;
    opevo_i_comp_tokens_next(&self->tokens);
    if (!opevo_i_comp_parse_need(self, '(', "'(' and the axes of the reduction"))
        return false;
    do {
        opevo_i_comp_dimension axis;

        if (!parse_axis(self, &axis) || !opevo_i_comp_axis_use(self, &axis))
            return false;
    } while (opevo_i_comp_parse_take(self, ','));
    return opevo_i_comp_parse_need(self, ')', "',' or ')'");
}

/* What stands behind '='. */
static bool parse_definition(opevo_i_comp_parser *self, size_t symbol,
                             const opevo_i_comp_prefix *before,
                             const opevo_i_comp_dimension *dimensions, int count)
{
    opevo_definition *definition =
        opevo_i_comp_define_begin(self, symbol, before, dimensions, count);

    return definition && parse_reducer(self, definition) &&
           opevo_i_comp_parse_real(self, &definition->value) &&
           opevo_i_comp_define_end(self, symbol, before, definition);
}

/* ---- Statements ---- */

static bool parse_named_number(opevo_i_comp_parser *self, const opevo_i_comp_tokens *name)
{
    size_t symbol = opevo_i_comp_symbol_find(self, name->start, name->length);
    int64_t value = 0;

    if (symbol != OPEVO_I_NO_SYMBOL)
        return opevo_i_comp_parse_fail(self, OPEVO_INVALID, name->place,
                                       "%s is %s already (line %u).", self->symbols[symbol].name,
                                       opevo_i_comp_symbol_kind_name(self->symbols[symbol].kind),
                                       self->symbols[symbol].place.line);
    if (!opevo_i_comp_parse_constant(self, &value) ||
        !opevo_i_comp_symbol_add(self, name->start, name->length, OPEVO_I_SYMBOL_CONSTANT,
                                 name->place, &symbol))
        return false;
    self->symbols[symbol].value = value;
    return true;
}

static bool parse_statement(opevo_i_comp_parser *self)
{
    opevo_i_comp_prefix before;
    opevo_i_comp_tokens name;
    opevo_i_comp_dimension dimensions[OPEVO_COMPUTATION_DIMS];
    size_t symbol = 0;
    int count = 0;

    parse_prefix(self, &before);
    name = self->tokens;
    if (!opevo_i_comp_parse_need(self, OPEVO_I_TOKEN_NAME, "the name of a tensor"))
        return false;
    if (!before.place.line && opevo_i_comp_parse_take(self, '='))
        return parse_named_number(self, &name);
    if (!opevo_i_comp_parse_need(self, '[', "'[' and the dimensions") ||
        !opevo_i_comp_tensor_begin(self, name.start, name.length, name.place, &symbol) ||
        !parse_dimensions(self, dimensions, &count))
        return false;
    if (opevo_i_comp_parse_take(self, '='))
        return parse_definition(self, symbol, &before, dimensions, count);
    return opevo_i_comp_declare(self, symbol, &before, dimensions, count);
}

static bool parse_statements(opevo_i_comp_parser *self)
{
    for (;;) {
        while (opevo_i_comp_parse_take(self, OPEVO_I_TOKEN_BREAK)) {
        }
        if (self->tokens.kind == OPEVO_I_TOKEN_END)
            return true;
        if (!parse_statement(self))
            return false;
        if (self->tokens.kind != OPEVO_I_TOKEN_BREAK && self->tokens.kind != OPEVO_I_TOKEN_END)
            return opevo_i_comp_parse_expected(self, "an operator, ';' or the end of the line");
    }
}

static bool bind(opevo_i_comp_parser *self, const opevo_binding *bindings, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t symbol = 0;

        if (!opevo_i_comp_symbol_add(self, bindings[i].name, strlen(bindings[i].name),
                                     OPEVO_I_SYMBOL_CONSTANT, (opevo_i_comp_place){1, 1}, &symbol))
            return false;
        self->symbols[symbol].value = bindings[i].value;
    }
    return true;
}

opevo_status opevo_computation_parse(const char *text, const char *source,
                                     const opevo_binding *bindings, size_t count,
                                     opevo_computation **out, opevo_error *err)
{
    opevo_i_comp_parser self;
    opevo_computation *made = NULL;
    bool done = opevo_i_comp_parser_start(&self, source, err);

    if (done && strnlen(text, OPEVO_COMPUTATION_TEXT + 1) > OPEVO_COMPUTATION_TEXT)
        done =
            opevo_i_comp_parse_fail(&self, OPEVO_LIMIT, (opevo_i_comp_place){1, 1},
                                    "the text is longer than %zu bytes.", OPEVO_COMPUTATION_TEXT);
    if (done) {
        opevo_i_comp_tokens_start(&self.tokens, text);
        if (bind(&self, bindings, count) && parse_statements(&self) &&
            opevo_i_comp_parse_finish(&self, &made))
            *out = made;
    }
    opevo_i_comp_parser_free(&self);
    return self.status;
}
