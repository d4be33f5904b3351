/* SPDX-License-Identifier: GPL-3.0-or-later */

/* From stores to a study: the runs are listed once, and then read side by side, each thread
 * through a connection of its own. Of a run only its course is kept. */

#include "analyze_internal.h"

#include <opevo/memory.h>
#include <opevo/parallel.h>
#include <opevo/unit.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PIECE = 512 };

/* ---- Listing ---- */

typedef struct listing {
    opevo_i_cli_study_data *data;
    const opevo_call *call;
    size_t store; /* that is being listed */
    opevo_i_cli_run_keys keys;
    bool failed; /* no memory */
} listing;

/* Whether the option was not given, or is `name`, or what stands in it after a colon. */
static bool wanted(const opevo_call *call, const char *option, const char *name)
{
    const char *colon = strchr(name, ':');
    bool given = false;

    for (size_t i = 0; i < call->given_count; i++) {
        const char *value = call->given[i].value;

        if (strcmp(call->given[i].option->name, option) != 0)
            continue;
        given = true;
        if (!strcmp(value, name) || (colon && !strcmp(value, colon + 1)))
            return true;
    }
    return !given;
}

static bool copy(const char *text, char **out)
{
    *out = opevo_strdup(text);
    return *out != NULL;
}

/* Replace a copy, which stays without memory. */
static bool recopy(const char *text, char **out)
{
    char *fresh = opevo_strdup(text);

    if (!fresh)
        return false;
    opevo_free(*out);
    *out = fresh;
    return true;
}

static size_t find_landscape(listing *self, const opevo_run_info *info)
{
    opevo_i_cli_study_data *data = self->data;
    void *rows = data->landscapes;
    opevo_i_cli_named_landscape row = {
        .signature = info->signature, .program = info->program, .optimum = info->optimum};

    for (size_t i = 0; i < data->landscape_count; i++) {
        opevo_i_cli_named_landscape *known = &data->landscapes[i];

        if (known->signature != info->signature || strcmp(known->name, info->objective) != 0 ||
            !opevo_unit_agree(known->unit, info->unit) ||
            (known->program && info->program && known->program != info->program))
            continue;
        if (isnan(known->optimum)) /* an older run did not say */
            known->optimum = info->optimum;
        if (!known->program)
            known->program = info->program;
        if (!*known->on && *info->on)
            self->failed = !recopy(info->on, &known->on) || !recopy(info->what, &known->what) ||
                           !recopy(info->space, &known->space);
        if (!strcmp(known->unit, "1/s") && strcmp(info->unit, "1/s") != 0)
            self->failed = self->failed || !recopy(info->unit, &known->unit);
        return i;
    }
    if (!opevo_reserve(&rows, &data->landscape_capacity, data->landscape_count + 1, sizeof row)) {
        self->failed = true;
        return 0;
    }
    data->landscapes = rows;
    self->failed = !copy(info->objective, &row.name) || !copy(info->unit, &row.unit) ||
                   !copy(info->on, &row.on) || !copy(info->what, &row.what) ||
                   !copy(info->space, &row.space);
    data->landscapes[data->landscape_count++] = row;
    return data->landscape_count - 1;
}

static size_t find_contender(listing *self, const opevo_run_info *info)
{
    opevo_i_cli_study_data *data = self->data;
    void *rows = data->contenders;
    opevo_i_cli_contender row = {.in_time = opevo_unit_follows_time(info->unit)};

    for (size_t i = 0; i < data->contender_count; i++) {
        opevo_i_cli_contender *known = &data->contenders[i];

        if (!strcmp(known->tuner, info->tuner) && !strcmp(known->settings, info->settings) &&
            !strcmp(known->budget, info->budget)) {
            known->in_time = known->in_time && opevo_unit_follows_time(info->unit);
            return i;
        }
    }
    if (!opevo_reserve(&rows, &data->contender_capacity, data->contender_count + 1, sizeof row)) {
        self->failed = true;
        return 0;
    }
    data->contenders = rows;
    self->failed = !copy(info->tuner, &row.tuner) || !copy(info->settings, &row.settings) ||
                   !copy(info->budget, &row.budget);
    data->contenders[data->contender_count++] = row;
    return data->contender_count - 1;
}

static opevo_run_end end_of(const char *stop)
{
    if (!strcmp(stop, opevo_stop_name(OPEVO_STOP_TRIALS)))
        return OPEVO_RUN_TRIALS;
    if (!strcmp(stop, opevo_stop_name(OPEVO_STOP_SECONDS)))
        return OPEVO_RUN_SECONDS;
    if (!strcmp(stop, opevo_stop_name(OPEVO_STOP_TARGET)) ||
        !strcmp(stop, opevo_stop_name(OPEVO_STOP_SEARCH_OVER)) ||
        !strcmp(stop, opevo_stop_name(OPEVO_STOP_GAVE_UP)))
        return OPEVO_RUN_OVER;
    return OPEVO_RUN_OPEN;
}

static void note_version(opevo_text *versions, const char *version)
{
    size_t length = strlen(version);

    for (const char *at = opevo_text_string(versions); *at;) {
        size_t here = strcspn(at, "\n");

        if (here == length && !strncmp(at, version, length))
            return;
        at += here + (at[here] == '\n');
    }
    opevo_text_printf(versions, "%s\n", version);
}

/* A run without a trial is listed as well: another store may have more of it. */
static void visit(void *context, const opevo_run_info *info)
{
    listing *self = context;
    opevo_i_cli_study_data *data = self->data;
    void *runs = data->runs, *stored = data->stored;
    opevo_analysed_run run = {.seed = info->seed, .end = end_of(info->stop)};
    bool room = false;

    opevo_i_cli_run_keys_add(&self->keys, info);
    if (self->failed || !wanted(self->call, "landscape", info->objective) ||
        !wanted(self->call, "tuner", info->tuner) || !wanted(self->call, "budget", info->budget))
        return;
    if (info->trials)
        note_version(&data->versions, info->version);
    run.landscape = find_landscape(self, info);
    if (!self->failed)
        run.contender = find_contender(self, info);
    room =
        !self->failed && opevo_reserve(&runs, &data->run_capacity, data->run_count + 1, sizeof run);
    data->runs = runs;
    room = room && opevo_reserve(&stored, &data->stored_capacity, data->run_count + 1,
                                 sizeof *data->stored);
    data->stored = stored;
    if (!room) {
        self->failed = true;
        return;
    }
    data->stored[data->run_count] =
        (opevo_i_cli_merged_run){self->store, info->run, opevo_i_cli_run_key(info), info->trials};
    data->runs[data->run_count++] = run;
}

/* ---- Labels ---- */

/* Whether "key=value" at `word` stands in the settings as a whole word. */
static bool has_word(const char *settings, const char *word, size_t length)
{
    for (const char *at = settings; *at;) {
        size_t here = strcspn(at, " ");

        if (here == length && !strncmp(at, word, length))
            return true;
        at += here + (at[here] == ' ');
    }
    return false;
}

static bool all_have_word(const opevo_i_cli_study_data *data, const char *tuner, const char *word,
                          size_t length)
{
    for (size_t i = 0; i < data->contender_count; i++) {
        if (!strcmp(data->contenders[i].tuner, tuner) &&
            !has_word(data->contenders[i].settings, word, length))
            return false;
    }
    return true;
}

static bool all_have_budget(const opevo_i_cli_study_data *data, const opevo_i_cli_contender *row)
{
    for (size_t i = 0; i < data->contender_count; i++) {
        if (!strcmp(data->contenders[i].tuner, row->tuner) &&
            strcmp(data->contenders[i].budget, row->budget) != 0)
            return false;
    }
    return true;
}

/* The settings that not all contenders of the tuner share. */
static opevo_status make_label(opevo_i_cli_study_data *data, opevo_i_cli_contender *row,
                               opevo_error *err)
{
    opevo_text label = {0};
    opevo_status status = OPEVO_OK;

    opevo_text_add(&label, row->tuner);
    for (const char *at = row->settings; *at;) {
        size_t length = strcspn(at, " ");

        if (!all_have_word(data, row->tuner, at, length)) {
            opevo_text_add(&label, " ");
            opevo_i_cli_settings_show(at, length, row->in_time, &label);
        }
        at += length + (at[length] == ' ');
    }
    if (*row->budget && !all_have_budget(data, row))
        opevo_text_printf(&label, " (%s)", row->budget);
    status = opevo_text_check(&label, err);
    if (status == OPEVO_OK)
        row->label = label.data;
    else
        opevo_text_free(&label);
    return status;
}

opevo_status opevo_i_cli_study_name_contenders(opevo_i_cli_study_data *data, opevo_error *err)
{
    opevo_status status = opevo_i_cli_study_merge_spaces(data, err);

    for (size_t i = 0; i < data->contender_count && status == OPEVO_OK; i++)
        status = make_label(data, &data->contenders[i], err);
    return status;
}

/* The name, and of several landscapes of that name the space file or else the signature; of several
 * versions of a program its hash. */
static opevo_status label_landscape(const opevo_i_cli_study_data *data,
                                    opevo_i_cli_named_landscape *row, opevo_error *err)
{
    const char *slash = strrchr(row->space, '/');
    opevo_text label = {0};
    bool other_points = false, same_space = false, other_program = false;

    for (size_t i = 0; i < data->landscape_count; i++) {
        const opevo_i_cli_named_landscape *other = &data->landscapes[i];

        if (other == row || strcmp(other->name, row->name) != 0)
            continue;
        other_program = other_program || other->program != row->program;
        if (other->signature == row->signature)
            continue;
        other_points = true;
        same_space = same_space || !strcmp(other->space, row->space);
    }
    opevo_text_add(&label, row->name);
    if (other_points && *row->space)
        opevo_text_printf(&label, " space=%s", slash ? slash + 1 : row->space);
    if (same_space)
        opevo_text_printf(&label, " signature=%016llx", (unsigned long long)row->signature);
    if (other_program)
        opevo_text_printf(&label, " program=%016llx", (unsigned long long)row->program);
    if (opevo_text_check(&label, err) != OPEVO_OK) {
        opevo_text_free(&label);
        return OPEVO_NOMEM;
    }
    opevo_free(row->label);
    row->label = label.data;
    return OPEVO_OK;
}

/* ---- Reading ---- */

/* Of one thread, to the store that it read from last. */
typedef struct connection {
    opevo_store *store;
    size_t number; /* of it */
    opevo_trial trials[PIECE];
} connection;

typedef struct reader {
    const opevo_call *call;
    opevo_i_cli_study_data *data;
    connection *connections;
    size_t *order; /* places of runs: by store, in it by objective and space */
    opevo_progress progress;
} reader;

static opevo_status connect(const reader *self, connection *from, size_t number, opevo_error *err)
{
    if (from->store && from->number == number)
        return OPEVO_OK;
    opevo_store_close(from->store);
    from->store = NULL;
    from->number = number;
    return opevo_store_open(self->call->arguments[number], OPEVO_STORE_READ, &from->store, err);
}

static opevo_status read_run(void *context, size_t place, unsigned worker, opevo_error *err)
{
    reader *self = context;
    size_t index = self->order[place];
    opevo_analysed_run *run = &self->data->runs[index];
    connection *from = &self->connections[worker];
    opevo_status status = OPEVO_OK;
    const opevo_i_cli_merged_run *stored = &self->data->stored[index];
    size_t count = PIECE;

    OPEVO_TRY(connect(self, from, stored->store, err));
    while (count == PIECE) {
        OPEVO_TRY(opevo_store_read(from->store, stored->run, run->curve.trials, from->trials, PIECE,
                                   &count, err));
        for (size_t i = 0; i < count; i++)
            OPEVO_TRY(opevo_run_curve_add(&run->curve, &from->trials[i].outcome, err));
        for (size_t i = 0; i < count; i++)
            self->data->outcomes[index][from->trials[i].outcome.kind]++;
    }
    if (worker == 0 && opevo_i_cli_progress_due(&self->progress)) {
        char line[64];

        snprintf(line, sizeof line, "run %zu of %zu", place + 1, self->data->run_count);
        opevo_i_cli_progress_draw(&self->progress,
                                  (double)(place + 1) / (double)self->data->run_count, line);
    }
cleanup:
    return status;
}

/* The store, and in it the cell of a run. */
static size_t pile_of(const opevo_i_cli_study_data *data, size_t run)
{
    size_t row = data->stored[run].store * data->landscape_count + data->runs[run].landscape;

    return row * data->contender_count + data->runs[run].contender;
}

/* Where each cell's runs of a store begin, in the order of the cells; then the runs put there. A
 * connection keeps the outcomes of one objective at hand, which a run of another one makes it read
 * anew. */
static bool sort_by_cell(const opevo_i_cli_study_data *data, size_t *order)
{
    size_t piles = data->store_count * data->landscape_count * data->contender_count;
    size_t *next = opevo_calloc(piles + 1, sizeof *next);

    if (!next)
        return false;
    for (size_t i = 0; i < data->run_count; i++)
        next[pile_of(data, i) + 1]++;
    for (size_t i = 0; i < piles; i++)
        next[i + 1] += next[i];
    for (size_t i = 0; i < data->run_count; i++)
        order[next[pile_of(data, i)]++] = i;
    opevo_free(next);
    return true;
}

static opevo_status read_runs(const opevo_call *call, unsigned threads,
                              opevo_i_cli_study_data *data, opevo_error *err)
{
    reader self = {.call = call, .data = data};
    opevo_status status = OPEVO_OK;

    threads = threads < data->run_count ? threads : (unsigned)data->run_count;
    self.connections = opevo_calloc(threads, sizeof *self.connections);
    data->outcomes = opevo_calloc(data->run_count, sizeof *data->outcomes);
    self.order = opevo_malloc(data->run_count, sizeof *self.order);
    if (!self.connections || !data->outcomes || !self.order || !sort_by_cell(data, self.order)) {
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read %s.", call->arguments[0]);
        goto cleanup;
    }
    opevo_i_cli_progress_start(&self.progress, opevo_i_cli_flag(call, "quiet"));
    status = opevo_parallel_for(data->run_count, threads, read_run, &self, err);
    opevo_i_cli_progress_end(&self.progress);
cleanup:
    for (unsigned i = 0; self.connections && i < threads; i++)
        opevo_store_close(self.connections[i].store);
    opevo_free(self.connections);
    opevo_free(self.order);
    return status;
}

static opevo_status fail_empty(const opevo_call *call, const opevo_i_cli_study_data *data,
                               opevo_error *err)
{
    opevo_text name = {0};
    bool one = call->argument_count == 1;
    const char *have = one ? "has" : "have", *whose = one ? "its" : "their";
    opevo_status status = OPEVO_INVALID;

    opevo_i_cli_stores_name(call, &name);
    if (opevo_i_cli_option(call, "landscape") || opevo_i_cli_option(call, "tuner") ||
        opevo_i_cli_option(call, "budget"))
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "%s %s no run with trials that matches --landscape, --tuner and "
                            "--budget; opevo runs lists %s runs.",
                            opevo_text_string(&name), have, whose);
    else if (data->planned)
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "%s %s no run with trials: a study has planned %llu run%s and started "
                            "none; run its command.",
                            opevo_text_string(&name), have, (unsigned long long)data->planned,
                            data->planned == 1 ? "" : "s");
    else
        status =
            OPEVO_FAIL(err, OPEVO_INVALID, "%s %s no run with trials; opevo runs lists %s runs.",
                       opevo_text_string(&name), have, whose);
    opevo_text_free(&name);
    return status;
}

static void note_unfinished(opevo_i_cli_study_data *data)
{
    if (data->planned)
        opevo_text_printf(&data->notes,
                          "the study is not finished: %llu planned run%s not started; repeat "
                          "the command of opevo study\n",
                          (unsigned long long)data->planned, data->planned == 1 ? " is" : "s are");
    if (data->empty)
        opevo_text_printf(&data->notes, "%zu run%s without a trial excluded\n", data->empty,
                          data->empty == 1 ? "" : "s");
}

/* Runs of different budgets are different contenders; the smallest one decides how far all are
 * compared. */
static void note_budgets(opevo_i_cli_study_data *data)
{
    for (size_t i = 1; i < data->contender_count; i++) {
        if (!strcmp(data->contenders[i].budget, data->contenders[0].budget))
            continue;
        opevo_text_add(&data->notes, "the runs have several budgets and are compared up to the "
                                     "smallest one; --budget, such as trials=500, selects one\n");
        return;
    }
}

opevo_status opevo_i_cli_study_read(const opevo_call *call, unsigned threads,
                                    opevo_i_cli_study_data *out, opevo_error *err)
{
    listing list = {.data = out, .call = call};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_cli_stores_open(call, out, err));
    for (; list.store < out->store_count; list.store++)
        OPEVO_TRY(opevo_store_list(out->stores[list.store], visit, &list, err));
    if (list.failed) {
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the runs of %s.", call->arguments[0]);
        goto cleanup;
    }
    OPEVO_TRY(opevo_i_cli_stores_plan(out, &list.keys, err));
    OPEVO_TRY(opevo_i_cli_stores_settle(call, out, err));
    if (out->run_count == 0) {
        status = fail_empty(call, out, err);
        goto cleanup;
    }
    note_unfinished(out);
    note_budgets(out);
    OPEVO_TRY(read_runs(call, threads, out, err));
cleanup:
    opevo_free(list.keys.keys);
    return status;
}

opevo_status opevo_i_cli_study_assemble(opevo_i_cli_study_data *data, opevo_error *err)
{
    data->shown = opevo_calloc(data->landscape_count, sizeof *data->shown);
    data->labels = opevo_calloc(data->contender_count, sizeof *data->labels);
    if (!data->shown || !data->labels)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a study.");
    for (size_t i = 0; i < data->landscape_count; i++) {
        opevo_i_cli_named_landscape *row = &data->landscapes[i];
        opevo_status status = label_landscape(data, row, err);

        if (status != OPEVO_OK)
            return status;
        data->shown[i] = (opevo_study_landscape){row->label, row->unit, row->optimum,
                                                 row->has_table ? &row->table : NULL};
    }
    for (size_t i = 0; i < data->contender_count; i++)
        data->labels[i] = data->contenders[i].label;
    data->study = (opevo_analysed_study){.landscapes = data->shown,
                                         .contenders = data->labels,
                                         .runs = data->runs,
                                         .landscape_count = data->landscape_count,
                                         .contender_count = data->contender_count,
                                         .run_count = data->run_count};
    return OPEVO_OK;
}

void opevo_i_cli_named_landscape_free(opevo_i_cli_named_landscape *row)
{
    opevo_free(row->name);
    opevo_free(row->unit);
    opevo_free(row->on);
    opevo_free(row->what);
    opevo_free(row->space);
    opevo_free(row->label);
    opevo_fitness_table_free(&row->table);
}

void opevo_i_cli_study_data_free(opevo_i_cli_study_data *data)
{
    opevo_i_cli_study_fronts_free(data);
    for (size_t i = 0; i < data->landscape_count; i++)
        opevo_i_cli_named_landscape_free(&data->landscapes[i]);
    for (size_t i = 0; i < data->contender_count; i++) {
        opevo_i_cli_contender_free(&data->contenders[i]);
    }
    for (size_t i = 0; i < data->run_count; i++)
        opevo_run_curve_free(&data->runs[i].curve);
    opevo_free(data->landscapes);
    opevo_free(data->contenders);
    opevo_i_cli_stores_close(data);
    opevo_free(data->runs);
    opevo_free(data->outcomes);
    opevo_text_free(&data->versions);
    opevo_free(data->shown);
    opevo_free(data->labels);
    opevo_text_free(&data->notes);
}
