/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Strict reading of the JSON of a plan. */

#include "study_plan_internal.h"

#include <opevo/json_duplicate.h>
#include <opevo/memory.h>
#include <opevo/tvm_log.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { RANGE_MAX = 1 << 20 };

opevo_status opevo_i_study_plan_fail(opevo_error *err, const char *path, const char *where,
                                     const char *format, ...)
{
    char sentence[OPEVO_ERROR_SIZE];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return OPEVO_FAIL(err, OPEVO_INVALID, "%s: %s%s%s", path, where, *where ? ": " : "", sentence);
}

opevo_status opevo_i_study_plan_parse(const char *path, const char *text, size_t size, json_t **out,
                                      opevo_error *err)
{
    json_error_t error;
    char fault[OPEVO_JSON_FAULT_SIZE];

    if (opevo_tvm_log_of(text))
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s: %s.", path,
                          opevo_tvm_log_advice(opevo_tvm_log_of(text)));
    *out = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    if (*out)
        return OPEVO_OK;
    if (json_error_code(&error) == json_error_out_of_memory)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read %s.", path);
    opevo_json_fault(text, (size_t)error.position,
                     json_error_code(&error) == json_error_duplicate_key, error.text, fault);
    return OPEVO_FAIL(err, OPEVO_INVALID, "%s:%d:%d: invalid JSON: %s.", path, error.line,
                      error.column, fault);
}

/* "tuners[1]" and "settings" as "tuners[1].settings". */
static void join(char *out, const char *where, const char *key)
{
    snprintf(out, OPEVO_I_STUDY_WHERE_SIZE, "%.100s%s%.50s", where, *where ? "." : "", key);
}

opevo_status opevo_i_study_plan_keys(const char *path, const json_t *object, const char *where,
                                     const char *const *keys, const char *form, opevo_error *err)
{
    void *at = json_object_iter((json_t *)object);
    opevo_text known = {0};
    opevo_status status = OPEVO_OK;

    if (!json_is_object(object))
        return opevo_i_study_plan_fail(err, path, where, "expected %s.", form);
    for (; at && status == OPEVO_OK; at = json_object_iter_next((json_t *)object, at)) {
        const char *key = json_object_iter_key(at);
        char place[OPEVO_I_STUDY_WHERE_SIZE];
        size_t i = 0;

        while (keys[i] && strcmp(keys[i], key) != 0)
            i++;
        if (keys[i])
            continue;
        for (i = 0; keys[i]; i++)
            opevo_text_printf(&known, "%s%s", i ? ", " : "", keys[i]);
        join(place, where, key);
        status = opevo_i_study_plan_fail(err, path, place, "unknown key; the keys are %s.",
                                         opevo_text_string(&known));
    }
    opevo_text_free(&known);
    return status;
}

opevo_status opevo_i_study_plan_list(const char *path, const json_t *object, const char *key,
                                     const json_t **out, opevo_error *err)
{
    *out = json_object_get(object, key);
    if (!json_is_array(*out) || json_array_size(*out) == 0)
        return opevo_i_study_plan_fail(err, path, key, "give a list with at least one entry.");
    return OPEVO_OK;
}

opevo_status opevo_i_study_plan_texts(const char *path, const json_t *object, const char *where,
                                      const char *key, bool required, opevo_i_study_texts *out,
                                      opevo_error *err)
{
    const json_t *value = json_object_get(object, key);
    size_t count = json_is_array(value) ? json_array_size(value) : 1;
    char place[OPEVO_I_STUDY_WHERE_SIZE];

    join(place, where, key);
    if (!value && !required)
        return OPEVO_OK;
    if (count == 0)
        return opevo_i_study_plan_fail(err, path, place, "this list is empty.");
    out->items = opevo_malloc(count, sizeof *out->items);
    if (!out->items)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read %s.", path);
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_is_array(value) ? json_array_get(value, i) : value;

        if (!json_is_string(item) || !*json_string_value(item))
            return opevo_i_study_plan_fail(err, path, place,
                                           "give a string, or a list of strings.");
        out->items[i] = json_string_value(item);
    }
    out->count = count;
    return OPEVO_OK;
}

/* ---- Axes ----------------------------------------------------------------------------------- */

typedef struct reader {
    const char *path;
    const char *where;
    opevo_i_study_axis *axis;
    size_t capacity;
} reader;

static opevo_status add_value(reader *self, const char *text, opevo_error *err)
{
    void *values = self->axis->values;
    char *copy = opevo_strdup(text);

    if (!copy || !opevo_reserve(&values, &self->capacity, self->axis->count + 1, sizeof(char *))) {
        opevo_free(copy);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read %s.", self->path);
    }
    self->axis->values = values;
    self->axis->values[self->axis->count++] = copy;
    return OPEVO_OK;
}

/* from, from + step, ... up to `to`. Each is the decimal that the plan means by it: 0.1 + 2 * 0.1
 * is written 0.3, not 0.30000000000000004. */
static opevo_status add_range(reader *self, const json_t *range, opevo_error *err)
{
    static const char *const keys[] = {"from", "to", "step", NULL};
    opevo_status status = opevo_i_study_plan_keys(self->path, range, self->where, keys, "", err);
    const json_t *step = json_object_get(range, "step");
    double from = json_number_value(json_object_get(range, "from"));
    double to = json_number_value(json_object_get(range, "to"));
    double by = step ? json_number_value(step) : 1;
    double count = floor((to - from) / by + 1e-9) + 1;

    if (status != OPEVO_OK)
        return status;
    if (!json_is_number(json_object_get(range, "from")) ||
        !json_is_number(json_object_get(range, "to")) || !(by > 0) || !(count >= 1) ||
        count > RANGE_MAX)
        return opevo_i_study_plan_fail(
            err, self->path, self->where,
            "a range must be {\"from\": a, \"to\": b, \"step\": c} with a <= "
            "b and c > 0, and at most %d values.",
            (int)RANGE_MAX);
    for (size_t i = 0; status == OPEVO_OK && i < (size_t)count; i++) {
        char rounded[40];
        char text[OPEVO_DOUBLE_TEXT_SIZE];
        double value = 0;

        snprintf(rounded, sizeof rounded, "%.12g", from + (double)i * by);
        if (!opevo_parse_double(rounded, &value))
            value = from + (double)i * by;
        status = add_value(self, opevo_double_format(value + 0.0, text), err);
    }
    return status;
}

static opevo_status add_item(reader *self, const json_t *item, opevo_error *err)
{
    char text[OPEVO_DOUBLE_TEXT_SIZE];

    if (json_is_object(item))
        return add_range(self, item, err);
    if (json_is_string(item) && *json_string_value(item))
        return add_value(self, json_string_value(item), err);
    if (json_is_integer(item)) {
        snprintf(text, sizeof text, "%lld", (long long)json_integer_value(item));
        return add_value(self, text, err);
    }
    if (json_is_real(item))
        return add_value(self, opevo_double_format(json_real_value(item), text), err);
    return opevo_i_study_plan_fail(err, self->path, self->where,
                                   "give a number, a string, a range, or a list of them.");
}

static opevo_status read_axis(reader *self, const char *key, const json_t *value, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    self->axis->key = opevo_strdup(key);
    self->axis->where = opevo_strdup(self->where);
    if (!self->axis->key || !self->axis->where)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read %s.", self->path);
    if (!json_is_array(value))
        return add_item(self, value, err);
    if (json_array_size(value) == 0)
        return opevo_i_study_plan_fail(err, self->path, self->where, "this list is empty.");
    for (size_t i = 0; status == OPEVO_OK && i < json_array_size(value); i++)
        status = add_item(self, json_array_get(value, i), err);
    return status;
}

opevo_status opevo_i_study_plan_axes(const char *path, const json_t *object, const char *where,
                                     const char *key, opevo_i_study_axes *out, opevo_error *err)
{
    void *at = json_object_iter((json_t *)object);
    char place[OPEVO_I_STUDY_WHERE_SIZE];
    char member[OPEVO_I_STUDY_WHERE_SIZE];
    opevo_status status = OPEVO_OK;

    join(place, where, key);
    if (!json_is_object(object))
        return opevo_i_study_plan_fail(err, path, place, "expected an object.");
    out->items = opevo_calloc(json_object_size(object), sizeof *out->items);
    if (!out->items)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read %s.", path);
    for (; at && status == OPEVO_OK; at = json_object_iter_next((json_t *)object, at)) {
        reader self = {.path = path, .where = member, .axis = &out->items[out->count++]};

        join(member, place, json_object_iter_key(at));
        status = read_axis(&self, json_object_iter_key(at), json_object_iter_value(at), err);
    }
    return status;
}
