/* SPDX-License-Identifier: GPL-3.0-or-later */

/* An analysis as one JSON object, with all curves. */

#include "analyze_internal.h"

#include <opevo/json.h>
#include <opevo/sealed.h>
#include <opevo/unit.h>
#include <opevo/version.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static void add_interval(opevo_text *out, const char *key, opevo_interval interval)
{
    opevo_json_open(out, key, "[");
    opevo_text_add_double(out, interval.low);
    opevo_text_add(out, ", ");
    opevo_text_add_double(out, interval.high);
    opevo_text_add(out, "]");
}

/* ---- What a report has as well ---- */

static void add_registrations(const opevo_stored_study *data, opevo_text *out)
{
    opevo_text standing = {0};

    opevo_stored_study_print_standing(data, &standing);
    opevo_json_string(out, "standing", opevo_text_string(&standing));
    out->failed = out->failed || standing.failed;
    opevo_text_free(&standing);
    opevo_json_open(out, "registrations", "[");
    for (size_t i = 0; i < data->registration_count; i++) {
        const opevo_stored_registration *one = &data->registrations[i];

        opevo_json_open_next(out, " ", "{");
        opevo_json_string(out, "hash", one->hash);
        opevo_json_string(out, "plan", one->plan);
        opevo_json_string(out, "written", one->written);
        opevo_json_bool(out, "before_first_trial", !one->late);
        opevo_json_index(out, "runs", one->runs);
        opevo_text_add(out, "}");
    }
    opevo_text_add(out, "]");
}

void opevo_i_cli_analysis_json_settings(const opevo_stored_study *data,
                                        const opevo_analysis_options *options, opevo_text *out)
{
    opevo_json_string(out, "notes", opevo_text_string(&data->notes));
    opevo_json_string(out, "versions", opevo_text_string(&data->versions));
    opevo_json_index(out, "runs", data->run_count);
    opevo_json_double(out, "confidence", options->confidence);
    opevo_json_string(out, "intervals", options->exact_intervals ? "exact" : "approximate");
    opevo_json_double(out, "alpha", options->alpha);
    opevo_json_bool(out, "anytime", options->anytime);
    opevo_json_index(out, "resamples", options->resamples);
    opevo_json_index(out, "seed", options->seed);
    add_registrations(data, out);
}

void opevo_i_cli_analysis_json_null(const opevo_study_analysis *analysis, opevo_text *out)
{
    const opevo_study_null *null = &analysis->null;
    opevo_text sentence = {0};

    opevo_json_key(out, "null");
    if (!null->pairs) {
        opevo_text_add(out, "null");
        return;
    }
    opevo_study_null_sentence(analysis, &sentence);
    opevo_text_add(out, "{");
    opevo_json_index(out, "pairs", null->pairs);
    opevo_json_index(out, "verdicts", null->verdicts);
    opevo_json_index(out, "verdicts_holm", null->family_verdicts);
    opevo_json_double(out, "rate", null->rate);
    add_interval(out, "rate_interval", null->interval);
    opevo_json_double(out, "p", null->p);
    opevo_json_bool(out, "biased", null->is_biased);
    opevo_json_string(out, "sentence", opevo_text_string(&sentence));
    opevo_text_add(out, "}");
    out->failed = out->failed || sentence.failed;
    opevo_text_free(&sentence);
}

void opevo_i_cli_analysis_json_contender(const opevo_stored_contender *row, bool for_readers,
                                         opevo_text *out)
{
    opevo_text settings = {0};

    opevo_settings_show(row->settings, strlen(row->settings), for_readers && row->in_time,
                        &settings);
    opevo_json_string(out, "name", row->label);
    opevo_json_string(out, "tuner", row->tuner);
    opevo_json_string(out, "settings", opevo_text_string(&settings));
    opevo_json_string(out, "budget", row->budget);
    out->failed = out->failed || settings.failed;
    opevo_text_free(&settings);
}

/* Of a sealed landscape: null where its log is not there, or was altered. */
static void add_looks(const opevo_stored_landscape *row, opevo_text *out)
{
    opevo_sealed_log log = {.altered = true};

    if (strncmp(row->on, "sealed:", 7) != 0)
        return;
    if (opevo_sealed_read_log(row->on + 7, &log, NULL) != OPEVO_OK || log.altered) {
        opevo_json_key(out, "looks");
        opevo_text_add(out, "null");
        return;
    }
    opevo_json_index(out, "looks", log.looks);
    opevo_json_index(out, "looks_after_copies", log.copies);
    opevo_json_string(out, "log_head", log.head);
}

void opevo_i_cli_analysis_json_place(const opevo_stored_landscape *row,
                                     const opevo_study_place *place, opevo_text *out)
{
    double best = opevo_unit_result(row->unit, place->optimum);
    char signature[17];
    char program[17] = "";

    snprintf(signature, sizeof signature, "%016llx", (unsigned long long)row->signature);
    if (row->program)
        snprintf(program, sizeof program, "%016llx", (unsigned long long)row->program);
    opevo_json_string(out, "name", row->label);
    opevo_json_string(out, "unit", opevo_unit_name(row->unit));
    opevo_json_string(out, "better", opevo_unit_better(row->unit));
    opevo_json_string(out, "on", row->on);
    opevo_json_string(out, "what", row->what);
    opevo_json_string(out, "space", row->space);
    opevo_json_string(out, "signature", signature);
    add_looks(row, out);
    opevo_json_string(out, "program", program);
    opevo_json_double(out, "optimum", place->optimum_known ? best : (double)NAN);
    opevo_json_double(out, "best", best);
    opevo_json_double(out, "fractions_of", place->optimum);
    opevo_json_index(out, "horizon", place->horizon);
    opevo_json_index(out, "compared_at", place->compared_at);
}

void opevo_i_cli_analysis_json_counts(const opevo_study_cell *cell, opevo_text *out)
{
    opevo_json_index(out, "runs", cell->runs);
    opevo_json_index(out, "unfinished", cell->open);
    opevo_json_index(out, "trials", cell->trials);
    opevo_json_index(out, "failed", cell->failed);
    opevo_json_double(out, "cost_s", cell->cost_s);
}

bool opevo_i_cli_analysis_json_overall(const opevo_study_analysis *analysis, opevo_text *out)
{
    const opevo_study_overall *overall = &analysis->overall;
    const opevo_friedman *test = &overall->test;

    opevo_json_key(out, "overall");
    if (overall->blocks < 2 || analysis->study.contender_count < 2) {
        opevo_text_add(out, "null");
        return false;
    }
    opevo_text_add(out, "{");
    opevo_json_index(out, "landscapes", overall->blocks);
    opevo_json_index(out, "landscapes_all_failed", overall->all_failed);
    opevo_json_double(out, "chi_square", test->chi_square);
    opevo_json_double(out, "p", test->p);
    opevo_json_bool(out, "p_exact", test->exact);
    add_interval(out, "p_interval", test->p_interval);
    opevo_json_double(out, "p_chi_square", test->p_chi_square);
    opevo_json_double(out, "f", test->f);
    opevo_json_double(out, "p_f", test->p_f);
    opevo_json_double(out, "critical_difference", overall->critical_difference);
    return true;
}

/* ---- Courses ---- */

static void add_point(opevo_text *out, const opevo_study_point *point)
{
    opevo_text_add(out, "{");
    opevo_json_index(out, "trials", point->trials);
    opevo_json_bool(out, "checkpoint", point->checkpoint);
    opevo_json_index(out, "runs", point->runs);
    opevo_json_double(out, "mean", point->mean);
    add_interval(out, "interval", point->interval);
    opevo_json_double(out, "sd", point->sd);
    opevo_json_double(out, "worst", point->worst);
    opevo_json_double(out, "within_5_percent", point->within_5);
    add_interval(out, "within_5_percent_interval", point->within_5_interval);
    opevo_json_double(out, "within_1_percent", point->within_1);
    add_interval(out, "within_1_percent_interval", point->within_1_interval);
    opevo_json_double(out, "score", point->score);
    add_interval(out, "score_interval", point->score_interval);
    opevo_json_double(out, "ecdf", point->ecdf);
    opevo_text_add(out, "}");
}

static void add_target(opevo_text *out, const opevo_study_target *target)
{
    opevo_text_add(out, "{");
    opevo_json_double(out, "fraction", target->fraction);
    opevo_json_index(out, "runs", target->runs);
    opevo_json_index(out, "reached", target->reached);
    opevo_json_double(out, "share", target->hit);
    opevo_json_double(out, "ert", target->ert); /* null: never */
    add_interval(out, "interval", target->interval);
    opevo_text_add(out, "}");
}

static void add_score(opevo_text *out, const char *key, const opevo_study_score *score)
{
    opevo_json_open(out, key, "{");
    opevo_json_index(out, "runs", score->runs);
    opevo_json_double(out, "exact_baseline", score->exact);
    add_interval(out, "exact_baseline_interval", score->exact_interval);
    opevo_json_double(out, "community_baseline", score->community);
    add_interval(out, "community_baseline_interval", score->community_interval);
    opevo_text_add(out, "}");
}

static void add_courses(opevo_text *out, const opevo_study_analysis *analysis,
                        const opevo_study_place *place, const opevo_study_cell *cell)
{
    opevo_json_double(out, "ecdf_area", cell->ecdf_area);
    add_interval(out, "ecdf_area_interval", cell->ecdf_area_interval);
    opevo_json_open(out, "points", "[");
    for (size_t i = 0; i < place->grid_count; i++) {
        opevo_json_next(out, "\n      ");
        add_point(out, &cell->points[i]);
    }
    opevo_text_add(out, "]");
    opevo_json_open(out, "over_seconds", "[");
    for (size_t i = 0; i < place->moment_count; i++) {
        opevo_json_open_next(out, "\n      ", "{");
        opevo_json_double(out, "seconds", cell->moments[i].seconds);
        opevo_json_index(out, "runs", cell->moments[i].runs);
        opevo_json_double(out, "mean", cell->moments[i].mean);
        add_interval(out, "interval", cell->moments[i].interval);
        opevo_text_add(out, "}");
    }
    opevo_text_add(out, "]");
    opevo_json_open(out, "targets", "[");
    for (size_t i = 0; i < analysis->options.target_count; i++) {
        opevo_json_next(out, "\n      ");
        add_target(out, &cell->targets[i]);
    }
    opevo_text_add(out, "]");
}

static void add_mean(opevo_text *out, const char *key, const opevo_study_mean *mean)
{
    char interval[32];

    snprintf(interval, sizeof interval, "%s_interval", key);
    opevo_json_double(out, key, mean->mean);
    add_interval(out, interval, mean->interval);
}

void opevo_i_cli_analysis_json_regret(const opevo_study_regret *regret, opevo_text *out)
{
    opevo_json_key(out, "regret");
    if (!regret->runs) {
        opevo_text_add(out, "null");
        return;
    }
    opevo_text_add(out, "{");
    opevo_json_index(out, "runs", regret->runs);
    opevo_json_string(out, "split_sure", regret->is_exact ? "exact" : "estimated");
    add_mean(out, "total", &regret->total);
    add_mean(out, "exploration", &regret->exploration);
    add_mean(out, "selection", &regret->selection);
    add_mean(out, "noise", &regret->noise);
    opevo_text_add(out, "}");
}

static void add_cell(opevo_text *out, const opevo_study_analysis *analysis,
                     const opevo_stored_study *data, const opevo_study_cell *cell)
{
    opevo_text_add(out, "{");
    opevo_i_cli_analysis_json_contender(&data->contenders[cell->contender], false, out);
    opevo_json_string(out, "sure", "estimated");
    opevo_i_cli_analysis_json_counts(cell, out);
    add_courses(out, analysis, &analysis->places[cell->landscape], cell);
    add_score(out, "score_over_trials", &cell->by_trials);
    add_score(out, "score_over_seconds", &cell->by_time);
    opevo_i_cli_analysis_json_regret(&cell->regret, out);
    opevo_text_add(out, "}");
}

static void add_window(opevo_text *out, const char *key, double from, double to, bool cut)
{
    opevo_json_key(out, key);
    if (from > to) {
        opevo_text_add(out, "null");
        return;
    }
    opevo_text_add(out, "{");
    opevo_json_double(out, "from", from);
    opevo_json_double(out, "to", to);
    opevo_json_bool(out, "cut", cut);
    opevo_text_add(out, "}");
}

static void add_place(opevo_text *out, const opevo_study_analysis *analysis,
                      const opevo_stored_study *data, size_t landscape)
{
    const opevo_study_place *place = &analysis->places[landscape];

    opevo_text_add(out, "{");
    opevo_i_cli_analysis_json_place(&data->landscapes[landscape], place, out);
    add_window(out, "trials_window", (double)place->trials_from, (double)place->trials_to,
               place->trials_cut);
    add_window(out, "seconds_window", place->seconds_from, place->seconds_to, place->seconds_cut);
    opevo_json_double(out, "community_score_of_random_over_trials",
                      place->community_random_by_trials);
    opevo_json_double(out, "community_score_of_random_over_seconds",
                      place->community_random_by_time);
    opevo_json_key(out, "random");
    if (place->exact_random) {
        opevo_text_add(out, "{");
        opevo_json_string(out, "sure", "exact");
        opevo_json_string(out, "over_seconds_sure", "approximate");
        add_courses(out, analysis, place, &place->random);
        opevo_text_add(out, "}");
    } else {
        opevo_text_add(out, "null");
    }
    opevo_json_open(out, "tuners", "[");
    for (size_t i = 0; i < analysis->study.contender_count; i++) {
        const opevo_study_cell *cell = opevo_study_cell_of(analysis, landscape, i);

        if (!cell->runs)
            continue;
        opevo_json_next(out, "\n    ");
        add_cell(out, analysis, data, cell);
    }
    opevo_text_add(out, "]}");
}

static void add_pair(opevo_text *out, const opevo_study_analysis *analysis,
                     const opevo_stored_study *data, const opevo_study_pair *pair)
{
    const char *exploratory =
        opevo_stored_study_exploratory(data, pair->landscape, pair->a, pair->b);
    opevo_text sentence = {0};

    opevo_study_pair_sentence(analysis, pair, &sentence);
    opevo_text_add(out, "{");
    opevo_json_string(out, "landscape", analysis->study.landscapes[pair->landscape].name);
    opevo_json_string(out, "a", analysis->study.contenders[pair->a]);
    opevo_json_string(out, "b", analysis->study.contenders[pair->b]);
    opevo_json_index(out, "trials", pair->trials);
    opevo_json_index(out, "pairs", pair->test.pairs);
    opevo_json_index(out, "wins", pair->test.wins);
    opevo_json_index(out, "ties", pair->test.ties);
    opevo_json_index(out, "losses", pair->test.losses);
    opevo_json_double(out, "mean_a", pair->mean_a);
    opevo_json_double(out, "mean_b", pair->mean_b);
    opevo_json_double(out, "difference", pair->mean_a - pair->mean_b);
    add_interval(out, "difference_interval", pair->interval);
    opevo_json_double(out, "p", pair->test.p);
    opevo_json_bool(out, "p_exact", pair->test.exact);
    opevo_json_double(out, "p_anytime", pair->anytime.p);
    opevo_json_double(out, "p_holm", pair->p_adjusted);
    opevo_json_double(out, "rank_biserial", pair->test.rank_biserial);
    opevo_json_double(out, "superiority", pair->test.superiority);
    add_interval(out, "superiority_interval", pair->superiority);
    opevo_json_double(out, "pairs_needed", pair->pairs_needed);
    opevo_json_string(out, "verdict", opevo_verdict_name(pair->verdict));
    opevo_json_string(out, "sentence", opevo_text_string(&sentence));
    opevo_json_bool(out, "registered", !exploratory);
    if (exploratory)
        opevo_json_string(out, "exploratory", exploratory);
    opevo_text_add(out, "}");
    out->failed = out->failed || sentence.failed;
    opevo_text_free(&sentence);
}

static void add_overall(opevo_text *out, const opevo_study_analysis *analysis)
{
    const opevo_study_overall *overall = &analysis->overall;

    if (!opevo_i_cli_analysis_json_overall(analysis, out))
        return;
    opevo_json_open(out, "tuners", "[");
    for (size_t i = 0; i < analysis->study.contender_count; i++) {
        opevo_json_open_next(out, "\n  ", "{");
        opevo_json_string(out, "name", analysis->study.contenders[i]);
        opevo_json_double(out, "mean", overall->mean[i]);
        add_interval(out, "interval", overall->interval[i]);
        opevo_json_double(out, "mean_rank", overall->mean_rank[i]);
        opevo_text_add(out, "}");
    }
    opevo_text_add(out, "]}");
}

void opevo_i_cli_analysis_print_json(const opevo_stored_study *data,
                                     const opevo_study_analysis *analysis, opevo_text *out)
{
    opevo_text_add(out, "{");
    opevo_json_string(out, "version", OPEVO_VERSION);
    opevo_i_cli_analysis_json_settings(data, &analysis->options, out);
    opevo_json_open(out, "landscapes", "[");
    for (size_t i = 0; i < analysis->study.landscape_count; i++) {
        opevo_json_next(out, "\n  ");
        add_place(out, analysis, data, i);
    }
    opevo_text_add(out, "]");
    opevo_json_open(out, "pairs", "[");
    for (size_t i = 0; i < analysis->pair_count; i++) {
        opevo_json_next(out, "\n  ");
        add_pair(out, analysis, data, &analysis->pairs[i]);
    }
    opevo_text_add(out, "]");
    opevo_i_cli_analysis_json_null(analysis, out);
    opevo_i_cli_analysis_json_fronts(data, false, out);
    add_overall(out, analysis);
    opevo_text_add(out, "}\n");
}
