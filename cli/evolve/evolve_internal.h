/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the verbs evolve and edits share. */

#ifndef OPEVO_CLI_EVOLVE_INTERNAL_H
#define OPEVO_CLI_EVOLVE_INTERNAL_H

#include "evolver_of_call_internal.h"
#include "reasons_internal.h"

/* ---- Checks (held_out.c) ---- */

/* A line that says for what variants are not checked, if for something; the member "unchecked". */
void opevo_i_cli_unchecked_print(const opevo_evolver *evolver, opevo_text *out);
void opevo_i_cli_unchecked_json(const opevo_evolver *evolver, opevo_text *out);

/* ---- Held-out cases (held_out.c) ---- */

/* A variant of the search, and what became of it on other cases. */
typedef struct opevo_i_cli_variant {
    opevo_trial trial; /* of the search */
    opevo_text edits;
    opevo_evolved selection, final; /* status NULL: not evaluated */
} opevo_i_cli_variant;

/* What a search found. Error-free variants are ordered by their cost, cheapest first; of several of
 * one cost the first found is kept. The front is that of the criteria. */
typedef struct opevo_i_cli_found {
    opevo_i_cli_variant *exact, *rest; /* error-free ones; members of the front with an error */
    size_t exact_count, rest_count;
    double base[OPEVO_CASES_FINAL + 1]; /* cost of the base on each set */
    size_t best;                        /* of `exact`; exact_count: none */
    size_t overfitted;                  /* evaluated on other cases, and failed there */
} opevo_i_cli_found;

/* Fill in `base`, before a search that would be lost otherwise. Errors: INVALID if the kernel fails
 * on a set; those of the evolver. */
opevo_status opevo_i_cli_evaluate_base(opevo_evolver *evolver, opevo_i_cli_found *found,
                                       opevo_error *err);
/* Evaluate the variants on the other sets: `exact` until one passes both, and all of `rest`.
 * Errors: INTERRUPTED; those of the evolver. */
opevo_status opevo_i_cli_held_out(opevo_evolver *evolver, const opevo_interrupt *interrupt,
                                  opevo_i_cli_found *found, opevo_error *err);
/* Whether it passed both. */
bool opevo_i_cli_variant_holds(const opevo_i_cli_variant *variant);
void opevo_i_cli_found_free(opevo_i_cli_found *found);

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
    opevo_i_cli_found found;
} opevo_i_cli_evolution;

void opevo_i_cli_evolution_print_settings(const opevo_i_cli_evolution *self, opevo_text *out);
opevo_status opevo_i_cli_evolution_print(const opevo_i_cli_evolution *self, const char *store,
                                         opevo_text *out, opevo_error *err);
void opevo_i_cli_evolution_print_json(const opevo_i_cli_evolution *self, opevo_text *out);

/* ---- The verb edits ---- */

/* A list of edits with what its parts were found to cost. */
typedef struct opevo_i_cli_list {
    opevo_evolver *evolver;
    char *edits; /* canonical; owned */
    size_t count;
    opevo_evolved base, whole;
} opevo_i_cli_list;

enum {
    OPEVO_I_SUBSET_MOST = 10,    /* edits of which all subsets are evaluated */
    OPEVO_I_EXPLAINED_MOST = 200 /* edits of which all pairs are */
};

/* Reduce to a list of which no edit can be left out without a loss of more than `tolerance` of the
 * base's cost, or of results on any set of cases that the list passes (edits_minimise.c). */
opevo_status opevo_i_cli_edits_minimise(opevo_i_cli_list *list, double tolerance,
                                        size_t *evaluations, opevo_error *err);

/* What an edit does alone and left out, and each pair of them (edits_explain.c). */
typedef struct opevo_i_cli_explained {
    opevo_evolved *alone, *without; /* one for each edit */
    opevo_evolved *pairs;           /* of i < k at i * count + k */
    opevo_evolved *subsets;         /* by bit mask; NULL for more than OPEVO_I_SUBSET_MOST edits */
    char **lines;
} opevo_i_cli_explained;
opevo_status opevo_i_cli_edits_explain(opevo_i_cli_list *list, opevo_i_cli_explained *out,
                                       opevo_error *err);
void opevo_i_cli_explained_free(opevo_i_cli_list *list, opevo_i_cli_explained *explained);
/* Gain of a variant over the base, as a fraction of the base's cost; NAN if it fails. */
double opevo_i_cli_gain(const opevo_i_cli_list *list, const opevo_evolved *part);
/* gain(i, k) - gain(i) - gain(k), where a failure gains nothing; NAN if the pair fails. */
double opevo_i_cli_epistasis(const opevo_i_cli_list *list, const opevo_i_cli_explained *explained,
                             size_t i, size_t k);
/* Whether i alone fails, and does not together with k. */
bool opevo_i_cli_edit_needs(const opevo_i_cli_list *list, const opevo_i_cli_explained *explained,
                            size_t i, size_t k);
void opevo_i_cli_explained_print(const opevo_i_cli_list *list,
                                 const opevo_i_cli_explained *explained, opevo_text *out);
void opevo_i_cli_explained_json(const opevo_i_cli_list *list,
                                const opevo_i_cli_explained *explained, opevo_text *out);
/* The graph of dependencies and epistasis as SVG (edits_graph.c). */
void opevo_i_cli_edits_graph(const opevo_i_cli_list *list, const opevo_i_cli_explained *explained,
                             opevo_text *out);

#endif
