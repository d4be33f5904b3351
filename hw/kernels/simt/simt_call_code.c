/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Calls to code: intrinsics, and functions with a body, which are inlined. */

#include "simt_work_internal.h"

/* Of floats of 32 bits; on those of 16 bits no function here has .ftz. */
static bool call_flushes(const opevo_i_simt_work *self, const opevo_i_simt_intrinsic *found,
                         uint8_t size)
{
    return size == 4 && found->least >= 2 &&
           (found->ftz == OPEVO_I_SIMT_FTZ_ALWAYS ||
            (found->ftz == OPEVO_I_SIMT_FTZ_OF_FUNCTION && work_flushes(self)));
}

static bool decode_operation(opevo_i_simt_work *self, const opevo_i_simt_intrinsic *found)
{
    opevo_i_simt_value in[3];

    if ((unsigned)LLVMGetNumArgOperands(self->instruction) < found->operands ||
        !work_operands(self, found->operands, in) || !work_result(self))
        return false;
    for (uint32_t p = 0; p < self->result.count; p++) {
        opevo_i_simt_slot to = work_part(self, &self->result, p), made;
        opevo_i_simt_slot from[3] = {{0}};
        bool flush = call_flushes(self, found, to.size);
        opevo_i_simt_code *code;

        if (to.size < found->least || to.size == 0 || work_part(self, &in[0], p).size != to.size)
            return false;
        for (unsigned i = 0; i < found->operands; i++)
            from[i] = work_flushed(self, work_part(self, &in[i], p), flush);
        made = work_unflushed(self, to, flush);
        code = work_emit(self, OPEVO_I_SIMT_OPERATE,
                         found->number + work_log_2(to.size) - work_log_2((uint8_t)found->least),
                         made);
        code->a = from[0].at;
        code->b = found->operands > 1 ? from[1].at : code->b;
        code->c = found->operands > 2 ? from[2].at : code->c;
        work_flush_into(self, to, made, flush);
        opevo_i_simt_charge(self->decoder, to.size == 8 ? found->cost_64 : found->cost_32);
    }
    return true;
}

static bool decode_special(opevo_i_simt_work *self, uint32_t which)
{
    opevo_i_simt_slot slot = {opevo_i_simt_special_register(which), 4};

    opevo_i_simt_charge(self->decoder, OPEVO_I_SIMT_COST_INTEGER);
    return work_gather(self, &slot, 1);
}

static bool decode_warp_size(opevo_i_simt_work *self)
{
    opevo_i_simt_slot slot = {
        opevo_i_simt_constant_register(self->decoder, 4, OPEVO_I_SIMT_LANES, false), 4};

    return work_gather(self, &slot, 1);
}

/* Only barrier 0 of all threads. */
static bool decode_barrier(opevo_i_simt_work *self, uint32_t fence)
{
    LLVMValueRef which = LLVMGetOperand(self->instruction, 0);

    if (LLVMGetNumArgOperands(self->instruction) > 0 &&
        (!LLVMIsAConstantInt(which) || LLVMConstIntGetZExtValue(which) != 0))
        return false;
    opevo_i_simt_emit(self->decoder, OPEVO_I_SIMT_BARRIER)->number = fence;
    opevo_i_simt_charge(self->decoder, OPEVO_I_SIMT_COST_BARRIER);
    return true;
}

static bool decode_warp_barrier(opevo_i_simt_work *self)
{
    opevo_i_simt_value mask;

    if (!work_operand(self, 0, &mask))
        return false;
    opevo_i_simt_emit(self->decoder, OPEVO_I_SIMT_WARP_BARRIER)->a = work_part(self, &mask, 0).at;
    opevo_i_simt_charge(self->decoder, OPEVO_I_SIMT_COST_WARP_BARRIER);
    return true;
}

static bool decode_shuffle(opevo_i_simt_work *self, uint32_t which)
{
    opevo_i_simt_value in[4]; /* mask, value, lane, clamp */
    opevo_i_simt_code *code;

    if (!work_operands(self, 4, in) || !work_result(self))
        return false;
    code = opevo_i_simt_emit(self->decoder, OPEVO_I_SIMT_SHUFFLE);
    code->to = work_part(self, &self->result, 0).at;
    code->size = work_part(self, &in[1], 0).size;
    code->a = work_part(self, &in[1], 0).at;
    code->b = work_part(self, &in[2], 0).at;
    code->c = work_part(self, &in[3], 0).at;
    code->number = which | (int64_t)work_part(self, &in[0], 0).at << OPEVO_I_SIMT_SHUFFLE_BITS;
    opevo_i_simt_charge(self->decoder, OPEVO_I_SIMT_COST_SHUFFLE);
    return true;
}

static bool decode_vote(opevo_i_simt_work *self, uint32_t which)
{
    opevo_i_simt_value in[2]; /* mask, predicate */
    opevo_i_simt_code *code;

    if (!work_result(self) || (which != OPEVO_I_SIMT_VOTE_ACTIVE && !work_operands(self, 2, in)))
        return false;
    code = opevo_i_simt_emit(self->decoder, OPEVO_I_SIMT_VOTE);
    code->to = work_part(self, &self->result, 0).at;
    code->size = work_part(self, &self->result, 0).size;
    if (which != OPEVO_I_SIMT_VOTE_ACTIVE) {
        code->a = work_part(self, &in[1], 0).at;
        code->b = work_part(self, &in[0], 0).at;
    }
    code->number = which;
    opevo_i_simt_charge(self->decoder, OPEVO_I_SIMT_COST_VOTE);
    return true;
}

/* A function with a body: its parameters are the registers of the arguments. */
static bool decode_inlined(opevo_i_simt_work *self, LLVMValueRef function)
{
    bool is_void = LLVMGetTypeKind(LLVMTypeOf(self->instruction)) == LLVMVoidTypeKind;
    opevo_i_simt_frame frame = {.function = function,
                                .denormals = opevo_i_simt_denormals_of(function),
                                .depth = self->frame->depth + 1};
    unsigned count = LLVMCountParams(function);
    bool ok = frame.depth < OPEVO_I_SIMT_CALL_DEPTH && (is_void || work_result(self)) &&
              count == LLVMGetNumArgOperands(self->instruction);

    for (unsigned i = 0; ok && i < count; i++) {
        opevo_i_simt_value in;
        opevo_i_simt_slot slots[OPEVO_I_SIMT_PARTS];

        ok = work_passed(self, i, &in);
        for (uint32_t p = 0; ok && p < in.count; p++)
            slots[p] = work_part(self, &in, p);
        ok = ok &&
             opevo_i_simt_alias(self->decoder, &frame, LLVMGetParam(function, i), slots, in.count);
    }
    frame.result = &self->result;
    if (ok) {
        opevo_i_simt_charge(self->decoder, OPEVO_I_SIMT_COST_BRANCH);
        opevo_i_simt_inline(self->decoder, &frame);
    }
    opevo_i_simt_map_free(&frame.values);
    return ok;
}

/* Its result is its operand, if it is said to be in the operand's register. */
static bool decode_empty(opevo_i_simt_work *self, const char *constraints)
{
    const char *input = strchr(constraints, ',');
    bool is_void = LLVMGetTypeKind(LLVMTypeOf(self->instruction)) == LLVMVoidTypeKind;

    if (is_void)
        return true;
    return LLVMGetNumArgOperands(self->instruction) == 1 && input && strncmp(input, ",0", 2) == 0 &&
           opevo_i_simt_work_same(self, 0);
}

static bool is_assembly(LLVMValueRef assembly, const char *wanted)
{
    size_t length;
    const char *text = LLVMGetInlineAsmAsmString(assembly, &length);

    return length == strlen(wanted) && strncmp(text, wanted, length) == 0;
}

/* Of no instructions, by which sources hide a value from compilers; stores past the caches, and the
 * end of these. */
static bool decode_assembly(opevo_i_simt_work *self, LLVMValueRef assembly)
{
    size_t length;
    const char *constraints = LLVMGetInlineAsmConstraintString(assembly, &length);

    if (is_assembly(assembly, "") || is_assembly(assembly, "sfence"))
        return decode_empty(self, constraints);
    return is_assembly(assembly, "vmovntps $1, $0") && strncmp(constraints, "=*m,", 4) == 0 &&
           opevo_i_simt_work_stream(self);
}

/* Names of what machines compute each in their way. */
static bool is_approximate(const char *name)
{
    static const char *const parts[] = {".approx", ".full", ".fmuladd",
                                        ".ftz",    "rsqrt", "llvm.nvvm.sqrt.f"};
    bool found = false;

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        found |= strstr(name, parts[i]) != NULL;
    return found;
}

bool opevo_i_simt_work_call(opevo_i_simt_work *self, const char **what)
{
    LLVMValueRef function = LLVMGetCalledValue(self->instruction);
    opevo_i_simt_intrinsic found;
    size_t length;
    bool good = false;

    *what = LLVMIsAInlineAsm(function) ? "inline assembly" : "an indirect call";
    if (LLVMIsAInlineAsm(function))
        return decode_assembly(self, function);
    if (!LLVMIsAFunction(function))
        return false;
    *what = LLVMGetValueName2(function, &length);
    if (opevo_i_simt_work_own_call(self, *what))
        return true;
    if (opevo_i_simt_work_threads(self, *what, &good))
        return good;
    if (!LLVMIsDeclaration(function))
        return decode_inlined(self, function);
    found = opevo_i_simt_intrinsic_find(*what);
    if (opevo_i_simt_tells_apart(self->decoder) && is_approximate(*what))
        return false;
    switch (found.callee) {
    case OPEVO_I_SIMT_CALL_NOTHING:
        if (found.cost_32 != OPEVO_I_SIMT_COST_FREE)
            opevo_i_simt_charge(self->decoder, found.cost_32);
        return true;
    case OPEVO_I_SIMT_CALL_SAME:
        return opevo_i_simt_work_same(self, 0);
    case OPEVO_I_SIMT_CALL_OPERATION:
        return decode_operation(self, &found);
    case OPEVO_I_SIMT_CALL_SPECIAL:
        return decode_special(self, found.number);
    case OPEVO_I_SIMT_CALL_WARP_SIZE:
        return decode_warp_size(self);
    case OPEVO_I_SIMT_CALL_BARRIER:
        return decode_barrier(self, found.number);
    case OPEVO_I_SIMT_CALL_WARP_BARRIER:
        return decode_warp_barrier(self);
    case OPEVO_I_SIMT_CALL_SHUFFLE:
        return decode_shuffle(self, found.number);
    case OPEVO_I_SIMT_CALL_VOTE:
        return decode_vote(self, found.number);
    case OPEVO_I_SIMT_CALL_COPY:
    case OPEVO_I_SIMT_CALL_FILL:
        return opevo_i_simt_work_block(self, found.callee == OPEVO_I_SIMT_CALL_FILL);
    case OPEVO_I_SIMT_CALL_MASKED_LOAD:
    case OPEVO_I_SIMT_CALL_MASKED_STORE:
        return opevo_i_simt_work_masked(self, found.callee == OPEVO_I_SIMT_CALL_MASKED_STORE);
    case OPEVO_I_SIMT_CALL_COMPRESS:
        return opevo_i_simt_work_compress(self);
    case OPEVO_I_SIMT_CALL_UNKNOWN:
        break;
    }
    return false;
}
