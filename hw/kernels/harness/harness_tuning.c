/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The members of a harness file that only tuning asks for. */

#include "kernel_harness_internal.h"

#include <opevo/memory.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- The reference ---- */

static opevo_status read_source(opevo_harness *harness, const opevo_json_reader *at,
                                opevo_error *err)
{
    static const char *const known[] = {"file", "steps", NULL};
    opevo_json_reader steps = opevo_json_member(at, "steps");
    const char *file = json_string_value(json_object_get(at->value, "file"));
    opevo_status status = opevo_json_keys(at, known, "an object", err);

    if (status == OPEVO_OK && (!file || !*file))
        status = opevo_json_fail(at, err, "\"file\" must be the path of a file in C.");
    harness->reference_kind = OPEVO_REFERENCE_SOURCE;
    if (status == OPEVO_OK)
        status = opevo_i_harness_path(harness, file, &harness->reference, err);
    if (status == OPEVO_OK && steps.value)
        status = opevo_i_harness_read_steps(harness, &steps, &harness->reference_steps,
                                            &harness->reference_step_count, err);
    return status;
}

/* {"files": {BUFFER: PATH}} or {"values": {BUFFER: FILL}}, with an entry for each output. */
static opevo_status read_values(opevo_harness *harness, const opevo_json_reader *at, bool files,
                                opevo_error *err)
{
    opevo_json_reader member = opevo_json_member(at, files ? "files" : "values");
    opevo_status status = OPEVO_OK;

    harness->reference_kind = OPEVO_REFERENCE_FILES;
    OPEVO_NEW_OR_RETURN(harness->golden, harness->buffer_count + 1, "reading %s", harness->path);
    for (size_t b = 0; b < harness->buffer_count && status == OPEVO_OK; b++) {
        const opevo_i_harness_buffer_plan *buffer = &harness->buffers[b];
        opevo_i_harness_buffer_plan *golden = &harness->golden[b];
        opevo_json_reader entry = opevo_json_member(&member, buffer->name);
        const char *file = json_string_value(entry.value);

        golden->name = buffer->name;
        golden->element = buffer->element;
        if (files && file) {
            golden->fill = OPEVO_I_FILL_FILE;
            status = opevo_i_harness_path(harness, file, &golden->file, err);
        } else if (!files) {
            status = opevo_i_harness_read_fill(harness, &entry, golden, err);
        }
        if (status == OPEVO_OK && buffer->output && golden->fill == OPEVO_I_FILL_NONE)
            status = opevo_json_fail(&member, err, "The %s of the output %.60s is missing.",
                                     files ? "path of a file" : "fill", buffer->name);
    }
    return status;
}

static opevo_status read_reference(opevo_harness *harness, const opevo_json_reader *root,
                                   opevo_error *err)
{
    opevo_json_reader at = opevo_json_member(root, "reference");

    if (!json_is_object(at.value))
        return OPEVO_OK;
    if (json_object_get(at.value, "file"))
        return read_source(harness, &at, err);
    if (json_object_get(at.value, "files") || json_object_get(at.value, "values"))
        return read_values(harness, &at, json_object_get(at.value, "files") != NULL, err);
    harness->computation = json_string_value(json_object_get(at.value, "computation"));
    if (!harness->computation || json_object_size(at.value) != 1)
        return opevo_json_fail(&at, err,
                               "One of \"file\", \"computation\", \"files\" and \"values\" is "
                               "expected.");
    harness->reference_kind = OPEVO_REFERENCE_COMPUTATION;
    return OPEVO_OK;
}

opevo_harness_reference_kind opevo_harness_reference_kind_of(const opevo_harness *harness)
{
    return harness->reference_kind;
}

const char *opevo_harness_computation(const opevo_harness *harness)
{
    return harness->computation;
}

unsigned opevo_harness_runs(const opevo_harness *harness)
{
    return harness->runs;
}

/* ---- The case that is timed ---- */

/* Its names with these values; the caller closes it. */
static opevo_status lay_out(const opevo_harness *harness, const opevo_harness_values *values,
                            opevo_case **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_case *self = opevo_calloc(1, sizeof *self);

    OPEVO_NEED_OR_RETURN(self, "a case of %s", harness->path);
    self->harness = harness;
    status = opevo_i_harness_case_lay_out(self, &harness->cases[OPEVO_SET_TUNE][0],
                                          values ? values : &harness->values, err);
    if (status == OPEVO_OK)
        *out = self;
    else
        opevo_case_close(self);
    return status;
}

opevo_status opevo_harness_rate_of(const opevo_harness *harness, opevo_harness_rate *out,
                                   opevo_error *err)
{
    json_t *expression = harness->flop ? harness->flop : harness->bytes;
    opevo_case *what = NULL;
    int64_t amount = 0;
    opevo_status status = OPEVO_OK;

    *out = (opevo_harness_rate){.unit = "ms"};
    if (!expression)
        return OPEVO_OK;
    status = lay_out(harness, NULL, &what, err);
    if (status == OPEVO_OK)
        status =
            opevo_i_harness_value(harness, expression, &what->names,
                                  harness->flop ? "flop" : "bytes", 1, INT64_MAX, &amount, err);
    if (status == OPEVO_OK)
        *out = (opevo_harness_rate){harness->flop ? "GFLOP/s" : "GB/s", (double)amount};
    opevo_case_close(what);
    return status;
}

opevo_status opevo_harness_buffers_at(const opevo_harness *harness,
                                      const opevo_harness_values *values, opevo_buffer *out,
                                      opevo_error *err)
{
    opevo_case *what = NULL;
    opevo_status status = lay_out(harness, values, &what, err);

    if (status == OPEVO_OK)
        memcpy(out, what->buffers, harness->buffer_count * sizeof *out);
    opevo_case_close(what);
    return status;
}

opevo_harness_tolerance opevo_harness_tolerance_of(const opevo_harness *harness, size_t buffer)
{
    const opevo_i_harness_buffer_plan *plan = &harness->buffers[buffer];

    return (opevo_harness_tolerance){.relative = plan->tolerance == OPEVO_I_RELATIVE,
                                     .summed = plan->tolerance == OPEVO_I_SUMMED,
                                     .any = plan->tolerance == OPEVO_I_ANY,
                                     .bound = plan->bound,
                                     .floor = plan->floor};
}

bool opevo_harness_defines_macros(const opevo_harness *harness)
{
    return !harness->plain;
}

/* ---- Words for the compiler ---- */

/* A word in which {EXPRESSION} stands for its value. */
static opevo_status add_word(const opevo_case *what, const char *word, opevo_text *out,
                             opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (const char *at = word; *at && status == OPEVO_OK; at++) {
        const char *end = *at == '{' ? strchr(at, '}') : NULL;
        char text[256];
        int64_t value = 0;

        if (!end || (size_t)(end - at) > sizeof text) {
            opevo_text_add_bytes(out, at, 1);
            continue;
        }
        memcpy(text, at + 1, (size_t)(end - at - 1));
        text[end - at - 1] = '\0';
        status =
            opevo_i_harness_size_evaluate(text, &what->names, what->harness->path, &value, err);
        opevo_text_printf(out, "%lld", (long long)value);
        at = end;
    }
    opevo_text_add(out, "\n");
    return status;
}

/* A word, or {"if": EXPRESSION, "then": WORD or WORDS}. */
static opevo_status add_words(const opevo_case *what, const json_t *entry, opevo_text *out,
                              opevo_error *err)
{
    const json_t *then = json_is_object(entry) ? json_object_get(entry, "then") : entry;
    int64_t wanted = 1;
    opevo_status status = OPEVO_OK;

    if (json_is_object(entry))
        status = opevo_i_harness_value(what->harness, json_object_get(entry, "if"), &what->names,
                                       "compiler.if", INT64_MIN, INT64_MAX, &wanted, err);
    for (size_t i = 0; wanted && status == OPEVO_OK && i < opevo_json_text_count(then); i++)
        status = add_word(what, opevo_json_text_at(then, i), out, err);
    return status;
}

opevo_status opevo_harness_compiler(const opevo_harness *harness,
                                    const opevo_harness_values *values, opevo_text *out,
                                    opevo_error *err)
{
    opevo_case *what = NULL;
    opevo_status status = OPEVO_OK;

    if (!harness->compiler)
        return OPEVO_OK;
    status = lay_out(harness, values, &what, err);
    for (size_t i = 0; status == OPEVO_OK && i < json_array_size(harness->compiler); i++)
        status = add_words(what, json_array_get(harness->compiler, i), out, err);
    opevo_case_close(what);
    return status == OPEVO_OK ? opevo_text_check(out, err) : status;
}

static bool is_word(const json_t *value)
{
    const char *word = json_string_value(value);

    return word && *word && !strpbrk(word, "\n\r");
}

static opevo_status check_compiler(const opevo_json_reader *at, opevo_error *err)
{
    if (at->value && !json_is_array(at->value))
        return opevo_json_fail(at, err, "An array of words for the compiler is expected.");
    for (size_t i = 0; i < json_array_size(at->value); i++) {
        const json_t *entry = json_array_get(at->value, i);
        const json_t *then = json_object_get(entry, "then");
        bool good =
            is_word(entry) || (json_object_get(entry, "if") && json_object_size(entry) == 2 &&
                               (is_word(then) || json_is_array(then)));

        for (size_t k = 0; k < json_array_size(then); k++)
            good = good && is_word(json_array_get(then, k));
        if (!good)
            return opevo_json_fail(at, err,
                                   "Entry %zu is neither a word nor {\"if\": expression, "
                                   "\"then\": words}.",
                                   i);
    }
    return OPEVO_OK;
}

/* ---- A judge ---- */

static opevo_status read_judge(opevo_harness *harness, const opevo_json_reader *root,
                               opevo_error *err)
{
    typedef struct judge {
        json_t *baselines;
        uint64_t rounds, calls;
        double timeout;
    } judge;
    static const opevo_json_field fields[] = {
        OPEVO_JSON_FIELD(judge, baselines, TEXTS, .least = 1),
        OPEVO_JSON_FIELD(judge, rounds, WHOLE, .least = 1, .most = OPEVO_HARNESS_ROUNDS),
        OPEVO_JSON_FIELD(judge, calls, WHOLE, .least = 1, .most = OPEVO_HARNESS_CALLS),
        OPEVO_JSON_FIELD(judge, timeout, NUMBER, .is_open = true, .least = 0, .unit = "seconds")};
    const opevo_json_reader at = opevo_json_member(root, "judge");
    judge said = {.baselines = NULL};
    opevo_status status =
        at.value ? opevo_json_read(&at, fields, sizeof fields / sizeof *fields, &said, err)
                 : OPEVO_OK;

    harness->baselines = said.baselines;
    harness->judging = (opevo_harness_judging){said.rounds, said.calls, said.timeout};
    return status;
}

opevo_harness_judging opevo_harness_judging_of(const opevo_harness *harness)
{
    return harness->judging;
}

opevo_status opevo_harness_baseline(const opevo_harness *harness, size_t i, char **out,
                                    opevo_error *err)
{
    *out = NULL;
    if (!harness->baselines || i >= opevo_json_text_count(harness->baselines))
        return OPEVO_OK;
    return opevo_i_harness_path(harness, opevo_json_text_at(harness->baselines, i), out, err);
}

/* ---- All of them ---- */

opevo_status opevo_i_harness_tuning(opevo_harness *harness, const opevo_json_reader *root,
                                    opevo_error *err)
{
    static const opevo_json_field fields[] = {
        OPEVO_JSON_FIELD(opevo_harness, flop, ANY),
        OPEVO_JSON_FIELD(opevo_harness, bytes, ANY),
        OPEVO_JSON_FIELD(opevo_harness, compiler, LIST),
        {"default", OPEVO_JSON_OBJECT, .offset = offsetof(opevo_harness, default_point)}};
    const json_t *macros = json_object_get(root->value, "macros");
    opevo_json_reader macro = opevo_json_member(root, "macros");
    opevo_json_reader compiler = opevo_json_member(root, "compiler");
    opevo_json_reader bytes = opevo_json_member(root, "bytes");
    opevo_harness_rate rate;
    opevo_text words = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_json_read_some(root, fields, 4, harness, err));
    if (macros && !json_is_boolean(macros))
        return opevo_json_fail(&macro, err, "true or false is expected.");
    harness->plain = json_is_false(macros);
    OPEVO_TRY(check_compiler(&compiler, err));
    OPEVO_TRY(read_reference(harness, root, err));
    OPEVO_TRY(read_judge(harness, root, err));
    if (harness->flop && harness->bytes)
        return opevo_json_fail(&bytes, err, "Give \"flop\" or \"bytes\", not both.");
    if (harness->case_count[OPEVO_SET_TUNE]) {
        OPEVO_TRY(opevo_harness_rate_of(harness, &rate, err));
        OPEVO_TRY(opevo_harness_compiler(harness, NULL, &words, err));
    }
cleanup:
    opevo_text_free(&words);
    return status;
}

void opevo_i_harness_tuning_free(opevo_harness *harness)
{
    opevo_i_harness_steps_free(harness->reference_steps, harness->reference_step_count);
    for (size_t b = 0; harness->golden && b < harness->buffer_count; b++)
        opevo_free(harness->golden[b].file);
    opevo_free(harness->golden);
    for (size_t i = 0; i < harness->values.count; i++)
        opevo_free((char *)harness->values.name[i]);
    opevo_free((void *)harness->values.name);
    opevo_free((void *)harness->values.value);
}
