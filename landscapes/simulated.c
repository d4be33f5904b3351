/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The simulated objective: a point is decoded into the factors of its schedule, the schedule into
 * what it asks of the device, and that into a time. The values of every vertex are tabulated at
 * open, so that an evaluation is arithmetic only. */

#include "objective_files_internal.h"
#include "simulated_internal.h"

#include <opevo/hash.h>
#include <opevo/loop_tree.h>
#include <opevo/memory.h>
#include <opevo/parallel.h>

#include <math.h>
#include <string.h>

typedef struct simulated {
    opevo_objective super;
    opevo_operator op;
    opevo_i_landscape_device device;
    const opevo_i_landscape_schedule *schedule;
    opevo_space *space;
    size_t parameter_count;
    uint64_t vertex_count[OPEVO_I_PARAMETERS];
    int32_t *values[OPEVO_I_PARAMETERS]; /* OPEVO_I_SLOTS for each vertex */
    char *name;
    opevo_optimum optimum;
    opevo_feature_source trees;
} simulated;

/* Enumeration of a larger space would take hours: its optimum stays unknown. */
#define LARGEST_ENUMERATION ((opevo_index)1 << 33)

enum { CHUNK = 65536, LARGEST_TABLE = 1 << 24 };

static void decode(const simulated *self, opevo_index point, opevo_i_landscape_factors *factors)
{
    if (point >> 64) {
        opevo_index vertices[OPEVO_I_PARAMETERS];

        opevo_space_decode(self->space, point, vertices);
        for (size_t i = 0; i < self->parameter_count; i++)
            factors->factor[i] = self->values[i] + OPEVO_I_SLOTS * (size_t)vertices[i];
        return;
    }
    for (uint64_t rest = (uint64_t)point, i = self->parameter_count; i-- > 0;) {
        uint64_t quotient = rest / self->vertex_count[i];

        factors->factor[i] =
            self->values[i] + OPEVO_I_SLOTS * (rest - quotient * self->vertex_count[i]);
        rest = quotient;
    }
}

/* Seconds of one execution, or NAN with the class of the failure. */
static double execute(const simulated *self, opevo_index point, opevo_outcome_class *kind)
{
    opevo_i_landscape_factors factors;
    opevo_i_landscape_launch launch;
    opevo_i_landscape_work work;

    decode(self, point, &factors);
    self->schedule->launch(&self->op, &factors, &launch);
    *kind = opevo_i_landscape_launch_check(&self->device, &launch);
    if (*kind != OPEVO_OUTCOME_OK)
        return NAN;
    self->schedule->work(&self->op, &self->device, &factors, &work);
    return opevo_i_landscape_gpu_time_s(&self->device, &launch, &work);
}

/* Also of a point that breaks a limit of the device: that it does is for a model to learn. */
static size_t tree(void *context, opevo_index point, float *rows)
{
    const simulated *self = context;
    opevo_i_landscape_factors factors;

    decode(self, point, &factors);
    return self->schedule->tree(&self->op, &factors, rows);
}

static const char *failure_message(opevo_outcome_class kind)
{
    switch (kind) {
    case OPEVO_OUTCOME_REJECTED:
        return "a block needs more threads or shared memory than the device allows";
    case OPEVO_OUTCOME_BUILD_ERROR:
        return "a stage loop of one iteration (k1 = 1) cannot be double buffered";
    default:
        return "the block is too deep or the grid too large for the device";
    }
}

/* The paper's harness runs a kernel three times before it times clamp(1 s / time, 3, 100) runs. */
static double harness_runs(double time_s)
{
    double timed = floor(1.0 / time_s);

    return 3.0 + (timed < 3.0 ? 3.0 : timed > 100.0 ? 100.0 : timed);
}

static opevo_status evaluate(opevo_objective *objective, const opevo_index *points, size_t count,
                             opevo_outcome *outcomes, opevo_error *err)
{
    const simulated *self = (const simulated *)objective;

    (void)err;
    for (size_t i = 0; i < count; i++) {
        opevo_outcome_class kind = OPEVO_OUTCOME_OK;
        double time_s = execute(self, points[i], &kind);

        outcomes[i] = opevo_outcome_failed(kind);
        if (kind != OPEVO_OUTCOME_OK) {
            outcomes[i].message = failure_message(kind);
            continue;
        }
        outcomes[i].fitness = self->super.flop / time_s * 1e-9;
        outcomes[i].time_s = time_s;
        outcomes[i].run_s = time_s * harness_runs(time_s);
    }
    return OPEVO_OK;
}

/* ---- Optimum ---- */

typedef struct search {
    const simulated *self;
    opevo_index size;
    opevo_optimum *best; /* of each chunk */
} search;

static opevo_status search_chunk(void *context, size_t chunk, unsigned worker, opevo_error *err)
{
    const search *job = context;
    opevo_index end = ((opevo_index)chunk + 1) * CHUNK;
    opevo_optimum best = {.known = false};
    double least_s = INFINITY;

    (void)worker;
    (void)err;
    if (end > job->size)
        end = job->size;
    for (opevo_index point = (opevo_index)chunk * CHUNK; point < end; point++) {
        opevo_outcome_class kind = OPEVO_OUTCOME_OK;
        double time_s = execute(job->self, point, &kind);

        if (time_s < least_s) { /* false for NAN */
            least_s = time_s;
            best = (opevo_optimum){true, point, job->self->super.flop / time_s * 1e-9};
        }
    }
    job->best[chunk] = best;
    return OPEVO_OK;
}

/* Every point, on all processors. Chunks ascend, and only a larger fitness replaces the best, so
 * that the smallest of equally good points wins on any number of threads. */
static opevo_status enumerate(const simulated *self, opevo_optimum *out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_optimum best = {.known = false};
    search job = {.self = self, .size = opevo_space_size(self->space)};
    size_t chunks = (size_t)((job.size + CHUNK - 1) / CHUNK);

    job.best = opevo_calloc(chunks, sizeof *job.best);
    OPEVO_NEED_OR_RETURN(job.best, "finding the optimum of %s", self->name);
    OPEVO_TRY(opevo_parallel_for(chunks, 0, search_chunk, &job, err));
    for (size_t i = 0; i < chunks; i++) {
        if (job.best[i].known && (!best.known || job.best[i].fitness > best.fitness))
            best = job.best[i];
    }
    *out = best;
cleanup:
    opevo_free(job.best);
    return status;
}

static bool is_confirmed(const simulated *self, const opevo_optimum *cached)
{
    opevo_outcome_class kind = OPEVO_OUTCOME_OK;
    double time_s = 0.0;

    if (cached->point >= opevo_space_size(self->space))
        return false;
    time_s = execute(self, cached->point, &kind);
    return kind == OPEVO_OUTCOME_OK && self->super.flop / time_s * 1e-9 == cached->fitness;
}

static opevo_status optimum(opevo_objective *objective, opevo_optimum *out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    simulated *self = (simulated *)objective;
    opevo_optimum cached = {.known = false};

    if (!self->optimum.known && opevo_space_size(self->space) <= LARGEST_ENUMERATION) {
        if (opevo_i_landscape_optimum_read(self->super.signature, &cached) &&
            is_confirmed(self, &cached)) {
            self->optimum = cached;
        } else {
            OPEVO_TRY(enumerate(self, &self->optimum, err));
            if (self->optimum.known)
                opevo_i_landscape_optimum_write(self->super.signature, &self->optimum);
        }
    }
    *out = self->optimum;
cleanup:
    return status;
}

/* ---- Opening ---- */

static void destroy(opevo_objective *objective)
{
    simulated *self = (simulated *)objective;

    for (size_t i = 0; i < OPEVO_I_PARAMETERS; i++)
        opevo_free(self->values[i]);
    opevo_space_destroy(self->space);
    opevo_free(self->name);
    opevo_i_landscape_files_free(objective->files);
    opevo_free(self);
}

static const opevo_objective_ops simulated_ops = {
    .kind = "simulated", .evaluate = evaluate, .optimum = optimum, .destroy = destroy};

static opevo_status tabulate(simulated *self, size_t i, opevo_error *err)
{
    const opevo_parameter *parameter = opevo_space_parameter(self->space, i);
    opevo_index count = opevo_parameter_size(parameter);
    size_t arity = opevo_parameter_arity(parameter);

    if (count > LARGEST_TABLE)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "%s has too many values to simulate.",
                          opevo_parameter_text(parameter));
    self->vertex_count[i] = (uint64_t)count;
    self->values[i] = opevo_calloc((size_t)count, OPEVO_I_SLOTS * sizeof *self->values[i]);
    OPEVO_NEED_OR_RETURN(self->values[i], "the values of %s", opevo_parameter_text(parameter));
    for (size_t vertex = 0; vertex < (size_t)count; vertex++) {
        opevo_value components[OPEVO_I_SLOTS];

        opevo_parameter_value(parameter, vertex, components);
        for (size_t j = 0; j < arity; j++)
            self->values[i][OPEVO_I_SLOTS * vertex + j] =
                (int32_t)opevo_value_number(components[j]);
    }
    return OPEVO_OK;
}

/* "sim:DEVICE OPERATOR", the operator by its name where it has one. */
static opevo_status set_name(simulated *self, const char *device, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_text form = {0};
    opevo_text name = {0};
    const char *known = NULL;

    opevo_operator_print(&self->op, &form);
    for (size_t i = 0; i < opevo_operator_count(); i++) {
        const opevo_named_operator *row = opevo_operator_get(i);

        opevo_text_clear(&name);
        opevo_operator_print(&row->op, &name);
        if (strcmp(opevo_text_string(&name), opevo_text_string(&form)) == 0)
            known = row->name;
    }
    opevo_text_clear(&name);
    opevo_text_printf(&name, "sim:%s %s", device, known ? known : opevo_text_string(&form));
    OPEVO_TRY(opevo_text_check(&form, err));
    OPEVO_TRY(opevo_text_check(&name, err));
    self->name = name.data;
    name.data = NULL;
cleanup:
    opevo_text_free(&form);
    opevo_text_free(&name);
    return status;
}

static uint64_t signature(const simulated *self)
{
    const opevo_operator *op = &self->op;
    const int64_t words[] = {(int64_t)OPEVO_I_MODEL_VERSION,
                             (int64_t)op->kind,
                             op->batch,
                             op->n,
                             op->m,
                             op->k,
                             op->transpose_x,
                             op->transpose_y,
                             op->in_channels,
                             op->height,
                             op->width,
                             op->out_channels,
                             op->kernel_height,
                             op->kernel_width,
                             op->stride,
                             op->padding};
    uint64_t space = opevo_space_signature(self->space);
    uint64_t hash = opevo_hash_bytes(OPEVO_HASH_START, words, sizeof words);

    hash = opevo_hash_bytes(hash, &self->device, sizeof self->device);
    return opevo_hash_bytes(hash, &space, sizeof space);
}

opevo_status opevo_simulated_open(const opevo_operator *op, const char *device,
                                  opevo_objective **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    simulated *self = opevo_calloc(1, sizeof *self);

    OPEVO_NEED_OR_RETURN(self, "a simulated landscape");
    self->op = *op;
    self->schedule = op->kind == OPEVO_CONV2D ? &opevo_i_landscape_conv2d_schedule
                                              : &opevo_i_landscape_matmul_schedule;
    OPEVO_TRY(opevo_i_landscape_device_load(device, &self->device, err));
    OPEVO_TRY(opevo_operator_space(op, &self->space, err));
    self->parameter_count = opevo_space_parameter_count(self->space);
    for (size_t i = 0; i < self->parameter_count; i++)
        OPEVO_TRY(tabulate(self, i, err));
    OPEVO_TRY(set_name(self, device, err));
    self->trees = (opevo_feature_source){OPEVO_LOOP_COLUMNS, OPEVO_LOOP_TREE_ROWS, tree, self};
    self->super = (opevo_objective){.ops = &simulated_ops,
                                    .space = self->space,
                                    .name = self->name,
                                    .unit = "GFLOP/s",
                                    .flop = opevo_operator_flop(op),
                                    .signature = signature(self),
                                    .concurrent = true,
                                    .trees = &self->trees};
    if (!opevo_i_landscape_device_is_known(device))
        OPEVO_TRY(opevo_i_landscape_files_copy(&device, 1, &self->super.files, err));
    *out = &self->super;
    self = NULL; /* handed over */
cleanup:
    if (self)
        destroy(&self->super);
    return status;
}
