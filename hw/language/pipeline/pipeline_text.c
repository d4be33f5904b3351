/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Pipelines as text. Names depend on what was done before, so printing replays the steps, and
 * reading applies each line as it comes. */

#include "pipeline_internal.h"

#include <opevo/memory.h>

#include <stdio.h>
#include <string.h>

typedef struct step_row {
    const char *name, *operands;
} step_row;

static const step_row rows[OPEVO_PIPELINE_STEP_KINDS] = {
#define STEP_ROW(suffix, name, operands, meaning) {name, operands},
    OPEVO_PIPELINE_STEP_LIST(STEP_ROW)
#undef STEP_ROW
};

/* What operand number i of a step is, '\0' beyond the last. */
static char operand_kind(const step_row *row, int i)
{
    size_t length = strlen(row->operands);
    bool repeats = length && row->operands[length - 1] == '+';
    size_t fixed = repeats ? length - 1 : length;

    if ((size_t)i < fixed)
        return row->operands[i];
    return repeats ? row->operands[fixed - 1] : '\0';
}

/* ---- Printing ---- */

static void print_step(const opevo_pipeline *self, const opevo_pipeline_step *step, opevo_text *out)
{
    const step_row *row = &rows[step->kind];
    int stage = step->stage;

    opevo_text_printf(out, "%s %s", row->name, opevo_i_pipeline_at(self, stage)->name);
    for (int i = 0; i < step->count; i++) {
        int64_t number = step->number[i];

        switch (operand_kind(row, i)) {
        case 'S':
            stage = (int)number;
            opevo_text_printf(out, " %s", opevo_i_pipeline_at(self, stage)->name);
            break;
        case 'L':
        case 'M':
            opevo_text_printf(out, " %s", opevo_i_pipeline_at(self, stage)->own.loop[number].name);
            break;
        case 's':
            opevo_text_printf(out, " %s", opevo_i_nest_scope_names[number]);
            break;
        case 'a':
            opevo_text_printf(out, " %s", opevo_i_nest_annotation_names[number]);
            break;
        default:
            opevo_text_printf(out, " %lld", (long long)number);
            break;
        }
    }
    opevo_text_add(out, "\n");
}

void opevo_pipeline_print(const opevo_pipeline *pipeline, opevo_text *out)
{
    opevo_pipeline *replay = NULL;

    if (opevo_pipeline_create(pipeline->given, &replay, NULL) != OPEVO_OK) {
        out->failed = true;
        return;
    }
    for (size_t i = 0; i < pipeline->step_count && !out->failed; i++) {
        print_step(replay, &pipeline->steps[i], out);
        if (opevo_pipeline_apply(replay, &pipeline->steps[i], NULL) != OPEVO_OK)
            out->failed = true;
    }
    opevo_pipeline_destroy(replay);
}

/* ---- Reading ---- */

static opevo_status read_operand(const opevo_pipeline *self, char kind, const char *word,
                                 int *stage, int64_t *number, opevo_error *err)
{
    const char *what = "stage";
    char quoted[OPEVO_I_NAME + 2];

    switch (kind) {
    case 'S':
        *number = *stage = opevo_pipeline_find(self, word);
        break;
    case 'L':
    case 'M':
        *number = opevo_pipeline_find_loop(self, *stage, word);
        if (*number < 0) {
            snprintf(quoted, sizeof quoted, "'%s'", word);
            return opevo_i_pipeline_no_loop(opevo_i_pipeline_at(self, *stage), quoted, err);
        }
        break;
    case 's':
        *number = opevo_i_nest_find_word(opevo_i_nest_scope_names, OPEVO_SCOPE_COUNT, word);
        what = "scope";
        break;
    case 'a':
        *number =
            opevo_i_nest_find_word(opevo_i_nest_annotation_names, OPEVO_ANNOTATION_COUNT, word);
        what = "annotation";
        break;
    default:
        if (!opevo_parse_i64(word, number))
            return OPEVO_FAIL(err, OPEVO_INVALID, "'%s' is not an integer.", word);
        return OPEVO_OK;
    }
    if (*number < 0)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Unknown %s '%s'.", what, word);
    return OPEVO_OK;
}

static opevo_status read_words(opevo_pipeline *self, char *line, opevo_error *err)
{
    opevo_pipeline_step step = {0};
    opevo_status status = OPEVO_OK;
    char *rest = NULL;
    const char *word = strtok_r(line, " \t\r", &rest);
    int stage = 0;
    int kind = 0;

    while (kind < OPEVO_PIPELINE_STEP_KINDS && strcmp(rows[kind].name, word) != 0)
        kind++;
    if (kind == OPEVO_PIPELINE_STEP_KINDS)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Unknown step '%s'.", word);
    step.kind = (opevo_pipeline_step_kind)kind;
    word = strtok_r(NULL, " \t\r", &rest);
    if (!word)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s needs a stage.", rows[kind].name);
    step.stage = stage = opevo_pipeline_find(self, word);
    if (stage < 0)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Unknown stage '%s'.", word);
    for (word = strtok_r(NULL, " \t\r", &rest); word; word = strtok_r(NULL, " \t\r", &rest)) {
        char operand = operand_kind(&rows[kind], step.count);

        if (!operand || step.count == OPEVO_PIPELINE_NUMBERS)
            return OPEVO_FAIL(err, OPEVO_INVALID, "%s takes fewer operands: '%s' is too many.",
                              rows[kind].name, word);
        OPEVO_TRY(read_operand(self, operand, word, &stage, &step.number[step.count++], err));
    }
    status = opevo_pipeline_apply(self, &step, err);
cleanup:
    return status;
}

opevo_status opevo_pipeline_parse(const opevo_computation *computation, const char *text,
                                  const char *origin, opevo_pipeline **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_pipeline *self = NULL;
    char *copy = opevo_strdup(text);
    int number = 1;

    OPEVO_NEED_OR_RETURN(copy, "reading a pipeline");
    OPEVO_TRY(opevo_pipeline_create(computation, &self, err));
    for (char *line = copy; line; number++) {
        char *end = strchr(line, '\n');
        opevo_error inner = {OPEVO_OK, ""};

        if (end)
            *end = '\0';
        line[strcspn(line, "#")] = '\0';
        if (line[strspn(line, " \t\r")])
            status = read_words(self, line, &inner);
        if (status != OPEVO_OK) {
            OPEVO_FAIL(err, status, "%s:%d: %s", origin, number, inner.message);
            goto cleanup;
        }
        line = end ? end + 1 : NULL;
    }
    *out = self;
    self = NULL;
cleanup:
    opevo_pipeline_destroy(self);
    opevo_free(copy);
    return status;
}
