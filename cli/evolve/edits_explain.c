/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What each edit of a list is worth: alone, left out of the list, and in pairs; of short lists all
 * subsets. */

#include "evolve_internal.h"

#include <opevo/memory.h>

#include <math.h>
#include <string.h>
#include <unistd.h>

/* Lists to evaluate together, and where their results go. */
typedef struct batch {
    char **texts;
    opevo_evolved **places;
    size_t count, capacity, place_capacity;
    bool failed;
} batch;

static void add(batch *self, const opevo_i_cli_list *list, const bool *chosen, opevo_evolved *place)
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

static opevo_status evaluate(batch *self, opevo_i_cli_list *list, opevo_error *err)
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

static void add_all(batch *parts, const opevo_i_cli_list *list, bool *chosen,
                    opevo_i_cli_explained *out)
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

opevo_status opevo_i_cli_edits_explain(opevo_i_cli_list *list, opevo_i_cli_explained *out,
                                       opevo_error *err)
{
    size_t count = list->count;
    bool *chosen = opevo_calloc(count + 1, sizeof *chosen);
    bool by_subsets = count <= OPEVO_I_SUBSET_MOST;
    size_t lines = 0;
    batch parts = {.texts = NULL};
    opevo_status status = OPEVO_OK;

    if (count > OPEVO_I_EXPLAINED_MOST) {
        status =
            OPEVO_FAIL(err, OPEVO_INVALID,
                       "The list has %zu edits, of which all pairs would be run; explain takes "
                       "at most %d: minimise it first.",
                       count, OPEVO_I_EXPLAINED_MOST);
        goto cleanup;
    }
    out->alone = opevo_calloc(count + 1, sizeof *out->alone);
    out->without = opevo_calloc(count + 1, sizeof *out->without);
    out->pairs = opevo_calloc(count * count + 1, sizeof *out->pairs);
    if (by_subsets)
        out->subsets = opevo_calloc((size_t)1 << count, sizeof *out->subsets);
    if (!chosen || !out->alone || !out->without || !out->pairs || (by_subsets && !out->subsets)) {
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the parts of a list of edits.");
        goto cleanup;
    }
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

void opevo_i_cli_explained_free(opevo_i_cli_list *list, opevo_i_cli_explained *explained)
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

double opevo_i_cli_gain(const opevo_i_cli_list *list, const opevo_evolved *part)
{
    if (part->kind != OPEVO_OUTCOME_OK)
        return NAN;
    return (list->base.cost - part->cost) / list->base.cost;
}

static double gain_or_0(const opevo_i_cli_list *list, const opevo_evolved *part)
{
    double gain = opevo_i_cli_gain(list, part);

    return isnan(gain) ? 0 : gain;
}

double opevo_i_cli_epistasis(const opevo_i_cli_list *list, const opevo_i_cli_explained *explained,
                             size_t i, size_t k)
{
    size_t low = i < k ? i : k;
    size_t high = i < k ? k : i;
    double together = opevo_i_cli_gain(list, &explained->pairs[low * list->count + high]);

    return together - gain_or_0(list, &explained->alone[i]) - gain_or_0(list, &explained->alone[k]);
}

bool opevo_i_cli_edit_needs(const opevo_i_cli_list *list, const opevo_i_cli_explained *explained,
                            size_t i, size_t k)
{
    size_t low = i < k ? i : k;
    size_t high = i < k ? k : i;

    return i != k && explained->alone[i].kind != OPEVO_OUTCOME_OK &&
           explained->pairs[low * list->count + high].kind == OPEVO_OUTCOME_OK;
}

/* ---- Printing -------------------------------------------------------------------------------- */

/* The gain in percent of the base's cost, or why there is none. */
static void add_gain(const opevo_i_cli_list *list, const opevo_evolved *part, opevo_table *table)
{
    if (part->kind == OPEVO_OUTCOME_OK)
        opevo_i_cli_table_cell(table, "%+.2f %%", 100 * opevo_i_cli_gain(list, part));
    else
        opevo_i_cli_table_cell(table, "%s", part->status);
}

static void print_edits(const opevo_i_cli_list *list, const opevo_i_cli_explained *explained,
                        opevo_text *out)
{
    static const char *const heads[] = {"edit", "alone", "list without it", "<text"};
    opevo_table table = {.heads = heads, .columns = 4, .below = 1};

    for (size_t i = 0; i < list->count; i++) {
        opevo_i_cli_table_cell(&table, "%zu", i + 1);
        add_gain(list, &explained->alone[i], &table);
        add_gain(list, &explained->without[i], &table);
        opevo_i_cli_table_cell(&table, "%s", explained->lines[i]);
    }
    out->failed = opevo_i_cli_table_print(&table, opevo_i_cli_terminal_width(STDOUT_FILENO), out,
                                          NULL) != OPEVO_OK ||
                  out->failed;
}

void opevo_i_cli_explained_print(const opevo_i_cli_list *list,
                                 const opevo_i_cli_explained *explained, opevo_text *out)
{
    opevo_i_cli_unchecked_print(list->evolver, out);
    opevo_text_printf(out, "%zu edit%s %.2f %% of the base cost%s\n", list->count,
                      list->count == 1 ? " gains" : "s gain",
                      100 * opevo_i_cli_gain(list, &list->whole),
                      list->count == 1 ? "" : " together");
    print_edits(list, explained, out);
    for (size_t i = 0; i < list->count; i++) {
        for (size_t k = 0; k < list->count; k++) {
            if (opevo_i_cli_edit_needs(list, explained, i, k))
                opevo_text_printf(out, "edit %zu fails alone and not with edit %zu\n", i + 1,
                                  k + 1);
        }
    }
    for (size_t i = 0; i < list->count; i++) {
        for (size_t k = i + 1; k < list->count; k++) {
            double epistasis = opevo_i_cli_epistasis(list, explained, i, k);

            if (fabs(epistasis) >= 0.0005)
                opevo_text_printf(out, "edits %zu and %zu: epistasis %+.2f %%\n", i + 1, k + 1,
                                  100 * epistasis);
        }
    }
}

static void json_evolved(const opevo_i_cli_list *list, const char *key, const opevo_evolved *said,
                         opevo_text *out)
{
    opevo_json_key(out, key);
    opevo_text_add(out, "{");
    opevo_json_string(out, "status", said->status);
    opevo_json_double(out, "gain", opevo_i_cli_gain(list, said));
    opevo_json_double(out, "error", said->error);
    opevo_text_add(out, "}");
}

static void json_pairs(const opevo_i_cli_list *list, const opevo_i_cli_explained *explained,
                       opevo_text *out)
{
    opevo_json_key(out, "pairs");
    opevo_text_add(out, "[");
    for (size_t i = 0; i < list->count; i++) {
        for (size_t k = i + 1; k < list->count; k++) {
            opevo_json_next(out, "\n  ");
            opevo_text_add(out, "{");
            opevo_json_index(out, "first", i + 1);
            opevo_json_index(out, "second", k + 1);
            json_evolved(list, "together", &explained->pairs[i * list->count + k], out);
            opevo_json_double(out, "epistasis", opevo_i_cli_epistasis(list, explained, i, k));
            opevo_json_bool(out, "first_needs_second",
                            opevo_i_cli_edit_needs(list, explained, i, k));
            opevo_json_bool(out, "second_needs_first",
                            opevo_i_cli_edit_needs(list, explained, k, i));
            opevo_text_add(out, "}");
        }
    }
    opevo_text_add(out, "]");
}

/* Gains in the order of the masks: bit i is edit i + 1. */
static void json_subsets(const opevo_i_cli_list *list, const opevo_i_cli_explained *explained,
                         opevo_text *out)
{
    opevo_json_key(out, "subset_gains");
    if (!explained->subsets) {
        opevo_text_add(out, "null");
        return;
    }
    opevo_text_add(out, "[");
    for (size_t mask = 0; mask < (size_t)1 << list->count; mask++) {
        opevo_json_next(out, " ");
        opevo_text_add_double(out, opevo_i_cli_gain(list, &explained->subsets[mask]));
    }
    opevo_text_add(out, "]");
}

void opevo_i_cli_explained_json(const opevo_i_cli_list *list,
                                const opevo_i_cli_explained *explained, opevo_text *out)
{
    opevo_text_add(out, "{");
    opevo_json_string(out, "edits", list->edits);
    opevo_i_cli_unchecked_json(list->evolver, out);
    json_evolved(list, "whole", &list->whole, out);
    opevo_json_key(out, "list");
    opevo_text_add(out, "[");
    for (size_t i = 0; i < list->count; i++) {
        opevo_json_next(out, "\n  ");
        opevo_text_add(out, "{");
        opevo_json_string(out, "edit", explained->lines[i]);
        json_evolved(list, "alone", &explained->alone[i], out);
        json_evolved(list, "without", &explained->without[i], out);
        opevo_text_add(out, "}");
    }
    opevo_text_add(out, "]");
    json_pairs(list, explained, out);
    json_subsets(list, explained, out);
    opevo_text_add(out, "}\n");
}
