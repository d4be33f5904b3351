/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Functions in OpenCL C: their variables, and their blocks with gotos, which compilers of OpenCL
 * take apart as they do with their own code. A phi is written at the end of the blocks before it,
 * to a second variable, as the phis of a block change at once. */

#include "variant_opencl_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void add(opevo_i_edit_cl *self, const char *words)
{
    opevo_text_add(self->out, words);
}

/* Operand `i` of an instruction that names no address space of its own. */
static void add_operand(opevo_i_edit_cl *self, LLVMValueRef instruction, unsigned i)
{
    opevo_i_edit_cl_operand(self, LLVMGetOperand(instruction, i), OPEVO_I_CL_GLOBAL);
}

static void refuse(opevo_i_edit_cl *self, LLVMValueRef instruction)
{
    char *text = LLVMPrintValueToString(instruction);

    opevo_i_edit_cl_fail(self, "The instruction %.150s cannot be written in OpenCL C.",
                         text + strspn(text, " "));
    LLVMDisposeMessage(text);
}

/* ---- Arithmetic ---- */

/* "FIRST OP SECOND", each in parentheses, behind `cast`. */
static void add_pair(opevo_i_edit_cl *self, LLVMValueRef instruction, const char *cast,
                     const char *words)
{
    opevo_text_printf(self->out, "%s", cast);
    add_operand(self, instruction, 0);
    opevo_text_printf(self->out, " %s %s", words, cast);
    add_operand(self, instruction, 1);
}

/* Narrow operands become int in C, whose overflow is undefined: they are widened first. */
static void add_integer_pair(opevo_i_edit_cl *self, LLVMValueRef instruction, const char *words,
                             bool is_signed)
{
    LLVMTypeRef type = LLVMTypeOf(instruction);
    const char *name = opevo_i_edit_cl_type(self, type);
    char cast[16];

    snprintf(cast, sizeof cast, "(%s)",
             is_signed                        ? opevo_i_edit_cl_signed(type)
             : LLVMGetIntTypeWidth(type) < 32 ? "uint"
                                              : name);
    opevo_text_printf(self->out, "(%s)(", name);
    add_pair(self, instruction, cast, words);
    add(self, ")");
}

static void add_bit_pair(opevo_i_edit_cl *self, LLVMValueRef instruction)
{
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMAnd:
    case LLVMMul:
        add_pair(self, instruction, "", "&&");
        return;
    case LLVMOr:
        add_pair(self, instruction, "", "||");
        return;
    case LLVMAdd:
    case LLVMSub:
    case LLVMXor:
        add_pair(self, instruction, "", "!=");
        return;
    default: /* a shift, or a quotient, by what can only be 0 or 1 */
        add_operand(self, instruction, 0);
    }
}

/* False for other instructions. */
static bool add_arithmetic(opevo_i_edit_cl *self, LLVMValueRef instruction)
{
    static const struct {
        LLVMOpcode opcode;
        const char *words;
        bool is_signed;
    } rows[] = {{LLVMAdd, "+", false},  {LLVMSub, "-", false},  {LLVMMul, "*", false},
                {LLVMUDiv, "/", false}, {LLVMURem, "%", false}, {LLVMSDiv, "/", true},
                {LLVMSRem, "%", true},  {LLVMShl, "<<", false}, {LLVMLShr, ">>", false},
                {LLVMAShr, ">>", true}, {LLVMAnd, "&", false},  {LLVMOr, "|", false},
                {LLVMXor, "^", false},  {LLVMFAdd, "+", false}, {LLVMFSub, "-", false},
                {LLVMFMul, "*", false}, {LLVMFDiv, "/", false}};
    LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].opcode != opcode)
            continue;
        if (LLVMGetTypeKind(LLVMTypeOf(instruction)) != LLVMIntegerTypeKind)
            add_pair(self, instruction, "", rows[i].words);
        else if (opevo_i_edit_cl_is_bit(LLVMTypeOf(instruction)))
            add_bit_pair(self, instruction);
        else
            add_integer_pair(self, instruction, rows[i].words, rows[i].is_signed);
        return true;
    }
    return false;
}

/* ---- Comparisons ---- */

static void add_comparison(opevo_i_edit_cl *self, LLVMValueRef instruction)
{
    static const char *const words[] = {
        [LLVMIntEQ] = "==", [LLVMIntNE] = "!=",  [LLVMIntUGT] = ">", [LLVMIntUGE] = ">=",
        [LLVMIntULT] = "<", [LLVMIntULE] = "<=", [LLVMIntSGT] = ">", [LLVMIntSGE] = ">=",
        [LLVMIntSLT] = "<", [LLVMIntSLE] = "<="};
    LLVMIntPredicate predicate = LLVMGetICmpPredicate(instruction);
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(instruction, 0));
    char cast[16] = "";

    if (opevo_i_edit_cl_is_pointer(type))
        snprintf(cast, sizeof cast, "(ulong)");
    else if (predicate >= LLVMIntSGT && opevo_i_edit_cl_is_bit(type))
        snprintf(cast, sizeof cast, "-(int)");
    else if (predicate >= LLVMIntSGT)
        snprintf(cast, sizeof cast, "(%s)", opevo_i_edit_cl_signed(type));
    add_pair(self, instruction, cast, words[predicate]);
}

/* Unordered comparisons are the negation of the opposite ordered one. */
static void add_float_comparison(opevo_i_edit_cl *self, LLVMValueRef instruction)
{
    static const struct {
        const char *before, *words; /* before: a function, or a negation */
    } rows[] = {[LLVMRealPredicateFalse] = {"0", NULL},
                [LLVMRealOEQ] = {"", "=="},
                [LLVMRealOGT] = {"", ">"},
                [LLVMRealOGE] = {"", ">="},
                [LLVMRealOLT] = {"", "<"},
                [LLVMRealOLE] = {"", "<="},
                [LLVMRealONE] = {"islessgreater", ","},
                [LLVMRealORD] = {"isordered", ","},
                [LLVMRealUNO] = {"isunordered", ","},
                [LLVMRealUEQ] = {"!islessgreater", ","},
                [LLVMRealUGT] = {"!", "<="},
                [LLVMRealUGE] = {"!", "<"},
                [LLVMRealULT] = {"!", ">="},
                [LLVMRealULE] = {"!", ">"},
                [LLVMRealUNE] = {"", "!="},
                [LLVMRealPredicateTrue] = {"1", NULL}};
    LLVMRealPredicate predicate = LLVMGetFCmpPredicate(instruction);

    add(self, rows[predicate].before);
    if (!rows[predicate].words)
        return;
    add(self, "(");
    add_pair(self, instruction, "", rows[predicate].words);
    add(self, ")");
}

/* ---- Conversions ---- */

static void add_from_bit(opevo_i_edit_cl *self, LLVMValueRef instruction, bool is_signed)
{
    const char *name = opevo_i_edit_cl_type(self, LLVMTypeOf(instruction));

    add_operand(self, instruction, 0);
    opevo_text_printf(self->out, " ? (%s)%d : (%s)0", name, is_signed ? -1 : 1, name);
}

static void add_conversion(opevo_i_edit_cl *self, LLVMValueRef instruction)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
    LLVMTypeRef to = LLVMTypeOf(instruction), from = LLVMTypeOf(LLVMGetOperand(instruction, 0));
    const char *name = opevo_i_edit_cl_type(self, to);
    bool is_signed = opcode == LLVMSExt || opcode == LLVMSIToFP;

    if (opevo_i_edit_cl_is_bit(to)) { /* of what is trunc, as of the others LLVM says nothing */
        add(self, "(bool)((uint)");
        add_operand(self, instruction, 0);
        add(self, " & 1)");
        return;
    }
    if (opevo_i_edit_cl_is_bit(from)) {
        add_from_bit(self, instruction, is_signed);
        return;
    }
    if (opcode == LLVMBitCast)
        opevo_text_printf(self->out, "as_%s", name);
    else if (opcode == LLVMSExt || opcode == LLVMFPToSI)
        opevo_text_printf(self->out, "(%s)(%s)", name, opevo_i_edit_cl_signed(to));
    else
        opevo_text_printf(self->out, "(%s)", name);
    if (is_signed)
        opevo_text_printf(self->out, "(%s)", opevo_i_edit_cl_signed(from));
    if (opcode == LLVMPtrToInt)
        add(self, "(ulong)");
    add_operand(self, instruction, 0);
}

/* ---- Memory ---- */

static void add_load(opevo_i_edit_cl *self, LLVMValueRef instruction)
{
    bool ordered = LLVMGetOrdering(instruction) != LLVMAtomicOrderingNotAtomic;

    if (opevo_i_edit_cl_is_pointer(LLVMTypeOf(instruction))) {
        opevo_i_edit_cl_fail(self, "The kernel reads a pointer from memory, which OpenCL C 1.2 "
                                   "cannot say; compile it with -O2.");
        return;
    }
    opevo_i_edit_cl_access(self, LLVMTypeOf(instruction), LLVMGetOperand(instruction, 0),
                           LLVMGetAlignment(instruction), ordered || LLVMGetVolatile(instruction));
    if (opevo_i_edit_cl_is_bit(LLVMTypeOf(instruction)))
        add(self, " & 1");
}

static void add_store(opevo_i_edit_cl *self, LLVMValueRef instruction)
{
    LLVMValueRef value = LLVMGetOperand(instruction, 0);
    bool ordered = LLVMGetOrdering(instruction) != LLVMAtomicOrderingNotAtomic;

    if (opevo_i_edit_cl_is_pointer(LLVMTypeOf(value))) {
        refuse(self, instruction);
        return;
    }
    opevo_i_edit_cl_access(self, LLVMTypeOf(value), LLVMGetOperand(instruction, 1),
                           LLVMGetAlignment(instruction), ordered || LLVMGetVolatile(instruction));
    add(self, " = ");
    add_operand(self, instruction, 0);
}

/* "atomic_add((volatile __local int *)" */
static void begin_atomic(opevo_i_edit_cl *self, LLVMValueRef instruction, LLVMTypeRef type,
                         const char *name, bool is_signed)
{
    LLVMValueRef pointer = LLVMGetOperand(instruction, 0);
    unsigned space = opevo_i_edit_cl_space(self, pointer);
    bool wide = LLVMABISizeOfType(self->layout, type) == 8;
    bool whole = LLVMGetTypeKind(type) == LLVMIntegerTypeKind;

    if ((space != OPEVO_I_CL_GLOBAL && space != OPEVO_I_CL_LOCAL) ||
        LLVMABISizeOfType(self->layout, type) < 4) {
        refuse(self, instruction);
        return;
    }
    opevo_text_printf(self->out, "%s_%s((volatile %s %s *)", wide ? "atom" : "atomic", name,
                      space == OPEVO_I_CL_LOCAL ? "__local" : "__global",
                      whole && is_signed ? opevo_i_edit_cl_signed(type)
                                         : opevo_i_edit_cl_type(self, type));
    opevo_i_edit_cl_operand(self, pointer, space);
}

static void add_atomic(opevo_i_edit_cl *self, LLVMValueRef instruction)
{
    static const struct {
        const char *name;
        bool is_signed;
    } rows[] = {
        [LLVMAtomicRMWBinOpXchg] = {"xchg", false}, [LLVMAtomicRMWBinOpAdd] = {"add", false},
        [LLVMAtomicRMWBinOpSub] = {"sub", false},   [LLVMAtomicRMWBinOpAnd] = {"and", false},
        [LLVMAtomicRMWBinOpOr] = {"or", false},     [LLVMAtomicRMWBinOpXor] = {"xor", false},
        [LLVMAtomicRMWBinOpMax] = {"max", true},    [LLVMAtomicRMWBinOpMin] = {"min", true},
        [LLVMAtomicRMWBinOpUMax] = {"max", false},  [LLVMAtomicRMWBinOpUMin] = {"min", false}};
    LLVMAtomicRMWBinOp what = LLVMGetAtomicRMWBinOp(instruction);
    LLVMTypeRef type = LLVMTypeOf(instruction);
    unsigned space = opevo_i_edit_cl_space(self, LLVMGetOperand(instruction, 0));

    if (what == LLVMAtomicRMWBinOpFAdd && LLVMGetTypeKind(type) == LLVMFloatTypeKind &&
        space != OPEVO_I_CL_PRIVATE) {
        opevo_text_printf(self->out, "add_float_%s(",
                          space == OPEVO_I_CL_LOCAL ? "local" : "global");
        opevo_i_edit_cl_operand(self, LLVMGetOperand(instruction, 0), space);
    } else if ((size_t)what >= sizeof rows / sizeof *rows || !rows[what].name) {
        refuse(self, instruction);
        return;
    } else {
        begin_atomic(self, instruction, type, rows[what].name, rows[what].is_signed);
    }
    add(self, ", ");
    add_operand(self, instruction, 1);
    add(self, ")");
}

/* The old value, then whether it was the expected one. */
static void add_exchange(opevo_i_edit_cl *self, LLVMValueRef instruction)
{
    unsigned number = opevo_i_edit_cl_number(self, instruction);

    begin_atomic(self, instruction, LLVMTypeOf(LLVMGetOperand(instruction, 1)), "cmpxchg", false);
    add(self, ", ");
    add_operand(self, instruction, 1);
    add(self, ", ");
    add_operand(self, instruction, 2);
    opevo_text_printf(self->out, ");\n  v%u_ok = v%u == ", number, number);
    add_operand(self, instruction, 1);
}

/* Of a compare-and-swap; other structs and vectors are in single values. */
static void add_part(opevo_i_edit_cl *self, LLVMValueRef instruction)
{
    LLVMValueRef whole = LLVMGetOperand(instruction, 0);

    if (LLVMIsAAtomicCmpXchgInst(whole))
        opevo_text_printf(self->out, "v%u%s", opevo_i_edit_cl_number(self, whole),
                          LLVMGetIndices(instruction)[0] ? "_ok" : "");
    else
        refuse(self, instruction);
}

/* ---- Control flow ---- */

static bool is_phi(LLVMValueRef instruction)
{
    return instruction && LLVMGetInstructionOpcode(instruction) == LLVMPHI;
}

/* The phis of the block that is gone to, and the jump. */
static void go_to(opevo_i_edit_cl *self, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    for (LLVMValueRef phi = LLVMGetFirstInstruction(to); is_phi(phi);
         phi = LLVMGetNextInstruction(phi))
        for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
            bool is_address = opevo_i_edit_cl_is_pointer(LLVMTypeOf(phi));

            if (LLVMGetIncomingBlock(phi, i) != from)
                continue;
            opevo_text_printf(self->out, "p%u = ", opevo_i_edit_cl_number(self, phi));
            opevo_i_edit_cl_operand(self, LLVMGetIncomingValue(phi, i),
                                    is_address ? opevo_i_edit_cl_space(self, phi) : 0);
            add(self, "; ");
            break;
        }
    opevo_text_printf(self->out, "goto b%u;", opevo_i_edit_cl_number(self, to));
}

static void add_switch(opevo_i_edit_cl *self, LLVMValueRef last, LLVMBasicBlockRef block)
{
    unsigned count = LLVMGetNumSuccessors(last);

    add(self, "  switch ");
    add_operand(self, last, 0);
    add(self, " {\n");
    for (unsigned i = 1; i < count; i++) { /* operands: value, default, then pairs */
        opevo_text_printf(self->out, "  case %" PRIu64 "UL: ",
                          (uint64_t)LLVMConstIntGetZExtValue(LLVMGetOperand(last, 2 * i)));
        go_to(self, block, LLVMGetSuccessor(last, i));
        add(self, "\n");
    }
    add(self, "  default: ");
    go_to(self, block, LLVMGetSwitchDefaultDest(last));
    add(self, "\n  }\n");
}

static void add_end(opevo_i_edit_cl *self, LLVMValueRef last, LLVMBasicBlockRef block)
{
    LLVMTypeRef result = LLVMGetReturnType(LLVMGlobalGetValueType(LLVMGetBasicBlockParent(block)));

    switch (LLVMGetInstructionOpcode(last)) {
    case LLVMBr:
        add(self, "  ");
        if (LLVMIsConditional(last)) {
            add(self, "if ");
            opevo_i_edit_cl_operand(self, LLVMGetCondition(last), OPEVO_I_CL_GLOBAL);
            add(self, " { ");
            go_to(self, block, LLVMGetSuccessor(last, 0));
            add(self, " } else { ");
            go_to(self, block, LLVMGetSuccessor(last, 1));
            add(self, " }\n");
            return;
        }
        go_to(self, block, LLVMGetSuccessor(last, 0));
        add(self, "\n");
        return;
    case LLVMSwitch:
        add_switch(self, last, block);
        return;
    case LLVMRet:
    case LLVMUnreachable:
        add(self, "  return");
        if (LLVMGetNumOperands(last) == 1)
            add_operand(self, last, 0);
        else if (LLVMGetTypeKind(result) != LLVMVoidTypeKind)
            add(self, " 0");
        add(self, ";\n");
        return;
    default:
        refuse(self, last);
    }
}

/* ---- Instructions ---- */

static void add_select(opevo_i_edit_cl *self, LLVMValueRef instruction)
{
    bool is_address = opevo_i_edit_cl_is_pointer(LLVMTypeOf(instruction));
    unsigned space = is_address ? opevo_i_edit_cl_space(self, instruction) : 0;

    add_operand(self, instruction, 0);
    add(self, " ? ");
    opevo_i_edit_cl_operand(self, LLVMGetOperand(instruction, 1), space);
    add(self, " : ");
    opevo_i_edit_cl_operand(self, LLVMGetOperand(instruction, 2), space);
}

static void add_address_of(opevo_i_edit_cl *self, LLVMValueRef instruction)
{
    unsigned space = opevo_i_edit_cl_space(self, instruction);

    if (LLVMGetInstructionOpcode(instruction) == LLVMIntToPtr)
        opevo_text_printf(self->out, "(%s)(ulong)", opevo_i_edit_cl_pointer(space));
    opevo_i_edit_cl_operand(self, LLVMGetOperand(instruction, 0), space);
}

static void add_value(opevo_i_edit_cl *self, LLVMValueRef instruction)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);

    if (LLVMIsACastInst(instruction) && !opevo_i_edit_cl_is_pointer(LLVMTypeOf(instruction)))
        add_conversion(self, instruction);
    else if (LLVMIsACastInst(instruction) || opcode == LLVMFreeze)
        opevo_i_edit_cl_is_pointer(LLVMTypeOf(instruction)) ? add_address_of(self, instruction)
                                                            : add_operand(self, instruction, 0);
    else if (opcode == LLVMICmp)
        add_comparison(self, instruction);
    else if (opcode == LLVMFCmp)
        add_float_comparison(self, instruction);
    else if (opcode == LLVMSelect)
        add_select(self, instruction);
    else if (opcode == LLVMGetElementPtr)
        opevo_i_edit_cl_address(self, instruction);
    else if (opcode == LLVMLoad)
        add_load(self, instruction);
    else if (opcode == LLVMAtomicRMW)
        add_atomic(self, instruction);
    else if (opcode == LLVMAtomicCmpXchg)
        add_exchange(self, instruction);
    else if (opcode == LLVMExtractValue)
        add_part(self, instruction);
    else if (opcode == LLVMFNeg)
        add(self, "-"), add_operand(self, instruction, 0);
    else if (opcode == LLVMFRem)
        add(self, "fmod("), add_pair(self, instruction, "", ","), add(self, ")");
    else if (!add_arithmetic(self, instruction))
        refuse(self, instruction);
}

static void add_statement(opevo_i_edit_cl *self, LLVMValueRef instruction)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
    unsigned number = opevo_i_edit_cl_number(self, instruction);

    add(self, "  ");
    switch (opcode) {
    case LLVMPHI:
        opevo_text_printf(self->out, "v%u = p%u", number, number);
        break;
    case LLVMAlloca:
        opevo_text_printf(self->out, "v%u = m%u", number, number);
        break;
    case LLVMStore:
        add_store(self, instruction);
        break;
    case LLVMFence:
        add(self, "mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)");
        break;
    case LLVMCall:
        opevo_i_edit_cl_call(self, instruction);
        break;
    default:
        opevo_text_printf(self->out, "v%u = ", number);
        add_value(self, instruction);
    }
    add(self, ";\n");
}

/* ---- Functions ---- */

static void declare_memory(opevo_i_edit_cl *self, LLVMValueRef alloca)
{
    LLVMValueRef count = LLVMGetOperand(alloca, 0);
    uint64_t bytes = LLVMABISizeOfType(self->layout, LLVMGetAllocatedType(alloca));

    if (!LLVMIsAConstantInt(count)) {
        refuse(self, alloca);
        return;
    }
    opevo_text_printf(self->out, "  uchar m%u[%" PRIu64 "] __attribute__((aligned(%u)));\n",
                      opevo_i_edit_cl_number(self, alloca),
                      bytes * (uint64_t)LLVMConstIntGetZExtValue(count), LLVMGetAlignment(alloca));
}

static void declare(opevo_i_edit_cl *self, LLVMValueRef instruction)
{
    unsigned number = opevo_i_edit_cl_number(self, instruction);

    if (LLVMGetTypeKind(LLVMTypeOf(instruction)) == LLVMVoidTypeKind)
        return;
    if (LLVMGetInstructionOpcode(instruction) == LLVMAtomicCmpXchg) {
        opevo_text_printf(self->out, "  %s v%u; bool v%u_ok;\n",
                          opevo_i_edit_cl_type(self, LLVMTypeOf(LLVMGetOperand(instruction, 1))),
                          number, number);
        return;
    }
    if (LLVMGetInstructionOpcode(instruction) == LLVMAlloca)
        declare_memory(self, instruction);
    for (int i = 0; i < 1 + is_phi(instruction); i++) {
        add(self, "  ");
        opevo_i_edit_cl_declare(self, instruction);
        opevo_text_printf(self->out, "%c%u;\n", i ? 'p' : 'v', number);
    }
}

void opevo_i_edit_cl_body(opevo_i_edit_cl *self, LLVMValueRef function)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            declare(self, i);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef last = LLVMGetBasicBlockTerminator(b);

        if (b != LLVMGetEntryBasicBlock(function))
            opevo_text_printf(self->out, "b%u:;\n", opevo_i_edit_cl_number(self, b));
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i != last; i = LLVMGetNextInstruction(i))
            add_statement(self, i);
        add_end(self, last, b);
    }
}
