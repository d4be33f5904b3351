/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Expressions of T1 problems, word by word. Kernel Tuner evaluates them with the lists of all
 * values in the place of parameters, so that max(NAME) there is the largest value. */

#include "own_t1_internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 128, MOST_VALUES = 1 << 20 };

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
