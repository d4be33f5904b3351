/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Base modules: read, checked, and freed of facts and debug information. LLVM's names of values are
 * kept in the base only: clones are unnamed, so that their text depends on what they compute. */

#include "edits_internal.h"

#include <opevo/file.h>
#include <opevo/memory.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/IRReader.h>

#include <stdlib.h>
#include <string.h>

enum { INSTRUCTIONS_MOST = 100000, FILE_SIZE_MOST = 64 << 20 };

/* Without a handler LLVM prints and ends the process on an error. */
static void keep_diagnostic(LLVMDiagnosticInfoRef info, void *data)
{
    opevo_module *module = data;
    char *text = NULL;

    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
        return;
    text = LLVMGetDiagInfoDescription(info);
    opevo_text_clear(module->diagnostic);
    opevo_text_add(module->diagnostic, text);
    LLVMDisposeMessage(text);
}

/* LLVM's first line, without its final full stop. */
static opevo_status refuse(const char *path, const char *reason, opevo_error *err)
{
    opevo_text text = {0}, shown = {0};
    opevo_status status;

    while (*reason == '\n')
        reason++;
    opevo_text_add_bytes(&text, reason, strcspn(reason, "\n"));
    opevo_text_add_visible(&shown, opevo_text_string(&text));
    status = OPEVO_FAIL(err, OPEVO_INVALID, "%s is not a module of LLVM IR: %s.", path,
                        opevo_text_string(&shown));
    opevo_text_free(&text);
    opevo_text_free(&shown);
    return status;
}

static opevo_status parse(opevo_module *module, const char *path, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    LLVMMemoryBufferRef buffer = NULL;
    char *data = NULL, *message = NULL;
    size_t size = 0;

    OPEVO_TRY(opevo_file_read(path, FILE_SIZE_MOST, &data, &size, err));
    buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(data, size, path);
    if (LLVMParseIRInContext(module->context, buffer, &module->llvm, &message)) {
        module->llvm = NULL;
        status = refuse(path, message ? message : opevo_text_string(module->diagnostic), err);
    } else if (LLVMVerifyModule(module->llvm, LLVMReturnStatusAction, &message)) {
        status = refuse(path, message, err);
    }
cleanup:
    LLVMDisposeMessage(message);
    opevo_free(data);
    return status;
}

/* ---- What is remembered ---- */

static opevo_status keep_file(opevo_module *module, const char *name, size_t length,
                              const char **out, opevo_error *err)
{
    for (size_t i = module->file_count; i-- > 0;)
        if (strlen(module->files[i]) == length && memcmp(module->files[i], name, length) == 0) {
            *out = module->files[i];
            return OPEVO_OK;
        }
    char **files = opevo_realloc(module->files, module->file_count + 1, sizeof *module->files);
    if (files)
        module->files = files;
    OPEVO_NEED_OR_RETURN(files && (files[module->file_count] = opevo_strndup(name, length)),
                         "the names of source files");
    *out = files[module->file_count++];
    return OPEVO_OK;
}

static opevo_status keep_lines(opevo_module *module, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t number = 0;

    OPEVO_NEW(module->lines, module->instruction_count + 1, "the source lines of the module");
    for (LLVMValueRef f = LLVMGetFirstFunction(module->llvm); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
                opevo_i_edit_line *line = &module->lines[++number];
                unsigned length = 0;
                const char *name = LLVMGetDebugLocFilename(i, &length);

                line->line = LLVMGetDebugLocLine(i);
                line->file = "";
                if (line->line && name)
                    OPEVO_TRY(keep_file(module, name, length, &line->file, err));
            }
cleanup:
    return status;
}

static opevo_status check_instructions(opevo_module *module, const char *path, opevo_error *err)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module->llvm); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
                LLVMOpcode opcode = LLVMGetInstructionOpcode(i);

                if (++module->instruction_count > INSTRUCTIONS_MOST)
                    return OPEVO_FAIL(err, OPEVO_LIMIT,
                                      "%s has more than %d instructions; split the module.", path,
                                      INSTRUCTIONS_MOST);
                if (opcode == LLVMInvoke || opcode == LLVMCallBr || opcode == LLVMCatchSwitch)
                    return OPEVO_FAIL(err, OPEVO_INVALID,
                                      "%s: exceptions (invoke, callbr, catchswitch) cannot be "
                                      "edited; compile with -fno-exceptions.",
                                      path);
            }
    return OPEVO_OK;
}

/* ---- Kernels ---- */

enum { SPIR_KERNEL = 76, PTX_KERNEL = 71, AMDGPU_KERNEL = 91 }; /* llvm/IR/CallingConv.h */

/* !nvvm.annotations: !{ptr @f, !"kernel", i32 1} */
static bool annotated(LLVMModuleRef llvm, LLVMValueRef function)
{
    unsigned count = LLVMGetNamedMetadataNumOperands(llvm, "nvvm.annotations");
    LLVMValueRef *nodes = opevo_calloc(count + 1, sizeof(LLVMValueRef));
    bool found = false;

    if (!nodes)
        return false;
    LLVMGetNamedMetadataOperands(llvm, "nvvm.annotations", nodes);
    for (unsigned i = 0; i < count && !found; i++) {
        LLVMValueRef parts[64];
        unsigned part_count = LLVMGetMDNodeNumOperands(nodes[i]), length = 0;

        if (part_count < 3 || part_count > 64)
            continue;
        LLVMGetMDNodeOperands(nodes[i], parts);
        for (unsigned k = 1; k + 1 < part_count && parts[0] == function; k += 2) {
            const char *key = parts[k] ? LLVMGetMDString(parts[k], &length) : NULL;

            found |= key && length == 6 && memcmp(key, "kernel", 6) == 0;
        }
    }
    opevo_free(nodes);
    return found;
}

static bool is_kernel(const opevo_module *module, LLVMValueRef function)
{
    unsigned convention = LLVMGetFunctionCallConv(function);

    if (LLVMIsDeclaration(function))
        return false;
    if (module->machine == OPEVO_MODULE_CPU) {
        LLVMLinkage linkage = LLVMGetLinkage(function);

        return linkage != LLVMInternalLinkage && linkage != LLVMPrivateLinkage;
    }
    return convention == SPIR_KERNEL || convention == PTX_KERNEL || convention == AMDGPU_KERNEL ||
           annotated(module->llvm, function);
}

static opevo_status find_kernels(opevo_module *module, const char *path, opevo_error *err)
{
    const char *triple = LLVMGetTarget(module->llvm);
    size_t capacity = 0;

    module->machine = strncmp(triple, "nvptx", 5) == 0    ? OPEVO_MODULE_NVPTX
                      : strncmp(triple, "amdgcn", 6) == 0 ? OPEVO_MODULE_AMDGPU
                                                          : OPEVO_MODULE_CPU;
    for (LLVMValueRef f = LLVMGetFirstFunction(module->llvm); f; f = LLVMGetNextFunction(f)) {
        size_t length = 0;
        const char *name = LLVMGetValueName2(f, &length);

        if (!is_kernel(module, f))
            continue;
        OPEVO_NEED_OR_RETURN(
            opevo_reserve((void **)&module->kernels, &capacity, module->kernel_count + 1,
                          sizeof *module->kernels) &&
                (module->kernels[module->kernel_count] = opevo_strndup(name, length)),
            "the kernels of %s", path);
        module->kernel_count++;
    }
    if (module->kernel_count == 0)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s has no kernel; compile a function with the attribute of a kernel.",
                          path);
    return OPEVO_OK;
}

/* ---- The module ---- */

static uint64_t hash_text(LLVMModuleRef llvm)
{
    char *text = LLVMPrintModuleToString(llvm);
    uint64_t hash = opevo_hash_bytes(OPEVO_HASH_START, text, strlen(text));

    LLVMDisposeMessage(text);
    return hash;
}

/* Let functions that do not say what they do with denormals say what the module was compiled for:
 * clang writes both, and code generators read the attribute only. */
static void keep_denormals(const opevo_module *module)
{
    static const char flag[] = "nvvm-reflect-ftz", name[] = "denormal-fp-math-f32",
                      other[] = "denormal-fp-math", mode[] = "preserve-sign,preserve-sign";
    const LLVMAttributeIndex whole = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    LLVMMetadataRef found = LLVMGetModuleFlag(module->llvm, flag, sizeof flag - 1);
    LLVMValueRef value = found ? LLVMMetadataAsValue(module->context, found) : NULL;
    LLVMAttributeRef flushes =
        LLVMCreateStringAttribute(module->context, name, sizeof name - 1, mode, sizeof mode - 1);

    if (!value || LLVMGetNumOperands(value) != 1 || !LLVMIsAConstantInt(LLVMGetOperand(value, 0)) ||
        LLVMConstIntGetZExtValue(LLVMGetOperand(value, 0)) == 0)
        return;
    for (LLVMValueRef f = LLVMGetFirstFunction(module->llvm); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) &&
            !LLVMGetStringAttributeAtIndex(f, whole, name, sizeof name - 1) &&
            !LLVMGetStringAttributeAtIndex(f, whole, other, sizeof other - 1))
            LLVMAddAttributeAtIndex(f, whole, flushes);
}

static opevo_status load(opevo_module *module, const char *path, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    OPEVO_NEW(module->diagnostic, 1, "%s", path);
    module->context = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(module->context, keep_diagnostic, module);
    module->immarg_kind = LLVMGetEnumAttributeKindForName("immarg", 6);
    module->fpmath_kind = LLVMGetMDKindIDInContext(module->context, "fpmath", 6);
    OPEVO_TRY(parse(module, path, err));
    OPEVO_TRY(check_instructions(module, path, err));
    OPEVO_TRY(find_kernels(module, path, err));
    opevo_i_edit_strip_facts(module);
    keep_denormals(module);
    module->instruction_count = 0;
    OPEVO_TRY(check_instructions(module, path, err)); /* without the calls that state facts */
    OPEVO_TRY(keep_lines(module, err));
    LLVMStripModuleDebugInfo(module->llvm);
    LLVMSetSourceFileName(module->llvm, "", 0);
    LLVMSetModuleIdentifier(module->llvm, "kernel", 6);
    OPEVO_TRY(opevo_i_edit_index_module(module, err));
    LLVMContextSetDiscardValueNames(module->context, true); /* refused while text is read */
    LLVMModuleRef clone = LLVMCloneModule(module->llvm);
    module->hash = hash_text(clone);
    LLVMDisposeModule(clone);
cleanup:
    return status;
}

opevo_status opevo_module_load(const char *path, opevo_module **out, opevo_error *err)
{
    opevo_module *module = opevo_calloc(1, sizeof *module);
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(module, "opening %s", path);
    OPEVO_TRY(load(module, path, err));
    *out = module;
    module = NULL; /* handed over */
cleanup:
    opevo_module_destroy(module);
    return status;
}

static void free_strings(char **strings, size_t count)
{
    for (size_t i = 0; i < count; i++)
        opevo_free(strings[i]);
    opevo_free(strings);
}

void opevo_module_destroy(opevo_module *module)
{
    if (!module)
        return;
    if (module->llvm)
        LLVMDisposeModule(module->llvm);
    if (module->context)
        LLVMContextDispose(module->context);
    if (module->diagnostic)
        opevo_text_free(module->diagnostic);
    opevo_free(module->diagnostic);
    opevo_free(module->functions);
    opevo_free(module->blocks);
    opevo_free(module->lines);
    free_strings(module->files, module->file_count);
    free_strings(module->kernels, module->kernel_count);
    opevo_free(module);
}

uint64_t opevo_module_hash(const opevo_module *module)
{
    return module->hash;
}

opevo_module_target opevo_module_machine(const opevo_module *module)
{
    return module->machine;
}

size_t opevo_module_instruction_count(const opevo_module *module)
{
    return module->instruction_count;
}

const char *opevo_module_variable(const opevo_module *module, size_t i)
{
    for (LLVMValueRef global = LLVMGetFirstGlobal(module->llvm); global;
         global = LLVMGetNextGlobal(global)) {
        unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(global));
        size_t length;
        const char *name = LLVMGetValueName2(global, &length);

        if (space > 3 || LLVMIsGlobalConstant(global) || strncmp(name, "llvm.", 5) == 0)
            continue;
        if (i-- == 0)
            return name;
    }
    return NULL;
}

unsigned opevo_module_source_line(const opevo_module *module, size_t number, const char **file)
{
    *file = module->lines[number].file;
    return module->lines[number].line;
}
