/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Minimisation: as long as some edit can be left out, leave out the one without which the variant is
 * cheapest. All of a round are evaluated together. The result is 1-minimal: no single edit can be
 * left out, though several together might. */

#include "evolve_internal.h"

#include <opevo/memory.h>

#include <string.h>

bool opevo_i_list_suffices(const opevo_i_list *list, const opevo_evolved *part, double most)
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

/* Leave out one edit; *changed says whether that was possible. */
static opevo_status leave_one_out(opevo_i_list *list, double most, bool *changed, opevo_error *err)
{
    char **parts = make_parts(list->edits, list->count);
    opevo_evolved *said = opevo_calloc(list->count + 1, sizeof *said);
    size_t best = list->count;
    opevo_status status = OPEVO_OK;
    bool whole = parts && said;

    for (size_t i = 0; whole && i < list->count; i++)
        whole = parts[i] != NULL;
    if (!whole) {
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for %zu lists of edits.", list->count);
        goto cleanup;
    }
    OPEVO_TRY(opevo_evolver_evaluate(list->evolver, (const char *const *)parts, list->count,
                                     OPEVO_CASES_SEARCH, NULL, said, err));
    for (size_t i = 0; i < list->count; i++) {
        if (opevo_i_list_suffices(list, &said[i], most) &&
            (best == list->count || said[i].cost < said[best].cost))
            best = i;
    }
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

opevo_status opevo_i_edits_minimise(opevo_i_list *list, double tolerance, size_t *evaluations,
                                    opevo_error *err)
{
    double most = list->whole.cost + tolerance * list->base.cost;
    opevo_status status = OPEVO_OK;
    bool changed = true;

    *evaluations = 0;
    while (status == OPEVO_OK && changed && list->count > 0) {
        *evaluations += list->count;
        changed = false;
        status = leave_one_out(list, most, &changed, err);
    }
    return status;
}
