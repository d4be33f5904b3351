/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "prover_of_call_internal.h"

#include "command_line_internal.h"
#include "emitted_files_internal.h"
#include "keeper_internal.h"
#include "scratch_folder_internal.h"

#include <opevo/file.h>
#include <opevo/json.h>
#include <opevo/live.h>
#include <opevo/memory.h>

#include <jansson.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PROGRAM "opevo-worker-simt"
#define LIMIT_S 86400.
#define OUTPUT ((size_t)64 << 20)
#define POLL_NS 5000000

/* ---- The process ---- */

static opevo_status find_program(opevo_text *out, opevo_error *err)
{
    if (opevo_i_process_executable_beside(PROGRAM, out))
        return OPEVO_OK;
    return OPEVO_FAIL(err, OPEVO_IO,
                      "Proofs need " PROGRAM " beside opevo: install the package opevo-evolver, or "
                      "build with LLVM 19 (Debian: llvm-19-dev).");
}

static void write_settings(const char *lines, opevo_text *out)
{
    opevo_json_open(out, "set", "[");
    while (*lines) {
        size_t length = strcspn(lines, "\n");
        char *one = opevo_strndup(lines, length);

        opevo_json_next(out, "");
        opevo_text_add_json(out, one ? one : "");
        out->failed |= !one;
        opevo_free(one);
        lines += length + (lines[length] == '\n');
    }
    opevo_text_add(out, "]");
}

static void write_request(const opevo_i_cli_proof_request *self, opevo_text *out)
{
    opevo_text_add(out, "{");
    opevo_json_string(out, "kernel", self->kernel);
    if (self->harness)
        opevo_json_string(out, "harness", self->harness);
    if (self->computes)
        opevo_json_string(out, "computes", self->computes);
    if (self->same_bits)
        opevo_json_string(out, "same_bits", self->same_bits);
    if (self->same_function)
        opevo_json_string(out, "same_function", self->same_function);
    if (self->settings)
        write_settings(self->settings, out);
    if (self->words)
        opevo_json_string(out, "words", self->words);
    if (self->certificate)
        opevo_json_string(out, "certificate", self->certificate);
    if (self->preprocess)
        opevo_json_bool(out, "preprocess", true);
    if (self->parallel)
        opevo_json_bool(out, "parallel", true);
    opevo_json_bool(out, "json", self->json);
    opevo_json_bool(out, "rounding", self->rounding);
    opevo_json_bool(out, "part", self->part);
    opevo_json_bool(out, "compare", self->compare);
    opevo_json_index(out, "seed", self->seed);
    opevo_text_add(out, "}");
}

/* What the process said on standard error, without the line's end, as the error of this call. */
static opevo_status fail(const opevo_i_process_program_end *end, opevo_error *err)
{
    const char *said = opevo_text_string(&end->error);

    if (end->start_errno || !end->kept)
        return OPEVO_FAIL(err, OPEVO_IO, PROGRAM " did not run: %s.", strerror(end->start_errno));
    if (!WIFEXITED(end->wait_status) || !*said)
        return OPEVO_FAIL(err, OPEVO_FAULT, PROGRAM " ended before it had an answer.");
    return OPEVO_FAIL(err, OPEVO_INVALID, "%.*s", (int)strcspn(said, "\n"), said);
}

opevo_status opevo_i_cli_proof_ask(const opevo_i_cli_proof_request *self, opevo_text *out,
                                   int *exit_code, opevo_error *err)
{
    char verb[] = "prove";
    opevo_text path = {0}, request = {0};
    char *arguments[] = {NULL, verb, NULL, NULL};
    const opevo_i_process_program program = {
        .argv = arguments, .limit_s = LIMIT_S, .output_limit = OUTPUT};
    opevo_i_process_program_end end = {0};
    opevo_i_process_keeper keeper = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(find_program(&path, err));
    write_request(self, &request);
    arguments[0] = path.data;
    arguments[2] = request.data;
    if (request.failed) {
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a request.");
        goto cleanup;
    }
    OPEVO_TRY(opevo_i_process_keeper_start(&program, &keeper, err));
    while (!opevo_i_process_keeper_poll(&keeper, &end))
        nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL);
    if (end.out.length == 0) {
        status = fail(&end, err);
        goto cleanup;
    }
    opevo_text_add(out, opevo_text_string(&end.out));
    *exit_code = WEXITSTATUS(end.wait_status);
cleanup:
    opevo_i_process_program_end_free(&end);
    opevo_text_free(&request);
    opevo_text_free(&path);
    return status;
}

/* ---- Points ---- */

static opevo_status write_file(const char *folder, const char *name, const char *text, size_t size,
                               opevo_text *path, opevo_error *err)
{
    opevo_status status;

    opevo_text_printf(path, "%s/%s", folder, name);
    status = opevo_text_check(path, err);
    return status == OPEVO_OK ? opevo_file_write(path->data, text, size, err) : status;
}

/* The text of the harness of a kernel of the user's. */
static opevo_status write_harness(const opevo_kernel_maker *maker, const char *folder,
                                  opevo_text *path, opevo_error *err)
{
    json_t *setup = json_loads(maker->bench->setup, 0, NULL);
    const char *text =
        json_string_value(json_object_get(json_object_get(setup, "harness"), "text"));
    opevo_status status = text ? write_file(folder, "harness.json", text, strlen(text), path, err)
                               : OPEVO_FAIL(err, OPEVO_INVALID,
                                            "%s has no harness that a proof can use.", maker->name);

    json_decref(setup);
    return status;
}

/* A source of the user's at the values of a point. */
static opevo_status ask_own(const opevo_kernel_maker *maker, opevo_index point, const char *folder,
                            opevo_i_cli_proof_request *request, opevo_text *out, int *exit_code,
                            opevo_error *err)
{
    static const char *const names[OPEVO_KERNEL_COUNT] = {[OPEVO_KERNEL_C] = "kernel.c",
                                                          [OPEVO_KERNEL_CUDA] = "kernel.cu",
                                                          [OPEVO_KERNEL_HIP] = "kernel.cu",
                                                          [OPEVO_KERNEL_OPENCL] = "kernel.cl"};
    opevo_kernel kernel = {.dialect = maker->dialect};
    opevo_outcome_class refused = OPEVO_OUTCOME_OK;
    opevo_text source = {0}, harness = {0}, why = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(maker->ops->make(maker, point, &kernel, &refused, &why, err));
    if (refused != OPEVO_OUTCOME_OK) {
        status = OPEVO_FAIL(err, OPEVO_INVALID, "The point gives no kernel: %s",
                            opevo_text_string(&why));
        goto cleanup;
    }
    OPEVO_TRY(write_file(folder, names[maker->dialect], opevo_text_string(&kernel.source),
                         kernel.source.length, &source, err));
    OPEVO_TRY(write_harness(maker, folder, &harness, err));
    request->kernel = source.data;
    request->harness = harness.data;
    request->settings = opevo_text_string(&kernel.values);
    request->words = opevo_text_string(&kernel.options);
    status = opevo_i_cli_proof_ask(request, out, exit_code, err);
cleanup:
    opevo_kernel_free(&kernel);
    opevo_text_free(&source);
    opevo_text_free(&harness);
    opevo_text_free(&why);
    return status;
}

opevo_status opevo_i_cli_proof_ask_point(const opevo_objective *objective, const char *on,
                                         opevo_index point,
                                         const opevo_i_cli_proof_request *request, opevo_text *out,
                                         int *exit_code, opevo_error *err)
{
    const opevo_kernel_maker *maker = opevo_live_maker(objective);
    char folder[OPEVO_I_SCRATCH_PATH] = "";
    opevo_i_cli_proof_request whole = *request;
    opevo_status status = OPEVO_OK;

    if (!maker)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Proofs are of kernels: use --on cpu or cuda:0.");
    status = opevo_i_cli_scratch_make("proof", folder, err);
    if (status != OPEVO_OK)
        return status;
    whole.kernel = folder;
    if (maker->bench) {
        status = ask_own(maker, point, folder, &whole, out, exit_code, err);
    } else {
        status = opevo_i_cli_kernel_files_write(folder, on, objective, point, 1, err);
        if (status == OPEVO_OK)
            status = opevo_i_cli_proof_ask(&whole, out, exit_code, err);
    }
    opevo_i_cli_scratch_remove(folder);
    return status;
}

opevo_status opevo_i_cli_proof_compare_point(const opevo_objective *objective, const char *on,
                                             opevo_index point, const char *certificate,
                                             const char *verdict, bool *fits, opevo_error *err)
{
    const opevo_i_cli_proof_request request = {
        .certificate = certificate, .json = true, .compare = true};
    opevo_text answer = {0};
    json_t *root = NULL;
    const char *said = NULL;
    int code = 0;
    opevo_status status =
        opevo_i_cli_proof_ask_point(objective, on, point, &request, &answer, &code, err);

    OPEVO_TRY(status);
    root = json_loads(opevo_text_string(&answer), 0, NULL);
    said = json_string_value(json_object_get(json_object_get(root, "certificate"), "verdict"));
    *fits = said && !strcmp(said, verdict) &&
            json_is_true(json_object_get(json_object_get(root, "certificate"), "of_this_source"));
cleanup:
    json_decref(root);
    opevo_text_free(&answer);
    return status;
}
