/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The trials of a run in a store, one by one. */

#include "criteria_of_call_internal.h"
#include "measured_internal.h"
#include "runs_internal.h"
#include "terminal_internal.h"

#include <opevo/json.h>
#include <opevo/store.h>
#include <opevo/unit.h>

#include <math.h>

typedef struct lister {
    const opevo_run_info *info;
    opevo_store *store;
    opevo_space *space; /* NULL if none exists, or none that can be made here */
    opevo_table table;  /* as text */
    opevo_text *out;
    opevo_text scratch;
    opevo_criterion criteria[OPEVO_CRITERIA_MOST - 1];
    size_t criterion_count;
    bool has_windows;          /* of some trial */
    const double *processor_s; /* of the trial at hand; NULL: unknown */
    opevo_i_cli_measured measured;
} lister;

/* The text that the store keeps beside a candidate, or else its number. */
static void add_without_space(lister *self, opevo_index point, bool json)
{
    opevo_text text = {0};

    if (opevo_store_candidate(self->store, self->info->run, point, &text, NULL) != OPEVO_OK ||
        text.length == 0) {
        opevo_text_clear(&text);
        opevo_text_add(&text, "point ");
        opevo_text_add_index(&text, point);
    }
    if (json)
        opevo_text_add_json(&self->scratch, opevo_text_string(&text));
    else
        opevo_text_add_visible(&self->scratch, opevo_text_string(&text));
    opevo_text_free(&text);
}

/* The configuration as a text, in the scratch. */
static const char *configuration(lister *self, opevo_index point, bool json)
{
    opevo_text_clear(&self->scratch);
    if (self->space && json) {
        opevo_space_print_json(self->space, point, &self->scratch);
    } else if (self->space) {
        opevo_space_print(self->space, point, &self->scratch);
    } else {
        add_without_space(self, point, json);
    }
    return opevo_text_string(&self->scratch);
}

static void add_times(opevo_text *out, const double *times, size_t count, const char *separator)
{
    for (size_t i = 0; times && i < count; i++) {
        opevo_text_add(out, i ? separator : "");
        opevo_text_add_double(out, times[i]);
    }
}

/* A member with a list of times. */
static void add_json_times(opevo_text *out, const char *key, const double *times, size_t count)
{
    opevo_json_open(out, key, "[");
    add_times(out, times, count, ", ");
    opevo_text_add(out, "]");
}

/* ---- Forms ---------------------------------------------------------------------------------- */

static void add_json(lister *self, const opevo_trial *trial)
{
    const opevo_outcome *outcome = &trial->outcome;
    bool ok = outcome->kind == OPEVO_OUTCOME_OK;
    const opevo_i_cli_measured_worker *by = opevo_i_cli_measured_of(&self->measured, trial->number);
    opevo_text *out = self->out;

    opevo_json_open_next(out, "\n  ", "{");
    opevo_json_index(out, "trial", trial->number);
    opevo_json_string(out, "outcome", opevo_outcome_name(outcome->kind));
    opevo_json_double(out, "result",
                      ok ? opevo_unit_result(self->info->unit, outcome->fitness) : NAN);
    opevo_json_double(out, "fitness", outcome->fitness);
    opevo_json_double(out, "time_s", outcome->time_s);
    add_json_times(out, "samples_s", outcome->samples_s, outcome->sample_count);
    if (self->has_windows)
        add_json_times(out, "processor_s", self->processor_s, outcome->sample_count);
    if (self->measured.count) {
        opevo_json_string(out, "host", by ? by->host : "");
        opevo_json_string(out, "device", by ? by->device : "");
    }
    if (self->criterion_count) {
        opevo_json_open(out, "criteria", "{");
        for (size_t i = 0; i < self->criterion_count; i++)
            opevo_json_double(out, self->criteria[i].name, outcome->more[i]);
        opevo_text_add(out, "}");
    }
    opevo_json_double(out, "build_s", outcome->build_s);
    opevo_json_double(out, "run_s", outcome->run_s);
    opevo_json_double(out, "check_s", outcome->check_s);
    opevo_json_double(out, "other_s", outcome->other_s);
    opevo_json_string(out, "origin", trial->proposal.origin);
    opevo_json_string(out, "message", outcome->message ? outcome->message : "");
    opevo_json_key(out, "configuration");
    opevo_text_add(out, configuration(self, trial->proposal.point, true));
    opevo_text_add(out, "}");
}

/* A number, or nothing where it is not known. */
static void add_csv_number(opevo_text *out, double value)
{
    opevo_text_add(out, ",");
    if (isfinite(value))
        opevo_text_add_double(out, value);
}

static void add_csv(lister *self, const opevo_trial *trial)
{
    const opevo_outcome *outcome = &trial->outcome;
    bool ok = outcome->kind == OPEVO_OUTCOME_OK;
    const opevo_i_cli_measured_worker *by = opevo_i_cli_measured_of(&self->measured, trial->number);
    opevo_text *out = self->out;

    opevo_text_printf(out, "%llu,%s", (unsigned long long)trial->number,
                      opevo_outcome_name(outcome->kind));
    add_csv_number(out, ok ? opevo_unit_result(self->info->unit, outcome->fitness) : NAN);
    opevo_text_printf(out, ",%s", opevo_unit_name(self->info->unit));
    add_csv_number(out, outcome->fitness);
    add_csv_number(out, outcome->time_s);
    opevo_text_add(out, ",");
    add_times(out, outcome->samples_s, outcome->sample_count, ";");
    add_csv_number(out, outcome->build_s);
    add_csv_number(out, outcome->run_s);
    add_csv_number(out, outcome->check_s);
    add_csv_number(out, outcome->other_s);
    opevo_text_add(out, ",");
    opevo_text_add_csv(out, trial->proposal.origin);
    opevo_text_add(out, ",");
    opevo_text_add_csv(out, outcome->message ? outcome->message : "");
    opevo_text_add(out, ",");
    opevo_text_add_csv(out, configuration(self, trial->proposal.point, true));
    for (size_t i = 0; i < self->criterion_count; i++)
        add_csv_number(out, outcome->more[i]);
    if (self->has_windows) {
        opevo_text_add(out, ",");
        add_times(out, self->processor_s, outcome->sample_count, ";");
    }
    if (self->measured.count) {
        opevo_text_add(out, ",");
        opevo_text_add_csv(out, by ? by->host : "");
        opevo_text_add(out, ",");
        opevo_text_add_csv(out, by ? by->device : "");
    }
    opevo_text_add(out, "\n");
}

static void add_text(lister *self, const opevo_trial *trial)
{
    const opevo_outcome *outcome = &trial->outcome;
    opevo_table *table = &self->table;

    opevo_i_cli_table_cell(table, "%llu", (unsigned long long)trial->number);
    opevo_i_cli_table_cell(table, "%s", opevo_outcome_name(outcome->kind));
    if (outcome->kind == OPEVO_OUTCOME_OK)
        opevo_i_cli_table_cell(table, "%.6g",
                               opevo_unit_result(self->info->unit, outcome->fitness));
    else
        opevo_i_cli_table_cell(table, "-");
    if (isfinite(outcome->time_s))
        opevo_i_cli_table_cell(table, "%.6g", outcome->time_s);
    else
        opevo_i_cli_table_cell(table, "-");
    for (size_t i = 0; i < self->criterion_count; i++) {
        if (isfinite(outcome->more[i]))
            opevo_i_cli_table_cell(table, "%.6g", outcome->more[i]);
        else
            opevo_i_cli_table_cell(table, "-");
    }
    opevo_i_cli_table_cell(table, "%zu", outcome->sample_count);
    opevo_text_clear(&self->scratch);
    opevo_i_cli_text_add_message(&self->scratch, trial->proposal.origin);
    opevo_i_cli_table_cell(table, "%s", opevo_text_string(&self->scratch));
    opevo_i_cli_table_cell(table, "%s", configuration(self, trial->proposal.point, false));
    opevo_text_clear(&self->scratch);
    opevo_i_cli_text_add_message(&self->scratch, outcome->message ? outcome->message : "");
    opevo_i_cli_table_cell(table, "%s", opevo_text_string(&self->scratch));
}

/* ---- All of them ---------------------------------------------------------------------------- */

static void begin(lister *self, opevo_i_cli_runs_form form)
{
    if (form == OPEVO_I_RUNS_CSV) {
        opevo_text_add(self->out, "trial,outcome,result,unit,fitness,time_s,samples_s,build_s,"
                                  "run_s,check_s,other_s,origin,message,configuration");
        for (size_t i = 0; i < self->criterion_count; i++)
            opevo_text_printf(self->out, ",%s", self->criteria[i].name);
        opevo_text_add(self->out, self->has_windows ? ",processor_s" : "");
        opevo_text_add(self->out, self->measured.count ? ",host,device\n" : "\n");
    } else if (form == OPEVO_I_RUNS_JSON) {
        opevo_json_index(self->out, "run", (opevo_index)self->info->run);
        opevo_json_string(self->out, "objective", self->info->objective);
        opevo_json_string(self->out, "unit", opevo_unit_name(self->info->unit));
        opevo_json_string(self->out, "better", opevo_unit_better(self->info->unit));
        if (self->criterion_count) {
            opevo_json_key(self->out, "criteria");
            opevo_i_cli_json_criteria(self->criteria, self->criterion_count, self->out);
        }
        opevo_i_cli_measured_print_json(&self->measured, self->out);
        opevo_json_key(self->out, "trials");
        opevo_text_add(self->out, "[");
    }
}

/* One at a time: the store has the details of the trial that it read last at hand. */
static opevo_status add_trials(lister *self, opevo_store *store, opevo_i_cli_runs_form form,
                               opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_trial trial;
    size_t got = 1;

    for (uint64_t after = 0; got; after++) {
        OPEVO_TRY(opevo_store_read(store, self->info->run, after, &trial, 1, &got, err));
        if (!got)
            break;
        OPEVO_TRY(opevo_store_read_details(store, self->info->run, &trial, err));
        OPEVO_TRY(
            opevo_store_read_windows(store, self->info->run, &trial, &self->processor_s, err));
        if (form == OPEVO_I_RUNS_JSON)
            add_json(self, &trial);
        else if (form == OPEVO_I_RUNS_CSV)
            add_csv(self, &trial);
        else
            add_text(self, &trial);
    }
cleanup:
    return status;
}

opevo_status opevo_i_cli_runs_print_trials(opevo_store *store, const opevo_run_info *info,
                                           opevo_i_cli_runs_form form, unsigned width,
                                           opevo_text *out, opevo_error *err)
{
    static const char *const last[] = {"samples", "<origin", "<configuration", "<message"};
    const char *heads[8 + OPEVO_CRITERIA_MOST] = {"trial", "<outcome", opevo_unit_name(info->unit),
                                                  "time, s"};
    size_t columns = 4;
    lister self = {.info = info, .store = store, .out = out};
    opevo_status status = opevo_store_space(store, info->run, &self.space, err);

    if (status != OPEVO_OK)
        return status;
    OPEVO_TRY(opevo_store_criteria(store, info->run, self.criteria, &self.criterion_count, err));
    OPEVO_TRY(opevo_store_has_windows(store, info->run, &self.has_windows, err));
    OPEVO_TRY(opevo_i_cli_measured_read(store, info->run, info->trials, &self.measured, err));
    for (size_t i = 0; i < self.criterion_count; i++)
        heads[columns++] = self.criteria[i].name;
    for (size_t i = 0; i < sizeof last / sizeof *last; i++)
        heads[columns++] = last[i];
    self.table = (opevo_table){.heads = heads, .columns = columns, .below = 2};
    begin(&self, form);
    OPEVO_TRY(add_trials(&self, store, form, err));
    if (form == OPEVO_I_RUNS_JSON)
        opevo_text_add(out, "\n]");
    else if (form == OPEVO_I_RUNS_TEXT)
        OPEVO_TRY(opevo_i_cli_table_print(&self.table, width, out, err));
    OPEVO_TRY(opevo_text_check(&self.scratch, err));
cleanup:
    opevo_i_cli_measured_free(&self.measured);
    opevo_i_cli_table_free(&self.table);
    opevo_text_free(&self.scratch);
    opevo_space_destroy(self.space);
    return status;
}
