/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Proofs of the finalists, before a winner is named: what is refuted is not one. */

#include "prover_of_call_internal.h"
#include "terminal_internal.h"
#include "tune_internal.h"

#include <opevo/file.h>
#include <opevo/json.h>
#include <opevo/live.h>
#include <opevo/memory.h>

#include <stdio.h>
#include <string.h>

opevo_status opevo_i_cli_tune_prove_check(const opevo_call *call, const opevo_i_cli_tuning *self,
                                          opevo_error *err)
{
    if (!opevo_i_cli_flag(call, "prove"))
        return OPEVO_OK;
    if (!opevo_live_maker(self->objective))
        return OPEVO_FAIL(err, OPEVO_INVALID, "--prove requires kernels: use --on cpu or cuda:0.");
    if (self->runs > 1 || self->finals->options.most == 0)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--prove is of the finals of one run: omit --runs and --finals 0.");
    return OPEVO_OK;
}

static const char *verdict_of(const opevo_i_cli_tune_proof *proof)
{
    return proof->code == OPEVO_I_CLI_PROVED    ? "proved"
           : proof->code == OPEVO_I_CLI_REFUTED ? "refuted"
                                                : "undecided";
}

/* Into the store, and for what is printed. */
static opevo_status keep(opevo_i_cli_tuning *self, const opevo_i_cli_tune_proof *proof,
                         opevo_error *err)
{
    opevo_stored_proof stored = {.point = proof->point, .standing = OPEVO_PROOF_FITS};
    opevo_status status;

    snprintf(stored.verdict, sizeof stored.verdict, "%s", verdict_of(proof));
    opevo_text_add(&stored.certificate, opevo_text_string(&proof->text));
    status = opevo_text_check(&stored.certificate, err);
    if (status == OPEVO_OK && self->run.store)
        status = opevo_store_put_proof(self->run.store, self->results[0].run, &stored, err);
    if (status == OPEVO_OK)
        return opevo_stored_proofs_add(&self->kernels.proofs, &stored, err);
    opevo_text_free(&stored.certificate);
    return status;
}

opevo_status opevo_i_cli_tune_read_proofs(opevo_i_cli_tuning *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    self->kernels.any = opevo_live_maker(self->objective) != NULL;
    if (!self->kernels.any || !self->run.store || self->runs > 1)
        return OPEVO_OK;
    status =
        opevo_store_get_proofs(self->run.store, self->results[0].run, &self->kernels.proofs, err);
    return status == OPEVO_OK
               ? opevo_i_cli_kernels_compare(&self->kernels, self->objective, self->on, NULL, err)
               : status;
}

/* Kernels that the prover does not take are undecided; without the prover nothing is. */
static opevo_status prove_one(opevo_i_cli_tuning *self, const opevo_finalist *one, opevo_error *err)
{
    const opevo_i_cli_proof_request request = {.json = true};
    opevo_i_cli_tune_proof *proof = &self->proofs[self->proof_count++];
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status;

    *proof = (opevo_i_cli_tune_proof){.point = one->point, .trial = one->trial};
    status = opevo_i_cli_proof_ask_point(self->objective, self->on, one->point, &request,
                                         &proof->text, &proof->code, &inner);
    if (status == OPEVO_OK)
        return keep(self, proof, err);
    if (status != OPEVO_INVALID)
        return OPEVO_FAIL(err, status, "%s", inner.message);
    proof->code = OPEVO_I_CLI_UNDECIDED;
    opevo_text_add(&proof->text, "{");
    opevo_json_string(&proof->text, "verdict", "undecided");
    opevo_json_string(&proof->text, "reason", inner.message);
    opevo_text_add(&proof->text, "}\n");
    status = opevo_text_check(&proof->text, err);
    return status == OPEVO_OK ? keep(self, proof, err) : status;
}

static void tell_refuted(const opevo_i_cli_tuning *self, const opevo_i_cli_tune_proof *proof)
{
    opevo_text text = {0};

    opevo_text_printf(&text, "trial %llu computes something else and is not named",
                      (unsigned long long)proof->trial);
    opevo_i_cli_certificate_print_reason(opevo_text_string(&proof->text), &text);
    opevo_i_cli_print_error(self->verb, opevo_text_string(&text));
    opevo_text_free(&text);
}

/* The best trial that is left; none, if all were refuted. */
static void replace_best(opevo_i_cli_tuning *self)
{
    opevo_trial *best = &self->results[0].best;
    const opevo_finalist *first = self->finals->count ? &self->finals->finalists[0] : NULL;

    if (!best->number || (first && first->point == best->proposal.point))
        return;
    best->number = first ? first->trial : 0;
    best->proposal.point = first ? first->point : best->proposal.point;
    best->outcome.fitness = first ? first->median : 0;
}

opevo_status opevo_i_cli_tune_prove(opevo_i_cli_tuning *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    self->proofs = opevo_calloc(self->finals->count + 1, sizeof *self->proofs);
    OPEVO_NEED_OR_RETURN(self->proofs, "proofs");
    for (size_t i = 0; i < self->finals->count && status == OPEVO_OK;) {
        if (opevo_interrupt_is_raised(&opevo_i_cli_interrupted))
            return OPEVO_OK;
        status = prove_one(self, &self->finals->finalists[i], err);
        if (status != OPEVO_OK || self->proofs[self->proof_count - 1].code != OPEVO_I_CLI_REFUTED) {
            i++;
            continue;
        }
        tell_refuted(self, &self->proofs[self->proof_count - 1]);
        opevo_finals_drop(self->finals, i);
    }
    if (self->proof_count > 0 && status == OPEVO_OK)
        replace_best(self);
    return status;
}

/* ---- What is said ---- */

void opevo_i_cli_tune_print_proofs(const opevo_i_cli_tuning *self, opevo_text *out)
{
    for (size_t i = 0; i < self->proof_count; i++) {
        opevo_text_printf(out, "%-9s trial %llu", verdict_of(&self->proofs[i]),
                          (unsigned long long)self->proofs[i].trial);
        opevo_i_cli_certificate_print_reason(opevo_text_string(&self->proofs[i].text), out);
        opevo_text_add(out, "\n");
    }
}

void opevo_i_cli_tune_add_json_proofs(const opevo_i_cli_tuning *self, opevo_text *out)
{
    if (!self->proofs)
        return;
    opevo_json_open(out, "proofs", "[");
    for (size_t i = 0; i < self->proof_count; i++) {
        const opevo_i_cli_tune_proof *proof = &self->proofs[i];

        opevo_json_open_next(out, "\n  ", "{");
        opevo_json_index(out, "trial", proof->trial);
        opevo_json_string(out, "verdict", verdict_of(proof));
        opevo_json_open(out, "answers", "[");
        opevo_i_cli_certificate_print_json(opevo_text_string(&proof->text), out);
        opevo_text_add(out, "]}");
    }
    opevo_text_add(out, "]");
}

opevo_status opevo_i_cli_tune_write_proof(const opevo_i_cli_tuning *self, const char *folder,
                                          opevo_index point, opevo_error *err)
{
    size_t i = 0;

    while (i < self->proof_count && self->proofs[i].point != point)
        i++;
    if (i == self->proof_count)
        return OPEVO_OK;
    return opevo_file_write_in(folder, "kernel.proof", &self->proofs[i].text, err);
}

void opevo_i_cli_tune_free_proofs(opevo_i_cli_tuning *self)
{
    for (size_t i = 0; i < self->proof_count; i++)
        opevo_text_free(&self->proofs[i].text);
    opevo_free(self->proofs);
    opevo_i_cli_kernels_free(&self->kernels);
}
