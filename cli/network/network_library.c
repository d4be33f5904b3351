/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A network as a library in C: the folder, and what is in it. */

#include "kernels_of_run_internal.h"
#include "library_proof_internal.h"
#include "live_options_internal.h"
#include "network_cli_internal.h"
#include "options_internal.h"
#include "style_internal.h"

#include <opevo/file.h>
#include <opevo/finals.h>
#include <opevo/json.h>
#include <opevo/kernel.h>
#include <opevo/memory.h>
#include <opevo/network_made.h>
#include <opevo/parallel.h>
#include <opevo/version.h>

#include <string.h>
#include <unistd.h>

/* ---- The folder ---- */

void opevo_i_cli_library_leave(const char *folder, bool made)
{
    if (made)
        (void)rmdir(folder); /* unless something is in it */
}

/* ---- The library ---- */

/* What the call says of the library. */
static opevo_status read_options(const opevo_call *call, opevo_network_library_options *out,
                                 opevo_library_targets *targets, opevo_error *err)
{
    const char *on = opevo_i_cli_option(call, "on");
    opevo_status status = OPEVO_OK;
    uint64_t threads = 0;
    unsigned cores = 1;

    *out = (opevo_network_library_options){.model = opevo_i_cli_network_name(call),
                                           .version = OPEVO_VERSION,
                                           .name = opevo_i_cli_option(call, "name")};
    if (on) {
        OPEVO_TRY(opevo_i_cli_device_of(on, &out->dialect, err));
        OPEVO_TRY(opevo_live_sketch_dialect(on, &out->dialect, &cores, err));
    }
    OPEVO_TRY(opevo_i_cli_option_count(call, "threads", 0, 0, 1024, &threads, err));
    OPEVO_TRY(opevo_i_cli_option_count(call, "seed", 1, 0, UINT64_MAX, &out->seed, err));
    out->freestanding = opevo_i_cli_flag(call, "freestanding");
    out->threads = out->dialect != OPEVO_KERNEL_C ? cores
                   : out->freestanding            ? 1
                   : threads                      ? (unsigned)threads
                                                  : opevo_processor_count();
    if (opevo_kernel_is_for_cpu(out->dialect))
        out->facts = opevo_live_cpu_facts();
    OPEVO_TRY(opevo_i_cli_network_targets(call, targets, out, err));
cleanup:
    return status;
}

/* `target`: "" of a library for one processor. */
static void add_fallbacks(const opevo_network_library *library, const char *target, opevo_text *out)
{
    for (int t = 0; t < opevo_network_library_tasks(library); t++) {
        const opevo_network_kernel *task = opevo_network_library_task(library, t);

        if (task->fallback)
            opevo_text_printf(out, "kernel %d, %s, is plain loops%s%s: %s\n", t, task->operation,
                              *target ? " for " : "", target, task->fallback);
    }
}

/* What the kernels of each target need. */
static void print_targets(const opevo_network_target_libraries *all,
                          const opevo_library_targets *targets, const char *tuned, opevo_text *out)
{
    for (size_t i = 0; i < targets->count; i++) {
        opevo_text_printf(
            out, "%s: weights in layouts of kernels: %.3f MB; scratch memory: %.3f MB%s\n",
            targets->name[i], (double)all->sizes[i].packed_bytes / 1e6,
            (double)all->sizes[i].scratch_bytes / 1e6,
            tuned && strcmp(tuned, targets->name[i]) != 0 ? "; not tuned on this machine" : "");
        add_fallbacks(all->library[i], targets->name[i], out);
    }
}

/* `tuned`: the target whose kernels were. */
static void print_library(const char *folder, bool gpu, const opevo_network_target_libraries *all,
                          const opevo_library_targets *targets, const char *tuned, opevo_text *out)
{
    const opevo_network_library_sizes sizes = all->sizes[0];
    opevo_kernel_dialect dialect = opevo_network_library_dialect(all->library[0]);

    opevo_text_printf(out,
                      "%s: %zu kernel%s%s, weights of %.3f MB\n"
                      "arena: %.3f MB, %.2f times the peak of live tensors, %.3f MB",
                      folder, sizes.kernels, opevo_i_cli_plural(sizes.kernels),
                      targets->count ? " for each target" : "", (double)sizes.weight_bytes / 1e6,
                      (double)sizes.arena_bytes / 1e6,
                      sizes.peak_bytes ? (double)sizes.arena_bytes / (double)sizes.peak_bytes : 1,
                      (double)sizes.peak_bytes / 1e6);
    if (targets->count) {
        opevo_text_add(out, "\n");
        print_targets(all, targets, tuned, out);
    } else {
        opevo_text_printf(out,
                          "; weights in layouts of kernels: %.3f MB; scratch memory: %.3f MB\n",
                          (double)sizes.packed_bytes / 1e6, (double)sizes.scratch_bytes / 1e6);
        add_fallbacks(all->library[0], "", out);
    }
    opevo_text_add(out, "build and check it: make -C ");
    opevo_i_cli_add_shell_word(folder, out);
    opevo_text_add(out, " check");
    if (gpu && dialect != OPEVO_KERNEL_OPENCL && dialect != OPEVO_KERNEL_OPENCL_CPU) {
        opevo_text_add(out, "; on a CPU: make -C ");
        opevo_i_cli_add_shell_word(folder, out);
        opevo_text_add(out, " emulate");
    }
    opevo_text_add(out, "\n");
}

static void add_json_kernels(const opevo_network_library *library, opevo_text *out)
{
    opevo_json_open(out, "kernels", "[");
    for (int t = 0; t < opevo_network_library_tasks(library); t++) {
        const opevo_network_kernel *task = opevo_network_library_task(library, t);

        opevo_json_open_next(out, "\n  ", "{");
        opevo_json_string(out, "operator", task->operation);
        opevo_json_double(out, "times", task->count);
        opevo_json_double(out, "time_s", task->time_s);
        if (task->fallback)
            opevo_json_string(out, "fallback", task->fallback);
        opevo_text_add(out, "}");
    }
    opevo_text_add(out, "\n]");
}

/* Members that targets have are of the best of them, and then of each. */
static void add_json_library(const char *folder, const opevo_network_target_libraries *all,
                             const opevo_library_targets *targets, opevo_text *out)
{
    const opevo_network_library_sizes *sizes = all->sizes;

    opevo_json_string(out, "folder", folder);
    opevo_json_double(out, "weight_bytes", (double)sizes->weight_bytes);
    opevo_json_double(out, "arena_bytes", (double)sizes->arena_bytes);
    opevo_json_double(out, "peak_bytes", (double)sizes->peak_bytes);
    opevo_json_double(out, "packed_bytes", (double)sizes->packed_bytes);
    opevo_json_double(out, "scratch_bytes", (double)sizes->scratch_bytes);
    add_json_kernels(all->library[0], out);
    if (targets->count)
        opevo_json_open(out, "targets", "[");
    for (size_t i = 0; i < targets->count; i++) {
        opevo_json_open_next(out, "\n", "{");
        opevo_json_string(out, "target", targets->name[i]);
        opevo_json_double(out, "packed_bytes", (double)sizes[i].packed_bytes);
        opevo_json_double(out, "scratch_bytes", (double)sizes[i].scratch_bytes);
        add_json_kernels(all->library[i], out);
        opevo_text_add(out, "}");
    }
    opevo_text_add(out, targets->count ? "\n]" : "");
}

/* ---- Proofs ---- */

/* The kernels that are not proved, and why. */
static void print_unproved(const char *answers, opevo_text *out)
{
    while (*answers) {
        size_t length = strcspn(answers, "\n");
        opevo_text line = {0}, reason = {0};
        const char *name;

        opevo_text_add_bytes(&line, answers, length);
        name = strstr(opevo_text_string(&line), "kernel_");
        opevo_i_cli_certificate_print_reason(opevo_text_string(&line), &reason);
        if (name && reason.length)
            opevo_text_printf(out, "%.*s%s\n", (int)strcspn(name, "\""), name,
                              opevo_text_string(&reason));
        opevo_text_free(&line);
        opevo_text_free(&reason);
        answers += length + (answers[length] == '\n');
    }
}

/* Prove the kernels of the folder, and leave the answers there as kernels.proof. */
static opevo_status prove_kernels(const char *folder, opevo_i_cli_library_proof *proof, bool json,
                                  opevo_text *out, int *exit_code, opevo_error *err)
{
    const opevo_i_cli_proof_request request = {.json = true};
    opevo_text answers = {0}, last = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_cli_library_prove(folder, &request, proof, &answers, err));
    OPEVO_TRY(opevo_i_cli_library_certify(folder, proof, &answers, err));
    OPEVO_TRY(opevo_file_write_in(folder, "kernels.proof", &answers, err));
    opevo_i_cli_library_proof_print(proof, json, &last);
    if (json) {
        opevo_i_cli_network_add_json_proof(proof, out);
        opevo_json_key(out, "proof");
        opevo_text_add_bytes(out, opevo_text_string(&last),
                             strcspn(opevo_text_string(&last), "\n"));
    } else {
        opevo_i_cli_network_print_proof(proof, out);
        print_unproved(opevo_text_string(&answers), out);
        opevo_text_add(out, opevo_text_string(&last));
    }
    if (opevo_i_cli_library_whole_code(proof) == OPEVO_I_CLI_REFUTED)
        *exit_code = OPEVO_EXIT_FAILED;
cleanup:
    opevo_text_free(&answers);
    opevo_text_free(&last);
    return status;
}

static opevo_status prove(const opevo_call *call, const opevo_network_plan *plan,
                          const opevo_network_library *library,
                          const opevo_network_plan_options *how, uint64_t seed, opevo_text *out,
                          int *exit_code, opevo_error *err)
{
    opevo_i_cli_library_proof proof = {.memory_plan = true};
    opevo_status status = OPEVO_OK;

    opevo_i_cli_network_say(call, "proving that the steps are the model's function");
    OPEVO_TRY(opevo_network_library_check_memory(library, err));
    OPEVO_TRY(opevo_network_prove(plan->inference->network, plan->inference, how->passes, seed,
                                  &proof.network, err));
    opevo_i_cli_network_say(call, "proving the kernels");
    status = prove_kernels(opevo_i_cli_option(call, "-o"), &proof, opevo_i_cli_flag(call, "json"),
                           out, exit_code, err);
cleanup:
    opevo_i_cli_library_proof_free(&proof);
    return status;
}

/* Leave in the library how it was made. */
static opevo_status note_making(const opevo_call *call, const opevo_network_plan *plan,
                                const opevo_network_plan_options *how,
                                const opevo_network_library_options *options,
                                opevo_network_library *library, opevo_error *err)
{
    opevo_network_maker maker = {.model = call->arguments[0],
                                 .how = *how,
                                 .threads = options->threads,
                                 .name = options->name};
    const char **bindings = NULL;
    opevo_status status = OPEVO_OK;

    if (options->dialect != OPEVO_KERNEL_C || options->freestanding || plan->inference->dynamic)
        return OPEVO_OK;
    OPEVO_TRY(opevo_i_cli_option_all(call, "bind", &bindings, &maker.binding_count, err));
    maker.bindings = bindings;
    status = opevo_network_made_note(&maker, plan, library, err);
cleanup:
    opevo_free(bindings);
    return status;
}

/* ---- All ---- */

opevo_status opevo_i_cli_library_prepare(const opevo_call *call, bool *made, opevo_error *err)
{
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = opevo_i_cli_network_check(call, err);

    if (status == OPEVO_OK &&
        opevo_network_library_make_folder(opevo_i_cli_option(call, "-o"), made, &inner) != OPEVO_OK)
        status = OPEVO_FAIL(err, inner.status, "-o %s", inner.message);
    return status;
}

/* The files, and what is said of them. */
static opevo_status write_library(const opevo_call *call, const opevo_network_plan *plan,
                                  const opevo_network_plan_options *how,
                                  const opevo_network_library_options *options,
                                  const opevo_library_targets *targets,
                                  opevo_network_library *library, opevo_text *out, opevo_error *err)
{
    const char *folder = opevo_i_cli_option(call, "-o");
    opevo_network_target_libraries all = {.count = 0};
    opevo_status status = OPEVO_OK;

    opevo_i_cli_network_say(call,
                            "writing the library, and computing the results that its test expects");
    if (!targets->count)
        OPEVO_TRY(note_making(call, plan, how, options, library, err));
    OPEVO_TRY(opevo_network_targets_create(plan, options, targets, library, &all, err));
    OPEVO_TRY(opevo_network_targets_write(&all, folder, err));
    if (opevo_i_cli_flag(call, "json")) {
        add_json_library(folder, &all, targets, out);
        opevo_i_cli_network_add_json_winograd(plan->inference, out);
    } else {
        opevo_i_cli_network_print_winograd(plan->inference, out);
        print_library(folder, opevo_i_cli_network_for_gpu(call), &all, targets,
                      opevo_i_cli_network_is_tuned(call) ? options->target : NULL, out);
    }
cleanup:
    opevo_network_targets_free(&all);
    return status;
}

opevo_status opevo_i_cli_library_emit(const opevo_call *call, opevo_network_plan *plan,
                                      const opevo_network_plan_options *how,
                                      const opevo_i_cli_arrays *inputs, opevo_text *out,
                                      int *exit_code, opevo_error *err)
{
    const char *folder = opevo_i_cli_option(call, "-o");
    bool json = opevo_i_cli_flag(call, "json");
    opevo_network_library_options options;
    opevo_library_targets targets;
    opevo_network_library *library = NULL;
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(read_options(call, &options, &targets, err));
    options.inputs = inputs->array;
    options.input_count = (size_t)inputs->count;
    opevo_i_cli_network_say(call, "making a kernel for each computation");
    OPEVO_TRY(opevo_network_plan_library(plan, &options, &library, err));
    if (opevo_network_library_check_folder(library, folder, &inner) != OPEVO_OK) {
        status = OPEVO_FAIL(err, inner.status, "-o %s", inner.message);
        goto cleanup;
    }
    opevo_i_cli_network_say(call, "");
    opevo_text_add(out, json ? "{" : "");
    if (opevo_i_cli_network_is_tuned(call))
        OPEVO_TRY(opevo_i_cli_library_tune(call, plan, &options, &library, out, exit_code, err));
    OPEVO_TRY(write_library(call, plan, how, &options, &targets, library, out, err));
    if (opevo_i_cli_flag(call, "prove"))
        OPEVO_TRY(prove(call, plan, library, how, options.seed, out, exit_code, err));
    opevo_text_add(out, json ? "}\n" : "");
cleanup:
    opevo_i_cli_network_say(call, "");
    opevo_network_library_destroy(library);
    return status;
}
