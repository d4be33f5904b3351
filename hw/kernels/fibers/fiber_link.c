/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Linking of objects, by LLVM's LLJIT. Kernels see the gk_ functions and what this process has,
 * such as memcpy and expf. */

#include "fiber_link_internal.h"

#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>

/* The sentence of an error, which ends here. */
static opevo_status take(LLVMErrorRef fault, opevo_error *err)
{
    char *text = fault ? LLVMGetErrorMessage(fault) : NULL;

    if (!fault)
        return OPEVO_OK;
    OPEVO_FAIL(err, OPEVO_INVALID, "The object cannot be linked: %s.", text);
    LLVMDisposeErrorMessage(text);
    return OPEVO_INVALID;
}

static LLVMOrcCSymbolMapPair pair(LLVMOrcLLJITRef jit, const char *name, uintptr_t address)
{
    return (LLVMOrcCSymbolMapPair){
        LLVMOrcLLJITMangleAndIntern(jit, name),
        {address, {LLVMJITSymbolGenericFlagsExported | LLVMJITSymbolGenericFlagsCallable, 0}}};
}

/* A definition that is not accepted is still ours. */
static opevo_status define(LLVMOrcLLJITRef jit, LLVMOrcJITDylibRef library, opevo_error *err)
{
    LLVMOrcCSymbolMapPair pairs[] = {pair(jit, "gk_thread", (uintptr_t)gk_thread),
                                     pair(jit, "gk_block", (uintptr_t)gk_block),
                                     pair(jit, "gk_block_size", (uintptr_t)gk_block_size),
                                     pair(jit, "gk_grid_size", (uintptr_t)gk_grid_size),
                                     pair(jit, "gk_barrier", (uintptr_t)gk_barrier)};
    LLVMOrcMaterializationUnitRef unit =
        LLVMOrcAbsoluteSymbols(pairs, sizeof pairs / sizeof *pairs);
    LLVMErrorRef fault = LLVMOrcJITDylibDefine(library, unit);
    LLVMOrcDefinitionGeneratorRef process = NULL;

    if (fault) {
        LLVMOrcDisposeMaterializationUnit(unit);
        return take(fault, err);
    }
    fault = LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(
        &process, LLVMOrcLLJITGetGlobalPrefix(jit), NULL, NULL);
    if (!fault)
        LLVMOrcJITDylibAddGenerator(library, process);
    return take(fault, err);
}

opevo_status opevo_i_fiber_link(const void *object, size_t size, struct LLVMOrcOpaqueLLJIT **out,
                                opevo_error *err)
{
    LLVMOrcLLJITRef jit = NULL;
    LLVMOrcJITDylibRef library;
    opevo_status status;

    LLVMInitializeNativeTarget();
    status = take(LLVMOrcCreateLLJIT(&jit, NULL), err);
    if (status != OPEVO_OK)
        return status;
    library = LLVMOrcLLJITGetMainJITDylib(jit);
    status = define(jit, library, err);
    if (status == OPEVO_OK)
        status = take(
            LLVMOrcLLJITAddObjectFile(
                jit, library, LLVMCreateMemoryBufferWithMemoryRangeCopy(object, size, "kernel.o")),
            err);
    if (status == OPEVO_OK)
        *out = jit;
    else
        opevo_i_fiber_unlink(jit);
    return status;
}

void opevo_i_fiber_unlink(struct LLVMOrcOpaqueLLJIT *jit)
{
    if (jit)
        LLVMConsumeError(LLVMOrcDisposeLLJIT(jit));
}

void *opevo_i_fiber_symbol(struct LLVMOrcOpaqueLLJIT *jit, const char *name)
{
    LLVMOrcExecutorAddress address = 0;
    LLVMErrorRef fault = LLVMOrcLLJITLookup(jit, &address, name);

    if (!fault)
        return (void *)(uintptr_t)address; /* NOLINT(performance-no-int-to-ptr): LLVM's form */
    LLVMConsumeError(fault);
    return NULL;
}
