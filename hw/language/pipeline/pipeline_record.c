/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Steps as TVM records them: each is an array of its name, its stage and its operands. One step of
 * TVM is one step here, so that follow_split and follow_fused_split find the steps that they
 * name. */

#include "pipeline_internal.h"

#include <opevo/json.h>
#include <opevo/memory.h>
#include <opevo/tvm_log.h>

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Operands behind the stage: i an integer, I an array of them, e the extent of the loop before
 * it, o whether a split gives inner lengths, a an annotation, u a loop and the pragma that unrolls,
 * c a scope. */
typedef struct record_row {
    const char *name;
    opevo_pipeline_step_kind kind;
    const char *operands;
} record_row;

static const record_row rows[] = {
    {"AN", OPEVO_PIPELINE_ANNOTATE, "ia"},
    {"FU", OPEVO_PIPELINE_FUSE, "I"},
    {"PR", OPEVO_PIPELINE_AUTO_UNROLL, "-u"},
    {"RE", OPEVO_PIPELINE_REORDER, "I"},
    {"SP", OPEVO_PIPELINE_SPLIT, "ieIo"},
    {"FSP", OPEVO_PIPELINE_FOLLOW_SPLIT, "iii"},
    {"FFSP", OPEVO_PIPELINE_FOLLOW_FUSED_SPLIT, "iIii"},
    {"CA", OPEVO_PIPELINE_COMPUTE_AT, "ii"},
    {"CI", OPEVO_PIPELINE_COMPUTE_INLINE, ""},
    {"CR", OPEVO_PIPELINE_COMPUTE_ROOT, ""},
    {"CHR", OPEVO_PIPELINE_CACHE_READ, "cI"},
    {"CHW", OPEVO_PIPELINE_CACHE_WRITE, "c"},
    {"RF", OPEVO_PIPELINE_RFACTOR, "ii"},
    {"SA", OPEVO_PIPELINE_STORAGE_ALIGN, "iii"},
};

enum { ROWS = sizeof rows / sizeof *rows };

/* By TVM's number. */
static const opevo_annotation annotations[] = {
    OPEVO_ANNOTATION_SERIAL,   OPEVO_ANNOTATION_UNROLL,  OPEVO_ANNOTATION_VECTORIZE,
    OPEVO_ANNOTATION_PARALLEL, OPEVO_ANNOTATION_VTHREAD, OPEVO_ANNOTATION_BLOCK_X,
    OPEVO_ANNOTATION_THREAD_X, OPEVO_ANNOTATION_BLOCK_Y, OPEVO_ANNOTATION_THREAD_Y,
    OPEVO_ANNOTATION_BLOCK_Z,  OPEVO_ANNOTATION_THREAD_Z};

enum { ANNOTATIONS = sizeof annotations / sizeof *annotations, TENSORIZE = ANNOTATIONS };

/* By the number of the scope: `packed` memory is TVM's global. */
static const char *const scopes[OPEVO_SCOPE_COUNT] = {"", "global", "shared", "local"};

static const char unrolling[] = "auto_unroll_max_step$";

/* ---- Reading ---- */

static opevo_status add_number(opevo_pipeline_step *step, const json_t *json, opevo_error *err)
{
    if (!json_is_integer(json))
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s",
                          json_is_null(json) ? "A length is left open: null."
                                             : "An integer is missing.");
    if (step->count == OPEVO_PIPELINE_NUMBERS)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "A step has at most %d numbers.",
                          OPEVO_PIPELINE_NUMBERS);
    step->number[step->count++] = json_integer_value(json);
    return OPEVO_OK;
}

static opevo_status add_numbers(opevo_pipeline_step *step, const json_t *json, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    if (json_array_size(json) == 0)
        return OPEVO_FAIL(err, OPEVO_INVALID, "An array of integers is missing.");
    for (size_t i = 0; i < json_array_size(json) && status == OPEVO_OK; i++)
        status = add_number(step, json_array_get(json, i), err);
    return status;
}

static opevo_status add_annotation(opevo_pipeline_step *step, const json_t *json, opevo_error *err)
{
    json_int_t number = json_is_integer(json) ? json_integer_value(json) : -1;

    if (number == TENSORIZE)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Annotation 11, tensorize, is not supported.");
    if (number < 0 || number >= ANNOTATIONS)
        return OPEVO_FAIL(err, OPEVO_INVALID, "An annotation is a number from 0 to %d.",
                          ANNOTATIONS - 1);
    step->number[step->count++] = annotations[number];
    return OPEVO_OK;
}

static opevo_status set_pragma(opevo_pipeline_step *step, const json_t *json, opevo_error *err)
{
    const char *text = json_is_string(json) ? json_string_value(json) : "";

    step->count = 1;
    if (strncmp(text, unrolling, sizeof unrolling - 1) != 0 ||
        !opevo_parse_i64(text + sizeof unrolling - 1, &step->number[0]))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "The pragma '%.60s' is not supported; auto_unroll_max_step$N is.", text);
    return OPEVO_OK;
}

static opevo_status add_scope(opevo_pipeline_step *step, const json_t *json, opevo_error *err)
{
    const char *text = json_is_string(json) ? json_string_value(json) : "";

    for (int i = OPEVO_SCOPE_GLOBAL + 1; i < OPEVO_SCOPE_COUNT; i++) {
        if (strcmp(text, scopes[i]) == 0) {
            step->number[step->count++] = i;
            return OPEVO_OK;
        }
    }
    return OPEVO_FAIL(err, OPEVO_INVALID,
                      "The scope '%.60s' is not supported; global, shared and local are.", text);
}

static opevo_status set_direction(opevo_pipeline_step *step, const json_t *json, opevo_error *err)
{
    bool inner = json_is_true(json) || (json_is_integer(json) && json_integer_value(json) == 1);

    if (!inner && !json_is_false(json) && !(json_is_integer(json) && json_integer_value(json) == 0))
        return OPEVO_FAIL(err, OPEVO_INVALID, "Whether lengths are inner ones is 0 or 1.");
    step->kind = inner ? OPEVO_PIPELINE_SPLIT : OPEVO_PIPELINE_SPLIT_OUTER;
    return OPEVO_OK;
}

/* TVM writes the extent of the loop, 0 where it is not known. That of a stage computed at a loop is
 * of its part. */
static opevo_status check_extent(const opevo_pipeline *self, const opevo_pipeline_step *step,
                                 const json_t *json, opevo_error *err)
{
    json_int_t recorded = json_is_integer(json) ? json_integer_value(json) : 0;
    const opevo_i_pipeline_stage *stage = opevo_i_pipeline_at(self, step->stage);
    int64_t loop = step->number[0];

    if (!json_is_integer(json) && !json_is_null(json))
        return OPEVO_FAIL(err, OPEVO_INVALID, "The extent of a loop is missing.");
    if (recorded && stage->place != OPEVO_PLACE_AT && loop >= 0 && loop < stage->own.loops &&
        stage->own.loop[loop].extent != recorded)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "It splits a loop of %lld iterations, but %s of %s has %lld.",
                          (long long)recorded, stage->own.loop[loop].name, stage->name,
                          (long long)stage->own.loop[loop].extent);
    return OPEVO_OK;
}

/* loop, steps..., level, inner: loop, level, inner, steps... */
static void move_steps_last(opevo_pipeline_step *step)
{
    int steps = step->count - 3;
    int64_t last[2] = {step->number[step->count - 2], step->number[step->count - 1]};

    memmove(&step->number[3], &step->number[1], (size_t)steps * sizeof *step->number);
    step->number[1] = last[0];
    step->number[2] = last[1];
}

static opevo_status read_operand(const opevo_pipeline *self, char kind, const json_t *json,
                                 opevo_pipeline_step *step, opevo_error *err)
{
    switch (kind) {
    case 'i':
        return add_number(step, json, err);
    case 'I':
        return add_numbers(step, json, err);
    case 'a':
        return add_annotation(step, json, err);
    case 'c':
        return add_scope(step, json, err);
    case 'e':
        return check_extent(self, step, json, err);
    case 'o':
        return set_direction(step, json, err);
    case 'u':
        return set_pragma(step, json, err);
    default: /* a pragma is one of its stage, whatever its loop */
        return json_is_integer(json)
                   ? OPEVO_OK
                   : OPEVO_FAIL(err, OPEVO_INVALID, "The number of a loop is missing.");
    }
}

static opevo_status read_step(opevo_pipeline *self, const json_t *json, opevo_error *err)
{
    const char *name = json_string_value(json_array_get(json, 0));
    const json_t *stage = json_array_get(json, 1);
    opevo_pipeline_step step = {0};
    const record_row *row = rows;
    opevo_status status = OPEVO_OK;

    if (!name)
        return OPEVO_FAIL(err, OPEVO_INVALID, "A step is an array that begins with its name.");
    while (row < rows + ROWS && strcmp(row->name, name) != 0)
        row++;
    if (row == rows + ROWS)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Unknown step '%.60s'.", name);
    if (json_array_size(json) != 2 + strlen(row->operands))
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s has %zu elements, not %zu.", row->name,
                          2 + strlen(row->operands), json_array_size(json));
    if (!json_is_integer(stage) || json_integer_value(stage) < 0 ||
        json_integer_value(stage) >= self->stages)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s names none of the stages 0 to %d.", row->name,
                          self->stages - 1);
    step.kind = row->kind;
    step.stage = (int)json_integer_value(stage);
    for (size_t i = 0; row->operands[i] && status == OPEVO_OK; i++)
        status = read_operand(self, row->operands[i], json_array_get(json, i + 2), &step, err);
    if (status != OPEVO_OK)
        return status;
    if (row->kind == OPEVO_PIPELINE_FOLLOW_FUSED_SPLIT)
        move_steps_last(&step);
    return opevo_pipeline_apply(self, &step, err);
}

/* The step list of a record, or the list itself. */
static opevo_status find_steps(const json_t *json, const json_t **out, opevo_error *err)
{
    *out = json;
    if (json_is_object(json))
        *out = json_array_get(json_array_get(json_object_get(json, "i"), 1), 1);
    return json_is_array(*out)
               ? OPEVO_OK
               : OPEVO_FAIL(err, OPEVO_INVALID, "A record has its steps in \"i\"[1][1].");
}

/* "r": [[costs], error, ...] */
static opevo_status read_result(const json_t *json, opevo_record *out, opevo_error *err)
{
    const json_t *result = json_object_get(json, "r");
    const json_t *costs = json_array_get(result, 0);
    const json_t *error = json_array_get(result, 1);
    double sum = 0;

    out->cost_s = NAN;
    if (!result)
        return OPEVO_OK;
    if (!json_is_array(costs) || !json_is_integer(error) || json_integer_value(error) < 0 ||
        json_integer_value(error) > 1000)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "\"r\" begins with an array of costs and the number of an error.");
    out->error = (int)json_integer_value(error);
    for (size_t i = 0; i < json_array_size(costs); i++) {
        const json_t *cost = json_array_get(costs, i);

        if (!json_is_number(cost) || json_number_value(cost) < 0)
            return OPEVO_FAIL(err, OPEVO_INVALID, "A cost is a number of seconds.");
        sum += json_number_value(cost);
    }
    if (!out->error && json_array_size(costs))
        out->cost_s = sum / (double)json_array_size(costs);
    return OPEVO_OK;
}

opevo_status opevo_record_read(const opevo_computation *computation, const char *text,
                               const char *origin, opevo_record *out, opevo_error *err)
{
    json_error_t where;
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &where);
    opevo_tvm_log log = opevo_tvm_log_of(text);
    const json_t *steps = NULL;
    opevo_pipeline *pipeline = NULL;
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = OPEVO_OK;

    *out = (opevo_record){.cost_s = NAN};
    if (log != OPEVO_TVM_LOG_OTHER && log != OPEVO_TVM_LOG_ANSOR) {
        json_decref(json);
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s: %s.", origin, opevo_tvm_log_advice(log));
    }
    if (!json)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s: This is not JSON: %s.", origin, where.text);
    status = find_steps(json, &steps, &inner);
    if (status == OPEVO_OK)
        status = read_result(json, out, &inner);
    if (status == OPEVO_OK)
        status = opevo_pipeline_create(computation, &pipeline, &inner);
    if (status != OPEVO_OK)
        OPEVO_FAIL(err, status, "%s: %s", origin, inner.message);
    for (size_t i = 0; status == OPEVO_OK && i < json_array_size(steps); i++) {
        status = read_step(pipeline, json_array_get(steps, i), &inner);
        if (status != OPEVO_OK)
            OPEVO_FAIL(err, status, "%s: Step %zu: %s", origin, i, inner.message);
    }
    if (status == OPEVO_OK)
        out->pipeline = pipeline;
    else
        opevo_pipeline_destroy(pipeline);
    json_decref(json);
    return status;
}

/* ---- Writing ---- */

static void add_integer(opevo_text *out, int64_t number)
{
    opevo_json_next(out, "");
    opevo_text_printf(out, "%lld", (long long)number);
}

static void add_array(opevo_text *out, const int64_t *number, int count)
{
    opevo_json_open_next(out, "", "[");
    for (int i = 0; i < count; i++)
        add_integer(out, number[i]);
    opevo_text_add(out, "]");
}

static opevo_status write_annotation(int64_t number, opevo_text *out, opevo_error *err)
{
    for (int i = 0; i < ANNOTATIONS; i++) {
        if ((int64_t)annotations[i] == number) {
            add_integer(out, i);
            return OPEVO_OK;
        }
    }
    return OPEVO_FAIL(err, OPEVO_INVALID, "TVM has no annotation like expand.");
}

static opevo_status write_step(const opevo_pipeline *self, const opevo_pipeline_step *step,
                               opevo_text *out, opevo_error *err)
{
    bool outer = step->kind == OPEVO_PIPELINE_SPLIT_OUTER;
    bool fused = step->kind == OPEVO_PIPELINE_FOLLOW_FUSED_SPLIT;
    const record_row *row = rows;
    int at = 0;

    while (row < rows + ROWS && row->kind != (outer ? OPEVO_PIPELINE_SPLIT : step->kind))
        row++;
    if (row == rows + ROWS)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "TVM has no steps like accumulate, layout and stream.");
    opevo_text_printf(out, "[\"%s\",%d", row->name, step->stage);
    for (const char *kind = row->operands; *kind; kind++) {
        int64_t number = at < step->count ? step->number[at] : 0;

        if (*kind == 'e') {
            add_integer(out,
                        opevo_i_pipeline_at(self, step->stage)->own.loop[step->number[0]].extent);
        } else if (*kind == 'o') {
            add_integer(out, !outer);
        } else if (*kind == '-') {
            add_integer(out, 0);
        } else if (*kind == 'u') {
            opevo_text_printf(out, ",\"%s%lld\"", unrolling, (long long)number);
        } else if (*kind == 'c') {
            /* The analyzer does not see that steps have all numbers that their rows name.
             * NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage) */
            opevo_text_printf(out, ",\"%s\"", scopes[step->number[at++]]);
        } else if (*kind == 'I' && fused) {
            add_array(out, &step->number[3], step->count - 3);
        } else if (*kind == 'I') {
            add_array(out, &step->number[at], step->count - at);
        } else if (*kind == 'i') {
            add_integer(out, number);
            at++;
        } else if (write_annotation(number, out, err) != OPEVO_OK) {
            return OPEVO_INVALID;
        }
    }
    opevo_text_add(out, "]");
    return OPEVO_OK;
}

opevo_status opevo_record_write(const opevo_pipeline *pipeline, opevo_text *out, opevo_error *err)
{
    opevo_pipeline *replay = NULL;
    opevo_text text = {0};
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = opevo_pipeline_create(pipeline->given, &replay, err);

    if (status != OPEVO_OK)
        return status;
    opevo_text_add(&text, "[");
    for (size_t i = 0; i < pipeline->step_count && status == OPEVO_OK; i++) {
        opevo_json_next(&text, "");
        status = write_step(replay, &pipeline->steps[i], &text, &inner);
        if (status == OPEVO_OK)
            status = opevo_pipeline_apply(replay, &pipeline->steps[i], &inner);
        if (status != OPEVO_OK)
            OPEVO_FAIL(err, status, "Step %zu: %s", i, inner.message);
    }
    opevo_text_add(&text, "]");
    if (status == OPEVO_OK) {
        opevo_text_add(out, opevo_text_string(&text));
        out->failed |= text.failed;
    }
    opevo_text_free(&text);
    opevo_pipeline_destroy(replay);
    return status;
}

opevo_status opevo_record_write_line(const opevo_pipeline *pipeline, const char *key,
                                     const char *target, opevo_text *out, opevo_error *err)
{
    opevo_text steps = {0};
    opevo_status status = opevo_record_write(pipeline, &steps, err);
    json_t *record = NULL;
    char *line = NULL;

    if (status == OPEVO_OK)
        status = opevo_text_check(&steps, err);
    if (status != OPEVO_OK)
        goto cleanup;
    record = json_pack("{s:[[s,s],[[],o]], s:[[],i,i,i], s:s}", "i", key, target,
                       json_loads(opevo_text_string(&steps), 0, NULL), "r", 0, 0, 0, "v", "v0.6");
    line = record ? json_dumps(record, JSON_COMPACT) : NULL;
    if (line)
        opevo_text_printf(out, "%s\n", line);
    else
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a record.");
cleanup:
    free(line);
    json_decref(record);
    opevo_text_free(&steps);
    return status;
}
