/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels of a network's library: a file begins with the computation as a comment, a statement on
 * each line, and with comments that say what a call must know:
 *
 *   scratch memory: 64 bytes, and 0 of each thread
 *   NAME packs X1 into 256 bytes
 *   Y0 may lie where X0 lies */

#include "prover_internal.h"

#include <opevo/file.h>
#include <opevo/memory.h>

#include <llvm-c/Core.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KERNEL_BYTES = 1 << 28 };

/* The statements of the first comment, divided by "; ". */
static bool read_computation(const char *text, opevo_text *out)
{
    const char *end = strstr(text, " */");

    if (strncmp(text, "/* ", 3) != 0 || !end)
        return false;
    for (text += 3; text < end;) {
        const char *line = strstr(text, "\n * ");
        const char *stop = line && line < end ? line : end;

        opevo_text_add_bytes(out, text, (size_t)(stop - text));
        opevo_text_add(out, stop < end ? "; " : "");
        text = stop + 4;
    }
    return true;
}

/* What a line says of calls, if it is such a comment; false: more than a call can have. */
static bool read_comment(const char *line, opevo_i_prover_call *call)
{
    opevo_i_prover_call one = {0};
    unsigned input = 0;
    int end = -1;

    /* NOLINTBEGIN(cert-err34-c): any numbers are some call */
    if (sscanf(line, "/* scratch memory: %lld bytes, and %lld of each thread */%n",
               (long long *)&one.scratch_bytes, (long long *)&one.thread_bytes, &end) == 2 &&
        end > 0) {
        call->has_scratch = true;
        call->scratch_bytes = one.scratch_bytes;
        call->thread_bytes = one.thread_bytes;
    } else if (sscanf(line, "/* %95s packs %31s into %lld bytes */%n", one.pack[0].function,
                      one.pack[0].operand, (long long *)&one.pack[0].bytes, &end) == 3 &&
               end > 0) {
        if (call->packs == OPEVO_OPERANDS)
            return false;
        call->pack[call->packs++] = one.pack[0];
    } else if (sscanf(line, "/* Y0 may lie where X%u lies */%n", &input, &end) == 1 && end > 0) {
        if (input >= 32)
            return false;
        call->reused |= UINT32_C(1) << input;
    }
    /* NOLINTEND(cert-err34-c) */
    return true;
}

static bool packs(const opevo_i_prover_call *call, const char *name, size_t length)
{
    for (size_t i = 0; i < call->packs; i++)
        if (strlen(call->pack[i].function) == length &&
            strncmp(call->pack[i].function, name, length) == 0)
            return true;
    return false;
}

/* The function behind the last line that begins with "void NAME(" and packs nothing. */
static bool read_name(const char *text, opevo_i_prover_call *call)
{
    static const char head[] = "\nvoid ";
    const char *found = NULL;

    for (const char *at = strstr(text, head); at; at = strstr(at, head)) {
        at += strlen(head);
        if (!packs(call, at, strcspn(at, "(")))
            found = at;
    }
    if (!found || strcspn(found, "(") >= sizeof call->launch[0].kernel)
        return false;
    snprintf(call->launch[0].kernel, sizeof call->launch[0].kernel, "%.*s",
             (int)strcspn(found, "("), found);
    for (int d = 0; d < 3; d++)
        call->launch[0].grid[d] = call->launch[0].block[d] = 1;
    call->launches = 1;
    return true;
}

opevo_status opevo_i_prover_library(const char *path, opevo_text *computes,
                                    opevo_i_prover_call *call, opevo_error *err)
{
    char *text = NULL;
    const char *at;
    size_t size = 0;
    bool good;
    opevo_status status = opevo_file_read(path, KERNEL_BYTES, &text, &size, err);

    if (status != OPEVO_OK)
        return status;
    good = read_computation(text, computes);
    for (at = good ? strstr(text, " */") : NULL; at && good; at = strchr(at, '\n')) {
        at += strspn(at, "\n");
        good = read_comment(at, call);
    }
    if (!good || !computes->length || !call->has_scratch || !read_name(text, call))
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "%s: how is it called? Name its harness by --harness FILE.", path);
    opevo_free(text);
    return status;
}

/* ---- What the module must agree with ---- */

bool opevo_i_prover_library_is_restricted(const opevo_i_prover_module *module,
                                          const opevo_i_prover_call *call, unsigned operand)
{
    LLVMValueRef kernel = LLVMGetNamedFunction(module->module, call->launch[0].kernel);
    unsigned kind = LLVMGetEnumAttributeKindForName("noalias", 7);

    return !kernel || operand >= LLVMCountParams(kernel) ||
           LLVMGetEnumAttributeAtIndex(kernel, operand + 1, kind) != NULL;
}

/* Other files call what has a name there: one function is proved, and those that pack are run. */
static opevo_status check_functions(const opevo_i_prover_module *module, const char *path,
                                    const opevo_i_prover_call *call, opevo_error *err)
{
    if (LLVMGetFirstGlobalAlias(module->module) || LLVMGetFirstGlobalIFunc(module->module))
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s: a function has a second name.", path);
    for (LLVMValueRef one = LLVMGetFirstFunction(module->module); one;
         one = LLVMGetNextFunction(one)) {
        LLVMLinkage linkage = LLVMGetLinkage(one);
        size_t length = 0;
        const char *name = LLVMGetValueName2(one, &length);

        if (!LLVMIsDeclaration(one) && linkage != LLVMInternalLinkage &&
            linkage != LLVMPrivateLinkage && strcmp(name, call->launch[0].kernel) != 0 &&
            !packs(call, name, length))
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "%s: the library may call %.95s or %.95s: one function of the file "
                              "must not be static.",
                              path, call->launch[0].kernel, name);
    }
    return OPEVO_OK;
}

/* opevo omits restrict where the plan lets operands overlap, and says so in a comment. */
static opevo_status check_overlaps(const opevo_i_prover_module *module, const char *path,
                                   const opevo_workload_list *list, const opevo_i_prover_call *call,
                                   opevo_error *err)
{
    for (int i = 0; i < list->count; i++) {
        const char *name = list->item[i].name;
        bool said = i >= list->inputs ? call->reused != 0
                                      : call->reused >> (strtoul(name + 1, NULL, 10) & 31) & 1;

        if (!said && !opevo_i_prover_library_is_restricted(module, call, (unsigned)i))
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "%s: %s is not restrict, and no comment says that Y0 may lie where "
                              "an input lies.",
                              path, name);
    }
    return OPEVO_OK;
}

opevo_status opevo_i_prover_library_check(const opevo_i_prover_module *module, const char *path,
                                          const opevo_computation *computation,
                                          const opevo_i_prover_call *call, opevo_error *err)
{
    opevo_workload *work = NULL;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_workload_create(computation, &work, err));
    OPEVO_TRY(check_functions(module, path, call, err));
    status = check_overlaps(module, path, &work->list, call, err);
cleanup:
    opevo_workload_destroy(work);
    return status;
}
