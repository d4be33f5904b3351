/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What `opevo study` says. */

#include "measured_internal.h"
#include "reasons_internal.h"
#include "study_cli_internal.h"
#include "terminal_internal.h"
#include "tuner_library_internal.h"
#include "tuner_of_call_internal.h"

#include <opevo/json.h>
#include <opevo/live.h>
#include <opevo/sample_size.h>
#include <opevo/stored_study.h>
#include <opevo/unit.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LINES_SHOWN = 40 };

/* Of --size; those of opevo analyze. */
#define SIZE_ALPHA .05
#define SIZE_POWER .8

static void add_count(opevo_text *out, uint64_t count, const char *noun)
{
    opevo_i_cli_text_add_grouped(out, count);
    opevo_text_printf(out, " %s%s", noun, count == 1 ? "" : "s");
}

static void add_shard_json(const opevo_i_cli_study_call *self, opevo_text *out)
{
    opevo_json_string(out, "store", opevo_text_string(&self->path));
    opevo_json_index(out, "shard", self->shard.index + 1);
    opevo_json_index(out, "shards", self->shard.count);
}

/* One note for each tuner, whose lines stand together. */
static void print_library_notes(const opevo_study *study, opevo_text *out)
{
    bool told = false;

    for (size_t i = 0; i < study->line_count; i++) {
        const opevo_study_line *line = &study->lines[i];
        size_t before = out->length;

        told = told && line->tuner == study->lines[i - 1].tuner;
        if (!told)
            opevo_i_cli_print_library_note(line->tuner, line->settings, out);
        told = told || out->length > before;
    }
}

void opevo_i_cli_study_tell_idle(const opevo_study *study)
{
    opevo_text last = {0};

    for (size_t i = 0; i < study->line_count; i++) {
        const opevo_study_line *line = &study->lines[i];
        opevo_text text = {0};

        opevo_i_cli_print_idle(line->tuner, line->settings,
                               opevo_live_worker_count(line->objective), &text);
        if (text.length && strcmp(opevo_text_string(&text), opevo_text_string(&last)) != 0) {
            fprintf(stderr, "opevo study: %s\n", opevo_text_string(&text));
            opevo_text_clear(&last);
            opevo_text_add(&last, opevo_text_string(&text));
        }
        opevo_text_free(&text);
    }
    opevo_text_free(&last);
}

void opevo_i_cli_study_print_head(const opevo_i_cli_study_call *self, opevo_text *out)
{
    const opevo_study *study = self->study;

    if (self->json)
        return;
    if (!self->until) {
        add_count(out, opevo_study_run_count(study), "run");
        opevo_text_add(out, ": ");
    }
    add_count(out, study->line_count, "combination");
    opevo_text_add(out, self->until ? " x up to " : " x ");
    add_count(out, study->seed_count, "seed");
    if (self->shard.count > 1)
        opevo_text_printf(out, "; shard %u/%u", (unsigned)self->shard.index + 1,
                          (unsigned)self->shard.count);
    if (self->by.length)
        opevo_text_printf(out, " (%s)", self->by.data);
    opevo_text_add(out, "\n");
    print_library_notes(study, out);
}

/* The workers of each objective that is measured, over all runs of the call. */
static void add_measured_json(const opevo_i_cli_study_call *self, opevo_text *out)
{
    opevo_worker_facts worker;

    opevo_json_open(out, "measured", "[");
    for (size_t i = 0; i < self->opened_count; i++) {
        const opevo_objective *objective = self->opened[i].given.objective;

        if (!opevo_objective_worker(objective, 0, &worker))
            continue;
        opevo_json_open_next(out, " ", "{");
        opevo_json_string(out, "objective", objective->name);
        opevo_i_cli_add_json_workers(objective, out);
        opevo_text_add(out, "}");
    }
    opevo_text_add(out, "]");
}

void opevo_i_cli_study_print_result(const opevo_i_cli_study_call *self,
                                    const opevo_study_result *result,
                                    const opevo_until_result *until, opevo_text *out)
{
    double share = result->wall_s > 0 ? result->busy_s / (result->wall_s * result->threads) : 0;

    if (self->json) {
        opevo_text_add(out, "{");
        opevo_json_index(out, "runs", result->runs);
        opevo_json_index(out, "present", result->present);
        opevo_json_index(out, "ran", result->ran);
        opevo_json_index(out, "trials", result->trials);
        opevo_json_index(out, "threads", result->threads);
        opevo_json_double(out, "wall_s", result->wall_s);
        opevo_json_double(out, "busy_s", result->busy_s);
        opevo_json_index(out, "fruitless", result->fruitless);
        opevo_json_index(out, "gave_up", result->gave_up);
        opevo_json_bool(out, "interrupted", result->interrupted);
        add_shard_json(self, out);
        add_measured_json(self, out);
        if (self->until)
            opevo_i_cli_study_print_until(self, until, out);
        opevo_text_add(out, "}\n");
        return;
    }
    opevo_text_printf(out, "%s: ", opevo_text_string(&self->path));
    add_count(out, result->ran, "run");
    opevo_text_add(out, " done now (");
    add_count(out, result->trials, "trial");
    opevo_text_add(out, "), ");
    opevo_i_cli_text_add_grouped(out, result->present);
    opevo_text_add(out, " stored before\n");
    if (result->wall_s > 0)
        opevo_text_printf(out, "%.2f s on %u thread%s, each computing %.0f %% of the time\n",
                          result->wall_s, result->threads, result->threads == 1 ? "" : "s",
                          100 * share);
    if (result->fruitless) {
        add_count(out, result->fruitless, "run");
        opevo_text_printf(out, " on a device without a successful trial, of which %llu gave up",
                          (unsigned long long)result->gave_up);
        opevo_text_add(out, "; opevo runs STORE:RUN shows the reason\n");
    }
    if (self->until && !result->interrupted)
        opevo_i_cli_study_print_until(self, until, out);
    if (result->interrupted)
        opevo_text_add(out, "interrupted; the same command continues\n");
}

static void add_settings(const opevo_study_line *line, opevo_text *out)
{
    opevo_settings_show(line->settings_text, strlen(line->settings_text),
                        opevo_unit_follows_time(line->objective->unit), out);
}

/* One row for each combination, as far as they are few. */
static void print_lines(const opevo_study *study, opevo_text *out)
{
    for (size_t i = 0; i < study->line_count && i < LINES_SHOWN; i++) {
        const opevo_study_line *line = &study->lines[i];

        opevo_text_add(out, "  ");
        opevo_i_cli_text_add_objective(out, line->objective->name);
        opevo_text_printf(out, "  %s%s", line->tuner->name, *line->settings_text ? " " : "");
        add_settings(line, out);
        opevo_text_printf(out, "  %s\n", line->budget_text);
    }
    if (study->line_count > LINES_SHOWN)
        opevo_text_printf(out, "  and %zu more\n", study->line_count - LINES_SHOWN);
}

/* What it says of measuring: "(result=ms:/x/, repeats=3)". */
static void print_options(const opevo_plan_objective *named, opevo_text *out)
{
    const char *separator = " (";

    for (size_t i = 0; i < named->option_count; i++) {
        opevo_text_printf(out, "%s%s%s", separator, named->options[i].key,
                          *named->options[i].value ? "=" : "");
        opevo_i_cli_text_add_message(out, named->options[i].value);
        separator = ", ";
    }
    opevo_text_add(out, named->option_count ? ")" : "");
}

/* The programs that the plan has executed: its own, and those that reach workers. */
static void print_executed(const opevo_i_cli_study_call *self, opevo_text *out)
{
    for (size_t i = 0; i < self->opened_count; i++) {
        const opevo_i_cli_opened *one = &self->opened[i];

        if (!opevo_i_cli_opened_is_program(one) && !opevo_i_cli_opened_has(one, "workers") &&
            !opevo_i_cli_opened_has(one, "workers-from"))
            continue;
        opevo_text_add(out, "would execute: ");
        opevo_i_cli_text_add_message(out, one->given.objective->name +
                                              (opevo_i_cli_opened_is_program(one) ? 4 : 0));
        print_options(&one->named, out);
        opevo_text_add(out, "\n");
    }
}

static void add_executed_json(const opevo_i_cli_study_call *self, opevo_text *out)
{
    opevo_json_open(out, "executes", "[");
    for (size_t i = 0; i < self->opened_count; i++) {
        const opevo_i_cli_opened *one = &self->opened[i];

        if (opevo_i_cli_opened_is_program(one)) {
            opevo_json_next(out, " ");
            opevo_text_add_json(out, one->given.objective->name + 4);
        }
        for (size_t k = 0; k < one->named.option_count; k++) {
            if (strcmp(one->named.options[k].key, "workers") != 0 &&
                strcmp(one->named.options[k].key, "workers-from") != 0)
                continue;
            opevo_json_next(out, " ");
            opevo_text_add_json(out, one->named.options[k].value);
        }
    }
    opevo_text_add(out, "]");
}

static void print_estimate_json(const opevo_i_cli_study_call *self,
                                const opevo_study_estimate *estimate, unsigned threads,
                                opevo_text *out)
{
    opevo_text_add(out, "{");
    opevo_json_index(out, "runs", estimate->runs);
    opevo_json_index(out, "present", estimate->present);
    opevo_json_index(out, "measured", estimate->measured);
    opevo_json_index(out, "threads", threads);
    opevo_json_double(out, "seconds", estimate->seconds);
    opevo_json_double(out, "seconds_low", estimate->low);
    opevo_json_double(out, "seconds_high", estimate->high);
    opevo_json_index(out, "sampled", estimate->sampled);
    opevo_json_string(out, "registration", self->registration);
    add_executed_json(self, out);
    add_shard_json(self, out);
    opevo_text_add(out, "}\n");
}

void opevo_i_cli_study_print_estimate(const opevo_i_cli_study_call *self,
                                      const opevo_study_estimate *estimate, unsigned threads,
                                      opevo_text *out)
{
    uint64_t left = estimate->runs - estimate->present - estimate->measured;

    if (self->json) {
        print_estimate_json(self, estimate, threads, out);
        return;
    }
    print_lines(self->study, out);
    print_executed(self, out);
    add_count(out, estimate->runs, "run");
    opevo_text_add(out, " in all, ");
    opevo_i_cli_text_add_grouped(out, estimate->present);
    opevo_text_add(out, " stored already\n");
    if (left)
        opevo_text_printf(out,
                          "about %.3g s on %u thread%s, each on a core of its own (estimated from "
                          "%llu runs; 95 %% confidence %.3g to %.3g s)\n",
                          estimate->seconds, threads, threads == 1 ? "" : "s",
                          (unsigned long long)estimate->sampled, estimate->low, estimate->high);
    if (estimate->measured) {
        add_count(out, estimate->measured, "run");
        opevo_text_add(out, " on a device; their time is not estimated\n");
    }
}

/* What is missing: how many, and which comes first. */
static void print_missing(const opevo_study *study, const opevo_merge_result *result,
                          opevo_text *out)
{
    uint64_t number = result->first_missing;
    const opevo_study_line *line = &study->lines[number % study->line_count];

    add_count(out, result->runs - result->present, "run");
    opevo_text_printf(out, " missing; the first is number %llu: %s, %s%s",
                      (unsigned long long)number + 1, line->objective->name, line->tuner->name,
                      *line->settings_text ? " " : "");
    add_settings(line, out);
    opevo_text_printf(out, ", %s, seed %llu\n", line->budget_text,
                      (unsigned long long)opevo_study_seed(study, number));
}

void opevo_i_cli_study_print_merge(const opevo_i_cli_study_call *self,
                                   const opevo_merge_result *result, uint64_t fruitless,
                                   size_t sources, opevo_text *out)
{
    if (self->json) {
        opevo_text_add(out, "{");
        opevo_json_index(out, "runs", result->runs);
        opevo_json_index(out, "present", result->present);
        opevo_json_index(out, "added", result->added);
        opevo_json_index(out, "missing", result->runs - result->present);
        opevo_json_index(out, "fruitless", fruitless);
        opevo_json_index(out, "stores", sources);
        opevo_json_index(out, "empty", result->empty);
        opevo_json_string(out, "store", self->store);
        opevo_text_add(out, "}\n");
        return;
    }
    opevo_text_printf(out, "%s: ", self->store);
    add_count(out, result->added, "run");
    opevo_text_add(out, " added from ");
    add_count(out, sources, "store");
    opevo_text_add(out, "; ");
    opevo_i_cli_text_add_grouped(out, result->present);
    opevo_text_add(out, " of ");
    opevo_i_cli_text_add_grouped(out, result->runs);
    opevo_text_add(out, " there\n");
    if (result->present < result->runs)
        print_missing(self->study, result, out);
    if (result->empty) {
        add_count(out, result->empty, "store");
        opevo_text_add(out, " empty so far, of a share that has just begun or was stopped then\n");
    }
    if (fruitless) {
        add_count(out, fruitless, "run");
        opevo_text_add(out, " on a device without a successful trial; opevo runs STORE:RUN shows "
                            "the reason\n");
    }
}

static void print_size_json(double superiority, uint64_t comparisons, double alpha,
                            const opevo_sample_size *size, opevo_text *out)
{
    opevo_text_add(out, "{");
    opevo_json_double(out, "superiority", superiority);
    opevo_json_index(out, "comparisons", comparisons);
    opevo_json_double(out, "alpha", alpha);
    opevo_json_double(out, "power", SIZE_POWER);
    opevo_json_string(out, "test_of_analyze", "pairs_signed_rank");
    opevo_json_index(out, "pairs_signed_rank", size->pairs_signed_rank);
    opevo_json_index(out, "pairs_sign", size->pairs_sign);
    opevo_json_double(out, "pairs_sign_power",
                      size->pairs_sign_power > 0 ? size->pairs_sign_power : (double)NAN);
    opevo_json_index(out, "noether", size->noether);
    opevo_json_double(out, "exact", size->exact ? (double)size->exact : (double)NAN);
    opevo_json_double(out, "exact_power", size->exact ? size->exact_power : (double)NAN);
    opevo_json_index(out, "any", size->any);
    opevo_text_add(out, "}\n");
}

/* A size, what it is, and on a line of its own for which test and which p. */
static void print_size_row(uint64_t size, const char *sure, const char *what, opevo_text *out)
{
    opevo_text_printf(out, "%7llu  %s\n         %s\n", (unsigned long long)size, sure, what);
}

static void print_size_text(double superiority, uint64_t comparisons, double alpha,
                            const opevo_sample_size *size, opevo_text *out)
{
    char sure[64];

    opevo_text_printf(out, "seeds to detect a probability of superiority p = %g\n", superiority);
    opevo_text_printf(out, "with power %g, two-sided at level %.4g", SIZE_POWER, alpha);
    if (comparisons > 1)
        opevo_text_printf(out, " (%g / %llu comparisons)", SIZE_ALPHA,
                          (unsigned long long)comparisons);
    opevo_text_add(out,
                   "\n"
                   "\n"
                   "the test of opevo analyze: signed rank, runs with the same seed are paired\n"
                   "");
    print_size_row(size->pairs_signed_rank, "estimated, asymptotic (Noether 1987)",
                   "p = P(sum of two differences > 0) = (1 + rank correlation) / 2", out);
    opevo_text_add(out, "\nother tests\n");
    snprintf(sure, sizeof sure, "estimated, asymptotic");
    if (size->pairs_sign_power > 0)
        snprintf(sure, sizeof sure, "exact, power %.4f", size->pairs_sign_power);
    print_size_row(size->pairs_sign, sure, "sign test of pairs, p = P(difference > 0)", out);
    snprintf(sure, sizeof sure, "exact, power %.4f", size->exact_power);
    if (size->exact)
        print_size_row(size->exact, sure,
                       "Wilcoxon-Mann-Whitney, no pairs, one distribution a power of the other",
                       out);
    print_size_row(size->noether, "estimated, asymptotic (Noether 1987)",
                   "Wilcoxon-Mann-Whitney, no pairs", out);
    print_size_row(size->any, "estimated, asymptotic", "the same, sufficient for all distributions",
                   out);
}

opevo_status opevo_i_cli_study_print_size(double superiority, uint64_t comparisons, bool json,
                                          opevo_text *out, opevo_error *err)
{
    double alpha = SIZE_ALPHA / (double)comparisons;
    opevo_sample_size size;
    opevo_status status = opevo_sample_size_for(superiority, alpha, SIZE_POWER, &size, err);

    if (status != OPEVO_OK)
        return status;
    if (json)
        print_size_json(superiority, comparisons, alpha, &size, out);
    else
        print_size_text(superiority, comparisons, alpha, &size, out);
    return OPEVO_OK;
}
