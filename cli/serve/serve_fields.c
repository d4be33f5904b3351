/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The members of requests. */

#include "serve_internal.h"

#include <opevo/closest.h>

#include <string.h>

static bool is_known(const char *const *known, const char *key)
{
    for (; *known; known++) {
        if (!strcmp(*known, key))
            return true;
    }
    return false;
}

static opevo_status fail_unknown(const char *const *known, const char *key, const char *what,
                                 opevo_error *err)
{
    opevo_text list = {0};

    for (size_t i = 0; known[i]; i++)
        opevo_text_printf(&list, "%s%s", i ? ", " : "", known[i]);
    OPEVO_FAIL(err, OPEVO_INVALID, "Unknown key \"%.60s\" of %s; %s%s.", key, what,
               known[0] ? "it has: " : "this session has none", opevo_text_string(&list));
    opevo_text_free(&list);
    return OPEVO_INVALID;
}

opevo_status opevo_i_cli_field_check(json_t *object, const char *const *known, const char *what,
                                     opevo_error *err)
{
    const char *key = NULL;
    json_t *value = NULL;

    json_object_foreach(object, key, value)
    {
        opevo_closest closest = {.word = key};

        if (is_known(known, key))
            continue;
        for (size_t i = 0; known[i]; i++)
            opevo_closest_offer(&closest, known[i]);
        if (closest.found)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "Unknown key \"%.60s\" of %s; did you mean \"%s\"?", key, what,
                              closest.found);
        return fail_unknown(known, key, what, err);
    }
    return OPEVO_OK;
}

opevo_status opevo_i_cli_field_text(const json_t *object, const char *key, const char **out,
                                    opevo_error *err)
{
    const json_t *value = json_object_get(object, key);

    if (value && !json_is_string(value))
        return OPEVO_FAIL(err, OPEVO_INVALID, "\"%s\" must be a string.", key);
    *out = json_string_value(value);
    return OPEVO_OK;
}

opevo_status opevo_i_cli_field_count(const json_t *object, const char *key, uint64_t fallback,
                                     uint64_t min, uint64_t max, uint64_t *out, opevo_error *err)
{
    const json_t *value = json_object_get(object, key);
    uint64_t number = fallback;
    bool valid = !value;

    if (json_is_integer(value) && json_integer_value(value) >= 0) {
        number = (uint64_t)json_integer_value(value);
        valid = true;
    } else if (json_is_string(value)) {
        valid = opevo_parse_u64(json_string_value(value), &number);
    }
    if (!valid || (value && (number < min || number > max)))
        return OPEVO_FAIL(err, OPEVO_INVALID, "\"%s\" must be a whole number from %llu to %llu.",
                          key, (unsigned long long)min, (unsigned long long)max);
    *out = number;
    return OPEVO_OK;
}

opevo_status opevo_i_cli_field_number(const json_t *object, const char *key, double *out,
                                      bool *given, opevo_error *err)
{
    const json_t *value = json_object_get(object, key);

    if (value && !json_is_number(value))
        return OPEVO_FAIL(err, OPEVO_INVALID, "\"%s\" must be a number.", key);
    *given = value != NULL;
    if (value)
        *out = json_number_value(value);
    return OPEVO_OK;
}

opevo_status opevo_i_cli_field_texts(const json_t *object, const char *key, size_t *count,
                                     opevo_error *err)
{
    const json_t *value = json_object_get(object, key);
    bool valid = !value || json_is_string(value) || json_is_array(value);

    *count = json_is_string(value) ? 1 : json_array_size(value);
    for (size_t i = 0; i < *count && valid; i++)
        valid = opevo_i_cli_field_text_at(object, key, i) != NULL;
    if (!valid)
        return OPEVO_FAIL(err, OPEVO_INVALID, "\"%s\" must be a list of strings.", key);
    return OPEVO_OK;
}

const char *opevo_i_cli_field_text_at(const json_t *object, const char *key, size_t i)
{
    const json_t *value = json_object_get(object, key);

    return json_string_value(json_is_array(value) ? json_array_get(value, i) : value);
}
