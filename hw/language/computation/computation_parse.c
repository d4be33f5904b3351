/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Statements of a computation's text. */

#include "computation_parse_internal.h"

#include <opevo/memory.h>

#include <stdio.h>
#include <string.h>

/* ---- Dimensions ---- */

/* "m", "m:512" or "512" between brackets. */
typedef struct dimension {
    size_t symbol; /* OPEVO_I_NO_SYMBOL for an extent without a name */
    int64_t extent;
    opevo_i_comp_place place;
} dimension;

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

/* Note the extent of an axis; it must not have another. */
static bool set_extent(opevo_i_comp_parser *self, size_t symbol, int64_t extent,
                       opevo_i_comp_place place)
{
    opevo_i_comp_symbol *axis = &self->symbols[symbol];

    if (axis->value && axis->value != extent)
        return opevo_i_comp_parse_fail(
            self, OPEVO_INVALID, place,
            "the extent of %s is %lld here, but %lld before; give one of "
            "them another name.",
            axis->name, (long long)extent, (long long)axis->value);
    axis->value = extent;
    return true;
}

/* An axis with or without its extent. */
static bool parse_axis(opevo_i_comp_parser *self, dimension *out)
{
    opevo_i_comp_tokens name = self->tokens;
    const opevo_i_comp_symbol *known = NULL;

    *out = (dimension){.place = name.place};
    if (name.kind != OPEVO_I_TOKEN_NAME)
        return opevo_i_comp_parse_expected(self, "the name of an axis");
    out->symbol = opevo_i_comp_symbol_find(self, name.start, name.length);
    if (out->symbol == OPEVO_I_NO_SYMBOL &&
        !opevo_i_comp_symbol_add(self, name.start, name.length, OPEVO_I_SYMBOL_AXIS, name.place,
                                 &out->symbol))
        return false;
    known = &self->symbols[out->symbol];
    if (known->kind != OPEVO_I_SYMBOL_AXIS)
        return opevo_i_comp_parse_fail(self, OPEVO_INVALID, name.place,
                                       "%s is %s (line %u); choose another name for the axis.",
                                       known->name, opevo_i_comp_symbol_kind_name(known->kind),
                                       known->place.line);
    opevo_i_comp_tokens_next(&self->tokens);
    if (!opevo_i_comp_parse_take(self, ':'))
        return true;
    return parse_extent(self, &out->extent) &&
           set_extent(self, out->symbol, out->extent, name.place);
}

/* Whether the token ahead is a name that is not that of a number. */
static bool is_axis_ahead(const opevo_i_comp_parser *self)
{
    size_t symbol = opevo_i_comp_symbol_find(self, self->tokens.start, self->tokens.length);

    return self->tokens.kind == OPEVO_I_TOKEN_NAME &&
           (symbol == OPEVO_I_NO_SYMBOL || self->symbols[symbol].kind != OPEVO_I_SYMBOL_CONSTANT);
}

/* What stands in brackets, behind the first. */
static bool parse_dimensions(opevo_i_comp_parser *self, dimension *out, int *count)
{
    *count = 0;
    if (opevo_i_comp_parse_take(self, ']'))
        return true;
    do {
        dimension *one = &out[*count];

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
        *one = (dimension){.symbol = OPEVO_I_NO_SYMBOL, .place = self->tokens.place};
        if (!parse_extent(self, &one->extent))
            return false;
    } while (opevo_i_comp_parse_take(self, ','));
    return opevo_i_comp_parse_need(self, ']', "',' or ']'");
}

/* ---- Declarations and definitions ---- */

/* What may stand before a tensor's name. */
typedef struct prefix {
    bool constant, output, typed;
    opevo_element element;
    opevo_i_comp_place place; /* of the first word, line 0 for none */
} prefix;

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

static void parse_prefix(opevo_i_comp_parser *self, prefix *out)
{
    *out = (prefix){.element = OPEVO_FLOAT32};
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

static bool declare(opevo_i_comp_parser *self, size_t symbol, const prefix *before,
                    const dimension *dimensions, int count)
{
    opevo_i_comp_pending *pending = NULL;

    if (before->output)
        return opevo_i_comp_parse_fail(self, OPEVO_INVALID, before->place,
                                       "an output needs a definition, as in output %s[i] = ....",
                                       self->symbols[symbol].name);
    pending = opevo_i_comp_tensor_add(self, symbol);
    if (!pending)
        return false;
    pending->tensor->element = before->element;
    pending->tensor->role = before->constant ? OPEVO_ROLE_CONSTANT : OPEVO_ROLE_INPUT;
    pending->tensor->dims = count;
    for (int d = 0; d < count; d++) {
        pending->axis[d] = dimensions[d].symbol;
        pending->tensor->extent[d] = dimensions[d].extent;
    }
    return true;
}

/* Take an axis into the definition being read. */
static bool add_axis(opevo_i_comp_parser *self, const dimension *axis)
{
    if (axis->symbol == OPEVO_I_NO_SYMBOL)
        return opevo_i_comp_parse_fail(self, OPEVO_INVALID, axis->place,
                                       "a defined tensor is indexed by axes, as in C[i:64, j:64].");
    if (self->symbols[axis->symbol].local >= 0)
        return opevo_i_comp_parse_fail(self, OPEVO_INVALID, axis->place,
                                       "the axis %s stands twice; give each dimension and each "
                                       "reduction its own.",
                                       self->symbols[axis->symbol].name);
    if (self->axis_count == OPEVO_COMPUTATION_AXES)
        return opevo_i_comp_parse_fail(self, OPEVO_LIMIT, axis->place,
                                       "a definition has at most %d axes.",
                                       (int)OPEVO_COMPUTATION_AXES);
    self->symbols[axis->symbol].local = self->axis_count;
    self->axes[self->axis_count++] = axis->symbol;
    return true;
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
        dimension axis;

        if (!parse_axis(self, &axis) || !add_axis(self, &axis))
            return false;
    } while (opevo_i_comp_parse_take(self, ','));
    return opevo_i_comp_parse_need(self, ')', "',' or ')'");
}

static bool parse_definition(opevo_i_comp_parser *self, const dimension *dimensions, int count,
                             opevo_definition **out)
{
    opevo_definition *definition = opevo_i_comp_arena_take(&self->arena, sizeof *definition);

    if (!definition)
        return opevo_i_comp_parse_no_memory(self);
    for (int d = 0; d < count; d++) {
        if (!add_axis(self, &dimensions[d]))
            return false;
    }
    definition->spatial = count;
    *out = definition;
    if (!parse_reducer(self, definition) || !opevo_i_comp_parse_real(self, &definition->value))
        return false;
    definition->axes = self->axis_count;
    return true;
}

/* A tensor with its definition, the axes of which are those of the definition being read. */
static opevo_i_comp_pending *add_defined(opevo_i_comp_parser *self, size_t symbol,
                                         opevo_element element, opevo_role role,
                                         opevo_definition *definition)
{
    opevo_i_comp_pending *pending = opevo_i_comp_tensor_add(self, symbol);

    if (!pending)
        return NULL;
    pending->definition = definition;
    pending->tensor->definition = definition;
    pending->tensor->dims = definition->spatial;
    pending->tensor->element = element;
    pending->tensor->role = role;
    for (int a = 0; a < definition->axes; a++)
        pending->axis[a] = self->axes[a];
    return pending;
}

/* The element of a tensor at the place that is defined: C[i, j], with the axes 0 and 1. */
static const opevo_expression *read_own_place(opevo_i_comp_parser *self, const opevo_tensor *tensor,
                                              opevo_i_comp_place place)
{
    opevo_expression *read = opevo_i_comp_node(self, OPEVO_EXPR_READ, place);
    opevo_affine index[OPEVO_COMPUTATION_DIMS];

    if (!read)
        return NULL;
    for (int d = 0; d < tensor->dims; d++) {
        opevo_term axis = {.factor = 1, .axis = d};

        index[d] = (opevo_affine){
            .count = 1, .term = opevo_i_comp_arena_copy(&self->arena, &axis, sizeof axis)};
    }
    read->tensor = tensor;
    read->index =
        opevo_i_comp_arena_copy(&self->arena, index, (size_t)tensor->dims * sizeof *index);
    if (!read->index || self->arena.failed) {
        opevo_i_comp_parse_no_memory(self);
        return NULL;
    }
    return read;
}

/* A sum of a narrow type becomes two definitions: C_sum of the type that it is summed in, and C,
 * which is rounded once. */
static bool split_sum(opevo_i_comp_parser *self, size_t symbol, opevo_element element,
                      opevo_definition **definition)
{
    const opevo_i_comp_symbol *of = &self->symbols[symbol];
    opevo_i_comp_place place = of->place;
    opevo_definition *rounded = opevo_i_comp_arena_take(&self->arena, sizeof *rounded);
    opevo_i_comp_pending *pending = NULL;
    char name[OPEVO_COMPUTATION_NAME + 5];
    int length = snprintf(name, sizeof name, "%s_sum", of->name);

    if (!rounded)
        return opevo_i_comp_parse_no_memory(self);
    if (length > OPEVO_COMPUTATION_NAME)
        return opevo_i_comp_parse_fail(
            self, OPEVO_LIMIT, place,
            "the sum of %s is computed in %s as %s; names have at most %d "
            "characters, so choose one of at most %d.",
            of->name, opevo_element_name(opevo_element_accumulator(element)), name,
            (int)OPEVO_COMPUTATION_NAME, (int)(OPEVO_COMPUTATION_NAME - strlen("_sum")));
    if (opevo_i_comp_symbol_find(self, name, (size_t)length) != OPEVO_I_NO_SYMBOL)
        return opevo_i_comp_parse_fail(
            self, OPEVO_INVALID, place,
            "the sum of %s is computed in %s as %s, but this name is taken; "
            "choose another one.",
            of->name, opevo_element_name(opevo_element_accumulator(element)), name);
    if (!opevo_i_comp_symbol_add(self, name, (size_t)length, OPEVO_I_SYMBOL_TENSOR, place, &symbol))
        return false;
    pending = add_defined(self, symbol, opevo_element_accumulator(element), OPEVO_ROLE_INTERMEDIATE,
                          *definition);
    if (!pending)
        return false;
    pending->read = true;
    rounded->axes = rounded->spatial = (*definition)->spatial;
    rounded->value = read_own_place(self, pending->tensor, place);
    *definition = rounded;
    return rounded->value != NULL;
}

static bool define(opevo_i_comp_parser *self, size_t symbol, const prefix *before,
                   const dimension *dimensions, int count)
{
    opevo_element accumulator = opevo_element_accumulator(before->element);
    opevo_definition *definition = NULL;

    if (before->constant)
        return opevo_i_comp_parse_fail(self, OPEVO_INVALID, before->place,
                                       "only inputs can be const; %s is defined.",
                                       self->symbols[symbol].name);
    self->defined = self->symbols[symbol].name;
    self->axis_count = 0;
    if (!parse_definition(self, dimensions, count, &definition) || !definition ||
        (accumulator == OPEVO_INT32 && !opevo_i_comp_check_whole(self, definition->value)))
        return false;
    if (definition->reducer == OPEVO_REDUCER_SUM && before->element != accumulator &&
        !split_sum(self, symbol, before->element, &definition))
        return false;
    if (!add_defined(self, symbol, before->element,
                     before->output ? OPEVO_ROLE_OUTPUT : OPEVO_ROLE_INTERMEDIATE, definition))
        return false;
    for (int a = 0; a < self->axis_count; a++)
        self->symbols[self->axes[a]].local = -1;
    self->defined = NULL;
    return true;
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

/* The symbol of a tensor that a statement begins. */
static bool begin_tensor(opevo_i_comp_parser *self, const opevo_i_comp_tokens *name, size_t *out)
{
    size_t symbol = opevo_i_comp_symbol_find(self, name->start, name->length);
    const opevo_i_comp_symbol *known = NULL;

    if (symbol == OPEVO_I_NO_SYMBOL)
        return opevo_i_comp_symbol_add(self, name->start, name->length, OPEVO_I_SYMBOL_TENSOR,
                                       name->place, out);
    known = &self->symbols[symbol];
    if (known->kind == OPEVO_I_SYMBOL_TENSOR && self->pending[known->tensor].implicit)
        return opevo_i_comp_parse_fail(self, OPEVO_INVALID, name->place,
                                       "%s is read in line %u already; move this statement before "
                                       "that.",
                                       known->name, known->place.line);
    return opevo_i_comp_parse_fail(self, OPEVO_INVALID, name->place,
                                   "%s is %s already (line %u); choose another name.", known->name,
                                   opevo_i_comp_symbol_kind_name(known->kind), known->place.line);
}

static bool parse_statement(opevo_i_comp_parser *self)
{
    prefix before;
    opevo_i_comp_tokens name;
    dimension dimensions[OPEVO_COMPUTATION_DIMS];
    size_t symbol = 0;
    int count = 0;

    parse_prefix(self, &before);
    name = self->tokens;
    if (!opevo_i_comp_parse_need(self, OPEVO_I_TOKEN_NAME, "the name of a tensor"))
        return false;
    if (!before.place.line && opevo_i_comp_parse_take(self, '='))
        return parse_named_number(self, &name);
    if (!opevo_i_comp_parse_need(self, '[', "'[' and the dimensions") ||
        !begin_tensor(self, &name, &symbol) || !parse_dimensions(self, dimensions, &count))
        return false;
    if (opevo_i_comp_parse_take(self, '='))
        return define(self, symbol, &before, dimensions, count);
    return declare(self, symbol, &before, dimensions, count);
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
    opevo_i_comp_parser self = {.source = source, .err = err, .status = OPEVO_OK};
    opevo_computation *made = NULL;

    self.by_name = opevo_index_map_create();
    if (!self.by_name)
        opevo_i_comp_parse_no_memory(&self);
    else if (strnlen(text, OPEVO_COMPUTATION_TEXT + 1) > OPEVO_COMPUTATION_TEXT)
        opevo_i_comp_parse_fail(&self, OPEVO_LIMIT, (opevo_i_comp_place){1, 1},
                                "the text is longer than %zu bytes.", OPEVO_COMPUTATION_TEXT);
    if (self.status == OPEVO_OK) {
        opevo_i_comp_tokens_start(&self.tokens, text);
        if (bind(&self, bindings, count) && parse_statements(&self) &&
            opevo_i_comp_parse_finish(&self, &made))
            *out = made;
    }
    opevo_index_map_destroy(self.by_name);
    opevo_free(self.symbols);
    opevo_free(self.pending);
    opevo_i_comp_arena_free(&self.arena);
    return self.status;
}
