/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Expressions in both dialects, and lists of values as T1 writes them.
 * The first byte says which. */

#include "fuzz.h"

#include "expression_internal.h"
#include "space_file_internal.h"

#include <stdlib.h>
#include <string.h>

enum { PARAMETERS = 3 };

static const opevo_i_topology_symbol symbols[] = {
    {"a", 0, 0, 1, OPEVO_I_NUMBER},  {"n", 1, 0, 3, OPEVO_I_NUMBER},
    {"n1", 1, 0, 1, OPEVO_I_NUMBER}, {"n2", 1, 1, 1, OPEVO_I_NUMBER},
    {"s", 2, 0, 1, OPEVO_I_TEXT},    {"t", 2, 0, 1, OPEVO_I_EITHER},
};

#define WHOLE(x)                                                                                   \
    {                                                                                              \
        .kind = OPEVO_VALUE_INTEGER, .as = {.integer = (x) }                                       \
    }
#define WORD(x)                                                                                    \
    {                                                                                              \
        .kind = OPEVO_VALUE_TEXT, .as = {.text = (x) }                                             \
    }
static const opevo_value values[][PARAMETERS][3] = {
    {{WHOLE(0)}, {WHOLE(1), WHOLE(2), WHOLE(4)}, {WORD("")}},
    {{WHOLE(INT64_MIN)}, {WHOLE(INT64_MAX), WHOLE(-1), WHOLE(63)}, {WORD("fp16")}},
    {{{.kind = OPEVO_VALUE_REAL, .as = {.real = 2.5}}},
     {WHOLE(64), WHOLE(-64), WHOLE(3)},
     {{.kind = OPEVO_VALUE_BOOLEAN, .as = {.boolean = true}}}},
    {{{.kind = OPEVO_VALUE_REAL, .as = {.real = -1e308}}},
     {WHOLE(INT64_MIN), WHOLE(INT64_MIN), WHOLE(0)},
     {WORD("x")}},
};

static void evaluate(const opevo_i_topology_expression *expression)
{
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        const opevo_value *rows[PARAMETERS] = {NULL};
        opevo_value result = {0};
        uint32_t column = 0;
        opevo_i_topology_fault fault = OPEVO_I_FAULT_NONE;

        FUZZ_CHECK(expression->parameter_count <= PARAMETERS);
        for (size_t r = 0; r < expression->parameter_count; r++)
            rows[r] = values[i][expression->parameters[r]];
        fault = opevo_i_topology_expression_evaluate(expression, rows, &result, &column);
        if (fault != OPEVO_I_FAULT_NONE) {
            FUZZ_CHECK(column > 0 && opevo_i_topology_fault_text(fault)[0]);
            FUZZ_CHECK(!opevo_i_topology_expression_holds(expression, rows));
        } else if (result.kind != OPEVO_VALUE_TEXT) {
            FUZZ_CHECK(opevo_i_topology_expression_holds(expression, rows) ==
                       (opevo_value_number(result) != 0));
        }
    }
}

static void read_expression(const char *text, size_t size, opevo_dialect dialect)
{
    opevo_i_topology_source source = {.text = text,
                                      .length = size,
                                      .column = 1,
                                      .dialect = dialect,
                                      .symbols = symbols,
                                      .symbol_count = sizeof symbols / sizeof *symbols,
                                      .where = "fuzz"};
    opevo_i_topology_expression expression = {0};
    opevo_error err = {OPEVO_OK, ""};

    if (fuzz_accepts(opevo_i_topology_expression_create(&source, &expression, &err), &err)) {
        evaluate(&expression);
        opevo_i_topology_expression_release(&expression);
    }
}

static void read_values(const char *text)
{
    opevo_i_topology_values list = {0};
    uint64_t made = 0;
    opevo_error err = {OPEVO_OK, ""};

    fuzz_accepts(opevo_i_topology_values_read(text, "fuzz", &made, &list, &err), &err);
    opevo_i_topology_values_release(&list);
}

void fuzz_one(const uint8_t *data, size_t size)
{
    char *text = NULL;

    if (size == 0)
        return;
    text = fuzz_text(data + 1, size - 1);
    if (data[0] == 'v')
        read_values(text);
    else
        read_expression(text, size - 1, data[0] == 'p' ? OPEVO_DIALECT_PYTHON : OPEVO_DIALECT_C);
    free(text);
}
