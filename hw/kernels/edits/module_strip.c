/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Facts that a compiler derived from the code and that an edit can make false: a pass that relies
 * on them would turn a variant into something else than what is written. Permissions, such as to
 * contract a multiplication and an addition, stay. */

#include "edits_internal.h"

#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>

#include <string.h>

static const char *const definition_facts[] = {
    "memory",   "mustprogress", "willreturn", "nofree",    "nosync",       "norecurse",
    "noreturn", "readnone",     "readonly",   "writeonly", "speculatable", "nocallback"};
static const char *const value_facts[] = {
    "noundef",     "nonnull",       "dereferenceable", "dereferenceable_or_null",
    "range",       "nofpclass",     "readnone",        "readonly",
    "writeonly",   "returned",      "captures",        "nocapture",
    "initializes", "dead_on_unwind"};
/* Calls that only state something. */
static const char *const statements[] = {"llvm.assume",
                                         "llvm.lifetime.",
                                         "llvm.invariant.",
                                         "llvm.experimental.noalias.scope",
                                         "llvm.launder.invariant",
                                         "llvm.dbg.",
                                         "llvm.pseudoprobe",
                                         "llvm.donothing"};

enum { DEBUG_LOCATION = 0 }; /* llvm/IR/FixedMetadataKinds.def */

#define COUNT_OF(table) (sizeof(table) / sizeof *(table))

static unsigned kind_of(const char *name)
{
    return LLVMGetEnumAttributeKindForName(name, strlen(name)); /* 0: unknown to this LLVM */
}

static void strip_function(LLVMValueRef function)
{
    unsigned count = LLVMCountParams(function);

    for (size_t k = 0; k < COUNT_OF(definition_facts); k++)
        if (kind_of(definition_facts[k]) && !LLVMIsDeclaration(function))
            LLVMRemoveEnumAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                           kind_of(definition_facts[k]));
    for (size_t k = 0; k < COUNT_OF(value_facts); k++)
        for (unsigned i = 0; i <= count && kind_of(value_facts[k]); i++)
            LLVMRemoveEnumAttributeAtIndex(function, i, kind_of(value_facts[k]));
}

static void strip_call(LLVMValueRef call)
{
    unsigned count = LLVMGetNumArgOperands(call);

    for (size_t k = 0; k < COUNT_OF(value_facts); k++)
        for (unsigned i = 0; i <= count && kind_of(value_facts[k]); i++)
            LLVMRemoveCallSiteEnumAttribute(call, i, kind_of(value_facts[k]));
    for (size_t k = 0; k < COUNT_OF(definition_facts); k++)
        if (kind_of(definition_facts[k]))
            LLVMRemoveCallSiteEnumAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                            kind_of(definition_facts[k]));
    LLVMSetTailCallKind(call, LLVMTailCallKindNone); /* a fact about the caller's allocas */
}

static void strip_metadata(const opevo_module *module, LLVMValueRef instruction)
{
    size_t count = 0;
    LLVMValueMetadataEntry *entries =
        LLVMInstructionGetAllMetadataOtherThanDebugLoc(instruction, &count);

    for (size_t i = 0; i < count; i++) {
        unsigned kind = LLVMValueMetadataEntriesGetKind(entries, (unsigned)i);

        /* In spite of the function's name, LLVM 19 lists debug locations as well. */
        if (kind != DEBUG_LOCATION && kind != module->fpmath_kind)
            LLVMSetMetadata(instruction, kind, NULL);
    }
    LLVMDisposeValueMetadataEntries(entries);
}

/* An edit can bring any pointer to elements of the type. */
static void strip_alignment(const opevo_module *module, LLVMValueRef instruction, LLVMTypeRef type)
{
    unsigned natural = LLVMABIAlignmentOfType(LLVMGetModuleDataLayout(module->llvm), type);

    if (LLVMGetAlignment(instruction) > natural)
        LLVMSetAlignment(instruction, natural);
}

static void strip_instruction(const opevo_module *module, LLVMValueRef instruction)
{
    strip_metadata(module, instruction);
    if (LLVMCanValueUseFastMathFlags(instruction))
        LLVMSetFastMathFlags(instruction, LLVMGetFastMathFlags(instruction) &
                                              ~(unsigned)(LLVMFastMathNoNaNs | LLVMFastMathNoInfs));
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
    case LLVMTrunc:
        LLVMSetNSW(instruction, false);
        LLVMSetNUW(instruction, false);
        break;
    case LLVMSDiv:
    case LLVMUDiv:
    case LLVMAShr:
    case LLVMLShr:
        LLVMSetExact(instruction, false);
        break;
    case LLVMOr:
        LLVMSetIsDisjoint(instruction, false);
        break;
    case LLVMZExt:
    case LLVMUIToFP:
        LLVMSetNNeg(instruction, false);
        break;
#if OPEVO_LLVM_VERSION >= 20
    case LLVMICmp:
        LLVMSetICmpSameSign(instruction, false);
        break;
#endif
    case LLVMGetElementPtr:
        LLVMGEPSetNoWrapFlags(instruction, 0);
        break;
    case LLVMLoad:
        strip_alignment(module, instruction, LLVMTypeOf(instruction));
        break;
    case LLVMStore:
        strip_alignment(module, instruction, LLVMTypeOf(LLVMGetOperand(instruction, 0)));
        break;
    case LLVMCall:
        strip_call(instruction);
        break;
    default:
        break;
    }
}

/* LLVM-C can add fast-math flags and cannot take them away, so the instruction is built anew. */
static LLVMValueRef rebuild(LLVMBuilderRef builder, LLVMValueRef old)
{
    LLVMValueRef first = LLVMGetOperand(old, 0), fresh, arguments[8];

    switch (LLVMGetInstructionOpcode(old)) {
    case LLVMFNeg:
        return LLVMBuildFNeg(builder, first, "");
    case LLVMFCmp:
        return LLVMBuildFCmp(builder, LLVMGetFCmpPredicate(old), first, LLVMGetOperand(old, 1), "");
    case LLVMSelect:
        return LLVMBuildSelect(builder, first, LLVMGetOperand(old, 1), LLVMGetOperand(old, 2), "");
    case LLVMPHI:
        fresh = LLVMBuildPhi(builder, LLVMTypeOf(old), "");
        for (unsigned i = 0; i < LLVMCountIncoming(old); i++) {
            LLVMValueRef value = LLVMGetIncomingValue(old, i);
            LLVMBasicBlockRef block = LLVMGetIncomingBlock(old, i);

            LLVMAddIncoming(fresh, &value, &block, 1);
        }
        return fresh;
    case LLVMCall:
        if (LLVMGetNumArgOperands(old) > 8 || LLVMGetNumOperandBundles(old) > 0)
            return NULL;
        for (unsigned i = 0; i < LLVMGetNumArgOperands(old); i++)
            arguments[i] = LLVMGetOperand(old, i);
        fresh = LLVMBuildCall2(builder, LLVMGetCalledFunctionType(old), LLVMGetCalledValue(old),
                               arguments, LLVMGetNumArgOperands(old), "");
        LLVMSetInstructionCallConv(fresh, LLVMGetInstructionCallConv(old));
        return fresh;
    case LLVMFPExt:
    case LLVMFPTrunc:
        return LLVMBuildCast(builder, LLVMGetInstructionOpcode(old), first, LLVMTypeOf(old), "");
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMFRem:
        return LLVMBuildBinOp(builder, LLVMGetInstructionOpcode(old), first, LLVMGetOperand(old, 1),
                              "");
    default:
        return NULL;
    }
}

/* Results that are not a number or infinite must not be poison. */
static LLVMValueRef strip_fast_math(LLVMBuilderRef builder, LLVMValueRef old)
{
    const unsigned facts = LLVMFastMathNoNaNs | LLVMFastMathNoInfs;
    LLVMFastMathFlags flags;
    LLVMValueRef fresh;

    if (!LLVMCanValueUseFastMathFlags(old) || !(LLVMGetFastMathFlags(old) & facts))
        return old;
    flags = LLVMGetFastMathFlags(old) & ~facts;
    LLVMPositionBuilderBefore(builder, old);
    LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(old));
    fresh = rebuild(builder, old);
    if (!fresh)
        return old;
    if (LLVMIsAInstruction(fresh)) /* otherwise it was folded */
        LLVMSetFastMathFlags(fresh, flags);
    LLVMReplaceAllUsesWith(old, fresh);
    LLVMInstructionEraseFromParent(old);
    return fresh;
}

static bool states_only(LLVMValueRef instruction)
{
    size_t length = 0;
    LLVMValueRef callee = NULL;

    if (LLVMGetInstructionOpcode(instruction) != LLVMCall)
        return false;
    callee = LLVMGetCalledValue(instruction);
    if (!LLVMIsAFunction(callee))
        return false;
    const char *name = LLVMGetValueName2(callee, &length);
    for (size_t i = 0; i < COUNT_OF(statements); i++)
        if (strncmp(name, statements[i], strlen(statements[i])) == 0)
            return true;
    return false;
}

void opevo_i_edit_strip_facts(opevo_module *module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(module->context);

    for (LLVMValueRef f = LLVMGetFirstFunction(module->llvm); f; f = LLVMGetNextFunction(f)) {
        strip_function(f);
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                if (states_only(i)) {
                    if (LLVMGetFirstUse(i)) /* llvm.launder.invariant.group passes its operand on */
                        LLVMReplaceAllUsesWith(i, LLVMGetOperand(i, 0));
                    LLVMInstructionEraseFromParent(i);
                    continue;
                }
                i = strip_fast_math(builder, i);
                if (LLVMIsAInstruction(i))
                    strip_instruction(module, i);
            }
    }
    LLVMDisposeBuilder(builder);
}
