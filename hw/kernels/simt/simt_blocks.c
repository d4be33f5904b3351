/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Blocks of bytes that are copied or filled by one call, as copies of structs are: loads and stores
 * of up to eight bytes, all loads before the first store. */

#include "simt_work_internal.h"

enum { COPIED = 1024, FILLED = 1 << 16 }; /* bytes at most */

/* A pointer among the arguments of the call, and how aligned it is at least. */
typedef struct end {
    LLVMValueRef pointer;
    opevo_i_simt_slot slot;
    unsigned alignment;
} end;

static bool find_end(const opevo_i_simt_work *self, unsigned argument, end *out)
{
    opevo_i_simt_value value;
    unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
    LLVMAttributeRef align = LLVMGetCallSiteEnumAttribute(self->instruction, argument + 1, kind);

    if (!work_operand(self, argument, &value) || value.count != 1)
        return false;
    out->pointer = LLVMGetOperand(self->instruction, argument);
    out->slot = work_part(self, &value, 0);
    out->alignment = align ? (unsigned)LLVMGetEnumAttributeValue(align) : 1;
    return true;
}

/* Of the piece at a byte of a block whose ends are aligned so far. */
static uint8_t piece_size(unsigned alignment, uint64_t at, uint64_t bytes)
{
    uint8_t size = 8;

    while (size > alignment || at % size || at + size > bytes)
        size /= 2;
    return size;
}

static void emit_piece(const opevo_i_simt_work *self, const end *where, uint64_t at, uint64_t bytes,
                       opevo_i_simt_slot piece, uint8_t size, bool is_store)
{
    opevo_i_simt_code *code =
        opevo_i_simt_emit(self->decoder, is_store ? OPEVO_I_SIMT_STORE : OPEVO_I_SIMT_LOAD);

    code->to = is_store ? code->to : piece.at;
    code->size = size;
    code->raw = piece.size == OPEVO_I_SIMT_RAW_SIZE;
    code->a = where->slot.at;
    code->b = is_store ? piece.at : code->b;
    code->c = at == 0 ? (uint32_t)bytes : 0;
    code->number = (int64_t)at;
    code->space = opevo_i_simt_work_space(where->pointer, at == 0 ? where->alignment : 1);
    opevo_i_simt_work_note_granule(self, size);
}

/* A byte in all places of a word. */
static uint64_t repeated(uint64_t byte)
{
    return (byte & 0xff) * UINT64_C(0x0101010101010101);
}

/* The pieces of a block, loaded or stored; slots[i] is the register of piece i. */
static void emit_pieces(const opevo_i_simt_work *self, const end *where, unsigned alignment,
                        uint64_t bytes, opevo_i_simt_slot *slots, bool is_store)
{
    bool raw = self->decoder->simt->options.arithmetic != NULL;
    unsigned count = 0;

    for (uint64_t at = 0; at < bytes; at += piece_size(alignment, at, bytes), count++) {
        uint8_t size = piece_size(alignment, at, bytes);
        uint8_t held = raw ? (uint8_t)OPEVO_I_SIMT_RAW_SIZE : size;

        if (!is_store)
            slots[count] = (opevo_i_simt_slot){opevo_i_simt_register(self->decoder, held), held};
        emit_piece(self, where, at, bytes, slots[count], size, is_store);
    }
}

static void emit_fill(const opevo_i_simt_work *self, const end *where, uint64_t bytes,
                      uint64_t byte)
{
    for (uint64_t at = 0; at < bytes; at += piece_size(where->alignment, at, bytes)) {
        opevo_i_simt_slot one = {0, piece_size(where->alignment, at, bytes)};

        one.at = opevo_i_simt_constant_register(self->decoder, one.size, repeated(byte), false);
        emit_piece(self, where, at, bytes, one, one.size, true);
    }
}

bool opevo_i_simt_work_block(opevo_i_simt_work *self, bool is_fill)
{
    LLVMValueRef length = LLVMGetOperand(self->instruction, 2);
    LLVMValueRef byte = LLVMGetOperand(self->instruction, 1);
    opevo_i_simt_slot slots[COPIED];
    uint64_t bytes = 0;
    end to, from;
    unsigned alignment = 0;

    if (!LLVMIsAConstantInt(length) || (is_fill && !LLVMIsAConstantInt(byte)) ||
        !find_end(self, 0, &to) || (!is_fill && !find_end(self, 1, &from)))
        return false;
    bytes = LLVMConstIntGetZExtValue(length);
    if (bytes > (is_fill ? FILLED : COPIED))
        return false;
    if (is_fill) {
        emit_fill(self, &to, bytes, LLVMConstIntGetZExtValue(byte));
    } else {
        alignment = to.alignment < from.alignment ? to.alignment : from.alignment;
        emit_pieces(self, &from, alignment, bytes, slots, false);
        emit_pieces(self, &to, alignment, bytes, slots, true);
    }
    opevo_i_simt_charge(self->decoder, OPEVO_I_SIMT_COST_FREE); /* counted where it runs */
    return true;
}
