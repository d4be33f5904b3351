/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A computation as plain loops in C that is also C++: each definition evaluated in double precision
 * with the bound of its error in single precision, by the formulas of computation_reference.h. */

#include "export_internal.h"
#include "operands_internal.h"

#include <opevo/memory.h>

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

static void add_read(opevo_text *out, const opevo_expression *read,
                     const opevo_definition *definition)
{
    const opevo_tensor *tensor = read->tensor;
    bool converts = tensor->definition && tensor->element == OPEVO_INT32;

    opevo_text_add(out, converts             ? "converted("
                        : tensor->definition ? ""
                                             : opevo_i_export_value_start(tensor->element));
    opevo_text_printf(out, "%c_%s[", tensor->definition ? 'v' : 'x', tensor->name);
    for (int d = 1; d < tensor->dims; d++)
        opevo_text_add(out, "(");
    for (int d = 0; d < tensor->dims; d++) {
        if (d)
            opevo_text_printf(out, ") * %lldLL + ", (long long)tensor->extent[d]);
        add_affine(out, &read->index[d], definition);
    }
    opevo_text_add(out, tensor->dims ? "]" : "0]");
    opevo_text_add(out, converts             ? ")"
                        : tensor->definition ? ""
                                             : opevo_i_export_value_end(tensor->element));
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

static void add_loops(opevo_text *out, const opevo_definition *definition, int first, int end)
{
    for (int a = first; a < end; a++)
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

/* The statements of one element. */
static void add_element(opevo_text *out, const opevo_tensor *tensor, double alike)
{
    const opevo_definition *definition = tensor->definition;
    bool sums = definition->reducer == OPEVO_REDUCER_SUM;
    const char *start = opevo_i_export_store_start(tensor->element);
    const char *end = opevo_i_export_store_end(tensor->element);

    if (definition->reducer == OPEVO_REDUCER_NONE) {
        opevo_text_printf(out, "        v_%s[at++] = %s", tensor->name, start);
        add_expression(out, definition->value, definition);
        opevo_text_printf(out, "%s;\n", end);
        return;
    }
    opevo_text_add(out, sums ? "        double sum = 0, error = 0, size = 0;\n\n"
                        : definition->reducer == OPEVO_REDUCER_MAX
                            ? "        value most = make(-HUGE_VAL, 0);\n\n"
                            : "        value most = make(HUGE_VAL, 0);\n\n");
    add_loops(out, definition, definition->spatial, definition->axes);
    opevo_text_add(out, "        {\n            value term = ");
    add_expression(out, definition->value, definition);
    opevo_text_add(out, sums ? ";\n\n            sum += term.v;\n            error += term.e;\n"
                               "            size += fabs(term.v) + term.e;\n        }\n"
                             : ";\n\n");
    if (!sums)
        opevo_text_printf(out, "            most = %s(most, term);\n        }\n",
                          definition->reducer == OPEVO_REDUCER_MAX ? "larger" : "smaller");
    if (sums)
        opevo_text_printf(out, "        v_%s[at++] = %stotal(sum, error, size, %.0f, %.17g)%s;\n",
                          tensor->name, start, count_terms(definition), alike, end);
    else
        opevo_text_printf(out, "        v_%s[at++] = %smost%s;\n", tensor->name, start, end);
}

static void add_definition(opevo_text *out, const opevo_tensor *tensor, double alike)
{
    opevo_text_printf(out, "static void define_%s(void)\n{\n    long long at = 0;\n\n",
                      tensor->name);
    add_loops(out, tensor->definition, 0, tensor->definition->spatial);
    opevo_text_add(out, "    {\n");
    add_element(out, tensor, alike);
    opevo_text_add(out, "    }\n}\n\n");
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
        opevo_text line = {0};

        if (!tensor->definition)
            continue;
        opevo_tensor_print(tensor, &line);
        opevo_text_printf(out, "/* %s */\nstatic value *v_%s;\n\n", opevo_text_string(&line),
                          tensor->name);
        out->failed = out->failed || line.failed;
        opevo_text_free(&line);
        add_definition(out, tensor, alike[i]);
    }
    opevo_free(alike);
    opevo_text_add(out, "/* Everything in plain loops. */\nstatic void reference(void)\n{\n");
    for (int i = 0; i < computation->tensors; i++) {
        const opevo_tensor *tensor = computation->tensor[i];

        if (tensor->definition)
            opevo_text_printf(out,
                              "    v_%s = (value *)allocate(%lldLL * (long long)(sizeof(value) / "
                              "sizeof(float)));\n    define_%s();\n",
                              tensor->name, (long long)opevo_tensor_elements(tensor), tensor->name);
    }
    opevo_text_add(out, "}\n\n");
}
