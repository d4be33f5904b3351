/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels from the points of the space of sketches. */

#include "sketch_internal.h"

#include "template_internal.h"

#include <opevo/emit.h>
#include <opevo/hash.h>
#include <opevo/memory.h>
#include <opevo/nearest.h>
#include <opevo/pipeline_features.h>
#include <opevo/space.h>

#include <math.h>
#include <stdatomic.h>

/* Raised when a sketch gives other code for a point than before. */
enum { SKETCHES_VERSION = 6 };

typedef struct maker {
    opevo_kernel_maker super;
    opevo_computation *computation;
    opevo_sketch_target target;
    opevo_sketches *sketches;
    opevo_space *space; /* of all points; super.space is this one, or: */
    opevo_space *part;  /* with the same parameters, fewer values or points; NULL */
    opevo_limits limits;
    opevo_feature_source features, trees;
    atomic_uint owners;
} maker;

/* The first parameter of a sketch: the parameters of a branch follow one another. */
static size_t first_parameter(const maker *self, size_t number)
{
    size_t first = self->sketches->count > 1;

    for (size_t i = 0; i < number; i++)
        first += (size_t)self->sketches->item[i]->slots;
    return first;
}

/* The same point in the whole space and in the part of it, vertex by vertex. For a value that `to`
 * lacks its nearest one stands; false if there is such a value. */
static bool translate(const opevo_space *from, const opevo_space *to, opevo_index *vertex)
{
    bool all = true;

    for (size_t i = 0; from != to && i < opevo_space_parameter_count(from); i++) {
        const opevo_parameter *parameter = opevo_space_parameter(to, i);
        opevo_value component[8];
        opevo_index there = 0;

        if (vertex[i] == OPEVO_INACTIVE)
            continue;
        opevo_parameter_value(opevo_space_parameter(from, i), vertex[i], component);
        if (!opevo_parameter_find(parameter, component, &there)) {
            opevo_parameter_nearest(parameter, component, &there);
            all = false;
        }
        vertex[i] = there;
    }
    return all;
}

/* The sketch of a point, and its values. */
static const opevo_sketch *read_point(const maker *self, opevo_index point,
                                      opevo_slot_value *values)
{
    opevo_index vertex[OPEVO_SPACE_PARAMETERS_MAX];
    size_t first = 0;
    size_t number = 0;
    const opevo_sketch *sketch = NULL;

    opevo_space_decode(self->super.space, point, vertex);
    translate(self->super.space, self->space, vertex);
    if (self->sketches->count > 1)
        number = (size_t)vertex[0];
    first = first_parameter(self, number);
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

static size_t tree(void *context, opevo_index point, float *rows)
{
    opevo_pipeline *pipeline = NULL;
    opevo_text why = {0};
    size_t count = 0;

    if (opevo_sketches_pipeline(context, point, &pipeline, &why, NULL) == OPEVO_OK && pipeline &&
        opevo_pipeline_tree(pipeline, rows, &count, NULL) != OPEVO_OK)
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
        for (int key = 0; key < sketch->pipeline->stages; key++)
            rows += sketch->gathers[key] > 0;
        most = rows > most ? rows : most;
    }
    return most;
}

/* The vertices of a sketch with values, those of tiles nearest to them. */
static void encode(const maker *self, size_t number, const opevo_slot_value *values,
                   opevo_index *vertex)
{
    const opevo_sketch *sketch = self->sketches->item[number];
    size_t first = first_parameter(self, number);

    for (size_t i = 0; i < opevo_space_parameter_count(self->space); i++)
        vertex[i] = OPEVO_INACTIVE;
    vertex[0] = number;
    for (int i = 0; i < sketch->slots; i++) {
        opevo_value wanted[8];

        vertex[first + (size_t)i] = (opevo_index)values[i].choice;
        for (int k = 0; k < sketch->slot[i].parts; k++)
            wanted[k] = opevo_value_of_integer(values[i].length[k]);
        if (sketch->slot[i].kind == OPEVO_SLOT_TILE)
            opevo_parameter_nearest(opevo_space_parameter(self->space, first + (size_t)i), wanted,
                                    &vertex[first + (size_t)i]);
    }
}

opevo_status opevo_sketches_find(const opevo_kernel_maker *super, const opevo_pipeline *pipeline,
                                 opevo_index near, bool *found, opevo_index *point,
                                 opevo_error *err)
{
    const maker *self = (const maker *)super;
    opevo_status status = OPEVO_OK;

    (void)near;
    *found = false;
    for (size_t i = 0; i < self->sketches->count && status == OPEVO_OK && !*found; i++) {
        opevo_slot_value values[OPEVO_SKETCH_SLOTS];
        opevo_index vertex[OPEVO_SPACE_PARAMETERS_MAX];

        status = opevo_i_sketch_match(self->sketches->item[i], pipeline, values, found, err);
        if (status != OPEVO_OK || !*found)
            continue;
        encode(self, i, values, vertex);
        *found = translate(self->space, super->space, vertex);
        *point = opevo_space_encode(super->space, vertex);
    }
    return status;
}

/* The allowed point that is nearest to a sketch's preferred values, of another sketch only if
 * `others`. */
static opevo_status start_in(const maker *self, size_t number, const opevo_device_facts *facts,
                             bool others, bool *found, opevo_index *point, opevo_error *err)
{
    opevo_slot_value values[OPEVO_SKETCH_SLOTS];
    opevo_index vertex[OPEVO_SPACE_PARAMETERS_MAX] = {0};
    opevo_status status = OPEVO_OK;
    opevo_index near = 0;
    bool any = false;

    opevo_i_sketch_prefer(self->sketches->item[number], facts, self->target.threads, values);
    encode(self, number, values, vertex);
    translate(self->space, self->super.space, vertex);
    OPEVO_TRY(opevo_space_nearest_allowed(self->super.space, vertex, &any, &near, err));
    if (!any)
        return OPEVO_OK;
    opevo_space_decode(self->super.space, near, vertex);
    if (others || self->sketches->count == 1 || vertex[0] == number)
        status = opevo_i_template_is_accepted(&self->super, near, found, err);
    if (*found)
        *point = near;
cleanup:
    return status;
}

/* The sketches by what is expected of them, as far as the space has points of them. */
static opevo_status start(const opevo_kernel_maker *super, const opevo_device_facts *facts,
                          bool *found, opevo_index *point, opevo_error *err)
{
    const maker *self = (const maker *)super;
    bool *refused = opevo_calloc(self->sketches->count, sizeof *refused);
    opevo_status status = OPEVO_OK;

    *found = false;
    OPEVO_NEED_OR_RETURN(refused, "a start point");
    for (int registers = 1; registers >= 0 && !*found; registers--) {
        while (!*found) {
            size_t number = opevo_i_sketch_choose(self->sketches, facts, registers, refused);

            if (number == self->sketches->count)
                break;
            OPEVO_TRY(start_in(self, number, facts, false, found, point, err));
            refused[number] = true;
        }
    }
    for (size_t i = 0; i < self->sketches->count && !*found; i++)
        OPEVO_TRY(start_in(self, i, facts, true, found, point, err));
cleanup:
    opevo_free(refused);
    return status;
}

static void destroy(opevo_kernel_maker *super)
{
    maker *self = (maker *)super;

    if (!self || atomic_fetch_sub(&self->owners, 1) > 1)
        return;
    opevo_space_destroy(self->space);
    opevo_space_destroy(self->part);
    opevo_sketches_destroy(self->sketches);
    opevo_computation_destroy(self->computation);
    opevo_free(self);
}

static const opevo_kernel_maker_ops maker_ops = {
    .make = make,
    .destroy = destroy,
    .start = start,
    .pipeline = opevo_sketches_pipeline,
    .find = opevo_sketches_find,
};

bool opevo_sketches_made(const opevo_kernel_maker *super)
{
    return super->ops == &maker_ops;
}

int64_t opevo_sketches_scratch(const opevo_computation *computation)
{
    double bytes = 0;

    for (int i = 0; i < computation->tensors; i++)
        bytes += (double)opevo_tensor_elements(computation->tensor[i]) *
                 opevo_element_bytes(computation->tensor[i]->element);
    return opevo_limits_packed(bytes);
}

/* The signature has a limit only where it is not the computation's own. */
static uint64_t signature_of(const maker *self)
{
    const uint64_t parts[] = {SKETCHES_VERSION, opevo_computation_signature(self->computation),
                              (uint64_t)self->target.dialect, self->target.threads};
    uint64_t hash = opevo_hash_bytes(OPEVO_HASH_START, parts, sizeof parts);
    uint64_t space = opevo_space_signature(self->part ? self->part : self->space);
    int64_t limit = self->limits.packed_bytes;

    hash = opevo_hash_bytes(hash, &space, sizeof space);
    return !opevo_kernel_is_for_cpu(self->target.dialect) ||
                   limit == opevo_sketches_scratch(self->computation)
               ? hash
               : opevo_hash_bytes(hash, &limit, sizeof limit);
}

opevo_status opevo_sketches_open(opevo_computation *computation, const opevo_sketch_target *target,
                                 opevo_kernel_maker **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    maker *self = opevo_calloc(1, sizeof *self);

    OPEVO_NEED_OR_RETURN(self, "sketches");
    atomic_init(&self->owners, 1);
    self->target = *target;
    self->limits = opevo_limits_default(target->dialect);
    if (opevo_kernel_is_for_cpu(target->dialect))
        self->limits.packed_bytes = opevo_sketches_scratch(computation);
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
    self->trees = (opevo_feature_source){OPEVO_LOOP_COLUMNS, OPEVO_LOOP_TREE_ROWS, tree, self};
    self->super.trees = &self->trees;
    *out = &self->super;
    self = NULL;
cleanup:
    destroy(self ? &self->super : NULL);
    return status;
}

opevo_kernel_maker *opevo_sketches_share(opevo_kernel_maker *super)
{
    atomic_fetch_add(&((maker *)super)->owners, 1);
    return super;
}

opevo_status opevo_sketches_narrow(opevo_kernel_maker *super, opevo_space *part, opevo_error *err)
{
    maker *self = (maker *)super;
    opevo_status status = opevo_i_template_check_part(self->space, part, super->name, err);

    if (status != OPEVO_OK)
        return status;
    opevo_space_destroy(self->part);
    self->part = part;
    super->space = part;
    super->signature = signature_of(self);
    return OPEVO_OK;
}

/* ---- Limits ---- */

static bool has_location(const opevo_sketch *sketch, int key)
{
    for (int i = 0; i < sketch->slots; i++) {
        if (sketch->slot[i].kind == OPEVO_SLOT_LOCATION && sketch->slot[i].key == key)
            return true;
    }
    return false;
}

/* The bytes of what a sketch stores as a whole at every point. */
static double stored_bytes(const opevo_sketch *sketch)
{
    const opevo_pipeline *pipeline = sketch->pipeline;
    double sum = 0;

    for (int key = 0; key < pipeline->stages; key++) {
        const opevo_i_pipeline_stage *stage = pipeline->stage[key];
        double bytes = opevo_element_bytes(opevo_i_pipeline_element(pipeline, key));

        if (stage->kind == OPEVO_STAGE_INPUT || stage->place != OPEVO_PLACE_ROOT ||
            opevo_i_pipeline_is_output(pipeline, key) || has_location(sketch, key))
            continue;
        for (int a = 0; a < stage->dims; a++)
            bytes *= (double)stage->own.axis_extent[a];
        sum += bytes;
    }
    return sum;
}

opevo_status opevo_sketches_limit(opevo_kernel_maker *super, int64_t scratch_bytes,
                                  opevo_error *err)
{
    maker *self = (maker *)super;
    double least = INFINITY;

    for (size_t i = 0; i < self->sketches->count; i++)
        least = fmin(least, stored_bytes(self->sketches->item[i]));
    if (least > (double)scratch_bytes)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "Kernels store intermediate results of at least %.0f MiB, more than the "
                          "%.0f MiB that they may use beside their operands.",
                          ceil(least * 0x1p-20), (double)scratch_bytes * 0x1p-20);
    self->limits.packed_bytes = scratch_bytes ? scratch_bytes : -1;
    super->signature = signature_of(self);
    return OPEVO_OK;
}

size_t opevo_sketches_beyond_limit(const opevo_kernel_maker *super, opevo_text *names)
{
    const maker *self = (const maker *)super;
    size_t count = 0;

    for (size_t i = 0; i < self->sketches->count; i++) {
        if (!opevo_kernel_is_for_cpu(self->target.dialect) ||
            stored_bytes(self->sketches->item[i]) <= fmax(0, (double)self->limits.packed_bytes))
            continue;
        opevo_text_printf(names, "%ss%zu", count ? ", " : "", i + 1);
        count++;
    }
    return count;
}
