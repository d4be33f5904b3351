/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What expressions mean: constant expressions against the C compiler's own results, random ones
 * against a second evaluator that works on trees in 128 bits, tables for names and Python. */

#include "expression_checks.h"

#include <opevo/text.h>

#include "draw.h"

#include <assert.h>

/* ---- The C dialect against the C compiler ---- */

/* Each expression stands once, and is both compiled by the compiler of this file and read from its
 * own text. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wparentheses"
#ifdef __clang__
#pragma GCC diagnostic ignored "-Wliteral-conversion"
#else
#pragma GCC diagnostic ignored "-Wbool-compare"
#pragma GCC diagnostic ignored "-Wint-in-bool-context"
#endif
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wlogical-not-parentheses"
#pragma GCC diagnostic ignored "-Wshift-negative-value"
#ifdef __clang__
#pragma GCC diagnostic ignored "-Wliteral-conversion"
#endif
#define INTEGER_CASES(X)                                                                           \
    X(0)                                                                                           \
    X(1 + 2 * 3)                                                                                   \
    X((1 + 2) * 3)                                                                                 \
    X(10 - 4 - 3)                                                                                  \
    X(100 / 7 / 2)                                                                                 \
    X(100 / (7 / 2))                                                                               \
    X(-7 / 2)                                                                                      \
    X(7 / -2)                                                                                      \
    X(-7 % 3)                                                                                      \
    X(7 % -3)                                                                                      \
    X(-7 % -3)                                                                                     \
    X(2 * 3 % 4)                                                                                   \
    X(1 << 2 + 3)                                                                                  \
    X(1 << 2 << 3)                                                                                 \
    X(1024 >> 3 >> 2)                                                                              \
    X(-9 >> 1)                                                                                     \
    X(0x1F & 0x33)                                                                                 \
    X(1 | 2 & 3 ^ 4)                                                                               \
    X(1 ^ 3 | 8 & 12)                                                                              \
    X(5 & 3 == 3)                                                                                  \
    X(4 | 1 < 2)                                                                                   \
    X(~5)                                                                                          \
    X(~5 & 0xFF)                                                                                   \
    X(-~5)                                                                                         \
    X(!0)                                                                                          \
    X(!7)                                                                                          \
    X(!!7)                                                                                         \
    X(!5 == 0)                                                                                     \
    X(- -3)                                                                                        \
    X(+4 - +3)                                                                                     \
    X(1 < 2)                                                                                       \
    X(2 < 1)                                                                                       \
    X(2 <= 2)                                                                                      \
    X(3 >= 4)                                                                                      \
    X(3 > 2 > 1)                                                                                   \
    X(1 < 2 == 1)                                                                                  \
    X(1 == 2 != 3)                                                                                 \
    X(0 && 1 || 1)                                                                                 \
    X(1 || 0 && 0)                                                                                 \
    X((1 || 0) && 0)                                                                               \
    X(3 && 4)                                                                                      \
    X(0 || 9)                                                                                      \
    X(1 ? 2 : 3)                                                                                   \
    X(0 ? 2 : 3)                                                                                   \
    X(0 ? 1 : 0 ? 2 : 3)                                                                           \
    X(1 ? 0 ? 4 : 5 : 6)                                                                           \
    X((1 ? 2 : 3) + 10)                                                                            \
    X(1 + 1 ? 7 : 8)                                                                               \
    X(1 < 2 && 3 < 4 || 5 < 4)                                                                     \
    X(010 + 0x10 + 10)                                                                             \
    X(0x7fffffffffffffff)                                                                          \
    X(1 - 2 + 3 - 4)                                                                               \
    X(12 / 5 * 5 + 12 % 5)                                                                         \
    X(2.5 < 3)                                                                                     \
    X(0.5 == 1 / 2.0)                                                                              \
    X(1 / 2 == 0)                                                                                  \
    X(!0.0 + !0.5)                                                                                 \
    X(0.0 || 0.25)                                                                                 \
    X(1e3 == 1000)
#define REAL_CASES(X)                                                                              \
    X(0.5)                                                                                         \
    X(.25 + 1.)                                                                                    \
    X(1e-3)                                                                                        \
    X(1.5E+2)                                                                                      \
    X(1 / 2.0)                                                                                     \
    X(1 / 3.0 * 3)                                                                                 \
    X(-2.5 - 1)                                                                                    \
    X(7 / 2 * 1.0)                                                                                 \
    X(0.1 + 0.2)                                                                                   \
    X(1 ? 2.5 : 3.5)                                                                               \
    X(0x1.8p1)

CHECK_TEST(test_constants_like_the_compiler)
{
#define CHECK_INTEGER(expression)                                                                  \
    expect_integer(#expression, OPEVO_DIALECT_C, (int64_t)(expression));
#define CHECK_REAL(expression) expect_real(#expression, OPEVO_DIALECT_C, (double)(expression));
    /* NOLINTBEGIN: odd expressions are the point */
    /* cppcheck-suppress [compareBoolExpressionWithInt, shiftNegativeLHS] */
    INTEGER_CASES(CHECK_INTEGER)
    REAL_CASES(CHECK_REAL)
    /* NOLINTEND */
}
#pragma GCC diagnostic pop

/* ---- Random expressions against a second evaluator ---- */

__extension__ typedef __int128 wide;

/* A tree: a leaf (op NULL), one operand (a) or two. */
typedef struct node {
    const char *op;
    int level; /* 20: leaf, 15: prefix; binary as in the tables of C and Python */
    int64_t leaf;
    const char *name;
    struct node *a, *b, *c;
} node;

typedef struct generator {
    uint64_t state;
    opevo_dialect dialect;
    node pool[64];
    size_t used;
} generator;

typedef struct operator_row {
    const char *op;
    int level[2];
} operator_row;

static const operator_row operators[] = {
    {"||", {1, 1}},  {"or", {0, 1}},  {"&&", {2, 2}},  {"and", {0, 2}}, {"|", {4, 6}},
    {"^", {5, 7}},   {"&", {6, 8}},   {"==", {7, 3}},  {"!=", {7, 3}},  {"<", {8, 3}},
    {"<=", {8, 3}},  {">", {8, 3}},   {">=", {8, 3}},  {"<<", {9, 9}},  {">>", {9, 9}},
    {"+", {10, 10}}, {"-", {10, 10}}, {"*", {11, 11}}, {"/", {11, 0}},  {"%", {11, 11}},
    {"//", {0, 11}},
};

static node *grow(generator *self, unsigned depth)
{
    static const int64_t numbers[] = {0, 1, 2, 3, 5, 8, 63, 64, 1000, 4611686018427387904};
    node *made = &self->pool[self->used++];
    uint64_t kind = draw(&self->state, 10);

    *made = (node){0};
    if (depth == 0 || kind < 2) {
        made->level = 20;
        if (draw(&self->state, 3) == 0)
            made->name = draw(&self->state, 2) ? "a" : "b";
        else
            made->leaf = numbers[draw(&self->state, sizeof numbers / sizeof *numbers)];
    } else if (kind == 2) {
        static const char *const prefixes[] = {"-", "~", "+", "!"};
        uint64_t which = draw(&self->state, 4);

        made->op = prefixes[which];
        made->level = 15;
        made->a = grow(self, depth - 1);
    } else if (kind == 3) {
        made->op = "?";
        made->level = 0;
        made->a = grow(self, depth - 1);
        made->b = grow(self, depth - 1);
        made->c = grow(self, depth - 1);
    } else {
        const operator_row *row = NULL;

        do
            row = &operators[draw(&self->state, sizeof operators / sizeof *operators)];
        while (row->level[self->dialect] == 0);
        made->op = row->op;
        made->level = row->level[self->dialect];
        made->a = grow(self, depth - 1);
        made->b = grow(self, depth - 1);
    }
    return made;
}

/* Print with as few parentheses as the grammar allows; `least` is the level that the place needs.
 */
static void print(const node *self, int least, bool python, opevo_text *out)
{
    /* A chain of comparisons means something else in Python, so both sides are put in brackets. */
    int left = 0, right = 0;

    assert(self);
    left = python && self->level == 3 ? 4 : self->level;
    right = self->level + 1;
    if (self->level < least)
        opevo_text_add(out, "(");
    if (self->name) {
        opevo_text_add(out, self->name);
    } else if (!self->op) {
        opevo_text_printf(out, "%lld", (long long)self->leaf);
    } else if (self->op[0] == '?' && python) {
        print(self->b, 1, python, out);
        opevo_text_add(out, " if ");
        print(self->a, 1, python, out);
        opevo_text_add(out, " else ");
        print(self->c, 0, python, out);
    } else if (self->op[0] == '?') {
        print(self->a, 1, python, out);
        opevo_text_add(out, " ? ");
        print(self->b, 0, python, out);
        opevo_text_add(out, " : ");
        print(self->c, 0, python, out);
    } else if (!self->b) {
        opevo_text_printf(out, "%s ", self->op);
        print(self->a, 15, python, out);
    } else {
        print(self->a, left, python, out);
        opevo_text_printf(out, " %s ", self->op);
        print(self->b, right, python, out);
    }
    if (self->level < least)
        opevo_text_add(out, ")");
}

/* False when the expression has no value. */
static bool reference(const node *self, bool python, wide *out);

static bool reference_divide(const char *op, wide a, wide b, bool python, wide *out)
{
    wide quotient = 0;

    if (b == 0)
        return false;
    quotient = a / b;
    if (python && a % b != 0 && (a % b < 0) != (b < 0))
        quotient--;
    *out = *op == '%' ? a - quotient * b : quotient;
    return true;
}

static bool reference_binary(const char *op, wide a, wide b, bool python, wide *out)
{
    switch (op[0]) {
    case '+':
        *out = a + b;
        return true;
    case '-':
        *out = a - b;
        return true;
    case '*':
        *out = a * b;
        return true;
    case '/':
    case '%':
        return reference_divide(op, a, b, python, out);
    case '|':
        *out = a | b;
        return true;
    case '^':
        *out = a ^ b;
        return true;
    case '&':
        *out = a & b;
        return true;
    case '=':
        *out = a == b;
        return true;
    case '!':
        *out = a != b;
        return true;
    default:
        break;
    }
    if (op[1] == '<' || op[1] == '>') {
        if (b < 0 || b > 63)
            return false;
        *out = a;
        for (; b > 0; b--)
            *out = op[1] == '<' ? *out * 2 : (*out - (*out & 1)) / 2;
        return true;
    }
    *out = op[0] == '<' ? (op[1] ? a <= b : a < b) : (op[1] ? a >= b : a > b);
    return true;
}

static bool reference_logic(const node *self, bool python, bool is_or, wide *out)
{
    wide value = 0;

    if (!reference(self->a, python, &value))
        return false;
    if ((value != 0) == is_or) {
        *out = is_or;
        return true;
    }
    if (!reference(self->b, python, &value))
        return false;
    *out = value != 0;
    return true;
}

static bool reference(const node *self, bool python, wide *out)
{
    wide a = 0, b = 0;

    assert(self);
    if (!self->op) {
        *out = !self->name ? self->leaf : *self->name == 'a' ? 7 : -3;
        return true;
    }
    if (!strcmp(self->op, "||") || !strcmp(self->op, "or"))
        return reference_logic(self, python, true, out);
    if (!strcmp(self->op, "&&") || !strcmp(self->op, "and"))
        return reference_logic(self, python, false, out);
    if (!reference(self->a, python, &a))
        return false;
    if (self->op[0] == '?')
        return reference(a != 0 ? self->b : self->c, python, out);
    if (!self->b)
        *out = self->op[0] == '-' ? -a : self->op[0] == '~' ? ~a : self->op[0] == '!' ? a == 0 : a;
    else if (!reference(self->b, python, &b) || !reference_binary(self->op, a, b, python, out))
        return false;
    return *out >= INT64_MIN && *out <= INT64_MAX;
}

static void check_random(opevo_dialect dialect, uint64_t seed)
{
    generator self = {.state = seed, .dialect = dialect};
    opevo_text source = {0};
    size_t faults = 0;

    for (int i = 0; i < 40000; i++) {
        bool python = dialect == OPEVO_DIALECT_PYTHON, defined = false;
        const node *tree = NULL;
        wide expected = 0;
        opevo_i_topology_expression expression = {0};
        opevo_value value = {0};
        opevo_i_topology_fault fault = OPEVO_I_FAULT_NONE;

        self.used = 0;
        tree = grow(&self, 3);
        opevo_text_clear(&source);
        print(tree, 0, python, &source);
        defined = reference(tree, python, &expected);
        CHECK_OK(compile(opevo_text_string(&source), dialect, &expression, &err));
        fault = run(&expression, &value);
        if (!fault != defined || (defined && (value.kind != OPEVO_VALUE_INTEGER ||
                                              value.as.integer != (int64_t)expected)))
            fail_msg("%s: %s, %lld; expected %s %lld", opevo_text_string(&source),
                     opevo_i_topology_fault_text(fault), (long long)value.as.integer,
                     defined ? "value" : "fault", (long long)expected);
        faults += !defined;
        opevo_i_topology_expression_release(&expression);
    }
    /* Both outcomes must be common, or the comparison shows little. */
    assert_in_range(faults, 400, 20000);
    opevo_text_free(&source);
}

CHECK_TEST(test_random_trees)
{
    check_random(OPEVO_DIALECT_C, 1);
    check_random(OPEVO_DIALECT_PYTHON, 2);
}

/* ---- Names, texts, functions ---- */

CHECK_TEST(test_names)
{
    expect_integer("X[0] * X[1] * X[2]", OPEVO_DIALECT_C, 64);
    expect_integer("first + a*b", OPEVO_DIALECT_C, 8 - 21);
    expect_integer("a[0]", OPEVO_DIALECT_C, 7);
    expect_integer("flag + flag", OPEVO_DIALECT_C, 2);
    expect_real("half * 3", OPEVO_DIALECT_C, 1.5);
    expect_integer("flag == true", OPEVO_DIALECT_C, 1);
    expect_integer("flag == True and not False", OPEVO_DIALECT_PYTHON, 1);
    expect_integer("PRECISION == \"fp16\"", OPEVO_DIALECT_C, 1);
    expect_integer("'fp16' != PRECISION", OPEVO_DIALECT_C, 0);
    expect_integer("PRECISION == other", OPEVO_DIALECT_C, 0);
    expect_integer("mixed == \"auto\"", OPEVO_DIALECT_C, 1);
    expect_integer("mixed == 4", OPEVO_DIALECT_C, 0);
    expect_integer("mixed != 4", OPEVO_DIALECT_C, 1);
    expect_integer("PRECISION in ('fp16', 'fp32')", OPEVO_DIALECT_PYTHON, 1);
    expect_integer("PRECISION not in ['fp64']", OPEVO_DIALECT_PYTHON, 1);
    expect_integer("(a > b ? PRECISION : other) == \"fp16\"", OPEVO_DIALECT_C, 1);
    expect_integer("'a\\'\\\\\\n' == \"a'\\\\\\n\"", OPEVO_DIALECT_C, 1);
    expect_integer("\"\" == ''", OPEVO_DIALECT_C, 1);
}

CHECK_TEST(test_functions)
{
    expect_integer("min(a, b)", OPEVO_DIALECT_C, -3);
    expect_integer("max(b, a, 9, 2)", OPEVO_DIALECT_C, 9);
    expect_integer("abs(b) + abs(a)", OPEVO_DIALECT_PYTHON, 10);
    expect_real("min(a, half)", OPEVO_DIALECT_C, 0.5);
    expect_integer("max(a, half)", OPEVO_DIALECT_C, 7);
    expect_real("abs(-half)", OPEVO_DIALECT_C, 0.5);
    expect_integer("min(1 ? 4 : 5, 6)", OPEVO_DIALECT_C, 4);
}

/* ---- The Python dialect ---- */

/* The results were worked out by hand from Python's rules; `or` and `and` give truth values here.
 */
CHECK_TEST(test_python)
{
    static const struct {
        const char *source;
        int64_t value;
    } integers[] = {
        {"-7 // 2", -4},
        {"7 // -2", -4},
        {"-7 % 3", 2},
        {"7 % -3", -2},
        {"-7 // 2 * 2 + -7 % 2", -7},
        {"2 ** 10", 1024},
        {"-2 ** 2", -4},
        {"(-2) ** 3", -8},
        {"2 ** 3 ** 2", 512},
        {"(-2) ** 63", INT64_MIN},
        {"0 ** 0", 1},
        {"7 / 2 == 3.5", 1},
        {"6 / 2 == 3", 1},
        {"1 < 2 < 3", 1},
        {"3 > 2 > 2", 0},
        {"1 < 3 > 2", 1},
        {"3 == 3 == 3", 1},
        {"1 < 1 < 1 // 0", 0},
        {"32 <= a * 8 <= 56", 1},
        {"32 <= a * 8 < 56 != 3", 0},
        {"not 1 == 2", 1},
        {"not not 3", 1},
        {"not a and b", 0},
        {"1 | 2 == 2", 0},
        {"5 & 6 == 4", 1},
        {"a == 7 or 1 // 0", 1},
        {"a != 7 and 1 // 0", 0},
        {"a == 0 or 14 % a == 0", 1},
        {"a in (1, 7)", 1},
        {"a in [1, 2, 3]", 0},
        {"a not in (1, 2,)", 1},
        {"a in ()", 0},
        {"1 < a in (7, 8)", 1},
        {"a + 1 in [8] and True", 1},
        {"(a in [7]) + 1", 2},
        {"True + True", 2},
        {"~a", -8},
        {"1 << 4 >> 2", 4},
        {"0 or 5", 1},
        {"a == 7 && b < 0 || 1 // 0", 1},
        {"a == 0 or b < 0 && a > 0", 1},
        {"!(a == 7)", 0},
        {"!a == 0", 1}, /* as in C */
        {"not a == 0", 1},
        {"!a == 7", 0},
        {"not a == 6", 1},
        {"4 if a > 0 else 5", 4},
        {"4 if a < 0 else 5 if b < 0 else 6", 5},
        {"1 + (a // 0 if b > 0 else a)", 8},
        {"(1 < a < 9 if a in (3, 7) or b else 0) + 2", 3},
        {"min([a, b, 2])", -3},
        {"max([a if a > 9 else 1, b]) + max([2])", 3},
        {"len([a, b, 1 // 0]) * 2", 6},
        {"len([a]) if len([a, b]) == 2 else 0", 1},
    };

    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
        expect_integer(integers[i].source, OPEVO_DIALECT_PYTHON, integers[i].value);
    expect_real("7 / 2", OPEVO_DIALECT_PYTHON, 3.5);
    expect_real("2 ** -1", OPEVO_DIALECT_PYTHON, 0.5);
    expect_real("2.0 ** 3", OPEVO_DIALECT_PYTHON, 8);
    expect_real("7.5 // 2", OPEVO_DIALECT_PYTHON, 3);
    expect_real("-7.5 // 2", OPEVO_DIALECT_PYTHON, -4);
    expect_real("-7.5 % 2", OPEVO_DIALECT_PYTHON, 0.5);
    expect_real("7.5 % -2", OPEVO_DIALECT_PYTHON, -0.5);
}

/* ---- Repeated evaluations ---- */

enum { ROWS = 4, CHOICES = 5, REPEATS = 2000 };

static bool is_same_value(const opevo_value *a, const opevo_value *b)
{
    if (a->kind != b->kind)
        return false;
    if (a->kind == OPEVO_VALUE_TEXT)
        return strcmp(a->as.text, b->as.text) == 0;
    return opevo_value_number(*a) == opevo_value_number(*b);
}

/* Repeat an expression with other values of random rows from a random one on; each time it must
 * come out as an evaluation of its own. Returns how often nothing was evaluated. */
static size_t repeat(const char *source, opevo_dialect dialect, uint64_t *seed)
{
    const opevo_value half = {.kind = OPEVO_VALUE_REAL, .as = {.real = 0.5}};
    const opevo_value values[CHOICES] = {integer(0), integer(1), integer(INT64_MAX), half,
                                         text("auto")};
    const opevo_value *rows[ROWS] = {NULL};
    opevo_i_topology_expression expression = {0};
    opevo_i_topology_trail trail = {0};
    size_t left_out = 0;

    CHECK_OK(compile(source, dialect, &expression, &err));
    assert_true(expression.parameter_count <= ROWS);
    assert_true(opevo_i_topology_trail_init(&trail, &expression));
    for (int i = 0; i < REPEATS; i++) {
        size_t changed = draw(seed, expression.parameter_count);
        opevo_i_topology_fault fault = OPEVO_I_FAULT_NONE;
        opevo_value value = {0};
        uint32_t column = 0;

        for (size_t row = i ? changed : 0; row < expression.parameter_count; row++) {
            size_t choice = draw(seed, CHOICES + 1);

            rows[row] = choice < CHOICES ? &values[choice] : NULL;
        }
        fault = opevo_i_topology_expression_evaluate(&expression, rows, &value, &column);
        left_out += !opevo_i_topology_trail_evaluate(&trail, rows, changed);
        if (trail.fault != fault || trail.column != column ||
            (!fault && !is_same_value(&trail.result, &value)))
            fail_msg("%s, time %d", source, i);
    }
    opevo_i_topology_trail_clear(&trail);
    opevo_i_topology_expression_release(&expression);
    return left_out;
}

CHECK_TEST(test_repeated)
{
    static const char *const c[] = {
        "a",
        "a * 2 + b * (a + flag) % 3",
        "(a || b) && half && b",
        "a ? b : half / a",
        "mixed == \"auto\" || a + b < half",
        "1 + (a && (b || flag)) * half",
        "!a && -b == half - (flag > b)",
        "a / b + b / a",
    };
    static const char *const python[] = {
        "a < b < half < flag",
        "a in (1, b, half) or flag",
        "not a or b < half != flag",
        "a ** b // half % flag",
        "(a + b) in [flag, 1] and b",
        "min(a, b, half) + max(flag, a)",
        "mixed == 'auto' and a + b",
        "a // b if half < b else a < b < flag",
        "a && (b if !flag else half) or b",
    };
    uint64_t seed = 1;
    size_t left_out = 0;

    for (size_t i = 0; i < sizeof c / sizeof *c; i++)
        left_out += repeat(c[i], OPEVO_DIALECT_C, &seed);
    for (size_t i = 0; i < sizeof python / sizeof *python; i++)
        left_out += repeat(python[i], OPEVO_DIALECT_PYTHON, &seed);
    assert_true(left_out > 1000);
}
