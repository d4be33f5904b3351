/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What each edit of a list is worth: alone, left out of the list, and in pairs; of short lists all
 * subsets. */

#include <opevo/edit_list.h>

#include <opevo/memory.h>

#include <math.h>
#include <string.h>

/* Lists to evaluate together, and where their results go. */
typedef struct batch {
    char **texts;
    opevo_evolved **places;
    size_t count, capacity, place_capacity;
    bool failed;
} batch;

static void add(batch *self, const opevo_edit_list *list, const bool *chosen, opevo_evolved *place)
{
    opevo_text text = {0};

    opevo_edit_select(list->edits, chosen, &text);
    self->failed = self->failed || text.failed ||
                   !opevo_reserve((void **)&self->texts, &self->capacity, self->count + 1,
                                  sizeof *self->texts) ||
                   !opevo_reserve((void **)&self->places, &self->place_capacity, self->count + 1,
                                  sizeof(void *));
    if (!self->failed) {
        self->texts[self->count] = opevo_strdup(opevo_text_string(&text));
        self->failed = !self->texts[self->count];
        self->places[self->count] = place;
        self->count += !self->failed;
    }
    opevo_text_free(&text);
}

static opevo_status evaluate(batch *self, opevo_edit_list *list, opevo_error *err)
{
    opevo_evolved *said = opevo_calloc(self->count + 1, sizeof *said);
    opevo_status status = OPEVO_OK;

    if (!said || self->failed)
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the parts of a list of edits.");
    if (status == OPEVO_OK)
        status = opevo_evolver_evaluate(list->evolver, (const char *const *)self->texts,
                                        self->count, OPEVO_CASES_SEARCH, NULL, said, err);
    for (size_t i = 0; i < self->count; i++) {
        if (status == OPEVO_OK)
            *self->places[i] = said[i];
        opevo_free(self->texts[i]);
    }
    opevo_free(said);
    opevo_free(self->texts);
    opevo_free(self->places);
    return status;
}

static void add_all(batch *parts, const opevo_edit_list *list, bool *chosen,
                    opevo_edits_explained *out)
{
    size_t count = list->count;

    for (size_t i = 0; i < count; i++) {
        memset(chosen, 0, count * sizeof *chosen);
        chosen[i] = true;
        add(parts, list, chosen, &out->alone[i]);
        for (size_t k = i + 1; k < count; k++) {
            chosen[k] = true;
            add(parts, list, chosen, &out->pairs[i * count + k]);
            chosen[k] = false;
        }
        memset(chosen, 1, count * sizeof *chosen);
        chosen[i] = false;
        add(parts, list, chosen, &out->without[i]);
    }
    for (size_t mask = 0; out->subsets && mask < (size_t)1 << count; mask++) {
        for (size_t i = 0; i < count; i++)
            chosen[i] = mask >> i & 1;
        add(parts, list, chosen, &out->subsets[mask]);
    }
}

opevo_status opevo_edit_list_explain(opevo_edit_list *list, opevo_edits_explained *out,
                                     opevo_error *err)
{
    size_t count = list->count;
    bool *chosen = opevo_calloc(count + 1, sizeof *chosen);
    bool by_subsets = count <= OPEVO_EDITS_SUBSETS_MOST;
    size_t lines = 0;
    batch parts = {.texts = NULL};
    opevo_status status = OPEVO_OK;

    if (count > OPEVO_EDITS_EXPLAINED_MOST) {
        status =
            OPEVO_FAIL(err, OPEVO_INVALID,
                       "The list has %zu edits, of which all pairs would be run; explain takes "
                       "at most %d: minimise it first.",
                       count, OPEVO_EDITS_EXPLAINED_MOST);
        goto cleanup;
    }
    out->alone = opevo_calloc(count + 1, sizeof *out->alone);
    out->without = opevo_calloc(count + 1, sizeof *out->without);
    out->pairs = opevo_calloc(count * count + 1, sizeof *out->pairs);
    if (by_subsets)
        out->subsets = opevo_calloc((size_t)1 << count, sizeof *out->subsets);
    OPEVO_NEED(chosen && out->alone && out->without && out->pairs && (out->subsets || !by_subsets),
               "the parts of a list of edits");
    OPEVO_TRY(opevo_evolver_describe(list->evolver, list->edits, &out->lines, &lines, err));
    if (lines != count) {
        status = OPEVO_FAIL(err, OPEVO_FAULT, "A worker describes %zu edits of %zu.", lines, count);
        goto cleanup;
    }
    add_all(&parts, list, chosen, out);
    OPEVO_TRY(evaluate(&parts, list, err));
cleanup:
    opevo_free(chosen);
    return status;
}

static void free_all(opevo_evolved *items, size_t count)
{
    for (size_t i = 0; items && i < count; i++)
        opevo_evolved_free(&items[i]);
    opevo_free(items);
}

void opevo_edits_explained_free(opevo_edit_list *list, opevo_edits_explained *explained)
{
    free_all(explained->alone, list->count);
    free_all(explained->without, list->count);
    free_all(explained->pairs, list->count * list->count);
    free_all(explained->subsets, explained->subsets ? (size_t)1 << list->count : 0);
    for (size_t i = 0; explained->lines && i < list->count; i++)
        opevo_free(explained->lines[i]);
    opevo_free(explained->lines);
}

/* ---- Values ---------------------------------------------------------------------------------- */

double opevo_edits_gain(const opevo_edit_list *list, const opevo_evolved *part)
{
    if (part->kind != OPEVO_OUTCOME_OK)
        return NAN;
    return (list->base.cost - part->cost) / list->base.cost;
}

static double gain_or_0(const opevo_edit_list *list, const opevo_evolved *part)
{
    double gain = opevo_edits_gain(list, part);

    return isnan(gain) ? 0 : gain;
}

double opevo_edits_epistasis(const opevo_edit_list *list, const opevo_edits_explained *explained,
                             size_t i, size_t k)
{
    size_t low = i < k ? i : k;
    size_t high = i < k ? k : i;
    double together = opevo_edits_gain(list, &explained->pairs[low * list->count + high]);

    return together - gain_or_0(list, &explained->alone[i]) - gain_or_0(list, &explained->alone[k]);
}

bool opevo_edits_needs(const opevo_edit_list *list, const opevo_edits_explained *explained,
                       size_t i, size_t k)
{
    size_t low = i < k ? i : k;
    size_t high = i < k ? k : i;

    return i != k && explained->alone[i].kind != OPEVO_OUTCOME_OK &&
           explained->pairs[low * list->count + high].kind == OPEVO_OUTCOME_OK;
}
