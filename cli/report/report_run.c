/* SPDX-License-Identifier: GPL-3.0-or-later */

/* One run as the data of a page about the program that it tuned. */

#include "criteria_of_call_internal.h"
#include "finals_of_call_internal.h"
#include "kernels_read_internal.h"
#include "measured_internal.h"
#include "options_internal.h"
#include "reasons_internal.h"
#include "report_internal.h"
#include "roof_internal.h"
#include "run_digest_internal.h"
#include "run_trials_internal.h"

#include <opevo/effects.h>
#include <opevo/finals.h>
#include <opevo/json.h>
#include <opevo/live.h>
#include <opevo/memory.h>
#include <opevo/unit.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_NAMED = 5000, /* trials whose configurations the page has */
    MOST_TOP = 8
};

typedef struct writer {
    opevo_store *store;
    opevo_text *out;
    int64_t run;
    const opevo_i_cli_run_digest *trials;
    opevo_i_cli_kernels kernels;
    opevo_status status;
    opevo_error *err;
} writer;

static double result_of(const opevo_run_info *info, const opevo_trial *trial)
{
    return trial->outcome.fitness > 0 ? opevo_unit_result(info->unit, trial->outcome.fitness) : NAN;
}

static void add_configuration(const writer *self, const opevo_trial *trial, opevo_text *out)
{
    if (self->trials->space)
        opevo_space_print(self->trials->space, trial->proposal.point, out);
    else if (opevo_store_candidate(self->store, self->run, trial->proposal.point, out, NULL))
        opevo_text_add_index(out, trial->proposal.point);
}

/* ---- Trials --------------------------------------------------------------------------------- */

static void add_trials(const writer *self, const opevo_run_info *info)
{
    const opevo_i_cli_run_digest *run = self->trials;
    opevo_text *out = self->out;

    opevo_json_open(out, "trial", "{");
    opevo_json_open(out, "number", "[");
    for (size_t i = 0; i < run->count; i++) {
        opevo_json_next(out, "");
        opevo_text_add_index(out, run->trials[i].number);
    }
    opevo_text_add(out, "]");
    opevo_json_open(out, "outcome", "[");
    for (size_t i = 0; i < run->count; i++) {
        opevo_json_next(out, "");
        opevo_text_add_index(out, (opevo_index)run->trials[i].outcome.kind);
    }
    opevo_text_add(out, "]");
    opevo_json_open(out, "result", "[");
    for (size_t i = 0; i < run->count; i++) {
        opevo_json_next(out, "");
        opevo_text_add_double(out, result_of(info, &run->trials[i]));
    }
    opevo_text_add(out, "]");
    opevo_json_open(out, "configuration", "[");
    for (size_t i = 0; i < run->count && i < MOST_NAMED; i++) {
        opevo_text text = {0};

        add_configuration(self, &run->trials[i], &text);
        opevo_json_next(out, "");
        opevo_text_add_json(out, opevo_text_string(&text));
        opevo_text_free(&text);
    }
    opevo_text_add(out, "]}");
    opevo_json_open(out, "classes", "[");
    for (int i = 0; i < OPEVO_OUTCOME_CLASS_COUNT; i++) {
        opevo_json_next(out, " ");
        opevo_text_add_json(out, opevo_outcome_name((opevo_outcome_class)i));
    }
    opevo_text_add(out, "]");
}

/* ---- The best ------------------------------------------------------------------------------- */

/* "low" and "high" of the median of the samples of a program's trial; null where it is not one, and
 * below 6 samples. */
static void add_interval(writer *self, const opevo_run_info *info, const opevo_trial *trial)
{
    opevo_trial whole = *trial;
    opevo_finalist judged;
    double low = 0, high = 0;

    if (self->status == OPEVO_OK && !strncmp(info->objective, "cmd:", 4))
        self->status = opevo_store_read_details(self->store, self->run, &whole, self->err);
    opevo_i_cli_finalist_of_samples(&whole.outcome, &judged);
    opevo_i_cli_finalist_bounds(&judged, info->unit, &low, &high);
    opevo_json_double(self->out, "low", low);
    opevo_json_double(self->out, "high", high);
}

static void add_best(writer *self, const opevo_run_info *info)
{
    const opevo_trial *best = NULL;
    opevo_text text = {0};

    opevo_json_key(self->out, "best");
    for (size_t i = 0; i < self->trials->count && !best; i++) {
        if (self->trials->trials[i].number == info->best_trial)
            best = &self->trials->trials[i];
    }
    if (!best) {
        opevo_text_add(self->out, "null");
        return;
    }
    add_configuration(self, best, &text);
    opevo_text_add(self->out, "{");
    opevo_json_index(self->out, "trial", best->number);
    opevo_i_cli_kernel_print_json(&self->kernels, best->proposal.point, self->out);
    opevo_json_double(self->out, "result", result_of(info, best));
    add_interval(self, info, best);
    opevo_json_string(self->out, "origin", best->proposal.origin);
    opevo_json_string(self->out, "configuration", opevo_text_string(&text));
    opevo_text_add(self->out, "}");
    opevo_text_free(&text);
}

static int by_fitness(const void *a, const void *b)
{
    const opevo_trial *x = *(const opevo_trial *const *)a, *y = *(const opevo_trial *const *)b;

    if (x->outcome.fitness != y->outcome.fitness)
        return x->outcome.fitness < y->outcome.fitness ? 1 : -1;
    return (x->number > y->number) - (x->number < y->number);
}

/* One value of each parameter, as text. */
static void add_values(const writer *self, const opevo_trial *trial)
{
    const opevo_space *space = self->trials->space;
    size_t count = opevo_space_parameter_count(space);
    opevo_index *vertices = opevo_calloc(count, sizeof *vertices);

    opevo_json_key(self->out, "values");
    opevo_text_add(self->out, "[");
    if (vertices)
        opevo_space_decode(space, trial->proposal.point, vertices);
    for (size_t p = 0; vertices && p < count; p++) {
        const opevo_parameter *parameter = opevo_space_parameter(space, p);
        size_t arity = opevo_parameter_arity(parameter);
        opevo_value *values = opevo_calloc(arity, sizeof *values);
        opevo_text text = {0};

        if (values && vertices[p] != OPEVO_INACTIVE) {
            opevo_parameter_value(parameter, vertices[p], values);
            for (size_t i = 0; i < arity; i++) {
                opevo_text_add(&text, i ? "," : "");
                opevo_value_print(&text, values[i]);
            }
        }
        opevo_json_next(self->out, " ");
        opevo_text_add_json(self->out, opevo_text_string(&text));
        opevo_text_free(&text);
        opevo_free(values);
    }
    opevo_text_add(self->out, "]");
    opevo_free(vertices);
}

/* The best trials of different points. */
static void add_top(writer *self, const opevo_run_info *info)
{
    const opevo_i_cli_run_digest *run = self->trials;
    const opevo_trial **order = opevo_malloc(run->count + 1, sizeof(const opevo_trial *));
    opevo_text *out = self->out;
    size_t shown = 0;

    opevo_json_open(out, "parameters", "[");
    for (size_t p = 0; run->space && p < opevo_space_parameter_count(run->space); p++) {
        opevo_json_next(out, " ");
        opevo_text_add_json(out, opevo_parameter_name(opevo_space_parameter(run->space, p)));
    }
    opevo_text_add(out, "]");
    opevo_json_open(out, "top", "[");
    for (size_t i = 0; order && i < run->count; i++)
        order[i] = &run->trials[i];
    if (order)
        qsort(order, run->count, sizeof(const opevo_trial *), by_fitness);
    for (size_t i = 0; order && run->space && i < run->count && shown < MOST_TOP; i++) {
        bool again = !(order[i]->outcome.fitness > 0);

        for (size_t k = 0; k < i && !again; k++)
            again = order[k]->proposal.point == order[i]->proposal.point;
        if (again)
            continue;
        shown++;
        opevo_json_open_next(out, " ", "{");
        opevo_json_index(out, "trial", order[i]->number);
        opevo_i_cli_kernel_print_json(&self->kernels, order[i]->proposal.point, out);
        opevo_json_double(out, "result", result_of(info, order[i]));
        add_interval(self, info, order[i]);
        add_values(self, order[i]);
        opevo_text_add(out, "}");
    }
    opevo_text_add(out, "]");
    opevo_free(order);
}

/* ---- Effects -------------------------------------------------------------------------------- */

static void add_level(const opevo_effect_level *level, opevo_text *out)
{
    opevo_json_open_next(out, " ", "{");
    opevo_json_string(out, "label", level->label);
    opevo_json_index(out, "trials", level->trials);
    opevo_json_double(out, "mean", level->mean);
    opevo_json_double(out, "mean_low", level->mean_low);
    opevo_json_double(out, "mean_high", level->mean_high);
    opevo_json_double(out, "model", level->model);
    opevo_json_double(out, "model_low", level->model_low);
    opevo_json_double(out, "model_high", level->model_high);
    opevo_text_add(out, "}");
}

static void add_effects(const opevo_effects *effects, opevo_text *out)
{
    opevo_json_key(out, "effects");
    if (!effects) {
        opevo_text_add(out, "null");
        return;
    }
    opevo_text_add(out, "{");
    opevo_json_index(out, "trials", effects->trials);
    opevo_json_double(out, "explained", effects->explained);
    opevo_json_open(out, "rows", "[");
    for (size_t i = 0; i < effects->count; i++) {
        opevo_json_open_next(out, "\n ", "{");
        opevo_json_string(out, "name", effects->effects[i].name);
        opevo_json_double(out, "importance", effects->effects[i].importance);
        opevo_json_open(out, "levels", "[");
        for (size_t k = 0; k < effects->effects[i].level_count; k++)
            add_level(&effects->effects[i].levels[k], out);
        opevo_text_add(out, "]}");
    }
    opevo_text_add(out, "]}");
}

/* ---- All ------------------------------------------------------------------------------------ */

static void add_facts(const writer *self, const opevo_run_info *info)
{
    opevo_text *out = self->out;
    opevo_text settings = {0}, seed = {0};

    opevo_settings_show(info->settings, strlen(info->settings), opevo_unit_follows_time(info->unit),
                        &settings);
    opevo_text_add_index(&seed, info->seed);
    opevo_json_index(out, "run", (opevo_index)info->run);
    opevo_json_string(out, "objective", info->objective);
    opevo_json_string(out, "tuner", info->tuner);
    opevo_json_string(out, "settings", opevo_text_string(&settings));
    opevo_json_string(out, "seed", opevo_text_string(&seed));
    opevo_json_string(out, "started", info->started);
    opevo_json_string(out, "made_by", info->version);
    opevo_json_string(out, "stop", info->stop);
    opevo_json_index(out, "trials", info->trials);
    opevo_json_index(out, "failed", info->failed);
    opevo_json_double(out, "cost_s", info->cost_s);
    opevo_json_string(out, "unit", opevo_unit_name(info->unit));
    opevo_json_string(out, "better", opevo_unit_better(info->unit));
    opevo_json_double(out, "optimum", opevo_unit_result(info->unit, info->optimum));
    opevo_text_free(&settings);
    opevo_text_free(&seed);
}

static double of_device(const opevo_run_info *info, const opevo_i_cli_measured_device *device,
                        double fitness)
{
    return device->succeeded ? opevo_unit_result(info->unit, fitness) : NAN;
}

/* Who measured, and the results by device where there are several. */
static opevo_status add_measured(const writer *self, const opevo_run_info *info)
{
    opevo_i_cli_measured measured = {.workers = NULL};
    opevo_i_cli_measured_device *devices = NULL;
    opevo_status status = OPEVO_OK;
    opevo_text *out = self->out;
    size_t count = 0;

    OPEVO_TRY(
        opevo_i_cli_measured_read(self->store, info->run, info->trials, &measured, self->err));
    OPEVO_TRY(opevo_i_cli_measured_devices_of_run(self->store, info->run, &measured, &devices,
                                                  &count, self->err));
    opevo_i_cli_measured_print_json(&measured, out);
    opevo_i_cli_roof_print_json(opevo_i_cli_roof_of_run(info, &measured), info->best_fitness, out);
    opevo_json_open(out, "devices", "[");
    for (size_t i = 0; i < count; i++) {
        opevo_json_open_next(out, " ", "{");
        opevo_json_string(out, "device", devices[i].device);
        opevo_json_index(out, "trials", devices[i].trials);
        opevo_json_index(out, "succeeded", devices[i].succeeded);
        opevo_json_double(out, "best", of_device(info, &devices[i], devices[i].best));
        opevo_json_double(out, "median", of_device(info, &devices[i], devices[i].median));
        opevo_text_add(out, "}");
    }
    opevo_text_add(out, "]");
cleanup:
    opevo_free(devices);
    opevo_i_cli_measured_free(&measured);
    return status;
}

/* The front by all criteria of the run; nothing without any. */
static void add_front(const writer *self, const opevo_run_info *info)
{
    opevo_front sorted = self->trials->front;
    opevo_i_cli_shown_front shown = {.front = &sorted,
                                     .criteria = self->trials->criteria,
                                     .unit = info->unit,
                                     .space = self->trials->space,
                                     .origins = OPEVO_I_ORIGIN_HIDDEN,
                                     .store = self->store,
                                     .run = info->run};
    opevo_text *out = self->out;

    if (!self->trials->criterion_count)
        return;
    opevo_front_sort(&sorted); /* in place */
    opevo_json_open(out, "front", "{");
    opevo_json_open(out, "criteria", "");
    opevo_i_cli_front_json_criteria(&shown, &self->trials->box, out);
    opevo_json_open(out, "front", "");
    opevo_i_cli_front_json(&shown, out);
    opevo_json_index(out, "sample_every", self->trials->stride);
    opevo_json_open(out, "sample", "[");
    for (size_t i = 0; i < self->trials->count; i++) {
        const opevo_outcome *outcome = &self->trials->trials[i].outcome;

        if (outcome->kind != OPEVO_OUTCOME_OK)
            continue;
        opevo_json_open_next(out, "", "[");
        for (size_t k = 0; k < sorted.criteria.count; k++) {
            opevo_json_next(out, "");
            opevo_text_add_double(out, opevo_front_value(&sorted.criteria, k, info->unit, outcome));
        }
        opevo_text_add(out, "]");
    }
    opevo_text_add(out, "]}");
}

opevo_status opevo_i_cli_report_run_members(opevo_store *store, const opevo_run_info *info,
                                            const opevo_i_cli_run_digest *digest,
                                            const opevo_i_cli_reasons *reasons, opevo_text *out,
                                            opevo_error *err)
{
    writer self = {.store = store, .run = info->run, .out = out, .trials = digest, .err = err};
    opevo_status status = OPEVO_OK;
    opevo_effects *effects = NULL;
    opevo_finals *finals = NULL;
    opevo_space *space = NULL;

    OPEVO_TRY(opevo_finals_read(store, info->run, &finals, &space, err));
    if (digest->space && opevo_i_cli_run_digest_is_whole(digest))
        OPEVO_TRY(opevo_i_cli_effects_of_trials(digest->space, digest->trials, digest->count,
                                                &effects, err));
    OPEVO_TRY(opevo_i_cli_kernels_read(store, info, NULL, &self.kernels, err));
    add_facts(&self, info);
    add_best(&self, info);
    add_trials(&self, info);
    add_top(&self, info);
    add_effects(effects, out);
    add_front(&self, info);
    OPEVO_TRY(opevo_i_cli_generation_print(&digest->generation, digest->space, out, err));
    OPEVO_TRY(opevo_i_cli_breeding_print(digest, store, out, err));
    opevo_i_cli_recent_print(digest, store, out);
    opevo_i_cli_reasons_print_json(reasons, out);
    opevo_i_cli_finals_print_json(finals, space, info->unit, &self.kernels, out);
    OPEVO_TRY(self.status);
    OPEVO_TRY(add_measured(&self, info));
cleanup:
    opevo_i_cli_kernels_free(&self.kernels);
    opevo_effects_destroy(effects);
    opevo_space_destroy(space);
    opevo_finals_destroy(finals);
    return status;
}

/* ---- Of a store ----------------------------------------------------------------------------- */

typedef struct finder {
    const opevo_call *call;
    opevo_store *store;
    opevo_text *out;
    opevo_status status;
    opevo_error *err;
} finder;

static opevo_status add_run(finder *self, const opevo_run_info *info)
{
    opevo_i_cli_reasons reasons = {.of[0] = {0}};
    opevo_i_cli_run_digest digest = {.run = 0};
    opevo_status status = OPEVO_OK;
    bool all = false;

    OPEVO_TRY(opevo_i_cli_run_digest_start(self->store, info, SIZE_MAX, &digest, self->err));
    OPEVO_TRY(opevo_i_cli_run_digest_read(&digest, self->store, SIZE_MAX, &all, self->err));
    OPEVO_TRY(opevo_i_cli_reasons_of_run(self->store, info->run, &reasons, self->err));
    opevo_text_add(self->out, "{");
    opevo_i_cli_report_json_head("run", self->call->arguments[0], self->call, self->out);
    OPEVO_TRY(
        opevo_i_cli_report_run_members(self->store, info, &digest, &reasons, self->out, self->err));
    opevo_text_add(self->out, "}");
cleanup:
    opevo_i_cli_reasons_free(&reasons);
    opevo_i_cli_run_digest_free(&digest);
    return status;
}

static void visit(void *context, const opevo_run_info *info)
{
    finder *self = context;

    self->status = add_run(self, info);
}

opevo_status opevo_i_cli_report_run(const opevo_call *call, const char *path, int64_t run,
                                    opevo_text *json, opevo_error *err)
{
    finder self = {.call = call, .out = json, .err = err};
    opevo_status status = opevo_store_open(path, OPEVO_STORE_READ, &self.store, err);

    if (status == OPEVO_OK)
        status = opevo_store_visit(self.store, run, visit, &self, err);
    if (status == OPEVO_OK)
        status = self.status;
    opevo_store_close(self.store);
    return status;
}
