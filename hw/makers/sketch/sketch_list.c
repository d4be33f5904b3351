/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The list of states that the rules are tried on, until all are sketches. */

#include "sketch_rules_internal.h"

#include <opevo/hash.h>
#include <opevo/memory.h>

#include <math.h>
#include <string.h>

static void free_sketch(opevo_sketch *sketch)
{
    opevo_pipeline_destroy(sketch->pipeline);
    opevo_free(sketch);
}

/* A sketch of too many parameters is not kept. */
static opevo_status finish(opevo_i_sketch_generator *self, opevo_i_sketch_state *one)
{
    opevo_sketch *sketch = opevo_malloc(1, sizeof *sketch);
    opevo_status status = OPEVO_OK;

    if (!sketch || !opevo_reserve((void **)&self->out->item, &self->capacity, self->out->count + 1,
                                  sizeof(opevo_sketch *))) {
        opevo_free(sketch);
        return OPEVO_FAIL(self->err, OPEVO_NOMEM, "No memory for sketches.");
    }
    *sketch = one->sketch;
    one->sketch.pipeline = NULL;
    if (self->closing)
        status = opevo_i_sketch_close(sketch, self->finished++, self->err);
    if (status == OPEVO_OK)
        status = opevo_i_sketch_find_slots(sketch, self->target, self->err);
    if (status == OPEVO_OK) {
        self->out->item[self->out->count++] = sketch;
        return OPEVO_OK;
    }
    free_sketch(sketch);
    self->out->partial |= status == OPEVO_LIMIT;
    return status == OPEVO_LIMIT ? OPEVO_OK : status;
}

enum { MOST_OPEN = 512, MANY_TENSORS = 16, LEAST_OPEN = 16 };

/* States that may wait: of many tensors fewer, as they grow and are tried on more stages. */
static size_t most_open(const opevo_computation *computation)
{
    size_t tensors = (size_t)computation->tensors;
    size_t most = MOST_OPEN;

    if (tensors > MANY_TENSORS)
        most = MOST_OPEN * MANY_TENSORS * MANY_TENSORS / (tensors * tensors);
    return most > LEAST_OPEN ? most : LEAST_OPEN;
}

/* The number of sketches may grow exponentially with that of the stages. States are dropped by a
 * hash, since the rules give those of one kind at regular places. */
static void drop_half(opevo_i_sketch_generator *self)
{
    size_t kept = 0;

    for (size_t i = 0; i < self->open_count; i++) {
        if (opevo_hash_mix(self->looked_at++) & 1)
            self->open[kept++] = self->open[i];
        else
            opevo_i_sketch_free_state(self->open[i]);
    }
    self->open_count = kept;
    self->out->partial = true;
}

static opevo_status run(opevo_i_sketch_generator *self)
{
    size_t most = most_open(self->computation);
    opevo_status status = OPEVO_OK;

    while (self->open_count && status == OPEVO_OK) {
        opevo_i_sketch_state *from = self->open[0]; /* first in, first out */

        memmove(self->open, self->open + 1, --self->open_count * sizeof(opevo_i_sketch_state *));
        if (from->stage >= 0)
            status = opevo_i_sketch_try_rules(self, from);
        else
            status = finish(self, from);
        opevo_i_sketch_free_state(from);
        if (self->open_count > most)
            drop_half(self);
    }
    return status;
}

/* Whether the sketch at place i is among `kept` that are taken evenly. */
static bool is_taken(size_t i, size_t kept, size_t found)
{
    return (i + 1) * kept / found > i * kept / found;
}

/* Keep as many sketches as have parameters for one space, with the choice among them. */
static void thin(opevo_sketches *self)
{
    size_t kept = self->count;
    size_t parameters = SIZE_MAX;

    self->found = self->count;
    while (kept > 1 && parameters > OPEVO_SPACE_PARAMETERS_MAX) {
        parameters = 1;
        for (size_t i = 0; i < self->found; i++)
            parameters += is_taken(i, kept, self->found) ? (size_t)self->item[i]->slots : 0;
        kept -= parameters > OPEVO_SPACE_PARAMETERS_MAX;
    }
    self->count = 0;
    for (size_t i = 0; i < self->found; i++) {
        if (is_taken(i, kept, self->found))
            self->item[self->count++] = self->item[i];
        else
            free_sketch(self->item[i]);
    }
}

void opevo_sketches_destroy(opevo_sketches *sketches)
{
    if (!sketches)
        return;
    for (size_t i = 0; i < sketches->count; i++)
        free_sketch(sketches->item[i]);
    opevo_free(sketches->item);
    opevo_free(sketches);
}

/* All sketches of the computation as it is, or with dimensions merged and divided, if there are
 * any. */
static opevo_status run_from(opevo_i_sketch_generator *self, bool reshaped)
{
    opevo_i_sketch_state *first = opevo_calloc(1, sizeof *first);
    bool any = true;
    opevo_status status = OPEVO_OK;

    if (!first)
        return OPEVO_FAIL(self->err, OPEVO_NOMEM, "No memory for sketches.");
    OPEVO_TRY(opevo_pipeline_create(self->computation, &first->sketch.pipeline, self->err));
    if (reshaped)
        OPEVO_TRY(opevo_i_sketch_reshape(first->sketch.pipeline, self->target, first->reshaped,
                                         &any, self->err));
    first->sketch.registers = first->sketch.packed = -1;
    first->sketch.dialect = self->target->dialect;
    first->stage = self->computation->tensors - 1;
    if (any) {
        status = opevo_i_sketch_push(self, first);
        first = NULL;
    }
    if (status == OPEVO_OK)
        status = run(self);
cleanup:
    opevo_i_sketch_free_state(first);
    return status;
}

/* From the computation as it is, and with other shapes. */
static opevo_status make_all(opevo_i_sketch_generator *self)
{
    bool reshapes = !self->target->ansor && !opevo_i_sketch_is_gpu(self->target->dialect) &&
                    !opevo_i_sketch_has_blocks(self->computation, self->target);
    opevo_status status = OPEVO_OK;

    self->out = opevo_calloc(1, sizeof *self->out);
    self->capacity = 0;
    if (!self->out)
        return OPEVO_FAIL(self->err, OPEVO_NOMEM, "No memory for sketches.");
    OPEVO_TRY(run_from(self, false));
    if (reshapes)
        OPEVO_TRY(run_from(self, true));
    if (self->out->count > 0)
        thin(self->out);
cleanup:
    while (self->open_count)
        opevo_i_sketch_free_state(self->open[--self->open_count]);
    return status;
}

opevo_status opevo_sketches_create(const opevo_computation *computation,
                                   const opevo_sketch_target *target, opevo_sketches **out,
                                   opevo_error *err)
{
    opevo_i_sketch_generator self = {.computation = computation, .target = target, .err = err};
    opevo_status status = opevo_i_sketch_check_reads(computation, err);

    if (status != OPEVO_OK)
        return status;
    OPEVO_TRY(make_all(&self));
    if (!opevo_i_sketch_is_gpu(target->dialect) && !opevo_i_sketch_fit(self.out)) {
        opevo_sketches_destroy(self.out);
        self.closing = true;
        OPEVO_TRY(make_all(&self));
    }
    if (self.out->count == 0)
        status = OPEVO_FAIL(err, OPEVO_LIMIT,
                            "The sketches of the computation have more than %d parameters each: "
                            "divide it into computations of fewer definitions.",
                            OPEVO_SKETCH_SLOTS);
cleanup:
    opevo_free(self.open);
    if (status == OPEVO_OK)
        *out = self.out;
    else
        opevo_sketches_destroy(self.out);
    return status;
}
