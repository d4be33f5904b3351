/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What is known of a computation only at the end of its text: extents, roles, whether all reads are
 * inside their tensors, and who reads whom. */

#include "computation_parse_internal.h"

#include <opevo/memory.h>

#include <string.h>

static bool resolve_axis(opevo_i_comp_parser *self, size_t symbol, opevo_axis *out)
{
    const opevo_i_comp_symbol *axis = &self->symbols[symbol];

    if (!axis->value)
        return opevo_i_comp_parse_fail(self, OPEVO_INVALID, axis->place,
                                       "the extent of %s is not known; write it once, as %s:64.",
                                       axis->name, axis->name);
    *out = (opevo_axis){.name = axis->name, .extent = axis->value};
    return true;
}

/* Where a tensor first stands. */
static opevo_i_comp_place place_of(const opevo_i_comp_parser *self, const opevo_tensor *tensor)
{
    return self->symbols[opevo_i_comp_symbol_find(self, tensor->name, strlen(tensor->name))].place;
}

static bool check_size(opevo_i_comp_parser *self, const opevo_tensor *tensor)
{
    double elements = 1;
    double points = 1;

    for (int d = 0; d < tensor->dims; d++)
        elements *= (double)tensor->extent[d];
    for (int a = 0; tensor->definition && a < tensor->definition->axes; a++)
        points *= (double)tensor->definition->axis[a].extent;
    if (elements > (double)OPEVO_COMPUTATION_ELEMENTS)
        return opevo_i_comp_parse_fail(self, OPEVO_LIMIT, place_of(self, tensor),
                                       "%s has %.4g elements; the limit is 2^40.", tensor->name,
                                       elements);
    if (points > OPEVO_COMPUTATION_POINTS)
        return opevo_i_comp_parse_fail(self, OPEVO_LIMIT, place_of(self, tensor),
                                       "%s is defined by %.4g points; the limit is 2^60.",
                                       tensor->name, points);
    return true;
}

static bool resolve(opevo_i_comp_parser *self, opevo_i_comp_pending *pending)
{
    opevo_tensor *tensor = pending->tensor;
    int count = pending->definition ? pending->definition->axes : tensor->dims;

    for (int a = 0; a < count && !pending->implicit; a++) {
        opevo_axis axis = {0};

        if (pending->axis[a] == OPEVO_I_NO_SYMBOL)
            continue;
        if (!resolve_axis(self, pending->axis[a], &axis))
            return false;
        if (pending->definition)
            pending->definition->axis[a] = axis;
        if (a < tensor->dims) {
            tensor->extent[a] = axis.extent;
            tensor->dim_name[a] = axis.name;
        }
    }
    if (tensor->role == OPEVO_ROLE_INTERMEDIATE && !pending->read)
        tensor->role = OPEVO_ROLE_OUTPUT;
    return pending->implicit || check_size(self, tensor);
}

/* An input that was not declared has the extents that its reads need. */
static bool finish_implicit(opevo_i_comp_parser *self, opevo_i_comp_pending *pending)
{
    for (int d = 0; d < pending->tensor->dims; d++) {
        const opevo_i_comp_symbol *axis =
            pending->axis[d] == OPEVO_I_NO_SYMBOL ? NULL : &self->symbols[pending->axis[d]];

        if (pending->tensor->extent[d] == 0)
            pending->tensor->extent[d] = 1;
        if (axis && axis->value == pending->tensor->extent[d])
            pending->tensor->dim_name[d] = axis->name;
    }
    return check_size(self, pending->tensor);
}

static bool check_reads(opevo_i_comp_parser *self, opevo_tensor **implicit)
{
    for (size_t i = 0; i < self->tensor_count; i++)
        implicit[i] = self->pending[i].implicit ? self->pending[i].tensor : NULL;
    for (size_t i = 0; i < self->tensor_count && self->status == OPEVO_OK; i++) {
        if (self->pending[i].definition)
            self->status = opevo_i_comp_check_reads(self->pending[i].definition, self->source,
                                                    implicit, self->err);
    }
    return self->status == OPEVO_OK;
}

/* Edges of the graph: readers and producers of each tensor. */
typedef struct linker {
    opevo_i_comp_parser *self;
    const opevo_tensor *reader;
    const opevo_tensor **edge; /* producers, one definition after the other */
    size_t count, capacity;
    int *last; /* reader that was noted last for each tensor, plus 1 */
    bool failed;
} linker;

static void note_edge(void *context, const opevo_expression *read)
{
    linker *link = context;
    int number = read->tensor->number;

    if (link->failed || link->last[number] == link->reader->number + 1)
        return;
    link->last[number] = link->reader->number + 1;
    link->failed = !opevo_reserve((void **)&link->edge, &link->capacity, link->count + 1,
                                  sizeof(const opevo_tensor *));
    if (!link->failed)
        link->edge[link->count++] = read->tensor;
}

/* The producers of each tensor, and how many readers it has. */
static void link_producers(linker *link)
{
    opevo_i_comp_parser *self = link->self;

    for (size_t i = 0; i < self->tensor_count && !link->failed; i++) {
        opevo_tensor *tensor = self->pending[i].tensor;
        size_t before = link->count;

        link->reader = tensor;
        if (tensor->definition)
            opevo_i_comp_walk_reads(tensor->definition->value, note_edge, link);
        tensor->producers = (int)(link->count - before);
        if (tensor->producers)
            tensor->producer =
                opevo_i_comp_arena_copy(&self->arena, link->edge + before,
                                        (link->count - before) * sizeof(const opevo_tensor *));
        for (size_t e = before; e < link->count; e++)
            self->pending[link->edge[e]->number].tensor->readers++;
    }
}

/* The readers of all tensors stand in one list, each tensor's together; next[t] is where the next
 * reader of tensor t goes. */
static void link_readers(opevo_i_comp_parser *self, size_t edges, size_t *next)
{
    const opevo_tensor **list =
        opevo_i_comp_arena_take(&self->arena, edges * sizeof(const opevo_tensor *));
    size_t used = 0;

    for (size_t i = 0; i < self->tensor_count && list; i++) {
        opevo_tensor *tensor = self->pending[i].tensor;

        tensor->reader = list + used;
        next[i] = used;
        used += (size_t)tensor->readers;
    }
    for (size_t i = 0; i < self->tensor_count && list; i++) {
        const opevo_tensor *reader = self->pending[i].tensor;

        for (int p = 0; p < reader->producers; p++)
            list[next[reader->producer[p]->number]++] = reader;
    }
}

static bool link_tensors(opevo_i_comp_parser *self)
{
    linker link = {.self = self, .last = opevo_calloc(self->tensor_count, sizeof *link.last)};
    size_t *next = opevo_calloc(self->tensor_count, sizeof *next);

    link.failed = !link.last || !next;
    link_producers(&link);
    if (!link.failed)
        link_readers(self, link.count, next);
    opevo_free(next);
    opevo_free(link.last);
    opevo_free(link.edge);
    return !(link.failed || self->arena.failed) || opevo_i_comp_parse_no_memory(self);
}

bool opevo_i_comp_parse_finish(opevo_i_comp_parser *self, opevo_computation **out)
{
    const opevo_tensor **tensors =
        opevo_i_comp_arena_take(&self->arena, self->tensor_count * sizeof(const opevo_tensor *));
    opevo_tensor **implicit = opevo_calloc(self->tensor_count, sizeof(opevo_tensor *));
    bool defined = false;
    bool done = true;

    if (!tensors || !implicit) {
        opevo_free(implicit);
        return opevo_i_comp_parse_no_memory(self);
    }
    for (size_t i = 0; i < self->tensor_count && done; i++) {
        tensors[i] = self->pending[i].tensor;
        defined |= self->pending[i].definition != NULL;
        done = resolve(self, &self->pending[i]);
    }
    if (done && !defined)
        done = opevo_i_comp_parse_fail(
            self, OPEVO_INVALID, self->tokens.place,
            "a computation needs a definition, such as C[i:64] = A[i] + 1.");
    done = done && check_reads(self, implicit);
    for (size_t i = 0; i < self->tensor_count && done; i++)
        done = !self->pending[i].implicit || finish_implicit(self, &self->pending[i]);
    opevo_free(implicit);
    if (!done || !opevo_i_comp_check_ranges(self) || !link_tensors(self))
        return false;
    *out = opevo_i_comp_create(&self->arena, tensors, (int)self->tensor_count);
    return *out || opevo_i_comp_parse_no_memory(self);
}
