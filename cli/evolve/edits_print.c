/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What each edit of a list is worth, as text and as JSON; and what variants are not checked for. */

#include "evolve_internal.h"
#include "terminal_internal.h"

#include <opevo/json.h>
#include <opevo/objective.h>

#include <math.h>
#include <unistd.h>

void opevo_i_cli_unchecked_print(const opevo_evolver *evolver, opevo_text *out)
{
    const char *unchecked = opevo_evolver_facts_of(evolver)->unchecked;

    if (*unchecked)
        opevo_text_printf(out, "variants are not checked for %s\n", unchecked);
}

void opevo_i_cli_unchecked_json(const opevo_evolver *evolver, opevo_text *out)
{
    opevo_json_string(out, "unchecked", opevo_evolver_facts_of(evolver)->unchecked);
}

/* The gain in percent of the base's cost, or the status of a part that failed. */
static void add_gain(const opevo_edit_list *list, const opevo_evolved *part, opevo_table *table)
{
    if (part->kind == OPEVO_OUTCOME_OK)
        opevo_i_cli_table_cell(table, "%+.2f %%", 100 * opevo_edits_gain(list, part));
    else
        opevo_i_cli_table_cell(table, "%s", part->status);
}

static void print_edits(const opevo_edit_list *list, const opevo_edits_explained *explained,
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

void opevo_i_cli_explained_print(const opevo_edit_list *list,
                                 const opevo_edits_explained *explained, opevo_text *out)
{
    opevo_i_cli_unchecked_print(list->evolver, out);
    opevo_text_printf(out, "%zu edit%s %.2f %% of the base cost%s\n", list->count,
                      list->count == 1 ? " gains" : "s gain",
                      100 * opevo_edits_gain(list, &list->whole),
                      list->count == 1 ? "" : " together");
    print_edits(list, explained, out);
    for (size_t i = 0; i < list->count; i++) {
        for (size_t k = 0; k < list->count; k++) {
            if (opevo_edits_needs(list, explained, i, k))
                opevo_text_printf(out, "edit %zu fails alone and not with edit %zu\n", i + 1,
                                  k + 1);
        }
    }
    for (size_t i = 0; i < list->count; i++) {
        for (size_t k = i + 1; k < list->count; k++) {
            double epistasis = opevo_edits_epistasis(list, explained, i, k);

            if (fabs(epistasis) >= 0.0005)
                opevo_text_printf(out, "edits %zu and %zu: epistasis %+.2f %%\n", i + 1, k + 1,
                                  100 * epistasis);
        }
    }
}

static void json_evolved(const opevo_edit_list *list, const char *key, const opevo_evolved *said,
                         opevo_text *out)
{
    opevo_json_open(out, key, "{");
    opevo_json_string(out, "status", said->status);
    opevo_json_double(out, "gain", opevo_edits_gain(list, said));
    opevo_json_double(out, "error", said->error);
    opevo_text_add(out, "}");
}

static void json_pairs(const opevo_edit_list *list, const opevo_edits_explained *explained,
                       opevo_text *out)
{
    opevo_json_open(out, "pairs", "[");
    for (size_t i = 0; i < list->count; i++) {
        for (size_t k = i + 1; k < list->count; k++) {
            opevo_json_open_next(out, "\n  ", "{");
            opevo_json_index(out, "first", i + 1);
            opevo_json_index(out, "second", k + 1);
            json_evolved(list, "together", &explained->pairs[i * list->count + k], out);
            opevo_json_double(out, "epistasis", opevo_edits_epistasis(list, explained, i, k));
            opevo_json_bool(out, "first_needs_second", opevo_edits_needs(list, explained, i, k));
            opevo_json_bool(out, "second_needs_first", opevo_edits_needs(list, explained, k, i));
            opevo_text_add(out, "}");
        }
    }
    opevo_text_add(out, "]");
}

/* Gains in the order of the masks: bit i is edit i + 1. */
static void json_subsets(const opevo_edit_list *list, const opevo_edits_explained *explained,
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
        opevo_text_add_double(out, opevo_edits_gain(list, &explained->subsets[mask]));
    }
    opevo_text_add(out, "]");
}

void opevo_i_cli_explained_json(const opevo_edit_list *list, const opevo_edits_explained *explained,
                                opevo_text *out)
{
    opevo_text_add(out, "{");
    opevo_json_string(out, "edits", list->edits);
    opevo_i_cli_unchecked_json(list->evolver, out);
    json_evolved(list, "whole", &list->whole, out);
    opevo_json_open(out, "list", "[");
    for (size_t i = 0; i < list->count; i++) {
        opevo_json_open_next(out, "\n  ", "{");
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
