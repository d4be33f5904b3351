/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Expressions that have no value, that are refused, that are hostile. */

#include "expression_checks.h"

#include <opevo/memory.h>
#include <opevo/text.h>

#include "draw.h"

/* ---- What has no value ---- */

static const struct {
    const char *source;
    opevo_dialect dialect;
    opevo_i_topology_fault fault;
    uint32_t column;
} fault_cases[] = {
    {"1 / 0", OPEVO_DIALECT_C, OPEVO_I_FAULT_ZERO, 3},
    {"a % (b + 3)", OPEVO_DIALECT_C, OPEVO_I_FAULT_ZERO, 3},
    {"1 / 0.0", OPEVO_DIALECT_C, OPEVO_I_FAULT_ZERO, 3},
    {"1 // 0", OPEVO_DIALECT_PYTHON, OPEVO_I_FAULT_ZERO, 3},
    {"1 / 0", OPEVO_DIALECT_PYTHON, OPEVO_I_FAULT_ZERO, 3},
    {"1.5 % 0", OPEVO_DIALECT_PYTHON, OPEVO_I_FAULT_ZERO, 5},
    {"0 ** -1", OPEVO_DIALECT_PYTHON, OPEVO_I_FAULT_ZERO, 3},
    {"0.0 ** -1", OPEVO_DIALECT_PYTHON, OPEVO_I_FAULT_ZERO, 5},
    {"0x7fffffffffffffff + 1", OPEVO_DIALECT_C, OPEVO_I_FAULT_OVERFLOW, 20},
    {"-0x7fffffffffffffff - 2", OPEVO_DIALECT_C, OPEVO_I_FAULT_OVERFLOW, 21},
    {"0x7fffffffffffffff * 2", OPEVO_DIALECT_C, OPEVO_I_FAULT_OVERFLOW, 20},
    {"-(-0x7fffffffffffffff - 1)", OPEVO_DIALECT_C, OPEVO_I_FAULT_OVERFLOW, 1},
    {"abs(-0x7fffffffffffffff - 1)", OPEVO_DIALECT_C, OPEVO_I_FAULT_OVERFLOW, 1},
    {"(-0x7fffffffffffffff - 1) / -1", OPEVO_DIALECT_C, OPEVO_I_FAULT_OVERFLOW, 27},
    {"10 ** 19", OPEVO_DIALECT_PYTHON, OPEVO_I_FAULT_OVERFLOW, 4},
    {"1 << 63", OPEVO_DIALECT_C, OPEVO_I_FAULT_OVERFLOW, 3},
    {"1e300 * 1e300", OPEVO_DIALECT_C, OPEVO_I_FAULT_OVERFLOW, 7},
    {"1 << 64", OPEVO_DIALECT_C, OPEVO_I_FAULT_SHIFT, 3},
    {"1 >> b", OPEVO_DIALECT_C, OPEVO_I_FAULT_SHIFT, 3},
    {"mixed + 1", OPEVO_DIALECT_C, OPEVO_I_FAULT_TEXT, 7},
    {"!mixed", OPEVO_DIALECT_C, OPEVO_I_FAULT_TEXT, 1},
    {"mixed < 3", OPEVO_DIALECT_C, OPEVO_I_FAULT_TEXT, 7},
    {"mixed ? 1 : 2", OPEVO_DIALECT_C, OPEVO_I_FAULT_TEXT, 1},
    {"1 && mixed", OPEVO_DIALECT_C, OPEVO_I_FAULT_TEXT, 3},
    {"a % half", OPEVO_DIALECT_C, OPEVO_I_FAULT_REAL, 3},
    {"half & 1", OPEVO_DIALECT_C, OPEVO_I_FAULT_REAL, 6},
    {"~half", OPEVO_DIALECT_C, OPEVO_I_FAULT_REAL, 1},
    {"1 << half", OPEVO_DIALECT_PYTHON, OPEVO_I_FAULT_REAL, 3},
};

CHECK_TEST(test_faults)
{
    for (size_t i = 0; i < sizeof fault_cases / sizeof *fault_cases; i++) {
        opevo_i_topology_expression expression = {0};
        opevo_value value = {0};
        uint32_t column = 0;
        const opevo_value a = integer(7), b = integer(-3), mixed = text("auto");
        const opevo_value half = {.kind = OPEVO_VALUE_REAL, .as = {.real = 0.5}};
        const opevo_value *rows[2] = {NULL, NULL};

        CHECK_OK(compile(fault_cases[i].source, fault_cases[i].dialect, &expression, &err));
        for (size_t row = 0; row < expression.parameter_count; row++)
            rows[row] = expression.parameters[row] == 1   ? &a
                        : expression.parameters[row] == 2 ? &b
                        : expression.parameters[row] == 5 ? &mixed
                                                          : &half;
        if (opevo_i_topology_expression_evaluate(&expression, rows, &value, &column) !=
                fault_cases[i].fault ||
            column != fault_cases[i].column)
            fail_msg("%s: wrong fault, or column %u", fault_cases[i].source, column);
        assert_false(opevo_i_topology_expression_holds(&expression, rows));
        opevo_i_topology_expression_release(&expression);
    }
    expect_integer("(-0x7fffffffffffffff - 1) % -1", OPEVO_DIALECT_C, 0);
    expect_integer("-1 << 63", OPEVO_DIALECT_C, INT64_MIN);
    expect_integer("0 << 63", OPEVO_DIALECT_C, 0);
    expect_integer("3 << 61", OPEVO_DIALECT_C, INT64_C(3) << 61);
}

/* ---- Mistakes ---- */

static const struct {
    const char *source;
    opevo_dialect dialect;
    const char *words;
} mistake_cases[] = {
    {"", OPEVO_DIALECT_C, "here, column 1: unexpected end; expected a value."},
    {"a +", OPEVO_DIALECT_C, "column 4: unexpected end; expected a value."},
    {"(a", OPEVO_DIALECT_C, "column 3: unexpected end; expected )."},
    {"a b", OPEVO_DIALECT_C, "column 3: unexpected b; expected an operator or the end."},
    {"a * BX", OPEVO_DIALECT_C,
     "column 5: unknown name BX; the names are X, first, a, b, PRECISION"},
    {"X + 1", OPEVO_DIALECT_C, "column 1: X has 3 components; write X[0] to X[2]."},
    {"X[3]", OPEVO_DIALECT_C, "column 3: X has the components X[0] to X[2]."},
    {"X[a]", OPEVO_DIALECT_C, "column 3: unexpected a; expected a whole number."},
    {"X[1.0]", OPEVO_DIALECT_C, "expected a whole number"},
    {"X[1", OPEVO_DIALECT_C, "expected ]"},
    {"a = 7", OPEVO_DIALECT_C, "column 3: = is not supported here; write ==."},
    {"a and b", OPEVO_DIALECT_C, "column 3: and is not supported here; write &&."},
    {"not a", OPEVO_DIALECT_C, "column 1: not is not supported here; write !."},
    {"a // b", OPEVO_DIALECT_C, "column 3: // is not supported here; write /."},
    {"a ? 1 : 2", OPEVO_DIALECT_PYTHON,
     "column 3: ? is not supported here; write VALUE if TEST else VALUE."},
    {"1 if a else 2", OPEVO_DIALECT_C, "column 3: if is not supported here; write ? :."},
    {"1 if a", OPEVO_DIALECT_PYTHON, "column 7: unexpected end; expected else."},
    {"1 if PRECISION else 2", OPEVO_DIALECT_PYTHON, "column 6: a string is used as a number"},
    {"if a else 2", OPEVO_DIALECT_PYTHON, "column 1: unexpected if; expected a value."},
    {"min([])", OPEVO_DIALECT_PYTHON, "column 6: unexpected ]; expected a value."},
    {"min([1, 2)", OPEVO_DIALECT_PYTHON, "column 10: unexpected ); expected a comma or ]."},
    {"min([1, 2)]", OPEVO_DIALECT_C, "column 5: unexpected [; expected a value."},
    {"len(a)", OPEVO_DIALECT_PYTHON, "column 5: unexpected a; expected a list in brackets."},
    {"len([1])", OPEVO_DIALECT_C, "column 1: unknown function len"},
    {"1 + not a", OPEVO_DIALECT_PYTHON, "column 5: unexpected not; expected a value."},
    {"a in b", OPEVO_DIALECT_PYTHON, "column 6: unexpected b; expected a list in brackets"},
    {"a in (1, 2", OPEVO_DIALECT_PYTHON, "expected a comma or the closing bracket"},
    {"a in (1) < 2", OPEVO_DIALECT_PYTHON, "column 10: no comparison can follow"},
    {"a not 3", OPEVO_DIALECT_PYTHON, "column 7: unexpected 3; expected in."},
    {"a ? 1", OPEVO_DIALECT_C, "expected :"},
    {"PRECISION + 1", OPEVO_DIALECT_C, "column 11: a string is used as a number"},
    {"-PRECISION", OPEVO_DIALECT_C, "a string is used as a number"},
    {"PRECISION && 1", OPEVO_DIALECT_C, "a string is used as a number"},
    {"1 || 'x'", OPEVO_DIALECT_C, "a string is used as a number"},
    {"PRECISION < 'fp32'", OPEVO_DIALECT_C, "a string is used as a number"},
    {"min(PRECISION, 1)", OPEVO_DIALECT_C, "column 5: a string is used as a number"},
    {"PRECISION == 16", OPEVO_DIALECT_C, "column 11: a string is compared with a number."},
    {"a in ('x')", OPEVO_DIALECT_PYTHON, "column 7: a string is compared with a number."},
    {"sqrt(a)", OPEVO_DIALECT_C,
     "column 1: unknown function sqrt; the functions are abs, active, min and max."},
    {"sqrt(a)", OPEVO_DIALECT_PYTHON, "the functions are abs, active, len, min and max."},
    {"abs(a, b)", OPEVO_DIALECT_C, "abs takes one value."},
    {"min(a)", OPEVO_DIALECT_C, "min and max take two values or more."},
    {"max()", OPEVO_DIALECT_C, "column 5: unexpected ); expected a value."},
    {"12u", OPEVO_DIALECT_C, "column 1: 12u is not a number; suffixes are not supported."},
    {"1.5f", OPEVO_DIALECT_C, "1.5f is not a number"},
    {"1.2.3", OPEVO_DIALECT_C, "1.2.3 is not a number"},
    {"089", OPEVO_DIALECT_C, "089 begins with a 0 and so is octal, but has other digits."},
    {"012", OPEVO_DIALECT_PYTHON, "012 begins with a 0."},
    {"0x", OPEVO_DIALECT_C, "0x "},
    {"9223372036854775808", OPEVO_DIALECT_C, "is too large for 64 bits."},
    {"1e999", OPEVO_DIALECT_C, "1e999 is not a number"},
    {"'abc", OPEVO_DIALECT_C, "column 1: the quote is never closed."},
    {"'a\\qb'", OPEVO_DIALECT_C, "column 3: after a backslash"},
    {"a @ b", OPEVO_DIALECT_C, "column 3: the character @ does not belong"},
    {"a \x01 b", OPEVO_DIALECT_C, "column 3: the byte 0x01 does not belong"},
    {"a \xc3\x97 b", OPEVO_DIALECT_C, "column 3: the byte 0xc3 does not belong"},
    {"a, b", OPEVO_DIALECT_C, "column 2: unexpected ,; expected an operator or the end"},
};

CHECK_TEST(test_mistakes)
{
    for (size_t i = 0; i < sizeof mistake_cases / sizeof *mistake_cases; i++) {
        opevo_i_topology_expression expression = {0};

        CHECK_FAILS(OPEVO_INVALID, mistake_cases[i].words,
                    compile(mistake_cases[i].source, mistake_cases[i].dialect, &expression, &err));
    }
}

/* ---- Limits ---- */

/* `head` n times, `middle`, `tail` n times. */
static char *repeat(const char *head, const char *middle, const char *tail, size_t n)
{
    opevo_text made = {0};

    for (size_t i = 0; i < n; i++)
        opevo_text_add(&made, head);
    opevo_text_add(&made, middle);
    for (size_t i = 0; i < n; i++)
        opevo_text_add(&made, tail);
    assert_false(made.failed);
    return made.data;
}

static void check_nesting(const char *head, const char *middle, const char *tail, size_t n,
                          opevo_dialect dialect, bool allowed)
{
    char *source = repeat(head, middle, tail, n);
    opevo_i_topology_expression expression = {0};
    opevo_value value = {0};

    if (allowed) {
        CHECK_OK(compile(source, dialect, &expression, &err));
        run(&expression, &value);
        opevo_i_topology_expression_release(&expression);
    } else {
        CHECK_FAILS(OPEVO_INVALID, "nested too deeply",
                    compile(source, dialect, &expression, &err));
    }
    opevo_free(source);
}

CHECK_TEST(test_limits)
{
    opevo_i_topology_expression expression = {0};
    char *source = repeat("a+", "a", "", 20000);
    opevo_value value = {0};

    check_nesting("(", "a", ")", 30, OPEVO_DIALECT_C, true);
    check_nesting("(", "a", ")", 10000, OPEVO_DIALECT_C, false);
    check_nesting("- ", "a", "", 60, OPEVO_DIALECT_C, true);
    check_nesting("!", "a", "", 10000, OPEVO_DIALECT_C, false);
    check_nesting("not ", "a", "", 10000, OPEVO_DIALECT_PYTHON, false);
    check_nesting("a ? a : ", "a", "", 5000, OPEVO_DIALECT_C, false);
    check_nesting("a ** ", "a", "", 5000, OPEVO_DIALECT_PYTHON, false);
    check_nesting("(a ? a : a) + ", "a", "", 1000, OPEVO_DIALECT_C, true);
    check_nesting("a ? ", "a", " : a", 5000, OPEVO_DIALECT_C, false);
    check_nesting("min(a, ", "a", ")", 5000, OPEVO_DIALECT_C, false);
    check_nesting("a in (", "a", ")", 5000, OPEVO_DIALECT_PYTHON, false);
    /* Each level keeps seven values waiting. */
    check_nesting("1|1^1&1==1<1<<1+(", "1", ")", 12, OPEVO_DIALECT_C, true);
    check_nesting("1|1^1&1==1<1<<1+(", "1", ")", 30, OPEVO_DIALECT_C, false);
    evaluate(source, OPEVO_DIALECT_C, &value);
    assert_int_equal(value.as.integer, 7 * 20001);
    opevo_free(source);
    source = repeat("a < ", "a", "", 10000);
    evaluate(source, OPEVO_DIALECT_PYTHON, &value);
    assert_int_equal(value.as.integer, 0);
    opevo_free(source);
    source = repeat(" ", "a", "", 1 << 16);
    CHECK_FAILS(OPEVO_INVALID, "more than 65536 bytes",
                compile(source, OPEVO_DIALECT_C, &expression, &err));
    opevo_free(source);
}

/* Words in no order: none may crash, what compiles is evaluated, and a refusal has its sentence. */
CHECK_TEST(test_word_soup)
{
    static const char *const words[] = {
        "a",      "b",    "X[1]", "X",  "PRECISION", "mixed", "half", "1",  "0",   "2.5",
        "'fp16'", "(",    ")",    "[",  "]",         ",",     "+",    "-",  "*",   "/",
        "%",      "//",   "**",   "<<", ">>",        "<",     "==",   "!=", "&",   "|",
        "^",      "~",    "!",    "&&", "||",        "?",     ":",    "or", "and", "in",
        "not",    "min(", "abs(", "()", "true",      "True",  "'",    "@",
    };
    uint64_t random = 3;
    opevo_text source = {0};
    int64_t live = opevo_memory_live();
    size_t accepted = 0;

    for (int i = 0; i < 300000; i++) {
        opevo_i_topology_expression expression = {0};
        opevo_error fault = {OPEVO_OK, ""};
        opevo_value value = {0};

        opevo_text_clear(&source);
        for (uint64_t n = 1 + draw(&random, 9); n > 0; n--)
            opevo_text_printf(&source, "%s ", words[draw(&random, sizeof words / sizeof *words)]);
        if (compile(opevo_text_string(&source), i % 2 ? OPEVO_DIALECT_PYTHON : OPEVO_DIALECT_C,
                    &expression, &fault) != OPEVO_OK) {
            assert_int_equal(fault.status, OPEVO_INVALID);
            assert_true(strncmp(fault.message, "here, column ", 13) == 0);
            continue;
        }
        accepted++;
        run(&expression, &value);
        opevo_i_topology_expression_release(&expression);
    }
    opevo_text_free(&source);
    assert_int_equal(opevo_memory_live(), live);
    assert_in_range(accepted, 5000, 100000);
}

CHECK_TEST(test_allocation_failures)
{
    const char *source = "mixed in (1, 2, 'x'";
    int64_t live = opevo_memory_live();
    opevo_i_topology_expression expression = {0};
    opevo_status status = OPEVO_NOMEM;

    CHECK_FAILS(OPEVO_INVALID, "column", compile(source, OPEVO_DIALECT_PYTHON, &expression, &err));
    assert_int_equal(opevo_memory_live(), live);
    source = "mixed in ('x', 1, half) or min(a, b, X[0], 3, 4, 5, 6) < 1 < 2 < flag";
    for (int64_t n = 1; status == OPEVO_NOMEM; n++) {
        opevo_memory_fail_at(n);
        status = compile(source, OPEVO_DIALECT_PYTHON, &expression, NULL);
        if (status == OPEVO_NOMEM)
            assert_int_equal(opevo_memory_live(), live);
        assert_true(n < 100);
    }
    opevo_memory_fail_at(0);
    assert_int_equal(status, OPEVO_OK);
    opevo_i_topology_expression_release(&expression);
    assert_int_equal(opevo_memory_live(), live);
}
