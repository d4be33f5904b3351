/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Functions and blocks of a module in their order, and the dominator tree of each function. Edits
 * never change the control flow graph, so both hold for all variants.
 * Source: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm", 2001. */

#include "edits_internal.h"

#include <opevo/memory.h>

/* Of one function; blocks by their number in it. */
typedef struct flow {
    LLVMBasicBlockRef *blocks;
    uint32_t count;
    opevo_index_map *numbers;
    uint32_t *postorder; /* reachable blocks */
    uint32_t *rank;      /* place in the postorder; OPEVO_I_NO_BLOCK: unreachable */
    uint32_t *above;     /* immediate dominator */
    uint32_t *stack, *next;
    uint32_t reachable_count;
} flow;

static uint32_t number_of(const flow *self, LLVMBasicBlockRef block)
{
    uint64_t number = 0;

    (void)opevo_index_map_get(self->numbers, (uintptr_t)block, &number);
    return (uint32_t)number;
}

static void walk(flow *self)
{
    uint32_t depth = 1;

    for (uint32_t b = 0; b < self->count; b++)
        self->rank[b] = self->above[b] = OPEVO_I_NO_BLOCK;
    self->stack[0] = 0;
    self->rank[0] = 0; /* seen */
    while (depth > 0) {
        uint32_t block = self->stack[depth - 1];
        LLVMValueRef end = LLVMGetBasicBlockTerminator(self->blocks[block]);

        if (self->next[block] == LLVMGetNumSuccessors(end)) {
            self->postorder[self->reachable_count] = block;
            self->rank[block] = self->reachable_count++;
            depth--;
            continue;
        }
        uint32_t successor = number_of(self, LLVMGetSuccessor(end, self->next[block]++));
        if (self->rank[successor] == OPEVO_I_NO_BLOCK) {
            self->rank[successor] = 0;
            self->stack[depth++] = successor;
        }
    }
}

static uint32_t meet(const flow *self, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (self->rank[a] < self->rank[b])
            a = self->above[a];
        while (self->rank[b] < self->rank[a])
            b = self->above[b];
    }
    return a;
}

static void dominate(flow *self)
{
    bool changed = true;

    self->above[0] = 0;
    while (changed) {
        changed = false;
        /* Each block tells its successors, in reverse postorder. */
        for (uint32_t k = self->reachable_count; k-- > 0;) {
            uint32_t block = self->postorder[k];
            LLVMValueRef end = LLVMGetBasicBlockTerminator(self->blocks[block]);

            for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++) {
                uint32_t to = number_of(self, LLVMGetSuccessor(end, s));
                uint32_t met = self->above[to] == OPEVO_I_NO_BLOCK
                                   ? block
                                   : meet(self, self->above[to], block);

                changed |= to != 0 && met != self->above[to];
                if (to != 0)
                    self->above[to] = met;
            }
        }
    }
}

/* Enter and leave numbers of the tree: sizes of subtrees in postorder (a block comes before its
 * dominator), then places in reverse postorder. */
static void number_tree(const flow *self, opevo_i_edit_block *blocks)
{
    uint32_t *size = self->stack, *used = self->next;

    for (uint32_t b = 0; b < self->count; b++) {
        size[b] = 1;
        used[b] = 0;
    }
    for (uint32_t k = 0; k + 1 < self->reachable_count; k++)
        size[self->above[self->postorder[k]]] += size[self->postorder[k]];
    for (uint32_t k = self->reachable_count; k-- > 0;) {
        uint32_t b = self->postorder[k], up = self->above[b];

        blocks[b].reachable = true;
        blocks[b].enter = b == 0 ? 0 : blocks[up].enter + 1 + used[up];
        blocks[b].leave = blocks[b].enter + size[b] - 1;
        if (b != 0)
            used[up] += size[b];
    }
}

static void close_flow(flow *self)
{
    opevo_index_map_destroy(self->numbers);
    opevo_free(self->blocks);
    opevo_free(self->postorder);
}

static opevo_status open_flow(flow *self, LLVMValueRef function, opevo_error *err)
{
    self->count = LLVMCountBasicBlocks(function);
    self->blocks = opevo_calloc(self->count, sizeof(LLVMBasicBlockRef));
    self->postorder = opevo_calloc(5 * (size_t)self->count, sizeof *self->postorder);
    self->numbers = opevo_index_map_create();
    OPEVO_NEED_OR_RETURN(self->blocks && self->postorder && self->numbers,
                         "the blocks of a function");
    self->rank = self->postorder + self->count;
    self->above = self->rank + self->count;
    self->stack = self->above + self->count;
    self->next = self->stack + self->count;
    LLVMGetBasicBlocks(function, self->blocks);
    for (uint32_t b = 0; b < self->count; b++)
        OPEVO_NEED_OR_RETURN(opevo_index_map_put(self->numbers, (uintptr_t)self->blocks[b], b),
                             "the blocks of a function");
    return OPEVO_OK;
}

static opevo_status index_function(opevo_module *module, LLVMValueRef function,
                                   opevo_i_edit_function *row, uint32_t *slot, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    flow self = {0};
    opevo_i_edit_block *blocks = module->blocks + row->block_first;

    OPEVO_TRY(open_flow(&self, function, err));
    for (uint32_t b = 0; b < self.count; b++) {
        /* No block dominates an unreachable one, which dominates itself only. */
        blocks[b] = (opevo_i_edit_block){.function = (uint32_t)(row - module->functions),
                                         .enter = self.count + b,
                                         .leave = self.count + b};
        for (LLVMValueRef i = LLVMGetFirstInstruction(self.blocks[b]); i;
             i = LLVMGetNextInstruction(i))
            blocks[b].last = ++*slot;
    }
    walk(&self);
    dominate(&self);
    number_tree(&self, blocks);
cleanup:
    close_flow(&self);
    return status;
}

opevo_status opevo_i_edit_index_module(opevo_module *module, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    uint32_t slot = 0, index = 0;

    for (LLVMValueRef f = LLVMGetFirstFunction(module->llvm); f; f = LLVMGetNextFunction(f)) {
        module->function_count += !LLVMIsDeclaration(f);
        module->block_count += LLVMCountBasicBlocks(f);
    }
    module->functions = opevo_calloc(module->function_count + 1, sizeof *module->functions);
    module->blocks = opevo_calloc(module->block_count + 1, sizeof *module->blocks);
    OPEVO_NEED_OR_RETURN(module->functions && module->blocks, "the functions of the module");
    module->block_count = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(module->llvm); f; f = LLVMGetNextFunction(f)) {
        opevo_i_edit_function *row = &module->functions[index];

        if (LLVMIsDeclaration(f))
            continue;
        *row = (opevo_i_edit_function){(uint32_t)module->argument_count, LLVMCountParams(f),
                                       (uint32_t)module->block_count, LLVMCountBasicBlocks(f)};
        OPEVO_TRY(index_function(module, f, row, &slot, err));
        module->argument_count += row->argument_count;
        module->block_count += row->block_count;
        index++;
    }
cleanup:
    return status;
}
