/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Jobs and results as JSON and back. What comes in is checked before it is used. */

#include "protocol_internal.h"

#include <opevo/computation_named.h>
#include <opevo/memory.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const opevo_criterion opevo_i_wire_kernel_criterion_rows[OPEVO_I_KERNEL_CRITERION_COUNT] = {
    [OPEVO_I_BUILD_TIME] = {"build_time", "s", false},
    [OPEVO_I_CODE_SIZE] = {"code_size", "bytes", false},
    [OPEVO_I_ENERGY] = {"energy", "J", false},
};

bool opevo_i_wire_kernel_criterion_find(const char *name, opevo_i_wire_kernel_criterion *out)
{
    for (int i = 0; i < OPEVO_I_KERNEL_CRITERION_COUNT; i++) {
        if (!strcmp(opevo_i_wire_kernel_criterion_rows[i].name, name)) {
            *out = (opevo_i_wire_kernel_criterion)i;
            return true;
        }
    }
    return false;
}

double opevo_i_wire_job_slow_s(const opevo_i_wire_job *job)
{
    return job->slower > 0 && job->best_s > 0 ? job->slower * job->best_s : INFINITY;
}

void opevo_i_wire_job_clear(opevo_i_wire_job *job)
{
    opevo_kernel_free(&job->kernel);
    opevo_i_process_arguments_clear(&job->command);
    opevo_i_process_arguments_clear(&job->build);
}

void opevo_i_wire_result_clear(opevo_i_wire_result *result)
{
    opevo_free(result->samples);
    opevo_free(result->processor_s);
    opevo_text_free(&result->message);
    *result = (opevo_i_wire_result){0};
}

void opevo_i_wire_result_fail(opevo_i_wire_result *result, opevo_outcome_class kind,
                              const char *format, ...)
{
    char sentence[OPEVO_ERROR_SIZE];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    result->kind = kind;
    result->sample_count = 0;
    opevo_text_clear(&result->message);
    opevo_text_add(&result->message, sentence);
}

void opevo_i_wire_result_fault(opevo_i_wire_result *result, const char *format, ...)
{
    char sentence[OPEVO_ERROR_SIZE];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    opevo_i_wire_result_fail(result, OPEVO_OUTCOME_LAUNCH_ERROR, "%s", sentence); /* is not sent */
    result->fault = true;
}

bool opevo_i_wire_result_add(opevo_i_wire_result *result, double sample)
{
    void *samples = result->samples;

    if (!opevo_reserve(&samples, &result->sample_capacity, result->sample_count + 1,
                       sizeof(double)))
        return false;
    result->samples = samples;
    result->samples[result->sample_count++] = sample;
    return true;
}

bool opevo_i_wire_result_add_window(opevo_i_wire_result *result, double elapsed_s,
                                    double processor_s)
{
    void *processor = result->processor_s;

    if (!opevo_reserve(&processor, &result->processor_capacity, result->sample_count + 1,
                       sizeof(double)))
        return false;
    result->processor_s = processor;
    result->processor_s[result->sample_count] = processor_s;
    return opevo_i_wire_result_add(result, elapsed_s);
}

json_t *opevo_i_wire_json_text(const char *text)
{
    json_t *json = json_string(text);
    char *plain = NULL;

    if (json)
        return json;
    plain = opevo_strdup(text);
    if (!plain)
        return NULL;
    for (char *at = plain; *at; at++) {
        if ((unsigned char)*at >= 0x80)
            *at = '?';
    }
    json = json_string(plain);
    opevo_free(plain);
    return json;
}

char *opevo_i_wire_message_line(json_t *message)
{
    char *line = message ? json_dumps(message, JSON_COMPACT) : NULL;
    size_t length = line ? strlen(line) : 0;
    char *longer = line ? realloc(line, length + 2) : NULL;

    json_decref(message);
    if (!longer) {
        free(line);
        return NULL;
    }
    memcpy(longer + length, "\n", 2);
    return longer;
}

/* ---- Jobs ----------------------------------------------------------------------------------- */

static json_t *triple(const uint32_t *numbers)
{
    return json_pack("[i,i,i]", (int)numbers[0], (int)numbers[1], (int)numbers[2]);
}

/* Nothing where all operands are dense. */
static int add_packed(const opevo_kernel *kernel, json_t *message)
{
    json_t *list = NULL;
    int failed = 0;
    int count = 0;

    for (int i = 0; i < OPEVO_OPERANDS; i++)
        count = kernel->packed[i] ? i + 1 : count;
    if (!count)
        return 0;
    list = json_array();
    for (int i = 0; i < count; i++)
        failed |= json_array_append_new(list, json_integer((json_int_t)kernel->packed[i]));
    return failed | json_object_set_new(message, "packed", list);
}

static json_t *launch_to_json(const opevo_launch *launch)
{
    return json_pack("{s:o, s:o, s:I}", "grid", triple(launch->grid), "block",
                     triple(launch->block), "shared_bytes",
                     (json_int_t)launch->dynamic_shared_bytes);
}

/* The launches after the first; left out of a kernel with one. */
static int add_launches(const opevo_kernel *kernel, json_t *message)
{
    json_t *list = kernel->more ? json_array() : NULL;
    int failed = 0;

    if (!kernel->more)
        return 0;
    for (int i = 0; i < kernel->more; i++)
        failed |= json_array_append_new(list, launch_to_json(&kernel->then[i]));
    return failed | json_object_set_new(message, "then", list);
}

static int add_words(const opevo_i_process_arguments *words, const char *key, json_t *message)
{
    json_t *list = json_array();
    int failed = !list;

    for (size_t i = 0; i < words->count; i++)
        failed |= json_array_append_new(list, opevo_i_wire_json_text(words->items[i]));
    return failed | json_object_set_new(message, key, list);
}

/* The lines of a text as a list; left out when the text is empty. */
static int add_lines(const opevo_text *text, const char *key, json_t *message)
{
    json_t *list = text->length ? json_array() : NULL;
    int failed = text->length && !list;

    for (const char *at = opevo_text_string(text); *at && !failed;) {
        size_t length = strcspn(at, "\n");

        failed |= json_array_append_new(list, json_stringn(at, length));
        at += length + (at[length] != '\0');
    }
    return failed | (list ? json_object_set_new(message, key, list) : 0);
}

/* What only kernels have that opevo did not write. */
static int add_own(const opevo_kernel *kernel, json_t *message)
{
    int failed = add_lines(&kernel->options, "options", message);

    failed |= add_lines(&kernel->values, "values", message);
    if (kernel->own)
        failed |= json_object_set_new(message, "dialect",
                                      json_string(opevo_kernel_dialect_name(kernel->dialect)));
    return failed;
}

json_t *opevo_i_wire_job_to_json(const opevo_i_wire_job *job)
{
    json_t *message = json_pack("{s:s, s:I, s:b}", "type", "measure", "job", (json_int_t)job->id,
                                "single_sample", (int)job->single_sample);
    const opevo_kernel *kernel = &job->kernel;
    int failed = 0;

    if (!message)
        return NULL;
    if (job->command.count) {
        failed |= add_words(&job->command, "command", message);
        if (job->build.count)
            failed |= add_words(&job->build, "build", message);
    } else if (job->library) {
        failed |= json_object_set_new(message, "library", json_true());
    } else {
        failed |= json_object_set_new(message, "source",
                                      opevo_i_wire_json_text(opevo_text_string(&kernel->source)));
        failed |= json_object_set_new(message, "entry", opevo_i_wire_json_text(kernel->entry));
        failed |= json_object_set_new(message, "grid", triple(kernel->grid));
        failed |= json_object_set_new(message, "block", triple(kernel->block));
        failed |= json_object_set_new(message, "shared_bytes",
                                      json_integer(kernel->dynamic_shared_bytes));
        failed |= add_launches(kernel, message);
        failed |= add_own(kernel, message);
        if (kernel->parallel)
            failed |= json_object_set_new(message, "parallel", json_true());
        failed |= add_packed(kernel, message);
        failed |= json_object_set_new(message, "scratch_bytes",
                                      json_integer((json_int_t)kernel->scratch_bytes));
        failed |= json_object_set_new(message, "thread_scratch_bytes",
                                      json_integer((json_int_t)kernel->thread_scratch_bytes));
    }
    if (isfinite(opevo_i_wire_job_slow_s(job))) {
        failed |= json_object_set_new(message, "slower", json_real(job->slower));
        failed |= json_object_set_new(message, "best_s", json_real(job->best_s));
    }
    if (failed) {
        json_decref(message);
        return NULL;
    }
    return message;
}

/* A whole number from 0 to 2^32 - 1. */
static bool read_u32(const json_t *json, uint32_t *out)
{
    json_int_t value = json_is_integer(json) ? json_integer_value(json) : -1;

    *out = (uint32_t)value;
    return value >= 0 && value <= UINT32_MAX;
}

/* A size of memory, 0 where nothing says it. */
static bool read_size(const json_t *json, uint64_t *out)
{
    json_int_t value = json_integer_value(json);

    *out = (uint64_t)value;
    return (!json || json_is_integer(json)) && value >= 0 && value <= OPEVO_I_SCRATCH_LIMIT;
}

static bool read_packed(const json_t *list, opevo_kernel *out)
{
    bool good = (!list || json_is_array(list)) && json_array_size(list) <= OPEVO_OPERANDS;

    for (size_t i = 0; good && i < json_array_size(list); i++)
        good = read_size(json_array_get(list, i), &out->packed[i]);
    return good;
}

static bool read_triple(const json_t *json, uint32_t *out)
{
    bool good = json_array_size(json) == 3;

    for (size_t i = 0; good && i < 3; i++)
        good = read_u32(json_array_get(json, i), &out[i]);
    return good;
}

static bool read_launches(const json_t *list, opevo_kernel *out)
{
    bool good =
        (!list || json_is_array(list)) && json_array_size(list) <= OPEVO_KERNEL_LAUNCHES - 1;

    out->more = good ? (int)json_array_size(list) : 0;
    for (int i = 0; good && i < out->more; i++) {
        const json_t *one = json_array_get(list, (size_t)i);

        good = read_triple(json_object_get(one, "grid"), out->then[i].grid) &&
               read_triple(json_object_get(one, "block"), out->then[i].block) &&
               read_u32(json_object_get(one, "shared_bytes"), &out->then[i].dynamic_shared_bytes);
    }
    return good;
}

static bool read_lines(const json_t *list, opevo_text *out)
{
    bool good = !list || json_is_array(list);

    for (size_t i = 0; good && i < json_array_size(list); i++) {
        const char *line = json_string_value(json_array_get(list, i));

        good = line && !strchr(line, '\n');
        if (good)
            opevo_text_printf(out, "%s\n", line);
    }
    return good && !out->failed;
}

static bool read_own(const json_t *message, opevo_kernel *out)
{
    const char *dialect = json_string_value(json_object_get(message, "dialect"));

    out->own = dialect != NULL;
    return read_lines(json_object_get(message, "options"), &out->options) &&
           read_lines(json_object_get(message, "values"), &out->values) &&
           (!dialect || opevo_kernel_dialect_find(dialect, &out->dialect));
}

static bool read_kernel(const json_t *message, opevo_kernel *out)
{
    const char *source = json_string_value(json_object_get(message, "source"));
    const char *entry = json_string_value(json_object_get(message, "entry"));

    if (!source || !entry || strlen(entry) >= sizeof out->entry)
        return false;
    memcpy(out->entry, entry, strlen(entry) + 1);
    opevo_text_add(&out->source, source);
    out->parallel = json_is_true(json_object_get(message, "parallel"));
    return !out->source.failed && read_own(message, out) &&
           read_triple(json_object_get(message, "grid"), out->grid) &&
           read_triple(json_object_get(message, "block"), out->block) &&
           read_u32(json_object_get(message, "shared_bytes"), &out->dynamic_shared_bytes) &&
           read_launches(json_object_get(message, "then"), out) &&
           read_packed(json_object_get(message, "packed"), out) &&
           read_size(json_object_get(message, "scratch_bytes"), &out->scratch_bytes) &&
           read_size(json_object_get(message, "thread_scratch_bytes"), &out->thread_scratch_bytes);
}

static bool read_command(const json_t *command, opevo_i_process_arguments *out)
{
    bool good = json_array_size(command) > 0;

    for (size_t i = 0; good && i < json_array_size(command); i++) {
        const char *word = json_string_value(json_array_get(command, i));

        good = word && opevo_i_process_arguments_add(out, word, strlen(word));
    }
    return good;
}

bool opevo_i_wire_job_from_json(const json_t *message, opevo_i_wire_job *out)
{
    const json_t *command = json_object_get(message, "command");
    const json_t *build = json_object_get(message, "build");
    const json_t *id = json_object_get(message, "job");
    opevo_i_wire_job job = {.id = json_integer_value(id),
                            .library = json_is_true(json_object_get(message, "library")),
                            .single_sample =
                                json_is_true(json_object_get(message, "single_sample")),
                            .slower = json_number_value(json_object_get(message, "slower")),
                            .best_s = json_number_value(json_object_get(message, "best_s"))};
    bool good = json_is_integer(id);

    if (good && command)
        good = read_command(command, &job.command) && (!build || read_command(build, &job.build));
    else if (good && !job.library)
        good = read_kernel(message, &job.kernel);
    if (good)
        *out = job;
    else
        opevo_i_wire_job_clear(&job);
    return good;
}

static int add_library(json_t *setup, const opevo_operator *library)
{
    opevo_text text = {0};
    int failed = -1;

    opevo_operator_print(library, &text);
    if (!text.failed)
        failed = json_object_set_new(setup, "library", json_string(opevo_text_string(&text)));
    opevo_text_free(&text);
    return failed;
}

int opevo_i_wire_setup_add_workload(json_t *setup, const opevo_workload *work)
{
    opevo_text text = {0};
    int failed = -1;

    opevo_computation_print(work->computation, "\n", &text);
    if (!text.failed)
        failed = json_object_set_new(setup, "computation", json_string(opevo_text_string(&text)));
    opevo_text_free(&text);
    return failed | (work->library ? add_library(setup, work->library) : 0);
}

/* The computation of the operator in `text`, which must be that of the setup. */
static opevo_status name_computation(const char *text, opevo_computation **computation,
                                     opevo_error *err)
{
    opevo_operator op;
    opevo_computation *made = NULL;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_operator_parse(text, &op, err));
    OPEVO_TRY(opevo_computation_of_operator(&op, &made, err));
    if (opevo_computation_signature(made) != opevo_computation_signature(*computation)) {
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "The library of the setup, for %.200s, is for "
                            "another computation.",
                            text);
        goto cleanup;
    }
    opevo_computation_destroy(*computation);
    *computation = made;
    made = NULL;
cleanup:
    opevo_computation_destroy(made);
    return status;
}

opevo_status opevo_i_wire_setup_workload(const json_t *setup, opevo_workload **out,
                                         opevo_error *err)
{
    const char *text = json_string_value(json_object_get(setup, "computation"));
    const char *library = json_string_value(json_object_get(setup, "library"));
    opevo_computation *computation = NULL;
    opevo_status status = OPEVO_OK;

    if (!text)
        return OPEVO_FAIL(err, OPEVO_INVALID, "The setup lacks a computation.");
    status = opevo_computation_parse(text, "computation", NULL, 0, &computation, err);
    if (status == OPEVO_OK && library)
        status = name_computation(library, &computation, err);
    if (status != OPEVO_OK) {
        opevo_computation_destroy(computation);
        return status;
    }
    return opevo_workload_adopt(computation, out, err);
}

double opevo_i_wire_setup_least_s(const json_t *setup, double counter_s)
{
    const json_t *criteria = json_object_get(setup, "criteria");
    const char *energy = opevo_i_wire_kernel_criterion_rows[OPEVO_I_ENERGY].name;

    for (size_t i = 0; i < json_array_size(criteria); i++) {
        const char *name = json_string_value(json_array_get(criteria, i));

        if (name && !strcmp(name, energy))
            return 20 * counter_s;
    }
    return 0;
}

/* ---- Results -------------------------------------------------------------------------------- */

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

/* False for another number of processor times than of samples, and for values that are no times. */
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
