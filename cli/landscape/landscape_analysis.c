/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A landscape analysed under one topology or under all that its space can have. */

#include "landscape_internal.h"
#include "named_path_internal.h"
#include "objective_spec_internal.h"
#include "options_internal.h"
#include "recording_spec_internal.h"
#include "terminal_internal.h"

#include <opevo/memory.h>
#include <opevo/objective.h>
#include <opevo/unit.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Options that mean nothing without the analysis, and without a population. */
static const char *const analysis_options[] = {"topologies", "nodes", "target", "population"};
static const char *const population_options[] = {"lambda", "rho", "q", "duplicates", "seed"};

bool opevo_i_cli_landscape_wants_analysis(const opevo_call *call)
{
    for (size_t i = 0; i < sizeof analysis_options / sizeof *analysis_options; i++) {
        if (opevo_i_cli_flag(call, analysis_options[i]))
            return true;
    }
    for (size_t i = 0; i < sizeof population_options / sizeof *population_options; i++) {
        if (opevo_i_cli_flag(call, population_options[i]))
            return true;
    }
    return false;
}

opevo_status opevo_i_cli_landscape_open(const opevo_call *call, const char *what, const char *on,
                                        opevo_objective **out, opevo_error *err)
{
    opevo_text text = {0};
    opevo_text named = {0};
    opevo_status status = OPEVO_OK;

    /* A recording by its file alone. */
    if (what && !on &&
        (opevo_i_cli_is_recorded(what) || opevo_i_cli_is_table(what) || access(what, F_OK) == 0)) {
        opevo_text_printf(&named, "%s%s", opevo_i_cli_is_recorded(what) ? "" : "recorded:", what);
        OPEVO_TRY(opevo_text_check(&named, err));
        on = named.data;
        what = NULL;
    }
    status = opevo_i_cli_on_of_call(call, on, &text, &on, err);
    if (status == OPEVO_OK)
        status = opevo_i_cli_objective_of(what, on, opevo_i_cli_option(call, "space"), out, err);
    if (status == OPEVO_OK && !(*out)->ops->optimum) {
        opevo_objective_destroy(*out);
        *out = NULL;
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "--on %.100s would have to measure every point: record them with opevo "
                            "record, and give the recording.",
                            on);
    }
cleanup:
    opevo_text_free(&text);
    opevo_text_free(&named);
    return status;
}

void opevo_i_cli_landscape_topology(const opevo_i_cli_landscape_analysis *self,
                                    const opevo_i_cli_landscape_entry *entry, opevo_text *out)
{
    const opevo_space *space = self->objective->space;
    size_t count = opevo_space_parameter_count(space), named = 0;

    if (entry->choice) {
        opevo_text_add(out, entry->choice->name);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const char *name = opevo_parameter_topology(opevo_space_parameter(space, i));
        size_t k = 0;

        while (strcmp(opevo_parameter_topology(opevo_space_parameter(space, k)), name) != 0)
            k++;
        if (k == i)
            opevo_text_printf(out, "%s%s", named++ ? ", " : "", name);
    }
}

static opevo_status check_options(const opevo_call *call, opevo_profile_options *options,
                                  opevo_error *err)
{
    const char *nodes = opevo_i_cli_option(call, "nodes");

    for (size_t i = 0; i < sizeof population_options / sizeof *population_options; i++) {
        if (opevo_i_cli_flag(call, population_options[i]) && !opevo_i_cli_flag(call, "population"))
            return OPEVO_FAIL(err, OPEVO_INVALID, "--%s requires --population.",
                              population_options[i]);
    }
    options->nodes = OPEVO_NODES_ALLOWED;
    if (nodes && !opevo_nodes_parse(nodes, &options->nodes))
        return OPEVO_FAIL(err, OPEVO_INVALID, "--nodes %s: give ok, allowed or all.", nodes);
    return OPEVO_OK;
}

/* A result, or a share of the optimum. */
static opevo_status read_target(const opevo_call *call, const char *unit, double best,
                                double *share, opevo_error *err)
{
    const char *text = opevo_i_cli_option(call, "target");
    size_t length = text ? strlen(text) : 0;
    bool percent = length && text[length - 1] == '%';
    char number[64];
    double value = 0;

    *share = 0.95;
    if (!text)
        return OPEVO_OK;
    snprintf(number, sizeof number, "%.*s", (int)(percent ? length - 1 : length), text);
    if (length >= sizeof number || !opevo_parse_double(number, &value) || !(value > 0))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--target %s: give a number above 0, or such as 95%%.", text);
    *share = percent ? value / 100 : opevo_unit_fitness(unit, value) / best;
    if (*share > 1)
        return OPEVO_FAIL(err, OPEVO_INVALID, "--target %s: give at %s the optimum, %g or 100%%.",
                          text, opevo_unit_is_time(unit) ? "least" : "most",
                          opevo_unit_result(unit, best));
    return OPEVO_OK;
}

static opevo_status choose_topologies(const opevo_call *call, opevo_i_cli_landscape_analysis *self,
                                      opevo_error *err)
{
    const char *which = opevo_i_cli_option(call, "topologies");
    const opevo_space *space = self->objective->space;
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = OPEVO_OK;

    if (!which || strcmp(which, "current") == 0)
        return OPEVO_OK;
    if (strcmp(which, "all") == 0)
        return opevo_topology_choices_create(space, &self->choices, &self->choice_count, err);
    status = opevo_topology_choice_named(space, which, &self->choices, &inner);
    if (status != OPEVO_OK)
        return OPEVO_FAIL(err, inner.status, "--topologies %.100s: %.900s", which, inner.message);
    self->choice_count = 1;
    return OPEVO_OK;
}

static opevo_status fill_curve(opevo_i_cli_landscape_analysis *self, const opevo_space *space,
                               opevo_i_cli_landscape_entry *entry, opevo_error *err)
{
    if (self->seen_count == 0)
        return OPEVO_OK;
    OPEVO_NEW_OR_RETURN(entry->curve, self->q_count, "the curve over q");
    return opevo_improvement_curve(self->table, space, &self->generation, self->q, self->q_count,
                                   self->options.threads, entry->curve, err);
}

static int cheapest_first(const void *a, const void *b)
{
    const opevo_i_cli_landscape_entry *x = a;
    const opevo_i_cli_landscape_entry *y = b;

    if (x->profile.descent.cost != y->profile.descent.cost)
        return x->profile.descent.cost < y->profile.descent.cost ? -1 : 1;
    return (x->choice > y->choice) - (x->choice < y->choice);
}

static opevo_status fill_entries(const opevo_call *call, opevo_i_cli_landscape_analysis *self,
                                 opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t count = self->choice_count ? self->choice_count : 1;
    opevo_progress progress;

    self->entries = opevo_calloc(count, sizeof *self->entries);
    OPEVO_NEED_OR_RETURN(self->entries, "the analysis");
    opevo_i_cli_progress_start(&progress, opevo_i_cli_flag(call, "quiet"));
    for (size_t i = 0; i < count && status == OPEVO_OK; i++) {
        opevo_i_cli_landscape_entry *entry = &self->entries[i];
        const opevo_space *space = self->objective->space;

        if (self->choice_count) {
            entry->choice = &self->choices[i];
            space = entry->choice->space;
        }
        if (opevo_i_cli_progress_due(&progress))
            opevo_i_cli_progress_draw(&progress, (double)i / (double)count,
                                      entry->choice ? entry->choice->name : "analysing");
        self->entry_count++;
        /* They do not depend on the topology. */
        self->options.interactions = count == 1 || (i == 0 && self->interactions);
        status = opevo_landscape_profile_create(self->table, space, &self->options, &entry->profile,
                                                err);
        if (status == OPEVO_OK)
            status = fill_curve(self, space, entry, err);
    }
    opevo_i_cli_progress_end(&progress);
    if (status == OPEVO_OK)
        qsort(self->entries, count, sizeof *self->entries, cheapest_first);
    return status;
}

opevo_status opevo_i_cli_landscape_analysis_run(const opevo_call *call, opevo_objective *objective,
                                                unsigned threads,
                                                opevo_i_cli_landscape_analysis *self,
                                                opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    self->objective = objective;
    self->options.threads = threads;
    self->options.order_max = 3;
    OPEVO_TRY(check_options(call, &self->options, err));
    OPEVO_TRY(choose_topologies(call, self, err));
    OPEVO_TRY(opevo_landscape_table_create(objective, threads, &self->table, err));
    OPEVO_TRY(
        read_target(call, self->objective->unit, self->table->best, &self->options.target, err));
    if (opevo_i_cli_flag(call, "population"))
        OPEVO_TRY(opevo_i_cli_landscape_population(call, self, err));
    OPEVO_TRY(fill_entries(call, self, err));
cleanup:
    return status;
}

void opevo_i_cli_landscape_analysis_release(opevo_i_cli_landscape_analysis *self)
{
    for (size_t i = 0; i < self->entry_count; i++) {
        opevo_landscape_profile_release(&self->entries[i].profile);
        opevo_free(self->entries[i].curve);
    }
    opevo_free(self->entries);
    opevo_topology_choices_destroy(self->choices, self->choice_count);
    opevo_landscape_table_destroy(self->table);
    opevo_free(self->seen);
    opevo_free(self->parents);
    opevo_free(self->weights);
    opevo_free(self->q);
}

size_t opevo_i_cli_landscape_best_q(const opevo_i_cli_landscape_analysis *self,
                                    const opevo_i_cli_landscape_entry *entry)
{
    size_t best = 0;

    for (size_t i = 1; i < self->q_count; i++) {
        if (entry->curve[i].probability > entry->curve[best].probability)
            best = i;
    }
    return best;
}
