/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A computation as plain loops in C that is also C++: each definition evaluated in double precision
 * with the bound of its error in single precision, by the formulas of computation_reference.h. An
 * element is a function that keeps what it found, so that a sample of the outputs costs no more
 * than what it is made of, and all of them no more than every element once. */

#include "export_internal.h"
#include "operands_internal.h"

#include <opevo/memory.h>
#include <opevo/text_fill.h>

/* ---- Expressions ---------------------------------------------------------------------------- */

static void add_affine(opevo_text *out, const opevo_affine *affine,
                       const opevo_definition *definition);

static void add_atom(opevo_text *out, const opevo_term *term, const opevo_definition *definition)
{
    if (term->atom == OPEVO_ATOM_AXIS) {
        opevo_text_printf(out, "i_%s", definition->axis[term->axis].name);
        return;
    }
    if (term->atom == OPEVO_ATOM_MODULO) { /* a - d floor(a / d) */
        opevo_text_add(out, "(");
        add_affine(out, term->inner, definition);
        opevo_text_printf(out, " - %lldLL * ", (long long)term->divisor);
    }
    opevo_text_add(out, "floor_of(");
    add_affine(out, term->inner, definition);
    opevo_text_printf(out, ", %lldLL)", (long long)term->divisor);
    opevo_text_add(out, term->atom == OPEVO_ATOM_MODULO ? ")" : "");
}

/* "(1LL + 2LL * i_h + i_r)" */
static void add_affine(opevo_text *out, const opevo_affine *affine,
                       const opevo_definition *definition)
{
    opevo_text_printf(out, "(%lldLL", (long long)affine->constant);
    for (int i = 0; i < affine->count; i++) {
        opevo_text_printf(out, " + %lldLL * ", (long long)affine->term[i].factor);
        add_atom(out, &affine->term[i], definition);
    }
    opevo_text_add(out, ")");
}

/* "x_A[(i) * 4LL + k]" */
static void add_element_of_input(opevo_text *out, const opevo_expression *read,
                                 const opevo_definition *definition)
{
    const opevo_tensor *tensor = read->tensor;

    opevo_text_printf(out, "%sx_%s[", opevo_i_export_value_start(tensor->element), tensor->name);
    for (int d = 1; d < tensor->dims; d++)
        opevo_text_add(out, "(");
    for (int d = 0; d < tensor->dims; d++) {
        if (d)
            opevo_text_printf(out, ") * %lldLL + ", (long long)tensor->extent[d]);
        add_affine(out, &read->index[d], definition);
    }
    opevo_text_printf(out, "%s%s", tensor->dims ? "]" : "0]",
                      opevo_i_export_value_end(tensor->element));
}

/* "element_P(i, k)" */
static void add_read(opevo_text *out, const opevo_expression *read,
                     const opevo_definition *definition)
{
    const opevo_tensor *tensor = read->tensor;
    bool converts = tensor->element == OPEVO_INT32;

    if (!tensor->definition) {
        add_element_of_input(out, read, definition);
        return;
    }
    opevo_text_printf(out, "%selement_%s(", converts ? "converted(" : "", tensor->name);
    for (int d = 0; d < tensor->dims; d++) {
        opevo_text_add(out, d ? ", " : "");
        add_affine(out, &read->index[d], definition);
    }
    opevo_text_add(out, converts ? "))" : ")");
}

static void add_expression(opevo_text *out, const opevo_expression *expression,
                           const opevo_definition *definition);

static void add_pair(opevo_text *out, const char *name, const opevo_condition *condition,
                     const opevo_definition *definition)
{
    opevo_text_printf(out, "%s(", name);
    add_expression(out, condition->x, definition);
    opevo_text_add(out, ", ");
    add_expression(out, condition->y, definition);
    opevo_text_add(out, ")");
}

static void add_condition(opevo_text *out, const opevo_condition *condition,
                          const opevo_definition *definition)
{
    static const char *const words[] = {
        [OPEVO_COND_AND] = " && ",   [OPEVO_COND_OR] = " || ",
        [OPEVO_COND_LESS] = " < ",   [OPEVO_COND_LESS_EQUAL] = " <= ",
        [OPEVO_COND_EQUAL] = " == ", [OPEVO_COND_NOT_EQUAL] = " != "};

    opevo_text_add(out, "(");
    if (condition->left) {
        add_condition(out, condition->left, definition);
        opevo_text_add(out, words[condition->kind]);
        add_condition(out, condition->right, definition);
    } else if (condition->a) {
        add_affine(out, condition->a, definition);
        opevo_text_add(out, words[condition->kind]);
        add_affine(out, condition->b, definition);
    } else {
        add_expression(out, condition->x, definition);
        opevo_text_printf(out, ".v%s", words[condition->kind]);
        add_expression(out, condition->y, definition);
        opevo_text_add(out, ".v");
    }
    opevo_text_add(out, ")");
}

/* "apart(x, y) && " for each comparison of values. */
static void add_sure(opevo_text *out, const opevo_condition *condition,
                     const opevo_definition *definition)
{
    if (condition->left) {
        add_sure(out, condition->left, definition);
        add_sure(out, condition->right, definition);
    } else if (condition->x) {
        add_pair(out, "apart", condition, definition);
        opevo_text_add(out, " && ");
    }
}

static void add_select(opevo_text *out, const opevo_expression *expression,
                       const opevo_definition *definition)
{
    opevo_text_add(out, "chosen(");
    add_sure(out, expression->condition, definition);
    opevo_text_add(out, "1, ");
    add_condition(out, expression->condition, definition);
    opevo_text_add(out, " ? ");
    add_expression(out, expression->left, definition);
    opevo_text_add(out, " : ");
    add_expression(out, expression->right, definition);
    opevo_text_add(out, ")");
}

static const char *const functions[] = {
    [OPEVO_EXPR_ADD] = "sum_of",       [OPEVO_EXPR_SUBTRACT] = "difference",
    [OPEVO_EXPR_MULTIPLY] = "product", [OPEVO_EXPR_DIVIDE] = "quotient",
    [OPEVO_EXPR_MAX] = "larger",       [OPEVO_EXPR_MIN] = "smaller",
    [OPEVO_EXPR_NEGATE] = "negated",   [OPEVO_EXPR_EXP] = "exp_of",
    [OPEVO_EXPR_SQRT] = "root",        [OPEVO_EXPR_TANH] = "tanh_of",
    [OPEVO_EXPR_ERF] = "erf_of",       [OPEVO_EXPR_LOG] = "log_of",
    [OPEVO_EXPR_SIGMOID] = "sigmoid"};

static void add_expression(opevo_text *out, const opevo_expression *expression,
                           const opevo_definition *definition)
{
    switch (expression->kind) {
    case OPEVO_EXPR_READ:
        add_read(out, expression, definition);
        return;
    case OPEVO_EXPR_NUMBER:
        opevo_text_printf(out, "number(%.17g)", expression->number);
        return;
    case OPEVO_EXPR_WHOLE:
        opevo_text_add(out, "whole");
        add_affine(out, expression->index, definition);
        return;
    case OPEVO_EXPR_SELECT:
        add_select(out, expression, definition);
        return;
    default:
        break;
    }
    opevo_text_printf(out, "%s(", functions[expression->kind]);
    add_expression(out, expression->left, definition);
    if (expression->right) {
        opevo_text_add(out, ", ");
        add_expression(out, expression->right, definition);
    }
    opevo_text_add(out, ")");
}

/* ---- Definitions ---------------------------------------------------------------------------- */

static void add_loops(opevo_text *out, const opevo_definition *definition)
{
    for (int a = definition->spatial; a < definition->axes; a++)
        opevo_text_printf(out, "    for (long long i_%s = 0; i_%s < %lldLL; i_%s++)\n",
                          definition->axis[a].name, definition->axis[a].name,
                          (long long)definition->axis[a].extent, definition->axis[a].name);
}

static double count_terms(const opevo_definition *definition)
{
    double terms = 1;

    for (int a = definition->spatial; a < definition->axes; a++)
        terms *= (double)definition->axis[a].extent;
    return terms;
}

static const char *add_term(const opevo_definition *definition)
{
    return definition->reducer == OPEVO_REDUCER_SUM   ? opevo_i_export_sum
           : definition->reducer == OPEVO_REDUCER_MAX ? "        most = larger(most, @term@);\n"
                                                      : "        most = smaller(most, @term@);\n";
}

/* The statements that find `most`, or `sum`, `error` and `size`. */
static void add_reduction(opevo_text *out, const opevo_definition *definition)
{
    opevo_text term = {0};

    add_expression(&term, definition->value, definition);
    add_loops(out, definition);
    opevo_text_add(out, "    {\n");
    opevo_text_fill(out, add_term(definition),
                    (opevo_text_slot[]){{"term", opevo_text_string(&term)}}, 1);
    opevo_text_add(out, "    }\n");
    out->failed |= term.failed;
    opevo_text_free(&term);
}

/* What an element is, behind its reduction. */
static void add_result(opevo_text *out, const opevo_definition *definition, double alike)
{
    if (definition->reducer == OPEVO_REDUCER_NONE)
        add_expression(out, definition->value, definition);
    else if (definition->reducer == OPEVO_REDUCER_SUM)
        opevo_text_printf(out, "total(sum, error, size, %.0f, %.17g)", count_terms(definition),
                          alike);
    else
        opevo_text_add(out, "most");
}

/* "long long i_i, long long i_j" */
static void add_parameters(opevo_text *out, const opevo_definition *definition)
{
    for (int a = 0; a < definition->spatial; a++)
        opevo_text_printf(out, "%slong long i_%s", a ? ", " : "", definition->axis[a].name);
    opevo_text_add(out, definition->spatial ? "" : "void");
}

/* "(i_i) * 4LL + i_j" */
static void add_place(opevo_text *out, const opevo_definition *definition)
{
    for (int a = 1; a < definition->spatial; a++)
        opevo_text_add(out, "(");
    for (int a = 0; a < definition->spatial; a++) {
        if (a)
            opevo_text_printf(out, ") * %lldLL + ", (long long)definition->axis[a].extent);
        opevo_text_printf(out, "i_%s", definition->axis[a].name);
    }
    opevo_text_add(out, definition->spatial ? "" : "0");
}

/* The function that computes an element where it is not known. */
static void add_definition(opevo_text *out, const opevo_tensor *tensor, double alike)
{
    static const char *const starts[] = {
        [OPEVO_REDUCER_NONE] = "",
        [OPEVO_REDUCER_SUM] = "    double sum = 0, error = 0, size = 0;\n",
        [OPEVO_REDUCER_MAX] = "    value most = make(-HUGE_VAL, 0);\n",
        [OPEVO_REDUCER_MIN] = "    value most = make(HUGE_VAL, 0);\n"};
    const opevo_definition *definition = tensor->definition;
    opevo_text line = {0}, parameters = {0}, place = {0}, statements = {0}, result = {0};

    opevo_tensor_print(tensor, &line);
    add_parameters(&parameters, definition);
    add_place(&place, definition);
    if (definition->reducer != OPEVO_REDUCER_NONE)
        add_reduction(&statements, definition);
    add_result(&result, definition, alike);
    opevo_text_fill(out, opevo_i_export_definition,
                    (opevo_text_slot[]){{"line", opevo_text_string(&line)},
                                        {"name", tensor->name},
                                        {"parameters", opevo_text_string(&parameters)},
                                        {"place", opevo_text_string(&place)},
                                        {"start", starts[definition->reducer]},
                                        {"statements", opevo_text_string(&statements)},
                                        {"store", opevo_i_export_store_start(tensor->element)},
                                        {"result", opevo_text_string(&result)},
                                        {"stored", opevo_i_export_store_end(tensor->element)}},
                    9);
    out->failed |=
        line.failed || parameters.failed || place.failed || statements.failed || result.failed;
    opevo_text_free(&line);
    opevo_text_free(&parameters);
    opevo_text_free(&place);
    opevo_text_free(&statements);
    opevo_text_free(&result);
}

/* An element of an output by its number. */
static void add_output(opevo_text *out, const opevo_tensor *tensor)
{
    int64_t below = opevo_tensor_elements(tensor);

    opevo_text_printf(out, "static value right_%s(long long at)\n{\n    return element_%s(",
                      tensor->name, tensor->name);
    for (int d = 0; d < tensor->dims; d++) {
        below /= tensor->extent[d];
        opevo_text_printf(out, "%sat / %lldLL %% %lldLL", d ? ", " : "", (long long)below,
                          (long long)tensor->extent[d]);
    }
    opevo_text_add(out, tensor->dims ? ");\n}\n\n" : "); /* the only one */\n}\n\n");
}

void opevo_i_export_graph(opevo_text *out, const opevo_computation *computation)
{
    double *alike = NULL;

    if (opevo_i_reference_find_alike(computation, &alike, NULL) != OPEVO_OK) {
        out->failed = true;
        return;
    }
    for (int i = 0; i < computation->tensors; i++) {
        const opevo_tensor *tensor = computation->tensor[i];

        if (tensor->definition)
            add_definition(out, tensor, alike[i]);
        if (tensor->role == OPEVO_ROLE_OUTPUT)
            add_output(out, tensor);
    }
    opevo_free(alike);
    opevo_text_add(out, "static void prepare(void)\n{\n");
    for (int i = 0; i < computation->tensors; i++) {
        const opevo_tensor *tensor = computation->tensor[i];

        if (tensor->definition)
            opevo_text_printf(out,
                              "    v_%s = (value *)allocate(%lldLL * (long long)sizeof(value));\n"
                              "    known_%s = (unsigned char *)had(calloc(%lldLL, 1));\n",
                              tensor->name, (long long)opevo_tensor_elements(tensor), tensor->name,
                              (long long)opevo_tensor_elements(tensor));
    }
    opevo_text_add(out, "}\n\n");
}
