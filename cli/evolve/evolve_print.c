/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the verb evolve prints. */

#include "criteria_of_call_internal.h"
#include "evolve_internal.h"
#include "measured_internal.h"
#include "style_internal.h"
#include "terminal_internal.h"

#include <opevo/json.h>
#include <opevo/run.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void opevo_i_cli_evolution_print_settings(const opevo_i_cli_evolution *self, opevo_text *out)
{
    const opevo_evolver_facts *facts = opevo_evolver_facts_of(self->evolver);

    opevo_text_add_visible(out, self->objective->name);
    opevo_text_printf(out, ": %llu instructions, base cost %.8g %s on %zu search cases; LLVM %s\n",
                      (unsigned long long)facts->instruction_count, facts->base_cost, facts->unit,
                      facts->search_cases, facts->llvm);
    opevo_text_printf(out, "tuner %s%s%s; seed %llu; at most %llu trials; criteria ",
                      self->run.tuner->name, self->settings_text.length ? " " : "",
                      opevo_text_string(&self->settings_text), (unsigned long long)self->run.seed,
                      (unsigned long long)self->run.budget.trials);
    opevo_i_cli_criteria_show(self->criteria_words, out);
    if (!self->run.tuner->by_criteria)
        opevo_text_add(out, " (the tuner searches by the time)");
    for (size_t i = 0; i < self->run.requirement_count; i++) {
        opevo_text_add(out, i ? ", " : "; requires ");
        opevo_requirement_print(&self->requirements[i], out);
    }
    opevo_text_printf(out, "%s%s\n", self->with.length ? "; with" : "",
                      opevo_text_string(&self->with));
    opevo_i_cli_unchecked_print(self->evolver, out);
}

/* Cost on a set as a fraction of that of the base, or why it failed there. */
static void add_held_out(const opevo_found *found, const opevo_evolved *said, opevo_cases set,
                         opevo_table *table)
{
    if (!said->status)
        opevo_i_cli_table_cell(table, "-");
    else if (said->kind == OPEVO_OUTCOME_OK)
        opevo_i_cli_table_cell(table, "%.4f", said->cost / found->base[set]);
    else
        opevo_i_cli_table_cell(table, "%s", said->status);
}

/* Over all sets of cases on which it was tried. */
static double worst_error(const opevo_found_variant *variant)
{
    return fmax(variant->trial.outcome.more[0],
                fmax(variant->selection.status ? variant->selection.error : 0,
                     variant->final.status ? variant->final.error : 0));
}

static void add_row(const opevo_i_cli_evolution *self, const opevo_found_variant *variant,
                    opevo_table *table)
{
    const opevo_found *found = &self->found;
    const char *verdict = opevo_i_cli_evolution_verdict(self, variant);

    opevo_i_cli_table_cell(table, "%llu", (unsigned long long)variant->trial.number);
    opevo_i_cli_table_cell(table, "%.4f", 1 / variant->trial.outcome.fitness);
    add_held_out(found, &variant->selection, OPEVO_CASES_SELECTION, table);
    add_held_out(found, &variant->final, OPEVO_CASES_FINAL, table);
    opevo_i_cli_table_cell(table, "%.3g", variant->trial.outcome.more[0]);
    opevo_i_cli_table_cell(table, "%.3g", worst_error(variant));
    opevo_i_cli_table_cell(table, "%s", *verdict ? verdict : "-");
    opevo_i_cli_table_cell(table, "%zu", opevo_edit_count(opevo_text_string(&variant->edits)));
}

static opevo_status print_table(const opevo_i_cli_evolution *self, opevo_text *out,
                                opevo_error *err)
{
    static const char *const heads[] = {"trial", "search",         "selection", "final",
                                        "error", "held-out error", "equal",     "edits"};
    const opevo_found *found = &self->found;
    opevo_table table = {.heads = heads, .columns = sizeof heads / sizeof *heads};

    for (size_t i = 0; i < found->exact_count; i++) {
        if (i <= found->best)
            add_row(self, &found->exact[i], &table);
    }
    for (size_t i = 0; i < found->rest_count; i++)
        add_row(self, &found->rest[i], &table);
    return opevo_i_cli_table_print(&table, opevo_i_cli_terminal_width(STDOUT_FILENO), out, err);
}

/* Why the variants of the table are not proved to be the same function; proofs are of the sizes of
 * all cases, and of all contents. */
static void print_proofs(const opevo_i_cli_evolution *self, opevo_text *out)
{
    const opevo_found *found = &self->found;

    for (size_t i = 0; i < found->exact_count + found->rest_count; i++) {
        const opevo_found_variant *one =
            i < found->exact_count ? &found->exact[i] : &found->rest[i - found->exact_count];
        const char *verdict = opevo_i_cli_evolution_verdict(self, one);

        if (!*verdict || strcmp(verdict, "proved") == 0)
            continue;
        opevo_text_printf(out, "trial %llu is %s", (unsigned long long)one->trial.number, verdict);
        opevo_i_cli_evolution_reason(self, one, out);
        opevo_text_add(out, "\n");
    }
}

static void print_best(const opevo_i_cli_evolution *self, opevo_text *out)
{
    const opevo_found *found = &self->found;
    const opevo_found_variant *best = &found->exact[found->best];
    char text[64];
    size_t edits = 0;

    if (found->best == found->exact_count) {
        opevo_text_add(out, "no error-free variant passes the held-out cases\n");
        return;
    }
    snprintf(text, sizeof text, "best error-free variant: %.4f of the base cost",
             1 / best->trial.outcome.fitness);
    opevo_i_cli_text_add_styled(out, STDOUT_FILENO, OPEVO_STYLE_STRONG, text);
    edits = opevo_edit_count(opevo_text_string(&best->edits));
    opevo_text_printf(out, ", trial %llu, %zu edit%s%s\n%s\n",
                      (unsigned long long)best->trial.number, edits, opevo_i_cli_plural(edits),
                      strcmp(opevo_i_cli_evolution_verdict(self, best), "proved") == 0
                          ? ", proved to be the same function"
                          : "",
                      opevo_text_string(&best->edits));
}

/* The cheapest variant within the tolerance that is not error-free, where it costs less. */
static void print_approximation(const opevo_found *found, opevo_text *out)
{
    const opevo_found_variant *best = NULL;
    double most =
        found->best < found->exact_count ? found->exact[found->best].trial.outcome.fitness : 0;

    for (size_t i = 0; i < found->rest_count; i++) {
        const opevo_found_variant *one = &found->rest[i];

        if (!opevo_found_variant_holds(one) || one->trial.outcome.fitness <= most)
            continue;
        most = one->trial.outcome.fitness;
        best = one;
    }
    if (!best)
        return;
    opevo_text_printf(out,
                      "cheapest with an error: %.4f of the base cost, error %.3g, trial %llu\n%s\n",
                      1 / most, worst_error(best), (unsigned long long)best->trial.number,
                      opevo_text_string(&best->edits));
}

opevo_status opevo_i_cli_evolution_print(const opevo_i_cli_evolution *self, const char *store,
                                         opevo_text *out, opevo_error *err)
{
    const opevo_run_result *result = &self->result;
    const opevo_evolver_counts known = opevo_evolver_count(self->evolver);
    opevo_status status = OPEVO_OK;

    opevo_text_printf(out, "%llu trials, %llu failed", (unsigned long long)result->trials,
                      (unsigned long long)result->failed);
    if (result->resumed)
        opevo_text_printf(out, ", %llu taken from %s", (unsigned long long)result->resumed, store);
    opevo_text_printf(out, "; stopped by: %s\n",
                      result->stop == OPEVO_STOP_SEARCH_OVER && result->reason
                          ? result->reason
                          : opevo_stop_name(result->stop));
    opevo_i_cli_reasons_print(&self->reasons, out);
    if (known.modules + known.objects)
        opevo_text_printf(
            out,
            "%llu of %llu results were known: %llu by the module, %llu by its machine "
            "code\n",
            (unsigned long long)known.modules + known.objects, (unsigned long long)known.run,
            (unsigned long long)known.modules, (unsigned long long)known.objects);
    if (!self->found.exact) {
        opevo_text_add(out, store ? "interrupted; the same command continues\n"
                                  : "interrupted; without --store the same command starts over\n");
        return OPEVO_OK;
    }
    if (self->found.exact_count + self->found.rest_count) {
        opevo_text_add(out, "front, cost as a fraction of the base on each set of cases:\n");
        OPEVO_TRY(print_table(self, out, err));
    }
    if (self->found.overfitted)
        opevo_text_printf(out, "%zu variant%s on held-out cases\n", self->found.overfitted,
                          self->found.overfitted == 1 ? " overfits: it is refuted, or fails"
                                                      : "s overfit: they are refuted, or fail");
    print_proofs(self, out);
    print_best(self, out);
    print_approximation(&self->found, out);
cleanup:
    return status;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void json_held_out(const char *key, const opevo_found *found, const opevo_evolved *said,
                          opevo_cases set, opevo_text *out)
{
    opevo_json_key(out, key);
    if (!said->status) {
        opevo_text_add(out, "null");
        return;
    }
    opevo_text_add(out, "{");
    opevo_json_string(out, "status", said->status);
    opevo_json_double(out, "fraction_of_base", said->cost / found->base[set]);
    opevo_json_double(out, "error", said->error);
    if (said->message)
        opevo_json_string(out, "message", said->message);
    opevo_text_add(out, "}");
}

static void json_variant(const opevo_i_cli_evolution *self, const opevo_found_variant *variant,
                         opevo_text *out)
{
    const opevo_found *found = &self->found;
    const char *edits = opevo_text_string(&variant->edits);

    opevo_text_add(out, "{");
    opevo_json_index(out, "trial", variant->trial.number);
    opevo_json_double(out, "fraction_of_base", 1 / variant->trial.outcome.fitness);
    opevo_json_double(out, "cost",
                      found->base[OPEVO_CASES_SEARCH] / variant->trial.outcome.fitness);
    opevo_json_double(out, "error", variant->trial.outcome.more[0]);
    opevo_json_index(out, "edit_count", opevo_edit_count(edits));
    json_held_out("selection", found, &variant->selection, OPEVO_CASES_SELECTION, out);
    json_held_out("final", found, &variant->final, OPEVO_CASES_FINAL, out);
    opevo_i_cli_evolution_json_proof(self, variant, out);
    opevo_json_string(out, "edits", edits);
    opevo_text_add(out, "}");
}

static void json_front(const opevo_i_cli_evolution *self, opevo_text *out)
{
    const opevo_found *found = &self->found;

    opevo_json_open(out, "front", "[");
    for (size_t i = 0; found->exact && i < found->exact_count; i++) {
        if (i > found->best)
            continue;
        opevo_json_next(out, "\n  ");
        json_variant(self, &found->exact[i], out);
    }
    for (size_t i = 0; i < found->rest_count; i++) {
        opevo_json_next(out, "\n  ");
        json_variant(self, &found->rest[i], out);
    }
    opevo_text_add(out, "]");
}

void opevo_i_cli_evolution_print_json(const opevo_i_cli_evolution *self, opevo_text *out)
{
    const opevo_evolver_facts *facts = opevo_evolver_facts_of(self->evolver);
    const opevo_found *found = &self->found;
    bool has_best = found->exact && found->best < found->exact_count;

    opevo_text_add(out, "{");
    opevo_json_string(out, "objective", self->objective->name);
    opevo_json_string(out, "module", facts->module);
    opevo_json_string(out, "llvm", facts->llvm);
    opevo_json_index(out, "instructions", facts->instruction_count);
    opevo_json_double(out, "base_cost", facts->base_cost);
    opevo_json_string(out, "cost_unit", facts->unit);
    opevo_json_string(out, "with", opevo_text_string(&self->with) + (self->with.length > 0));
    opevo_i_cli_unchecked_json(self->evolver, out);
    opevo_json_string(out, "tuner", self->run.tuner->name);
    opevo_json_key(out, "settings");
    opevo_settings_print_json(self->run.tuner, self->settings, out);
    opevo_json_index(out, "seed", self->run.seed);
    opevo_json_index(out, "trials", self->result.trials);
    opevo_json_index(out, "resumed", self->result.resumed);
    opevo_json_index(out, "failed", self->result.failed);
    opevo_i_cli_reasons_print_json(&self->reasons, out);
    opevo_json_string(out, "stop", opevo_stop_name(self->result.stop));
    opevo_i_cli_add_json_workers(self->objective, out);
    json_front(self, out);
    opevo_json_index(out, "overfitted", found->overfitted);
    opevo_json_index(out, "refuted", found->refuted);
    opevo_json_key(out, "best");
    if (has_best)
        json_variant(self, &found->exact[found->best], out);
    else
        opevo_text_add(out, "null");
    opevo_json_double(out, "fraction_of_base",
                      has_best ? 1 / found->exact[found->best].trial.outcome.fitness : NAN);
    opevo_text_add(out, "}\n");
}
