/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Proofs of what a search found: whether a variant is the same function of real numbers as the
 * kernel, for all contents of its buffers, at the sizes of all cases of the harness. */

#include "evolve_internal.h"

#include "prover_of_call_internal.h"
#include "scratch_folder_internal.h"

#include <opevo/file.h>
#include <opevo/json.h>

#include <stdio.h>
#include <string.h>

static const char *const words[] = {[OPEVO_I_CLI_PROVED] = "proved",
                                    [OPEVO_I_CLI_REFUTED] = "refuted",
                                    [OPEVO_I_CLI_UNDECIDED] = "undecided"};

static opevo_status emit(opevo_evolver *evolver, const char *edits, const char *folder,
                         const char *name, opevo_error *err)
{
    opevo_text text = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_evolver_emit(evolver, edits, "ll", NULL, &text, err));
    status = opevo_file_write_in(folder, name, &text, err);
cleanup:
    opevo_text_free(&text);
    return status;
}

/* What the prover says of the two modules of a folder; what it does not take is undecided. */
static opevo_status ask(const opevo_i_cli_evolution *self, const char *folder,
                        opevo_stored_proof *out, opevo_error *err)
{
    opevo_i_cli_proof_request request = {.harness = self->harness, .json = true};
    opevo_text variant = {0}, base = {0};
    opevo_error inner = {OPEVO_OK, ""};
    int code = OPEVO_I_CLI_UNDECIDED;
    opevo_status status = OPEVO_OK;

    opevo_text_printf(&variant, "%s/variant.ll", folder);
    opevo_text_printf(&base, "%s/base.ll", folder);
    OPEVO_TRY(opevo_text_check(&variant, err));
    OPEVO_TRY(opevo_text_check(&base, err));
    request.kernel = variant.data;
    request.same_function = base.data;
    status = opevo_i_cli_proof_ask(&request, &out->certificate, &code, &inner);
    if (status == OPEVO_NOMEM) {
        status = OPEVO_FAIL(err, status, "%s", inner.message);
        goto cleanup;
    }
    if (status != OPEVO_OK) {
        opevo_text_clear(&out->certificate);
        opevo_text_add(&out->certificate, "{");
        opevo_json_string(&out->certificate, "verdict", words[code]);
        opevo_json_string(&out->certificate, "reason", inner.message);
        opevo_text_add(&out->certificate, "}\n");
    }
    snprintf(out->verdict, sizeof out->verdict, "%s", words[code]);
    status = opevo_text_check(&out->certificate, err);
cleanup:
    opevo_text_free(&variant);
    opevo_text_free(&base);
    return status;
}

static opevo_status prove(opevo_i_cli_evolution *self, const opevo_found_variant *variant,
                          opevo_stored_proof *out, opevo_error *err)
{
    char folder[OPEVO_I_SCRATCH_PATH] = "";
    opevo_status status = opevo_i_cli_scratch_make("proof", folder, err);

    if (status != OPEVO_OK)
        return status;
    OPEVO_TRY(emit(self->evolver, "none", folder, "base.ll", err));
    OPEVO_TRY(emit(self->evolver, opevo_text_string(&variant->edits), folder, "variant.ll", err));
    status = ask(self, folder, out, err);
cleanup:
    opevo_i_cli_scratch_remove(folder);
    return status;
}

/* Where the call allows what a proof does not, such as races, a refutation is said only. */
static bool all_is_checked(const opevo_i_cli_evolution *self)
{
    return !*opevo_evolver_facts_of(self->evolver)->unchecked &&
           !strstr(opevo_text_string(&self->with), "warp-sync");
}

opevo_status opevo_i_cli_evolution_prove(void *context, const opevo_found_variant *variant,
                                         bool *refuted, opevo_error *err)
{
    opevo_i_cli_evolution *self = context;
    opevo_stored_proof proof = {.point = variant->trial.proposal.point,
                                .standing = OPEVO_PROOF_FITS};
    opevo_status status = OPEVO_OK;

    *refuted = false;
    if (opevo_interrupt_is_raised(&opevo_i_cli_interrupted))
        return OPEVO_FAIL(err, OPEVO_INTERRUPTED, "The search was interrupted.");
    status = prove(self, variant, &proof, err);
    if (status == OPEVO_OK && self->run.store)
        status = opevo_store_put_proof(self->run.store, self->run_number, &proof, err);
    if (status != OPEVO_OK) {
        opevo_text_free(&proof.certificate);
        return status;
    }
    *refuted = strcmp(proof.verdict, words[OPEVO_I_CLI_REFUTED]) == 0 && all_is_checked(self);
    return opevo_stored_proofs_add(&self->proofs, &proof, err);
}

/* ---- What is printed ---- */

static const opevo_stored_proof *proof_of(const opevo_i_cli_evolution *self,
                                          const opevo_found_variant *variant)
{
    return opevo_stored_proofs_find(&self->proofs, variant->trial.proposal.point);
}

const char *opevo_i_cli_evolution_verdict(const opevo_i_cli_evolution *self,
                                          const opevo_found_variant *variant)
{
    const opevo_stored_proof *proof = proof_of(self, variant);

    return proof ? proof->verdict : "";
}

void opevo_i_cli_evolution_reason(const opevo_i_cli_evolution *self,
                                  const opevo_found_variant *variant, opevo_text *out)
{
    const opevo_stored_proof *proof = proof_of(self, variant);

    if (proof)
        opevo_i_cli_certificate_print_reason(opevo_text_string(&proof->certificate), out);
}

void opevo_i_cli_evolution_json_proof(const opevo_i_cli_evolution *self,
                                      const opevo_found_variant *variant, opevo_text *out)
{
    const opevo_stored_proof *proof = proof_of(self, variant);
    opevo_text reason = {0};

    if (!proof)
        return;
    opevo_i_cli_evolution_reason(self, variant, &reason);
    opevo_json_open(out, "proof", "{");
    opevo_json_string(out, "verdict", proof->verdict);
    if (reason.length)
        opevo_json_string(out, "reason", reason.data + strlen(": "));
    opevo_text_add(out, "}");
    out->failed |= reason.failed;
    opevo_text_free(&reason);
}
