/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Harness files: reading them whole. */

#include "kernel_harness_internal.h"

#include <opevo/file.h>
#include <opevo/hash.h>
#include <opevo/memory.h>
#include <opevo/text.h>

#include <string.h>

enum { FILE_LIMIT = 1 << 22 };

static opevo_status set_reference(opevo_harness *harness, opevo_error *err)
{
    json_t *reference = json_object_get(harness->root, "reference");
    const char *file = json_string_value(reference);

    if (!reference || json_is_object(reference))
        return OPEVO_OK;
    if (!file || !*file)
        return opevo_i_harness_fail(harness, err, "reference",
                                    "The path of a module, or an object with \"file\", "
                                    "\"computation\" or \"files\" is expected.");
    harness->reference_kind = OPEVO_REFERENCE_MODULE;
    return opevo_i_harness_path(harness, file, &harness->reference, err);
}

static opevo_status keep_values(opevo_harness *harness, const opevo_harness_values *values,
                                opevo_error *err)
{
    size_t count = values ? values->count : 0;
    char **names = opevo_calloc(count + 1, sizeof *names);
    int64_t *numbers = opevo_calloc(count + 1, sizeof *numbers);
    bool complete = names && numbers;

    harness->values = (opevo_harness_values){.name = (const char *const *)names, .value = numbers};
    for (size_t i = 0; complete && i < count; i++) {
        names[i] = opevo_strdup(values->name[i]);
        numbers[i] = values->value[i];
        complete = names[i] != NULL;
        harness->values.count += complete;
    }
    return complete ? OPEVO_OK
                    : OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read %s.", harness->path);
}

/* Every expression has a value in every case; loops by a flag are walked through once. */
static opevo_status launch_nothing(void *context, const opevo_grid_launch *launch,
                                   opevo_evaluation *out, opevo_error *err)
{
    (void)context, (void)launch, (void)out, (void)err;
    return OPEVO_OK;
}

static const opevo_player nobody = {.launch = launch_nothing, .takes_local = true};

static opevo_status try_case(const opevo_harness *harness, const opevo_i_harness_case_plan *plan,
                             const opevo_harness_values *values, const opevo_player *player,
                             opevo_error *err)
{
    opevo_evaluation ignored = {0};
    opevo_status status = OPEVO_OK;
    opevo_case *self = opevo_calloc(1, sizeof *self);

    OPEVO_NEED_OR_RETURN(self, "reading %s", harness->path);
    self->harness = harness;
    OPEVO_TRY(opevo_i_harness_case_lay_out(self, plan, values, err));
    for (size_t i = 0; i < harness->buffer_count; i++)
        OPEVO_TRY(opevo_i_harness_case_fill_check(self, i, err));
    OPEVO_TRY(opevo_case_play(self, player, &ignored, err)); /* flags without data read as 0 */
cleanup:
    opevo_case_close(self);
    return status;
}

opevo_status opevo_harness_check(const opevo_harness *harness, const opevo_harness_values *values,
                                 opevo_error *err)
{
    return opevo_harness_launches(harness, values, &nobody, err);
}

opevo_status opevo_harness_launches(const opevo_harness *harness,
                                    const opevo_harness_values *values, const opevo_player *player,
                                    opevo_error *err)
{
    return try_case(harness, &harness->cases[OPEVO_SET_TUNE][0], values, player, err);
}

static opevo_status read_members(opevo_harness *harness, opevo_error *err)
{
    static const char *const known[] = {
        "about",   "buffers", "bytes",     "compiler", "default", "macros", "derived", "flop",
        "outputs", "races",   "reference", "sets",     "steps",   "tune",   "judge",   NULL};
    static const opevo_json_field fields[] = {OPEVO_JSON_FIELD(opevo_harness, derived, OBJECT)};
    const opevo_json_reader root = {.origin = harness->path, .value = harness->root};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_json_keys(&root, known, "an object", err));
    OPEVO_TRY(opevo_json_read_some(&root, fields, 1, harness, err));
    OPEVO_TRY(set_reference(harness, err));
    OPEVO_TRY(opevo_i_harness_buffers(harness, &root, err));
    OPEVO_TRY(opevo_i_harness_steps(harness, &root, err));
    OPEVO_TRY(opevo_i_harness_sets(harness, &root, err));
    OPEVO_TRY(opevo_i_harness_tuning(harness, &root, err));
    for (opevo_harness_set set = 0; set < OPEVO_HARNESS_SETS; set++) {
        for (size_t i = 0; i < harness->case_count[set]; i++)
            OPEVO_TRY(try_case(harness, &harness->cases[set][i], &harness->values, &nobody, err));
    }
cleanup:
    return status;
}

opevo_status opevo_harness_parse(const char *path, const char *text, size_t size,
                                 opevo_harness **out, opevo_error *err)
{
    return opevo_harness_parse_with(path, text, size, NULL, out, err);
}

opevo_status opevo_harness_parse_with(const char *path, const char *text, size_t size,
                                      const opevo_harness_values *values, opevo_harness **out,
                                      opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_harness *harness = opevo_calloc(1, sizeof *harness);

    if (harness)
        harness->path = opevo_strdup(path);
    if (!harness || !harness->path) {
        opevo_free(harness);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read %s.", path);
    }
    harness->hash = opevo_hash_bytes(OPEVO_HASH_START, text, size);
    OPEVO_TRY(keep_values(harness, values, err));
    OPEVO_TRY(opevo_json_parse(path, text, size, &harness->root, err));
    OPEVO_TRY(read_members(harness, err));
    *out = harness;
    harness = NULL; /* handed over */
cleanup:
    opevo_harness_destroy(harness);
    return status;
}

opevo_status opevo_harness_load(const char *path, opevo_harness **out, opevo_error *err)
{
    char *text = NULL;
    size_t size = 0;
    opevo_status status = opevo_file_read(path, FILE_LIMIT, &text, &size, err);

    if (status == OPEVO_OK)
        status = opevo_harness_parse(path, text, size, out, err);
    opevo_free(text);
    return status;
}

void opevo_harness_destroy(opevo_harness *harness)
{
    if (!harness)
        return;
    for (opevo_harness_set set = 0; set < OPEVO_HARNESS_SETS; set++)
        opevo_free(harness->cases[set]);
    opevo_i_harness_forget(harness);
    opevo_i_harness_tuning_free(harness);
    opevo_i_harness_steps_free(harness->steps, harness->step_count);
    for (size_t i = 0; i < harness->buffer_count; i++)
        opevo_free(harness->buffers[i].file);
    opevo_free(harness->buffers);
    opevo_free(harness->racy);
    opevo_free(harness->reference);
    opevo_free(harness->path);
    json_decref(harness->root);
    opevo_free(harness);
}

uint64_t opevo_harness_hash(const opevo_harness *harness)
{
    return harness->hash;
}

const char *opevo_harness_reference(const opevo_harness *harness)
{
    return harness->reference;
}

const char *opevo_harness_racy_variable(const opevo_harness *harness, size_t i)
{
    return i < harness->racy_count ? harness->racy[i] : NULL;
}

size_t opevo_harness_case_count(const opevo_harness *harness, opevo_harness_set set)
{
    return harness->case_count[set];
}
