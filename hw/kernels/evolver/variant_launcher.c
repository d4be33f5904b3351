/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The interpreter of a variant, whose instructions have the names that edits give them. */

#include "evolver_program_internal.h"

#include <stdio.h>

/* At the creation of a machine. */
static void name_instruction(void *context, struct LLVMOpaqueValue *instruction,
                             char name[OPEVO_SIMT_NAME_SIZE])
{
    opevo_text text = {0};

    if (opevo_variant_name(context, instruction, &text))
        snprintf(name, OPEVO_SIMT_NAME_SIZE, "%s", opevo_text_string(&text));
    opevo_text_free(&text);
}

opevo_status opevo_i_evolver_simt_launcher_create(const opevo_variant *variant,
                                                  const opevo_i_evolver_kernel *kernel,
                                                  opevo_launcher **out, opevo_error *err)
{
    opevo_simt_options named = kernel->simt;

    named.name = name_instruction;
    named.name_context = (void *)variant;
    return opevo_simt_launcher_create(opevo_variant_llvm(variant), kernel->costs, &named,
                                      kernel->harness, out, err);
}
