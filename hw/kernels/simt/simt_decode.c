/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Functions to code: blocks, edges with the copies of their phis, terminators, calls. */

#include "simt_decode_internal.h"

#include <opevo/memory.h>

#include <llvm-c/DebugInfo.h>

#include <stdio.h>
#include <string.h>

/* ---- Code ---- */

static uint32_t here(const opevo_i_simt_decoder *self)
{
    return (uint32_t)self->simt->code_count;
}

static void begin_block(opevo_i_simt_decoder *self)
{
    self->block_code = here(self);
    opevo_i_simt_emit(self, OPEVO_I_SIMT_BLOCK)->a = 0;
}

/* ---- Edges ---- */

static void fix_up(opevo_i_simt_decoder *self, opevo_i_simt_frame *frame, uint32_t code,
                   opevo_i_simt_field field, uint32_t block)
{
    if (!opevo_reserve((void **)&frame->fixups, &frame->fixup_capacity, frame->fixup_count + 1,
                       sizeof *frame->fixups)) {
        opevo_i_simt_no_memory(self);
        return;
    }
    frame->fixups[frame->fixup_count++] =
        (opevo_i_simt_fixup){.code = code, .block = block, .field = field};
}

static void set_field(opevo_i_simt_decoder *self, uint32_t code, opevo_i_simt_field field,
                      uint32_t at)
{
    if (self->status != OPEVO_OK)
        return;
    switch (field) {
    case OPEVO_I_SIMT_FIELD_A:
        self->simt->code[code].a = at;
        break;
    case OPEVO_I_SIMT_FIELD_B:
        self->simt->code[code].b = at;
        break;
    case OPEVO_I_SIMT_FIELD_C:
        self->simt->code[code].c = at;
        break;
    case OPEVO_I_SIMT_FIELD_NUMBER:
        self->simt->code[code].number = at;
        break;
    case OPEVO_I_SIMT_FIELD_CASE:
        self->simt->cases[code].target = at;
        break;
    }
}

static LLVMValueRef incoming(LLVMValueRef phi, LLVMBasicBlockRef from)
{
    unsigned count = LLVMCountIncoming(phi);

    for (unsigned i = 0; i < count; i++)
        if (LLVMGetIncomingBlock(phi, i) == from)
            return LLVMGetIncomingValue(phi, i);
    return NULL;
}

typedef struct copies {
    opevo_i_simt_slot *to, *from;
    size_t count, to_capacity, from_capacity;
} copies;

static bool add_copy(copies *self, opevo_i_simt_slot to, opevo_i_simt_slot from)
{
    if (!opevo_reserve((void **)&self->to, &self->to_capacity, self->count + 1, sizeof *self->to) ||
        !opevo_reserve((void **)&self->from, &self->from_capacity, self->count + 1,
                       sizeof *self->from))
        return false;
    self->to[self->count] = to;
    self->from[self->count++] = from;
    return true;
}

/* What the phis of a block become on an edge; false if one is not supported. */
static bool collect_copies(opevo_i_simt_decoder *self, opevo_i_simt_frame *frame,
                           LLVMBasicBlockRef from, LLVMBasicBlockRef to, copies *out)
{
    for (LLVMValueRef phi = LLVMGetFirstInstruction(to); phi && LLVMIsAPHINode(phi);
         phi = LLVMGetNextInstruction(phi)) {
        LLVMValueRef value = incoming(phi, from);
        const opevo_i_simt_value *found = opevo_i_simt_value_of(self, frame, phi);
        opevo_i_simt_value target, source;

        if (!found)
            return false;
        target = *found;
        found = value ? opevo_i_simt_value_of(self, frame, value) : NULL;
        if (!found)
            return false;
        source = *found;
        if (source.count != target.count)
            return false;
        for (uint32_t p = 0; p < target.count; p++)
            if (!add_copy(out, opevo_i_simt_part(self, &target, p),
                          opevo_i_simt_part(self, &source, p)))
                opevo_i_simt_no_memory(self);
    }
    return true;
}

static bool overlap(const copies *all)
{
    for (size_t i = 0; i < all->count; i++)
        for (size_t j = i + 1; j < all->count; j++)
            if (all->to[i].at == all->from[j].at)
                return true;
    return false;
}

/* All phis change at once: where one is read after another was written, all go through copies. */
static void emit_copies(opevo_i_simt_decoder *self, copies *all)
{
    if (overlap(all))
        for (size_t i = 0; i < all->count; i++) {
            opevo_i_simt_slot copy = {opevo_i_simt_register(self, all->to[i].size),
                                      all->to[i].size};

            opevo_i_simt_move(self, copy, all->from[i]);
            all->from[i] = copy;
        }
    for (size_t i = 0; i < all->count; i++)
        if (all->to[i].at != all->from[i].at)
            opevo_i_simt_move(self, all->to[i], all->from[i]);
}

static void cross_edge(opevo_i_simt_decoder *self, opevo_i_simt_frame *frame,
                       LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    copies all = {0};

    if (collect_copies(self, frame, from, to, &all))
        emit_copies(self, &all);
    else if (self->status == OPEVO_OK)
        opevo_i_simt_emit_unsupported(self, "a phi of this type");
    opevo_free(all.to);
    opevo_free(all.from);
    (void)opevo_i_simt_emit(self, OPEVO_I_SIMT_JUMP);
    fix_up(self, frame, here(self) - 1, OPEVO_I_SIMT_FIELD_A, opevo_i_simt_block_number(frame, to));
}

/* Let a field of an instruction name a block, through code for the edge if it has phis. */
static void target(opevo_i_simt_decoder *self, opevo_i_simt_frame *frame, uint32_t code,
                   opevo_i_simt_field field, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    LLVMValueRef first = LLVMGetFirstInstruction(to);

    if (!LLVMIsAPHINode(first)) {
        fix_up(self, frame, code, field, opevo_i_simt_block_number(frame, to));
        return;
    }
    set_field(self, code, field, here(self));
    cross_edge(self, frame, from, to);
}

/* ---- Terminators ---- */

static void decode_branch(opevo_i_simt_decoder *self, opevo_i_simt_frame *frame, uint32_t block,
                          LLVMValueRef branch)
{
    LLVMBasicBlockRef from = frame->blocks[block];
    const opevo_i_simt_value *condition;
    uint32_t code, at;

    if (!LLVMIsConditional(branch)) {
        cross_edge(self, frame, from, LLVMGetSuccessor(branch, 0));
        return;
    }
    condition = opevo_i_simt_value_of(self, frame, LLVMGetCondition(branch));
    if (!condition) {
        opevo_i_simt_emit_unsupported(self, "this condition");
        return;
    }
    at = opevo_i_simt_part(self, condition, 0).at;
    code = here(self);
    opevo_i_simt_emit(self, OPEVO_I_SIMT_BRANCH)->a = at;
    target(self, frame, code, OPEVO_I_SIMT_FIELD_B, from, LLVMGetSuccessor(branch, 0));
    target(self, frame, code, OPEVO_I_SIMT_FIELD_C, from, LLVMGetSuccessor(branch, 1));
    fix_up(self, frame, code, OPEVO_I_SIMT_FIELD_NUMBER, frame->meet[block]);
}

static uint32_t add_cases(opevo_i_simt_decoder *self, LLVMValueRef instruction, uint32_t count)
{
    opevo_simt *simt = self->simt;
    uint32_t first = (uint32_t)simt->case_count;

    if (!opevo_reserve((void **)&simt->cases, &simt->case_capacity, simt->case_count + count,
                       sizeof *simt->cases)) {
        opevo_i_simt_no_memory(self);
        return 0;
    }
    simt->case_count += count;
    for (uint32_t i = 0; i + 1 < count; i++)
        simt->cases[first + i].value =
            LLVMConstIntGetZExtValue(LLVMGetOperand(instruction, 2 + 2 * i));
    return first;
}

static void decode_switch(opevo_i_simt_decoder *self, opevo_i_simt_frame *frame, uint32_t block,
                          LLVMValueRef instruction)
{
    uint32_t count = LLVMGetNumSuccessors(instruction), first, code;
    const opevo_i_simt_value *value =
        opevo_i_simt_value_of(self, frame, LLVMGetOperand(instruction, 0));
    opevo_i_simt_slot slot = {0};
    opevo_i_simt_code *made;

    if (value)
        slot = opevo_i_simt_part(self, value, 0);
    if (slot.size == 0) {
        opevo_i_simt_emit_unsupported(self, "this switch");
        return;
    }
    first = add_cases(self, instruction, count);
    if (self->status != OPEVO_OK)
        return;
    code = here(self);
    made = opevo_i_simt_emit(self, OPEVO_I_SIMT_SWITCH);
    made->a = slot.at;
    made->size = slot.size;
    made->b = first;
    made->c = count;
    fix_up(self, frame, code, OPEVO_I_SIMT_FIELD_NUMBER, frame->meet[block]);
    /* Successor 0 is the default, which comes last here. */
    for (uint32_t i = 0; i < count; i++)
        target(self, frame, first + (i == 0 ? count - 1 : i - 1), OPEVO_I_SIMT_FIELD_CASE,
               frame->blocks[block], LLVMGetSuccessor(instruction, i));
}

/* Of a kernel, the end of its lanes; of another function, a jump behind the call. */
static void decode_return(opevo_i_simt_decoder *self, opevo_i_simt_frame *frame,
                          LLVMValueRef instruction)
{
    const opevo_i_simt_value *value = NULL;

    if (!frame->result) {
        (void)opevo_i_simt_emit(self, OPEVO_I_SIMT_EXIT);
        return;
    }
    if (LLVMGetNumOperands(instruction) > 0) {
        value = opevo_i_simt_value_of(self, frame, LLVMGetOperand(instruction, 0));
        if (!value || value->count != frame->result->count) {
            opevo_i_simt_emit_unsupported(self, "a returned value of this type");
            return;
        }
    }
    for (uint32_t p = 0; value && p < frame->result->count; p++)
        opevo_i_simt_move(self, opevo_i_simt_part(self, frame->result, p),
                          opevo_i_simt_part(self, value, p));
    (void)opevo_i_simt_emit(self, OPEVO_I_SIMT_JUMP);
    fix_up(self, frame, here(self) - 1, OPEVO_I_SIMT_FIELD_A, frame->block_count);
}

static void decode_terminator(opevo_i_simt_decoder *self, opevo_i_simt_frame *frame, uint32_t block,
                              LLVMValueRef instruction)
{
    opevo_i_simt_charge(self, OPEVO_I_SIMT_COST_BRANCH);
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMBr:
        decode_branch(self, frame, block, instruction);
        break;
    case LLVMSwitch:
        decode_switch(self, frame, block, instruction);
        break;
    case LLVMRet:
        decode_return(self, frame, instruction);
        break;
    case LLVMUnreachable:
        (void)opevo_i_simt_emit(self, OPEVO_I_SIMT_UNREACHABLE);
        break;
    default:
        opevo_i_simt_emit_unsupported(self, "this terminator");
        break;
    }
}

/* ---- Functions ---- */

static void decode_block(opevo_i_simt_decoder *self, opevo_i_simt_frame *frame, uint32_t block)
{
    frame->start[block] = here(self);
    begin_block(self);
    for (LLVMValueRef instruction = LLVMGetFirstInstruction(frame->blocks[block]);
         instruction && self->status == OPEVO_OK;
         instruction = LLVMGetNextInstruction(instruction)) {
        if (!opevo_i_simt_map_get(&self->places, instruction, &self->place))
            self->place = OPEVO_I_SIMT_NOWHERE;
        if (LLVMIsATerminatorInst(instruction))
            decode_terminator(self, frame, block, instruction);
        else if (!LLVMIsAPHINode(instruction))
            opevo_i_simt_instruction(self, frame, instruction);
    }
}

static bool open_frame(opevo_i_simt_frame *frame)
{
    frame->block_count = LLVMCountBasicBlocks(frame->function);
    frame->blocks = opevo_malloc(frame->block_count, sizeof(LLVMBasicBlockRef));
    frame->start = opevo_calloc(frame->block_count + (size_t)1, sizeof *frame->start);
    frame->meet = opevo_malloc(frame->block_count + (size_t)1, sizeof *frame->meet);
    if (!frame->blocks || !frame->start || !frame->meet)
        return false;
    LLVMGetBasicBlocks(frame->function, frame->blocks);
    for (uint32_t b = 0; b < frame->block_count; b++)
        if (!opevo_i_simt_map_put(&frame->numbers, frame->blocks[b], b))
            return false;
    return opevo_i_simt_postdominators(frame);
}

static void close_frame(opevo_i_simt_frame *frame)
{
    opevo_free(frame->blocks);
    opevo_free(frame->start);
    opevo_free(frame->meet);
    opevo_free(frame->fixups);
    opevo_i_simt_map_free(&frame->numbers);
}

void opevo_i_simt_inline(opevo_i_simt_decoder *self, opevo_i_simt_frame *frame)
{
    uint32_t place = self->place;

    if (!open_frame(frame)) {
        opevo_i_simt_no_memory(self);
        close_frame(frame);
        return;
    }
    self->kernel->depth += frame->block_count + 33;
    for (uint32_t b = 0; b < frame->block_count && self->status == OPEVO_OK; b++)
        decode_block(self, frame, b);
    frame->start[frame->block_count] = frame->result ? here(self) : OPEVO_I_SIMT_NOWHERE;
    for (size_t i = 0; i < frame->fixup_count; i++)
        set_field(self, frame->fixups[i].code, frame->fixups[i].field,
                  frame->start[frame->fixups[i].block]);
    close_frame(frame);
    self->place = place;
    if (frame->result)
        begin_block(self);
}

/* ---- Kernels ---- */

/* A region for a struct that is passed by value; 0: parameter `index` is not one. */
static uint32_t struct_region(opevo_i_simt_decoder *self, LLVMValueRef function, unsigned index)
{
    LLVMAttributeRef attribute = LLVMGetEnumAttributeAtIndex(
        function, index + 1, LLVMGetEnumAttributeKindForName("byval", 5));
    opevo_i_simt_region *region;

    if (!attribute)
        return 0;
    region = opevo_i_simt_region_add(self->simt);
    if (region)
        region->name = opevo_strdup("of a struct by value");
    if (!region || !region->name) {
        opevo_i_simt_no_memory(self);
        return 0;
    }
    region->kind = OPEVO_I_SIMT_LOCAL;
    region->size = LLVMABISizeOfType(self->layout, LLVMGetTypeAttributeValue(attribute));
    return (uint32_t)(region - self->simt->regions);
}

/* That of a pointer to local memory, as OpenCL C has it; 0: it is not one, or no memory. */
static uint32_t local_region(opevo_i_simt_decoder *self, LLVMValueRef param)
{
    LLVMTypeRef type = LLVMTypeOf(param);
    opevo_i_simt_region *region;

    if (LLVMGetTypeKind(type) != LLVMPointerTypeKind || LLVMGetPointerAddressSpace(type) != 3)
        return 0;
    region = opevo_i_simt_region_add(self->simt);
    if (region)
        region->name = opevo_strdup("of an argument");
    if (!region || !region->name) {
        opevo_i_simt_no_memory(self);
        return 0;
    }
    region->kind = OPEVO_I_SIMT_SHARED;
    return (uint32_t)(region - self->simt->regions);
}

static void add_parameter(opevo_i_simt_decoder *self, opevo_i_simt_frame *frame, unsigned index)
{
    LLVMValueRef param = LLVMGetParam(frame->function, index);
    opevo_i_simt_kernel *kernel = self->kernel;
    const opevo_i_simt_value *value = opevo_i_simt_value_of(self, frame, param);
    opevo_i_simt_slot slot;
    uint32_t local;

    if (!value || value->count != 1) {
        if (!kernel->unsupported && self->status == OPEVO_OK) {
            char *type = LLVMPrintTypeToString(LLVMTypeOf(param));

            kernel->unsupported = opevo_strdup(type);
            LLVMDisposeMessage(type);
        }
        return;
    }
    slot = opevo_i_simt_part(self, value, 0);
    if (!opevo_reserve((void **)&kernel->parameters, &kernel->parameter_capacity,
                       kernel->parameter_count + 1, sizeof *kernel->parameters)) {
        opevo_i_simt_no_memory(self);
        return;
    }
    local = local_region(self, param);
    kernel->parameters[kernel->parameter_count++] = (opevo_i_simt_parameter){
        .at = slot.at,
        .size = slot.size,
        .width =
            slot.size == OPEVO_I_SIMT_VALUE_SIZE ? opevo_i_simt_float_size(LLVMTypeOf(param)) : 0,
        .region = local ? local : struct_region(self, frame->function, index),
        .is_local = local > 0,
        .is_pointer = LLVMGetTypeKind(LLVMTypeOf(param)) == LLVMPointerTypeKind};
}

static void decode_kernel(opevo_i_simt_decoder *self, LLVMValueRef function)
{
    opevo_simt *simt = self->simt;
    opevo_i_simt_frame frame = {.function = function,
                                .denormals = opevo_i_simt_denormals_of(function)};
    unsigned count = LLVMCountParams(function);
    size_t length;

    if (!opevo_reserve((void **)&simt->kernels, &simt->kernel_capacity, simt->kernel_count + 1,
                       sizeof *simt->kernels)) {
        opevo_i_simt_no_memory(self);
        return;
    }
    self->kernel = &simt->kernels[simt->kernel_count++];
    *self->kernel =
        (opevo_i_simt_kernel){.entry = here(self),
                              .file_bytes = OPEVO_I_SIMT_FIRST_REGISTER,
                              .name = opevo_strdup(LLVMGetValueName2(function, &length))};
    if (!self->kernel->name)
        opevo_i_simt_no_memory(self);
    self->value_count = self->slot_count = 0;
    for (unsigned i = 0; i < count && self->status == OPEVO_OK; i++)
        add_parameter(self, &frame, i);
    if (self->status == OPEVO_OK)
        opevo_i_simt_inline(self, &frame);
    opevo_i_simt_map_free(&frame.values);
    opevo_i_simt_map_free(&self->constants);
}

/* ---- Modules ---- */

static bool add_place(opevo_i_simt_decoder *self, LLVMValueRef instruction)
{
    opevo_simt *simt = self->simt;
    opevo_i_simt_place *place;

    if (!opevo_reserve((void **)&simt->places, &simt->place_capacity, simt->place_count + 1,
                       sizeof *simt->places) ||
        !opevo_i_simt_map_put(&self->places, instruction, (uint32_t)simt->place_count))
        return false;
    place = &simt->places[simt->place_count++];
    place->line = LLVMInstructionGetDebugLoc(instruction) ? LLVMGetDebugLocLine(instruction) : 0;
    if (simt->options.name)
        simt->options.name(simt->options.name_context, instruction, place->name);
    else
        (void)snprintf(place->name, sizeof place->name, "U%zu", simt->place_count);
    return true;
}

static bool add_places(opevo_i_simt_decoder *self, LLVMValueRef function)
{
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
         block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef instruction = LLVMGetFirstInstruction(block); instruction;
             instruction = LLVMGetNextInstruction(instruction))
            if (!add_place(self, instruction))
                return false;
    return true;
}

static bool is_kernel(LLVMValueRef function)
{
    LLVMLinkage linkage = LLVMGetLinkage(function);

    return !LLVMIsDeclaration(function) && linkage != LLVMInternalLinkage &&
           linkage != LLVMPrivateLinkage && linkage != LLVMAvailableExternallyLinkage;
}

opevo_status opevo_i_simt_decode(opevo_simt *self, struct LLVMOpaqueModule *module,
                                 opevo_error *err)
{
    opevo_i_simt_decoder all = {.simt = self,
                                .module = module,
                                .layout = LLVMGetModuleDataLayout(module),
                                .place = OPEVO_I_SIMT_NOWHERE,
                                .least_access = 8,
                                .least_float = !self->options.arithmetic ? 8
                                               : self->options.value_bytes
                                                   ? self->options.value_bytes
                                                   : 4,
                                .pairs = self->options.one_lane && opevo_i_simt_has_pairs(module),
                                .err = err};

    opevo_i_simt_globals(&all);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f && all.status == OPEVO_OK;
         f = LLVMGetNextFunction(f))
        if (!add_places(&all, f))
            opevo_i_simt_no_memory(&all);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f && all.status == OPEVO_OK;
         f = LLVMGetNextFunction(f))
        if (is_kernel(f))
            decode_kernel(&all, f);
    self->first_buffer = self->region_count;
    self->granule_shift = all.least_access >= 8   ? 3
                          : all.least_access >= 4 ? 2
                                                  : all.least_access / 2;
    self->value_shift = all.least_float >= 8 ? 3 : all.least_float / 2;
    opevo_i_simt_map_free(&all.places);
    opevo_i_simt_map_free(&all.regions);
    opevo_free(all.values);
    opevo_free(all.slots);
    return all.status;
}
