/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What all parts of a harness file ask: sizes, buffers by name, and how a fault is named. */

#include "kernel_harness_internal.h"

#include <opevo/text.h>

#include <stdio.h>
#include <string.h>

opevo_status opevo_i_harness_fail(const opevo_harness *harness, opevo_error *err, const char *key,
                                  const char *format, ...)
{
    opevo_text sentence = {0}, shown = {0};
    va_list arguments;

    va_start(arguments, format);
    opevo_text_vprintf(&sentence, format, arguments);
    va_end(arguments);
    opevo_text_add_visible(&shown, opevo_text_string(&sentence));
    OPEVO_FAIL(err, OPEVO_INVALID, "%s: %s%s%s", harness->path, key, *key ? ": " : "",
               opevo_text_string(&shown));
    opevo_text_free(&sentence);
    opevo_text_free(&shown);
    return OPEVO_INVALID;
}

opevo_status opevo_i_harness_value(const opevo_harness *harness, json_t *expression,
                                   const opevo_i_harness_size_names *names, const char *key,
                                   int64_t least, int64_t most, int64_t *out, opevo_error *err)
{
    char where[OPEVO_I_WHERE_SIZE];
    int64_t value = 0;

    if (json_is_integer(expression)) {
        value = json_integer_value(expression);
    } else if (json_is_string(expression)) {
        opevo_status status;

        snprintf(where, sizeof where, "%s: %s", harness->path, key);
        status =
            opevo_i_harness_size_evaluate(json_string_value(expression), names, where, &value, err);
        if (status != OPEVO_OK)
            return status;
    } else {
        return opevo_i_harness_fail(harness, err, key,
                                    "An integer or an expression in quotes is expected.");
    }
    if (value < least || value > most)
        return opevo_i_harness_fail(harness, err, key,
                                    "The value %lld is not between %lld and %lld.",
                                    (long long)value, (long long)least, (long long)most);
    *out = value;
    return OPEVO_OK;
}

size_t opevo_i_harness_buffer(const opevo_harness *harness, const char *name)
{
    size_t i = 0;

    while (i < harness->buffer_count && strcmp(harness->buffers[i].name, name) != 0)
        i++;
    return i;
}

opevo_status opevo_i_harness_path(const opevo_harness *harness, const char *file, char **out,
                                  opevo_error *err)
{
    const char *slash = strrchr(harness->path, '/');
    opevo_text path = {0};
    opevo_status status;

    if (slash && *file != '/')
        opevo_text_add_bytes(&path, harness->path, (size_t)(slash + 1 - harness->path));
    opevo_text_add(&path, file);
    status = opevo_text_check(&path, err);
    if (status == OPEVO_OK)
        *out = path.data;
    else
        opevo_text_free(&path);
    return status;
}
