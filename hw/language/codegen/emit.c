/* SPDX-License-Identifier: GPL-3.0-or-later */

/* From a pipeline to a kernel: lower, check, print. */

#include <opevo/emit.h>

#include <opevo/hash.h>

#include <stdio.h>
#include <string.h>

#include "lower_pipeline_internal.h"
#include "print_internal.h"

/* Give a kernel its name, also in its text: a hash of text and launch, which are all of it. */
static void name_entry(opevo_kernel *kernel)
{
    uint64_t hash = opevo_hash_bytes(OPEVO_HASH_START, opevo_text_string(&kernel->source),
                                     kernel->source.length);
    char entry[sizeof kernel->entry];

    hash = opevo_hash_bytes(hash, kernel->grid, sizeof kernel->grid);
    hash = opevo_hash_bytes(hash, kernel->block, sizeof kernel->block);
    hash = opevo_hash_bytes(hash, kernel->then, (size_t)kernel->more * sizeof *kernel->then);
    if (kernel->arguments)
        hash = opevo_hash_bytes(hash, kernel->count, sizeof kernel->count);
    snprintf(entry, sizeof entry, "opevo_computation_%016llx", (unsigned long long)hash);
    opevo_kernel_rename(kernel, OPEVO_I_ENTRY, entry);
}

/* The nest that a pipeline was lowered to, with what the lowering said; destroys it. */
static opevo_status emit(opevo_i_nest *nest, const opevo_error *lowered,
                         opevo_kernel_dialect dialect, const opevo_limits *limits,
                         opevo_kernel *out, bool *fits, opevo_text *why, opevo_error *err)
{
    opevo_kernel kernel = {0};
    opevo_status status = OPEVO_OK;

    *fits = false;
    if (lowered->status == OPEVO_INVALID || lowered->status == OPEVO_LIMIT) {
        opevo_text_add(why, lowered->message);
        goto cleanup;
    }
    if (lowered->status != OPEVO_OK) {
        status = OPEVO_FAIL(err, lowered->status, "%s", lowered->message);
        goto cleanup;
    }
    if (opevo_i_nest_check(nest, dialect, limits, why)) {
        opevo_i_print_nest_print(nest, dialect, limits, &kernel);
        name_entry(&kernel);
        OPEVO_TRY(opevo_text_check(&kernel.source, err));
        *out = kernel;
        kernel = (opevo_kernel){0};
        *fits = true;
    }
cleanup:
    opevo_kernel_free(&kernel);
    opevo_i_nest_destroy(nest);
    return status;
}

opevo_status opevo_pipeline_emit(const opevo_pipeline *pipeline, opevo_kernel_dialect dialect,
                                 const opevo_limits *limits, opevo_kernel *out, bool *fits,
                                 opevo_text *why, opevo_error *err)
{
    opevo_i_nest *nest = NULL;
    opevo_error lowered = {OPEVO_OK, ""};

    lowered.status = opevo_i_pipeline_lower(pipeline, &nest, &lowered);
    if (lowered.status == OPEVO_OK && opevo_kernel_is_for_cpu(dialect) &&
        !(opevo_i_nest_make_versions(nest) && opevo_i_nest_hoist_guards(nest) &&
          opevo_i_nest_split_vectors(nest)))
        lowered.status = OPEVO_FAIL(&lowered, OPEVO_NOMEM, "No memory for a loop nest.");
    return emit(nest, &lowered, dialect, limits, out, fits, why, err);
}
