/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The integers in specifications of parameters: numbers, and texts such as "2^40". */

#include "parameter_internal.h"

#include "value_text.h"

#include <math.h>
#include <string.h>

enum { GIVEN_TEXT_MAX = 60 }; /* bytes of what was given before a message cuts it */

bool opevo_i_topology_value_integer(opevo_value value, int64_t *out)
{
    const double limit = 9223372036854775808.0; /* 2^63 */
    double real = value.kind == OPEVO_VALUE_REAL ? value.as.real : NAN;

    if (value.kind == OPEVO_VALUE_INTEGER) {
        *out = value.as.integer;
        return true;
    }
    if (!(real >= -limit && real < limit) || real != trunc(real))
        return false;
    *out = (int64_t)real;
    return true;
}

/* "2^40" and the like: a base and an exponent without sign; false when the power is not below 2^63.
 */
static bool read_power(const char *text, int64_t *out)
{
    uint64_t base = 0, exponent = 0;
    int64_t power = 1;
    char copy[32];
    char *caret = NULL;

    if (strlen(text) >= sizeof copy)
        return false;
    caret = strchr(strcpy(copy, text), '^');
    if (!caret)
        return false;
    *caret = '\0';
    if (!opevo_parse_u64(copy, &base) || !opevo_parse_u64(caret + 1, &exponent) ||
        (base > 1 && exponent > 62))
        return false;
    for (uint64_t i = 0; base > 1 && i < exponent; i++) {
        if (__builtin_mul_overflow(power, base, &power))
            return false;
    }
    *out = base || !exponent ? power : 0;
    return true;
}

static bool read_positive(opevo_value value, int64_t *out)
{
    if (value.kind == OPEVO_VALUE_TEXT)
        return read_power(value.as.text, out) && *out >= 1;
    return opevo_i_topology_value_integer(value, out) && *out >= 1;
}

opevo_status opevo_i_topology_positive_arguments(const opevo_parameter_spec *spec,
                                                 const char *usage, int64_t *out, size_t count,
                                                 opevo_error *err)
{
    bool valid = spec->value_count == count;
    opevo_text given = {0};

    for (size_t i = 0; valid && i < count; i++)
        valid = read_positive(spec->values[i], &out[i]);
    if (valid)
        return OPEVO_OK;
    for (size_t i = 0; i < spec->value_count && given.length < GIVEN_TEXT_MAX; i++) {
        opevo_text_add(&given, i ? "," : "");
        opevo_i_topology_value_print(&given, spec->values[i]);
    }
    opevo_error_set(err, OPEVO_INVALID,
                    "Parameter %s: %s takes %zu positive integer%s below 2^63, not (%s).",
                    spec->name, usage, count, count == 1 ? "" : "s",
                    OPEVO_I_EXCERPT(opevo_text_string(&given)));
    opevo_text_free(&given);
    return OPEVO_INVALID;
}
