/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Functions that are known by their names: only those with the body that opevo writes keep them.
 * The same holds of the number of a thread, which opevo uses in addresses alone. */

#include "prover_internal.h"

#include <opevo/simt.h>

#include <llvm-c/Core.h>

#include <ctype.h>
#include <string.h>

bool opevo_i_prover_has_known(const opevo_i_prover_module *module)
{
    for (LLVMValueRef one = LLVMGetFirstFunction(module->module); one;
         one = LLVMGetNextFunction(one)) {
        size_t length = 0;

        if (opevo_simt_knows_function(LLVMGetValueName2(one, &length)))
            return true;
    }
    return false;
}

/* ---- Bodies ---- */

/* Without what depends on the rest of the module: lines, numbers of attributes, and how a function
 * is called that nothing outside calls. */
static void add_body(const char *at, opevo_text *out)
{
    static const char local[] = "fastcc ";

    while (*at) {
        size_t length = 1;

        if (strncmp(at, ", !", 3) == 0)
            at += 3 + strcspn(at + 3, ",\n");
        else if (strncmp(at, " #", 2) == 0 && isdigit((unsigned char)at[2]))
            at += 2 + strspn(at + 2, "0123456789");
        else if (strncmp(at, local, strlen(local)) == 0)
            at += strlen(local);
        else
            length = 0;
        if (!length)
            opevo_text_add_bytes(out, at++, 1);
    }
}

static void print(LLVMValueRef function, opevo_text *out)
{
    char *type = LLVMPrintTypeToString(LLVMGlobalGetValueType(function));
    char *whole = LLVMPrintValueToString(function);
    const char *body = strstr(whole, "{\n");

    opevo_text_clear(out);
    opevo_text_add(out, type);
    add_body(body ? body : "", out);
    LLVMDisposeMessage(type);
    LLVMDisposeMessage(whole);
}

static bool is_same(LLVMValueRef function, const opevo_i_prover_module *known)
{
    size_t length = 0;
    const char *name = LLVMGetValueName2(function, &length);
    LLVMValueRef other = known->module ? LLVMGetNamedFunction(known->module, name) : NULL;
    opevo_text a = {0}, b = {0};
    bool same;

    if (!other || LLVMIsDeclaration(function) || LLVMIsDeclaration(other))
        return false;
    print(function, &a);
    print(other, &b);
    same = !a.failed && !b.failed && strcmp(opevo_text_string(&a), opevo_text_string(&b)) == 0;
    opevo_text_free(&a);
    opevo_text_free(&b);
    return same;
}

static void set_other_name(LLVMValueRef function)
{
    opevo_text name = {0};
    size_t length = 0;

    opevo_text_printf(&name, "other.%s", LLVMGetValueName2(function, &length));
    LLVMSetValueName2(function, opevo_text_string(&name), name.length);
    opevo_text_free(&name);
}

/* Those that call one of another body are others themselves. */
void opevo_i_prover_disown(const opevo_i_prover_module *module, const opevo_i_prover_module *known)
{
    bool found = true;

    while (found) {
        found = false;
        for (LLVMValueRef one = LLVMGetFirstFunction(module->module); one;
             one = LLVMGetNextFunction(one)) {
            size_t length = 0;

            if (!opevo_simt_knows_function(LLVMGetValueName2(one, &length)) || is_same(one, known))
                continue;
            set_other_name(one);
            found = true;
        }
    }
}

/* ---- The number of a thread ---- */

/* Whether it only becomes part of addresses. */
static bool is_index(LLVMValueRef number, unsigned depth)
{
    for (LLVMUseRef use = LLVMGetFirstUse(number); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);

        if (LLVMIsAGetElementPtrInst(user))
            continue;
        if (depth == 0 || !LLVMIsAInstruction(user))
            return false;
        switch (LLVMGetInstructionOpcode(user)) {
        case LLVMSExt:
        case LLVMZExt:
        case LLVMMul:
        case LLVMShl:
        case LLVMAdd:
        case LLVMOr:
            if (!is_index(user, depth - 1))
                return false;
            break;
        default:
            return false;
        }
    }
    return true;
}

void opevo_i_prover_check_thread(const opevo_i_prover_module *module)
{
    enum { DEPTH = 16 };
    LLVMValueRef function = LLVMGetNamedFunction(module->module, "omp_get_thread_num");

    for (LLVMUseRef use = function ? LLVMGetFirstUse(function) : NULL; use;
         use = LLVMGetNextUse(use)) {
        if (LLVMIsACallInst(LLVMGetUser(use)) && is_index(LLVMGetUser(use), DEPTH))
            continue;
        set_other_name(function);
        return;
    }
}
