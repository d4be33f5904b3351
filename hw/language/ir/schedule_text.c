/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Schedules as text. Loops have names that depend on what was done before, so printing replays the
 * steps, and reading applies each line as it comes. */

#include "schedule_internal.h"

#include <opevo/memory.h>

#include <string.h>

static const char *const step_names[] = {
#define STEP_NAME(suffix, name, operands) name,
    OPEVO_STEP_LIST(STEP_NAME)
#undef STEP_NAME
};

const char *const opevo_i_nest_annotation_names[OPEVO_ANNOTATION_COUNT] = {
#define ANNOTATION_NAME(suffix, name) name,
    OPEVO_ANNOTATION_LIST(ANNOTATION_NAME)
#undef ANNOTATION_NAME
};

const char *const opevo_i_nest_scope_names[OPEVO_SCOPE_COUNT] = {
#define SCOPE_NAME(suffix, name) name,
    OPEVO_SCOPE_LIST(SCOPE_NAME)
#undef SCOPE_NAME
};

/* How many of a step's leading numbers are numbers of loops: -1 all of them. */
static int loop_operands(opevo_step_kind kind)
{
    switch (kind) {
    case OPEVO_STEP_REORDER:
        return -1;
    case OPEVO_STEP_SPLIT:
    case OPEVO_STEP_EXTEND:
    case OPEVO_STEP_ANNOTATE:
    case OPEVO_STEP_ATTACH:
    case OPEVO_STEP_TRIM:
        return 1;
    default:
        return 0;
    }
}

/* ---- Printing ---- */

static void print_fused(const opevo_schedule *schedule, const opevo_step *step, opevo_text *out)
{
    for (int64_t i = 0; i < step->number[1]; i++)
        opevo_text_printf(out, " %s",
                          schedule->stage[step->stage].own.loop[step->number[0] + i].name);
}

/* One line, for a schedule as it was before the step. */
static void print_step(const opevo_schedule *schedule, const opevo_step *step, opevo_text *out)
{
    int loops = loop_operands(step->kind);
    int of = step->kind == OPEVO_STEP_ATTACH ? schedule->compute.output : step->stage;

    opevo_text_printf(out, "%s %s", step_names[step->kind], schedule->stage[step->stage].name);
    if (step->kind == OPEVO_STEP_FUSE)
        print_fused(schedule, step, out);
    for (int i = 0; i < step->count && step->kind != OPEVO_STEP_FUSE; i++) {
        if (loops < 0 || i < loops)
            opevo_text_printf(out, " %s", schedule->stage[of].own.loop[step->number[i]].name);
        else if (step->kind == OPEVO_STEP_ANNOTATE)
            opevo_text_printf(out, " %s", opevo_i_nest_annotation_names[step->number[i]]);
        else if (step->kind == OPEVO_STEP_CACHE_READ || step->kind == OPEVO_STEP_CACHE_WRITE)
            opevo_text_printf(out, " %s", opevo_i_nest_scope_names[step->number[i]]);
        else
            opevo_text_printf(out, " %lld", (long long)step->number[i]);
    }
    opevo_text_add(out, "\n");
}

void opevo_schedule_print(const opevo_schedule *schedule, opevo_text *out)
{
    opevo_schedule *replay = NULL;

    if (opevo_schedule_create(&schedule->op, &replay, NULL) != OPEVO_OK) {
        out->failed = true;
        return;
    }
    for (size_t i = 0; i < schedule->step_count; i++) {
        print_step(replay, &schedule->steps[i], out);
        if (opevo_schedule_apply(replay, &schedule->steps[i], NULL) != OPEVO_OK) {
            out->failed = true;
            break;
        }
    }
    opevo_schedule_destroy(replay);
}

/* ---- Reading ---- */

enum { MOST_WORDS = OPEVO_STEP_NUMBERS + 2 };

/* Cut a line at its blanks, in place. Returns the number of words, MOST_WORDS + 1 for too many. */
static int cut(char *line, char **words)
{
    int count = 0;

    line[strcspn(line, "#")] = '\0';
    for (char *at = line + strspn(line, " \t\r"); *at; at += strspn(at, " \t\r")) {
        if (count == MOST_WORDS)
            return MOST_WORDS + 1;
        words[count++] = at;
        at += strcspn(at, " \t\r");
        if (*at)
            *at++ = '\0';
    }
    return count;
}

int opevo_i_nest_find_word(const char *const *names, int count, const char *name)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0)
            return i;
    }
    return -1;
}

static int find_stage(const opevo_schedule *schedule, const char *name)
{
    for (int i = 0; i < schedule->stages; i++) {
        if (strcmp(schedule->stage[i].name, name) == 0)
            return i;
    }
    return -1;
}

static opevo_status read_operand(const opevo_schedule *schedule, opevo_step *step, const char *word,
                                 opevo_error *err)
{
    int loops = loop_operands(step->kind);
    int of = step->kind == OPEVO_STEP_ATTACH ? schedule->compute.output : step->stage;
    int64_t *number = &step->number[step->count];

    if (step->kind == OPEVO_STEP_FUSE || loops < 0 || step->count < loops) {
        *number = opevo_schedule_find_loop(schedule, of, word);
        if (*number < 0)
            return OPEVO_FAIL(err, OPEVO_INVALID, "%s has no loop '%s'.", schedule->stage[of].name,
                              word);
    } else if (step->kind == OPEVO_STEP_ANNOTATE) {
        *number =
            opevo_i_nest_find_word(opevo_i_nest_annotation_names, OPEVO_ANNOTATION_COUNT, word);
        if (*number < 0)
            return OPEVO_FAIL(err, OPEVO_INVALID, "Unknown annotation '%s'.", word);
    } else if (step->kind == OPEVO_STEP_CACHE_READ || step->kind == OPEVO_STEP_CACHE_WRITE) {
        *number = opevo_i_nest_find_word(opevo_i_nest_scope_names, OPEVO_SCOPE_COUNT, word);
        if (*number < 0)
            return OPEVO_FAIL(err, OPEVO_INVALID, "Unknown scope '%s'.", word);
    } else if (!opevo_parse_i64(word, number)) {
        return OPEVO_FAIL(err, OPEVO_INVALID, "'%s' is not an integer.", word);
    }
    step->count++;
    return OPEVO_OK;
}

/* Neighbours, outer first, become the first of them and their number. */
static opevo_status read_fused(opevo_step *step, opevo_error *err)
{
    for (int i = 1; i < step->count; i++) {
        if (step->number[i] != step->number[0] + i)
            return OPEVO_FAIL(err, OPEVO_INVALID, "Only adjacent loops can be fused, outer first.");
    }
    if (step->count < 2)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Fusing takes two loops or more.");
    step->number[1] = step->count;
    step->count = 2;
    return OPEVO_OK;
}

static opevo_status read_line(opevo_schedule *schedule, char *line, opevo_error *err)
{
    char *words[MOST_WORDS];
    int count = cut(line, words);
    opevo_step step = {0};
    int kind = 0;
    opevo_status status = OPEVO_OK;

    if (count == 0)
        return OPEVO_OK;
    if (count > MOST_WORDS || count < 2)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "A step consists of its name, a stage and up to %d operands.",
                          OPEVO_STEP_NUMBERS);
    kind = opevo_i_nest_find_word(step_names, OPEVO_STEP_KIND_COUNT, words[0]);
    if (kind < 0)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Unknown step '%s'.", words[0]);
    step.kind = (opevo_step_kind)kind;
    step.stage = find_stage(schedule, words[1]);
    if (step.stage < 0)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Unknown stage '%s'.", words[1]);
    for (int i = 2; i < count; i++)
        OPEVO_TRY(read_operand(schedule, &step, words[i], err));
    if (step.kind == OPEVO_STEP_FUSE)
        OPEVO_TRY(read_fused(&step, err));
    status = opevo_schedule_apply(schedule, &step, err);
cleanup:
    return status;
}

opevo_status opevo_schedule_parse(const opevo_operator *op, const char *text, const char *origin,
                                  opevo_schedule **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_schedule *self = NULL;
    char *copy = opevo_strdup(text);
    int number = 1;

    if (!copy)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read a schedule.");
    OPEVO_TRY(opevo_schedule_create(op, &self, err));
    for (char *line = copy; line; number++) {
        char *end = strchr(line, '\n');
        opevo_error inner = {OPEVO_OK, ""};

        if (end)
            *end = '\0';
        status = read_line(self, line, &inner);
        if (status != OPEVO_OK) {
            OPEVO_FAIL(err, status, "%s:%d: %s", origin, number, inner.message);
            goto cleanup;
        }
        line = end ? end + 1 : NULL;
    }
    *out = self;
    self = NULL;
cleanup:
    opevo_schedule_destroy(self);
    opevo_free(copy);
    return status;
}
