/* SPDX-License-Identifier: GPL-3.0-or-later */

/* T4 files, the results of tuning that Kernel Tuner, KTT and their neighbours exchange. The space
 * is that of the values that the configurations have; each result is one row.
 *
 * Source: the schema T4 1.0.0 of github.com/odgaard/TuningSchema, and what writes it: Kernel Tuner
 * 1.4, kernel_tuner/file_utils.py, with `compilation`; the converter of KTT, with
 * `compilation_time`, no metadata, and units beside the measurements. */

#include "recorded_internal.h"

#include <opevo/memory.h>

#include <math.h>
#include <string.h>
#include <strings.h>

#define GFLOPS_NAME "GFLOP/s"

static const struct {
    const char *name;
    opevo_outcome_class kind;
} invalidities[] = {
    {"correct", OPEVO_OUTCOME_OK},           {"compile", OPEVO_OUTCOME_BUILD_ERROR},
    {"runtime", OPEVO_OUTCOME_LAUNCH_ERROR}, {"correctness", OPEVO_OUTCOME_WRONG},
    {"timeout", OPEVO_OUTCOME_TIMEOUT},      {"constraints", OPEVO_OUTCOME_REJECTED},
};

/* As they are written, whatever their case; "miliseconds" is how many files spell it. */
static const struct {
    const char *name;
    double seconds;
} time_units[] = {
    {"seconds", 1},         {"s", 1},
    {"milliseconds", 1e-3}, {"miliseconds", 1e-3},
    {"ms", 1e-3},           {"microseconds", 1e-6},
    {"us", 1e-6},           {"nanoseconds", 1e-9},
    {"ns", 1e-9},
};

typedef struct reader {
    opevo_i_landscape_recording *recording;
    const json_t *results;
    const char *path;
    const char *const *names; /* of the parameters */
    opevo_value *values;
    size_t name_count;
    opevo_i_landscape_observed observed;
    double unit_s;   /* of times: that of the file, or else of the objective, or else a second */
    bool metric;     /* fitness is GFLOP/s, otherwise 1 / time */
    const char *key; /* of a configuration in the text, with its quotes */
    const char *at;  /* the text behind the result that was read last */
    size_t line;     /* of `at` */
} reader;

bool opevo_i_landscape_is_t4_file(const json_t *root)
{
    return json_is_array(json_object_get(root, "results")) &&
           (json_object_get(root, "schema_version") || json_object_get(root, "metadata"));
}

/* The line of the next configuration in the text: one for each result. */
static size_t next_line(reader *self)
{
    const char *found = strstr(self->at, self->key);

    for (; found && self->at < found; self->at++)
        self->line += *self->at == '\n';
    self->at += found ? strlen(self->key) : 0;
    return self->line;
}

/* ---- Times ---------------------------------------------------------------------------------- */

/* Seconds of a unit of time; 0 for any other text, and for none. */
static double unit_of(const json_t *text)
{
    const char *name = json_string_value(text);

    for (size_t i = 0; name && i < sizeof time_units / sizeof time_units[0]; i++) {
        if (strcasecmp(name, time_units[i].name) == 0)
            return time_units[i].seconds;
    }
    return 0;
}

static const json_t *measurement(const json_t *result, const char *name)
{
    const json_t *list = json_object_get(result, "measurements");

    for (size_t i = 0; name && i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        const char *called = json_string_value(json_object_get(one, "name"));

        if (called && strcmp(called, name) == 0)
            return one;
    }
    return NULL;
}

/* The measurement of the first objective, NULL if none exists. */
static const json_t *objective_of(const json_t *result)
{
    return measurement(result,
                       json_string_value(json_array_get(json_object_get(result, "objectives"), 0)));
}

/* The unit of the file's times, a second where nothing says otherwise. */
static opevo_status find_unit(reader *self, const json_t *root, opevo_error *err)
{
    const json_t *given = json_object_get(json_object_get(root, "metadata"), "timeunit");

    self->unit_s = unit_of(given);
    if (given && !(self->unit_s > 0))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s: metadata.timeunit must be seconds, milliseconds, microseconds or "
                          "nanoseconds.",
                          self->path);
    for (size_t i = 0; !(self->unit_s > 0) && i < json_array_size(self->results); i++)
        self->unit_s =
            unit_of(json_object_get(objective_of(json_array_get(self->results, i)), "unit"));
    if (!(self->unit_s > 0))
        self->unit_s = 1;
    return OPEVO_OK;
}

static double mean_of(const json_t *list)
{
    double sum = 0;
    size_t count = json_array_size(list);

    for (size_t i = 0; i < count; i++) {
        if (!json_is_number(json_array_get(list, i)))
            return NAN;
        sum += json_number_value(json_array_get(list, i));
    }
    return count ? sum / (double)count : NAN;
}

/* Seconds of one execution: the objective where it is a time, otherwise the mean of the runs. */
static double time_of(const reader *self, const json_t *result)
{
    const json_t *objective = objective_of(result);
    const char *name = json_string_value(json_object_get(objective, "name"));
    double unit_s = unit_of(json_object_get(objective, "unit"));
    bool is_time = unit_s > 0 || (name && strncmp(name, "time", 4) == 0);
    const json_t *value = json_object_get(objective, "value");

    if (is_time && json_is_number(value))
        return json_number_value(value) * (unit_s > 0 ? unit_s : self->unit_s);
    return mean_of(json_object_get(json_object_get(result, "times"), "runtimes")) * self->unit_s;
}

/* A cost in seconds by the first of two names that is there; 0 when neither is. */
static opevo_status read_cost(const reader *self, const json_t *result, const char *name,
                              const char *other, size_t line, double *out, opevo_error *err)
{
    const json_t *times = json_object_get(result, "times");
    const json_t *json = json_object_get(times, name);

    json = json || !other ? json : json_object_get(times, other);
    *out = json_number_value(json) * self->unit_s;
    if ((json && !json_is_number(json) && !json_is_null(json)) || *out < 0)
        return opevo_i_landscape_fail_at(err, OPEVO_INVALID, self->path, line,
                                         "times.%s is not a number of at least 0.", name);
    return OPEVO_OK;
}

static opevo_status read_costs(const reader *self, const json_t *result, size_t line,
                               opevo_i_landscape_row *row, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    const json_t *times = json_object_get(result, "times");
    double runs_s = mean_of(json_object_get(times, "runtimes")) *
                    (double)json_array_size(json_object_get(times, "runtimes")) * self->unit_s;

    OPEVO_TRY(read_cost(self, result, "compilation", "compilation_time", line, &row->build_s, err));
    OPEVO_TRY(read_cost(self, result, "validation", NULL, line, &row->check_s, err));
    OPEVO_TRY(read_cost(self, result, "framework", NULL, line, &row->other_s, err));
    OPEVO_TRY(read_cost(self, result, "benchmark", NULL, line, &row->run_s, err));
    if (!(row->run_s > 0))
        row->run_s = runs_s > 0 ? runs_s : row->kind == OPEVO_OUTCOME_OK ? row->time_s : 0;
cleanup:
    return status;
}

/* ---- Results -------------------------------------------------------------------------------- */

static opevo_status read_kind(const reader *self, const json_t *result, size_t line,
                              opevo_outcome_class *kind, opevo_error *err)
{
    const char *text = json_string_value(json_object_get(result, "invalidity"));

    for (size_t i = 0; text && i < sizeof invalidities / sizeof invalidities[0]; i++) {
        if (strcmp(text, invalidities[i].name) == 0) {
            *kind = invalidities[i].kind;
            return OPEVO_OK;
        }
    }
    return opevo_i_landscape_fail_at(
        err, OPEVO_INVALID, self->path, line,
        "invalidity must be correct, compile, runtime, correctness, timeout or "
        "constraints, not '%.80s'.",
        text ? text : "");
}

static double gflops_of(const json_t *result)
{
    return json_number_value(json_object_get(measurement(result, GFLOPS_NAME), "value"));
}

/* Whether every result that ran carries a positive GFLOP/s, so that fitness means one thing. */
static bool all_have_metric(const reader *self)
{
    for (size_t i = 0; i < json_array_size(self->results); i++) {
        const json_t *result = json_array_get(self->results, i);
        const char *text = json_string_value(json_object_get(result, "invalidity"));

        if (text && strcmp(text, "correct") == 0 && !(gflops_of(result) > 0))
            return false;
    }
    return true;
}

static opevo_status find_criteria(reader *self, opevo_error *err)
{
    for (size_t i = 0; i < json_array_size(self->results); i++) {
        const json_t *list = json_object_get(json_array_get(self->results, i), "measurements");

        for (size_t k = 0; k < json_array_size(list); k++) {
            const json_t *one = json_array_get(list, k);
            const char *name = json_string_value(json_object_get(one, "name"));

            if (name)
                opevo_i_landscape_observed_note(&self->observed, name,
                                                json_object_get(one, "value"),
                                                json_object_get(one, "unit"));
        }
    }
    return opevo_i_landscape_observed_begin(&self->observed, self->recording, err);
}

static void read_criteria(const reader *self, const json_t *result, opevo_i_landscape_row *row)
{
    const json_t *list = json_object_get(result, "measurements");

    opevo_i_landscape_observed_clear(row);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        const char *name = json_string_value(json_object_get(one, "name"));

        if (name)
            opevo_i_landscape_observed_fill(&self->observed, name, json_object_get(one, "value"),
                                            json_object_get(one, "unit"), row);
    }
}

static opevo_status read_result(reader *self, const json_t *result, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t line = next_line(self);
    const json_t *configuration = json_object_get(result, "configuration");
    opevo_i_landscape_row row = {.kind = OPEVO_OUTCOME_OK, .time_s = NAN};

    for (size_t i = 0; i < self->name_count; i++)
        opevo_i_landscape_json_value(json_object_get(configuration, self->names[i]),
                                     &self->values[i]);
    OPEVO_TRY(read_kind(self, result, line, &row.kind, err));
    if (row.kind == OPEVO_OUTCOME_OK) {
        row.time_s = time_of(self, result);
        row.fitness = self->metric ? gflops_of(result) : 1 / row.time_s;
        if (!(row.time_s > 0) || !isfinite(row.fitness))
            return opevo_i_landscape_fail_at(
                err, OPEVO_INVALID, self->path, line,
                "the result is correct, but has neither an objective that is a "
                "time nor runtimes above 0.");
    }
    OPEVO_TRY(read_costs(self, result, line, &row, err));
    read_criteria(self, result, &row);
    OPEVO_TRY(opevo_i_landscape_recording_add(self->recording, self->values, &row, line, err));
cleanup:
    return status;
}

opevo_status opevo_i_landscape_t4_read_keyed(opevo_i_landscape_recording *recording,
                                             const json_t *root, const char *path, const char *text,
                                             const char *key, const char *space, const char **unit,
                                             opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    reader self = {.recording = recording,
                   .results = json_object_get(root, "results"),
                   .path = path,
                   .key = key,
                   .at = text,
                   .line = 1};

    recording->path = path;
    if (!json_array_size(self.results))
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s: it holds no results.", path);
    OPEVO_TRY(find_unit(&self, root, err));
    OPEVO_TRY(opevo_i_landscape_recording_begin_as(recording, root, text, path, space, err));
    self.names = recording->names;
    self.name_count = recording->name_count;
    OPEVO_NEW(self.values, self.name_count, "%s", path);
    self.metric = all_have_metric(&self);
    OPEVO_TRY(find_criteria(&self, err));
    for (size_t i = 0; i < json_array_size(self.results); i++)
        OPEVO_TRY(read_result(&self, json_array_get(self.results, i), err));
    *unit = self.metric ? "GFLOP/s" : "1/s";
cleanup:
    opevo_free(self.values);
    return status;
}

opevo_status opevo_i_landscape_t4_read(opevo_i_landscape_recording *recording, const json_t *root,
                                       const char *path, const char *text, const char *space,
                                       const char **unit, opevo_error *err)
{
    return opevo_i_landscape_t4_read_keyed(recording, root, path, text, "\"configuration\"", space,
                                           unit, err);
}
