/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels for GPUs in the interpreter: clang makes LLVM IR of them, every access is checked, and
 * their time is the model's cost, a nanosecond a cycle. */

#include "backend_simt_internal.h"

#include <opevo/clock.h>
#include <opevo/edits.h>
#include <opevo/hash.h>
#include <opevo/memory.h>
#include <opevo/parallel.h>
#include <opevo/simt.h>
#include <opevo/simt_launcher.h>
#include <opevo/version.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpu_internal.h"
#include "own_launch_internal.h"
#include "protocol_internal.h"
#include "simt_generated_internal.h"
#include "simt_row_internal.h"

#define CYCLE_S 1e-9
#define NO_LIBRARY "an interpreter has no library of operators"
#define STEP_S 2e-9 /* of the interpreter, for an instruction of a warp at least */

static const opevo_i_backend_ops simt_ops;

typedef struct simt_backend {
    opevo_i_backend super;
    opevo_i_own *own; /* NULL: kernels are generated, and there is one set of operands */
    opevo_i_reference_operands sets[OPEVO_I_CPU_SETS];
    opevo_simt_costs *costs;
    char clang[4096];
    char *words; /* path of cuda_words.h */
    double run_limit_s;
} simt_backend;

/* ---- Opening -------------------------------------------------------------------------------- */

static void close_backend(opevo_i_backend *backend)
{
    simt_backend *self = (simt_backend *)backend;

    for (int set = 0; set < OPEVO_I_CPU_SETS; set++)
        opevo_i_reference_operands_free(&self->sets[set]);
    opevo_i_own_close(self->own);
    opevo_i_wire_job_clear(&backend->reference);
    opevo_simt_costs_destroy(self->costs);
    opevo_free(self->words);
    opevo_free(self);
}

/* $OPEVO_CLANG, or that of the LLVM that this program has. */
static void find_clang(simt_backend *self)
{
    const char *given = getenv("OPEVO_CLANG");
    static const char beside[] = OPEVO_LLVM_FOLDER "/clang";

    if (given)
        snprintf(self->clang, sizeof self->clang, "%s", given);
    else if (access(beside, X_OK) == 0)
        snprintf(self->clang, sizeof self->clang, "%s", beside);
    else
        snprintf(self->clang, sizeof self->clang, "clang-%d", OPEVO_LLVM_VERSION);
}

static opevo_status open_simt(const char *which, opevo_i_backend **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    simt_backend *self = opevo_calloc(1, sizeof *self);

    (void)which;
    OPEVO_NEED_OR_RETURN(self, "a worker");
    self->super.ops = &simt_ops;
    find_clang(self);
    OPEVO_TRY(opevo_kernel_path("cuda_words.h", &self->words, err));
    OPEVO_TRY(opevo_simt_costs_load(NULL, &self->costs, err));
    snprintf(self->super.device, sizeof self->super.device,
             "interpreter of opevo " OPEVO_VERSION ", LLVM %d, costs %.60s %08x",
             OPEVO_LLVM_VERSION, opevo_simt_costs_name(self->costs),
             (unsigned)(opevo_hash_mix(opevo_simt_costs_hash(self->costs)) >> 32));
    self->super.core_count = opevo_processor_count(); /* costs do not depend on what else runs */
    self->super.build_memory_bytes = OPEVO_I_BUILD_MEMORY;
    *out = &self->super;
cleanup:
    if (status != OPEVO_OK)
        close_backend(&self->super);
    return status;
}

static opevo_status set_up_workload(simt_backend *self, const json_t *message, opevo_error *err)
{
    json_int_t seed = json_integer_value(json_object_get(message, "seed"));
    opevo_workload *work = NULL;
    opevo_status status = opevo_i_wire_setup_workload(message, &work, err);

    if (status == OPEVO_OK)
        status = opevo_i_reference_operands_create(work, (uint64_t)seed, &self->sets[0], err);
    self->super.reference_s = self->sets[0].reference_s;
    self->super.unbounded = self->sets[0].unbounded;
    return status;
}

static opevo_status setup(opevo_i_backend *backend, const json_t *message, opevo_error *err)
{
    simt_backend *self = (simt_backend *)backend;
    opevo_status status = OPEVO_OK;

    backend->build_limit_s = json_number_value(json_object_get(message, "build_limit_s"));
    self->run_limit_s = json_number_value(json_object_get(message, "run_limit_s"));
    if (!(backend->build_limit_s > 0) || !(self->run_limit_s > 0))
        return OPEVO_FAIL(err, OPEVO_INVALID, "The setup lacks a limit.");
    if (!json_object_get(message, "harness"))
        return set_up_workload(self, message, err);
    status = opevo_i_own_open(message, OPEVO_I_CPU_SETS, self->sets, &self->own, err);
    return status == OPEVO_OK ? opevo_i_own_reference(message, &backend->reference, err) : status;
}

/* ---- Building ------------------------------------------------------------------------------- */

/* In the folder of cuda_words.h: what headers of vendors are called, and the words of kernels in
 * C. */
static opevo_status add_folders(const simt_backend *self, opevo_i_process_arguments *out,
                                opevo_error *err)
{
    int length = (int)(strrchr(self->words, '/') - self->words);
    opevo_text word = {0};
    bool good = true;

    for (int stubs = 0; stubs < 2 && good; stubs++) {
        opevo_text_clear(&word);
        opevo_text_printf(&word, "-I%.*s%s", length, self->words, stubs ? "/vendors" : "");
        good = !word.failed && opevo_i_process_arguments_add(out, word.data, word.length);
    }
    opevo_text_free(&word);
    return good ? OPEVO_OK : OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a command.");
}

static opevo_status add_words(const char *const *words, opevo_i_process_arguments *out,
                              opevo_error *err)
{
    for (size_t i = 0; words[i]; i++) {
        OPEVO_NEED_OR_RETURN(opevo_i_process_arguments_add(out, words[i], strlen(words[i])),
                             "a command");
    }
    return OPEVO_OK;
}

static opevo_status build_command(const opevo_i_backend *backend, const opevo_i_wire_job *job,
                                  const char *source, const char *object,
                                  opevo_i_process_arguments *out, opevo_error *err)
{
    const simt_backend *self = (const simt_backend *)backend;
    const char *const cuda[] = {self->clang,
                                "-x",
                                "cuda",
                                "-include",
                                self->words,
                                "--cuda-device-only",
                                "--cuda-gpu-arch=sm_70",
                                "-nocudainc",
                                "-nocudalib",
                                "-Wno-unknown-cuda-version",
                                NULL};
    const char *const plain[] = {
        self->clang,    "-x",        "c",          "--target=nvptx64-nvidia-cuda",
        "-march=sm_70", "-nogpulib", "-std=gnu11", NULL};
    const char *const both[] = {"-O2",
                                "-fno-vectorize",
                                "-fno-slp-vectorize",
                                "-fno-builtin-memset", /* loops over memory stay loops */
                                "-fno-builtin-memcpy",
                                "-ffp-contract=off",
                                "-gline-tables-only",
                                "-w",
                                "-S",
                                "-emit-llvm",
                                "-o",
                                object,
                                source,
                                NULL};
    opevo_status status = OPEVO_OK;

    if (job->kernel.own && *job->kernel.entry) /* a function in C that gives golden results */
        return opevo_i_cpu_build_command(opevo_i_cpu_compiler(), &job->kernel, source, object, out,
                                         err);
    status = add_words(job->kernel.own && job->kernel.dialect == OPEVO_KERNEL_C ? plain : cuda, out,
                       err);
    if (status == OPEVO_OK)
        status = add_folders(self, out, err);
    if (status == OPEVO_OK)
        status = add_words(both, out, err);
    return status == OPEVO_OK ? opevo_i_own_add_options(&job->kernel, false, out, err) : status;
}

/* ---- Running -------------------------------------------------------------------------------- */

/* A module in the interpreter: behind a launcher for a harness, by itself for generated kernels. */
typedef struct loaded {
    opevo_module *module;
    opevo_edits *none;
    opevo_variant *variant;
    opevo_launcher *launcher;
    opevo_simt *simt;
} loaded;

static void unload(loaded *self)
{
    opevo_launcher_destroy(self->launcher);
    opevo_simt_destroy(self->simt);
    opevo_variant_destroy(self->variant);
    opevo_edits_destroy(self->none);
    opevo_module_destroy(self->module);
}

static opevo_status load(const simt_backend *self, const char *object, loaded *out,
                         opevo_error *err)
{
    opevo_simt_options options = opevo_simt_defaults;
    opevo_status status = OPEVO_OK;

    *out = (loaded){.none = opevo_edits_create()};
    OPEVO_NEED_OR_RETURN(out->none, "a kernel");
    OPEVO_TRY(opevo_module_load(object, &out->module, err));
    OPEVO_TRY(opevo_variant_create(out->module, out->none, &out->variant, err));
    options.step_limit = (uint64_t)(self->run_limit_s / STEP_S);
    if (!self->own) {
        OPEVO_TRY(opevo_simt_create(opevo_variant_llvm(out->variant), self->costs, &options,
                                    &out->simt, err));
        /* Where threads do not divide a tile, two may bring the same element of it. */
        (void)opevo_simt_allow_same_value(out->simt, NULL);
        return OPEVO_OK;
    }
    status = opevo_simt_launcher_create(opevo_variant_llvm(out->variant), self->costs, &options,
                                        opevo_i_own_harness(self->own), &out->launcher, err);
cleanup:
    return status;
}

static opevo_status run_reference(opevo_i_backend *backend, const opevo_kernel *kernel,
                                  const char *object, opevo_error *err)
{
    simt_backend *self = (simt_backend *)backend;
    loaded kernels = {.module = NULL};
    opevo_status status = OPEVO_OK;

    if (*kernel->entry)
        return opevo_i_cpu_run_reference(NULL, kernel->entry, object, self->own, self->sets, err);
    status = load(self, object, &kernels, err);
    if (status == OPEVO_OK)
        status = opevo_i_own_golden_by(self->own, kernels.launcher, err);
    unload(&kernels);
    return status;
}

static bool judge(simt_backend *self, const loaded *kernels, const opevo_i_wire_job *job,
                  double *cost, opevo_i_wire_result *result)
{
    opevo_evaluation first = {.cost = 0}, more = {.cost = 0};
    bool right = false;

    if (!self->own)
        return opevo_i_simt_judge(kernels->simt, &self->sets[0], &job->kernel, cost, result);
    right = opevo_i_own_judge(self->own, kernels->launcher, &job->kernel, 0, 1, &first, result);
    *cost = first.cost;
    if (!right || first.cost * CYCLE_S >= opevo_i_own_check_below_s(self->own, job))
        return right;
    return opevo_i_own_judge(self->own, kernels->launcher, &job->kernel, 1, SIZE_MAX, &more,
                             result);
}

static void measure(opevo_i_backend *backend, const opevo_i_wire_job *job, const char *object,
                    opevo_i_wire_result *result)
{
    simt_backend *self = (simt_backend *)backend;
    double start = opevo_clock_monotonic_s(), cost = 0;
    opevo_error err = {OPEVO_OK, ""};
    loaded kernels = {.module = NULL};

    if (job->library) {
        opevo_i_wire_result_fail(result, OPEVO_OUTCOME_LAUNCH_ERROR, NO_LIBRARY);
        return;
    }
    if (self->own)
        opevo_i_own_begin(self->own);
    if (load(self, object, &kernels, &err) != OPEVO_OK)
        opevo_i_wire_result_fail(result, OPEVO_OUTCOME_LAUNCH_ERROR, "%s", err.message);
    else if (judge(self, &kernels, job, &cost, result) &&
             !opevo_i_wire_result_add(result, cost > 0 ? cost * CYCLE_S : CYCLE_S))
        opevo_i_wire_result_fault(result, "no memory for the samples of a kernel");
    if (self->own)
        opevo_i_own_tell_error(self->own, result);
    unload(&kernels);
    result->run_s += opevo_clock_monotonic_s() - start;
}

static const opevo_i_backend_ops simt_ops = {
    OPEVO_I_SIMT_ROW,
    .open = open_simt,
    .setup = setup,
    .build_command = build_command,
    .run_reference = run_reference,
    .measure = measure,
    .close = close_backend,
};

void opevo_i_simt_backend_install(void)
{
    opevo_i_simt_whole = &simt_ops;
}
