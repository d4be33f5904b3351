/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Proofs of kernels, by the process that has LLVM; its answer and its exit status are those of the
 * verb. */

#include "library_proof_internal.h"
#include "objective_of_run_internal.h"
#include "options_internal.h"
#include "prover_of_call_internal.h"

#include <opevo/finals.h>
#include <opevo/memory.h>
#include <opevo/store_proofs.h>

#include <string.h>
#include <unistd.h>

static const opevo_option options[] = {
    {"computes", "TEXT", "the computation, whose tensors are buffers of the harness", false},
    {"harness", "FILE", "how the kernel is called; a folder of --emit needs none", false},
    {"set", "NAME=VALUE", "a parameter of the source and of its harness (may be repeated)", true},
    {"same-bits", "KERNEL", "prove that this kernel gives the same bits, for all inputs", false},
    {"same-function", "KERNEL", "prove that this kernel is the same function of real numbers",
     false},
    {"model", "FILE", "of a network's library: its model, if the folder does not hold it", false},
    {"seed", "N", "of the random inputs (default 0)", false},
    {"rounding", NULL, "bound the roundings as well, for inputs of at most 1 in size", false},
    {"json", NULL, "print one JSON object for each case, and one for all", false},
};

/* ---- Files ---- */

static void collect_settings(const opevo_call *call, opevo_text *out)
{
    for (size_t i = 0; i < call->given_count; i++)
        if (strcmp(call->given[i].option->name, "set") == 0)
            opevo_text_printf(out, "%s\n", call->given[i].value);
}

static opevo_status prove_file(const opevo_call *call, uint64_t seed, opevo_text *out,
                               int *exit_code, opevo_error *err)
{
    opevo_text settings = {0};
    opevo_i_cli_proof_request request = {.kernel = call->arguments[0],
                                         .harness = opevo_i_cli_option(call, "harness"),
                                         .computes = opevo_i_cli_option(call, "computes"),
                                         .same_bits = opevo_i_cli_option(call, "same-bits"),
                                         .same_function = opevo_i_cli_option(call, "same-function"),
                                         .seed = seed,
                                         .json = opevo_i_cli_flag(call, "json"),
                                         .rounding = opevo_i_cli_flag(call, "rounding")};
    opevo_status status = OPEVO_OK;

    if (request.same_bits && request.same_function)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--same-bits and --same-function exclude each other.");
    collect_settings(call, &settings);
    request.settings = opevo_text_string(&settings);
    OPEVO_TRY(opevo_text_check(&settings, err));
    status = opevo_i_cli_proof_ask(&request, out, exit_code, err);
cleanup:
    opevo_text_free(&settings);
    return status;
}

/* ---- Libraries ---- */

static void print_certificate(const opevo_i_cli_library_certificate *self, opevo_text *out)
{
    if (!*self->verdict)
        return;
    opevo_text_add(out,
                   self->of_these_files
                       ? "the certificate of the network is of these files, and says "
                       : "the certificate of the network is of other files, of which it says ");
    opevo_text_add_visible(out, self->verdict);
    opevo_text_add(out, "\n");
}

static opevo_status prove_library(const opevo_call *call, uint64_t seed, opevo_text *out,
                                  int *exit_code, opevo_error *err)
{
    static const char *const names[] = {"computes", "harness", "set", "same-bits", "same-function"};
    const opevo_i_cli_proof_request request = {.seed = seed,
                                               .json = opevo_i_cli_flag(call, "json"),
                                               .rounding = opevo_i_cli_flag(call, "rounding")};
    const char *folder = call->arguments[0];
    opevo_i_cli_library_proof proof = {0};
    opevo_i_cli_library_certificate certificate = {.of_these_files = false};
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (opevo_i_cli_flag(call, names[i]))
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "The kernels of a library say themselves what they are: omit --%s.",
                              names[i]);
    OPEVO_TRY(opevo_i_cli_library_prove_whole(folder, opevo_i_cli_option(call, "model"), seed,
                                              &proof, err));
    OPEVO_TRY(opevo_i_cli_library_read_certificate(folder, &certificate, err));
    OPEVO_TRY(opevo_i_cli_library_prove(folder, &request, &proof, out, err));
    if (request.json) {
        opevo_i_cli_library_proof_print_json(&proof, &certificate, out);
    } else {
        opevo_i_cli_network_print_proof(&proof, out);
        print_certificate(&certificate, out);
        opevo_i_cli_library_proof_print(&proof, false, out);
    }
    *exit_code = opevo_i_cli_library_whole_code(&proof);
cleanup:
    opevo_i_cli_library_proof_free(&proof);
    return status;
}

/* ---- Stores ---- */

/* A trial that the store has a refutation of. */
typedef struct refuted {
    uint64_t trial;
    double fitness;
} refuted;

/* The best point of a run: the winner of its finals, or else its best trial that its store has no
 * refutation of. */
typedef struct best {
    int64_t run;
    double fitness; /* 0: no trial succeeded */
    opevo_index point;
    opevo_stored_proofs proofs;
    refuted *passed; /* over */
    size_t passed_count, passed_capacity;
} best;

static void best_free(best *self)
{
    opevo_stored_proofs_free(&self->proofs);
    opevo_free(self->passed);
}

static void visit(void *context, const opevo_run_info *info)
{
    (void)context, (void)info; /* that there is such a run */
}

static bool is_refuted(const best *self, opevo_index point)
{
    const opevo_stored_proof *proof = opevo_stored_proofs_find(&self->proofs, point);

    return proof && strcmp(proof->verdict, "refuted") == 0;
}

static opevo_status pass_over(best *self, const opevo_trial *trial, opevo_error *err)
{
    OPEVO_NEED_OR_RETURN(opevo_reserve((void **)&self->passed, &self->passed_capacity,
                                       self->passed_count + 1, sizeof *self->passed),
                         "the trials of a run");
    self->passed[self->passed_count++] = (refuted){trial->number, trial->outcome.fitness};
    return OPEVO_OK;
}

static opevo_status consider(best *self, const opevo_trial *trial, opevo_error *err)
{
    if (!(trial->outcome.fitness > self->fitness))
        return OPEVO_OK;
    if (is_refuted(self, trial->proposal.point))
        return pass_over(self, trial, err);
    self->fitness = trial->outcome.fitness;
    self->point = trial->proposal.point;
    return OPEVO_OK;
}

/* The better trials that are passed over: a store says of them that they are refuted, and may have
 * been changed. */
static void print_passed(const best *self, bool json, opevo_text *out)
{
    for (size_t i = 0; i < self->passed_count; i++) {
        unsigned long long trial = self->passed[i].trial;

        if (!(self->passed[i].fitness > self->fitness))
            continue;
        if (json)
            opevo_text_printf(out, "{\"trial\": %llu, \"passed_over\": \"refuted\"}\n", trial);
        else
            opevo_text_printf(out,
                              "trial %llu is faster, and is passed over: the store says that "
                              "it is refuted\n",
                              trial);
    }
}

static opevo_status find_best_trial(opevo_store *store, best *self, opevo_error *err)
{
    enum { PIECE = 256 };
    opevo_trial *trials = opevo_malloc(PIECE, sizeof *trials);
    uint64_t after = 0;
    size_t got = PIECE;
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(trials, "reading run %lld", (long long)self->run);
    for (; got == PIECE; after += got) {
        OPEVO_TRY(opevo_store_read(store, self->run, after, trials, PIECE, &got, err));
        for (size_t i = 0; i < got; i++)
            OPEVO_TRY(consider(self, &trials[i], err));
    }
cleanup:
    opevo_free(trials);
    return status;
}

static opevo_status find_best(opevo_store *store, best *self, opevo_error *err)
{
    opevo_finals *finals = NULL;
    opevo_space *space = NULL;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_store_visit(store, self->run, visit, self, err));
    OPEVO_TRY(opevo_store_get_proofs(store, self->run, &self->proofs, err));
    OPEVO_TRY(opevo_finals_read(store, self->run, &finals, &space, err));
    if (finals->ran) {
        self->point = finals->finalists[finals->verdict.winner].point;
        self->fitness = finals->finalists[finals->verdict.winner].median;
    }
    if (!(self->fitness > 0))
        OPEVO_TRY(find_best_trial(store, self, err));
    if (!(self->fitness > 0))
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "%s: no trial of run %lld succeeded that is not refuted; %zu are, as "
                            "the store says.",
                            opevo_store_path(store), (long long)self->run, self->passed_count);
cleanup:
    opevo_space_destroy(space);
    opevo_finals_destroy(finals);
    return status;
}

static opevo_status prove_run(const opevo_call *call, const char *path, best *what, uint64_t seed,
                              opevo_text *out, int *exit_code, opevo_error *err)
{
    opevo_i_cli_proof_request request = {.seed = seed,
                                         .json = opevo_i_cli_flag(call, "json"),
                                         .rounding = opevo_i_cli_flag(call, "rounding")};
    opevo_i_cli_objective_of_run run = {.objective = NULL};
    const opevo_stored_proof *stored = NULL;
    opevo_store *store = NULL;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_store_open(path, OPEVO_STORE_READ, &store, err));
    OPEVO_TRY(find_best(store, what, err));
    OPEVO_TRY(opevo_i_cli_objective_of_run_open(store, what->run, &run, err));
    if (!opevo_space_has(run.objective->space, what->point)) {
        status = OPEVO_FAIL(err, OPEVO_MISMATCH,
                            "%s: the space of run %lld is another one by now; tune again.", path,
                            (long long)what->run);
        goto cleanup;
    }
    print_passed(what, request.json, out);
    stored = opevo_stored_proofs_find(&what->proofs, what->point);
    request.certificate = stored ? opevo_text_string(&stored->certificate) : NULL;
    status = opevo_i_cli_proof_ask_point(run.objective, run.on, what->point, &request, out,
                                         exit_code, err);
cleanup:
    opevo_i_cli_objective_of_run_close(&run);
    best_free(what);
    opevo_store_close(store);
    return status;
}

static opevo_status refuse_options(const opevo_call *call, opevo_error *err)
{
    static const char *const names[] = {"computes", "harness", "set", "same-bits", "same-function"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (opevo_i_cli_flag(call, names[i]))
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "A stored run says itself what its kernel is: omit --%s.", names[i]);
    return OPEVO_OK;
}

static opevo_status run(const opevo_call *call, opevo_text *out, int *exit_code, opevo_error *err)
{
    best what = {.run = 0};
    uint64_t seed = 0;
    char *path = NULL;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_cli_option_count(call, "seed", 0, 0, INT64_MAX / 4, &seed, err));
    if (access(call->arguments[0], F_OK) != 0)
        path = opevo_store_split(call->arguments[0], &what.run);
    if (opevo_i_cli_library_has_kernels(call->arguments[0]))
        status = prove_library(call, seed, out, exit_code, err);
    else if (opevo_i_cli_flag(call, "model"))
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "--model is for the folder of a network's library: omit it.");
    else if (!path || !what.run)
        status = prove_file(call, seed, out, exit_code, err);
    else if ((status = refuse_options(call, err)) == OPEVO_OK)
        status = prove_run(call, path, &what, seed, out, exit_code, err);
cleanup:
    opevo_free(path);
    return status;
}

const opevo_verb opevo_i_cli_verb_prove = {
    .name = "prove",
    .arguments = "KERNEL|STORE:RUN|LIBRARY",
    .arguments_min = 1,
    .arguments_max = 1,
    .summary = "Prove that a kernel computes its definition, for all inputs.",
    .details =
        "KERNEL is a file NAME.c, .cu, .cl or .ll with a harness (docs/formats/harness.md), or "
        "a\n"
        "folder of --emit; of a stored run it is the best one. Of a network's library in C, each\n"
        "kernel is proved, the memory plan, and that its steps are the function of the model.\n"
        "The LLVM IR of a kernel runs once in a prime field at random inputs, and all outputs are\n"
        "compared with the definition there. Exit status: 0 proved, 1 refuted, by an input on\n"
        "which a run in floats differs or by a wrong access to memory, 3 undecided. What a proof\n"
        "says and what it does not: docs/prove.md. With --same-bits the verdict is whether two\n"
        "kernels that are called alike give the same bits, with --same-function whether they are\n"
        "the same function of real numbers.\n\n"
        "  opevo tune mm1 --on cpu --store runs.db && opevo prove runs.db:1\n"
        "  opevo tune 'matmul(64,64,64)' --on cpu --emit folder && opevo prove folder\n"
        "  opevo network net.onnx -o lib && opevo prove lib --model net.onnx\n"
        "  opevo prove mm.cu --harness mm.json \\\n"
        "      --computes 'A[i:n, k:n]; B[k, j:n]; C[i, j] = sum(k) A[i, k]*B[k, j]'",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
