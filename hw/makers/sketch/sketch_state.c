/* SPDX-License-Identifier: GPL-3.0-or-later */

/* States of the rules: a pipeline, and the stage to look at next. */

#include "sketch_rules_internal.h"

#include <opevo/memory.h>

void opevo_i_sketch_free_state(opevo_i_sketch_state *self)
{
    if (self)
        opevo_pipeline_destroy(self->sketch.pipeline);
    opevo_free(self);
}

/* A copy to change, with the stage to look at next. */
opevo_status opevo_i_sketch_copy_state(const opevo_i_sketch_state *from, opevo_i_sketch_state **out,
                                       opevo_error *err)
{
    opevo_i_sketch_state *copy = opevo_malloc(1, sizeof *copy);
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(copy, "a sketch");
    *copy = *from;
    copy->sketch.pipeline = NULL;
    status = opevo_pipeline_copy(from->sketch.pipeline, &copy->sketch.pipeline, err);
    if (status != OPEVO_OK) {
        opevo_i_sketch_free_state(copy);
        return status;
    }
    *out = copy;
    return OPEVO_OK;
}

/* Takes over the state, also when it fails. */
opevo_status opevo_i_sketch_push(opevo_i_sketch_generator *self, opevo_i_sketch_state *one)
{
    if (!opevo_reserve((void **)&self->open, &self->open_capacity, self->open_count + 1,
                       sizeof(opevo_i_sketch_state *))) {
        opevo_i_sketch_free_state(one);
        return OPEVO_FAIL(self->err, OPEVO_NOMEM, "No memory for sketches.");
    }
    self->open[self->open_count++] = one;
    return OPEVO_OK;
}

opevo_status opevo_i_sketch_pass_on(opevo_i_sketch_generator *self, opevo_i_sketch_state **one)
{
    opevo_i_sketch_state *state = *one;

    *one = NULL;
    state->stage--;
    return opevo_i_sketch_push(self, state);
}
