/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Partition refinement. A class waits in the queue until the others have been split by how many
 * neighbours each of their vertices has in it. When a class that has been used already splits, all
 * its parts but the largest are queued: the counts into the largest are what the others leave of
 * the counts into the whole, which are equal already. */

#include "equitable_internal.h"

#include <opevo/memory.h>

#include <stdlib.h>

/* A vertex with neighbours in the class that splits. */
typedef struct touched {
    uint32_t class, count, vertex;
} touched;

typedef struct refinement {
    const opevo_graph *graph;
    uint32_t *vertex;   /* all vertices, those of a class side by side */
    uint32_t *position; /* of each vertex in `vertex` */
    uint32_t *class_of;
    uint32_t *first, *end; /* of each class in `vertex` */
    uint32_t class_count;
    uint32_t *queue; /* classes still to split by, last in, first out */
    bool *queued;
    uint32_t queue_length;
    uint32_t *count; /* neighbours in the class that splits, per vertex */
    touched *hits;
} refinement;

static void enqueue(refinement *self, uint32_t class)
{
    if (self->queued[class])
        return;
    self->queued[class] = true;
    self->queue[self->queue_length++] = class;
}

static int by_class_and_count(const void *a, const void *b)
{
    const touched *x = a, *y = b;

    if (x->class != y->class)
        return x->class < y->class ? -1 : 1;
    if (x->count != y->count)
        return x->count < y->count ? -1 : 1;
    return x->vertex < y->vertex ? -1 : x->vertex > y->vertex;
}

/* All vertices with a neighbour in `class`, sorted by their class and their number of them. */
static size_t collect(refinement *self, uint32_t class)
{
    const opevo_graph *graph = self->graph;
    size_t hit_count = 0;

    for (uint32_t i = self->first[class]; i < self->end[class]; i++) {
        uint32_t v = self->vertex[i];

        for (uint64_t k = graph->offset[v]; k < graph->offset[v + 1]; k++) {
            uint32_t w = graph->target[k];

            if (self->count[w]++ == 0)
                self->hits[hit_count++].vertex = w;
        }
    }
    for (size_t i = 0; i < hit_count; i++) {
        touched *hit = &self->hits[i];

        hit->class = self->class_of[hit->vertex];
        hit->count = self->count[hit->vertex];
        self->count[hit->vertex] = 0;
    }
    qsort(self->hits, hit_count, sizeof *self->hits, by_class_and_count);
    return hit_count;
}

/* Move the hits of one class to the end of its stretch, in their order. */
static void arrange(refinement *self, const touched *hits, size_t hit_count)
{
    uint32_t slot = self->end[hits[0].class];

    for (size_t i = hit_count; i-- > 0;) {
        uint32_t v = hits[i].vertex, from = self->position[v];
        uint32_t other = self->vertex[--slot];

        self->vertex[from] = other;
        self->position[other] = from;
        self->vertex[slot] = v;
        self->position[v] = slot;
    }
}

/* Give the vertices in places first .. end - 1 a new class. */
static uint32_t found_class(refinement *self, uint32_t first, uint32_t end)
{
    uint32_t class = self->class_count++;

    self->first[class] = first;
    self->end[class] = end;
    for (uint32_t i = first; i < end; i++)
        self->class_of[self->vertex[i]] = class;
    return class;
}

/* Split one class by the counts of its hits. Vertices without a hit are the first part, and each
 * run of equal counts is one more; the first part keeps the number of the class. */
static void split(refinement *self, const touched *hits, size_t hit_count)
{
    uint32_t class = hits[0].class, end = self->end[class];
    uint32_t first_hit = end - (uint32_t)hit_count;
    uint32_t made = self->class_count, largest = class;
    bool was_queued = self->queued[class];

    arrange(self, hits, hit_count);
    for (uint32_t i = 0, run = 0; i < hit_count; i = run) {
        for (run = i; run < hit_count && hits[run].count == hits[i].count; run++)
            ;
        if (first_hit + i == self->first[class])
            continue; /* all vertices were hit: this run is the first part */
        if (self->end[class] > first_hit + i)
            self->end[class] = first_hit + i;
        found_class(self, first_hit + i, first_hit + run);
    }
    for (uint32_t c = made; c < self->class_count; c++) {
        if (self->end[c] - self->first[c] > self->end[largest] - self->first[largest])
            largest = c;
    }
    if (made == self->class_count)
        return;
    if (was_queued || largest != class)
        enqueue(self, class);
    for (uint32_t c = made; c < self->class_count; c++) {
        if (was_queued || c != largest)
            enqueue(self, c);
    }
}

static void run(refinement *self)
{
    while (self->queue_length > 0) {
        uint32_t class = self->queue[--self->queue_length];
        size_t hit_count = 0;

        self->queued[class] = false;
        hit_count = collect(self, class);
        for (size_t i = 0, end = 0; i < hit_count; i = end) {
            for (end = i; end < hit_count && self->hits[end].class == self->hits[i].class; end++)
                ;
            split(self, self->hits + i, end - i);
        }
    }
}

static void release(refinement *self)
{
    opevo_free(self->vertex);
    opevo_free(self->position);
    opevo_free(self->class_of);
    opevo_free(self->first);
    opevo_free(self->end);
    opevo_free(self->queue);
    opevo_free(self->queued);
    opevo_free(self->count);
    opevo_free(self->hits);
}

static bool allocate(refinement *self, size_t n)
{
    self->vertex = opevo_malloc(n, sizeof *self->vertex);
    self->position = opevo_malloc(n, sizeof *self->position);
    self->class_of = opevo_malloc(n, sizeof *self->class_of);
    self->first = opevo_malloc(n, sizeof *self->first);
    self->end = opevo_malloc(n, sizeof *self->end);
    self->queue = opevo_malloc(n, sizeof *self->queue);
    self->queued = opevo_calloc(n, sizeof *self->queued);
    self->count = opevo_calloc(n, sizeof *self->count);
    self->hits = opevo_malloc(n, sizeof *self->hits);
    return self->vertex && self->position && self->class_of && self->first && self->end &&
           self->queue && self->queued && self->count && self->hits;
}

/* The start alone, and the rest. */
static void begin(refinement *self, size_t start, size_t n)
{
    for (size_t v = 0; v < n; v++)
        self->vertex[v] = self->position[v] = (uint32_t)v;
    self->vertex[0] = (uint32_t)start;
    self->vertex[start] = 0;
    self->position[start] = 0;
    self->position[0] = (uint32_t)start;
    enqueue(self, found_class(self, 0, 1));
    if (n > 1)
        enqueue(self, found_class(self, 1, (uint32_t)n));
}

opevo_status opevo_i_law_equitable_partition(const opevo_graph *graph, size_t start,
                                             uint32_t **class_of, size_t *class_count,
                                             opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    refinement self = {.graph = graph};

    OPEVO_NEED(allocate(&self, graph->vertex_count), "finding the classes of %zu vertices",
               graph->vertex_count);
    begin(&self, start, graph->vertex_count);
    run(&self);
    *class_of = self.class_of;
    self.class_of = NULL; /* handed over */
    *class_count = self.class_count;
cleanup:
    release(&self);
    return status;
}
