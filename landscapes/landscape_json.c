/* SPDX-License-Identifier: GPL-3.0-or-later */

/* JSON texts of landscapes. A text that stops inside a line has lost a measurement and is
 * refused. */

#include "recorded_internal.h"

#include <opevo/json_duplicate.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static size_t trimmed(const char *text, size_t size)
{
    while (size && is_blank(text[size - 1]))
        size--;
    return size;
}

static opevo_status fail_parse(const char *path, const char *text, const json_error_t *error,
                               bool at_end, opevo_error *err)
{
    size_t line = error->line > 0 ? (size_t)error->line : 0;
    char fault[OPEVO_JSON_FAULT_SIZE];

    opevo_json_fault(text, (size_t)error->position,
                     json_error_code(error) == json_error_duplicate_key, error->text, fault);
    if (json_error_code(error) == json_error_out_of_memory)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read %s.", path);
    if (!at_end)
        return opevo_i_landscape_fail_at(err, OPEVO_INVALID, path, line, "invalid JSON: %s.",
                                         fault);
    return opevo_i_landscape_fail_at(
        err, OPEVO_INVALID, path, line,
        "the file is cut in the middle of this line; copy it again, or remove "
        "the line if it is the last of an unfinished run.");
}

opevo_status opevo_i_landscape_json_parse(const char *path, const char *text, size_t size,
                                          json_t **out, opevo_error *err)
{
    json_error_t error;
    size_t whole = trimmed(text, size);
    json_t *root = json_loadb(text, whole, JSON_REJECT_DUPLICATES, &error);

    if (!root)
        return fail_parse(path, text, &error,
                          json_error_code(&error) == json_error_premature_end_of_input ||
                              (error.position >= 0 && (size_t)error.position >= whole),
                          err);
    *out = root;
    return OPEVO_OK;
}

bool opevo_i_landscape_json_value(const json_t *json, opevo_value *out)
{
    switch (json ? json_typeof(json) : JSON_NULL) {
    case JSON_INTEGER:
        *out = opevo_value_of_integer(json_integer_value(json));
        return true;
    case JSON_REAL:
        *out = (opevo_value){.kind = OPEVO_VALUE_REAL, .as = {.real = json_real_value(json)}};
        return true;
    case JSON_TRUE:
    case JSON_FALSE:
        *out = (opevo_value){.kind = OPEVO_VALUE_BOOLEAN, .as = {.boolean = json_is_true(json)}};
        return true;
    case JSON_STRING:
        *out = (opevo_value){.kind = OPEVO_VALUE_TEXT, .as = {.text = json_string_value(json)}};
        return true;
    default:
        return false;
    }
}
