/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Compiling and evaluating expressions over a few known names. */

#ifndef OPEVO_TESTS_EXPRESSION_CHECKS_H
#define OPEVO_TESTS_EXPRESSION_CHECKS_H

#include "check.h"

#include "expression_internal.h"

static const opevo_i_topology_symbol symbols[] = {
    {"X", 0, 0, 3, OPEVO_I_NUMBER},       {"first", 0, 0, 1, OPEVO_I_NUMBER},
    {"a", 1, 0, 1, OPEVO_I_NUMBER},       {"b", 2, 0, 1, OPEVO_I_NUMBER},
    {"PRECISION", 3, 0, 1, OPEVO_I_TEXT}, {"other", 4, 0, 1, OPEVO_I_TEXT},
    {"mixed", 5, 0, 1, OPEVO_I_EITHER},   {"half", 6, 0, 1, OPEVO_I_NUMBER},
    {"flag", 7, 0, 1, OPEVO_I_NUMBER},
};

static inline opevo_value integer(int64_t number)
{
    return opevo_value_of_integer(number);
}

static inline opevo_value text(const char *bytes)
{
    return (opevo_value){.kind = OPEVO_VALUE_TEXT, .as = {.text = bytes}};
}

static inline opevo_status compile(const char *source, opevo_dialect dialect,
                                   opevo_i_topology_expression *out, opevo_error *err)
{
    opevo_i_topology_source all = {.text = source,
                                   .length = strlen(source),
                                   .column = 1,
                                   .dialect = dialect,
                                   .symbols = symbols,
                                   .symbol_count = sizeof symbols / sizeof *symbols,
                                   .where = "here"};

    return opevo_i_topology_expression_create(&all, out, err);
}

/* Values of the parameters above by number: X = 8,4,2  a = 7  b = -3  PRECISION = fp16  other =
 * fp32  mixed = "auto"  half = 0.5  flag = true. */
static inline opevo_i_topology_fault run(const opevo_i_topology_expression *expression,
                                         opevo_value *result)
{
    const opevo_value x[] = {integer(8), integer(4), integer(2)};
    const opevo_value a = integer(7), b = integer(-3);
    const opevo_value precision = text("fp16"), other = text("fp32"), mixed = text("auto");
    const opevo_value half = {.kind = OPEVO_VALUE_REAL, .as = {.real = 0.5}};
    const opevo_value flag = {.kind = OPEVO_VALUE_BOOLEAN, .as = {.boolean = true}};
    const opevo_value *const all[] = {x, &a, &b, &precision, &other, &mixed, &half, &flag};
    const opevo_value *rows[sizeof all / sizeof(opevo_value *)];

    for (size_t row = 0; row < expression->parameter_count; row++)
        rows[row] = all[expression->parameters[row]];
    return opevo_i_topology_expression_evaluate(expression, rows, result, NULL);
}

static inline void evaluate(const char *source, opevo_dialect dialect, opevo_value *result)
{
    opevo_i_topology_expression expression = {0};
    opevo_i_topology_fault fault = OPEVO_I_FAULT_NONE;

    CHECK_OK(compile(source, dialect, &expression, &err));
    fault = run(&expression, result);
    if (fault)
        fail_msg("%s: %s", source, opevo_i_topology_fault_text(fault));
    opevo_i_topology_expression_release(&expression);
}

static inline void expect_integer(const char *source, opevo_dialect dialect, int64_t expected)
{
    opevo_value value = {0};

    evaluate(source, dialect, &value);
    if (value.kind != OPEVO_VALUE_INTEGER || value.as.integer != expected)
        fail_msg("%s gives kind %d, %lld; expected %lld", source, (int)value.kind,
                 (long long)value.as.integer, (long long)expected);
}

static inline void expect_real(const char *source, opevo_dialect dialect, double expected)
{
    opevo_value value = {0};

    evaluate(source, dialect, &value);
    if (value.kind != OPEVO_VALUE_REAL || value.as.real != expected)
        fail_msg("%s gives kind %d, %.17g; expected %.17g", source, (int)value.kind, value.as.real,
                 expected);
}

#endif
