/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `droplet`: DropletTuner of TVM from v0.13 on. It starts where every knob has its first value,
 * tries the points that differ by one step, up or down, in any choice of knobs at once, moves to
 * whichever is better, and fills up a batch with longer steps of the same kind (speculation).
 *
 * Kept as shipped: an expansion ends after batch + 1 points that are new, so that with many knobs
 * only choices of nearly all of them are tried; after each batch the last point of the queue is
 * dropped unseen; steps that pass the last value of a knob come in again at the first, and steps
 * below the first stay there. TVM means to stop after batches without a success, but never counts
 * them, so it does not.
 *
 * Deliberate deviations: any better fitness is an improvement, for an outcome is one number; TVM
 * asks for a t-test at 0.05 where both have several samples. A new best point keeps its own
 * coordinates; TVM takes those of another where forbidden points were skipped in the batch. Where
 * TVM stops, a new descent starts at a uniform new point, unless told to stop. Above 16 knobs of
 * several values, for which TVM cannot list the 2^(d + 1) - 2 choices, only all knobs at once,
 * pairs and single ones are stepped. */

#include <opevo/diagram.h>
#include <opevo/hash.h>
#include <opevo/memory.h>
#include <opevo/space_listed.h>

#include <string.h>

#include "knobs_internal.h"
#include "rounds_internal.h"

enum { MASK_BITS_MOST = 16 };

/* A parameter of several values. */
typedef struct knob {
    const opevo_parameter *parameter;
    size_t place; /* among the parameters */
    opevo_index size;
    opevo_index best;            /* where the best point stands, as a knob */
    opevo_index still, up, down; /* the vertices there, and a step away */
} knob;

typedef struct entry {
    opevo_index point;
    const char *origin;
} entry;

typedef struct droplet {
    opevo_tuner super;
    const opevo_space *space;
    const opevo_diagram *diagram; /* that makes allowed points of steps; NULL: none */
    size_t batch;
    unsigned exhausted; /* 0: restart; 1: stop */
    opevo_rng rng;
    opevo_i_rounds *rounds;
    size_t width;
    opevo_index *vertices;

    knob *knobs;
    size_t knob_count;
    opevo_index step_most; /* the largest size of a knob */
    opevo_index step;      /* of the last speculation */
    double best_fitness;   /* 0: none yet */

    bool begun;
    opevo_index_set *queued; /* every point that stood in the queue in this descent */
    entry *queue;
    size_t queue_capacity;
    size_t queue_head;
    size_t queue_end;
    size_t queue_limit; /* where this expansion ends */
} droplet;

static const opevo_setting settings_table[] = {
    OPEVO_ROW_COUNT("batch", droplet, batch, 16, 1, 1024, "points measured before it moves",
                    .batch = OPEVO_BATCH_AT_MOST),
    OPEVO_ROW_CHOICE(
        "exhausted", droplet, exhausted, "restart stop",
        "what to do when no step is left: start at a uniform new point, or stop as TVM does"),
};

static void destroy(opevo_tuner *tuner)
{
    droplet *self = (droplet *)tuner;

    opevo_i_rounds_destroy(self->rounds);
    opevo_free(self->vertices);
    opevo_free(self->knobs);
    opevo_index_set_destroy(self->queued);
    opevo_free(self->queue);
    opevo_free(self);
}

static void set_knobs(droplet *self)
{
    self->step_most = 1;
    for (size_t i = self->width; i-- > 0;) {
        const opevo_parameter *parameter = opevo_space_parameter(self->space, i);
        opevo_index size = opevo_parameter_size(parameter);

        if (size > 1)
            self->knobs[self->knob_count++] =
                (knob){.parameter = parameter, .place = i, .size = size};
        if (size > self->step_most)
            self->step_most = size;
    }
}

static opevo_status create(const opevo_space *space, const opevo_setting_value *settings,
                           const opevo_rng *rng, opevo_tuner **out, opevo_error *err)
{
    droplet *self = opevo_calloc(1, sizeof *self);

    OPEVO_NEED_OR_RETURN(self, "the tuner droplet");
    self->space = space;
    self->diagram = opevo_space_draws_from(space);
    self->width = opevo_space_parameter_count(space);
    OPEVO_SETTINGS_READ(settings_table, settings, self);
    self->rng = *rng;
    self->step = 1;
    self->rounds = opevo_i_rounds_create(space);
    self->vertices = opevo_malloc(self->width, sizeof *self->vertices);
    self->knobs = opevo_calloc(self->width, sizeof *self->knobs);
    self->queued = opevo_index_set_create();
    if (!self->rounds || !self->vertices || !self->knobs || !self->queued) {
        destroy(&self->super);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the tuner droplet.");
    }
    set_knobs(self);
    *out = &self->super;
    return OPEVO_OK;
}

/* ---- The queue ---- */

static bool wants_more(const droplet *self)
{
    return self->queue_end < self->queue_limit;
}

static opevo_status enqueue(droplet *self, opevo_index point, const char *origin, opevo_error *err)
{
    if (!wants_more(self) || opevo_index_set_has(self->queued, point))
        return OPEVO_OK;
    OPEVO_NEED_OR_RETURN(opevo_index_set_add(self->queued, point) &&
                             opevo_reserve((void **)&self->queue, &self->queue_capacity,
                                           self->queue_end + 1, sizeof *self->queue),
                         "another step of droplet");
    self->queue[self->queue_end++] = (entry){.point = point, .origin = origin};
    return OPEVO_OK;
}

static size_t queue_count(const droplet *self)
{
    return self->queue_end - self->queue_head;
}

static void move_to(droplet *self, opevo_index point, double fitness)
{
    opevo_space_decode(self->space, point, self->vertices);
    for (size_t i = 0; i < self->knob_count; i++) {
        knob *one = &self->knobs[i];

        one->best = opevo_i_tvm_knob_of_vertex(one->parameter, self->vertices[one->place]);
    }
    self->best_fitness = fitness;
}

/* Where each knob is when it stands still or goes `step` up or down. */
static void set_steps(droplet *self, opevo_index step)
{
    for (size_t i = 0; i < self->knob_count; i++) {
        knob *one = &self->knobs[i];
        opevo_index up = (one->best + step) % one->size;
        opevo_index down = one->best > step ? one->best - step : 0;

        one->still = opevo_i_tvm_knob_to_vertex(one->parameter, one->best);
        one->up = opevo_i_tvm_knob_to_vertex(one->parameter, up);
        one->down = opevo_i_tvm_knob_to_vertex(one->parameter, down);
    }
}

/* The point at which the chosen knobs go up, or down. */
static opevo_index point_of(const droplet *self, const bool *chosen, bool up)
{
    opevo_index vertices[OPEVO_SPACE_PARAMETERS_MAX];

    memset(vertices, 0, self->width * sizeof *vertices); /* those that are not knobs */
    for (size_t i = 0; i < self->knob_count; i++) {
        const knob *one = &self->knobs[i];

        vertices[one->place] = !chosen[i] ? one->still : up ? one->up : one->down;
    }
    if (self->diagram)
        opevo_diagram_settle(self->diagram, vertices);
    return opevo_space_encode(self->space, vertices);
}

/* Queue the two points at which the chosen knobs go up, and down. Knobs are chosen by a mask, all
 * of them by SIZE_MAX; where the mask is 0 they are the two given. */
static opevo_status enqueue_both(droplet *self, size_t mask, size_t first, size_t second,
                                 const char *origin, opevo_error *err)
{
    bool chosen[OPEVO_SPACE_PARAMETERS_MAX] = {false};
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < self->knob_count; i++)
        chosen[i] = mask ? mask == SIZE_MAX || (mask >> i & 1) : i == first || i == second;
    status = enqueue(self, point_of(self, chosen, true), origin, err);
    return status == OPEVO_OK ? enqueue(self, point_of(self, chosen, false), origin, err) : status;
}

/* Queue the choices of knobs that go `step` up or down from the best point, until batch + 1 of the
 * points are new. The first parameter is the highest bit of a choice, and choices come by falling
 * number. */
static opevo_status enqueue_steps(droplet *self, opevo_index step, const char *origin,
                                  opevo_error *err)
{
    size_t count = self->knob_count;
    opevo_status status = OPEVO_OK;

    set_steps(self, step);
    self->queue_limit = self->queue_end + self->batch + 1;
    if (count <= MASK_BITS_MOST) {
        for (size_t mask = ((size_t)1 << count) - 1; mask > 0 && wants_more(self); mask--)
            OPEVO_TRY(enqueue_both(self, mask, 0, 0, origin, err));
        goto cleanup;
    }
    OPEVO_TRY(enqueue_both(self, SIZE_MAX, 0, 0, origin, err));
    for (size_t i = count; i-- > 0;) {
        for (size_t k = i + 1; k-- > 0 && wants_more(self);)
            OPEVO_TRY(enqueue_both(self, 0, i, k, origin, err));
    }
cleanup:
    return status;
}

/* ---- Batches ---- */

/* Look at a complete batch; whether it moved the best point. */
static bool take_batch(droplet *self)
{
    bool moved = false;

    for (size_t i = 0; i < opevo_i_rounds_count(self->rounds); i++) {
        double fitness = opevo_i_rounds_fitness(self->rounds, i);

        if (fitness > self->best_fitness) {
            move_to(self, opevo_i_rounds_point(self->rounds, i), fitness);
            moved = true;
        }
    }
    return moved;
}

/* Take the batch from the queue, and fill the queue again. */
static opevo_status follow(droplet *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    self->queue_head += queue_count(self) < self->batch ? queue_count(self) : self->batch;
    if (queue_count(self) > 0)
        self->queue_end--;
    if (self->queue_head > self->queue_end / 2) {
        self->queue_end = queue_count(self);
        memmove(self->queue, self->queue + self->queue_head, self->queue_end * sizeof *self->queue);
        self->queue_head = 0;
    }
    if (take_batch(self)) {
        status = enqueue_steps(self, 1, "neighbour", err);
        self->step = 1;
    }
    while (queue_count(self) < self->batch && self->step < self->step_most && status == OPEVO_OK)
        status = enqueue_steps(self, ++self->step, "speculation", err);
    return status;
}

/* The allowed points at the head of the queue become the round; one that an earlier descent
 * measured stands in it with the fitness of then, and costs no trial. */
static opevo_status fill(droplet *self, opevo_error *err)
{
    size_t most = queue_count(self) < self->batch ? queue_count(self) : self->batch;
    bool sparse = opevo_space_is_sparse(self->space);
    opevo_index vertices[OPEVO_SPACE_PARAMETERS_MAX];
    opevo_status status = OPEVO_OK;

    opevo_i_rounds_begin(self->rounds);
    for (size_t i = 0; i < most && status == OPEVO_OK; i++) {
        const entry *one = &self->queue[self->queue_head + i];
        opevo_index point = one->point;

        if (sparse) {
            opevo_space_decode(self->space, point, vertices);
            if (opevo_i_rounds_nearest(self->rounds, vertices, &point))
                status = opevo_i_rounds_add(self->rounds, point, one->origin, err);
        } else if (self->diagram || opevo_space_allows(self->space, point)) {
            status = opevo_i_rounds_add(self->rounds, point, one->origin, err);
        }
    }
    return status;
}

/* The first batch: the point of all first values alone, or steps from the best point measured
 * before the search. */
static opevo_status start(droplet *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    self->begun = true;
    if (self->best_fitness > 0) {
        OPEVO_TRY(enqueue_steps(self, 1, "neighbour", err));
        return fill(self, err);
    }
    self->queue_limit = 1;
    set_steps(self, 0);
    OPEVO_TRY(enqueue_both(self, SIZE_MAX, 0, 0, "initial", err));
    OPEVO_TRY(fill(self, err));
cleanup:
    return status;
}

/* No step is left: begin again elsewhere, or stop. */
static opevo_status restart(droplet *self, opevo_error *err)
{
    opevo_index_set *queued = NULL;
    opevo_status status = OPEVO_OK;

    if (self->exhausted) {
        self->super.reason = "no step from the best point is left";
        return OPEVO_OK;
    }
    queued = opevo_index_set_create();
    OPEVO_NEED_OR_RETURN(queued, "restarting droplet");
    opevo_index_set_destroy(self->queued);
    self->queued = queued;
    self->best_fitness = 0;
    self->step = 1;
    opevo_i_rounds_begin(self->rounds);
    status =
        opevo_i_rounds_add_uniform(self->rounds, &self->rng, "restart", &self->super.reason, err);
    if (status == OPEVO_OK && !self->super.reason)
        move_to(self, opevo_i_rounds_point(self->rounds, 0), 0);
    return status;
}

static opevo_status ask(opevo_tuner *tuner, opevo_proposal *proposals, size_t capacity,
                        size_t *count, opevo_error *err)
{
    droplet *self = (droplet *)tuner;
    opevo_status status = OPEVO_OK;

    if (!self->begun)
        OPEVO_TRY(start(self, err));
    while (opevo_i_rounds_complete(self->rounds) && !tuner->reason) {
        OPEVO_TRY(follow(self, err));
        if (queue_count(self) > 0)
            OPEVO_TRY(fill(self, err));
        else
            OPEVO_TRY(restart(self, err));
    }
    *count = opevo_i_rounds_ask(self->rounds, proposals, capacity);
cleanup:
    return status;
}

static opevo_status tell(opevo_tuner *tuner, const opevo_trial *trials, size_t count,
                         opevo_error *err)
{
    return opevo_i_rounds_tell(((droplet *)tuner)->rounds, trials, count, err);
}

static opevo_status observe(opevo_tuner *tuner, const opevo_trial *trials, size_t count,
                            opevo_error *err)
{
    droplet *self = (droplet *)tuner;

    for (size_t i = 0; i < count; i++) {
        if (trials[i].outcome.fitness > self->best_fitness)
            move_to(self, trials[i].proposal.point, trials[i].outcome.fitness);
    }
    return opevo_i_rounds_know(self->rounds, trials, count, err);
}

const opevo_tuner_ops opevo_i_droplet_ops = {
    .name = "droplet",
    .summary = "coordinate descent over all choices of knobs at once, with speculation",
    .source = "Canesche et al., \"The Droplet Search Algorithm for Kernel Scheduling\", TACO 2024; "
              "TVM v0.18, DropletTuner",
    .settings = settings_table,
    .setting_count = sizeof settings_table / sizeof *settings_table,
    .create = create,
    .ask = ask,
    .tell = tell,
    .destroy = destroy,
    .observe = observe,
};
