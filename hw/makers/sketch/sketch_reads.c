/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How many elements a statement reads. A kernel's statement has room for a few only, which
 * definitions that are inlined fill quickly: a sum of five neighbours of a sum of five others reads
 * 25. */

#include "sketch_internal.h"

#include "nest_internal.h"

#include <opevo/computation_access.h>

/* The different reads of a definition, and one more if there are more than fit. */
typedef struct reads {
    const opevo_expression *read[OPEVO_I_FACTORS + 1];
    int count;
} reads;

static void add_read(void *context, const opevo_expression *read)
{
    reads *self = context;
    int i = 0;

    while (i < self->count && !opevo_reads_same_element(self->read[i], read))
        i++;
    if (i == self->count && self->count <= OPEVO_I_FACTORS)
        self->read[self->count++] = read;
}

static bool is_inlined(const opevo_pipeline *pipeline, const opevo_tensor *tensor, int key)
{
    for (int other = 0; other < pipeline->stages; other++) {
        const opevo_i_pipeline_stage *stage = pipeline->stage[other];

        if (stage->kind == OPEVO_STAGE_DEFINED && !stage->map &&
            pipeline->computation->tensor[stage->tensor] == tensor)
            return other == key || stage->place == OPEVO_PLACE_INLINED;
    }
    return false;
}

/* At most: an element that is read in two ways counts twice. Above the limit it is not counted to
 * the end. */
static int count_reads(const opevo_pipeline *pipeline, const opevo_tensor *tensor, int key)
{
    reads found = {.count = 0};
    int count = 0;

    opevo_expression_reads(tensor->definition->value, add_read, &found);
    for (int i = 0; i < found.count && count <= OPEVO_I_FACTORS; i++)
        count += is_inlined(pipeline, found.read[i]->tensor, key)
                     ? count_reads(pipeline, found.read[i]->tensor, key)
                     : 1;
    return count;
}

bool opevo_i_sketch_has_room(const opevo_pipeline *pipeline, const opevo_tensor *reader, int key)
{
    return count_reads(pipeline, reader, key) <= OPEVO_I_FACTORS;
}

opevo_status opevo_i_sketch_check_reads(const opevo_computation *computation, opevo_error *err)
{
    for (int t = 0; t < computation->tensors; t++) {
        const opevo_tensor *tensor = computation->tensor[t];
        reads found = {.count = 0};

        if (tensor->definition)
            opevo_expression_reads(tensor->definition->value, add_read, &found);
        if (found.count > OPEVO_I_FACTORS)
            return OPEVO_FAIL(err, OPEVO_LIMIT,
                              "%s reads more than %d different elements for one of its own; define "
                              "a part of it as a tensor of its own.",
                              tensor->name, (int)OPEVO_I_FACTORS);
    }
    return OPEVO_OK;
}
