/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Integer expressions over named sizes, evaluated while they are read: they are short, and each is
 * needed a few times a case. Both sides of && || ?: are evaluated. */

#include "kernel_harness_internal.h"

#include <ctype.h>
#include <string.h>

typedef struct scanner {
    const char *at;
    const opevo_i_harness_size_names *names;
    unsigned depth;
    const char *fault; /* a static sentence part; NULL: none yet */
    char unknown[48];  /* the name that nothing defines */
} scanner;

static int64_t conditional(scanner *s);

static int64_t fail(scanner *s, const char *fault)
{
    if (!s->fault)
        s->fault = fault;
    return 0;
}

static bool accept(scanner *s, const char *token)
{
    size_t length = strlen(token);

    while (*s->at == ' ')
        s->at++;
    if (strncmp(s->at, token, length) != 0)
        return false;
    s->at += length;
    return true;
}

static int64_t number(scanner *s)
{
    int64_t value = 0;

    for (; isdigit((unsigned char)*s->at); s->at++) {
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, *s->at - '0', &value))
            return fail(s, "a number is too large");
    }
    return value;
}

static int64_t divide(scanner *s, int64_t a, int64_t b, char operator)
{
    if (b == 0)
        return fail(s, "division by 0");
    if (a == INT64_MIN && b == -1)
        return fail(s, "a value is too large");
    return operator== '/' ? a / b : a % b;
}

static int64_t ceiling(scanner *s, int64_t a, int64_t b)
{
    int64_t quotient = divide(s, a, b, '/');

    return s->fault ? 0 : quotient + (a % b != 0 && (a < 0) == (b < 0));
}

/* min(a, b), max(a, b), ceil(a, b); *value is untouched if `name` is not one of them. */
static bool call(scanner *s, const char *name, size_t length, int64_t *value)
{
    static const char *const functions[] = {"min", "max", "ceil"};

    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        int64_t a, b;

        if (strlen(functions[i]) != length || strncmp(functions[i], name, length) != 0)
            continue;
        if (!accept(s, "("))
            return false;
        a = conditional(s);
        b = accept(s, ",") ? conditional(s) : fail(s, "a \",\" is missing");
        if (!accept(s, ")"))
            fail(s, "a \")\" is missing");
        *value = s->fault ? 0
                 : i == 0 ? (a < b ? a : b)
                 : i == 1 ? (a > b ? a : b)
                          : ceiling(s, a, b);
        return true;
    }
    return false;
}

static int64_t name(scanner *s)
{
    const char *start = s->at;
    size_t length, shown;
    int64_t value = 0;

    while (isalnum((unsigned char)*s->at) || *s->at == '_')
        s->at++;
    length = (size_t)(s->at - start);
    if (call(s, start, length, &value))
        return value;
    for (size_t i = s->names->count; i-- > 0;) {
        if (strlen(s->names->name[i]) == length && !strncmp(s->names->name[i], start, length))
            return s->names->value[i];
    }
    shown = length < sizeof s->unknown ? length : sizeof s->unknown - 1;
    if (!s->fault)
        memcpy(s->unknown, start, shown);
    return fail(s, "unknown name");
}

static int64_t primary(scanner *s)
{
    int64_t value;

    if (s->fault)
        return 0;
    if (s->depth == OPEVO_I_SIZE_NESTING)
        return fail(s, "it is nested too deeply");
    if (accept(s, "(")) {
        s->depth++;
        value = conditional(s);
        s->depth--;
        return accept(s, ")") ? value : fail(s, "a \")\" is missing");
    }
    s->depth++;
    if (accept(s, "-")) {
        if (__builtin_sub_overflow(0, primary(s), &value))
            value = fail(s, "a value is too large");
    } else if (accept(s, "!")) {
        value = !primary(s);
    } else if (accept(s, "~")) {
        value = ~primary(s);
    } else if (isdigit((unsigned char)*s->at)) {
        value = number(s);
    } else if (isalpha((unsigned char)*s->at) || *s->at == '_') {
        value = name(s);
    } else {
        value = fail(s, *s->at ? "a number, a name or \"(\" is expected" : "it ends too early");
    }
    s->depth--;
    return value;
}

static int64_t product(scanner *s)
{
    int64_t value = primary(s);

    while (!s->fault) {
        if (accept(s, "*")) {
            if (__builtin_mul_overflow(value, primary(s), &value))
                return fail(s, "a value is too large");
        } else if (accept(s, "/")) {
            value = divide(s, value, primary(s), '/');
        } else if (accept(s, "%")) {
            value = divide(s, value, primary(s), '%');
        } else {
            break;
        }
    }
    return value;
}

static int64_t sum(scanner *s)
{
    int64_t value = product(s);

    while (!s->fault) {
        bool overflow;

        if (accept(s, "+"))
            overflow = __builtin_add_overflow(value, product(s), &value);
        else if (accept(s, "-"))
            overflow = __builtin_sub_overflow(value, product(s), &value);
        else
            break;
        if (overflow)
            return fail(s, "a value is too large");
    }
    return value;
}

/* As in C; what leaves the 63 bits of a number has no value. */
static int64_t shift(scanner *s)
{
    int64_t value = sum(s);

    while (!s->fault) {
        bool left = accept(s, "<<");
        int64_t bits = 0;

        if (!left && !accept(s, ">>"))
            break;
        bits = sum(s);
        if (s->fault)
            break;
        if (bits < 0 || bits > 62 || (left && value < 0))
            return fail(s, "a shift is by 0 to 62 bits, to the left of no negative number");
        if (!left)
            value >>= bits;
        else if (__builtin_mul_overflow(value, (int64_t)1 << bits, &value))
            return fail(s, "a value is too large");
    }
    return value;
}

static int64_t comparison(scanner *s)
{
    int64_t value = shift(s);

    if (accept(s, "<="))
        return value <= shift(s);
    if (accept(s, ">="))
        return value >= shift(s);
    if (accept(s, "=="))
        return value == shift(s);
    if (accept(s, "!="))
        return value != shift(s);
    if (accept(s, "<"))
        return value < shift(s);
    if (accept(s, ">"))
        return value > shift(s);
    return value;
}

/* "&", and not the first of "&&". */
static bool accept_bits(scanner *s, char operator)
{
    while (*s->at == ' ')
        s->at++;
    if (*s->at != operator|| s->at[1] == operator)
        return false;
    s->at++;
    return true;
}

static int64_t bits_and(scanner *s)
{
    int64_t value = comparison(s);

    while (!s->fault && accept_bits(s, '&'))
        value &= comparison(s);
    return value;
}

static int64_t bits_xor(scanner *s)
{
    int64_t value = bits_and(s);

    while (!s->fault && accept_bits(s, '^'))
        value ^= bits_and(s);
    return value;
}

static int64_t bits_or(scanner *s)
{
    int64_t value = bits_xor(s);

    while (!s->fault && accept_bits(s, '|'))
        value |= bits_xor(s);
    return value;
}

static int64_t conjunction(scanner *s)
{
    int64_t value = bits_or(s);

    while (!s->fault && accept(s, "&&"))
        value = (bits_or(s) != 0) & (value != 0);
    return value;
}

static int64_t disjunction(scanner *s)
{
    int64_t value = conjunction(s);

    while (!s->fault && accept(s, "||"))
        value = (conjunction(s) != 0) | (value != 0);
    return value;
}

static int64_t conditional(scanner *s)
{
    int64_t value = 0, yes, no;

    if (s->depth == OPEVO_I_SIZE_NESTING)
        return fail(s, "it is nested too deeply");
    s->depth++;
    value = disjunction(s);
    if (!s->fault && accept(s, "?")) {
        yes = conditional(s);
        no = accept(s, ":") ? conditional(s) : fail(s, "a \":\" is missing");
        value = value ? yes : no;
    }
    s->depth--;
    return value;
}

opevo_status opevo_i_harness_size_evaluate(const char *text,
                                           const opevo_i_harness_size_names *names,
                                           const char *where, int64_t *out, opevo_error *err)
{
    scanner s = {.at = text, .names = names};
    int64_t value = conditional(&s);

    accept(&s, ""); /* blanks */
    if (!s.fault && *s.at)
        fail(&s, "something follows its end");
    if (s.fault)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s: \"%.80s\" has no value: %s%s%s%s.", where, text,
                          s.fault, *s.unknown ? " \"" : "", s.unknown, *s.unknown ? "\"" : "");
    *out = value;
    return OPEVO_OK;
}
