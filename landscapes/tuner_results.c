/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The results of KTT and of CLBlast's tuners, made into T4 results.
 *
 * Source: KTT 2.1, Source/Output/JsonConverters.cpp; CLBlast 1.6, src/tuning/tuning.cpp. */

#include "recorded_internal.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *status, *invalidity;
} ktt_states[] = {
    {"Ok", "correct"},
    {"ComputationFailed", "runtime"},
    {"ValidationFailed", "correctness"},
    {"CompilationFailed", "compile"},
    {"DeviceLimitsExceeded", "compile"},
};

bool opevo_i_landscape_is_ktt(const json_t *root)
{
    return json_is_array(json_object_get(root, "Results")) && json_object_get(root, "Metadata");
}

bool opevo_i_landscape_is_clblast(const json_t *root)
{
    return json_is_array(json_object_get(root, "results")) &&
           json_object_get(root, "kernel_family");
}

/* All results are of one kernel, so that they have the same parameters. */
static opevo_status check_kernel(const json_t *results, const char *key, const char *path,
                                 opevo_error *err)
{
    const char *first = json_string_value(json_object_get(json_array_get(results, 0), key));

    for (size_t i = 1; i < json_array_size(results); i++) {
        const char *name = json_string_value(json_object_get(json_array_get(results, i), key));

        if (first && name && strcmp(first, name) != 0)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "%s: it has results of the kernels %.80s and %.80s; leave those of "
                              "one.",
                              path, first, name);
    }
    return OPEVO_OK;
}

/* [{"Name": ..., "Value": ...}] as an object. */
static json_t *configuration_of_ktt(const json_t *list)
{
    json_t *made = json_object();

    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        const char *name = json_string_value(json_object_get(one, "Name"));

        if (name)
            json_object_set(made, name, json_object_get(one, "Value"));
    }
    return made;
}

/* What the compiler took: the overhead but for what is known to be something else. */
static double compilation_of_ktt(const json_t *result)
{
    static const char *const others[] = {"DataMovementOverhead", "SearcherOverhead",
                                         "ValidationOverhead"};
    double sum = json_number_value(json_object_get(result, "TotalOverhead"));

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        sum -= json_number_value(json_object_get(result, others[i]));
    return fmax(0, sum);
}

static json_t *result_of_ktt(const json_t *result)
{
    const char *status = json_string_value(json_object_get(result, "Status"));
    const char *invalidity = status ? status : "";
    double time = json_number_value(json_object_get(result, "TotalDuration"));

    for (size_t i = 0; status && i < sizeof ktt_states / sizeof *ktt_states; i++) {
        if (strcmp(status, ktt_states[i].status) == 0)
            invalidity = ktt_states[i].invalidity;
    }
    return json_pack("{s:o, s:s, s:{s:[f], s:f, s:f}}", "configuration",
                     configuration_of_ktt(json_object_get(result, "Configuration")), "invalidity",
                     invalidity, "times", "runtimes", time, "compilation",
                     compilation_of_ktt(result), "validation",
                     json_number_value(json_object_get(result, "ValidationOverhead")));
}

opevo_status opevo_i_landscape_ktt_read(opevo_i_landscape_recording *recording, const json_t *root,
                                        const char *path, const char *text, const char *space,
                                        const char **unit, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    const json_t *results = json_object_get(root, "Results");
    json_t *given = json_object_get(json_object_get(root, "Metadata"), "TimeUnit");
    json_t *list = json_array();
    json_t *made = NULL;

    OPEVO_TRY(check_kernel(results, "KernelName", path, err));
    for (size_t i = 0; i < json_array_size(results); i++)
        json_array_append_new(list, result_of_ktt(json_array_get(results, i)));
    made = json_pack("{s:s, s:{s:O*}, s:O}", "schema_version", "1.0.0", "metadata", "timeunit",
                     given, "results", list);
    if (!made)
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read %s.", path);
    else
        status = opevo_i_landscape_t4_read_keyed(recording, made, path, text, "\"Configuration\"",
                                                 space, unit, err);
cleanup:
    json_decref(list);
    json_decref(made);
    return status;
}

/* A time of 0 is a failure, of which nothing else is said. */
static json_t *result_of_clblast(const json_t *result)
{
    double time = json_number_value(json_object_get(result, "time"));

    return json_pack("{s:O?, s:s, s:{s:[f]}}", "configuration",
                     json_object_get(result, "parameters"), "invalidity",
                     time > 0 ? "correct" : "runtime", "times", "runtimes", time);
}

opevo_status opevo_i_landscape_clblast_read(opevo_i_landscape_recording *recording,
                                            const json_t *root, const char *path, const char *text,
                                            const char *space, const char **unit, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    const json_t *results = json_object_get(root, "results");
    json_t *list = json_array();
    json_t *made = NULL;

    OPEVO_TRY(check_kernel(results, "kernel", path, err));
    for (size_t i = 0; i < json_array_size(results); i++)
        json_array_append_new(list, result_of_clblast(json_array_get(results, i)));
    made = json_pack("{s:s, s:{s:s}, s:O}", "schema_version", "1.0.0", "metadata", "timeunit",
                     "milliseconds", "results", list);
    if (!made)
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read %s.", path);
    else
        status = opevo_i_landscape_t4_read_keyed(recording, made, path, text, "\"parameters\"",
                                                 space, unit, err);
cleanup:
    json_decref(list);
    json_decref(made);
    return status;
}
