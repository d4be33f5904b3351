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
    const char *path;
    const char *const *names; /* of the parameters */
    size_t name_count;
    opevo_value *values; /* of the entry being read, one for each name */
    opevo_i_landscape_observed observed;
    json_t *noted[OPEVO_I_OBSERVED_COUNT]; /* entries that `observed` borrows from */
    bool again;                            /* another name was noted after rows were read by one */
    opevo_index_set *keys;                 /* hashes of those that were seen */
    bool repeats;                          /* a key stands twice */
    /* Fitness is the GFLOP/s of the entries, which all that ran have, positive, so that it means
     * the same for all; otherwise 1 / time. */
    bool metric;
} reader;

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

/* The outcome that a text names; false when it is not an error class of Kernel Tuner. */
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
 * objective, whatever that is called, hence in any member that is not a parameter. */
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
        return opevo_i_landscape_fail_short(self->path, line, row->time_s, err);
    return OPEVO_OK;
}

/* ---- Energy and power ----------------------------------------------------------------------- */

/* Keep the entry that a name is borrowed from. */
static void note_criteria(reader *self, json_t *entry)
{
    opevo_i_landscape_observed before = self->observed;
    const char *key = NULL;
    json_t *member = NULL;

    json_object_foreach(entry, key, member)
    {
        if (opevo_i_landscape_find_name(self->names, self->name_count, key) == SIZE_MAX)
            opevo_i_landscape_observed_note(&self->observed, key, member, NULL);
    }
    for (size_t i = 0; i < OPEVO_I_OBSERVED_COUNT; i++) {
        if (self->observed.names[i] == before.names[i])
            continue;
        self->again = self->again || before.names[i];
        json_decref(self->noted[i]);
        self->noted[i] = json_incref(entry);
    }
}

/* Energy and power have places of their own until it is known which of them there are. */
static void read_criteria(const reader *self, const json_t *entry, opevo_i_landscape_row *row)
{
    opevo_i_landscape_observed_clear(row);
    for (size_t i = 0; i < OPEVO_I_OBSERVED_COUNT; i++) {
        const json_t *member =
            self->observed.names[i] ? json_object_get(entry, self->observed.names[i]) : NULL;

        if (json_is_number(member))
            row->more[i] = json_number_value(member);
    }
}

/* What all entries say together: hashes of their keys, and whether fitness can be the metric. */
static opevo_status inspect(reader *self, const char *key, json_t *entry, opevo_outcome_class kind,
                            opevo_error *err)
{
    opevo_index hash = opevo_hash_wide(key, strlen(key));

    self->repeats = self->repeats || opevo_index_set_has(self->keys, hash);
    OPEVO_NEED_OR_RETURN(opevo_index_set_add(self->keys, hash), "reading %s", self->path);
    if (kind == OPEVO_OUTCOME_OK && !(json_number_value(json_object_get(entry, GFLOPS_KEY)) > 0))
        self->metric = false;
    note_criteria(self, entry);
    return OPEVO_OK;
}

static opevo_status read_entry(void *context, const char *key, json_t *entry, size_t line,
                               opevo_error *err)
{
    reader *self = context;
    opevo_status status = OPEVO_OK;
    opevo_i_landscape_row row = {.kind = OPEVO_OUTCOME_OK, .time_s = NAN};

    row.kind = find_kind(self, entry);
    OPEVO_TRY(inspect(self, key, entry, row.kind, err));
    if (self->repeats) /* malformed, which a parser of the whole will say */
        return OPEVO_OK;
    OPEVO_TRY(read_values(self, key, entry, line, err));
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

/* ---- The file ------------------------------------------------------------------------------- */

static bool is_cache(const json_t *root)
{
    return json_is_array(json_object_get(root, "tune_params_keys")) &&
           json_is_object(json_object_get(root, "cache"));
}

/* The space, which the text outside the cache describes; *is: it is that of a cache. */
static opevo_status read_outline(reader *self, const char *space, bool *is, opevo_error *err)
{
    opevo_text outline = {0};
    json_t *root = NULL;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_landscape_kernel_tuner_stream(self->path, &outline, NULL, NULL, is, err));
    OPEVO_TRY(opevo_text_check(&outline, err));
    if (*is)
        root = json_loadb(outline.data, outline.length, JSON_REJECT_DUPLICATES, NULL);
    *is = is_cache(root);
    if (*is)
        OPEVO_TRY(opevo_i_landscape_recording_begin_as(self->recording, root, outline.data,
                                                       self->path, space, err));
cleanup:
    json_decref(root);
    opevo_text_free(&outline);
    return status;
}

/* The meaning of fitness, and the places of the criteria, where they differ from what the rows were
 * read with. */
static opevo_status settle(reader *self, opevo_error *err)
{
    opevo_i_landscape_recording *recording = self->recording;
    opevo_i_row_store *read = recording->rows;
    bool shifts = !self->observed.names[0] && self->observed.names[1];
    size_t ignored = recording->ignored;
    bool room = true;

    if (self->metric && !shifts)
        return opevo_i_landscape_observed_begin(&self->observed, recording, err);
    recording->rows = NULL;
    room = opevo_i_landscape_recording_restart(recording);
    recording->ignored = ignored;
    for (size_t i = 0; room && i < opevo_i_row_store_count(read); i++) {
        opevo_i_landscape_row row = opevo_i_row_store_get(read, i);

        if (!self->metric && row.kind == OPEVO_OUTCOME_OK)
            row.fitness = 1 / row.time_s;
        if (shifts) {
            row.more[0] = row.more[1];
            row.more[1] = NAN;
        }
        room = opevo_i_row_store_add(recording->rows, opevo_i_row_store_point(read, i), &row);
    }
    opevo_i_row_store_destroy(read);
    OPEVO_NEED_OR_RETURN(room, "reading %s", self->path);
    return opevo_i_landscape_observed_begin(&self->observed, recording, err);
}

/* All entries; again, where the first ones were read by a name that another one replaced. */
static opevo_status read_entries(reader *self, bool *is, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    do {
        self->metric = true;
        self->again = false;
        opevo_index_set_destroy(self->keys);
        self->keys = opevo_index_set_create();
        OPEVO_NEED_OR_RETURN(self->keys && opevo_i_landscape_recording_restart(self->recording),
                             "reading %s", self->path);
        OPEVO_TRY(
            opevo_i_landscape_kernel_tuner_stream(self->path, NULL, read_entry, self, is, err));
        *is = *is && !self->repeats;
        if (!*is)
            goto cleanup;
    } while (self->again);
    if (opevo_index_set_count(self->keys))
        status = settle(self, err);
    else
        status = OPEVO_FAIL(err, OPEVO_INVALID, "%s: the cache has no configurations.", self->path);
cleanup:
    return status;
}

opevo_status opevo_i_landscape_kernel_tuner_cache_read(opevo_i_landscape_recording *recording,
                                                       const char *path, const char *space,
                                                       const char **unit, bool *is,
                                                       opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    reader self = {.recording = recording, .path = path};

    recording->path = path;
    recording->restricts = true;
    OPEVO_TRY(read_outline(&self, space, is, err));
    if (!*is)
        goto cleanup;
    self.names = recording->names;
    self.name_count = recording->name_count;
    OPEVO_NEW(self.values, self.name_count, "%s", path);
    OPEVO_TRY(read_entries(&self, is, err));
    *unit = self.metric ? "GFLOP/s" : "1/s";
cleanup:
    for (size_t i = 0; i < OPEVO_I_OBSERVED_COUNT; i++)
        json_decref(self.noted[i]);
    opevo_index_set_destroy(self.keys);
    opevo_free(self.values);
    return status;
}
