/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Statements of a computation, wherever they come from: axes, declarations and definitions. */

#include "computation_parse_internal.h"

#include <stdio.h>
#include <string.h>

/* ---- Axes ---- */

bool opevo_i_comp_axis_begin(opevo_i_comp_parser *self, const char *name, size_t length,
                             opevo_i_comp_place place, size_t *out)
{
    const opevo_i_comp_symbol *known = NULL;

    *out = opevo_i_comp_symbol_find(self, name, length);
    if (*out == OPEVO_I_NO_SYMBOL)
        return opevo_i_comp_symbol_add(self, name, length, OPEVO_I_SYMBOL_AXIS, place, out);
    known = &self->symbols[*out];
    return known->kind == OPEVO_I_SYMBOL_AXIS ||
           opevo_i_comp_parse_fail(
               self, OPEVO_INVALID, place, "%s is %s (line %u); choose another name for the axis.",
               known->name, opevo_i_comp_symbol_kind_name(known->kind), known->place.line);
}

bool opevo_i_comp_axis_extent(opevo_i_comp_parser *self, size_t symbol, int64_t extent,
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

bool opevo_i_comp_axis_use(opevo_i_comp_parser *self, const opevo_i_comp_dimension *axis)
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

/* ---- Tensors ---- */

bool opevo_i_comp_tensor_begin(opevo_i_comp_parser *self, const char *name, size_t length,
                               opevo_i_comp_place place, size_t *out)
{
    size_t symbol = opevo_i_comp_symbol_find(self, name, length);
    const opevo_i_comp_symbol *known = NULL;

    if (symbol == OPEVO_I_NO_SYMBOL)
        return opevo_i_comp_symbol_add(self, name, length, OPEVO_I_SYMBOL_TENSOR, place, out);
    known = &self->symbols[symbol];
    if (known->kind == OPEVO_I_SYMBOL_TENSOR && self->pending[known->tensor].implicit)
        return opevo_i_comp_parse_fail(self, OPEVO_INVALID, place,
                                       "%s is read in line %u already; move this statement before "
                                       "that.",
                                       known->name, known->place.line);
    return opevo_i_comp_parse_fail(self, OPEVO_INVALID, place,
                                   "%s is %s already (line %u); choose another name.", known->name,
                                   opevo_i_comp_symbol_kind_name(known->kind), known->place.line);
}

bool opevo_i_comp_declare(opevo_i_comp_parser *self, size_t symbol,
                          const opevo_i_comp_prefix *before,
                          const opevo_i_comp_dimension *dimensions, int count)
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

opevo_definition *opevo_i_comp_define_begin(opevo_i_comp_parser *self, size_t symbol,
                                            const opevo_i_comp_prefix *before,
                                            const opevo_i_comp_dimension *dimensions, int count)
{
    opevo_definition *definition = NULL;

    if (before->constant) {
        opevo_i_comp_parse_fail(self, OPEVO_INVALID, before->place,
                                "only inputs can be const; %s is defined.",
                                self->symbols[symbol].name);
        return NULL;
    }
    definition = opevo_i_comp_arena_take(&self->arena, sizeof *definition);
    if (!definition) {
        opevo_i_comp_parse_no_memory(self);
        return NULL;
    }
    self->defined = self->symbols[symbol].name;
    self->axis_count = 0;
    for (int d = 0; d < count; d++) {
        if (!opevo_i_comp_axis_use(self, &dimensions[d]))
            return NULL;
    }
    definition->spatial = count;
    return definition;
}

bool opevo_i_comp_define_end(opevo_i_comp_parser *self, size_t symbol,
                             const opevo_i_comp_prefix *before, opevo_definition *definition)
{
    opevo_element accumulator = opevo_element_accumulator(before->element);

    definition->axes = self->axis_count;
    if (accumulator == OPEVO_INT32 && !opevo_i_comp_check_whole(self, definition->value))
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
