/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels from the points of the space of sketches. */

#include "sketch_internal.h"

#include <opevo/emit.h>
#include <opevo/hash.h>
#include <opevo/memory.h>
#include <opevo/pipeline_features.h>
#include <opevo/space.h>

/* Raised when a sketch gives other code for a point than before. */
enum { SKETCHES_VERSION = 1 };

typedef struct maker {
    opevo_kernel_maker super;
    opevo_computation *computation;
    opevo_sketch_target target;
    opevo_sketches *sketches;
    opevo_space *space;
    opevo_limits limits;
    opevo_feature_source features;
} maker;

/* The sketch of a point, and its values: the parameters of a branch follow one another. */
static const opevo_sketch *read_point(const maker *self, opevo_index point,
                                      opevo_slot_value *values)
{
    opevo_index vertex[OPEVO_SPACE_PARAMETERS_MAX];
    size_t first = 0;
    size_t number = 0;
    const opevo_sketch *sketch = NULL;

    opevo_space_decode(self->space, point, vertex);
    if (self->sketches->count > 1) {
        number = (size_t)vertex[first++];
        for (size_t i = 0; i < number; i++)
            first += (size_t)self->sketches->item[i]->slots;
    }
    sketch = self->sketches->item[number];
    for (int i = 0; i < sketch->slots; i++) {
        opevo_value component[8];
        const opevo_parameter *parameter = opevo_space_parameter(self->space, first + (size_t)i);

        values[i] = (opevo_slot_value){.choice = (int)vertex[first + (size_t)i]};
        if (sketch->slot[i].kind != OPEVO_SLOT_TILE)
            continue;
        opevo_parameter_value(parameter, vertex[first + (size_t)i], component);
        for (int k = 0; k < sketch->slot[i].parts; k++)
            values[i].length[k] = component[k].as.integer;
    }
    return sketch;
}

opevo_status opevo_sketches_pipeline(const opevo_kernel_maker *super, opevo_index point,
                                     opevo_pipeline **out, opevo_text *why, opevo_error *err)
{
    const maker *self = (const maker *)super;
    opevo_slot_value values[OPEVO_SKETCH_SLOTS];
    const opevo_sketch *sketch = read_point(self, point, values);
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = OPEVO_OK;

    *out = NULL;
    status = opevo_sketch_build(sketch, values, out, &inner);
    if (status == OPEVO_NOMEM)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "%s", inner.message);
    if (status != OPEVO_OK)
        opevo_text_add(why, inner.message);
    return OPEVO_OK;
}

static opevo_status make(const opevo_kernel_maker *super, opevo_index point, opevo_kernel *out,
                         opevo_outcome_class *refused, opevo_text *why, opevo_error *err)
{
    const maker *self = (const maker *)super;
    opevo_pipeline *pipeline = NULL;
    bool fits = false;
    opevo_status status = opevo_sketches_pipeline(super, point, &pipeline, why, err);

    if (status == OPEVO_OK && pipeline)
        status = opevo_pipeline_emit(pipeline, super->dialect, &self->limits, out, &fits, why, err);
    if (status == OPEVO_OK && !fits)
        *refused = OPEVO_OUTCOME_REJECTED;
    opevo_pipeline_destroy(pipeline);
    return status;
}

/* ---- Features ---- */

static size_t features(void *context, opevo_index point, float *rows)
{
    opevo_pipeline *pipeline = NULL;
    opevo_text why = {0};
    size_t count = 0;

    if (opevo_sketches_pipeline(context, point, &pipeline, &why, NULL) == OPEVO_OK && pipeline &&
        opevo_pipeline_features(pipeline, rows, &count, NULL) != OPEVO_OK)
        count = 0;
    opevo_pipeline_destroy(pipeline);
    opevo_text_free(&why);
    return count;
}

/* A row for each stage that is computed, and one for the registers of a sketch. */
static size_t count_rows(const opevo_sketches *sketches)
{
    size_t most = 1;

    for (size_t i = 0; i < sketches->count; i++) {
        const opevo_sketch *sketch = sketches->item[i];
        size_t rows = sketch->registers >= 0;

        for (int s = 0; s < opevo_pipeline_stage_count(sketch->pipeline); s++)
            rows += opevo_pipeline_stage(sketch->pipeline, s).kind != OPEVO_STAGE_INPUT;
        most = rows > most ? rows : most;
    }
    return most;
}

static void destroy(opevo_kernel_maker *super)
{
    maker *self = (maker *)super;

    if (!self)
        return;
    opevo_space_destroy(self->space);
    opevo_sketches_destroy(self->sketches);
    opevo_computation_destroy(self->computation);
    opevo_free(self);
}

static const opevo_kernel_maker_ops maker_ops = {.make = make, .destroy = destroy};

static uint64_t signature_of(const maker *self)
{
    const uint64_t parts[] = {SKETCHES_VERSION, opevo_computation_signature(self->computation),
                              (uint64_t)self->target.dialect, self->target.threads};
    uint64_t hash = opevo_hash_bytes(OPEVO_HASH_START, parts, sizeof parts);
    uint64_t space = opevo_space_signature(self->space);

    return opevo_hash_bytes(hash, &space, sizeof space);
}

opevo_status opevo_sketches_open(opevo_computation *computation, const opevo_sketch_target *target,
                                 opevo_kernel_maker **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    maker *self = opevo_calloc(1, sizeof *self);

    if (!self)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for sketches.");
    self->target = *target;
    self->limits = opevo_limits_default(target->dialect);
    OPEVO_TRY(opevo_sketches_create(computation, target, &self->sketches, err));
    OPEVO_TRY(opevo_sketches_space(self->sketches, &self->space, err));
    self->computation = computation;
    self->super = (opevo_kernel_maker){.ops = &maker_ops,
                                       .space = self->space,
                                       .computation = computation,
                                       .name = "sketch",
                                       .dialect = target->dialect,
                                       .threads = target->threads,
                                       .signature = signature_of(self)};
    self->features = (opevo_feature_source){OPEVO_STATEMENT_FEATURES, count_rows(self->sketches),
                                            features, self};
    self->super.features = &self->features;
    *out = &self->super;
    self = NULL;
cleanup:
    destroy(self ? &self->super : NULL);
    return status;
}
