/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The constraints of a space: compiled, tabulated where what they name has few combinations, and
 * evaluated. */

#include "space_internal.h"

#include <opevo/memory.h>

#include "parameter_internal.h"
#include "value_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void opevo_i_topology_constraints_release(opevo_space *space)
{
    for (size_t i = 0; space->constraints && i < space->constraint_count; i++) {
        opevo_free(space->constraints[i].text);
        opevo_free(space->constraints[i].table);
        opevo_free(space->constraints[i].stride);
        opevo_i_topology_expression_release(&space->constraints[i].expression);
    }
    for (size_t i = 0; space->listed && i < space->parameter_count; i++)
        opevo_free(space->listed[i]);
    opevo_free(space->constraints);
    opevo_free(space->order);
    opevo_free(space->listed);
    opevo_free(space->allowed);
}

static opevo_status no_memory(opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the constraints of a space.");
}

/* ---- Names ---- */

/* What the values of a parameter are, as far as a quick look tells. */
static opevo_i_topology_sort sort_of(const opevo_parameter *parameter)
{
    enum { LOOKED_AT = 1 << 16 };
    opevo_index size = opevo_parameter_size(parameter), texts = 0;

    if (opevo_parameter_arity(parameter) > 1)
        return OPEVO_I_NUMBER; /* only lists and graphs have texts */
    if (size > LOOKED_AT)
        return OPEVO_I_EITHER;
    for (opevo_index vertex = 0; vertex < size; vertex++) {
        opevo_value value;

        opevo_parameter_value(parameter, vertex, &value);
        texts += value.kind == OPEVO_VALUE_TEXT;
    }
    return texts == 0 ? OPEVO_I_NUMBER : texts == size ? OPEVO_I_TEXT : OPEVO_I_EITHER;
}

static opevo_status list_symbols(const opevo_space *space, opevo_i_topology_symbol **out,
                                 size_t *count, opevo_error *err)
{
    size_t room = space->parameter_count, used = 0;
    opevo_i_topology_symbol *symbols = NULL;

    for (size_t i = 0; i < space->parameter_count; i++)
        room += opevo_parameter_arity(space->parameters[i]);
    symbols = opevo_malloc(room, sizeof *symbols);
    if (!symbols)
        return no_memory(err);
    for (size_t i = 0; i < space->parameter_count; i++) {
        const opevo_parameter *parameter = space->parameters[i];
        size_t arity = opevo_parameter_arity(parameter);
        opevo_i_topology_sort sort = sort_of(parameter);

        symbols[used++] = (opevo_i_topology_symbol){
            .name = opevo_parameter_name(parameter), .parameter = i, .arity = arity, .sort = sort};
        for (size_t k = 0; k < arity; k++)
            if (opevo_parameter_component_name(parameter, k))
                symbols[used++] =
                    (opevo_i_topology_symbol){.name = opevo_parameter_component_name(parameter, k),
                                              .parameter = i,
                                              .component = k,
                                              .arity = 1,
                                              .sort = sort};
    }
    *out = symbols;
    *count = used;
    return OPEVO_OK;
}

static int compare_symbols(const void *a, const void *b)
{
    const opevo_i_topology_symbol *const *x = a, *const *y = b;

    return strcmp((*x)->name, (*y)->name);
}

/* Release with opevo_free; NULL without memory. */
static const opevo_i_topology_symbol **sort_symbols(const opevo_i_topology_symbol *symbols,
                                                    size_t count)
{
    const opevo_i_topology_symbol **sorted = opevo_malloc(count, sizeof(void *));

    for (size_t i = 0; sorted && i < count; i++)
        sorted[i] = &symbols[i];
    if (sorted)
        qsort(sorted, count, sizeof(void *), compare_symbols);
    return sorted;
}

/* ---- Values ---- */

/* Write down all values of a parameter that is named and has few of them. */
static opevo_status list_values(opevo_space *space, size_t i, opevo_error *err)
{
    const opevo_parameter *parameter = space->parameters[i];
    opevo_index size = opevo_parameter_size(parameter);
    size_t arity = opevo_parameter_arity(parameter);

    if (space->listed[i] || size > OPEVO_I_LISTED_MAX || size * arity > OPEVO_I_LISTED_MAX)
        return OPEVO_OK;
    space->listed[i] = opevo_malloc((size_t)size * arity, sizeof(opevo_value));
    if (!space->listed[i])
        return no_memory(err);
    for (opevo_index vertex = 0; vertex < size; vertex++)
        opevo_parameter_value(parameter, vertex, space->listed[i] + (size_t)vertex * arity);
    return OPEVO_OK;
}

/* ---- Creation ---- */

static opevo_status check_size(const opevo_space *space, const opevo_i_topology_constraint *self,
                               const char *where, opevo_error *err)
{
    size_t scratch = 0;

    if (self->expression.parameter_count == 0)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s: \"%s\" names no parameter; leave it out or name one.", where,
                          OPEVO_I_EXCERPT(self->text));
    if (self->expression.parameter_count > OPEVO_I_ROWS_MAX)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "%s names more than %d parameters; split it.", where,
                          OPEVO_I_ROWS_MAX);
    for (size_t row = 0; row < self->expression.parameter_count; row++)
        scratch += opevo_i_topology_constraint_scratch(space, self->expression.parameters[row]);
    if (scratch > OPEVO_I_SCRATCH_MAX)
        return OPEVO_FAIL(
            err, OPEVO_LIMIT,
            "%s names large parameters with more than %d components in total; split it.", where,
            OPEVO_I_SCRATCH_MAX);
    return OPEVO_OK;
}

/* An instruction each, and for a value that is not listed what it takes to work it out. */
static uint64_t cost_of(const opevo_space *space, const opevo_i_topology_expression *expression)
{
    uint64_t cost = expression->length;

    for (size_t row = 0; row < expression->parameter_count; row++) {
        size_t components = opevo_i_topology_constraint_scratch(space, expression->parameters[row]);

        cost += components * components;
    }
    return cost;
}

uint64_t opevo_i_topology_constraints_cost(const opevo_space *space)
{
    uint64_t cost = space->activations ? space->parameter_count : 0; /* of decoding */

    for (size_t i = 0; i < space->constraint_count; i++)
        cost += space->constraints[i].cost;
    return cost;
}

/* Count the work of evaluating a constraint so many times; a short file may ask for hours. */
static opevo_status spend(const opevo_space *space, uint64_t *work, uint64_t times, uint64_t cost,
                          const char *where, opevo_error *err)
{
    uint64_t more = 0;

    if (!__builtin_mul_overflow(times, cost, &more) && more <= OPEVO_I_WORK_MAX - *work) {
        *work += more;
        return OPEVO_OK;
    }
    return OPEVO_FAIL(
        err, OPEVO_LIMIT,
        "%s: evaluating the constraints up to here on all values of their parameters takes more "
        "than %.2g operations; join those on the same parameters with %s, or "
        "make them shorter.",
        where, (double)OPEVO_I_WORK_MAX, space->dialect == OPEVO_DIALECT_C ? "&&" : "and");
}

static opevo_status tabulate(const opevo_space *space, opevo_i_topology_constraint *self,
                             uint64_t *work, const char *where, opevo_error *err)
{
    const opevo_i_topology_expression *expression = &self->expression;
    opevo_index combinations = 1;
    opevo_status status = OPEVO_OK;

    self->cost = cost_of(space, expression);

    self->stride = opevo_malloc(expression->parameter_count, sizeof *self->stride);
    if (!self->stride)
        return no_memory(err);
    for (size_t row = expression->parameter_count; row-- > 0;) {
        size_t parameter = expression->parameters[row];

        self->stride[row] = (uint64_t)combinations;
        if (!opevo_index_mul(combinations, opevo_parameter_size(space->parameters[parameter]),
                             &combinations) ||
            combinations > OPEVO_I_TRIED_MAX)
            return OPEVO_OK;
    }
    OPEVO_TRY(spend(space, work, (uint64_t)combinations, self->cost, where, err));
    OPEVO_TRY(opevo_i_topology_constraint_try_all(space, self, (uint64_t)combinations, where, err));
    self->cost = expression->parameter_count;
cleanup:
    return status;
}

/* Make rows of those that activate the parameters of an expression, too. */
static opevo_status add_parents(const opevo_space *space, opevo_i_topology_expression *expression,
                                opevo_error *err)
{
    size_t capacity = expression->parameter_count;
    void *parameters = expression->parameters;

    for (size_t row = 0; space->activations && row < expression->parameter_count; row++) {
        size_t parent = space->activations[expression->parameters[row]].parent;

        if (parent == OPEVO_NO_PARENT ||
            opevo_i_topology_expression_row(expression, parent) < expression->parameter_count)
            continue;
        if (!opevo_reserve(&parameters, &capacity, expression->parameter_count + 1,
                           sizeof *expression->parameters))
            return no_memory(err);
        expression->parameters = parameters;
        expression->parameters[expression->parameter_count++] = parent;
    }
    return OPEVO_OK;
}

/* `source` says all but the text. */
static opevo_status create_one(opevo_space *space, opevo_i_topology_constraint *self,
                               const char *text, opevo_i_topology_source source, uint64_t *work,
                               opevo_error *err)
{
    const char *where = source.where;
    opevo_status status = OPEVO_OK;

    source.text = text;
    source.length = strlen(text);
    self->text = opevo_strdup(text);
    if (!self->text)
        return no_memory(err);
    if (text[strspn(text, " \t\r\n")] == '\0')
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s is empty; leave it out.", where);
    OPEVO_TRY(opevo_i_topology_expression_create(&source, &self->expression, err));
    if (self->expression.sort == OPEVO_I_TEXT)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s is a string; compare it with == or !=.", where);
    OPEVO_TRY(add_parents(space, &self->expression, err));
    for (size_t row = 0; row < self->expression.parameter_count; row++)
        OPEVO_TRY(list_values(space, self->expression.parameters[row], err));
    OPEVO_TRY(check_size(space, self, where, err));
    for (size_t row = 0; row < self->expression.parameter_count; row++)
        if (self->expression.parameters[row] > self->last)
            self->last = self->expression.parameters[row];
    status = tabulate(space, self, work, where, err);
cleanup:
    return status;
}

/* Lists of values that only tabulated constraints need are not needed any more. */
static void drop_listed(opevo_space *space)
{
    for (size_t i = 0; i < space->parameter_count; i++) {
        bool needed = false;

        for (size_t c = 0; c < space->constraint_count; c++) {
            const opevo_i_topology_constraint *self = &space->constraints[c];

            for (size_t row = 0; row < self->expression.parameter_count; row++)
                needed |= !self->table && self->expression.parameters[row] == i;
        }
        if (!needed) {
            opevo_free(space->listed[i]);
            space->listed[i] = NULL;
        }
    }
}

static void sort_by_last(opevo_space *space)
{
    for (size_t i = 0; i < space->constraint_count; i++) {
        size_t at = i;

        for (; at > 0 && space->constraints[space->order[at - 1]].last > space->constraints[i].last;
             at--)
            space->order[at] = space->order[at - 1];
        space->order[at] = i;
    }
}

/* "space.json:4: constraint 2", which begins the messages on a constraint. */
static void write_where(const opevo_i_topology_constraint_list *list, size_t i, char *where,
                        size_t size)
{
    if (list->lines)
        snprintf(where, size, "%.256s:%zu: constraint %zu", list->origin, list->lines[i], i + 1);
    else
        snprintf(where, size, "%.256s: constraint %zu", list->origin, i + 1);
}

opevo_status opevo_i_topology_constraints_create(opevo_space *space,
                                                 const opevo_i_topology_constraint_list *list,
                                                 opevo_error *err)
{
    size_t count = list->count;
    opevo_status status = OPEVO_OK;
    opevo_i_topology_symbol *symbols = NULL;
    const opevo_i_topology_symbol **by_name = NULL;
    size_t symbol_count = 0;
    uint64_t work = 0;

    if (count == 0)
        return OPEVO_OK;
    if (count > OPEVO_I_CONSTRAINTS_MAX)
        return OPEVO_FAIL(err, OPEVO_LIMIT,
                          "A space has at most %d constraints, not %zu; join them with &&.",
                          OPEVO_I_CONSTRAINTS_MAX, count);
    space->constraints = opevo_calloc(count, sizeof *space->constraints);
    space->constraint_count = count;
    space->order = opevo_malloc(count, sizeof *space->order);
    space->listed = opevo_calloc(space->parameter_count, sizeof(opevo_value *));
    if (!space->constraints || !space->order || !space->listed)
        return no_memory(err);
    OPEVO_TRY(list_symbols(space, &symbols, &symbol_count, err));
    by_name = sort_symbols(symbols, symbol_count);
    if (!by_name) {
        status = no_memory(err);
        goto cleanup;
    }
    for (size_t i = 0; i < count; i++) {
        char where[320];

        write_where(list, i, where, sizeof where);
        OPEVO_TRY(create_one(space, &space->constraints[i], list->texts[i],
                             (opevo_i_topology_source){.column = 1,
                                                       .dialect = space->dialect,
                                                       .symbols = symbols,
                                                       .symbol_count = symbol_count,
                                                       .by_name = by_name,
                                                       .where = where},
                             &work, err));
    }
    drop_listed(space);
    sort_by_last(space);
    if (space->size > OPEVO_I_TABULATED_MAX)
        goto cleanup;
    OPEVO_TRY(spend(space, &work, (uint64_t)space->size, opevo_i_topology_constraints_cost(space),
                    list->origin, err));
    status = opevo_i_topology_space_tabulate(space, list->origin, err);
cleanup:
    opevo_free(by_name);
    opevo_free(symbols);
    return status;
}
