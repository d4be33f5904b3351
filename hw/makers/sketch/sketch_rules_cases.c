/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Definitions by cases, such as select(i == 0, a, select(i == 1, b, ...)) or with x%4 instead of i:
 * the transforms of a tile. The cases become the innermost loops, around a vector, and copies of
 * the text, in each of which the compiler knows the case and shares what several have in common.
 * What such a definition reads of another one by cases is computed in registers around it. */

#include "sketch_rules_internal.h"

#include <opevo/computation_access.h>

/* Each combination of cases is a text of its own: of more, compilers take longer than a search has
 * for a point. */
enum { MOST_COPIES = 64 };

/* Of each axis: 0, or the divisor whose remainders are cases; 1: its values are. */
typedef struct cases {
    int64_t divisor[OPEVO_COMPUTATION_AXES];
    bool any;
} cases;

/* ---- Finding them --------------------------------------------------------------------------- */

static void note(cases *self, const opevo_affine *index)
{
    const opevo_term *term = index->term;
    const opevo_affine *inner = NULL;

    if (index->count != 1 || term->factor != 1)
        return;
    if (term->atom == OPEVO_ATOM_AXIS) {
        self->divisor[term->axis] = 1;
        self->any = true;
        return;
    }
    inner = term->inner;
    if (term->atom == OPEVO_ATOM_MODULO && inner->count == 1 && inner->constant == 0 &&
        inner->term->factor == 1 && inner->term->atom == OPEVO_ATOM_AXIS &&
        self->divisor[inner->term->axis] != 1) {
        self->divisor[inner->term->axis] = term->divisor;
        self->any = true;
    }
}

static void look_at_condition(cases *self, const opevo_condition *condition)
{
    if (condition->kind != OPEVO_COND_EQUAL || !condition->a)
        return;
    if (condition->b->count == 0)
        note(self, condition->a);
    else if (condition->a->count == 0)
        note(self, condition->b);
}

static void look_at(cases *self, const opevo_expression *value)
{
    if (!value)
        return;
    if (value->kind == OPEVO_EXPR_SELECT)
        look_at_condition(self, value->condition);
    look_at(self, value->left);
    look_at(self, value->right);
}

/* The definition of a stage that does not reduce, at the root as it stands; NULL for others. */
static const opevo_definition *definition_of(const opevo_pipeline *pipeline, int number)
{
    const opevo_i_pipeline_stage *stage = opevo_i_pipeline_at(pipeline, number);

    return stage->kind == OPEVO_STAGE_DEFINED && !stage->map && stage->own.axes == stage->dims &&
                   stage->place == OPEVO_PLACE_ROOT && stage->own.loops == stage->own.axes &&
                   stage->dims <= OPEVO_COMPUTATION_DIMS
               ? pipeline->computation->tensor[stage->tensor]->definition
               : NULL;
}

/* How a stage reads the one before it. */
typedef struct reading {
    const opevo_tensor *tensor;
    cases *inner, *outer;
    bool constant[OPEVO_COMPUTATION_DIMS]; /* at numbers alone */
} reading;

static void look_at_numbers(void *context, const opevo_expression *read)
{
    reading *self = context;

    for (int d = 0; d < read->tensor->dims && read->tensor == self->tensor; d++)
        self->constant[d] &= read->index[d].count == 0;
}

static void look_at_places(void *context, const opevo_expression *read)
{
    reading *self = context;

    for (int d = 0; d < read->tensor->dims && read->tensor == self->tensor; d++)
        if (self->inner->divisor[d])
            note(self->outer, &read->index[d]);
}

/* The cases of a stage, and of the one before it if only this one reads it. */
static bool find(const opevo_pipeline *pipeline, int number, cases *outer, cases *inner)
{
    const opevo_definition *reader = definition_of(pipeline, number);
    const opevo_definition *before = number > 0 ? definition_of(pipeline, number - 1) : NULL;
    reading how = {.inner = inner, .outer = outer};
    int consumers[OPEVO_PIPELINE_STAGES];

    *outer = *inner = (cases){.any = false};
    if (!reader)
        return false;
    look_at(outer, reader->value);
    if (!outer->any || !before)
        return outer->any;
    look_at(inner, before->value);
    for (int a = 0; a < before->axes; a++)
        inner->any &= inner->divisor[a] < 2;
    inner->any = inner->any && !opevo_i_pipeline_is_output(pipeline, pipeline->order[number - 1]) &&
                 opevo_i_sketch_consumers(pipeline, number - 1, consumers) == 1 &&
                 consumers[0] == number;
    if (!inner->any)
        return true;
    how.tensor = pipeline->computation->tensor[pipeline->order[number - 1]];
    for (int d = 0; d < how.tensor->dims; d++)
        how.constant[d] = true;
    opevo_expression_reads(reader->value, look_at_numbers, &how);
    for (int d = 0; d < how.tensor->dims; d++)
        if (how.constant[d] && how.tensor->extent[d] > 1)
            inner->divisor[d] = 1;
    opevo_expression_reads(reader->value, look_at_places, &how);
    return true;
}

/* Copies of the text that the cases make; beyond MOST_COPIES without cases, or without a loop
 * outside. */
static int64_t copies(const opevo_definition *definition, const cases *self)
{
    int64_t count = 1;
    bool outside = false;

    for (int a = 0; a < definition->axes; a++) {
        int64_t divisor = self->divisor[a];

        count *= divisor > 1 ? divisor : divisor ? definition->axis[a].extent : 1;
        outside |= divisor != 1 && a < definition->axes - 1;
        if (count > MOST_COPIES)
            break;
    }
    return outside ? count : MOST_COPIES + 1;
}

/* ---- The rule ------------------------------------------------------------------------------- */

opevo_i_sketch_verdict opevo_i_sketch_should_expand(const opevo_i_sketch_generator *self,
                                                    const opevo_i_sketch_state *from)
{
    const opevo_pipeline *pipeline = from->sketch.pipeline;
    cases outer, inner;

    return !self->target->ansor && find(pipeline, from->stage, &outer, &inner) &&
                   copies(definition_of(pipeline, from->stage), &outer) <= MOST_COPIES
               ? OPEVO_I_APPLY
               : OPEVO_I_SKIP;
}

/* Loops that are not cases, the cases, and the last axis unless it is one; *outside of the first
 * kind. */
static opevo_status reorder(opevo_pipeline *pipeline, int number, const cases *self, int *outside,
                            opevo_error *err)
{
    const opevo_i_pipeline_stage *stage = opevo_i_pipeline_at(pipeline, number);
    int dims = stage->dims, loops = 0, count = 0;
    int64_t order[OPEVO_I_LOOPS];
    bool expands[OPEVO_I_LOOPS] = {false};
    opevo_status status = OPEVO_OK;

    for (int a = dims - 1; a >= 0; a--)
        if (self->divisor[a] > 1)
            OPEVO_TRY(opevo_i_sketch_step(pipeline, OPEVO_PIPELINE_SPLIT, number, 2,
                                          (int64_t[]){a, self->divisor[a]}, err));
    for (int a = 0; a < dims; a++) {
        if (self->divisor[a] > 1)
            expands[loops++] = false;
        expands[loops++] = self->divisor[a] > 0;
    }
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < loops; i++)
            if (expands[i] == pass && (pass || i < loops - 1))
                order[count++] = i;
        if (pass == 0)
            *outside = count;
    }
    if (!expands[loops - 1])
        order[count++] = loops - 1;
    OPEVO_TRY(opevo_i_sketch_step(pipeline, OPEVO_PIPELINE_REORDER, number, count, order, err));
    for (int i = *outside; i < loops - !expands[loops - 1]; i++)
        OPEVO_TRY(opevo_i_sketch_step(pipeline, OPEVO_PIPELINE_ANNOTATE, number, 2,
                                      (int64_t[]){i, OPEVO_ANNOTATION_EXPAND}, err));
cleanup:
    return status;
}

opevo_status opevo_i_sketch_do_expand(opevo_i_sketch_generator *self,
                                      const opevo_i_sketch_state *from)
{
    opevo_i_sketch_state *to = NULL;
    opevo_pipeline *pipeline = NULL;
    cases outer, inner;
    int outside = 0, ignored = 0;
    opevo_status status = opevo_i_sketch_copy_state(from, &to, self->err);

    if (status != OPEVO_OK)
        return status;
    pipeline = to->sketch.pipeline;
    find(pipeline, to->stage, &outer, &inner);
    OPEVO_TRY(reorder(pipeline, to->stage, &outer, &outside, self->err));
    if (inner.any && copies(definition_of(pipeline, to->stage - 1), &inner) <= MOST_COPIES) {
        to->stage--;
        OPEVO_TRY(reorder(pipeline, to->stage, &inner, &ignored, self->err));
        OPEVO_TRY(opevo_i_sketch_step(pipeline, OPEVO_PIPELINE_COMPUTE_AT, to->stage, 2,
                                      (int64_t[]){to->stage + 1, outside - 1}, self->err));
    }
    to->sketch.expanded = true;
    status = opevo_i_sketch_pass_on(self, &to);
cleanup:
    opevo_i_sketch_free_state(to);
    return status;
}
