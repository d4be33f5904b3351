/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Variants on the cases of a harness. A case ends with "limit" when a variant takes far more steps
 * than the base did there. */

#include "evolver_program_internal.h"

#include <opevo/memory.h>

#include <math.h>
#include <stdio.h>

enum { STEPS_FACTOR = 4, STEPS_MORE = 10000 };

/* Machine code of the variant, its source for OpenCL; empty for the interpreter, which reads the
 * module. Errors: INVALID if the code generator refuses it. */
static opevo_status compile(const opevo_i_evolver_kernel *kernel, const opevo_variant *variant,
                            opevo_text *object, opevo_error *err)
{
    opevo_variant_form form = OPEVO_FORM_CPU_OBJECT;
    opevo_status status = OPEVO_OK;

    if (kernel->machine == OPEVO_I_SIMT)
        return OPEVO_OK;
    if (kernel->machine == OPEVO_I_GPU)
        form = opevo_gpu_is_opencl(kernel->gpu) ? OPEVO_FORM_OPENCL
               : opevo_gpu_is_hip(kernel->gpu)  ? OPEVO_FORM_AMDGCN
                                                : OPEVO_FORM_PTX;
    OPEVO_TRY(
        opevo_variant_emit(variant, form, *kernel->target ? kernel->target : NULL, 0, object, err));
    OPEVO_TRY(opevo_text_check(object, err));
cleanup:
    return status;
}

static opevo_status create_gpu_launcher(opevo_i_evolver_kernel *kernel, const opevo_text *object,
                                        bool base, opevo_launcher **out, opevo_error *err)
{
    opevo_text image = {0};
    opevo_status status = OPEVO_OK;

    if (!opevo_gpu_is_opencl(kernel->gpu))
        return opevo_gpu_launcher(kernel->gpu, object->data, object->length, base, out, err);
    status = opevo_gpu_build(kernel->gpu, object->data, &image, err);
    if (status == OPEVO_OK)
        status = opevo_gpu_launcher(kernel->gpu, image.data, image.length, base, out, err);
    opevo_text_free(&image);
    return status;
}

/* What runs the variant, which must outlive it, or its object; `base`: its times set limits for
 * others. Errors: INVALID if the object cannot be linked; those of the launchers. */
static opevo_status create_launcher(opevo_i_evolver_kernel *kernel, const opevo_variant *variant,
                                    const opevo_text *object, bool base, opevo_launcher **out,
                                    opevo_error *err)
{
    switch (kernel->machine) {
    case OPEVO_I_CPU:
        return opevo_fibers_launcher(kernel->fibers, object->data, object->length, base, out, err);
    case OPEVO_I_GPU:
        return create_gpu_launcher(kernel, object, base, out, err);
    case OPEVO_I_SIMT:
        break;
    }
    return opevo_i_evolver_simt_launcher_create(variant, kernel, out, err);
}

static opevo_status run_cases(opevo_i_evolver_kernel *kernel, opevo_harness_set set,
                              opevo_launcher *launcher, opevo_evaluation *out, opevo_error *err)
{
    size_t count = opevo_harness_case_count(kernel->harness, set);
    opevo_status status = OPEVO_OK;
    opevo_evaluation sum = {.verdict = OPEVO_VERDICT_OK};

    for (size_t i = 0; i < count && sum.verdict == OPEVO_VERDICT_OK; i++) {
        opevo_evaluation one = {.verdict = OPEVO_VERDICT_OK};

        if (kernel->machine == OPEVO_I_SIMT)
            opevo_simt_launcher_limit(launcher,
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

/* Tell who asks that a wait for the device begins or is over: it counts for no limit of time. */
static void note_wait(void *context, bool over)
{
    (void)context;
    printf("{\"waits\": %s}\n", over ? "false" : "true");
    fflush(stdout);
}

/* A device is this process' own while something is measured on it. */
static void begin(const opevo_i_evolver_kernel *kernel)
{
    if (kernel->gpu)
        opevo_gpu_begin(kernel->gpu, note_wait, NULL);
}

static void end(const opevo_i_evolver_kernel *kernel)
{
    if (kernel->gpu)
        opevo_gpu_end(kernel->gpu);
}

/* Run the base once and note its steps. Errors: INVALID if it fails. */
static opevo_status note_base(opevo_i_evolver_kernel *kernel, opevo_harness_set set,
                              opevo_error *err)
{
    size_t count = opevo_harness_case_count(kernel->harness, set);
    opevo_edits *none = opevo_edits_create();
    opevo_variant *variant = NULL;
    opevo_launcher *launcher = NULL;
    opevo_text object = {0};
    uint64_t *steps = opevo_calloc(count + 1, sizeof *steps);
    opevo_status status = OPEVO_OK;

    OPEVO_NEED(none && steps, "%zu cases", count);
    OPEVO_TRY(opevo_variant_create(kernel->module, none, &variant, err));
    OPEVO_TRY(compile(kernel, variant, &object, err));
    begin(kernel);
    OPEVO_TRY(create_launcher(kernel, variant, &object, true, &launcher, err));
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
            steps[i] = opevo_simt_launcher_steps(launcher);
    }
    kernel->base_steps[set] = steps;
    steps = NULL;
cleanup:
    opevo_free(steps);
    opevo_launcher_destroy(launcher);
    end(kernel);
    opevo_text_free(&object);
    opevo_variant_destroy(variant);
    opevo_edits_destroy(none);
    return status;
}

/* ---- What is known ---- */

/* Modules by their hash; objects by theirs, beyond 64 bits. */
static opevo_index object_key(const opevo_text *object)
{
    return (opevo_index)1 << 64 | opevo_hash_bytes(OPEVO_HASH_START, object->data, object->length);
}

static bool recall(const opevo_i_evolver_results *results, opevo_index key, opevo_evaluation *out)
{
    uint64_t place = 0;

    if (!results->places || !opevo_index_map_get(results->places, key, &place))
        return false;
    *out = results->items[place];
    return true;
}

/* The message of a failure names instructions by their ids in the edit list, which another list
 * with the same module gives other ids: what fails is run again. */
static void keep(opevo_i_evolver_results *results, opevo_index key, const opevo_evaluation *what)
{
    if (what->verdict != OPEVO_VERDICT_OK)
        return;
    if (!results->places)
        results->places = opevo_index_map_create();
    if (!results->places ||
        !opevo_reserve((void **)&results->items, &results->capacity, results->count + 1,
                       sizeof *results->items) ||
        !opevo_index_map_put(results->places, key, results->count))
        return; /* it is computed again */
    results->items[results->count++] = *what;
}

/* ---- Variants ---- */

/* A variant that LLVM accepts and that is not known yet. */
static opevo_status run_variant(opevo_i_evolver_kernel *kernel, opevo_harness_set set,
                                const opevo_variant *variant, opevo_evaluation *out,
                                const char **known, opevo_error *err)
{
    opevo_i_evolver_results *results = &kernel->results[set];
    opevo_launcher *launcher = NULL;
    opevo_text object = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(compile(kernel, variant, &object, err));
    if (object.length && recall(results, object_key(&object), out)) {
        *known = "object";
        goto cleanup;
    }
    begin(kernel);
    OPEVO_TRY(create_launcher(kernel, variant, &object, false, &launcher, err));
    OPEVO_TRY(run_cases(kernel, set, launcher, out, err));
    if (object.length)
        keep(results, object_key(&object), out);
cleanup:
    opevo_launcher_destroy(launcher);
    end(kernel);
    opevo_text_free(&object);
    return status;
}

opevo_status opevo_i_evolver_kernel_evaluate(opevo_i_evolver_kernel *kernel, opevo_harness_set set,
                                             const opevo_edits *edits, opevo_evaluation *out,
                                             uint64_t *hash, const char **known, opevo_error *err)
{
    opevo_variant *variant = NULL;
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = OPEVO_OK;

    *known = NULL;
    if (!kernel->base_steps[set])
        OPEVO_TRY(note_base(kernel, set, err));
    OPEVO_TRY(opevo_variant_create(kernel->module, edits, &variant, err));
    *hash = opevo_variant_hash(variant);
    if (opevo_variant_fault(variant)) {
        *out = (opevo_evaluation){.verdict = OPEVO_VERDICT_VERIFY};
        snprintf(out->message, sizeof out->message, "%s", opevo_variant_fault(variant));
        goto cleanup;
    }
    if (recall(&kernel->results[set], *hash, out)) {
        *known = "module";
        goto cleanup;
    }
    status = run_variant(kernel, set, variant, out, known, &inner);
    if (status == OPEVO_INVALID) { /* the code generator refuses it */
        *out = (opevo_evaluation){.verdict = OPEVO_VERDICT_UNSUPPORTED};
        snprintf(out->message, sizeof out->message, "%.300s", inner.message);
        status = OPEVO_OK;
    } else if (status == OPEVO_OK) {
        keep(&kernel->results[set], *hash, out);
    } else {
        OPEVO_FAIL(err, status, "%s", inner.message);
    }
cleanup:
    opevo_variant_destroy(variant);
    return status;
}
