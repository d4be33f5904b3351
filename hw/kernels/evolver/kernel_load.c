/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A kernel and its harness, and the settings of both. */

#include "evolver_program_internal.h"

#include <opevo/memory.h>

#include <string.h>

enum { INITIAL_MOST = 1000 };

static opevo_status set_switch(const char *value, bool *out, opevo_error *err)
{
    if (strcmp(value, "on") != 0 && strcmp(value, "off") != 0)
        return OPEVO_FAIL(err, OPEVO_INVALID, "it must be on or off.");
    *out = !strcmp(value, "on");
    return OPEVO_OK;
}

static opevo_status set_initial(opevo_i_evolver_kernel *kernel, const char *value, opevo_error *err)
{
    uint64_t count = 0;

    if (!opevo_parse_u64(value, &count) || count < 1 || count > INITIAL_MOST)
        return OPEVO_FAIL(err, OPEVO_INVALID, "it must be a whole number from 1 to %d.",
                          INITIAL_MOST);
    kernel->initial = (size_t)count;
    return OPEVO_OK;
}

static opevo_status set_one(opevo_i_evolver_kernel *kernel, const char *name, const char *value,
                            opevo_error *err)
{
    if (!strcmp(name, "initial"))
        return set_initial(kernel, value, err);
    if (!strcmp(name, "races"))
        return set_switch(value, &kernel->simt.check_races, err);
    if (!strcmp(name, "uninitialised"))
        return set_switch(value, &kernel->simt.check_uninitialised, err);
    if (!strcmp(name, "warp-sync"))
        return set_switch(value, &kernel->simt.warp_sync, err);
    if (!strcmp(name, "costs")) {
        opevo_simt_costs_destroy(kernel->costs);
        kernel->costs = NULL;
        return opevo_simt_costs_load(value, &kernel->costs, err);
    }
    if (!strcmp(name, "machine")) {
        snprintf(kernel->target, sizeof kernel->target, "%s", value);
        return OPEVO_OK;
    }
    return opevo_edit_settings_set(&kernel->edits, name, value, err);
}

/* Whether a setting is one of the checks. Those of edits say what is drawn; a list's results do not
 * depend on them. */
static bool is_check(const char *setting)
{
    static const char *const checks[] = {"races=", "uninitialised=", "warp-sync="};

    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        if (!strncmp(setting, checks[i], strlen(checks[i])))
            return true;
    }
    return false;
}

/* Of everything that determines results. */
static void sign(opevo_i_evolver_kernel *kernel, const json_t *settings)
{
    uint64_t hash = opevo_hash_u64(OPEVO_HASH_START, opevo_module_hash(kernel->module));

    hash = opevo_hash_u64(hash, kernel->harness ? opevo_harness_hash(kernel->harness) : 0);
    hash = opevo_hash_u64(hash, kernel->reference ? opevo_module_hash(kernel->reference) : 0);
    hash = opevo_hash_u64(hash, kernel->costs ? opevo_simt_costs_hash(kernel->costs) : 0);
    hash = opevo_hash_u64(hash, kernel->machine);
    for (size_t i = 0; i < json_array_size(settings); i++) {
        const char *setting = json_string_value(json_array_get(settings, i));

        if (is_check(setting))
            hash = opevo_hash_bytes(hash, setting, strlen(setting) + 1);
    }
    kernel->signature = hash;
}

static opevo_status set_all(opevo_i_evolver_kernel *kernel, const json_t *settings,
                            opevo_error *err)
{
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < json_array_size(settings) && status == OPEVO_OK; i++) {
        const char *setting = json_string_value(json_array_get(settings, i));
        const char *equals = setting ? strchr(setting, '=') : NULL;
        char name[64] = "";

        if (!equals || equals == setting || (size_t)(equals - setting) >= sizeof name)
            return OPEVO_FAIL(err, OPEVO_INVALID, "A setting has the form NAME=VALUE; not %.100s.",
                              setting ? setting : "this");
        memcpy(name, setting, (size_t)(equals - setting));
        status = set_one(kernel, name, equals + 1, &inner);
        if (status != OPEVO_OK)
            OPEVO_FAIL(err, status, "with %.200s: %.700s", setting, inner.message);
    }
    return status;
}

static opevo_status set_machine(opevo_i_evolver_kernel *kernel, const char *on, opevo_error *err)
{
    const bool gpu =
        !strncmp(on, "cuda:", 5) || !strncmp(on, "hip:", 4) || !strncmp(on, "opencl:", 7);
    opevo_status status = OPEVO_OK;

    if (!gpu && strcmp(on, "simt") != 0 && strcmp(on, "cpu") != 0)
        return OPEVO_FAIL(
            err, OPEVO_INVALID,
            "Kernels are not run on %.100s; use simt, cpu, cuda:N, hip:N or opencl:N.", on);
    if (opevo_module_machine(kernel->module) != OPEVO_MODULE_NVPTX)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "The kernel is not compiled for NVIDIA's GPUs; compile it with "
                          "--target=nvptx64-nvidia-cuda.");
    kernel->machine = gpu ? OPEVO_I_GPU : strcmp(on, "cpu") ? OPEVO_I_SIMT : OPEVO_I_CPU;
    if (kernel->machine == OPEVO_I_CPU)
        OPEVO_TRY(opevo_fibers_create(&opevo_fibers_defaults, &kernel->fibers, err));
    if (gpu) {
        OPEVO_TRY(opevo_gpu_open(on, &opevo_gpu_defaults, &kernel->gpu, err));
        if (*kernel->target && opevo_gpu_is_opencl(kernel->gpu))
            return OPEVO_FAIL(err, OPEVO_INVALID, "with machine: OpenCL compiles for its device.");
        if (!*kernel->target && !opevo_gpu_is_opencl(kernel->gpu))
            snprintf(kernel->target, sizeof kernel->target, "%s", opevo_gpu_machine(kernel->gpu));
    }
    if (!kernel->costs)
        OPEVO_TRY(opevo_simt_costs_load(NULL, &kernel->costs, err));
cleanup:
    return status;
}

static bool has_variable(const opevo_module *module, const char *name)
{
    const char *variable = NULL;
    size_t i = 0;

    while ((variable = opevo_module_variable(module, i)) && strcmp(variable, name) != 0)
        i++;
    return variable != NULL;
}

/* One that is only for tuning says too little. */
static opevo_status check_harness(const opevo_harness *harness, const char *path, opevo_error *err)
{
    opevo_harness_reference_kind kind = opevo_harness_reference_kind_of(harness);

    if (!opevo_harness_case_count(harness, OPEVO_SET_SEARCH))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%.300s: \"sets\" is missing: give the cases of a search, as \"tune\" is "
                          "for opevo tune.",
                          path);
    if (kind != OPEVO_REFERENCE_ITSELF && kind != OPEVO_REFERENCE_MODULE)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%.300s: reference: give the path of a module, or nothing for the kernel "
                          "itself.",
                          path);
    return OPEVO_OK;
}

/* What "races" of a harness names is a buffer or a variable. */
static opevo_status check_racy(const opevo_i_evolver_kernel *kernel, const char *path,
                               const char *harness, opevo_error *err)
{
    const char *racy, *variable;
    opevo_text known = {0};
    size_t i = 0;

    while ((racy = opevo_harness_racy_variable(kernel->harness, i)) &&
           has_variable(kernel->module, racy))
        i++;
    if (!racy)
        return OPEVO_OK;
    for (i = 0; (variable = opevo_module_variable(kernel->module, i)); i++)
        opevo_text_printf(&known, "%s%.80s", i ? ", " : "", variable);
    OPEVO_FAIL(err, OPEVO_INVALID,
               "%.300s: races: \"%.80s\" is neither a buffer nor a variable of %.300s in shared or "
               "global memory; it has %s.",
               harness, racy, path, i ? opevo_text_string(&known) : "none");
    opevo_text_free(&known);
    return OPEVO_INVALID;
}

/* What computes golden results: the interpreter, whatever runs variants. */
static opevo_status make_golden(opevo_i_evolver_kernel *kernel, const char *path, opevo_error *err)
{
    const char *reference = opevo_harness_reference(kernel->harness);
    opevo_edits *none = opevo_edits_create();
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(none, "a kernel");
    if (reference)
        status = opevo_module_load(reference, &kernel->reference, &inner);
    if (status != OPEVO_OK) {
        OPEVO_FAIL(err, status, "%.300s: reference: %.700s", path, inner.message);
        goto cleanup;
    }
    OPEVO_TRY(opevo_variant_create(kernel->reference ? kernel->reference : kernel->module, none,
                                   &kernel->golden_variant, err));
    OPEVO_TRY(opevo_i_evolver_simt_launcher_create(kernel->golden_variant, kernel,
                                                   &kernel->golden_launcher, err));
    OPEVO_TRY(opevo_golden_create(kernel->harness, kernel->golden_launcher, &kernel->golden, err));
cleanup:
    opevo_edits_destroy(none);
    return status;
}

opevo_status opevo_i_evolver_kernel_load(const json_t *request, opevo_i_evolver_kernel *out,
                                         opevo_error *err)
{
    const char *path = json_string_value(json_object_get(request, "kernel"));
    const char *harness = json_string_value(json_object_get(request, "harness"));
    const char *on = json_string_value(json_object_get(request, "on"));
    const json_t *settings = json_object_get(request, "settings");
    opevo_i_evolver_kernel kernel = {
        .edits = OPEVO_EDIT_SETTINGS_DEFAULT, .initial = 1, .simt = opevo_simt_defaults};
    opevo_status status = OPEVO_OK;

    if (!path)
        return OPEVO_FAIL(err, OPEVO_INVALID, "The request \"load\" names no kernel.");
    OPEVO_TRY(set_all(&kernel, settings, err));
    OPEVO_TRY(opevo_module_load(path, &kernel.module, err));
    if (harness) {
        OPEVO_TRY(opevo_harness_load(harness, &kernel.harness, err));
        OPEVO_TRY(check_harness(kernel.harness, harness, err));
        OPEVO_TRY(check_racy(&kernel, path, harness, err));
        OPEVO_TRY(set_machine(&kernel, on ? on : "simt", err));
        OPEVO_TRY(make_golden(&kernel, harness, err));
    }
    sign(&kernel, settings);
    *out = kernel;
    return OPEVO_OK;
cleanup:
    opevo_i_evolver_kernel_free(&kernel);
    return status;
}

void opevo_i_evolver_kernel_free(opevo_i_evolver_kernel *kernel)
{
    for (opevo_harness_set set = 0; set < OPEVO_HARNESS_SETS; set++) {
        opevo_free(kernel->base_steps[set]);
        opevo_index_map_destroy(kernel->results[set].places);
        opevo_free(kernel->results[set].items);
    }
    opevo_golden_destroy(kernel->golden);
    opevo_launcher_destroy(kernel->golden_launcher);
    opevo_variant_destroy(kernel->golden_variant);
    opevo_module_destroy(kernel->reference);
    opevo_harness_destroy(kernel->harness);
    opevo_fibers_destroy(kernel->fibers);
    opevo_gpu_close(kernel->gpu);
    opevo_simt_costs_destroy(kernel->costs);
    opevo_module_destroy(kernel->module);
    *kernel = (opevo_i_evolver_kernel){.module = NULL};
}
