/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Vectors with a bit for each element. llvm.masked.load(pointer, alignment, mask, otherwise) and
 * llvm.masked.store(value, pointer, alignment, mask), where alignment may be missing, are an access
 * for each element, on the lanes whose bit is set. */

#include "simt_work_internal.h"

/* Operands of the call behind the pointer's, and how aligned that is. */
static bool find_operands(const opevo_i_simt_work *self, unsigned pointer, unsigned *mask,
                          unsigned *alignment)
{
    LLVMValueRef next = LLVMGetOperand(self->instruction, pointer + 1);
    bool has_alignment = LLVMIsAConstantInt(next) != NULL;

    *mask = pointer + 1 + has_alignment;
    *alignment = has_alignment ? (unsigned)LLVMConstIntGetZExtValue(next) : 1;
    return LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(self->instruction, pointer))) <= 5;
}

static void emit_part(const opevo_i_simt_work *self, bool is_store, opevo_i_simt_slot address,
                      opevo_i_simt_slot part, opevo_i_simt_slot bit, LLVMTypeRef type, uint32_t p)
{
    uint32_t size = part.size == OPEVO_I_SIMT_VALUE_SIZE
                        ? opevo_i_simt_float_size(opevo_i_simt_part_type(type, 0))
                        : part.size;
    opevo_i_simt_code *code;

    opevo_i_simt_emit(self->decoder, OPEVO_I_SIMT_WHERE)->a = bit.at;
    code = opevo_i_simt_work_access(self, is_store, address, part, type, p * size);
    code->c = size;
    code->space = opevo_i_simt_work_space(LLVMGetOperand(self->instruction, is_store ? 1 : 0), 1);
}

bool opevo_i_simt_work_masked(opevo_i_simt_work *self, bool is_store)
{
    unsigned pointer = is_store ? 1 : 0, mask = 0, alignment = 1;
    LLVMTypeRef type =
        LLVMTypeOf(is_store ? LLVMGetOperand(self->instruction, 0) : self->instruction);
    opevo_i_simt_value address, bits, value, otherwise;

    if (!find_operands(self, pointer, &mask, &alignment) ||
        !work_operand(self, pointer, &address) || !work_operand(self, mask, &bits) ||
        !(is_store ? work_operand(self, 0, &value)
                   : work_operand(self, mask + 1, &otherwise) && work_result(self)))
        return false;
    if (!is_store)
        value = self->result;
    for (uint32_t p = 0; p < value.count; p++) {
        opevo_i_simt_slot part = work_part(self, &value, p);

        if (part.size == 0)
            return false;
        if (!is_store)
            opevo_i_simt_move(self->decoder, part, work_part(self, &otherwise, p));
        emit_part(self, is_store, work_part(self, &address, 0), part, work_part(self, &bits, p),
                  type, p);
    }
    opevo_i_simt_work_note_granule(self, alignment < 4 ? alignment : 4);
    opevo_i_simt_charge(self->decoder, OPEVO_I_SIMT_COST_FREE); /* counted where it runs */
    return true;
}

/* A copy of a vector in registers that follow one another; false: its parts differ in size. */
static bool in_a_row(const opevo_i_simt_work *self, const opevo_i_simt_value *value,
                     uint32_t *first)
{
    uint8_t size = work_part(self, value, 0).size;

    for (uint32_t p = 0; p < value->count; p++) {
        opevo_i_simt_slot to = {opevo_i_simt_register(self->decoder, size), size};

        if (p == 0)
            *first = to.at;
        if (work_part(self, value, p).size != size)
            return false;
        opevo_i_simt_move(self->decoder, to, work_part(self, value, p));
    }
    return true;
}

bool opevo_i_simt_work_compress(opevo_i_simt_work *self)
{
    opevo_i_simt_value in[3]; /* value, otherwise, mask */
    opevo_i_simt_slot slots[OPEVO_I_SIMT_PARTS];
    uint32_t first[3];
    opevo_i_simt_code *code;

    if (!work_operands(self, 3, in) || !in_a_row(self, &in[0], &first[0]) ||
        !in_a_row(self, &in[1], &first[1]) || !in_a_row(self, &in[2], &first[2]))
        return false;
    code = opevo_i_simt_emit(self->decoder, OPEVO_I_SIMT_COMPRESS);
    code->to = first[1];
    code->a = first[0];
    code->b = first[2];
    code->size = work_part(self, &in[0], 0).size;
    code->number = in[0].count;
    for (uint32_t p = 0; p < in[0].count; p++)
        slots[p] = (opevo_i_simt_slot){first[1] + p * opevo_i_simt_stride(code->size), code->size};
    opevo_i_simt_charge(self->decoder, OPEVO_I_SIMT_COST_SELECT);
    return work_gather(self, slots, in[0].count);
}
