/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernel Tuner's cache files. The parameters are those of tune_params, in the order of
 * tune_params_keys; each entry of the cache is one row. Times are milliseconds. A failure is the
 * name of one of Kernel Tuner's error classes in the place of a number, or, in very old files, a
 * time of 1e20.
 *
 * Source: Kernel Tuner 1.0 to 1.4, kernel_tuner/util.py: store_cache, process_cache, ErrorConfig.
 */

#include "recorded_internal.h"

#include <opevo/memory.h>

#include <math.h>
#include <string.h>

#define GFLOPS_KEY "GFLOP/s"
#define OLD_FAILURE_MS 1e20

static const struct {
    const char *name;
    opevo_outcome_class kind;
} failures[] = {
    {"InvalidConfig", OPEVO_OUTCOME_REJECTED},
    {"CompilationFailedConfig", OPEVO_OUTCOME_BUILD_ERROR},
    {"RuntimeFailedConfig", OPEVO_OUTCOME_LAUNCH_ERROR},
    {"ErrorConfig", OPEVO_OUTCOME_LAUNCH_ERROR},
};

typedef struct reader {
    opevo_i_landscape_recording *recording;
    const json_t *cache;
    const char *path;
    const char *const *names; /* of the parameters */
    size_t name_count;
    opevo_value *values; /* of the entry being read, one for each name */
    opevo_i_landscape_observed observed;
    bool metric;    /* fitness is the GFLOP/s of the entries, otherwise 1 / time */
    const char *at; /* where the text of the next entry is looked for; NULL: lost */
    size_t line;    /* of `at` */
} reader;

/* ---- Lines ---------------------------------------------------------------------------------- */

/* Move to the next place where `key` stands as a key. Keys with escapes are not found; the lines of
 * all later ones are then unknown, so that the search stays linear in the text. */
static void move_to_key(reader *self, const char *key)
{
    size_t length = strlen(key);
    const char *found = self->at;

    for (; found && (found = strstr(found, key)); found += length + 1) {
        if (found[-1] == '"' && found[length] == '"' &&
            found[length + 1 + strspn(found + length + 1, " \t\r\n")] == ':')
            break;
    }
    for (const char *at = self->at; found && at < found; at++)
        self->line += *at == '\n';
    self->at = found;
}

static size_t entry_line(reader *self, const char *key)
{
    move_to_key(self, key);
    return self->at ? self->line : 0;
}

/* ---- Entries -------------------------------------------------------------------------------- */

/* Whether the key goes on at *at with the value as Python's str() writes it. *at moves behind it.
 */
static bool key_has_value(const char **at, opevo_value value)
{
    char number[64];
    double parsed = 0;
    size_t length = 0;

    if (value.kind == OPEVO_VALUE_TEXT || value.kind == OPEVO_VALUE_BOOLEAN) {
        const char *text = value.kind == OPEVO_VALUE_TEXT ? value.as.text
                           : value.as.boolean             ? "True"
                                                          : "False";

        length = strlen(text);
        if (strncmp(*at, text, length) != 0)
            return false;
        *at += length;
        return true;
    }
    length = strcspn(*at, ",");
    if (length >= sizeof number)
        return false;
    memcpy(number, *at, length);
    number[length] = '\0';
    *at += length;
    return opevo_parse_double(number, &parsed) && parsed == opevo_value_number(value);
}

/* Read the values of an entry and hold its key against them. */
static opevo_status read_values(const reader *self, const char *key, const json_t *entry,
                                size_t line, opevo_error *err)
{
    const char *at = key;
    bool same = true;

    for (size_t i = 0; i < self->name_count; i++) {
        if (!opevo_i_landscape_json_value(json_object_get(entry, self->names[i]), &self->values[i]))
            return opevo_i_landscape_fail_at(
                err, OPEVO_INVALID, self->path, line,
                "the entry '%.80s' has no value for parameter '%.80s'.", key, self->names[i]);
        same = same && (i == 0 || *at++ == ',') && key_has_value(&at, self->values[i]);
    }
    if (!same || *at)
        return opevo_i_landscape_fail_at(err, OPEVO_INVALID, self->path, line,
                                         "the key '%.80s' does not spell the values of its entry.",
                                         key);
    return OPEVO_OK;
}

/* The outcome that a text names; false when it is no error class of Kernel Tuner. */
static bool find_failure(const json_t *json, opevo_outcome_class *kind)
{
    const char *text = json_string_value(json);

    for (size_t i = 0; text && i < sizeof failures / sizeof failures[0]; i++) {
        if (strcmp(text, failures[i].name) == 0) {
            *kind = failures[i].kind;
            return true;
        }
    }
    return false;
}

/* What came of the configuration. An error class may stand in "__error__" or in the place of the
 * objective, whatever that is called, hence in any member that is no parameter. */
static opevo_outcome_class find_kind(const reader *self, const json_t *entry)
{
    opevo_outcome_class kind = OPEVO_OUTCOME_OK;
    const char *key = NULL;
    json_t *member = NULL;

    if (find_failure(json_object_get(entry, "__error__"), &kind))
        return kind;
    json_object_foreach((json_t *)entry, key, member)
    {
        if (opevo_i_landscape_find_name(self->names, self->name_count, key) == SIZE_MAX &&
            find_failure(member, &kind))
            return kind;
    }
    if (json_number_value(json_object_get(entry, "time")) >= OLD_FAILURE_MS)
        return OPEVO_OUTCOME_LAUNCH_ERROR;
    return OPEVO_OUTCOME_OK;
}

/* Mean of the second members when every repeat is a pair [0, t], which is how some versions wrote
 * one measured time; NAN otherwise. The recorded `time`, the mean of all numbers, is then half of
 * the true one. */
static double mean_of_pairs(const json_t *times)
{
    double sum = 0;
    size_t count = json_array_size(times);

    for (size_t i = 0; i < count; i++) {
        const json_t *pair = json_array_get(times, i);
        const json_t *first = json_array_get(pair, 0);
        const json_t *second = json_array_get(pair, 1);

        if (json_array_size(pair) != 2 || !json_is_number(first) || json_number_value(first) != 0 ||
            !json_is_number(second))
            return NAN;
        sum += json_number_value(second);
    }
    return count ? sum / (double)count : NAN;
}

/* A time in milliseconds as seconds, 0 when the entry lacks it. */
static opevo_status read_seconds(const reader *self, const json_t *entry, const char *key,
                                 size_t line, double *out, opevo_error *err)
{
    const json_t *json = json_object_get(entry, key);

    *out = json_number_value(json) / 1e3;
    if ((json && !json_is_number(json) && !json_is_null(json)) || *out < 0)
        return opevo_i_landscape_fail_at(err, OPEVO_INVALID, self->path, line,
                                         "'%s' is not a number of at least 0.", key);
    return OPEVO_OK;
}

static opevo_status read_result(const reader *self, const json_t *entry, size_t line,
                                opevo_i_landscape_row *row, opevo_error *err)
{
    const json_t *json = json_object_get(entry, "time");
    double recorded_s = json_number_value(json) / 1e3;
    double paired_s = mean_of_pairs(json_object_get(entry, "times")) / 1e3;

    row->time_s = isnan(paired_s) ? recorded_s : paired_s;
    if (!json_is_number(json) || !(row->time_s > 0))
        return opevo_i_landscape_fail_at(
            err, OPEVO_INVALID, self->path, line,
            "'time' is neither a number above 0 nor the name of a failure.");
    row->fitness = 1 / row->time_s;
    /* The metric was computed from the recorded time and is inversely proportional to it. */
    if (self->metric)
        row->fitness =
            json_number_value(json_object_get(entry, GFLOPS_KEY)) * (recorded_s / row->time_s);
    if (!isfinite(row->fitness) || !(row->fitness > 0))
        return opevo_i_landscape_fail_at(err, OPEVO_INVALID, self->path, line,
                                         "a time of %g s is too short to be a measurement.",
                                         row->time_s);
    return OPEVO_OK;
}

/* ---- Energy and power ----------------------------------------------------------------------- */

static opevo_status find_criteria(reader *self, opevo_error *err)
{
    const char *at = NULL, *key = NULL;
    json_t *entry = NULL, *member = NULL;

    json_object_foreach((json_t *)self->cache, at, entry)
    {
        json_object_foreach(entry, key, member)
        {
            if (opevo_i_landscape_find_name(self->names, self->name_count, key) == SIZE_MAX)
                opevo_i_landscape_observed_note(&self->observed, key, member, NULL);
        }
    }
    return opevo_i_landscape_observed_begin(&self->observed, self->recording, err);
}

static void read_criteria(const reader *self, const json_t *entry, opevo_i_landscape_row *row)
{
    const char *key = NULL;
    json_t *member = NULL;

    opevo_i_landscape_observed_clear(row);
    json_object_foreach((json_t *)entry, key, member)
    {
        opevo_i_landscape_observed_fill(&self->observed, key, member, NULL, row);
    }
}

static opevo_status read_entry(reader *self, const char *key, const json_t *entry, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t line = entry_line(self, key);
    opevo_i_landscape_row row = {.kind = OPEVO_OUTCOME_OK, .time_s = NAN};

    OPEVO_TRY(read_values(self, key, entry, line, err));
    row.kind = find_kind(self, entry);
    if (row.kind == OPEVO_OUTCOME_OK)
        OPEVO_TRY(read_result(self, entry, line, &row, err));
    OPEVO_TRY(read_seconds(self, entry, "compile_time", line, &row.build_s, err));
    OPEVO_TRY(read_seconds(self, entry, "verification_time", line, &row.check_s, err));
    OPEVO_TRY(read_seconds(self, entry, "framework_time", line, &row.other_s, err));
    OPEVO_TRY(read_seconds(self, entry, "benchmark_time", line, &row.run_s, err));
    if (!json_is_number(json_object_get(entry, "benchmark_time")) && row.kind == OPEVO_OUTCOME_OK)
        row.run_s = row.time_s * fmax(1, (double)json_array_size(json_object_get(entry, "times")));
    read_criteria(self, entry, &row);
    OPEVO_TRY(opevo_i_landscape_recording_add(self->recording, self->values, &row, line, err));
cleanup:
    return status;
}

/* Whether every entry that ran carries a positive GFLOP/s, so that fitness means the same for all.
 */
static bool all_have_metric(const reader *self)
{
    const char *key = NULL;
    json_t *entry = NULL;

    json_object_foreach((json_t *)self->cache, key, entry)
    {
        if (find_kind(self, entry) == OPEVO_OUTCOME_OK &&
            !(json_number_value(json_object_get(entry, GFLOPS_KEY)) > 0))
            return false;
    }
    return true;
}

static opevo_status read_entries(reader *self, const char *text, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    const char *key = NULL;
    json_t *entry = NULL;

    self->at = text + 1; /* behind the opening brace, so that move_to_key may look one back */
    self->line = 1;
    move_to_key(self, "cache");
    self->metric = all_have_metric(self);
    OPEVO_TRY(find_criteria(self, err));
    json_object_foreach((json_t *)self->cache, key, entry)
        OPEVO_TRY(read_entry(self, key, entry, err));
cleanup:
    return status;
}

opevo_status opevo_i_landscape_kernel_tuner_cache_read(opevo_i_landscape_recording *recording,
                                                       const json_t *root, const char *path,
                                                       const char *text, const char *space,
                                                       const char **unit, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    reader self = {.recording = recording, .cache = json_object_get(root, "cache"), .path = path};

    if (!json_object_size(self.cache))
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s: the cache has no configurations.", path);
    recording->path = path;
    recording->restricts = true;
    OPEVO_TRY(opevo_i_landscape_recording_begin_as(recording, root, text, path, space, err));
    self.names = recording->names;
    self.name_count = recording->name_count;
    OPEVO_NEW(self.values, self.name_count, path);
    OPEVO_TRY(read_entries(&self, text, err));
    *unit = self.metric ? "GFLOP/s" : "1/s";
cleanup:
    opevo_free(self.values);
    return status;
}
