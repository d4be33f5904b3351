/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Results as JSON and back. What comes in is checked before it is used. */

#include "protocol_internal.h"

#include <math.h>

/* A number, or null where it is not known. */
static json_t *known_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* Nothing where none was asked for. */
static int add_criteria(const opevo_i_wire_result *result, json_t *message)
{
    json_t *criteria = result->criterion_count ? json_array() : NULL;
    int failed = result->criterion_count && !criteria;

    for (size_t i = 0; i < result->criterion_count; i++)
        failed |= json_array_append_new(criteria, known_number(result->criteria[i]));
    return failed | (criteria ? json_object_set_new(message, "criteria", criteria) : 0);
}

static json_t *list_of(const double *values, size_t count)
{
    json_t *list = json_array();
    int failed = list == NULL;

    for (size_t i = 0; i < count; i++)
        failed |= json_array_append_new(list, json_real(values[i]));
    if (!failed)
        return list;
    json_decref(list);
    return NULL;
}

/* Nothing where it is unknown. */
static int add_processor(const opevo_i_wire_result *result, json_t *message)
{
    return result->processor_s && result->sample_count
               ? json_object_set_new(message, "processor_s",
                                     list_of(result->processor_s, result->sample_count))
               : 0;
}

json_t *opevo_i_wire_result_to_json(const opevo_i_wire_result *result)
{
    json_t *samples = NULL;
    json_t *message = NULL;

    if (result->fault)
        return json_pack("{s:s, s:I, s:o, s:b}", "type", "fault", "job", (json_int_t)result->id,
                         "message", opevo_i_wire_json_text(opevo_text_string(&result->message)),
                         "context_lost", (int)result->context_lost);
    samples = list_of(result->samples, result->sample_count);
    if (!samples)
        return NULL;
    message = json_pack("{s:s, s:I, s:s, s:o, s:f, s:f, s:f, s:f, s:o, s:b}", "type", "result",
                        "job", (json_int_t)result->id, "outcome", opevo_outcome_name(result->kind),
                        "samples", samples, "build_s", result->build_s, "run_s", result->run_s,
                        "check_s", result->check_s, "other_s", result->other_s, "message",
                        opevo_i_wire_json_text(opevo_text_string(&result->message)), "context_lost",
                        (int)result->context_lost);
    if (message && (add_criteria(result, message) | add_processor(result, message))) {
        json_decref(message);
        return NULL;
    }
    return message;
}

static double read_cost(const json_t *message, const char *key)
{
    double value = json_number_value(json_object_get(message, key));

    return value > 0 && isfinite(value) ? value : 0;
}

/* False for more than there may be, and for what is neither a number nor null. */
static bool read_criteria(const json_t *criteria, opevo_i_wire_result *result)
{
    size_t count = json_array_size(criteria);

    if (count >= OPEVO_CRITERIA_MOST)
        return false;
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_array_get(criteria, i);

        if (!json_is_number(value) && !json_is_null(value))
            return false;
        result->criteria[i] = json_is_null(value) ? NAN : json_number_value(value);
    }
    result->criterion_count = count;
    return true;
}

/* False unless all times are positive, and processor times, where given, one for each sample. */
static bool read_samples(const json_t *message, opevo_i_wire_result *result)
{
    const json_t *samples = json_object_get(message, "samples");
    const json_t *processor = json_object_get(message, "processor_s");
    size_t count = json_array_size(samples);
    bool good =
        count <= OPEVO_I_SAMPLES_LIMIT && (!processor || json_array_size(processor) == count);

    for (size_t i = 0; good && i < count; i++) {
        double value = json_number_value(json_array_get(samples, i));
        double processor_s = json_number_value(json_array_get(processor, i));

        good = value > 0 && isfinite(value);
        if (processor)
            good = good && processor_s > 0 && isfinite(processor_s) &&
                   opevo_i_wire_result_add_window(result, value, processor_s);
        else
            good = good && opevo_i_wire_result_add(result, value);
    }
    return good;
}

bool opevo_i_wire_result_from_json(const json_t *message, opevo_i_wire_result *out)
{
    const json_t *id = json_object_get(message, "job");
    const char *outcome = json_string_value(json_object_get(message, "outcome"));
    const char *sentence = json_string_value(json_object_get(message, "message"));
    opevo_i_wire_result result = {.id = json_integer_value(id)};
    bool good = json_is_integer(id) && outcome && opevo_outcome_parse(outcome, &result.kind);

    good = good && read_samples(message, &result);
    good = good && (result.kind != OPEVO_OUTCOME_OK || result.sample_count > 0);
    good = good && read_criteria(json_object_get(message, "criteria"), &result);
    if (sentence)
        opevo_text_add(&result.message, sentence);
    if (!good || result.message.failed) {
        opevo_i_wire_result_clear(&result);
        return false;
    }
    result.build_s = read_cost(message, "build_s");
    result.run_s = read_cost(message, "run_s");
    result.check_s = read_cost(message, "check_s");
    result.other_s = read_cost(message, "other_s");
    result.context_lost = json_is_true(json_object_get(message, "context_lost"));
    *out = result;
    return true;
}
