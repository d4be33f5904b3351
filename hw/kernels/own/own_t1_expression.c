/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Types of T1 problems, and their expressions, word by word. Kernel Tuner evaluates these with the
 * lists of all values in the place of parameters, so that max(NAME) there is the largest value. */

#include "own_t1_internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { NAME_BYTES = 128, MOST_VALUES = 1 << 20, TYPE_BYTES = 4096 };

const json_t *opevo_i_own_t1_axis(const json_t *sizes, int axis)
{
    static const char *const axes[] = {"X", "Y", "Z"};

    if (json_is_object(sizes))
        return json_object_get(sizes, axes[axis]);
    if (json_is_array(sizes))
        return json_array_get(sizes, (size_t)axis);
    return axis == 0 ? sizes : NULL;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static const char *skip_spaces(const char *at)
{
    while (isspace((unsigned char)*at))
        at++;
    return at;
}

/* The largest or the least value of a parameter of whole numbers. */
static bool find_extreme(const opevo_space *space, const char *name, bool largest, int64_t *out)
{
    for (size_t i = 0; i < opevo_space_parameter_count(space); i++) {
        const opevo_parameter *one = opevo_space_parameter(space, i);
        opevo_index size = opevo_parameter_size(one);
        opevo_value value;

        if (strcmp(opevo_parameter_name(one), name) != 0)
            continue;
        if (opevo_parameter_arity(one) != 1 || size > MOST_VALUES)
            return false;
        for (opevo_index v = 0; v < size; v++) {
            opevo_parameter_value(one, v, &value);
            if (value.kind != OPEVO_VALUE_INTEGER)
                return false;
            if (v == 0 || (value.as.integer > *out) == largest)
                *out = value.as.integer;
        }
        return size > 0;
    }
    return false;
}

/* "(NAME)" behind max or min. Returns what is behind it; NULL: something else is there. */
static const char *print_extreme(const opevo_space *space, bool largest, const char *at,
                                 opevo_text *out)
{
    char name[NAME_BYTES];
    int64_t value = 0;
    size_t length = 0;

    at = skip_spaces(at);
    if (*at != '(')
        return NULL;
    at = skip_spaces(at + 1);
    while (is_word(at[length]))
        length++;
    if (length == 0 || length >= sizeof name || *skip_spaces(at + length) != ')')
        return NULL;
    memcpy(name, at, length);
    name[length] = '\0';
    if (!find_extreme(space, name, largest, &value))
        return NULL;
    opevo_text_printf(out, "%lld", (long long)value);
    return skip_spaces(at + length) + 1;
}

/* "[k]" behind ProblemSize, or nothing where that is one number. */
static const char *print_size(const json_t *problem, const opevo_space *space, const char *at,
                              opevo_text *out)
{
    const char *open = skip_spaces(at);
    char *end = NULL;
    const json_t *size = NULL;
    long axis = 0;

    if (*open == '[') {
        axis = strtol(open + 1, &end, 10);
        at = skip_spaces(end);
        if (*at++ != ']' || axis < 0 || axis > 2)
            return NULL;
    }
    size = opevo_i_own_t1_axis(problem, (int)axis);
    if (!size || (json_is_string(size) && strstr(json_string_value(size), "ProblemSize")))
        return NULL;
    opevo_text_add(out, "(");
    opevo_i_own_t1_print(NULL, space, size, out);
    opevo_text_add(out, ")");
    return at;
}

static const char *print_word(const json_t *problem, const opevo_space *space, const char *at,
                              opevo_text *out)
{
    static const char *const words[][2] = {
        {"and", "&&"}, {"or", "||"}, {"not", "!"}, {"True", "1"}, {"False", "0"}};
    const char *behind = NULL;
    size_t length = 0;

    while (is_word(at[length]))
        length++;
    if (length == 3 && (!strncmp(at, "max", 3) || !strncmp(at, "min", 3)))
        behind = print_extreme(space, at[1] == 'a', at + 3, out);
    else if (length == 11 && !strncmp(at, "ProblemSize", 11))
        behind = print_size(problem, space, at + 11, out);
    for (size_t i = 0; !behind && i < sizeof words / sizeof *words; i++) {
        if (strlen(words[i][0]) == length && !strncmp(words[i][0], at, length)) {
            opevo_text_add(out, words[i][1]);
            behind = at + length;
        }
    }
    if (!behind)
        opevo_text_add_bytes(out, at, length);
    return behind ? behind : at + length;
}

void opevo_i_own_t1_print(const json_t *problem, const opevo_space *space, const json_t *given,
                          opevo_text *out)
{
    const char *at = json_string_value(given);

    if (!at)
        opevo_text_printf(out, "%lld", (long long)json_number_value(given));
    while (at && *at) {
        if (is_word(*at)) {
            at = print_word(problem, space, at, out);
            continue;
        }
        opevo_text_add_bytes(out, at, 1);
        at += at[0] == '/' && at[1] == '/' ? 2 : 1;
    }
}

/* ---- Types ---------------------------------------------------------------------------------- */

bool opevo_i_own_t1_is_custom(const json_t *argument)
{
    const char *type = json_string_value(json_object_get(argument, "Type"));

    return type && !strcasecmp(type, "custom");
}

/* The type of the elements, of which a short vector such as float4 has several. As in the schema
 * "int8" and "int16" are whole numbers, and "float16" is a vector. */
const char *opevo_i_own_t1_element(const json_t *argument, unsigned *lanes)
{
    const char *type = json_string_value(json_object_get(argument, "Type"));
    json_int_t bytes = json_integer_value(json_object_get(argument, "TypeSize"));
    static const char *const types[][2] = {
        {"half", "f16"},  {"float", "f32"},         {"double", "f64"}, {"int", "i32"},
        {"uint", "u32"},  {"UnsignedInt", "u32"},   {"int8", "i8"},    {"uint8", "u8"},
        {"char", "i8"},   {"UnsignedChar", "u8"},   {"int16", "i16"},  {"uint16", "u16"},
        {"short", "i16"}, {"UnsignedShort", "u16"}, {"int32", "i32"},  {"uint32", "u32"},
        {"int64", "i64"}, {"uint64", "u64"},        {"long", "i64"},   {"UnsignedLong", "u64"},
        {"bool", "u8"},   {"float32", "f32"},       {"float64", "f64"}};

    *lanes = 1;
    if (opevo_i_own_t1_is_custom(argument)) {
        *lanes = bytes > 0 && bytes <= TYPE_BYTES ? (unsigned)bytes : 0;
        return *lanes ? "u8" : NULL;
    }
    for (size_t i = 0; type && i < sizeof types / sizeof *types; i++) {
        if (!strcasecmp(types[i][0], type))
            return types[i][1];
    }
    for (size_t i = 0; type && i < sizeof types / sizeof *types; i++) {
        size_t length = strlen(types[i][0]);
        const char *digits = type + length;

        if (strncasecmp(types[i][0], type, length) != 0 || isdigit((unsigned char)digits[-1]))
            continue;
        *lanes = (unsigned)strtoul(digits, NULL, 10);
        if (!strcmp(digits, "2") || !strcmp(digits, "4") ||
            (types[i][1][0] == 'f' && (!strcmp(digits, "8") || !strcmp(digits, "16"))))
            return types[i][1];
    }
    return NULL;
}
