/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Conversions between types of numbers to code. */

#include "simt_work_internal.h"

/* Numbers of ZEXT and SEXT from bytes 2^i to 2^j, i < j, and of TRUNC, i > j. */
static uint32_t extension(uint32_t first, unsigned from, unsigned to)
{
    unsigned narrower = from * (7 - from) / 2; /* extensions from fewer bytes */

    return first + narrower + (to - from - 1);
}

static uint32_t truncation(unsigned from, unsigned to)
{
    static const unsigned row[] = {0, 0, 1, 3};

    return OPEVO_I_SIMT_TRUNC_16_8 + row[from] + to;
}

/* The operation of a conversion; OPEVO_I_SIMT_OPERATION_COUNT if it is not supported. */
static uint32_t conversion(LLVMOpcode opcode, uint8_t from_size, uint8_t to_size)
{
    unsigned from = work_log_2(from_size), to = work_log_2(to_size);

    switch (opcode) {
    case LLVMZExt:
        return from_size ? extension(OPEVO_I_SIMT_ZEXT_8_16, from, to) : OPEVO_I_SIMT_WIDEN + to;
    case LLVMSExt:
        return from_size ? extension(OPEVO_I_SIMT_SEXT_8_16, from, to) : OPEVO_I_SIMT_SPREAD + to;
    case LLVMTrunc:
        return to_size ? truncation(from, to) : OPEVO_I_SIMT_NARROW + from;
    case LLVMFPExt:
        return OPEVO_I_SIMT_FPEXT_16_32 + from + to - 3;
    case LLVMFPTrunc:
        return OPEVO_I_SIMT_FPTRUNC_32_16 + (from == 2 ? 0 : to);
    case LLVMSIToFP:
    case LLVMUIToFP:
        if (from_size == 0 || to_size < 4)
            return OPEVO_I_SIMT_OPERATION_COUNT;
        return (opcode == LLVMSIToFP ? OPEVO_I_SIMT_SITOFP_8_32 : OPEVO_I_SIMT_UITOFP_8_32) +
               2 * from + (to - 2);
    case LLVMFPToSI:
    case LLVMFPToUI:
        if (to_size == 0 || from_size < 4)
            return OPEVO_I_SIMT_OPERATION_COUNT;
        return (opcode == LLVMFPToSI ? OPEVO_I_SIMT_FPTOSI_32_8 : OPEVO_I_SIMT_FPTOUI_32_8) +
               4 * (from - 2) + to;
    default:
        return OPEVO_I_SIMT_OPERATION_COUNT;
    }
}

/* A bit as a byte: 0 or 1, or 0 or -1. */
static opevo_i_simt_slot widen(const opevo_i_simt_work *self, opevo_i_simt_slot bit, bool is_signed)
{
    opevo_i_simt_slot byte = {opevo_i_simt_register(self->decoder, 1), 1};

    work_emit(self, OPEVO_I_SIMT_OPERATE, is_signed ? OPEVO_I_SIMT_SPREAD : OPEVO_I_SIMT_WIDEN,
              byte)
        ->a = bit.at;
    return byte;
}

/* Where floats are values, but for the rounding the same. */
static bool truncate_values(opevo_i_simt_work *self)
{
    uint8_t bytes = work_float_size(self);
    opevo_i_simt_value in;

    if (bytes > self->decoder->simt->options.arithmetic->rounded_bytes)
        return opevo_i_simt_work_same(self, 0);
    if (!work_operand(self, 0, &in) || !work_result(self) || in.count != self->result.count)
        return false;
    for (uint32_t p = 0; p < in.count; p++) {
        opevo_i_simt_move(self->decoder, work_part(self, &self->result, p),
                          work_part(self, &in, p));
        self->decoder->simt->code[self->decoder->simt->code_count - 1].rounded = bytes & 15u;
    }
    return self->decoder->status == OPEVO_OK;
}

bool opevo_i_simt_work_conversion(opevo_i_simt_work *self)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(self->instruction);
    bool whole = opcode == LLVMZExt || opcode == LLVMSExt || opcode == LLVMTrunc;
    bool checked = opcode == LLVMFPToSI || opcode == LLVMFPToUI;
    opevo_i_simt_value in;

    if ((opcode == LLVMFPExt || opcode == LLVMFPTrunc) && self->decoder->simt->options.arithmetic)
        return opcode == LLVMFPTrunc ? truncate_values(self) : opevo_i_simt_work_same(self, 0);
    if (!work_operand(self, 0, &in) || !work_result(self) || in.count != self->result.count)
        return false;
    for (uint32_t p = 0; p < self->result.count; p++) {
        opevo_i_simt_slot to = work_part(self, &self->result, p), a = work_part(self, &in, p), made;
        uint32_t number = conversion(opcode, a.size, to.size);
        bool widens = opcode == LLVMFPExt && a.size == 4 && work_flushes(self);
        bool narrows = opcode == LLVMFPTrunc && to.size == 4 && work_flushes(self);
        opevo_i_simt_code *code;

        if ((opcode == LLVMSIToFP || opcode == LLVMUIToFP) && a.size == 0) {
            a = widen(self, a, opcode == LLVMSIToFP);
            number = conversion(opcode, a.size, to.size);
        }
        if (number == OPEVO_I_SIMT_OPERATION_COUNT)
            return false;
        a = work_flushed(self, a, widens);
        made = work_unflushed(self, to, narrows);
        code = work_emit(self, checked ? OPEVO_I_SIMT_CONVERT : OPEVO_I_SIMT_OPERATE, number, made);
        code->a = a.at;
        if (checked &&
            code->kind == OPEVO_I_SIMT_CONVERT) /* what it compares with: the bytes and the sign */
            code->number = (opcode == LLVMFPToSI ? 16 : 0) + a.size;
        work_flush_into(self, to, made, narrows);
        opevo_i_simt_charge(self->decoder, whole ? OPEVO_I_SIMT_COST_INTEGER
                                           : a.size == 8 || to.size == 8
                                               ? OPEVO_I_SIMT_COST_CONVERT_64
                                               : OPEVO_I_SIMT_COST_CONVERT);
    }
    return true;
}

/* An integer as a vector of its bits; false for another type. */
static bool spread_bits(opevo_i_simt_work *self, const opevo_i_simt_value *in)
{
    opevo_i_simt_slot from = work_part(self, in, 0);

    if (in->count != 1 || from.size == 0 || !work_result(self) ||
        self->result.count != 8u * from.size || work_part(self, &self->result, 0).size != 0)
        return false;
    for (uint32_t p = 0; p < self->result.count; p++) {
        opevo_i_simt_slot shifted = {opevo_i_simt_register(self->decoder, from.size), from.size};
        uint32_t distance = opevo_i_simt_constant_register(self->decoder, from.size, p, false);
        opevo_i_simt_code *code = work_emit(self, OPEVO_I_SIMT_OPERATE,
                                            OPEVO_I_SIMT_LSHR + work_log_2(from.size), shifted);

        code->a = from.at;
        code->b = distance;
        work_emit(self, OPEVO_I_SIMT_OPERATE, OPEVO_I_SIMT_NARROW + work_log_2(from.size),
                  work_part(self, &self->result, p))
            ->a = shifted.at;
    }
    return true;
}

/* The same bits, under another type, as another name for the same registers. */
bool opevo_i_simt_work_same(opevo_i_simt_work *self, unsigned index)
{
    opevo_i_simt_value in;
    opevo_i_simt_slot slots[OPEVO_I_SIMT_PARTS];
    uint8_t sizes[OPEVO_I_SIMT_PARTS];
    uint32_t count = opevo_i_simt_type_parts(self->decoder, LLVMTypeOf(self->instruction), sizes);

    if (opevo_i_simt_work_value_bits(self, index))
        return true;
    if (!work_passed(self, index, &in))
        return false;
    if (in.count != count && count == 1 && sizes[0] == OPEVO_I_SIMT_VALUE_SIZE &&
        work_part(self, &in, 0).size == OPEVO_I_SIMT_VALUE_SIZE) {
        sizes[1] = sizes[0]; /* two floats as a double */
        count = in.count == 2 ? 2 : count;
    }
    if (in.count != count)
        return spread_bits(self, &in);
    for (uint32_t p = 0; p < count; p++) {
        slots[p] = work_part(self, &in, p);
        if (slots[p].size != sizes[p])
            return false;
    }
    if (opevo_i_simt_alias(self->decoder, self->frame, self->instruction, slots, count))
        return true;
    if (!work_result(self))
        return false;
    for (uint32_t p = 0; p < count; p++)
        opevo_i_simt_move(self->decoder, work_part(self, &self->result, p), slots[p]);
    return true;
}
