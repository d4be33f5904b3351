/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Variants in the forms that other programs read. Code generators change what they are given, so
 * each works on a clone. */

#include "edits_internal.h"

#include <opevo/file.h>
#include <opevo/memory.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

#include <ctype.h>
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCK_SIZE_MOST = 1024, OBJECT_SIZE_MOST = 256 << 20, PATH_SIZE = 512 };

extern char **environ;

static const struct form {
    const char *name, *triple, *machine, *family; /* machines are called FAMILY and digits */
    LLVMCodeGenFileType type;
    bool code; /* of a code generator */
} forms[] = {
    [OPEVO_FORM_LL] = {"ll", NULL, NULL, NULL, LLVMAssemblyFile, false},
    [OPEVO_FORM_PTX] = {"ptx", "nvptx64-nvidia-cuda", "sm_70", "sm_", LLVMAssemblyFile, true},
    [OPEVO_FORM_AMDGCN_LL] = {"amdgcn-ll", "amdgcn-amd-amdhsa", "gfx906", "gfx", LLVMAssemblyFile,
                              false},
    [OPEVO_FORM_AMDGCN] = {"amdgcn", "amdgcn-amd-amdhsa", "gfx906", "gfx", LLVMObjectFile, true},
    [OPEVO_FORM_CPU_LL] = {"cpu-ll", NULL, NULL, NULL, LLVMAssemblyFile, false},
    [OPEVO_FORM_CPU_OBJECT] = {"cpu-object", NULL, NULL, NULL, LLVMObjectFile, true},
    [OPEVO_FORM_OPENCL] = {"opencl", NULL, NULL, NULL, LLVMAssemblyFile, false},
};

bool opevo_variant_form_of(const char *name, opevo_variant_form *out)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(forms[i].name, name) == 0) {
            *out = (opevo_variant_form)i;
            return true;
        }
    return false;
}

#define INITIALIZE(TARGET)                                                                         \
    (LLVMInitialize##TARGET##TargetInfo(), LLVMInitialize##TARGET##Target(),                       \
     LLVMInitialize##TARGET##TargetMC(), LLVMInitialize##TARGET##AsmPrinter())

static void initialize(void)
{
    static bool done;

    if (done)
        return;
#ifdef LLVM_HAS_NVPTX_TARGET
    INITIALIZE(NVPTX);
#endif
#ifdef LLVM_HAS_AMDGPU_TARGET
    INITIALIZE(AMDGPU);
#endif
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    done = true;
}

static bool is_cpu(opevo_variant_form form)
{
    return form == OPEVO_FORM_CPU_LL || form == OPEVO_FORM_CPU_OBJECT;
}

/* ---- Machines ---- */

/* LLVM generates code for some other machine where it does not know the name. */
static bool is_machine(opevo_variant_form form, const char *name)
{
    const char *family = forms[form].family;

    return !family || (strncmp(name, family, strlen(family)) == 0 &&
                       isxdigit((unsigned char)name[strlen(family)]));
}

static opevo_status create_machine(opevo_variant_form form, const char *name,
                                   LLVMTargetMachineRef *out, opevo_error *err)
{
    char *host = LLVMGetDefaultTargetTriple(), *host_name = LLVMGetHostCPUName();
    char *host_features = LLVMGetHostCPUFeatures(), *message = NULL;
    const char *triple = is_cpu(form) ? host : forms[form].triple;
    const char *features = is_cpu(form) && !name ? host_features : "";
    LLVMTargetRef target = NULL;
    opevo_status status = OPEVO_OK;

    initialize();
    if (!name)
        name = is_cpu(form) ? host_name : forms[form].machine;
    if (!is_machine(form, name))
        status = OPEVO_FAIL(err, OPEVO_INVALID, "Unknown machine '%s'; use one such as %s.", name,
                            forms[form].machine);
    else if (LLVMGetTargetFromTriple(triple, &target, &message))
        status = OPEVO_FAIL(err, OPEVO_INVALID, "This LLVM generates no code for %s.", triple);
    else if (!(*out =
                   LLVMCreateTargetMachine(target, triple, name, features, LLVMCodeGenLevelDefault,
                                           LLVMRelocPIC, LLVMCodeModelDefault)))
        status = OPEVO_FAIL(err, OPEVO_INVALID, "LLVM knows no machine '%s' of %s.", name, triple);
    LLVMDisposeMessage(message);
    LLVMDisposeMessage(host);
    LLVMDisposeMessage(host_name);
    LLVMDisposeMessage(host_features);
    return status;
}

static opevo_status set_target(LLVMModuleRef llvm, LLVMTargetMachineRef machine, opevo_error *err)
{
    char *triple = LLVMGetTargetMachineTriple(machine), *message = NULL;
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
    opevo_status status = OPEVO_OK;

    LLVMSetTarget(llvm, triple);
    LLVMSetModuleDataLayout(llvm, layout);
    if (LLVMVerifyModule(llvm, LLVMReturnStatusAction, &message))
        status = OPEVO_FAIL(err, OPEVO_INVALID, "The module is not valid for %s: %.*s.", triple,
                            (int)strcspn(message, "\n"), message);
    LLVMDisposeMessage(message);
    LLVMDisposeTargetData(layout);
    LLVMDisposeMessage(triple);
    return status;
}

/* ---- Code ---- */

static opevo_status generate(const opevo_variant *variant, LLVMModuleRef llvm,
                             LLVMTargetMachineRef machine, opevo_variant_form form, opevo_text *out,
                             opevo_error *err)
{
    opevo_text *diagnostic = variant->base->diagnostic;
    LLVMMemoryBufferRef buffer = NULL;
    char *message = NULL;
    bool failed;

    opevo_text_clear(diagnostic);
    failed =
        LLVMTargetMachineEmitToMemoryBuffer(machine, llvm, forms[form].type, &message, &buffer);
    if (!failed)
        opevo_text_add_bytes(out, LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer));
    if (buffer)
        LLVMDisposeMemoryBuffer(buffer);
    if (failed || diagnostic->length > 0)
        return OPEVO_FAIL(err, OPEVO_INVALID, "LLVM generates no code of the variant: %s.",
                          message ? message : opevo_text_string(diagnostic));
    return opevo_text_check(out, err);
}

static bool run(char *const *arguments)
{
    pid_t child = 0;
    int state = 0;

    if (posix_spawnp(&child, arguments[0], NULL, NULL, arguments, environ) != 0)
        return false;
    while (waitpid(child, &state, 0) < 0)
        if (errno != EINTR)
            return false;
    return WIFEXITED(state) && WEXITSTATUS(state) == 0;
}

/* LLVM's own linker, by the names that it has beside LLVM and in the search path. */
static bool link_shared(char *object, char *code)
{
    char named[32];
    char beside[] = OPEVO_LLVM_FOLDER "/ld.lld";
    char *programs[] = {beside, named, (char[]){"ld.lld"}};

    snprintf(named, sizeof named, "ld.lld-%d", OPEVO_LLVM_VERSION);
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        char *arguments[] = {programs[i], (char[]){"-shared"}, object, (char[]){"-o"}, code, NULL};

        if (run(arguments))
            return true;
    }
    return false;
}

/* The code object of a relocatable one. */
static opevo_status link_code(opevo_text *text, opevo_error *err)
{
    const char *base = getenv("TMPDIR");
    char folder[PATH_SIZE], object[PATH_SIZE + 8], code[PATH_SIZE + 8];
    opevo_status status = OPEVO_OK;
    char *data = NULL;
    size_t size = 0;

    snprintf(folder, sizeof folder, "%s/opevo-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(folder))
        return OPEVO_FAIL(err, OPEVO_IO, "%s: %s.", folder, strerror(errno));
    snprintf(object, sizeof object, "%s/k.o", folder);
    snprintf(code, sizeof code, "%s/k.so", folder);
    OPEVO_TRY(opevo_file_write(object, text->data, text->length, err));
    if (!link_shared(object, code)) {
        status = OPEVO_FAIL(err, OPEVO_IO,
                            "ld.lld does not link the code object; install the package lld-%d.",
                            OPEVO_LLVM_VERSION);
        goto cleanup;
    }
    OPEVO_TRY(opevo_file_read(code, OBJECT_SIZE_MOST, &data, &size, err));
    opevo_text_clear(text);
    opevo_text_add_bytes(text, data, size);
    status = opevo_text_check(text, err);
cleanup:
    opevo_free(data);
    (void)unlink(object);
    (void)unlink(code);
    (void)rmdir(folder);
    return status;
}

static void print(LLVMModuleRef llvm, opevo_text *out)
{
    char *text = LLVMPrintModuleToString(llvm);

    opevo_text_add(out, text);
    LLVMDisposeMessage(text);
}

/* The form of a clone, which is changed. */
static opevo_status emit(const opevo_variant *variant, LLVMModuleRef llvm, opevo_variant_form form,
                         const char *name, unsigned block_size, opevo_text *out, opevo_error *err)
{
    bool lowers = variant->base->machine == OPEVO_MODULE_NVPTX;
    LLVMTargetMachineRef machine = NULL;
    opevo_text code = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(create_machine(form, name, &machine, err));
    if (is_cpu(form) && lowers)
        OPEVO_TRY(opevo_i_edit_lower_cpu(llvm, err));
    else if (form == OPEVO_FORM_AMDGCN || form == OPEVO_FORM_AMDGCN_LL)
        OPEVO_TRY(opevo_i_edit_lower_amdgcn(variant->base, llvm, name ? name : forms[form].machine,
                                            block_size ? block_size : BLOCK_SIZE_MOST, err));
    OPEVO_TRY(set_target(llvm, machine, err));
    if (!forms[form].code) {
        print(llvm, &code);
    } else {
        OPEVO_TRY(generate(variant, llvm, machine, form, &code, err));
        if (form == OPEVO_FORM_AMDGCN)
            OPEVO_TRY(link_code(&code, err));
    }
    opevo_text_add_bytes(out, opevo_text_string(&code), code.length);
    status = opevo_text_check(out, err);
cleanup:
    opevo_text_free(&code);
    if (machine)
        LLVMDisposeTargetMachine(machine);
    return status;
}

opevo_status opevo_variant_emit(const opevo_variant *variant, opevo_variant_form form,
                                const char *machine, unsigned block_size, opevo_text *out,
                                opevo_error *err)
{
    static const char *const targets[] = {"an NVIDIA GPU", "an AMD GPU", "a CPU"};
    opevo_module_target target = variant->base->machine;
    LLVMModuleRef clone;
    opevo_status status;

    if (form == OPEVO_FORM_LL) {
        print(variant->body.llvm, out);
        return opevo_text_check(out, err);
    }
    if (target != OPEVO_MODULE_NVPTX && !(target == OPEVO_MODULE_CPU && is_cpu(form)))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "A module for %s cannot be written as %s; compile the kernel for NVPTX.",
                          targets[target], forms[form].name);
    if (form == OPEVO_FORM_OPENCL && machine)
        return OPEVO_FAIL(err, OPEVO_INVALID, "OpenCL C is for every machine; do not name %.60s.",
                          machine);
    clone = LLVMCloneModule(variant->body.llvm);
    status = form == OPEVO_FORM_OPENCL ? opevo_i_edit_print_opencl(variant->base, clone, out, err)
                                       : emit(variant, clone, form, machine, block_size, out, err);
    LLVMDisposeModule(clone);
    return status;
}
