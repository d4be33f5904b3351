/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the files that decode instructions share: operands as registers, and results. A handler
 * returns false for what is not supported. */

#ifndef OPEVO_SIMT_WORK_INTERNAL_H
#define OPEVO_SIMT_WORK_INTERNAL_H

#include "simt_decode_internal.h"

#include <string.h>

/* What all handlers see. */
typedef struct opevo_i_simt_work {
    opevo_i_simt_decoder *decoder;
    opevo_i_simt_frame *frame;
    LLVMValueRef instruction;
    opevo_i_simt_value result; /* if it has one */
} opevo_i_simt_work;

/* simt_arithmetic.c: arithmetic, comparisons, select; simt_conversions.c */
bool opevo_i_simt_work_arithmetic(opevo_i_simt_work *self);
bool opevo_i_simt_work_conversion(opevo_i_simt_work *self);
/* simt_addresses.c: getelementptr, alloca and accesses */
/* What an address is as a number is up to who calls. */
void opevo_i_simt_work_doubt(const opevo_i_simt_work *self);
bool opevo_i_simt_work_memory(opevo_i_simt_work *self);
/* The store of an instruction vmovntps, (pointer, vector). */
bool opevo_i_simt_work_stream(opevo_i_simt_work *self);
/* Of an access by a pointer that is aligned so far: code->space. */
uint8_t opevo_i_simt_work_space(LLVMValueRef pointer, unsigned alignment);
/* An access of so many bytes: races are looked for by granules, which no access may meet in
 * part. */
void opevo_i_simt_work_note_granule(const opevo_i_simt_work *self, unsigned bytes);
/* simt_blocks.c: llvm.memset, or llvm.memcpy and llvm.memmove, of a number of bytes that the code
 * says. */
bool opevo_i_simt_work_block(opevo_i_simt_work *self, bool is_fill);
/* simt_masked.c: accesses to the elements of a vector whose bit is set. */
bool opevo_i_simt_work_masked(opevo_i_simt_work *self, bool is_store);
/* llvm.x86.avx512.mask.compress(value, otherwise, mask). */
bool opevo_i_simt_work_compress(opevo_i_simt_work *self);
/* simt_addresses.c: an access to a part of a vector of a type at `bytes` behind an address. */
opevo_i_simt_code *opevo_i_simt_work_access(const opevo_i_simt_work *self, bool is_store,
                                            opevo_i_simt_slot address, opevo_i_simt_slot part,
                                            LLVMTypeRef type, uint32_t bytes);
/* simt_call_code.c: *what is the name of what is not supported. */
bool opevo_i_simt_work_call(opevo_i_simt_work *self, const char **what);
/* simt_value_code.c, where floats are values */
/* A select of values; false: it is not one, or not supported. */
bool opevo_i_simt_work_choose(opevo_i_simt_work *self);
/* Bits that come of values; false where the operand is not a value or the result is one. */
bool opevo_i_simt_work_value_bits(opevo_i_simt_work *self, unsigned index);
/* A call of a function that is an operation. */
bool opevo_i_simt_work_own_call(opevo_i_simt_work *self, const char *name);
/* simt_fork_code.c: a call of OpenMP's library, and whether it is supported; false: it is another
 * function. */
bool opevo_i_simt_work_threads(opevo_i_simt_work *self, const char *name, bool *good);
/* simt_conversions.c: the result has the bits of an operand. */
bool opevo_i_simt_work_same(opevo_i_simt_work *self, unsigned index);

/* Values go by the names of the widest floats. */
static inline unsigned work_log_2(uint8_t size)
{
    return size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;
}

/* An operand, which may be a vector of floats by the name of a double: so conventions of calls pass
 * two of them. */
static inline bool work_passed(const opevo_i_simt_work *self, unsigned index,
                               opevo_i_simt_value *out)
{
    const opevo_i_simt_value *value =
        opevo_i_simt_value_of(self->decoder, self->frame, LLVMGetOperand(self->instruction, index));

    if (value)
        *out = *value;
    return value != NULL;
}

/* An operand; false if it is not supported. */
static inline bool work_operand(const opevo_i_simt_work *self, unsigned index,
                                opevo_i_simt_value *out)
{
    uint8_t sizes[OPEVO_I_SIMT_PARTS];

    return work_passed(self, index, out) &&
           (!self->decoder->simt->options.arithmetic ||
            out->count ==
                opevo_i_simt_type_parts(
                    self->decoder, LLVMTypeOf(LLVMGetOperand(self->instruction, index)), sizes));
}

static inline bool work_operands(const opevo_i_simt_work *self, unsigned count,
                                 opevo_i_simt_value out[])
{
    for (unsigned i = 0; i < count; i++)
        if (!work_operand(self, i, &out[i]))
            return false;
    return true;
}

static inline bool work_result(opevo_i_simt_work *self)
{
    const opevo_i_simt_value *value =
        opevo_i_simt_value_of(self->decoder, self->frame, self->instruction);

    if (value)
        self->result = *value;
    return value != NULL;
}

static inline opevo_i_simt_slot work_part(const opevo_i_simt_work *self,
                                          const opevo_i_simt_value *value, uint32_t index)
{
    return opevo_i_simt_part(self->decoder, value, index);
}

/* Bytes of the floats of the result; 0: it has none. */
static inline uint8_t work_float_size(const opevo_i_simt_work *self)
{
    return opevo_i_simt_float_size(opevo_i_simt_part_type(LLVMTypeOf(self->instruction), 0));
}

static inline opevo_i_simt_code *work_emit(const opevo_i_simt_work *self, opevo_i_simt_kind kind,
                                           uint32_t number, opevo_i_simt_slot to)
{
    opevo_i_simt_code *code = opevo_i_simt_emit(self->decoder, kind);

    code->to = to.at;
    code->size = to.size;
    code->operation = self->decoder->simt->operations[number];
    opevo_i_simt_value_code(self->decoder, code, number);
    opevo_i_simt_value_rounding(self->decoder, code, work_float_size(self));
    return code;
}

/* ---- Denormals, as PTX's .ftz has them ---- */

static inline bool work_flushes(const opevo_i_simt_work *self)
{
    return self->frame->denormals == OPEVO_I_SIMT_DENORMALS_FLUSHED &&
           !self->decoder->simt->options.arithmetic;
}

/* to = from, with zeros for denormals. */
static inline void work_flush_into(const opevo_i_simt_work *self, opevo_i_simt_slot to,
                                   opevo_i_simt_slot from, bool flush)
{
    if (flush)
        work_emit(self, OPEVO_I_SIMT_OPERATE, OPEVO_I_SIMT_FLUSH + work_log_2(to.size) - 1, to)->a =
            from.at;
}

/* An operand, as it is read. */
static inline opevo_i_simt_slot work_flushed(const opevo_i_simt_work *self, opevo_i_simt_slot from,
                                             bool flush)
{
    opevo_i_simt_slot to = from;

    if (flush)
        to.at = opevo_i_simt_register(self->decoder, from.size);
    work_flush_into(self, to, from, flush);
    return to;
}

/* Where a result goes before it is flushed. */
static inline opevo_i_simt_slot work_unflushed(const opevo_i_simt_work *self, opevo_i_simt_slot to,
                                               bool flush)
{
    if (flush)
        to.at = opevo_i_simt_register(self->decoder, to.size);
    return to;
}

/* Let the result be these registers. */
static inline bool work_gather(opevo_i_simt_work *self, const opevo_i_simt_slot *slots,
                               uint32_t count)
{
    if (opevo_i_simt_alias(self->decoder, self->frame, self->instruction, slots, count))
        return true;
    if (!work_result(self) || self->result.count != count)
        return false;
    for (uint32_t p = 0; p < count; p++)
        opevo_i_simt_move(self->decoder, work_part(self, &self->result, p), slots[p]);
    return true;
}

#endif
