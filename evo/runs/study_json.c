/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The axes of a plan, and the texts of its objectives, from JSON. */

#include "study_plan_internal.h"

#include <opevo/memory.h>

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

static opevo_status no_memory(const opevo_json_reader *at, opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read %s.", at->origin);
}

opevo_status opevo_i_study_plan_copy_texts(const opevo_json_reader *entry, const json_t *texts,
                                           char ***out, size_t *count, opevo_error *err)
{
    size_t wanted = opevo_json_text_count(texts);

    *out = opevo_calloc(wanted, sizeof **out);
    for (size_t i = 0; *out && i < wanted; i++) {
        (*out)[i] = opevo_strdup(opevo_json_text_at(texts, i));
        *count += (*out)[i] != NULL;
    }
    return *out && *count == wanted ? OPEVO_OK : no_memory(entry, err);
}

/* ---- Axes ----------------------------------------------------------------------------------- */

typedef struct reader {
    const opevo_json_reader *at;
    opevo_i_study_axis *axis;
    size_t capacity;
} reader;

static opevo_status add_value(reader *self, const char *text, opevo_error *err)
{
    void *values = self->axis->values;
    char *copy = opevo_strdup(text);

    if (!copy || !opevo_reserve(&values, &self->capacity, self->axis->count + 1, sizeof(char *))) {
        opevo_free(copy);
        return no_memory(self->at, err);
    }
    self->axis->values = values;
    self->axis->values[self->axis->count++] = copy;
    return OPEVO_OK;
}

typedef struct range_entry {
    double from, to, step;
} range_entry;

static const opevo_json_field range_fields[] = {
    OPEVO_JSON_FIELD(range_entry, from, NUMBER, .required = true),
    OPEVO_JSON_FIELD(range_entry, to, NUMBER, .required = true),
    OPEVO_JSON_FIELD(range_entry, step, NUMBER, .is_open = true)};

/* from, from + step, ... up to `to`. Each is the decimal that the plan means by it: 0.1 + 2 * 0.1
 * is written 0.3, not 0.30000000000000004. */
static opevo_status add_range(reader *self, const opevo_json_reader *at, opevo_error *err)
{
    range_entry range = {.step = 1};
    opevo_status status = opevo_json_read(at, range_fields, 3, &range, err);
    double count = floor((range.to - range.from) / range.step + 1e-9) + 1;

    if (status == OPEVO_OK && !(count >= 1 && count <= RANGE_MAX))
        return opevo_json_fail(at, err,
                               "a range must be {\"from\": a, \"to\": b, \"step\": c} with a <= b "
                               "and c > 0, and at most %d values.",
                               (int)RANGE_MAX);
    for (size_t i = 0; status == OPEVO_OK && i < (size_t)count; i++) {
        double exact = range.from + (double)i * range.step, value = exact;
        char rounded[40];
        char text[OPEVO_DOUBLE_TEXT_SIZE];

        snprintf(rounded, sizeof rounded, "%.12g", exact);
        if (!opevo_parse_double(rounded, &value))
            value = exact;
        status = add_value(self, opevo_double_format(value + 0.0, text), err);
    }
    return status;
}

static opevo_status add_item(reader *self, const opevo_json_reader *at, opevo_error *err)
{
    char text[OPEVO_DOUBLE_TEXT_SIZE];

    if (json_is_object(at->value))
        return add_range(self, at, err);
    if (json_is_string(at->value) && *json_string_value(at->value))
        return add_value(self, json_string_value(at->value), err);
    if (json_is_integer(at->value)) {
        snprintf(text, sizeof text, "%lld", (long long)json_integer_value(at->value));
        return add_value(self, text, err);
    }
    if (json_is_real(at->value))
        return add_value(self, opevo_double_format(json_real_value(at->value), text), err);
    return opevo_json_fail(at, err, "give a number, a string, a range, or a list of them.");
}

static opevo_status read_axis(const opevo_json_reader *at, opevo_i_study_axis *axis,
                              opevo_error *err)
{
    reader self = {.at = at, .axis = axis};
    opevo_status status = OPEVO_OK;

    axis->key = opevo_strdup(at->key);
    axis->where = opevo_json_path(at);
    if (!axis->key || !axis->where)
        return no_memory(at, err);
    if (!json_is_array(at->value))
        return add_item(&self, at, err);
    if (json_array_size(at->value) == 0)
        return opevo_json_fail(at, err, "this list is empty.");
    for (size_t i = 0; status == OPEVO_OK && i < json_array_size(at->value); i++) {
        opevo_json_reader item = opevo_json_element(at, i);

        status = add_item(&self, &item, err);
    }
    return status;
}

opevo_status opevo_i_study_plan_axes(const opevo_json_reader *at, opevo_i_study_axes *out,
                                     opevo_error *err)
{
    const char *key = NULL;
    json_t *value = NULL;
    opevo_status status = OPEVO_OK;

    out->items = opevo_calloc(json_object_size(at->value), sizeof *out->items);
    if (!out->items)
        return no_memory(at, err);
    json_object_foreach((json_t *)at->value, key, value)
    {
        opevo_json_reader member = opevo_json_member(at, key);

        OPEVO_TRY(read_axis(&member, &out->items[out->count++], err));
    }
cleanup:
    return status;
}
