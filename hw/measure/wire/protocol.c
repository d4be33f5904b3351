/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Jobs and results in memory, and texts and lines of messages. */

#include "protocol_internal.h"

#include <opevo/memory.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const opevo_criterion opevo_i_wire_kernel_criterion_rows[OPEVO_I_KERNEL_CRITERION_COUNT] = {
    [OPEVO_I_BUILD_TIME] = {"build_time", "s", false},
    [OPEVO_I_CODE_SIZE] = {"code_size", "bytes", false},
    [OPEVO_I_ENERGY] = {"energy", "J", false},
    [OPEVO_I_ERROR] = {"error", "", false},
    [OPEVO_I_REGISTERS] = {"registers", "", false},
    [OPEVO_I_LOCAL_MEMORY] = {"local_memory", "bytes", false},
    [OPEVO_I_OCCUPANCY] = {"occupancy", "work items", true},
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
