/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a store holds: its runs, or the trials of one of them. */

#include "cli_internal.h"

#include <unistd.h>

static const opevo_option options[] = {
    {"json", NULL, "print one JSON array", false},
};

typedef struct listing {
    opevo_table table;
    opevo_text *json; /* NULL: fill the table */
    size_t count;
} listing;

static void add_json(const opevo_run_info *info, listing *self)
{
    opevo_text *out = self->json;
    char signature[20];

    snprintf(signature, sizeof signature, "%016llx", (unsigned long long)info->signature);
    opevo_text_add(out, self->count ? ",\n  {" : "\n  {");
    opevo_i_json_index(out, "run", (opevo_index)info->run);
    opevo_i_json_string(out, "objective", info->objective);
    opevo_i_json_string(out, "tuner", info->tuner);
    opevo_i_json_string(out, "settings", info->settings);
    opevo_i_json_index(out, "seed", info->seed);
    opevo_i_json_index(out, "trials", info->trials);
    opevo_i_json_index(out, "failed", info->failed);
    opevo_i_json_double(out, "best", info->best_fitness);
    opevo_i_json_string(out, "unit", info->unit);
    opevo_i_json_index(out, "best_trial", info->best_trial);
    opevo_i_json_double(out, "cost_s", info->cost_s);
    opevo_i_json_string(out, "budget", info->budget);
    opevo_i_json_string(out, "stop", info->stop);
    opevo_i_json_string(out, "on", info->on);
    opevo_i_json_string(out, "what", info->what);
    opevo_i_json_string(out, "space", info->space);
    opevo_i_json_string(out, "signature", signature);
    opevo_i_json_double(out, "optimum", info->optimum);
    opevo_i_json_string(out, "started", info->started);
    opevo_i_json_string(out, "version", info->version);
    opevo_text_add(out, "}");
}

static void visit(void *context, const opevo_run_info *info)
{
    listing *self = context;

    if (self->json) {
        add_json(info, self);
    } else {
        opevo_i_table_cell(&self->table, "%lld", (long long)info->run);
        opevo_i_table_cell(&self->table, "%s", info->objective);
        opevo_i_table_cell(&self->table, "%s", info->tuner);
        opevo_i_table_cell(&self->table, "%s", info->settings);
        opevo_i_table_cell(&self->table, "%llu", (unsigned long long)info->seed);
        opevo_i_table_cell(&self->table, "%llu", (unsigned long long)info->trials);
        opevo_i_table_cell(&self->table, "%llu", (unsigned long long)info->failed);
        opevo_i_table_cell(&self->table, "%.6g", info->best_fitness);
        opevo_i_table_cell(&self->table, "%s", info->unit);
        opevo_i_table_cell(&self->table, "%llu", (unsigned long long)info->best_trial);
        opevo_i_table_cell(&self->table, "%.1f s", info->cost_s);
        opevo_i_table_cell(&self->table, "%s", info->started);
    }
    self->count++;
}

static opevo_status print_planned(opevo_store *store, opevo_text *out, opevo_error *err)
{
    uint64_t planned = 0;
    opevo_status status = opevo_store_planned(store, &planned, err);

    if (status == OPEVO_OK && planned)
        opevo_text_printf(out, "and %llu planned run%s of a study that %s not begun\n",
                          (unsigned long long)planned, planned == 1 ? "" : "s",
                          planned == 1 ? "is" : "are");
    return status;
}

static opevo_status run(const opevo_call *call, opevo_text *out, int *exit_code, opevo_error *err)
{
    static const char *const heads[] = {"run",   "<objective", "<tuner", "<settings",
                                        "seed",  "trials",     "failed", "best",
                                        "<unit", "at trial",   "cost",   "<started"};
    listing self = {.table = {.heads = heads, .columns = sizeof heads / sizeof *heads}};
    opevo_store *store = NULL;
    opevo_status status = OPEVO_OK;
    opevo_status printed = OPEVO_OK;

    (void)exit_code;
    OPEVO_TRY(opevo_store_open(call->arguments[0], OPEVO_STORE_READ, &store, err));
    self.json = opevo_i_flag(call, "json") ? out : NULL;
    if (self.json)
        opevo_text_add(out, "[");
    status = opevo_store_list(store, visit, &self, err);
    if (self.json)
        opevo_text_add(out, "\n]\n");
    else
        printed = opevo_i_table_print(&self.table, opevo_i_terminal_width(STDOUT_FILENO), out,
                                      status == OPEVO_OK ? err : NULL);
    if (status == OPEVO_OK)
        status = printed;
    if (status == OPEVO_OK && !self.json)
        status = print_planned(store, out, err);
cleanup:
    opevo_store_close(store);
    return status;
}

const opevo_verb opevo_i_verb_runs = {
    .name = "runs",
    .arguments = "STORE",
    .arguments_min = 1,
    .arguments_max = 1,
    .summary = "List the runs in a store.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
