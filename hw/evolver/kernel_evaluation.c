/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Variants on the cases of a harness. A case ends with "limit" when a variant takes far more steps
 * than the base did there. */

#include "evolver_program_internal.h"

#include <opevo/memory.h>

#include <math.h>
#include <stdio.h>

enum { STEPS_FACTOR = 4, STEPS_MORE = 10000 };

/* A native object in the place of the module. */
static opevo_status native_launcher(opevo_i_kernel *kernel, const opevo_variant *variant, bool base,
                                    opevo_launcher **out, opevo_error *err)
{
    opevo_text object = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_variant_emit(variant, OPEVO_FORM_CPU_OBJECT, NULL, 0, &object, err));
    OPEVO_TRY(opevo_text_check(&object, err));
    OPEVO_TRY(opevo_fibers_launcher(kernel->fibers, object.data, object.length, base, out, err));
cleanup:
    opevo_text_free(&object);
    return status;
}

opevo_status opevo_i_kernel_launcher(opevo_i_kernel *kernel, const opevo_variant *variant,
                                     bool base, opevo_launcher **out, opevo_error *err)
{
    return kernel->machine == OPEVO_I_CPU
               ? native_launcher(kernel, variant, base, out, err)
               : opevo_i_simt_launcher_create(variant, kernel->costs, &kernel->simt, out, err);
}

static opevo_status run_cases(opevo_i_kernel *kernel, opevo_harness_set set,
                              opevo_launcher *launcher, opevo_evaluation *out, opevo_error *err)
{
    size_t count = opevo_harness_case_count(kernel->harness, set);
    opevo_status status = OPEVO_OK;
    opevo_evaluation sum = {.verdict = OPEVO_VERDICT_OK};

    for (size_t i = 0; i < count && sum.verdict == OPEVO_VERDICT_OK; i++) {
        opevo_evaluation one = {.verdict = OPEVO_VERDICT_OK};

        if (kernel->machine == OPEVO_I_SIMT)
            opevo_i_simt_launcher_limit(launcher,
                                        STEPS_FACTOR * kernel->base_steps[set][i] + STEPS_MORE);
        OPEVO_TRY(opevo_harness_evaluate_case(kernel->harness, set, i, launcher, kernel->golden,
                                              &one, err));
        sum.verdict = one.verdict;
        sum.cost += one.cost;
        sum.time_s += one.time_s;
        sum.error = fmax(sum.error, one.error);
        sum.cases++;
        snprintf(sum.message, sizeof sum.message, "%s", one.message);
    }
    *out = sum;
cleanup:
    return status;
}

/* Run the base once and note its steps. Errors: INVALID if it fails. */
static opevo_status note_base(opevo_i_kernel *kernel, opevo_harness_set set, opevo_error *err)
{
    size_t count = opevo_harness_case_count(kernel->harness, set);
    opevo_edits *none = opevo_edits_create();
    opevo_variant *variant = NULL;
    opevo_launcher *launcher = NULL;
    uint64_t *steps = opevo_calloc(count + 1, sizeof *steps);
    opevo_status status = OPEVO_OK;

    if (!none || !steps) {
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for %zu cases.", count);
        goto cleanup;
    }
    OPEVO_TRY(opevo_variant_create(kernel->module, none, &variant, err));
    OPEVO_TRY(opevo_i_kernel_launcher(kernel, variant, true, &launcher, err));
    for (size_t i = 0; i < count; i++) {
        opevo_evaluation one = {.verdict = OPEVO_VERDICT_OK};

        OPEVO_TRY(opevo_harness_evaluate_case(kernel->harness, set, i, launcher, kernel->golden,
                                              &one, err));
        if (one.verdict != OPEVO_VERDICT_OK) {
            status =
                OPEVO_FAIL(err, OPEVO_INVALID, "The kernel itself fails on its harness: %s: %s",
                           opevo_kernel_verdict_name(one.verdict), one.message);
            goto cleanup;
        }
        if (kernel->machine == OPEVO_I_SIMT)
            steps[i] = opevo_i_simt_launcher_steps(launcher);
    }
    kernel->base_steps[set] = steps;
    steps = NULL;
cleanup:
    opevo_free(steps);
    opevo_launcher_destroy(launcher);
    opevo_variant_destroy(variant);
    opevo_edits_destroy(none);
    return status;
}

static void keep(opevo_i_results *results, uint64_t hash, const opevo_evaluation *what)
{
    if (!results->places)
        results->places = opevo_index_map_create();
    if (!results->places ||
        !opevo_reserve((void **)&results->items, &results->capacity, results->count + 1,
                       sizeof *results->items) ||
        !opevo_index_map_put(results->places, hash, results->count))
        return; /* it is computed again */
    results->items[results->count++] = *what;
}

opevo_status opevo_i_kernel_evaluate(opevo_i_kernel *kernel, opevo_harness_set set,
                                     const opevo_edits *edits, opevo_evaluation *out,
                                     uint64_t *hash, opevo_error *err)
{
    opevo_i_results *results = &kernel->results[set];
    opevo_variant *variant = NULL;
    opevo_launcher *launcher = NULL;
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = OPEVO_OK;
    uint64_t place = 0;

    if (!kernel->base_steps[set])
        OPEVO_TRY(note_base(kernel, set, err));
    OPEVO_TRY(opevo_variant_create(kernel->module, edits, &variant, err));
    *hash = opevo_variant_hash(variant);
    if (opevo_variant_fault(variant)) {
        *out = (opevo_evaluation){.verdict = OPEVO_VERDICT_VERIFY};
        snprintf(out->message, sizeof out->message, "%s", opevo_variant_fault(variant));
        goto cleanup;
    }
    if (results->places && opevo_index_map_get(results->places, *hash, &place)) {
        *out = results->items[place];
        goto cleanup;
    }
    status = opevo_i_kernel_launcher(kernel, variant, false, &launcher, &inner);
    if (status == OPEVO_INVALID) { /* the code generator refuses it */
        *out = (opevo_evaluation){.verdict = OPEVO_VERDICT_UNSUPPORTED};
        snprintf(out->message, sizeof out->message, "%.300s", inner.message);
        status = OPEVO_OK;
        goto cleanup;
    }
    if (status != OPEVO_OK) {
        OPEVO_FAIL(err, status, "%s", inner.message);
        goto cleanup;
    }
    OPEVO_TRY(run_cases(kernel, set, launcher, out, err));
    keep(results, *hash, out);
cleanup:
    opevo_launcher_destroy(launcher);
    opevo_variant_destroy(variant);
    return status;
}
