/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a list of edits is worth: reduced to what it needs, explained edit by edit, and validated on
 * cases that the search did not see. */

#ifndef OPEVO_EDIT_LIST_H
#define OPEVO_EDIT_LIST_H

#include <opevo/evolver.h>
#include <opevo/tuner.h>

OPEVO_BEGIN_C

/* ---- A list ---- */

/* A plain value: start from {0}, and free it. */
typedef struct opevo_edit_list {
    opevo_evolver *evolver; /* outlives it */
    char *edits;            /* canonical; owned */
    size_t count;
    opevo_evolved base, whole; /* on the search cases, once it is evaluated */
} opevo_edit_list;

/* Errors: INVALID for a malformed list; those of the evolver; NOMEM. */
opevo_status opevo_edit_list_read(opevo_evolver *evolver, const char *text, opevo_edit_list *out,
                                  opevo_error *err);
/* The base and the list on the search cases. Errors: INVALID if the list fails there; those of the
 * evolver. */
opevo_status opevo_edit_list_evaluate(opevo_edit_list *list, opevo_error *err);
void opevo_edit_list_free(opevo_edit_list *list);

/* Reduce an evaluated list to one of which no edit can be left out without a loss of more than
 * `tolerance` of the base's cost against the whole list, a larger error, or a failure or larger
 * error on the selection or final cases that the whole list passes. Of several edits that can go,
 * the one without which the variant is cheapest goes first. The result is 1-minimal: several edits
 * together might still be left out.
 *
 *   evaluations  gets how many there were
 *
 * Errors: those of the evolver; NOMEM. Cost: at most count (count + 1) / 2 evaluations on the
 * search cases, and those on the others. */
opevo_status opevo_edit_list_minimise(opevo_edit_list *list, double tolerance, size_t *evaluations,
                                      opevo_error *err);

/* ---- What each edit does ---- */

enum {
    OPEVO_EDITS_SUBSETS_MOST = 10,   /* edits of which all subsets are evaluated */
    OPEVO_EDITS_EXPLAINED_MOST = 200 /* edits of which all pairs are */
};

/* What an edit does alone and left out, and each pair of them, on the search cases. A plain value:
 * start from {0}. */
typedef struct opevo_edits_explained {
    opevo_evolved *alone, *without; /* one for each edit */
    opevo_evolved *pairs;           /* of i < k at i * count + k */
    opevo_evolved *subsets; /* by bit mask; NULL for more than OPEVO_EDITS_SUBSETS_MOST edits */
    char **lines;           /* as opevo_evolver_describe has them */
} opevo_edits_explained;

/* What is there is to be freed, also on failure. Errors: INVALID for more than
 * OPEVO_EDITS_EXPLAINED_MOST edits; those of the evolver; NOMEM. Cost: 2 count + count (count - 1)
 * / 2 evaluations, and 2^count where all subsets are. */
opevo_status opevo_edit_list_explain(opevo_edit_list *list, opevo_edits_explained *out,
                                     opevo_error *err);
void opevo_edits_explained_free(opevo_edit_list *list, opevo_edits_explained *explained);

/* (base - part) / base of the costs: the gain of a variant over the base; NAN if it fails. */
double opevo_edits_gain(const opevo_edit_list *list, const opevo_evolved *part);
/* gain(i, k) - gain(i) - gain(k), where a single edit that fails gains nothing; NAN if the pair
 * fails. */
double opevo_edits_epistasis(const opevo_edit_list *list, const opevo_edits_explained *explained,
                             size_t i, size_t k);
/* Whether i alone fails, and does not together with k. */
bool opevo_edits_needs(const opevo_edit_list *list, const opevo_edits_explained *explained,
                       size_t i, size_t k);
/* Append the graph of needs and epistasis as SVG. */
void opevo_edits_graph(const opevo_edit_list *list, const opevo_edits_explained *explained,
                       opevo_text *out);

/* ---- Held-out cases ---- */

/* A variant of a search, and what became of it on other cases. */
typedef struct opevo_found_variant {
    opevo_trial trial; /* of the search */
    opevo_text edits;
    opevo_evolved selection, final; /* status NULL: not evaluated */
} opevo_found_variant;

/* What a search found. Error-free variants are ordered by their cost, cheapest first; of several of
 * one cost the first found is kept. A plain value: start from {0}. */
typedef struct opevo_found {
    opevo_found_variant *exact, *rest; /* error-free ones; members of the front with an error */
    size_t exact_count, rest_count;
    double base[OPEVO_CASES_FINAL + 1]; /* cost of the base on each set */
    size_t best;                        /* of `exact`; exact_count: none */
    size_t overfitted;                  /* refuted, or evaluated on other cases and failed there */
    size_t refuted;                     /* by the judge */
} opevo_found;

/* What is asked of each variant before it is tried on other cases: whether it computes something
 * else than the kernel. Those without an error are then left out. */
typedef struct opevo_found_judge {
    opevo_status (*ask)(void *context, const opevo_found_variant *variant, bool *refuted,
                        opevo_error *err);
    void *context;
} opevo_found_judge;

/* Fill in `base`, before a search that would be lost otherwise. Errors: INVALID if the kernel fails
 * on a set; those of the evolver. */
opevo_status opevo_found_evaluate_base(opevo_evolver *evolver, opevo_found *found,
                                       opevo_error *err);
/* Ask the judge, if there is one, and evaluate the variants on the selection cases and, where they
 * pass, on the final ones: `exact` until one is not refuted and passes both without an error, which
 * is then the best, and all of `rest`. Errors: INTERRUPTED; those of the evolver and of the judge.
 */
opevo_status opevo_found_held_out(opevo_evolver *evolver, const opevo_interrupt *interrupt,
                                  const opevo_found_judge *judge, opevo_found *found,
                                  opevo_error *err);
/* Whether it passed both. */
bool opevo_found_variant_holds(const opevo_found_variant *variant);
void opevo_found_free(opevo_found *found);

OPEVO_END_C

#endif
