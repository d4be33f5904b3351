/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The values that make a given pipeline of a sketch. The steps of the sketch come first, so the
 * lengths of its tiles are read from them. The other values append steps in the order of the slots;
 * each is set to the first choice with which most steps agree. The first choice of a slot is the
 * one without steps where there is such a choice, so it is right where none agrees longer. */

#include "sketch_internal.h"

#include <opevo/memory.h>

#include <string.h>

static bool is_equal(const opevo_pipeline_step *a, const opevo_pipeline_step *b, int numbers)
{
    return a->kind == b->kind && a->stage == b->stage && a->count == b->count &&
           memcmp(a->number, b->number, (size_t)numbers * sizeof *a->number) == 0;
}

/* The lengths of a tile by its step, or the number of threads; false where they do not divide the
 * loop, or are not among those that the sketch has. */
static bool read_tile(const opevo_slot *slot, const opevo_pipeline_step *step,
                      opevo_slot_value *value)
{
    int64_t left = slot->extent;

    while (value->choice < slot->choices && slot->value[value->choice] != step->number[1])
        value->choice++;
    if (slot->kind != OPEVO_SLOT_TILE)
        return value->choice < slot->choices;
    for (int k = 1; k < slot->parts; k++) {
        if (step->number[k] < 1 || left % step->number[k])
            return false;
        value->length[k] = step->number[k];
        left /= step->number[k];
    }
    value->length[0] = left;
    return true;
}

/* Whether the pipeline begins with the steps of the sketch, and the tiles by them. */
static bool read_tiles(const opevo_sketch *sketch, const opevo_pipeline *wanted,
                       opevo_slot_value *values)
{
    int slot = 0;

    if (wanted->step_count < sketch->pipeline->step_count)
        return false;
    for (size_t i = 0; i < sketch->pipeline->step_count; i++) {
        const opevo_pipeline_step *ours = &sketch->pipeline->steps[i];
        opevo_pipeline_step theirs = wanted->steps[i];
        bool open = opevo_i_sketch_is_open(sketch, slot, i);

        if (theirs.kind == OPEVO_PIPELINE_LAYOUT) /* the width of a tile */
            theirs.number[1] = ours->number[1];
        if (!is_equal(ours, &theirs, open ? 1 : ours->count) ||
            (open && !read_tile(&sketch->slot[slot], &theirs, &values[slot])))
            return false;
        slot += open;
    }
    return true;
}

/* How many steps agree, and whether all do. */
static opevo_status judge(const opevo_sketch *sketch, const opevo_pipeline *wanted,
                          const opevo_slot_value *values, size_t *score, bool *equal,
                          opevo_error *err)
{
    opevo_pipeline *built = NULL;
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = opevo_sketch_build(sketch, values, &built, &inner);

    *score = 0;
    *equal = false;
    if (status == OPEVO_NOMEM)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "%s", inner.message);
    if (status != OPEVO_OK)
        return OPEVO_OK;
    while (*score < built->step_count && *score < wanted->step_count &&
           is_equal(&built->steps[*score], &wanted->steps[*score], wanted->steps[*score].count))
        ++*score;
    *equal = *score == built->step_count && *score == wanted->step_count;
    opevo_pipeline_destroy(built);
    return OPEVO_OK;
}

opevo_status opevo_i_sketch_match(const opevo_sketch *sketch, const opevo_pipeline *wanted,
                                  opevo_slot_value *values, bool *equal, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t score = 0;

    *equal = false;
    memset(values, 0, (size_t)sketch->slots * sizeof *values);
    if (!read_tiles(sketch, wanted, values))
        return OPEVO_OK;
    OPEVO_TRY(judge(sketch, wanted, values, &score, equal, err));
    for (int i = 0; i < sketch->slots; i++) {
        int best = values[i].choice;

        for (int choice = 1; choice < sketch->slot[i].choices && !*equal &&
                             sketch->slot[i].kind != OPEVO_SLOT_SUM_THREADS;
             choice++) {
            size_t here = 0;

            values[i].choice = choice;
            OPEVO_TRY(judge(sketch, wanted, values, &here, equal, err));
            if (here > score || *equal) {
                score = here;
                best = choice;
            }
        }
        if (*equal)
            break;
        values[i].choice = best;
    }
cleanup:
    return status;
}
