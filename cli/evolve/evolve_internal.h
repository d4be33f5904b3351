/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the verbs evolve and edits share. */

#ifndef OPEVO_CLI_EVOLVE_INTERNAL_H
#define OPEVO_CLI_EVOLVE_INTERNAL_H

#include "evolver_of_call_internal.h"
#include "kernels_of_run_internal.h"
#include "reasons_internal.h"
#include "terminal_internal.h"

#include <opevo/edit_list.h>
#include <opevo/front.h>
#include <opevo/run.h>

/* ---- Checks (edits_print.c) ---- */

/* A line that says for what variants are not checked, if for something; the member "unchecked". */
void opevo_i_cli_unchecked_print(const opevo_evolver *evolver, opevo_text *out);
void opevo_i_cli_unchecked_json(const opevo_evolver *evolver, opevo_text *out);

/* ---- The verb evolve (verb_evolve.c, evolve_print.c) ---- */

typedef struct opevo_i_cli_evolution {
    const char *kernel;
    opevo_evolver *evolver;
    opevo_objective *objective; /* its */
    opevo_run_options run;
    opevo_setting_value *settings;
    opevo_text settings_text, with, on; /* on: "evolve:simt", as a plan calls it */
    opevo_requirement *requirements;
    const char *criteria_words;
    opevo_criteria criteria;
    opevo_front front;
    opevo_trial *exact; /* error-free ones, cheapest first */
    size_t exact_count, exact_room;
    opevo_run_result result;
    opevo_i_cli_reasons reasons;
    opevo_progress progress;
    bool failed; /* no memory for the front or the error-free ones */
    opevo_found found;
    const char *harness; /* its file */
    char *kernel_path, *harness_path;
    int64_t run_number; /* in the store */
    opevo_stored_proofs proofs;
} opevo_i_cli_evolution;

/* Prove that a variant is the same function as the kernel; an opevo_found_judge. The verdict is
 * stored. (evolve_prove.c) */
opevo_status opevo_i_cli_evolution_prove(void *evolution, const opevo_found_variant *variant,
                                         bool *refuted, opevo_error *err);
/* "" where it was not proved; ": " and why it is not proved; a member "proof". */
const char *opevo_i_cli_evolution_verdict(const opevo_i_cli_evolution *self,
                                          const opevo_found_variant *variant);
void opevo_i_cli_evolution_reason(const opevo_i_cli_evolution *self,
                                  const opevo_found_variant *variant, opevo_text *out);
void opevo_i_cli_evolution_json_proof(const opevo_i_cli_evolution *self,
                                      const opevo_found_variant *variant, opevo_text *out);

void opevo_i_cli_evolution_print_settings(const opevo_i_cli_evolution *self, opevo_text *out);
opevo_status opevo_i_cli_evolution_print(const opevo_i_cli_evolution *self, const char *store,
                                         opevo_text *out, opevo_error *err);
void opevo_i_cli_evolution_print_json(const opevo_i_cli_evolution *self, opevo_text *out);

/* ---- The verb edits (edits_print.c) ---- */

void opevo_i_cli_explained_print(const opevo_edit_list *list,
                                 const opevo_edits_explained *explained, opevo_text *out);
void opevo_i_cli_explained_json(const opevo_edit_list *list, const opevo_edits_explained *explained,
                                opevo_text *out);

#endif
