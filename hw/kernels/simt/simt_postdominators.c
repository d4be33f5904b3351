/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Immediate post-dominators, by the algorithm of Cooper, Harvey and Kennedy ("A simple, fast
 * dominance algorithm", 2001) on the reversed graph, from a virtual end behind all returns. Blocks
 * from where no return is reached, as of endless loops, have the end for theirs. */

#include "simt_decode_internal.h"

#include <opevo/memory.h>

#include <string.h>

typedef struct graph {
    opevo_i_simt_frame *frame;
    uint32_t *order; /* blocks, the end first, in reverse postorder of the reversed graph */
    uint32_t *rank;  /* of a block in `order`; NOWHERE: not reached */
    uint32_t count;
} graph;

uint32_t opevo_i_simt_block_number(const opevo_i_simt_frame *frame, LLVMBasicBlockRef block)
{
    uint32_t number = OPEVO_I_SIMT_NOWHERE;

    (void)opevo_i_simt_map_get(&frame->numbers, block, &number);
    return number;
}

/* Predecessors as lists: head[b] and next[edge], one edge for each successor of each block. */
typedef struct lists {
    uint32_t *head, *next, *from;
    uint32_t count;
} lists;

static void list_add(lists *self, uint32_t from, uint32_t to)
{
    self->from[self->count] = from;
    self->next[self->count] = self->head[to];
    self->head[to] = self->count++;
}

static void fill_lists(const opevo_i_simt_frame *frame, lists *self)
{
    for (uint32_t b = 0; b < frame->block_count; b++) {
        LLVMValueRef last = LLVMGetBasicBlockTerminator(frame->blocks[b]);
        unsigned count = LLVMGetNumSuccessors(last);

        if (LLVMGetInstructionOpcode(last) == LLVMRet)
            list_add(self, b, frame->block_count);
        for (unsigned s = 0; s < count; s++)
            list_add(self, b, opevo_i_simt_block_number(frame, LLVMGetSuccessor(last, s)));
    }
}

/* Depth first, with a stack of blocks and of their next edges. */
static void number_blocks(graph *self, const lists *edges, uint32_t *stack, uint32_t *edge)
{
    uint32_t end = self->frame->block_count, top = 0, left = end + 1;

    stack[0] = end;
    edge[0] = edges->head[end];
    self->rank[end] = 0;
    for (;;) {
        uint32_t e = edge[top];

        if (e == OPEVO_I_SIMT_NOWHERE) {
            self->order[--left] = stack[top];
            if (top-- == 0)
                break;
            continue;
        }
        edge[top] = edges->next[e];
        if (self->rank[edges->from[e]] != OPEVO_I_SIMT_NOWHERE)
            continue;
        self->rank[edges->from[e]] = 0; /* seen */
        stack[++top] = edges->from[e];
        edge[top] = edges->head[edges->from[e]];
    }
    self->count = end + 1 - left;
    memmove(self->order, self->order + left, self->count * sizeof *self->order);
    for (uint32_t i = 0; i < self->count; i++)
        self->rank[self->order[i]] = i;
}

static uint32_t intersect(const graph *self, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (self->rank[a] > self->rank[b])
            a = self->frame->meet[a];
        while (self->rank[b] > self->rank[a])
            b = self->frame->meet[b];
    }
    return a;
}

static uint32_t meet_of(const graph *self, uint32_t block)
{
    LLVMValueRef last = LLVMGetBasicBlockTerminator(self->frame->blocks[block]);
    unsigned count = LLVMGetNumSuccessors(last);
    uint32_t meet = OPEVO_I_SIMT_NOWHERE;

    if (LLVMGetInstructionOpcode(last) == LLVMRet)
        return self->frame->block_count;
    for (unsigned s = 0; s < count; s++) {
        uint32_t to = opevo_i_simt_block_number(self->frame, LLVMGetSuccessor(last, s));

        if (self->rank[to] == OPEVO_I_SIMT_NOWHERE || self->frame->meet[to] == OPEVO_I_SIMT_NOWHERE)
            continue;
        meet = meet == OPEVO_I_SIMT_NOWHERE ? to : intersect(self, meet, to);
    }
    return meet;
}

static void settle(graph *self)
{
    opevo_i_simt_frame *frame = self->frame;
    bool changed = true;

    for (uint32_t b = 0; b <= frame->block_count; b++)
        frame->meet[b] = OPEVO_I_SIMT_NOWHERE;
    frame->meet[frame->block_count] = frame->block_count;
    while (changed) {
        changed = false;
        for (uint32_t i = 1; i < self->count; i++) {
            uint32_t b = self->order[i], meet = meet_of(self, b);

            changed |= frame->meet[b] != meet;
            frame->meet[b] = meet;
        }
    }
    for (uint32_t b = 0; b < frame->block_count; b++)
        if (frame->meet[b] == OPEVO_I_SIMT_NOWHERE)
            frame->meet[b] = frame->block_count;
}

bool opevo_i_simt_postdominators(opevo_i_simt_frame *frame)
{
    size_t nodes = frame->block_count + (size_t)1, edges = nodes;
    uint32_t *room;

    for (uint32_t b = 0; b < frame->block_count; b++)
        edges += LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(frame->blocks[b]));
    room = opevo_malloc(5 * nodes + 2 * edges, sizeof *room);
    if (!room)
        return false;

    graph self = {.frame = frame, .order = room, .rank = room + nodes};
    lists predecessors = {
        .head = room + 2 * nodes, .next = room + 5 * nodes, .from = room + 5 * nodes + edges};

    memset(self.rank, 0xff, 2 * nodes * sizeof *room); /* and head: NOWHERE */
    fill_lists(frame, &predecessors);
    number_blocks(&self, &predecessors, room + 3 * nodes, room + 4 * nodes);
    settle(&self);
    opevo_free(room);
    return true;
}
