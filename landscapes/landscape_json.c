/* SPDX-License-Identifier: GPL-3.0-or-later */

/* JSON texts of landscapes. Kernel Tuner appends one line for each configuration to a file that it
 * leaves open: while a run is in progress, or after it was killed, the closing brackets are missing
 * and the last line ends in a comma. Such a text is completed here. A text that stops inside a line
 * has lost a measurement and is refused. */

#include "recorded_internal.h"

#include <opevo/json_duplicate.h>
#include <opevo/memory.h>

#include <string.h>

bool opevo_i_landscape_is_kernel_tuner_cache(const json_t *root)
{
    return json_is_array(json_object_get(root, "tune_params_keys")) &&
           json_is_object(json_object_get(root, "cache"));
}

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

/* The first `size` bytes and then `ending`, parsed; *root stays as it is when that is no JSON. */
static opevo_status parse_ended(const char *path, const char *text, size_t size, const char *ending,
                                json_t **root, opevo_error *err)
{
    opevo_text whole = {0};
    json_error_t error;

    opevo_text_add_bytes(&whole, text, size);
    opevo_text_add(&whole, ending);
    if (whole.failed) {
        opevo_text_free(&whole);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read %s.", path);
    }
    *root = json_loadb(whole.data, whole.length, JSON_REJECT_DUPLICATES, &error);
    opevo_text_free(&whole);
    return OPEVO_OK;
}

/* The text completed as Kernel Tuner would have ended it; *root stays NULL where that gives no
 * JSON. A last line that is whole ends in '}', with or without its comma, or in '{' when the cache
 * is still empty. */
static opevo_status parse_unfinished(const char *path, const char *text, size_t size, json_t **root,
                                     opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    if (!size)
        return OPEVO_OK;
    if (text[size - 1] == '{')
        return parse_ended(path, text, size, "}}", root, err);
    if (text[size - 1] == ',')
        return parse_ended(path, text, size - 1, "}}", root, err);
    if (text[size - 1] != '}')
        return OPEVO_OK;
    OPEVO_TRY(parse_ended(path, text, size, "}", root, err));
    if (!*root)
        OPEVO_TRY(parse_ended(path, text, size, "}}", root, err));
cleanup:
    return status;
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
    opevo_status status = OPEVO_OK;
    json_error_t error;
    size_t whole = trimmed(text, size);
    json_t *root = json_loadb(text, whole, JSON_REJECT_DUPLICATES, &error);
    bool at_end = false;

    if (root) {
        *out = root;
        return OPEVO_OK;
    }
    at_end = json_error_code(&error) == json_error_premature_end_of_input ||
             (error.position >= 0 && (size_t)error.position >= whole);
    if (at_end)
        OPEVO_TRY(parse_unfinished(path, text, whole, &root, err));
    if (!root || !opevo_i_landscape_is_kernel_tuner_cache(root)) {
        json_decref(root);
        return fail_parse(path, text, &error, at_end, err);
    }
    *out = root;
cleanup:
    return status;
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
