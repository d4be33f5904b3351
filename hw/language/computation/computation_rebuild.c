/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Computations that were put together in memory. All of one is made anew by the functions that make
 * what a text says, so that it is what its text would read as, with all that reading checks. */

#include "computation_parse_internal.h"

#include <opevo/memory.h>

#include <string.h>

typedef struct rebuilder {
    opevo_i_comp_parser parser;
    opevo_i_comp_place place; /* of the statement: its number, as in a text of one a line */
    int *made;                /* by the number of each tensor the one that it gets */
} rebuilder;

static bool rebuild(rebuilder *self, const opevo_expression *from, opevo_i_comp_value *out);

/* ---- Integer index expressions ---- */

/* Whether it is a sum of axes in their canonical form, which most are. */
static bool is_sum_of_axes(const opevo_affine *from)
{
    bool plain = true;

    for (int i = 0; i < from->count && plain; i++) {
        const opevo_term *term = &from->term[i];

        plain = term->atom == OPEVO_ATOM_AXIS && term->factor &&
                (i == 0 || term->axis > from->term[i - 1].axis);
    }
    return plain;
}

/* *to += factor from. */
static bool add_terms(rebuilder *self, int64_t factor, const opevo_affine *from,
                      opevo_i_comp_whole *to)
{
    opevo_i_comp_whole one;
    bool fits = true;

    one.constant = from->constant;
    one.count = 0;
    fits = opevo_i_comp_whole_add(to, factor, &one);

    for (int i = 0; i < from->count && fits; i++) {
        const opevo_term *term = &from->term[i];
        int64_t product = 0;

        one.constant = 0;
        one.count = 0;
        if (term->atom == OPEVO_ATOM_AXIS) {
            one.count = 1;
            one.term[0] = (opevo_term){.factor = 1, .atom = OPEVO_ATOM_AXIS, .axis = term->axis};
        } else {
            fits = add_terms(self, 1, term->inner, &one) &&
                   opevo_i_comp_whole_divide(&one, term->divisor, term->atom == OPEVO_ATOM_MODULO,
                                             &self->parser.arena);
        }
        fits = fits && !__builtin_mul_overflow(factor, term->factor, &product) &&
               opevo_i_comp_whole_add(to, product, &one);
    }
    return fits;
}

static bool rebuild_affine(rebuilder *self, const opevo_affine *from, opevo_i_comp_value *out)
{
    opevo_i_comp_whole whole;
    bool fits = true;

    if (is_sum_of_axes(from)) {
        opevo_i_comp_whole_of(from, &whole);
    } else {
        whole.constant = 0;
        whole.count = 0;
        fits = add_terms(self, 1, from, &whole);
    }
    return opevo_i_comp_value_whole(&self->parser, fits ? &whole : NULL, self->place, out);
}

/* ---- Expressions ---- */

static bool rebuild_read(rebuilder *self, const opevo_expression *from, opevo_i_comp_value *out)
{
    opevo_i_comp_parser *parser = &self->parser;
    opevo_i_comp_pending *read = &parser->pending[self->made[from->tensor->number]];
    opevo_expression *node = opevo_i_comp_node(parser, OPEVO_EXPR_READ, self->place);
    opevo_affine index[OPEVO_COMPUTATION_DIMS];

    for (int d = 0; d < read->tensor->dims && node; d++) {
        opevo_i_comp_value one;

        if (!rebuild_affine(self, &from->index[d], &one))
            return false;
        index[d] = *one.whole;
    }
    if (!node)
        return false;
    read->read = true;
    node->tensor = read->tensor;
    node->index =
        opevo_i_comp_arena_copy(&parser->arena, index, (size_t)read->tensor->dims * sizeof *index);
    *out = (opevo_i_comp_value){.real = node, .depth = 1, .place = self->place};
    return node->index || opevo_i_comp_parse_no_memory(parser);
}

static bool rebuild_side(rebuilder *self, const opevo_affine *whole, const opevo_expression *value,
                         opevo_i_comp_value *out)
{
    return whole ? rebuild_affine(self, whole, out) : rebuild(self, value, out);
}

static bool rebuild_condition(rebuilder *self, const opevo_condition *from, opevo_i_comp_value *out)
{
    static const int tokens[] = {[OPEVO_COND_LESS] = '<',
                                 [OPEVO_COND_LESS_EQUAL] = OPEVO_I_TOKEN_LESS_EQUAL,
                                 [OPEVO_COND_EQUAL] = OPEVO_I_TOKEN_EQUAL,
                                 [OPEVO_COND_NOT_EQUAL] = OPEVO_I_TOKEN_NOT_EQUAL};
    opevo_i_comp_value a, b;

    if (from->left)
        return rebuild_condition(self, from->left, &a) &&
               rebuild_condition(self, from->right, &b) &&
               opevo_i_comp_value_join(&self->parser, from->kind, &a, &b, out);
    return rebuild_side(self, from->a, from->x, &a) && rebuild_side(self, from->b, from->y, &b) &&
           opevo_i_comp_value_compare(&self->parser, tokens[from->kind], &a, &b, out);
}

static bool rebuild_operation(rebuilder *self, const opevo_expression *from,
                              opevo_i_comp_value *out)
{
    static const int tokens[] = {[OPEVO_EXPR_ADD] = '+',
                                 [OPEVO_EXPR_SUBTRACT] = '-',
                                 [OPEVO_EXPR_MULTIPLY] = '*',
                                 [OPEVO_EXPR_DIVIDE] = '/'};
    opevo_i_comp_value condition, a, b;

    if ((from->condition && !rebuild_condition(self, from->condition, &condition)) ||
        !rebuild(self, from->left, &a) || (from->right && !rebuild(self, from->right, &b)))
        return false;
    if (from->kind <= OPEVO_EXPR_DIVIDE)
        return opevo_i_comp_value_binary(&self->parser, tokens[from->kind], &a, &b, out);
    if (from->kind == OPEVO_EXPR_SELECT)
        return opevo_i_comp_value_select(&self->parser, &condition, &a, &b, out);
    return opevo_i_comp_value_call(&self->parser, from->kind, &a, from->right ? &b : NULL, out);
}

static bool rebuild(rebuilder *self, const opevo_expression *from, opevo_i_comp_value *out)
{
    *out = (opevo_i_comp_value){.place = self->place};
    switch (from->kind) {
    case OPEVO_EXPR_READ:
        return rebuild_read(self, from, out);
    case OPEVO_EXPR_NUMBER:
        return opevo_i_comp_value_number(&self->parser, from->number, out);
    case OPEVO_EXPR_WHOLE:
        return rebuild_affine(self, from->index, out);
    default:
        return rebuild_operation(self, from, out);
    }
}

/* ---- Statements ---- */

static bool rebuild_axis(rebuilder *self, const char *name, int64_t extent,
                         opevo_i_comp_dimension *out)
{
    *out = (opevo_i_comp_dimension){
        .symbol = OPEVO_I_NO_SYMBOL, .extent = extent, .place = self->place};
    return !name ||
           (opevo_i_comp_axis_begin(&self->parser, name, strlen(name), self->place, &out->symbol) &&
            opevo_i_comp_axis_extent(&self->parser, out->symbol, extent, self->place));
}

static bool rebuild_definition(rebuilder *self, size_t symbol, const opevo_i_comp_prefix *before,
                               const opevo_i_comp_dimension *dimensions,
                               const opevo_definition *from)
{
    opevo_i_comp_parser *parser = &self->parser;
    opevo_definition *made =
        opevo_i_comp_define_begin(parser, symbol, before, dimensions, from->spatial);
    opevo_i_comp_value value;

    if (!made)
        return false;
    made->reducer = from->reducer;
    for (int a = from->spatial; a < from->axes; a++) {
        opevo_i_comp_dimension axis;

        if (!rebuild_axis(self, from->axis[a].name, from->axis[a].extent, &axis) ||
            !opevo_i_comp_axis_use(parser, &axis))
            return false;
    }
    return rebuild(self, from->value, &value) &&
           opevo_i_comp_value_real(parser, &value, &made->value) &&
           opevo_i_comp_define_end(parser, symbol, before, made);
}

static bool rebuild_tensor(rebuilder *self, const opevo_tensor *from)
{
    const opevo_i_comp_prefix before = {.constant = from->role == OPEVO_ROLE_CONSTANT,
                                        .output = from->role == OPEVO_ROLE_OUTPUT && from->readers,
                                        .element = from->element,
                                        .place = self->place};
    opevo_i_comp_dimension dimensions[OPEVO_COMPUTATION_DIMS];
    size_t symbol = 0;

    if (!opevo_i_comp_tensor_begin(&self->parser, from->name, strlen(from->name), self->place,
                                   &symbol))
        return false;
    for (int d = 0; d < from->dims; d++) {
        if (!rebuild_axis(self, from->dim_name[d], from->extent[d], &dimensions[d]))
            return false;
    }
    if (!(from->definition
              ? rebuild_definition(self, symbol, &before, dimensions, from->definition)
              : opevo_i_comp_declare(&self->parser, symbol, &before, dimensions, from->dims)))
        return false;
    self->made[from->number] = (int)self->parser.tensor_count - 1;
    return true;
}

opevo_status opevo_i_comp_rebuild(const opevo_computation *from, const char *source,
                                  opevo_computation **out, opevo_error *err)
{
    rebuilder self = {.place = {.column = 1}};
    opevo_computation *made = NULL;
    bool done = opevo_i_comp_parser_start(&self.parser, source, err);
    int most = 0;

    for (int i = 0; i < from->tensors; i++)
        most = from->tensor[i]->number > most ? from->tensor[i]->number : most;
    if (done) {
        self.made = opevo_calloc((size_t)most + 1, sizeof *self.made);
        done = self.made || opevo_i_comp_parse_no_memory(&self.parser);
    }
    for (int i = 0; i < from->tensors && done; i++) {
        self.place.line++;
        done = rebuild_tensor(&self, from->tensor[i]);
    }
    if (done && opevo_i_comp_parse_finish(&self.parser, &made))
        *out = made;
    opevo_free(self.made);
    opevo_i_comp_parser_free(&self.parser);
    return self.parser.status;
}
