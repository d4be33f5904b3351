/* SPDX-License-Identifier: GPL-3.0-or-later */

/* TVM v0.6, python/tvm/autotvm/tuner/sa_model_optimizer.py, with its defaults: temperature from 1
 * to 0 in equal steps, an end after 50 steps in which no new point entered the list of the best.
 * The list is a heap laid out as Python's heapq does, so that points of equal score leave it in the
 * order of the original. Where the space has constraints, which v0.6 does not know, a walk draws on
 * until it meets an allowed point, as ConfigSpace.random_walk of later versions does; one that does
 * not in 1000 draws stays where it is. */

#include "annealing_internal.h"

#include <opevo/diagram.h>
#include <opevo/memory.h>
#include <opevo/space_listed.h>

#include <math.h>
#include <string.h>

#include "untried_internal.h"

enum {
    STILL_MOST = 50,   /* steps without a change of the list */
    COSTLY = 5,        /* times that a step in a wide space or in a diagram costs one in others */
    DRAWS_MOST = 1000, /* of one walk */
    SETTLED_MOST = 16, /* changes of one step that a diagram may undo */
    VALUES_MOST = 4096 /* of a parameter that steps in a diagram */
};

#define UNNUMBERED OPEVO_INDEX_MAX /* of a point of a wide space, which keeps all that it numbers */

typedef struct item {
    float score;
    bool empty; /* a place that no point has taken yet; `point` counts them */
    opevo_index point;
} item;

struct opevo_i_tvm_annealing {
    const opevo_space *space;
    size_t width;
    opevo_index *sizes;           /* of the parameters */
    opevo_index *strides;         /* of their vertices in the number of a point */
    const opevo_diagram *diagram; /* that steps come from; NULL: by rejection */
    size_t steps;
    size_t chains; /* once started, those that found a point of their own */
    bool started;
    bool unnumbered; /* chains are at vertices, whose points have no numbers */

    opevo_index *points; /* where the chains are */
    opevo_index *vertices;
    float *scores;
    opevo_index *next_points; /* where they may go */
    opevo_index *next_vertices;
    float *next_scores;

    item *heap;
    size_t heap_capacity;
    size_t heap_count;
    opevo_index_map *in_heap; /* point -> 1 while it is in the heap, 0 afterwards */
};

static void set_strides(opevo_i_tvm_annealing *self)
{
    opevo_index stride = 1;

    for (size_t i = self->width; i-- > 0;) {
        self->sizes[i] = opevo_parameter_size(opevo_space_parameter(self->space, i));
        self->strides[i] = stride;
        stride *= self->sizes[i];
    }
}

opevo_i_tvm_annealing *opevo_i_tvm_annealing_create(const opevo_space *space, size_t chains,
                                                    size_t steps)
{
    opevo_i_tvm_annealing *self = opevo_calloc(1, sizeof *self);
    size_t row = opevo_space_parameter_count(space) * sizeof(opevo_index);

    if (!self)
        return NULL;
    self->space = space;
    self->width = opevo_space_parameter_count(space);
    self->sizes = opevo_malloc(1, row);
    self->strides = opevo_malloc(1, row);
    self->chains = chains;
    self->steps = steps;
    self->points = opevo_malloc(chains, sizeof *self->points);
    self->vertices = opevo_malloc(chains, row);
    self->scores = opevo_malloc(chains, sizeof *self->scores);
    self->next_points = opevo_malloc(chains, sizeof *self->next_points);
    self->next_vertices = opevo_malloc(chains, row);
    self->next_scores = opevo_malloc(chains, sizeof *self->next_scores);
    if (!self->sizes || !self->strides || !self->points || !self->vertices || !self->scores ||
        !self->next_points || !self->next_vertices || !self->next_scores) {
        opevo_i_tvm_annealing_destroy(self);
        return NULL;
    }
    set_strides(self);
    self->diagram = opevo_space_draws_from(space);
    if (opevo_space_is_wide(space) || self->diagram)
        self->steps = (steps + COSTLY - 1) / COSTLY;
    return self;
}

void opevo_i_tvm_annealing_destroy(opevo_i_tvm_annealing *annealing)
{
    if (!annealing)
        return;
    opevo_free(annealing->sizes);
    opevo_free(annealing->strides);
    opevo_free(annealing->points);
    opevo_free(annealing->vertices);
    opevo_free(annealing->scores);
    opevo_free(annealing->next_points);
    opevo_free(annealing->next_vertices);
    opevo_free(annealing->next_scores);
    opevo_free(annealing->heap);
    opevo_index_map_destroy(annealing->in_heap);
    opevo_free(annealing);
}

/* ---- The list of the best ---- */

/* Order of Python's tuples (score, number); an empty place has the number -1 - point. */
static bool less(const item *a, const item *b)
{
    if (a->empty || b->empty)
        return a->empty && (!b->empty || a->point > b->point);
    return a->score < b->score || (a->score == b->score && a->point < b->point);
}

/* Python's _siftup: fill the place `at` from below to the bottom, and let the item rise there. */
static void sink(item *heap, size_t count, size_t at)
{
    item moved = heap[at];
    size_t start = at;

    while (2 * at + 1 < count) {
        size_t child = 2 * at + 1;

        if (child + 1 < count && !less(&heap[child], &heap[child + 1]))
            child++;
        heap[at] = heap[child];
        at = child;
    }
    /* Rise, though not above where it began. */
    while (at > start && less(&moved, &heap[(at - 1) / 2])) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = moved;
}

static opevo_status start_heap(opevo_i_tvm_annealing *self, size_t wanted, opevo_error *err)
{
    opevo_index_map_destroy(self->in_heap);
    self->in_heap = opevo_index_map_create();
    OPEVO_NEED_OR_RETURN(self->in_heap && opevo_reserve((void **)&self->heap, &self->heap_capacity,
                                                        wanted, sizeof *self->heap),
                         "a plan of %zu points", wanted);
    self->heap_count = wanted;
    for (size_t i = 0; i < wanted; i++)
        self->heap[i] = (item){.empty = true, .point = i};
    for (size_t i = wanted / 2; i-- > 0;)
        sink(self->heap, wanted, i);
    return OPEVO_OK;
}

/* Offer points to the list; *changed is set when one enters. */
static opevo_status offer(opevo_i_tvm_annealing *self, const opevo_i_tvm_annealing_goal *goal,
                          const opevo_index *points, const opevo_index *vertices,
                          const float *scores, bool *changed, opevo_error *err)
{
    for (size_t i = 0; i < self->chains; i++) {
        item *least = &self->heap[0];
        opevo_index point = points[i];
        uint64_t inside = 0;

        if (!least->empty && !(scores[i] > least->score))
            continue;
        if (point == UNNUMBERED)
            point = opevo_space_encode(self->space, vertices + i * self->width);
        if (point == OPEVO_INDEX_MAX)
            return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the points of a plan.");
        opevo_index_map_get(self->in_heap, point, &inside);
        if (inside || goal->excludes(goal->context, point))
            continue;
        if (!least->empty)
            opevo_index_map_put(self->in_heap, least->point, 0); /* present: cannot fail */
        OPEVO_NEED_OR_RETURN(opevo_index_map_put(self->in_heap, point, 1), "the points of a plan");
        *least = (item){.score = scores[i], .point = point};
        sink(self->heap, self->heap_count, 0);
        *changed = true;
    }
    return OPEVO_OK;
}

/* The points of the list by falling score, in the order of a stable sort of the heap. */
static size_t read_heap(opevo_i_tvm_annealing *self, float least, opevo_index *points)
{
    item *heap = self->heap;
    size_t count = 0;

    for (size_t i = 0; i < self->heap_count; i++) {
        item one = heap[i];
        size_t at = count;

        if (one.empty || !(one.score >= least))
            continue;
        for (; at > 0 && heap[at - 1].score < one.score; at--)
            heap[at] = heap[at - 1];
        heap[at] = one;
        count++;
    }
    for (size_t i = 0; i < count; i++)
        points[i] = heap[i].point;
    return count;
}

/* ---- The chains ---- */

static opevo_status start_chains(opevo_i_tvm_annealing *self, opevo_rng *rng, opevo_error *err)
{
    opevo_i_untried *fresh = opevo_i_untried_create(self->space);
    opevo_status status = fresh ? OPEVO_OK : OPEVO_NOMEM;
    const char *exhausted = NULL;
    size_t started = 0;

    OPEVO_NEED_OR_RETURN(fresh, "starting the chains of an annealing");
    while (started < self->chains && !exhausted && status == OPEVO_OK) {
        status = opevo_i_untried_draw(fresh, NULL, rng, &self->points[started], &exhausted, err);
        started += status == OPEVO_OK && !exhausted;
    }
    opevo_i_untried_destroy(fresh);
    if (status != OPEVO_OK)
        return status;
    self->chains = started;
    for (size_t i = 0; i < started; i++)
        opevo_space_decode(self->space, self->points[i], self->vertices + i * self->width);
    self->started = true;
    return OPEVO_OK;
}

/* Give parameter i another vertex, if it is active; in another branch the first point. Returns the
 * new point. */
static opevo_index change(const opevo_i_tvm_annealing *self, size_t i, opevo_index vertex,
                          opevo_index point, opevo_index *vertices)
{
    opevo_index before = vertices[i];

    if (before == OPEVO_INACTIVE)
        return point;
    vertices[i] = vertex;
    if (!opevo_space_has_strides(self->space)) {
        opevo_space_settle(self->space, i, vertices);
        return self->unnumbered ? UNNUMBERED : opevo_space_encode(self->space, vertices);
    }
    /* Unsigned numbers wrap, so that the difference may be negative. */
    return point + (vertex - before) * self->strides[i];
}

/* Where allowed points are rare: give the first parameter from a random one on that has allowed
 * vertices beside its own a uniform one of these. False, with nothing done, where they are many. */
static bool step_in_diagram(const opevo_i_tvm_annealing *self, size_t chain, opevo_rng *rng,
                            opevo_index *to)
{
    size_t first = (size_t)opevo_rng_below(rng, self->width);
    opevo_index values[VALUES_MOST];

    for (size_t k = 0; k < self->width; k++) {
        size_t i = (first + k) % self->width;
        size_t count =
            opevo_diagram_alternatives_of_allowed(self->diagram, to, i, values, VALUES_MOST);

        if (count > VALUES_MOST)
            return false;
        if (count == 0)
            continue;
        to[i] = values[opevo_rng_below(rng, count)];
        self->next_points[chain] =
            self->unnumbered ? UNNUMBERED : opevo_space_encode(self->space, to);
        return true;
    }
    self->next_points[chain] = self->points[chain];
    return true;
}

/* The same with branches, where a change of one parameter may take others along: change one at
 * random, and make the point allowed. */
static void settle_step(const opevo_i_tvm_annealing *self, size_t chain, opevo_rng *rng,
                        opevo_index *to)
{
    const opevo_index *from = self->vertices + chain * self->width;
    size_t row = self->width * sizeof *to;

    for (int tries = 0; tries < SETTLED_MOST; tries++) {
        size_t i = (size_t)opevo_rng_below(rng, self->width);

        memcpy(to, from, row);
        if (to[i] == OPEVO_INACTIVE)
            continue;
        to[i] = opevo_rng_below_wide(rng, self->sizes[i]);
        opevo_space_settle(self->space, i, to);
        opevo_diagram_settle(self->diagram, to);
        if (memcmp(from, to, row) == 0)
            continue;
        self->next_points[chain] =
            self->unnumbered ? UNNUMBERED : opevo_space_encode(self->space, to);
        return;
    }
    memcpy(to, from, row);
    self->next_points[chain] = self->points[chain];
}

/* Whether a chain may go there, which is not where it is. */
static bool is_step(const opevo_i_tvm_annealing *self, size_t chain, opevo_index point)
{
    const opevo_index *from = self->vertices + chain * self->width;
    const opevo_index *to = self->next_vertices + chain * self->width;

    return self->unnumbered
               ? memcmp(from, to, self->width * sizeof *to) != 0 &&
                     opevo_space_allows_vertices(self->space, to)
               : point != self->points[chain] && opevo_space_allows(self->space, point);
}

/* Change parameters at random until the point is another, allowed one. */
static void walk(const opevo_i_tvm_annealing *self, size_t chain, opevo_rng *rng)
{
    const opevo_index *from = self->vertices + chain * self->width;
    opevo_index *to = self->next_vertices + chain * self->width;
    opevo_index point = self->points[chain];

    if (opevo_space_is_sparse(self->space)) {
        point = opevo_space_listed_step(self->space, point, opevo_rng_u64(rng));
        self->next_points[chain] = point;
        opevo_space_decode(self->space, point, to);
        return;
    }
    memcpy(to, from, self->width * sizeof *to);
    if (self->diagram && opevo_space_has_branches(self->space)) {
        settle_step(self, chain, rng, to);
        return;
    }
    if (self->diagram && step_in_diagram(self, chain, rng, to))
        return;
    for (int draws = 0; draws < DRAWS_MOST; draws++) {
        size_t i = (size_t)opevo_rng_below(rng, self->width);
        opevo_index drawn = opevo_rng_below_wide(rng, self->sizes[i]);

        point = change(self, i, drawn, point, to);
        if (is_step(self, chain, point)) {
            self->next_points[chain] = point;
            return;
        }
    }
    memcpy(to, from, self->width * sizeof *to);
    self->next_points[chain] = self->points[chain];
}

static void accept(opevo_i_tvm_annealing *self, double temperature, opevo_rng *rng)
{
    for (size_t i = 0; i < self->chains; i++) {
        double gain = (double)self->next_scores[i] - (double)self->scores[i];
        double power = gain / (temperature + 1e-5);

        /* The original bounds the power by 1, which matters no more than any bound above 0. */
        if (power < 0 && opevo_rng_unit(rng) >= exp(power))
            continue;
        self->points[i] = self->next_points[i];
        self->scores[i] = self->next_scores[i];
        memcpy(self->vertices + i * self->width, self->next_vertices + i * self->width,
               self->width * sizeof *self->vertices);
    }
}

static opevo_status step(opevo_i_tvm_annealing *self, const opevo_i_tvm_annealing_goal *goal,
                         double temperature, opevo_rng *rng, bool *changed, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < self->chains; i++)
        walk(self, i, rng);
    status = goal->scores(goal->context, self->next_points, self->next_vertices, self->chains,
                          self->next_scores, err);
    if (status != OPEVO_OK)
        return status;
    accept(self, temperature, rng);
    return offer(self, goal, self->next_points, self->next_vertices, self->next_scores, changed,
                 err);
}

opevo_status opevo_i_tvm_annealing_search(opevo_i_tvm_annealing *annealing,
                                          const opevo_i_tvm_annealing_goal *goal, size_t wanted,
                                          opevo_rng *rng, opevo_index *points, size_t *count,
                                          opevo_error *err)
{
    opevo_i_tvm_annealing *self = annealing;
    opevo_status status = OPEVO_OK;
    size_t last_change = 0;
    double temperature = 1;
    bool changed = false;

    self->unnumbered =
        opevo_space_is_wide(self->space) && !opevo_space_is_sparse(self->space) && !goal->numbers;
    if (!self->started)
        OPEVO_TRY(start_chains(self, rng, err));
    OPEVO_TRY(start_heap(self, wanted, err));
    OPEVO_TRY(
        goal->scores(goal->context, self->points, self->vertices, self->chains, self->scores, err));
    OPEVO_TRY(offer(self, goal, self->points, self->vertices, self->scores, &changed, err));
    for (size_t k = 0; k < self->steps && k < last_change + STILL_MOST; k++) {
        changed = false;
        OPEVO_TRY(step(self, goal, temperature, rng, &changed, err));
        if (changed)
            last_change = k;
        temperature -= 1 / (double)(self->steps + 1);
    }
    *count = read_heap(self, goal->least, points);
cleanup:
    return status;
}
