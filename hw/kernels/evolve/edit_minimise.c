/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Minimisation: as long as some edit can be left out, leave out the one without which the variant
 * is cheapest on the search cases. All of a round are evaluated together there, and the cheapest
 * then on the held-out cases, as far as the whole list passes these: an edit that no search case
 * needs may be needed by another. The result is 1-minimal: no single edit can be left out, though
 * several together might. */

#include <opevo/edit_list.h>

#include <opevo/memory.h>

#include <string.h>

/* Whether the variant is ok, no worse in error, and costs no more than `most`. */
static bool suffices(const opevo_edit_list *list, const opevo_evolved *part, double most)
{
    return part->kind == OPEVO_OUTCOME_OK && part->cost <= most &&
           !(part->error > list->whole.error);
}

/* The lists of which each lacks one edit; the caller's. NULL without memory. */
static char **make_parts(const char *edits, size_t count)
{
    char **parts = opevo_calloc(count + 1, sizeof *parts);
    bool *chosen = opevo_malloc(count + 1, sizeof *chosen);

    for (size_t i = 0; parts && chosen && i < count; i++) {
        opevo_text text = {0};

        memset(chosen, 1, count * sizeof *chosen);
        chosen[i] = false;
        opevo_edit_select(edits, chosen, &text);
        parts[i] = text.failed ? NULL : opevo_strdup(opevo_text_string(&text));
        opevo_text_free(&text);
    }
    opevo_free(chosen);
    return parts;
}

static void free_parts(char **parts, size_t count)
{
    for (size_t i = 0; parts && i < count; i++)
        opevo_free(parts[i]);
    opevo_free(parts);
}

/* The whole list on the held-out cases. */
typedef struct held_out {
    opevo_evolved whole[OPEVO_CASES_FINAL + 1]; /* the first is unused */
    size_t *evaluations;
} held_out;

/* Whether the part passes the held-out cases that the whole list passes, with no larger error. */
static opevo_status try_held_out(const opevo_edit_list *list, const held_out *held,
                                 const char *part, bool *holds, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    *holds = true;
    for (opevo_cases set = OPEVO_CASES_SELECTION; set <= OPEVO_CASES_FINAL && *holds; set++) {
        const opevo_evolved *whole = &held->whole[set];
        opevo_evolved said;

        if (whole->kind != OPEVO_OUTCOME_OK)
            continue;
        OPEVO_TRY(opevo_evolver_evaluate(list->evolver, &part, 1, set, NULL, &said, err));
        ++*held->evaluations;
        *holds = said.kind == OPEVO_OUTCOME_OK && !(said.error > whole->error);
        opevo_evolved_free(&said);
    }
cleanup:
    return status;
}

/* The cheapest part that may take the list's place; `count` if there is no such part. Parts that
 * fail are added to the failures. */
static opevo_status choose(const opevo_edit_list *list, const held_out *held, char *const *parts,
                           opevo_evolved *said, double most, size_t *best, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    bool holds = false;

    do {
        *best = list->count;
        for (size_t i = 0; i < list->count; i++) {
            if (suffices(list, &said[i], most) &&
                (*best == list->count || said[i].cost < said[*best].cost))
                *best = i;
        }
        if (*best == list->count)
            break;
        OPEVO_TRY(try_held_out(list, held, parts[*best], &holds, err));
        if (!holds)
            said[*best].kind = OPEVO_OUTCOME_WRONG;
    } while (!holds);
cleanup:
    return status;
}

/* Leave out one edit; *changed says whether that was possible. */
static opevo_status leave_one_out(opevo_edit_list *list, const held_out *held, double most,
                                  bool *changed, opevo_error *err)
{
    char **parts = make_parts(list->edits, list->count);
    opevo_evolved *said = opevo_calloc(list->count + 1, sizeof *said);
    size_t best = list->count;
    opevo_status status = OPEVO_OK;
    bool whole = parts && said;

    for (size_t i = 0; whole && i < list->count; i++)
        whole = parts[i] != NULL;
    OPEVO_NEED(whole, "%zu lists of edits", list->count);
    OPEVO_TRY(opevo_evolver_evaluate(list->evolver, (const char *const *)parts, list->count,
                                     OPEVO_CASES_SEARCH, NULL, said, err));
    *held->evaluations += list->count;
    OPEVO_TRY(choose(list, held, parts, said, most, &best, err));
    *changed = best < list->count;
    if (*changed) {
        opevo_free(list->edits);
        list->edits = parts[best];
        parts[best] = NULL;
    }
cleanup:
    free_parts(parts, list->count);
    for (size_t i = 0; said && i < list->count; i++)
        opevo_evolved_free(&said[i]);
    opevo_free(said);
    list->count -= status == OPEVO_OK && *changed;
    return status;
}

opevo_status opevo_edit_list_minimise(opevo_edit_list *list, double tolerance, size_t *evaluations,
                                      opevo_error *err)
{
    double most = list->whole.cost + tolerance * list->base.cost;
    const char *edits = list->edits;
    held_out held = {.evaluations = evaluations};
    opevo_status status = OPEVO_OK;
    bool changed = true;

    *evaluations = 0;
    for (opevo_cases set = OPEVO_CASES_SELECTION; set <= OPEVO_CASES_FINAL; set++) {
        OPEVO_TRY(
            opevo_evolver_evaluate(list->evolver, &edits, 1, set, NULL, &held.whole[set], err));
        ++*evaluations;
    }
    while (changed && list->count > 0) {
        changed = false;
        OPEVO_TRY(leave_one_out(list, &held, most, &changed, err));
    }
cleanup:
    for (opevo_cases set = OPEVO_CASES_SELECTION; set <= OPEVO_CASES_FINAL; set++)
        opevo_evolved_free(&held.whole[set]);
    return status;
}
