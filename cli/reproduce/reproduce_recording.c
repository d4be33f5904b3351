/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A recording: its points evaluated again, all of a computed one, a sample of a measured one. */

#include "reproduce_internal.h"

#include <opevo/file.h>
#include <opevo/json_read.h>
#include <opevo/memory.h>
#include <opevo/sha256.h>

#include <stdlib.h>
#include <string.h>

enum { SAMPLE = 20, WORDS_MOST = 512 };
#define TABLE_BYTES_MAX ((size_t)1 << 30)

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

/* "NAME.csv" beside "NAME.json", whole. */
static opevo_status read_table(const char *json, char **out, size_t *size, opevo_error *err)
{
    opevo_text path = {0};
    size_t length = strlen(json);
    opevo_status status = OPEVO_OK;

    opevo_text_printf(&path, "%.*s.csv", (int)(length - strlen(".json")), json);
    status = opevo_text_check(&path, err);
    if (status == OPEVO_OK)
        status = opevo_file_read(path.data, TABLE_BYTES_MAX, out, size, err);
    opevo_text_free(&path);
    return status;
}

static void check_table(opevo_i_cli_reproduced *self, const json_t *root, const char *table,
                        size_t size)
{
    char hash[OPEVO_SHA256_SIZE];

    opevo_sha256_of(table, size, hash);
    if (!json_object_get(root, "table_sha256")) {
        opevo_i_cli_reproduce_leave(self, "the recording is not finished");
    } else if (strcmp(hash, text_of(root, "table_sha256")) != 0) {
        self->result.differ++;
        opevo_text_add(
            &self->result.list,
            "its table was changed after opevo wrote it: it has another SHA-256 than its "
            "description says\n");
    }
}

/* The words of the command for another place, and of something measured for fewer points: the same
 * seed draws the same points first. */
static size_t make_words(const json_t *command, const char *out, const char *sample, bool measured,
                         const char **words)
{
    size_t made = 0;

    for (size_t i = 0; i < json_array_size(command); i++) {
        const char *word = json_string_value(json_array_get(command, i));
        bool is_out = word && !strcmp(word, "--out");
        bool is_sample = word && !strcmp(word, "--sample");

        if (is_out || (measured && is_sample))
            i++; /* and its value */
        else if (word && !(measured && !strcmp(word, "--all")) && made + 5 < WORDS_MOST)
            words[made++] = word;
    }
    words[made++] = "--out";
    words[made++] = out;
    if (measured) {
        words[made++] = "--sample";
        words[made++] = sample;
    }
    words[made++] = "--quiet";
    return made;
}

static const char *value_of(const json_t *command, const char *option)
{
    for (size_t i = 0; i + 1 < json_array_size(command); i++) {
        const char *word = json_string_value(json_array_get(command, i));

        if (word && !strcmp(word, option))
            return json_string_value(json_array_get(command, i + 1));
    }
    return NULL;
}

static opevo_status record(opevo_i_cli_reproduced *self, const json_t *command, bool measured,
                           char **out, json_t **description, opevo_error *err)
{
    const char *words[WORDS_MOST];
    const char *wanted = value_of(command, "--sample");
    opevo_text name = {0}, json = {0}, printed = {0};
    char sample[24];
    size_t size = 0, count = wanted ? (size_t)strtoull(wanted, NULL, 10) : SAMPLE;
    opevo_status status = OPEVO_OK;

    snprintf(sample, sizeof sample, "%zu", count < SAMPLE ? count : (size_t)SAMPLE);
    opevo_text_printf(&name, "%s/recording", self->scratch);
    opevo_text_printf(&json, "%s/recording.json", self->scratch);
    OPEVO_TRY(opevo_text_check(&name, err));
    OPEVO_TRY(opevo_text_check(&json, err));
    count = make_words(command, name.data, sample, measured, words);
    OPEVO_TRY(opevo_i_cli_reproduce_run(self, words, count, &printed, err));
    self->repeated++;
    OPEVO_TRY(read_table(json.data, out, &size, err));
    OPEVO_TRY(opevo_json_load(json.data, TABLE_BYTES_MAX, description, err));
cleanup:
    opevo_text_free(&name);
    opevo_text_free(&json);
    opevo_text_free(&printed);
    return status;
}

/* The descriptions but for the name, and of a sample without what is of its rows. */
static opevo_status compare_descriptions(opevo_i_cli_reproduced *self, const json_t *stated,
                                         const json_t *found, bool is_sample, opevo_error *err)
{
    static const char *const own[] = {"name", "table_sha256", "program"};
    static const char *const of_rows[] = {"rows", "valid", "status_counts", "best"};
    json_t *sides[] = {json_copy((json_t *)stated), json_copy((json_t *)found)};
    char *texts[] = {NULL, NULL};
    opevo_status status = OPEVO_OK;

    for (size_t side = 0; side < 2; side++) {
        for (size_t i = 0; i < sizeof own / sizeof *own; i++)
            json_object_del(sides[side], own[i]);
        for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows && is_sample; i++)
            json_object_del(sides[side], of_rows[i]);
        texts[side] = sides[side] ? json_dumps(sides[side], JSON_COMPACT) : NULL;
        json_decref(sides[side]);
    }
    status = texts[0] && texts[1]
                 ? opevo_reproduction_compare(&self->result, texts[0], strlen(texts[0]), texts[1],
                                              strlen(texts[1]), self->exactly, err)
                 : OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to compare descriptions.");
    free(texts[0]); /* Jansson's */
    free(texts[1]);
    return status;
}

/* What cannot be repeated at all, as the end of a sentence; NULL: nothing. */
static const char *why_not(const opevo_i_cli_reproduced *self, const json_t *command,
                           bool *measured)
{
    const char *on = value_of(command, "--on");
    const char *verb = json_string_value(json_array_get(command, 0));

    if (!verb || strcmp(verb, "record") != 0)
        return "its command is not that of a recording";
    for (size_t i = 0; i < json_array_size(command); i++) {
        const char *word = json_string_value(json_array_get(command, i));

        if (word && !strcmp(word, "--merge"))
            return "it was merged from shares; reproduce those";
        if (word && !strcmp(word, "--from"))
            return "it has the trials of a run; reproduce the command that made the run";
    }
    *measured = !on || !opevo_i_cli_reproduce_is_computed(on);
    return *measured && !self->measures ? "it was measured; --measure measures a sample again"
                                        : NULL;
}

opevo_status opevo_i_cli_reproduce_recording(opevo_i_cli_reproduced *self, const json_t *root,
                                             opevo_error *err)
{
    const json_t *command = json_object_get(json_object_get(root, "manifest"), "command");
    char *stated = NULL, *found = NULL;
    json_t *description = NULL;
    const char *why = NULL;
    size_t size = 0;
    bool good = true, measured = false, is_part = !json_object_get(root, "table_sha256");
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(read_table(self->path, &stated, &size, err));
    check_table(self, root, stated, size);
    OPEVO_TRY(opevo_i_cli_reproduce_enter(self, root, &good, err));
    why = why_not(self, command, &measured);
    if (why)
        opevo_i_cli_reproduce_leave(self, "%s", why);
    if (why || !good)
        goto cleanup;
    OPEVO_TRY(record(self, command, measured, &found, &description, err));
    OPEVO_TRY(opevo_reproduction_compare_tables(&self->result, stated, found, measured, measured,
                                                is_part, err));
    if (!is_part)
        OPEVO_TRY(compare_descriptions(self, root, description, measured, err));
cleanup:
    json_decref(description);
    opevo_free(stated);
    opevo_free(found);
    return status;
}
