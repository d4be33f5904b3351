/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What one iteration of a parallel loop may leave in a thread's own variables for its next one.
 * Threads that run one iteration each do not show it, so that it is looked for in the text: a phi
 * at the head of the loop that does not begin with a bound of the thread's share, and a variable of
 * the region that iterations write. Such a variable may be one of an iteration whose life a
 * compiler has not marked; then nothing was written to it before the loop, as a run shows. */

#include "simt_decode_internal.h"

#include <opevo/memory.h>

#include <string.h>

enum { BLOCKS = 1024, STRIPPED = 8, DERIVED = 16, FIRST_BOUND = 3, LAST_BOUND = 6 };

/* The blocks of a function, and which is reached from which. */
typedef struct graph {
    LLVMValueRef share; /* the call that shares the iterations out */
    LLVMBasicBlockRef *blocks;
    uint32_t count, from; /* the block of the call */
    uint32_t *stack;      /* of a search */
    bool *reached;        /* count rows */
    opevo_i_simt_carried *carried;
} graph;

static uint32_t number_of(const graph *self, LLVMBasicBlockRef block)
{
    uint32_t i = 0;

    while (i + 1 < self->count && self->blocks[i] != block)
        i++;
    return i;
}

/* Fill in a row, without ways through the block `closed`. */
static void search(graph *self, uint32_t row, uint32_t closed)
{
    bool *reached = self->reached + (size_t)row * self->count;
    uint32_t depth = 0;

    memset(reached, 0, self->count * sizeof *reached);
    if (row == closed)
        return;
    self->stack[depth++] = row;
    while (depth) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(self->blocks[self->stack[--depth]]);
        unsigned successors = LLVMGetNumSuccessors(end);

        for (unsigned i = 0; i < successors; i++) {
            uint32_t to = number_of(self, LLVMGetSuccessor(end, i));

            if (reached[to] || to == closed)
                continue;
            reached[to] = true;
            self->stack[depth++] = to;
        }
    }
}

static bool reaches(const graph *self, uint32_t a, uint32_t b)
{
    return self->reached[(size_t)a * self->count + b];
}

/* Whether two blocks are in one loop. */
static bool are_together(const graph *self, uint32_t a, uint32_t b)
{
    return reaches(self, a, b) && reaches(self, b, a);
}

static bool is_bound(const graph *self, LLVMValueRef pointer)
{
    for (unsigned i = FIRST_BOUND; i <= LAST_BOUND; i++)
        if (LLVMGetOperand(self->share, i) == pointer)
            return true;
    return false;
}

/* Whether a number is a bound of the share, perhaps converted, limited, or moved on by chunks. */
static bool of_bounds(const graph *self, LLVMValueRef value, unsigned depth)
{
    if (depth == STRIPPED || !LLVMIsAInstruction(value))
        return false;
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMLoad:
        return is_bound(self, LLVMGetOperand(value, 0));
    case LLVMSExt:
    case LLVMZExt:
    case LLVMTrunc:
    case LLVMFreeze:
        return of_bounds(self, LLVMGetOperand(value, 0), depth + 1);
    case LLVMCall:
    case LLVMAdd:
        return of_bounds(self, LLVMGetOperand(value, 0), depth + 1) ||
               of_bounds(self, LLVMGetOperand(value, 1), depth + 1);
    case LLVMPHI: /* of the loop over chunks, which was looked at */
        for (unsigned i = 0; i < LLVMCountIncoming(value); i++)
            if (of_bounds(self, LLVMGetIncomingValue(value, i), depth + 1))
                return true;
        return false;
    default:
        return false;
    }
}

/* Whether a block of a loop is its head, one of whose phis hands something on. */
static bool head_carries(const graph *self, uint32_t block, bool *is_head)
{
    *is_head = false;
    for (LLVMValueRef phi = LLVMGetFirstInstruction(self->blocks[block]);
         phi && LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi))
        for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
            if (are_together(self, block, number_of(self, LLVMGetIncomingBlock(phi, i))))
                continue;
            *is_head = true;
            if (LLVMGetTypeKind(LLVMTypeOf(phi)) != LLVMIntegerTypeKind ||
                !of_bounds(self, LLVMGetIncomingValue(phi, i), 0))
                return true;
        }
    return false;
}

/* Of loops that are reached from the call. */
static bool heads_carry(const graph *self, const bool *looked_at, uint32_t *head)
{
    for (uint32_t i = 0; i < self->count; i++) {
        bool is_head = false;

        if (!looked_at[i] || !reaches(self, i, i))
            continue;
        if (head_carries(self, i, &is_head))
            return true;
        if (is_head)
            *head = i;
    }
    return false;
}

/* Whether an instruction outside of loops is behind the call, and may be before a loop. */
static bool is_behind(const graph *self, LLVMValueRef instruction, uint32_t block)
{
    bool behind = reaches(self, self->from, block), before = false;

    if (block == self->from)
        for (LLVMValueRef at = self->share; at && !behind; at = LLVMGetNextInstruction(at))
            behind = at == instruction;
    for (uint32_t i = 0; i < self->count && behind && !before; i++)
        before = reaches(self, i, i) && reaches(self, block, i);
    return before;
}

/* What becomes of a variable, or of what is derived from its address: it may be written in a loop,
 * as where the address is handed on; its life begins there, so that it is an iteration's own; it is
 * used between the call and a loop. */
typedef struct uses {
    bool written, begins, between;
} uses;

static void look_at_uses(const graph *self, LLVMValueRef address, unsigned depth, uses *out)
{
    for (LLVMUseRef use = LLVMGetFirstUse(address); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use), called;
        uint32_t block = number_of(self, LLVMGetInstructionParent(user));
        const char *name = "";
        size_t length;

        if (LLVMIsAGetElementPtrInst(user) && depth < DERIVED) {
            look_at_uses(self, user, depth + 1, out);
            continue;
        }
        if (LLVMIsALoadInst(user))
            continue;
        out->between |= !reaches(self, block, block) && is_behind(self, user, block);
        if (LLVMIsAStoreInst(user) && !reaches(self, block, block) &&
            LLVMGetOperand(user, 0) != address)
            continue;
        called = LLVMIsACallInst(user) ? LLVMGetCalledValue(user) : NULL;
        if (called && LLVMIsAFunction(called))
            name = LLVMGetValueName2(called, &length);
        if (!reaches(self, block, block) && strncmp(name, "llvm.", 5) == 0)
            continue;
        out->begins |= strncmp(name, "llvm.lifetime.start", 19) == 0;
        out->written |= strncmp(name, "llvm.lifetime.", 14) != 0;
    }
}

static bool variables_carry(const graph *self)
{
    for (LLVMValueRef at = LLVMGetFirstInstruction(self->blocks[0]); at;
         at = LLVMGetNextInstruction(at)) {
        uses found = {false, false, false};

        if (!LLVMIsAAllocaInst(at) || is_bound(self, at))
            continue;
        look_at_uses(self, at, 0, &found);
        if (!found.written || found.begins)
            continue;
        if (found.between || self->carried->count == OPEVO_I_SIMT_CARRIED)
            return true;
        self->carried->variable[self->carried->count++] = at;
    }
    return false;
}

/* Chunks are a loop in a loop, both of which go on by themselves. */
static bool carries(graph *self, bool chunked)
{
    bool *looked_at = self->reached + (size_t)self->count * self->count;
    uint32_t head = self->count;

    for (uint32_t i = 0; i < self->count; i++)
        search(self, i, self->count);
    memcpy(looked_at, self->reached + (size_t)self->from * self->count, self->count);
    if (heads_carry(self, looked_at, &head) || variables_carry(self))
        return true;
    if (!chunked || head == self->count)
        return false;
    for (uint32_t i = 0; i < self->count; i++)
        search(self, i, head);
    return heads_carry(self, looked_at, &head);
}

bool opevo_i_simt_carries(LLVMValueRef share, bool chunked, opevo_i_simt_carried *out)
{
    LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(share));
    graph self = {.share = share, .count = LLVMCountBasicBlocks(function), .carried = out};
    bool result = true;

    if (self.count > BLOCKS)
        return true;
    self.blocks = opevo_calloc(self.count, sizeof *self.blocks);
    self.stack = opevo_calloc(self.count + 1, sizeof *self.stack);
    self.reached = opevo_calloc((size_t)self.count * (self.count + 1), sizeof *self.reached);
    if (self.blocks && self.stack && self.reached) {
        LLVMGetBasicBlocks(function, self.blocks);
        self.from = number_of(&self, LLVMGetInstructionParent(share));
        result = carries(&self, chunked);
    }
    opevo_free(self.blocks);
    opevo_free(self.stack);
    opevo_free(self.reached);
    return result;
}
