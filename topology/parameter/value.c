/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Values of parameters: comparison, text and JSON. */

#include <opevo/value.h>

#include <math.h>
#include <string.h>

double opevo_value_number(opevo_value value)
{
    switch (value.kind) {
    case OPEVO_VALUE_INTEGER:
        return (double)value.as.integer;
    case OPEVO_VALUE_REAL:
        return value.as.real;
    case OPEVO_VALUE_BOOLEAN:
        return value.as.boolean ? 1 : 0;
    case OPEVO_VALUE_TEXT:
        break;
    }
    return NAN;
}

/* A conversion of the integer to double would lose its last bits above 2^53. */
static int compare_integer_real(int64_t integer, double real)
{
    double whole = trunc(real);

    if (isnan(real) || real < -0x1p63)
        return 1;
    if (real >= 0x1p63)
        return -1;
    if (integer != (int64_t)whole)
        return integer < (int64_t)whole ? -1 : 1;
    return (whole > real) - (whole < real);
}

/* NAN comes before every number, so that the order is total. */
static int compare_real(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(b) - isnan(a);
    return (a > b) - (a < b);
}

static int compare_number(opevo_value a, opevo_value b)
{
    if (a.kind == OPEVO_VALUE_INTEGER && b.kind == OPEVO_VALUE_INTEGER)
        return (a.as.integer > b.as.integer) - (a.as.integer < b.as.integer);
    if (a.kind == OPEVO_VALUE_INTEGER)
        return compare_integer_real(a.as.integer, b.as.real);
    if (b.kind == OPEVO_VALUE_INTEGER)
        return -compare_integer_real(b.as.integer, a.as.real);
    return compare_real(a.as.real, b.as.real);
}

static int order_class(opevo_value_kind kind)
{
    if (kind == OPEVO_VALUE_BOOLEAN)
        return 1;
    return kind == OPEVO_VALUE_TEXT ? 2 : 0;
}

int opevo_value_compare(opevo_value a, opevo_value b)
{
    int class_a = order_class(a.kind), class_b = order_class(b.kind);

    if (class_a != class_b)
        return class_a < class_b ? -1 : 1;
    if (class_a == 1)
        return (int)a.as.boolean - (int)b.as.boolean;
    if (class_a == 2) {
        int order = strcmp(a.as.text, b.as.text);

        return (order > 0) - (order < 0);
    }
    return compare_number(a, b);
}

static void print(opevo_text *out, opevo_value value, bool json)
{
    switch (value.kind) {
    case OPEVO_VALUE_INTEGER:
        opevo_text_printf(out, "%lld", (long long)value.as.integer);
        break;
    case OPEVO_VALUE_REAL:
        opevo_text_add_double(out, value.as.real + 0.0); /* -0 equals 0 and is written so */
        break;
    case OPEVO_VALUE_BOOLEAN:
        opevo_text_add(out, value.as.boolean ? "true" : "false");
        break;
    case OPEVO_VALUE_TEXT:
        if (json)
            opevo_text_add_json(out, value.as.text);
        else
            opevo_text_add(out, value.as.text);
        break;
    }
}

void opevo_value_print(opevo_text *out, opevo_value value)
{
    print(out, value, false);
}

void opevo_value_print_json(opevo_text *out, opevo_value value)
{
    print(out, value, true);
}

opevo_value opevo_value_parse(const char *text)
{
    opevo_value value = {.kind = OPEVO_VALUE_TEXT, .as = {.text = text}};
    int64_t integer = 0;
    double real = 0;

    if (opevo_parse_i64(text, &integer))
        return opevo_value_of_integer(integer);
    /* strtod also reads hexadecimal numbers, which nobody would print here. */
    if (!strpbrk(text, "xX") && opevo_parse_double(text, &real))
        return (opevo_value){.kind = OPEVO_VALUE_REAL, .as = {.real = real}};
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
        return (opevo_value){.kind = OPEVO_VALUE_BOOLEAN, .as = {.boolean = text[0] == 't'}};
    return value;
}
