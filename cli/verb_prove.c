/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Proofs of kernels, by the process that has LLVM; its answer and its exit status are those of the
 * verb. */

#include "keeper_internal.h"
#include "options_internal.h"

#include <opevo/json.h>

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PROGRAM "opevo-worker-simt"
#define LIMIT_S 86400.
#define OUTPUT ((size_t)64 << 20)
#define POLL_NS 5000000

static const opevo_option options[] = {
    {"computes", "TEXT", "the computation, whose tensors are buffers of the harness", false},
    {"harness", "FILE", "how the kernel is called; a folder of --emit needs none", false},
    {"seed", "N", "of the random inputs (default 0)", false},
    {"json", NULL, "print one JSON object for each case, and one for all", false},
};

/* Beside this program. */
static opevo_status find_program(char path[4096], opevo_error *err)
{
    ssize_t length = readlink("/proc/self/exe", path, 4096 - sizeof PROGRAM);

    path[length > 0 ? length : 0] = '\0';
    if (strrchr(path, '/'))
        memcpy(strrchr(path, '/') + 1, PROGRAM, sizeof PROGRAM);
    if (access(path, X_OK) == 0)
        return OPEVO_OK;
    return OPEVO_FAIL(err, OPEVO_IO,
                      "Proofs need " PROGRAM " beside opevo: install the package opevo-evolver, or "
                      "build with LLVM 19 (Debian: llvm-19-dev).");
}

static void write_request(const opevo_call *call, uint64_t seed, opevo_text *out)
{
    static const char *const texts[] = {"computes", "harness"};

    opevo_text_add(out, "{");
    opevo_json_string(out, "kernel", call->arguments[0]);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (opevo_i_cli_option(call, texts[i]))
            opevo_json_string(out, texts[i], opevo_i_cli_option(call, texts[i]));
    opevo_json_bool(out, "json", opevo_i_cli_flag(call, "json"));
    opevo_json_index(out, "seed", seed);
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

static opevo_status run(const opevo_call *call, opevo_text *out, int *exit_code, opevo_error *err)
{
    char path[4096], verb[] = "prove";
    opevo_text request = {0};
    char *arguments[] = {path, verb, NULL, NULL};
    const opevo_i_process_program program = {
        .argv = arguments, .limit_s = LIMIT_S, .output_limit = OUTPUT};
    opevo_i_process_program_end end = {0};
    opevo_i_process_keeper keeper = {0};
    uint64_t seed = 0;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_cli_option_count(call, "seed", 0, 0, INT64_MAX / 4, &seed, err));
    OPEVO_TRY(find_program(path, err));
    write_request(call, seed, &request);
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
    return status;
}

const opevo_verb opevo_i_cli_verb_prove = {
    .name = "prove",
    .arguments = "KERNEL",
    .arguments_min = 1,
    .arguments_max = 1,
    .summary = "Prove that a kernel computes its definition, for all inputs.",
    .details =
        "KERNEL is a file NAME.c, NAME.cu or NAME.ll with a harness (docs/formats/harness.md), or "
        "a\n"
        "folder of --emit. Its LLVM IR runs once in a prime field at random inputs, and all "
        "outputs\n"
        "are compared with the definition there. Exit status: 0 proved, 1 refuted, by an input on\n"
        "which a run in floats differs or by a wrong access to memory, 3 undecided. What a proof\n"
        "says and what it does not: docs/prove.md.\n\n"
        "  opevo tune 'matmul(64,64,64)' --on cpu --emit folder && opevo prove folder\n"
        "  opevo prove mm.cu --harness mm.json \\\n"
        "      --computes 'A[i:n, k:n]; B[k, j:n]; C[i, j] = sum(k) A[i, k]*B[k, j]'",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
